"""Comity demo: a story in a second, and what to look at next."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]


def test_the_shipped_example_is_the_one_in_the_examples_folder() -> None:
    shipped = ROOT / "src" / "comity" / "cli" / "demo_auth.toml"
    assert shipped.read_text() == (ROOT / "examples" / "auth-protocol.toml").read_text()


def test_the_story_is_told_on_stdout(comity: Callable[..., Any], here: Path) -> None:
    said = comity("demo")
    assert said.code == 0
    assert said.err == ""
    for part in (
        "1. Authentication protocol design",
        "CX    Speed        p99_latency_ms < 200",
        "  1  ",
        " proposes: offers ",
        " counters: ",
        "consents",
        "All 3 seats consented",
        "kept: p99_latency_ms is",
        "    4      80     92  -12  buyer",
    ):
        assert part in said.out
    kept = sorted(path.name for path in (here / "comity-demo").iterdir() if "-" not in path.name)
    assert kept == ["comity.db", "price.svg", "protocol.md", "protocol.svg"]


def test_its_three_next_commands_work(comity: Callable[..., Any]) -> None:
    said = comity("demo", "--out", "some where")
    following = said.out.rsplit("Next\n", 1)[1].strip().split("\n")
    assert len(following) == 3
    for line in following:
        words = shlex.split(line)
        assert words[0] == "comity"
        done = comity(*words[1:])
        assert done.code == 0
        assert done.out


def test_it_can_be_run_again_and_tells_the_same_story(comity: Callable[..., Any]) -> None:
    stories = [comity("demo").out.split("Kept")[0] for _ in range(2)]
    assert stories[0] == stories[1]
    listed = comity("ledger", "--db", "comity-demo/comity.db", "--json").json
    assert len(listed["sessions"]) == 4


def test_the_json_holds_both_results_and_what_was_written(
    comity: Callable[..., Any], here: Path
) -> None:
    told = comity("demo", "--json").json
    assert (told["v"], told["kind"]) == (1, "demo")
    assert [one["kind"] for one in told["results"]] == ["agreement", "agreement"]
    assert told["results"][1]["price"] == 80
    assert all((here / name).exists() for name in told["written"])
    assert len(told["next"]) == 3


def test_a_named_ledger_is_used(comity: Callable[..., Any], here: Path) -> None:
    comity("demo", "--db", "mine.db")
    assert (here / "mine.db").exists()
    assert not (here / "comity-demo" / "comity.db").exists()


def test_a_place_where_nothing_can_be_made_is_refused(
    comity: Callable[..., Any], here: Path
) -> None:
    (here / "file").write_text("x")
    said = comity("demo", "--out", "file/inside")
    assert said.code == 2
    assert "choose one with --out" in said.err
