"""K3: a database or a role may be set as it likes, and a connection cleared; the ledger holds."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

if os.environ.get("CI") == "true":
    import psycopg  # where it is missing, that is a failure
else:
    psycopg = pytest.importorskip("psycopg", reason="postgres: psycopg is not installed")

from comity.core.errors import LedgerError, LedgerReadOnly
from comity.ledger import connections
from comity.ledger.connections import Link
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Appended, Ledger
from comity.ledger.verify import verify

NOTE = [NewEntry("note", {"text": "x"})]
# Each of these broke, or could have broken, a ledger whose connections are as they are found.
SETTINGS = {
    "default_transaction_isolation": "serializable",
    "default_transaction_read_only": "on",
    "statement_timeout": "2s",
    "transaction_timeout": "2s",
    "lock_timeout": "2s",
    "idle_in_transaction_session_timeout": "2s",
    "search_path": "pg_catalog",
    "quote_all_identifiers": "on",
    "standard_conforming_strings": "off",
    "client_encoding": "LATIN1",
    "DateStyle": "SQL, DMY",
    "TimeZone": "Pacific/Auckland",
    "synchronous_commit": "off",
}

OURS = {name for name in SETTINGS if "timeout" in name or name == "synchronous_commit"}


def add(ledger: Ledger, scope: str = "s") -> Appended:
    return ledger.append(scope, NOTE, expected_head=None, request_id=None, now_ms=1)


def as_role(place: str, role: str) -> str:
    return place.replace("user=postgres", f"user={role}")


@pytest.fixture
def place(postgres_place: Callable[[], str]) -> str:
    return postgres_place()


@pytest.fixture
def owner(place: str) -> Any:
    with psycopg.connect(place.partition("&schema")[0], autocommit=True) as db:
        yield db


def test_k3_what_a_role_is_set_to_changes_nothing(place: str, owner: Any) -> None:
    role = f"odd_{place.rpartition('=')[2]}_{owner.info.dbname}"
    owner.execute(f"CREATE ROLE {role} LOGIN")
    owner.execute(f"GRANT CREATE ON DATABASE {owner.info.dbname} TO {role}")
    known = {name for (name,) in owner.execute("SELECT name FROM pg_settings").fetchall()}
    for name, value in SETTINGS.items():
        if name in known:
            words = value if name == "search_path" else f"'{value}'"
            owner.execute(f"ALTER ROLE {role} SET {name} TO {words}")
    try:
        with open_ledger(as_role(place, role)) as ledger:
            for scope in ("s", "ü", "s"):
                add(ledger, scope)
            kept = ledger.anchor()
            for name in OURS & known:
                ((value,),) = links(ledger)[0].execute(f"SHOW {name}")
                assert value != SETTINGS[name]
            report = verify(ledger, head=kept)
            assert report.ok, str(report)
            assert (report.entries, report.uncovered) == (3, 0)
    finally:
        owner.execute(f"DROP OWNED BY {role}")
        owner.execute(f"DROP ROLE {role}")


def test_k1_who_may_only_read_is_told_so_when_a_head_is_to_be_made(place: str, owner: Any) -> None:
    schema = place.rpartition("=")[2]
    role = f"reader_{schema}_{owner.info.dbname}"
    with open_ledger(place) as ledger:
        add(ledger)
        owner.execute(f"CREATE ROLE {role} LOGIN")
        owner.execute(f"GRANT USAGE ON SCHEMA {schema} TO {role}")
        owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}")
        try:
            with open_ledger(as_role(place, role), create=False) as reader:
                assert reader.anchor() == ledger.head()
                add(ledger)
                with pytest.raises(LedgerReadOnly, match="may not be used so by this user"):
                    reader.anchor()
                assert reader.head() == ledger.head()
        finally:
            owner.execute(f"DROP OWNED BY {role}")
            owner.execute(f"DROP ROLE {role}")


def links(ledger: Ledger) -> list[Link]:
    found: list[Link] = ledger.database._connections._idle
    return found


def test_k3_two_ledgers_behind_one_pooler_do_not_write_into_each_other(
    place: str, postgres_place: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_ledger(place) as one, open_ledger(postgres_place()) as other:
        add(one)
        (link,) = links(one)
        wrong = other.database._schema
        link.execute(f"SET search_path TO {wrong}")
        add(one)
        assert (len(one.read("s")), len(other.read("s"))) == (2, 0)

        def pooled(self: connections.Connections) -> Link:
            made = connected(self)
            made.execute(f"SET search_path TO {wrong}")
            return made

        connected = connections.Connections._connected
        monkeypatch.setattr(connections.Connections, "_connected", pooled)
        monkeypatch.setattr(connections, "_AWAY_S", 0.0)
        links(one).pop().db.close()
        with pytest.raises(LedgerError, match="a pooler must pool by session"):
            add(one)
        assert other.heads() == ()


def test_k3_a_connection_that_was_cleared_is_left(place: str) -> None:
    with open_ledger(place) as ledger:
        for _ in range(8):
            add(ledger)
        (link,) = links(ledger)
        link.execute("DEALLOCATE ALL")
        add(ledger)
        assert len(ledger.read("s")) == 9
        (link,) = links(ledger)
        link.execute("DISCARD ALL")
        add(ledger)
        assert len(ledger.read("s")) == 10
        assert verify(ledger).ok
