"""Elimination rules: which option is left when the weakest leave one by one?

Here: instant runoff (IRV) and Coombs.
Not here: the walk through every branch that ties open (universes.py), several seats (stv.py),
points (positional.py), pairs (condorcet.py).
Sources: SEMANTICS V3, V6; Ware 1871 (IRV); Coombs 1964, A Theory of Data.

Two shortcuts past ties provably lose no branch. In IRV, options that tie to leave and together
have less than any other (with those between them, if need be) leave together: whatever they pass
to each other, none of them ever reaches another, and the others only gain, so all of them leave
before anybody else, in any order. In Coombs, options that no ballot ranks leave together: they
share the last place of every ballot, so they have the most last places until the last has left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Literal, cast

from comity.core.canonical import Json
from comity.core.errors import Fault, raise_if, shown
from comity.core.exact import Exact
from comity.core.results import Item
from comity.mechanisms.voting.ballots import UNRANKED
from comity.mechanisms.voting.counting import (
    RANKABLE,
    Ballots,
    Counted,
    Outcome,
    conclude,
    read_election_for,
)
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.profile import Profile, Shares, ballots_of
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.results import Round
from comity.mechanisms.voting.tie_breaking import TieBreak, read_ties
from comity.mechanisms.voting.universes import (
    Branch,
    Share,
    Stage,
    Universe,
    conclude_trail,
    follow,
    named,
)

__all__ = ["coombs", "counts_of", "equal_faults", "irv", "who_leaves"]


# --- the rules -------------------------------------------------------------------------------


@rule("irv")
def irv(
    ballots: Ballots,
    *,
    equal: Literal["split", "refuse"] = "split",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect by instant runoff: the option on top of the fewest ballots leaves, round by round.

    A strict majority of the ballots that still name an option ends the count; to go on would
    elect the same. Where options tie to leave, every branch is followed: whoever wins in one of
    them is in the tied set, and ``ties`` applies to that. Beyond 4096 sets of standing options
    (`most_universes`), ``ties`` breaks each tie to leave instead: a lot draws who leaves, any
    other rule says who stays; where it cannot, all who stand at the first open tie are tied.

    Args:
        ballots: an election of rankings, or plain rankings; a ballot counts for nothing once all
            that it ranks have left.
        equal: what equal ranks on one ballot do: split it exactly, or be refused.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with its rounds, or the tie. The tally is what each option had in the last
        round it stood in, of the rounds that all branches share; the margin is the lead in the
        last round of the closest branch.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> result = irv([["A", "B"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 2)
        >>> result.winner, result.tally, result.margin
        ('B', {'A': 4, 'B': 5, 'C': 2}, 1)
        >>> irv([["A", "B"], ["B", "C"], ["C", "A"]]).tied
        ('A', 'B', 'C')
    """
    election = read_election_for(ballots, "irv", RANKABLE)
    raise_if(equal_faults(election, "irv", equal))
    how, profile = read_ties(ties), election.profile()
    parameters = (("equal", equal),)
    if not election.weight:
        return _nothing_weighs(election, "irv", parameters, how)

    straight = _straight(election, profile, by_last=False, stop=True)
    if straight is not None:
        return conclude(election, straight._replace(rule="irv", parameters=parameters), how)

    def count(at: Universe) -> Stage:
        return _irv_stage(profile, at.standing)

    trail = follow(election, count, how)
    counted = Counted(
        rule="irv",
        best=(),
        parameters=parameters,
        tally=named(election, trail.latest),
    )
    return conclude_trail(election, counted, trail, how)


