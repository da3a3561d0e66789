"""Election: who voted what on which options, checked once and ready for any rule?

Here: building an election from ballots, weights and a roster, all faults at once; its JSON.
Not here: what counts read of it (cast.py), reading one ballot (ballots.py), bulk arrays (bulk.py),
the rules, a live vote (protocols/collect.py).
Sources: SEMANTICS V1, G3, G5, G7.

The order in which ballots and options are given carries no meaning and is not kept: options are
sorted by code point, ballots without names are sorted and equal ones counted together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.core.parties import Party, roster_of
from comity.mechanisms.voting.ballots import BallotKind
from comity.mechanisms.voting.bulk import ENOUGH, bulk_of_orders, bulk_of_ranks
from comity.mechanisms.voting.cast import Cast
from comity.mechanisms.voting.reading import (
    Given,
    Invalid,
    Line,
    Read,
    RosterLike,
    in_order,
    read_election,
    read_of_bulk,
)
from comity.mechanisms.voting.rows import (
    ballots_of_orders,
    ballots_of_ranks,
    line_json,
    narrowed,
    number_json,
)

__all__ = ["Election"]

_LARGEST_COUNT = 10**4000  # longer numbers cannot be written down


class Election(Cast):
    """Ballots of one kind on a declared set of options.

    Args:
        ballots: a list of ballots, or voter -> ballot. A ranking is a list, best first, equals
            in a list of their own; an approval a set; scores a mapping; a choice is a name. None
            abstains.
        options: the declared options; without them, all that ballots name.
        kind: the kind of all ballots; without it, told by their types.
        weights: one per ballot, or voter -> weight; exact numbers, or text such as "1/3".
        roster: who may vote, with weights; needs named voters. Others' ballots do not count.
        invalid: ``"refuse"`` raises for ballots that cannot be read, ``"keep"`` keeps them apart
            with their reasons.

    Attributes:
        kind: the kind of ballot.
        options: the options, sorted.
        lines: the valid ballots.
        abstentions: who or how many said nothing.
        invalid: the ballots that do not count.
        absent: members of the roster without a ballot.
        scale: the units of one vote: a line's weight is ``weight / scale``.
        roster: who may vote, or None.
        declared: whether the options were declared.

    Raises:
        InvalidInput: with every fault of the input.

    Example:
        >>> election = Election([["A", "B"], ["B", "A"], ["A", "B"]])
        >>> election.options, election.size, election.pairwise()
        (('A', 'B'), 3, ((0, 2), (1, 0)))
    """

    __slots__ = ()

    def __init__(
        self,
        ballots: Iterable[Any] | Mapping[str, Any],
        *,
        options: Iterable[str] | None = None,
        kind: BallotKind | None = None,
        weights: Sequence[Any] | Mapping[str, Any] | None = None,
        roster: RosterLike | None = None,
        invalid: Literal["refuse", "keep"] = "refuse",
    ) -> None:
        """Check everything and keep what counts."""
        if invalid not in ("refuse", "keep"):
            what = f"is {shown(invalid)}"
            raise InvalidInput(Fault("invalid", what, "refuse, keep", "choose one"))
        if isinstance(ballots, (str, bytes)) or not isinstance(ballots, Iterable):
            what = f"are {shown(ballots)}"
            raise InvalidInput(Fault("ballots", what, "a list, or voter -> ballot", "list them"))
        voters: tuple[str, ...] = ()
        if isinstance(ballots, Mapping):
            voters, ballots = tuple(ballots), ballots.values()
        given = Given(
            ballots=list(ballots),
            names=voters,
            options=options,
            kind=kind,
            weights=weights,
            roster=roster,
            keep=invalid == "keep",
        )
        self._keep(read_election(given), declared=options is not None)

    @classmethod
    def of_counts(
        cls,
        counts: Iterable[tuple[Any, int]],
        *,
        options: Iterable[str] | None = None,
        kind: BallotKind | None = None,
        weight: Exact | str = 1,
    ) -> Election:
        """Build an election of ballots that many voters cast alike.

        Args:
            counts: pairs of a ballot and how many voters cast it.
            options: as for the class.
            kind: as for the class.
            weight: the weight of one voter.

        Returns:
            The election, equal to one with every ballot written out.

        Raises:
            InvalidInput: as for the class, and for counts that are not whole and 0 or more.

        Example:
            >>> Election.of_counts([("A", 3), ("B", 2)]) == Election(["A"] * 3 + ["B"] * 2)
            True
        """
        pairs = list(counts)
        raise_if(
            Fault(
                f"ballot {at}",
                f"has the count {shown(count)}",
                "a whole number, 0 or more",
                "correct the count",
            )
            for at, (_, count) in enumerate(pairs, 1)
            if type(count) is not int or count < 0
        )
        kept = [(ballot, count) for ballot, count in pairs if count]
        given = Given(
            ballots=[ballot for ballot, _ in kept],
            counts=[count for _, count in kept],
            options=options,
            kind=kind,
            weights=None if weight == 1 else [weight] * len(kept),
        )
        return cls._of(given, declared=options is not None)

    @classmethod
    def from_ranks(cls, ranks: Any, options: Sequence[str]) -> Election:  # noqa: ANN401  # array-like
        """Build an election of a table of ranks.

        Args:
            ranks: ballots by options: whole numbers from 0, the smallest best; negative numbers
                and 255 for options that a ballot leaves out. A numpy array, or a list of lists.
            options: the option of each column.

        Returns:
            The election.

        Raises:
            InvalidInput: for options that cannot be used, and for what is no such table.

        Example:
            >>> Election.from_ranks([[0, 1], [1, 0], [0, -1]], ["A", "B"]).pairwise()
            ((0, 2), (1, 0))
        """
        names = read_election(Given(ballots=(), options=list(options), kind="ranking")).options
        bulk = bulk_of_ranks(ranks, [list(options).index(name) for name in names])
        if bulk is not None:
            return cls._of_read(read_of_bulk(bulk, names))
        return cls(ballots_of_ranks(ranks, list(options)), options=options, kind="ranking")

    @classmethod
    def from_orders(cls, orders: Sequence[Sequence[int]], options: Sequence[str]) -> Election:
        """Build an election of rankings given as the numbers of options, best first.

        Args:
            orders: per ballot the numbers of the options that it ranks.
            options: the option of each number, from 0.

        Returns:
            The election.

        Raises:
            InvalidInput: for options that cannot be used, and for ballots that are no such list.

        Example:
            >>> Election.from_orders([[1, 0], [1]], ["A", "B"]).pairwise()
            ((0, 0), (2, 0))
        """
        listed = list(options)
        names = read_election(Given(ballots=(), options=listed, kind="ranking")).options
        if len(orders) >= ENOUGH:
            bulk = bulk_of_orders(orders, [listed.index(name) for name in names])
            if bulk is not None:
                return cls._of_read(read_of_bulk(bulk, names))
        return cls(ballots_of_orders(orders, listed), options=names, kind="ranking")

    @classmethod
    def _of_read(cls, read: Read) -> Election:
        found = cls.__new__(cls)
        Election._keep(found, read, declared=True)
        return found

    @classmethod
    def _of(cls, given: Given, *, declared: bool) -> Election:
        found = cls.__new__(cls)
        Election._keep(found, read_election(given), declared=declared)
        return found

    def _keep(self, read: Read, *, declared: bool) -> None:
        self.kind, self.options, self.scale = read.kind, read.options, read.scale
        self.roster, self.declared = read.roster, declared
        self.abstentions, self.invalid = read.abstentions, read.invalid
        self._bulk = read.bulk
        self._lines = read.lines if read.bulk is None else None
        self._cache = {"weight": len(read.lines)} if read.is_plain else {}
        self._is_plain = read.is_plain
        self.absent = ()
        if read.roster is not None:
            here = {line.voter for line in (*read.lines, *read.abstentions)}
            here.update(one.voter for one in read.invalid)
            self.absent = tuple(name for name in read.roster.ids if name not in here)

    def with_lines(self, lines: Iterable[Line], abstentions: Iterable[Line] = ()) -> Election:
        """Return the same election with other ballots.

        Args:
            lines: rows that fit the options, in any order.
            abstentions: those that say nothing.

        Returns:
            An election with the same options, units and roster; equal lines are merged.

        Example:
            >>> election = Election(["A", "B", "B"])
            >>> election.with_lines(election.lines[1:]).size
            2
        """
        read = Read(
            kind=self.kind,
            options=self.options,
            scale=self.scale,
            roster=self.roster,
            lines=in_order(lines),
            abstentions=in_order(abstentions),
            invalid=self.invalid,
        )
        found = Election.__new__(Election)
        Election._keep(found, read, declared=self.declared)
        return found

    def only(self, options: Iterable[str]) -> Election:
        """Return the same ballots on some of the options; one that names none of them abstains.

        Args:
            options: those that stay.

        Returns:
            An election of rankings, approvals, scores or choices with the other options left out.

        Raises:
            InvalidInput: for options that the election does not have.

        Example:
            >>> Election([["A", "B", "C"], ["C", "B", "A"]]).only(["A", "C"]).pairwise()
            ((0, 1), (1, 0))
        """
        wanted = set(options)
        raise_if(
            Fault("options", f"name {shown(name)}", ", ".join(self.options), "correct it")
            for name in sorted(wanted - set(self.options))
        )
        places = [at for at, name in enumerate(self.options) if name in wanted]
        kept = [line._replace(row=narrowed(self.kind, line.row, places)) for line in self.lines]
        read = Read(
            kind=self.kind,
            options=tuple(self.options[at] for at in places),
            scale=self.scale,
            roster=self.roster,
            lines=in_order(line for line in kept if line.row is not None),
            abstentions=in_order(
                [*self.abstentions, *(line for line in kept if line.row is None)]
            ),
            invalid=self.invalid,
        )
        return Election._of_read(read)

    # --- as a value --------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        """Tell whether two elections hold the same ballots on the same options."""
        if not isinstance(other, Election) or self.digest != other.digest:
            return False
        return self.to_json() == other.to_json()

    def __hash__(self) -> int:
        """Equal elections have equal digests."""
        return hash(self.digest)

    def __repr__(self) -> str:
        """Say how large it is; the ballots are in `lines`."""
        return f"Election(kind={self.kind!r}, options={self.options!r}, size={self.size})"

    def to_json(self) -> dict[str, Json]:
        """Return the whole election; `from_json` reads it back."""
        data: dict[str, Json] = {"kind": self.kind, "options": list(self.options)}
        data["declared"] = self.declared
        data["ballots"] = [
            line_json(self.kind, line, self.options, self.scale)
            for line in (*self.lines, *self.abstentions)
        ]
        if self.invalid:
            data["invalid"] = [
                {"voter": one.voter, "reason": one.reason, "weight": number_json(one.weight)}
                for one in self.invalid
            ]
        if self.roster is not None:
            data["roster"] = [[one.id, number_json(one.weight)] for one in self.roster.parties]
        return data

    @classmethod
    def from_json(cls, data: Any) -> Election:  # noqa: ANN401  # anything a document holds
        """Read what `to_json` wrote.

        Args:
            data: the object.

        Returns:
            The election.

        Raises:
            InvalidInput: for anything else.

        Example:
            >>> election = Election({"ann": ["A", ["B", "C"]]}, weights={"ann": "1/2"})
            >>> Election.from_json(election.to_json()) == election
            True
        """
        try:
            return _from_json(cls, data)
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, InvalidInput):
                raise
            raise InvalidInput(
                Fault(
                    "election", "cannot be read", "what an election's to_json wrote", "give that"
                )
            ) from error


def _from_json(cls: type[Election], data: Any) -> Election:  # noqa: ANN401  # anything
    rows, unread = list(data["ballots"]), list(data.get("invalid", []))
    wrong = [
        Invalid(str(row["voter"]), str(row["reason"]), read_exact(row["weight"], "x", "weight"))
        for row in unread
    ]
    roster = None
    if "roster" in data:
        pairs = [
            (name, read_exact(weight, str(name), "weight")) for name, weight in data["roster"]
        ]
        roster = roster_of([Party(name, weight) for name, weight in pairs])
    weighed = roster is None and any("weight" in row for row in (*rows, *unread))
    given = Given(
        ballots=[row["ballot"] for row in rows],
        names=[row["voter"] for row in rows if "voter" in row],
        counts=[row.get("count", 1) for row in rows],
        options=None if data["kind"] == "yes_no" else data["options"],
        kind=data["kind"],
        weights=[row.get("weight", 1) for row in rows] if weighed else None,
        roster=roster,
        others=[to_fraction(one.weight) for one in wrong],
    )
    counts = given.counts or ()
    if any(type(count) is not int or not 0 < count < _LARGEST_COUNT for count in counts):
        raise ValueError
    named = len(given.names)
    if named and (len(set(given.names)) < len(rows) or any(count != 1 for count in counts)):
        raise ValueError
    found = cls._of(given, declared=bool(data["declared"]))
    if wrong:
        found.invalid = tuple(wrong)
        here = {one.voter for one in wrong}
        found.absent = tuple(name for name in found.absent if name not in here)
    return found
