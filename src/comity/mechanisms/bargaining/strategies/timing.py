"""Timing: what do another party's offers say, when they fall on a known schedule?

Here: the losses per option that explain in which round each of its deals first appeared.
Not here: models that count (frequency.py), what follows from an estimate (comity.py).
Sources: decision 0007; Kaczmarz 1937 (rows of linear equations, one after the other).

A party that concedes on a known schedule, and offers the deals that its target has just reached,
tells with every new deal between which two targets its worth lies. If its worth is a sum over the
terms, that bounds the sum of the losses of the options in which the deal differs from its first,
its best. The estimate starts where such a deal's loss is shared evenly among its options and
moves until every bound holds, or a stated number of sweeps is over; what is left is the misfit: a
party on another schedule betrays itself by it. All numbers are whole, in units of 1e-9 of what
lies between the best deal and the reservation, so that no platform computes another estimate.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from comity.mechanisms.bargaining.outcomes import Layout

__all__ = ["UNIT", "TimedLosses"]

UNIT = 10**9
_SWEEPS = 20  # each time it is asked; it goes on where it was


class TimedLosses:
    """The estimated losses of one other party.

    Args:
        layout: the canonical order of the deals.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.outcomes import layout_of
        >>> losses = TimedLosses(layout_of(domain_of({"a": ["x", "y"], "b": ["u", "v"]})))
        >>> for outcome, low, high in ((0, 0, 0), (1, 100, 200), (3, 400, 500)):
        ...     losses.saw(outcome, low, high)
        >>> losses.misfit(), losses.rows(UNIT)
        (10, ((0, 282), (0, 169)))
    """

    __slots__ = ("_best", "_bounds", "_layout", "_losses", "_offsets", "_seen", "_stale")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._best: tuple[int, ...] | None = None
        self._seen: set[int] = set()
        self._offsets = [0]
        for names in layout.options:
            self._offsets.append(self._offsets[-1] + len(names))
        self._losses: list[int | None] = [None] * self._offsets[-1]  # per option, term by term
        self._bounds: list[tuple[list[int], int, int]] = []  # options, middle, half the width
        self._stale = False

    def __len__(self) -> int:
        """Return how many deals beside the best one have told something."""
        return len(self._bounds)

    def saw(self, outcome: int, low: int, high: int) -> None:
        """Take in a deal; only its first appearance counts.

        Args:
            outcome: the place of the deal.
            low: its maker loses at least this against its best deal, by the schedule.
            high: and at most this.
        """
        if outcome in self._seen:
            return
        self._seen.add(outcome)
        places = self._layout.places(outcome)
        if self._best is None:
            self._best = places
            return
        options = [
            offset + place
            for offset, place, best in zip(self._offsets, places, self._best, strict=False)
            if place != best
        ]
        self._bounds.append((options, (low + high) // 2, (high - low) // 2))
        for option in options:
            if self._losses[option] is None:
                self._losses[option] = (low + high) // (2 * len(options))
        self._stale = True

    def _settle(self) -> None:
        """Move the losses until every bound holds by half its width, or the sweeps are over."""
        losses: Any = self._losses  # those of options in a bound are numbers
        for _ in range(_SWEEPS if self._stale else 0):
            moved = False
            for options, middle, half in self._bounds:
                off = -middle
                for one in options:
                    off += losses[one]
                if -half <= 2 * off <= half:
                    continue
                moved = True
                step = off // len(options)
                for one in options:
                    losses[one] = max(losses[one] - step, 0)
            if not moved:
                break
        self._stale = False

    def misfit(self) -> int:
        """Return the mean distance of the estimate from the middle of the bounds."""
        self._settle()
        losses: Any = self._losses
        off: list[int] = [
            abs(sum(losses[one] for one in options) - middle)
            for options, middle, _ in self._bounds
        ]
        return sum(off) // max(len(off), 1)

    def rows(self, unseen: int) -> tuple[tuple[int, ...], ...]:
        """Return per term the loss of each option.

        Args:
            unseen: the loss of options that have not appeared yet.

        Returns:
            Whole numbers; 0 for the options of its best deal, everywhere before it is known.
        """
        self._settle()
        if self._best is None:
            return tuple((0,) * len(names) for names in self._layout.options)
        filled = [unseen if loss is None else loss for loss in self._losses]
        for offset, best in zip(self._offsets, self._best, strict=False):
            filled[offset + best] = 0
        spans = pairwise(self._offsets)
        return tuple(tuple(filled[start:stop]) for start, stop in spans)
