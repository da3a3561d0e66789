"""Claims log files: who claimed what, when, and who won?

Here: CSV and JSON lines with the columns below, every fault with its line, writing CSV.
Not here: times (instants.py), what a log says (mechanisms/arbitration, watch/).
Sources: SEMANTICS R5, R6, G5, G7; RFC 4180 (CSV); jsonlines.org.

``time,resource,agent,priority`` and perhaps ``won``, ``claimed_gain``, ``realised_gain``, in any
order. Rows with the same time and resource are one conflict. ``won`` is true or false, 1 or 0,
yes or no; without that column nobody's win is known. A gain may be empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from comity.core.canonical import plain
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact
from comity.formats.claims_rows import COLUMNS, GAINS, NEEDED, SHAPE, Row, Rows
from comity.formats.instants import instant_text
from comity.formats.scenario import json_data
from comity.mechanisms.arbitration.engine import Conflict

__all__ = ["ClaimGain", "ClaimsLog", "claims_csv", "read_claims_file", "read_claims_log"]

LARGEST_LOG = 400_000_000


class ClaimGain(NamedTuple):
    """What one claim was to gain, and what came of it.

    Attributes:
        at: when, in seconds since 1970.
        resource: what was claimed.
        agent: who claimed.
        won: whether it won.
        claimed: the gain it claimed, or None.
        realised: the gain that came, or None while it is not known.
    """

    at: Exact
    resource: str
    agent: str
    won: bool
    claimed: Exact | None
    realised: Exact | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsLog:
    """A claims log as read.

    Attributes:
        conflicts: by time, then by resource; numbered from 1 for each resource.
        says_who_won: whether the log has the column ``won``.
        gains: the claims that say a gain, by time.
        notes: what had to be assumed.
    """

    conflicts: tuple[Conflict, ...]
    says_who_won: bool = True
    gains: tuple[ClaimGain, ...] = ()
    notes: tuple[str, ...] = ()


def read_claims_file(path: Path) -> ClaimsLog:
    """Read a claims log from a file.

    Args:
        path: a CSV or JSON lines file in UTF-8.

    Returns:
        The log.

    Raises:
        InvalidInput: when it cannot be read, or with every fault of it at once.
    """
    name = str(path)
    try:
        if path.stat().st_size > LARGEST_LOG:
            what = f"is larger than {LARGEST_LOG} bytes"
            raise InvalidInput(Fault(name, what, "a smaller log", "take a shorter period"))
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"is not UTF-8 text: byte {error.start + 1} cannot be read"
        raise InvalidInput(Fault(name, what, "UTF-8", "save it as UTF-8")) from error
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidInput):
            raise
        what = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise InvalidInput(Fault(name, what, "a CSV or JSON lines file", "check it")) from error
    return read_claims_log(text, whose=name)


def read_claims_log(text: str, *, whose: str = "claims log") -> ClaimsLog:
    r"""Read a claims log and tell every fault of it at once.

    Args:
        text: the file's text: CSV with a header, or JSON lines with the same keys.
        whose: the file's name, for messages.

    Returns:
        The log, whatever the order of its rows.

    Raises:
        InvalidInput: with every fault and its line; of very many the first 100.

    Example:
        >>> log = read_claims_log('''time,resource,agent,priority,won
        ... 2026-06-01T00:00:01Z,gpu,b,1,no
        ... 2026-06-01T00:00:01Z,gpu,a,3,yes
        ... ''')
        >>> log.conflicts[0].claims, log.conflicts[0].winners, log.conflicts[0].at
        ((('a', 3), ('b', 1)), ('a',), 1780272001)
    """
    if len(text) > LARGEST_LOG:
        what = f"is longer than {LARGEST_LOG} characters"
        raise InvalidInput(Fault(whose, what, "a smaller log", "take a shorter period"))
    body = text.removeprefix("\ufeff")
    found = Rows(whose)
    read = _read_lines if body.lstrip()[:1] == "{" else _read_csv
    has = read(body, found)
    found.rows.sort(key=itemgetter(0, 1, 2))
    _tell_repeats(found)
    found.tell()
    notes = [*found.notes]
    if _is_day(found.rows[0].at) and _is_day(found.rows[-1].at):
        told = f"times such as {found.rows[0].at} are seconds since 1970; a day is 2026-06-01"
        notes.append(told)
    return ClaimsLog(
        conflicts=tuple(_conflicts(found.rows)),
        says_who_won="won" in has,
        gains=tuple(_gains(found)),
        notes=tuple(notes),
    )


def _is_day(at: Exact) -> bool:
    """Tell whether a number of seconds reads like a day without its dashes."""
    try:
        return 1900 <= date.fromisoformat(str(at)).year <= 2100
    except ValueError:
        return False


# --- CSV -------------------------------------------------------------------------------------


def _read_csv(text: str, found: Rows) -> Sequence[str]:
    """Read every row, and return the names of the columns."""
    rows = _csv_rows(text, found)
    line, header = next(rows, (1, []))
    if not _check_header(header, line, found):
        return ()
    places = [header.index(name) if name in header else None for name in COLUMNS]
    width = len(header)
    for at, row in rows:
        if len(row) == width:
            found.add(at, [None if one is None else row[one].strip() for one in places])
        else:
            found.fault(at, f"has {len(row)} fields", f"{width}, as the header has")
    return header


def _csv_rows(text: str, found: Rows) -> Iterator[tuple[int, list[str]]]:
    """Yield the line and the fields of each row that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line, is_header = 1, True
    try:
        for row in reader:
            if "".join(row).strip():
                yield line, [one.strip() for one in row] if is_header else row
                is_header = False
            line = reader.line_num + 1
    except csv.Error as error:
        found.fault(line, f"is no CSV: {error}", "fields between commas, quotes doubled")


