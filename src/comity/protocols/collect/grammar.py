r"""Grammar: which ballot does a reply cast, and if none, what must be said to its voter?

Here: the answer lines (``VOTE:``, ``BALLOT:``, ``APPROVE:``, ``SCORES:``, ``DECIDE:``), the same
as one JSON object, options in any capitals; one normal form of a ballot.
Not here: whose reply it is (the channel says so), what a ballot counts for.
Sources: SEMANTICS V1, W1 (the last well-formed line of the seat's own words; two that differ
contradict each other and count as none).

>>> read_ballot_reply("I prefer B.\nBALLOT: B > A = C", "ranking", ("A", "B", "C")).ballot
['B', ['A', 'C']]
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, one_line
from comity.mechanisms.voting.ballots import BallotKind, read_ballot, write_ballot
from comity.protocols.text import Page, plain, read_page

__all__ = [
    "FORMS",
    "LONGEST_REPLY",
    "Reading",
    "normal_ballot",
    "read_ballot_reply",
    "read_decision",
    "told",
]

FORMS: dict[BallotKind, tuple[str, str]] = {
    "choice": ("VOTE: the option", '{"vote": "the option"}'),
    "yes_no": ("VOTE: yes or VOTE: no", '{"vote": "yes"}'),
    "ranking": ("BALLOT: best > second = equal to it > last", '{"ballot": ["best", "second"]}'),
    "approval": ("APPROVE: every option that is good enough, by commas", '{"approve": ["A"]}'),
    "score": ("SCORES: A=3, B=1", '{"scores": {"A": 3, "B": 1}}'),
}
"""Kind of ballot -> how it is answered, as a line and as JSON."""

_LABELS: dict[BallotKind, tuple[str, ...]] = {
    "choice": ("vote", "ballot"),
    "yes_no": ("vote", "ballot"),
    "ranking": ("ballot", "vote", "ranking"),
    "approval": ("approve", "ballot", "vote"),
    "score": ("scores", "ballot", "vote"),
}
_LINE = re.compile(r"(?P<label>[A-Za-z]+)\s*[:=]\s*(?P<said>.+)\Z")
_MOST_DIGITS = 60
_MOST_TOLD = 5
LONGEST_REPLY = 100_000
"""Characters of a reply that are read."""
_ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says.

    Attributes:
        ballot: the ballot in its normal form; None for an abstention, and when nothing was read.
        error: why nothing was read: ``no_ballot``, ``contradictory`` or ``unreadable``; else "".
        hint: one sentence for the voter.

    Example:
        >>> read_ballot_reply("VOTE: maybe", "yes_no", ("no", "veto", "yes")).error
        'unreadable'
    """

    ballot: Json = None
    error: str = ""
    hint: str = ""


def read_ballot_reply(text: str, kind: BallotKind, options: Sequence[str]) -> Reading:
    """Read the ballot that a reply casts.

    Args:
        text: the reply.
        kind: the kind of ballot.
        options: the declared options; for yes/no its three words.

    Returns:
        The ballot, or why there is none.

    Example:
        >>> read_ballot_reply('{"vote": "a"}', "choice", ("A", "B")).ballot
        'A'
    """
    if len(text) > LONGEST_REPLY:
        what = f"the reply has {len(text)} characters: answer in {LONGEST_REPLY} at most"
        return Reading(error="unreadable", hint=what)
    page = read_page(text)
    found = _of_json(page, kind) or _of_lines(page, kind, options)
    if not found:
        return Reading(error="no_ballot", hint=f"answer with a line {FORMS[kind][0]}")
    readings = [_read(given, kind, options) for given in found]
    if any(one != readings[0] for one in readings):
        return Reading(error="contradictory", hint="two lines say different things: send one")
    return readings[0]


def normal_ballot(given: object, kind: BallotKind, options: Sequence[str]) -> Json:
    """Return a ballot in the one form in which equal ballots are equal.

    Args:
        given: a ballot as data.
        kind: the kind of ballot.
        options: the declared options.

    Returns:
        JSON that `read_ballot` reads; None for an abstention.

    Raises:
        InvalidInput: with every reason why it does not count.

    Example:
        >>> normal_ballot([["c", "a"], "B"], "ranking", ("A", "B", "C"))
        [['A', 'C'], 'B']
    """
    if _is_abstention(given, options):
        return None
    if _is_deep(given):
        allowed = "options, or groups of options"
        raise InvalidInput(Fault("ballot", "is nested too deeply", allowed, "make it flat"))
    index = {name: at for at, name in enumerate(options)}
    named = _named(given, _matcher(options))
    return write_ballot(kind, read_ballot(kind, named, index, "of this reply"), options)


def _read(given: object, kind: BallotKind, options: Sequence[str]) -> Reading:
    try:
        return Reading(normal_ballot(given, kind, options))
    except InvalidInput as error:
        return Reading(error="unreadable", hint=f"the ballot {told(error)}")


def told(error: InvalidInput) -> str:
    """Return the faults of a ballot on one line, the first few where there are many.

    Args:
        error: what was refused.

    Example:
        >>> told(InvalidInput(Fault("ballot", "is 3", "a list", "give a list")))
        'is 3 (allowed: a list)'
    """
    shown = [f"{one.what} (allowed: {one.allowed})" for one in error.faults[:_MOST_TOLD]]
    more = len(error.faults) - len(shown)
    shown += [f"and {more} more"] if more else []
    return one_line("; ".join(shown))


