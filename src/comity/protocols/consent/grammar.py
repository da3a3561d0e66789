"""Consent grammar: what does one message of one seat come to?

Here: positions, proposals, checks and answers, read from a seat's text, from a JSON reply or
from a tool call.
Not here: which lines carry a marker and for whom (markers.py), which lines are the seat's own
(protocols/text.py), what follows from a message (machine.py).
Sources: SEMANTICS C1-C4, C8, C9.

Assent must be exact, dissent may be sloppy, and doubt is asked about again, never guessed::

    [ADVOCATE - CC]      PRIORITY: ... RATIONALE: ... RED LINE: ... WILLING TO TRADE: ...
    [PROPOSAL - CC]      I OFFER: ... I WANT: ... RATIONALE: ... TERMS: a list
    [COUNTER - CC to P3] the same, in answer to P3; a line ANSWERS: P3 says it too
    [CONSENT CHECK]      Current proposal: a list
    [CONSENT]            alone on its line
    [OBJECT: reason]     to its closing bracket, or to the end of its paragraph
    RED LINE: kept       or: crossed - term 2, because ...
    [DONE]               nothing further to propose; never consent
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from comity.protocols.conditions import sets_condition
from comity.protocols.consent.markers import Seats
from comity.protocols.consent.message import (
    PROPOSAL_FIELDS,
    AnswerError,
    Answers,
    Message,
    PositionText,
    ProposalText,
    RedLineText,
    gathered,
    red_line_text,
)
from comity.protocols.structured import json_asides, json_reply, json_text
from comity.protocols.text import Page, closes, is_placeholder, opens, read_page

__all__ = [
    "ConsentReading",
    "PositionText",
    "ProposalReading",
    "ProposalText",
    "RedLineText",
    "explain",
    "parse_consent_json",
    "read_answer",
    "read_message",
    "read_proposal",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentReading:
    r"""Everything one message says.

    Attributes:
        status: of the answer in it: ``ok``; ``invalid`` (ask again); ``no_open_check`` (an
            answer that nothing was asked for); ``none`` (no answer, and none was asked for).
        answer: CONSENT, OBJECT, or None.
        error: why the answer is invalid, or None.
        reason: an objection's reasons.
        red_line: what the seat says about its red line, or None.
        position: a position statement, or None.
        proposal: the last proposal, or None.
        calls_check: whether it calls a consent check.
        check_terms: the terms listed with that call.
        done: whether the seat has nothing further to propose.
        incomplete: whether it says that no agreement will come; only text.
        spoofed: other seats whose markers this seat wrote; they count for nothing.
        discussion: the words that belong to none of the above.
        notes: what deserves a second look.

    Example:
        >>> reading = read_message("Fair enough.\n[CONSENT]", seat="CC", open_check=True)
        >>> reading.answer, reading.discussion
        ('CONSENT', 'Fair enough.')
    """

    status: Literal["ok", "invalid", "no_open_check", "none"]
    answer: Literal["CONSENT", "OBJECT"] | None = None
    error: AnswerError | None = None
    reason: str = ""
    red_line: RedLineText | None = None
    position: PositionText | None = None
    proposal: ProposalText | None = None
    calls_check: bool = False
    check_terms: tuple[str, ...] = ()
    done: bool = False
    incomplete: bool = False
    spoofed: tuple[str, ...] = ()
    discussion: str = ""
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the answer: the keys that its status has, and no others."""
        told: dict[str, object] = {"status": self.status}
        if self.status in {"invalid", "none"}:
            told |= {"status": "invalid", "error": self.error or "no_answer"}
        if self.answer is not None:
            told["answer"] = self.answer
        if self.answer == "OBJECT":
            told["reason"] = self.reason
        if self.calls_check:
            told["calls_check"] = True
        if self.spoofed:
            told["spoofed"] = list(self.spoofed)
        return told


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalReading:
    r"""What a text holds of a proposal.

    Attributes:
        status: ``ok``, ``incomplete`` (a field is missing) or ``no_proposal``.
        proposal: the proposal, or None.

    Example:
        >>> read_proposal("I OFFER: a\nI WANT: b").to_json()
        {'status': 'incomplete', 'missing': ['rationale']}
    """

    status: Literal["ok", "incomplete", "no_proposal"]
    proposal: ProposalText | None = None

    def to_json(self) -> dict[str, object]:
        """Return the keys that this status has, and no others."""
        if self.proposal is None:
            return {"status": self.status}
        if self.status == "incomplete":
            return {"status": self.status, "missing": list(self.proposal.missing)}
        fields = {name: getattr(self.proposal, name) for name in PROPOSAL_FIELDS}
        return {"status": self.status, **fields}


# --- answers as data -------------------------------------------------------------------------

_OBJECT_WORD = re.compile(r"\W*+object(?:ion)?\b[\]\s:,;–—-]*(.*)", re.IGNORECASE | re.DOTALL)


