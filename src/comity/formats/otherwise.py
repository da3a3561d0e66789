"""Otherwise: what does a file say about what follows when nothing is decided?

Here: the schema of ``otherwise`` and ``then`` in every kind of file, and their reader.
Not here: what follows (protocols/collect/following.py).
Sources: SEMANTICS G10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault
from comity.formats.schema import Schema
from comity.formats.vote_settings import SETTINGS, VOTERS, gate_of, settings_of
from comity.protocols.collect.following import STEPS, Following

__all__ = ["PROPERTIES", "Next", "next_of"]

_OF_THE_CASE = {"options", "default_option", "human"}

PROPERTIES: dict[str, Schema] = {
    "otherwise": {
        "type": "array",
        "items": {"enum": list(STEPS)},
        "description": "what takes over when nothing is decided, in order",
    },
    "then": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "question": {"type": "string", "description": "what is asked then"},
            "voters": VOTERS,
            "resolve": {"type": "string", "description": "lot, status_quo or chair:PARTY"},
            **{name: one for name, one in SETTINGS.items() if name not in _OF_THE_CASE},
        },
        "description": "how it takes over: who votes and by which rule, who resolves",
    },
}
"""The two keys, for the schema of any kind of file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Next:
    """What a file says about it.

    Attributes:
        rules: what joins the recorded rules: nothing, or the one entry ``otherwise``.
        agents: voter -> how the file seats it, for voters who have no seat before.
    """

    rules: JsonObject
    agents: Mapping[str, str]


def next_of(
    data: Mapping[str, Any], *, seats: Sequence[str], question: str, seed: str, whose: str
) -> tuple[Next, list[Fault]]:
    """Read ``otherwise`` and ``then``.

    Args:
        data: the file's data, already of the right shape.
        seats: who votes when nobody else is named.
        question: what is asked when nothing else is said.
        seed: the seed of the lots.
        whose: the file's name.

    Returns:
        What it says, and every fault.

    Example:
        >>> told, faults = next_of(
        ...     {"otherwise": ["resolve"], "then": {"resolve": "status_quo"}},
        ...     seats=["CC", "CX"],
        ...     question="q",
        ...     seed="1",
        ...     whose="x",
        ... )
        >>> told.rules["otherwise"]["resolve"], faults
        ('status_quo', [])
    """
    then = dict(data.get("then", {}))
    if "otherwise" not in data:
        what = "says [then] without otherwise"
        allowed = 'otherwise = ["vote", "resolve", "human"], or some of these'
        faults = [Fault(whose, what, allowed, "add otherwise")] if then else []
        return Next(rules={}, agents={}), faults
    if "deadline_s" in data:  # a vote that follows a vote is open as long, unless it says so
        then.setdefault("deadline_s", data["deadline_s"])
    voters = then.get("voters", list(seats))
    agents: dict[str, str] = {}
    doubled: list[Fault] = []
    told: dict[str, Any] = {}
    for name in voters:
        own = dict(voters[name]) if isinstance(voters, Mapping) else {}
        if "agent" in own:
            agents[name] = own.pop("agent")
            if name in seats and data.get("kind") != "bargain":
                what = f"seats {name!r} anew, who has a seat before"
                next_step = f"leave the agent of {name!r} out"
                doubled.append(
                    Fault(f"{whose} then.voters", what, "one seat for all steps", next_step)
                )
        told[name] = own
    settings = settings_of(then)
    limits = settings.pop("limits")
    settings.pop("gate")
    following = Following(
        steps=tuple(data["otherwise"]),
        question=str(then.get("question") or question),
        seed=seed,
        voters=told if "vote" in data["otherwise"] else {},
        settings=settings,
        limits=limits,
        resolve=then.get("resolve", "lot"),
        gate=gate_of(then),
    )
    rules = {"otherwise": plain(following.to_json())}
    return Next(rules=rules, agents=agents), [*doubled, *following.faults()]
