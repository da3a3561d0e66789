"""Contracts 1-3, G3, K2: every machine keeps the same contract; a new one is added to the list."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Ask
from comity.formats.scenario import read_scenario
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.session.registry import KINDS, machine_of
from comity.testing.ledger_checks import Check
from comity.testing.machine_checks import check_machine

FULL = os.environ.get("COMITY_FULL") == "1"
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
WALKS = 40 if FULL else 6

POSITION = "PRIORITY: x\nRATIONALE: y\nRED LINE: none\nWILLING TO TRADE: z"
PROPOSALS = [
    f"[PROPOSAL]\nI OFFER:\n- plan = {plan}\nI WANT:\n- days = {days}\nRATIONALE: fair"
    for plan in "ab"
    for days in (1, 2)
]
SAID: dict[str, list[str]] = {
    "position": [POSITION, "RED LINE: days <= 1\nPRIORITY: x", "RED LINE: days <= 9/0", "hm"],
    "turn": [
        *PROPOSALS,
        "[CONSENT CHECK]",
        "[CONSENT CHECK]\nCurrent proposal:\n1. plan = a\n2. days = 2",
        "[DONE]",
        "[CONSENT - CX]",
        "let us talk",
        "RED LINE: days <= 2",
        "",
    ],
    "answer": ["[CONSENT]", "[OBJECT: days are too many]", "[OBJECT]", "yes", "[CONSENT - GM]"],
}


def consent_bodies(ask: Ask) -> Sequence[JsonObject]:
    return [{"text": text, "usage": {"tokens": 3, "money": "0.01"}} for text in SAID[ask.kind]]


def nobody_is_asked(ask: Ask) -> Sequence[JsonObject]:
    raise AssertionError(f"{ask} is asked, and it should be decided at once")


@dataclass(frozen=True)
class Case:
    kind: str
    rules: Callable[[], Any]
    bodies: Callable[[Ask], Sequence[JsonObject]]


def consent(seats: str = "CC CX GM", terms: bool = True, **limits: Any) -> Case:
    domain = domain_of({"plan": ["a", "b"], "days": [1, 2, 3]}) if terms else None
    table: dict[str, object] = {seat: f"the case of {seat}" for seat in seats.split()}
    table["CX"] = {"priority": "care", "red_lines": ["be kind"]}
    return Case(
        "consent",
        lambda: consent_rules("q", table, seed="1", domain=domain, limits=ConsentLimits(**limits)),
        consent_bodies,
    )


def from_file(name: str) -> Case:
    scenario = read_scenario(EXAMPLES / name, seed="1")
    read = machine_of(scenario.kind).read_rules
    asks = consent_bodies if scenario.kind == "consent" else nobody_is_asked
    return Case(scenario.kind, lambda: read(scenario.rules), asks)


CASES: dict[str, Case] = {
    "consent of three": consent(max_turns=12),
    "consent of two in words": consent("CC CX", terms=False, max_turns=9, reasks=0),
    "consent against the clock": consent(max_turns=9, turn_timeout_ms=5_000),
    "consent on a budget": consent(max_turns=20, tokens=30, money=1, stall=9, reasks=2),
    "consent of an example": from_file("auth-protocol.toml"),
    "bargain": from_file("price.toml"),
}


def checks_of(case: Case) -> dict[str, Check]:
    machine = machine_of(case.kind)
    return dict(check_machine(machine.start, machine.step, case.rules(), case.bodies, walks=WALKS))


NAMES = list(checks_of(CASES["bargain"]))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", NAMES)
def test_machine_keeps_its_contract(case: str, name: str) -> None:
    checks_of(CASES[case])[name]()


def test_every_kind_of_session_is_listed() -> None:
    assert {case.kind for case in CASES.values()} == set(KINDS)


def test_contract_has_no_two_checks_of_one_name() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 12
