"""Review results: what passed, what holds it, and what became of every block.

Here: the review's own forms of a verdict, a block, waiting, a missed quorum and a cancel; the
tally of each round; what the next call carries on.
Not here: how they come about (ending.py), the report made of them (report.py).
Sources: SEMANTICS W3, W4, G1, G2; three of three means three ballots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from comity.core.parties import PartyId
from comity.core.results import (
    Blocked,
    NoDecision,
    NoQuorum,
    Outcome,
    Verdict,
    Waiting,
    result_form,
)
from comity.protocols.review.book import Block, Book, Carried, Risk

__all__ = [
    "BlockedReason",
    "Comment",
    "Finding",
    "ReviewBlocked",
    "ReviewCancelled",
    "ReviewNoQuorum",
    "ReviewOutcome",
    "ReviewRecord",
    "ReviewVerdict",
    "ReviewWaiting",
    "RoundTally",
    "Unread",
    "carried_of",
]

BlockedReason = Literal[
    "blocks", "open_questions", "never_waived", "max_rounds", "not_revised", "not_made"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Somebody whose ballot is missing.

    Attributes:
        agent: who.
        why: ``absent`` or why its reply is no ballot (``no_vote``, ``ambiguous_vote``, ...).
        hint: what would have been a ballot.

    Example:
        >>> Unread(agent="Critic", why="no_vote").hint
        ''
    """

    agent: PartyId
    why: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundTally:
    """The ballots of one round of one phase; everybody stands in one list.

    Attributes:
        phase: the phase.
        round: the round.
        digest: of the version voted on.
        needed: how many ballots it takes: all.
        approvals: who approved plainly.
        with_risk: whose block was converted: shown ``APPROVE (with documented risk)``.
        by_person: in whose place a person approved.
        blocks: who blocks.
        invalid: who gave a vote that is neither: a block without a reason, or a preference.
        absent: who was silent or could not be read.
        unread: why, of the invalid and the absent.
        verdicts: (who, token) of those whose vote is a verdict: ``APPROVED_TO_SHIP`` or
            ``BLOCKED``.

    Example:
        >>> RoundTally(phase="plan", round=1, digest="", needed=3, approvals=("A",)).is_passed
        False
    """

    phase: str
    round: int
    digest: str
    needed: int
    approvals: tuple[PartyId, ...] = ()
    with_risk: tuple[PartyId, ...] = ()
    by_person: tuple[PartyId, ...] = ()
    blocks: tuple[PartyId, ...] = ()
    invalid: tuple[PartyId, ...] = ()
    absent: tuple[PartyId, ...] = ()
    unread: tuple[Unread, ...] = ()
    verdicts: tuple[tuple[PartyId, str], ...] = ()

    @property
    def in_favour(self) -> int:
        """How many ballots let it pass, of every kind."""
        return len(self.approvals) + len(self.with_risk) + len(self.by_person)

    @property
    def is_passed(self) -> bool:
        """Whether every ballot is there and lets it pass."""
        return self.in_favour == self.needed


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What an advisor handed in; never a vote.

    Attributes:
        agent: who.
        phase: the phase.
        round: the round.
        digest: of the version looked at.
        text: the findings; "" when the advisor was silent.
        why: why there are none, or "".

    Example:
        >>> Finding(agent="Security", phase="review", round=1, digest="", text="none").why
        ''
    """

    agent: PartyId
    phase: str
    round: int
    digest: str
    text: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """A block that was a preference: kept, and no block.

    Attributes:
        agent: whose.
        phase: the phase.
        round: the round.
        text: what it said.

    Example:
        >>> Comment(agent="Critic", phase="plan", round=1, text="tabs").text
        'tabs'
    """

    agent: PartyId
    phase: str
    round: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRecord:
    """What every form reports alike.

    Attributes:
        name: what was reviewed.
        phase: the phase it ended in.
        round: the round it ended in.
        digest: of the last version.
        phases: the phases of this session, in order.
        passed: the phases that have passed, earlier calls' too.
        rounds: the tally of every round of this session.
        blocks: every block, earlier calls' too, with what became of it.
        risks: every documented risk, earlier calls' too.
        findings: what the advisors handed in.
        comments: preferences that were marked as such.
        announcements: what was announced, line by line.
        questions: the open questions that hold it.
        versions: the digest of every version, in order.
        counted: whether this call counts; not when somebody else collects the replies and one
            is missing.
        approved: (phase, digest) of the version that passed it last, earlier calls' too.
        before: the digest of another version that passed this phase in an earlier call, or "".
        skipped: the phases that should have passed before the first of these, and have not.

    Example:
        >>> ReviewRecord(name="PLAN.md", phase="plan", round=1, digest="").open_risks
        ()
    """

    name: str
    phase: str
    round: int
    digest: str
    phases: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    rounds: tuple[RoundTally, ...] = ()
    blocks: tuple[Block, ...] = ()
    risks: tuple[Risk, ...] = ()
    findings: tuple[Finding, ...] = ()
    comments: tuple[Comment, ...] = ()
    announcements: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    counted: bool = True
    approved: tuple[tuple[str, str], ...] = ()
    before: str = ""
    skipped: tuple[str, ...] = ()

    @property
    def open_risks(self) -> tuple[Risk, ...]:
        """The risks that stand."""
        return tuple(one for one in self.risks if one.is_open)


@result_form("review")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewVerdict(Verdict):
    """Every phase has passed.

    Attributes:
        verdict: ``APPROVED``, or ``APPROVED_TO_SHIP`` when the last phase ends in a verdict.
        review: tallies, blocks, risks, findings.
        says: one sentence for people.
    """

    review: ReviewRecord
    says: str


@result_form("review")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewBlocked(Blocked):
    """Something holds it.

    Attributes:
        reason: ``blocks``; ``open_questions``; ``never_waived``, after the last block that would
            have become a risk; ``max_rounds``; ``not_revised``, ``not_made`` when the reviser
            gave no version.
        review: tallies, blocks, risks, findings.
        says: one sentence for people.
    """

    reason: BlockedReason
    review: ReviewRecord
    says: str


@result_form("review")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewWaiting(Waiting):
    """It waits for ballots, or for a person.

    Attributes:
        review: tallies, blocks, risks, findings.
        says: one sentence for people.
    """

    review: ReviewRecord
    says: str


@result_form("review")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewNoQuorum(NoQuorum):
    """A ballot that it takes is missing, and no person stood in.

    Attributes:
        review: tallies, blocks, risks, findings.
        says: one sentence for people.
    """

    review: ReviewRecord
    says: str


@result_form("review")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCancelled(NoDecision):
    """It was cancelled.

    Attributes:
        review: tallies, blocks, risks, findings.
        says: one sentence for people.
    """

    review: ReviewRecord
    says: str


ReviewOutcome = ReviewVerdict | ReviewBlocked | ReviewWaiting | ReviewNoQuorum | ReviewCancelled


def carried_of(outcome: Outcome) -> Carried | None:
    """Return what the next call of a review carries on; None for the result of something else.

    Args:
        outcome: how a call ended.

    Example:
        >>> from comity.core.results import Grounds
        >>> grounds = Grounds(rule="review", ended_by="blocks", inputs_digest="0")
        >>> record = ReviewRecord(name="PLAN.md", phase="plan", round=2, digest="")
        >>> ended = ReviewBlocked(by=(), reason="blocks", review=record, says="", grounds=grounds)
        >>> carried_of(ended).round
        2
    """
    if not isinstance(outcome, ReviewOutcome):
        return None
    record = outcome.review
    has_passed = record.phase in record.passed
    return Carried(
        phase=record.phase,
        round=0 if has_passed else record.round - (0 if record.counted else 1),
        book=Book(blocks=record.blocks, risks=record.risks),
        passed=record.passed,
        approved=record.approved,
    )
