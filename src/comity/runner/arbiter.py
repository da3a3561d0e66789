"""Arbiter: where agents of many processes claim exclusive things.

Here: the requests by name, each durable when it is answered and counted once however often it is
sent.
Not here: a claim as a context manager (claim.py), what a request leads to, and what it is told
that comes again (protocols/claims), how it is kept (desk_log.py), several resources at once
(acquiring.py), reading the record (claims_record.py).
Sources: SEMANTICS R1, R2, R7, G4; ENGINE 8.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from comity.core.errors import Fault, raise_if, shown
from comity.ledger import Ledger, open_ledger
from comity.mechanisms.arbitration import Conflict, Policy
from comity.protocols.claims import (
    Answer,
    Books,
    DeskRules,
    Event,
    Wanted,
    claim_again,
    conflict_again,
    release_again,
    words_of,
)
from comity.protocols.claims.events import CONFLICT
from comity.runner.claim import Claim
from comity.runner.claims_record import conflict_at
from comity.runner.clock import Clock, RealClock
from comity.runner.desk_log import DeskLog, Done, desk_name_fault

__all__ = ["Arbiter", "Claim", "ask_for", "new_seed"]

T = TypeVar("T")


def new_seed() -> str:
    """Return 128 random bits in hex, drawn after the claims are in (SEMANTICS G4)."""
    return secrets.token_hex(16)


class Arbiter:
    """A desk where agents of many processes claim exclusive things.

    Args:
        db: the ledger, or its path or URL.
        rules: how the desk works, or its policy; a desk that is there already keeps the rules it
            has, and refuses to be opened with others.
        name: the desk's name in the ledger.
        clock: what time it is.
        seeds: where the seeds of lots come from.
        create: whether the desk, and the ledger, may be made.

    Raises:
        InvalidInput: for other rules than the desk has, and for a desk that is not there.

    Example:
        >>> with Arbiter(":memory:", Policy(c=2)) as arbiter:
        ...     with arbiter.claim("gpu", agent="a", priority=3) as claim:
        ...         claim.token
        1
    """

    def __init__(
        self,
        db: Ledger | str | Path = "comity.db",
        rules: DeskRules | Policy | None = None,
        *,
        name: str = "claims",
        clock: Clock | None = None,
        seeds: Callable[[], str] = new_seed,
        create: bool = True,
    ) -> None:
        """Open the desk, or join it."""
        fault = desk_name_fault(name)
        faults = [] if fault is None else [fault]
        opening = None if rules is None else _read_rules(rules, faults)
        raise_if(faults)
        self.name = name
        self.clock = clock or RealClock()
        self._owns = isinstance(db, (str, Path))
        self.ledger: Ledger = open_ledger(db, create=create) if isinstance(db, (str, Path)) else db
        self.seeds = seeds
        self.log = DeskLog(self.ledger, name, self.clock, seeds)
        try:
            self.log.open(opening, create=create)
        except BaseException:
            self.close()
            raise

    def claim(
        self,
        resource: str,
        *,
        agent: str,
        priority: object = None,
        lease_ms: int | None = None,
        timeout_ms: int | None = None,
        request_id: str | None = None,
    ) -> Claim:
        """Claim a resource; the claim is on disk when this returns.

        Args:
            resource: what is claimed.
            agent: who claims: a stable name, the same in every run.
            priority: how urgent it is; the declared priority, else 0, when left out.
            lease_ms: how long it wants to hold it; as the rules say when left out.
            timeout_ms: how long it waits for it; as the rules say when left out.
            request_id: the same for every retry of one request, so that it counts once.

        Returns:
            The claim, won or waiting; ``with`` waits for it and gives it back.

        Raises:
            InvalidInput: with every fault at once.
            ClaimNotGranted: while an earlier claim of the same agent on the same resource waits
                or holds, unless it is this request that comes again.
        """
        wanted = Wanted(resource, agent, priority, lease_ms, timeout_ms)  # type: ignore[arg-type]  # the desk reads it
        answer = ask_for(self, wanted, request_id)
        return Claim(self, answer, timeout_ms)

    def release(self, resource: str, token: int, *, request_id: str | None = None) -> Answer:
        """End a lease; who is next wins it at once.

        Args:
            resource: what is held.
            token: the token of the lease.
            request_id: the same for every retry.

        Returns:
            How the lease stands: its status is ``ended``; ``successors`` are who won it next.

        Raises:
            InvalidInput: with every fault at once; not for a lease that is over.
        """
        words = words_of("release", resource, token) if request_id is not None else ""
        done = self.log.ask(
            lambda desk, now: self.log.time.told_of(
                desk, desk.release(resource, token, now_ms=now, seed=self.seeds())
            ),
            request_id,
            words,
        )
        if done.answer is not None:
            return done.answer
        return self.log.see_now(
            lambda desk: self.log.time.told(
                desk, release_again(desk.books, _told(done), resource, token, words)
            )
        )

    def renew(self, resource: str, token: int, *, lease_ms: int | None = None) -> Answer:
        """Let a running lease run on from now; its token stays.

        Args:
            resource: what is held.
            token: the token of the lease.
            lease_ms: for how long; as the rules say when left out.

        Returns:
            How the lease stands: ``granted`` when it was renewed.
        """
        return _answer(
            self.log.ask(
                lambda desk, now: self.log.time.told_of(
                    desk,
                    desk.renew(resource, token, now_ms=now, seed=self.seeds(), lease_ms=lease_ms),
                )
            ).answer
        )

    def withdraw(self, resource: str, agent: str, number: int | None = None) -> Answer:
        """Stop waiting; losses stay as they are.

        Args:
            resource: what was claimed.
            agent: who no longer wants it.
            number: which of its claims; the one that waits when left out.
        """
        return _answer(
            self.log.ask(
                lambda desk, now: self.log.time.told_of(
                    desk, desk.withdraw(resource, agent, number, now_ms=now, seed=self.seeds())
                )
            ).answer
        )

    def decide(
        self, claims: object, resource: str = "resource", *, request_id: str | None = None
    ) -> Conflict:
        """Decide claims that are all handed in at once; no lease comes with it.

        Args:
            claims: (agent, priority) pairs, names of declared agents, or a mapping.
            resource: what is claimed.
            request_id: the same for every retry.

        Returns:
            The conflict as it was decided, on disk.

        Raises:
            InvalidInput: with every fault at once.
        """
        listed = _listed(claims)
        words = words_of("decide", resource, listed) if request_id is not None else ""
        done = self.log.ask(
            lambda desk, now: desk.decide(resource, listed, now_ms=now, seed=self.seeds()),
            request_id,
            words,
        )
        if done.answer is not None:
            return done.answer
        return _conflict_again(self, done, resource, words, decided_here=True)

    def record(
        self,
        claims: object,
        winners: str | Iterable[str],
        resource: str = "resource",
        *,
        request_id: str | None = None,
    ) -> Conflict:
        """Take in a conflict that other code has decided, so that it can be watched.

        Args:
            claims: who claimed with which priority, as for :meth:`decide`.
            winners: who won: one name or several; an empty list when nobody did.
            resource: what was claimed.
            request_id: the same for every retry.

        Returns:
            The conflict, on disk.

        Raises:
            InvalidInput: with every fault at once; also for a winner that did not claim.
        """
        listed, won = _listed(claims), _listed(winners)
        named = [won] if isinstance(won, str) else won
        words = words_of("record", resource, listed, named) if request_id is not None else ""
        done = self.log.ask(
            lambda desk, now: desk.record(resource, listed, won, now_ms=now), request_id, words
        )
        if done.answer is not None:
            return done.answer
        return _conflict_again(self, done, resource, words, decided_here=False)

    def look(self, resource: str, agent: str, number: int | None = None) -> Answer:
        """Return what has become of an agent's claim; what is due by now happens first.

        Whoever looks need not be the claimant, so a lease does not count as picked up by it.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: which of its claims; the latest when left out.
        """
        return self.log.see_now(
            lambda desk: self.log.time.told(desk, desk.look(resource, agent, number))
        )

    def advance(self) -> int | None:
        """Catch up, and let happen what is due by now.

        Returns:
            When something happens next by itself, in milliseconds by the clock here, or None.
        """
        return self.log.see_now(self.log.time.due_ms)

    def look_on(self, resource: str, agent: str, number: int) -> tuple[Answer, int | None]:
        """Tell a claimant what has become of its claim, and when something happens next by itself.

        A lease that it hears of here for the first time is noted as picked up.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: which of its claims.
        """
        answer, due_ms = self.log.see_now(
            lambda desk: (
                self.log.time.told(desk, desk.look(resource, agent, number)),
                self.log.time.due_ms(desk),
            )
        )
        return _picked_up(self, answer), due_ms

    def change(self, rules: DeskRules | Policy) -> None:
        """Give the desk other rules from now on; losses stay where rule and scope stay the same.

        Args:
            rules: the new rules, or their policy.

        Raises:
            InvalidInput: when claims that wait do not fit them.
        """
        faults: list[Fault] = []
        read = _read_rules(rules, faults)
        raise_if(faults)
        self.log.ask(lambda desk, _: (desk.change(read), None))

    @property
    def books(self) -> Books:
        """What the desk knows; for reading only, while no other thread asks it for anything."""
        return self.log.see(lambda desk: desk.books)

    def close(self) -> None:
        """Close the ledger if this object opened it."""
        if self._owns:
            self.ledger.close()

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


def ask_for(arbiter: Arbiter, wanted: Wanted, request_id: str | None = None) -> Answer:
    """Put a claim to a desk for somebody who asks again to hear of it; it is on disk afterwards.

    Args:
        arbiter: where it is claimed.
        wanted: who claims what; an open claim is told to whoever asks again under its name.
        request_id: the same for every retry of one request, so that it counts once.

    Returns:
        The answer; a lease that is told here counts as picked up.

    Raises:
        ComityError: as :meth:`Arbiter.claim`.

    Example:
        >>> with Arbiter(":memory:") as arbiter:
        ...     ask_for(arbiter, Wanted("gpu", "a", is_open=True)).token
        1
    """
    seeds = arbiter.seeds
    lengths = wanted.lease_ms, wanted.claim_ms
    asked = ("claim", wanted.resource, wanted.agent, wanted.priority, *lengths)
    words = words_of(*asked) if request_id is not None else ""
    done = arbiter.log.ask(
        lambda desk, now: arbiter.log.time.told_of(
            desk, desk.claim(wanted, now_ms=now, seed=seeds())
        ),
        request_id,
        words,
    )
    if done.answer is not None:
        return done.answer
    told = _told(done)
    again = arbiter.log.see_now(
        lambda desk: arbiter.log.time.told(
            desk, claim_again(desk.books, told, wanted.resource, wanted.agent, words)
        )
    )
    return _picked_up(arbiter, again)


def _picked_up(arbiter: Arbiter, answer: Answer) -> Answer:
    """Note that a claimant is told of its lease, unless it runs no more or that is known."""
    if not answer.is_granted or answer.picked_up:
        return answer
    resource, agent, number = answer.resource, answer.agent, answer.number
    seeds = arbiter.seeds
    return _answer(
        arbiter.log.ask(
            lambda desk, now: arbiter.log.time.told_of(
                desk, desk.confirm(resource, agent, number, now_ms=now, seed=seeds())
            )
        ).answer
    )


def _read_rules(rules: object, faults: list[Fault]) -> DeskRules:
    if isinstance(rules, Policy):
        return DeskRules(policy=rules)
    if isinstance(rules, DeskRules):
        return rules
    allowed = "DeskRules, or a Policy"
    faults.append(Fault("rules", f"are {shown(rules)}", allowed, "write DeskRules(...)"))
    return DeskRules()


def _answer(answer: Answer | None) -> Answer:
    assert answer is not None  # without a request id nothing was settled before
    return answer


def _conflict_again(
    arbiter: Arbiter, done: Done[Any], resource: str, words: str, *, decided_here: bool
) -> Conflict:
    """Return the conflict that a request led to before, with all its claims."""
    found = conflict_again(_told(done), resource, decided_here=decided_here, words=words)
    for one in done.entries:
        if one.kind == CONFLICT and "count" in one.body:
            return conflict_at(arbiter.ledger, arbiter.name, one.seq)
    return found


def _told(done: Done[Any]) -> list[Event]:
    """Return what was written for a request."""
    return [Event(one.kind, one.body) for one in done.entries]


def _listed(given: object) -> object:
    """Return what can be gone through once as a list, before anybody is kept waiting for it."""
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)):
        return list(given)
    return given
