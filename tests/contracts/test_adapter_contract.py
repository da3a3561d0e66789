"""C5, C7, contract 6: every adapter keeps one contract against the fake model server.

Coding agents are stood in for by programs that leave what the real ones leave; the real ones are
in test_real_programs.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from comity.agents import process
from comity.agents.base import Agent, Failure, Reply
from comity.agents.claude_code import ClaudeCode
from comity.agents.codex import Codex
from comity.agents.gemini import Gemini
from comity.agents.model_seats import Guards, guarded
from comity.agents.openai_http import ModelSeat, httpx_or_none
from comity.testing.adapter_checks import check_adapter
from comity.testing.agent_checks import check_agent, sample_questions
from comity.testing.ledger_checks import Check
from comity.testing.model_server import ModelServer

PROGRAMS: dict[str, type[ClaudeCode | Codex | Gemini]] = {
    "claude": ClaudeCode,
    "codex": Codex,
    "gemini": Gemini,
}
ADAPTERS = (*PROGRAMS, "model")
NAMES = [name for name, _ in check_adapter(lambda server, timeout_s: ClaudeCode())]
QUESTION = sample_questions("CC")[0]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a stand-in for each program."""
    folder = tmp_path_factory.mktemp("programs")
    here = str(Path(__file__).parent)
    for name in PROGRAMS:
        program = folder / name
        program.write_text(
            f"#!{sys.executable} -ISB\nimport sys\nsys.path.insert(0, {here!r})\n"
            f"import fake_programs\nfake_programs.{name}(sys.argv[1:])\n",
            "utf-8",
        )
        program.chmod(0o755)
    return folder


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_GRACE_S", 0.1)


def maker(name: str, programs: Path) -> Callable[[ModelServer, float], Agent]:
    """Return what makes an adapter whose model is a server."""

    def make(server: ModelServer, timeout_s: float) -> Agent:
        if name == "model":
            if httpx_or_none() is None:
                pytest.skip("httpx: not installed; it is the extra 'models'")
            return ModelSeat(model="CC", url=f"{server.url}/v1", timeout_s=timeout_s)
        return PROGRAMS[name](
            program=str(programs / name), timeout_s=timeout_s, environment=server.environment()
        )

    return make


@pytest.mark.parametrize("check", NAMES)
@pytest.mark.parametrize("adapter", ADAPTERS)
def test_c7_an_adapter_keeps_its_contract(adapter: str, check: str, programs: Path) -> None:
    checks: dict[str, Check] = dict(check_adapter(maker(adapter, programs), hang_s=0.4))
    checks[check]()


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_an_adapter_keeps_the_contract_of_every_agent(adapter: str, programs: Path) -> None:
    with ModelServer(lambda asked: "[CONSENT]") as server:
        make = maker(adapter, programs)
        checks = check_agent(
            lambda: guarded(make(server, 30.0), Guards()),
            sample_questions()[:2],
            is_repeatable=False,
        )
        for name, check in checks:
            if adapter == "model" or name != "whatever others wrote it raises nothing":
                check()


def test_an_adapter_whose_program_is_not_there_is_unavailable() -> None:
    for adapter in PROGRAMS.values():
        said = adapter(program="no-such-program-anywhere").reply(QUESTION)
        assert isinstance(said, Failure)
        assert said.kind == "unavailable"
        assert "no-such-program-anywhere" in said.detail


def test_without_a_key_the_persons_log_in_is_asked_and_told(programs: Path) -> None:
    with ModelServer({"CC": []}) as server:
        without = {**server.environment(), "ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": ""}
        said = ClaudeCode(program=str(programs / "claude"), environment=without).reply(QUESTION)
        assert server.requests == ()
    assert said == Failure(kind="auth", detail="Not logged in · Please run /login")


def test_a_seat_inside_a_coding_agent_is_none_of_its_own(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    with ModelServer({"CC": ["yes"]}) as server:
        said = ClaudeCode(
            program=str(programs / "claude"), environment=server.environment()
        ).reply(QUESTION)
    assert isinstance(said, Reply)


@pytest.mark.parametrize("adapter", PROGRAMS)
def test_c7_a_key_that_a_server_repeats_is_struck_out(adapter: str, programs: Path) -> None:
    names = {"claude": "ANTHROPIC_API_KEY", "codex": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
    key = "hunter2-CC-Pa55"
    script = {"CC": [{"status": 401, "message": f"bad key {key}"}, f"my key is {key}"]}
    with ModelServer(script) as server:
        environment = {**server.environment(), names[adapter]: key}
        seat = PROGRAMS[adapter](program=str(programs / adapter), environment=environment)
        refused, said = seat.reply(QUESTION), seat.reply(QUESTION)
    assert isinstance(refused, Failure)
    assert "bad key (a key)" in refused.detail
    assert isinstance(said, Reply)
    assert said.text == "my key is (a key)"


def test_nothing_of_a_turn_is_left_on_disk(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with ModelServer({"CX": ["yes"]}) as server:
        said = Codex(program=str(programs / "codex"), environment=server.environment()).reply(
            QUESTION
        )
    assert isinstance(said, Reply)
    assert list(tmp_path.iterdir()) == []


def test_the_contract_has_no_two_checks_of_one_name() -> None:
    assert len(NAMES) == len(set(NAMES)) >= 12
