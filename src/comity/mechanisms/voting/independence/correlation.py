"""Correlation: do the voters err on the same items?

Here: phi of the errors of each pair, pooled and within one true class, the panel's rho and n_eff,
the same wrong answer.
Not here: how certain they are (with_truth.py), correlation without truth (tetrads.py).
Sources: SEMANTICS V9; Kuncheva and Whitaker 2003 (phi); Kim et al. 2025 (the same wrong answer).

phi is undefined, not 0, when one of the two never or always errs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite, sqrt

from comity.core.exact import Exact
from comity.mechanisms.voting.independence.effective import clipped, effective_voters
from comity.mechanisms.voting.independence.log import VoteLog

__all__ = [
    "MIN_SHARED",
    "Errors",
    "PairRecord",
    "Panel",
    "errors_of",
    "pair_records",
    "panel_of",
    "phi",
    "usable",
    "within",
]

MIN_SHARED = 30
"""A pair that shares fewer items says little about its correlation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """Who answered and who erred, as sets of items; bit i stands for item i.

    Attributes:
        voters: the voters.
        answered: for each voter the items it answered validly and whose truth is known.
        wrong: for each voter those it got wrong.
        classes: each true class with its items.
        said: for each voter, by answer, the items on which it said so.
        options: how many answers are possible.
    """

    voters: tuple[str, ...]
    answered: tuple[int, ...]
    wrong: tuple[int, ...]
    classes: tuple[tuple[str, int], ...]
    said: tuple[dict[str, int], ...]
    options: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRecord:
    """How the errors of two voters go together.

    Attributes:
        first: a voter.
        second: another.
        shared: how many items both answered.
        both_wrong: on how many of them both erred.
        phi: the correlation of their errors; None when one of them never or always errs.
        has_few_items: whether they share fewer items than are needed.
        same_wrong: of the items both got wrong, the share on which they gave the same answer;
            None with two options (it is always all) or when there is no such item.
    """

    first: str
    second: str
    shared: int
    both_wrong: int
    phi: float | None
    has_few_items: bool
    same_wrong: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """As how many voters a panel counts.

    Attributes:
        voters: how many it has.
        pairs: how many pairs have a defined correlation with enough shared items.
        rho: the mean correlation of those pairs; None without one.
        n_eff: (sum w)^2 / (w'Rw); None without rho, and when errors cancel out altogether.
        counting_as: the same within 1 and the number of voters.
    """

    voters: int
    pairs: int
    rho: float | None
    n_eff: float | None
    counting_as: float | None


def errors_of(log: VoteLog) -> Errors:
    """Return who erred where, for the items whose truth is known.

    Args:
        log: a log with truth.

    Returns:
        The sets of items. Classes come in the order of their first item, whatever their names.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> log = vote_log([("1", "a", "x"), ("2", "a", "x")], truth={"1": "x", "2": "y"})
        >>> errors_of(log).wrong
        (2,)
    """
    truth = log.truth or ()
    classes = _places(truth)
    right = dict(classes)
    known = sum(right.values())
    answered, wrong, said = [], [], []
    for answers in log.valid:
        mine = {option: places & known for option, places in _places(answers)}
        mask = sum(mine.values())
        hits = sum(places & right.get(option, 0) for option, places in mine.items())
        answered.append(mask)
        wrong.append(mask ^ hits)
        said.append(mine)
    ordered = sorted(classes, key=lambda one: one[1] & -one[1])
    return Errors(
        voters=log.voters,
        answered=tuple(answered),
        wrong=tuple(wrong),
        classes=tuple(ordered),
        said=tuple(said),
        options=len(log.options),
    )


