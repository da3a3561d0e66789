"""Positional rules: which option collects the most points?

Here: plurality, Borda, approval, score and STAR.
Not here: rules that compare options in pairs (condorcet.py) or drop them one by one
(elimination.py), majorities and thresholds (threshold.py).
Sources: SEMANTICS V3, V4; Borda 1784 (points m-1, m-2, … 0; equals share the average, as in
Gärdenfors 1973); Brams and Fishburn 1978 (approval); STAR: Equal Vote Coalition, 2014.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal

from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact
from comity.core.results import Item
from comity.mechanisms.voting.counting import (
    Ballots,
    Counted,
    Outcome,
    conclude,
    read_election_for,
    tiers,
)
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.reading import whole
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.results import Round
from comity.mechanisms.voting.tie_breaking import TieBreak

__all__ = ["approval", "borda", "lead", "plurality", "score", "star"]

Unranked = Literal["last", "zero"]


def lead(tally: Sequence[Exact]) -> Exact | None:
    """Return how far the highest score is before the second; None when there is no second.

    Args:
        tally: the scores.

    Example:
        >>> lead([4, 7, 4])
        3
    """
    if len(tally) < 2:
        return None
    second, first = sorted(tally)[-2:]
    return first - second  # type: ignore[operator]  # no rule mixes Decimal with Fraction


@rule("plurality")
def plurality(
    ballots: Ballots,
    *,
    equal: Literal["split", "refuse"] = "split",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the option that most ballots put first.

    Args:
        ballots: an election of choices or rankings, or plain ballots.
        equal: what several first ranks on one ballot do: split it, or be refused.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with its tally of first places, or the tie.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> result = plurality(["A", "B", "A"])
        >>> result.winner, result.tally, result.margin
        ('A', {'A': 2, 'B': 1}, 1)
    """
    election = read_election_for(ballots, "plurality", ("choice", "ranking"))
    shares, _ = election.profile().tops(range(len(election.options)))
    if equal not in ("split", "refuse"):
        what = f"equal is {shown(equal)}"
        raise InvalidInput(Fault("plurality", what, "split, refuse", "choose one"))
    if equal == "refuse" and election.profile().has_equal_tops:
        raise InvalidInput(
            Fault("plurality", "meets several first ranks on one ballot", "one", 'equal="split"')
        )
    units = [shares.get(at, 0) for at in range(len(election.options))]
    parameters = (("equal", equal),) if election.kind == "ranking" else ()
    return conclude(election, _by_points(election, "plurality", units, parameters), ties)


