"""Arbitration laws: does every promise hold whoever claims when, and whatever the lots say?

Here: bounds under adversarial participation and ties, restarts, absences, newcomers, rounds,
the fast ways against the explained one, order, fair lots, shares, the contract of a rule.
Not here: single cases (unit tests), the reference cases (oracles).
Sources: SEMANTICS R1-R4, G1, G3, G4; the proof in bounds.py.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.results import result_from_json
from comity.mechanisms.arbitration import (
    RULES,
    Arbitration,
    Claim,
    Conflict,
    Policy,
    Standing,
    State,
    chi_square_p,
    fairness,
    fixed_bound,
    fold,
    resolve,
    resolve_round,
    stride_bounds,
)
from comity.mechanisms.arbitration.choosing import tidy
from comity.mechanisms.arbitration.tie_tests import chi_square
from comity.testing.mechanism_checks import call, check_mechanism

if TYPE_CHECKING:
    from collections.abc import Iterator

VICTIM = (
    "a"  # the first name: an adversary that always takes the last of a tied set spares it never
)


class Against:
    """Lots of an adversary: the last of every tied set, so that the first name always loses."""

    seed = "adversary"

    def index(self, label: str, count: int) -> int:
        return count - 1


def engine_against(policy: Policy, state: Any = None) -> Arbitration:
    engine = Arbitration(policy, seed="7", state=state)
    engine.lots = Against()  # type: ignore[assignment]  # a stand-in
    return engine


def beaten(engine: Arbitration, claims: dict[str, Any], units: int, chance: random.Random) -> Any:
    """Return claims in which the victim just loses: the weakest that still beat it, if any."""
    scope, policy = engine.scope(), engine.policy

    def score(agent: str) -> Fraction:
        return Fraction(claims[agent]) + policy.c * Fraction(scope.marks.get(agent, 0))

    others = sorted((one for one in claims if one != VICTIM), key=score)
    able = [one for one in others if score(one) >= score(VICTIM)]
    if len(able) >= units and chance.random() < 0.8:
        return {one: claims[one] for one in [*able[:units], VICTIM]}
    some = [one for one in others if chance.random() < 0.6]
    return {one: claims[one] for one in some} or {others[0]: claims[others[0]]}


def streaks(conflicts: list[Conflict]) -> dict[str, int]:
    (record,) = fairness(conflicts)
    return {one.agent: one.longest_streak for one in record.agents}


def population(chance: random.Random, most: int = 7) -> dict[str, Any]:
    names = "abcdefghij"[: chance.randint(2, most)]
    bottom = chance.choice([1, 1, 2, 4])
    return {one: tidy(Fraction(chance.randint(0, 12), bottom)) for one in names}


def test_r3_no_fixed_priority_loses_more_often_than_proved() -> None:
    """R3: the first bound, over random populations, half of the time against one victim."""
    broken, tight = run_populations(400, per_claim=False)
    assert broken == []
    assert tight > 20, "the adversary reaches the bound"


@pytest.mark.full
def test_r3_no_fixed_priority_loses_more_often_in_ten_thousand_populations() -> None:
    broken, tight = run_populations(10_000, per_claim=False)
    assert broken == []
    assert tight > 500


def test_r3_no_priority_per_claim_loses_more_often_than_proved() -> None:
    """R3: the second bound."""
    broken, tight = run_populations(300, per_claim=True)
    assert broken == []
    assert tight > 5


@pytest.mark.full
def test_r3_no_priority_per_claim_loses_more_often_in_ten_thousand_populations() -> None:
    broken, _ = run_populations(10_000, per_claim=True)
    assert broken == []


def run_populations(many: int, *, per_claim: bool) -> tuple[list[Any], int]:
    broken: list[Any] = []
    tight = 0
    for seed in range(many):
        chance = random.Random(seed)  # noqa: S311  # populations, no secrets
        people = population(chance)
        units = chance.randint(1, len(people) - 1) if chance.random() < 0.4 else 1
        c = Fraction(chance.randint(1, 6), chance.choice([1, 2]))
        tolerance = None if chance.random() < 0.7 else Fraction(chance.randint(0, 4), 4)
        policy = Policy(c=c, units=units, tolerance=tolerance, per_claim=per_claim)
        engine = engine_against(policy)
        low, high = min(people.values()), max(people.values())
        against_one = chance.random() < 0.5
        log = []
        for _ in range(40):
            now = {
                one: chance.choice([low, high]) if per_claim else priority
                for one, priority in people.items()
            }
            if against_one:
                claims = beaten(engine, now, units, chance)
            else:
                share = chance.choice([0.5, 0.9, 1])
                claims = {one: now[one] for one in now if chance.random() < share}
            log.append(engine.conflict(claims or now))
        scope = engine.scope()
        bounds = policy.bounds(scope.population(policy))
        for agent, longest in streaks(log).items():
            bound = bounds[agent]
            assert bound is not None
            tight += longest == bound > 0
            if longest > bound:
                broken.append((seed, agent, longest, bound))
    return broken, tight


def test_r3_rounds_over_several_resources_keep_the_bound() -> None:
    """R2, R3: in one scope a round counts once, and the proof holds for rounds."""
    for seed in range(60):
        chance = random.Random(seed)  # noqa: S311  # populations, no secrets
        people = population(chance, 6)
        policy = Policy(c=chance.choice([1, 2]), scope="global")
        engine = engine_against(policy)
        log: list[Conflict] = []
        for _ in range(30):
            asked = {
                resource: {one: people[one] for one in people if chance.random() < 0.5}
                for resource in ("gpu", "tpu", "cpu")
            }
            asked = {resource: claims for resource, claims in asked.items() if claims}
            if asked:
                log.extend(engine.round(asked))
        (record,) = fairness(log, policy)
        for one in record.agents:
            assert one.bound is not None
            assert one.longest_streak <= one.bound, (seed, one)


def test_r1_newcomers_and_leavers_keep_the_bound() -> None:
    """R1, R3: agents come, stay away until they expire, and come back."""
    for seed in range(120):
        chance = random.Random(seed)  # noqa: S311  # populations, no secrets
        policy = Policy(c=chance.choice([1, 2]), expiry=chance.randint(0, 8))
        engine = engine_against(policy)
        people: dict[str, int] = {}
        log: list[Conflict] = []
        for number in range(60):
            if number % 9 == 0:
                people[f"n{number:02d}"] = chance.randint(0, 6)
            claims = {one: people[one] for one in people if chance.random() < 0.6} or people
            log.append(engine.conflict(claims))
            bounds = policy.bounds(engine.scope().population(policy))
            for agent, lost in engine.state.losses().items():
                assert lost <= bounds[agent], (seed, number, agent)  # type: ignore[operator]
        (record,) = fairness(log, policy)
        assert any(one.longest_streak for one in record.agents)


def test_r3_a_capped_policy_keeps_what_it_promises() -> None:
    """R3: a cap too high to be reached changes nothing; below it some keep their promise."""
    kept = 0
    for seed in range(200):
        chance = random.Random(seed)  # noqa: S311  # populations, no secrets
        people = population(chance, 5)
        policy = Policy(c=chance.choice([1, 2]), cap=chance.randint(0, 14), priorities=people)
        bounds = policy.bounds()
        engine = engine_against(policy)
        log = [engine.conflict(beaten(engine, people, 1, chance)) for _ in range(50)]
        kept += None in bounds.values() and any(bounds.values())
        for agent, longest in streaks(log).items():
            bound = bounds[agent]
            assert bound is None or longest <= bound, (seed, agent)
        starving = {one.agent for one in policy.warnings}
        assert starving == {agent for agent, bound in bounds.items() if bound is None}
    assert kept > 10


@pytest.mark.parametrize("cap", [3, 4, 5])
def test_r3_a_low_cap_starves_and_said_so(cap: int) -> None:
    """R3: who can starve was named when the policy was built."""
    people = {"a": 5, "b": 5, "c": 1}
    policy = Policy(c=1, cap=cap, priorities=people)
    engine = engine_against(policy)
    engine.lots = type(
        "Lots", (), {"index": lambda self, label, count: 0}
    )()  # never the last name
    winners = [engine.conflict(people).winners[0] for _ in range(200)]
    assert "c" not in winners
    assert "agent c can starve" in str(policy.warnings[0])


# --- other bounds ----------------------------------------------------------------------------


def test_r4_the_least_recently_served_waits_for_everybody_once() -> None:
    for seed in range(200):
        chance = random.Random(seed)  # noqa: S311  # populations, no secrets
        people = population(chance)
        units = chance.randint(1, 3)
        policy = Policy(rule="least_recently_served", units=units)
        engine = engine_against(policy)
        log = [
            engine.conflict({one: 0 for one in people if chance.random() < 0.6} or people)
            for _ in range(40)
        ]
        (record,) = fairness(log, policy)
        assert all(one.longest_streak <= (one.bound or 0) for one in record.agents), seed


@pytest.mark.parametrize("rule", ["stride", "round_robin"])
def test_r4_rules_for_standing_claims_keep_their_bound_while_all_claim(rule: str) -> None:
    tight = 0
    for seed in range(120):
        chance = random.Random(seed)  # noqa: S311  # populations, no secrets
        people = {one: chance.randint(1, 9) for one in population(chance, 5)}
        policy = Policy(rule=rule, priorities=people)
        engine = engine_against(policy)
        log = [engine.conflict(people) for _ in range(80)]
        bounds = policy.bounds()
        if rule == "stride":
            assert bounds == stride_bounds(people)
        for agent, longest in streaks(log).items():
            assert longest <= (bounds[agent] or 0), (seed, agent)
            tight += longest == bounds[agent]
    assert tight > 20
    assert policy.holds == "standing"
    assert policy.warnings


def test_r1_hours_keep_their_bound_while_all_claim_at_the_same_distance() -> None:
    """R1: then an hour waited is a loss counted, with c·Δ for c."""
    tight = 0
    for seed in range(120):
        chance = random.Random(seed)  # noqa: S311  # populations, no secrets
        people = population(chance, 5)
        units, hours = chance.randint(1, 2), chance.choice([Fraction(1, 2), 1, 3])
        policy = Policy(rule="hours", c=chance.choice([1, 2, Fraction(1, 2)]), units=units)
        engine = engine_against(policy)
        log = [engine.conflict(people, now=3600 * hours * at) for at in range(60)]
        for agent, longest in streaks(log).items():
            bound = fixed_bound(
                difference=max(people.values()) - people[agent],
                c=policy.c * hours,
                agents=len(people),
                units=units,
            )
            assert longest <= bound, (seed, agent)
            tight += longest == bound
    assert tight > 5


def test_r4_stride_gives_shares_and_a_returner_no_sweep() -> None:
    people = {"a": 4, "b": 2, "c": 1}
    engine = Arbitration(Policy(rule="stride"), seed="7")
    wins = Counter(engine.conflict(people).winners[0] for _ in range(700))
    assert [abs(wins[one] - 100 * people[one]) <= 1 for one in "abc"] == [True] * 3
    for _ in range(500):
        engine.conflict({"a": 4, "b": 2})
    back = Counter(engine.conflict(people).winners[0] for _ in range(21))
    assert back["c"] in (3, 4), "away 500 conflicts, one seventh of the next ones"


# --- shares, restarts ------------------------------------------------------------------------


def run_nine_five_one(many: int) -> tuple[dict[str, float], dict[str, int]]:
    engine = Arbitration(Policy(c=2), seed="7")
    claims = [("a", 9), ("b", 5), ("c", 1)]
    log = [engine.conflict(claims) for _ in range(many)]
    wins = Counter(one.winners[0] for one in log)
    gaps = {agent: lost + 1 for agent, lost in streaks(log).items()}
    return {agent: 100 * wins[agent] / many for agent in wins}, gaps


def check_nine_five_one(many: int) -> None:
    shares, gaps = run_nine_five_one(many)
    for agent, share in (("a", 57.5), ("b", 25.9), ("c", 16.6)):
        assert abs(shares[agent] - share) <= 1
    assert gaps["a"] <= 3
    assert gaps["b"] <= 5
    assert gaps["c"] <= 7


def test_r3_nine_five_one_has_the_shares_and_gaps_of_the_reference() -> None:
    check_nine_five_one(20_000)


@pytest.mark.full
def test_r3_nine_five_one_over_a_hundred_thousand_conflicts() -> None:
    check_nine_five_one(100_000)


def textbook(restart_every: int, many: int) -> Counter[str]:
    """The source's rule with its memory lost at every restart; always the first of the tied."""
    people = {"a": Fraction(5), "b": Fraction(5), "c": Fraction(1)}
    last: dict[str, int] = {}
    wins: Counter[str] = Counter()
    for hour in range(many):
        if hour % restart_every == 0:
            last.clear()
        scores = {
            one: priority + Fraction(hour - last.setdefault(one, hour), 10)
            for one, priority in people.items()
        }
        winner = min(one for one in scores if scores[one] == max(scores.values()))
        last[winner] = hour
        wins[winner] += 1
    return wins


