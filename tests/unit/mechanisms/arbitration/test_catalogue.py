"""Catalogue tests: is every rule described, and found by its name?

Here: the table of facts.
Not here: what the rules do (test_rules.py).
Sources: SEMANTICS R4.
"""

import pytest

from comity.core.errors import UnknownName
from comity.mechanisms.arbitration import FACTS, RULES, facts_of, facts_table


def test_r4_every_rule_says_when_it_fails() -> None:
    assert list(FACTS) == list(RULES)
    assert all(one.does and one.fails and one.bound for one in FACTS.values())
    table = facts_table()
    assert all(one.name in table and one.fails in table for one in FACTS.values())


def test_r4_only_rules_with_a_proof_hold_always() -> None:
    always = {one.name for one in FACTS.values() if one.holds == "always"}
    assert always == {"losses", "least_recently_served", "split"}


@pytest.mark.parametrize("name", ["round robin", "Round-Robin", " round_robin "])
def test_a_rule_is_found_by_what_people_write(name: str) -> None:
    assert facts_of(name).name == "round_robin"


@pytest.mark.parametrize(("name", "near"), [("looses", "losses"), ("statik priority", "static")])
def test_an_unknown_rule_names_the_nearest(name: str, near: str) -> None:
    with pytest.raises(UnknownName, match=f"did you mean '{near}"):
        facts_of(name)


def test_what_is_no_name_is_refused() -> None:
    with pytest.raises(UnknownName, match="rule 7"):
        facts_of(7)
