"""A1, A2, G4, G9, contract 1: everything that can happen in small live auctions, counted.

One to three bidders, a handful of answers, changes of mind, failures, time: every state can still
finish, every end is one outcome that nothing changes any more, and it is what the rule that sells
says to the bids that stand. The counts are pinned: a change of the rules shows here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Ask, Input, Step
from comity.mechanisms.auctions import commitment, vickrey
from comity.protocols.bidding.machine import start, step
from comity.protocols.bidding.opening import bidding_rules
from comity.protocols.bidding.rules import BiddingLimits, BiddingRules
from comity.protocols.bidding.state import BiddingState
from comity.testing.explore import Explored, answers, explore


def rules_of(bidders: str, **settings: Any) -> BiddingRules:
    limits = BiddingLimits(
        deadline_ms=1_000, reveal_ms=1_000, level_ms=1_000, reasks=settings.pop("reasks", 0)
    )
    told = {"reserve": 5, **settings}
    return bidding_rules("x", bidders.split(), seed="1", limits=limits, **told)


def bodies_of(rules: BiddingRules, said: Sequence[str]) -> Callable[[Ask], list[JsonObject]]:
    def bodies(ask: Ask) -> list[JsonObject]:
        nonce = f"nonce of {ask.party}".replace(" ", "-").ljust(20, "0")
        if ask.kind == "reveal":
            return [{"text": f"REVEAL: {one} NONCE: {nonce}"} for one in said]
        if ask.kind == "commit":
            made = [
                commitment(one, nonce, bidder=ask.party, auction=rules.digest)
                for one in said
                if one.isdigit()
            ]
            return [{"text": f"COMMIT: {one}"} for one in made]
        words = said if ask.kind == "price" else [f"BID: {one}" for one in said]
        return [{"text": one} for one in words]

    return bodies


def inputs_of(rules: BiddingRules, said: Sequence[str], *, silence: bool, changes: bool) -> Any:
    bodies = bodies_of(rules, said)
    replies = answers(bodies)

    def inputs(last: Step[BiddingState]) -> Iterable[Input]:
        yield from replies(last)
        if changes:
            for name in last.state.counted("bidding"):
                body = {"text": f"BID: {said[0]}"}
                yield Input(kind="message", now_ms=0, party=name, body=body)
        if silence:
            for one in last.asks:
                yield Input(kind="failure", now_ms=0, party=one.party, ask_id=one.id, body={})
            if last.wake_at_ms is not None:
                yield Input(kind="timer", now_ms=last.wake_at_ms)

    return inputs


def future(state: BiddingState) -> Hashable:
    """All that a state's future depends on, and all that is told at the end but the payloads."""
    clock = state.clock
    return (
        (state.phase, state.asked, state.closes_ms),
        tuple([(one.id, one.party, one.attempt) for one in state.asks]),
        (state.handed, state.answers, state.failed, state.unread),
        None if clock is None else (clock.price, clock.active, clock.levels),
        state.phases,
    )


def explored(rules: BiddingRules, inputs: Callable[[Step[Any]], Iterable[Input]]) -> Explored:
    ends: list[Step[BiddingState]] = []

    def watched(state: BiddingState, happened: Input) -> Step[BiddingState]:
        after = step(state, happened)
        if after.outcome is not None:
            ends.append(after)
        return after

    found = explore(start(rules), watched, inputs, key=future)
    for end in ends:
        check_end(rules, end)
    return found


def check_end(rules: BiddingRules, end: Step[BiddingState]) -> None:
    """A1, G4: the winner and price are those of the bids that stand, made from nothing."""
    outcome: Any = end.outcome
    assert not end.asks
    assert [one.party for one in outcome.grounds.submissions] == list(rules.bidders)
    if rules.mode != "sealed":
        check_clock(rules, end)
        return
    bids = {one.bidder: one for one in end.state.handed if one.status == "counted"}
    if rules.commit:
        bids = end.state.counted("revealing")
    once: Any = vickrey(
        {name: one.amounts[0] for name, one in bids.items()}, reserve=rules.reserve, seed="1"
    )
    assert (outcome.kind, outcome.winner, outcome.price) == (once.kind, once.winner, once.price)
    heard = {one.bidder for one in end.state.handed}
    assert set(outcome.grounds.absent) == set(rules.bidders) - heard