@rule("coombs")
def coombs(
    ballots: Ballots,
    *,
    stop_at_majority: bool = True,
    equal: Literal["split", "refuse"] = "split",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect by Coombs' rule: the option that the most ballots put last leaves, round by round.

    What a ballot leaves out shares its last place. Ties to leave are followed as in `irv`.

    Args:
        ballots: an election of rankings, or plain rankings.
        stop_at_majority: whether a strict majority of first places ends the count. Both forms
            are in use, and they can elect different options.
        equal: what equal ranks on one ballot do: split it exactly, or be refused.
        ties: how a tie is broken; by default it stands.

    Returns:
        The choice with its rounds, or the tie. Rounds in which an option leaves count last
        places, the round that ends the count counts first places; the tally is that of the last
        round that all branches share.

    Raises:
        InvalidInput: for ballots that cannot be counted.

    Example:
        >>> result = coombs([["A", "B", "C"]] * 4 + [["B", "C", "A"]] * 3 + [["C", "B", "A"]] * 2)
        >>> result.winner, [one.out for one in result.count.rounds]
        ('B', [('A',), ('B',)])
    """
    election = read_election_for(ballots, "coombs", RANKABLE)
    faults = equal_faults(election, "coombs", equal)
    if not isinstance(stop_at_majority, bool):
        what = f"stop_at_majority is {shown(stop_at_majority)}"
        faults.append(Fault("coombs", what, "true or false", "choose one"))
    raise_if(faults)
    how, profile = read_ties(ties), election.profile()
    parameters: tuple[tuple[str, Json], ...] = (
        ("equal", equal),
        ("stop_at_majority", stop_at_majority),
        ("unranked", "last"),
    )
    if not election.weight:
        return _nothing_weighs(election, "coombs", parameters, how)
    straight = _straight(election, profile, by_last=True, stop=stop_at_majority)
    if straight is not None:
        return conclude(election, straight._replace(rule="coombs", parameters=parameters), how)
    never = frozenset(at for at in range(len(election.options)) if not profile.ranked(at))

    def count(at: Universe) -> Stage:
        return _coombs_stage(profile, at.standing, never, stop=stop_at_majority)

    trail = follow(election, count, how)
    tally = named(election, trail.common[-1][0].shares)
    counted = Counted(rule="coombs", best=(), parameters=parameters, tally=tally)
    return conclude_trail(election, counted, trail, how)


def equal_faults(election: Election, name: str, equal: object) -> list[Fault]:
    """Return what is wrong with equal ranks under a rule that splits or refuses them.

    Args:
        election: every ballot.
        name: the rule's name.
        equal: ``"split"`` or ``"refuse"``.

    Example:
        >>> equal_faults(Election([[["A", "B"]], ["A"]]), "irv", "refuse")[0].what
        'meets equal ranks on 1 ballot'
    """
    if equal not in ("split", "refuse"):
        return [Fault(name, f"equal is {shown(equal)}", "split, refuse", "choose one")]
    found = 0
    for line in election.lines if equal == "refuse" else ():
        ranks = election.ranks_of(line)
        ranked = len(ranks) - ranks.count(UNRANKED)
        found += line.count if len(set(ranks) - {UNRANKED}) < ranked else 0
    if not found:
        return []
    what = f"meets equal ranks on {found} ballot{'s' if found > 1 else ''}"
    return [Fault(name, what, "one option per rank", 'equal="split"')]


def _nothing_weighs(
    election: Election, name: str, parameters: tuple[tuple[str, Json], ...], how: TieBreak
) -> Outcome:
    """Return the result where no ballot has weight: nothing separates the options."""
    counted = Counted(rule=name, best=election.options, parameters=parameters)
    return conclude(election, counted, how)


# --- a count without ties --------------------------------------------------------------------

_Pick = Callable[..., int]  # min or max

_LAST_PLACES = "last places"
_MORE_THAN_HALF = "more than half of the first places"
_ALONE = "nobody else is left"


class _Orders:
    """Who is first and who is last on each ballot, where every ballot ranks all without equals.

    One string of bytes holds all ballots, best option first. Whoever leaves is cut out of it, so
    that the ballots stay equally long and each end is a slice.
    """

    __slots__ = ("_blob", "_masses")

    def __init__(self, profile: Profile) -> None:
        span = range(len(profile.columns))
        rows = zip(*profile.columns, strict=True)
        self._blob = bytes([row.index(rank) for row in rows for rank in span])
        self._masses = profile.masses

    def leaves(self, gone: int, _: Sequence[int]) -> None:
        """Cut an option out of every ballot."""
        self._blob = self._blob.translate(None, bytes((gone,)))

    def shares(self, standing: Sequence[int], *, last: bool) -> dict[int, int]:
        """Return the weight of the ballots that have each option at one end."""
        size = len(standing)
        ends = self._blob[size - 1 if last else 0 :: size]
        if self._masses is None:
            return {at: ends.count(at) for at in standing}
        found = dict.fromkeys(standing, 0)
        for at, mass in zip(ends, self._masses, strict=True):
            found[at] += mass
        return found


class _Ends:
    """Who is first and who is last on each ballot, where ballots may be short or have equals.

    Kept up to date while options leave, as long as each ballot has one option at each end.
    """

    __slots__ = ("_is_plain", "_piles", "_shares")

    def __init__(self, profile: Profile, *, lasts: bool) -> None:
        ballots = ballots_of(profile) or []
        everybody = range(len(profile.columns))
        self._is_plain = True
        self._shares: list[dict[int, int]] = []
        self._piles: list[list[list[tuple[Sequence[int], int]]]] = []
        for side in (False, True)[: 1 + lasts]:
            self._shares.append(dict.fromkeys(everybody, 0))
            self._piles.append([[] for _ in everybody])
            self._deal(ballots, everybody, side=side)

    def shares(self, _: Sequence[int], *, last: bool) -> dict[int, int] | None:
        """Return the weight of the ballots that have each option at an end; None if any shares."""
        return dict(self._shares[last]) if self._is_plain else None

    def leaves(self, gone: int, standing: Sequence[int]) -> None:
        """Move the ballots of an option that leaves to the next that stands."""
        for side, shares in enumerate(self._shares):
            del shares[gone]
            self._deal(self._piles[side][gone], standing, side=bool(side))

    def _deal(
        self, ballots: Iterable[tuple[Sequence[int], int]], standing: Sequence[int], *, side: bool
    ) -> None:
        pick: _Pick = max if side else min
        shares, piles = self._shares[side], self._piles[side]
        for ballot in ballots:
            ranks = [ballot[0][at] for at in standing]
            end = pick(ranks)
            if end == UNRANKED or ranks.count(end) > 1:
                self._is_plain = False
                return
            at = standing[ranks.index(end)]
            shares[at] += ballot[1]
            piles[at].append(ballot)


def _straight(
    election: Election, profile: Profile, *, by_last: bool, stop: bool
) -> Counted | None:
    """Count to the end when one option alone leaves in every round; None when several tie.

    What it finds is what the walk through universes finds, without its costs.
    """
    names, exact = election.options, election.exact
    if not isinstance(profile.columns, list):
        return None
    ends = _Orders(profile) if profile.is_strict else _Ends(profile, lasts=by_last)
    standing = list(range(len(names)))
    rounds: list[Round] = []
    latest: dict[int, int] = {}
    out: list[int] = []
    margin: int | None = None
    note = _LAST_PLACES if by_last else ""
    while True:
        shares = ends.shares(standing, last=False)
        found = ends.shares(standing, last=True) if by_last else shares
        if shares is None or found is None:
            return None
        best = max(shares.values())
        if len(standing) == 1 or (stop and 2 * best > profile.total):
            break
        weakest = max(found.values()) if by_last else min(found.values())
        leaving = [at for at, share in found.items() if share == weakest]
        if len(leaving) > 1:
            return None
        gone = leaving[0]
        latest[gone] = weakest
        if len(found) == 2:  # who is left stands alone: this round decided
            margin = weakest - min(found.values()) if by_last else 0
        items = _items(election, found)
        rounds.append(Round(f"round {len(rounds) + 1}", items, (names[gone],), 0, note))
        out.append(gone)
        standing.remove(gone)
        ends.leaves(gone, standing)
    winner = next(at for at, share in shares.items() if share == best)
    others = [share for at, share in shares.items() if at != winner]
    if others:
        margin = best - max(others)
    items = _items(election, shares)
    ended = _MORE_THAN_HALF if others else _ALONE
    rounds.append(Round(f"round {len(rounds) + 1}", items, (names[winner],), 0, ended))
    if by_last:
        tally = {one.name: one.value for one in items}
    else:
        last_had = {**latest, **shares}
        tally = {name: exact(last_had[at]) for at, name in enumerate(names)}
    return Counted(
        rule="",
        best=(names[winner],),
        tally=tally,
        ranking=_places(names, shares, winner, out),
        margin=None if margin is None else exact(margin),
        rounds=tuple(rounds),
    )


def _items(election: Election, shares: Mapping[int, int]) -> tuple[Item, ...]:
    """Return shares in votes by name."""
    names, exact = election.options, election.exact
    if election.scale == 1:
        return tuple([Item(names[at], share) for at, share in shares.items()])
    return tuple([Item(names[at], exact(share)) for at, share in shares.items()])


def _places(
    names: Sequence[str], shares: Mapping[int, int], winner: int, out: Sequence[int]
) -> tuple[tuple[str, ...], ...]:
    """Return the winner, the others of the last round by what they have, then who left last."""
    groups: dict[int, list[str]] = {}
    for at, share in shares.items():
        if at != winner:
            groups.setdefault(share, []).append(names[at])
    behind = [tuple(groups[share]) for share in sorted(groups, reverse=True)]
    return ((names[winner],), *behind, *[(names[at],) for at in reversed(out)])


# --- one round -------------------------------------------------------------------------------


def _irv_stage(profile: Profile, standing: tuple[int, ...]) -> Stage:
    shares, exhausted = counts_of(profile.tops(standing))
    ended = _majority(shares, exhausted)
    if ended is not None:
        return ended
    groups, note = who_leaves(shares)
    return Stage(
        shares=shares,
        exhausted=exhausted,
        branches=_ways(standing, groups),
        note=note,
    )


def who_leaves(shares: Mapping[int, Share]) -> tuple[list[tuple[int, ...]], str]:
    """Return the groups of options one of which leaves, and why if it leaves together.

    Args:
        shares: what each standing option has.

    Returns:
        The option with the least; or several options that leave together; or, where they cannot,
        each of those with the least by itself.

    Example:
        >>> who_leaves({0: 9, 1: 2, 2: 2})
        ([(1, 2)], 'together they have less than any other: they leave together')
        >>> who_leaves({0: 9, 1: 5, 2: 5})
        ([(1,), (2,)], '')
    """
    ordered = sorted(shares.values())
    least: list[tuple[int, ...]] = [(at,) for at, share in shares.items() if share == ordered[0]]
    if len(least) == 1:
        return least, ""
    together: Share = 0
    for share, following in pairwise(ordered):
        together += share
        if together < following:
            words = (
                "together they have less than any other" if together else "nobody has them on top"
            )
            group = tuple(at for at, one in shares.items() if one <= share)
            return [group], f"{words}: they leave together"
    return least, ""


def _coombs_stage(
    profile: Profile, standing: tuple[int, ...], never: frozenset[int], *, stop: bool
) -> Stage:
    if stop or len(standing) == 1:
        ended = _majority(*counts_of(profile.tops(standing)))
        if ended is not None:
            return ended
    shares, exhausted = counts_of(profile.bottoms(standing))
    high = max(shares.values())
    unknown = tuple(at for at in standing if at in never)
    is_some = 0 < len(unknown) < len(standing)  # where nobody is ranked at all, all tie
    groups = [unknown] if is_some else [(at,) for at in standing if shares[at] == high]
    together = f"{_LAST_PLACES}; no ballot ranks those who leave: they leave together"
    return Stage(
        shares=shares,
        exhausted=exhausted,
        branches=_ways(standing, groups),
        gap=high - max(_others(shares, groups[0])),
        note=together if len(groups[0]) > 1 else _LAST_PLACES,
    )


def counts_of(found: tuple[Shares, Exact]) -> tuple[dict[int, Share], Share]:
    """Return what a profile counted as int and Fraction, the only numbers it counts in.

    Args:
        found: what `Profile.tops` or `Profile.bottoms` returned.

    Example:
        >>> counts_of(Election(["A", "B"]).profile().tops([0, 1]))
        ({0: 1, 1: 1}, 0)
    """
    return cast("dict[int, Share]", found[0]), cast("Share", found[1])


def _majority(shares: Mapping[int, Share], exhausted: Share) -> Stage | None:
    """Return the round that ends the count, when one option has more than half."""
    best = max(shares.values())
    if len(shares) > 1 and 2 * best <= sum(shares.values()):
        return None
    top = next(at for at, share in shares.items() if share == best)
    others = _others(shares, (top,))
    return Stage(
        shares=shares,
        exhausted=exhausted,
        elected=(top,),
        gap=best - max(others) if others else None,
        note=_MORE_THAN_HALF if others else _ALONE,
    )


def _others(shares: Mapping[int, Share], group: Sequence[int]) -> list[Share]:
    return [share for at, share in shares.items() if at not in group]


def _ways(standing: Sequence[int], groups: Iterable[tuple[int, ...]]) -> tuple[Branch, ...]:
    return tuple(
        Branch(group, Universe(tuple(at for at in standing if at not in group)))
        for group in groups
    )
