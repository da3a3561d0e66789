"""Message: what do the markers of one message add up to?

Here: the fields of positions and proposals, term lists, red line answers, and every answer
before it is judged.
Not here: where the markers stand (markers.py), the judgement and the result (grammar.py).
Sources: SEMANTICS C1-C4, C8, C9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from comity.protocols.consent.markers import ANSWERS, HEADERS, Marker, Seats, markers
from comity.protocols.text import (
    MESSAGE_LIMIT,
    VALUE_LIMIT,
    Page,
    block,
    cut,
    is_placeholder,
    is_rule,
    unbulleted,
)

__all__ = [
    "PROPOSAL_FIELDS",
    "AnswerError",
    "Answers",
    "Message",
    "PositionText",
    "ProposalText",
    "RedLineText",
    "gathered",
    "red_line_text",
]

AnswerError = Literal[
    "empty", "no_answer", "qualified_consent", "object_without_reason", "conflicting"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionText:
    """A position statement; a field that was not given is "".

    Attributes:
        priority: what the seat advocates.
        rationale: why it matters.
        red_line: what it cannot compromise on, one line each.
        willing_to_trade: what it can give up.

    Example:
        >>> PositionText(priority="Speed").red_line
        ''
    """

    priority: str = ""
    rationale: str = ""
    red_line: str = ""
    willing_to_trade: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalText:
    r"""A proposal; a field that was not given is "".

    Attributes:
        i_offer: what the seat gives up, one item a line.
        i_want: what it needs, one item a line.
        rationale: why that is fair.
        counters: the id of the proposal it answers, or None.
        terms: the terms it states as a list.

    Example:
        >>> ProposalText(i_offer="a", i_want="b").missing
        ('rationale',)
    """

    i_offer: str = ""
    i_want: str = ""
    rationale: str = ""
    counters: str | None = None
    terms: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The fields that must be asked for."""
        return tuple(name for name in PROPOSAL_FIELDS if not getattr(self, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class RedLineText:
    """What a seat says about its red line and the frozen version.

    Attributes:
        state: whether the version keeps or crosses it.
        terms: the numbers of the terms that cross it.
        because: the rest of the line.

    Example:
        >>> red_line_text("crossed - term 2, because of the log")
        RedLineText(state='crossed', terms=(2,), because='of the log')
    """

    state: Literal["kept", "crossed"]
    terms: tuple[int, ...] = ()
    because: str = ""


# --- values ----------------------------------------------------------------------------------

_GAPS = re.compile(r"\n{3,}")
_PROPOSAL_ID = re.compile(r"#?([A-Za-z]{0,4}-?[0-9]{1,6})")
PROPOSAL_FIELDS = ("i_offer", "i_want", "rationale")
_POSITION_FIELDS = ("priority", "rationale", "red_line", "willing_to_trade")
_RED_LINE = re.compile(
    r"(kept|not\s+crossed|crossed|not\s+kept)\b(?!\s*\?)[\s:,.;–—-]*(.*)",
    re.IGNORECASE | re.DOTALL,
)
_TERM_NUMBERS = re.compile(
    r"terms?\s+([0-9]{1,4}(?:\s*(?:,|and|&)\s*[0-9]{1,4})*)\b[\s:,.;–—-]*", re.IGNORECASE
)
_BECAUSE = re.compile(r"because\b[\s:,]*", re.IGNORECASE)


def _items(value: str) -> str:
    """Return a value with the items of its lists freed of bullets, one a line."""
    kept: list[str] = []
    gap = in_list = False
    for line in value.split("\n"):
        item = unbulleted(line)
        if not line.strip():
            gap = True
            continue
        if gap and not (in_list and item is not None):
            kept.append("")
        kept.append(line if item is None else item)
        gap, in_list = False, item is not None
    return "\n".join(kept)


def _terms(page: Page, first: str, start: int, stop: int) -> tuple[tuple[str, ...], int]:
    """Return the terms of a list and the line it ends before."""
    found: list[list[str]] = [[first]] if first else []
    listed = gap = False
    end = start
    for at in range(start, stop):
        line, kind = page.lines[at], page.kinds[at]
        if kind in {"hidden", "quoted"}:
            continue
        if not line.strip() or is_rule(line):
            gap = True
            continue
        item = unbulleted(line)
        nested = bool(found) and (kind == "indented" or (listed and line.startswith("  ")))
        if gap and found and not (listed and (nested or item is not None)):
            break  # prose below the list
        if nested or (listed and item is None):
            found[-1].append(line.strip() if item is None else item)
        else:
            found.append([line.strip() if item is None else item])
            listed = listed or item is not None
        gap, end = False, at + 1
    terms = (cut(" ".join(parts), VALUE_LIMIT) for parts in found)
    return tuple(term for term in terms if not is_placeholder(term)), end


def red_line_text(value: str) -> RedLineText | None:
    """Read what stands behind ``RED LINE:`` in an answer.

    Args:
        value: the text behind the label.

    Returns:
        None when it says neither kept nor crossed.

    Example:
        >>> red_line_text("kept, 150 ms is below 200").because
        '150 ms is below 200'
        >>> red_line_text("no silent message loss") is None
        True
    """
    told = _RED_LINE.match(value.strip().lstrip("*_`"))
    if told is None:
        return None
    rest = told[2].strip().lstrip("*_` ")
    numbers = _TERM_NUMBERS.match(rest)
    if numbers is not None:
        rest = rest[numbers.end() :]
    return RedLineText(
        state="kept" if told[1].lower().startswith(("kept", "not c")) else "crossed",
        terms=tuple(int(one) for one in re.findall("[0-9]+", numbers[1])) if numbers else (),
        because=_BECAUSE.sub("", rest, count=1) if _BECAUSE.match(rest) else rest,
    )


# --- gathering -------------------------------------------------------------------------------


@dataclass(slots=True)
class Answers:
    """Every answer one source gives, before it is judged."""

    consents: int = 0
    qualified: int = 0
    clashes: int = 0
    doubts: int = 0  # what may be an objection; it speaks only against a consent
    reasons: list[str] = field(default_factory=list)  # one per objection, perhaps ""
    red_lines: list[RedLineText] = field(default_factory=list)

    def take(self, marker: Marker) -> None:
        """Take one answer's marker in; a form counts for nothing."""
        match marker.name:
            case "consent":
                self.consents += 1
            case "qualified":
                self.qualified += 1
            case "clash":
                self.clashes += 1
            case "object":
                self.reasons.append(marker.first)
            case _:
                pass

    def sides(self) -> set[str]:
        """Return the answers that are given without doubt."""
        sides = {"CONSENT"} if self.consents else set()
        return sides | ({"OBJECT"} if self.reasons else set())

    def count(self) -> int:
        """Return how many answers were given, clear or not."""
        return self.consents + self.qualified + self.clashes + len(self.reasons)

    def reason(self) -> str:
        """Return the reasons of all objections, or why the red line is crossed."""
        said = dict.fromkeys(reason for reason in self.reasons if not is_placeholder(reason))
        crossed = [one.because for one in self.red_lines if one.state == "crossed"]
        told = "; ".join(said) or "; ".join(one for one in crossed if not is_placeholder(one))
        return cut(told, VALUE_LIMIT)

    def error(self) -> AnswerError | None:
        """Return why the answers are no answer, or None."""
        crossed = any(one.state == "crossed" for one in self.red_lines)
        assent = self.consents + self.qualified
        if self.clashes or (assent and (self.reasons or crossed)):
            return "conflicting"
        if self.qualified or (self.consents and self.doubts):
            return "qualified_consent"
        if not self.count():
            return "no_answer"
        return None if self.consents or self.reason() else "object_without_reason"


class Message:
    """What is gathered from the markers of one message."""

    def __init__(self, page: Page, *, answering: bool) -> None:
        self.page = page
        self.answering = answering
        self.answers = Answers()
        self.section = ""
        self.position: dict[str, list[str]] | None = None
        self.proposals: list[dict[str, list[str]]] = []
        self.proposal_terms: list[tuple[str, ...]] = []
        self.loose: dict[str, list[str]] = {}  # fields that came before their header
        self.loose_terms: tuple[str, ...] = ()
        self.check_terms: tuple[str, ...] = ()
        self.said: set[str] = set()
        self.spoofed: list[str] = []
        self.notes: list[str] = []
        self.taken: set[int] = set()  # lines that are no discussion

    def take(self, marker: Marker, stop: int) -> None:
        """Take one marker in; what belongs to it ends before ``stop``."""
        name, end = marker.name, marker.after
        if name == "doubt":
            self.answers.doubts += 1
            return
        if name == "spoof":
            self.spoofed.append(marker.other)
            self.section = "spoof" if marker.header else self.section
            return
        if name in HEADERS:
            end = self._header(marker, stop)
        elif name in ANSWERS:
            self.section = "answer"
            self.answers.take(marker)
        elif name in {"done", "incomplete"}:
            self.said.add(name)
        elif self.section == "spoof":
            return
        else:
            end = self._field(marker, stop)
        if name != "form":
            self.taken.update(range(marker.line, end))

    def _header(self, marker: Marker, stop: int) -> int:
        self.section = marker.name if marker.name != "counter" else "proposal"
        if marker.name == "check":
            self.said.add("check")
            terms, end = _terms(self.page, "", marker.after, stop)
            below = next((at for at in range(marker.after, stop) if self.page.own(at)), stop)
            if below < stop and unbulleted(self.page.lines[below]) is not None:
                self.check_terms = terms
                return end
        elif marker.name == "advocate":
            self._open_position()
        else:
            self._open_proposal()
            if marker.first:
                self.proposals[-1]["counters"] = [marker.first]
        return marker.after

    def _open_position(self) -> dict[str, list[str]]:
        self.section = "advocate"
        if self.position is None:
            self.position = {}
        return self.position

    def _open_proposal(self) -> dict[str, list[str]]:
        self.section = "proposal"
        self.proposals.append(self.loose)
        self.proposal_terms.append(())
        self.loose = {}
        return self.proposals[-1]

    def _field(self, marker: Marker, stop: int) -> int:
        """Take a field in; return the line it ends before (its own when it is discussion)."""
        if marker.name == "terms":
            return self._term_list(marker, stop)
        if marker.name == "counters":
            return self._counters(marker)
        if marker.name == "red_line" and self.section != "advocate":
            return self._red_line(marker, stop)
        value = _items(block(self.page, marker.first, marker.after, stop))
        if marker.name == "reason":
            return self._late_reason(marker, value, stop)
        if marker.name in {"i_offer", "i_want"}:
            open_now = self.proposals[-1] if self.section == "proposal" else None
            whole = open_now is not None and {"i_offer", "i_want"} <= open_now.keys()
            if open_now is None or (whole and marker.name == "i_offer"):
                open_now = self._open_proposal()
            open_now.setdefault(marker.name, []).append(value)
        elif marker.name != "rationale" or self.section == "advocate":
            self._open_position().setdefault(marker.name, []).append(value)
        elif self.section == "proposal":
            self.proposals[-1].setdefault("rationale", []).append(value)
        else:
            self.loose.setdefault("rationale", []).append(value)
            return marker.line
        return stop

    def _counters(self, marker: Marker) -> int:
        answered = _PROPOSAL_ID.fullmatch(marker.first.strip(" .*_`"))
        if answered is None:
            return marker.line
        home = self.proposals[-1] if self.section == "proposal" else self.loose
        home["counters"] = [answered[1]]
        return marker.after

    def _late_reason(self, marker: Marker, value: str, stop: int) -> int:
        if self.section != "answer" or not self.answers.reasons:
            return marker.line
        if is_placeholder(self.answers.reasons[-1]):
            self.answers.reasons[-1] = value
        return stop

    def _red_line(self, marker: Marker, stop: int) -> int:
        end = marker.after
        while end < stop and self.page.lines[end].strip():
            end += 1
        told = red_line_text(block(self.page, marker.first, marker.after, end))
        if told is not None:
            self.answers.red_lines.append(told)
        elif self.answering:
            self.notes.append("the red line is answered neither with kept nor with crossed")
        else:
            value = _items(block(self.page, marker.first, marker.after, stop))
            self._open_position().setdefault("red_line", []).append(value)
            return stop
        return end

    def _term_list(self, marker: Marker, stop: int) -> int:
        terms, end = _terms(self.page, marker.first, marker.after, stop)
        if not terms:
            self.notes.append("no terms can be read below the label of a term list")
        if self.section == "check":
            self.check_terms = terms
        elif self.section == "proposal":
            self.proposal_terms[-1] = terms
        else:
            self.loose_terms = terms
        return end

    def last_proposal(self) -> ProposalText | None:
        """Return the last proposal that says anything."""
        found = []
        for told, terms in zip(self.proposals, self.proposal_terms, strict=True):
            texts = {name: _value(told, name) for name in PROPOSAL_FIELDS}
            counters = _value(told, "counters")
            if any(texts.values()) or terms:
                found.append(
                    ProposalText(
                        **texts,
                        counters=counters or None,
                        terms=terms,
                    )
                )
        if len(found) > 1:
            self.notes.append(f"{len(found)} proposals in one message: the last one counts")
        return found[-1] if found else None

    def stated_position(self) -> PositionText | None:
        """Return the position, or None when no field of it says anything."""
        texts = {name: _value(self.position or {}, name) for name in _POSITION_FIELDS}
        return PositionText(**texts) if any(texts.values()) else None

    def discussion(self) -> str:
        """Return the words that no marker took."""
        kept = [
            line
            for number, line in enumerate(self.page.lines)
            if number not in self.taken and self.page.kinds[number] != "hidden"
        ]
        return cut(_GAPS.sub("\n\n", "\n".join(kept)).strip(), MESSAGE_LIMIT)


def _value(told: Mapping[str, list[str]], name: str) -> str:
    values = [value for value in told.get(name, []) if not is_placeholder(value)]
    return cut("\n".join(dict.fromkeys(values)), VALUE_LIMIT)


def gathered(page: Page, seats: Seats) -> Message:
    """Return what all markers of a message add up to.

    Args:
        page: the message.
        seats: who may be named, and who speaks.

    Returns:
        The gathered message.

    Example:
        >>> from comity.protocols.text import read_page
        >>> gathered(read_page("[CONSENT]"), Seats("CC")).answers.sides()
        {'CONSENT'}
    """
    found = list(markers(page, seats))
    message = Message(page, answering=any(marker.name in ANSWERS for marker in found))
    end = Marker(len(page.lines), len(page.lines), "end")
    for marker, then in pairwise([*found, end]):
        message.take(marker, max(marker.after, then.line))
    return message
