"""K3: a lost connection, a server that is away: nothing is lost, nothing is written twice.

The commit whose answer never came is made here on purpose, both ways: once after the server had
kept it, once before it heard of it.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, cast

import pytest

if os.environ.get("CI") == "true":
    import psycopg  # where it is missing, that is a failure
else:
    psycopg = pytest.importorskip("psycopg", reason="postgres: psycopg is not installed")

from comity.core.errors import LedgerError, LedgerReadOnly
from comity.ledger import connections, postgres
from comity.ledger.connections import Link, Lost
from comity.ledger.entry import Entry, NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Appended, Ledger, Request
from comity.ledger.tables import TableLedger
from comity.ledger.verify import verify
from comity.testing.postgres_server import Cluster, own_postgres

FULL = os.environ.get("COMITY_FULL") == "1"
STOPS = 5 if FULL else 1
AWAY_S = 2.0 if FULL else 0.4
NOTE = [NewEntry("note", {})]


@pytest.fixture
def place(postgres_place: Callable[[], str]) -> str:
    return postgres_place()


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    with open_ledger(place) as opened:
        yield opened


def cut_all(place: str) -> None:
    """Let the server end every connection of the ledgers, as a restart does."""
    with psycopg.connect(place.partition("&schema")[0], autocommit=True) as db:
        db.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE application_name = 'comity' AND datname = current_database()"
        )


def add(ledger: Ledger, request_id: str | None = None) -> Appended:
    return ledger.append("s", NOTE, expected_head=None, request_id=request_id, now_ms=1)


def cut_wire(link: Link) -> None:
    """Cut a connection under psycopg's hands: what was sent was sent, nothing comes back."""
    with socket.socket(fileno=os.dup(link.db.fileno())) as wire:
        wire.shutdown(socket.SHUT_RDWR)


@contextmanager
def wire_cut(monkeypatch: pytest.MonkeyPatch, at: str, *, is_done: bool) -> Iterator[list[str]]:
    """Cut the connection once, at a statement: before or after the server has done it."""
    real, cuts = Link._sent, []

    def cutting(self: Link, statements: Any) -> list[tuple[Any, ...]]:
        places = [n for n, (statement, _) in enumerate(statements) if statement.startswith(at)]
        if places and not cuts:
            cuts.append(statements[places[0]][0])
            done = statements[: places[0] + is_done]
            if done:
                real(self, done)
            cut_wire(self)
            return real(self, [("SELECT 1", None)])
        return real(self, statements)

    with monkeypatch.context() as patch:
        patch.setattr(Link, "_sent", cutting)
        yield cuts
    assert cuts


