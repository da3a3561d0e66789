"""Acceptance: may this party accept that offer?

Here: offers on the table with their ids, the closed list of reasons to refuse an acceptance, and
the check of a price against both reservations at settlement.
Not here: when accepting is wise (conventions.py), who is asked (protocols/offers.py).
Sources: SEMANTICS B5 and B9.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from comity.core.errors import Fault, InternalError
from comity.core.exact import Exact, show_number
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.zopa import Zopa

__all__ = ["Refusal", "RefusalReason", "TabledOffer", "acceptance_fault", "check_settlement"]

RefusalReason = Literal["unknown_offer", "own_offer", "superseded", "withdrawn"]


class TabledOffer(NamedTuple):
    """An offer that was made, whether it still stands or not.

    Attributes:
        id: its id, unique in the negotiation ("S4").
        party: who made it.
        state: ``"standing"``, ``"superseded"`` by a later offer of the same party, or
            ``"withdrawn"``.

    Example:
        >>> TabledOffer("S4", "seller").state
        'standing'
    """

    id: str
    party: PartyId
    state: Literal["standing", "superseded", "withdrawn"] = "standing"


class Refusal(NamedTuple):
    """Why an acceptance counts for nothing.

    Attributes:
        reason: a stable code.
        hint: one sentence that helps the party to do better.
    """

    reason: RefusalReason
    hint: str


def acceptance_fault(offer_id: str, offers: Iterable[TabledOffer], who: PartyId) -> Refusal | None:
    """Return why ``who`` may not accept the offer of that id, or None when it may.

    Args:
        offer_id: the id named in the acceptance.
        offers: every offer made so far; a question or a message is none, so its id is unknown.
        who: the accepting party, known from its channel.

    Returns:
        None, or a refusal with its reason and what would be right.

    Example:
        >>> made = (TabledOffer("S3", "seller", "superseded"), TabledOffer("S4", "seller"))
        >>> acceptance_fault("S4", made, "buyer") is None
        True
        >>> acceptance_fault("S3", made, "buyer").reason
        'superseded'
        >>> acceptance_fault("S4", made, "seller").reason
        'own_offer'
    """
    tabled = tuple(offers)
    open_to = [one.id for one in tabled if one.state == "standing" and one.party != who]
    wanted = f"accept {' or '.join(open_to)}" if open_to else "nothing can be accepted now"
    found = next((one for one in tabled if one.id == offer_id), None)
    if found is None:
        return Refusal("unknown_offer", f"{offer_id!r} is not an offer: {wanted}")
    if found.party == who:
        return Refusal("own_offer", f"{offer_id} is {who}'s own offer: {wanted}")
    if found.state == "withdrawn":
        return Refusal("withdrawn", f"{offer_id} was withdrawn: {wanted}")
    if found.state == "superseded":
        return Refusal("superseded", f"{offer_id} no longer stands: {wanted}")
    return None


def check_settlement(price: Exact, zone: Zopa) -> None:
    """Check a price against both reservations once more before it becomes a deal.

    Args:
        price: the price to settle at.
        zone: the zone between the reservations.

    Raises:
        InternalError: when the price is beyond a reservation, which no rule here lets happen.

    Example:
        >>> check_settlement(80, Zopa(low=70, high=100))
    """
    if not zone.low <= price <= zone.high:
        raise InternalError(
            Fault(
                "price bargaining",
                f"settled at {show_number(price)}",
                f"a price from {show_number(zone.low)} to {show_number(zone.high)}",
                "report it with the result's inputs",
            )
        )
