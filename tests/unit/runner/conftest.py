"""What the tests of desks in a ledger share: a ledger that can be made to fail, and the fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger, Request, Settled
from comity.ledger.verify import verify
from comity.protocols.claims import Books, DeskRules
from comity.runner.claims_record import decided_again, desks
from comity.runner.desk_log import scope_of
from comity.testing.clock import FakeClock

START_MS = 1_700_000_000_000


class Watched:
    """A ledger that counts its commits, and fails when told to.

    ``before`` and ``after`` are called around the next commit, once each; what they raise is what
    the commit raises.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.real = ledger
        self.commits: list[int] = []  # how many requests each commit settled
        self.reads: list[int] = []  # from where on each read was
        self.before: list[Callable[[], Any]] = []
        self.after: list[Callable[[], Any]] = []
        self.broken: set[str] = set()  # desks that do not hold, as they should not

    def settle(
        self, scope: str, requests: Sequence[Request], **options: Any
    ) -> tuple[Settled, ...]:
        states = sum(
            one.rule.__name__ in {"_state", "_arrive"} for one in requests
        )  # now and then
        self.commits.append(len(requests) - states)
        if self.before:
            self.before.pop()()
        settled = self.real.settle(scope, requests, **options)
        if self.after:
            self.after.pop()()
        return settled

    def read(self, scope: str, **options: Any) -> Any:
        self.reads.append(options.get("after", 0))
        return self.real.read(scope, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def entries(self, name: str = "claims") -> list[tuple[str, dict[str, Any]]]:
        found = self.real.read(scope_of(name), everything=True)
        return [(one.kind, dict(one.body)) for one in found]

    def folded(self, name: str = "claims") -> Any:
        """Return the state that the entries lead to, those that hold a whole state left out."""
        books = Books(DeskRules())
        for kind, body in self.entries(name):
            if kind != "desk-state":
                books.apply(kind, body)
        return books.to_json()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(START_MS)


@pytest.fixture
def ledger() -> Iterator[Watched]:
    """Return a ledger in memory; at the end it is whole and decides the same again."""
    with open_ledger(":memory:") as real:
        watched = Watched(real)
        yield watched
        assert verify(real).ok
        for name in set(desks(real)) - watched.broken:
            assert decided_again(real, name) == ()
