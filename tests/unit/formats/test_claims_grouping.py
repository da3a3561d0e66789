"""Claims grouping: numbers in a scope, and hints for a log that is torn apart (R2, R5)."""

from __future__ import annotations

import pytest

from comity.formats.claims_grouping import hints_of, numbered
from comity.mechanisms.arbitration import Conflict

PAIR = (("a", 1), ("b", 1))


def test_r2_conflicts_of_one_scope_at_one_time_count_once() -> None:
    rows = [
        Conflict(0, name, PAIR, at=at)
        for at, name in ((1, "g1"), (1, "g2"), (1, "t"), (2, "g1"), (None, "g1"), (None, "g2"))
    ]
    found = [(one.resource, one.number) for one in numbered(rows, {"g1": "g", "g2": "g"})]
    assert found == [("g", 1), ("g", 1), ("t", 1), ("g", 2), ("g", 3), ("g", 4)]
    assert [one.number for one in numbered([rows[0], rows[0]])] == [1, 2]


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([f"slot-2026-01-{day:02}" for day in range(1, 20)], "--scope 'slot-2026-01-*'"),
        (["a", "b", "c", "d", "e"], "--scope '*'"),
    ],
)
def test_r5_resources_that_occur_once_are_hinted_at(names: list[str], told: str) -> None:
    rows = [Conflict(1, name, PAIR, winners=("a",), at=at) for at, name in enumerate(names)]
    (hint,) = hints_of(rows)
    assert hint.startswith(f"{len(names)} of {len(names)} resources occur once")
    assert hint.endswith(told)
    assert hints_of(rows, has_scopes=True) == ()
    assert hints_of(rows[:4]) == ()


def test_r5_claims_that_stand_alone_are_hinted_at() -> None:
    rows = [Conflict(at, "r", PAIR[at % 2 :][:1], at=at) for at in range(9)]
    assert hints_of(rows)[0].startswith("9 of 9 conflicts have one claimant")
    assert hints_of(rows, has_window=True)[0].endswith("give a wider --window")
    assert hints_of([one._replace(claims=PAIR[:1]) for one in rows]) == (), "nobody else claims"
    assert hints_of([one._replace(claims=PAIR) for one in rows]) == ()
    assert hints_of([one._replace(claims=()) for one in rows]) == ()
