"""Reading: are these claims on a budget whole, and what do they say exactly?

Here: the reading of sharing rules with every fault at once, and their JSON, from which the same
sharing runs again.
Not here: the reading of one curve (claims.py), the rules (rules.py), the sharing (divide.py).
Sources: SEMANTICS D1, D3, G5-G7, K2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

from comity.core.canonical import Json, JsonObject, plain
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, like, show_number, to_fraction
from comity.core.parties import PartyId
from comity.core.units import Rates, unit_faults
from comity.mechanisms.sharing.checks import Reading
from comity.mechanisms.sharing.claims import curve_in
from comity.mechanisms.sharing.curves import Curve
from comity.mechanisms.sharing.rules import Agent, Measure, Objective, ShareRules, Terms

__all__ = ["read_rules", "share_rules_from_json", "share_rules_to_json"]

_OBJECTIVES: tuple[str, ...] = get_args(Objective)
_MEASURES: tuple[str, ...] = get_args(Measure)


def read_rules(rules: ShareRules) -> Terms:
    """Check rules as a whole and make every number exact.

    Args:
        rules: the rules as stated.

    Returns:
        The rules with defaults filled in, agents sorted by name.

    Raises:
        InvalidInput: with every fault at once, each naming its agent.

    Example:
        >>> read_rules(ShareRules(budget=-1, claims={"a": [[-4, 2]]}))
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: rules: budget is -1. Allowed: 0 or more. Next: correct \
budget.
        a: width 0 is -4. Allowed: a number above 0. Next: correct width 0.
    """
    reading = Reading(concavify=rules.concavify is True)
    for field, known in (("objective", _OBJECTIVES), ("measure", _MEASURES)):
        reading.choice(getattr(rules, field), "rules", field, known)
    for field in ("concavify", "credits"):
        reading.switch(getattr(rules, field), "rules", field)
    if not isinstance(rules.seed, str):
        reading.fault("rules", f"seed is {shown(rules.seed)}", "text", "write the seed as text")
    budget, quantum = _read_money(rules, reading)
    names = reading.agents(rules.claims, "claims", "agent -> gain curve")
    agents = _read_agents(rules, names, (to_fraction(budget), quantum), reading)
    has_one_unit = _check_units(rules, agents, reading)
    if rules.credits is True and rules.objective != "utilitarian":
        reading.fault(
            "rules",
            f"credits are asked for under {shown(rules.objective)}",
            "objective utilitarian: only a sum of gains says what the others lose",
            "set the objective, or leave credits out",
        )
    arrivals = _read_arrivals(rules.arrivals, names, reading)
    priorities = reading.per_agent(rules.priorities, names, "priorities", is_signed=True)
    raise_if(reading.faults)
    return Terms(
        budget=budget,
        money=to_fraction(budget),
        quantum=quantum,
        agents=agents,
        objective=rules.objective,
        measure=rules.measure,
        has_one_unit=has_one_unit,
        arrivals=arrivals,
        priorities=priorities,
        credits=rules.credits,
        seed=rules.seed,
        given=share_rules_to_json(rules),
        notes=tuple(reading.notes),
    )


def _read_money(rules: ShareRules, reading: Reading) -> tuple[Exact, Fraction]:
    budget = reading.exact(rules.budget, "rules", "budget")
    quantum = Fraction(1)
    if rules.quantum is not None:
        quantum = reading.above(rules.quantum, "rules", "quantum")
    elif isinstance(budget, Decimal):
        quantum = Fraction(10) ** min(0, int(budget.as_tuple().exponent))
    if budget is None:
        return 0, quantum
    if budget < 0:
        reading.low("rules", "budget", budget)
    elif to_fraction(budget) % quantum:
        reading.fault(
            "rules",
            f"budget is {show_number(budget)}, no whole number of {show_number(quantum)}",
            "whole minor units",
            "round the budget, or state a smaller quantum",
        )
    if isinstance(budget, int) and quantum.denominator != 1:
        budget = like(Fraction(budget), like(quantum, Decimal(0)))
    return budget, quantum


def _read_agents(
    rules: ShareRules,
    names: tuple[PartyId, ...],
    money: tuple[Fraction, Fraction],
    reading: Reading,
) -> tuple[Agent, ...]:
    budget, quantum = money
    lows = reading.per_agent(rules.minimum, names, "minimum", quantum=quantum)
    highs = reading.per_agent(rules.maximum, names, "maximum", quantum=quantum)
    weights = reading.per_agent(rules.weights, names, "weights", is_above=True)
    ratios = reading.per_agent(rules.ratios, names, "ratios", is_above=True)
    asks = reading.per_agent(rules.asks, names, "asks", quantum=quantum)
    factors = _read_rates(rules, names, reading)
    agents = []
    for name in names:
        low, high = lows.get(name, Fraction()), highs.get(name)
        if high is not None and high < low:
            reading.fault(
                name,
                f"its minimum {show_number(low)} is above its maximum {show_number(high)}",
                "a minimum up to the maximum",
                "lower the one or raise the other",
            )
        curve = curve_in(reading, rules.claims[name], name)
        if curve is None:
            continue
        weight, ratio = weights.get(name, Fraction(1)), ratios.get(name, Fraction(1))
        if rules.objective == "nash":
            weight, ratio = weight * ratio, Fraction(1)
        agents.append(
            Agent(
                name=name,
                curve=_scaled(curve, factors.get(name, Fraction(1)) * ratio),
                minimum=low,
                maximum=max(budget, curve.end or budget) if high is None else high,
                weight=weight,
                asks=asks.get(name),
                said=curve.to_json(),
                whole=budget,
            )
        )
    return tuple(agents)


def _scaled(curve: Curve, factor: Fraction) -> Curve:
    return curve if factor == 1 else curve.scaled(factor)


def _read_rates(
    rules: ShareRules, names: tuple[PartyId, ...], reading: Reading
) -> dict[PartyId, Fraction]:
    """Return what one of each agent's unit is worth in the one unit, where rates are stated."""
    rates, found = rules.rates, {}
    if isinstance(rates, Mapping):
        rates = _rates_of(rates, reading)
    if rates is None:
        return {}
    units = rules.units if isinstance(rules.units, Mapping) else {}
    for name in names:
        try:
            found[name] = rates.convert(1, str(units.get(name, "")), whose=name)
        except InvalidInput as error:
            reading.faults.extend(error.faults)
    return found


