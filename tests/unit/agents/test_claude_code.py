"""agents/claude_code.py: its command, and what its JSON means (C7)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from comity.agents.base import Failure, Reply
from comity.agents.claude_code import ClaudeCode, read_claude
from comity.agents.coding_agent import SYSTEM, Place
from comity.agents.process import Ran

SAID = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "api_error_status": None,
    "result": "[CONSENT]\n",
    "total_cost_usd": 0.0008,
    "usage": {
        "input_tokens": 100,
        "cache_creation_input_tokens": 30,
        "cache_read_input_tokens": 1,
        "output_tokens": 20,
    },
}


def ran(code: int = 0, err: str = "", **told: object) -> Ran:
    return Ran(code, json.dumps({**SAID, **told}) + "\n", err)


def test_a_reply_comes_with_its_tokens_and_its_cost() -> None:
    used = {"input_tokens": 131, "output_tokens": 20, "tokens": 151, "money": "0.0008"}
    assert read_claude(ran()) == Reply(text="[CONSENT]", usage=used)
    assert read_claude(ran(usage=None, total_cost_usd=None)) == Reply(text="[CONSENT]")
    told = {"stop_reason": "end_turn", "terminal_reason": "completed"}
    assert read_claude(ran(**told)) == read_claude(ran()), "older versions do not tell these"


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"stop_reason": "max_tokens"}, "cut"),
        ({"stop_reason": "refusal"}, "cut"),
        ({"stop_reason": "tool_use"}, "cut"),
        ({"stop_reason": "pause_turn"}, "cut"),
        ({"stop_reason": ["end_turn"]}, "cut"),
        ({"stop_reason": "a reason of tomorrow"}, "cut"),
        ({"terminal_reason": "max_turns"}, "cut"),
        ({"subtype": "error_max_turns"}, "cut"),
        ({"subtype": "error_max_budget_usd"}, "budget"),
        ({"subtype": None}, "cut"),
        ({"code": 1}, "cut"),
        ({"code": -9}, "cut"),
    ],
)
def test_w1_a_turn_that_did_not_end_well_is_no_reply(told: dict[str, Any], kind: str) -> None:
    said = read_claude(ran(**{"result": "VOTE: APPROVE", **told}))
    assert isinstance(said, Failure)
    assert said.kind == kind
    assert "APPROVE" not in said.detail


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ({"api_error_status": 400}, "bad_request"),
        ({"api_error_status": 401}, "auth"),
        ({"api_error_status": 429}, "rate_limited"),
        ({"api_error_status": 429, "result": "usage limit reached"}, "quota"),
        ({"api_error_status": 529}, "overloaded"),
        ({"result": "API Error: Connection to the API was lost (ECONNRESET)."}, "cut"),
        ({"result": "Not logged in · Please run /login"}, "auth"),
        ({"result": None, "subtype": "error_max_budget_usd"}, "budget"),
        ({"result": None, "subtype": "error_during_execution"}, "crashed"),
        ({"result": "", "subtype": ""}, "crashed"),
        ({"is_error": None, "result": "[CONSENT]"}, "crashed"),
    ],
)
def test_success_that_is_an_error_is_a_failure(told: dict[str, object], kind: str) -> None:
    said = read_claude(ran(code=1, **{"is_error": True, "result": "", **told}))
    assert isinstance(said, Failure)
    assert said.kind == kind
    assert said.detail


@pytest.mark.parametrize("result", ["", " \n", None, 5])
def test_exit_0_with_nothing_said_is_a_failure(result: object) -> None:
    assert read_claude(ran(result=result)) == Failure(
        kind="empty", detail="exit 0 and nothing said"
    )


@pytest.mark.parametrize(
    ("code", "out", "err", "kind", "detail"),
    [
        (0, "", "", "empty", "exit 0"),
        (1, "No conversation found\n", "", "crashed", "exit 1 No conversation found"),
        (1, "", "first\nConnection refused\n", "unavailable", "exit 1 Connection refused"),
        (-9, "", "", "crashed", "exit -9"),
        (0, '{"type": "system"}', "", "crashed", 'exit 0 {"type": "system"}'),
        (0, "[CONSENT]", "", "crashed", "exit 0 [CONSENT]"),
        (0, '{"type": "result", "is_err', "", "crashed", 'exit 0 {"type": "result", "is_err'),
    ],
)
def test_what_is_no_result_is_never_a_reply(
    code: int, out: str, err: str, kind: str, detail: str
) -> None:
    said = read_claude(Ran(code, out, err))
    assert isinstance(said, Failure)
    assert (said.kind, said.detail) == (kind, detail)


def test_the_cloud_that_serves_it_lends_it_its_variables() -> None:
    assert ClaudeCode(environment={"CLAUDE_CODE_USE_BEDROCK": ""})._own() == [
        "ANTHROPIC_",
        "CLAUDE_",
    ]
    assert "AWS_" in ClaudeCode(environment={"CLAUDE_CODE_USE_BEDROCK": "1"})._own()
    assert "GOOGLE_" in ClaudeCode(environment={"CLAUDE_CODE_USE_VERTEX": "1"})._own()


def test_with_a_key_it_runs_bare_and_with_a_log_in_safe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    place = Place(tmp_path)
    argv, added = ClaudeCode(timeout_s=1.5)._start(place)
    assert "--bare" not in argv
    assert argv[4:8] == ("--safe-mode", "--setting-sources", "", "--strict-mcp-config")
    assert "CLAUDE_CONFIG_DIR" not in added, "the log-in is in the person's own folder"
    assert added["API_TIMEOUT_MS"] == "1500"
    token, its = ClaudeCode(environment={"ANTHROPIC_AUTH_TOKEN": "t"})._start(place)
    assert token == argv
    assert its["CLAUDE_CONFIG_DIR"] == str(place.home)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    bare, its = ClaudeCode(model="sonnet")._start(place)
    assert bare == (
        *("claude", "-p", "--output-format", "json", "--bare", "--tools", ""),
        *("--no-session-persistence", "--system-prompt", SYSTEM, "--model", "sonnet"),
    )
    assert its["CLAUDE_CONFIG_DIR"] == str(place.home)
    assert its["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] == "1"
    assert "k" not in repr(ClaudeCode(environment={"ANTHROPIC_API_KEY": "kkkk"}))[-8:]
