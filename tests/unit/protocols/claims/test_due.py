"""Due: the next thing is told, whatever has changed since it was added."""

from __future__ import annotations

import random

from comity.protocols.claims.due import Due, What


def test_what_is_due_later_or_no_more_is_noticed() -> None:
    times: dict[What, int] = {("lease", 1): 50, ("claim", 2): 30, ("resource", "x"): 40}
    due = Due(times.get)
    for what in times:
        due.add(what)
    due.add(("lease", 9))  # not due at all
    assert (len(due), due.next_ms()) == (3, 30)
    times["claim", 2] = 60
    del times["resource", "x"]
    assert due.next_ms() == 50
    assert due.take(49) == []
    assert due.take(60) == [("claim", 2), ("lease", 1)]
    assert (due.next_ms(), len(due)) == (None, 0)


def test_what_is_due_earlier_is_added_anew_and_told_once() -> None:
    times: dict[What, int] = {("resource", "x"): 50}
    due = Due(times.get)
    due.add(("resource", "x"))
    times["resource", "x"] = 20
    due.add(("resource", "x"))
    due.add(("resource", "x"))
    assert due.next_ms() == 20
    assert due.take(20) == [("resource", "x")]
    assert due.next_ms() is None


def test_what_counts_no_more_is_forgotten_in_time() -> None:
    times: dict[What, int] = {}
    due = Due(times.get)
    for token in range(1_000):
        times.clear()
        times["lease", token] = 10_000 + token
        due.add(("lease", token))
        due.thin(times, 1)
        assert len(due) <= 70
    assert due.next_ms() == 10_999


def test_it_agrees_with_looking_at_everything() -> None:
    chance = random.Random(7)  # noqa: S311  # no secret
    times: dict[What, int] = {}
    due = Due(times.get)
    for _ in range(2_000):
        what: What = ("claim", chance.randrange(20))
        step = chance.random()
        if step < 0.5:
            times[what] = chance.randrange(1_000)
            due.add(what)
        elif step < 0.7:
            times.pop(what, None)
        elif step < 0.9:
            assert due.next_ms() == min(times.values(), default=None)
        else:
            now = chance.randrange(1_000)
            found = sorted(one for one, at in times.items() if at <= now)
            assert due.take(now) == found
            for one in found:
                del times[one]
        due.thin(times, 1)
