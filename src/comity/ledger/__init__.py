"""Ledger: the append-only memory that every decision is written to.

Here: entries and their hash chain, one port, SQLite or PostgreSQL behind it, verify and export.
Not here: what the entries mean (session/), when they are written (runner/).
Sources: SEMANTICS K1-K4; ENGINE 1, 7 and 8.

Names are imported when they are first used: ``import comity.ledger`` loads no database. The
function ``verify`` shares its module's name and is imported from there: ``from
comity.ledger.verify import verify``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from comity.ledger.address import without_password
    from comity.ledger.entry import GENESIS, SEALED, Entry, NewEntry
    from comity.ledger.export import csv_lines, json_lines
    from comity.ledger.open import migrate_ledger, open_ledger
    from comity.ledger.port import Appended, Head, Ledger
    from comity.ledger.verify import Problem, Report

__all__ = [
    "GENESIS",
    "SEALED",
    "Appended",
    "Entry",
    "Head",
    "Ledger",
    "NewEntry",
    "Problem",
    "Report",
    "csv_lines",
    "json_lines",
    "migrate_ledger",
    "open_ledger",
    "without_password",
]

_HOMES = {
    "GENESIS": "entry",
    "SEALED": "entry",
    "Appended": "port",
    "Entry": "entry",
    "Head": "port",
    "Ledger": "port",
    "NewEntry": "entry",
    "Problem": "verify",
    "Report": "verify",
    "csv_lines": "export",
    "json_lines": "export",
    "migrate_ledger": "open",
    "open_ledger": "open",
    "without_password": "address",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return __all__
