"""Claims record: what does the ledger say of a desk, and does it hold?

Here: the desks of a ledger, the recorded conflicts of one, the claims that ran out and the leases
that nobody used, deciding every conflict again.
Not here: shares and alarms (watch/), the hash chain (ledger/verify.py).
Sources: SEMANTICS K1, K2, K4, R5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput, LedgerError, did_you_mean
from comity.core.exact import Exact, read_exact
from comity.ledger import Ledger
from comity.ledger.entry import Entry
from comity.mechanisms.arbitration import Conflict, Policy
from comity.mechanisms.arbitration.choosing import tidy
from comity.protocols.claims import Books, DeskRules, Event, conflict_of, desk_rules_from_json
from comity.protocols.claims.events import (
    CLAIMED,
    CLOCK,
    CONFLICT,
    ENDED,
    HANDED,
    OPENED,
    RENEWED,
    STATE,
    WITHDRAWN,
)
from comity.protocols.claims.giving import next_oldest
from comity.protocols.claims.listings import Listings
from comity.protocols.claims.standing import claim_of, length_faults
from comity.runner.desk_log import desks, scope_of

__all__ = [
    "History",
    "TurnedAway",
    "Wounded",
    "conflict_at",
    "decided_again",
    "desks",
    "handed_as_conflict",
    "history",
]

_LATER = (
    "tallies",
    "unseen",
    "elsewhere",
    "listings",
    "clocks",
)  # of a state: not in those written by early versions


class TurnedAway(NamedTuple):
    """A claim that ran out while it waited.

    Attributes:
        at: when it ran out was noticed, in seconds since 1970.
        resource: what it was for.
        agent: whose it was.
        holders: who held it meanwhile, sorted; nobody while claims still gathered.
        waited: how long it had waited, in seconds; None where that was not recorded.
    """

    at: Exact
    resource: str
    agent: str
    holders: tuple[str, ...]
    waited: Exact | None


class Wounded(NamedTuple):
    """A lease that an older claimant has taken (``wound_wait``).

    Attributes:
        at: when, in seconds since 1970.
        resource: what was held.
        agent: who lost it.
        by: who took it; None where that was not recorded.
    """

    at: Exact
    resource: str
    agent: str
    by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The recorded conflicts of one desk.

    Attributes:
        desk: its name.
        conflicts: in order, each with its time at the desk (that of its entry, where early
            versions kept none), in seconds since 1970. A thing handed to the oldest
            (``wound_wait``) is one whose number is minus its token: it counts in no scope's row
            of conflicts.
        policy: the policy of the desk now; None where it decided no conflict: all were decided
            elsewhere or handed to the oldest.
        policies: for each of ``conflicts`` the policy that decided it; None for one that was
            decided elsewhere or handed to the oldest.
        wounded: leases that older claimants have taken, in order.
        elsewhere: how many conflicts were decided elsewhere.
        handed: how many were handed to the oldest.
        unused: places in ``conflicts`` of wins that nobody picked up: their claimant had ended, or
            never asked again, and the lease ran out.
        turned_away: claims that ran out while they waited, in order.
    """

    desk: str
    conflicts: tuple[Conflict, ...]
    policy: Policy | None
    policies: tuple[Policy | None, ...] = ()
    wounded: tuple[Wounded, ...] = ()
    elsewhere: int = 0
    handed: int = 0
    unused: tuple[int, ...] = ()
    turned_away: tuple[TurnedAway, ...] = ()


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
    decided = [one for one in entries if one.kind in {CONFLICT, HANDED}]
    handed = sum(one.kind == HANDED for one in decided)
    elsewhere = sum(one.kind == CONFLICT and one.body.get("seed") is None for one in decided)
    is_ours = len(decided) > handed + elsewhere
    over = [one for one in entries if one.kind == ENDED and one.body.get("why") == "wounded"]
    return History(
        desk=name,
        conflicts=_conflicts(decided),
        policy=rules.policy if is_ours or not decided else None,
        policies=_policies(entries),
        wounded=tuple(_wounded(one) for one in over),
        elsewhere=elsewhere,
        handed=handed,
        unused=_unused(entries, decided),
        turned_away=tuple(
            _turned_away(one)
            for one in entries
            if one.kind == WITHDRAWN and one.body.get("why") == "lapsed"
        ),
    )


def _policies(entries: Iterable[Entry]) -> tuple[Policy | None, ...]:
    """Return for each decision the policy in force, where that decided it."""
    found: list[Policy | None] = []
    policy = DeskRules().policy
    for one in entries:
        body: Any = one.body
        if one.kind == OPENED:
            policy = desk_rules_from_json(body["rules"]).policy
        elif one.kind == HANDED:
            found.append(None)
        elif one.kind == CONFLICT:
            found.append(None if body.get("seed") is None else policy)
    return tuple(found)


