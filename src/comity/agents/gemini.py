"""Gemini: how does Gemini CLI take a seat?

Here: its command without tools, settings and memory; what its JSON says.
Not here: what all coding agents share (coding_agent.py), when a call is tried again (retrying.py).
Sources: Gemini CLI 0.61, as measured. An error is JSON on standard error, behind a stack trace;
the exit code is the HTTP status less 256. It takes a minute to end when asked politely.

A model is always named: left to itself it asks a second model which one to use.

It prints the words of an answer that was cut by its length as any other. So a hook, which it runs
for every piece of an answer, notes how its model stopped, and an answer counts when that is known
to be by itself. Settings for the whole system are not taken from a folder that is open to others,
such as that for temporary files: the settings of a seat without a key are those of its folder.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from comity.agents.base import Failure, Question, Reply
from comity.agents.coding_agent import Place, answered, ask_program, json_in, known, usage_of
from comity.agents.failures import failure, kind_of_status, kind_of_words, plain_words
from comity.agents.process import TIMEOUT_S, Ran

__all__ = ["Gemini", "read_gemini"]

_MODEL = "pro"
_STOP = "STOP"
_SETTINGS: Mapping[str, Any] = {
    "general": {
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
        "maxAttempts": 1,
    },
    "privacy": {"usageStatisticsEnabled": False},
    "tools": {"core": []},
    "context": {"includeDirectoryTree": False},
}
_BY_KEY = {"security": {"auth": {"selectedType": "gemini-api-key"}}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gemini:
    """A seat that Gemini CLI answers for.

    Attributes:
        model: the model; by default ``GEMINI_MODEL`` of the environment, else ``pro``.
        program: the program's name or path.
        timeout_s: how long one call may take.
        environment: variables for it beside those of this process.

    Example:
        >>> Gemini(model="flash").waits
        True
    """

    model: str = ""
    program: str = "gemini"
    timeout_s: float = TIMEOUT_S
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Ask Gemini CLI once."""
        own = ("GEMINI_", "GOOGLE_")
        return ask_program(question, self._start, _read, own=own, timeout_s=self.timeout_s)

    def _start(self, place: Place) -> tuple[tuple[str, ...], dict[str, str | None]]:
        has_key = bool(known("GEMINI_API_KEY", self.environment))
        home: dict[str, str | None] = {}
        if has_key:
            home["GEMINI_CLI_HOME"] = str(place.home)
        settings = (place.home if has_key else place.work) / ".gemini" / "settings.json"
        settings.parent.mkdir()
        whole = {**_SETTINGS, **_noting(place.stops), **(_BY_KEY if has_key else {})}
        settings.write_text(json.dumps(whole), "utf-8")
        model = self.model or known("GEMINI_MODEL", self.environment) or _MODEL
        return (self.program, "-o", "json", "-e", "none", "-m", model), {
            **home,
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "GEMINI_SYSTEM_MD": str(place.system),
            **self.environment,
        }


def _noting(stops: Path) -> dict[str, Any]:
    """Return the settings that have it note how its model stops, and nothing else of the answer.

    Within a text, the quotes of the pattern stand behind backslashes, and are not found.
    """
    pattern = shlex.quote('"finishReason":"[A-Z_]+"')
    words = f"grep -oE {pattern} >> {shlex.quote(str(stops))}; true"
    hook = {"hooks": [{"type": "command", "command": words}]}
    return {"hooksConfig": {"enabled": True}, "hooks": {"AfterModel": [hook]}}


def _read(ran: Ran, place: Place) -> Reply | Failure:
    """Read what it left, and what was noted of how its model stopped."""
    noted = place.stops.read_text("utf-8") if place.stops.exists() else ""
    return read_gemini(ran, [line.split('"')[3] for line in noted.splitlines()])


def read_gemini(ran: Ran, stops: Sequence[str] = (_STOP,)) -> Reply | Failure:
    """Return what Gemini CLI said, from what it printed.

    Args:
        ran: what it left.
        stops: how its model stopped, as often as it did.

    Returns:
        The reply with its tokens, or the failure.

    Example:
        >>> read_gemini(Ran(0, '{"session_id": "1", "response": "Yes.", "stats": {}}', "")).text
        'Yes.'
    """
    told = json_in(ran.out)
    if "response" not in told or told.get("error"):
        return _failed(ran, told if "error" in told else json_in(ran.err))
    said = answered(ran, told["response"], _usage(told.get("stats")))
    if isinstance(said, Reply) and set(stops) != {_STOP}:
        how = ", ".join(stops) or "it is not told how"
        return failure("cut", f"its model stopped before all was said ({how})")
    return said


def _failed(ran: Ran, told: dict[str, Any]) -> Failure:
    error = told.get("error")
    if not isinstance(error, dict):
        words = ran.err.strip() or ran.out.strip()
        kind = kind_of_words(words) or ("empty" if ran.code == 0 and not words else "crashed")
        return failure(kind, f"exit {ran.code} {(words.splitlines() or [''])[-1]}".strip())
    words, code = plain_words(str(error.get("message") or "")), error.get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return failure(kind_of_status(code, words), words or f"HTTP {code}")
    return failure(kind_of_words(words) or "crashed", words or f"exit {ran.code}")


def _usage(stats: object) -> dict[str, Any]:
    models = stats.get("models") if isinstance(stats, dict) else None
    each = (
        [one.get("tokens") for one in models.values() if isinstance(one, dict)]
        if isinstance(models, dict)
        else []
    )
    counted = [one for one in each if isinstance(one, dict)]

    def total(*names: str) -> int | None:
        counts = [one.get(name, 0) for one in counted for name in names]
        return sum(counts) if counts and all(isinstance(count, int) for count in counts) else None

    return usage_of(total("prompt"), total("candidates", "thoughts"))
