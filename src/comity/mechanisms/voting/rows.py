"""Rows: what do lines of ballots say to a count, to a digest, to a file?

Here: the ranks that a row gives, a row on fewer options, the bytes of a digest, the JSON of a
line, tables of ranks and orders as ballots.
Not here: elections (election.py), reading one ballot (ballots.py).
Sources: SEMANTICS V1, G1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import compress
from operator import gt
from struct import pack
from typing import Any

from comity.core.canonical import Json
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, to_fraction
from comity.mechanisms.voting.ballots import UNRANKED, BallotKind, Row, write_ballot
from comity.mechanisms.voting.reading import Line, whole

_LARGEST_COUNT = 2**63
_APPROVED = bytes([UNRANKED]) + bytes(255)

__all__ = [
    "ballots_of_orders",
    "ballots_of_ranks",
    "blocks_of",
    "line_json",
    "narrowed",
    "number_json",
    "pairs_of_scores",
    "ranks_in",
    "row_text",
]


def narrowed(kind: BallotKind, row: Row | None, places: Sequence[int]) -> Row | None:
    """Return a row with only some of its options; None when it says nothing about them.

    Args:
        kind: the kind of ballot.
        row: the row.
        places: the places of the options that stay, ascending.

    Example:
        >>> list(narrowed("ranking", bytes([2, 0, 1]), [0, 2]))
        [1, 0]
    """
    assert row is not None
    if kind in {"choice", "yes_no"}:
        return bytes((places.index(int(row[0] or 0)),)) if row[0] in places else None
    kept = [row[at] for at in places]
    if kind == "score":
        return tuple(kept) if any(one is not None for one in kept) else None
    ranks = [int(one or 0) for one in kept]
    if kind == "approval":
        return bytes(ranks)
    used = sorted(set(ranks) - {UNRANKED})
    dense = {rank: at for at, rank in enumerate(used)}
    return bytes(dense.get(rank, UNRANKED) for rank in ranks) if used else None


def ranks_in(kind: BallotKind, row: Row | None, options: int) -> bytes:
    """Return the ranks that a row gives to the options.

    Args:
        kind: the kind of ballot.
        row: the row.
        options: how many options there are.

    Returns:
        A byte per option, 0 best, `UNRANKED` for none. Scores rank by score, approvals in two
        ranks, a choice above the rest.

    Example:
        >>> list(ranks_in("approval", bytes([1, 0]), 2))
        [0, 255]
    """
    if kind == "ranking":
        return row  # type: ignore[return-value]  # ranks already
    assert row is not None
    if kind == "approval":
        return row.translate(_APPROVED)  # type: ignore[union-attr]  # bytes
    if kind == "score":
        known: list[Any] = sorted(set(row) - {None}, reverse=True)
        place = dict(zip(known, range(UNRANKED), strict=False))
        place[None] = UNRANKED
        return bytes(map(place.__getitem__, row))
    ranks = bytearray([UNRANKED]) * options
    ranks[row[0]] = 0  # type: ignore[index]  # the option's index
    return bytes(ranks)


def pairs_of_scores(lines: Sequence[Line], options: int) -> tuple[tuple[int, ...], ...] | None:
    """Return how much weight scores each option above each other, where no score is missing.

    Args:
        lines: the ballots.
        options: how many options there are.

    Returns:
        The matrix; None when a score is missing.

    Example:
        >>> pairs_of_scores([Line((3, 1), 1, 2)], 2)
        ((0, 2), (0, 0))
    """
    rows: list[Any] = [line.row for line in lines]
    if any(None in row for row in rows):
        return None
    columns = list(zip(*rows, strict=True)) or [()] * options
    masses = [weight * count for _, weight, count, _ in lines]
    alike = set(masses) == {1}
    return tuple(
        [
            tuple(
                [
                    sum(map(gt, mine, other) if alike else compress(masses, map(gt, mine, other)))
                    for other in columns
                ]
            )
            for mine in columns
        ]
    )


def blocks_of(lines: Sequence[Line]) -> Iterable[bytes]:
    """Yield what a digest is taken over; bulk.py yields the same for the same ballots.

    Args:
        lines: in their order.

    Example:
        >>> list(blocks_of([Line(b"a", 1, 2)]))[0]
        b'a'
    """
    rows: list[Any] = []
    counts = []
    for row, weight, count, voter in lines:
        if weight != 1 or voter or count >= _LARGEST_COUNT:
            yield repr([tuple(line) for line in lines]).encode("utf-8", "surrogatepass")
            return
        rows.append(row)
        counts.append(count)
    yield repr(rows).encode() if rows and isinstance(rows[0], tuple) else b"".join(rows)
    yield pack(f"<{len(counts)}q", *counts)


def row_text(kind: BallotKind, row: Row | None, options: Sequence[str]) -> str:
    """Return what a ballot says, in words.

    Args:
        kind: the kind of ballot.
        row: the row, or None for an abstention.
        options: the options.

    Example:
        >>> row_text("ranking", bytes([1, 0, 1]), ("A", "B", "C"))
        'B > A = C'
    """
    said: Any = write_ballot(kind, row, options)
    if said is None:
        return "nothing"
    if kind == "ranking":
        return " > ".join(one if isinstance(one, str) else " = ".join(one) for one in said)
    if kind == "score":
        return ", ".join(f"{name} = {value}" for name, value in said.items())
    return ", ".join(said) or "none" if kind == "approval" else str(said)


def number_json(value: Exact) -> Json:
    """Return an exact number as JSON.

    Args:
        value: the number.

    Example:
        >>> number_json(Fraction(1, 3))
        '1/3'
    """
    return value if isinstance(value, int) else str(to_fraction(value))


def line_json(kind: BallotKind, line: Line, options: Sequence[str], scale: int) -> Json:
    r"""Return a line as JSON.

    Args:
        kind: the kind of ballot.
        line: the line.
        options: the options.
        scale: the units of one vote.

    Example:
        >>> line_json("choice", Line(b"\0", 1, 2), ("A",), 1)
        {'ballot': 'A', 'count': 2}
    """
    data: dict[str, Json] = {"ballot": write_ballot(kind, line.row, options)}
    if line.voter:
        data["voter"] = line.voter
    if line.count != 1:
        data["count"] = line.count
    if line.weight != scale:
        data["weight"] = number_json(whole(Fraction(line.weight, scale)))
    return data


def ballots_of_ranks(ranks: Any, options: Sequence[str]) -> list[Any]:  # noqa: ANN401  # a table
    """Return each row of ranks as a ballot.

    Args:
        ranks: the table.
        options: the option of each column.

    Raises:
        InvalidInput: for the first row that is none.

    Example:
        >>> ballots_of_ranks([[1, 0, -1]], ["A", "B", "C"])
        [[['B'], ['A']]]
    """
    ballots: list[Any] = []
    for row in ranks:
        listed = list(row) if isinstance(row, (list, tuple, bytes)) else None
        if listed is None or len(listed) != len(options) or not _are_ranks(listed):
            what = f"is {shown(row)}"
            allowed = f"{len(options)} whole numbers below {UNRANKED}"
            raise InvalidInput(Fault(f"row {len(ballots) + 1}", what, allowed, "correct the row"))
        groups: dict[int, list[str]] = {}
        for name, rank in zip(options, listed, strict=True):
            if 0 <= rank < UNRANKED:
                groups.setdefault(rank, []).append(name)
        ballots.append([groups[rank] for rank in sorted(groups)])
    return ballots


def _are_ranks(row: Sequence[object]) -> bool:
    return all(
        isinstance(rank, int) and not isinstance(rank, bool) and rank <= UNRANKED for rank in row
    )


def ballots_of_orders(orders: Iterable[Any], options: Sequence[str]) -> list[Any]:
    """Return each list of numbers as a list of names; a number that has none is named as such.

    Args:
        orders: lists of numbers.
        options: the option of each number.

    Example:
        >>> ballots_of_orders([[1, 0]], ["A", "B"])
        [['B', 'A']]
    """
    names = dict(enumerate(options))
    return [
        [names.get(number, f"number {number!r}") for number in order]
        if isinstance(order, (list, tuple))
        else order
        for order in orders
    ]
