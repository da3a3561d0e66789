"""Suggestions: which offers could a seat make now, and what is each worth to it exactly?

Here: a short list of legal counter-offers: its best, a step towards each other seat, an offer of
another with the change that helps most; so that nobody has to do arithmetic.
Not here: which of them is wise (agents/), what is legal (worth.py).
Sources: SEMANTICS M2; complaints 9 and 22 of the research; Raiffa 1982 on logrolling.

Only the seat's own values and the public offers are looked at. Equally good changes are told
apart by a hash of the seed, never by the order of issues or options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256

from comity.core.parties import PartyId
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem import Bargainer
from comity.protocols.offers.state import OffersState
from comity.protocols.offers.worth import refusal, worth_of

__all__ = ["Suggestion", "is_legal", "left_to_offer", "retreats", "suggestions"]

_MOST = 6
_MOST_OPTIONS = 400

Deal = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One offer that a seat could make.

    Attributes:
        deal: every issue with its option.
        worth: what it is worth to the seat.
        why: where it comes from, in words.

    Example:
        >>> Suggestion(deal=(("tls", "1.3"),), worth=Fraction(4), why="your best").why
        'your best'
    """

    deal: Deal
    worth: Fraction
    why: str


def suggestions(state: OffersState, seat: PartyId) -> tuple[Suggestion, ...]:
    """Return what a seat could offer now, best for itself first, at most six.

    Args:
        state: the state.
        seat: whose eyes it is for.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> [(one.deal, str(one.worth)) for one in suggestions(new_state(sample_offers()), "ann")]
        [((('tls', '1.3'), ('days', '30')), '6')]
    """
    found: dict[Deal, Suggestion] = {}
    made = _made(state, seat)
    for deal, why in _candidates(state, seat):
        if deal in found or not is_legal(state, seat, deal):
            continue
        worth = worth_of(state.rules, seat, dict(deal))
        told = f"{why}; you have offered it before" if deal in made else why
        found[deal] = Suggestion(deal=deal, worth=worth, why=told)
    ranked = sorted(found.values(), key=lambda one: (-one.worth, _drawn(state, one.deal)))
    return tuple(ranked[:_MOST])


def is_legal(state: OffersState, seat: PartyId, deal: Deal) -> bool:
    """Tell whether a seat may offer a deal now.

    Args:
        state: the state.
        seat: the seat.
        deal: the deal.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> is_legal(new_state(sample_offers()), "ann", (("tls", "1.2"), ("days", "60")))
        False
    """
    return refusal(state.rules, seat, dict(deal)) is None and not retreats(state, seat, deal)


def retreats(state: OffersState, seat: PartyId, deal: Deal) -> bool:
    """Tell whether a deal is better for its own seat than its last offer, where that is refused.

    Args:
        state: the state.
        seat: the seat.
        deal: the deal that it wants to offer.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers(monotonic=True))
        >>> retreats(state, "ann", (("tls", "1.3"), ("days", "30")))
        False
    """
    last = _own_last(state, seat)
    if not state.rules.monotonic or last is None:
        return False
    rules = state.rules
    return worth_of(rules, seat, dict(deal)) > worth_of(rules, seat, dict(last))


def _own_last(state: OffersState, seat: PartyId) -> Deal | None:
    return next((one.deal for one in reversed(state.offers) if one.party == seat), None)


def left_to_offer(state: OffersState, seat: PartyId) -> int | None:
    """Return how many deals that a seat accepts it has not offered yet; None beyond counting.

    Args:
        state: the state.
        seat: the seat.

    Example:
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> left_to_offer(new_state(sample_offers()), "ann")
        3
    """
    view = state.rules.view(seat)
    if view is None:
        return None
    made = {view.index(dict(deal)) for deal in _made(state, seat)}
    return len(view.order) - sum(view.is_rational(one) for one in made)


def _made(state: OffersState, seat: PartyId) -> set[Deal]:
    return {one.deal for one in state.offers if one.party == seat}


# --- candidates ------------------------------------------------------------------------------


def _candidates(state: OffersState, seat: PartyId) -> Iterator[tuple[Deal, str]]:
    best = _best(state, seat)
    if best is not None:
        yield best, "your best"
    fresh = _fresh(state, seat)
    if fresh is not None and fresh != best:
        yield fresh, "your best that you have not offered yet"
    own = _own_last(state, seat)
    for other in state.rules.ids:
        last = state.last_of(other)
        if other == seat or last is None:
            continue
        better = _mended(state, seat, last.deal)
        if better is not None:
            changed = _difference(last.deal, better)
            yield better, f"{last.id} with {changed}"
        if own is not None:
            step = _step(state, seat, own, last.deal)
            if step is not None:
                yield step, f"your last with {_difference(own, step)}, as in {last.id}"


