"""Comity resume: a session that a process left goes on."""

from __future__ import annotations

import pytest

from comity.cli import live


def interrupted(comity, auth, monkeypatch, *words: str) -> str:
    real = live.Live._heard
    count = iter(range(100))

    def heard(self, event) -> None:
        real(self, event)
        if next(count) == 5:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(live.Live, "_heard", heard)
        said = comity("negotiate", auth, "--seed", "7", "--output", "o.md", *words)
    assert said.code == 130
    return said.err.rsplit("go on with: ", 1)[1].strip()


def test_k3_an_interrupted_session_ends_as_if_nothing_had_happened(
    comity, here, auth, monkeypatch
) -> None:
    told = interrupted(comity, auth, monkeypatch)
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


def test_what_it_says_to_go_on_with_names_the_ledger(comity, auth, monkeypatch) -> None:
    told = interrupted(comity, auth, monkeypatch, "--db", "my ledger.db")
    assert told.endswith("--db 'my ledger.db'")
    session = told.split()[2]
    assert comity("resume", session, "--db", "my ledger.db", "-q").code == 0


def test_a_session_that_had_ended_shows_its_result_once_more(comity, price, auth) -> None:
    first = comity("run", auth, "--seed", "7", "--json").json
    again = comity("resume", "last", "--json").json
    assert again == first
    assert comity("run", price, "-q").code == 0
    assert comity("resume", "last").out.startswith("Deal at 80")


def test_an_unknown_session_is_refused(comity, price) -> None:
    comity("run", price, "-q")
    said = comity("resume", "d_nothing")
    assert said.code == 2
    assert "names no session" in said.err


def test_interrupted_before_anything_was_recorded(comity, auth, monkeypatch) -> None:
    from comity.app import App

    def stop(*args, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr(App, "decide", stop)
    said = comity("negotiate", auth)
    assert said.code == 130
    assert "nothing was decided" in said.err


@pytest.mark.parametrize("agents", [None, {"CC": "command:x"}])
def test_seats_that_take_their_time_are_known_from_the_record(agents) -> None:
    from comity.cli.resume import _agents

    assert _agents({"agents": agents} if agents else {}) == (agents or {})
