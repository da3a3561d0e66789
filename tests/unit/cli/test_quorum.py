"""Comity quorum: one running count at the command line (V7)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Comity = Callable[..., Any]


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        ("ann=yes bob=yes cyd=yes --group-size 5", 0, "passed"),
        ("ann=yes bob=yes --group-size 5", 11, "pending"),
        ("ann=no bob=no cyd=no --group-size 5", 10, "failed"),
        ("ann=yes --group-size 5 --closed", 13, "failed"),
        ("ann=A bob=A cyd=B dan=B --group-size 5 --closed", 10, "failed"),
        ("--group-size 5 --closed", 13, "failed"),
        ("ann=A bob=A --roster ann,bob,cyd --rule super:2/3", 0, "passed"),
        ("ann=yes --roster ann=3,bob=1,cyd=1 --rule weighted", 0, "passed"),
        ("a1=yes b1=yes --roster claude:a1 --roster gpt:b1,b2 --rule grouped", 11, "pending"),
        ("a1=yes --roster claude:a1 --roster gpt:b1,b2 --rule grouped --closed", 10, "failed"),
        ("--roster claude:a1 --rule grouped --closed", 13, "failed"),
        ("ann=yes bob=yes --roster ann,bob,cyd --veto cyd", 11, "pending"),
        ("ann=yes bob=yes cyd=no --roster ann,bob,cyd --veto cyd --closed", 12, "failed"),
        ("a=yes b=yes c=yes --group-size 4 --rule byzantine:1", 0, "passed"),
    ],
)
def test_v7_the_verdict_is_the_exit_code(
    comity: Comity, here: Path, words: str, code: int, verdict: str
) -> None:
    said = comity("quorum", *words.split(), "--json")
    assert (said.code, said.json["verdict"], said.json["exit_code"]) == (code, verdict, code)
    assert comity("quorum", *words.split()).out.startswith(f"{verdict}: ")
    assert list(here.iterdir()) == [], "nothing is recorded"


def test_v7_an_even_group_is_told_unasked(comity: Comity) -> None:
    said = comity("quorum", "ann=yes", "--group-size", "4")
    assert "note: 4 members tolerate 1 failure, as 3 do" in said.out


def test_g7_all_that_cannot_be_read_is_told_at_once(comity: Comity) -> None:
    said = comity(
        "quorum", "ann", "bob=yes", "bob=no", "--group-size", "x", "--roster", "a=much",
        "--roster", "g:b",
    )  # fmt: skip
    assert said.code == 2
    for part in ("vote: is 'ann'", "'bob' is given twice", "--group-size", "much", "inside and"):
        assert part in said.err
    assert comity("quorum", "ann=yes").code == 2


def test_the_help_has_three_examples(comity: Comity) -> None:
    examples = comity("quorum", "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity quorum ") == 3
