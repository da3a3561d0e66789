"""Preferences: what one party thinks of a deal, in exact numbers.

Here: additive values over the options of a domain, a reservation value, best and worst deals.
Not here: comparing parties with each other (needs one unit, core/units.py), tables and callables
over whole deals (valuations.py).
Sources: SEMANTICS M1; Keeney and Raiffa 1976, chapter 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if
from comity.core.exact import Exact, read_exact, show_number, to_fraction
from comity.mechanisms.bargaining.domain import Deal, Domain

__all__ = ["FAULTS_AT_MOST", "Additive", "additive", "read_limits", "read_value"]


FAULTS_AT_MOST = 100
"""Unknown options told of at once; each costs a look at all options that exist."""


@dataclass(frozen=True, slots=True)
class Additive:
    """A value per option, added over the terms.

    Attributes:
        domain: what can be agreed on.
        values: per term, in the domain's order, option -> value.
        reservation: the least total value the party accepts; None accepts any deal.
        unit: the unit of the values.
        discount: what a value is multiplied by over the whole time, 1 for none (Genius): at time
            t, from 0 to 1, values and the reservation count ``discount ** t`` as much.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]})
        >>> p = additive(d, {"tls": {"1.3": 5}, "days": {"30": 2, "60": 1}}, reservation=6)
        >>> p.of({"tls": "1.3", "days": "60"}), p.accepts({"tls": "1.2", "days": "30"})
        (Fraction(6, 1), False)
    """

    domain: Domain
    values: tuple[tuple[tuple[str, Fraction], ...], ...]
    reservation: Fraction | None = None
    unit: str = "utility"
    discount: Fraction = Fraction(1)
    _whole: list[tuple[list[list[int]], int]] = field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def whole(self) -> tuple[list[list[int]], int]:
        """Return the values in whole numbers.

        Returns:
            Per term, per option, the value times the scale; and the scale, the least that makes
            every value whole.

        Example:
            >>> from comity.mechanisms.bargaining.domain import domain_of
            >>> additive(domain_of({"a": ["x", "y"]}), {"a": {"x": "1/3", "y": 2}}).whole()
            ([[1, 6]], 3)
        """
        if not self._whole:  # kept: the same preferences are asked for it again and again
            denominators = {value.denominator for row in self.values for _, value in row}
            scale = lcm(*denominators)
            rows = [
                [value.numerator * (scale // value.denominator) for _, value in row]
                for row in self.values
            ]
            self._whole.append((rows, scale))
        return self._whole[0]

    def table(self) -> dict[str, dict[str, Fraction]]:
        """Return the values as term -> option -> value."""
        return {
            term.name: dict(values)
            for term, values in zip(self.domain.terms, self.values, strict=True)
        }

    def of(self, deal: Deal) -> Fraction:
        """Return the exact value of a deal that settles every term."""
        return sum((values[deal[name]] for name, values in self.table().items()), Fraction(0))

    def accepts(self, deal: Deal) -> bool:
        """Tell whether a deal reaches the reservation value."""
        return self.reservation is None or self.of(deal) >= self.reservation

    @property
    def best(self) -> Fraction:
        """The greatest value any deal can have."""
        return sum((max(value for _, value in values) for values in self.values), Fraction(0))

    @property
    def worst(self) -> Fraction:
        """The least value any deal can have."""
        return sum((min(value for _, value in values) for values in self.values), Fraction(0))

    def to_json(self) -> dict[str, object]:
        """Return values and reservation as :func:`additive` takes them."""
        return {
            "values": {name: dict(values) for name, values in self.table().items()},
            "reservation": self.reservation,
            "unit": self.unit,
            **({} if self.discount == 1 else {"discount": self.discount}),
        }


def additive(
    domain: Domain,
    values: Mapping[str, Mapping[str, object]],
    *,
    reservation: Exact | float | str | None = None,
    unit: str = "utility",
    discount: Exact | float | str = 1,
    whose: str = "preferences",
) -> Additive:
    """Build additive preferences and refuse every fault at once.

    Args:
        domain: what can be agreed on.
        values: term -> option -> value; terms and options left out are worth 0.
        reservation: the least total value accepted, or None.
        unit: the unit of the values.
        discount: over 0 and at most 1; what a value is multiplied by over the whole time.
        whose: the party, for the messages.

    Returns:
        The preferences, exact: floats are read by their shortest text.

    Raises:
        InvalidInput: for unknown terms and options, and numbers that are not finite.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> additive(domain_of({"a": ["x", "y"]}), {"a": {"x": 0.1}}).best
        Fraction(1, 10)
    """
    faults: list[Fault] = []
    read: dict[str, dict[str, Fraction]] = {name: {} for name in domain.names}
    for name, options in values.items():
        if name not in read:
            faults.append(
                Fault(
                    whose,
                    f"values the term {name!r}, which does not exist",
                    f"terms: {', '.join(domain.names)}",
                    did_you_mean(name, domain.names),
                )
            )
            continue
        if not isinstance(options, Mapping):
            faults.append(
                Fault(whose, f"values {name} by {options!r}", "option = value", "list them")
            )
            continue
        known = set(domain.term(name).names)
        for key, value in options.items():
            if str(key) not in known and len(faults) < FAULTS_AT_MOST:
                faults.extend(domain.faults({name: str(key)}, whose, partial=True))
            if str(key) in read[name]:
                faults.append(
                    Fault(whose, f"values {name} = {key} twice", "each option once", "remove one")
                )
            read[name][str(key)] = read_value(value, whose, f"value of {name} = {key}", faults)
    limit, shrinks = read_limits(reservation, discount, whose, faults)
    raise_if(faults)
    rows = tuple(
        tuple((option, read[term.name].get(option, Fraction(0))) for option in term.names)
        for term in domain.terms
    )
    return Additive(domain, rows, limit, unit, shrinks)


def read_limits(
    reservation: object, discount: object, whose: str, faults: list[Fault]
) -> tuple[Fraction | None, Fraction]:
    """Return a reservation and a discount as exact numbers, adding what is wrong to the faults.

    Args:
        reservation: a number or None.
        discount: a number.
        whose: the party, for the messages.
        faults: where faults go.

    Example:
        >>> read_limits("0.5", 1, "ann", [])
        (Fraction(1, 2), Fraction(1, 1))
    """
    limit = None
    if reservation is not None:
        limit = read_value(reservation, whose, "reservation", faults)
    known = len(faults)
    shrinks = read_value(discount, whose, "discount", faults)
    if len(faults) == known and not 0 < shrinks <= 1:
        faults.append(
            Fault(
                whose,
                f"discount is {show_number(shrinks)}",
                "over 0 and at most 1; 1 is none",
                "give what is left of a value after the whole time",
            )
        )
    return limit, shrinks


def read_value(value: object, whose: str, field: str, faults: list[Fault]) -> Fraction:
    """Return a number as a fraction; 0 after adding to the faults when it is none.

    Args:
        value: an int, Decimal, Fraction, finite float (by its shortest text) or text.
        whose: the party, for the messages.
        field: what it is, for the messages.
        faults: where faults go.

    Example:
        >>> read_value(0.1, "ann", "value", [])
        Fraction(1, 10)
    """
    try:
        return to_fraction(read_exact(value, whose, field))
    except InvalidInput as error:
        faults.extend(error.faults)
        return Fraction(0)