def _from_object(told: Mapping[str, object], seats: Seats, spoofed: list[str]) -> Answers:
    """Read the answer of a JSON object or of a tool call."""
    found = Answers()
    signed = json_text(told.get("seat"))
    if signed and seats.seat is not None and seats.named(signed) != "":
        spoofed.append(seats.named(signed) or signed)
        return found
    value = told.get("answer")
    for one in value if isinstance(value, tuple) else (value,):
        word = json_text(one)
        bare = word.casefold().partition("consent")
        dissent = _OBJECT_WORD.match(word)
        exact = isinstance(one, str) and "\n" not in word
        if bare[1] and exact and opens(bare[0]) and closes(bare[2]):
            found.consents += 1
        elif dissent is not None:
            said = dissent[1].removesuffix("]") if word.startswith("[") else dissent[1]
            found.reasons.append(json_text(told.get("reason")) or said)
        elif bare[1]:
            found.qualified += 1
    if any(_adds(key, one) for key, one in told.items()):
        found.doubts += 1
    red_line = red_line_text(json_text(told.get("red_line")))
    if red_line is not None:
        found.red_lines.append(red_line)
    return found


_KEYS = frozenset(
    ("answer", "seat", "red_line", "version", "proposal", "turn", "round", "type", "date")
)
_TALK = frozenset(("reason", "reasons", "note", "notes", "comment", "comments", "discussion"))


def _adds(key: str, value: object) -> bool:
    """Tell whether a key of an answer says something that makes a consent conditional."""
    values = value if isinstance(value, tuple | list) else (value,)
    if key in _TALK:
        return any(isinstance(one, str) and sets_condition(one) for one in values)
    says = [one for one in values if one not in (None, False, "", 0) and one != {}]
    return key not in _KEYS and any(
        not (isinstance(one, str) and is_placeholder(one)) for one in says
    )


def _all_answers(
    message: Message, seats: Seats, tool: Mapping[str, object] | None
) -> tuple[Answers, bool]:
    """Return the answers of the source that counts, and whether another contradicts them."""
    page = message.page
    told = json_reply(page)
    answers, others = message.answers, set[str]()
    if told is not None:
        answers = _from_object(told, seats, message.spoofed)
    elif tool is None:
        for aside in json_asides(page):
            others |= _from_object(aside, seats, []).sides()
    if tool is not None:
        others = answers.sides()
        answers = _from_object(tool, seats, message.spoofed)
    return answers, bool(answers.sides() and others - answers.sides())


# --- reading ---------------------------------------------------------------------------------


def read_message(
    text: str,
    *,
    seat: str | None,
    seats: Iterable[str] = (),
    open_check: bool = False,
    tool: Mapping[str, object] | None = None,
) -> ConsentReading:
    """Read everything in one message of one seat.

    An answer given by a tool call counts before a JSON reply, and that before the text; when
    two of them differ, the answer is conflicting.

    Args:
        text: the seat's own final message, any string.
        seat: whose message it is, known from the channel; None when that cannot be said.
        seats: all seats; without them a word in capitals in a seat's place names a seat.
        open_check: whether this seat is asked to answer a consent check.
        tool: the arguments of the seat's answer call, if it made one: ``answer``, ``reason``,
            ``red_line``.

    Returns:
        The reading; text alone never raises.

    Example:
        >>> read_message("[CONSENT - CX]", seat="CC", open_check=True).spoofed
        ('CX',)
    """
    return _read(read_page(text), Seats(seat, seats), open_check=open_check, tool=tool)


def _read(
    page: Page, named: Seats, *, open_check: bool, tool: Mapping[str, object] | None
) -> ConsentReading:
    if tool is None and not page.whole.strip():
        return ConsentReading(status="invalid", error="empty")
    message = gathered(page, named)
    answers, contradicted = _all_answers(message, named, tool)
    calls = "check" in message.said
    proposal = message.last_proposal()
    error = "conflicting" if contradicted else answers.error()
    reading = ConsentReading(
        status="none",
        red_line=_worst(answers.red_lines),
        position=message.stated_position(),
        proposal=proposal,
        calls_check=calls,
        check_terms=(message.check_terms or message.loose_terms) if calls else (),
        done="done" in message.said,
        incomplete="incomplete" in message.said,
        spoofed=tuple(dict.fromkeys(message.spoofed)),
        discussion=message.discussion(),
        notes=tuple(dict.fromkeys(message.notes)),
    )
    if not answers.count():
        return replace(reading, **_NO_ANSWER) if open_check else reading
    if not (open_check or calls):
        return replace(reading, status="no_open_check")
    if error is not None:
        return replace(reading, status="invalid", error=error)
    if answers.consents:
        return replace(reading, status="ok", answer="CONSENT")
    return replace(reading, status="ok", answer="OBJECT", reason=answers.reason())


