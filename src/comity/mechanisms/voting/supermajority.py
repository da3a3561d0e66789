"""Supermajority: which options have what they need against a default option?

Here: dropping the options that lack their ratio or the quorum, and the rule that does so before
another rule counts.
Not here: thresholds of all votes (threshold.py), Debian's whole procedure (debian.py).
Sources: SEMANTICS V3; Debian constitution A.6; the filter comes before the count (2008/003, where
the Condorcet winner of all options lacks its 3:1).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import read_exact, show_number, to_fraction
from comity.mechanisms.voting.beatpaths import schulze, schulze_count
from comity.mechanisms.voting.counting import (
    Ballots,
    Counted,
    conclude,
    no_ballots,
    read_election_for,
)
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.registry import rule, rule_named
from comity.mechanisms.voting.tie_breaking import TieBreak

__all__ = ["drop_below", "supermajority"]


def drop_below(
    election: Election,
    default: str,
    ratios: Mapping[str, Any],
    quorum: Any = 0,  # noqa: ANN401  # any exact number, also as text
    *,
    quorum_squared: Any = None,  # noqa: ANN401  # the same
) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """Return the options that may be counted, and those that leave before.

    With V(A, D) the weight that ranks A above the default option D, an option A stays when
    V(A, D) reaches the quorum, is at least N times V(D, A), and is more than V(D, A).

    Args:
        election: rankings, or other ballots that rank.
        default: the default option; it always stays.
        ratios: option -> N, for those that need another ratio than 1.
        quorum: the weight that must rank an option above the default.
        quorum_squared: its square, where only that is a rational number (Debian's 3Q is
            3·sqrt(developers)/2, so its square is 9·developers/4); counts beside ``quorum``.

    Returns:
        The options that stay, the default among them, sorted; pairs of an option and why it
        leaves, ``quorum: …`` before ``majority: …`` when both fail.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> election = Election([["A", "D", "B"]] * 3 + [["D", "A", "B"]])
        >>> drop_below(election, "D", {"A": 3, "B": 1})
        (('A', 'D'), (('B', 'majority: 0 to 4 against D, more than 1:1 needed'),))
    """
    faults, wanted = _ratios(election, default, ratios)
    least = _number(quorum, "quorum", 0, faults)
    squared = None if quorum_squared is None else _number(quorum_squared, "quorum", 0, faults)
    raise_if(faults)
    matrix, names = election.pairwise(), election.options
    at = names.index(default)
    kept: list[str] = [default]
    dropped: list[tuple[str, str]] = []
    is_free = not least and squared is None
    for i, name in enumerate(names):
        if i == at:
            continue
        ratio = wanted.get(name, _EVEN)
        if is_free and _is_above(matrix[i][at], matrix[at][i], ratio):
            kept.append(name)
            continue
        over, under = election.exact(matrix[i][at]), election.exact(matrix[at][i])
        mine, theirs = to_fraction(over), to_fraction(under)
        reasons = []
        if mine < least or (squared is not None and mine * mine < squared):
            need = f"{show_number(least)} needed"
            if squared is not None:
                need = f"the root of {show_number(squared)} needed"
            reasons.append(f"quorum: {show_number(over)} above {default}, {need}")
        if not _is_above(mine, theirs, ratio):
            need = "more than 1:1" if ratio == 1 else f"{show_number(ratio)}:1"
            told = f"{show_number(over)} to {show_number(under)} against {default}"
            reasons.append(f"majority: {told}, {need} needed")
        dropped.extend((name, reason) for reason in reasons)
        kept.extend([] if reasons else [name])
    return tuple(sorted(kept)), tuple(dropped)


_EVEN = Fraction(1)


def _is_above(mine: int | Fraction, theirs: int | Fraction, ratio: Fraction) -> bool:
    """Tell whether an option beats the default, and by its ratio."""
    return mine > theirs and mine * ratio.denominator >= theirs * ratio.numerator


def _ratios(
    election: Election, default: str, ratios: Mapping[str, Any]
) -> tuple[list[Fault], dict[str, Fraction]]:
    names = election.options
    faults = [
        Fault(whose, f"is {shown(name)}", ", ".join(names), did_you_mean(str(name), names))
        for whose, name in (("default option", default), *(("ratio", one) for one in ratios))
        if name not in names
    ]
    found = {name: _number(one, f"ratio of {name}", 1, faults) for name, one in ratios.items()}
    return faults, found


def _number(value: object, whose: str, least: int, faults: list[Fault]) -> Fraction:
    if type(value) is int and value >= least:
        return Fraction(value)
    try:
        found = to_fraction(read_exact(value, whose, "value"))
    except InvalidInput as error:
        faults.extend(error.faults)
        return Fraction(least)
    if found < least:
        faults.append(Fault(whose, f"is {show_number(found)}", f"{least} or more", "correct it"))
    return found


@rule("supermajority")
def supermajority(
    ballots: Ballots,
    *,
    ratios: Mapping[str, Any],
    default_option: str,
    quorum: Any = 0,  # noqa: ANN401  # any exact number, also as text
    then: str = "schulze",
    ties: TieBreak | str = "none",
) -> Any:  # noqa: ANN401  # whatever the other rule ends in
    """Drop the options that lack their ratio against a default option, then apply a rule.

    Args:
        ballots: an election of rankings, or plain rankings.
        ratios: option -> the ratio that it needs; 1 for those not named.
        default_option: what every option is compared with; it stays and may win.
        quorum: the weight that must rank an option above the default.
        then: the name of the rule that counts what is left.
        ties: how its ties are broken.

    Returns:
        The other rule's result; ``count.dropped`` says who left and why, in exact numbers.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> ballots = [["A", "B", "stay"]] * 5 + [["B", "stay", "A"]] * 2
        >>> supermajority(ballots, ratios={"A": 3}, default_option="stay").winner
        'B'
    """
    election = read_election_for(ballots, "supermajority", ("ranking",), "ranking")
    counts = rule_named(then)
    parameters = (
        ("ratios", {name: str(one) for name, one in sorted(ratios.items())}),
        ("default_option", default_option),
        ("quorum", str(quorum)),
        ("then", then),
    )
    if not election.size:
        return no_ballots(election, Counted(rule="supermajority", best=(), parameters=parameters))
    kept, dropped = drop_below(election, default_option, ratios, quorum)
    is_whole = len(kept) == len(election.options)
    if is_whole and counts is schulze:  # the usual case, made into one result at once
        counted = schulze_count(election)
        whole: tuple[tuple[str, Any], ...] = (*parameters, *counted.parameters)
        return conclude(election, counted._replace(rule="supermajority", parameters=whole), ties)
    found = counts(election if is_whole else election.only(kept), ties=ties)
    grounds = replace(
        found.grounds,
        rule="supermajority",
        inputs_digest=election.digest,
        parameters=(*parameters, *found.grounds.parameters),
    )
    count = replace(found.count, election=election, dropped=(*dropped, *found.count.dropped))
    return replace(found, grounds=grounds, count=count)
