"""Markers: which lines of a message carry a header, a field or an answer, and for which seat?

Here: finding bracketed markers, field labels and speakers in a page; objections to their
closing bracket.
Not here: what a message comes to (grammar.py), which lines are the seat's own words
(protocols/text.py).
Sources: SEMANTICS C1, C3, C8, C9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from comity.protocols.conditions import goes_on, is_half
from comity.protocols.text import (
    VALUE_LIMIT,
    Page,
    behind,
    closes,
    cut,
    edges_off,
    plain,
    unbulleted,
    unwrapped,
)

__all__ = ["ANSWERS", "HEADERS", "Marker", "Seats", "markers"]

HEADERS = ("advocate", "proposal", "counter", "check")
"""Markers that fields stand below."""

ANSWERS = ("consent", "qualified", "object", "clash", "form")
"""Markers that answer a check, or seem to."""

_ID = re.compile(r"[A-Z][A-Z0-9]*(?:[_.-][A-Z0-9]+)*")
_ASIDE = re.compile(r"(?<=\w)\s*\([^()]*\)\Z")
_SAYS = re.compile(
    r"\s+(?:said|says|wrote|writes|answered|answers|replied|replies|responded|stated|asked)\Z",
    re.IGNORECASE,
)
_LONGEST_NAME = 80


class Seats:
    """The seats a message may name.

    Args:
        seat: whose message it is, or None when that is not known.
        seats: all seats of the negotiation; without them a word in capitals names a seat.

    Example:
        >>> seats = Seats("CC", ("CC", "CX"))
        >>> seats.named("cc"), seats.named("CX"), seats.named("cost")
        ('', 'CX', None)
    """

    def __init__(self, seat: str | None, seats: Iterable[str] = ()) -> None:
        self.seat = seat
        self.known = {_folded(one): one for one in seats}

    def named(self, name: str) -> str | None:
        """Return "" for the speaking seat itself, another seat's id, or None for no seat."""
        folded = _folded(name)
        is_id = not self.known and _ID.fullmatch(name.strip()) is not None
        if self.seat is not None and folded == _folded(self.seat):
            return ""
        if self.seat is None:
            return "" if folded in self.known or is_id else None
        return self.known.get(folded) or (name.strip() if is_id else None)

    def speaker(self, prefix: str) -> str | None:
        """Return who speaks by what stands before a marker: "" for nobody or the seat itself."""
        words = prefix.strip()
        if not words:
            return ""
        if len(words) > _LONGEST_NAME or not (self.known or words[-1] in ":>-–—"):
            return None
        return self.named(_SAYS.sub("", _ASIDE.sub("", words.rstrip(":>-–— "))).strip("@[]() "))


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


@dataclass(frozen=True, slots=True)
class Marker:
    """A line that means something.

    Attributes:
        line: the line it stands on.
        after: the first line behind it.
        name: a header, ``consent``, ``qualified`` (a consent with something beside it),
            ``object``, ``doubt`` (what may be an objection), ``clash`` (consent and objection in
            one line), ``form`` (the choice as a prompt states it), ``done``, ``incomplete``,
            ``spoof``, or a field's name.
        first: a field's value on its own line; an objection's reason; a proposal's id.
        other: the seat whose marker this seat wrote.
        header: for a spoof, whether fields may stand below it.

    Example:
        >>> from comity.protocols.text import read_page
        >>> [(one.name, one.first) for one in markers(read_page("[OBJECT: slow]"), Seats("CC"))]
        [('object', 'slow')]
    """

    line: int
    after: int
    name: str
    first: str = ""
    other: str = ""
    header: bool = False


