"""Outcomes: is every deal where it belongs, worth what it is worth, and shut when it should be?

Here: the canonical order, exact tables with and without arrays, constraints, caps.
Not here: strategies.
Sources: SEMANTICS M1, M4, G4, G5.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.ties import lot
from comity.mechanisms.bargaining import outcomes as module
from comity.mechanisms.bargaining.constraints import constraints_of, is_allowed
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.outcomes import drawn, layout_of, outcomes_of, own_view
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, problem_of
from comity.mechanisms.bargaining.valuations import computed, tabled

SMALL = domain_of(
    {"size": ["m", "l", "s"], "days": [30, 7]}, {"cost": "days", "half": "0.5 * days"}
)
LARGE = domain_of(
    {f"t{at}": [str(one) for one in range(9)] for at in range(3)}, {"sum": "t0 + t1 + t2"}
)  # 729 deals: enough for arrays


def wants(domain: Domain, **named: Any) -> Any:
    table = {
        term.name: {option: f"{(at + 1) * place}/7" for place, option in enumerate(term.names)}
        for at, term in enumerate(domain.terms)
    }
    return additive(domain, table, **named)


@pytest.fixture(params=["arrays", "lists"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "lists":
        monkeypatch.setattr(module, "numpy_or_none", lambda: None)
    return str(request.param)


def test_g4_the_index_of_a_deal_is_the_place_of_its_text_whatever_the_order_declared() -> None:
    layout = layout_of(SMALL)
    texts = [layout.text(index) for index in range(layout.size)]
    assert texts == sorted(texts)
    other = layout_of(domain_of({"days": [7, 30], "size": ["s", "m", "l"]}))
    assert (other.terms, other.options) == (layout.terms, layout.options)
    for index in range(layout.size):
        assert layout.index(layout.deal(index)) == index
        assert list(layout.deal(index)) == ["size", "days"]


def test_g4_names_that_begin_alike_sort_as_their_texts_do() -> None:
    layout = layout_of(domain_of({"a": ["x", "x1", "x-1"], "b": ["y"]}))
    texts = [layout.text(index) for index in range(layout.size)]
    assert texts == sorted(texts)


@pytest.mark.parametrize("seed", [str(one) for one in range(20)])
def test_g4_a_draw_is_the_lot_over_the_texts(seed: str) -> None:
    names = sorted(f"n{one}" for one in range(7))
    assert names[drawn(seed, "here", 7)] == lot(seed, "here", names).chosen
    assert drawn(seed, "here", 1) == 0


def test_g5_every_worth_is_exact_with_and_without_arrays(either: str) -> None:
    for domain in (SMALL, LARGE):
        view = own_view(domain, Bargainer("ann", wants(domain)))
        assert isinstance(view.utilities, list) is (either == "lists" or domain is SMALL)
        for index in range(0, view.layout.size, 5):
            assert view.of(index) == wants(domain).of(view.deal(index))
        assert [int(view.utilities[one]) for one in view.order] == [*map(int, view.ascending)]
        assert sorted(map(int, view.order)) == list(range(view.layout.size))


def test_equal_deals_stand_in_canonical_order(either: str) -> None:
    view = own_view(LARGE, Bargainer("ann", wants(LARGE)))
    pairs = list(zip(map(int, view.ascending), map(int, view.order), strict=True))
    assert pairs == sorted(pairs)


def test_a_worth_too_large_for_a_machine_word_is_exact_all_the_same() -> None:
    huge = additive(LARGE, {"t0": {"1": 10**30, "2": "1/3"}, "t1": {"1": 1}})
    view = own_view(LARGE, Bargainer("ann", huge))
    assert isinstance(view.utilities, list)
    assert view.of(int(view.order[-1])) == 10**30 + 1


def test_two_sort_keys_that_fit_no_word_still_give_the_stable_order() -> None:
    wide = additive(LARGE, {"t0": {str(one): 2**59 * one for one in range(7)}})
    view = own_view(LARGE, Bargainer("ann", wide))
    pairs = list(zip(map(int, view.ascending), map(int, view.order), strict=True))
    assert not isinstance(view.utilities, list)
    assert pairs == sorted(pairs)


def test_a_reservation_between_two_steps_is_kept_exactly(either: str) -> None:
    for domain in (SMALL, LARGE):
        limit = Fraction(4, 13) if domain is SMALL else Fraction(20, 13)
        view = own_view(domain, Bargainer("ann", wants(domain, reservation=limit)))
        good = [one for one in range(view.layout.size) if view.of(one) >= limit]
        assert sorted(map(int, view.order)) == good
        assert [one for one in range(view.layout.size) if view.is_rational(one)] == good
        assert view.lowest == min(int(view.utilities[one]) for one in good)


def test_a_party_that_accepts_nothing_has_an_empty_order(either: str) -> None:
    for domain in (SMALL, LARGE):
        view = own_view(domain, Bargainer("ann", wants(domain, reservation=10**6)))
        assert len(view.order) == 0 == len(view.ascending)


@pytest.mark.parametrize("op", ["<=", "<", ">=", ">", "=="])
@pytest.mark.parametrize("bound", ["12", "25/2"])
def test_m1_limits_shut_what_they_refuse(op: str, bound: str, either: str) -> None:
    for domain, name in ((LARGE, "sum"), (SMALL, "half")):
        limits = constraints_of(domain, require=[f"{name} {op} {bound}"])
        view = own_view(domain, Bargainer("ann", wants(domain)), limits)
        for index in range(view.layout.size):
            assert view.is_rational(index) is is_allowed(view.deal(index), limits)


def test_m1_excluded_combinations_and_red_lines_are_shut(either: str) -> None:
    limits = constraints_of(LARGE, [{"t0": ["1", "2"], "t1": "3"}], ["sum < 20"])
    lines = constraints_of(LARGE, [{"t2": "8"}])
    view = own_view(LARGE, Bargainer("ann", wants(LARGE, reservation=1), lines), limits)
    for index in range(view.layout.size):
        deal = view.deal(index)
        good = is_allowed(deal, (*limits, *lines)) and wants(LARGE).of(deal) >= 1
        assert view.is_rational(index) is good
    assert len(view.order) == sum(map(view.is_rational, range(view.layout.size)))


def test_a_limit_on_numbers_too_large_for_a_word_is_kept_beside_others() -> None:
    big = domain_of(
        {"a": [str(one) for one in range(30)], "b": [str(one) for one in range(30)]},
        {"huge": "100000000000000000000 * a + b", "small": "a + b"},
    )
    limits = constraints_of(big, require=["huge <= 500000000000000000003", "small > 4"])
    for ordered in (limits, limits[::-1]):
        view = own_view(big, Bargainer("ann", additive(big, {"a": {"3": 1}})), ordered)
        assert view.shut is not None
        broken = [not is_allowed(view.deal(one), limits) for one in range(900)]
        assert [bool(one) for one in view.shut] == broken


def test_m1_tables_and_functions_are_called_deal_by_deal(either: str) -> None:
    for domain in (SMALL, LARGE):
        limits = constraints_of(domain, [{domain.names[0]: domain.terms[0].names[0]}])

        def worth(deal: Any, first: str = domain.names[0], shut: Any = limits) -> object:
            assert is_allowed(deal, shut), "nobody asks for the worth of a deal that is shut"
            return len(deal[first]) + 0.5

        view = own_view(domain, Bargainer("ann", computed(domain, worth)), limits)
        assert {view.of(int(one)) for one in view.order} == {Fraction(3, 2)}
        table = [(deal.values(), at) for at, deal in enumerate(domain.deals())]
        view = own_view(domain, Bargainer("ann", tabled(domain, table)))
        assert view.of(view.index(dict(zip(domain.names, table[5][0], strict=True)))) == 5


def test_m4_beyond_the_cap_is_a_clear_refusal_of_every_party(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_OUTCOMES", 700)
    monkeypatch.setattr(module, "MOST_OUTCOMES_PLAIN", 600)
    both = problem_of(LARGE, {"ann": wants(LARGE), "bob": computed(LARGE, len)})
    with pytest.raises(InvalidInput, match="729 deals") as caught:
        outcomes_of(both)
    assert [fault.whose for fault in caught.value.faults] == ["ann", "bob"]
    monkeypatch.setattr(module, "MOST_OUTCOMES", 729)
    with pytest.raises(InvalidInput) as caught:
        outcomes_of(both)
    assert [fault.whose for fault in caught.value.faults] == ["bob"]
    monkeypatch.setattr(module, "numpy_or_none", lambda: None)
    with pytest.raises(InvalidInput):
        own_view(LARGE, Bargainer("ann", wants(LARGE)))


def test_the_nearest_deal_is_the_worst_at_or_above_the_target(either: str) -> None:
    view = own_view(LARGE, Bargainer("ann", wants(LARGE)))
    targets = [view.best, view.best - 3, view.lowest, 17, 18]
    picks = list(view.nearest_of((*targets, 18), "s"))
    for target, pick in zip([*targets, 18], picks, strict=True):
        start, stop = view.level(target)
        chosen = view.nearest(target, "s")
        reached = [int(one) for one in view.ascending if one >= target]
        assert view.utilities[chosen] == min(reached)
        assert pick == chosen
        equal = [view.layout.text(int(one)) for one in view.order[start:stop]]
        drawn_text = lot("s", view.label(min(reached)), equal).chosen
        assert view.layout.text(chosen) == drawn_text


def test_gains_are_counted_from_the_reservation_or_from_0_or_a_worse_deal() -> None:
    d = domain_of({"a": ["x", "y"]})
    assert own_view(d, Bargainer("ann", additive(d, {"a": {"x": 3}}, reservation=2))).zero == 2
    assert own_view(d, Bargainer("ann", additive(d, {"a": {"x": 3, "y": 1}}))).zero == 0
    assert own_view(d, Bargainer("ann", additive(d, {"a": {"x": 3, "y": -1}}))).zero == -1
