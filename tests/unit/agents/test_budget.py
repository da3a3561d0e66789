"""agents/budget.py: a call is reserved before it is made; one that would exceed is not (C5)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from decimal import Decimal
from threading import Event
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.agents.base import Failure, FailureKind, Question, Reply
from comity.agents.budget import Budget, Budgeted, BudgetRules, Used, used_in
from comity.core.canonical import JsonObject
from comity.core.errors import InvalidInput
from comity.testing.agent_checks import sample_questions

ASKED = sample_questions("CC")[0]
QUESTION = replace(ASKED, ask=replace(ASKED.ask, payload={"brief": "x" * 100}))
PLAIN = {"reply_tokens": 50, "added_tokens": 0, "call_money": Decimal("0.10")}


@dataclass
class Paid:
    """Says one thing and counts how often it was called."""

    said: Reply | Failure
    calls: int = 0
    waits: bool = True

    def reply(self, question: Question) -> Reply | Failure:
        self.calls += 1
        return self.said


def budget(**rules: object) -> Budget:
    return Budget(BudgetRules(**{**PLAIN, **rules}))  # type: ignore[arg-type]


def reply(**usage: object) -> Reply:
    told: JsonObject = usage  # type: ignore[assignment]
    return Reply(text="yes", usage=told)


def test_c5_a_call_that_would_exceed_the_tokens_is_not_made() -> None:
    agent, spent = Paid(reply(tokens=120)), budget(tokens=219)
    seat = Budgeted(agent, spent)
    assert seat.reply(QUESTION) == agent.said, "50 for the brief and 50 for the reply fit"
    said = seat.reply(QUESTION)
    assert isinstance(said, Failure)
    assert said.kind == "budget"
    assert said.detail == (
        "the next call may exceed the budget: 120 of 219 tokens are used, 100 needed"
    )
    assert agent.calls == 1
    assert Budgeted(Paid(reply(tokens=1)), budget(tokens=100)).reply(QUESTION).text == "yes"  # type: ignore[union-attr]
    assert isinstance(Budgeted(agent, budget(tokens=99)).reply(QUESTION), Failure)
    assert agent.calls == 1


def test_c5_a_call_that_would_exceed_the_money_is_not_made_by_the_dearest_seen() -> None:
    agent, spent = Paid(reply(money="0.40")), budget(money=Decimal("0.75"))
    seat = Budgeted(agent, spent)
    assert seat.reply(QUESTION) == agent.said
    said = seat.reply(QUESTION)
    assert isinstance(said, Failure), "another at 0.40 would make 0.80"
    assert said.detail == (
        "the next call may exceed the budget: 0.40 of 0.75 USD are used, 0.40 needed"
    )
    cheap = Budgeted(Paid(reply(money="0.001")), budget(money=Decimal("0.201")))
    assert isinstance(cheap.reply(QUESTION), Reply)
    assert isinstance(cheap.reply(QUESTION), Reply)


@pytest.mark.parametrize(
    ("usage", "tokens", "money"),
    [
        ({}, 100, "0.10"),
        ({"tokens": "many", "money": "much"}, 100, "0.10"),
        ({"tokens": 7}, 7, "0.10"),
        ({"tokens": -7, "money": "-1"}, 0, "0"),
        ({"tokens": 0, "money": "NaN"}, 0, "0.10"),
        ({"money": "Infinity"}, 100, "0.10"),
        ({"money": 2}, 100, "2"),
    ],
)
def test_what_a_reply_does_not_tell_counts_as_reserved(
    usage: JsonObject, tokens: int, money: str
) -> None:
    spent = budget(tokens=1_000)
    Budgeted(Paid(Reply(text="yes", usage=usage)), spent).reply(QUESTION)
    assert spent.used == Used(tokens=tokens, money=Decimal(money))


def test_a_failure_that_may_have_been_paid_for_counts_and_another_does_not() -> None:
    counted = set()
    for kind in get_args(FailureKind):
        spent = budget(tokens=1_000)
        said = Budgeted(Paid(Failure(kind=kind)), spent).reply(QUESTION)
        assert said == Failure(kind=kind)
        if spent.used.tokens:
            assert spent.used == Used(tokens=100, money=Decimal("0.10"))
            counted.add(kind)
    assert counted == {"timeout", "crashed", "empty", "cut"}


def test_a_seat_that_breaks_gives_back_no_reservation_and_holds_none() -> None:
    class Broken:
        waits = False

        def reply(self, question: Question) -> Reply:
            raise ZeroDivisionError

    spent = budget(tokens=1_000)
    seat = Budgeted(Broken(), spent)
    assert not seat.waits
    with pytest.raises(ZeroDivisionError):
        seat.reply(QUESTION)
    assert spent.used.tokens == 100
    assert spent.reserve(prompt_bytes=2 * 850) is not None


def test_c5_seats_side_by_side_never_exceed_it_together() -> None:
    agent = Paid(reply(tokens=100, money="0.10"))
    spent = budget(tokens=1_050)
    with ThreadPoolExecutor(8) as pool:
        said = list(pool.map(lambda _: Budgeted(agent, spent).reply(QUESTION), range(200)))
    assert spent.used.tokens <= 1_050
    assert agent.calls == sum(isinstance(one, Reply) for one in said) == 10


def test_c5_a_call_waits_for_what_is_only_reserved_and_is_then_made() -> None:
    began, may_end = Event(), Event()

    class Slow:
        waits = True

        def reply(self, question: Question) -> Reply:
            began.set()
            assert may_end.wait(60)
            return reply(tokens=1)

    spent, quick = budget(tokens=150), Paid(reply(tokens=1))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(Budgeted(Slow(), spent).reply, QUESTION)
        assert began.wait(60)
        second = pool.submit(Budgeted(quick, spent).reply, QUESTION)
        assert spent.reserve(prompt_bytes=100) is None, "who does not wait is told at once"
        assert quick.calls == 0
        may_end.set()
        assert isinstance(first.result(60), Reply)
        assert isinstance(second.result(60), Reply)
    assert spent.used.tokens == 2


@given(
    st.lists(st.tuples(st.integers(0, 3_000), st.integers(0, 100)), max_size=30),
    st.integers(0, 5_000),
)
def test_c5_no_run_of_calls_that_keep_to_their_reservation_exceeds_it(
    calls: list[tuple[int, int]], limit: int
) -> None:
    spent = budget(tokens=limit)
    held: list[Used] = []
    for size, share in calls:
        one = spent.reserve(prompt_bytes=size)
        if one is not None:
            held.append(one)
        if held and share < 50:
            first = held.pop(0)
            spent.settle(first, Used(tokens=first.tokens * share // 50))
    for one in held:
        spent.settle(one, one)
    assert spent.used.tokens <= limit


def test_a_budget_goes_on_after_a_restart() -> None:
    used = used_in(
        [{"tokens": 120, "money": "0.5"}, {"tokens": "x"}, {"unreadable": "x"}, None, 5]
    )
    assert used == Used(tokens=120, money=Decimal("0.5"))
    again = Budget(BudgetRules(**PLAIN, tokens=219), used=used)  # type: ignore[arg-type]
    assert again.reserve(prompt_bytes=100) is None
    assert again.reserve(prompt_bytes=98) == Used(tokens=99, money=Decimal("0.10"))


def test_g7_figures_below_0_are_all_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        BudgetRules(
            tokens=-1, money=Decimal(-1), reply_tokens=-1, added_tokens=-1, call_money=Decimal(-1)
        )
    assert len(caught.value.faults) == 5
    with pytest.raises(InvalidInput, match="money is NaN"):
        BudgetRules(money=Decimal("NaN"))
