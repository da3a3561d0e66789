"""Steps: what came before, when one mechanism took over from another?

Here: the earlier steps of a result in one line each, the result without them, what a later step
decided.
Not here: each mechanism's own words (price.py, text.py, vote.py).
Sources: SEMANTICS G10 (every step in the result), G8.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from shlex import quote

from comity.core.canonical import Json, JsonObject
from comity.render.ink import Ink
from comity.render.price import joined, listed, objects, words
from comity.render.vote_facts import THIN

__all__ = ["before", "taken_over", "waiting", "without_steps"]

_STEPS = "steps"
_LAST_MS = 200_000_000_000_000  # beyond the year 8000 no calendar is asked


def without_steps(data: JsonObject) -> tuple[dict[str, Json], tuple[JsonObject, ...]]:
    """Return a result without the steps before it, and those steps.

    Args:
        data: what ``to_json`` of a result returned.

    Example:
        >>> without_steps({"kind": "choice", "grounds": {"parameters": [["steps", [{"a": 1}]]]}})
        ({'kind': 'choice', 'grounds': {'parameters': []}}, ({'a': 1},))
    """
    grounds = data.get("grounds")
    if not isinstance(grounds, Mapping):
        return dict(data), ()
    listed_ = grounds.get("parameters")
    pairs = listed_ if isinstance(listed_, (list, tuple)) else ()
    steps: list[JsonObject] = []
    kept: list[Json] = []
    for pair in pairs:
        if isinstance(pair, (list, tuple)) and len(pair) == 2 and pair[0] == _STEPS:
            steps.extend(objects(pair[1]))
        else:
            kept.append(pair)
    if not steps:
        return dict(data), ()
    return {**data, "grounds": {**grounds, "parameters": kept}}, tuple(steps)


def before(steps: tuple[JsonObject, ...], ink: Ink) -> str:
    """Return the earlier steps as a list; "" without any.

    Args:
        steps: what `without_steps` took out.
        ink: how it may be dressed.

    Example:
        >>> steps = ({"step": "bargain", "outcome": {"kind": "no_deal", "reason": "deadline"}},)
        >>> print(before(steps, Ink()))
        What came before
          - bargain: no deal (deadline)
    """
    lines = []
    for one in steps:
        outcome = one.get("outcome")
        ended: Mapping[str, Json] = outcome if isinstance(outcome, Mapping) else {}
        kind = str(ended.get("kind", "")).replace("_", " ")
        reason = str(ended.get("reason") or "").replace("_", " ")
        said = ended.get("says") or (f"{kind} ({reason})" if reason else kind)
        lines.append(f"{one.get('step')}: {said}")
    return listed("What came before", lines, ink)


def taken_over(data: JsonObject, ink: Ink) -> str:
    """Return what a person, a lot, a chair or the status quo decided in place of a mechanism.

    Args:
        data: a choice whose rule is ``otherwise:…``.
        ink: how it may be dressed.

    Example:
        >>> print(taken_over({"option": "no deal", "grounds": {"ended_by": "person"}}, Ink()))
        no deal, decided by person.
    """
    grounds = data.get("grounds")
    known: Mapping[str, Json] = grounds if isinstance(grounds, Mapping) else {}
    told = dict(_pairs(known.get("parameters")))
    means = f"\n  {told['means']}" if told.get("means") else ""
    return ink.bold(f"{data.get('option')}, decided by {known.get('ended_by')}.") + means


def _pairs(value: object) -> list[tuple[str, Json]]:
    pairs = value if isinstance(value, (list, tuple)) else ()
    return [(str(one[0]), one[1]) for one in pairs if isinstance(one, (list, tuple)) and one[1:]]


def waiting(data: JsonObject, ink: Ink) -> str:
    """Say who has to act, why, until when, and how it stands.

    Args:
        data: what ``to_json`` of a waiting result returned; ``session`` and ``ledger`` beside it
            say where it can be decided.
        ink: how it may be dressed.

    Example:
        >>> print(waiting({"whom": ["lead"], "until_ms": 0, "unblock": ["lead answers"]}, Ink()))
        Waits for lead until 1970-01-01 00:00 UTC.
        <BLANKLINE>
        How to go on
          - lead answers
    """
    grounds = data.get("grounds")
    known: Mapping[str, Json] = grounds if isinstance(grounds, Mapping) else {}
    whom = ", ".join(words(data.get("whom"))) or "somebody"
    until, when = data.get("until_ms"), ""
    if isinstance(until, int) and 0 <= until < _LAST_MS:
        when = f" until {datetime.fromtimestamp(until / 1000, tz=UTC):%Y-%m-%d %H:%M} UTC"
    scores = [f"{one.get('name')}: {one.get('value')}" for one in objects(known.get("scores"))]
    session, ledger = data.get("session"), data.get("ledger")
    command = f"comity decide {session} CHOICE" + (f" --db {quote(str(ledger))}" if ledger else "")
    how = [command] if session and data.get("reason") == "human" else []
    return joined(
        [
            ink.bold(f"Waits for {whom}{when}."),
            listed("How it stands", scores, ink),
            listed("Why", [THIN.get(one, one) for one in words(known.get("thin"))], ink),
            listed("How to go on", [*words(data.get("unblock")), *how], ink),
        ]
    )
