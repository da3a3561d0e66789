"""Levels: from one price of a clock to the next, and its end (A2, G4)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from comity.mechanisms.auctions import ClockRules, clock_start
from comity.protocols.bidding.levels import next_level

BOTH = {"a": True, "b": True}


def clock(kind: Any = "english", **told: Any) -> Any:
    given = {"reserve": 10, "step": 4, "seed": "1", **told}
    return clock_start(ClockRules(kind=kind, bidders=["a", "b"], **given)).state


def test_the_last_price_is_the_end_whatever_the_step() -> None:
    first = next_level(clock(), BOTH, 17)
    second = next_level(first.state, BOTH, 17)
    assert (first.state.price, second.state.price) == (14, 17)


def test_g4_at_the_end_a_lot_decides_among_who_is_left() -> None:
    last = next_level(next_level(clock(), BOTH, 14).state, BOTH, 14)
    sale: Any = last.outcome
    assert sale.price == 14
    assert sale.grounds.ties[0].tied == ("a", "b")
    assert sale.thin == ("a lot decided",)
    assert sale.notes[-1] == "the clock ended at 14 with 2 bidders still in: a lot among them"


def test_one_who_stays_alone_at_the_end_wins_without_a_lot() -> None:
    last = next_level(next_level(clock(), BOTH, 14).state, {"a": True}, 14)
    sale: Any = last.outcome
    assert (sale.winner, sale.price, sale.grounds.ties) == ("a", 14, ())


def test_an_end_of_another_type_of_number_is_compared_exactly() -> None:
    state = next_level(clock(step="1/3"), BOTH, Decimal("10.5")).state
    assert next_level(state, BOTH, Decimal("10.5")).state.price == Decimal("10.5")


@pytest.mark.parametrize(("said", "price"), [({}, 16), ({"a": True}, 20)])
def test_a_falling_clock_goes_on_until_somebody_takes(said: Any, price: int) -> None:
    after = next_level(clock("dutch", start=20), said, 10)
    assert (after.outcome is None) is (not said)
    assert (after.state.price if not said else after.outcome.price) == price  # type: ignore[union-attr]
