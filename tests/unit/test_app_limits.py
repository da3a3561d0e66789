"""App and limits: a session goes on with what is left of the budget it was opened with (C5)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from comity.agents.base import Agent, Question, Reply
from comity.agents.lineup import agents_of
from comity.app import App, Limits
from comity.core.step import Input
from comity.formats.scenario import scenario_from
from comity.protocols.consent.results import ConsentNoDeal
from comity.runner.local import LocalRunner
from comity.session.record import Opening
from comity.testing.clock import FakeClock

POSITION = "PRIORITY: x\nRATIONALE: y\nRED LINE: none\nWILLING TO TRADE: z"
DATA = {
    "kind": "consent",
    "question": "Meet?",
    "order": ["CC", "CX"],
    "seats": {"CC": {"priority": "Focus"}, "CX": {"priority": "Contact"}},
}


class Says:
    """A seat that says one thing."""

    waits = False

    def reply(self, question: Question) -> Reply:
        del question
        return Reply(text=POSITION)


def opened(folder: Path, **limits: object) -> str:
    """Leave a session behind in which both positions are recorded, for 9,000 tokens each."""
    rules = scenario_from(DATA, whose="x", folder=folder, seed="1").rules
    opening = Opening(
        kind="consent",
        title="Meet?",
        rules=rules,
        agents=dict.fromkeys(("CC", "CX"), "model:m@http://127.0.0.1:1/v1"),
        limits=limits,  # type: ignore[arg-type]  # plain data
    )
    with App(str(folder / "l.db"), clock=FakeClock()) as app:
        runner = LocalRunner(app.ledger, clock=FakeClock())
        session = runner.start("d_1", opening)
        for asked in session.last.asks:
            body = {"text": POSITION, "usage": {"tokens": 9_000}}
            runner.step(
                session,
                Input(kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body=body),
            )
    return "d_1"


@pytest.mark.parametrize(("limits", "is_spent"), [({"tokens": 25_000}, True), ({}, False)])
def test_c5_a_resumed_session_has_only_what_is_left(
    limits: dict[str, object], is_spent: bool, tmp_path: Path
) -> None:
    pytest.importorskip("httpx")
    name = opened(tmp_path, **limits)
    with App(str(tmp_path / "l.db"), clock=FakeClock()) as app:
        outcome = app.resume(name, folder=tmp_path).outcome
    assert isinstance(outcome, ConsentNoDeal)
    assert (outcome.reason == "budget") == is_spent, "18,000 of 25,000 are used, 10,000 needed"


def test_c5_what_is_said_at_the_resume_holds_before_what_is_recorded(tmp_path: Path) -> None:
    pytest.importorskip("httpx")
    name = opened(tmp_path, tokens=25_000)
    with App(str(tmp_path / "l.db"), clock=FakeClock(), limits=Limits(tokens=900_000)) as app:
        outcome = app.resume(name, folder=tmp_path).outcome
    assert isinstance(outcome, ConsentNoDeal)
    assert outcome.reason != "budget"


def test_c5_the_limits_of_a_call_are_recorded_and_reach_every_seat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []

    def spying(*words: object, guards: object, **more: object) -> dict[str, Agent]:
        seen.append(guards)
        return agents_of(*words, guards=guards, **more)  # type: ignore[arg-type]  # passed on

    known: Callable[..., object] = spying
    monkeypatch.setattr("comity.app.agents_of", known)
    scenario = scenario_from(DATA, whose="x", folder=tmp_path, seed="1")
    limits = Limits(tokens=5, timeout_ms=1_500)
    with App(str(tmp_path / "l.db"), clock=FakeClock(), limits=limits) as app:
        decided = app.decide(scenario, {}, folder=tmp_path, agents={"CC": Says(), "CX": Says()})
    assert decided.opening.limits == {"tokens": 5, "timeout_ms": 1_500}
    (guards,) = seen
    assert guards.timeout_s == 1.5  # type: ignore[attr-defined]  # guards
    assert guards.budget.rules.tokens == 5  # type: ignore[attr-defined]  # guards
