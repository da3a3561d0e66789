"""MiCRO: does it offer one more deal only while the others have offered as many?

Here: its order, its repeats, its acceptance, for two and three parties.
Not here: its results (tests/oracles).
Sources: SEMANTICS M3, G4; de Jonge 2022.
"""

from __future__ import annotations

from comity.core.ties import shuffled
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import OwnView, own_view
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.strategies import read_strategy
from comity.mechanisms.bargaining.strategies.micro import descending

DOMAIN = domain_of({"days": list(range(8))})


def view_of(**worth: int) -> OwnView:
    values = {"days": {name.removeprefix("d"): value for name, value in worth.items()}}
    return own_view(DOMAIN, Bargainer("ann", additive(DOMAIN, values, reservation=1)))


def test_g4_equal_deals_come_in_the_order_that_is_drawn() -> None:
    view = view_of(d1=5, d2=3, d3=3, d4=3, d5=1)
    for seed in "abc":
        equal = [view.layout.text(one) for one in range(8) if view.utilities[one] == 3]
        drawn = [view.layout.text(one) for one in descending(view, seed)]
        assert drawn == ["days=1", *shuffled(seed, "ann: 3", equal), "days=5"]


def test_it_waits_for_the_others_and_repeats_its_last_offers_first() -> None:
    view = view_of(d1=5, d2=4, d3=3, d4=2)
    player = read_strategy("micro").start(view, 100, ("ann", "bob"), "0")
    assert player.offer(0) == 1
    assert player.is_waiting
    assert [player.offer(one) for one in (1, 2)] == [1, 1]
    player.hears(2, "bob", 7)
    assert not player.is_waiting
    assert player.offer(3) == 2
    player.hears(3, "bob", 7)
    assert [player.offer(one) for one in (4, 5, 6)] == [2, 1, 2], "a repeat is no new offer"


def test_it_accepts_what_is_as_good_as_what_it_would_offer_now() -> None:
    view = view_of(d1=5, d2=4, d3=3, d4=2)
    player = read_strategy("micro").start(view, 100, ("ann", "bob"), "0")
    assert (player.accepts(0, "bob", 1), player.accepts(0, "bob", 2)) == (True, False)
    player.offer(0)
    assert (player.accepts(0, "bob", 1), player.accepts(0, "bob", 2)) == (True, False)
    player.hears(0, "bob", 0)
    assert (player.accepts(1, "bob", 2), player.accepts(1, "bob", 3)) == (True, False)
    assert not player.accepts(1, "bob", 0), "below its reservation"


def test_it_ends_at_its_reservation_and_then_waits() -> None:
    view = view_of(d1=5, d2=4)
    player = read_strategy("micro").start(view, 100, ("ann", "bob"), "0")
    made = []
    for one in range(5):
        made.append(player.offer(one))
        player.hears(one, "bob", one)
    assert made == [1, 2, 2, 1, 2]
    assert player.is_waiting
    assert player.accepts(9, "bob", 2)


def test_of_several_others_the_one_with_the_fewest_offers_counts() -> None:
    view = view_of(d1=5, d2=4, d3=3)
    player = read_strategy("micro").start(view, 100, ("ann", "bob", "cy"), "0")
    player.offer(0)
    player.hears(0, "bob", 7)
    player.hears(0, "bob", 6)
    assert player.is_waiting
    player.hears(0, "cy", 7)
    assert not player.is_waiting
