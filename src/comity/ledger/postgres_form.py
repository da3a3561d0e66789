"""Form: what should the catalog of PostgreSQL say about the tables of a ledger?

Here: the question, and the answer of an untouched ledger.
Not here: how the tables are made (ledger/schema.py).
Sources: https://www.postgresql.org/docs/current/catalogs.html.

Verify compares the two: what was added, dropped, redefined or switched off is a problem.
"""

from __future__ import annotations

from comity.ledger.schema import MIGRATIONS

__all__ = ["FORM", "FORM_SQL"]

FORM_SQL = """
WITH ours AS (
    SELECT c.* FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %s
)
SELECT 'relation', c.relname::text, concat_ws(' ', c.relkind, c.relpersistence,
    CASE WHEN c.relrowsecurity THEN 'row security' END,
    CASE WHEN c.relhassubclass OR c.relispartition THEN 'inherits' END)
FROM ours c WHERE c.relkind NOT IN ('i', 'I', 't', 'c')
UNION ALL
SELECT 'column', c.relname || '.' || a.attname, concat_ws(' ',
    format_type(a.atttypid, a.atttypmod), l.collname,
    CASE WHEN a.attnotnull THEN 'not null' END,
    CASE WHEN a.atthasdef THEN 'default' END)
FROM ours c JOIN pg_attribute a ON a.attrelid = c.oid
LEFT JOIN pg_collation l ON l.oid = a.attcollation
WHERE c.relkind NOT IN ('i', 'I', 't', 'c') AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
SELECT 'constraint', k.conname::text, pg_get_constraintdef(k.oid, true)
FROM ours c JOIN pg_constraint k ON k.conrelid = c.oid WHERE k.contype <> 'n'
UNION ALL
SELECT 'index', i.relname::text, concat_ws(' ', pg_get_indexdef(i.oid, 0, true),
    CASE WHEN NOT (x.indisvalid AND x.indisready) THEN 'invalid' END)
FROM ours c JOIN pg_index x ON x.indrelid = c.oid JOIN pg_class i ON i.oid = x.indexrelid
UNION ALL
SELECT 'trigger', t.tgname::text, t.tgenabled::text || ' ' || pg_get_triggerdef(t.oid, true)
FROM ours c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE NOT t.tgisinternal
UNION ALL
SELECT 'function', f.proname::text, f.prosrc
FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
WHERE n.nspname = current_schema()
UNION ALL
SELECT 'rule', w.rulename::text, pg_get_ruledef(w.oid, true)
FROM ours c JOIN pg_rewrite w ON w.ev_class = c.oid
UNION ALL
SELECT 'policy', p.polname::text, p.polcmd::text
FROM ours c JOIN pg_policy p ON p.polrelid = c.oid
"""
"""Asks for everything in a schema, as kind, name and form."""

_TEXT = "text C not null"  # C: it sorts by its bytes
_NUMBER = "bigint not null"
_COLUMNS = {
    "anchors": {
        "n": _NUMBER,
        "scope": _TEXT,
        "seq": _NUMBER,
        "head": _TEXT,
        "at_ms": _NUMBER,
        "prev": _TEXT,
        "hash": _TEXT,
    },
    "entries": {
        "scope": _TEXT,
        "seq": _NUMBER,
        "idx": _NUMBER,
        "kind": _TEXT,
        "party": "text C",
        "body": _TEXT,
        "request_id": "text C",
        "at_ms": _NUMBER,
        "prev": _TEXT,
        "hash": _TEXT,
        "v": _NUMBER,
    },
    "heads": {"scope": _TEXT, "seq": _NUMBER, "hash": _TEXT, "at_ms": _NUMBER},
    "meta": {"name": _TEXT, "value": _TEXT},
}
_KEYS = {
    "anchors_key": ("anchors", "PRIMARY KEY", "(n)"),
    "anchors_entry": ("anchors", "UNIQUE", "(scope, seq)"),
    "entries_key": ("entries", "PRIMARY KEY", "(scope, seq)"),
    "entries_request": ("entries", "UNIQUE", "(scope, request_id, idx)"),
    "heads_key": ("heads", "PRIMARY KEY", "(scope)"),
    "meta_key": ("meta", "PRIMARY KEY", "(name)"),
}


def _form() -> dict[str, str]:
    found = {f"relation {table}": "r p" for table in _COLUMNS}
    for table, columns in _COLUMNS.items():
        found |= {f"column {table}.{name}": form for name, form in columns.items()}
    for name, (table, kind, columns_of_key) in _KEYS.items():
        found[f"constraint {name}"] = f"{kind} {columns_of_key}"
        index = f"CREATE UNIQUE INDEX {name} ON {table} USING btree {columns_of_key}"
        found[f"index {name}"] = index
    found["index entries_public_kind"] = (
        "CREATE INDEX entries_public_kind ON entries"
        " USING btree (kind, at_ms, scope, seq) WHERE party IS NULL"
    )
    (function, *_) = MIGRATIONS[0].postgres
    found["function refuse_change"] = function.split("$$")[1]
    for table in ("anchors", "entries"):
        found[f"trigger {table}_no_change"] = (
            f"O CREATE TRIGGER {table}_no_change BEFORE DELETE OR UPDATE OR TRUNCATE ON {table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
        )
    return found


FORM: dict[str, str] = _form()
"""What an untouched ledger answers, as kind and name to form."""
