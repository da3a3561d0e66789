"""Recording: how does your own code's decision get on record?

Here: one conflict that was decided elsewhere, in one call.
Not here: the desk it is kept at (arbiter.py), looking at it (watch/).
Sources: SEMANTICS R5, K1.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from comity.mechanisms.arbitration import Conflict
from comity.runner.arbiter import Arbiter

__all__ = ["record_conflict"]


def record_conflict(
    claims: object,
    winner: str | Iterable[str],
    resource: str = "resource",
    *,
    db: str | Path = "comity.db",
    desk: str = "claims",
    request_id: str | None = None,
) -> Conflict:
    """Record a conflict that your own code has decided, so that `comity watch` can look at it.

    Args:
        claims: who wanted it, with which priority: (agent, priority) pairs or a mapping.
        winner: who got it; one name or several.
        resource: what was wanted.
        db: the ledger's path or URL; it is made when it is not there.
        desk: the desk's name.
        request_id: the same for every retry, so that it counts once.

    Returns:
        The conflict, on disk.

    Raises:
        InvalidInput: with every fault at once; also for a winner that did not claim.

    Example:
        >>> record_conflict({"A": 3, "B": 1}, "A", "budget", db=":memory:").number
        1
    """
    with Arbiter(db, name=desk) as arbiter:
        return arbiter.record(claims, winner, resource, request_id=request_id)
