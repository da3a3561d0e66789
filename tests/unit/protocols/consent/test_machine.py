"""Tests of the machine: phases, turns, asking again, time, budgets, endings (C1-C5, C8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from comity.core.step import Input
from comity.mechanisms.bargaining.domain import Domain
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.rules import ConsentLimits, consent_rules

SEATS: dict[str, object] = {"CC": "Reliability", "CX": "Speed", "GM": "Security"}
POSITION = "PRIORITY: x\nRATIONALE: y"


def limited(make: Callable[..., Any], **limits: Any) -> Any:
    return make(limits=ConsentLimits(**limits))


# --- positions -------------------------------------------------------------------------------


def test_c1_all_seats_are_asked_for_their_positions_at_once(talk: Any) -> None:
    assert talk.waits_for() == ["CC", "CX", "GM"]
    assert {one.kind for one in talk.last.asks} == {"position"}
    assert talk.last.wake_at_ms is None
    talk.says("GM", POSITION).says("CC", POSITION)
    assert talk.waits_for() == ["CX"]
    assert talk.state.phase == "positions"


def test_c1_after_the_positions_one_seat_speaks_after_another_in_the_recorded_order(
    make_talk: Callable[..., Any],
) -> None:
    talk = make_talk(order=["GM", "CC", "CX"]).positions()
    spoken = []
    for number in range(5):
        (seat,) = talk.waits_for()
        spoken.append(seat)
        talk.says(seat, f"thought {number}")
    assert spoken == ["GM", "CC", "CX", "GM", "CC"]


def test_a_seat_without_a_position_is_asked_again_and_then_left_out(talk: Any) -> None:
    talk.says("CC", "Hello.")
    assert talk.why() == ["no_position"]
    assert talk.asked("CC").attempt == 2
    talk.says("CC", "Hello?")
    assert "CC gave no readable position (no_position)" in talk.state.flags
    talk.says("CX", POSITION).says("GM", POSITION)
    assert talk.waits_for() == ["CC"]
    assert talk.state.turn == 2


def test_c1_two_seats_are_noted_at_the_start(make_talk: Callable[..., Any]) -> None:
    talk = make_talk(seats={"CC": "a", "CX": "b"})
    assert talk.last.notes == talk.state.flags != ()


# --- red lines that contradict each other ----------------------------------------------------


def test_c4_a_contradiction_in_the_rules_is_found_before_anybody_is_asked(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    seats = {
        "CC": {"priority": "Reliability", "red_lines": ["retries >= 1"]},
        "CX": {"priority": "Speed", "red_lines": ["p99_latency_ms <= 40"]},
        "GM": {"priority": "Security", "red_lines": ["tls in {full}"]},
    }
    talk = make_talk(seats=seats, domain=tls)
    assert talk.ended.reason == "red_lines"
    assert talk.ended.record.turns == 0
    assert talk.last.asks == ()
    assert talk.ended.conflict == ("CX's p99_latency_ms <= 40 and GM's tls in {full}",)
    assert talk.ended.says.startswith("No agreement: the red lines contradict each other: CX's")


def test_c4_a_contradiction_of_the_positions_is_found_before_the_first_proposal(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls)
    talk.says("CC", f"{POSITION}\nRED LINE: retries >= 1")
    talk.says("CX", f"{POSITION}\nRED LINE: p99_latency_ms <= 40")
    assert talk.last.outcome is None
    talk.says("GM", f"{POSITION}\nRED LINE: tls in {{full}}")
    assert talk.ended.reason == "red_lines"
    assert talk.ended.record.turns == 3
    assert talk.state.proposals == ()


# --- asking again ----------------------------------------------------------------------------


def test_a_turn_that_does_not_count_is_asked_for_again_with_the_reason(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]")
    again = talk.asked("CC")
    assert (again.attempt, again.kind) == (2, "turn")
    assert again.payload["again"] == talk.last.rejected[0].hint
    talk.says("CC", "[CONSENT CHECK]")
    assert talk.waits_for() == ["CX"]
    assert "CC gave no readable turn (no_draft)" in talk.state.flags
    assert talk.state.turn == 3


def test_without_reasks_the_first_miss_is_the_last(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, reasks=0).positions().says("CC", "")
    assert talk.waits_for() == ["CX"]


def test_c5_a_done_seat_that_has_nothing_new_is_passed_over_without_being_asked_again(
    talk: Any,
) -> None:
    talk.positions().says("CC", "[DONE]").says("CX", "hm").says("GM", "well")
    talk.says("CC", "[DONE]")
    assert talk.why() == ["repeated"]
    assert talk.waits_for() == ["CX"]
    assert talk.state.turn == 6
    assert not [flag for flag in talk.state.flags if "readable" in flag]


def test_a_seat_that_fails_is_passed_over_and_flagged(talk: Any) -> None:
    talk.positions().fails("CC", "crashed")
    assert talk.waits_for() == ["CX"]
    assert "CC gave no readable turn (crashed)" in talk.state.flags
    talk.happens(
        Input(kind="failure", now_ms=0, party="CX", ask_id=talk.asked("CX").id, body=None)
    )
    assert "CX gave no readable turn (failure)" in talk.state.flags


# --- answers by a call -----------------------------------------------------------------------


def answers_by_call(talk: Any, party: str, text: str = "", **call: object) -> Any:
    body = {"text": text, "vote": call}
    return talk.happens(
        Input(kind="reply", now_ms=0, party=party, ask_id=talk.asked(party).id, body=body)
    )


def test_w1_an_answer_by_a_call_counts_and_the_others_read_it(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- Tuesdays")
    answers_by_call(talk, "CX", answer="CONSENT")
    answers_by_call(talk, "GM", answer="OBJECT", reason="too early")
    assert [one["text"] for one in talk.state.transcript[-2:]] == [
        "[CONSENT]",
        "[OBJECT: too early]",
    ]
    assert talk.state.objections[0].reason == "too early"


def test_w1_a_call_counts_before_the_words_and_may_not_contradict_them(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- Tuesdays")
    answers_by_call(talk, "CX", "[OBJECT: no]", answer="CONSENT")
    assert talk.why() == ["conflicting"]
    answers_by_call(talk, "CX", "Let me think about it.", answer="CONSENT")
    assert talk.state.transcript[-1]["text"] == "Let me think about it."
    assert talk.state.check.answer_of("CX").answer == "CONSENT"
    talk.happens(
        Input(
            kind="reply",
            now_ms=0,
            party="GM",
            ask_id=talk.asked("GM").id,
            body={"text": "", "vote": ["CONSENT"]},
        )
    )
    assert talk.why() == ["empty"]


# --- what changes nothing --------------------------------------------------------------------


def test_replies_to_closed_questions_and_by_other_seats_change_nothing(talk: Any) -> None:
    first = talk.asked("CC")
    talk.says("CC", POSITION)
    before = talk.state
    for kind in ("reply", "failure"):
        for party, ask_id in (("CC", first.id), ("CX", talk.asked("GM").id), (None, "a2")):
            talk.happens(
                Input(
                    kind=kind,  # type: ignore[arg-type]
                    now_ms=9,
                    party=party,
                    ask_id=ask_id,
                    body={"text": POSITION},
                )
            )
            assert talk.why() == ["late"]
            assert talk.state == before
            assert talk.waits_for() == ["CX", "GM"]


@pytest.mark.parametrize("party", ["ZZ", "", None])
def test_c3_only_seats_are_heard(party: str | None, talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes")
    before = talk.state
    talk.happens(
        Input(kind="message", now_ms=0, party=party, body={"text": "[OBJECT: from outside]"})
    )
    assert talk.why() == ["not_a_seat"]
    assert talk.state == before


def test_c3_an_unasked_forgery_is_refused_and_noted(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes")
    before = talk.state
    talk.tells("CX", "[CONSENT - GM]")
    assert talk.why() == ["not_your_turn"]
    assert talk.last.notes == ("CX wrote in the name of GM; it counts for nothing",)
    assert talk.state == before


def test_an_input_of_an_unknown_kind_is_refused(talk: Any) -> None:
    before = talk.state
    talk.happens(Input(kind="vote", now_ms=0))  # type: ignore[arg-type]
    assert talk.why() == ["unknown_kind"]
    assert talk.state == before


@pytest.mark.parametrize("body", [None, {}, {"text": None}, {"text": 5}, {"text": ["[CONSENT]"]}])
def test_a_body_without_words_is_an_empty_reply(body: Any, talk: Any) -> None:
    talk.positions()
    asked = talk.asked("CC")
    talk.happens(Input(kind="reply", now_ms=0, party="CC", ask_id=asked.id, body=body))
    assert talk.why() == ["empty"]


def test_after_the_end_nothing_counts(talk: Any) -> None:
    talk.happens(Input(kind="cancel", now_ms=0))
    assert talk.ended.reason == "cancelled"
    before = talk.state
    for kind in ("cancel", "timer", "resumed", "message", "reply"):
        talk.happens(Input(kind=kind, now_ms=9, party="CC"))  # type: ignore[arg-type]
        assert talk.why() == ["ended"]
        assert talk.state == before
        assert talk.last.outcome is None


# --- time ------------------------------------------------------------------------------------


def test_c5_every_ask_has_its_time_and_a_seat_that_lets_it_pass_is_passed_over(
    make_talk: Callable[..., Any],
) -> None:
    talk = limited(make_talk, turn_timeout_ms=1_000)
    talk.happens(Input(kind="resumed", now_ms=5_000))
    assert talk.last.wake_at_ms == 6_000
    talk.now_ms = 5_500
    talk.positions()
    assert talk.last.wake_at_ms == 6_500
    talk.time(6_499)
    assert talk.why() == ["early"]
    assert talk.waits_for() == ["CC"]
    talk.time(6_500)
    assert talk.waits_for() == ["CX"]
    assert talk.last.wake_at_ms == 7_500
    assert "CC gave no readable turn (timeout)" in talk.state.flags
    assert talk.state.turn == 3


def test_c5_all_that_is_due_is_done_at_once_and_silence_is_never_consent(
    make_talk: Callable[..., Any],
) -> None:
    talk = limited(make_talk, turn_timeout_ms=1_000)
    talk.time(999)
    assert talk.why() == ["early"]
    talk.time(1_000)
    assert talk.waits_for() == ["CC"]
    assert talk.state.phase == "negotiation"
    talk.says("CC", "[CONSENT CHECK]\n- notes").time(3_000)
    assert talk.last.outcome is None
    assert talk.state.missed == (("CX", 1), ("GM", 1))
    assert talk.waits_for() == ["CX"]


def test_a_timer_that_ends_it_leaves_the_rest_alone(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, turn_timeout_ms=1_000, max_turns=3, stall=1)
    talk.time(1_000).time(2_000)
    assert talk.ended.reason == "stall"
    two = limited(make_talk, turn_timeout_ms=1_000).positions()
    two.says("CC", "[CONSENT CHECK]\n- notes")
    two.says("CX", "[OBJECT: no]")
    two.time(5_000)
    assert two.waits_for() == ["CX"]


def test_c5_over_the_budget_the_positions_are_not_waited_for(
    make_talk: Callable[..., Any],
) -> None:
    talk = limited(make_talk, tokens=1)
    talk.says("CC", POSITION, tokens=1)
    talk.says("CX", "hm", tokens=1)  # no second chance
    assert talk.ended.reason == "budget"


def test_without_a_limit_nobody_waits_for_the_clock(talk: Any) -> None:
    before = talk.state
    talk.time(10**12)
    assert talk.why() == ["early"]
    talk.happens(Input(kind="resumed", now_ms=10**12))
    assert talk.state == before
    assert talk.why() == []


# --- guards ----------------------------------------------------------------------------------


def test_c5_it_ends_at_the_turn_limit_also_among_the_positions(
    make_talk: Callable[..., Any],
) -> None:
    talk = limited(make_talk, max_turns=2).says("CX", POSITION).says("GM", POSITION)
    assert talk.ended.reason == "round_limit"
    assert talk.ended.record.turns == 2
    assert talk.last.asks == ()
    later = limited(make_talk, max_turns=5).positions().says("CC", "a").says("CX", "b")
    assert later.ended.reason == "round_limit"


def test_c5_turns_without_a_change_of_the_draft_stall(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, stall=3).positions().says("CC", "a").says("CX", "b")
    talk.proposes("GM", want="notes")
    talk.says("CC", "c").says("CX", "d").says("GM", "e")
    assert talk.ended.reason == "stall"


def test_c5_answers_to_a_check_are_turns_without_a_change(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, stall=3).positions().proposes("CC", want="notes")
    talk.says("CX", "[CONSENT CHECK]").says("CC", "[CONSENT]").says("GM", "[OBJECT: no]")
    assert talk.ended.reason == "stall"


def test_c5_a_draft_that_returns_is_ping_pong(talk: Any) -> None:
    talk.positions().proposes("CC", want="notes").proposes("CX", want="TERM 1: calls")
    talk.proposes("GM", want="TERM 1: Notes")
    assert talk.ended.reason == "ping_pong"
    assert talk.ended.record.version == 3


def test_c5_tokens_and_money_of_all_replies_are_summed(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, tokens=30, money=1)
    talk.says("CC", POSITION, tokens=10, money="0.25")
    talk.says("CX", POSITION, tokens=10, money=0.25)
    talk.says("GM", POSITION, tokens=10, money="1/2")
    assert (talk.state.tokens, talk.state.money) == (30, 1)
    assert talk.last.outcome is None
    dear = replace(talk.state)
    asked = talk.asked("CC")
    for usage in ({"tokens": 1}, {"money": "0.01"}):
        ended = step(
            dear,
            Input(
                kind="failure",
                now_ms=0,
                party="CC",
                ask_id=asked.id,
                body={"reason": "crashed", "usage": usage},
            ),
        )
        assert ended.outcome is not None
        assert ended.outcome.grounds.ended_by == "budget"


def test_c5_a_seat_that_cannot_be_paid_for_ends_it_by_its_name(talk: Any) -> None:
    talk.positions().fails("CC", "budget")
    assert talk.ended.reason == "budget"
    assert talk.ended.record.turns == 3
    assert "CC was not asked: the budget is used up" in talk.ended.record.flags
    assert "a larger budget" in talk.ended.unblock


@pytest.mark.parametrize(
    "usage",
    [
        None,
        "much",
        {},
        {"tokens": -5, "money": -5},
        {"tokens": True, "money": True},
        {"tokens": 2.5, "money": "dear"},
        {"tokens": None, "money": None},
    ],
)
def test_a_bill_that_cannot_be_read_counts_for_nothing(usage: Any, talk: Any) -> None:
    asked = talk.asked("CC")
    body = {"text": POSITION, "usage": usage}
    talk.happens(Input(kind="reply", now_ms=0, party="CC", ask_id=asked.id, body=body))
    assert (talk.state.tokens, talk.state.money) == (0, 0)
    assert talk.state.turn == 1


def test_c5_over_the_budget_nobody_is_asked_again(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, tokens=5).positions()
    talk.says("CC", "", tokens=6)
    assert talk.ended.reason == "budget"


def test_c5_over_the_budget_an_open_check_is_still_answered(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, tokens=5).positions().says("CC", "[CONSENT CHECK]\n- notes")
    talk.says("CX", "[CONSENT]", tokens=6).says("GM", "[CONSENT]")
    assert talk.agreed


def test_c5_insisting_on_a_check_that_no_longer_fits_ends_it_at_the_turn_limit(
    make_talk: Callable[..., Any],
) -> None:
    talk = limited(make_talk, max_turns=6).positions().proposes("CC", want="notes")
    talk.says("CX", "[CONSENT CHECK]")
    assert talk.why() == ["too_few_turns"]
    assert talk.waits_for() == ["CX"]
    talk.says("CX", "[CONSENT CHECK]")
    assert talk.why() == ["too_few_turns"]
    assert talk.ended.reason == "round_limit"
    assert talk.ended.record.turns == 4


# --- while a check is open -------------------------------------------------------------------


@pytest.fixture
def called(make_talk: Callable[..., Any], tls: Domain) -> Any:
    """Return a negotiation in which CC has called a check of 'full, no retries'."""
    talk = make_talk(domain=tls).positions()
    return talk.says("CC", "[CONSENT CHECK]\n- tls = full\n- retries = 0")


def test_c2_answers_are_counted_and_unclear_ones_asked_for_again(called: Any) -> None:
    called.says("CX", "Sure.").says("GM", "[CONSENT]")
    assert called.waits_for() == ["CX"]
    assert called.asked("CX").attempt == 2
    called.says("CX", "[CONSENT]")
    assert called.agreed.record.turns == 6
    assert called.state.idle == 2


def test_c4_a_tighter_red_line_voids_the_check_whoever_states_it_and_however(called: Any) -> None:
    called.says("CX", "[ADVOCATE - CX]\nRED LINE: retries in {7}\n[CONSENT]")
    assert called.why() == ["unknown_red_line"]
    called.says("CX", "RED LINE: p99_latency_ms < 90")
    assert (called.state.phase, called.state.idle) == ("negotiation", 1)
    called.says("CX", "[CONSENT CHECK]").tells("CX", "RED LINE: p99_latency_ms < 85")
    assert (called.state.phase, called.state.idle) == ("negotiation", 3)
    assert [message["kind"] for message in called.state.transcript[4:]] == [
        "position",
        "check",
        "position",
    ]


def test_c2_an_unasked_objection_is_a_turn_and_the_last_one_ends_it(
    make_talk: Callable[..., Any],
) -> None:
    talk = limited(make_talk, max_turns=7).positions().says("CC", "[CONSENT CHECK]\n- notes")
    talk.tells("CC", "[OBJECT: no]")
    assert (talk.state.turn, talk.state.idle) == (5, 1)
    talk.says("CX", "[CONSENT]").tells("CX", "[OBJECT: nor I]")
    assert talk.ended.reason == "round_limit"
    assert talk.ended.record.turns == 7


# --- all done --------------------------------------------------------------------------------


def test_c8_all_done_without_a_draft_ends_it(talk: Any) -> None:
    talk.positions().says("CC", "[DONE]").says("CX", "[DONE]").says("GM", "[DONE]")
    assert talk.ended.reason == "exhausted"


def test_c8_the_last_check_comes_before_the_stall(make_talk: Callable[..., Any]) -> None:
    talk = limited(make_talk, stall=3).positions().proposes("CC", want="notes")
    talk.says("CX", "[DONE]").says("GM", "[DONE]").says("CC", "[DONE]")
    assert talk.state.phase == "check"


def test_c8_all_done_with_an_objected_draft_ends_it(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]\n- notes").says("CX", "[OBJECT: no]")
    talk.says("GM", "[CONSENT]")
    talk.says("CX", "[DONE]").says("GM", "[DONE]").says("CC", "[DONE]")
    assert talk.ended.reason == "exhausted"


# --- the same for everybody ------------------------------------------------------------------


def test_g3_the_same_inputs_give_the_same_steps_whatever_the_order_of_the_file() -> None:
    found = []
    for seats in (SEATS, dict(reversed(SEATS.items()))):
        last = start(consent_rules("q", seats, seed="2"))
        trail = [last]
        for text in [POSITION] * 3 + ["[CONSENT CHECK]\n- notes", "[CONSENT]", "[CONSENT]"]:
            asked = last.asks[0]
            happened = Input(
                kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body={"text": text}
            )
            last = step(last.state, happened)
            trail.append(last)
        found.append(trail)
    assert found[0] == found[1]
    assert found[0][-1].outcome is not None


def test_new_flags_are_told_as_notes_once(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT - CX]\nI mean it.")
    assert talk.last.notes == ("CC wrote in the name of CX; it counts for nothing",)
    talk.says("CX", "hm")
    assert talk.last.notes == ()


# --- endings that say what really happened ---------------------------------------------------


def test_c5_a_check_that_can_no_longer_be_answered_ends_at_the_turn_limit(
    make_talk: Callable[..., Any],
) -> None:
    talk = limited(make_talk, max_turns=5).positions()
    seat = talk.waits_for()[0]
    talk.says(seat, "[CONSENT CHECK]\n- Tuesdays")
    assert talk.why() == ["too_few_turns"]
    talk.says(seat, "[CONSENT CHECK]\n- Tuesdays")
    assert talk.last.outcome.reason == "round_limit"


def test_c8_all_done_with_an_empty_table_says_that_nothing_was_proposed(talk: Any) -> None:
    talk.positions()
    for _ in range(3):
        talk.says(talk.waits_for()[0], "[DONE]")
    assert talk.last.outcome.reason == "exhausted"
    assert "nothing was proposed" in talk.last.outcome.says
