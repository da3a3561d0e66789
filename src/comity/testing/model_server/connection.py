"""Connection: who talks to the server, in which format, and how is that answered?

Here: the listening socket, the paths, reading and recording a request, sending an answer whole, as
a stream, cut off, or never.
Not here: which turn it is (server.py), formats (anthropic.py, openai.py, gemini.py).
Sources: RFC 9110, RFC 9112; server-sent events, the WHATWG HTML standard 9.2.
"""

from __future__ import annotations

import json
import socket
import socketserver
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event as Flag
from typing import Protocol, cast
from urllib.parse import unquote, urlsplit

from comity.core.canonical import Json, JsonObject
from comity.testing.model_server.anthropic import ANTHROPIC
from comity.testing.model_server.dialect import Call, Dialect, sent
from comity.testing.model_server.gemini import GEMINI
from comity.testing.model_server.openai import CHAT, RESPONSES
from comity.testing.model_server.script import Turn

__all__ = ["Asked", "Listening", "Owner"]

LONGEST_BODY = 16_000_000
HANG_S = 3_600.0
_IDLE_S = 60.0
_DRIP_S = 0.1
_SECRET = {"authorization", "cookie", "proxy-authorization", "x-api-key", "x-goog-api-key"}
_COUNTED = ("count_tokens", "countTokens")
_COUNTS: Mapping[str, JsonObject] = {
    "anthropic": {"input_tokens": 100},
    "gemini": {"totalTokens": 100},
}
_ENDS = {
    "/messages": ANTHROPIC,
    "/messages/count_tokens": ANTHROPIC,
    "/responses": RESPONSES,
    "/chat/completions": CHAT,
}
_VERBS = {"generateContent", "streamGenerateContent", "countTokens"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request that the server got.

    Attributes:
        method: such as ``POST``.
        path: without what follows a ``?``.
        query: what follows it, without keys.
        headers: name in lower case -> value, secrets left out.
        body: what was sent, as JSON; None for nothing, or what is no JSON.
        size: how many bytes were sent.
        seat: whose model was called; "" for any other request.
        turn: which of this seat's calls it is, from 0; None for any other request.
        model: the model that was asked for.
        words: the last words of the user in it.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str]
    body: Json = None
    size: int = 0
    seat: str = ""
    turn: int | None = None
    model: str = ""
    words: str = ""


class Owner(Protocol):
    """Who knows the turns."""

    ended: Flag

    @property
    def models(self) -> Sequence[str]:
        """Return the names that a list of models shows."""

    def take(self, asked: Asked, key: str) -> tuple[Turn, int] | None:
        """Note a request; return what to answer and the request's number."""


