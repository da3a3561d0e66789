"""Settling: is there an offer that all accept, and which of several stands?

Here: the offers with the assent of all, checked once more against every reservation and red
line; crossing acceptances; the best of the offers seen; the offer that came nearest.
Not here: the results made of it (endings.py).
Sources: SEMANTICS M2, M5, B5, G4; complaints 16, 19 and 20 of the research.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import prod

from comity.core.parties import PartyId
from comity.core.ties import Tie, lot
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.valuations import Tabled
from comity.protocols.offers.rules import OffersRules
from comity.protocols.offers.state import Offer, OffersState
from comity.protocols.offers.worth import judged, refusal, worth_of

__all__ = ["HARMLESS", "SAME_DEAL", "best_of_seen", "is_near", "nearest_of", "settled"]

SAME_DEAL = "who made the same offer"
"""The label of a lot between seats that offered the same deal at once: the deal is the same."""

HARMLESS = ("opener", SAME_DEAL)
"""The labels of lots that leave nothing to look at twice."""


def settled(state: OffersState) -> tuple[Offer, tuple[Tie, ...]] | None:
    """Return the offer that all accept, with the lot that chose among several; or None.

    Args:
        state: the state after a turn, or after all have answered.

    Example:
        >>> from comity.protocols.offers.grammar import Move
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.protocols.offers.turns import apply_move
        >>> from comity.testing.bargains import sample_offers
        >>> deal = (("tls", "1.3"), ("days", "60"))
        >>> state = apply_move(new_state(sample_offers()), "ann", Move(kind="offer", deal=deal))
        >>> settled(state) is None
        True
        >>> settled(apply_move(state, "bob", Move(kind="accept", ids=("ann-0",))))[0].id
        'ann-0'
    """
    rules = state.rules
    found = [
        one
        for one in state.standing
        if set(rules.ids) == {one.party, *one.accepted_by} and _may_stand(rules, one)
    ]
    if rules.crossing == "nash":
        found = _largest_product(rules, found)
    return _one_of(found, rules.seed, f"crossing in round {state.round}")


def _may_stand(rules: OffersRules, one: Offer) -> bool:
    """Check the deal once more against everybody's reservation and red lines (B5)."""
    return all(refusal(rules, name, dict(one.deal)) is None for name in rules.ids)


def best_of_seen(state: OffersState) -> tuple[Offer, tuple[Tie, ...]] | None:
    """Return the best offer seen that suits all, when the rules fall back on it; or None.

    It is the one with the largest product of gains; a lot decides among equals. Reservations
    count here for those too whom they do not bind.

    Args:
        state: the state at the end.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> best_of_seen(new_state(sample_offers(fallback="best_of_seen"))) is None
        True
    """
    rules = state.rules
    if rules.fallback != "best_of_seen":
        return None
    found = [
        one
        for one in state.revealed
        if all(judged(rules, name, dict(one.deal)).is_good for name in rules.ids)
    ]
    return _one_of(_largest_product(rules, found), rules.seed, "best of seen")


def _largest_product(rules: OffersRules, offers: Iterable[Offer]) -> list[Offer]:
    products = {
        one.id: prod(
            max(worth_of(rules, name, dict(one.deal)) - _zero(rules, name), Fraction(0))
            for name in rules.ids
        )
        for one in offers
    }
    most = max(products.values(), default=0)
    return [one for one in offers if products[one.id] == most]


def _zero(rules: OffersRules, seat: PartyId) -> Fraction:
    """Return what gains are counted from: the reservation, or the worst that could be."""
    wants = rules.problem.party(seat).preferences
    if wants.reservation is not None:
        return wants.reservation
    if isinstance(wants, Additive):
        return wants.worst
    assert isinstance(wants, Tabled)  # what is recorded is one of the two
    return min(wants.values.values())


def _one_of(offers: list[Offer], seed: str, label: str) -> tuple[Offer, tuple[Tie, ...]] | None:
    """Return one offer; a lot decides between deals, and between seats that made the same one."""
    if not offers:
        return None
    deals = {_text(one): one.deal for one in offers}
    ties: tuple[Tie, ...] = ()
    deal = offers[0].deal
    if len(deals) > 1:
        ties = (lot(seed, label, list(deals)),)
        deal = deals[str(ties[0].chosen)]
    first = min(one.round for one in offers if one.deal == deal)
    same = {one.id: one for one in offers if one.deal == deal and one.round == first}
    if len(same) > 1:
        ties = (*ties, lot(seed, SAME_DEAL, list(same)))
        return same[str(ties[-1].chosen)], ties
    return next(iter(same.values())), ties


def _text(one: Offer) -> str:
    """Return a deal as a text that is the same whatever the order of the issues."""
    return "; ".join(f"{issue} = {option}" for issue, option in sorted(one.deal))


def nearest_of(state: OffersState) -> tuple[Offer, tuple[PartyId, ...]] | None:
    """Return the offer that came nearest to suiting all, with whom it does not suit; or None.

    It suits all but the fewest, and misses the smallest share of what they could have. A lot
    decides among equals.

    Args:
        state: the state at the end.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> nearest_of(new_state(sample_offers())) is None
        True
    """
    rules = state.rules
    ranked: dict[tuple[int, Fraction], list[Offer]] = {}
    for one in state.revealed:
        found = {name: judged(rules, name, dict(one.deal)) for name in rules.ids}
        lacking = [name for name, own in found.items() if not own.is_good]
        missed = sum(
            (own.short / (own.short + _reach(rules, name)) for name, own in found.items()),
            Fraction(0),
        )
        ranked.setdefault((len(lacking), missed), []).append(one)
    chosen = _one_of(ranked[min(ranked)], rules.seed, "nearest") if ranked else None
    if chosen is None:
        return None
    deal = dict(chosen[0].deal)
    return chosen[0], tuple(n for n in rules.ids if not judged(rules, n, deal).is_good)


def _reach(rules: OffersRules, seat: PartyId) -> Fraction:
    """Return a positive number in a seat's own unit, so that units do not matter."""
    wants = rules.problem.party(seat).preferences
    best = wants.best if isinstance(wants, Additive) else max(wants.values.values())  # type: ignore[union-attr]  # recorded ones
    return max(best - _zero(rules, seat), Fraction(0)) or Fraction(1)


def is_near(state: OffersState, one: Offer) -> bool:
    """Tell whether an offer misses by at most the set share of the opening distance (G8).

    Args:
        state: the state at the end.
        one: the offer that came nearest.

    Example:
        >>> from comity.protocols.offers.state import Offer, new_state
        >>> from comity.testing.bargains import sample_offers
        >>> deal = (("tls", "1.2"), ("days", "60"))
        >>> is_near(new_state(sample_offers()), Offer(id="bob-0", party="bob", round=0, deal=deal))
        False
    """
    rules = state.rules
    for name in rules.ids:
        found = judged(rules, name, dict(one.deal))
        if found.excluded or found.crosses:
            return False
        if found.short:
            opening = next((own.deal for own in state.revealed if own.party == name), None)
            if opening is None:
                return False
            distance = worth_of(rules, name, dict(opening)) - found.worth
            if found.short > Fraction(rules.thin_gap) * distance:
                return False
    return True
