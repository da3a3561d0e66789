"""Kemeny: which ranking disagrees least with all ballots?

Here: the exact rule by dynamic programming over sets of options, with every tied winner.
Not here: quicker rules on the same duels (condorcet.py, beatpaths.py).
Sources: SEMANTICS V3; Kemeny 1959; Young and Levenglick 1978; Held and Karp 1962 for the
recursion over sets.
"""

from __future__ import annotations

from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.voting.condorcet import Unranked, matrix_for
from comity.mechanisms.voting.counting import (
    RANKABLE,
    Ballots,
    Counted,
    Outcome,
    conclude,
    read_election_for,
)
from comity.mechanisms.voting.profile import Matrix
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.tie_breaking import TieBreak

__all__ = ["MOST_KEMENY_OPTIONS", "kemeny"]

MOST_KEMENY_OPTIONS = 14


@rule("kemeny")
def kemeny(
    ballots: Ballots,
    *,
    unranked: Unranked = "last",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the first of the ranking with the fewest disagreements (Kemeny-Young).

    A ballot disagrees once for each pair that it ranks the other way round.

    Args:
        ballots: an election, or plain ballots that rank options; at most 14 options.
        unranked: what ballots say about options they leave out.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice; the tally holds the disagreements of the best ranking that puts each option
        first, the smallest wins. The ranking is given where only one is best.

    Raises:
        InvalidInput: for ballots that cannot be counted, and for more options.

    Example:
        >>> result = kemeny([["A", "B", "C"]] * 3 + [["B", "C", "A"]] * 2)
        >>> result.winner, result.tally, result.count.ranking
        ('A', {'A': 4, 'B': 5, 'C': 10}, (('A',), ('B',), ('C',)))
    """
    election = read_election_for(ballots, "kemeny", RANKABLE)
    size = len(election.options)
    if size > MOST_KEMENY_OPTIONS:
        raise InvalidInput(
            Fault(
                "kemeny",
                f"is asked for {size} options",
                f"at most {MOST_KEMENY_OPTIONS}; the exact rule doubles its work with each",
                "use schulze or ranked_pairs",
            )
        )
    matrix = matrix_for(election, "kemeny", unranked)
    cost, ways = _least_costs(matrix)
    whole = (1 << size) - 1
    first = [
        sum(row[i] for row in matrix) + cost[whole & ~(1 << i)] for i in range(size)
    ]  # fmt: skip
    least = min(first, default=0)
    ordered = sorted(first)
    counted = Counted(
        rule="kemeny",
        best=[name for name, one in zip(election.options, first, strict=True) if one == least],
        parameters=(("unranked", unranked),),
        tally={
            name: election.exact(one) for name, one in zip(election.options, first, strict=True)
        },
        ranking=tuple((election.options[i],) for i in _path(matrix, cost, whole))
        if ways[whole] == 1
        else (),
        margin=election.exact(ordered[1] - ordered[0]) if size > 1 else None,
    )
    return conclude(election, counted, ties)


def _least_costs(matrix: Matrix) -> tuple[list[int], list[int]]:
    """Return, per set of options, the fewest disagreements and how many orders have as few.

    An order of a set is one of its options, first, before an order of the rest.
    """
    size = len(matrix)
    against = [
        [0] * (1 << size) for _ in range(size)
    ]  # votes of a set against an option before it
    for i, sums in enumerate(against):
        for some in range(1, 1 << size):
            low = some & -some
            sums[some] = sums[some ^ low] + matrix[low.bit_length() - 1][i]
    cost, ways = [0] * (1 << size), [1] * (1 << size)
    for some in range(1, 1 << size):
        least, orders, rest = -1, 0, some
        while rest:
            low = rest & -rest
            rest ^= low
            left = some ^ low
            one = cost[left] + against[low.bit_length() - 1][left]
            if least < 0 or one < least:
                least, orders = one, ways[left]
            elif one == least:
                orders += ways[left]
        cost[some], ways[some] = least, orders
    return cost, ways


def _path(matrix: Matrix, cost: list[int], some: int) -> list[int]:
    """Return the one order of a set with the fewest disagreements."""
    order = []
    while some:
        first = next(
            i
            for i in range(len(matrix))
            if some >> i & 1 and cost[some] == _cost_of_first(matrix, cost, i, some & ~(1 << i))
        )
        order.append(first)
        some &= ~(1 << first)
    return order


def _cost_of_first(matrix: Matrix, cost: list[int], first: int, rest: int) -> int:
    return cost[rest] + sum(row[first] for j, row in enumerate(matrix) if rest >> j & 1)
