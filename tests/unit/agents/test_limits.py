"""agents/limits.py: budgets and times are read, recorded and go on with what is left (C5)."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from comity.agents.limits import Limits, guards_of, read_budget
from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.session.record import Opening
from comity.testing.clock import FakeClock


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ([], {}),
        (["200000"], {"tokens": 200_000}),
        (["200,000 tokens"], {"tokens": 200_000}),
        (["2.50USD"], {"money": "2.50"}),
        (["$ 0.75"], {"money": "0.75"}),
        (["3 usd", " 9 "], {"tokens": 9, "money": "3"}),
    ],
)
def test_c5_a_budget_is_tokens_or_dollars_or_both(words: list[str], read: object) -> None:
    assert read_budget(words).to_json() == read


def test_every_word_that_is_no_budget_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_budget(["much", "2.5", "1,00", "-1", "5 EUR", "5", "6", "$1", "1USD"])
    assert len(caught.value.faults) == 7
    assert "names tokens twice" in str(caught.value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tokens": -1},
        {"money": Decimal(-1)},
        {"money": Decimal("NaN")},
        {"timeout_ms": 0},
        {"timeout_ms": 10**10},
    ],
)
def test_what_is_no_limit_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="limits"):
        Limits(**wrong)  # type: ignore[arg-type]  # what is refused


def opened(**limits: object) -> Opening:
    opening = Opening(kind="consent", title="t", rules={}, limits=limits)  # type: ignore[arg-type]
    return Opening.read(json.loads(canonical(opening.to_json())))


def test_c5_a_resume_goes_on_with_what_is_left_of_the_recorded_budget() -> None:
    limits = Limits(tokens=20_000, money=Decimal("2.50"), timeout_ms=1_500)
    usages = [{"tokens": 7_000, "money": "0.50"}, {"tokens": 8_000}, {"unreadable": "?"}]
    held = guards_of(opened(**limits.to_json()), FakeClock(), usages=usages)
    assert held.timeout_s == 1.5
    assert held.budget is not None
    assert (held.budget.used.tokens, held.budget.used.money) == (15_000, Decimal("0.50"))
    assert held.budget.reserve(prompt_bytes=10) is None, "5,000 are left, 10,005 needed"


def test_what_is_said_at_a_resume_holds_before_what_is_recorded() -> None:
    held = guards_of(opened(tokens=1, timeout_ms=1), FakeClock(), limits=Limits(tokens=99_999))
    assert held.budget is not None
    assert (held.budget.rules.tokens, held.timeout_s) == (99_999, 0.001)


def test_c5_the_budget_of_a_scenario_is_reserved_too_and_a_fraction_is_not() -> None:
    rules = {"limits": {"tokens": 500, "money": None, "max_turns": 3}}
    held = guards_of(Opening(kind="consent", title="t", rules=rules), FakeClock())
    assert held.budget is not None
    assert held.budget.rules.tokens == 500
    for stated in ({"money": "1/3"}, {}, None):
        free = guards_of(Opening(kind="consent", title="t", rules={"limits": stated}), FakeClock())
        assert free.budget is None


def test_an_opening_without_limits_has_no_entry_for_them() -> None:
    assert "limits" not in Opening(kind="consent", title="t", rules={}).to_json()
    with pytest.raises(InvalidInput):
        guards_of(opened(tokens="many"), FakeClock())
