"""agents/openai_http.py: one call of Chat Completions, and what its answers mean (C7)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Event, Thread
from typing import Any

import pytest

from comity.agents import openai_http as module
from comity.agents.base import Failure, Question, Reply
from comity.agents.coding_agent import SYSTEM
from comity.agents.openai_http import ModelSeat, httpx_or_none, read_completion
from comity.testing.agent_checks import sample_questions

ASKED = sample_questions("CC")[0]
QUESTION = replace(ASKED, ask=replace(ASKED.ask, payload={"brief": "Wörter \ud800"}))
SAID = {
    "choices": [
        {"message": {"role": "assistant", "content": "[CONSENT]"}, "finish_reason": "stop"}
    ]
}
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


@needs_httpx
@pytest.mark.parametrize(
    ("key", "echo"),
    [
        ("hunter2-Pa55", "no hunter2-Pa55"),
        ("hunter2/Pa55+=", "no hunter2%2fPa55%2B%3D"),
        ("hunter2-Pa55", "no Basic aHVudGVyMi1QYTU1"),
        ("hunter2-Pa55", "x" * 275 + " hunter2-Pa55"),
    ],
)
def test_c7_a_seats_own_key_comes_back_in_nothing(key: str, echo: str) -> None:
    def refuses(request: Any) -> Any:
        sent = request.headers["authorization"]
        return httpx_or_none().Response(401, json={"error": {"message": f"{echo} {sent}"}})

    def repeats(request: Any) -> Any:
        call = a_call(json.dumps({"vote": "APPROVE", "reason": key}))
        message = {"content": echo, "tool_calls": [call]}
        told = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"cost": key}}
        return httpx_or_none().Response(200, json=told)

    def breaks(request: Any) -> Any:
        raise httpx_or_none().RemoteProtocolError(f"{echo} {request.headers}")

    for answer in (refuses, repeats, breaks):
        told = repr(seat(answer, key=key).reply(QUESTION))
        assert "(a key)" in told or answer is breaks
        for word in ("hunter", "Pa55", "aHVudG"):
            assert word not in told


@needs_httpx
@pytest.mark.parametrize("key", ["hunter2\r\nX: y", "hunter2é", "hunter2 Pa55", "hunter2\n"])
def test_a_key_that_no_header_can_carry_is_sent_to_nobody_and_not_shown(key: str) -> None:
    said = seat(lambda request: pytest.fail("it is sent"), key=key).reply(QUESTION)
    detail = "the key holds a character that no header can carry"
    assert said == Failure(kind="auth", detail=detail)


@needs_httpx
@pytest.mark.parametrize("error", [ImportError, ValueError, OSError])
def test_a_proxy_that_cannot_be_used_is_a_failure_that_does_not_show_it(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def client(**options: object) -> object:
        raise error("socks5://me:secret@host")

    monkeypatch.setattr(httpx_or_none(), "Client", client)
    said = ModelSeat(model="m", url="http://127.0.0.1:1/v1").reply(QUESTION)
    assert isinstance(said, Failure)
    assert said.kind == "unavailable"
    assert "secret" not in said.detail
    assert "proxy" in said.detail


@needs_httpx
def test_the_environments_proxy_is_asked_for_others_and_not_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "is_loopback", lambda url: "inside" in url)
    told: dict[str, object] = {}

    def client(**options: object) -> object:
        told.update(options)
        raise ValueError

    monkeypatch.setattr(httpx_or_none(), "Client", client)
    for name, is_asked in (("inside", False), ("outside", True)):
        ModelSeat(model="m", url=f"http://{name}/v1").reply(QUESTION)
        assert told["trust_env"] is is_asked


@needs_httpx
def test_a_call_that_finds_its_time_up_itself_says_so() -> None:
    def answer(request: Any) -> Any:
        raise TimeoutError("the time is up")

    said = seat(answer, timeout_s=30).reply(QUESTION)
    assert said == Failure(kind="timeout", detail="no answer in 30 s")


@needs_httpx
@pytest.mark.parametrize("error", [OSError, RuntimeError, UnicodeError])
def test_whatever_else_goes_wrong_on_the_way_is_a_failure(error: type[Exception]) -> None:
    def answer(request: Any) -> Any:
        raise error("why")

    said = seat(answer).reply(QUESTION)
    assert said == Failure(kind="cut", detail=f"{error.__name__}: why")


@needs_httpx
def test_a_call_that_ends_without_a_word_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Thread", lambda target, daemon: Thread(target=int, daemon=daemon))
    said = seat(lambda request: None).reply(QUESTION)
    assert isinstance(said, Failure)
    assert said.kind == "crashed"


@needs_httpx
@pytest.mark.parametrize(
    "piece", [b"H", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n"]
)
def test_c5_one_clock_runs_over_all_of_a_call(piece: bytes) -> None:
    ended = Event()

    class Drip(StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                while not ended.wait(0.02):
                    self.wfile.write(piece)

    class Server(ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Drip) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            url = f"http://127.0.0.1:{server.server_address[1]}/v1"
            said = ModelSeat(model="m", url=url, timeout_s=0.2).reply(QUESTION)
        finally:
            ended.set()
            server.shutdown()
    assert said == Failure(kind="timeout", detail="no answer in 0.2 s")


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


def called(*calls: object) -> bytes:
    return answered({"content": None, "tool_calls": list(calls)})


def a_call(arguments: object, name: str = "cast_vote") -> dict[str, object]:
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


BLOCK = '{"vote": "BLOCK", "reason": "no limit"}'


def test_w1_what_is_handed_to_the_tool_for_votes_is_told_apart_from_the_words() -> None:
    told = {"vote": "BLOCK", "reason": "no limit"}
    assert read_completion(200, called(a_call(BLOCK))) == Reply(text="", call=told)
    twice = called(a_call(BLOCK), a_call(BLOCK))
    assert read_completion(200, twice) == Reply(text="", call=told)
    answer = called(a_call('{"answer": "CONSENT"}', "answer"))
    assert read_completion(200, answer) == Reply(text="", call={"answer": "CONSENT"})


@pytest.mark.parametrize(
    "calls",
    [
        [a_call(BLOCK), a_call('{"vote": "APPROVE"}')],
        [a_call(BLOCK, "search")],
        [a_call("[1]")],
        [a_call("{")],
        [a_call("{}")],
        [a_call('{"vote": "BLOCK", "vote": "APPROVE"}')],
        [a_call(None)],
        [a_call(BLOCK), a_call("{}", "search")],
        [a_call(BLOCK), 5],
        [{"function": 5}],
        [{}],
        5,
    ],
)
def test_w1_calls_that_differ_or_cannot_be_read_are_no_vote_and_leave_no_words(
    calls: object,
) -> None:
    said = read_completion(200, answered({"content": "VOTE: APPROVE", "tool_calls": calls}))
    assert isinstance(said, Failure)
    assert said.kind == "cut"


def stopped(reason: object, **message: object) -> bytes:
    told = {"content": "VOTE: APPROVE", **message}
    return json.dumps({"choices": [{"message": told, "finish_reason": reason}]}).encode()


@pytest.mark.parametrize("reason", ["stop", "eos", "eos_token", "end_turn", "stop_sequence"])
def test_an_answer_whose_model_said_all_is_a_reply(reason: str) -> None:
    assert read_completion(200, stopped(reason)) == Reply(text="VOTE: APPROVE")


@pytest.mark.parametrize(
    "body",
    [
        *(stopped(reason) for reason in ("length", "content_filter", "error", "tool_calls")),
        *(stopped(reason) for reason in ("function_call", "", None, 5, ["stop"], "of tomorrow")),
        stopped("stop", function_call={"name": "cast_vote", "arguments": BLOCK}),
        json.dumps({"choices": [{"message": {"content": "VOTE: APPROVE"}}]}).encode(),
        stopped("stop")[:-1] + b', "error": {"message": "partial"}}',
        stopped("stop", error="partial"),
        stopped("stop")[:-3] + b', "error": {"message": "partial"}}]}',
        stopped("stop")[:-1] + b', "choices": []}',
        b"[" + stopped("stop")[:-1],
    ],
)
def test_w1_words_beside_an_error_or_before_the_end_are_no_reply(body: bytes) -> None:
    said = read_completion(200, body)
    assert isinstance(said, Failure)
    assert said.kind == "cut"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": 429, "message": "slowly"}, "rate_limited"),
        ({"code": 200, "message": "model is overloaded"}, "overloaded"),
        ({"message": "no"}, "cut"),
        ("no", "cut"),
        (True, "cut"),
    ],
)
def test_an_error_under_the_status_200_has_its_kind(error: object, kind: str) -> None:
    said = read_completion(200, answered({"content": "VOTE: APPROVE"}, error=error))
    assert isinstance(said, Failure)
    assert said.kind == kind


def test_a_refusal_is_no_reply_whatever_stands_beside_it() -> None:
    said = read_completion(200, stopped("stop", refusal="I cannot vote"))
    assert said == Failure(kind="crashed", detail="the model refuses: I cannot vote")


@pytest.mark.parametrize("status", [101, 201, 202, 203, 204, 206, 226])
def test_w1_only_the_status_200_is_a_whole_answer(status: int) -> None:
    said = read_completion(status, stopped("stop"))
    assert isinstance(said, Failure)
    assert said.kind == "cut"


def test_two_answers_are_none() -> None:
    one = json.loads(stopped("stop"))["choices"]
    said = read_completion(200, json.dumps({"choices": one * 2}).encode())
    assert isinstance(said, Failure)
    assert said.kind == "crashed"


def test_a_mark_of_the_byte_order_is_no_part_of_an_answer() -> None:
    assert isinstance(read_completion(200, b"\xef\xbb\xbf" + stopped("stop")), Reply)


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (answered({"content": ""}), "empty"),
        (answered({"content": None, "tool_calls": []}), "empty"),
        (answered("[CONSENT]"), "crashed"),
        (answered({}), "crashed"),
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