def _check_header(header: Sequence[str], line: int, found: Rows) -> bool:
    """Note what is wrong with a header; an empty one is an empty file."""
    if not header:
        return False
    if len(header) == 1 and any(one in header[0] for one in ";\t|"):
        what = f"has one column, {shown(header[0])}"
        found.fault(line, what, SHAPE, "separate the fields with commas")
        return False
    return found.check(header, line, "column")


# --- JSON lines ------------------------------------------------------------------------------


def _read_lines(text: str, found: Rows) -> Sequence[str]:
    """Read every object, and return the keys that all have."""
    has_won: bool | None = None
    for line, written in enumerate(text.split("\n"), 1):
        row = _object(line, written, found) if written.strip() else None
        if row is None:
            continue
        is_sound = found.check(list(row), line, "key")
        has_won = "won" in row if has_won is None else has_won
        if ("won" in row) != has_won:
            what = "lacks won" if has_won else "has won"
            found.fault(line, f"{what}, unlike the lines before", "won in all lines or in none")
        elif is_sound:
            found.add(line, [_cell(row, name) for name in COLUMNS])
    return ("won",) if has_won else ()


def _object(line: int, written: str, found: Rows) -> Mapping[str, object] | None:
    try:
        data = json_data(written, exact=True)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        found.fault(line, f"is no JSON: {reason[:200]}", "one object on each line")
        return None
    if not isinstance(data, Mapping):
        found.fault(line, f"is {shown(data)}", "one object on each line")
        return None
    return data


def _cell(row: Mapping[str, object], name: str) -> object:
    """Return a value as a row has it: null is empty, and None what is not there."""
    value = row.get(name)
    if isinstance(value, str):
        return value.strip()
    return "" if value is None and name in row else value


# --- what the rows make ----------------------------------------------------------------------


def _tell_repeats(found: Rows) -> None:
    before: Row | None = None
    for one in found.rows:
        if before is not None and one[:3] == before[:3]:
            first, second = sorted((before.line, one.line))
            what = f"lets {shown(one.agent)} claim {shown(one.resource)} again, after line {first}"
            allowed = "one claim of each agent on a resource at a time"
            found.fault(second, what, allowed, "drop one, or correct the time")
        before = one


def _conflicts(rows: Sequence[Row]) -> Iterator[Conflict]:
    numbers: dict[str, int] = {}
    for (at, resource), claims in groupby(rows, key=itemgetter(0, 1)):
        numbers[resource] = number = numbers.get(resource, 0) + 1
        together = list(claims)
        yield Conflict(
            number,
            resource,
            tuple([(one.agent, one.priority) for one in together]),
            winners=tuple([one.agent for one in together if one.won]),
            at=at,
        )


def _gains(found: Rows) -> Iterator[ClaimGain]:
    for one in found.rows if found.gains else ():
        if one.line in found.gains:
            claimed, realised = found.gains[one.line]
            yield ClaimGain(one.at, one.resource, one.agent, one.won, claimed, realised)


# --- writing ---------------------------------------------------------------------------------


def claims_csv(conflicts: Iterable[Conflict], gains: Iterable[ClaimGain] = ()) -> str:
    r"""Return conflicts as CSV; :func:`read_claims_log` reads it back.

    Args:
        conflicts: conflicts with their times.
        gains: what their claims were to gain and gained; without them no such columns.

    Returns:
        A row per claim; without the column ``won`` when nobody won any of them.

    Raises:
        InvalidInput: for conflicts without a time.

    Example:
        >>> one = Conflict(1, "gpu", (("a", 3), ("b", 1)), winners=("a",), at=0)
        >>> print(claims_csv([one]), end="")
        time,resource,agent,priority,won
        1970-01-01T00:00:00Z,gpu,a,3,true
        1970-01-01T00:00:00Z,gpu,b,1,false
    """
    listed = list(conflicts)
    raise_if(
        Fault(f"conflict {one.number} of {one.resource}", "has no time", "seconds since 1970",
              "record the time of each conflict")
        for one in listed if one.at is None
    )  # fmt: skip
    told = {(one.at, one.resource, one.agent): (one.claimed, one.realised) for one in gains}
    has_winners = bool(told) or any(one.winners for one in listed)
    header = [*NEEDED, *(["won"] if has_winners else []), *(GAINS if told else [])]
    made = io.StringIO()
    writer = csv.writer(made, lineterminator="\n")
    writer.writerow(header)
    for one in listed:
        assert one.at is not None  # or it would be a fault
        time = instant_text(one.at)
        for claim in one.claims:
            row = [time, one.resource, claim[0], str(plain(claim[1]))]
            row += [("false", "true")[claim[0] in one.winners]] if has_winners else []
            if told:
                pair = told.get((one.at, one.resource, claim[0]), (None, None))
                row += ["" if gain is None else str(plain(gain)) for gain in pair]
            writer.writerow(row)
    return made.getvalue()
