"""Arbiter: where agents of many processes claim exclusive things.

Here: the requests by name, each durable when it is answered and counted once however often it is
sent; a claim as a context manager that waits, holds and gives back.
Not here: what a request leads to, and what it is told that comes again (protocols/claims), how it
is kept (desk_log.py), several resources at once (acquiring.py), reading the record
(claims_record.py).
Sources: SEMANTICS R1, R2, R7, G4; ENGINE 8.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from comity.core.errors import ClaimNotGranted, Fault, raise_if, shown
from comity.ledger import Ledger, open_ledger
from comity.mechanisms.arbitration import Conflict, Policy
from comity.mechanisms.deadlock import full_jitter
from comity.protocols.claims import (
    Answer,
    Books,
    Desk,
    DeskRules,
    Event,
    Wanted,
    claim_again,
    conflict_again,
    release_again,
)
from comity.runner.clock import Clock, RealClock
from comity.runner.desk_log import DeskLog, Done, desk_name_fault

__all__ = ["Arbiter", "Claim", "new_seed"]

_SHORTEST_MS, _LONGEST_MS = 10, 100  # between two looks of somebody who waits
_DRAWS = 2**32

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
        self._seeds = seeds
        self._log = DeskLog(self.ledger, name, self.clock, seeds)
        try:
            self._log.open(opening, create=create)
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
        """
        wanted = Wanted(resource, agent, priority, lease_ms, timeout_ms)  # type: ignore[arg-type]  # the desk reads it
        done = self._log.ask(
            lambda desk, now: desk.claim(wanted, now_ms=now, seed=self._seeds()), request_id
        )
        answer = done.answer
        if answer is None:
            answer = self._log.see_now(
                lambda desk: claim_again(desk.books, _told(done), resource, agent)
            )
        return Claim(self, answer)

    def release(self, resource: str, token: int, *, request_id: str | None = None) -> Answer:
        """End a lease; who is next wins it at once.

        Args:
            resource: what is held.
            token: the token of the lease.
            request_id: the same for every retry.

        Returns:
            How the lease stands: its status is ``ended``.

        Raises:
            InvalidInput: with every fault at once; not for a lease that is over.
        """
        done = self._log.ask(
            lambda desk, now: desk.release(resource, token, now_ms=now, seed=self._seeds()),
            request_id,
        )
        if done.answer is not None:
            return done.answer
        return self._log.see_now(
            lambda desk: release_again(desk.books, _told(done), resource, token)
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
            self._log.ask(
                lambda desk, now: desk.renew(
                    resource, token, now_ms=now, seed=self._seeds(), lease_ms=lease_ms
                )
            ).answer
        )

    def withdraw(self, resource: str, agent: str) -> Answer:
        """Stop waiting; losses stay as they are.

        Args:
            resource: what was claimed.
            agent: who no longer wants it.
        """
        return _answer(
            self._log.ask(
                lambda desk, now: desk.withdraw(resource, agent, now_ms=now, seed=self._seeds())
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
        done = self._log.ask(
            lambda desk, now: desk.decide(resource, listed, now_ms=now, seed=self._seeds()),
            request_id,
        )
        if done.answer is not None:
            return done.answer
        return conflict_again(_told(done), resource, decided_here=True)

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
        done = self._log.ask(
            lambda desk, now: desk.record(resource, listed, won, now_ms=now), request_id
        )
        if done.answer is not None:
            return done.answer
        return conflict_again(_told(done), resource, decided_here=False)

    def look(self, resource: str, agent: str, number: int | None = None) -> Answer:
        """Return what has become of an agent's claim; what is due by now happens first.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: which of its claims; the latest when left out.
        """
        return self._log.see_now(lambda desk: desk.look(resource, agent, number))

    def advance(self) -> int | None:
        """Catch up, and let happen what is due by now.

        Returns:
            When something happens next by itself, in milliseconds, or None.
        """
        return self._log.see_now(Desk.due_ms)

    def look_on(self, resource: str, agent: str, number: int) -> tuple[Answer, int | None]:
        """Return what has become of a claim, and when something happens next by itself.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: which of its claims.
        """
        return self._log.see_now(lambda desk: (desk.look(resource, agent, number), desk.due_ms()))

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
        self._log.ask(lambda desk, _: (desk.change(read), None))

    @property
    def books(self) -> Books:
        """What the desk knows; for reading only, while no other thread asks it for anything."""
        return self._log.see(lambda desk: desk.books)

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


class Claim:
    """One claim: won, waiting or over.

    As a context manager it waits until it is won, and gives back what it holds at the end. A
    lease ends by itself: work that may last longer renews it, and whatever the work writes to
    should refuse tokens below the highest it has seen
    (:class:`comity.core.fencing.Fence`).

    Args:
        arbiter: where it was made.
        answer: what the desk answered.
    """

    def __init__(self, arbiter: Arbiter, answer: Answer) -> None:
        """Keep the answer; ``answer`` is for reading."""
        self._arbiter = arbiter
        self.answer = answer

    @property
    def is_granted(self) -> bool:
        """Whether the claimant held the resource when the desk was last asked."""
        return self.answer.is_granted

    @property
    def token(self) -> int:
        """The fencing token of the lease.

        Raises:
            ClaimNotGranted: when there is no lease.
        """
        if self.answer.token is None:
            raise self._not_granted()
        return self.answer.token

    def look(self) -> Answer:
        """Return how the claim stands now."""
        one = self.answer
        self.answer = self._arbiter.look(one.resource, one.agent, one.number)
        return self.answer

    def wait(self) -> Answer:
        """Wait until the claim is won.

        Returns:
            The answer: ``granted``.

        Raises:
            ClaimNotGranted: when it lapsed, was withdrawn or may not wait.
        """
        if not self.settle().is_granted:
            raise self._not_granted()
        return self.answer

    def settle(self) -> Answer:
        """Wait until the claim is won or over.

        Returns:
            The answer; anything but ``waiting``.
        """
        arbiter, attempt = self._arbiter, 0
        while True:
            one = self.answer
            self.answer, due_ms = arbiter.look_on(one.resource, one.agent, one.number)
            if self.answer.status != "waiting":
                return self.answer
            share = secrets.randbelow(_DRAWS) / _DRAWS
            pause_ms = 1 + full_jitter(attempt, share, base_ms=_SHORTEST_MS, cap_ms=_LONGEST_MS)
            now_ms = arbiter.clock.now_ms()
            left_ms = pause_ms if due_ms is None else due_ms - now_ms
            arbiter.clock.sleep_until(now_ms + max(1, min(pause_ms, left_ms)))
            attempt += 1

    def renew(self, lease_ms: int | None = None) -> Answer:
        """Let the lease run on from now.

        Args:
            lease_ms: for how long; as the rules say when left out.

        Raises:
            ClaimNotGranted: when the lease is over.
        """
        one, token = self.answer, self.token
        renewed = self._arbiter.renew(one.resource, token, lease_ms=lease_ms)
        self.answer = renewed if renewed.is_granted else self.look()
        if not renewed.is_granted:
            raise self._not_granted()
        return self.answer

    def end(self) -> Answer:
        """Give back what is held, or stop waiting; what is over stays over."""
        one = self.look()
        if one.status == "waiting":
            one = self.answer = self._arbiter.withdraw(one.resource, one.agent)
        if one.status == "granted":  # perhaps just before it was withdrawn
            self.answer = self._arbiter.release(one.resource, self.token)
        return self.answer

    def __enter__(self) -> Self:
        """Wait until it is won."""
        try:
            self.wait()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give it back."""
        self.end()

    def _not_granted(self) -> ClaimNotGranted:
        one = self.answer
        step = {
            "waiting": "wait for it, or look again later",
            "lapsed": "claim again, with a longer timeout",
            "refused": "release what the others wait for first",
        }.get(one.status, "claim again")
        return ClaimNotGranted(
            Fault(
                f"claim of {one.agent} on {one.resource}",
                f"is {one.status}: {one.says.rstrip('.')}",
                "a lease that runs",
                step,
            )
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


def _told(done: Done[Any]) -> list[Event]:
    """Return what was written for a request."""
    return [Event(one.kind, one.body) for one in done.entries]


def _listed(given: object) -> object:
    """Return what can be gone through once as a list, before anybody is kept waiting for it."""
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)):
        return list(given)
    return given
