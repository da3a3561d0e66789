"""Wrapped: long names on several lines, nothing lost."""

from __future__ import annotations

import pytest

from comity.render.wrapped import wrapped


@pytest.mark.parametrize(
    ("name", "most", "lines"),
    [
        ("", 5, [""]),
        ("abc", 5, ["abc"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("the first agent", 9, ["the first", "agent"]),
        ("a b-cdefgh", 6, ["a b-", "cdefgh"]),
        ("北京北京", 4, ["北京", "北京"]),
        ("北", 1, ["北"]),
        ("e\u0301e\u0301e\u0301", 3, ["e\u0301e\u0301e\u0301"]),
    ],
)
def test_a_name_stands_on_as_many_lines_as_it_needs(
    name: str, most: int, lines: list[str]
) -> None:
    assert wrapped(name, most) == lines
