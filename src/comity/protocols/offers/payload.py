"""Payload: what is a seat told when it is asked for a move?

Here: everything the seat needs, computed: who holds which offer, whose turn it is, what is left,
what it may accept, what each offer and each suggested counter-offer is worth to it.
Not here: the same in words (brief.py), how the answer is read (grammar.py).
Sources: SEMANTICS M2, B5, B9; complaints 9, 11, 12 and 15 of the research: negotiations fail on
the state of the protocol, not on strategy.

What other seats value, and what they could accept, never stands in it.
"""

from __future__ import annotations

from fractions import Fraction

from comity.core.canonical import Json, JsonObject
from comity.core.exact import ratio_text
from comity.core.parties import PartyId
from comity.core.step import Ask
from comity.mechanisms.bargaining.turns import seat_seed
from comity.protocols.offers.brief import move_brief
from comity.protocols.offers.grammar import FORMS, MoveKind
from comity.protocols.offers.state import Offer, OffersState
from comity.protocols.offers.suggest import left_to_offer, suggestions
from comity.protocols.offers.worth import judged, refusal

__all__ = ["acceptable_ids", "ask", "exact_json", "payload_of"]

_MAY: dict[str, tuple[MoveKind, ...]] = {
    "turns": ("accept", "offer", "withdraw", "pass", "say", "leave"),
    "offers": ("offer", "pass", "say", "leave"),
    "answers": ("accept", "pass", "say", "leave"),
}
"""Phase -> the moves that are open in it."""

_KINDS = {"turns": "turn", "offers": "offer", "answers": "answer"}


def exact_json(value: Fraction) -> Json:
    """Return an exact number as JSON: a whole number, or text such as ``"1/3"``.

    Args:
        value: the number.

    Example:
        >>> exact_json(Fraction(4)), exact_json(Fraction(1, 3))
        (4, '1/3')
    """
    return value.numerator if value.denominator == 1 else ratio_text(value)


def acceptable_ids(state: OffersState, seat: PartyId) -> tuple[str, ...]:
    """Return the ids of the standing offers that a seat may accept now.

    Args:
        state: the state.
        seat: the seat.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> acceptable_ids(new_state(sample_offers()), "ann")
        ()
    """
    return tuple(
        one.id
        for one in state.standing
        if one.party != seat
        and seat not in one.accepted_by
        and state.phase != "offers"
        and refusal(state.rules, seat, dict(one.deal)) is None
    )


def ask(
    state: OffersState, seat: PartyId, now_ms: int, *, again: str = "", attempt: int = 1
) -> OffersState:
    """Return the state with one more ask standing.

    Args:
        state: the state so far.
        seat: who is asked.
        now_ms: the time of the input that led here.
        again: why it is asked again, or "".
        attempt: 1, or more when asked again.

    Returns:
        The state; its last ask is the new one.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> ask(new_state(sample_offers()), "ann", 0).asks[0].payload["yours"]["reservation"]
        3
    """
    payload = payload_of(state, seat, now_ms, again)
    timeout = state.rules.limits.turn_timeout_ms
    until = state.closes_ms if timeout is None else min(state.closes_ms, now_ms + timeout)
    new = Ask(
        id=f"a{state.asked + 1}",
        party=seat,
        kind=_KINDS[state.phase],
        payload={**payload, "brief": move_brief(payload)},
        deadline_ms=until,
        attempt=attempt,
    )
    return state.with_ask(new)


def payload_of(state: OffersState, seat: PartyId, now_ms: int, again: str) -> JsonObject:
    """Return what a seat is told.

    Args:
        state: the state.
        seat: the seat.
        now_ms: the time.
        again: why it is asked again, or "".

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> told = payload_of(new_state(sample_offers()), "bob", 0, "")
        >>> told["round"], told["rounds_left"], told["may"]
        (0, 20, ('offer', 'pass', 'say', 'leave'))
    """
    rules = state.rules
    rounds = rules.limits.rounds
    may_accept = acceptable_ids(state, seat)
    may = _moves(state, seat, may_accept)
    return {
        "protocol": "offers",
        "kind": _KINDS[state.phase],
        "seat": seat,
        "question": rules.question,
        "way": rules.protocol,
        "order": rules.order,
        "turn_of": [seat] if state.phase == "turns" else rules.ids,
        "next": _next(state, seat),
        "round": state.round,
        "rounds": rounds,
        "rounds_left": rounds - state.round,
        "time_left_ms": max(state.closes_ms - now_ms, 0),
        "turns_without_new_offer": state.idle,
        "ends_after_turns_without_new_offer": rules.stall,
        "domain": rules.problem.domain.to_json(),
        "constraints": rules.recorded["constraints"],
        "rules_for_all": [str(one) for one in rules.problem.constraints],
        "yours": _yours(state, seat),
        "standing": [_standing(state, seat, one) for one in state.standing],
        "may": may,
        "may_accept": may_accept,
        "suggested": [
            {"deal": dict(one.deal), "worth": exact_json(one.worth), "why": one.why}
            for one in (suggestions(state, seat) if "offer" in may else ())
        ],
        "transcript": state.transcript,
        "forms": [FORMS[kind][0] for kind in may],
        "json_forms": [FORMS[kind][1] for kind in may],
        "seed": seat_seed(rules.seed, seat),
        "work": rules.work,
        "again": again,
    }


def _moves(state: OffersState, seat: PartyId, may_accept: tuple[str, ...]) -> tuple[MoveKind, ...]:
    """Return the moves that could count now."""
    closed: set[MoveKind] = set() if may_accept else {"accept"}
    if not any(one.party == seat for one in state.standing):
        closed.add("withdraw")
    return tuple(kind for kind in _MAY[state.phase] if kind not in closed)


def _next(state: OffersState, seat: PartyId) -> list[PartyId]:
    """Return who acts after this seat, in turn; nobody when all act at once."""
    if state.phase != "turns":
        return []
    order = state.rules.order
    at = order.index(seat)
    return [*order[at + 1 :], *order[:at]]


def _yours(state: OffersState, seat: PartyId) -> JsonObject:
    """Return what the seat itself knows and wants."""
    rules = state.rules
    party = rules.problem.party(seat)
    last = state.last_of(seat)
    limit = party.preferences.reservation
    return {
        "values": rules.own(seat),
        "unit": party.preferences.unit,
        "reservation": None if limit is None else exact_json(limit),
        "may_go_below": seat in rules.unbound,
        "red_lines": [str(one) for one in party.red_lines],
        "last_offer": None if last is None else last.id,
        "deals_left_to_offer": left_to_offer(state, seat),
        "accepted": [one.id for one in state.standing if seat in one.accepted_by],
        "may_only_concede": rules.monotonic,
    }


def _standing(state: OffersState, seat: PartyId, one: Offer) -> JsonObject:
    """Return a standing offer as a seat sees it: who has it, who accepts, what it is worth."""
    rules = state.rules
    found = judged(rules, seat, dict(one.deal))
    why = refusal(rules, seat, dict(one.deal))
    is_own = one.party == seat
    missing = [name for name in rules.ids if name not in {one.party, *one.accepted_by}]
    return {
        "id": one.id,
        "by": one.party,
        "yours": is_own,
        "round": one.round,
        "deal": dict(one.deal),
        "accepted_by": one.accepted_by,
        "missing": missing,
        "worth": exact_json(found.worth),
        "gain": exact_json(found.gain),
        "reaches_reservation": not found.short,
        "you_may_accept": one.id in acceptable_ids(state, seat),
        "why_not": "it is your own" if is_own else (why[1] if why else ""),
    }
