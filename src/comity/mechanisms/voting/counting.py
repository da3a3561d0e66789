"""Counting: from a count to a result that explains itself.

Here: what every rule does around its own count: refuse the wrong ballots, end without any, find
the margin, break or leave a tie, flag an odd winner.
Not here: the count (each rule's module), what is costly to know (explain.py).
Sources: SEMANTICS G1, G4, G8, V2 (zero ballots: no quorum, never a winner), V5.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact
from comity.core.results import Grounds, Item
from comity.core.ties import Tie
from comity.mechanisms.voting.ballots import BallotKind
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.profile import Matrix
from comity.mechanisms.voting.results import (
    Count,
    Flag,
    Round,
    VoteChoice,
    VoteNoDecision,
    VoteNoQuorum,
)
from comity.mechanisms.voting.tie_breaking import TieBreak, break_tie, read_ties

__all__ = [
    "RANKABLE",
    "Ballots",
    "Counted",
    "Outcome",
    "conclude",
    "no_ballots",
    "read_election_for",
    "tiers",
]

Ballots = Election | Iterable[Any] | Mapping[str, Any]
Outcome = VoteChoice | VoteNoDecision | VoteNoQuorum

RANKABLE: tuple[BallotKind, ...] = ("ranking", "score", "approval", "choice")
"""Ballots that rank at least one option above others."""


class Counted(NamedTuple):
    """What a rule found.

    Attributes:
        rule: its name.
        parameters: what it was told.
        tally: the score of each option; empty for rules without any.
        best: the winning options; several are a tie.
        ranking: best to worst, equals together, as far as the rule ranks.
        margin: how far the winner is before the next; None when the rule has no such number.
        rounds: the stages of the count.
        ties: ties on the way that were broken.
        dropped: options that left before the count, with their reasons.
        label: what is tied, when it is.
        reason: what several best options are: a tie, or a circle of preferences.

    Example:
        >>> Counted(rule="plurality", best=("A",)).label
        'winner'
    """

    rule: str
    best: Sequence[str]
    parameters: tuple[tuple[str, Json], ...] = ()
    tally: Mapping[str, Exact] | None = None
    ranking: tuple[tuple[str, ...], ...] = ()
    margin: Exact | None = None
    rounds: tuple[Round, ...] = ()
    ties: tuple[Tie, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()
    label: str = "winner"
    reason: Literal["tie", "cycle"] = "tie"


def read_election_for(
    ballots: Ballots, rule: str, kinds: Sequence[BallotKind], kind: BallotKind | None = None
) -> Election:
    """Return the election that a rule counts.

    Args:
        ballots: an election, or ballots to make one of.
        rule: the rule's name, for messages.
        kinds: what the rule can read.
        kind: what plain ballots are; by default told by their types.

    Returns:
        The election.

    Raises:
        InvalidInput: for ballots that cannot be read, or of a kind that the rule cannot count.

    Example:
        >>> read_election_for(["A", "B"], "plurality", ("choice",)).size
        2
    """
    election = ballots if isinstance(ballots, Election) else Election(ballots, kind=kind)
    if election.kind not in kinds:
        allowed = ", ".join(kinds)
        raise InvalidInput(
            Fault(rule, f"cannot count {election.kind} ballots", allowed, "choose another rule")
        )
    return election


def tiers(election: Election, tally: Sequence[Exact]) -> tuple[tuple[str, ...], ...]:
    """Return the options from the highest score to the lowest, equals together.

    Args:
        election: whose options.
        tally: the score of each, in their order.

    Example:
        >>> tiers(Election(["A", "B", "C"]), [1, 2, 1])
        (('B',), ('A', 'C'))
    """
    groups: dict[Exact, list[str]] = {}
    for name, score in zip(election.options, tally, strict=True):
        groups.setdefault(score, []).append(name)
    return tuple(tuple(groups[score]) for score in sorted(groups, reverse=True))


def conclude(election: Election, counted: Counted, ties: TieBreak | str = "none") -> Outcome:
    """Make a result of a count.

    Args:
        election: every ballot.
        counted: what the rule found.
        ties: what to do when several options are best.

    Returns:
        The choice; a no-decision when a tie stands; no quorum when no ballot says anything.

    Raises:
        InvalidInput: for tie rules that do not exist.

    Example:
        >>> from comity.core.results import Item
        >>> conclude(Election(["A", "B"]), Counted(rule="r", best=("B", "A"))).reason
        'tie'
    """
    how = read_ties(ties)
    if not election.weight or not counted.best:
        return no_ballots(election, counted)
    broken = counted.ties
    winner: str | None
    if len(counted.best) == 1:
        winner = counted.best[0]
        margin = counted.margin
    else:
        tie = break_tie(how, election, counted.label, counted.best)
        broken = (*broken, tie)
        winner, margin = tie.chosen, 0
    grounds = _grounds(election, counted, how, broken, margin)
    if winner is None:
        tied = broken[-1].tied
        scores = counted.tally or {}
        return VoteNoDecision(
            grounds=grounds,
            count=_count(election, counted, ()),
            reason=counted.reason,
            leaders=tuple(Item(name, scores.get(name, 0)) for name in tied),
            unblock=_unblock(tied, how),
        )
    flags = odd(election, winner)
    return VoteChoice(grounds=grounds, count=_count(election, counted, flags), option=winner)


def no_ballots(election: Election, counted: Counted) -> VoteNoQuorum:
    """Return the result of a vote in which no ballot with any weight says anything.

    Args:
        election: every ballot.
        counted: the rule and its parameters.

    Example:
        >>> no_ballots(Election([]), Counted(rule="borda", best=())).needed
        1
    """
    return VoteNoQuorum(
        grounds=_grounds(election, counted, TieBreak(), (), None),
        count=_count(election, counted, ()),
        needed=1,
        present=0,
        unblock=("one valid ballot that names an option",),
    )


def odd(election: Election, winner: str) -> tuple[Flag, ...]:
    """Return what is odd about a winner.

    Args:
        election: every ballot.
        winner: the option that won.

    Returns:
        ``majority_last`` when more than half of the ballots put it last, ``condorcet_loser`` when
        every other option beats it, ``not_condorcet_winner`` when one option beats all others and
        is not it.

    Example:
        >>> odd(Election([["A", "B", "C"]] * 2 + [["B", "C", "A"]] * 3), "A")
        ('majority_last', 'condorcet_loser', 'not_condorcet_winner')
    """
    if len(election.options) < 2 or election.kind not in ("ranking", "score"):
        return ()
    matrix = election.pairwise()
    at = election.options.index(winner)
    found: list[Flag] = []
    mine, weight = matrix[at], election.weight
    # A ballot that puts it last has it above nothing: half of them above one option rule that out.
    if 2 * max(mine) < weight < 2 * election.profile().last(at):
        found.append("majority_last")
    beats = [j for j, row in enumerate(matrix) if row[at] > mine[j]]
    if beats:
        if len(beats) == len(matrix) - 1:
            found.append("condorcet_loser")
        if any(_beats_all(matrix, j) for j in beats):
            found.append("not_condorcet_winner")
    return tuple(found)


def _beats_all(matrix: Matrix, at: int) -> bool:
    return all(votes > matrix[j][at] for j, votes in enumerate(matrix[at]) if j != at)


def _grounds(
    election: Election,
    counted: Counted,
    how: TieBreak,
    ties: tuple[Tie, ...],
    margin: Exact | None,
) -> Grounds:
    parameters = counted.parameters
    if how.rule != "none":
        parameters = (*parameters, ("ties", f"{how.rule}:{how.by}" if how.by else how.rule))
    tally = counted.tally or {}
    is_named = election.is_named
    return Grounds(
        rule=counted.rule,
        ended_by="count",
        inputs_digest=election.digest,
        parameters=parameters,
        scores=tuple([Item(name, value) for name, value in tally.items()]),
        margin=margin,
        abstained=tuple(line.voter for line in election.abstentions) if is_named else (),
        invalid=tuple(one.voter for one in election.invalid),
        absent=election.absent,
        ties=ties,
        thin=("tie_rule_used",) if ties and any(tie.chosen for tie in ties) else (),
    )


def _count(election: Election, counted: Counted, flags: tuple[Flag, ...]) -> Count:
    return Count(
        election=election,
        ranking=counted.ranking,
        rounds=counted.rounds,
        flags=flags,
        dropped=counted.dropped,
    )


def _unblock(tied: Sequence[str], how: TieBreak) -> tuple[str, ...]:
    named = " and ".join(tied) if len(tied) == 2 else f"{len(tied)} options"
    words = [f"one more vote that separates {named}"]
    if how.rule == "none":
        words.append("a tie rule: lot, chair, status_quo, secondary or ballot_hash")
    elif how.rule == "human":
        words.append("a person's choice among the tied")
    return tuple(words)
