"""Frequency: what does another party want, going by how often it asks for it?

Here: losses per option from counts of what was offered.
Not here: losses from the rounds in which deals appear (timing.py).
Sources: SEMANTICS M3; Hindriks and Tykhonov 2008; van Krimpen, Looije and Hajizadeh 2013 (counting
options, and weighing a term by how seldom it changes).

Whole numbers only: no platform computes another estimate.
"""

from __future__ import annotations

from comity.mechanisms.bargaining.outcomes import Layout

__all__ = ["FrequencyModel"]


class FrequencyModel:
    """How often one other party has offered each option, and how seldom it changed a term.

    Args:
        layout: the canonical order of the deals.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.outcomes import layout_of
        >>> model = FrequencyModel(layout_of(domain_of({"a": ["x", "y"], "b": ["u", "v"]})))
        >>> for outcome in (0, 0, 1):
        ...     model.saw(outcome)
        >>> model.rows(100)
        ((0, 60), (0, 20))
    """

    __slots__ = ("_counts", "_kept", "_last", "_layout")

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._counts = [[0] * len(names) for names in layout.options]
        self._kept = [1] * len(layout.options)
        self._last: tuple[int, ...] | None = None

    def saw(self, outcome: int) -> None:
        """Take in one more offer.

        Args:
            outcome: the place of the deal.
        """
        places = self._layout.places(outcome)
        for term, place in enumerate(places):
            self._counts[term][place] += 1
            if self._last is not None and self._last[term] == place:
                self._kept[term] += 1
        self._last = places

    def rows(self, unit: int) -> tuple[tuple[int, ...], ...]:
        """Return per term what each option costs the party.

        Args:
            unit: what it costs to lose everything.

        Returns:
            Whole numbers; 0 for the option asked for most. Before any offer nothing costs.
        """
        if self._last is None:
            return tuple((0,) * len(counts) for counts in self._counts)
        total = sum(self._kept)
        return tuple(
            tuple(unit * kept * (max(counts) - count) // (total * max(counts)) for count in counts)
            for kept, counts in zip(self._kept, self._counts, strict=True)
        )
