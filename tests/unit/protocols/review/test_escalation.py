"""Escalation: counts per reviewer and category, the k-th block, what is never waived (W3, W6)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.protocols.review.book import Book
from comity.protocols.review.escalation import (
    ESCALATION,
    Judged,
    Raised,
    accepted,
    approved,
    blocked,
    category_of,
    is_never_waived,
)
from comity.protocols.review.grammar import BlockMark


def mark(text: str, state: Any = "addressed") -> BlockMark:
    return BlockMark(state=state, text=text)


def raised(
    round_: int,
    category: str | None = "limits",
    reason: str = "no limit",
    marks: tuple[BlockMark, ...] = (),
    agent: str = "Architect",
) -> Raised:
    return Raised(
        agent=agent,
        phase="plan",
        round=round_,
        digest=f"d{round_}",
        reason=reason,
        category=category,
        marks=marks,
    )


def judged(*votes: Raised, book: Book | None = None, **how: Any) -> Judged:
    told = {"limit": 3, "mitigation": "Later", **how}
    found = Judged(book=book or Book(), is_converted=False)
    for one in votes:
        found = blocked(found.book, one, **told)
    return found


def count(found: Judged, category: str = "limits") -> int:
    return found.book.count("plan", "Architect", category)


def test_w3_the_third_block_in_a_category_becomes_a_risk_and_the_vote_an_approval() -> None:
    second = judged(raised(1), raised(2, "Limits"))
    assert (count(second), second.is_converted, second.announcements) == (2, False, ())
    third = judged(raised(3, reason="API lacks a limit"), book=second.book)
    assert third.is_converted
    assert third.announcements == (
        'Architect blocked 3 times on: "Limits"',
        ESCALATION,
        '- Risk: "API lacks a limit"',
        '- Mitigation: "Later"',
        "- Architect vote converted to: APPROVE (with documented risk)",
    )
    (risk,) = third.book.risks
    assert (risk.count, risk.digest, risk.is_open) == (3, "d3", True)
    assert risk.reasons == ("no limit", "no limit", "API lacks a limit")
    assert [one.became for one in third.book.blocks] == ["risk"] * 3


@pytest.mark.parametrize("limit", [1, 2, 4])
def test_w3_the_limit_is_a_parameter(limit: int) -> None:
    found = judged(*(raised(at) for at in range(1, limit + 1)), limit=limit)
    assert found.is_converted
    assert judged(*(raised(at) for at in range(1, limit)), limit=limit).is_converted is False
    times = "once" if limit == 1 else f"{limit} times"
    assert times in found.announcements[0]


def test_w3_counts_are_per_reviewer_and_per_category() -> None:
    found = judged(raised(1), raised(1, agent="Critic"), raised(2, "cache"))
    assert count(found) == 2  # not marked in round 2: still open
    assert count(found, "cache") == 1
    assert found.book.count("plan", "Critic", "limits") == 1
    assert found.book.count("review", "Architect", "limits") == 0


def test_w6_what_is_not_marked_is_still_open_and_keeps_the_vote_a_block() -> None:
    found = judged(raised(1, "cache"), raised(2), raised(3, marks=(mark("cache"),)), raised(4))
    assert found.is_converted
    held = judged(raised(1), raised(2), raised(3, "cache"))
    assert held.is_converted is False
    assert held.announcements[-1] == "- Architect vote stays: BLOCK (still open: cache)"
    assert [one.repeats for one in held.book.blocks] == ["", "", "b2", ""]
    then = judged(raised(4, "cache"), raised(5, "cache"), book=held.book)
    assert then.is_converted
    assert [one.category for one in then.book.risks] == ["limits", "cache"]


def test_w6_addressed_concerns_stop_counting() -> None:
    found = judged(raised(1), raised(2, "cache", marks=(mark("b1 is done"),)))
    assert found.book.blocks[0].became == "addressed"
    assert (count(found), count(found, "cache")) == (0, 1)
    again = judged(raised(1), raised(2), raised(3, marks=(mark("limits"),)))
    assert (count(again), again.is_converted) == (1, False)


@pytest.mark.parametrize("text", ["b1", "B1: fixed", "limits", "the limits", "no limit", "all"])
def test_w6_a_mark_names_a_block_by_id_category_or_reason(text: str) -> None:
    found = judged(raised(1), raised(2, "cache", marks=(mark(text),)))
    assert found.book.blocks[0].became == "addressed"
    assert found.stray == ()


@pytest.mark.parametrize("text", ["b9", "the docs", "-", "no"])
def test_w6_a_mark_that_may_mean_several_or_none_means_none(text: str) -> None:
    book = judged(raised(1), raised(2, "cache", "no cache")).book
    vote = raised(3, "docs", "nowhere said", marks=(mark(text),))
    found = judged(vote, book=book, limit=9)
    assert {one.became for one in found.book.blocks} == {"open"}
    assert found.stray == (text,)


def test_w6_still_open_wins_over_addressed() -> None:
    marks = (mark("b1"), mark("b1", "open"))
    found = judged(raised(1), raised(2, "cache", marks=marks))
    assert count(found) == 2


def test_w6_an_approval_closes_all_concerns_and_the_risks_of_the_phase() -> None:
    book = judged(raised(1), raised(2, "cache", marks=(mark("b1"),)), limit=2).book
    book = judged(raised(3, "cache"), book=book, limit=2).book
    assert book.risks[0].is_open
    after = approved(book, phase="plan", agent="Architect", round_=4)
    assert after.open_in("plan") == ()
    assert after.risks[0].closed_in == 4
    assert approved(book, phase="plan", agent="Critic", round_=4) == book


def test_a_risk_stays_one_when_it_is_raised_again_in_its_phase() -> None:
    found = judged(raised(1), raised(2), raised(3), raised(4, reason="still none"))
    assert (found.is_converted, found.announcements) == (True, ())
    (risk,) = found.book.risks
    assert (risk.count, risk.risk, risk.id) == (4, "still none", "r1")


def test_after_its_phase_has_passed_blocks_count_from_the_start() -> None:
    book = judged(raised(1), raised(2), raised(3)).book.after("plan")
    found = judged(raised(1), book=book)
    assert (found.is_converted, count(found)) == (False, 1)
    assert book.after("review") == book


# --- never waived ----------------------------------------------------------------------------


def test_w3_what_is_never_waived_goes_to_a_person_instead() -> None:
    votes = [raised(at, "API security") for at in (1, 2, 3)]
    found = judged(*votes, never_waived=("Security",))
    assert (found.is_converted, found.to_person) == (False, ("api security",))
    assert found.book.risks == ()


@pytest.mark.parametrize(
    ("category", "reason"),
    [
        ("logging", "It logs too much. A SECURITY hole."),
        (None, "It logs. This is about security."),
        ("x" * 90 + " security", "no limit"),
    ],
)
def test_w3_the_reason_and_the_whole_name_tell_what_is_never_waived(
    category: str | None, reason: str
) -> None:
    votes = [raised(at, category, reason) for at in (1, 2, 3)]
    found = judged(*votes, never_waived=("security",))
    assert found.is_converted is False
    assert len(found.to_person) == 1
    assert judged(*votes).is_converted


@pytest.mark.parametrize(
    ("category", "is_it"),
    [("ops", True), ("dev-ops", True), ("stops", False), ("", False), ("non-stop self", False)],
)
def test_w3_a_short_name_is_a_word_of_its_own(category: str, is_it: bool) -> None:
    assert is_never_waived(category, ["ops", "?"]) is is_it


def test_a_verdict_is_never_converted() -> None:
    found = judged(raised(1), raised(2), raised(3), is_waivable=False)
    assert (found.is_converted, found.to_person) == (False, ("limits",))


@pytest.mark.parametrize(
    ("category", "is_it"),
    [
        ("security", True),
        ("Security.", True),
        ("app/security", True),
        ("security: tokens", True),
        ("insecurity", True),
        ("cybersecurity", True),
        ("s\u00e9curit\u00e9", True),
        ("\u0455ecurity", True),
        ("SECUR\u0130TY", True),
        ("secur1ty", True),
        ("sec-urity", True),
        ("s.e.c.u.r.i.t.y", True),
        ("s e c u r i t y", True),
        ("performance", False),
        ("limits", False),
    ],
)
def test_w3_a_category_is_never_waived_in_any_spelling(category: str, is_it: bool) -> None:
    assert is_never_waived(category, ["security"]) is is_it


def test_w3_a_person_may_accept_concerns_as_risks() -> None:
    book = judged(raised(1, "security"), never_waived=("security",)).book
    concerns = [("Architect", "security")]
    after = accepted(book, phase="plan", concerns=concerns, by="lead", mitigation="Later")
    assert after.blocks[0].became == "accepted"
    assert (after.risks[0].accepted_by, after.risks[0].count) == ("lead", 1)
    more = judged(raised(2, "security"), book=after, never_waived=("security",))
    assert more.to_person == ("security",)  # raised again, it is asked about again
    again = accepted(more.book, phase="plan", concerns=concerns, by="lead", mitigation="Later")
    assert (len(again.risks), again.risks[0].count) == (1, 2)


# --- categories ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("category", "reason", "named"),
    [
        ("rate-limiting", "x", "rate-limiting"),
        (None, "Missing rate limiting. Add it.", "missing rate limiting"),
        (None, "Missing rate limiting\nAdd it", "missing rate limiting"),
        (None, "x" * 100, "x" * 80),
        (None, "...", "unnamed"),
    ],
)
def test_w3_a_category_is_named_or_the_first_sentence_of_the_reason(
    category: str | None, reason: str, named: str
) -> None:
    assert category_of(raised(1, category, reason), ()) == named


def test_w3_an_open_category_is_chosen_in_any_spelling() -> None:
    earlier = judged(raised(1, "rate limiting")).book.blocks
    assert category_of(raised(2, "Rate-Limiting"), earlier) == "rate limiting"
    still = (mark("b1", "open"),)
    assert category_of(raised(2, None, "words anew", still), earlier) == "rate limiting"
    assert category_of(raised(2, None, "Rate limiting!"), earlier) == "rate limiting"


def test_a_long_reason_is_a_short_risk_on_one_line() -> None:
    found = judged(raised(1, reason="a\nb " * 200), limit=1)
    assert len(found.book.risks[0].risk) == 300
    assert "\n" not in found.book.risks[0].risk
    assert found.announcements[2].count('"') == 2
