"""Arbitration cases: does every listed conflict end as the reference says?

Here: every case of the reference data: ageing by losses, the textbook's rule by hours with its
defects (a twin of the source's code, kept in this file), bounds, alarms, tie tests, tolerance,
the fields of a log.
Not here: why each rule answers as it does (unit tests of the arbitration room).
Sources: SEMANTICS R1-R3, R5; the reference data's own README.
"""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from comity.core.ties import lot
from comity.mechanisms.arbitration import (
    Arbitration,
    ArbitrationGrant,
    Policy,
    State,
    chance_of_no_win,
    chi_square_p,
    entry_of,
    fixed_bound,
    multinomial_p,
    resolve,
    single_look,
    tied_with_the_best,
    unfold,
    wrong_in,
)
from comity.mechanisms.arbitration.tie_tests import chi_square

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

HALF = Fraction(1, 2)


@pytest.fixture(scope="module")
def cases(need_data: Callable[[str], Path]) -> dict[str, dict[str, Any]]:
    found = need_data("mechanisms/arbitration.json")
    listed: list[dict[str, Any]] = json.loads(found.read_text(encoding="utf-8"))["cases"]
    return {case["id"]: case for case in listed}


# --- the textbook's rule ---------------------------------------------------------------------


class Textbook:
    """The source's resolver: last win or first sight, a bonus per hour, one clock."""

    def __init__(self, bonus: Fraction, cap: Fraction | None = None) -> None:
        self.bonus, self.cap = bonus, cap
        self.last_win: dict[str, Fraction] = {}

    def resolve(
        self, claims: dict[str, Fraction], hours: Fraction, draw: Callable[[], Fraction]
    ) -> dict[str, Any]:
        effective = {}
        for agent, priority in claims.items():
            age = self.bonus * (hours - self.last_win.setdefault(agent, hours))
            effective[agent] = priority + (age if self.cap is None else min(age, self.cap))
        best = max(effective.values())
        tied = sorted(agent for agent, score in effective.items() if score == best)
        winner = tied[int(draw() * len(tied))] if len(tied) > 1 else tied[0]
        self.last_win[winner] = hours
        return {"effective": effective, "tied": tied, "winner": winner}


HOURLY = {"a": Fraction(5), "b": Fraction(5), "c": Fraction(1)}


def hourly(twin: Textbook, clock: Iterable[int], restart_every: int | None = None) -> str:
    winners = ""
    for number, hours in enumerate(clock):
        if restart_every and number and number % restart_every == 0:
            twin.last_win.clear()
        winners += twin.resolve(HOURLY, Fraction(hours), lambda: HALF)["winner"]
    return winners


def wins_at(winners: str, agent: str) -> list[int]:
    return [at for at, one in enumerate(winners, 1) if one == agent]


def gaps(winners: str, agent: str) -> list[int]:
    """Return how many conflicts each win took, counted from the win before or the start."""
    return [after - before for before, after in pairwise([0, *wins_at(winners, agent)])]


# --- loss counting ---------------------------------------------------------------------------


def exact(mapping: dict[str, Any]) -> dict[str, Fraction]:
    return {agent: Fraction(str(value)) for agent, value in mapping.items()}


def told(grant: Any, *, several: bool) -> dict[str, Any]:
    """Return a grant in the words of the reference."""
    stages = [list(one) for one in grant.contest.stages]
    return {
        "scores": grant.scores,
        "tied": stages if several else stages[0],
        "winner": list(grant.winners) if several else grant.winner,
        "losses": grant.losses,
    }


@pytest.mark.parametrize("name", ["C01", "C02", "C04", "C05", "C06"])
def test_r1_losses_end_as_the_reference_says(name: str, cases: dict[str, dict[str, Any]]) -> None:
    case = cases[name]
    units = case["input"]["winners_per_conflict"]
    policy = Policy(c=case["input"]["bonus_per_loss"], units=units)
    draws = [Fraction(one) for one in case["input"]["draws"]]
    state: State | None = None
    losses: dict[str, Any] = {}
    pairs = zip(case["input"]["conflicts"], case["expected"]["log"], strict=True)
    for number, (claims, expected) in enumerate(pairs):
        listed = list(claims.items())
        turned = listed[::-1] if number % 2 else listed
        grant = resolve(turned, state, seed=draws, policy=policy)
        draws = draws[len(grant.grounds.ties) :]
        state = grant.state
        found = told(grant, several=units > 1)
        losses |= found["losses"]
        assert exact(found["scores"]) == exact(expected["scores"])
        assert found["tied"] == expected["tied"]
        assert found["winner"] == expected["winner"]
        assert losses.items() >= expected["losses"].items()
        assert not grant.contest.warnings


