"""Comity sessions: the list, and beginning, answering, cancelling, handing over (ENGINE 5, G8)."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.app import App

Comity = Callable[..., Any]

LUNCH = """
kind = "vote"
question = "Where?"
options = ["A", "B"]
[voters]
ann = { agent = "person" }
bob = { agent = "person" }
"""


@pytest.fixture
def lunch(here: Path) -> str:
    (here / "lunch.toml").write_text(LUNCH, encoding="utf-8")
    return "lunch.toml"


@pytest.fixture
def session(comity: Comity, lunch: str) -> str:
    said = comity("sessions", "start", lunch)
    assert said.code == 0
    assert "comity worker" in said.err
    name: str = said.out.strip()
    return name


def test_an_empty_ledger_has_no_session(comity: Comity, here: Path) -> None:
    with App("comity.db") as app:
        assert app.sessions() == ()
    assert comity("sessions").out == "No session.\n"
    assert comity("sessions", "--json").json == {"v": 1, "kind": "sessions", "sessions": []}


def test_a_ledger_that_is_not_there_is_not_made(comity: Comity, here: Path) -> None:
    said = comity("sessions")
    assert (said.code, "does not exist" in said.err) == (2, True)
    assert list(here.iterdir()) == []


def test_what_is_begun_is_recorded_and_listed_with_whom_it_waits_for(
    comity: Comity, session: str
) -> None:
    told = comity("sessions").out
    assert all(word in told for word in (session, "vote", "ann, bob", "no worker lives"))
    (line,) = comity("sessions", "--json").json["sessions"]
    assert line["waits_for"] == ["ann", "bob"]
    assert (line["state"], line["driven_by"]) == ("stuck", "workers")
    assert comity("sessions", "--state", "ended").out == "No session.\n"


def test_g8_a_seat_that_is_a_persons_answers_from_anywhere(
    comity: Comity, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = comity("sessions", "answer", session, "ann", "VOTE: A")
    assert (said.code, said.out) == (0, f"{session}: recorded for ann\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("VOTE: A\n"))
    assert comity("sessions", "answer", "last", "bob", "-").code == 0
    again = comity("sessions", "answer", session, "ann", "VOTE: B")
    assert (again.code, "asked nothing" in again.err) == (2, True)
    with App("comity.db") as app:
        texts = [one["body"]["text"] for one in app.messages(session) if one["body"]]  # type: ignore[index,call-overload]
    assert texts == ["VOTE: A", "VOTE: A\n"]


def test_nothing_is_no_answer(comity: Comity, session: str) -> None:
    said = comity("sessions", "answer", session, "ann", "  ")
    assert (said.code, "is empty" in said.err) == (2, True)


def test_a_session_is_cancelled_once(comity: Comity, session: str) -> None:
    said = comity("sessions", "cancel", session, "--json").json
    assert (said["done"], said["phase"]) == ("cancelled", "ended")
    assert comity("sessions", "--state", "ended", "--json").json["sessions"][0]["state"] == "ended"
    assert comity("sessions", "cancel", session).code == 2
    assert comity("replay", session).code == 0


def test_a_session_that_a_process_left_is_handed_to_the_workers(
    comity: Comity, session: str
) -> None:
    with App("comity.db") as app:
        app.workers.take(session)
    assert comity("sessions", "--json").json["sessions"][0]["driven_by"] == "process"
    assert comity("sessions", "queue", session[:6]).out == f"{session}: handed to the workers\n"
    assert comity("sessions", "--json").json["sessions"][0]["driven_by"] == "workers"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["strat", "lunch.toml"], "did you mean 'start'"),
        (["start"], "is given 0 of FILE"),
        (["answer", "last", "ann"], "is given 2 of ID, SEAT, TEXT"),
        (["start", "nowhere.toml"], "nowhere.toml"),
        (["--state", "done"], "--state"),
        (["start", "lunch.toml", "--agent", "x"], "--agent"),
    ],
)
def test_g7_what_is_wrong_with_the_words_is_told(
    words: list[str], told: str, comity: Comity, lunch: str
) -> None:
    said = comity("sessions", *words)
    assert said.code == 2
    assert told in said.err


def test_the_limits_of_a_session_are_recorded(comity: Comity, lunch: str) -> None:
    name = comity("sessions", "start", lunch, "--timeout", "5m", "--json").json["session"]
    with App("comity.db") as app:
        assert app.entries(name)[0].body["limits"] == {"timeout_ms": 300_000}
