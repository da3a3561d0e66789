"""Beatpaths: which option stands best once defeats are followed through other options?

Here: Schulze and ranked pairs, both on one growing closure of who reaches whom.
Not here: simpler rules on the same duels (condorcet.py).
Sources: SEMANTICS V3, V6; Schulze 2011 (Social Choice and Welfare 36); Tideman 1987, Zavist and
Tideman 1989; Italiano 1986 for the closure that grows edge by edge.

Both rules take the defeats from the strongest to the weakest. For Schulze, the strength at which
one option first reaches another is the strength of the best path between them. For ranked pairs a
defeat is locked unless its loser already reaches its winner. Equal strengths are followed in
every order that can matter; the options that win in one of them are the tied set.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from typing import Literal

from comity.core.exact import Exact
from comity.core.ties import Tie
from comity.mechanisms.voting.condorcet import Strength, Unranked, defeats, matrix_for
from comity.mechanisms.voting.counting import (
    RANKABLE,
    Ballots,
    Counted,
    Outcome,
    conclude,
    read_election_for,
)
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.results import Round
from comity.mechanisms.voting.tie_breaking import TieBreak, read_ties

__all__ = ["MOST_ORDERS", "ranked_pairs", "schulze", "schulze_count"]

MOST_ORDERS = 512
"""The most different outcomes of equal strengths that ranked pairs follows."""

Reached = Literal["end", "winner", "too many", "drawn"]
Closure = tuple[int, ...]  # option -> bits of the options it reaches, itself among them


@rule("schulze")
def schulze(
    ballots: Ballots,
    *,
    strength: Strength = "margins",
    unranked: Unranked = "last",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect the option with the strongest paths of defeats (Schulze's beatpath rule).

    Args:
        ballots: an election, or plain ballots that rank options.
        strength: what makes a defeat strong.
        unranked: what ballots say about options they leave out.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice; the tally holds how many others each option beats by its paths.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> schulze([["A", "B", "C"]] * 2 + [["B", "C", "A"]] * 3 + [["C", "A", "B"]] * 2).winner
        'B'
    """
    election = read_election_for(ballots, "schulze", RANKABLE)
    return conclude(election, schulze_count(election, strength, unranked), ties)


def schulze_count(
    election: Election, strength: Strength = "margins", unranked: Unranked = "last"
) -> Counted:
    """Return what Schulze's rule finds, before ties and flags.

    Args:
        election: every ballot.
        strength: what makes a defeat strong.
        unranked: what ballots say about options they leave out.

    Raises:
        InvalidInput: for parameters that do not exist.

    Example:
        >>> schulze_count(Election([["A", "B"], ["A", "B"]])).best
        ['A']
    """
    matrix = matrix_for(election, "schulze", unranked)
    paths = _strongest_paths(defeats(matrix, strength, "schulze"), len(matrix))
    span = range(len(matrix))
    beats, losses = [0] * len(matrix), [0] * len(matrix)
    for i in span:
        row = paths[i]
        for j in range(i):
            if row[j] > paths[j][i]:
                beats[i] += 1
                losses[j] += 1
            elif row[j] < paths[j][i]:
                beats[j] += 1
                losses[i] += 1
    best = [i for i in span if not losses[i]]
    return Counted(
        rule="schulze",
        best=[election.options[i] for i in best],
        parameters=(("strength", strength), ("unranked", unranked)),
        tally={name: beats[i] for i, name in enumerate(election.options)},
        ranking=_peeled(election, paths, beats),
        margin=_lead(election, paths, best),
    )


def _strongest_paths(edges: Sequence[tuple[int, int, int]], size: int) -> list[list[int]]:
    """Return the strength of the best path between all pairs; 0 where there is none."""
    paths = [[0] * size for _ in range(size)]
    reach = [1 << i for i in range(size)]
    for strength, winner, loser in edges:
        if reach[winner] >> loser & 1:
            continue
        bit, gain = 1 << winner, reach[loser]
        for x in range(size):
            new = gain & ~reach[x] if reach[x] & bit else 0
            if new:
                reach[x] |= new
                row = paths[x]
                while new:
                    low = new & -new
                    row[low.bit_length() - 1] = strength
                    new ^= low
    return paths


def _lead(election: Election, paths: Sequence[Sequence[int]], best: Sequence[int]) -> Exact | None:
    """Return by how much the winner's paths are stronger, at the least; None for a tie."""
    if len(best) != 1 or len(paths) < 2:
        return None
    at = best[0]
    return election.exact(
        min([path - paths[j][at] for j, path in enumerate(paths[at]) if j != at])
    )


