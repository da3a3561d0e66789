"""Timed: are the targets those of the schedule, first the best and last the reservation?

Here: targets, offers and acceptance of timed players.
Not here: the curves (test_shares.py), the fast play (test_timed_play.py).
Sources: SEMANTICS M3, B3; defects N10 and N12.
"""

from __future__ import annotations

import pytest

from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import OwnView, own_view
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.schedules import polynomial
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.mechanisms.bargaining.strategies.timed import targets

DOMAIN = domain_of({"price": list(range(101))})
WORTH = {"price": {str(one): one for one in range(101)}}


def view_of(least: int = 36) -> OwnView:
    lines = constraints_of(DOMAIN, [{"price": ["77"]}])
    return own_view(DOMAIN, Bargainer("ann", additive(DOMAIN, WORTH, reservation=least), lines))


@pytest.mark.parametrize(
    ("text", "half"), [("boulware", 98), ("linear", 68), ("conceder", 45), ("boulware:0.5", 84)]
)
def test_b3_a_parameter_is_known_by_its_effect_at_half_time(text: str, half: int) -> None:
    player = read_strategy(text).start(view_of(), 101, ("ann", "bob"), "0")
    view = view_of()

    def price(at: int) -> int:
        found = player.offer(at)
        assert found is not None
        return int(view.deal(found)["price"])

    assert (price(0), price(50), price(100)) == (100, half, 36)
    assert not player.is_waiting


def test_n10_a_single_round_is_the_last() -> None:
    assert targets(view_of(), polynomial("0.2"), 1) == (36,)


def test_what_reaches_the_target_is_accepted_and_red_lines_never_are() -> None:
    view = view_of()
    player = read_strategy("linear").start(view, 65, ("ann", "bob"), "0")

    def takes(at: int, price: int) -> bool:
        return player.accepts(at, "bob", view.index({"price": str(price)}))

    player.hears(0, "bob", view.index({"price": "100"}))
    assert (takes(0, 100), takes(0, 99)) == (True, False)
    assert (takes(32, 68), takes(32, 67)) == (True, False)
    assert (takes(64, 36), takes(64, 35)) == (True, False), "never below the reservation (B5)"
    assert not takes(64, 77), "a red line is no matter of worth"
