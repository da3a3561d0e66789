"""Comity tournament: its words, its files, its ends."""

from __future__ import annotations

import csv
import json
import shlex
import shutil
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from comity.cli.problems import read_files
from comity.cli.progress import Progress
from comity.mechanisms.bargaining.strategies import STRATEGIES
from comity.mechanisms.bargaining.strategies.registry import Entry

ROOT = Path(__file__).resolve().parents[3]
Comity = Callable[..., Any]

TLS = """\
kind = "offers"
question = "Which TLS?"
rounds = {rounds}
[issues]
tls = ["1.2", "1.3"]
days = [30, 60]
[parties]
ann.reservation = 3
ann.values.tls = {{ "1.3" = 4, "1.2" = 1 }}
ann.values.days = {{ "30" = 2 }}
bob.reservation = 2
bob.values.tls = {{ "1.2" = 2 }}
bob.values.days = {{ "60" = 3 }}
"""


@pytest.fixture
def tls(here: Path) -> str:
    """Put a scenario into the folder and return its name."""
    (here / "tls.toml").write_text(TLS.format(rounds=20))
    return "tls.toml"


@pytest.fixture
def rollout(here: Path) -> str:
    """Put the shipped example into the folder and return its name."""
    shutil.copy(ROOT / "examples" / "rollout.toml", here / "rollout.toml")
    return "rollout.toml"


def test_m3_the_table_ranks_the_strategies_and_shows_every_pair(comity: Comity, tls: str) -> None:
    said = comity("tournament", tls, "--strategies", "linear,micro,hardliner")
    assert said.code == 0
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0].startswith("9 negotiations, ")
    assert lines[2].split()[:3] == ["rank", "strategy", "share"]
    assert {line.split()[1] for line in lines[3:6]} == {"linear", "micro", "hardliner"}
    assert any(line.startswith("share against") for line in lines)


def test_the_json_is_one_object_with_exact_shares(comity: Comity, tls: str) -> None:
    told = comity("tournament", tls, "--strategies", "linear,micro", "--json").json
    assert (told["v"], told["kind"], told["negotiations"]) == (1, "tournament", 4)
    (case,) = told["cases"]
    assert case["rounds"] == 20
    assert {one["strategy"] for one in case["standings"]} == {"linear", "micro"}
    assert len(case["pairs"]) == 4
    assert told["plan"]["seed"] == "0"


def test_all_strategies_play_when_none_is_named(comity: Comity, tls: str) -> None:
    told = comity("tournament", tls, "--json").json
    names = {one["strategy"].partition(":")[0] for one in told["cases"][0]["standings"]}
    assert {"boulware", "conceder", "hardliner", "linear", "micro", "tit_for_tat"} <= names


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_c29_jobs_and_the_order_of_words_change_nothing(
    comity: Comity, tls: str, rollout: str
) -> None:
    first = comity("tournament", tls, rollout, "--rounds", "30", "--strategies", "linear,micro",
                   "--json")  # fmt: skip
    other = comity("tournament", rollout, tls, "--rounds", "30", "--strategies", "micro,linear",
                   "--jobs", "2", "--json")  # fmt: skip
    assert first.code == other.code == 0
    assert first.out == other.out


def test_roles_and_self_play_can_be_left_out(comity: Comity, tls: str) -> None:
    words = ("tournament", tls, "--strategies", "linear,micro,hardliner", "--json")
    assert comity(*words, "--one-role").json["negotiations"] == 6
    assert comity(*words, "--no-self-play").json["negotiations"] == 6
    assert comity(*words, "--one-role", "--no-self-play").json["negotiations"] == 3
    assert comity(*words, "--repeat", "3").json["negotiations"] == 27


def test_a_sweep_is_a_table_per_value(comity: Comity, tls: str) -> None:
    words = ("tournament", tls, "--strategies", "boulware,micro")
    told = comity(*words, "--sweep", "rounds=5,50", "--json").json
    assert [one["label"] for one in told["cases"]] == ["rounds=5", "rounds=50"]
    said = comity(*words, "--sweep", "boulware=0.1, 0.5", "--protocol", "simultaneous")
    assert "\nboulware:0.1\nrank" in said.out
    assert "\nboulware:0.5\nrank" in said.out


# --- files -----------------------------------------------------------------------------------


def test_rows_csv_and_drawing_are_written(comity: Comity, tls: str, here: Path) -> None:
    said = comity("tournament", tls, "--strategies", "linear,micro", "--out", "rows.jsonl",
                  "--csv", "rows.csv", "--svg", "pairs.svg")  # fmt: skip
    assert said.code == 0
    assert said.err == "written: rows.csv\ndrawn: pairs.svg\n"
    lines = (here / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines[1:]] == [
        row["id"] for row in csv.DictReader(StringIO((here / "rows.csv").read_text()))
    ]
    assert (here / "pairs.svg").read_text().startswith("<svg")


