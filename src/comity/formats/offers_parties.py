"""Offers parties: what does each party of our own files think of the deals?

Here: weights, values per option, values between two ends, values per deal, limits, red lines.
Not here: the issues (offers_issues.py), the whole file (offers_file.py).
Sources: SEMANTICS M1, G5, G6, G7.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import to_fraction
from comity.formats.offers_issues import CONSTRAINTS, NUMBER, constraints_in, naming
from comity.formats.schema import Schema
from comity.mechanisms.bargaining.constraints import Constraint
from comity.mechanisms.bargaining.domain import Domain, Term
from comity.mechanisms.bargaining.preferences import additive, read_value
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.valuations import Preferences, tabled

__all__ = ["PARTIES", "party_of"]

PARTIES: Schema = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "agent": {"type": "string", "description": "command:…, script:FILE or person"},
            "strategy": {"type": "string", "description": "how it is played without an agent"},
            "weights": {"type": "object", "additionalProperties": NUMBER},
            "values": {
                "type": "object",
                "additionalProperties": {"type": "object", "additionalProperties": NUMBER},
                "description": "issue -> option -> value, or from_value and to_value",
            },
            "table": {
                "type": "array",
                "items": {"type": "array"},
                "description": "[[option, …], value] for every deal",
            },
            "reservation": {**NUMBER, "description": "the least value it accepts"},
            "reservation_binds": {"type": "boolean"},
            "discount": {**NUMBER, "description": "what a value is worth after all the time"},
            "unit": {"type": "string", "description": "what its values are measured in"},
            "red_lines": {
                "type": "object",
                "additionalProperties": False,
                "properties": CONSTRAINTS,
                "description": "what it never accepts",
            },
        },
    },
    "description": "one table per party, two or more",
}
"""The parties of a file."""

_ENDS = {"from_value", "to_value"}


def party_of(name: str, own: Mapping[str, Any], domain: Domain, *, whose: str) -> Bargainer:
    """Return one party of a file.

    Args:
        name: its name.
        own: its table, of the right shape.
        domain: the issues.
        whose: the file's name.

    Returns:
        The party.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> domain = domain_of({"days": [1, 2, 3]})
        >>> own = {
        ...     "weights": {"days": "0.5"},
        ...     "values": {"days": {"from_value": 0, "to_value": 1}},
        ... }
        >>> party_of("ann", own, domain, whose="x").preferences.of({"days": "2"})
        Fraction(1, 4)
    """
    place = f"{whose}: party {name!r}"
    faults: list[Fault] = []
    preferences: Preferences | None = None
    limits = {key: own[key] for key in ("reservation", "discount", "unit") if key in own}
    try:
        if "table" in own:
            rows = _rows(own, domain, place)
            preferences = tabled(domain, rows, whose=place, **limits)
        else:
            values = _values(own, domain, place, faults)
            preferences = additive(domain, values, whose=place, **limits)
    except InvalidInput as error:
        faults.extend(error.faults)
    red_lines: tuple[Constraint, ...] = ()
    try:
        red_lines = constraints_in(own.get("red_lines", {}), domain, whose=f"{place} red lines")
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    assert preferences is not None
    return Bargainer(name, preferences, red_lines)


def _rows(own: Mapping[str, Any], domain: Domain, place: str) -> list[tuple[list[str], object]]:
    faults = [
        Fault(place, f"states {key} beside table", "one of them", f"remove {key} or table")
        for key in ("weights", "values")
        if key in own
    ]
    rows: list[tuple[list[str], object]] = []
    named = [naming(term) for term in domain.terms]
    for row in own["table"]:
        if len(row) != 2 or not isinstance(row[0], (list, tuple)):
            what = f"has the row {shown(row)} in its table"
            faults.append(Fault(place, what, '[["option", …], value]', "correct the row"))
            continue
        options = [find(one) for find, one in zip(named, row[0], strict=False)]
        rows.append((options + [str(one) for one in row[0][len(options) :]], row[1]))
    raise_if(faults)
    return rows


def _values(
    own: Mapping[str, Any], domain: Domain, place: str, faults: list[Fault]
) -> dict[str, dict[str, Fraction]]:
    told = own.get("values", {})
    weights = {
        name: read_value(value, place, f"weight of {name}", faults)
        for name, value in own.get("weights", {}).items()
    }
    for name in weights:
        if name not in told:
            what = f"weighs {name!r}, which it gives no values"
            allowed = f"issues with values: {', '.join(told) or 'none'}"
            faults.append(Fault(place, what, allowed, did_you_mean(name, told)))
    found: dict[str, dict[str, Fraction]] = {}
    for name, options in told.items():
        if name not in domain.names:
            what = f"values the issue {name!r}, which does not exist"
            allowed = f"issues: {', '.join(domain.names)}"
            faults.append(Fault(place, what, allowed, did_you_mean(name, domain.names)))
            continue
        term = domain.term(name)
        if options.keys() == _ENDS and not _ENDS & set(term.names):
            counted = _between(term, options, place, faults)
        else:
            counted = _listed(term, options, place, faults)
        weight = weights.get(name, Fraction(1))
        found[name] = {option: weight * value for option, value in counted.items()}
    return found


def _listed(
    term: Term, options: Mapping[str, Any], place: str, faults: list[Fault]
) -> dict[str, Fraction]:
    found: dict[str, Fraction] = {}
    named = naming(term)
    for given, value in options.items():
        option = named(given)
        if option in found:
            what = f"values {term.name} = {option} twice"
            faults.append(Fault(place, what, "each option once", "remove one"))
        found[option] = read_value(value, place, f"value of {term.name} = {option}", faults)
    return found


def _between(
    term: Term, ends: Mapping[str, Any], place: str, faults: list[Fault]
) -> dict[str, Fraction]:
    numbers = [dict(option.numbers).get("") for option in term.options]
    points = [to_fraction(one) for one in numbers if one is not None]
    first, last = (
        read_value(ends[key], place, f"{key} of {term.name}", faults)
        for key in ("from_value", "to_value")
    )
    if len(points) < len(numbers) or len(set(points)) < 2:
        what = f"gives {term.name} from_value and to_value"
        allowed = "values option by option, for its options are not two numbers or more"
        faults.append(Fault(place, what, allowed, "list its options with their values"))
        return {}
    low, high = min(points), max(points)
    return {
        option.name: first + (last - first) * (point - low) / (high - low)
        for option, point in zip(term.options, points, strict=True)
    }
