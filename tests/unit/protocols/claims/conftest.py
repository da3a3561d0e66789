"""What the tests of desks share: a desk driven by hand whose events are kept.

Whatever a test does, at its end books fed with the events are the live books, from the first event
on and from the whole state.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import pytest

from comity.core.errors import ClaimNotGranted, InvalidInput
from comity.ledger.entry import NewEntry
from comity.mechanisms.arbitration import Conflict, Policy
from comity.protocols.claims import Answer, Books, Desk, DeskRules, Event, Wanted

_OF_POLICY = {one.name for one in fields(Policy)}


class Driven:
    """A desk at a time; every request is one call."""

    def __init__(self, rules: DeskRules) -> None:
        self.rules = rules
        self.desk = Desk(rules)
        self.now = 1_000
        self.log: list[Event] = []

    @property
    def books(self) -> Books:
        return self.desk.books

    @property
    def kinds(self) -> list[str]:
        return [one.kind for one in self.log]

    def done(self, asked: tuple[list[Event], Any]) -> Any:
        events, answer = asked
        self.log += events
        return answer

    def at(self, now: int) -> Driven:
        self.now = now
        return self

    @property
    def when(self) -> dict[str, Any]:
        return {"now_ms": self.now, "seed": f"seed {self.now}"}

    def claim(self, resource: str, agent: str, priority: Any = None, **times: Any) -> Answer:
        wanted = Wanted(resource, agent, priority, **{"is_open": True, **times})
        found: Answer = self.done(self.desk.claim(wanted, **self.when))
        return found

    def confirm(self, resource: str, agent: str, number: int) -> Answer:
        found: Answer = self.done(self.desk.confirm(resource, agent, number, **self.when))
        return found

    def withdraw(self, resource: str, agent: str, number: int | None = None) -> Answer:
        found: Answer = self.done(self.desk.withdraw(resource, agent, number, **self.when))
        return found

    def release(self, resource: str, token: int) -> Answer:
        found: Answer = self.done(self.desk.release(resource, token, **self.when))
        return found

    def renew(self, resource: str, token: int, lease_ms: int | None = None) -> Answer:
        asked = self.desk.renew(resource, token, lease_ms=lease_ms, **self.when)
        found: Answer = self.done(asked)
        return found

    def decide(self, claims: Any, resource: str = "gpu") -> Conflict:
        found: Conflict = self.done(self.desk.decide(resource, claims, **self.when))
        return found

    def record(self, claims: Any, winners: Any, resource: str = "gpu") -> Conflict:
        asked = self.desk.record(resource, claims, winners, now_ms=self.now)
        found: Conflict = self.done(asked)
        return found

    def change(self, **rules: Any) -> None:
        self.log += self.desk.change(rules_of(rules))

    def advance(self) -> list[str]:
        events = self.desk.advance(**self.when)
        self.log += events
        return [one.kind for one in events]

    def look(self, resource: str, agent: str, number: int | None = None) -> Answer:
        return self.desk.look(resource, agent, number)

    def free(self, resource: str) -> None:
        """Release whatever is held of a resource."""
        for one in self.books.held(resource):
            self.release(resource, one.token)

    def held(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for one in self.books.leases.leases:
            found.setdefault(one.resource, []).append(one.holder)
        return found

    def waits(self) -> dict[str, list[str]]:
        return {name: sorted(each) for name, each in sorted(self.books.waiting.items())}

    def folded(self) -> Books:
        return fold(Books(self.rules), self.log)


def rules_of(given: dict[str, Any]) -> DeskRules:
    of_policy = {name: given.pop(name) for name in _OF_POLICY & given.keys()}
    return DeskRules(policy=Policy(**of_policy), **given)


def fold(books: Books, events: list[Event]) -> Books:
    """Feed books with events as they come back from a ledger."""
    for one in events:
        entry = NewEntry(one.kind, one.body)
        books.apply(entry.kind, json.loads(entry.text))
    return books


@pytest.fixture
def open_desk() -> Iterator[Callable[..., Driven]]:
    """Return a function that opens a desk; it takes what Policy and DeskRules take."""
    opened: list[Driven] = []

    def opening(**given: Any) -> Driven:
        opened.append(Driven(rules_of(given)))
        return opened[-1]

    yield opening
    for one in opened:
        whole = one.books.to_json()
        assert one.folded().to_json() == whole
        state = json.loads(NewEntry("desk-state", whole).text)
        other = Books(DeskRules())
        other.apply("desk-state", state)
        assert other.to_json() == whole
        assert other.due.next_ms() == one.desk.due_ms()


@pytest.fixture
def fold_events() -> Callable[[Books, list[Event]], Books]:
    return fold


@pytest.fixture
def refused() -> Callable[..., list[str]]:
    """Return a function that makes a request that must change nothing, and returns its faults."""

    def refusing(one: Driven, request: Callable[[], Any]) -> list[str]:
        before, changes = one.books.to_json(), one.books.changes
        with pytest.raises((InvalidInput, ClaimNotGranted)) as caught:
            request()
        assert one.books.to_json() == before
        assert one.books.changes == changes
        return [str(fault) for fault in caught.value.faults]

    return refusing
