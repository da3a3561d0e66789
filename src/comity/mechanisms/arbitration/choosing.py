"""Choosing: who wins once the scores are known?

Here: the tied set within the tolerance of the maximum, unit after unit, lots that anybody can
recompute, listed draws.
Not here: the scores (rules.py), the general record of a tie (core/ties.py).
Sources: SEMANTICS R2, G4.

One stage per unit: the set the winner was drawn from. Where the whole tied set fits into what is
left, all of it wins, nothing is drawn, and each stage holds its winner alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from itertools import accumulate
from typing import NamedTuple

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, exact_fault, read_exact, to_fraction

__all__ = [
    "FLOAT_TOLERANCE",
    "Chosen",
    "Lots",
    "Number",
    "Seed",
    "choose",
    "label_of",
    "lot_index",
    "tidy",
    "tied_with_the_best",
    "tolerance_at",
    "weighted",
]

Number = int | Fraction
Seed = str | int | Sequence[Exact]

FLOAT_TOLERANCE = Fraction(1, 10**9)
"""The tolerance, and the share of the maximum, within which floats count as equal."""


class Chosen(NamedTuple):
    """Who won, and from which sets.

    Attributes:
        winners: in the order drawn.
        stages: one set per winner, sorted; a set of one where nothing was drawn.
    """

    winners: tuple[str, ...]
    stages: tuple[tuple[str, ...], ...]


def lot_index(seed: str, label: str, count: int) -> int:
    """Return which of ``count`` sorted names the lot of :func:`comity.core.ties.lot` takes.

    Args:
        seed: the recorded seed.
        label: where the tie arose.
        count: how many are tied.

    Returns:
        ⌊u·count⌋ for u = SHA-256(seed ‖ label) / 2^256.

    Example:
        >>> lot_index("7", "winner", 3)
        0
    """
    raw = sha256(_bytes(seed + label)).digest()
    return int.from_bytes(raw, "big") * count >> 256


def label_of(resource: str, number: int, unit: int) -> str:
    """Return the label of a lot: no two lots of one state have the same.

    Args:
        resource: what is claimed.
        number: the conflict's number in its scope.
        unit: which unit is drawn, from 0.

    Example:
        >>> label_of("gpu", 3, 0)
        'gpu conflict 3 unit 1'
    """
    return f"{resource} conflict {number} unit {unit + 1}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class Lots:
    """Where lots come from: a seed, or a list of draws that is used up.

    Args:
        seed: text or a whole number; or draws in [0, 1), taken from the front, one per tie.

    Raises:
        InvalidInput: for any other seed, and for draws outside [0, 1).

    Example:
        >>> Lots("7").index("winner", 3), Lots(["1/2"]).index("winner", 3)
        (0, 1)
    """

    __slots__ = ("_start", "draws", "seed")

    def __init__(self, seed: object) -> None:
        """Read the seed."""
        self.seed: str | None = None
        self.draws: list[Fraction] = []
        self._start = sha256()
        if isinstance(seed, str) or type(seed) is int:
            self.seed = str(seed)
            self._start.update(_bytes(self.seed))
        elif isinstance(seed, Sequence):
            self.draws = [to_fraction(read_exact(one, "draw", "value")) for one in seed]
            raise_if(
                Fault("draw", f"is {one}", "at least 0 and below 1", "correct the list of draws")
                for one in self.draws
                if not 0 <= one < 1
            )
            self.draws.reverse()
        else:
            allowed = "text or a whole number, recorded before the claims are decided"
            raise InvalidInput(Fault("seed", f"is {shown(seed)}", allowed, "pass seed=..."))

    def shown(self) -> str | list[str]:
        """Return the seed, or the draws that are left, as text."""
        if self.seed is not None:
            return self.seed
        return [str(one) for one in reversed(self.draws)]

    def share(self, label: str) -> Fraction:
        """Return the draw in [0, 1) for a label."""
        if self.seed is not None:
            raw = sha256(_bytes(self.seed + label)).digest()
            return Fraction(int.from_bytes(raw, "big"), 2**256)
        if not self.draws:
            what = f"have run out at {label!r}"
            raise InvalidInput(Fault("draws", what, "one draw per tie", "list more draws"))
        return self.draws.pop()

    def index(self, label: str, count: int) -> int:
        """Return which of ``count`` sorted names is taken."""
        if self.seed is not None:  # lot_index, with the seed hashed once for all
            found = self._start.copy()
            found.update(label.encode("utf-8", "surrogatepass"))
            return int.from_bytes(found.digest(), "big") * count >> 256
        return int(self.share(label) * count)


def tied_with_the_best(
    scores: Mapping[str, Exact | float], tolerance: Exact | None = None
) -> tuple[str, ...]:
    """Return the names whose score is within the tolerance of the maximum, sorted.

    Args:
        scores: name -> score; floats are taken bit for bit.
        tolerance: how far below the maximum is still tied; None stands for 0, and for
            max(1e-9, 1e-9·|max|) when a score is a float.

    Returns:
        The tied names. Nearness does not chain: only the distance to the maximum counts.

    Raises:
        InvalidInput: for scores that are not finite numbers.

    Example:
        >>> tied_with_the_best({"a": 0.1 + 0.2, "b": 0.3, "c": 0.2})
        ('a', 'b')
        >>> tied_with_the_best({"a": Fraction(3, 10), "b": Fraction(3, 10) - Fraction(1, 10**12)})
        ('a',)
    """
    faults = [
        exact_fault(one, name, "score")
        for name, one in scores.items()
        if not (isinstance(one, float) and one - one == 0)
    ]
    raise_if(fault for fault in faults if fault is not None)
    exact: dict[str, Number] = {name: to_fraction(one) for name, one in scores.items()}
    has_float = any(isinstance(one, float) for one in scores.values())
    width = tolerance_at(max(exact.values(), default=Fraction(0)), tolerance, floats=has_float)
    return tuple(_tied(exact, width))


def tolerance_at(best: Number, tolerance: Exact | None, *, floats: bool) -> Number:
    """Return the tolerance that applies to a maximum.

    Args:
        best: the maximum.
        tolerance: what the policy says.
        floats: whether any number came as a float.

    Example:
        >>> tolerance_at(5, None, floats=False), tolerance_at(5 * 10**9, None, floats=True)
        (0, Fraction(5, 1))
    """
    if tolerance is not None:
        return to_fraction(tolerance)
    return FLOAT_TOLERANCE * max(Fraction(1), best, -best) if floats else 0


def _tied(scores: Mapping[str, Number], tolerance: Number) -> list[str]:
    if not scores:
        return []
    least = max(scores.values()) - tolerance
    return sorted([name for name, score in scores.items() if score >= least])


def choose(
    scores: Mapping[str, Number],
    units: int,
    width: Callable[[Number], Number],
    draw: Callable[[int, int], int],
) -> Chosen:
    """Hand out units to the highest scores, drawing lots among equals where not all fit.

    Args:
        scores: name -> score.
        units: how many win.
        width: the maximum -> the tolerance that applies to it.
        draw: unit, how many are tied -> which of the sorted names is taken.

    Returns:
        The winners; everybody when there are no more names than units.

    Example:
        >>> choose({"b": 5, "a": 9, "c": 5}, 2, lambda best: 0, lambda unit, count: count - 1)
        Chosen(winners=('a', 'c'), stages=(('a',), ('b', 'c')))
    """
    left = dict(scores)
    winners: list[str] = []
    stages: list[tuple[str, ...]] = []
    while left and len(winners) < units:
        tied = _tied(left, width(max(left.values())))
        if len(tied) <= units - len(winners):
            winners.extend(tied)
            stages.extend((name,) for name in tied)
            for name in tied:
                del left[name]
            continue
        taken = tied[draw(len(winners), len(tied))]
        winners.append(taken)
        stages.append(tuple(tied))
        del left[taken]
    return Chosen(tuple(winners), tuple(stages))


def weighted(
    weights: Mapping[str, Number], units: int, share: Callable[[int], Fraction]
) -> Chosen:
    """Draw winners with chances in proportion to weight, each name once.

    Args:
        weights: name -> weight, above 0.
        units: how many win.
        share: unit -> the draw in [0, 1).

    Returns:
        The winners; the names lie on [0, 1) in sorted order, each as wide as its weight.

    Example:
        >>> weighted({"b": 3, "a": 1}, 1, lambda unit: Fraction(1, 4)).winners
        ('b',)
    """
    left = dict(sorted(weights.items()))
    winners: list[str] = []
    stages: list[tuple[str, ...]] = []
    while left and len(winners) < units:
        if len(left) <= units - len(winners):
            winners.extend(left)
            stages.extend((name,) for name in left)
            break
        stages.append(tuple(left))
        point = share(len(winners)) * sum(left.values())
        edges = zip(left, accumulate(left.values()), strict=True)
        taken = next(name for name, edge in edges if point < edge)
        winners.append(taken)
        del left[taken]
    return Chosen(tuple(winners), tuple(stages))


def tidy(value: Exact) -> Exact:
    """Return a whole Fraction as an int, and every other number as it is.

    Args:
        value: an exact number.

    Example:
        >>> tidy(Fraction(4, 2)), tidy(Fraction(1, 3))
        (2, Fraction(1, 3))
    """
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
