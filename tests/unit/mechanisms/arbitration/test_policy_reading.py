"""Policy reading tests: is every table read, and every fault collected?

Here: amounts and tables.
Not here: the policy (test_policy.py).
Sources: SEMANTICS G5, G7.
"""

from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import Fault
from comity.mechanisms.arbitration.policy_reading import (
    read_amount,
    read_expertise,
    read_groups,
    read_rule,
    read_table,
)


def test_amounts_are_exact_and_may_be_missing_where_that_means_something() -> None:
    faults: list[Fault] = []
    assert read_amount(0.1, "c", faults) == Fraction(1, 10)
    assert read_amount(None, "cap", faults) is None
    assert faults == []
    assert read_amount(None, "c", faults) is None
    read_amount(-1, "c", faults)
    assert [one.what for one in faults] == ["c is None", "c is -1"]


def test_tables_are_sorted_and_take_each_name_once() -> None:
    faults: list[Fault] = []
    assert read_table({"b": 1, "a": 2}, "weights", faults) == (("a", 2), ("b", 1))
    assert read_table([("b", 1), ["a", 2]], "weights", faults) == (("a", 2), ("b", 1))
    assert read_groups([("r", "g")], faults) == (("r", "g"),)
    assert read_expertise((("t", "b", 1), ("t", "a", "2")), faults) == (
        ("t", "a", 2),
        ("t", "b", 1),
    )
    assert faults == []


@pytest.mark.parametrize(
    ("read", "rows", "said"),
    [
        (lambda rows, faults: read_table(rows, "weights", faults), [("a", 1), ("a", 2)], "two"),
        (lambda rows, faults: read_table(rows, "weights", faults), {" ": 1}, "name"),
        (lambda rows, faults: read_table(rows, "weights", faults), {"a": "x"}, "weights is 'x'"),
        (lambda rows, faults: read_table(rows, "weights", faults), "ab", "weights is 'ab'"),
        (lambda rows, faults: read_table(rows, "weights", faults), 7, "weights is 7"),
        (read_groups, [("r", "g"), ("r", "h")], "two groups"),
        (read_groups, [("r", "")], "name"),
        (read_expertise, [("t", "a", 1), ("t", "a", 2)], "two weights on 't'"),
        (read_expertise, [("t", "", 1)], "name"),
        (read_expertise, [("", "a", 1)], "name"),
        (read_expertise, [("t", "a", float("nan"))], "the weight of a on t is nan"),
        (read_expertise, [("t", "a")], "expertise is"),
    ],
)
def test_faults_of_tables_are_collected(read: Any, rows: Any, said: str) -> None:
    faults: list[Fault] = []
    read(rows, faults)
    assert said in faults[0].what


def test_an_unknown_rule_is_one_fault() -> None:
    faults: list[Fault] = []
    assert read_rule("stride", faults) == "stride"
    read_rule("strides", faults)
    assert [one.next for one in faults] == ["did you mean 'stride'"]
