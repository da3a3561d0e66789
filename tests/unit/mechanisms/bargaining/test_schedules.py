"""Schedules: does each concede what its definition says, exactly and never more?"""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining import schedules
from comity.mechanisms.bargaining.schedules import (
    Schedule,
    conceded,
    custom,
    exponential,
    fixed,
    linear,
    polynomial,
    read_schedule,
    share_scale,
    share_steps,
    table,
    through,
    tit_for_tat,
)

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
    right = [schedules._power_below(t, 9, Fraction(1, 3)) for t in range(1, 9)]
    monkeypatch.setattr(schedules, "int", lambda guess: int(guess) + off_by, raising=False)
    mended = [schedules._power_below(t, 9, Fraction(1, 3)) for t in range(1, 9)]
    assert mended == right


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
    schedules._curve.cache_clear()
    with decimal.localcontext() as context:
        context.prec = 3
        context.rounding = decimal.ROUND_UP
        assert every_share(text, 9) == expected


@pytest.mark.parametrize(
    ("value", "schedule"),
    [
        ("linear", linear()),
        (" boulware ", polynomial("0.2")),
        ("conceder", polynomial(5)),
        ("polynomial:1/5", polynomial("1/5")),
        ("exponential:0.1", exponential(0.1)),
        ("through:2/5:7/10", through("2/5", Fraction(7, 10))),
        ("fixed", fixed()),
        ("tit_for_tat", tit_for_tat()),
        ("tit_for_tat:relative", tit_for_tat("relative")),
        ("tit_for_tat:absolute", tit_for_tat("absolute")),
        ([120, "110.5"], table([120, Decimal("110.5")])),
        ((1, 2), table((1, 2))),
        ("table:120,110.5", table([120, Decimal("110.5")])),
        (linear(), linear()),
        (fixed(), fixed()),
        (polynomial(3), polynomial(3)),
        (tit_for_tat("absolute"), tit_for_tat("absolute")),
    ],
)
def test_b3_a_schedule_is_read_from_its_name_a_list_or_itself(
    value: object, schedule: Schedule
) -> None:
    assert read_schedule(value) == schedule
    assert read_schedule(str(schedule)) == schedule


def test_b3_a_callable_is_a_schedule_and_only_a_named_one_has_a_name() -> None:
    def ten(t: int, _deadline: int | None, *_: object) -> int:
        return 120 - 10 * t

    bare, named = read_schedule(ten), custom(ten, "ten a round")
    assert (bare.function, bare.name, str(bare)) == (ten, "", "custom")
    assert str(named) == "custom:ten a round"
    assert read_schedule(named) is named


def test_a_table_is_a_list_in_json_and_everything_else_is_text() -> None:
    assert table([120, "110.5", "1/3"]).to_json() == (120, "110.5", "1/3")
    assert through("2/5", "7/10").to_json() == "through:2/5:7/10"
    assert Schedule("linear").to_json() == "linear"


@pytest.mark.parametrize(
    ("value", "what", "hint"),
    [
        ("boulwar", "schedule 'boulwar' is unknown", "did you mean 'boulware'"),
        ("", "schedule '' is unknown", "use one of"),
        (7, "schedule 7 is unknown", "use one of"),
        ("polynomial", "lacks a parameter or has one too many", "correct its parameters"),
        ("linear:3", "lacks a parameter or has one too many", "correct its parameters"),
        ("through:1/2", "lacks a parameter or has one too many", "correct its parameters"),
        (Schedule("through", (1,)), "lacks a parameter or has one", "correct its parameters"),
        (Schedule("custom"), "lacks a parameter or has one too many", "correct its parameters"),
        ("polynomial:nan", "parameter of polynomial is 'nan'", "as an exact number"),
        ("polynomial:0", "e of polynomial is 0", "0.2 to concede late"),
        ("polynomial:-1", "e of polynomial is -1", "0.2 to concede late"),
        ("polynomial:0.33333", "with a term above 5,000", "give e = 1/3"),
        ("polynomial:0.00001", "with a term above 5,000", "give e = 1/5000"),
        ("polynomial:10000000", "with a term above 5,000", "give e = 5000"),
        ("exponential:0", "half of exponential is 0", "correct half"),
        ("exponential:1", "half of exponential is 1", "correct half"),
        ("through:1:1/2", "at of through is 1", "correct at"),
        ("through:1/2:0", "share of through is 0", "correct share"),
        ("through:1/2:1.5", "share of through is 1.5", "correct share"),
        (f"exponential:1/{10**19}", "has a denominator above 10^18", "round half"),
        ("tit_for_tat:relativ", "tit_for_tat mirrors 'relativ'", "did you mean 'relative'"),
        ([], "the table of offers is empty", "list them"),
        ([120, float("inf")], "offer 1 of the table is inf", "as an exact number"),
        ("custom:mine", "names a callable that was not handed in", "pass schedules={'mine'"),
    ],
)
def test_g7_a_schedule_that_cannot_be_read_says_whose_it_is_and_what_to_do(
    value: object, what: str, hint: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_schedule(value, "seller")
    (fault,) = caught.value.faults
    assert fault.whose == "seller"
    assert what in fault.what
    assert hint in fault.next


def test_g7_all_faults_of_a_table_come_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        table([float("nan"), 110, True])
    assert [fault.what.split(" is ")[0] for fault in caught.value.faults] == [
        "offer 0 of the table",
        "offer 2 of the table",
    ]


@pytest.mark.parametrize(
    ("function", "name", "whose"),
    [(7, "", ["custom schedule"]), (abs, " ", ["custom schedule ' '"]), (7, ":", 2)],
)
def test_g7_a_custom_schedule_needs_a_callable_and_a_usable_name(
    function: object, name: str, whose: list[str] | int
) -> None:
    with pytest.raises(InvalidInput) as caught:
        custom(function, name)  # type: ignore[arg-type]  # what a caller may get wrong
    found = [fault.whose for fault in caught.value.faults]
    assert len(found) == whose if isinstance(whose, int) else found == whose


@pytest.mark.parametrize("schedule", ["tit_for_tat", [120, 110], lambda *_: 3])
def test_only_a_timed_schedule_has_a_share_that_follows_from_the_round(schedule: object) -> None:
    with pytest.raises(InvalidInput, match="no share that follows from the round alone"):
        conceded(schedule, 1, 5)  # type: ignore[arg-type]  # one of each kind
