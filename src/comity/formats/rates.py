"""Rates: what is one unit worth in another, as files state it?

Here: the schema of ``rates`` in every kind of file that has units, and its reader.
Not here: converting (core/units.py).
Sources: SEMANTICS G6.
"""

from __future__ import annotations

from collections.abc import Mapping

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import read_exact, to_fraction
from comity.core.units import Rates
from comity.formats.schema import Schema

__all__ = ["RATES", "rates_of"]

RATES: Schema = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": 'what one unit is worth in another: ms = "0.02 GBP"',
}
"""How the parties' units convert."""


def rates_of(data: Mapping[str, str], *, whose: str) -> Rates | None:
    """Return the rates between units.

    Args:
        data: unit -> ``"number unit"``.
        whose: the file's name.

    Returns:
        The rates; None for none.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> rates_of({"ms": "0.02 GBP/day"}, whose="x").worth
        (('ms', Fraction(1, 50)),)
    """
    faults: list[Fault] = []
    units: list[str] = []
    worth = []
    for unit, text in sorted(data.items()):
        number, _, into = text.strip().partition(" ")
        if not into.strip():
            what = f"says that one {unit} is worth {shown(text)}"
            fault = Fault(f"{whose}: rates", what, "a number and a unit: 0.02 GBP", "add the unit")
            faults.append(fault)
            continue
        units.append(into.strip())
        try:
            worth.append((unit, to_fraction(read_exact(number, f"{whose}: rates", unit))))
        except InvalidInput as error:
            faults.extend(error.faults)
    if len(set(units)) > 1:
        what = f"convert to {', '.join(sorted(set(units)))}"
        faults.append(Fault(f"{whose}: rates", what, "one unit", "convert all to the same unit"))
    raise_if(faults)
    return Rates(units[0], tuple(worth)) if worth else None
