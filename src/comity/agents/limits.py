"""Limits: what may all calls of a session's programs and models use, and how long may each take?

Here: the limits, their words and figures, how a session's opening records them, the guards they
become, also for a session that goes on with what is left.
Not here: the guards themselves (model_seats.py, budget.py), limits that a protocol's rules state.
Sources: SEMANTICS C5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from comity.agents.budget import Budget, BudgetRules, used_in
from comity.agents.model_seats import Guards
from comity.agents.retrying import Waiting
from comity.core.canonical import Json, JsonObject
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.session.record import Opening

__all__ = ["Limits", "guards_of", "read_budget"]

_TOKENS = re.compile(r"([0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})(?: ?tokens)?", re.IGNORECASE)
_MONEY = re.compile(
    r"\$ ?([0-9]{1,9}(?:\.[0-9]{1,9})?)|([0-9]{1,9}(?:\.[0-9]{1,9})?) ?USD", re.IGNORECASE
)
_LONGEST_MS = 7 * 24 * 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the calls of programs and models are held to; None for no limit of that kind.

    Attributes:
        tokens: tokens of all calls together.
        money: US dollars of all calls together.
        timeout_ms: how long one call may take.

    Raises:
        InvalidInput: with every limit that is none.

    Example:
        >>> Limits(money=Decimal("2.50"), timeout_ms=60_000).to_json()
        {'money': '2.50', 'timeout_ms': 60000}
    """

    tokens: int | None = None
    money: Decimal | None = None
    timeout_ms: int | None = None

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        faults = []
        if self.tokens is not None and self.tokens < 0:
            faults.append(Fault("limits", f"tokens is {self.tokens}", "0 or more", "correct it"))
        if self.money is not None and not (self.money.is_finite() and self.money >= 0):
            faults.append(Fault("limits", f"money is {self.money}", "0 or more", "correct it"))
        if self.timeout_ms is not None and not 0 < self.timeout_ms <= _LONGEST_MS:
            what = f"timeout_ms is {self.timeout_ms}"
            faults.append(Fault("limits", what, "above 0, a week at most", "correct it"))
        raise_if(faults)

    def to_json(self) -> JsonObject:
        """Return the limits that are set, as an opening records them."""
        told: dict[str, Json] = {
            "tokens": self.tokens,
            "money": None if self.money is None else format(self.money, "f"),
            "timeout_ms": self.timeout_ms,
        }
        return {name: value for name, value in told.items() if value is not None}

    @staticmethod
    def read(body: JsonObject) -> Limits:
        """Read what :meth:`to_json` returned.

        Raises:
            InvalidInput: when it holds no limits.

        Example:
            >>> Limits.read({"tokens": 5}).tokens
            5
        """
        return decode(Limits, body, where="limits")

    def over(self, other: Limits) -> Limits:
        """Return these limits, and the other's where these set none.

        Example:
            >>> Limits(tokens=5).over(Limits(tokens=9, timeout_ms=1)).to_json()
            {'tokens': 5, 'timeout_ms': 1}
        """
        return replace(
            self,
            tokens=other.tokens if self.tokens is None else self.tokens,
            money=other.money if self.money is None else self.money,
            timeout_ms=other.timeout_ms if self.timeout_ms is None else self.timeout_ms,
        )


def read_budget(given: Sequence[str], *, whose: str = "--budget") -> Limits:
    """Return the limits that words name: tokens, US dollars, or both.

    Args:
        given: each a number of tokens (``200000``, ``200,000 tokens``) or of dollars
            (``2.50USD``, ``$2.50``).
        whose: where they stand, for messages.

    Raises:
        InvalidInput: with every word that is neither, or names one of them again.

    Example:
        >>> read_budget(["200,000", "2.50USD"]).to_json()
        {'tokens': 200000, 'money': '2.50'}
    """
    faults: list[Fault] = []
    found: dict[str, str] = {}
    for words in given:
        tokens, money = _TOKENS.fullmatch(words.strip()), _MONEY.fullmatch(words.strip())
        if tokens is None and money is None:
            allowed = "tokens, such as 200000, or US dollars, such as 2.50USD"
            faults.append(Fault(whose, f"is {words!r}", allowed, f"correct {whose}"))
            continue
        kind = "tokens" if tokens else "money"
        if kind in found:
            faults.append(Fault(whose, f"names {kind} twice", "each once", f"drop {words!r}"))
        found[kind] = tokens[1].replace(",", "") if tokens else _amount(money)
    raise_if(faults)
    return Limits(
        tokens=int(found["tokens"]) if "tokens" in found else None,
        money=Decimal(found["money"]) if "money" in found else None,
    )


def _amount(money: re.Match[str] | None) -> str:
    assert money is not None
    return str(money[1] or money[2])


def guards_of(
    opening: Opening,
    clock: Waiting,
    *,
    limits: Limits | None = None,
    usages: Iterable[object] = (),
) -> Guards:
    """Return the guards around the seats of a session.

    Args:
        opening: how it was opened: the limits it records hold, then those its rules state.
        clock: what a repeated call is waited for on.
        limits: what holds before all of them, for this run.
        usages: what recorded replies say they used; it is taken off the budget.

    Raises:
        InvalidInput: when the opening records limits that are none.

    Example:
        >>> from comity.testing.clock import FakeClock
        >>> opened = Opening(kind="vote", title="t", rules={}, limits={"tokens": 5_000})
        >>> held = guards_of(opened, FakeClock(), usages=[{"tokens": 1_200}])
        >>> held.budget.used.tokens, held.timeout_s
        (1200, None)
    """
    held = (limits or Limits()).over(Limits.read(opening.limits)).over(_stated(opening.rules))
    has_budget = held.tokens is not None or held.money is not None
    rules = BudgetRules(tokens=held.tokens, money=held.money)
    return Guards(
        clock=clock,
        budget=Budget(rules, used=used_in(usages)) if has_budget else None,
        timeout_s=None if held.timeout_ms is None else held.timeout_ms / 1000,
    )


def _stated(rules: JsonObject) -> Limits:
    """Return the budget that the rules of a session state themselves; none in most."""
    stated = rules.get("limits")
    if not isinstance(stated, Mapping):
        return Limits()
    told = {name: stated.get(name) for name in ("tokens", "money")}
    try:
        return Limits.read({name: value for name, value in told.items() if value is not None})
    except InvalidInput:  # a fraction of a dollar, which is no decimal
        return Limits()
