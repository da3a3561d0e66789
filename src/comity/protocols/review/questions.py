"""Questions: which open questions does a text still have?

Here: the items under a heading ``Open Questions`` that are not ticked, struck out or marked
resolved.
Not here: what follows from them (rounds.py).
Sources: SEMANTICS W4 (they hold the plan even with three approvals); CommonMark 0.31, task lists.

What cannot be told for settled is open. An item is ticked by ``[x]`` or a tick, struck out by
``~~...~~`` around all of it, and resolved by ``RESOLVED:`` at the beginning of one of its lines or
``(resolved ...)`` at its end; ``None`` says that there is no question. What stands in code fences
and comments is no item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from comity.core.errors import one_line
from comity.protocols.text import is_rule, read_page, unbulleted

__all__ = ["open_questions"]

_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*\Z")
_BOLD = re.compile(r" {0,3}(?:\*\*|__)([^*_]{1,200})(?:\*\*|__)\s*:?\s*\Z")
_LABEL = re.compile(
    r" {0,3}[*_]{0,2}open\s+questions?[*_]{0,2}\s*:[*_]{0,2}\s*(.*)\Z", re.IGNORECASE
)
_TITLE = re.compile(
    r"[*_]{0,2}(?:[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}[.)]?\s+)?[*_]{0,2}"
    r"(?:still\s+|remaining\s+)?open\s+questions?\b",
    re.IGNORECASE,
)
_BELOW_ALL = 7  # the level of a heading that is only bold, or a label
_BOX = re.compile(r"\[([ xX✓✔-]?)\](?:\s+|\Z)")
_TICKS = "✓✔✅☑"
_RESOLVED_FIRST = re.compile(r"[*_]{0,2}[\[(]?resolved[\])]?[*_]{0,2}\s*[:\-–—]", re.IGNORECASE)
_RESOLVED_LAST = re.compile(
    r"(?:[\[(]resolved\b[^\[\]()?]{0,200}[\])]|\s[-–—]{1,3}\s*[*_]{0,2}resolved[*_]{0,2})[\s.]*\Z",
    re.IGNORECASE,
)
_LATER = r"(?:\s+(?:left|remain(?:s|ing)?|at\s+this\s+(?:time|point)|so\s+far))?"
_NONE = re.compile(
    rf"(?:n/?a|nil|none|nothing|(?:there\s+are\s+)?(?:currently\s+)?no\s+"
    rf"(?:(?:open|unresolved|further|remaining)\s+){{0,2}}questions?){_LATER}",
    re.IGNORECASE,
)
_LONGEST = 300


@dataclass(slots=True)
class _Item:
    """One item: its lines, and how far in it stands."""

    lines: list[str]
    indent: int = 0


@dataclass(slots=True)
class _Section:
    """One section: its level, and its lines."""

    level: int
    lines: list[str] = field(default_factory=list)


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
    for section in _sections(text):
        for item in (*_items(section.lines), *_rows(section.lines)):
            if not _is_settled(item):
                bare = one_line(" ".join(_BOX.sub("", " ".join(item), count=1).split()))
                found.append(bare if len(bare) <= _LONGEST else f"{bare[: _LONGEST - 1]}…")
    return tuple(found)


def _sections(text: str) -> Iterator[_Section]:
    """Yield every section of open questions, without what is fenced or hidden."""
    page = read_page(text)
    lines = [
        ""
        if kind == "hidden" or (kind == "quoted" and line.lstrip()[:1] not in {"|", ">"})
        else line
        for line, kind in zip(page.lines, page.kinds, strict=True)
    ]
    section: _Section | None = None
    for number, line in enumerate(lines):
        level, title = _heading(lines, number)
        is_ours = bool(_TITLE.match(title))
        if section is not None and level and (is_ours or level <= section.level):
            yield section
            section = None
        label = _LABEL.match(line)
        if section is not None:
            section.lines.append("" if 0 < level < _BELOW_ALL and "?" not in title else line)
        elif level and is_ours:
            section = _Section(level)
        elif label:
            section = _Section(_BELOW_ALL, [label[1]])
    if section is not None:
        yield section


def _heading(lines: Sequence[str], number: int) -> tuple[int, str]:
    """Return the level and the title of a heading; 0 for another line."""
    line = lines[number]
    if found := _HEADING.match(line):
        return len(found[1]), found[2]
    if found := _BOLD.match(line):
        return _BELOW_ALL, found[1]
    above = lines[number - 1].strip() if number else ""
    below = lines[number + 1].strip() if number + 1 < len(lines) else ""
    is_text = bool(line.strip()) and not above and unbulleted(line) is None
    if is_text and len(below) >= 3 and not below.strip("=-"):
        return (1 if below[0] == "=" else 2), line.strip()
    return 0, ""


def _items(lines: Sequence[str]) -> list[list[str]]:
    """Return the list items and paragraphs of a section, each as its lines."""
    items: list[_Item] = []
    is_apart = True
    for line in lines:
        bare = line.lstrip().removeprefix(">") if line.lstrip().startswith(">") else line
        text = bare.strip()
        if not text or is_rule(text) or text.startswith("|"):
            is_apart = True
            continue
        indent = len(bare) - len(bare.lstrip())
        bullet = unbulleted(bare)
        if bullet is not None:
            is_new = not items or indent <= items[-1].indent or _BOX.match(bullet) is not None
        else:
            is_new = not items or (is_apart and indent <= items[-1].indent)
        said = _HEADING.sub(r"\2", text) if bullet is None else bullet
        if is_new:
            items.append(_Item([said], indent))
        else:
            items[-1].lines.append(said)
        is_apart = False
    last = len(items) - 1
    return [one.lines for at, one in enumerate(items) if at == last or one.lines[-1][-1:] != ":"]


def _rows(lines: Sequence[str]) -> list[list[str]]:
    """Return the rows of a section's tables, each as its cells; their heads left out."""
    rows = [line.strip() for line in lines if line.strip().startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    heads = {at for at, row in enumerate(rows) if not row.strip("|-: ")}
    heads |= {at - 1 for at in heads}
    return [one for at, one in enumerate(cells) if at not in heads and any(one)]


def _is_settled(item: Sequence[str]) -> bool:
    """Tell whether an item, by one of its lines or cells, is no open question."""
    whole = " ".join(item)
    if _RESOLVED_LAST.search(whole[-_LONGEST:]) or _NONE.fullmatch(
        whole.strip(" .*_`")[:_LONGEST]
    ):
        return True
    box = _BOX.match(item[0])
    if box is not None and box[1].strip() and box[1] != "-":
        return True
    bare = _BOX.sub("", whole, count=1) if box else whole
    if bare.startswith("~~") and bare.find("~~", 2) == len(bare.rstrip(" .")) - 2:
        return True
    return any(line[:1] in _TICKS for line in item[:1] if line) or any(
        _RESOLVED_FIRST.match(line) or line.casefold() == "resolved" for line in item
    )
