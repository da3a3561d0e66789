"""Sharing rules: who claims how much of one budget, and by which objective is it shared?

Here: the frozen rules as a caller states them, and as they are read.
Not here: the reading and the JSON (reading.py), the sharing (divide.py).
Sources: SEMANTICS D1-D3, G6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypedDict

from comity.core.canonical import Json
from comity.core.exact import Exact, like
from comity.core.parties import PartyId
from comity.core.units import Rates
from comity.mechanisms.sharing.curves import Curve

__all__ = [
    "Agent",
    "Arrivals",
    "Measure",
    "Number",
    "Objective",
    "PerAgent",
    "ShareOptions",
    "ShareRules",
    "Terms",
]

Objective = Literal["nash", "utilitarian", "leximin"]
Measure = Literal["gain", "share_of_best"]
Number = int | float | str | Decimal | Fraction
PerAgent = Number | Mapping[PartyId, Number]
Arrivals = Sequence[PartyId | Sequence[PartyId]]


class ShareOptions(TypedDict, total=False):
    """The options of :func:`~comity.mechanisms.sharing.divide.share`, see :class:`ShareRules`."""

    objective: Objective
    measure: Measure
    minimum: PerAgent
    maximum: PerAgent
    weights: Mapping[PartyId, Number]
    units: Mapping[PartyId, str]
    rates: Rates | Mapping[str, Any] | None
    ratios: Mapping[PartyId, Number]
    asks: Mapping[PartyId, Number]
    arrivals: Arrivals
    priorities: Mapping[PartyId, Number]
    quantum: Number | None
    concavify: bool
    credits: bool
    seed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRules:
    """Everything that decides how one budget is shared.

    Attributes:
        budget: how much there is.
        claims: agent -> its gain curve: ``[[width, slope], ...]`` or ``{"segments": ...}``,
            ``{"points": [[money, gain], ...]}``, ``{"demand": amount}`` (a gain of 1 for each unit
            of money up to it), ``{"power": exponent, "scale": ...}``, ``{"log": amount, ...}``,
            ``{"saturating": amount, ...}``.
        objective: ``nash`` (the product of gains, needs no common unit), ``utilitarian`` (their
            sum) or ``leximin`` (the smallest first, then the next).
        measure: what leximin makes equal: the ``gain``, or the ``share_of_best``, the gain as a
            share of what the agent would gain from the whole budget, which needs no common unit.
        minimum: what each agent gets at least: one amount for all, or agent -> amount.
        maximum: what it gets at most.
        weights: agent -> weight, 1 when left out.
        units: agent -> the unit of its gains.
        rates: how units convert to one.
        ratios: agent -> realised gain for each unit claimed, from calibration; gains count times
            it, under nash, which looks at no scale, it multiplies the weight.
        asks: agent -> what it would ask for under the rules shown beside; all it can use when
            left out.
        arrivals: who came in which order, for first come first served; those in one list came
            together. Drawn by lot when left out.
        priorities: agent -> priority, for static priority; equals and all when left out in a
            drawn order.
        quantum: the smallest amount handed out; the last decimal place of the budget or 1.
        concavify: whether a curve that is not concave is replaced by the least concave one above
            it; otherwise it is refused.
        credits: whether each agent is charged what the others lose by it.
        seed: what lots are drawn from.

    Example:
        >>> ShareRules(budget=12000, claims={"a": [[4000, 2]]}).objective
        'nash'
    """

    budget: Number
    claims: Mapping[PartyId, object]
    objective: Objective = "nash"
    measure: Measure = "gain"
    minimum: PerAgent = 0
    maximum: PerAgent | None = None
    weights: Mapping[PartyId, Number] | None = None
    units: Mapping[PartyId, str] | None = None
    rates: Rates | Mapping[str, Any] | None = None
    ratios: Mapping[PartyId, Number] | None = None
    asks: Mapping[PartyId, Number] | None = None
    arrivals: Arrivals | None = None
    priorities: Mapping[PartyId, Number] | None = None
    quantum: Number | None = None
    concavify: bool = False
    credits: bool = False
    seed: str = "0"


class Agent(NamedTuple):
    """An agent as read: every value checked, every amount exact.

    Attributes:
        name: its name.
        curve: what it gains, in the one unit where rates were stated.
        minimum: what it gets at least.
        maximum: what it gets at most; where nothing is stated, more than it can get or use.
        weight: how much its gain counts.
        asks: what it would ask for; None for all it can use.
        said: its claim as JSON.
        whole: the whole budget; None where nobody asks for a share of the best.
    """

    name: PartyId
    curve: Curve
    minimum: Fraction
    maximum: Fraction
    weight: Fraction
    asks: Fraction | None = None
    said: Json = None
    whole: Fraction | None = None

    @property
    def most(self) -> Fraction:
        """The most that it can use."""
        end = self.curve.end
        return self.maximum if end is None else max(self.minimum, min(self.maximum, end))

    @property
    def best(self) -> Fraction:
        """What it would gain from the whole budget, up to its maximum."""
        most = self.most if self.whole is None else min(self.most, self.whole)
        return self.curve.gain(most)


class Terms(NamedTuple):
    """Rules as read.

    Attributes:
        budget: the budget as given, whose type amounts go out in.
        money: the budget, exact.
        quantum: the smallest amount.
        agents: sorted by name.
        objective: the objective.
        measure: what leximin makes equal.
        has_one_unit: whether gains of different agents may be added.
        arrivals: who came in which order; None to draw it.
        priorities: agent -> priority.
        credits: whether charges are worked out.
        seed: what lots are drawn from.
        given: the rules as JSON.
        notes: what the reading did to them.
    """

    budget: Exact
    money: Fraction
    quantum: Fraction
    agents: tuple[Agent, ...]
    objective: Objective
    measure: Measure
    has_one_unit: bool
    arrivals: tuple[tuple[PartyId, ...], ...] | None
    priorities: Mapping[PartyId, Fraction]
    credits: bool
    seed: str
    given: Mapping[str, Json]
    notes: tuple[str, ...]

    def amount(self, value: Fraction) -> Exact:
        """Return an amount of money in the type that the budget came in."""
        return like(value, self.budget)
