"""Tests of the state and of what a seat is told when it is asked (C1, C2, G3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.mechanisms.bargaining.domain import Domain
from comity.protocols.consent.draft import Draft, DraftTerm
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.protocols.consent.state import Answer, Check, ask, crossings, new_state, payload

SEATS: dict[str, object] = {"CC": "Reliability", "CX": "Speed", "GM": "Security"}


def test_c1_two_seats_are_allowed_with_a_note() -> None:
    assert new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")).flags == (
        "two seats only: either one alone can keep everything as it is",
    )
    assert new_state(consent_rules("q", SEATS, seed="1")).flags == ()


def test_a_check_knows_the_answer_of_each_seat() -> None:
    check = Check(1, "CC", (Answer("CX", "OBJECT", "slow"),))
    assert check.answer_of("CX") == Answer("CX", "OBJECT", "slow")
    assert check.answer_of("GM") is None


def test_flags_are_kept_once_each_and_in_order() -> None:
    state = new_state(consent_rules("q", SEATS, seed="1")).flagged("b", "a", "b")
    assert state.flags == ("b", "a")
    assert state.flagged("a") is state


def test_a_seat_is_replaced_in_its_place() -> None:
    state = new_state(consent_rules("q", SEATS, seed="1"))
    changed = state.with_seat(replace(state.seat("CX"), rationale="new"))
    assert changed.seat("CX").rationale == "new"
    assert [seat.id for seat in changed.seats] == list(state.ids)
    assert changed.seat("CC") == state.seat("CC")


def test_ask_ids_count_up_and_a_deadline_counts_from_the_input() -> None:
    limits = ConsentLimits(turn_timeout_ms=500)
    state = new_state(consent_rules("q", SEATS, seed="1", limits=limits))
    state = ask(ask(state, "CC", "turn", 1_000), "CX", "turn", 2_000, again="why", attempt=2)
    first, second = state.asks
    assert (first.id, first.deadline_ms, first.attempt) == ("a1", 1_500, 1)
    assert (second.id, second.deadline_ms, second.attempt) == ("a2", 2_500, 2)
    assert second.payload["again"] == "why"
    assert (
        ask(new_state(consent_rules("q", SEATS, seed="1")), "CC", "turn", 0).asks[0].deadline_ms
        is None
    )


def test_c4_crossings_name_the_seat_and_its_line(tls: Domain) -> None:
    seats = {
        **SEATS,
        "CX": {"priority": "Speed", "red_lines": ["p99_latency_ms < 80", "retries <= 2"]},
    }
    state = new_state(consent_rules("q", seats, seed="1", domain=tls))
    draft = Draft(1, (DraftTerm("tls = full", "CC", "tls", "full"),))
    assert crossings(state, draft) == ("CX's red line p99_latency_ms < 80",)
    assert crossings(state, Draft()) == ()
    assert crossings(new_state(consent_rules("q", SEATS, seed="1")), draft) == ()


def test_a_payload_says_what_stands_and_what_is_left(
    make_talk: Callable[..., Any], tls: Domain
) -> None:
    seats = {**SEATS, "CX": {"priority": "Speed", "red_lines": ["p99_latency_ms < 80", "no toil"]}}
    talk = make_talk(seats=seats, domain=tls, work="the work")
    talk.positions().proposes("CC", "tls = full")
    told = talk.asked("CX").payload
    assert told["kind"] == "turn"
    assert told["seat"] == "CX"
    assert told["work"] == "the work"
    assert (told["turn"], told["turns_left"]) == (4, 26)
    assert told["messages_left_without_change"] == 6
    assert told["draft"]["settled"] == {"tls": "full"}
    assert told["draft_crosses"] == ("CX's red line p99_latency_ms < 80",)
    assert told["draft_objected"] is False
    assert told["check"] is None
    assert told["judge"] == ()
    assert told["conflict"] == ()
    assert told["proposals"][0]["id"] == "P1"
    assert told["domain"]["terms"]["retries"] == {"0": {"": 0}, "1": {"": 1}, "2": {"": 2}}
    assert json.loads(canonical(told)) == json.loads(canonical(payload(talk.state, "CX", "turn")))


def test_c4_only_an_answer_asks_its_owner_about_the_lines_that_code_cannot_judge(
    make_talk: Callable[..., Any],
) -> None:
    seats = {**SEATS, "CX": {"priority": "Speed", "red_lines": ["no toil"]}}
    talk = make_talk(seats=seats).positions()
    talk.says("CC", "[CONSENT CHECK]\n- Weekly sync")
    assert talk.asked("CX").payload["judge"] == ("no toil",)
    assert talk.asked("GM").payload["judge"] == ()
    assert talk.asked("CX").payload["check"] == {
        "version": 1,
        "caller": "CC",
        "changes": ("added: Weekly sync",),
    }


def test_positions_are_blind_also_when_asked_again(make_talk: Callable[..., Any]) -> None:
    talk = make_talk()
    talk.says("CC", "PRIORITY: x\nRED LINE: never on Mondays")
    talk.says("CX", "hm")
    told = talk.asked("CX").payload
    assert told["again"]
    assert told["transcript"] == ()
    assert [seat["red_lines"] for seat in told["seats"]] == [(), (), ()]


@pytest.mark.parametrize("kind", ["position", "turn", "answer"])
def test_g3_the_same_record_gives_the_same_payload_whatever_the_order_of_the_file(
    kind: str,
) -> None:
    one = new_state(consent_rules("q", SEATS, seed="1"))
    other = new_state(consent_rules("q", dict(reversed(SEATS.items())), seed="1"))
    assert payload(one, "CX", kind) == payload(other, "CX", kind)
