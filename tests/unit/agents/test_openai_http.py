"""agents/openai_http.py: one call of Chat Completions, and what its answers mean (C7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from comity.agents import openai_http as module
from comity.agents.base import Failure, Question, Reply
from comity.agents.coding_agent import SYSTEM
from comity.agents.openai_http import ModelSeat, httpx_or_none, read_completion
from comity.testing.agent_checks import sample_questions

ASKED = sample_questions("CC")[0]
QUESTION = replace(ASKED, ask=replace(ASKED.ask, payload={"brief": "Wörter \ud800"}))
SAID = {"choices": [{"message": {"role": "assistant", "content": "[CONSENT]"}}]}
needs_httpx = pytest.mark.skipif(
    httpx_or_none() is None, reason="httpx: not installed; it is the extra 'models'"
)


def seat(answer: Any, **options: Any) -> ModelSeat:
    """Return a seat whose requests are answered by a function, or fail as it raises."""
    transport = httpx_or_none().MockTransport(answer)
    return ModelSeat(model="m", url="http://127.0.0.1:1/v1/", transport=transport, **options)


@needs_httpx
def test_what_is_sent_is_the_brief_under_the_requests_id() -> None:
    sent: list[Any] = []

    def answer(request: Any) -> Any:
        sent.append(request)
        return httpx_or_none().Response(200, json=SAID)

    assert seat(answer, key="secret").reply(QUESTION) == Reply(text="[CONSENT]")
    (request,) = sent
    assert str(request.url) == "http://127.0.0.1:1/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer secret"
    assert request.headers["idempotency-key"] == QUESTION.request_id
    body = json.loads(request.content)
    assert body == {
        "model": "m",
        "stream": False,
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": "Wörter ?"},
        ],
    }
    seat(answer, longest_reply_tokens=50).reply(replace(QUESTION, request_id="ä\n"))
    assert json.loads(sent[1].content)["max_tokens"] == 50
    assert {"authorization", "idempotency-key"} & set(sent[1].headers) == set()


@needs_httpx
@pytest.mark.parametrize(
    ("error", "kind", "detail"),
    [
        ("ConnectError", "unavailable", "http://127.0.0.1:1/v1/: why"),
        ("ConnectTimeout", "timeout", "no connection in 600 s"),
        ("ReadTimeout", "timeout", "no answer in 600 s"),
        ("ReadError", "cut", "ReadError: why"),
        ("RemoteProtocolError", "cut", "RemoteProtocolError: why"),
        ("InvalidURL", "cut", "InvalidURL: why"),
    ],
)
def test_what_goes_wrong_on_the_way_is_a_failure_of_its_kind(
    error: str, kind: str, detail: str
) -> None:
    def answer(request: Any) -> Any:
        raise getattr(httpx_or_none(), error)("why")

    said = seat(answer).reply(QUESTION)
    assert isinstance(said, Failure)
    assert (said.kind, said.detail) == (kind, detail)


@needs_httpx
def test_an_answer_that_drips_for_ever_ends_on_our_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter(range(0, 1_000, 40))
    monkeypatch.setattr(module, "monotonic", lambda: next(times))

    def drip() -> Iterator[bytes]:
        while True:
            yield b" "

    said = seat(lambda request: httpx_or_none().Response(200, content=drip()), timeout_s=100)
    assert said.reply(QUESTION) == Failure(kind="timeout", detail="no answer in 100 s")


@needs_httpx
def test_an_answer_without_an_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_ANSWER", 100_000)

    def flood() -> Iterator[bytes]:
        while True:
            yield b"x" * 60_000

    said = seat(lambda request: httpx_or_none().Response(200, content=flood())).reply(QUESTION)
    assert said == Failure(kind="crashed", detail="more than 100000 bytes came back")


@needs_httpx
def test_a_rate_limit_tells_when_to_come_again() -> None:
    def answer(request: Any) -> Any:
        error = {"error": {"message": "slowly", "type": "rate_limit_exceeded"}}
        return httpx_or_none().Response(429, headers={"Retry-After": "7"}, json=error)

    assert seat(answer).reply(QUESTION) == Failure(
        kind="rate_limited", detail="HTTP 429 rate_limit_exceeded: slowly", retry_after_ms=7_000
    )


def test_without_httpx_a_seat_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "httpx_or_none", lambda: None)
    said = ModelSeat(model="m", url="http://127.0.0.1:1").reply(QUESTION)
    assert isinstance(said, Failure)
    assert said.kind == "unavailable"
    assert "pip install 'comity[models]'" in said.detail


def test_httpx_is_looked_for_once_and_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(module, "import_module", missing)
    assert httpx_or_none.__wrapped__() is None
    assert httpx_or_none() is httpx_or_none()


def test_a_key_is_in_no_representation_of_the_seat() -> None:
    assert "hidden" not in repr(ModelSeat(model="m", url="http://x", key="hidden"))


@pytest.mark.parametrize(
    ("url", "is_ours"),
    [("http://127.0.0.1:1/v1", True), ("http://localhost", True), ("http://[::1]:5", True),
     ("http://example.org", False), ("https://10.0.0.1", False), ("http://", False)],
)  # fmt: skip
def test_no_proxy_stands_before_a_server_on_this_machine(url: str, is_ours: bool) -> None:
    assert module._is_loopback(url) is is_ours


def answered(message: object, **more: object) -> bytes:
    return json.dumps(
        {"choices": [{"message": message, "finish_reason": "stop"}], **more}
    ).encode()


def test_a_reply_comes_with_what_the_server_tells() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120, "cost": 0.0125}
    said = read_completion(200, answered({"content": " yes\n"}, usage=usage))
    used = {"input_tokens": 100, "output_tokens": 20, "tokens": 120, "money": "0.0125"}
    assert said == Reply(text="yes", usage=used)
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, 5, {"text": "b"}]
    assert read_completion(200, answered({"content": parts}, usage=5)) == Reply(text="ab")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (answered({"content": ""}), "empty"),
        (answered({"content": None, "tool_calls": [{}]}), "empty"),
        (answered("[CONSENT]"), "empty"),
        (answered({"content": "[CONSENT]"})[:-2], "cut"),
        (b"", "cut"),
        (b"<html>[CONSENT]</html>", "cut"),
        (b"[" * 100_000, "cut"),
        (b'"[CONSENT]"', "crashed"),
        (b'{"choices": []}', "crashed"),
        (b'{"choices": "[CONSENT]"}', "crashed"),
        (b'{"choices": [5]}', "crashed"),
        (b'{"error": {"message": "no"}}', "crashed"),
    ],
)
def test_what_is_no_whole_answer_is_never_a_reply(body: bytes, kind: str) -> None:
    said = read_completion(200, body)
    assert isinstance(said, Failure)
    assert said.kind == kind


@pytest.mark.parametrize(
    ("status", "body", "kind", "detail"),
    [
        (400, b'{"error": {"message": "no", "type": "t"}}', "bad_request", "HTTP 400 t: no"),
        (401, b"", "auth", "HTTP 401 "),
        (
            429,
            b'{"error": {"message": "insufficient_quota"}}',
            "quota",
            "HTTP 429 error: insufficient_quota",
        ),
        (503, b"Loading model", "overloaded", "HTTP 503 Loading model"),
        (302, b"[CONSENT]", "bad_request", "HTTP 302 [CONSENT]"),
    ],
)
def test_an_error_is_a_failure_whatever_its_body_says(
    status: int, body: bytes, kind: str, detail: str
) -> None:
    said = read_completion(status, body)
    assert isinstance(said, Failure)
    assert (said.kind, said.detail) == (kind, detail.strip())


def test_a_question_of_another_kind_is_briefed_too() -> None:
    asked: Question = sample_questions("GM")[-1]
    body = json.loads(ModelSeat(model="m", url="http://x")._body(asked))
    assert body["messages"][1]["content"].startswith("You are GM.")
