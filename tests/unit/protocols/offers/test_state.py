"""The state: what stands, what was last, when to wake, what a person is waited for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comity.protocols.collect.rules import Gate
from comity.protocols.offers.state import new_state
from comity.testing.bargains import sample_offers

Open = Callable[..., Any]
BOTH = "OFFER: tls = 1.3; days = 60"


def test_a_new_state_holds_nothing() -> None:
    state = new_state(sample_offers())
    assert (state.phase, state.standing, state.revealed, state.turn_of) == ("turns", (), (), ())
    assert state.offer("ann-0") is None
    assert state.last_of("ann") is None
    assert state.wake_at_ms == 86_400_000
    assert state.waiting is None


def test_it_wakes_at_the_first_of_all_times(table: Open) -> None:
    assert table().last.wake_at_ms == 601_000
    assert table(turn_timeout_ms=None).last.wake_at_ms == 86_401_000
    assert table(deadline_ms=500).last.wake_at_ms == 1_500


def test_offers_are_found_by_id_and_by_seat(table: Open) -> None:
    live = table()
    live.says("ann", BOTH)
    state = live.last.state
    assert state.offer("ann-0") == state.last_of("ann") == state.standing[0]
    assert state.last_of("bob") is None


def test_notes_stand_once() -> None:
    state = new_state(sample_offers()).noted("a", "b").noted("a")
    assert state.notes == ("a", "b")


def test_g8_while_a_person_decides_it_says_whom_it_waits_for(table: Open) -> None:
    live = table(reservation_binds={"bob": False}, gate=Gate(on="thin", seat="lead"))
    live.turns("OFFER: tls = 1.3; days = 30", "ACCEPT: ann-0")
    waiting = live.last.state.waiting
    assert waiting.whom == ("lead",)
    assert waiting.grounds.thin == ("below_reservation: bob",)
    assert waiting.until_ms == live.last.wake_at_ms