def test_r1_a_restart_every_41_conflicts_starves_the_textbook_and_changes_nothing_here() -> None:
    many = 2_000
    assert textbook(41, many)["c"] == 0
    people = [("a", 5), ("b", 5), ("c", 1)]
    policy = Policy(c="1/10")
    steady = Arbitration(policy, seed="7")
    state: Any = None
    wins: Counter[str] = Counter()
    for start in range(0, many, 41):
        engine = Arbitration(policy, seed="7", state=state)
        for _ in range(min(41, many - start)):
            found = engine.conflict(people)
            assert found == steady.conflict(people)
            wins[found.winners[0]] += 1
        state = State.from_json(json.loads(json.dumps(engine.state.to_json())))
        assert state == engine.state
    bound = policy.bounds(dict(people))["c"]
    assert bound == 42
    assert wins["c"] >= many // (bound + 1)


@pytest.mark.parametrize("jump", [-86_400, -3_600, 0, 3_600, 10**9])
def test_r1_a_clock_that_jumps_changes_nothing_when_losses_count(jump: int) -> None:
    people = {"a": 5, "b": 5, "c": 1}
    still, jumpy = (Arbitration(Policy(), seed="7") for _ in range(2))
    for number in range(100):
        now = 3_600 * number + (jump if number > 50 else 0)
        assert still.conflict(people).winners == jumpy.conflict(people, now=now).winners


