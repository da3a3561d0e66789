"""Passing: what is due takes effect at its own time, however late somebody looks (R1, R7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.errors import ClaimNotGranted
from comity.protocols.claims import read_clock
from comity.protocols.claims.passing import as_of

Open = Callable[..., Any]
DAY_MS = 86_400_000


def times(desk: Any) -> list[tuple[str, str, int]]:
    """Return the kind, agent and time of what happened."""
    return [
        (one.kind, one.body.get("agent") or one.body["winners"][0], one.body["at_ms"])
        for one in desk.log
        if one.kind not in {"claimed", "desk"}
    ]


def test_r1_a_free_thing_goes_to_who_waited_when_it_became_free(open_desk: Open) -> None:
    """And not to who comes when the wait is over and looks first."""
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "holder", lease_ms=8)
    desk.claim("gpu", "waits", 9, claim_ms=60)
    late = desk.at(1_063).claim("gpu", "late", 0, claim_ms=100)
    assert late.status == "waiting"
    assert desk.held() == {"gpu": ["waits"]}
    assert times(desk)[1:] == [("ended", "holder", 1_008), ("conflict", "waits", 1_008)]
    assert desk.look("gpu", "waits").until_ms == 1_108


def test_r1_gathered_claims_are_decided_though_nobody_looked_until_they_had_run_out(
    open_desk: Open,
) -> None:
    desk = open_desk(gather_ms=5, claim_ms=10, lease_ms=50)
    desk.claim("gpu", "a", 1)
    desk.claim("gpu", "b", 9)
    desk.at(1_012).advance()
    assert times(desk) == [("conflict", "b", 1_005), ("withdrawn", "a", 1_010)]


def test_r1_a_row_of_leases_that_nobody_used_ends_one_by_one(open_desk: Open) -> None:
    desk = open_desk(lease_ms=10, claim_ms=1_000)
    for priority, agent in enumerate("dcba"):
        desk.claim("gpu", agent, priority)
    desk.at(1_035).advance()
    assert [(kind, at) for kind, _, at in times(desk)[1:]] == [
        (kind, at) for at in (1_010, 1_020, 1_030) for kind in ("ended", "conflict")
    ]
    assert desk.held() == {"gpu": ["c"]}


def test_r7_a_second_claim_of_one_name_is_refused_by_what_has_happened_unseen(
    open_desk: Open,
) -> None:
    """Its first had won meanwhile: else both processes would be told the token."""
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a", lease_ms=8)
    desk.claim("gpu", "b", claim_ms=60, is_open=False)
    before = desk.books.changes
    with pytest.raises(ClaimNotGranted, match="holds it for another 45 ms"):
        desk.at(1_063).claim("gpu", "b", is_open=False)
    assert desk.books.changes == before
    assert desk.claim("disk", "b").is_granted


def test_r7_books_as_they_will_be_are_others(open_desk: Open) -> None:
    desk = open_desk(lease_ms=10)
    desk.claim("gpu", "a")
    assert as_of(desk.books, now_ms=1_009, seed="7") is desk.books
    later = as_of(desk.books, now_ms=1_010, seed="7")
    assert (later.held("gpu"), len(desk.books.held("gpu"))) == ((), 1)


def arrived(desk: Any, name: str, shows_ms: int, *, sets: bool = False) -> int:
    """Read a clock, keep what happened, and return the time of the desk."""
    events, at_ms = read_clock(desk.books, name, shows_ms, seed="7", sets=sets)
    desk.log += events
    desk.at(at_ms)
    return at_ms


def test_r7_a_machine_a_day_ahead_ends_nobodys_lease_and_freezes_nothing(open_desk: Open) -> None:
    desk = open_desk(lease_ms=60_000, claim_ms=90_000)
    arrived(desk, "here", 1_000)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    assert arrived(desk, "fast", 1_500 + DAY_MS) == 1_000
    assert desk.claim("gpu", "c", 99).status == "waiting"
    assert desk.held() == {"gpu": ["a"]}
    assert arrived(desk, "fast", 21_500 + DAY_MS) == 21_000
    assert arrived(desk, "here", 61_000) == 61_000
    assert desk.held() == {"gpu": ["c"]}


def test_r7_a_machine_that_opened_a_desk_far_ahead_keeps_nobody_waiting(open_desk: Open) -> None:
    desk = open_desk(lease_ms=60_000)
    arrived(desk, "fast", 1_000 + DAY_MS)
    assert arrived(desk, "here", 2_000) == 1_000 + DAY_MS
    desk.claim("gpu", "a", lease_ms=1_000)
    arrived(desk, "here", 3_000)
    assert desk.held() == {}
    assert desk.books.clocks.offsets == {"fast": 0, "here": DAY_MS - 1_000}


@pytest.mark.parametrize("shows_ms", [5_000, 1_000 + 2 * DAY_MS])
def test_r7_who_sets_the_clock_cuts_and_lengthens_nothing(open_desk: Open, shows_ms: int) -> None:
    desk = open_desk(lease_ms=100, claim_ms=80)
    arrived(desk, "fast", DAY_MS)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b", 2)
    desk.claim("disk", "a", lease_ms=30)
    arrived(desk, "fast", DAY_MS + 30)
    assert arrived(desk, "here", shows_ms, sets=True) == shows_ms
    assert desk.books.clocks.offsets == {"here": 0}
    assert desk.look("gpu", "a").until_ms == shows_ms + 70
    assert desk.look("gpu", "b").until_ms == shows_ms + 50
    assert desk.at(shows_ms + 49).advance() == []
    assert desk.at(shows_ms + 70).advance() == ["withdrawn", "ended"]
