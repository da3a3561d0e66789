"""Beside: first come, equal split, static priority (D1, D2)."""

from __future__ import annotations

from fractions import Fraction

from comity.mechanisms.sharing.beside import (
    equal_split,
    first_come,
    in_drawn_order,
    static_priority,
)

F = Fraction
ASKS = {"c": F(12000), "a": F(11400), "b": F(12000)}


def test_d2_first_come_and_static_priority_starve_the_last() -> None:
    assert first_come(F(12000), ASKS, [["a"], ["b"], ["c"]]) == {"a": 11400, "b": 600, "c": 0}
    assert static_priority(F(12000), ASKS, {"a": F(9), "b": F(5), "c": F(1)}) == {
        "a": 11400,
        "b": 600,
        "c": 0,
    }
    assert list(first_come(F(12000), ASKS, [["a"], ["b"], ["c"]])) == ["a", "b", "c"]


def test_those_who_come_together_share_equally_in_whole_units() -> None:
    found = first_come(F(12001), ASKS, [["a"], ["b", "c"]])
    assert sorted(found.values()) == [300, 301, 11400]
    half = first_come(F(1), {"a": F(1), "b": F(1)}, [["a", "b"]], quantum=F(1, 2))
    assert set(half.values()) == {F(1, 2)}


def test_an_equal_split_gives_what_one_cannot_take_to_the_others() -> None:
    most = {"a": F(2), "b": F(20), "c": F(20)}
    assert equal_split(F(12), most) == {"a": 2, "b": 5, "c": 5}
    assert sum(equal_split(F(100), most).values()) == 42


def test_g4_equal_priorities_are_served_in_a_drawn_order() -> None:
    asks = dict.fromkeys("abc", F(10))
    first = {
        max(found, key=found.__getitem__)
        for seed in range(40)
        for found in [static_priority(F(10), asks, {}, seed=str(seed))]
    }
    assert first == {"a", "b", "c"}
    assert static_priority(F(10), asks, {"b": F(-1), "c": F(-2)}) == {"a": 10, "b": 0, "c": 0}


def test_a_drawn_order_does_not_depend_on_the_order_given() -> None:
    assert in_drawn_order("abc", "x", "1") == in_drawn_order("cba", "x", "1")


def test_d1_what_agents_get_at_least_holds_under_every_rule_beside() -> None:
    least = {"c": F(2000), "b": F(1000)}
    assert equal_split(F(12000), ASKS, least={"c": F(9000)}) == {"a": 1500, "b": 1500, "c": 9000}
    first = first_come(F(12000), ASKS, [["a"], ["b"], ["c"]], least=least)
    assert first == {"a": 9000, "b": 1000, "c": 2000}
    static = static_priority(F(12000), ASKS, {"c": F(1)}, least=least, seed="1")
    assert static["c"] == 11000
    assert static["b"] == 1000
    together = first_come(F(12000), ASKS, [["a"], ["b", "c"]], least=least)
    assert together == {"a": 9000, "b": 1000, "c": 2000}
    asked = {"a": F(0), "b": F(5)}
    assert first_come(F(9), asked, [["a"], ["b"]], least={"a": F(3)}) == {"a": 3, "b": 5}
