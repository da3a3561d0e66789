"""The page on what a negotiation decides: does every example of it still say the truth?"""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[4] / "docs" / "explanation" / "negotiation-is-not-fairness.md"


def test_b8_every_example_of_the_page_runs_as_printed() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0
