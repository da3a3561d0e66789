"""Reviews: how do the reviews of a ledger stand, and what does the next call carry on?

Here: the rounds, blocks and risks of earlier calls for a call that goes on; replies that somebody
else collected, as seats; where every review stands, and every risk. Nothing is recorded.
Not here: the review itself (protocols/review), words and tables (render/review.py).
Sources: SEMANTICS W3, W4, K1: block counts are the fold of what is in the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from comity.agents.base import Agent
from comity.agents.lineup import plans_of
from comity.agents.scripted import Scripted
from comity.core.canonical import Json, JsonObject, plain
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.parties import PartyId
from comity.core.results import Outcome, result_from_json
from comity.formats.scenario import Scenario
from comity.ledger.entry import Entry
from comity.ledger.port import Ledger
from comity.protocols.review.report import closing_report
from comity.protocols.review.results import ReviewOutcome, ReviewRecord, carried_of
from comity.runner.local import standing_seals, taken_up
from comity.session.fold import waiting_of
from comity.session.record import OPENED
from comity.session.registry import machine_of

__all__ = [
    "ReviewStanding",
    "carry_on",
    "check_seats",
    "collected",
    "counted_call",
    "report_of",
    "standings",
]

KIND = "review"


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


def carry_on(ledger: Ledger, scenario: Scenario) -> Scenario:
    """Return a scenario that goes on where the last call of its name ended.

    Args:
        ledger: the ledger.
        scenario: a review.

    Returns:
        The scenario, with the rounds, blocks and risks so far.

    Raises:
        InvalidInput: when the last call waits for a person.
    """
    name = str(scenario.rules["name"])
    seals = standing_seals(ledger)
    ended: list[tuple[int, int, ReviewOutcome]] = []
    for one in _opened(ledger, name):
        seal = seals.get(one.scope)
        outcome = _ended(seal)
        if seal is not None and outcome is not None:
            ended.append((seal.at_ms, outcome.review.round, outcome))
        elif seal is None and _waiting(ledger, one.scope) is not None:
            allowed = "a review that nobody has to decide first"
            following = f"say `comity decide {one.scope} --option approve|block --reason TEXT`"
            raise InvalidInput(Fault(f"review {name!r}", "waits for a person", allowed, following))
    if not ended:
        return scenario
    last = max(ended, key=lambda one: one[:2])[2]
    return replace(scenario, rules={**scenario.rules, "carried": encode(carried_of(last))})


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


def counted_call(ledger: Ledger, name: str, request_id: str) -> str | None:
    """Return the session of a call that is in the ledger already, or None.

    Args:
        ledger: the ledger.
        name: what is reviewed.
        request_id: names the call.
    """
    for one in _opened(ledger, name):
        rules: Any = one.body["rules"]
        if rules.get("request_id") == request_id:
            return one.scope
    return None


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
    agents: dict[PartyId, Agent] = {
        seat: Scripted((replies[seat],) if seat in replies else ()) for seat in seats
    }
    return replace(scenario, rules=rules), agents


def standings(ledger: Ledger, name: str | None = None) -> tuple[ReviewStanding, ...]:
    """Return where every review stands, phase by phase, the newest first.

    Args:
        ledger: the ledger.
        name: only this review, or None for all.
    """
    seals = standing_seals(ledger)
    found: dict[tuple[str, str], ReviewStanding] = {}
    for one in _opened(ledger, name):
        told = _standing(ledger, one, seals.get(one.scope))
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
