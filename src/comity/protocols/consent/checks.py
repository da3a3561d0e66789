"""Checks: a consent check is called, answered and closed.

Here: what makes a check possible, opening one on a frozen version, reading answers, closing it.
Not here: ordinary turns (turns.py), how a result is built (endings.py).
Sources: SEMANTICS C2 (consent bound to a version, the caller consents by calling), C4, C8, C9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from comity.core.parties import PartyId
from comity.core.step import Ask, Step
from comity.protocols.consent.draft import Draft
from comity.protocols.consent.endings import agree, end, guard_of
from comity.protocols.consent.grammar import ConsentReading
from comity.protocols.consent.red_lines import crossed
from comity.protocols.consent.results import Objection
from comity.protocols.consent.state import Answer, Check, ConsentState, ask

__all__ = ["absent", "answer", "check_refusal", "close_if_complete", "object_late", "open_check"]

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
        missing = [name for name in domain.names if name not in draft.deal]
        if missing:
            return "open_terms", f"the draft leaves {', '.join(missing)} open: settle every term"
        for seat in state.seats:
            for predicate in seat.predicates:
                if crossed(predicate, domain, draft.deal):
                    return (
                        "crosses_red_line",
                        f"version {draft.version} crosses {seat.id}'s red line {predicate}",
                    )
    if state.turn + turns_needed > state.rules.limits.max_turns:
        return "too_few_turns", "too few turns are left to answer a check"
    return None


def open_check(state: ConsentState, caller: PartyId | None, now_ms: int) -> ConsentState:
    """Return the state with a check open on the standing draft and everybody else asked.

    Args:
        state: the state; :func:`check_refusal` has said None.
        caller: who called it, or None when the engine does because all are done.
        now_ms: the time of the input.

    Returns:
        The state in phase ``"check"``.
    """
    opened = replace(state, phase="check", check=Check(state.draft.version, caller), asks=())
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
    if reading.status != "ok" or reading.answer not in {"CONSENT", "OBJECT"}:
        return None
    assert state.check is not None
    party = standing.party
    if reading.answer == "CONSENT":
        return _counted(state, Answer(party, "CONSENT"), standing)
    reason = reading.reason or ""
    objection = Objection(party=party, version=state.check.version, reason=reason)
    counted = _counted(state, Answer(party, "OBJECT", reason), standing)
    return replace(
        counted,
        objections=(*counted.objections, objection),
        objected=counted.objected | {counted.draft.digest},
    )


def absent(state: ConsentState, standing: Ask, reason: str) -> ConsentState:
    """Return the state with a seat counted as absent from the open check: never assent."""
    flag = f"{standing.party} gave no answer to the check of version {state.draft.version}"
    return _counted(state, Answer(standing.party, "ABSENT", reason), standing).flagged(flag)


def _counted(state: ConsentState, given: Answer, standing: Ask) -> ConsentState:
    assert state.check is not None
    answers = (*(one for one in state.check.answers if one.party != given.party), given)
    return replace(
        state,
        check=replace(state.check, answers=answers),
        asks=tuple(one for one in state.asks if one.id != standing.id),
    )


def object_late(
    state: ConsentState, party: PartyId, reading: ConsentReading
) -> ConsentState | None:
    """Apply an unasked answer while a check is open: a caller's objection, a changed mind.

    Args:
        state: the state.
        party: who spoke, known from the channel.
        reading: what the grammar read.

    Returns:
        The changed state, or None when the message changes nothing.
    """
    check = state.check
    if check is None or reading.status != "ok" or reading.answer is None:
        return None
    before = check.answer_of(party)
    if before is None and party != check.caller:
        return None  # it is still asked; its reply comes through the ask
    was = "CONSENT" if before is None else before.answer
    if was == reading.answer:
        return None
    given = Answer(
        party, "CONSENT" if reading.answer == "CONSENT" else "OBJECT", reading.reason or ""
    )
    answers = (*(one for one in check.answers if one.party != party), given)
    state = replace(state, check=replace(check, answers=answers))
    if given.answer == "OBJECT":
        objection = Objection(party=party, version=check.version, reason=given.reason)
        return replace(
            state,
            objections=(*state.objections, objection),
            objected=state.objected | {state.draft.digest},
        )
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
    closed = replace(state, phase="negotiation", check=None)
    if state.check.caller is None:
        return end(closed, "exhausted")
    reason = guard_of(closed)
    if reason is not None:
        return end(closed, reason)
    return proceed(closed, now_ms)
