"""Prompt: which question, seats and settings does one free sentence ask for?

Here: reading ``Use negotiation for ... CC advocates Speed, CX=Security. Output: x.md`` with every
fault at once.
Not here: scenario files (formats/), the rules of a negotiation (rules.py), where a path may
lead (the doors).
Sources: SEMANTICS C1, G7.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from comity.core.errors import Fault, raise_if, shown

__all__ = ["ConsentPrompt", "parse_prompt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentPrompt:
    """What a prompt asks for.

    Attributes:
        question: what is to be decided; "" when a work file says it.
        seats: (id, priority) of each seat, in the order named.
        output: the path of the consensus document, or None.
        work: the path of the file with the decision to be made, or None.
        max_turns: the turns of all seats together, or None for the default.

    Example:
        >>> parse_prompt("Meetings? CC=Focus, CX=Contact").seats
        (('CC', 'Focus'), ('CX', 'Contact'))
    """

    question: str
    seats: tuple[tuple[str, str], ...]
    output: str | None = None
    work: str | None = None
    max_turns: int | None = None


# Full-width punctuation as typed on many keyboards; a full stop there needs no space behind it.
_NARROW = str.maketrans(
    {"\uff0c": ",", "\u3001": ",", "\uff1b": ";", "\uff1a": ":", "\uff1d": "=", "\u3002": "\n"}
)
_QUOTED = r"\"[^\"\n]*\"|“[^”\n]*”|'[^'\n]*'|`[^`\n]*`"
_SETTING = re.compile(
    rf"(?<![\w./-])(output|work|max[ _-]?turns)[ \t]*[:=][ \t]*({_QUOTED}|[^\s\"“`]*)",
    re.IGNORECASE,
)
_VERBS = r"(?:advocat|champion|represent)(?:e|es|s|ing)?|argues?"
_SEAT = re.compile(
    r"(?<![\w=-])(?!the\b)([A-Za-z][\w-]{0,63})"
    rf"(?:[ \t]*=[ \t]*|\s+(?:{_VERBS})\b[ \t]*(?:for\b[ \t]*)?)",
    re.IGNORECASE,
)
_BEFORE_A_CLAUSE = r"and|with|where|as|let|have"
_STARTS = re.compile(rf"(?:\A|[\n.,;:!?(&*•-]|\b(?:{_BEFORE_A_CLAUSE}))\s*\Z", re.IGNORECASE)
_STOPS = re.compile(r"[,;\n]|[.!?](?=\s|\Z)")
_TRAILING_AND = re.compile(rf"(?:(?:\s|\A)(?:{_BEFORE_A_CLAUSE}|&))+\s*\Z", re.IGNORECASE)
_TRAILING_TITLE = re.compile(
    r"(?:\A|(?<=[.!?;] ))(?:the )?(?:advocates|seats|participants)(?: are)? ?:?\Z", re.IGNORECASE
)
_OPENING = re.compile(
    r"(?:please\s+)?use\s+(?:the\s+)?negotiation(?:\s+skill)?"
    r"(?:\s+to\s+(?:decide|agree|settle)(?:\s+(?:on|about))?|\s+for|\s+on|\s+to)?\b[\s:,-]*",
    re.IGNORECASE,
)
_TURNS = re.compile(r"[1-9][0-9]{0,8}")
_LOOK_BACK = 80


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    name: str
    value: str


def _unquoted(text: str) -> str:
    body = text.strip()
    if len(body) > 1 and body[0] + body[-1] in {'""', "“”", "''", "``"}:
        return body[1:-1].strip()
    return body


def _settings(text: str) -> list[_Found]:
    found: list[_Found] = []
    heads = _seat_ends(text)
    for match in _SETTING.finditer(text):
        before = text[max(0, match.start() - _LOOK_BACK) : match.start()]
        follows = bool(found) and not text[found[-1].end : match.start()].strip(" \t.,;")
        after = max((end for end in heads if end <= match.start()), default=None)
        in_a_seat = after is not None and not _STOPS.search(text[after : match.start()])
        if not (follows or (in_a_seat and before[-1:].isspace()) or _STARTS.search(before)):
            continue
        name = re.sub(r"[ _-]", "_", match[1].lower()).replace("maxturns", "max_turns")
        value = _unquoted(match[2]) if match[2][:1] in "\"“'`" else match[2].rstrip(".,;:!?)")
        found.append(_Found(match.start(), match.end(), name, value))
    return found


def _seat_ends(text: str) -> list[int]:
    """Return where each seat's priority begins: `Output:` may follow it without a comma."""
    return [
        match.end()
        for match in _SEAT.finditer(text)
        if match[1].lower() not in {"output", "work", "max_turns", "maxturns"}
        and _STARTS.search(text[max(0, match.start() - _LOOK_BACK) : match.start()])
    ]


