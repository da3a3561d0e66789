"""Share text: how does one budget that was shared read on a terminal?

Here: the sentence, who gets how much and gains what, what the last and the next unit of money
bring, the same budget under other rules, or what is missing where minima do not fit.
Not here: the sharing (mechanisms/sharing), its drawing (share_chart.py).
Sources: SEMANTICS D1-D3, G1, G8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.exact import read_exact
from comity.core.show import table
from comity.render.counted import counted
from comity.render.ink import Ink
from comity.render.price import joined, listed, number_text, objects, words

__all__ = ["MOST_ROWS", "share_text"]

MOST_ROWS = 40
"""Agents that a table shows."""

_RULES = {
    "first_come": "first come",
    "equal_split": "equal split",
    "static_priority": "static priority",
}
_OBJECTIVES = {
    "nash": "no other split into whole units raises the product of the gains",
    "utilitarian": "no other split into whole units raises the sum of the gains",
    "leximin": "no other split into whole units raises the smallest gain, then the next",
}
_SHADOW = {
    "utilitarian": "what the last unit of money brought",
    "nash": "what the last unit of money brought, relative to what its agent gains",
    "leximin": "how far the last unit of money raised the smallest gain",
}


def share_text(data: JsonObject, ink: Ink) -> str:
    """Return an allocation of a budget, or that there is none, as a person reads it.

    Args:
        data: what ``to_json`` of the result returned.
        ink: how it may be dressed.

    Returns:
        Several paragraphs.

    Example:
        >>> print(share_text({"kind": "no_decision", "says": "No allocation: ..."}, Ink()))
        No allocation: ...
    """
    grounds = data.get("grounds")
    thin = words(grounds.get("thin")) if isinstance(grounds, Mapping) else []
    said = one_line(str(data.get("says") or data.get("kind")))
    return joined(
        [
            (ink.good if data.get("kind") == "allocation" else ink.warn)(said),
            _agents(data),
            _margins(data, ink),
            _minima(data),
            listed("What would unblock it", words(data.get("unblock")), ink),
            _beside(data, "shares", "what each would get", ink),
            _beside(data, "gains", "what each would gain", ink),
            listed("Notes", [*words(data.get("notes")), *_orders(data)], ink),
            listed("Worth a second look", thin, ink),
        ]
    )


def _agents(data: JsonObject) -> str:
    """Return who gets and gains how much."""
    found = objects(data.get("rows"))
    has_charges = any(one.get("charge") is not None for one in found)
    head = ["agent", "share", "gain", "last unit", "next unit", *(["charge"] * has_charges)]
    keys = ["share", "gain", "last_gain", "next_gain", *(["charge"] * has_charges)]
    rows = [
        [one_line(str(one.get("agent"))), *(number_text(one.get(key)) for key in keys)]
        for one in found[:MOST_ROWS]
    ]
    if len(found) > MOST_ROWS:
        rows.append([f"({counted(len(found) - MOST_ROWS, 'more agent')})", *[""] * len(keys)])
    return table(rows, head) if rows else ""


def _margins(data: JsonObject, ink: Ink) -> str:
    """Return what holds at this split, and what money is worth here."""
    objective = str(data.get("objective"))
    if data.get("kind") != "allocation":
        return ""
    lines = [_OBJECTIVES.get(objective, objective)]
    if data.get("measure") == "share_of_best":
        lines[0] += ", each as a share of what the agent would gain from the whole budget"
    if not data.get("is_unique", True):
        lines.append("other splits are as good")
    if data.get("shadow_price") is not None:
        told = _SHADOW.get(objective, _SHADOW["utilitarian"])
        lines.append(f"shadow price {number_text(data.get('shadow_price'))}: {told}")
    if data.get("next_best") is not None:
        lines.append(f"the next unit would bring {number_text(data.get('next_best'))}")
    if data.get("total_gain") is not None:
        lines.append(f"gain of all together {number_text(data.get('total_gain'))}")
    left = data.get("leftover")
    if left is not None and read_exact(left, "result", "leftover"):
        lines.append(f"{number_text(left)} is left: nobody can use it")
    return listed("Why", lines, ink)


def _minima(data: JsonObject) -> str:
    found = objects(data.get("minima"))
    if not found:
        return ""
    rows = [(one_line(str(one.get("name"))), number_text(one.get("value"))) for one in found]
    hidden = len(rows) - MOST_ROWS
    more = [(f"({counted(hidden, 'more agent')})", "")] if hidden > 0 else []
    last = [
        ("budget", number_text(data.get("budget"))),
        ("short by", number_text(data.get("shortfall"))),
    ]
    return table([*rows[:MOST_ROWS], *more, *last], ("agent", "at least"))


# --- beside ----------------------------------------------------------------------------------


def _beside(data: JsonObject, key: str, title: str, ink: Ink) -> str:
    """Return shares or gains under each rule, side by side with those of the allocation."""
    rules = objects(data.get("beside"))
    own = objects(data.get("rows"))
    if not rules or not own:
        return ""
    ours = {"shares": "share", "gains": "gain"}[key]
    columns = [{str(one.get("agent")): one.get(ours) for one in own}]
    columns += [
        {str(one.get("name")): one.get("value") for one in objects(rule.get(key))}
        for rule in rules
    ]
    names = [str(one.get("agent")) for one in own]
    rows = [
        [one_line(name), *(number_text(column.get(name)) for column in columns)]
        for name in names[:MOST_ROWS]
    ]
    if len(names) > MOST_ROWS:
        rows.append([f"({counted(len(names) - MOST_ROWS, 'more agent')})", *[""] * len(columns)])
    totals = [data.get("total_gain"), *(rule.get("total_gain") for rule in rules)]
    if key == "gains" and totals[0] is not None:
        rows.append(["together", *map(number_text, totals)])
    head = ["agent", str(data.get("objective")), *map(_rule, rules)]
    return f"{ink.bold(f'The same budget under other rules: {title}')}\n{table(rows, head)}"


def _rule(one: Mapping[str, Json]) -> str:
    return _RULES.get(str(one.get("rule")), one_line(str(one.get("rule"))))


def _orders(data: JsonObject) -> list[str]:
    """Return who would be served in which order, where a rule beside has an order."""
    lines = []
    for one in objects(data.get("beside")):
        order = one.get("order")
        groups: Sequence[Json] = order if isinstance(order, (list, tuple)) else ()
        told = ", then ".join(" with ".join(words(group)) for group in groups[:MOST_ROWS])
        drawn = "by lot" if one.get("drawn") else "as stated"
        if told:
            lines.append(f"{_rule(one)}: {told} ({drawn})")
        elif one.get("drawn"):
            lines.append(f"{_rule(one)}: equals by lot")
    return lines
