"""The commands that read a ledger: ledger, why, replay, verify."""

from __future__ import annotations

import csv
import io
import json
import shlex
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.app import App


@pytest.fixture
def decided(comity: Callable[..., Any], auth: str, price: str) -> dict[str, str]:
    """Decide one of each kind and return their ids."""
    return {
        "consent": comity("negotiate", auth, "--seed", "7", "--json").json["session"],
        "bargain": comity("run", price, "--json").json["session"],
    }


def test_sessions_are_listed_newest_first(
    comity: Callable[..., Any], decided: dict[str, str]
) -> None:
    lines = comity("ledger").out.split("\n")
    assert lines[0].split()[:4] == ["session", "opened", "kind", "result"]
    assert lines[1].startswith(decided["bargain"])
    assert "Deal at 80" in lines[1]
    assert lines[2].startswith(decided["consent"])
    told = comity("ledger", "--json").json
    assert (told["v"], told["kind"]) == (1, "sessions")
    assert [one["session"] for one in told["sessions"]] == list(decided.values())[::-1]
    assert len(told["head"]) == 64


def test_the_entries_of_one_are_shown_and_no_private_one(
    comity: Callable[..., Any], decided: dict[str, str]
) -> None:
    said = comity("ledger", decided["consent"])
    assert "GM reply" in said.out
    told = comity("ledger", decided["consent"][:6], "--json").json
    assert told["kind"] == "entries"
    kinds = [one["kind"] for one in told["entries"]]
    assert kinds[0] == "opened"
    assert kinds[-1] == "sealed"
    assert "private" not in kinds


def test_last_is_the_newest_session(comity: Callable[..., Any], decided: dict[str, str]) -> None:
    assert comity("why", "last", "--json").json["session"] == decided["bargain"]
    assert comity("why", "--json").json["session"] == decided["bargain"]


def test_the_head_is_printed_to_be_kept_elsewhere(
    comity: Callable[..., Any], decided: dict[str, str]
) -> None:
    head = comity("ledger", "--head").out.strip()
    assert comity("ledger", "--head", "--json").json["head"] == head
    assert comity("verify", "--head", head).code == 0
    assert comity("verify", "--head", "0" * 64).code == 1
    assert comity("verify", "--head", "xyz").code == 2


def test_an_export_holds_every_public_entry_oldest_session_first(
    comity: Callable[..., Any], decided: dict[str, str]
) -> None:
    lines = [json.loads(line) for line in comity("ledger", "--export", "json").out.splitlines()]
    assert list(dict.fromkeys(one["scope"] for one in lines)) == list(decided.values())
    assert not [one for one in lines if one["kind"] == "private"]
    rows = list(csv.DictReader(io.StringIO(comity("ledger", "--export", "csv").out)))
    assert [row["hash"] for row in rows] == [one["hash"] for one in lines]
    one = comity("ledger", decided["bargain"], "--export", "json").out.splitlines()
    assert [json.loads(line)["kind"] for line in one] == ["opened", "sealed"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--head", "--export", "csv"), "its head and for an export"),
        (("last", "--head"), "its head and for one session"),
        (("--export", "xml"), "json, csv"),
        (("d_nothing",), "names no session"),
        (("d_",), "its first 4 or more characters"),
    ],
)
def test_wrong_words_are_refused(
    comity: Callable[..., Any], decided: dict[str, str], words: Any, told: Any
) -> None:
    said = comity("ledger", *words)
    assert said.code == 2
    assert told in said.err


def test_an_empty_ledger_says_so(comity: Callable[..., Any], here: Path) -> None:
    with App("comity.db") as app:
        assert app.sessions() == ()
    assert comity("ledger").out == "No session yet.\n"
    assert comity("ledger", "--head").out == "none: the ledger is empty\n"
    assert comity("verify").code == 0
    said = comity("why")
    assert said.code == 2
    assert "nothing was decided here" in said.err


@pytest.mark.parametrize("command", ["ledger", "why", "replay", "verify", "resume"])
def test_a_ledger_that_is_not_there_is_not_made(
    comity: Callable[..., Any], here: Path, command: Any
) -> None:
    words = ("last",) if command == "resume" else ()
    said = comity(command, *words)
    assert said.code == 2
    assert "does not exist" in said.err
    assert list(here.iterdir()) == []


def test_g1_why_answers_the_questions_people_ask(
    comity: Callable[..., Any], decided: dict[str, str]
) -> None:
    told = comity("why", decided["consent"], "--json").json
    assert told["question"] == "Authentication protocol design"
    assert told["decided"].startswith("All 3 seats consented")
    assert dict(told["terms"])["delivery"] == "at-least-once"
    assert {one["party"] for one in told["said_at_the_end"]} == {"CC", "CX", "GM"}
    assert [one["kept"] for one in told["red_lines"] if one["checked_by"] == "code"]
    assert told["ended_by"] == "consent"
    assert told["ties"][0]["rule"] == "lot"
    assert len(told["inputs_digest"]) == 64
    assert told["result"]["kind"] == told["kind"] == "agreement"


