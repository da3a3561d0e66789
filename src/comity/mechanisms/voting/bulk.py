"""Bulk: how are a million rankings read without touching each one?

Here: rankings as one array of ranks, from orders, names or ranks; their one order for the digest.
Not here: any rule (they read the profile); what plain Python does with few ballots (reading.py).
Sources: ARCHITECTURE, "Dependencies" (numpy for large inputs); SEMANTICS G3 (same answers with and
without).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from comity.core.arrays import numpy_or_none
from comity.mechanisms.voting.ballots import UNRANKED, Row
from comity.mechanisms.voting.profile import Profile

__all__ = ["ENOUGH", "Bulk", "bulk_of_names", "bulk_of_orders", "bulk_of_ranks"]

ENOUGH = 10_000
"""Ballots from which arrays are worth their start."""

_PACKED = 15  # options whose ranks fit into one word, four bits each


class Bulk:
    r"""Many rankings of one weight, without names.

    Attributes:
        columns: an array of ranks, option by option in the order of the options.
        size: how many ballots.
        blank: how many ballots ranked nothing; they are not among the columns.

    Example:
        >>> bulk = bulk_of_orders([[0, 1], [1, 0], [0, 1]], [0, 1])
        >>> None if bulk is None else list(bulk.rows())  # None without numpy
        [(b'\x00\x01', 2), (b'\x01\x00', 1)]
    """

    __slots__ = ("_unique", "blank", "columns", "size")

    def __init__(self, columns: Any, *, is_strict: bool = False) -> None:  # noqa: ANN401  # an array
        """Make ranks dense and set blank ballots apart, unless all are complete and strict."""
        np = numpy_or_none()
        self.blank = 0
        if not is_strict:
            columns = _dense(np, columns)
            said = columns.min(axis=0, initial=UNRANKED) != UNRANKED
            self.blank = int(said.size - np.count_nonzero(said))
        self.columns = np.ascontiguousarray(columns[:, said]) if self.blank else columns
        self.size = int(self.columns.shape[1])
        self._unique: Any = None

    def profile(self) -> Profile:
        """Return the ranks for counting."""
        return Profile(self.columns, None, self.size)

    def rows(self) -> Iterator[tuple[Row, int]]:
        """Yield each different row with how many ballots say so, in order."""
        rows, counts = self._counted()
        width = len(self.columns)
        blob = rows.tobytes()
        for at, count in enumerate(counts.tolist()):
            yield blob[at * width : (at + 1) * width], count

    def blocks(self) -> Iterator[bytes]:
        """Yield what a digest is taken over."""
        rows, counts = self._counted()
        yield rows.tobytes()
        yield counts.astype("<i8").tobytes()

    def _counted(self) -> tuple[Any, Any]:
        """Return the different rows, sorted, and how many ballots say each."""
        if self._unique is None:
            np = numpy_or_none()
            if len(self.columns) <= _PACKED:
                self._unique = _packed(np, self.columns)
            else:
                whole = np.ascontiguousarray(self.columns.T)
                words = whole.view(np.dtype((np.void, len(self.columns)))).ravel()
                found, counts = np.unique(words, return_counts=True)
                self._unique = found.view(np.uint8).reshape(len(found), -1), counts
        return self._unique  # type: ignore[no-any-return]  # a pair of arrays


def _packed(np: Any, columns: Any) -> tuple[Any, Any]:  # noqa: ANN401  # numpy and an array
    """Return the different rows and their counts, by sorting one word per ballot."""
    width = len(columns)
    words = np.zeros(columns.shape[1], dtype=np.uint64)
    for column in columns:
        words <<= np.uint64(4)
        words |= np.minimum(column, width)
    words.sort()
    new = np.ones(len(words), dtype=bool)
    np.not_equal(words[1:], words[:-1], out=new[1:])
    starts = np.flatnonzero(new)
    counts = np.diff(np.append(starts, len(words)))
    words = words[starts]
    rows = np.empty((len(words), width), dtype=np.uint8)
    for at in range(width):
        ranks = (words >> np.uint64(4 * (width - 1 - at))).astype(np.uint8) & 15
        ranks[ranks == width] = UNRANKED
        rows[:, at] = ranks
    return rows, counts


def _dense(np: Any, columns: Any) -> Any:  # noqa: ANN401  # numpy and an array
    """Return the ranks counted from 0 without gaps on every ballot."""
    width = len(columns)
    seen = [(columns == rank).any(axis=0) for rank in range(width)] if width < 64 else []
    if seen and all(one.all() for one in seen):
        return columns  # every ballot holds every rank: nothing is left out or equal
    found = np.full_like(columns, UNRANKED)
    place = np.zeros(columns.shape[1], dtype=np.uint8)
    for rank in range(int(columns[columns != UNRANKED].max(initial=0)) + 1):
        here = columns == rank
        np.copyto(found, place, where=here)
        place += here.any(axis=0)
    return found


def bulk_of_ranks(ranks: Any, order: Sequence[int]) -> Bulk | None:  # noqa: ANN401  # array-like
    """Return rankings given as a rank for each option.

    Args:
        ranks: ballots by options, whole numbers from 0; negative or 255 for unranked.
        order: for each option in sorted order, its column.

    Returns:
        The rankings; None without numpy, or for what is no such table.

    Example:
        >>> bulk = bulk_of_ranks([[1, 4], [2, -1]], [0, 1])
        >>> None if bulk is None else bulk.size
        2
    """
    np = numpy_or_none()
    if np is None:
        return None
    try:
        table = np.asarray(ranks)
    except (TypeError, ValueError):
        return None
    if table.ndim != 2 or table.dtype.kind not in "iu" or table.shape[1] != len(order):
        return None
    columns = np.ascontiguousarray(table.T[list(order)])
    if columns.dtype != np.uint8:
        if columns.size and columns.max() > UNRANKED:
            return None
        columns = np.where(columns < 0, UNRANKED, columns).astype(np.uint8)
    return Bulk(columns)


def bulk_of_orders(orders: Sequence[Sequence[int]], order: Sequence[int]) -> Bulk | None:
    """Return complete rankings given as the options' numbers, best first.

    Args:
        orders: per ballot every number once.
        order: for each option in sorted order, its number.

    Returns:
        The rankings; None without numpy, or when a ballot is not complete and strict.

    Example:
        >>> bulk_of_orders([[0, 0]], [0, 1]) is None
        True
    """
    np = numpy_or_none()
    width = len(order)
    if np is None or not width or not _is_rectangular(orders, width):
        return None
    try:
        blob = bytes(chain.from_iterable(orders))
    except (TypeError, ValueError):
        return None
    return _of_places(np, blob, len(orders), order)


def bulk_of_names(ballots: Sequence[Any], index: Mapping[str, int]) -> Bulk | None:
    """Return complete rankings given as lists of names, best first.

    Args:
        ballots: per ballot every option once.
        index: option -> its place among the options.

    Returns:
        The rankings; None without numpy, or when a ballot is not complete and strict.

    Example:
        >>> bulk_of_names([["A", ["B"]]], {"A": 0, "B": 1}) is None
        True
    """
    np = numpy_or_none()
    if np is None or not index or not _is_rectangular(ballots, len(index)):
        return None
    try:
        blob = bytes(map(index.__getitem__, chain.from_iterable(ballots)))
    except (KeyError, TypeError):
        return None
    return _of_places(np, blob, len(ballots), range(len(index)))


def _is_rectangular(ballots: Sequence[Any], width: int) -> bool:
    try:
        return set(map(len, ballots)) == {width} and set(map(type, ballots)) <= {list, tuple}
    except TypeError:
        return False


def _of_places(np: Any, blob: bytes, size: int, order: Sequence[int]) -> Bulk | None:  # noqa: ANN401  # numpy
    """Turn who stands at each place into the place of each option."""
    width = len(order)
    places = np.ascontiguousarray(np.frombuffer(blob, dtype=np.uint8).reshape(size, width).T)
    columns = np.full((width, size), UNRANKED, dtype=np.uint8)
    if width <= 32:
        for at, number in enumerate(order):
            column = columns[at]
            for place in range(width):
                np.copyto(column, place, where=places[place] == number)
    else:
        if int(places.max()) >= width:
            return None
        where = np.empty(width, dtype=np.int64)
        where[list(order)] = np.arange(width)
        across = np.arange(size)
        for place in range(width):
            columns[where[places[place]], across] = place
    if any(int(column.max()) == UNRANKED for column in columns):
        return None
    return Bulk(columns, is_strict=True)
