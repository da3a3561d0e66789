"""The gate: a person lets a thin deal stand or not, and never makes one (G8, B5)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.core.step import Input
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import problem_of
from comity.protocols.collect.rules import Gate
from comity.protocols.offers.opening import offers_rules

Open = Callable[..., Any]
ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
LEAD = Gate(on="thin", seat="lead", deadline_ms=5_000)


def thin(table: Open, gate: Gate = LEAD, **settings: Any) -> Any:
    live = table(reservation_binds={"bob": False}, gate=gate, **settings)
    live.turns(ANNS, "ACCEPT: ann-0")
    return live


def test_g8_a_thin_deal_is_put_to_the_person_and_told_why(table: Open) -> None:
    live = thin(table)
    assert live.last.outcome is None
    assert live.last.notes == ("put to lead",)
    told = live.told_to("lead")
    assert (told["kind"], told["choices"]) == ("decide", ("accept", "no deal"))
    assert told["why"] == ("below_reservation: bob",)
    assert "Deal in round 0: bob accepts ann-0" in told["brief"]
    assert live.last.wake_at_ms == 6_000


def test_the_person_accepts_or_does_not(table: Open) -> None:
    live = thin(table)
    live.says("lead", "DECIDE: accept")
    assert live.outcome.grounds.ended_by == "person"
    assert live.outcome.accepted_offer == "ann-0"
    assert live.outcome.grounds.submissions[-1].what == {"decides": "accept"}
    live = thin(table)
    live.says("lead", {"decide": "no deal"})
    assert live.outcome.reason == "objections"
    assert live.outcome.says == "No deal: lead did not let it stand."
    assert result_from_json(json.loads(canonical(live.outcome.to_json()))) == live.outcome


def test_nobody_answers_and_the_default_applies(table: Open) -> None:
    live = thin(table, Gate(on="all", seat="lead", deadline_ms=5_000, default="no deal"))
    live.time(5_000)
    assert live.reasons == ["early"]
    live.time()
    assert (live.outcome.reason, live.outcome.grounds.ended_by) == ("objections", "default")
    assert len(live.outcome.grounds.submissions) == 2


def test_what_a_person_says_unreadably_is_asked_again_then_waited_for(table: Open) -> None:
    live = thin(table, reasks=1)
    live.says("lead", "hm")
    assert live.reasons == ["no_decision"]
    assert "did not count" in live.told_to("lead")["brief"]
    live.says("lead", "hm")
    assert live.asked == []
    live.sends("lead", "hm")
    assert live.reasons == ["no_decision"]
    live.sends("ann", "DECIDE: accept")
    assert live.reasons == ["late"]
    live.do(Input(kind="message", now_ms=1, party="lead", body={"text": 5}))
    assert live.reasons == ["no_decision"]
    live.sends("lead", "accept")
    assert live.outcome.accepted_offer == "ann-0"


def test_a_person_who_is_not_there_leaves_the_default(table: Open) -> None:
    live = thin(table)
    live.fails("lead", "unavailable")
    assert live.last.notes == ("lead is not there",)
    assert live.last.wake_at_ms == 6_000


def test_a_person_keeps_the_time_that_was_named(table: Open) -> None:
    live = thin(table)
    live.do(Input(kind="resumed", now_ms=50_000))
    assert live.last.wake_at_ms == 6_000


@pytest.mark.parametrize(("on", "asked"), [("none", []), ("thin", []), ("all", ["lead"])])
def test_a_no_deal_goes_to_the_person_only_when_all_does(
    table: Open, on: Any, asked: list[str]
) -> None:
    live = table(rounds=1, gate=Gate(on=on, seat="lead"))
    live.turns("PASS", "PASS")
    assert live.asked == asked
    if asked:
        assert live.told_to("lead")["why"] == ("round_limit",)
        live.says("lead", "DECIDE: no deal")
        assert live.outcome.reason == "round_limit"


def test_a_mediators_thin_deal_is_put_to_the_person_with_the_whole_time(play: Open) -> None:
    live = play(tied(LEAD))
    assert live.told[0].wake_at_ms == 5_000  # before any time is known
    assert live.last.wake_at_ms == 6_000
    live.says("lead", "accept")
    assert live.outcome.how == "mediated"


def tied(gate: Gate) -> Any:
    domain = domain_of({"tls": ["1.2", "1.3"]})
    wants = additive(domain, {"tls": {"1.2": 1, "1.3": 1}})
    problem = problem_of(domain, {"ann": wants, "bob": wants})
    return offers_rules("q", problem, seed="1", protocol="mediated", gate=gate)


def test_g8_who_took_a_decision_back_is_asked_anew_with_the_whole_time(table: Open) -> None:
    live = thin(table)
    (first,) = live.last.asks
    live.do(Input(kind="undo", now_ms=9_000, party="lead", body={"by": "zoe"}))
    asked = live.ask("lead")
    assert (live.last.wake_at_ms, asked.deadline_ms) == (14_000, 14_000)
    assert asked.id != first.id
    assert "it was taken back by zoe" in asked.payload["brief"]
    assert live.last.notes == ("a decision was taken back",)
    live.says("lead", {"decide": "no deal", "reason": "below our limit", "by": "zoe"})
    told = {"decides": "no deal", "reason": "below our limit", "by": "zoe"}
    assert live.outcome.grounds.submissions[-1].what == told


def test_g8_where_no_person_decides_nothing_is_taken_back(table: Open) -> None:
    live = table()
    live.do(Input(kind="undo", now_ms=5))
    assert live.reasons == ["nothing_to_undo"]
