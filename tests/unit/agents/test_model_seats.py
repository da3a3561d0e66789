"""agents/model_seats.py: words seat a model, no key is recorded, calls are guarded (C5, C7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.agents import model_seats as module
from comity.agents.base import Agent
from comity.agents.budget import Budget, Budgeted, BudgetRules
from comity.agents.claude_code import ClaudeCode
from comity.agents.codex import Codex
from comity.agents.command import Command
from comity.agents.gemini import Gemini
from comity.agents.lineup import agents_of
from comity.agents.model_seats import MODEL_SEATS, Guards, guarded, model_agent, model_spec
from comity.agents.openai_http import ModelSeat
from comity.agents.retrying import Retrying
from comity.agents.scripted import Scripted
from comity.agents.seating import KINDS_OF_SEAT, plan_seat, seat_agent
from comity.core.errors import InvalidInput
from comity.session.record import Opening
from comity.testing.clock import FakeClock

URL = "http://127.0.0.1:8080/v1"


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COMITY_MODEL_URL", "COMITY_MODEL_KEY", "COMITY_MODEL_KEY_CC", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module, "httpx_or_none", lambda: module)


@pytest.mark.parametrize("spec", ["claude", "codex:gpt-5", "gemini:", "gemini"])
def test_a_coding_agent_is_seated_when_it_is_on_the_path(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    kind = spec.partition(":")[0]
    with pytest.raises(InvalidInput, match="not on PATH") as caught:
        model_spec(spec, "CC")
    assert "seat 'CC'" in str(caught.value)
    program = tmp_path / kind
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)
    assert plan_seat(spec, "CC", folder=tmp_path).spec == spec.rstrip(":")


def test_the_words_become_the_agent() -> None:
    assert seat_agent("CC", "claude", {}, domain=None) == ClaudeCode()
    assert model_agent("codex:gpt-5", "CC") == Codex(model="gpt-5")
    assert model_agent("gemini:flash", "CC") == Gemini(model="flash")
    assert model_agent(f"model:qwen@{URL}", "CC") == ModelSeat(model="qwen", url=URL)
    assert model_agent("rational", "CC") is None
    assert model_spec("command:claude -p", "CC") is None


@pytest.mark.parametrize(
    ("spec", "recorded"),
    [
        (f"model:qwen2.5:7b@{URL}", f"model:qwen2.5:7b@{URL}"),
        (f"model: a@b @ {URL}/ ", f"model:a@b@{URL}"),
        ("model:local", "model:local@http://127.0.0.1:1/v1"),
        ("model:me@home", "model:me@home@http://127.0.0.1:1/v1"),
        ("model:m@https://[::1]:5", "model:m@https://[::1]:5"),
    ],
)
def test_a_model_is_recorded_with_its_server(
    spec: str, recorded: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COMITY_MODEL_URL", "http://127.0.0.1:1/v1/")
    assert plan_seat(spec, "CC", folder=tmp_path).spec == recorded
    assert model_spec(recorded, "CC") == recorded
    agent = model_agent(recorded, "CC")
    assert isinstance(agent, ModelSeat)
    assert f"model:{agent.model}@{agent.url}" == recorded


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        ("model:", "names no model"),
        (f"model:@{URL}", "names no model"),
        ("model:http://me:secret@host/v1", "names no model"),
        ("model:m", "and no server"),
        ("model:m@ftp://host/v1", "an http or https URL"),
        ("model:m@http://", "an http or https URL"),
        ("model:m@http://host:0/v1", "an http or https URL"),
        ("model:m@http://host:99999/v1", "cannot be read"),
        ("model:m@http://[::1/v1", "cannot be read"),
        ("model:m@http://me:secret@host/v1", "which would be recorded"),
        ("model:m@http://host/v1?key=secret", "which would be recorded"),
        ("model:m@http://host/v1#secret", "which would be recorded"),
    ],
)
def test_a_server_that_is_none_or_carries_a_secret_is_refused(spec: str, what: str) -> None:
    with pytest.raises(InvalidInput, match=what) as caught:
        model_spec(spec, "CC")
    assert "seat 'CC'" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_without_httpx_a_model_seat_is_refused_before_anybody_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "httpx_or_none", lambda: None)
    with pytest.raises(InvalidInput, match=r"comity\[models\]"):
        model_spec(f"model:m@{URL}", "CC")


def key_of(spec: str, seat: str = "CC") -> str:
    agent = model_agent(spec, seat)
    assert isinstance(agent, ModelSeat)
    return agent.key


def test_a_key_comes_from_the_environment_and_goes_to_its_owner_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "theirs")
    assert key_of(f"model:m@{URL}") == ""
    assert key_of("model:m@https://api.openai.com.example.org/v1") == ""
    assert key_of("model:m@https://api.openai.com/v1") == "theirs"
    monkeypatch.setenv("COMITY_MODEL_KEY", "ours")
    assert key_of("model:m@https://api.openai.com/v1") == "ours"
    monkeypatch.setenv("COMITY_MODEL_KEY_CC", "its own")
    assert key_of(f"model:m@{URL}") == "its own"
    assert key_of(f"model:m@{URL}", "CX") == "ours"
    monkeypatch.setenv("COMITY_MODEL_KEY_Senior_Engineer", "hers")
    assert key_of(f"model:m@{URL}", "Senior Engineer") == "hers"


@pytest.mark.parametrize("name", ["COMITY_MODEL_KEY_CC", "COMITY_MODEL_KEY", "OPENAI_API_KEY"])
@pytest.mark.parametrize("bad", ["\r", "\nX-Other: y", "\x7f", " ", "é"])
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(
    name: str, bad: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, f"hunter2{bad}Pa55")
    with pytest.raises(InvalidInput, match=f"has a key in {name}") as caught:
        model_spec("model:m@https://api.openai.com/v1", "CC")
    told = str(caught.value)
    assert "seat 'CC'" in told
    assert "hunter2" not in told
    assert "Pa55" not in told


def test_c5_every_try_of_a_model_is_reserved_and_other_seats_are_left_alone() -> None:
    clock, budget = FakeClock(), Budget(BudgetRules(tokens=1))
    seats: list[Agent] = [ClaudeCode(), Codex(), Gemini(), ModelSeat(model="m", url=URL)]
    for agent in seats:
        assert guarded(agent, Guards()) == Retrying(agent, None)
        held = guarded(agent, Guards(clock=clock, budget=budget))
        assert held == Retrying(Budgeted(agent, budget), clock)
    plain = Scripted(("yes",))
    assert guarded(plain, Guards(clock=clock, budget=budget, timeout_s=1)) is plain


def test_one_time_limit_holds_for_programs_and_models() -> None:
    asked_once = Retrying(Command(("cat",), 5), retries={})
    assert guarded(Command(("cat",)), Guards(timeout_s=5, clock=FakeClock())) == asked_once
    assert guarded(Command(("cat",)), Guards()) == Retrying(Command(("cat",)), retries={})
    assert guarded(Codex(model="m"), Guards(timeout_s=5)) == Retrying(
        Codex(model="m", timeout_s=5)
    )


def test_the_seats_of_a_record_are_guarded() -> None:
    opening = Opening(
        kind="vote", title="t", rules={}, agents={"CC": "claude", "CX": "script:x"}, made_by="t",
        folder=".",
    )  # fmt: skip
    clock = FakeClock()
    seated = agents_of(opening, {}, None, guards=Guards(clock=clock))
    assert seated == {"CC": Retrying(ClaudeCode(), clock), "CX": Scripted(())}
    assert agents_of(opening, {}, None)["CC"] == Retrying(ClaudeCode(), None)


def test_the_words_are_listed_where_an_unknown_one_is_refused() -> None:
    assert set(MODEL_SEATS) < set(KINDS_OF_SEAT)
