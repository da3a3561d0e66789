"""Text: how does a result read on a terminal?

Here: one result in words, by its form, with what would unblock it.
Not here: prices (price.py), several issues (issues.py), votes (vote.py), sales (auction.py),
budgets (share.py), waits (deadlock.py), lists of sessions and entries (listing.py), the whole
account of why (account.py).
Sources: SEMANTICS C5, C6, G1, G2, G8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from comity.core.canonical import Json, JsonObject
from comity.core.errors import one_line
from comity.core.show import as_text
from comity.render.auction import auction_text
from comity.render.deadlock import deadlock_text
from comity.render.ink import Ink
from comity.render.issues import issues_text
from comity.render.price import joined, listed, objects, price_text, sentence, words
from comity.render.review import review_text
from comity.render.share import share_text
from comity.render.steps import before, taken_over, waiting, without_steps
from comity.render.vote import vote_text

__all__ = ["result_text"]


def result_text(data: JsonObject, ink: Ink) -> str:
    """Return a result as a person reads it.

    Args:
        data: what ``to_json`` of a result returned.
        ink: how it may be dressed.

    Returns:
        The sentence first, then tables and lists; several lines.

    Example:
        >>> print(result_text({"kind": "choice", "option": "B", "grounds": {}}, Ink()))
        choice
          option: B
    """
    found, steps = without_steps(data)
    return joined([_own_text(found, ink), before(steps, ink)])


def _own_text(data: JsonObject, ink: Ink) -> str:
    """Return a result by its form."""
    form = data.get("form")
    grounds = data.get("grounds")
    rule = str(grounds.get("rule", "")) if isinstance(grounds, Mapping) else ""
    if form == "price":
        return price_text(data, ink)
    if form == "issues":
        return issues_text(data, ink)
    if form == "consent":
        return _consent(data, ink)
    if data.get("kind") == "waiting":
        return waiting(data, ink)
    if data.get("kind") == "choice" and rule.startswith("otherwise:"):
        return taken_over(data, ink)
    if form == "vote":
        return vote_text(data, ink)
    return _BY_FORM.get(str(form), _plainly)(data, ink)


def _plainly(data: JsonObject, ink: Ink) -> str:
    del ink
    return as_text(data)


_BY_FORM: dict[str, Callable[[JsonObject, Ink], str]] = {
    "auction": auction_text,
    "budget": share_text,
    "deadlock": deadlock_text,
    "review": review_text,
}
"""Forms that decide at once -> how they read."""


def _consent(data: JsonObject, ink: Ink) -> str:
    record = data.get("record")
    facts: Mapping[str, Json] = record if isinstance(record, Mapping) else {}
    draft = words(facts.get("draft"))
    flags = listed("Worth a second look", words(facts.get("flags")), ink)
    if data.get("kind") == "agreement":
        decision = listed("Decision", draft, ink, mark="1")
        return joined([sentence(data, ink), decision, _kept(facts, ink), flags])
    version = facts.get("version")
    return joined(
        [
            sentence(data, ink),
            listed("Red lines that cannot be kept together", words(data.get("conflict")), ink),
            listed(f"Closest draft (version {version}, not agreed)", draft, ink, mark="1"),
            listed("Objections", map(_objection, objects(facts.get("objections"))), ink),
            listed("What would unblock it", words(data.get("unblock")), ink),
            flags,
        ]
    )


def _kept(facts: Mapping[str, Json], ink: Ink) -> str:
    """Return the red lines that code checked, each with how it is kept."""
    lines = [
        one_line(f"{one.get('party')}: {one.get('text')}, kept: {one.get('kept')}")
        for one in objects(facts.get("red_lines"))
        if one.get("checked_by") == "code"
    ]
    return listed("Red lines, checked by code", lines, ink)


def _objection(one: Mapping[str, Json]) -> str:
    return one_line(f"{one.get('party')} to version {one.get('version')}: {one.get('reason')}")
