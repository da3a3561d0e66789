"""Reading: what did the caller hand in, and what of it counts?

Here: kind, options, roster and weights of an election, every ballot read into a line, all faults
at once.
Not here: the election itself (election.py), one ballot (ballots.py).
Sources: SEMANTICS V1, G5, G7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import Any, NamedTuple

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.core.parties import Party, PartyId, Roster, roster_of
from comity.mechanisms.voting.ballots import (
    KINDS,
    MOST_OPTIONS,
    QUICK,
    YES_NO,
    BallotKind,
    Row,
    guess_kind,
    names_in,
    read_ballot,
)
from comity.mechanisms.voting.bulk import ENOUGH, Bulk, bulk_of_names

__all__ = [
    "Given",
    "Invalid",
    "Line",
    "Read",
    "RosterLike",
    "in_order",
    "read_election",
    "read_of_bulk",
    "whole",
]

_new = tuple.__new__  # makes a line in half the time

RosterLike = Roster | Iterable[str | Party]


class Line(NamedTuple):
    """Ballots that say the same with the same weight.

    Attributes:
        row: what they say (ballots.py); None for an abstention.
        weight: the weight of one of them, in units of 1/scale.
        count: how many voters cast it.
        voter: who, when voters have names; then the count is 1.
    """

    row: Row | None
    weight: int
    count: int  # type: ignore[assignment]  # hides a method of tuples that lines do not need
    voter: PartyId = ""


@dataclass(frozen=True, slots=True)
class Invalid:
    """A ballot that does not count, kept with its reason.

    Attributes:
        voter: who cast it; its number among the ballots when voters have no names.
        reason: why it does not count.
        weight: its weight, which stays in the denominator; 0 for who is no member.

    Example:
        >>> Invalid("ann", "names the unknown option 'x'").weight
        1
    """

    voter: str
    reason: str
    weight: Exact = 1


class Given(NamedTuple):
    """What a caller hands in, unchecked.

    Attributes:
        ballots: the ballots, in any order.
        names: their voters, or nothing when they have no names.
        counts: how many voters cast each, or None for one each.
        options: the declared options, or None.
        kind: the kind of ballot, or None.
        weights: per ballot or by voter, or None.
        roster: who may vote, or None.
        others: weights of ballots that are not here and count in the same units.
        keep: whether ballots that do not count are kept apart instead of refused.

    Example:
        >>> Given(ballots=["A"]).keep
        False
    """

    ballots: Sequence[Any]
    names: Sequence[str] = ()
    counts: Sequence[int] | None = None
    options: Any = None
    kind: Any = None
    weights: Any = None
    roster: RosterLike | None = None
    others: Sequence[Fraction] = ()
    keep: bool = False


class Read(NamedTuple):
    """What counts of it.

    Attributes:
        kind: the kind of ballot.
        options: the options, sorted.
        scale: the units of one vote.
        roster: who may vote, or None.
        lines: the valid ballots, sorted.
        abstentions: those that say nothing, sorted.
        invalid: those that do not count, sorted.
        bulk: the valid ballots in an array, in place of the lines.
        is_plain: whether every line is one ballot that weighs one unit.

    Example:
        >>> [line.count for line in read_election(Given(ballots=["B", "A", "B"])).lines]
        [1, 2]
    """

    kind: BallotKind
    options: tuple[str, ...]
    scale: int
    roster: Roster | None
    lines: tuple[Line, ...]
    abstentions: tuple[Line, ...]
    invalid: tuple[Invalid, ...]
    bulk: Bulk | None = None
    is_plain: bool = False


def read_election(given: Given) -> Read:
    """Read what a caller handed in.

    Args:
        given: the input.

    Returns:
        What counts of it.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> read_election(Given(ballots=[["A", "B"], ["B"]])).options
        ('A', 'B')
    """
    faults: list[Fault] = []
    kind = _kind(given, faults)
    options = _options(kind, given.options, given.ballots, faults)
    roster = _roster(given, faults)
    scale, units = _weights(given, roster, faults)
    if given.names:
        faults.extend(_nameless(given.names))
    if faults:
        raise InvalidInput(faults)
    index = {name: at for at, name in enumerate(options)}
    if _is_bare(given):
        read = _quickly(kind, given.ballots, index, options)
        if read is not None:
            return read
    sorting = _Sorting(kind, index, roster, scale)
    for at, ballot in enumerate(given.ballots):
        voter = given.names[at] if given.names else ""
        weight = 1 if units is None else units[at]
        count = 1 if given.counts is None else given.counts[at]
        sorting.take(ballot, voter, weight, count, at)
    if not given.keep:
        raise_if(sorting.faults)
    return sorting.read(options)


def _nameless(names: Sequence[object]) -> list[Fault]:
    return [
        Fault("ballots", f"name the voter {shown(name)}", "texts", "name every voter")
        for name in names
        if not isinstance(name, str) or not name.strip()
    ]


def _is_bare(given: Given) -> bool:
    return not given.names and given.counts is given.weights is given.roster is None


def _quickly(
    kind: BallotKind, ballots: Sequence[Any], index: Mapping[str, int], options: tuple[str, ...]
) -> Read | None:
    """Read ballots that all are whole and plain; None when one is not."""
    if kind == "ranking" and len(ballots) >= ENOUGH:
        bulk = bulk_of_names(ballots, index)
        if bulk is not None:
            return read_of_bulk(bulk, options)
    quick = QUICK.get(kind)
    if quick is None:
        return None
    counts: dict[Row, int] = {}
    for ballot in ballots:
        row = quick(ballot, index)
        if row is None:
            return None
        counts[row] = counts.get(row, 0) + 1
    return Read(
        kind=kind,
        options=options,
        scale=1,
        roster=None,
        lines=tuple([_new(Line, (row, 1, counts[row], "")) for row in sorted(counts)]),
        abstentions=(),
        invalid=(),
        is_plain=len(counts) == len(ballots),
    )


def read_of_bulk(bulk: Bulk, options: tuple[str, ...]) -> Read:
    """Return an array of rankings as what counts.

    Args:
        bulk: the rankings.
        options: the options, sorted.

    Example:
        >>> bulk = bulk_of_names([["A", "B"]], {"A": 0, "B": 1})
        >>> bulk and read_of_bulk(bulk, ("A", "B")).kind  # None without numpy
        'ranking'
    """
    return Read(
        kind="ranking",
        options=options,
        scale=1,
        roster=None,
        lines=(),
        abstentions=(Line(None, 1, bulk.blank),) if bulk.blank else (),
        invalid=(),
        bulk=bulk,
    )


class _Sorting:
    """Ballots on their way into valid, blank and invalid ones."""

    __slots__ = ("blank", "faults", "index", "kind", "named", "roster", "rows", "scale", "wrong")

    def __init__(
        self, kind: BallotKind, index: Mapping[str, int], roster: Roster | None, scale: int
    ) -> None:
        self.kind, self.index, self.roster, self.scale = kind, index, roster, scale
        self.rows: dict[tuple[Row, int], int] = {}
        self.named: list[Line] = []
        self.blank: dict[tuple[int, str], int] = {}
        self.wrong: list[Invalid] = []
        self.faults: list[Fault] = []

    def take(self, ballot: object, voter: str, weight: int, count: int, at: int) -> None:
        """Read one ballot."""
        whose = voter or str(at + 1)
        if self.roster is not None and voter not in self.roster:
            what = "comes from no member of the roster"
            self.faults.append(Fault(f"ballot of {shown(voter)}", what, "members", "drop it"))
            self.wrong.append(Invalid(whose, what, 0))
            return
        try:
            row = read_ballot(self.kind, ballot, self.index, voter or at + 1)
        except InvalidInput as error:
            self.faults.extend(error.faults)
            reason = "; ".join(one.what for one in error.faults)
            self.wrong.append(Invalid(whose, reason, whole(Fraction(weight * count, self.scale))))
            return
        if row is None:
            key = (weight, voter)
            self.blank[key] = self.blank.get(key, 0) + count
        elif voter:
            self.named.append(Line(row, weight, count, voter))
        else:
            self.rows[row, weight] = self.rows.get((row, weight), 0) + count

    def read(self, options: tuple[str, ...]) -> Read:
        """Return all in its one order."""
        lines = self.named
        lines += [Line(row, weight, count) for (row, weight), count in self.rows.items()]
        blank = [Line(None, weight, count, who) for (weight, who), count in self.blank.items()]
        return Read(
            kind=self.kind,
            options=options,
            scale=self.scale,
            roster=self.roster,
            lines=tuple(sorted(lines, key=_place)),
            abstentions=tuple(sorted(blank, key=_place)),
            invalid=tuple(sorted(self.wrong, key=lambda one: (one.voter, one.reason, one.weight))),
        )


def in_order(lines: Iterable[Line]) -> tuple[Line, ...]:
    """Return lines in their one order, equal ones counted together.

    Args:
        lines: in any order.

    Example:
        >>> in_order([Line(b"1", 1, 2), Line(b"0", 1, 1), Line(b"1", 1, 1)])[1].count
        3
    """
    merged: dict[tuple[Row | None, int, str], int] = {}
    for row, weight, count, voter in lines:
        key = (row, weight, voter)
        merged[key] = merged.get(key, 0) + count
    found = [
        Line(row, weight, count, who) for (row, weight, who), count in merged.items() if count
    ]
    return tuple(sorted(found, key=_place))


def _place(line: Line) -> tuple[Any, ...]:
    row = line.row
    if isinstance(row, tuple):
        return (line.voter, tuple((value is not None, value or 0) for value in row), line.weight)
    return (line.voter, row or b"", line.weight)


def whole(value: Fraction | int) -> Exact:
    """Return a fraction, as an int when it is one.

    Args:
        value: the fraction, or an int already.

    Example:
        >>> whole(Fraction(4, 2)), whole(Fraction(1, 2))
        (2, Fraction(1, 2))
    """
    return value.numerator if value.denominator == 1 else value


# --- the parts -------------------------------------------------------------------------------


def _kind(given: Given, faults: list[Fault]) -> BallotKind:
    kind = given.kind
    if kind is None and given.ballots and type(given.ballots[0]) is list:
        return "ranking"
    if kind is None:
        found = guess_kind(given.ballots)
        return "choice" if found == "yes_no" and not _is_yes_no(given.options) else found
    if kind in KINDS:
        return kind  # type: ignore[no-any-return]  # a member of the list
    faults.append(Fault("election", f"has the kind {shown(kind)}", ", ".join(KINDS), "choose one"))
    return "choice"


def _is_yes_no(options: object) -> bool:
    """Whether declared options are those of a yes/no vote, which need not be declared."""
    if not isinstance(options, Iterable) or isinstance(options, str):
        return options is None
    names = list(options)
    return all(name in YES_NO for name in names) and len(names) in {0, 2, 3}


def _options(
    kind: BallotKind, options: object, given: Sequence[Any], faults: list[Fault]
) -> tuple[str, ...]:
    if kind == "yes_no":
        if not _is_yes_no(options):
            faults.append(
                Fault("options", "are given", "none for a yes/no vote", "leave them out")
            )
        return YES_NO
    if options is None:
        found = _names(kind, given)
        if kind == "choice":
            found.discard("abstain")
        names: list[Any] = sorted(found)
    elif isinstance(options, str) or not isinstance(options, Iterable):
        faults.append(Fault("options", f"are {shown(options)}", "a list of names", "list them"))
        return ()
    else:
        names = list(options)
    bad = [one for one in names if not isinstance(one, str) or not one.strip()]
    if bad:
        faults.extend(Fault("options", f"list {shown(one)}", "texts", "name it") for one in bad)
        return ()
    if len(set(names)) < len(names):
        twice = sorted(name for name, count in Counter(names).items() if count > 1)
        faults.extend(
            Fault("options", f"list {shown(name)} twice", "each once", "drop one")
            for name in twice
        )
    if len(names) > MOST_OPTIONS:
        most = f"at most {MOST_OPTIONS}"
        faults.append(Fault("options", f"are {len(names)}", most, "vote in groups"))
    return tuple(sorted(set(names)))


def _names(kind: BallotKind, given: Sequence[Any]) -> set[str]:
    """Return the names that all ballots mention."""
    found: set[Any] = set()
    if kind == "ranking" and all(isinstance(one, (list, tuple)) for one in given):
        with suppress(TypeError):  # groups of equals cannot be put into a set
            return {name for name in set(chain.from_iterable(given)) if isinstance(name, str)}
    for ballot in given:
        found |= names_in(kind, ballot)
    return found


def _roster(given: Given, faults: list[Fault]) -> Roster | None:
    roster = given.roster
    if roster is None:
        return None
    if given.ballots and not given.names:
        faults.append(
            Fault("election", "has a roster and ballots without names", "voter -> ballot",
                  "name the voters")
        )  # fmt: skip
    try:
        return roster if isinstance(roster, Roster) else roster_of(roster)
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


def _weights(
    given: Given, roster: Roster | None, faults: list[Fault]
) -> tuple[int, list[int] | None]:
    """Return the units of one vote and every ballot's weight in units; None for one each."""
    weights, names, size = given.weights, given.names, len(given.ballots)
    if roster is not None and weights is None:
        known = {party.id: to_fraction(party.weight) for party in roster.parties}
        if all(value == 1 for value in known.values()):
            return 1, None
        return _in_units([known.get(name, Fraction(0)) for name in names], list(known.values()))
    if weights is None:
        return 1, None
    if roster is not None:
        faults.append(Fault("weights", "are given beside a roster", "one of them", "drop one"))
    whose = list(names) if names else [f"ballot {at + 1}" for at in range(size)]
    if isinstance(weights, Mapping):
        missing = [name for name in whose if name not in weights]
        extra = [name for name in weights if name not in set(whose)]
        faults.extend(_unmatched(name, "has no weight") for name in missing)
        faults.extend(_unmatched(name, "has a weight and no ballot") for name in extra)
        values = [weights.get(name, 0) for name in whose]
    elif isinstance(weights, (list, tuple)) and len(weights) == size:
        values = list(weights)
    else:
        faults.append(
            Fault("weights", "do not match the ballots", f"{size} weights", "count them")
        )
        return 1, None
    read = []
    for name, value in zip(whose, values, strict=True):
        try:
            weight = to_fraction(read_exact(value, str(name), "weight"))
        except InvalidInput as error:
            faults.extend(error.faults)
            continue
        if weight < 0:
            what = f"weight is {weight}"
            faults.append(Fault(str(name), what, "0 or more", "correct the weight"))
        read.append(weight)
    return _in_units(read, [*read, *given.others])


def _unmatched(name: object, what: str) -> Fault:
    return Fault(f"voter {shown(name)}", what, "a weight for each ballot", "match them")


def _in_units(values: Sequence[Fraction], known: Sequence[Fraction]) -> tuple[int, list[int]]:
    scale = lcm(*(value.denominator for value in (*known, *values)), 1)
    return scale, [int(value * scale) for value in values]
