"""Review rules: everything a review is fixed by before anybody is asked.

Here: who reviews with which criteria, the phases with what is reviewed in each, the limits, the
categories that are never waived, who revises, the person behind it.
Not here: building and checking them (opening.py), roles that are ready to use (presets.py).
Sources: SEMANTICS W3-W5, G8, G9.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from comity.core.canonical import Json, JsonObject, digest
from comity.core.codec import encode
from comity.core.errors import Fault, shown
from comity.core.parties import PartyId
from comity.protocols.collect.rules import Gate
from comity.protocols.review.book import Carried
from comity.protocols.review.grammar import Role

__all__ = [
    "DEFAULT",
    "MITIGATION",
    "MOST_ARTEFACT",
    "NEVER_WAIVED",
    "Phase",
    "ReviewLimits",
    "ReviewRules",
    "Reviewer",
]

MITIGATION = "To be addressed in follow-up work"
"""What is done about a documented risk, unless the rules say otherwise."""

NEVER_WAIVED = ("security",)
"""The categories that no count of blocks turns into a risk, unless the rules say otherwise."""

MOST_ARTEFACT = 200_000
"""The most characters of what is reviewed."""

DEFAULT = "block"
"""What applies when the person behind a review does not answer: nothing passes by silence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewer:
    """One role of a review.

    Attributes:
        id: its name; who speaks for it is known from the channel.
        kind: ``voter`` (APPROVE, BLOCK), ``verdict`` (APPROVED_TO_SHIP, BLOCKED) or ``advisor``
            (findings, never a vote).
        duty: what it looks after, in one sentence.
        approve_when: when it approves, one criterion each.
        block_when: when it blocks, or what an advisor reports, one criterion each.

    Example:
        >>> Reviewer(id="Architect").kind
        'voter'
    """

    id: PartyId
    kind: Role = "voter"
    duty: str = ""
    approve_when: tuple[str, ...] = ()
    block_when: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """One step of a review: who has to approve what.

    Attributes:
        name: its name.
        voters: whose approval it takes: of all of them.
        about: what is looked at, in words.
        advisors: who hands in findings before the voters are asked.
        has_questions: whether open questions of the text hold it.
        artefact: what is reviewed; "" when the reviser makes it.

    Example:
        >>> Phase(name="plan", voters=("Architect",)).has_questions
        False
    """

    name: str
    voters: tuple[PartyId, ...]
    about: str = ""
    advisors: tuple[PartyId, ...] = ()
    has_questions: bool = False
    artefact: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLimits:
    """Every limit of a review.

    Attributes:
        deadline_ms: how long one round of asking is open, for all alike.
        reasks: how often an unreadable answer is asked for again.
        blocks: the N-th block of one reviewer in one category becomes a documented risk.
        max_rounds: how many rounds a phase may have.

    Example:
        >>> ReviewLimits().blocks
        3
    """

    deadline_ms: int = 600_000
    reasks: int = 1
    blocks: int = 3
    max_rounds: int = 5

    def faults(self) -> list[Fault]:
        """Return what is wrong with the limits."""
        least = {"deadline_ms": 1, "reasks": 0, "blocks": 1, "max_rounds": 1}
        found = []
        for name, lowest in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
                allowed = f"a whole number of {lowest} or more"
                what = f"{name} is {shown(value)}"
                found.append(Fault("limits", what, allowed, f"correct {name}"))
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRules:
    """What a review is fixed by.

    Attributes:
        name: what is reviewed, in one line; calls of one name belong together.
        reviewers: the roles, sorted by name.
        phases: the phases, in order.
        preset: the preset that they come from, or "".
        reviser: the seat that makes new versions, or "" when somebody outside does.
        limits: every limit.
        never_waived: categories that go to a person instead of becoming a risk.
        mitigation: what is done about a documented risk.
        gate: the person behind it.
        by_call: whether somebody else collects the replies: nobody is asked again, and a reply
            that is missing ends the call without counting it.
        carried: what earlier calls came to.
        request_id: names this call, so that it counts once, or "".
        request_digest: of everything that the call of this id was given, or "".
        needs: the phases that have to pass before the first of these.
        asked: the digest of what a person is asked about between two calls, or "".

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> rules.seats
        ('Architect', 'Critic', 'Planner')
    """

    name: str
    reviewers: tuple[Reviewer, ...]
    phases: tuple[Phase, ...]
    preset: str = ""
    reviser: PartyId = ""
    limits: ReviewLimits = ReviewLimits()
    never_waived: tuple[str, ...] = NEVER_WAIVED
    mitigation: str = MITIGATION
    gate: Gate = field(default_factory=lambda: Gate(default=DEFAULT))
    by_call: bool = False
    carried: Carried = field(default_factory=Carried)
    request_id: str = ""
    request_digest: str = ""
    needs: tuple[str, ...] = ()
    asked: str = ""

    @property
    def seats(self) -> tuple[PartyId, ...]:
        """Everybody who needs an agent: the reviewers by name, then who revises."""
        return (*(one.id for one in self.reviewers), *([self.reviser] if self.reviser else []))

    def reviewer(self, name: PartyId) -> Reviewer:
        """Return a role by its name."""
        return next(one for one in self.reviewers if one.id == name)

    @property
    def briefs_digest(self) -> str:
        """The digest of every role's duty and criteria."""
        return digest(encode(self.reviewers))

    def to_json(self) -> JsonObject:
        """Return the rules as `rules_from_json` (opening.py) takes them."""
        data = encode(self)
        assert isinstance(data, Mapping)
        told: dict[str, Json] = {
            **data,
            "order": list(self.seats),
            "briefs_digest": self.briefs_digest,
        }
        return told

    @property
    def digest(self) -> str:
        """The digest of the rules as recorded."""
        return digest(self.to_json())
