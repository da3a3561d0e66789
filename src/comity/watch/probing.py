"""Probing: would this seat answer, and in the form that counts, before anything depends on it?

Here: two turns of a small consent negotiation with nobody behind it, played on no ledger; what a
seat's failures mean and what cures them.
Not here: how a seat is told (cli/doctor.py), the seats (agents/), how replies are read
(protocols/consent).
Sources: SEMANTICS C2, C5, C7. Exit code 0 of a program proves nothing: what the machine has
recorded is looked at, never what the program says of itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from comity.agents.base import Agent, Failure, FailureKind, Question, Reply
from comity.agents.budget import Used, used_in
from comity.agents.limits import Limits, guards_of
from comity.agents.model_seats import guarded
from comity.agents.scripted import Scripted
from comity.agents.seating import plan_seat, seat_agent
from comity.core.canonical import JsonObject
from comity.core.errors import InvalidInput
from comity.core.step import Ask, Input, Step
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.protocols.consent.state import ConsentState
from comity.runner.clock import Clock, RealClock
from comity.session.record import Opening

__all__ = ["ASKED_KINDS", "Probe", "look_at", "probe"]

ASKED_KINDS = ("claude", "codex", "gemini", "model", "command")
"""Kinds of seats that a probe asks; the others need none."""

_OTHER = "probe"
_LINES = (
    "PRIORITY: readable answers\nRATIONALE: no more\nRED LINE: none\nWILLING TO TRADE: all",
    "[CONSENT CHECK]\n- This is a probe, and nothing follows from it",
)
_NOTHING = Used()
_QUESTION = "Nothing: this is a probe of two turns. State a position, then answer the check."
_CURES: Mapping[FailureKind, str] = {
    "auth": "log in to it, or set its key in the environment",
    "bad_request": "check the model's name and the size of its context",
    "budget": "raise --budget",
    "crashed": "run it by hand with a short brief and look at what it prints",
    "cut": "try again; when it stays, look at the network or the server's limits",
    "empty": "run it by hand; an answer without a word counts as none",
    "left": "seat somebody who answers",
    "overloaded": "try again later, or seat another model",
    "quota": "pay for more, or seat another model",
    "rate_limited": "try again later, or seat fewer models of this vendor",
    "timeout": "raise --timeout, or seat something faster",
    "unavailable": "install it, or start its server",
}
_FORM = "a larger model, or a grammar on the server; `comity parse consent` shows how it is read"


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What is known of a seat.

    Attributes:
        seat: its name.
        spec: how it is seated.
        state: ``answers``, ``not asked``, ``fails``, ``unreadable`` or ``not seated``.
        told: one line: what was found.
        cure: one line: what to do; "" when nothing is wrong.
        reasks: how many of its replies could not be read and were asked for again.
        used: what its calls used.

    Example:
        >>> Probe(seat="CC", spec="rational", state="not asked", told="").is_ok
        True
    """

    seat: str
    spec: str
    state: str
    told: str
    cure: str = ""
    reasks: int = 0
    used: Used = _NOTHING

    @property
    def is_ok(self) -> bool:
        """Whether nothing is wrong as far as is known."""
        return not self.cure

    def to_json(self) -> JsonObject:
        """Return all fields."""
        return {
            "seat": self.seat,
            "agent": self.spec,
            "state": self.state,
            "told": self.told,
            "cure": self.cure or None,
            "reasks": self.reasks,
            "tokens": self.used.tokens,
            "money": format(self.used.money, "f"),
        }


def look_at(seat: str, spec: str, *, folder: Path) -> Probe:
    """Return whether a seat can be seated, without asking anybody.

    Args:
        seat: its name.
        spec: how it is seated.
        folder: where relative paths start.

    Example:
        >>> look_at("CC", "rational", folder=Path()).state
        'not asked'
    """
    try:
        plan = plan_seat(spec, seat, folder=folder)
    except InvalidInput as error:
        first = error.faults[0]
        return Probe(seat=seat, spec=spec, state="not seated", told=first.what, cure=first.next)
    kind = plan.spec.partition(":")[0]
    told = "not asked: --probe asks it" if kind in ASKED_KINDS else "needs no probe"
    return Probe(seat=seat, spec=plan.spec, state="not asked", told=told)