@pytest.mark.parametrize("name", ["C01", "C02", "C04", "C05", "C06"])
def test_r1_the_fast_engine_ends_there_too(name: str, cases: dict[str, dict[str, Any]]) -> None:
    case = cases[name]
    units = case["input"]["winners_per_conflict"]
    policy = Policy(c=case["input"]["bonus_per_loss"], units=units)
    engine = Arbitration(policy, seed=[Fraction(one) for one in case["input"]["draws"]])
    for claims, expected in zip(case["input"]["conflicts"], case["expected"]["log"], strict=True):
        numbers = {agent: Fraction(one) for agent, one in claims.items()}
        whole = {a: int(p) if p.denominator == 1 else p for a, p in numbers.items()}
        found = engine.conflict(list(whole.items()))
        won = expected["winner"]
        assert list(found.winners) == (won if units > 1 else [won])


def test_c07_the_textbook_does_not_charge_the_first_win(cases: dict[str, dict[str, Any]]) -> None:
    case = cases["C07"]
    twin = Textbook(Fraction(case["input"]["bonus_per_hour"]))
    draws = iter(Fraction(one) for one in case["input"]["draws"])
    for (hours, claims), expected in zip(
        case["input"]["events"], case["expected"]["log"], strict=True
    ):
        found = twin.resolve(exact(claims), Fraction(hours), lambda: next(draws))
        assert found["effective"] == exact(expected["effective"])
        assert (found["tied"], found["winner"]) == (expected["tied"], expected["winner"])
    ours = Arbitration(Policy(rule="hours"), seed=[0, 0, 0])
    winners = [ours.conflict({"a": 1, "b": 1}, now=3600 * t).winners[0] for t in (1, 2, 3)]
    assert winners == ["a", "b", "a"], "the mended rule charges the first win"


def test_c08_slow_ageing(cases: dict[str, dict[str, Any]]) -> None:
    expected = cases["C08"]["expected"]
    winners = hourly(Textbook(Fraction(1, 10)), range(1, 101))
    assert winners == expected["winners"]
    assert wins_at(winners, "c") == expected["c_wins_at"]
    bound = expected["bound_conflicts"]
    assert gaps(winners, "c") == [bound, bound - 1], "the first win is reached with equality"
    ours = fixed_bound(difference=4, c=Fraction(1, 10), agents=3)
    assert ours == bound - 1, "so many losses in a row, and then the win"


def test_c09_a_restart_starves_the_textbook_and_not_us(cases: dict[str, dict[str, Any]]) -> None:
    expected = cases["C09"]["expected"]
    winners = hourly(Textbook(Fraction(1, 10)), range(1, 401), restart_every=30)
    assert winners == expected["winners"]
    assert winners.count("c") == expected["c_wins"] == 0
    state: Any = None
    ours = ""
    policy = Policy(c="1/10")
    for number in range(400):
        if number % 30 == 0 and state is not None:
            state = State.from_json(json.loads(json.dumps(state.to_json())))
        grant = resolve(HOURLY, state, seed=[HALF], policy=policy)
        ours, state = ours + str(grant.winner), grant.state
    bound = fixed_bound(difference=4, c=Fraction(1, 10), agents=3)
    assert ours.count("c") >= 400 // (bound + 1)
    assert max(gaps(ours, "c")) <= bound + 1


def test_c10_a_clock_set_back_starves_the_textbook_longer(
    cases: dict[str, dict[str, Any]],
) -> None:
    expected = cases["C10"]["expected"]
    clock = [t if t < 50 else t - 24 for t in range(1, 121)]
    winners = hourly(Textbook(HALF), clock)
    assert winners == expected["winners"]
    assert wins_at(winners, "c") == expected["c_wins_at"]
    steady = wins_at(hourly(Textbook(HALF), range(1, 121)), "c")
    assert steady == expected["c_wins_at_without_step"]
    assert max(gaps(winners, "c")) == expected["longest_gap"]
    engine = Arbitration(Policy(rule="hours", c="1/2"), seed="7")
    ours = "".join(engine.conflict(HOURLY, now=3600 * t).winners[0] for t in clock)
    assert max(gaps(ours, "c")) <= 12, "one interval, not 24"


@pytest.mark.parametrize("name", ["C11", "C12"])
def test_c11_c12_caps(name: str, cases: dict[str, dict[str, Any]]) -> None:
    case = cases[name]
    cap = Fraction(case["input"]["cap"])
    winners = hourly(Textbook(Fraction(1), cap), range(1, 301))
    assert winners == case["expected"]["winners"]
    assert winners.count("c") == case["expected"]["c_wins"]
    ours = Policy(c=1, cap=cap, priorities=HOURLY)
    assert [one.agent for one in ours.warnings] == (["c"] if name == "C11" else [])
    assert ours.bounds()["c"] == (None if name == "C11" else 6)


def test_c13_absence_earns_nothing_here(cases: dict[str, dict[str, Any]]) -> None:
    twin = Textbook(Fraction(1))
    ab = {"a": Fraction(50), "b": Fraction(50)}
    rounds = [{"z": Fraction(1)}, *[ab] * 100, {**ab, "z": Fraction(1)}]
    winners = "".join(
        twin.resolve(claims, Fraction(t), lambda: HALF)["winner"]
        for t, claims in enumerate(rounds, 1)
    )
    assert winners == cases["C13"]["expected"]["winners"]
    for policy in (Policy(), Policy(rule="hours")):
        ours = Arbitration(policy, seed="7")
        last = [ours.conflict(one, now=3600 * t).winners[0] for t, one in enumerate(rounds, 1)][-1]
        assert last in "ab"


