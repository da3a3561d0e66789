"""Gains in CSV: the data of a share file (D1)."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.gains_csv import gains_from_csv

HEAD = "agent,amount,gain\n"


def test_d1_points_are_put_in_order_whatever_the_order_of_the_rows() -> None:
    rows = ["a,10,15\n", "a,5,10.50\n", "b,1/2,3\n"]
    one, other = gains_from_csv(HEAD + "".join(rows)), gains_from_csv(HEAD + "".join(rows[::-1]))
    assert one == other
    assert one == {
        "kind": "share",
        "agents": {"a": {"points": [[5, "10.50"], [10, 15]]}, "b": {"points": [["1/2", 3]]}},
    }


def test_g7_every_fault_is_told_with_its_line() -> None:
    with pytest.raises(InvalidInput) as refused:
        gains_from_csv(f"{HEAD}a,x,1\na,5,y\na,4,1\na,4.0,2\n", whose="g.csv")
    said = [str(fault) for fault in refused.value.faults]
    assert [one.split(":")[0] for one in said] == [
        "g.csv line 2", "g.csv line 3", "g.csv line 5",
    ]  # fmt: skip
    assert "tells the gain of a at 4.0 again" in said[2]
