"""Issue results: how bargaining over several issues ended, so that anybody can check it.

Here: the agreement and the no-deal over several issues with the whole path of offers.
Not here: who bargained (several.py, protocols/offers), solution points (solutions.py), kinds and
grounds that all mechanisms share (core/results.py).
Sources: SEMANTICS G1, G2, B9, M2, M5, M7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from comity.core.exact import Exact
from comity.core.parties import PartyId
from comity.core.results import Agreement, Item, NoDeal, result_form
from comity.mechanisms.bargaining.trail import OfferMade, Trail

__all__ = ["IssueAgreement", "IssueNoDeal", "NearestDeal", "OfferMade", "Settled"]

Settled = Literal["accepted", "mediated", "best_of_seen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestDeal:
    """The closest thing to a deal, when there is none.

    Attributes:
        deal: term -> option.
        utilities: what it is worth to each party.
        short: who falls short of its reservation, and by how much.
        refused_by: who refuses it, also for another reason than its value.

    Example:
        >>> NearestDeal(deal=(("a", "x"),), utilities=(Item("ann", 1),)).short
        ()
    """

    deal: tuple[tuple[str, str], ...]
    utilities: tuple[Item, ...]
    short: tuple[Item, ...] = ()
    refused_by: tuple[PartyId, ...] = ()


@result_form("issues")
@dataclass(frozen=True, slots=True, kw_only=True)
class IssueAgreement(Agreement):
    """Parties agreed on every issue.

    Attributes:
        terms: term -> option (of every agreement).
        how: ``accepted`` by all at the table, ``mediated`` from disclosed preferences, or the
            ``best_of_seen`` among the offers made when the time was over.
        round: the round in which it was agreed, from 0; 0 when mediated.
        rounds: how many rounds were allowed.
        protocol: ``alternating``, ``simultaneous`` or ``mediated``.
        accepted_offer: the id of the accepted offer; None when a mediator named the deal.
        offered_by: who made that offer.
        utilities: what the deal is worth to each party, exact, before any discount.
        gains: what it gains over its reservation (over 0 without one).
        discounted: what it is worth after the discount, twelve digits, for parties that have one.
        offers: every offer in the order made.
        notes: what else a reader should know.
        says: the result in one sentence.
    """

    how: Settled
    round: int
    rounds: int
    protocol: str
    accepted_offer: str | None
    offered_by: PartyId | None
    utilities: tuple[Item, ...]
    gains: tuple[Item, ...]
    discounted: tuple[tuple[PartyId, str], ...] = ()
    offers: Trail | tuple[OfferMade, ...] = ()
    notes: tuple[str, ...] = ()
    says: str

    @property
    def deal(self) -> dict[str, Exact | str]:
        """The deal as term -> option."""
        return dict(self.terms)


@result_form("issues")
@dataclass(frozen=True, slots=True, kw_only=True)
class IssueNoDeal(NoDeal):
    """Bargaining over several issues ended without a deal.

    Attributes:
        guard: what ended it, the same word as the grounds' ``ended_by``.
        rounds: how many rounds were played.
        protocol: ``alternating``, ``simultaneous`` or ``mediated``.
        rounds_without_movement: how many rounds had passed since anybody offered anything new.
        nearest: the closest thing to a deal: in mediated mode of all deals, else of those offered.
        offers: every offer in the order made.
        notes: what else a reader should know.
        says: the result in one sentence.
    """

    guard: str
    rounds: int
    protocol: str
    rounds_without_movement: int = 0
    nearest: NearestDeal | None = None
    offers: Trail | tuple[OfferMade, ...] = ()
    notes: tuple[str, ...] = ()
    says: str