_QUICK = re.compile(
    r"[\[:=]|priority|rationale|red\s|willing|i\s+offer|i\s+want|terms|current|reason|answers"
    r"|counter|position|advocate|proposal",
    re.IGNORECASE,
)
_BRACKET = re.compile(
    r"\[\s*(advocate|proposal|counter(?:[\s-]?proposal)?|consent[\s_-]+check|consent"
    r"|object(?:ion)?|done|incomplete)\b\s*([^\]]*)(\]?)(.*)",
    re.IGNORECASE,
)
_COUNTER = re.compile(r"(.*?)(?:\b(?:to|answers|counters)\b|[:→])\s*#?([\w.-]+)\Z", re.IGNORECASE)
_LABEL = re.compile(
    r"(priority|rationale|red\s+lines?(?:\s+\d{1,2})?|willing\s+to\s+trade|i\s+offer|i\s+want"
    r"|answers|counters|(?:current\s+proposal|terms)(?:\s*\(?v(?:ersion)?\s*\d{1,6}\)?)?|reason)"
    r"\s*(?:([:=])\s*(.*)|\Z)",
    re.IGNORECASE,
)
_FIELDS = {
    "pri": "priority",
    "rat": "rationale",
    "red": "red_line",
    "wil": "willing_to_trade",
    "i o": "i_offer",
    "i w": "i_want",
    "ans": "counters",
    "cou": "counters",
    "cur": "terms",
    "ter": "terms",
    "rea": "reason",
}
_BARE_HEADER = re.compile(
    r"(position(?:\s+statement)?|advocate|proposal|counter(?:[\s-]?proposal)?)"
    r"(?:\s*[-–—]+\s*([^:]*?))?\s*:?",
    re.IGNORECASE,
)
_OR_ANSWER = re.compile(r"[^\w/|]*+(?:or\b|[/|])\W*+(?:consent|object)", re.IGNORECASE)
_AGREED = re.compile(  # the protocol's own words behind the marker, and nothing else
    r"[\s:,;–—-]*i agree to the current proposal[\s.!]*\Z", re.IGNORECASE
)
_THEN_ANSWER = re.compile(r"[^\w\[]*+\[[^\w\[]*+(object|consent(?![\s_-]+check))", re.IGNORECASE)
_RAW_OBJECT = re.compile(r"\[[\s*_`\\]*object(?:ion)?\b", re.IGNORECASE)
_LIKE_AN_OBJECTION = re.compile(
    r"[\[(]?\s*\[\s*(?:object\w*|reject\w*|refuse\w*|disagree\w*|dissent\w*|veto\w*|block\w*"
    r"|abstain\w*|decline\w*|against|withdraw\w*|(o[bcejt]{4,7}))\b",
    re.IGNORECASE,
)
_TAGS = re.compile(r"<[^<>]*>")
_REFUSES = re.compile(
    r"\bi\s+(?:object|refuse|reject|disagree|withdraw|(?:can\s?not|can['\u2019]t|do\s+not"
    r"|don['\u2019]t|will\s+not|won['\u2019]t)\s+(?:accept|agree|consent))(?!\w)",
    re.IGNORECASE,
)
_DASHES = re.compile(r"[-–—]+\s*")


def markers(page: Page, seats: Seats) -> Iterator[Marker]:
    r"""Yield the markers of a message in order.

    A marker stands at the start of one of the seat's own lines, perhaps behind the seat's name.
    Behind another seat's name, or in a paragraph that another seat's name opens, it is a spoof.

    Args:
        page: the message.
        seats: who may be named, and who speaks.

    Yields:
        One marker per line, or two where a field stands behind a header.

    Example:
        >>> from comity.protocols.text import read_page
        >>> page = read_page("CX: [CONSENT]\n[CONSENT]")
        >>> [one.name for one in markers(page, Seats("CC"))]
        ['spoof', 'consent']
    """
    return _Scan(page, seats).run()


