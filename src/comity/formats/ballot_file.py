"""Ballot files: what is one, and how do rows of a file become an election?

Here: the value every reader returns, faults gathered line by line, numbers and names as files
write them, rows checked and built into an election.
Not here: the forms of the files (preflib.py, blt.py, ballot_csv.py, ballot_lines.py) and the front
door (ballots.py).
Sources: SEMANTICS V1, V10, G5, G7.

Whatever a file holds, reading it ends in a `BallotFile` or in `InvalidInput`. At most
`MOST_FAULTS` faults are written out; one more line then says that there are others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.mechanisms.voting.ballots import (
    MOST_OPTIONS,
    YES_NO,
    BallotKind,
    guess_kind,
    names_in,
    read_ballot,
)
from comity.mechanisms.voting.election import Election

__all__ = [
    "LONGEST_NAME",
    "LONGEST_NUMBER",
    "MOST_FAULTS",
    "BallotFile",
    "BallotRow",
    "Findings",
    "ballot_file_of",
    "check_names",
    "check_writable",
    "elected",
    "exact_weight",
    "lines_of",
    "nearest",
    "whole_count",
    "whole_number",
]

MOST_FAULTS = 100
LONGEST_NAME = 500
LONGEST_NUMBER = 1000
"""The most digits of a count, a weight's unit and the like."""

