"""Named rows: what stands in each row of a small table whose first row names its columns?

Here: CSV with known columns, every fault with its line; yes and no; exact numbers in cells.
Not here: what the tables mean (bids_csv.py, gains_csv.py, waits_csv.py), ballots and logs of
votes, which have columns of their own making.
Sources: RFC 4180; SEMANTICS G5, G7.

Columns are parted by tabs when the first row has one, else by semicolons when it has one and no
comma, else by commas. Lines that begin with ``#`` before the first row are remarks.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact
from comity.formats.plain_faults import in_plain_words

__all__ = ["LARGEST_TABLE", "MOST_TOLD", "NamedRow", "NamedRows"]

LARGEST_TABLE = 100_000_000
"""The most characters of a table."""

MOST_TOLD = 100
"""Faults that are told one by one; of more, how many there are."""

_YES, _NO = ("1", "yes", "true", "x"), ("0", "no", "false")


class NamedRow(NamedTuple):
    """One row.

    Attributes:
        line: its line, from 1.
        cells: column -> what stands there, without the spaces around it.
    """

    line: int
    cells: Mapping[str, str]


@dataclass(slots=True)
class NamedRows:
    r"""Rows of one table, and what is wrong with them.

    Attributes:
        whose: the table's name, for messages.
        needed: columns that must be there, and hold something in every row.
        optional: columns that may be left out or empty.
        faults: what was found so far.

    Example:
        >>> table = NamedRows("bids.csv", ("bidder", "bid"))
        >>> [row.cells["bid"] for row in table.read("bidder,bid\na,42\n")]
        ['42']
    """

    whose: str
    needed: Sequence[str]
    optional: Sequence[str] = ()
    faults: list[Fault] = field(default_factory=list)

    def read(self, text: str) -> list[NamedRow]:
        """Return the rows that are whole; see `each`."""
        return list(self.each(text))

    def each(self, text: str) -> Iterator[NamedRow]:
        """Yield the rows that are whole, one by one, so that a long table takes no room twice.

        Args:
            text: what the file holds.

        Yields:
            The rows; faults are noted.

        Raises:
            InvalidInput: for a table that is too long or whose first row cannot be used.
        """
        if len(text) > LARGEST_TABLE:
            what = f"is longer than {LARGEST_TABLE} characters"
            raise InvalidInput(Fault(self.whose, what, "a smaller table", "split it"))
        lines = self._lines(text.removeprefix("\ufeff"))
        line, head = next(lines, (1, []))
        if not head and not self.faults:
            shape = ", ".join([*self.needed, *(f"perhaps {name}" for name in self.optional)])
            self.faults.append(
                Fault(self.whose, "is empty", f"a first row {shape}", "write the table")
            )
            self.tell()
        names = [cell.casefold() for cell in head]
        self._check_head(line, names)
        self.tell()
        found = 0
        needed = [names.index(name) for name in self.needed]
        for at, cells in lines:
            if len(cells) != len(names):
                self.fault(
                    at,
                    f"has {len(cells)} {'cell' if len(cells) == 1 else 'cells'}",
                    f"{len(names)}, as the first row",
                )
                continue
            empty = [names[place] for place in needed if not cells[place]] if "" in cells else ()
            for name in empty:
                self.fault(at, f"names no {name}", f"{name} in every row", f"fill in {name}")
            if not empty:
                found += 1
                yield NamedRow(at, dict(zip(names, cells, strict=True)))
        if not found and not self.faults:
            self.faults.append(
                Fault(self.whose, "has no rows", f"rows of {', '.join(names)}", "add them")
            )

    def _lines(self, text: str) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row that is not empty."""
        before = 0
        while text.startswith("#"):
            text = text.partition("\n")[2]
            before += 1
        first = text.partition("\n")[0]
        parted = "\t" if "\t" in first else ";" if ";" in first and "," not in first else ","
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=parted, strict=True)
        line = 1
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                self.fault(before + line, f"is no CSV: {error}", "RFC 4180", "correct the row")
                return
            cells = list(map(str.strip, row))
            if any(cells):
                yield before + line, cells
            line = reader.line_num + 1

    def _check_head(self, line: int, names: Sequence[str]) -> None:
        known = (*self.needed, *self.optional)
        allowed = ", ".join([*self.needed, *(f"perhaps {name}" for name in self.optional)])
        for name in sorted({one for one in names if names.count(one) > 1}):
            self.fault(line, f"names the column {shown(name)} twice", "each column once")
        for name in sorted(set(names) - set(known)):
            near = did_you_mean(name, known)
            self.fault(line, f"has the column {shown(name)}", allowed, near)
        for name in self.needed:
            if name not in names:
                self.fault(line, f"lacks the column {name}", allowed, f"add {name}")

    def fault(self, line: int, what: str, allowed: str, then: str = "correct the row") -> None:
        """Note a fault of a line."""
        self.faults.append(Fault(f"{self.whose} line {line}", what, allowed, then))

    def number(self, row: NamedRow, name: str) -> Exact | None:
        """Return the exact number of a cell, or None with its fault noted."""
        try:
            return read_exact(row.cells[name], f"{self.whose} line {row.line}", name)
        except InvalidInput as error:
            self.faults.extend(in_plain_words(error.faults))
            return None

    def is_marked(self, row: NamedRow, name: str) -> bool:
        """Tell whether a cell says yes; a column that is not there says no."""
        said = row.cells.get(name, "").casefold()
        if not said:
            return False
        if said not in (*_YES, *_NO):
            what = f"{name} is {shown(row.cells[name])}"
            self.fault(row.line, what, "yes, no or nothing", f"correct {name}")
        return said in _YES

    def tell(self) -> None:
        """Raise with every fault; of very many the first, and how many more there are.

        Raises:
            InvalidInput: when there is a fault.
        """
        more = len(self.faults) - MOST_TOLD
        if more > 0:
            told = Fault(
                self.whose,
                f"has {more} more {'fault' if more == 1 else 'faults'}",
                "none",
                "correct these first",
            )
            raise InvalidInput([*self.faults[:MOST_TOLD], told])
        raise_if(self.faults)
