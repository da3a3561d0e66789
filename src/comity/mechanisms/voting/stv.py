"""STV: who fills several seats, so that every quota of voters elects somebody?

Here: the single transferable vote with exact surplus fractions.
Not here: one seat (elimination.py), party lists, and the rounded fractions of official rules.
Sources: SEMANTICS V3, V6; Hill, Wichmann and Woodall 1987; Tideman 1995, The Single Transferable
Vote; VoteKit issue 311 (a surplus in floating point hides a tie).

The rule. The quota is fixed at the start. In each round either all who reach it are elected, or
the option with the fewest votes leaves; when no more stand than seats are free, they are elected
with what they have, and nothing moves any more.
An elected option with the votes T passes on every ballot it holds at the share (T - quota) / T
(weighted inclusive Gregory). All surpluses of a round move at once and only to options that still
stand, so their order cannot matter. A ballot whose options are all gone is exhausted and counts
for nobody. Equal ranks split a ballot exactly. Ties to leave are followed as in `irv`.

Official rules differ: Ireland moves whole ballots of the last parcel, Scotland rounds to five
places; a close last seat can fall otherwise there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import compress
from operator import eq
from typing import Literal

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import MAX_DIGITS, has_too_many_digits
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
from comity.mechanisms.voting.elimination import counts_of, equal_faults, who_leaves
from comity.mechanisms.voting.profile import Profile
from comity.mechanisms.voting.registry import rule
from comity.mechanisms.voting.results import VoteChoice
from comity.mechanisms.voting.tie_breaking import TieBreak, read_ties
from comity.mechanisms.voting.universes import (
    Branch,
    Share,
    Stage,
    Universe,
    as_whole,
    conclude_trail,
    follow,
    named,
)

__all__ = ["stv"]

Quota = Literal["droop", "hare"]


@rule("stv")
def stv(
    ballots: Ballots,
    *,
    seats: int,
    quota: Quota = "droop",
    equal: Literal["split", "refuse"] = "split",
    ties: TieBreak | str = "none",
) -> Outcome:
    """Elect several options by the single transferable vote.

    Args:
        ballots: an election of rankings, or plain rankings.
        seats: how many are elected.
        quota: ``"droop"``, the least whole number of units of weight above votes / (seats + 1);
            or ``"hare"``, exactly votes / seats.
        equal: what equal ranks on one ballot do: split it exactly, or be refused.
        ties: how a tie is broken: it chooses, seat by seat, among those who are elected in some
            branches and not in others; by default the tie stands.

    Returns:
        The choice: ``elected`` in the order of election (equal votes in one round by code point,
        which means nothing), ``option`` the same as one text; or the tie, with those between
        whom it stands. The tally is what each option had in the last round it stood in.

    Raises:
        InvalidInput: for ballots that cannot be counted, seats that cannot be filled, and counts
            whose fractions grow beyond 4300 digits (they double with every election in turn).

    Example:
        >>> result = stv([["A", "B"]] * 6 + [["B"]] * 2 + [["C"]] * 2, seats=2)
        >>> result.elected, result.tally
        (('A', 'B'), {'A': 6, 'B': 4, 'C': 2})
    """
    election = read_election_for(ballots, "stv", RANKABLE)
    raise_if(_faults(election, seats, quota) + equal_faults(election, "stv", equal))
    how = read_ties(ties)
    needed = _quota(election, seats, quota)
    parameters: tuple[tuple[str, Json], ...] = (
        ("seats", seats),
        ("quota", quota),
        ("votes_needed", str(election.exact(needed))),
        ("equal", equal),
    )
    if not election.size:
        return conclude(election, Counted(rule="stv", best=(), parameters=parameters), how)
    trail = follow(election, _Count(election, seats, needed).stage, how, "contested seat")
    counted = Counted(
        rule="stv",
        best=(),
        parameters=parameters,
        tally=named(election, trail.latest),
    )
    result = conclude_trail(election, counted, trail, how)
    if not isinstance(result, VoteChoice):
        return result
    elected = tuple(election.options[at] for at in trail.elected)
    # What is odd about one winner says nothing about several.
    return replace(
        result,
        option=", ".join(elected),
        elected=elected,
        count=replace(result.count, flags=()),
    )


def _faults(election: Election, seats: object, quota: object) -> list[Fault]:
    faults = []
    most = len(election.options) if election.size or election.declared else None
    if isinstance(seats, bool) or not isinstance(seats, int) or seats < 1:
        faults.append(
            Fault("stv", f"seats are {shown(seats)}", "a whole number, 1 or more", "correct them")
        )
    elif most is not None and seats > most:
        what = f"has {seats} seats and {most} options"
        faults.append(Fault("stv", what, "as many options as seats", "lower the seats"))
    if quota not in ("droop", "hare"):
        faults.append(Fault("stv", f"quota is {shown(quota)}", "droop, hare", "choose one"))
    return faults


def _quota(election: Election, seats: int, quota: Quota) -> Share:
    if quota == "hare":
        return Fraction(election.weight, seats)
    return election.weight // (seats + 1) + 1


@dataclass(frozen=True, slots=True)
class _Parcel:
    """Ballots that are worth the same share of their weight."""

    value: Share
    ballots: Profile


@dataclass(frozen=True, slots=True)
class _Worth:
    """What ballots are worth after some elections, and how many seats are still free."""

    parcels: tuple[_Parcel, ...]
    free: int


class _Count:
    """A count; it remembers what the ballots are worth after each history of elections."""

    __slots__ = ("_election", "_needed", "_worth")

    def __init__(self, election: Election, seats: int, needed: Share) -> None:
        profile = election.profile()
        masses = None if profile.masses is None else [int(mass) for mass in profile.masses]
        plain = Profile([bytes(column) for column in profile.columns], masses, profile.size)
        self._election = election
        self._needed = needed
        whole_worth = _Worth((_Parcel(1, plain),), seats)
        self._worth: dict[tuple[tuple[int, ...], ...], _Worth] = {(): whole_worth}

    def stage(self, at: Universe) -> Stage:
        """Return the round of a universe."""
        # A history that no election made ends with who stood before the last seats were sure.
        is_full = at.history not in self._worth
        worth = self._worth[at.history[:-1] if is_full else at.history]
        counted, exhausted = self._counted(worth, at.history[-1] if is_full else at.standing)
        shares = {one: counted[one] for one in at.standing}
        order = sorted(at.standing, key=lambda one: (-shares[one], one))
        if len(order) == worth.free:
            note = "no more stand than seats are free"
            return Stage(shares=shares, exhausted=exhausted, elected=tuple(order), note=note)
        above = tuple(one for one in order if shares[one] >= self._needed > 0)
        if above:
            return self._election_of(at, shares, exhausted, above)
        return _elimination(at, shares, exhausted, worth.free, self._needed)

    def _counted(self, worth: _Worth, standing: tuple[int, ...]) -> tuple[dict[int, Share], Share]:
        shares: dict[int, Share] = dict.fromkeys(standing, 0)
        exhausted: Share = 0
        for parcel in worth.parcels:
            tops, gone = counts_of(parcel.ballots.tops(standing))
            exhausted += parcel.value * gone
            for one, share in tops.items():
                shares[one] += parcel.value * share
        if any(map(has_too_many_digits, (exhausted, *shares.values()))):
            raise InvalidInput(
                Fault(
                    "stv",
                    "meets surplus fractions too long to write down",
                    f"counts of at most {MAX_DIGITS} digits",
                    "fill fewer seats in one count",
                )
            )
        return shares, exhausted

    def _election_of(
        self,
        at: Universe,
        shares: Mapping[int, Share],
        exhausted: Share,
        above: tuple[int, ...],
    ) -> Stage:
        worth = self._worth[at.history]
        names = self._election.options
        surplus = [
            f"{names[one]} has a surplus of {self._election.exact(as_whole(over))}"
            for one in above
            if (over := shares[one] - self._needed)
        ]
        stage = Stage(
            shares=shares,
            exhausted=exhausted,
            elected=above,
            note="; ".join(["quota reached", *surplus]),
        )
        rest = tuple(one for one in at.standing if one not in above)
        if len(above) == worth.free:
            gap = min(shares[one] for one in above) - max(shares[one] for one in rest)
            return stage._replace(gap=gap)
        history = (*at.history, at.standing)
        if history not in self._worth:
            kept = {one: Fraction(self._needed) / shares[one] for one in above}
            parcels = [part for one in worth.parcels for part in _split(one, at.standing, kept)]
            self._worth[history] = _Worth(tuple(parcels), worth.free - len(above))
        return stage._replace(branches=(Branch((), Universe(rest, history)),))


def _elimination(
    at: Universe, shares: Mapping[int, Share], exhausted: Share, free: int, needed: Share
) -> Stage:
    """Return a round in which somebody leaves."""
    standing = at.standing
    groups, note = who_leaves(shares)
    passed = sum(shares[one] for one in groups[0])
    rest = [tuple(one for one in standing if one not in group) for group in groups]
    if len(groups[0]) > 1:
        # They may leave together only if nobody is elected before the last of them has left.
        highest = max(shares[one] for one in rest[0])
        if len(rest[0]) < free or (passed and highest + passed >= needed):
            low = min(shares.values())
            groups, note, passed = [(one,) for one in standing if shares[one] == low], "", low
            rest = [tuple(one for one in standing if one not in group) for group in groups]
    history = (*at.history, standing) if len(rest[0]) == free else at.history
    return Stage(
        shares=shares,
        exhausted=exhausted,
        branches=tuple(
            Branch(group, Universe(left, history))
            for group, left in zip(groups, rest, strict=True)
        ),
        gap=min(shares[one] for one in rest[0]) - passed,
        note=note,
    )


def _split(
    parcel: _Parcel, standing: Sequence[int], kept: Mapping[int, Fraction]
) -> Iterator[_Parcel]:
    """Yield the ballots of a parcel by what is left of them after an election.

    A ballot with k options on top gives each a k-th of its worth; of what an elected option holds
    it keeps the same share of every ballot.
    """
    ballots = parcel.ballots
    columns = [ballots.columns[one] for one in standing]
    best = bytes(map(min, *columns))
    hits = [list(map(eq, column, best)) for column in columns]
    elected = [hit for one, hit in zip(standing, hits, strict=True) if one in kept]
    takes = [kept[one] for one in standing if one in kept]
    signs = list(zip(best, map(sum, zip(*hits, strict=True)), *elected, strict=True))
    left: dict[Fraction, set[tuple[int, ...]]] = {}
    for sign in set(signs):
        rank, among, *is_held = sign
        held = sum(compress(takes, is_held), Fraction(0)) / among
        left.setdefault(Fraction(1) if rank == UNRANKED else 1 - held, set()).add(sign)
    for share in sorted(left.keys() - {0}):
        chosen = list(map(left[share].__contains__, signs))
        masses = None if ballots.masses is None else list(compress(ballots.masses, chosen))
        parts = [bytes(compress(column, chosen)) for column in ballots.columns]
        yield _Parcel(as_whole(parcel.value * share), Profile(parts, masses, sum(chosen)))
