"""Presets: who reviews what, by which criteria, when nobody says otherwise?

Here: the Plan -> Build -> Review of the source as `power-trio`, its roles with their criteria.
Not here: checking rules (opening.py), files that change a preset (formats/review_file.py).
Sources: SEMANTICS W4, W5; the criteria are those of the vote protocol's source in our words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean
from comity.protocols.review.opening import review_rules
from comity.protocols.review.rules import Phase, Reviewer, ReviewRules

__all__ = ["POWER_TRIO", "PRESETS", "Preset", "phases_before", "preset_named", "preset_rules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """Roles and phases that are ready to use.

    Attributes:
        name: its name.
        reviewers: the roles.
        phases: the phases in order, with nothing to review yet.

    Example:
        >>> [one.name for one in POWER_TRIO.phases]
        ['plan', 'build-tests', 'build-impl', 'review']
    """

    name: str
    reviewers: tuple[Reviewer, ...]
    phases: tuple[Phase, ...]


_PLAN_STANDS = "the plan is technically sound and meets every requirement"
_NO_HARM = "no concern about security or performance is grave enough to hold it"
_MISSING = "a critical requirement is missing or wrong"
_FLAWED = "the technical approach cannot work as described"
_UNSAFE = "a weakness could harm users"

POWER_TRIO = Preset(
    name="power-trio",
    reviewers=(
        Reviewer(
            id="Planner",
            duty="Does the plan do what was asked, all of it, in steps that can be carried out?",
            approve_when=(
                _PLAN_STANDS,
                "each step says what is done when it is done, and success can be checked",
            ),
            block_when=(_MISSING, "a step cannot be carried out as it is written"),
        ),
        Reviewer(
            id="Architect",
            duty="Does the approach hold, technically and under load?",
            approve_when=(_PLAN_STANDS, _NO_HARM),
            block_when=(_FLAWED, _MISSING, _UNSAFE),
        ),
        Reviewer(
            id="Critic",
            duty="What did the others overlook?",
            approve_when=(
                "you looked for what breaks the plan and found nothing that must change",
            ),
            block_when=(_MISSING, _FLAWED, _UNSAFE, "an important case is not dealt with"),
        ),
        Reviewer(
            id="Senior Engineer",
            duty="Would you maintain these tests, and this implementation?",
            approve_when=(
                "the tests cover the criteria of success well enough",
                "the implementation meets the quality that the project asks for",
            ),
            block_when=(
                "the tests leave out an important case",
                "the code has an obvious fault, or is below the project's quality",
                _UNSAFE,
            ),
        ),
        Reviewer(
            id="Product Manager",
            kind="verdict",
            duty="Is what was built what was asked for, and can it be given to users?",
            approve_when=("every requirement is met", "no finding is grave enough to hold it"),
            block_when=(_MISSING, "a finding would harm users"),
        ),
        Reviewer(
            id="Security",
            kind="advisor",
            duty="What could be misused, leak or break trust?",
            block_when=("weaknesses that could harm users, the gravest first",),
        ),
        Reviewer(
            id="Performance",
            kind="advisor",
            duty="What will be slow, costly or fail under load?",
            block_when=("what costs users time or money, with figures where there are any",),
        ),
    ),
    phases=(
        Phase(
            name="plan",
            about="The plan, before anything is built.",
            voters=("Planner", "Architect", "Critic"),
            has_questions=True,
        ),
        Phase(
            name="build-tests",
            about="The tests, before they are implemented against.",
            voters=("Senior Engineer",),
        ),
        Phase(
            name="build-impl",
            about="The implementation, before it is called complete.",
            voters=("Senior Engineer",),
        ),
        Phase(
            name="review",
            about="All of it, before it ships.",
            voters=("Product Manager",),
            advisors=("Security", "Performance"),
        ),
    ),
)
"""Plan -> Build -> Review: three approve the plan, one the tests and the implementation, one says
whether it ships."""

PRESETS: dict[str, Preset] = {POWER_TRIO.name: POWER_TRIO}
"""Name -> preset."""


def preset_named(name: str) -> Preset:
    """Return a preset.

    Args:
        name: its name.

    Raises:
        UnknownName: when there is none of this name.

    Example:
        >>> preset_named("power-trio").reviewers[4].kind
        'verdict'
    """
    if name not in PRESETS:
        near = did_you_mean(name, PRESETS)
        raise UnknownName(Fault(f"preset {name!r}", "does not exist", ", ".join(PRESETS), near))
    return PRESETS[name]


def phases_before(preset: Preset, phase: str) -> tuple[str, ...]:
    """Return the phases of a preset that come before one of it; none for a phase of another.

    Args:
        preset: the preset.
        phase: the phase's name.

    Example:
        >>> phases_before(POWER_TRIO, "build-impl"), phases_before(POWER_TRIO, "other")
        (('plan', 'build-tests'), ())
    """
    names = [one.name for one in preset.phases]
    return tuple(names[: names.index(phase)]) if phase in names else ()


def preset_rules(
    preset: str,
    name: str,
    *,
    artefact: str,
    phases: Sequence[str] | None = None,
    artefacts: Mapping[str, str] | None = None,
    **settings: Any,  # noqa: ANN401  # the attributes of ReviewRules
) -> ReviewRules:
    """Build the rules of some phases of a preset.

    Args:
        preset: the preset's name.
        name: what is reviewed, in one line.
        artefact: what the first of these phases reviews.
        phases: which phases; all when None.
        artefacts: later phase -> what it reviews; a reviser makes what is left out.
        **settings: the other attributes of `ReviewRules`; ``needs`` are the phases of the preset
            before the first of these unless it is given.

    Returns:
        The rules, with the roles of these phases and no others.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> rules.phases[0].voters
        ('Planner', 'Architect', 'Critic')
    """
    found = preset_named(preset)
    known = {one.name: one for one in found.phases}
    wanted = list(known) if phases is None else list(phases)
    texts = {**dict(artefacts or {}), **dict.fromkeys(wanted[:1], artefact)}
    unknown = [one for one in {**dict.fromkeys(wanted), **texts} if one not in known]
    if unknown:
        raise InvalidInput(
            Fault(f"preset {preset!r}", f"has no phase {one!r}", ", ".join(known),
                  did_you_mean(one, known))
            for one in unknown
        )  # fmt: skip
    chosen = [replace(known[one], artefact=texts.get(one, "")) for one in wanted]
    used = {name for one in chosen for name in (*one.voters, *one.advisors)}
    roles = [one for one in found.reviewers if one.id in used]
    settings.setdefault("needs", phases_before(found, wanted[0]) if wanted else ())
    return review_rules(name, chosen, roles, preset=found.name, **settings)
