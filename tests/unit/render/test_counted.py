"""Counted: one thing, many things (G1)."""

from __future__ import annotations

import pytest

from comity.render.counted import counted


@pytest.mark.parametrize(
    ("number", "said"), [(0, "0 waits"), (1, "1 wait"), ("1", "1 wait"), (11, "11 waits")]
)
def test_g1_a_noun_takes_an_s_unless_there_is_one(number: object, said: str) -> None:
    assert counted(number, "wait") == said
