"""Gist: the fields at the head of a result's JSON (G1)."""

from __future__ import annotations

from typing import Any

import pytest

from comity import bargain, find_cycle, share, vickrey
from comity.cli.gist import gist_of
from comity.core.canonical import canonical
from comity.mechanisms.auctions import uniform_price

RING = {"a": "b", "b": "a"}
CURVES = {"a": [[4, 1]], "b": [[9, "0.5"]]}


@pytest.mark.parametrize(
    ("result", "gist"),
    [
        (vickrey({"a": "4.50", "b": 3}, reserve=0),
         {"winner": "a", "price": "3.00", "surplus": "1.50"}),
        (vickrey({"a": 4}, reserve=5), {"winner": None, "price": None, "surplus": None}),
        (uniform_price({"a": 4, "b": 3, "c": 2}, units=2, reserve=0),
         {"winner": None, "price": 2, "surplus": None}),
        (share(9, CURVES), {"allocation": {"a": 4, "b": 5}, "gains": {"a": 4, "b": "5/2"}}),
        (share(9, CURVES, minimum=9), {"allocation": None, "gains": None}),
        (find_cycle(RING, agents={"a": {"started": 1}, "b": {"started": 2}}),
         {"members": ["a", "b"], "victims": ["b"]}),
        (find_cycle({}), {"members": [], "victims": []}),
        (bargain(buyer=(60, 100), seller=(120, 70)), {}),
    ],
)  # fmt: skip
def test_g1_what_people_look_for_first_stands_at_the_head(result: Any, gist: Any) -> None:
    found = gist_of(result)
    assert found == gist
    assert canonical(found)
