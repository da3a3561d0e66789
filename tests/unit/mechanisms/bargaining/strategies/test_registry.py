"""Registry: are strategies read from text, refused with the nearest name, and started alike?

Here: the text form, parameters, the player of a party that accepts nothing.
Not here: what a strategy does.
Sources: SEMANTICS M3, G7.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import own_view
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.schedules import Schedule
from comity.mechanisms.bargaining.strategies import STRATEGIES, Strategy, read_strategy

DOMAIN = domain_of({"days": [1, 2, 3]})
WORTH = {"days": {"1": 1, "2": 2, "3": 3}}


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_m3_every_strategy_is_read_written_and_started(name: str) -> None:
    read = read_strategy(name)
    assert read_strategy(str(read)) == read == read_strategy(read)
    view = own_view(DOMAIN, Bargainer("ann", additive(DOMAIN, WORTH, reservation=2)))
    player = read.start(view, 10, ("bob", "ann"), "7")
    assert player.offer(0) == view.index({"days": "3"}), "the own best deal comes first (N12)"
    assert not player.accepts(0, "bob", view.index({"days": "1"}))


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_a_party_that_accepts_nothing_offers_nothing(name: str) -> None:
    view = own_view(DOMAIN, Bargainer("ann", additive(DOMAIN, WORTH, reservation=4)))
    player = read_strategy(name).start(view, 10, ("ann", "bob"), "7")
    player.hears(0, "bob", 1)
    assert (player.offer(0), player.accepts(9, "bob", 1), player.is_waiting) == (None, False, True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("boulware", ("boulware", Decimal("0.2"))),
        (" Boulware:1/7 ", ("boulware", Fraction(1, 7))),
        ("conceder:3", ("conceder", 3)),
        ("Nice tit-for-tat", ("nice_tit_for_tat", None)),
    ],
)
def test_names_are_read_with_dashes_spaces_and_parameters(
    text: str, found: tuple[str, object]
) -> None:
    read = read_strategy(text)
    assert (read.name, read.parameter) == found
    assert read_strategy(str(read)) == read


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("boulwear", "did you mean 'boulware'"),
        ("boulware:1", "above 0 and below 1"),
        ("boulware:0", "above 0"),
        ("conceder:1", "above 1"),
        ("boulware:x", "'x'"),
        ("boulware:", "''"),
        ("micro:2", "without one"),
        ("linear:1", "without one"),
        (5, "a strategy or its name"),
        (None, "a strategy or its name"),
    ],
)
def test_g7_what_cannot_be_read_is_refused_by_name(value: object, says: str) -> None:
    with pytest.raises(InvalidInput, match="ann") as caught:
        read_strategy(value, "ann")
    assert says in str(caught.value)


def test_an_unknown_name_lists_all() -> None:
    with pytest.raises(UnknownName) as caught:
        read_strategy("xyz")
    assert all(name in str(caught.value) for name in STRATEGIES)


def test_b3_only_timed_strategies_have_a_schedule() -> None:
    assert {name: read_strategy(name).schedule for name in STRATEGIES if name != "linear"} == {
        **dict.fromkeys(STRATEGIES.keys() - {"linear"}),
        "boulware": Schedule("polynomial", (Decimal("0.2"),)),
        "conceder": Schedule("polynomial", (5,)),
    }
    assert read_strategy("linear").schedule == Schedule("linear")
    assert Strategy("boulware").schedule is None, "not read, so without its parameter"
