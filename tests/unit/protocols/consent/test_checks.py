"""Tests of consent checks: who may call one, what counts, when it is void (C2, C3, C4, C8, C9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.core.step import Input
from comity.mechanisms.bargaining.domain import Domain
from comity.protocols.consent.rules import ConsentLimits

SPEED = {"CX": {"priority": "Speed", "red_lines": ["p99_latency_ms < 90"]}}
SEATS: dict[str, object] = {"CC": "Reliability", "CX": "Speed", "GM": "Security"}


@pytest.fixture
def called(talk: Any) -> Any:
    """Return a negotiation in which CC has called a check of version 1."""
    return talk.positions().says("CC", "[CONSENT CHECK]\n- weekly notes\n- quiet Fridays")


def answers(talk: Any) -> dict[str, str]:
    return {one.party: one.answer for one in talk.state.check.answers}


# --- calling ---------------------------------------------------------------------------------


def test_c2_a_check_without_a_draft_is_refused(talk: Any) -> None:
    talk.positions().says("CC", "[CONSENT CHECK]")
    assert talk.why() == ["no_draft"]
    assert "propose terms first" in talk.asked("CC").payload["again"]
    assert talk.state.phase == "negotiation"


def test_c9_a_version_somebody_objected_to_is_not_checked_again_unchanged(called: Any) -> None:
    called.says("CX", "[OBJECT: term 2]").says("GM", "[CONSENT]")
    assert called.asked("CX").payload["draft_objected"] is True
    called.says("CX", "[CONSENT CHECK]")
    assert called.why() == ["already_objected"]
    called.says("CX", "[CONSENT CHECK]\n- Quiet Fridays\n- weekly  notes")  # in another order
    assert called.why() == ["already_objected"]
    called.says("GM", "[CONSENT CHECK]\n- weekly notes")
    assert called.state.draft.version == 2


def test_c9_a_version_that_only_met_silence_may_be_checked_again(called: Any) -> None:
    called.says("CX", "[CONSENT]").fails("GM")
    called.says("CX", "[CONSENT CHECK]")
    assert called.state.phase == "check"
    assert called.state.missed == ()
    called.says("CC", "[CONSENT]").says("GM", "[CONSENT]")
    assert called.agreed.record.version == 1


def test_c4_open_terms_and_crossed_lines_refuse_a_check(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(seats={**SEATS, **SPEED}, domain=tls).positions()
    talk.says("CC", "[CONSENT CHECK]\n- tls = full")
    assert talk.why() == ["open_terms"]
    assert "leaves retries open" in talk.asked("CC").payload["again"]
    talk.says("CC", "[CONSENT CHECK]\n- tls = full\n- retries = 1")
    assert talk.why() == ["crosses_red_line"]
    assert talk.last.rejected[0].hint == "version 1 crosses CX's red line p99_latency_ms < 90"
    talk.says("CX", "[CONSENT CHECK]\n- tls = full\n- retries = 0")
    assert talk.state.phase == "check"


def test_c5_a_check_that_cannot_be_answered_in_the_turns_left_is_refused(
    make_talk: Callable[..., Any],
) -> None:
    talk = make_talk(limits=ConsentLimits(max_turns=6)).positions().says("CC", "hm")
    talk.says("CX", "[CONSENT CHECK]\n- notes")
    assert talk.why() == ["too_few_turns"]
    fits = make_talk(limits=ConsentLimits(max_turns=6)).positions()
    fits.says("CC", "[CONSENT CHECK]\n- notes").says("CX", "[CONSENT]").says("GM", "[CONSENT]")
    assert fits.agreed.record.turns == 6


# --- answering -------------------------------------------------------------------------------


def test_c2_the_caller_consents_by_calling_and_all_others_are_asked_at_once(called: Any) -> None:
    assert called.waits_for() == ["CX", "GM"]
    called.says("GM", "[CONSENT]").says("CX", "[CONSENT]")
    assert called.agreed.parties == ("CC", "CX", "GM")
    assert called.agreed.record.turns == 6


def test_c2_the_caller_s_own_consent_is_a_no_op_and_no_turn(called: Any) -> None:
    before = called.state
    called.tells("CC", "[CONSENT]")
    assert called.why() == ["already_answered"]
    assert called.state == before


def test_c2_the_caller_may_object_before_the_check_closes(called: Any) -> None:
    called.says("CX", "[CONSENT]").tells("CC", "[OBJECT: I misread term 1]")
    assert called.state.turn == 6
    assert answers(called) == {"CX": "CONSENT", "CC": "OBJECT"}
    called.says("GM", "[CONSENT]")
    assert called.last.outcome is None
    assert called.state.phase == "negotiation"
    told = called.state.objections[0]
    assert (told.party, told.version, told.reason) == ("CC", 1, "I misread term 1")


@pytest.mark.parametrize(
    "text",
    [
        "I agree!",
        "[CONSENT] if it rains",
        "[CONSENT - GM]",
        "GM: [CONSENT]",
        "> [CONSENT]",
        "[CONSENT]\n[OBJECT: no]",
        "[CONSENT]\nRED LINE: crossed - term 1",
        "[OBJECT]",
        "[DONE]",
        "",
        "<think>[CONSENT]</think>",
        '{"answer": "CONSENT", "seat": "GM"}',
    ],
)
def test_c2_what_is_not_clearly_consent_is_asked_about_again_and_then_never_counted(
    text: str, called: Any
) -> None:
    called.says("CX", text)
    assert called.asked("CX").attempt == 2
    assert called.state.turn == 4
    called.says("CX", text)
    assert answers(called) == {"CX": "ABSENT"}
    called.says("GM", "[CONSENT]")
    assert called.last.outcome is None
    assert "CX gave no answer to the check of version 1" in called.state.flags


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty"),
        ("I agree!", "no_answer"),
        ("[CONSENT] if", "qualified_consent"),
        ("[OBJECT]", "object_without_reason"),
        ("[CONSENT]\n[OBJECT: no]", "conflicting"),
    ],
)
def test_a_seat_asked_again_is_told_how_its_answer_was_read(
    text: str, code: str, called: Any
) -> None:
    called.says("CX", text)
    assert called.why() == [code]
    assert code.replace("_", " ") in called.asked("CX").payload["again"]


def test_c3_a_consent_written_in_another_s_name_counts_for_nothing_and_is_flagged(
    called: Any,
) -> None:
    called.says("CX", "[CONSENT]\n[CONSENT - GM]")
    assert answers(called) == {"CX": "CONSENT"}
    assert called.waits_for() == ["GM"]
    assert "CX wrote in the name of GM; it counts for nothing" in called.state.flags


def test_c2_an_objection_keeps_its_reason_and_the_terms_that_cross(called: Any) -> None:
    called.says("CX", "[OBJECT: too slow]\nRED LINE: crossed - terms 1 and 2, because of it")
    called.says("GM", "[OBJECT: no]\nRED LINE: crossed, because of it")
    told = [one.reason for one in called.state.objections]
    assert told == ["too slow (red line crossed: term 1, term 2)", "no"]
    kept = called.state.transcript[4]
    assert (kept["kind"], kept["answer"], kept["version"]) == ("answer", "OBJECT", 1)


def test_c2_consent_to_an_earlier_version_does_not_count_for_a_later_one(called: Any) -> None:
    old = called.asked("GM")
    called.says("CX", "[OBJECT: term 2]").fails("GM")
    called.says("CX", "[CONSENT CHECK]\n- weekly notes")
    assert called.state.check.version == 2
    before = called.state
    late = Input(kind="reply", now_ms=0, party="GM", ask_id=old.id, body={"text": "[CONSENT]"})
    called.happens(late)
    assert called.why() == ["late"]
    assert called.state == before
    called.says("CC", "[CONSENT]")
    assert called.last.outcome is None
    assert called.waits_for() == ["GM"]


def test_c2_an_unasked_consent_does_not_stand_in_for_the_answer_that_is_asked(called: Any) -> None:
    before = called.state
    called.tells("GM", "[CONSENT]")
    assert called.why() == ["not_your_turn"]
    assert called.state == before


# --- changing one's mind ---------------------------------------------------------------------


def test_c5_an_objection_withdrawn_with_nothing_changed_is_flagged(called: Any) -> None:
    called.says("CX", "[OBJECT: term 1]").tells("CX", "[CONSENT]").says("GM", "[CONSENT]")
    flag = (
        "agreement without concession: CX withdrew its objection to version 1 with nothing changed"
    )
    assert called.agreed.record.flags == called.agreed.grounds.thin == (flag,)
    assert called.agreed.record.objections[0].answered == "withdrawn, nothing changed"
    assert called.agreed.record.turns == 7


def test_c9_after_a_withdrawal_the_other_objection_still_bars_the_version(called: Any) -> None:
    called.says("CX", "[OBJECT: slow]").tells("CC", "[OBJECT: mine]").tells("CX", "[CONSENT]")
    assert [(one.party, one.answered) for one in called.state.objections] == [
        ("CX", "withdrawn, nothing changed"),
        ("CC", ""),
    ]
    called.says("GM", "[CONSENT]")
    called.says("CX", "[CONSENT CHECK]")
    assert called.why() == ["already_objected"]


def test_c9_after_the_last_withdrawal_the_version_may_be_checked_again(called: Any) -> None:
    called.says("CX", "[OBJECT: slow]").tells("CX", "[CONSENT]").fails("GM")
    called.says("CX", "[CONSENT CHECK]")
    assert called.state.phase == "check"


def test_c2_consent_may_turn_into_an_objection_while_the_check_is_open(called: Any) -> None:
    called.says("CX", "[CONSENT]").tells("CX", "[OBJECT: I read it again]").says("GM", "[CONSENT]")
    assert called.last.outcome is None
    assert [one.party for one in called.state.objections] == ["CX"]


def test_c2_the_same_answer_twice_is_no_turn(called: Any) -> None:
    called.says("CX", "[OBJECT: slow]").tells("CX", "[OBJECT: very slow]")
    assert called.why() == ["already_answered"]
    assert called.state.turn == 5


def test_g9_who_let_the_time_for_an_answer_pass_may_still_object_but_not_consent(
    called: Any,
) -> None:
    called.fails("CX").tells("CX", "[CONSENT]")
    assert called.why() == ["late"]
    assert answers(called) == {"CX": "ABSENT"}
    assert called.state.missed == (("CX", 1),)
    called.tells("CX", "[OBJECT: and I am against it]")
    assert answers(called) == {"CX": "OBJECT"}
    assert called.state.missed == ()
    assert not [flag for flag in called.state.flags if "without concession" in flag]


@pytest.mark.parametrize("text", ["[OBJECT]", "wait", "[CONSENT] if", "[DONE]"])
def test_an_unasked_message_that_is_no_answer_changes_nothing(text: str, called: Any) -> None:
    before = called.state
    called.tells("CC", text)
    assert called.why() == ["not_your_turn"]
    assert called.state == before


def test_c5_turns_that_belong_to_seats_still_asked_are_kept_for_them(
    make_talk: Callable[..., Any],
) -> None:
    talk = make_talk(limits=ConsentLimits(max_turns=7)).positions()
    talk.says("CC", "[CONSENT CHECK]\n- notes").says("CX", "[OBJECT: no]")
    talk.tells("CX", "[CONSENT]")
    assert talk.state.turn == 6
    talk.tells("CC", "[OBJECT: me too]")  # an objection always counts, and nothing can follow it
    assert talk.ended.reason == "round_limit"
    assert talk.ended.record.turns == 7
    assert [one.party for one in talk.ended.record.objections if not one.answered] == ["CC"]


def test_c5_without_a_spare_turn_an_objection_cannot_be_withdrawn(
    make_talk: Callable[..., Any],
) -> None:
    talk = make_talk(limits=ConsentLimits(max_turns=6)).positions()
    talk.says("CC", "[CONSENT CHECK]\n- notes").says("CX", "[OBJECT: no]")
    before = talk.state
    talk.tells("CX", "[CONSENT]")
    assert talk.why() == ["no_turns_left"]
    assert talk.state == before


# --- red lines while a check is open ---------------------------------------------------------


@pytest.fixture
def bound(make_talk: Callable[..., Any], tls: Domain) -> Any:
    """Return a negotiation over terms with CC's check of 'full, 0 retries' (80 ms) open."""
    talk = make_talk(seats={**SEATS, **SPEED}, domain=tls).positions()
    return talk.says("CC", "[CONSENT CHECK]\n- tls = full\n- retries = 0")


