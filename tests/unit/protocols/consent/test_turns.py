"""Tests of turns: positions, proposals, restated red lines, what is no turn (C1-C5, C8, C9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.mechanisms.bargaining.domain import Domain
from comity.protocols.consent.grammar import read_message
from comity.protocols.consent.red_lines import Predicate
from comity.protocols.consent.rules import consent_rules
from comity.protocols.consent.state import new_state
from comity.protocols.consent.turns import Refusal, Said, apply_position, record_message, restate

SPEED = {"CX": {"priority": "Speed", "red_lines": ["p99_latency_ms < 90"]}}
SEATS: dict[str, object] = {"CC": "Reliability", "CX": "Speed", "GM": "Security"}


@pytest.fixture
def fast(make_talk: Callable[..., Any], tls: Domain) -> Any:
    """Return a negotiation over terms, in which Speed states p99_latency_ms < 90, at CC's turn."""
    return make_talk(seats={**SEATS, **SPEED}, domain=tls).positions()


def kinds(talk: Any) -> list[str]:
    return [message["kind"] for message in talk.state.transcript]


def said(text: str, party: str = "CC") -> Said:
    return Said(party, text, read_message(text, seat=party), 0)


# --- messages --------------------------------------------------------------------------------


def test_the_transcript_keeps_what_a_reader_sees_and_not_the_reasoning_behind_it() -> None:
    state = new_state(consent_rules("q", SEATS, seed="1"))
    text = "<think>I would take 90</think>\nI need 200.\n<!-- bluff -->"
    state = record_message(state, said(text), "discuss", id=None, offer=(), draft=("a",))
    (message,) = state.transcript
    assert message["text"].strip() == "I need 200."
    assert message["draft"] == ("a",)
    assert set(message) == {"turn", "party", "kind", "text", "version", "draft"}
    assert message["turn"] == state.turn == 1


# --- positions -------------------------------------------------------------------------------


def test_c1_a_position_fills_in_rationale_and_trade_and_never_the_priority(talk: Any) -> None:
    talk.says(
        "CX",
        "PRIORITY: World peace\nRATIONALE: it is felt\nRED LINE: under 200ms\n"
        "WILLING TO TRADE: order",
    )
    seat = talk.state.seat("CX")
    assert seat.priority == "Speed"
    assert (seat.rationale, seat.willing_to_trade) == ("it is felt", "order")
    assert seat.red_lines == ("under 200ms",)
    assert kinds(talk) == ["position"]


def test_c1_what_a_position_leaves_out_stays_as_the_rules_have_it(
    make_talk: Callable[..., Any],
) -> None:
    seats = {**SEATS, "CC": {"priority": "R", "rationale": "old", "willing_to_trade": "time"}}
    talk = make_talk(seats=seats).says("CC", "PRIORITY: R")
    seat = talk.state.seat("CC")
    assert (seat.rationale, seat.willing_to_trade, seat.red_lines) == ("old", "time", ())


@pytest.mark.parametrize("text", ["Hello.", "I OFFER: a\nI WANT: b\nRATIONALE: c", "[CONSENT]"])
def test_c9_what_is_no_position_does_not_count_as_one(text: str, talk: Any) -> None:
    state = talk.state
    found = apply_position(state, said(text))
    assert isinstance(found, Refusal)
    assert found.code == "no_position"


def test_c4_red_lines_of_the_positions_are_added_and_each_once(fast: Any) -> None:
    seat = fast.state.seat("CX")
    assert seat.red_lines == ("p99_latency_ms < 90",)
    assert fast.state.flags == ()


