"""Unit tests of tables and functions, and of names from elsewhere: M1, G5, G7."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.domain import Domain, domain_from_json, domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.valuations import computed, tabled

DOMAIN = domain_of({"a": ["x", "y"], "b": [1, 2]})
DEALS = [(deal["a"], deal["b"]) for deal in DOMAIN.deals()]


def test_m1_a_table_values_every_deal() -> None:
    found = tabled(DOMAIN, [(deal, at) for at, deal in enumerate(DEALS)], reservation="1.5")
    assert [found.of(deal) for deal in DOMAIN.deals()] == [0, 1, 2, 3]
    assert [found.accepts(deal) for deal in DOMAIN.deals()] == [False, False, True, True]
    assert tabled(DOMAIN, dict.fromkeys(DEALS, 0)).accepts({"a": "x", "b": "1"})


def test_g7_every_fault_of_a_table_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        tabled(
            DOMAIN,
            [(("x", 1), 1), (("x", 1), 2), (("x",), 1), (("z", 1), 1), (("y", 2), float("nan"))],
            reservation=float("inf"),
            discount=2,
            whose="ann",
        )
    said = str(caught.value)
    for words in (
        "values ('x', '1') twice",
        "values the deal ('x',)",
        "sets a to 'z'",
        "value of y, 2 is nan",
        "reservation is inf",
        "discount is 2",
    ):
        assert words in said, words
    with pytest.raises(InvalidInput, match="leaves 3 deals without a value"):
        tabled(DOMAIN, [(DEALS[0], 1)])
    with pytest.raises(InvalidInput, match="leaves 1 deal without a value"):
        tabled(DOMAIN, [(deal, 1) for deal in DEALS[1:]])


def test_m1_a_function_is_read_exactly_and_checked_at_each_deal() -> None:
    found = computed(DOMAIN, lambda deal: 0.1 * int(deal["b"]), reservation=Decimal("0.15"))
    assert found.of({"a": "x", "b": "1"}) == Fraction(1, 10)
    assert not found.accepts({"a": "x", "b": "1"})
    assert found.accepts({"a": "x", "b": "2"})
    assert computed(DOMAIN, lambda _: 1).accepts({"a": "x", "b": "1"})
    with pytest.raises(InvalidInput, match=r"ann: value of a = x, b = 1 is None"):
        computed(DOMAIN, lambda _: None, whose="ann").of({"a": "x", "b": "1"})
    with pytest.raises(InvalidInput, match="gives no function"):
        computed(DOMAIN, "value", whose="ann")  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("discount", [0, -1, "1.01", "nan"])
def test_b10_a_discount_is_over_0_and_at_most_1(discount: object) -> None:
    with pytest.raises(InvalidInput, match="discount"):
        additive(DOMAIN, {}, discount=discount)  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("reservation", [float("nan"), float("inf"), "nan", True, Decimal("NaN")])
def test_n7_a_reservation_that_is_not_a_number_is_refused(reservation: object) -> None:
    for build in (
        lambda: additive(DOMAIN, {}, reservation=reservation),  # type: ignore[arg-type]  # tested
        lambda: computed(DOMAIN, lambda _: 1, reservation=reservation),
        lambda: tabled(DOMAIN, [(deal, 1) for deal in DEALS], reservation=reservation),
    ):
        with pytest.raises(InvalidInput, match="reservation is"):
            build()


def test_n1_the_reservation_stays_with_a_discount() -> None:
    found = additive(DOMAIN, {"a": {"x": 1}}, reservation="0.5", discount="0.75")
    assert (found.reservation, found.discount) == (Fraction(1, 2), Fraction(3, 4))
    assert found.to_json()["discount"] == Fraction(3, 4)


def strange() -> Domain:
    return domain_of({"Hard disk (GB)": ["60 + x", "80%"], "b": [1, 2]}, free=True)


def test_m1_names_from_elsewhere_may_be_any_printable_text() -> None:
    assert domain_from_json(strange().to_json()) == strange()
    assert domain_of({"a": ["x", "X"]}, free=True).size == 2
    for name in ("", " a", "a\n", "a" * 201, "\u202ea"):
        with pytest.raises(InvalidInput, match="cannot be used as a name"):
            domain_of({"a": [name]}, free=True)
    with pytest.raises(InvalidInput, match="cannot be used as a name"):
        domain_of({" a": ["x"]}, free=True)
    with pytest.raises(InvalidInput, match="cannot be used as a name"):
        domain_of({"Hard disk (GB)": ["60"]})
