"""Acquiring: how does one agent get several resources and never wait in a circle?

Here: acquiring in one fixed order with a timeout for each and for all, giving everything back and
trying again after full jitter; as a context manager for threads and for asyncio.
Not here: one claim (arbiter.py), the order (mechanisms/deadlock/ordering.py).
Sources: SEMANTICS L2; Havender 1968 (ordered allocation); Brooker 2015 (full jitter).

Under a desk that wounds (``circles="wound_wait"``) the order does not matter: an older agent takes
what a younger one holds. The younger one is told at its next look, and the fence of whatever it
writes to refuses its token.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Lock, Thread
from types import TracebackType
from typing import TypeVar

from comity.core.errors import ClaimNotGranted, Fault, InvalidInput, raise_if, shown
from comity.mechanisms.deadlock import full_jitter
from comity.protocols.claims.standing import length_faults, name_faults
from comity.runner.arbiter import Arbiter, Claim
from comity.runner.waited import Waited

__all__ = ["Acquired", "acquire"]

T = TypeVar("T")

_DRAWS = 2**32
_EACH_MS = 1_000


def acquire(
    arbiter: Arbiter,
    resources: Iterable[str],
    *,
    agent: str,
    priority: object = None,
    timeout_ms: int = 60_000,
    each_ms: int = _EACH_MS,
) -> Acquired:
    """Acquire several resources, all or none.

    They are acquired sorted by name, whatever order they are named in: with one order for
    everybody no circle of waits can form.

    Args:
        arbiter: where they are claimed.
        resources: what is wanted: names, each once; or one name.
        agent: who wants them: a stable name.
        priority: as for :meth:`Arbiter.claim`.
        timeout_ms: how long to try altogether.
        each_ms: how long to wait for one resource before everything is given back for a while.

    Returns:
        A context manager, for ``with`` and ``async with``; its value maps each resource to its
        claim.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> with Arbiter(":memory:") as arbiter:
        ...     with acquire(arbiter, ["gpu", "disk"], agent="a") as held:
        ...         [(resource, claim.token) for resource, claim in held.items()]
        [('disk', 1), ('gpu', 2)]
    """
    given: object = resources
    is_list = isinstance(given, Iterable) and not isinstance(given, str)
    listed = tuple(resources) if is_list else (resources,)
    return Acquired(arbiter, listed, agent, priority, (timeout_ms, each_ms))  # type: ignore[arg-type]  # it looks at every name


class Acquired:
    """Several resources that are held together.

    Args:
        arbiter: where they are claimed.
        resources: what is wanted.
        agent: who wants them.
        priority: how urgently.
        times: how long to try altogether, and for each, in milliseconds.
    """

    def __init__(
        self,
        arbiter: Arbiter,
        resources: tuple[str, ...],
        agent: str,
        priority: object,
        times: tuple[int, int],
    ) -> None:
        """Look at everything; nothing is claimed yet."""
        faults = name_faults({"agent": agent})
        named = [fault for one in resources for fault in name_faults({"resource": one})]
        if not named and len(set(resources)) != max(1, len(resources)):
            what = f"are {', '.join(map(shown, resources)) or 'none'}"
            named.append(Fault("resources", what, "one or more, each once", "correct the list"))
        faults += named
        for name, value in zip(("timeout_ms", "each_ms"), times, strict=True):
            faults += length_faults(name, value)
        raise_if(faults)
        self._arbiter = arbiter
        self._resources = tuple(sorted(resources))
        self._agent = agent
        self._priority = priority
        self._timeout_ms, self._each_ms = times
        self._held: dict[str, Claim] = {}
        self._deciding = Lock()
        self._is_given_up = self._is_got = self._is_in_use = False

    def get(self) -> dict[str, Claim]:
        """Acquire all, or raise; nothing is held then.

        Returns:
            Resource -> claim.

        Raises:
            ClaimNotGranted: when the time is over.
        """
        waited = Waited(self._arbiter.clock)
        attempt = 0
        while True:
            try:
                self._get_all(waited)
            except ClaimNotGranted:
                self.give_back()
                share = secrets.randbelow(_DRAWS) / _DRAWS
                pause_ms = 1 + full_jitter(attempt, share, cap_ms=self._each_ms)
                if self._is_given_up or pause_ms >= waited.left_ms(self._timeout_ms):
                    raise
                waited.pause(pause_ms)
                attempt += 1
            except BaseException:
                self.give_back()
                raise
            else:
                return dict(self._held)

    def give_back(self) -> None:
        """Give everything back, the last acquired first; one that fails keeps none of the others.

        Raises:
            ComityError: the first failure, with the others as its notes.
        """
        failed: list[BaseException] = []
        while self._held:
            resource, claim = self._held.popitem()
            try:
                claim.end()
            except BaseException as error:  # noqa: BLE001  # raised below, when all are given back
                error.add_note(f"while giving back {resource}")
                failed.append(error)
        for other in failed[1:]:
            failed[0].add_note(f"and then: {other}")
        if failed:
            raise failed[0]

    def _begin(self) -> None:
        """Begin to use it.

        Raises:
            InvalidInput: when it is in use: its end would give back what the other use holds.
        """
        with self._deciding:
            if self._is_in_use:
                whose, what = f"what {self._agent} acquires", "is acquired already"
                step = "call acquire again for every with block"
                raise InvalidInput(Fault(whose, what, "one use at a time", step))
            self._is_in_use = True
        self._is_given_up = self._is_got = False

    def _end(self) -> None:
        """Give everything back, and let it be used again."""
        try:
            self.give_back()
        finally:
            self._is_in_use = False

    def _get_all(self, waited: Waited) -> None:
        """Acquire one after the other, and look whether all are still held at the end."""
        for resource in self._resources:
            self._go_on()
            self._held[resource] = self._get(resource, waited)
        for claim in self._held.values():  # a lease may have ended, or been taken, since
            claim.wait()
        with self._deciding:
            self._go_on()
            self._is_got = True

    def _go_on(self) -> None:
        """Raise when nobody wants it any more."""
        if self._is_given_up:
            names = ", ".join(self._resources)
            whose, allowed = f"{self._agent}, acquiring {names}", "a caller that waits for it"
            raise ClaimNotGranted(Fault(whose, "was cancelled", allowed, "acquire them again"))

    def _get(self, resource: str, waited: Waited) -> Claim:
        """Acquire one; a claim that is not won in time is withdrawn."""
        left_ms = max(1, waited.left_ms(self._timeout_ms))
        claim = self._arbiter.claim(
            resource,
            agent=self._agent,
            priority=self._priority,
            timeout_ms=min(left_ms, self._each_ms),
        )
        try:
            claim.wait()
        except BaseException:
            claim.end()
            raise
        return claim

    def __enter__(self) -> dict[str, Claim]:
        """Acquire all."""
        self._begin()
        return self._get_or_end()

    def _get_or_end(self) -> dict[str, Claim]:
        try:
            return self.get()
        except BaseException:
            self._is_in_use = False
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give everything back."""
        self._end()

    async def __aenter__(self) -> dict[str, Claim]:
        """Acquire all beside the event loop; when cancelled, nothing stays held."""
        self._begin()
        getting = _beside(self._get_or_end)
        try:
            return await asyncio.shield(getting)
        except asyncio.CancelledError:
            with self._deciding:
                self._is_given_up, is_got = True, self._is_got
            if is_got:  # else the thread gives back what it holds, and ends
                await asyncio.shield(_beside(self._end))
            await asyncio.wait([getting])
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Give everything back; also when cancelled meanwhile."""
        await asyncio.shield(_beside(self._end))


def _beside(work: Callable[[], T]) -> asyncio.Future[T]:
    """Start work in a thread of its own, and return what will hear of it.

    Not in the threads that the loop shares: those that wait there would keep those from working
    whose end they wait for. The work goes on whoever is cancelled, however often.
    """
    loop = asyncio.get_running_loop()
    heard: asyncio.Future[T] = loop.create_future()
    heard.add_done_callback(lambda done: done.cancelled() or done.exception())  # is looked at

    def tell(result: T | None, error: BaseException | None) -> None:
        if heard.done():
            return
        if error is None:
            heard.set_result(result)  # type: ignore[arg-type]  # there is one where no error is
        else:
            heard.set_exception(error)

    def run() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001  # told to who waits
            error = raised
        with suppress(RuntimeError):  # nobody listens any more
            loop.call_soon_threadsafe(tell, result, error)

    Thread(target=run, name="comity-acquire", daemon=True).start()
    return heard
