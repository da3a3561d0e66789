"""Scripted seats: replies written down beforehand.

Here: a seat that says its lines in order, reading lines from a transcript, a list or blocks.
Not here: what the lines mean (the protocol's grammar reads them like anybody else's).
Sources: SEMANTICS C7; the transcript format is the protocol's own headers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from comity.agents.base import Failure, Question, Reply
from comity.core.errors import Fault, InvalidInput
from comity.core.parties import PartyId

__all__ = ["Scripted", "lines_of", "order_in"]

_HEADER = re.compile(
    r"(?im)^\s*\[(?:ADVOCATE|PROPOSAL|COUNTER|CONSENT CHECK|CONSENT|OBJECT|DISCUSS|DONE)"
    r" - (?P<seat>[^\]\n:]+?)(?: to [^\]\n:]+)?(?:\]|:)"
)
_RULE = re.compile(r"(?m)^\s*-{3,}\s*$")
_END = re.compile(r"(?m)^\s*\[(?:DONE|INCOMPLETE)\](?: - .*)?\s*$")


@dataclass(frozen=True, slots=True)
class Scripted:
    """A seat that says its lines in order and is silent afterwards.

    Attributes:
        lines: the replies, in order.

    Example:
        >>> from comity.core.step import Ask
        >>> ask = Ask(id="a1", party="CC", kind="turn", payload={})
        >>> Scripted(("one", "two")).reply(Question(ask=ask, request_id="r", nth=1)).text
        'two'
    """

    lines: tuple[str, ...]
    waits: bool = False

    def reply(self, question: Question) -> Reply | Failure:
        """Return the line whose turn it is."""
        if question.nth < len(self.lines):
            return Reply(text=self.lines[question.nth])
        return Failure(kind="left", detail="the script has ended")


def lines_of(text: str, seat: PartyId, *, source: str = "script") -> tuple[str, ...]:
    r"""Read the lines of one seat from a script.

    Three forms: a JSON list of texts; blocks separated by lines of dashes; or the transcript of a
    session, cut at headers such as ``[PROPOSAL - CC]``, of which the seat takes its own blocks.

    Args:
        text: the script.
        seat: whose lines are wanted.
        source: the file's name, for messages.

    Returns:
        The replies in order.

    Raises:
        InvalidInput: when the script holds no line for this seat.

    Example:
        >>> lines_of("[PROPOSAL - CC]\nI OFFER: x\n[CONSENT - CX]\n", "CX")
        ('[CONSENT - CX]',)
    """
    lines = _json_lines(text)
    if not lines and _RULE.search(text):
        lines = [block.strip("\n") for block in _RULE.split(text) if block.strip()]
    if not lines:
        lines = [block for owner, block in _blocks(text) if owner == seat]
    if not lines and not _HEADER.search(text) and not _RULE.search(text) and text.strip():
        lines = [text.strip("\n")]
    if not lines:
        raise InvalidInput(
            Fault(
                source,
                f"holds no line for seat {seat!r}",
                "a JSON list, blocks between lines of ---, or headers such as [PROPOSAL - CC]",
                "add the seat's lines, or seat another agent",
            )
        )
    return tuple(lines)


def order_in(text: str, seats: Sequence[PartyId]) -> tuple[PartyId, ...] | None:
    r"""Return the speaking order a transcript fixes, when every seat speaks in it.

    Args:
        text: the script.
        seats: the seats of the session.

    Returns:
        The seats by their first line, or None when the script is no transcript of all of them.

    Example:
        >>> order_in("[ADVOCATE - CX]\n...\n[ADVOCATE - CC]\n...", ["CC", "CX"])
        ('CX', 'CC')
    """
    if _json_lines(text) or _RULE.search(text):
        return None
    order = tuple(dict.fromkeys(owner for owner, _ in _blocks(text) if owner in seats))
    return order if len(order) == len(seats) else None


def _json_lines(text: str) -> list[str]:
    if not text.lstrip().startswith("["):
        return []
    try:
        data = json.loads(text)
    except ValueError:
        return []
    if isinstance(data, list) and all(isinstance(item, str) for item in data):
        return data
    return []


def _blocks(text: str) -> list[tuple[PartyId, str]]:
    body = text
    headers = list(_HEADER.finditer(text))
    ending = _END.search(text, headers[-1].end()) if headers else None
    if ending:
        body = text[: ending.start()]
    starts = [match.start() for match in headers] + [len(body)]
    return [
        (match["seat"].strip(), body[match.start() : starts[at + 1]].strip())
        for at, match in enumerate(headers)
    ]
