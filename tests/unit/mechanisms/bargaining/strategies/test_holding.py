"""Holding: does the hard-liner hold, and tit-for-tat give what it is given?

Here: their offers and acceptance.
Not here: the guard that ends their sessions (test_playing.py).
Sources: SEMANTICS M3.
"""

from __future__ import annotations

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import own_view
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.strategies import Player, read_strategy

DOMAIN = domain_of({"price": list(range(101))})
VIEW = own_view(
    DOMAIN,
    Bargainer(
        "ann",
        additive(DOMAIN, {"price": {str(one): one for one in range(101)}}, reservation=50),
    ),
)


def at(price: int) -> int:
    return VIEW.index({"price": str(price)})


def started(text: str, *seats: str) -> Player:
    return read_strategy(text).start(VIEW, 10, ("ann", *seats), "0")


def test_a_hard_liner_offers_its_best_and_accepts_nothing_less() -> None:
    player = started("hardliner", "bob")
    assert not player.is_waiting
    player.hears(0, "bob", at(1))
    player.hears(1, "bob", at(90))
    assert [player.offer(one) for one in range(3)] == [at(100)] * 3
    assert player.is_waiting
    assert player.accepts(9, "bob", at(100))
    assert not player.accepts(9, "bob", at(99))


def test_tit_for_tat_gives_as_much_of_its_own_worth_as_it_is_given() -> None:
    player = started("tit_for_tat", "bob")
    player.hears(0, "bob", at(10))
    assert player.offer(0) == at(100)
    player.hears(1, "bob", at(25))
    assert player.offer(1) == at(85)
    player.hears(2, "bob", at(15))
    assert player.offer(2) == at(85), "what was given once is not taken back"
    assert player.accepts(3, "bob", at(85))
    assert not player.accepts(3, "bob", at(84))
    player.hears(3, "bob", at(95))
    assert player.offer(3) == at(50), "never below its reservation"
    assert not player.accepts(3, "bob", at(49))


def test_of_several_others_the_one_that_has_given_least_counts() -> None:
    player = started("tit_for_tat", "bob", "cy")
    for one, price in (("bob", 10), ("cy", 20), ("bob", 40)):
        player.hears(0, one, at(price))
    assert player.offer(0) == at(100)
    player.hears(1, "cy", at(25))
    assert player.offer(1) == at(95)
