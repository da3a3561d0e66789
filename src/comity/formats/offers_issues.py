"""Offers issues: what can be agreed on, and what cannot stand together, in our own files?

Here: issues as lists, numbers from one end to the other, options with numbers; options as people
write them; excluded combinations and limits.
Not here: what parties think of them (offers_parties.py), the whole file (offers_file.py).
Sources: SEMANTICS M1, G5, G7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any

from comity.core.errors import Fault, InvalidInput
from comity.core.exact import read_exact, to_fraction
from comity.core.parties import name_fault
from comity.formats.number_grid import number_name, spread, stepped
from comity.formats.schema import Schema
from comity.mechanisms.bargaining.constraints import Constraint, constraints_of
from comity.mechanisms.bargaining.domain import Domain, Term, domain_of

__all__ = ["CONSTRAINTS", "ISSUES", "NUMBER", "constraints_in", "domain_in", "naming"]

NUMBER: Schema = {"anyOf": [{"type": "number"}, {"type": "string"}]}
"""A number, or an exact one as text."""

_OPTION: Schema = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}]}
_RANGE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["from", "to"],
    "properties": {
        "from": {**NUMBER, "description": "the lowest number"},
        "to": {**NUMBER, "description": "the highest number"},
        "step": {**NUMBER, "description": "from one number to the next, 1 unless said"},
        "points": {"type": "integer", "minimum": 2, "description": "how many, evenly spaced"},
    },
}
ISSUES: Schema = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [
            {"type": "array", "items": _OPTION},
            _RANGE,
            {
                "type": "object",
                "additionalProperties": {
                    "anyOf": [
                        {"type": "object", "additionalProperties": NUMBER},
                        *NUMBER["anyOf"],
                    ]
                },
            },
        ]
    },
    "description": "what is to be settled: each issue with its options",
}
"""The issues of a file."""

_EXCLUDE: Schema = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": {
            "anyOf": [*_OPTION["anyOf"], {"type": "array", "items": _OPTION}]
        },
    },
    "description": "combinations that are out: issue = option, or a list of options",
}
CONSTRAINTS: dict[str, Schema] = {
    "exclude": _EXCLUDE,
    "require": {
        "type": "array",
        "items": {"type": "string"},
        "description": 'limits on declared sums, such as "cost <= 35"',
    },
}
"""What cannot be agreed on, by anybody or by one party."""


def domain_in(data: Mapping[str, Any], *, whose: str) -> Domain:
    """Return the issues and sums of a file.

    Args:
        data: the file's data, of the right shape.
        whose: the file's name.

    Returns:
        The domain.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> told = {"issues": {"crew": {"from": 1, "to": 3}, "ok": [True, False]}}
        >>> [term.names for term in domain_in(told, whose="x").terms]
        [('1', '2', '3'), ('yes', 'no')]
    """
    faults: list[Fault] = []
    terms: dict[str, object] = {}
    for name, told in data["issues"].items():
        if isinstance(told, Mapping) and told and told.keys() <= _RANGE["properties"].keys():
            try:
                terms[name] = _numbers(told, f"{whose}: issue {name!r}")
            except InvalidInput as error:
                faults.extend(error.faults)
        else:
            terms[name] = told
    if faults:
        raise InvalidInput(faults)
    return domain_of(terms, data.get("quantities"), free=_needs_free(terms))


def naming(term: Term) -> Callable[[object], str]:
    """Return what finds the option that somebody means.

    Args:
        term: the issue.

    Returns:
        A function of what was given: a name; yes and no as booleans; a number, equal to the
        option's own. It returns the option's name, or what was given, as text, when there is
        none.

    Example:
        >>> price = naming(domain_of({"price": ["10.00", "10.50"]}).terms[0])
        >>> price(10.5), price("eleven")
        ('10.50', 'eleven')
    """
    names = set(term.names)
    numbers: dict[Fraction, str] = {}
    for option in term.options:
        own = dict(option.numbers).get("")
        if own is not None:
            numbers.setdefault(to_fraction(own), option.name)

    def named(given: object) -> str:
        if isinstance(given, bool):
            given = "yes" if given else "no"
        name = str(given)
        if name not in names:
            with suppress(InvalidInput):
                return numbers.get(to_fraction(read_exact(given, term.name, "option")), name)
        return name

    return named


def constraints_in(
    data: Mapping[str, Any], domain: Domain, *, whose: str
) -> tuple[Constraint, ...]:
    """Return the constraints of a file, or the red lines of one party.

    Args:
        data: a table with ``exclude`` and ``require``, or neither.
        domain: the issues.
        whose: whose they are, for the messages.

    Returns:
        The constraints.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> domain = domain_of({"crew": ["1.0", "2.0"]})
        >>> str(constraints_in({"exclude": [{"crew": 1}]}, domain, whose="x")[0])
        'not (crew in {1.0})'
    """
    exclude = [
        {name: _options_named(domain, name, listed) for name, listed in combination.items()}
        for combination in data.get("exclude", ())
    ]
    return constraints_of(domain, exclude, data.get("require", ()), whose=whose)


def _options_named(domain: Domain, name: str, listed: object) -> list[str]:
    ones: Sequence[object] = listed if isinstance(listed, (list, tuple)) else [listed]
    if name not in domain.names:
        return [str(one) for one in ones]
    return [*map(naming(domain.term(name)), ones)]


def _numbers(told: Mapping[str, Any], whose: str) -> list[str]:
    missing = [key for key in _RANGE["required"] if key not in told]
    if missing:
        allowed = "from and to, with step or points"
        fault = Fault(whose, f"lacks {' and '.join(missing)}", allowed, "add the other end")
        raise InvalidInput(fault)
    low = read_exact(told["from"], whose, "from")
    high = read_exact(told["to"], whose, "to")
    if "points" in told and "step" in told:
        what = "states step and points"
        raise InvalidInput(Fault(whose, what, "one of them", "remove step or points"))
    if "points" in told:
        numbers = spread(low, high, told["points"], whose=whose)
    else:
        step = read_exact(told.get("step", 1), whose, "step")
        numbers = stepped(low, high, step, whose=whose)
    return [number_name(one) for one in numbers]


def _needs_free(terms: Mapping[str, object]) -> bool:
    """Tell whether numbers need names beyond the plain ones: below 0, or ratios."""
    for options in terms.values():
        if not isinstance(options, (list, tuple, Mapping)):
            continue
        for one in options:
            name = str(one)
            if name_fault(name, "option") is not None and name[:1] in "-0123456789":
                return True
    return False
