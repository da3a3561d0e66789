"""Events: what does the ledger keep of a desk?

Here: the kinds of events and their bodies, a conflict as a body and back.
Not here: what an event changes (desk.py), hashes and storage (ledger/).
Sources: SEMANTICS R1, R2, K1, K2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from comity.core.canonical import Json, JsonObject, plain
from comity.core.exact import Exact, read_exact
from comity.mechanisms.arbitration import Conflict
from comity.mechanisms.arbitration.choosing import tidy
from comity.mechanisms.arbitration.entries import MOST_LISTED
from comity.protocols.claims.listings import Listings

__all__ = [
    "ANSWERED",
    "CLAIMED",
    "CLOCK",
    "CONFIRMED",
    "CONFLICT",
    "ENDED",
    "HANDED",
    "OPENED",
    "REFUSED",
    "RENEWED",
    "STATE",
    "WITHDRAWN",
    "Event",
    "conflict_body",
    "conflict_of",
]

OPENED = "desk"
CLAIMED = "claimed"
WITHDRAWN = "withdrawn"
CONFLICT = "conflict"
HANDED = "handed"
CONFIRMED = "confirmed"
"""Its claimant has been told of a lease that it won while it waited."""
RENEWED = "renewed"
ENDED = "ended"
REFUSED = "refused"
ANSWERED = "answered"
"""A request that changed nothing was answered; it is kept so that its retry is told the same."""
CLOCK = "clock"
"""The clock of a machine is new at the desk, or is off otherwise than before."""
STATE = "desk-state"
"""Holds the whole state of a desk, so that a process that starts need not read from the first
entry; the state is still the fold of the other entries."""


class Event(NamedTuple):
    """One thing that happened at a desk.

    Attributes:
        kind: one of the kinds above.
        body: what the ledger keeps of it.
    """

    kind: str
    body: JsonObject


def conflict_body(
    conflict: Conflict,
    *,
    seed: str | None,
    leases: tuple[tuple[str, int, int], ...] = (),
    listings: Listings | None = None,
) -> JsonObject:
    """Return what the ledger keeps of a conflict.

    Args:
        conflict: how it was decided.
        seed: the seed of its lots; None for a conflict that was decided elsewhere.
        leases: (agent, token, until in milliseconds) of the leases that came with it.
        listings: the claims of the conflicts before it; above 100 claimants only what has changed
            since is kept, and losses are left to the state.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 9), ("b", 5)), (0, 0), (("a",),), ("a",))
        >>> conflict_body(one, seed="7")["claims"]
        [['a', 9, 0], ['b', 5, 0]]
    """
    body: dict[str, Json] = {
        "number": conflict.number,
        "resource": conflict.resource,
        **_claims(conflict, listings),
        "stages": [list(stage) for stage in conflict.stages],
        "winners": list(conflict.winners),
        "seed": seed,
    }
    if conflict.at is not None:
        body["at"] = plain(conflict.at)
    if leases:
        body["leases"] = [list(one) for one in leases]
    return body


def _claims(conflict: Conflict, listings: Listings | None) -> dict[str, Json]:
    """Return the claims as they are kept: each with what was counted, or what has changed."""
    if listings is not None and len(conflict.claims) > MOST_LISTED:
        claims = {one[0]: [plain(part) for part in one[1:]] for one in conflict.claims}
        changes = listings.changes(conflict.resource, claims)
        if changes is not None:
            return changes
    marks = conflict.marks or (None,) * len(conflict.claims)
    return {
        "claims": [
            [claim[0], plain(claim[1]), plain(mark), *map(plain, claim[2:])]
            for claim, mark in zip(conflict.claims, marks, strict=True)
        ]
    }


def conflict_of(body: Mapping[str, Any], listings: Listings | None = None) -> Conflict:
    """Return the conflict that a body keeps.

    Args:
        body: what :func:`conflict_body` returned.
        listings: the claims of the conflicts before it. Without them a body that keeps changes
            alone (it has a ``count``) gives only the claims it names.

    Raises:
        InvalidInput: when it builds on a conflict that is not the last.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 9), ("b", 5)), (0, 1), (("a",),), ("a",))
        >>> conflict_of(conflict_body(one, seed="7")) == one
        True
    """
    if "claims" in body:
        rows = body["claims"]
    else:
        named = sorted(body["changed"]) if listings is None else listings.rows(body)
        rows = [[agent, priority, None, *more] for agent, priority, *more in named]
    marks = () if any(row[2] is None for row in rows) else tuple(_number(row[2]) for row in rows)
    return Conflict(
        body["number"],
        body["resource"],
        tuple((row[0], _number(row[1]), *map(_number_or_none, row[3:])) for row in rows),
        marks,
        tuple(tuple(stage) for stage in body["stages"]),
        tuple(body["winners"]),
        _number_or_none(body.get("at")),
    )


def _number(value: object) -> Exact:
    return value if type(value) is int else tidy(read_exact(value, "conflict", "number"))


def _number_or_none(value: object) -> Exact | None:
    return None if value is None else _number(value)
