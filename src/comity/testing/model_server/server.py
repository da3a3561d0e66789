"""Model server: which scripted turn answers a request, and what was asked?

Here: the server for the time of a block: it counts each seat's turns and keeps every request.
Not here: connections and paths (connection.py), formats (anthropic.py, openai.py, gemini.py).
Sources: ARCHITECTURE, testing kit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self

from comity.testing.model_server.connection import Asked, Listening
from comity.testing.model_server.script import Script, Turn, read_script, read_turn

__all__ = ["ModelServer", "Says"]

MOST_REQUESTS = 10_000
MOST_BYTES = 256_000_000
_GRACE_S = 10.0

Says = Callable[[Asked], Turn | str]
"""What answers instead of a script: a function from what was asked to a turn."""


class ModelServer:
    """A fake model server on loopback, for the time of a ``with`` block.

    Args:
        script: a :class:`Script`, the data of one, or a function from a request to a turn.
        port: where to listen; 0 for any free port.
        seats: whose names keys and models may carry, where a function answers.

    Example:
        >>> import json
        >>> from urllib.request import Request, urlopen
        >>> with ModelServer({"CC": ["VOTE: APPROVE"]}) as server:
        ...     body = b'{"model": "CC", "messages": [{"role": "user", "content": "Well?"}]}'
        ...     call = Request(f"{server.url}/v1/chat/completions", body)
        ...     with urlopen(call) as answer:
        ...         json.load(answer)["choices"][0]["message"]["content"]
        ...     [(one.seat, one.turn, one.words) for one in server.calls()]
        'VOTE: APPROVE'
        [('CC', 0, 'Well?')]
    """

    def __init__(
        self,
        script: Script | Says | Mapping[str, object],
        *,
        port: int = 0,
        seats: Sequence[str] = ("CC", "CX", "GM"),
    ) -> None:
        """Listen at once, answer from the beginning of the block."""
        self._says = script if callable(script) else None
        listed: Script | Mapping[str, object] = (
            dict.fromkeys(seats, ()) if callable(script) else script
        )
        self.script = read_script(listed)
        self._bytes = 0
        self._lock = Lock()
        self._asked: list[Asked] = []
        self._turns: Counter[str] = Counter()
        self.ended = Event()
        self._http = Listening(self, port)
        self._thread = Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """Return the base URL, without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def models(self) -> Sequence[str]:
        """Return the seats of the script, as a list of models shows them."""
        return tuple(self.script.seats) or ("model",)

    @property
    def requests(self) -> tuple[Asked, ...]:
        """Return every request so far, in the order in which they came."""
        with self._lock:
            return tuple(self._asked)

    def calls(self, seat: str | None = None) -> tuple[Asked, ...]:
        """Return the calls of models among the requests.

        Args:
            seat: of this seat alone; of all by default.
        """
        called = [one for one in self.requests if one.turn is not None]
        return tuple(one for one in called if seat in {None, one.seat})

    def environment(
        self, *, claude: str = "CC", codex: str = "CX", gemini: str = "GM"
    ) -> dict[str, str]:
        """Return the environment in which coding agents and model seats talk to this server.

        Args:
            claude: whose seat Claude Code takes; its key carries it.
            codex: whose seat Codex takes.
            gemini: whose seat Gemini CLI takes.
        """
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": claude,
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": codex,
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GEMINI_API_KEY": gemini,
            "COMITY_MODEL_URL": f"{self.url}/v1",
        }

    def __enter__(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Answer nobody any more; who still waits is cut off."""
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._http.close_connections()
        self._thread.join(_GRACE_S)

    def take(self, asked: Asked, key: str) -> tuple[Turn, int] | None:
        """Note a request and return what to answer; None when there have been too many.

        What it held is no longer kept once all that was sent is more than 256 MB.

        Args:
            asked: the request.
            key: the API key it came with; it may carry the seat.
        """
        with self._lock:
            number = len(self._asked) + 1
            if number > MOST_REQUESTS:
                return None
            turn = Turn()
            self._bytes += asked.size
            if self._bytes > MOST_BYTES:
                asked = replace(asked, body=None)
            if asked.turn is not None:
                seat = self.script.seat_of(key, asked.model)
                asked = replace(asked, seat=seat, turn=self._turns[seat])
                turn = self.script.turn(seat, self._turns[seat])
                self._turns[seat] += 1
            self._asked.append(asked)
        if asked.turn is not None and self._says is not None:
            turn = read_turn(self._says(asked))
        return turn, number
