"""Chain: when one mechanism decides nothing, who takes over, with what?

Here: the combinator that hands the options and the reason of a no-decision on to a vote, a named
rule or a person; one session, one chain of records, every step in the result.
Not here: what is handed on (protocols/collect/following.py), the machines themselves.
Sources: SEMANTICS G10 (`otherwise = ["vote", "resolve", "human"]`), G4, G8; ARCHITECTURE
contract 1: a chain is a machine like any other, so replay and resume work through it.

What ends with exit code 0 ends the chain, and so do a veto and a cancel. The asks of a later step
are numbered with it (``2.a1``), so that a late answer to an earlier step fits none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from comity.core.canonical import Json, JsonObject, digest, frozen
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.results import (
    Choice,
    Grounds,
    NoDeal,
    NoDecision,
    Outcome,
    Submission,
    Waiting,
)
from comity.core.step import Ask, Input, Rejected, Step
from comity.core.ties import Tie, lot
from comity.protocols.collect import machine as vote
from comity.protocols.collect.brief import decision_brief
from comity.protocols.collect.following import Case, Following, case_of
from comity.protocols.collect.gate import said_by_person, words_of_undo
from comity.protocols.collect.grammar import read_decision
from comity.protocols.collect.rules import VoteRules
from comity.session.registry import OTHERWISE, Chained, Machine

__all__ = ["ChainRules", "ChainState", "read_chain"]

_ACCEPT = "accept"


# --- rules and state -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainRules(Chained):
    """A first machine with its rules, and what follows.

    Attributes:
        machine: the first machine.
        rules: its rules.
        following: what takes over.
        status_quo: the option of the first step that changes nothing, or "".
    """

    machine: Machine
    rules: Any
    following: Following
    status_quo: str = ""

    def start(self) -> Step[ChainState]:
        """Return the first step of the first machine, or of what follows it at once."""
        first = self.machine.start(self.rules)
        state = ChainState(rules=self, inner=first.state)
        return _moved(state, first, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainState(Chained):
    """Where a chain stands; the fold of its inputs.

    Attributes:
        rules: what it was opened with.
        inner: the state of the machine whose turn it is; of the last one while a person decides.
        at: how many of the following steps have begun.
        ends: how every step before this one ended.
        case: what the last one handed on.
        last: the outcome of the last one.
        asks: the person's ask, while a person decides.
        until_ms: when the person's default applies; None while no person is asked.
        is_timed: whether that counts from a known time.
        undone: how often a person's decision was taken back here.
        transcript: what was said in the first step.
        is_ended: whether it is over.
    """

    rules: ChainRules
    inner: Any
    at: int = 0
    ends: tuple[JsonObject, ...] = ()
    case: Case | None = None
    last: Outcome | None = None
    asks: tuple[Ask, ...] = ()
    until_ms: int | None = None
    is_timed: bool = True
    undone: int = 0
    transcript: tuple[JsonObject, ...] = ()
    is_ended: bool = False

    @property
    def waiting(self) -> Waiting | None:
        """What a person is waited for, while one is."""
        if self.until_ms is None:
            found = getattr(self.inner, "waiting", None)
            return found if isinstance(found, Waiting) else None
        gate = self.rules.following.gate
        assert self.last is not None
        return Waiting(
            reason="human",
            whom=(gate.seat,),
            until_ms=self.until_ms,
            unblock=(
                f"{gate.seat} answers DECIDE: one of {', '.join(_choices(self))}",
                f"or nobody does, and {_default(self)!r} applies",
            ),
            grounds=_with_steps(self, self.last).grounds,
        )

    def step(self, happened: Input) -> Step[ChainState]:
        """Return what one input does."""
        if self.is_ended:
            return _unchanged(self, "ended", happened, "it is decided already")
        if self.until_ms is not None:
            return _person(self, happened)
        mine = replace(happened, ask_id=_inside(self.at, happened.ask_id))
        if self.at == 0:
            after = self.rules.machine.step(self.inner, mine)
        else:
            after = vote.step(self.inner, mine)
        return _moved(replace(self, inner=after.state), after, happened.now_ms)


def read_chain(machine: Machine, data: JsonObject) -> ChainRules:
    """Read recorded rules that name what follows.

    Args:
        machine: the machine of the session's kind.
        data: the recorded rules with their entry ``otherwise``.

    Returns:
        The rules of the chain.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> from comity.session.registry import machine_of
        >>> try:
        ...     machine_of("vote").read_rules({"otherwise": {"steps": ["coin"]}})
        ... except InvalidInput as error:
        ...     print(len(error.faults) > 1)
        True
    """
    following: Following | None = None
    faults: list[Fault] = []
    rest = {name: item for name, item in data.items() if name != OTHERWISE}
    try:
        following = decode(Following, data[OTHERWISE], where=OTHERWISE)
        faults.extend(following.faults())
    except InvalidInput as error:
        faults.extend(error.faults)
    try:
        rules = machine.read_rules(rest)
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    assert following is not None
    status_quo = ""
    if isinstance(rules, VoteRules):
        status_quo = rules.default_option
        if rules.gate.on == "all":  # what is not decided goes to what follows
            rules = replace(rules, gate=replace(rules.gate, on="thin"))
    return ChainRules(machine=machine, rules=rules, following=following, status_quo=status_quo)


# --- moving on -------------------------------------------------------------------------------


def _outside(at: int, ask: Ask) -> Ask:
    return ask if at == 0 else replace(ask, id=f"{at}.{ask.id}")


def _inside(at: int, ask_id: str | None) -> str | None:
    """Return an ask's id as the step knows it; one of another step fits none."""
    if ask_id is None or at == 0:
        return ask_id
    number, _, own = ask_id.partition(".")
    return own if number == str(at) and own else f"of another step: {ask_id}"


