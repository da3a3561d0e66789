"""Levels: a price of a clock has closed; what is the next one, or how does it end?

Here: one step of a clock with the answers to its price, its last price among them.
Not here: who is asked and for how long (machine.py), the clock's own rule
(mechanisms/auctions/clock.py).
Sources: SEMANTICS A2, G4: a lot decides among who is left at the last price.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from comity.core.exact import Exact, to_fraction
from comity.core.parties import PartyId
from comity.core.step import Step
from comity.mechanisms.auctions import AuctionAward, ClockState, clock_step
from comity.mechanisms.auctions.results import money

__all__ = ["next_level"]


def next_level(clock: ClockState, said: Mapping[PartyId, bool], end: Exact) -> Step[ClockState]:
    """Close one price of a clock.

    Beyond the last price of an English clock nobody is asked, so nobody stays: the rule then
    sells to one of those who are left, at the last price.

    Args:
        clock: where the clock stands.
        said: who said yes or no; silence is no.
        end: the last price.

    Returns:
        The next price, never beyond the last one, or the outcome.

    Example:
        >>> from comity.mechanisms.auctions import ClockRules, clock_start
        >>> rules = ClockRules(kind="english", bidders=["a", "b"], reserve=5, step=2, seed="1")
        >>> both = {"a": True, "b": True}
        >>> second = next_level(clock_start(rules).state, both, 6)
        >>> second.state.price
        6
        >>> next_level(second.state, both, 6).outcome.price
        6
    """
    after = clock_step(clock, said)
    if clock.kind == "dutch" or after.outcome is not None:
        return after
    if to_fraction(clock.price) == to_fraction(end):
        left = len(after.state.active)
        beyond = clock_step(after.state, {})
        sold = beyond.outcome
        assert isinstance(sold, AuctionAward)
        last = money(clock.price, clock.unit)
        note = f"the clock ended at {last} with {left} bidders still in: a lot among them"
        return replace(beyond, outcome=replace(sold, notes=(*sold.notes, note)))
    if to_fraction(after.state.price) > to_fraction(end):
        return replace(after, state=replace(after.state, price=end))
    return after
