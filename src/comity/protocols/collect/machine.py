"""Vote machine: every member is asked at once, and the vote closes whoever is silent.

Here: ``start`` and ``step``: which input does what, asking again, changed votes, time.
Not here: what an answer means (grammar.py), counting and closing early (closing.py), the person
behind the vote (gate.py).
Sources: SEMANTICS V1, V7, V8, G8, G9; ARCHITECTURE contracts 1-3.

The phases: ``voting`` (all are asked at once, blind, one deadline) -> ``person`` (when a thin
result, a no-decision or a missing voter is put to one) -> ``ended``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from comity.core.canonical import JsonObject
from comity.core.errors import InvalidInput
from comity.core.step import Ask, Input, Rejected, Step, answered_ask
from comity.mechanisms.voting import rule_named
from comity.protocols.collect.closing import cancelled, closes_early, result_of
from comity.protocols.collect.gate import (
    ask_person,
    ask_person_anew,
    decided,
    reasons_for_person,
    with_ask,
)
from comity.protocols.collect.grammar import (
    Reading,
    normal_ballot,
    read_ballot_reply,
    read_decision,
    told,
)
from comity.protocols.collect.rules import VoteRules
from comity.protocols.collect.state import Cast, VoteState, ask, new_state

__all__ = ["start", "step"]


def start(rules: VoteRules) -> Step[VoteState]:
    """Return the first step: every voter is asked.

    Args:
        rules: the rules.

    Returns:
        The first step; its notes warn of even rosters, unanimity and voters all alike.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> first = start(vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1"))
        >>> [one.party for one in first.asks], first.wake_at_ms
        (['ann', 'bob', 'cyd'], 600000)
    """
    state = new_state(rules)
    for voter in rules.ids:
        state = ask(state, voter)
    return Step(state=state, asks=state.asks, notes=state.notes, wake_at_ms=state.wake_at_ms)


def step(state: VoteState, happened: Input) -> Step[VoteState]:
    """Return what one input does; nonsense comes back as rejected and changes nothing.

    Args:
        state: the state so far.
        happened: the recorded input.

    Returns:
        The next step.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> first = start(vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1"))
        >>> step(first.state, Input(kind="cancel", now_ms=0)).outcome.reason
        'cancelled'
    """
    if state.phase == "ended":
        return _unchanged(state, "ended", happened, "the vote is closed: this counts for nothing")
    handler = _HANDLERS.get(happened.kind)
    if handler is None:
        return _unchanged(state, "unknown_kind", happened, f"kinds: {', '.join(_HANDLERS)}")
    after = handler(state, happened)
    new_notes = after.state.notes[len(state.notes) :]
    return replace(
        after,
        asks=after.state.asks,
        wake_at_ms=after.state.wake_at_ms,
        notes=(*new_notes, *after.notes),
    )


def _unchanged(state: VoteState, reason: str, happened: Input, hint: str) -> Step[VoteState]:
    rejected = Rejected(reason=reason, party=happened.party, hint=hint)
    return Step(state=state, asks=state.asks, rejected=(rejected,), wake_at_ms=state.wake_at_ms)


def _without(state: VoteState, gone: Ask) -> VoteState:
    return replace(state, asks=tuple(one for one in state.asks if one.id != gone.id))


# --- answers ---------------------------------------------------------------------------------


def _reply(state: VoteState, happened: Input) -> Step[VoteState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        hint = "late: this question is closed, or was not asked of this seat"
        return _unchanged(state, "late", happened, hint)
    if state.phase == "person":
        return _answered_by_person(state, standing, happened)
    reading = _read(state.rules, happened.body)
    rest = _without(state, standing)
    if not reading.error:
        counted = _cast(rest, standing.party, reading, happened.now_ms)
        assert isinstance(counted, VoteState)  # who is asked has no ballot yet
        return _proceed(counted, happened.now_ms)
    rejected = Rejected(reason=reading.error, party=standing.party, hint=reading.hint)
    if standing.attempt <= state.rules.limits.reasks:
        again = ask(rest, standing.party, again=reading.hint, attempt=standing.attempt + 1)
        return Step(state=again, rejected=(rejected,))
    wrong = Cast(
        voter=standing.party,
        ballot=None,
        at_ms=happened.now_ms,
        status="invalid",
        reason=f"{reading.error}: {reading.hint}",
    )
    note = f"{standing.party} gave no readable ballot ({reading.error})"
    rest = _noted(replace(rest, cast=(*rest.cast, wrong)), note)
    after = _proceed(rest, happened.now_ms)
    return replace(after, rejected=(rejected, *after.rejected))


def _read(rules: VoteRules, body: JsonObject | None) -> Reading:
    """Read a ballot from the words of an answer, or from its data, and see if it counts."""
    said = body or {}
    if "ballot" in said:
        try:
            reading = Reading(normal_ballot(said["ballot"], rules.kind, rules.options))
        except InvalidInput as error:
            return Reading(error="unreadable", hint=told(error))
    else:
        text = said.get("text")
        words = text if isinstance(text, str) else ""
        reading = read_ballot_reply(words, rules.kind, rules.options)
    if reading.error or reading.ballot is None:
        return reading
    try:
        weighty = next(one.id for one in rules.voters if one.weight)
        election = rules.election({weighty: reading.ballot})
        told_rule = {name: item for name, item in rules.told.items() if name != "veto_holders"}
        rule_named(rules.rule)(election, **told_rule)
    except InvalidInput as error:
        return Reading(error="uncountable", hint=told(error))
    return reading


def _cast(
    state: VoteState, voter: str, reading: Reading, now_ms: int
) -> VoteState | tuple[str, str]:
    """Return the state with a ballot cast, or why it changes nothing."""
    new = Cast(voter=voter, ballot=reading.ballot, at_ms=now_ms)
    before = state.standing(voter)
    if before is None:
        return replace(state, cast=(*state.cast, new))
    if before.status == "counted":
        if before.ballot == new.ballot:
            return "repeated", "this vote is counted already"
        if state.rules.changes == "reject":
            return "no_change", "a vote once cast cannot be changed here"
        if state.rules.changes == "first":
            kept = replace(state, cast=(*state.cast, replace(new, status="ignored")))
            return _noted(kept, f"{voter} voted again; the first vote stands")
    old = replace(before, status="replaced")
    cast = tuple(old if one is before else one for one in state.cast)
    return _noted(replace(state, cast=(*cast, new)), f"{voter} changed its vote")


def _noted(state: VoteState, *notes: str) -> VoteState:
    new = tuple(note for note in notes if note not in state.notes)
    return replace(state, notes=(*state.notes, *new))


def _message(state: VoteState, happened: Input) -> Step[VoteState]:
    """Hear an unasked message: a vote or another one while it is open, the person's word."""
    party = happened.party or ""
    if state.phase == "person":
        if party != state.rules.gate.seat:
            return _unchanged(state, "late", happened, "the vote is closed; a person decides now")
        choice = _decision(state, happened)
        if choice is None:
            return _unchanged(state, "no_decision", happened, _choices(state))
        return _end(state, choice, "person", happened.body)
    if party not in state.rules.ids:
        hint = "only members vote here: this is recorded as advice and counts for nothing"
        return _unchanged(state, "not_a_member", happened, hint)
    reading = _read(state.rules, happened.body)
    if reading.error:
        return _unchanged(state, reading.error, happened, reading.hint)
    after = _cast(state, party, reading, happened.now_ms)
    if not isinstance(after, VoteState):
        return _unchanged(state, after[0], happened, after[1])
    asks = tuple(one for one in after.asks if one.party != party)
    return _proceed(replace(after, asks=asks), happened.now_ms)


def _failure(state: VoteState, happened: Input) -> Step[VoteState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        return _unchanged(state, "late", happened, "this question is closed")
    rest = _without(state, standing)
    if state.phase == "person":
        return Step(state=rest, notes=(f"{standing.party} is not there",))
    reason = (happened.body or {}).get("reason")
    said = str(reason or "failure")
    rest = replace(rest, failed=(*rest.failed, (standing.party, said)))
    rest = _noted(rest, f"{standing.party} could not answer ({said})")
    return _proceed(rest, happened.now_ms)


# --- time ------------------------------------------------------------------------------------


def _timer(state: VoteState, happened: Input) -> Step[VoteState]:
    due = state.wake_at_ms
    if due is None or happened.now_ms < due:
        return _unchanged(state, "early", happened, "nothing is due yet")
    if state.phase == "person":
        return _end(state, state.rules.gate.default, "default")
    if _may_extend(state):
        return Step(state=_extended(state, happened.now_ms))
    return _close(state, "deadline", happened.now_ms)


def _may_extend(state: VoteState) -> bool:
    return state.rules.absent == "extend" and not state.is_extended and bool(state.missing)


def _extended(state: VoteState, now_ms: int) -> VoteState:
    """Give all who are missing one more time, the same for all; ask again who failed."""
    closes = now_ms + state.rules.limits.deadline_ms
    asks = tuple(replace(one, deadline_ms=closes) for one in state.asks)
    longer = replace(state, is_extended=True, closes_ms=closes, asks=asks)
    asked = {one.party for one in asks}
    for voter in state.missing:
        if voter not in asked:
            longer = ask(longer, voter, again="you could not answer before", attempt=2)
    return _noted(longer, f"extended once for {', '.join(state.missing)}")


def _resumed(state: VoteState, happened: Input) -> Step[VoteState]:
    """Give the voters their full time, now that it is known what time it is; a person keeps his.

    The loop says this when a vote is opened, and again when a process takes it up.
    """
    if state.phase == "person":
        return Step(state=state)
    closes = happened.now_ms + state.rules.limits.deadline_ms
    asks = tuple(replace(one, deadline_ms=closes) for one in state.asks)
    return Step(state=replace(state, closes_ms=closes, asks=asks))


def _cancel(state: VoteState, happened: Input) -> Step[VoteState]:
    del happened
    ended = replace(state, phase="ended", asks=(), held=None)
    return Step(state=ended, outcome=cancelled(state))


# --- closing ---------------------------------------------------------------------------------


def _proceed(state: VoteState, now_ms: int) -> Step[VoteState]:
    """Go on after an answer: wait, or close when all are in or nothing can change it."""
    if state.asks:
        found = closes_early(state)
        if found is None:
            return Step(state=state)
        noted = _noted(state, f"closed early: {found.why}")
        return _close(noted, "early", now_ms)
    if _may_extend(state):
        return Step(state=_extended(state, now_ms))
    return _close(state, "all_answered" if not state.missing else "all_asked", now_ms)


def _close(state: VoteState, ended_by: str, now_ms: int) -> Step[VoteState]:
    found = result_of(state, ended_by)
    why = reasons_for_person(state, found)
    if why:
        asked = ask_person(state, found, why, now_ms)
        told = f"put to {state.rules.gate.seat}: {', '.join(why)}"
        return Step(state=asked, notes=(told,))
    return Step(state=replace(state, phase="ended", asks=()), outcome=found)


# --- the person ------------------------------------------------------------------------------


def _decision(state: VoteState, happened: Input) -> str | None:
    told: Mapping[str, object] = happened.body or {}
    said = told.get("decide", told.get("text"))
    return read_decision(said, state.rules.choices) if isinstance(said, str) else None


def _choices(state: VoteState) -> str:
    return f"answer DECIDE: and one of {', '.join(state.rules.choices)}"


def _answered_by_person(state: VoteState, standing: Ask, happened: Input) -> Step[VoteState]:
    choice = _decision(state, happened)
    if choice is not None:
        return _end(state, choice, "person", happened.body)
    rejected = Rejected(reason="no_decision", party=standing.party, hint=_choices(state))
    rest = _without(state, standing)
    if standing.attempt <= state.rules.limits.reasks:
        rest = with_ask(rest, again=_choices(state), attempt=standing.attempt + 1)
    return Step(state=rest, rejected=(rejected,))


def _undo(state: VoteState, happened: Input) -> Step[VoteState]:
    """Ask the person anew; the fold hands in the state that the decision was made in."""
    if state.phase != "person":
        return _unchanged(state, "nothing_to_undo", happened, "no person has decided")
    return Step(state=_noted(ask_person_anew(state, happened), "a decision was taken back"))


def _end(
    state: VoteState, choice: str, ended_by: str, body: JsonObject | None = None
) -> Step[VoteState]:
    outcome = decided(state, choice, ended_by, body)
    noted = _noted(state, f"decided by {ended_by}: {choice}")
    return Step(state=replace(noted, phase="ended", asks=()), outcome=outcome)


_HANDLERS: dict[str, Callable[[VoteState, Input], Step[VoteState]]] = {
    "reply": _reply,
    "failure": _failure,
    "message": _message,
    "timer": _timer,
    "resumed": _resumed,
    "cancel": _cancel,
    "undo": _undo,
}
