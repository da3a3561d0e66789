"""Offer endings: what does live bargaining come to, so that anybody can check it?

Here: the agreement and the no-deal with who offered and accepted what, what ended it, why it is
thin, what came nearest; the mediator's result.
Not here: which offer it is (settling.py), the person behind it (gate.py).
Sources: SEMANTICS G1, G2, G8, B7, M2, M5, M7, B10.

What deals are worth stands in the result only where the rules disclose it. Otherwise the nearest
deal is told by what all could see: who did not accept it.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from comity.core.canonical import Json, digest
from comity.core.exact import Exact, show_number
from comity.core.parties import PartyId
from comity.core.results import FinalOffer, Grounds, Item, NoDealReason, Submission
from comity.core.ties import Tie, lot
from comity.mechanisms.bargaining.issue_results import (
    IssueAgreement,
    IssueNoDeal,
    NearestDeal,
    OfferMade,
    Settled,
)
from comity.mechanisms.bargaining.mediator import mediate
from comity.protocols.offers.rules import OffersRules
from comity.protocols.offers.settling import HARMLESS, best_of_seen, is_near, nearest_of
from comity.protocols.offers.state import Offer, OffersState
from comity.protocols.offers.worth import judged, shown_deal

__all__ = ["Ended", "agreement", "ended", "mediated", "no_deal"]

Ended = IssueAgreement | IssueNoDeal

_NEVER_SETTLED = {"left", "cancelled"}


def ended(state: OffersState, reason: NoDealReason) -> Ended:
    """Return what a guard's ending comes to: the best offer seen, or no deal.

    Args:
        state: the state at the end.
        reason: the guard.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> ended(new_state(sample_offers()), "time_limit").reason
        'time_limit'
    """
    found = None if reason in _NEVER_SETTLED else best_of_seen(state)
    if found is not None:
        offer, ties = found
        return agreement(replace(state, ties=(*state.ties, *ties)), offer, reason)
    return no_deal(state, reason)


# --- agreement -------------------------------------------------------------------------------


def agreement(state: OffersState, offer: Offer, ended_by: str = "accepted") -> IssueAgreement:
    """Return the agreement on an offer.

    Args:
        state: the state when it was settled.
        offer: the offer.
        ended_by: ``accepted``, or the guard after which the best offer seen stands.

    Example:
        >>> from comity.protocols.offers.state import Offer, new_state
        >>> from comity.testing.bargains import sample_offers
        >>> one = Offer(id="ann-0", party="ann", round=0, deal=(("tls", "1.3"), ("days", "60")))
        >>> print(agreement(new_state(sample_offers()), one).says)
        Deal in round 0: bob accepts ann-0: tls = 1.3; days = 60.
    """
    rules = state.rules
    how: Settled = "accepted" if ended_by == "accepted" else "best_of_seen"
    utilities, gains = _disclosed(rules, offer)
    others = [name for name in rules.ids if name != offer.party]
    who = f"{' and '.join(others)} accept{'s' if len(others) == 1 else ''} {offer.id}"
    if how == "best_of_seen":
        who = f"{offer.id} is the best offer seen that suits all ({ended_by.replace('_', ' ')})"
    return IssueAgreement(
        grounds=_grounds(state, ended_by, _thin_agreement(state, offer, how)),
        terms=offer.deal,
        parties=rules.ids,
        how=how,
        round=state.round,
        rounds=rules.limits.rounds,
        protocol=rules.protocol,
        accepted_offer=offer.id,
        offered_by=offer.party,
        utilities=utilities,
        gains=gains,
        discounted=_discounted(state, offer) if rules.disclose else (),
        offers=_path(state),
        notes=state.notes,
        says=f"Deal in round {state.round}: {who}: {shown_deal(offer.deal)}.",
    )


def _exact(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value


def _disclosed(rules: OffersRules, offer: Offer) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    if not rules.disclose:
        return (), ()
    found = {name: judged(rules, name, dict(offer.deal)) for name in rules.ids}
    return (
        tuple(Item(name, _exact(own.worth)) for name, own in found.items()),
        tuple(Item(name, _exact(own.gain)) for name, own in found.items()),
    )


def _thin_agreement(state: OffersState, offer: Offer, how: Settled) -> tuple[str, ...]:
    thin = ["tie_rule_used"] if any(one.label not in HARMLESS for one in state.ties) else []
    if how == "best_of_seen":
        thin.append("best_of_seen")
    short = (name for name in state.rules.ids if judged(state.rules, name, dict(offer.deal)).short)
    return (*thin, *(f"below_reservation: {name}" for name in short))


def _discounted(state: OffersState, offer: Offer) -> tuple[tuple[PartyId, str], ...]:
    """Return what the deal is worth at the end, where a seat discounts (B10)."""
    rules = state.rules
    time = Fraction(state.round, max(rules.limits.rounds - 1, 1))
    return tuple(
        (one.name, _shrunk(one.preferences.of(dict(offer.deal)), one.preferences.discount, time))
        for one in rules.problem.parties
        if one.preferences.discount != 1
    )


def _shrunk(value: Fraction, discount: Fraction, time: Fraction) -> str:
    context = Context(prec=40, rounding=ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, traps=[])

    def decimal(one: Fraction) -> Decimal:
        return context.divide(Decimal(one.numerator), Decimal(one.denominator))

    left = context.exp(context.multiply(decimal(time), context.ln(decimal(discount))))
    exact = decimal(value)
    context.prec = 12
    shown = format(context.multiply(exact, left), "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


# --- no deal ---------------------------------------------------------------------------------


def no_deal(state: OffersState, reason: NoDealReason) -> IssueNoDeal:
    """Return the no-deal: where each stood, what came nearest, what would unblock it.

    Args:
        state: the state at the end.
        reason: the guard.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> print(no_deal(new_state(sample_offers()), "stall").says)
        No deal (stall) after 0 rounds: ann made no offer, bob made no offer.
    """
    rules = state.rules
    lasts = {name: state.last_of(name) for name in rules.ids}
    stood = [
        f"{name} made no offer" if one is None else f"{name} stands at {one.id}"
        for name, one in lasts.items()
    ]
    is_begun = any(
        one["round"] == state.round and one["kind"] != "leave" for one in state.transcript
    )
    rounds = state.round + is_begun
    word = f"{state.left_by} left" if reason == "left" else reason.replace("_", " ")
    still = max(state.round - state.moved_in, 0)
    return IssueNoDeal(
        grounds=_grounds(state, reason, _thin_no_deal(state, reason)),
        reason=reason,
        final_offers=tuple(
            FinalOffer(name, None if one is None else shown_deal(one.deal))
            for name, one in lasts.items()
        ),
        unblock=_unblock(state, reason),
        guard=reason,
        rounds=rounds,
        protocol=rules.protocol,
        rounds_without_movement=still,
        nearest=_nearest(state),
        offers=_path(state),
        notes=state.notes,
        says=f"No deal ({word}) after {rounds} round{'' if rounds == 1 else 's'}: "
        f"{', '.join(stood)}.",
    )


def _thin_no_deal(state: OffersState, reason: NoDealReason) -> tuple[str, ...]:
    found = nearest_of(state)
    if reason in _NEVER_SETTLED or found is None:
        return ()
    if not found[1]:
        return ("missed_deal",)
    return ("near_miss",) if is_near(state, found[0]) else ()


def _nearest(state: OffersState) -> NearestDeal | None:
    """Return what came nearest: by worth where it is disclosed, else by who accepted."""
    rules = state.rules
    if not rules.disclose:
        most = max((len(one.accepted_by) for one in state.revealed), default=0)
        liked = [one for one in state.revealed if len(one.accepted_by) == most]
        if not liked:
            return None
        last = max(one.round for one in liked)
        equal = {one.id: one for one in liked if one.round == last}
        one = equal[str(lot(rules.seed, "nearest", list(equal)).chosen)]
        missing = tuple(n for n in rules.ids if n not in {one.party, *one.accepted_by})
        return NearestDeal(deal=one.deal, utilities=(), refused_by=missing)
    found = nearest_of(state)
    if found is None:
        return None
    offer, refused_by = found
    own = {name: judged(rules, name, dict(offer.deal)) for name in rules.ids}
    return NearestDeal(
        deal=offer.deal,
        utilities=_disclosed(rules, offer)[0],
        short=tuple(Item(name, _exact(one.short)) for name, one in own.items() if one.short),
        refused_by=refused_by,
    )


def _unblock(state: OffersState, reason: NoDealReason) -> tuple[str, ...]:
    rules = state.rules
    if reason == "left":
        return (f"{state.left_by} comes back to the table",)
    ways = []
    nearest = _nearest(state)
    if nearest is not None:
        deal = shown_deal(nearest.deal)
        ways += [
            f"{one.name} lowers its reservation by {show_number(one.value)} for {deal}"
            for one in nearest.short
        ]
        short = {one.name for one in nearest.short}
        ways += [f"{name} accepts {deal}" for name in nearest.refused_by if name not in short]
    silent = [name for name in rules.ids if state.last_of(name) is None]
    ways += [f"{name} makes an offer" for name in silent]
    if reason in {"round_limit", "time_limit"}:
        ways.append(f"more {'rounds' if reason == 'round_limit' else 'time'}")
    if rules.fallback == "none":
        ways.append("fallback = best_of_seen")
    return tuple(ways)


# --- grounds ---------------------------------------------------------------------------------


def _path(state: OffersState) -> tuple[OfferMade, ...]:
    return tuple(
        OfferMade(
            id=one.id,
            round=one.round,
            party=one.party,
            deal=one.deal,
            accepted_by=one.accepted_by,
        )
        for one in state.revealed
    )


def _grounds(state: OffersState, ended_by: str, thin: tuple[str, ...]) -> Grounds:
    rules = state.rules
    settings: dict[str, Json] = {**rules.settings(), "stall": rules.stall, "order": rules.order}
    settings.pop("gate")
    spoke = {str(one["party"]) for one in state.transcript if one["kind"] != "silent"}
    return Grounds(
        rule="offers",
        ended_by=ended_by,
        inputs_digest=digest([rules.digest, list(state.transcript)]),
        parameters=(*settings.items(), ("seed", rules.seed)),
        submissions=tuple(Submission(name, _submitted(state, name)) for name in rules.ids),
        absent=tuple(name for name in rules.ids if name not in spoke),
        ties=state.ties,
        thin=thin,
    )


def _submitted(state: OffersState, seat: PartyId) -> Json:
    """Return what a seat did, in public facts; None when it was silent and nothing failed."""
    last = state.last_of(seat)
    made = sum(one.party == seat for one in state.revealed)
    accepted = [one.id for one in state.revealed if seat in one.accepted_by]
    failures = [why for name, why in state.failed if name == seat]
    told: dict[str, Json] = {}
    if last is not None:
        told |= {"last_offer": last.id, "deal": shown_deal(last.deal), "offers": made}
    if accepted:
        told["accepted"] = accepted
    if failures:
        told["failed"] = failures
    if state.left_by == seat:
        told["left"] = True
    return told or None


# --- mediated --------------------------------------------------------------------------------


def mediated(rules: OffersRules, ties: tuple[Tie, ...] = ()) -> Ended:
    """Return what a mediator names who sees all preferences; nobody is asked.

    Args:
        rules: the rules.
        ties: ties broken before.

    Raises:
        InvalidInput: when the point does not exist for these seats.

    Example:
        >>> from comity.testing.bargains import sample_offers
        >>> mediated(sample_offers(protocol="mediated")).terms
        (('tls', '1.3'), ('days', '60'))
    """
    found = mediate(rules.problem, point=rules.point, seed=rules.seed, inputs=rules.digest)
    grounds = replace(
        found.grounds,
        ties=(*ties, *found.grounds.ties),
        submissions=tuple(Submission(name, rules.own(name)) for name in rules.ids)
        if rules.disclose
        else tuple(Submission(name, "disclosed to the mediator alone") for name in rules.ids),
    )
    found = replace(found, grounds=grounds)
    return found if rules.disclose else _veiled(found)


def _veiled(found: Ended) -> Ended:
    """Return a mediator's result without what deals are worth."""
    if isinstance(found, IssueAgreement):
        says = f"The mediator names {shown_deal(tuple((n, str(o)) for n, o in found.terms))}."
        return replace(found, utilities=(), gains=(), discounted=(), notes=(), says=says)
    assert found.nearest is not None  # a mediator has looked at every deal
    deal, refused_by = found.nearest.deal, found.nearest.refused_by
    nearest = NearestDeal(deal=deal, utilities=(), refused_by=refused_by)
    says = "No deal suits all."
    return replace(found, nearest=nearest, unblock=("somebody accepts less",), says=says)
