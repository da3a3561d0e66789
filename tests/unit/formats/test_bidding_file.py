"""formats/bidding_file.py, A1, A2, G5, G7: a live auction as a file."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.bidding_file import SCHEMA
from comity.formats.scenario import Scenario, read_scenario, scenario_from
from comity.formats.schema import schema_faults
from comity.protocols.bidding.opening import rules_from_json
from comity.protocols.bidding.rules import BiddingRules

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
DATA = {"kind": "bidding", "item": "a slot", "bidders": ["ann", "bob"], "reserve": 0}


def read(folder: Path | None = None, **more: Any) -> Scenario:
    return scenario_from({**DATA, **more}, whose="x.toml", folder=folder or Path(), seed="5")


def rules(scenario: Scenario) -> BiddingRules:
    return rules_from_json(scenario.rules)


def refusal(**more: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        read(**more)
    return str(refused.value)


def test_a_list_of_names_and_a_reserve_are_enough() -> None:
    found = read()
    assert (found.kind, found.title, found.agents, found.private) == ("bidding", "a slot", {}, {})
    assert (rules(found).rule, rules(found).seed) == ("second_price", "5")
    assert rules(read(seed=9)).seed == "9"


def test_the_shipped_example_reads_as_it_says() -> None:
    found = read_scenario(EXAMPLES / "bidding.toml", seed="1")
    made = rules(found)
    assert made.bidders == ("a", "b", "c", "d")
    assert (made.commit, made.unit, made.limits.deadline_ms) == (True, "GBP", 60_000)
    assert set(found.agents.values()) == {"rational"}


def test_a_value_is_private_and_seats_a_rational_bidder() -> None:
    found = read(bidders={"ann": {"value": 42.5}, "bob": {"value": ["3", 2], "agent": "person"}})
    assert found.private == {"ann": {"value": "42.5"}, "bob": {"value": [3, 2]}}
    assert found.agents == {"ann": "rational", "bob": "person"}
    assert "42.5" not in json.dumps(found.rules)


def test_a2_a_secret_is_drawn_where_bids_are_hashed() -> None:
    both = {"ann": {"value": 42}, "bob": {"value": 42}}
    secrets = [read(bidders=both, commit=True).private[name]["secret"] for name in both]
    assert len({*secrets, read(bidders=both, commit=True).private["ann"]["secret"]}) == 3
    assert all(len(str(one)) == 32 for one in secrets)


def test_g5_money_in_a_file_is_read_digit_by_digit(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text('kind = "bidding"\nitem = "x"\nreserve = 8.50\nbidders = ["ann"]\n', "utf-8")
    assert str(rules(read_scenario(path, seed="1")).reserve) == "8.50"


def test_what_a_clock_needs_is_said_in_the_file() -> None:
    clock = rules(read(mode="dutch", reserve=10, start=50, levels=5, level_s=20, reasks=0))
    assert (clock.start, clock.end, clock.step) == (50, 10, 10)
    assert (clock.limits.level_ms, clock.limits.reasks) == (20_000, 0)
    risen = rules(read(mode="english", reserve="1/2", end=2, step=0.5))
    assert risen.step == Decimal("0.5")


def test_what_is_to_be_read_stands_in_the_rules(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("the plan", encoding="utf-8")
    assert rules(read(tmp_path, work="plan.md")).work == "the plan"


def test_g10_what_follows_joins_the_rules() -> None:
    found = read(
        otherwise=["vote", "human"],
        then={"voters": {"lead": {"agent": "person"}}, "question": "What now?"},
    )
    assert found.rules["otherwise"]["steps"] == ["vote", "human"]  # type: ignore[call-overload, index]
    assert found.agents == {"lead": "person"}
    told = read(otherwise=["human"]).rules["otherwise"]
    assert told["question"] == "What becomes of it: a slot?"  # type: ignore[call-overload, index]


def test_g7_every_fault_comes_at_once() -> None:
    said = refusal(
        reserve=-1,
        mode="english",
        work="gone.md",
        bidders={"ann": {"value": "much"}, "bob": {"agent": "rational"}},
        then={"resolve": "lot"},
    )
    for part in (
        "reserve is -1",
        "does not say where it ends",
        "gone.md",
        "bidder 'ann': value is 'much'",
        "bidders.bob: is rational without a value",
        "[then] without otherwise",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"reserved": 1}, "did you mean 'reserve'"),
        ({"mode": "japanese"}, "sealed, english, dutch"),
        ({"bidders": {"ann": {"worth": 3}}}, "unknown key"),
        ({"levels": 1}, "2 or more"),
    ],
)
def test_g7_the_shape_is_checked_first(more: Any, told: str) -> None:
    assert told in refusal(**more)


def test_the_schema_takes_what_the_docs_show() -> None:
    table = {**DATA, "bidders": {"ann": {"value": [10, "6.50"]}}, "units": 2, "changes": "first"}
    assert schema_faults(SCHEMA, table, whose="x") == []
