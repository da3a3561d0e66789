"""Guarding: whose strategy failed, and how?

Here: players of strategies that are not ours, wrapped so that whatever goes wrong names the party.
Not here: our own strategies (mechanisms/bargaining/strategies), what a row says of it (play.py).
Sources: complaint 4 of the research (own and opponents' faults mixed, not reproducible).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from comity.core.errors import AgentError, Fault, shown
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import OwnView
from comity.mechanisms.bargaining.strategies import STRATEGIES, Player, Seat

__all__ = ["foreign", "guarded"]

_OURS = "comity."
Answer = TypeVar("Answer")


def foreign(names: Iterable[str]) -> tuple[str, ...]:
    """Return which strategies were registered by somebody else.

    Args:
        names: names of strategies, with or without a parameter.

    Returns:
        The names without parameters, sorted; unknown ones are left out.

    Example:
        >>> foreign(["linear", "boulware:0.2"])
        ()
    """
    bare = {name.partition(":")[0] for name in names}
    return tuple(
        sorted(
            name
            for name in bare
            if name in STRATEGIES and not STRATEGIES[name].start.__module__.startswith(_OURS)
        )
    )


@contextmanager
def guarded(names: Iterable[str]) -> Iterator[None]:
    """Wrap the players of some strategies for as long as this lasts.

    Args:
        names: names of the table of strategies.

    Yields:
        Nothing; meanwhile a failure of such a player is an AgentError that names its party.

    Example:
        >>> before = STRATEGIES["linear"]
        >>> with guarded(["linear"]):
        ...     STRATEGIES["linear"] is before
        False
        >>> STRATEGIES["linear"] is before
        True
    """
    kept = {name: STRATEGIES[name] for name in names}
    try:
        for name, entry in kept.items():
            STRATEGIES[name] = entry._replace(start=_guarding(entry.start))
        yield
    finally:
        STRATEGIES.update(kept)


def _guarding(inner: Callable[[Seat], Player]) -> Callable[[Seat], Player]:
    def start(seat: Seat) -> Player:
        party, name = seat.view.party, str(seat.strategy)
        player = _asked(party, name, "to start", lambda: inner(seat))
        return _Guarded(player, seat.view, name)

    return start


def _asked(party: PartyId, name: str, what: str, call: Callable[[], Answer]) -> Answer:
    try:
        return call()
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise _failure(party, name, f"failed when asked {what}: {said}") from error


def _failure(party: PartyId, name: str, what: str) -> AgentError:
    allowed = "an answer as the protocol Player of the strategies asks for"
    return AgentError(Fault(party, f"strategy {name} {what}", allowed, "correct the strategy"))


class _Guarded:
    """A player whose every answer is checked."""

    __slots__ = ("_inner", "_name", "_view")

    def __init__(self, inner: Player, view: OwnView, name: str) -> None:
        self._inner, self._view, self._name = inner, view, name

    def _ask(self, what: str, call: Callable[[], Answer]) -> Answer:
        return _asked(self._view.party, self._name, what, call)

    def _refuse(self, what: str) -> AgentError:
        return _failure(self._view.party, self._name, what)

    @property
    def is_waiting(self) -> bool:
        return self._yes_or_no("whether it waits", self._ask("", lambda: self._inner.is_waiting))

    def _yes_or_no(self, what: str, answer: object) -> bool:
        if not isinstance(answer, bool):
            raise self._refuse(f"answers {shown(answer)} when asked {what}")
        return answer

    def offer(self, at: int) -> int | None:
        """Return a deal that exists and that the party itself accepts, or None."""
        found = self._ask(f"for an offer in round {at}", lambda: self._inner.offer(at))
        if found is None:
            return None
        if type(found) is not int or not 0 <= found < self._view.layout.size:
            raise self._refuse(f"offers {shown(found)} in round {at}, which is no deal")
        if not self._view.is_rational(found):
            raise self._refuse(f"offers in round {at} what its own party does not accept")
        return found

    def hears(self, at: int, by: PartyId, outcome: int) -> None:
        """Pass an offer of another on."""
        self._ask(f"to hear {by} in round {at}", lambda: self._inner.hears(at, by, outcome))

    def accepts(self, at: int, by: PartyId, outcome: int) -> bool:
        """Return yes or no; yes only to what the party accepts."""
        what = f"about an offer of {by} in round {at}"
        found = self._ask(what, lambda: self._inner.accepts(at, by, outcome))
        if self._yes_or_no(what, found) and not self._view.is_rational(outcome):
            raise self._refuse(f"accepts in round {at} what its own party does not accept")
        return found
