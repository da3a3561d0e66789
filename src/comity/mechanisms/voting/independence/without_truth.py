"""Without truth: what do the votes alone say about a panel?

Here: everything put together: agreement, near-clones, repeated runs, the Dawid-Skene model,
tetrads; whether a truth is only the panel's own result.
Not here: the single figures (agreement.py, dawid_skene.py, tetrads.py).
Sources: SEMANTICS V9.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from comity.mechanisms.voting.independence.agreement import (
    ClusterRecord,
    KappaRecord,
    clones,
    clusters,
    kappas,
    krippendorff_alpha,
)
from comity.mechanisms.voting.independence.dawid_skene import DawidSkene, dawid_skene
from comity.mechanisms.voting.independence.em import FEWEST_VOTERS, EmRules
from comity.mechanisms.voting.independence.log import VoteLog
from comity.mechanisms.voting.independence.rules import Measure, ReportRules
from comity.mechanisms.voting.independence.tetrads import Tetrads, tetrads

__all__ = [
    "Estimated",
    "ModelRecord",
    "WithoutTruth",
    "fitted_model",
    "own_labels",
    "without_truth",
]

MOST_CLASSES = 50
_LISTED = 100
_MOST_TETRAD_RESAMPLES = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated:
    """What a voter would be worth if the Dawid-Skene model held.

    Attributes:
        voter: its name.
        accuracy: how often it would be right.
    """

    voter: str
    accuracy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """What the Dawid-Skene model takes for true.

    Attributes:
        classes: the classes, sorted.
        shares: how common it takes each to be.
        voters: what it takes each voter to be worth.
        log_likelihood: how well it fits.
        iterations: how many steps it took.
        is_converged: whether it stopped moving.
        differs: items whose most probable class is not the one with the most votes, with that
            class; the first 100.
    """

    classes: tuple[str, ...]
    shares: tuple[float, ...]
    voters: tuple[Estimated, ...]
    log_likelihood: float
    iterations: int
    is_converged: bool
    differs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutTruth:
    """What the votes alone say.

    Attributes:
        alpha: Krippendorff's alpha; None when it is not defined.
        measure: how far apart two answers were taken to be.
        kappas: Cohen's kappa of each pair.
        clones: voters that answer so alike that each group counts as one.
        voters_without_clones: how many voters are left when each group counts as one.
        clusters: repeated runs of one voter.
        model: the Dawid-Skene model; None when it was not fitted.
        not_fitted: why it was not, or "".
        tetrads: what the tetrads say.
    """

    alpha: float | None
    measure: Measure
    kappas: tuple[KappaRecord, ...]
    clones: tuple[tuple[str, ...], ...]
    voters_without_clones: int
    clusters: tuple[ClusterRecord, ...]
    model: ModelRecord | None
    not_fitted: str
    tetrads: Tetrads


def without_truth(
    log: VoteLog, model: DawidSkene | str, *, seed: str = "0", rules: ReportRules | None = None
) -> WithoutTruth:
    """Return what the votes of a log say about its panel.

    Args:
        log: the votes.
        model: the fitted model, or why there is none.
        seed: the seed of the resamples.
        rules: the limits.

    Returns:
        All figures; a figure that is not defined is None.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> log = vote_log({one: {"1": "x", "2": "y"} for one in "ab"})
        >>> found = without_truth(log, fitted_model(log))
        >>> found.alpha, found.clones, found.not_fitted
        (1.0, (('a', 'b'),), 'Dawid-Skene needs 3 voters; this log has 2.')
    """
    chosen = rules or ReportRules()
    pairs = kappas(log)
    least = min(chosen.min_shared, len(log.items))
    groups = clones([one for one in pairs if one.shared >= least], chosen.clone_kappa)
    many = min(chosen.resamples, _MOST_TETRAD_RESAMPLES)
    return WithoutTruth(
        alpha=krippendorff_alpha(log, chosen.measure),
        measure=chosen.measure,
        kappas=pairs,
        clones=groups,
        voters_without_clones=len(log.voters) - sum(len(one) - 1 for one in groups),
        clusters=clusters(log),
        model=None if isinstance(model, str) else _record(log, model),
        not_fitted=model if isinstance(model, str) else "",
        tetrads=tetrads(log, seed=seed, resamples=many),
    )


def fitted_model(log: VoteLog, *, seed: str = "0", starts: int = 3) -> DawidSkene | str:
    """Return the Dawid-Skene model of a log, or why it has none.

    Args:
        log: the votes.
        seed: the seed of the starts.
        starts: how many are tried.

    Returns:
        The model; a sentence for a log of fewer than three voters or two answers, or of so many
        answers that nothing is learnt about any.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> fitted_model(vote_log({one: {"1": "x"} for one in "abc"}))
        'Dawid-Skene needs two answers; this log has one.'
    """
    rows = log.rows()
    whose = dict(zip(log.voters, log.runs_of, strict=True))
    voters = {whose[voter] for _, voter, _ in rows}
    if len(voters) < FEWEST_VOTERS:
        return f"Dawid-Skene needs {FEWEST_VOTERS} voters; this log has {len(voters)}."
    answers = len({answer for _, _, answer in rows})
    if answers < 2:
        return "Dawid-Skene needs two answers; this log has one."
    if answers > MOST_CLASSES:
        return f"Dawid-Skene was not fitted: {answers} different answers, at most {MOST_CLASSES}."
    return dawid_skene(log, rules=EmRules(seed=seed, starts=starts))


def _record(log: VoteLog, model: DawidSkene) -> ModelRecord:
    leaders = _leaders(log)
    differs = [
        (item, label)
        for item, label in zip(model.items, model.labels, strict=True)
        if label is not None and {label} != leaders[item]
    ]
    return ModelRecord(
        classes=model.classes,
        shares=model.shares,
        voters=tuple(Estimated(voter=one.voter, accuracy=one.accuracy) for one in model.voters),
        log_likelihood=model.log_likelihood,
        iterations=model.iterations,
        is_converged=model.is_converged,
        differs=tuple(differs[:_LISTED]),
    )


def _leaders(log: VoteLog) -> dict[str, set[str]]:
    """Return for each item the answers with the most votes."""
    votes: dict[str, Counter[str]] = {}
    for item, _, answer in log.rows():
        votes.setdefault(item, Counter())[str(answer)] += 1
    return {
        item: {answer for answer, many in counted.items() if many == max(counted.values())}
        for item, counted in votes.items()
    }


def own_labels(log: VoteLog, model: DawidSkene | str) -> str:
    """Return whose labels a truth equals on every item: then it may be no truth at all.

    Args:
        log: a log, perhaps with truth.
        model: its fitted model, or why there is none.

    Returns:
        ``"majority"``, ``"Dawid-Skene labels"`` or "". A tie is taken to agree with either side.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> own_labels(vote_log({one: {"1": "x"} for one in "abc"}, truth={"1": "x"}), "")
        'majority'
    """
    leaders = _leaders(log)
    told = [
        (item, label)
        for item, label in zip(log.items, log.truth or [None] * len(log.items), strict=True)
        if label is not None and item in leaders
    ]
    if told and all(label in leaders[item] for item, label in told):
        return "majority"
    if not told or isinstance(model, str):
        return ""
    labels = dict(zip(model.items, model.labels, strict=True))
    is_same = all(labels[item] in (label, None) for item, label in told)
    return "Dawid-Skene labels" if is_same else ""