def _moved(state: ChainState, after: Step[Any], now_ms: int | None) -> Step[ChainState]:
    """Return a step of the chain made of a step of one of its machines."""
    said = getattr(after.state, "transcript", None)
    if state.at == 0 and isinstance(said, tuple):
        state = replace(state, transcript=said)
    if after.outcome is None:
        return Step(
            state=state,
            asks=tuple(_outside(state.at, one) for one in after.asks),
            rejected=after.rejected,
            notes=after.notes,
            wake_at_ms=after.wake_at_ms,
        )
    before = state.case or Case(options=(), status_quo=state.rules.status_quo)
    case = case_of(after.outcome, before)
    handed = replace(state, case=case or state.case, last=after.outcome)
    if case is None:
        ended = _ended(handed, after.outcome, after.notes)
    else:
        ended = _next(handed, case, now_ms, after.notes)
    return replace(ended, rejected=(*after.rejected, *ended.rejected))


def _name(state: ChainState) -> str:
    return state.rules.following.steps[state.at - 1] if state.at else state.rules.machine.kind


def _next(
    state: ChainState, case: Case, now_ms: int | None, notes: tuple[str, ...]
) -> Step[ChainState]:
    """Begin the next step that can do something with the case."""
    last = state.last
    assert last is not None
    state = _kept(state, _name(state), last.to_json())
    steps = state.rules.following.steps
    while state.at < len(steps):
        state = replace(state, at=state.at + 1)
        name = _name(state)
        told = (*notes, f"{case.reason}: {name} takes over")
        if name == "human":
            return _ask_person(state, now_ms, told)
        found = _vote(state, case, now_ms) if name == "vote" else _resolve(state, case)
        if isinstance(found, Step):
            return replace(found, notes=(*told, *found.notes))
        notes = (*told, found)
        state = _kept(state, name, {"why": found})
    return _ended(state, last, notes)


def _kept(state: ChainState, name: str, outcome: JsonObject) -> ChainState:
    """Return the state that remembers how a step ended."""
    end = frozen({"step": name, "outcome": outcome})
    assert isinstance(end, Mapping)
    return replace(state, ends=(*state.ends, end))


def _vote(state: ChainState, case: Case, now_ms: int | None) -> Step[ChainState] | str:
    """Return the first step of the vote on a case, or why it cannot be held."""
    try:
        rules = state.rules.following.vote(case)
    except InvalidInput as error:
        return f"no vote can be held: {error.faults[0].whose} {error.faults[0].what}"
    first = vote.start(rules)
    notes = first.notes
    if now_ms is not None:  # the vote has no clock: it hears what time it is
        first = vote.step(first.state, Input(kind="resumed", now_ms=now_ms))
    return _moved(replace(state, inner=first.state), replace(first, notes=notes), now_ms)


def _resolve(state: ChainState, case: Case) -> Step[ChainState] | str:
    tie = _resolved(state, case)
    if tie.chosen is None:
        return f"{state.rules.following.resolve} resolves nothing here"
    return _ended(state, _chosen(state, case, tie, "resolve"), ())