class _Scan:
    """What the search remembers from one line to the next."""

    def __init__(self, page: Page, seats: Seats) -> None:
        self.page = page
        self.seats = seats
        self.objections = _Objections(page, seats)
        self.voice = ""  # the other seat whose paragraph we are in
        self.fresh = False  # its name stood alone, and nothing came yet

    def run(self) -> Iterator[Marker]:
        after = 0
        for number, line in enumerate(self.page.lines):
            if number < after:
                continue
            if not line.strip():
                self.voice = self.voice if self.fresh else ""
                continue
            if self._doubts(number, line):
                yield Marker(number, number + 1, "doubt")
            text = self.page.own(number) if _QUICK.search(line) else ""
            if not text:
                self.fresh = False
                continue
            for marker in self._line(number, text):
                after = marker.after
                yield marker

    def _doubts(self, number: int, line: str) -> bool:
        """Tell whether a line that is no answer may be an objection: unsure, or misspelled."""
        kind = self.page.kinds[number]
        if kind not in {"own", "unsure"}:
            return False
        if _REFUSES.search(line):
            return True
        if "[" not in line:
            return False
        text = plain(_TAGS.sub(" ", line) if "<" in line else line)
        found = _LIKE_AN_OBJECTION.match(text)
        is_known = kind == "own" and _BRACKET.match(text) is not None
        return found is not None and not is_known

    def _line(self, number: int, text: str) -> Iterator[Marker]:
        found = _BRACKET.search(text) if "[" in text else None
        other = self.seats.speaker(text[: found.start()]) if found else None
        if found is not None and other is not None:
            if found.start() and not other:
                self.voice = ""  # the seat names itself
            for marker in self._bracket(number, found, other):
                yield marker
                if marker.name in HEADERS:
                    yield from self._field(number, found[4].strip(), found[4].strip())
            return
        yield from self._field(number, text, None)
        if unbulleted(self.page.lines[number]) is None:
            self._listen(text)

    def _field(self, number: int, text: str, value: str | None) -> Iterator[Marker]:
        label = _LABEL.match(text)
        if label is not None:
            name = _FIELDS[" ".join(label[1].lower().split())[:3]]
            mark, plain_value = label[2] or "", label[3] or ""
            line = self.page.lines[number]
            first = behind(line, mark, plain_value) if value is None else plain_value
            yield self._own_or_spoof(Marker(number, number + 1, name, first))
            return
        bare = _BARE_HEADER.fullmatch(text) if len(text) <= _LONGEST_NAME else None
        if bare is not None and value is None:
            other = self.seats.named(bare[2]) if bare[2] else ""
            if other is not None:
                word = bare[1].lower()
                name = "counter" if word.startswith("counter") else "advocate"
                name = word if word == "proposal" else name
                yield self._own_or_spoof(Marker(number, number + 1, name), other)

    def _own_or_spoof(self, marker: Marker, other: str = "") -> Marker:
        seat = other or self.voice
        if not seat:
            return marker
        header = marker.name in HEADERS
        return Marker(marker.line, marker.after, "spoof", "", seat, header)

    def _listen(self, text: str) -> None:
        """Take note when a line opens another seat's paragraph."""
        self.fresh = False
        name, colon, rest = text.partition(":")
        if not colon and text[:1] == "[" and text[-1:] == "]":
            name, colon = text, ":"
        if not (colon and self.seats.known and self.seats.seat is not None):
            return
        speaker = self.seats.speaker(name + colon)
        if speaker is not None:
            self.voice = speaker
            self.fresh = bool(speaker) and not rest.strip()

    # --- bracketed markers ---

    def _bracket(self, number: int, found: re.Match[str], other: str) -> Iterator[Marker]:
        keyword = found[1].lower()
        inside, closed, rest = found[2].strip(), bool(found[3]), found[4]
        self.fresh = False
        if keyword.startswith("object"):
            for marker in self.objections.at(number):
                form = marker.name == "form"
                yield marker if form else self._own_or_spoof(marker, other or marker.other)
        elif keyword == "consent":
            yield self._own_or_spoof(self._consent(number, found), other or self._signed(found))
        elif closed:
            yield from self._other_bracket(number, keyword, (inside, rest), other)

    def _signed(self, found: re.Match[str]) -> str:
        """Return the other seat that a consent is signed for, in the bracket or behind it."""
        inside = _DASHES.sub("", found[2].strip(), count=1) if _DASHES.match(found[2]) else ""
        behind_it = found[4].strip(" -–—()[].") if self.seats.known else ""
        return self.seats.named(inside) or self.seats.named(behind_it) or ""

    def _consent(self, number: int, found: re.Match[str]) -> Marker:
        inside, rest = found[2].strip(), found[4]
        dash = _DASHES.match(inside)
        own = not inside or (dash is not None and self.seats.named(inside[dash.end() :]) == "")
        then = _THEN_ANSWER.match(rest)
        if _OR_ANSWER.match(rest):
            name = "form"
        elif then is not None and then[1].lower() == "object":
            name = "clash"
        else:
            exact = closes(rest) or _AGREED.match(rest) is not None
            exact = exact and not self._goes_on(number)
            name = "consent" if own and found[3] and exact else "qualified"
        return Marker(number, number + 1, name)

    def _goes_on(self, number: int) -> bool:
        """Tell whether the words around a consent make it conditional or take it back."""
        page = self.page
        if number and page.kinds[number - 1] == "own" and is_half(page.lines[number - 1]):
            return True
        for at in range(number + 1, len(page.lines)):
            if page.kinds[at] == "hidden" or not page.lines[at].strip():
                continue
            text = page.own(at)
            is_more = at == number + 1 and text[:1].islower() and not _LABEL.match(text)
            return bool(text) and _BRACKET.match(text) is None and (is_more or goes_on(text))
        return False

    def _other_bracket(
        self, number: int, keyword: str, parts: tuple[str, str], other: str
    ) -> Iterator[Marker]:
        inside, rest = parts
        name = "check" if keyword.startswith("consent") else keyword
        answered = ""
        if name.startswith("counter"):
            name = "counter"
            if len(inside) <= _LONGEST_NAME and (counter := _COUNTER.match(inside)):
                inside, answered = counter[1].strip(), counter[2]
        signed = inside.lstrip(":-–— ")
        seat = self.seats.named(signed) if signed else ""
        terms = _LABEL.match(rest.strip())
        below = name == "check" and terms is not None and terms[1][:1].lower() in "ct"
        exact = seat == "" and (closes(rest) or below)
        if not (other or seat) and name not in {"advocate", "proposal", "counter"} and not exact:
            return
        marker = Marker(number, number + 1, name, answered)
        yield self._own_or_spoof(marker, other or seat or "")


