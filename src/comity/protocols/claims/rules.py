"""Rules: how does one desk give out what is claimed at it?

Here: the policy, how many units there are, how long a lease and a claim last, how waits are kept
from closing a circle; every fault at once; as JSON.
Not here: the policy's own faults and bounds (mechanisms/arbitration/policy.py).
Sources: SEMANTICS R1-R3, R7, L2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from comity.core.canonical import Json, JsonObject
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.mechanisms.arbitration import Policy

__all__ = ["Circles", "DeskRules", "desk_rules_from_json", "desk_rules_to_json"]

Circles = Literal["refuse", "wound_wait"]
"""What keeps waits from closing a circle: the claim that would close it is refused, or an older
claimant takes what a younger one holds, and the oldest waiter is next."""

_WOUNDS = (
    "the oldest claim is next (wound_wait): rule and priorities are not looked at, no bound "
    "holds, and who holds can lose it to an older claimant at any time; work that is longer than "
    "it is left alone can starve"
)

LONGEST_MS = 365 * 86_400_000
"""The longest lease, claim and gathering."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskRules:
    """How one desk works; recorded when it opens.

    Attributes:
        policy: who wins.
        capacity: how many units of each resource there are; one conflict gives out one unit.
        lease_ms: how long a lease lasts when the claim names no time, in milliseconds.
        claim_ms: how long a claim waits when it names no time, in milliseconds.
        gather_ms: how long claims on a free resource gather before one of them wins, in
            milliseconds; 0 gives it to the first at once.
        circles: what keeps waits from closing a circle.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> DeskRules(policy=Policy(c=2)).lease_ms
        60000
    """

    policy: Policy = field(default_factory=Policy)
    capacity: int = 1
    lease_ms: int = 60_000
    claim_ms: int = 60_000
    gather_ms: int = 0
    circles: Circles = "refuse"

    def __post_init__(self) -> None:
        faults = []
        policy: object = self.policy
        if not isinstance(policy, Policy):
            what = f"is {shown(policy)}"
            faults.append(Fault("policy", what, "a Policy", "write Policy(rule=..., c=...)"))
        for name, least in (("capacity", 1), ("lease_ms", 1), ("claim_ms", 1), ("gather_ms", 0)):
            value: object = getattr(self, name)
            if type(value) is not int or not least <= value <= LONGEST_MS:
                what = f"{name} is {shown(value)}"
                allowed = f"a whole number from {least} to {LONGEST_MS}"
                faults.append(Fault("desk", what, allowed, f"correct {name}"))
        if self.circles not in get_args(Circles):
            near = did_you_mean(str(self.circles), get_args(Circles))
            what = f"circles is {shown(self.circles)}"
            faults.append(Fault("desk", what, ", ".join(get_args(Circles)), near))
        if not faults and self.circles == "wound_wait" and self.capacity != 1:
            what = f"has {self.capacity} units under wound_wait"
            faults.append(Fault("desk", what, "one unit", "leave capacity or circles out"))
        raise_if(faults)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Who can starve, and what promises nothing here, in sentences."""
        found = [str(one) for one in self.policy.warnings]
        if self.circles == "wound_wait":
            found.append(_WOUNDS)
        return tuple(found)


def desk_rules_to_json(rules: DeskRules) -> JsonObject:
    """Return rules as JSON.

    Args:
        rules: the rules.

    Example:
        >>> desk_rules_to_json(DeskRules())["policy"]
        {'rule': 'losses'}
    """
    return {
        "policy": rules.policy.to_json(),
        "capacity": rules.capacity,
        "lease_ms": rules.lease_ms,
        "claim_ms": rules.claim_ms,
        "gather_ms": rules.gather_ms,
        "circles": rules.circles,
    }


def desk_rules_from_json(data: Mapping[str, Json]) -> DeskRules:
    """Read what :func:`desk_rules_to_json` wrote; what is missing has its default.

    Args:
        data: the object.

    Returns:
        The rules.

    Raises:
        InvalidInput: with every fault at once, also for names that mean nothing here.

    Example:
        >>> desk_rules_from_json({"policy": {"rule": "losses", "c": 2}}).policy.c
        2
    """
    known = desk_rules_to_json(DeskRules())
    faults = [
        Fault("desk", f"has {shown(name)}", ", ".join(known), did_you_mean(str(name), known))
        for name in data
        if name not in known
    ]
    given: dict[str, Any] = {name: data[name] for name in known if name in data}
    try:
        given["policy"] = Policy.from_json(data.get("policy", {}))
    except InvalidInput as error:
        faults.extend(error.faults)
        given["policy"] = Policy()
    try:
        rules = DeskRules(**given)
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    return rules
