"""Agreement: how alike do the voters answer, whatever is true?

Here: Krippendorff's alpha, Cohen's kappa of each pair, near-clones, repeated runs of one voter.
Not here: errors (correlation.py). Agreement is not independence: voters that copy each other
agree, and so do voters that are all right.
Sources: SEMANTICS V9; Krippendorff 2011 (alpha, missing answers); Cohen 1960; Shrout and Fleiss
1979 (ICC(1,1)); Kish 1965 (a cluster of m runs counts m / (1 + (m - 1) ICC)).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import fsum, lcm

from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import read_exact
from comity.mechanisms.voting.independence.log import VoteLog
from comity.mechanisms.voting.independence.rules import Measure

__all__ = [
    "ClusterRecord",
    "KappaRecord",
    "clones",
    "clusters",
    "kappas",
    "krippendorff_alpha",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class KappaRecord:
    """How far two voters agree beyond chance.

    Attributes:
        first: a voter.
        second: another.
        shared: how many items both answered.
        agreement: the share of them with the same answer; None without one.
        kappa: Cohen's kappa; None without shared items or when both give one answer only.
    """

    first: str
    second: str
    shared: int
    agreement: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRecord:
    """Repeated runs of one voter.

    Attributes:
        voter: whose runs they are.
        runs: the runs.
        icc: ICC(1,1), how much of the variation lies between items; None when nothing varies.
        counting_as: as how many independent runs they count.
    """

    voter: str
    runs: tuple[str, ...]
    icc: float | None
    counting_as: float | None


def krippendorff_alpha(
    log: VoteLog, measure: Measure = "nominal", *, order: Sequence[str] | None = None
) -> float | None:
    """Return Krippendorff's alpha of all voters.

    Args:
        log: the votes; missing and invalid answers are left out.
        measure: how far apart two answers are.
        order: the options from lowest to highest, for ``ordinal``; by default options that are
            numbers are ordered as numbers.

    Returns:
        1 for full agreement, 0 for what chance gives; None when no item was answered twice or
        only one answer occurs.

    Raises:
        InvalidInput: when the measure needs numbers or an order and the options have none.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "y"}}
        >>> krippendorff_alpha(vote_log(rows))
        1.0
    """
    units: Counter[tuple[tuple[str, int], ...]] = Counter()
    for said in zip(*log.valid, strict=True):
        given = Counter(one for one in said if one is not None)
        if given.total() > 1:
            units[tuple(sorted(given.items()))] += 1
    totals: Counter[str] = Counter()
    for unit, times in units.items():
        for label, many in unit:
            totals[label] += many * times
    values = _values(log.options, totals, measure, order)
    expected = _spread(tuple(totals.items()), values)
    if not expected:
        return None
    observed: Counter[int] = Counter()
    for unit, times in units.items():
        observed[sum(many for _, many in unit)] += times * _spread(unit, values)
    within = sum((Fraction(part, size - 1) for size, part in observed.items()), Fraction(0))
    return float(1 - (totals.total() - 1) * within / expected)


def _spread(counts: tuple[tuple[str, int], ...], values: Mapping[str, int] | None) -> int:
    """Return the squared distances of all answers from each other, added up."""
    whole = sum(many for _, many in counts)
    if values is None:
        return whole * whole - sum(many * many for _, many in counts)
    squares = sum(many * values[label] ** 2 for label, many in counts)
    return 2 * (whole * squares - sum(many * values[label] for label, many in counts) ** 2)


def _values(
    options: Sequence[str],
    totals: Mapping[str, int],
    measure: Measure,
    order: Sequence[str] | None,
) -> dict[str, int] | None:
    """Return a whole number for each option, in whatever unit; None when all are equally far."""
    if measure == "nominal":
        return None
    if measure == "interval":
        numbers = _numbers(options, measure)
        scale = lcm(*(one.denominator for one in numbers.values()))
        return {option: int(number * scale) for option, number in numbers.items()}
    ranked = list(order) if order is not None else _ranked(options)
    if sorted(ranked) != sorted(options):
        raise InvalidInput(
            Fault("order", "does not list the options", ", ".join(options), "list each once")
        )
    below, found = 0, {}
    for option in ranked:  # twice the middle rank of those who gave it
        found[option] = 2 * below + totals.get(option, 0)
        below += totals.get(option, 0)
    return found


def _ranked(options: Sequence[str]) -> list[str]:
    numbers = _numbers(options, "ordinal")
    return sorted(options, key=lambda option: (numbers[option], option))


def _numbers(options: Sequence[str], measure: str) -> dict[str, Fraction]:
    faults: list[Fault] = []
    found = {}
    for option in options:
        try:
            found[option] = Fraction(read_exact(option, "measure", "option"))
        except InvalidInput:
            what = f"{measure} needs numbers, and the option {option!r} is none"
            faults.append(Fault("measure", what, "options that are numbers", "use nominal"))
    raise_if(faults)
    return found


def kappas(log: VoteLog) -> tuple[KappaRecord, ...]:
    """Return how far each pair agrees beyond chance.

    Args:
        log: the votes.

    Returns:
        One record per pair, sorted by name.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "y"}}
        >>> kappas(vote_log(rows))[0].kappa
        1.0
    """
    columns = list(zip(log.voters, log.valid, strict=True))
    return tuple(_kappa(one, other) for one, other in combinations(columns, 2))


_Column = tuple[str, tuple[str | None, ...]]


def _kappa(first: _Column, second: _Column) -> KappaRecord:
    joint = Counter(
        (one, other)
        for one, other in zip(first[1], second[1], strict=True)
        if one is not None and other is not None
    )
    shared = joint.total()
    same = sum(times for (one, other), times in joint.items() if one == other)
    left: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for (one, other), times in joint.items():
        left[one] += times
        right[other] += times
    chance = sum(left[label] * right[label] for label in left)
    beyond = shared * shared - chance
    return KappaRecord(
        first=first[0],
        second=second[0],
        shared=shared,
        agreement=same / shared if shared else None,
        kappa=(shared * same - chance) / beyond if beyond else None,
    )


def clones(pairs: Sequence[KappaRecord], limit: float = 0.9) -> tuple[tuple[str, ...], ...]:
    """Return the groups of voters that answer so alike that each group counts as one voter.

    Args:
        pairs: the kappa of each pair.
        limit: two voters whose kappa is above it belong together.

    Returns:
        Groups of two or more, sorted.

    Example:
        >>> pair = KappaRecord(first="a", second="b", shared=9, agreement=1.0, kappa=1.0)
        >>> clones([pair])
        (('a', 'b'),)
    """
    group: dict[str, set[str]] = {}
    for one in pairs:
        if one.kappa is not None and one.kappa > limit:
            joined = group.get(one.first, {one.first}) | group.get(one.second, {one.second})
            for voter in joined:
                group[voter] = joined
    return tuple(sorted({tuple(sorted(members)) for members in group.values()}))


def clusters(log: VoteLog) -> tuple[ClusterRecord, ...]:
    """Return how many independent runs the repeated runs of each voter count as.

    Args:
        log: a log that says whose run each voter is.

    Returns:
        One record for each voter with two or more runs, sorted.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {"m 1": {"1": "x", "2": "y"}, "m 2": {"1": "x", "2": "y"}}
        >>> log = vote_log(rows, runs_of={"m 1": "m", "m 2": "m"})
        >>> [(one.runs, one.icc, one.counting_as) for one in clusters(log)]
        [(('m 1', 'm 2'), 1.0, 1.0)]
    """
    members: dict[str, list[int]] = {}
    for at, whose in enumerate(log.runs_of):
        members.setdefault(whose, []).append(at)
    found = []
    for whose, places in sorted(members.items()):
        if len(places) > 1:
            icc = _icc([log.valid[at] for at in places])
            many = len(places)
            count = None if icc is None else many / (1 + (many - 1) * max(icc, 0.0))
            runs = tuple(log.voters[at] for at in places)
            found.append(ClusterRecord(voter=whose, runs=runs, icc=icc, counting_as=count))
    return tuple(found)


def _icc(columns: Sequence[Sequence[str | None]]) -> float | None:
    """Return ICC(1,1) of answers, each answer taken as one sign per option."""
    units = [
        Counter(one for one in said if one is not None) for said in zip(*columns, strict=True)
    ]
    units = [unit for unit in units if unit]
    sizes = [unit.total() for unit in units]
    whole, items = sum(sizes), len(units)
    if items < 2 or whole == items:
        return None
    totals: Counter[str] = sum(units, Counter())
    inner = fsum(
        many * (size - many) / size
        for unit, size in zip(units, sizes, strict=True)
        for many in unit.values()
    )
    all_ = fsum(many * (whole - many) / whole for many in totals.values())
    within = inner / (whole - items)
    between = (all_ - inner) / (items - 1)
    mean = (whole - sum(size * size for size in sizes) / whole) / (items - 1)
    below = between + (mean - 1) * within
    return (between - within) / below if below > 1e-12 else None
