"""Comity inbox: what waits for a person, why, and the commands that decide it (G8)."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.app import App
from comity.ledger import NewEntry, open_ledger
from comity.testing.clock import FakeClock

Comity = Callable[..., Any]
HOUR_MS = 3_600_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """Let every call share one clock that stands until it is moved."""
    made = FakeClock()
    monkeypatch.setattr("comity.app.RealClock", lambda: made)
    return made


@pytest.fixture
def tie(here: Path, clock: FakeClock) -> str:
    for name, said in (("ann", "A"), ("bob", "the B")):
        (here / f"{name}.txt").write_text(f"VOTE: {said}\n", encoding="utf-8")
    (here / "tie.toml").write_text(
        'kind = "vote"\nquestion = "Which?"\noptions = ["A", "the B"]\n'
        '[voters]\nann = { agent = "script:ann.txt" }\nbob = { agent = "script:bob.txt" }\n'
        '[person]\ndeadline_s = 3600\ndefault = "A"\n',
        encoding="utf-8",
    )
    return "tie.toml"


def test_an_empty_ledger_has_an_empty_inbox(comity: Comity, here: Path) -> None:
    with App("comity.db") as app:
        assert app.sessions() == ()
    said = comity("inbox")
    assert (said.code, said.out) == (0, "Nothing waits for a person.\n")
    assert comity("inbox", "--json").json == {"v": 1, "kind": "inbox", "cases": []}
    told = comity("inbox", "--all", "--thin", "--json").json
    assert (told["decided"], told["thin"]) == ([], [])


def test_an_empty_inbox_is_no_error_before_anything_was_decided(
    comity: Comity, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = comity("inbox")
    assert (said.code, said.out, said.err) == (0, "Nothing waits for a person.\n", "")
    assert comity("inbox", "--all", "--thin", "--json").json["decided"] == []
    (here / "comity.toml").write_text('db = "later.db"\n', "utf-8")
    assert comity("inbox").code == 0
    assert [one.name for one in here.iterdir()] == ["comity.toml"], "no ledger is made"


def test_a_ledger_that_was_named_and_is_not_there_is_one(
    comity: Comity, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = comity("inbox", "--db", "slip.db")
    assert said.code == 2
    assert "does not exist" in said.err
    monkeypatch.setenv("COMITY_DB", "slip.db")
    assert comity("inbox").code == 2
    assert list(here.iterdir()) == []


def test_g8_what_waits_is_told_with_the_commands_that_decide_it(
    comity: Comity, tie: str, clock: FakeClock
) -> None:
    assert comity("vote", tie).code == 11
    clock.advance(HOUR_MS // 2)
    said = comity("inbox")
    assert said.code == 11
    assert "1 case waits for a person." in said.out
    assert "30 minutes  A in 30 minutes  Which?" in said.out
    assert "why: tie" in said.out
    told = comity("inbox", "--json")
    assert told.code == 11
    (case,) = told.json["cases"]
    assert case["stands"].startswith("No decision")
    for option in case["options"]:
        words = shlex.split(option["command"])
        assert words[:2] == ["comity", "decide"]
        assert words[words.index("--option") + 1] == option["name"]
    command = shlex.split(case["options"][2]["command"])
    done = comity(*command[1:])
    assert done.code == 0
    assert comity("inbox").code == 0


def test_the_ledger_that_was_named_stands_in_the_commands(comity: Comity, tie: str) -> None:
    comity("vote", tie, "--db", "other place.db")
    (case,) = comity("inbox", "--db", "other place.db", "--json").json["cases"]
    assert case["command"].endswith(" --option N --reason TEXT --db 'other place.db'")


def test_g8_an_overdue_case_is_told_and_the_ledger_stays_as_it_is(
    comity: Comity, tie: str, clock: FakeClock
) -> None:
    comity("vote", tie)
    clock.advance(HOUR_MS)
    before = comity("ledger", "last").out
    said = comity("inbox")
    assert said.code == 11
    assert "overdue: its default applies at the next look" in said.out
    assert comity("inbox", "--json").json["cases"][0]["overdue"] is True
    assert comity("ledger", "last").out == before
    looked = comity("why", "last")
    assert looked.code == 0
    assert "nobody answered in time: 'A' applied" in looked.out
    assert comity("inbox").code == 0
    assert comity("replay", "last").out == "same\n"


def test_what_people_decided_is_listed_with_the_way_back_while_there_is_one(
    comity: Comity, tie: str, clock: FakeClock, here: Path
) -> None:
    comity("vote", tie)
    comity("decide", "last", "--option", "A", "--reason", "older", "--by", "zoe")
    (ended,) = comity("inbox", "--all", "--json").json["decided"]
    assert (ended["choice"], ended["by"], ended["reason"]) == ("A", "zoe", "older")
    assert ended["undo"] == f"comity decide {ended['session']} --undo --reason TEXT"
    assert "Decided by people" in comity("inbox", "--all").out
    assert "Decided by people" not in comity("inbox").out
    clock.advance(25 * HOUR_MS)
    assert comity("inbox", "--all", "--json").json["decided"][0]["undo"] is None
    (here / "comity.toml").write_text("undo_hours = 30\n", "utf-8")
    assert comity("inbox", "--all", "--json").json["decided"][0]["undo"] is not None


def test_g8_thin_results_are_listed_apart_for_so_many_days(
    comity: Comity, tie: str, clock: FakeClock
) -> None:
    assert comity("vote", tie, "--no-human").code == 10
    clock.advance(8 * 24 * HOUR_MS)
    assert comity("inbox", "--thin", "--json").json["thin"] == []
    said = comity("inbox", "--thin", "--days", "9", "--json")
    assert said.code == 0, "a thin result waits for nobody"
    assert [one["why"] for one in said.json["thin"]] == [["tie"]]
    assert "Worth a second look" in comity("inbox", "--thin", "--days", "9").out


def test_a_session_that_cannot_be_read_is_told_and_hides_no_other(
    comity: Comity, tie: str
) -> None:
    comity("vote", tie)
    with open_ledger("comity.db") as ledger:
        entry = NewEntry("opened", {"kind": "dance", "title": "t", "rules": {}})
        ledger.append("odd", [entry], expected_head="", request_id=None, now_ms=0)
    said = comity("inbox")
    assert "Cannot be read\n  odd: kind 'dance': does not exist" in said.out
    told = comity("inbox", "--json").json
    assert (len(told["cases"]), [one["session"] for one in told["unreadable"]]) == (1, ["odd"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--days", "3"), "add --thin"),
        (("--thin", "--days", "0"), "a whole number of 1 or more"),
        (("--thin", "--days", "99999"), "at most 36500"),
        (("--days", "x"), "a whole number of 1 or more"),
        (("--al",), "did you mean '--all'"),
    ],
)
def test_wrong_words_are_refused(
    comity: Comity, here: Path, words: tuple[str, ...], told: str
) -> None:
    said = comity("inbox", *words)
    assert said.code == 2
    assert told in said.err


def test_the_help_has_three_examples(comity: Comity) -> None:
    examples = comity("inbox", "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity inbox") == 3
