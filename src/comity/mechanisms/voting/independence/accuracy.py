"""Accuracy: how often is each voter right, and does it look at the question at all?

Here: accuracy with its interval, confusion, abstention and invalid rates, Youden's J.
Not here: errors of two voters together (correlation.py), the panel's majority (majority.py).
Sources: SEMANTICS V9; Wilson 1927 (interval); Youden 1950 (J, for more than two classes the
informedness (k * mean recall - 1) / (k - 1)).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import fsum, sqrt

from comity.mechanisms.voting.independence.log import VoteLog

__all__ = ["CONSTANT_YOUDEN", "VoterRecord", "voter_records", "wilson"]

CONSTANT_YOUDEN = 0.05
"""A voter whose J is at most this answers as if it did not look."""

_Z = 1.959963984540054  # 95 %


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterRecord:
    """How one voter did on the items whose truth is known.

    Attributes:
        voter: its name.
        answered: how many valid answers it gave.
        correct: how many of them were right.
        accuracy: their share; None when it gave none.
        low: the lower end of the 95 % Wilson interval.
        high: its upper end.
        abstained: the share of items it did not answer.
        invalid: the share of items it answered with what is no option.
        youden: 0 for a voter that answers without looking, 1 for one that is always right; None
            when it answered items of one true class only.
        is_constant: whether Youden's J is at most the limit.
        confusion: true class, answer, how often; sorted.
    """

    voter: str
    answered: int
    correct: int
    accuracy: float | None
    low: float
    high: float
    abstained: float
    invalid: float
    youden: float | None
    is_constant: bool
    confusion: tuple[tuple[str, str, int], ...]


def wilson(correct: int, answered: int, z: float = _Z) -> tuple[float, float]:
    """Return Wilson's interval of a share.

    Args:
        correct: how often it happened.
        answered: of how many times.
        z: the quantile; 95 % by default.

    Returns:
        Both ends, from 0 to 1; (0, 1) when nothing was answered.

    Example:
        >>> [round(end, 3) for end in wilson(7, 10)]
        [0.397, 0.892]
    """
    if not answered:
        return 0.0, 1.0
    share = correct / answered
    below = 1 + z * z / answered
    middle = (share + z * z / (2 * answered)) / below
    half = z * sqrt(share * (1 - share) / answered + z * z / (4 * answered**2)) / below
    low = middle - half if correct else 0.0
    return max(0.0, low), min(1.0, middle + half) if correct < answered else 1.0


def voter_records(log: VoteLog, constant: float = CONSTANT_YOUDEN) -> tuple[VoterRecord, ...]:
    """Return how each voter did on the items whose truth is known.

    Args:
        log: a log with truth.
        constant: the largest Youden's J of a voter that counts as constant.

    Returns:
        One record per voter, in the order of the log.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> log = vote_log([("1", "a", "x"), ("2", "a", "x")], truth={"1": "x", "2": "y"})
        >>> [(one.accuracy, one.youden, one.is_constant) for one in voter_records(log)]
        [(0.5, 0.0, True)]
    """
    truth = log.truth or ()
    places = [at for at, label in enumerate(truth) if label is not None]
    known = set(log.options)
    records = []
    for voter, answers in zip(log.voters, log.answers, strict=True):
        given = [(truth[at], answers[at]) for at in places]
        valid = Counter((str(one), str(said)) for one, said in given if said in known)
        silent = sum(1 for _, answer in given if answer is None)
        records.append(_record(voter, valid, len(given), silent, constant))
    return tuple(records)


def _record(
    voter: str,
    valid: Counter[tuple[str, str]],
    items: int,
    silent: int,
    limit: float,
) -> VoterRecord:
    answered = valid.total()
    correct = sum(times for (label, answer), times in valid.items() if label == answer)
    low, high = wilson(correct, answered)
    youden = _youden(valid)
    return VoterRecord(
        voter=voter,
        answered=answered,
        correct=correct,
        accuracy=correct / answered if answered else None,
        low=low,
        high=high,
        abstained=silent / items if items else 0.0,
        invalid=(items - silent - answered) / items if items else 0.0,
        youden=youden,
        is_constant=youden is not None and youden <= limit,
        confusion=tuple(
            sorted((label, answer, times) for (label, answer), times in valid.items())
        ),
    )


def _youden(valid: Counter[tuple[str, str]]) -> float | None:
    totals: Counter[str] = Counter()
    for (label, _), times in valid.items():
        totals[label] += times
    classes = len(totals)
    if classes < 2:
        return None
    recall = fsum(valid[label, label] / times for label, times in totals.items()) / classes
    return (classes * recall - 1) / (classes - 1)
