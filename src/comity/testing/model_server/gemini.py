"""Gemini: how does a turn look in the generateContent format?

Here: the candidates, their stream, their errors.
Not here: when it is told (server.py).
Sources: Gemini API v1beta, as Gemini CLI reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import JsonObject
from comity.testing.model_server.dialect import Call, Dialect, Event, halves, words_of

__all__ = ["GEMINI"]

_ERRORS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
_STOPS = {"length": "MAX_TOKENS", "content_filter": "SAFETY"}


def _part(call: Call) -> JsonObject:
    turn = call.turn
    if turn.tool:
        return {"functionCall": {"name": turn.tool, "args": turn.arguments}}
    return {"text": turn.text}


def _candidates(call: Call, part: JsonObject, *, is_last: bool) -> JsonObject:
    coming, going = call.turn.tokens
    stop = _STOPS.get(call.turn.stop, "STOP")
    candidate: JsonObject = {"index": 0, "content": {"role": "model", "parts": [part]}}
    usage: JsonObject = {
        "promptTokenCount": coming,
        "candidatesTokenCount": going,
        "totalTokenCount": coming + going,
    }
    return {
        "candidates": [{**candidate, "finishReason": stop} if is_last else candidate],
        "usageMetadata": usage,
        "modelVersion": call.model,
        "responseId": f"answer-{call.number}",
    }


def _answer(call: Call) -> JsonObject:
    return _candidates(call, _part(call), is_last=True)


def _events(call: Call) -> list[Event]:
    if call.turn.tool:
        return [("", _answer(call))]
    first, second = halves(call.turn.text)
    return [
        ("", _candidates(call, {"text": first}, is_last=False)),
        ("", _candidates(call, {"text": second}, is_last=True)),
    ]


def _error(status: int, message: str) -> JsonObject:
    kind = _ERRORS.get(status, "INTERNAL")
    return {"error": {"code": status, "message": message, "status": kind}}


def _words(body: JsonObject) -> str:
    contents = body.get("contents")
    own = [
        words_of(one.get("parts"))
        for one in (contents if isinstance(contents, Sequence) else ())
        if isinstance(one, Mapping) and one.get("role", "user") == "user"
    ]
    return own[-1] if own else ""


GEMINI = Dialect(name="gemini", answer=_answer, events=_events, error=_error, words=_words)
"""generateContent and streamGenerateContent."""
