"""What the tests of tournaments share: a small plan, and strategies that go wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.strategies import STRATEGIES, Player, Seat
from comity.mechanisms.bargaining.strategies.registry import Entry
from comity.simulate.plan import Plan
from comity.simulate.planning import plan_of
from comity.testing.bargains import sample_problem


def cake(size: int = 4) -> Problem:
    """Return a cut between two who want opposite things; half is the Nash point."""
    domain = domain_of({"cut": list(range(size + 1))})
    return problem_of(
        domain,
        {
            "ann": additive(domain, {"cut": {str(n): n for n in range(size + 1)}}),
            "bob": additive(domain, {"cut": {str(n): size - n for n in range(size + 1)}}),
        },
    )


def hopeless() -> Problem:
    """Return a problem in which no deal suits both."""
    domain = domain_of({"cut": [0, 1]})
    return problem_of(
        domain,
        {
            "ann": additive(domain, {"cut": {"1": 1}}, reservation=1),
            "bob": additive(domain, {"cut": {"0": 1}}, reservation=1),
        },
    )


@pytest.fixture
def small() -> Plan:
    """Return 3 scenarios x 3 strategies in both roles: 27 negotiations."""
    return plan_of(
        {"tls": sample_problem(), "cake": cake(), "hopeless": hopeless()},
        ["linear", "micro", "hardliner"],
        rounds=12,
        seed="7",
    )


class Broken:
    """A player that behaves until it is asked the thing it breaks on."""

    def __init__(self, inner: Player, breaks: dict[str, Any]) -> None:
        self._inner, self._breaks = inner, breaks

    def _do(self, name: str, otherwise: Callable[[], Any]) -> Any:
        if name not in self._breaks:
            return otherwise()
        found = self._breaks[name]
        if isinstance(found, Exception):
            raise found
        return found

    @property
    def is_waiting(self) -> bool:
        return bool(self._inner.is_waiting) if "waits" not in self._breaks else self._waits()

    def _waits(self) -> Any:
        return self._do("waits", lambda: False)

    def offer(self, at: int) -> Any:
        return self._do("offer", lambda: self._inner.offer(at))

    def hears(self, at: int, by: str, outcome: int) -> None:
        self._do("hears", lambda: self._inner.hears(at, by, outcome))

    def accepts(self, at: int, by: str, outcome: int) -> Any:
        return self._do("accepts", lambda: self._inner.accepts(at, by, outcome))


@pytest.fixture
def broken() -> Iterator[Callable[..., str]]:
    """Return a function that registers a strategy with given faults and returns its name."""
    before = dict(STRATEGIES)

    def register(name: str = "broken", **breaks: Any) -> str:
        def start(seat: Seat) -> Player:
            if "start" in breaks:
                raise breaks["start"]
            return Broken(before["micro"].start(seat), breaks)

        STRATEGIES[name] = Entry(start)
        return name

    yield register
    STRATEGIES.clear()
    STRATEGIES.update(before)
