"""ledger/connections.py: PostgreSQL's errors in words, and for how long a server is waited for."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

if os.environ.get("CI") == "true":
    import psycopg  # where it is missing, that is a failure
else:
    psycopg = pytest.importorskip("psycopg", reason="postgres: psycopg is not installed")

from comity.core.errors import LedgerCorrupt, LedgerError, LedgerReadOnly
from comity.ledger import connections
from comity.ledger.address import address_of
from comity.ledger.connections import Connections, Lost, Patience


class Hands:
    """A clock whose hands move when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)


@pytest.fixture
def hands(monkeypatch: pytest.MonkeyPatch) -> Hands:
    made = Hands()
    monkeypatch.setattr(connections, "time", made)
    return made


def test_a_lost_server_is_waited_for_ever_more_slowly_and_not_for_ever(hands: Hands) -> None:
    patience = Patience("ledger x")
    while hands.now < 20:
        patience.pause(Lost("gone"))
    with pytest.raises(LedgerError, match="has been away for more than 20 seconds") as caught:
        patience.pause(Lost("gone"))
    assert 20 <= hands.now < 21
    assert hands.slept[:6] == [0.02, 0.05, 0.1, 0.2, 0.5, 0.5]
    assert "nothing of this call was kept" in str(caught.value)


@pytest.mark.parametrize("tries", [1, 3])
def test_a_server_that_says_it_is_starting_is_waited_for(
    postgres_place: Callable[[], str], hands: Hands, monkeypatch: pytest.MonkeyPatch, tries: int
) -> None:
    real, calls = Connections._connected, []

    def starting(self: Connections) -> Any:
        calls.append(1)
        if len(calls) <= tries:
            raise psycopg.OperationalError("FATAL:  the database system is starting up")
        return real(self)

    monkeypatch.setattr(Connections, "_connected", starting)
    Connections(address_of(postgres_place()), "ledger x").close()
    assert len(hands.slept) == tries


def test_a_server_that_was_never_reached_is_not_waited_for(hands: Hands) -> None:
    with pytest.raises(LedgerError, match="cannot be reached"):
        Connections(address_of("postgresql:///d?host=/nowhere"), "ledger x")
    assert hands.slept == []


@pytest.mark.parametrize(
    ("state", "kind", "what"),
    [
        ("55P03", LedgerError, "was locked by another process for more than 15 seconds"),
        ("42P01", LedgerCorrupt, "has lost a table"),
        ("42501", LedgerReadOnly, "may not be used so by this user"),
        ("25006", LedgerReadOnly, "cannot be written: the server is a standby or read only"),
        ("0A000", LedgerReadOnly, "cannot be written: the server is a standby or read only"),
        ("53100", LedgerError, "has no room left: nothing of this call was written"),
        ("XX000", LedgerError, "was refused by PostgreSQL"),
    ],
)
def test_every_error_is_told_in_words_without_the_password(
    state: str, kind: type[LedgerError], what: str
) -> None:
    address = address_of("postgresql://ann:geheim@h/d")
    error = psycopg.errors.lookup(state)("it is geheim,\n and more")
    found = connections._worded("ledger x", address, error)
    assert type(found) is kind
    (fault,) = found.faults
    assert fault.whose == "ledger x"
    assert fault.what == f"{what} (it is ***, and more)"
    assert fault.allowed
    assert fault.next
