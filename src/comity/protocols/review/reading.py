"""Review reading: what does an answer come to, and if nothing, what must be said about it?

Here: a reviewer's vote as a ballot, an advisor's findings, the reviser's new version, the word of
the person; what the grammar cannot know: preferences, and approvals that leave a block open.
Not here: the grammar (grammar.py), what follows (rounds.py, machine.py).
Sources: SEMANTICS W1, W2, W5, W6, C3; a tool call counts before JSON, and that before the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.protocols.collect.grammar import read_decision
from comity.protocols.review.briefing import BEGIN, END, FORMS
from comity.protocols.review.grammar import Role, VoteReading, explain, read_vote
from comity.protocols.review.rules import MOST_ARTEFACT
from comity.protocols.text import VALUE_LIMIT, cut

__all__ = ["Read", "Version", "read_choice", "read_reply", "read_version"]

_PREFERENCES = {"preference", "preferences", "nit", "nits", "nitpick", "style preference"}
_WORD = r"(?:preferences?|nit(?:pick)?s?)"
_PREFERENCE = re.compile(rf"[\[(]\s*{_WORD}\s*[\])]|{_WORD}\s*(?:[:\-–—]|\Z)", re.IGNORECASE)
_EXTRA = {
    "preference": (
        "The block is marked as a preference and was kept as a comment. Name the requirement it "
        "rests on, or approve."
    ),
    "approves_with_open_block": (
        "The reply approves and marks an earlier block STILL OPEN. Say one of the two."
    ),
}
_NO_VERSION = f"The new version stands between lines {BEGIN} and {END}; none was found."


@dataclass(frozen=True, slots=True)
class Read:
    """A reviewer's answer.

    Attributes:
        reading: what the grammar read.
        error: why it is no ballot, or "".
        hint: what would be one, or "".
    """

    reading: VoteReading
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Version:
    """The reviser's answer.

    Attributes:
        text: the new version; "" when there is none.
        remark: what was said beside it.
        error: why there is none, or "".
        hint: what would be one, or "".
    """

    text: str = ""
    remark: str = ""
    error: str = ""
    hint: str = ""


def _words(body: JsonObject | None) -> str:
    text = (body or {}).get("text")
    return text if isinstance(text, str) else ""


def read_reply(body: JsonObject | None, role: Role, others: Sequence[str] = ()) -> Read:
    r"""Read a reviewer's or an advisor's answer.

    Args:
        body: the answer: ``text``, and ``vote`` with the arguments of a vote call, if there was
            one.
        role: the reviewer's kind.
        others: the names of the other seats: an approval below one of them is asked again.

    Returns:
        The reading, or what is wrong with it.

    Example:
        >>> read_reply({"text": "Fine.\nVOTE: APPROVE"}, "voter").reading.vote
        'APPROVE'
        >>> read_reply({"text": "VOTE: BLOCK\nREASON: Preference: tabs"}, "voter").error
        'preference'
    """
    tool: Any = (body or {}).get("vote")
    called = plain(tool) if isinstance(tool, Mapping) else None
    reading = read_vote(_words(body), role=role, tool=called, others=others)  # type: ignore[arg-type]  # an object
    error: str = reading.error or ""
    assents = reading.vote in {"APPROVE", "APPROVED_TO_SHIP"}
    if not error and reading.vote in {"BLOCK", "BLOCKED"} and _is_preference(reading):
        error = "preference"
    elif not error and assents and any(mark.state == "open" for mark in reading.marks):
        error = "approves_with_open_block"
    if not error:
        return Read(reading)
    why = _EXTRA.get(error) or explain(reading)
    return Read(reading, error, f"{why} Answer with {FORMS[role]}")


def _is_preference(reading: VoteReading) -> bool:
    named = reading.category in _PREFERENCES
    return named or _PREFERENCE.match(reading.reason.strip(" *_`")) is not None


def read_version(body: JsonObject | None) -> Version:
    r"""Read the reviser's new version.

    Args:
        body: the answer: ``artefact``, or ``text`` with the version between its two lines.

    Returns:
        The version, or why there is none.

    Example:
        >>> made = read_version({"text": "Limited.\nBEGIN VERSION\nPlan 2\nEND VERSION"})
        >>> made.text, made.remark
        ('Plan 2', 'Limited.')
    """
    given = (body or {}).get("artefact")
    words = _words(body)
    if isinstance(given, str):
        text, remark = given, words
    else:
        lines = words.replace("\r\n", "\n").split("\n")
        marks = [line.strip(" *`#") for line in lines]
        first = marks.index(BEGIN) if BEGIN in marks else len(marks)
        last = len(marks) - 1 - marks[::-1].index(END) if END in marks else -1
        text = "\n".join(lines[first + 1 : last]) if first < last else ""
        remark = "\n".join(lines[:first])
    if not text.strip():
        return Version(error="no_version", hint=_NO_VERSION)
    if len(text) > MOST_ARTEFACT:
        hint = f"the version has {len(text)} characters: {MOST_ARTEFACT} at most"
        return Version(error="too_long", hint=hint)
    return Version(text=text, remark=cut(remark.strip(), VALUE_LIMIT))


def read_choice(body: JsonObject | None, choices: tuple[str, ...]) -> str | None:
    """Read what the person decides.

    Args:
        body: the answer: ``decide``, or ``text``.
        choices: what may be decided.

    Returns:
        The choice, or None.

    Example:
        >>> read_choice({"text": "DECIDE: approve"}, ("approve", "block"))
        'approve'
    """
    told = body or {}
    given = told.get("decide", told.get("text"))
    return read_decision(given, choices) if isinstance(given, str) else None
