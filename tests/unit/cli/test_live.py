"""Live: what somebody sees while a session runs."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from comity.app import Event
from comity.cli.door import Door
from comity.cli.live import Live


def heard(*messages: dict[str, Any], **body: Any) -> Event:
    step: Any = SimpleNamespace(state=SimpleNamespace(transcript=messages))
    return Event(kind="heard", session="d_1", party="CC", body=body, step=step)


def message(turn: int, text: str = "words") -> dict[str, Any]:
    return {"turn": turn, "party": "CC", "kind": "discuss", "text": text, "version": 0}


def test_each_message_is_told_once_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    live = Live(Door())
    live(heard(message(1)))
    live(heard(message(1), message(2)))
    live(heard(message(1), message(2)))
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("says") == 2
    assert [one["turn"] for one in live.messages] == [1, 2]
    assert live.session == "d_1"


def test_a_story_is_told_on_stdout_and_not_beside_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Live(Door(), is_story=True)(heard(message(1)))
    assert capsys.readouterr().out == "  1  CC says: words\n"
    Live(Door(as_json=True), is_story=True)(heard(message(1)))
    said = capsys.readouterr()
    assert said.out + said.err == ""


def test_what_did_not_count_is_told_with_why(capsys: pytest.CaptureFixture[str]) -> None:
    live = Live(Door())
    live(Event(kind="rejected", session="d", party="CX", body={"reason": "late", "hint": "no\nw"}))
    live(Event(kind="rejected", session="d", party="CX", body={"reason": "late"}))
    assert capsys.readouterr().err == (
        "     not counted (CX): no\\nw\n     not counted (CX): late\n"
    )


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ({"reason": "left", "detail": "the person left"}, "the person left"),
        ({"reason": "timeout", "detail": ""}, "timeout"),
        (None, "no reason given"),
    ],
)
def test_a_seat_that_did_not_answer_is_told(
    body: Any, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    live = Live(Door())
    live(heard(kind="failure", body=body))
    assert capsys.readouterr().err == f"     CC did not answer: {told}\n"
    assert live.silent == {"CC": [told]}


def asked(*seats: str) -> list[Event]:
    return [Event(kind="asked", session="d", party=seat) for seat in seats]


def test_who_is_waited_for_stands_on_the_last_line_of_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for event in asked("CC"):
        Live(Door(), slow_seats=frozenset({"CC"}))(event)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(Door, "is_live", property(lambda door: True))
    live = Live(Door(), slow_seats=frozenset({"CC", "CX"}))
    for event in asked("CC", "CX"):
        live(event)
    live(heard(message(1)))
    live(Event(kind="sealed", session="d"))
    shown = capsys.readouterr().err.split("\r\x1b[K")
    assert [one.strip() for one in shown if "waiting" in one] == [
        "waiting for CC",
        "waiting for CC, CX",
        "waiting for CX",
    ]
    assert shown[-1] == "", "it is taken away when the session ends"


def test_nothing_is_written_over_what_a_person_types(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Door, "is_live", property(lambda door: True))
    live = Live(Door(), slow_seats=frozenset({"CC"}))
    for event in asked("CC", "a person"):
        live(event)
    live.rest()
    assert capsys.readouterr().err.count("waiting") == 1


def test_c5_a_plain_line_behind_each_turn_tells_where_it_stands_and_what_it_cost(
    capsys: pytest.CaptureFixture[str],
) -> None:
    live = Live(Door(), slow_seats=frozenset({"CC"}))
    usage = {"tokens": 41_200, "money": "0.12"}
    live(heard(message(1), kind="reply", body={"usage": usage}))
    live(heard(message(1), kind="reply", body={"usage": {"tokens": 1}}))
    assert capsys.readouterr().err.splitlines()[-1] == "     cost 0.12 USD · 41,200 tokens"
    assert live.used.tokens == 41_201


def test_an_event_without_a_step_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    Live(Door())(Event(kind="heard", session="d", party="CC"))
    assert capsys.readouterr().err == ""


def test_a_consent_check_names_its_version_once(capsys: pytest.CaptureFixture[str]) -> None:
    check = {**message(4, "[CONSENT CHECK - CC]"), "kind": "check", "version": 1, "draft": ["x"]}
    Live(Door())(heard(check))
    assert capsys.readouterr().err.count("version 1") == 1


def test_v8_who_has_voted_is_told_and_never_how(capsys: pytest.CaptureFixture[str]) -> None:
    def ballots(*cast: tuple[str, str], missing: int) -> Event:  # of the last voter
        told = [SimpleNamespace(voter=voter, status=status) for voter, status in cast]
        state = SimpleNamespace(cast=told, missing=["x"] * missing)
        step: Any = SimpleNamespace(state=SimpleNamespace(inner=state))
        return Event(kind="heard", session="d_1", party=cast[-1][0], body={}, step=step)

    live = Live(Door())
    live(ballots(("ann", "counted"), missing=1))
    live(ballots(("ann", "counted"), ("bob", "invalid"), missing=0))
    said = capsys.readouterr().err.splitlines()
    assert said == [
        "     ann has voted; 1 missing",
        "     bob cannot be read; nobody is missing",
    ]
