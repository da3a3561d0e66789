"""Reviews: how do the reviews of a ledger stand, and what does the next call carry on?

Here: the rounds, blocks and risks of earlier calls for a call that goes on; which of two calls at
once counts; replies that somebody else collected, as seats; where every review stands, and every
risk.
Not here: the review itself (protocols/review), words and tables (render/review.py).
Sources: SEMANTICS W3, W4, K1: block counts are the fold of what is in the ledger.

Each call names the one that it goes on from, and counts when it is linked behind that one, in a
scope that every review has for itself: who comes second finds another head there, and counts for
nothing. A call that a process left before it was linked is linked by the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any, NamedTuple

from comity.agents.base import Agent, Failure, Question, Reply
from comity.agents.lineup import plans_of
from comity.core.canonical import Json, JsonObject, canonical, digest, plain
from comity.core.codec import encode
from comity.core.errors import (
    Fault,
    InvalidInput,
    SequenceConflict,
    did_you_mean,
    raise_if,
    shown,
)
from comity.core.parties import PartyId
from comity.core.results import Outcome, result_from_json
from comity.formats.scenario import Scenario
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.port import Ledger
from comity.protocols.review.book import Carried
from comity.protocols.review.report import closing_report
from comity.protocols.review.results import ReviewOutcome, ReviewRecord, carried_of
from comity.protocols.review.state import version_of
from comity.runner.local import LocalRunner, standing_seals, taken_up
from comity.session.fold import waiting_of
from comity.session.record import OPENED
from comity.session.registry import machine_of

__all__ = [
    "ReviewStanding",
    "carry_on",
    "check_seats",
    "collected",
    "counted_call",
    "overtaken",
    "report_of",
    "settled",
    "standings",
]

KIND = "review"
COUNTED = "review_counted"
"""The kind of the entry that links a call behind the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewStanding:
    """Where one phase of a review stands.

    Attributes:
        name: what is reviewed.
        phase: the phase.
        round: its round.
        result: the kind of its result, ``waiting`` or ``open``.
        says: in one sentence.
        session: the newest session that was in this phase.
        at_ms: when that was opened.
        blocks: how many concerns stand.
        risks: every documented risk of the review so far.
    """

    name: str
    phase: str
    round: int
    result: str
    says: str
    session: str
    at_ms: int
    blocks: int
    risks: tuple[JsonObject, ...]

    def to_json(self) -> dict[str, Json]:
        """Return all fields."""
        body = plain(encode(self))
        assert isinstance(body, dict)
        return body


# --- what is in the ledger -------------------------------------------------------------------


def _opened(ledger: Ledger, name: str | None = None) -> Iterator[Entry]:
    """Yield the openings of reviews, newest first."""
    for one in ledger.find(OPENED):
        rules = one.body.get("rules")
        if one.body.get("kind") != KIND or not isinstance(rules, Mapping):
            continue
        if name is None or rules.get("name") == name:
            yield one


def _waiting(ledger: Ledger, session: str) -> Outcome | None:
    """Return for whom an open session waits, or None."""
    return waiting_of(taken_up(session, ledger.read(session, everything=True)).last)


def _ended(seal: Entry | None) -> ReviewOutcome | None:
    if seal is None:
        return None
    machine_of(KIND)  # its results register themselves
    outcome = result_from_json(seal.body["outcome"])
    return outcome if isinstance(outcome, ReviewOutcome) else None


class _Chain(NamedTuple):
    """The calls of a review that count, in order, and the hash of the last link."""

    head: str
    sessions: tuple[str, ...]


def _scope(name: str) -> str:
    return f"review:{digest(name)[:32]}"


def _chain(ledger: Ledger, name: str) -> _Chain:
    links = [one for one in ledger.read(_scope(name)) if one.kind == COUNTED]
    return _Chain(
        links[-1].hash if links else "", tuple(str(one.body["session"]) for one in links)
    )


