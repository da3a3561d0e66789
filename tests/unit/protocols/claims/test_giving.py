"""Giving: who is next, unit by unit, and what a new lease opens (R1, R2, L1, L2)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.arbitration import Arbitration, Policy
from comity.protocols.claims import Books, DeskRules
from comity.protocols.claims.giving import ended, give, next_oldest, reading_at

Open = Callable[..., Any]


def test_r2_the_winner_is_the_one_that_the_rule_names(open_desk: Open) -> None:
    desk = open_desk(c=2)
    desk.claim("gpu", "h")
    for agent, priority in (("c", 1), ("a", 9), ("b", 9)):
        desk.claim("gpu", agent, priority)
    desk.at(2_000).release("gpu", 1)
    body = desk.log[-1].body
    assert body["claims"] == [["a", 9, 0], ["b", 9, 0], ["c", 1, 0]]
    assert body["stages"] == [["a", "b"]]
    (winner,) = body["winners"]
    assert body["leases"] == [[winner, 2, 62_000]]
    assert (body["seed"], body["number"], body["at_ms"]) == ("seed 2000", 2, 2_000)
    engine = Arbitration(Policy(c=2), seed="seed 2000", state={"h": 0})
    engine.conflict([("h", 0)], "gpu")
    assert engine.conflict([("a", 9), ("b", 9), ("c", 1)], "gpu").winners == (winner,)


def test_r2_several_units_are_given_one_by_one(open_desk: Open) -> None:
    desk = open_desk(capacity=2, gather_ms=10)
    for agent, priority in (("c", 1), ("a", 9), ("b", 5)):
        desk.claim("gpu", agent, priority)
    assert desk.at(1_010).advance() == ["conflict", "conflict"]
    first, second = desk.log[-2:]
    assert (first.body["winners"], second.body["winners"]) == (["a"], ["b"])
    assert second.body["claims"] == [["b", 5, 1], ["c", 1, 1]], "who lost has aged"
    assert desk.held() == {"gpu": ["a", "b"]}
    assert desk.waits() == {"gpu": ["c"]}


def test_l1_a_wait_that_a_new_lease_closes_into_a_circle_is_refused(open_desk: Open) -> None:
    """The case of x, y and z: only the wait in the circle goes, neither p nor z."""
    desk = open_desk()
    for resource, agent in (("p", "t"), ("x", "h"), ("y", "v"), ("z", "u")):
        desk.claim(resource, agent)
    for resource in "pxyz":
        desk.claim(resource, "w", 9)
    desk.claim("x", "v", 1)
    desk.release("x", 2)
    assert desk.kinds[-3:] == ["ended", "conflict", "refused"]
    assert desk.held() == {"p": ["t"], "y": ["v"], "z": ["u"], "x": ["w"]}
    assert desk.waits() == {"p": ["w"], "x": ["v"], "z": ["w"]}
    answer = desk.look("y", "w")
    assert (answer.status, answer.cycle, answer.number) == ("refused", ("w", "v"), 7)
    assert desk.log[-1].body["why"] == "granted"


def test_l1_all_waits_in_circles_go_each_with_its_own(open_desk: Open) -> None:
    desk = open_desk()
    for resource, agent in (("x", "h"), ("y", "v"), ("z", "u")):
        desk.claim(resource, agent)
    for resource in "xyz":
        desk.claim(resource, "w", 9)
    desk.claim("x", "v")
    desk.claim("y", "u")
    desk.release("x", 1)
    assert desk.look("y", "w").cycle == ("w", "v")
    assert desk.look("z", "w").cycle == ("w", "u", "v")
    assert desk.waits() == {"x": ["v"], "y": ["u"]}


def test_l2_an_older_claimant_takes_it_and_the_oldest_is_next(open_desk: Open) -> None:
    desk = open_desk(circles="wound_wait")
    for agent in ("old", "mid", "new"):
        desk.claim(f"own {agent}", agent)
    desk.claim("x", "new")
    answer = desk.claim("x", "mid")
    assert desk.kinds[-3:] == ["claimed", "ended", "handed"]
    assert desk.log[-2].body["why"] == "wounded"
    assert (answer.status, answer.conflict) == ("granted", None)
    desk.claim("x", "new")
    assert desk.held()["x"] == ["mid"], "a younger one waits"
    desk.claim("x", "old")
    desk.claim("x", "mid")
    assert next_oldest(desk.books, "x") == "mid"
    desk.free("x")
    assert desk.held()["x"] == ["mid"]
    body = desk.log[-1].body
    assert (body["rule"], body["ages"]) == ("wound_wait", [["mid", 2], ["new", 3]])


def test_l2_a_victim_keeps_its_age_until_it_wins_again(open_desk: Open) -> None:
    desk = open_desk(circles="wound_wait")
    desk.claim("y", "old")
    desk.claim("x", "victim")
    desk.claim("z", "victim")
    desk.claim("x", "old")
    assert desk.look("x", "victim").status == "ended"
    desk.free("z")
    assert desk.held() == {"y": ["old"], "x": ["old"]}
    assert desk.books.ages["victim"] == 2, "it holds nothing, waits for nothing, and is not new"
    desk.claim("w", "young")
    desk.claim("x", "young")
    desk.claim("x", "victim")
    desk.free("x")
    assert desk.held()["x"] == ["victim"]
    desk.free("x")
    assert "victim" not in desk.books.ages, "it has won: the next time it is new"
    assert desk.held()["x"] == ["young"]


def test_l2_wounding_and_gathering_go_together(open_desk: Open) -> None:
    desk = open_desk(circles="wound_wait", gather_ms=10)
    for agent in ("old", "new"):
        desk.claim(f"own {agent}", agent)
    desk.at(1_010).advance()
    desk.claim("x", "new")
    desk.at(1_020).advance()
    desk.claim("x", "old")
    assert "x" not in desk.held()
    assert desk.desk.due_ms() == 1_030
    desk.at(1_030).advance()
    assert desk.held()["x"] == ["old"]


def test_r1_only_ageing_by_hours_reads_the_clock() -> None:
    books = Books(DeskRules(policy=Policy(rule="hours")))
    assert reading_at(books, 1_500) == Fraction(3, 2)
    assert reading_at(Books(DeskRules()), 1_500) is None


@pytest.mark.parametrize("why", ["released", "expired", "wounded"])
def test_r7_the_end_of_a_lease_names_the_claim_that_won_it(open_desk: Open, why: str) -> None:
    desk = open_desk()
    desk.claim("x", "b")
    desk.claim("gpu", "a")
    (lease,) = desk.books.held("gpu")
    assert ended(desk.books, lease, why, 9).body == {
        "number": 2,
        "resource": "gpu",
        "agent": "a",
        "token": 2,
        "why": why,
        "at_ms": 9,
    }


def test_r7_nothing_is_given_before_claims_have_gathered(open_desk: Open) -> None:
    desk = open_desk(gather_ms=10)
    desk.claim("gpu", "a")
    assert give(desk.books, "gpu", now=1_009, seed="7") == []
    assert desk.desk.due_ms() == 1_010


# --- ages (L2) -------------------------------------------------------------------------------


def test_l2_who_holds_something_else_for_good_does_not_stay_the_oldest(open_desk: Open) -> None:
    """Else it took the thing from everybody, each time, for ever."""
    desk = open_desk(circles="wound_wait", lease_ms=10**6)
    desk.claim("other", "a")
    wounded = 0
    for _ in range(10):
        desk.at(desk.now + 1).claim("gpu", "b")
        desk.claim("gpu", "a")
        wounded += desk.held()["gpu"] != ["b"]
        desk.free("gpu")
        desk.free("gpu")
    assert wounded == 1, "the first time it is older; since then it comes later"
    assert desk.held() == {"other": ["a"]}


def test_l2_who_comes_again_gives_way_where_an_older_one_waits(open_desk: Open) -> None:
    """It was older than who waits for it, and is younger now: no circle of waits may form."""
    desk = open_desk(circles="wound_wait", lease_ms=10**6)
    desk.claim("x", "a")
    desk.claim("y", "a")
    desk.claim("z", "b")
    assert desk.claim("x", "b").status == "waiting"
    desk.release("y", 2)
    assert desk.claim("y", "a").is_granted
    assert desk.held() == {"z": ["b"], "x": ["b"], "y": ["a"]}
    wounded = next(one.body for one in desk.log if one.body.get("why") == "wounded")
    assert (wounded["agent"], wounded["by"], wounded["resource"]) == ("a", "b", "x")


def test_l2_a_victim_keeps_its_age_until_it_wins(open_desk: Open) -> None:
    desk = open_desk(circles="wound_wait", lease_ms=10**6)
    desk.claim("x", "a")
    desk.claim("y", "b")
    desk.claim("z", "b")
    desk.claim("y", "a")
    before = desk.books.ages["b"]
    assert desk.claim("y", "b").status == "waiting"
    assert desk.books.ages["b"] == before
    desk.free("y")
    desk.free("y")
    desk.claim("y", "b")
    assert desk.books.ages["b"] > before, "it has won, and had its turn"
