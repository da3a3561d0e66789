"""Limits at the command line: what calls may use and how long they may take (C5)."""

from __future__ import annotations

import pytest

from comity.cli.limits import read_limits
from comity.core.errors import InvalidInput


def test_c5_the_options_become_limits() -> None:
    assert read_limits([], None).to_json() == {}
    assert read_limits(["5", "1USD"], "1.5").to_json() == {
        "tokens": 5,
        "money": "1",
        "timeout_ms": 1_500,
    }


@pytest.mark.parametrize("timeout", ["soon", "0", "-1", "8d"])
def test_g7_all_faults_of_both_options_are_told_together(timeout: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_limits(["much", "many"], timeout)
    assert [one.whose for one in caught.value.faults] == ["--timeout", "--budget", "--budget"]