STATEMENTS = [
    "BEGIN",
    "SELECT h.scope",
    "SELECT n",
    "INSERT INTO entries",
    "INSERT INTO h",
    "COMMIT",
]


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", STATEMENTS)
@pytest.mark.parametrize("request_id", [None, "r"])
def test_k3_an_append_whose_connection_is_cut_is_written_once(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, at: str, request_id: str | None, is_done: bool
) -> None:
    with wire_cut(monkeypatch, at, is_done=is_done):
        done = add(ledger, request_id)
    assert not done.repeated
    assert ledger.read("s") == done.entries
    assert len(done.entries) == 1
    assert verify(ledger).ok


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_k3_two_equal_appends_are_two_though_the_first_commit_was_not_heard_of(
    ledger: Ledger, place: str, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    """The entry somebody else wrote in between is equal to the lost one, hash and all."""
    asked = postgres.PostgresDatabase._was_kept

    def ask_late(self: postgres.PostgresDatabase, *rest: Any) -> bool:
        with open_ledger(place) as other:
            add(other)
        return asked(self, *rest)

    monkeypatch.setattr(postgres.PostgresDatabase, "_was_kept", ask_late)
    with wire_cut(monkeypatch, "COMMIT", is_done=is_done):
        done = add(ledger)
    assert [entry.seq for entry in ledger.read("s")] == [1, 2]
    assert done.entries[0].seq == (1 if is_done else 2)


def test_k3_a_number_given_out_again_after_a_crash_does_not_pass_for_a_kept_commit(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of the lost transaction is now that of somebody else's, which was kept."""
    monkeypatch.setattr(postgres, "_FATE_SQL", "SELECT 'committed' FROM (SELECT %s) AS one")
    with wire_cut(monkeypatch, "COMMIT", is_done=False):
        done = add(ledger)
    assert ledger.read("s") == done.entries
    assert len(done.entries) == 1


def test_k3_a_number_that_was_never_given_out_is_of_a_lost_transaction(
    ledger: Ledger, place: str
) -> None:
    with psycopg.connect(place.partition("&schema")[0], autocommit=True) as db:
        (given,) = db.execute("SELECT pg_current_xact_id()::text").fetchone()
    database = cast("Any", ledger).database
    for xid, kept in ((str(2**60), False), (given, True)):
        attempt = postgres._Attempt(xid=xid, is_committing=True)
        assert database._was_kept(attempt, Lost("gone")) is kept


@pytest.mark.parametrize("at", STATEMENTS)
def test_k3_a_rule_is_applied_again_when_its_first_outcome_was_lost(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    def rule(rows: tuple[Entry, ...]) -> list[NewEntry]:
        return [NewEntry("note", {"after": len(rows)})]

    with wire_cut(monkeypatch, at, is_done=False):
        ledger.transact("s", rule, request_id=None, now_ms=1)
    assert [entry.body["after"] for entry in ledger.read("s")] == [0]


class Settling:
    """A caller of ``settle`` that counts how often its rule was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def rule(self) -> list[NewEntry]:
        self.asked += 1
        return NOTE

    def settle(self, ledger: Ledger) -> list[Any]:
        request = Request(request_id="r", rule=self.rule)
        known = len(ledger.read("s"))
        return list(ledger.settle("s", [request], after=known, catch_up=lambda _: None, now_ms=1))


def test_k3_a_settlement_is_asked_again_only_before_its_rules_were(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Settling()
    with wire_cut(monkeypatch, "BEGIN", is_done=True):
        one.settle(ledger)
    assert one.asked == 1
    assert len(ledger.read("s")) == 1


def test_k3_a_settlement_cut_in_the_middle_is_told_and_nothing_of_it_is_kept(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Settling()
    with (
        wire_cut(monkeypatch, "INSERT INTO entries", is_done=True),
        pytest.raises(LedgerError, match=r"in the middle of a call .* nothing of it was kept"),
    ):
        one.settle(ledger)
    assert one.asked == 1
    assert ledger.read("s") == ()
    one.settle(ledger)
    assert len(ledger.read("s")) == 1


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
def test_k3_a_settlement_whose_commit_was_not_heard_of_finds_out(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    one = Settling()
    with wire_cut(monkeypatch, "COMMIT", is_done=is_done):
        if is_done:
            (done,) = one.settle(ledger)
            assert done.entries == ledger.read("s")
        else:
            with pytest.raises(LedgerError, match="nothing of it was kept"):
                one.settle(ledger)
            assert ledger.read("s") == ()


def test_k3_idle_connections_that_the_server_ended_are_not_noticed(
    ledger: Ledger, place: str
) -> None:
    add(ledger)
    cut_all(place)
    assert len(ledger.read("s")) == 1
    cut_all(place)
    add(ledger)
    cut_all(place)
    Settling().settle(ledger)
    cut_all(place)
    assert verify(ledger).ok
    assert len(ledger.heads()) == 1
    assert len(ledger.read("s")) == 3


def test_k3_a_frozen_holder_of_the_lock_is_cut_off_and_its_work_done_again(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = connections._SETTINGS_SQL.replace("'8s'", "'300ms'")
    monkeypatch.setattr(connections, "_SETTINGS_SQL", short)
    thawed, frozen = Event(), Event()

    def rule(rows: tuple[Entry, ...]) -> list[NewEntry]:
        if not frozen.is_set():
            frozen.set()
            assert thawed.wait(60)
        return [NewEntry("note", {"after": len(rows)})]

    with open_ledger(place) as sleeper, open_ledger(place) as other:
        holder = Thread(target=lambda: sleeper.transact("s", rule, request_id="sleeper", now_ms=1))
        holder.start()
        assert frozen.wait(60)
        add(other)
        thawed.set()
        holder.join(60)
        assert [entry.body.get("after") for entry in other.read("s")] == [None, 1]


# --- a server that is away -------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(postgres_database: str) -> Iterator[Cluster]:
    """A server that may be stopped; it is durable, as a crash is what is tested."""
    with own_postgres(is_durable=True) as own:
        yield own


def test_k3_a_server_that_crashes_and_comes_back_loses_nothing_acknowledged(
    server: Cluster,
) -> None:
    """Appends without a request id, all equal but for their count, from four threads."""
    stopping, told = Event(), []

    def work(ledger: Ledger, who: int) -> None:
        n = 0
        while not stopping.is_set():
            new = [NewEntry("note", {"by": who, "n": n})]
            scope = "shared" if who % 2 else f"own {who}"
            ledger.append(scope, new, expected_head=None, request_id=None, now_ms=1)
            told.append((who, n))
            n += 1

    def grown(least: int) -> None:
        give_up = time.monotonic() + 60
        while len(told) < least:
            assert time.monotonic() < give_up
            time.sleep(0.01)

    with open_ledger(f"{server.url}&schema=crash") as ledger:
        threads = [Thread(target=work, args=(ledger, who)) for who in range(4)]
        for one in threads:
            one.start()
        for _ in range(STOPS):
            grown(len(told) + 20)
            server.stop()
            time.sleep(AWAY_S)
            server.start()
        grown(len(told) + 20)
        stopping.set()
        for one in threads:
            one.join(60)
        rows = [entry for head in ledger.heads() for entry in ledger.read(head.scope)]
        assert sorted((row.body["by"], row.body["n"]) for row in rows) == sorted(told)
        assert verify(ledger).ok


def test_k3_a_server_that_stays_away_is_told_after_a_bounded_time(
    server: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_AWAY_S", 0.3)
    with open_ledger(f"{server.url}&schema=away") as ledger:
        add(ledger)
        server.stop()
        try:
            for call in (lambda: add(ledger), lambda: ledger.read("s"), ledger.heads):
                with pytest.raises(LedgerError, match="has been away for more than") as caught:
                    call()
                assert "nothing of this call was kept" in str(caught.value)
            assert not verify(ledger).ok
            with pytest.raises(LedgerError, match="cannot be reached"):
                open_ledger(server.url)
        finally:
            server.start()
        assert len(ledger.read("s")) == 1


def test_k3_a_commit_whose_fate_stays_unknown_is_told_so(
    server: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "_AWAY_S", 0.3)
    with open_ledger(f"{server.url}&schema=fate") as ledger:
        real = Link.execute

        def stopping(self: Link, statement: str, values: Any = None) -> list[tuple[Any, ...]]:
            found = real(self, statement, values)
            if statement == "COMMIT":
                server.stop()
                return real(self, "SELECT 1")
            return found

        try:
            with monkeypatch.context() as patch:
                patch.setattr(Link, "execute", stopping)
                with pytest.raises(LedgerError, match="this call may have been kept"):
                    add(ledger, "r")
        finally:
            server.start()
        again = add(ledger, "r")
        assert again.repeated
        assert len(ledger.read("s")) == 1


def test_k4_a_standby_is_read_and_says_that_it_cannot_be_written(server: Cluster) -> None:
    where = f"{server.url}&schema=standby"
    with open_ledger(where) as ledger:
        add(ledger)
        add(ledger)
        newest = ledger.head()
        server.stop()
        signal = server.data / "standby.signal"
        signal.touch()
        signal.chmod(0o666)
        try:
            server.start()
            with open_ledger(where, create=False) as later:
                assert len(later.read("s")) == 2
                assert verify(later, head=newest).uncovered == 1
            for write in (lambda: add(ledger), ledger.anchor):
                with pytest.raises(LedgerReadOnly, match="is a standby or read only"):
                    write()
            assert ledger.head() == newest
            server.stop()
        finally:
            signal.unlink()
            server.start()
        assert add(ledger).entries[0].seq == 3


# --- many first starts -----------------------------------------------------------------------


def test_k3_six_first_starts_at_once_make_one_ledger(postgres_place: Callable[[], str]) -> None:
    place, opened, failed = postgres_place(), [], []

    def start() -> None:
        try:
            with open_ledger(place) as ledger:
                add(ledger)
                opened.append(ledger.schema_version())
        except Exception as error:  # noqa: BLE001  # told by the assertion below
            failed.append(error)

    threads = [Thread(target=start) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    assert failed == []
    assert len(opened) == 6
    with open_ledger(place, create=False) as ledger:
        assert isinstance(ledger, TableLedger)
        assert len(ledger.read("s")) == 6
        assert verify(ledger).ok
