"""Review rounds: who is asked next, what does a round come to, and where does it go from there?

Here: opening a phase and a round, closing a round, the way on: a revision, a person, the next
phase, the end.
Not here: single answers (machine.py), counting blocks (escalation.py), the results (ending.py).
Sources: SEMANTICS W3, W4, W6, G8, G9.

A round ends when everybody answered or its time is up. Then, in this order: a concern that is
never waived and has reached its limit goes to the person; blocks go to the reviser, or end it; a
missing ballot goes to the person; open questions go to the reviser, or end it; else it passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from comity.core.step import Step
from comity.protocols.review.briefing import (
    advice_payload,
    decision_payload,
    revision_payload,
    vote_payload,
)
from comity.protocols.review.ending import (
    held_back,
    missed,
    passed,
    unrevised,
    waits_for_ballots,
    waits_for_person,
)
from comity.protocols.review.escalation import accepted, approved, blocked
from comity.protocols.review.questions import open_questions
from comity.protocols.review.results import Finding, ReviewOutcome
from comity.protocols.review.state import (
    Ballot,
    Became,
    Held,
    ReviewState,
    Why,
    noted,
    said,
    tally_of,
    version_of,
    with_ask,
)

__all__ = ["accepted_by_person", "advance", "ended", "new_version", "once_more", "open_round"]

Live = Step[ReviewState]


def open_round(state: ReviewState, now_ms: int) -> ReviewState:
    """Return the state with this round's first asks: the advisors', else the voters'.

    Args:
        state: the state with its version and round.
        now_ms: the time of the input that led here.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> [one.party for one in open_round(new_state(rules), 0).asks]
        ['Architect', 'Critic', 'Planner']
    """
    timed = replace(state, asks=(), closes_ms=now_ms + state.rules.limits.deadline_ms)
    if not state.phase.advisors:
        return _ask_voters(timed, state.missing)
    timed = replace(timed, stage="advising")
    for name in sorted(state.phase.advisors):
        timed = with_ask(timed, name, "findings", advice_payload(timed, name))
    return timed


def _ask_voters(state: ReviewState, names: Sequence[str]) -> ReviewState:
    state = replace(state, stage="voting")
    for name in names:
        state = with_ask(state, name, "vote", vote_payload(state, name))
    return state


def advance(state: ReviewState, now_ms: int, *, is_due: bool = False) -> Live:
    """Go on when nobody is asked any more, or the time is up.

    Args:
        state: the state after an answer, or when a timer fired.
        now_ms: the time of that.
        is_due: whether the time is up.

    Returns:
        The step; the same state while somebody is still asked.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> asked = open_round(new_state(rules), 0)
        >>> advance(asked, 5).state == asked, advance(asked, 600_000, is_due=True).state.stage
        (True, 'person')
    """
    if state.asks and not is_due:
        return Step(state=state)
    if state.stage == "advising":
        state = _silent_advisors(replace(state, asks=()))
        timed = replace(state, closes_ms=now_ms + state.rules.limits.deadline_ms)
        return Step(state=_ask_voters(timed, timed.missing))
    if state.stage == "revising":
        return ended(state, unrevised(state, state.asks[0].kind))
    return _close(replace(state, asks=()), now_ms)


def _silent_advisors(state: ReviewState) -> ReviewState:
    here = (state.phase.name, state.round)
    heard = {one.agent for one in state.findings if (one.phase, one.round) == here}
    for name in sorted(set(state.phase.advisors) - heard):
        none = Finding(
            agent=name, phase=here[0], round=here[1], digest=state.digest, why="no answer in time"
        )
        state = noted(replace(state, findings=(*state.findings, none)), f"{name} is silent")
    return state


# --- the end of a round ----------------------------------------------------------------------


def _close(state: ReviewState, now_ms: int) -> Live:
    """Close a round: judge every ballot, then go on from there."""
    here = (state.phase.name, state.round, state.digest)
    for name in state.missing:
        silent = Ballot(
            agent=name, phase=here[0], round=here[1], digest=here[2], error="absent",
            hint="no answer in time",
        )  # fmt: skip
        state = noted(replace(state, ballots=(*state.ballots, silent)), f"{name} is absent")
    now = tally_of(state)
    if state.rules.by_call and now.unread:
        if now.blocks:
            return ended(state, held_back(state, "blocks", counted=False))
        return ended(state, waits_for_ballots(state))
    return _settle(_judged(state), now_ms)


def _judged(state: ReviewState) -> ReviewState:
    """Return the state with what every ballot of this round came to."""
    for name, one in sorted(state.now_cast.items()):
        if one.became != "cast":
            continue
        if one.error:
            neither = one.agent in tally_of(state).invalid
            state = _became(state, one, "invalid" if neither else "absent")
        elif one.is_block:
            state = _block(state, one)
        else:
            book = approved(state.book, phase=one.phase, agent=name, round_=one.round)
            closed = len(state.book.open_in(one.phase, name))
            state = _became(replace(state, book=book), one, "approval")
            if closed:
                words = f"{name} approves and closes {closed} earlier block"
                state = noted(state, words + ("" if closed == 1 else "s"))
    return replace(state, tallies=(*state.tallies, tally_of(state)))


def _became(state: ReviewState, ballot: Ballot, became: Became) -> ReviewState:
    ballots = tuple(replace(one, became=became) if one is ballot else one for one in state.ballots)
    return replace(state, ballots=ballots)


def _block(state: ReviewState, ballot: Ballot) -> ReviewState:
    rules, agent = state.rules, ballot.agent
    judged = blocked(
        state.book,
        ballot.raised,
        limit=rules.limits.blocks,
        mitigation=rules.mitigation,
        is_waivable=rules.reviewer(agent).kind != "verdict",
        never_waived=rules.never_waived,
    )
    state = replace(
        state,
        book=judged.book,
        to_person=(*state.to_person, *((agent, one) for one in judged.to_person)),
        announcements=(*state.announcements, *judged.announcements),
    )
    state = noted(state, *judged.announcements)
    state = noted(state, *(f"{agent} marks {one[:80]!r}, which is no earlier block of its own"
                           for one in judged.stray))  # fmt: skip
    if judged.announcements:
        state = said(state, agent, "is escalated", "\n".join(judged.announcements))
    return _became(state, ballot, "converted" if judged.is_converted else "block")


def _settle(state: ReviewState, now_ms: int) -> Live:
    """Go on from a round that is judged: to a person, a revision, the next phase or the end."""
    rules, now = state.rules, tally_of(state)
    is_last = state.round >= rules.limits.max_rounds
    if state.to_person:
        return _to_person(state, "never_waived", held_back(state, "never_waived"), now_ms)
    if now.blocks:
        if rules.reviser and not is_last:
            return Step(state=_ask_reviser(state, (), now_ms))
        if is_last:
            return _to_person(state, "max_rounds", held_back(state, "max_rounds"), now_ms)
        return ended(state, held_back(state, "blocks"))
    if now.unread:
        return _to_person(state, "absent", missed(state), now_ms)
    questions = open_questions(state.artefact) if state.phase.has_questions else ()
    if questions:
        if rules.reviser and not is_last:
            return Step(state=_ask_reviser(state, questions, now_ms))
        return ended(state, held_back(state, "open_questions", questions=questions))
    return _pass(state, now_ms)


def _to_person(state: ReviewState, why: Why, held: Held, now_ms: int) -> Live:
    gate = state.rules.gate
    if gate.on == "none":
        return ended(state, held)
    asked = replace(
        state,
        stage="person",
        asks=(),
        held=held,
        why_person=why,
        person_until_ms=now_ms + gate.deadline_ms,
    )
    asked = replace(asked, waits=waits_for_person(asked, held))
    asked = with_ask(asked, gate.seat, "decide", decision_payload(asked))
    return Step(state=noted(asked, f"put to {gate.seat}: {why.replace('_', ' ')}"))


def _ask_reviser(state: ReviewState, questions: Sequence[str], now_ms: int) -> ReviewState:
    until = now_ms + state.rules.limits.deadline_ms
    state = replace(state, stage="revising", asks=(), closes_ms=until, to_person=())
    payload = revision_payload(state, "revise", questions)
    state = with_ask(state, state.rules.reviser, "revise", payload)
    held = len(state.book.open_in(state.phase.name))
    what = f"{held} open block{'' if held == 1 else 's'}, {len(questions)} open questions"
    return noted(state, f"handed to {state.rules.reviser}: {what}")


def _pass(state: ReviewState, now_ms: int) -> Live:
    """Pass the phase: go on to the next, or end."""
    name = state.phase.name
    book = state.book.after(name)
    approved = tuple({**dict(state.approved), name: state.digest}.items())
    state = replace(state, passed=(*state.passed, name), approved=approved, book=book)
    state = noted(state, f"{name} passed")
    if state.at + 1 == len(state.rules.phases):
        return ended(state, passed(state))
    after = state.rules.phases[state.at + 1]
    state = replace(state, at=state.at + 1, round=1, agains=0, remark="")
    if after.artefact:
        version = version_of(after.artefact)
        state = replace(state, artefact=after.artefact, versions=(*state.versions, version))
        return Step(state=open_round(state, now_ms))
    until = now_ms + state.rules.limits.deadline_ms
    state = replace(state, stage="revising", asks=(), closes_ms=until)
    return Step(
        state=with_ask(state, state.rules.reviser, "make", revision_payload(state, "make"))
    )


def ended(state: ReviewState, outcome: ReviewOutcome) -> Live:
    """Return the last step.

    Args:
        state: the state.
        outcome: how it ends.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> state = new_state(rules)
        >>> ended(state, missed(state)).state.stage
        'ended'
    """
    over = replace(state, stage="ended", asks=(), held=None, waits=None)
    return Step(state=over, outcome=outcome)


# --- what leads on ---------------------------------------------------------------------------


def new_version(state: ReviewState, text: str, remark: str, now_ms: int) -> ReviewState:
    """Return the state with a new version: every ballot is void, and a new round begins.

    Args:
        state: the state while the reviser is asked.
        text: the version.
        remark: what the reviser said about it.
        now_ms: the time of the answer.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> asked = with_ask(new_state(rules), "Builder", "revise", {})
        >>> made = new_version(asked, "Build two.", "", 0)
        >>> made.round, len(made.versions), made.missing
        (2, 2, ('Architect', 'Critic', 'Planner'))
    """
    version = version_of(text)
    is_first = state.asks[0].kind == "make"
    number = len(state.versions) + 1
    before = [at for at, one in enumerate(state.versions, 1) if one == version]
    state = replace(
        state,
        artefact=text,
        versions=(*state.versions, version),
        remark=remark,
        round=state.round if is_first else state.round + 1,
    )
    state = said(state, state.rules.reviser, f"hands in version {number}", remark)
    if before:
        state = noted(state, f"version {number} is version {before[-1]} again")
    return open_round(state, now_ms)


def once_more(state: ReviewState, now_ms: int) -> Live:
    """Go on as the person wants it: the absent are asked again, or the reviser.

    Args:
        state: the state while the person decides.
        now_ms: the time of the decision.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> waits = advance(open_round(new_state(rules), 0), 0, is_due=True).state
        >>> [one.party for one in once_more(waits, 0).state.asks]
        ['Architect', 'Critic', 'Planner']
    """
    state = replace(state, agains=state.agains + 1, held=None, waits=None)
    if state.why_person != "absent":
        return Step(state=_ask_reviser(state, (), now_ms))
    ballots = tuple(
        replace(one, became="replaced")
        if one.became in {"absent", "invalid"} and state.now_cast.get(one.agent) is one
        else one
        for one in state.ballots
    )
    state = replace(state, ballots=ballots, tallies=state.tallies[:-1])
    until = now_ms + state.rules.limits.deadline_ms
    return Step(state=_ask_voters(replace(state, asks=(), closes_ms=until), state.missing))


def accepted_by_person(state: ReviewState, now_ms: int) -> Live:
    """Go on as the person wants it: what held it is accepted, and the rest is looked at.

    Args:
        state: the state while the person decides.
        now_ms: the time of the decision.

    Example:
        >>> from comity.protocols.review.presets import preset_rules
        >>> from comity.protocols.review.state import new_state
        >>> rules = preset_rules("power-trio", "PLAN.md", artefact="Build it.", phases=["plan"])
        >>> waits = advance(open_round(new_state(rules), 0), 0, is_due=True).state
        >>> accepted_by_person(waits, 0).outcome.verdict
        'APPROVED'
    """
    rules, phase, why = state.rules, state.phase.name, state.why_person
    if why != "absent":
        standing = {(one.agent, one.category) for one in state.book.open_in(phase)}
        concerns = sorted(standing if why == "max_rounds" else set(state.to_person) & standing)
        book = accepted(
            state.book,
            phase=phase,
            concerns=concerns,
            by=rules.gate.seat,
            mitigation=rules.mitigation,
        )
        state = replace(state, book=book)
    wanted = {"absent", "invalid"} if why == "absent" else {"block"}
    for one in state.now_cast.values():
        if one.became in wanted and not state.book.open_in(phase, one.agent):
            state = _became(state, one, "person")
    tallies = (*state.tallies[:-1], tally_of(state))
    state = replace(state, held=None, waits=None, to_person=(), tallies=tallies)
    return _settle(state, now_ms)