@pytest.mark.parametrize("line", ["p99_latency_ms < 50", "tls in {none}", "no toil"])
def test_c4_tightening_a_red_line_voids_the_open_check_and_is_flagged(
    line: str, bound: Any
) -> None:
    bound.says("GM", "[CONSENT]").says("CX", f"[ADVOCATE - CX]\nRED LINE: {line}\n[CONSENT]")
    assert bound.state.check is None
    assert bound.waits_for() == ["CX"]
    assert bound.state.turn == 6
    assert "the check of version 1 is void: CX tightened a red line" in bound.state.flags
    assert line in bound.state.seat("CX").red_lines
    assert bound.state.objections == ()


def test_c4_the_caller_and_whoever_has_answered_may_tighten_unasked(bound: Any) -> None:
    bound.says("CX", "[CONSENT]").tells("CX", "RED LINE: p99_latency_ms < 50")
    assert bound.state.check is None
    assert bound.why() == []
    assert bound.asked("CX").payload["draft_crosses"] == ("CX's red line p99_latency_ms < 50",)
    again = bound.says("CX", "[CONSENT CHECK]\n- tls = none\n- retries = 0")
    again.tells("CX", "RED LINE: p99_latency_ms < 25")
    assert again.state.check is None


def test_c4_loosening_leaves_the_check_open(bound: Any) -> None:
    bound.says("CX", "[ADVOCATE - CX]\nRED LINE: p99_latency_ms < 300\n[CONSENT]")
    assert answers(bound) == {"CX": "CONSENT"}
    assert bound.state.seat("CX").red_lines == ("p99_latency_ms < 300",)
    bound.says("GM", "[CONSENT]")
    assert bound.agreed.record.red_lines[0].loosened_from == "p99_latency_ms < 90"


