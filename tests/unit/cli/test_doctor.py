"""Comity doctor: what is seen, and never a key's value."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from comity.cli import doctor


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
