"""Rows: bids as a table has them, and amounts in other units (A2, G5-G7)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import Fault, InvalidInput
from comity.core.results import result_from_json
from comity.core.units import Rates
from comity.mechanisms.auctions import RULE
from comity.mechanisms.auctions.bids import Bid
from comity.mechanisms.auctions.bundles import BundleBid
from comity.mechanisms.auctions.rows import MOST_UNITS, Rows, rates_from_json

RATES = {"unit": "GBP", "worth": {"tokens": "0.002", "ms": "1/3"}}


def sale(**data: Any) -> Any:
    run, read = RULE
    return run(read(data))


def refusals(**data: Any) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        sale(**data)
    return [str(fault) for fault in refused.value.faults]


def row(bidder: Any, amount: Any, **more: Any) -> dict[str, Any]:
    return {"bidder": bidder, "amount": amount, **more}


def test_a2_rows_become_what_each_auction_takes() -> None:
    assert Rows("second_price").taken([row("a", 4, unit="ms")]) == [Bid("a", 4, "ms")]
    bundle = Rows("combinatorial_vcg").taken([row("a", 4, items=["A"])])
    assert bundle == [BundleBid("a", ["A"], 4)]
    units = Rows("multi_unit_vcg").taken([row("a", 4, units=2), row("b", 3), row("a", 1)])
    assert units == {"a": [4, 4, 1], "b": [3]}


@pytest.mark.parametrize("handed", [{"a": 4}, "bids", None, [["a", 4]], [{"bidder": "a"}]])
def test_what_is_no_row_stays_as_it_is(handed: Any) -> None:
    for auction in ("second_price", "uniform_price"):
        assert Rows(auction).taken(handed) == handed


def test_a2_the_order_of_rows_changes_only_the_order_of_marginal_bids() -> None:
    rows = [row("a", 5), row("b", 5), row("a", 4)]
    data: dict[str, Any] = {"auction": "uniform price", "units": 2, "reserve": 0, "seed": "7"}
    assert sale(bids=rows, **data) == sale(bids=[rows[0], rows[2], rows[1]], **data)


def test_a_mapping_and_rows_say_the_same() -> None:
    told: dict[str, Any] = {"auction": "multi-unit vcg", "units": 2, "reserve": 0, "seed": "7"}
    assert sale(bids={"a": [5, 4], "b": 3}, **told) == sale(
        bids=[row("a", 5), row("a", 4), row("b", 3)], **told
    )


def test_g7_every_fault_of_the_rows_and_of_their_bids_is_told_at_once() -> None:
    said = refusals(bids=[row("a", "x", items=["A"]), row("b", -1, units=2)], reserve=0)
    assert len(said) == 4
    assert "names items, which second_price does not sell" in said[0]
    assert "names units, which second_price does not sell" in said[1]
    assert "amount is 'x'" in said[2]


def test_g7_rows_for_units_tell_their_faults_with_the_bidder() -> None:
    rows = [
        row(3, 4),
        row("a", 4, items=["A"]),
        row("a", 4, units=0),
        row("b", 4, units=MOST_UNITS + 1),
        row("c", 4, units=True),
        ["d", 4],
    ]
    said = refusals(auction="uniform price", units=2, reserve=0, bids=rows)
    told = "\n".join(said)
    for part in (
        "bidder 3: cannot be used",
        "names items",
        "is for 0 units",
        f"is for {MOST_UNITS + 1} units",
        "is for True units",
        "hold ('d', 4)",
    ):
        assert part in told


def test_g6_units_of_rows_must_be_one_or_have_rates() -> None:
    rows = [row("a", 4, unit="GBP"), row("b", 3, unit="ms")]
    for name, more in (("uniform price", {"units": 1}), ("second price", {})):
        said = refusals(auction=name, reserve=0, bids=rows, **more)
        assert "would add different units" in "\n".join(said)
    one = refusals(auction="uniform price", units=1, reserve=0, bids=rows[:1], unit="EUR")
    assert "auction (EUR), bid of a (GBP)" in one[0]
    assert sale(auction="uniform price", units=1, reserve=0, bids=rows[:1]).unit == "GBP"


def test_g6_stated_rates_convert_every_bid_to_one_unit_and_are_recorded() -> None:
    rows = [row("a", 42), row("b", 30_000, unit="tokens"), row("c", 100, unit="ms")]
    found = sale(bids=rows, reserve=0, rates=RATES, seed="7")
    assert found.unit == "GBP"
    assert found.bids == {"a": 42, "b": 60, "c": Fraction(100, 3)}
    assert (found.winner, found.price) == ("b", 42)
    assert found.notes == (
        "bid of b: 30000 tokens counts as 60 GBP",
        "bid of c: 100 ms counts as 100/3 (33.3333) GBP",
    )
    parameters = dict(found.grounds.parameters)
    assert parameters["rates"] == RATES
    assert parameters["converted"] == (("b", "30000 tokens", 60), ("c", "100 ms", "100/3"))
    assert result_from_json(found.to_json()) == found


def test_g6_decimals_stay_decimals_and_the_unit_itself_needs_no_rate() -> None:
    rows = [row("a", "1.5", unit="tokens"), row("b", "0.50", unit="GBP")]
    assert sale(bids=rows, reserve=0, rates=RATES).bids == {
        "a": Decimal("0.003"),
        "b": Decimal("0.50"),
    }


def test_g1_other_rates_make_another_digest_even_where_amounts_are_the_same() -> None:
    one = sale(bids=[row("a", 4)], reserve=0, rates=RATES)
    other = sale(bids=[row("a", 4)], reserve=0, rates={"unit": "GBP", "worth": {}})
    assert one.bids == other.bids
    assert one.grounds.inputs_digest != other.grounds.inputs_digest


def test_g6_units_without_a_rate_and_amounts_that_are_none_are_refused_together() -> None:
    rows = [row("a", 4, unit="EUR"), row("b", "much", unit="ms"), row("c", 1)]
    said = refusals(bids=rows, reserve=0, rates=RATES)
    assert "is measured in 'EUR', which has no rate to 'GBP'" in said[0]
    assert said[1].startswith("bid of 'b': amount is 'much'")
    assert len(said) == 2


def test_many_conversions_are_told_by_their_number() -> None:
    rows = [row(f"b{at}", at, unit="ms") for at in range(21)]
    assert sale(bids=rows, reserve=0, rates=RATES).notes == (
        "21 bids were converted to GBP at the stated rates",
    )


def test_a_no_sale_says_at_which_rates_it_was_one() -> None:
    found = sale(bids=[row("a", 3, unit="ms")], reserve=5, rates=RATES)
    assert (found.kind, found.unit) == ("no_sale", "GBP")
    assert found.notes == ("bid of a: 3 ms counts as 1 GBP",)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (3, "are 3"),
        ({"unit": 3, "worth": {}}, "are {"),
        ({"unit": "GBP", "worth": [1]}, "are {"),
        ({"unit": "GBP", "worth": {"ms": "x"}}, "ms is 'x'"),
        ({"unit": "GBP", "worth": {"ms": 0}}, "ms is worth 0"),
        ({"unit": "GBP", "worth": {"GBP": 1}}, "GBP has a rate"),
    ],
)
def test_g7_rates_that_are_none_are_refused(given: Any, told: str) -> None:
    faults: list[Fault] = []
    rates_from_json(given, faults)
    assert told in str(faults[0])
    assert told in refusals(bids={"a": 1}, reserve=0, rates=given)[0]


def test_no_rates_are_none() -> None:
    assert rates_from_json(None, []) is None
    assert rates_from_json(RATES, []) == Rates(
        "GBP",
        (("ms", Fraction(1, 3)), ("tokens", Decimal("0.002"))),  # type: ignore[arg-type]
    )


def test_g6_the_auction_and_its_rates_agree_on_the_unit() -> None:
    said = refusals(bids={"a": 1}, reserve=0, rates=RATES, unit="EUR")
    assert "convert to 'GBP', the auction is in 'EUR'" in said[0]
    assert sale(bids={"a": 1}, reserve=0, rates=RATES, unit="GBP").unit == "GBP"


def test_a_unit_that_is_no_text_is_left_to_the_reading_of_bids() -> None:
    assert "unit is 3" in refusals(bids={"a": 1}, reserve=0, unit=3)[0]
