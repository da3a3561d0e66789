"""Opening a review: is everything said that it needs, and can every phase take place?

Here: building the rules from plain values with every fault at once, reading recorded ones.
Not here: the rules as values (rules.py), ready roles (presets.py), files (formats/review_file.py).
Sources: SEMANTICS W3-W5, G7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, get_args

from comity.core.canonical import JsonObject
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.parties import name_fault
from comity.protocols.collect.rules import Gate
from comity.protocols.review.book import Carried
from comity.protocols.review.grammar import Role
from comity.protocols.review.rules import (
    DEFAULT,
    MITIGATION,
    MOST_ARTEFACT,
    NEVER_WAIVED,
    Phase,
    Reviewer,
    ReviewLimits,
    ReviewRules,
)

__all__ = ["review_rules", "rules_from_json"]

T = TypeVar("T")

_SETTINGS = (
    "asked",
    "by_call",
    "carried",
    "gate",
    "limits",
    "mitigation",
    "needs",
    "never_waived",
    "preset",
    "request_digest",
    "request_id",
    "reviser",
)
_PLAIN = {
    "asked": str,
    "by_call": bool,
    "mitigation": str,
    "preset": str,
    "request_digest": str,
    "request_id": str,
    "reviser": str,
}
_LONGEST_NAME = 200


def review_rules(
    name: str,
    phases: Iterable[Phase],
    reviewers: Iterable[Reviewer],
    **settings: Any,  # noqa: ANN401  # the attributes of ReviewRules
) -> ReviewRules:
    """Build the rules and refuse every fault at once.

    Args:
        name: what is reviewed, in one line.
        phases: the phases, in order.
        reviewers: the roles.
        **settings: the other attributes of `ReviewRules`.

    Returns:
        The rules.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> plan = Phase(name="plan", voters=("Architect",), artefact="Build it.")
        >>> review_rules("PLAN.md", [plan], [Reviewer(id="Architect")]).limits.blocks
        3
    """
    faults = [
        Fault("review", f"has an unknown entry {shown(one)}", ", ".join(_SETTINGS),
              did_you_mean(one, _SETTINGS))
        for one in settings
        if one not in _SETTINGS
    ]  # fmt: skip
    rules = ReviewRules(
        name=" ".join(str(name).split()),
        reviewers=tuple(sorted(reviewers, key=lambda one: str(one.id))),
        phases=tuple(phases),
        preset=str(settings.get("preset") or ""),
        reviser=str(settings.get("reviser") or ""),
        limits=settings.get("limits") or ReviewLimits(),
        never_waived=_texts(settings.get("never_waived", NEVER_WAIVED), "never_waived", faults),
        mitigation=" ".join(str(settings.get("mitigation") or MITIGATION).split()),
        gate=settings.get("gate") or Gate(default=DEFAULT),
        by_call=bool(settings.get("by_call")),
        carried=settings.get("carried") or Carried(),
        request_id=str(settings.get("request_id") or ""),
        request_digest=str(settings.get("request_digest") or ""),
        needs=_names(settings.get("needs", ()), "needs", faults),
        asked=str(settings.get("asked") or ""),
    )
    if not rules.name or len(rules.name) > _LONGEST_NAME:
        allowed = f"1 to {_LONGEST_NAME} characters on one line"
        faults.append(Fault("review", f"is named {shown(rules.name)}", allowed, "name it"))
    faults += rules.limits.faults()
    faults += rules.carried.faults()
    faults += rules.gate.faults((DEFAULT,))
    faults += _faults_of_seats(rules)
    faults += _faults_of_phases(rules)
    raise_if(faults)
    return rules


def _names(given: object, what: str, faults: list[Fault]) -> tuple[str, ...]:
    items = list(given) if isinstance(given, (list, tuple)) else [given]
    wrong = [one for one in items if not isinstance(one, str) or not one.strip()]
    faults += [Fault(what, f"lists {shown(one)}", "names", "name it") for one in wrong]
    told = [" ".join(one.split()) for one in items if one not in wrong]  # type: ignore[union-attr]  # the others are texts
    return tuple(dict.fromkeys(told))


def _texts(given: object, what: str, faults: list[Fault]) -> tuple[str, ...]:
    return tuple(sorted(_names(given, what, faults)))


def _faults_of_seats(rules: ReviewRules) -> list[Fault]:
    names = [*rules.seats, *([rules.gate.seat] if rules.gate.on != "none" else [])]
    faults = [fault for one in rules.seats if (fault := name_fault(one, "reviewer"))]
    folded: dict[str, str] = {}
    for one in names:
        name = str(one)
        if name.casefold() in folded:
            what = f"{shown(folded[name.casefold()])} and {shown(name)} are one seat"
            faults.append(Fault("seats", what, "each name once, in any capitals", "rename one"))
        folded[name.casefold()] = name
    kinds = get_args(Role)
    faults += [
        Fault(f"reviewer {shown(one.id)}", f"has the kind {shown(one.kind)}", ", ".join(kinds),
              did_you_mean(str(one.kind), kinds))
        for one in rules.reviewers
        if one.kind not in kinds
    ]  # fmt: skip
    used = {name for one in rules.phases for name in (*one.voters, *one.advisors)}
    faults += [
        Fault(f"reviewer {shown(one.id)}", "is in no phase", "voters or advisors of a phase",
              "add it to one, or leave it out")
        for one in rules.reviewers
        if one.id not in used
    ]  # fmt: skip
    return faults


def _faults_of_phases(rules: ReviewRules) -> list[Fault]:
    faults = []
    names = [one.name for one in rules.phases]
    if not names or len(set(names)) < len(names):
        what = f"are {shown(names)}"
        faults.append(Fault("phases", what, "one or more, each once", "list what is reviewed"))
    if rules.by_call and (len(names) != 1 or rules.reviser):
        what = f"has {len(names)} phases and {'a' if rules.reviser else 'no'} reviser"
        faults.append(
            Fault(
                "review by call", what, "one phase and no reviser", "name the phase of this call"
            )
        )
    known = {one.id: one for one in rules.reviewers}
    for at, one in enumerate(rules.phases):
        whose = f"phase {shown(one.name)}"
        faults += [fault for fault in [name_fault(one.name, "phase")] if fault]
        if not one.voters:
            faults.append(Fault(whose, "has no voter", "one or more", "name who must approve"))
        faults += _faults_of_roles(whose, one, known)
        if not one.artefact.strip() and (at == 0 or not rules.reviser):
            allowed = "a text, or from the second phase on a reviser who makes it"
            faults.append(
                Fault(whose, "has nothing to review", allowed, "name its file, or seat a reviser")
            )
        if len(one.artefact) > MOST_ARTEFACT:
            what = f"reviews a text of {len(one.artefact)} characters"
            faults.append(Fault(whose, what, f"{MOST_ARTEFACT} at most", "review it in parts"))
    return faults


def _faults_of_roles(whose: str, phase: Phase, known: Mapping[str, Reviewer]) -> list[Fault]:
    named = (*phase.voters, *phase.advisors)
    faults = [
        Fault(whose, f"names {shown(one)}, which is no reviewer", ", ".join(sorted(known)),
              did_you_mean(str(one), known))
        for one in named
        if one not in known
    ]  # fmt: skip
    if len(set(named)) < len(named):
        faults.append(Fault(whose, "names somebody twice", "each once", "drop one"))
    for names, is_advisor in ((phase.voters, False), (phase.advisors, True)):
        wrong = [one for one in names if one in known
                 and (known[one].kind == "advisor") is not is_advisor]  # fmt: skip
        word = "a voter, who hands in no findings" if is_advisor else "an advisor without a vote"
        faults += [
            Fault(whose, f"has {shown(one)}, {word}, among its "
                  f"{'advisors' if is_advisor else 'voters'}", "advisors advise, others vote",
                  "move it, or change its kind")
            for one in wrong
        ]  # fmt: skip
    return faults


# --- recorded rules --------------------------------------------------------------------------


def rules_from_json(data: JsonObject) -> ReviewRules:
    """Read rules that :meth:`ReviewRules.to_json` wrote.

    Args:
        data: the recorded rules.

    Returns:
        Equal rules.

    Raises:
        InvalidInput: when the record is damaged; with every fault.

    Example:
        >>> plan = Phase(name="plan", voters=("Architect",), artefact="Build it.")
        >>> rules = review_rules("PLAN.md", [plan], [Reviewer(id="Architect")])
        >>> rules_from_json(rules.to_json()) == rules
        True
    """
    faults: list[Fault] = []
    missing = [one for one in ("name", "reviewers", "phases") if one not in data]
    if missing:
        what = f"lack {', '.join(missing)}"
        faults.append(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    reviewers = _listed(Reviewer, data.get("reviewers", ()), "reviewers", faults)
    phases = _listed(Phase, data.get("phases", ()), "phases", faults)
    settings: dict[str, Any] = {name: data[name] for name in _SETTINGS if name in data}
    parts: dict[str, type] = {"limits": ReviewLimits, "gate": Gate, "carried": Carried}
    for name, cls in parts.items():
        if name in settings:
            settings[name] = _one(cls, settings[name], name, faults)
    faults += [
        Fault(name, f"is {shown(settings[name])}", allowed.__name__, "run verify")
        for name, allowed in _PLAIN.items()
        if name in settings and not isinstance(settings[name], allowed)
    ]
    raise_if(faults)
    rules = review_rules(str(data["name"]), phases, reviewers, **settings)
    if data.get("briefs_digest", rules.briefs_digest) != rules.briefs_digest:
        what = "state other criteria than their digest says"
        raise InvalidInput(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    return rules


def _one(cls: type[T], data: object, where: str, faults: list[Fault]) -> T | None:
    try:
        return decode(cls, data, where=where)
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


def _listed(cls: type[T], data: object, where: str, faults: list[Fault]) -> list[T]:
    items: Sequence[object] = data if isinstance(data, (list, tuple)) else ()
    if not isinstance(data, (list, tuple)):
        faults.append(Fault(where, f"are {shown(data)}", "a list", "run verify"))
    found = [_one(cls, one, f"{where}[{at}]", faults) for at, one in enumerate(items)]
    return [one for one in found if one is not None]
