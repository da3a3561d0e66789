"""Connection: how does one call of a server end on one clock, and through whom does it go?

Here: connections that another thread may break off, and whether a server is on this machine.
Not here: what is asked over a connection, and what the answer means (openai_http.py).
Sources: SEMANTICS C5; RFC 6761 for localhost; httpx's extension ``trace``.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import ip_address
from time import monotonic
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies

__all__ = ["Line", "is_loopback"]

_MADE = ("connect_tcp.complete", "start_tls.complete")


class Line:
    """The connections of one call, which another thread may break off when the time is up.

    A limit for each piece of an answer is none for the whole: a server may send a piece of a
    header now and then, for ever.

    Args:
        latest: when the time is up, on the clock that never goes back.

    Example:
        >>> Line(monotonic() + 60).is_over()
        False
    """

    def __init__(self, latest: float) -> None:
        """Begin without a connection."""
        self._latest = latest
        self._sockets: list[socket.socket] = []

    def is_over(self) -> bool:
        """Tell whether nobody waits any more."""
        return monotonic() > self._latest

    def note(self, event: str, told: Mapping[str, Any]) -> None:
        """Note a connection that was made, and let nothing be sent after the time is up.

        Args:
            event: what happened, as httpx traces it.
            told: what it tells beside it.

        Raises:
            TimeoutError: when the time is up.
        """
        if event.endswith(_MADE):
            self._sockets.append(told["return_value"].get_extra_info("socket"))
        if self.is_over():
            raise TimeoutError("the time is up")

    def break_off(self) -> None:
        """Let whoever still reads come to an end; the reader itself closes."""
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


def is_loopback(url: str) -> bool:
    """Tell whether a server is on this machine, however it is written: then no proxy is asked.

    A name is looked up only where a proxy is set, since nothing depends on it elsewhere.

    Args:
        url: the server's URL.

    Example:
        >>> is_loopback("http://127.0.0.1:8080/v1"), is_loopback("http://a.localhost./v1")
        (True, True)
    """
    host = (urlsplit(url).hostname or "").rstrip(".")
    if not host or host == "localhost" or host.endswith(".localhost"):
        return bool(host)
    flags = 0 if getproxies() else socket.AI_NUMERICHOST
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=flags)
    except (OSError, UnicodeError):
        return False
    return any(_is_own(str(one[4][0])) for one in found)


def _is_own(address: str) -> bool:
    """Tell whether an address is this machine's own; 0.0.0.0 leads there too."""
    told = ip_address(address.partition("%")[0])
    told = getattr(told, "ipv4_mapped", None) or told
    return told.is_loopback or told.is_unspecified
