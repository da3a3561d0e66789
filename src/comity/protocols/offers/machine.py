"""Offers machine: who acts next, what each input does, and when it is over.

Here: ``start`` and ``step``: rounds and turns of both protocols, asking again, time, guards.
Not here: what a move does (turns.py), what a seat is told (payload.py), results (endings.py),
the person behind it (gate.py).
Sources: SEMANTICS M2, M5, B7, B9, G8, G9; ARCHITECTURE contracts 1-3.

The phases: ``turns`` (one seat after another) when they alternate; ``offers`` (all at once,
unseen) <-> ``answers`` (all at once) when they are simultaneous; then perhaps ``person``;
``ended``. A mediated session is over in its first step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from comity.core.canonical import JsonObject
from comity.core.parties import PartyId
from comity.core.results import NoDealReason
from comity.core.step import Ask, Input, Rejected, Step, answered_ask
from comity.core.ties import lot
from comity.protocols.collect.grammar import read_decision
from comity.protocols.offers.endings import Ended, agreement, ended, mediated
from comity.protocols.offers.gate import (
    CHOICES,
    ask_person,
    ask_person_anew,
    decided,
    reasons_for_person,
    with_ask,
)
from comity.protocols.offers.grammar import Move, Reading, read_move
from comity.protocols.offers.payload import ask
from comity.protocols.offers.rules import OffersRules
from comity.protocols.offers.settling import settled
from comity.protocols.offers.state import OffersState, new_state
from comity.protocols.offers.suggest import left_to_offer
from comity.protocols.offers.turns import (
    Refusal,
    apply_move,
    counted,
    joined,
    reveal,
    silent,
)

__all__ = ["start", "step"]

_DATA = ("offer", "accept", "withdraw", "pass", "leave")
_UNASKED = ("leave", "withdraw")


def start(rules: OffersRules) -> Step[OffersState]:
    """Return the first step: the first seat is asked, or all; a mediator decides at once.

    Args:
        rules: the rules.

    Returns:
        The first step.

    Raises:
        InvalidInput: when a mediator's point does not exist for these seats.

    Example:
        >>> from comity.testing.bargains import sample_offers
        >>> [one.party for one in start(sample_offers()).asks]
        ['ann']
    """
    state = new_state(rules)
    if rules.protocol == "mediated":
        return _closed(state, mediated(rules), 0)
    if not rules.first and rules.protocol == "alternating":
        state = replace(state, ties=(lot(rules.seed, "opener", rules.ids),))
    return _shown(Step(state=_ask_next(state, 0)), ())


def step(state: OffersState, happened: Input) -> Step[OffersState]:
    """Return what one input does; nonsense comes back as rejected and changes nothing.

    Args:
        state: the state so far.
        happened: the recorded input.

    Returns:
        The next step.

    Example:
        >>> from comity.testing.bargains import sample_offers
        >>> first = start(sample_offers())
        >>> step(first.state, Input(kind="cancel", now_ms=0)).outcome.reason
        'cancelled'
    """
    if state.phase == "ended":
        return _unchanged(state, "ended", happened, "it is over: this counts for nothing")
    handler = _HANDLERS.get(happened.kind)
    if handler is None:
        return _unchanged(state, "unknown_kind", happened, f"kinds: {', '.join(_HANDLERS)}")
    return _shown(handler(state, happened), state.notes)


def _shown(after: Step[OffersState], before: tuple[str, ...]) -> Step[OffersState]:
    return replace(
        after,
        asks=after.state.asks,
        wake_at_ms=after.state.wake_at_ms,
        notes=(*after.state.notes[len(before) :], *after.notes),
    )


def _unchanged(state: OffersState, reason: str, happened: Input, hint: str) -> Step[OffersState]:
    rejected = Rejected(reason=reason, party=happened.party, hint=hint)
    return Step(state=state, asks=state.asks, rejected=(rejected,), wake_at_ms=state.wake_at_ms)


def _without(state: OffersState, gone: Ask) -> OffersState:
    return replace(state, asks=tuple(one for one in state.asks if one.id != gone.id))


def _seen(state: OffersState, happened: Input) -> OffersState:
    return replace(state, seen_ms=max(state.seen_ms, happened.now_ms))


# --- answers ---------------------------------------------------------------------------------


def _reply(state: OffersState, happened: Input) -> Step[OffersState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        hint = "late: this question is closed, or was not asked of this seat"
        return _unchanged(state, "late", happened, hint)
    if state.phase == "person":
        return _answered_by_person(state, standing, happened)
    if happened.now_ms >= state.closes_ms:
        return _too_late(state, happened)
    rest = _seen(_without(state, standing), happened)
    reading = _read(state, happened)
    refused: Refusal | OffersState = Refusal(reading.error, reading.hint)
    if reading.move is not None:
        refused = apply_move(rest, standing.party, reading.move)
    if isinstance(refused, OffersState):
        return _proceed(counted(refused, rest), happened.now_ms)
    rejected = Rejected(reason=refused.code, party=standing.party, hint=refused.hint)
    if standing.attempt <= state.rules.limits.reasks:
        again = ask(
            rest,
            standing.party,
            happened.now_ms,
            again=refused.hint,
            attempt=standing.attempt + 1,
        )
        return Step(state=again, rejected=(rejected,))
    after = _passed(rest, standing.party, refused.code, happened.now_ms)
    return replace(after, rejected=(rejected, *after.rejected))


def _read(state: OffersState, happened: Input) -> Reading:
    """Read a move from the words of an answer, or from its data."""
    body: Mapping[str, object] = happened.body or {}
    said: str | Mapping[str, object] = body
    if not any(name in body for name in _DATA):
        text = body.get("text")
        said = text if isinstance(text, str) else ""
    return read_move(said, state.rules.problem.domain)


def _too_late(state: OffersState, happened: Input) -> Step[OffersState]:
    """End it: the time of all was over before this came (G9)."""
    after = _end(_seen(state, happened), "time_limit", happened.now_ms)
    hint = "the time for all was over before this was recorded"
    rejected = Rejected(reason="late", party=happened.party, hint=hint)
    return replace(after, rejected=(rejected,))


def _passed(state: OffersState, seat: PartyId, why: str, now_ms: int) -> Step[OffersState]:
    """Go on without a seat's move: silence accepts nothing and offers nothing."""
    return _proceed(counted(silent(state, seat, why), state), now_ms)


