"""Alarm lots tests: are unfair lots seen, weights looked at, and does it end (R5)?"""

from __future__ import annotations

from random import Random

import pytest

from comity.mechanisms.arbitration import Alarm, Arbitration, Conflict, Policy, alarms
from comity.mechanisms.arbitration.alarm_lots import WEIGHTED, lot_alarms, lots_of

WEIGHTS = Policy(rule="weighted_lottery")


def tie(names: str, winner: str) -> Conflict:
    claims = tuple((one, 1) for one in names)
    return Conflict(0, "r", claims, stages=(tuple(names),), winners=(winner,))


def looked_at(rows: list[Conflict], policy: Policy | None = None) -> list[Alarm]:
    return lot_alarms(lots_of(rows, policy))


def fair(many: int, names: str = "ab") -> list[Conflict]:
    return [tie(names, names[at % len(names)]) for at in range(many)]


def test_r5_an_alarm_over_lots_begins_where_it_could_be_known_and_ends() -> None:
    bad = [tie("ab", "a") for _ in range(250)]
    (found,) = looked_at([*fair(100), *bad])
    assert (found.at_conflict, found.stands, found.scope) == (200, True, "ties of 2")
    assert "tied sets of 2 go (300, 50) by place" in found.says
    (over,) = looked_at([*fair(100), *bad, *fair(900)])
    assert (over.since_conflict, over.ended_conflict, over.times) == (200, 600, 1)
    assert over.says.startswith("lots looked unfair: tied sets of 2 go (150, 50) by place")
    (again,) = looked_at([*bad, *fair(900), *bad])
    assert (again.at_conflict, again.since_conflict, again.times) == (100, 1300, 2)


def test_r5_fair_lots_of_any_size_raise_none() -> None:
    rng = Random(3)  # noqa: S311  # no secret
    rows = [tie(names, rng.choice(names)) for names in ("ab", "abc", "abcdefghijkl") * 400]
    assert looked_at(rows) == []
    assert looked_at([Conflict(0, "r", (("a", 1),), stages=(("a",),), winners=("a",))] * 30) == []
    many = "abcdefghijkl"
    assert [one.scope for one in looked_at([tie(many, "a") for _ in range(60)])] == ["ties of 12"]


def test_r5_a_weighted_lottery_is_judged_by_its_weights() -> None:
    claims = [("a", 8), ("b", 1), ("c", 1)]
    engine = Arbitration(WEIGHTS, seed="5")
    rows = [engine.conflict(claims, "r") for _ in range(300)]
    assert [one for one in alarms(rows, WEIGHTS) if one.kind == "tie_break"] == []
    assert [one.scope for one in looked_at(rows)] == ["ties of 3"], "no lots of equal chances"
    wrong = [one._replace(winners=("b",)) for one in rows]
    (found,) = looked_at(wrong, WEIGHTS)
    assert (found.scope, found.at_conflict) == (WEIGHTED, 100)
    assert found.says.startswith("lots look unfair: b won 300 of 300 lots by weight, 30 were its")
    equal = Policy(rule="weighted_lottery", weights={"a": 1, "b": 1, "c": 1})
    assert looked_at(rows, equal)[0].says.startswith("lots look unfair: a won ")


@pytest.mark.parametrize("policies", [(WEIGHTS, None), (None, WEIGHTS)])
def test_r5_each_lot_is_judged_by_the_rules_that_drew_it(
    policies: tuple[Policy | None, ...],
) -> None:
    rows = [tie("ab", "a"), tie("ab", "b")]
    found = lots_of(rows, None, policies)
    assert {scope: len(series.times) for scope, series in found.items()} == {
        WEIGHTED: 1, "ties of 2": 1,
    }  # fmt: skip


def test_r5_a_sole_weight_says_nothing() -> None:
    rows = [Conflict(0, "r", (("a", 1), ("b", 0)), stages=(("a", "b"),), winners=("a",))] * 30
    assert looked_at(rows, WEIGHTS) == []
    assert looked_at([one._replace(claims=()) for one in rows], WEIGHTS) == []
