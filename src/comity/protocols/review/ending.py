"""Review ending: what does a review come to as it stands?

Here: from the state to each kind of result, with its tallies, blocks, risks and what would
unblock it.
Not here: when it ends (rounds.py, machine.py), the forms of the results (results.py).
Sources: SEMANTICS G1, G2, W3, W4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from comity.core.canonical import Json, digest
from comity.core.codec import encode
from comity.core.errors import one_line
from comity.core.parties import PartyId
from comity.core.results import Grounds, Item, Submission
from comity.protocols.review.book import Block
from comity.protocols.review.escalation import WITH_RISK
from comity.protocols.review.results import (
    BlockedReason,
    ReviewBlocked,
    ReviewCancelled,
    ReviewNoQuorum,
    ReviewRecord,
    ReviewVerdict,
    ReviewWaiting,
    RoundTally,
)
from comity.protocols.review.state import Ballot, Held, ReviewState, tally_of

__all__ = [
    "cancelled",
    "held_back",
    "missed",
    "passed",
    "recorded",
    "unrevised",
    "waits_for_ballots",
    "waits_for_person",
]

_TO_SHIP = "APPROVED_TO_SHIP"
_LONGEST = 200


def recorded(
    state: ReviewState, *, questions: Sequence[str] = (), counted: bool = True
) -> ReviewRecord:
    """Return what every kind of result reports.

    Args:
        state: the state.
        questions: the open questions that hold it.
        counted: whether the round that is open now counts.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> recorded(new_state(rules)).phases
        ('plan',)
    """
    now = tally_of(state)
    closed = [one for one in state.tallies if (one.phase, one.round) != (now.phase, now.round)]
    before = dict(state.rules.carried.approved).get(now.phase, "")
    return ReviewRecord(
        name=state.rules.name,
        phase=state.phase.name,
        round=state.round,
        digest=state.digest,
        phases=tuple(one.name for one in state.rules.phases),
        passed=state.passed,
        rounds=(*closed, now),
        blocks=state.book.blocks,
        risks=state.book.risks,
        findings=state.findings,
        comments=state.comments,
        announcements=state.announcements,
        questions=tuple(questions),
        versions=state.versions,
        counted=counted,
        approved=state.approved,
        before="" if before == now.digest else before,
        skipped=tuple(one for one in state.rules.needs if one not in state.passed),
    )


def _grounds(state: ReviewState, ended_by: str) -> Grounds:
    rules, now, fixed = state.rules, tally_of(state), state.rules.digest
    ballots = [encode(one) for one in state.ballots]
    findings = [encode(one) for one in state.findings]
    cast = state.now_cast
    own = [
        Submission(name, _submitted(name, cast.get(name), now))
        for name in sorted(state.phase.voters)
    ]
    parameters: list[tuple[str, Json]] = [
        ("phase", state.phase.name),
        ("round", state.round),
        ("version", state.digest),
        ("blocks", rules.limits.blocks),
        ("never_waived", list(rules.never_waived)),
        ("briefs", rules.briefs_digest),
        ("rules", fixed),
    ]
    if rules.preset:
        parameters.insert(0, ("preset", rules.preset))
    return Grounds(
        rule="review",
        ended_by=state.ended_by or ended_by,
        inputs_digest=digest({"rules": fixed, "ballots": ballots, "findings": findings}),
        parameters=tuple(parameters),
        submissions=(*own, *state.persons),
        scores=tuple(_scores(now)),
        invalid=now.invalid,
        absent=now.absent,
    )


def _scores(now: RoundTally) -> list[Item]:
    silent = {one.agent for one in now.unread if one.why == "absent"}
    counts = [
        ("APPROVE", now.approvals),
        (WITH_RISK, now.with_risk),
        ("approved by a person", now.by_person),
        ("BLOCK", now.blocks),
        ("invalid", now.invalid),
        ("unreadable", [one for one in now.absent if one not in silent]),
        ("absent", [one for one in now.absent if one in silent]),
    ]
    return [Item(name, len(who)) for name, who in counts]


def _submitted(name: PartyId, one: Ballot | None, now: RoundTally) -> Json:
    """Return what a voter handed in: None when it was silent."""
    if one is None:
        return None
    shown = WITH_RISK if name in now.with_risk else one.vote
    told: dict[str, Json] = {
        "vote": shown,
        "error": one.error,
        "category": one.category,
        "reason": one.reason,
        "to_approve": one.to_approve,
        "suggestion": one.suggestion,
    }
    if name in now.by_person:
        told["approved_by"] = "a person"
    return {key: item for key, item in told.items() if item}


def _short(text: str) -> str:
    line = one_line(" ".join(text.split()))
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _stand(now: RoundTally) -> str:
    """Return a tally in words: three of three are three ballots."""
    parts = [f"{now.in_favour} of {now.needed} approve"]
    if now.with_risk:
        parts.append(f"{len(now.with_risk)} of them with a documented risk")
    if now.by_person:
        parts.append(f"{len(now.by_person)} of them by a person")
    why = {one.agent: one.why.replace("_", " ") for one in now.unread if one.why != "absent"}
    for word, who in (
        ("blocked by", now.blocks),
        ("no vote that counts from", now.invalid),
        ("absent:", now.absent),
    ):
        if who:
            told = [f"{name} ({why[name]})" if name in why else name for name in who]
            parts.append(f"{word} {', '.join(told)}")
    return ", ".join(parts)


def _where(state: ReviewState) -> str:
    return f"{state.rules.name}, {state.phase.name}, round {state.round}"


# --- the kinds -------------------------------------------------------------------------------


def passed(state: ReviewState) -> ReviewVerdict:
    """Return that every phase has passed.

    Args:
        state: the state at the end of the last phase.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> passed(new_state(rules)).verdict
        'APPROVED'
    """
    now = tally_of(state)
    kinds = {state.rules.reviewer(name).kind for name in state.phase.voters}
    verdict = _TO_SHIP if "verdict" in kinds else "APPROVED"
    record = recorded(state)
    risks = len(record.open_risks)
    risky = f"; {risks} documented risk{'' if risks == 1 else 's'} open" if risks else ""
    if record.skipped:
        have = "has" if len(record.skipped) == 1 else "have"
        risky += f"; {', '.join(record.skipped)} {have} not passed"
    return ReviewVerdict(
        grounds=_grounds(state, "all_approved"),
        verdict=verdict,
        review=record,
        says=f"{verdict}: {_where(state)}: {_stand(now)}{risky}.",
    )


def held_back(
    state: ReviewState,
    reason: BlockedReason,
    *,
    questions: Sequence[str] = (),
    counted: bool = True,
) -> ReviewBlocked:
    """Return that something holds it.

    Args:
        state: the state.
        reason: what does.
        questions: the open questions.
        counted: whether this call counts.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> held_back(new_state(rules), "open_questions", questions=["Which port?"]).by
        (('plan', 'open question: Which port?'),)
    """
    now = tally_of(state)
    standing = _standing(state)
    by = [(one.agent, _short(one.reason)) for one in standing]
    unblock = [
        f"{one.agent} ({one.category}): {_short(one.to_approve or 'did not say what must change')}"
        for one in standing
    ]
    if not counted:
        cast = [one for name, one in sorted(state.now_cast.items()) if name in now.blocks]
        by = [(one.agent, _short(one.reason)) for one in cast]
        unblock = [f"{one.agent}: {_short(one.to_approve)}" for one in cast if one.to_approve]
    by += [(state.phase.name, f"open question: {_short(one)}") for one in questions]
    unblock += [f"answer and tick, or mark resolved: {_short(one)}" for one in questions]
    unblock += [f"{one.agent} votes: {one.why.replace('_', ' ')}" for one in now.unread]
    if reason in {"not_revised", "not_made"}:
        unblock.append(f"{state.rules.reviser} gives the whole version between its two lines")
    if not by:
        by = [(state.rules.reviser, "gave no version")]
    why = {
        "blocks": "",
        "open_questions": f"; {len(questions)} open question{'' if len(questions) == 1 else 's'}",
        "never_waived": "; a concern that is never waived stands",
        "max_rounds": "; the rounds are used up",
        "not_revised": f"; {state.rules.reviser} gave no new version",
        "not_made": f"; {state.rules.reviser} gave nothing to review",
    }[reason]
    return ReviewBlocked(
        grounds=_grounds(state, reason),
        by=tuple(by),
        unblock=tuple(unblock),
        reason=reason,
        review=recorded(state, questions=questions, counted=counted),
        says=f"BLOCKED: {_where(state)}: {_stand(now)}{why}.",
    )


def unrevised(state: ReviewState, kind: str) -> ReviewBlocked:
    """Return that the reviser gave no version.

    Args:
        state: the state while it was asked.
        kind: ``revise``, or ``make``: then the round of the new phase has not begun.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules(
        ...     "power-trio", "v1", artefact="Plan", phases=["plan"], reviser="Builder"
        ... )
        >>> unrevised(new_state(rules), "make").by
        (('Builder', 'gave no version'),)
    """
    if kind == "make":
        return held_back(state, "not_made", counted=False)
    return held_back(state, "not_revised")


def _standing(state: ReviewState) -> list[Block]:
    """Return each standing concern once, in its last words."""
    last = {(one.agent, one.category): one for one in state.book.open_in(state.phase.name)}
    return list(last.values())


def missed(state: ReviewState) -> ReviewNoQuorum:
    """Return that a ballot that it takes is missing, when nobody stands in for it.

    Args:
        state: the state at the end of a round.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> missed(new_state(rules)).unblock
        ('Architect votes: absent', 'Critic votes: absent', 'Planner votes: absent')
    """
    now = tally_of(state)
    return ReviewNoQuorum(
        grounds=_grounds(state, "absent"),
        needed=now.needed,
        present=now.in_favour,
        unblock=tuple(f"{one.agent} votes: {one.why.replace('_', ' ')}" for one in now.unread),
        review=recorded(state),
        says=f"NO QUORUM: {_where(state)}: {_stand(now)}.",
    )


def waits_for_ballots(state: ReviewState) -> ReviewWaiting:
    """Return that a call lacks ballots; nothing of it counts until they are there.

    Args:
        state: the state with the ballots of the call.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> waits_for_ballots(new_state(rules)).whom
        ('Architect', 'Critic', 'Planner')
    """
    now = tally_of(state)
    return ReviewWaiting(
        grounds=_grounds(state, "absent"),
        reason="absent",
        whom=tuple(one.agent for one in now.unread),
        unblock=tuple(f"{one.agent}: {one.hint or 'hand in its reply'}" for one in now.unread),
        review=recorded(state, counted=False),
        says=f"WAITING: {_where(state)}: {_stand(now)}.",
    )


def waits_for_person(state: ReviewState, held: Held) -> ReviewWaiting:
    """Return that a person is waited for.

    Args:
        state: the state while the person decides.
        held: what it comes to otherwise.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> state = new_state(rules)
        >>> waits_for_person(state, missed(state)).unblock[0]
        'human answers DECIDE: one of approve, block, again'
    """
    gate, why = state.rules.gate, state.why_person
    return ReviewWaiting(
        grounds=replace(held.grounds, thin=(why,)),
        reason="absent" if why == "absent" else "human",
        whom=(gate.seat,),
        unblock=(
            f"{gate.seat} answers DECIDE: one of {', '.join(state.choices)}",
            f"or nobody does, and {gate.default!r} applies",
        ),
        review=recorded(state, counted=False),
        says=f"WAITING for {gate.seat}: {held.says.partition(': ')[2]}",
    )


def cancelled(state: ReviewState) -> ReviewCancelled:
    """Return that a review was cancelled, with the ballots it had.

    Args:
        state: the state when it was.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> cancelled(new_state(rules)).reason
        'cancelled'
    """
    is_closed = any(
        (one.phase, one.round) == (state.phase.name, state.round) for one in state.tallies
    )
    return ReviewCancelled(
        grounds=_grounds(state, "cancelled"),
        reason="cancelled",
        unblock=("review it again",),
        review=recorded(state, counted=is_closed),
        says=f"CANCELLED: {_where(state)}.",
    )
