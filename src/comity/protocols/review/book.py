"""Review book: which blocks and risks are there, and what became of each?

Here: blocks, risks, all of them together, and what one call of a review carries to the next.
Not here: how votes change them (escalation.py).
Sources: SEMANTICS W3, W6, G1.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from comity.core.errors import Fault, shown
from comity.core.parties import PartyId

__all__ = ["Became", "Block", "Book", "Carried", "Risk"]

Became = Literal["open", "addressed", "closed", "risk", "accepted"]

_WHOLE = "give back what the last call returned, unchanged"


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

    def faults(self) -> list[Fault]:
        """Return what no review can have come to."""
        found = []
        for letter, what, items in (("b", "blocks", self.blocks), ("r", "risks", self.risks)):
            names = [one.id for one in items]
            if names != [f"{letter}{number}" for number in range(1, len(names) + 1)]:
                told = f"{letter}1, {letter}2, ... in order"
                found.append(Fault(what, f"are named {shown(names)}", told, _WHOLE))
        rounds = {one.id: one.round for one in self.blocks}
        found += [
            Fault(f"block {name}", f"is of round {number}", "1 or more", _WHOLE)
            for name, number in rounds.items()
            if number < 1
        ]
        found += [
            Fault(f"block {one.id}", f"repeats {shown(one.repeats)}", "an earlier block", _WHOLE)
            for at, one in enumerate(self.blocks)
            if one.repeats and one.repeats not in {each.id for each in self.blocks[:at]}
        ]
        found += [
            Fault(f"risk {one.id}", f"counts {one.count}, closed in {one.closed_in}",
                  "whole numbers of 0 or more", _WHOLE)
            for one in self.risks
            if one.count < 0 or one.closed_in < 0
        ]  # fmt: skip
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What earlier calls of a review came to, for the next one.

    Attributes:
        phase: the phase of the last round that counted, or "".
        round: that round; 0 when its phase has passed.
        book: all blocks and risks.
        passed: the phases that have passed, in order.
        approved: (phase, digest) of the version that passed it last.
        after: the call before, as the ledger names it; "" when there was none, or no ledger.

    Example:
        >>> Carried().round
        0
    """

    phase: str = ""
    round: int = 0
    book: Book = field(default_factory=Book)
    passed: tuple[str, ...] = ()
    approved: tuple[tuple[str, str], ...] = ()
    after: str = ""

    def faults(self) -> list[Fault]:
        """Return what no earlier calls can have come to."""
        found = self.book.faults()
        if self.round < 0 or (self.round and (not self.phase or self.phase in self.passed)):
            what = f"says round {self.round} of phase {shown(self.phase)}"
            allowed = "0, or the last round of a phase that has not passed"
            found.append(Fault("carried", what, allowed, _WHOLE))
        if len(set(self.passed)) < len(self.passed):
            found.append(Fault("carried", f"passed {shown(self.passed)}", "each once", _WHOLE))
        return found
