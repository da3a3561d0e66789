"""Budget: may this call be made, with what is left?

Here: a budget of tokens and money that seats share, reserved before a call and settled after it; a
seat under a budget.
Not here: what a call used (each adapter tells it), the budgets of a session's rules (protocols/).
Sources: SEMANTICS C5; a limit that is checked only after a call has been overrun by it.

What a call will use is not known before: its brief at two bytes a token, what a program adds to
it, and a reply of the longest kind are reserved. When the call is over, what it really used
counts; a call that tells nothing, or fails after it may have been paid for, counts as reserved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from threading import Condition

from comity.agents.base import Agent, Failure, FailureKind, Question, Reply
from comity.agents.briefing import briefing
from comity.core.canonical import JsonObject
from comity.core.errors import Fault, raise_if

__all__ = ["Budget", "BudgetRules", "Budgeted", "Used", "used_in"]

_FREE: frozenset[FailureKind] = frozenset(
    {"auth", "bad_request", "budget", "left", "overloaded", "quota", "rate_limited", "unavailable"}
)
"""Failures of calls that nobody charges for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What calls used, or what is reserved for one.

    Attributes:
        tokens: tokens read and written.
        money: US dollars.

    Example:
        >>> Used(tokens=1) + Used(tokens=2, money=Decimal("0.5"))
        Used(tokens=3, money=Decimal('0.5'))
    """

    tokens: int = 0
    money: Decimal = Decimal(0)

    def __add__(self, other: Used) -> Used:
        """Return both together."""
        return Used(tokens=self.tokens + other.tokens, money=self.money + other.money)

    def __sub__(self, other: Used) -> Used:
        """Return what is left without the other."""
        return Used(tokens=self.tokens - other.tokens, money=self.money - other.money)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRules:
    """What may be used, and what is reserved for a call.

    Attributes:
        tokens: tokens of all calls together; None for no limit.
        money: US dollars of all calls together; None for no limit.
        reply_tokens: what is reserved for a reply.
        added_tokens: what is reserved for what a program adds to a brief.
        call_money: what a call is reserved as costing, until a dearer one is seen.

    Raises:
        InvalidInput: with every figure that is no number from 0.

    Example:
        >>> BudgetRules(tokens=50_000).reply_tokens
        4000
    """

    tokens: int | None = None
    money: Decimal | None = None
    reply_tokens: int = 4_000
    added_tokens: int = 6_000
    call_money: Decimal = Decimal("0.10")

    def __post_init__(self) -> None:
        """Refuse what is no budget."""
        figures = {
            "tokens": self.tokens or 0,
            "money": self.money or 0,
            "reply_tokens": self.reply_tokens,
            "added_tokens": self.added_tokens,
            "call_money": self.call_money,
        }
        raise_if(
            Fault("budget", f"{name} is {figure}", "a number from 0", f"correct {name}")
            for name, figure in figures.items()
            if not Decimal(figure).is_finite() or figure < 0
        )


class Budget:
    """What is left for all seats together; safe for seats that are asked side by side.

    Args:
        rules: what may be used.
        used: what has been used before, as a record tells it.

    Example:
        >>> budget = Budget(BudgetRules(tokens=20_000))
        >>> held = budget.reserve(prompt_bytes=2_000)
        >>> held.tokens, budget.reserve(prompt_bytes=2_000) is None
        (11000, True)
        >>> budget.settle(held, Used(tokens=900))
        >>> budget.used.tokens
        900
    """

    def __init__(self, rules: BudgetRules, *, used: Used | None = None) -> None:
        """Begin with what has been used before."""
        self.rules = rules
        self._settled = Condition()
        self._used = used or Used()
        self._held = Used()
        self._dearest = rules.call_money

    @property
    def used(self) -> Used:
        """Return what all settled calls have used."""
        return self._used

    def reserve(self, *, prompt_bytes: int, waits: bool = False) -> Used | None:
        """Reserve a call, or return None when it would exceed the budget.

        Args:
            prompt_bytes: how long its brief is.
            waits: whether a call that lacks only what is reserved for others waits for them.
        """
        with self._settled:
            while not self._has(call := self._next(prompt_bytes), self._held):
                if not waits or not self._has(call, Used()):
                    return None
                self._settled.wait()
            self._held += call
            return call

    def _next(self, prompt_bytes: int) -> Used:
        """Return what the next call may use."""
        rules = self.rules
        tokens = -(-prompt_bytes // 2) + rules.added_tokens + rules.reply_tokens
        return Used(tokens=tokens, money=self._dearest)

    def _has(self, call: Used, held: Used) -> bool:
        """Tell whether a call fits beside what is used and what is held for others."""
        after = self._used + held + call
        limit = self.rules
        fits = limit.tokens is None or after.tokens <= limit.tokens
        return fits and (limit.money is None or after.money <= limit.money)

    def settle(self, held: Used, used: Used) -> None:
        """Count what a call used instead of what was reserved for it.

        Args:
            held: what was reserved.
            used: what it used.
        """
        with self._settled:
            self._held -= held
            self._used += used
            self._dearest = max(self._dearest, used.money)
            self._settled.notify_all()

    def told(self, prompt_bytes: int) -> str:
        """Return in one line why a call is not made."""
        call, rules, used = self._next(prompt_bytes), self.rules, self.used
        limits = []
        if rules.tokens is not None:
            limits.append(f"{used.tokens} of {rules.tokens} tokens are used, {call.tokens} needed")
        if rules.money is not None:
            limits.append(f"{used.money} of {rules.money} USD are used, {call.money} needed")
        return f"the next call may exceed the budget: {'; '.join(limits)}"


@dataclass(frozen=True, slots=True)
class Budgeted:
    """A seat whose calls are paid from a budget.

    Attributes:
        agent: who is called.
        budget: what is left, shared with other seats.

    Example:
        >>> from comity.core.step import Ask
        >>> from comity.agents.scripted import Scripted
        >>> ask = Ask(id="a1", party="CC", kind="turn", payload={"brief": "Well?"})
        >>> seat = Budgeted(Scripted(("yes",)), Budget(BudgetRules(tokens=9_000)))
        >>> seat.reply(Question(ask=ask, request_id="r")).kind
        'budget'
    """

    agent: Agent
    budget: Budget

    @property
    def waits(self) -> bool:
        """Whether the agent takes time."""
        return self.agent.waits

    def reply(self, question: Question) -> Reply | Failure:
        """Reserve the call, make it, and settle it."""
        words = briefing(question.ask.payload).encode("utf-8", "replace")
        held = self.budget.reserve(prompt_bytes=len(words), waits=True)
        if held is None:
            return Failure(kind="budget", detail=self.budget.told(len(words)))
        used = held
        try:
            said = self.agent.reply(question)
            if isinstance(said, Reply):
                used = _used(said.usage, held)
            elif said.kind in _FREE:
                used = Used()
        finally:
            self.budget.settle(held, used)
        return said


def _used(usage: JsonObject, held: Used) -> Used:
    """Return what a reply says it used; what it does not tell counts as reserved."""
    tokens, told = usage.get("tokens"), usage.get("money")
    try:
        money = Decimal(told) if isinstance(told, (str, int)) else held.money
    except InvalidOperation:
        money = held.money
    return Used(
        tokens=max(tokens, 0) if isinstance(tokens, int) else held.tokens,
        money=max(money, Decimal(0)) if money.is_finite() else held.money,
    )


def used_in(usages: Iterable[object]) -> Used:
    """Return what recorded replies say they used, for a budget that goes on after a restart.

    Args:
        usages: the ``usage`` of each recorded reply; what is none, or tells nothing, counts
            nothing.

    Example:
        >>> used_in([{"tokens": 120, "money": "0.5"}, None])
        Used(tokens=120, money=Decimal('0.5'))
    """
    told = (_used(one, Used()) for one in usages if isinstance(one, Mapping))
    return sum(told, Used())
