"""Schedules: is each read from whatever names it, and refused with a reason otherwise?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.schedules import (
    Schedule,
    custom,
    exponential,
    fixed,
    linear,
    polynomial,
    read_schedule,
    table,
    through,
    tit_for_tat,
)


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


def test_g7_a_ratio_may_be_as_fine_as_10_to_the_minus_18() -> None:
    assert exponential(f"1/{10**18}").parameters == (Fraction(1, 10**18),)


def test_g7_an_exponent_may_have_terms_up_to_5000() -> None:
    assert polynomial("1/5000").parameters == (Fraction(1, 5000),)
    assert polynomial(5000).parameters == (5000,)


@pytest.mark.parametrize(
    ("text", "allowed"),
    [("through:1/2:2", "above 0 and at most 1"), ("through:2:1/2", "above 0 and below 1")],
)
def test_g7_only_a_share_may_be_everything(text: str, allowed: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_schedule(text)
    assert [fault.allowed for fault in caught.value.faults] == [allowed]


def test_a_schedule_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        linear().kind = "fixed"  # type: ignore[misc]  # the fault at hand
