"""ledger/schema.py: portable, numbered, append-only (ENGINE 7)."""

from __future__ import annotations

import re

from comity.ledger import schema, tables


def test_migrations_are_numbered_from_1_without_gaps() -> None:
    numbers = [migration.number for migration in schema.MIGRATIONS]
    assert numbers == list(range(1, len(numbers) + 1))
    assert schema.newest() == numbers[-1]


def test_statements_are_portable_to_postgresql() -> None:
    """No SQLite dialect outside of what is marked for SQLite, and one kind of placeholder."""
    statements = [sql for one in schema.MIGRATIONS for sql in one.statements]
    statements += [
        sql
        for name, sql in vars(tables).items()
        if isinstance(sql, str) and re.match("(SELECT|INSERT|UPDATE|DELETE) ", sql)
    ]
    statements += tables.RAW_SQL.values()
    assert len(statements) > 20
    own = r"OR REPLACE|OR IGNORE|AUTOINCREMENT|rowid|PRAGMA|sqlite|GLOB|IFNULL|TRIGGER|\[|`|\"|%"
    for statement in statements:
        assert not re.search(own, statement, re.IGNORECASE), statement


def test_placeholders_are_turned_in_one_place() -> None:
    assert tables.placed("VALUES (?, ?)", "qmark") == "VALUES (?, ?)"
    assert tables.placed("VALUES (?, ?)", "format") == "VALUES (%s, %s)"


def test_postgresql_sorts_every_text_by_its_bytes_as_sqlite_does() -> None:
    for migration in schema.MIGRATIONS:
        told = " ".join(migration.for_postgres())
        assert len(re.findall(r"\bTEXT\b", told)) == told.count('TEXT COLLATE "C"') > 10
        assert told.count("CREATE TRIGGER") == 2


def test_only_entries_and_anchors_are_guarded() -> None:
    guards = [sql for one in schema.MIGRATIONS for sql in one.sqlite]
    assert len(guards) == 6
    for guard in guards:
        assert re.match(r"CREATE TRIGGER (entries|anchors)_no_(update|delete|replace) ", guard)
