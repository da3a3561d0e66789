"""Text: which words of a reply are the seat's own, and which only quote, show or hide?

Here: one normal form and one masking pass for both grammars; what may stand beside a token;
values cut to size.
Not here: what the words mean (consent/grammar.py, review/grammar.py), replies that are JSON
(structured.py), whom a reply came from (the channel says so, never the text).
Sources: SEMANTICS C3, W1; CommonMark 0.31 sections 4.4 to 5.1; Unicode UAX 15 (NFKC, and its
stream-safe limit of 30 marks in a row).

The masking pass reads the whole reply and only what is kept of it is cut. Cutting first would
part an opening fence from its end, and a quoted vote would become a vote.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

__all__ = [
    "MESSAGE_LIMIT",
    "VALUE_LIMIT",
    "Kind",
    "Page",
    "behind",
    "block",
    "cut",
    "edges_off",
    "is_placeholder",
    "is_rule",
    "normalise",
    "only_marks",
    "plain",
    "read_page",
    "unbulleted",
    "unwrapped",
]

MESSAGE_LIMIT = 65_536
"""The most characters of a whole message that are kept (64 Ki)."""

VALUE_LIMIT = 8_192
"""The most characters of one field or reason that are kept."""

Kind = Literal["own", "indented", "quoted", "hidden"]
"""How a line counts: the seat's own words; indented code; a fence, quote, table row or diff hunk;
a comment or a reasoning trace. Only ``own`` lines carry markers."""

# --- normal form -----------------------------------------------------------------------------

_LINE_ENDS = (0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029)
_UNSEEN = (
    (0x00, 0x08),
    (0x0E, 0x1F),
    (0x7F, 0x84),
    (0x86, 0x9F),
    (0xAD, 0xAD),
    (0x34F, 0x34F),
    (0x61C, 0x61C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_TABLE: dict[int, str | None] = {
    **{code: None for first, last in _UNSEEN for code in range(first, last + 1)},
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **dict.fromkeys(range(0xD800, 0xE000), "�"),
    0x3010: "[",
    0x3011: "]",
}
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*+[ -/]*+[@-~]")
_FAR_LETTERS = re.compile(r"[^\x00-\u02ff]{31,}+")
_MOST_MARKS = 30


@lru_cache(maxsize=4096)
def _is_mark(char: str) -> bool:
    return unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0


def _thinned(run: re.Match[str]) -> str:
    # Sorting the marks on one letter takes time with the square of their number.
    kept = []
    marks = 0
    for char in run[0]:
        marks = marks + 1 if _is_mark(char) else 0
        if marks <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept)


def normalise(text: str) -> str:
    r"""Return a text in the one form that both grammars read.

    Line ends become ``\n``; terminal colours, control, zero-width and direction characters go;
    NFKC; lenticular brackets become square ones. Letters of other scripts are left as they are.

    Args:
        text: any string, lone surrogates included.

    Returns:
        The normal form; it is its own normal form.

    Example:
        >>> normalise("\uff36OTE\uff1a AP\u200bPROVE\r\n")
        'VOTE: APPROVE\n'
    """
    lines = _TERMINAL.sub("", text.replace("\r\n", "\n"))
    if not lines.isascii():
        lines = unicodedata.normalize("NFKC", _FAR_LETTERS.sub(_thinned, lines.translate(_TABLE)))
    return lines.translate(_TABLE)


# --- the masking pass ------------------------------------------------------------------------

_TRACES = "think|thinking|thought|reasoning|scratchpad"
_TAG = re.compile(rf"<!--|<(/?)({_TRACES})\b[^<>]*(?<!/)>", re.IGNORECASE)
_END = re.compile(rf"-->|</({_TRACES})\s*+>", re.IGNORECASE)
_ENDS = {
    "!--": re.compile("-->"),
    **{name: re.compile(rf"</{name}\s*+>", re.IGNORECASE) for name in _TRACES.split("|")},
}
_FENCE = re.compile(r"( {0,3}(?:(?:[-*+•]|[0-9]{1,9}[.)]) {1,4})?)(`{3,}(?=[^`]*\Z)|~{3,})")
_HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]{1,6}))? \+[0-9]+(?:,([0-9]{1,6}))? @@")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    r"""A reply, line by line, with what each line counts as.

    Attributes:
        whole: the normal form of everything, hidden text included.
        lines: the lines, with hidden stretches taken out.
        kinds: one kind for each line.

    Example:
        >>> page = read_page("I read it.\n> VOTE: BLOCK\nVOTE: APPROVE")
        >>> page.kinds
        ('own', 'quoted', 'own')
        >>> page.shown()
        'I read it.\n> VOTE: BLOCK\nVOTE: APPROVE'
    """

    whole: str
    lines: tuple[str, ...]
    kinds: tuple[Kind, ...]

    def own(self, number: int) -> str:
        """Return a line freed of its decoration, or "" when it is not the seat's own."""
        return plain(self.lines[number]) if self.kinds[number] == "own" else ""

    def shown(self) -> str:
        """Return what a reader sees of the reply, at most ``MESSAGE_LIMIT`` characters."""
        pairs = zip(self.lines, self.kinds, strict=True)
        return cut("\n".join(line for line, kind in pairs if kind != "hidden"), MESSAGE_LIMIT)


