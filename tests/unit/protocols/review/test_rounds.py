"""Rounds: where a round goes: a revision, a person, the next phase, the end (W3, W4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.protocols.collect.rules import Gate

Open = Callable[..., Any]

YES = "Fine.\nVOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: there is no limit\nTO APPROVE: add one\nSUGGESTION: 9"
HOLE = NO.replace("limits", "security")
PERSON = Gate(default="block")
ASKS = "Build it.\n\n## Open Questions\n\n- [ ] Which port?\n"


def version(text: str) -> str:
    return f"BEGIN VERSION\n{text}\nEND VERSION"


def blocked_times(live: Any, count: int, said: str = NO) -> Any:
    for at in range(count):
        live.all_say(Architect=said)
        if live.asked("Builder") != "none":
            live.says("Builder", version(f"Version {at}"))
    return live


def test_w4_without_a_reviser_a_block_ends_it_with_the_reasons(review: Open) -> None:
    live = review()
    live.all_say(Architect=NO)
    assert (live.outcome.kind, live.outcome.reason) == ("blocked", "blocks")
    assert live.outcome.by == (("Architect", "there is no limit"),)
    assert live.outcome.unblock == ("Architect (limits): add one",)
    assert (live.tally.in_favour, live.tally.blocks) == (2, ("Architect",))


def test_w3_the_third_block_is_announced_and_shown_apart(review: Open) -> None:
    live = blocked_times(review(reviser="Builder"), 3)
    assert live.outcome.verdict == "APPROVED"
    assert live.tally.with_risk == ("Architect",)
    assert live.tally.approvals == ("Critic", "Planner")
    assert "ESCALATION: Converting to documented risk." in live.last.notes
    assert live.outcome.review.announcements == live.last.notes[:5]
    assert live.state.transcript[-1]["kind"] == "is escalated"
    shown = {one.party: one.what for one in live.outcome.grounds.submissions}
    assert shown["Architect"]["vote"] == "APPROVE (with documented risk)"
    assert shown["Critic"] == {"vote": "APPROVE"}


def test_w6_an_approval_closes_earlier_blocks_and_says_so(review: Open) -> None:
    live = blocked_times(review(reviser="Builder"), 1)
    live.says("Architect", YES)
    live.says("Critic", NO)
    live.says("Planner", YES)
    assert "Architect approves and closes 1 earlier block" in live.last.notes
    live.says("Builder", version("Three"))
    live.says("Critic", NO.replace("limits", "cache"))
    live.says("Architect", YES)
    live.says("Planner", YES)
    live.says("Builder", version("Four"))
    live.all_say()
    assert "Critic approves and closes 3 earlier blocks" in live.last.notes


def test_w6_a_mark_that_names_nothing_is_noted(review: Open) -> None:
    live = review()
    live.all_say(Architect=f"ADDRESSED: the moon\n{NO}")
    assert any("the moon" in note for note in live.last.notes)


# --- never waived ----------------------------------------------------------------------------


def test_w3_what_is_never_waived_goes_to_a_person_and_no_count_converts_it(review: Open) -> None:
    live = blocked_times(review(reviser="Builder", gate=PERSON), 3, HOLE)
    assert live.state.why_person == "never_waived"
    assert live.state.waiting.reason == "human"
    assert live.state.choices == ("approve", "block", "again")
    assert live.state.book.risks == ()
    live.says("human", "DECIDE: block")
    assert (live.outcome.kind, live.outcome.reason) == ("blocked", "never_waived")


def test_w3_a_person_may_accept_it_by_name(review: Open) -> None:
    live = blocked_times(review(reviser="Builder", gate=PERSON), 3, HOLE)
    live.says("human", "DECIDE: approve")
    assert live.outcome.verdict == "APPROVED"
    assert live.tally.by_person == ("Architect",)
    assert live.outcome.review.risks[0].accepted_by == "human"
    assert {one.became for one in live.outcome.review.blocks} == {"accepted"}


def test_w3_a_person_may_send_it_back(review: Open) -> None:
    live = blocked_times(review(reviser="Builder", gate=PERSON), 3, HOLE)
    live.says("human", "DECIDE: again")
    assert live.last.asks[0].kind == "revise"
    live.says("Builder", version("Safe"))
    live.all_say()
    assert live.outcome.verdict == "APPROVED"
    assert live.tally.approvals == ("Architect", "Critic", "Planner")


def test_without_a_person_it_ends_blocked(review: Open) -> None:
    live = blocked_times(review(reviser="Builder"), 3, HOLE)
    assert live.outcome.reason == "never_waived"


def test_what_a_person_accepts_leaves_other_blocks_standing(review: Open) -> None:
    live = review(blocks=1, gate=PERSON)
    live.all_say(Architect=HOLE, Critic="VOTE: BLOCK\nREASON: PREFERENCE")
    live.says("Critic", HOLE.replace("security", "safety"))
    assert live.state.to_person == (("Architect", "security"),)
    live.says("human", "DECIDE: approve")
    assert live.tally.with_risk == ("Critic",)
    both = review(blocks=1, max_rounds=1, gate=PERSON, never_waived=["safety"])
    both.all_say(Architect=HOLE.replace("security", "safety"), Critic=NO)
    both.says("human", "DECIDE: approve")
    assert both.tally.by_person == ("Architect",)


def test_a_reviewer_with_another_open_block_still_blocks(review: Open) -> None:
    live = review(reviser="Builder", blocks=2, gate=PERSON)
    live.all_say(Architect=HOLE)
    live.says("Builder", version("Two"))
    live.all_say(Architect=NO)
    live.says("human", "DECIDE: approve")
    assert live.last.asks[0].kind == "revise"
    assert [one["category"] for one in live.payload("Builder")["blocks"]] == ["limits"]


# --- the rounds are used up ------------------------------------------------------------------


def test_after_the_last_round_a_person_decides(review: Open) -> None:
    live = blocked_times(review(reviser="Builder", max_rounds=2, gate=PERSON), 2)
    assert live.state.why_person == "max_rounds"
    live.says("human", "DECIDE: approve")
    assert live.outcome.verdict == "APPROVED"
    assert live.outcome.review.risks[0].accepted_by == "human"


def test_after_the_last_round_without_a_person_it_ends_blocked(review: Open) -> None:
    live = blocked_times(review(reviser="Builder", max_rounds=2), 2)
    assert live.outcome.reason == "max_rounds"


def test_a_person_may_want_one_more_round(review: Open) -> None:
    live = blocked_times(review(reviser="Builder", max_rounds=1, gate=PERSON), 1)
    live.says("human", "DECIDE: again")
    live.says("Builder", version("Two"))
    live.all_say(Architect=NO)
    assert live.state.choices == ("approve", "block")
    live.time()
    assert live.outcome.reason == "max_rounds"


def test_a_person_may_have_to_decide_twice(review: Open) -> None:
    live = review(blocks=1, gate=PERSON)
    live.fails("Critic")
    live.all_say(Architect=HOLE)
    live.says("human", "DECIDE: approve")
    assert live.state.why_person == "absent"
    live.says("human", "DECIDE: approve")
    assert live.tally.by_person == ("Architect", "Critic")
    assert len(live.outcome.grounds.submissions) == 5


# --- absent, and open questions --------------------------------------------------------------


def test_w4_blocks_go_to_the_reviser_though_somebody_is_absent(review: Open) -> None:
    live = review(reviser="Builder", gate=PERSON)
    live.fails("Critic")
    live.all_say(Architect=NO)
    assert live.last.asks[0].kind == "revise"


def test_w4_open_questions_hold_the_plan_even_with_three_approvals(review: Open) -> None:
    live = review(text=ASKS)
    live.all_say()
    assert (live.outcome.kind, live.outcome.reason) == ("blocked", "open_questions")
    assert live.outcome.by == (("plan", "open question: Which port?"),)
    assert live.tally.in_favour == 3
    assert "1 open question." in live.outcome.says


def test_w4_open_questions_are_handed_to_the_reviser(review: Open) -> None:
    live = review(text=ASKS, reviser="Builder")
    live.all_say()
    assert live.payload("Builder")["questions"] == ("Which port?",)
    live.says("Builder", "hm")
    assert live.payload("Builder")["questions"] == ("Which port?",)
    live.says("Builder", version(ASKS.replace("[ ]", "[x]")))
    live.all_say()
    assert live.outcome.verdict == "APPROVED"


def test_w4_open_questions_in_the_last_round_end_it(review: Open) -> None:
    live = review(text=ASKS, reviser="Builder", max_rounds=1)
    live.all_say()
    assert live.outcome.reason == "open_questions"


def test_w4_only_phases_with_questions_look_for_them(review: Open) -> None:
    live = review("build-tests", text=ASKS)
    live.all_say()
    assert live.outcome.verdict == "APPROVED"


# --- phases ----------------------------------------------------------------------------------


def test_w4_plan_then_build_then_review(review: Open) -> None:
    phases = ("plan", "build-tests", "build-impl", "review")
    live = review(*phases, reviser="Builder", artefacts={"build-impl": "code", "review": "all"})
    live.all_say()
    assert live.last.notes == ("plan passed",)
    (asked,) = live.last.asks
    assert (asked.party, asked.kind) == ("Builder", "make")
    live.says("Builder", version("tests"))
    assert [one.party for one in live.last.asks] == ["Senior Engineer"]
    live.all_say()
    assert live.state.artefact == "code"
    live.all_say()
    live.says("Security", "none found")
    live.says("Performance", "fast")
    live.says("Product Manager", "VERDICT: APPROVED_TO_SHIP")
    assert live.outcome.verdict == "APPROVED_TO_SHIP"
    assert live.outcome.review.passed == phases
    assert [one.phase for one in live.outcome.review.rounds] == list(phases)
    assert len(live.outcome.review.versions) == 4


@pytest.mark.parametrize("how", ["hm", "fails", "deadline"])
def test_a_phase_with_nothing_to_review_ends_it(review: Open, how: str) -> None:
    live = review("plan", "build-tests", reviser="Builder", reasks=0)
    live.all_say()
    if how == "fails":
        live.fails("Builder")
    elif how == "deadline":
        live.time()
    else:
        live.says("Builder", how)
    assert live.outcome.reason == "not_made"
    assert live.outcome.by == (("Builder", "gave no version"),)
    assert live.outcome.review.passed == ("plan",)
    assert live.outcome.review.counted is False


def test_w4_a_verdict_of_blocked_goes_back_and_is_never_converted(review: Open) -> None:
    live = review("review", reviser="Builder", blocks=1, gate=PERSON)
    live.fails("Security")
    live.fails("Performance")
    live.says(
        "Product Manager", "VERDICT: BLOCKED\nREASON: no export\nTO APPROVE: x\nSUGGESTION: y"
    )
    assert live.state.why_person == "never_waived"
    live.says("human", "DECIDE: approve")
    assert live.outcome.verdict == "APPROVED_TO_SHIP"
    assert live.tally.by_person == ("Product Manager",)
