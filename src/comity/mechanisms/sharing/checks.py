"""Checks: is this value what it should be, and if not, what is wrong with all of them?

Here: reading numbers, words and tables of numbers one by one with every fault kept.
Not here: gain curves (claims.py), the rules as a whole (reading.py).
Sources: SEMANTICS G5, G7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from comity.core.errors import Fault, InvalidInput, did_you_mean, shown
from comity.core.exact import Exact, read_exact, show_number, to_fraction
from comity.core.parties import name_fault

__all__ = ["Reading", "whole_or_ratio"]

_DIGITS = 1_000
_BEYOND: int = 10**_DIGITS


def whole_or_ratio(value: Fraction) -> Exact:
    """Return a whole number as an int, every other as it is.

    Example:
        >>> whole_or_ratio(Fraction(4, 2)), whole_or_ratio(Fraction(1, 2))
        (2, Fraction(1, 2))
    """
    return value.numerator if value.denominator == 1 else value


class Reading:
    """Reads values one by one and keeps every fault.

    Attributes:
        concavify: whether a curve that is not concave is made so.
        faults: what was wrong.
        notes: what was changed on request.

    Example:
        >>> reading = Reading()
        >>> reading.exact("x", "a", "budget"), len(reading.faults)
        (None, 1)
    """

    __slots__ = ("concavify", "faults", "notes")

    def __init__(self, *, concavify: bool = False) -> None:
        """Start without a fault."""
        self.concavify = concavify
        self.faults: list[Fault] = []
        self.notes: list[str] = []

    def fault(self, whose: str, what: str, allowed: str, then: str) -> None:
        """Note a fault."""
        self.faults.append(Fault(whose, what, allowed, then))

    def low(self, whose: str, field: str, value: Exact, allowed: str = "0 or more") -> None:
        """Note that a number is too small."""
        self.fault(whose, f"{field} is {show_number(value)}", allowed, f"correct {field}")

    def exact(self, value: object, whose: str, field: str) -> Exact | None:
        """Return an exact number, or None with its fault noted."""
        try:
            found = read_exact(value, whose, field)
        except InvalidInput as error:
            self.faults.extend(error.faults)
            return None
        ratio = to_fraction(found)
        if max(abs(ratio.numerator), ratio.denominator) >= _BEYOND:
            allowed = f"at most {_DIGITS} digits, so that products can be written"
            self.fault(whose, f"{field} has too many digits", allowed, "change its unit")
            return None
        return found

    def above(self, value: object, whose: str, field: str) -> Fraction:
        """Return a number above 0; 1 in its place when it is not."""
        found = self.exact(value, whose, field)
        if found is not None and found <= 0:
            self.low(whose, field, found, "a number above 0")
        return Fraction(1) if found is None or found <= 0 else to_fraction(found)

    def at_least_0(self, value: object, whose: str, field: str) -> Fraction:
        """Return a number that is 0 or more; 0 in its place when it is not."""
        found = self.exact(value, whose, field)
        if found is not None and found < 0:
            self.low(whose, field, found)
        return Fraction() if found is None or found < 0 else to_fraction(found)

    def choice(self, value: object, whose: str, field: str, known: Sequence[str]) -> None:
        """Check a word."""
        if value not in known:
            near = did_you_mean(str(value), known)
            self.fault(whose, f"{field} {shown(value)} is unknown", " or ".join(known), near)

    def switch(self, value: object, whose: str, field: str) -> None:
        """Check a truth value."""
        if not isinstance(value, bool):
            what = f"{field} is {shown(value)}"
            self.fault(whose, what, "True or False", f"correct {field}")

    def known(self, given: Iterable[object], names: object, what: str) -> None:
        """Check that names are agents that claim something."""
        listed = names if isinstance(names, (Mapping, list, tuple)) else ()
        claimed = {one for one in listed if isinstance(one, str)}
        for name in sorted(map(str, given)):
            if name not in claimed:
                near = did_you_mean(name, claimed)
                self.fault(what, f"name {shown(name)}, who claims nothing", "agents", near)

    def agents(self, given: object, what: str, allowed: str) -> tuple[str, ...]:
        """Return the sorted names of a table by agent that can be used, and note the others."""
        if not isinstance(given, Mapping) or not given:
            found = f"are {shown(given)}"
            self.fault(what, found, allowed, "name at least one agent")
            return ()
        faults = {name: name_fault(name, "agent") for name in given}
        self.faults.extend(sorted((one for one in faults.values() if one), key=str))
        return tuple(sorted(name for name, fault in faults.items() if not fault))

    def per_agent(
        self,
        given: object,
        names: Sequence[str],
        field: str,
        **kind: object,
    ) -> dict[str, Fraction]:
        """Return agent -> number; one number stands for all agents.

        Args:
            given: the number or the mapping; None for none.
            names: the agents.
            field: what it is, for messages.
            **kind: ``quantum`` for amounts that must be a whole number of it, ``is_above`` for
                numbers above 0, ``is_signed`` for numbers of either sign.

        Returns:
            The numbers that are right.
        """
        if given is None:
            return {}
        if isinstance(given, Mapping):
            self.known(given, names, field)
            found = {name: given[name] for name in names if name in given}
        elif field in {"minimum", "maximum"}:
            found = dict.fromkeys(names[:1], given)  # looked at once, so that it has one fault
        else:
            self.fault(field, f"are {shown(given)}", "agent -> number", "name each agent")
            return {}
        is_for_all = not isinstance(given, Mapping)
        read = {}
        for name, value in found.items():
            number = self._number(value, "rules" if is_for_all else name, field, kind)
            if number is not None:
                read.update(dict.fromkeys(names if is_for_all else [name], number))
        return read

    def _number(
        self, value: object, whose: str, field: str, kind: Mapping[str, object]
    ) -> Fraction | None:
        number = self.exact(value, whose, field)
        if number is None:
            return None
        if kind.get("is_above") and number <= 0:
            self.low(whose, field, number, "a number above 0")
        elif not kind.get("is_signed") and number < 0:
            self.low(whose, field, number)
        quantum = kind.get("quantum")
        if isinstance(quantum, Fraction) and to_fraction(number) % quantum:
            what = f"{field} is {show_number(number)}, no whole number of {show_number(quantum)}"
            self.fault(whose, what, "whole minor units", f"round {field}")
        return to_fraction(number)
