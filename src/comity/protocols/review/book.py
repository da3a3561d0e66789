"""Review book: which blocks and risks are there, and what became of each?

Here: blocks, risks, all of them together, and what one call of a review carries to the next.
Not here: how votes change them (escalation.py).
Sources: SEMANTICS W3, W6, G1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from comity.core.parties import PartyId

__all__ = ["Became", "Block", "Book", "Carried", "Risk"]

Became = Literal["open", "addressed", "closed", "risk", "accepted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block, in one round.

    Attributes:
        id: its name in the review (``b1``).
        agent: whose it is.
        phase: in which phase.
        round: in which round of it.
        digest: of the version that it is about.
        category: the issue that it is counted under.
        reason: why, in the reviewer's words.
        to_approve: what would turn it into an approval, or "".
        suggestion: how that could be done, or "".
        is_vague: whether it was asked what would turn it into an approval, and did not say.
        repeats: the earlier block that stands in this round too, or "".
        became: ``open``; ``addressed``, by its reviewer's mark; ``closed``, by its reviewer's
            approval; a documented ``risk``; ``accepted`` as a risk by a person.

    Example:
        >>> words = {"category": "limits", "reason": "there is none"}
        >>> Block(id="b1", agent="Critic", phase="plan", round=1, digest="", **words).became
        'open'
    """

    id: str
    agent: PartyId
    phase: str
    round: int
    digest: str
    category: str
    reason: str
    to_approve: str = ""
    suggestion: str = ""
    is_vague: bool = False
    repeats: str = ""
    became: Became = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """A concern that no longer holds the work up, and is written down instead.

    Attributes:
        id: its name in the review (``r1``).
        agent: whose concern it is.
        phase: in which phase it was raised.
        category: the issue.
        risk: what may go wrong: the last reason, on one line.
        mitigation: what is done about it.
        reasons: every reason given, in order.
        to_approve: what would have turned it into an approval, or "".
        digest: of the version in which it stayed open.
        count: how often it was raised.
        accepted_by: the person who accepted it, or "" when the count did.
        closed_in: the round in which its reviewer approved after all; 0 while it stands.
        has_passed: whether its phase has passed since: blocks after that count from the start.

    Example:
        >>> Risk(id="r1", agent="A", phase="plan", category="x", risk="y", mitigation="z").is_open
        True
    """

    id: str
    agent: PartyId
    phase: str
    category: str
    risk: str
    mitigation: str
    reasons: tuple[str, ...] = ()
    to_approve: str = ""
    digest: str = ""
    count: int = 0
    accepted_by: str = ""
    closed_in: int = 0
    has_passed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it stands."""
        return not self.closed_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """All blocks and risks of a review, in order.

    Attributes:
        blocks: the blocks.
        risks: the risks.

    Example:
        >>> Book().categories("plan")
        ()
    """

    blocks: tuple[Block, ...] = ()
    risks: tuple[Risk, ...] = ()

    def open_in(self, phase: str, agent: PartyId | None = None) -> tuple[Block, ...]:
        """Return the blocks of a phase that stand, of one reviewer or of all."""
        return tuple(
            one
            for one in self.blocks
            if one.phase == phase and one.became == "open" and agent in {None, one.agent}
        )

    def categories(self, phase: str) -> tuple[str, ...]:
        """Return the categories that somebody has an open block in, sorted."""
        return tuple(sorted({one.category for one in self.open_in(phase)}))

    def count(self, phase: str, agent: PartyId, category: str) -> int:
        """Return in how many rounds a concern stood that still stands."""
        own = self.open_in(phase, agent)
        return len({one.round for one in own if one.category == category})

    def risk_of(self, phase: str, agent: PartyId, category: str) -> Risk | None:
        """Return the standing risk that a concern has become in this phase so far, or None."""
        wanted = (phase, agent, category)
        found = (one for one in self.risks if (one.phase, one.agent, one.category) == wanted)
        return next((one for one in found if one.is_open and not one.has_passed), None)

    def after(self, phase: str) -> Book:
        """Return the book after a phase has passed."""
        risks = (
            replace(one, has_passed=True) if one.phase == phase else one for one in self.risks
        )
        return replace(self, risks=tuple(risks))


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What earlier calls of a review came to, for the next one.

    Attributes:
        phase: the phase of the last round that counted, or "".
        round: that round; 0 when its phase has passed.
        book: all blocks and risks.
        passed: the phases that have passed, in order.

    Example:
        >>> Carried().round
        0
    """

    phase: str = ""
    round: int = 0
    book: Book = field(default_factory=Book)
    passed: tuple[str, ...] = ()
