"""testing/model_server: four formats by one script, failures on demand, no secret kept."""

from __future__ import annotations

import http.client
import json
import re
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.testing.model_server import Asked, ModelServer, Script, Turn, connection, read_script
from comity.testing.model_server import __main__ as by_hand
from comity.testing.model_server import server as module
from comity.testing.model_server.__main__ import main
from comity.testing.model_server.script import MODES, read_turn

CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "anthropic": ("/v1/messages?beta=true", {"messages": [{"role": "user", "content": "Well?"}]}),
    "responses": ("/v1/responses", {"input": [{"role": "user", "content": [{"text": "Well?"}]}]}),
    "chat": ("/v1/chat/completions", {"messages": [{"role": "user", "content": "Well?"}]}),
    "gemini": (
        "/v1beta/models/CC:generateContent",
        {"contents": [{"parts": [{"text": "Well?"}]}]},
    ),
}
STREAMED = {"gemini": "/v1beta/models/CC:streamGenerateContent?alt=sse"}


def call(
    server: ModelServer,
    path: str,
    body: object = None,
    *,
    method: str = "POST",
    headers: dict[str, str] | None = None,
) -> tuple[int, dict[str, str], bytes]:
    """Return status, headers and body; raise IncompleteRead when the answer breaks off."""
    link = http.client.HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]), timeout=20)
    try:
        sent = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        link.request(method, path, sent, headers or {})
        answer = link.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        link.close()


def asked(server: ModelServer, form: str, *, stream: bool = False) -> bytes:
    path, body = CALLS[form]
    path = STREAMED.get(form, path) if stream else path
    status, _, answer = call(server, path, {"model": "CC", "stream": stream, **body})
    assert status == 200
    return answer


def events(answer: bytes) -> list[Any]:
    told = [line[6:] for line in answer.decode().splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in told if line != "[DONE]"]


# --- what is said ----------------------------------------------------------------------------


def text_in(form: str, answer: Any) -> str:
    """Return the text of a whole answer, as a client of the format finds it."""
    found = {
        "anthropic": lambda: answer["content"][0]["text"],
        "responses": lambda: answer["output"][0]["content"][0]["text"],
        "chat": lambda: answer["choices"][0]["message"]["content"],
        "gemini": lambda: answer["candidates"][0]["content"]["parts"][0]["text"],
    }
    return str(found[form]())


def text_of(form: str, told: list[Any]) -> str:
    """Return the text of a stream, as a client of the format puts it together."""
    if form == "anthropic":
        deltas = [one["delta"]["text"] for one in told if one["type"] == "content_block_delta"]
    elif form == "responses":
        deltas = [one["delta"] for one in told if one["type"] == "response.output_text.delta"]
    elif form == "chat":
        choices = [choice for one in told for choice in one["choices"]]
        deltas = [choice["delta"].get("content", "") for choice in choices]
    else:
        deltas = [text_in(form, one) for one in told]
    return "".join(deltas)


@pytest.mark.parametrize("form", CALLS)
@pytest.mark.parametrize("text", ["VOTE: APPROVE — ✓\n", "x", ""])
def test_every_format_says_the_scripts_words_whole_and_as_a_stream(form: str, text: str) -> None:
    with ModelServer({"CC": [text, text]}) as server:
        assert text_in(form, json.loads(asked(server, form))) == text
        assert text_of(form, events(asked(server, form, stream=True))) == text
        assert [(one.seat, one.turn, one.words) for one in server.calls()] == [
            ("CC", 0, "Well?"),
            ("CC", 1, "Well?"),
        ]


def test_streams_end_as_their_formats_end() -> None:
    with ModelServer({"CC": ["a"] * 4}) as server:
        anthropic = events(asked(server, "anthropic", stream=True))
        assert [one["type"] for one in anthropic][-2:] == ["message_delta", "message_stop"]
        responses = events(asked(server, "responses", stream=True))
        assert [one["sequence_number"] for one in responses] == list(range(len(responses)))
        assert responses[-1]["response"]["usage"]["total_tokens"] == 120
        assert responses[-1]["response"]["output"] == [responses[-2]["item"]]
        chat = asked(server, "chat", stream=True)
        assert chat.endswith(b"data: [DONE]\n\n")
        assert events(chat)[-1]["usage"]["total_tokens"] == 120
        gemini = events(asked(server, "gemini", stream=True))
        finishes = [one["candidates"][0].get("finishReason") for one in gemini]
        assert finishes == [None, "STOP"]


