"""Claims rows: what does one row of a claims log say, and what is wrong with it?

Here: one row after another, read with every fault and its line; the names of the columns.
Not here: CSV and JSON lines (claims_log.py), times (instants.py).
Sources: SEMANTICS R5, G5 (exact numbers), G7 (every fault at once).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import NamedTuple

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact
from comity.formats.instants import read_instant
from comity.mechanisms.arbitration.claims import LONGEST_NAME, principal_fault

__all__ = ["COLUMNS", "GAINS", "MOST_TOLD", "NEEDED", "SHAPE", "Row", "Rows"]

MOST_TOLD = 100
"""The most faults of one file that are told."""

NEEDED = ("time", "resource", "agent", "priority")
GAINS = ("claimed_gain", "realised_gain")
COLUMNS = (*NEEDED, "won", *GAINS, "arrived", "scope")
SHAPE = (
    "a header time,resource,agent,priority[,won][,claimed_gain,realised_gain][,arrived][,scope]"
)

_WON = {"true": True, "false": False, "yes": True, "no": False, "1": True, "0": False}
_NOTHING = (None, "")
_MOST_KEPT = 10_000  # different numbers remembered while reading

Cells = Sequence[object]
"""The values of one row, in the order of `COLUMNS`; None where the log has no such column."""


class Row(NamedTuple):
    """One claim as read.

    Attributes:
        at: when, in seconds since 1970.
        resource: what was claimed.
        agent: who claimed.
        priority: how urgently.
        won: whether it won.
        line: the line of the file.
        arrived: when the claim arrived, or None.
    """

    at: Exact
    resource: str
    agent: str
    priority: Exact
    won: bool
    line: int
    arrived: Exact | None = None


def _meant(name: str, names: Sequence[str]) -> str:
    """Return which of the names is nearly this one, or ""."""
    near = get_close_matches(name[:LONGEST_NAME].casefold(), names, 1, 0.6)
    return near[0] if near else ""


@dataclass(slots=True)
class Rows:
    """Reads rows one by one and keeps every fault.

    Attributes:
        whose: the file's name, for messages.
        rows: what was read.
        gains: line -> claimed and realised gain, where a row says one.
        faults: what is wrong, at most so many.
        hidden: how many more faults there were.
        notes: what had to be assumed.
        scopes: resource -> scope, where a row says one.
        ignored: names of columns or keys that mean nothing here.
        names: what is named -> name -> the line where it comes first.

    Example:
        >>> rows = Rows("log")
        >>> rows.add(2, ["0", "gpu", "a", "1/2", "yes", None, None, None, None])
        >>> rows.rows[0].priority, rows.rows[0].won
        (Fraction(1, 2), True)
    """

    whose: str
    rows: list[Row] = field(default_factory=list)
    gains: dict[int, tuple[Exact | None, Exact | None]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    hidden: int = 0
    notes: list[str] = field(default_factory=list)
    scopes: dict[str, str] = field(default_factory=dict)
    ignored: dict[str, str] = field(default_factory=dict)
    names: dict[str, dict[str, int]] = field(
        default_factory=lambda: {"resource": {}, "agent": {}, "scope": {}}
    )
    _numbers: dict[object, Exact] = field(default_factory=dict)
    _last: tuple[object, Exact | None] = (None, None)

    @property
    def count(self) -> int:
        """How many faults there are, told or not."""
        return len(self.faults) + self.hidden

    def fault(self, line: int, what: str, allowed: str, next_step: str = "correct it") -> None:
        """Note a fault of a line."""
        if len(self.faults) < MOST_TOLD:
            self.faults.append(Fault(f"{self.whose} line {line}", what, allowed, next_step))
        else:
            self.hidden += 1

    def _refused(self, error: InvalidInput, line: int) -> None:
        for one in error.faults:
            self.fault(line, one.what, one.allowed, one.next)

    def tell(self) -> None:
        """Raise with every fault; of very many the first, and how many more there are."""
        if not self.faults and not self.rows:
            self.faults.append(Fault(self.whose, "holds no claim", SHAPE, "add the claims"))
        if self.hidden:
            what = f"has {self.hidden} more faults"
            self.faults.append(Fault(self.whose, what, SHAPE, "correct these first"))
        raise_if(self.faults)

    def check(self, names: Sequence[str], line: int, what: str) -> bool:
        """Note what is wrong with the names of columns or keys; unknown ones are ignored.

        Args:
            names: the names.
            line: where they stand.
            what: what they are called.

        Returns:
            Whether nothing is.
        """
        before = self.count
        counted = Counter(names)
        left = [one for one in COLUMNS if one not in counted]
        unknown = [one for one in counted if one not in COLUMNS and one]
        for name in unknown:
            if name not in self.ignored and len(self.ignored) < MOST_TOLD:
                self.ignored[name] = _meant(name, left)
        for name in [one for one in COLUMNS if counted[one] > 1]:
            self.fault(line, f"has the {what} {name!r} twice", f"each {what} once", "drop one")
        lacking = [one for one in NEEDED if one not in counted]
        if lacking:
            near = {_meant(one, lacking): one for one in unknown}
            renamed = [f"rename {shown(near[one])} to {one}" for one in lacking if one in near]
            told = f"lacks {', '.join(lacking)}"
            self.fault(line, told, SHAPE, "; ".join(renamed) or "add it")
        if "won" not in counted and any(one in counted for one in GAINS):
            self.fault(line, "has gains without won", SHAPE, "say who won, or drop the gains")
        return self.count == before

    def add(self, line: int, cells: Cells) -> None:
        """Read a row, or note each of its faults."""
        time, resource, agent, priority, won, claimed, realised, arrived, scope = cells
        before = self.count
        at = self._time(line, time)
        if not (isinstance(resource, str) and resource in self.names["resource"]):
            self._name(line, "resource", resource)
        if not (isinstance(agent, str) and agent in self.names["agent"]):
            self._name(line, "agent", agent)
        rank = self._number(line, "priority", priority)
        has_won = self._win(line, won)
        pair = None
        if not (claimed in _NOTHING and realised in _NOTHING):
            pair = self._gains(line, claimed, realised, has_won=has_won)
        came = self._time(line, arrived, "arrived") if arrived not in _NOTHING else None
        if scope not in _NOTHING:
            self._scope(line, str(resource), scope)
        if self.count > before or at is None or rank is None:
            return
        self.rows.append(Row(at, str(resource), str(agent), rank, has_won, line, came))
        if pair is not None:
            self.gains[line] = pair

    def _gains(
        self, line: int, claimed: object, realised: object, *, has_won: bool
    ) -> tuple[Exact | None, Exact | None]:
        first, second = (
            None if one in _NOTHING else self._number(line, name, one)
            for name, one in zip(GAINS, (claimed, realised), strict=True)
        )
        if first is not None and first < 0:
            self.fault(line, f"claimed_gain is {shown(claimed)}", "0 or more")
        if second and not has_won:
            what = f"realises a gain of {shown(realised)} without winning"
            self.fault(line, what, "a realised gain where won is true", "empty it, or correct won")
        return first, second

    def _time(self, line: int, value: object, what: str = "time") -> Exact | None:
        if value == self._last[0] and type(value) is type(self._last[0]):
            return self._last[1]  # the rows of a conflict follow each other
        at: Exact | None = None
        try:
            at, is_assumed = read_instant(value, self.whose, what)
        except InvalidInput as error:
            self._refused(error, line)
        else:
            if is_assumed and not self.notes:
                self.notes.append("times without a zone are taken as UTC")
            self._last = value, at
        return at

    def _scope(self, line: int, resource: str, scope: object) -> None:
        known = self.scopes.get(resource)
        if known is None:
            self._name(line, "scope", scope)
            self.scopes[resource] = str(scope)
        elif known != scope:
            told = f"puts {shown(resource)} into the scope {shown(scope)}, before into"
            what = f"{told} {shown(known)}"
            self.fault(line, what, "one scope for each resource", "correct the scope")

    def _name(self, line: int, what: str, value: object) -> None:
        fault = principal_fault(value, what)
        if fault is None:
            self.names[what].setdefault(str(value), line)
        else:
            is_empty = value in ("", None)
            told = f"{what} is empty" if is_empty else f"{what} is {shown(value)}"
            self.fault(line, told, fault.allowed)

    def _number(self, line: int, what: str, value: object) -> Exact | None:
        known = self._numbers.get(value) if isinstance(value, str) else None
        if known is not None:
            return known
        try:
            number = read_exact(value, self.whose, what)
        except InvalidInput as error:
            self._refused(error, line)
            return None
        if isinstance(value, str) and len(self._numbers) < _MOST_KEPT:
            self._numbers[value] = number
        return number

    def _win(self, line: int, value: object) -> bool:
        if value is None:
            return False
        if isinstance(value, bool):
            return value
        won: bool | None = None
        if isinstance(value, str):
            won = _WON.get(value.casefold())
        elif isinstance(value, int) and value in (0, 1):
            won = value == 1
        if won is None:
            told = f"won is {shown(value)}" if value != "" else "won is empty"
            self.fault(line, told, "true or false, 1 or 0, yes or no")
        return won is True
