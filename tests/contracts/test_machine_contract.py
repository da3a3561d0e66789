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
from comity.mechanisms.bargaining import PriceParty, PriceRules, price_rules_to_json
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.collect.following import Following
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.session.registry import KINDS, machine_of
from comity.testing.bargains import sample_offers
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


BALLOTS: dict[str, list[str]] = {
    "choice": ["VOTE: cache", "VOTE: database", "VOTE: abstain", "hm", "VOTE: X"],
    "yes_no": ["yes", "VOTE: no", "VOTE: veto", "VOTE: abstain", "?"],
    "ranking": ["BALLOT: A > B > C", "BALLOT: C > B = A", "BALLOT: A", "hm"],
    "score": ["SCORES: A=3, B=1/3", "SCORES: C=9", "SCORES: A=x"],
}
DECISIONS = ["DECIDE: accept", "hm", "DECIDE: passed", "DECIDE: A"]


def vote_bodies(ask: Ask) -> Sequence[JsonObject]:
    if ask.kind == "decide":
        return [{"text": text} for text in DECISIONS]
    said = BALLOTS[str(ask.payload["ballot"])]
    return [*({"text": text} for text in said), {"ballot": None}, {"ballot": ["A", "B"]}]


def vote(kind: str, voters: str = "ann bob cyd", **settings: Any) -> Case:
    options = None if kind == "yes_no" else ["A", "B", "C"]
    return Case(
        "vote",
        lambda: vote_rules("q", voters.split(), seed="1", kind=kind, options=options, **settings),
        vote_bodies,
    )


OFFERS: list[JsonObject] = [
    {"text": "OFFER: tls = 1.3; days = 60"},
    {"offer": {"tls": "1.2", "days": "30"}, "say": "how about this?"},
    {"text": "OFFER: tls = 1.3; days = 30"},
    {"text": "OFFER: tls = 1.2; days = 60"},
    {"text": "OFFER: tls = 1.4"},
    {"text": "PASS"},
    {"text": "SAY: hm"},
    {"text": "ACCEPT: ann-0"},
    {"text": "WITHDRAW: ann-0"},
    {"text": "PASS\nLEAVE: no"},
]


def offers_bodies(ask: Ask) -> Sequence[JsonObject]:
    if ask.kind == "decide":
        return [{"text": text} for text in ["DECIDE: accept", "hm", "DECIDE: no deal"]]
    standing = ask.payload.get("standing", ())
    assert isinstance(standing, tuple)
    accepts: list[JsonObject] = [{"accept": str(one["id"])} for one in standing]
    leaves: list[JsonObject] = [{"text": "LEAVE: enough"}] if len(accepts) > 1 else []
    return [*OFFERS, *accepts, *accepts, *leaves]


def offers(seats: int = 2, **settings: Any) -> Case:
    return Case("offers", lambda: sample_offers(seats, **settings), offers_bodies)


def goes_on(first: Case, *steps: Any, **settings: Any) -> Case:
    """Return a case that goes on when it decides nothing (G10)."""
    voters: Any = {"ann": {}, "bob": {}} if "vote" in steps else {}
    then = Following(steps=steps, question="q", seed="1", voters=voters, **settings)

    def rules() -> Any:
        kind = machine_of(first.kind)
        made = first.rules()
        recorded = price_rules_to_json(made) if first.kind == "bargain" else made.to_json()
        return kind.read_rules({**recorded, "otherwise": then.to_json()})

    def bodies(ask: Ask) -> Sequence[JsonObject]:
        if ask.payload["protocol"] in {"consent", "offers"}:
            return first.bodies(ask)
        choices = ask.payload["options" if ask.kind == "ballot" else "choices"]
        assert isinstance(choices, tuple)
        word = "VOTE" if ask.kind == "ballot" else "DECIDE"
        return [*({"text": f"{word}: {one}"} for one in choices), {"text": "hm"}]

    return Case(first.kind, rules, bodies)


def no_deal() -> Case:
    sides = {"seller": (120, 100), "buyer": (60, 90)}
    parties = [
        PriceParty(role=role, opening=opening, reservation=limit, deadline=3)  # type: ignore[arg-type]
        for role, (opening, limit) in sides.items()
    ]
    return Case("bargain", lambda: PriceRules(parties=parties), nobody_is_asked)


BODIES: dict[str, Callable[[Ask], Sequence[JsonObject]]] = {
    "bargain": nobody_is_asked,
    "consent": consent_bodies,
    "offers": offers_bodies,
    "vote": vote_bodies,
}


def from_file(name: str) -> Case:
    scenario = read_scenario(EXAMPLES / name, seed="1")
    read = machine_of(scenario.kind).read_rules
    return Case(scenario.kind, lambda: read(scenario.rules), BODIES[scenario.kind])


CASES: dict[str, Case] = {
    "consent of three": consent(max_turns=12),
    "consent of two in words": consent("CC CX", terms=False, max_turns=9, reasks=0),
    "consent against the clock": consent(max_turns=9, turn_timeout_ms=5_000),
    "consent on a budget": consent(max_turns=20, tokens=30, money=1, stall=9, reasks=2),
    "consent of an example": from_file("auth-protocol.toml"),
    "bargain": from_file("price.toml"),
    "vote of an example": from_file("vote.toml"),
    "vote by yes or no": vote("yes_no", veto_holders=["bob"], absent="against"),
    "vote that asks once more": vote("ranking", absent="extend", changes="first"),
    "vote with a person for the absent": vote("score", absent="person", early=False),
    "bargain, then a vote, then a person": goes_on(no_deal(), "vote", "human"),
    "bargain, then a person": goes_on(no_deal(), "human"),
    "consent, then a vote, then a lot": goes_on(consent(max_turns=6), "vote", "resolve"),
    "vote, then the chair, then a person": goes_on(
        vote("ranking", "ann bob"), "resolve", "human", resolve="chair:zoe"
    ),
    "offers one after the other": offers(3, rounds=6),
    "offers against the clock": offers(deadline_ms=9_000, turn_timeout_ms=2_500, reasks=0),
    "offers all at once": offers(
        3, protocol="simultaneous", rounds=4, fallback="best_of_seen", crossing="nash"
    ),
    "offers that may only concede, and a person": offers(
        monotonic=True, stall=9, reservation_binds={"bob": False}, gate=Gate(on="all")
    ),
    "offers all at once, then a vote, then a person": goes_on(
        offers(protocol="simultaneous", rounds=3), "vote", "human"
    ),
    "offers, then the chair": goes_on(offers(rounds=4), "resolve", resolve="chair:ann"),
    "vote without a person": vote("ranking", "ann bob", changes="reject", gate=Gate(on="none")),
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
