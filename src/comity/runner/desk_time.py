"""Desk time: what time is it at a desk for a process that reads its own machine's clock?

Here: what the clock shows as the time of the desk, and back; whether something is due; a clock
that is wrong.
Not here: what a desk makes of clocks (protocols/claims/clocks.py), commits (desk_log.py).
Sources: SEMANTICS R7, G3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from comity.core.errors import Fault
from comity.protocols.claims import Answer, Desk, Event, clock_fault, read_clock
from comity.protocols.claims.desk import Asked
from comity.runner.clock import Clock
from comity.runner.clock_name import clock_name

__all__ = ["DeskTime"]


class DeskTime:
    """The time of a desk by one machine's clock.

    Args:
        clock: the clock.
        seeds: where the seeds of lots come from.

    Example:
        >>> from comity.protocols.claims import DeskRules
        >>> from comity.testing.clock import FakeClock
        >>> time = DeskTime(FakeClock(1_000), lambda: "7")
        >>> time.reads(Desk(DeskRules()))
        (1000, 0)
    """

    def __init__(self, clock: Clock, seeds: Callable[[], str]) -> None:
        """Read nothing yet; ``shows_ms`` and ``at_ms`` are those of the last arrival."""
        self._clock = clock
        self._seeds = seeds
        self.name = clock_name(clock)
        self.shows_ms = self.at_ms = 0

    def read(self) -> int:
        """Read the clock, and return what it shows."""
        self.shows_ms = self._clock.now_ms()
        return self.shows_ms

    def reads(self, desk: Desk) -> tuple[int, int]:
        """Return the time of a desk, and what is added there to what the clock here shows.

        Args:
            desk: the desk.
        """
        books = desk.books
        shows_ms = self._clock.now_ms()
        told = books.clocks.reading(self.name, shows_ms, at_stake=books.at_stake)
        return told.at_ms, told.offset_ms

    def is_due(self, desk: Desk) -> bool:
        """Tell whether something is due, or the clock is to be noted, lest time stands still.

        Args:
            desk: the desk.
        """
        due_ms = desk.due_ms()
        if due_ms is None:
            return False
        at_ms, offset_ms = self.reads(desk)
        is_news = offset_ms != desk.books.clocks.offsets.get(self.name, 0)
        return is_news or due_ms <= at_ms

    def arrive(self, desk: Desk | None) -> list[Event]:
        """Let happen at a desk what is due by what the clock showed last; set ``at_ms``."""
        self.at_ms = self.shows_ms
        if desk is None:
            return []
        books, due_ms = desk.books, desk.due_ms()
        told = books.clocks.reading(self.name, self.shows_ms, at_stake=books.at_stake)
        self.at_ms = told.at_ms
        if not told.is_news and (due_ms is None or due_ms > told.at_ms):
            return []
        return read_clock(books, self.name, self.shows_ms, seed=self._seeds())[0]

    def sets(self, desk: Desk) -> list[Event]:
        """Take what the clock shows as the time of a desk; who holds or waits keeps its rest."""
        shows_ms, seed = self.shows_ms, self._seeds()
        return read_clock(desk.books, self.name, shows_ms, seed=seed, sets=True)[0]

    def told(self, desk: Desk, answer: Answer) -> Answer:
        """Return an answer whose times are those of the clock here.

        Args:
            desk: who answers.
            answer: the answer in the desk's time.
        """
        if answer.until_ms is None:
            return answer
        _, offset_ms = self.reads(desk)
        return replace(answer, until_ms=answer.until_ms - offset_ms) if offset_ms else answer

    def told_of(self, desk: Desk, asked: Asked) -> Asked:
        """Return what a request led to, with the answer as :meth:`told` returns it.

        Args:
            desk: who answers.
            asked: what happened, and the answer.
        """
        events, answer = asked
        return events, self.told(desk, answer)

    def due_ms(self, desk: Desk) -> int | None:
        """Return when something happens next by itself, by the clock here, or None."""
        due_ms = desk.due_ms()
        return None if due_ms is None else due_ms - self.reads(desk)[1]

    def fault(self, desk: Desk) -> Fault | None:
        """Return what is wrong with the clock here, as far as a desk can tell, or None."""
        return clock_fault(self.name, self.reads(desk)[1])
