"""Divide: how is one divisible budget shared among agents by what each gains?

Here: the rule itself, from rules to a result that explains itself; the short form `share`.
Not here: the exact split (filling.py), whole units (whole.py), the rules shown beside
(beside.py), several budgets at once (dominant.py), gains that are not concave (grid.py).
Sources: SEMANTICS D1-D3, G1-G8; Nash 1950; Kelly 1997 (proportional fairness).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Context
from fractions import Fraction
from typing import Any, NamedTuple, TypedDict, Unpack

from comity.core.canonical import Json, digest
from comity.core.errors import Fault, InvalidInput, did_you_mean
from comity.core.exact import Exact, has_too_many_digits, show_number
from comity.core.parties import PartyId
from comity.core.results import Grounds, Item, Submission
from comity.core.ties import Tie
from comity.mechanisms.sharing.beside import (
    equal_split,
    first_come,
    in_drawn_order,
    static_priority,
)
from comity.mechanisms.sharing.credits import charges_of
from comity.mechanisms.sharing.curves import Segments, as_decimal
from comity.mechanisms.sharing.filling import Filled, exact_sum, fill, weight_of
from comity.mechanisms.sharing.margins import prices_of
from comity.mechanisms.sharing.reading import read_rules
from comity.mechanisms.sharing.results import (
    Beside,
    BudgetAllocation,
    BudgetNoDecision,
    ShareRow,
)
from comity.mechanisms.sharing.rounding import Rounded
from comity.mechanisms.sharing.rules import Agent, ShareOptions, ShareRules, Terms
from comity.mechanisms.sharing.whole import best_shares

__all__ = ["divide", "share"]

_TOLD = Context(prec=12)


def share(
    budget: Any,  # noqa: ANN401  # any number; read_rules says what is wrong with others
    claims: Mapping[PartyId, object],
    **options: Unpack[ShareOptions],
) -> BudgetAllocation | BudgetNoDecision:
    """Share one budget among agents by what each gains from money.

    Args:
        budget: how much there is.
        claims: agent -> its gain curve, most simply ``[[width, slope], ...]``.
        **options: see :class:`~comity.mechanisms.sharing.rules.ShareRules`.

    Returns:
        Shares in whole minor units that add up, with gains and margins; a no-decision when what
        agents get at least does not fit.

    Raises:
        InvalidInput: with every fault at once, each naming its agent.

    Example:
        >>> claims = {
        ...     "a": [[4000, 2], [4000, 1.1], [4000, 0.4]],
        ...     "b": [[3000, 3], [3000, 1.5], [6000, 0.5]],
        ...     "c": [[2000, 2.5], [3000, 1.2], [7000, 0.3]],
        ... }
        >>> share(12000, claims).allocation
        {'a': 4000, 'b': 3583, 'c': 4417}
        >>> best = share(12000, claims, objective="utilitarian", credits=True)
        >>> best.allocation, best.total_gain, best.charges
        ({'a': 4000, 'b': 6000, 'c': 2000}, 26500, {'a': 4100, 'b': 6900, 'c': 2200})
    """
    known = ShareOptions.__annotations__
    unknown = sorted(options.keys() - known.keys())
    if unknown:
        raise InvalidInput(
            Fault("share", f"has no option {name!r}", "those listed", did_you_mean(name, known))
            for name in unknown
        )
    return divide(ShareRules(budget=budget, claims=claims, **options))


def divide(rules: ShareRules) -> BudgetAllocation | BudgetNoDecision:
    """Share one budget by the given rules.

    Args:
        rules: the claims and everything else that decides the outcome.

    Returns:
        The allocation, or the no-decision when what agents get at least does not fit.

    Raises:
        InvalidInput: with every fault at once, each naming its agent.

    Example:
        >>> rules = ShareRules(budget=10, claims={"a": [[10, 1]]}, minimum={"a": 11})
        >>> divide(rules).says
        'No allocation: what agents get at least is 11, 1 more than the budget of 10.'
    """
    terms = read_rules(rules)
    short = exact_sum(one.minimum for one in terms.agents) - terms.money
    if short > 0:
        return _infeasible(terms, short)
    filled = fill(terms.agents, terms.money, terms.objective, terms.measure, terms.quantum)
    return _allocation(_Split(terms, filled, best_shares(terms, filled.amounts)))


# --- what it comes to ------------------------------------------------------------------------


class _Split(NamedTuple):
    """A budget after the sharing."""

    terms: Terms
    filled: Filled
    rounded: Rounded

    @property
    def amounts(self) -> list[Fraction]:
        return [units * self.terms.quantum for units in self.rounded.units]

    @property
    def excluded(self) -> tuple[PartyId, ...]:
        terms = self.terms
        return tuple(
            one.name for one in terms.agents if not weight_of(one, terms.objective, terms.measure)
        )


def _told(value: Fraction | None, agents: Sequence[Agent]) -> Exact | None:
    """Return a number as it is, or with twelve digits where a smooth curve took part.

    A ratio that is too long to be written down is told with forty digits.
    """
    if value is None:
        return None
    if value.denominator == 1:
        return value.numerator
    if has_too_many_digits(value):
        return as_decimal(value)
    if all(isinstance(one.curve, Segments) for one in agents):
        return value
    found = _TOLD.plus(as_decimal(value))
    return int(found) if found == found.to_integral_value() else found


def _number(value: Fraction, agents: Sequence[Agent]) -> Exact:
    found = _told(value, agents)
    assert found is not None  # a number was given
    return found


def _allocation(split: _Split) -> BudgetAllocation:
    terms, amounts = split.terms, split.amounts
    agents = terms.agents
    gains = [one.curve.gain(amount) for one, amount in zip(agents, amounts, strict=True)]
    total = exact_sum(gains) if terms.has_one_unit else None
    shadow, then = prices_of(agents, split.filled.amounts, terms.objective, terms.measure)
    leftover = terms.money - exact_sum(amounts)
    shares = tuple(
        Item(one.name, terms.amount(amount)) for one, amount in zip(agents, amounts, strict=True)
    )
    return BudgetAllocation(
        shares=shares,
        budget=terms.budget,
        leftover=terms.amount(leftover),
        objective=terms.objective,
        measure=terms.measure,
        rows=_rows(split, gains),
        total_gain=_told(total, agents),
        shadow_price=_told(shadow, agents),
        next_best=_told(then, agents),
        excluded=split.excluded,
        is_unique=split.filled.is_unique,
        beside=_beside(terms),
        notes=_notes(split),
        says=_sentence(terms, shares, leftover),
        grounds=_grounds(split, gains, "curves_exhausted" if leftover else "budget_spent"),
    )


def _rows(split: _Split, gains: Sequence[Fraction]) -> tuple[ShareRow, ...]:
    terms, amounts = split.terms, split.amounts
    charges: Sequence[Fraction | None] = [None] * len(gains)
    if terms.credits:
        charges = charges_of(terms.agents, terms.money, split.filled.amounts, terms.quantum)
    found = []
    for at, one in enumerate(terms.agents):
        amount = amounts[at]
        found.append(
            ShareRow(
                agent=one.name,
                share=terms.amount(amount),
                exact=_number(split.filled.amounts[at], [one]),
                gain=_number(gains[at], [one]),
                last_gain=_told(one.curve.last_gain(amount), [one]) if amount else None,
                next_gain=_told(one.curve.next_gain(amount), [one]),
                charge=_told(charges[at], terms.agents),
            )
        )
    return tuple(found)


def _notes(split: _Split) -> tuple[str, ...]:
    terms, notes = split.terms, list(split.terms.notes)
    if split.excluded and terms.objective == "nash":
        notes.append(f"left out of the product, as they cannot gain: {', '.join(split.excluded)}")
    if not split.filled.is_unique:
        notes.append("other splits gain as much; equal slopes share in proportion to widths")
    if not all(isinstance(one.curve, Segments) for one in terms.agents):
        notes.append("gains of smooth curves are told with twelve digits; money is exact")
    if terms.objective == "nash" and any(
        not units and one.name not in split.excluded
        for one, units in zip(terms.agents, split.rounded.units, strict=True)
    ):
        notes.append("the budget has too few units to give everybody who can gain one")
    if len(split.rounded.ties) < split.rounded.ways > 1:
        notes.append(f"{split.rounded.ways} ways of handing out the spare units are as good")
    return tuple(notes)


def _sentence(terms: Terms, shares: Sequence[Item], leftover: Fraction) -> str:
    listed = ", ".join(f"{item.name} {show_number(item.value)}" for item in shares[:12])
    more = f" and {len(shares) - 12} more" if len(shares) > 12 else ""
    rest = f"; {show_number(terms.amount(leftover))} is left" if leftover else ""
    return f"Shared {show_number(terms.budget)} by {terms.objective}: {listed}{more}{rest}."


def _grounds(split: _Split, gains: Sequence[Fraction], ended_by: str) -> Grounds:
    terms = split.terms
    thin = []
    if split.rounded.ties:
        thin.append("a lot decided who gets a spare unit")
    if not split.filled.is_unique:
        thin.append("other splits are as good")
    return _grounds_of(
        terms,
        ended_by=ended_by,
        ties=split.rounded.ties,
        thin=tuple(thin),
        scores=tuple(
            Item(one.name, _number(gain, [one]))
            for one, gain in zip(terms.agents, gains, strict=True)
        ),
    )


def _grounds_of(
    terms: Terms,
    *,
    ended_by: str,
    ties: tuple[Tie, ...] = (),
    thin: tuple[str, ...] = (),
    scores: tuple[Item, ...] = (),
) -> Grounds:
    given = terms.given
    parameters: list[tuple[str, Json]] = [("seed", terms.seed)]
    parameters += [(name, value) for name, value in sorted(given.items()) if name != "claims"]
    return Grounds(
        rule=terms.objective,
        ended_by=ended_by,
        inputs_digest=digest(given),
        parameters=tuple(dict(parameters).items()),
        submissions=tuple(Submission(one.name, one.said) for one in terms.agents),
        scores=scores,
        ties=ties,
        thin=thin,
    )


def _infeasible(terms: Terms, short: Fraction) -> BudgetNoDecision:
    minima = tuple(
        Item(one.name, terms.amount(one.minimum)) for one in terms.agents if one.minimum
    )
    least, missing = terms.amount(terms.money + short), terms.amount(short)
    return BudgetNoDecision(
        reason="infeasible",
        leaders=minima,
        unblock=(
            f"raise the budget to {show_number(least)}",
            f"lower what agents get at least by {show_number(missing)} together",
        ),
        budget=terms.budget,
        minima=minima,
        shortfall=missing,
        says=(
            f"No allocation: what agents get at least is {show_number(least)}, "
            f"{show_number(missing)} more than the budget of {show_number(terms.budget)}."
        ),
        grounds=_grounds_of(terms, ended_by="infeasible_minima"),
    )


# --- beside ----------------------------------------------------------------------------------


class _Kept(TypedDict):
    """What every rule beside keeps to."""

    least: Mapping[PartyId, Fraction]
    quantum: Fraction
    seed: str


def _beside(terms: Terms) -> tuple[Beside, ...]:
    agents, money, quantum = terms.agents, terms.money, terms.quantum
    most = {one.name: one.maximum // quantum * quantum for one in agents}
    asks = {}
    for one in agents:
        wanted = one.most if one.asks is None else one.asks
        asks[one.name] = min(most[one.name], -(-wanted // quantum) * quantum)
    arrivals = terms.arrivals
    if arrivals is None:
        arrivals = in_drawn_order([one.name for one in agents], "arrival", terms.seed)
    kept: _Kept = {
        "least": {one.name: one.minimum for one in agents},
        "quantum": quantum,
        "seed": terms.seed,
    }
    first = first_come(money, asks, arrivals, **kept)
    equal = equal_split(money, most, **kept)
    static = static_priority(money, asks, terms.priorities, **kept)
    has_equals = len({terms.priorities.get(one.name, 0) for one in agents}) < len(agents)
    return (
        _told_beside(terms, "first_come", first, arrivals, is_drawn=terms.arrivals is None),
        _told_beside(terms, "equal_split", equal),
        _told_beside(terms, "static_priority", static, is_drawn=has_equals),
    )


def _told_beside(
    terms: Terms,
    rule: str,
    shares: Mapping[PartyId, Fraction],
    order: tuple[tuple[PartyId, ...], ...] = (),
    *,
    is_drawn: bool = False,
) -> Beside:
    gains = {one.name: one.curve.gain(shares[one.name]) for one in terms.agents}
    total = exact_sum(gains.values()) if terms.has_one_unit else None
    return Beside(
        rule=rule,
        shares=tuple(Item(name, terms.amount(amount)) for name, amount in shares.items()),
        gains=tuple(Item(one.name, _number(gains[one.name], [one])) for one in terms.agents),
        total_gain=_told(total, terms.agents),
        order=order,
        drawn=is_drawn and len(terms.agents) > 1,
    )
