"""Model seats: from words such as ``claude`` or ``model:NAME@URL`` to a seat that calls a model.

Here: the words, what is recorded of them, keys by environment, the guards around every such seat.
Not here: the seats themselves, seats without a model (seating.py).
Sources: SEMANTICS C5, C7; ARCHITECTURE contract 2.

=================== ===========================================================================
``claude[:MODEL]``  Claude Code
``codex[:MODEL]``   Codex
``gemini[:MODEL]``  Gemini CLI
``model:NAME@URL``  a model behind an OpenAI-compatible server; without ``@URL`` the server is
                    ``COMITY_MODEL_URL``
=================== ===========================================================================

A key is never recorded. It comes from ``COMITY_MODEL_KEY_SEAT``, else ``COMITY_MODEL_KEY``; the
key in ``OPENAI_API_KEY`` goes to its owner alone. One that no header can carry is refused.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from comity.agents.base import Agent
from comity.agents.budget import Budget, Budgeted
from comity.agents.claude_code import ClaudeCode
from comity.agents.codex import Codex
from comity.agents.command import Command
from comity.agents.gemini import Gemini
from comity.agents.keys import is_sendable, key_variable
from comity.agents.openai_http import ModelSeat, httpx_or_none
from comity.agents.retrying import Retrying, Waiting
from comity.core.errors import Fault, InvalidInput
from comity.core.parties import PartyId

__all__ = ["MODEL_SEATS", "Guards", "guarded", "model_agent", "model_spec"]

MODEL_SEATS = ("claude", "codex", "gemini", "model:NAME@URL")
"""The words, for messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """What the calls of programs and models are held to.

    Attributes:
        clock: what is waited on before a failed call is made again; without one, what has to be
            waited for is not made again.
        budget: what the calls of models may use together; every try is reserved in it.
        timeout_s: how long one call may take; each seat's own limit by default.

    Example:
        >>> Guards(timeout_s=60).budget is None
        True
    """

    clock: Waiting | None = None
    budget: Budget | None = None
    timeout_s: float | None = None


_PROGRAMS: Mapping[str, type[ClaudeCode | Codex | Gemini]] = {
    "claude": ClaudeCode,
    "codex": Codex,
    "gemini": Gemini,
}
_OPENAI = "api.openai.com"
_SERVED = re.compile(r"(.*)@\s*([A-Za-z][A-Za-z0-9+.-]*://.*)")


def model_spec(spec: str, seat: PartyId) -> str | None:
    """Return how a seat that calls a model is recorded; None for words of another kind.

    Args:
        spec: the words.
        seat: the seat.

    Raises:
        InvalidInput: when its program or httpx is not installed, or the URL is none that a key
            may be sent to.

    Example:
        >>> model_spec("rational", "CC") is None
        True
    """
    kind, _, rest = spec.partition(":")
    whose = f"seat {seat!r}"
    if kind in _PROGRAMS:
        if shutil.which(kind) is None:
            raise InvalidInput(
                Fault(
                    whose,
                    f"has the program {kind!r}, which is not on PATH",
                    "a program on PATH",
                    "install it, or seat another agent",
                )
            )
        return spec.rstrip(":")
    if kind != "model":
        return None
    name, url = _name_and_url(rest)
    fault = _fault(whose, name, url) or _key_fault(whose, *_key(seat, url))
    if fault is not None:
        raise InvalidInput(fault)
    return f"model:{name}@{url}"


def _name_and_url(rest: str) -> tuple[str, str]:
    """Return the model and the server; a model's name may hold an @ itself."""
    found = _SERVED.fullmatch(rest)
    name, url = found.groups() if found else (rest, os.environ.get("COMITY_MODEL_URL", ""))
    return name.strip(), url.strip().rstrip("/")


def _fault(whose: str, name: str, url: str) -> Fault | None:
    form = "model:NAME@http://HOST:PORT/v1"
    if not name or "://" in name:
        return Fault(whose, "names no model", form, "name the model before the @")
    if not url:
        return Fault(
            whose,
            f"has the model {name!r} and no server",
            form,
            "add @URL, or set COMITY_MODEL_URL",
        )
    try:
        parts = urlsplit(url)
        port_is_right = parts.port is None or parts.port > 0
    except ValueError:
        return Fault(whose, "has a server whose URL cannot be read", form, "correct the URL")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_is_right:
        return Fault(whose, f"has the server {url!r}", "an http or https URL", "correct the URL")
    if parts.username is not None or parts.query or parts.fragment:
        return Fault(
            whose,
            "has a URL with more than a server and a path in it, which would be recorded",
            form,
            "hand over a key in COMITY_MODEL_KEY",
        )
    if httpx_or_none() is None:
        return Fault(
            whose,
            "calls a model over HTTP, and httpx is not installed",
            "the extra 'models'",
            "run: pip install 'comity[models]'",
        )
    return None


def model_agent(spec: str, seat: PartyId) -> Agent | None:
    """Return the seat that calls a model, from what is recorded; None for words of another kind.

    Args:
        spec: the words, as :func:`model_spec` returned them.
        seat: the seat.

    Example:
        >>> model_agent("claude:sonnet", "CC").model
        'sonnet'
    """
    kind, _, rest = spec.partition(":")
    if kind in _PROGRAMS:
        return _PROGRAMS[kind](model=rest)
    if kind != "model":
        return None
    name, url = _name_and_url(rest)
    return ModelSeat(model=name, url=url, key=_key(seat, url)[1])


def _key(seat: PartyId, url: str) -> tuple[str, str]:
    """Return the key for a server from the environment, behind its variable; "" for none."""
    theirs = ("OPENAI_API_KEY",) if urlsplit(url).hostname == _OPENAI else ()
    for name in (key_variable(seat), "COMITY_MODEL_KEY", *theirs):
        if key := os.environ.get(name, ""):
            return name, key
    return "", ""


def _key_fault(whose: str, name: str, key: str) -> Fault | None:
    if is_sendable(key):
        return None
    return Fault(
        whose,
        f"has a key in {name} with a character that no header can carry",
        "visible ASCII characters, without spaces and line ends",
        f"set {name} to the key alone",
    )


def guarded(agent: Agent, guards: Guards) -> Agent:
    """Return a seat under guards; one without a program and a model as it is.

    Args:
        agent: the seat.
        guards: what its calls are held to.

    Example:
        >>> from comity.agents.scripted import Scripted
        >>> guarded(Scripted(("yes",)), Guards()).lines
        ('yes',)
        >>> guarded(ClaudeCode(), Guards(timeout_s=60)).agent.timeout_s
        60
        >>> guarded(Command(("cat",)), Guards()).retries
        {}
    """
    if not isinstance(agent, (ClaudeCode, Codex, Command, Gemini, ModelSeat)):
        return agent
    if guards.timeout_s is not None:
        agent = replace(agent, timeout_s=guards.timeout_s)
    if isinstance(agent, Command):
        return Retrying(agent, retries={})  # a program of the user's may do more than answer
    paid = agent if guards.budget is None else Budgeted(agent, guards.budget)
    return Retrying(paid, guards.clock)
