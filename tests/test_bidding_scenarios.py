"""Bidding scenarios: whole live auctions as texts that a person can read and check.

Here: playing every file of tests/scenarios/bidding/ and comparing what happens with what it says.
Not here: single rules (tests/unit/protocols/bidding), laws (tests/properties).
Sources: SEMANTICS A1, A2, A4, C3, G4, G8-G10; each file names the rules it shows.

A scenario is a TOML bidding file up to a line of dashes, then what happens, one block per input,
as in tests/test_scenarios.py: ``@ ann`` answers, or sends unasked when nobody asked; ``@ ann fails
crashed``; ``@ time 5000``; ``@ resumed 5000``; ``@ cancel``. ``COMMIT: <42 NONCE>`` stands for the
hash of that bid and nonce. Lines that begin with ``=`` or ``|`` say what follows:
``COMITY_REWRITE=1 pytest tests/test_bidding_scenarios.py`` writes them.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.core.show import as_text
from comity.core.step import Input, Step
from comity.formats.scenario import scenario_from
from comity.mechanisms.auctions import commitment
from comity.session.registry import machine_of

FOLDER = Path(__file__).parent / "scenarios" / "bidding"
FILES = sorted(FOLDER.glob("*.txt"))
RULES = ["A1", "A2", "A4", "C3", "G4", "G8", "G9", "G10"]
HEAD_END = "-" * 40
TO_HASH = re.compile(r"<(?P<bid>\S+) (?P<nonce>\S+)>")
HASH = re.compile(r"[0-9a-f]{64}")
LEFT_OUT = ("grounds", "assumptions", "minimum_bids", "externalities", "form", "v")


def blocks(body: str) -> Iterator[tuple[str, str]]:
    said = [line for line in body.splitlines() if line[:1] not in {"=", "|", "#"}]
    for block in "\n".join(["", *said]).split("\n@ ")[1:]:
        directive, _, words = block.partition("\n")
        yield directive.strip(), words.rstrip("\n")


def input_of(directive: str, words: str, last: Step[Any], now_ms: int) -> Input:
    who, *more = directive.split()
    if who in {"time", "resumed"}:
        return Input(kind="timer" if who == "time" else "resumed", now_ms=int(more[0]))
    if who == "cancel":
        return Input(kind="cancel", now_ms=now_ms)
    asked = next((one for one in last.asks if one.party == who), None)
    if more[:1] == ["fails"]:
        body = {"reason": more[1]}
        return Input(
            kind="failure", now_ms=now_ms, party=who, ask_id=asked and asked.id, body=body
        )
    auction = getattr(last.state, "auction", "")
    text = TO_HASH.sub(
        lambda found: commitment(found["bid"], found["nonce"], bidder=who, auction=auction), words
    )
    kind: Any = "message" if asked is None else "reply"
    return Input(
        kind=kind, now_ms=now_ms, party=who, ask_id=asked and asked.id, body={"text": text}
    )


def follows(last: Step[Any]) -> Iterator[str]:
    for one in last.rejected:
        yield f"= not counted, {one.reason}: {one.hint}"
    for note in last.notes:
        yield f"= note: {note}"
    asks = [f"{one.party}{' again' if one.attempt > 1 else ''} ({one.id})" for one in last.asks]
    if asks or last.wake_at_ms is not None:
        what = f" {last.asks[0].kind}" if last.asks else ""
        at = last.asks[0].payload.get("price") if last.asks else None
        price = "" if at is None else f" {at}"
        yield f"= asks{what}{price} of {', '.join(asks) or 'nobody'}; until {last.wake_at_ms}"


def played(text: str) -> str:
    """Play a scenario and return its whole text with what really follows."""
    head, dashes, body = text.partition(f"{HEAD_END}\n")
    assert dashes, "a scenario has a head and a line of dashes"
    told = tomllib.loads(head)
    scenario = scenario_from(told, whose="scenario", folder=Path(), seed="1")
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
    if outcome is not None:
        lines += ["", *(f"| {line}".rstrip() for line in ending(outcome))]
    return "\n".join(lines) + "\n"


def ending(outcome: Any) -> Iterator[str]:
    data = json.loads(canonical(outcome.to_json()))
    assert result_from_json(data) == outcome
    yield from as_text({key: one for key, one in data.items() if key not in LEFT_OUT}).splitlines()
    yield ""
    grounds = outcome.grounds
    silent = ", ".join(grounds.absent) or "nobody"
    invalid = ", ".join(grounds.invalid) or "nobody"
    thin = "; ".join(grounds.thin) or "no"
    yield f"ended by {grounds.ended_by}; absent: {silent}; invalid: {invalid}; thin: {thin}"
    for one in grounds.submissions:
        yield f"{one.party}: {canonical(one.what)}"
    told: Any = dict(grounds.parameters)
    for name, what in told.get("handed_in", {}).items():
        yield f"{name} handed in {HASH.sub('(a hash)', canonical(what))}"
    for one in told.get("phases", ()):
        yield f"phase {canonical(one)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_auction_happens_as_it_says(path: Path) -> None:
    text = path.read_text("utf-8")
    found = played(text)
    if os.environ.get("COMITY_REWRITE") == "1":
        path.write_text(found, "utf-8")
    assert found == text, "if the change is meant: COMITY_REWRITE=1, and read the difference"


def test_every_rule_of_the_live_auction_has_a_scenario() -> None:
    told = "\n".join(path.read_text("utf-8").partition("\n")[0] for path in FILES)
    assert not [rule for rule in RULES if rule not in told]
