"""Sharing laws: what holds for every budget, whoever claims?

Here: exact sums, order, brute force on small grids, scale, leximin, rounding, the cap.
Not here: single cases (unit tests), the reference cases (oracles).
Sources: SEMANTICS D1-D3, G3-G6.
"""

from __future__ import annotations

import json
import os
import random
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.results import result_from_json
from comity.mechanisms.sharing import (
    BudgetAllocation,
    BudgetNoDecision,
    open_account,
    read_curve,
    reserve,
    settle,
    share,
    share_table,
    spend,
    split,
)

IS_FULL = os.environ.get("COMITY_FULL") == "1"
BUDGETS = 10_000 if IS_FULL else 150
OBJECTIVES = ("nash", "utilitarian", "leximin")
NAMES = "abcdef"

objectives = st.sampled_from(OBJECTIVES)
widths = st.integers(1, 40)
slopes = st.integers(0, 12) | st.fractions(0, 12, max_denominator=6)


@st.composite
def curves(draw: st.DrawFn) -> list[list[Any]]:
    """Return straight pieces with slopes that never rise."""
    parts = draw(st.lists(st.tuples(widths, slopes), min_size=1, max_size=3))
    steep = sorted((slope for _, slope in parts), reverse=True)
    return [[width, slope] for (width, _), slope in zip(parts, steep, strict=True)]


@st.composite
def claims(draw: st.DrawFn, most: int = 5) -> dict[str, Any]:
    """Return claims of a few agents."""
    return {name: draw(curves()) for name in NAMES[: draw(st.integers(1, most))]}


def shared(*args: Any, **options: Any) -> BudgetAllocation:
    found = share(*args, **options)
    assert isinstance(found, BudgetAllocation)
    return found


def gain(curve: Any, amount: Any) -> Fraction:
    return read_curve(curve).gain(Fraction(amount))


def vector(asked: dict[str, Any], amounts: dict[str, Any]) -> list[Fraction]:
    return [gain(curve, amounts[name]) for name, curve in asked.items()]


def made(chance: random.Random) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """Return one drawn budget, with minima, maxima, weights and all kinds of curves."""
    asked: dict[str, Any] = {}
    for name in NAMES[: chance.randint(1, 6)]:
        kind = chance.randint(0, 40)
        if kind == 0:
            asked[name] = {chance.choice(["power", "log", "saturating"]): "0.5", "scale": 40}
        elif kind < 8:
            asked[name] = {"demand": Fraction(chance.randint(1, 900), chance.randint(1, 7))}
        else:
            steep = sorted((chance.randint(0, 30) for _ in range(3)), reverse=True)
            asked[name] = [
                [Fraction(chance.randint(1, 600), chance.randint(1, 4)), s] for s in steep
            ]
    quantum = Decimal(chance.choice(["1", "0.01", "0.05", "5"]))
    options: dict[str, Any] = {
        "objective": chance.choice(OBJECTIVES),
        "quantum": quantum,
        "seed": str(chance.random()),
        "weights": {name: chance.randint(1, 4) for name in asked if chance.random() < 0.3},
        "minimum": {name: 10 * chance.randint(0, 4) for name in asked if chance.random() < 0.2},
    }
    options["maximum"] = {
        name: options["minimum"].get(name, 0) + 5 * chance.randint(0, 80)
        for name in asked
        if chance.random() < 0.2
    }
    return chance.randint(0, 2000) * quantum, asked, options


SMALL = 3_000 if IS_FULL else 320
WIDE = (1, 2, 3, 10, Fraction(1, 2), Fraction(5, 2))
STEEP = (0, 1, 2, 3, 10, 100, Fraction(1, 2), Fraction(7, 3))


