"""K1, K3: every ledger keeps the same contract; a new one is added to the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest

from comity.core.errors import ComityError
from comity.ledger.entry import Entry
from comity.ledger.open import open_ledger
from comity.ledger.port import Appended, Head, Ledger
from comity.ledger.sqlite import MEMORY, SqliteDatabase
from comity.ledger.tables import TableLedger
from comity.testing.ledger_checks import Check, check_ledger, fill_ledger

Opener = Callable[[], Ledger]


def in_files(request: pytest.FixtureRequest) -> Opener:
    folder, numbers = request.getfixturevalue("tmp_path"), count()
    return lambda: open_ledger(folder / f"{next(numbers)}.db")


def in_memory(request: pytest.FixtureRequest) -> Opener:
    return lambda: open_ledger(":memory:")


def in_postgres(request: pytest.FixtureRequest) -> Opener:
    place = request.getfixturevalue("postgres_place")
    return lambda: open_ledger(place())


LEDGERS: dict[str, Callable[[pytest.FixtureRequest], Opener]] = {
    "sqlite file": in_files,
    "sqlite memory": in_memory,
    "postgres": in_postgres,
}


def every_check() -> Iterator[tuple[str, str]]:
    def never() -> Ledger:
        raise NotImplementedError

    names = [name for name, _ in check_ledger(never)]
    for ledger in LEDGERS:
        for name in names:
            yield ledger, name


@pytest.mark.parametrize(("ledger", "name"), list(every_check()))
def test_ledger_keeps_its_contract(ledger: str, name: str, request: pytest.FixtureRequest) -> None:
    checks: dict[str, Check] = dict(check_ledger(LEDGERS[ledger](request)))
    checks[name]()


def test_contract_has_no_two_checks_of_one_name() -> None:
    names = [name for name, _ in check_ledger(lambda: open_ledger(":memory:"))]
    assert len(names) == len(set(names)) >= 18


# --- the contract notices ledgers that break it ----------------------------------------------


class Sound(TableLedger):
    """A ledger in memory; each class below breaks one promise."""

    def __init__(self) -> None:
        database = SqliteDatabase(MEMORY, create=True)
        database.prepare(create=True)
        super().__init__(database)


class ForgetsRequests(Sound):
    def append(self, *args: Any, **named: Any) -> Appended:
        return super().append(*args, **{**named, "request_id": None})


class IgnoresTheExpectedHead(Sound):
    def append(self, *args: Any, **named: Any) -> Appended:
        return super().append(*args, **{**named, "expected_head": None})


class ShowsEverythingToEveryone(Sound):
    def read(self, scope: str, *, after: int = 0, **named: Any) -> tuple[Entry, ...]:
        return super().read(scope, after=after, everything=True)


class HidesPrivateEntriesFromTheirSeat(Sound):
    def read(self, scope: str, *, party: str | None = None, **named: Any) -> tuple[Entry, ...]:
        return super().read(scope, **named)


class ReadsFromTheStart(Sound):
    def read(self, scope: str, *, after: int = 0, **named: Any) -> tuple[Entry, ...]:
        return super().read(scope, **named)


class SortsHeadsTheOtherWay(Sound):
    def heads(self) -> tuple[Head, ...]:
        return super().heads()[::-1]


class FindsInOneOrderOnly(Sound):
    def find(self, kind: str, *, newest_first: bool = True, **named: Any) -> tuple[Entry, ...]:
        return super().find(kind, **named)


class FindsWithoutLimit(Sound):
    def find(self, kind: str, *, limit: int | None = None, **named: Any) -> tuple[Entry, ...]:
        return super().find(kind, **named)


class AnchorsNothing(Sound):
    def head(self) -> str:
        return ""


class TransactsWithoutTheLock(Sound):
    def transact(self, scope: str, fn: Any, *, request_id: str | None, now_ms: int) -> Appended:
        rows = self.read(scope, everything=True)
        new = fn(rows)
        return self.append(scope, new, expected_head=None, request_id=request_id, now_ms=now_ms)


class NeverCloses(Sound):
    def close(self) -> None:
        """Do nothing."""


BROKEN = [one for one in Sound.__subclasses__() if one.__module__ == __name__]


def failures(broken: type[Sound]) -> list[str]:
    made: list[Sound] = []

    def opener() -> Ledger:
        made.append(broken())
        return made[-1]

    failed = []
    for name, check in check_ledger(opener):
        try:
            check()
        except (AssertionError, ComityError):
            failed.append(name)
    for ledger in made:
        TableLedger.close(ledger)
    return failed


def test_contract_is_kept_by_the_ledger_the_broken_ones_are_made_of() -> None:
    assert failures(Sound) == []


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_contract_notices_a_broken_ledger(broken: type[Sound]) -> None:
    assert failures(broken)


def test_filled_ledger_has_what_it_says() -> None:
    with open_ledger(MEMORY) as ledger:
        fill_ledger(ledger)
        assert sum(head.seq for head in ledger.heads()) == 11
        assert [entry.party for entry in ledger.read("alpha", everything=True)].count("CC") == 1
