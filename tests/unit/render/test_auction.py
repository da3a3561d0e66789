"""Auction text: bids, prices and their reasons, honesty (A3, A4)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.formats.auction_audit import audit_report, other_bids
from comity.mechanisms.auctions import (
    RULE,
    combinatorial_vcg,
    double_vcg,
    first_price,
    mcafee,
    multi_unit_vcg,
    uniform_price,
    vickrey,
)
from comity.render import auction as module
from comity.render.auction import auction_text
from comity.render.ink import Ink

BIDS = {"a": 42, "b": 37, "c": 51, "d": 29}


def text(result: Any, **more: Any) -> str:
    return auction_text({**result.to_json(), **more}, Ink())


def rows(told: str) -> list[list[str]]:
    """Return the cells of the first table."""
    return [line.split() for line in told.split("\n\n")[1].split("\n")]


def test_a4_a_sale_shows_every_bid_what_it_pays_and_what_it_would_take_to_win() -> None:
    told = text(vickrey(BIDS, reserve=0, unit="GBP"))
    assert told.startswith("c wins at 42 GBP (bid 51); the price was set by the bid of a.")
    assert rows(told)[:3] == [
        ["bidder", "bid", "wins", "pays", "gains", "to", "win"],
        ["c", "51", "item", "42", "9"],
        ["a", "42", "above", "51,", "at", "51", "a", "lot"],
    ]
    assert "c pays 42: set by the bid of a; without it the others would have 42" in told
    assert "together: worth 51 GBP to the winners, 42 GBP is paid" in told
    assert "Bidding one's true value is best if\n  - each bidder knows its own value" in told


def test_a1_a_no_sale_says_what_would_have_made_one() -> None:
    told = text(vickrey({"a": 3, "b": 4}, reserve=5))
    assert told.startswith("No sale: the highest bid 4 is below the reserve 5.")
    assert rows(told) == [["bidder", "bid", "to", "win"], ["b", "4", "5"], ["a", "3", "5"]]
    assert "Refused\n  - a: bids 3, below the reserve 5" in told
    assert "What would unblock it\n  - a bid of at least 5" in told
    assert "Why" not in told


def test_a1_a_bid_that_was_set_aside_is_not_in_the_table_and_told_with_its_reason() -> None:
    told = text(vickrey({"a": 3, "b": "nan"}, reserve=0, faulty="refuse"))
    assert [row[0] for row in rows(told)] == ["bidder", "a"]
    assert "  - b: amount is 'nan'" in told
    assert "a pays 0: the reserve" in told
    assert "Worth a second look\n  - no competition" in told


def test_g4_a_lot_is_told_with_its_seed_and_who_was_as_good() -> None:
    told = text(vickrey({"a": 3, "b": 3}, reserve=0, seed="7"))
    assert "winner by a lot (seed 7): " in told
    assert "; as good: " in told
    unseeded = text(vickrey({"a": 3, "b": 3}, reserve=0))
    assert "winner by the digest of the bids (seed " in unseeded
    drawn = text(vickrey({"a": 3, "b": 3}, reserve=0, seed=["0.9"]))
    assert "winner by a lot: b; as good: a" in drawn
    many = {f"b{at}": [5] * 9 for at in range(9)}
    assert "equal bids in the order of" in text(
        multi_unit_vcg(many, units=40, reserve=0, seed="7")
    )


def test_a2_first_price_warns_that_bids_are_shaded() -> None:
    told = text(first_price(BIDS, reserve=0))
    assert "c pays 51: its own bid\n" in told
    assert "Bidding one's true value is never best: it gains nothing\n  - expect bids" in told
    assert "bids are shaded: do not read them as values" in told


def test_a2_bids_on_bundles_stand_one_by_one_with_the_proof() -> None:
    bids = [("g", ["A", "B"], 6), ("x", ["A"], 3), ("x", ["B"], 1), ("y", ["B"], 3)]
    told = text(combinatorial_vcg(bids, seed="2026"))
    assert rows(told)[0][:2] == ["bidder", "on"]
    assert len(rows(told)) == 5
    assert "proved by a dynamic programme: no allocation is worth more than 6; 2 are" in told
    assert "[g: A, B]" in told
    alone = text(combinatorial_vcg([("g", ["A"], 6), ("h", ["A"], 4)]))
    assert "no other is as good" in alone
    assert "what its presence costs the others" in alone


def test_a2_several_units_show_the_bids_for_each() -> None:
    bids = {"a": [10, 6, 2], "b": [8, 5], "c": 7, "d": 1}
    told = text(uniform_price(bids, units=3, reserve=0))
    assert ["a", "10,", "6,", "2", "1", "unit", "6", "4"] in rows(told)
    assert ["d", "1", "above", "7,", "at", "7", "a", "lot"] in rows(told)
    assert "who wants several units gains by hiding some of its demand" in told
    assert "b pays 6: what its presence costs" in text(multi_unit_vcg(bids, units=3, reserve=0))
    short = text(multi_unit_vcg({"a": [3], "b": []}, units=3, reserve=0))
    assert "2 units found no bid at the reserve" in short


def test_a2_a_double_auction_tells_both_sides_and_what_stays_with_the_house() -> None:
    told = text(mcafee({"b": 10, "c": 9, "d": 2}, {"s": 1, "t": 8, "u": 9}))
    assert "gets 8" in told
    assert "together: a gain of 9; 1 stays with the house" in told
    assert "the least gainful trade does not happen" in told
    even = text(mcafee({"b": 9, "c": 8, "d": 4}, {"s": 2, "t": 3, "u": 5}))
    assert "halfway between the first bid and the first cost that do not trade" in even
    deficit = text(double_vcg({"b": 10, "c": 9, "d": 2}, {"s": 1, "t": 8, "u": 9}))
    assert "below 8, at 8 a lot" in deficit
    assert "the house pays" in deficit


def test_a3_the_audit_tells_the_largest_gain_from_a_lie() -> None:
    told = text(first_price(BIDS, reserve=0), audit=audit_report("first_price"))
    assert "Does a lie pay anywhere?\n  - Not truthful: with the value 4 against 0" in told
    assert "the largest gain from a lie is 3, in 125 cases\n" in told
    assert "tried with 2 bidders, 1 for sale, reserve 1" in told
    sampled = {**audit_report("first_price"), "exhaustive": False}
    assert "125 cases, a sample" in text(first_price(BIDS, reserve=0), audit=sampled)


def test_a3_other_bids_are_set_beside_the_true_value() -> None:
    sale = vickrey(BIDS, reserve=0)
    told = text(sale, tries=other_bids(sale, "c", ["45", "40", "42"]))
    table = told.partition("instead")[2].split("\n")[1:4]
    assert [line.split() for line in table] == [
        ["c", "45", "yes", "42", "9", "0"],
        ["c", "40", "no", "0", "-9"],
        ["c", "42", "by", "a", "lot", "42", "4.5", "-4.5"],
    ]


def test_long_sales_are_cut_with_how_much_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 3)
    monkeypatch.setattr(module, "_MOST_REASONS", 1)
    told = text(multi_unit_vcg({f"b{at}": at for at in range(9)}, units=2, reserve=6))
    assert "(6 more bids)" in told
    assert "and 1 more winner\n" in told
    assert "and 3 more\n" in told


def test_g6_conversions_stand_in_the_notes() -> None:
    run, read = RULE
    rates = {"unit": "GBP", "worth": {"ms": "0.02"}}
    bid = {"bidder": "a", "amount": 100, "unit": "ms"}
    told = text(run(read({"bids": [bid], "reserve": 0, "rates": rates})))
    assert "Notes\n  - no competition\n  - bid of a: 100 ms counts as 2 GBP" in told


def test_nothing_of_the_parties_leaves_its_line() -> None:
    data = {
        "kind": "award",
        "says": "a\nb wins",
        "winners": [["a", "item\n"]],
        "payments": [{"name": "a", "value": 3}],
        "price_set_by": [{"winner": "a", "price": 3, "set_by": "clock"}],
        "welfare": 3,
        "revenue": 3,
        "grounds": {"submissions": [{"party": "a", "what": 3}]},
    }
    told = auction_text(data, Ink())
    assert told.startswith("a\\nb wins\n")
    assert "a pays 3: where the clock stopped" in told


def test_a_sale_is_good_news_and_none_is_not() -> None:
    ink = Ink(colours=True)
    assert "\x1b[32m" in auction_text(vickrey(BIDS, reserve=0).to_json(), ink)
    assert "\x1b[33m" in auction_text(vickrey({}, reserve=0).to_json(), ink)