def small(chance: random.Random) -> tuple[int, dict[str, Any], dict[str, Any]]:
    """Return a budget of a few units, with corners between units, minima, maxima, weights."""
    asked: dict[str, Any] = {}
    for name in NAMES[: chance.choice([1, 2, 2, 3, 3])]:
        steep = sorted((chance.choice(STEEP) for _ in range(chance.randint(1, 3))), reverse=True)
        asked[name] = [[chance.choice(WIDE), one] for one in steep]
    budget = chance.randint(0, 10)
    options: dict[str, Any] = {"seed": str(chance.random())}
    least = {name: chance.choice([0, 0, 0, 1, 2]) for name in asked}
    if sum(least.values()) <= budget:
        options["minimum"] = least
    if chance.random() < 0.3:
        options["maximum"] = {name: chance.randint(2, 9) for name in asked}
    if chance.random() < 0.5:
        options["weights"] = {name: chance.choice([1, 2, Fraction(1, 3)]) for name in asked}
    return budget, asked, options


def worth(objective: str, gains: list[list[Fraction]], rows: list[Any]) -> Any:
    """Return what an objective compares: of each agent its units, best gain, weight and rate."""
    own = [
        (row[units], weight, rate)
        for row, (units, best, weight, rate) in zip(gains, rows, strict=True)
        if best
    ]
    if objective == "utilitarian":
        return sum(weight * one for one, weight, _ in own)
    if objective == "leximin":
        return sorted(one / rate for one, _, rate in own)
    having = [(one, weight) for one, weight, _ in own if one]
    if len(having) < len(own):
        return len(having), sum(weight for _, weight in having)
    return len(having), prod(one ** int(weight * 3) for one, weight in having)


@pytest.mark.parametrize(
    ("objective", "measure"),
    [*((one, "gain") for one in OBJECTIVES), ("leximin", "share_of_best")],
)
def test_d1_no_other_split_into_whole_units_is_better(objective: Any, measure: Any) -> None:
    """D1: brute force over all whole splits; also with corners between units and weights."""
    chance = random.Random(29)  # noqa: S311  # made-up budgets
    for _ in range(SMALL):
        budget, asked, options = small(chance)
        found = shared(budget, asked, objective=objective, measure=measure, **options)
        least, most = options.get("minimum", {}), options.get("maximum", {})
        weights = [Fraction(options.get("weights", {}).get(name, 1)) for name in asked]
        gains = [[gain(one, at) for at in range(budget + 1)] for one in asked.values()]
        best = [
            own[min(budget, most.get(name, 10))] for name, own in zip(asked, gains, strict=True)
        ]
        rates = [w * (top if measure == "share_of_best" else 1)
                 for w, top in zip(weights, best, strict=True)]  # fmt: skip

        ranges = [
            range(least.get(name, 0), min(budget, most.get(name, budget)) + 1) for name in asked
        ]
        every = [units for units in product(*ranges) if sum(units) <= budget]
        worths = [
            worth(objective, gains, list(zip(one, best, weights, rates, strict=True)))
            for one in every
        ]
        units = tuple(found.allocation.values())
        top = max(worths)
        assert worths[every.index(units)] == top, (budget, asked, options, units)
        as_good = [one for one, its in zip(every, worths, strict=True) if its == top]
        assert sum(units) == min(map(sum, as_good))


def test_d1_sums_are_exact_to_the_minor_unit_on_many_budgets() -> None:
    """D1: 10,000 random budgets in a full run, fewer in a quick one."""
    chance = random.Random(11)  # noqa: S311  # made-up budgets
    ended = set()
    for _ in range(BUDGETS):
        budget, asked, options = made(chance)
        found = share(budget, asked, **options)
        least, most = options["minimum"], options["maximum"]
        ended.add(found.kind)
        if isinstance(found, BudgetNoDecision):
            assert sum(least.values()) - budget == found.shortfall > 0
            continue
        assert isinstance(found, BudgetAllocation)
        parts = found.allocation
        assert sum(parts.values()) + found.leftover == budget
        assert all(Fraction(part) % Fraction(options["quantum"]) == 0 for part in parts.values())
        for name, part in parts.items():
            assert least.get(name, 0) <= part <= most.get(name, budget)
        for beside in found.beside:
            assert 0 <= sum(Fraction(one.value) for one in beside.shares) <= budget
            for one in beside.shares:
                assert least.get(one.name, 0) <= one.value <= most.get(one.name, budget)
    assert ended == {"allocation", "no_decision"}


