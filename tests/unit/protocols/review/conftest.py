"""What the tests of reviews share: rules in one line, replies in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Input, Step
from comity.protocols.collect.rules import Gate
from comity.protocols.review.machine import start, step
from comity.protocols.review.presets import POWER_TRIO, preset_rules
from comity.protocols.review.rules import ReviewLimits, ReviewRules
from comity.protocols.review.state import ReviewState

Live = Step[ReviewState]

YES = "Fine.\nVOTE: APPROVE"
NO_PERSON = Gate(on="none", default="block")
_LIMITS = {"deadline_ms", "reasks", "blocks", "max_rounds"}


class Review:
    """A review that is driven by hand."""

    def __init__(self, rules: ReviewRules) -> None:
        self.rules = rules
        self.last: Live = start(rules)
        self.told: list[Live] = [self.last]
        self.now_ms = 1_000
        self.do(Input(kind="resumed", now_ms=self.now_ms))

    def do(self, happened: Input) -> Live:
        self.last = step(self.last.state, happened)
        self.told.append(self.last)
        return self.last

    def asked(self, party: str) -> str:
        return next((one.id for one in self.last.asks if one.party == party), "none")

    def payload(self, party: str) -> Any:
        return next(one.payload for one in self.last.asks if one.party == party)

    def says(self, party: str, text: str | JsonObject) -> Live:
        """Answer what this party is asked."""
        body = {"text": text} if isinstance(text, str) else text
        return self.do(
            Input(
                kind="reply",
                now_ms=self.now_ms,
                party=party,
                ask_id=self.asked(party),
                body=body,
            )
        )

    def sends(self, party: str, text: str | JsonObject) -> Live:
        """Send what nobody asked for."""
        body = {"text": text} if isinstance(text, str) else text
        return self.do(Input(kind="message", now_ms=self.now_ms, party=party, body=body))

    def all_say(self, **said: str) -> Live:
        """Let the named say this, and every other voter approve."""
        for name in sorted(self.state.phase.voters):
            if self.asked(name) != "none":
                self.says(name, said.get(name, YES))
        return self.last

    def fails(self, party: str, reason: str = "crashed") -> Live:
        return self.do(
            Input(
                kind="failure",
                now_ms=self.now_ms,
                party=party,
                ask_id=self.asked(party),
                body={"reason": reason},
            )
        )

    def time(self, at_ms: int | None = None) -> Live:
        self.now_ms = at_ms if at_ms is not None else self.last.wake_at_ms or 0
        return self.do(Input(kind="timer", now_ms=self.now_ms))

    @property
    def state(self) -> ReviewState:
        return self.last.state

    @property
    def reasons(self) -> list[str]:
        return [one.reason for one in self.last.rejected]

    @property
    def outcome(self) -> Any:
        assert self.last.outcome is not None
        return self.last.outcome

    @property
    def tally(self) -> Any:
        return self.outcome.review.rounds[-1]


def rules_of(*phases: str, text: str = "Build it.", **settings: Any) -> ReviewRules:
    limits = {name: settings.pop(name) for name in _LIMITS & settings.keys()}
    if limits:
        settings["limits"] = ReviewLimits(**limits)
    settings.setdefault("gate", NO_PERSON)
    wanted = phases or ("plan",)
    return preset_rules(POWER_TRIO.name, "PLAN.md", artefact=text, phases=wanted, **settings)


def opened(*phases: str, **settings: Any) -> Review:
    return Review(rules_of(*phases, **settings))


@pytest.fixture
def review() -> Callable[..., Review]:
    """Return a function that opens a review; without a person unless a gate is given."""
    return opened
