"""Probing: two turns tell whether a seat answers, and in the form that counts (C2, C7)."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import get_args

import pytest

from comity.agents.base import FailureKind
from comity.agents.limits import Limits
from comity.testing.clock import FakeClock
from comity.testing.model_server import ModelServer
from comity.watch import probing
from comity.watch.probing import Probe, look_at, probe

POSITION = "PRIORITY: x\nRATIONALE: y\nRED LINE: none\nWILLING TO TRADE: z"
REAL_SLEEP = time.sleep


@pytest.fixture(autouse=True)
def processes_end_when_they_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the standard library wait for a real process; nothing of ours may."""
    stand_in = SimpleNamespace(sleep=REAL_SLEEP, monotonic=time.monotonic)
    monkeypatch.setattr(subprocess, "time", stand_in)


def probed(folder: Path, *turns: object, **limits: int) -> Probe:
    pytest.importorskip("httpx")
    with ModelServer({"CC": list(turns)}) as server:
        return probe(
            "CC",
            f"model:CC@{server.url}/v1",
            folder=folder,
            limits=Limits(**limits),
            clock=FakeClock(),
        )


def test_a_seat_that_answers_in_the_form_is_told_with_what_it_used(tmp_path: Path) -> None:
    found = probed(tmp_path, POSITION, "[OBJECT: the probe is too short]")
    assert (found.state, found.cure, found.is_ok) == ("answers", "", True)
    assert found.told == "two turns in the form, 240 tokens"
    assert found.to_json()["tokens"] == 240


def test_a_seat_that_needs_to_be_asked_again_keeps_to_the_form_then(tmp_path: Path) -> None:
    found = probed(tmp_path, "Hello.", POSITION, "I say [CONSENT] later", "[CONSENT]")
    assert (found.state, found.reasks) == ("answers", 2)
    assert "2 asked for again" in found.told


@pytest.mark.parametrize(
    "turns", [("Hello.", "Hello again."), (POSITION, "Well.", "Well, well.")], ids=len
)
def test_w1_a_seat_that_cannot_be_read_twice_is_no_seat(
    turns: tuple[str, ...], tmp_path: Path
) -> None:
    found = probed(tmp_path, *turns)
    assert (found.state, found.is_ok) == ("unreadable", False)
    assert "comity parse consent" in found.cure


@pytest.mark.parametrize(
    ("turn", "kind"),
    [
        ({"status": 401}, "auth"),
        ({"status": 400}, "bad_request"),
        ({"status": 429, "retry_after_s": 0}, "rate_limited"),
        ({"status": 500}, "overloaded"),
        ({"empty": True}, "empty"),
        ({"cut": "[CONSENT]"}, "cut"),
    ],
)
def test_c5_every_failure_has_its_cure(turn: object, kind: str, tmp_path: Path) -> None:
    found = probed(tmp_path, turn, turn, turn)
    assert found.state == "fails"
    assert found.told.startswith(f"{kind}: ")
    assert found.cure == probing._CURES[kind]  # type: ignore[index]  # a kind of failure


def test_every_kind_of_failure_has_a_cure_of_its_own() -> None:
    assert set(probing._CURES) == set(get_args(FailureKind))


def test_c5_a_seat_that_hangs_ends_on_its_own_clock(tmp_path: Path) -> None:
    found = probed(tmp_path, {"hang": True}, {"hang": True}, timeout_ms=200)
    assert found.told == "timeout: no answer in 0.2 s"


def test_a_probe_is_paid_from_a_budget_too(tmp_path: Path) -> None:
    assert probed(tmp_path, POSITION, tokens=100).told.startswith("budget: ")


def test_a_program_that_talks_and_never_listens_is_found_out(tmp_path: Path) -> None:
    assert probe("CC", "command:echo hello", folder=tmp_path).state == "unreadable"
    assert probe("CC", "command:false", folder=tmp_path).told == "crashed: exit 1"


def test_what_calls_nobody_is_not_asked_and_what_cannot_sit_is_told(tmp_path: Path) -> None:
    assert probe("CC", "rational", folder=tmp_path).told == "needs no probe"
    assert look_at("CC", "command:true", folder=tmp_path).told == "not asked: --probe asks it"
    absent = probe("CC", "command:no-such-program", folder=tmp_path)
    assert (absent.state, absent.cure) == ("not seated", "install it, or correct the command")
