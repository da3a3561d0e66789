"""Majority: is the panel as good as independent voters of its accuracy would be?

Here: the observed majority accuracy, what independent voters would reach, the implied number of
voters.
Not here: why it falls short (correlation.py).
Sources: SEMANTICS V9; Condorcet 1785; Boland 1989; the Poisson-binomial distribution.

An item is won when more than half of the weight that answered is right; exactly half counts half.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, lcm

from comity.core.exact import Exact
from comity.mechanisms.voting.independence.log import VoteLog

__all__ = ["MajorityRecord", "implied_voters", "independent_accuracy", "majority_record"]

_MOST_SUMS = 100_000
_MOST_VOTERS = 1001


@dataclass(frozen=True, slots=True, kw_only=True)
class MajorityRecord:
    """How the majority did, and how it would have done with independent errors.

    Attributes:
        items: on how many items somebody answered and the truth is known.
        observed: the share that the majority got right; None without such items.
        independent: the share that independent voters of the same accuracies get right; None
            when the weights have too many sums to be counted.
        difference: observed minus independent: the honest headline, in points of a share.
        best: the accuracy of the best single voter.
        implied: how many independent voters of the mean accuracy reach what was observed; None
            when the mean is at most one half, or no number of voters reaches it.
    """

    items: int
    observed: float | None
    independent: float | None
    difference: float | None
    best: float | None
    implied: float | None


def majority_record(log: VoteLog, accuracies: Sequence[float | None]) -> MajorityRecord:
    """Return how the majority did.

    Args:
        log: a log with truth.
        accuracies: the accuracy of each voter; None for one that never answered.

    Returns:
        The record.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> rows = {"a": {"1": "x", "2": "x"}, "b": {"1": "x", "2": "y"}}
        >>> log = vote_log(rows, truth={"1": "x", "2": "x"})
        >>> majority_record(log, [1.0, 0.5]).observed
        0.75
    """
    shares = _whole(log.weights)
    truth = log.truth or ()
    won: list[float] = []
    sets: Counter[tuple[int, ...]] = Counter()
    columns = log.valid
    for at, label in enumerate(truth):
        said = [(i, column[at]) for i, column in enumerate(columns) if column[at] is not None]
        if label is None or not said:
            continue
        right = sum(shares[i] for i, answer in said if answer == label)
        won.append(_credit(right, sum(shares[i] for i, _ in said)))
        sets[tuple(i for i, _ in said)] += 1
    known = [one for one in accuracies if one is not None]
    if not won:
        return MajorityRecord(
            items=0, observed=None, independent=None, difference=None, best=None, implied=None
        )
    observed = fsum(won) / len(won)
    parts: list[float] = []
    for voters, times in sorted(sets.items()):
        chances = [accuracies[i] or 0.0 for i in voters]
        part = independent_accuracy(chances, [shares[i] for i in voters])
        parts.extend([] if part is None else [part * times])
    independent = fsum(parts) / len(won) if len(parts) == len(sets) else None
    return MajorityRecord(
        items=len(won),
        observed=observed,
        independent=independent,
        difference=None if independent is None else observed - independent,
        best=max(known),
        implied=implied_voters(fsum(known) / len(known), observed),
    )


def _whole(weights: Sequence[Exact]) -> list[int]:
    exact = [Fraction(one) for one in weights]
    scale = lcm(*(one.denominator for one in exact))
    return [int(one * scale) for one in exact]


def _credit(right: int, total: int) -> float:
    return 0.5 if 2 * right == total else float(2 * right > total)


def independent_accuracy(
    accuracies: Sequence[float], weights: Sequence[int] | None = None
) -> float | None:
    """Return how often the majority of independent voters is right.

    Args:
        accuracies: how often each is right.
        weights: the weight of each as a whole number; by default all weigh the same.

    Returns:
        The probability, half of it for an even split; None when there are too many different
        sums of weights to count.

    Example:
        >>> round(independent_accuracy([0.7, 0.7, 0.7]), 3)
        0.784
    """
    shares = [1] * len(accuracies) if weights is None else list(weights)
    chances: Mapping[int, float] = {0: 1.0}
    for accuracy, share in zip(accuracies, shares, strict=True):
        grown: dict[int, float] = {}
        for total, chance in chances.items():
            grown[total] = grown.get(total, 0.0) + chance * (1 - accuracy)
            grown[total + share] = grown.get(total + share, 0.0) + chance * accuracy
        if len(grown) > _MOST_SUMS:
            return None
        chances = grown
    whole = sum(shares)
    return fsum(chance * _credit(total, whole) for total, chance in chances.items())


def implied_voters(accuracy: float, observed: float) -> float | None:
    """Return how many independent voters of one accuracy reach an observed majority accuracy.

    Args:
        accuracy: the mean accuracy of the panel.
        observed: what its majority reached.

    Returns:
        A number of voters, between two odd numbers by a straight line; 1 when one voter reaches
        it; None when the accuracy is at most one half or 1001 voters do not reach it.

    Example:
        >>> round(implied_voters(0.7785, 0.8975), 1), implied_voters(0.7, 0.7)
        (3.9, 1.0)
    """
    if accuracy <= 0.5:
        return None
    if observed <= accuracy:
        return 1.0
    reached, step = accuracy, (2 * accuracy - 1) * accuracy * (1 - accuracy)
    for voters in range(1, _MOST_VOTERS, 2):
        if reached + step >= observed:
            return voters + 2 * (observed - reached) / step
        reached += step
        half = (voters + 3) // 2
        step *= (voters + 1) * (voters + 2) / (half * (half - 1)) * accuracy * (1 - accuracy)
    return None