def test_every_row_of_the_file_can_be_replayed(comity: Comity, tls: str, here: Path) -> None:
    comity("tournament", tls, "--strategies", "linear,micro,hardliner", "--seed", "x",
           "--out", "rows.jsonl")  # fmt: skip
    ids = [json.loads(line)["id"] for line in (here / "rows.jsonl").read_text().splitlines()[1:]]
    assert len(ids) == 9
    for one in ids:
        said = comity("tournament", tls, "--out", "rows.jsonl", "--replay", one)
        assert (said.code, said.out) == (0, "same\n")
    told = comity("tournament", tls, "--out", "rows.jsonl", "--replay", ids[0][:8], "--json").json
    assert (told["same"], told["differences"], told["id"]) == (True, [], ids[0])
    assert told["row"]["id"] == ids[0]


def test_a_row_that_was_changed_comes_out_differently(
    comity: Comity, tls: str, here: Path
) -> None:
    comity("tournament", tls, "--strategies", "linear", "--out", "rows.jsonl")
    path = here / "rows.jsonl"
    head, row = path.read_text().splitlines()
    changed = {**json.loads(row), "rounds_used": 19}
    path.write_text(f"{head}\n{json.dumps(changed)}\n")
    said = comity("tournament", tls, "--out", "rows.jsonl", "--replay", changed["id"])
    assert said.code == 1
    assert said.out == f"different: {changed['id']} does not come out as written\n  rounds_used\n"
    told = comity("tournament", tls, "--out", "rows.jsonl", "--replay", changed["id"], "--json")
    assert (told.code, told.json["same"]) == (1, False)


def test_rows_are_never_written_over_without_a_word(comity: Comity, tls: str, here: Path) -> None:
    words = ("tournament", tls, "--strategies", "linear,micro", "--out", "rows.jsonl")
    first = comity(*words)
    before = (here / "rows.jsonl").read_bytes()
    said = comity(*words)
    assert said.code == 2
    assert "add --resume" in said.err
    again = comity(*words, "--resume")
    assert (again.code, again.out) == (0, first.out)
    assert (here / "rows.jsonl").read_bytes() == before
    other = comity(*words, "--resume", "--seed", "8")
    assert other.code == 2
    assert "they differ in seed" in other.err


@pytest.mark.parametrize("flag", ["--out", "--csv", "--svg"])
def test_a_file_never_takes_the_place_of_the_scenario(
    comity: Comity, tls: str, here: Path, flag: str
) -> None:
    before = (here / tls).read_bytes()
    extra = ("--resume",) if flag == "--out" else ()
    said = comity("tournament", tls, "--strategies", "linear", flag, tls, *extra)
    assert said.code == 2
    assert (here / tls).read_bytes() == before
    same = comity("tournament", tls, "--csv", "x", "--svg", "x")
    assert same.code == 2


# --- ends ------------------------------------------------------------------------------------