class Listening(ThreadingHTTPServer):
    """The listening socket, and the connections that are open."""

    daemon_threads = True

    def __init__(self, owner: Owner, port: int) -> None:
        """Listen on loopback."""
        self.owner = owner
        self._open: set[socket.socket] = set()
        super().__init__(("127.0.0.1", port), _Handler)

    def server_bind(self) -> None:
        """Bind without asking anybody for this machine's name."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def process_request(self, request: socket.socket, client_address: object) -> None:  # type: ignore[override]
        """Answer in a thread, and remember the connection until it ends."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: socket.socket) -> None:  # type: ignore[override]
        """Close a connection that has ended."""
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: whoever went away knows it."""

    def close_connections(self) -> None:
        """Cut off everybody who is still connected."""
        for one in tuple(self._open):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = _IDLE_S
    disable_nagle_algorithm = True

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base's name
        """Say nothing on standard error."""

    def do_HEAD(self) -> None:
        """Say that somebody is here."""
        self._note(None)
        self._send(200, {})

    def do_GET(self) -> None:
        """List the models, which are the seats; anything else is not here."""
        self._note(None)
        path = urlsplit(self.path).path.rstrip("/")
        if path.endswith("/models"):
            models: list[Json] = [
                {"id": name, "name": f"models/{name}", "object": "model", "type": "model"}
                for name in self._owner.models
            ]
            self._send(200, {"object": "list", "data": models, "models": models})
        else:
            self._send(404, RESPONSES.error(404, f"no page {path}"))

    def do_POST(self) -> None:
        """Answer a call of a model by the script."""
        body = self._body()
        path = unquote(urlsplit(self.path).path).rstrip("/")
        found = _spoken(path, body)
        if found is None:
            self._note(body)
            self._send(404, RESPONSES.error(404, f"no page {path}"))
            return
        dialect, model, is_stream = found
        told = self._note(body, dialect, model)
        if told is None:
            self._send(503, dialect.error(503, "too many requests"))
            return
        turn, number = told
        if path.endswith(_COUNTED):
            self._send(200, _COUNTS[dialect.name])
            return
        self._tell(dialect, Call(turn=turn, model=model, number=number), is_stream=is_stream)

    @property
    def _owner(self) -> Owner:
        return cast("Listening", self.server).owner

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            return self._chunks()
        size = self.headers.get("Content-Length", "0")
        if not size.isdecimal() or int(size) > LONGEST_BODY:
            self.close_connection = True
            return b""
        return self.rfile.read(int(size))

    def _chunks(self) -> bytes:
        found = b""
        while (size := int(self.rfile.readline(64).split(b";")[0] or b"0", 16)) > 0:
            found += self.rfile.read(min(size, LONGEST_BODY - len(found)))
            self.rfile.readline(64)
        self.rfile.readline(64)
        return found

    def _note(
        self, sent_body: bytes | None, dialect: Dialect | None = None, model: str = ""
    ) -> tuple[Turn, int] | None:
        """Note what was asked; return what to answer and the number of the request."""
        parts = urlsplit(self.path)
        data = _json(sent_body or b"")
        is_call = dialect is not None and not parts.path.endswith(_COUNTED)
        headers = {name.lower(): value for name, value in self.headers.items()}
        key = headers.get("x-api-key") or headers.get("x-goog-api-key") or ""
        key = key or headers.get("authorization", "").removeprefix("Bearer ")
        query = "&".join(one for one in parts.query.split("&") if not one.startswith("key="))
        asked = Asked(
            method=self.command,
            path=parts.path,
            query=query,
            headers={name: value for name, value in headers.items() if name not in _SECRET},
            body=data,
            size=len(sent_body or b""),
            turn=0 if is_call else None,
            model=model,
            words=dialect.words(data) if dialect and isinstance(data, Mapping) else "",
        )
        return self._owner.take(asked, key)

    def _tell(self, dialect: Dialect, call: Call, *, is_stream: bool) -> None:
        turn = call.turn
        if turn.mode == "hang":
            self._owner.ended.wait(HANG_S)
            self.close_connection = True
        elif turn.mode == "drip":
            self._drip()
        elif turn.mode == "status":
            message = turn.message or f"the script says {turn.status}"
            self._send(turn.status, dialect.error(turn.status, message), turn.retry_after_s)
        elif is_stream:
            self._stream(dialect, call, is_cut=turn.mode == "cut")
        else:
            answer = dialect.answer(call)
            cut = _within(json.dumps(answer), turn.text) if turn.mode == "cut" else None
            self._send(200, answer, cut=cut)

    def _drip(self) -> None:
        self.send_response(200)
        self.close_connection = True
        while not self._owner.ended.wait(_DRIP_S):
            self.send_header("X-Later", "still")
            self.flush_headers()  # until the caller has gone

    def _send(
        self,
        status: int,
        data: JsonObject,
        retry_after_s: int | None = None,
        *,
        cut: int | None = None,
    ) -> None:
        text = json.dumps(data).encode() if data else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        if retry_after_s is not None:
            self.send_header("Retry-After", str(retry_after_s))
        self.end_headers()
        self.wfile.write(text[:cut])
        self.close_connection = self.close_connection or cut is not None

    def _stream(self, dialect: Dialect, call: Call, *, is_cut: bool) -> None:
        events = [sent(event) for event in dialect.events(call)]
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        pieces = events[: len(events) // 2] if is_cut else [*events, dialect.ending, b""]
        for piece in pieces:
            if piece or piece is pieces[-1]:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.close_connection = self.close_connection or is_cut


def _json(data: bytes) -> Json:
    try:
        return cast("Json", json.loads(data))
    except ValueError:
        return None


def _within(answer: str, text: str) -> int:
    """Return where an answer is in the middle of its text; its own middle without one."""
    words = json.dumps(text)[1:-1]
    return answer.find(words) + len(words) // 2 if words else len(answer) // 2


def _spoken(path: str, body: bytes) -> tuple[Dialect, str, bool] | None:
    """Return which format a path speaks, for which model, and whether as a stream."""
    model, colon, verb = path.rpartition("/")[2].partition(":")
    if colon:
        return (GEMINI, model, verb == "streamGenerateContent") if verb in _VERBS else None
    data = _json(body)
    told = data if isinstance(data, Mapping) else {}
    for end, dialect in _ENDS.items():
        if path.endswith(end):
            return dialect, str(told.get("model", "")), bool(told.get("stream"))
    return None
