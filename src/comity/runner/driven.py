"""Driven: who drives a session, and what does it need next?

Here: the entry that says who took a session up, handing a session to workers or taking it from
them, what a session needs by its record: to be driven on now, at a time, or when somebody speaks.
Not here: driving (driving.py), noticing what is needed (sweep.py).
Sources: ENGINE 1, 5; docs/decisions/0011.

The entry is no input: the fold passes over it. It moves the session's head, so whoever drove
before is refused at its next append and finds out why. That is the fence: there is no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from comity.agents.seating import OWN
from comity.core.canonical import Json
from comity.core.parties import PartyId
from comity.core.step import Ask
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.port import Ledger
from comity.runner.local import Session, lacks_time
from comity.session.record import Opening, seal_of

__all__ = [
    "DRIVEN",
    "PROCESS",
    "WORKERS",
    "Driven",
    "Need",
    "hand_over",
    "is_away",
    "last_driven",
    "need_of",
    "taking_up",
]

DRIVEN = "driven"
"""The kind of the entry."""

WORKERS = "workers"
"""Who drives a session that any worker may take up."""

PROCESS = "process"
"""Who drives a session that one process took from the workers."""

_FIRST_PAUSE_MS = 30_000
_LONGEST_PAUSE_MS = 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """Who took a session up last.

    Attributes:
        by: a worker's name, ``workers`` or ``process``.
        at_ms: when.
        seq: the entry's place.
        stuck: why a worker could not go on, or "".
        times: how often in a row that was so.

    Example:
        >>> Driven(by="workers", at_ms=0, seq=2).is_for_workers
        True
    """

    by: str
    at_ms: int
    seq: int
    stuck: str = ""
    times: int = 0

    @property
    def is_for_workers(self) -> bool:
        """Whether workers may take the session up."""
        return self.by != PROCESS

    @property
    def retry_ms(self) -> int:
        """When a session that is stuck is tried again."""
        pause_ms: int = _FIRST_PAUSE_MS * 2 ** min(self.times - 1, 20)
        return self.at_ms + min(pause_ms, _LONGEST_PAUSE_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a session needs, by its record.

    Attributes:
        what: ``drive`` it on; ``wait`` for somebody to speak or for a time; nothing, it has
            ``ended``.
        whom: the seats that are asked and answer through the record, sorted.
        at_ms: when time passes for it, or None.

    Example:
        >>> Need(what="wait", whom=("lead",)).at_ms is None
        True
    """

    what: Literal["drive", "wait", "ended"]
    whom: tuple[PartyId, ...] = ()
    at_ms: int | None = None


def taking_up(by: str, *, stuck: str = "", times: int = 0) -> NewEntry:
    """Return the entry that says who takes a session up.

    Args:
        by: a worker's name, :data:`WORKERS` or :data:`PROCESS`.
        stuck: why a worker could not go on, or "".
        times: how often in a row that was so.

    Example:
        >>> dict(taking_up("workers").body)
        {'by': 'workers'}
    """
    body: dict[str, Json] = {"by": by}
    if stuck:
        body |= {"stuck": stuck, "times": times}
    return NewEntry(DRIVEN, body)


def last_driven(entries: Sequence[Entry]) -> Driven | None:
    """Return who took a session up last; None when it was never handed to workers.

    Args:
        entries: its entries, in order.
    """
    return next((_read(one) for one in reversed(entries) if one.kind == DRIVEN), None)


def _read(entry: Entry) -> Driven:
    body = entry.body
    times = body.get("times")
    return Driven(
        by=str(body.get("by")),
        at_ms=entry.at_ms,
        seq=entry.seq,
        stuck=str(body.get("stuck") or ""),
        times=times if isinstance(times, int) else 0,
    )


def hand_over(ledger: Ledger, session_id: str, by: str, *, now_ms: int) -> None:
    """Hand a session to the workers, or take it from them.

    Nothing is recorded when it is so already, or when the session has ended.

    Args:
        ledger: the ledger.
        session_id: the session.
        by: :data:`WORKERS` or :data:`PROCESS`.
        now_ms: the time to record.
    """

    def rule(entries: tuple[Entry, ...]) -> Sequence[NewEntry]:
        last = last_driven(entries)
        is_so = by == PROCESS if last is None else last.is_for_workers == (by != PROCESS)
        lines = ((one.kind, one.body) for one in entries if one.party is None)
        return () if is_so or seal_of(lines) is not None else (taking_up(by),)

    ledger.transact(session_id, rule, request_id=None, now_ms=now_ms)


def is_away(opening: Opening, party: PartyId) -> bool:
    """Tell whether a seat answers through the record: no worker can ask it.

    Args:
        opening: how the session was opened.
        party: the seat.

    Example:
        >>> opening = Opening(kind="vote", title="t", rules={}, agents={"ann": "person"})
        >>> is_away(opening, "ann"), is_away(opening, "lead")
        (True, True)
    """
    return str(opening.agents.get(party, "person")) in {"person", OWN}


def need_of(session: Session) -> Need:
    """Return what a session needs.

    Args:
        session: the session as it stands.
    """
    last = session.last
    if last.outcome is not None:
        return Need(what="ended" if session.sealed else "drive")
    if session.inputs == 0 and lacks_time(session):
        return Need(what="drive")  # its times count from no clock yet
    away: list[Ask] = [one for one in last.asks if is_away(session.opening, one.party)]
    if len(away) < len(last.asks) or not (away or last.wake_at_ms is not None):
        return Need(what="drive", at_ms=last.wake_at_ms)
    whom = tuple(sorted({one.party for one in away}))
    return Need(what="wait", whom=whom, at_ms=last.wake_at_ms)