class _Call(NamedTuple):
    """A call that has ended, or waits for a person."""

    session: str
    rules: Mapping[str, Any]
    outcome: Outcome
    at_ms: int
    is_over: bool

    @property
    def name(self) -> str:
        return str(self.rules["name"])

    @property
    def after(self) -> str:
        return _after(self.rules)

    @property
    def may_count(self) -> bool:
        """Whether anything of it is carried on: of replies that are not all there, nothing is."""
        record = getattr(self.outcome, "review", None)
        if not isinstance(record, ReviewRecord):
            return False
        return record.counted or not self.rules.get("by_call") or not self.is_over


def _after(rules: Mapping[str, Any]) -> str:
    """Return the link that a call goes on from; "" for a call that goes on from none."""
    carried = rules.get("carried")
    return str(carried.get("after") or "") if isinstance(carried, Mapping) else ""


def _call(ledger: Ledger, opened: Entry, seal: Entry | None) -> _Call | None:
    """Return a call as it stands; None while it is under way, or was left."""
    rules: Any = opened.body["rules"]
    outcome = _ended(seal)
    if seal is not None and outcome is not None:
        return _Call(opened.scope, rules, outcome, seal.at_ms, is_over=True)
    waiting = _waiting(ledger, opened.scope) if seal is None else None
    if waiting is None:
        return None
    return _Call(opened.scope, rules, waiting, opened.at_ms, is_over=False)


def _linked(ledger: Ledger, call: _Call) -> bool:
    """Link a call behind the one that it went on from; tell whether it counts."""
    if call.session in _chain(ledger, call.name).sessions:
        return True
    link = NewEntry(COUNTED, {"name": call.name, "session": call.session})
    try:
        ledger.append(
            _scope(call.name),
            [link],
            expected_head=call.after,
            request_id=None,
            now_ms=call.at_ms,
        )
    except SequenceConflict:
        return call.session in _chain(ledger, call.name).sessions
    return True


def _left(ledger: Ledger, name: str, chain: _Chain, seals: Mapping[str, Entry]) -> _Call | None:
    """Return the call that went on from the last one and was never linked, or None."""
    found = []
    for one in _opened(ledger, name):
        rules: Any = one.body["rules"]
        if one.scope in chain.sessions or _after(rules) != chain.head:
            continue
        call = _call(ledger, one, seals.get(one.scope))
        if call is not None and call.may_count:
            found.append(call)
    return max(found, key=lambda one: (not one.is_over, one.at_ms, one.session), default=None)


def carry_on(ledger: Ledger, scenario: Scenario, *, skips_earlier: bool = False) -> Scenario:
    """Return a scenario that goes on where the last call of its name ended.

    Args:
        ledger: the ledger.
        scenario: a review.
        skips_earlier: whether it may begin with a phase whose earlier ones have not passed.

    Returns:
        The scenario, with the rounds, blocks and risks so far, and the call that it goes on from.

    Raises:
        InvalidInput: when the last call waits for a person or was left, and when an earlier phase
            has not passed.
    """
    name = str(scenario.rules["name"])
    seals = standing_seals(ledger)
    chain = _chain(ledger, name)
    while (left := _left(ledger, name, chain, seals)) is not None:
        _linked(ledger, left)
        chain = _chain(ledger, name)
    carried = Carried()
    if chain.sessions:
        carried = _carried(ledger, name, chain.sessions[-1], seals)
    if not skips_earlier:
        raise_if(_faults_of_order(scenario, carried))
    carried = replace(carried, after=chain.head)
    return replace(scenario, rules={**scenario.rules, "carried": encode(carried)})


def _carried(ledger: Ledger, name: str, session: str, seals: Mapping[str, Entry]) -> Carried:
    (opened,) = ledger.find(OPENED, scope=session)
    call = _call(ledger, opened, seals.get(session))
    if call is not None and call.is_over:
        return carried_of(call.outcome) or Carried()
    if call is None:
        what, allowed = "was left before its end", "a review that nobody has to take up first"
        following = f"say `comity resume {session}`"
    else:
        what, allowed = "waits for a person", "a review that nobody has to decide first"
        following = f"say `comity decide {session} --option approve|block --reason TEXT`"
    raise InvalidInput(Fault(f"review {name!r}", what, allowed, following))


