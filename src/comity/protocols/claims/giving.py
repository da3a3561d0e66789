"""Giving: who gets what is free, and who has to give something up?

Here: giving out free units one by one, the waits that a new lease would close into a circle, what
an older claimant takes, the hand-over to the oldest; leases and claims that end, as events.
Not here: the requests (desk.py), what an event changes (books.py).
Sources: SEMANTICS R1, R2, L1, L2; Rosenkrantz, Stearns and Lewis 1978 (wound-wait).

Times are milliseconds.
"""

from __future__ import annotations

from fractions import Fraction

from comity.core.canonical import Json, JsonObject, plain
from comity.core.exact import Exact
from comity.mechanisms.arbitration import Lease
from comity.mechanisms.deadlock import hand_over, judge_wait
from comity.protocols.claims.books import Books
from comity.protocols.claims.circles import circle_of
from comity.protocols.claims.events import (
    CONFLICT,
    ENDED,
    HANDED,
    REFUSED,
    WITHDRAWN,
    Event,
    conflict_body,
)
from comity.protocols.claims.standing import Standing, claim_of

__all__ = [
    "ended",
    "give",
    "has_had_turn",
    "next_oldest",
    "reading_at",
    "refused",
    "turned_away",
    "withdrawn",
    "wound",
    "yielded",
]


def reading_at(books: Books, now: int) -> Exact | None:
    """Return the clock in seconds for a rule that looks at it, else None.

    Args:
        books: what the desk knows.
        now: the time that counts.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> reading_at(Books(DeskRules()), 1500) is None
        True
    """
    return Fraction(now, 1000) if books.rules.policy.rule == "hours" else None


def give(
    books: Books, resource: str, *, now: int, seed: str, asking: int | None = None
) -> list[Event]:
    """Give what is free of a resource to who is next, unit by unit.

    Args:
        books: what the desk knows; it is changed.
        resource: what is free, perhaps.
        now: the time that counts.
        seed: the seed of the lots.
        asking: the number of the claim that is being made: its claimant hears of its lease now,
            the others later or never.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> give(Books(DeskRules()), "gpu", now=0, seed="7")
        []
    """
    events: list[Event] = []
    while (gathered_ms := books.gathered_ms(resource)) is not None and gathered_ms <= now:
        if books.rules.circles == "wound_wait":
            events.append(books.happen(_handed(books, resource, now, asking)))
            continue
        waiting = books.waiting[resource]
        claims = [claim_of(one, books.rules) for _, one in sorted(waiting.items())]
        conflict = books.decide(claims, resource, reading=reading_at(books, now), seed=seed)
        (winner,) = conflict.winners
        lease = (winner, books.leases.last_token + 1, now + waiting[winner].lease_ms)
        body: dict[str, Json] = dict(
            conflict_body(conflict, seed=seed, leases=(lease,), listings=books.listings)
        )
        body["at_ms"] = now
        if waiting[winner].number != asking:
            body["told"] = False
        events.append(books.happen(Event(CONFLICT, body)))
        events += _open_circles(books, winner, now)
    books.due.add(("resource", resource))  # later, where claims still gather
    return events


def _open_circles(books: Books, winner: str, now: int) -> list[Event]:
    """Refuse what a new holder still waits for where its lease has closed a circle."""
    events: list[Event] = []
    for resource in sorted(books.wants.get(winner, ())):
        circle = circle_of(books, winner, resource)
        if circle:
            one = books.waiting[resource][winner]
            events.append(books.happen(refused(one, circle, "granted", now)))
    return events


def wound(books: Books, one: Standing, *, now: int) -> list[Event]:
    """Take a resource from a younger holder.

    Args:
        books: what the desk knows; it is changed.
        one: the claim of who wants it.
        now: the time that counts.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> wound(Books(DeskRules()), Standing(1, "gpu", "a", 3, 0, 9, 9), now=0)
        []
    """
    ages = books.ages
    return [
        books.happen(ended(books, lease, "wounded", now, by=one.agent))
        for lease in books.held(one.resource)
        if judge_wait("wound_wait", ages[one.agent], ages[lease.holder]) == "wound holder"
    ]


def has_had_turn(books: Books, one: Standing) -> bool:
    """Tell whether an agent has held what it claims once already since it has its age.

    Then its claim counts as a young one (``wound_wait``): else who always holds or wants something
    else stayed the oldest for ever, and took the thing from everybody each time. An agent from
    which something was taken keeps its age until it wins.

    Args:
        books: what the desk knows.
        one: the claim that is made.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> has_had_turn(Books(DeskRules()), Standing(1, "gpu", "a", 3, 0, 9, 9))
        False
    """
    fate, age = books.fates.get((one.resource, one.agent)), books.ages.get(one.agent)
    if fate is None or age is None or one.agent in books.victims:
        return False
    return fate.status == "ended" and fate.number >= age


