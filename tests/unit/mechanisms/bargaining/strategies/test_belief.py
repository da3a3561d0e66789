"""Belief: does one party find what seems good for all, the same with arrays and with lists?

Here: the estimated Nash point, deals that are hardly worse, the best for the others.
Not here: where estimates come from, when deals are offered.
Sources: decision 0007; SEMANTICS G4.
"""

from __future__ import annotations

from typing import Any

import pytest

from comity.mechanisms.bargaining import outcomes
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import own_view
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.strategies.belief import Belief

DOMAIN = domain_of({f"t{at}": [str(one) for one in range(9)] for at in range(3)})
WORTH = {f"t{at}": {str(one): (at + 2) * one for one in range(9)} for at in range(3)}
LOSSES = tuple(tuple((3 - at) * place * 4 for place in range(9)) for at in range(3))
MIXED = tuple(tuple((place * 5) % 7 * 9 for place in range(9)) for _ in range(3))


@pytest.fixture(params=["arrays", "lists"])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "lists":
        monkeypatch.setattr(outcomes, "numpy_or_none", lambda: None)

    def build(*losses: Any, seed: str = "0", worth: Any = None, least: int = 5) -> Belief:
        wants = additive(DOMAIN, WORTH if worth is None else worth, reservation=least)
        belief = Belief(own_view(DOMAIN, Bargainer("ann", wants)), 300, seed)
        assert isinstance(belief.view.utilities, list) is (request.param == "lists")
        belief.expects(losses)
        return belief

    return build


def left(belief: Belief, place: int, losses: Any) -> int:
    places = belief.view.layout.places(int(belief.view.order[place]))
    return 300 - sum(row[one] for row, one in zip(losses, places, strict=True))


@pytest.mark.parametrize("losses", [(LOSSES,), (LOSSES, MIXED)])
def test_the_nash_point_has_the_greatest_product_of_gains(make: Any, losses: Any) -> None:
    belief = make(*losses)
    view = belief.view

    def product(place: int) -> int:
        found = int(view.ascending[place]) - 5
        for one in losses:
            found *= max(left(belief, place, one), 0)
        return found

    assert product(belief.nash()) == max(map(product, range(len(view.order))))


def test_when_nothing_seems_to_leave_all_a_gain_the_best_for_the_least_is_named(
    make: Any,
) -> None:
    ruinous = tuple(tuple(400 + place for place in range(9)) for _ in range(3))
    belief = make(ruinous)
    found = belief.nash()
    assert belief.least[found] == max(int(one) for one in belief.least)


def test_g4_a_lot_decides_between_equal_nash_points_whatever_their_index(make: Any) -> None:
    flat = {"t0": {str(one): 9 for one in range(9)}}
    none = ((0,) * 9,) * 3
    found = {make(none, seed=str(one), worth=flat).nash() for one in range(40)}
    assert len(found) > 20


def test_the_best_for_the_others_reaches_the_target_and_is_not_offered_twice(make: Any) -> None:
    belief = make(LOSSES, MIXED)
    rising = belief.view.ascending
    target = 40
    places = [at for at in range(len(rising)) if rising[at] >= target]
    offered = bytearray(len(rising))
    seen = []
    for _ in range(len(places)):
        found = belief.new_for_others(target, offered)
        if not seen:
            assert found == belief.best_for_others(target)
        offered[found] = 1
        seen.append(found)
    assert sorted(seen) == places
    falling = [int(belief.least[at]) for at in seen]
    assert falling == sorted(falling, reverse=True)
    assert belief.new_for_others(target, offered) is None


def test_deals_hardly_worse_are_as_good_for_oneself_and_come_best_first(make: Any) -> None:
    belief = make(LOSSES, MIXED)
    rising = belief.view.ascending
    place = belief.nash()
    listed = belief.hardly_worse(place, 30, 1000)
    wanted = {
        at
        for at in range(len(rising))
        if rising[at] >= rising[place]
        and left(belief, place, LOSSES) - left(belief, at, LOSSES) <= 30
        and left(belief, place, MIXED) - left(belief, at, MIXED) <= 30
    }
    assert set(listed) == wanted
    assert len(listed) == len(wanted)
    worth = [int(rising[at]) for at in listed]
    assert worth == sorted(worth, reverse=True)
    few = belief.hardly_worse(place, 30, 3)
    assert len(few) == 3
    assert set(few) <= wanted


def test_a_deal_is_found_at_its_place(make: Any) -> None:
    belief = make(LOSSES)
    order = belief.view.order
    assert all(belief.place(int(order[at])) == at for at in range(0, len(order), 7))


def test_arrays_and_lists_believe_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def told() -> tuple[Any, ...]:
        view = own_view(DOMAIN, Bargainer("ann", additive(DOMAIN, WORTH, reservation=5)))
        belief = Belief(view, 300, "7")
        belief.expects([LOSSES, MIXED])
        place = belief.nash()
        return place, belief.hardly_worse(place, 40, 50), belief.best_for_others(30)

    with_arrays = told()
    monkeypatch.setattr(outcomes, "numpy_or_none", lambda: None)
    assert told() == with_arrays
