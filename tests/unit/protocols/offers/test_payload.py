"""The payload: everything about the state of play, and nothing of what others value (M2)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from comity.protocols.offers.payload import exact_json
from comity.protocols.offers.suggest import suggestions

Open = Callable[..., Any]
ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS = "OFFER: tls = 1.2; days = 60"


def test_m2_who_holds_what_whose_turn_it_is_and_what_is_left(table: Open) -> None:
    live = table(3, rounds=5)
    live.turns(BOTH, "ACCEPT: ann-0")
    told = live.told_to("cyd")
    assert (told["round"], told["rounds"], told["rounds_left"]) == (0, 5, 5)
    assert (told["turn_of"], told["next"]) == (("cyd",), ("ann", "bob"))
    assert (told["turns_without_new_offer"], told["ends_after_turns_without_new_offer"]) == (1, 6)
    assert told["time_left_ms"] == 86_400_000
    assert told["may_accept"] == ("ann-0",)
    (one,) = told["standing"]
    assert (one["id"], one["by"], one["yours"]) == ("ann-0", "ann", False)
    assert (one["accepted_by"], one["missing"]) == (("bob",), ("cyd",))
    assert (one["worth"], one["gain"], one["reaches_reservation"]) == (2, 1, True)
    assert one["you_may_accept"]
    assert one["deal"] == {"tls": "1.3", "days": "60"}


def test_b5_an_offer_below_the_reservation_says_so_to_its_seat(table: Open) -> None:
    live = table()
    live.says("ann", ANNS)
    told = live.told_to("bob")
    (one,) = told["standing"]
    assert (one["worth"], one["gain"], one["reaches_reservation"]) == (0, -2, False)
    assert not one["you_may_accept"]
    assert "2 short of your reservation 2" in one["why_not"]
    assert told["may_accept"] == ()
    assert "accept" not in told["may"]


def test_own_values_offers_and_suggestions_are_there_exactly(table: Open) -> None:
    live = table()
    live.turns(ANNS, BOBS)
    told = live.told_to("ann")
    assert told["yours"]["values"]["values"]["tls"] == {"1.2": 1, "1.3": 4}
    assert (told["yours"]["reservation"], told["yours"]["last_offer"]) == (3, "ann-0")
    assert told["yours"]["deals_left_to_offer"] == 2
    assert [(dict(one["deal"]), one["worth"]) for one in told["suggested"]] == [
        (dict(one.deal), one.worth) for one in suggestions(live.last.state, "ann")
    ]
    assert len(told["transcript"]) == 2
    live.says("ann", "PASS")
    mine = live.told_to("bob")
    assert "withdraw" in mine["may"]
    assert mine["standing"][0]["why_not"] == "it is your own"


def test_all_at_once_everybody_is_told_that_all_act(table: Open) -> None:
    live = table(protocol="simultaneous")
    told = live.told_to("bob")
    assert (told["kind"], told["turn_of"], told["next"]) == ("offer", ("ann", "bob"), ())
    assert told["may"] == ("offer", "pass", "say", "leave")
    live.turns(BOTH, BOBS)
    told = live.told_to("bob")
    assert (told["kind"], told["suggested"]) == ("answer", ())
    assert told["may"] == ("accept", "pass", "say", "leave")


def test_each_seat_has_a_seed_of_its_own(table: Open) -> None:
    live = table(protocol="simultaneous")
    seeds = {live.told_to("ann")["seed"], live.told_to("bob")["seed"], live.rules.seed}
    assert len(seeds) == 3


def test_exact_numbers_are_whole_or_text() -> None:
    assert exact_json(Fraction(-4, 2)) == -2
    assert exact_json(Fraction(1, 3)) == "1/3"
