"""Nice tit-for-tat: does it give as much of the way as it is given, and keep the deadline?

Here: its target, its offers, its acceptance.
Not here: its results (tests/oracles).
Sources: SEMANTICS M3.
"""

from __future__ import annotations

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import own_view
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.strategies import Player, read_strategy

DOMAIN = domain_of({"a": list(range(11)), "b": list(range(11))})
VIEW = own_view(
    DOMAIN,
    Bargainer(
        "ann",
        additive(
            DOMAIN,
            {
                "a": {str(one): 5 * one for one in range(11)},
                "b": {str(one): one for one in range(11)},
            },
            reservation=10,
        ),
    ),
)


def at(a: int, b: int) -> int:
    return VIEW.index({"a": str(a), "b": str(b)})


def started(*others: str) -> Player:
    return read_strategy("nice_tit_for_tat").start(VIEW, 101, ("ann", *others), "0")


def worth(player: Player, when: int) -> int:
    found = player.offer(when)
    assert found is not None
    return int(VIEW.utilities[found])


def test_it_opens_with_its_best_and_waits_for_the_first_offer_of_all() -> None:
    player = started("bob", "cy")
    assert worth(player, 0) == 60
    player.hears(0, "bob", at(5, 5))
    assert worth(player, 1) == 60
    assert not player.is_waiting


def test_it_moves_towards_the_nash_point_as_the_other_does_and_not_alone() -> None:
    player = started("bob")
    player.hears(0, "bob", at(0, 0))
    first = worth(player, 1)
    for when in range(2, 20):
        player.hears(when, "bob", at(0, 0))
    assert worth(player, 20) == first == 60
    asked = at(10, 7), at(10, 5)  # worth 57 and 55; it thinks of 50 at the Nash point
    assert [player.accepts(20, "bob", one) for one in asked] == [False, False]
    player.hears(20, "bob", at(3, 0))
    assert [player.accepts(21, "bob", one) for one in asked] == [True, False]
    player.hears(21, "bob", at(5, 0))
    assert [player.accepts(22, "bob", one) for one in asked] == [True, True]


def test_an_other_that_opens_beyond_the_nash_point_has_come_all_the_way() -> None:
    player = started("bob")
    player.hears(0, "bob", at(10, 9))
    assert player.accepts(1, "bob", at(10, 9))


def test_in_the_last_tenth_it_comes_down_and_in_the_last_round_takes_what_it_can() -> None:
    player = started("bob")
    player.hears(0, "bob", at(0, 0))
    assert not player.accepts(90, "bob", at(9, 9))
    assert player.accepts(95, "bob", at(9, 9))
    assert player.accepts(100, "bob", at(2, 0))
    assert not player.accepts(100, "bob", at(1, 4)), "below its reservation"
    assert worth(player, 100) >= 10
