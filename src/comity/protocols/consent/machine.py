"""Consent machine: advocates without a chair, from positions to consent or INCOMPLETE.

Here: ``start`` and ``step``: which input does what, who is asked next, asking again, time.
Not here: what a reply means (grammar.py), a turn's effect (turns.py), checks (checks.py),
results (endings.py).
Sources: SEMANTICS C1-C9; ARCHITECTURE contracts 1-3.

The phases: ``positions`` (all seats are asked at once, blind) -> ``negotiation`` (one seat after
another in the recorded order) <-> ``check`` (all others are asked at once) -> ``ended``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction

from comity.core.canonical import JsonObject, plain
from comity.core.exact import read_exact, to_fraction
from comity.core.parties import PartyId
from comity.core.step import Ask, Input, Rejected, Step, answered_ask
from comity.protocols.consent.checks import (
    absent,
    answer,
    check_refusal,
    close_if_complete,
    object_late,
    open_check,
    spare_turn,
    void,
)
from comity.protocols.consent.endings import end, guard_of
from comity.protocols.consent.grammar import ConsentReading, read_message
from comity.protocols.consent.rules import ConsentRules
from comity.protocols.consent.state import ConsentState, ask, new_state
from comity.protocols.consent.turns import (
    Refusal,
    Said,
    apply_position,
    apply_turn,
    record_message,
    restate,
    with_feasibility,
)

__all__ = ["start", "step"]


def start(rules: ConsentRules) -> Step[ConsentState]:
    """Return the first step: everybody is asked for a position, or it ends at once.

    Red lines that the rules state are checked for contradictions before anybody is asked.

    Args:
        rules: the rules.

    Returns:
        The first step.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> first = start(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> sorted(ask.party for ask in first.asks)
        ['CC', 'CX']
    """
    state = with_feasibility(new_state(rules))
    if state.feasibility.verdict == "conflict":
        return end(state, "red_lines")
    for party in state.ids:
        state = ask(state, party, "position", 0)
    return Step(state=state, asks=state.asks, notes=state.flags, wake_at_ms=_wake(state))


def step(state: ConsentState, happened: Input) -> Step[ConsentState]:
    """Return what one input does; nonsense comes back as rejected and changes nothing.

    Args:
        state: the state so far.
        happened: the recorded input.

    Returns:
        The next step.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> first = start(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> step(first.state, Input(kind="cancel", now_ms=0)).outcome.reason
        'cancelled'
    """
    if state.phase == "ended":
        return _unchanged(state, "ended", happened, "the negotiation has ended")
    handler = _HANDLERS.get(happened.kind)
    if handler is None:
        return _unchanged(state, "unknown_kind", happened, f"kinds: {', '.join(_HANDLERS)}")
    after = handler(state, happened)
    new_flags = after.state.flags[len(state.flags) :]
    return replace(
        after,
        asks=after.state.asks,
        wake_at_ms=_wake(after.state),
        notes=(*new_flags, *after.notes),
    )


def _unchanged(state: ConsentState, reason: str, happened: Input, hint: str) -> Step[ConsentState]:
    rejected = Rejected(reason=reason, party=happened.party, hint=hint)
    return Step(state=state, asks=state.asks, rejected=(rejected,), wake_at_ms=_wake(state))


def _wake(state: ConsentState) -> int | None:
    return min(
        (one.deadline_ms for one in state.asks if one.deadline_ms is not None), default=None
    )


def _reply(state: ConsentState, happened: Input) -> Step[ConsentState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        return _unchanged(
            state, "late", happened, "this question is closed or was not asked of this seat"
        )
    state = _spent(state, happened.body or {})
    text = _text(happened.body)
    reading = _read(state, standing.party, text, _called(happened.body))
    state = _flag_spoofs(state, standing.party, reading)
    said = Said(standing.party, text or _spoken(reading), reading, happened.now_ms)
    if standing.kind == "answer":
        return _answered(state, standing, said)
    freed = replace(state, asks=tuple(one for one in state.asks if one.id != standing.id))
    apply = apply_position if standing.kind == "position" else apply_turn
    after = apply(freed, said)
    if isinstance(after, Refusal):
        return _again(state, standing, after, happened.now_ms)
    return _proceed(after, happened.now_ms)


def _answered(state: ConsentState, standing: Ask, said: Said) -> Step[ConsentState]:
    """Count the answer to a check, unless the seat tightens a red line: then the check is void."""
    restated = restate(state, said)
    if isinstance(restated, Refusal):
        return _again(state, standing, restated, said.now_ms)
    changed, is_tighter = restated
    if is_tighter:
        return _voided(changed, said)
    counted = answer(changed, standing, said.reading)
    if counted is None:
        return _again(state, standing, _why_unread(said.reading), said.now_ms)
    recorded = _unmoved(record_message(counted, said, "answer", answer=said.reading.answer))
    return close_if_complete(recorded, said.now_ms, _next_turn)


def _unmoved(state: ConsentState) -> ConsentState:
    """Count one more message, or one more missing word, that left the draft as it is."""
    return replace(state, idle=state.idle + 1)


def _voided(state: ConsentState, said: Said) -> Step[ConsentState]:
    recorded = _unmoved(record_message(state, said, "position"))
    return void(recorded, said.party, said.now_ms, _next_turn)


def _text(body: JsonObject | None) -> str:
    text = (body or {}).get("text")
    return text if isinstance(text, str) else ""


def _called(body: JsonObject | None) -> Mapping[str, object] | None:
    """Return what a seat handed to its tool for answers, or None when it called none."""
    tool = (body or {}).get("vote")
    found = plain(tool) if isinstance(tool, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _spoken(reading: ConsentReading) -> str:
    """Return an answer that was given without a word as the others read it."""
    if reading.answer == "OBJECT":
        return f"[OBJECT: {reading.reason}]"
    return "[CONSENT]" if reading.answer == "CONSENT" else ""


def _read(
    state: ConsentState, party: str, text: str, called: Mapping[str, object] | None = None
) -> ConsentReading:
    is_open = state.check is not None
    return read_message(text, seat=party, seats=state.ids, open_check=is_open, tool=called)


def _why_unread(reading: ConsentReading) -> Refusal:
    code = reading.error or "no_answer"
    return Refusal(
        code,
        "answer with [CONSENT] or [OBJECT: reason] alone on a line "
        f"(what was read: {code.replace('_', ' ')})",
    )


def _spoof(party: PartyId, reading: ConsentReading) -> tuple[str, ...]:
    if not reading.spoofed:
        return ()
    return (f"{party} wrote in the name of {', '.join(reading.spoofed)}; it counts for nothing",)


def _flag_spoofs(state: ConsentState, party: PartyId, reading: ConsentReading) -> ConsentState:
    return state.flagged(*_spoof(party, reading))


def _spent(state: ConsentState, body: JsonObject) -> ConsentState:
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        return state
    tokens, money = usage.get("tokens"), usage.get("money")
    if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0:
        state = replace(state, tokens=state.tokens + tokens)
    try:
        cost = to_fraction(read_exact(money, "usage", "money"))
    except ValueError:
        return state
    return replace(state, money=state.money + max(cost, Fraction(0)))


def _again(
    state: ConsentState, standing: Ask, refusal: Refusal, now_ms: int
) -> Step[ConsentState]:
    """Ask again with the reason, or go on without the seat when that was tried."""
    rejected = Rejected(reason=refusal.code, party=standing.party, hint=refusal.hint)
    rest = replace(state, asks=tuple(one for one in state.asks if one.id != standing.id))
    if refusal.code == "repeated" and standing.party in state.done:
        passed = _proceed(_unmoved(rest), now_ms)  # it has said that it has nothing to add
        return replace(passed, rejected=(rejected,))
    if standing.attempt <= state.rules.limits.reasks and guard_of(rest) != "budget":
        again = ask(
            rest,
            standing.party,
            standing.kind,
            now_ms,
            again=refusal.hint,
            attempt=standing.attempt + 1,
        )
        return Step(state=again, asks=again.asks, rejected=(rejected,))
    if refusal.code == "too_few_turns":
        return replace(end(rest, "round_limit"), rejected=(rejected,))
    forfeited = _forfeit(rest, standing, refusal.code, now_ms)
    return replace(forfeited, rejected=(rejected, *forfeited.rejected))


def _forfeit(state: ConsentState, standing: Ask, reason: str, now_ms: int) -> Step[ConsentState]:
    """Go on without a seat's word: silence is never consent and never a turn."""
    state = _unmoved(state)
    if standing.kind == "answer":
        return close_if_complete(absent(state, standing, reason), now_ms, _next_turn)
    what = "position" if standing.kind == "position" else "turn"
    state = state.flagged(f"{standing.party} gave no readable {what} ({reason})")
    return _proceed(state, now_ms)


def _failure(state: ConsentState, happened: Input) -> Step[ConsentState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        return _unchanged(state, "late", happened, "this question is closed")
    reason = (happened.body or {}).get("reason")
    state = _spent(state, happened.body or {})
    rest = replace(state, asks=tuple(one for one in state.asks if one.id != standing.id))
    if reason == "budget":  # all seats share it: nobody else can be asked either
        return end(rest.flagged(f"{standing.party} was not asked: the budget is used up"), reason)
    return _forfeit(rest, standing, str(reason or "failure"), happened.now_ms)


def _timer(state: ConsentState, happened: Input) -> Step[ConsentState]:
    due = [
        one
        for one in state.asks
        if one.deadline_ms is not None and one.deadline_ms <= happened.now_ms
    ]
    if not due:
        return _unchanged(state, "early", happened, "nothing is due yet")
    after: Step[ConsentState] = Step(state=state)
    for one in due:
        here = after.state  # several are due only while all are asked: the last one moves on
        rest = replace(here, asks=tuple(other for other in here.asks if other.id != one.id))
        after = _forfeit(rest, one, "timeout", happened.now_ms)
    return after


def _message(state: ConsentState, happened: Input) -> Step[ConsentState]:
    """Hear an unasked message: while a check is open, a new answer or a tighter red line."""
    if happened.party not in state.ids:
        return _unchanged(state, "not_a_seat", happened, "only seats speak here")
    party = str(happened.party)
    text = _text(happened.body)
    reading = _read(state, party, text)
    said = Said(party, text, reading, happened.now_ms)
    heard = _flag_spoofs(state, party, reading)
    restated = restate(heard, said)
    if state.check is not None and not isinstance(restated, Refusal) and restated[1]:
        return _voided(restated[0], said)
    changed = object_late(heard, party, reading)
    if not isinstance(changed, ConsentState):
        return replace(
            _unchanged(state, changed[0], happened, changed[1]), notes=_spoof(party, reading)
        )
    is_last = not spare_turn(state)
    recorded = _unmoved(record_message(changed, said, "answer", answer=reading.answer))
    if is_last:  # an objection always counts: the check cannot pass, and nothing can follow it
        return end(replace(recorded, check=None), "round_limit")
    return Step(state=recorded)


def _resumed(state: ConsentState, happened: Input) -> Step[ConsentState]:
    """Give every open ask its full time again after a restart."""
    timeout = state.rules.limits.turn_timeout_ms
    if timeout is None:
        return Step(state=state)
    asks = tuple(replace(one, deadline_ms=happened.now_ms + timeout) for one in state.asks)
    return Step(state=replace(state, asks=asks))


def _cancel(state: ConsentState, happened: Input) -> Step[ConsentState]:
    del happened
    return end(state, "cancelled")


def _proceed(state: ConsentState, now_ms: int) -> Step[ConsentState]:
    """Go on after a message outside a check."""
    if state.phase == "check":
        return Step(state=state)
    reason = guard_of(state)
    if state.phase == "positions":
        if state.asks and reason not in {"budget", "round_limit"}:
            return Step(state=state)
        state = replace(with_feasibility(state), phase="negotiation", idle=0)
        if state.feasibility.verdict == "conflict":
            return end(state, "red_lines")
        reason = guard_of(state)
    is_done = len(state.done) == len(state.ids)
    if is_done and reason in {None, "stall"}:
        return _last_check(state, now_ms)
    if reason is not None:
        return end(state, reason)
    return _next_turn(state, now_ms)


def _last_check(state: ConsentState, now_ms: int) -> Step[ConsentState]:
    """Open one last check when all are done, called by nobody."""
    if check_refusal(state, state.draft, turns_needed=len(state.ids)) is not None:
        return end(state, "exhausted")
    return Step(state=open_check(state, None, now_ms), notes=("all done: last check",))


def _next_turn(state: ConsentState, now_ms: int) -> Step[ConsentState]:
    party = state.ids[state.speaker]
    state = replace(state, speaker=(state.speaker + 1) % len(state.ids))
    return Step(state=ask(state, party, "turn", now_ms))


_HANDLERS: dict[str, Callable[[ConsentState, Input], Step[ConsentState]]] = {
    "reply": _reply,
    "failure": _failure,
    "message": _message,
    "timer": _timer,
    "resumed": _resumed,
    "cancel": _cancel,
}
