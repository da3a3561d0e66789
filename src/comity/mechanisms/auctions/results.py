"""Auction results: what does a sale say beside its winner?

Here: the award and the no-sale of every auction: what set each price, what each loser would have
had to bid, what each winner's presence cost the others, what was refused, when truth is best.
Not here: how a rule finds them, kinds and grounds that all mechanisms share (core/results.py).
Sources: SEMANTICS A4, G1, G2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from comity.core.exact import Exact, show_number
from comity.core.parties import PartyId
from comity.core.results import Award, Grounds, Item, NoSale, result_form
from comity.core.show import as_text, table
from comity.mechanisms.auctions.bids import RefusedBid

__all__ = [
    "AuctionAward",
    "AuctionNoSale",
    "AuctionResult",
    "Externality",
    "Flag",
    "MinimumBid",
    "PriceSetter",
    "Proof",
    "SetBy",
    "money",
]

Flag = Literal[
    "no_competition",
    "bids_are_shaded",
    "demand_is_reduced",
    "deficit",
    "trade_reduced",
    "low_core",
]
SetBy = Literal["reserve", "bid", "own_bid", "externality", "clock", "midpoint"]

_BIDS_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceSetter:
    """What set a winner's price.

    Attributes:
        winner: who pays.
        price: what it pays.
        set_by: the reserve, another's bid, the winner's own bid, or the sum that its presence
            costs others.
        whose: whose bid, where it is another's; several when their bids are equal.

    Example:
        >>> PriceSetter(winner="c", price=42, set_by="bid", whose=("a",)).whose
        ('a',)
    """

    winner: PartyId
    price: Exact
    set_by: SetBy
    whose: tuple[PartyId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumBid:
    """What a loser would have had to bid, all other bids as they are.

    Attributes:
        bidder: the loser.
        amount: above this it wins; who sells, below this.
        at_amount: what happens at exactly this amount: it ``wins``, a ``lot`` decides, or it
            ``loses``.
        bundle: the items, where bids are on bundles.

    Example:
        >>> MinimumBid(bidder="a", amount=51, at_amount="lot").bundle
        ()
    """

    bidder: PartyId
    amount: Exact
    at_amount: Literal["wins", "lot", "loses"]
    bundle: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Externality:
    """What a winner's presence costs the others, the seller at its reserve among them.

    Attributes:
        winner: the winner.
        others_without: what the others would have won in value without it.
        others_with: what they win beside it.
        cost: the difference; what VCG charges.

    Example:
        >>> Externality(winner="c", others_without=42, others_with=0, cost=42).cost
        42
    """

    winner: PartyId
    others_without: Exact
    others_with: Exact
    cost: Exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Why no better allocation exists.

    Attributes:
        method: ``dynamic_programme``, ``branch_and_bound`` or ``cp_sat``.
        bound: no allocation is worth more than this; equal to the welfare found.
        nodes: how many states were looked at; None where a solver outside counts its own way.
        optima: how many allocations are worth as much.
        listed: whether they are all listed in the tie.

    Example:
        >>> Proof(method="cp_sat", bound=20, nodes=None, optima=1).listed
        True
    """

    method: Literal["dynamic_programme", "branch_and_bound", "cp_sat"]
    bound: Exact
    nodes: int | None
    optima: int
    listed: bool = True


class AuctionResult:
    """What results of auctions answer alike.

    Example:
        >>> AuctionResult.__slots__
        ()
    """

    __slots__ = ()

    if TYPE_CHECKING:
        grounds: Grounds
        refused: tuple[RefusedBid, ...]
        minimum_bids: tuple[MinimumBid, ...]

    @property
    def thin(self) -> tuple[str, ...]:
        """Why a person may want to look twice."""
        return self.grounds.thin

    @property
    def bids(self) -> dict[PartyId, Exact]:
        """Bidder -> its bid, of those that could be ranked and bid one number."""
        return {item.name: item.value for item in self.grounds.scores}

    def minimum_bid(self, bidder: PartyId) -> MinimumBid | None:
        """Return what a loser would have had to bid; of several bundles the cheapest.

        Args:
            bidder: the loser.

        Returns:
            The minimum, or None for a winner, a stranger, and where it was not computed.
        """
        own = [one for one in self.minimum_bids if one.bidder == bidder]
        return min(own, key=lambda one: (one.amount, one.bundle), default=None)