def test_c4_an_unasked_loosening_is_not_heard_while_a_check_is_open(bound: Any) -> None:
    before = bound.state
    bound.tells("CX", "RED LINE: p99_latency_ms < 300")
    assert bound.why() == ["not_your_turn"]
    assert bound.state == before


def test_c4_doubtful_words_in_place_of_an_answer_are_no_new_red_line(bound: Any) -> None:
    bound.says("CX", "RED LINE: I am not sure about term 2")
    assert bound.why() == ["no_answer"]
    assert bound.state.seat("CX").red_lines == ("p99_latency_ms < 90",)
    assert bound.state.check is not None


def test_c4_a_broken_red_line_in_an_answer_is_asked_about_again(bound: Any) -> None:
    bound.says("CX", "[ADVOCATE - CX]\nRED LINE: tls in {half}\n[CONSENT]")
    assert bound.why() == ["unknown_red_line"]
    assert bound.asked("CX").attempt == 2
    before = bound.state
    bound.tells("GM", "[ADVOCATE - GM]\nRED LINE: tls in {half}")
    assert bound.why() == ["not_your_turn"]
    assert bound.state == before


def test_c4_a_check_voided_at_the_last_turn_ends_the_negotiation(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls, limits=ConsentLimits(max_turns=6)).positions()
    talk.says("CC", "[CONSENT CHECK]\n- tls = full\n- retries = 0").says("CX", "[CONSENT]")
    talk.says("GM", "RED LINE: retries in {1}")
    assert talk.ended.reason == "round_limit"
    assert talk.ended.record.turns == 6


