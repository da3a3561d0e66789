"""Review state: what was handed in so far, on which version, and who is asked now.

Here: the frozen state of a review, its ballots and versions, its asks.
Not here: how it changes (rounds.py, machine.py), how it ends (ending.py), what an ask says
(briefing.py).
Sources: SEMANTICS W1-W6, G9; ballots carry the digest of what they are about, and a new version
voids them; voting is blind: no payload holds anybody else's ballot of this round.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from comity.core.canonical import Json, JsonObject, digest
from comity.core.parties import PartyId
from comity.core.results import Submission, Waiting
from comity.core.step import Ask
from comity.protocols.review.book import Book
from comity.protocols.review.escalation import Raised
from comity.protocols.review.grammar import BlockMark
from comity.protocols.review.results import (
    Comment,
    Finding,
    ReviewBlocked,
    ReviewNoQuorum,
    ReviewWaiting,
    RoundTally,
    Unread,
)
from comity.protocols.review.rules import Phase, ReviewRules

__all__ = [
    "Ballot",
    "Became",
    "Held",
    "ReviewState",
    "Stage",
    "Why",
    "new_state",
    "noted",
    "said",
    "tally_of",
    "version_of",
    "with_ask",
    "without",
]

Stage = Literal["advising", "voting", "revising", "person", "ended"]
Why = Literal["never_waived", "max_rounds", "absent"]
Became = Literal[
    "cast", "approval", "block", "converted", "person", "invalid", "absent", "replaced"
]
Held = ReviewBlocked | ReviewNoQuorum

_NEITHER = {"block_without_reason", "preference"}
_LONGEST_TOLD = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """What one reviewer handed in for one version, or that it did not.

    Attributes:
        agent: whose.
        phase: the phase.
        round: the round.
        digest: of the version that it is about.
        vote: the token; "" when there is none that counts.
        error: why none counts: ``absent``, or a code of the grammar; else "".
        hint: what would have counted, or "".
        reason: why, in the reviewer's words.
        category: as the reviewer named it, or None.
        to_approve: what would turn a block into an approval.
        suggestion: how.
        is_vague: whether it was asked for these in vain.
        marks: what it says about its earlier blocks.
        became: what it is while the round is open (``cast``), and what it came to.

    Example:
        >>> Ballot(agent="A", phase="plan", round=1, digest="", vote="BLOCK").is_block
        True
    """

    agent: PartyId
    phase: str
    round: int
    digest: str
    vote: str = ""
    error: str = ""
    hint: str = ""
    reason: str = ""
    category: str | None = None
    to_approve: str = ""
    suggestion: str = ""
    is_vague: bool = False
    marks: tuple[BlockMark, ...] = ()
    became: Became = "cast"

    @property
    def is_block(self) -> bool:
        """Whether its token dissents."""
        return self.vote in {"BLOCK", "BLOCKED"}

    @property
    def raised(self) -> Raised:
        """The block that it is."""
        return Raised(
            agent=self.agent,
            phase=self.phase,
            round=self.round,
            digest=self.digest,
            reason=self.reason,
            category=self.category,
            to_approve=self.to_approve,
            suggestion=self.suggestion,
            is_vague=self.is_vague,
            marks=self.marks,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewState:
    """Everything a review remembers; the fold of its inputs.

    Attributes:
        rules: what it was opened with.
        at: which phase it is in.
        stage: what it waits for in it.
        round: the round of this phase.
        artefact: the text that is reviewed.
        versions: the digest of every version, in order; the last one is reviewed now.
        remark: what the reviser said about the last version.
        asked: asks made so far, for their ids.
        asks: the asks that stand.
        closes_ms: when this round of asking closes, for all alike; before any time is known it
            counts from 0.
        ballots: every ballot, in order.
        findings: what the advisors handed in.
        comments: preferences that were marked as such.
        book: blocks and risks.
        passed: the phases that have passed.
        approved: (phase, digest) of the version that passed it last.
        tallies: the tally of every closed round.
        to_person: (reviewer, category) that have reached the limit and are never waived.
        held: what it comes to when the person does not answer.
        waits: that a person is waited for, while one is.
        why_person: why the person was asked.
        person_until_ms: when the default applies.
        agains: how often the person asked for more.
        persons: what people decided.
        ended_by: what the next end is ascribed to, when a person or a default led to it.
        announcements: what was announced, line by line.
        notes: what deserves to be known, in order.
        transcript: who did what, for those who watch.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> new_state(rules).phase.name
        'plan'
    """

    rules: ReviewRules
    at: int = 0
    stage: Stage = "voting"
    round: int = 1
    artefact: str = ""
    versions: tuple[str, ...] = ()
    remark: str = ""
    asked: int = 0
    asks: tuple[Ask, ...] = ()
    closes_ms: int = 0
    ballots: tuple[Ballot, ...] = ()
    findings: tuple[Finding, ...] = ()
    comments: tuple[Comment, ...] = ()
    book: Book = field(default_factory=Book)
    passed: tuple[str, ...] = ()
    approved: tuple[tuple[str, str], ...] = ()
    tallies: tuple[RoundTally, ...] = ()
    to_person: tuple[tuple[PartyId, str], ...] = ()
    held: Held | None = None
    waits: ReviewWaiting | None = None
    why_person: Why = "absent"
    person_until_ms: int = 0
    agains: int = 0
    persons: tuple[Submission, ...] = ()
    ended_by: str = ""
    announcements: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    transcript: tuple[JsonObject, ...] = ()

    @property
    def phase(self) -> Phase:
        """The phase it is in."""
        return self.rules.phases[self.at]

    @property
    def digest(self) -> str:
        """The digest of the version that is reviewed now."""
        return self.versions[-1]

    @property
    def now_cast(self) -> dict[PartyId, Ballot]:
        """Voter -> its ballot of this round that stands."""
        here = (self.phase.name, self.round, self.digest)
        return {
            one.agent: one
            for one in self.ballots
            if (one.phase, one.round, one.digest) == here and one.became != "replaced"
        }

    @property
    def missing(self) -> tuple[PartyId, ...]:
        """The voters without a ballot in this round, sorted."""
        cast = self.now_cast
        return tuple(sorted(name for name in self.phase.voters if name not in cast))

    @property
    def choices(self) -> tuple[str, ...]:
        """What the person may decide."""
        may_go_on = self.why_person == "absent" or bool(self.rules.reviser)
        again = may_go_on and not self.rules.by_call
        is_left = self.agains < self.rules.limits.max_rounds
        return ("approve", "block", *(["again"] if again and is_left else []))

    @property
    def wake_at_ms(self) -> int | None:
        """When the machine wants to hear that time has passed."""
        if self.stage == "ended":
            return None
        return self.person_until_ms if self.stage == "person" else self.closes_ms

    @property
    def waiting(self) -> Waiting | None:
        """What a person is waited for, while one is; None otherwise."""
        if self.stage != "person" or self.waits is None:
            return None
        return replace(self.waits, until_ms=self.person_until_ms)


def version_of(text: str) -> str:
    """Return the digest of a version of what is reviewed.

    Args:
        text: the text.

    Example:
        >>> version_of("Build it.")[:12]
        '7faf8b508a7e'
    """
    return digest(text)


def new_state(rules: ReviewRules) -> ReviewState:
    """Return the state before anybody was asked.

    Args:
        rules: the rules.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> new_state(rules).missing
        ('Architect', 'Critic', 'Planner')
    """
    first, carried = rules.phases[0], rules.carried
    goes_on = carried.phase == first.name
    now = {one.name for one in rules.phases}
    return ReviewState(
        rules=rules,
        round=carried.round + 1 if goes_on else 1,
        artefact=first.artefact,
        versions=(version_of(first.artefact),),
        closes_ms=rules.limits.deadline_ms,
        book=carried.book,
        passed=tuple(name for name in carried.passed if name not in now),
        approved=carried.approved,
    )


def with_ask(
    state: ReviewState, party: PartyId, kind: str, payload: JsonObject, *, attempt: int = 1
) -> ReviewState:
    """Return the state with one more ask standing.

    Args:
        state: the state so far.
        party: who is asked.
        kind: ``vote``, ``complete``, ``findings``, ``revise``, ``make`` or ``decide``.
        payload: what it is told.
        attempt: 1, or more when asked again.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> with_ask(new_state(rules), "Critic", "vote", {}).asks[0].id
        'a1'
    """
    until = state.person_until_ms if state.stage == "person" else state.closes_ms
    new = Ask(
        id=f"a{state.asked + 1}",
        party=party,
        kind=kind,
        payload=payload,
        deadline_ms=until,
        attempt=attempt,
    )
    return replace(state, asked=state.asked + 1, asks=(*state.asks, new))


def without(state: ReviewState, gone: Ask) -> ReviewState:
    """Return the state without an ask.

    Args:
        state: the state so far.
        gone: the ask.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> asked = with_ask(new_state(rules), "Critic", "vote", {})
        >>> without(asked, asked.asks[0]).asks
        ()
    """
    return replace(state, asks=tuple(one for one in state.asks if one.id != gone.id))


def noted(state: ReviewState, *notes: str) -> ReviewState:
    """Return the state with notes.

    Args:
        state: the state so far.
        notes: one line each.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> noted(new_state(rules), "plan passed").notes
        ('plan passed',)
    """
    return replace(state, notes=(*state.notes, *notes))


def said(state: ReviewState, party: PartyId, what: str, text: str = "") -> ReviewState:
    """Return the state with one more line of its transcript.

    Args:
        state: the state so far.
        party: who did something.
        what: what it did, in a few words.
        text: its words.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> said(new_state(rules), "Critic", "votes APPROVE").transcript[0]["turn"]
        1
    """
    told: dict[str, Json] = {
        "turn": len(state.transcript) + 1,
        "party": party,
        "kind": what,
        "text": text if len(text) <= _LONGEST_TOLD else f"{text[: _LONGEST_TOLD - 1]}…",
    }
    return replace(state, transcript=(*state.transcript, told))


def tally_of(state: ReviewState) -> RoundTally:
    """Return how the ballots of this round stand; who has none yet is absent.

    Args:
        state: the state.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> tally_of(new_state(rules)).needed
        3
    """
    lists: dict[str, list[PartyId]] = {name: [] for name in _LISTS.values()}
    unread: list[Unread] = []
    verdicts: list[tuple[PartyId, str]] = []
    cast = state.now_cast
    for name in sorted(state.phase.voters):
        one = cast.get(name)
        where = _LISTS[_standing(one)]
        lists[where].append(name)
        if where in {"invalid", "absent"}:
            why = one.error if one else "absent"
            unread.append(Unread(agent=name, why=why, hint=one.hint if one else ""))
        if one is not None and one.vote in {"APPROVED_TO_SHIP", "BLOCKED"}:
            verdicts.append((name, one.vote))
    return RoundTally(
        phase=state.phase.name,
        round=state.round,
        digest=state.digest,
        needed=len(state.phase.voters),
        unread=tuple(unread),
        verdicts=tuple(verdicts),
        **{name: tuple(names) for name, names in lists.items()},
    )


_LISTS: dict[Became, str] = {
    "approval": "approvals",
    "converted": "with_risk",
    "person": "by_person",
    "block": "blocks",
    "invalid": "invalid",
    "absent": "absent",
}


def _standing(one: Ballot | None) -> Became:
    if one is None:
        return "absent"
    if one.became != "cast":
        return one.became
    if one.error:
        return "invalid" if one.error in _NEITHER else "absent"
    return "block" if one.is_block else "approval"
