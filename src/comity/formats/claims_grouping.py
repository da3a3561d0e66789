"""Claims grouping: which conflicts belong together?

Here: numbers of conflicts in their scope, the hints for a log whose conflicts look torn apart.
Not here: reading files (claims_log.py), scopes by patterns (claims_scopes.py), what a scope means
to a rule (mechanisms/arbitration).
Sources: SEMANTICS R2 (the scope is a named field), R5.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from comity.mechanisms.arbitration.engine import Conflict

__all__ = ["hints_of", "numbered"]

_ENOUGH = 5  # fewer conflicts say nothing of how a log is made


def numbered(
    conflicts: Iterable[Conflict], scopes: Mapping[str, str] | None = None
) -> Iterator[Conflict]:
    """Yield conflicts with their scope for the resource, numbered from 1 in each scope.

    Args:
        conflicts: in order of time.
        scopes: resource -> scope; a resource that is not there is its own.

    Yields:
        The conflicts; those of one scope at one time have one number: together they count once.

    Example:
        >>> rows = [Conflict(0, name, (("a", 1),), at=1) for name in ("gpu-1", "gpu-2", "tpu")]
        >>> found = numbered(rows, {"gpu-1": "gpu", "gpu-2": "gpu"})
        >>> [(one.resource, one.number) for one in found]
        [('gpu', 1), ('gpu', 1), ('tpu', 1)]
    """
    known = scopes or {}
    last: dict[str, tuple[int, object, str]] = {}
    for one in conflicts:
        scope = known.get(one.resource, one.resource)
        number, at, resource = last.get(scope, (0, None, ""))
        if not (number and one.at is not None and one.at == at and one.resource != resource):
            number += 1
        last[scope] = number, one.at, one.resource
        yield one._replace(number=number, resource=scope)


def hints_of(
    conflicts: Sequence[Conflict], *, has_window: bool = False, has_scopes: bool = False
) -> tuple[str, ...]:
    """Return why conflicts may belong together that were read apart.

    Args:
        conflicts: the conflicts.
        has_window: whether claims at different times were put together.
        has_scopes: whether resources were put together.

    Returns:
        A sentence for most conflicts having one claimant, and one for resources that occur once.

    Example:
        >>> rows = [Conflict(1, f"slot-{n}", (("a", 1), ("b", 1)), at=n) for n in range(9)]
        >>> print(hints_of(rows)[0])
        9 of 9 resources occur once, so that no row of losses is seen: if they are one thing, \
give --scope 'slot-*'
    """
    many = len(conflicts)
    if many < _ENOUGH:
        return ()
    found = []
    single = sum(len(one.claims) == 1 for one in conflicts)
    agents = {one.claims[0][0] for one in conflicts if one.claims}
    if 2 * single > many and len(agents) > 1:
        told = f"{single} of {many} conflicts have one claimant, so that nobody loses there"
        how = "a wider --window" if has_window else "--window, such as --window 5m"
        found.append(f"{told}: if claims on one thing come at different times, give {how}")
    names = {one.resource for one in conflicts}
    if 10 * len(names) >= 9 * many and not has_scopes:
        common = _begin_alike(names).rstrip("0123456789")
        told = f"{_once(conflicts)} of {len(names)} resources occur once"
        why = "so that no row of losses is seen: if they are one thing, give --scope"
        found.append(f"{told}, {why} '{common}*'")
    return tuple(found)


def _begin_alike(names: Collection[str]) -> str:
    """Return how all names begin."""
    letters = zip(min(names), max(names), strict=False)  # all others lie between these two
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], letters))


def _once(conflicts: Sequence[Conflict]) -> int:
    counted: dict[str, int] = {}
    for one in conflicts:
        counted[one.resource] = counted.get(one.resource, 0) + 1
    return sum(many == 1 for many in counted.values())