def _peeled(
    election: Election, paths: Sequence[Sequence[int]], beats: Sequence[int]
) -> tuple[tuple[str, ...], ...]:
    """Return the options no other beats, then those no other of the rest beats, and so on."""
    left = list(range(len(paths)))
    if len(set(beats)) == len(beats):  # one order: who beats more stands higher
        order = sorted(left, key=beats.__getitem__, reverse=True)
        return tuple([(election.options[i],) for i in order])
    beaten_by = [
        sum([1 << j for j, row in enumerate(paths) if row[i] > mine[j]])
        for i, mine in enumerate(paths)
    ]
    inside = (1 << len(paths)) - 1
    places = []
    while left:
        top = [i for i in left if not beaten_by[i] & inside]
        places.append(tuple([election.options[i] for i in top]))
        inside &= ~sum([1 << i for i in top])
        left = [i for i in left if inside >> i & 1]
    return tuple(places)


# --- ranked pairs ----------------------------------------------------------------------------


@rule("ranked_pairs")
def ranked_pairs(
    ballots: Ballots,
    *,
    strength: Strength = "margins",
    unranked: Unranked = "last",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Lock defeats in, the strongest first, unless they close a circle; elect the unbeaten.

    Where defeats of one strength contradict each other, every order in which they may be locked
    is followed; all options that win in one of them are tied. More than `MOST_ORDERS` different
    ends are not followed: then a lot draws one order where the tie rule is one, and otherwise
    everybody who may still win is named.

    Args:
        ballots: an election, or plain ballots that rank options.
        strength: what makes a defeat strong.
        unranked: what ballots say about options they leave out.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice; the margin is the winner's worst duel, below zero where it loses one. The
        tally holds the options each one stands above in the end, where all
        defeats were locked in one order. Below a winner whom no order can change, the ranking
        goes as far as the order does not matter.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> result = ranked_pairs([["A", "B", "C"]] * 2 + [["B", "C", "A"]] * 3)
        >>> result.winner, result.count.ranking
        ('B', (('B',), ('C',), ('A',)))
    """
    election = read_election_for(ballots, "ranked_pairs", RANKABLE)
    matrix = matrix_for(election, "ranked_pairs", unranked)
    edges = defeats(matrix, strength, "ranked_pairs")
    how = read_ties(ties)
    ends, reached = _locked(edges, len(matrix))
    best = sorted({i for one in ends for i in _sources(one)})
    broken: tuple[Tie, ...] = ()
    if reached == "too many" and how.rule in ("lot", "ballot_hash"):
        seed = how.by or election.digest
        ends = [_drawn(edges, election, seed)]
        tied = tuple([election.options[i] for i in best])
        best = _sources(ends[0])
        chosen = election.options[best[0]]
        label = "order of equal defeats"
        broken = (Tie(label=label, tied=tied, rule=how.rule, chosen=chosen, seed=seed),)
        reached = "drawn"
    tally = None
    if reached in ("end", "drawn") and len(ends) == 1:
        below = [one.bit_count() - 1 for one in ends[0]]
        tally = dict(zip(election.options, below, strict=True))
    ranking = _layers(election, ends[0]) if len(ends) == 1 else ()
    duels = []
    if len(best) == 1:
        at = best[0]
        duels = [votes - matrix[j][at] for j, votes in enumerate(matrix[at]) if j != at]
    note = _note(reached, len(ends))
    counted = Counted(
        rule="ranked_pairs",
        best=[election.options[i] for i in best],
        parameters=(("strength", strength), ("unranked", unranked)),
        tally=tally,
        ranking=ranking,
        margin=election.exact(min(duels)) if duels else None,
        rounds=(Round("locking", note=note),) if note else (),
        ties=broken,
    )
    return conclude(election, counted, how)


def _note(reached: Reached, ends: int) -> str:
    """Say what equal defeats left open."""
    if reached == "too many":
        return (
            f"more than {MOST_ORDERS} orders of equal defeats matter; everybody is named who may "
            "still win"
        )
    if reached == "drawn":
        return "equal defeats were locked in an order drawn by lot"
    if ends > 1:
        return f"{ends} orders of equal defeats end differently"
    return "equal defeats contradict each other below the winner" if reached == "winner" else ""


def _sources(closure: Closure) -> list[int]:
    """Return the options that no other reaches."""
    below = 0
    for i, reached in enumerate(closure):
        below |= reached & ~(1 << i)
    return [i for i in range(len(closure)) if not below >> i & 1]


def _layers(election: Election, closure: Closure) -> tuple[tuple[str, ...], ...]:
    """Return the options that no other reaches, then those that no other of the rest reaches."""
    left = list(range(len(closure)))
    below = [reached.bit_count() for reached in closure]
    if len(set(below)) == len(below):  # one order: who reaches more stands higher
        order = sorted(left, key=below.__getitem__, reverse=True)
        return tuple([(election.options[i],) for i in order])
    places = []
    while left:
        top = [i for i in left if not any(closure[j] >> i & 1 for j in left if j != i)]
        places.append(tuple(election.options[i] for i in top))
        left = [i for i in left if i not in top]
    return tuple(places)


def _locked(edges: Sequence[tuple[int, int, int]], size: int) -> tuple[list[Closure], Reached]:
    """Return every end that locking may come to, and how far it was followed."""
    reach = [1 << i for i in range(size)]
    groups = [
        [(winner, loser) for _, winner, loser in group]
        for _, group in groupby(edges, key=itemgetter(0))
    ]
    for at, alike in enumerate(groups):
        before = tuple(reach)
        if len(alike) == 1:
            u, v = alike[0]
            if not reach[v] >> u & 1:
                _lock(reach, u, v)
        elif not _lock_together(reach, alike):
            sure = _with_the_free(before, alike)[0]
            if len(_sources(sure)) == 1:
                return [sure], "winner"  # who wins is known; only the ranks below it are not
            return _branched(before, groups[at:])
    return [tuple(reach)], "end"


def _drawn(edges: Sequence[tuple[int, int, int]], election: Election, seed: str) -> Closure:
    """Lock all defeats, equal ones in an order that a seed draws; each order is equally likely."""
    names = election.options

    def place(edge: tuple[int, int, int]) -> tuple[int, bytes]:
        strength, u, v = edge
        drawn = repr((seed, names[u], names[v])).encode("utf-8", "surrogatepass")
        return -strength, sha256(drawn).digest()

    reach = [1 << i for i in range(len(names))]
    for _, u, v in sorted(edges, key=place):
        if not reach[v] >> u & 1:
            _lock(reach, u, v)
    return tuple(reach)


def _lock_together(reach: list[int], alike: Sequence[tuple[int, int]]) -> bool:
    """Lock defeats of one strength; False when they contradict each other."""
    left = [(u, v) for u, v in alike if not reach[v] >> u & 1]
    for u, v in left:
        if reach[v] >> u & 1:
            return False
        _lock(reach, u, v)
    return True


def _branched(
    closure: Closure, groups: Sequence[Sequence[tuple[int, int]]]
) -> tuple[list[Closure], Reached]:
    """Follow every order of equal defeats that can matter."""
    ends = {closure}
    for alike in groups:
        after: set[Closure] = set()
        for one in ends:
            if not _follow(one, alike, after) or len(after) > MOST_ORDERS:
                return sorted(ends), "too many"
        ends = after
        if all(len(_sources(one)) == 1 for one in ends):
            return sorted(ends), "winner"
    return sorted(ends), "end"


def _follow(closure: Closure, alike: Sequence[tuple[int, int]], after: set[Closure]) -> bool:
    """Add every closure that defeats of one strength may lead to; False when too many."""
    together = list(closure)
    if _lock_together(together, alike):
        after.add(tuple(together))
        return True
    sure, bound = _with_the_free(closure, alike)
    return _orders(sure, bound, set(), after)


def _with_the_free(
    closure: Closure, alike: Sequence[tuple[int, int]]
) -> tuple[Closure, list[tuple[int, int]]]:
    """Lock the defeats that no order can stop; return what that gives, and the others."""
    left = [(u, v) for u, v in alike if not (closure[v] >> u & 1 or closure[u] >> v & 1)]
    together, sure = list(closure), list(closure)
    for u, v in left:
        _lock(together, u, v)
    bound = [(u, v) for u, v in left if together[v] >> u & 1]  # inside a circle
    for u, v in left:
        if not together[v] >> u & 1:
            _lock(sure, u, v)
    return tuple(sure), bound


def _lock(reach: list[int], u: int, v: int) -> None:
    gain, bit = reach[v], 1 << u
    if reach[u] | gain == reach[u]:
        return
    for x, reached in enumerate(reach):
        if reached & bit:
            reach[x] = reached | gain


def _orders(
    closure: Closure, edges: Sequence[tuple[int, int]], seen: set[Closure], after: set[Closure]
) -> bool:
    """Add the ends of all orders in which some defeats may be locked; False when too many."""
    if closure in seen:
        return True
    seen.add(closure)
    if len(seen) > MOST_ORDERS:
        return False
    left = [(u, v) for u, v in edges if not (closure[v] >> u & 1 or closure[u] >> v & 1)]
    if not left:
        after.add(closure)
    for u, v in left:
        reach = list(closure)
        _lock(reach, u, v)
        if not _orders(tuple(reach), left, seen, after):
            return False
    return True
