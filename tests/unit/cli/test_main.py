"""Main: the way a call goes."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

import comity as package
from comity.cli import main as module
from comity.cli.main import main


def test_the_version_is_told_without_loading_click() -> None:
    code = (
        "import sys; from comity.cli.main import main; main(['--version']); "
        "print('click' in sys.modules, 'comity.core.errors' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == [f"comity {package.__version__}", "False False"]


def test_the_version_is_also_an_option_among_others(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version", "--json"]) == 0
    assert capsys.readouterr().out == f"comity {package.__version__}\n"


def test_the_words_of_the_process_are_the_default(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["comity", "--version"])
    assert main() == 0
    assert capsys.readouterr().out.startswith("comity ")


def test_a_reader_that_has_gone_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

        def fileno(self) -> int:
            return 99

    redirected: list[int] = []
    monkeypatch.setattr(sys, "stdout", Gone())
    monkeypatch.setattr(module.os, "dup2", lambda hole, number: redirected.append(number))
    assert main(["--version"]) == 0
    assert redirected == [99]


def test_a_version_that_cannot_be_written_is_a_failure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    assert main(["--version"]) == 1
    assert capsys.readouterr().err == (
        "error: standard output cannot be written: No space left on device\n"
    )
