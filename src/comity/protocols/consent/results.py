"""Consent results: what was agreed and how, or why not and what is left.

Here: the consent protocol's own forms of agreement and no deal.
Not here: how they come about (machine.py), the document made of them (document.py).
Sources: SEMANTICS G1, G2, C5, C6.
"""

from __future__ import annotations

from dataclasses import dataclass

from comity.core.parties import PartyId
from comity.core.results import Agreement, NoDeal, result_form

__all__ = [
    "ConsentAgreement",
    "ConsentNoDeal",
    "ConsentRecord",
    "Objection",
    "RedLineReport",
    "SeatReport",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """An objection to one version and what became of it.

    Attributes:
        party: who objected.
        version: the version objected to.
        reason: the reason given.
        answered: how it was answered, or "" while it stands.

    Example:
        >>> Objection(party="CX", version=2, reason="too slow").answered
        ''
    """

    party: PartyId
    version: int
    reason: str
    answered: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedLineReport:
    """One red line and how it stands.

    Attributes:
        party: whose it is.
        text: as stated.
        checked_by: ``"code"`` for predicates, else ``"owner"``.
        kept: how it is kept ("p99_latency_ms is 150"), or "" when nothing was agreed.
        loosened_from: the earlier text when its owner loosened it, else "".

    Example:
        >>> RedLineReport(party="CX", text="p99 < 200", checked_by="code").kept
        ''
    """

    party: PartyId
    text: str
    checked_by: str
    kept: str = ""
    loosened_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatReport:
    """One seat: what it stood for, gave and got.

    Attributes:
        party: the seat's name.
        priority: what it advocates.
        gave: what it gave up, in its own offers.
        got: what it asked for and has in the agreement.
        asked: what it asked for and does not find there in its own words.

    Example:
        >>> SeatReport(party="CC", priority="Reliability").gave
        ()
    """

    party: PartyId
    priority: str
    gave: tuple[str, ...] = ()
    got: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentRecord:
    """What both forms report alike.

    Attributes:
        question: what was to be decided.
        turns: accepted messages of all seats together.
        max_turns: the limit.
        draft: the terms in words: the agreed version, or the closest one.
        version: its version.
        seats: every seat in speaking order.
        red_lines: every red line.
        objections: every objection made, in order.
        flags: what deserves a second look, one line each.

    Example:
        >>> ConsentRecord(question="q", turns=0, max_turns=30).flags
        ()
    """

    question: str
    turns: int
    max_turns: int
    version: int = 0
    draft: tuple[str, ...] = ()
    seats: tuple[SeatReport, ...] = ()
    red_lines: tuple[RedLineReport, ...] = ()
    objections: tuple[Objection, ...] = ()
    flags: tuple[str, ...] = ()


@result_form("consent")
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentAgreement(Agreement):
    """All seats consented to one version.

    Attributes:
        terms: what was agreed, name by name, as options or words.
        record: question, turns, draft, seats, red lines, objections, flags.
        says: one sentence for people.
    """

    terms: tuple[tuple[str, str], ...]
    record: ConsentRecord
    says: str


@result_form("consent")
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentNoDeal(NoDeal):
    """The negotiation ended INCOMPLETE.

    Attributes:
        record: question, turns, the closest draft, seats, red lines, objections, flags.
        accepted_terms: terms of the closest draft that no objection to it names.
        conflict: the smallest sets of red lines that no deal keeps together, in words.
        says: one sentence for people.
    """

    record: ConsentRecord
    says: str
    accepted_terms: tuple[str, ...] = ()
    conflict: tuple[str, ...] = ()
