"""ledger/address.py: which database and schema a URL names, and what is never shown of it."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.ledger.address import SCHEMA, address_of, is_postgres, without_password


@pytest.mark.parametrize(
    ("url", "conninfo", "schema", "shown"),
    [
        ("postgresql://h/d", "postgresql://h/d", SCHEMA, "postgresql://h/d"),
        ("postgres://h:5433/d", "postgresql://h:5433/d", SCHEMA, "postgresql://h:5433/d"),
        (
            "postgresql+psycopg://u:p%40x@h/d?schema=law&sslmode=require",
            "postgresql://u:p%40x@h/d?sslmode=require",
            "law",
            "postgresql://u@h/d?schema=law&sslmode=require",
        ),
        (
            "postgresql:///d?host=/run/pg&password=geheim&user=u",
            "postgresql:///d?host=/run/pg&password=geheim&user=u",
            SCHEMA,
            "postgresql:///d?host=/run/pg&user=u",
        ),
        (
            "postgresql://:p@[::1]:5432,b:5432/d",
            "postgresql://:p@[::1]:5432,b:5432/d",
            SCHEMA,
            "postgresql://[::1]:5432,b:5432/d",
        ),
        ("postgresql://", "postgresql://", SCHEMA, "postgresql://"),
    ],
)
def test_a_url_is_cut_into_what_libpq_gets_and_what_may_be_shown(
    url: str, conninfo: str, schema: str, shown: str
) -> None:
    found = address_of(url)
    assert (found.conninfo, found.schema, found.shown) == (conninfo, schema, shown)
    assert without_password(url) == shown


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:secret@x@h/d",
        "postgresql://u:secret/x@h/d",
        "postgresql://u:12/secret@h/d",
        "postgresql://u:12?secret@h/d",
        "postgresql://u:12#secret@h/d",
        "postgresql://u:12?secret",
        "postgresql://u:se cret@h /d",
        "postgresql://u:[secret@h/d",
        "postgresql://u:secret:5@h:p/d",
        "postgresql://h/d?secret",
    ],
)
def test_a_url_that_libpq_might_cut_elsewhere_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        address_of(url)
    assert "secret" not in str(caught.value)
    assert "%40" in str(caught.value)
    assert without_password(url) == "postgresql://…"


@pytest.mark.parametrize("schema", ["", "pg_x", "Law", "1a", "a-b", 'a"b', "a" * 41, "%22"])
def test_a_schema_has_a_plain_name(schema: str) -> None:
    with pytest.raises(InvalidInput, match="small letters, digits and _"):
        address_of(f"postgresql://h/d?schema={schema}")


def test_one_schema_is_named_at_most() -> None:
    with pytest.raises(InvalidInput, match="'a' and 'b'"):
        address_of("postgresql://h/d?schema=a&schema=b")


def test_an_address_shows_no_secret_in_any_form() -> None:
    found = address_of("postgresql://u:p%40ss%20word@h/d?sslpassword=geheim")
    assert set(found.secrets) == {"p%40ss%20word", "p@ss word", "geheim"}
    said = found.masked("FATAL:  no p@ss word,\n not p%40ss%20word nor geheim")
    assert said == "FATAL: no ***, not *** nor ***"
    for secret in found.secrets:
        assert secret not in repr(found)


@pytest.mark.parametrize(
    ("where", "yes"),
    [
        ("postgresql://h/d", True),
        ("POSTGRES://h/d", True),
        ("postgresql+asyncpg://h/d", False),
        ("postgresql", False),
        ("comity.db", False),
        ("sqlite:///comity.db", False),
    ],
)
def test_only_urls_of_postgresql_are_taken_for_one(where: str, yes: bool) -> None:
    assert is_postgres(where) is yes
    if not yes:
        assert without_password(where) == where
