"""Review machine: everybody is asked at once, and no reply counts for more than it says.

Here: ``start`` and ``step``: which input does what, asking again, blocks that say too little,
changed votes, time, the person's word.
Not here: what an answer means (reading.py), what a round comes to (rounds.py).
Sources: SEMANTICS W1-W6, G8, G9; ARCHITECTURE contracts 1-3.

The stages: ``advising`` (findings, where a phase has advisors) -> ``voting`` -> ``revising`` (the
reviser makes a version, and the voting begins anew) or ``person`` -> the next phase, or ``ended``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from comity.core.parties import PartyId
from comity.core.step import Ask, Input, Rejected, Step, answered_ask
from comity.protocols.collect.gate import said_by_person, words_of_undo
from comity.protocols.review.briefing import (
    advice_payload,
    complete_payload,
    decision_payload,
    revision_payload,
    vote_payload,
)
from comity.protocols.review.ending import cancelled, unrevised
from comity.protocols.review.questions import open_questions
from comity.protocols.review.reading import Read, read_choice, read_reply, read_version
from comity.protocols.review.results import Comment, Finding
from comity.protocols.review.rounds import (
    accepted_by_person,
    advance,
    ended,
    new_version,
    once_more,
    open_round,
)
from comity.protocols.review.rules import ReviewRules
from comity.protocols.review.state import (
    Ballot,
    ReviewState,
    new_state,
    noted,
    said,
    version_of,
    with_ask,
    without,
)

__all__ = ["start", "step"]

Live = Step[ReviewState]

_LATE = "late: this question is closed, or was not asked of this seat"


def start(rules: ReviewRules) -> Live:
    """Return the first step: the first round of the first phase is open.

    Args:
        rules: the rules.

    Returns:
        The first step.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> first = start(rules)
        >>> [one.party for one in first.asks], first.wake_at_ms
        (['Architect', 'Critic', 'Planner'], 600000)
    """
    state = open_round(new_state(rules), 0)
    return Step(state=state, asks=state.asks, wake_at_ms=state.wake_at_ms)


def step(state: ReviewState, happened: Input) -> Live:
    """Return what one input does; nonsense comes back as rejected and changes nothing.

    Args:
        state: the state so far.
        happened: the recorded input.

    Returns:
        The next step.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> step(start(rules).state, Input(kind="cancel", now_ms=0)).outcome.reason
        'cancelled'
    """
    if state.stage == "ended":
        return _unchanged(state, "ended", happened, "the review is over: this counts for nothing")
    handler = _HANDLERS.get(happened.kind)
    if handler is None:
        return _unchanged(state, "unknown_kind", happened, f"kinds: {', '.join(_HANDLERS)}")
    after = handler(state, happened)
    return replace(
        after,
        asks=after.state.asks,
        wake_at_ms=after.state.wake_at_ms,
        notes=after.state.notes[len(state.notes) :],
    )


def _unchanged(state: ReviewState, reason: str, happened: Input, hint: str) -> Live:
    rejected = Rejected(reason=reason, party=happened.party, hint=hint)
    return Step(state=state, asks=state.asks, rejected=(rejected,), wake_at_ms=state.wake_at_ms)


# --- answers ---------------------------------------------------------------------------------


def _reply(state: ReviewState, happened: Input) -> Live:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        return _unchanged(state, "late", happened, _LATE)
    return _answer(state, standing, happened)


def _answer(state: ReviewState, standing: Ask, happened: Input) -> Live:
    stale = _stale(state, happened)
    if stale:
        return _unchanged(state, "stale_version", happened, stale)
    return _ANSWERS[standing.kind](state, standing, happened)


def _stale(state: ReviewState, happened: Input) -> str:
    """Return why an answer is about another version than its channel says; "" when it is not."""
    named = (happened.body or {}).get("digest")
    if not isinstance(named, str) or not named or state.digest.startswith(named):
        return ""
    return f"it is about version {named[:12]}; version {state.digest[:12]} is reviewed now"


def _read(state: ReviewState, party: PartyId, happened: Input) -> Read:
    """Read a reviewer's answer; words below another seat's name are that seat's, not its own."""
    rules = state.rules
    others = [name for name in rules.seats if name != party]
    return read_reply(happened.body, rules.reviewer(party).kind, others)


