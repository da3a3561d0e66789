"""Leases: who holds what until when, and whose late write must be refused?

Here: leases with an expiry and a fencing token that only grows, as values and transitions.
Not here: the clock and storage (runner/, ledger/), who wins a claim (engine.py), the fence that a
resource keeps (core/fencing.py).
Sources: SEMANTICS R7; Gray and Cheriton 1989; Kleppmann 2016 (fencing tokens).

A lease alone is not mutual exclusion: a holder may be late without knowing. The resource keeps a
:class:`~comity.core.fencing.Fence` and refuses every token below the highest it has seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from comity.core.canonical import JsonObject
from comity.core.codec import decode, encode
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, like, read_exact, show_number, to_fraction
from comity.mechanisms.arbitration.claims import principal_fault

__all__ = ["Lease", "LeaseBook", "LeaseRefusal", "LeaseStep"]

LeaseRefusal = Literal["held", "ended", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """One lease.

    Attributes:
        resource: what is held.
        holder: who holds it.
        token: the fencing token: larger than that of every lease before it.
        until: when it ends, in seconds; from then on it is expired.
        granted_at: when it was granted.

    Example:
        >>> Lease(resource="gpu", holder="a", token=1, until=30, granted_at=0).holder
        'a'
    """

    resource: str
    holder: str
    token: int
    until: Exact
    granted_at: Exact


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseStep:
    """What a transition led to.

    Attributes:
        book: the book afterwards.
        lease: the lease that was granted, renewed or released; None when refused.
        refusal: why not: ``held`` by others, as many as there are units; the lease of this token
            has ``ended``; the token is ``unknown`` for this resource.
        expired: leases that ran out at this reading of the clock.
    """

    book: LeaseBook
    lease: Lease | None = None
    refusal: LeaseRefusal | None = None
    expired: tuple[Lease, ...] = ()

    @property
    def is_done(self) -> bool:
        """Whether it was done."""
        return self.refusal is None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseBook:
    """All leases that run, and the last token; every transition returns the next book.

    The clock is an argument. A reading before the last one counts as the last one, so that a
    clock set back never brings an expired lease back.

    Attributes:
        leases: what is held, sorted by token.
        last_token: the largest token ever given out.
        clock: the latest reading seen.

    Example:
        >>> first = LeaseBook().grant("gpu", "a", now=0, seconds=30)
        >>> first.lease.token, first.book.grant("gpu", "b", now=10, seconds=30).refusal
        (1, 'held')
        >>> later = first.book.grant("gpu", "b", now=31, seconds=30)
        >>> later.lease.token, *(later.book.check("gpu", token, now=32) for token in (1, 2))
        (2, 'ended', None)
    """

    leases: tuple[Lease, ...] = ()
    last_token: int = 0
    clock: Exact | None = None

    def at(self, now: Exact | float) -> LeaseStep:
        """Let leases run out.

        Args:
            now: the clock, in seconds.

        Returns:
            The book without them, and the leases that ran out.
        """
        reading = read_exact(now, "lease", "now")
        clock = reading if self.clock is None else max(reading, self.clock)
        expired = tuple(one for one in self.leases if one.until <= clock)
        running = tuple(one for one in self.leases if one.until > clock)
        return LeaseStep(book=replace(self, leases=running, clock=clock), expired=expired)

    def grant(
        self,
        resource: str,
        holder: str,
        *,
        now: Exact | float,
        seconds: Exact | float,
        units: int = 1,
    ) -> LeaseStep:
        """Grant a lease unless as many as there are units run.

        A holder that asks again while its lease runs gets the same lease: a retry grants nothing
        twice.

        Args:
            resource: what is claimed.
            holder: who won the claim.
            now: the clock, in seconds.
            seconds: how long the lease runs, above 0.
            units: how many may hold it at once.

        Returns:
            The book with the new lease, or the refusal.

        Raises:
            InvalidInput: for unusable names and numbers, all at once.
        """
        length = _checked(resource, holder, seconds, units)
        step = self.at(now)
        running = [one for one in step.book.leases if one.resource == resource]
        same = next((one for one in running if one.holder == holder), None)
        if same is not None:
            return replace(step, lease=same)
        if len(running) >= units:
            return replace(step, refusal="held")
        clock = step.book.clock
        assert clock is not None
        lease = Lease(
            resource=resource,
            holder=holder,
            token=self.last_token + 1,
            until=_sum(clock, length),
            granted_at=clock,
        )
        book = replace(step.book, leases=(*step.book.leases, lease), last_token=lease.token)
        return replace(step, book=book, lease=lease)

    def renew(
        self, resource: str, token: int, *, now: Exact | float, seconds: Exact | float
    ) -> LeaseStep:
        """Let a running lease run on; its token stays.

        Args:
            resource: what is held.
            token: the token of the lease.
            now: the clock, in seconds.
            seconds: how long it runs from now on; a renewal never shortens a lease.

        Returns:
            The book with the longer lease, or the refusal.
        """
        length = _checked(resource, "holder", seconds, 1)
        step = self.at(now)
        found = _running(step.book, resource, token)
        if found is None:
            return replace(step, refusal=_why_not(step.book, token))
        clock = step.book.clock
        assert clock is not None
        longer = replace(found, until=max(found.until, _sum(clock, length)))
        kept = tuple(longer if one is found else one for one in step.book.leases)
        return replace(step, book=replace(step.book, leases=kept), lease=longer)

    def release(self, resource: str, token: int, *, now: Exact | float) -> LeaseStep:
        """End a lease.

        Args:
            resource: what is held.
            token: the token of the lease.
            now: the clock, in seconds.

        Returns:
            The book without it, or the refusal.
        """
        step = self.at(now)
        found = _running(step.book, resource, token)
        if found is None:
            return replace(step, refusal=_why_not(step.book, token))
        kept = tuple(one for one in step.book.leases if one is not found)
        return replace(step, book=replace(step.book, leases=kept), lease=found)

    def check(self, resource: str, token: int, *, now: Exact | float) -> LeaseRefusal | None:
        """Tell whether a holder may still act.

        Args:
            resource: what is held.
            token: the token the holder shows.
            now: the clock, in seconds.

        Returns:
            None when its lease runs, else why not.
        """
        step = self.at(now)
        if _running(step.book, resource, token) is not None:
            return None
        return _why_not(step.book, token)

    def to_json(self) -> JsonObject:
        """Return the book as JSON."""
        return {
            "leases": [encode(one) for one in self.leases],
            "last_token": self.last_token,
            "clock": encode(self.clock),
        }

    @classmethod
    def from_json(cls, data: object) -> LeaseBook:
        """Read what ``to_json`` wrote.

        Args:
            data: the object.
        """
        return decode(cls, data, where="leases")


def _running(book: LeaseBook, resource: str, token: int) -> Lease | None:
    return next(
        (one for one in book.leases if one.resource == resource and one.token == token), None
    )


def _why_not(book: LeaseBook, token: int) -> LeaseRefusal:
    runs_elsewhere = any(one.token == token for one in book.leases)
    return "ended" if 0 < token <= book.last_token and not runs_elsewhere else "unknown"


def _sum(clock: Exact, seconds: Exact) -> Exact:
    return like(to_fraction(clock) + to_fraction(seconds), clock, seconds)


def _checked(resource: object, holder: object, seconds: object, units: object) -> Exact:
    """Return how long a lease runs, or raise every fault at once."""
    named = (principal_fault(resource, "resource"), principal_fault(holder, "holder"))
    faults: list[Fault] = [one for one in named if one is not None]
    if type(units) is not int or units < 1:
        what = f"units are {shown(units)}"
        faults.append(Fault("lease", what, "a whole number from 1", "correct units"))
    length: Exact = 0
    try:
        length = read_exact(seconds, "lease", "seconds")
        if length <= 0:
            what = f"runs for {show_number(length)} s"
            faults.append(Fault("lease", what, "above 0", "give it time"))
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    return length