def _failure(state: OffersState, happened: Input) -> Step[OffersState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        return _unchanged(state, "late", happened, "this question is closed")
    rest = _seen(_without(state, standing), happened)
    if state.phase == "person":
        return Step(state=rest, notes=(f"{standing.party} is not there",))
    if happened.now_ms >= state.closes_ms:
        return _too_late(state, happened)
    reason = (happened.body or {}).get("reason")
    said = str(reason or "failure")
    if said == "left":
        return _gone(rest, standing.party, happened.now_ms)
    return _passed(rest, standing.party, said, happened.now_ms)


def _gone(state: OffersState, seat: PartyId, now_ms: int) -> Step[OffersState]:
    """End it because a seat is gone: an agreement would need its assent."""
    move = Move(kind="leave", reason="it is not there any more")
    gone = replace(state, failed=(*state.failed, (seat, "left")))
    left = apply_move(gone.noted(f"{seat} is not there any more"), seat, move)
    assert isinstance(left, OffersState)  # leaving is never refused
    return _end(left, "left", now_ms)


def _message(state: OffersState, happened: Input) -> Step[OffersState]:
    """Hear an unasked message: a seat may leave or take its offer back at any time."""
    seat = happened.party or ""
    if state.phase == "person":
        return _word_of_person(state, happened)
    if seat not in state.rules.ids:
        hint = "only seats bargain here: this is recorded and counts for nothing"
        return _unchanged(state, "not_a_seat", happened, hint)
    if happened.now_ms >= state.closes_ms:
        return _too_late(state, happened)
    reading = _read(state, happened)
    if reading.move is None or reading.move.kind not in _UNASKED:
        hint = f"{', '.join(state.turn_of)} to act now; unasked you can only LEAVE or WITHDRAW"
        return _unchanged(state, "not_your_turn", happened, hint)
    after = apply_move(state, seat, reading.move)
    if isinstance(after, Refusal):
        return _unchanged(state, after.code, happened, after.hint)
    after = _seen(after, happened)
    return _end(after, "left", happened.now_ms) if after.left_by else Step(state=after)


def _word_of_person(state: OffersState, happened: Input) -> Step[OffersState]:
    if happened.party != state.rules.gate.seat:
        return _unchanged(state, "late", happened, "the table is closed; a person decides now")
    choice = _decision(happened)
    if choice is None:
        return _unchanged(state, "no_decision", happened, _CHOOSE)
    return _decided(state, choice, "person", happened.body)


# --- time ------------------------------------------------------------------------------------


def _timer(state: OffersState, happened: Input) -> Step[OffersState]:
    due = state.wake_at_ms
    if due is None or happened.now_ms < due:
        return _unchanged(state, "early", happened, "nothing is due yet")
    if state.phase == "person":
        return _decided(state, state.rules.gate.default, "default")
    state = _seen(state, happened)
    if happened.now_ms >= state.closes_ms:
        return _end(state, "time_limit", happened.now_ms)
    late = [one for one in state.asks if (one.deadline_ms or 0) <= happened.now_ms]
    after: Step[OffersState] = Step(state=state)
    for one in late:  # several only while all act at once: the last one moves on
        rest = _without(after.state, one)
        after = _passed(rest, one.party, "timeout", happened.now_ms)
    return after


def _resumed(state: OffersState, happened: Input) -> Step[OffersState]:
    """Shift every time by how long nobody could act, now that it is known what time it is.

    The loop says this when bargaining is opened, and again when a process takes it up.
    """
    if state.phase == "person" and state.seen_ms:
        return Step(state=state)  # a person keeps the time that was named
    away = max(happened.now_ms - state.seen_ms, 0)
    asks = tuple(replace(one, deadline_ms=(one.deadline_ms or 0) + away) for one in state.asks)
    moved = replace(
        state,
        closes_ms=state.closes_ms + away,
        person_until_ms=state.person_until_ms + away,
        asks=asks,
    )
    return Step(state=_seen(moved, happened))


def _cancel(state: OffersState, happened: Input) -> Step[OffersState]:
    del happened
    shown = _all_shown(state)
    return _over(shown, ended(shown, "cancelled"))


# --- whose turn ------------------------------------------------------------------------------


def _proceed(state: OffersState, now_ms: int) -> Step[OffersState]:
    """Go on after a seat acted or did not."""
    if state.left_by:
        return _end(state, "left", now_ms)
    if state.asks:
        return Step(state=state)  # others act at the same time
    if state.phase == "offers":
        return _answers(reveal(state), now_ms)
    found = settled(state)
    if found is not None:
        offer, ties = found
        agreed = replace(state, ties=(*state.ties, *ties))
        return _closed(agreed, agreement(agreed, offer), now_ms)
    return _next(joined(state) if state.phase == "turns" else state, now_ms)


def _answers(state: OffersState, now_ms: int) -> Step[OffersState]:
    """Ask all for whom an offer of another stands; at once to the end when one is agreed."""
    state = joined(state)
    if settled(state) is None:
        for seat in state.rules.order:
            if any(seat not in {one.party, *one.accepted_by} for one in state.standing):
                state = ask(state, seat, now_ms)
    return _proceed(state, now_ms)


def _next(state: OffersState, now_ms: int) -> Step[OffersState]:
    """Go to the next turn or round, unless a guard ends it."""
    reason = _guard(state)
    if reason is not None:
        return _end(state, reason, now_ms)
    if state.phase == "answers" and state.rules.protocol == "alternating":
        return _last(state, now_ms)  # it was the last call
    is_alternating = state.rules.protocol == "alternating"
    at = (state.at + 1) % len(state.rules.ids) if is_alternating else 0
    if at == 0 and state.round + 1 >= state.rules.limits.rounds:
        return _last_call(state, now_ms) if state.phase == "turns" else _last(state, now_ms)
    phase: Literal["turns", "offers"] = "turns" if is_alternating else "offers"
    moved = replace(state, at=at, round=state.round + (at == 0), phase=phase)
    return Step(state=_ask_next(moved, now_ms))


def _last(state: OffersState, now_ms: int) -> Step[OffersState]:
    return _end(state, "round_limit", now_ms)


def _last_call(state: OffersState, now_ms: int) -> Step[OffersState]:
    """Put the last offer to those who had no turn after it, when all who had one accepted it."""
    order, standing = state.rules.order, state.standing
    fresh = [one for one in standing if one.round == state.round]
    if not fresh:
        return _last(state, now_ms)
    (last,) = fresh
    at = order.index(last.party)
    if not set(order[at + 1 :]) <= set(last.accepted_by):
        return _last(state, now_ms)
    called = replace(state, phase="answers")
    for seat in order[:at]:
        called = ask(called, seat, now_ms)
    return Step(state=called, notes=(f"last call for {last.id}",))


def _guard(state: OffersState) -> NoDealReason | None:
    """Return the guard that ends it: nobody has anything new, or it goes round in circles.

    To repeat an old offer is legal, so only many turns without a new one end it.
    """
    seats = len(state.rules.ids)
    if state.idle >= seats and all(left_to_offer(state, one) == 0 for one in state.rules.ids):
        return "exhausted"
    if state.idle < state.rules.stall:
        return None
    return "ping_pong" if len(state.loop.seen) > 1 else "stall"  # old offers taken up again


def _ask_next(state: OffersState, now_ms: int) -> OffersState:
    if state.phase == "turns":
        return ask(state, state.rules.order[state.at], now_ms)
    for seat in state.rules.order:
        state = ask(state, seat, now_ms)
    return state


# --- the end ---------------------------------------------------------------------------------


def _end(state: OffersState, reason: NoDealReason, now_ms: int) -> Step[OffersState]:
    shown = _all_shown(state)
    return _closed(shown, ended(shown, reason), now_ms)


def _all_shown(state: OffersState) -> OffersState:
    """Return the state without anything held back: the record of the end is whole."""
    return reveal(state) if state.phase == "offers" else state


def _closed(state: OffersState, found: Ended, now_ms: int) -> Step[OffersState]:
    """Return the end, or the person's ask when the result is put to one first."""
    why = reasons_for_person(state, found)
    if not why:
        return _over(state, found)
    asked = ask_person(state, found, why, now_ms)
    return _shown(Step(state=asked, notes=(f"put to {state.rules.gate.seat}",)), asked.notes)


def _over(state: OffersState, found: Ended) -> Step[OffersState]:
    return Step(state=replace(state, phase="ended", asks=(), held=None), outcome=found)


# --- the person ------------------------------------------------------------------------------

_CHOOSE = f"answer DECIDE: and one of {', '.join(CHOICES)}"


def _decision(happened: Input) -> str | None:
    told: Mapping[str, object] = happened.body or {}
    said = told.get("decide", told.get("text"))
    return read_decision(said, CHOICES) if isinstance(said, str) else None


def _answered_by_person(state: OffersState, standing: Ask, happened: Input) -> Step[OffersState]:
    choice = _decision(happened)
    if choice is not None:
        return _decided(state, choice, "person", happened.body)
    rejected = Rejected(reason="no_decision", party=standing.party, hint=_CHOOSE)
    rest = _without(state, standing)
    if standing.attempt <= state.rules.limits.reasks:
        rest = with_ask(rest, again=_CHOOSE, attempt=standing.attempt + 1)
    return Step(state=rest, rejected=(rejected,))


def _undo(state: OffersState, happened: Input) -> Step[OffersState]:
    """Ask the person anew; the fold hands in the state that the decision was made in."""
    if state.phase != "person":
        return _unchanged(state, "nothing_to_undo", happened, "no person has decided")
    return Step(state=ask_person_anew(state, happened).noted("a decision was taken back"))


def _decided(
    state: OffersState, choice: str, ended_by: str, body: JsonObject | None = None
) -> Step[OffersState]:
    found = decided(state, choice, ended_by, body)
    noted = state.noted(f"decided by {ended_by}: {choice}")
    return _over(noted, found)


_HANDLERS: dict[str, Callable[[OffersState, Input], Step[OffersState]]] = {
    "reply": _reply,
    "failure": _failure,
    "message": _message,
    "timer": _timer,
    "resumed": _resumed,
    "cancel": _cancel,
    "undo": _undo,
}
