"""Results: who gets how much of the budget, what does it gain, and what would have been beside?

Here: the allocation of one budget and the no-decision when minima do not fit.
Not here: the sharing (divide.py), kinds and grounds that all mechanisms share (core/results.py).
Sources: SEMANTICS D1-D3, G1, G2.
"""

from __future__ import annotations

from dataclasses import dataclass

from comity.core.exact import Exact, show_number
from comity.core.parties import PartyId
from comity.core.results import Allocation, Item, NoDecision, result_form
from comity.core.show import table
from comity.mechanisms.sharing.rules import Measure, Objective

__all__ = ["Beside", "BudgetAllocation", "BudgetNoDecision", "ShareRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareRow:
    """What one agent gets and what it gains from it.

    Attributes:
        agent: its name.
        share: what it gets.
        exact: its share if money had no smallest unit.
        gain: what it gains from its share.
        last_gain: what the last bit of its share brings, for each unit of money; None for nothing.
        next_gain: what a bit more would bring; None where that is without bound.
        charge: what the others lose by it, in units of its gain, when credits were asked for.

    Example:
        >>> ShareRow(agent="a", share=4, exact=4, gain=8, last_gain=2, next_gain=1).charge is None
        True
    """

    agent: PartyId
    share: Exact
    exact: Exact
    gain: Exact
    last_gain: Exact | None
    next_gain: Exact | None
    charge: Exact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """The same budget under a rule that looks at no gains.

    Attributes:
        rule: ``first_come``, ``equal_split`` or ``static_priority``.
        shares: who would get how much.
        gains: what each would gain.
        total_gain: the sum, where gains have one unit.
        order: who would be served in which order, those served together in one list.
        drawn: whether a lot decided about that order.

    Example:
        >>> Beside(rule="equal_split", shares=(Item("a", 5),), gains=(Item("a", 9),)).drawn
        False
    """

    rule: str
    shares: tuple[Item, ...]
    gains: tuple[Item, ...]
    total_gain: Exact | None = None
    order: tuple[tuple[PartyId, ...], ...] = ()
    drawn: bool = False


@result_form("budget")
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetAllocation(Allocation):
    """One budget was shared by gain.

    Attributes:
        shares: who gets how much, in whole quanta (of every allocation); no other split into
            whole quanta is better by the objective.
        budget: what there was.
        leftover: what nobody can use; it is not handed out.
        objective: ``nash``, ``utilitarian`` or ``leximin``.
        measure: what leximin makes equal.
        rows: agent by agent, with gains and margins.
        total_gain: the sum of gains, where they have one unit.
        shadow_price: what the last unit of money brought the objective: gain, under nash gain
            relative to what its agent has, under leximin the rise of the lowest level.
        next_best: what one more unit of money would bring it.
        excluded: agents that cannot gain; under nash they are left out of the product.
        is_unique: whether no other split would be as good if money had no smallest unit.
        beside: the same budget under first come first served, equal split and static priority,
            which keep to the same minima.
        notes: what else a reader should know.
        says: the result in one sentence.
    """

    budget: Exact
    leftover: Exact
    objective: Objective
    measure: Measure
    rows: tuple[ShareRow, ...]
    total_gain: Exact | None
    shadow_price: Exact | None
    next_best: Exact | None
    excluded: tuple[PartyId, ...] = ()
    is_unique: bool = True
    beside: tuple[Beside, ...] = ()
    notes: tuple[str, ...] = ()
    says: str

    @property
    def allocation(self) -> dict[PartyId, Exact]:
        """Agent -> what it gets."""
        return {item.name: item.value for item in self.shares}

    @property
    def exact(self) -> dict[PartyId, Exact]:
        """Agent -> its share if money had no smallest unit."""
        return {row.agent: row.exact for row in self.rows}

    @property
    def gains(self) -> dict[PartyId, Exact]:
        """Agent -> what it gains."""
        return {row.agent: row.gain for row in self.rows}

    @property
    def charges(self) -> dict[PartyId, Exact]:
        """Agent -> what the others lose by it, when credits were asked for."""
        return {row.agent: row.charge for row in self.rows if row.charge is not None}

    def __str__(self) -> str:
        """Return the sentence, the agents and the rules beside."""
        lines = [self.says, ""]
        head = ["agent", "share", "gain", "last unit", "next unit"]
        rows = [
            [row.agent, *map(_shown, (row.share, row.gain, row.last_gain, row.next_gain))]
            for row in self.rows
        ]
        if self.charges:
            head.append("charge")
            for row, line in zip(self.rows, rows, strict=True):
                line.append(_shown(row.charge))
        lines.append(table(rows, head))
        lines.append("")
        lines.append(f"leftover: {_shown(self.leftover)}")
        lines.append(
            f"last unit of money: {_shown(self.shadow_price)}, next: {_shown(self.next_best)}"
        )
        beside = [
            [one.rule.replace("_", " "), *(_shown(item.value) for item in one.shares),
             _shown(one.total_gain)]
            for one in self.beside
        ]  # fmt: skip
        if beside:
            names = [item.name for item in self.beside[0].shares]
            lines += ["", table(beside, ["beside", *names, "total gain"])]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)


@result_form("budget")
@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetNoDecision(NoDecision):
    """What agents get at least adds up to more than the budget.

    Attributes:
        budget: what there is.
        minima: what each gets at least.
        shortfall: how much is missing.
        says: the result in one sentence.
    """

    budget: Exact
    minima: tuple[Item, ...]
    shortfall: Exact
    says: str


def _shown(value: Exact | None) -> str:
    return "-" if value is None else show_number(value)
