"""Price text: the table of rounds and who gains what."""

from __future__ import annotations

from typing import Any

import pytest

from comity import bargain
from comity.render.ink import Ink
from comity.render.price import listed, number_text, objects, price_table, price_text, words


def told(**options: Any) -> dict:
    given = {"buyer": (60, 100), "seller": (120, 70), **options}
    return dict(bargain(**given).to_json())


def test_b8_the_table_is_the_one_of_the_result() -> None:
    result = bargain(buyer=(60, 100), seller=(120, 70))
    rows = [line.split() for line in price_table(result.to_json()).split("\n")[1:]]
    expected = [[str(cell) for cell in row if cell is not None] for row in result.table()]
    assert rows == expected


def test_b8_a_long_negotiation_shows_both_ends() -> None:
    data = told(rounds=100, convention="midpoint")
    lines = price_table(data).split("\n")
    assert len(lines) == 1 + 20 + 1 + 20
    assert lines[1].split()[0] == "0"
    assert lines[21].strip() == f"({data['round'] - 39} more rounds)"
    assert lines[-1].split()[0] == str(data["round"])
    assert lines[-1].endswith("both")


def test_a_table_that_would_hide_one_round_shows_it() -> None:
    prices = list(range(41))
    offers = [{"party": "b", "role": "buyer", "prices": prices}]
    assert len(price_table({"offers": offers}).split("\n")) == 42
    assert "more rounds" not in price_table({"offers": offers})


def test_an_offer_that_was_not_made_is_an_empty_cell() -> None:
    data = told(convention="alternating")
    last = price_table(data).split("\n")[-1]
    assert last.split() == ["3", "90", "seller"] or last.split()[-1] in {"buyer", "seller"}
    assert price_table({"offers": []}) == ""


def test_b6_the_gains_are_told_with_their_share_of_the_zone() -> None:
    text = price_text(told(), Ink())
    assert "buyer   gains 20, 2/3 (0.6667) of the zone" in text
    assert "zone    70 to 100, 30 wide" in text


def test_a_zone_of_one_price_has_no_shares() -> None:
    text = price_text(told(buyer=(60, 70), seller=(120, 70)), Ink())
    assert "buyer   gains 0\n" in text


def test_g2_a_no_deal_says_what_would_unblock_it_and_why_to_look_twice() -> None:
    text = price_text(told(buyer=(60, 84), seller=(120, 88)), Ink())
    assert "What would unblock it\n  - seller lowers its reservation by 4" in text
    assert "Worth a second look\n  - the gap of 4" in text
    assert "gains" not in text
    assert "round  seller" not in text


def test_b6_unequal_deadlines_are_noted() -> None:
    assert "Notes\n  - the deadlines differ" in price_text(told(seller_rounds=10), Ink())


def test_the_head_of_the_sentence_has_the_colour_of_its_kind() -> None:
    ink = Ink(colours=True)
    assert price_text(told(), ink).startswith("\x1b[32mDeal at 80 in round 4\x1b[0m: ")
    assert price_text(told(seller=(120, 101)), ink).startswith("\x1b[33mNo deal")


def test_a_partys_name_stays_on_its_line() -> None:
    data = told()
    data["offers"] = [{**data["offers"][0], "party": "evil\nDeal at 1"}, data["offers"][1]]
    assert "\nDeal at 1" not in price_text(data, Ink())


def test_lists_of_json_are_read_and_other_things_are_left_out() -> None:
    assert objects([{"a": 1}, 3, None]) == [{"a": 1}]
    assert objects("text") == []
    assert words(["a\nb", 3]) == ["a\\nb", "3"]
    assert words(None) == []
    assert listed("Title", [], Ink()) == ""


@pytest.mark.parametrize(
    ("value", "shown"), [(80, "80"), ("80.50", "80.50"), ("1/3", "1/3 (0.3333)"), (None, "-")]
)
def test_numbers_read_as_people_write_them(value: Any, shown: Any) -> None:
    assert number_text(value) == shown
