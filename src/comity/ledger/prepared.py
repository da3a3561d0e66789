"""Prepared: a ledger over a database whose tables may still have to be made.

Here: making them ready, and closing the database when that fails.
Not here: how each database does it (sqlite.py, postgres.py), the ledger itself (tables.py).
Sources: ENGINE 7.
"""

from __future__ import annotations

from typing import Protocol

from comity.ledger.tables import Database, TableLedger

__all__ = ["Preparable", "prepared"]


class Preparable(Database, Protocol):
    """A database whose tables may still have to be made."""

    def prepare(self, *, create: bool) -> None:
        """Make the tables, or see that they are there and of this schema."""
        ...


def prepared(database: Preparable, *, create: bool) -> TableLedger:
    """Return the ledger over a database; when its tables cannot be made ready it is closed.

    Args:
        database: where the tables are.
        create: whether they may be made.
    """
    try:
        database.prepare(create=create)
    except BaseException:
        database.close()
        raise
    return TableLedger(database)
