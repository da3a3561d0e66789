"""Inbox: how do cases that wait for a person read, and what people decided before?

Here: the cases as a table and one block each, thin results, decisions, the story of a case.
Not here: which they are (watch/cases.py), one result (text.py).
Sources: SEMANTICS G8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.show import table
from comity.render.ink import Ink
from comity.render.listing import short, when
from comity.render.price import joined, objects, words
from comity.render.text import result_text
from comity.render.vote_facts import THIN

__all__ = ["headline", "inbox_text", "story_lines"]

_REASONS = {
    **THIN,
    "absent": "not all votes are in",
    "no_majority": "no option has a majority",
    "no_quorum": "too few took part",
}
_OVERDUE = "overdue: its default applies at the next look"


def headline(result: JsonObject) -> str:
    """Return how a result stands, on one line.

    Args:
        result: what ``to_json`` of a result returned.

    Example:
        >>> headline({"kind": "no_decision", "reason": "tie", "grounds": {}})
        'no decision'
    """
    first = result_text(result, Ink()).partition("\n")[0]
    return one_line(first.partition("; thin:")[0].rstrip("."))


def inbox_text(data: Mapping[str, Json], ink: Ink) -> str:
    """Return an inbox for a person.

    Args:
        data: what the command writes as JSON: ``cases``, perhaps ``decided`` and ``thin``.
        ink: how it may be dressed.

    Returns:
        How many cases wait, a table of them, a block for each, and the other lists.

    Example:
        >>> print(inbox_text({"cases": []}, Ink()))
        Nothing waits for a person.
    """
    cases = objects(data.get("cases"))
    count = len(cases)
    head = f"{count} case{' waits' if count == 1 else 's wait'} for a person."
    return joined(
        [
            ink.bold(head if count else "Nothing waits for a person."),
            table([_row(one) for one in cases], ("case", "kind", "waits", "default", "what"))
            if count
            else "",
            *(_block(one, ink) for one in cases),
            _list("Decided by people", _decided(objects(data.get("decided"))), ink),
            _list("Worth a second look", _thin(objects(data.get("thin"))), ink),
            _list("Cannot be read", _unreadable(objects(data.get("unreadable"))), ink),
        ]
    )


def _row(case: JsonObject) -> tuple[str, ...]:
    applies = _OVERDUE if case.get("overdue") else f"{case['default']} {_due(case)}".rstrip()
    return (
        str(case["session"]),
        str(case["kind"]),
        str(case["age"]),
        applies,
        short(str(case["title"])),
    )


def _due(case: JsonObject) -> str:
    until = case.get("until_ms")
    return f"in {case['left']}" if isinstance(until, int) and case.get("left") else ""


def _block(case: JsonObject, ink: Ink) -> str:
    until = case.get("until_ms")
    by = f", by {when(until)}" if isinstance(until, int) else ""
    why = "; ".join(_reason(one) for one in words(case.get("why"))) or "it was asked for"
    options = [
        (f"    {one['number']}", str(one["name"]), _meaning(one))
        for one in objects(case.get("options"))
    ]
    lines = [
        f"{ink.bold(str(case['session']))}  {one_line(str(case['question']))}",
        f"  asked: {case['whom']}{by}" + (f" ({_OVERDUE})" if case.get("overdue") else ""),
        f"  why: {one_line(why)}",
        f"  stands: {case['stands']}",
        *(f"  before: {line}" for line in story_lines(objects(case.get("story")))),
        "  options:",
        *table(options, ("", "", "")).split("\n")[1:],
        f"  decide: {case['command']}",
    ]
    return "\n".join(lines)


def _meaning(option: JsonObject) -> str:
    means = str(option.get("means") or "")
    return "; ".join(
        part for part in (means, "the default" if option.get("default") else "") if part
    )


def _reason(code: str) -> str:
    return _REASONS.get(code, code.replace("_", " "))


def story_lines(story: Iterable[JsonObject]) -> list[str]:
    """Return what people decided and took back, one line each.

    Args:
        story: each with what, at_ms, choice, seat, by, reason.

    Example:
        >>> deed = {"what": "undone", "at_ms": 0, "choice": "A", "seat": "human", "by": "ann"}
        >>> story_lines([{**deed, "reason": "too soon"}])
        ["1970-01-01 00:00:00Z ann took 'A' back: too soon"]
    """
    lines = []
    for one in story:
        who = str(one.get("by") or one.get("seat"))
        said = {
            "decided": f"{who} decided {one['choice']!r}",
            "undone": f"{who} took {one['choice']!r} back",
            "default": f"nobody answered in time: {one['choice']!r} applied",
        }[str(one["what"])]
        why = f": {one['reason']}" if one.get("reason") else ""
        at_ms = one["at_ms"]
        assert isinstance(at_ms, int)
        lines.append(one_line(f"{when(at_ms)} {said}{why}"))
    return lines


def _list(title: str, text: str, ink: Ink) -> str:
    return f"{ink.bold(title)}\n{text}" if text else ""


def _decided(ended: Sequence[JsonObject]) -> str:
    rows = [
        (
            str(one["session"]),
            f"{one['age']} ago",
            str(one.get("choice") or f"its {one['ended_by']}"),
            str(one.get("by") or "-"),
            short(str(one.get("reason") or "-")),
            short(str(one["title"])),
        )
        for one in ended
    ]
    return table(rows, ("case", "decided", "choice", "by", "reason", "what")) if rows else ""


def _thin(ended: Sequence[JsonObject]) -> str:
    rows = [
        (
            str(one["session"]),
            f"{one['age']} ago",
            str(one["result"]),
            "; ".join(map(_reason, words(one.get("why")))),
            short(str(one["title"])),
        )
        for one in ended
    ]
    return table(rows, ("session", "ended", "result", "why", "what")) if rows else ""


def _unreadable(sessions: Sequence[JsonObject]) -> str:
    return "\n".join(one_line(f"  {one['session']}: {one['why']}") for one in sessions)