def _vote(state: ReviewState, standing: Ask, happened: Input) -> Live:
    read = _read(state, standing.party, happened)
    state = _commented(state, standing.party, read)
    if not read.error:
        return _counted(without(state, standing), standing.party, read, happened.now_ms)
    rejected = Rejected(reason=read.error, party=standing.party, hint=read.hint)
    rest = without(state, standing)
    if standing.attempt <= _reasks(state.rules):
        payload = vote_payload(rest, standing.party, again=read.hint)
        rest = with_ask(rest, standing.party, "vote", payload, attempt=standing.attempt + 1)
        return Step(state=rest, rejected=(rejected,))
    rest = _with_ballot(rest, replace(_ballot(state, standing.party, read), error=read.error))
    rest = noted(rest, f"{standing.party} gave no vote that counts ({read.error})")
    after = advance(rest, happened.now_ms)
    return replace(after, rejected=(rejected, *after.rejected))


def _reasks(rules: ReviewRules) -> int:
    return 0 if rules.by_call else rules.limits.reasks


def _commented(state: ReviewState, party: str, read: Read) -> ReviewState:
    if read.error != "preference":
        return state
    words = read.reading.reason or read.reading.category or ""
    kept = Comment(agent=party, phase=state.phase.name, round=state.round, text=words)
    known = kept in state.comments
    return state if known else replace(state, comments=(*state.comments, kept))


def _ballot(state: ReviewState, party: str, read: Read) -> Ballot:
    found = read.reading
    return Ballot(
        agent=party,
        phase=state.phase.name,
        round=state.round,
        digest=state.digest,
        vote=(found.vote or "") if not read.error else "",
        hint=read.hint,
        reason=found.reason,
        category=found.category,
        to_approve=found.to_approve,
        suggestion=found.suggestion,
        marks=found.marks,
    )


def _with_ballot(state: ReviewState, ballot: Ballot) -> ReviewState:
    """Return the state with a ballot; one of this round that the voter had is replaced."""
    old = state.now_cast.get(ballot.agent)
    kept = tuple(replace(one, became="replaced") if one is old else one for one in state.ballots)
    return replace(state, ballots=(*kept, ballot))


def _counted(state: ReviewState, party: str, read: Read, now_ms: int) -> Live:
    """Take a vote in; a block that says too little stands, and is asked for the rest once."""
    ballot = _ballot(state, party, read)
    state = _with_ballot(state, ballot)
    named = f" ({ballot.category})" if ballot.category else ""
    state = said(state, party, f"votes {ballot.vote}{named}", ballot.reason)
    lacks = [
        words
        for words, is_there in (
            ("what would turn it into an approval (TO APPROVE)", ballot.to_approve),
            ("how that could be done (SUGGESTION)", ballot.suggestion),
        )
        if not is_there
    ]
    if not (ballot.is_block and lacks):
        return advance(state, now_ms)
    if state.rules.by_call or not state.rules.limits.reasks:
        return advance(_vague(state, ballot), now_ms)
    payload = complete_payload(state, party, " or ".join(lacks))
    return Step(state=with_ask(state, party, "complete", payload, attempt=2))


def _vague(state: ReviewState, ballot: Ballot) -> ReviewState:
    """Return the state in which a block that does not say what must change counts as vague."""
    if ballot.to_approve:
        return state
    kept = tuple(replace(one, is_vague=True) if one is ballot else one for one in state.ballots)
    words = f"{ballot.agent} does not say what would turn its block into an approval"
    return noted(replace(state, ballots=kept), words)


def _complete(state: ReviewState, standing: Ask, happened: Input) -> Live:
    """Hear what a block lacked: it stands, whatever is said, unless it is withdrawn."""
    party = standing.party
    read = _read(state, party, happened)
    rest = without(state, standing)
    old = rest.now_cast[party]
    found = read.reading
    if not read.error and found.vote != old.vote:
        rest = _with_ballot(rest, _ballot(rest, party, read))
        rest = said(rest, party, f"votes {found.vote}", found.reason)
        return advance(noted(rest, f"{party} changed its vote"), happened.now_ms)
    told = replace(
        old,
        reason=old.reason if read.error else found.reason,
        category=old.category or found.category,
        to_approve=found.to_approve or old.to_approve,
        suggestion=found.suggestion or old.suggestion,
        marks=old.marks or found.marks,
    )
    kept = tuple(told if one is old else one for one in rest.ballots)
    return advance(_vague(replace(rest, ballots=kept), told), happened.now_ms)