# --- the same by every way -------------------------------------------------------------------

names = st.sampled_from("abcdef")
whole = st.integers(-3, 9)
numbers = st.one_of(
    whole,
    st.fractions(-3, 9, max_denominator=4),
    st.decimals(-3, 9, places=1, allow_nan=False),
    st.floats(-3, 9, allow_nan=False).map(lambda one: round(one, 1)),
)


def histories(priorities: st.SearchStrategy[Any]) -> st.SearchStrategy[list[dict[str, Any]]]:
    claims = st.dictionaries(names, priorities, min_size=1, max_size=5)
    return st.lists(claims, min_size=1, max_size=12)


policies = st.builds(
    Policy,
    c=st.sampled_from([0, 1, 2, Fraction(1, 3)]),
    units=st.integers(1, 3),
    tolerance=st.sampled_from([None, 0, Fraction(1, 2)]),
    expiry=st.sampled_from([None, 0, 3]),
    cap=st.sampled_from([None, 3]),
)


@given(histories(whole) | histories(numbers), policies | st.just(Policy()), st.integers(0, 99))
def test_the_engine_and_resolve_decide_alike_in_any_order(
    history: list[dict[str, Any]], policy: Policy, seed: int
) -> None:
    """G3, G4: order never matters; the short way, the long way and the explained one agree."""
    engine = Arbitration(policy, seed=seed)
    state: Any = None
    for claims in history:
        found = engine.conflict(list(claims.items()))
        grant = resolve(list(claims.items())[::-1], state, seed=seed, policy=policy)
        assert found.winners == grant.winners
        assert found.stages == grant.contest.stages
        assert found.number == grant.contest.number
        assert [(one.agent, one.waited) for one in grant.contest.claimants] == [
            (one[0], mark) for one, mark in zip(found.claims, found.marks, strict=True)
        ]
        state = grant.state
        assert state == engine.state
        assert State.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert len(grant.winners) == min(policy.units, len(claims))


