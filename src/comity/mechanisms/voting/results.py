"""Results: what does a vote say beside its winner?

Here: the forms that votes end in, each with its election, its tally and its rounds.
Not here: how a rule counts, and what is costly to know (explain.py).
Sources: SEMANTICS G1, G2, V5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from comity.core.exact import Exact, show_number
from comity.core.results import (
    Blocked,
    Choice,
    Grounds,
    Item,
    NoDecision,
    NoQuorum,
    Verdict,
    result_form,
)
from comity.mechanisms.voting.election import Election

__all__ = [
    "Count",
    "Flag",
    "Round",
    "VoteBlocked",
    "VoteChoice",
    "VoteNoDecision",
    "VoteNoQuorum",
    "VoteResult",
    "VoteVerdict",
]

Flag = Literal["majority_last", "condorcet_loser", "not_condorcet_winner", "unanimous_can_hang"]


@dataclass(frozen=True, slots=True)
class Round:
    """One stage of a count.

    Attributes:
        name: which stage ("round 2", "final", "lock B over C").
        tally: what each option has in it.
        out: the options that leave in it, or that it elects.
        exhausted: the weight of the ballots that name no option any more.
        note: in words, what happened.

    Example:
        >>> Round("round 1", (Item("A", 2),), ("B",)).exhausted
        0
    """

    name: str
    tally: tuple[Item, ...] = ()
    out: tuple[str, ...] = ()
    exhausted: Exact = 0
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """What was counted.

    Attributes:
        election: every ballot.
        ranking: the options from best to worst, equals together; as far as the rule ranks them.
        rounds: the stages of a count that has some.
        flags: what is odd about the winner.
        dropped: options that left before the count, each with its reason.

    Example:
        >>> Count(election=Election(["A"])).ranking
        ()
    """

    election: Election
    ranking: tuple[tuple[str, ...], ...] = ()
    rounds: tuple[Round, ...] = ()
    flags: tuple[Flag, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()


class VoteResult:
    """What results of votes answer alike.

    Example:
        >>> VoteResult.__slots__
        ()
    """

    __slots__ = ()

    if TYPE_CHECKING:
        grounds: Grounds
        count: Count

    @property
    def winner(self) -> str | None:
        """The winner, or None."""
        found = getattr(self, "option", None)
        return found if isinstance(found, str) else None

    @property
    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """The options from best to worst, equals together, as far as the rule ranks them."""
        return self.count.ranking

    @property
    def thin(self) -> tuple[str, ...]:
        """Why a person may want to look twice, as far as the count tells (see `explain`)."""
        return self.grounds.thin

    @property
    def says(self) -> str:
        """The result in one sentence."""
        rule = self.grounds.rule
        if self.winner is not None:
            lead = "" if self.margin is None else f" by {show_number(self.margin)}"
            return f"{self.winner} wins{lead} under {rule}."
        if self.tied:
            return f"A tie of {', '.join(self.tied)} under {rule}."
        return f"No decision under {rule}."

    def __str__(self) -> str:
        """Return the sentence and the tally."""
        lines = [self.says, *(f"  {name}: {show_number(n)}" for name, n in self.tally.items())]
        return "\n".join(lines)

    @property
    def tied(self) -> tuple[str, ...]:
        """The options between which the tie stands, or nothing."""
        last = self.grounds.ties[-1] if self.grounds.ties else None
        return last.tied if last is not None and last.chosen is None else ()

    @property
    def tally(self) -> dict[str, Exact]:
        """Option -> its score, by the rule's own measure."""
        return {item.name: item.value for item in self.grounds.scores}

    @property
    def margin(self) -> Exact | None:
        """How far the winner is before the next, in units of the tally; None without a winner."""
        return self.grounds.margin

    @property
    def pairwise(self) -> dict[str, dict[str, Exact]]:
        """Option -> other option -> the weight that ranks the first above the second."""
        election = self.count.election
        matrix, names = election.pairwise(), election.options
        return {
            name: {other: election.exact(matrix[i][j]) for j, other in enumerate(names) if i != j}
            for i, name in enumerate(names)
        }

    @property
    def distribution(self) -> dict[str, Exact]:
        """Option -> the weight of the ballots that put it first; equal firsts share a ballot."""
        election = self.count.election
        shares, _ = election.profile().tops(range(len(election.options)))
        return {name: election.exact(shares.get(i, 0)) for i, name in enumerate(election.options)}


@result_form("vote")
@dataclass(frozen=True, slots=True, kw_only=True)
class VoteChoice(VoteResult, Choice):
    """One option won; ``elected`` lists several where there are several seats.

    Attributes:
        count: what was counted.
        elected: who fills the seats, in the order of election.
    """

    count: Count
    elected: tuple[str, ...] = ()


@result_form("vote")
@dataclass(frozen=True, slots=True, kw_only=True)
class VoteVerdict(VoteResult, Verdict):
    """A yes/no question was answered.

    Attributes:
        count: what was counted.
    """

    count: Count

    @property
    def winner(self) -> str | None:
        """The answer."""
        return self.verdict

    @property
    def says(self) -> str:
        """The result in one sentence."""
        return f"{self.verdict.capitalize()} under {self.grounds.rule}."


@result_form("vote")
@dataclass(frozen=True, slots=True, kw_only=True)
class VoteNoDecision(VoteResult, NoDecision):
    """A tie stands, nothing has the majority it needs, or preferences go round in a circle.

    Attributes:
        count: what was counted.
    """

    count: Count


@result_form("vote")
@dataclass(frozen=True, slots=True, kw_only=True)
class VoteNoQuorum(VoteResult, NoQuorum):
    """Too few took part.

    Attributes:
        count: what was counted.
    """

    count: Count

    @property
    def says(self) -> str:
        """The result in one sentence."""
        return f"No quorum under {self.grounds.rule}."


@result_form("vote")
@dataclass(frozen=True, slots=True, kw_only=True)
class VoteBlocked(VoteResult, Blocked):
    """Somebody who may veto did.

    Attributes:
        count: what was counted.
    """

    count: Count

    @property
    def says(self) -> str:
        """The result in one sentence."""
        return f"Blocked by {', '.join(who for who, _ in self.by)} under {self.grounds.rule}."
