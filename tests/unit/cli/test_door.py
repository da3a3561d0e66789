"""Door: how a command speaks."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from comity.cli.door import Door, close_quietly, make_streams_safe
from comity.settings import load_settings


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("color", "environment", "screen", "coloured"),
    [
        ("auto", {}, False, False),
        ("auto", {}, True, True),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colours_follow_the_option_then_the_environment_then_the_stream(
    color: Any, environment: Any, screen: Any, coloured: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", Screen() if screen else io.StringIO())
    assert (Door(color=color).ink.bold("x") != "x") is coloured


def test_signs_are_ascii_where_the_encoding_cannot_hold_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for encoding, sign in (("utf-8", "✓"), ("cp1252", "+"), ("no-such-encoding", "+")):
        monkeypatch.setattr(sys, "stdout", type("S", (io.StringIO,), {"encoding": encoding})())
        assert Door().ink.sign("yes") == sign


def test_quiet_leaves_out_talk_and_keeps_warnings_and_data(
    capsys: pytest.CaptureFixture[str],
) -> None:
    door = Door(is_quiet=True)
    door.talk("progress")
    door.warn("interrupted")
    door.data("result")
    said = capsys.readouterr()
    assert (said.out, said.err) == ("result\n", "interrupted\n")


def test_json_is_one_object_that_any_encoding_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="cp1252")
    monkeypatch.setattr(sys, "stdout", stream)
    Door().json({"sign": "✓"})
    assert b"\\u2713" in raw.getvalue()


def test_text_that_an_encoding_cannot_hold_becomes_a_question_mark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    make_streams_safe()
    Door().data("naïve ✓")
    assert raw.getvalue() == b"na?ve ?\n"


def test_streams_that_cannot_be_changed_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    make_streams_safe()
    Door().data("x")
    assert sys.stdout.getvalue() == "x\n"


def test_the_work_goes_on_when_the_reader_has_gone() -> None:
    read, write = os.pipe()
    os.close(read)
    stream = os.fdopen(write, "w", encoding="utf-8")
    before = sys.stdout
    sys.stdout = stream
    try:
        for _ in range(3):
            Door().data("x" * 100_000)
    finally:
        sys.stdout = before
        stream.close()


def test_a_stream_without_a_file_cannot_be_closed_and_that_is_no_failure() -> None:
    close_quietly(io.StringIO())


def test_a_person_is_asked_only_on_a_terminal_and_only_when_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", Screen())
    monkeypatch.setattr(sys, "stderr", Screen())
    assert Door().has_person
    assert Door().is_live
    assert not Door(may_ask=False).has_person
    monkeypatch.setattr(sys, "stdin", None)
    assert not Door().has_person
    closed = Screen()
    closed.isatty = lambda: (_ for _ in ()).throw(ValueError("closed"))  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stdin", closed)
    assert not Door().has_person


def test_the_ledger_is_the_named_one_then_the_environments_then_the_settings(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Door().ledger_place() == "comity.db"
    (here / "comity.toml").write_text('db = "from-settings.db"\n')
    assert Door().ledger_place() == "from-settings.db"
    assert Door().explicit_db() == ""
    monkeypatch.setenv("COMITY_DB", "from-environment.db")
    assert Door().ledger_place() == "from-environment.db"
    assert Door().explicit_db() == "from-environment.db"
    assert Door(db="named.db").ledger_place() == "named.db"
    assert Door(db="named.db").explicit_db() == "named.db"
    assert load_settings(here, {}).source == "comity.toml"
