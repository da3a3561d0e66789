"""Claims scopes: which resources of a log are one thing?

Here: resources put into scopes by patterns such as ``slot-*``.
Not here: the column ``scope`` (claims_rows.py), numbers and hints (claims_grouping.py).
Sources: SEMANTICS R2 (the scope is a named field), R5.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import translate

from comity.core.errors import Fault, did_you_mean, raise_if
from comity.formats.claims_grouping import hints_of, numbered
from comity.formats.claims_log import ClaimsLog

__all__ = ["scoped"]


def scoped(log: ClaimsLog, patterns: Sequence[str]) -> ClaimsLog:
    """Return a log whose resources are put into scopes.

    Args:
        log: the log.
        patterns: such as ``slot-*``, each the name of the scope of what it matches; the first
            that matches counts.

    Returns:
        The log, its hints taken anew.

    Raises:
        InvalidInput: for every pattern that matches nothing.

    Example:
        >>> from comity.mechanisms.arbitration import Conflict
        >>> days = [Conflict(1, f"slot-{n}", (("a", 1),), at=n) for n in (1, 2)]
        >>> found = scoped(ClaimsLog(conflicts=tuple(days)), ["slot-*"]).conflicts
        >>> [(one.resource, one.number) for one in found]
        [('slot-*', 1), ('slot-*', 2)]
    """
    if not patterns:
        return log
    names = sorted({one.resource for one in log.conflicts})
    scopes: dict[str, str] = {}
    matched = dict.fromkeys(patterns, False)
    for pattern in patterns:
        form = re.compile(translate(pattern))
        for name in names:
            if form.match(name):
                matched[pattern] = True
                scopes.setdefault(name, pattern)
    raise_if(
        Fault(f"scope {pattern!r}", "matches no resource", _some(names),
              did_you_mean(pattern, names))
        for pattern, is_used in matched.items() if not is_used
    )  # fmt: skip
    listed = tuple(numbered(log.conflicts, scopes))
    return replace(
        log,
        conflicts=listed,
        beside=tuple(
            one._replace(resource=scopes.get(one.resource, one.resource)) for one in log.beside
        ),
        hints=hints_of(listed, has_window=False, has_scopes=True),
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
