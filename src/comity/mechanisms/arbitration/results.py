"""Results: what does an arbitration say beside its winner?

Here: the forms an arbitration ends in: a grant, a split, a case for a person, nothing granted;
each with every claimant, its score, what it is promised, and the state to go on with.
Not here: how a rule decides (engine.py), how a result is put together (resolve.py).
Sources: SEMANTICS G1, G2, R2, R3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from comity.core.exact import Exact, show_number
from comity.core.results import Allocation, Grant, Grounds, NoSale, Waiting, result_form
from comity.core.show import table
from comity.mechanisms.arbitration.policy import CanStarve
from comity.mechanisms.arbitration.state import State

__all__ = [
    "ArbitrationGrant",
    "ArbitrationNoSale",
    "ArbitrationSplit",
    "ArbitrationWaiting",
    "Claimant",
    "Contest",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimant:
    """One claimant and how it fared.

    Attributes:
        agent: its name.
        priority: the priority it claimed with.
        waited: what its rule had counted before: losses in a row, hours, ...
        score: its exact score; None where the rule did not score it.
        won: whether it won.
        waits: what its rule counts now.
        bound: the most conflicts it can lose in a row; None without a promise.

    Example:
        >>> Claimant(agent="c", priority=1, waited=2, score=5, won=True, waits=0, bound=6).bound
        6
    """

    agent: str
    priority: Exact
    waited: Exact
    score: Exact | None
    won: bool
    waits: Exact
    bound: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """What was contested.

    Attributes:
        number: the conflict's number in its scope, from 1.
        resource: what was claimed.
        scope: where losses count.
        claimants: everybody who claimed, sorted by name.
        stages: for each winner, in the order drawn, the set it was drawn from.
        tolerance: how far below the maximum a score was still tied with it.
        holds: for whom the bounds hold: ``always``, ``standing`` (claims every time), ``never``.
        warnings: who can starve under the policy.
        state: what is remembered: pass it to the next decision.
    """

    number: int
    resource: str
    scope: str
    claimants: tuple[Claimant, ...]
    stages: tuple[tuple[str, ...], ...] = ()
    tolerance: Exact = 0
    holds: str = "always"
    warnings: tuple[CanStarve, ...] = ()
    state: State


class ArbitrationResult:
    """What results of arbitration answer alike.

    Example:
        >>> ArbitrationResult.__slots__
        ()
    """

    __slots__ = ()

    if TYPE_CHECKING:
        grounds: Grounds
        contest: Contest

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won, in the order drawn."""
        return ()

    @property
    def winner(self) -> str | None:
        """Who won; the first of several; None when nobody did."""
        return self.winners[0] if self.winners else None

    @property
    def state(self) -> State:
        """What is remembered: pass it to the next decision."""
        return self.contest.state

    @property
    def tied(self) -> tuple[str, ...]:
        """The set from which the last unit was drawn; one name when nothing was drawn."""
        return self.contest.stages[-1] if self.contest.stages else ()

    @property
    def scores(self) -> dict[str, Exact]:
        """Agent -> exact score."""
        listed = self.contest.claimants
        return {one.agent: one.score for one in listed if one.score is not None}

    @property
    def losses(self) -> dict[str, Exact]:
        """Agent -> what its rule counts now; under the default rule its losses in a row."""
        return {one.agent: one.waits for one in self.contest.claimants}

    @property
    def warnings(self) -> tuple[CanStarve, ...]:
        """Who can starve under the policy."""
        return self.contest.warnings

    @property
    def says(self) -> str:
        """The result in one sentence."""
        return f"{self._ending()}{''.join(f' Warning: {one}.' for one in self.warnings)}"

    def _ending(self) -> str:
        names = ", ".join(self.winners)
        verb = "wins" if len(self.winners) == 1 else "win"
        lots = [one for one in self.grounds.ties if one.rule == "lot"]
        how = f" by lot among {', '.join(lots[-1].tied)}" if lots else ""
        margin = self.grounds.margin
        lead = f" by {show_number(margin)}" if margin is not None and not lots else ""
        price = getattr(self, "price", None)
        paid = "" if price is None else f", at {show_number(price)}"
        rule = self.grounds.rule
        return f"{names} {verb} {self.contest.resource}{how or lead} under {rule}{paid}."

    def __str__(self) -> str:
        """Return the sentence and every claimant."""
        rows = [
            (
                one.agent,
                show_number(one.priority),
                show_number(one.waited),
                "-" if one.score is None else show_number(one.score),
                "won" if one.won else "",
                "-" if one.bound is None else one.bound,
            )
            for one in self.contest.claimants
        ]
        header = ("agent", "priority", "waited", "score", "", "most losses")
        return f"{self.says}\n{table(rows, header)}"


@result_form("arbitration")
@dataclass(frozen=True, slots=True, kw_only=True)
class ArbitrationGrant(ArbitrationResult, Grant):
    """Somebody won.

    Attributes:
        granted: everybody who won, in the order drawn; the holder is the first.
        price: what each winner pays, under ``second_price``.
        contest: what was contested.
    """

    granted: tuple[str, ...]
    price: Exact | None = None
    contest: Contest

    @property
    def winners(self) -> tuple[str, ...]:
        """Who won, in the order drawn."""
        return self.granted


@result_form("arbitration")
@dataclass(frozen=True, slots=True, kw_only=True)
class ArbitrationSplit(ArbitrationResult, Allocation):
    """Everybody got a share.

    Attributes:
        contest: what was contested.
    """

    contest: Contest

    @property
    def winners(self) -> tuple[str, ...]:
        """Everybody with a share."""
        return tuple(one.name for one in self.shares)

    def _ending(self) -> str:
        parts = ", ".join(f"{one.name} {show_number(one.value)}" for one in self.shares)
        return f"{self.contest.resource} is split: {parts}."


@result_form("arbitration")
@dataclass(frozen=True, slots=True, kw_only=True)
class ArbitrationWaiting(ArbitrationResult, Waiting):
    """A person has to decide.

    Attributes:
        contest: what is contested.
    """

    contest: Contest

    def _ending(self) -> str:
        names = ", ".join(one.agent for one in self.contest.claimants)
        return f"A person decides who of {names} gets {self.contest.resource}."


@result_form("arbitration")
@dataclass(frozen=True, slots=True, kw_only=True)
class ArbitrationNoSale(ArbitrationResult, NoSale):
    """No bid reached the reserve.

    Attributes:
        contest: what was contested.
    """

    contest: Contest

    def _ending(self) -> str:
        return f"Nobody gets {self.contest.resource}: no bid reaches the reserve."
