"""Clock auctions: the price moves, bidders say yes or no; who is left, or takes it first?

Here: English and Dutch clocks as pure states: one step per price, with what everybody said at it.
Not here: who asks the bidders and for how long (a machine does that), sealed bids (sealed.py).
Sources: SEMANTICS A2; Milgrom and Weber 1982 (the English clock).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from comity.core.canonical import plain
from comity.core.errors import Fault, did_you_mean, raise_if, shown
from comity.core.exact import Exact, like, show_number, to_fraction
from comity.core.parties import PartyId, name_fault
from comity.core.results import Item
from comity.core.step import Rejected, Step
from comity.mechanisms.auctions.assumptions import FIRST_PRICE_WARNING, ONE_ITEM
from comity.mechanisms.auctions.bids import Amount, read_reserve
from comity.mechanisms.auctions.inputs import Inputs
from comity.mechanisms.auctions.lots import Seed, read_seed, seed_json
from comity.mechanisms.auctions.results import (
    AuctionAward,
    AuctionNoSale,
    Externality,
    PriceSetter,
    money,
)

__all__ = ["ClockKind", "ClockLevel", "ClockRules", "ClockState", "clock_start", "clock_step"]

ClockKind = Literal["english", "dutch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRules:
    """What decides a clock auction.

    Attributes:
        kind: ``english``: the price rises, who says no is out, silence is no; ``dutch``: the price
            falls, the first yes wins.
        bidders: who may bid.
        reserve: the lowest price: where an English clock starts, where a Dutch one ends.
        step: how far the price moves, above 0.
        start: where a Dutch clock starts; an English one starts at the reserve.
        unit: the unit of every price.
        seed: what a tie is drawn by; without one, by the digest of all that was said.

    Example:
        >>> ClockRules(kind="english", bidders=("a", "b"), reserve=40, step=1).start is None
        True
    """

    kind: ClockKind
    bidders: Sequence[PartyId]
    reserve: Amount
    step: Amount
    start: Amount | None = None
    unit: str = ""
    seed: Seed = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockLevel:
    """One price and who said yes to it.

    Attributes:
        price: the price.
        yes: who said yes, sorted.

    Example:
        >>> ClockLevel(price=40, yes=("a",)).yes
        ('a',)
    """

    price: Exact
    yes: tuple[PartyId, ...]


@dataclass(frozen=True, kw_only=True)
class ClockState:
    """Where a clock auction stands.

    Attributes:
        kind: which clock.
        price: the price that is asked now; the last one when it is over.
        active: who is asked, sorted.
        step: how far the price moves.
        reserve: the lowest price.
        bidders: everybody, sorted.
        levels: what was said so far.
        unit: the unit of every price.
        seed: what a tie is drawn by.
        is_over: whether it has ended.
    """

    kind: ClockKind
    price: Exact
    active: tuple[PartyId, ...]
    step: Exact
    reserve: Exact
    bidders: tuple[PartyId, ...]
    levels: tuple[ClockLevel, ...] = ()
    unit: str = ""
    seed: str | tuple[Exact, ...] | None = None
    is_over: bool = False

    @cached_property
    def inputs(self) -> Inputs:
        """Everything that was said, with the rules."""
        said = {
            name: [level.price for level in self.levels if name in level.yes]
            for name in self.bidders
        }
        return Inputs(
            rule=f"{self.kind}_clock",
            submitted=tuple((name, plain(prices)) for name, prices in said.items()),
            parameters=(
                ("reserve", plain(self.reserve)),
                ("step", plain(self.step)),
                ("prices", plain([level.price for level in self.levels])),
                ("unit", self.unit),
                ("seed", seed_json(self.seed)),
            ),
            seed=self.seed,
        )


def clock_start(rules: ClockRules) -> Step[ClockState]:
    """Open a clock auction.

    Args:
        rules: what decides it.

    Returns:
        The first step: its state says what price is asked, of whom.

    Raises:
        InvalidInput: with every fault of the rules at once.

    Example:
        >>> rules = ClockRules(kind="dutch", bidders=["b", "a"], reserve=10, step=5, start=50)
        >>> state = clock_start(rules).state
        >>> state.price, state.active
        (50, ('a', 'b'))
    """
    faults: list[Fault] = []
    kinds = ("english", "dutch")
    if rules.kind not in kinds:
        near = did_you_mean(str(rules.kind), kinds)
        faults.append(Fault("clock", f"kind is {shown(rules.kind)}", " or ".join(kinds), near))
    reserve = read_reserve(rules.reserve, faults)
    step = read_reserve(rules.step, faults)
    if not step:
        faults.append(Fault("clock", "step is 0", "a number above 0", "say how far it moves"))
    start = reserve if rules.start is None else read_reserve(rules.start, faults)
    if rules.kind == "dutch" and rules.start is None:
        faults.append(Fault("clock", "has no start", "a first price", "say where it starts"))
    if start < reserve or (rules.kind == "english" and start != reserve):
        what = f"starts at {show_number(start)} with a reserve of {show_number(reserve)}"
        allowed = "an English clock starts at the reserve, a Dutch one not below it"
        faults.append(Fault("clock", what, allowed, "correct the start"))
    names = list(rules.bidders) if not isinstance(rules.bidders, str) else []
    faults.extend(fault for one in names if (fault := name_fault(one, "bidder")) is not None)
    if not names or len(set(map(shown, names))) < len(names):
        what = f"bidders are {shown(rules.bidders)}"
        faults.append(Fault("clock", what, "at least one name, each once", "list the bidders"))
    seed = read_seed(rules.seed, faults)
    raise_if(faults)
    return Step(
        state=ClockState(
            kind=rules.kind,
            price=like(to_fraction(start), start, step),
            active=tuple(sorted(names)),
            step=step,
            reserve=reserve,
            bidders=tuple(sorted(names)),
            unit=rules.unit,
            seed=seed,
        )
    )


def clock_step(state: ClockState, said: Mapping[PartyId, bool]) -> Step[ClockState]:
    """Close one price with what everybody said to it.

    Args:
        state: where the auction stands.
        said: bidder -> yes or no; silence is no.

    Returns:
        The next price, or the outcome. What strangers and bidders that are out say is rejected.

    Example:
        >>> rules = ClockRules(kind="english", bidders=["a", "c"], reserve=40, step=1)
        >>> state = clock_start(rules).state
        >>> values = {"a": 42, "c": 51}
        >>> while not state.is_over:
        ...     step = clock_step(state, {who: values[who] >= state.price for who in state.active})
        ...     state = step.state
        >>> step.outcome.winner, step.outcome.price
        ('c', 43)
    """
    if state.is_over:
        over = (Rejected(reason="ended", party=None, hint="the auction is over"),)
        return Step(state=state, rejected=over)
    rejected = tuple(
        Rejected(reason="not_active", party=name, hint="only bidders that are still in are asked")
        for name in sorted(said)
        if name not in state.active
    ) + tuple(
        Rejected(reason="not_yes_or_no", party=name, hint="say true or false")
        for name in state.active
        if not isinstance(said.get(name, False), bool)
    )
    yes = tuple(name for name in state.active if said.get(name) is True)
    now = replace(state, levels=(*state.levels, ClockLevel(price=state.price, yes=yes)))
    moved = _english(now, yes) if state.kind == "english" else _dutch(now, yes)
    return replace(moved, rejected=rejected)


def _english(state: ClockState, yes: tuple[PartyId, ...]) -> Step[ClockState]:
    if len(yes) > 1:
        price = like(to_fraction(state.price) + to_fraction(state.step), state.price, state.step)
        return Step(state=replace(state, price=price, active=yes))
    if yes:
        return _sold(state, yes, state.price)
    if len(state.levels) == 1:
        return _unsold(state, "nobody said yes to the reserve")
    return _sold(state, state.active, state.levels[-2].price)


def _dutch(state: ClockState, yes: tuple[PartyId, ...]) -> Step[ClockState]:
    if yes:
        return _sold(state, yes, state.price)
    if state.price == state.reserve:
        return _unsold(state, "nobody said yes on the way down to the reserve")
    lower = max(to_fraction(state.price) - to_fraction(state.step), to_fraction(state.reserve))
    price = like(lower, state.price, state.step, state.reserve)
    return Step(state=replace(state, price=price))


def _sold(state: ClockState, able: tuple[PartyId, ...], price: Exact) -> Step[ClockState]:
    lots = state.inputs.lots()
    winner = lots.pick("winner", able)
    is_english = state.kind == "english"
    is_alone = is_english and len(state.levels) == 1
    says = f"{winner} wins at {money(price, state.unit)} by the {state.kind} clock."
    cost = Externality(winner=winner, others_without=price, others_with=0, cost=price)
    outcome = AuctionAward(
        winners=((winner, "item"),),
        payments=(Item(winner, price),),
        unit=state.unit,
        reserve=state.reserve,
        price_set_by=(
            PriceSetter(winner=winner, price=price, set_by="reserve" if is_alone else "clock"),
        ),
        externalities=(cost,) if is_english else (),
        welfare=price,
        revenue=price,
        flags=("no_competition",) if is_alone else () if is_english else ("bids_are_shaded",),
        assumptions=(
            ("values are known to one step of the clock", *ONE_ITEM)
            if is_english
            else FIRST_PRICE_WARNING
        ),
        notes=("a clock hides what the winner would have paid: the welfare is its price",),
        says=says,
        grounds=state.inputs.grounds(
            "clock stopped",
            lots=lots,
            thin=("no competition: one bidder said yes to the reserve",) if is_alone else (),
        ),
    )
    return Step(state=replace(state, is_over=True, active=()), outcome=outcome)


def _unsold(state: ClockState, why: str) -> Step[ClockState]:
    floor = money(state.reserve, state.unit)
    outcome = AuctionNoSale(
        reason="below_reserve",
        unblock=(f"a yes at {floor}", "a lower reserve"),
        unit=state.unit,
        reserve=state.reserve,
        assumptions=ONE_ITEM if state.kind == "english" else FIRST_PRICE_WARNING,
        says=f"No sale: {why} {floor}.",
        grounds=state.inputs.grounds("below_reserve"),
    )
    return Step(state=replace(state, is_over=True, active=()), outcome=outcome)
