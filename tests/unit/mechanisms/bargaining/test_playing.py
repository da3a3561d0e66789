"""Playing: whose turn, who must still accept, and when nobody will move again?

Here: the rules of the table with scripted players.
Not here: strategies; results.
Sources: SEMANTICS M2, B7, B9; complaints 1, 2 and 29 of the research.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.outcomes import layout_of
from comity.mechanisms.bargaining.playing import (
    Played,
    Table,
    play_alternating,
    play_simultaneous,
)

LAYOUT = layout_of(domain_of({"deal": ["x", "y", "z"]}))


class Scripted:
    """Offers a list of deals, one a turn, the last one for ever; accepts what it is told to."""

    def __init__(self, offers: Sequence[int | None], takes: Sequence[int] = ()) -> None:
        self.offers, self.takes = list(offers), set(takes)
        self.heard: list[tuple[int, str, int]] = []
        self.asked: list[tuple[int, str, int]] = []

    @property
    def is_waiting(self) -> bool:
        return len(self.offers) == 1

    def offer(self, at: int) -> int | None:
        return self.offers.pop(0) if len(self.offers) > 1 else self.offers[0]

    def hears(self, at: int, by: str, outcome: int) -> None:
        self.heard.append((at, by, outcome))

    def accepts(self, at: int, by: str, outcome: int) -> bool:
        self.asked.append((at, by, outcome))
        return outcome in self.takes


def table(rounds: int, stall: int | None = None, **players: Any) -> Table:
    acceptable = dict.fromkeys(players, 3)
    return Table(LAYOUT, players, acceptable, rounds, stall, "0")


def path(played: Played) -> list[tuple[int, str, int]]:
    return list(zip(played.rounds, played.parties, played.outcomes, strict=True))


def test_m2_complaint_2_a_counter_offer_stands_and_clears_all_acceptances() -> None:
    p1, p2, p3 = Scripted([0, 0], [2]), Scripted([1, 1], [0, 2]), Scripted([2, 2])
    played = play_alternating(table(5, p1=p1, p2=p2, p3=p3))
    assert path(played) == [(0, "p1", 0), (0, "p3", 2)]
    assert played.accepted == {0: ("p2",), 1: ("p1", "p2")}
    assert (played.deal, played.played) == (1, 2)
    assert p1.asked == [(1, "p3", 2)]
    assert p2.asked == [(0, "p1", 0), (1, "p3", 2)]
    assert p1.heard == [(0, "p3", 2)]


def test_complaint_1_nobody_is_asked_after_the_last_round() -> None:
    p1, p2 = Scripted([0, 1, 0, 1] * 20), Scripted([2, 1] * 40)
    played = play_alternating(table(20, p1=p1, p2=p2))
    assert (played.deal, played.reason, played.played) == (None, "round_limit", 20)
    assert (len(p1.asked), len(p2.asked)) == (20, 20)
    assert p1.asked[-1] == (19, "p2", played.outcomes[-1]), "the last offer gets its answer"


def test_the_last_offer_can_be_accepted_by_all_who_have_not_answered() -> None:
    p1, p2, p3 = Scripted([0, 0], [1]), Scripted([1, 1]), Scripted([2, 2], [1])
    played = play_alternating(table(1, p1=p1, p2=p2, p3=p3))
    assert path(played) == [(0, "p1", 0), (0, "p2", 1)]
    assert (played.deal, played.accepted) == (1, {1: ("p3", "p1")})


def test_the_last_call_ends_with_the_first_refusal() -> None:
    p1, p2, p3 = Scripted([0, 0]), Scripted([1, 1], [2]), Scripted([2, 2])
    played = play_alternating(table(1, p1=p1, p2=p2, p3=p3))
    assert (played.deal, played.reason) == (None, "round_limit")
    assert p2.asked == [(0, "p1", 0)], "p1 has refused: p2's answer changes nothing"
    p1.takes = {2}
    played = play_alternating(table(1, p1=p1, p2=Scripted([1, 1]), p3=Scripted([2, 2])))
    assert played.accepted == {2: ("p1",)}
    assert played.deal is None


def test_b9_nobody_is_asked_about_its_own_offer() -> None:
    for play in (play_alternating, play_simultaneous):
        seats = {name: Scripted([at] * 9) for at, name in enumerate(("p1", "p2", "p3"))}
        play(table(9, **seats))
        for name, one in seats.items():
            assert one.asked
            assert name not in {by for _, by, _ in [*one.asked, *one.heard]}


@pytest.mark.parametrize("play", [play_alternating, play_simultaneous])
def test_complaint_29_a_party_that_accepts_nothing_ends_the_session(play: Any) -> None:
    played = play(table(9, p1=Scripted([0, 1]), p2=Scripted([None])))
    assert (played.deal, played.reason, played.unwilling) == (None, "exhausted", "p2")
    assert played.played == 1


@pytest.mark.parametrize("play", [play_alternating, play_simultaneous])
def test_b7_when_all_wait_and_nothing_is_new_it_ends(play: Any) -> None:
    played = play(table(1000, p1=Scripted([0, 1, 2]), p2=Scripted([2])))
    assert (played.reason, played.deal) == ("stall", None)
    assert played.played == 3 + 3, "three offers could still be repeated"
    assert played.quiet == 3


def test_b7_the_reason_is_exhausted_when_all_have_offered_all_they_accept() -> None:
    played = play_alternating(table(1000, p1=Scripted([0, 1, 2]), p2=Scripted([2, 1, 0])))
    assert played.reason == "exhausted"
    three = table(1000, p1=Scripted([0]), p2=Scripted([1], [0]), p3=Scripted([2]))
    assert play_alternating(three).reason == "stall", "p2 has never had to offer anything"


def test_b7_the_stall_can_be_stated_and_somebody_who_may_move_prevents_it() -> None:
    players = {"p1": Scripted([0, 1, 2]), "p2": Scripted([2])}
    assert play_alternating(table(1000, stall=1, **players)).played == 3 + 1
    moving = {"p1": Scripted([0] * 50), "p2": Scripted([2])}
    assert play_alternating(table(40, stall=1, **moving)).reason == "round_limit"


def test_m2_simultaneous_offers_are_heard_by_all_before_anybody_answers() -> None:
    p1, p2 = Scripted([0, 0, 1], [2]), Scripted([1, 2, 2])
    played = play_simultaneous(table(9, p1=p1, p2=p2))
    assert path(played) == [(0, "p1", 0), (0, "p2", 1), (1, "p1", 0), (1, "p2", 2)]
    assert (played.deal, played.accepted, played.ties) == (3, {3: ("p1",)}, ())
    assert p2.asked == [(0, "p1", 0), (1, "p1", 0)]


def test_simultaneous_rounds_end_like_all_others() -> None:
    played = play_simultaneous(table(3, p1=Scripted([0] * 9), p2=Scripted([1] * 9)))
    assert (played.deal, played.reason, played.played) == (None, "round_limit", 3)


def test_g4_a_lot_decides_between_deals_of_one_round_that_all_accept() -> None:
    found = set()
    for seed in range(30):
        seats = {"p1": Scripted([0], [1]), "p2": Scripted([1], [0])}
        played = play_simultaneous(Table(LAYOUT, seats, {"p1": 3, "p2": 3}, 1, None, str(seed)))
        assert [tie.label for tie in played.ties] == ["deals of round 0"]
        assert played.ties[0].tied == ("deal=x", "deal=y")
        found.add(played.deal)
    assert found == {0, 1}


def test_g4_equal_deals_of_one_round_count_once_and_a_lot_names_the_maker() -> None:
    makers = set()
    for seed in range(60):
        seats = {
            "p1": Scripted([0], [0, 1]),
            "p2": Scripted([0], [0, 1]),
            "p3": Scripted([1], [0, 1]),
        }
        played = play_simultaneous(
            Table(LAYOUT, seats, dict.fromkeys(seats, 3), 1, None, str(seed))
        )
        assert played.ties[0].tied == ("deal=x", "deal=y")
        makers.add(played.parties[played.deal or 0])
    assert makers == {"p1", "p2", "p3"}
