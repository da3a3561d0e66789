"""Rounding: how do exact shares become whole minor units that add up?

Here: largest remainders, equal remainders by lot; a sum split by weights.
Not here: the exact shares (filling.py).
Sources: SEMANTICS D1, G4, G5; Hamilton's method.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from math import comb
from typing import NamedTuple

from comity.core.errors import raise_if
from comity.core.exact import Exact, like, to_fraction
from comity.core.parties import PartyId
from comity.core.ties import Tie
from comity.mechanisms.sharing.checks import Reading
from comity.mechanisms.sharing.filling import exact_sum

__all__ = [
    "LABEL",
    "Rounded",
    "drawn",
    "largest_remainder",
    "place_drawn",
    "places_drawn",
    "split",
    "to_units",
]

LABEL = "spare unit"
_LISTED = 20  # lots that are listed one by one
_MOVED = 10_000  # places above which a list is not closed up after each lot


class Rounded(NamedTuple):
    """Whole units.

    Attributes:
        units: what each gets, in the order given.
        ties: the lots drawn among equal remainders, the first twenty.
        ways: how many ways of handing out the spare units are as good.
    """

    units: tuple[int, ...]
    ties: tuple[Tie, ...]
    ways: int


def place_drawn(seed: str, label: str, count: int) -> int:
    """Return the place that a seeded lot takes of so many.

    Args:
        seed: the recorded seed.
        label: where the tie arose.
        count: how many places there are.

    Returns:
        ⌊u·count⌋ with u = SHA-256(seed ‖ label) / 2^256, as :func:`comity.core.ties.lot` takes.

    Example:
        >>> place_drawn("7", "winner", 3)
        0
    """
    raw = sha256((seed + label).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(raw, "big") * count >> 256


def places_drawn(seed: str, label: str, count: int, wanted: int) -> list[int]:
    """Draw several of so many places, one lot after the other.

    Args:
        seed: the recorded seed.
        label: what is drawn; the lots are labelled ``label 1``, ``label 2``, ...
        count: how many places there are.
        wanted: how many are drawn.

    Returns:
        The places drawn. Above ten thousand, the last place takes the one of a place that is
        drawn, so that no list has to be closed up.

    Example:
        >>> places_drawn("7", "spare unit", 3, 2)
        [1, 0]
    """
    left, found = list(range(count)), []
    for at in range(1, wanted + 1):
        one = place_drawn(seed, f"{label} {at}", len(left))
        if count > _MOVED:
            left[one], left[-1] = left[-1], left[one]
            found.append(left.pop())
        else:
            found.append(left.pop(one))
    return found


def drawn(names: Sequence[str], count: int, label: str, seed: str) -> tuple[list[str], list[Tie]]:
    """Draw several of the tied, one lot after the other.

    Args:
        names: the tied, in any order.
        count: how many are drawn.
        label: what is drawn; the lots are labelled ``label 1``, ``label 2``, ...
        seed: the recorded seed.

    Returns:
        Those drawn, in the order of the lots, and the record of the first twenty lots.

    Example:
        >>> found, ties = drawn(["c", "a", "b"], 2, "spare unit", "7")
        >>> found, ties[0].tied
        (['b', 'a'], ('a', 'b', 'c'))
    """
    left = sorted(names)
    found = [left[at] for at in places_drawn(seed, label, len(left), count)]
    ties: list[Tie] = []
    for at, chosen in enumerate(found[:_LISTED], 1):
        if len(left) > 1:
            tied = tuple(left)
            ties.append(
                Tie(label=f"{label} {at}", tied=tied, rule="lot", chosen=chosen, seed=seed)
            )
        left.remove(chosen)
    return found, ties


def to_units(
    shares: Mapping[PartyId, Fraction], quantum: Fraction, seed: str, label: str = LABEL
) -> Rounded:
    """Round shares to whole units that add up to as many whole units as the shares do.

    Args:
        shares: name -> exact share.
        quantum: what one unit is worth.
        seed: for lots among equal remainders.
        label: what the lots are called.

    Returns:
        The units in the order of the names given.

    Example:
        >>> to_units({"a": Fraction(5, 3), "b": Fraction(4, 3)}, Fraction(1), "0").units
        (2, 1)
    """
    scaled = {name: share / quantum for name, share in shares.items()}
    floors = {name: share.numerator // share.denominator for name, share in scaled.items()}
    whole = exact_sum(scaled.values())
    spare = whole.numerator // whole.denominator - sum(floors.values())
    if not spare:
        return Rounded(tuple(floors.values()), (), 1)
    rests = {name: scaled[name] - floors[name] for name in scaled}
    edge = sorted(rests.values(), reverse=True)[spare - 1]
    over = [name for name, rest in rests.items() if rest > edge]
    tied = [name for name, rest in rests.items() if rest == edge]
    wanted = spare - len(over)
    taken: Sequence[str] = tied
    ties: Sequence[Tie] = ()
    if wanted < len(tied):
        taken, ties = drawn(tied, wanted, label, seed)
    for name in (*over, *taken):
        floors[name] += 1
    return Rounded(tuple(floors.values()), tuple(ties), comb(len(tied), wanted))


def largest_remainder(total: int, weights: Mapping[PartyId, Fraction], seed: str) -> Rounded:
    """Split whole units in proportion to weights.

    Args:
        total: how many units.
        weights: name -> weight, at least one of them above 0.
        seed: for lots among equal remainders.

    Returns:
        Units that add up to the total.

    Example:
        >>> largest_remainder(10, {"a": Fraction(2, 3), "b": Fraction(1, 3)}, "0").units
        (7, 3)
    """
    whole = sum(weights.values(), Fraction())
    shares = {name: total * weight / whole for name, weight in weights.items()}
    return to_units(shares, Fraction(1), seed)


def split(
    total: object, weights: Mapping[PartyId, object], *, quantum: object = 1, seed: str = "0"
) -> dict[PartyId, Exact]:
    """Split an amount by weights into parts that add up to it.

    Args:
        total: the amount, a whole number of quanta.
        weights: name -> weight; at least one above 0.
        quantum: the smallest amount.
        seed: for lots among equal remainders.

    Returns:
        Name -> part, sorted by name, in the type of the total or of the quantum.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> from decimal import Decimal
        >>> {
        ...     name: str(part)
        ...     for name, part in split(
        ...         "12000.00", {"b": "1/6", "a": "2/3", "c": "1/6"}, quantum="0.01"
        ...     ).items()
        ... }
        {'a': '8000.00', 'b': '2000.00', 'c': '2000.00'}
    """
    reading = Reading()
    step = reading.above(quantum, "split", "quantum")
    amount = reading.exact(total, "split", "total")
    names = sorted(map(str, weights))
    read = reading.per_agent(weights, names, "weights")
    if amount is not None and (amount < 0 or to_fraction(amount) % step):
        reading.low("split", "total", amount, "0 or more whole quanta")
    if not any(read.values()):
        reading.fault("weights", "add up to 0", "at least one above 0", "state the weights")
    raise_if(reading.faults)
    assert amount is not None  # or it would be a fault
    whole = to_fraction(amount) / step
    units = largest_remainder(int(whole), read, seed).units
    return {name: like(count * step, amount) for name, count in zip(read, units, strict=True)}
