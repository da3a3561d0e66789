"""Bidding rules: everything a live auction is fixed by before anybody is asked.

Here: what is sold, to whom, how, the reserve, the prices of a clock, deadlines.
Not here: building and checking them (opening.py), what happens (machine.py).
Sources: SEMANTICS A1, A2, G6, G7, G9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from comity.core.canonical import Json, JsonObject, digest, plain
from comity.core.errors import Fault, shown
from comity.core.exact import Exact
from comity.core.parties import PartyId
from comity.mechanisms.auctions import ClockRules
from comity.protocols.collect.rules import Changes

__all__ = ["MOST_LEVELS", "BiddingLimits", "BiddingRules", "Mode"]

Mode = Literal["sealed", "english", "dutch"]

MOST_LEVELS = 1_000
"""The most prices that a clock may have: every one is a question to everybody."""

_BY_UNIT = ("uniform_price", "multi_unit_vcg")


@dataclass(frozen=True, slots=True, kw_only=True)
class BiddingLimits:
    """Every limit of a live auction.

    Attributes:
        deadline_ms: how long sealed bids, or commitments, are taken, for all alike.
        reveal_ms: how long committed bids may be revealed, for all alike.
        level_ms: how long a price of a clock stands, for all alike.
        reasks: how often an answer that does not count is asked for again.

    Example:
        >>> BiddingLimits().reasks
        1
    """

    deadline_ms: int = 600_000
    reveal_ms: int = 600_000
    level_ms: int = 60_000
    reasks: int = 1

    def faults(self) -> list[Fault]:
        """Return what is wrong with the limits."""
        least = {"deadline_ms": 1, "reveal_ms": 1, "level_ms": 1, "reasks": 0}
        found = []
        for name, lowest in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < lowest:
                allowed = f"a whole number of {lowest} or more"
                found.append(Fault("limits", f"{name} is {shown(value)}", allowed,
                                   f"correct {name}"))  # fmt: skip
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class BiddingRules:
    """What a live auction is fixed by.

    Attributes:
        item: what is sold, in words.
        bidders: who may bid, sorted.
        seed: the seed of every lot.
        reserve: the least price; 0 says that there is none.
        mode: ``sealed`` bids, a rising ``english`` or a falling ``dutch`` clock.
        rule: what sells: ``second_price``, ``first_price``, ``uniform_price`` or
            ``multi_unit_vcg`` for sealed bids, else the name of the clock.
        commit: whether sealed bids are first handed in as hashes, then revealed.
        unit: the unit of every amount, or "".
        units: how many equal units are sold.
        min_bidders: with fewer bids that reach the reserve there is no sale.
        start: the first price of a clock; None for sealed bids.
        end: its last price.
        step: how far it moves.
        changes: what a second, different sealed bid before the close is: it replaces (``last``),
            is kept beside the first that stands (``first``), or is refused (``reject``).
        limits: every limit.
        work: what the bidders are to read, or "".

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> bidding_rules("a slot", ["bob", "ann"], seed="1", reserve=0).rule
        'second_price'
    """

    item: str
    bidders: tuple[PartyId, ...]
    seed: str
    reserve: Exact
    mode: Mode = "sealed"
    rule: str = "second_price"
    commit: bool = False
    unit: str = ""
    units: int = 1
    min_bidders: int = 1
    start: Exact | None = None
    end: Exact | None = None
    step: Exact | None = None
    changes: Changes = "last"
    limits: BiddingLimits = BiddingLimits()
    work: str = ""

    @property
    def takes_several(self) -> bool:
        """Whether a bidder may bid for a second unit; a commitment holds one number."""
        return self.rule in _BY_UNIT and not self.commit

    @property
    def sells_units(self) -> bool:
        """Whether equal units are sold."""
        return self.rule in _BY_UNIT

    @property
    def clock(self) -> ClockRules | None:
        """The rules of the clock; None for sealed bids."""
        if self.mode == "sealed" or self.start is None or self.step is None:
            return None
        return ClockRules(
            kind=self.mode,
            bidders=self.bidders,
            reserve=self.reserve,
            step=self.step,
            start=self.start,
            unit=self.unit,
            seed=self.seed,
        )

    def to_json(self) -> JsonObject:
        """Return the rules as `rules_from_json` (opening.py) takes them."""
        limits = self.limits
        data: dict[str, Json] = {
            "order": list(self.bidders),
            "limits": {
                "deadline_ms": limits.deadline_ms,
                "reveal_ms": limits.reveal_ms,
                "level_ms": limits.level_ms,
                "reasks": limits.reasks,
            },
        }
        for name in ("item", "seed", "reserve", "mode", "rule", "commit", "unit", "units",
                     "min_bidders", "start", "end", "step", "changes", "work"):  # fmt: skip
            data[name] = plain(getattr(self, name))
        return data

    @property
    def digest(self) -> str:
        """The digest of the rules as recorded; the name of the auction in commitments."""
        return digest(self.to_json())