def _faults_of_order(scenario: Scenario, carried: Carried) -> list[Fault]:
    """Return that phases have not passed which come before the first of these (W4)."""
    rules: Any = scenario.rules
    missing = [str(one) for one in rules.get("needs", ()) if one not in carried.passed]
    if not missing:
        return []
    name, phase = str(rules["name"]), rules["phases"][0]["name"]
    have = "has" if len(missing) == 1 else "have"
    return [
        Fault(
            f"review {name!r}",
            f"comes to {phase}, and {', '.join(missing)} {have} not passed",
            "the phases in order, under one --name",
            f"say `comity review FILE --phase {missing[0]} --name {quote(name)} ...` first, or "
            "--skip-earlier: the report then says what was skipped",
        )
    ]


def settled(ledger: Ledger, session: str) -> bool:
    """Link a call that has ended or waits; tell whether it counts.

    Args:
        ledger: the ledger.
        session: the call.

    Returns:
        False when another call that went on from the same one was linked first: this one counts
        for nothing, and no person is asked about it any more.
    """
    (opened,) = ledger.find(OPENED, scope=session)
    call = _call(ledger, opened, standing_seals(ledger).get(session))
    if call is None or not call.may_count or _linked(ledger, call):
        return True
    if not call.is_over:
        runner = LocalRunner(ledger)
        runner.cancel(runner.resume(session))
    return False


def overtaken(session: str) -> SequenceConflict:
    """Return that a call counts for nothing, because another one was faster.

    Args:
        session: the call.
    """
    what = "counts for nothing: another call of this review ended first"
    following = "run it again: it goes on from that one"
    return SequenceConflict(Fault(f"session {session}", what, "one call at a time", following))


def check_seats(scenario: Scenario, seats: Mapping[PartyId, str], *, folder: Path) -> None:
    """Refuse seats that do not fit a scenario, before any ledger is made.

    Args:
        scenario: a review.
        seats: role -> how it is seated.
        folder: where relative paths start.

    Raises:
        InvalidInput: with every fault.
    """
    plans_of(scenario, seats, folder=folder)


def counted_call(ledger: Ledger, scenario: Scenario) -> str | None:
    """Return the session of a call that is in the ledger already, or None.

    A call that waits for replies was not counted, and is made again.

    Args:
        ledger: the ledger.
        scenario: the call with its ``request_id``, as `collected` returns it.

    Raises:
        InvalidInput: when the id names a call of another phase, text, replies or settings.
    """
    rules: Any = scenario.rules
    name, request_id = str(rules["name"]), rules["request_id"]
    seals = standing_seals(ledger)
    for one in _opened(ledger, name):
        theirs: Any = one.body["rules"]
        if theirs.get("request_id") != request_id:
            continue
        call = _call(ledger, one, seals.get(one.scope))
        if call is None or not call.may_count or not _linked(ledger, call):
            continue
        differs = _differs(theirs, rules)
        if differs:
            what = f"names another call: it has {', '.join(differs)}"
            allowed, following = "one id for the retries of one call", "take a new --request-id"
            raise InvalidInput(Fault(f"--request-id {request_id!r}", what, allowed, following))
        return one.scope
    return None