_NO_ANSWER: dict[str, Any] = {"status": "invalid", "error": "no_answer"}


def _worst(told: list[RedLineText]) -> RedLineText | None:
    """Return a crossed line before a kept one."""
    crossed = [one for one in told if one.state == "crossed"]
    return next(iter([*crossed, *told]), None)


def read_answer(
    text: str,
    *,
    seat: str | None,
    open_check: bool = True,
    seats: Iterable[str] = (),
    tool: Mapping[str, object] | None = None,
) -> ConsentReading:
    """Read the answer to a consent check: as :func:`read_message`, where silence is a fault.

    Args:
        text: the seat's own final message.
        seat: whose message it is.
        open_check: whether a check is open.
        seats: all seats.
        tool: the arguments of the seat's answer call, if it made one.

    Returns:
        The reading; its status is never ``none``.

    Example:
        >>> read_answer("I agree with all of it!", seat="CC").to_json()
        {'status': 'invalid', 'error': 'no_answer'}
    """
    reading = read_message(text, seat=seat, seats=seats, open_check=open_check, tool=tool)
    return replace(reading, **_NO_ANSWER) if reading.status == "none" else reading


def read_proposal(text: str) -> ProposalReading:
    r"""Read the proposal in a text.

    Args:
        text: a message.

    Returns:
        The last proposal in it and whether all its fields are there.

    Example:
        >>> read_proposal("I OFFER: a\nI WANT: b\nRATIONALE: c").status
        'ok'
    """
    return _read_proposal(read_page(text))


def _read_proposal(page: Page) -> ProposalReading:
    proposal = gathered(page, Seats(None)).last_proposal()
    if proposal is None:
        return ProposalReading(status="no_proposal")
    return ProposalReading(status="incomplete" if proposal.missing else "ok", proposal=proposal)


_ANY_PROPOSAL = re.compile(r"\bi\s{1,8}(?:offer|want)\b[\s*_`]{0,8}[:=]", re.IGNORECASE)
_ANY_ANSWER = re.compile(r"\[\W{0,8}(?:consent|object)|\"answer\"", re.IGNORECASE)


def parse_consent_json(
    text: str, *, seat: str | None = None, open_check: bool = False
) -> dict[str, object]:
    """Return what a message says as plain JSON: the status and the keys that go with it.

    A text with the labels of a proposal and without the marker of an answer is read as a
    proposal, every other as an answer.

    Args:
        text: the message.
        seat: whose it is, or None.
        open_check: whether a consent check is open.

    Returns:
        For an answer ``status``, ``answer``, ``reason``, ``error``, ``calls_check``,
        ``spoofed``; for a proposal ``status``, ``i_offer``, ``i_want``, ``rationale``,
        ``missing``; only those that apply.

    Example:
        >>> parse_consent_json("[CONSENT]", open_check=True)
        {'status': 'ok', 'answer': 'CONSENT'}
    """
    page = read_page(text)
    if _ANY_PROPOSAL.search(page.whole) and not _ANY_ANSWER.search(page.whole):
        return _read_proposal(page).to_json()
    return _read(page, Seats(seat), open_check=open_check, tool=None).to_json()


# --- sentences -------------------------------------------------------------------------------

_WHY: dict[AnswerError, str] = {
    "empty": "The message is empty.",
    "no_answer": "No line of the message is an answer: [CONSENT] or [OBJECT: reason], alone.",
    "qualified_consent": "Something beside [CONSENT] makes it conditional; it is no consent.",
    "object_without_reason": "The objection gives no reason.",
    "conflicting": "The message both consents and objects, or consents to a crossed red line.",
}


def explain(reading: ConsentReading | ProposalReading) -> str:
    """Return one sentence on what was read, for the seat or for a person.

    Args:
        reading: what one of the readers of this module returned.

    Returns:
        A sentence or two.

    Example:
        >>> explain(read_answer("[OBJECT]", seat="CC"))
        'The objection gives no reason.'
        >>> explain(read_proposal("I OFFER: a"))
        'The proposal lacks I WANT and RATIONALE.'
    """
    if isinstance(reading, ProposalReading):
        if reading.proposal is None:
            return "The text holds no proposal: I OFFER, I WANT and RATIONALE, one label a line."
        lacks = " and ".join(name.replace("_", " ").upper() for name in reading.proposal.missing)
        return f"The proposal lacks {lacks}." if lacks else "The proposal is whole."
    told = {
        "ok": f"The answer is {reading.answer}.",
        "no_open_check": "No consent check is open; the answer is not kept for later.",
        "none": "The message holds no answer, and none was asked for.",
    }
    sentence = told.get(reading.status) or _WHY[reading.error or "no_answer"]
    if reading.spoofed:
        names = ", ".join(reading.spoofed)
        sentence += f" What it says in the name of {names} counts for nothing."
    return sentence
