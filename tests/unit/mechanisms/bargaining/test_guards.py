"""Guards: do they trip when nothing moves, and only then?"""

from __future__ import annotations

import pytest

from comity.mechanisms.bargaining.guards import PingPong, Stall, retreats, time_limit_round


def stalls(limit: int, states: str) -> list[bool]:
    guard, found = Stall(limit), []
    for state in states:
        guard = guard.saw(state)
        found.append(guard.tripped)
    return found


def returns(states: str) -> list[bool]:
    guard, found = PingPong(), []
    for state in states:
        guard = guard.saw(state)
        found.append(guard.tripped)
    return found


@pytest.mark.parametrize(
    ("limit", "states", "tripped"),
    [
        (1, "aa", [False, True]),
        (1, "ab", [False, False]),
        (2, "aaa", [False, False, True]),
        (2, "aabaa", [False] * 5),
        (2, "aabaaa", [False] * 5 + [True]),
    ],
)
def test_b7_a_stall_is_the_same_state_k_times_after_the_last_movement(
    limit: int, states: str, tripped: list[bool]
) -> None:
    assert stalls(limit, states) == tripped


@pytest.mark.parametrize(
    ("states", "tripped"),
    [
        ("abc", [False] * 3),
        ("aaa", [False] * 3),
        ("aba", [False, False, True]),
        ("abba", [False, False, False, True]),
        ("abac", [False, False, True, False]),
        ("abcb", [False, False, False, True]),
    ],
)
def test_b7_ping_pong_is_a_return_to_an_earlier_different_state(
    states: str, tripped: list[bool]
) -> None:
    assert returns(states) == tripped


def test_a_guard_is_a_value_that_seeing_does_not_change() -> None:
    stall, ping_pong = Stall(1), PingPong()
    assert stall.saw("a").saw("a").tripped
    assert ping_pong.saw("a").saw("b").saw("a").tripped
    assert (stall, ping_pong) == (Stall(1), PingPong())


@pytest.mark.parametrize(
    ("role", "standing", "offer", "refused"),
    [
        ("seller", 90, 91, True),
        ("seller", 90, 90, False),
        ("seller", 90, 89, False),
        ("buyer", 90, 91, False),
        ("buyer", 90, 90, False),
        ("buyer", 90, 89, True),
    ],
)
def test_b7_an_offer_better_for_its_maker_than_its_last_is_a_retreat(
    role: str, standing: int, offer: int, *, refused: bool
) -> None:
    assert retreats(role, standing, offer) is refused  # type: ignore[arg-type]  # both roles


@pytest.mark.parametrize(
    ("readings", "limit", "expected"),
    [((0, 40, 80), 80, 2), ((0, 40, 80), 41, 2), ((0, 40), 80, None), ((5,), 0, 0), ((), 1, None)],
)
def test_b7_a_time_limit_ends_at_the_first_reading_that_reaches_it(
    readings: tuple[int, ...], limit: int, expected: int | None
) -> None:
    assert time_limit_round(readings, limit) == expected