def test_every_format_tells_the_tokens() -> None:
    turn = {"reply": "a", "tokens": [7, 3]}
    with ModelServer({"CC": [turn] * 4}) as server:
        told = {form: json.loads(asked(server, form)) for form in CALLS}
    assert told["anthropic"]["usage"] == {"input_tokens": 7, "output_tokens": 3}
    assert told["responses"]["usage"]["total_tokens"] == 10
    assert told["chat"]["usage"]["completion_tokens"] == 3
    assert told["gemini"]["usageMetadata"]["candidatesTokenCount"] == 3


def test_every_format_calls_a_tool() -> None:
    turn = {"tool": "cast_vote", "arguments": {"vote": "approve"}, "namespace": "mcp__council"}
    with ModelServer({"CC": [turn] * 8}) as server:
        told = {form: json.loads(asked(server, form)) for form in CALLS}
        streams = {form: events(asked(server, form, stream=True)) for form in CALLS}
    block = told["anthropic"]["content"][0]
    assert (block["type"], block["name"], block["input"]) == (
        "tool_use",
        "cast_vote",
        {"vote": "approve"},
    )
    assert told["anthropic"]["stop_reason"] == "tool_use"
    parts = [one["delta"].get("partial_json") for one in streams["anthropic"] if "delta" in one]
    assert json.loads("".join(part for part in parts if part)) == {"vote": "approve"}
    item = told["responses"]["output"][0]
    assert (item["type"], item["namespace"], item["name"]) == (
        "function_call",
        "mcp__council",
        "cast_vote",
    )
    assert json.loads(item["arguments"]) == {"vote": "approve"}
    done = [one for one in streams["responses"] if one["type"].endswith("arguments.done")]
    assert json.loads(done[0]["arguments"]) == {"vote": "approve"}
    for choice in (
        told["chat"]["choices"][0]["message"],
        streams["chat"][1]["choices"][0]["delta"],
    ):
        assert choice["tool_calls"][0]["function"]["name"] == "cast_vote"
    assert told["chat"]["choices"][0]["finish_reason"] == "tool_calls"
    call_part = {"functionCall": {"name": "cast_vote", "args": {"vote": "approve"}}}
    for whole in (told["gemini"], streams["gemini"][0]):
        assert whole["candidates"][0]["content"]["parts"] == [call_part]


# --- how it fails ----------------------------------------------------------------------------


@pytest.mark.parametrize("form", CALLS)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503, 529])
def test_an_error_has_its_status_and_words_in_every_format(form: str, status: int) -> None:
    turn = {"status": status, "message": "no", "retry_after_s": 3}
    with ModelServer({"CC": [turn]}) as server:
        got, headers, body = call(server, CALLS[form][0], {"model": "CC"})
    assert got == status
    assert headers["Retry-After"] == "3"
    assert json.loads(body)["error"]["message"] == "no"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("form", CALLS)
