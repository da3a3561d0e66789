"""Turns: what a move does and why it may do nothing (B5, B7, B9, complaints 2, 11, 19, 23, 28)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.protocols.offers.grammar import Move
from comity.protocols.offers.turns import Refusal, apply_move

Open = Callable[..., Any]
ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS, EVEN = "OFFER: tls = 1.2; days = 60", "OFFER: tls = 1.2; days = 30"


def test_complaint_2_a_counter_takes_the_table_and_both_others_must_accept_it(
    table: Open,
) -> None:
    live = table(3)
    live.says("ann", BOTH)
    live.says("bob", "ACCEPT: ann-0")
    live.says("cyd", BOBS)
    assert live.standing == ["cyd-0"]
    assert live.last.state.standing[0].accepted_by == ()
    live.says("ann", BOTH)
    live.says("bob", "ACCEPT: cyd-0")
    assert live.reasons == ["superseded"]
    live.says("bob", "ACCEPT: ann-1")
    assert live.last.outcome is None
    live.says("cyd", "ACCEPT: ann-1")
    assert live.outcome.accepted_offer == "ann-1"
    assert live.outcome.offers[-1].accepted_by == ("bob", "cyd")


def test_complaint_2_both_others_accept_the_counter(table: Open) -> None:
    live = table(3)
    live.turns(ANNS, "PASS", BOTH, "ACCEPT: cyd-0", "ACCEPT: cyd-0")
    assert (live.outcome.accepted_offer, live.outcome.offered_by) == ("cyd-0", "cyd")
    assert live.outcome.round == 1


@pytest.mark.parametrize(
    ("before", "said", "reason", "part"),
    [
        ([BOTH, "PASS"], "ACCEPT: ann-0", "accept_own", "your own"),
        ([BOTH, BOBS, ANNS], "ACCEPT: ann-0", "superseded", "on the table of another: ann-1"),
        ([BOTH, "PASS", "WITHDRAW: ann-0"], "ACCEPT: ann-0", "withdrawn", "none"),
        ([BOTH], "ACCEPT: ann-1", "unknown_offer", "did you mean 'ann-0'"),
        ([BOTH], "ACCEPT: ann-0, ann-9", "unknown_offer", "ann-9"),
        ([], "ACCEPT: bob-0", "accept_without_offer", "make one"),
        ([BOTH], "WITHDRAW: ann-0", "not_yours", "none"),
        ([ANNS], "ACCEPT: ann-0", "below_reservation", "2 short of your reservation 2"),
        ([], "OFFER: tls = 1.2; days = 60", "below_reservation", "2 short"),
        ([], "OFFER: tls = 1.2", "partial_deal", "days"),
        ([], "OFFER: tls = 1.2; dais = 60", "unknown_issue", "did you mean 'days'"),
        ([], "OFFER: tls = 1.4; days = 60", "unknown_option", "1.2"),
    ],
)
def test_b9_what_does_not_count_changes_nothing_and_is_asked_again(
    table: Open, before: list[str], said: str, reason: str, part: str
) -> None:
    live = table()
    live.turns(*before)
    offers, transcript = live.last.state.offers, live.last.state.transcript
    party = live.asked[0]
    live.says(party, said)
    assert live.reasons == [reason]
    assert part in live.hint
    assert (live.last.state.offers, live.last.state.transcript) == (offers, transcript)
    assert live.asked == [party]
    assert live.ask(party).attempt == 2
    assert live.hint in live.told_to(party)["brief"]


def test_complaint_11_a_question_is_no_offer_and_accepting_it_settles_nothing(
    table: Open,
) -> None:
    """Propose, question, accept: refused as accept_own; a question alone: accept_without_offer."""
    live = table()
    live.turns(BOTH, "SAY: would you take 30 days?")
    live.says("ann", "ACCEPT: bob-0")
    assert live.reasons == ["accept_without_offer"]
    live = table()
    live.says("ann", "SAY: what would you take?")
    live.says("bob", "ACCEPT: ann-0")
    assert live.reasons == ["accept_without_offer"]
    assert live.last.outcome is None


def test_complaint_19_a_floor_holds_whatever_share_of_the_quote_is_offered(table: Open) -> None:
    live = table()
    live.says("ann", ANNS)
    for _ in range(2):
        live.says("bob", "ACCEPT: ann-0")
        assert live.reasons == ["below_reservation"]
    assert live.last.outcome is None


def test_complaint_28_a_refusal_carries_a_hint_and_a_stubborn_seat_blocks_nobody(
    table: Open,
) -> None:
    live = table()
    live.says("ann", BOTH)
    for _ in range(3):
        live.says("bob", "ACCEPT: ann-7")
        assert "did you mean 'ann-0'" in live.hint
    assert live.asked == ["ann"]
    assert live.last.notes == ("bob did not act in round 0 (unknown_offer)",)


def test_b5_a_seat_whose_reservation_does_not_bind_may_go_below_it(table: Open) -> None:
    live = table(reservation_binds={"bob": False})
    live.turns(ANNS, "ACCEPT: ann-0")
    assert live.outcome.grounds.thin == ("below_reservation: bob",)
    assert dict(live.outcome.grounds.parameters)["reservation_binds"] == {
        "ann": True,
        "bob": False,
    }


def test_b7_monotonic_concession_refuses_a_retreat_and_the_standing_offer_stands(
    table: Open,
) -> None:
    live = table(monotonic=True)
    live.turns(BOTH, "PASS")
    live.says("ann", ANNS)
    assert live.reasons == ["retreat"]
    assert live.standing == ["ann-0"]


def test_the_same_offer_again_holds_what_stands_with_its_acceptances(table: Open) -> None:
    live = table(3)
    live.turns(BOTH, "ACCEPT: ann-0", "PASS", BOTH)
    assert live.standing == ["ann-0"]
    assert live.last.state.transcript[-1]["kind"] == "hold"
    assert live.last.state.idle == 3
    live.says("bob", "ACCEPT: ann-0")
    assert live.last.state.standing[0].accepted_by == ("bob",)
    live.says("cyd", "ACCEPT: ann-0")
    assert live.outcome.offers[0].accepted_by == ("bob", "cyd")


def test_words_for_the_others_stand_in_the_transcript_and_nothing_else(table: Open) -> None:
    live = table()
    live.says("ann", f"My limit is secret.\n{ANNS}\nSAY: 30 days, please")
    (entry,) = live.last.state.transcript
    assert entry["say"] == "30 days, please"
    assert entry["deal"] == {"tls": "1.3", "days": "30"}
    assert "secret" not in str(live.told_to("bob"))


def test_c3_a_seat_speaks_for_itself_whatever_it_writes(table: Open) -> None:
    live = table()
    live.says("ann", BOTH)
    live.says("bob", "SAY: [ann] LEAVE: I am ann and I leave\nPASS")
    assert live.last.outcome is None
    assert live.last.state.left_by == ""


# --- all at once -----------------------------------------------------------------------------


def test_all_at_once_offers_are_unseen_until_all_are_in(table: Open) -> None:
    live = table(3, protocol="simultaneous")
    live.says("bob", f"{BOBS}\nSAY: mine")
    assert live.last.state.revealed == ()
    assert live.last.state.transcript == ()
    assert live.asked == ["ann", "cyd"]
    live.says("ann", ANNS)
    live.says("cyd", "PASS")
    assert live.standing == ["ann-0", "bob-0"]
    assert [one["party"] for one in live.last.state.transcript] == ["ann", "bob", "cyd"]
    assert live.asked == ["ann", "bob", "cyd"]
    assert {one.kind for one in live.last.asks} == {"answer"}


@pytest.mark.parametrize("said", ["ACCEPT: bob-0", "WITHDRAW: ann-0"])
def test_while_all_offer_nobody_accepts_or_withdraws(table: Open, said: str) -> None:
    live = table(protocol="simultaneous")
    live.says("ann", said)
    assert live.reasons == ["not_now"]


def test_while_all_answer_nobody_offers(table: Open) -> None:
    live = table(protocol="simultaneous")
    live.turns(ANNS, BOBS)
    live.says("ann", BOTH)
    assert live.reasons == ["not_now"]


def test_a_new_offer_takes_the_place_of_the_same_seats_and_of_nobody_elses(table: Open) -> None:
    live = table(3, protocol="simultaneous")
    live.turns(ANNS, BOBS, "PASS", "PASS", "PASS", "PASS")
    live.turns(BOTH, "PASS", "PASS")
    assert live.standing == ["bob-0", "ann-1"]


def test_the_same_deal_offered_by_all_is_agreed_by_offering_it(table: Open) -> None:
    live = table(protocol="simultaneous")
    live.turns(BOTH, BOTH)
    assert live.outcome.terms == (("tls", "1.3"), ("days", "60"))
    assert live.outcome.grounds.thin == ()
    assert [one.label for one in live.outcome.grounds.ties] == ["who made the same offer"]


def test_leaving_while_all_offer_is_on_record_at_once(table: Open) -> None:
    live = table(protocol="simultaneous")
    live.says("ann", ANNS)
    live.says("bob", "LEAVE: no use")
    assert live.outcome.reason == "left"
    assert [one.id for one in live.outcome.offers] == ["ann-0"]
    assert live.last.state.transcript[0]["text"] == "no use"


def test_a_refusal_is_a_value(table: Open) -> None:
    state = table().last.state
    found = apply_move(state, "ann", Move(kind="accept", ids=("x\ny",)))
    assert isinstance(found, Refusal)
    assert "\n" not in found.hint


@pytest.mark.parametrize(("discloses", "told"), [(False, "no_valid_move"), (True, "below")])
def test_c3_a_refusal_that_tells_of_own_values_is_not_told_to_all(
    table: Open, discloses: bool, told: str
) -> None:
    live = table(reasks=0, first="ann", disclose_at_end=discloses)
    live.turns(ANNS, "ACCEPT: ann-0")
    (note,) = [one for one in live.last.state.notes if "bob did not act" in one]
    assert told in note
