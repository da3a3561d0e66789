"""Offer turns: what one move of one seat does, and why it may do nothing.

Here: offers, acceptances by id, withdrawals, passing, words, leaving; revealing offers that were
made at once.
Not here: what a reply means (grammar.py), who acts next (machine.py), the end (endings.py).
Sources: SEMANTICS M2, B5, B7 (monotonic concession), B9, C3; complaints 2, 11, 19 and 23.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from comity.core.canonical import Json, JsonObject
from comity.core.canonical import digest as digest_of
from comity.core.errors import did_you_mean, one_line
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.guards import PingPong
from comity.protocols.offers.grammar import Move
from comity.protocols.offers.state import Offer, OffersState
from comity.protocols.offers.suggest import retreats
from comity.protocols.offers.worth import refusal, shown_deal

__all__ = ["Refusal", "apply_move", "counted", "joined", "reveal", "silent"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move is none: a code for programs and a sentence for the seat.

    Example:
        >>> Refusal("accept_own", "ann-0 is your own").code
        'accept_own'
    """

    code: str
    hint: str


def apply_move(state: OffersState, seat: PartyId, move: Move) -> OffersState | Refusal:
    """Return the state after a move, or why it changes nothing.

    Args:
        state: the state.
        seat: who moves, known from the channel.
        move: the move.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers())
        >>> offered = apply_move(
        ...     state, "ann", Move(kind="offer", deal=(("tls", "1.3"), ("days", "30")))
        ... )
        >>> offered.standing[0].id
        'ann-0'
        >>> apply_move(offered, "ann", Move(kind="accept", ids=("ann-0",))).code
        'accept_own'
    """
    refused = _not_now(state, move)
    if refused is not None:
        return refused
    if move.kind == "offer":
        return _offer(state, seat, move)
    if move.kind == "accept":
        return _accept(state, seat, move)
    if move.kind == "withdraw":
        return _withdraw(state, seat, move)
    if move.kind == "leave":
        gone = replace(state, left_by=seat)
        return _told(gone, seat, "leave", one_line(move.reason) or "no reason given", move)
    return _told(state, seat, move.kind, "", move)


def _not_now(state: OffersState, move: Move) -> Refusal | None:
    if state.phase == "offers" and move.kind in {"accept", "withdraw"}:
        return Refusal("not_now", "all offer now, unseen; you can accept when they are shown")
    if state.phase == "answers" and move.kind in {"offer", "withdraw"}:
        return Refusal("not_now", "the offers are made: accept one by its id, or PASS")
    return None


# --- offers ----------------------------------------------------------------------------------


def _offer(state: OffersState, seat: PartyId, move: Move) -> OffersState | Refusal:
    why = refusal(state.rules, seat, dict(move.deal))
    if why is not None:
        return Refusal(*why)
    if retreats(state, seat, move.deal):
        hint = "it is better for you than your last offer: here offers may only concede"
        return Refusal("retreat", hint)
    is_hidden = state.phase == "offers"
    kept = next((one for one in state.standing if one.party == seat), None)
    if kept is not None and kept.deal == move.deal:
        return _told(state, seat, "hold", kept.id, move)
    new = Offer(
        id=f"{seat}-{state.round}",
        party=seat,
        round=state.round,
        deal=move.deal,
        status="hidden" if is_hidden else "standing",
    )
    older = state.offers
    if not is_hidden:
        older = tuple(_if_standing(one, "superseded") for one in older)
    after = replace(state, offers=(*older, new))
    return _told(after, seat, "offer", f"{new.id}: {shown_deal(new.deal)}", move, new)


def _if_standing(one: Offer, status: str) -> Offer:
    if one.status != "standing":
        return one
    return replace(one, status=status)  # type: ignore[arg-type]  # one of the listed


def _accept(state: OffersState, seat: PartyId, move: Move) -> OffersState | Refusal:
    accepted = []
    for name in move.ids:
        found = _acceptable(state, seat, name)
        if isinstance(found, Refusal):
            return found
        accepted.append(found)
    offers = tuple(
        replace(one, accepted_by=(*one.accepted_by, seat))
        if one in accepted and seat not in one.accepted_by
        else one
        for one in state.offers
    )
    return _told(replace(state, offers=offers), seat, "accept", ", ".join(move.ids), move)


def _acceptable(state: OffersState, seat: PartyId, name: str) -> Offer | Refusal:
    """Return the standing offer of another that an id names and the seat may accept."""
    found = state.offer(name)
    open_ids = [one.id for one in state.standing if one.party != seat]
    open_now = f"on the table of another: {', '.join(open_ids) or 'none'}"
    shown = one_line(name)
    if found is not None and found.party == seat:
        return Refusal("accept_own", f"{shown} is your own offer; {open_now}")
    if found is not None and found.status != "standing":
        return Refusal(found.status, f"{shown} was {found.status}: it stands no more; {open_now}")
    if not open_ids:
        return Refusal("accept_without_offer", "nobody else has an offer on the table: make one")
    if found is None:
        near = did_you_mean(name, open_ids)
        return Refusal("unknown_offer", f"{shown} is no offer; {open_now}; {near}")
    why = refusal(state.rules, seat, dict(found.deal))
    return found if why is None else Refusal(why[0], f"{found.id}: {why[1]}")