def _differs(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> list[str]:
    """Return in what a call is another one than the recorded one."""
    (before, *_), (now, *_) = theirs["phases"], ours["phases"]
    found = []
    if before["name"] != now["name"]:
        found.append(f"phase {before['name']}")
    if before["artefact"] != now["artefact"]:
        found.append(f"version {version_of(str(before['artefact']))[:12]}")
    if theirs.get("request_digest") != ours["request_digest"]:
        found.append("other replies")
    if not found and _settings(theirs) != _settings(ours):
        found.append("other settings")
    return found


def _settings(rules: Mapping[str, Any]) -> str:
    return canonical({name: rules[name] for name in rules if name != "carried"})


@dataclass(frozen=True, slots=True)
class _HandedIn:
    """A seat whose reply somebody else collected, or did not."""

    words: str | None
    waits: bool = False

    def reply(self, question: Question) -> Reply | Failure:
        """Return the words, which may be empty; a reply that is not there is a failure."""
        del question
        if self.words is None:
            return Failure(kind="left", detail="no reply of it was handed in (--reply ROLE=FILE)")
        return Reply(text=self.words)


def collected(
    scenario: Scenario, replies: Mapping[PartyId, str], *, request_id: str = ""
) -> tuple[Scenario, dict[PartyId, Agent]]:
    """Return a call over replies that somebody else collected: its scenario and its seats.

    Args:
        scenario: a review of one phase.
        replies: role -> its words.
        request_id: names the call, so that it counts once, or "".

    Returns:
        The scenario, in which nobody is asked again; who has no reply is silent.

    Raises:
        InvalidInput: for a reply of somebody who has no seat in this phase.
    """
    order = scenario.rules["order"]
    seats = [str(one) for one in order] if isinstance(order, (list, tuple)) else []
    raise_if(
        Fault(f"reply of {shown(name)}", "is of nobody in this phase", ", ".join(seats),
              did_you_mean(name, seats))
        for name in replies
        if name not in seats
    )  # fmt: skip
    rules = {**scenario.rules, "by_call": True, "request_id": request_id}
    rules["request_digest"] = digest(dict(replies)) if request_id else ""
    agents: dict[PartyId, Agent] = {seat: _HandedIn(replies.get(seat)) for seat in seats}
    return replace(scenario, rules=rules), agents


def standings(ledger: Ledger, name: str | None = None) -> tuple[ReviewStanding, ...]:
    """Return where every review stands, phase by phase, the newest first.

    Args:
        ledger: the ledger.
        name: only this review, or None for all.
    """
    seals = standing_seals(ledger)
    chains: dict[str, _Chain] = {}
    found: dict[tuple[str, str], ReviewStanding] = {}
    for one in _opened(ledger, name):
        told = _standing(ledger, one, seals.get(one.scope))
        chain = chains.setdefault(told.name, _chain(ledger, told.name))
        call = _call(ledger, one, seals.get(one.scope))
        is_known = call is None or call.session in chain.sessions or call.after == chain.head
        if is_known or (call is not None and not call.may_count):
            found.setdefault((told.name, told.phase), told)
    return tuple(found.values())


def _standing(ledger: Ledger, opened: Entry, seal: Entry | None) -> ReviewStanding:
    outcome: Any = _ended(seal) or (_waiting(ledger, opened.scope) if seal is None else None)
    record = getattr(outcome, "review", None)
    rules: Any = opened.body["rules"]
    head: dict[str, Any] = {
        "name": str(rules["name"]),
        "session": opened.scope,
        "at_ms": opened.at_ms,
    }
    if not isinstance(record, ReviewRecord):
        phase = str(rules["phases"][0]["name"])
        says = "a process left it: take it up again"
        return ReviewStanding(
            **head, phase=phase, round=0, result="open", says=says, blocks=0, risks=()
        )
    standing = {(one.agent, one.category) for one in record.blocks if one.became == "open"}
    return ReviewStanding(
        **head,
        phase=record.phase,
        round=record.round,
        result=outcome.kind,
        says=outcome.says,
        blocks=len(standing),
        risks=tuple(_risk(one) for one in record.risks),
    )


def _risk(risk: object) -> JsonObject:
    body = encode(risk)
    assert isinstance(body, Mapping)
    return body


def report_of(outcome: Outcome) -> str:
    """Return the closing report of a review; "" for the result of something else.

    Args:
        outcome: how it ended, or that it waits.
    """
    return closing_report(outcome) if isinstance(outcome, ReviewOutcome) else ""
