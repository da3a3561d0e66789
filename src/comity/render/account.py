"""Account: why did a decision come out as it did?

Here: the whole account of one result: what was asked, what was decided, where everybody stood,
what people decided and took back, red lines, objections, the guard, ties and lots, the digest;
what was decided last at a desk.
Not here: the short reading after a run (text.py).
Sources: SEMANTICS G1 (a result explains itself), G4 (ties and lots), G8, C4, C6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.show import table
from comity.render.inbox import story_lines
from comity.render.ink import Ink
from comity.render.listing import when
from comity.render.price import listed, number_text, objects, words
from comity.render.text import result_text

__all__ = ["account_json", "account_text", "desk_account_text"]

_EMPTY: tuple[Json, ...] = (None, "", (), [], {})


def account_json(opened: Mapping[str, Json], data: JsonObject) -> dict[str, Json]:
    """Return the account as JSON: the questions people ask, each with its answer.

    Args:
        opened: session, kind, title, at_ms, agents; story, when a person had a say.
        data: the sealed result, or what is waited for.

    Returns:
        ``v`` and ``kind`` of the result first, then one key per question; the whole result last.
    """
    record, grounds = _record(data), _object(data.get("grounds"))
    return {
        "v": data["v"],
        "kind": data["kind"],
        "session": opened["session"],
        "question": record.get("question") or opened["title"],
        "decided": data.get("says") or data["kind"],
        "terms": data.get("terms") or record.get("draft") or [],
        "ended_by": grounds.get("ended_by"),
        "said_at_the_end": [
            {"party": party, "what": what} for party, what in _stood(data, grounds)
        ],
        "story": opened.get("story") or [],
        "red_lines": record.get("red_lines") or [],
        "objections": record.get("objections") or [],
        "thin": grounds.get("thin") or [],
        "flags": record.get("flags") or [],
        "unblock": data.get("unblock") or [],
        "ties": grounds.get("ties") or [],
        "rule": grounds.get("rule"),
        "parameters": grounds.get("parameters") or [],
        "inputs_digest": grounds.get("inputs_digest"),
        "agents": opened.get("agents") or {},
        "result": data,
    }


def account_text(opened: Mapping[str, Json], data: JsonObject, ink: Ink) -> str:
    """Return the account for a person.

    Args:
        opened: session, kind, title, at_ms, agents; story, when a person had a say.
        data: the sealed result, or what is waited for.
        ink: how it may be dressed.

    Returns:
        Several paragraphs.
    """
    told = account_json(opened, data)
    head = f"{ink.bold(str(told['session']))}  {when(int(str(opened['at_ms'])))}"
    grounds = _object(data.get("grounds"))
    parts = [
        f"{head}\n{one_line(str(told['question']))}",
        result_text(data, ink),
        listed("Where each stood at the end", _stood_lines(told), ink),
        listed("What people decided", story_lines(objects(told["story"])), ink),
        listed("Red lines", [_red_line(one) for one in objects(told["red_lines"])], ink),
        listed("Objections", [_objection(one) for one in objects(told["objections"])], ink)
        if data.get("kind") == "agreement"
        else "",
        listed("Ties and lots", _ties(grounds), ink) or f"{ink.bold('Ties and lots')}\n  none",
        listed("How it was decided", _how(told, grounds), ink),
    ]
    return "\n\n".join(part for part in parts if part)


def desk_account_text(data: Mapping[str, Json], ink: Ink) -> str:
    """Return what was decided last at a desk, for a person.

    Args:
        data: desk, at_ms, entries, last, next.
        ink: how it may be dressed.

    Example:
        >>> desk = {"desk": "claims", "at_ms": 0, "entries": 1, "last": None}
        >>> print(desk_account_text({**desk, "next": ["comity arbiter"]}, Ink()))
        desk claims  1970-01-01 00:00:00Z
        No conflict yet.
        <BLANKLINE>
        Look further
          comity arbiter
    """
    named = one_line(f"desk {data['desk']}")
    head = f"{ink.bold(named)}  {when(int(str(data['at_ms'])))}"
    last = _object(data.get("last"))
    says = one_line(f"Last conflict: {last['says']}") if last else "No conflict yet."
    rows = [
        (
            one_line(str(one["agent"])),
            number_text(one["priority"]),
            "-" if one["counted"] is None else number_text(one["counted"]),
            "won" if one["agent"] in words(last.get("winners")) else "",
        )
        for one in objects(last.get("claims"))
    ]
    drawn = [stage for stage in _lists(last.get("drawn_from")) if len(stage) > 1]
    told = [f"drawn among {', '.join(stage)} by the seed {last.get('seed')}" for stage in drawn]
    if last.get("decided_elsewhere"):
        told = ["decided elsewhere and recorded here"]
    parts = [
        f"{head}\n{says}",
        table(rows, ("claimant", "priority", "counted", "")) if rows else "",
        "\n".join(map(one_line, told)),
        "\n".join((ink.bold("Look further"), *(f"  {one}" for one in words(data.get("next"))))),
    ]
    return "\n\n".join(part for part in parts if part)


def _lists(value: Json) -> list[list[str]]:
    return [words(one) for one in value] if isinstance(value, (list, tuple)) else []


def _object(value: object) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}


def _record(data: JsonObject) -> Mapping[str, Json]:
    return _object(data.get("record"))


def _stood(data: JsonObject, grounds: Mapping[str, Json]) -> list[tuple[str, Json]]:
    """Return each party with its last offer, or with what it submitted."""
    final = [
        (str(one["party"]), one["offer"])
        for one in objects(data.get("final_offers"))
        if one.get("offer") is not None
    ]
    if final:
        return final
    last: list[tuple[str, Json]] = []
    for path in objects(data.get("offers")):
        prices = path.get("prices")
        if isinstance(prices, Sequence) and prices:
            last.append((str(path["party"]), prices[-1]))
    submitted = [(str(one["party"]), one["what"]) for one in objects(grounds.get("submissions"))]
    return last or submitted


def _stood_lines(told: Mapping[str, Json]) -> list[str]:
    lines = []
    for one in objects(told["said_at_the_end"]):
        what = one["what"]
        shown = "silent" if what is None else str(what)
        if isinstance(what, Mapping):
            shown = ", ".join(
                f"{name} {_plain(item)}" for name, item in what.items() if item not in _EMPTY
            )
        elif isinstance(what, (list, tuple)):
            shown = ("; " if _depth(what) > 2 else ", ").join(map(_plain, what))
        elif what is not None and str(what)[:1].isdigit():
            shown = _number_or_text(what)
        lines.append(one_line(f"{one['party']}: {shown}"))
    return lines


def _number_or_text(value: Json) -> str:
    try:
        return number_text(value)
    except ValueError:
        return str(value)


def _red_line(one: Mapping[str, Json]) -> str:
    by = "checked by code" if one.get("checked_by") == "code" else "judged by its owner"
    kept = f"; kept: {one['kept']}" if one.get("kept") else ""
    before = one.get("loosened_from")
    was = f" (loosened by its owner, was {before})" if before else ""
    return one_line(f"{one.get('party')}: {one.get('text')}{was}; {by}{kept}")


def _objection(one: Mapping[str, Json]) -> str:
    answered = one.get("answered") or "open"
    return one_line(
        f"{one.get('party')} to version {one.get('version')}: {one.get('reason')} -> {answered}"
    )


def _ties(grounds: Mapping[str, Json]) -> list[str]:
    lines = []
    for one in objects(grounds.get("ties")):
        chosen, seed = one.get("chosen"), one.get("seed")
        how = f"{one.get('rule')} chose {chosen}" if chosen else f"{one.get('rule')}: it stands"
        drawn = f" (seed {seed})" if seed else ""
        tied = ", ".join(words(one.get("tied")))
        lines.append(one_line(f"{one.get('label')}: {tied}; {how}{drawn}"))
    return lines


def _how(told: Mapping[str, Json], grounds: Mapping[str, Json]) -> list[str]:
    lines = [f"rule {told['rule']}, ended by {told['ended_by']}"]
    pairs = [
        pair
        for pair in _pairs(told["parameters"])
        if pair[1] not in _EMPTY and pair[0] != "steps"  # told above in words
    ]
    if pairs:
        lines.append(", ".join(f"{name} {_plain(value)}" for name, value in pairs))
    absent = words(grounds.get("absent"))
    if absent:
        lines.append(f"silent: {', '.join(absent)}")
    seats = [f"{seat} by {how}" for seat, how in _object(told["agents"]).items()]
    if seats:
        lines.append(f"seats: {', '.join(seats)}")
    lines.append(f"inputs {told['inputs_digest']}")
    return [one_line(line) for line in lines]


def _pairs(value: Json) -> list[tuple[str, Json]]:
    items = value if isinstance(value, (list, tuple)) else ()
    return [(str(one[0]), one[1]) for one in items if isinstance(one, (list, tuple))]


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(item)}" for name, item in value.items())
    if not isinstance(value, (list, tuple)):
        return str(value)
    return (" ", ", ", "; ")[min(_depth(value), 3) - 1].join(map(_plain, value))


def _depth(value: object) -> int:
    """Return how many lists lie inside each other; tables count as lists."""
    inner = tuple(value.values()) if isinstance(value, Mapping) else value
    if not isinstance(inner, (list, tuple)):
        return 0
    return 1 + max(map(_depth, inner), default=0)