class _Pass:
    """What the masking pass remembers from one line to the next."""

    def __init__(self, lines: list[str]) -> None:
        self.fence: tuple[str, int, int] | None = None  # its character, length and column
        self.until: re.Pattern[str] | None = None  # what ends the hidden stretch we are in
        self.hunk = (0, 0)  # old and new lines of a diff hunk still to come
        self.own_from = 0  # a stray </think> hides everything before it
        self.last_end: dict[str, tuple[int, int]] = {}  # where each kind ends for the last time
        for number, line in enumerate(lines):
            for end in _END.finditer(line):
                self.last_end[(end[1] or "!--").lower()] = (number, end.start())

    def read(self, number: int, line: str) -> tuple[str, Kind]:
        """Return a line without its hidden stretches, and its kind."""
        if self.fence is not None:
            return line, self._in_fence(line)
        was_hidden = self.until is not None
        if not was_hidden:
            kind = self._shape(line)
            if kind != "own" or "<" not in line:
                return line, kind
        seen = self._seen(number, line)
        if seen == line and not was_hidden:
            return line, "own"
        seen = seen.strip()
        return seen, self._shape(seen) if seen else "hidden"

    def _in_fence(self, line: str) -> Kind:
        char, length, column = self.fence or ("", 0, 0)
        body = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        near = len(indent) < column + 4 and "\t" not in indent
        if near and len(body) >= length and not body.strip(char):
            self.fence = None
        return "quoted"

    def _shape(self, line: str) -> Kind:
        if self.hunk != (0, 0) and self._in_hunk(line):
            return "quoted"
        body = line.lstrip()
        indent = line[: len(line) - len(body)]
        if not body:
            return "own"
        if len(indent) >= 4 or "\t" in indent:
            return "indented"
        if body[0] in ">|":
            return "quoted"
        if hunk := _HUNK.match(line):
            self.hunk = (int(hunk[1] or 1), int(hunk[2] or 1))
            return "quoted"
        if ("```" in body or "~~~" in body) and (fence := _FENCE.match(line)):
            column = len(fence[1]) if fence[1].strip() else 0
            self.fence = (fence[2][0], len(fence[2]), column)
            return "quoted"
        return "own"

    def _in_hunk(self, line: str) -> bool:
        old, new = self.hunk
        match line[:1]:
            case "" | " ":
                old, new = old - 1, new - 1
            case "-":
                old -= 1
            case "+":
                new -= 1
            case "\\":
                pass
            case _:
                old = -1
        inside = old >= 0 and new >= 0
        self.hunk = (old, new) if inside else (0, 0)
        return inside

    def _seen(self, number: int, line: str) -> str:
        seen: list[str] = []
        at = 0
        while True:
            if self.until is not None:
                end = self.until.search(line, at)
                if end is None:
                    return "".join(seen)
                seen.append(" ")  # a gap, so that no word grows together over it
                at, self.until = end.end(), None
            tag = _TAG.search(line, at)
            if tag is None:
                return "".join([*seen, line[at:]])
            at = self._at_tag(number, tag, at, seen)

    def _at_tag(self, number: int, tag: re.Match[str], at: int, seen: list[str]) -> int:
        """Take one tag in; return where to read on."""
        line, before, name = tag.string, tag.string[: tag.start()], (tag[2] or "!--").lower()
        alone = not before.strip()
        if before.endswith("`"):
            pass  # an inline code span that talks about the tag
        elif tag[1]:
            if alone or not line[tag.end() :].strip():
                self.own_from = number
                seen.clear()
                seen.append(" ")
                return tag.end()
        elif alone or self.last_end.get(name, (-1, 0)) > (number, tag.start() + 1):
            seen.append(line[at : tag.start()])
            self.until = _ENDS[name]
            return tag.start() + 2 if name == "!--" else tag.end()
        seen.append(line[at : tag.end()])
        return tag.end()


