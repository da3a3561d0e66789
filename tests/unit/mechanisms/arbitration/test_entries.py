"""Entries tests: does the stored form say enough, and no more than it must?

Here: whole and shortened entries, the list on demand, folding, checking, lines of text.
Not here: hashes and storage (ledger).
Sources: SEMANTICS R1, R2, K1, K2.
"""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import (
    Arbitration,
    ArbitrationGrant,
    Claim,
    Conflict,
    LineWriter,
    Policy,
    entry_of,
    fold,
    recorded,
    resolve,
    unfold,
    wrong_in,
)


def many(count: int) -> dict[str, int]:
    return {f"n{at:04d}": at % 7 for at in range(count)}


def run(history: list[dict[str, Any]], policy: Policy) -> tuple[list[Any], Any]:
    """Return the entries of a history, and the last state."""
    state: Any = None
    entries: list[Any] = []
    previous: Conflict | None = None
    for number, claims in enumerate(history):
        grant = resolve(claims, state, seed=str(number), policy=policy, resource="gpu")
        assert isinstance(grant, ArbitrationGrant)
        entries.append(json.loads(canonical(entry_of(grant, previous=previous))))
        previous = recorded("gpu", claims.items(), number=grant.contest.number)
        state = grant.state
    return entries, state


def test_r2_above_a_hundred_claimants_an_entry_holds_what_changed() -> None:
    people = many(150)
    later = {**people, "new": Fraction(1, 2)}
    del later["n0003"]
    changed: dict[str, Any] = {**later, "n0005": 9}
    history: list[dict[str, Any]] = [people, people, later, changed]
    entries, state = run(history, Policy(c=2))
    assert len(entries[0]["claims"]) == 150
    assert "claims" not in entries[1]
    assert (entries[1]["changed"], entries[1]["left"], entries[1]["count"]) == ([], [], 150)
    assert (entries[2]["changed"], entries[2]["left"]) == ([["new", "1/2"]], ["n0003"])
    assert entries[3]["changed"] == [["n0005", 9]]
    assert len(json.dumps(entries[2])) < len(json.dumps(entries[0])) / 5
    found = list(unfold(entries))
    assert [dict(one.claims) for one in found] == history, "the list is derived on demand"
    assert fold(found, Policy(c=2)) == state
    assert wrong_in(found, Policy(c=2), ["0", "1", "2", "3"]) == []


def test_r2_up_to_a_hundred_claimants_are_always_listed() -> None:
    entries, _ = run([many(100), many(100)], Policy())
    assert all(len(one["claims"]) == 100 for one in entries)


def test_an_entry_without_its_base_is_refused() -> None:
    entries, _ = run([many(101), many(101), many(101)], Policy())
    with pytest.raises(InvalidInput, match="builds on conflict 1, which is not there"):
        list(unfold(entries[1:]))
    with pytest.raises(InvalidInput, match="builds on conflict 2, which is not there"):
        list(unfold([entries[0], entries[2]]))


def test_r1_the_state_is_the_fold_of_the_entries_also_by_hours() -> None:
    policy = Policy(rule="hours", c="1/2")
    engine = Arbitration(policy, seed="7")
    log = [engine.conflict({"a": 5, "b": 5, "c": 1}, now=1800 * at) for at in range(20)]
    assert fold(log, policy) == engine.state
    half = fold(log[:11], policy)
    assert fold(log[11:], policy, half) == engine.state
    assert wrong_in(log, policy, ["7"] * 20) == []


def test_k2_a_forged_entry_is_found() -> None:
    engine = Arbitration(seed="7")
    log = [engine.conflict({"a": 3, "b": 1}) for _ in range(3)]
    log[1] = log[1]._replace(winners=("b",), marks=(0, 9))
    told = wrong_in(log, Policy(), ["7"] * 3)
    assert told[0] == "conflict 2 of resource: the count before is 0, 1, recorded is 0, 9"
    assert told[1] == "conflict 2 of resource: the winner is a, recorded is b"
    assert wrong_in([log[0]._replace(number=4)], Policy(), ["7"]) == [
        "conflict 4 of resource: the number is 1, recorded is 4"
    ]


@pytest.mark.parametrize(
    "conflict",
    [
        Conflict(1, "gpu", (("a", 9), ('q"\\ü', 5)), (0, 3), (("a", 'q"\\ü'),), ("a",)),
        Conflict(2, "gpu", (("a", Fraction(1, 3)),), (0,), (("a",),), ("a",), 60),
        Conflict(3, "gpu", (Claim("a", Decimal("0.10"), 7, None),), (Fraction(1, 2),), (), ()),
    ],
)
def test_a_line_is_canonical_json(conflict: Conflict) -> None:
    policy = Policy(c=2)
    text = LineWriter(policy, "7").line(conflict)
    pairs = zip(conflict.claims, conflict.marks, strict=True)
    said = {
        "v": 1,
        "number": conflict.number,
        "resource": conflict.resource,
        "policy": policy.digest,
        "seed": "7",
        "claims": [[one[0], one[1], mark, *one[2:]] for one, mark in pairs],
        "stages": conflict.stages,
        "winners": conflict.winners,
        "at": conflict.at,
    }
    assert text == canonical(said)
