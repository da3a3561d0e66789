"""Clocks: what time is it at a desk to which many machines come?

Here: the time of a desk, how far the clock of each machine is off from it, which clock is told
that it is wrong.
Not here: the machine's clock and its name (runner/), what is due (due.py).
Sources: SEMANTICS R7, G3; Gray and Cheriton 1989 (leases need clocks that run alike, not clocks
that show the same).

A desk believes how a clock runs, not what it shows. A clock that is seen for the first time, and
shows a time far from that of the desk while somebody holds or waits, starts at the time of the
desk: from then on what passes on it counts. So a clock that is wrong by any amount ends nobody's
lease and keeps nobody waiting. Two things are believed: a clock that the desk knows, when it goes
on, and any clock that is ahead while nobody holds or waits, where it can do no harm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, shown

__all__ = ["BOUND_MS", "Clocks", "Reading", "clock_fault"]

BOUND_MS = 5_000
"""How far clocks may differ and count as the same."""


class Reading(NamedTuple):
    """What a desk makes of what a clock shows.

    Attributes:
        at_ms: the time of the desk.
        offset_ms: what is added to what the clock shows, from now on.
        is_news: whether that is to be noted: the clock is new, or its offset is.
    """

    at_ms: int
    offset_ms: int
    is_news: bool


class Clocks:
    """The time of a desk, and the clocks that it knows.

    Attributes are for reading: ``last`` (the latest time of the desk, or None) and ``offsets``
    (clock -> what is added to what it shows).

    Example:
        >>> clocks = Clocks()
        >>> clocks.note(1_000, "here", 0)
        >>> clocks.reading("here", 90_000, at_stake=True).at_ms
        90000
        >>> clocks.reading("fast", 90_000, at_stake=True)
        Reading(at_ms=1000, offset_ms=-89000, is_news=True)
    """

    __slots__ = ("last", "offsets")

    def __init__(self) -> None:
        """Know no clock."""
        self.last: int | None = None
        self.offsets: dict[str, int] = {}

    def reading(self, name: str, shows_ms: int, *, at_stake: bool) -> Reading:
        """Return what time it is at the desk.

        Args:
            name: the clock's.
            shows_ms: what it shows.
            at_stake: whether somebody holds or waits.
        """
        known = self.offsets.get(name)
        offset = known or 0
        last = shows_ms + offset if self.last is None else self.last
        gap = shows_ms + offset - last
        if known is None and at_stake and gap > BOUND_MS:
            offset = last - shows_ms
        elif gap < -BOUND_MS:
            offset = 0 if shows_ms - last >= -BOUND_MS else last - shows_ms
        elif offset and not at_stake and shows_ms >= last:
            offset = 0
        return Reading(max(last, shows_ms + offset), offset, known != offset)

    def read(self, at_ms: int) -> None:
        """Note that something has happened at a time."""
        if self.last is None or at_ms > self.last:
            self.last = at_ms

    def note(self, at_ms: int, name: str, offset_ms: int) -> None:
        """Note what is added to what a clock shows.

        Args:
            at_ms: the time of the desk.
            name: the clock's.
            offset_ms: what is added.
        """
        self.offsets[name] = offset_ms
        self.read(at_ms)

    def to_json(self) -> JsonObject:
        """Return everything."""
        return {
            "last": self.last,
            "offsets": [[name, offset] for name, offset in sorted(self.offsets.items())],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Clocks:
        """Read what ``to_json`` wrote.

        Args:
            data: the object.
        """
        made = cls()
        made.last = data.get("last")
        made.offsets = dict(data.get("offsets", ()))
        return made


def clock_fault(name: str, offset_ms: int) -> Fault | None:
    """Return what is wrong with a clock, or None when it shows about the time of the desk.

    Args:
        name: the clock's.
        offset_ms: what the desk adds to what it shows.

    Example:
        >>> print(clock_fault("c1", -90_000).what)
        is 90 s ahead of this desk
        >>> clock_fault("c1", 900) is None
        True
    """
    if abs(offset_ms) <= BOUND_MS:
        return None
    way = "behind" if offset_ms > 0 else "ahead of"
    what = f"is {abs(offset_ms) // 1000} s {way} this desk"
    allowed = f"clocks at most {BOUND_MS // 1000} s apart; only what passes on it counts here"
    do = "set the clock that is wrong; if this one is right: comity arbiter --set-clock"
    return Fault(f"clock {shown(name)}", what, allowed, do)
