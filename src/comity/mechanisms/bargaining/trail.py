"""Trail: which offers were made, written out only where somebody reads them.

Here: one offer on the path, and an immutable sequence of offers kept as numbers.
Not here: how the path came about (several.py, protocols/offers), results (issue_results.py).
Sources: SEMANTICS G1, B9; complaints 17 and 22 of the research (both sides, by id).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import overload

from comity.core.canonical import Json
from comity.core.codec import encode
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.outcomes import Layout

__all__ = ["OfferMade", "Trail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferMade:
    """One offer on the path.

    Attributes:
        id: its id, ``"ann-3"`` for the offer that ann made in round 3.
        round: the round, from 0.
        party: who made it.
        deal: term -> option, every term settled.
        accepted_by: who accepted it, in the order of accepting.

    Example:
        >>> OfferMade(id="ann-0", round=0, party="ann", deal=(("tls", "1.3"),)).accepted_by
        ()
    """

    id: str
    round: int
    party: PartyId
    deal: tuple[tuple[str, str], ...]
    accepted_by: tuple[PartyId, ...] = ()


class Trail(Sequence[OfferMade]):
    """Offers kept as numbers; equal to the tuple of the same offers.

    Args:
        layout: the canonical order of the deals.
        rounds: per offer, its round.
        parties: per offer, who made it.
        outcomes: per offer, the place of its deal.
        accepted: place of an offer -> who accepted it.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.outcomes import layout_of
        >>> layout = layout_of(domain_of({"tls": ["1.2", "1.3"]}))
        >>> trail = Trail(layout, (0, 0), ("ann", "bob"), (1, 0), {1: ("ann",)})
        >>> trail[1].id, trail[1].deal, trail[1].accepted_by, len(trail)
        ('bob-0', (('tls', '1.2'),), ('ann',), 2)
    """

    __slots__ = ("_accepted", "_layout", "_outcomes", "_parties", "_rounds")

    def __init__(
        self,
        layout: Layout,
        rounds: Sequence[int],
        parties: Sequence[PartyId],
        outcomes: Sequence[int],
        accepted: Mapping[int, tuple[PartyId, ...]],
    ) -> None:
        self._layout = layout
        self._rounds = rounds
        self._parties = parties
        self._outcomes = outcomes
        self._accepted = accepted

    def __len__(self) -> int:
        return len(self._outcomes)

    @overload
    def __getitem__(self, at: int) -> OfferMade: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[OfferMade, ...]: ...

    def __getitem__(self, at: int | slice) -> OfferMade | tuple[OfferMade, ...]:
        """Return one offer, or the offers of a slice."""
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        place = range(len(self))[at]
        party, made_in = self._parties[place], self._rounds[place]
        return OfferMade(
            id=f"{party}-{made_in}",
            round=made_in,
            party=party,
            deal=tuple(self._layout.deal(int(self._outcomes[place])).items()),
            accepted_by=self._accepted.get(place, ()),
        )

    def __iter__(self) -> Iterator[OfferMade]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Compare with any trail, or with a tuple or list of offers."""
        if isinstance(other, (Trail, tuple, list)):
            return len(self) == len(other) and all(
                mine == theirs for mine, theirs in zip(self, other, strict=True)
            )
        return NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def to_json(self) -> Json:
        """Return the list of offers as plain JSON."""
        return encode(tuple(self))
