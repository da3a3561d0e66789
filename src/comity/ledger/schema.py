"""The schema: which tables does a ledger have, and how did they come to be?

Here: numbered migrations in portable SQL, and the guards that each database adds to them.
Not here: who applies them (ledger/sqlite.py, ledger/postgres.py), the statements that read and
write (ledger/tables.py).
Sources: ENGINE 7; SEMANTICS K1, K3.

A migration is never changed once released; the next one is appended. Tables are only ever
extended. The guards refuse UPDATE, DELETE, INSERT OR REPLACE and TRUNCATE on what is append-only.
They stop accidents, and prove nothing: whoever can write the file, or owns the tables, can drop
them (verify says so).
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FORMAT", "MIGRATIONS", "Migration", "newest"]

FORMAT = "comity-ledger"
"""The value of ``format`` in table ``meta``: this is a ledger and nothing else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step of the schema.

    Attributes:
        number: from 1, without gaps.
        statements: portable SQL.
        sqlite: what SQLite gets besides.
        postgres: what PostgreSQL gets besides.
    """

    number: int
    statements: tuple[str, ...]
    sqlite: tuple[str, ...] = ()
    postgres: tuple[str, ...] = ()

    def for_postgres(self) -> tuple[str, ...]:
        """Return all of it for PostgreSQL, where text is told to sort by its bytes."""
        portable = (one.replace(" TEXT", ' TEXT COLLATE "C"') for one in self.statements)
        return (*portable, *self.postgres)


def newest() -> int:
    """Return the number of the schema this code writes.

    Example:
        >>> newest()
        1
    """
    return MIGRATIONS[-1].number


def _guards(table: str, known: str) -> tuple[str, ...]:
    says = f"BEGIN SELECT RAISE(ABORT, 'append-only: {table} are never changed'); END"
    return (
        f"CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table} {says}",
        f"CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table} {says}",
        f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN EXISTS ({known}) {says}",
    )


def _postgres_guard(table: str) -> str:
    return (
        f"CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {table}"
        " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )


_FIRST = Migration(
    number=1,
    statements=(
        """CREATE TABLE meta (
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            CONSTRAINT meta_key PRIMARY KEY (name)
        )""",
        """CREATE TABLE entries (
            scope TEXT NOT NULL,
            seq BIGINT NOT NULL,
            idx BIGINT NOT NULL,
            kind TEXT NOT NULL,
            party TEXT,
            body TEXT NOT NULL,
            request_id TEXT,
            at_ms BIGINT NOT NULL,
            prev TEXT NOT NULL,
            hash TEXT NOT NULL,
            v BIGINT NOT NULL,
            CONSTRAINT entries_key PRIMARY KEY (scope, seq),
            CONSTRAINT entries_request UNIQUE (scope, request_id, idx)
        )""",
        """CREATE INDEX entries_public_kind ON entries (kind, at_ms, scope, seq)
            WHERE party IS NULL""",
        """CREATE TABLE heads (
            scope TEXT NOT NULL,
            seq BIGINT NOT NULL,
            hash TEXT NOT NULL,
            at_ms BIGINT NOT NULL,
            CONSTRAINT heads_key PRIMARY KEY (scope)
        )""",
        """CREATE TABLE anchors (
            n BIGINT NOT NULL,
            scope TEXT NOT NULL,
            seq BIGINT NOT NULL,
            head TEXT NOT NULL,
            at_ms BIGINT NOT NULL,
            prev TEXT NOT NULL,
            hash TEXT NOT NULL,
            CONSTRAINT anchors_key PRIMARY KEY (n),
            CONSTRAINT anchors_entry UNIQUE (scope, seq)
        )""",
        "INSERT INTO meta (name, value) VALUES ('format', 'comity-ledger')",
        "INSERT INTO meta (name, value) VALUES ('schema_version', '1')",
    ),
    sqlite=(
        *_guards(
            "entries",
            "SELECT 1 FROM entries WHERE scope = NEW.scope AND seq = NEW.seq"
            " OR scope = NEW.scope AND request_id = NEW.request_id AND idx = NEW.idx",
        ),
        *_guards(
            "anchors",
            "SELECT 1 FROM anchors WHERE n = NEW.n OR scope = NEW.scope AND seq = NEW.seq",
        ),
    ),
    postgres=(
        """CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'append-only: % are never changed', TG_TABLE_NAME; END $$""",
        _postgres_guard("entries"),
        _postgres_guard("anchors"),
    ),
)

MIGRATIONS: tuple[Migration, ...] = (_FIRST,)
