"""What the tests of live votes share: rules in one line, votes in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Input, Step
from comity.protocols.collect.machine import start, step
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate, VoteLimits, VoteRules
from comity.protocols.collect.state import VoteState

Live = Step[VoteState]
NO_PERSON = Gate(on="none")
_LIMITS = {"deadline_ms", "reasks", "least_voters"}


class Vote:
    """A live vote that is driven by hand."""

    def __init__(self, rules: VoteRules) -> None:
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

    def says(self, party: str, text: str | JsonObject) -> Live:
        """Answer what this party is asked, or send it unasked."""
        body = {"text": text} if isinstance(text, str) else text
        asked = self.asked(party)
        kind: Any = "message" if asked == "none" else "reply"
        return self.do(Input(kind=kind, now_ms=self.now_ms, party=party, ask_id=asked, body=body))

    def sends(self, party: str, text: str) -> Live:
        return self.do(Input(kind="message", now_ms=self.now_ms, party=party, body={"text": text}))

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
    def reasons(self) -> list[str]:
        return [one.reason for one in self.last.rejected]

    @property
    def outcome(self) -> Any:
        assert self.last.outcome is not None
        return self.last.outcome


def opened(voters: str = "ann bob cyd", **settings: Any) -> Vote:
    limits = {name: settings.pop(name) for name in _LIMITS & settings.keys()}
    if limits:
        settings["limits"] = VoteLimits(**limits)
    kind = settings.get("kind", "choice")
    if kind != "yes_no":
        settings.setdefault("options", ["A", "B", "C"])
    settings.setdefault("gate", NO_PERSON)
    return Vote(vote_rules("Which?", voters.split(), seed="1", **settings))


@pytest.fixture
def vote() -> Callable[..., Vote]:
    """Return a function that opens a vote; without a person behind it unless a gate is given."""
    return opened
