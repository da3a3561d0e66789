"""Rows: JSON lines that are read back the same, CSV that a spreadsheet may open."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.simulate.rows import Row, csv_lines, json_lines, row_from_json
from comity.simulate.run import run
from comity.testing.bargains import sample_problem

FIELDS: dict[str, Any] = {
    "id": "a1", "scenario": "s", "strategies": (("ann", "micro"), ("bob", "linear")),
    "rounds": 5, "protocol": "alternating", "repetition": 0, "seed": "7", "kind": "agreement",
}  # fmt: skip


def table(rows: list[Row]) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO("".join(csv_lines(rows)))))


def test_g1_every_row_is_read_back_the_same(small: Plan) -> None:
    rows = run(small)
    lines = list(json_lines(rows))
    assert tuple(row_from_json(json.loads(line)) for line in lines) == rows
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "deal"},
        {"rounds": "5"},
        {"seed": 7},
        {"feasible": 1},
        {"strategies": [["ann", "micro"]]},
        {"utilities": {"ann": 3}},
        {"utilities": {"ann": "x"}},
        {"deal": {"x": 1}},
        {"distances": {"nash": "0"}},
        {"distances": {"nash": True}},
        {"distances": {"centre": 0.5}},
        {"more": 1},
    ],
)
def test_what_is_no_row_is_refused(change: dict[str, Any]) -> None:
    data: dict[str, Any] = {**Row(**FIELDS).to_json(), **change}
    with pytest.raises(InvalidInput):
        row_from_json(data)
    with pytest.raises(InvalidInput):
        row_from_json([])


def test_the_csv_has_one_line_per_negotiation_and_numbered_parties(small: Plan) -> None:
    rows = run(small)
    told = table(list(rows))
    assert len(told) == 27
    for row, line in zip(rows, told, strict=True):
        assert line["id"] == row.id
        assert (line["party_1"], line["strategy_1"]) == row.strategies[0]
        assert line["utility_2"] == dict(row.utilities)[row.strategies[1][0]]
        assert line["efficient"] == {True: "yes", False: "no", None: ""}[row.efficient]
        assert json.loads(line["deal"] or "{}") == dict(row.deal)
        distances = dict(row.distances)
        assert line["distance_nash"] == str(distances.get("nash", ""))


def test_the_csv_holds_scenarios_with_different_numbers_of_parties() -> None:
    plan = plan_of({"two": sample_problem(), "three": sample_problem(3)}, ["linear"])
    by_name = {line["scenario"]: line for line in table(list(run(plan)))}
    assert by_name["two"]["party_3"] == by_name["two"]["share_3_float"] == ""
    assert by_name["three"]["party_3"] == "cyd"
    assert "distance_frontier" in by_name["two"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_text_that_looks_like_a_formula_is_made_harmless(start: str) -> None:
    text = f"{start}1+1"
    row = Row(**{**FIELDS, "scenario": text, "strategies": ((text, text),), "reason": text,
                 "failed_by": text, "gains": ((text, "-1/3"),)})  # fmt: skip
    (line,) = table([row])
    for name in ("scenario", "party_1", "strategy_1", "reason", "failed_by"):
        assert line[name] == f"'{text}"
    assert line["gain_1"] == "-1/3"


def test_text_with_line_ends_stays_in_its_cell() -> None:
    (line,) = table([Row(**{**FIELDS, "scenario": "a\r\n=b", "reason": "\t=c"})])
    assert (line["scenario"], line["reason"]) == (r"a\r\n=b", r"\t=c")


def test_the_rounded_columns_leave_out_what_no_float_holds() -> None:
    row = Row(**{**FIELDS, "utilities": (("ann", "1" + "0" * 400), ("bob", "1/4"))})
    (line,) = table([row])
    assert line["utility_1_float"] == ""
    assert line["utility_2_float"] == "0.25"
    assert table([]) == []