@given(histories(whole), st.sampled_from([0, 1, 2, Fraction(1, 3)]), st.integers(0, 99))
def test_a_twin_that_counts_from_the_whole_history_agrees(
    history: list[dict[str, int]], c: Any, seed: int
) -> None:
    """R1: losses are what the entries say, counted anew for every conflict."""
    engine = Arbitration(Policy(c=c), seed=seed)
    past: list[Conflict] = []
    for claims in history:
        scores = {one: claims[one] + c * lost_since_win(past, one) for one in claims}
        best = tuple(sorted(one for one in scores if scores[one] == max(scores.values())))
        found = engine.conflict(claims)
        assert found.stages == (best,)
        assert found.winners[0] in best
        past.append(found)
    assert fold(past, Policy(c=c)) == engine.state


def lost_since_win(past: list[Conflict], agent: str) -> int:
    lost = 0
    for one in reversed(past):
        if agent in one.winners:
            break
        lost += agent in dict(one.claims)
    return lost


@given(
    st.dictionaries(names, st.fractions(-3, 9, max_denominator=3), min_size=1),
    st.sampled_from([0, 1, Fraction(1, 3)]),
    st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from(["join", "leave", "go", "go", "go"]), names, whole)),
)
def test_standing_claims_are_decided_as_the_engine_decides(
    people: dict[str, Any], c: Any, units: int, steps: list[tuple[str, str, int]]
) -> None:
    """R1: the heap against the scan, with agents that come and go."""
    policy = Policy(c=c, units=units)
    standing = Standing(people, policy=policy, seed="7")
    engine = Arbitration(policy, seed="7")
    away: dict[str, int] = {}
    for step, agent, priority in steps:
        if step == "join" and agent not in people:
            people[agent] = priority
            standing.join(agent, priority, away.pop(agent, 0))
        elif step == "leave" and agent in people and len(people) > 1:
            del people[agent]
            away[agent] = standing.leave(agent)
        else:
            won, found = standing.conflict(), engine.conflict(people)
            assert (won.number, won.winners) == (found.number, found.winners)
            assert won.tied == tuple(map(len, found.stages))
            losses = engine.state.losses()
            assert standing.losses() == {one: losses[one] for one in sorted(people)}
    assert len(standing) == len(people)


