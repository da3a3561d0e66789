"""Problem as JSON: how is a bargaining problem recorded, and read back the same?

Here: the exact plain form of a whole problem (issues, parties, red lines, constraints, rates).
Not here: files that people write (formats/offers_file.py), results (issue_results.py).
Sources: SEMANTICS M1, G1 (exact numbers are integers or text), K2 (a record is read again).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.units import Rates
from comity.mechanisms.bargaining.constraints import (
    Constraint,
    Excluded,
    Limit,
    constraints_of,
)
from comity.mechanisms.bargaining.domain import Domain, domain_from_json
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.valuations import Computed, Preferences, Tabled, tabled

__all__ = ["problem_from_json", "problem_to_json"]

_DAMAGED = Fault(
    "problem", "is not as it was recorded", "what problem_to_json wrote", "run verify"
)


def problem_to_json(problem: Problem) -> JsonObject:
    """Return a problem as plain JSON, exact.

    Args:
        problem: the problem; preferences by a function cannot be recorded.

    Returns:
        Issues, parties by name, constraints and rates.

    Raises:
        InvalidInput: naming every party whose preferences are a function.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> p = problem_of(d, {"a": additive(d, {}), "b": additive(d, {"tls": {"1.3": "1/3"}})})
        >>> problem_to_json(p)["parties"]["b"]["values"]
        {'tls': {'1.2': 0, '1.3': '1/3'}}
    """
    raise_if(
        Fault(
            one.name,
            "values deals by a function, which cannot be recorded",
            "additive values, or a value per deal",
            "list its values as a table",
        )
        for one in problem.parties
        if isinstance(one.preferences, Computed)
    )
    whole: dict[str, object] = {
        "domain": problem.domain.to_json(),
        "parties": {one.name: _party(one) for one in problem.parties},
        "constraints": [_constraint(one) for one in problem.constraints],
        "rates": None,
    }
    if problem.rates is not None:
        whole["rates"] = {"unit": problem.rates.unit, "worth": problem.rates.worth}
    found = plain(whole)
    assert isinstance(found, Mapping)
    return found


def problem_from_json(data: Mapping[str, Any]) -> Problem:
    """Read a problem that :func:`problem_to_json` wrote.

    Args:
        data: the recorded problem.

    Returns:
        An equal problem.

    Raises:
        InvalidInput: when the record is damaged.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> p = problem_of(d, {"a": additive(d, {}), "b": additive(d, {"tls": {"1.3": 1}})})
        >>> problem_from_json(problem_to_json(p)) == p
        True
    """
    try:
        return _problem(data)
    except InvalidInput:
        raise
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InvalidInput(_DAMAGED) from None


def _party(party: Bargainer) -> dict[str, object]:
    preferences = party.preferences
    own: dict[str, object]
    if isinstance(preferences, Additive):
        own = {"form": "additive", "values": preferences.table()}
    else:
        assert isinstance(preferences, Tabled)
        deals = product(*(term.names for term in preferences.domain.terms))
        own = {"form": "table", "values": [[deal, preferences.values[deal]] for deal in deals]}
    own |= {"reservation": preferences.reservation, "unit": preferences.unit}
    if preferences.discount != 1:
        own["discount"] = preferences.discount
    if party.red_lines:
        own["red_lines"] = [_constraint(one) for one in party.red_lines]
    return own


def _constraint(one: Constraint) -> dict[str, object]:
    if isinstance(one, Excluded):
        return {"exclude": one.parts}
    return {"require": [one.quantity.name, one.op, one.bound]}


def _problem(data: Mapping[str, Any]) -> Problem:
    domain = domain_from_json(data["domain"])
    parties = [_bargainer(name, own, domain) for name, own in data["parties"].items()]
    rates = data["rates"]
    if rates is not None:
        worth = tuple((unit, Fraction(number)) for unit, number in rates["worth"])
        rates = Rates(rates["unit"], worth)
    constraints = _constraints(data["constraints"], domain, "constraints")
    return problem_of(domain, parties, constraints=constraints, rates=rates)


def _bargainer(name: str, own: Mapping[str, Any], domain: Domain) -> Bargainer:
    limits: dict[str, Any] = {
        "reservation": own["reservation"],
        "unit": own["unit"],
        "discount": own.get("discount", 1),
        "whose": name,
    }
    preferences: Preferences
    if own["form"] == "additive":
        preferences = additive(domain, own["values"], **limits)
    elif own["form"] == "table":
        preferences = tabled(domain, own["values"], **limits)
    else:
        raise InvalidInput(_DAMAGED)
    return Bargainer(name, preferences, _constraints(own.get("red_lines", ()), domain, name))


def _constraints(listed: Iterable[Any], domain: Domain, whose: str) -> tuple[Constraint, ...]:
    found: list[Constraint] = []
    for one in listed:
        if "exclude" in one:
            parts = tuple((term, tuple(options)) for term, options in one["exclude"])
            built = constraints_of(domain, [dict(parts)], whose=whose)
            is_whole = built == (Excluded(parts),)
        else:
            name, op, number = one["require"]
            built = constraints_of(domain, (), [f"{name} {op} {number}"], whose=whose)
            limit = built[0]
            is_whole = isinstance(limit, Limit) and (limit.quantity.name, limit.op) == (name, op)
        if not is_whole:
            raise InvalidInput(_DAMAGED)
        found.extend(built)
    return tuple(found)
