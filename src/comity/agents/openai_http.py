"""OpenAI HTTP: how does a model behind an OpenAI-compatible server take a seat?

Here: the one place that loads httpx, at the first call and never before; one call of Chat
Completions, with one clock over all of it, and what its answers and errors mean.
Not here: when a call is tried again (retrying.py), what may be spent (budget.py).
Sources: OpenAI Chat Completions, as llama.cpp, Ollama, vLLM, LM Studio and the vendors serve it;
extra ``models``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from http import HTTPStatus
from importlib import import_module
from threading import Thread
from time import monotonic
from typing import Any

from comity.agents.base import Failure, Question, Reply
from comity.agents.briefing import briefing
from comity.agents.coding_agent import SYSTEM, usage_of
from comity.agents.connection import Line, is_loopback
from comity.agents.failures import (
    failure,
    kind_of_status,
    kind_of_words,
    plain_words,
    retry_after_ms,
)
from comity.agents.keys import is_sendable, without_keys
from comity.agents.process import TIMEOUT_S
from comity.core.canonical import JsonObject

__all__ = ["ModelSeat", "httpx_or_none", "read_completion"]

VOTE_TOOLS = ("answer", "cast_vote")
"""Names of the tools whose arguments are a vote or an answer, where a server offers them."""

_STOPS = {"stop", "eos", "eos_token", "end_turn", "stop_sequence", "tool_calls"}
"""How servers name it that a model has said all; what is not here is no whole answer."""

LONGEST_ANSWER = 8_000_000
_CONNECT_S = 10.0
_MISSING = "httpx is not installed: pip install 'comity[models]'"


@cache
def httpx_or_none() -> Any:  # noqa: ANN401  # a module that may not be installed has no type here
    """Return the module httpx, or None where it is not installed.

    Example:
        >>> httpx_or_none() is httpx_or_none()
        True
    """
    try:
        return import_module("httpx")
    except ImportError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSeat:
    """A seat that a model answers for, over HTTP.

    Attributes:
        model: the model's name, as the server knows it.
        url: the server's base URL, such as ``http://127.0.0.1:8080/v1``.
        key: the API key; none by default.
        timeout_s: how long one call may take.
        longest_reply_tokens: how many tokens a reply may have; the server's own limit by default.
        transport: what carries the request instead of the network, for tests.

    Example:
        >>> ModelSeat(model="llama3.2", url="http://127.0.0.1:8080/v1").waits
        True
    """

    model: str
    url: str
    key: str = field(default="", repr=False)
    timeout_s: float = TIMEOUT_S
    longest_reply_tokens: int | None = None
    transport: Any = field(default=None, repr=False)
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        """Call the model once."""
        if httpx_or_none() is None:
            return failure("unavailable", _MISSING)
        if not is_sendable(self.key):
            return failure("auth", "the key holds a character that no header can carry")
        line, said = Line(monotonic() + self.timeout_s), list[Reply | Failure]()
        thread = Thread(target=lambda: said.append(self._call(question, line)), daemon=True)
        thread.start()
        try:
            thread.join(self.timeout_s)
            is_late = thread.is_alive()
        finally:
            line.break_off()
        if is_late:  # what is said after that is the breaking off
            return failure("timeout", f"no answer in {self.timeout_s:g} s")
        if not said:
            return failure("crashed", "the call ended without an answer and without a reason")
        return without_keys(said[0], [self.key])

    def _call(self, question: Question, line: Line) -> Reply | Failure:
        """Call the model, in a thread that nobody waits for when its time is up."""
        httpx = httpx_or_none()
        try:
            client = httpx.Client(
                timeout=httpx.Timeout(self.timeout_s, connect=min(_CONNECT_S, self.timeout_s)),
                trust_env=not is_loopback(self.url),
                verify=self.url.startswith("https:"),  # without https there is nothing to verify
                transport=self.transport,
            )
        except (ImportError, OSError, ValueError) as error:
            what = "the environment names a proxy or certificates that cannot be used"
            return failure("unavailable", f"{what} ({type(error).__name__})")
        try:
            with (
                client,
                client.stream(
                    "POST",
                    f"{self.url.rstrip('/')}/chat/completions",
                    headers=self._headers(question),
                    content=self._body(question),
                    extensions={"trace": line.note},
                ) as answer,
            ):
                body = bytearray()
                for piece in answer.iter_bytes():
                    body += piece
                    if line.is_over():
                        return failure("timeout", f"no answer in {self.timeout_s:g} s")
                    if len(body) > LONGEST_ANSWER:
                        return failure("crashed", f"more than {LONGEST_ANSWER} bytes came back")
                later = answer.headers.get("retry-after")
                return read_completion(answer.status_code, bytes(body), later)
        except (httpx.TimeoutException, TimeoutError) as error:
            what = "no connection" if isinstance(error, httpx.ConnectTimeout) else "no answer"
            return failure("timeout", f"{what} in {self.timeout_s:g} s")
        except httpx.ConnectError as error:
            return failure("unavailable", f"{self.url}: {error}")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return failure("cut", f"{type(error).__name__}: {error}")
        except (OSError, RuntimeError, ValueError) as error:
            return failure("cut", f"{type(error).__name__}: {error}")

    def _headers(self, question: Question) -> dict[str, str]:
        headers = {"Content-Type": "application/json"}
        if question.request_id.isascii() and question.request_id.isprintable():
            headers["Idempotency-Key"] = question.request_id
        return headers | ({"Authorization": f"Bearer {self.key}"} if self.key else {})

    def _body(self, question: Question) -> bytes:
        words = briefing(question.ask.payload).encode("utf-8", "replace").decode()
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": words}]
        asked: dict[str, object] = {"model": self.model, "messages": messages, "stream": False}
        if self.longest_reply_tokens is not None:
            asked["max_tokens"] = self.longest_reply_tokens
        return json.dumps(asked, ensure_ascii=False).encode()


def read_completion(status: int, body: bytes, later: str | None = None) -> Reply | Failure:
    """Return what an answer of Chat Completions says.

    Args:
        status: the HTTP status.
        body: the body.
        later: the ``Retry-After`` header, where there is one.

    Returns:
        The reply with its tokens; or the failure. Whatever is not one whole answer that its model
        ended by itself is a failure, whatever words it holds: another status than 200, an error
        beside the words, a stop for another reason, a call of a tool that nobody offered.

    Example:
        >>> said = b'{"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}'
        >>> read_completion(200, said).text
        'Yes.'
        >>> read_completion(429, b"{}", "2").retry_after_ms
        2000
    """
    text = body.decode("utf-8-sig", "replace")
    if status != HTTPStatus.OK:
        words = plain_words(text) if text.strip() else ""
        kind = "cut" if status < 300 else kind_of_status(status, words)
        return failure(kind, f"HTTP {status} {words}", retry_ms=retry_after_ms(later))
    try:
        told = json.loads(text, parse_float=Decimal, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return failure("cut", "the answer is no whole JSON")
    whole = told if isinstance(told, Mapping) else {}
    choices = whole.get("choices")
    choice = choices[0] if isinstance(choices, Sequence) and len(choices) == 1 else None
    choice = choice if isinstance(choice, Mapping) else {}
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    for error in (whole.get("error"), choice.get("error"), message.get("error")):
        if error:
            return _failed(error, has_words="choices" in whole)
    if not message:
        return failure("crashed", "the answer is no chat completion with one choice")
    return _said(choice, message, whole.get("usage"))


def _once(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Return an object of which no name says two things."""
    told = dict(pairs)
    if len(told) < len(pairs):
        raise ValueError("a name stands twice")
    return told


