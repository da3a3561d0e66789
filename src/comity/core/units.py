"""Units: may these two numbers be compared at all?

Here: named units, stated rates between them, the check before any sum across parties.
Not here: which rules need one unit and which are scale-free (each mechanism says so).
Sources: SEMANTICS G6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact, exact_fault, read_exact, to_fraction

__all__ = ["Rates", "unit_faults"]


@dataclass(frozen=True, slots=True)
class Rates:
    """How much of one unit another is worth; stated by the scenario, recorded with the result.

    Attributes:
        unit: the unit everything is converted to, for example ``"GBP/day"``.
        worth: unit name -> what one of it is worth in ``unit``.

    Raises:
        InvalidInput: when a rate is not an exact number, a unit has two rates, or ``unit`` itself
            has one.

    Example:
        >>> Rates("GBP", (("ms", Fraction(1, 50)),)).convert(100, "ms", whose="CX")
        Fraction(2, 1)
    """

    unit: str
    worth: tuple[tuple[str, Fraction], ...] = ()

    def __post_init__(self) -> None:
        names = [self.unit]
        faults = []
        for name, worth in self.worth:
            fault = exact_fault(worth, "rates", name)
            if name in names:
                again = f"{name} has a second rate" if name != self.unit else f"{name} has a rate"
                fault = Fault("rates", again, f"one rate for each unit but {self.unit}", "drop it")
            elif fault is None and worth <= 0:
                fault = Fault(
                    "rates", f"{name} is worth {worth}", "more than 0", "state what it is worth"
                )
            names.append(name)
            faults.append(fault)
        raise_if(fault for fault in faults if fault is not None)

    def convert(self, amount: Exact, unit: str, *, whose: str) -> Fraction:
        """Return ``amount`` of ``unit`` in this table's unit.

        Args:
            amount: an exact number.
            unit: the unit it is in.
            whose: the party it belongs to, for the message.

        Returns:
            The exact amount in ``self.unit``.

        Raises:
            InvalidInput: when no rate for ``unit`` is stated or the amount is not a number.
        """
        exact = to_fraction(read_exact(amount, whose, "amount"))
        if unit == self.unit:
            return exact
        for name, worth in self.worth:
            if name == unit:
                return exact * to_fraction(worth)
        known = ", ".join([self.unit, *(name for name, _ in self.worth)])
        raise InvalidInput(
            Fault(
                whose,
                f"is measured in {unit!r}, which has no rate to {self.unit!r}",
                f"units {known}",
                f"state a rate: rates.{unit} = how much of {self.unit} one {unit} is worth",
            )
        )

    def to_json(self) -> dict[str, object]:
        """Return the unit and the rates as exact text."""
        return {"unit": self.unit, "worth": dict(self.worth)}


def unit_faults(units: Mapping[str, str], *, for_what: str) -> tuple[Fault, ...]:
    """Return a fault when parties measured in different units would be added or compared.

    Args:
        units: party -> unit.
        for_what: the rule that needs one unit, for the message.

    Returns:
        No fault when at most one unit is used, else one fault that says how to normalise.

    Example:
        >>> unit_faults({"CC": "ms", "CX": "ms"}, for_what="a sum")
        ()
        >>> print(unit_faults({"CC": "ms", "CX": "GBP"}, for_what="a sum")[0].what)
        a sum across CC (ms), CX (GBP) would add different units
    """
    if len(set(units.values())) <= 1:
        return ()
    listed = ", ".join(f"{party} ({unit})" for party, unit in sorted(units.items()))
    return (
        Fault(
            "units",
            f"{for_what} across {listed} would add different units",
            "one unit for all parties, or stated rates to one",
            "state rates (for example ms = 0.02 GBP), or use a scale-free rule (Nash, rankings)",
        ),
    )
