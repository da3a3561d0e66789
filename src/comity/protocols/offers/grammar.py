r"""Grammar: which move does a reply make, and if none, what must be said to its seat?

Here: the endings (``OFFER:``, ``ACCEPT:``, ``WITHDRAW:``, ``PASS``, ``LEAVE:``) and the words for
the others (``SAY:``), the same as one JSON object; issues and options in any capitals.
Not here: whose reply it is (the channel says so), whether the move is allowed (turns.py).
Sources: SEMANTICS W1 (the last well-formed ending of the seat's own words; two that differ
contradict each other and count as none), B9 (an acceptance names an id).

>>> from comity.mechanisms.bargaining.domain import domain_of
>>> terms = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60]})
>>> read_move("Fair?\nOFFER:\n- TLS = 1.3\n- days = 30", terms).move.deal
(('tls', '1.3'), ('days', '30'))
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from comity.core.errors import Fault, InvalidInput, one_line
from comity.core.exact import read_exact
from comity.mechanisms.bargaining.domain import Domain, Term
from comity.protocols.structured import json_asides, json_reply
from comity.protocols.text import Page, cut, normalise, read_page

__all__ = ["FORMS", "LONGEST_REPLY", "LONGEST_WORDS", "Move", "MoveKind", "Reading", "read_move"]

MoveKind = Literal["offer", "accept", "withdraw", "pass", "leave", "say"]

FORMS: dict[MoveKind, tuple[str, str]] = {
    "offer": ("OFFER: and one line `issue = option` for every issue", '{"offer": {"issue": "…"}}'),
    "accept": ("ACCEPT: the id of an offer", '{"accept": "id"}'),
    "withdraw": ("WITHDRAW: the id of your own offer", '{"withdraw": "id"}'),
    "pass": ("PASS", '{"pass": true}'),
    "leave": ("LEAVE: the reason", '{"leave": "reason"}'),
    "say": ("SAY: words for the others, beside a move or alone", '{"say": "words"}'),
}
"""Move -> how it is made, as lines and as JSON."""

LONGEST_REPLY = 100_000
"""Characters of a reply that are read."""
LONGEST_WORDS = 2_000
"""Characters of what is said to the others that are passed on."""

_LABEL = re.compile(
    r"(?:(?:my|final|counter)[ -]?)?(?P<label>offer|accept|withdraw|leave|pass|say)"
    r"(?:\s*:\s*(?P<said>.*)|\s*[.!]?)\Z",
    re.IGNORECASE,
)
_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(?P<inside>.*)\n```\Z", re.DOTALL | re.IGNORECASE)
_ENDINGS: tuple[MoveKind, ...] = ("offer", "accept", "withdraw", "pass", "leave")
_MOST_TOLD = 5
_MOST_ISSUES = 1_000
_MOST_MARKS = 8
_LONGEST_LINE = 20_000
_LONGEST_NAME = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What a seat does.

    Attributes:
        kind: offer, accept, withdraw, pass, leave or say.
        deal: the deal offered: every issue with its option, in the order of the domain.
        ids: the offers accepted or withdrawn.
        reason: why it leaves.
        words: what it says to the others beside it.

    Example:
        >>> Move(kind="pass").ids
        ()
    """

    kind: MoveKind
    deal: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] = ()
    reason: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says.

    Attributes:
        move: the move, or None when none can be read.
        error: why there is none: ``no_move``, ``contradictory``, ``too_long``, ``no_id``,
            ``partial_deal``, ``unknown_issue``, ``unknown_option`` or ``unreadable``; else "".
        hint: one sentence for the seat.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> read_move("well", domain_of({"tls": ["1.2"]})).error
        'no_move'
    """

    move: Move | None = None
    error: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class _Ending:
    kind: MoveKind
    reading: Reading


def read_move(said: str | Mapping[str, object], domain: Domain) -> Reading:
    """Read the move that a reply makes.

    Args:
        said: the words of a reply, or its data: an object with one of the JSON forms.
        domain: the issues.

    Returns:
        The move, or why there is none.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> read_move({"accept": "ann-3"}, domain_of({"tls": ["1.2"]})).move.ids
        ('ann-3',)
    """
    if not isinstance(said, str):
        return _chosen(list(_of_object(said, domain)), _words_of(said))
    if len(said) > LONGEST_REPLY:
        what = f"the reply has {len(said)} characters: answer in {LONGEST_REPLY} at most"
        return Reading(error="too_long", hint=what)
    page = read_page(said)
    data = _whole(page)
    if data is not None:
        return _chosen(list(_of_object(data, domain)), _words_of(data))
    endings, words = _of_lines(page, domain)
    for aside in json_asides(page):
        endings.extend(_of_object(aside, domain))
        words = words or _words_of(aside)
    return _chosen(endings, words)


def _whole(page: Page) -> Mapping[str, object] | None:
    """Return the object when the whole reply is one, also within one fence."""
    fenced = _FENCED.match(page.whole.strip())
    return json_reply(read_page(fenced["inside"]) if fenced else page)


def _chosen(endings: list[_Ending], words: str) -> Reading:
    """Return the move that the endings agree on."""
    said = cut(words.strip(), LONGEST_WORDS)
    if not endings:
        if said:
            return Reading(Move(kind="say", words=said))
        return Reading(error="no_move", hint=f"end with {FORMS['offer'][0]}, or ACCEPT: an id")
    moves = {one.reading.move for one in endings if one.reading.move is not None}
    if len({one.kind for one in endings}) > 1 or len(moves) > 1:
        return Reading(error="contradictory", hint="your reply makes two moves: make one")
    last = endings[-1].reading
    if last.move is None:
        return last
    found = last.move
    return Reading(
        Move(kind=found.kind, deal=found.deal, ids=found.ids, reason=found.reason, words=said)
    )


# --- lines -----------------------------------------------------------------------------------


def _of_lines(page: Page, domain: Domain) -> tuple[list[_Ending], str]:
    """Return every ending that the seat's own lines make, and what it says to the others."""
    endings: list[_Ending] = []
    words: list[str] = []
    for label, said, lines in _blocks(page):
        if label == "say":
            words.append("\n".join([said, *lines]).strip())
        elif label == "offer":
            endings.append(_Ending("offer", _deal_of_lines(said, lines, domain)))
        else:
            endings.append(_Ending(label, _simple(label, said)))
    return endings, "\n".join(words)


