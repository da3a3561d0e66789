"""Comity deadlock: who waits for whom in, a circle or none out (L1, L2)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
Comity = Callable[..., Any]


@pytest.fixture
def waits(here: Path) -> str:
    """Put the shipped waits into the folder and return its name."""
    shutil.copy(EXAMPLES / "waits.csv", here / "waits.csv")
    return "waits.csv"


def test_l1_a_circle_exits_10_with_its_members_its_victim_and_what_unblocks_it(
    comity: Comity, waits: str
) -> None:
    said = comity("deadlock", waits, "--seed", "7")
    assert said.code == 10
    assert said.out.startswith("Deadlock of 3: indexer -> writer -> migrator -> indexer.\n")
    assert "Waits for ever\n  indexer, migrator, reporter, writer" in said.out
    told = comity("deadlock", waits, "--seed", "7", "--json")
    assert told.code == 10
    assert list(told.json)[:5] == ["v", "kind", "exit_code", "members", "victims"]
    assert told.json["exit_code"] == 10
    assert told.json["kind"] == "no_decision"
    assert sorted(told.json["members"]) == ["indexer", "migrator", "writer"]
    assert told.json["unblock"] == [f"abort {told.json['victims'][0]} (lot)"]


def test_l1_no_circle_exits_0(comity: Comity, here: Path) -> None:
    (here / "w.csv").write_text("waiter,waits_for\na,b\n", "utf-8")
    said = comity("deadlock", "w.csv", "--json")
    assert (said.code, said.json["kind"]) == (0, "verdict")
    assert (said.json["members"], said.json["victims"]) == ([], [])


def test_l2_the_victim_rule_is_named_in_the_result(comity: Comity, here: Path) -> None:
    text = 'waits = {a = "b", b = "a"}\n[agents]\na = {held = 1}\nb = {held = 2}\n'
    (here / "w.toml").write_text(f'kind = "deadlock"\n{text}', "utf-8")
    told = comity("deadlock", "w.toml", "--victim", "fewest_held", "--json").json
    assert told["victims"] == ["a"]
    assert told["cycles"][0]["rule"] == "fewest held"
    assert told["grounds"]["thin"] == []


def test_a_table_is_read_from_standard_input_too(
    comity: Comity, monkeypatch: pytest.MonkeyPatch, waits: str
) -> None:
    with Path(waits).open("r", encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert comity("deadlock", "-").code == 10


def test_nothing_on_standard_input_is_refused(
    comity: Comity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", object())
    said = comity("deadlock", "-")
    assert said.code == 2
    assert "standard input: is empty" in said.err


def test_k1_with_a_named_ledger_it_is_recorded_and_replays_the_same(
    comity: Comity, waits: str
) -> None:
    said = comity("deadlock", waits, "--db", "d.db", "--json")
    assert said.code == 10
    assert f"recorded as {said.json['session']}" in said.err
    assert comity("replay", "last", "--db", "d.db").out == "same\n"
    why = comity("why", "last", "--db", "d.db").out
    assert "  - indexer: waits writer\n" in why
    assert "  - reporter: soft indexer\n" in why


def test_k1_without_a_named_ledger_no_file_is_left(comity: Comity, waits: str, here: Path) -> None:
    comity("deadlock", waits)
    assert [one.name for one in here.iterdir()] == [waits]


def test_comity_run_takes_waits_that_stand_in_a_scenario(comity: Comity, here: Path) -> None:
    (here / "w.toml").write_text('kind = "deadlock"\nwaits = [["a", "b"], ["b", "a"]]', "utf-8")
    said = comity("run", "w.toml", "--json")
    assert (said.code, said.json["members"]) == (10, ["a", "b"])


def test_g7_every_fault_is_told_at_once(comity: Comity, here: Path) -> None:
    (here / "w.csv").write_text("waiter,waits_for,sft\na,b,\n", "utf-8")
    said = comity("deadlock", "w.csv")
    assert said.code == 2
    assert "did you mean 'soft'" in said.err
    (here / "w.csv").write_text("waiter,waits_for\na,b\n", "utf-8")
    assert "victim is 'oldest'" in comity("deadlock", "w.csv", "--victim", "oldest").err


def test_the_help_has_three_examples(comity: Comity) -> None:
    examples = comity("deadlock", "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity deadlock ") == 3


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ("", 2, "w.csv: is empty"),
        ("waiter,waits_for\n", 2, "w.csv: has no rows"),
        ("waiter,waits_for\na\n", 2, "w.csv line 2: has 1 cell"),
        (
            "\ufeffwaiter,waits_for\r\n\u5c71,\u00e9\r\n\u00e9,\u5c71\r\n",
            10,
            "Deadlock of 2: \u00e9",
        ),
        ("waiter,waits_for\na,a\n", 10, "Deadlock of 1: a -> a"),
        ("waiter,waits_for\na,b\na,b\nb,a\n", 10, "Deadlock of 2: a -> b -> a"),
        ("waiter;waits_for;soft\na;b;maybe\n", 2, "soft is 'maybe'"),
    ],
)
def test_g7_hostile_tables_of_waits(
    comity: Comity, here: Path, text: str, code: int, part: str
) -> None:
    (here / "w.csv").write_bytes(text.encode())
    said = comity("deadlock", "w.csv")
    assert said.code == code
    assert part in said.out + said.err


def test_l1_the_circle_is_drawn(comity: Comity, waits: str, here: Path) -> None:
    said = comity("deadlock", waits, "--seed", "7", "--svg", "d.svg")
    assert "drawn: d.svg" in said.err
    drawn = (here / "d.svg").read_text("utf-8")
    assert drawn == (EXAMPLES.parent / "docs/img/deadlock.svg").read_text("utf-8")
    before = Path(waits).read_text("utf-8")
    assert comity("deadlock", waits, "--svg", waits).code == 2
    assert Path(waits).read_text("utf-8") == before
