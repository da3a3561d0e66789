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
from comity.mechanisms.auctions import commitment
from comity.mechanisms.bargaining import PriceParty, PriceRules, price_rules_to_json
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.bidding.opening import bidding_rules
from comity.protocols.bidding.rules import BiddingLimits
from comity.protocols.collect.following import Following
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.protocols.review.presets import preset_rules
from comity.protocols.review.rules import ReviewLimits
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


BIDS: list[JsonObject] = [
    {"text": "BID: 42"},
    {"bid": "42.50"},
    {"text": "BID: 37 GBP"},
    {"text": "PASS"},
    {"bid": True},
    {"text": "BID: nan"},
    {"text": "BID - ann: 99"},
]


def bidding_bodies(ask: Ask) -> Sequence[JsonObject]:
    if ask.kind == "bid":
        return BIDS
    if ask.kind == "price":
        return [{"text": one} for one in ("STAY", "TAKE", "OUT", "PASS - too dear", "hm")]
    nonce = f"nonce-of-{ask.party}-".ljust(20, "0")
    if ask.kind == "reveal":
        bids = ["42", "42 ", "37", "x"]
        return [*({"text": f"REVEAL: {bid} NONCE: {nonce}"} for bid in bids), {"text": "PASS"}]
    auction = str(ask.payload["auction"])
    made = [commitment(bid, nonce, bidder=ask.party, auction=auction) for bid in (42, 37)]
    return [*({"text": f"COMMIT: {one}"} for one in made), {"text": "BID: 42"}, {"text": "PASS"}]


def bidding(bidders: str = "ann bob cyd", **settings: Any) -> Case:
    told = {"reserve": 0, **settings}
    return Case(
        "bidding",
        lambda: bidding_rules("a slot", bidders.split(), seed="1", **told),
        bidding_bodies,
    )


BLOCK = "VOTE: BLOCK\nCATEGORY: limits\nREASON: there is no limit"
VOTES: dict[str, list[str]] = {
    "vote": [
        "VOTE: APPROVE",
        f"{BLOCK}\nTO APPROVE: add one\nSUGGESTION: nine",
        "VERDICT: APPROVED_TO_SHIP",
        BLOCK.replace("limits", "security"),
        "VOTE: APPROVE if it has one",
        "VOTE: BLOCK\nREASON: PREFERENCE: tabs",
        "VERDICT: BLOCKED\nREASON: no export\nADDRESSED: b1",
    ],
    "complete": ["TO APPROVE: add one", "VOTE: APPROVE", "hm"],
    "findings": ["A hole.", ""],
    "revise": ["hm"],
    "make": ["BEGIN VERSION\nthe tests\nEND VERSION", "hm"],
    "decide": ["DECIDE: block", "hm", "DECIDE: approve", "DECIDE: again"],
}


def review_bodies(ask: Ask) -> Sequence[JsonObject]:
    said = [{"text": text} for text in VOTES[ask.kind]]
    if ask.kind in {"revise", "make"}:
        made = f"BEGIN VERSION\nversion of round {ask.payload['round']}\nEND VERSION"
        return [{"text": made}, *said]
    return [*said, {"vote": {"vote": "APPROVE"}}, {"text": "VOTE: APPROVE", "digest": "0" * 64}]


def review(*phases: str, **settings: Any) -> Case:
    return Case(
        "review",
        lambda: preset_rules(
            "power-trio", "PLAN.md", artefact="Build it.", phases=phases, **settings
        ),
        review_bodies,
    )


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
        if ask.payload["protocol"] in {"bidding", "consent", "offers"}:
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


def decided(kind: str, **recorded: Any) -> Case:
    """Return a case of a rule that decides at once, as a session records it."""
    return Case(kind, lambda: machine_of(kind).read_rules(recorded), nobody_is_asked)


def no_sale() -> Case:
    """Return an auction that sells nothing and goes on with a person (G10)."""
    then = Following(steps=("human",), question="q", seed="1", voters={}).to_json()
    case = decided("auction", bids={"a": 3, "b": 4}, reserve=5, seed="1", otherwise=then)
    return Case("auction", case.rules, lambda _: [{"text": "DECIDE: b's bid"}, {"text": "hm"}])


BODIES: dict[str, Callable[[Ask], Sequence[JsonObject]]] = {
    "auction": nobody_is_asked,
    "deadlock": nobody_is_asked,
    "share": nobody_is_asked,
    "bargain": nobody_is_asked,
    "bidding": bidding_bodies,
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
    "sealed bids": bidding(unit="GBP"),
    "sealed bids that stand": bidding("ann bob", rule="first_price", changes="first"),
    "sealed bids for units": bidding(units=2, reserve=40, changes="reject"),
    "committed bids": bidding(commit=True, limits=BiddingLimits(reasks=0)),
    "committed bids of an example": from_file("bidding.toml"),
    "an english clock": bidding(mode="english", reserve=10, end=50, step=10),
    "a dutch clock": bidding("ann bob", mode="dutch", reserve=10, start=50, levels=4),
    "sealed bids, then a vote, then a person": goes_on(
        bidding("ann bob", reserve=99), "vote", "human"
    ),
    "an auction of an example": from_file("auction.toml"),
    "an auction with a tie": from_file("auction-items.toml"),
    "an auction that sells nothing, then a person": no_sale(),
    "a budget of an example": from_file("budget.toml"),
    "a budget with a tie": decided(
        "share", budget=4, claims={"a": [[9, 1]], "b": [[9, 1]], "c": [[9, 1]]}, seed="7"
    ),
    "a budget whose minima do not fit": decided(
        "share", budget=4, claims={"a": [[9, 1]]}, minimum=5
    ),
    "a circle of waits": decided("deadlock", edges=[["a", "b"], ["b", "a"]], seed="7"),
    "waits without a circle": decided("deadlock", waits={"a": ["b"]}),
    "claims with a tie": decided("arbitrate", claims=[["a", 3], ["b", 3]], seed="7"),
    "claims that a person decides": decided(
        "arbitrate", claims=[["a", 3], ["b", "1/3"]], seed="7", policy={"rule": "human"}
    ),
    "a review that waits for a person": review("plan", reviser="Builder"),
    "a review of two phases without a person": review(
        "plan", "build-tests", reviser="Builder", gate=Gate(on="none", default="block")
    ),
    "a review with advisors and a last word": review(
        "review", reviser="Builder", limits=ReviewLimits(blocks=2, reasks=0, max_rounds=3)
    ),
    "a review whose replies somebody collects": review("plan", by_call=True),
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
