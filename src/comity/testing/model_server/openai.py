"""OpenAI: how does a turn look in the Responses format, and how in Chat Completions?

Here: the response and the completion, their streams, their errors.
Not here: when they are told (server.py).
Sources: OpenAI API reference, Responses as Codex reads them, Chat Completions as most local model
servers speak it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.testing.model_server.dialect import Call, Dialect, Event, halves, words_of

__all__ = ["CHAT", "RESPONSES"]

_ERRORS = {
    400: "invalid_request_error",
    401: "invalid_api_key",
    403: "permission_denied",
    404: "not_found",
    429: "rate_limit_exceeded",
    503: "server_is_overloaded",
}
_CREATED = 1_700_000_000
_STOPS = {"length": "max_output_tokens", "content_filter": "content_filter"}


def _error(status: int, message: str) -> JsonObject:
    kind = _ERRORS.get(status, "server_error")
    return {"error": {"message": message, "type": kind, "param": None, "code": kind}}


def _words(messages: Json) -> str:
    if isinstance(messages, str):
        return messages
    own = [
        words_of(one.get("content"))
        for one in (messages if isinstance(messages, Sequence) else ())
        if isinstance(one, Mapping) and one.get("role") == "user"
    ]
    return own[-1] if own else ""


# --- Responses -------------------------------------------------------------------------------


def _item(call: Call) -> dict[str, Json]:
    turn = call.turn
    if turn.tool:
        group: dict[str, Json] = {"namespace": turn.namespace} if turn.namespace else {}
        return {
            "type": "function_call",
            "id": f"fc_{call.number}",
            "call_id": f"call_{call.number}",
            "name": turn.tool,
            **group,
            "arguments": call.arguments,
            "status": "completed",
        }
    return {
        "type": "message",
        "id": f"item_{call.number}",
        "role": "assistant",
        "status": "completed",
        "content": [_text(turn.text)],
    }


def _text(text: str) -> dict[str, Json]:
    return {"type": "output_text", "text": text, "annotations": []}


def _response(call: Call) -> JsonObject:
    coming, going = call.turn.tokens
    usage: JsonObject = {
        "input_tokens": coming,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": going,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": coming + going,
    }
    stop = _STOPS.get(call.turn.stop)
    return {
        "id": f"resp_{call.number}",
        "object": "response",
        "created_at": _CREATED,
        "status": "incomplete" if stop else "completed",
        "incomplete_details": {"reason": stop} if stop else None,
        "model": call.model,
        "output": [_item(call)],
        "usage": usage,
    }


def _response_events(call: Call) -> list[Event]:
    whole, item = _response(call), _item(call)
    begun: JsonObject = {**whole, "status": "in_progress", "output": [], "usage": None}
    at: dict[str, Json] = {"item_id": item["id"], "output_index": 0}
    told: list[dict[str, Json]] = [{"type": "response.created", "response": begun}]
    if call.turn.tool:
        empty: JsonObject = {**item, "arguments": "", "status": "in_progress"}
        told.append({"type": "response.output_item.added", "output_index": 0, "item": empty})
        kind = "response.function_call_arguments"
        pieces, whole_piece = halves(call.arguments), {"arguments": call.arguments}
        told += [{"type": f"{kind}.delta", **at, "delta": piece} for piece in pieces]
        told.append({"type": f"{kind}.done", **at, **whole_piece})
    else:
        empty = {**item, "content": [], "status": "in_progress"}
        told.append({"type": "response.output_item.added", "output_index": 0, "item": empty})
        at["content_index"] = 0
        part = _text(call.turn.text)
        told.append({"type": "response.content_part.added", **at, "part": _text("")})
        pieces = halves(call.turn.text)
        told += [{"type": "response.output_text.delta", **at, "delta": one} for one in pieces]
        told.append({"type": "response.output_text.done", **at, "text": call.turn.text})
        told.append({"type": "response.content_part.done", **at, "part": part})
    told.append({"type": "response.output_item.done", "output_index": 0, "item": item})
    told.append({"type": f"response.{whole['status']}", "response": whole})
    numbered: list[JsonObject] = [{**one, "sequence_number": n} for n, one in enumerate(told)]
    return [(str(one["type"]), one) for one in numbered]


RESPONSES = Dialect(
    name="openai responses",
    answer=_response,
    events=_response_events,
    error=_error,
    words=lambda body: _words(body.get("input")),
)
"""Responses, as JSON and as a stream."""


# --- Chat Completions ------------------------------------------------------------------------


def _usage(call: Call) -> JsonObject:
    coming, going = call.turn.tokens
    return {
        "prompt_tokens": coming,
        "completion_tokens": going,
        "total_tokens": coming + going,
    }


def _tool_calls(call: Call, arguments: str) -> list[Json]:
    function: JsonObject = {"name": call.turn.tool, "arguments": arguments}
    return [{"index": 0, "id": f"call_{call.number}", "type": "function", "function": function}]


def _head(call: Call, kind: str) -> dict[str, Json]:
    return {
        "id": f"chatcmpl-{call.number}",
        "object": kind,
        "created": _CREATED,
        "model": call.model,
    }


def _completion(call: Call) -> JsonObject:
    message: dict[str, Json] = {"role": "assistant", "content": call.turn.text}
    if call.turn.tool:
        message |= {"content": None, "tool_calls": _tool_calls(call, call.arguments)}
    ended = call.turn.stop or ("tool_calls" if call.turn.tool else "stop")
    choice: JsonObject = {"index": 0, "message": message, "finish_reason": ended}
    return {**_head(call, "chat.completion"), "choices": [choice], "usage": _usage(call)}


def _completion_events(call: Call) -> list[Event]:
    head = _head(call, "chat.completion.chunk")
    first: dict[str, Json] = {"role": "assistant", "content": ""}
    if call.turn.tool:
        deltas: list[JsonObject] = [first, {"tool_calls": _tool_calls(call, call.arguments)}]
    else:
        deltas = [first, *({"content": piece} for piece in halves(call.turn.text))]
    ended = call.turn.stop or ("tool_calls" if call.turn.tool else "stop")
    choices: list[JsonObject] = [
        *({"index": 0, "delta": delta, "finish_reason": None} for delta in deltas),
        {"index": 0, "delta": {}, "finish_reason": ended},
    ]
    chunks: list[Event] = [("", {**head, "choices": [choice]}) for choice in choices]
    return [*chunks, ("", {**head, "choices": [], "usage": _usage(call)})]


CHAT = Dialect(
    name="openai chat",
    answer=_completion,
    events=_completion_events,
    error=_error,
    words=lambda body: _words(body.get("messages")),
    ending=b"data: [DONE]\n\n",
)
"""Chat Completions, as JSON and as a stream."""
