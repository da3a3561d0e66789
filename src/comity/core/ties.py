"""Ties and lots: when several are equally good, who is chosen, and can anybody check it?

Here: the closed list of tie rules, the record of a tie, the seeded lot and listed draws.
Not here: how the tied set is computed (each mechanism does that exactly).
Sources: SEMANTICS G4; the lot is SHA-256(seed ‖ label) / 2^256 = u, member ⌊u·n⌋ of the tied
names sorted by code point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Literal

from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, read_exact, to_fraction

__all__ = ["Tie", "TieRule", "draw", "lot", "rotation", "shuffled"]

TieRule = Literal["none", "lot", "chair", "status_quo", "secondary", "ballot_hash", "human"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """One tie and how it was broken.

    Attributes:
        label: where it arose ("speaking order", "round 2 elimination").
        tied: the tied names, sorted by code point.
        rule: the tie rule that applied.
        chosen: who was taken, or None when the rule leaves the tie standing.
        seed: the seed of the lot, or None when no lot was drawn.

    Example:
        >>> Tie(label="winner", tied=("a", "b"), rule="none", chosen=None).chosen is None
        True
    """

    label: str
    tied: tuple[str, ...]
    rule: TieRule
    chosen: str | None
    seed: str | None = None

    def to_json(self) -> dict[str, object]:
        """Return all fields."""
        return {
            "label": self.label,
            "tied": list(self.tied),
            "rule": self.rule,
            "chosen": self.chosen,
            "seed": self.seed,
        }


def _share(seed: str, label: str) -> Fraction:
    raw = sha256((seed + label).encode("utf-8", "surrogatepass")).digest()
    return Fraction(int.from_bytes(raw, "big"), 2**256)


def lot(seed: str, label: str, tied: Sequence[str]) -> Tie:
    """Draw one of the tied names with a seeded lot that anybody can recompute.

    Args:
        seed: the seed recorded before the rule ran.
        label: where the tie arose; two ties under one seed need two labels.
        tied: the tied names in any order; at least one, no repeats.

    Returns:
        The tie with the chosen name.

    Raises:
        InvalidInput: when ``tied`` is empty, repeats a name or is not a list of names.

    Example:
        >>> lot("7", "winner", ["b", "a", "c"]).chosen, lot("7", "winner", ["c", "b", "a"]).chosen
        ('a', 'a')
    """
    names = _sorted(tied)
    chosen = names[int(_share(seed, label) * len(names))]
    return Tie(label=label, tied=tuple(names), rule="lot", chosen=chosen, seed=seed)


def draw(value: Exact, label: str, tied: Sequence[str]) -> Tie:
    """Take the tied name that a listed draw in [0, 1) points at.

    Args:
        value: the draw, 0 <= value < 1; member ⌊value·n⌋ of the sorted names is taken.
        label: where the tie arose.
        tied: the tied names in any order.

    Returns:
        The tie with the chosen name and no seed.

    Raises:
        InvalidInput: when the draw is outside [0, 1) or not a number, or ``tied`` is empty,
            repeats a name or is not a list of names.

    Example:
        >>> draw(Fraction(1, 2), "winner", ["b", "a"]).chosen
        'b'
    """
    names = _sorted(tied)
    share = to_fraction(read_exact(value, "draw", "value"))
    if not 0 <= share < 1:
        raise InvalidInput(
            Fault("draw", f"is {value}", "at least 0 and below 1", "correct the list of draws")
        )
    return Tie(label=label, tied=tuple(names), rule="lot", chosen=names[int(share * len(names))])


def rotation(seed: str, label: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in turn, starting with the one a lot draws.

    Args:
        seed: the recorded seed.
        label: what is rotated.
        names: the names in any order; the cycle is their sorted order.

    Returns:
        All names, each once, a rotation of the sorted names.

    Raises:
        InvalidInput: when ``names`` is empty, repeats a name or is not a list of names.

    Example:
        >>> rotation("1", "speaking order", ["CX", "CC", "GM"])
        ('GM', 'CC', 'CX')
    """
    ordered = _sorted(names)
    first = ordered.index(str(lot(seed, label, ordered).chosen))
    return tuple(ordered[first:] + ordered[:first])


def shuffled(seed: str, label: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names in a drawn order, each order equally likely.

    Args:
        seed: the recorded seed.
        label: what is ordered.
        names: the names in any order.

    Returns:
        All names, each once.

    Raises:
        InvalidInput: when ``names`` is empty, repeats a name or is not a list of names.

    Example:
        >>> shuffled("1", "speaking order", ["CX", "CC", "GM"])
        ('CC', 'CX', 'GM')
    """
    left = _sorted(names)
    order: list[str] = []
    while left:
        taken = str(lot(seed, f"{label}/{len(order)}", left).chosen)
        left.remove(taken)
        order.append(taken)
    return tuple(order)


def _sorted(names: Sequence[str]) -> list[str]:
    listed = [] if isinstance(names, str) else list(names)
    if not all(isinstance(name, str) for name in listed) or len(set(listed)) < max(len(listed), 1):
        raise InvalidInput(
            Fault(
                "lot",
                f"is drawn over {shown(names)}",
                "a list of at least one name, each once",
                "pass the tied set",
            )
        )
    return sorted(listed)