def _resolved(state: ChainState, case: Case) -> Tie:
    """Return what the named rule chooses, or nothing."""
    following = state.rules.following
    rule, _, by = following.resolve.partition(":")
    open_options = tuple(one for one in case.names if one != case.status_quo)
    if rule == "lot" and open_options:
        return lot(following.seed, f"otherwise {state.at}", open_options)
    if rule == "lot":
        return Tie(label="resolve", tied=case.names, rule="lot", chosen=None)
    if rule == "status_quo":
        chosen = case.status_quo or None
        return Tie(label="resolve", tied=case.names, rule="status_quo", chosen=chosen)
    wish = dict(case.wishes).get(by)
    return Tie(label="resolve", tied=case.names, rule="chair", chosen=wish)


def _chosen(state: ChainState, case: Case, tie: Tie, ended_by: str, *said: Submission) -> Choice:
    """Return a choice that a rule or a person made of a case."""
    assert state.last is not None
    inputs: Json = [list(case.names), case.reason, state.last.grounds.inputs_digest]
    words = dict(case.options).get(str(tie.chosen), "")
    grounds = Grounds(
        rule=f"otherwise:{tie.rule}",
        ended_by=ended_by,
        inputs_digest=digest(inputs),
        parameters=(("because", case.reason), *((("means", words),) if words else ())),
        submissions=(*state.last.grounds.submissions, *said),
        ties=(tie,),
        thin=("tie_rule_used",) if ended_by == "resolve" else (),
    )
    return Choice(option=str(tie.chosen), grounds=grounds)


def _with_steps(state: ChainState, outcome: Outcome) -> Outcome:
    """Return an outcome whose grounds hold how every step before it ended."""
    if not state.ends:
        return outcome
    steps = (*outcome.grounds.parameters, ("steps", state.ends))
    return replace(outcome, grounds=replace(outcome.grounds, parameters=steps))


def _ended(state: ChainState, outcome: Outcome, notes: tuple[str, ...]) -> Step[ChainState]:
    over = replace(state, is_ended=True, asks=(), until_ms=None, last=outcome)
    return Step(state=over, outcome=_with_steps(state, outcome), notes=notes)


# --- the person ------------------------------------------------------------------------------


def _choices(state: ChainState) -> tuple[str, ...]:
    names = state.case.names if state.case else ()
    return (_ACCEPT, *(one for one in names if one != _ACCEPT))


def _default(state: ChainState) -> str:
    wanted = state.rules.following.gate.default
    return wanted if wanted in _choices(state) else _ACCEPT


def _ask_person(state: ChainState, now_ms: int | None, notes: tuple[str, ...]) -> Step[ChainState]:
    gate = state.rules.following.gate
    until = (now_ms or 0) + gate.deadline_ms
    asked = replace(state, until_ms=until, is_timed=now_ms is not None)
    return _standing(_with_ask(asked, "", 1), notes)


def _with_ask(state: ChainState, again: str, attempt: int) -> ChainState:
    following, gate = state.rules.following, state.rules.following.gate
    assert state.last is not None
    assert state.case is not None
    payload: dict[str, Json] = {
        "protocol": "vote",
        "kind": "decide",
        "seat": gate.seat,
        "question": following.question,
        "about": dict(state.case.options),
        "result": state.last.to_json(),
        "why": (state.case.reason,),
        "choices": _choices(state),
        "default": _default(state),
        "deadline_ms": gate.deadline_ms,
        "again": again,
    }
    anew = f"u{state.undone}." if state.undone else ""
    new = Ask(
        id=f"{state.at}.{anew}p{attempt}",
        party=gate.seat,
        kind="decide",
        payload={**payload, "brief": decision_brief(payload)},
        deadline_ms=state.until_ms,
        attempt=attempt,
    )
    return replace(state, asks=(new,))


def _standing(
    state: ChainState, notes: tuple[str, ...] = (), rejected: tuple[Rejected, ...] = ()
) -> Step[ChainState]:
    return Step(
        state=state,
        asks=state.asks,
        rejected=rejected,
        notes=notes,
        wake_at_ms=state.until_ms,
    )


def _unchanged(state: ChainState, reason: str, happened: Input, hint: str) -> Step[ChainState]:
    return _standing(state, (), (Rejected(reason=reason, party=happened.party, hint=hint),))


