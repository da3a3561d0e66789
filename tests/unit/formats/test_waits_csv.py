"""Waits in CSV: the data of a deadlock file (L1)."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.formats.waits_csv import waits_from_csv


def test_l1_a_row_is_a_wait_and_one_told_twice_counts_once() -> None:
    assert waits_from_csv("waiter,waits_for\na,b\na,c\nb,a\na,b\n") == {
        "kind": "deadlock",
        "waits": {"a": ["b", "c"], "b": ["a"]},
    }


def test_l1_a_third_column_tells_places_in_a_queue() -> None:
    found = waits_from_csv("waiter,waits_for,soft\na,b,no\nb,a,yes\n")
    assert (found["waits"], found["soft"]) == ({"a": ["b"]}, {"b": ["a"]})
    assert waits_from_csv("waiter,waits_for,soft\na,b,\n")["soft"] == {}


def test_g7_every_fault_is_told_with_its_line() -> None:
    with pytest.raises(InvalidInput) as refused:
        waits_from_csv("waiter,waits_for,soft\na,,\nb,c,maybe\n", whose="w.csv")
    said = [str(fault) for fault in refused.value.faults]
    assert "w.csv line 2: names no waits_for" in said[0]
    assert "w.csv line 3: soft is 'maybe'" in said[1]