@pytest.fixture
def stopped(comity: Comity, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that interrupts a tournament after its third negotiation."""

    def call(*words: str) -> Any:
        real = Progress.__call__

        def counted(progress: Progress, done: int, total: int) -> None:
            real(progress, done, total)
            if done == 3:
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Progress, "__call__", counted)
            return comity("tournament", *words)

    return call


def test_ctrl_c_says_how_to_go_on_and_that_goes_on(
    comity: Comity, stopped: Callable[..., Any], tls: str, here: Path
) -> None:
    whole = comity("tournament", tls, "--strategies", "linear,micro", "--seed", "a b",
                   "--one-role", "--repeat", "2", "--out", "whole.jsonl")  # fmt: skip
    said = stopped(tls, "--strategies", "linear,micro", "--seed", "a b", "--one-role",
                   "--repeat", "2", "--out", "rows.jsonl")  # fmt: skip
    assert said.code == 130
    assert said.out == ""
    told = (
        "comity tournament tls.toml --strategies linear,micro --repeat 2 --seed 'a b' "
        "--out rows.jsonl --one-role --resume"
    )
    assert said.err == f"\ninterrupted after 3 of 6 negotiations; go on with: {told}\n"
    again = comity(*shlex.split(told)[1:])
    assert (again.code, again.out) == (0, whole.out)
    assert (here / "rows.jsonl").read_bytes() == (here / "whole.jsonl").read_bytes()


def test_ctrl_c_without_a_file_says_that_nothing_was_kept(
    stopped: Callable[..., Any], tls: str
) -> None:
    said = stopped(tls, "--strategies", "linear,micro", "--no-self-play", "--repeat", "5")
    assert (said.code, said.out) == (130, "")
    assert "after 3 of 10 negotiations; nothing was kept" in said.err
    said = stopped(tls, "--no-self-play", "--out", "rows.jsonl", "--json")
    assert said.json["kind"] == "interrupted"
    assert said.json["next"].endswith("--no-self-play --resume")


def test_c4_a_strategy_that_fails_ends_no_tournament(
    comity: Comity, tls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(seat: object) -> Any:
        raise RuntimeError(f"no {type(seat).__name__}")

    monkeypatch.setitem(STRATEGIES, "bad", Entry(start))
    said = comity("tournament", tls, "--strategies", "bad,linear")
    assert said.code == 0
    assert "4 negotiations, 1 agreement, 3 failed" in said.out
    assert "Failures\n  ! bad, 3 times: strategy bad failed when asked to start" in said.out


# --- faults ----------------------------------------------------------------------------------


def test_g7_every_fault_is_told_at_once(comity: Comity, tls: str) -> None:
    said = comity("tournament", tls, "missing.toml", "--strategies", "liner", "--rounds", "x",
                  "--repeat", "0", "--jobs", "0", "--sweep", "rounds", "--resume")  # fmt: skip
    assert said.code == 2
    assert said.out == ""
    for part in ("'missing.toml'", "--rounds", "--repeat", "--jobs", "--sweep", "--resume"):
        assert f"error: {part}" in said.err or f"error: file {part}" in said.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--strategies", "liner"), "did you mean 'linear'"),
        (("--strategies", ""), "strategy '' is unknown"),
        (("--sweep", "rounds=5,x"), "is 'x'"),
        (("--sweep", "rounds=5,,6"), "is 'rounds=5,,6'"),
        (("--sweep", "rounds=5", "--rounds", "7"), "is given beside --sweep rounds"),
        (("--sweep", "boulwar=0.1"), "did you mean 'boulware'"),
        (("--protocol", "alternatin"), "did you mean 'alternating'"),
        (("--replay", "x"), "--replay: is given without --out"),
        (("--replay", "x", "--out", "none"), "none: cannot be read"),
        (("--self-pay",), "did you mean '--self-play'"),
        (("--jobs", "300"), "jobs: are 300"),
    ],
)
def test_g7_what_cannot_be_read_names_its_remedy(
    comity: Comity, tls: str, words: tuple[str, ...], told: str
) -> None:
    said = comity("tournament", tls, *words)
    assert said.code == 2
    assert told in said.err
    assert said.out == ""


def test_scenarios_that_differ_in_rounds_want_a_number(comity: Comity, here: Path) -> None:
    (here / "a").mkdir()
    (here / "a" / "tls.toml").write_text(TLS.format(rounds=5).replace("ann.reservation = 3", ""))
    (here / "tls.toml").write_text(TLS.format(rounds=9))
    files = ("tls.toml", "a/tls.toml")
    said = comity("tournament", *files, "--strategies", "linear")
    assert said.code == 2
    assert "is missing, and the scenarios say 5, 9" in said.err
    told = comity("tournament", *files, "--strategies", "linear", "--rounds", "4", "--json").json
    assert set(told["plan"]["scenarios"]) == {"tls.toml", "a/tls.toml"}
    swept = comity("tournament", *files, "--strategies", "linear", "--sweep", "rounds=4", "--json")
    assert swept.code == 0


def test_one_file_twice_is_one_problem_twice(comity: Comity, tls: str) -> None:
    said = comity("tournament", tls, f"./{tls}", "--strategies", "linear")
    assert said.code == 2
    assert "is the same problem as" in said.err


def test_a_folder_with_a_domain_and_its_profiles_is_a_scenario(comity: Comity, here: Path) -> None:
    folder = here / "web"
    folder.mkdir()
    domain = {"name": "web", "issuesValues": {"x": {"values": ["a", "b"]}}}
    (folder / "web.json").write_text(json.dumps(domain))
    for name, worth in (("ann", {"a": 1, "b": 0}), ("bob", {"a": 0, "b": 1})):
        own = {
            "issueUtilities": {"x": {"DiscreteValueSetUtilities": {"valueUtilities": worth}}},
            "issueWeights": {"x": 1.0},
            "domain": domain,
            "name": name,
        }
        text = json.dumps({"LinearAdditiveUtilitySpace": own})
        (folder / f"{name}.json").write_text(text)
    said = comity("tournament", "web", "--strategies", "linear", "--csv", "rows.csv", "--json")
    assert said.code == 0
    assert said.json["negotiations"] == 1
    assert comity("tournament", "web", "--csv", "web/ann.json").code == 2


def test_notes_on_how_a_file_was_read_are_told(
    comity: Comity, tls: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def noted(files: list[str]) -> Any:
        return replace(read_files(files), notes=("cost is\nignored",))

    monkeypatch.setattr("comity.cli.tournament.read_files", noted)
    said = comity("tournament", tls, "--strategies", "linear")
    assert said.err == "note: Which TLS?: cost is\\nignored\n"
    assert comity("tournament", tls, "--strategies", "linear", "-q").err == ""