def conflict_at(ledger: Ledger, name: str, seq: int) -> Conflict:
    """Return the conflict of one entry whole: also one that keeps only what has changed.

    Args:
        ledger: where it is kept.
        name: the desk's.
        seq: the entry's.

    Raises:
        InvalidInput: when there is no such conflict, or an entry before it cannot have happened.

    Example:
        >>> from comity.ledger import open_ledger
        >>> from comity.runner.arbiter import Arbiter
        >>> with open_ledger(":memory:") as ledger:
        ...     _ = Arbiter(ledger).decide([("a", 3), ("b", 1)])
        ...     conflict_at(ledger, "claims", 2).marks
        (0, 0)
    """
    books = Books(DeskRules())
    for one in _entries(ledger, name):
        if one.seq == seq and one.kind == CONFLICT:
            body: Any = one.body
            told = conflict_of(body, books.listings)
            if body["seed"] is None:
                return told
            return books.decide(
                told.claims, told.resource, reading=told.at, seed=str(body["seed"])
            )
        books.apply(one.kind, one.body)
    what = f"has no conflict as entry {seq}"
    raise InvalidInput(
        Fault(f"desk {name!r}", what, "an entry of a conflict", "look at the record")
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
        ours = books.to_json()
        counts = {name: ours[name] for name in _LATER}
        same = digest(ours) == digest({**counts, **entry.body})
        return "" if same else "the state is not what the entries before it lead to"
    body: Any = entry.body
    try:
        told = _mistimed(books, entry) or _misgiven(books, entry)
        if told:
            return told
        if entry.kind != CONFLICT or body["seed"] is None:
            books.apply(entry.kind, body)
            return ""
        return _decided_differently(books, body)
    except InvalidInput as error:
        return f"{error.faults[0].whose} {error.faults[0].what}"
    except (AttributeError, LookupError, TypeError, ValueError):
        return f"it is no {entry.kind}"


def _mistimed(books: Books, entry: Entry) -> str:
    """Return what is wrong with the time of an event, or ""."""
    body: Any = entry.body
    at_ms = body.get("at_ms", body.get("since_ms") if entry.kind == CLAIMED else None)
    if at_ms is None or (entry.kind == CLOCK and body.get("sets")):
        return ""
    last = books.clocks.last
    if not books.clocks.offsets:  # early versions noted no clocks, and when claims were made alone
        last = None if entry.kind == CLAIMED else books.leases.clock
    if last is not None and at_ms < last:
        return f"it happened at {at_ms}, before {last}, when the desk had got to"
    furthest = entry.at_ms + max(books.clocks.offsets.values(), default=0)
    latest = books.now(furthest)
    if at_ms > latest and entry.kind != CLOCK:
        return f"it happened at {at_ms}, after {latest}, when it was written"
    return ""


def _misgiven(books: Books, entry: Entry) -> str:
    """Return what is wrong with who got what for how long, and when it ended, or ""."""
    body: Any = entry.body
    if entry.kind == HANDED:
        agent, oldest = body["agent"], next_oldest(books, body["resource"])
        if agent != oldest:
            return f"{body['resource']} goes to {oldest}, recorded {agent}"
        return _lease_differs(books, body, agent, body["until_ms"])
    if entry.kind == CONFLICT and "leases" in body:
        if body["seed"] is None:
            return f"it gives out {body['resource']}, and has no seed"
        wrong = (_lease_differs(books, body, one[0], one[2]) for one in body["leases"])
        return next(filter(None, wrong), "")
    return _misshapen(entry) or _ended_early(books, entry)


def _misshapen(entry: Entry) -> str:
    """Return which length of time nobody can have asked for, or ""."""
    body: Any = entry.body
    lengths: tuple[object, ...] = ()
    if entry.kind == RENEWED:
        lengths = (body["lease_ms"],)
    elif entry.kind == CLAIMED:
        lengths = (body["until_ms"] - body["since_ms"], body["lease_ms"])
    if any(length_faults("length", one) for one in lengths):
        return f"it lasts for {' and '.join(map(str, lengths))} ms"
    return ""


def _ended_early(books: Books, entry: Entry) -> str:
    """Return that a lease or a claim ran out before its time, or ""."""
    body: Any = entry.body
    due_ms: int | None = None
    if entry.kind == ENDED and body["why"] == "expired":
        due_ms = books.when(("lease", body["token"]))
    elif entry.kind == WITHDRAWN and body["why"] == "lapsed":
        due_ms = books.when(("claim", body["number"]))
    if due_ms is not None and body["at_ms"] < due_ms:
        return f"it ran out at {body['at_ms']}, and was to last until {due_ms}"
    return ""


def _lease_differs(books: Books, body: Any, agent: str, until_ms: int) -> str:  # noqa: ANN401  # JSON
    """Return how a lease differs from what its claim asked for, or ""."""
    one = books.waiting.get(body["resource"], {}).get(agent)
    if one is None or until_ms == body["at_ms"] + one.lease_ms:
        return ""  # without a claim it cannot be taken in at all
    ours = body["at_ms"] + one.lease_ms
    return f"the lease of {agent} on {one.resource} runs until {ours}, recorded {until_ms}"


def _decided_differently(books: Books, body: Any) -> str:  # noqa: ANN401  # JSON
    """Decide a conflict as if it happened now; return what differs, or ""."""
    told = conflict_of(body, books.listings)
    if "leases" in body:
        waiting = books.waiting.get(told.resource, {})
        stand = tuple(claim_of(one, books.rules) for _, one in sorted(waiting.items()))
        if told.claims != stand:
            return f"the claims on {told.resource} are {stand}, recorded {told.claims}"
    again = books.decide(told.claims, told.resource, reading=told.at, seed=str(body["seed"]))
    counted = ("marks",) if "claims" in body else ()  # else the state alone has them
    for name in ("number", *counted, "stages", "winners"):
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


def _conflicts(decided: Iterable[Entry]) -> tuple[Conflict, ...]:
    """Return what was decided, each with all claims again."""
    listings = Listings()
    return tuple([_conflict(one, listings) for one in decided])


def _conflict(entry: Entry, listings: Listings) -> Conflict:
    """Return what was decided, with its time."""
    try:
        if entry.kind == CONFLICT:
            conflict = conflict_of(entry.body, listings)
            listings.note(entry.body)
        else:
            conflict = handed_as_conflict(entry.body)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise _no(entry, "conflict") from error
    return conflict._replace(at=_seconds(_at_ms(entry)))


def handed_as_conflict(body: Any) -> Conflict:  # noqa: ANN401  # JSON
    """Return a hand-over as a conflict; priorities are 0 where they were not recorded.

    Args:
        body: of its entry.

    Example:
        >>> handed_as_conflict(
        ...     {"agent": "a", "token": 3, "resource": "x", "ages": [["a", 1]]}
        ... ).number
        -3
    """
    agent = body["agent"]
    told = body.get("claims") or [[name, 0] for name, _ in body["ages"]]
    claims = tuple((str(name), read_exact(one, "hand-over", "priority")) for name, one in told)
    return Conflict(-body["token"], body["resource"], claims, stages=((agent,),), winners=(agent,))


def _unused(entries: Iterable[Entry], decided: Sequence[Entry]) -> tuple[int, ...]:
    """Return which decisions gave a lease that nobody picked up."""
    tokens = {one.body["token"] for one in entries if one.kind == ENDED and "unused" in one.body}
    return tuple(
        place
        for place, one in enumerate(decided)
        if any(token in tokens for token in _tokens(one.body))
    )


def _tokens(body: Any) -> list[int]:  # noqa: ANN401  # JSON
    """Return the tokens of the leases that came with a decision."""
    if "token" in body:
        return [body["token"]]
    return [token for _, token, _ in body.get("leases", ())]


def _turned_away(entry: Entry) -> TurnedAway:
    body: Any = entry.body
    try:
        waited = body.get("waited_ms")
        return TurnedAway(
            _seconds(_at_ms(entry)),
            body["resource"],
            body["agent"],
            tuple(body.get("holders", ())),
            None if waited is None else _seconds(waited),
        )
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise _no(entry, "claim that ran out") from error


def _wounded(entry: Entry) -> Wounded:
    body: Any = entry.body
    at = _seconds(_at_ms(entry))
    return Wounded(at, body["resource"], body["agent"], body.get("by"))


def _at_ms(entry: Entry) -> int:
    """Return when something happened at the desk; when it was written, where that is not kept."""
    at_ms = entry.body.get("at_ms")
    return at_ms if type(at_ms) is int else entry.at_ms


def _seconds(at_ms: int) -> Exact:
    return tidy(Fraction(at_ms, 1000))


def _no(entry: Entry, what: str) -> LedgerError:
    step = "run verify; restore a copy if it is not whole"
    where = f"entry {entry.seq} of {entry.scope}"
    return LedgerError(Fault(where, f"is no {what}", "a whole record", step))
