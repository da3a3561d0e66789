"""Passing: what happens at a desk as time passes?

Here: leases that end, claims that lapse and what is given then, each at its own time; a reading
of a machine's clock; the books as they will be.
Not here: when something is due (due.py), who gets what is free (giving.py), what time it is
(clocks.py).
Sources: SEMANTICS R7; discrete-event simulation (time moves to the next event).

Times are milliseconds.
"""

from __future__ import annotations

from comity.protocols.claims.books import Books
from comity.protocols.claims.events import CLOCK, STATE, Event
from comity.protocols.claims.giving import ended, give, turned_away

__all__ = ["as_of", "let_happen", "read_clock"]


def let_happen(books: Books, *, now_ms: int, seed: str) -> list[Event]:
    """Let leases and claims run out, and give what is free to who is next, the earliest first.

    Args:
        books: what the desk knows; it is changed.
        now_ms: the time.
        seed: the seed of the lots that this may need.

    Returns:
        What happened.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> let_happen(Books(DeskRules()), now_ms=0, seed="7")
        []
    """
    now = books.now(now_ms)
    events: list[Event] = []
    while (due_ms := books.due.next_ms()) is not None and due_ms <= now:
        events += _happen_at(books, books.now(due_ms), seed)
    return events


def _happen_at(books: Books, now: int, seed: str) -> list[Event]:
    """Let happen what is due at one time; nothing is due before it."""
    due = books.due.take(now)
    leases = [books.leases.by_token[int(key)] for kind, key in due if kind == "lease"]
    claims = [books.claims[int(key)] for kind, key in due if kind == "claim"]
    lapses = [turned_away(books, one, now) for one in claims]  # while the holders are known
    events = [books.happen(ended(books, one, "expired", now)) for one in leases]
    events += [books.happen(one) for one in lapses]
    free = {str(key) for kind, key in (*due, *books.due.take(now)) if kind == "resource"}
    for resource in sorted(free):
        events += give(books, resource, now=now, seed=seed)
    return events


def as_of(books: Books, *, now_ms: int, seed: str) -> Books:
    """Return the books as they will be once what is due has happened; these do not change.

    Args:
        books: what the desk knows.
        now_ms: the time.
        seed: the seed of the lots that this may need.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> books = Books(DeskRules())
        >>> as_of(books, now_ms=0, seed="7") is books
        True
    """
    due_ms = books.due.next_ms()
    if due_ms is None or due_ms > now_ms:
        return books
    copy = Books(books.rules)
    copy.apply(STATE, books.to_json())
    let_happen(copy, now_ms=now_ms, seed=seed)
    return copy


def read_clock(
    books: Books, name: str, shows_ms: int, *, seed: str, sets: bool = False
) -> tuple[list[Event], int]:
    """Read the clock of who comes to a desk, and let happen what is due by then.

    Args:
        books: what the desk knows; it is changed.
        name: the clock's; the same for all processes that read it.
        shows_ms: what it shows.
        seed: the seed of the lots that this may need.
        sets: whether what it shows is the time of the desk from now on, whatever that was; who
            holds and who waits keeps the time it has left.

    Returns:
        What happened, and the time of the desk.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> events, at_ms = read_clock(Books(DeskRules()), "here", 9_000, seed="7")
        >>> [one.kind for one in events], at_ms
        (['clock'], 9000)
    """
    told = books.clocks.reading(name, shows_ms, at_stake=books.at_stake)
    events: list[Event] = []
    if told.is_news and not sets:
        events.append(books.happen(_noted(name, shows_ms, told.at_ms, told.offset_ms)))
    events += let_happen(books, now_ms=told.at_ms, seed=seed)
    if not sets:
        return events, told.at_ms
    body = {**_noted(name, shows_ms, shows_ms, 0).body, "sets": True}
    events.append(books.happen(Event(CLOCK, {**body, "from_ms": books.now(told.at_ms)})))
    return events, shows_ms


def _noted(name: str, shows_ms: int, at_ms: int, offset_ms: int) -> Event:
    return Event(
        CLOCK, {"clock": name, "shows_ms": shows_ms, "offset_ms": offset_ms, "at_ms": at_ms}
    )