@given(histories(numbers), st.sampled_from(sorted(RULES)), st.integers(0, 99))
def test_every_rule_answers_with_a_result_that_goes_through_json(
    history: list[dict[str, Any]], rule: str, seed: int
) -> None:
    """G1, G3: every rule, in any order of claims, with its state passed on as JSON."""
    state: Any = None
    for number, claims in enumerate(history):
        listed = [
            Claim(one, abs(Fraction(priority)) + 1, at=at)
            for at, (one, priority) in enumerate(claims.items())
        ]
        options: dict[str, Any] = {"seed": seed, "policy": Policy(rule=rule), "now": 60 * number}
        found = resolve(listed, state, **options)
        assert resolve(listed[::-1], state, **options) == found
        assert result_from_json(json.loads(json.dumps(found.to_json()))) == found
        assert set(found.winners) <= set(claims)
        assert str(found)
        state = json.loads(json.dumps(found.state.to_json()))


@given(
    st.dictionaries(
        st.sampled_from(["gpu", "tpu", "cpu"]),
        st.dictionaries(names, whole, min_size=1),
        min_size=1,
    )
)
def test_the_order_of_the_resources_of_a_round_does_not_matter(asked: dict[str, Any]) -> None:
    """R2: a round is resolved at once, in every scope."""
    groups = {"gpu": "x", "tpu": "x", "cpu": "y"}
    for policy in (Policy(), Policy(scope="global"), Policy(scope="group", groups=groups)):
        first = resolve_round(asked, seed="7", policy=policy)
        turned = dict(reversed(asked.items()))
        assert resolve_round(turned, first[0].state, seed="8", policy=policy) == resolve_round(
            asked, first[0].state, seed="8", policy=policy
        )


# --- lots and the contract -------------------------------------------------------------------


@pytest.mark.parametrize("size", [2, 3, 7])
def test_g4_lots_are_fair_over_ten_thousand_seeds(size: int) -> None:
    claims = [(one, 1) for one in "abcdefg"[:size]]
    wins = Counter(resolve_quickly(claims, seed) for seed in range(10_000))
    counts = [wins[one] for one, _ in claims]
    assert sum(counts) == 10_000
    assert chi_square_p(chi_square(counts), size - 1) > 0.001


def resolve_quickly(claims: list[tuple[str, int]], seed: int) -> str:
    return Arbitration(seed=seed).conflict(claims).winners[0]


def test_g4_one_seed_for_many_conflicts_is_fair_too() -> None:
    """G4: every lot has a label of its own, so one recorded seed serves a whole engine."""
    engine = Arbitration(Policy(rule="lottery"), seed="7")
    wins = Counter(engine.conflict({"a": 1, "b": 1, "c": 1}).winners[0] for _ in range(3_000))
    assert chi_square_p(chi_square([wins[one] for one in "abc"]), 2) > 0.001


def contract_calls() -> Iterator[Any]:
    claims = [("a", 9), ("b", "5.5"), ("c", Fraction(5, 4))]
    arrived = [Claim("a", 3, 5, 1), Claim("b", 2, 4, 2), Claim("c", 2, 6, 2)]
    state = resolve(claims, seed="1").state
    yield call(claims, seed="7")
    yield call(dict(claims), state, seed="7")
    yield call({"a": 1, "b": 1, "c": 1}, seed="7", policy=Policy(c=0, units=2))
    yield call({"a": 0.1 + 0.2, "b": 0.3}, {"a": 2, "b": 2}, seed=3)
    yield call(["a", "b"], seed="7", policy=Policy(priorities={"a": 1, "b": 2}))
    for rule in RULES:
        yield call(arrived, seed="7", policy=Policy(rule=rule, reserve=2), now=10)
    yield call(arrived, seed="7", policy=Policy(rule="second_price", reserve=9))


CHECKS = list(check_mechanism(resolve, list(contract_calls())))


@pytest.mark.parametrize(("name", "check"), CHECKS, ids=[name for name, _ in CHECKS])
def test_resolve_keeps_the_contract_of_a_rule(name: str, check: Any) -> None:
    check()
