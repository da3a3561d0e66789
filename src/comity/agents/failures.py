"""Failures: which kind is it, by an HTTP status, or by what a program says?

Here: the one table from status to kind, and the one from words to kind.
Not here: how each program tells its failures (claude_code.py, codex.py, gemini.py).
Sources: RFC 9110; the messages of Claude Code 2.1, Codex 0.163 and Gemini CLI 0.61, as measured.
"""

from __future__ import annotations

import json
import re

from comity.agents.base import Failure, FailureKind
from comity.core.errors import one_line

__all__ = ["failure", "kind_of_status", "kind_of_words", "plain_words", "retry_after_ms"]

LONGEST_DETAIL = 300

_STATUSES: dict[int, FailureKind] = {
    401: "auth",
    402: "quota",
    403: "auth",
    407: "auth",
    408: "overloaded",  # "timeout" is our own clock: who hangs twice is not called again
    425: "overloaded",
    429: "rate_limited",
    504: "overloaded",
}

_QUOTA = re.compile(
    r"insufficient_quota|exceeded your current quota|credit balance|billing|quota_exceeded"
    r"|usage[ _]limit|plan limit|payment required|spend(ing)? limit",
    re.IGNORECASE,
)

_WORDS: tuple[tuple[FailureKind, str], ...] = (
    ("rate_limited", r"rate[ _-]?limit|too many requests|resource_exhausted"),
    (
        "auth",
        r"not logged in|/login|log ?in again|unauthori[sz]ed|unauthenticated|permission_denied",
    ),
    (
        "auth",
        r"invalid[ _]api[ _]key|authentication_error|auth method|missing environment variable",
    ),
    ("bad_request", r"invalid_request|invalid_argument|prompt is too long|context_length"),
    ("empty", r"empty response"),
    ("cut", r"output token maximum|max_(output_)?tokens"),
    ("overloaded", r"overloaded|at capacity|high demand|service unavailable|server_error"),
    (
        "unavailable",
        r"connection refused|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|dns error|name resolution",
    ),
    ("unavailable", r"error sending request|fetch failed|could ?n[o']t connect|unable to connect"),
    ("timeout", r"timed? ?out|ETIMEDOUT"),
    ("cut", r"stream disconnected|ECONNRESET|connection .{0,30}\b(lost|closed|reset)"),
    ("cut", r"terminated|other side closed|socket hang up|closed mid-response|incomplete"),
)
_SECRET = re.compile(r"\b(?:(?:sk|pk|key|AIza)[-_]?|Bearer )[A-Za-z0-9_-]{16,}")
_STATUS = re.compile(r"\b(?:status|error)(?: code)?\W{1,3}([45]\d\d)\b", re.IGNORECASE)


def kind_of_status(status: int, words: str = "") -> FailureKind:
    """Return the kind of an HTTP error.

    Args:
        status: the status, 400 or more.
        words: the message beside it; tells a used-up quota from a rate limit.

    Example:
        >>> kind_of_status(429), kind_of_status(429, "You exceeded your current quota")
        ('rate_limited', 'quota')
    """
    if status in {400, 403, 429} and _QUOTA.search(words):
        return "quota"
    if status in _STATUSES:
        return _STATUSES[status]
    return "bad_request" if status < 500 else "overloaded"


def kind_of_words(words: str) -> FailureKind | None:
    """Return the kind of a failure that is told in words, or None when they tell none.

    Example:
        >>> kind_of_words("unexpected status 401 Unauthorized: no key, url: http://x")
        'auth'
        >>> kind_of_words("Something else") is None
        True
    """
    status = _STATUS.search(words)
    if status:
        return kind_of_status(int(status[1]), words)
    if _QUOTA.search(words):
        return "quota"
    found = (kind for kind, words_of in _WORDS if re.search(words_of, words, re.IGNORECASE))
    return next(found, None)


def plain_words(words: str) -> str:
    """Return an error's words; the JSON body of an answer is taken apart.

    Example:
        >>> plain_words('{"error": {"type": "invalid_request_error", "message": "too long"}}')
        'invalid_request_error: too long'
        >>> plain_words("no such model")
        'no such model'
    """
    try:
        told = json.loads(words)
    except (ValueError, RecursionError):
        return words
    error = told.get("error") if isinstance(told, dict) else None
    if isinstance(error, str):
        return error
    if not isinstance(error, dict):
        return words
    kind = error.get("status") or error.get("type") or error.get("code") or "error"
    return f"{kind}: {error.get('message')}"


def retry_after_ms(told: str | None) -> int | None:
    """Return how long a ``Retry-After`` header says to wait; None when it tells no seconds.

    Example:
        >>> retry_after_ms("2"), retry_after_ms("Wed, 21 Oct 2026 07:28:00 GMT")
        (2000, None)
    """
    found = re.fullmatch(r"\s*(\d{1,6})(?:\.\d*)?\s*", told or "")
    return int(found[1]) * 1000 if found else None


def failure(kind: FailureKind, detail: str, *, retry_ms: int | None = None) -> Failure:
    """Return a failure with its detail on one line of bounded length, without keys.

    Args:
        kind: what kind.
        detail: any text.
        retry_ms: how long to wait before asking again, where that is told.

    Example:
        >>> failure("cut", "the stream ended").detail
        'the stream ended'
    """
    line = one_line(" ".join(_SECRET.sub("(a key)", detail[: 4 * LONGEST_DETAIL]).split()))
    return Failure(kind=kind, detail=line[:LONGEST_DETAIL], retry_after_ms=retry_ms)
