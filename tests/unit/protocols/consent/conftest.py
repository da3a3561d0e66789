"""A consent negotiation that a test can hold word by word."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from comity.core.step import Ask, Input, Step
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.protocols.consent.rules import ConsentRules, consent_rules
from comity.protocols.consent.state import ConsentState

SEATS: dict[str, object] = {"CC": "Reliability", "CX": "Speed", "GM": "Security"}


class Talk:
    """One negotiation and everything that happened in it."""

    def __init__(self, rules: ConsentRules) -> None:
        self.rules = rules
        self.now_ms = 0
        self.inputs: list[Input] = []
        self.last: Step[ConsentState] = start(rules)

    @property
    def state(self) -> ConsentState:
        return self.last.state

    @property
    def agreed(self) -> ConsentAgreement:
        assert isinstance(self.last.outcome, ConsentAgreement), self.last.outcome
        return self.last.outcome

    @property
    def ended(self) -> ConsentNoDeal:
        assert isinstance(self.last.outcome, ConsentNoDeal), self.last.outcome
        return self.last.outcome

    def asked(self, party: str) -> Ask:
        """Return what a seat is asked now; there must be one ask."""
        (found,) = [one for one in self.last.asks if one.party == party]
        return found

    def waits_for(self) -> list[str]:
        return [one.party for one in self.last.asks]

    def why(self) -> list[str]:
        return [one.reason for one in self.last.rejected]

    def happens(self, happened: Input) -> Talk:
        self.inputs.append(happened)
        self.last = step(self.last.state, happened)
        return self

    def says(self, party: str, text: str, **usage: object) -> Talk:
        """Answer what the seat is asked."""
        body: dict[str, object] = {"text": text}
        if usage:
            body["usage"] = usage
        return self.happens(
            Input(
                kind="reply",
                now_ms=self.now_ms,
                party=party,
                ask_id=self.asked(party).id,
                body=body,  # type: ignore[arg-type]
            )
        )

    def tells(self, party: str, text: str) -> Talk:
        """Say something that nobody asked for."""
        return self.happens(
            Input(kind="message", now_ms=self.now_ms, party=party, body={"text": text})
        )

    def fails(self, party: str, reason: str = "crashed") -> Talk:
        return self.happens(
            Input(
                kind="failure",
                now_ms=self.now_ms,
                party=party,
                ask_id=self.asked(party).id,
                body={"reason": reason},
            )
        )

    def time(self, now_ms: int) -> Talk:
        self.now_ms = now_ms
        return self.happens(Input(kind="timer", now_ms=now_ms))

    def positions(self, **red_lines: str) -> Talk:
        """Let every seat state its position, with a red line or without."""
        for name in self.rules.ids:
            line = red_lines.get(name, "none")
            self.says(name, f"PRIORITY: {name}\nRATIONALE: it matters\nRED LINE: {line}")
        return self

    def proposes(self, party: str, want: str, offer: str = "nothing") -> Talk:
        return self.says(party, f"I OFFER: {offer}\nI WANT: {want}\nRATIONALE: fair")


@pytest.fixture
def make_talk() -> Callable[..., Talk]:
    """Return a function that starts a negotiation of CC, CX and GM, speaking in this order."""

    def make(**changed: object) -> Talk:
        given: dict[str, object] = {"question": "Which protocol?", "seats": SEATS, "seed": "1"}
        given |= changed
        seats = given["seats"]
        assert isinstance(seats, dict)
        given.setdefault("order", sorted(seats))
        return Talk(consent_rules(**given))  # type: ignore[arg-type]

    return make


@pytest.fixture
def talk(make_talk: Callable[..., Talk]) -> Talk:
    """Return a negotiation in words, before the positions."""
    return make_talk()


@pytest.fixture
def tls() -> Domain:
    """Return two terms and a sum: p99_latency_ms is 20 + (60 or 0) + 15 per retry."""
    return domain_of(
        {"tls": {"full": {"ms": 60}, "none": {"ms": 0}}, "retries": [0, 1, 2]},
        {"p99_latency_ms": "20 + tls.ms + 15 * retries"},
    )
