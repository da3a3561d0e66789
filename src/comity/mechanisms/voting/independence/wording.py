"""Wording: how does an independence report read?

Here: its headline, its sentences, its warnings, the gravest first.
Not here: the figures they rest on, tables and colours (render/independence.py).
Sources: SEMANTICS V9, G1, G8; the traps of measuring dependence: a constant voter's negative phi
hides that of the others, and errors against the panel's own majority cannot be seen.
"""

from __future__ import annotations

from comity.mechanisms.voting.independence.effective import clipped
from comity.mechanisms.voting.independence.log import VoteLog
from comity.mechanisms.voting.independence.rules import ReportRules
from comity.mechanisms.voting.independence.with_truth import WithTruth
from comity.mechanisms.voting.independence.without_truth import WithoutTruth

__all__ = ["headline", "sentences", "warnings_of"]


def headline(log: VoteLog, known: WithTruth | None, alone: WithoutTruth, own: str = "") -> str:
    """Return the report in one line, without a full stop.

    Args:
        log: the log.
        known: what it says given the truth, or None.
        alone: what the votes alone say.
        own: whose labels the truth equals on every item, or "".

    Returns:
        For example ``5 voters, counting as 3.0``.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> from comity.mechanisms.voting.independence.without_truth import without_truth
        >>> log = vote_log({"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "y"}})
        >>> headline(log, None, without_truth(log, ""))
        '2 voters, agreement 1.00; as how many they count needs the truth'
    """
    count = len(log.voters)
    whole = f"{count} voter" if count == 1 else f"{count} voters"
    if known is None:
        alpha = "not defined" if alone.alpha is None else f"{alone.alpha:.2f}"
        return f"{whole}, agreement {alpha}; as how many they count needs the truth"
    counting = known.panel.counting_as
    head = f"{whole}; as how many they count cannot be told: no correlation is defined"
    if counting is not None:
        head = f"{whole}, counting as {counting:.1f}"
    rest = known.without_constant
    if rest is not None and rest.counting_as is not None:
        head += f"; without constant voters {rest.voters}, counting as {rest.counting_as:.1f}"
    return f"{head}; worthless if the truth is their own {own}" if own else head


def sentences(known: WithTruth | None, alone: WithoutTruth) -> tuple[str, ...]:
    """Return what a report says beside its headline and warnings.

    Args:
        known: what the log says given the truth, or None.
        alone: what the votes alone say.

    Returns:
        Whole sentences.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> from comity.mechanisms.voting.independence.without_truth import without_truth
        >>> log = vote_log({"a": {"1": "x", "2": "y"}, "b": {"1": "x", "2": "y"}})
        >>> sentences(None, without_truth(log, ""))[0]
        "Agreement (Krippendorff's alpha, nominal) is 1.000."
    """
    return (*_with(known), *_without(alone))


def _with(known: WithTruth | None) -> list[str]:
    if known is None:
        return []
    lines = []
    if known.panel.rho is not None:
        ends, told = known.intervals, ""
        if ends is not None and known.panel.counting_as is not None:
            low, high = (clipped(end, known.panel.voters) for end in ends.n_eff)
            told = (
                f" (95 %: {ends.rho[0]:.3f} to {ends.rho[1]:.3f}), counting as "
                f"{known.panel.counting_as:.1f} ({low:.1f} to {high:.1f})"
            )
        lines.append(f"Mean correlation of errors {known.panel.rho:.3f}{told}.")
    if known.null is not None:
        lines.append(
            f"Chance alone, within each true class, gives {known.null.mean:.3f} "
            f"(p = {known.null.p:.4f})."
        )
    won = known.majority
    if won.observed is not None and won.independent is not None and won.difference is not None:
        lines.append(
            f"The majority is right on {won.observed:.1%}; independent voters of these accuracies "
            f"would be on {won.independent:.1%} ({100 * won.difference:+.1f} points); the best "
            f"single voter is on {won.best:.1%}."
        )
    if won.implied is not None:
        lines.append(f"That is what {won.implied:.1f} independent voters would reach.")
    if known.same_wrong is not None:
        lines.append(
            f"Two voters that are both wrong say the same in {known.same_wrong.share:.1%}; chance "
            f"gives {known.same_wrong.chance:.1%}."
        )
    return lines