def _findings(state: ReviewState, standing: Ask, happened: Input) -> Live:
    read = read_reply(happened.body, "advisor")
    rest = without(state, standing)
    if read.error and standing.attempt <= _reasks(state.rules):
        payload = advice_payload(rest, standing.party, again=read.hint)
        asked = with_ask(rest, standing.party, "findings", payload, attempt=standing.attempt + 1)
        rejected = Rejected(reason=read.error, party=standing.party, hint=read.hint)
        return Step(state=asked, rejected=(rejected,))
    return advance(
        _advised(rest, standing.party, read.reading.findings, read.error), happened.now_ms
    )


def _advised(state: ReviewState, party: str, text: str, why: str) -> ReviewState:
    found = Finding(
        agent=party,
        phase=state.phase.name,
        round=state.round,
        digest=state.digest,
        text=text,
        why=why,
    )
    state = replace(state, findings=(*state.findings, found))
    if why:
        return noted(state, f"{party} hands in no findings ({why})")
    return said(state, party, "hands in findings", text)


def _version(state: ReviewState, standing: Ask, happened: Input) -> Live:
    made = read_version(happened.body)
    error, hint = made.error, made.hint
    if not error and standing.kind == "revise" and version_of(made.text) == state.digest:
        error, hint = "unchanged", "the version is the one that is held: nothing was changed"
    if not error:
        return Step(state=new_version(state, made.text, made.remark, happened.now_ms))
    rejected = Rejected(reason=error, party=standing.party, hint=hint)
    if standing.attempt <= state.rules.limits.reasks:
        rest = without(state, standing)
        payload = revision_payload(rest, standing.kind, _questions(rest), again=hint)
        asked = with_ask(
            rest, standing.party, standing.kind, payload, attempt=standing.attempt + 1
        )
        return Step(state=asked, rejected=(rejected,))
    after = _not_revised(state, standing, error)
    return replace(after, rejected=(rejected,))


def _questions(state: ReviewState) -> tuple[str, ...]:
    return open_questions(state.artefact) if state.phase.has_questions else ()


def _not_revised(state: ReviewState, standing: Ask, why: str) -> Live:
    state = noted(state, f"{standing.party} gave no version ({why})")
    return ended(state, unrevised(state, standing.kind))


# --- unasked, failed -------------------------------------------------------------------------


def _message(state: ReviewState, happened: Input) -> Live:
    """Hear an unasked message: an answer, a changed vote, the person's word."""
    party = happened.party or ""
    standing = next((one for one in state.asks if one.party == party), None)
    if state.stage == "person":
        if party == state.rules.gate.seat:
            return _person_says(state, happened)
        return _unchanged(state, "late", happened, "the round is closed; a person decides now")
    is_voting = state.stage == "voting" and party in state.phase.voters
    if standing is None and not is_voting:
        hint = "nobody asked: this is recorded and counts for nothing"
        return _unchanged(state, "not_asked", happened, hint)
    if standing is not None and standing.kind in {"revise", "make"}:
        return _answer(state, standing, happened)
    read = _read(state, party, happened)
    reason, hint = ("stale_version", stale) if (stale := _stale(state, happened)) else (
        read.error, read.hint)  # fmt: skip
    if reason:
        return _unchanged(state, reason, happened, hint)
    if standing is not None and standing.kind != "complete":
        return _answer(state, standing, happened)
    return _changed(state, party, read, happened)


def _changed(state: ReviewState, party: str, read: Read, happened: Input) -> Live:
    """Let a voter change its vote while the round is open."""
    old = state.now_cast[party]
    new = _ballot(state, party, read)
    if replace(old, is_vague=False) == new:
        return _unchanged(state, "repeated", happened, "this vote is counted already")
    asks = tuple(one for one in state.asks if one.party != party)
    state = noted(replace(state, asks=asks), f"{party} changed its vote")
    return _counted(state, party, read, happened.now_ms)


def _failure(state: ReviewState, happened: Input) -> Live:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        return _unchanged(state, "late", happened, _LATE)
    rest = without(state, standing)
    party = standing.party
    why = str((happened.body or {}).get("reason") or "failure")[:80]
    if state.rules.by_call and why == "left":
        why = "not handed in"
    if standing.kind == "decide":
        return Step(state=noted(rest, f"{party} is not there"))
    if standing.kind in {"revise", "make"}:
        return _not_revised(state, standing, why)
    if standing.kind == "findings":
        return advance(_advised(rest, party, "", why), happened.now_ms)
    rest = noted(rest, f"{party} could not answer ({why})")
    if standing.kind == "complete":
        return advance(_vague(rest, rest.now_cast[party]), happened.now_ms)
    before = str(standing.payload["again"])
    silent = Ballot(
        agent=party,
        phase=state.phase.name,
        round=state.round,
        digest=state.digest,
        error="absent",
        hint=before or ("" if state.rules.by_call else f"could not answer: {why}"),
    )
    return advance(_with_ballot(rest, silent), happened.now_ms)


