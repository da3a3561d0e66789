"""agents/concession.py: few deals at first, all in the end; the best joint prospect (B3, G4)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.agents.concession import choose, window
from comity.agents.outlook import Outlook
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive


def outlook(*values: int) -> Outlook:
    """Return the outlook of a party that values the options of one term."""
    names = [f"o{number}" for number in range(len(values))]
    domain = domain_of({"t": names})
    return Outlook(additive(domain, {"t": dict(zip(names, values, strict=True))}), ())


VALUES = st.lists(st.integers(-50, 50), min_size=1, max_size=12)


@given(VALUES, st.integers(1, 8))
def test_b3_the_window_only_grows_and_holds_everything_in_the_end(
    values: list[int], patience: int
) -> None:
    party = outlook(*values)
    left = party.own()
    windows = [window(party, left, moves, patience) for moves in range(patience + 1)]
    for one, following in pairwise(windows):
        assert set(one) <= set(following)
    assert all(windows)
    assert windows[-1] == left


@given(VALUES, st.integers(0, 8))
def test_no_deal_outside_the_window_is_better_than_one_inside(
    values: list[int], moves: int
) -> None:
    party = outlook(*values)
    left = party.own()
    inside = window(party, left, moves, 5)
    worst = min(party.worth(pick) for pick in inside)
    assert all(party.worth(pick) < worst for pick in left if pick not in inside)


def test_nothing_left_is_nothing_to_hold_out_for() -> None:
    assert window(outlook(1, 2), [], 0, 5) == []


def test_of_two_deals_the_one_that_others_like_is_chosen() -> None:
    party = outlook(5, 5)
    likes = {"CX": {("t", "o1"): Fraction(1)}}
    assert choose(party, party.own(), likes, ("seed", "turn 1")) == (1,)


def test_of_two_deals_that_others_like_alike_the_better_own_one_is_chosen() -> None:
    party = outlook(5, 6, 0)
    for seed in "abc":
        assert choose(party, party.own(), {}, (seed, "turn 1")) == (1,)


def test_a_deal_that_nobody_has_asked_for_is_not_ruled_out() -> None:
    party = outlook(0, 40)
    likes = {"CX": {("t", "o0"): Fraction(1, 10)}}
    assert choose(party, party.own(), likes, ("seed", "turn 1")) == (1,)


def test_g4_a_tie_is_broken_by_a_lot_and_not_by_position() -> None:
    party = outlook(3, 3, 3)
    drawn = [choose(party, party.own(), {}, (f"{n}", "turn 1")) for n in range(300)]
    counts = Counter(drawn)
    assert len(counts) == 3
    assert min(counts.values()) > 60
    turned = [choose(party, party.own()[::-1], {}, (f"{n}", "turn 1")) for n in range(300)]
    assert turned == drawn


@pytest.mark.parametrize("label", ["turn 1", "turn 2"])
def test_the_same_question_is_answered_the_same(label: str) -> None:
    party = outlook(3, 3, 3)
    assert choose(party, party.own(), {}, ("7", label)) == choose(
        outlook(3, 3, 3), party.own(), {}, ("7", label)
    )
