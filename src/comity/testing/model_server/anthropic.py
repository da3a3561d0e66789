"""Anthropic: how does a turn look in the Messages format?

Here: the message, its stream, its errors.
Not here: when it is told (server.py).
Sources: Anthropic Messages API, version 2023-06-01, as Claude Code reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.testing.model_server.dialect import Call, Dialect, Event, halves, words_of

__all__ = ["ANTHROPIC"]

_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_STOPS = {"length": "max_tokens", "content_filter": "refusal"}


def _answer(call: Call) -> JsonObject:
    turn = call.turn
    return {
        "id": f"msg_{call.number}",
        "type": "message",
        "role": "assistant",
        "model": call.model,
        "content": [_block(call)],
        "stop_reason": _STOPS.get(turn.stop, "tool_use" if turn.tool else "end_turn"),
        "stop_sequence": None,
        "usage": {"input_tokens": turn.tokens[0], "output_tokens": turn.tokens[1]},
    }


def _block(call: Call) -> dict[str, Json]:
    turn = call.turn
    if not turn.tool:
        return {"type": "text", "text": turn.text}
    block = {"type": "tool_use", "id": f"toolu_{call.number}", "name": turn.tool}
    return {**block, "input": turn.arguments}


def _events(call: Call) -> list[Event]:
    turn, whole = call.turn, _answer(call)
    started: JsonObject = {
        **whole,
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": turn.tokens[0], "output_tokens": 0},
    }
    block = _block(call)
    empty: JsonObject = {**block, "input": {}} if turn.tool else {**block, "text": ""}
    kind, key = ("input_json_delta", "partial_json") if turn.tool else ("text_delta", "text")
    pieces = halves(call.arguments if turn.tool else turn.text)
    ended: JsonObject = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    told: list[dict[str, Json]] = [
        {"type": "message_start", "message": started},
        {"type": "content_block_start", "index": 0, "content_block": empty},
    ]
    for piece in pieces:
        delta: JsonObject = {"type": kind, key: piece}
        told.append({"type": "content_block_delta", "index": 0, "delta": delta})
    told += [
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": turn.tokens[1]}},
        {"type": "message_stop"},
    ]
    return [(str(one["type"]), one) for one in told]


def _error(status: int, message: str) -> JsonObject:
    kind = _ERRORS.get(status, "api_error")
    return {"type": "error", "error": {"type": kind, "message": message}}


def _words(body: JsonObject) -> str:
    messages = body.get("messages")
    own = [
        words_of(one.get("content"))
        for one in (messages if isinstance(messages, Sequence) else ())
        if isinstance(one, Mapping) and one.get("role") == "user"
    ]
    return own[-1] if own else ""


ANTHROPIC = Dialect(name="anthropic", answer=_answer, events=_events, error=_error, words=_words)
"""Messages, as JSON and as a stream."""