def _failed(error: object, *, has_words: bool) -> Failure:
    """Return the failure that an error in an answer with the status 200 tells."""
    code = error.get("code") if isinstance(error, Mapping) else None
    words = plain_words(json.dumps({"error": error}, default=str))
    if isinstance(code, int) and 400 <= code < 600:
        return failure(kind_of_status(code, words), words)
    return failure(kind_of_words(words) or ("cut" if has_words else "crashed"), words)


def _said(
    choice: Mapping[str, object], message: Mapping[str, object], usage: object
) -> Reply | Failure:
    """Return what the one message of an answer says, when its model has said all."""
    stop, refusal = choice.get("finish_reason"), message.get("refusal")
    if refusal:
        return failure("crashed", f"the model refuses: {refusal}")
    if not isinstance(stop, str) or stop not in _STOPS:
        return failure("cut", f"the model stopped before the end ({stop})")
    calls, words = message.get("tool_calls") or [], _words(message.get("content"))
    call = _call(calls) if isinstance(calls, Sequence) else None
    if call is None or message.get("function_call"):
        return failure("cut", "the model calls tools beside one vote or answer")
    if stop == "tool_calls" and not call:
        return failure("cut", "the model stopped for a call of a tool, and there is none")
    if not (words or call):
        return failure("empty", f"nothing said ({stop})")
    used = usage if isinstance(usage, Mapping) else {}
    counts = usage_of(used.get("prompt_tokens"), used.get("completion_tokens"), used.get("cost"))
    return Reply(text=words, usage=counts, call=call)


def _call(calls: Sequence[object]) -> JsonObject | None:
    """Return what was handed to a tool for votes and answers; {} without calls.

    None when a call is of another tool, cannot be read, or differs from another: whoever calls a
    tool waits for what it says, and has not said all.
    """
    found: list[JsonObject] = []
    for one in calls:
        function = one.get("function") if isinstance(one, Mapping) else None
        if not isinstance(function, Mapping) or function.get("name") not in VOTE_TOOLS:
            return None
        try:
            told = json.loads(str(function.get("arguments")), object_pairs_hook=_once)
        except (ValueError, RecursionError):
            return None
        if not isinstance(told, dict) or not told or told != (found or [told])[0]:
            return None
        found.append(told)
    return found[0] if found else {}


def _words(content: object) -> str:
    """Return the words of a message: a text, or the texts of its parts."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str)).strip()
