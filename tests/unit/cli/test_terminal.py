"""Terminal: a person types."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from comity.cli.door import Door
from comity.cli.terminal import Terminal


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return a function that types bytes, and one that ends the input."""
    read, write = os.pipe()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=lambda: read, isatty=lambda: False))
    yield SimpleNamespace(type=lambda data: os.write(write, data), end=lambda: os.close(write))
    os.close(read)


def test_c7_a_person_answers_until_an_empty_line(
    keys: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    keys.type("[OBJECT: zu früh]\nsecond line\n\nlater\n".encode())
    keys.end()
    terminal = Terminal(Door())
    assert terminal.ask("CC", "the brief") == "[OBJECT: zu früh]\nsecond line"
    assert terminal.line() == "later"
    said = capsys.readouterr()
    assert said.out == ""
    assert "the brief" in said.err


def test_c7_a_single_full_stop_ends_an_answer(keys: Any) -> None:
    keys.type(b"\n\n[CONSENT]\r\n . \nrest\n")
    keys.end()
    assert Terminal(Door()).ask("CC", "x") == "[CONSENT]"


def test_a_full_stop_alone_is_an_empty_answer(keys: Any) -> None:
    keys.type(b".\nmore\n")
    keys.end()
    assert Terminal(Door()).ask("CC", "x") == ""


def test_c7_the_end_of_input_means_that_the_person_left(
    keys: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    keys.end()
    terminal = Terminal(Door())
    assert terminal.ask("CC", "the brief") is None
    capsys.readouterr()
    assert terminal.ask("CC", "the brief") is None
    assert capsys.readouterr().err == ""


def test_what_was_typed_before_the_end_still_counts(keys: Any) -> None:
    keys.type(b"[CONSENT]")
    keys.end()
    assert Terminal(Door()).ask("CC", "x") == "[CONSENT]"


def test_a_brief_is_shown_even_when_it_is_to_be_quiet(
    keys: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    keys.type(b".\nmore\n")
    keys.end()
    Terminal(Door(is_quiet=True)).ask("CC", "the brief")
    assert "the brief" in capsys.readouterr().err


def test_without_a_stdin_there_is_nothing_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> int:
        raise ValueError("closed")

    monkeypatch.setattr(sys, "stdin", SimpleNamespace(fileno=gone))
    assert Terminal(Door()).line() is None
