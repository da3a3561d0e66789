"""Laws of live auctions: what holds whoever bids, in whatever order, and whoever is silent.

Here: drawn auctions (sense, nonsense, changes, failures, time, restarts) and what must hold after
every input and at the end.
Not here: single rules (tests/unit/protocols/bidding), the rules that sell (test_auction_laws.py).
Sources: SEMANTICS A1, A2, C3, G1, G3, G4, K2; ARCHITECTURE contracts 1-4.
"""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.core.step import Ask, Input, Step
from comity.mechanisms.auctions import AUCTIONS, commitment
from comity.protocols.bidding.machine import start, step
from comity.protocols.bidding.opening import bidding_rules, rules_from_json
from comity.protocols.bidding.rules import BiddingLimits, BiddingRules
from comity.protocols.bidding.state import BiddingState
from comity.session.record import input_body, input_from

BIDDERS = ("ann", "bob", "cyd", "dan")
AMOUNTS = [0, 7, 12, "12.50", "37/3", 99]
NONSENSE = ["", "hm", "BID: -1", "BID: 1\nBID: 2", '{"bid": true}', "BID - bob: 99", "STAY OUT"]
LIMITS = BiddingLimits(deadline_ms=10_000, reveal_ms=10_000, level_ms=10_000)


@st.composite
def all_rules(draw: st.DrawFn) -> BiddingRules:
    mode = draw(st.sampled_from(["sealed", "sealed", "commit", "english", "dutch"]))
    bidders = BIDDERS[: draw(st.integers(1, 4))]
    told: dict[str, Any] = {"reserve": draw(st.sampled_from([0, 10, "12.25"]))}
    if mode in {"english", "dutch"}:
        step_ = draw(st.sampled_from([4, "1/2", "2.5"]))
        far = "end" if mode == "english" else "start"
        told |= {"mode": mode, far: draw(st.sampled_from([13, "14.75"])), "step": step_}
    else:
        told["commit"] = mode == "commit"
        told["units"] = draw(st.sampled_from([1, 1, 2]))
        told["changes"] = draw(st.sampled_from(["last", "first", "reject"]))
    return bidding_rules("x", bidders, seed="1", limits=LIMITS, **told)


def nonce_of(bidder: str) -> str:
    return f"nonce-of-{bidder}".ljust(20, "0")


def hashed(rules: BiddingRules, bidder: str, amount: Any) -> str:
    made = commitment(amount, nonce_of(bidder), bidder=bidder, auction=rules.digest)
    return f"COMMIT: {made}"


def sense(rules: BiddingRules, bidder: str, kind: str, amount: Any) -> str:
    if kind == "commit":
        return hashed(rules, bidder, amount)
    if kind == "reveal":
        return f"REVEAL: {amount} NONCE: {nonce_of(bidder)}"
    return f"BID: {amount}"


def kind_of(state: BiddingState) -> str:
    return {"committing": "commit", "revealing": "reveal", "price": "price"}.get(
        state.phase, "bid"
    )


def drawn_input(draw: st.DrawFn, last: Step[BiddingState], now_ms: int) -> Input:
    what = draw(st.sampled_from(["reply"] * 6 + ["message", "failure", "resumed", "time"]))
    due = last.wake_at_ms or 0
    if what == "time":
        return Input(kind="timer", now_ms=max(now_ms, draw(st.sampled_from([0, due]))))
    if what == "resumed":
        return Input(kind="resumed", now_ms=now_ms)
    rules, kind = last.state.rules, kind_of(last.state)
    party = draw(st.sampled_from([*rules.bidders, "zoe"]))
    asked: Ask | None = None
    if what != "message" and last.asks:
        asked = draw(st.sampled_from(last.asks))
        party = asked.party
    if kind == "price":
        said = draw(st.sampled_from(["STAY", "STAY", "TAKE", "PASS", "OUT", "hm"]))
    else:
        amounts = [sense(rules, party, kind, one) for one in AMOUNTS]
        said = draw(st.sampled_from([*amounts, "PASS", *NONSENSE]))
    body = {"reason": "crashed"} if what == "failure" else {"text": said}
    if asked is None:
        return Input(kind="message", now_ms=now_ms, party=party, body=body)
    return Input(kind=what, now_ms=now_ms, party=party, ask_id=asked.id, body=body)  # type: ignore[arg-type]


