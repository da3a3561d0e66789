"""Gate: does a person look at the result first, and what becomes of it then?

Here: which results are handed to a person, the ask, the person's decision or its default, and
asking anew when the decision was taken back.
Not here: why a result is thin (closing.py), where the person sits (agents/, the doors).
Sources: SEMANTICS G8, V8 (absence policy ``person``), G4 (a tie that a person breaks says so).
"""

from __future__ import annotations

from dataclasses import replace

from comity.core.canonical import Json, JsonObject
from comity.core.parties import PartyId
from comity.core.results import Submission
from comity.core.step import Ask, Input
from comity.core.ties import Tie
from comity.mechanisms.voting.results import VoteChoice, VoteNoDecision, VoteVerdict
from comity.protocols.collect.brief import decision_brief
from comity.protocols.collect.closing import Ended
from comity.protocols.collect.state import VoteState

__all__ = [
    "ask_person",
    "ask_person_anew",
    "decided",
    "reasons_for_person",
    "said_by_person",
    "words_of_undo",
]

_BESIDE = ("reason", "by")


def reasons_for_person(state: VoteState, found: Ended) -> tuple[str, ...]:
    """Return why a result is put to a person first; nothing when it stands as it is.

    Args:
        state: the state when the vote closed.
        found: what it came to.

    Example:
        >>> from comity.protocols.collect.closing import result_of
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> state = new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))
        >>> reasons_for_person(state, result_of(state, "deadline"))
        ()
    """
    gate = state.rules.gate
    if gate.on == "none":
        return ()
    reasons = list(found.grounds.thin)
    if isinstance(found, VoteNoDecision) and gate.on == "all":
        reasons.append(found.reason)
    is_early = found.grounds.ended_by == "early"
    if state.rules.absent == "person" and state.missing and not is_early:
        reasons.append("absent")
    return tuple(reasons)


def ask_person(state: VoteState, found: Ended, why: tuple[str, ...], now_ms: int) -> VoteState:
    """Return the state in which the person is asked.

    Args:
        state: the state when the vote closed.
        found: what it came to.
        why: why the person is asked.
        now_ms: the time of the input that led here.

    Returns:
        The state with one ask standing.

    Example:
        >>> from comity.protocols.collect.closing import result_of
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> state = new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))
        >>> asked = ask_person(state, result_of(state, "deadline"), ("absent",), 0)
        >>> asked.asks[0].party, asked.wake_at_ms
        ('human', 86400000)
    """
    until = now_ms + state.rules.gate.deadline_ms
    held = replace(
        state, phase="person", asks=(), held=found, person_until_ms=until, why_person=why
    )
    return with_ask(held)


def with_ask(state: VoteState, *, again: str = "", attempt: int = 1) -> VoteState:
    """Return the state with the person's ask standing.

    Args:
        state: the state while a person decides.
        again: why it is asked again, or "".
        attempt: 1, or more when asked again.
    """
    rules, gate = state.rules, state.rules.gate
    assert state.held is not None
    payload: dict[str, Json] = {
        "protocol": "vote",
        "kind": "decide",
        "seat": gate.seat,
        "question": rules.question,
        "about": rules.about,
        "result": state.held.to_json(),
        "why": state.why_person,
        "choices": rules.choices,
        "default": gate.default,
        "deadline_ms": gate.deadline_ms,
        "again": again,
    }
    new = Ask(
        id=f"a{state.asked + 1}",
        party=gate.seat,
        kind="decide",
        payload={**payload, "brief": decision_brief(payload)},
        deadline_ms=state.person_until_ms,
        attempt=attempt,
    )
    return replace(state, asked=state.asked + 1, asks=(new,))


def ask_person_anew(state: VoteState, happened: Input) -> VoteState:
    """Return the state in which the person is asked once more, with the whole time to decide.

    Args:
        state: the state that the decision was made in.
        happened: what took the decision back.

    Example:
        >>> from comity.protocols.collect.closing import result_of
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> state = new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))
        >>> asked = ask_person(state, result_of(state, "deadline"), ("absent",), 0)
        >>> anew = ask_person_anew(asked, Input(kind="undo", now_ms=1_000))
        >>> anew.person_until_ms, anew.asks[0].payload["again"]
        (86401000, 'it was taken back')
    """
    until = happened.now_ms + state.rules.gate.deadline_ms
    return with_ask(replace(state, person_until_ms=until), again=words_of_undo(happened))


def words_of_undo(happened: Input) -> str:
    """Return what an undo says about the decision that it takes back.

    Args:
        happened: the undo.

    Example:
        >>> words_of_undo(Input(kind="undo", now_ms=0, body={"by": "ann", "reason": "too soon"}))
        'it was taken back by ann: too soon'
    """
    told = _beside(happened.body)
    by = f" by {told['by']}" if "by" in told else ""
    why = f": {told['reason']}" if "reason" in told else ""
    return f"it was taken back{by}{why}"


def said_by_person(seat: PartyId, choice: str, body: JsonObject | None) -> Submission:
    """Return what a person decided, with the reason and the name that came with it.

    Args:
        seat: the person's seat.
        choice: what was decided.
        body: the body of the input.

    Example:
        >>> said_by_person("human", "A", {"text": "A", "reason": "cheaper", "by": "ann"}).what
        {'decides': 'A', 'reason': 'cheaper', 'by': 'ann'}
    """
    return Submission(seat, {"decides": choice, **_beside(body)})


def _beside(body: JsonObject | None) -> dict[str, str]:
    told = {name: (body or {}).get(name) for name in _BESIDE}
    return {name: said for name, said in told.items() if isinstance(said, str) and said}


def decided(state: VoteState, choice: str, ended_by: str, body: JsonObject | None = None) -> Ended:
    """Return the result that a person's choice, or the default, makes.

    Args:
        state: the state while a person decides.
        choice: ``accept``, an option, ``passed`` or ``rejected``.
        ended_by: ``person`` or ``default``.
        body: what else the person said, as the input holds it.

    Returns:
        The vote's own result, or the one chosen in its place, with its grounds.

    Example:
        >>> from comity.protocols.collect.closing import result_of
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> state = new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))
        >>> asked = ask_person(state, result_of(state, "deadline"), ("absent",), 0)
        >>> decided(asked, "rejected", "person").verdict
        'rejected'
    """
    held = state.held
    assert held is not None
    assert hasattr(held, "count")
    grounds = replace(held.grounds, ended_by=ended_by)
    if ended_by == "person":
        said = said_by_person(state.rules.gate.seat, choice, body)
        grounds = replace(grounds, submissions=(*grounds.submissions, said))
    if choice == "accept":
        return replace(held, grounds=grounds)  # type: ignore[return-value]  # a result of a vote
    open_tie = grounds.ties[-1] if grounds.ties else None
    if open_tie is not None and open_tie.chosen is None and choice in open_tie.tied:
        broken = Tie(label=open_tie.label, tied=open_tie.tied, rule="human", chosen=choice)
        grounds = replace(grounds, ties=(*grounds.ties[:-1], broken))
    if choice != getattr(held, "winner", None):
        grounds = replace(grounds, margin=None)
    count = held.count
    if state.rules.kind == "yes_no":
        return VoteVerdict(grounds=grounds, count=count, verdict=choice)
    return VoteChoice(grounds=grounds, count=count, option=choice)