def _person(state: ChainState, happened: Input) -> Step[ChainState]:
    """Return what an input does while a person decides."""
    handler = _WHILE_WAITING.get(happened.kind)
    if handler is None:
        return _unchanged(state, "unknown_kind", happened, f"kinds: {', '.join(_WHILE_WAITING)}")
    return handler(state, happened)


def _resumed(state: ChainState, happened: Input) -> Step[ChainState]:
    """Give the person the whole time, once it is known what time it is."""
    if state.is_timed:
        return _standing(state)
    until = happened.now_ms + state.rules.following.gate.deadline_ms
    asks = tuple(replace(one, deadline_ms=until) for one in state.asks)
    return _standing(replace(state, until_ms=until, is_timed=True, asks=asks))


def _cancel(state: ChainState, happened: Input) -> Step[ChainState]:
    del happened
    assert state.last is not None
    return _ended(state, _cancelled(state.last), ())


def _timer(state: ChainState, happened: Input) -> Step[ChainState]:
    assert state.until_ms is not None
    if happened.now_ms < state.until_ms:
        return _unchanged(state, "early", happened, "nothing is due yet")
    return _decided(state, _default(state), "default")


def _message(state: ChainState, happened: Input) -> Step[ChainState]:
    if happened.party != state.rules.following.gate.seat:
        return _unchanged(state, "late", happened, "a person decides now")
    choice = _read(state, happened)
    if choice is None:
        return _unchanged(state, "no_decision", happened, _hint(state))
    return _decided(state, choice, "person", happened.body)


def _answered(state: ChainState, happened: Input) -> Step[ChainState]:
    mine = [one for one in state.asks if (one.id, one.party) == (happened.ask_id, happened.party)]
    if not mine:
        return _unchanged(state, "late", happened, "this question is closed")
    if happened.kind == "failure":
        return _standing(replace(state, asks=()), (f"{mine[0].party} is not there",))
    choice = _read(state, happened)
    if choice is not None:
        return _decided(state, choice, "person", happened.body)
    rejected = (Rejected(reason="no_decision", party=happened.party, hint=_hint(state)),)
    if mine[0].attempt > state.rules.following.limits.reasks:
        return _standing(replace(state, asks=()), (), rejected)
    return _standing(_with_ask(state, _hint(state), mine[0].attempt + 1), (), rejected)


def _read(state: ChainState, happened: Input) -> str | None:
    told: Mapping[str, object] = happened.body or {}
    said = told.get("decide", told.get("text"))
    return read_decision(said, _choices(state)) if isinstance(said, str) else None


def _hint(state: ChainState) -> str:
    return f"answer DECIDE: and one of {', '.join(_choices(state))}"


def _cancelled(last: Outcome) -> Outcome:
    grounds = replace(last.grounds, ended_by="cancelled")
    if isinstance(last, (NoDeal, NoDecision)):
        return replace(last, reason="cancelled", grounds=grounds)
    return NoDecision(reason="cancelled", grounds=grounds)


def _undo(state: ChainState, happened: Input) -> Step[ChainState]:
    """Ask the person anew; the fold hands in the state that the decision was made in."""
    until = happened.now_ms + state.rules.following.gate.deadline_ms
    anew = replace(state, until_ms=until, is_timed=True, undone=state.undone + 1)
    return _standing(_with_ask(anew, words_of_undo(happened), 1), ("a decision was taken back",))


def _decided(
    state: ChainState, choice: str, ended_by: str, body: JsonObject | None = None
) -> Step[ChainState]:
    case, last = state.case, state.last
    assert case is not None
    assert last is not None
    notes = (f"decided by {ended_by}: {choice}",)
    seat = state.rules.following.gate.seat
    said = [said_by_person(seat, choice, body)] if ended_by == "person" else []
    if choice == _ACCEPT and _ACCEPT not in case.names:
        told = (*last.grounds.submissions, *said)
        grounds = replace(last.grounds, ended_by=ended_by, submissions=told)
        return _ended(state, replace(last, grounds=grounds), notes)
    tie = Tie(label="person", tied=case.names, rule="human", chosen=choice)
    return _ended(state, _chosen(state, case, tie, ended_by, *said), notes)


_WHILE_WAITING: dict[str, Callable[[ChainState, Input], Step[ChainState]]] = {
    "reply": _answered,
    "failure": _answered,
    "message": _message,
    "timer": _timer,
    "resumed": _resumed,
    "cancel": _cancel,
    "undo": _undo,
}