def _blocks(page: Page) -> Iterator[tuple[MoveKind, str, list[str]]]:
    """Yield each label with what stands behind it and the own lines up to the next label."""
    label, said, lines = "", "", []
    for number in range(len(page.lines)):
        line = page.own(number)
        found = _LABEL.match(line) if len(line) < _LONGEST_LINE else None
        is_bare = found is not None and found["said"] is None
        word = found["label"].casefold() if found else ""
        if found is None or (is_bare and word in {"accept", "say", "withdraw"} and label):
            lines.append(line)
            continue
        if label:
            yield _kind(label), said, lines
        label, said, lines = word, (found["said"] or "").strip(), []
    if label:
        yield _kind(label), said, lines


def _kind(word: str) -> MoveKind:
    return next(one for one in FORMS if one == word)


def _simple(kind: MoveKind, said: str) -> Reading:
    """Read an acceptance, a withdrawal, a pass or a leave."""
    if kind == "leave":
        return Reading(Move(kind="leave", reason=cut(said, LONGEST_WORDS)))
    if kind == "pass":
        return Reading(Move(kind="pass"))
    ids = tuple(
        dict.fromkeys(
            one.strip().strip("\"'`“”[]().").strip()[:_LONGEST_NAME]
            for one in re.split(r"[,;]|\sand\s", said)
        )
    )
    if not all(ids):
        hint = f"{kind} names no offer: write {FORMS[kind][0]}, such as {kind.upper()}: ann-3"
        return Reading(error="no_id", hint=hint)
    return Reading(Move(kind=kind, ids=tuple(sorted(ids))))


def _deal_of_lines(said: str, lines: list[str], domain: Domain) -> Reading:
    """Read the lines ``issue = option`` behind an offer; prose ends them."""
    names = _names_of(domain.names)
    pairs = [*_pairs(said, names)] if said else []
    gap = False
    for line in lines:
        found = [*_pairs(line, names)]
        if not line:
            gap = True
        elif pairs and (not found or (gap and not names.knows(found[0][0]))):
            break
        pairs.extend(found)
        if len(pairs) > _MOST_ISSUES:
            break
    return _deal(pairs, domain)


def _pairs(line: str, names: _Names) -> Iterator[tuple[str, str]]:
    """Yield what a line sets: one issue, or several parted by ``;`` or by commas."""
    if "=" not in line and ":" not in line:
        return
    mark = ";" if ";" in line else ","
    name, option = "", ""
    for part in line[:_LONGEST_LINE].split(mark):
        found = _pair(part, names)
        if found is None and name:
            option += mark + part  # the mark belongs to the option
            continue
        if name:
            yield name, option.strip()
        name, option = found or ("", "")
    if name:
        yield name, option.strip()


def _pair(part: str, names: _Names) -> tuple[str, str] | None:
    """Return the issue and the option of ``issue = option``, or None for other words."""
    marks = [at for at, char in enumerate(part[:_LONGEST_NAME]) if char in "=:"]
    for at in marks[:_MOST_MARKS]:
        if names.knows(part[:at]):
            return part[:at].strip(), part[at + 1 :].strip()
    name, mark, option = part.partition("=")
    return (name.strip(), option.strip()) if mark and name.strip() else None


# --- JSON ------------------------------------------------------------------------------------


def _words_of(data: Mapping[str, object]) -> str:
    said = data.get("say")
    return normalise(said) if isinstance(said, str) else ""