def probe(
    seat: str, spec: str, *, folder: Path, limits: Limits | None = None, clock: Clock | None = None
) -> Probe:
    """Ask a seat two turns of a negotiation about nothing.

    Args:
        seat: its name.
        spec: how it is seated.
        folder: where relative paths start.
        limits: what its calls are held to.
        clock: what a repeated call is waited for on.

    Returns:
        What came of it; a seat that cannot be seated, or needs no probe, is not asked.

    Example:
        >>> probe("CC", "command:true", folder=Path()).state
        'fails'
    """
    looked = look_at(seat, spec, folder=folder)
    if not looked.is_ok or looked.spec.partition(":")[0] not in ASKED_KINDS:
        return looked
    opening = Opening(kind="consent", title=_QUESTION, rules={})
    guards = guards_of(opening, clock or RealClock(), limits=limits)
    agent = guarded(seat_agent(seat, looked.spec, {}, domain=None), guards)
    return _Probing(looked, agent).played()


class _Probing:
    """One probe under way: the seat beside a scripted one."""

    def __init__(self, looked: Probe, agent: Agent) -> None:
        """Keep who is asked."""
        self.looked = looked
        self.other = f"{_OTHER} of {looked.seat}"
        self.agents: dict[str, Agent] = {looked.seat: agent, self.other: Scripted(_LINES)}
        self.heard = dict.fromkeys(self.agents, 0)
        self.used = Used()
        self.reasks = 0

    def played(self) -> Probe:
        """Play until the seat has answered the check, has failed, or could not be read twice."""
        seats: dict[str, object] = {
            self.looked.seat: "an answer in the form that is asked for",
            self.other: "a readable answer",
        }
        order = [self.other, self.looked.seat]
        rules = consent_rules(
            _QUESTION, seats, order=order, seed="probe", limits=ConsentLimits(max_turns=4)
        )
        last: Step[ConsentState] = start(rules)
        while last.outcome is None:
            asked = last.asks[0]
            said = self._said(asked)
            if isinstance(said, Failure):
                return self._ended("fails", f"{said.kind}: {said.detail}", _CURES[said.kind])
            body: JsonObject = {"text": said.text}
            happened = Input(kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body=body)
            last = step(last.state, happened)
            again = [one for one in last.rejected if one.party == self.looked.seat]
            self.reasks += len(again)
            is_over = asked.attempt > rules.limits.reasks and bool(again)
            if is_over or (again and last.outcome is not None):
                return self._ended("unreadable", f"{asked.kind}: {again[-1].hint}", _FORM)
            if asked.party == self.looked.seat and asked.kind == "answer" and not again:
                break
        more = f", {self.reasks} asked for again" if self.reasks else ""
        return self._ended("answers", f"two turns in the form{more}{_bill(self.used)}", "")

    def _said(self, asked: Ask) -> Reply | Failure:
        number = self.heard[asked.party]
        self.heard[asked.party] += 1
        question = Question(ask=asked, request_id=f"probe/{asked.id}", nth=number)
        said = self.agents[asked.party].reply(question)
        if isinstance(said, Reply):
            self.used += used_in([said.usage])
        return said

    def _ended(self, state: str, told: str, cure: str) -> Probe:
        return Probe(
            seat=self.looked.seat,
            spec=self.looked.spec,
            state=state,
            told=re.sub(r"\s+", " ", told).strip(": "),
            cure=cure,
            reasks=self.reasks,
            used=self.used,
        )


def _bill(used: Used) -> str:
    money = f", {used.money:f} USD" if used.money else ""
    return f", {used.tokens:,} tokens{money}" if used.tokens else money
