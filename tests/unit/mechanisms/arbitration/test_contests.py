"""Contests tests: is every conflict counted once, with the right fair chance?

Here: fair chances, rounds, running counts.
Not here: the figures (test_fairness.py).
Sources: SEMANTICS R5.
"""

from fractions import Fraction

from comity.mechanisms.arbitration import Arbitration, Policy, recorded
from comity.mechanisms.arbitration.contests import (
    Window,
    contests,
    population_bounds,
    step_of,
)


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


def test_r5_a_row_is_attended_as_long_as_no_conflict_is_missed() -> None:
    pair, alone = [("a", 1), ("b", 1)], [("b", 1)]
    rows = [
        recorded("r", one, ["b"], at=60 * n) for n, one in enumerate([pair, pair, alone, pair])
    ]
    window = Window()
    for contest in contests(rows)["r"]:
        if "a" in contest.claims:
            window.saw(contest, "a", None)
    assert (window.streak, window.attended, window.first, window.last) == (3, 1, 1, 4)
    assert (window.since, window.last_at) == (0, 180)


def test_r3_a_handed_thing_counts_for_its_winner_alone() -> None:
    (one,) = contests([recorded("r", [("a", 1), ("b", 1)], ["b"], number=-3)])["r"]
    assert dict(one.claims) == {"b": 1}


def test_r3_hours_have_a_bound_where_all_claim_as_far_apart_each_time() -> None:
    def bounds(*changed: object, **parts: object) -> dict[str, int | None]:
        rows = [recorded("r", [("a", 9), ("b", 1)], ["a"], at=7_200 * n) for n in range(4)]
        rows[1:] = [one._replace(**parts) for one in rows[1:]]  # type: ignore[arg-type]
        return population_bounds(contests(rows)["r"], Policy(rule="hours", c=2))

    assert bounds() == {"a": 1, "b": 3}
    assert bounds(winners=()) == {"a": None, "b": None}, "a person has to decide"
    assert bounds(claims=(("a", 9),)) == {"a": None, "b": None}
    assert bounds(at=None) == {"a": None, "b": None}
    assert bounds(at=7_200) == {"a": None, "b": None}


def test_r3_steps_are_one_length_or_none() -> None:
    assert step_of([0, 60, 120, 180]) == 60
    for times in ([0, 60, 121], [0, None, 60], [None, 0], [60, 0], [0], []):
        assert step_of(times) is None
