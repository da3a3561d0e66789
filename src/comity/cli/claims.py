"""Claims: which recorded claims does a command look at?

Here: a claims log from a file or standard input, or the record of a desk in the ledger; the
period that is wanted of it.
Not here: the commands (watch.py, whatif.py), reading files (formats/claims_log.py).
Sources: SEMANTICS R5, R6 ("of any period"), K4.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from comity.cli.door import Door
from comity.cli.places import missing_file
from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact, to_fraction
from comity.formats.claims_log import (
    BesideClaim,
    ClaimsLog,
    read_claims_file,
    read_claims_log,
)
from comity.formats.instants import read_instant

__all__ = ["DESK", "STDIN", "Claims", "claims_from", "claims_of", "in_period", "instant"]

DESK = "claims"
"""The desk that is meant when none is named."""
STDIN = "-"
_ALLOWED = "a claims log (time,resource,agent,priority[,won]), or a ledger with recorded claims"
_HOW = (
    "name a CSV or JSON lines file, or record your conflicts: `comity claim`, or"
    " comity.record_conflict(...) in your own code"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a command looks at.

    Attributes:
        log: the claims.
        policy: the policy they were decided under, or None when nobody stated one.
    """

    log: ClaimsLog
    policy: Any = None


def claims_of(door: Door, file: str | None, desk: str | None, *, window_s: Exact = 0) -> Claims:
    """Return the claims that a call means.

    Args:
        door: whose ledger is in use.
        file: a claims log, ``-`` for standard input, or None for the ledger.
        desk: the desk of the ledger, or None.
        window_s: as :func:`read_claims_log`; of a file only.

    Returns:
        The claims.

    Raises:
        InvalidInput: with every fault of the file, or when there are no claims anywhere.
    """

    def history(name: str) -> Any:  # noqa: ANN401  # a record of a desk
        return import_module("comity.desk").claims_history(door.ledger_place(), name=name)

    return claims_from(history, file, desk, window_s=window_s)


def claims_from(
    history: Callable[[str], Any], file: str | None, desk: str | None, *, window_s: Exact = 0
) -> Claims:
    """Return the claims of a file, or else of the ledger.

    Args:
        history: a desk's name -> its record.
        file: a claims log, ``-`` for standard input, or None for the ledger.
        desk: the desk, or None.
        window_s: as :func:`read_claims_log`.

    Returns:
        The claims.

    Raises:
        InvalidInput: as :func:`claims_of`.
    """
    if file is not None and desk is not None:
        what = "is given beside a file"
        raise InvalidInput(Fault("--desk", what, "a file or a desk", "drop one of them"))
    if file == STDIN:
        data = sys.stdin.buffer.read() if hasattr(sys.stdin, "buffer") else b""
        return Claims(
            log=read_claims_log(_decoded(data), whose="standard input", window_s=window_s)
        )
    if file is not None:
        path = Path(file)
        if not path.exists():
            raise InvalidInput(missing_file(path))
        return Claims(log=read_claims_file(path, window_s=window_s))
    try:
        found = history(desk or DESK)
    except InvalidInput as error:
        first = error.faults[0]
        what = f"are nowhere: no file is named, and {first.whose} {first.what}"
        raise InvalidInput(Fault("claims", what, _ALLOWED, _HOW)) from error
    if not found.conflicts:
        what = f"are nowhere: no file is named, and desk {desk or DESK!r} has decided nothing yet"
        if found.turned_away:
            what += f"; {len(found.turned_away)} of its claims ran out while they waited"
        raise InvalidInput(Fault("claims", what, _ALLOWED, _HOW))
    log = ClaimsLog(
        conflicts=tuple(found.conflicts), by_others=found.elsewhere, beside=_beside(found)
    )
    return Claims(log=log, policy=found.policy)


def _beside(found: Any) -> tuple[BesideClaim, ...]:  # noqa: ANN401  # a record of a desk
    """Return claims that were turned away, and wins that nobody picked up, by time."""
    away = [
        BesideClaim(one.at, one.resource, one.agent, is_turned_away=True, holders=one.holders)
        for one in found.turned_away
    ]
    unused = [
        BesideClaim(one.at, one.resource, agent, is_turned_away=False)
        for one in (found.conflicts[place] for place in found.unused)
        for agent in one.winners
    ]
    return tuple(sorted([*away, *unused], key=lambda one: (to_fraction(one.at), one.agent)))


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text: byte {error.start + 1} cannot be read"
        raise InvalidInput(Fault("standard input", what, "UTF-8", "convert it first")) from error


def instant(text: str | None, whose: str, faults: list[Fault]) -> Exact | None:
    """Return a moment given as text, or note the fault.

    Args:
        text: ISO 8601 or seconds since 1970, or None.
        whose: the option.
        faults: where faults go.
    """
    if text is None:
        return None
    try:
        return read_instant(text, whose).at
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


def in_period(log: ClaimsLog, since: Exact | None, until: Exact | None) -> ClaimsLog:
    """Return the part of a log that lies in a period.

    Args:
        log: the log.
        since: the first moment that counts, or None.
        until: the first moment that no longer counts, or None.

    Returns:
        The part; conflicts without a time lie in no period.

    Raises:
        InvalidInput: when nothing is left.
    """
    if since is None and until is None:
        return log

    def counts(at: Exact | None) -> bool:
        is_early = since is not None and at is not None and at < since
        is_late = until is not None and at is not None and at >= until
        return at is not None and not is_early and not is_late

    kept = tuple(one for one in log.conflicts if counts(one.at))
    if not kept:
        what = f"keep none of {len(log.conflicts)} conflicts"
        allowed = "a period in which something was claimed"
        raise InvalidInput(Fault("--since and --until", what, allowed, "choose another period"))
    gains = tuple(one for one in log.gains if counts(one.at))
    beside = tuple(one for one in log.beside if counts(one.at))
    return replace(log, conflicts=kept, gains=gains, beside=beside)
