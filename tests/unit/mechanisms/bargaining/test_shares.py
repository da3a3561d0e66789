"""Shares: does each schedule concede what its definition says, exactly and never more?"""

from __future__ import annotations

import decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining import shares
from comity.mechanisms.bargaining.schedules import (
    Schedule,
    exponential,
    polynomial,
    read_schedule,
    through,
)
from comity.mechanisms.bargaining.shares import conceded, share_scale, share_steps

TIMED = [
    "linear",
    "boulware",
    "conceder",
    "polynomial:3/7",
    "polynomial:0.05",
    "exponential:1/10",
    "exponential:0.9",
    "exponential:1/2",
    "through:2/5:7/10",
    "through:1/3:1",
    "fixed",
]


def every_share(schedule: str | Schedule, deadline: int) -> list[Fraction]:
    return [conceded(schedule, t, deadline) for t in range(deadline + 1)]


@pytest.mark.parametrize(
    ("e", "share"), [("0.2", Fraction(1, 32)), ("1", Fraction(1, 2)), ("0.5", Fraction(1, 4))]
)
def test_b3_a_whole_power_is_exact_at_half_time(e: str, share: Fraction) -> None:
    assert conceded(polynomial(e), 5, 10) == share


def test_b3_a_conceder_has_conceded_about_087_at_half_time() -> None:
    assert float(conceded("conceder", 50, 100)) == pytest.approx(0.5**0.2, abs=1e-12)


@pytest.mark.parametrize("e", ["5", "3/7", "2.345", "0.003", "7/3"])
@pytest.mark.parametrize("t", [1, 3, 7, 10])
def test_b3_an_irrational_power_is_the_largest_share_of_10_to_the_minus_12_below_it(
    e: str, t: int
) -> None:
    exponent = 1 / Fraction(e)
    share = conceded(polynomial(e), t, 11)
    p, q = exponent.numerator, exponent.denominator
    true_power = Fraction(t, 11) ** p
    assert share**q <= true_power < (share + Fraction(1, 10**12)) ** q


@pytest.mark.parametrize("off_by", [-2, -1, 1, 2])
def test_b3_the_platforms_float_is_only_a_first_guess(
    off_by: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = [shares._power_below(t, 9, Fraction(1, 3)) for t in range(1, 9)]
    monkeypatch.setattr(shares, "int", lambda guess: int(guess) + off_by, raising=False)
    mended = [shares._power_below(t, 9, Fraction(1, 3)) for t in range(1, 9)]
    assert mended == right


def test_b3_whole_powers_stay_exact_up_to_the_tenth() -> None:
    assert conceded("polynomial:1/10", 1, 3) == Fraction(1, 3**10)
    assert conceded("polynomial:1/11", 1, 3) == Fraction(10**12 // 3**11, 10**12)


@pytest.mark.parametrize("half", ["1/10", "1/2", "0.9", "1/1000", "1/3"])
def test_b3_an_exponential_has_conceded_its_parameter_at_half_time(half: str) -> None:
    assert conceded(exponential(half), 50, 100) == Fraction(half)


def test_b3_an_exponential_follows_its_formula() -> None:
    ratio = 9.0  # (1 - 1/10) / (1/10)
    for t in range(11):
        expected = (ratio ** (2 * t / 10) - 1) / (ratio**2 - 1)
        assert float(conceded("exponential:0.1", t, 10)) == pytest.approx(expected, abs=1e-11)


def test_b3_an_exponential_of_one_half_is_linear() -> None:
    assert every_share("exponential:1/2", 8) == every_share("linear", 8)


def test_b3_an_exponential_just_beside_one_half_stays_beside_linear() -> None:
    beside = every_share(exponential(Fraction(10**17 + 1, 2 * 10**17)), 8)
    for share, straight in zip(beside, every_share("linear", 8), strict=True):
        assert abs(share - straight) <= Fraction(1, 10**11)


def test_b8_a_power_through_a_point_is_exact_there_and_a_power_elsewhere() -> None:
    assert conceded(through("2/5", "7/10"), 2, 5) == Fraction(7, 10)
    same = zip(every_share("through:1/2:1/32", 10), every_share("boulware", 10), strict=True)
    assert all(abs(one - other) <= Fraction(1, 10**12) for one, other in same)


def test_b8_a_power_through_everything_concedes_all_after_the_opening() -> None:
    assert every_share("through:1/3:1", 6) == [0, *[1] * 6]


def test_b3_fixed_stays_until_the_deadline() -> None:
    assert every_share("fixed", 3) == [0, 0, 0, 1]


@pytest.mark.parametrize("text", TIMED)
@pytest.mark.parametrize("deadline", [1, 2, 3, 10, 64])
def test_b3_every_timed_schedule_starts_at_nothing_ends_at_everything_and_never_goes_back(
    text: str, deadline: int
) -> None:
    shares = every_share(text, deadline)
    assert shares[0] == 0
    assert shares[-1] == 1
    assert shares == sorted(shares)
    assert conceded(text, deadline + 7, deadline) == 1


@pytest.mark.parametrize("text", TIMED)
def test_shares_are_whole_steps_of_one_scale(text: str) -> None:
    schedule = read_schedule(text)
    scale = share_scale(schedule, 12)
    steps = share_steps(schedule, 12, 0, 12)
    assert [Fraction(step, scale) for step in steps] == every_share(text, 12)[:-1]


@pytest.mark.parametrize("text", ["exponential:1/10", "through:2/5:7/10", "conceder"])
def test_g3_a_share_does_not_depend_on_the_decimal_context(text: str) -> None:
    expected = every_share(text, 9)
    shares._curve.cache_clear()
    with decimal.localcontext() as context:
        context.prec = 3
        context.rounding = decimal.ROUND_UP
        assert every_share(text, 9) == expected


@pytest.mark.parametrize("schedule", ["tit_for_tat", [120, 110], lambda *_: 3])
def test_only_a_timed_schedule_has_a_share_that_follows_from_the_round(schedule: object) -> None:
    with pytest.raises(InvalidInput, match="no share that follows from the round alone"):
        conceded(schedule, 1, 5)  # type: ignore[arg-type]  # one of each kind
