"""agents/connection.py: one clock for a call, and no proxy before this machine (C5, C7)."""

from __future__ import annotations

import _socket  # the look-up that no test's guard stands before; it reads numbers alone here
import socket
from types import SimpleNamespace

import pytest

from comity.agents import connection as module
from comity.agents.connection import Line, is_loopback

HERE = [
    *("127.0.0.1", "127.0.0.2:8080", "127.1", "2130706433", "0x7f000001", "0.0.0.0:1", "[::1]:5"),
    *("[::]", "[::ffff:127.0.0.1]", "localhost", "LOCALHOST:1", "localhost.", "a.localhost"),
    *("127.0.0.1.", "a.LOCALHOST."),
]
ELSEWHERE = [
    "10.0.0.1",
    "example.org",
    "",
    "127.0.0.1.example.org",
    "localhost.org",
    "[::ffff:8.8.8.8]",
]


@pytest.fixture(autouse=True)
def numbers_alone(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """Read numeric addresses as the system does, and know three names."""
    names = {"inside": ["127.0.0.1"], "both": ["10.0.0.1", "::1"], "outside": ["10.0.0.1"]}
    asked: list[tuple[str, int]] = []

    def look_up(host: str, port: None, *, type: int, flags: int) -> list[object]:  # noqa: A002
        asked.append((host, flags))
        if host in names and not flags:
            return [(0, 0, 0, "", (address, 0)) for address in names[host]]
        if host == "too.long":
            raise UnicodeError("label too long")
        numeric = socket.AI_NUMERICHOST
        return list(_socket.getaddrinfo(host, port, type=type, flags=numeric))

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(module, "getproxies", dict)
    return asked


@pytest.mark.parametrize("host", HERE)
def test_this_machine_is_known_however_it_is_written(host: str) -> None:
    assert is_loopback(f"http://{host}/v1")


@pytest.mark.parametrize("host", ELSEWHERE)
def test_others_are_not_taken_for_it(host: str) -> None:
    assert not is_loopback(f"http://{host}/v1")


def test_a_name_is_looked_up_where_a_proxy_is_set_and_left_alone_elsewhere(
    monkeypatch: pytest.MonkeyPatch, numbers_alone: list[tuple[str, int]]
) -> None:
    assert not is_loopback("http://inside/v1")
    assert numbers_alone == [("inside", socket.AI_NUMERICHOST)]
    monkeypatch.setattr(module, "getproxies", lambda: {"http": "http://proxy:3128"})
    assert is_loopback("http://inside/v1")
    assert is_loopback("http://both/v1"), "a key may go there, and so it goes by no proxy"
    assert not is_loopback("http://outside/v1")
    assert not is_loopback("http://nowhere/v1")
    assert not is_loopback("http://too.long/v1")


def traced(one: object) -> dict[str, object]:
    return {"return_value": SimpleNamespace(get_extra_info=lambda name: one)}


def test_a_call_whose_time_is_up_is_broken_off_and_sends_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1.0
    monkeypatch.setattr(module, "monotonic", lambda: now)
    line = Line(2.0)
    near, far = socket.socketpair()
    closed = socket.socket()
    closed.close()
    with near, far:
        line.note("connection.connect_tcp.complete", traced(closed))
        line.note("connection.start_tls.complete", traced(near))
        line.note("http11.send_request_headers.started", {})
        now = 2.0
        line.note("http11.send_request_headers.started", {})
        assert not line.is_over()
        now = 2.1
        assert line.is_over()
        with pytest.raises(TimeoutError, match="the time is up"):
            line.note("http11.send_request_headers.started", {})
        line.break_off()
        assert far.recv(1) == b""
        assert near.fileno() >= 0, "the reader itself closes"