# --- numbers ---------------------------------------------------------------------------------


def test_c14_the_bound(cases: dict[str, dict[str, Any]]) -> None:
    for row in cases["C14"]["expected"]["rows"]:
        found = fixed_bound(
            difference=Fraction(row["difference"]),
            c=Fraction(row["bonus_per_loss"]),
            agents=row["agents"],
            units=row["winners_per_conflict"],
        )
        assert found == row["max_losing_streak"] == row["max_claims_until_a_win"] - 1
        assert row["worst_seen_in_simulation"] <= found + 1


def test_c16_no_win_under_a_fair_lot(cases: dict[str, dict[str, Any]]) -> None:
    for row in cases["C16"]["expected"]["rows"]:
        chance = chance_of_no_win([row["agents_each_time"]] * row["claims"])
        assert chance == pytest.approx(row["p_zero_wins"], rel=1e-12)
        level = single_look(chance)
        assert (level is not None, level == "critical") == (row["warn"], row["critical"])


def test_c17_is_the_tie_break_fair(cases: dict[str, dict[str, Any]]) -> None:
    for row in cases["C17"]["expected"]["rows"]:
        counts = row["wins_of_tied_positions"]
        assert chi_square(counts) == row["chi2"]
        assert len(counts) - 1 == row["dof"]
        assert chi_square_p(row["chi2"], row["dof"]) == pytest.approx(row["p_chi2"], rel=1e-5)
        assert multinomial_p(counts) == pytest.approx(row["p_exact"], rel=1e-5)


def score(text: str) -> Fraction:
    return sum((Fraction(one) for one in text.split("+")), Fraction(0))


def chained_to_the_best(scores: dict[str, Fraction], tolerance: Fraction) -> list[str]:
    """Return whoever is near somebody who is near somebody who is best."""
    falling = sorted(scores, key=lambda one: scores[one], reverse=True)
    found = falling[:1]
    for one in falling[1:]:
        found += [one] if scores[found[-1]] - scores[one] <= tolerance else []
    return sorted(found)


def test_c18_tolerance_is_measured_from_the_maximum(cases: dict[str, dict[str, Any]]) -> None:
    for row in cases["C18"]["expected"]["rows"]:
        scores = {str(at): score(one) for at, one in enumerate(row["scores"])}
        tied = tied_with_the_best(scores, Fraction(row["tolerance"]))
        assert [int(one) for one in tied] == row["tied_anchored_at_max"]
        chained = chained_to_the_best(scores, Fraction(row["tolerance"]))
        assert [int(one) for one in chained] == row["tied_by_chaining"], "the way that is wrong"


def test_c20_a_stranger_recomputes_a_logged_conflict(cases: dict[str, dict[str, Any]]) -> None:
    required = cases["C20"]["expected"]["required"]
    first = cases["C02"]["input"]["conflicts"][0]
    grant = resolve(first, seed="7", policy=Policy(c=1))
    assert isinstance(grant, ArbitrationGrant)
    entry: dict[str, Any] = json.loads(json.dumps(entry_of(grant, token=1)))
    said = {
        "conflict id": entry["conflict"] == 1,
        "scope/resource": (entry["scope"], entry["resource"]) == ("resource", "resource"),
        "policy and its parameters": Policy.from_json(entry["policy"]) == Policy(c=1),
        "every claimant": [row[:4] for row in entry["claims"]]
        == [["a", 9, 0, 9], ["b", "5.5", 0, "11/2"], ["c", "1.25", 0, "5/4"]],
        "tied set": entry["stages"] == [["a"]],
        "draw value": entry["ties"] == [],
        "winner(s)": (entry["winners"], entry["token"]) == (["a"], 1),
        "losses after": [row[4] for row in entry["claims"]] == [0, 1, 1],
        "bound in force": [row[5] for row in entry["claims"]] == [2, 5, 9],
    }
    assert all(said.values()), said
    assert all(any(field.startswith(name) for name in said) for field in required)
    assert wrong_in(list(unfold([entry])), Policy(c=1), ["7"]) == []


def test_c20_a_drawn_tie_can_be_drawn_again(cases: dict[str, dict[str, Any]]) -> None:
    grant = resolve(cases["C06"]["input"]["conflicts"][0], seed="7")
    assert isinstance(grant, ArbitrationGrant)
    entry: Any = entry_of(grant)
    (tie,) = entry["ties"]
    again = lot(tie["seed"], tie["label"], entry["stages"][0])
    assert [again.chosen] == entry["winners"]


def test_every_case_of_the_reference_is_looked_at(cases: dict[str, dict[str, Any]]) -> None:
    losses = ["C01", "C02", "C04", "C05", "C06"]
    textbook = ["C07", "C08", "C09", "C10", "C11", "C12", "C13"]
    assert sorted(cases) == sorted([*losses, *textbook, "C14", "C16", "C17", "C18", "C20"])
