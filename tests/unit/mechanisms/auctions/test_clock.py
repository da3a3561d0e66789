"""Clock auctions: English and Dutch, level by level, ties, silence and nonsense."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.auctions.clock import ClockRules, ClockState, clock_start, clock_step
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale
from comity.mechanisms.auctions.sealed import first_price, vickrey


def rules(kind: Any, bidders: Any, reserve: Any = 0, step: Any = 1, **more: Any) -> ClockRules:
    return ClockRules(kind=kind, bidders=bidders, reserve=reserve, step=step, **more)


def play(values: dict[str, int], clock: ClockRules) -> Any:
    """Let bidders say yes while the price is at most their value."""
    state = clock_start(clock).state
    while not state.is_over:
        step = clock_step(state, {who: values[who] >= state.price for who in state.active})
        state = step.state
    return step.outcome


VALUES = {"a": 42, "b": 37, "c": 51, "d": 29}


def test_a2_an_english_clock_ends_where_the_last_rival_leaves() -> None:
    sale = play(VALUES, rules("english", list(VALUES)))
    assert isinstance(sale, AuctionAward)
    assert (sale.winner, sale.price) == ("c", 43)
    assert sale.price_set_by[0].set_by == "clock"
    assert sale.assumptions[0] == "values are known to one step of the clock"
    assert result_from_json(sale.to_json()) == sale
    # one step at most above what sealed second price would charge
    assert sale.price - vickrey(VALUES, reserve=0).price == 1  # type: ignore[operator]


def test_a2_a_dutch_clock_ends_at_the_first_yes() -> None:
    sale = play(VALUES, rules("dutch", list(VALUES), reserve=10, step=7, start=60))
    assert isinstance(sale, AuctionAward)
    assert (sale.winner, sale.price, sale.flags) == ("c", 46, ("bids_are_shaded",))
    assert sale.externalities == ()
    fine = play(VALUES, rules("dutch", list(VALUES), start=60))
    assert fine.price == first_price(VALUES, reserve=0).price


def test_a1_one_yes_to_the_reserve_pays_it_flagged_and_thin() -> None:
    sale = play({"a": 42, "b": 5}, rules("english", ["a", "b"], reserve=30))
    assert (sale.winner, sale.price, sale.flags) == ("a", 30, ("no_competition",))
    assert sale.thin == ("no competition: one bidder said yes to the reserve",)
    assert sale.price_set_by[0].set_by == "reserve"


def test_a1_nobody_at_the_reserve_is_no_sale() -> None:
    up = play({"a": 4}, rules("english", ["a"], reserve=5, unit="GBP"))
    down = play({"a": 4}, rules("dutch", ["a"], reserve=5, step=3, start=9))
    assert isinstance(up, AuctionNoSale)
    assert isinstance(down, AuctionNoSale)
    assert up.says == "No sale: nobody said yes to the reserve 5 GBP."
    assert down.says == "No sale: nobody said yes on the way down to the reserve 5."


def test_g4_who_leaves_or_says_yes_together_is_drawn() -> None:
    seen = set()
    for seed in range(20):
        up = play({"a": 9, "b": 9, "c": 2}, rules("english", ["a", "b", "c"], seed=str(seed)))
        assert (up.price, up.grounds.ties[0].tied) == (9, ("a", "b"))
        down = play({"a": 9, "b": 9}, rules("dutch", ["b", "a"], start=20, seed=str(seed)))
        assert (down.price, down.grounds.ties[0].tied) == (9, ("a", "b"))
        seen |= {("up", up.winner), ("down", down.winner)}
    assert len(seen) == 4


def test_a2_silence_is_no() -> None:
    state = clock_start(rules("english", ["a", "b", "c"])).state
    state = clock_step(state, {"a": True, "b": True}).state
    assert state.active == ("a", "b")
    assert clock_step(state, {}).outcome is not None


def test_a_step_is_total_and_rejects_nonsense() -> None:
    state = clock_start(rules("english", ["a", "b"])).state
    step = clock_step(state, {"a": True, "b": "yes", "z": True})  # type: ignore[dict-item]
    assert [(one.reason, one.party) for one in step.rejected] == [
        ("not_active", "z"),
        ("not_yes_or_no", "b"),
    ]
    assert step.outcome is not None
    again = clock_step(step.state, {"a": True})
    assert (again.state, again.rejected[0].reason) == (step.state, "ended")


def test_g3_a_state_is_not_changed_by_a_step() -> None:
    state = clock_start(rules("english", ["a", "b"])).state
    before = repr(state)
    clock_step(state, {"a": True, "b": True})
    assert repr(state) == before
    assert isinstance(state, ClockState)


def test_g5_prices_keep_their_type() -> None:
    state = clock_start(rules("english", ["a", "b"], reserve="1.50", step="0.25")).state
    assert clock_step(state, {"a": True, "b": True}).state.price == Decimal("1.75")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"kind": "japanese"}, "kind is 'japanese'"),
        ({"step": 0}, "step is 0"),
        ({"step": "x"}, "reserve is 'x'"),
        ({"kind": "dutch"}, "has no start"),
        ({"kind": "dutch", "start": 1, "reserve": 2}, "starts at 1 with a reserve of 2"),
        ({"start": 9}, "starts at 9"),
        ({"bidders": []}, "bidders are []"),
        ({"bidders": "ab"}, "bidders are 'ab'"),
        ({"bidders": ["a", "a"]}, "bidders are ['a', 'a']"),
        ({"bidders": [" "]}, "cannot be used as a name"),
        ({"seed": 3}, "seed: is 3"),
    ],
)
def test_g7_faults_of_the_rules_are_told(wrong: dict[str, Any], told: str) -> None:
    given = {"kind": "english", "bidders": ["a"], "reserve": 0, "step": 1, **wrong}
    with pytest.raises(InvalidInput) as caught:
        clock_start(ClockRules(**given))
    assert told in str(caught.value)
