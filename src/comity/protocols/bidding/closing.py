"""Closing: what does an auction come to with what was handed in?

Here: from the state to the result of the rule that sells, with what everybody handed in and what
came before it, who was silent, who declined, what was refused and why, and every phase.
Not here: the rules that sell (mechanisms/auctions), when a phase closes (machine.py).
Sources: SEMANTICS A4, G1, G2, G8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from comity.core.canonical import Json, JsonObject, digest, frozen, plain
from comity.core.parties import PartyId
from comity.core.results import Grounds, Submission
from comity.mechanisms.auctions import (
    AUCTIONS,
    AuctionAward,
    AuctionNoSale,
    Bids,
    RefusedBid,
    opened,
)
from comity.mechanisms.auctions.bids import Reason
from comity.mechanisms.auctions.inputs import by_bidder
from comity.protocols.bidding.state import BiddingState, Handed

__all__ = ["NOT_REVEALED", "Ended", "cancelled", "clock_result", "phase_record", "sealed_result"]

Ended = AuctionAward | AuctionNoSale

NOT_REVEALED = "a committed bid was not revealed"
"""Why such a sale is thin: who sees that it would pay too much can let its bid lapse."""

_REASONS: tuple[Reason, ...] = get_args(Reason)


def phase_record(state: BiddingState, ended_by: str) -> JsonObject:
    """Return what is remembered of a phase, or of a price, when it closes.

    Args:
        state: the state when it closes.
        ended_by: what closed it.

    Returns:
        The phase and what closed it; the price and who said yes; who was silent, who could not
        answer and why, whose answer could not be read.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> from comity.protocols.bidding.state import new_state
        >>> state = new_state(bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0))
        >>> phase_record(state, "deadline")["silent"]
        ('ann', 'bob')
    """
    told: dict[str, Json] = {"phase": state.phase, "ended_by": ended_by}
    if state.clock is not None:
        told["price"] = plain(state.clock.price)
        told["yes"] = [name for name, is_yes in state.answers if is_yes]
    if state.missing:
        told["silent"] = state.missing
    if state.failed:
        told["failed"] = dict(state.failed)
    if state.unread:
        told["unread"] = state.unread
    record = frozen(told)
    assert isinstance(record, Mapping)
    return record


def sealed_result(state: BiddingState, ended_by: str) -> Ended:
    """Return what the sealed bids come to.

    Args:
        state: the state when the last phase has closed.
        ended_by: what closed it.

    Returns:
        What the rule says to the bids that count, with everything else that was handed in.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> from comity.protocols.bidding.state import new_state
        >>> state = new_state(bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0))
        >>> sealed_result(state, "deadline").reason
        'no_bids'
    """
    rules = state.rules
    bids: Mapping[PartyId, Any]
    refused = _refused(state)
    if rules.commit:
        found = _opened(state)
        bids = dict(found.offers)
        refused += found.refused
    else:
        counted = state.counted("bidding")
        bids = {
            name: one.amounts if rules.takes_several else one.amounts[0]
            for name, one in counted.items()
        }
    told: dict[str, Any] = {"reserve": rules.reserve, "unit": rules.unit, "seed": rules.seed}
    told["units" if rules.sells_units else "min_bidders"] = (
        rules.units if rules.sells_units else rules.min_bidders
    )
    sale = AUCTIONS[rules.rule](bids, **told)
    sale = replace(sale, refused=by_bidder((*sale.refused, *refused)))
    return _explained(state, sale, ended_by, refused)


def clock_result(state: BiddingState, sale: Ended) -> Ended:
    """Return the result of a clock with who said what at every price.

    Args:
        state: the state when the clock has stopped, its last price among the phases.
        sale: what the rule of the clock says.

    Example:
        >>> from comity.mechanisms.auctions import clock_step
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> from comity.protocols.bidding.state import new_state
        >>> rules = bidding_rules("x", ["ann"], seed="1", reserve=5, mode="english", end=9, step=1)
        >>> state = new_state(rules)
        >>> clock_result(state, clock_step(state.clock, {"ann": True}).outcome).price
        5
    """
    return _explained(state, sale, sale.grounds.ended_by, ())


def cancelled(state: BiddingState) -> AuctionNoSale:
    """Return that an auction was cancelled; sealed bids stay closed.

    Args:
        state: the state when it was.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> from comity.protocols.bidding.state import new_state
        >>> state = new_state(bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0))
        >>> cancelled(state).reason
        'cancelled'
    """
    rules = state.rules
    handed: Json = sorted({one.bidder for one in state.handed})
    return AuctionNoSale(
        reason="cancelled",
        unblock=("hold the auction again",),
        unit=rules.unit,
        reserve=rules.reserve,
        says="No sale: the auction was cancelled.",
        grounds=Grounds(
            rule=rules.rule,
            ended_by="cancelled",
            inputs_digest=digest({"rules": rules.digest, "phases": state.phases}),
            parameters=(*_parameters(state), ("handed_in", handed)),
        ),
    )


# --- what was handed in ----------------------------------------------------------------------


def _opened(state: BiddingState) -> Bids:
    """Return the committed bids that were revealed, and the refusals of the others."""
    commitments = {name: one.committed for name, one in state.counted("committing").items()}
    shown = [
        one
        for one in state.handed
        if one.phase == "revealing" and one.status in {"counted", "refused"} and one.amounts
    ]
    revealed = {one.bidder: (one.amounts[0], one.nonce) for one in shown}
    return opened(commitments, revealed, auction=state.auction, unit=state.rules.unit)


def _refused(state: BiddingState) -> tuple[RefusedBid, ...]:
    """Return the bids, or commitments, that were refused when they were handed in."""
    return tuple(
        RefusedBid(one.bidder, one.said, _reason(one), one.hint)
        for one in state.handed
        if one.status == "refused" and one.phase != "revealing"
    )


def _reason(one: Handed) -> Reason:
    if one.phase == "committing":
        return "not_committed"
    return next((name for name in _REASONS if name == one.reason), "not_a_number")


def _parameters(state: BiddingState) -> tuple[tuple[str, Json], ...]:
    rules = state.rules
    parameters: list[tuple[str, Json]] = [("mode", rules.mode), ("phases", state.phases)]
    if rules.commit:
        commitments = {name: one.committed for name, one in state.counted("committing").items()}
        parameters += [("auction", state.auction), ("commitments", commitments)]
    return tuple(parameters)


def _explained(
    state: BiddingState, sale: Ended, ended_by: str, refused: tuple[RefusedBid, ...]
) -> Ended:
    silent = _silent(state)
    declined = {one.bidder for one in state.handed if one.declines and one.status == "counted"}
    lapsed = any(one.reason in {"not_revealed", "not_matching"} for one in refused)
    what: dict[PartyId, Json] = {one.party: one.what for one in sale.grounds.submissions}
    what |= dict.fromkeys(declined, "PASS")
    what |= {one.bidder: one.bid for one in refused}
    handed = {
        name: told
        for name in state.rules.bidders
        if (told := _handed_in(state, name)) not in ({}, {"bid": what.get(name)})
    }
    grounds = replace(
        sale.grounds,
        ended_by=ended_by,
        parameters=(
            *sale.grounds.parameters,
            *_parameters(state),
            *((("handed_in", handed),) if handed else ()),
        ),
        submissions=tuple(
            Submission(name, None if name in silent else what[name])
            for name in state.rules.bidders
        ),
        abstained=tuple(sorted(declined - {one.bidder for one in refused})),
        absent=silent,
        invalid=tuple(sorted({one.bidder for one in refused})),
        thin=(*sale.grounds.thin, *((NOT_REVEALED,) if lapsed else ())),
    )
    return replace(sale, grounds=grounds)


def _silent(state: BiddingState) -> tuple[PartyId, ...]:
    """Return who never answered anything; who is silent at its first price of a rise is out."""
    if state.clock is None:
        heard = {one.bidder for one in state.handed}
        return tuple(name for name in state.rules.bidders if name not in heard)
    asked = state.phases[:1] if state.rules.mode == "english" else state.phases
    silent = [_names(one.get("silent")) for one in asked]
    return tuple(
        name for name in state.rules.bidders if all(name in at_price for at_price in silent)
    )


def _names(given: Json) -> tuple[str, ...]:
    return tuple(map(str, given)) if isinstance(given, tuple) else ()


def _handed_in(state: BiddingState, bidder: PartyId) -> dict[str, Json]:
    """Return what a bidder handed in that stands, and what came before."""
    own = [one for one in state.handed if one.bidder == bidder]
    several = state.rules.takes_several
    told: dict[str, Json] = {}
    for one in own:
        if one.status in {"counted", "refused"}:
            told.update(_told(one, several=several))
    history: list[Json] = [
        {**_told(one, several=several), "status": one.status}
        for one in own
        if one.status in {"replaced", "ignored"}
    ]
    return {**told, "history": history} if history else told


def _told(one: Handed, *, several: bool) -> dict[str, Json]:
    told: dict[str, Json] = {}
    if one.amounts:
        told["bid"] = frozen(plain(one.amounts if several else one.amounts[0]))
    if one.nonce:
        told["nonce"] = one.nonce
    if one.committed:
        told["commitment"] = one.committed
    if one.declines:
        told["declines"] = one.phase
    if one.status == "refused":
        told["refused"] = f"{one.reason}: {one.hint}"
    return told
