"""Review grammar: which vote, and why, does a reply end in?

Here: votes, verdicts, reasons, categories and marks on earlier blocks, read from a reviewer's
text, from a JSON reply or from a tool call.
Not here: which lines are the reviewer's own (protocols/masks.py), what else in a message speaks
against an approval (doubts.py), what follows from a vote (machine.py), who may vote (rules.py).
Sources: SEMANTICS W1, W2, W5, W6.

Assent must be exact, dissent may be sloppy, and doubt is asked about again, never guessed::

    VOTE: APPROVE            a closed set of forms; nothing in the reply may speak against it
    VOTE: BLOCK - reason     or a REASON: line; without any reason it does not count
    CATEGORY: security       which counter the block is held against
    TO APPROVE: ...          SUGGESTION: ...      ADDRESSED: ...      STILL OPEN: ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from comity.protocols.conditions import sets_condition
from comity.protocols.letters import normalise
from comity.protocols.review.doubts import FIELD, is_doubted, told_doubt
from comity.protocols.structured import json_asides, json_reply, json_text
from comity.protocols.text import (
    LINE_LIMIT,
    PAGE_LIMIT,
    VALUE_LIMIT,
    Page,
    behind,
    block,
    closes,
    is_placeholder,
    opens,
    read_page,
    unbulleted,
)

__all__ = [
    "BlockMark",
    "Role",
    "VoteReading",
    "explain",
    "parse_review_json",
    "read_vote",
]

Role = Literal["voter", "verdict", "advisor"]
VoteError = Literal[
    "empty",
    "too_long",
    "no_vote",
    "no_countable_vote",
    "ambiguous_vote",
    "conflicting_votes",
    "block_without_reason",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockMark:
    r"""What a reviewer says about one of its earlier blocks (W6).

    Attributes:
        state: whether the concern was met.
        text: the concern, as the reviewer names it.

    Example:
        >>> read_vote("ADDRESSED: rate limit\nVOTE: APPROVE").marks
        (BlockMark(state='addressed', text='rate limit'),)
    """

    state: Literal["addressed", "open"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteReading:
    r"""What one reply of a reviewer says.

    Attributes:
        status: ``ok``, ``invalid`` (ask again), or ``not_a_voter`` (an advisor's findings).
        vote: the token, or None.
        error: why the reply is invalid, or None.
        reason: why, in the reviewer's words; "" when none was given.
        category: the issue category in lower case, or None.
        to_approve: what would turn a block into an approval.
        suggestion: how that could be done.
        marks: what became of earlier blocks.
        findings: an advisor's text.
        source: where the vote stood.

    Example:
        >>> read_vote("VOTE: BLOCK\nREASON: no test").to_json()
        {'status': 'ok', 'vote': 'BLOCK', 'reason': 'no test'}
    """

    status: Literal["ok", "invalid", "not_a_voter"]
    vote: str | None = None
    error: VoteError | None = None
    reason: str = ""
    category: str | None = None
    to_approve: str = ""
    suggestion: str = ""
    marks: tuple[BlockMark, ...] = ()
    findings: str = ""
    source: Literal["tool", "json", "text"] | None = None

    def to_json(self) -> dict[str, str]:
        """Return the keys that this status has, and no others."""
        if self.status == "invalid":
            return {"status": "invalid", "error": self.error or ""}
        if self.status == "not_a_voter":
            return {"status": "not_a_voter"}
        told = {"status": "ok", "vote": self.vote or "", "reason": self.reason}
        return told if self.category is None else {**told, "category": self.category}


# --- tokens ----------------------------------------------------------------------------------


class _Tokens:
    """The words of one kind of vote."""

    def __init__(self, label: str, assent: tuple[str, str], dissent: tuple[str, str]) -> None:
        self.assent, yes = assent
        self.dissent, no = dissent
        either = rf"(?:{yes}|{no})(?!\w)"
        self.labels = label.split("|")
        self.token = re.compile(rf"(\W*+)(?:({yes})|{no})(?!\w)(.*)", re.IGNORECASE)
        self.near = re.compile(r"approv|block" + ("|ship" if "ship" in yes else ""), re.IGNORECASE)
        self.form = re.compile(
            rf"\W*+{either}[^\w/|]*+(?:or\b|[/|])\W*+(?:(?:vote|verdict)\W*+)?{either}",
            re.IGNORECASE,
        )
        self.loose = re.compile(
            rf"\b(?:{label})\b[\W_]{{1,16}}(?:approved?|blocked|block)(?![a-z])", re.IGNORECASE
        )


_VOTE = _Tokens("vote", ("APPROVE", "approved?"), ("BLOCK", "block(?:ed)?"))
_VERDICT = _Tokens(
    "verdict|vote",
    ("APPROVED_TO_SHIP", r"approved[\s_-]+to[\s_-]+ship"),
    ("BLOCKED", "block(?:ed)?"),
)
_TAKEN_BACK = re.compile(
    r"\s+(?:is not|isn'?t|was|no longer|withdrawn|lifted|retracted)\b", re.IGNORECASE
)
_ANY_VOTE = re.compile(r"approv|block", re.IGNORECASE)
_REASON_LABEL = re.compile(r"reasons?\s*[:=]\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Cast:
    """What stands behind a vote's label: nothing, a form, a vote, or doubt.

    ``weak`` doubt speaks only when no vote does.
    """

    kind: Literal["none", "form", "vote", "ambiguous", "weak"]
    vote: str = ""
    tail: str = ""


_NONE, _FORM, _DOUBT, _WEAK = (_Cast(kind) for kind in ("none", "form", "ambiguous", "weak"))


def _cast(value: str, mark: str, tokens: _Tokens) -> _Cast:
    """Read what stands behind a label that ends in ``mark`` ("" for a space)."""
    form = tokens.form.match(value)
    both = form[0].casefold() if form else ""
    if value.lstrip("\"'“([ ").startswith("<") or ("approve" in both and "block" in both):
        return _FORM
    token = tokens.token.match(value)
    if token is None:
        return _DOUBT if mark in {":", "="} and tokens.near.search(value) else _NONE
    lead, assent, tail = token[1], token[2], token[3]
    if assent:
        exact = opens(lead) and closes(tail)
        return _Cast("vote", tokens.assent) if exact else _DOUBT
    bare = mark not in {":", "="} and tail[:1].isspace() and tail.strip()[:1].isalnum()
    if bare or tail.lstrip()[:1] in {"?", "❓", "❔"} or _TAKEN_BACK.match(tail):
        return _DOUBT
    return _Cast("vote", tokens.dissent, _tail_reason(tail))


def _tail_reason(tail: str) -> str:
    text = tail.strip().lstrip(":;,.!|-–—]) \"'”’")
    for opening, closing in ("()", "[]"):
        if text.startswith(opening) and text.endswith(closing):
            text = text[1:-1].strip()
        elif text.endswith(closing) and text.count(closing) > text.count(opening):
            text = text[:-1].rstrip()  # the bracket around the whole line
    return _REASON_LABEL.sub("", text, count=1) if _REASON_LABEL.match(text) else text


# --- markers of the text ---------------------------------------------------------------------

_QUICK = re.compile(r"vote|verdict|reason|categ|approve|suggest|addressed|still", re.IGNORECASE)
_LABEL = re.compile(
    r"[\[(]?\s*(?:(?:my|our|final)\s+){0,2}(vote|verdict)\b\s*([:=]|[-–—]+|)\s*(.*)", re.IGNORECASE
)
_FIELDS = {"r": "reason", "c": "category", "t": "to_approve", "a": "addressed"}


@dataclass(frozen=True, slots=True)
class _Marker:
    """A line that carries a label: where it stands, where what follows begins, what it says."""

    line: int
    after: int
    name: str
    first: str = ""
    cast: _Cast = _NONE


def _markers(page: Page, tokens: _Tokens) -> Iterator[_Marker]:
    after = 0
    for number, line in enumerate(page.lines):
        if number < after or not _QUICK.search(line):
            continue
        text = page.own(number)
        label = _LABEL.match(text)
        if label and label[1].lower() in tokens.labels:
            marker = _vote_marker(page, number, label, tokens)
            if marker.cast.kind != "none":
                after = marker.after
                yield marker
        elif field := FIELD.match(text):
            word = field[1].casefold()
            name = _FIELDS.get(word[0]) or ("suggestion" if word[1] == "u" else "still_open")
            mark = field[2] or ""
            yield _Marker(number, number + 1, name, behind(line, mark, field[3]))


def _vote_marker(page: Page, number: int, label: re.Match[str], tokens: _Tokens) -> _Marker:
    if label[3]:
        cast = _cast(label[3], label[2], tokens)
        return _Marker(number, number + 1, label[1].lower(), cast=cast)
    at, text = _next_own(page, number)
    cast = _alone(text, tokens)
    if cast.kind == "vote":
        then, other = _next_own(page, at)
        second = _alone(other, tokens)
        differs = second.kind == "vote" and second.vote != cast.vote
        if other.casefold() == "or" or differs or not any(map(str.isalnum, other[:80] or "x")):
            return _Marker(number, then + 1, label[1].lower(), cast=_FORM)
        return _Marker(number, at + 1, label[1].lower(), cast=cast)
    return _Marker(number, number + 1, label[1].lower(), cast=cast)


def _next_own(page: Page, number: int) -> tuple[int, str]:
    """Return the next line of the reviewer's own that says something, or "" at the end."""
    for at in range(number + 1, len(page.lines)):
        if text := page.own(at):
            return at, text
    return len(page.lines), ""


def _alone(text: str, tokens: _Tokens) -> _Cast:
    """Read the line below a label that has a line of its own: exactly a token, or no vote."""
    if _LABEL.match(text):
        return _NONE
    cast = _cast(text, ":", tokens)
    if cast.kind == "ambiguous" and not tokens.token.match(text):
        return _WEAK
    return _DOUBT if cast.tail else cast


# --- everything a reply says -----------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """All that one source says, before it is judged."""

    source: Literal["tool", "json", "text"]
    casts: tuple[_Cast, ...] = ()
    reason: str = ""
    category: str | None = None
    to_approve: str = ""
    suggestion: str = ""
    marks: tuple[BlockMark, ...] = ()
    markers: tuple[_Marker, ...] = ()
    is_doubted: bool = False

    def votes(self) -> frozenset[str]:
        return frozenset(cast.vote for cast in self.casts if cast.kind == "vote")

    def has(self, kind: str) -> bool:
        return any(cast.kind == kind for cast in self.casts)


def _joined(values: list[str]) -> str:
    """Return the values that say something, each once."""
    return "\n".join(dict.fromkeys(value for value in values if not is_placeholder(value)))


def _reason(reasons: list[str], tails: list[str]) -> str:
    # A REASON: line comes before text behind the token; what says nothing is kept as it is
    # (an approval may have it), except a form's <reason>.
    said = _joined(reasons) or _joined(tails)
    rest = [value for value in reasons if not value.startswith("<")]
    return said or (rest[-1] if rest else "")


_NO_CATEGORY = frozenset(("category", "categories", "issue", "issue category", "name", "topic"))


def _category(text: str) -> str | None:
    # It is kept whole: what is never waived may stand at its end (escalation.py cuts it).
    name = " ".join(text.casefold().split()).strip(" .:;,*_`'\"[](){}<>")[:VALUE_LIMIT].rstrip()
    return None if is_placeholder(name) or name in _NO_CATEGORY else name


def _marks(state: Literal["addressed", "open"], value: str) -> list[BlockMark]:
    items: list[str] = []
    for line in value.partition("\n\n")[0].split("\n"):
        item = unbulleted(line)
        if item is None and items:
            items[-1] += " " + line.strip()
        else:
            items.append(line.strip() if item is None else item)
    return [BlockMark(state=state, text=text) for text in items if not is_placeholder(text)]


def _from_text(page: Page, tokens: _Tokens) -> _Said:
    found = list(_markers(page, tokens))
    end = _Marker(len(page.lines), 0, "end")
    values: dict[str, list[str]] = {}
    marks: list[BlockMark] = []
    casts: list[_Cast] = []
    live = True  # what stands below a form belongs to the form
    for marker, then in pairwise([*found, end]):
        if marker.cast is not _NONE:
            live = marker.cast.kind != "form"
            casts.append(marker.cast)
            values.setdefault("tail", []).append(_whole_tail(page, marker, then.line))
            continue
        if not live:
            continue
        value = block(page, marker.first, marker.after, then.line)
        if marker.name == "addressed":
            marks += _marks("addressed", value)
        elif marker.name == "still_open":
            marks += _marks("open", value)
        else:
            values.setdefault(marker.name, []).append(value)
    categories = [_category(value.partition("\n")[0]) for value in values.get("category", [])]
    return _Said(
        source="text",
        casts=tuple(casts),
        reason=_reason(values.get("reason", []), values.get("tail", [])),
        category=next((name for name in reversed(categories) if name), None),
        to_approve=_joined(values.get("to_approve", [])),
        suggestion=_joined(values.get("suggestion", [])),
        marks=tuple(marks),
        markers=tuple(marker for marker in found if marker.cast is not _NONE),
    )


def _whole_tail(page: Page, marker: _Marker, stop: int) -> str:
    """Return the text behind a block's token, to the end of its paragraph."""
    if not marker.cast.tail:
        return ""
    end = marker.after
    while end < stop and page.lines[end].strip():
        end += 1
    return block(page, marker.cast.tail, marker.after, end)


def _from_object(
    told: Mapping[str, object], tokens: _Tokens, source: Literal["tool", "json"]
) -> _Said:
    def field(*names: str) -> str:
        for name in names:
            value = told.get(name)
            text = json_text(value[-1] if isinstance(value, tuple) else value)
            if text:
                return text
        return ""

    casts = tuple(cast for label in tokens.labels for cast in _told_casts(told.get(label), tokens))
    tails = [cast.tail for cast in casts]
    return _Said(
        source=source,
        casts=casts,
        reason=_reason([field("reason", "reasons")], tails),
        category=_category(field("category")),
        to_approve=field("to_approve"),
        suggestion=field("suggestion", "suggestions"),
        marks=(
            *_marks("addressed", field("addressed")),
            *_marks("open", field("still_open")),
        ),
        is_doubted=told_doubt(told),
    )


def _told_casts(value: object, tokens: _Tokens) -> list[_Cast]:
    """Read a vote handed in as data: one string, one token; a list of one never assents."""
    if isinstance(value, tuple):  # a repeated key
        return [cast for one in value for cast in _told_casts(one, tokens)]
    if isinstance(value, list):
        inner = [cast for one in value for cast in _told_casts(one, tokens)]
        return [_DOUBT if cast.vote == tokens.assent else cast for cast in inner]
    if not isinstance(value, str):
        return []
    first, more, rest = normalise(value).strip()[:VALUE_LIMIT].partition("\n")
    cast = _cast(first, ":", tokens)
    if more and (cast.vote == tokens.assent or _ANY_VOTE.search(rest)):
        return [_DOUBT]
    return [cast]


# --- judgement -------------------------------------------------------------------------------


def _error(said: _Said, others: frozenset[str], *, mentioned: bool) -> VoteError | None:
    votes = said.votes()
    if len(votes) > 1 or (votes and others - votes):
        return "conflicting_votes"
    if said.has("ambiguous") or (not votes and said.has("weak")):
        return "ambiguous_vote"
    if votes:
        dissent = votes <= {_VOTE.dissent, _VERDICT.dissent}
        return "block_without_reason" if dissent and is_placeholder(said.reason) else None
    return "no_countable_vote" if said.has("form") or mentioned else "no_vote"


def _is_doubted(page: Page, said: _Said, written: _Said, others: Sequence[str]) -> bool:
    """Tell whether anything speaks against an approval, in the text or beside it."""
    if said.is_doubted or sets_condition(said.reason) or not is_placeholder(said.to_approve):
        return True
    if said.source != "text" and (written.has("ambiguous") or written.has("weak")):
        return True
    read = [at for one in written.markers for at in range(one.line, one.after)]
    votes = [(one.line, one.after) for one in written.markers if one.cast.kind == "vote"]
    return said.source != "json" and is_doubted(page, votes, read, others)


def _judged(
    page: Page, tokens: _Tokens, tool: Mapping[str, object] | None, names: Sequence[str]
) -> VoteReading:
    told = json_reply(page)
    written = _from_text(page, tokens) if told is None else _from_object(told, tokens, "json")
    said, others = written, written.votes()
    is_split = False
    if tool is not None:
        called = _from_object(tool, tokens, "tool")
        said = replace(
            called,
            reason=called.reason or said.reason,
            category=called.category or said.category,
            to_approve=called.to_approve or said.to_approve,
            suggestion=called.suggestion or said.suggestion,
            marks=called.marks or said.marks,
        )
    if told is None:
        asides = [_from_object(aside, tokens, "json") for aside in json_asides(page)]
        others = others.union(*(one.votes() for one in asides))
        is_split = any(one.has("ambiguous") or (one.casts and one.is_doubted) for one in asides)
    error = _error(said, others, mentioned=tokens.loose.search(page.whole) is not None)
    if error is None and said.votes() == {tokens.assent}:
        is_split = is_split or _is_doubted(page, said, written, names)
        error = "ambiguous_vote" if is_split else None
    return VoteReading(
        status="ok" if error is None else "invalid",
        vote=next(iter(said.votes())) if error is None else None,
        error=error,
        reason=said.reason,
        category=said.category,
        to_approve=said.to_approve,
        suggestion=said.suggestion,
        marks=said.marks,
        source=said.source if said.casts else None,
    )


def read_vote(
    text: str,
    *,
    role: Role = "voter",
    tool: Mapping[str, object] | None = None,
    others: Sequence[str] = (),
) -> VoteReading:
    """Read the vote of one reply.

    A vote handed in by a tool call counts before a JSON reply, and that before the text; when
    two of them name different votes, the reply is conflicting.

    Args:
        text: the reviewer's own final message, any string.
        role: ``voter`` (APPROVE, BLOCK), ``verdict`` (APPROVED_TO_SHIP, BLOCKED) or
            ``advisor`` (findings, never a vote).
        tool: the arguments of the reviewer's vote call, if it made one: ``vote``, ``reason``,
            ``category``, ``to_approve``, ``suggestion``, ``addressed``, ``still_open``.
        others: the names of the other seats: an approval below one of them is no approval.

    Returns:
        The reading; text alone never raises.

    Example:
        >>> read_vote("VOTE: APPROVE once the index is added").error
        'ambiguous_vote'
        >>> read_vote("VERDICT: Approved to ship", role="verdict").vote
        'APPROVED_TO_SHIP'
    """
    return _read(read_page(text), role, tool, others)


def _read(
    page: Page, role: Role, tool: Mapping[str, object] | None, others: Sequence[str] = ()
) -> VoteReading:
    if tool is None and not page.whole.strip():
        return VoteReading(status="invalid", error="empty")
    if role == "advisor":
        return VoteReading(status="not_a_voter", findings=page.shown().strip())
    if page.is_too_long:
        return VoteReading(status="invalid", error="too_long")
    return _judged(page, _VERDICT if role == "verdict" else _VOTE, tool, others)


def _is_verdict(page: Page) -> bool:
    if "verdict" not in page.whole.casefold():
        return False
    told = json_reply(page)
    if told is not None:
        return "verdict" in told
    return any(marker.name == "verdict" for marker in _markers(page, _VERDICT))


def parse_review_json(text: str, *, role: Role | None = None) -> dict[str, str]:
    r"""Return what a reply says as plain JSON: the status and the keys that go with it.

    Args:
        text: the reply.
        role: as in :func:`read_vote`; None takes ``verdict`` when the text has a line
            ``VERDICT:`` with something like a token, else ``voter``.

    Returns:
        ``status``, then ``vote``, ``reason`` and ``category``, or ``error``.

    Example:
        >>> parse_review_json("VERDICT: BLOCKED\nREASON: no export")
        {'status': 'ok', 'vote': 'BLOCKED', 'reason': 'no export'}
    """
    page = read_page(text)
    return _read(page, role or ("verdict" if _is_verdict(page) else "voter"), None).to_json()


# --- sentences -------------------------------------------------------------------------------

_WHY: dict[VoteError, str] = {
    "empty": "The reply is empty.",
    "too_long": (
        f"The reply is too long: {PAGE_LIMIT} characters and {LINE_LIMIT} lines at most."
    ),
    "no_vote": "No line of the reply is a vote.",
    "no_countable_vote": (
        "A vote stands only in a quote, a code block, a table, a sentence or a form; "
        "it counts on a line of its own."
    ),
    "ambiguous_vote": (
        "Something beside the token or elsewhere makes the vote conditional or unclear."
    ),
    "conflicting_votes": "The reply holds different votes.",
    "block_without_reason": "The vote is a block and no reason says why.",
}


def explain(reading: VoteReading) -> str:
    """Return one sentence on what was read, for the reviewer or for a person.

    Args:
        reading: what :func:`read_vote` returned.

    Returns:
        A sentence or two.

    Example:
        >>> explain(read_vote("Looks fine."))
        'No line of the reply is a vote.'
    """
    if reading.error is not None:
        return _WHY[reading.error]
    if reading.status == "not_a_voter":
        return "An advisor hands in findings; a vote in them is not counted."
    return f"The vote is {reading.vote}, from the {reading.source}."
