"""Claim: how is something claimed, waited for, held and given back?

Here: a claim as a context manager.
Not here: where it is made (arbiter.py), several at once (acquiring.py).
Sources: SEMANTICS R7, L2.
"""

from __future__ import annotations

import secrets
from types import TracebackType
from typing import TYPE_CHECKING, Self

from comity.core.errors import ClaimNotGranted, Fault
from comity.mechanisms.deadlock import full_jitter
from comity.protocols.claims import Answer
from comity.runner.waited import Waited

if TYPE_CHECKING:
    from comity.runner.arbiter import Arbiter

__all__ = ["Claim"]

_SHORTEST_MS, _LONGEST_MS = 10, 100  # between two looks of somebody who waits
_DRAWS = 2**32


class Claim:
    """One claim: won, waiting or over.

    As a context manager it waits until it is won, and gives back what it holds at the end. A
    lease ends by itself: work that may last longer renews it, and whatever the work writes to
    should refuse tokens below the highest it has seen
    (:class:`comity.core.fencing.Fence`).

    Args:
        arbiter: where it was made.
        answer: what the desk answered.
        patience_ms: how long to wait for it at most, whatever the desk's clock does.
    """

    def __init__(self, arbiter: Arbiter, answer: Answer, patience_ms: int | None = None) -> None:
        """Keep the answer; ``answer`` is for reading."""
        self._arbiter = arbiter
        self._patience_ms = patience_ms
        self.answer = answer

    @property
    def is_granted(self) -> bool:
        """Whether the lease runs: it was there at the last look, and its time is not over.

        A lease can also be taken (``wound_wait``) or given back under its token by somebody else;
        :meth:`look` asks the desk.
        """
        until_ms = self.answer.until_ms
        is_over = until_ms is not None and self._arbiter.clock.now_ms() >= until_ms
        return self.answer.is_granted and not is_over

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
        self.answer, _ = self._arbiter.look_on(one.resource, one.agent, one.number)
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

        The timeout is kept by what passes here, whatever any clock shows: a claim that the desk
        still lets wait then is withdrawn.

        Returns:
            The answer; anything but ``waiting``.
        """
        arbiter, attempt, waited = self._arbiter, 0, Waited(self._arbiter.clock)
        patience_ms = (self._patience_ms or arbiter.books.rules.claim_ms) + _LONGEST_MS
        while True:
            one = self.answer
            self.answer, due_ms = arbiter.look_on(one.resource, one.agent, one.number)
            if self.answer.status != "waiting":
                return self.answer
            left_ms = waited.left_ms(patience_ms)
            if left_ms <= 0:
                self.answer = arbiter.withdraw(one.resource, one.agent, one.number)
                continue  # perhaps it was won just before
            share = secrets.randbelow(_DRAWS) / _DRAWS
            pause_ms = 1 + full_jitter(attempt, share, base_ms=_SHORTEST_MS, cap_ms=_LONGEST_MS)
            if due_ms is not None:
                pause_ms = min(pause_ms, due_ms - arbiter.clock.now_ms())
            waited.pause(max(1, min(pause_ms, left_ms)))
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
            one = self.answer = self._arbiter.withdraw(one.resource, one.agent, one.number)
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
