"""Comity auction: a file of bids in, a sale or none out (A1-A4)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
Comity = Callable[..., Any]
CSV = "bidder,bid\na,42\nb,37\nc,51\nd,29\n"


@pytest.fixture
def sale(here: Path) -> str:
    """Put the shipped auction into the folder and return its name."""
    shutil.copy(EXAMPLES / "auction.toml", here / "auction.toml")
    return "auction.toml"


@pytest.fixture
def bids(here: Path) -> str:
    """Put a table of bids into the folder and return its name."""
    (here / "bids.csv").write_text(CSV, "utf-8")
    return "bids.csv"


def test_a1_the_article_sells_to_c_at_42_with_a_surplus_of_9(comity: Comity, sale: str) -> None:
    said = comity("auction", sale)
    assert said.code == 0
    assert said.err == ""
    assert said.out.startswith("c wins at 42 GBP (bid 51); the price was set by the bid of a.")
    told = comity("auction", sale, "--json").json
    assert told["exit_code"] == 0
    assert list(told)[:5] == ["v", "kind", "exit_code", "winner", "price"]
    assert (told["kind"], told["winner"], told["price"], told["surplus"]) == ("award", "c", 42, 9)
    assert "session" not in told


def test_a3_shading_to_45_changes_nothing_and_to_40_loses_9(comity: Comity, sale: str) -> None:
    told = comity("auction", sale, "--try", "c=45,40", "--json").json
    assert [(one["bid"], one["gain"], one["change"]) for one in told["tries"]] == [
        (45, 9, 0),
        (40, 0, -9),
    ]
    assert "instead  bids" in comity("auction", sale, "--try", "c=45,40").out


def test_a3_the_audit_says_whether_a_lie_pays(comity: Comity, sale: str) -> None:
    told = comity("auction", sale, "--audit", "--json").json["audit"]
    assert (told["verdict"], told["regret"]) == ("truthful", 0)
    first = comity("auction", sale, "--kind", "first-price", "--audit")
    assert "Not truthful" in first.out


@pytest.mark.parametrize(
    ("words", "price"),
    [
        ("--kind second-price", 42),
        ("--kind vickrey --reserve 45.50", "45.50"),
        ("--kind first-price", 51),
        ("--kind uniform-price --units 2", 37),
        ("--kind multi-unit-vcg --units 2", 37),
    ],
)
def test_a2_every_option_reaches_the_auction(
    comity: Comity, sale: str, words: str, price: Any
) -> None:
    assert comity("auction", sale, *words.split(), "--json").json["price"] == price


def test_a1_a_table_needs_its_reserve_said(comity: Comity, bids: str) -> None:
    said = comity("auction", bids)
    assert said.code == 2
    assert "add --reserve 0" in said.err
    assert comity("auction", bids, "--reserve", "0", "--json").json["price"] == 42


def test_a_table_is_read_from_standard_input_too(
    comity: Comity, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "in.csv"
    path.write_text("bidder,bid,items\ng,10,A+B\nx,6,A\n", "utf-8")
    with path.open("r", encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        told = comity("auction", "-", "--kind", "vcg", "--json").json
    assert told["winners"] == [["g", "A, B"]]
    assert told["price"] == 6


def test_a1_below_the_reserve_is_no_sale_with_exit_10(comity: Comity, sale: str) -> None:
    said = comity("auction", sale, "--reserve", "60", "--json")
    assert (said.code, said.json["reason"], said.json["highest_bid"]) == (10, "below_reserve", 51)
    assert (said.json["winner"], said.json["price"]) == (None, None)
    assert said.json["exit_code"] == 10


def test_g8_a_thin_sale_says_so_and_exits_by_its_kind(comity: Comity, here: Path) -> None:
    (here / "one.csv").write_text("bidder,bid\na,5\n", "utf-8")
    said = comity("auction", "one.csv", "--reserve", "0")
    assert said.code == 0
    assert "Worth a second look\n  - no competition" in said.out


def test_g4_a_tie_is_drawn_by_a_seed_that_is_told(comity: Comity, here: Path) -> None:
    (here / "tie.csv").write_text("bidder,bid\na,5\nb,5\n", "utf-8")
    words = ("auction", "tie.csv", "--reserve", "0", "--json")
    drawn = {comity(*words).json["grounds"]["ties"][0]["seed"] for _ in range(3)}
    assert len(drawn) == 3
    assert all(len(seed) == 32 for seed in drawn)
    fixed = {comity(*words, "--seed", "7").json["winner"] for _ in range(3)}
    assert len(fixed) == 1


def test_g7_every_fault_is_told_at_once(comity: Comity, here: Path) -> None:
    (here / "b.csv").write_text("bidder,bid\na,much\nb,-1\n", "utf-8")
    said = comity(
        "auction", "b.csv", "--kind", "frist-price", "--units", "x", "--reserve", "nan",
        "--try", "c",
    )  # fmt: skip
    assert said.code == 2
    for part in (
        "--units: is 'x'",
        "--try: is 'c'",
        "auction 'frist-price': does not exist",
        "did you mean 'first-price'",
        "amount is 'much'",
        "bid of 'b': is -1",
        "reserve is 'nan'",
    ):
        assert part in said.err


@pytest.mark.parametrize("words", ["c=", "=4", "c", "c=x", "nobody=4"])
def test_g7_other_bids_that_cannot_be_tried_are_refused(
    comity: Comity, sale: str, words: str
) -> None:
    assert comity("auction", sale, "--try", words).code == 2


def test_a_file_that_is_missing_or_of_another_kind_is_refused(
    comity: Comity, here: Path, price: str
) -> None:
    (here / "bids.csv").write_text(CSV, "utf-8")
    assert "did you mean 'bids.csv'" in comity("auction", "bid.csv").err
    said = comity("auction", price)
    assert said.code == 2
    assert f"use `comity run {price}`" in said.err


def test_k1_without_a_named_ledger_no_file_is_left(comity: Comity, sale: str, here: Path) -> None:
    comity("auction", sale)
    assert [one.name for one in here.iterdir()] == [sale]


def test_k1_with_a_named_ledger_it_is_recorded_and_why_replay_and_verify_work(
    comity: Comity, sale: str
) -> None:
    said = comity("auction", sale, "--db", "a.db", "--seed", "7", "--json")
    assert f"recorded as {said.json['session']} in a.db" in said.err
    plain = comity("auction", sale, "--seed", "7", "--json").json
    assert {k: v for k, v in said.json.items() if k != "session"} == plain
    assert comity("replay", "last", "--db", "a.db").out == "same\n"
    assert comity("verify", "--db", "a.db").code == 0
    why = comity("why", "last", "--db", "a.db").out
    for part in ("Who gets the GPU tonight?", "c wins at 42 GBP", "  - a: 42\n", "second_price"):
        assert part in why


def test_k1_faults_that_only_the_bids_show_record_nothing(comity: Comity, here: Path) -> None:
    (here / "b.csv").write_text("bidder,bid\na,much\n", "utf-8")
    assert comity("auction", "b.csv", "--reserve", "0", "--db", "a.db").code == 2
    assert not (here / "a.db").exists()


def test_comity_run_takes_an_auction_and_draws_it(comity: Comity, sale: str, here: Path) -> None:
    said = comity("run", sale, "--svg", "a.svg", "--json")
    assert said.code == 0
    assert (said.json["winner"], said.json["price"]) == ("c", 42)
    assert (here / "a.svg").read_text("utf-8").startswith("<svg")


def test_g10_what_follows_a_no_sale_needs_a_session(comity: Comity, here: Path) -> None:
    text = 'kind = "auction"\nreserve = 9\notherwise = ["resolve"]\n[bids]\na = 3\nb = 4\n'
    (here / "a.toml").write_text(text, "utf-8")
    said = comity("auction", "a.toml", "--db", "a.db")
    assert said.code == 2
    assert "use `comity run FILE" in said.err
    done = comity("run", "a.toml", "--json")
    assert (done.code, done.json["kind"]) == (0, "choice")


def test_the_help_has_three_examples(comity: Comity) -> None:
    examples = comity("auction", "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity auction ") == 3


def test_g7_a_bid_that_cannot_be_tried_leaves_no_record(comity: Comity, sale: str) -> None:
    said = comity("auction", sale, "--try", "z=4", "--db", "a.db")
    assert (said.code, said.out) == (2, "")
    assert "--try: 'z' does not bid" in said.err
    assert not Path("a.db").exists()


@pytest.mark.parametrize(
    ("text", "words", "part"),
    [
        ("", "", "b.csv: is empty"),
        ("bidder,bid\r\na,nan\r\n", "", "amount is 'nan'"),
        ("bidder,bid\na,1e400\n", "", "amount is '1e400'"),
        ("bidder,bid\na,5\n", "--reserve inf", "reserve is 'inf'"),
        ("bidder,bid\na,5\na,6\n", "", "was handed in 2 times"),
        ("bidder,bid\na,5\n", "--kind mcafee", "these name no side"),
        ("bidder,bid\na,5\n", "--kind vcg", "name none"),
        ("bidder,bid,items\na,5,A\n", "--kind vcg --try a=4", "--try: asks what another bid"),
    ],
)
def test_g7_hostile_tables_are_refused_in_plain_words(
    comity: Comity, here: Path, text: str, words: str, part: str
) -> None:
    (here / "b.csv").write_bytes(text.encode())
    said = comity("auction", "b.csv", "--reserve", "0", *words.split())
    assert (said.code, said.out) == (2, "")
    assert part in said.err
    assert not {"Decimal", "Fraction", "tuple", "()", "Traceback"} & set(said.err.split())


def test_g4_many_equal_bids_are_counted_and_not_all_named(comity: Comity, here: Path) -> None:
    rows = "".join(f"b{at:03},5\r\n" for at in range(200))
    (here / "tie.csv").write_text(f"\ufeffbidder,bid\r\n{rows}", "utf-8")
    said = comity("auction", "tie.csv", "--reserve", "0").out
    assert "the price was set by the bids of b" in said.partition("\n")[0]
    assert said.partition("\n")[0].endswith("and 187 more.")


def test_a4_the_sale_is_drawn(comity: Comity, here: Path) -> None:
    (here / "b.csv").write_text("bidder,bid\na,42\nc,51\n", "utf-8")
    said = comity("auction", "b.csv", "--reserve", "0", "--svg", "a.svg")
    assert "drawn: a.svg" in said.err
    assert (here / "a.svg").read_text("utf-8").startswith("<svg")
    assert comity("auction", "b.csv", "--reserve", "0", "--svg", "b.csv").code == 2
    assert (here / "b.csv").read_text("utf-8").startswith("bidder")