def _is_deep(given: object) -> bool:
    """Whether there is anything inside a list within a list within a list."""
    level: list[object] = [given]
    for _ in range(3):
        level = [
            item
            for one in level
            if isinstance(one, (list, tuple, Mapping))
            for item in (one.values() if isinstance(one, Mapping) else one)
        ]
    return bool(level)


# --- names -----------------------------------------------------------------------------------


def _folded(name: str) -> str:
    return " ".join(name.split()).casefold()


def _matcher(options: Sequence[str]) -> Callable[[str], str]:
    """Return what turns a name as written into the option that it means."""
    known: dict[str, list[str]] = {}
    for name in options:
        known.setdefault(_folded(name), []).append(name)

    def match(written: str) -> str:
        bare = written.strip().strip("\"'`“”").strip()
        if bare in options:
            return bare
        for text in (bare, bare.rstrip(".!")):
            near = known.get(_folded(text), [])
            if len(near) == 1:
                return near[0]
        return bare

    return match


def _named(given: Any, match: Callable[[str], str]) -> Any:  # noqa: ANN401  # a ballot of any shape
    """Return a ballot with its option names as they are declared."""
    if isinstance(given, str):
        return match(given)
    if isinstance(given, Mapping):
        named = {match(name) if isinstance(name, str) else name: given[name] for name in given}
        return named if len(named) == len(given) else list(given)  # two names of one option
    if isinstance(given, (list, tuple)):
        return [_named(one, match) for one in given]
    return given


def _is_abstention(given: object, options: Sequence[str]) -> bool:
    word = _folded(given).rstrip(".!") if isinstance(given, str) else ""
    return word == _ABSTAIN and _ABSTAIN not in map(_folded, options)


# --- lines -----------------------------------------------------------------------------------


def _of_lines(page: Page, kind: BallotKind, options: Sequence[str]) -> list[Any]:
    """Return every ballot that a line of the seat's own words casts."""
    own = [line for number in range(len(page.lines)) if (line := page.own(number))]
    found: list[Any] = []
    for line in own:
        match = _LINE.match(line)
        if match is not None and match["label"].casefold() in _LABELS[kind]:
            found.append(_said(match["said"].strip(), kind, options))
    if not found and len(own) == 1 and kind in {"choice", "yes_no"}:
        word = _matcher(options)(own[0])
        if word in options or _is_abstention(word, options):
            found.append(word)
    return found


def _said(said: str, kind: BallotKind, options: Sequence[str]) -> Any:  # noqa: ANN401  # a ballot
    if kind in {"choice", "yes_no"} or _is_abstention(said, options):
        return said
    if kind == "ranking":
        return _ranked(said, options)
    if kind == "approval":
        if _folded(said).rstrip(".") in {"none", "nothing"} and "none" not in map(
            _folded, options
        ):
            return []
        return [one for one in _split(said, ",;") if one]
    scores: dict[str, object] = {}
    for part in _split(said, ",;"):
        name, _, value = part.rpartition("=" if "=" in part else ":")
        if name.strip() in scores:
            return list(scores)  # a name twice: not a table of scores
        scores[name.strip()] = value.strip().rstrip(".")[:_MOST_DIGITS]
    return scores


def _ranked(said: str, options: Sequence[str]) -> list[object]:
    """Return a ranking as written with ``>`` and ``=``, or with commas when there is no ``>``."""
    marks = ">" if ">" in said or len(options) == 1 or "=" in said else ",;"
    groups = [_split(group, "=") for group in _split(said.rstrip("."), marks)]
    return [group[0] if len(group) == 1 else group for group in groups]


def _split(text: str, marks: str) -> list[str]:
    return [part.strip() for part in re.split(f"[{re.escape(marks)}]", text)]


# --- JSON ------------------------------------------------------------------------------------


def _of_json(page: Page, kind: BallotKind) -> list[Any]:
    """Return the ballot of a reply that is one JSON object."""
    data = _object(page)
    return [data[label] for label in _LABELS[kind] if label in data]


def _object(page: Page) -> dict[str, Any]:
    kept = (line for line, kind in zip(page.lines, page.kinds, strict=True) if kind != "hidden")
    text = re.sub(r"\A```(?:json)?\s*|\s*```\Z", "", "\n".join(kept).strip())
    if not (text.startswith("{") and text.endswith("}")):
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_each_once, parse_constant=str, parse_float=str)
    except (ValueError, RecursionError):
        return {}
    folded = {str(key).strip().casefold(): item for key, item in found.items()}
    return folded if len(folded) == len(found) else {}


def _each_once(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    listed = list(pairs)
    found = dict(listed)
    if len(found) < len(listed):
        raise ValueError("a key stands twice")
    return found


# --- the person's word -----------------------------------------------------------------------


def read_decision(text: str, choices: Sequence[str]) -> str | None:
    r"""Read what a person decides.

    Args:
        text: the person's words.
        choices: what may be decided.

    Returns:
        The choice; None when there is none, or two that differ.

    Example:
        >>> read_decision("The margin is fine.\nDECIDE: accept", ("accept", "A", "B"))
        'accept'
    """
    if text in choices:
        return text
    page = read_page(text)
    match = _matcher(choices)
    given: list[object] = [item for key, item in _object(page).items() if key == "decide"]
    own = [line for number in range(len(page.lines)) if (line := page.own(number))]
    for line in own:
        said = _LINE.match(plain(line))
        if said is not None and said["label"].casefold() == "decide":
            given.append(said["said"])
    if not given and len(own) == 1:
        given = [own[0]]
    words = {match(one) if isinstance(one, str) else "" for one in given}
    found = words.pop() if len(words) == 1 else ""
    return found if found in choices else None
