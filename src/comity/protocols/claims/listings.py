"""Listings: who claimed, where an entry holds only what has changed since the one before?

Here: the claims of the last conflict over each resource that had more than a hundred; what has
changed since; the whole list again.
Not here: the other fields of a conflict (events.py), the bound of a hundred
(mechanisms/arbitration/entries.py).
Sources: SEMANTICS R2 (above 100 claimants the stored entry holds deltas).

A claim is kept as the ledger keeps it, without its agent: priority, and arrival and bid where it
has them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.arbitration.entries import MOST_LISTED

__all__ = ["Listings"]

_Kept = dict[str, list[Any]]


class Listings:
    """The claims of the last conflict over each resource that had many.

    Example:
        >>> many = {f"a{n}": [1] for n in range(101)}
        >>> listings = Listings()
        >>> listings.changes("gpu", many) is None
        True
        >>> rows = [[agent, 1, 0] for agent in many]
        >>> listings.note({"resource": "gpu", "number": 1, "claims": rows})
        >>> listings.changes("gpu", {**many, "b": [2]})["changed"]
        [['b', 2]]
    """

    __slots__ = ("_last",)

    def __init__(self) -> None:
        """Know of nothing."""
        self._last: dict[str, tuple[int, _Kept]] = {}

    def changes(self, resource: str, claims: Mapping[str, list[Any]]) -> dict[str, Json] | None:
        """Return what an entry says instead of its claims; None when it has to list them.

        Args:
            resource: what is claimed.
            claims: agent -> its claim, as it is kept.
        """
        if len(claims) <= MOST_LISTED or resource not in self._last:
            return None
        number, before = self._last[resource]
        return {
            "since": number,
            "count": len(claims),
            "changed": [
                [agent, *one] for agent, one in claims.items() if before.get(agent) != one
            ],
            "left": sorted(before.keys() - claims.keys()),
        }

    def rows(self, body: Mapping[str, Any]) -> list[list[Any]]:
        """Return the claims of an entry that holds changes, each with its agent, sorted.

        Args:
            body: the entry's body.

        Raises:
            InvalidInput: when it builds on a conflict that is not the last.
        """
        _, before = self._before(body)
        left = set(body["left"])
        claims = {agent: one for agent, one in before.items() if agent not in left}
        claims.update((agent, list(one)) for agent, *one in body["changed"])
        return [[agent, *one] for agent, one in sorted(claims.items())]

    def note(self, body: Mapping[str, Any]) -> None:
        """Take in the claims of a conflict.

        Args:
            body: its body, with all of them or with what has changed.

        Raises:
            InvalidInput: as :meth:`rows`.
        """
        resource, number = body["resource"], body["number"]
        if "claims" not in body:
            _, claims = self._before(body)
            for agent in body["left"]:
                claims.pop(agent, None)
            claims.update((agent, list(one)) for agent, *one in body["changed"])
            self._last[resource] = number, claims
        elif len(body["claims"]) > MOST_LISTED:
            self._last[resource] = (
                number,
                {agent: [priority, *more] for agent, priority, _, *more in body["claims"]},
            )
        else:
            self._last.pop(resource, None)

    def to_json(self) -> list[Json]:
        """Return everything, sorted by resource."""
        return [
            [resource, number, [[agent, *one] for agent, one in sorted(claims.items())]]
            for resource, (number, claims) in sorted(self._last.items())
        ]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Listings:
        """Read what ``to_json`` wrote.

        Args:
            data: the list.
        """
        made = cls()
        for resource, number, rows in data:
            made._last[resource] = number, {agent: list(one) for agent, *one in rows}
        return made

    def _before(self, body: Mapping[str, Any]) -> tuple[int, _Kept]:
        resource, since = body["resource"], body["since"]
        found = self._last.get(resource)
        if found is None or found[0] != since:
            whose = f"conflict {body['number']} over {resource}"
            what = f"builds on conflict {since}, which is not the last before it"
            step = "run verify; restore a copy if it is not whole"
            raise InvalidInput(Fault(whose, what, "a whole record", step))
        return found
