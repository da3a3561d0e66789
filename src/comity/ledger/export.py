"""Export: the ledger as text that other programs read.

Here: entries as JSON lines and as CSV, line by line.
Not here: which entries (``read`` and ``find`` of the port), and where the lines go.
Sources: SEMANTICS K4; RFC 4180 for CSV, with a plain line feed at the end of lines.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from io import StringIO

from comity.core.canonical import canonical
from comity.ledger.entry import Entry

__all__ = ["CSV_COLUMNS", "csv_lines", "json_lines"]

CSV_COLUMNS = (
    "scope",
    "seq",
    "at_ms",
    "kind",
    "party",
    "request_id",
    "body",
    "prev",
    "hash",
    "v",
)
"""The columns of the CSV, in order; ``body`` is canonical JSON, an absent value is empty."""


def json_lines(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield one line of canonical JSON per entry.

    Args:
        entries: in the order to write them.

    Yields:
        A line with its line feed; without its ``hash`` member it is the text that was hashed.

    Example:
        >>> from comity.ledger.entry import GENESIS, NewEntry, seal
        >>> new = NewEntry("note", {"text": "hello"})
        >>> one = seal(new, scope="s", seq=1, request_id=None, at_ms=7, prev=GENESIS)
        >>> next(json_lines([one]))[:40]
        '{"at_ms":7,"body":{"text":"hello"},"hash'
    """
    for entry in entries:
        yield canonical(entry.to_json()) + "\n"


def csv_lines(entries: Iterable[Entry]) -> Iterator[str]:
    r"""Yield a header and one line of CSV per entry.

    Values are written as they are. A spreadsheet may take a cell that starts with ``=`` for a
    formula: import the columns as text when the parties are not trusted.

    Args:
        entries: in the order to write them.

    Yields:
        Lines with their line feed.

    Example:
        >>> next(csv_lines([]))
        'scope,seq,at_ms,kind,party,request_id,body,prev,hash,v\n'
    """
    yield _csv_line(CSV_COLUMNS)
    for entry in entries:
        fields = entry.to_json()
        fields["body"] = canonical(entry.body)
        yield _csv_line([fields[name] for name in CSV_COLUMNS])


def _csv_line(cells: Iterable[object]) -> str:
    line = StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
