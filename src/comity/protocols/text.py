"""Text: what stands in the lines of a reply, and what may stand beside a token?

Here: a reply as a page of lines; the decoration of a line; values cut to size.
Not here: the normal form (letters.py), which lines are the seat's own (masks.py), what the words
mean (consent/grammar.py, review/grammar.py), replies that are JSON (structured.py), whom a reply
came from (the channel says so, never the text).
Sources: SEMANTICS C3, W1.

The masking pass reads the whole reply and only what is kept of it is cut. Cutting first would
part an opening fence from its end, and a quoted vote would become a vote. A reply that is longer
than can be read is not read in part: none of its lines is the seat's own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from comity.protocols.letters import normalise
from comity.protocols.masks import Kind, masked

__all__ = [
    "LINE_LIMIT",
    "MESSAGE_LIMIT",
    "PAGE_LIMIT",
    "TAG_LIMIT",
    "VALUE_LIMIT",
    "Kind",
    "Page",
    "behind",
    "block",
    "closes",
    "cut",
    "edges_off",
    "is_placeholder",
    "is_rule",
    "normalise",
    "only_marks",
    "opens",
    "plain",
    "read_page",
    "unbulleted",
    "unwrapped",
]

MESSAGE_LIMIT = 65_536
"""The most characters of a whole message that are kept (64 Ki)."""

VALUE_LIMIT = 8_192
"""The most characters of one field or reason that are kept."""

PAGE_LIMIT = 131_072
"""The most characters of a message that is read at all (128 Ki)."""

LINE_LIMIT = 6_000
"""The most lines of a message that is read at all."""

TAG_LIMIT = 4_096
"""The most angle brackets of a message that is read at all."""

_LONG_FORMS = re.compile("[\ufdfa\ufdfb\u3200-\u33ff]")  # the forms that NFKC writes out at length
_MOST_LONG_FORMS = 4_096

# --- the page --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    r"""A reply, line by line, with what each line counts as.

    Attributes:
        whole: the normal form of everything, hidden text included.
        lines: the lines, with hidden stretches taken out.
        kinds: one kind for each line.
        is_too_long: whether the reply was too long to be read; its lines are cut, all unsure.

    Example:
        >>> page = read_page("I read it.\n> VOTE: BLOCK\n\nVOTE: APPROVE")
        >>> page.kinds
        ('own', 'quoted', 'own', 'own')
        >>> page.shown()
        'I read it.\n> VOTE: BLOCK\n\nVOTE: APPROVE'
    """

    whole: str
    lines: tuple[str, ...]
    kinds: tuple[Kind, ...]
    is_too_long: bool = False

    def own(self, number: int) -> str:
        """Return a line freed of its decoration, or "" when it is not the seat's own."""
        return plain(self.lines[number]) if self.kinds[number] == "own" else ""

    def shown(self) -> str:
        """Return what a reader sees of the reply, at most ``MESSAGE_LIMIT`` characters."""
        pairs = zip(self.lines, self.kinds, strict=True)
        return cut("\n".join(line for line, kind in pairs if kind != "hidden"), MESSAGE_LIMIT)


def read_page(text: str) -> Page:
    r"""Return a reply with each line marked as own, indented, quoted or hidden.

    Quoted are fences (also unclosed ones), ``>`` quotes, table rows and diff hunks; indented are
    lines behind four spaces or a tab; hidden are comments and reasoning traces, also unclosed
    ones, and everything before a closing tag that was never opened; unsure is what stands in
    another tag, in a quote over several lines, or below a quote without its mark. The time is
    linear in the length of the text, and nothing of a text that is too long is read.

    Args:
        text: the seat's own final message, any string.

    Returns:
        The page; an empty text is a page of one empty line.

    Example:
        >>> read_page("<think>VOTE: BLOCK</think>\nVOTE: APPROVE").kinds
        ('hidden', 'own')
    """
    is_too_long = len(text) > PAGE_LIMIT or (
        not text.isascii() and len(_LONG_FORMS.findall(text)) > _MOST_LONG_FORMS
    )
    whole = normalise(cut(text, MESSAGE_LIMIT // 4) if is_too_long else text)
    bulk = (len(whole) > 2 * PAGE_LIMIT, whole.count("\n") >= LINE_LIMIT)
    if is_too_long or any(bulk) or whole.count("<") > TAG_LIMIT:
        kept = cut(whole, MESSAGE_LIMIT).split("\n")[:LINE_LIMIT]
        return Page(
            whole="\n".join(kept),
            lines=tuple(kept),
            kinds=tuple("unsure" for _ in kept),
            is_too_long=True,
        )
    lines, kinds = masked(whole.split("\n"))
    return Page(whole=whole, lines=lines, kinds=kinds)


# --- one line --------------------------------------------------------------------------------

_BULLET = re.compile(r"(?:[-*•‣◦▪·–—]|[0-9]{1,3}[.)])\s+")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪·–—]|[0-9]{1,3}[.)])\s+")
_HEADING = re.compile(r"#{1,6}(?=\s|\Z)")
_UNDERSCORES = re.compile(r"(?<![A-Za-z0-9_])_++|(?<!_)_++(?![A-Za-z0-9])")
_ESCAPE = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_DOUBT = frozenset(
    "?¿‽؟❓❔~*/\\|<>≠¬❌❎✖✗✘🚫⛔🛑👎⚠☠🔴🟡⏳⌛🤔🤷∉\u223c⌐\u22a5\u2205\u00d7\u2573\u2a2f⮽🗙🗷🖓🙅🙈💩😬🚧⊘☐☒□\u2020\u2021\u203b→⇒⟵\u2026"
)
_GLAD = frozenset("✅✔✓☑👍🎉🚀💯👌🙌✨🟢⭐🌟🏁🥳😀🙂😊👏🆗🗳💚🤝🖒") | {
    chr(code) for code in range(0x1F3FB, 0x1F400)
}
_CLOSERS = frozenset(".!)]\"'\u201d\u2019» \t_")
_OPENERS = frozenset("([\"'\u201c\u2018«\u201e \t_")


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
    return char.isspace() or char in _GLAD


def opens(lead: str) -> bool:
    """Tell whether what stands before a token only opens it: brackets, quotes, glad symbols.

    Args:
        lead: the text between a label and the token.

    Returns:
        False for all else, an empty box among it.

    Example:
        >>> opens("\u2705 "), opens('("'), opens("[ ] "), opens("- ")
        (True, True, False, False)
    """
    return all(char in _OPENERS or char in _GLAD for char in lead)


def closes(tail: str) -> bool:
    """Tell whether what stands behind a token ends the sentence, with nothing left open.

    Args:
        tail: the text behind the token.

    Returns:
        True for closing brackets and quotes, one full stop, exclamation marks, glad symbols.

    Example:
        >>> closes(").\u2705"), closes("..."), closes(","), closes("(")
        (True, False, False, False)
    """
    return ".." not in tail and all(char in _CLOSERS or char in _GLAD for char in tail)


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
