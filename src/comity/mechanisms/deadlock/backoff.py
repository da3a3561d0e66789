"""Backoff: how long does an agent wait before it tries again?

Here: full jitter as a pure function of the attempt and a draw.
Not here: the draw, the clock, the trying (runner/).
Sources: SEMANTICS L2; Brooker 2015 (full jitter). The cap is taken before the draw: a cap after
it makes all that reach it try at the same instant again.
"""

from __future__ import annotations

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction

__all__ = ["full_jitter"]

_MOST_DOUBLINGS = 62


def full_jitter(
    attempt: int, draw: Exact | float | str, *, base_ms: int = 50, cap_ms: int = 10_000
) -> int:
    """Return how long to wait before the next attempt.

    Args:
        attempt: how many attempts have failed before, from 0.
        draw: a number from 0 up to but not 1, each as likely.
        base_ms: the longest wait after the first failure.
        cap_ms: the longest wait ever.

    Returns:
        Whole milliseconds: the draw times min(cap, base x 2^attempt), rounded down.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> [full_jitter(attempt, 0.5) for attempt in (0, 1, 2, 20)]
        [25, 50, 100, 5000]
    """
    faults = []
    for name, value, least in (("attempt", attempt, 0), ("base_ms", base_ms, 1),
                               ("cap_ms", cap_ms, 1)):  # fmt: skip
        if type(value) is not int or value < least:
            what, allowed = f"{name} is {shown(value)}", f"a whole number from {least} on"
            faults.append(Fault("backoff", what, allowed, f"correct {name}"))
    share = None
    try:
        share = to_fraction(read_exact(draw, "backoff", "draw"))
    except InvalidInput as error:
        faults.extend(error.faults)
    if share is not None and not 0 <= share < 1:
        what, allowed = f"draw is {shown(draw)}", "at least 0 and below 1"
        faults.append(Fault("backoff", what, allowed, "draw again"))
    raise_if(faults)
    assert share is not None  # or it would be a fault
    longest = min(cap_ms, base_ms << min(attempt, _MOST_DOUBLINGS))
    return int(share * longest)
