"""Claims period: which part of a claims log lies in a period?

Here: a log cut by time into what came before, in and after a period.
Not here: times from text (instants.py), the log (claims_log.py).
Sources: SEMANTICS R5, R6 ("of any period").

Rows of losses go by the order of conflicts, and machines whose clocks lie apart write times that
go back and forth. So the order is cut, once for each end, and nothing is taken out of its middle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact
from comity.formats.claims_log import ClaimsLog

__all__ = ["place_of", "within"]


def place_of(times: Sequence[Exact | None], moment: Exact) -> int:
    """Return how many come before a moment, in their order.

    Args:
        times: in the order of what happened, not always of time; None where one is missing.
        moment: seconds since 1970.

    Returns:
        The place of the cut that leaves the fewest times on the wrong side, the first of several.

    Example:
        >>> place_of([0, 10, 20], 10), place_of([0, 90, 5, 10, 20], 15)
        (1, 4)
    """
    wrong = least = place = 0
    for at, one in enumerate(times, 1):
        if one is not None:
            wrong += 1 if one >= moment else -1
            if wrong < least:
                least, place = wrong, at
    return place


def within(log: ClaimsLog, since: Exact | None = None, until: Exact | None = None) -> ClaimsLog:
    """Return the part of a log that lies in a period.

    Args:
        log: the log.
        since: the first moment that counts, or None.
        until: the first moment that no longer counts, or None.

    Returns:
        The part: conflicts that follow each other, cut as :func:`place_of` says.

    Raises:
        InvalidInput: when nothing is left, or no conflict has a time.

    Example:
        >>> from comity.mechanisms.arbitration import Conflict
        >>> rows = [Conflict(n, "gpu", (("a", 1),), at=at) for n, at in enumerate([0, 20, 10, 30])]
        >>> [one.at for one in within(ClaimsLog(conflicts=tuple(rows)), 15).conflicts]
        [20, 10, 30]
    """
    if since is None and until is None:
        return log
    times = [one.at for one in log.conflicts]
    is_timed = any(one is not None for one in times)
    first = 0 if since is None else place_of(times, since)
    end = len(times) if until is None else place_of(times, until)
    if first >= end or not is_timed:
        what = f"keep none of {len(times)} conflicts"
        allowed = "a period in which something was claimed"
        raise InvalidInput(Fault("--since and --until", what, allowed, "choose another period"))

    def counts(at: Exact) -> bool:
        return (since is None or at >= since) and (until is None or at < until)

    return replace(
        log,
        conflicts=log.conflicts[first:end],
        policies=log.policies[first:end],
        gains=tuple(one for one in log.gains if counts(one.at)),
        beside=tuple(one for one in log.beside if counts(one.at)),
        by_others=_by_others(log, first, end),
    )


def _by_others(log: ClaimsLog, first: int, end: int) -> int:
    """Return how many conflicts of a part others decided; hand-overs nobody decided."""
    if not log.policies:
        return min(log.by_others, end - first)
    pairs = zip(log.conflicts[first:end], log.policies[first:end], strict=True)
    return sum(policy is None and one.number >= 0 for one, policy in pairs)
