"""Plain values: the fixed spellings of scarce things, and what each refuses.

Here: `comity.vickrey`, `comity.share`, `comity.find_cycle` and `comity.resolve` with the values a
newcomer writes; every refusal in its four parts.
Not here: each rule's own tests (tests/unit/mechanisms).
Sources: issue "scarce things", fixed spellings; SEMANTICS G5-G7, A1, D3, L1, R1.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import comity
from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Claim, Policy
from comity.mechanisms.auctions import Bid

NAN, INF = float("nan"), float("inf")
NO_NUMBERS = [NAN, INF, -INF, Decimal("NaN"), True, None, "much", "", [1], 1j]


def refusals(call: Callable[[], object]) -> list[str]:
    """Return the faults of a call, each with its four parts."""
    with pytest.raises(InvalidInput) as refused:
        call()
    for fault in refused.value.faults:
        assert all((fault.whose, fault.what, fault.allowed, fault.next))
    return [str(fault) for fault in refused.value.faults]


# --- the spellings ---------------------------------------------------------------------------


def test_a1_one_bidder_without_a_reserve_pays_nothing_and_it_is_said() -> None:
    found = comity.vickrey({"a": 42}, reserve=0)
    assert (found.winner, found.price, found.flags) == ("a", 0, ("no_competition",))
    assert (found.exit_code, bool(found.thin)) == (0, True)


def test_d2_the_article_shares_12000_by_gain() -> None:
    claims = {
        "a": [[4000, 2], [4000, 1.1], [4000, 0.4]],
        "b": [[3000, 3], [3000, 1.5], [6000, 0.5]],
        "c": [[2000, 2.5], [3000, 1.2], [7000, 0.3]],
    }
    found: Any = comity.share(12000, claims, objective="utilitarian")
    assert found.allocation == {"a": 4000, "b": 6000, "c": 2000}
    assert found.total_gain == 26500


def test_l1_a_circle_is_true_and_none_is_false() -> None:
    assert comity.find_cycle({"a": {"b"}, "b": {"a"}}).members == ("a", "b")
    assert comity.find_cycle({"a": ["b"], "b": "c"}).exit_code == 0
    assert not comity.find_cycle({})


def test_r1_losing_ages_until_the_lowest_priority_wins() -> None:
    state: Any = None
    won = []
    for at in range(4):
        found: Any = comity.resolve([("A", 3), ("C", 1)], state, seed=str(at))
        state = found.state
        won.append(found.winner)
    assert won[0] == "A"
    assert "C" in won


@pytest.mark.parametrize(
    "bids",
    [{"a": 42, "b": 41}, [("a", 42), ("b", 41)], [Bid("a", 42), Bid("b", 41)],
     {"a": "42", "b": Decimal(41)}, {"a": Fraction(42), "b": 41.0}],
)  # fmt: skip
def test_bids_may_be_written_in_any_plain_way(bids: Any) -> None:
    found = comity.vickrey(bids, reserve=0)
    assert (found.winner, found.price) == ("a", 41)


# --- what each refuses -----------------------------------------------------------------------


@pytest.mark.parametrize("value", [*NO_NUMBERS, -1])
def test_a1_vickrey_refuses_what_is_no_bid_and_no_reserve(value: Any) -> None:
    (bid,) = refusals(lambda: comity.vickrey({"a": value, "b": 1}, reserve=0))
    assert bid.startswith("bid of 'a': ")
    (reserve,) = refusals(lambda: comity.vickrey({"a": 1}, reserve=value))
    assert reserve.startswith("auction: reserve is ")


def test_a1_the_reserve_is_an_explicit_choice() -> None:
    with pytest.raises(TypeError, match="reserve"):
        comity.vickrey({"a": 1})  # type: ignore[call-arg]


def test_g6_vickrey_refuses_bids_in_different_units() -> None:
    bids = [Bid("a", 3, "ms"), Bid("b", 2, "GBP")]
    assert "a (ms), b (GBP)" in refusals(lambda: comity.vickrey(bids, reserve=0))[0]


def test_a1_vickrey_refuses_two_bids_of_one_identity() -> None:
    bids = [("a", 3), ("a", 4)]
    assert "handed in 2 times" in refusals(lambda: comity.vickrey(bids, reserve=0))[0]


@pytest.mark.parametrize("value", [one for one in NO_NUMBERS if one is not None])
def test_g5_share_refuses_what_is_no_amount(value: Any) -> None:
    curves = {"a": [[9, 1]]}
    assert refusals(lambda: comity.share(value, curves))[0].startswith("rules: budget is ")
    for claim, field in (([[value, 1]], "width 0"), ([[1, value]], "slope 0")):
        assert f"a: {field} is " in refusals(lambda one=claim: comity.share(9, {"a": one}))[0]
    minimum = refusals(lambda: comity.share(9, curves, minimum={"a": value}))
    assert minimum[0].startswith("a: minimum is ")


def test_d1_share_refuses_what_is_negative() -> None:
    assert "budget is -1" in refusals(lambda: comity.share(-1, {"a": [[9, 1]]}))[0]
    assert "width 0 is -9" in refusals(lambda: comity.share(9, {"a": [[-9, 1]]}))[0]
    assert "minimum is -1" in refusals(lambda: comity.share(9, {"a": [[9, 1]]}, minimum=-1))[0]


@pytest.mark.parametrize("claim", [None, 3, "all", {}, {"segments": []}, {"power": 2}, [1]])
def test_d1_share_refuses_what_is_no_gain_curve(claim: Any) -> None:
    assert refusals(lambda: comity.share(9, {"a": claim}))[0].startswith("a: ")
    assert refusals(lambda: comity.share(9, claim))


def test_g6_share_refuses_to_add_gains_in_different_units() -> None:
    curves = {"a": [[9, 1]], "b": [[9, 1]]}
    told = {"units": {"a": "ms", "b": "GBP"}}
    said = refusals(lambda: comity.share(9, curves, objective="utilitarian", **told))
    assert "a (ms), b (GBP) would add different units" in said[0]
    assert "state rates" in said[0]
    assert comity.share(9, curves, **told).kind == "allocation", "nash needs no common unit"


def test_d3_minima_that_do_not_fit_are_a_no_decision_with_the_shortfall() -> None:
    found: Any = comity.share(10, {"a": [[10, 1]], "b": [[10, 1]]}, minimum=6)
    assert (found.kind, found.reason, found.shortfall) == ("no_decision", "infeasible", 2)
    assert "raise the budget to 12" in found.unblock


@pytest.mark.parametrize("value", [NAN, -1, True, None, 3])
def test_l1_find_cycle_refuses_what_is_no_name(value: Any) -> None:
    assert refusals(lambda: comity.find_cycle({"a": value}))[0].startswith("waits of 'a': ")
    assert refusals(lambda: comity.find_cycle({value: "a"}))[0].startswith("waits: name ")
    assert refusals(lambda: comity.find_cycle({"a": ["b", value]}))


@pytest.mark.parametrize("value", [NAN, INF, True, None, "late"])
def test_l2_find_cycle_refuses_what_is_no_measure(value: Any) -> None:
    ring = {"a": "b", "b": "a"}
    for measure in ("started", "held", "priority", "aborts"):
        agents = {"a": {measure: value}, "b": {measure: 1}}
        said = refusals(lambda told=agents: comity.find_cycle(ring, agents=told))
        assert said[0].startswith(f"a: {measure} is ")
    negative = {"a": {"held": -1}, "b": {"held": 1}}
    assert "held is -1" in refusals(lambda: comity.find_cycle(ring, agents=negative))[0]


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_r1_resolve_refuses_what_is_no_priority(value: Any) -> None:
    said = refusals(lambda: comity.resolve([("a", value), ("b", 1)], seed="7"))
    assert said[0].startswith("claim of 'a': priority is ")


def test_r4_resolve_refuses_negative_bids_and_bonuses() -> None:
    bids = [Claim("a", 1, None, -1), Claim("b", 1, None, 2)]
    second = Policy(rule="second_price")
    assert "bids -1" in refusals(lambda: comity.resolve(bids, seed="7", policy=second))[0]
    assert "c is -1" in refusals(lambda: Policy(c=-1))[0]


@pytest.mark.parametrize(
    ("claims", "told"),
    [([], "claims: are []"), ([("a", 1), ("a", 1)], "claims twice"), ("ab", "claims: are 'ab'"),
     ([("", 1)], "agent")],
)  # fmt: skip
def test_g7_resolve_refuses_what_are_no_claims(claims: Any, told: str) -> None:
    assert told in refusals(lambda: comity.resolve(claims, seed="7"))[0]


def test_g4_resolve_refuses_to_draw_without_a_seed() -> None:
    no_seed: Any = None
    assert "seed: is None" in refusals(lambda: comity.resolve([("a", 1)], seed=no_seed))[0]


def test_g7_all_faults_come_at_once() -> None:
    bids = {"a": NAN, "b": -1, "c": True}
    assert len(refusals(lambda: comity.vickrey(bids, reserve=INF))) == 4
    claims: Any = {"a": [[NAN, -1]], "b": 3}
    assert len(refusals(lambda: comity.share(True, claims, minimum=-1))) >= 4
    assert len(refusals(lambda: comity.resolve([("a", NAN), ("b", True)], 3, seed="7"))) >= 3
    waits: Any = {"a": 3, 4: "b"}
    assert len(refusals(lambda: comity.find_cycle(waits, victim="oldest"))) >= 3  # type: ignore[arg-type]