def _without(alone: WithoutTruth) -> list[str]:
    lines = []
    if alone.alpha is not None:
        lines.append(f"Agreement (Krippendorff's alpha, {alone.measure}) is {alone.alpha:.3f}.")
    lines.extend(
        f"{' and '.join(group)} answer so alike that they count as one." for group in alone.clones
    )
    lines.extend(
        f"{len(one.runs)} runs of {one.voter} count as {one.counting_as:.1f} (ICC {one.icc:.2f})."
        for one in alone.clusters
        if one.icc is not None and one.counting_as is not None
    )
    lines.extend([alone.not_fitted] if alone.not_fitted else [])
    lines.append(alone.tetrads.says)
    return lines


def warnings_of(
    log: VoteLog, known: WithTruth | None, alone: WithoutTruth, rules: ReportRules, own: str = ""
) -> tuple[str, ...]:
    """Return what must be known before a report is used.

    Args:
        log: the log.
        known: what it says given the truth, or None.
        alone: what the votes alone say.
        rules: the limits.
        own: whose labels the truth equals on every item, or "".

    Returns:
        Whole sentences, the gravest first.

    Example:
        >>> from comity.mechanisms.voting.independence.log import vote_log
        >>> from comity.mechanisms.voting.independence.without_truth import without_truth
        >>> log = vote_log([("1", "a", "x"), ("1", "b", "y")])
        >>> warnings_of(log, None, without_truth(log, ""), ReportRules())[0]
        'No truth: agreement is not independence. Voters that err together agree.'
    """
    if known is None:
        first = ["No truth: agreement is not independence. Voters that err together agree."]
        return (*first, *_of_model(alone))
    found = []
    if own:
        found.append(
            f"The truth equals the panel's own {own} on every item. If it was made from these "
            "votes, shared errors cannot be seen and every figure here is worthless."
        )
    for voter in known.voters:
        if voter.is_constant and voter.youden is not None:
            found.append(
                f"{voter.voter} answers as if it did not look (Youden's J {voter.youden:.2f}): "
                "its correlations hide those of the others; see the panel without it."
            )
    found.extend(_of_pairs(known, rules))
    if known.panel.rho is not None and known.panel.rho < 0:
        found.append(
            f"The mean correlation is negative ({known.panel.rho:.3f}). That is no bonus: it "
            "comes from voters that err on different classes, or from chance."
        )
    missing = sum(1 for one in log.truth or () if one is None)
    if missing:
        found.append(f"{missing} of {len(log.items)} items have no truth and were left out.")
    return (*found, *_of_model(alone))


def _of_pairs(known: WithTruth, rules: ReportRules) -> list[str]:
    found = []
    pairs = known.pairs
    few = [one for one in pairs if one.has_few_items]
    if few and len(few) == len(pairs):
        most = max(one.shared for one in few)
        found.append(
            f"Few items: no pair shares more than {most}, and {rules.min_shared} are wanted: the "
            "figures are rough."
        )
    elif few:
        found.append(
            f"Few items: {_counted(len(few), 'shares', 'share')} fewer than {rules.min_shared} "
            "and do not count."
        )
    undefined = [one for one in pairs if one.phi is None]
    if undefined:
        found.append(
            f"{_counted(len(undefined), 'has', 'have')} no defined correlation, because one of "
            "the two never or always errs; that is not 0."
        )
    if known.intervals is None and rules.resamples and known.panel.rho is not None:
        found.append("The log is too large, or too small, to be resampled: no intervals.")
    return found


def _counted(many: int, one: str, more: str) -> str:
    return f"1 pair {one}" if many == 1 else f"{many} pairs {more}"


def _of_model(alone: WithoutTruth) -> list[str]:
    found = []
    if alone.model is not None and alone.clones:
        told = "; ".join(" and ".join(group) for group in alone.clones)
        found.append(
            f"Dawid-Skene takes near-clones ({told}) for good voters and their answer for the "
            "truth: do not trust its accuracies here."
        )
    if alone.model is not None and not alone.model.is_converged:
        found.append("Dawid-Skene has not converged.")
    return found
