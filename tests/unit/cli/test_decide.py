"""Comity decide: one option with its reason, taken back, decided anew (G7, G8)."""

from __future__ import annotations

import getpass
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.cli.door import Door
from comity.cli.terminal import Terminal
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
def case(here: Path, clock: FakeClock, comity: Comity) -> str:
    """Put a case before a person and return its id."""
    for name, said in (("ann", "A"), ("bob", "B")):
        (here / f"{name}.txt").write_text(f"VOTE: {said}\n", encoding="utf-8")
    (here / "tie.toml").write_text(
        'kind = "vote"\nquestion = "Which?"\noptions = ["A", "B"]\n'
        '[voters]\nann = { agent = "script:ann.txt" }\nbob = { agent = "script:bob.txt" }\n'
        "[person]\ndeadline_s = 3600\n",
        encoding="utf-8",
    )
    return str(comity("vote", "tie.toml", "--json").json["session"])


def test_g8_a_case_is_decided_told_taken_back_and_decided_anew(comity: Comity, case: str) -> None:
    """The whole scenario, as somebody lives it at the command line."""
    done = comity("decide", case, "--option", "2", "--reason", "older", "--by", "zoe", "--json")
    assert (done.code, done.json["option"], done.json["session"]) == (0, "A", case)
    said = [one["what"] for one in done.json["grounds"]["submissions"] if one["party"] == "human"]
    assert said == [{"decides": "A", "reason": "older", "by": "zoe"}]
    assert comity("inbox").code == 0

    back = comity("decide", case, "--undo", "--reason", "too old", "--by", "yan", "--json")
    assert (back.code, back.json["kind"], back.json["whom"]) == (11, "waiting", ["human"])
    assert comity("inbox").code == 11
    assert comity("ledger", "--json").json["sessions"][0]["result"] == "open"
    why = comity("why", case)
    assert why.code == 0
    assert "Waits for human until" in why.out
    assert "zoe decided 'A': older" in why.out
    assert "yan took 'A' back: too old" in why.out
    assert comity("replay", case).out == "same: it is still open\n"

    again = comity("decide", case[:7], "--option", "B", "--reason", "newer", "--by", "zoe")
    assert (again.code, again.out.split(";")[0]) == (0, "B wins under majority")
    told = comity("why", case, "--json").json
    assert [(one["what"], one["choice"], one["by"]) for one in told["story"]] == [
        ("decided", "A", "zoe"),
        ("undone", "A", "yan"),
        ("decided", "B", "zoe"),
    ]
    assert told["ended_by"] == "person"
    assert comity("replay", case).out == "same\n"
    assert comity("verify").code == 0
    kinds = [one["kind"] for one in comity("ledger", case, "--json").json["entries"]]
    assert kinds[-5:] == ["input", "sealed", "undone", "input", "sealed"]


def test_the_full_spelling_with_undo_takes_back_the_decision_it_names(
    comity: Comity, case: str
) -> None:
    comity("decide", "last", "--option", "B", "--reason", "newer")
    other = comity("decide", "last", "--option", "A", "--reason", "no", "--undo")
    assert other.code == 2
    assert "is not what was decided" in other.err
    assert comity("decide", "last", "--option", "B", "--reason", "no", "--undo").code == 11


def test_the_user_of_this_machine_decides_unless_another_is_named(
    comity: Comity, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: "sam")
    comity("decide", "last", "--option", "B", "--reason", "newer")
    assert comity("why", "last", "--json").json["story"][0]["by"] == "sam"

    def nobody() -> str:
        raise KeyError("uid")

    monkeypatch.setattr(getpass, "getuser", nobody)
    said = comity("decide", "last", "--undo")
    assert said.code == 2
    assert "say --by NAME" in said.err
    assert comity("decide", "last", "--undo", "--by", "sam").code == 11


def test_the_short_form_takes_a_reason_and_a_name_too(comity: Comity, case: str) -> None:
    assert comity("decide", "last", "B", "--reason", "newer", "--by", "zoe").code == 0
    story = comity("why", "last", "--json").json["story"]
    assert [(one["choice"], one["by"], one["reason"]) for one in story] == [("B", "zoe", "newer")]
    comity("decide", "last", "--undo", "--by", "zoe")
    assert comity("decide", "last", "A").code == 0
    assert "is decided already" in comity("decide", "last", "B").err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "is told no decision"),
        (("A", "--option", "A"), "is given 'A' and --option"),
        (("A", "--undo"), "is given 'A' and --undo"),
        (("--option", " ", "--reason", "x"), "the name of an option, or its number"),
        (("--option", "A"), "reason: is empty"),
        (("--option", "A", "--reason", " "), "reason: is empty"),
        (("--option", "acept", "--reason", "x"), "did you mean 'accept'"),
        (("--option", "9", "--reason", "x"), "1 accept, 2 A, 3 B"),
        (("--option", "A", "--reason", "x", "--by", ""), "name: is empty"),
        (("--undo",), "has nothing to take back"),
        (("--opton", "A"), "did you mean '--option'"),
    ],
)
def test_g7_what_is_wrong_is_told_in_four_parts_and_nothing_is_recorded(
    comity: Comity, case: str, words: tuple[str, ...], told: str
) -> None:
    before = comity("ledger", case).out
    said = comity("decide", case, *words)
    assert said.code == 2
    assert told in said.err
    assert "  allowed: " in said.err
    assert "  next:    " in said.err
    assert comity("ledger", case).out == before
    assert comity("inbox").code == 11
    assert comity("decide", case, *words, "--json").json["exit_code"] == 2


