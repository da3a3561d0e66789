"""Lots: which of several equal outcomes does an auction take, and can anybody check it?

Here: the draws of one auction, from a seed, from listed draws, or from the bids themselves.
Not here: finding the equals (each rule does that), the lot over a few names (core/ties.py).
Sources: SEMANTICS G4. The share of a draw is SHA-256(seed ‖ label) / 2^256.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256

from comity.core.canonical import Json, plain
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.core.ties import Tie, draw, lot

__all__ = ["NO_SEED", "Lots", "Seed", "read_seed", "seed_json"]

Seed = str | Sequence[Exact | float | str] | None
"""A seed; a list of draws in [0, 1), taken one by one; None: the digest of the inputs."""

NO_SEED = "a tie was drawn from the digest of the bids, because no seed was given"
"""Why such a draw is thin: whoever bids last can try out what it would be."""


def read_seed(seed: Seed, faults: list[Fault]) -> str | tuple[Exact, ...] | None:
    """Read what ties are drawn by.

    Args:
        seed: text, a list of draws, or None.
        faults: where faults are noted.

    Returns:
        The text, the draws as exact numbers, or None.

    Example:
        >>> read_seed([0.5, "1/3"], [])
        (Decimal('0.5'), Fraction(1, 3))
    """
    if seed is None or isinstance(seed, str):
        return seed
    allowed = "text, or a list of draws from 0 up to and without 1"
    if not isinstance(seed, (list, tuple)):
        faults.append(Fault("seed", f"is {shown(seed)}", allowed, "give text"))
        return None
    draws = []
    for at, one in enumerate(seed):
        try:
            value = read_exact(one, "seed", f"draw {at + 1}")
        except InvalidInput as error:
            faults.extend(error.faults)
            continue
        if not 0 <= value < 1:
            faults.append(Fault("seed", f"draw {at + 1} is {value}", allowed, "correct it"))
        draws.append(value)
    return tuple(draws)


def seed_json(seed: str | tuple[Exact, ...] | None) -> Json:
    """Return a seed as the digest of the inputs and the result hold it.

    Args:
        seed: as `read_seed` returned it.

    Example:
        >>> seed_json((0,)), seed_json("7")
        ([0], '7')
    """
    return plain(seed)


class Lots:
    """The draws of one auction, in the order drawn.

    Example:
        >>> lots = Lots("7", "00")
        >>> lots.pick("winner", ["b", "a", "c"]), len(lots.ties)
        ('a', 1)
    """

    def __init__(self, seed: str | tuple[Exact, ...] | None, digest: str) -> None:
        """Begin.

        Args:
            seed: as `read_seed` returned it.
            digest: of the inputs; the seed where none was given.
        """
        self.ties: list[Tie] = []
        self._digest = digest
        self._by_digest = seed is None
        self._draws = list(seed) if isinstance(seed, tuple) else None
        self._seed = seed if isinstance(seed, str) else digest

    @property
    def thin(self) -> tuple[str, ...]:
        """Why the draws make the result thin."""
        if not self.ties:
            return ()
        return ("a lot decided", NO_SEED) if self._by_digest else ("a lot decided",)

    def pick(self, label: str, tied: Sequence[str]) -> str:
        """Draw one of the tied, and note the tie; a single one needs no draw."""
        if len(tied) == 1:
            return tied[0]
        if self._draws is not None:
            tie = draw(self._next(label), label, tied)
        else:
            tie = lot(self._seed, label, tied)
        if self._by_digest:
            tie = replace(tie, rule="ballot_hash")
        self.ties.append(tie)
        return str(tie.chosen)

    def number(self, label: str, count: int, named: Callable[[int], str]) -> int:
        """Draw one of many that are not listed, and note which.

        Args:
            label: where the tie arose.
            count: how many there are.
            named: number -> what stands for it in the record.
        """
        if self._draws is not None:
            share = to_fraction(self._next(label))
            found = int(share * count)
        else:
            found = _hashed(self._seed, label) * count >> 256
        self.ties.append(
            Tie(
                label=f"{label}: number {found} of {count}, from 0, too many to list",
                tied=(),
                rule="ballot_hash" if self._by_digest else "lot",
                chosen=named(found),
                seed=None if self._draws is not None else self._seed,
            )
        )
        return found

    def several(self, label: str, tied: Sequence[str], count: int) -> list[str]:
        """Draw several of the tied, every choice of them equally likely, and note each draw."""
        left = sorted(tied)
        taken: list[str] = []
        for place in range(count if count < len(left) else 0):
            taken.append(self.pick(f"{label}/{place}", left))
            left.remove(taken[-1])
        return taken or left

    def order(self, label: str, tied: Sequence[str]) -> list[str]:
        """Return many tied in the order of their own hashes, for ties too large to list."""
        seed = self._seed if self._draws is None else f"{self._next(label)}"
        self.ties.append(
            Tie(
                label=f"{label}: {len(tied)} equal bids in the order of SHA-256(seed, label, bid)",
                tied=(),
                rule="ballot_hash" if self._by_digest else "lot",
                chosen=None,
                seed=seed,
            )
        )
        return sorted(tied, key=lambda name: (_hashed(seed, f"{label}/{name}"), name))

    def _next(self, label: str) -> Exact:
        assert self._draws is not None
        if not self._draws:
            raise InvalidInput(
                Fault("seed", f"has no draw left for {label}", "a draw per tie", "list more draws")
            )
        return self._draws.pop(0)


def _hashed(seed: str, label: str) -> int:
    raw = sha256((seed + label).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(raw, "big")