def test_a_cut_answer_breaks_off_within_the_text(form: str, stream: bool) -> None:
    text = "the first half and the second half"
    with (
        ModelServer({"CC": [{"cut": text}]}) as server,
        pytest.raises(http.client.IncompleteRead) as caught,
    ):
        asked(server, form, stream=stream)
    assert text[: len(text) // 2] in caught.value.partial.decode()
    assert text not in caught.value.partial.decode()


@pytest.mark.parametrize(
    ("form", "length", "filtered"),
    [
        ("anthropic", "max_tokens", "refusal"),
        ("responses", "max_output_tokens", "content_filter"),
        ("chat", "length", "content_filter"),
        ("gemini", "MAX_TOKENS", "SAFETY"),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_every_format_tells_why_its_model_stopped_early(
    form: str, length: str, filtered: str, stream: bool
) -> None:
    turns = ["whole", {"reply": "ab", "stop": "length"}, {"reply": "ab", "stop": "content_filter"}]
    with ModelServer({"CC": turns}) as server:
        whole, cut, kept_back = (asked(server, form, stream=stream).decode() for _ in turns)
    for word in (length, filtered):
        assert f'"{word}"' not in whole
    assert f'"{length}"' in cut
    assert f'"{filtered}"' in kept_back
    if form == "responses":
        assert '"status": "incomplete"' in cut
        assert not stream or "event: response.incomplete" in cut


def test_a_drip_never_comes_to_its_end_and_ends_when_the_server_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection, "_DRIP_S", 0.01)
    with ModelServer({"CC": [{"drip": True}]}) as server, socket.socket() as link:
        link.connect(("127.0.0.1", int(server.url.rpartition(":")[2])))
        link.sendall(b"POST /v1/messages HTTP/1.1\r\nContent-Length: 15\r\n\r\n")
        link.sendall(b'{"model": "CC"}')
        got = b""
        while got.count(b"X-Later: still\r\n") < 3:
            got += link.recv(4096)
        server.ended.set()
        while piece := link.recv(4096):
            got += piece
    assert got.startswith(b"HTTP/1.1 200 ")
    assert b"\r\n\r\n" not in got


def test_a_hang_ends_when_the_server_does() -> None:
    got: list[BaseException] = []

    def wait(server: ModelServer) -> None:
        try:
            asked(server, "chat")
        except (http.client.HTTPException, OSError) as error:
            got.append(error)

    with ModelServer({"CC": [{"hang": True}]}) as server:
        waiting = threading.Thread(target=wait, args=(server,))
        waiting.start()
        while not server.calls():
            pass
    waiting.join(20)
    assert not waiting.is_alive()
    assert len(got) == 1


def test_when_the_script_has_ended_that_is_an_error_that_says_so() -> None:
    with ModelServer({"CC": []}) as server:
        status, _, body = call(server, CALLS["chat"][0], {"model": "CC"})
    assert (status, json.loads(body)["error"]["message"]) == (
        400,
        "the script holds no turn 1 for 'CC'",
    )


# --- whose turn it is ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"x-api-key": "key-for-CX"},
        {"x-goog-api-key": "CX"},
        {"Authorization": "Bearer sk-CX"},
        {"Authorization": "Bearer CX", "x-goog-api-key": ""},
    ],
)
def test_a_key_that_carries_a_seat_wins_over_the_model_and_is_not_kept(
    headers: dict[str, str],
) -> None:
    with ModelServer({"CC": ["wrong"], "CX": ["right"]}) as server:
        body = {"model": "CC", "messages": []}
        _, _, answer = call(
            server, "/v1/chat/completions?key=CX", body, headers={**headers, "X-Mark": "kept"}
        )
        (one,) = server.requests
    assert text_in("chat", json.loads(answer)) == "right"
    assert (one.seat, one.model, one.query) == ("CX", "CC", "")
    assert one.headers["x-mark"] == "kept"
    assert not {"authorization", "x-api-key", "x-goog-api-key"} & set(one.headers)
    assert "CX" not in json.dumps([one.headers, one.body])


def test_each_seat_has_its_own_turns_whatever_the_format() -> None:
    with ModelServer({"CC": ["1", "2"], "CX": ["a"]}) as server:
        first = text_in("anthropic", json.loads(asked(server, "anthropic")))
        _, _, other = call(server, "/v1/chat/completions", {"model": "the-CX-model"})
        second = text_in("gemini", json.loads(asked(server, "gemini")))
        seats = [one.seat for one in server.calls()]
    assert (first, text_in("chat", json.loads(other)), second) == ("1", "a", "2")
    assert seats == ["CC", "CX", "CC"]
    assert [one.turn for one in server.calls("CC")] == [0, 1]


@pytest.mark.parametrize(
    ("marks", "seat"),
    [
        (("sk-live-42", "CC"), "CC"),
        (("", "model-CC-2"), "CC"),
        (("ACCESS", "unknown"), "unknown"),
        (("CC CX", "CX"), "CX"),
        (("Senior Engineer", "CC"), "Senior Engineer"),
        (("for Senior", "CC"), "Senior"),
        ((), ""),
    ],
)
def test_a_seat_is_a_word_of_a_mark_and_a_key_is_never_one(
    marks: tuple[str, ...], seat: str
) -> None:
    seats = dict.fromkeys(["CC", "CX", "Senior", "Senior Engineer", ""], ())
    assert Script(seats).seat_of(*marks) == seat


