"""Claude Code: how does Claude Code take a seat?

Here: its command without tools, settings and memory; what its JSON says.
Not here: what all coding agents share (coding_agent.py), when a call is tried again (retrying.py).
Sources: Claude Code 2.1.332, as measured. Its ``subtype`` says "success" on an API error too:
``is_error`` decides. An empty answer ends with exit code 0. An answer counts when it says that it
is no error and a success, that its model stopped by itself, and when the exit code is 0.

With an API key it runs bare, which never reads a log-in. Without one, a person's log-in is used:
then its own settings folder stays, and everything in it but the log-in is switched off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from comity.agents.base import Failure, Question, Reply
from comity.agents.coding_agent import (
    SYSTEM,
    Place,
    answered,
    ask_program,
    json_in,
    known,
    usage_of,
)
from comity.agents.failures import failure, kind_of_status, kind_of_words
from comity.agents.process import TIMEOUT_S, Ran

__all__ = ["ClaudeCode", "read_claude"]

_BARE = ("--bare",)
_ENDS = {
    "subtype": ("success",),
    "stop_reason": (None, "end_turn", "stop_sequence"),
    "terminal_reason": (None, "completed"),
}
"""How a turn ends in which all was said; older versions do not tell the last two."""

_SAFE = ("--safe-mode", "--setting-sources", "", "--strict-mcp-config")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeCode:
    """A seat that Claude Code answers for.

    Attributes:
        model: the model; the program's own choice by default.
        program: the program's name or path.
        timeout_s: how long one call may take.
        environment: variables for it beside those of this process.

    Example:
        >>> ClaudeCode(model="sonnet").waits
        True
    """

    model: str = ""
    program: str = "claude"
    timeout_s: float = TIMEOUT_S
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Ask Claude Code once."""
        return ask_program(
            question,
            self._start,
            lambda ran, _: read_claude(ran),
            own=self._own(),
            timeout_s=self.timeout_s,
        )

    def _own(self) -> list[str]:
        """Return how the names of its variables begin, with those of the cloud that serves it."""
        clouds = {"CLAUDE_CODE_USE_BEDROCK": "AWS_", "CLAUDE_CODE_USE_VERTEX": "GOOGLE_"}
        served = [begins for name, begins in clouds.items() if known(name, self.environment)]
        return ["ANTHROPIC_", "CLAUDE_", *served]

    def _start(self, place: Place) -> tuple[tuple[str, ...], dict[str, str | None]]:
        has_key = bool(known("ANTHROPIC_API_KEY", self.environment))
        has_token = bool(known("ANTHROPIC_AUTH_TOKEN", self.environment))
        home = {"CLAUDE_CONFIG_DIR": str(place.home)} if has_key or has_token else {}
        argv = (
            *(self.program, "-p", "--output-format", "json"),
            *(_BARE if has_key else _SAFE),
            *("--tools", "", "--no-session-persistence", "--system-prompt", SYSTEM),
            *(("--model", self.model) if self.model else ()),
        )
        return argv, {
            **home,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": "0",
            "API_TIMEOUT_MS": str(int(self.timeout_s * 1000)),
            **self.environment,
        }


def read_claude(ran: Ran) -> Reply | Failure:
    """Return what Claude Code said, from what it printed.

    Args:
        ran: what it left.

    Returns:
        The reply with its tokens and its cost, or the failure.

    Example:
        >>> said = '{"type": "result", "subtype": "success", "is_error": false, "result": "Yes."}'
        >>> read_claude(Ran(0, said, "")).text
        'Yes.'
    """
    told = json_in(ran.out)
    if told.get("type") != "result":
        words = ran.err.strip() or ran.out.strip()
        kind = kind_of_words(words) or ("empty" if ran.code == 0 and not words else "crashed")
        return failure(kind, f"exit {ran.code} {(words.splitlines() or [''])[-1]}".strip())
    text = told.get("result")
    words = text if isinstance(text, str) else ""
    if told.get("is_error") is not False:
        return _failed(told, words)
    for name, ends in _ENDS.items():
        if (end := told.get(name)) not in ends:
            kind = "budget" if "max_budget" in str(end) else "cut"
            return failure(kind, f"its turn ended before all was said: {name} {end}")
    used = told.get("usage")
    return answered(ran, words, _usage(used if isinstance(used, dict) else {}, told))


def _failed(told: dict[str, Any], words: str) -> Failure:
    status = told.get("api_error_status")
    subtype = str(told.get("subtype", ""))
    if isinstance(status, int) and status >= 400:
        return failure(kind_of_status(status, words), words or f"HTTP {status}")
    if "max_budget" in subtype:
        return failure("budget", words or subtype)
    return failure(kind_of_words(words) or "crashed", words or subtype or "an error without words")


def _usage(used: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    counts = [used[name] for name in parts if isinstance(used.get(name), int)]
    return usage_of(
        sum(counts) if counts else None, used.get("output_tokens"), told.get("total_cost_usd")
    )
