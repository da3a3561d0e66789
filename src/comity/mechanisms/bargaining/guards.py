"""Guards: has this negotiation stopped getting anywhere?

Here: small pure guards over joint states (stall, ping-pong), the monotonic check on one offer,
and the round at which a time limit ends a negotiation.
Not here: what a joint state is (whoever uses a guard hands in a digest of it), the no-deal that
follows (price.py, protocols).
Sources: SEMANTICS B7; the three shapes of deadlock of the source text on negotiation.

A guard is a value. ``saw`` returns the next one and never changes the old one, so a guard can
live in the state of a machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, NamedTuple

__all__ = ["PingPong", "Role", "Stall", "retreats", "time_limit_round"]

Role = Literal["buyer", "seller"]


class Stall(NamedTuple):
    """The same joint state as before, ``limit`` times in a row.

    Attributes:
        limit: how many states without movement trip the guard, 1 or more.
        still: how many states have passed since the last movement.
        last: the last state seen.

    Example:
        >>> guard = Stall(2).saw("80|92").saw("80|92")
        >>> guard.still, guard.tripped, guard.saw("80|92").tripped
        (1, False, True)
    """

    limit: int
    still: int = 0
    last: str | None = None

    @property
    def tripped(self) -> bool:
        """Whether nothing has moved for ``limit`` states."""
        return self.still >= self.limit

    def saw(self, state: str) -> Stall:
        """Return the guard after one more joint state.

        Args:
            state: a digest, or any text that is equal for equal states only.

        Returns:
            The next guard.
        """
        return Stall(self.limit, self.still + 1 if state == self.last else 0, state)


class PingPong(NamedTuple):
    """A return to an earlier, different joint state.

    Staying in a state is no return (that is what :class:`Stall` watches). It can only happen
    where offers may go backwards.

    Attributes:
        seen: every state so far.
        last: the last state seen.
        tripped: whether the last state was a return.

    Example:
        >>> guard = PingPong().saw("a").saw("b")
        >>> guard.saw("b").tripped, guard.saw("a").tripped
        (False, True)
    """

    seen: frozenset[str] = frozenset()
    last: str | None = None
    tripped: bool = False

    def saw(self, state: str) -> PingPong:
        """Return the guard after one more joint state.

        Args:
            state: a digest, or any text that is equal for equal states only.

        Returns:
            The next guard.
        """
        if state == self.last:
            return PingPong(self.seen, state)
        return PingPong(self.seen | {state}, state, state in self.seen)


def retreats(role: Role, standing: int | Fraction, offer: int | Fraction) -> bool:
    """Tell whether an offer is better for its own maker than the one that stands.

    Args:
        role: ``"buyer"`` (a lower price is better for it) or ``"seller"``.
        standing: the maker's standing offer.
        offer: its next offer.

    Returns:
        True when monotonic concession refuses the offer.

    Example:
        >>> retreats("seller", 90, 95), retreats("buyer", 90, 95), retreats("seller", 90, 90)
        (True, False, False)
    """
    return offer < standing if role == "buyer" else offer > standing


def time_limit_round(readings_ms: Sequence[int], limit_ms: int) -> int | None:
    """Return the first round whose clock reading has reached the time limit.

    Args:
        readings_ms: the clock at each round from round 0, in milliseconds since the start.
        limit_ms: the time limit in milliseconds.

    Returns:
        The round, or None when no reading reaches the limit.

    Example:
        >>> time_limit_round((0, 40, 80, 120), 80)
        2
    """
    return next((t for t, now in enumerate(readings_ms) if now >= limit_ms), None)
