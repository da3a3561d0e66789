"""Conventions: does each look where its definition says, in its order?"""

from __future__ import annotations

import pytest

from comity.mechanisms.bargaining.conventions import CONVENTIONS, first_hit, meetings

SELLER = [120, 110, 100, 90, 80, 70, 70]
BUYER = [60, 68, 76, 84, 92, 100, 100]


@pytest.mark.parametrize(
    ("convention", "first", "round_", "accepts", "unmade"),
    [
        ("same_round", "buyer", 4, "buyer", None),
        ("same_round", "seller", 4, "seller", None),
        ("next_round", "buyer", 3, "buyer", None),
        ("next_round", "seller", 3, "seller", None),
        ("alternating", "seller", 3, "seller", None),
        ("alternating", "buyer", 3, "buyer", None),
        ("midpoint", None, 4, None, None),
    ],
)
def test_b4_the_worked_example_meets_where_its_convention_says(
    convention: str, first: str | None, round_: int, accepts: str | None, unmade: str | None
) -> None:
    hit = first_hit(meetings(convention, first), SELLER, BUYER, 0, 6)  # type: ignore[arg-type]
    assert hit is not None
    assert (hit.round, hit.meeting.accepts, hit.meeting.unmade) == (round_, accepts, unmade)


def test_b4_of_two_meetings_in_one_round_the_first_look_counts() -> None:
    crossed = ([50, 40], [60, 70])
    for first in ("buyer", "seller"):
        hit = first_hit(meetings("next_round", first), *crossed, 0, 1)  # type: ignore[arg-type]
        assert hit is not None
        assert (hit.round, hit.meeting.accepts) == (0, first)


def test_b4_an_earlier_meeting_beats_an_earlier_look() -> None:
    # The buyer looks first and would accept in round 1; the seller accepts in round 0 already.
    hit = first_hit(meetings("next_round", "buyer"), [9, 5, 5], [6, 7, 8], 0, 2)
    assert hit is not None
    assert (hit.round, hit.meeting.accepts) == (0, "seller")


def test_b4_whoever_answers_in_alternation_accepts_instead_of_offering() -> None:
    hit = first_hit(meetings("alternating", "seller"), [50, 50], [60, 60], 0, 1)
    assert hit is not None
    assert (hit.meeting.accepts, hit.meeting.unmade) == ("buyer", "buyer")


def test_b4_equal_offers_meet() -> None:
    assert first_hit(meetings("midpoint", None), [80, 80], [80, 80], 0, 1) is not None


def test_b4_the_search_stays_within_its_rounds() -> None:
    order = meetings("same_round", "buyer")
    assert first_hit(order, SELLER, BUYER, 0, 4) is None
    hit = first_hit(order, SELLER, BUYER, 5, 6)
    assert hit is not None
    assert hit.round == 5


def test_b4_every_convention_has_its_comparisons() -> None:
    for convention in CONVENTIONS:
        for first in (None,) if convention == "midpoint" else ("buyer", "seller"):
            assert meetings(convention, first)  # type: ignore[arg-type]  # both roles