def yielded(books: Books, agent: str, *, now: int, seed: str) -> list[Event]:
    """Take from an agent that has become young what it holds and an older one waits for.

    Args:
        books: what the desk knows; it is changed.
        agent: who has become young.
        now: the time that counts.
        seed: the seed of the lots that this may need.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> yielded(Books(DeskRules()), "a", now=0, seed="7")
        []
    """
    held = [one.resource for one in books.leases.leases if one.holder == agent]
    waits = sorted(one for name in held for one in books.waiting.get(name, {}).values())
    events = [event for one in waits for event in wound(books, one, now=now)]
    for resource in sorted({str(one.body["resource"]) for one in events}):
        events += give(books, resource, now=now, seed=seed)
    return events


def next_oldest(books: Books, resource: str) -> str | None:
    """Return who has waited longest of those who wait for a resource, or None.

    Args:
        books: what the desk knows.
        resource: what they wait for.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> next_oldest(Books(DeskRules()), "gpu") is None
        True
    """
    return hand_over(
        "wound_wait", {one: books.ages[one] for one in books.waiting.get(resource, ())}
    )


def _handed(books: Books, resource: str, now: int, asking: int | None) -> Event:
    """Return that the oldest waiter gets a resource."""
    waiting = books.waiting[resource]
    agent = next_oldest(books, resource)
    assert agent is not None  # somebody waits
    stand = sorted(waiting.items())
    body: dict[str, Json] = {
        "resource": resource,
        "agent": agent,
        "token": books.leases.last_token + 1,
        "until_ms": now + waiting[agent].lease_ms,
        "at_ms": now,
        "rule": "wound_wait",
        "ages": [[name, books.ages[name]] for name, _ in stand],
        "claims": [[name, plain(one.priority)] for name, one in stand],
    }
    if waiting[agent].number != asking:
        body["told"] = False
    return Event(HANDED, body)


def ended(books: Books, lease: Lease, why: str, now: int, *, by: str | None = None) -> Event:
    """Return that a lease is over.

    Args:
        books: what the desk knows.
        lease: the lease.
        why: ``released``, ``expired`` or ``wounded``.
        now: the time that counts.
        by: who took it, when it was wounded.
    """
    body: dict[str, Json] = {
        "number": books.fates[lease.resource, lease.holder].number,
        "resource": lease.resource,
        "agent": lease.holder,
        "token": lease.token,
        "why": why,
        "at_ms": now,
    }
    if lease.token in books.unseen and why != "released":
        body["unused"] = True
    if by is not None:
        body["by"] = by
    return Event(ENDED, body)


def withdrawn(one: Standing, now: int) -> Event:
    """Return that a claim is withdrawn by its claimant.

    Args:
        one: the claim.
        now: the time that counts.

    Example:
        >>> withdrawn(Standing(1, "gpu", "a", 3, 0, 9, 9), 9).body["why"]
        'withdrawn'
    """
    return Event(WITHDRAWN, _over(one, "withdrawn", now))


def turned_away(books: Books, one: Standing, now: int) -> Event:
    """Return that a claim has run out while it waited, and who held what it waited for.

    Args:
        books: what the desk knows, before anything that is due has happened.
        one: the claim.
        now: the time that counts.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> one = Standing(1, "gpu", "a", 3, 0, 9, 9)
        >>> turned_away(Books(DeskRules()), one, 9).body["waited_ms"]
        9
    """
    body: JsonObject = {
        **_over(one, "lapsed", now),
        "holders": sorted(lease.holder for lease in books.held(one.resource)),
        "waited_ms": one.until_ms - one.since_ms,
    }
    return Event(WITHDRAWN, body)


def _over(one: Standing, why: str, now: int) -> JsonObject:
    """Return what is kept of every claim that waits no more."""
    return {
        "number": one.number,
        "resource": one.resource,
        "agent": one.agent,
        "why": why,
        "at_ms": now,
    }


def refused(one: Standing, cycle: tuple[str, ...], why: str, now: int) -> Event:
    """Return that a claim may not wait.

    Args:
        one: the claim.
        cycle: the circle that its wait closes.
        why: ``claimed``: as soon as it was made; ``granted``: because of what its agent won since.
        now: the time that counts.

    Example:
        >>> refused(Standing(1, "x", "a", 3, 0, 9, 9), ("a", "b"), "claimed", 9).kind
        'refused'
    """
    body: JsonObject = {
        "number": one.number,
        "resource": one.resource,
        "agent": one.agent,
        "cycle": list(cycle),
        "why": why,
        "at_ms": now,
    }
    return Event(REFUSED, body)
