r"""Checks: a consent check is called, answered and closed.

Here: what makes a check possible, opening one on a frozen version, reading answers, closing or
voiding it.
Not here: ordinary turns (turns.py), how a result is built (endings.py).
Sources: SEMANTICS C2 (consent bound to a version, the caller consents by calling), C4, C8, C9.

Example:
    >>> from comity.core.step import Input
    >>> from comity.protocols.consent.machine import start, step
    >>> from comity.protocols.consent.rules import consent_rules
    >>> last = start(consent_rules("q", {"A": "x", "B": "y"}, seed="1", order=["A", "B"]))
    >>> for words in (
    ...     "PRIORITY: x",
    ...     "PRIORITY: y",
    ...     "[CONSENT CHECK]\n- Weekly sync",
    ...     "[CONSENT]",
    ... ):
    ...     asked = last.asks[0]
    ...     said = Input(
    ...         kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body={"text": words}
    ...     )
    ...     last = step(last.state, said)
    >>> last.outcome.terms, last.state.turn
    ((('term 1', 'Weekly sync'),), 4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from comity.core.parties import PartyId
from comity.core.step import Ask, Step
from comity.protocols.consent.draft import Draft
from comity.protocols.consent.endings import agree, end, guard_of
from comity.protocols.consent.grammar import ConsentReading
from comity.protocols.consent.results import Objection
from comity.protocols.consent.state import Answer, Check, ConsentState, ask, crossings

__all__ = [
    "absent",
    "answer",
    "check_refusal",
    "close_if_complete",
    "object_late",
    "open_check",
    "spare_turn",
    "void",
]

Next = Callable[[ConsentState, int], Step[ConsentState]]


def check_refusal(
    state: ConsentState, draft: Draft, *, turns_needed: int
) -> tuple[str, str] | None:
    """Return why a check on a draft is refused, as (code, hint), or None when it may open.

    Args:
        state: the state.
        draft: the version to freeze.
        turns_needed: how many turns the check takes at least.

    Returns:
        None, or one of ``no_draft``, ``already_objected``, ``open_terms``, ``crosses_red_line``
        and ``too_few_turns`` with a sentence for the caller.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> from comity.protocols.consent.state import new_state
        >>> state = new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> check_refusal(state, state.draft, turns_needed=2)[0]
        'no_draft'
    """
    if not draft.terms:
        return "no_draft", "there is no draft yet: propose terms first, or list them in the check"
    if draft.digest in state.objected:
        return (
            "already_objected",
            "somebody objected to exactly this draft: change it before the next check",
        )
    domain = state.rules.domain
    if domain is not None:
        missing = sorted(name for name in domain.names if name not in draft.deal)
        if missing:
            return "open_terms", f"the draft leaves {', '.join(missing)} open: settle every term"
        crossed_lines = crossings(state, draft)
        if crossed_lines:
            return (
                "crosses_red_line",
                f"version {draft.version} crosses {' and '.join(crossed_lines)}",
            )
    if state.turn + turns_needed > state.rules.limits.max_turns:
        return "too_few_turns", "too few turns are left to answer a check"
    return None


def open_check(
    state: ConsentState, caller: PartyId | None, now_ms: int, changes: tuple[str, ...] = ()
) -> ConsentState:
    """Return the state with a check open on the standing draft and everybody else asked.

    Args:
        state: the state; :func:`check_refusal` has said None.
        caller: who called it, or None when the engine does because all are done.
        now_ms: the time of the input.
        changes: what the call's own term list changed.

    Returns:
        The state in phase ``"check"``.
    """
    version = state.draft.version
    opened = replace(
        state,
        phase="check",
        check=Check(version, caller, changes=changes),
        asks=(),
        missed=tuple(one for one in state.missed if one[1] != version),
    )
    for party in state.ids:
        if party != caller:
            opened = ask(opened, party, "answer", now_ms)
    return opened


def answer(state: ConsentState, standing: Ask, reading: ConsentReading) -> ConsentState | None:
    """Apply a readable answer of a seat that was asked.

    Args:
        state: the state with the check open.
        standing: the ask that is answered.
        reading: what the grammar read.

    Returns:
        The state with the answer counted, or None when the reply holds no countable answer.
    """
    if reading.answer is None:
        return None
    assert state.check is not None
    party = standing.party
    if reading.answer == "CONSENT":
        return _counted(state, Answer(party, "CONSENT"), standing)
    reason = _reason(reading)
    return _objected(_counted(state, Answer(party, "OBJECT", reason), standing), party, reason)


def _reason(reading: ConsentReading) -> str:
    """Return an objection's reason, with the terms that cross the seat's red line (C4)."""
    told = reading.red_line
    if told is None or told.state != "crossed" or not told.terms:
        return reading.reason
    return f"{reading.reason} (red line crossed: term {', term '.join(map(str, told.terms))})"


def _objected(state: ConsentState, party: PartyId, reason: str) -> ConsentState:
    version = state.draft.version
    objection = Objection(party=party, version=version, reason=reason)
    return replace(
        state,
        missed=tuple(one for one in state.missed if one != (party, version)),
        objections=(*state.objections, objection),
        objected=state.objected | {state.draft.digest},
    )


def absent(state: ConsentState, standing: Ask, reason: str) -> ConsentState:
    """Return the state with a seat counted as absent from the open check: never assent."""
    party, version = standing.party, state.draft.version
    counted = _counted(state, Answer(party, "ABSENT", reason), standing)
    counted = replace(counted, missed=(*counted.missed, (party, version)))
    return counted.flagged(f"{party} gave no answer to the check of version {version}")


def _counted(state: ConsentState, given: Answer, standing: Ask) -> ConsentState:
    assert state.check is not None
    answers = (*(one for one in state.check.answers if one.party != given.party), given)
    return replace(
        state,
        check=replace(state.check, answers=answers),
        asks=tuple(one for one in state.asks if one.id != standing.id),
    )


def spare_turn(state: ConsentState) -> bool:
    """Tell whether a message nobody asked for leaves a turn for every seat still asked."""
    return state.turn + len(state.asks) < state.rules.limits.max_turns


def object_late(
    state: ConsentState, party: PartyId, reading: ConsentReading
) -> ConsentState | tuple[str, str]:
    """Apply an unasked answer while a check is open: a caller's objection, a changed mind.

    Args:
        state: the state.
        party: who spoke, known from the channel.
        reading: what the grammar read.

    Returns:
        The changed state, or why the message changes nothing, as (code, hint).
    """
    check = state.check
    if check is None or reading.answer is None:
        return "not_your_turn", "wait until you are asked"
    before = check.answer_of(party)
    if before is None and party != check.caller:
        return "not_your_turn", "the check has asked you: answer that question"
    was = "CONSENT" if before is None else before.answer
    if was == reading.answer:
        return "already_answered", f"you have given this answer to version {check.version}"
    if was == "ABSENT" and reading.answer == "CONSENT":
        return "late", "your time to consent in this check is over"
    if reading.answer == "CONSENT" and not spare_turn(state):
        return "no_turns_left", "the turns that are left belong to the seats still asked"
    reason = _reason(reading) if reading.answer == "OBJECT" else ""
    answers = (
        *(one for one in check.answers if one.party != party),
        Answer(party, reading.answer, reason),
    )
    state = replace(state, check=replace(check, answers=answers))
    if reading.answer == "OBJECT":
        return _objected(state, party, reason)
    withdrawn = tuple(
        replace(one, answered="withdrawn, nothing changed")
        if one.party == party and one.version == check.version
        else one
        for one in state.objections
    )
    standing = any(one.answer == "OBJECT" for one in answers)
    objected = state.objected if standing else state.objected - {state.draft.digest}
    return replace(state, objections=withdrawn, objected=objected).flagged(
        f"agreement without concession: {party} withdrew its objection to version "
        f"{check.version} with nothing changed"
    )


def void(state: ConsentState, party: PartyId, now_ms: int, proceed: Next) -> Step[ConsentState]:
    """Void the open check because a seat tightened a red line while it was open (C4).

    Args:
        state: the state with the check open and the tighter red line in place.
        party: whose red line it is.
        now_ms: the time of the input.
        proceed: what happens after a check that did not pass.

    Returns:
        The end of the negotiation, or the next step; the answers given so far count for nothing.
    """
    assert state.check is not None
    flag = f"the check of version {state.check.version} is void: {party} tightened a red line"
    return _closed(replace(state, done=state.done - {party}).flagged(flag), now_ms, proceed)


def close_if_complete(state: ConsentState, now_ms: int, proceed: Next) -> Step[ConsentState]:
    """Close the check when nobody is asked any more, else go on waiting.

    Args:
        state: the state with the check open.
        now_ms: the time of the input.
        proceed: what happens after a check that did not pass.

    Returns:
        The agreement, the end of the negotiation, or the next step.
    """
    assert state.check is not None
    if state.asks:
        return Step(state=state, asks=state.asks)
    if all(one.answer == "CONSENT" for one in state.check.answers):
        return agree(state)
    if state.check.caller is None:
        return end(replace(state, check=None), "exhausted")
    return _closed(state, now_ms, proceed)


def _closed(state: ConsentState, now_ms: int, proceed: Next) -> Step[ConsentState]:
    closed = replace(state, phase="negotiation", check=None, asks=())
    reason = guard_of(closed)
    if reason is not None:
        return end(closed, reason)
    return proceed(closed, now_ms)
