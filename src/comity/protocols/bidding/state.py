"""Bidding state: what has been handed in so far, and what a bidder is told when it is asked.

Here: the frozen state of a live auction, what was handed in with its history, its asks.
Not here: how it changes (machine.py), how it ends (closing.py).
Sources: SEMANTICS A2, G4, G9; no payload is made of what anybody else handed in: of sealed bids
nothing at all, of commitments the digest of all, of a clock the price and how many are in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from comity.core.canonical import Json, JsonObject, digest, plain
from comity.core.exact import Exact
from comity.core.parties import PartyId
from comity.core.step import Ask
from comity.mechanisms.auctions import ClockState, clock_start
from comity.protocols.bidding.brief import bidding_brief
from comity.protocols.bidding.grammar import AskKind, forms
from comity.protocols.bidding.rules import BiddingRules

__all__ = ["BiddingState", "Handed", "Phase", "Status", "ask", "new_state"]

Phase = Literal["bidding", "committing", "revealing", "price", "ended"]
Status = Literal["counted", "refused", "replaced", "ignored"]

_KIND_OF_PHASE: dict[Phase, AskKind] = {
    "bidding": "bid",
    "committing": "commit",
    "revealing": "reveal",
    "price": "price",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """Something that a bidder handed in: a bid, a commitment, a reveal, or that it declines.

    Attributes:
        bidder: who handed it in.
        phase: when.
        amounts: the bid, or those for the first, second, ... unit.
        committed: the hash of a commitment.
        nonce: the nonce of a reveal.
        declines: whether it bids nothing, by its own word.
        status: ``counted``; ``refused``; ``replaced`` by a later one; ``ignored``, as the first
            one stands.
        reason: why it is refused, a code, or "".
        said: what stood there when it was refused.
        hint: why it is refused, in words.

    Example:
        >>> Handed(bidder="ann", phase="bidding", amounts=(42,)).status
        'counted'
    """

    bidder: PartyId
    phase: Phase
    amounts: tuple[Exact, ...] = ()
    committed: str = ""
    nonce: str = ""
    declines: bool = False
    status: Status = "counted"
    reason: str = ""
    said: str = ""
    hint: str = ""

    def says_the_same(self, other: Handed) -> bool:
        """Tell whether another one hands in the same."""
        return replace(self, status="counted") == replace(other, status="counted")


@dataclass(frozen=True, slots=True, kw_only=True)
class BiddingState:
    """Everything a live auction remembers; the fold of its inputs.

    Attributes:
        rules: what it was opened with.
        auction: its name in commitments.
        phase: where it is.
        asked: asks made so far, for their ids.
        asks: the asks that stand.
        closes_ms: when the phase, or the price, closes for all alike; before any time is known
            it counts from 0.
        handed: everything that was handed in, in order.
        clock: where the clock stands; None for sealed bids.
        answers: bidder -> its answer to the price that stands, sorted.
        failed: bidder -> why it could not answer in this phase, sorted.
        unread: who gave no readable answer to the price that stands, sorted.
        phases: the phases, or prices, that are closed.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> new_state(bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0)).phase
        'bidding'
    """

    rules: BiddingRules
    auction: str
    phase: Phase
    asked: int = 0
    asks: tuple[Ask, ...] = ()
    closes_ms: int = 0
    handed: tuple[Handed, ...] = ()
    clock: ClockState | None = None
    answers: tuple[tuple[PartyId, bool], ...] = ()
    failed: tuple[tuple[PartyId, str], ...] = ()
    unread: tuple[PartyId, ...] = ()
    phases: tuple[JsonObject, ...] = ()

    def standing(self, bidder: PartyId, phase: Phase) -> Handed | None:
        """Return what a bidder handed in and that stands, counted or refused, or None."""
        own = (one for one in self.handed if (one.bidder, one.phase) == (bidder, phase))
        return next((one for one in own if one.status in {"counted", "refused"}), None)

    def counted(self, phase: Phase) -> dict[PartyId, Handed]:
        """Return bidder -> what counts of a phase, refusals and those who decline left out."""
        return {
            one.bidder: one
            for one in self.handed
            if one.phase == phase and one.status == "counted" and not one.declines
        }

    @property
    def expected(self) -> tuple[PartyId, ...]:
        """Who is asked in this phase, or at this price, sorted."""
        if self.clock is not None:
            return self.clock.active
        if self.phase == "revealing":
            return tuple(sorted(self.counted("committing")))
        return self.rules.bidders

    @property
    def missing(self) -> tuple[PartyId, ...]:
        """Who of them has not answered, sorted."""
        answered = {name for name, _ in self.answers}
        return tuple(
            name
            for name in self.expected
            if name not in answered and self.standing(name, self.phase) is None
        )

    @property
    def wake_at_ms(self) -> int | None:
        """When the machine wants to hear that time has passed."""
        return None if self.phase == "ended" else self.closes_ms

    @property
    def time_ms(self) -> int:
        """How long this phase, or a price, is open."""
        limits = self.rules.limits
        if self.phase == "price":
            return limits.level_ms
        return limits.reveal_ms if self.phase == "revealing" else limits.deadline_ms


def new_state(rules: BiddingRules) -> BiddingState:
    """Return the state before anybody was asked.

    Args:
        rules: the rules.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> rules = bidding_rules(
        ...     "a slot", ["ann", "bob"], seed="1", reserve=5, mode="english", end=20, step=5
        ... )
        >>> new_state(rules).clock.price
        5
    """
    clock = rules.clock
    phase: Phase = "committing" if rules.commit else "bidding"
    state = BiddingState(
        rules=rules,
        auction=rules.digest,
        phase=phase if clock is None else "price",
        clock=None if clock is None else clock_start(clock).state,
    )
    return replace(state, closes_ms=state.time_ms)


def ask(
    state: BiddingState, bidder: PartyId, *, again: str = "", attempt: int = 1
) -> BiddingState:
    """Return the state with one more ask standing.

    Args:
        state: the state so far.
        bidder: who is asked.
        again: why it is asked again, or "".
        attempt: 1, or more when asked again.

    Returns:
        The state; its last ask is the new one.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> rules = bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0)
        >>> ask(new_state(rules), "ann").asks[0].payload["form"]
        'BID: an amount, or PASS'
    """
    kind = _KIND_OF_PHASE[state.phase]
    new = Ask(
        id=f"a{state.asked + 1}",
        party=bidder,
        kind=kind,
        payload=_payload(state, kind, bidder, again),
        deadline_ms=state.closes_ms,
        attempt=attempt,
    )
    return replace(state, asked=state.asked + 1, asks=(*state.asks, new))


def _payload(state: BiddingState, kind: AskKind, bidder: PartyId, again: str) -> JsonObject:
    rules = state.rules
    form, as_json = forms(kind, rules)
    payload: dict[str, Json] = {
        "protocol": "bidding",
        "kind": kind,
        "seat": bidder,
        "item": rules.item,
        "mode": rules.mode,
        "rule": rules.rule,
        "reserve": plain(rules.reserve),
        "unit": rules.unit,
        "units": rules.units,
        "takes_several": rules.takes_several,
        "min_bidders": rules.min_bidders,
        "bidders": len(rules.bidders),
        "form": form,
        "json_form": as_json,
        "deadline_ms": state.time_ms,
        "changes": rules.changes,
        "work": rules.work,
        "again": again,
    }
    if rules.commit:
        payload["auction"] = state.auction
    if kind == "reveal":
        commitments = {one.bidder: one.committed for one in state.counted("committing").values()}
        payload["commitment"] = commitments[bidder]
        payload["commitments"] = len(commitments)
        payload["commitments_digest"] = digest(commitments)
    if state.clock is not None:
        payload["price"] = plain(state.clock.price)
        payload["end"] = plain(rules.end)
        payload["step"] = plain(rules.step)
        payload["still_in"] = len(state.clock.active)
    return {**payload, "brief": bidding_brief(payload)}
