"""Answers: what became of a claim, as its claimant is told?

Here: the answer of a desk.
Not here: the report on a whole conflict (mechanisms/arbitration/results.py).
Sources: SEMANTICS G1, G2, R2, R7.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from comity.core.canonical import JsonObject, plain
from comity.core.exact import Exact, read_exact

__all__ = ["Answer", "Status"]

Status = Literal["granted", "waiting", "ended", "lapsed", "withdrawn", "refused"]

_KINDS: dict[Status, str] = {"granted": "grant", "waiting": "waiting"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What became of one claim, lease or request.

    Attributes:
        status: ``granted`` while its lease runs; ``waiting`` while it stands; ``ended``: the lease
            is over; ``lapsed``: nobody waited for the claim any more; ``withdrawn``; ``refused``.
        resource: what is claimed.
        agent: who claims.
        number: the number of the claim at this desk; 0 when there is none.
        token: the fencing token of the lease, or None.
        until_ms: when the lease, or a waiting claim, ends; in milliseconds since 1970.
        conflict: the number of the conflict it won, or None.
        losses: what its rule has counted for it so far.
        picked_up: whether its claimant has been told of the lease that runs.
        holders: who holds the resource, sorted.
        rivals: who else waits for it, sorted.
        cycle: who would wait for whom in a circle, when that is why it is refused.
        successors: who has won it next, when this answers its release.
        says: the answer in one sentence.
    """

    status: Status
    resource: str
    agent: str
    number: int = 0
    token: int | None = None
    until_ms: int | None = None
    conflict: int | None = None
    losses: Exact = 0
    picked_up: bool = False
    holders: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    cycle: tuple[str, ...] = ()
    successors: tuple[str, ...] = ()
    says: str = ""

    @property
    def kind(self) -> str:
        """The kind of result it is: ``grant``, ``waiting`` or ``no_decision``."""
        return _KINDS.get(self.status, "no_decision")

    @property
    def is_granted(self) -> bool:
        """Whether the claimant holds the resource."""
        return self.status == "granted"

    def __str__(self) -> str:
        """Return the sentence."""
        return self.says

    def to_json(self) -> JsonObject:
        """Return every field, and the kind."""
        return {
            "kind": self.kind,
            "status": self.status,
            "resource": self.resource,
            "agent": self.agent,
            "number": self.number,
            "token": self.token,
            "until_ms": self.until_ms,
            "conflict": self.conflict,
            "losses": plain(self.losses),
            "picked_up": self.picked_up,
            "holders": list(self.holders),
            "rivals": list(self.rivals),
            "cycle": list(self.cycle),
            "successors": list(self.successors),
            "says": self.says,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Answer:
        """Read what ``to_json`` wrote.

        Args:
            data: the object.

        Example:
            >>> one = Answer(status="ended", resource="gpu", agent="a", holders=("b",))
            >>> Answer.from_json(one.to_json()) == one
            True
        """
        kept = {name: one for name, one in data.items() if name != "kind"}
        lists = {name: tuple(one) for name, one in kept.items() if isinstance(one, list)}
        losses = read_exact(data["losses"], "answer", "losses")
        return cls(**{**kept, **lists, "losses": losses})
