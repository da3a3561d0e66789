"""Repeated auctions: who wins over time, at what price, and does it look like a competition?

Here: second price round after round under budgets; the report over many results with the signals
of a ring; pacing of a budget.
Not here: one auction (sealed.py), claims that age (mechanisms/arbitration).
Sources: SEMANTICS A4; Balseiro and Gur 2019 (adaptive pacing). Signals ask for a look; none of
them proves anything.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from comity.core.errors import Fault, did_you_mean, raise_if, shown
from comity.core.exact import Exact, like, read_exact, show_number, to_fraction
from comity.core.parties import PartyId
from comity.core.results import Item
from comity.mechanisms.auctions.bids import Amount, BidsLike, read_bids, read_reserve
from comity.mechanisms.auctions.lots import Seed
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale
from comity.mechanisms.auctions.sealed import vickrey

__all__ = [
    "AuctionReport",
    "BudgetRound",
    "BudgetedAuctions",
    "Signal",
    "auction_report",
    "pace",
    "with_budgets",
]

_RARE = Fraction(1, 1000)
_NEAR = Fraction(1, 100)
_ROUNDS_AT_LEAST = 5
_MOSTLY = Fraction(4, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRound:
    """One round under budgets.

    Attributes:
        effective: what each bidder's bid came to under its remaining budget, sorted.
        result: the auction's result.

    Example:
        >>> with_budgets([{"a": 10}], {}, reserve=0).rounds[0].effective
        (Item(name='a', value=10),)
    """

    effective: tuple[Item, ...]
    result: AuctionAward | AuctionNoSale


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetedAuctions:
    """Rounds under budgets.

    Attributes:
        rounds: every round in order.
        remaining: what is left of each budget, sorted.

    Example:
        >>> with_budgets([{"a": 10, "b": 9}], {"a": "9.5"}, reserve=0).remaining[0].value
        Decimal('0.5')
    """

    rounds: tuple[BudgetRound, ...]
    remaining: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """Something that asks for a look.

    Attributes:
        name: ``rotation``, ``same_runner_up`` or ``close_loser``.
        bidders: whom it is about.
        says: what was seen, in words.

    Example:
        >>> Signal(name="rotation", bidders=("a", "b"), says="…").name
        'rotation'
    """

    name: str
    bidders: tuple[PartyId, ...]
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuctionReport:
    """What many auctions show together.

    Attributes:
        rounds: how many there were.
        sold: how many sold.
        wins: bidder -> how many it won, also those that won none.
        win_shares: bidder -> its share of the sales, exact.
        at_reserve: the share of sales at the reserve price.
        single_bidder: the share of sales with one bid that reached the reserve.
        revenue: the sum of all payments.
        signals: what asks for a look.

    Example:
        >>> auction_report([vickrey({"a": 42}, reserve=0)]).single_bidder
        Fraction(1, 1)
    """

    rounds: int
    sold: int
    wins: tuple[tuple[PartyId, int], ...]
    win_shares: tuple[tuple[PartyId, Fraction], ...]
    at_reserve: Fraction
    single_bidder: Fraction
    revenue: Exact
    signals: tuple[Signal, ...]


def with_budgets(
    rounds: Sequence[BidsLike],
    budgets: Mapping[PartyId, Amount],
    *,
    reserve: Amount,
    seed: Seed = None,
) -> BudgetedAuctions:
    """Run second price round after round; nobody bids more than it has left.

    A bidder with nothing left does not bid; one that no budget names has no limit. Bidding the
    true value is not best here: what is spent in one round is missing in the next.

    Args:
        rounds: the bids of each round.
        budgets: bidder -> its budget for all rounds.
        reserve: the reserve of every round.
        seed: what ties are drawn by; each round draws by its own label, listed draws are taken
            in order.

    Returns:
        Every round with the bids as they counted, and what is left.

    Raises:
        InvalidInput: with every fault of all rounds at once.

    Example:
        >>> found = with_budgets([{"a": 10, "b": 9}, {"a": 10, "b": 1}], {"a": "9.5"}, reserve=0)
        >>> [one.result.winner for one in found.rounds]
        ['a', 'b']
    """
    faults: list[Fault] = []
    read = [dict(read_bids(one, "", "raise", faults).offers) for one in rounds]
    floor = read_reserve(reserve, faults)
    left = {name: read_reserve(one, faults) for name, one in budgets.items()}
    raise_if(faults)
    draws = list(seed) if isinstance(seed, (list, tuple)) else None
    found = []
    for at, bids in enumerate(read):
        capped = {name: _capped(bid, left.get(name)) for name, bid in bids.items()}
        effective = {name: one for name, one in capped.items() if left.get(name) != 0}
        own_seed: Seed = f"{seed}/{at}" if isinstance(seed, str) else draws
        result = vickrey(effective, reserve=floor, seed=own_seed)
        if draws is not None and result.grounds.ties:
            draws.pop(0)
        for item in result.payments if isinstance(result, AuctionAward) else ():
            if item.name in left:
                rest = to_fraction(left[item.name]) - to_fraction(item.value)
                left[item.name] = like(rest, left[item.name], item.value)
        listed = tuple(Item(name, effective[name]) for name in sorted(effective))
        found.append(BudgetRound(effective=listed, result=result))
    remaining = tuple(Item(name, left[name]) for name in sorted(left))
    return BudgetedAuctions(rounds=tuple(found), remaining=remaining)


def _capped(bid: Exact, left: Exact | None) -> Exact:
    return bid if left is None or bid <= left else left


def pace(multiplier: Amount, *, target: Amount, spent: Amount, rate: Amount) -> Fraction:
    """Return the next multiplier of adaptive pacing.

    A bidder with a budget bids its value / (1 + multiplier). Spending above the target per round
    raises the multiplier, spending below lowers it, never below 0.

    Args:
        multiplier: the present one, 0 to begin with.
        target: what may be spent per round: the budget over the rounds.
        spent: what the last round cost.
        rate: how fast it learns, above 0.

    Returns:
        The next multiplier, exact.

    Raises:
        InvalidInput: for what is no number.

    Example:
        >>> pace(0, target=5, spent=9, rate="0.1")
        Fraction(2, 5)
    """
    given = {"multiplier": multiplier, "target": target, "spent": spent, "rate": rate}
    now, wanted, cost, step = (
        to_fraction(read_exact(one, "pacing", name)) for name, one in given.items()
    )
    return max(Fraction(0), now - step * (wanted - cost))


# --- the report --------------------------------------------------------------------------------


def auction_report(results: Sequence[AuctionAward | AuctionNoSale]) -> AuctionReport:
    """Report on many auctions of one item, in the order held.

    Args:
        results: awards and no-sales of `vickrey` or `first_price`.

    Returns:
        Shares, prices and signals.

    Raises:
        InvalidInput: for anything that is no result of a sale of one item.

    Example:
        >>> report = auction_report([vickrey({"a": 9, "b": 5}, reserve=1)] * 4)
        >>> report.wins, report.at_reserve
        ((('a', 4), ('b', 0)), Fraction(0, 1))
    """
    listed = list(results)
    known = ("second_price", "first_price")
    faults = []
    for at, one in enumerate(listed):
        is_result = isinstance(one, (AuctionAward, AuctionNoSale))
        if not is_result or one.grounds.rule not in known:
            what = one.grounds.rule if is_result else shown(one)
            near = did_you_mean(str(what), known)
            faults.append(Fault(f"result {at}", f"is {what}", " or ".join(known), near))
    raise_if(faults)
    sales = [one for one in listed if isinstance(one, AuctionAward)]
    wins = Counter(dict.fromkeys((name for one in listed for name in one.bids), 0))
    wins.update(one.winners[0][0] for one in sales)
    count = len(sales)
    prices = [one.payments[0].value for one in sales]
    at_reserve = sum(one.payments[0].value == one.reserve for one in sales)
    single = sum("no_competition" in one.flags for one in sales)
    total = sum(map(to_fraction, prices), Fraction(0))
    signals = (*_rotation(sales), *_same_runner_up(sales), *_close_losers(sales, wins))
    return AuctionReport(
        rounds=len(listed),
        sold=count,
        wins=tuple(sorted(wins.items())),
        win_shares=tuple((name, Fraction(won, count or 1)) for name, won in sorted(wins.items())),
        at_reserve=Fraction(at_reserve, count or 1),
        single_bidder=Fraction(single, count or 1),
        revenue=like(total, *(prices or [0])),
        signals=signals,
    )


def _rotation(sales: Sequence[AuctionAward]) -> list[Signal]:
    """Signal winners that take turns: the one whose last win lies furthest back wins next.

    Only sales are looked at in which at least two earlier winners bid. If each of them were as
    likely to win, so many hits would be rarer than one in a thousand.
    """
    last: dict[PartyId, int] = {}
    hits, chances = 0, []
    for at, sale in enumerate(sales):
        winner = sale.winners[0][0]
        waiting = [name for name in sale.bids if name in last]
        if len(waiting) > 1 and winner in last:
            hits += winner == min(waiting, key=lambda name: last[name])
            chances.append(Fraction(1, len(waiting)))
        last[winner] = at
    if not chances or _tail(hits, len(chances), max(chances)) >= _RARE:
        return []
    says = f"in {hits} of {len(chances)} sales the one won whose last win lay furthest back"
    return [Signal(name="rotation", bidders=tuple(sorted(last)), says=says)]


def _tail(hits: int, count: int, chance: Fraction) -> Fraction:
    """Return how likely so many hits or more are."""
    miss = 1 - chance
    return sum(
        (comb(count, one) * chance**one * miss ** (count - one) for one in range(hits, count + 1)),
        Fraction(0),
    )


def _seconds(sale: AuctionAward) -> list[PartyId]:
    """Return who bid the most of those that lost and reached the reserve."""
    reserve, winner = sale.reserve or 0, sale.winners[0][0]
    lost = {name: bid for name, bid in sale.bids.items() if name != winner and bid >= reserve}
    top = max(lost.values(), default=None)
    return [name for name, bid in lost.items() if bid == top]


def _same_runner_up(sales: Sequence[AuctionAward]) -> list[Signal]:
    """Signal a bidder that comes second nearly always and never wins."""
    contested = [seconds for one in sales if (seconds := _seconds(one))]
    winners = {one.winners[0][0] for one in sales}
    counted = Counter(name for seconds in contested for name in seconds)
    found = []
    for name, times in sorted(counted.items()):
        is_often = times >= _ROUNDS_AT_LEAST and times >= _MOSTLY * len(contested)
        if is_often and name not in winners:
            says = (
                f"{name} came second in {times} of {len(contested)} contested sales and won none"
            )
            found.append(Signal(name="same_runner_up", bidders=(name,), says=says))
    return found


def _close_losers(sales: Sequence[AuctionAward], wins: Mapping[PartyId, int]) -> list[Signal]:
    """Signal a bidder that keeps losing within one per cent of the winner and never wins."""
    near: Counter[PartyId] = Counter()
    for sale in sales:
        top = to_fraction(sale.welfare)
        near.update(
            name for name in _seconds(sale) if top - to_fraction(sale.bids[name]) <= _NEAR * top
        )
    return [
        Signal(
            name="close_loser",
            bidders=(name,),
            says=f"{name} lost by at most {show_number(100 * _NEAR)} % in {times} sales, won none",
        )
        for name, times in sorted(near.items())
        if times >= _ROUNDS_AT_LEAST and not wins[name]
    ]
