"""What the tests of live auctions share: rules in one line, answers in one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Input, Step
from comity.mechanisms.auctions import commitment
from comity.protocols.bidding.machine import start, step
from comity.protocols.bidding.opening import bidding_rules
from comity.protocols.bidding.rules import BiddingLimits, BiddingRules
from comity.protocols.bidding.state import BiddingState

Live = Step[BiddingState]
_LIMITS = {"deadline_ms", "reveal_ms", "level_ms", "reasks"}


class Auction:
    """A live auction that is driven by hand."""

    def __init__(self, rules: BiddingRules) -> None:
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

    def says(self, party: str, said: str | JsonObject) -> Live:
        """Answer what this party is asked, or send it unasked."""
        body = {"text": said} if isinstance(said, str) else said
        asked = self.asked(party)
        kind: Any = "message" if asked == "none" else "reply"
        return self.do(Input(kind=kind, now_ms=self.now_ms, party=party, ask_id=asked, body=body))

    def all_say(self, **said: str) -> Live:
        for party, words in said.items():
            self.says(party, words)
        return self.last

    def sends(self, party: str | None, text: str) -> Live:
        return self.do(Input(kind="message", now_ms=self.now_ms, party=party, body={"text": text}))

    def fails(self, party: str, reason: str = "crashed") -> Live:
        asked, body = self.asked(party), {"reason": reason}
        return self.do(
            Input(kind="failure", now_ms=self.now_ms, party=party, ask_id=asked, body=body)
        )

    def time(self, at_ms: int | None = None) -> Live:
        self.now_ms = at_ms if at_ms is not None else self.last.wake_at_ms or 0
        return self.do(Input(kind="timer", now_ms=self.now_ms))

    def do_cancel(self) -> Live:
        return self.do(Input(kind="cancel", now_ms=self.now_ms))

    def hash_of(self, party: str, bid: Any, nonce: str = "") -> str:
        made = commitment(
            bid, nonce or self.nonce(party), bidder=party, auction=self.last.state.auction
        )
        return f"COMMIT: {made}"

    def nonce(self, party: str) -> str:
        return f"{party}-0123456789abcdef"

    def reveal(self, party: str, bid: Any) -> str:
        return f"REVEAL: {bid} NONCE: {self.nonce(party)}"

    @property
    def reasons(self) -> list[str]:
        return [one.reason for one in self.last.rejected]

    @property
    def outcome(self) -> Any:
        assert self.last.outcome is not None
        return self.last.outcome

    @property
    def submitted(self) -> dict[str, Any]:
        return {one.party: one.what for one in self.outcome.grounds.submissions}

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self.outcome.grounds.parameters)


def opened(bidders: str = "ann bob cyd", **settings: Any) -> Auction:
    limits = {name: settings.pop(name) for name in _LIMITS & settings.keys()}
    if limits:
        settings["limits"] = BiddingLimits(**limits)
    mode = settings.get("mode")
    settings.setdefault("reserve", 0 if mode is None else 10)
    if mode == "english":
        settings = {"end": 50, "step": 10, **settings}
    if mode == "dutch":
        settings = {"start": 50, "step": 10, **settings}
    return Auction(bidding_rules("a slot", bidders.split(), seed="1", **settings))


@pytest.fixture
def auction() -> Callable[..., Auction]:
    """Return a function that opens an auction; a clock runs between 10 and 50 in steps of 10."""
    return opened
