"""Beside: claims that a desk turned away, and wins that nobody used (R5, R7)."""

from __future__ import annotations

from comity.formats.claims_log import BesideClaim
from comity.mechanisms.arbitration import AlarmRules, recorded
from comity.mechanisms.arbitration.contests import contests
from comity.watch.beside import beside_records

DAY = 86_400


def away(at: int, agent: str = "c", holders: tuple[str, ...] = ("a",)) -> BesideClaim:
    return BesideClaim(at, "gpu", agent, True, holders)


def test_r5_a_row_of_claims_turned_away_is_as_improbable_as_a_row_of_losses() -> None:
    rules = AlarmRules()
    few, many = (beside_records([away(DAY * n) for n in range(k)], {}, rules)[0] for k in (5, 6))
    assert (few.is_starved, many.is_starved) == (False, True), "1/2 to the 6th is below 0.025"
    assert many.says == "c was turned away from gpu 6 times in a row, for 6 days; held by a (6)"
    (nobody,) = beside_records([away(5, holders=())], {}, rules)
    assert nobody.says == "c was turned away from gpu once in a row"


def test_r5_a_win_that_was_used_ends_the_row_and_one_that_was_not_does_not() -> None:
    rows = [recorded("gpu", [("a", 1), ("c", 1)], ["c"], at=10)]
    claims = [*(away(n) for n in range(9)), away(12)]
    (used,) = beside_records(claims, contests(rows), AlarmRules())
    assert (used.turned_away, used.in_a_row, used.is_starved) == (10, 1, False)
    unused = BesideClaim(10, "gpu", "c", False)
    (left,) = beside_records([*claims, unused], contests(rows), AlarmRules())
    assert (left.in_a_row, left.unused, left.is_starved) == (10, 1, True)
    (over,) = beside_records([away(3), BesideClaim(4, "gpu", "c", False)], contests(rows),
                             AlarmRules())  # fmt: skip
    assert over.says == "c was turned away from gpu once and left 1 win unused"


def test_r5_the_longest_row_comes_first_and_holders_are_counted() -> None:
    claims = [away(n, "b", ("a", "z")) for n in range(3)] + [away(n) for n in range(7)]
    first, second = beside_records(claims, {}, AlarmRules())
    assert (first.agent, second.agent) == ("c", "b")
    assert second.holders == (("a", 3), ("z", 3))
