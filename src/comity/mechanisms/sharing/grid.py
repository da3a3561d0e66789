"""Grid: how is one budget shared when gains are not concave?

Here: the exact best split on a grid of amounts by dynamic programming; equal bests by lot.
Not here: concave gains, for which no grid is needed (divide.py).
Sources: SEMANTICS D3, G4; Bellman 1957.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate

from comity.core.canonical import digest, plain
from comity.core.errors import raise_if, shown
from comity.core.exact import Exact, like, show_number, to_fraction
from comity.core.parties import PartyId
from comity.core.results import Allocation, Grounds, Item, Submission, result_form
from comity.core.ties import Tie
from comity.mechanisms.sharing.checks import Reading, whole_or_ratio
from comity.mechanisms.sharing.rounding import place_drawn

__all__ = ["MOST_CELLS", "GridAllocation", "share_on_grid"]

MOST_CELLS = 20_000_000
"""The most agents x steps x steps that are looked at; above, the answer is a refusal."""

_LABEL = "best splits"
_LISTED = 20


@result_form("grid")
@dataclass(frozen=True, slots=True, kw_only=True)
class GridAllocation(Allocation):
    """One budget was shared on a grid of amounts.

    Attributes:
        shares: who gets how much (of every allocation).
        step: the step of the grid.
        gains: what each gains.
        total_gain: their sum, the largest on this grid.
        leftover: what brings nobody anything.
        equally_good: how many splits are as good, this one counted.
        says: the result in one sentence.
    """

    step: Exact
    gains: tuple[Item, ...]
    total_gain: Exact
    leftover: Exact
    equally_good: int
    says: str


def share_on_grid(
    budget: object,
    gains: Mapping[PartyId, Sequence[object] | Callable[[Exact], object]],
    *,
    step: object,
    seed: str = "0",
) -> GridAllocation:
    """Share one budget in steps so that the sum of gains is largest, whatever the gains.

    Args:
        budget: how much there is, a whole number of steps.
        gains: agent -> what it gains from 0, 1, 2, ... steps (a list; further steps gain what
            the last one does), or a function from money to gain.
        step: the step of the grid.
        seed: for the lot among equally good splits.

    Returns:
        The best split on the grid; of those, the ones that hand out least.

    Raises:
        InvalidInput: with every fault at once, and for grids that are too large to look at.

    Example:
        >>> gains = {
        ...     "a": lambda money: 0 if money < 5000 else 2 * money,
        ...     "b": lambda money: money,
        ...     "c": lambda money: 0 if money < 8000 else money * 9 / Fraction(4),
        ... }
        >>> best = share_on_grid(12000, gains, step=500)
        >>> best.total_gain, [item.value for item in best.shares]
        (27000, [0, 0, 12000])
    """
    reading = Reading()
    size = reading.above(step, "grid", "step")
    money = reading.exact(budget, "grid", "budget")
    if money is not None and (money < 0 or to_fraction(money) % size):
        reading.low("grid", "budget", money, "0 or more whole steps")
        money = None
    steps = 0 if money is None else int(to_fraction(money) / size)
    names = reading.agents(gains, "gains", "agent -> gains by step")
    if len(names) * (steps + 1) ** 2 > MOST_CELLS:
        what = f"has {len(names)} agents and {steps} steps"
        reading.fault("grid", what, f"agents x steps x steps up to {MOST_CELLS:,}", "widen step")
        raise_if(reading.faults)
    tables = {name: _table(reading, name, gains[name], (steps, size)) for name in names}
    raise_if(reading.faults)
    assert money is not None  # or it would be a fault
    return _result(tables, money, size, seed)


def _table(
    reading: Reading, name: PartyId, given: object, grid: tuple[int, Fraction]
) -> list[Fraction]:
    steps, size = grid
    if callable(given):
        amounts = [at * size for at in range(steps + 1)]
        values = [given(int(one) if one.denominator == 1 else one) for one in amounts]
    elif isinstance(given, (list, tuple)) and given:
        values = [given[min(at, len(given) - 1)] for at in range(steps + 1)]
    else:
        allowed = "a list of gains from 0 steps on, or a function"
        reading.fault(name, f"gains {shown(given)}", allowed, "state its gains")
        return []
    return [reading.at_least_0(one, name, f"gain of step {at}") for at, one in enumerate(values)]


def _result(
    tables: Mapping[PartyId, list[Fraction]], money: Exact, size: Fraction, seed: str
) -> GridAllocation:
    best, ways, used = _best(list(tables.values()))
    splits, count = _Splits(list(tables.values()), best, ways), ways[0][used]
    place = place_drawn(seed, _LABEL, count)
    chosen = splits.at(place, used)
    names = list(tables)
    gained = {name: tables[name][at] for name, at in zip(names, chosen, strict=True)}
    ties: tuple[Tie, ...] = ()
    if 1 < count <= _LISTED:
        texts = [_text(names, splits.at(at, used), size) for at in range(count)]
        text = _text(names, chosen, size)
        listed = tuple(sorted(texts))
        ties = (Tie(label=_LABEL, tied=listed, rule="lot", chosen=text, seed=seed),)
    total = whole_or_ratio(sum(gained.values(), Fraction()))
    shares = tuple(
        Item(name, like(at * size, money)) for name, at in zip(names, chosen, strict=True)
    )
    told = ", ".join(f"{one.name} {show_number(one.value)}" for one in shares)
    said = {name: plain([whole_or_ratio(one) for one in tables[name]]) for name in names}
    given = {"budget": money, "gains": said, "step": size, "seed": seed}
    return GridAllocation(
        shares=shares,
        step=like(size, money),
        gains=tuple(Item(name, whole_or_ratio(gain)) for name, gain in gained.items()),
        total_gain=total,
        leftover=like(to_fraction(money) - used * size, money),
        equally_good=count,
        says=f"Shared {show_number(money)} on a grid, gaining {show_number(total)}: {told}.",
        grounds=Grounds(
            rule="grid",
            ended_by="best_found",
            inputs_digest=digest(given),
            parameters=(
                ("budget", plain(money)),
                ("seed", seed),
                ("step", plain(size)),
            ),
            submissions=tuple(Submission(name, said[name]) for name in names),
            scores=tuple(Item(name, whole_or_ratio(gain)) for name, gain in gained.items()),
            ties=ties,
            thin=("other splits are as good",) if count > 1 else (),
        ),
    )


def _best(tables: list[list[Fraction]]) -> tuple[list[list[Fraction]], list[list[int]], int]:
    """Return the largest gain and its number of splits for each rest of agents and steps.

    ``best[k][s]`` is what agents from the k-th on gain from exactly ``s`` steps. The last value
    is the fewest steps with which all gain the most.
    """
    steps = len(tables[0])
    nothing = Fraction(-1)
    best = [[nothing] * steps for _ in tables] + [[Fraction(), *[nothing] * (steps - 1)]]
    ways = [[0] * steps for _ in tables] + [[1, *[0] * (steps - 1)]]
    for at in range(len(tables) - 1, -1, -1):
        own, after, many = tables[at], best[at + 1], ways[at + 1]
        for total in range(steps):
            found = [
                own[one] + after[total - one] if many[total - one] else nothing
                for one in range(total + 1)
            ]
            top = max(found)
            best[at][total] = top
            ways[at][total] = sum(
                many[total - one] for one, gain in enumerate(found) if gain == top
            )
    return best, ways, best[0].index(max(best[0]))


class _Splits:
    """The best splits by number, without listing them."""

    __slots__ = ("best", "tables", "ways")

    def __init__(
        self, tables: list[list[Fraction]], best: list[list[Fraction]], ways: list[list[int]]
    ) -> None:
        self.tables, self.best, self.ways = tables, best, ways

    def at(self, place: int, used: int) -> list[int]:
        """Return the steps of each agent in one of the best splits."""
        found, left, rest = [], place, used
        for at, own in enumerate(self.tables):
            after, many = self.best[at + 1], self.ways[at + 1]
            options = [
                one for one in range(rest + 1)
                if many[rest - one] and own[one] + after[rest - one] == self.best[at][rest]
            ]  # fmt: skip
            passed = [0, *accumulate(many[rest - one] for one in options)]
            which = bisect_right(passed, left) - 1
            found.append(options[which])
            left -= passed[which]
            rest -= options[which]
        return found


def _text(names: Sequence[PartyId], chosen: Sequence[int], size: Fraction) -> str:
    pairs = zip(names, chosen, strict=True)
    return ", ".join(f"{name} {show_number(at * size)}" for name, at in pairs)
