"""Listings: above 100 claimants an entry holds what has changed (R2, K1)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.ledger.entry import NewEntry
from comity.protocols.claims import Books, DeskRules, conflict_of
from comity.protocols.claims.listings import Listings

Open = Callable[..., Any]
MANY = 150


def test_r2_up_to_100_claimants_are_listed_and_above_it_what_changed(open_desk: Open) -> None:
    desk = open_desk()
    few = {f"a{n:03}": 1 for n in range(100)}
    for _ in range(2):
        desk.decide(few)
        assert len(desk.log[-1].body["claims"]) == 100
    many = {**few, "b": 2, "c": "1/2"}
    desk.decide(many)
    assert len(desk.log[-1].body["claims"]) == 102, "nothing to build on"
    del many["a007"]
    second = desk.decide({**many, "c": 7, "d": 3})
    body = desk.log[-1].body
    assert "claims" not in body
    assert (body["since"], body["count"], body["left"]) == (3, 102, ["a007"])
    assert body["changed"] == [["c", 7], ["d", 3]]
    assert len(second.claims) == 102
    assert len(str(body)) < len(str(desk.log[-2].body)) / 2
    desk.decide(few)
    assert len(desk.log[-1].body["claims"]) == 100, "few are listed"
    desk.decide(many)
    assert len(desk.log[-1].body["claims"]) == 101, "and many after them, once"
    desk.record(many, "b")
    assert desk.log[-1].body["changed"] == []


def test_r2_each_resource_has_a_list_of_its_own(open_desk: Open) -> None:
    desk = open_desk(scope="global")
    many = {f"a{n:03}": 1 for n in range(MANY)}
    desk.decide(many, "x")
    desk.decide(many, "y")
    assert "claims" in desk.log[-1].body
    desk.decide(many, "x")
    assert desk.log[-1].body["since"] == 1


def test_r2_claims_that_wait_are_listed_again_from_the_events(open_desk: Open) -> None:
    """K1: the conftest folds the events and compares the books, also from the whole state."""
    desk = open_desk(rule="first_come")
    for n in range(MANY):
        desk.claim("gpu", f"a{n:03}", n % 3)
    conflicts = []
    for n in range(4):
        desk.claim("gpu", f"b{n}")
        desk.free("gpu")
        conflicts.append(desk.log[-1].body)
    assert ["claims" in one for one in conflicts] == [True, False, False, False]
    assert conflicts[-1]["left"] == ["a003"]
    assert [one[0] for one in conflicts[-1]["changed"]] == ["b3"]
    listings = Listings()
    for body in map(thawed, conflicts):
        told = conflict_of(body, listings)
        listings.note(body)
    assert len(told.claims) == MANY - 4 + 4
    assert told.claims[-1][:3] == ("b3", 0, MANY + 4)
    assert told.winners == ("a004",)


def test_r2_without_the_list_an_entry_gives_what_it_names(open_desk: Open) -> None:
    desk = open_desk()
    many = {f"a{n:03}": 1 for n in range(MANY)}
    desk.decide(many)
    desk.decide({**many, "z": 9, "y": 2})
    told = conflict_of(thawed(desk.log[-1].body))
    assert (told.claims, told.marks, told.winners) == ((("y", 2), ("z", 9)), (), ("z",))


@pytest.mark.parametrize("since", [0, 1, 3])
def test_k1_changes_to_what_is_not_the_last_are_refused(open_desk: Open, since: int) -> None:
    desk = open_desk()
    many = {f"a{n:03}": 1 for n in range(MANY)}
    for _ in range(3):
        desk.decide(many)
    body = {**thawed(desk.log[-1].body), "since": since}
    books = Books(DeskRules())
    for one in desk.log[:2]:
        books.apply(one.kind, thawed(one.body))
    with pytest.raises(InvalidInput, match="builds on conflict"):
        books.apply("conflict", body)
    with pytest.raises(InvalidInput, match="builds on conflict"):
        Listings().note(body)


def thawed(body: Any) -> Any:
    """Return a body as it comes back from a ledger."""
    return json.loads(NewEntry("conflict", body).text)
