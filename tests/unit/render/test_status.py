"""Status: a session that is under way on one line."""

from __future__ import annotations

import pytest

from comity.render.ink import Ink
from comity.render.status import status_text

FULL = {
    "turn": 7,
    "max_turns": 30,
    "consents": 2,
    "seats": 3,
    "open": ["delivery", "p99"],
    "money": "0.12",
    "tokens": 41_200,
    "waiting": ["CX", "GM"],
}


def test_c5_the_whole_line_reads_as_the_issue_says() -> None:
    assert status_text(FULL, Ink()) == (
        "turn 7/30 · consent 2/3 · open: delivery, p99 · cost 0.12 USD · 41,200 tokens"
        " · waiting for CX, GM"
    )
    assert status_text({}, Ink()) == ""


@pytest.mark.parametrize(
    ("figures", "told"),
    [
        ({"votes": 1, "voters": 3}, "votes 1/3"),
        ({"round": 2, "votes": 1, "voters": 3}, "round 2 - votes 1/3"),
        ({"open": list("abcde")}, "open: a, b, c and 2 more"),
        ({"open": ["x\ny"]}, "open: x\\ny"),
    ],
)
def test_other_figures_and_plain_signs(figures: dict[str, object], told: str) -> None:
    assert status_text(figures, Ink(signs=False)) == told  # type: ignore[arg-type]  # plain data


@pytest.mark.parametrize("width", range(0, 120, 7))
def test_it_never_takes_a_second_line(width: int) -> None:
    line = status_text(FULL, Ink(), width=width)
    assert len(line) <= max(width, 1)
    assert "turn 7/30" in line or width < 12