@result_form("auction")
@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionAward(AuctionResult, Award):
    """Something was sold.

    Attributes:
        winners: who won what, sorted (of every award).
        payments: what each winner pays, sorted (of every award).
        unit: the unit of every amount, ``""`` when none was named.
        reserve: the reserve price per item or unit; None where there is none.
        price_set_by: what set each price.
        minimum_bids: what each loser would have had to bid.
        externalities: what each winner's presence costs the others.
        welfare: the sum of the winning bids; of a double auction the gains from trade.
        revenue: the sum of the payments.
        surpluses: what each winner's bid exceeds its payment by (its gain, if the bid is its
            true value).
        receipts: what each seller gets, in a double auction.
        balance: what stays with whoever runs a double auction; negative is a deficit.
        quantities: how many units each winner gets, where units are sold.
        refused: bids that did not take part, with reasons.
        flags: what is odd about the sale.
        assumptions: under which bidding the true value is best, or what to expect instead.
        proof: why no better allocation exists, where bids are on bundles.
        notes: what else a reader should know.
        says: the result in one sentence.

    Example:
        >>> from comity.mechanisms.auctions import vickrey
        >>> vickrey({"a": 42, "b": 37, "c": 51, "d": 29}, reserve=0).says
        'c wins at 42 (bid 51); the price was set by the bid of a.'
    """

    unit: str = ""
    reserve: Exact | None = None
    price_set_by: tuple[PriceSetter, ...] = ()
    minimum_bids: tuple[MinimumBid, ...] = ()
    externalities: tuple[Externality, ...] = ()
    welfare: Exact
    revenue: Exact
    surpluses: tuple[Item, ...] = ()
    receipts: tuple[Item, ...] = ()
    balance: Exact | None = None
    quantities: tuple[tuple[PartyId, int], ...] = ()
    refused: tuple[RefusedBid, ...] = ()
    flags: tuple[Flag, ...] = ()
    assumptions: tuple[str, ...] = ()
    proof: Proof | None = None
    notes: tuple[str, ...] = ()
    says: str

    @property
    def winner(self) -> PartyId | None:
        """The winner, where there is one."""
        return self.winners[0][0] if len(self.winners) == 1 else None

    @property
    def price(self) -> Exact | None:
        """What the winner pays; of several winners the price they all pay, else None."""
        prices = [item.value for item in self.payments]
        return prices[0] if all(one == prices[0] for one in prices) else None

    @property
    def surplus(self) -> Exact | None:
        """What the one winner's bid exceeds its payment by."""
        return self.surpluses[0].value if len(self.surpluses) == 1 else None

    def pays(self, bidder: PartyId) -> Exact:
        """Return what a bidder pays, 0 for one that won nothing.

        Args:
            bidder: anybody.
        """
        return next((item.value for item in self.payments if item.name == bidder), 0)

    def __str__(self) -> str:
        """Return the sentence, the bids and the fields."""
        return _printed(self.says, self.bids, dict(self.to_json()))


@result_form("auction")
@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionNoSale(AuctionResult, NoSale):
    """Nothing was sold.

    Attributes:
        highest_bid: the highest bid that could be ranked (of every no-sale).
        unit: the unit of every amount.
        reserve: the reserve price.
        short: how far the highest bid stays below the reserve, where it does.
        minimum_bids: what each bidder would have had to bid.
        refused: bids that did not take part, with reasons.
        flags: what is odd about the sale.
        assumptions: under which bidding the true value is best.
        notes: what else a reader should know.
        says: the result in one sentence.

    Example:
        >>> from comity.mechanisms.auctions import vickrey
        >>> vickrey({"a": 3, "b": 4}, reserve=5).says
        'No sale: the highest bid 4 is below the reserve 5.'
    """

    unit: str = ""
    reserve: Exact | None = None
    short: Exact | None = None
    minimum_bids: tuple[MinimumBid, ...] = ()
    refused: tuple[RefusedBid, ...] = ()
    flags: tuple[Flag, ...] = ()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    says: str

    @property
    def winner(self) -> None:
        """Nobody."""

    @property
    def price(self) -> None:
        """No price."""

    def __str__(self) -> str:
        """Return the sentence, the bids and the fields."""
        return _printed(self.says, self.bids, dict(self.to_json()))


def money(amount: Exact, unit: str = "") -> str:
    """Return an amount with its unit as a person reads it.

    Args:
        amount: an exact number.
        unit: its unit.

    Example:
        >>> money(42, "GBP"), money(42)
        ('42 GBP', '42')
    """
    return f"{show_number(amount)} {unit}".strip()


def _printed(says: str, bids: dict[PartyId, Exact], data: dict[str, object]) -> str:
    """Return the sentence, the highest bids as a table, and the fields that are short enough."""
    ordered = sorted(bids.items(), key=lambda pair: (-pair[1], pair[0]))
    rows = [(name, show_number(amount)) for name, amount in ordered[:_BIDS_SHOWN]]
    if len(ordered) > _BIDS_SHOWN:
        rows.append((f"... {len(ordered) - _BIDS_SHOWN} more", ""))
    kept = ("kind", "winners", "payments", "refused", "flags", "assumptions", "notes", "unblock")
    short = {name: data[name] for name in kept if data.get(name)}
    text = as_text({**short, "says": says})  # type: ignore[dict-item]  # plain JSON of the result
    return f"{text}\n\n{table(rows, ('bidder', 'bid'))}" if rows else text
