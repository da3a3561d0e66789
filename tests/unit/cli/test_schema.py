"""Comity schema: what may stand in a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.formats.scenario import READERS


def test_the_kinds_are_listed(comity: Callable[..., Any]) -> None:
    assert comity("schema", "--json").json["kinds"] == list(READERS)
    rows = [line.split(maxsplit=1) for line in comity("schema").out.splitlines()]
    assert ["bargain", "comity scenario: bargain"] in rows


@pytest.mark.parametrize("kind", READERS)
def test_every_kind_has_its_schema(comity: Callable[..., Any], kind: Any) -> None:
    told = comity("schema", kind).json
    assert told["properties"]["kind"] == {"enum": [kind]}
    assert comity("schema", kind, "--json").json == told


def test_a_schema_can_be_written_to_a_file(comity: Callable[..., Any], here: Path) -> None:
    said = comity("schema", "bargain", "--out", "b.json")
    assert said.out == "written: b.json\n"
    assert json.loads((here / "b.json").read_text())["title"] == "comity scenario: bargain"
    assert comity("schema", "bargain", "--out", "c.json", "--json").json["written"] == "c.json"


def test_an_unknown_kind_names_the_nearest(comity: Callable[..., Any]) -> None:
    said = comity("schema", "bargian")
    assert said.code == 2
    assert "did you mean 'bargain'" in said.err


def test_a_schema_never_takes_the_place_of_a_ledger(
    comity: Callable[..., Any], here: Path
) -> None:
    said = comity("schema", "bargain", "--out", "comity.db")
    assert said.code == 2
    assert "is a ledger" in said.err
    assert comity("schema", "bargain", "--out", "new/b.json").code == 2
    assert list(here.iterdir()) == []