class _Objections:
    """The objections of a page, each to its closing bracket."""

    def __init__(self, page: Page, seats: Seats) -> None:
        self.page = page
        self.seats = seats
        self.closings: dict[tuple[int, int], tuple[int, int]] | None = None

    def at(self, number: int) -> Iterator[Marker]:
        """Yield the objections that begin on a line; a spoof has its seat in ``other``."""
        at, column = number, 0
        while (found := _RAW_OBJECT.search(self.page.lines[at], column)) is not None:
            content, end = self._content(at, found)
            after = (end[0] if end else at + content.count("\n")) + 1
            at, column = (end[0], end[1] + 1) if end else (at, len(self.page.lines[at]))
            line = self.page.lines[at]
            if _OR_ANSWER.match(line, column):
                yield Marker(number, after, "form")
                return
            then = _THEN_ANSWER.match(line, column)
            rest = "" if then else line[column : column + VALUE_LIMIT]
            seat, reason = self._reason(unwrapped(content.lstrip(" *_`\\").rstrip("\\ ")), rest)
            yield Marker(number, after, "object", cut(reason, VALUE_LIMIT), seat)
            if then is None:
                return
            if then[1].lower() == "consent":
                yield Marker(number, after, "clash")
                return

    def _content(self, at: int, found: re.Match[str]) -> tuple[str, tuple[int, int] | None]:
        """Return an objection's text up to its bracket, or to its paragraph's end."""
        lines = self.page.lines
        end = self._closing(at, found.start())
        if end is not None and end[0] == at:
            return lines[at][found.end() : end[1]], end
        if end is not None:
            middle = [lines[n] for n in range(at + 1, end[0]) if self.page.kinds[n] != "hidden"]
            return "\n".join([lines[at][found.end() :], *middle, lines[end[0]][: end[1]]]), end
        stop = at + 1
        while stop < len(lines) and lines[stop].strip() and not self._starts(stop):
            stop += 1
        return "\n".join([lines[at][found.end() :], *lines[at + 1 : stop]]), None

    def _starts(self, number: int) -> bool:
        text = self.page.own(number)
        return _BRACKET.match(text) is not None or _LABEL.match(text) is not None

    def _closing(self, line: int, column: int) -> tuple[int, int] | None:
        """Return where a bracket of the seat's own words closes; each is looked for once."""
        if self.closings is None:
            self.closings = {}
            opened: list[tuple[int, int]] = []
            for number, text in enumerate(self.page.lines):
                if self.page.kinds[number] != "own":
                    continue
                for bracket in re.finditer(r"[\[\]]", text):
                    if bracket[0] == "[":
                        opened.append((number, bracket.start()))
                    elif opened:
                        self.closings[opened.pop()] = (number, bracket.start())
        return self.closings.get((line, column))

    def _reason(self, content: str, rest: str) -> tuple[str, str]:
        """Return (the other seat it is signed for, the reason)."""
        dash = _DASHES.match(content)
        signed, _, said = content[dash.end() :].partition(":") if dash else ("", "", "")
        seat = self.seats.named(signed) if dash else None
        reason = content.lstrip(":,;=-–— ") if seat is None else said
        if not reason.strip():
            reason = rest.strip(" :,;-–—*_`")
        return seat or "", "\n".join(edges_off(reason.strip().split("\n")))