_NEAR_ENOUGH = 60  # longer names are not compared letter by letter
_LINE_END = re.compile("\r\n|\n|\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class BallotFile:
    """Ballots as a file holds them.

    Attributes:
        election: the ballots.
        title: the election's title, or "".
        names: the options in the order of the file.
        seats: how many are to be elected, when the file says so.
        notes: what the reader or the writer did that is not in the ballots themselves.
        format: the format it was read from or fitted to, or "".

    Raises:
        InvalidInput: when the names are not the election's options, or seats no number of them.

    Example:
        >>> BallotFile(election=Election(["A", "B"]), names=("B", "A")).seats is None
        True
    """

    election: Election
    title: str = ""
    names: tuple[str, ...]
    seats: int | None = None
    notes: tuple[str, ...] = ()
    format: str = ""

    def __post_init__(self) -> None:
        """Refuse names that are not the options, and seats that are none."""
        faults = []
        if tuple(sorted(self.names, key=str)) != self.election.options:
            allowed = f"each option of the election once: {shown(self.election.options)}"
            what = f"are {shown(self.names)}"
            faults.append(Fault("names", what, allowed, "list the options"))
        seats: Any = 1 if self.seats is None else self.seats
        if isinstance(seats, bool) or not isinstance(seats, int) or seats < 1:
            what = f"are {shown(self.seats)}"
            faults.append(Fault("seats", what, "a whole number, 1 or more", "correct them"))
        raise_if(faults)


def ballot_file_of(what: BallotFile | Election) -> BallotFile:
    """Return a ballot file, or an election as one with its options in their own order.

    Args:
        what: either.

    Raises:
        InvalidInput: for anything else.

    Example:
        >>> ballot_file_of(Election(["B", "A"])).names
        ('A', 'B')
    """
    if isinstance(what, Election):
        return BallotFile(election=what, names=what.options)
    if isinstance(what, BallotFile):
        return what
    raise InvalidInput(
        Fault("ballots", f"are {shown(what)}", "a BallotFile or an Election", "give one of them")
    )


class Findings:
    """Faults of a file on their way out, with the place of each.

    Args:
        whose: the file, for messages.

    Example:
        >>> found = Findings("x.soi")
        >>> found.add(3, "has no count", "count: order", "add the count")
        >>> found.refuse()
        Traceback (most recent call last):
            ...
        comity.core.errors.InvalidInput: x.soi, line 3: has no count. Allowed: count: order. \
Next: add the count.
    """

    __slots__ = ("faults", "whose")

    def __init__(self, whose: str) -> None:
        """Start without a fault."""
        self.whose = whose
        self.faults: list[Fault] = []

    @property
    def is_full(self) -> bool:
        """Whether no further fault will be written out."""
        return len(self.faults) > MOST_FAULTS

    def add(self, place: int | str, what: str, allowed: str, then: str) -> None:
        """Keep a fault.

        Args:
            place: the number of the line, a part of the file, or "" for the whole file.
            what: what is wrong.
            allowed: what would have been right.
            then: what to do now.
        """
        if self.is_full:
            return
        if len(self.faults) == MOST_FAULTS:
            allowed, then = "none", f"mend these {MOST_FAULTS} and read it again"
            self.faults.append(Fault(self.whose, "has more faults", allowed, then))
            return
        where = f", line {place}" if isinstance(place, int) else f", {place}" if place else ""
        self.faults.append(Fault(f"{self.whose}{where}", what, allowed, then))

    def refuse(self) -> None:
        """Raise `InvalidInput` with every fault kept, if there is one."""
        if self.faults:
            raise InvalidInput(self.faults)


@dataclass(frozen=True, slots=True)
class BallotRow:
    """One ballot of a file, or several alike.

    Attributes:
        place: the number of its line, or where it stands.
        ballot: as `Election` takes it; None abstains.
        count: how many voters cast it.
        voter: who cast it, or "".
        weight: the weight of each.
    """

    place: int | str
    ballot: Any
    count: int = 1
    voter: str = ""
    weight: Exact = 1


# --- what files write ------------------------------------------------------------------------


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text, ended by LF, CR LF or CR and by nothing else.

    Args:
        text: the text.

    Example:
        >>> lines_of("a\r\nb\u2028c\n")
        ['a', 'b\u2028c', '']
    """
    return _LINE_END.split(text)


def whole_number(text: str) -> int | None:
    """Return the whole number that digits write, or None for anything else.

    Args:
        text: the text.

    Example:
        >>> whole_number("12"), whole_number("-1"), whole_number("1.5")
        (12, None, None)
    """
    if text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER:
        return int(text)
    return None


def nearest(name: str, known: Iterable[str]) -> str:
    """Return what to do about an unknown name, at a cost that no file can drive up.

    Args:
        name: the name.
        known: the known names.

    Example:
        >>> nearest("Alise", ["Alice", "Bob"])
        "did you mean 'Alice'"
    """
    if len(name) > _NEAR_ENOUGH:
        return "name a listed one"
    return did_you_mean(name, [one for one in known if len(one) <= _NEAR_ENOUGH])


def check_names(names: Sequence[tuple[int | str, str]], findings: Findings) -> None:
    """Find empty, overlong and repeated names of options, and too many of them.

    Args:
        names: pairs of a place and a name.
        findings: where faults go.

    Example:
        >>> found = Findings("x")
        >>> check_names([(1, "A"), (2, "A")], found)
        >>> found.faults[0].what
        "names the option 'A' a second time"
    """
    if len(names) > MOST_OPTIONS:
        most = f"at most {MOST_OPTIONS}"
        findings.add("", f"has {len(names)} options", most, "vote in groups")
    seen: set[str] = set()
    for place, name in names:
        if not name.strip():
            findings.add(place, "names an option with no text", "a name", "name it")
        elif len(name) > LONGEST_NAME:
            what = f"names an option in {len(name)} characters"
            findings.add(place, what, f"at most {LONGEST_NAME}", "shorten the name")
        elif name in seen:
            what = f"names the option {shown(name)} a second time"
            findings.add(place, what, "each name once", "tell them apart")
        seen.add(name)


def check_writable(names: Iterable[str], target: str, forbidden: str = "") -> None:
    """Refuse names that would not come back from a file as they went in.

    Args:
        names: options, voters or a title.
        target: the format, for messages.
        forbidden: characters that the format cannot hold in a name.

    Raises:
        InvalidInput: with every such name.

    Example:
        >>> check_writable(["A", "B "], "soi")
        Traceback (most recent call last):
            ...
        comity.core.errors.InvalidInput: soi: cannot hold the name 'B '. Allowed: one line of \
at most 500 characters without spaces around it. Next: write jsonl or json, or rename it.
    """
    findings = Findings(target)
    besides = f" and without {' or '.join(forbidden)}" if forbidden else ""
    for name in names:
        if (
            len(name) > LONGEST_NAME
            or name != name.strip()
            or set(name) & {"\n", "\r", *forbidden}
        ):
            allowed = f"one line of at most {LONGEST_NAME} characters without spaces around it"
            then = "write jsonl or json, or rename it"
            findings.add("", f"cannot hold the name {shown(name)}", allowed + besides, then)
    findings.refuse()


# --- from rows to an election ----------------------------------------------------------------


def elected(
    rows: Sequence[BallotRow],
    findings: Findings,
    *,
    kind: BallotKind | None = None,
    options: Sequence[str] | None = None,
) -> Election:
    """Return the election that rows of a file make.

    Args:
        rows: the ballots.
        findings: where faults go; earlier ones are raised together with these.
        kind: the kind of ballot; None goes by the ballots.
        options: the declared options; None takes those that ballots name.

    Returns:
        The election.

    Raises:
        InvalidInput: with every fault and its line.

    Example:
        >>> elected([BallotRow(2, ["A"], 3), BallotRow(3, ["B", "A"])], Findings("x")).size
        4
    """
    found = kind or guess_kind([row.ballot for row in rows if row.ballot != "abstain"])
    declared = options is not None
    if found == "yes_no":
        if options is not None and sorted(options) not in (sorted(YES_NO), ["no", "yes"]):
            then = "leave them out"
            findings.add("", f"has the options {_listed(options)}", "yes, no and veto", then)
        options = YES_NO
    elif options is None:
        options = _named(found, rows)
    check_names([("", name) for name in options], findings)
    _check_voters(rows, findings)
    _check_weights(rows, findings)
    _check_ballots(found, rows, options, findings)
    findings.refuse()
    listed = [_row_json(row) for row in rows if row.count]
    return Election.from_json(
        {"kind": found, "options": list(options), "declared": declared, "ballots": listed}
    )


def _named(kind: BallotKind, rows: Sequence[BallotRow]) -> list[str]:
    found: set[str] = set()
    for row in rows:
        found |= names_in(kind, row.ballot)
    if kind == "choice":
        found.discard("abstain")
    return sorted(found)


def _row_json(row: BallotRow) -> dict[str, Any]:
    data: dict[str, Any] = {"ballot": row.ballot}
    if row.count != 1:
        data["count"] = row.count
    if row.voter:
        data["voter"] = row.voter
    if row.weight != 1:
        data["weight"] = row.weight
    return data


def _check_voters(rows: Sequence[BallotRow], findings: Findings) -> None:
    """Voters have names in all rows or in none; each votes once."""
    if not any(row.voter for row in rows):
        return
    seen: dict[str, int | str] = {}
    for row in rows:
        if not row.voter.strip():
            findings.add(row.place, "names no voter", "a voter in every row", "name the voter")
        elif row.voter in seen:
            first = seen[row.voter]
            what = f"has a second ballot of {shown(row.voter)}"
            allowed = f"one per voter; the first is in {_at(first)}"
            findings.add(row.place, what, allowed, "keep the one that counts")
        elif row.count != 1:
            what = f"counts the ballot of {shown(row.voter)} {shown(row.count)} times"
            findings.add(row.place, what, "once", "drop the count, or give a weight")
        seen.setdefault(row.voter, row.place)


def _at(place: int | str) -> str:
    return f"line {place}" if isinstance(place, int) else place


def _check_weights(rows: Sequence[BallotRow], findings: Findings) -> None:
    """Weights need a common unit; one of endless digits would stop the count."""
    unit = 1
    for below in sorted({to_fraction(row.weight).denominator for row in rows}):
        unit = lcm(unit, below)
        if unit >= 10**LONGEST_NUMBER:
            allowed = f"weights that are multiples of one unit of at most {LONGEST_NUMBER} digits"
            findings.add("", "has weights without a common unit", allowed, "round the weights")
            return


def _check_ballots(
    kind: BallotKind, rows: Sequence[BallotRow], options: Sequence[str], findings: Findings
) -> None:
    index = {name: at for at, name in enumerate(sorted(options))}
    for row in rows:
        if findings.is_full:
            return
        names = _names_of(row.ballot)
        wrong = [name for name in names if isinstance(name, str) and name not in index]
        for name in wrong[:MOST_FAULTS]:
            what = f"names the unknown option {shown(name)}"
            findings.add(row.place, what, _listed(index), nearest(name, index))
        if not wrong and len(names) > len(index):
            _find_repeats(names, row.place, len(index), findings)
        elif not wrong:
            _try(kind, row, index, findings)


def _find_repeats(
    names: Sequence[object], place: int | str, options: int, findings: Findings
) -> None:
    """More names than options: say which come twice, without a fault for each of a million."""
    counted = Counter(name for name in names if isinstance(name, str))
    repeated = [name for name, count in counted.items() if count > 1]
    for name in repeated:
        findings.add(place, f"names {shown(name)} twice", "each option once", "name it once")
    if not repeated:
        what = f"names {len(names)} options"
        findings.add(place, what, f"each of {options} once at most", "drop some")


def _names_of(ballot: object) -> list[object]:
    """Return what a ranking, an approval or scores name, as often as they name it."""
    if isinstance(ballot, Mapping):
        return list(ballot)
    if not isinstance(ballot, list):
        return []
    found: list[object] = []
    for item in ballot:
        found.extend(item if isinstance(item, list) else [item])
    return found


def _try(kind: BallotKind, row: BallotRow, index: Mapping[str, int], findings: Findings) -> None:
    try:
        read_ballot(kind, row.ballot, index, row.place)
    except InvalidInput as error:
        for one in error.faults:
            findings.add(row.place, one.what, one.allowed, one.next)


def _listed(names: Iterable[str]) -> str:
    found = list(names)
    return ", ".join(shown(one) for one in found[:12]) + (", …" if found[12:] else "") or "none"


def exact_weight(value: object, place: int | str, findings: Findings) -> Exact:
    """Return a weight, and 1 with a fault for what is none.

    Args:
        value: text or a number.
        place: where it stands.
        findings: where faults go.

    Example:
        >>> exact_weight("1/2", 3, Findings("x"))
        Fraction(1, 2)
    """
    try:
        found = read_exact(value, "x", "weight")
    except InvalidInput as error:
        findings.add(place, error.faults[0].what, error.faults[0].allowed, "correct the weight")
        return 1
    if found < 0:
        findings.add(place, f"weight is {shown(value)}", "0 or more", "correct the weight")
        return 1
    return found if isinstance(found, int) else Fraction(found)


def whole_count(value: object, place: int | str, findings: Findings) -> int:
    """Return a count of voters, and 1 with a fault for what is none.

    Args:
        value: text or a number.
        place: where it stands.
        findings: where faults go.

    Example:
        >>> whole_count("12", 3, Findings("x"))
        12
    """
    found = whole_number(value.strip()) if isinstance(value, str) else value
    most = 10**LONGEST_NUMBER
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found < most:
        allowed = f"a whole number, 0 or more, of at most {LONGEST_NUMBER} digits"
        findings.add(place, f"has the count {shown(value)}", allowed, "correct the count")
        return 1
    return found