def test_g1_why_is_a_text_for_people(comity: Callable[..., Any], decided: dict[str, str]) -> None:
    text = comity("why", decided["consent"]).out
    for part in (
        "Authentication protocol design",
        "Decision\n  1. ",
        "Where each stood at the end",
        "p99_latency_ms < 200; checked by code; kept: p99_latency_ms is",
        "speaking order: CC, CX, GM; lot chose",
        "rule consent, ended by consent",
        "CX by rational",
        told_digest(comity, decided["consent"]),
    ):
        assert part in text
    price = comity("why", decided["bargain"]).out
    assert "buyer: 92" in price
    assert "Ties and lots\n  none" in price


def told_digest(comity: Callable[..., Any], session: str) -> str:
    return str(comity("why", session, "--json").json["inputs_digest"])


def test_an_open_session_has_no_account_yet(
    comity: Callable[..., Any], interrupted: Callable[..., str]
) -> None:
    interrupted()
    said = comity("why")
    assert said.code == 2
    assert "is still open" in said.err
    assert "comity resume d_" in said.err
    assert comity("replay").out == "same: it is still open\n"
    assert comity("ledger", "--json").json["sessions"][0]["result"] == "open"


def test_k2_a_decision_replays_the_same(
    comity: Callable[..., Any], decided: dict[str, str]
) -> None:
    for session in decided.values():
        told = comity("replay", session, "--json").json
        assert told == {
            "v": 1,
            "kind": "replay",
            "session": session,
            "same": True,
            "differences": [],
        }


def test_k2_a_changed_rule_shows_the_difference(
    comity: Callable[..., Any], decided: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from comity.mechanisms import bargaining

    rule, read = bargaining.RULE
    monkeypatch.setattr(bargaining, "RULE", (lambda rules: rule(_later(rules)), read))
    said = comity("replay", decided["bargain"])
    assert said.code == 1
    assert said.out.startswith("different: d_")
    assert "outcome.price" in said.out
    told = comity("replay", decided["bargain"], "--json")
    assert told.code == 1
    assert told.json["same"] is False
    assert told.json["differences"]


def _later(rules: Any) -> Any:
    from dataclasses import replace

    return replace(rules, convention="midpoint", first=None)


def test_k2_a_result_that_is_missing_now_is_said_so(
    comity: Callable[..., Any], decided: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from comity.session.fold import Replay

    for outcome, told in ((None, "none now, one is recorded"), ({}, "one now, none is recorded")):
        found = Replay(same=False, outcome=outcome, recorded=None if outcome == {} else {})
        monkeypatch.setattr(App, "replay", lambda app, name, found=found: found)
        assert told in comity("replay").out


def test_k1_a_changed_entry_is_found(
    comity: Callable[..., Any], decided: dict[str, str], here: Path
) -> None:
    assert comity("verify").out.startswith("The ledger is whole: ")
    assert comity("verify", "--json").json["ok"] is True
    with sqlite3.connect(here / "comity.db") as db:
        for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE entries SET at_ms = at_ms + 1 WHERE seq = 1")
    db.close()
    said = comity("verify")
    assert said.code == 1
    assert "NOT whole" in said.out
    told = comity("verify", "--json")
    assert told.code == 1
    assert told.json["problems"]


def test_k4_a_desk_is_in_the_ledger_and_why_says_where_to_look(
    comity: Callable[..., Any], here: Path
) -> None:
    db = ("--db", "our claims.db")
    for agent in ("A", "B"):
        comity("claim", "gpu", "--agent", agent, "--desk", "ours", *db)
    comity("release", "gpu", "--token", "1", "--desk", "ours", *db)
    listed = comity("ledger", *db).out
    assert listed.startswith("desk  last recorded")
    assert "B won gpu" in listed
    (desk,) = comity("ledger", "--json", *db).json["desks"]
    assert (desk["desk"], desk["scope"]) == ("ours", "desk/ours")
    for name in ("ours", "desk/ours"):
        told = comity("why", name, "--json", *db).json
        assert (told["kind"], told["last"]["winners"]) == ("desk_account", ["B"])
        said = comity("why", name, *db).out
        assert all(f"\n  {line}" in said for line in told["next"])
        entries = comity("ledger", name, "--json", *db).json["entries"]
        assert len(entries) == told["entries"]
    assert [shlex.split(line)[1] for line in told["next"]] == ["arbiter", "watch"]
    for line in told["next"]:
        assert comity(*shlex.split(line)[1:]).code in {0, 11}, line


def test_a_desk_is_no_session_and_that_is_told(comity: Callable[..., Any], here: Path) -> None:
    comity("claim", "gpu", "--agent", "A")
    assert "only desks are here" in comity("why").err
    assert "look at `comity why claims`" in comity("why").err
    for command in ("replay", "resume"):
        said = comity(command, "claims")
        assert said.code == 2
        assert "session 'claims': is a desk: it never ends" in said.err
        assert "look at `comity why claims`" in said.err


def test_an_export_of_all_holds_the_desks_too(
    comity: Callable[..., Any], decided: dict[str, str]
) -> None:
    comity("claim", "gpu", "--agent", "A")
    lines = [json.loads(line) for line in comity("ledger", "--export", "json").out.splitlines()]
    scopes = list(dict.fromkeys(one["scope"] for one in lines))
    assert scopes == [*decided.values(), "desk/claims"]
    one = comity("ledger", "claims", "--export", "json").out.splitlines()
    assert {json.loads(line)["scope"] for line in one} == {"desk/claims"}
