"""Seats that play a strategy: rebuilt from the payload alone, live as in the engine (M3)."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from comity.agents.bargainer import _NOBODY, OffersPlayer, StrategySeat
from comity.agents.base import Failure, Question, Reply
from comity.agents.rational import RationalAdvocate
from comity.core.canonical import canonical
from comity.core.step import Ask, Input
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.issue_results import IssueAgreement
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.protocols.offers.machine import start, step
from comity.protocols.offers.opening import offers_rules
from comity.protocols.offers.rules import OffersRules
from comity.testing.bargains import sample_offers, sample_problem

STRATEGIES = [
    "boulware:0.2",
    "linear",
    "conceder:5",
    "tit_for_tat",
    "micro",
    "hardliner",
    "comity",
]


def wide(options: int = 6) -> Problem:
    """Return a problem of three issues on which two want the opposite, unequally strongly."""
    names = ["a", "b", "c"]
    domain = domain_of({name: list(range(options)) for name in names})
    up = {
        name: {str(n): n * weight for n in range(options)}
        for name, weight in zip(names, (5, 2, 1), strict=True)
    }
    down = {
        name: {str(n): (options - 1 - n) * weight for n in range(options)}
        for name, weight in zip(names, (1, 3, 4), strict=True)
    }
    return problem_of(
        domain,
        {
            "ann": additive(domain, up, reservation=8),
            "bob": additive(domain, down, reservation=8),
        },
    )


def played(rules: OffersRules, *, fresh: bool = False, **specs: str) -> Any:
    """Play a session between strategies; with ``fresh`` every move by a new process."""
    seats = {name: OffersPlayer(read_strategy(spec)) for name, spec in specs.items()}
    last = start(rules)
    while last.outcome is None:
        asked = last.asks[0]
        player = OffersPlayer(seats[asked.party].strategy) if fresh else seats[asked.party]
        body = {"text": player.move(asked.payload)}
        last = step(
            last.state,
            Input(kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body=body),
        )
        assert not last.rejected, last.rejected
    return last.outcome


@pytest.mark.parametrize("mine", STRATEGIES)
@pytest.mark.parametrize("theirs", ["boulware:0.2", "linear", "tit_for_tat", "micro"])
def test_m3_a_live_session_of_strategies_ends_as_the_engines_negotiation(
    mine: str, theirs: str
) -> None:
    """They draw their lots by seeds of their own, so the deals may differ."""
    problem = wide()
    rules = offers_rules(
        "q", problem, seed="1", first="ann", rounds=30, strategies={"ann": mine}, reasks=0
    )
    live = played(rules, ann=mine, bob=theirs)
    engine = negotiate_issues(
        problem, {"ann": mine, "bob": theirs}, rounds=30, first="ann", seed="1"
    )
    assert live.is_decided == engine.is_decided


@pytest.mark.parametrize("protocol", ["alternating", "simultaneous"])
@pytest.mark.parametrize("spec", STRATEGIES)
def test_a_restart_loses_nothing(spec: str, protocol: str) -> None:
    rules = offers_rules(
        "q", wide(), seed="1", first="ann", rounds=12, protocol=protocol, strategies={"ann": "x"}
    )
    lived = played(rules, ann=spec, bob="linear")
    assert lived == played(rules, fresh=True, ann=spec, bob="linear")
    assert lived.is_decided or spec == "hardliner"


def test_two_who_agree_on_a_deal_settle_it_and_nobody_goes_below_its_reservation() -> None:
    problem = wide()
    rules = offers_rules(
        "q", problem, seed="1", rounds=25, strategies={"ann": "x"}, disclose_at_end=True
    )
    found = played(rules, ann="boulware:0.2", bob="conceder")
    assert all(one.value >= 0 for one in found.gains)


def test_a_seat_that_accepts_no_deal_passes() -> None:
    domain = sample_problem().domain
    wants = {"ann": additive(domain, {}, reservation=9), "bob": additive(domain, {})}
    first = start(offers_rules("q", problem_of(domain, wants), seed="1", first="ann"))
    assert OffersPlayer(read_strategy("linear")).move(first.asks[0].payload) == "PASS"


def test_what_was_refused_is_not_said_again() -> None:
    first = start(sample_offers(monotonic=True))
    payload = first.asks[0].payload
    player = OffersPlayer(read_strategy("linear"))
    offered = json.loads(player.move(payload))["offer"]
    assert json.loads(player.move({**payload, "again": "no"}))["offer"] == offered
    own = {"turn": 1, "round": 0, "party": "ann", "kind": "offer", "id": "ann-0"}
    entry = {**own, "text": "", "deal": {"tls": "1.2", "days": "30"}}
    yours: Any = payload["yours"]
    again: Any = {
        **payload,
        "again": "no",
        "transcript": (entry,),
        "yours": {**yours, "last_offer": "ann-0"},
    }
    assert json.loads(player.move(again)) == {"offer": {"tls": "1.2", "days": "30"}}


def test_holds_withdrawals_and_silence_in_the_transcript_are_lived_through() -> None:
    rules = sample_offers(3, stall=99, rounds=9)
    seat = OffersPlayer(read_strategy("tit_for_tat"))
    last = start(rules)
    said = iter(["OFFER: tls = 1.2; days = 60", "PASS", "OFFER: tls = 1.3; days = 60", "PASS"] * 9)
    while last.outcome is None:
        asked = last.asks[0]
        text = seat.move(asked.payload) if asked.party == "ann" else next(said)
        kept = OffersPlayer(seat.strategy).move(asked.payload) if asked.party == "ann" else text
        assert text == kept
        last = step(
            last.state,
            Input(kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body={"text": text}),
        )
        if last.outcome is None and len(last.state.transcript) in {2, 5}:
            standing = last.state.standing[0]
            gone = Input(
                kind="message",
                now_ms=0,
                party=standing.party,
                body={"text": f"WITHDRAW: {standing.id}"},
            )
            last = step(last.state, gone)


def test_what_it_has_accepted_it_does_not_undo() -> None:
    rules = sample_offers(3, first="bob", reservation_binds={"bob": False}, stall=99)
    seat = OffersPlayer(read_strategy("linear"))
    last = start(rules)
    said = []
    assert rules.order == ("bob", "ann", "cyd")
    for text in ("OFFER: tls = 1.3; days = 30", "", "PASS", "PASS", "", "PASS"):
        (asked,) = last.asks
        words = text or seat.move(asked.payload)
        said.append((asked.party, words))
        last = step(
            last.state,
            Input(
                kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body={"text": words}
            ),
        )
    assert said[1] == ("ann", '{"accept": "bob-0"}')
    assert said[4] == ("ann", "PASS")
    (asked,) = last.asks
    offered = {"offer": {"tls": "1.2", "days": "60"}}
    said_by_bob = Input(kind="reply", now_ms=0, party="bob", ask_id=asked.id, body=offered)
    last = step(last.state, said_by_bob)
    (asked,) = last.asks
    passed = Input(
        kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body={"text": "PASS"}
    )
    payload = step(last.state, passed).asks[0].payload
    assert seat.move(payload) == OffersPlayer(seat.strategy).move(payload)


# --- too many deals to look at each ----------------------------------------------------------


def huge() -> OffersRules:
    names = [f"i{number}" for number in range(12)]
    domain = domain_of({name: list(range(6)) for name in names})
    up = {name: {str(n): n for n in range(6)} for name in names}
    down = {name: {str(n): 5 - n for n in range(6)} for name in names}
    wants = {
        "ann": additive(domain, up, reservation=10),
        "bob": additive(domain, down),
    }
    return offers_rules(
        "q", problem_of(domain, wants), seed="1", first="ann", rounds=40, strategies={"ann": "x"}
    )


def test_where_the_deals_are_too_many_it_goes_down_a_straight_line_by_the_suggestions() -> None:
    found = played(huge(), ann="linear", bob="linear")
    assert found.is_decided
    assert 10 < found.round < 40


def test_all_at_once_it_does_not_take_the_first_best_offer() -> None:
    rules = replace(huge(), protocol="simultaneous")
    last = start(rules)
    for name, option in (("ann", "5"), ("bob", "1")):
        asked = next(one for one in last.asks if one.party == name)
        body: Any = {"offer": {f"i{number}": option for number in range(12)}}
        said = Input(kind="reply", now_ms=0, party=name, ask_id=asked.id, body=body)
        last = step(last.state, said)
    payload: Any = next(one.payload for one in last.asks if one.party == "ann")
    player = OffersPlayer(read_strategy("linear"))
    assert payload["may_accept"] == ("bob-0",)
    assert player.move(payload) == "PASS"
    assert "bob-0" in player.move({**payload, "round": 39})
    table = {**payload["yours"]["values"], "form": "table"}
    told = {**payload, "yours": {**payload["yours"], "values": table}, "suggested": ()}
    without = OffersPlayer(read_strategy("linear"))
    without._views = dict.fromkeys([*player._views, canonical_key(told)])
    assert "bob-0" in without.move(told)


def canonical_key(told: Any) -> str:
    """Return the key under which a player keeps that a table is too large."""
    data = {
        "domain": told["domain"],
        "parties": {"ann": told["yours"]["values"], "nobody": _NOBODY},
        "constraints": told["constraints"],
        "rates": None,
    }
    return canonical(data)


def test_where_no_suggestion_is_good_enough_it_passes() -> None:
    payload = start(huge()).asks[0].payload
    player = OffersPlayer(read_strategy("linear"))
    assert "offer" in player.move(payload)
    assert player.move({**payload, "suggested": ()}) == "PASS"
    assert player.move({**payload, "kind": "answer"}) == "PASS"


# --- the seat --------------------------------------------------------------------------------


def ballot() -> Ask:
    drafts = {"new": "tls = 1.3; days = 30", "old": "tls = 1.2; days = 60"}
    payload = {
        "protocol": "vote", "kind": "ballot", "ballot": "choice", "options": ["new", "old"],
        "about": drafts,
    }  # fmt: skip
    return Ask(id="a1", party="ann", kind="ballot", payload=payload)  # type: ignore[arg-type]


def test_g10_it_votes_by_its_values_after_a_no_deal_and_abstains_without_them() -> None:
    wants = sample_problem().party("ann").preferences
    assert isinstance(wants, Additive)
    asked = Question(ask=ballot(), request_id="r")
    strategy = read_strategy("linear")
    assert StrategySeat(strategy, wants).reply(asked) == Reply(text="VOTE: new")
    assert StrategySeat(strategy).reply(asked) == Reply(text="VOTE: abstain")
    other = replace(asked, ask=replace(asked.ask, kind="position"))
    said = StrategySeat(strategy, wants).reply(other)
    assert isinstance(said, Failure)
    assert said.kind == "unavailable"


def test_c7_rational_seats_and_strategies_answer_offers() -> None:
    asked = Question(ask=start(sample_offers()).asks[0], request_id="r")
    wants = sample_problem().party("ann").preferences
    assert isinstance(wants, Additive)
    best = Reply(text='{"offer": {"tls": "1.3", "days": "30"}}')
    advocate = RationalAdvocate("ann", wants)
    assert advocate.reply(asked) == advocate.reply(asked) == best
    seat = StrategySeat(read_strategy("micro"))
    assert seat.reply(asked) == seat.reply(asked) == best


@pytest.mark.parametrize("own", STRATEGIES)
@pytest.mark.parametrize("problem", [wide(), sample_problem(3)], ids=["two", "three"])
def test_m3_live_play_comes_to_the_deal_that_computed_play_comes_to(
    own: str, problem: Problem
) -> None:
    for other, seed in product(("linear", "comity", "nice_tit_for_tat"), ("1", "2")):
        plays = {name: own if at == 0 else other for at, name in enumerate(problem.names)}
        told = negotiate_issues(problem, plays, rounds=9, seed=seed)
        players = {name: OffersPlayer(read_strategy(text)) for name, text in plays.items()}
        live = start(offers_rules("q", problem, seed=seed, rounds=9, strategies=plays))
        for now in range(200):
            if live.outcome is not None:
                break
            ask = live.asks[0]
            said = {"text": players[ask.party].move(ask.payload)}
            happened = Input(kind="reply", now_ms=now, party=ask.party, ask_id=ask.id, body=said)
            live = step(live.state, happened)
        assert live.outcome is not None
        assert live.outcome.kind == told.kind, (plays, seed)
        if isinstance(told, IssueAgreement):
            assert isinstance(live.outcome, IssueAgreement)
            assert (live.outcome.terms, live.outcome.round) == (told.terms, told.round)