def read_page(text: str) -> Page:
    r"""Return a reply with each line marked as own, indented, quoted or hidden.

    Quoted are fences (also unclosed ones), ``>`` quotes, table rows and diff hunks; indented are
    lines behind four spaces or a tab; hidden are comments and reasoning traces, also unclosed
    ones, and everything before a closing tag that was never opened. The time is linear in the
    length of the text.

    Args:
        text: the seat's own final message, any string.

    Returns:
        The page; an empty text is a page of one empty line.

    Example:
        >>> read_page("<think>VOTE: BLOCK</think>\nVOTE: APPROVE").kinds
        ('hidden', 'own')
    """
    whole = normalise(text)
    raw = whole.split("\n")
    state = _Pass(raw)
    lines: list[str] = []
    kinds: list[Kind] = []
    for number, line in enumerate(raw):
        seen, kind = state.read(number, line)
        lines.append(seen)
        kinds.append(kind)
    kinds[: state.own_from] = ["hidden"] * state.own_from
    return Page(whole=whole, lines=tuple(lines), kinds=tuple(kinds))


# --- one line --------------------------------------------------------------------------------

_BULLET = re.compile(r"(?:[-*•‣◦▪·–—]|[0-9]{1,3}[.)])\s+")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪·–—]|[0-9]{1,3}[.)])\s+")
_HEADING = re.compile(r"#{1,6}(?=\s|\Z)")
_UNDERSCORES = re.compile(r"(?<![A-Za-z0-9_])_++|(?<!_)_++(?![A-Za-z0-9])")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_DOUBT = frozenset("?¿‽؟❓❔~*/\\|<>≠¬❌❎✖✗✘🚫⛔🛑👎⚠☠🔴🟡⏳⌛🤔🤷")


def is_rule(line: str) -> bool:
    """Tell whether a line only draws a rule or underlines a heading.

    Args:
        line: one line.

    Returns:
        True for ``---``, ``***``, ``===`` and the like.

    Example:
        >>> is_rule("---"), is_rule("- x")
        (True, False)
    """
    body = line.strip()
    return len(body) >= 3 and not body.strip("-=_* ")


def plain(line: str) -> str:
    """Return a line without the decoration that changes nothing about what it says.

    Taken off: headings, up to two bullets, emphasis, inline code, backslashes before
    punctuation, a leading symbol. A lone star stays: it may point to a footnote. Struck-out
    text keeps its marks, so that it matches nothing.

    Args:
        line: one line in normal form.

    Returns:
        The bare line; "" for a ruled line.

    Example:
        >>> plain("- **VOTE:** `approve`"), plain("VOTE: APPROVE*")
        ('VOTE: approve', 'VOTE: APPROVE*')
    """
    text = line.strip()
    if is_rule(text):
        return ""
    if heading := _HEADING.match(text):
        text = text[heading.end() :].strip().rstrip("#").rstrip()
    for _ in range(2):
        if bullet := _BULLET.match(text):
            text = text[bullet.end() :]
    text = _ESCAPE.sub("", text).replace("`", "")
    stars = text.count("*")
    if stars and stars % 2 == 0 and "*" in text.rstrip("*"):
        text = text.replace("*", "")
    text = _UNDERSCORES.sub("", text).strip()
    at = 0
    while at < len(text) and _is_ornament(text[at]):
        at += 1
    return text[at:]


def _is_ornament(char: str) -> bool:
    return char.isspace() or (unicodedata.category(char) == "So" and char not in _DOUBT)


def only_marks(tail: str) -> bool:
    """Tell whether what stands beside a token takes nothing from it: marks and symbols only.

    Args:
        tail: the text beside the token.

    Returns:
        False for any letter or digit, and for symbols that doubt or deny.

    Example:
        >>> only_marks(" ✅!"), only_marks("?"), only_marks("once fixed")
        (True, False, False)
    """
    return all(
        char.isspace() or (char not in _DOUBT and unicodedata.category(char)[0] in "PS")
        for char in tail
    )


# --- values ----------------------------------------------------------------------------------

