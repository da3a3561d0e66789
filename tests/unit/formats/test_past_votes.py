"""Past votes: as how many independent voters a roster counts (V9)."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import comity
from comity.core.errors import InvalidInput
from comity.formats import past_votes
from comity.formats.past_votes import effective_of, n_eff_of_file
from comity.formats.scenario import scenario_from
from comity.mechanisms.voting.independence import vote_log

TRUTH = {str(at): "yes" for at in range(60)}


def rows(*voters: tuple[str, int]) -> list[tuple[str, str, str]]:
    """Return votes in which each voter errs on every so-many-th item."""
    return [
        (str(at), name, "no" if at % every == 0 else "yes")
        for at in range(60)
        for name, every in voters
    ]


def test_two_that_err_alike_count_as_one_and_a_third_as_more() -> None:
    log = vote_log(rows(("ann", 5), ("bob", 5), ("cyd", 7)), truth=TRUTH)
    assert effective_of(log, ["ann", "bob"], "log") == 1
    assert effective_of(log, ["ann", "bob", "cyd"], "log") > 1


def test_a_voter_without_past_votes_is_named() -> None:
    log = vote_log(rows(("ann", 5), ("bob", 5)), truth=TRUTH)
    with pytest.raises(InvalidInput, match="knows no vote of eve, zoe"):
        effective_of(log, ["ann", "zoe", "eve"], "log")


def test_a_log_without_truth_gives_no_estimate() -> None:
    with pytest.raises(InvalidInput, match="no estimate"):
        effective_of(vote_log(rows(("ann", 5), ("bob", 7))), ["ann", "bob"], "log")


def test_weights_and_runs_follow_their_voters() -> None:
    log = vote_log(
        rows(("ann", 5), ("bob", 5), ("cyd", 7)),
        truth=TRUTH,
        weights={"ann": 2, "bob": 1, "cyd": 1},
    )
    assert effective_of(log, ["bob", "ann"], "log") == 1


def written(folder: Path) -> Path:
    path = folder / "past.csv"
    lines = [f"{item},{who},{said},yes" for item, who, said in rows(("ann", 5), ("bob", 5))]
    path.write_text("\n".join(["item,voter,answer,truth", *lines]), "utf-8")
    return path


def test_a_file_is_read_for_all_of_it_or_for_some(tmp_path: Path) -> None:
    assert n_eff_of_file(written(tmp_path), []) == 1
    assert n_eff_of_file(written(tmp_path), ["ann", "bob"]) == 1


def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InvalidInput, match=r"gone\.csv"):
        n_eff_of_file(tmp_path / "gone.csv", [])
    (tmp_path / "bytes.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidInput, match="UTF-8"):
        n_eff_of_file(tmp_path / "bytes.csv", [])
    monkeypatch.setattr(past_votes, "LARGEST_LOG", 10)
    with pytest.raises(InvalidInput, match="larger"):
        n_eff_of_file(written(tmp_path), [])


def test_a_vote_file_names_its_log(tmp_path: Path) -> None:
    written(tmp_path)
    data: Any = {"kind": "vote", "question": "Ship?", "voters": ["ann", "bob"], "log": "past.csv"}
    scenario = scenario_from(data, whose="x", folder=tmp_path, seed="1")
    assert scenario.rules["n_eff"] == 1
    with pytest.raises(InvalidInput, match=r"gone\.csv"):
        scenario_from({**data, "log": "gone.csv"}, whose="x", folder=tmp_path, seed="1")


def test_estimates_have_two_decimals() -> None:
    log = vote_log(rows(("ann", 5), ("bob", 6), ("cyd", 7)), truth=TRUTH)
    found = effective_of(log, ["ann", "bob", "cyd"], "log")
    assert found == Fraction(round(found * 100), 100)


# --- the door: comity.independence -----------------------------------------------------------


def test_v9_a_log_is_taken_in_every_plain_form(tmp_path: Path) -> None:
    path = written(tmp_path)
    text = path.read_text("utf-8")
    known = comity.independence(path)
    assert known.n_eff == 1
    for log in (str(path), text, vote_log(rows(("ann", 5), ("bob", 5)), truth=TRUTH)):
        assert comity.independence(log).n_eff == 1
    plain = rows(("ann", 5), ("bob", 5))
    by_voter: dict[str, dict[str, str | None]] = {"ann": {}, "bob": {}}
    for item, who, said in plain:
        by_voter[who][item] = said
    for log in (plain, by_voter):
        assert comity.independence(log, truth=TRUTH).n_eff == 1


@pytest.mark.parametrize("log", [None, 3, "gone.csv", [("1", "ann")]])
def test_g7_what_is_no_log_is_refused(log: Any) -> None:
    with pytest.raises(InvalidInput):
        comity.independence(log)
