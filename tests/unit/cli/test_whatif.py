"""Comity whatif: the recorded claims under other rules, side by side."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.formats.claims_log import claims_csv
from comity.mechanisms.arbitration import Arbitration, Policy, recorded
from comity.runner.recording import record_conflict

Comity = Callable[..., Any]

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAYS = [recorded("ads", ABC, ["A"], at=86_400 * day) for day in range(19)]


@pytest.fixture
def log(here: Path) -> str:
    (here / "claims.csv").write_text(claims_csv(DAYS))
    return "claims.csv"


def test_r6_all_win_tables_stand_side_by_side(comity: Comity, log: str) -> None:
    said = comity("whatif", log)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("19 conflicts replayed: an agent lost up to 19 in a row")
    for rule in ("recorded", "losses, c = 1", "static_priority", "stride", "round_robin"):
        assert f"\n{rule} " in said.out
    assert "Cannot be told\n  - first_come: " in said.out


def test_r6_the_answer_is_that_of_the_rules_alone(comity: Comity, log: str) -> None:
    told = comity("whatif", log, "--rule", "losses", "--c", "1/2", "--seed", "9", "--json").json
    engine = Arbitration(Policy(c="0.5"), seed="9")  # type: ignore[arg-type]
    winners = [engine.conflict(ABC, "ads").winners[0] for _ in DAYS]
    assert told["rows"][1]["wins"] == {name: winners.count(name) for name in "ABC"}
    assert (told["kind"], told["seed"], len(told["rows"])) == ("what_if", "9", 2)


def test_rules_that_are_named_are_shown_in_their_order(comity: Comity, log: str) -> None:
    told = comity("whatif", log, "--rule", "stride", "--rule", "static", "--json").json
    assert [one["rule"] for one in told["rows"]] == ["recorded", "stride", "static_priority"]
    named = comity("whatif", log, "--rule", "losses", "--rule", "latest")
    assert named.code == 0
    assert "  - latest: claim of 'A' does not say when it arrived (at)" in named.out


def test_r6_any_period_can_be_replayed(comity: Comity, log: str) -> None:
    words = ("--rule", "losses", "--since", "1970-01-05", "--until", "1970-01-12")
    assert comity("whatif", log, *words, "--json").json["conflicts"] == 7


def test_k4_without_a_file_the_ledger_is_replayed(comity: Comity, here: Path) -> None:
    for _ in range(5):
        record_conflict(dict(ABC), "A", "gpu")
    assert comity("whatif", "--rule", "losses", "--json").json["conflicts"] == 5


def test_what_was_assumed_is_said(comity: Comity, here: Path) -> None:
    (here / "log.csv").write_text("time,resource,agent,priority\n2026-06-01,r,a,1\n")
    said = comity("whatif", "log.csv", "--rule", "losses")
    assert said.err == "note: times without a zone are taken as UTC\n"
    assert "  - recorded: the log does not say who won" in said.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--rule", "loses"), "did you mean 'losses'"),
        (("--c", "x"), "--c is 'x'"),
        (("--rule", "static", "--c", "2"), "takes none"),
        (("--rule", "latest"), "rule latest: cannot be replayed"),
        (("--since", "soon"), "--since"),
        (("--desk", "x"), "--desk: is given beside a file"),
    ],
)
def test_g7_a_wrong_word_is_told_with_what_to_do(
    comity: Comity, log: str, words: tuple[str, ...], told: str
) -> None:
    said = comity("whatif", log, *words)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


def test_g7_all_wrong_words_are_told_at_once(comity: Comity, log: str) -> None:
    said = comity("whatif", log, "--rule", "x1", "--rule", "y1", "--c", "z", "--until", "soon")
    for told in ("rule 'x1'", "rule 'y1'", "--c is 'z'", "--until"):
        assert told in said.err


def test_nothing_to_replay_says_how_to_get_a_log(comity: Comity) -> None:
    said = comity("whatif")
    assert said.code == 2
    assert "claims: are nowhere" in said.err


def test_the_help_has_three_examples(comity: Comity) -> None:
    examples = comity("whatif", "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity whatif ") == 3


def test_r3_c_0_promises_nothing_and_says_to_whom(comity: Comity, log: str) -> None:
    said = comity("whatif", log, "--rule", "losses", "--c", "0")
    assert "  - losses, c = 0: none: agents B, C can starve" in said.out
    assert "at most" not in said.out


def test_r6_a_beginning_of_several_rules_lists_them(comity: Comity, log: str) -> None:
    said = comity("whatif", log, "--rule", "l")
    assert said.code == 2
    assert "say which: losses, least_recently_served, lottery, latest" in said.err


def test_r4_a_column_of_arrivals_lets_first_come_be_replayed(comity: Comity, here: Path) -> None:
    rows = "9,r,a,1,no,5\n9,r,b,1,yes,4\n"
    (here / "log.csv").write_text(f"time,resource,agent,priority,won,arrived\n{rows}")
    told = comity("whatif", "log.csv", "--json").json
    wins = {one["rule"]: one["wins"] for one in told["rows"]}
    assert wins["first_come"] == {"a": 0, "b": 1}
    assert wins["latest"] == {"a": 1, "b": 0}
    assert told["left_out"] == {}


def test_r6_a_long_log_says_which_rule_is_replayed(
    comity: Comity, log: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("comity.cli.whatif.MANY", 19)
    said = comity("whatif", log, "--rule", "losses", "--rule", "stride")
    assert said.err == ("replaying 19 conflicts: losses, c = 1\nreplaying 19 conflicts: stride\n")
    assert comity("whatif", log, "--rule", "losses", "--quiet").err == ""


def test_r5_a_torn_log_is_hinted_at(comity: Comity, here: Path) -> None:
    rows = "".join(f"{at},r,{'ab'[at % 2]},1\n" for at in range(9))
    (here / "log.csv").write_text(f"time,resource,agent,priority\n{rows}")
    said = comity("whatif", "log.csv", "--rule", "losses")
    assert "note: 9 of 9 conflicts have one claimant" in said.err
