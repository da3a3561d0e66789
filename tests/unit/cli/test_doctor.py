"""Comity doctor: what is seen, and never a key's value."""

from __future__ import annotations

import sqlite3
import subprocess
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comity.cli import doctor

REAL_SLEEP = time.sleep


@pytest.fixture(autouse=True)
def processes_end_when_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the standard library wait for a real process; nothing of ours may."""
    stand_in = SimpleNamespace(sleep=REAL_SLEEP, monotonic=time.monotonic)
    monkeypatch.setattr(subprocess, "time", stand_in)


def test_it_shows_versions_paths_programs_and_the_ledger(
    comity: Callable[..., Any], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = here / "codex"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(here))
    (here / "comity.toml").write_text("")
    told = comity("doctor", "--json").json
    assert (told["v"], told["kind"], told["ok"]) == (1, "doctor", True)
    assert set(told["versions"]) == {"comity", "python", "click", "sqlite"}
    assert told["folder"] == str(here)
    assert told["settings"] == "comity.toml"
    assert told["programs"]["CX"] == {"program": "codex", "path": str(program)}
    assert told["programs"]["CC"] == {"program": "claude", "path": None}
    assert "not there yet" in told["ledger"]["state"]
    assert not (here / "comity.db").exists()


def test_keys_are_shown_by_name_and_never_by_value(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in doctor.KEYS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert comity("doctor", "--json").json["keys"] == ["OPENAI_API_KEY"]
    said = comity("doctor")
    assert "OPENAI_API_KEY" in said.out
    assert "secret" not in said.out + said.err


def test_a_whole_ledger_is_counted(comity: Callable[..., Any], price: str) -> None:
    comity("run", price, "-q")
    said = comity("doctor")
    assert said.code == 0
    assert "comity.db: whole, 1 sessions, 2 entries" in said.out


def test_a_damaged_ledger_is_exit_code_1(
    comity: Callable[..., Any], here: Path, price: str
) -> None:
    comity("run", price, "-q")
    with sqlite3.connect(here / "comity.db") as db:
        for (name,) in db.execute(
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall():
            db.execute(f"DROP TRIGGER {name}")
        db.execute("UPDATE entries SET at_ms = 5")
    db.close()
    said = comity("doctor")
    assert said.code == 1
    assert "run `comity verify`" in said.out


def test_what_is_no_ledger_is_exit_code_1(comity: Callable[..., Any], here: Path) -> None:
    (here / "comity.db").write_text("not a database, but long enough to look at" * 40)
    said = comity("doctor", "--json")
    assert said.code == 1
    assert said.json["ok"] is False


def test_a_click_without_its_papers_is_of_unknown_version(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", missing)
    assert doctor._click_version() == "unknown"


SEATED = ("--agent", "CC=command:echo hello", "--agent", "CX=rational")


def test_seats_are_looked_at_and_not_asked_without_being_told_to(
    comity: Callable[..., Any], here: Path
) -> None:
    (here / "comity.toml").write_text('[seats]\nGM = "command:no-such-program"\n')
    said = comity("doctor", *SEATED)
    assert said.code == 1
    assert "command:echo hello: not asked: --probe asks it" in said.out
    assert "rational: needs no probe" in said.out
    assert said.out.endswith("What to do\n  seat GM: install it, or correct the command\n")


def test_c7_a_probe_asks_and_names_the_cure(comity: Callable[..., Any], here: Path) -> None:
    said = comity("doctor", *SEATED, "--probe", "--json")
    assert (said.code, said.json["ok"]) == (1, False)
    assert [one["state"] for one in said.json["seats"]] == ["unreadable", "not asked"]
    assert "larger model" in said.json["seats"][0]["cure"]
    (here / "agree.sh").write_text(
        "case $COMITY_ASK in\n"
        "position) printf 'PRIORITY: a\\nRATIONALE: b\\nRED LINE: none\\n"
        "WILLING TO TRADE: c\\n';;\n*) echo '[CONSENT]';;\nesac\n"
    )
    said = comity("doctor", "--agent", "CC=command:sh agree.sh", "--probe")
    assert said.code == 0
    assert "two turns in the form" in said.out


def test_auto_seats_what_is_on_the_path(
    comity: Callable[..., Any], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = here / "gemini"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(here))
    told = comity("doctor", "--agent", "auto", "--json").json["seats"]
    assert [(one["seat"], one["agent"]) for one in told] == [("GM", "gemini")]


def test_k1_where_the_ledger_lies_is_looked_at(
    comity: Callable[..., Any], here: Path, price: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    comity("run", price, "-q")
    told = comity("doctor", "--json").json["ledger"]["checks"]
    assert [(one["name"], one["ok"]) for one in told] == [
        ("ledger", True),
        ("disk", True),
        ("journal", True),
    ]
    assert told[2]["found"] == "wal"
    monkeypatch.setattr(doctor.os, "access", lambda path, mode: False)
    monkeypatch.setattr(doctor, "_LEAST_FREE", 10**30)
    with sqlite3.connect(here / "comity.db") as db:
        db.execute("PRAGMA journal_mode = delete")
    db.close()
    monkeypatch.setattr(doctor, "_whole", lambda place: doctor.Finding("ledger", "whole"))
    said = comity("doctor")
    assert said.code == 1
    assert [
        line.split(":")[0].strip()
        for line in said.out.rpartition("What to do")[2].split("\n")[1:-1]
    ] == [
        "ledger file",
        "disk",
        "journal",
    ]


def test_a_ledger_of_a_server_is_no_file(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_whole", lambda place: doctor.Finding("ledger", "whole"))
    told = comity("doctor", "--db", "postgresql://me:secret@127.0.0.1:1/x", "--json").json
    assert told["ledger"]["place"] == "postgresql://me@127.0.0.1:1/x"
    assert [one["name"] for one in told["ledger"]["checks"]] == ["ledger"]