@given(claims(), st.integers(0, 200), objectives, st.randoms(use_true_random=False))
def test_g3_input_order_never_matters(
    asked: dict[str, Any], budget: int, objective: Any, chance: random.Random
) -> None:
    turned = list(asked.items())
    chance.shuffle(turned)
    assert share(budget, dict(turned), objective=objective) == share(
        budget, asked, objective=objective
    )


@given(claims(most=3), st.integers(0, 5), objectives)
def test_d1_no_split_on_a_grid_is_better(
    asked: dict[str, Any], budget: int, objective: Any
) -> None:
    """The exact split is compared with every split in whole units."""
    found = shared(budget, asked, objective=objective)
    mine = vector(asked, found.exact)
    able = [at for at, curve in enumerate(asked.values()) if gain(curve, 99)]
    for one in product(range(budget + 1), repeat=len(asked)):
        if sum(one) > budget:
            continue
        other = vector(asked, dict(zip(asked, one, strict=True)))
        if objective == "utilitarian":
            assert sum(other) <= sum(mine)
        elif objective == "nash":
            assert prod(other[at] for at in able) <= prod(mine[at] for at in able)
        else:
            assert sorted(other) <= sorted(mine)


@given(claims(most=3), st.integers(0, 9))
def test_d1_whole_units_lose_nothing_under_the_sum_of_whole_pieces(
    asked: dict[str, Any], budget: int
) -> None:
    found = shared(budget, asked, objective="utilitarian")
    assert found.total_gain == sum(vector(asked, found.exact))


@given(claims(), st.integers(1, 150), st.lists(st.integers(1, 10**6), min_size=6, max_size=6))
def test_g6_nash_does_not_look_at_scale(
    asked: dict[str, Any], budget: int, scales: list[int]
) -> None:
    scaled = {
        name: [[width, slope * by] for width, slope in curve]
        for (name, curve), by in zip(asked.items(), scales, strict=False)
    }
    assert shared(budget, scaled).exact == shared(budget, asked).exact
    best = shared(budget, scaled, objective="leximin", measure="share_of_best")
    assert best.exact == shared(budget, asked, objective="leximin", measure="share_of_best").exact


@given(claims(), st.integers(1, 150))
def test_d1_leximin_cannot_be_moved_from_a_richer_to_a_poorer(
    asked: dict[str, Any], budget: int
) -> None:
    """Leximin is unique: every small transfer makes the sorted gains worse."""
    found = shared(budget, asked, objective="leximin")
    before = vector(asked, found.exact)
    step = Fraction(1, 10**9)
    for giver, taker in product(asked, repeat=2):
        if giver == taker or found.exact[giver] < step:
            continue
        moved = {**found.exact, giver: found.exact[giver] - step}
        moved[taker] += step
        assert sorted(vector(asked, moved)) < sorted(before) or moved == found.exact


@given(claims(), st.integers(0, 150), objectives)
def test_d1_prices_fit_what_each_gets(asked: dict[str, Any], budget: int, objective: Any) -> None:
    found = shared(budget, asked, objective=objective)
    if found.leftover or objective == "leximin":
        return
    for row in found.rows:
        made = gain(asked[row.agent], row.exact) if objective == "nash" else 1
        if made and row.exact:
            assert found.shadow_price is not None
            assert row.last_gain is not None
            assert row.last_gain / Fraction(made) >= found.shadow_price
    if found.shadow_price is not None and found.next_best is not None:
        assert found.next_best <= found.shadow_price


@given(claims(), st.integers(0, 150), objectives)
def test_g1_a_result_survives_json(asked: dict[str, Any], budget: int, objective: Any) -> None:
    found = share(budget, asked, objective=objective)
    assert result_from_json(json.loads(json.dumps(found.to_json()))) == found


@given(claims(), st.integers(0, 150))
def test_d3_charges_lie_between_nothing_and_ones_own_gain(
    asked: dict[str, Any], budget: int
) -> None:
    found = shared(budget, asked, objective="utilitarian", credits=True)
    for name, charge in found.charges.items():
        assert 0 <= charge <= gain(asked[name], found.exact[name])