def _of_object(data: Mapping[str, object], domain: Domain) -> Iterator[_Ending]:
    """Yield every ending that an object makes."""
    for kind in _ENDINGS:
        if kind not in data or data[kind] is None or data[kind] is False:
            continue
        given = data[kind]
        if kind == "offer":
            yield _Ending(kind, _deal_of_object(given, domain))
        elif isinstance(given, str):
            yield _Ending(kind, _simple(kind, given))
        elif given is True and kind in {"pass", "leave"}:
            yield _Ending(kind, _simple(kind, ""))
        elif isinstance(given, list) and given and all(isinstance(one, str) for one in given):
            yield _Ending(kind, _simple(kind, ",".join(given)))
        else:
            hint = f"the entry {kind!r} cannot be read: write {FORMS[kind][1]}"
            yield _Ending(kind, Reading(error="unreadable", hint=hint))


def _deal_of_object(given: object, domain: Domain) -> Reading:
    if not isinstance(given, Mapping) or len(given) > _MOST_ISSUES:
        return Reading(error="unreadable", hint=f"an offer is an object: {FORMS['offer'][1]}")
    pairs = [(str(name), _text(option)) for name, option in given.items()]
    wrong = [name for name, option in pairs if option is None]
    if wrong:
        hint = f"{one_line(wrong[0][:_LONGEST_NAME])} needs one option, as text"
        return Reading(error="unreadable", hint=hint)
    return _deal([(name, option or "") for name, option in pairs], domain)


def _text(option: object) -> str | None:
    if isinstance(option, bool):
        return "yes" if option else "no"
    if isinstance(option, (int, float)) and abs(option) < 10**18:
        return str(option)
    return normalise(option).strip() if isinstance(option, str) else None


# --- deals -----------------------------------------------------------------------------------


def _bare(written: str) -> str:
    return written.strip().strip("\"'`“”").strip()


def _folded(name: str) -> str:
    bare = _bare(normalise(name)).casefold()
    return "_".join(bare.replace("-", " ").replace("_", " ").split())


class _Names:
    """Declared names, and what is meant by one as written."""

    __slots__ = ("exact", "folded")

    def __init__(self, names: Sequence[str]) -> None:
        self.exact = frozenset(names)
        self.folded: dict[str, list[str]] = {}
        for name in names:
            self.folded.setdefault(_folded(name), []).append(name)

    def knows(self, written: str) -> bool:
        """Tell whether a name as written means a declared one."""
        return self.meant(written) in self.exact

    def meant(self, written: str) -> str:
        """Return the one name that is meant, or what was written."""
        bare = _bare(written[:_LONGEST_NAME])
        for one in (written, bare, bare.rstrip(".;,")):
            if one in self.exact:
                return one
        for one in (bare, bare.rstrip(".;,")):
            near = self.folded.get(_folded(one), [])
            if len(near) == 1:
                return near[0]
        return bare


@lru_cache(maxsize=256)
def _names_of(names: tuple[str, ...]) -> _Names:
    return _Names(names)


def _option(written: str, term: Term) -> str:
    """Return the option that is meant, also one that only writes its number otherwise."""
    found = _names_of(term.names).meant(written)
    if found in term.names:
        return found
    try:
        number = read_exact(found, "option", "number")
    except InvalidInput:
        return found
    same = [one.name for one in term.options if dict(one.numbers).get("") == number]
    return same[0] if len(same) == 1 else found


def _deal(pairs: list[tuple[str, str]], domain: Domain) -> Reading:
    """Return the deal that assignments make; every fault in the hint, nothing half-applied."""
    names = _names_of(domain.names)
    found: dict[str, str] = {}
    unknown: dict[str, str] = {}
    for name, written in pairs:
        issue = names.meant(name)
        if issue not in names.exact:
            unknown[issue] = written[:_LONGEST_NAME]
            continue
        option = _option(written, domain.term(issue))
        if found.setdefault(issue, option) != option:
            hint = f"{issue} is set twice, to {found[issue]!r} and {option!r}: once"
            return Reading(error="contradictory", hint=one_line(hint))
    told = {**found, **dict(list(unknown.items())[:_MOST_TOLD])}
    faults = domain.faults(told, "the offer")
    if faults:
        return Reading(error=_code(told, domain), hint=_told(faults))
    return Reading(Move(kind="offer", deal=tuple((name, found[name]) for name in domain.names)))


def _code(found: Mapping[str, str], domain: Domain) -> str:
    if any(name not in domain.names for name in found):
        return "unknown_issue"
    if any(option not in domain.term(name).names for name, option in found.items()):
        return "unknown_option"
    return "partial_deal"


def _told(faults: tuple[Fault, ...]) -> str:
    """Return the faults on one line, the first few where there are many."""
    shown = [f"it {one.what} (allowed: {one.allowed}; {one.next})" for one in faults[:_MOST_TOLD]]
    more = len(faults) - len(shown)
    return one_line("; ".join([*shown, *([f"and {more} more"] if more else [])]))