_EMPTY_WORDS = frozenset(
    (
        "because",
        "n/a",
        "na",
        "nil",
        "no comment",
        "no reason",
        "none",
        "not applicable",
        "not given",
        "nothing",
        "null",
        "one sentence",
        "reason",
        "reasons",
        "see above",
        "see below",
        "tbd",
        "the reason",
        "todo",
        "unspecified",
        "your reason",
    )
)
_FORM = re.compile(
    r"(?:what|why|how)\b|.*\b(?:reasons?|your|specific|insert|sentence)\b", re.IGNORECASE
)


def is_placeholder(text: str) -> bool:
    """Tell whether a value says nothing: empty, only marks, ``n/a``, or the form's own words.

    Args:
        text: a reason or another value.

    Returns:
        True when it must be asked for.

    Example:
        >>> is_placeholder("N/A."), is_placeholder("<reason>"), is_placeholder("too slow")
        (True, True, False)
    """
    body = text.strip()
    if not any(char.isalnum() for char in body):
        return True
    if body.casefold().strip(" .!:;-–—()'\"*_`") in _EMPTY_WORDS:
        return True
    ends = body[0] + body[-1]
    return ends in {"<>", "{}"} or (ends == "[]" and _FORM.match(body[1:-1]) is not None)


def cut(text: str, limit: int) -> str:
    r"""Return a text of bounded length: its head and its tail, and a mark between them.

    Args:
        text: any text.
        limit: the most characters to keep of it; the mark comes on top.

    Returns:
        The text itself when it is short enough.

    Example:
        >>> cut("a" * 10, 4)
        'aa\n(... 6 characters cut ...)\naa'
    """
    if len(text) <= limit:
        return text
    head = limit // 2
    gone = len(text) - limit
    return f"{text[:head]}\n(... {gone} characters cut ...)\n{text[len(text) - limit + head :]}"


def unwrapped(text: str) -> str:
    """Return a value without the half of an emphasis that its label left behind.

    Args:
        text: what stands behind a label.

    Returns:
        The value; emphasis that is whole stays.

    Example:
        >>> unwrapped("** nothing to change"), unwrapped("a **b**")
        ('nothing to change', 'a **b**')
    """
    body = text.strip()
    for mark in ("**", "__", "*", "_", "`"):
        if body.count(mark) % 2:
            body = body.removeprefix(mark) if body.startswith(mark) else body.removesuffix(mark)
            body = body.strip()
    return body


def unbulleted(line: str) -> str | None:
    """Return the text of a list item, or None when the line is no list item.

    Args:
        line: one line.

    Returns:
        The text behind the bullet or number.

    Example:
        >>> unbulleted("- 150 ms"), unbulleted("150 ms")
        ('150 ms', None)
    """
    bullet = _ITEM.match(line)
    return None if bullet is None else line[bullet.end() :].strip()


def edges_off(lines: Iterable[str]) -> list[str]:
    """Return lines without the empty and ruled ones at both ends, and without trailing blanks.

    Args:
        lines: the lines of a value.

    Returns:
        What is left, in order.

    Example:
        >>> edges_off(["", "a ", "", "b", "---"])
        ['a', '', 'b']
    """
    kept = [line.rstrip() for line in lines]
    full = [number for number, line in enumerate(kept) if line and not is_rule(line)]
    return kept[full[0] : full[-1] + 1] if full else []


def behind(line: str, mark: str, value: str) -> str:
    """Return what stands behind a label, with the emphasis and inline code it has.

    Args:
        line: the line as written.
        mark: the character that ends the label.
        value: what stands behind the label in the plain line.

    Returns:
        The value as written; the plain value when the mark can also be decoration.

    Example:
        >>> behind("- **REASON:** drop `x`", ":", "drop x")
        'drop `x`'
    """
    return unwrapped(line.partition(mark)[2]) if mark in {":", "="} else value


def block(page: Page, first: str, start: int, stop: int) -> str:
    r"""Return a value that begins behind its label and runs over the lines that follow.

    Args:
        page: the reply.
        first: what stands behind the label on its own line.
        start: the first following line.
        stop: the line the value ends before.

    Returns:
        The value with what it quotes and without what is hidden, cut to ``VALUE_LIMIT``.

    Example:
        >>> block(read_page("REASON: a\n> b"), "a", 1, 2)
        'a\n> b'
    """
    rest = [page.lines[at] for at in range(start, stop) if page.kinds[at] != "hidden"]
    return cut("\n".join(edges_off([first, *rest])), VALUE_LIMIT)
