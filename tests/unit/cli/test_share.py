"""Comity share: a budget and gains in, a split or none out (D1-D3)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
Comity = Callable[..., Any]
CSV = "agent,amount,gain\na,4000,8000\nb,6000,13500\nb,3000,9000\n"


@pytest.fixture
def budget(here: Path) -> str:
    """Put the shipped budget into the folder and return its name."""
    shutil.copy(EXAMPLES / "budget.toml", here / "budget.toml")
    return "budget.toml"


def test_d2_three_campaigns_share_12000_a_day(comity: Comity, budget: str) -> None:
    said = comity("share", budget)
    assert said.code == 0
    assert said.out.startswith("Shared 12000 by utilitarian: north 4000, south 6000, west 2000.\n")
    for part in ("shadow price 1.5", "first come", "equal split", "static priority", "15560"):
        assert part in said.out
    told = comity("share", budget, "--json").json
    assert list(told)[:5] == ["v", "kind", "exit_code", "allocation", "gains"]
    assert told["exit_code"] == 0
    assert told["allocation"] == {"north": 4000, "south": 6000, "west": 2000}
    assert (told["total_gain"], told["shadow_price"]) == (26500, "3/2")


@pytest.mark.parametrize(
    ("words", "key", "value"),
    [
        ("--objective nash", "objective", "nash"),
        ("--objective leximin", "objective", "leximin"),
        ("--budget 6000.00", "budget", "6000.00"),
        ("--budget 9000", "budget", 9000),
    ],
)
def test_d1_every_option_reaches_the_sharing(
    comity: Comity, budget: str, words: str, key: str, value: Any
) -> None:
    told = comity("share", budget, *words.split(), "--json").json
    assert told[key] == value


def test_a_table_of_gains_needs_a_budget(comity: Comity, here: Path) -> None:
    (here / "gains.csv").write_text(CSV, "utf-8")
    said = comity("share", "gains.csv")
    assert said.code == 2
    assert "lacks budget" in said.err
    told = comity("share", "gains.csv", "--budget", "7000", "--json").json
    assert sum(told["allocation"].values()) == 7000


def test_d3_minima_that_do_not_fit_exit_10_with_the_shortfall(
    comity: Comity, budget: str, here: Path
) -> None:
    text = Path(budget).read_text("utf-8").replace("budget = ", "minimum = 5000\nbudget = ")
    (here / "tight.toml").write_text(text, "utf-8")
    said = comity("share", "tight.toml", "--json")
    assert (said.code, said.json["shortfall"], said.json["allocation"]) == (10, 3000, None)


def test_a_drawing_is_written_and_never_over_what_is_read(
    comity: Comity, budget: str, here: Path
) -> None:
    said = comity("share", budget, "--svg", "b.svg")
    assert "drawn: b.svg" in said.err
    assert (here / "b.svg").read_text("utf-8").startswith("<svg")
    before = Path(budget).read_text("utf-8")
    assert comity("share", budget, "--svg", budget).code == 2
    assert Path(budget).read_text("utf-8") == before
    assert comity("share", budget, "--svg", "no/b.svg").code == 2


def test_k1_with_a_named_ledger_it_is_recorded_and_replays_the_same(
    comity: Comity, budget: str
) -> None:
    said = comity("share", budget, "--db", "s.db", "--json")
    assert f"recorded as {said.json['session']}" in said.err
    assert comity("replay", "last", "--db", "s.db").out == "same\n"
    why = comity("why", "last", "--db", "s.db").out
    assert "north: segments 4000 2, 4000 11/10, 4000 2/5" in why
    assert "asks north 11400" in why


def test_k1_without_a_named_ledger_no_file_is_left(
    comity: Comity, budget: str, here: Path
) -> None:
    comity("share", budget)
    assert [one.name for one in here.iterdir()] == [budget]


def test_comity_run_takes_a_budget_with_its_drawing(
    comity: Comity, budget: str, here: Path
) -> None:
    said = comity("run", budget, "--svg", "b.svg", "--json")
    assert said.json["allocation"] == {"north": 4000, "south": 6000, "west": 2000}
    assert (here / "b.svg").read_text("utf-8").startswith("<svg")


def test_g7_every_fault_is_told_at_once(comity: Comity, budget: str) -> None:
    said = comity("share", budget, "--budget", "much", "--objective", "fair")
    assert said.code == 2
    assert "objective is 'fair'" in said.err
    said = comity("share", budget, "--budget", "-1")
    assert "budget is -1" in said.err


def test_the_help_has_three_examples(comity: Comity) -> None:
    examples = comity("share", "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity share ") == 3


@pytest.mark.parametrize(
    ("agents", "words", "part"),
    [
        ("a = [[4, 2]]", "--budget nan", "b.toml: budget is 'nan'"),
        ("a = [[4, 2]]", "--budget 1e400", "Allowed: a number such as 120"),
        ("a = [[4, 2]]", "--budget -1", "b.toml: budget is -1"),
        ("", "", "b.toml agents: are {}"),
        ("a = [[inf, 2]]", "", "a: width 0 is 'Infinity'"),
        ("a = [[4, -2]]", "", "a: slope 0 is -2"),
        ("a = [[4, 1], [4, 2]]", "", "write concavify = true"),
        ("a = {demand = 4, minimum = 5, maximum = 3}", "", "above its maximum 3"),
    ],
)
def test_g7_hostile_budgets_are_refused_in_plain_words(
    comity: Comity, here: Path, agents: str, words: str, part: str
) -> None:
    (here / "b.toml").write_text(f'kind = "share"\nbudget = 9\n[agents]\n{agents}\n', "utf-8")
    said = comity("share", "b.toml", *words.split())
    assert (said.code, said.out) == (2, "")
    told = " ".join(said.err.split()).replace("allowed:", "Allowed:")
    assert part in told
    assert "Decimal" not in told


def test_d1_a_budget_of_any_length_is_split_to_the_unit(comity: Comity, here: Path) -> None:
    text = f'kind = "share"\nbudget = {10**60}\n[agents]\n'
    text += f"a = [[0.5, 3], [{10**70}, 2]]\nb = [[{10**70}, 2]]\n"
    (here / "b.toml").write_text(text, "utf-8")
    for objective in ("nash", "utilitarian", "leximin"):
        told = comity("share", "b.toml", "--objective", objective, "--json").json
        assert sum(told["allocation"].values()) == 10**60
