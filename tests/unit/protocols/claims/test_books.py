"""Books: the state is the fold of the events; what cannot have happened is refused (R1, K1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Policy
from comity.protocols.claims import Books, DeskRules, Event, Standing, desk_rules_to_json

Open = Callable[..., Any]


@pytest.fixture
def busy(open_desk: Open) -> Any:
    """Return a desk with a lease, a wait, losses, ends, a refusal and a withdrawal."""
    desk = open_desk(c=2)
    for resource, agent in ("xa", "yb", "ya", "xb", "xc", "xd"):
        desk.claim(resource, agent)
    desk.withdraw("x", "d")
    desk.decide([("a", 3), ("c", "1/2")], "budget")
    desk.record([("a", 3), ("c", 1)], [], "budget")
    desk.renew("x", 1, 90_000)
    desk.release("y", 2)
    return desk


def test_k1_every_kind_of_event_is_in_the_busy_desk(busy: Any) -> None:
    assert set(busy.kinds) == {
        "claimed",
        "withdrawn",
        "conflict",
        "renewed",
        "ended",
        "refused",
    }
    assert busy.held() == {"x": ["a"], "y": ["a"]}
    assert busy.waits() == {"x": ["c"]}


def test_k1_what_is_no_event_here_changes_nothing(busy: Any) -> None:
    before = busy.books.to_json()
    busy.books.apply("opened", {"kind": "vote"})
    assert busy.books.to_json() == before


def test_r1_whoever_waits_no_more_and_holds_nothing_is_new_again(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("x", "a")
    desk.claim("x", "b")
    desk.claim("y", "b")
    assert desk.books.ages == {"a": 1, "b": 2}
    desk.withdraw("x", "b")
    assert desk.books.ages["b"] == 2
    desk.free("y")
    assert desk.books.ages == {"a": 1}
    assert (desk.books.wants, desk.books.claims) == ({}, {})


def test_r7_a_clock_set_back_stands_still(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("x", "a")
    assert desk.books.now(5) == 1_000
    assert desk.books.now(2_000) == 2_000
    assert Books(DeskRules()).now(5) == 5


@pytest.mark.parametrize(
    ("capacity", "free", "gathered"), [(1, 0, None), (2, 0, None), (3, 1, 1_005)]
)
def test_r7_no_unit_is_free_that_somebody_holds(
    open_desk: Open, capacity: int, free: int, gathered: int | None
) -> None:
    """Also where there were more units before."""
    desk = open_desk(capacity=2)
    for agent in "ab":
        desk.claim("x", agent)
    desk.change(capacity=capacity, gather_ms=5)
    assert desk.books.free("x") == free
    desk.claim("x", "c")
    assert desk.books.gathered_ms("x") == gathered
    assert desk.books.gathered_ms("z") is None


# --- other rules -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "kept"),
    [
        ({"c": 5}, {"a": 0, "b": 1}),
        ({"rule": "losses", "priorities": {"a": 1, "b": 1}}, {"a": 0, "b": 1}),
        ({"rule": "hours"}, {}),
        ({"scope": "global"}, {}),
        ({"per_claim": False}, {"a": 0, "b": 1}),
    ],
)
def test_r1_other_rules_keep_losses_that_mean_the_same(
    open_desk: Open, then: dict[str, Any], kept: dict[str, int]
) -> None:
    desk = open_desk(c=2)
    desk.decide([("a", 3), ("b", 1)])
    desk.change(**then)
    assert desk.books.engine.state.losses("gpu") == kept
    assert desk.books.rules.policy == Policy(**then)


def test_r3_where_each_agent_has_one_priority_other_rules_may_give_it_another(
    open_desk: Open,
) -> None:
    desk = open_desk(per_claim=False, priorities={"a": 3, "b": 1})
    desk.decide(["a", "b"])
    desk.change(per_claim=False, priorities={"a": 1, "b": 7})
    assert desk.decide(["a", "b"]).claims == (("a", 1), ("b", 7))


# --- what cannot have happened ---------------------------------------------------------------


def forged(kind: str, **body: Any) -> Event:
    return Event(kind, body)


CLAIM = Standing(9, "x", "n", 1, 0, 9, 9).to_json()
END = {"resource": "x", "agent": "a", "token": 1, "why": "released", "at_ms": 1_500}
GRANT = {"resource": "x", "at_ms": 1, "number": 2, "winners": ["c"]}


@pytest.mark.parametrize(
    "event",
    [
        forged("claimed", **{**CLAIM, "number": 6}),
        forged("claimed", **{**CLAIM, "agent": "c"}),
        forged("claimed", **{**CLAIM, "priority": "high"}),
        forged("claimed", resource="x"),
        forged("withdrawn", resource="x", agent="a", why="lapsed", at_ms=1),
        forged("withdrawn", resource="z", agent="a", why="lapsed", at_ms=1),
        forged("withdrawn", resource="x", agent="c", why="granted", at_ms=1),
        forged("conflict", **GRANT, leases=[["c", 4, 99]], claims=[["c", 0, 0]], stages=[["c"]]),
        forged("handed", resource="x", agent="c", token=4, until_ms=99, at_ms=1),
        forged("handed", resource="y", agent="c", token=4, until_ms=99, at_ms=1),
        forged("renewed", resource="x", token=2, at_ms=1, lease_ms=9),
        forged("confirmed", resource="x", agent="a", token=1, at_ms=1),
        forged("confirmed", resource="y", agent="c", token=3, at_ms=1),
        forged("confirmed", resource="q", agent="q", token=3, at_ms=1),
        forged("ended", resource="x", agent="a", token=2, why="released", at_ms=1),
        forged("ended", resource="y", agent="b", token=2, why="released", at_ms=1),
        forged("ended", resource="z", agent="q", token=2, why="released", at_ms=1),
        forged("refused", resource="x"),
        forged("desk", rules={"capacity": 0}),
        forged("desk", rules=7),
        forged("desk-state", rules={}),
        forged("conflict", number=7, resource="budget", claims=[["a", 3, 0]]),
    ],
)
def test_k1_an_event_that_cannot_have_happened_is_refused(busy: Any, event: Event) -> None:
    books = busy.folded()
    with pytest.raises(InvalidInput):
        books.apply(event.kind, event.body)


def test_r7_a_lease_goes_to_who_won_and_to_nobody_else(busy: Any) -> None:
    books = busy.folded()
    books.apply("claimed", {**CLAIM, "number": 7})
    books.apply("ended", END)
    body = {
        "number": 2,
        "resource": "x",
        "claims": [["c", 0, 0], ["n", 1, 0]],
        "stages": [["n"]],
        "winners": ["n"],
        "seed": "7",
        "at_ms": 2_000,
    }
    with pytest.raises(InvalidInput, match="lease of x for who did not win"):
        books.apply("conflict", {**body, "leases": [["c", 4, 99_000]]})
    books = busy.folded()
    books.apply("claimed", {**CLAIM, "number": 7})
    books.apply("ended", END)
    with pytest.raises(InvalidInput, match="lease of x under token 5"):
        books.apply("conflict", {**body, "leases": [["n", 5, 99_000]]})


def test_k1_a_state_makes_any_books_these(busy: Any) -> None:
    whole = busy.books.to_json()
    other = Books(DeskRules(capacity=7))
    other.happen(Event("claimed", {**CLAIM, "number": 1}))
    other.apply("desk-state", whole)
    assert other.to_json() == whole
    assert other.rules == busy.books.rules
    assert (other.wants, other.claims) == (busy.books.wants, busy.books.claims)
    other.apply("desk", {"rules": desk_rules_to_json(DeskRules())})
    assert other.rules == DeskRules()


def test_r7_the_clock_of_who_opens_a_desk_is_known_and_right() -> None:
    books = Books(DeskRules())
    books.apply("desk", {"rules": {}, "clock": "here", "at_ms": 7_000})
    assert (books.clocks.last, books.clocks.offsets) == (7_000, {"here": 0})
    assert books.now(5_000) == 7_000


def test_k1_a_lease_ends_for_a_known_reason_or_cannot_have_ended() -> None:
    books = Books(DeskRules())
    body = {"resource": "gpu", "agent": "a", "token": 1, "why": "zzz", "at_ms": 9}
    with pytest.raises(InvalidInput, match="lease that is zzz: is recorded and cannot"):
        books.apply("ended", body)