@st.composite
def auctions(draw: st.DrawFn) -> tuple[BiddingRules, list[Input], list[Step[BiddingState]]]:
    """Draw what happens until the auction has ended."""
    rules = draw(all_rules())
    steps, inputs, now_ms = [start(rules)], [], 0
    while steps[-1].outcome is None:
        last = steps[-1]
        now_ms += draw(st.sampled_from([0, 10, 3_000]))
        happened = drawn_input(draw, last, now_ms)
        if len(inputs) > 50:
            happened = Input(kind="timer", now_ms=last.wake_at_ms or 0)
        now_ms = max(now_ms, happened.now_ms)
        inputs.append(happened)
        steps.append(step(last.state, happened))
    return rules, inputs, steps


@given(auctions())
def test_k2_the_record_leads_to_the_same_steps_at_every_prefix(lived: Any) -> None:
    rules, inputs, steps = lived
    again = rules_from_json(json.loads(canonical(rules.to_json())))
    last = start(again)
    assert last == steps[0]
    for happened, was in zip(inputs, steps[1:], strict=True):
        last = step(last.state, input_from(json.loads(canonical(input_body(happened)))))
        assert last == was


@given(auctions())
def test_g1_the_outcome_survives_json_and_holds_every_bidder_once(lived: Any) -> None:
    rules, _, steps = lived
    outcome, state = steps[-1].outcome, steps[-1].state
    assert result_from_json(json.loads(canonical(outcome.to_json()))) == outcome
    grounds = outcome.grounds
    assert [one.party for one in grounds.submissions] == list(rules.bidders)
    assert {one.party for one in grounds.submissions if one.what is None} == set(grounds.absent)
    if rules.mode == "sealed":
        phase = "revealing" if rules.commit else "bidding"
        apart = [*state.counted(phase), *grounds.abstained, *grounds.invalid, *grounds.absent]
        assert sorted(apart) == sorted(rules.bidders)


@given(auctions())
def test_a2_the_outcome_is_what_the_rule_says_to_the_bids_that_stand(lived: Any) -> None:
    rules, _, steps = lived
    outcome, state = steps[-1].outcome, steps[-1].state
    if rules.mode != "sealed":
        yes = [(one["price"], one["yes"]) for one in state.phases if one["yes"]]
        assert (outcome.kind == "award") is bool(yes)
        if yes:
            assert str(outcome.price) == str(yes[-1][0])
            assert outcome.winner in yes[-1][1]
        return
    phase = "revealing" if rules.commit else "bidding"
    bids = {name: one.amounts for name, one in state.counted(phase).items()}
    if not rules.takes_several:
        bids = {name: one[0] for name, one in bids.items()}
    more = {"units": rules.units} if rules.sells_units else {}
    once: Any = AUCTIONS[rules.rule](bids, reserve=rules.reserve, seed="1", **more)
    assert (outcome.says, outcome.kind) == (once.says, once.kind)
    assert outcome.grounds.inputs_digest == once.grounds.inputs_digest
    if outcome.kind == "award":
        assert (outcome.winners, outcome.payments) == (once.winners, once.payments)


@given(auctions())
def test_c3_an_input_changes_nothing_of_any_other_bidder(lived: Any) -> None:
    rules, inputs, steps = lived
    for before, happened, after in zip(steps, inputs, steps[1:], strict=False):
        others = [name for name in rules.bidders if name != happened.party]
        for name in others if happened.party is not None else rules.bidders:
            own = [one for one in before.state.handed if one.bidder == name]
            assert [one for one in after.state.handed if one.bidder == name] == own
        if after.rejected and after.rejected[0].reason in {"late", "repeated", "not_a_bidder"}:
            assert after.state == before.state


@given(auctions())
def test_g9_nobody_is_asked_twice_at_once_and_all_have_one_deadline(lived: Any) -> None:
    _, _, steps = lived
    for one in steps:
        asked = [ask.party for ask in one.asks]
        assert len(set(asked)) == len(asked)
        assert {ask.deadline_ms for ask in one.asks} <= {one.wake_at_ms}
        assert {ask.kind for ask in one.asks} <= {kind_of(one.state)}


