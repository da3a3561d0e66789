"""Price text: how does haggling over one price read on a terminal?

Here: the sentence, the table of rounds, the surpluses; the small pieces that every reading of a
result is made of.
Not here: other forms of results (text.py). What `comity bargain` loads stays small.
Sources: SEMANTICS B6, B8 (the table of rounds is part of the output), G1, G8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import like, read_exact, show_number, to_fraction
from comity.core.show import table
from comity.render.ink import Ink

__all__ = [
    "joined",
    "listed",
    "number_text",
    "objects",
    "price_table",
    "price_text",
    "sentence",
    "words",
]

ROWS_OF_EACH_END = 20


def objects(value: object) -> list[Mapping[str, Json]]:
    """Return the objects of a list of JSON, leaving out everything else."""
    items = value if isinstance(value, (list, tuple)) else ()
    return [item for item in items if isinstance(item, Mapping)]


def words(value: object) -> list[str]:
    """Return the items of a list of JSON as text on one line each."""
    items = value if isinstance(value, (list, tuple)) else ()
    return [one_line(str(item)) for item in items]


def listed(title: str, lines: Iterable[str], ink: Ink, *, mark: str = "-") -> str:
    """Return a titled list, or "" when there is nothing to list.

    Args:
        title: the title.
        lines: the items.
        ink: how it may be dressed.
        mark: what stands before each item; ``"1"`` numbers them.

    Example:
        >>> print(listed("Decision", ["a", "b"], Ink(), mark="1"))
        Decision
          1. a
          2. b
    """
    items = [
        f"  {number}. {line}" if mark == "1" else f"  {mark} {line}"
        for number, line in enumerate(lines, 1)
    ]
    return "\n".join([ink.bold(title), *items]) if items else ""


def number_text(value: Json) -> str:
    """Return a number of a result's JSON as a person reads it.

    Example:
        >>> number_text(80), number_text("171/2"), number_text(None)
        ('80', '85.5', '-')
    """
    if value is None:
        return "-"
    return show_number(read_exact(value, "result", "number"))


def joined(parts: Iterable[str]) -> str:
    """Return the parts that say something, an empty line between them."""
    return "\n\n".join(part for part in parts if part)


def sentence(data: JsonObject, ink: Ink) -> str:
    """Return a result's own sentence, its head in the colour of its kind."""
    said = one_line(str(data.get("says") or data.get("kind")))
    head, colon, rest = said.partition(":")
    decided = data.get("kind") != "no_deal"
    return f"{(ink.good if decided else ink.warn)(head)}{colon}{rest}"


def _thin(data: JsonObject, ink: Ink) -> str:
    grounds = data.get("grounds")
    thin = words(grounds.get("thin")) if isinstance(grounds, Mapping) else []
    return listed("Worth a second look", thin, ink)


def price_text(data: JsonObject, ink: Ink) -> str:
    """Return the result of haggling over one price as a person reads it.

    Args:
        data: what ``to_json`` of a price result returned.
        ink: how it may be dressed.

    Returns:
        The sentence, the table of rounds, who gains what, what would unblock it.

    Example:
        >>> print(price_text({"kind": "no_deal", "says": "No deal.", "unblock": ["wait"]}, Ink()))
        No deal.
        <BLANKLINE>
        What would unblock it
          - wait
    """
    return joined(
        [
            sentence(data, ink),
            price_table(data),
            _surpluses(data),
            listed("What would unblock it", words(data.get("unblock")), ink),
            listed("Notes", words(data.get("notes")), ink),
            _thin(data, ink),
        ]
    )


def price_table(data: JsonObject) -> str:
    """Return the rounds of a price negotiation as a table.

    Args:
        data: the JSON of a price result.

    Returns:
        Round, both offers, the gap and who accepts; of a long negotiation both ends. "" when no
        round was played.

    Example:
        >>> offers = [
        ...     {"party": "buyer", "role": "buyer", "prices": [60, 90]},
        ...     {"party": "seller", "role": "seller", "prices": [120, 80]},
        ... ]
        >>> print(price_table({"offers": offers, "accepted_by": "buyer", "price": 80}))
        round  seller  buyer  gap  accepts
            0     120     60   60
            1      80     90  -10  buyer
    """
    paths = {str(one["role"]): one.get("prices") for one in objects(data.get("offers"))}
    sellers, buyers = _prices(paths.get("seller")), _prices(paths.get("buyer"))
    count = max(len(sellers), len(buyers))
    if not count:
        return ""
    accepts = str(data.get("accepted_by") or "both") if data.get("price") is not None else ""
    hidden = count - 2 * ROWS_OF_EACH_END
    rounds = list(range(count))
    if hidden > 1:
        rounds = rounds[:ROWS_OF_EACH_END] + rounds[-ROWS_OF_EACH_END:]
    rows = [_row(t, sellers, buyers, accepts if t == count - 1 else "") for t in rounds]
    if hidden > 1:
        rows.insert(ROWS_OF_EACH_END, ("", "", "", "", f"({hidden} more rounds)"))
    return table(rows, ("round", "seller", "buyer", "gap", "accepts"))


def _prices(value: object) -> Sequence[Json]:
    return value if isinstance(value, (list, tuple)) else ()


def _row(
    t: int, sellers: Sequence[Json], buyers: Sequence[Json], accepts: str
) -> tuple[str, str, str, str, str]:
    asked = read_exact(sellers[t], "seller", "offer") if t < len(sellers) else None
    bid = read_exact(buyers[t], "buyer", "offer") if t < len(buyers) else None
    gap = ""
    if asked is not None and bid is not None:
        gap = show_number(like(to_fraction(asked) - to_fraction(bid), asked, bid))
    shown = ["" if one is None else show_number(one) for one in (asked, bid)]
    return str(t), shown[0], shown[1], gap, accepts


def _surpluses(data: JsonObject) -> str:
    zone = data.get("zopa")
    if data.get("price") is None or not isinstance(zone, Mapping):
        return ""
    names = {str(one["role"]): str(one["party"]) for one in objects(data.get("offers"))}
    rows = []
    for role in ("buyer", "seller"):
        share = data.get(f"{role}_share")
        part = f"{number_text(share)} of the zone" if share is not None else ""
        gains = f"gains {number_text(data.get(f'{role}_surplus'))}"
        rows.append((names.get(role, role), f"{gains}, {part}" if part else gains))
    low, high = number_text(zone.get("low")), number_text(zone.get("high"))
    rows.append(("zone", f"{low} to {high}, {number_text(data.get('zopa_width'))} wide"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{one_line(name):<{width}}  {what}" for name, what in rows)
