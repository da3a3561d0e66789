"""Claims record: what does the ledger say of a desk, and does it hold?

Here: the desks of a ledger, the recorded conflicts of one, deciding every one of them again.
Not here: shares and alarms (watch/), the hash chain (ledger/verify.py).
Sources: SEMANTICS K1, K2, K4, R5.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput, LedgerError, did_you_mean
from comity.ledger import Ledger
from comity.ledger.entry import Entry
from comity.mechanisms.arbitration import Conflict, Policy
from comity.mechanisms.arbitration.choosing import tidy
from comity.protocols.claims import Books, DeskRules, Event, conflict_of, desk_rules_from_json
from comity.protocols.claims.events import CONFLICT, HANDED, OPENED, STATE
from comity.protocols.claims.giving import next_oldest
from comity.protocols.claims.standing import claim_of
from comity.runner.desk_log import name_of, scope_of

__all__ = ["History", "decided_again", "desks", "history"]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The recorded conflicts of one desk.

    Attributes:
        desk: its name.
        conflicts: in order, each with the time of its entry, in seconds since 1970.
        policy: the policy of the desk now; None where every conflict was decided elsewhere.
    """

    desk: str
    conflicts: tuple[Conflict, ...]
    policy: Policy | None


def desks(ledger: Ledger) -> tuple[str, ...]:
    """Return the names of a ledger's desks, sorted.

    Args:
        ledger: the ledger.
    """
    names = (name_of(head.scope) for head in ledger.heads())
    return tuple(sorted(name for name in names if name is not None))


def history(ledger: Ledger, name: str = "claims") -> History:
    """Return what was decided at a desk.

    Args:
        ledger: where it is kept.
        name: the desk's.

    Returns:
        Its conflicts.

    Raises:
        InvalidInput: when there is no such desk.
        LedgerError: for an entry that is no conflict and calls itself one.

    Example:
        >>> from comity.ledger import open_ledger
        >>> from comity.runner.arbiter import Arbiter
        >>> with open_ledger(":memory:") as ledger:
        ...     _ = Arbiter(ledger).decide([("a", 3), ("b", 1)])
        ...     history(ledger).conflicts[0].winners
        ('a',)
    """
    entries = _entries(ledger, name)
    opened: list[Any] = [one.body["rules"] for one in entries if one.kind == OPENED]
    rules = desk_rules_from_json(opened[-1]) if opened else DeskRules()
    decided = [one for one in entries if one.kind == CONFLICT]
    is_ours = any(one.body.get("seed") is not None for one in decided)
    return History(
        desk=name,
        conflicts=tuple(_timed(one) for one in decided),
        policy=rules.policy if is_ours or not decided else None,
    )


def decided_again(ledger: Ledger, name: str = "claims") -> tuple[str, ...]:
    """Decide every recorded conflict of a desk again, and say what differs.

    Args:
        ledger: where it is kept.
        name: the desk's.

    Returns:
        Nothing when all is the same; else the first difference, in one sentence. What follows it
        builds on it and is not looked at.

    Raises:
        InvalidInput: when there is no such desk.

    Example:
        >>> from comity.ledger import open_ledger
        >>> from comity.runner.arbiter import Arbiter
        >>> with open_ledger(":memory:") as ledger:
        ...     _ = Arbiter(ledger).decide([("a", 3), ("b", 1)])
        ...     decided_again(ledger)
        ()
    """
    books = Books(DeskRules())
    for one in _entries(ledger, name):
        told = _differs(books, one)
        if told:
            return (f"Entry {one.seq} of desk {name}: {told}.",)
    return ()


def _differs(books: Books, entry: Entry) -> str:
    """Take an entry in as if it happened now; return what differs, or ""."""
    if entry.kind == STATE:
        same = digest(books.to_json()) == digest(entry.body)
        return "" if same else "the state is not what the entries before it lead to"
    body: Any = entry.body
    try:
        if entry.kind == HANDED and body["agent"] != (
            oldest := next_oldest(books, body["resource"])
        ):
            return f"{body['resource']} goes to {oldest}, recorded {body['agent']}"
        if entry.kind != CONFLICT or body["seed"] is None:
            books.apply(entry.kind, body)
            return ""
        return _decided_differently(books, body)
    except InvalidInput as error:
        return f"{error.faults[0].whose} {error.faults[0].what}"
    except (AttributeError, LookupError, TypeError, ValueError):
        return f"it is no {entry.kind}"


def _decided_differently(books: Books, body: Any) -> str:  # noqa: ANN401  # JSON
    """Decide a conflict as if it happened now; return what differs, or ""."""
    told = conflict_of(body)
    if "leases" in body:
        waiting = books.waiting.get(told.resource, {})
        stand = tuple(claim_of(one, books.rules) for _, one in sorted(waiting.items()))
        if told.claims != stand:
            return f"the claims on {told.resource} are {stand}, recorded {told.claims}"
    again = books.decide(told.claims, told.resource, reading=told.at, seed=str(body["seed"]))
    for name in ("number", "marks", "stages", "winners"):
        ours, theirs = getattr(again, name), getattr(told, name)
        if ours != theirs:
            return f"the {name} of the conflict over {told.resource} are {ours}, recorded {theirs}"
    books.happen(Event(CONFLICT, body))
    return ""


def _entries(ledger: Ledger, name: str) -> tuple[Entry, ...]:
    entries = ledger.read(scope_of(name), everything=True)
    if entries:
        return entries
    there = desks(ledger)
    allowed = ", ".join(there) or "none is there yet"
    raise InvalidInput(
        Fault(f"desk {name!r}", "is not in this ledger", allowed, did_you_mean(name, there))
    )


def _timed(entry: Entry) -> Conflict:
    try:
        conflict = conflict_of(entry.body)
    except (LookupError, TypeError, ValueError) as error:
        step = "run verify; restore a copy if it is not whole"
        where = f"entry {entry.seq} of {entry.scope}"
        raise LedgerError(Fault(where, "is no conflict", "a whole record", step)) from error
    return conflict._replace(at=tidy(Fraction(entry.at_ms, 1000)))
