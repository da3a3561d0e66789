"""Price results: do they survive JSON, and can a person read them?"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from comity.core.results import result_from_json
from comity.mechanisms.bargaining.price import bargain
from comity.mechanisms.bargaining.results import OfferPath, PriceAgreement, PriceNoDeal, PriceRow

BUYER, SELLER = (60, 100), (120, 70)

EVERY_KIND: list[dict[str, Any]] = [
    {},
    {"rounds": 7},
    {"buyer": ("60.5", 100)},
    {"schedule": "conceder", "rounds": 9},
    {"discount": "0.9"},
    {"convention": "midpoint"},
    {"buyer": (60, 65)},
    {"buyer": (60, 65), "blind": True, "stall": 2},
    {"buyer": (60, 65), "blind": True, "round_limit": 1, "readings_ms": (0, 1)},
    {"seller_schedule": [120, 90, 95]},
]


@pytest.mark.parametrize("options", EVERY_KIND)
def test_g1_a_result_comes_back_equal_from_its_json(options: dict[str, Any]) -> None:
    found = bargain(**{"buyer": BUYER, "seller": SELLER} | options)
    again = result_from_json(json.loads(json.dumps(found.to_json())))
    assert again == found
    assert hash(again) == hash(found)
    assert again.to_json() == found.to_json()
    assert str(again) == str(found)


def test_g1_prices_in_json_are_whole_numbers_or_text() -> None:
    data = bargain(buyer=BUYER, seller=SELLER, rounds=7).to_json()
    assert data["offers"][1]["prices"][:2] == [120, "790/7"]  # type: ignore[index,call-overload]
    assert (data["kind"], data["form"]) == ("agreement", "price")


def test_b8_the_table_has_one_row_for_each_round() -> None:
    found = bargain(buyer=BUYER, seller=SELLER)
    assert isinstance(found, PriceAgreement)
    assert found.table() == (
        PriceRow(0, 120, 60, 60, None),
        PriceRow(1, 110, 68, 42, None),
        PriceRow(2, 100, 76, 24, None),
        PriceRow(3, 90, 84, 6, None),
        PriceRow(4, 80, 92, -12, "buyer"),
    )


def test_b8_both_accept_the_midpoint() -> None:
    found = bargain(buyer=BUYER, seller=SELLER, convention="midpoint")
    assert found.table()[-1].accepts == "both"


def test_b7_the_table_of_a_no_deal_ends_without_acceptance() -> None:
    found = bargain(buyer=(60, 65), seller=SELLER, blind=True)
    assert isinstance(found, PriceNoDeal)
    assert found.table()[-1] == PriceRow(5, 70, 65, 5, None)
    assert bargain(buyer=(60, 65), seller=SELLER).table() == ()


def test_the_type_of_a_gap_is_that_of_the_offers() -> None:
    found = bargain(buyer=("60.0", 100), seller=SELLER)
    assert isinstance(found.table()[1].gap, Decimal)


def test_b8_a_printed_agreement_ends_with_its_table() -> None:
    text = str(bargain(buyer=BUYER, seller=SELLER))
    assert text.startswith("Deal at 80 in round 4: buyer accepts seller's offer S4;")
    assert text.endswith(
        "round  seller  buyer  gap  accepts\n"
        "    0     120     60   60\n"
        "    1     110     68   42\n"
        "    2     100     76   24\n"
        "    3      90     84    6\n"
        "    4      80     92  -12  buyer"
    )
    assert "prices" not in text


def test_a_printed_no_deal_has_a_table_when_there_were_rounds() -> None:
    assert "round  seller  buyer" in str(bargain(buyer=(60, 65), seller=SELLER, blind=True))
    empty = str(bargain(buyer=(60, 65), seller=SELLER))
    assert "round  seller  buyer" not in empty
    assert empty.startswith("No deal is possible")


def test_an_offer_that_was_not_made_is_blank() -> None:
    found = bargain(buyer=BUYER, seller=(90, 85), convention="alternating", first="seller")
    assert str(found).splitlines()[-1].split() == ["4", "86", "buyer"]


@pytest.mark.parametrize(("rounds", "lines", "left_out"), [(40, 41, None), (41, 41, 2)])
def test_a_long_table_is_printed_with_both_of_its_ends(
    rounds: int, lines: int, left_out: int | None
) -> None:
    text = str(bargain(buyer=(60, 65), seller=SELLER, rounds=rounds, blind=True))
    rows = text.split("accepts\n")[1].splitlines()
    assert len(rows) == lines
    assert ("..." in text) is (left_out is not None)
    assert left_out is None or f"... {left_out} rounds ..." in text
    assert rows[-1].split()[0] == str(rounds)


def test_a_path_may_hold_a_tuple() -> None:
    path = OfferPath(party="seller", role="seller", prices=(120, 110))
    assert path == OfferPath(party="seller", role="seller", prices=(120, 110))
