"""Opening offers: is everything said that live bargaining needs, and does it fit together?

Here: building the rules from plain values with every fault at once, reading recorded ones.
Not here: the rules as values (rules.py), files (formats/offers_file.py).
Sources: SEMANTICS M2, B5, B7, G7, G9.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, get_args

from comity.core.canonical import JsonObject
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.problem import Problem
from comity.mechanisms.bargaining.problem_json import problem_from_json
from comity.protocols.collect.rules import Gate
from comity.protocols.offers.rules import (
    Crossing,
    Fallback,
    OfferLimits,
    OffersRules,
    Protocol,
)

__all__ = ["NO_DEAL", "offers_rules", "rules_from_json"]

NO_DEAL = "no deal"
"""What a person says to a thin agreement that shall not stand."""

_LIMITS = {"rounds": 1, "deadline_ms": 1, "turn_timeout_ms": 1, "reasks": 0, "stall": 1}
_OPEN = {"turn_timeout_ms", "stall"}
_SETTINGS = (
    "protocol",
    *_LIMITS,
    "first",
    "monotonic",
    "reservation_binds",
    "fallback",
    "crossing",
    "point",
    "disclose_at_end",
    "thin_gap",
    "gate",
    "work",
    "strategies",
)
_BESIDE = ("question", "problem", "seed", "order")


def offers_rules(
    question: str,
    problem: Problem,
    *,
    seed: str,
    **settings: Any,  # noqa: ANN401  # the recorded entries of the rules
) -> OffersRules:
    """Build the rules and refuse every fault at once.

    Args:
        question: what the deal is about.
        problem: the issues and what each deal is worth to each seat.
        seed: the seed of every lot.
        **settings: protocol, rounds, deadline_ms, turn_timeout_ms, reasks, stall, first,
            monotonic, reservation_binds (seat -> whether), fallback, crossing, point,
            disclose_at_end (None: only what a mediator names), thin_gap, gate, work, strategies.

    Returns:
        The rules.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> from comity.testing.bargains import sample_problem
        >>> p = sample_problem()
        >>> offers_rules("Which TLS?", p, seed="1", rounds=5).limits.rounds
        5
    """
    faults = [
        Fault("offers", f"have an unknown entry {shown(name)}", ", ".join(_SETTINGS),
              did_you_mean(name, _SETTINGS))
        for name in settings
        if name not in _SETTINGS
    ]  # fmt: skip
    if not str(question).strip():
        faults.append(Fault("offers", "are about nothing", "a question", "say what is at stake"))
    protocol = _one_of("protocol", settings.get("protocol", "alternating"), Protocol, faults)
    fallback = _one_of("fallback", settings.get("fallback", "none"), Fallback, faults)
    crossing = _one_of("crossing", settings.get("crossing", "nash"), Crossing, faults)
    first = settings.get("first")
    if first is not None and first not in problem.names:
        near = did_you_mean(str(first), problem.names)
        what = f"begin with {shown(first)}, who has no seat"
        faults.append(Fault("offers", what, ", ".join(problem.names), near))
    disclose = _yes("disclose_at_end", settings.get("disclose_at_end"), faults)
    gate = settings.get("gate")
    gate = Gate(on="none") if gate is None else gate
    faults.extend(gate.faults(("accept", NO_DEAL)))
    rules: dict[str, Any] = {
        "question": str(question).strip(),
        "problem": problem,
        "seed": seed,
        "protocol": protocol,
        "first": first or "",
        "limits": _limits(settings, faults),
        "monotonic": bool(_yes("monotonic", settings.get("monotonic"), faults)),
        "unbound": _unbound(settings.get("reservation_binds"), problem.names, faults),
        "fallback": fallback,
        "crossing": crossing,
        "point": str(settings.get("point") or "nash"),
        "disclose": protocol == "mediated" if disclose is None else disclose,
        "thin_gap": _share(settings.get("thin_gap"), faults),
        "gate": gate,
        "work": str(settings.get("work") or ""),
        "strategies": settings.get("strategies") or {},
    }
    raise_if(faults)
    return OffersRules(**rules)


def _one_of(name: str, given: Any, kinds: Any, faults: list[Fault]) -> Any:  # noqa: ANN401  # read here
    known: Sequence[str] = get_args(kinds)
    if given not in known:
        near = did_you_mean(str(given), known)
        faults.append(Fault("offers", f"have the {name} {shown(given)}", ", ".join(known), near))
    return given


def _yes(name: str, given: Any, faults: list[Fault]) -> bool | None:  # noqa: ANN401  # read here
    if given is not None and not isinstance(given, bool):
        what = f"have {name} = {shown(given)}"
        faults.append(Fault("offers", what, "true or false", f"correct {name}"))
    return None if given is None else given is True


def _limits(settings: Mapping[str, Any], faults: list[Fault]) -> OfferLimits:
    found: dict[str, Any] = {}
    for name, lowest in _LIMITS.items():
        if name not in settings or (settings[name] is None and name not in _OPEN):
            continue
        value = settings[name]
        is_whole = isinstance(value, int) and not isinstance(value, bool) and value >= lowest
        if not is_whole and not (value is None and name in _OPEN):
            allowed = f"a whole number of {lowest} or more"
            what = f"{name} is {shown(value)}"
            faults.append(Fault("limits", what, allowed, f"correct {name}"))
            continue
        found[name] = value
    return OfferLimits(**found)


def _unbound(given: object, names: Sequence[PartyId], faults: list[Fault]) -> tuple[PartyId, ...]:
    table: Mapping[str, object] = given if isinstance(given, Mapping) else {}
    if given is not None and not isinstance(given, Mapping):
        what = f"have reservation_binds = {shown(given)}"
        faults.append(Fault("offers", what, "seat = true or false", "name the seats"))
    faults.extend(
        Fault("reservation_binds", f"names {shown(name)}, who has no seat", ", ".join(names),
              did_you_mean(str(name), names))
        for name in table
        if name not in names
    )  # fmt: skip
    faults.extend(
        Fault("reservation_binds", f"is {shown(binds)} for {name}", "true or false", "correct it")
        for name, binds in table.items()
        if not isinstance(binds, bool)
    )
    return tuple(sorted(name for name, binds in table.items() if binds is False))


def _share(given: object, faults: list[Fault]) -> Exact:
    if given is None:
        return Fraction(1, 10)
    try:
        found = read_exact(given, "offers", "thin_gap")
    except InvalidInput as error:
        faults.extend(error.faults)
        return Fraction(0)
    if not 0 <= found <= 1:
        faults.append(Fault("offers", f"have the thin_gap {found}", "0 to 1", "correct it"))
    return found


def rules_from_json(data: JsonObject) -> OffersRules:
    """Read rules that :meth:`OffersRules.to_json` wrote, or a file's reader.

    Args:
        data: the recorded rules.

    Returns:
        Equal rules.

    Raises:
        InvalidInput: when the record is damaged, with every fault.

    Example:
        >>> from comity.testing.bargains import sample_problem
        >>> p = sample_problem()
        >>> rules = offers_rules("Which TLS?", p, seed="1", first="bob")
        >>> rules_from_json(rules.to_json()) == rules
        True
    """
    missing = [name for name in ("question", "problem", "seed") if name not in data]
    recorded = data.get("problem")
    if missing or not isinstance(recorded, Mapping):
        what = f"lack {', '.join(missing)}" if missing else "have no problem to read"
        raise InvalidInput(Fault("recorded rules", what, "what to_json wrote", "run verify"))
    settings: dict[str, Any] = {name: data[name] for name in data if name not in _BESIDE}
    if settings.get("gate") is not None:
        settings["gate"] = decode(Gate, settings["gate"], where="gate")
    return offers_rules(
        str(data["question"]), problem_from_json(recorded), seed=str(data["seed"]), **settings
    )
