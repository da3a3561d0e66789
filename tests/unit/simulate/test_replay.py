"""Replay: every row comes out the same, and a changed one does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.simulate.replay import replay, replay_in
from comity.simulate.run import run
from comity.testing.bargains import sample_problem


def test_every_row_of_a_tournament_comes_out_the_same(small: Plan) -> None:
    rows = run(small)
    assert {replay(row, small) for row in rows} == {()}


def test_a_row_needs_no_other_part_of_the_plan_than_its_scenario_and_seed(small: Plan) -> None:
    entries = {one.name: one.problem for one in small.entries}
    other = plan_of(entries, ["micro"], seed="7")
    assert {replay(row, other) for row in run(small)} == {()}


def test_every_changed_field_is_named(small: Plan) -> None:
    row = next(row for row in run(small) if row.kind == "agreement")
    assert replay(replace(row, rounds_used=99, ended_by="x"), small) == ("rounds_used", "ended_by")
    assert replay(replace(row, id="0" * 32), small) == ("id",)
    assert replay(replace(row, seed="0"), small) == ("seed",)
    assert "id" in replay(replace(row, repetition=3), small)


def test_a_row_of_another_scenario_is_refused(small: Plan) -> None:
    row = replace(run(small)[0], scenario="cak")
    with pytest.raises(InvalidInput, match="did you mean 'cake'"):
        replay(row, small)


def test_c4_failures_come_out_the_same_too(broken: Any) -> None:
    plan = plan_of({"tls": sample_problem()}, [broken(offer=ValueError("x")), "linear"])
    rows = run(plan)
    assert any(row.kind == "failed" for row in rows)
    assert {replay(row, plan) for row in rows} == {()}


def test_a_row_of_a_file_is_found_by_the_beginning_of_its_id(small: Plan, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = run(small, out=path)
    renamed = {f"other {one.name}": one.problem for one in small.entries}
    for row in rows:
        assert replay_in(path, row.id, renamed) == (row, ())
    assert replay_in(path, rows[3].id[:12], renamed) == (rows[3], ())


def test_what_a_file_does_not_hold_is_refused(small: Plan, tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = run(small, out=path)
    problems = {one.name: one.problem for one in small.entries}
    with pytest.raises(InvalidInput, match="names no row"):
        replay_in(path, "zz", problems)
    with pytest.raises(InvalidInput, match="names 27 rows"):
        replay_in(path, "", problems)
    of_cake = next(row for row in rows if row.scenario == "cake")
    with pytest.raises(InvalidInput, match="which is not among those given"):
        replay_in(path, of_cake.id, {"tls": sample_problem()})
    path.write_text(path.read_text().replace('"seed":"7"', '"seed":7', 1))
    with pytest.raises(InvalidInput, match="has no seed"):
        replay_in(path, of_cake.id, problems)
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(InvalidInput, match="names no row"):
        replay_in(empty, of_cake.id, problems)