# --- time ------------------------------------------------------------------------------------


def _timer(state: ReviewState, happened: Input) -> Live:
    due = state.wake_at_ms
    if due is None or happened.now_ms < due:
        return _unchanged(state, "early", happened, "nothing is due yet")
    if state.stage == "person":
        noted_ = noted(state, f"nobody decided in time: {state.rules.gate.default}")
        return _stands(noted_, "default")
    return advance(state, happened.now_ms, is_due=True)


def _resumed(state: ReviewState, happened: Input) -> Live:
    """Give everybody their full time, now that it is known what time it is; a person keeps his."""
    if state.stage == "person":
        return Step(state=state)
    closes = happened.now_ms + state.rules.limits.deadline_ms
    asks = tuple(replace(one, deadline_ms=closes) for one in state.asks)
    return Step(state=replace(state, closes_ms=closes, asks=asks))


def _cancel(state: ReviewState, happened: Input) -> Live:
    del happened
    return ended(state, cancelled(state))


# --- the person ------------------------------------------------------------------------------


def _decide(state: ReviewState, standing: Ask, happened: Input) -> Live:
    if read_choice(happened.body, state.choices) is not None:
        return _person_says(state, happened)
    hint = f"answer DECIDE: and one of {', '.join(state.choices)}"
    rejected = Rejected(reason="no_decision", party=standing.party, hint=hint)
    rest = without(state, standing)
    if standing.attempt <= state.rules.limits.reasks:
        payload = decision_payload(rest, again=hint)
        rest = with_ask(rest, standing.party, "decide", payload, attempt=standing.attempt + 1)
    return Step(state=rest, rejected=(rejected,))


def _person_says(state: ReviewState, happened: Input) -> Live:
    choice = read_choice(happened.body, state.choices)
    if choice is None:
        hint = f"answer DECIDE: and one of {', '.join(state.choices)}"
        return _unchanged(state, "no_decision", happened, hint)
    seat = state.rules.gate.seat
    persons = (*state.persons, said_by_person(seat, choice, happened.body))
    state = noted(replace(state, persons=persons, asks=()), f"decided by {seat}: {choice}")
    state = said(state, seat, f"decides: {choice}")
    if choice == "block":
        return _stands(state, "person")
    if choice == "again":
        return once_more(state, happened.now_ms)
    after = accepted_by_person(replace(state, ended_by="person"), happened.now_ms)
    return replace(after, state=replace(after.state, ended_by=""))


def _stands(state: ReviewState, ended_by: str) -> Live:
    """End as the round ended, without what a person could have given."""
    held = state.held
    assert held is not None
    persons = state.persons if ended_by == "person" else ()
    own = [one for one in held.grounds.submissions if one.party != state.rules.gate.seat]
    grounds = replace(held.grounds, ended_by=ended_by, submissions=(*own, *persons))
    return ended(state, replace(held, grounds=grounds))


def _undo(state: ReviewState, happened: Input) -> Live:
    """Ask the person anew; the fold hands in the state that the decision was made in."""
    if state.stage != "person":
        return _unchanged(state, "nothing_to_undo", happened, "no person has decided")
    until = happened.now_ms + state.rules.gate.deadline_ms
    state = replace(state, person_until_ms=until, asks=())
    payload = decision_payload(state, again=words_of_undo(happened))
    asked = with_ask(state, state.rules.gate.seat, "decide", payload)
    return Step(state=noted(asked, "a decision was taken back"))


_ANSWERS: dict[str, Callable[[ReviewState, Ask, Input], Live]] = {
    "vote": _vote,
    "complete": _complete,
    "findings": _findings,
    "revise": _version,
    "make": _version,
    "decide": _decide,
}

_HANDLERS: dict[str, Callable[[ReviewState, Input], Live]] = {
    "reply": _reply,
    "failure": _failure,
    "message": _message,
    "timer": _timer,
    "resumed": _resumed,
    "cancel": _cancel,
    "undo": _undo,
}
