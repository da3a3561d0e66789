"""Auction chart: bids as bars, winners filled, the price and the reserve as lines (A4)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from fractions import Fraction
from typing import Any

import pytest

from comity import vickrey
from comity.mechanisms.auctions import (
    combinatorial_vcg,
    double_vcg,
    mcafee,
    multi_unit_vcg,
)
from comity.render.auction_chart import MOST_BARS, auction_chart
from comity.render.charts import chart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(sale: Any) -> ET.Element:
    data = sale.to_json()
    assert auction_chart(data) == auction_chart(data)
    return ET.fromstring(auction_chart(data))  # noqa: S314  # our own text


def texts(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def marks(root: ET.Element, tag: str, name: str) -> list[ET.Element]:
    return [one for one in root.iter(SVG + tag) if name in (one.get("class") or "").split()]


def described(root: ET.Element) -> str:
    return root.findtext(f"{SVG}desc") or ""


def test_a4_the_winner_is_filled_and_the_price_is_a_line() -> None:
    root = drawn(vickrey({"a": 42, "b": 37, "c": 51, "d": 29}, reserve=30))
    assert len(marks(root, "rect", "won")) == 1
    assert len(marks(root, "rect", "lost")) == 3
    assert {"price 42", "reserve 30", "51, pays 42", "42"} <= set(texts(root))
    line = marks(root, "path", "paid")[0].get("d") or ""
    second = marks(root, "rect", "lost")[0]
    end = float(second.get("x") or 0) + float(second.get("width") or 0)
    assert float(line[1:].split()[0]) == pytest.approx(end, abs=0.1)
    assert described(root).startswith("c bids 51, pays 42; a bids 42;")


def test_a4_nothing_sold_shows_the_bids_and_the_reserve() -> None:
    root = drawn(vickrey({"a": 3, "b": 4}, reserve=5))
    assert marks(root, "rect", "won") == []
    assert "reserve 5" in texts(root)
    assert "nobody bid" in texts(drawn(vickrey({}, reserve=5)))
    zero = drawn(vickrey({"a": 0}, reserve=0))
    assert "price 0" in texts(zero)


def test_a4_buyers_and_sellers_have_their_own_prices() -> None:
    both = ({"b": 9, "c": 8, "d": 4}, {"s": 2, "t": 3, "u": 5})
    assert "price 4.5" in texts(drawn(mcafee(*both)))
    root = drawn(double_vcg({"b": 10}, {"s": 2}))
    assert {"buyers pay 2", "sellers get 10", "asks 2, gets 10", "10, pays 2"} <= set(texts(root))


def test_a2_units_and_bundles_say_what_was_won() -> None:
    units = drawn(multi_unit_vcg({"a": [10, 6], "b": [8, 5, 5, 5, 5]}, units=3, reserve=0))
    assert len(marks(units, "path", "unit")) == 5
    assert described(units).startswith(
        "a bids 10, 6, 2 units for 10; b bids 8, 5, 5, 5, 5, 1 unit"
    )
    assert any(one.startswith("8, 5, 5, 5, ...") for one in texts(units))
    bundles = drawn(combinatorial_vcg([("g", ["A", "B"], 10), ("x", ["A"], 6)]))
    assert {"g: A, B", "x: A", "10, pays 6"} <= set(texts(bundles))
    assert marks(bundles, "path", "paid") == []


def test_long_numbers_are_shortened_and_long_names_are_not() -> None:
    name = "a very long name of a bidder and then some more so it wraps"
    root = drawn(vickrey({name: 10**400, "b": Fraction(1, 3)}, reserve=0))
    told = texts(root)
    assert name in " ".join(told)
    assert all(len(one) < 90 for one in told)


def test_of_many_bids_the_highest_are_drawn() -> None:
    root = drawn(vickrey({f"b{at}": at for at in range(MOST_BARS + 2)}, reserve=0))
    assert (
        len([one for one in root.iter(f"{SVG}rect") if one.get("class") != "paper"]) == MOST_BARS
    )
    assert "and 2 more bids" in texts(root)


def test_a4_any_result_is_drawn_by_its_form() -> None:
    found = vickrey({"a": 3}, reserve=0).to_json()
    assert chart(found) == auction_chart(found)
