"""Rows: what is written down of each negotiation of a tournament?

Here: one row per negotiation, exact; rows as JSON lines and as CSV, and read back from JSON.
Not here: how a row comes about (play.py), figures over many rows (standings.py), the file that a
run is resumed from (record.py).
Sources: SEMANTICS G1, M3, M4; complaint 4 of the research; OWASP on formulas in CSV files.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from io import StringIO
from typing import Any, Literal

from comity.core.canonical import Json, canonical
from comity.core.errors import Fault, InvalidInput, one_line
from comity.core.exact import ratio_text, read_exact, to_fraction
from comity.core.parties import PartyId

__all__ = ["DISTANCES", "Row", "csv_lines", "exact_text", "json_lines", "row_from_json"]

DISTANCES = (
    "frontier",
    "nash",
    "kalai_smorodinsky",
    "nearest_diagonal",
    "egalitarian",
    "utilitarian",
    "ideal",
)
"""What distances are measured to, where the scenario has such a point."""

Kind = Literal["agreement", "no_deal", "failed"]
Numbers = tuple[tuple[PartyId, str], ...]
Distances = tuple[tuple[str, float], ...]

_FORMULA = ("=", "+", "-", "@")
_DAMAGED = Fault("row", "is not as it was written", "a row of a tournament", "run it again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One negotiation: what was played, and what came of it.

    Attributes:
        id: the id of its task.
        scenario: the name of its scenario.
        strategies: party -> strategy, sorted by party.
        rounds: how many rounds were allowed.
        protocol: ``alternating`` or ``simultaneous``.
        repetition: 0 for the first.
        seed: of all its lots.
        kind: ``agreement``, ``no_deal`` or ``failed``.
        deal: term -> option; empty without one.
        utilities: what each party ends with, exact: the deal's worth; without a deal its
            reservation, or without one 0 (its worst deal where that is below 0).
        gains: what that is above what it has without a deal.
        shares: its gain as a share of the most it could gain alone; 0 when it can gain nothing.
        feasible: whether any deal is acceptable to all; None when that was not worked out.
        efficient: whether no deal is better for one party and worse for none; None without a deal
            and when that was not worked out.
        distances: to the nearest point of each kind, in the scenario's own unit, to twelve
            digits; empty without a deal or a common unit.
        share_distances: the same between shares of the most that each could gain alone, to the
            frontier, the Nash and the Kalai-Smorodinsky point: free of units, so that scenarios
            can be compared.
        rounds_used: how many rounds were played.
        ended_by: ``acceptance``, or the guard that ended it; ``failure``.
        failed_by: the party whose strategy failed, or ""; "" too when nobody's did.
        reason: how it failed, or "".

    Example:
        >>> row = Row(
        ...     id="a",
        ...     scenario="s",
        ...     strategies=(("x", "micro"),),
        ...     rounds=1,
        ...     protocol="alternating",
        ...     repetition=0,
        ...     seed="7",
        ...     kind="no_deal",
        ... )
        >>> row_from_json(row.to_json()) == row
        True
    """

    id: str
    scenario: str
    strategies: tuple[tuple[PartyId, str], ...]
    rounds: int
    protocol: str
    repetition: int
    seed: str
    kind: Kind
    deal: tuple[tuple[str, str], ...] = ()
    utilities: Numbers = ()
    gains: Numbers = ()
    shares: Numbers = ()
    feasible: bool | None = None
    efficient: bool | None = None
    distances: Distances = ()
    share_distances: Distances = ()
    rounds_used: int = 0
    ended_by: str = ""
    failed_by: PartyId = ""
    reason: str = ""

    def to_json(self) -> dict[str, Json]:
        """Return all fields; pairs become objects, exact numbers stay text."""
        return {name: self._plain(name) for name in _NAMES}

    def _plain(self, name: str) -> Json:
        value: Any = getattr(self, name)
        found: Json = dict(value) if name in _PAIRS else value
        return found


_NAMES = tuple(one.name for one in fields(Row))
_PAIRS = ("strategies", "deal", "utilities", "gains", "shares", "distances", "share_distances")
_TYPES: dict[str, type | tuple[type, ...]] = {
    **dict.fromkeys(("rounds", "repetition", "rounds_used"), int),
    **dict.fromkeys(_PAIRS, Mapping),
    **dict.fromkeys(("feasible", "efficient"), (bool, type(None))),
}


