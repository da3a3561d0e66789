"""Price: what does a buyer and a seller's haggling over one number come to?

Here: the negotiation itself: zone first, then rounds of concession until offers meet or a guard
ends it; the short form `bargain` and the full form `negotiate_price`.
Not here: conventions, schedules, guards and results (their own modules); live bargaining between
agents (protocols/offers.py).
Sources: SEMANTICS B1-B10, G1, G2, G8; Raiffa 1982; Faratin, Sierra and Jennings 1998.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack, get_args

from comity.core.errors import Fault, did_you_mean
from comity.core.results import NoDealReason
from comity.mechanisms.bargaining.concession import Concession, extend, paths
from comity.mechanisms.bargaining.conventions import Convention, Hit, first_hit, meetings
from comity.mechanisms.bargaining.ending import Played, agreement, money_model, no_deal, no_overlap
from comity.mechanisms.bargaining.guards import PingPong, Role, Stall, time_limit_round
from comity.mechanisms.bargaining.reading import read_rules, read_span
from comity.mechanisms.bargaining.results import PriceAgreement, PriceNoDeal
from comity.mechanisms.bargaining.rules import AfterDeadline, PriceParty, PriceRules, Terms
from comity.mechanisms.bargaining.schedules import Number, ScheduleLike
from comity.mechanisms.bargaining.zopa import Zopa

__all__ = ["BargainOptions", "bargain", "negotiate_price"]

_BLOCK = 64  # rounds worked out at once while no guard can fire


class BargainOptions(TypedDict, total=False):
    """The options of :func:`bargain`; those of one party go before those of both.

    Attributes:
        convention: see :class:`~comity.mechanisms.bargaining.rules.PriceRules`, as for ``first``,
            ``blind``, ``stall``, ``monotonic``, ``tick``, ``round_limit``, ``time_limit_ms``,
            ``readings_ms`` and ``thin_gap``.
        buyer_rounds: the buyer's deadline; None for none.
        seller_rounds: the seller's.
        schedule: how both concede.
        buyer_schedule: how the buyer concedes.
        seller_schedule: how the seller concedes.
        after_deadline: ``"hold"`` or ``"leave"``, for both.
        buyer_after_deadline: the same for the buyer.
        seller_after_deadline: the same for the seller.
        discount: what a surplus is worth one round later, for both.
        buyer_discount: the same for the buyer.
        seller_discount: the same for the seller.
        buyer_name: the buyer's name.
        seller_name: the seller's name.
    """

    convention: Convention
    first: Role | None
    blind: bool
    stall: int
    monotonic: bool
    tick: Number | None
    round_limit: int | None
    time_limit_ms: int | None
    readings_ms: Sequence[int]
    thin_gap: Number
    buyer_rounds: int | None
    seller_rounds: int | None
    schedule: ScheduleLike
    buyer_schedule: ScheduleLike
    seller_schedule: ScheduleLike
    after_deadline: AfterDeadline
    buyer_after_deadline: AfterDeadline
    seller_after_deadline: AfterDeadline
    discount: Number
    buyer_discount: Number
    seller_discount: Number
    buyer_name: str
    seller_name: str


_FIELDS = {"rounds": "deadline"}  # an option that bears another name than the field it fills
_OF_A_PARTY = {
    role: tuple(
        (f"{role}_{name}", _FIELDS.get(name, name))
        for name in ("rounds", "schedule", "after_deadline", "discount", "name")
    )
    for role in get_args(Role)
}
_OF_BOTH = ("schedule", "after_deadline", "discount")
_OF_RULES = (
    "convention",
    "first",
    "blind",
    "stall",
    "monotonic",
    "tick",
    "round_limit",
    "time_limit_ms",
    "readings_ms",
    "thin_gap",
)


def bargain(
    *,
    buyer: Sequence[Number],
    seller: Sequence[Number],
    rounds: int | None = 5,
    **options: Unpack[BargainOptions],
) -> PriceAgreement | PriceNoDeal:
    """Negotiate over one price between a buyer and a seller.

    Args:
        buyer: the buyer's opening and reservation.
        seller: the seller's opening and reservation.
        rounds: the deadline of both in rounds; None for none.
        **options: see :class:`BargainOptions`.

    Returns:
        The deal with both offer paths, or the no-deal with what would unblock it.

    Raises:
        InvalidInput: with every fault at once, each naming the party.

    Example:
        >>> deal = bargain(buyer=(60, 100), seller=(120, 70), rounds=5)
        >>> deal.price, deal.round, deal.buyer_surplus, deal.seller_surplus
        (80, 4, 20, 10)
        >>> bargain(buyer=(60, 100), seller=(120, 70), convention="midpoint").price
        86
        >>> bargain(buyer=(50, 65), seller=(120, 70)).gap
        5
    """
    given: dict[str, Any] = dict(options)
    known = BargainOptions.__annotations__
    faults = [
        Fault("bargain", f"has no option {name!r}", "those listed", did_you_mean(name, known))
        for name in sorted(given.keys() - known.keys())
    ]
    shared = {field: given[field] for field in _OF_BOTH if field in given}
    shared["deadline"] = rounds
    parties = []
    spans: tuple[tuple[Role, object], ...] = (("buyer", buyer), ("seller", seller))
    for role, span in spans:
        own = {field: given[name] for name, field in _OF_A_PARTY[role] if name in given}
        opening, reservation = read_span(span, role, faults)
        parties.append(
            PriceParty(
                **{**shared, **own, "role": role, "opening": opening, "reservation": reservation}
            )
        )
    of_rules = {name: given[name] for name in _OF_RULES if name in given}
    return _negotiate(read_rules(PriceRules(parties=parties, **of_rules), faults))


def negotiate_price(rules: PriceRules) -> PriceAgreement | PriceNoDeal:
    """Negotiate over one price by the given rules.

    Args:
        rules: the parties and everything else that decides the outcome.

    Returns:
        The deal with both offer paths, or the no-deal with what would unblock it.

    Raises:
        InvalidInput: with every fault at once, each naming the party.

    Example:
        >>> buyer = PriceParty(role="buyer", opening=60, reservation=100, deadline=5)
        >>> seller = PriceParty(role="seller", opening=120, reservation=70, deadline=10)
        >>> negotiate_price(PriceRules(parties=(buyer, seller))).price
        95
    """
    return _negotiate(read_rules(rules))


# --- the rounds ------------------------------------------------------------------------------


def _negotiate(terms: Terms) -> PriceAgreement | PriceNoDeal:
    zone = Zopa(low=terms.seller.reservation, high=terms.buyer.reservation)
    if zone.is_empty and not terms.blind:
        return no_overlap(terms, zone)
    buyer, seller = paths(terms)
    end = _play(terms, buyer, seller)
    played = Played(terms, zone, buyer, seller, money_model(terms))
    if isinstance(end, Hit):
        return agreement(played, end)
    return no_deal(played, *end)


def _play(terms: Terms, buyer: Concession, seller: Concession) -> Hit | tuple[int, NoDealReason]:
    """Play rounds until offers meet, or a guard ends it after a round for a reason.

    Before the first round in which a guard can fire, many rounds are worked out at once.
    """
    order = meetings(terms.convention, terms.first)
    watched_from = _watched_from(terms, buyer, seller)
    stall, ping_pong = Stall(terms.stall), PingPong()
    t = 0
    while True:
        stop = t + 1 if t >= watched_from else min(t + _BLOCK, watched_from)
        extend(terms, buyer, seller, stop + 1)
        hit = first_hit(order, seller.offers, buyer.offers, t, stop)
        if hit is not None:
            return hit
        if t >= watched_from:
            state = f"{seller.offers[t]}|{buyer.offers[t]}"
            stall = stall.saw(state)
            if not terms.monotonic:
                ping_pong = ping_pong.saw(state)
            reason = _guard(terms, (buyer, seller), t, stall, ping_pong)
            if reason is not None:
                return t, reason
        t = stop


def _watched_from(terms: Terms, buyer: Concession, seller: Concession) -> int:
    """Return the first round after which a guard may end the negotiation."""
    if not (buyer.seat.schedule.is_timed and seller.seat.schedule.is_timed):
        return 0
    rounds = [max(buyer.quiet_from(), seller.quiet_from())]
    rounds += [seat.deadline or 0 for seat in terms.seats if seat.after_deadline == "leave"]
    if terms.round_limit is not None:
        rounds.append(terms.round_limit)
    if terms.time_limit_ms is not None:
        timed = time_limit_round(terms.readings_ms, terms.time_limit_ms)
        rounds += [] if timed is None else [timed]
    return min(rounds)


def _guard(
    terms: Terms,
    both: tuple[Concession, Concession],
    t: int,
    stall: Stall,
    ping_pong: PingPong,
) -> NoDealReason | None:
    """Return what ends the negotiation after round ``t`` without a deal, if anything does."""
    passed = [seat.deadline is not None and t >= seat.deadline for seat in terms.seats]
    leaves = [seat.after_deadline == "leave" for seat in terms.seats]
    if any(over and goes for over, goes in zip(passed, leaves, strict=True)):
        return "deadline" if all(passed) else "left"
    if stall.limit == 1 and all(passed):
        return "deadline"
    if stall.limit == 1 and all(one.offers[t] == one.reservation for one in both):
        return "exhausted"
    if stall.tripped and not any(one.may_move(t) for one in both):
        return "stall"
    if ping_pong.tripped:
        return "ping_pong"
    if terms.round_limit is not None and t >= terms.round_limit:
        return "round_limit"
    if terms.time_limit_ms is not None:
        timed = time_limit_round(terms.readings_ms, terms.time_limit_ms)
        return None if timed is None or t < timed else "time_limit"
    return None
