"""Book: blocks and risks, and what one call carries to the next (W3, W6)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from comity.core.codec import decode, encode
from comity.protocols.review.book import Block, Book, Carried, Risk


def block(name: str, agent: str = "A", category: str = "limits", round_: int = 1) -> Block:
    return Block(
        id=name, agent=agent, phase="plan", round=round_, digest="d", category=category, reason="r"
    )


BOOK = Book(
    blocks=(block("b1"), block("b2", round_=2), block("b3", "B", "cache")),
    risks=(
        Risk(id="r1", agent="A", phase="plan", category="docs", risk="x", mitigation="y"),
        Risk(
            id="r2",
            agent="A",
            phase="plan",
            category="cache",
            risk="x",
            mitigation="y",
            closed_in=2,
        ),
    ),
)


def test_what_stands_is_found_by_phase_and_reviewer() -> None:
    assert [one.id for one in BOOK.open_in("plan")] == ["b1", "b2", "b3"]
    assert [one.id for one in BOOK.open_in("plan", "B")] == ["b3"]
    assert BOOK.open_in("review") == ()
    assert BOOK.categories("plan") == ("cache", "limits")
    assert BOOK.count("plan", "A", "limits") == 2


def test_a_risk_stands_until_it_is_closed_or_its_phase_has_passed() -> None:
    assert BOOK.risk_of("plan", "A", "docs") is not None
    assert BOOK.risk_of("plan", "A", "cache") is None
    assert BOOK.after("plan").risk_of("plan", "A", "docs") is None


def test_what_is_carried_survives_json() -> None:
    carried = Carried(phase="plan", round=2, book=BOOK, passed=("x",))
    assert decode(Carried, encode(carried)) == carried


# --- what no review can have come to ----------------------------------------------------------


def risk(name: str, **more: Any) -> Risk:
    return Risk(id=name, agent="A", phase="plan", category="x", risk="y", mitigation="z", **more)


@pytest.mark.parametrize(
    ("carried", "told"),
    [
        (Carried(), ""),
        (Carried(phase="plan", round=2, book=Book(blocks=(block("b1"),))), ""),
        (Carried(phase="plan", passed=("plan",)), ""),
        (Carried(phase="plan", round=-5), "says round -5"),
        (Carried(round=2), "says round 2 of phase ''"),
        (Carried(phase="plan", round=2, passed=("plan",)), "says round 2 of phase 'plan'"),
        (Carried(passed=("plan", "plan")), "passed"),
        (Carried(book=Book(blocks=(block("b1"), block("b1")))), "are named"),
        (Carried(book=Book(blocks=(block("b2"),))), "are named"),
        (Carried(book=Book(risks=(risk("r1"), risk("r1")))), "are named"),
        (Carried(book=Book(blocks=(block("b1", round_=0),))), "is of round 0"),
        (Carried(book=Book(blocks=(replace(block("b1"), repeats="b1"),))), "repeats 'b1'"),
        (Carried(book=Book(risks=(risk("r1", count=-1),))), "counts -1"),
        (Carried(book=Book(risks=(risk("r1", closed_in=-1),))), "closed in -1"),
    ],
)
def test_k1_what_no_call_can_have_come_to_is_told(carried: Carried, told: str) -> None:
    found = [f"{one.whose} {one.what}" for one in carried.faults()]
    assert any(told in one for one in found) if told else not found
