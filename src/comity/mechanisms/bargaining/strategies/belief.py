"""Belief: which deals seem good for all, as far as one party can tell?

Here: one party's own gains beside its estimates of the others' gains, over the deals it would
accept; the estimated Nash point, the deals that hardly lose against it, the best for the others.
Not here: where estimates come from (timing.py), when which deal is offered (comity.py, nice.py).
Sources: decision 0007; Nash 1950.

Deals are named by their place in the view's ``order``: worst for oneself first. Estimates are
whole numbers, one list or array per other party; only products of gains are floats, multiplied in
the same order everywhere. Equal deals are told apart by a seeded lot.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from comity.core.arrays import numpy_or_none
from comity.mechanisms.bargaining.outcomes import OwnView, drawn, summed

__all__ = ["Belief"]

Values = Any  # a list or an array with one number per place


class Belief:
    """What one party knows of itself and believes of the others.

    Args:
        view: its own table, with at least one deal that it would accept.
        unit: what an estimated gain of 1 is, in whole numbers.
        seed: of the lots.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.outcomes import own_view
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import Bargainer
        >>> d = domain_of({"a": ["x", "y"], "b": ["u", "v"]})
        >>> view = own_view(d, Bargainer("ann", additive(d, {"a": {"x": 3}, "b": {"u": 1}})))
        >>> belief = Belief(view, 100, "0")
        >>> belief.expects([((0, 10), (60, 0))])
        >>> view.deal(view.order[belief.nash()])
        {'a': 'x', 'b': 'v'}
    """

    __slots__ = ("_gains", "_numpy", "_seed", "_unit", "least", "others", "view", "width", "zero")

    def __init__(self, view: OwnView, unit: int, seed: str) -> None:
        self.view, self._unit, self._seed = view, unit, seed
        is_list = isinstance(view.ascending, list)
        self._numpy = None if is_list else numpy_or_none()
        self.zero = view.zero
        self.width = max(view.best - self.zero, 1)
        rising: Any = view.ascending
        self._gains: Values = (
            [float(one - self.zero) / float(self.width) for one in rising]
            if is_list
            else (rising - self.zero).astype(float) / float(self.width)
        )
        self.others: list[Values] = []
        self.least: Values = []

    def expects(self, losses: Iterable[Sequence[Sequence[int]]]) -> None:
        """Replace the estimates.

        Args:
            losses: per other party and sorted term, what each option costs it.
        """
        order: Any = self.view.order
        self.others = []
        for rows in losses:
            lost = summed(rows, self._numpy)
            if isinstance(lost, list):
                self.others.append([self._unit - lost[index] for index in order])
            else:
                self.others.append(self._unit - lost[order])
        self.least = self.others[0]
        for one in self.others[1:]:
            if self._numpy is None:
                self.least = [min(a, b) for a, b in zip(self.least, one, strict=True)]
            else:
                self.least = self._numpy.minimum(self.least, one)

    def nash(self) -> int:
        """Return the place of the deal with the greatest product of all gains.

        Among equals the best for oneself; when nothing seems to leave everybody a gain, the best
        for whoever gains least.
        """
        product = self._gains
        for one in self.others:
            if self._numpy is None:
                product = [a * float(max(b, 0)) for a, b in zip(product, one, strict=True)]
            else:
                product = product * one.clip(min=0).astype(float)
        peak = product if max(product[-1], self._most(product)) > 0 else self.least
        return self._chosen(self._peaks(peak, 0), "nash")

    def _most(self, values: Values) -> Any:  # noqa: ANN401  # a number of either kind
        return max(values) if self._numpy is None else values.max()

    def _peaks(self, values: Values, start: int) -> list[int]:
        """Return the places from ``start`` on that hold the greatest value."""
        part = values[start:]
        if self._numpy is None:
            most = max(part)
            return [start + at for at, value in enumerate(part) if value == most]
        found: list[int] = (self._numpy.flatnonzero(part == part.max()) + start).tolist()
        return found

    def _chosen(self, places: list[int], what: str) -> int:
        """Return the place best for oneself; a lot among equals."""
        rising = self.view.ascending
        most = rising[places[-1]]
        equal = [place for place in places if rising[place] == most]
        label = f"{self.view.party}: {what} of {len(equal)} at {most}"
        return equal[drawn(self._seed, label, len(equal))]

    def best_for_others(self, target: int) -> int:
        """Return the place of the deal that leaves the others most.

        Args:
            target: what it is worth to oneself at least, in steps, at most the best.
        """
        start = bisect_left(self.view.ascending, target)
        return self._chosen(self._peaks(self.least, start), "offer")

    def new_for_others(self, target: int, offered: bytearray) -> int | None:
        """Return the place of the deal that leaves the others most, not offered before.

        Args:
            target: what it is worth to oneself at least, in steps.
            offered: per place, 1 when it has been offered.

        Returns:
            The place; None when everything from the target on has been offered.
        """
        start = bisect_left(self.view.ascending, target)
        if self._numpy is None:
            left = [place for place in range(start, len(offered)) if not offered[place]]
            if not left:
                return None
            most = max(self.least[place] for place in left)
            return self._chosen([at for at in left if self.least[at] == most], "offer")
        numpy = self._numpy
        free = numpy.frombuffer(offered, dtype=numpy.uint8)[start:] == 0
        if not free.any():
            return None
        part = self.least[start:]
        most = part[free].max()
        return self._chosen((numpy.flatnonzero(free & (part == most)) + start).tolist(), "offer")

    def place(self, outcome: int) -> int:
        """Return the place of a deal that one would accept oneself."""
        worth = int(self.view.utilities[outcome])
        start = bisect_left(self.view.ascending, worth)
        stop = bisect_right(self.view.ascending, worth, lo=start)
        return bisect_left(self.view.order, outcome, lo=start, hi=stop)

    def hardly_worse(self, place: int, by: int, count: int) -> list[int]:
        """Return the deals as good as one for oneself and hardly worse for each of the others.

        Args:
            place: the deal to compare with.
            by: how much worse at most.
            count: how many at most; those least worse are kept.

        Returns:
            Places, the best for oneself first, equal ones by what they leave the others.
        """
        rising = self.view.ascending
        start = bisect_left(rising, int(rising[place]))
        behind: list[int] | None = None
        for one in self.others:
            lacks = [int(one[place]) - value for value in _listed(one[start:])]
            behind = lacks if behind is None else list(map(max, behind, lacks))
        kept = [(lack, start + at) for at, lack in enumerate(behind or ()) if lack <= by]
        keyed = sorted((lack, -int(rising[at]), self._lot_key(at), at) for lack, at in kept)[
            :count
        ]
        return [
            at
            for _, _, _, at in sorted(
                keyed, key=lambda one: (one[1], -int(self.least[one[3]]), one[2])
            )
        ]

    def _lot_key(self, place: int) -> bytes:
        text = self.view.layout.text(int(self.view.order[place]))
        return sha256(f"{self._seed}{self.view.party}\n{text}".encode()).digest()


def _listed(values: Values) -> list[int]:
    return values if isinstance(values, list) else values.tolist()
