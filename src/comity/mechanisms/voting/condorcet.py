"""Condorcet rules: which option stands best in the duels of all pairs?

Here: the Condorcet winner, Copeland, minimax; the Smith set; how strong a defeat is.
Not here: Schulze and ranked pairs (beatpaths.py), Kemeny (kemeny.py), the pairwise matrix
(profile.py).
Sources: SEMANTICS V3; Condorcet 1785; Copeland 1951; Simpson 1969 and Kramer 1977 (minimax);
Smith 1973.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import compress
from operator import gt
from typing import Literal, get_args

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact
from comity.mechanisms.voting.ballots import MOST_OPTIONS
from comity.mechanisms.voting.counting import (
    RANKABLE,
    Ballots,
    Counted,
    Outcome,
    conclude,
    read_election_for,
    tiers,
)
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.profile import Matrix
from comity.mechanisms.voting.reading import whole
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.tie_breaking import TieBreak

__all__ = [
    "Strength",
    "Unranked",
    "condorcet",
    "copeland",
    "defeats",
    "matrix_for",
    "minimax",
    "smith_set",
]

_BITS = tuple(1 << at for at in range(MOST_OPTIONS))

Strength = Literal["margins", "winning_votes"]
"""A defeat is as strong as its lead, or as the votes of its winner."""

Unranked = Literal["last", "no_opinion"]
"""What a ballot says about an option it leaves out: it is below the rest, or nothing."""


def matrix_for(election: Election, name: str, unranked: str) -> Matrix:
    """Return the pairwise matrix under a reading of what ballots leave out.

    Args:
        election: every ballot.
        name: the rule's name, for the message.
        unranked: ``"last"`` or ``"no_opinion"``.

    Returns:
        The matrix in units of weight.

    Raises:
        InvalidInput: for another reading.

    Example:
        >>> matrix_for(Election([["A"]], options=["A", "B"]), "r", "no_opinion")
        ((0, 0), (0, 0))
    """
    if unranked == "last":
        return election.pairwise()
    if unranked == "no_opinion":
        return election.pairwise(no_opinion=True)
    allowed = ", ".join(get_args(Unranked))
    raise InvalidInput(Fault(name, f"unranked is {shown(unranked)}", allowed, "choose one"))


def defeats(matrix: Matrix, strength: str, name: str) -> list[tuple[int, int, int]]:
    """Return every defeat as its strength, its winner and its loser, the strongest first.

    Args:
        matrix: the pairwise matrix.
        strength: ``"margins"`` or ``"winning_votes"``.
        name: the rule's name, for the message.

    Returns:
        One entry per pair that is not even; equal strengths stand beside each other.

    Raises:
        InvalidInput: for another measure of strength.

    Example:
        >>> defeats(((0, 3), (1, 0)), "margins", "r")
        [(2, 0, 1)]
    """
    if strength not in get_args(Strength):
        allowed = ", ".join(get_args(Strength))
        raise InvalidInput(Fault(name, f"strength is {shown(strength)}", allowed, "choose one"))
    by_margin = strength == "margins"
    found = []
    for i, mine in enumerate(matrix):
        for j in range(i):
            votes, against = mine[j], matrix[j][i]
            if votes > against:
                found.append((votes - against if by_margin else votes, i, j))
            elif against > votes:
                found.append((against - votes if by_margin else against, j, i))
    found.sort(reverse=True)
    return found


def smith_set(matrix: Matrix) -> list[int]:
    """Return the smallest set of options that beats every option outside it.

    Args:
        matrix: the pairwise matrix.

    Example:
        >>> smith_set(((0, 2, 3), (1, 0, 3), (0, 0, 0)))
        [0]
    """
    sets = _smith_sets(_beats(matrix))
    return sets[0] if sets else []


def _beats(matrix: Matrix) -> list[int]:
    """Return, as bits, whom each option beats."""
    return [
        sum(compress(_BITS, map(gt, mine, theirs)))
        for mine, theirs in zip(matrix, zip(*matrix, strict=True), strict=True)
    ]


def _smith_sets(beats: Sequence[int]) -> list[list[int]]:
    """Return the Smith set, then the Smith set of the rest, and so on.

    Whoever is in the set wins more duels than whoever is outside; so, by wins, each set is the
    shortest beginning whose members all beat everybody behind it.
    """
    wins = [one.bit_count() for one in beats]
    outside, beaten = (1 << len(beats)) - 1, -1
    sets: list[list[int]] = [[]]
    for i in sorted(range(len(beats)), key=wins.__getitem__, reverse=True):
        outside &= ~(1 << i)
        beaten &= beats[i]
        sets[-1].append(i)
        if beaten & outside == outside:
            sets.append([])
            beaten = -1
    return [sorted(some) for some in sets if some]


@rule("condorcet")
def condorcet(
    ballots: Ballots,
    *,
    unranked: Unranked = "last",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the option that beats every other one in a duel.

    Args:
        ballots: an election, or plain ballots that rank options.
        unranked: what ballots say about options they leave out.
        ties: how to choose from the Smith set when there is no such option.

    Returns:
        The choice, with the duels won by each as its tally; or no decision for ``cycle`` (options
        beat each other in a circle) or ``tie`` (even duels), with the Smith set as leaders.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> condorcet([["A", "B", "C"], ["B", "C", "A"], ["C", "A", "B"]]).reason
        'cycle'
    """
    election = read_election_for(ballots, "condorcet", RANKABLE)
    matrix = matrix_for(election, "condorcet", unranked)
    beats = _beats(matrix)
    sets = _smith_sets(beats)
    best = sets[0] if sets else []
    duels = []
    if len(best) == 1:
        at = best[0]
        duels = [votes - matrix[j][at] for j, votes in enumerate(matrix[at]) if j != at]
    inside = sum(1 << i for i in best)
    beaten = 0
    for i in best:
        beaten |= beats[i]
    is_cycle = len(best) > 1 and beaten & inside == inside
    counted = Counted(
        rule="condorcet",
        best=[election.options[i] for i in best],
        parameters=(("unranked", unranked),),
        tally={name: one.bit_count() for name, one in zip(election.options, beats, strict=True)},
        ranking=tuple([tuple([election.options[i] for i in some]) for some in sets]),
        margin=election.exact(min(duels)) if duels else None,
        reason="cycle" if is_cycle else "tie",
        label="smith set",
    )
    return conclude(election, counted, ties)