def _difference(old: Deal, new: Deal) -> str:
    pairs = zip(old, new, strict=True)
    return " and ".join(
        f"{issue} = {option}" for was, (issue, option) in pairs if was[1] != option
    )


def _best(state: OffersState, seat: PartyId) -> Deal | None:
    """Return the best deal of a seat: over all where they are few, else issue by issue."""
    if state.rules.view(seat) is not None:
        return _top(state, seat, frozenset())
    wants = state.rules.problem.party(seat).preferences
    if not isinstance(wants, Additive):
        return None
    found = []
    for issue, values in wants.table().items():
        top = max(values.values())
        equal = [option for option, value in values.items() if value == top]
        found.append((issue, min(equal, key=lambda option: _drawn(state, ((issue, option),)))))
    return tuple(found)


def _fresh(state: OffersState, seat: PartyId) -> Deal | None:
    """Return the best deal of a seat that it has not offered and may offer now."""
    return _top(state, seat, frozenset(_made(state, seat)))


def _top(state: OffersState, seat: PartyId, without: frozenset[Deal]) -> Deal | None:
    """Return the best of the listed deals but for some; the seed decides among equals."""
    view = state.rules.view(seat)
    if view is None or not len(view.order):
        return None
    last = _own_last(state, seat) if state.rules.monotonic else None
    most = view.best if last is None else view.utilities[view.index(dict(last))]
    found: list[Deal] = []
    worth = 0
    for index in reversed(view.order):
        if found and view.utilities[index] != worth:
            break
        deal = tuple(view.deal(index).items())
        if deal not in without and view.utilities[index] <= most:
            found.append(deal)
            worth = view.utilities[index]
    return min(found, key=lambda deal: _drawn(state, deal), default=None)


def _mended(state: OffersState, seat: PartyId, theirs: Deal) -> Deal | None:
    """Return an offer of another with the change that helps most, and more until it is legal."""
    here = theirs
    for _ in theirs:
        better = _improved(state, seat, here)
        if better is None:
            return None
        here = better
        if is_legal(state, seat, here):
            return here
    return None


def _improved(state: OffersState, seat: PartyId, deal: Deal) -> Deal | None:
    """Return a deal with the one change that is worth most; None when none is worth anything."""
    party, settled = state.rules.problem.party(seat), dict(deal)
    gains = {change: gain for change, gain in _changes(state, party, settled) if gain > 0}
    if not gains:
        return None
    issue, option = min(gains, key=lambda one: (-gains[one], _drawn(state, (one,))))
    return _with(deal, issue, option)


def _changes(
    state: OffersState, party: Bargainer, settled: Mapping[str, str]
) -> Iterator[tuple[tuple[str, str], Fraction]]:
    """Yield every change of one issue with what it gains the seat."""
    domain, wants = state.rules.problem.domain, party.preferences
    if isinstance(wants, Additive):
        for issue, values in wants.table().items():
            here = values[settled[issue]]
            for option, value in values.items():
                yield (issue, option), value - here
    elif sum(len(term.options) for term in domain.terms) <= _MOST_OPTIONS:
        worth = wants.of(settled)
        for term in domain.terms:
            for option in term.names:
                yield (term.name, option), wants.of({**settled, term.name: option}) - worth


def _with(deal: Deal, issue: str, option: str) -> Deal:
    return tuple((name, option if name == issue else old) for name, old in deal)


def _step(state: OffersState, seat: PartyId, own: Deal, theirs: Deal) -> Deal | None:
    """Return the own last offer with the one issue as in another's that costs least."""
    steps = [
        _with(own, issue, option)
        for (issue, option), (_, mine) in zip(theirs, own, strict=True)
        if option != mine
    ]
    legal = [deal for deal in steps if is_legal(state, seat, deal)]
    worths = {deal: worth_of(state.rules, seat, dict(deal)) for deal in legal}
    return min(legal, key=lambda deal: (-worths[deal], _drawn(state, deal)), default=None)


def _drawn(state: OffersState, deal: Deal) -> bytes:
    """Return a place among equals that the seed decides, whatever the order of issues."""
    text = "\n".join(f"{issue}={option}" for issue, option in sorted(deal))
    return sha256(f"{state.rules.seed}suggestion {text}".encode("utf-8", "surrogatepass")).digest()
