"""Review scenarios: whole reviews as texts that a person can read and check.

Here: playing every file of tests/scenarios/review/ and comparing what happens with what it says.
Not here: single rules (tests/unit/protocols/review), laws (tests/properties).
Sources: SEMANTICS W1-W6; the example of the vote protocol's source; each file names its rules.

A scenario is a TOML review file up to a line of dashes, then what happens, one block per input:
``@ Architect`` answers, or sends unasked when nobody asked; ``@ Senior Engineer fails crashed``;
``@ time 5000``; ``@ resumed 5000``. Lines that begin with ``=`` or ``|`` say what follows:
``COMITY_REWRITE=1 pytest tests/test_review_scenarios.py`` writes them.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.core.step import Input, Step
from comity.formats.scenario import scenario_from
from comity.protocols.review.report import closing_report
from comity.session.registry import machine_of

FOLDER = Path(__file__).parent / "scenarios" / "review"
FILES = sorted(FOLDER.glob("*.txt"))
RULES = ["W1", "W2", "W3", "W4", "W5", "W6", "C3", "G8"]
HEAD_END = "-" * 40


def blocks(body: str) -> Iterator[tuple[str, str]]:
    said = [line for line in body.splitlines() if line[:1] not in {"=", "|"}]
    for block in "\n".join(["", *said]).split("\n@ ")[1:]:
        directive, _, words = block.partition("\n")
        yield directive.strip(), words.rstrip("\n")


def input_of(directive: str, words: str, last: Step[Any], now_ms: int) -> Input:
    who, fails, why = directive.partition(" fails ")
    word, _, at = who.partition(" ")
    if word in {"time", "resumed"}:
        return Input(kind="timer" if word == "time" else "resumed", now_ms=int(at))
    asked = next((one.id for one in last.asks if one.party == who), None)
    if fails:
        body = {"reason": why}
        return Input(kind="failure", now_ms=now_ms, party=who, ask_id=asked, body=body)
    kind = "message" if asked is None else "reply"
    return Input(kind=kind, now_ms=now_ms, party=who, ask_id=asked, body={"text": words})  # type: ignore[arg-type]


def follows(last: Step[Any]) -> Iterator[str]:
    for one in last.rejected:
        yield f"= not counted, {one.reason}: {one.hint}"
    for note in last.notes:
        yield f"= note: {note}"
    asks = [f"{one.party}{' again' if one.attempt > 1 else ''} ({one.id})" for one in last.asks]
    if asks or last.wake_at_ms is not None:
        yield f"= asks {', '.join(asks) or 'nobody'}; until {last.wake_at_ms}"


def played(text: str) -> str:
    """Play a scenario and return its whole text with what really follows."""
    head, dashes, body = text.partition(f"{HEAD_END}\n")
    assert dashes, "a scenario has a head and a line of dashes"
    told = tomllib.loads(head)
    scenario = scenario_from(told, whose="scenario", folder=FOLDER, seed="1")
    machine = machine_of(scenario.kind)
    rules = machine.read_rules(json.loads(canonical(scenario.rules)))
    last = machine.start(rules)
    lines = [head + HEAD_END, *follows(last)]
    now_ms, outcome = 0, last.outcome
    for directive, words in blocks(body):
        happened = input_of(directive, words, last, now_ms)
        now_ms = happened.now_ms
        last = machine.step(last.state, happened)
        lines += [f"\n@ {directive}", *words.splitlines(), *follows(last)]
        outcome = outcome or last.outcome
    shown: Any = outcome or getattr(last.state, "waiting", None)
    if shown is not None:
        data = json.loads(canonical(shown.to_json()))
        assert result_from_json(data) == shown
        report = closing_report(shown)
        lines += ["", *(f"| {line}".rstrip() for line in report.splitlines())]
        lines.append(f"| ({shown.kind}, exit {shown.exit_code})")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_review_happens_as_it_says(path: Path) -> None:
    text = path.read_text("utf-8")
    found = played(text)
    if os.environ.get("COMITY_REWRITE") == "1":
        path.write_text(found, "utf-8")
    assert found == text, "if the change is meant: COMITY_REWRITE=1, and read the difference"


def test_every_rule_of_the_review_has_a_scenario() -> None:
    told = "\n".join(path.read_text("utf-8").partition("\n")[0] for path in FILES)
    assert not [rule for rule in RULES if rule not in told]
