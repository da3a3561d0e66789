"""Victims: named rules, their ties, and nobody gives way for ever (L2, G4)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.rules import Standing, VictimRule
from comity.mechanisms.deadlock.victims import (
    after_abort,
    after_success,
    choose_victim,
    exempt_of,
)

AGENTS = {
    "a": Standing(Fraction(1), Fraction(3), Fraction(5)),
    "b": Standing(Fraction(3), Fraction(1), Fraction(1)),
    "c": Standing(Fraction(2), Fraction(1), Fraction(5)),
}


@pytest.mark.parametrize(
    ("rule", "name", "told"),
    [
        ("youngest", "b", "youngest"),
        ("fewest_held", "b", "fewest held, then youngest"),
        ("lowest_priority", "b", "lowest priority"),
    ],
)
def test_each_rule_takes_who_its_measure_says(rule: VictimRule, name: str, told: str) -> None:
    for members in ("abc", "cba"):
        found = choose_victim(members, AGENTS, rule)
        assert (found.name, found.rule, found.exempt, found.tie) == (name, told, (), None)


def test_g4_equals_go_to_a_lot_that_is_fair() -> None:
    alike = dict.fromkeys("abc", Standing(Fraction(1), Fraction(2)))
    for rule in ("youngest", "fewest_held", "lot"):
        seen = Counter(choose_victim("cab", alike, rule, seed=str(s)).name for s in range(900))
        assert sum((many - 300) ** 2 / 300 for many in seen.values()) < 13.8  # p > 0.001
    found = choose_victim("abc", alike, "fewest_held")
    assert found.rule == "fewest held, then youngest, then lot"
    assert found.tie is not None
    assert found.tie.tied == ("a", "b", "c")
    assert choose_victim("abc", {}, "lowest_priority").rule == "lot"


def test_l2_victims_age_until_they_are_exempt() -> None:
    aborts: dict[str, int] = {}
    losses = []
    for _ in range(9):
        agents = {
            name: one._replace(aborts=Fraction(aborts.get(name, 0)))
            for name, one in AGENTS.items()
        }
        victim = choose_victim("abc", agents, "youngest", exempt_after=2).name
        losses.append(victim)
        aborts = after_abort(aborts, victim)
    assert "".join(losses[:7]) == "bbccaab"
    assert after_success({"a": 2, "b": 1}, "a") == {"b": 1}
    assert after_success({"b": 1}, "a") == {"b": 1}


def test_when_all_are_exempt_nobody_is_and_one_left_is_taken() -> None:
    tired = {name: one._replace(aborts=Fraction(3)) for name, one in AGENTS.items()}
    assert exempt_of("abc", tired, 3) == ()
    assert choose_victim("abc", tired).name == "b"
    two = {**tired, "a": AGENTS["a"]}
    found = choose_victim("abc", two, "lot")
    assert (found.name, found.rule, found.exempt) == ("a", "the only one not exempt", ("b", "c"))


def test_a_measure_known_of_some_only_is_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        choose_victim("abcd", {"a": AGENTS["a"]}, "youngest")
    assert [fault.whose for fault in caught.value.faults] == ["agent b", "agent c", "agent d"]


def test_l2_who_waits_for_itself_gives_way_by_no_rule() -> None:
    found = choose_victim(["a"], {"a": Standing(aborts=Fraction(9))})
    assert (found.name, found.rule, found.exempt) == ("a", "it waits for itself", ())