@rule("copeland")
def copeland(
    ballots: Ballots,
    *,
    unranked: Unranked = "last",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the option that wins the most duels; an even duel counts one half.

    Args:
        ballots: an election, or plain ballots that rank options.
        unranked: what ballots say about options they leave out.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with each option's duels, or the tie.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> copeland([["A", "B", "C"], ["B", "A", "C"]]).tally
        {'A': Fraction(3, 2), 'B': Fraction(3, 2), 'C': 0}
    """
    election = read_election_for(ballots, "copeland", RANKABLE)
    matrix = matrix_for(election, "copeland", unranked)
    doubled = []
    for i, (mine, theirs) in enumerate(zip(matrix, zip(*matrix, strict=True), strict=True)):
        won = 0
        for j, votes in enumerate(mine):
            if j != i:
                won += (votes > theirs[j]) + (votes >= theirs[j])
        doubled.append(won)
    scores = [whole(Fraction(one, 2)) for one in doubled]
    return conclude(election, _scored(election, "copeland", scores, unranked), ties)


def _scored(election: Election, name: str, scores: Sequence[Exact], unranked: str) -> Counted:
    places = tiers(election, scores)
    ordered = sorted(scores, reverse=True)
    return Counted(
        rule=name,
        best=places[0] if places else (),
        parameters=(("unranked", unranked),),
        tally=dict(zip(election.options, scores, strict=True)),
        ranking=places,
        margin=ordered[0] - ordered[1] if len(ordered) > 1 else None,  # type: ignore[operator]  # ints and Fractions
    )


@rule("minimax")
def minimax(
    ballots: Ballots,
    *,
    strength: Literal["margins", "winning_votes", "opposition"] = "margins",
    unranked: Unranked = "last",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the option whose worst duel is least bad (Simpson-Kramer).

    Args:
        ballots: an election, or plain ballots that rank options.
        strength: how bad a duel is: the lead of the other (a lead of one's own counts below
            zero), the other's votes if it wins, or the other's votes in any case.
        unranked: what ballots say about options they leave out.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice; the tally holds the worst duel of each option, the smallest wins.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> result = minimax([["A", "B", "C"]] * 2 + [["B", "C", "A"]] * 3 + [["C", "A", "B"]] * 2)
        >>> result.winner, result.tally
        ('B', {'A': 3, 'B': 1, 'C': 3})
    """
    election = read_election_for(ballots, "minimax", RANKABLE)
    matrix = matrix_for(election, "minimax", unranked)
    if strength not in ("margins", "winning_votes", "opposition"):
        allowed = "margins, winning_votes, opposition"
        what = f"strength is {shown(strength)}"
        raise InvalidInput(Fault("minimax", what, allowed, "choose one"))
    worst: list[int] = []
    for i, mine in enumerate(matrix):
        pairs = [(matrix[j][i], votes) for j, votes in enumerate(mine) if j != i]
        if strength == "margins":
            bad = [against - votes for against, votes in pairs]
        elif strength == "winning_votes":
            bad = [against if against > votes else 0 for against, votes in pairs]
        else:
            bad = [against for against, _ in pairs]
        worst.append(max(bad, default=0))
    places = tiers(election, [-one for one in worst])
    ordered = sorted(worst)
    parameters: tuple[tuple[str, Json], ...] = (("strength", strength), ("unranked", unranked))
    counted = Counted(
        rule="minimax",
        best=places[0] if places else (),
        parameters=parameters,
        tally={
            name: election.exact(one) for name, one in zip(election.options, worst, strict=True)
        },
        ranking=places,
        margin=election.exact(ordered[1] - ordered[0]) if len(ordered) > 1 else None,
    )
    return conclude(election, counted, ties)
