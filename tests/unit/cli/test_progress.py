"""Progress: one line on a terminal, nothing anywhere else."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from comity.cli.door import Door
from comity.cli.progress import Progress, StatusLine


class Terminal(io.StringIO):
    """A terminal that keeps what it was told."""

    def isatty(self) -> bool:
        return True


def run(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, **door: Any) -> Progress:
    monkeypatch.setattr(sys, "stderr", stream)
    moments = iter([1.0, 1.05, 1.2])
    monkeypatch.setattr("comity.cli.progress.time.monotonic", lambda: next(moments))
    with Progress(Door(**door), "games") as progress:
        for done in (0, 1, 2):
            progress(done, 2)
    return progress


def test_a_terminal_sees_it_now_and_then_and_it_is_taken_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Terminal()
    progress = run(monkeypatch, stream)
    assert (progress.done, progress.total) == (2, 2)
    assert stream.getvalue() == (f"\r[{'.' * 24}] 0 of 2 games\r[{'#' * 24}] 2 of 2 games\r\x1b[K")


@pytest.mark.parametrize(("stream", "door"), [(io.StringIO, {}), (Terminal, {"is_quiet": True})])
def test_a_file_and_somebody_who_wants_quiet_see_nothing(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], door: dict[str, Any]
) -> None:
    written = stream()
    assert run(monkeypatch, written, **door).done == 2
    assert written.getvalue() == ""


def test_a_terminal_that_is_gone_does_not_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError(5, text)

    assert run(monkeypatch, Gone()).done == 2


def test_a_status_line_is_written_over_and_taken_away_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "40")
    line = StatusLine(Door(color="never"))
    line.show("turn 1/30")
    line.show("turn 2/30")
    line.hide()
    line.hide()
    assert stream.getvalue() == "\r\x1b[Kturn 1/30\r\x1b[Kturn 2/30\r\x1b[K"
    assert line.width == 39


@pytest.mark.parametrize(("stream", "door"), [(io.StringIO, {}), (Terminal, {"is_quiet": True})])
def test_a_status_line_is_for_who_watches(
    monkeypatch: pytest.MonkeyPatch, stream: type[io.StringIO], door: dict[str, Any]
) -> None:
    written = stream()
    monkeypatch.setattr(sys, "stderr", written)
    line = StatusLine(Door(**door))
    line.show("turn 1/30")
    line.hide()
    assert written.getvalue() == ""


def test_a_status_line_on_a_terminal_that_is_gone_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Gone(Terminal):
        def write(self, text: str) -> int:
            raise OSError(5, text)

    monkeypatch.setattr(sys, "stderr", Gone())
    line = StatusLine(Door(color="never"))
    line.show("turn 1/30")
    assert not line.is_live
    line.hide()
