"""Comity bargain: words in, a price or a no-deal out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.core.results import result_from_json

SOURCE = ("bargain", "--seller", "120:70", "--buyer", "60:100", "--rounds", "5")


def test_b8_the_worked_example_is_a_deal_at_80_in_round_4_with_its_table(
    comity: Callable[..., Any],
) -> None:
    said = comity(*SOURCE)
    assert said.code == 0
    assert said.err == ""
    lines = said.out.split("\n")
    assert lines[0].startswith("Deal at 80 in round 4")
    assert lines[2].split() == ["round", "seller", "buyer", "gap", "accepts"]
    assert [line.split() for line in lines[3:8]] == [
        ["0", "120", "60", "60"],
        ["1", "110", "68", "42"],
        ["2", "100", "76", "24"],
        ["3", "90", "84", "6"],
        ["4", "80", "92", "-12", "buyer"],
    ]
    assert "buyer   gains 20, 2/3" in said.out
    assert "seller  gains 10, 1/3" in said.out


def test_b7_a_stall_names_both_offers_the_gap_and_the_rounds_without_movement(
    comity: Callable[..., Any],
) -> None:
    said = comity("bargain", "--seller", "120:88", "--buyer", "60:84", "--blind", "--stall", "6")
    assert said.code == 10
    assert "seller at 88, buyer at 84, 4 apart, 6 rounds without movement" in said.out
    assert "What would unblock it" in said.out


def test_b2_an_empty_zone_is_seen_before_the_first_round(comity: Callable[..., Any]) -> None:
    said = comity("bargain", "--seller", "120:88", "--buyer", "60:84", "--json")
    assert said.code == 10
    assert said.json["reason"] == "no_overlap"
    assert (said.json["price"], said.json["round"]) == (None, None)


def test_g1_the_json_is_the_whole_result_with_price_and_round(comity: Callable[..., Any]) -> None:
    told = comity(*SOURCE, "--json").json
    assert list(told)[:2] == ["v", "kind"]
    assert (told["v"], told["kind"], told["price"], told["round"]) == (1, "agreement", 80, 4)
    assert result_from_json(told).price == 80
    assert "session" not in told


@pytest.mark.parametrize(
    ("words", "price", "at"),
    [
        ("", 80, 4),
        ("--first seller", 92, 4),
        ("--convention midpoint", 86, 4),
        ("--convention next_round", 90, 3),
        ("--convention next_round --first seller", 84, 3),
        ("--convention alternating", 90, 3),
        ("--convention alternating --first seller", 84, 3),
        ("--seller-rounds 10", 95, 5),
        ("--buyer-rounds 10 --seller-rounds 5", 70, 5),
        ("--split 50:50", 85, 2),
        ("--split 25:75", "185/2", 2),
        ("--schedule polynomial:0.2", 70, 5),
        ("--tick 5 --stall 2", 80, 4),
    ],
)
def test_b4_every_option_reaches_the_bargaining(
    comity: Callable[..., Any], words: Any, price: Any, at: Any
) -> None:
    told = comity(*SOURCE, *words.split(), "--json").json
    assert (told["price"], told["round"]) == (price, at)


def test_b3_each_party_may_have_its_own_schedule(comity: Callable[..., Any]) -> None:
    told = comity(
        *SOURCE, "--seller-schedule", "fixed", "--buyer-schedule", "polynomial:5", "--json"
    ).json
    assert [one["what"]["schedule"] for one in told["grounds"]["submissions"]] == [
        "polynomial:5",
        "fixed",
    ]


def test_g7_every_fault_of_the_words_is_told_at_once(comity: Callable[..., Any]) -> None:
    said = comity("bargain", "--seller", "120", "--rounds", "x", "--stall", "0", "--json")
    assert said.code == 2
    assert [fault["whose"] for fault in said.json["faults"]] == [
        "--seller",
        "bargain",
        "--rounds",
        "--stall",
    ]


def test_g7_faults_of_the_parties_are_told_with_the_party_and_the_field(
    comity: Callable[..., Any],
) -> None:
    said = comity("bargain", "--seller", "60:nan", "--buyer", "90:80", "--convention", "same")
    assert said.code == 2
    assert "seller: reservation is 'nan'" in said.err
    assert "buyer: opens at 90, above its reservation 80" in said.err
    assert "same_round" in said.err


@pytest.mark.parametrize(
    "words",
    [
        ("--split", "50:50", "--schedule", "linear"),
        ("--split", "50:50", "--buyer-rounds", "3"),
        ("--split", "50"),
        ("--split", "0:0"),
    ],
)
def test_a_split_that_cannot_be_is_refused(comity: Callable[..., Any], words: Any) -> None:
    assert comity(*SOURCE, *words).code == 2


def test_k1_without_a_named_ledger_no_file_is_left(comity: Callable[..., Any], here: Path) -> None:
    comity(*SOURCE)
    assert list(here.iterdir()) == []


def test_k1_with_a_named_ledger_it_is_recorded_and_replays_the_same(
    comity: Callable[..., Any], here: Path
) -> None:
    words = ("--seller-rounds", "10", "--buyer-schedule", "polynomial:2", "--tick", "1")
    said = comity(*SOURCE, *words, "--db", "b.db", "--json")
    assert said.code == 0
    assert f"recorded as {said.json['session']}" in said.err
    plain = comity(*SOURCE, *words, "--json").json
    assert {k: v for k, v in said.json.items() if k != "session"} == plain
    assert comity("replay", "last", "--db", "b.db").out == "same\n"


def test_k1_the_environment_names_a_ledger_too(
    comity: Callable[..., Any], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMITY_DB", "env.db")
    comity(*SOURCE, "-q")
    assert (here / "env.db").exists()


def test_a_drawing_is_written_and_said_so(comity: Callable[..., Any], here: Path) -> None:
    refused = comity(*SOURCE, "--svg", "deep/deal.svg")
    assert refused.code == 2
    assert "cannot be written" in refused.err
    assert not (here / "deep").exists()
    (here / "deep").mkdir()
    said = comity(*SOURCE, "--svg", "deep/deal.svg")
    assert "drawn: deep/deal.svg" in said.err
    assert (here / "deep" / "deal.svg").read_text().startswith("<svg")


def test_a_place_where_nothing_can_be_written_is_found_before_deciding(
    comity: Callable[..., Any], here: Path
) -> None:
    (here / "taken").write_text("x")
    said = comity(*SOURCE, "--svg", "taken/deal.svg", "--db", "b.db")
    assert said.code == 2
    assert "cannot be written" in said.err
    assert not (here / "b.db").exists()


def test_a_drawing_never_takes_the_place_of_a_ledger(
    comity: Callable[..., Any], here: Path
) -> None:
    comity(*SOURCE, "--db", "b.db", "-q")
    before = (here / "b.db").read_bytes()
    for words in (("--db", "b.db"), ()):
        said = comity(*SOURCE, "--svg", "b.db", *words)
        assert said.code == 2
        assert "is a ledger" in said.err
    assert (here / "b.db").read_bytes() == before


def test_prices_stay_exact(comity: Callable[..., Any]) -> None:
    words = ("bargain", "--seller", "0.30:0.10", "--buyer", "1/3:1/2", "--json")
    told = comity(*words).json
    assert told["terms"][0][1] == told["price"]
    assert "." in str(told["price"]) or "/" in str(told["price"])


def test_g7_a_word_that_cannot_be_read_hides_no_other_fault(comity: Callable[..., Any]) -> None:
    said = comity(
        "bargain",
        "--seller",
        "NaN:70",
        "--buyer",
        "60:20",
        "--schedule",
        "zig",
        "--convention",
        "foo",
        "--rounds",
        "-3",
    )
    assert said.code == 2
    for part in (
        "--rounds: is '-3'",
        "buyer: opens at 60",
        "seller: opening is 'NaN'",
        "schedule 'zig'",
        "convention 'foo'",
    ):
        assert part in said.err
