"""Prices: a path of exact prices, made into numbers only where somebody reads them.

Here: an immutable sequence of prices kept as whole steps over one denominator.
Not here: how the path came about (concession.py).
Sources: SEMANTICS G5 (money in, the same type out); B6 (both full offer paths).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import overload

from comity.core.canonical import Json, plain
from comity.core.exact import Exact, like

__all__ = ["Prices", "price_of", "show_price"]

_PLACES = 6  # decimals up to here are shown as they are
_ROUNDED = 4  # otherwise so many are shown


def price_of(steps: int | Fraction, unit: int, model: Exact) -> Exact:
    """Return a number of steps as a price in the type of the model.

    Args:
        steps: how many steps.
        unit: how many steps make 1.
        model: a Decimal when prices are decimals, else an int or Fraction.

    Returns:
        The exact price.

    Example:
        >>> price_of(400, 5, 0), price_of(1, 2, Decimal(0))
        (80, Decimal('0.5'))
    """
    price = Fraction(steps, unit)
    if isinstance(model, Decimal):
        return like(price, model)
    return price.numerator if price.denominator == 1 else price


def show_price(value: Exact) -> str:
    """Return a price as a sentence or a table shows it; the exact one stands in the result.

    Args:
        value: the exact price.

    Returns:
        The price with up to six decimals, or "about" and the price rounded to four.

    Example:
        >>> show_price(80), show_price(Fraction(171, 2)), show_price(Fraction(2, 3))
        ('80', '85.5', 'about 0.6667')
    """
    if isinstance(value, int):
        return str(value)
    above, below = value.as_integer_ratio()
    if 10**_PLACES % below:
        doubled = 2 * above * 10**_ROUNDED // below
        return f"about {_point((doubled + 1) // 2, _ROUNDED)}"
    if isinstance(value, Decimal):
        return f"{value:f}"
    return _point(above * (10**_PLACES // below), _PLACES)


def _point(scaled: int, places: int) -> str:
    whole, rest = divmod(abs(scaled), 10**places)
    decimals = f".{rest:0{places}d}".rstrip("0").rstrip(".")
    return f"{'-' if scaled < 0 else ''}{whole}{decimals}"


class Prices(Sequence[Exact]):
    """Prices kept as steps over one unit; equal to the tuple of the same prices.

    Args:
        steps: the prices in steps.
        unit: how many steps make 1.
        model: decides the type that a price is read in, see :func:`price_of`.

    Example:
        >>> path = Prices((240, 221), 2, 0)
        >>> path[0], path[1], path == (120, Fraction(221, 2))
        (120, Fraction(221, 2), True)
    """

    __slots__ = ("_model", "_steps", "_unit")

    def __init__(self, steps: Iterable[int | Fraction], unit: int, model: Exact) -> None:
        self._steps = tuple(steps)
        self._unit = unit
        self._model = model

    def __len__(self) -> int:
        return len(self._steps)

    @overload
    def __getitem__(self, at: int) -> Exact: ...

    @overload
    def __getitem__(self, at: slice) -> Prices: ...

    def __getitem__(self, at: int | slice) -> Exact | Prices:
        """Return one price, or the prices of a slice."""
        if isinstance(at, slice):
            return Prices(self._steps[at], self._unit, self._model)
        return price_of(self._steps[at], self._unit, self._model)

    def __iter__(self) -> Iterator[Exact]:
        return (price_of(steps, self._unit, self._model) for steps in self._steps)

    def __eq__(self, other: object) -> bool:
        """Compare with any prices, or with a tuple or list of numbers."""
        if isinstance(other, (Prices, tuple, list)):
            return len(self) == len(other) and all(
                mine == theirs for mine, theirs in zip(self, other, strict=True)
            )
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def to_json(self) -> Json:
        """Return the list of exact prices."""
        return plain(tuple(self))
