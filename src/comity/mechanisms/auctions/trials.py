"""Trials: what may a bidder report, what do the others, and what does it get?

Here: for every rule that can be audited, the possible reports and one play of the real rule; the
flawed rules that the audit is shown at.
Not here: the audit (audit.py), the rules.
Sources: SEMANTICS A3; research on auctions, §4 (regret of the flawed rules).

The audited bidder is "a"; its rivals come after it in the alphabet, so that listed draws of 0 and
just under 1 put the luck of a tie on either side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

from comity.core.exact import Exact, show_number, to_fraction
from comity.mechanisms.auctions.combinatorial import combinatorial_vcg
from comity.mechanisms.auctions.double import double_vcg, mcafee
from comity.mechanisms.auctions.multiunit import multi_unit_vcg, uniform_price
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale
from comity.mechanisms.auctions.sealed import first_price, vickrey

__all__ = ["TRIALS", "Outcome", "Setting", "Trial", "Tried"]

_DRAWS = (Fraction(0), Fraction(1, 2), 1 - Fraction(1, 2**64))

Result = AuctionAward | AuctionNoSale


class Outcome(NamedTuple):
    """What the audited bidder gets.

    Attributes:
        won: the item or not, a number of units, or items.
        paid: what it pays; negative when it is paid.
    """

    won: Any
    paid: Fraction


@dataclass(frozen=True, slots=True)
class Trial:
    """The size of an audit.

    Attributes:
        grid: amounts, sorted.
        bidders: how many bid.
        reserve: the reserve.
        units: how many units or items.

    Example:
        >>> Trial((0, 1), 2, 0, 1).bidders
        2
    """

    grid: tuple[Exact, ...]
    bidders: int
    reserve: Exact
    units: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is tried from the seat of one bidder.

    Attributes:
        reports: what it may report; a true value is one of them.
        rivals: what each rival may report.
        play: own report and rivals' reports -> outcomes, one without ties, else one per luck.
        gain: true value and outcome -> what that is worth to it.
        text: a report in words.
        role: who it is.
    """

    reports: Sequence[Any]
    rivals: tuple[Sequence[Any], ...]
    play: Callable[[Any, tuple[Any, ...]], tuple[Outcome, ...]]
    gain: Callable[[Any, Outcome], Fraction]
    text: Callable[[Any], str]
    role: str = "bidder"


class Tried(NamedTuple):
    """How a rule is audited.

    Attributes:
        settings: the size -> what is tried.
        units: how many units or items by default.
    """

    settings: Callable[[Trial], list[Setting]]
    units: int


def _lucky(
    run: Callable[[list[Fraction]], Result], read: Callable[[Result], Outcome], most: int = 1
) -> tuple[Outcome, ...]:
    """Run a rule with luck on either side, once where no tie arises; ``most`` draws are listed."""
    first = run([_DRAWS[0]] * most)
    if not first.grounds.ties:
        return (read(first),)
    return (read(first), *(read(run([one] * most)) for one in _DRAWS[1:]))


def _names(count: int) -> list[str]:
    return [f"b{at:04}" for at in range(count)]


def _named(own: Any, others: tuple[Any, ...]) -> dict[str, Any]:  # noqa: ANN401  # reports
    return {"a": own, **dict(zip(_names(len(others)), others, strict=True))}


def _paid(result: Result) -> Fraction:
    return to_fraction(result.pays("a")) if isinstance(result, AuctionAward) else Fraction(0)


# --- one item ----------------------------------------------------------------------------------


def _one_item(rule: Callable[..., Result]) -> Callable[[Trial], list[Setting]]:
    def settings(trial: Trial) -> list[Setting]:
        def play(own: Exact, others: tuple[Exact, ...]) -> tuple[Outcome, ...]:
            bids = _named(own, others)
            return _lucky(
                lambda seed: rule(bids, reserve=trial.reserve, seed=seed),
                lambda result: Outcome(result.winner == "a", _paid(result)),
            )

        return [_item_setting(trial, play)]

    return settings


def _item_setting(
    trial: Trial, play: Callable[[Any, tuple[Any, ...]], tuple[Outcome, ...]]
) -> Setting:
    return Setting(
        reports=trial.grid,
        rivals=(trial.grid,) * (trial.bidders - 1),
        play=play,
        gain=lambda value, got: (to_fraction(value) - got.paid) if got.won else Fraction(0),
        text=show_number,
    )


def _flawed_item(
    price: Callable[[Exact, Sequence[Exact], Exact], Exact],
) -> Callable[[Trial], list[Setting]]:
    """Return a trial of a rule that gives the item to the highest bid at some price."""

    def settings(trial: Trial) -> list[Setting]:
        def play(own: Exact, others: tuple[Exact, ...]) -> tuple[Outcome, ...]:
            top = max([own, *others])
            if own < top or own < trial.reserve:
                return (Outcome(won=False, paid=Fraction(0)),)
            won = Outcome(won=True, paid=to_fraction(price(own, others, trial.reserve)))
            lost = Outcome(won=False, paid=Fraction(0))
            return (won, lost) if own in others else (won,)

        return [_item_setting(trial, play)]

    return settings


def _distinct(own: Exact, others: Sequence[Exact], reserve: Exact) -> Exact:
    """Price by the next lower bid: equal bids are taken for one."""
    return max([reserve, *(one for one in others if one < own)])


