"""Report: everything that happened, every risk at the end (W3, W4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comity.core.step import Input
from comity.protocols.collect.rules import Gate
from comity.protocols.review.book import Carried
from comity.protocols.review.report import closing_report

Open = Callable[..., Any]
YES = "VOTE: APPROVE"
NO = (
    "VOTE: BLOCK\nCATEGORY: limits\nREASON: no <b>limit</b> [x](http://y)\nTO APPROVE: add one\n"
    "SUGGESTION: nine"
)


def version(text: str) -> str:
    return f"BEGIN VERSION\n{text}\nEND VERSION"


def test_w3_the_report_lists_ballots_blocks_and_every_risk_last(review: Open) -> None:
    live = review(reviser="Builder", reasks=0, blocks=2)
    live.all_say(Architect=NO, Critic="VOTE: BLOCK\nREASON: vague")
    live.says("Builder", version("Two"))
    live.all_say(Architect=NO)
    text = closing_report(live.outcome)
    assert text.startswith("# Review of PLAN.md\n\nAPPROVED: ")
    assert "## plan, round 1: 1 of 3" in text
    assert "- Architect: APPROVE (with documented risk)" in text
    assert "\nESCALATION: Converting to documented risk.\n" in text
    assert "no \\<b>limit\\</b> [x]\\(http://y)" in text
    assert "vague (did not say what must change)\n    - closed by its reviewer's approval" in text
    assert "    - suggested: nine" in text
    tail = text.rpartition("## Documented risks")[2]
    assert "r1, Architect, plan, limits (blocked 2 times; open)" in tail
    assert "Mitigation: To be addressed in follow-up work" in tail
    assert "Closed when: add one" in tail


def test_a_report_without_risks_says_none_and_what_would_unblock_it(review: Open) -> None:
    live = review(text="## Open Questions\n- port?\n")
    live.all_say()
    text = closing_report(live.outcome)
    assert text.endswith("## Documented risks\n\n- none\n")
    assert "## Open questions\n\n- port?" in text
    assert "- answer and tick, or mark resolved: port?" in text


def test_who_did_not_vote_and_who_decided_is_told(review: Open) -> None:
    live = review("review", gate=Gate(default="block"), blocks=1)
    live.says("Security", "x" * 2_000)
    live.fails("Performance")
    live.says("Product Manager", f"VERDICT: BLOCKED\n{NO.partition(chr(10))[2]}")
    live.says("human", "DECIDE: approve")
    text = closing_report(live.outcome)
    assert "- Product Manager: APPROVE (by a person)" in text
    assert "- Performance, round 1: none (crashed)" in text
    assert "…" in text
    assert "accepted by human; open" in text
    cancelled = review()
    cancelled.says("Critic", "VOTE: BLOCK\nREASON: PREFERENCE: tabs")
    cancelled.do(Input(kind="cancel", now_ms=0))
    told = closing_report(cancelled.outcome)
    assert "- Architect: no vote that counts (absent)" in told
    assert "- Critic: PREFERENCE: tabs" in told


def test_a_closed_risk_is_told_so(review: Open) -> None:
    live = review(reviser="Builder", blocks=1)
    live.all_say(Architect=NO, Critic=NO.replace("limits", "cache"), Planner="VOTE: BLOCK")
    live.says(
        "Planner", "VOTE: BLOCK\nREASON: x\nTO APPROVE: y\nSUGGESTION: z\nCATEGORY: security"
    )
    assert live.outcome.reason == "never_waived"
    again = review(reviser="Builder", blocks=1, never_waived=["frozen"], max_rounds=2)
    again.says("Architect", NO)
    again.says("Critic", NO.replace("limits", "frozen"))
    again.says("Planner", YES)
    assert again.outcome.review.risks[0].is_open
    assert "blocked 1 time; open" in closing_report(again.outcome)


def test_w4_what_was_skipped_and_another_text_are_told_first(review: Open) -> None:
    before = (("build-impl", "f" * 64),)
    for passed, told in (
        ((), "plan, build-tests have not passed."),
        (("plan",), "build-tests has not passed."),
    ):
        live = review("build-impl", carried=Carried(passed=passed, approved=before))
        live.all_say()
        text = closing_report(live.outcome)
        assert f"\n\nReviewed though {told}\nWhat passed build-impl before was another" in text
        assert "another text: version ffffffffffff.\n\n## build-impl, round 1" in text
