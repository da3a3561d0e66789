"""Codex: how does Codex take a seat?

Here: its command without tools, settings and memory; what its JSON lines say.
Not here: what all coding agents share (coding_agent.py), when a call is tried again (retrying.py).
Sources: Codex 0.163, as measured.

What it reports as used counts the whole thread. Every turn is a thread of its own, so that its
last figure is the turn's. With an API key it gets a provider of its own: the one built in tries
other channels first. Without one, a person's log-in is used, and only the log-in: the settings in
its folder are not read.

Settings are handed over with ``-c``: a name that a version does not know is a warning there, and
an end with ``--disable``. A model that brings tools of its own keeps those that touch nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from comity.agents.base import Failure, Question, Reply
from comity.agents.coding_agent import Place, answered, ask_program, known, usage_of
from comity.agents.failures import failure, kind_of_words, plain_words
from comity.agents.process import TIMEOUT_S, Ran

__all__ = ["Codex", "read_codex"]

_OPENAI = "https://api.openai.com/v1"
_KEYS = ("CODEX_API_KEY", "OPENAI_API_KEY")
_OFF = (
    *("apps", "goals", "hooks", "image_generation", "memories", "multi_agent", "plugins"),
    *("shell_tool", "skill_search", "sleep_tool", "tool_suggest", "unified_exec", "view_image"),
)
_SETTINGS = (
    "web_search=disabled",
    "project_doc_max_bytes=0",
    "include_environment_context=false",
    "include_permissions_instructions=false",
    "include_apps_instructions=false",
    "include_collaboration_mode_instructions=false",
    "skills.include_instructions=false",
    "analytics.enabled=false",
    "feedback.enabled=false",
    "features.multi_agent_v2={disable_native_tools=true}",
    *(f"features.{name}=false" for name in _OFF),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Codex:
    """A seat that Codex answers for.

    Attributes:
        model: the model; the program's own choice by default.
        program: the program's name or path.
        timeout_s: how long one call may take.
        environment: variables for it beside those of this process.

    Example:
        >>> Codex(model="gpt-5").waits
        True
    """

    model: str = ""
    program: str = "codex"
    timeout_s: float = TIMEOUT_S
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Ask Codex once."""
        return ask_program(
            question,
            self._start,
            lambda ran, _: read_codex(ran),
            own=("CODEX_", "OPENAI_"),
            timeout_s=self.timeout_s,
        )

    def _start(self, place: Place) -> tuple[tuple[str, ...], dict[str, str | None]]:
        keys = [name for name in _KEYS if known(name, self.environment)]
        settings = [*_SETTINGS, f"model_instructions_file={json.dumps(str(place.system))}"]
        home: dict[str, str | None] = {}
        if keys:
            base = known("OPENAI_BASE_URL", self.environment) or _OPENAI
            settings += ["model_provider=seat", f"model_providers.seat={_provider(base, keys[0])}"]
            home["CODEX_HOME"] = str(place.home)
        argv = (
            *(self.program, "exec", "--json", "--skip-git-repo-check", "--ignore-user-config"),
            *("-s", "read-only"),
            *(("-m", self.model) if self.model else ()),
            *(word for setting in settings for word in ("-c", setting)),
            "-",
        )
        return argv, {**home, **self.environment}


def _provider(base: str, key: str) -> str:
    """Return a provider as a table of TOML; its strings are those of JSON."""
    texts = {"name": "seat", "base_url": base, "env_key": key, "wire_api": "responses"}
    fields = [f"{name}={json.dumps(text)}" for name, text in texts.items()]
    return "{" + ",".join([*fields, "request_max_retries=0", "stream_max_retries=0"]) + "}"


def read_codex(ran: Ran) -> Reply | Failure:
    r"""Return what Codex said, from the lines it printed.

    Args:
        ran: what it left.

    Returns:
        The reply with its tokens, or the failure.

    Example:
        >>> said = '{"type":"item.completed","item":{"type":"agent_message","text":"Yes."}}\n'
        >>> read_codex(Ran(0, said + '{"type":"turn.completed","usage":{}}\n', "")).text
        'Yes.'
    """
    text: str | None = None
    errors: list[str] = []
    has_failed = False
    ended: dict[str, Any] | None = None
    for event in _events(ran.out):
        kind, item, error = event.get("type"), event.get("item"), event.get("error")
        if kind == "item.completed" and isinstance(item, dict):
            if item.get("type") == "agent_message":  # the last one is the answer
                text = str(item.get("text") or "")
        elif kind == "turn.completed":
            used = event.get("usage")
            ended = used if isinstance(used, dict) else {}
        elif kind == "turn.failed":
            has_failed = True  # whatever comes after it
            told = error.get("message") if isinstance(error, dict) else None
            errors.append(str(told or "the turn failed"))
        elif kind == "error":
            errors.append(str(event.get("message") or "an error without words"))
    if ended is None or has_failed or (errors and text is None):
        words = errors[-1] if errors else ran.last_line
        kind_told = kind_of_words(plain_words(words)) or ("cut" if text is not None else "crashed")
        return failure(kind_told, f"exit {ran.code} {plain_words(words)}".strip())
    return answered(ran, text, usage_of(ended.get("input_tokens"), ended.get("output_tokens")))


def _events(out: str) -> Iterator[dict[str, Any]]:
    for line in out.splitlines():
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event
