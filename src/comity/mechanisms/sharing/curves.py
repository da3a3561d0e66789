"""Curves: what does an agent gain from each amount of money?

Here: concave gain curves of straight pieces, exact, and of three smooth kinds, to forty digits.
Not here: reading them from plain values (reading.py), sharing money by them (filling.py).
Sources: SEMANTICS D1, D3; the smooth kinds are the usual ones (power, log, exponential
saturation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Literal

from comity.core.canonical import JsonObject, plain

__all__ = ["Curve", "Segments", "Smooth", "SmoothKind", "as_decimal", "envelope"]

SmoothKind = Literal["power", "log", "saturating"]

_CONTEXT = Context(prec=40, Emax=10**6, Emin=-(10**6), traps=[])
_INFINITE = Decimal("Infinity")
_SATURATED = 50  # e ** -50 of the scale is left: no gain that anybody could see


def as_decimal(value: Fraction) -> Decimal:
    """Return a fraction with forty digits, whatever decimal context the caller has set.

    Example:
        >>> as_decimal(Fraction(1, 4))
        Decimal('0.25')
    """
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


@dataclass(frozen=True, slots=True)
class Segments:
    """A gain curve of straight pieces.

    Attributes:
        parts: width and slope of each piece, slopes falling.

    Example:
        >>> curve = Segments(((Fraction(4000), Fraction(2)), (Fraction(4000), Fraction(1))))
        >>> (
        ...     curve.gain(Fraction(5000)),
        ...     curve.last_gain(Fraction(4000)),
        ...     curve.next_gain(Fraction(4000)),
        ... )
        (Fraction(9000, 1), Fraction(2, 1), Fraction(1, 1))
    """

    parts: tuple[tuple[Fraction, Fraction], ...]

    @property
    def end(self) -> Fraction:
        """The amount from which more money brings nothing."""
        return sum((width for width, slope in self.parts if slope), Fraction())

    def gain(self, amount: Fraction) -> Fraction:
        """Return what an amount brings."""
        found, left = Fraction(), amount
        for width, slope in self.parts:
            if left <= width:
                return found + left * slope
            found += width * slope
            left -= width
        return found

    def last_gain(self, amount: Fraction) -> Fraction | None:
        """Return what the last bit of an amount brought, for each unit of money."""
        left = amount
        for width, slope in self.parts:
            if left <= width:
                return slope
            left -= width
        return Fraction()

    def next_gain(self, amount: Fraction) -> Fraction | None:
        """Return what a bit more would bring, for each unit of money."""
        left = amount
        for width, slope in self.parts:
            if left < width:
                return slope
            left -= width
        return Fraction()

    def scaled(self, factor: Fraction) -> Segments:
        """Return the curve with every gain times a factor."""
        return Segments(tuple((width, slope * factor) for width, slope in self.parts))

    def to_json(self) -> JsonObject:
        """Return the pieces as width and slope."""
        return {"segments": plain(self.parts)}


@dataclass(frozen=True, slots=True)
class Smooth:
    """A gain curve without corners, computed to forty digits.

    Attributes:
        kind: ``power`` (scale x money ** at), ``log`` (scale x ln(1 + money / at)) or
            ``saturating`` (scale x (1 - e ** (-money / at)); after fifty times ``at`` nothing).
        at: the exponent, or the amount of money that sets the pace.
        scale: what the curve is multiplied by.

    Example:
        >>> Smooth("power", Decimal("0.5"), Decimal(3)).gain(Fraction(400))
        Fraction(60, 1)
    """

    kind: SmoothKind
    at: Decimal
    scale: Decimal

    @property
    def end(self) -> Fraction | None:
        """The amount from which more money brings nothing; None when there is none."""
        return _SATURATED * Fraction(self.at) if self.kind == "saturating" else None

    def gain(self, amount: Fraction) -> Fraction:
        """Return what an amount brings."""
        one, money = Decimal(1), as_decimal(amount)
        if not money:
            return Fraction()
        if self.kind == "power":
            found = _CONTEXT.power(money, self.at)
        elif self.kind == "log":
            found = _CONTEXT.ln(_CONTEXT.add(one, _CONTEXT.divide(money, self.at)))
        else:
            found = _CONTEXT.subtract(one, self._left(money))
        return Fraction(_CONTEXT.multiply(self.scale, found))

    def next_gain(self, amount: Fraction) -> Fraction | None:
        """Return what a bit more would bring; None where that is without bound."""
        if self.end is not None and amount > self.end:
            return Fraction()
        money = as_decimal(amount)
        if self.kind == "power":
            if not money:
                return None
            pace = _CONTEXT.multiply(self.scale, self.at)
            found = _CONTEXT.multiply(pace, _CONTEXT.power(money, self.at - 1))
        elif self.kind == "log":
            found = _CONTEXT.divide(self.scale, _CONTEXT.add(self.at, money))
        else:
            pace = _CONTEXT.divide(self.scale, self.at)
            found = _CONTEXT.multiply(pace, self._left(money))
        return Fraction(found)

    last_gain = next_gain

    def where_slope(self, slope: Decimal) -> Decimal:
        """Return the amount at which a bit more brings ``slope``; 0 when it never brings that."""
        if self.kind == "power":
            ratio = _CONTEXT.divide(_CONTEXT.multiply(self.scale, self.at), slope)
            return _CONTEXT.power(ratio, _CONTEXT.divide(Decimal(1), 1 - self.at))
        if self.kind == "log":
            return _CONTEXT.subtract(_CONTEXT.divide(self.scale, slope), self.at)
        ratio = _CONTEXT.divide(self.scale, _CONTEXT.multiply(self.at, slope))
        return _CONTEXT.multiply(self.at, _CONTEXT.ln(ratio))

    def where_ratio(self, ratio: Decimal) -> Decimal:
        """Return the amount at which gain divided by slope is ``ratio``."""
        if self.kind == "power":
            return _CONTEXT.multiply(self.at, ratio)
        pace = _CONTEXT.divide(ratio, self.at)
        if self.kind == "saturating":
            return _CONTEXT.multiply(self.at, _CONTEXT.ln(_CONTEXT.add(Decimal(1), pace)))
        found = _CONTEXT.add(Decimal(1), pace)  # above the root of y ln y = pace, which is convex
        while True:
            logged = _CONTEXT.ln(found)
            over = _CONTEXT.subtract(_CONTEXT.multiply(found, logged), pace)
            lower = _CONTEXT.subtract(found, _CONTEXT.divide(over, _CONTEXT.add(logged, 1)))
            if lower >= found:
                return _CONTEXT.multiply(self.at, _CONTEXT.subtract(found, 1))
            found = lower

    def where_gain(self, gain: Decimal) -> Decimal:
        """Return the amount that brings a gain; infinity when none does."""
        share = _CONTEXT.divide(gain, self.scale)
        if self.kind == "power":
            return _CONTEXT.power(share, _CONTEXT.divide(Decimal(1), self.at))
        if self.kind == "log":
            return _CONTEXT.multiply(self.at, _CONTEXT.subtract(_CONTEXT.exp(share), 1))
        if share >= 1:
            return _INFINITE
        return _CONTEXT.multiply(-self.at, _CONTEXT.ln(_CONTEXT.subtract(Decimal(1), share)))

    def scaled(self, factor: Fraction) -> Smooth:
        """Return the curve with every gain times a factor."""
        return Smooth(self.kind, self.at, _CONTEXT.multiply(self.scale, as_decimal(factor)))

    def to_json(self) -> JsonObject:
        """Return the kind with its number, and the scale."""
        return {self.kind: plain(self.at), "scale": plain(self.scale)}

    def _left(self, money: Decimal) -> Decimal:
        return _CONTEXT.exp(_CONTEXT.divide(-money, self.at))


Curve = Segments | Smooth


def envelope(parts: Sequence[tuple[Fraction, Fraction]]) -> tuple[tuple[Fraction, Fraction], ...]:
    """Return the least concave curve that lies nowhere below straight pieces.

    Args:
        parts: width and slope of each piece.

    Returns:
        Pieces whose slopes fall.

    Example:
        >>> envelope([(Fraction(2), Fraction(0)), (Fraction(2), Fraction(3))])
        ((Fraction(4, 1), Fraction(3, 2)),)
    """
    hull: list[tuple[Fraction, Fraction]] = []
    for width, slope in parts:
        wide, steep = width, slope
        while hull and hull[-1][1] <= steep:
            before, its = hull.pop()
            steep = (before * its + wide * steep) / (before + wide)
            wide += before
        hull.append((wide, steep))
    return tuple(hull)
