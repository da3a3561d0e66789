"""runner/group_commit.py: writers share commits, and nobody notices (ENGINE 7)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from comity.core.errors import Fault, InvalidInput, LedgerError, SequenceConflict
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Appended, Ledger, Request
from comity.ledger.sqlite import SqliteDatabase
from comity.ledger.tables import TableLedger, Turn
from comity.ledger.verify import verify
from comity.runner.group_commit import GroupedDatabase, grouped


class Held:
    """A database whose next commits wait until they are let go, and are counted."""

    def __init__(self, real: SqliteDatabase) -> None:
        self.real = real
        self.commits = 0
        self.begun, self.go = Event(), Event()
        self.go.set()
        self.error: BaseException | None = None
        self.refuses = ""

    def write(self, scope: str, work: Callable[[Turn], Any], *, once: bool) -> Any:
        self.begun.set()
        self.go.wait()
        self.commits += 1
        if self.error is not None:
            raise self.error

        def noted(turn: Turn) -> Any:
            def run(statement: str, values: Any) -> Any:
                if statement.startswith("INSERT INTO heads") and values[-1] == self.refuses:
                    raise LedgerError(fault())
                return turn.run(statement, values)

            return work(Turn(run, turn.hold_anchors))

        return self.real.write(scope, noted, once=once)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    database = SqliteDatabase(tmp_path / "l.db", create=True)
    database.prepare(create=True)
    made = Held(database)
    yield made
    made.go.set()
    database.close()
    with open_ledger(tmp_path / "l.db") as ledger:
        assert verify(ledger).ok


def add(ledger: Ledger, scope: str, **options: Any) -> Any:
    given = {"expected_head": None, "request_id": None, "now_ms": 0, **options}
    return ledger.append(scope, [NewEntry("note", {"of": scope})], **given)


def together(held: Held, works: list[Callable[[Ledger], Any]]) -> list[Any]:
    """Let one commit begin, let everybody come, then go on; return what each was told."""
    ledger = TableLedger(GroupedDatabase(held))  # type: ignore[arg-type]
    told: list[Any] = [None] * len(works)

    def do(at: int) -> None:
        try:
            told[at] = works[at](ledger)
        except BaseException as error:  # noqa: BLE001  # told, and looked at
            told[at] = error

    held.go.clear()
    held.begun.clear()
    threads = [Thread(target=do, args=(at,)) for at in range(len(works))]
    threads[0].start()
    assert held.begun.wait(30)
    database = ledger.database
    for one in threads[1:]:
        one.start()
    for _ in range(10_000):
        if len(vars(database)["_waiting"]) >= len(works) - 1:
            break
        Event().wait(0.001)
    held.go.set()
    for one in threads:
        one.join(30)
    return told


def test_engine_7_who_comes_during_a_commit_shares_the_next_one(held: Held) -> None:
    works = [lambda ledger, at=at: add(ledger, f"s{at}") for at in range(20)]
    told = together(held, works)
    assert held.commits == 2
    assert [one.entries[0].scope for one in told] == [f"s{at}" for at in range(20)]
    with TableLedger(held.real) as ledger:
        assert len(ledger.heads()) == 20


def test_one_that_is_refused_leaves_the_others_alone(held: Held) -> None:
    def refuse(_: object) -> list[NewEntry]:
        raise InvalidInput(fault())

    works = [
        lambda ledger: add(ledger, "s"),
        lambda ledger: add(ledger, "s", expected_head="0" * 64),
        lambda ledger: add(ledger, "s"),
        lambda ledger: ledger.transact("s", refuse, request_id=None, now_ms=0),
    ]
    told = together(held, works)
    assert held.commits == 2
    assert [type(one).__name__ for one in told] == [
        "Appended",
        "SequenceConflict",
        "Appended",
        "InvalidInput",
    ]
    with TableLedger(held.real) as ledger:
        assert len(ledger.read("s")) == 2


def test_what_fails_after_it_has_written_is_undone_and_the_others_are_done_by_themselves(
    held: Held,
) -> None:
    held.refuses = "x"
    works = [lambda ledger, scope=scope: add(ledger, scope) for scope in "stxu"]
    told = together(held, works)
    assert [type(one) for one in told] == [Appended, Appended, LedgerError, Appended]
    with TableLedger(held.real) as ledger:
        assert sorted(one.scope for one in ledger.heads()) == ["s", "t", "u"]


def test_what_may_be_called_only_once_shares_no_commit(held: Held) -> None:
    calls: list[int] = []

    def once(ledger: Ledger) -> Any:
        def rule() -> list[NewEntry]:
            calls.append(1)
            return [NewEntry("note", {})]

        requests = [Request(request_id=None, rule=rule)]
        return ledger.settle("y", requests, after=0, catch_up=lambda _: None, now_ms=0)

    held.refuses = "x"
    works = [lambda ledger, scope=scope: add(ledger, scope) for scope in "stx"]
    told = together(held, [*works, once, lambda ledger: add(ledger, "u")])
    assert [type(one) for one in told] == [Appended, Appended, LedgerError, tuple, Appended]
    assert calls == [1]
    with TableLedger(held.real) as ledger:
        assert sorted(one.scope for one in ledger.heads()) == ["s", "t", "u", "y"]


def test_a_commit_that_fails_is_told_to_everybody_in_it_and_the_next_one_works(held: Held) -> None:
    held.error = LedgerError(fault())
    works = [lambda ledger, at=at: add(ledger, f"s{at}") for at in range(3)]
    told = together(held, works)
    assert [type(one) for one in told] == [LedgerError] * 3
    held.error = None
    assert add(TableLedger(GroupedDatabase(held)), "s0").entries  # type: ignore[arg-type]


def fault() -> Fault:
    return Fault("ledger", "has no room", "room", "make some")


def test_all_that_a_ledger_can_do_it_can_do_in_groups(tmp_path: Path) -> None:
    with grouped(open_ledger(tmp_path / "l.db")) as ledger:
        first = add(ledger, "s", request_id="r")
        assert add(ledger, "s", request_id="r").repeated
        done = ledger.transact("s", lambda _: [NewEntry("more", {})], request_id=None, now_ms=1)
        assert [one.hash for one in ledger.read("s")] == [first.head, done.head]
        with pytest.raises(SequenceConflict):
            add(ledger, "s", expected_head=first.head)
        assert verify(ledger).ok
        assert ledger.schema_version() == 1
    with pytest.raises(LedgerError, match="closed"):
        add(ledger, "s")


def test_a_ledger_that_is_not_in_sqlite_is_left_as_it_is() -> None:
    class Other:
        pass

    other: Any = Other()
    assert grouped(other) is other
    with pytest.raises(InvalidInput, match="scope"), open_ledger(":memory:") as ledger:
        add(grouped(ledger), "")
