"""Rules tests: does each rule do what its row says, and fail as it says?

Here: every rule beside ageing.
Not here: ageing (test_losses.py, test_hours.py).
Sources: SEMANTICS R4.
"""

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput, UnknownName
from comity.mechanisms.arbitration import (
    RULES,
    Arbitration,
    ArbitrationGrant,
    ArbitrationNoSale,
    ArbitrationSplit,
    ArbitrationWaiting,
    Claim,
    Policy,
    resolve,
    rule_named,
)

PEOPLE = {"a": 9, "b": 5, "c": 1}
ARRIVED = [Claim("a", 9, at=5), Claim("b", 5, at=4), Claim("c", 1, at=6)]


def row(rule: str, many: int = 6, claims: Any = None, **options: Any) -> str:
    """Return who wins so many times in a row."""
    engine = Arbitration(Policy(rule=rule, **options), seed="7")
    asked = PEOPLE if claims is None else claims
    return "".join(engine.conflict(asked).winners[0] for _ in range(many))


def test_a_rule_is_found_by_name() -> None:
    assert rule_named("Round Robin") is RULES["round_robin"]
    assert rule_named("latest").facts.name == "latest"
    with pytest.raises(UnknownName, match="did you mean 'lottery'"):
        rule_named("lotery")


def test_r4_static_priority_starves_for_nineteen_days() -> None:
    assert row("static_priority", 19) == "a" * 19
    assert Policy(rule="static_priority", priorities=PEOPLE).warnings


def test_r4_first_come_and_latest_look_at_arrival() -> None:
    assert row("first_come", 3, ARRIVED) == "bbb"
    assert row("latest", 3, ARRIVED) == "ccc"
    for rule in ("first_come", "latest"):
        with pytest.raises(InvalidInput) as caught:
            row(rule)
        assert len(caught.value.faults) == 3
        assert "does not say when it arrived" in str(caught.value)


def test_r4_round_robin_takes_turns_and_an_absent_agent_loses_its_turn() -> None:
    assert row("round_robin") == "abcabc"
    engine = Arbitration(Policy(rule="round_robin"), seed="7")
    order = [PEOPLE, {"a": 9, "c": 1}, PEOPLE, {"a": 9, "c": 1}, PEOPLE]
    assert "".join(engine.conflict(one).winners[0] for one in order) == "acaca"


def test_r4_whoever_won_longest_ago_is_served() -> None:
    engine = Arbitration(Policy(rule="least_recently_served"), seed="7")
    assert sorted(engine.conflict(PEOPLE).winners[0] for _ in range(3)) == ["a", "b", "c"]
    first = engine.state.losses()
    oldest = min(first, key=lambda one: first[one])
    assert engine.conflict(PEOPLE).winners == (oldest,)
    assert engine.conflict({**PEOPLE, "new": 0}).winners == ("new",)


def test_r4_a_lottery_ignores_priority_and_a_weighted_one_goes_by_it() -> None:
    even = row("lottery", 900)
    assert all(250 < even.count(one) < 350 for one in "abc")
    by_weight = row("weighted_lottery", 1500)
    assert by_weight.count("a") > by_weight.count("b") > by_weight.count("c") > 50
    declared = row("weighted_lottery", 300, weights={"a": 1, "b": 1, "c": 100})
    assert declared.count("c") > 250


@pytest.mark.parametrize("rule", ["weighted_lottery", "stride"])
def test_r4_a_weight_of_0_never_sorts_first(rule: str) -> None:
    with pytest.raises(InvalidInput, match="claim of 'b': has the weight 0"):
        row(rule, 1, {"a": 1, "b": 0})


def test_r4_a_weighted_draw_is_told_as_one() -> None:
    grant = resolve(PEOPLE, seed="7", policy=Policy(rule="weighted_lottery"))
    (tie,) = grant.grounds.ties
    assert tie.label.endswith("by weight")
    assert tie.tied == ("a", "b", "c")


def test_r4_stride_with_several_units_moves_every_winner_on() -> None:
    engine = Arbitration(Policy(rule="stride", units=2), seed="7")
    wins = [one for _ in range(90) for one in engine.conflict({"a": 2, "b": 2, "c": 2}).winners]
    assert [wins.count(one) for one in "abc"] == [60, 60, 60]


def test_r4_the_second_price_is_what_the_best_loser_bid() -> None:
    policy = Policy(rule="second_price", reserve=3)
    bids: Any = [Claim("a", 0, bid=42), ("b", 37), ("c", 51), ("d", 2)]
    sold = resolve(bids, seed="7", policy=policy)
    assert isinstance(sold, ArbitrationGrant)
    assert (sold.winner, sold.price, sold.grounds.margin) == ("c", 42, 9)
    assert sold.scores == {"a": 42, "b": 37, "c": 51}, "bids below the reserve do not count"
    assert sold.says.startswith("c wins resource by 9 under second_price, at 42.")
    alone = resolve([("b", 37)], seed="7", policy=policy)
    assert isinstance(alone, ArbitrationGrant)
    assert alone.price == 3
    two = resolve(bids, seed="7", policy=Policy(rule="second_price", units=2))
    assert isinstance(two, ArbitrationGrant)
    assert (two.winners, two.price) == (("c", "a"), 37)


def test_r4_no_bid_reaches_the_reserve() -> None:
    found = resolve([("a", 2), ("b", 1)], seed="7", policy=Policy(rule="second_price", reserve=3))
    assert isinstance(found, ArbitrationNoSale)
    assert (found.winner, found.highest_bid, found.exit_code) == (None, 2, 10)
    assert found.grounds.ended_by == "reserve"
    assert found.tied == ()
    assert "no bid reaches the reserve" in found.says
    with pytest.raises(InvalidInput, match="bids -1"):
        resolve([("a", -1)], seed="7", policy=Policy(rule="second_price"))


def test_r4_expertise_is_declared_per_topic_and_never_self_reported() -> None:
    policy: Any = Policy(rule="expertise", expertise=[("law", "c", 3), ("tax", "b", 9)])
    assert resolve(PEOPLE, seed="7", policy=policy, resource="law").winner == "c"
    assert resolve(PEOPLE, seed="7", policy=policy, resource="tax").winner == "b"
    assert resolve(PEOPLE, seed="7", policy=policy, resource="art").tied == ("a", "b", "c")


def test_r4_split_gives_everybody_a_share() -> None:
    even = resolve(PEOPLE, seed="7", policy=Policy(rule="split"))
    assert isinstance(even, ArbitrationSplit)
    assert [one.value for one in even.shares] == [Fraction(1, 3)] * 3
    assert even.winners == ("a", "b", "c")
    assert even.says == "resource is split: a 1/3 (0.3333), b 1/3 (0.3333), c 1/3 (0.3333)."
    policy: Any = Policy(rule="split", weights={"a": 1, "b": 2, "c": 1})
    heavy = resolve(PEOPLE, seed="7", policy=policy)
    assert heavy.scores == {"a": Fraction(1, 4), "b": Fraction(1, 2), "c": Fraction(1, 4)}


def test_r4_a_person_decides() -> None:
    found = resolve(PEOPLE, seed="7", policy=Policy(rule="human"))
    assert isinstance(found, ArbitrationWaiting)
    assert (found.reason, found.exit_code, found.winner) == ("human", 11, None)
    assert found.says.startswith("A person decides who of a, b, c gets resource.")
    assert "nothing moves until somebody answers" in found.says
    assert found.grounds.ended_by == "human"
