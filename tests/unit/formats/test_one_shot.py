"""One shot: scenarios and tables of what is decided at once, from paths and from text."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.one_shot import TABLES, decide_at_once, one_shot_data, one_shot_text
from comity.formats.scenario import READERS, scenario_from

TEXTS = {
    "auction": ("bidder,bid\na,4\n", {"bids": [{"bidder": "a", "bid": "4"}]}),
    "share": ("agent,amount,gain\na,4,8\n", {"agents": {"a": {"points": [[4, 8]]}}}),
    "deadlock": ("waiter,waits_for\na,b\n", {"waits": {"a": ["b"]}}),
}


def refusal(call: Any, *words: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        call(*words)
    return str(refused.value)


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_is_read_from_a_file_and_from_text(tmp_path: Path, kind: str) -> None:
    text, data = TEXTS[kind]
    path = tmp_path / "t.csv"
    path.write_text(f"\ufeff{text}", "utf-8")
    assert one_shot_data(path, kind) == {"kind": kind, **data}
    assert one_shot_text(text, kind) == {"kind": kind, **data}
    assert kind in READERS


@pytest.mark.parametrize(
    "text",
    [
        "budget = 1.50\n[agents]\na = [[9, 1]]",
        '# remark\n\nkind = "share"\nbudget = 1.50\nagents = {a = [[9, 1]]}',
        '{"kind": "share", "budget": 1.50, "agents": {"a": [[9, 1]]}}',
        '\ufeff{"budget": 1.50, "agents": {"a": [[9, 1]]}}',
    ],
)
def test_a_scenario_is_read_from_text_digit_by_digit(text: str) -> None:
    found = one_shot_text(text.removeprefix("\ufeff"), "share")
    assert found == {"kind": "share", "budget": Decimal("1.50"), "agents": {"a": [[9, 1]]}}


def test_a_table_of_toml_may_come_first() -> None:
    assert one_shot_text('[waits]\na = "b"\n', "deadlock") == {
        "kind": "deadlock",
        "waits": {"a": "b"},
    }


@pytest.mark.parametrize("name", ["s.toml", "s.json"])
def test_a_scenario_file_without_a_kind_is_of_the_kind_asked_for(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_text("budget = 0.10" if name == "s.toml" else '{"budget": 0.10}', "utf-8")
    assert one_shot_data(path, "share") == {"kind": "share", "budget": Decimal("0.10")}


def test_another_kind_is_refused_with_the_command_that_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "v.toml"
    path.write_text('kind = "vote"', "utf-8")
    said = refusal(one_shot_data, path, "auction")
    assert "v.toml: has the kind 'vote'" in said
    assert f"use `comity run {path}`" in said
    assert "has the kind 'vote'" in refusal(one_shot_text, '{"kind": "vote"}', "share")
    assert "is no table" in refusal(one_shot_data, _written(tmp_path / "l.json", "[1]"), "share")


def _written(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_what_cannot_be_read_is_refused_with_its_path(tmp_path: Path) -> None:
    assert "cannot be read" in refusal(one_shot_data, tmp_path, "auction")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\xfa")
    assert "it is not UTF-8 text" in refusal(one_shot_data, tmp_path / "b.csv", "auction")
    assert "standard input: is not valid JSON" in refusal(one_shot_text, "{", "share")
    assert "standard input: is not valid TOML" in refusal(one_shot_text, "a = ", "share")
    assert "is empty" in refusal(one_shot_text, "", "auction")


def test_a_scenario_is_decided_without_a_record() -> None:
    data = {"kind": "deadlock", "waits": {"a": "b", "b": "a"}}
    found = scenario_from(data, whose="x", folder=Path(), seed="1")
    assert decide_at_once(found).exit_code == 10