@rule("borda")
def borda(
    ballots: Ballots,
    *,
    unranked: Unranked | None = None,
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the option with the most Borda points.

    With m options, a first rank is worth m-1 points and each further one a point less; options
    of equal rank share the average of their places.

    Args:
        ballots: an election of rankings, or plain rankings.
        unranked: what an option that a ballot leaves out gets: ``"last"``, the average of the
            places left; ``"zero"``, nothing. Without it, short ballots are refused.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with its points, or the tie.

    Raises:
        InvalidInput: for ballots that cannot be counted, short ones among them.

    Example:
        >>> result = borda([list(one) for one in ("ABC", "ABC", "BCA", "BCA", "CBA")])
        >>> result.winner, result.tally
        ('B', {'A': 4, 'B': 7, 'C': 4})
    """
    election = read_election_for(ballots, "borda", ("ranking",), "ranking")
    if unranked not in (None, "last", "zero"):
        allowed = "last, zero, or nothing to refuse short ballots"
        raise InvalidInput(Fault("borda", f"unranked is {shown(unranked)}", allowed, "choose one"))
    is_short = election.profile().is_short
    if is_short and unranked is None:
        raise InvalidInput(
            Fault(
                "borda",
                "meets ballots that leave options out",
                "complete rankings of the declared options",
                'say what is left out is worth: unranked="last" or "zero"',
            )
        )
    doubled = _doubled_points(election, zero=is_short and unranked == "zero")
    units = [whole(Fraction(points, 2)) for points in doubled]
    parameters = (("unranked", unranked),) if unranked else ()
    return conclude(election, _by_points(election, "borda", units, parameters), ties)


def _doubled_points(election: Election, *, zero: bool) -> list[int]:
    """Return twice the points: each option above another is worth two, each equal one."""
    matrix, total = election.pairwise(), election.weight
    span = range(len(matrix))
    points = [
        (len(matrix) - 1) * total + sum(mine) - sum(theirs)
        for mine, theirs in zip(matrix, zip(*matrix, strict=True), strict=True)
    ]
    if zero:
        profile = election.profile()
        for i, j in combinations(span, 2):
            out = profile.both_unranked(i, j)
            points[i] -= out
            points[j] -= out
    return points


@rule("approval")
def approval(ballots: Ballots, *, ties: TieBreak | str = "none") -> Outcome:
    """Elect the option that most ballots approve.

    Args:
        ballots: an election of approvals, or plain sets or lists of options.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with its approvals, or the tie.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> approval([{"A", "B"}, {"B"}, set()]).tally
        {'A': 1, 'B': 2}
    """
    election = read_election_for(ballots, "approval", ("approval",), "approval")
    profile = election.profile()
    units = [profile.ranked(at) for at in range(len(election.options))]
    return conclude(election, _by_points(election, "approval", units), ties)


@rule("score")
def score(
    ballots: Ballots,
    *,
    measure: Literal["sum", "mean"] = "sum",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the option with the highest score.

    Args:
        ballots: an election of scores, or plain mappings of option to score.
        measure: ``"sum"``, in which a score that is left out is worth nothing, or ``"mean"`` of
            the ballots that give one.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with the exact scores, or the tie.

    Raises:
        InvalidInput: for ballots that cannot be counted, NaN and infinities among them.

    Example:
        >>> score([{"A": 0.1, "B": 0.6}, {"A": 0.2}, {"A": 0.3}]).tied
        ('A', 'B')
    """
    election = read_election_for(ballots, "score", ("score",), "score")
    if measure not in ("sum", "mean"):
        raise InvalidInput(
            Fault("score", f"measure is {shown(measure)}", "sum, mean", "choose one")
        )
    totals, weights = _totals(election)
    units = totals
    if measure == "mean":
        scale = election.scale
        units = [
            whole(Fraction(total) / weight * scale) if weight else 0
            for total, weight in zip(totals, weights, strict=True)
        ]
    counted = _by_points(election, "score", units, (("measure", measure),))
    return conclude(election, counted, ties)


def _totals(election: Election) -> tuple[list[Exact], list[int]]:
    """Return each option's sum of scores and the weight of the ballots that give it one."""
    totals: list[int | Fraction] = [0] * len(election.options)
    weights = [0] * len(election.options)
    for row, weight, count, _ in election.lines:
        mass = weight * count
        for at, value in enumerate(row or ()):
            if value is not None:
                totals[at] += value * mass
                weights[at] += mass
    return [whole(total) for total in totals], weights


@rule("star")
def star(ballots: Ballots, *, ties: TieBreak | str = "none") -> Outcome:
    """Score, then automatic runoff: of the two best scores, the one that more ballots prefer.

    Where scores tie for a place in the runoff, every runoff that may come of it is held; the
    winner must win them all, or there is a tie.

    Args:
        ballots: an election of scores, or plain mappings of option to score.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with the scores and, as rounds, the runoff; or the tie.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> result = star([{"A": 5, "B": 4, "C": 0}] * 3 + [{"A": 0, "B": 1, "C": 5}] * 2)
        >>> result.tally, result.winner
        ({'A': 15, 'B': 14, 'C': 10}, 'A')
    """
    election = read_election_for(ballots, "star", ("score",), "score")
    totals, _ = _totals(election)
    places = tiers(election, totals)
    matrix = election.pairwise()
    rounds: list[Round] = []
    winners: set[str] = set()
    margin: Exact | None = None
    for one, other in _finals(places):
        i, j = election.options.index(one), election.options.index(other)
        votes = (matrix[i][j], matrix[j][i])
        tally = tuple(
            Item(name, election.exact(share))
            for name, share in zip((one, other), votes, strict=True)
        )
        rounds.append(Round("runoff", tally))
        winners |= {one} if votes[0] >= votes[1] else set()
        winners |= {other} if votes[1] >= votes[0] else set()
        gap = election.exact(abs(votes[0] - votes[1]))
        margin = gap if margin is None else min(margin, gap)
    if not rounds:
        winners = set(election.options)
    counted = Counted(
        rule="star",
        best=sorted(winners),
        tally=_named(election, totals),
        ranking=places,
        margin=margin,
        rounds=tuple(rounds),
    )
    return conclude(election, counted, ties)


def _finals(places: tuple[tuple[str, ...], ...]) -> list[tuple[str, str]]:
    """Return every pair that may meet in the runoff."""
    if places and len(places[0]) > 1:
        return list(combinations(places[0], 2))
    if len(places) < 2:
        return []
    return [(places[0][0], second) for second in places[1]]


def _named(election: Election, units: Sequence[Exact]) -> Mapping[str, Exact]:
    if election.scale == 1:
        return dict(zip(election.options, units, strict=True))
    return {name: election.exact(one) for name, one in zip(election.options, units, strict=True)}


def _by_points(
    election: Election,
    name: str,
    units: Sequence[Exact],
    parameters: tuple[tuple[str, str], ...] = (),
) -> Counted:
    """Return a count in which the most points win."""
    tally = _named(election, units)
    places = tiers(election, units)
    return Counted(
        rule=name,
        best=places[0] if places else (),
        parameters=parameters,
        tally=tally,
        ranking=places,
        margin=lead(list(tally.values())),
    )
