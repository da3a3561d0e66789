"""Comity run: any kind of file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_a_price_file_is_decided_and_recorded(
    comity: Callable[..., Any], price: str, here: Path
) -> None:
    said = comity("run", price, "--svg", "p.svg", "--json")
    assert said.code == 0
    assert (said.json["price"], said.json["round"]) == (80, 4)
    assert (here / "p.svg").read_text().startswith("<svg")
    assert comity("ledger", "--json").json["sessions"][0]["session"] == said.json["session"]


def test_a_price_file_shows_its_table(comity: Callable[..., Any], price: str) -> None:
    said = comity("run", price)
    assert said.out.startswith("Deal at 80 in round 4")
    assert "round  seller  buyer" in said.out
    assert "[DONE]" not in said.out


def test_a_no_deal_of_a_file_has_exit_code_10(
    comity: Callable[..., Any], here: Path, price: str
) -> None:
    (here / price).write_text((here / price).read_text().replace("70", "101"))
    said = comity("run", price, "--json")
    assert said.code == 10
    assert (said.json["price"], said.json["round"]) == (None, None)


def test_a_consent_file_ends_in_the_footer(comity: Callable[..., Any], auth: str) -> None:
    said = comity("run", auth, "--seed", "3")
    assert said.code == 0
    assert said.out.rstrip().endswith("CONSENSUS: Achieved")


def test_seats_can_be_taken_by_others(comity: Callable[..., Any], here: Path, auth: str) -> None:
    (here / "lines.json").write_text('["[DONE]"]')
    said = comity("run", auth, "--agent", "CX=script:lines.json", "--json")
    assert said.code == 10


def test_a_price_has_no_seats(comity: Callable[..., Any], price: str) -> None:
    said = comity("run", price, "--agent", "CC=rational")
    assert said.code == 2
    assert "names 'CC', which has no seat here" in said.err


def test_a_missing_file_names_the_nearest(comity: Callable[..., Any], price: str) -> None:
    said = comity("run", "pirce.toml")
    assert said.code == 2
    assert "did you mean 'price.toml'" in said.err


def test_a_missing_folder_names_the_nearest(
    comity: Callable[..., Any], here: Path, price: str
) -> None:
    (here / "examples").mkdir()
    (here / price).rename(here / "examples" / price)
    assert "did you mean 'examples/price.toml'" in comity("run", "exmples/price.toml").err
    assert "check the path" in comity("run", "elsewhere/price.toml").err


def test_every_fault_of_a_file_is_told(comity: Callable[..., Any], here: Path) -> None:
    (here / "bad.toml").write_text('kind = "bargain"\nround = 3\n[seller]\nopening = true\n')
    said = comity("run", "bad.toml", "--json")
    assert said.code == 2
    assert [fault["next"] for fault in said.json["faults"]] == [
        "did you mean 'rounds' or 'round_limit'",
        "correct seller.opening",
        "add seller.reservation",
        "add buyer",
    ]


def test_a_drawing_spares_the_files_of_the_call(
    comity: Callable[..., Any], here: Path, auth: str, price: str
) -> None:
    (here / "w.txt").write_text("work")
    text = (
        (here / auth).read_text().replace("kind =", 'work = "w.txt"\noutput = "o.md"\nkind =', 1)
    )
    (here / auth).write_text(text)
    for target in (auth, "w.txt", "o.md", "comity.db", "../x.svg"):
        said = comity("run", auth, "--svg", target)
        assert said.code == 2, target
    assert comity("run", price, "--svg", price).code == 2
    assert (here / auth).read_text() == text
    assert not (here / "comity.db").exists()
    (here / auth).write_text(text.replace('"o.md"', '"w.txt"'))
    assert "uses otherwise" in comity("run", auth).err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            (
                'kind = "auction"\nreserve = 0\n[[bids]]\nbidder = "a"\nbid = 3\n'
                '[[bids]]\nbidder = "a"\nbid = 4\n'
            ),
            "bid of 'a': was handed in 2 times",
        ),
        (
            (
                'kind = "deadlock"\nvictim = "lowest_priority"\n[waits]\na = "b"\nb = "a"\n'
                "[priority]\na = 1\n"
            ),
            "priority",
        ),
    ],
)
def test_k1_a_file_that_the_rule_refuses_leaves_no_ledger_behind(
    comity: Callable[..., Any], here: Path, text: str, told: str
) -> None:
    (here / "bad.toml").write_text(text, "utf-8")
    said = comity("run", "bad.toml")
    assert said.code == 2
    assert told in said.err
    assert [one.name for one in here.iterdir()] == ["bad.toml"]
    (here / "good.toml").write_text('kind = "deadlock"\n[waits]\na = "b"\n', "utf-8")
    assert comity("run", "good.toml").code == 0
    assert comity("run", "bad.toml").code == 2
    assert len(comity("ledger", "--json").json["sessions"]) == 1