def _withdraw(state: OffersState, seat: PartyId, move: Move) -> OffersState | Refusal:
    mine = {one.id for one in state.standing if one.party == seat}
    if not set(move.ids) <= mine:
        hint = f"you can withdraw your own standing offer: {', '.join(sorted(mine)) or 'none'}"
        return Refusal("not_yours", hint)
    offers = tuple(
        _if_standing(one, "withdrawn") if one.id in move.ids else one for one in state.offers
    )
    return _told(replace(state, offers=offers), seat, "withdraw", ", ".join(move.ids), move)


# --- the record ------------------------------------------------------------------------------


def _told(  # one entry of the transcript has as many parts
    state: OffersState,
    seat: PartyId,
    kind: str,
    text: str,
    move: Move,
    offer: Offer | None = None,
) -> OffersState:
    """Return the state with the move in the public transcript, or held back until it is shown."""
    entry: dict[str, Json] = {
        "round": state.round,
        "party": seat,
        "kind": kind,
        "text": text,
    }
    if offer is not None:
        entry |= {"id": offer.id, "deal": dict(offer.deal)}
    elif move.ids:
        entry["ids"] = move.ids
    if move.words:
        entry["say"] = move.words
    return _entered(state, entry)


def _entered(state: OffersState, entry: JsonObject) -> OffersState:
    if state.phase == "offers" and entry["kind"] != "leave":
        return replace(state, held_back=(*state.held_back, entry))
    return state.with_entry(entry)


def silent(state: OffersState, seat: PartyId, why: str) -> OffersState:
    """Return the state after a seat did not act: it passes, and the record says why.

    Args:
        state: the state.
        seat: who did not act.
        why: timeout, crashed, or the code of the last move that did not count.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> silent(new_state(sample_offers()), "ann", "timeout").notes
        ('ann did not act in round 0 (timeout)',)
    """
    why = _public(state, why)
    entry: JsonObject = {"round": state.round, "party": seat, "kind": "silent", "text": ""}
    state = replace(state, failed=(*state.failed, (seat, why)))
    state = state.noted(f"{seat} did not act in round {state.round} ({one_line(why)})")
    return _entered(state, entry)


_PRIVATE = frozenset({"below_reservation", "crosses_red_line", "retreat"})


def _public(state: OffersState, why: str) -> str:
    """Return why a seat did not act, as all may know it: refusals tell of its own values."""
    if why in _PRIVATE and not state.rules.disclose:
        return "no_valid_move"
    return why


def counted(state: OffersState, before: OffersState) -> OffersState:
    """Return the state with one more turn counted: did it bring a new offer?

    Rounds in which all act at once are counted when they are revealed, so that the order of
    arrival means nothing.

    Args:
        state: the state after the turn.
        before: the state before it.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers())
        >>> counted(silent(state, "ann", "timeout"), state).idle
        1
    """
    if state.phase != "turns":
        return state
    return _idle(state, state.offers[len(before.offers) :], 1)


def _idle(state: OffersState, new: tuple[Offer, ...], turns: int) -> OffersState:
    """Return the state after turns that brought these offers, new to their seats or not."""
    for one in new:
        before = (o for o in state.offers if o.party == one.party and o.round < one.round)
        if one.deal not in {o.deal for o in before}:
            return replace(state, idle=0, moved_in=state.round, loop=PingPong())
    return replace(state, idle=state.idle + turns)


def joined(state: OffersState) -> OffersState:
    """Return the state with its joint state looked at: the last offers of all.

    Args:
        state: the state after a turn, or after a whole simultaneous round.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> joined(new_state(sample_offers())).loop.tripped
        False
    """
    lasts = [state.last_of(name) for name in state.rules.ids]
    joint = digest_of([None if one is None else one.deal for one in lasts])
    return replace(state, loop=state.loop.saw(joint))


def reveal(state: OffersState) -> OffersState:
    """Return the state in which the offers made at once are shown together.

    A new offer takes the place of the same seat's older one. Seats that offer the same deal have
    accepted it by offering it.

    Args:
        state: the state when all have offered or passed.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers(protocol="simultaneous"))
        >>> same = Move(kind="offer", deal=(("tls", "1.3"), ("days", "60")))
        >>> both = apply_move(apply_move(state, "bob", same), "ann", same)
        >>> [(one.id, one.accepted_by) for one in reveal(both).standing]
        [('ann-0', ('bob',)), ('bob-0', ('ann',))]
    """
    new = sorted((one for one in state.offers if one.status == "hidden"), key=lambda o: o.party)
    makers = {one.party for one in new}
    older = tuple(
        _if_standing(one, "superseded") if one.party in makers else one
        for one in state.offers
        if one.status != "hidden"
    )
    offers = (*older, *(replace(one, status="standing") for one in new))
    same = {
        one.id: tuple(
            sorted(
                other.party
                for other in offers
                if other.status == "standing"
                and other.deal == one.deal
                and other.party not in {one.party, *one.accepted_by}
            )
        )
        for one in offers
        if one.status == "standing"
    }
    offers = tuple(
        replace(one, accepted_by=(*one.accepted_by, *same.get(one.id, ()))) for one in offers
    )
    shown = replace(state, phase="answers", offers=offers, held_back=())
    shown = _idle(shown, tuple(new), len(state.rules.ids))
    for entry in sorted(state.held_back, key=lambda one: str(one["party"])):
        shown = shown.with_entry(entry)
    return shown
