"""Desk: what does each request at a desk lead to?

Here: claim, withdraw, release, renew, decide at once, take in what was decided elsewhere; each
turns a request and the time into events and an answer.
Not here: what an event changes (books.py), the clock, seeds and commits (runner/arbiter.py).
Sources: SEMANTICS R1, R2, R7, L1, L2; ARCHITECTURE contract 2.

A request looks at everything before it changes anything: one that raises has changed nothing.
Times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.errors import raise_if
from comity.core.exact import Exact
from comity.mechanisms.arbitration import Conflict, Lease
from comity.mechanisms.arbitration.claims import read_claims
from comity.mechanisms.deadlock import hand_over, judge_wait
from comity.protocols.claims.answers import Answer
from comity.protocols.claims.books import Books
from comity.protocols.claims.circles import circle_of
from comity.protocols.claims.events import (
    CLAIMED,
    CONFLICT,
    ENDED,
    HANDED,
    REFUSED,
    RENEWED,
    WITHDRAWN,
    Event,
    conflict_body,
)
from comity.protocols.claims.rules import DeskRules
from comity.protocols.claims.standing import (
    Standing,
    Wanted,
    claim_of,
    length_faults,
    name_faults,
    read_wanted,
)
from comity.protocols.claims.telling import answer_of, refusal_of

__all__ = ["Asked", "Desk"]

Asked = tuple[list[Event], Answer]


class Desk:
    """Exclusive things, the claims on them and the leases that run.

    Args:
        rules: how it works.
        books: where to go on; empty books when left out.

    Example:
        >>> desk = Desk(DeskRules())
        >>> desk.claim(Wanted("gpu", "a", 1), now_ms=0, seed="1")[1].says
        'a holds gpu under token 1.'
        >>> desk.claim(Wanted("gpu", "b", 3), now_ms=1, seed="2")[1].status
        'waiting'
        >>> [event.kind for event in desk.release("gpu", 1, now_ms=9, seed="3")[0]]
        ['ended', 'conflict']
        >>> desk.look("gpu", "b").token
        2
    """

    __slots__ = ("books",)

    def __init__(self, rules: DeskRules, books: Books | None = None) -> None:
        """Keep the books."""
        self.books = Books(rules) if books is None else books

    def claim(self, wanted: Wanted, *, now_ms: int, seed: str) -> Asked:
        """Claim a resource: it is won at once, or the claim stands.

        Whoever holds it already, or waits for it already, is told so again.

        Args:
            wanted: who claims what.
            now_ms: the time.
            seed: the seed of the lots that this request may need.

        Returns:
            What happened, and the answer.

        Raises:
            InvalidInput: with every fault at once.
        """
        books = self.books
        read = read_wanted(wanted, books.rules, books.engine)
        resource, agent = read.resource, read.agent
        events = self.advance(now_ms=now_ms, seed=seed)
        is_held = any(one.holder == agent for one in books.held(resource))
        if is_held or agent in books.waiting.get(resource, {}):
            return events, answer_of(books, resource, agent)
        now = books.now(now_ms)
        one = read._replace(number=books.made + 1, since_ms=now, until_ms=now + read.until_ms)
        circle = circle_of(books, agent, resource) if books.rules.circles == "refuse" else ()
        if circle:
            events.append(books.happen(_refused(one, circle, now)))
            return events, answer_of(books, resource, agent)
        events.append(books.happen(Event(CLAIMED, one.to_json())))
        if books.rules.circles == "wound_wait":
            events += _wound(books, one, now)
        events += _give(books, resource, now, seed)
        return events, answer_of(books, resource, agent)

    def withdraw(self, resource: str, agent: str, *, now_ms: int, seed: str) -> Asked:
        """Stop waiting; losses stay as they are.

        Args:
            resource: what was claimed.
            agent: who no longer wants it.
            now_ms: the time.
            seed: the seed of the lots that this request may need.
        """
        raise_if(name_faults({"resource": resource, "agent": agent}))
        books = self.books
        events = self.advance(now_ms=now_ms, seed=seed)
        one = books.waiting.get(resource, {}).get(agent)
        if one is not None:
            events.append(books.happen(_withdrawn(one, "withdrawn", books.now(now_ms))))
        return events, answer_of(books, resource, agent)

    def release(self, resource: str, token: int, *, now_ms: int, seed: str) -> Asked:
        """End a lease; who is next wins it at once.

        Args:
            resource: what is held.
            token: the token of the lease.
            now_ms: the time.
            seed: the seed of the lots that this request may need.
        """
        books = self.books
        events = self.advance(now_ms=now_ms, seed=seed)
        lease = _lease(books, resource, token)
        if lease is None:
            return events, refusal_of(books, resource, token)
        now = books.now(now_ms)
        events.append(books.happen(_ended(lease, "released", now)))
        events += _give(books, resource, now, seed)
        return events, answer_of(books, resource, lease.holder)

    def renew(
        self, resource: str, token: int, *, now_ms: int, seed: str, lease_ms: int | None = None
    ) -> Asked:
        """Let a running lease run on from now; its token stays.

        Args:
            resource: what is held.
            token: the token of the lease.
            now_ms: the time.
            seed: the seed of the lots that this request may need.
            lease_ms: for how long; as long as the rules say when left out.

        Raises:
            InvalidInput: for a length that is none.
        """
        books = self.books
        length = books.rules.lease_ms if lease_ms is None else lease_ms
        raise_if(length_faults("lease_ms", length))
        events = self.advance(now_ms=now_ms, seed=seed)
        lease = _lease(books, resource, token)
        if lease is None:
            return events, refusal_of(books, resource, token)
        at_ms = books.now(now_ms)
        body: JsonObject = {
            "resource": resource,
            "token": token,
            "lease_ms": length,
            "at_ms": at_ms,
        }
        events.append(books.happen(Event(RENEWED, body)))
        return events, answer_of(books, resource, lease.holder)

    def decide(
        self, resource: str, claims: object, *, now_ms: int, seed: str
    ) -> tuple[list[Event], Conflict]:
        """Decide claims that are all handed in at once; no lease comes with it.

        Args:
            resource: what is claimed.
            claims: (agent, priority) pairs, names of declared agents, or a mapping.
            now_ms: the time.
            seed: the seed of the lots.

        Returns:
            What happened, and the conflict.

        Raises:
            InvalidInput: with every fault at once.
        """
        raise_if(name_faults({"resource": resource}))
        engine = self.books.engine
        engine.reseed(seed)
        conflict = engine.conflict(self._exact(claims), resource, self._reading(now_ms))
        return [Event(CONFLICT, conflict_body(conflict, seed=seed))], conflict

    def record(
        self,
        resource: str,
        claims: object,
        winners: Iterable[str],
    ) -> tuple[list[Event], Conflict]:
        """Take in a conflict that was decided elsewhere, as it was decided.

        Args:
            resource: what was claimed.
            claims: as for :meth:`decide`.
            winners: who won.

        Returns:
            What happened, and the conflict.

        Raises:
            InvalidInput: with every fault at once; also for a winner that did not claim.
        """
        raise_if(name_faults({"resource": resource}))
        engine = self.books.engine
        won = tuple(dict.fromkeys(winners))
        conflict = Conflict(
            engine.scope(resource).conflicts + 1,
            resource,
            tuple(self._exact(claims)),
            stages=tuple((agent,) for agent in won),
            winners=won,
        )
        engine.take(conflict)
        return [Event(CONFLICT, conflict_body(conflict, seed=None))], conflict

    def advance(self, *, now_ms: int, seed: str) -> list[Event]:
        """Let leases and claims run out, and give what is free to who is next.

        Args:
            now_ms: the time.
            seed: the seed of the lots that this may need.

        Returns:
            What happened.
        """
        books = self.books
        now = books.now(now_ms)
        waiting = sorted(one for each in books.waiting.values() for one in each.values())
        over = [
            *(_ended(one, "expired", now) for one in books.leases.at(now).expired),
            *(_withdrawn(one, "lapsed", now) for one in waiting if one.until_ms <= now),
        ]
        events = [books.happen(event) for event in over]
        for resource in sorted(books.waiting):
            events += _give(books, resource, now, seed)
        return events

    def due_ms(self) -> int | None:
        """Return when something happens by itself, or None when nothing will."""
        books = self.books
        ends = [int(one.until) for one in books.leases.leases]
        for resource, waiting in books.waiting.items():
            ends += [one.until_ms for one in waiting.values()]
            if books.free(resource):
                since = min(one.since_ms for one in waiting.values())
                ends.append(since + books.rules.gather_ms)
        return min(ends, default=None)

    def look(self, resource: str, agent: str, number: int | None = None) -> Answer:
        """Return what has become of an agent's claim on a resource.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: which of its claims; the latest when left out.
        """
        return answer_of(self.books, resource, agent, number)

    def _exact(self, claims: object) -> list[tuple[Any, ...]]:
        """Return claims with exact numbers only, pairs where they say no more."""
        policy = self.books.rules.policy
        declared = dict(policy.priorities) or None
        read = read_claims(claims, declared, may_differ=policy.per_claim is not False).claims
        return [one if one.at is not None or one.bid is not None else one[:2] for one in read]

    def _reading(self, now_ms: int) -> Exact | None:
        return _reading(self.books, self.books.now(now_ms))


def _reading(books: Books, now_ms: int) -> Exact | None:
    """Return the clock in seconds for a rule that looks at it."""
    return Fraction(now_ms, 1000) if books.rules.policy.rule == "hours" else None


def _give(books: Books, resource: str, now: int, seed: str) -> list[Event]:
    """Give what is free of a resource to who is next, unit by unit."""
    events: list[Event] = []
    rules = books.rules
    while waiting := books.waiting.get(resource):
        since = min(one.since_ms for one in waiting.values())
        if not books.free(resource) or now < since + rules.gather_ms:
            break
        if rules.circles == "wound_wait":
            events.append(books.happen(_hand_over(books, resource, now)))
            continue
        books.engine.reseed(seed)
        claims = [claim_of(one, rules) for _, one in sorted(waiting.items())]
        conflict = books.engine.conflict(claims, resource, _reading(books, now))
        (winner,) = conflict.winners
        lease = (winner, books.leases.last_token + 1, now + waiting[winner].lease_ms)
        body = {**conflict_body(conflict, seed=seed, leases=(lease,)), "at_ms": now}
        events.append(books.happen(Event(CONFLICT, body)))
        events += _open_circles(books, winner, now)
    return events


def _open_circles(books: Books, winner: str, now: int) -> list[Event]:
    """Refuse what a new holder still waits for where its lease has closed a circle."""
    events: list[Event] = []
    for _, waiting in sorted(books.waiting.items()):
        if winner in waiting and (circle := circle_of(books, winner)):
            events.append(_refused(waiting[winner], circle, now))
    return [books.happen(event) for event in events]


def _wound(books: Books, one: Standing, now: int) -> list[Event]:
    """Take a resource from a younger holder."""
    ages = books.ages
    return [
        books.happen(_ended(lease, "wounded", now))
        for lease in books.held(one.resource)
        if judge_wait("wound_wait", ages[one.agent], ages[lease.holder]) == "wound holder"
    ]


def _hand_over(books: Books, resource: str, now: int) -> Event:
    """Return that the oldest waiter gets a resource."""
    waiting = books.waiting[resource]
    agent = hand_over("wound_wait", {one: books.ages[one] for one in waiting})
    assert agent is not None  # somebody waits
    body: JsonObject = {
        "resource": resource,
        "agent": agent,
        "token": books.leases.last_token + 1,
        "until_ms": now + waiting[agent].lease_ms,
        "at_ms": now,
        "rule": "wound_wait",
        "ages": [[one, books.ages[one]] for one in sorted(waiting)],
    }
    return Event(HANDED, body)


def _lease(books: Books, resource: str, token: int) -> Lease | None:
    return next((one for one in books.held(resource) if one.token == token), None)


def _ended(lease: Lease, why: str, now: int) -> Event:
    body: JsonObject = {
        "resource": lease.resource,
        "agent": lease.holder,
        "token": lease.token,
        "why": why,
        "at_ms": now,
    }
    return Event(ENDED, body)


def _withdrawn(one: Standing, why: str, now: int) -> Event:
    body: JsonObject = {
        "number": one.number,
        "resource": one.resource,
        "agent": one.agent,
        "why": why,
        "at_ms": now,
    }
    return Event(WITHDRAWN, body)


def _refused(one: Standing, cycle: tuple[str, ...], now: int) -> Event:
    body: JsonObject = {
        "number": one.number,
        "resource": one.resource,
        "agent": one.agent,
        "cycle": list(cycle),
        "at_ms": now,
    }
    return Event(REFUSED, body)
