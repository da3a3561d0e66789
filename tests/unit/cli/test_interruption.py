"""Interruption: Ctrl-C and SIGTERM, told for people and for programs."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from comity.app import App
from comity.cli.door import Door
from comity.cli.interruption import Terminated, tell_interruption, term_interrupts


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGTERM, before)


def test_sigterm_interrupts_once_and_the_way_out_is_left_alone() -> None:
    with pytest.raises(Terminated), term_interrupts():
        os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def test_without_a_signal_everything_is_as_before() -> None:
    with term_interrupts():
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_handler_of_the_callers_own_and_other_threads_are_left_alone() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with term_interrupts():
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    seen: list[object] = []

    def elsewhere() -> None:
        with term_interrupts():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.SIG_DFL]


@pytest.mark.parametrize(("ending", "code"), [(KeyboardInterrupt(), 130), (Terminated(), 143)])
def test_a_program_gets_one_object(
    ending: BaseException, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    door = Door(as_json=True)
    assert tell_interruption(door, ending, "w", session="d_1", following="go on") == code
    said = capsys.readouterr()
    told = {"v": 1, "kind": "interrupted", "session": "d_1", "exit_code": code, "next": "go on"}
    assert (json.loads(said.out), said.err) == (told, "w\n")


def test_a_call_that_is_interrupted_before_its_session_names_none(
    comity: Callable[..., Any], auth: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*args: Any, **more: Any) -> None:
        raise Terminated

    monkeypatch.setattr(App, "decide", stop)
    said = comity("negotiate", auth, "--json")
    assert said.code == 143
    told = {"v": 1, "kind": "interrupted", "session": None, "exit_code": 143, "next": None}
    assert said.json == told