# --- order, names, secrecy -------------------------------------------------------------------


def played(rules: BiddingRules, bids: dict[str, Any], order: list[str]) -> list[Step[Any]]:
    """Return the steps when everybody hands in its bid, in this order in every phase."""
    steps = [start(rules)]
    while steps[-1].outcome is None:
        asks = {one.party: one for one in steps[-1].asks}
        one = next(asks[name] for name in order if name in asks)
        text = sense(rules, one.party, one.kind, bids[one.party])
        body = {"text": text}
        now = Input(kind="reply", now_ms=0, party=one.party, ask_id=one.id, body=body)
        steps.append(step(steps[-1].state, now))
    return steps


bids_of_all = st.fixed_dictionaries({name: st.sampled_from(AMOUNTS) for name in BIDDERS})
orders = st.permutations(BIDDERS)
ways = st.sampled_from([{}, {"commit": True}, {"units": 2}, {"rule": "first_price"}])


@given(bids_of_all, orders, orders, ways)
def test_g4_the_order_of_bidders_and_of_bids_does_not_matter(
    bids: Any, order: Any, listed: Any, way: Any
) -> None:
    rules = bidding_rules("x", BIDDERS, seed="1", reserve=7, **way)
    other = bidding_rules("x", listed, seed="1", reserve=7, **way)
    straight = played(rules, bids, list(BIDDERS))[-1].outcome
    assert played(other, bids, order)[-1].outcome == straight


@given(st.permutations(AMOUNTS), st.sampled_from(list(permutations(range(4)))), ways)
def test_who_has_which_name_does_not_matter(amounts: Any, renamed: Any, way: Any) -> None:
    rules = bidding_rules("x", BIDDERS, seed="1", reserve=0, **way)
    bids = dict(zip(BIDDERS, amounts, strict=False))  # no two alike: no lot, which draws names
    names = {name: BIDDERS[at] for name, at in zip(BIDDERS, renamed, strict=True)}
    one: Any = played(rules, bids, list(BIDDERS))[-1].outcome
    moved = {names[name]: bids[name] for name in BIDDERS}
    other: Any = played(rules, moved, list(BIDDERS))[-1].outcome
    paid = {names[item.name]: item.value for item in one.payments}
    assert paid == {item.name: item.value for item in other.payments}


@given(
    bids_of_all,
    st.sampled_from(BIDDERS),
    st.sampled_from(AMOUNTS),
    st.permutations(BIDDERS),
    st.sampled_from([{}, {"commit": True}, {"units": 2}]),
)
def test_a2_nothing_that_others_are_told_depends_on_a_sealed_bid(
    bids: Any, who: str, amount: Any, order: Any, way: Any
) -> None:
    rules = bidding_rules("x", BIDDERS, seed="1", reserve=0, **way)
    one = played(rules, bids, order)
    other = played(rules, {**bids, who: amount}, order)
    assert told_to_others(one, who) == told_to_others(other, who)


def told_to_others(steps: list[Step[Any]], who: str) -> list[Any]:
    """Return all that the others see while the auction is open, but the digest of the hashes."""
    return [
        (
            [
                (ask.id, ask.kind, {**ask.payload, "commitments_digest": ""})
                for ask in one.asks
                if ask.party != who
            ],
            one.notes,
            one.wake_at_ms,
        )
        for one in steps[:-1]
    ]


@given(st.lists(st.integers(0, 40), min_size=2, max_size=4), st.integers(1, 7))
def test_a2_a_rising_clock_comes_within_a_step_of_the_second_price(
    values: list[int], move: int
) -> None:
    worth = dict(zip(BIDDERS, values, strict=False))
    rules = bidding_rules("x", worth, seed="1", reserve=0, mode="english", end=48, step=move)
    last = start(rules)
    while last.outcome is None:
        one = last.asks[0]
        price: Any = one.payload["price"]
        body = {"stay": worth[one.party] >= price}
        now = Input(kind="reply", now_ms=0, party=one.party, ask_id=one.id, body=body)
        last = step(last.state, now)
    outcome: Any = last.outcome
    second = sorted(values)[-2]
    assert second - move < outcome.price <= second + move
    assert worth[outcome.winner] >= outcome.price
    assert worth[outcome.winner] > max(values) - move
