"""Machine: who is asked, what counts, what is asked again, what time does (W1, W2, W5, G9)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest

from comity.core.step import Input
from comity.protocols.collect.rules import Gate

Open = Callable[..., Any]

YES = "Fine.\nVOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: there is no limit\nTO APPROVE: add one\nSUGGESTION: 9"
PERSON = Gate(default="block")
THREE = ("Architect", "Critic", "Planner")


def test_everybody_is_asked_at_once_with_one_deadline(review: Open) -> None:
    live = review()
    assert [one.party for one in live.told[0].asks] == list(THREE)
    assert {one.deadline_ms for one in live.last.asks} == {601_000}
    assert live.last.wake_at_ms == 601_000


@pytest.mark.parametrize("order", list(permutations(THREE)))
def test_w4_three_of_three_are_three_ballots_in_any_order(
    review: Open, order: tuple[str, ...]
) -> None:
    live = review()
    for name in order:
        assert live.last.outcome is None
        live.says(name, YES)
    assert live.outcome.verdict == "APPROVED"
    assert live.tally.approvals == THREE
    straight = review()
    straight.all_say()
    assert live.outcome.to_json() | {"grounds": 0} == straight.outcome.to_json() | {"grounds": 0}


@pytest.mark.parametrize("said", ["critic\nVOTE: APPROVE", "> Planner\n\nPlanner\nVOTE: APPROVE"])
def test_c3_words_below_another_seats_name_are_no_vote_of_the_one_who_speaks(
    review: Open, said: str
) -> None:
    live = review()
    live.says("Architect", said)
    assert live.last.rejected
    assert [one.attempt for one in live.last.asks if one.party == "Architect"] == [2]


@pytest.mark.parametrize("said", ["", "hm", "VOTE: APPROVE once it is done", f"{YES}\n{NO}"])
def test_w1_what_cannot_be_read_is_asked_again_then_absent_never_an_approval(
    review: Open, said: str
) -> None:
    live = review(reasks=2)
    live.says("Planner", YES)
    live.says("Critic", YES)
    for attempt in (2, 3):
        live.says("Architect", said)
        (asked,) = live.last.asks
        assert (asked.attempt, asked.kind) == (attempt, "vote")
        assert asked.payload["again"] == live.last.rejected[0].hint
        assert asked.payload["again"] in asked.payload["brief"]
    live.says("Architect", said)
    assert live.outcome.kind == "no_quorum"
    assert (live.outcome.needed, live.outcome.present) == (3, 2)
    assert live.tally.absent == ("Architect",)
    assert live.reasons == [live.tally.unread[0].why]


def test_w2_a_block_without_a_reason_is_asked_for_one_then_neither(review: Open) -> None:
    live = review()
    live.says("Planner", YES)
    live.says("Critic", YES)
    live.says("Architect", "VOTE: BLOCK")
    assert live.reasons == ["block_without_reason"]
    live.says("Architect", "VOTE: BLOCK")
    assert live.tally.invalid == ("Architect",)
    assert (live.tally.absent, live.tally.blocks) == ((), ())
    assert live.outcome.kind == "no_quorum"


def test_w2_a_block_that_says_too_little_stands_and_is_asked_for_the_rest_once(
    review: Open,
) -> None:
    live = review()
    live.says("Architect", "VOTE: BLOCK\nREASON: there is no limit")
    (asked,) = [one for one in live.last.asks if one.party == "Architect"]
    assert asked.kind == "complete"
    assert "TO APPROVE" in asked.payload["lacks"]
    live.says("Architect", "TO APPROVE: add a limit\nSUGGESTION: nine")
    live.all_say()
    (block,) = live.outcome.review.blocks
    assert (block.to_approve, block.suggestion, block.is_vague) == ("add a limit", "nine", False)
    assert block.reason == "there is no limit"


@pytest.mark.parametrize("how", ["fails", "hm", "VOTE: BLOCK\nREASON: still none", "deadline"])
def test_w2_it_stands_whatever_is_said_then_and_counts_as_vague(review: Open, how: str) -> None:
    live = review()
    live.says("Planner", YES)
    live.says("Critic", YES)
    live.says("Architect", "VOTE: BLOCK\nREASON: there is no limit")
    if how == "fails":
        live.fails("Architect")
    elif how == "deadline":
        live.time()
    else:
        live.says("Architect", how)
    assert live.outcome.reason == "blocks"
    (block,) = live.outcome.review.blocks
    assert block.is_vague is (how != "deadline")
    assert block.reason == ("still none" if "still" in how else "there is no limit")


def test_a_block_may_be_withdrawn_when_it_is_asked_for_the_rest(review: Open) -> None:
    live = review()
    live.says("Planner", YES)
    live.says("Critic", YES)
    live.says("Architect", "VOTE: BLOCK\nREASON: there is no limit")
    live.says("Architect", YES)
    assert live.outcome.verdict == "APPROVED"
    assert live.tally.approvals == THREE
    assert "Architect changed its vote" in live.state.notes


def test_only_how_is_missing_and_the_block_is_not_vague(review: Open) -> None:
    live = review()
    live.says("Planner", YES)
    live.says("Critic", YES)
    live.says("Architect", "VOTE: BLOCK\nREASON: no limit\nTO APPROVE: add one")
    assert live.payload("Architect")["lacks"] == "how that could be done (SUGGESTION)"
    live.fails("Architect")
    assert live.outcome.review.blocks[0].is_vague is False


def test_without_asking_again_nobody_is_asked_for_the_rest(review: Open) -> None:
    live = review(reasks=0)
    live.says("Architect", "VOTE: BLOCK\nREASON: no limit")
    assert live.asked("Architect") == "none"
    live.all_say()
    assert live.outcome.review.blocks[0].is_vague


@pytest.mark.parametrize("said", ["PREFERENCE: tabs", "(nit) tabs", "Nitpick - tabs"])
def test_w5_a_preference_is_kept_as_a_comment_and_sent_back(review: Open, said: str) -> None:
    live = review()
    live.says("Critic", f"VOTE: BLOCK\nREASON: {said}")
    assert live.reasons == ["preference"]
    assert "requirement" in live.payload("Critic")["again"]
    live.says("Critic", YES)
    live.all_say()
    assert live.outcome.verdict == "APPROVED"
    assert [one.text for one in live.outcome.review.comments] == [said]


def test_w5_a_preference_named_twice_is_neither_a_block_nor_an_approval(review: Open) -> None:
    live = review()
    for _ in range(2):
        live.says("Critic", "VOTE: BLOCK\nCATEGORY: preference\nREASON: tabs")
    live.all_say()
    assert live.outcome.kind == "no_quorum"
    assert live.tally.invalid == ("Critic",)
    assert len(live.outcome.review.comments) == 1


def test_w6_an_approval_that_leaves_an_earlier_block_open_is_doubt(review: Open) -> None:
    live = review()
    live.says("Critic", "VOTE: APPROVE\nSTILL OPEN: the limit")
    assert live.reasons == ["approves_with_open_block"]
    assert live.asked("Critic") != "none"


def test_c3_a_vote_may_be_a_call_and_a_list_in_it_stays_a_list(review: Open) -> None:
    live = review()
    live.says("Critic", {"text": "done", "vote": {"vote": "APPROVE", "addressed": ["b1", "b2"]}})
    ballot = live.state.now_cast["Critic"]
    assert ballot.vote == "APPROVE"
    assert [one.text for one in ballot.marks] == ["b1 b2"]


def test_a_reply_about_another_version_counts_for_nothing(review: Open) -> None:
    live = review()
    before = live.state
    live.says("Critic", {"text": YES, "digest": "0" * 64})
    assert live.reasons == ["stale_version"]
    live.sends("Critic", {"text": YES, "digest": "0" * 64})
    assert live.reasons == ["stale_version"]
    assert live.state == before
    live.says("Critic", {"text": YES, "digest": live.state.digest[:12]})
    assert live.reasons == []


def test_v8_a_vote_may_change_while_the_round_is_open(review: Open) -> None:
    live = review()
    live.says("Critic", NO)
    live.sends("Critic", NO)
    assert live.reasons == ["repeated"]
    live.sends("Critic", YES)
    assert "Critic changed its vote" in live.last.notes
    live.all_say()
    assert live.tally.approvals == THREE
    assert live.outcome.review.blocks == ()


def test_an_unasked_vote_answers_what_was_asked(review: Open) -> None:
    live = review()
    asked = live.asked("Critic")
    live.sends("Critic", YES)
    assert live.asked("Critic") == "none"
    late = Input(kind="reply", now_ms=1, party="Critic", ask_id=asked, body={"text": YES})
    assert live.do(late).rejected[0].reason == "late"


def test_c3_others_and_nonsense_count_for_nothing(review: Open) -> None:
    live = review()
    before = live.state
    for party in ("human", "Zoe", "Security"):
        live.sends(party, YES)
        assert live.reasons == ["not_asked"]
    live.sends("Critic", "hm")
    assert live.reasons == ["no_vote"]
    assert live.fails("Zoe").rejected[0].reason == "late"
    odd: Any = Input(kind="odd", now_ms=0)  # type: ignore[arg-type]
    assert live.do(odd).rejected[0].reason == "unknown_kind"
    assert live.do(Input(kind="undo", now_ms=0)).rejected[0].reason == "nothing_to_undo"
    assert live.state == before


def test_a_failure_is_absent_never_a_vote(review: Open) -> None:
    live = review()
    live.fails("Critic", "timeout")
    live.all_say()
    assert live.outcome.kind == "no_quorum"
    assert live.tally.unread[0].why == "absent"
    assert live.tally.unread[0].hint == "could not answer: timeout"


def test_an_unread_reply_and_then_silence_keeps_the_exact_error(review: Open) -> None:
    live = review()
    live.says("Critic", "hm")
    hint = live.last.rejected[0].hint
    live.fails("Critic")
    live.all_say()
    assert live.tally.unread[0].hint == hint


def test_g9_the_deadline_ends_the_round_for_all(review: Open) -> None:
    live = review()
    live.says("Critic", YES)
    live.time(600_999)
    assert live.reasons == ["early"]
    live.time(601_000)
    assert live.outcome.grounds.absent == ("Architect", "Planner")
    live.says("Planner", YES)
    assert live.reasons == ["ended"]
    assert live.last.outcome is None


def test_resumed_gives_the_whole_time(review: Open) -> None:
    live = review()
    live.do(Input(kind="resumed", now_ms=9_000))
    assert {one.deadline_ms for one in live.last.asks} == {609_000}


def test_advisors_first_and_their_findings_are_no_votes(review: Open) -> None:
    live = review("review")
    assert [one.party for one in live.last.asks] == ["Performance", "Security"]
    live.says("Security", "A hole.\nVOTE: BLOCK\nREASON: hole")
    live.says("Performance", "")
    assert live.reasons == ["empty"]
    live.says("Performance", "")
    (asked,) = live.last.asks
    assert asked.party == "Product Manager"
    assert "> A hole." in asked.payload["brief"]
    live.says("Product Manager", "VERDICT: APPROVED_TO_SHIP")
    assert live.outcome.verdict == "APPROVED_TO_SHIP"
    assert live.tally.needed == 1
    texts = {one.agent: one.why for one in live.outcome.review.findings}
    assert texts == {"Security": "", "Performance": "empty"}


@pytest.mark.parametrize("how", ["fails", "deadline", "message"])
def test_silent_advisors_hold_nothing_up(review: Open, how: str) -> None:
    live = review("review")
    live.sends("Product Manager", "VERDICT: APPROVED_TO_SHIP")
    assert live.reasons == ["not_asked"]
    if how == "message":
        live.sends("Security", "")
        assert live.reasons == ["empty"]
        live.sends("Security", "No holes.")
        live.fails("Performance")
    elif how == "fails":
        live.fails("Security")
        live.fails("Performance")
    else:
        live.time()
    assert [one.party for one in live.last.asks] == ["Product Manager"]
    live.says("Product Manager", "VERDICT: BLOCKED\nREASON: no export")
    live.fails("Product Manager")
    assert live.outcome.by == (("Product Manager", "no export"),)


def test_cancelling_says_how_it_stood(review: Open) -> None:
    live = review()
    live.says("Critic", YES)
    live.do(Input(kind="cancel", now_ms=0))
    assert live.outcome.reason == "cancelled"
    assert live.tally.approvals == ("Critic",)
    assert live.outcome.review.counted is False


# --- the reviser -----------------------------------------------------------------------------


def version(text: str) -> str:
    return f"Changed.\nBEGIN VERSION\n{text}\nEND VERSION"


def test_blocks_are_handed_to_the_reviser_and_a_new_version_voids_the_ballots(
    review: Open,
) -> None:
    live = review(reviser="Builder")
    live.all_say(Architect=NO)
    (asked,) = live.last.asks
    assert (asked.party, asked.kind) == ("Builder", "revise")
    assert asked.payload["blocks"][0]["to_approve"] == "add one"
    live.says("Builder", version("Build it, 9 at most."))
    assert [one.party for one in live.last.asks] == list(THREE)
    assert (live.state.round, len(live.state.versions)) == (2, 2)
    assert live.payload("Architect")["earlier"][0]["id"] == "b1"
    assert live.payload("Critic")["earlier"] == ()
    assert live.payload("Critic")["categories"] == ("limits",)
    assert "Changed." in live.payload("Critic")["brief"]
    live.all_say()
    assert live.outcome.verdict == "APPROVED"
    assert live.outcome.review.blocks[0].became == "closed"
    assert [one.round for one in live.outcome.review.rounds] == [1, 2]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("I cannot.", "no_version"),
        (version("Build it."), "unchanged"),
        (version("x" * 200_001), "too_long"),
    ],
)
def test_a_version_that_is_none_is_asked_for_again_then_it_ends_with_the_reasons(
    review: Open, said: str, reason: str
) -> None:
    live = review(reviser="Builder")
    live.all_say(Architect=NO)
    live.says("Builder", said)
    assert live.reasons == [reason]
    assert live.last.asks[0].attempt == 2
    live.says("Builder", said)
    assert live.outcome.reason == "not_revised"
    assert live.outcome.by == (("Architect", "there is no limit"),)


@pytest.mark.parametrize("how", ["fails", "deadline"])
def test_a_reviser_that_is_silent_ends_it(review: Open, how: str) -> None:
    live = review(reviser="Builder")
    live.all_say(Architect=NO)
    live.fails("Builder") if how == "fails" else live.time()
    assert live.outcome.reason == "not_revised"


def test_a_version_may_come_as_data_or_unasked(review: Open) -> None:
    live = review(reviser="Builder")
    live.all_say(Architect=NO)
    live.sends("Builder", "hm")
    assert live.reasons == ["no_version"]
    live.sends("Builder", {"artefact": "Build two."})
    assert live.state.artefact == "Build two."


def test_a_version_that_returns_is_noted(review: Open) -> None:
    live = review(reviser="Builder")
    live.all_say(Architect=NO)
    live.says("Builder", version("Two"))
    live.all_say(Architect=NO)
    live.says("Builder", version("Build it."))
    assert "version 3 is version 1 again" in live.last.notes


# --- the person ------------------------------------------------------------------------------


def test_w4_an_absent_reviewer_waits_for_a_person_and_never_passes_by_silence(
    review: Open,
) -> None:
    live = review(gate=PERSON)
    live.fails("Critic")
    live.all_say()
    (asked,) = live.last.asks
    assert (asked.party, asked.kind, live.last.outcome) == ("human", "decide", None)
    assert live.state.waiting.reason == "absent"
    assert live.state.waiting.until_ms == live.last.wake_at_ms == 86_401_000
    live.time()
    assert live.outcome.kind == "no_quorum"
    assert live.outcome.grounds.ended_by == "default"


@pytest.mark.parametrize("how", ["reply", "message"])
def test_a_person_may_stand_in_for_the_absent(review: Open, how: str) -> None:
    live = review(gate=PERSON)
    live.fails("Critic")
    live.all_say()
    body = {"text": "DECIDE: approve", "by": "ann", "reason": "seen"}
    live.says("human", body) if how == "reply" else live.sends("human", body)
    assert live.outcome.verdict == "APPROVED"
    assert live.tally.by_person == ("Critic",)
    assert live.outcome.grounds.ended_by == "person"
    told = live.outcome.grounds.submissions[-1].what
    assert told == {"decides": "approve", "by": "ann", "reason": "seen"}


def test_a_person_may_block(review: Open) -> None:
    live = review(gate=PERSON)
    live.fails("Critic")
    live.all_say()
    live.says("human", "DECIDE: block")
    assert (live.outcome.kind, live.outcome.grounds.ended_by) == ("no_quorum", "person")
    assert live.outcome.grounds.submissions[-1].what["decides"] == "block"


def test_a_person_may_have_the_absent_asked_again_a_bounded_number_of_times(
    review: Open,
) -> None:
    live = review(gate=PERSON, max_rounds=2)
    live.fails("Critic")
    live.all_say()
    for _ in range(2):
        live.says("human", "DECIDE: again")
        assert [one.party for one in live.last.asks] == ["Critic"]
        live.fails("Critic")
    assert live.state.choices == ("approve", "block")
    live.says("human", "DECIDE: again")
    assert live.reasons == ["no_decision"]
    live.says("human", "DECIDE: approve")
    assert live.tally.by_person == ("Critic",)
    assert len(live.outcome.review.rounds) == 1


def test_asked_again_the_absent_may_vote(review: Open) -> None:
    live = review(gate=PERSON)
    live.fails("Critic")
    live.all_say()
    live.says("human", "DECIDE: again")
    live.says("Critic", YES)
    assert live.tally.approvals == THREE


def test_the_person_may_be_unclear_away_or_somebody_else(review: Open) -> None:
    live = review(gate=PERSON)
    live.fails("Critic")
    live.all_say()
    live.sends("Critic", YES)
    assert live.reasons == ["late"]
    live.sends("human", "well")
    assert live.reasons == ["no_decision"]
    live.says("human", "well")
    assert live.last.asks[0].attempt == 2
    live.do(Input(kind="resumed", now_ms=99_000))
    assert live.last.wake_at_ms == 86_401_000
    live.says("human", "well")
    assert live.last.asks == ()
    live.sends("human", "DECIDE: block")
    assert live.outcome.kind == "no_quorum"


def test_a_person_that_is_not_there_is_waited_for(review: Open) -> None:
    live = review(gate=PERSON)
    live.fails("Critic")
    live.all_say()
    live.fails("human")
    assert live.last.notes == ("human is not there",)
    assert live.last.wake_at_ms == 86_401_000


def test_a_decision_can_be_taken_back(review: Open) -> None:
    live = review(gate=PERSON)
    live.fails("Critic")
    waits = live.all_say().state
    again = Input(kind="undo", now_ms=5_000, party="human", body={"by": "ann"})
    live.last = live.last.__class__(state=waits)
    live.do(again)
    (asked,) = live.last.asks
    assert asked.payload["again"] == "it was taken back by ann"
    assert live.last.wake_at_ms == 86_405_000
