"""Universes: who can be elected when every tie on the way may be broken either way?

Here: the walk through all branches of a count in rounds, up to a stated number, what it finds,
and the result made of it.
Not here: one round of a rule (elimination.py, stv.py), breaking a tie (tie_breaking.py).
Sources: SEMANTICS V5, V6, G4; Conitzer, Rognlie and Xia 2009 (parallel universes tie breaking:
an option wins when it wins for some way of breaking the ties to leave).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import NamedTuple

from comity.core.exact import Exact
from comity.core.results import Item
from comity.core.ties import Tie
from comity.mechanisms.voting.counting import Counted, Outcome, conclude
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.results import Round
from comity.mechanisms.voting.tie_breaking import NO_TIE_BREAK, TieBreak, break_tie

__all__ = [
    "MOST_UNIVERSES",
    "Branch",
    "Share",
    "Stage",
    "Trail",
    "Universe",
    "as_whole",
    "conclude_trail",
    "follow",
    "most_universes",
    "named",
]

MOST_UNIVERSES = 4096
"""How many different universes a count looks at before it asks for a tie rule."""

_FEWEST_UNIVERSES = 256  # more than the rounds of any count without ties
_MOST_WORK = 100_000_000  # ballots times options times universes: seconds, not minutes

Share = int | Fraction


class Universe(NamedTuple):
    """Where a count stands.

    Attributes:
        standing: the options that neither left nor were elected, sorted.
        history: what else the next round depends on; with several seats, who stood at each
            election.
    """

    standing: tuple[int, ...]
    history: tuple[tuple[int, ...], ...] = ()


class Branch(NamedTuple):
    """One way on from a round.

    Attributes:
        leaving: the options that leave on it.
        to: where it leads.
    """

    leaving: tuple[int, ...]
    to: Universe


class Stage(NamedTuple):
    """What one round finds.

    Attributes:
        shares: what each standing option has.
        exhausted: the weight of the ballots that name none of them.
        elected: the options that win in it.
        branches: the ways on; several are a tie, none ends the count.
        gap: how far the decision of the round was from another; None when it decided nothing.
        note: in words, what happened.

    Example:
        >>> Stage(shares={0: 1}, elected=(0,)).branches
        ()
    """

    shares: Mapping[int, Share]
    exhausted: Share = 0
    elected: tuple[int, ...] = ()
    branches: tuple[Branch, ...] = ()
    gap: Share | None = None
    note: str = ""


class Trail(NamedTuple):
    """The rounds of one branch, and what the other branches say.

    Attributes:
        steps: each round with the options that leave in it.
        is_decided: whether the same are elected in every branch, or a tie rule chose a branch.
        contested: when a tie stands, the options between which it stands.
        branches: who is elected -> in how many branches; empty when not all were followed.
        margin: how far the elected are before the next, in the closest branch.
        ties: the ties that a rule took up.
        label: what is tied, when a tie stands.

    Example:
        >>> Trail(steps=((Stage(shares={0: 1}, elected=(0,)), ()),)).elected
        (0,)
    """

    steps: tuple[tuple[Stage, tuple[int, ...]], ...]
    is_decided: bool = True
    contested: tuple[int, ...] = ()
    branches: Mapping[tuple[int, ...], int] = MappingProxyType({})
    margin: Share | None = None
    ties: tuple[Tie, ...] = ()
    label: str = "winner"

    @property
    def elected(self) -> tuple[int, ...]:
        """Who is elected in the branch shown, in the order of election."""
        return tuple(one for stage, _ in self.steps for one in stage.elected)

    @property
    def parting(self) -> int | None:
        """The first round, from 0, after which there are several branches; None for never."""
        at = (at for at, (stage, _) in enumerate(self.steps) if len(stage.branches) > 1)
        return next(at, None)

    @property
    def common(self) -> tuple[tuple[Stage, tuple[int, ...]], ...]:
        """The rounds that a tally may come from: those of all branches."""
        return self.steps if self.parting is None else self.steps[: self.parting + 1]

    @property
    def latest(self) -> dict[int, Share]:
        """What each option had in the last of those rounds it stood in."""
        return {at: share for stage, _ in self.common for at, share in stage.shares.items()}


# --- every universe --------------------------------------------------------------------------


class _Fate(NamedTuple):
    """In how many branches somebody is elected, and by what margin in the closest of them."""

    branches: int
    margin: Share | None


_Fates = dict[tuple[int, ...], _Fate]


def follow(
    election: Election,
    count: Callable[[Universe], Stage],
    how: TieBreak,
    label: str = "winner",
) -> Trail:
    """Follow a count through every branch that ties open.

    Args:
        election: every ballot, at least one of them with an option.
        count: the round of a universe.
        how: the tie rule, read before.
        label: what is tied when branches elect different options.

    Returns:
        The rounds of a branch: of the closest that elects who is elected, the first by the names
        of who leaves where several are.

    Example:
        >>> def count(at: Universe) -> Stage:
        ...     return Stage(shares={0: 3}, elected=(0,))
        >>> follow(Election(["A"]), count, NO_TIE_BREAK).is_decided
        True
    """
    start = Universe(tuple(range(len(election.options))))
    stages = _explored(start, count, most_universes(election))
    if stages is None:
        return _one_branch(election, count, how, start)
    fates = _fates(stages)
    outcomes = fates[start]
    settled = _settled(election, how, sorted(outcomes), label)
    goal = min(outcomes) if settled.elected is None else settled.elected
    return Trail(
        steps=_path(stages, fates, start, goal),
        is_decided=settled.elected is not None,
        contested=settled.contested,
        branches={elected: fate.branches for elected, fate in outcomes.items()},
        margin=0 if settled.ties else outcomes[goal].margin,
        ties=settled.ties,
        label=settled.label,
    )


def most_universes(election: Election) -> int:
    """Return how many universes a count of these ballots looks at.

    Args:
        election: every ballot.

    Returns:
        `MOST_UNIVERSES`; fewer, down to 256, from some thousands of ballots on.

    Example:
        >>> most_universes(Election([["A", "B"], ["B", "A"]]))
        4096
    """
    work = max(election.size * len(election.options), 1)
    return min(MOST_UNIVERSES, max(_FEWEST_UNIVERSES, _MOST_WORK // work))


def _explored(
    start: Universe,
    count: Callable[[Universe], Stage],
    most: int,
) -> dict[Universe, Stage] | None:
    """Return every universe that can be reached; None when they are too many."""
    found: dict[Universe, Stage] = {}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        if at in found:
            continue
        if len(found) == most:
            return None
        found[at] = count(at)
        waiting.extend(branch.to for branch in found[at].branches)
    return found


def _fates(stages: Mapping[Universe, Stage]) -> dict[Universe, _Fates]:
    """Return who can be elected from each universe on; fewer stand in those that come later."""
    found: dict[Universe, _Fates] = {}
    for at in sorted(stages, key=lambda one: len(one.standing)):
        stage = stages[at]
        here: _Fates = {}
        if not stage.branches:
            here[tuple(sorted(stage.elected))] = _Fate(1, stage.gap)
        for branch in stage.branches:
            for rest, fate in found[branch.to].items():
                elected = tuple(sorted((*stage.elected, *rest)))
                ways, margin = fate.branches, _margin(stage, fate)
                if elected in here:
                    ways += here[elected].branches
                    margin = min(margin, here[elected].margin or 0)
                here[elected] = _Fate(ways, margin)
        found[at] = here
    return found


def _margin(stage: Stage, fate: _Fate) -> Share:
    """Return the margin of a branch: of its last round that decided something."""
    return (stage.gap or 0) if fate.margin is None else fate.margin


def _path(
    stages: Mapping[Universe, Stage],
    fates: Mapping[Universe, _Fates],
    start: Universe,
    goal: tuple[int, ...],
) -> tuple[tuple[Stage, tuple[int, ...]], ...]:
    """Return the rounds of the branch that elects the goal most closely."""
    steps: list[tuple[Stage, tuple[int, ...]]] = []
    stage = stages[start]
    while stage.branches:
        goal = tuple(one for one in goal if one not in stage.elected)
        ways = [branch for branch in stage.branches if goal in fates[branch.to]]
        margins = [_margin(stage, fates[branch.to][goal]) for branch in ways]
        _, taken = min(zip(margins, ways, strict=True))
        steps.append((stage, taken.leaving))
        stage = stages[taken.to]
    return (*steps, (stage, ()))


class _Settled(NamedTuple):
    """What a tie rule made of several outcomes."""

    elected: tuple[int, ...] | None
    contested: tuple[int, ...]
    ties: tuple[Tie, ...]
    label: str


def _settled(
    election: Election, how: TieBreak, outcomes: Sequence[tuple[int, ...]], label: str
) -> _Settled:
    """Let the tie rule choose among who is elected in some branches and not in others."""
    ties: list[Tie] = []
    left = list(outcomes)
    while len(left) > 1:
        sure = set(left[0]).intersection(*left)
        contested = tuple(sorted(set().union(*left) - sure))
        at = f"{label} {len(ties) + 1}" if ties else label
        tie = break_tie(how, election, at, _names(election, contested))
        if tie.chosen is None:
            return _Settled(None, contested, tuple(ties), at)
        ties.append(tie)
        left = [one for one in left if election.options.index(tie.chosen) in one]
    return _Settled(left[0], (), tuple(ties), label)


def _one_branch(
    election: Election, count: Callable[[Universe], Stage], how: TieBreak, start: Universe
) -> Trail:
    """Follow one branch, breaking each tie by the rule, as far as it breaks them."""
    steps: list[tuple[Stage, tuple[int, ...]]] = []
    ties: list[Tie] = []
    at = start
    stage = count(at)
    while stage.branches:
        taken: Branch | None = stage.branches[0]
        if len(stage.branches) > 1:
            taken = _broken(election, how, stage.branches, f"round {len(steps) + 1}", ties)
        if taken is None:
            return Trail(
                steps=(*steps, (stage, ())),
                is_decided=False,
                contested=at.standing,
                ties=tuple(ties),
            )
        steps.append((stage, taken.leaving))
        at = taken.to
        stage = count(at)
    return Trail(steps=(*steps, (stage, ())), margin=0, ties=tuple(ties))


def _broken(
    election: Election, how: TieBreak, branches: Sequence[Branch], label: str, ties: list[Tie]
) -> Branch | None:
    """Return the branch that the rule takes, and append the ties; None where it cannot."""
    ways = {election.options[branch.leaving[0]]: branch for branch in branches}
    if how.rule in ("lot", "ballot_hash"):
        drawn = break_tie(how, election, f"{label}: who leaves", list(ways))
        ties.append(drawn)
        return ways[str(drawn.chosen)]
    while len(ways) > 1:
        tie = break_tie(how, election, f"{label}: who stays, of {len(ways)}", list(ways))
        if how.rule != "none":
            ties.append(tie)
        if tie.chosen is None:
            return None
        del ways[tie.chosen]
    return next(iter(ways.values()))


# --- what a person reads ---------------------------------------------------------------------


def as_whole(share: Share) -> Share:
    """Return a share, as an int when it is one.

    Args:
        share: the share.

    Example:
        >>> as_whole(Fraction(4, 2)), as_whole(Fraction(1, 2))
        (2, Fraction(1, 2))
    """
    return share.numerator if share.denominator == 1 else share


def named(election: Election, shares: Mapping[int, Share]) -> dict[str, Exact]:
    """Return shares in votes, by the names of the options.

    Args:
        election: whose options.
        shares: option -> units of weight.

    Example:
        >>> named(Election(["A", "B"]), {1: Fraction(4, 2), 0: 1})
        {'A': 1, 'B': 2}
    """
    return {
        election.options[at]: election.exact(as_whole(share))
        for at, share in sorted(shares.items())
    }


def conclude_trail(election: Election, counted: Counted, trail: Trail, how: TieBreak) -> Outcome:
    """Make a result of a count in rounds.

    Args:
        election: every ballot.
        counted: the rule, its parameters and its tally.
        trail: what `follow` found.
        how: the tie rule.

    Example:
        >>> trail = Trail(steps=((Stage(shares={0: 1}, elected=(0,)), ()),))
        >>> conclude_trail(Election(["A"]), Counted(rule="r", best=()), trail, NO_TIE_BREAK).winner
        'A'
    """
    parameters = counted.parameters
    is_given_up = not trail.is_decided and not trail.branches
    if is_given_up and how.rule not in ("none", "human"):
        # The rule was asked about a tie to leave; the options that stand are no question for it.
        parameters = (*parameters, ("ties", f"{how.rule}:{how.by}" if how.by else how.rule))
        how = NO_TIE_BREAK
    margin = None if trail.margin is None else election.exact(as_whole(trail.margin))
    return conclude(
        election,
        counted._replace(
            best=_names(election, trail.elected[:1] if trail.is_decided else trail.contested),
            parameters=parameters,
            ranking=_ranking(election, trail),
            margin=margin,
            rounds=_rounds(election, trail),
            ties=trail.ties,
            label=trail.label,
        ),
        how,
    )


def _names(election: Election, some: Iterable[int]) -> tuple[str, ...]:
    return tuple(election.options[at] for at in some)


def _ranking(election: Election, trail: Trail) -> tuple[tuple[str, ...], ...]:
    """Return the options from best to worst, as far as all branches agree."""
    if trail.parting is not None:
        best = trail.elected if trail.is_decided else trail.contested
        return (_names(election, sorted(best)),)
    places: list[tuple[int, ...]] = []
    for stage, _ in trail.steps:
        places += _tiers({at: stage.shares[at] for at in stage.elected})
    last = trail.steps[-1][0]
    places += _tiers({at: n for at, n in last.shares.items() if at not in last.elected})
    places += [leaving for _, leaving in reversed(trail.steps) if leaving]
    return tuple(_names(election, place) for place in places)


def _tiers(shares: Mapping[int, Share]) -> list[tuple[int, ...]]:
    groups: dict[Share, list[int]] = {}
    for at, share in sorted(shares.items()):
        groups.setdefault(share, []).append(at)
    return [tuple(groups[share]) for share in sorted(groups, reverse=True)]


def _rounds(election: Election, trail: Trail) -> tuple[Round, ...]:
    return tuple(
        Round(
            name=f"round {at + 1}",
            tally=tuple(Item(name, n) for name, n in named(election, stage.shares).items()),
            out=_names(election, (*stage.elected, *leaving)),
            exhausted=election.exact(as_whole(stage.exhausted)),
            note="; ".join(part for part in (stage.note, _tie_note(election, trail, at)) if part),
        )
        for at, (stage, leaving) in enumerate(trail.steps)
    )


def _tie_note(election: Election, trail: Trail, at: int) -> str:
    """Say what becomes of a tie to leave."""
    stage, leaving = trail.steps[at]
    if len(stage.branches) < 2:
        return ""
    tied = _names(election, (branch.leaving[0] for branch in stage.branches))
    words = f"{', '.join(tied)} tie to leave"
    if not trail.branches:
        what = "the tie rule chose" if leaving else "no tie rule chose, so all who stand are tied"
        return f"{words}; more than {most_universes(election)} universes come of it; {what}"
    if at != trail.parting:
        return words
    if len(trail.branches) == 1:
        return f"{words}; however it is broken, the same are elected: no need to"
    listed = [
        f"{ways} elect{'s' if ways == 1 else ''} {', '.join(_names(election, elected))}"
        for elected, ways in sorted(trail.branches.items())
    ]
    more = [f"{len(listed) - 12} more outcomes"] if len(listed) > 12 else []
    told = "; ".join(listed[:12] + more)
    shown_one = ", ".join(_names(election, sorted(trail.elected)))
    return f"{words}; of {sum(trail.branches.values())} branches {told}; shown: {shown_one}"
