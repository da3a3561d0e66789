"""Comity resume: a session that a process left goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_k3_an_interrupted_session_ends_as_if_nothing_had_happened(
    comity: Callable[..., Any], here: Path, auth: str, interrupted: Callable[..., str]
) -> None:
    told = interrupted("--output", "o.md")
    session = told.removeprefix("comity resume ")
    whole = comity("negotiate", auth, "--seed", "7", "--output", "p.md", "--json").json
    said = comity("resume", session, "--json", "--svg", "o.svg")
    assert said.code == 0
    assert said.json["session"] == session
    assert said.json["terms"] == whole["terms"]
    assert said.json["turns"] == whole["turns"]
    assert said.json["deal"] == whole["deal"]
    assert (here / "o.md").exists()
    assert "<rect class='put'" in (here / "o.svg").read_text()
    assert comity("replay", session).out == "same\n"


def test_what_it_says_to_go_on_with_names_the_ledger(
    comity: Callable[..., Any], interrupted: Callable[..., str]
) -> None:
    told = interrupted("--db", "my ledger.db")
    assert told.endswith("--db 'my ledger.db'")
    session = told.split()[2]
    assert comity("resume", session, "--db", "my ledger.db", "-q").code == 0


def test_a_session_that_had_ended_shows_its_result_once_more(
    comity: Callable[..., Any], price: str, auth: str
) -> None:
    first = comity("run", auth, "--seed", "7", "--json").json
    again = comity("resume", "last", "--json").json
    assert again == first
    assert comity("run", price, "-q").code == 0
    assert comity("resume", "last").out.startswith("Deal at 80")


def test_an_unknown_session_is_refused(comity: Callable[..., Any], price: str) -> None:
    comity("run", price, "-q")
    said = comity("resume", "d_nothing")
    assert said.code == 2
    assert "names no session" in said.err


def test_interrupted_before_anything_was_recorded(
    comity: Callable[..., Any], auth: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from comity.app import App

    def stop(*args: Any, **more: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(App, "decide", stop)
    said = comity("negotiate", auth)
    assert said.code == 130
    assert "nothing was decided" in said.err


@pytest.mark.parametrize("agents", [None, {"CC": "command:x"}])
def test_seats_that_take_their_time_are_known_from_the_record(agents: Any) -> None:
    from comity.cli.resume import _agents

    assert _agents({"agents": agents} if agents else {}) == (agents or {})
