"""Clock name: which clock does a process read?

Here: a name that all processes share which read the clock of one machine.
Not here: what a desk makes of it (protocols/claims/clocks.py), the clocks (clock.py).
Sources: SEMANTICS R7.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path

from comity.core.canonical import digest
from comity.runner.clock import Clock, RealClock

__all__ = ["clock_name"]

_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""One text for each start of a Linux machine, the same in all its containers."""


def clock_name(clock: Clock) -> str:
    """Return the name of a clock; any other than the machine's is one of its own.

    Args:
        clock: the clock.

    Example:
        >>> clock_name(RealClock()) == clock_name(RealClock())
        True
    """
    if type(clock) is RealClock:
        return _machine()
    return f"{type(clock).__name__}-{os.getpid()}-{id(clock):x}"


@cache
def _machine() -> str:
    """Return a name of this machine that tells nothing else about it."""
    try:
        told = _BOOT.read_text("ascii")
    except (OSError, ValueError):
        told = platform.node()
    return f"machine-{digest(told.strip())[:12]}"
