"""What the tests of live bargaining share: rules in one line, moves in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Input, Step
from comity.protocols.offers.machine import start, step
from comity.protocols.offers.rules import OffersRules
from comity.protocols.offers.state import OffersState
from comity.testing.bargains import sample_offers

Live = Step[OffersState]

BOTH = "OFFER: tls = 1.3; days = 60"
ANNS = "OFFER: tls = 1.3; days = 30"
BOBS = "OFFER: tls = 1.2; days = 60"
EVEN = "OFFER: tls = 1.2; days = 30"


class Table:
    """Live bargaining that is driven by hand."""

    def __init__(self, rules: OffersRules) -> None:
        self.rules = rules
        self.last: Live = start(rules)
        self.told: list[Live] = [self.last]
        self.now_ms = 1_000
        if self.last.outcome is None:
            self.do(Input(kind="resumed", now_ms=self.now_ms))

    def do(self, happened: Input) -> Live:
        self.last = step(self.last.state, happened)
        self.told.append(self.last)
        return self.last

    def ask(self, party: str) -> Any:
        return next(one for one in self.last.asks if one.party == party)

    def told_to(self, party: str) -> Any:
        """Return the payload of the standing ask of a seat."""
        return self.ask(party).payload

    def says(self, party: str, said: str | JsonObject) -> Live:
        """Answer what this seat is asked."""
        body = {"text": said} if isinstance(said, str) else said
        name = self.ask(party).id
        return self.do(
            Input(kind="reply", now_ms=self.now_ms, party=party, ask_id=name, body=body)
        )

    def turns(self, *said: str) -> Live:
        """Answer for whoever is asked first, one text after the other."""
        for text in said:
            self.says(self.last.asks[0].party, text)
        return self.last

    def sends(self, party: str | None, text: str) -> Live:
        return self.do(Input(kind="message", now_ms=self.now_ms, party=party, body={"text": text}))

    def fails(self, party: str, reason: str = "crashed") -> Live:
        name = self.ask(party).id
        body = {"reason": reason}
        return self.do(
            Input(kind="failure", now_ms=self.now_ms, party=party, ask_id=name, body=body)
        )

    def time(self, at_ms: int | None = None) -> Live:
        self.now_ms = at_ms if at_ms is not None else self.last.wake_at_ms or 0
        return self.do(Input(kind="timer", now_ms=self.now_ms))

    @property
    def reasons(self) -> list[str]:
        return [one.reason for one in self.last.rejected]

    @property
    def hint(self) -> str:
        return self.last.rejected[0].hint

    @property
    def outcome(self) -> Any:
        assert self.last.outcome is not None
        return self.last.outcome

    @property
    def standing(self) -> list[str]:
        return [one.id for one in self.last.state.standing]

    @property
    def asked(self) -> list[str]:
        return [one.party for one in self.last.asks]


def opened(seats: int = 2, **settings: Any) -> Table:
    return Table(sample_offers(seats, **settings))


@pytest.fixture
def table() -> Callable[..., Table]:
    """Return a function that opens bargaining over the sample problem; ann acts first."""
    return opened


@pytest.fixture
def play() -> Callable[[OffersRules], Table]:
    """Return a function that opens bargaining under any rules."""
    return Table