def _seats(text: str) -> list[_Found]:
    """Return the seats of a text in which the settings are blanked out by line ends."""
    heads = [
        match
        for match in _SEAT.finditer(text)
        if _STARTS.search(text[max(0, match.start() - _LOOK_BACK) : match.start()])
    ]
    found = []
    for number, match in enumerate(heads):
        limit = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        rest = text[match.end() : limit]
        quoted = re.match(_QUOTED, rest)
        if quoted is not None:
            end = quoted.end()
        else:
            stop = _STOPS.search(rest)
            end = stop.start() if stop else len(rest)
        value = _unquoted(_TRAILING_AND.sub("", rest[:end]).strip(" \t()"))
        found.append(_Found(match.start(), match.end() + end, match[1], value))
    return found


def _question(text: str, taken: list[_Found]) -> str:
    parts = []
    at = 0
    for one in sorted(taken, key=lambda found: found.start):
        parts.append(text[at : one.start])
        at = one.end
    parts.append(text[at:])
    kept = []
    for part in parts:
        words = " ".join(part.split()).strip(" ,;)•*-").removeprefix(".").strip()
        words = _TRAILING_TITLE.sub("", _TRAILING_AND.sub("", words)).strip()
        if any(char.isalnum() for char in words):
            kept.append(words)
    return _OPENING.sub("", " ".join(kept), count=1).strip(" .,;:–—(-")


def _setting_faults(settings: list[_Found]) -> list[Fault]:
    faults = []
    for name in ("output", "work", "max_turns"):
        values = [one.value for one in settings if one.name == name]
        if len(values) > 1:
            faults.append(
                Fault("prompt", f"{name} is given {len(values)} times", f"{name} once", "keep one")
            )
        for value in values:
            if name == "max_turns" and not _TURNS.fullmatch(value):
                faults.append(
                    Fault(
                        "prompt",
                        f"max_turns is {shown(value)}",
                        "a whole number from 1 to 999999999",
                        "write for example max_turns: 30",
                    )
                )
            elif not value:
                faults.append(
                    Fault("prompt", f"{name} is empty", "a path", f"name the file or drop {name}:")
                )
    return faults


def _seat_faults(seats: list[_Found]) -> list[Fault]:
    faults = []
    if len(seats) < 2:
        found = f"only the seat {seats[0].name}" if seats else "no seats"
        faults.append(
            Fault(
                "prompt",
                f"it names {found}",
                "two or more seats, each with a priority",
                "write for example CC=Speed, CX=Security",
            )
        )
    names = [one.name.casefold() for one in seats]
    faults.extend(
        Fault(
            "prompt",
            f"the seat {one.name} is named {names.count(one.name.casefold())} times",
            "each seat once, capitals not regarded",
            "rename one or drop it",
        )
        for number, one in enumerate(seats)
        if names.count(one.name.casefold()) > 1 and names.index(one.name.casefold()) == number
    )
    faults.extend(
        Fault(
            f"seat {one.name}",
            "its priority is empty",
            "a word or a quoted text",
            f"write for example {one.name}=Security",
        )
        for one in seats
        if not any(char.isalnum() for char in one.value)
    )
    return faults


def parse_prompt(text: str) -> ConsentPrompt:
    """Read a prompt that asks for a negotiation.

    A seat is ``CC=Speed``, ``CC = "two words"`` or ``CC advocates (for) Speed``; it begins a
    clause. A priority ends at a comma, a semicolon, a line end or the end of its sentence unless
    it is quoted. ``Output: path``, ``work: path`` and ``max_turns: n`` may stand anywhere. What
    is left is the question.

    Args:
        text: the prompt.

    Returns:
        The question, the seats in the order named, and the settings.

    Raises:
        InvalidInput: with every fault at once: fewer than two seats, a seat named twice, an
            empty priority or path, a setting given twice, a wrong ``max_turns``, nothing to
            decide.

    Example:
        >>> prompt = parse_prompt("Use negotiation for retries. CC advocates Speed, CX=Safety.")
        >>> prompt.question, prompt.seats
        ('retries', (('CC', 'Speed'), ('CX', 'Safety')))
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").translate(_NARROW)
    settings = _settings(lines)
    blanked = list(lines)
    for one in settings:
        blanked[one.start : one.end] = "\n" * (one.end - one.start)
    seats = _seats("".join(blanked))
    question = _question(lines, [*settings, *seats])
    faults = [*_seat_faults(seats), *_setting_faults(settings)]
    if not question and not any(one.name == "work" for one in settings):
        faults.append(
            Fault(
                "prompt",
                "it does not say what to decide",
                "a question, or work: with the path of a file that holds it",
                "write for example: Use negotiation to decide on the retry policy",
            )
        )
    raise_if(faults)
    given = {one.name: one.value for one in settings}
    return ConsentPrompt(
        question=question,
        seats=tuple((one.name, one.value) for one in seats),
        output=given.get("output"),
        work=given.get("work"),
        max_turns=int(given["max_turns"]) if "max_turns" in given else None,
    )
