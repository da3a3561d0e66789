"""Losing streaks: does every line of the two proofs hold, whatever happens?

Here: for small populations every state that any participation and any choice among ties can lead
to, and in each state every next conflict, held against the proofs line by line.
Not here: large populations at random, restarts, newcomers (test_arbitration_laws.py).
Sources: SEMANTICS R3; the proofs in mechanisms/arbitration/bounds.py and on the page
docs/explanation/why-nobody-starves.md.

The losses in a row are the whole state, and they are bounded, so there are few states. Visiting
all of them proves the bound for these populations after any number of conflicts, not after eight.
Priorities, c and the tolerance are whole numbers here: only their ratios matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

import pytest

from comity.mechanisms.arbitration import Policy, fixed_bound, per_claim_bound, resolve

Losses = tuple[int, ...]
NAMES = "abcd"


class Case(NamedTuple):
    """A small population: what is fixed, and what may be drawn."""

    priorities: tuple[int, ...]
    c: int
    units: int = 1
    tolerance: int = 0
    per_claim: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        return len(self.priorities)

    @property
    def turns(self) -> int:
        """⌈n/k⌉ − 1."""
        return -(-self.size // self.units) - 1


class Happened(NamedTuple):
    """One conflict: what was before, who claimed with which score, who won, what is after."""

    before: Losses
    scores: dict[int, int]
    winners: frozenset[int]
    after: Losses

    @property
    def losers(self) -> set[int]:
        return set(self.scores) - self.winners


def winning_sets(scores: dict[int, int], units: int, tolerance: int) -> set[frozenset[int]]:
    """Return every set of winners that some choice among ties leads to."""
    found = {frozenset[int]()}
    for _ in range(min(units, len(scores))):
        longer = set()
        for won in found:
            left = {one: score for one, score in scores.items() if one not in won}
            least = max(left.values()) - tolerance
            longer |= {won | {one} for one, score in left.items() if score >= least}
        found = longer
    return found


def conflicts(case: Case, before: Losses) -> Iterator[Happened]:
    """Yield every conflict that can follow: any claimants, any of their priorities, any lot."""
    everybody = range(case.size)
    for claimants in chain.from_iterable(
        combinations(everybody, size) for size in range(1, case.size + 1)
    ):
        choices = [case.per_claim or (case.priorities[one],) for one in claimants]
        for priorities in product(*choices):
            scores = {
                one: priority + case.c * before[one]
                for one, priority in zip(claimants, priorities, strict=True)
            }
            for winners in winning_sets(scores, case.units, case.tolerance):
                after = tuple(
                    0 if one in winners else lost + (one in scores)
                    for one, lost in enumerate(before)
                )
                yield Happened(before, scores, winners, after)


def everything(case: Case) -> Iterator[Happened]:
    """Yield every conflict in every state that can be reached, each once."""
    start = (0,) * case.size
    seen, waiting = {start}, [start]
    while waiting:
        for happened in conflicts(case, waiting.pop()):
            yield happened
            if happened.after not in seen:
                seen.add(happened.after)
                waiting.append(happened.after)


def fixed_cases() -> list[Case]:
    found = []
    for size, highest, units in [(2, 5, 1), (3, 3, 1), (3, 3, 2), (4, 1, 1), (4, 1, 2), (4, 1, 3)]:
        for above in combinations_with_replacement(range(highest + 1), size - 1):
            for c in (1, 2, 3):
                found += [
                    Case((0, *above), c, units, tolerance)
                    for tolerance in ((0, 1) if size < 4 else (0,))
                ]
    return [*found, Case((1, 5, 9), 2), Case((1, 5, 9), 4), Case((9, 1, 1), 2, 2)]


def bound_of(case: Case, agent: int) -> int:
    return fixed_bound(
        difference=max(case.priorities) - case.priorities[agent],
        c=case.c,
        agents=case.size,
        units=case.units,
        tolerance=case.tolerance,
    )


def above(case: Case, losses: Losses, m: int) -> set[int]:
    """Return who stands in level m: scores above P + (c + t)·m; everybody for m = −1."""
    edge = max(case.priorities) + (case.c + case.tolerance) * m
    return {
        one
        for one, lost in enumerate(losses)
        if m < 0 or case.priorities[one] + case.c * lost > edge
    }


def test_r3_every_line_of_the_proof_for_fixed_priorities_holds_in_every_state() -> None:
    cases = fixed_cases()
    tight = 0
    for case in cases:
        longest = [0] * case.size
        for happened in everything(case):
            check_levels(case, happened, above)
            longest = [max(pair) for pair in zip(longest, happened.after, strict=True)]
        bounds = [bound_of(case, agent) for agent in range(case.size)]
        assert all(seen <= bound for seen, bound in zip(longest, bounds, strict=True)), case
        tight += longest == bounds
    assert tight > len(cases) // 2, "a bound that nothing reaches says little"


def check_levels(case: Case, happened: Happened, level: Any) -> None:
    """Hold one conflict against the lines of a proof: levels, who enters them, who leaves."""
    before, after, units = happened.before, happened.after, case.units
    levels = range(case.turns + 2)
    was = {m: level(case, before, m) for m in (-1, *levels)}
    now = {m: level(case, after, m) for m in (-1, *levels)}
    for m in levels:
        entered = now[m] - was[m]
        if entered:
            assert entered <= happened.losers, "only by losing"
            assert entered <= was[m - 1], "from the level below"
            assert len(happened.winners) == units, "there were losers, so all units were won"
            assert happened.winners <= was[m - 1], "against winners of the level below"
            assert not happened.winners & now[m], "who fall out of it"
            assert now[m] <= was[m - 1] - happened.winners
            assert len(now[m]) <= len(was[m - 1]) - units
        else:
            assert len(now[m]) <= len(was[m]), "otherwise no level grows"
        assert len(now[m]) <= max(0, case.size - units * (m + 1)), "so this many at most"
    assert not now[case.turns], "and nobody above the last level"


def lost(case: Case, losses: Losses, m: int) -> set[int]:
    """Return who stands in level m of the second proof: more than D·m losses, D = 1 + ⌊R/c⌋."""
    spread = max(case.per_claim) - min(case.per_claim) + case.tolerance
    height = 1 + spread // case.c
    return {one for one, count in enumerate(losses) if m < 0 or count > height * m}


def test_r3_every_line_of_the_proof_for_priorities_per_claim_holds_in_every_state() -> None:
    tight = 0
    cases = [
        Case((0,) * size, c, units, tolerance, prices)
        for size, units in [(2, 1), (3, 1), (3, 2)]
        for c in (1, 2, 3)
        for tolerance in (0, 1)
        for prices in [(0, 1), (0, 1, 2)]
    ]
    for case in cases:
        bound = per_claim_bound(
            spread=max(case.per_claim),
            c=case.c,
            agents=case.size,
            units=case.units,
            tolerance=case.tolerance,
        )
        longest = 0
        for happened in everything(case):
            check_levels(case, happened, lost)
            longest = max(longest, *happened.after)
        assert longest <= bound, case
        tight += longest == bound
    assert tight == len(cases), "each of them is reached"


def test_r3_a_priority_per_claim_breaks_the_bound_for_fixed_ones() -> None:
    case = Case((0, 0, 0), 1, per_claim=(0, 2))
    longest = max(max(happened.after) for happened in everything(case))
    assert longest > fixed_bound(difference=2, c=1, agents=3)
    assert longest <= per_claim_bound(spread=2, c=1, agents=3)


def test_r3_nine_five_one_reaches_each_of_its_bounds() -> None:
    case = Case((9, 5, 1), 2)
    longest = [
        max(column) for column in zip(*(one.after for one in everything(case)), strict=True)
    ]
    assert longest == [2, 4, 6] == [bound_of(case, agent) for agent in range(3)]


@pytest.mark.parametrize(
    "case", [Case((9, 5, 1), 2), Case((3, 3, 0), 1), Case((2, 1, 0), 1, 2)], ids=str
)
def test_r3_the_engine_moves_as_the_proof_says(case: Case) -> None:
    """R1, R2: every draw leads to a state that the proof allows, and each of those is reached."""
    policy = Policy(c=case.c, units=case.units)
    draws = list(product([Fraction(0), Fraction(1, 3), Fraction(2, 3)], repeat=case.units))
    allowed: dict[Any, set[Losses]] = {}
    for happened in everything(case):
        key = (happened.before, tuple(happened.scores))
        allowed.setdefault(key, set()).add(happened.after)
    for (before, claimants), after in allowed.items():
        claims = {NAMES[one]: case.priorities[one] for one in claimants}
        state = dict(zip(NAMES, before, strict=False))
        results = [resolve(claims, state, seed=drawn, policy=policy) for drawn in draws]
        left = [{**state, **found.losses} for found in results]
        assert {tuple(each[name] for name in state) for each in left} == after