def test_g7_all_that_is_wrong_is_told_at_once(comity: Comity, case: str) -> None:
    said = comity("decide", case, "--option", "C", "--reason", "", "--json")
    assert len(said.json["faults"]) == 2


def test_g8_twice_and_too_late_are_refused(comity: Comity, case: str, clock: FakeClock) -> None:
    decide = ("decide", case, "--option", "A", "--reason", "older", "--by", "zoe")
    assert comity(*decide).code == 0
    twice = comity(*decide)
    assert twice.code == 2
    assert "is decided already: zoe decided 'A'" in twice.err
    assert comity("decide", case, "--undo", "--by", "yan", "--reason", "x").code == 11
    undone = comity("decide", case, "--undo")
    assert undone.code == 2
    assert "yan took 'A' back already" in undone.err
    clock.advance(HOUR_MS)
    late = comity(*decide)
    assert late.code == 2
    assert "ran out of time" in late.err
    assert "its default 'accept' has been applied" in late.err
    assert comity("why", case, "--json").json["ended_by"] == "default"
    assert "nobody answered in time" in comity("decide", case, "--undo").err


def test_g8_who_takes_back_what_somebody_else_decided_says_why(comity: Comity, case: str) -> None:
    comity("decide", case, "--option", "A", "--reason", "older", "--by", "zoe")
    for words in ((), ("--reason", " ")):
        said = comity("decide", case, "--undo", "--by", "yan", *words)
        assert said.code == 2
        assert "zoe decided 'A', and somebody else takes it back" in said.err
        assert "say --reason TEXT" in said.err
    assert comity("decide", case, "--undo", "--by", "yan", "--reason", "wrong").code == 11
    comity("decide", case, "A")  # nobody knows who that was: the seat did it
    assert comity("decide", case, "--undo", "--by", "yan").code == 2
    assert comity("decide", case, "--undo", "--by", "human").code == 11


def test_at_a_terminal_only_somebody_else_is_asked_why_a_decision_is_taken_back(
    comity: Comity, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Door, "has_person", property(lambda door: door.may_ask))
    lines = iter(["wrong figures", ""])
    monkeypatch.setattr(Terminal, "line", lambda _: next(lines))
    comity("decide", case, "--option", "A", "--reason", "older", "--by", "zoe")
    assert comity("decide", case, "--undo", "--by", "yan").code == 11
    assert comity("why", case, "--json").json["story"][-1]["reason"] == "wrong figures"
    comity("decide", case, "--option", "A", "--reason", "older", "--by", "zoe")
    assert comity("decide", case, "--undo", "--by", "zoe").code == 11, "nobody is asked"
    assert next(lines) == ""


def test_g8_the_settings_say_how_long_a_decision_can_be_taken_back(
    comity: Comity, case: str, clock: FakeClock, here: Path
) -> None:
    comity("decide", case, "--option", "A", "--reason", "older")
    clock.advance(25 * HOUR_MS)
    said = comity("decide", case, "--undo")
    assert said.code == 2
    assert "was decided 1 day ago" in said.err
    (here / "comity.toml").write_text("undo_hours = 30\n", "utf-8")
    assert comity("decide", case, "--undo").code == 11


def test_at_a_terminal_the_reason_is_asked_for(
    comity: Comity, case: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Door, "has_person", property(lambda door: True))
    answers = iter([None, "", "newer"])
    monkeypatch.setattr(Terminal, "line", lambda terminal: next(answers))
    for _ in range(2):
        said = comity("decide", case, "--option", "B")
        assert said.code == 2
        assert "Why? One line" in said.err
        assert "reason: is empty" in said.err
    assert comity("decide", case, "--option", "B").code == 0
    assert comity("why", case, "--json").json["story"][0]["reason"] == "newer"
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert comity("decide", case, "--undo").code == 11, "an undo asks for none"


def test_no_ledger_is_made_for_it(comity: Comity, here: Path) -> None:
    assert comity("decide", "last", "--option", "A", "--reason", "x").code == 2
    assert list(here.iterdir()) == []