@given(st.data())
def test_d3_a_false_claim_never_pays_when_credits_are_charged(data: st.DataObject) -> None:
    asked = data.draw(claims(most=3))
    budget, lie = data.draw(st.integers(1, 60)), data.draw(curves())
    liar = data.draw(st.sampled_from(sorted(asked)))
    worth = []
    for told in (asked, {**asked, liar: lie}):
        found = shared(budget, told, objective="utilitarian", credits=True)
        worth.append(gain(asked[liar], found.exact[liar]) - Fraction(found.charges[liar]))
    assert worth[1] <= worth[0]


@given(
    st.integers(0, 10**6),
    st.dictionaries(st.sampled_from(NAMES), st.fractions(0, 50), min_size=1).filter(
        lambda weights: any(weights.values())
    ),
    st.text(max_size=3),
)
def test_d1_a_split_adds_up_and_keeps_within_a_unit(
    cents: int, weights: dict[str, Fraction], seed: str
) -> None:
    total = Decimal(cents).scaleb(-2)
    found = split(total, weights, quantum="0.01", seed=seed)
    whole = sum(weights.values())
    assert sum(found.values()) == total
    for name, part in found.items():
        assert abs(Fraction(part) - Fraction(total) * weights[name] / whole) < Fraction(1, 100)


pieces = st.tuples(st.integers(0, 9), st.integers(0, 9))


@given(
    st.lists(st.lists(pieces, min_size=2, max_size=2), min_size=1, max_size=6),
    st.integers(0, 60),
    st.sampled_from(OBJECTIVES[:2]),
)
def test_g3_arrays_find_what_exact_fractions_find(
    rows: list[Any], budget: int, objective: Any
) -> None:
    np = pytest.importorskip("numpy", reason="numpy: the extra `fast` is not installed")
    wide = [[width for width, _ in row] for row in rows]
    steep = [sorted((slope for _, slope in row), reverse=True) for row in rows]
    plain = share_table(budget, wide, steep, objective=objective)
    arrays = share_table(budget, np.array(wide), np.array(steep), objective=objective)
    assert plain.units == arrays.units.tolist()
    assert plain.leftover == arrays.leftover


@given(st.lists(st.tuples(st.sampled_from(["reserve", "spend", "settle"]), st.integers(0, 4),
                          st.integers(1, 60)), max_size=40))  # fmt: skip
def test_d3_no_course_of_steps_breaks_the_cap(steps: list[tuple[str, int, int]]) -> None:
    account = open_account(100, {"a": 70, "b": 30})
    for at, (what, number, amount) in enumerate(steps):
        hold = f"h{number}"
        if what == "reserve":
            account = reserve(account, hold, "ab"[number % 2], amount).account
        elif what == "spend":
            account = spend(account, hold, f"p{at}", amount).account
        else:
            account = settle(account, hold).account
        assert account.free >= 0
        assert sum(one.spent for one in account.holds) <= 100
        for one in account.holds:
            assert 0 <= one.spent <= one.amount
        for name, limit in (("a", 70), ("b", 30)):
            assert sum(one.counted for one in account.holds if one.agent == name) <= limit


# --- D1: curves that never end ------------------------------------------------------------------


ENDLESS = 400 if IS_FULL else 6


def endless(chance: random.Random) -> dict[str, Any]:
    """Return claims whose gain never stops rising."""
    found: dict[str, Any] = {}
    for name in NAMES[: chance.randint(1, 6)]:
        if chance.random() < 0.5:
            kind = {"power": chance.choice(["0.01", "0.3", "0.5", "0.9", "0.999"])}
        else:
            kind = {"log": chance.choice(["0.01", 1, 10, 30, 1000])}
        found[name] = {**kind, "scale": chance.choice([1, 7, 30, "0.001", 10**6])}
    return found


def test_d1_curves_that_never_end_leave_nothing_over() -> None:
    chance = random.Random(51)  # noqa: S311
    for tick in range(ENDLESS):
        claimed = endless(chance)
        budget = chance.choice([1, 7, 100, 1000, 12000, 10**9, "0.01", "10.00", "12345.67"])
        for objective in OBJECTIVES:
            found = share(budget, claimed, objective=objective, seed=str(tick))
            assert isinstance(found, BudgetAllocation)
            assert found.leftover == 0, (budget, claimed, objective)
            assert sum(map(Fraction, found.allocation.values())) == Fraction(budget)