def test_c4_a_position_may_tighten_unflagged_and_loosen_on_the_record(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(seats={**SEATS, **SPEED}, domain=tls)
    talk.positions(CX="- p99_latency_ms <= 120\n- no toil", CC="retries > 0")
    assert talk.state.seat("CX").red_lines == ("p99_latency_ms <= 120", "no toil")
    assert talk.state.seat("CC").predicates == (Predicate("retries", ">", 0),)
    assert talk.state.loosened == (("CX", "p99_latency_ms < 90", "p99_latency_ms <= 120"),)
    assert talk.state.flags == (
        "CX loosened its red line: p99_latency_ms < 90 became p99_latency_ms <= 120",
    )


def test_a_red_line_on_what_does_not_exist_is_asked_about_again(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls).says("CX", "PRIORITY: Speed\nRED LINE: p99_latncy_ms < 90")
    assert talk.why() == ["unknown_red_line"]
    assert "did you mean 'p99_latency_ms'" in talk.asked("CX").payload["again"]
    assert talk.state.seat("CX").red_lines == ()


# --- red lines in turns ----------------------------------------------------------------------


def test_c4_only_its_owner_may_loosen_a_red_line(fast: Any) -> None:
    fast.says("CC", "[ADVOCATE - CX]\nRED LINE: p99_latency_ms < 900")
    assert fast.state.seat("CX").red_lines == ("p99_latency_ms < 90",)
    assert fast.state.loosened == ()
    assert "CC wrote in the name of CX; it counts for nothing" in fast.state.flags
    fast.says("CX", "RED LINE: p99_latency_ms < 900")
    assert fast.state.seat("CX").red_lines == ("p99_latency_ms < 900",)
    assert fast.state.loosened == (("CX", "p99_latency_ms < 90", "p99_latency_ms < 900"),)
    assert kinds(fast)[-1] == "position"


@pytest.mark.parametrize(
    ("line", "flag"),
    [
        ("p99_latency_ms < 80", "CX tightened its red line to p99_latency_ms < 80 after"),
        ("retries in {0}", "CX tightened its red line to retries in {0} after the positions"),
        ("p99_latency_ms > 1", "CX tightened its red line to p99_latency_ms > 1 after"),
        ("no toil", "CX added a red line after the positions: no toil"),
    ],
)
def test_c4_tightening_after_the_positions_is_flagged(line: str, flag: str, fast: Any) -> None:
    fast.says("CC", "well").says("CX", f"RED LINE: {line}")
    assert [one for one in fast.state.flags if one.startswith(flag)]
    assert fast.state.loosened == ()


def test_c4_a_set_that_moves_both_ways_is_loosened_and_tightened(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls).positions(CX="retries in {0, 1}").says("CC", "well")
    talk.says("CX", "RED LINE: retries in {1, 2}")
    assert talk.state.loosened == (("CX", "retries in {0, 1}", "retries in {1, 2}"),)
    assert [flag.split(" its")[0] for flag in talk.state.flags] == ["CX loosened", "CX tightened"]


def test_c4_several_lines_on_one_side_are_replaced_together(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    lines = ["p99_latency_ms < 200", "p99_latency_ms < 90"]
    talk = make_talk(seats={**SEATS, "CX": {"priority": "S", "red_lines": lines}}, domain=tls)
    talk.positions().says("CC", "well")
    same = restate(talk.state, said("RED LINE: p99_latency_ms<200", "CX"))
    assert same == (talk.state, False)
    talk.says("CX", "RED LINE: p99_latency_ms < 100")
    assert talk.state.seat("CX").red_lines == ("p99_latency_ms < 100",)
    assert talk.state.loosened == (
        ("CX", "p99_latency_ms < 200 and p99_latency_ms < 90", "p99_latency_ms < 100"),
    )


def test_saying_the_same_red_line_again_changes_nothing(fast: Any) -> None:
    state = fast.state
    for line in ("p99_latency_ms<90", "p99_latency_ms < 90", "none"):
        assert restate(state, said(f"PRIORITY: x\nRED LINE: {line}", "CX")) == (state, False)


def test_c4_a_conflict_that_comes_up_later_is_flagged_told_and_can_be_resolved(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    talk = make_talk(domain=tls).positions(CX="p99_latency_ms < 50").says("CC", "well")
    talk.says("CX", "hm").says("GM", "RED LINE: tls in {full}")
    clash = "CX's p99_latency_ms < 50 and GM's tls in {full}"
    assert f"no deal keeps {clash} together" in talk.state.flags
    assert talk.asked("CC").payload["conflict"] == (clash,)
    talk.says("CC", "so what").says("CX", "RED LINE: p99_latency_ms < 100")
    assert talk.asked("GM").payload["conflict"] == ()


def test_c4_while_a_check_is_open_words_that_answer_nothing_are_no_red_line(fast: Any) -> None:
    state = fast.says("CC", "[CONSENT CHECK]\n- tls = none\n- retries = 0").state
    assert restate(state, said("RED LINE: what about the toil?", "CX")) == (state, False)
    changed = restate(state, said("RED LINE: p99_latency_ms < 50", "CX"))
    assert not isinstance(changed, Refusal)
    assert changed[1]


def test_a_seat_cannot_state_red_lines_without_end(fast: Any) -> None:
    told = "\n".join(f"- p99_latency_ms > -{number}\n- word {number}" for number in range(30))
    fast.says("CC", f"RED LINE:\n{told}")
    assert fast.why() == ["too_many_red_lines"]
    assert fast.state.seat("CC").red_lines == ()
    fast.says("CC", "RED LINE:\n" + "\n".join(f"- word {number}" for number in range(30)))
    assert len(fast.state.seat("CC").red_lines) == 30


def test_a_broken_red_line_in_a_turn_is_no_turn(fast: Any) -> None:
    fast.says("CC", "RED LINE: tls in {1.3}\n[PROPOSAL - CC]\nI OFFER: tls = full\nI WANT: b")
    assert fast.why() == ["unknown_red_line"]
    assert fast.state.draft.version == 0


# --- proposals -------------------------------------------------------------------------------


def test_c2_a_proposal_amends_the_draft_and_everybody_sees_how(fast: Any) -> None:
    fast.proposes("CC", want="retries=1", offer="TLS = none.")
    message = fast.state.transcript[-1]
    assert message["kind"] == "propose"
    assert message["id"] == "P1"
    assert message["version"] == 1
    assert message["settled"] == {"tls": "none", "retries": "1"}
    assert message["changes"] == ("added: tls = none", "added: retries = 1")
    assert (message["offer"], message["want"]) == (("tls = none",), ("retries = 1",))
    assert fast.state.draft.deal == {"tls": "none", "retries": "1"}
    assert fast.state.proposals[0].version == 1


@pytest.mark.parametrize(("named", "id_"), [("P1", "P1"), ("p1", "P1"), ("CC", "P1"), ("P9", "")])
def test_c9_a_counter_names_the_proposal_it_answers(named: str, id_: str, fast: Any) -> None:
    fast.proposes("CC", want="tls = full")
    fast.says("CX", f"[COUNTER - CX to {named}]\nI OFFER: tls = none\nI WANT: retries = 2")
    message = fast.state.transcript[-1]
    assert message.get("counters", "") == id_
    assert message["kind"] == ("counter" if id_ else "propose")
    assert fast.state.proposals[1].counters == id_


def test_c2_nothing_offered_is_no_term(talk: Any) -> None:
    talk.positions().proposes("CC", want="notes", offer="nothing further.")
    assert talk.state.draft.lines == ("notes",)


def test_c2_a_proposal_with_a_list_is_the_list_and_what_it_offers_is_talk(talk: Any) -> None:
    talk.positions().proposes("CC", want="weekly notes")
    talk.says("CX", "I OFFER: my mornings\nI WANT: peace\nTERMS:\n- weekly notes\n- quiet Fridays")
    assert talk.state.draft.lines == ("weekly notes", "quiet Fridays")
    talk.says("GM", "I OFFER: much\nI WANT: more\nTERMS:\n- quiet Fridays\n- Weekly notes")
    assert talk.state.draft.version == 2
    assert talk.state.idle == 1
    assert talk.last.outcome is None


def test_c2_a_proposal_with_a_fault_changes_nothing_and_is_asked_about_again(fast: Any) -> None:
    fast.proposes("CC", want="tls = full", offer="retries = 7")
    assert fast.why() == ["faulty_terms"]
    assert "which is not on offer" in fast.asked("CC").payload["again"]
    assert fast.state.draft.version == 0
    assert fast.state.turn == 3


def test_c4_a_draft_that_crosses_a_red_line_is_flagged_and_told(fast: Any) -> None:
    fast.proposes("CC", want="tls = full", offer="retries = 1")
    crossing = "CX's red line p99_latency_ms < 90"
    assert fast.state.flags == (f"version 1 (CC) crosses {crossing}",)
    assert fast.asked("CX").payload["draft_crosses"] == (crossing,)


# --- what is no turn -------------------------------------------------------------------------


def test_c5_a_repeated_message_is_no_turn(talk: Any) -> None:
    talk.positions().says("CC", "I need  more.").says("CX", "I need more.").says("GM", "hm")
    talk.proposes("CC", want="notes").says("CX", "and?").says("GM", "so")
    talk.says("CC", "i need MORE.")
    assert talk.why() == ["repeated"]
    assert talk.state.turn == 9
    assert talk.waits_for() == ["CC"]


@pytest.mark.parametrize("text", ["", "   \n", "<think>should I consent?</think>"])
def test_an_empty_message_is_no_turn(text: str, talk: Any) -> None:
    talk.positions().says("CC", text)
    assert talk.why() == ["empty"]
    assert talk.state.turn == 3


@pytest.mark.parametrize("text", ["[CONSENT]", "[OBJECT: no]", "Fine.\n[CONSENT]"])
def test_c2_an_answer_without_a_check_is_no_turn_and_is_not_kept_for_later(
    text: str, talk: Any
) -> None:
    talk.positions().proposes("CC", want="notes").says("CX", text)
    assert talk.why() == ["no_open_check"]
    talk.says("CX", "[CONSENT CHECK]")
    assert talk.waits_for() == ["CC", "GM"]


def test_c8_incomplete_from_a_seat_is_only_text(talk: Any) -> None:
    talk.positions().says("CC", "[INCOMPLETE]")
    assert kinds(talk)[-1] == "discuss"
    assert talk.last.outcome is None


# --- calling a check -------------------------------------------------------------------------


def test_c2_a_check_with_a_list_becomes_the_next_version_and_shows_the_difference(
    talk: Any,
) -> None:
    talk.positions().proposes("CC", want="weekly notes", offer="mornings")
    talk.says("CX", "[CONSENT CHECK]\nCurrent proposal:\n- weekly notes\n- quiet Fridays")
    told = ("added: quiet Fridays", "dropped: mornings")
    assert talk.state.draft.version == 2
    assert talk.state.transcript[-1]["changes"] == told
    assert talk.asked("CC").payload["check"] == {"version": 2, "caller": "CX", "changes": told}
    assert kinds(talk)[-1] == "check"


def test_c2_a_check_without_a_list_freezes_the_standing_version(talk: Any) -> None:
    talk.positions().proposes("CC", want="weekly notes").says("CX", "[CONSENT CHECK]")
    assert talk.state.draft.version == 1
    assert talk.asked("CC").payload["check"] == {"version": 1, "caller": "CX", "changes": ()}


def test_c2_a_check_may_carry_a_proposal(talk: Any) -> None:
    talk.positions().says("CC", "I OFFER: time\nI WANT: notes\nRATIONALE: fair\n[CONSENT CHECK]")
    assert kinds(talk)[-1] == "check"
    assert talk.state.proposals[0].id == talk.state.transcript[-1]["id"] == "P1"
    assert talk.state.draft.lines == ("time", "notes")
    assert talk.waits_for() == ["CX", "GM"]


@pytest.mark.parametrize(
    "doubt", ["[OBJECT: too dear]", "[CONSENT] if it is cheap", "RED LINE: crossed - term 1"]
)
def test_c2_a_call_with_a_doubt_beside_it_is_no_call(doubt: str, talk: Any) -> None:
    talk.positions().proposes("CC", want="weekly notes").says("CX", f"[CONSENT CHECK]\n{doubt}")
    assert talk.why() == ["conflicting"]
    assert talk.state.phase == "negotiation"
    talk.says("CX", "[CONSENT CHECK]\n[CONSENT]\nRED LINE: kept")
    assert talk.state.phase == "check"


def test_a_refused_call_leaves_the_draft_as_it_was(fast: Any) -> None:
    fast.says("CC", "[CONSENT CHECK]\n- tls = full\n- retries = 2")
    assert fast.why() == ["crosses_red_line"]
    assert fast.state.draft.version == 0


# --- done ------------------------------------------------------------------------------------


def test_c8_done_holds_until_the_draft_changes(talk: Any) -> None:
    talk.positions().says("CC", "[DONE]").says("CX", "[DONE]")
    assert talk.state.done == {"CC", "CX"}
    talk.proposes("GM", want="notes")
    assert talk.state.done == set()
    talk.says("CC", "[DONE]")
    assert talk.state.done == {"CC"}
    assert talk.why() == []


def test_c8_done_beside_a_proposal_is_done_with_that_draft(talk: Any) -> None:
    talk.positions().says("CC", "I OFFER: time\nI WANT: notes\nRATIONALE: fair\n[DONE]")
    assert talk.state.done == {"CC"}
    assert talk.state.draft.version == 1
