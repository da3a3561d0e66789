"""Unit tests of speaking orders and seats' seeds: M2, G4."""

from __future__ import annotations

from collections import Counter

from comity.mechanisms.bargaining.turns import seat_seed, speaking_order

NAMES = ("ann", "bob", "cyd")


def test_m2_every_speaking_order_is_drawn_equally_often() -> None:
    drawn = Counter(speaking_order(NAMES, None, str(seed))[0] for seed in range(3000))
    assert len(drawn) == 6
    assert all(420 < count < 580 for count in drawn.values())


def test_m2_the_opener_may_be_stated_and_then_no_lot_is_drawn() -> None:
    order, ties = speaking_order(NAMES, "cyd", "1")
    assert order[0] == "cyd"
    assert sorted(order) == sorted(NAMES)
    assert ties == ()
    order, (tie,) = speaking_order(NAMES, None, "1")
    assert (tie.chosen, tie.label) == (order[0], "opener")


def test_g4_seats_draw_from_seeds_of_their_own() -> None:
    assert len({seat_seed("1", name) for name in NAMES} | {seat_seed("2", "ann")}) == 4
    assert seat_seed("1", "ann") == seat_seed("1", "ann")
