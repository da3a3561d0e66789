"""Scenarios: whole consent negotiations as texts that a person can read and check.

Here: playing every file of tests/scenarios/ and comparing what happens with what it says.
Not here: single rules (tests/unit/protocols/consent), laws (tests/properties).
Sources: SEMANTICS C1-C9; each file names the rules it shows.

A scenario is a TOML head up to a line of dashes, then what happens, one block per input::

    @ CC                        CC answers what it is asked; unasked, when nobody asked
    the words, as many lines as it takes
    @ CC tokens=5 money=0.1     the same, with its bill
    @ CC fails crashed          its program could not answer
    @ CC late a3                CC answers the question a3, open or not
    @ time 5000                 the clock stands there; time passed, restart, end:
    @ resumed 5000
    @ cancel

Lines that begin with ``=`` or ``|`` say what follows: they are written by
``COMITY_REWRITE=1 pytest tests/test_scenarios.py`` and read by whoever reviews the change.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.core.step import Input, Step
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.consent.document import consensus_document
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.protocols.consent.rules import (
    ConsentLimits,
    ConsentRules,
    consent_rules,
    rules_from_json,
)
from comity.protocols.consent.state import ConsentState

FOLDER = Path(__file__).parent / "scenarios"
FILES = sorted(FOLDER.glob("*.txt"))
RULES = [f"C{number}" for number in range(1, 10) if number != 7]  # C7 is about agents
HEAD_END = "-" * 40


def rules_of(head: str) -> ConsentRules:
    told = tomllib.loads(head)
    domain = domain_of(told["terms"], told.get("quantities")) if "terms" in told else None
    return consent_rules(
        told.get("question", "Which?"),
        told["seats"],
        seed=str(told.get("seed", 1)),
        domain=domain,
        limits=ConsentLimits(**told.get("limits", {})),
        order=told.get("order", sorted(told["seats"])),
        work=told.get("work", ""),
        output=told.get("output", ""),
    )


def blocks(body: str) -> Iterator[tuple[str, str]]:
    """Yield (directive, words) of each input, leaving out what a scenario says follows."""
    said = [line for line in body.splitlines() if line[:1] not in {"=", "|", "#"}]
    for block in "\n".join(["", *said]).split("\n@ ")[1:]:
        directive, _, words = block.partition("\n")
        yield directive.strip(), words.rstrip("\n")


def input_of(directive: str, words: str, last: Step[ConsentState], now_ms: int) -> Input:
    who, *more = directive.split()
    if who in {"time", "resumed"}:
        return Input(kind="timer" if who == "time" else "resumed", now_ms=int(more[0]))
    if who == "cancel":
        return Input(kind="cancel", now_ms=now_ms)
    asked = next((one.id for one in last.asks if one.party == who), None)
    if more[:1] == ["fails"]:
        body = {"reason": more[1]}
        return Input(kind="failure", now_ms=now_ms, party=who, ask_id=asked, body=body)
    if more[:1] == ["late"]:
        body = {"text": words}
        return Input(kind="reply", now_ms=now_ms, party=who, ask_id=more[1], body=body)
    usage: dict[str, int | str] = {}
    for one in more:
        name, _, value = one.partition("=")
        usage[name] = int(value) if name == "tokens" else value
    told = {"text": words, "usage": usage} if usage else {"text": words}
    kind = "message" if asked is None else "reply"
    return Input(kind=kind, now_ms=now_ms, party=who, ask_id=asked, body=told)  # type: ignore[arg-type]


def follows(last: Step[ConsentState]) -> Iterator[str]:
    """Yield what a step says, one line each."""
    for one in last.rejected:
        yield f"= refused, {one.reason}: {one.hint}"
    for note in last.notes:
        yield f"= note: {note}"
    asks = [
        f"{one.party} {one.kind}{' again' if one.attempt > 1 else ''} ({one.id})"
        for one in last.asks
    ]
    if asks:
        draft = last.state.draft.version
        yield f"= turn {last.state.turn}, version {draft}, asks {', '.join(asks)}"


def played(text: str) -> str:
    """Play a scenario and return its whole text with what really follows."""
    head, dashes, body = text.partition(f"{HEAD_END}\n")
    assert dashes, "a scenario has a head and a line of dashes"
    rules = rules_of(head)
    assert rules_from_json(json.loads(canonical(rules.to_json()))) == rules
    last = start(rules)
    told = [head + HEAD_END, *follows(last)]
    now_ms = 0
    outcome = last.outcome
    for directive, words in blocks(body):
        happened = input_of(directive, words, last, now_ms)
        now_ms = happened.now_ms
        last = step(last.state, happened)
        told += [f"\n@ {directive}", *words.splitlines(), *follows(last)]
        outcome = outcome or last.outcome
    if outcome is not None:
        assert isinstance(outcome, (ConsentAgreement, ConsentNoDeal))
        assert result_from_json(json.loads(canonical(outcome.to_json()))) == outcome
        document = consensus_document(outcome, output=rules.output)
        shown = document.replace(f"rules {rules.digest[:12]}", "rules (digest)")
        told += ["", *(f"| {line}".rstrip() for line in shown.splitlines())]
    return "\n".join(told) + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_happens_as_it_says(path: Path) -> None:
    text = path.read_text("utf-8")
    found = played(text)
    if os.environ.get("COMITY_REWRITE") == "1":
        path.write_text(found, "utf-8")
    assert found == text, "if the change is meant: COMITY_REWRITE=1, and read the difference"


def test_every_rule_of_the_consent_protocol_has_a_scenario() -> None:
    told = "\n".join(path.read_text("utf-8").partition("\n")[0] for path in FILES)
    assert not [rule for rule in RULES if rule not in told]


def test_a_scenario_that_happens_otherwise_would_be_noticed() -> None:
    text = FILES[0].read_text("utf-8")
    assert played(text.replace("= turn", "= turns")) == text
    assert played(text.replace("@ cancel", "@ time 5")) != text or "cancel" not in text
    first = next(line for line in text.splitlines() if line.startswith("@ "))
    assert played(text.replace(first, "@ cancel", 1)) != text