def test_a_function_may_answer_instead_of_a_script() -> None:
    def says(one: Asked) -> Turn | str:
        if one.words == "Well?":
            return f"{one.seat} {one.turn} {one.size > 10}"
        return Turn(mode="status", status=429)

    with ModelServer(says, seats=["CC"]) as server:
        assert text_in("chat", json.loads(asked(server, "chat"))) == "CC 0 True"
        status, _, _ = call(server, CALLS["chat"][0], {"model": "X", "messages": []})
        assert status == 429
        assert [one.seat for one in server.calls()] == ["CC", "X"]


# --- other requests --------------------------------------------------------------------------


def test_what_clients_ask_beside_turns_is_answered_and_is_no_turn() -> None:
    with ModelServer({"CC": ["a"]}) as server:
        assert call(server, "/", method="HEAD")[0] == 200
        _, _, models = call(server, "/v1/models", method="GET")
        assert [one["id"] for one in json.loads(models)["data"]] == ["CC"]
        assert call(server, "/v1/responses", method="GET")[0] == 404
        assert call(server, "/v1/other", {"model": "CC"})[0] == 404
        assert call(server, "/v1beta/models/CC:embedContent", {})[0] == 404
        _, _, counted = call(server, "/v1/messages/count_tokens", {"model": "CC"})
        assert json.loads(counted) == {"input_tokens": 100}
        _, _, counted = call(server, "/v1beta/models/CC:countTokens", {})
        assert json.loads(counted) == {"totalTokens": 100}
        assert server.calls() == ()
        assert len(server.requests) == 7
        assert asked(server, "chat")


def test_bodies_of_any_kind_are_taken() -> None:
    with ModelServer({"seats": {"CC": []}, "otherwise": "yes"}) as server:
        for body in (b"", b"no json", b"[1]", b"5", b'{"messages": 5}', b'{"input": "Well?"}'):
            for path, _ in CALLS.values():
                assert call(server, path, body)[0] == 200
        words = {one.words for one in server.calls()}
        assert words == {"", "Well?"}
        pieces = [b'{"model": "CC", "messages"', b": []}"]
        link = http.client.HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]))
        link.request("POST", "/v1/chat/completions", iter(pieces), encode_chunked=True)
        assert link.getresponse().status == 200
        link.close()
        assert server.calls()[-1].body == {"model": "CC", "messages": []}


def test_one_connection_may_carry_many_calls() -> None:
    with ModelServer({"seats": {}, "otherwise": "yes"}) as server:
        link = http.client.HTTPConnection("127.0.0.1", int(server.url.rpartition(":")[2]))
        for stream in (False, True, False):
            link.request("POST", "/v1/chat/completions", json.dumps({"stream": stream}))
            assert b"yes" in link.getresponse().read().replace(b'"content": "y"', b"yes")
        link.close()


def test_it_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_REQUESTS", 2)
    monkeypatch.setattr(module, "MOST_BYTES", 60)
    with ModelServer({"seats": {}, "otherwise": "yes"}) as server:
        body = {"model": "CC", "messages": []}
        statuses = [call(server, CALLS["chat"][0], {**body, "x": "x" * 20})[0] for _ in range(3)]
        assert statuses == [200, 200, 503]
        assert [one.body is None for one in server.requests] == [False, True]
        assert call(server, "/", b"x", headers={"Content-Length": "99999999999"})[0] == 404


def test_it_listens_on_loopback_and_is_gone_after_its_block() -> None:
    with ModelServer({"CC": []}) as server:
        assert server.url.startswith("http://127.0.0.1:")
        port = int(server.url.rpartition(":")[2])
        environment = server.environment(claude="A", codex="B", gemini="C")
        assert environment["ANTHROPIC_API_KEY"] == "A"
        assert environment["COMITY_MODEL_URL"] == f"{server.url}/v1"
    with socket.socket() as link, pytest.raises(ConnectionRefusedError):
        link.connect(("127.0.0.1", port))


# --- scripts ---------------------------------------------------------------------------------


