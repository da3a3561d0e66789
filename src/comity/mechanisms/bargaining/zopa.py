"""ZOPA: is there any price that both would take?

Here: the zone of possible agreement between two reservation prices, and its check in one line.
Not here: where in the zone a deal lands (price.py).
Sources: SEMANTICS B2; Raiffa 1982 (zone of possible agreement).
"""

from __future__ import annotations

from dataclasses import dataclass

from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact, like, read_exact, to_fraction
from comity.mechanisms.bargaining.schedules import Number

__all__ = ["Zopa", "zopa"]


@dataclass(frozen=True, slots=True)
class Zopa:
    """The prices between the least a seller takes and the most a buyer pays.

    Attributes:
        low: the seller's reservation price.
        high: the buyer's reservation price; below ``low`` when the zone is empty.

    Example:
        >>> Zopa(low=70, high=100).width
        30
    """

    low: Exact
    high: Exact

    @property
    def is_empty(self) -> bool:
        """Whether no price suits both; a zone of one price is not empty."""
        return self.high < self.low

    @property
    def width(self) -> Exact:
        """The length of the zone, 0 when it is empty."""
        return self._less(self.high, self.low)

    @property
    def gap(self) -> Exact:
        """How far apart the reservation prices are, 0 when the zone is not empty."""
        return self._less(self.low, self.high)

    def _less(self, above: Exact, below: Exact) -> Exact:
        distance = to_fraction(above) - to_fraction(below)
        return like(max(distance, 0 * distance), self.low, self.high)


def zopa(*, buyer: Number, seller: Number) -> Zopa:
    """Return the zone of possible agreement of a buyer and a seller.

    Args:
        buyer: the most the buyer pays.
        seller: the least the seller takes.

    Returns:
        The zone, which may be empty.

    Raises:
        InvalidInput: when one of them is not an exact, finite number.

    Example:
        >>> zone = zopa(buyer=100, seller=70)
        >>> zone.low, zone.high, zone.width, zone.is_empty
        (70, 100, 30, False)
        >>> zopa(buyer=65, seller=70).gap
        5
    """
    found: dict[str, Exact] = {}
    faults: list[Fault] = []
    for role, value in (("buyer", buyer), ("seller", seller)):
        try:
            found[role] = read_exact(value, role, "reservation")
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return Zopa(low=found["seller"], high=found["buyer"])
