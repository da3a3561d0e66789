"""Arbiter: where agents of many processes claim exclusive things.

Here: the requests by name, each durable when it is answered and counted once however often it is
sent; a claim as a context manager that waits, holds and gives back.
Not here: what a request leads to (protocols/claims), how it is kept (desk_log.py), several
resources at once (acquiring.py), reading the record (claims_record.py).
Sources: SEMANTICS R1, R2, R7, G4; ENGINE 8.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

from comity.core.errors import ClaimNotGranted, Fault, InvalidInput, raise_if
from comity.ledger import Ledger, open_ledger
from comity.ledger.entry import Entry
from comity.mechanisms.arbitration import Conflict, Policy
from comity.mechanisms.arbitration.claims import principal_fault
from comity.mechanisms.deadlock import full_jitter
from comity.protocols.claims import Answer, Books, DeskRules, Wanted, conflict_of
from comity.protocols.claims.events import CLAIMED, CONFLICT, ENDED, REFUSED
from comity.runner.clock import Clock, RealClock
from comity.runner.desk_log import DeskLog

__all__ = ["Arbiter", "Claim", "new_seed"]

_SHORTEST_MS, _LONGEST_MS = 10, 100  # between two looks of somebody who waits
_DRAWS = 2**32


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
        if isinstance(rules, Policy):
            rules = DeskRules(policy=rules)
        fault = principal_fault(name, "desk")
        raise_if([] if fault is None else [fault])
        self.name = name
        self.clock = clock or RealClock()
        self._owns = isinstance(db, (str, Path))
        self.ledger: Ledger = open_ledger(db, create=create) if isinstance(db, (str, Path)) else db
        self._seeds = seeds
        self._log = DeskLog(self.ledger, name, self.clock)
        try:
            self._log.open(rules, create=create)
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
        if done.answer is not None:
            return Claim(self, done.answer)
        made = {CLAIMED, REFUSED}
        numbers = [int(str(one.body["number"])) for one in done.entries if one.kind in made]
        return Claim(self, self.look(resource, agent, numbers[-1] if numbers else None))

    def release(self, resource: str, token: int, *, request_id: str | None = None) -> Answer:
        """End a lease; who is next wins it at once.

        Args:
            resource: what is held.
            token: the token of the lease.
            request_id: the same for every retry.

        Returns:
            How the lease stands: its status is ``ended``.
        """
        done = self._log.ask(
            lambda desk, now: desk.release(resource, token, now_ms=now, seed=self._seeds()),
            request_id,
        )
        if done.answer is not None:
            return done.answer
        holder = [one.body["agent"] for one in done.entries if one.kind == ENDED]
        return self.look(resource, str(holder[-1]))

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
        done = self._log.ask(
            lambda desk, now: desk.decide(resource, claims, now_ms=now, seed=self._seeds()),
            request_id,
        )
        return _conflict_in(done.entries) if done.answer is None else done.answer

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
            winners: who won; one name or several.
            resource: what was claimed.
            request_id: the same for every retry.

        Returns:
            The conflict, on disk.

        Raises:
            InvalidInput: with every fault at once; also for a winner that did not claim.
        """
        won = [winners] if isinstance(winners, str) else list(winners)
        done = self._log.ask(lambda desk, _: desk.record(resource, claims, won), request_id)
        return _conflict_in(done.entries) if done.answer is None else done.answer

    def look(self, resource: str, agent: str, number: int | None = None) -> Answer:
        """Return what has become of an agent's claim; what is due by now happens first.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: which of its claims; the latest when left out.
        """
        self.advance()
        return self._log.desk.look(resource, agent, number)

    def advance(self) -> int | None:
        """Catch up, and let happen what is due by now.

        Returns:
            When something happens next by itself, in milliseconds, or None.
        """
        self._log.catch_up()
        due_ms = self._log.desk.due_ms()
        if due_ms is not None and due_ms <= self.clock.now_ms():
            self._log.ask(lambda desk, now: (desk.advance(now_ms=now, seed=self._seeds()), None))
            due_ms = self._log.desk.due_ms()
        return due_ms

    def change(self, rules: DeskRules) -> None:
        """Give the desk other rules from now on; losses are kept where the rule stays the same.

        Args:
            rules: the new rules.
        """
        self._log.change(rules)

    @property
    def books(self) -> Books:
        """What the desk knew when it was last asked; for reading only."""
        return self._log.desk.books

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
    should refuse tokens below the highest it has seen (:class:`comity.core.fencing.Fence`).

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
        clock, attempt = self._arbiter.clock, 0
        while self.look().status == "waiting":
            due_ms = self._arbiter.advance()
            share = secrets.randbelow(_DRAWS) / _DRAWS
            pause = full_jitter(attempt, share, base_ms=_SHORTEST_MS, cap_ms=_LONGEST_MS)
            soon_ms = clock.now_ms() + 1
            later_ms = soon_ms + pause if due_ms is None else min(soon_ms + pause, due_ms)
            clock.sleep_until(max(soon_ms, later_ms))
            attempt += 1
        return self.answer

    def renew(self, lease_ms: int | None = None) -> Answer:
        """Let the lease run on from now.

        Args:
            lease_ms: for how long; as the rules say when left out.

        Raises:
            ClaimNotGranted: when the lease is over.
        """
        self.answer = self._arbiter.renew(self.answer.resource, self.token, lease_ms=lease_ms)
        if not self.answer.is_granted:
            raise self._not_granted()
        return self.answer

    def end(self) -> Answer:
        """Give back what is held, or stop waiting; what is over stays over."""
        one = self.look()
        if one.status == "granted":
            self.answer = self._arbiter.release(one.resource, self.token)
        elif one.status == "waiting":
            self.answer = self._arbiter.withdraw(one.resource, one.agent)
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


def _answer(answer: Answer | None) -> Answer:
    assert answer is not None  # without a request id nothing was settled before
    return answer


def _conflict_in(entries: Iterable[Entry]) -> Conflict:
    """Return the conflict that a request led to when it was first made."""
    for one in entries:
        if one.kind == CONFLICT:
            return conflict_of(one.body)
    step = "give every request an id of its own"
    raise InvalidInput(Fault("request", "was used for something else", "a new id", step))