def _unclamped(own: Exact, others: Sequence[Exact], _: Exact) -> Exact:
    """Price by the second bid, below the reserve or not; a sole bidder pays its own bid."""
    return max(others, default=own)


# --- several units -----------------------------------------------------------------------------


def _several(
    rule: Callable[..., Result], *, is_own_bid: bool = False
) -> Callable[[Trial], list[Setting]]:
    def settings(trial: Trial) -> list[Setting]:
        falling = [
            tuple(reversed(one)) for one in combinations_with_replacement(trial.grid, trial.units)
        ]

        def play(own: tuple[Exact, ...], others: tuple[Any, ...]) -> tuple[Outcome, ...]:
            bids = _named(own, others)

            def read(result: Result) -> Outcome:
                award = isinstance(result, AuctionAward)
                won = dict(result.quantities).get("a", 0) if award else 0  # type: ignore[union-attr]  # as award says
                bid = sum(map(to_fraction, own[:won]))
                return Outcome(won, Fraction(bid) if is_own_bid else _paid(result))

            return _lucky(
                lambda seed: rule(bids, units=trial.units, reserve=trial.reserve, seed=seed), read
            )

        return [
            Setting(
                reports=falling,
                rivals=(falling,) * (trial.bidders - 1),
                play=play,
                gain=lambda value, got: sum(map(to_fraction, value[: got.won])) - got.paid,
                text=lambda one: "/".join(map(show_number, one)),
            )
        ]

    return settings


# --- bundles -----------------------------------------------------------------------------------


def _bundles(trial: Trial) -> list[Setting]:
    items = [f"i{at}" for at in range(trial.units)]
    bundles = [one for size in range(trial.units) for one in combinations(items, size + 1)]
    reports = [(bundle, amount) for bundle in bundles for amount in trial.grid]

    def play(own: Any, others: tuple[Any, ...]) -> tuple[Outcome, ...]:  # noqa: ANN401  # a report
        handed = _named(own, others)
        bids = [(name, list(bundle), amount) for name, (bundle, amount) in handed.items()]

        def read(result: Result) -> Outcome:
            won = dict(result.winners) if isinstance(result, AuctionAward) else {}
            return Outcome(frozenset(won.get("a", "").split(", ")), _paid(result))

        return _lucky(
            lambda seed: combinatorial_vcg(
                bids, items=items, reserves=dict.fromkeys(items, trial.reserve), seed=seed
            ),
            read,
        )

    def gain(value: Any, got: Outcome) -> Fraction:  # noqa: ANN401  # a report
        bundle, amount = value
        return (to_fraction(amount) if set(bundle) <= got.won else Fraction(0)) - got.paid

    return [
        Setting(
            reports=reports,
            rivals=(reports,) * (trial.bidders - 1),
            play=play,
            gain=gain,
            text=lambda one: f"{show_number(one[1])} for {'+'.join(one[0])}",
        )
    ]


# --- double auctions ---------------------------------------------------------------------------


def _double(rule: Callable[..., Result]) -> Callable[[Trial], list[Setting]]:
    def settings(trial: Trial) -> list[Setting]:
        return [_one_side(rule, trial, is_buyer=True), _one_side(rule, trial, is_buyer=False)]

    return settings


def _one_side(rule: Callable[..., Result], trial: Trial, *, is_buyer: bool) -> Setting:
    sign = 1 if is_buyer else -1

    def play(own: Exact, others: tuple[Exact, ...]) -> tuple[Outcome, ...]:
        beside = _named(own, others[: trial.bidders - 1])
        facing = {f"c{at:04}": one for at, one in enumerate(others[trial.bidders - 1 :])}
        buyers, sellers = (beside, facing) if is_buyer else (facing, beside)

        def read(result: Result) -> Outcome:
            if not isinstance(result, AuctionAward) or "a" not in dict(result.winners):
                return Outcome(won=False, paid=Fraction(0))
            gets = {item.name: to_fraction(item.value) for item in result.receipts}
            return Outcome(won=True, paid=_paid(result) - gets.get("a", 0))

        return _lucky(lambda seed: rule(buyers, sellers, seed=seed), read, 2 * trial.bidders)

    return Setting(
        reports=trial.grid,
        rivals=(trial.grid,) * (2 * trial.bidders - 1),
        play=play,
        gain=lambda value, got: (sign * to_fraction(value) if got.won else 0) - got.paid,
        text=show_number,
        role="buyer" if is_buyer else "seller",
    )


TRIALS: dict[str, Tried] = {
    "second_price": Tried(_one_item(vickrey), 1),
    "first_price": Tried(_one_item(first_price), 1),
    "uniform_price": Tried(_several(uniform_price), 2),
    "multi_unit_vcg": Tried(_several(multi_unit_vcg), 2),
    "combinatorial_vcg": Tried(_bundles, 2),
    "mcafee": Tried(_double(mcafee), 1),
    "double_vcg": Tried(_double(double_vcg), 1),
    "pay_as_bid": Tried(_several(multi_unit_vcg, is_own_bid=True), 2),
    "second_distinct_price": Tried(_flawed_item(_distinct), 1),
    "second_price_unclamped": Tried(_flawed_item(_unclamped), 1),
}
"""Rule -> how it is audited; the last three are flawed and audited to show it."""