def test_every_mode_is_read() -> None:
    turns = [
        read_turn(one)
        for one in (
            "a",
            {"reply": "a"},
            {"tool": "t", "arguments": {"a": 1}, "namespace": "n"},
            {"status": 429, "message": "m", "retry_after_s": 0, "tokens": [1, 2]},
            {"cut": "a"},
            {"hang": True},
            {"drip": True},
            {"empty": True},
        )
    ]
    assert [one.mode for one in turns] == ["reply", *MODES]
    assert turns[2] == Turn(mode="tool", tool="t", arguments={"a": 1}, namespace="n")
    assert turns[3] == Turn(mode="status", status=429, message="m", retry_after_s=0, tokens=(1, 2))
    assert turns[7].text == ""
    stopped = read_turn({"reply": "a", "stop": "length"})
    assert stopped == Turn(text="a", stop="length")


@pytest.mark.parametrize(
    "wrong",
    [5, None, [], {}, {"reply": "a", "cut": "b"}, {"reply": 5}, {"status": 200}, {"status": "429"},
     {"status": True}, {"reply": "a", "tokens": [1]}, {"reply": "a", "tokens": [1, -1]},
     {"reply": "a", "tokens": 5}, {"status": 429, "retry_after_s": "2"}, {"reply": "a", "x": 1},
     {"tool": "t", "arguments": [1]}, {"reply": "a", "stop": "stop"}, {"reply": "a", "stop": []},
     {"cut": "a", "stop": "length"}],
)  # fmt: skip
def test_a_turn_that_is_none_is_refused_where_it_stands(wrong: object) -> None:
    with pytest.raises(InvalidInput, match=r"script, seat 'CC', turn 2"):
        read_script({"CC": ["fine", wrong]})


def test_g7_all_faults_of_a_script_are_told_at_once() -> None:
    wrong = {"seats": {"CC": [5, "a", 6], "CX": "no list"}, "otherwise": 7, "more": 8}
    with pytest.raises(InvalidInput) as caught:
        read_script(wrong)
    assert len(caught.value.faults) == 5
    for other in (5, None, {"seats": 5}):
        with pytest.raises(InvalidInput):
            read_script(other)


# --- by hand ---------------------------------------------------------------------------------


def test_beside_a_command_it_lives_as_long_as_the_command(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"CC": ["hello"]}', "utf-8")
    code = (
        "import json, os, sys, urllib.request as u\n"
        "url = os.environ['COMITY_MODEL_URL'] + '/chat/completions'\n"
        "said = json.load(u.urlopen(url, json.dumps({'model': 'CC'}).encode()))\n"
        "print(said['choices'][0]['message']['content'])\n"
        "sys.exit(7)\n"
    )
    assert main([str(script), "--", sys.executable, "-c", code]) == 7
    assert capfd.readouterr() == ("hello\n", "")


def test_a_command_that_is_none_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "council.json"
    script.write_text('{"CC": ["yes"]}', "utf-8")
    assert main([str(script), "--", "no-such-program-anywhere"]) == 127
    assert capsys.readouterr().err == "no-such-program-anywhere: No such file or directory\n"
    assert main([str(script), "--", str(tmp_path)]) == 126
    assert main([str(script), "--", "sh", "-c", "kill -TERM $$"]) == 128 + 15
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(script), "--"])
    assert ended.value.code == 2
    assert "after -- comes a command" in capsys.readouterr().err


def test_alone_it_prints_its_address_and_ends_when_its_time_is_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"CC": []}', "utf-8")
    assert main([str(script), "--for", "0"]) == 0
    assert capsys.readouterr().out.startswith("http://127.0.0.1:")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('{"CC": [5]}', "script.json, seat 'CC', turn 1"),
        ("{", "Expecting property name"),
        (None, "No such file"),
    ],
)
def test_a_script_that_cannot_be_read_is_told_and_nothing_is_served(
    text: str | None, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.json"
    if text is not None:
        script.write_text(text, "utf-8")
    assert main([str(script)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert what in err


def test_it_says_who_asked_when_it_is_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "script.json"
    script.write_text('{"CC": ["hello"]}', "utf-8")
    served: list[ModelServer] = []

    class Watched(ModelServer):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            served.append(self)

    class Stopped:
        def wait(self, seconds: float) -> None:
            asked(served[0], "chat")
            raise KeyboardInterrupt

    monkeypatch.setattr(by_hand, "ModelServer", Watched)
    monkeypatch.setattr(by_hand, "Flag", Stopped)
    assert main([str(script)]) == 0
    assert re.search(r"CC turn 0: /v1/chat/completions, \d+ bytes", capsys.readouterr().err)
