"""With truth: what does a log say about a panel when the right answers are known?

Here: everything put together: voters, pairs, the panel, its classes, its majority, each voter
left out, intervals, the panel without voters that do not look.
Not here: the single figures (accuracy.py, correlation.py, majority.py, intervals.py).
Sources: SEMANTICS V9.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from comity.core.exact import Exact
from comity.mechanisms.voting.independence.accuracy import VoterRecord, voter_records
from comity.mechanisms.voting.independence.correlation import (
    Errors,
    PairRecord,
    Panel,
    errors_of,
    pair_records,
    panel_of,
    within,
)
from comity.mechanisms.voting.independence.intervals import (
    Intervals,
    PermutationNull,
    bootstrap,
    permutation_null,
)
from comity.mechanisms.voting.independence.log import VoteLog
from comity.mechanisms.voting.independence.majority import MajorityRecord, majority_record
from comity.mechanisms.voting.independence.rules import ReportRules

__all__ = [
    "ClassRecord",
    "LeftOut",
    "SameWrong",
    "WithTruth",
    "with_truth",
]

MOST_LEFT_OUT = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRecord:
    """The panel within one true class.

    Attributes:
        label: the class.
        items: how many items it has.
        rho: the mean correlation of errors within it; None without a defined pair.
        counting_as: as how many voters the panel counts there.
    """

    label: str
    items: int
    rho: float | None
    counting_as: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SameWrong:
    """Do two voters that are both wrong say the same?

    Attributes:
        both_wrong: how often two voters were wrong together, over all pairs.
        same: how often they said the same.
        share: the share of those.
        chance: the share if all wrong answers were equally likely.
    """

    both_wrong: int
    same: int
    share: float
    chance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """The panel without one voter, and what that changes.

    Attributes:
        voter: who is left out.
        rho: the mean correlation of the others.
        rho_change: the difference to the whole panel.
        counting_as: as how many the others count.
        counting_change: the difference.
        majority: the majority accuracy of the others.
        majority_change: the difference.
    """

    voter: str
    rho: float | None
    rho_change: float | None
    counting_as: float | None
    counting_change: float | None
    majority: float | None
    majority_change: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WithTruth:
    """What a log says about a panel when the truth is known.

    Attributes:
        items: how many items have a known truth.
        panel: the whole panel.
        voters: each voter.
        pairs: each pair.
        classes: the panel within each true class.
        majority: the majority against independent voters.
        same_wrong: with more than two options, whether wrong answers agree.
        constant: voters that answer as if they did not look.
        without_constant: the panel without them; None when there is none or none would be left.
        intervals: how certain rho and n_eff are; None when they cannot be resampled.
        null: what chance alone would give; None when it cannot be resampled.
        left_out: the panel without each voter.
    """

    items: int
    panel: Panel
    voters: tuple[VoterRecord, ...]
    pairs: tuple[PairRecord, ...]
    classes: tuple[ClassRecord, ...]
    majority: MajorityRecord
    same_wrong: SameWrong | None
    constant: tuple[str, ...]
    without_constant: Panel | None
    intervals: Intervals | None
    null: PermutationNull | None
    left_out: tuple[LeftOut, ...]


def with_truth(log: VoteLog, *, seed: str = "0", rules: ReportRules | None = None) -> WithTruth:
    """Return what a log says about its panel, given the right answers.

    Args:
        log: a log with truth.
        seed: the seed of the resamples.
        rules: the limits and how many resamples are drawn.

    Returns:
        All figures; a figure that is not defined is None.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> errors = {"A": {1, 2, 3}, "B": {1, 2, 3}, "C": {1, 2, 4}}
        >>> rows = [
        ...     (str(item), voter, "no" if item in wrong else "yes")
        ...     for voter, wrong in errors.items()
        ...     for item in range(1, 11)
        ... ]
        >>> log = vote_log(rows, truth={str(item): "yes" for item in range(1, 11)})
        >>> found = with_truth(log, rules=ReportRules(resamples=0))
        >>> round(found.panel.rho, 4), round(found.panel.n_eff, 3)
        (0.6825, 1.268)
        >>> round(found.majority.observed, 3), round(found.majority.independent, 3)
        (0.7, 0.784)
    """
    chosen = rules or ReportRules()
    errors = errors_of(log)
    voters = voter_records(log, chosen.constant_youden)
    pairs = pair_records(errors, chosen.min_shared)
    panel = panel_of(log.voters, log.weights, pairs)
    majority = majority_record(log, [one.accuracy for one in voters])
    constant = tuple(one.voter for one in voters if one.is_constant)
    kept = log.without(constant)
    return WithTruth(
        items=sum(places.bit_count() for _, places in errors.classes),
        panel=panel,
        voters=voters,
        pairs=pairs,
        classes=_classes(errors, log.weights),
        majority=majority,
        same_wrong=_same_wrong(errors, pairs),
        constant=constant,
        without_constant=(
            panel_of(kept.voters, kept.weights, pairs) if constant and kept.voters else None
        ),
        intervals=bootstrap(errors, log.weights, pairs, seed=seed, wanted=chosen.resamples),
        null=permutation_null(errors, panel.rho, pairs, seed=seed, wanted=chosen.resamples),
        left_out=_left_out(log, pairs, panel, majority, voters),
    )


def _classes(errors: Errors, weights: Sequence[Exact]) -> tuple[ClassRecord, ...]:
    found = []
    for label, places in sorted(errors.classes):
        panel = panel_of(errors.voters, weights, pair_records(within(errors, places)))
        found.append(
            ClassRecord(
                label=label,
                items=places.bit_count(),
                rho=panel.rho,
                counting_as=panel.counting_as,
            )
        )
    return tuple(found)


def _same_wrong(errors: Errors, pairs: Sequence[PairRecord]) -> SameWrong | None:
    both = sum(one.both_wrong for one in pairs)
    if errors.options < 3 or not both:
        return None
    same = round(fsum((one.same_wrong or 0.0) * one.both_wrong for one in pairs))
    chance = 1 / (errors.options - 1)
    return SameWrong(both_wrong=both, same=same, share=same / both, chance=chance)


def _left_out(
    log: VoteLog,
    pairs: Sequence[PairRecord],
    panel: Panel,
    majority: MajorityRecord,
    voters: Sequence[VoterRecord],
) -> tuple[LeftOut, ...]:
    if not 2 < len(log.voters) <= MOST_LEFT_OUT:
        return ()
    found = []
    for record in voters:
        rest = log.without([record.voter])
        left = panel_of(rest.voters, rest.weights, pairs)
        others = [one.accuracy for one in voters if one.voter != record.voter]
        won = majority_record(rest, others).observed
        found.append(
            LeftOut(
                voter=record.voter,
                rho=left.rho,
                rho_change=_less(left.rho, panel.rho),
                counting_as=left.counting_as,
                counting_change=_less(left.counting_as, panel.counting_as),
                majority=won,
                majority_change=_less(won, majority.observed),
            )
        )
    return tuple(found)


def _less(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other
