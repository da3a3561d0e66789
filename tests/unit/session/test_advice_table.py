"""session/advice_table.py: no two rows are for the same answers, and every row can be reached.

That every combination fits one row is proved in test_advice.py.
"""

from __future__ import annotations

from itertools import combinations

from comity.session.advice import QUESTIONS
from comity.session.advice_table import ROWS, Row
from comity.session.mechanism_facts import MECHANISMS

ANSWERS = {one.name: {each.name for each in one.answers} for one in QUESTIONS}


def conditions(row: Row) -> dict[str, set[str]]:
    return {name: set(getattr(row, name)) or ANSWERS[name] for name in ANSWERS}


def test_every_row_names_answers_and_mechanisms_that_there_are() -> None:
    for row in ROWS:
        for name, allowed in conditions(row).items():
            assert allowed <= ANSWERS[name]
        assert row.use in MECHANISMS
        assert row.second in MECHANISMS
        assert row.why.endswith(".")
        assert not row.second_why.endswith(".")


def test_no_two_rows_are_for_the_same_answers() -> None:
    for one, other in combinations(ROWS, 2):
        left, right = conditions(one), conditions(other)
        assert any(not left[name] & right[name] for name in ANSWERS), (one.why, other.why)
