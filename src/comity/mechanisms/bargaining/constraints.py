"""Constraints: which deals are out of the question, whatever they are worth.

Here: combinations of options that exclude each other, limits on declared sums, and reading both.
Not here: red lines of the consent protocol (protocols/consent), what a deal is worth.
Sources: SEMANTICS M1 (cross-issue constraints), C4 for the form of a limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import eq, ge, gt, le, lt
from typing import Any

from comity.core.errors import Fault, did_you_mean, raise_if
from comity.core.exact import show_number
from comity.mechanisms.bargaining.domain import Deal, Domain, Quantity
from comity.mechanisms.bargaining.preferences import read_value

__all__ = ["Constraint", "Excluded", "Limit", "constraints_of", "is_allowed"]

_OPERATORS = {"<=": le, ">=": ge, "==": eq, "<": lt, ">": gt}


@dataclass(frozen=True, slots=True)
class Excluded:
    """Options that may not all stand in one deal.

    Attributes:
        parts: term -> the options concerned; a deal that has one of them at every term is out.

    Example:
        >>> str(Excluded((("tls", ("1.2",)), ("days", ("60", "90")))))
        'not (tls in {1.2} and days in {60, 90})'
    """

    parts: tuple[tuple[str, tuple[str, ...]], ...]

    def allows(self, deal: Deal) -> bool:
        """Tell whether a full deal is allowed."""
        return any(deal[term] not in options for term, options in self.parts)

    def __str__(self) -> str:
        """Return it as a person reads it."""
        words = [f"{term} in {{{', '.join(options)}}}" for term, options in self.parts]
        return f"not ({' and '.join(words)})"


@dataclass(frozen=True, slots=True)
class Limit:
    """A bound on a declared sum.

    Attributes:
        quantity: the sum.
        op: ``<=``, ``<``, ``>=``, ``>`` or ``==``.
        bound: the exact number it is compared with.

    Example:
        >>> str(Limit(Quantity("cost", Fraction(2), (), "2"), "<=", Fraction(20)))
        'cost <= 20'
    """

    quantity: Quantity
    op: str
    bound: Fraction

    def allows(self, deal: Deal) -> bool:
        """Tell whether a full deal is allowed."""
        return bool(_OPERATORS[self.op](self.quantity.of(deal), self.bound))

    def __str__(self) -> str:
        """Return it as a person reads it."""
        return f"{self.quantity.name} {self.op} {show_number(self.bound)}"


Constraint = Excluded | Limit


def is_allowed(deal: Deal, constraints: Sequence[Constraint]) -> bool:
    """Tell whether a full deal keeps every constraint.

    Args:
        deal: term -> option.
        constraints: all that must hold.

    Example:
        >>> is_allowed({"tls": "1.2"}, [Excluded((("tls", ("1.2",)),))])
        False
    """
    return all(one.allows(deal) for one in constraints)


def constraints_of(
    domain: Domain,
    exclude: Sequence[Mapping[str, object]] = (),
    require: Sequence[str] = (),
    *,
    whose: str = "constraints",
) -> tuple[Constraint, ...]:
    """Build constraints from plain values and refuse every fault at once.

    Args:
        domain: terms and declared sums.
        exclude: combinations that are out: term -> an option or a list of options.
        require: limits such as ``"cost <= 20"``.
        whose: who states them, for the messages.

    Returns:
        The constraints.

    Raises:
        InvalidInput: for unknown terms, options and sums, and limits that cannot be read.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]}, {"cost": "2 * days"})
        >>> [str(one) for one in constraints_of(d, [{"tls": "1.2", "days": [60]}], ["cost < 120"])]
        ['not (tls in {1.2} and days in {60})', 'cost < 120']
    """
    faults: list[Fault] = []
    found: list[Constraint] = [_excluded(domain, one, whose, faults) for one in exclude]
    for text in require:
        limit = _limit(domain, text, whose, faults)
        if limit is not None:
            found.append(limit)
    raise_if(faults)
    return tuple(found)


def _excluded(
    domain: Domain, table: Mapping[str, object], whose: str, faults: list[Fault]
) -> Excluded:
    parts = []
    for term, listed in table.items():
        ones: list[Any] = list(listed) if isinstance(listed, (list, tuple)) else [listed]
        options = tuple(dict.fromkeys(str(one) for one in ones))
        for option in options:
            faults.extend(domain.faults({term: option}, whose, partial=True))
        parts.append((term, options))
    if not parts or not all(options for _, options in parts):
        faults.append(
            Fault(whose, "excludes nothing", "term = option, or a list of options", "name them")
        )
    return Excluded(tuple(parts))


def _limit(domain: Domain, text: object, whose: str, faults: list[Fault]) -> Limit | None:
    words = str(text)
    op = next((one for one in _OPERATORS if one in words), None)
    name, _, number = words.partition(op) if op else (words, "", "")
    quantity = domain.quantity(name.strip())
    names = [one.name for one in domain.quantities]
    if op is None:
        faults.append(
            Fault(whose, f"requires {words!r}", "a sum, a comparison and a number", "cost <= 20")
        )
    elif quantity is None:
        what = f"limits {name.strip()!r}, which is no declared sum"
        allowed = f"sums: {', '.join(names) or 'none'}"
        faults.append(Fault(whose, what, allowed, did_you_mean(name.strip(), names)))
    else:
        return Limit(quantity, op, read_value(number.strip(), whose, f"limit of {name}", faults))
    return None
