"""OpenAI HTTP: how does a model behind an OpenAI-compatible server take a seat?

Here: the one place that loads httpx, at the first call and never before; one call of Chat
Completions, and what its answers and errors mean.
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
from importlib import import_module
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from comity.agents.base import Failure, Question, Reply
from comity.agents.briefing import briefing
from comity.agents.coding_agent import SYSTEM, usage_of
from comity.agents.failures import failure, kind_of_status, plain_words, retry_after_ms
from comity.agents.process import TIMEOUT_S

__all__ = ["ModelSeat", "httpx_or_none", "read_completion"]

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
        httpx = httpx_or_none()
        if httpx is None:
            return failure("unavailable", _MISSING)
        latest = monotonic() + self.timeout_s
        try:
            with (
                httpx.Client(
                    timeout=httpx.Timeout(self.timeout_s, connect=min(_CONNECT_S, self.timeout_s)),
                    trust_env=not _is_loopback(self.url),
                    verify=self.url.startswith(
                        "https:"
                    ),  # without https there is nothing to verify
                    transport=self.transport,
                ) as client,
                client.stream(
                    "POST",
                    f"{self.url.rstrip('/')}/chat/completions",
                    headers=self._headers(question),
                    content=self._body(question),
                ) as answer,
            ):
                body = bytearray()
                for piece in answer.iter_bytes():
                    body += piece
                    if monotonic() > latest:
                        return failure("timeout", f"no answer in {self.timeout_s:g} s")
                    if len(body) > LONGEST_ANSWER:
                        return failure("crashed", f"more than {LONGEST_ANSWER} bytes came back")
                later = answer.headers.get("retry-after")
                return read_completion(answer.status_code, bytes(body), later)
        except httpx.TimeoutException as error:
            what = "no connection" if isinstance(error, httpx.ConnectTimeout) else "no answer"
            return failure("timeout", f"{what} in {self.timeout_s:g} s")
        except httpx.ConnectError as error:
            return failure("unavailable", f"{self.url}: {error}")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
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


def _is_loopback(url: str) -> bool:
    """Tell whether a server is on this machine: then no proxy stands between."""
    host = urlsplit(url).hostname or ""
    return host in {"localhost", "::1"} or host.startswith("127.")


def read_completion(status: int, body: bytes, later: str | None = None) -> Reply | Failure:
    """Return what an answer of Chat Completions says.

    Args:
        status: the HTTP status.
        body: the body.
        later: the ``Retry-After`` header, where there is one.

    Returns:
        The reply with its tokens, or the failure.

    Example:
        >>> read_completion(200, b'{"choices": [{"message": {"content": "Yes."}}]}').text
        'Yes.'
        >>> read_completion(429, b"{}", "2").retry_after_ms
        2000
    """
    text = body.decode("utf-8", "replace")
    if status >= 300:
        words = plain_words(text) if text.strip() else ""
        kind = kind_of_status(status, words)
        return failure(kind, f"HTTP {status} {words}", retry_ms=retry_after_ms(later))
    try:
        told = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        return failure("cut", "the answer is no whole JSON")
    whole = told if isinstance(told, Mapping) else {}
    choices = whole.get("choices")
    if not isinstance(choices, Sequence) or not choices or not isinstance(choices[0], Mapping):
        return failure("crashed", "the answer is no chat completion")
    message = choices[0].get("message")
    words = _words(message.get("content") if isinstance(message, Mapping) else None)
    if not words:
        return failure("empty", f"nothing said ({choices[0].get('finish_reason')})")
    used = whole.get("usage")
    used = used if isinstance(used, Mapping) else {}
    counts = usage_of(used.get("prompt_tokens"), used.get("completion_tokens"), used.get("cost"))
    return Reply(text=words, usage=counts)


def _words(content: object) -> str:
    """Return the words of a message: a text, or the texts of its parts."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, Sequence) else ()
    texts = [part.get("text") for part in parts if isinstance(part, Mapping)]
    return "".join(text for text in texts if isinstance(text, str)).strip()