def check_clock(rules: BiddingRules, end: Step[BiddingState]) -> None:
    outcome: Any = end.outcome
    yes = [(one["price"], one["yes"]) for one in end.state.phases]
    some = [(price, names) for price, names in yes if names]
    if not some:
        assert outcome.kind == "no_sale"
        return
    assert outcome.price == some[-1][0]
    assert outcome.winner in some[-1][1]
    if rules.mode == "english":
        prices = [price for price, _ in yes]
        assert prices == sorted(set(prices))


CASES: dict[str, tuple[BiddingRules, Any]] = {}


def case(name: str, rules: BiddingRules, said: str, **how: bool) -> None:
    how = {"silence": False, "changes": False, **how}
    CASES[name] = (rules, inputs_of(rules, said.split(), **how))


case("three sealed bids", rules_of("a b c"), "4 7 x")
case("two who may be silent", rules_of("a b"), "7 9", silence=True)
case("three who change their minds", rules_of("a b c", changes="last"), "7 9", changes=True)
case("two of whom the first bid stands", rules_of("a b", changes="first"), "7 9", changes=True)
case("two who are asked again", rules_of("a b", reasks=1), "7 -1")
case("two who commit", rules_of("a b", commit=True), "7 9", silence=True)
case("two who commit and are asked again", rules_of("a b", commit=True, reasks=1), "7 9")
case("a rising clock for three", rules_of("a b c", mode="english", end=7, step=1), "STAY OUT")
case(
    "a rising clock and silence",
    rules_of("a b", mode="english", end=6, step=1),
    "STAY OUT",
    silence=True,
)
case("a falling clock", rules_of("a b", mode="dutch", start=7, step=1), "TAKE PASS hm")

# case -> (states, transitions, endings)
PINNED: dict[str, tuple[int, int, dict[str, int]]] = {
    "three sealed bids": (
        226,
        225,
        {"award": 114, "no_sale: below_reserve": 42, "no_sale: no_bids": 6},
    ),
    "two who may be silent": (27, 31, {"award": 16, "no_sale: no_bids": 4}),
    "three who change their minds": (244, 363, {"award": 156}),
    "two of whom the first bid stands": (19, 22, {"award": 12}),
    "two who are asked again": (37, 52, {"award": 14, "no_sale: no_bids": 2}),
    "two who commit": (267, 311, {"award": 88, "no_sale: no_bids": 108}),
    "two who commit and are asked again": (301, 428, {"award": 112, "no_sale: no_bids": 16}),
    "a rising clock for three": (151, 270, {"award": 48, "no_sale: below_reserve": 1}),
    "a rising clock and silence": (45, 62, {"award": 22, "no_sale: below_reserve": 9}),
    "a falling clock": (316, 504, {"award": 105, "no_sale: below_reserve": 64}),
}


@pytest.mark.parametrize("name", CASES)
def test_every_walk_ends_and_the_counts_are_those_pinned(name: str) -> None:
    found = explored(*CASES[name])
    assert found.is_sound
    told = (found.states, found.transitions, dict(found.endings))
    assert told == PINNED[name], told


def test_an_auction_that_ends_otherwise_would_be_noticed() -> None:
    rules, inputs = CASES["three sealed bids"]
    ends: list[Step[BiddingState]] = []

    def watched(state: BiddingState, happened: Input) -> Step[BiddingState]:
        after = step(state, happened)
        ends.extend([after] if getattr(after.outcome, "kind", "") == "award" else [])
        return after

    explore(start(rules), watched, inputs, key=future)
    other = replace(ends[0].outcome, winners=(("zoe", "item"),))  # type: ignore[type-var, call-arg]
    with pytest.raises(AssertionError):
        check_end(rules, replace(ends[0], outcome=other))
