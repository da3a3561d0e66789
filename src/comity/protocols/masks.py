"""Masks: which lines of a reply are the seat's own, and which only quote, show or hide?

Here: the masking pass over the lines of a reply: fences, quotes, diffs, comments, reasoning
traces, tags of any name, and quotes over several lines.
Not here: the normal form (letters.py), what stands in a line (text.py).
Sources: SEMANTICS C3, W1; CommonMark 0.31 sections 4.4 to 5.1 and 6.6.

A line that is masked never assents. Where it cannot be told whether a line still is the seat's own
(a lazy line below a quote, the inside of a tag), it is ``unsure``: it does not count either, and
what it says against an assent is doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

__all__ = ["Kind", "masked"]

Kind = Literal["own", "indented", "quoted", "hidden", "unsure"]
"""How a line counts: the seat's own words; indented code; a fence, quote, table row or diff hunk;
a comment or a reasoning trace; what may be either. Only ``own`` lines carry markers."""

_TRACES = (
    "(?:seed:|ant:|antml:)?(?:think|thinking|thoughts?|reasoning|scratchpad|analysis|reflection"
    "|draft|inner_monologue)"
)
_OPENS = rf"<({_TRACES})(?=[\s>])[^<>]*(?<!/)>|\[(think(?:ing)?)\]|◁({_TRACES})▷"
_CLOSES = rf"</({_TRACES})\s*+>|\[/(think(?:ing)?)\]|◁/({_TRACES})▷"
_TAG = re.compile(rf"<!--|{_OPENS}|{_CLOSES}", re.IGNORECASE)
_END = re.compile(rf"-->|{_CLOSES}", re.IGNORECASE)
_MAY_HIDE = re.compile(r"<|\[/?[a-z]|◁", re.IGNORECASE)
_FENCE = re.compile(r"( {0,3}(?:(?:[-*+•]|[0-9]{1,9}[.)]) {1,4})?)(`{3,}(?=[^`]*\Z)|~{3,})")
_HUNK = re.compile(r"@@ -[0-9]+(?:,([0-9]{1,18}))? \+[0-9]+(?:,([0-9]{1,18}))? @@")

# --- what makes a line unsure ---

_BARS = "│┃║▌▎▏┆┊¦\u276f\u203a»"
_NOT_LAZY = re.compile(r"(?:[-*+•‣]|[0-9]{1,9}[.)])\s|#{1,6}(?:\s|\Z)|(?:[-=_*]\s*){3,}\Z")
_WRAPPED = re.compile(r"[\"'“”«`~/{#\\<(]|\A(?:@@@|diff|\.{4})")
_CODE_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,9}[.)]) {5,}")
_NEVER = re.compile(r"(?!)")
_WRAPS = (
    (re.compile(r"(\"\"\"|''')(?!.*\1)"), re.compile("\"\"\"|'''")),
    (re.compile(r"[\"“«'`]{1,2}\Z"), re.compile(r"\s*[\"”»'`]{1,2}\s*\Z")),
    (re.compile(r"\.{4,}\Z"), re.compile(r"\s*\.{4,}\s*\Z")),
    (re.compile(r"@@@+ |diff --git "), re.compile(r"\A\s*\Z")),
    (re.compile(r"/\*(?!.*\*/)"), re.compile(r"\*/")),
    (re.compile(r"\{#(?!.*#\})"), re.compile(r"#\}")),
    (re.compile(r"#\+begin", re.IGNORECASE), re.compile(r"\s*#\+end", re.IGNORECASE)),
    (re.compile(r"\\begin\{"), re.compile(r"\s*\\end\{")),
    (re.compile(r"<!\[CDATA\[(?!.*\]\]>)"), re.compile(r"\]\]>")),
    (re.compile(r"<\?(?!.*\?>)"), re.compile(r"\?>")),
    (re.compile(r"</?[A-Za-z][^<>]*\Z"), re.compile(">")),
)
_CURLY_END = re.compile(r"”|\A\s*\Z")
_STRIKE_END = re.compile(r"\A(?:(?!~~).)*~~(?:(?!~~).)*\Z")
_NAMED = re.compile(r"<(/?)([A-Za-z][\w.-]*(?::[A-Za-z][\w.-]*)?)(?:\s[^<>]*|/)?>")
_CHANNEL = re.compile(r"<\|/?[\w:-]{1,40}\|?>|<\uff5c|<\|")
_EMPTY = frozenset(("area", "base", "br", "col", "hr", "img", "input", "link", "meta", "wbr"))
_FORM_VALUE = re.compile(r"[:=]\s*[\"'“(\[*_`]*\Z")


def _name(tag: re.Match[str]) -> str:
    return next((name.lower() for name in tag.groups() if name), "!--")


def _ending(tag: re.Match[str]) -> re.Pattern[str]:
    """Return what ends the stretch that a tag opens."""
    name = re.escape(_name(tag))
    if tag[0] == "<!--":
        return re.compile("-->")
    opening, closing = {"<": ("</", r"\s*+>"), "[": (r"\[/", r"\]"), "◁": ("◁/", "▷")}[tag[0][0]]
    return re.compile(rf"{opening}{name}{closing}", re.IGNORECASE)


class _Pass:
    """What the masking pass remembers from one line to the next."""

    def __init__(self, lines: list[str]) -> None:
        self.fence: tuple[str, int, int] | None = None  # its character, length and column
        self.until: re.Pattern[str] | None = None  # what ends the hidden stretch we are in
        self.hunk = (0, 0)  # old and new lines of a diff hunk still to come
        self.own_from = 0  # a stray </think> hides everything before it
        self.sure_from = 0  # another stray closing tag makes it unsure
        self.lazy = False  # the line before is a quote that may go on without its mark
        self.wrap: re.Pattern[str] | None = None  # what ends a quote over several lines
        self.inside = ("", 0)  # the tag we are in, and how often it was opened
        self.last_end: dict[str, tuple[int, int]] = {}  # where each kind ends for the last time
        for number, line in enumerate(lines):
            if "-->" in line or "</" in line or "[/" in line or "◁/" in line:
                for end in _END.finditer(line):
                    self.last_end[_name(end)] = (number, end.start())
                for end in _NAMED.finditer(line):
                    if end[1]:
                        self.last_end[f"<{end[2].lower()}"] = (number, end.start())

    def read(self, number: int, line: str) -> tuple[str, Kind]:
        """Return a line without its hidden stretches, and its kind."""
        if self.fence is not None:
            return line, self._in_fence(line)
        if self.wrap is not None:
            self.wrap = None if self.wrap.search(line) else self.wrap
            return line, "unsure"
        if self.inside[0]:
            self._count_tags(line)
            return line, "unsure"
        was_hidden = self.until is not None
        if not was_hidden:
            kind = self._shape(line)
            if kind != "own" or not _MAY_HIDE.search(line):
                return line, self._surely(number, line) if kind == "own" else kind
        seen = self._seen(number, line)
        if seen == line and not was_hidden:
            return line, self._surely(number, line)
        seen = seen.strip()
        kind = self._shape(seen) if seen else "hidden"
        return seen, self._surely(number, seen) if kind == "own" else kind

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
        if not body:
            return "own"
        indent = line[: len(line) - len(body)]
        if len(indent) >= 4 or "\t" in indent:
            return "indented"
        if body[0] in ">|":
            self.lazy = body[0] == ">" and bool(body.strip("> "))
            return "quoted"
        if hunk := _HUNK.match(line):
            self.hunk = (int(hunk[1] or 1), int(hunk[2] or 1))
            return "quoted"
        if ("```" in body or "~~~" in body) and (fence := _FENCE.match(line)):
            column = len(fence[1]) if fence[1].strip() else 0
            self.fence = (fence[2][0], len(fence[2]), column)
            self.lazy = False
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

    # --- hidden stretches ---

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
        line, name = tag.string, _name(tag)
        start, end = tag.start(), tag.end()
        alone = not line[:start].strip()
        if line[start - 1 : start] == "`":
            pass  # an inline code span that talks about the tag
        elif tag[0][1:2] == "/":
            if alone or not line[end:].strip():
                self.own_from = number
                seen.clear()
                seen.append(" ")
                return end
        elif (
            alone
            or self.last_end.get(name, (-1, 0)) > (number, start + 1)
            or (name != "!--" and not line[end:].strip())
        ):
            seen.append(line[at:start])
            self.until = _ending(tag)
            return start + 2 if name == "!--" else end
        seen.append(line[at:end])
        return end

    # --- unsure lines ---

    def _surely(self, number: int, line: str) -> Kind:
        """Tell whether a line that has the shape of the seat's own may yet be another's."""
        body = line.strip()
        if not body:
            self.lazy = False
            return "own"
        if self.lazy and not _NOT_LAZY.match(body):
            return "unsure"
        self.lazy = False
        if body[0] in _BARS or _CODE_ITEM.match(body):
            return "unsure"
        if not _WRAPPED.search(body):
            return "own"
        return "unsure" if self._opens_wrap(body) or self._tagged(number, line) else "own"

    def _opens_wrap(self, body: str) -> bool:
        for opening, closing in _WRAPS:
            if opening.match(body):
                self.wrap = closing
                return True
        if body.count("~~") % 2:
            self.wrap = _STRIKE_END
            return True
        if body.count("“") > body.count("”"):
            self.wrap = _CURLY_END
        return False

    def _tagged(self, number: int, line: str) -> bool:
        """Take in the tags of a line; tell whether it begins with one."""
        if "<" not in line:
            return False
        if _CHANNEL.search(line):
            self.wrap = _NEVER
            return True
        if "<!--" in line and line.partition("<!--")[0].count("`") % 2 == 0:
            self.wrap = _NEVER
        tagged = False
        for tag in _NAMED.finditer(line):
            name, before = tag[2].lower(), line[: tag.start()]
            if name in _EMPTY or tag[0].endswith("/>") or before.count("`") % 2:
                continue
            alone = not before.strip()
            if tag[1]:
                self.sure_from = number if alone else self.sure_from
                tagged = tagged or alone
                continue
            end = self.last_end.get(f"<{name}", (-1, 0))
            last = not line[tag.end() :].strip() and not before[-1:].isalnum()
            if alone or end[0] > number or (last and not _FORM_VALUE.search(before)):
                tagged = tagged or alone
                if end <= (number, tag.start()):
                    self.wrap = _NEVER
                    return tagged
                self.inside = (name, 0)
                self._count_tags(line[tag.start() :])
                if self.inside[0]:
                    return tagged
        return tagged

    def _count_tags(self, line: str) -> None:
        name, depth = self.inside
        for tag in _NAMED.finditer(line):
            if tag[2].lower() == name and not tag[0].endswith("/>"):
                depth += -1 if tag[1] else 1
                if depth <= 0:
                    self.inside = ("", 0)
                    return
        self.inside = (name, depth)


def masked(raw: Iterable[str]) -> tuple[tuple[str, ...], tuple[Kind, ...]]:
    r"""Return lines without their hidden stretches, and what each counts as.

    Args:
        raw: the lines of a reply in normal form.

    Returns:
        (lines, kinds), one of each for a line. The time is linear in the length of the text.

    Example:
        >>> masked(["> x", "VOTE: APPROVE", "", "<b>y</b>", "z"])[1]
        ('quoted', 'unsure', 'own', 'unsure', 'own')
    """
    given = list(raw)
    state = _Pass(given)
    lines: list[str] = []
    kinds: list[Kind] = []
    for number, line in enumerate(given):
        seen, kind = state.read(number, line)
        lines.append(seen)
        kinds.append(kind)
    before: list[Kind] = ["unsure" if kind == "own" else kind for kind in kinds[: state.sure_from]]
    kinds[: state.sure_from] = before
    kinds[: state.own_from] = ["hidden"] * state.own_from
    return tuple(lines), tuple(kinds)
