"""Scenario files: TOML or JSON, one kind each."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.formats import scenario as module
from comity.formats.scenario import (
    READERS,
    data_in,
    load_data,
    read_scenario,
    scenario_from,
    schema_of,
)

PRICE = 'kind = "bargain"\n[seller]\nopening = 120\nreservation = 70\n'
PRICE += "[buyer]\nopening = 60\nreservation = 100\n"


def refusal(path: Path, seed: str = "1") -> str:
    with pytest.raises(InvalidInput) as refused:
        read_scenario(path, seed=seed)
    return str(refused.value)


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    toml, other = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text(PRICE)
    other.write_text(json.dumps(load_data(toml)))
    assert read_scenario(toml, seed="1") == read_scenario(other, seed="1")


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.toml", b"kind = ", "is not valid TOML"),
        ("a.json", b"{", "is not valid JSON"),
        ("a.json", b'{"kind": NaN}', "NaN is not a number that can be used"),
        ("a.json", b"[" * 100_000, "is not valid JSON"),
        ("a.toml", b"\xff\xfe", "it is not UTF-8 text"),
        ("a.json", b"[1]", "is no table"),
        ("a.toml", b"x = 1", "names no kind"),
        ("a.toml", b'kind = "bargian"', "did you mean 'bargain'"),
        ("a.toml", b"kind = 3", "has the kind 3"),
        ("a.toml", b'kind = "bargain"', "lacks seller"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_name(
    tmp_path: Path, name: Any, data: Any, told: Any
) -> None:
    (tmp_path / name).write_bytes(data)
    said = refusal(tmp_path / name)
    assert told in said
    assert name in said


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "gone.toml")
    assert "cannot be read" in refusal(tmp_path)


def test_a_file_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LARGEST_FILE", 10)
    (tmp_path / "a.toml").write_text(PRICE)
    assert "larger than 10 bytes" in refusal(tmp_path / "a.toml")


@pytest.mark.parametrize("kind", READERS)
def test_every_kind_has_a_schema_and_a_reader(kind: str) -> None:
    schema = schema_of(kind)
    assert schema["properties"]["kind"] == {"enum": [kind]}
    with pytest.raises(InvalidInput):
        scenario_from({"kind": kind}, whose="x", folder=Path(), seed="1")


def test_an_unknown_kind_has_no_schema() -> None:
    with pytest.raises(UnknownName, match="did you mean 'consent'"):
        schema_of("consnet")


def test_a_key_that_stands_twice_is_refused_instead_of_the_last_one_winning(
    tmp_path: Path,
) -> None:
    path = tmp_path / "twice.json"
    path.write_text('{"kind": "consent", "kind": "bargain"}', "utf-8")
    with pytest.raises(InvalidInput, match="the key 'kind' stands twice"):
        read_scenario(path, seed="1")


@pytest.mark.parametrize(
    ("text", "is_json"),
    [
        ('kind = "share"\nbudget = 0.10', False),
        ('{"kind": "share", "budget": 0.10}', True),
        ("budget = 0.10", False),
    ],
)
def test_g5_numbers_of_kinds_about_money_are_read_digit_by_digit(text: str, is_json: bool) -> None:
    exact = "kind" not in text
    found: Any = data_in(text, whose="x", is_json=is_json, exact=exact)
    assert found["budget"] == Decimal("0.10")
    assert str(found["budget"]) == "0.10"


def test_numbers_of_other_kinds_stay_floats() -> None:
    found: Any = data_in('kind = "bargain"\nx = 0.10', whose="x", is_json=False)
    assert isinstance(found["x"], float)


def test_a_number_that_no_decimal_holds_is_refused() -> None:
    with pytest.raises(InvalidInput, match="is not a number that can be used"):
        data_in(f'kind = "share"\nx = 1e{"9" * 30}', whose="x", is_json=False)
