"""Contests tests: is every conflict counted once, with the right fair chance?

Here: fair chances, rounds, running counts.
Not here: the figures (test_fairness.py).
Sources: SEMANTICS R5.
"""

from fractions import Fraction

from comity.mechanisms.arbitration import Arbitration, Policy, recorded
from comity.mechanisms.arbitration.contests import Window, contests, population_bounds


def test_r5_a_fair_chance_is_units_over_claimants() -> None:
    one = recorded("gpu", [("a", 1), ("b", 1), ("c", 1)], ["a", "b"])
    two = recorded("gpu", [("a", 1)], ["a"])
    three = recorded("gpu", [("a", 1), ("b", 1)])
    found = contests([one, two, three])["gpu"]
    assert [dict(each.fair)["a"] for each in found] == [Fraction(2, 3), 1, 0]
    assert [each.is_decided for each in found] == [True, True, False]
    assert [each.number for each in found] == [1, 2, 3]


def test_r5_a_round_counts_once_where_losses_are_shared() -> None:
    policy = Policy(scope="global")
    engine = Arbitration(policy, seed="7")
    asked = {"gpu": {"a": 5, "b": 4}, "tpu": {"a": 5, "b": 4}}
    log = [*engine.round(asked), *engine.round(asked)]
    (listed,) = contests(log, policy).values()
    assert len(listed) == 2
    assert listed[0].fair["a"] == Fraction(3, 4)
    assert len(contests(log)) == 2, "per resource they are two scopes"


def test_r1_an_expiry_starts_the_streak_again() -> None:
    window, policy = Window(), Policy(expiry=1)
    rows = [
        recorded("gpu", [("a", 1), ("b", 1)], ["b"]),
        *[recorded("gpu", [("b", 1)], ["b"])] * 2,
    ]
    listed = contests([*rows, rows[0], rows[0]])["gpu"]
    for contest in (listed[0], listed[3], listed[4]):
        window.saw(contest, "a", policy)
    assert (window.streak, window.longest, window.claims) == (2, 2, 3)


def test_r3_bounds_come_from_everybody_who_ever_claimed() -> None:
    rows = [recorded("gpu", [("a", 9), ("b", 5)], ["a"]), recorded("gpu", [("c", 1)], ["c"])]
    listed = contests(rows)["gpu"]
    assert population_bounds(listed, Policy(c=2)) == {"a": 2, "b": 4, "c": 6}
    assert population_bounds(listed, None) == {"a": None, "b": None, "c": None}
