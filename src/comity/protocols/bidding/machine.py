"""Bidding machine: everybody is asked at once, and what is late or silent does not count.

Here: ``start`` and ``step``: which input does what, asking again, changed bids, time, the way
from commitments to reveals and from one price to the next.
Not here: what an answer means (grammar.py), the rules that sell (closing.py, levels.py).
Sources: SEMANTICS A1, A2, C3, G4, G9; ARCHITECTURE contracts 1-3.

The phases: ``bidding`` (sealed, one deadline) -> ``ended``; or ``committing`` (hashes alone) ->
``revealing`` -> ``ended``; or ``price`` (one per price of a clock) -> ``ended``. What is in time
is said by the order of the record: it counts until the timer of the deadline is recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from comity.core.parties import PartyId
from comity.core.step import Ask, Input, Rejected, Step, answered_ask
from comity.mechanisms.auctions import AuctionAward, AuctionNoSale, reveal
from comity.mechanisms.auctions.results import money
from comity.protocols.bidding.amounts import Reading
from comity.protocols.bidding.closing import (
    Ended,
    cancelled,
    clock_result,
    phase_record,
    sealed_result,
)
from comity.protocols.bidding.grammar import AskKind, read_answer
from comity.protocols.bidding.levels import next_level
from comity.protocols.bidding.rules import BiddingRules
from comity.protocols.bidding.state import BiddingState, Handed, Phase, ask, new_state

__all__ = ["start", "step"]

_KIND: dict[Phase, AskKind] = {
    "bidding": "bid",
    "committing": "commit",
    "revealing": "reveal",
    "price": "price",
}


def start(rules: BiddingRules) -> Step[BiddingState]:
    """Return the first step: every bidder is asked.

    Args:
        rules: the rules.

    Returns:
        The first step.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> first = start(bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0))
        >>> [one.party for one in first.asks], first.wake_at_ms
        (['ann', 'bob'], 600000)
    """
    state = _asking(new_state(rules))
    return Step(state=state, asks=state.asks, wake_at_ms=state.wake_at_ms)


def step(state: BiddingState, happened: Input) -> Step[BiddingState]:
    """Return what one input does; nonsense comes back as rejected and changes nothing.

    Args:
        state: the state so far.
        happened: the recorded input.

    Returns:
        The next step.

    Example:
        >>> from comity.protocols.bidding.opening import bidding_rules
        >>> last = start(bidding_rules("a slot", ["ann", "bob"], seed="1", reserve=0))
        >>> for one in last.asks:
        ...     said = {"ann": "BID: 42", "bob": "BID: 37"}[one.party]
        ...     now = Input(
        ...         kind="reply", now_ms=0, party=one.party, ask_id=one.id, body={"text": said}
        ...     )
        ...     last = step(last.state, now)
        >>> last.outcome.winner, last.outcome.price
        ('ann', 37)
    """
    if state.phase == "ended":
        return _unchanged(state, "ended", happened, "the auction is over: this counts for nothing")
    handler = _HANDLERS.get(happened.kind)
    if handler is None:
        return _unchanged(state, "unknown_kind", happened, f"kinds: {', '.join(_HANDLERS)}")
    after = handler(state, happened)
    return replace(after, asks=after.state.asks, wake_at_ms=after.state.wake_at_ms)


def _unchanged(state: BiddingState, reason: str, happened: Input, hint: str) -> Step[BiddingState]:
    rejected = Rejected(reason=reason, party=happened.party, hint=hint)
    return Step(state=state, asks=state.asks, rejected=(rejected,), wake_at_ms=state.wake_at_ms)


def _asking(state: BiddingState) -> BiddingState:
    """Return the state with everybody asked who is expected to answer."""
    for bidder in state.expected:
        state = ask(state, bidder)
    return state


def _without(state: BiddingState, gone: Ask) -> BiddingState:
    return replace(state, asks=tuple(one for one in state.asks if one.id != gone.id))


# --- answers ---------------------------------------------------------------------------------


def _reply(state: BiddingState, happened: Input) -> Step[BiddingState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        hint = "late: this question is closed, or was not asked of this seat"
        return _unchanged(state, "late", happened, hint)
    reading = _read(state, standing.party, happened)
    rest = _without(state, standing)
    if not reading.error:
        return _proceed(_taken(rest, standing.party, reading), happened.now_ms)
    rejected = Rejected(reason=reading.error, party=standing.party, hint=reading.hint)
    if standing.attempt <= state.rules.limits.reasks:
        again = ask(rest, standing.party, again=reading.hint, attempt=standing.attempt + 1)
        return Step(state=again, rejected=(rejected,))
    after = _proceed(_refused(rest, standing.party, reading), happened.now_ms)
    return replace(after, rejected=(rejected, *after.rejected))


def _read(state: BiddingState, bidder: PartyId, happened: Input) -> Reading:
    """Read an answer; a reveal only counts when it is what was committed to."""
    reading = read_answer(happened.body, _KIND[state.phase], bidder, state.rules)
    if state.phase != "revealing" or reading.error or reading.declines:
        return reading
    committed = state.counted("committing")[bidder].committed
    if reveal(committed, reading.amounts[0], reading.nonce, bidder=bidder, auction=state.auction):
        return reading
    hint = "this bid and nonce are not those of your hash: reveal what you committed to"
    return replace(reading, error="not_matching", hint=hint)


def _taken(state: BiddingState, bidder: PartyId, reading: Reading) -> BiddingState:
    """Return the state with an answer that counts."""
    if reading.yes is not None:
        return replace(state, answers=tuple(sorted((*state.answers, (bidder, reading.yes)))))
    return replace(state, handed=(*state.handed, _handed(state, bidder, reading)))


def _refused(state: BiddingState, bidder: PartyId, reading: Reading) -> BiddingState:
    """Return the state with an answer that was asked for often enough: it is no bid, or no."""
    if state.phase == "price":
        answers = tuple(sorted((*state.answers, (bidder, False))))
        return replace(state, answers=answers, unread=tuple(sorted((*state.unread, bidder))))
    new = replace(
        _handed(state, bidder, reading),
        status="refused",
        reason=reading.error,
        said=reading.said,
        hint=reading.hint,
    )
    return replace(state, handed=(*state.handed, new))


def _handed(state: BiddingState, bidder: PartyId, reading: Reading) -> Handed:
    return Handed(
        bidder=bidder,
        phase=state.phase,
        amounts=reading.amounts,
        committed=reading.committed,
        nonce=reading.nonce,
        declines=reading.declines,
    )


def _message(state: BiddingState, happened: Input) -> Step[BiddingState]:
    """Hear an unasked message: a bid, or another one while it is open."""
    party = happened.party or ""
    if party not in state.rules.bidders:
        return _unchanged(state, "not_a_bidder", happened, "only who is listed may bid here")
    if party not in state.expected:
        hint = "you are out" if state.clock is not None else "no hash of yours is in"
        return _unchanged(state, "late", happened, f"{hint}: this counts for nothing")
    reading = _read(state, party, happened)
    if reading.error:
        return _unchanged(state, reading.error, happened, reading.hint)
    if party in dict(state.answers):
        return _unchanged(state, "answered", happened, "you have answered to this price")
    before = state.standing(party, state.phase)
    taken = _taken(state, party, reading)
    if before is not None:
        changed = _changed(state, before, taken)
        if not isinstance(changed, BiddingState):
            return _unchanged(state, changed[0], happened, changed[1])
        taken = changed
    asks = tuple(one for one in taken.asks if one.party != party)
    after = _proceed(replace(taken, asks=asks), happened.now_ms)
    note = f"{party} handed in another {_KIND[state.phase]}"
    return after if before is None else replace(after, notes=(note, *after.notes))


def _changed(
    state: BiddingState, before: Handed, taken: BiddingState
) -> BiddingState | tuple[str, str]:
    """Return the state with something handed in anew, or why it changes nothing."""
    new = taken.handed[-1]
    status = before.status
    if status == "counted" and before.says_the_same(new):
        return "repeated", "this is counted already"
    if status == "counted" and state.rules.changes == "reject":
        return "no_change", "what is handed in cannot be changed here"
    if status == "counted" and state.rules.changes == "first":
        if any(one.says_the_same(new) for one in state.handed):
            return "repeated", "this is on record already; the first one stands"
        return replace(taken, handed=(*state.handed, replace(new, status="ignored")))
    old = replace(before, status="replaced")
    handed = tuple(old if one is before else one for one in state.handed)
    return replace(taken, handed=(*handed, new))


def _failure(state: BiddingState, happened: Input) -> Step[BiddingState]:
    standing = answered_ask(state.asks, happened)
    if standing is None:
        return _unchanged(state, "late", happened, "this question is closed")
    said = str((happened.body or {}).get("reason") or "failure")
    failed = tuple(sorted((*state.failed, (standing.party, said))))
    rest = replace(_without(state, standing), failed=failed)
    after = _proceed(rest, happened.now_ms)
    note = f"{standing.party} could not answer ({said})"
    return replace(after, notes=(note, *after.notes))


# --- time ------------------------------------------------------------------------------------


def _timer(state: BiddingState, happened: Input) -> Step[BiddingState]:
    if happened.now_ms < state.closes_ms:
        return _unchanged(state, "early", happened, "nothing is due yet")
    return _close(state, "deadline", happened.now_ms)


def _resumed(state: BiddingState, happened: Input) -> Step[BiddingState]:
    """Give the bidders their full time, now that it is known what time it is.

    The loop says this when an auction is opened, and again when a process takes it up.
    """
    closes = happened.now_ms + state.time_ms
    asks = tuple(replace(one, deadline_ms=closes) for one in state.asks)
    return Step(state=replace(state, closes_ms=closes, asks=asks))


def _cancel(state: BiddingState, happened: Input) -> Step[BiddingState]:
    del happened
    return _end(state, cancelled(state), ())


# --- closing ---------------------------------------------------------------------------------


def _proceed(state: BiddingState, now_ms: int) -> Step[BiddingState]:
    """Go on after an answer: wait for the others, or close when nobody is asked any more."""
    if state.asks:
        return Step(state=state)
    return _close(state, "all_asked" if state.missing else "all_answered", now_ms)


def _close(state: BiddingState, ended_by: str, now_ms: int) -> Step[BiddingState]:
    """Close a phase, or a price, and go on to what follows it."""
    closed = replace(
        state, asks=(), phases=(*state.phases, phase_record(state, ended_by)), failed=()
    )
    if state.clock is not None:
        return _next_price(closed, now_ms)
    commitments = state.counted("committing")
    if state.phase == "committing" and commitments:
        opened = _opened(replace(closed, phase="revealing"), now_ms)
        note = f"commitments closed ({ended_by}): {len(commitments)} hashes are in"
        return Step(state=opened, notes=(note,))
    return _end(closed, sealed_result(closed, ended_by), (f"bids closed ({ended_by})",))


def _opened(state: BiddingState, now_ms: int) -> BiddingState:
    """Return a phase, or a price, as it is opened: all are asked, with the same time."""
    return _asking(replace(state, closes_ms=now_ms + state.time_ms))


def _next_price(state: BiddingState, now_ms: int) -> Step[BiddingState]:
    clock, end = state.clock, state.rules.end
    assert clock is not None
    assert end is not None
    moved = next_level(clock, dict(state.answers), end)
    yes = ", ".join(name for name, is_yes in state.answers if is_yes) or "nobody"
    note = f"at {money(clock.price, state.rules.unit)}: {yes}"
    clean = replace(state, answers=(), unread=())
    found = moved.outcome
    if isinstance(found, (AuctionAward, AuctionNoSale)):
        return _end(clean, clock_result(state, found), (note,))
    return Step(state=_opened(replace(clean, clock=moved.state), now_ms), notes=(note,))


def _end(state: BiddingState, found: Ended, notes: tuple[str, ...]) -> Step[BiddingState]:
    return Step(state=replace(state, phase="ended", asks=()), outcome=found, notes=notes)


_HANDLERS: dict[str, Callable[[BiddingState, Input], Step[BiddingState]]] = {
    "reply": _reply,
    "failure": _failure,
    "message": _message,
    "timer": _timer,
    "resumed": _resumed,
    "cancel": _cancel,
}
