"""Valuations: preferences that are not a sum over the issues.

Here: a value per deal (a table), a value by a function, and the union of all kinds.
Not here: additive preferences (preferences.py), which most people should use: only they can be
solved without looking at every deal.
Sources: SEMANTICS M1 (tables, any callable), G5 (NaN and infinities are refused by name).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from comity.core.errors import Fault, raise_if
from comity.mechanisms.bargaining.domain import Deal, Domain
from comity.mechanisms.bargaining.preferences import Additive, read_limits, read_value

__all__ = ["Computed", "Preferences", "Tabled", "computed", "tabled"]


@dataclass(frozen=True, slots=True)
class Tabled:
    """A value for every deal.

    Attributes:
        domain: what can be agreed on.
        values: deal (option names in the order of the terms) -> exact value.
        reservation: the least value the party accepts; None accepts any deal.
        unit: the unit of the values.
        discount: as in :class:`Additive`.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> tabled(d, [(["1.2"], 1), (["1.3"], 2)]).of({"tls": "1.3"})
        Fraction(2, 1)
    """

    domain: Domain
    values: Mapping[tuple[str, ...], Fraction]
    reservation: Fraction | None = None
    unit: str = "utility"
    discount: Fraction = Fraction(1)

    def of(self, deal: Deal) -> Fraction:
        """Return the exact value of a deal that settles every term."""
        return self.values[tuple(deal[name] for name in self.domain.names)]

    def accepts(self, deal: Deal) -> bool:
        """Tell whether a deal reaches the reservation value."""
        return self.reservation is None or self.of(deal) >= self.reservation


@dataclass(frozen=True, slots=True)
class Computed:
    """A value by a function of the deal.

    Attributes:
        domain: what can be agreed on.
        function: deal -> a finite number; floats are read by their shortest text.
        reservation: the least value the party accepts; None accepts any deal.
        unit: the unit of the values.
        discount: as in :class:`Additive`.
        whose: the party, for the messages.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> computed(domain_of({"a": [1, 2]}), lambda deal: int(deal["a"]) ** 2).of({"a": "2"})
        Fraction(4, 1)
    """

    domain: Domain
    function: Callable[[Deal], object]
    reservation: Fraction | None = None
    unit: str = "utility"
    discount: Fraction = Fraction(1)
    whose: str = "preferences"

    def of(self, deal: Deal) -> Fraction:
        """Return the exact value of a deal that settles every term.

        Raises:
            InvalidInput: when the function returns no finite number.
        """
        faults: list[Fault] = []
        named = ", ".join(f"{name} = {deal[name]}" for name in self.domain.names)
        value = read_value(self.function(deal), self.whose, f"value of {named}", faults)
        raise_if(faults)
        return value

    def accepts(self, deal: Deal) -> bool:
        """Tell whether a deal reaches the reservation value."""
        return self.reservation is None or self.of(deal) >= self.reservation


Preferences = Additive | Tabled | Computed


def tabled(
    domain: Domain,
    values: Mapping[tuple[object, ...], object] | Iterable[tuple[Iterable[object], object]],
    *,
    reservation: object = None,
    unit: str = "utility",
    discount: object = 1,
    whose: str = "preferences",
) -> Tabled:
    """Build preferences from a value per deal and refuse every fault at once.

    Args:
        domain: what can be agreed on.
        values: every deal with its value, as a mapping or as pairs; a deal is its options in the
            order of the terms.
        reservation: the least value accepted, or None.
        unit: the unit of the values.
        discount: over 0 and at most 1.
        whose: the party, for the messages.

    Returns:
        The preferences, exact.

    Raises:
        InvalidInput: for deals that are missing, unknown or listed twice, and for numbers that
            are not finite.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> tabled(domain_of({"a": ["x", "y"]}), [(["x"], 0.5), (["y"], 1)]).values[("x",)]
        Fraction(1, 2)
    """
    faults: list[Fault] = []
    found: dict[tuple[str, ...], Fraction] = {}
    names = domain.names
    known = [set(term.names) for term in domain.terms]
    pairs = values.items() if isinstance(values, Mapping) else values
    for options, value in pairs:
        key = tuple(str(one) for one in options)
        if len(key) != len(names):
            allowed = f"one option for each of {', '.join(names)}"
            faults.append(Fault(whose, f"values the deal {key!r}", allowed, "correct it"))
            continue
        if any(one not in options for one, options in zip(key, known, strict=True)):
            faults.extend(domain.faults(dict(zip(names, key, strict=True)), whose))
        if key in found:
            faults.append(Fault(whose, f"values {key!r} twice", "each deal once", "remove one"))
        found[key] = read_value(value, whose, f"value of {', '.join(key)}", faults)
    limit, shrinks = read_limits(reservation, discount, whose, faults)
    if not faults and len(found) < domain.size:
        missing = domain.size - len(found)
        what = f"leaves {missing} deal{'s' if missing > 1 else ''} without a value"
        faults.append(Fault(whose, what, f"all {domain.size} deals", "add them"))
    raise_if(faults)
    return Tabled(domain, found, limit, unit, shrinks)


def computed(
    domain: Domain,
    function: Callable[[Deal], object],
    *,
    reservation: object = None,
    unit: str = "utility",
    discount: object = 1,
    whose: str = "preferences",
) -> Computed:
    """Build preferences from a function of the deal.

    Args:
        domain: what can be agreed on.
        function: deal (term -> option) -> a finite number.
        reservation: the least value accepted, or None.
        unit: the unit of the values.
        discount: over 0 and at most 1.
        whose: the party, for the messages.

    Returns:
        The preferences; what the function returns is checked at each deal.

    Raises:
        InvalidInput: when reservation or discount is no number, or the function cannot be called.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> computed(domain_of({"a": [1, 2]}), lambda deal: 0.1, reservation=0).accepts({"a": "1"})
        True
    """
    faults: list[Fault] = []
    if not callable(function):
        faults.append(
            Fault(whose, "gives no function", "a function of the deal", "or use additive values")
        )
    limit, shrinks = read_limits(reservation, discount, whose, faults)
    raise_if(faults)
    return Computed(domain, function, limit, unit, shrinks, whose)
