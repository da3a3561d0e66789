"""Questions: which open questions does a text still have?

Here: the items under a title ``Open Questions`` that are not ticked, struck out or marked
resolved, wherever the title stands in a heading or on a line of its own.
Not here: what follows from them (rounds.py).
Sources: SEMANTICS W4 (they hold the plan even with three approvals); CommonMark 0.31, task lists.

What cannot be told for settled is open. An item is ticked by ``[x]`` or a tick, struck out by
``~~...~~`` around all of it, and resolved by ``RESOLVED:`` at the beginning of one of its lines or
``(resolved ...)`` at its end, unless it says that it is not; ``None`` says that there is no
question. A text is no agent's message: nothing in it is a reasoning trace or a diff. What is moved
into a comment is still read (its list items and questions), and what stands in a closed code fence
only where it is an empty box.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from comity.core.errors import one_line
from comity.protocols.letters import look, normalise
from comity.protocols.text import is_rule, unbulleted

__all__ = ["open_questions"]

# --- titles; they are matched in the letters that they look like (letters.look) ---

_HEADING = re.compile(r"(#{1,7})\s*(.*?)\s*#*\s*\Z")
_TAG_HEADING = re.compile(
    r"(?:<(?:details|div|section|p|center)[^<>]*>\s*){0,3}<(?:h([1-6])|summary|legend|caption|dt|b|strong)\b",
    re.IGNORECASE,
)
_BOLD = re.compile(r"(?:\*\*|__)([^*_]{1,200})(?:\*\*|__)\s*:?\s*\Z")
_LABEL = re.compile(r"[*_]{0,2}open\s+questions?[*_]{0,2}\s*:[*_]{0,2}\s*(.*)\Z", re.IGNORECASE)
_DRESS = re.compile(r"<[^<>]*>|\]\([^()]*\)|[`*_\[\]\\]")
_TITLE = re.compile(
    r"\b(?:open|unresoiued|outstanding|remaining|unanswered)[\W_]+questions?\b"
    r"|\bquestions?\W+open\b"
)
_NOT_OURS = re.compile(r"\b(?:no|without|resoiued|ciosed|answered|former|formerii)\b[^.:]{0,40}\Z")
_TITLE_LINE = re.compile(
    r"[\W_]{0,20}(?:\w{1,4}[.)]\s*){0,3}(?:stiii\s+)?open[\W_]{1,20}questions?[\W_]{0,20}"
)
_MAY_ASK = re.compile(r"[q\u051b]\S{6}", re.IGNORECASE)
_QUOTE = re.compile(r"\A\s*(?:>\s?)+")
_LONG_FORMS = re.compile(
    "[\ufdfa\ufdfb\u3200-\u33ff]+"
)  # the forms that NFKC writes out at length
_BELOW_ALL = 7  # the level of a title that is only bold, or a line of its own
_LONGEST_TITLE = 200

# --- items ---

_BOX = re.compile(r"\[([ xX✓✔-]?)\](?:\s+|\Z)")
_EMPTY_BOX = re.compile(r"\s*(?:[-*+]|[0-9]{1,9}[.)])\s+\[[ -]?\]")
_TICKS = "✓✔✅☑"
_NOT_YET = (
    r"\b(?:not|nobody|no\s?one|no|never|yet|pending|tb[dac]|todo|later|follow[\s-]?up|unknown"
    r"|nothing|none|open|unclear|soon|deferred|partly|partially)\b"
)
_STILL = re.compile(_NOT_YET, re.IGNORECASE)
_STILL_FIRST = re.compile(rf"[\W_]*{_NOT_YET}", re.IGNORECASE)
_RESOLVED_FIRST = re.compile(
    r"[*_]{0,2}[\[(]?resolved[\])]?[*_]{0,2}\s*[:\-–—](.*)", re.IGNORECASE | re.DOTALL
)
_RESOLVED_LAST = re.compile(
    r"(?:[\[(]resolved\b([^\[\]()?]{0,200})[\])]|\s[-–—]{1,3}\s*[*_]{0,2}resolved[*_]{0,2})[\s.]*\Z",
    re.IGNORECASE,
)
_LATER = r"(?:\s+(?:left|remain(?:s|ing)?|at\s+this\s+(?:time|point)|so\s+far))?"
_NONE = re.compile(
    rf"(?:n/?a|nil|none|nothing|(?:there\s+are\s+)?(?:currently\s+)?no\s+"
    rf"(?:(?:open|unresolved|further|remaining)\s+){{0,2}}questions?){_LATER}",
    re.IGNORECASE,
)
_LONGEST = 300
_MOST_FENCES = 8_192
_MOST_LINES = 5_000
"""The most lines of sections that are read; the rest is one open item."""


@dataclass(slots=True)
class _Item:
    """One item: its lines, and how far in it stands."""

    lines: list[str]
    indent: int = 0
    is_listed: bool = False


@dataclass(slots=True)
class _Section:
    """One section: its level, its lines, and whether a bold line opened a part of it."""

    level: int
    lines: list[str] = field(default_factory=list)
    has_parts: bool = False

    @property
    def is_empty(self) -> bool:
        return not any(line.strip() for line in self.lines)


def open_questions(text: str) -> tuple[str, ...]:
    r"""Return the open questions of a text, in order.

    Args:
        text: the text, usually Markdown.

    Returns:
        Each on one line, at most 300 characters.

    Example:
        >>> open_questions("# Plan\n## Open Questions\n- [x] Which port?\n- [ ] Which cache?\n")
        ('Which cache?',)
    """
    found = []
    left = _MOST_LINES
    for section in _sections(text):
        lines = section.lines[:left]
        for item in (*_items(lines), *_rows(lines)):
            if not _is_settled(item):
                bare = one_line(" ".join(_BOX.sub("", " ".join(item), count=1).split()))
                found.append(bare if len(bare) <= _LONGEST else f"{bare[: _LONGEST - 1]}…")
        left -= len(section.lines) + 1
        if left < 0:
            found.append(f"more than {_MOST_LINES} lines of open questions: the rest is not read")
            break
    return tuple(found)


# --- the lines that may hold a question ------------------------------------------------------


@dataclass(slots=True)
class _Text:
    """A text, line by line; which of the lines are fenced or in a comment."""

    lines: list[str]
    fenced: set[int]
    noted: set[int]

    def title(self, number: int) -> tuple[int, str]:
        """Return the level and the look of a heading; 0 for another line."""
        if number in self.fenced:
            return 0, ""
        line = self.lines[number].strip()
        looks = look(line[: 2 * _LONGEST_TITLE]) if _MAY_ASK.search(line) else ""
        item = unbulleted(line)
        level = 0
        if heading := _HEADING.match(line if item is None else item):
            level = len(heading[1])
        elif tag := _TAG_HEADING.match(line):
            level = int(tag[1] or _BELOW_ALL)
        elif (item is None and _BOLD.match(line)) or (
            len(line) <= _LONGEST_TITLE and _TITLE_LINE.fullmatch(looks)
        ):
            level = _BELOW_ALL
        if level in {0, _BELOW_ALL} and item is None:
            level = self._underlined(number) or level
        shown = looks or line[: 2 * _LONGEST_TITLE]
        return level, _DRESS.sub(" ", shown) if level else ""

    def _underlined(self, number: int) -> int:
        above = self.lines[number - 1].strip() if number else ""
        below = self.lines[number + 1].strip() if number + 1 < len(self.lines) else ""
        is_text = bool(self.lines[number].strip()) and not above
        if is_text and len(below) >= 3 and not below.strip("=-"):
            return 1 if below[0] == "=" else 2
        return 0

    def kept(self, number: int) -> str:
        """Return a line of a section as far as it may be or belong to an item."""
        line = self.lines[number]
        if number in self.fenced:
            return line if _EMPTY_BOX.match(line) else ""
        if number in self.noted and unbulleted(line) is None and not line.rstrip().endswith("?"):
            return ""
        return line


def _is_ours(title: str) -> bool:
    found = _TITLE.search(title)
    return found is not None and _NOT_OURS.search(title[: found.start()]) is None


def _read(text: str) -> _Text:
    lines = normalise(_LONG_FORMS.sub("\ufffd", text)).split("\n")
    if ">" in text:
        lines = [_QUOTE.sub("", line) if ">" in line else line for line in lines]
    fenced = _fenced(lines) if "```" in text or "~~~" in text else set()
    noted = _noted(lines, fenced) if "<!--" in text else set()
    return _Text(lines=lines, fenced=fenced, noted=noted)


def _fenced(lines: Sequence[str]) -> set[int]:
    """Return the numbers of the lines in code fences that are closed."""
    fences = [
        (number, line.strip())
        for number, line in enumerate(lines)
        if "```" in line or "~~~" in line
    ]
    fenced: set[int] = set()
    if len(fences) > _MOST_FENCES:
        return fenced  # nothing is masked: what cannot be told for settled is open
    shortest_unclosed = {"`": len(lines) + 10**6, "~": len(lines) + 10**6}
    at = 0
    while at < len(fences):
        number, body = fences[at]
        at += 1
        mark, length = body[:1], len(body) - len(body.lstrip(body[:1]))
        if mark not in shortest_unclosed or length < 3 or length >= shortest_unclosed[mark]:
            continue
        for then in range(at, len(fences)):
            end, closing = fences[then]
            if len(closing) >= length and not closing.strip(mark):
                fenced.update(range(number, end + 1))
                at = then + 1
                break
        else:
            shortest_unclosed[mark] = length
    return fenced


def _noted(lines: list[str], fenced: set[int]) -> set[int]:
    """Take the marks of comments out of lines; return the numbers of those inside one."""
    noted: set[int] = set()
    begun: int | None = None
    for at, line in enumerate(lines):
        if ("<!--" not in line and "-->" not in line) or at in fenced:
            continue
        if begun is not None:
            if "-->" not in line:
                continue
            noted.update(range(begun, at + 1))
            begun = None
            line = line.replace("-->", " ", 1)  # noqa: PLW2901
        outside, inside, is_open = _parted(line)
        if not outside.strip():
            noted.add(at)
        lines[at] = (outside + inside).strip() if at in noted or "?" in inside else outside
        if is_open:
            begun = at
            lines[at] = line.replace("<!--", " ")
    return noted


def _parted(line: str) -> tuple[str, str, bool]:
    """Return what of a line stands outside and inside comments, and whether one stays open."""
    outside: list[str] = []
    inside: list[str] = []
    at = 0
    while (begin := line.find("<!--", at)) >= 0:
        end = line.find("-->", begin + 4)
        if end < 0:
            return "".join(outside), "".join(inside), True
        outside.append(line[at:begin])
        inside.append(line[begin + 4 : end])
        at = end + 3
    return "".join([*outside, line[at:]]), "".join(inside), False


# --- sections and items ----------------------------------------------------------------------


def _sections(text: str) -> Iterator[_Section]:
    """Yield every section of open questions."""
    page = _read(text)
    titles = [at for at, line in enumerate(page.lines) if _MAY_ASK.search(line)]
    done = 0
    for at in titles:
        if at < done:
            continue
        level, title = page.title(at)
        label = _LABEL.match(page.lines[at].strip())
        if level and _is_ours(title):
            section = _Section(level)
        elif label and at not in page.fenced:
            section = _Section(_BELOW_ALL, [label[1]])
        else:
            continue
        done = _fill(section, page, at + 1)
        yield section


def _fill(section: _Section, page: _Text, start: int) -> int:
    """Put the lines of a section in; return the line it ends before."""
    for number in range(start, len(page.lines)):
        level, title = page.title(number)
        if level and _is_ours(title):
            return number
        if level == section.level == _BELOW_ALL and (section.is_empty or section.has_parts):
            section.has_parts = True
        elif level and level <= section.level:
            return number
        is_head = bool(level) and (level < _BELOW_ALL or section.has_parts) and "?" not in title
        section.lines.append("" if is_head else page.kept(number))
        if len(section.lines) > _MOST_LINES:
            break
    return len(page.lines)


def _items(lines: Sequence[str]) -> list[list[str]]:
    """Return the list items and paragraphs of a section, each as its lines."""
    items: list[_Item] = []
    is_apart = True
    for line in lines:
        text = line.strip()
        if not text or is_rule(text) or text.startswith("|"):
            is_apart = True
            continue
        indent = len(line) - len(line.lstrip())
        bullet = unbulleted(line)
        asks = bool(items) and "?" in text and _is_ticked(items[-1].lines[0])
        if bullet is not None:
            is_new = not items or indent <= items[-1].indent or _BOX.match(bullet) is not None
            is_new = is_new or asks  # a question below a ticked topic
        else:
            is_new = not items or (is_apart and indent <= items[-1].indent)
            is_new = is_new or (asks and not items[-1].is_listed)
        said = _HEADING.sub(r"\2", text) if bullet is None else bullet
        if is_new:
            items.append(_Item([said], indent, bullet is not None))
        else:
            items[-1].lines.append(said)
        is_apart = False
    last = len(items) - 1
    return [one.lines for at, one in enumerate(items) if at == last or one.lines[-1][-1:] != ":"]


def _rows(lines: Sequence[str]) -> list[list[str]]:
    """Return the rows of a section's tables, each as its cells; their heads left out."""
    rows = [line.strip() for line in lines if line.strip().startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    rules = {at for at, row in enumerate(rows) if "-" in row and not row.strip("|-: ")}
    heads = {at - 1 for at in rules}
    body = [one for at, one in enumerate(cells) if at not in rules | heads and any(one)]
    asked = [one for at, one in enumerate(cells) if at in heads - rules and "?" in "".join(one)]
    return body or asked  # a table of one row has only a head


# --- what is settled -------------------------------------------------------------------------


def _is_ticked(line: str) -> bool:
    box = _BOX.match(line)
    return (box is not None and box[1].strip() not in {"", "-"}) or line[:1] in set(_TICKS)


def _is_settled(item: Sequence[str]) -> bool:
    """Tell whether an item, by one of its lines or cells, is no open question."""
    whole = " ".join(item)
    last = _RESOLVED_LAST.search(whole[-_LONGEST:])
    if last is not None and not _STILL.search(last[1] or ""):
        return True
    if _NONE.fullmatch(whole.strip(" .*_`")[:_LONGEST]):
        return True
    if _is_ticked(item[0]):
        return True
    box = _BOX.match(item[0])
    bare = _BOX.sub("", whole, count=1) if box else whole
    if bare.startswith("~~") and bare.find("~~", 2) == len(bare.rstrip(" .")) - 2:
        return True
    return any(_resolves(line) for line in item)


def _resolves(line: str) -> bool:
    if line.casefold() == "resolved":
        return True
    first = _RESOLVED_FIRST.match(line)
    if first is None:
        return False
    return not (_STILL_FIRST.match(first[1]) or first[1].rstrip().endswith("?"))
