"""Concession: is a party's path what its schedule, the ticks and the guard make of it?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.mechanisms.bargaining.concession import Concession, extend, paths
from comity.mechanisms.bargaining.reading import read_rules
from comity.mechanisms.bargaining.rules import PriceParty, PriceRules
from comity.mechanisms.bargaining.schedules import custom

DEFAULTS: dict[str, dict[str, Any]] = {
    "buyer": {"role": "buyer", "opening": 60, "reservation": 100, "deadline": 5},
    "seller": {"role": "seller", "opening": 120, "reservation": 70, "deadline": 5},
}


def played(
    stop: int,
    buyer: dict[str, Any] | None = None,
    seller: dict[str, Any] | None = None,
    **changes: Any,
) -> tuple[Concession, Concession]:
    parties = [PriceParty(**DEFAULTS["buyer"] | (buyer or {}))]
    parties.append(PriceParty(**DEFAULTS["seller"] | (seller or {})))
    terms = read_rules(PriceRules(parties=parties, **changes))
    both = paths(terms)
    extend(terms, *both, stop)
    return both


def prices(path: Concession) -> list[Fraction]:
    return [Fraction(offer) / path.unit for offer in path.offers]


def test_b3_linear_paths_of_the_worked_example() -> None:
    buyer, seller = played(8)
    assert prices(buyer) == [60, 68, 76, 84, 92, 100, 100, 100]
    assert prices(seller) == [120, 110, 100, 90, 80, 70, 70, 70]


def test_b3_a_path_may_be_worked_out_piece_by_piece() -> None:
    terms = read_rules(PriceRules(parties=[PriceParty(**one) for one in DEFAULTS.values()]))
    both = paths(terms)
    for stop in (1, 3, 3, 5, 9):
        extend(terms, *both, stop)
    assert [prices(path) for path in both] == [prices(path) for path in played(9)]


def test_b3_at_its_deadline_an_offer_is_the_reservation_itself() -> None:
    # 0.1 + (0.7 - 0.1) * 3/3 is not 0.7 in floats.
    buyer, _ = played(4, {"opening": 0.1, "reservation": 0.7, "deadline": 3})
    assert prices(buyer)[3] == Fraction(7, 10)


def test_b3_a_deadline_of_nothing_offers_the_reservation_only() -> None:
    buyer, seller = played(2, {"deadline": 0}, {"deadline": 0})
    assert prices(buyer) == [100, 100]
    assert prices(seller) == [70, 70]


def test_b3_a_fixed_party_jumps_at_its_deadline_and_never_without_one() -> None:
    buyer, seller = played(7, {"schedule": "fixed"}, {"schedule": "fixed", "deadline": None})
    assert prices(buyer) == [60] * 5 + [100] * 2
    assert prices(seller) == [120] * 7


def test_b3_ticks_round_against_oneself_and_never_past_the_reservation() -> None:
    buyer, seller = played(
        5, {"deadline": 4, "reservation": 99}, {"deadline": 4, "reservation": 71}, tick=20
    )
    # Unrounded: the buyer at 60, 69.75, 79.5, 89.25, 99; the seller at 120, 107.75, ...
    assert prices(buyer) == [60, 80, 80, 99, 99]
    assert prices(seller) == [120, 100, 80, 80, 71]


def test_b3_ticks_round_the_opening_of_a_callable_too() -> None:
    seller = {"opening": "120.3", "schedule": lambda t, *_: Decimal("119.9") - t, "deadline": None}
    assert prices(played(3, seller=seller, tick=1)[1]) == [120, 118, 117]


def test_b3_absolute_tit_for_tat_moves_by_what_the_other_moved_before() -> None:
    buyer, seller = played(6, {"schedule": "tit_for_tat:absolute", "deadline": None})
    assert prices(seller) == [120, 110, 100, 90, 80, 70]
    assert prices(buyer) == [60, 60, 70, 80, 90, 100]


def test_b3_absolute_tit_for_tat_stops_at_the_reservation() -> None:
    buyer, _ = played(8, {"schedule": "tit_for_tat:absolute", "reservation": 75, "deadline": 9})
    assert prices(buyer) == [60, 60, 70, 75, 75, 75, 75, 75]


def test_b3_relative_tit_for_tat_moves_by_the_others_factor() -> None:
    buyer, _ = played(4, {"schedule": "tit_for_tat", "deadline": None})
    assert prices(buyer) == [60, 60, 60 * Fraction(120, 110), 60 * Fraction(120, 100)]
    _, seller = played(3, seller={"schedule": "tit_for_tat", "deadline": None})
    assert prices(seller)[2] == 120 * Fraction(60, 68)


def test_b3_relative_tit_for_tat_stands_still_before_a_price_of_nothing() -> None:
    offers = [60, 0, 0]
    buyer = {"schedule": lambda t, *_: offers[t], "deadline": None}
    seller = {"schedule": "tit_for_tat", "deadline": None}
    assert (
        prices(
            played(
                4, buyer | {"schedule": lambda t, *_: offers[min(t, 2)]}, seller, monotonic=False
            )[1]
        )
        == [120] * 4
    )


def test_b3_in_alternation_whoever_answers_mirrors_the_same_round() -> None:
    mirror = {"schedule": "tit_for_tat:absolute", "deadline": None}
    changes: dict[str, Any] = {"convention": "alternating", "first": "seller"}
    assert prices(played(4, mirror, **changes)[0]) == [60, 70, 80, 90]
    changes["first"] = "buyer"
    assert prices(played(4, mirror, **changes)[0]) == [60, 60, 70, 80]


def test_b3_a_mirror_offers_its_reservation_at_its_deadline() -> None:
    mirror = {"schedule": "tit_for_tat", "deadline": 2}
    assert prices(played(4, mirror, {"schedule": "fixed"})[0]) == [60, 60, 100, 100]


def test_b3_a_table_is_followed_and_its_last_offer_held() -> None:
    seller = {"schedule": [120, "100.5", 90], "deadline": None}
    assert prices(played(5, seller=seller)[1]) == [120, Fraction(201, 2), 90, 90, 90]


def test_b3_a_callable_sees_both_paths_and_answers_exactly() -> None:
    seen = []

    def third(t: int, deadline: int | None, mine: Any, theirs: Any) -> Fraction:
        seen.append((t, deadline, tuple(mine), tuple(theirs)))
        return Fraction(361 - t, 3)

    _, seller = played(4, seller={"schedule": third, "deadline": 3})
    assert prices(seller) == [120, 120, Fraction(359, 3), 70]
    assert seen == [(1, 3, (120,), (60,)), (2, 3, (120, 120), (60, 68))]


def test_b7_what_is_no_offer_is_refused_and_the_standing_offer_stands() -> None:
    answers = [0, 110, float("nan"), 115, 60, "105", None]
    seller = {
        "schedule": custom(lambda t, *_: answers[t], "odd"),  # type: ignore[arg-type,return-value]
        "deadline": 7,
    }
    _, path = played(8, seller=seller)
    assert prices(path) == [120, 110, 110, 110, 110, 105, 105, 70]
    assert [(one.round, one.offer, one.reason) for one in path.rejected] == [
        (2, "nan", "not_a_number"),
        (3, "115", "retreat"),
        (4, "60", "past_reservation"),
        (6, "None", "not_a_number"),
    ]
    assert {one.party for one in path.rejected} == {"seller"}
    assert [path.standing_since(t) for t in range(8)] == [0, 1, 1, 1, 1, 5, 5, 7]


def test_b7_a_buyer_may_not_pass_its_reservation_or_retreat_either() -> None:
    answers = [0, 80, 70, 101, 90]
    buyer, _ = played(5, {"schedule": lambda t, *_: answers[t], "deadline": None})
    assert prices(buyer) == [60, 80, 80, 80, 90]
    assert [one.reason for one in buyer.rejected] == ["retreat", "past_reservation"]


def test_b7_retreats_are_allowed_where_the_guard_is_off() -> None:
    seller = {"schedule": [120, 100, 110], "deadline": None}
    assert prices(played(3, seller=seller, monotonic=False)[1]) == [120, 100, 110]


@pytest.mark.parametrize(
    ("changes", "round_"),
    [
        ({}, 5),
        ({"deadline": None, "schedule": "fixed"}, 0),
        ({"opening": 100}, 0),
        ({"schedule": [60, 70]}, 0),
    ],
)
def test_b7_a_timed_path_is_known_to_stand_still_from_its_deadline(
    changes: dict[str, Any], round_: int
) -> None:
    assert played(1, changes)[0].quiet_from() == round_


@pytest.mark.parametrize(
    ("changes", "moves"),
    [
        ({}, [True] * 5 + [False] * 2),
        ({"schedule": [60, 60, 100]}, [True, True] + [False] * 5),
        ({"schedule": [60, 60, 80, 80], "deadline": None}, [True, True] + [False] * 5),
        ({"schedule": "fixed", "deadline": None}, [False] * 7),
        ({"schedule": lambda t, *_: 60 + t, "deadline": None}, [False] * 7),
    ],
)
def test_b7_whether_a_party_will_move_again_is_known_from_deadline_and_table(
    changes: dict[str, Any], moves: list[bool]
) -> None:
    buyer, _ = played(7, changes)
    assert [buyer.may_move(t) for t in range(7)] == moves