def row_from_json(data: object) -> Row:
    """Read a row back.

    Args:
        data: what ``to_json`` returned.

    Returns:
        An equal row.

    Raises:
        InvalidInput: when it is no row, or damaged.

    Example:
        >>> row_from_json({"id": "a"})
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: row: is not as it was written. Allowed: a row of a \
tournament. Next: run it again.
    """
    if not isinstance(data, Mapping) or data.keys() != set(_NAMES):
        raise InvalidInput(_DAMAGED)
    if not all(isinstance(data[name], _TYPES.get(name, str)) for name in _NAMES):
        raise InvalidInput(_DAMAGED)
    values: dict[str, Any] = {
        name: tuple(value.items()) if name in _PAIRS else value for name, value in data.items()
    }
    texts = [one for name in ("utilities", "gains", "shares") for _, one in values[name]]
    numbers = [one for name in ("distances", "share_distances") for _, one in values[name]]
    pairs = [one for name in ("strategies", "deal") for _, one in values[name]]
    is_sound = all(isinstance(one, str) for one in (*texts, *pairs))
    is_sound = is_sound and all(type(one) in (int, float) for one in numbers)
    measured = [key for name in ("distances", "share_distances") for key, _ in values[name]]
    is_sound = is_sound and all(key in DISTANCES for key in measured)
    if not is_sound or values["kind"] not in ("agreement", "no_deal", "failed"):
        raise InvalidInput(_DAMAGED)
    for text in texts:
        read_exact(text, "row", "number")
    for name in ("distances", "share_distances"):
        values[name] = tuple((key, float(value)) for key, value in values[name])
    for name in ("strategies", "utilities", "gains", "shares"):
        values[name] = tuple(sorted(values[name]))
    values["distances"] = _in_order(values["distances"])
    values["share_distances"] = _in_order(values["share_distances"])
    values["deal"] = tuple(sorted(values["deal"]))
    return Row(**values)


def _in_order(distances: Distances) -> Distances:
    return tuple(sorted(distances, key=lambda one: DISTANCES.index(one[0])))


def exact_text(value: Fraction) -> str:
    """Return an exact number as a row holds it.

    Args:
        value: the number.

    Returns:
        ``3`` or ``-1/3``.

    Example:
        >>> exact_text(Fraction(3)), exact_text(Fraction(-2, 6))
        ('3', '-1/3')
    """
    text = ratio_text(value)
    return text.removesuffix("/1") if value.denominator == 1 else text


def json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """Yield one line of canonical JSON per row.

    Args:
        rows: in the order to write them.

    Yields:
        A line with its line feed.

    Example:
        >>> list(json_lines([]))
        []
    """
    for row in rows:
        yield canonical(row.to_json()) + "\n"


# --- CSV -------------------------------------------------------------------------------------


def csv_lines(rows: Iterable[Row]) -> Iterator[str]:
    r"""Yield a header and one line of CSV per row, for spreadsheets and data frames.

    Parties are numbered in the order of their names: ``party_1``, ``strategy_1``, ``utility_1``
    (exact) and so on, as many as the largest scenario has. Text that a spreadsheet would take for
    a formula (it starts with ``=``, ``+``, ``-`` or ``@``) gets an apostrophe in front; numbers do
    not. What is not printable is written as an escape. What must be read back exactly is in the
    JSON lines.

    Args:
        rows: in the order to write them.

    Yields:
        Lines with their line feed.

    Example:
        >>> next(csv_lines([]))[:35]
        'id,scenario,rounds,protocol,repetit'
    """
    listed = list(rows)
    seats = max((len(row.strategies) for row in listed), default=0)
    yield _csv_line(_header(seats))
    for row in listed:
        yield _csv_line(_cells(row, seats))


def _header(seats: int) -> list[str]:
    head = ["id", "scenario", "rounds", "protocol", "repetition", "seed", "kind", "deal"]
    head += ["feasible", "efficient", "rounds_used", "ended_by", "failed_by", "reason"]
    for seat in range(1, seats + 1):
        words = ("party", "strategy", "utility", "gain", "share")
        head += [f"{word}_{seat}" for word in words]
        head += [f"utility_{seat}_float", f"share_{seat}_float"]
    head += [f"distance_{name}" for name in DISTANCES]
    return head + [f"share_distance_{name}" for name in DISTANCES[:3]]


def _cells(row: Row, seats: int) -> list[object]:
    deal = canonical(dict(row.deal)) if row.deal else ""
    cells: list[object] = [row.id, _safe(row.scenario), row.rounds, row.protocol, row.repetition]
    cells += [row.seed, row.kind, deal, _yes_no(row.feasible), _yes_no(row.efficient)]
    cells += [row.rounds_used, row.ended_by, _safe(row.failed_by), _safe(row.reason)]
    utilities, gains, shares = dict(row.utilities), dict(row.gains), dict(row.shares)
    for party, strategy in row.strategies:
        cells += [_safe(party), _safe(strategy), utilities.get(party, "")]
        cells += [gains.get(party, ""), shares.get(party, "")]
        cells += [_rounded(utilities.get(party)), _rounded(shares.get(party))]
    cells += [""] * (7 * (seats - len(row.strategies)))
    for told, names in ((row.distances, DISTANCES), (row.share_distances, DISTANCES[:3])):
        known = dict(told)
        cells += [known.get(name, "") for name in names]
    return cells


def _yes_no(value: bool | None) -> str:  # noqa: FBT001  # one cell of a table
    return "" if value is None else ("yes" if value else "no")


def _rounded(text: str | None) -> float | str:
    if text is None:
        return ""
    try:
        return float(to_fraction(read_exact(text, "row", "number")))
    except OverflowError:
        return ""


def _safe(text: str) -> str:
    line = one_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line


def _csv_line(cells: Iterable[object]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
