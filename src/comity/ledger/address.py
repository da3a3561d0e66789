"""Addresses: which PostgreSQL database, and which schema in it, does a URL name?

Here: reading the URL, what may be shown of it, what must never be.
Not here: connecting (ledger/connections.py), files (ledger/place.py).
Sources: ENGINE 7; https://www.postgresql.org/docs/current/libpq-connect.html, "Connection URIs".

A ledger lives in a schema of its own, so that one database can hold several, and other tables
beside them: ``?schema=NAME``, else ``comity``. Everything else in the URL is libpq's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from comity.core.errors import Fault, InvalidInput, shown

__all__ = ["SCHEMA", "Address", "address_of", "is_postgres", "without_password"]

SCHEMA = "comity"
"""The schema of a ledger whose URL names none."""

_SCHEMES = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_HOST = r"(\[[0-9A-Fa-f:.]+\]|[^\[\]/@,:?#\s]*)(:[0-9]*)?"
_HOSTS = re.compile(f"{_HOST}(,{_HOST})*")
_SECRET = ("password", "sslpassword")
_NAME = re.compile("[a-z_][a-z0-9_]{0,39}")
_ALLOWED = "postgresql://USER@HOST:PORT/DATABASE?schema=NAME"


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where a ledger is.

    Attributes:
        conninfo: what libpq connects with; it may hold a password and is never shown.
        schema: the schema of the tables.
        shown: the URL without its password.
        secrets: what must not be in any message.
    """

    conninfo: str = field(repr=False)
    schema: str
    shown: str
    secrets: tuple[str, ...] = field(repr=False)

    def masked(self, text: str) -> str:
        """Return a text of the server's without a secret in it.

        Args:
            text: what it said.
        """
        for secret in self.secrets:
            text = text.replace(secret, "***")
        return " ".join(text.split())


def is_postgres(where: str) -> bool:
    """Return whether words are the URL of a PostgreSQL database.

    Args:
        where: a path or URL.

    Example:
        >>> is_postgres("postgresql://db.example/comity"), is_postgres("comity.db")
        (True, False)
    """
    scheme, mark, _ = where.partition("://")
    return bool(mark) and scheme.lower() in _SCHEMES


def without_password(where: str) -> str:
    """Return a path or URL as it may be shown.

    Args:
        where: a path or URL.

    Returns:
        The same without a password; of a URL that cannot be read, only its scheme.

    Example:
        >>> without_password("postgresql://ann:secret@db.example/comity")
        'postgresql://ann@db.example/comity'
        >>> without_password("comity.db")
        'comity.db'
    """
    if not is_postgres(where):
        return where
    try:
        return address_of(where).shown
    except InvalidInput:
        return f"{where.partition('://')[0]}://…"


def address_of(where: str) -> Address:
    """Read the URL of a PostgreSQL database.

    Args:
        where: the URL, with one of the schemes "postgresql", "postgres", "postgresql+psycopg".

    Returns:
        The address.

    Raises:
        InvalidInput: it is no such URL; the message repeats nothing of it but names.

    Example:
        >>> found = address_of("postgresql://ann:secret@db.example/law?schema=north")
        >>> found.schema, found.shown
        ('north', 'postgresql://ann@db.example/law?schema=north')
    """
    _, _, rest = where.partition("://")
    try:
        parts = urlsplit(f"postgresql://{rest}")
    except ValueError as error:
        raise _unreadable("names a host that cannot be read") from error
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    # libpq and this reader must cut it at the same places, or half a password would be a host.
    if "@" in f"{login}{parts.path}{parts.query}" or parts.fragment or "#" in where:
        raise _unreadable("holds an @ or a # where a URL has none")
    if not _HOSTS.fullmatch(hosts):
        raise _unreadable("names a host or port that cannot be read")
    query = list(_pairs(parts.query))
    schemas = [unquote(value) for key, value in query if key == "schema"]
    if len(schemas) > 1 or not all(map(_fits, schemas)):
        what = f"names the schema {' and '.join(map(shown, schemas))}"
        raise InvalidInput(
            Fault(
                "ledger",
                what,
                "one schema: at most 40 small letters, digits and _, not beginning with pg_",
                f"write ?schema={SCHEMA}, or leave it out",
            )
        )
    kept = [f"{key}={value}" for key, value in query if key != "schema"]
    public = [f"{key}={value}" for key, value in query if key not in _SECRET]
    secrets = [password, *(value for key, value in query if key in _SECRET)]
    both = {secret for one in secrets for secret in (one, unquote(one)) if secret}
    return Address(
        conninfo=_joined(parts.netloc, parts.path, kept),
        schema=schemas[0] if schemas else SCHEMA,
        shown=_joined(f"{user}@{hosts}" if user else hosts, parts.path, public),
        secrets=tuple(sorted(both, key=len, reverse=True)),
    )


def _pairs(query: str) -> Iterator[tuple[str, str]]:
    for one in query.split("&") if query else ():
        key, mark, value = one.partition("=")
        if not mark:
            raise _unreadable("has a part after ? that is no NAME=VALUE")
        yield unquote(key), value


def _joined(netloc: str, path: str, query: list[str]) -> str:
    return f"postgresql://{netloc}{path}{'?' if query else ''}{'&'.join(query)}"


def _fits(schema: str) -> bool:
    return bool(_NAME.fullmatch(schema)) and not schema.startswith("pg_")


def _unreadable(what: str) -> InvalidInput:
    return InvalidInput(
        Fault(
            "ledger",
            f"has a URL of PostgreSQL that {what}",
            f"{_ALLOWED}, with @ : / ? # in a password written as %40 %3A %2F %3F %23",
            "correct the URL; better, keep the password in PGPASSWORD or a .pgpass file",
        )
    )
