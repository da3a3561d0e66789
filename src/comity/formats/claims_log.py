"""Claims log files: who claimed what, when, and who won?

Here: CSV and JSON lines with the columns below, every fault with its line, writing CSV.
Not here: times (instants.py), what a log says (mechanisms/arbitration, watch/).
Sources: SEMANTICS R5, R6, G5, G7; RFC 4180 (CSV); jsonlines.org.

``time,resource,agent,priority`` and perhaps ``won``, ``claimed_gain``, ``realised_gain``,
``arrived``, ``scope``, in any order; other columns are ignored, and named. Rows with the same time
and resource are one conflict; with a window also those that follow the first within it, each
arriving at its own time. ``won`` is true or false, 1 or 0, yes or no; without that column nobody's
win is known. Gains, arrivals and scopes may be empty.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from comity.core.canonical import plain
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, to_fraction
from comity.formats.claims_grouping import hints_of, numbered
from comity.formats.claims_rows import COLUMNS, GAINS, NEEDED, SHAPE, Row, Rows
from comity.formats.instants import instant_text
from comity.formats.scenario import json_data
from comity.mechanisms.arbitration.claims import Claim
from comity.mechanisms.arbitration.engine import Conflict
from comity.mechanisms.arbitration.policy import Policy

__all__ = [
    "BesideClaim",
    "ClaimGain",
    "ClaimsLog",
    "claims_csv",
    "read_claims_file",
    "read_claims_log",
]

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


class BesideClaim(NamedTuple):
    """A claim that was turned away, or that won what nobody used.

    Attributes:
        at: when, in seconds since 1970.
        resource: what was claimed.
        agent: who claimed.
        is_turned_away: whether it ran out while others held the resource; else nobody used its
            win.
        holders: who held it meanwhile.
    """

    at: Exact
    resource: str
    agent: str
    is_turned_away: bool
    holders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimsLog:
    """A claims log as read.

    Attributes:
        conflicts: by time, then by resource; numbered from 1 for each resource.
        says_who_won: whether the log has the column ``won``.
        gains: the claims that say a gain, by time.
        notes: what had to be assumed.
        ignored: what was ignored in the file, in sentences.
        hints: why conflicts may have been read otherwise than meant, and what to do.
        by_others: how many conflicts were recorded at a desk that did not decide them.
        beside: claims of a desk that came to no conflict, or to a win that nobody used.
        policies: for each conflict the policy that decided it, or None where none did; empty where
            the same holds for all of them.
    """

    conflicts: tuple[Conflict, ...]
    says_who_won: bool = True
    gains: tuple[ClaimGain, ...] = ()
    notes: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    by_others: int = 0
    beside: tuple[BesideClaim, ...] = ()
    policies: tuple[Policy | None, ...] = ()


def read_claims_file(path: Path, *, window_s: Exact = 0) -> ClaimsLog:
    """Read a claims log from a file.

    Args:
        path: a CSV or JSON lines file in UTF-8.
        window_s: as :func:`read_claims_log`.

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
    return read_claims_log(text, whose=name, window_s=window_s)


def read_claims_log(text: str, *, whose: str = "claims log", window_s: Exact = 0) -> ClaimsLog:
    r"""Read a claims log and tell every fault of it at once.

    Args:
        text: the file's text: CSV with a header, or JSON lines with the same keys.
        whose: the file's name, for messages.
        window_s: how many seconds after the first claim on a resource another one still belongs
            to the same conflict; a second claim of one agent begins a new conflict.

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
    _tell_spellings(found)
    found.tell()
    notes = [*found.notes]
    if _is_day(found.rows[0].at) and _is_day(found.rows[-1].at):
        told = f"times such as {found.rows[0].at} are seconds since 1970; a day is 2026-06-01"
        notes.append(told)
    named = f"ignored: {len(found.ignored)} unknown columns" if len(found.ignored) > 1 else ""
    listed = ", ".join(
        shown(name) + (f" (did you mean {near!r}?)" if near else "")
        for name, near in found.ignored.items()
    )
    conflicts = tuple(numbered(_conflicts(found.rows, window_s), found.scopes))
    return ClaimsLog(
        conflicts=conflicts,
        says_who_won="won" in has,
        gains=tuple(_gains(found)),
        notes=tuple(notes),
        ignored=(f"{named or 'ignored: the unknown column'} {listed}",) if listed else (),
        hints=hints_of(conflicts, has_window=bool(window_s)),
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
    header = [one.casefold() if one.casefold() in COLUMNS else one for one in header]
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


def _tell_spellings(found: Rows) -> None:
    """Note names that look the same and are written by other characters: that is no other."""
    for what, names in found.names.items():
        alike: dict[str, str] = {}
        for name, line in names.items() if not all(map(str.isascii, names)) else ():
            first = alike.setdefault(normalize("NFC", name), name)
            if first != name:
                told = f"names {what} {name!r} as {name!a}, and line {names[first]} as {first!a}"
                allowed = f"each {what} by the same characters everywhere"
                found.fault(line, told, allowed, "write it one way")


def _conflicts(rows: Sequence[Row], window_s: Exact) -> Iterator[Conflict]:
    """Yield the conflicts in order, without numbers."""
    batches = ((at, list(claims)) for (at, _), claims in groupby(rows, key=itemgetter(0, 1)))
    if not window_s:
        for at, claims in batches:
            yield _conflict(at, claims, is_spread=False)
        return
    done: list[tuple[Exact, str, list[Row]]] = []
    still: dict[str, tuple[Exact, str, list[Row]]] = {}
    for at, claims in batches:
        resource = claims[0].resource
        known = still.get(resource)
        if known is not None and _apart(known[0], at) <= window_s and _are_new(claims, known[2]):
            known[2].extend(claims)
        else:
            still[resource] = one = (at, resource, claims)
            done.append(one)
    for at, _, claims in done:  # in order of their first claims
        yield _conflict(at, claims, is_spread=True)


def _apart(one: Exact, later: Exact) -> Fraction:
    return to_fraction(later) - to_fraction(one)


def _are_new(claims: Sequence[Row], known: Sequence[Row]) -> bool:
    there = {one.agent for one in known}
    return not any(one.agent in there for one in claims)


def _conflict(at: Exact, claims: Sequence[Row], *, is_spread: bool) -> Conflict:
    listed = sorted(claims, key=itemgetter(2)) if is_spread else claims
    return Conflict(
        0,
        listed[0].resource,
        tuple(
            [
                Claim(one.agent, one.priority, one.at if one.arrived is None else one.arrived)
                if is_spread or one.arrived is not None
                else (one.agent, one.priority)
                for one in listed
            ]
        ),
        winners=tuple([one.agent for one in listed if one.won]),
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
    came = any(len(claim) > 2 and claim[2] is not None for one in listed for claim in one.claims)
    header = [*NEEDED, *(["won"] if has_winners else []), *(GAINS if told else [])]
    header += ["arrived"] if came else []
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
            if came:
                arrived = claim[2] if len(claim) > 2 else None
                row.append("" if arrived is None else str(plain(arrived)))
            writer.writerow(row)
    return made.getvalue()
