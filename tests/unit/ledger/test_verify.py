"""ledger/verify.py: every problem by its words (K1). The bytes are flipped in tests/faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest

from comity.core.errors import Fault, InvalidInput, LedgerCorrupt, LedgerError
from comity.ledger.anchor import Anchor, anchor_hash
from comity.ledger.entry import GENESIS, SEALED, NewEntry, Row, hash_of
from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger, Table
from comity.ledger.verify import MOST_PROBLEMS, Report, verify


def failure() -> LedgerError:
    return LedgerCorrupt(Fault("ledger", "is damaged", "a sound one", "restore it"))


class Handed:
    """Rows as verify is handed them, free to be changed."""

    def __init__(self, ledger: Ledger) -> None:
        with ledger.raw() as tables:
            self.entries = [Row(*cast("Any", row)) for row in tables.rows("entries")]
            self.heads: list[tuple[Any, ...]] = list(tables.rows("heads"))
            self.anchors = [Anchor(**named(row)) for row in tables.rows("anchors")]
            self.meta: list[tuple[Any, ...]] = list(tables.rows("meta"))
        self.said: tuple[str, ...] = ()
        self.fails: Table | None = None

    @contextmanager
    def raw(self) -> Iterator[Handed]:
        yield self

    def complaints(self) -> tuple[str, ...]:
        return self.said

    def rows(self, table: Table) -> Iterator[tuple[Any, ...]]:
        stored: dict[Table, list[Any]] = {
            "entries": self.entries,
            "heads": self.heads,
            "anchors": [as_row(anchor) for anchor in self.anchors],
            "meta": self.meta,
        }
        yield from stored[table]
        if table == self.fails:
            raise failure()

    def entry(self, at: int, **fields: Any) -> None:
        """Change an entry and give it a hash to fit, unless one is given."""
        row = self.entries[at]._replace(**fields)
        self.entries[at] = row if "hash" in fields else row._replace(hash=hash_of(row))

    def relink(self) -> None:
        """Give every entry, head and anchor the links and hashes they ought to have."""
        heads: dict[Any, tuple[Any, ...]] = {}
        for at, row in enumerate(self.entries):
            prev = heads[row.scope][2] if row.scope in heads else GENESIS
            self.entry(at, prev=prev)
            heads[row.scope] = (row.scope, row.seq, self.entries[at].hash, row.at_ms)
        self.heads = list(heads.values())
        named_by = {(row.scope, row.seq): row for row in self.entries}
        prev = GENESIS
        for at, anchor in enumerate(self.anchors):
            row = named_by.get((anchor.scope, anchor.seq), self.entries[0])
            self.anchor(at, n=at + 1, head=row.hash, at_ms=row.at_ms, prev=prev)
            prev = self.anchors[at].hash

    def anchor(self, at: int, **fields: Any) -> None:
        """Change an anchor and give it a hash to fit, unless one is given."""
        before = {name: getattr(self.anchors[at], name) for name in ANCHOR}
        made = Anchor(**{**before, **fields})
        self.anchors[at] = (
            made if "hash" in fields else Anchor(**{**before, **fields, "hash": anchor_hash(made)})
        )

    def verify(self, head: str | None = None) -> Report:
        return verify(cast("Ledger", self), head=head)

    def problems(self) -> list[str]:
        return [str(problem) for problem in self.verify().problems]


ANCHOR = ("n", "scope", "seq", "head", "at_ms", "prev", "hash")


def named(row: tuple[Any, ...]) -> dict[str, Any]:
    return dict(zip(ANCHOR, row, strict=True))


def as_row(anchor: Anchor) -> tuple[Any, ...]:
    return tuple(getattr(anchor, name) for name in ANCHOR)


@pytest.fixture
def handed() -> Handed:
    """Scope a with five entries (two under one request), sealed; scope b with two."""
    with open_ledger(":memory:") as ledger:

        def add(scope: str, *kinds: str, request_id: str | None = None) -> None:
            new = [NewEntry(kind, {"k": kind}) for kind in kinds]
            ledger.append(scope, new, expected_head=None, request_id=request_id, now_ms=7)

        add("a", "opened", request_id="r1")
        add("b", "opened")
        add("a", "x", "y", request_id="r2")
        add("a", "z")
        add("b", "x", request_id="r1")
        add("a", SEALED, request_id="r3")
        return Handed(ledger)


def test_a_sound_ledger_has_no_problems(handed: Handed) -> None:
    report = handed.verify()
    assert report.ok
    assert (report.entries, report.scopes, report.anchors) == (7, 2, 3)
    assert report.head == handed.anchors[-1].hash
    assert report.problems == ()


def test_relinking_a_sound_ledger_changes_nothing(handed: Handed) -> None:
    before = (list(handed.entries), list(handed.heads), list(handed.anchors))
    handed.relink()
    assert (handed.entries, handed.heads, handed.anchors) == before


def test_an_empty_ledger_is_sound() -> None:
    with open_ledger(":memory:") as ledger:
        report = verify(ledger)
    assert report == Report(ok=True, entries=0, scopes=0, anchors=0, problems=(), head="")
    assert str(report) == "The ledger holds: 0 entries, 0 scopes, 0 anchors. Head: none"


def test_every_100th_entry_must_be_anchored() -> None:
    with open_ledger(":memory:") as ledger:
        new = [NewEntry("x", {})] * 201
        ledger.append("a", new, expected_head=None, request_id="r", now_ms=7)
        handed = Handed(ledger)
    assert handed.verify().ok
    assert [anchor.seq for anchor in handed.anchors] == [1, 100, 200]
    del handed.anchors[-1]
    assert handed.problems() == ["scope 'a', entry 200: its anchor is missing"]


def test_k1_each_row_s_own_flaw_is_listed_with_its_place(handed: Handed) -> None:
    handed.entries[2] = handed.entries[2]._replace(body='{"k":"other"}')
    assert handed.problems() == ["scope 'a', entry 3: its hash is not the hash of what it holds"]


def test_k1_a_rewritten_entry_breaks_the_link_of_the_next(handed: Handed) -> None:
    handed.entry(2, body='{"k":"other"}')
    assert handed.problems() == [
        "scope 'a', entry 4: does not name the hash of the entry before it"
    ]


def test_k1_a_rewritten_last_entry_differs_from_its_head_and_anchor(handed: Handed) -> None:
    handed.entry(4, body='{"k":"other"}')
    assert handed.problems() == [
        "scope 'a', entry 5: is not the entry that anchor 3 names",
        "scope 'a': its head names entry 5, and it ends at 5",
    ]


def test_k1_another_time_of_the_last_entry_differs_from_head_and_anchor(handed: Handed) -> None:
    handed.entry(4, at_ms=8)
    handed.heads[0] = (*handed.heads[0][:2], handed.entries[4].hash, 8)
    handed.anchor(2, head=handed.entries[4].hash)
    assert handed.problems() == ["scope 'a', entry 5: is not the entry that anchor 3 names"]


def test_k1_a_first_entry_names_64_zeros(handed: Handed) -> None:
    handed.entry(5, prev="1" * 64)
    assert "scope 'b', entry 1: does not name the hash of the entry before it" in handed.problems()


def test_k1_a_gap_is_found_even_when_the_links_were_mended(handed: Handed) -> None:
    del handed.entries[3]
    handed.relink()
    assert handed.problems() == ["scope 'a', entry 5: follows entry 3: some are missing"]


def test_k1_a_missing_first_entry_is_found(handed: Handed) -> None:
    del handed.entries[5]
    handed.relink()
    assert handed.problems() == [
        "scope 'b', entry 2: follows entry 0: some are missing",
        "scope 'b', entry 1: is missing: anchor 2 names it",
    ]


def test_k1_a_doubled_entry_is_found(handed: Handed) -> None:
    handed.entries.insert(4, handed.entries[3])
    handed.relink()
    assert handed.problems() == ["scope 'a', entry 4: follows entry 4: one is there twice"]


def test_k1_an_entry_without_a_number_is_one_problem_and_the_rest_is_still_read(
    handed: Handed,
) -> None:
    handed.entries[2] = handed.entries[2]._replace(seq=cast("int", "3"))
    assert handed.problems() == ["scope 'a', entry '3': seq is '3', not a whole number"]


def test_k1_a_tail_cut_before_an_anchor_is_found(handed: Handed) -> None:
    del handed.entries[4]
    assert handed.problems() == [
        "scope 'a': its head names entry 5, and it ends at 4",
        "scope 'a', entry 5: is missing: anchor 3 names it",
    ]
    handed.relink()
    assert handed.problems() == ["scope 'a', entry 5: is missing: anchor 3 names it"]


def test_k1_a_dropped_session_is_found_by_its_head_and_its_opening_anchor(handed: Handed) -> None:
    del handed.entries[5:]
    assert handed.problems() == [
        "scope 'b': has a head and no entries: they were removed",
        "scope 'b', entry 1: is missing: anchor 2 names it",
    ]
    del handed.heads[1]
    assert handed.problems() == ["scope 'b', entry 1: is missing: anchor 2 names it"]


def test_k1_a_session_without_its_opening_anchor_is_found(handed: Handed) -> None:
    del handed.anchors[1]
    handed.relink()
    assert handed.problems() == ["scope 'b', entry 1: its anchor is missing"]


def test_k1_a_seal_without_its_anchor_is_found(handed: Handed) -> None:
    del handed.anchors[2]
    assert handed.problems() == ["scope 'a', entry 5: its anchor is missing"]


def test_k1_any_entry_may_be_anchored_and_the_anchor_must_fit_it(handed: Handed) -> None:
    handed.anchors.append(handed.anchors[-1])
    handed.anchor(3, n=4, scope="b", seq=2)
    handed.relink()
    assert handed.problems() == []
    handed.anchor(3, head="f" * 64)
    handed.anchor(3, hash=anchor_hash(handed.anchors[3]))
    assert handed.problems() == ["scope 'b', entry 2: is not the entry that anchor 4 names"]


def test_k1_what_no_anchor_covers_is_counted(handed: Handed) -> None:
    report = handed.verify()
    assert (report.ok, report.uncovered, report.to_json()["uncovered"]) == (True, 1, 1)
    first, *_ = handed.anchors
    assert handed.verify(first.hash).uncovered == report.entries - 1
    handed.anchors.append(handed.anchors[-1])
    handed.anchor(3, n=4, scope="b", seq=2)
    handed.relink()
    assert handed.verify().uncovered == 0


def test_k1_anchors_out_of_place_are_found(handed: Handed) -> None:
    handed.anchor(2, n=5)
    assert handed.problems() == [
        "anchor 5: stands where anchor 3 should: some are missing or moved"
    ]


def test_k1_an_anchor_that_names_no_anchor_before_it_is_found(handed: Handed) -> None:
    handed.anchor(1, at_ms=6)
    assert handed.problems() == [
        "anchor 3: does not name the hash of the anchor before it",
        "scope 'b', entry 1: is not the entry that anchor 2 names",
    ]


def test_k1_an_anchor_whose_hash_is_not_its_own_is_found(handed: Handed) -> None:
    handed.anchor(2, hash="0" * 64)
    assert handed.problems() == ["anchor 3: its hash is not the hash of what it holds"]
    assert "none has the head" in str(handed.verify(head="0" * 64))


def test_k1_anchors_of_a_scope_in_the_wrong_order_are_found(handed: Handed) -> None:
    handed.anchors[0], handed.anchors[2] = handed.anchors[2], handed.anchors[0]
    handed.relink()
    assert handed.problems() == ["anchor 3: goes back in scope 'a'"]


def test_k1_an_entry_anchored_twice_is_found(handed: Handed) -> None:
    handed.anchors.append(handed.anchors[-1])
    handed.relink()
    assert handed.problems() == ["anchor 4: goes back in scope 'a'"]


@pytest.mark.parametrize("name", ANCHOR)
def test_k1_an_anchor_with_a_value_of_another_type_is_found(handed: Handed, name: str) -> None:
    handed.anchor(1, **{name: b"\xff", "hash": b"\xff" if name == "hash" else "x"})
    said = handed.problems()
    assert said[0].endswith(": holds values of the wrong type")
    assert "scope 'b', entry 1: its anchor is missing" in said


def test_k1_a_scope_with_two_heads_or_none_is_found(handed: Handed) -> None:
    handed.heads.append(handed.heads[0])
    assert handed.problems() == ["scope 'a': has two heads"]
    handed.heads[:] = handed.heads[1:2]
    assert handed.problems() == ["scope 'a': has no head"]


@pytest.mark.parametrize("at", [1, 2, 3])
def test_k1_a_head_of_another_type_is_found(handed: Handed, at: int) -> None:
    head = list(handed.heads[0])
    head[at] = float(head[at]) if isinstance(head[at], int) else head[at].encode()
    handed.heads[0] = tuple(head)
    assert handed.problems() == ["scope 'a': its head holds values of the wrong type"]


@pytest.mark.parametrize(("at", "value"), [(1, 4), (2, "x"), (3, 8)])
def test_k1_a_head_that_names_something_else_is_found(
    handed: Handed, at: int, value: object
) -> None:
    head = list(handed.heads[0])
    head[at] = value
    handed.heads[0] = tuple(head)
    (said,) = handed.problems()
    assert said.startswith("scope 'a': its head names entry ")


def test_k1_a_head_under_another_name_is_found(handed: Handed) -> None:
    handed.heads[1] = (b"b", *handed.heads[1][1:])
    assert handed.problems() == [
        "scope 'b': has no head",
        "scope b'b': has a head and no entries: they were removed",
    ]


def test_k1_a_request_used_twice_is_found(handed: Handed) -> None:
    handed.entry(3, request_id="r1")
    handed.relink()
    assert handed.problems() == ["scope 'a', entry 4: request 'r1' was used before"]


def test_k1_a_request_at_two_times_is_found(handed: Handed) -> None:
    handed.entry(2, at_ms=8)
    handed.relink()
    assert handed.problems() == ["scope 'a', entry 3: request 'r2' has two times"]


@pytest.mark.parametrize(
    ("at", "idx", "said"),
    [
        (0, 1, "scope 'a', entry 1: idx is 1, not 0"),
        (2, 0, "scope 'a', entry 3: idx is 0, not 1"),
        (2, 2, "scope 'a', entry 3: idx is 2, not 1"),
        (3, 1, "scope 'a', entry 4: idx is 1, not 0"),
        (3, -1, "scope 'a', entry 4: idx is -1, not 0"),
    ],
)
def test_k1_a_wrong_place_in_its_request_is_found(
    handed: Handed, at: int, idx: int, said: str
) -> None:
    handed.entry(at, idx=idx)
    assert handed.problems() == [said]


@pytest.mark.parametrize(
    ("meta", "said"),
    [
        ([], ["meta 'format': is missing", "meta 'schema_version': is missing"]),
        (
            [("format", "other"), ("schema_version", "2")],
            [
                "meta 'format': is 'other', not 'comity-ledger'",
                "meta 'schema_version': is '2', not '1'",
            ],
        ),
        (
            [("format", "comity-ledger"), ("more", "x"), ("schema_version", "1")],
            ["meta 'more': is no part of a ledger"],
        ),
        (
            [("format", b"comity-ledger"), (None, None), ("schema_version", 1)],
            [
                "meta 'format': is b'comity-ledger', not 'comity-ledger'",
                "meta None: is no part of a ledger",
                "meta 'schema_version': is 1, not '1'",
            ],
        ),
    ],
)
def test_k1_every_value_of_meta_is_known(
    handed: Handed, meta: list[tuple[Any, ...]], said: list[str]
) -> None:
    handed.meta = meta
    assert handed.problems() == said


def test_what_the_store_complains_of_is_a_problem(handed: Handed) -> None:
    handed.said = ("page 3 is damaged", "table 'x' is no part of a ledger")
    assert handed.problems() == [
        "store: page 3 is damaged",
        "store: table 'x' is no part of a ledger",
    ]


@pytest.mark.parametrize("table", ["entries", "heads", "anchors", "meta"])
def test_a_table_that_cannot_be_read_to_its_end_is_a_problem(handed: Handed, table: Table) -> None:
    handed.fails = table
    assert handed.problems() == [f"table {table}: is damaged"]


def test_a_store_that_cannot_be_read_at_all_is_a_problem(
    handed: Handed, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> object:
        raise failure()

    monkeypatch.setattr(handed, "raw", fails)
    report = handed.verify()
    assert [str(one) for one in report.problems] == ["ledger: is damaged"]
    assert not report.ok


def test_k1_a_kept_head_must_be_in_the_chain(handed: Handed) -> None:
    for anchor in handed.anchors:
        assert handed.verify(head=anchor.hash).ok
    kept = handed.anchors[-1].hash
    handed.entry(4, body='{"k":"other"}')
    handed.relink()
    assert handed.verify().ok
    report = handed.verify(head=kept)
    assert [str(one) for one in report.problems] == [
        f"anchors: none has the head {kept}: the ledger was rewritten or cut"
    ]


@pytest.mark.parametrize("head", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 64 + "\n", "a" * 65])
def test_a_head_that_is_no_hash_is_the_caller_s_fault(handed: Handed, head: str) -> None:
    with pytest.raises(InvalidInput, match="64 hexadecimal digits"):
        handed.verify(head=head)


def test_a_long_list_of_problems_is_cut_and_counted(handed: Handed) -> None:
    handed.meta += [(f"more {n}", "x") for n in range(MOST_PROBLEMS + 5)]
    report = handed.verify()
    assert len(report.problems) == MOST_PROBLEMS + 1
    assert str(report.problems[-1]) == "ledger: 5 more problems are not listed"
    handed.meta = handed.meta[:-5]
    assert len(handed.verify().problems) == MOST_PROBLEMS


def test_a_report_is_read_by_people_and_programs(handed: Handed) -> None:
    del handed.heads[1]
    report = handed.verify()
    counts = "7 entries, 2 scopes, 3 anchors"
    assert str(report).splitlines() == [
        f"The ledger does not hold: {counts}, 1 behind them. Head: {report.head}",
        "scope 'b': has no head",
    ]
    assert report.to_json() == {
        "ok": False,
        "entries": 7,
        "scopes": 2,
        "anchors": 3,
        "problems": [{"where": "scope 'b'", "what": "has no head"}],
        "head": report.head,
        "uncovered": 1,
    }