def _places(labels: Sequence[str | None]) -> list[tuple[str, int]]:
    """Return each label with the set of its places."""
    bits: dict[str, bytearray] = {}
    for at, label in enumerate(labels):
        if label is not None:
            if label not in bits:
                bits[label] = bytearray(len(labels) // 8 + 1)
            bits[label][at >> 3] |= 1 << (at & 7)
    return [(label, int.from_bytes(raw, "little")) for label, raw in bits.items()]


def within(errors: Errors, items: int) -> Errors:
    """Return the errors on some items only, for example those of one true class.

    Args:
        errors: the errors on all.
        items: the set of items.

    Returns:
        The errors on these.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> log = vote_log([("1", "a", "x"), ("2", "a", "x")], truth={"1": "y", "2": "y"})
        >>> within(errors_of(log), 0b10).wrong
        (2,)
    """
    return Errors(
        voters=errors.voters,
        answered=tuple(one & items for one in errors.answered),
        wrong=tuple(one & items for one in errors.wrong),
        classes=tuple((label, one & items) for label, one in errors.classes if one & items),
        said=tuple({name: one & items for name, one in mine.items()} for mine in errors.said),
        options=errors.options,
    )


def phi(shared: int, first: int, second: int, both: int) -> float | None:
    """Return the correlation of two voters' errors from its four counts.

    Args:
        shared: the items both answered.
        first: how many of them the first got wrong.
        second: how many the second got wrong.
        both: how many both got wrong.

    Returns:
        phi from -1 to 1; None when one of the two never or always errs.

    Example:
        >>> phi(10, 3, 3, 3), round(phi(10, 3, 3, 2), 4), phi(10, 0, 3, 0)
        (1.0, 0.5238, None)
    """
    spread = first * (shared - first) * second * (shared - second)
    if not spread:
        return None
    return max(-1.0, min(1.0, (shared * both - first * second) / sqrt(spread)))


def pair_records(errors: Errors, min_shared: int = MIN_SHARED) -> tuple[PairRecord, ...]:
    """Return how the errors of each pair go together.

    Args:
        errors: who erred where.
        min_shared: a pair with fewer shared items is marked.

    Returns:
        One record per pair, sorted by name.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {"a": {"1": "x", "2": "y"}, "b": {"1": "y", "2": "y"}}
        >>> both = errors_of(vote_log(rows, truth={"1": "x", "2": "x"}))
        >>> [(one.shared, one.both_wrong, one.phi) for one in pair_records(both)]
        [(2, 1, None)]
    """
    found = []
    for i, first in enumerate(errors.voters):
        for j in range(i + 1, len(errors.voters)):
            shared = errors.answered[i] & errors.answered[j]
            one, other = errors.wrong[i] & shared, errors.wrong[j] & shared
            both = one & other
            count = both.bit_count()
            found.append(
                PairRecord(
                    first=first,
                    second=errors.voters[j],
                    shared=shared.bit_count(),
                    both_wrong=count,
                    phi=phi(shared.bit_count(), one.bit_count(), other.bit_count(), count),
                    has_few_items=shared.bit_count() < min_shared,
                    same_wrong=_same_wrong(errors, i, j, both),
                )
            )
    return tuple(found)


def _same_wrong(errors: Errors, i: int, j: int, both: int) -> float | None:
    if errors.options < 3 or not both:
        return None
    other = errors.said[j]
    same = sum(
        (mine & other.get(name, 0) & both).bit_count() for name, mine in errors.said[i].items()
    )
    return same / both.bit_count()


def usable(pairs: Sequence[PairRecord]) -> list[PairRecord]:
    """Return the pairs that count: those with enough items, or all when none has enough.

    Args:
        pairs: the pairs of one panel.

    Returns:
        Those of them whose correlation is defined.

    Example:
        >>> usable([])
        []
    """
    enough = [one for one in pairs if not one.has_few_items]
    return [one for one in enough or pairs if one.phi is not None]


def panel_of(
    voters: Sequence[str], weights: Sequence[Exact], pairs: Sequence[PairRecord]
) -> Panel:
    """Return as how many voters a panel counts.

    Args:
        voters: the panel; pairs with others are left out.
        weights: the weight of each.
        pairs: the pairs of these and perhaps of others.

    Returns:
        The panel. A pair without a correlation is taken to have the mean of the others. Pairs
        with few items count only when no pair has enough.

    Example:
        >>> pair = PairRecord(
        ...     first="a",
        ...     second="b",
        ...     shared=40,
        ...     both_wrong=3,
        ...     phi=1.0,
        ...     has_few_items=False,
        ...     same_wrong=None,
        ... )
        >>> panel_of(["a", "b"], [1, 1], [pair]).counting_as
        1.0
    """
    place = {voter: at for at, voter in enumerate(voters)}
    mine = [one for one in pairs if one.first in place and one.second in place]
    kept = usable(mine)
    if not kept:
        alone = 1.0 if len(voters) == 1 else None
        return Panel(voters=len(voters), pairs=0, rho=None, n_eff=alone, counting_as=alone)
    rho = fsum(one.phi or 0.0 for one in kept) / len(kept)
    matrix = [[1.0 if i == j else rho for j in range(len(voters))] for i in range(len(voters))]
    for one in kept:
        i, j = place[one.first], place[one.second]
        matrix[i][j] = matrix[j][i] = one.phi or 0.0
    raw = effective_voters(weights, matrix)
    return Panel(
        voters=len(voters),
        pairs=len(kept),
        rho=rho,
        n_eff=raw if isfinite(raw) else None,
        counting_as=clipped(raw, len(voters)),
    )
