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

from comity.mechanisms.bargaining.outcomes import Layout

__all__ = ["UNIT", "TimedLosses"]

UNIT = 10**9
_SWEEPS = 20  # each time it is asked; it goes on where it was

Option = tuple[int, int]  # the place of a term, and of its option


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

    __slots__ = ("_best", "_bounds", "_layout", "_losses", "_seen", "_stale")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._best: tuple[int, ...] | None = None
        self._seen: set[int] = set()
        self._bounds: list[tuple[tuple[Option, ...], int, int]] = []
        self._losses: dict[Option, int] = {}
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
        options = tuple(
            (term, place)
            for term, (place, best) in enumerate(zip(places, self._best, strict=True))
            if place != best
        )
        self._bounds.append((options, low, high))
        for option in options:
            self._losses.setdefault(option, (low + high) // (2 * len(options)))
        self._stale = True

    def _settle(self) -> None:
        """Move the losses until every bound holds by half its width, or the sweeps are over."""
        losses = self._losses
        for _ in range(_SWEEPS if self._stale else 0):
            moved = False
            for options, low, high in self._bounds:
                off = sum([losses[one] for one in options]) - (low + high) // 2
                if 4 * abs(off) <= high - low:
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
        losses = self._losses
        off = [
            abs(sum(losses[one] for one in options) - (low + high) // 2)
            for options, low, high in self._bounds
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
        best = self._best
        return tuple(
            tuple(
                0
                if best is None or best[term] == place
                else self._losses.get((term, place), unseen)
                for place in range(len(names))
            )
            for term, names in enumerate(self._layout.options)
        )