def _rates_of(given: Mapping[str, Any], reading: Reading) -> Rates | None:
    unit, worth = given.get("unit"), given.get("worth", {})
    if not (set(given) <= {"unit", "worth"} and isinstance(unit, str) and _is_map(worth)):
        allowed = '{"unit": "GBP", "worth": {"ms": "0.02"}}'
        reading.fault("rates", f"are {shown(given)}", allowed, "name the unit and the worths")
        return None
    read = [(name, reading.above(one, "rates", name)) for name, one in sorted(worth.items())]
    try:
        return Rates(unit, tuple(read))
    except InvalidInput as error:
        reading.faults.extend(error.faults)
        return None


def _is_map(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(key, str) for key in value)


def _check_units(rules: ShareRules, agents: tuple[Agent, ...], reading: Reading) -> bool:
    """Tell whether gains may be added, and note a fault where the objective has to add them."""
    units = rules.units or {}
    if not _is_map(units) or not all(isinstance(unit, str) for unit in units.values()):
        reading.fault("units", f"are {shown(units)}", "agent -> the name of a unit", "name them")
        return False
    reading.known(units, rules.claims, "units")
    if rules.rates is not None:
        return True
    faults = unit_faults(
        {one.name: units.get(one.name, "no unit") for one in agents},
        for_what=f"{rules.objective} sharing",
    )
    if rules.objective == "utilitarian" or (
        rules.objective == "leximin" and rules.measure == "gain"
    ):
        reading.faults.extend(faults)
    return not faults


def _read_arrivals(
    given: object, names: tuple[PartyId, ...], reading: Reading
) -> tuple[tuple[PartyId, ...], ...] | None:
    if given is None:
        return None
    if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
        what = f"are {shown(given)}"
        reading.fault("arrivals", what, "a list of agents, first first", "list them")
        return None
    groups = [[one] if isinstance(one, str) else one for one in given]
    listed = [name for one in groups if isinstance(one, (list, tuple)) for name in one]
    is_whole = all(isinstance(one, (list, tuple)) for one in groups)
    if not is_whole or sorted(map(str, listed)) != sorted(names):
        reading.fault(
            "arrivals",
            f"are {shown(given)}",
            f"each of {', '.join(names)} once, those who came together in one list",
            "list every agent once",
        )
        return None
    return tuple(tuple(sorted(one)) for one in groups)


# --- JSON ------------------------------------------------------------------------------------


def share_rules_to_json(rules: ShareRules) -> JsonObject:
    """Return rules as plain JSON with exact numbers.

    Args:
        rules: the rules.

    Returns:
        The fields that differ from their defaults; numbers that are not whole are text.

    Raises:
        InvalidInput: for values that have no JSON.

    Example:
        >>> rules = ShareRules(budget=12000, claims={"a": [[4000, 1.5]]})
        >>> share_rules_to_json(rules)
        {'budget': 12000, 'claims': {'a': [[4000, 1.5]]}}
    """
    found: dict[str, Json] = {}
    for field in fields(rules):
        value = getattr(rules, field.name)
        if field.default is MISSING or value != field.default:
            found[field.name] = plain(value)
    return found


def share_rules_from_json(data: JsonObject) -> ShareRules:
    """Read rules that :func:`share_rules_to_json` wrote, or a file says.

    Args:
        data: the JSON object.

    Returns:
        The rules; their numbers are checked when they are used.

    Raises:
        InvalidInput: for unknown and missing fields.

    Example:
        >>> share_rules_from_json({"budget": 12000, "claims": {"a": [[4000, 2]]}}).budget
        12000
    """
    if not isinstance(data, Mapping):
        what = f"are {shown(data)}"
        raise InvalidInput(Fault("share rules", what, "an object", "give budget and claims"))
    names = [field.name for field in fields(ShareRules)]
    faults = [
        Fault("share rules", f"have no field {shown(key)}", "those listed", near)
        for key in data
        if key not in names
        for near in [did_you_mean(str(key), names)]
    ]
    for name in ("budget", "claims"):
        if name not in data:
            faults.append(Fault("share rules", f"lack {name}", "budget and claims", "add it"))
    raise_if(faults)
    return ShareRules(**data)  # type: ignore[arg-type]  # each field is checked by read_rules
