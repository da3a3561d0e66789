"""agents/codex.py: its command, and what its lines mean (C7)."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from comity.agents.base import Failure, Reply
from comity.agents.codex import Codex, read_codex
from comity.agents.coding_agent import Place
from comity.agents.process import Ran

WARNING = {"type": "item.completed", "item": {"type": "error", "message": "unknown model"}}
SAID = {"type": "item.completed", "item": {"type": "agent_message", "text": " [CONSENT]\n"}}
DONE = {"type": "turn.completed", "usage": {"input_tokens": 100, "output_tokens": 20}}


def ran(*events: object, code: int = 0, err: str = "") -> Ran:
    start = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    lines = [one if isinstance(one, str) else json.dumps(one) for one in (*start, *events)]
    return Ran(code, "\n".join(lines) + "\n", err)


def failed(words: str) -> tuple[dict[str, object], dict[str, object]]:
    return {"type": "error", "message": words}, {
        "type": "turn.failed",
        "error": {"message": words},
    }


def test_a_reply_comes_with_its_tokens_and_no_cost() -> None:
    used = {"input_tokens": 100, "output_tokens": 20, "tokens": 120}
    assert read_codex(ran(WARNING, SAID, DONE)) == Reply(text="[CONSENT]", usage=used)


def test_the_last_message_and_the_last_count_of_the_thread_are_the_turns() -> None:
    thought = {"type": "item.completed", "item": {"type": "agent_message", "text": "Let me see."}}
    later = {"type": "turn.completed", "usage": {"input_tokens": 300, "output_tokens": 60}}
    said = read_codex(ran(thought, DONE, SAID, later))
    assert isinstance(said, Reply)
    assert (said.text, said.usage["tokens"]) == ("[CONSENT]", 360)


def test_an_error_that_was_overcome_is_no_failure() -> None:
    trying = {"type": "error", "message": "Reconnecting... 1/5"}
    assert isinstance(read_codex(ran(trying, SAID, DONE)), Reply)


def test_lines_that_are_no_events_are_passed_over() -> None:
    odd = ["not json", "[1]", '{"type": "item.completed", "item": 5}']
    assert isinstance(read_codex(ran(*odd, SAID, DONE)), Reply)
    assert read_codex(ran(SAID, {"type": "turn.completed"})) == Reply(text="[CONSENT]")


@pytest.mark.parametrize(
    ("words", "kind", "detail"),
    [
        (
            '{"error": {"message": "no", "type": "invalid_request_error"}}',
            "bad_request",
            "exit 1 invalid_request_error: no",
        ),
        (
            "unexpected status 401 Unauthorized: no",
            "auth",
            "exit 1 unexpected status 401 Unauthorized: no",
        ),
        ("exceeded retry limit, last status: 429 Too Many Requests", "rate_limited", None),
        ("We’re currently experiencing high demand", "overloaded", None),
        ("stream disconnected before completion: network error", "cut", None),
        ("", "crashed", None),
        ("something else", "crashed", "exit 1 something else"),
    ],
)
def test_a_turn_that_failed_is_a_failure_of_its_kind(
    words: str, kind: str, detail: str | None
) -> None:
    said = read_codex(ran(*failed(words), code=1))
    assert isinstance(said, Failure)
    assert said.kind == kind
    assert detail in {None, said.detail}


def test_words_before_a_failure_are_no_reply() -> None:
    said = read_codex(ran(SAID, *failed("stream disconnected before completion"), code=1))
    assert isinstance(said, Failure)
    assert said.kind == "cut"


@pytest.mark.parametrize("events", [(DONE,), ({**SAID, "item": {"type": "agent_message"}}, DONE)])
def test_exit_0_with_nothing_said_is_a_failure(events: tuple[object, ...]) -> None:
    assert read_codex(ran(*events)) == Failure(kind="empty", detail="exit 0 and nothing said")


@pytest.mark.parametrize(
    ("left", "kind", "detail"),
    [
        (
            Ran(1, "", "Error: Unknown feature flag: x\n"),
            "crashed",
            "exit 1 Error: Unknown feature flag: x",
        ),
        (Ran(0, "[CONSENT]\n", ""), "crashed", "exit 0"),
        (ran(SAID, DONE, code=1), "cut", "exit 1 after its answer"),
        (ran(SAID, DONE, code=-9, err="a\nb\n"), "cut", "exit -9 after its answer b"),
        (ran(SAID, {"type": "turn.failed"}, DONE), "cut", "exit 0 the turn failed"),
        (ran(SAID, DONE, {"type": "turn.failed", "error": 5}), "cut", "exit 0 the turn failed"),
        (replace(ran(SAID, DONE), is_cut=True), "cut", "it printed more than 8000000 bytes"),
        (ran(SAID, code=-9), "cut", "exit -9"),
        (
            ran(*failed("no credit: usage limit"), DONE, code=1),
            "quota",
            "exit 1 no credit: usage limit",
        ),
    ],
)
def test_a_turn_that_did_not_end_is_never_a_reply(left: Ran, kind: str, detail: str) -> None:
    said = read_codex(left)
    assert isinstance(said, Failure)
    assert (said.kind, said.detail) == (kind, detail)


def settings_of(argv: tuple[str, ...]) -> dict[str, str]:
    pairs = [argv[at + 1].partition("=") for at, word in enumerate(argv) if word == "-c"]
    return {name: value for name, _, value in pairs}


def test_with_a_key_it_has_a_provider_and_a_home_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CODEX_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    place = Place(tmp_path)
    argv, added = Codex()._start(place)
    assert argv[:7] == (
        "codex",
        "exec",
        "--json",
        "--skip-git-repo-check",
        "--ignore-user-config",
        "-s",
        "read-only",
    )
    assert argv[-1] == "-"
    assert added == {}, "the log-in is in the person's own folder"
    settings = settings_of(argv)
    assert "model_provider" not in settings
    assert settings["features.shell_tool"] == "false"
    assert json.loads(settings["model_instructions_file"]) == str(place.system)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    argv, added = Codex(model="gpt-5")._start(place)
    assert added == {"CODEX_HOME": str(place.home)}
    assert argv[argv.index("-m") + 1] == "gpt-5"
    own = tomllib.loads(f"own = {settings_of(argv)['model_providers.seat']}")["own"]
    assert own == {
        "name": "seat",
        "base_url": "https://api.openai.com/v1",
        "env_key": "OPENAI_API_KEY",
        "wire_api": "responses",
        "request_max_retries": 0,
        "stream_max_retries": 0,
    }
    argv, _ = Codex(environment={"CODEX_API_KEY": "c", "OPENAI_BASE_URL": 'http://x/"v1'})._start(
        place
    )
    own = tomllib.loads(f"own = {settings_of(argv)['model_providers.seat']}")["own"]
    assert (own["base_url"], own["env_key"]) == ('http://x/"v1', "CODEX_API_KEY")
    assert "c" not in own.values()