def test_c8_who_voids_the_last_check_is_not_done(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls).positions().proposes("CC", want="tls = full", offer="retries = 0")
    talk.says("CX", "[DONE]").says("GM", "[DONE]").says("CC", "[DONE]")
    assert talk.state.check.caller is None
    talk.says("CX", "RED LINE: retries in {1}")
    assert talk.state.done == {"CC", "GM"}
    assert talk.waits_for() == ["CX"]


# --- closing ---------------------------------------------------------------------------------


def test_c2_one_objection_is_enough_against_agreement(called: Any) -> None:
    called.says("CX", "[CONSENT]").says("GM", "[OBJECT: no]")
    assert called.last.outcome is None
    assert called.state.check is None
    assert called.waits_for() == ["CX"]


def test_c8_the_last_check_is_called_by_nobody_and_decides(talk: Any) -> None:
    talk.positions().proposes("CC", want="notes")
    talk.says("CX", "[DONE]").says("GM", "[DONE]").says("CC", "[DONE]")
    assert "all done: last check" in talk.last.notes
    assert sorted(talk.waits_for()) == ["CC", "CX", "GM"]
    talk.says("CC", "[CONSENT]").says("CX", "[CONSENT]").says("GM", "[OBJECT: no]")
    assert talk.ended.reason == "exhausted"


def test_c8_done_is_never_consent(talk: Any) -> None:
    talk.positions().proposes("CC", want="notes")
    talk.says("CX", "[DONE]").says("GM", "[DONE]").says("CC", "[DONE]")
    talk.says("CC", "[CONSENT]").says("CX", "[CONSENT]").says("GM", "[CONSENT]")
    assert talk.agreed.record.turns == 10
