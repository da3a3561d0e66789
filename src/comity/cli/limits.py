"""Limits: what may the calls of a session use, as the command line says it?

Here: the options ``--budget`` and ``--timeout``, which several commands share, and reading them.
Not here: what they do (agents/limits.py), limits that a scenario states (formats/).
Sources: SEMANTICS C5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import click

from comity.app import Limits, read_budget
from comity.cli.lengths import milliseconds
from comity.core.errors import Fault, InvalidInput, raise_if

__all__ = ["limit_options", "read_limits"]

Callback = TypeVar("Callback", bound=Callable[..., Any])

_LONGEST_MS = 7 * 24 * 3_600_000


def limit_options(callback: Callback) -> Callback:
    """Give a command the options that limit the calls of its seats."""
    budget = click.option(
        "--budget",
        metavar="AMOUNT",
        multiple=True,
        help="What models may use together: 200000 (tokens), 2.50USD; reserved before each call.",
    )
    timeout = click.option(
        "--timeout",
        metavar="TIME",
        help="How long one call of a program or model may take: 90 (seconds), 5m; default 10m.",
    )
    return budget(timeout(callback))


def read_limits(budget: Sequence[str], timeout: str | None) -> Limits:
    """Return the limits that the options name.

    Args:
        budget: the values of every ``--budget``.
        timeout: the value of ``--timeout``, or None.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> read_limits(["200000"], "1m").to_json()
        {'tokens': 200000, 'timeout_ms': 60000}
    """
    faults: list[Fault] = []
    timeout_ms = milliseconds(timeout, "--timeout", faults)
    if timeout_ms is not None and timeout_ms > _LONGEST_MS:
        faults.append(Fault("--timeout", f"is {timeout!r}", "7d at most", "correct --timeout"))
    limits = Limits()
    try:
        limits = read_budget(budget)
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    return replace(limits, timeout_ms=timeout_ms)
