"""Issue ending: what does the end of the rounds over several issues come to?

Here: turning what was played into an agreement or a no-deal, each with its grounds and sentence.
Not here: the rounds (playing.py), the fields of the results (issue_results.py).
Sources: SEMANTICS G1, G2, G8, M2, M5, B5, B10; complaint 16 (best of seen).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from comity.core.canonical import Json, canonical, digest, plain
from comity.core.errors import Fault, InternalError
from comity.core.exact import Exact, show_number
from comity.core.parties import PartyId
from comity.core.results import FinalOffer, Grounds, Item, NoDealReason, Submission
from comity.core.ties import Tie, lot
from comity.mechanisms.bargaining.constraints import Constraint, Excluded
from comity.mechanisms.bargaining.issue_results import (
    IssueAgreement,
    IssueNoDeal,
    NearestDeal,
    Settled,
)
from comity.mechanisms.bargaining.outcomes import Outcomes, OwnView
from comity.mechanisms.bargaining.playing import Played
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.trail import Trail

__all__ = ["Setting", "agreed", "best_of_seen", "not_agreed"]


_HARMLESS = frozenset({"opener", "nearest deal"})  # lots that choose no deal


class Setting(NamedTuple):
    """Everything about a negotiation but its course.

    Attributes:
        outcomes: the tables.
        parameters: what decides the outcome beside the problem, as plain JSON.
        rounds: how many rounds were allowed.
        protocol: ``alternating`` or ``simultaneous``.
        seed: of all lots.
        ties: the lot for the opener, when one was drawn.
        trace: whether the result carries the offers.
    """

    outcomes: Outcomes
    parameters: Mapping[str, Json]
    rounds: int
    protocol: str
    seed: str
    ties: tuple[Tie, ...]
    trace: bool


def _plain(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value


def _trail(setting: Setting, played: Played) -> Trail:
    if not setting.trace:
        return Trail(setting.outcomes.layout, (), (), (), {})
    return Trail(
        setting.outcomes.layout, played.rounds, played.parties, played.outcomes, played.accepted
    )


# --- a deal ----------------------------------------------------------------------------------


def agreed(
    setting: Setting, played: Played, place: int, how: Settled, ties: tuple[Tie, ...] = ()
) -> IssueAgreement:
    """Return the deal that an offer makes.

    Args:
        setting: the negotiation.
        played: its course.
        place: the place of the offer among those made.
        how: ``accepted`` or ``best_of_seen``.
        ties: lots drawn after the last round.

    Returns:
        The agreement, checked once more against what every party accepts.

    Example:
        >>> agreed.__name__
        'agreed'
    """
    views = setting.outcomes.views
    outcome = int(played.outcomes[place])
    _check_settled(setting.outcomes, outcome)
    at, maker = played.rounds[place], played.parties[place]
    last = played.played - 1
    worth = [view.of(outcome) for view in views]
    gains = [
        one - _base(party.preferences.reservation, view)
        for one, view, party in zip(worth, views, setting.outcomes.problem.parties, strict=True)
    ]
    deal = tuple(setting.outcomes.layout.deal(outcome).items())
    offer = f"{maker}-{at}"
    told = ", ".join(
        f"{view.party} gains {show_number(gain)}" for view, gain in zip(views, gains, strict=True)
    )
    who = " and ".join(view.party for view in views if view.party != maker)
    verb = "accept" if len(views) > 2 else "accepts"
    via = f"{who} {verb} {offer}" if how == "accepted" else f"{offer}, the best of those offered"
    drawn = (*setting.ties, *played.ties, *ties)
    return IssueAgreement(
        grounds=_grounds(setting, "acceptance" if how == "accepted" else how, drawn),
        terms=deal,
        parties=setting.outcomes.problem.names,
        how=how,
        round=last,
        rounds=setting.rounds,
        protocol=setting.protocol,
        accepted_offer=offer,
        offered_by=maker,
        utilities=tuple(map(_item, views, worth)),
        gains=tuple(map(_item, views, gains)),
        discounted=_discounted(setting, last, worth),
        offers=_trail(setting, played),
        notes=_notes(setting, last),
        says=f"Deal in round {last}: {via}; {told}.",
    )


def _base(reservation: Fraction | None, view: OwnView) -> Fraction:
    return Fraction(view.zero, view.scale) if reservation is None else reservation


def _item(view: OwnView, value: Fraction) -> Item:
    return Item(view.party, _plain(value))


def _check_settled(outcomes: Outcomes, outcome: int) -> None:
    """Check a deal once more against what every party accepts."""
    refused = [view.party for view in outcomes.views if not view.is_rational(outcome)]
    if refused:
        raise InternalError(
            Fault(
                "bargaining over issues",
                f"settled on a deal that {', '.join(refused)} does not accept",
                "a deal that all accept",
                "report it with the result's inputs",
            )
        )


def _discounted(
    setting: Setting, last: int, worth: list[Fraction]
) -> tuple[tuple[PartyId, str], ...]:
    """Return what the deal is worth after the discount, for parties that have one."""
    found = []
    for party, value in zip(setting.outcomes.problem.parties, worth, strict=True):
        discount = party.preferences.discount
        if discount != 1:
            found.append((party.name, _shrunk(value, discount, last, setting.rounds)))
    return tuple(found)


def _shrunk(value: Fraction, discount: Fraction, last: int, rounds: int) -> str:
    """Return value * discount ** (last / (rounds - 1)) with twelve digits."""
    context = Context(prec=40, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999, traps=[])
    time = Fraction(last, max(rounds - 1, 1))
    power = context.divide(Decimal(time.numerator), Decimal(time.denominator))
    base = context.divide(Decimal(discount.numerator), Decimal(discount.denominator))
    left = context.exp(context.multiply(power, context.ln(base)))
    exact = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    context.prec = 12
    shown = format(context.multiply(exact, left), "f")
    return shown.rstrip("0").rstrip(".") if "." in shown else shown


def _notes(setting: Setting, last: int) -> tuple[str, ...]:
    if all(one.preferences.discount == 1 for one in setting.outcomes.problem.parties):
        return ()
    over = max(setting.rounds - 1, 1)
    return (f"discounted at time {last}/{over}; reservations are discounted with the deal",)


# --- no deal ---------------------------------------------------------------------------------


def best_of_seen(setting: Setting, played: Played) -> tuple[int, tuple[Tie, ...]] | None:
    """Return the offer that all accept and whose product of gains is greatest.

    Args:
        setting: the negotiation.
        played: its course.

    Returns:
        The place of the offer (the first that named the deal) with the lot that chose among
        equals; None when no deal offered is accepted by all.

    Example:
        >>> best_of_seen.__name__
        'best_of_seen'
    """
    views = setting.outcomes.views
    places: dict[int, int] = {}
    for place, outcome in enumerate(played.outcomes):
        places.setdefault(int(outcome), place)
    products = {}
    for outcome in places:
        if all(view.is_rational(outcome) for view in views):
            product = Fraction(1)
            for view in views:
                product *= Fraction(int(view.utilities[outcome]) - view.zero, view.scale)
            products[outcome] = product
    if not products:
        return None
    most = max(products.values())
    texts = {
        setting.outcomes.layout.text(one): one for one, value in products.items() if value == most
    }
    if len(texts) == 1:
        return places[next(iter(texts.values()))], ()
    tie = lot(setting.seed, "best of seen", tuple(texts))
    return places[texts[str(tie.chosen)]], (tie,)


def not_agreed(setting: Setting, played: Played) -> IssueNoDeal:
    """Return the no-deal after the last round played.

    Args:
        setting: the negotiation.
        played: its course.

    Returns:
        The no-deal with the nearest deal offered, and who falls short by how much. It never says
        that no deal is possible: nobody has seen all reservations.

    Example:
        >>> not_agreed.__name__
        'not_agreed'
    """
    last = dict(zip(played.parties, played.outcomes, strict=True))
    final = {
        party: canonical(setting.outcomes.layout.deal(int(one))) for party, one in last.items()
    }
    nearest, ties = _nearest(setting, played)
    more = "a party that concedes" if played.reason == "stall" else "more rounds"
    unblock, missing = _unblock(nearest, more)
    word = played.reason.replace("_", " ")
    count = played.played
    told = f"No deal ({word}) after {count} round{'' if count == 1 else 's'}"
    if played.unwilling is not None:
        told += f": {played.unwilling} accepts none of the deals"
    elif missing:
        told += f": {missing}"
    drawn = (*setting.ties, *ties)
    return IssueNoDeal(
        grounds=_grounds(setting, played.reason, drawn),
        reason=played.reason,
        final_offers=tuple(
            FinalOffer(name, final.get(name)) for name in setting.outcomes.problem.names
        ),
        unblock=unblock,
        guard=played.reason,
        rounds=count,
        protocol=setting.protocol,
        rounds_without_movement=played.quiet,
        nearest=nearest,
        offers=_trail(setting, played),
        notes=_notes(setting, count - 1) if count else (),
        says=f"{told}.",
    )


def _nearest(setting: Setting, played: Played) -> tuple[NearestDeal | None, tuple[Tie, ...]]:
    """Return the deal offered that fewest refuse, then with the least share missing."""
    views = setting.outcomes.views
    by_refusals: dict[int, list[int]] = {}
    for outcome in sorted({int(one) for one in played.outcomes}):
        refused = sum(not view.is_rational(outcome) for view in views)
        by_refusals.setdefault(refused, []).append(outcome)
    if not by_refusals:
        return None, ()
    fewest = min(by_refusals)
    tied = by_refusals[fewest]
    if fewest:
        tied = _least_missing(views, tied)
    ties: tuple[Tie, ...] = ()
    chosen = tied[0]
    if len(tied) > 1:
        texts = {setting.outcomes.layout.text(one): one for one in tied}
        drawn = lot(setting.seed, "nearest deal", tuple(texts))
        chosen, ties = texts[str(drawn.chosen)], (drawn,)
    short = [
        Item(view.party, _plain(Fraction(view.least - int(view.utilities[chosen]), view.scale)))
        for view in views
        if view.least is not None and view.utilities[chosen] < view.least
    ]
    nearest = NearestDeal(
        deal=tuple(setting.outcomes.layout.deal(chosen).items()),
        utilities=tuple(_item(view, view.of(chosen)) for view in views),
        short=tuple(short),
        refused_by=tuple(view.party for view in views if not view.is_rational(chosen)),
    )
    return nearest, ties


def _least_missing(views: Sequence[OwnView], outcomes: list[int]) -> list[int]:
    """Return the deals that lack least, as shares of each party's range: free of units."""
    missing = dict.fromkeys(outcomes, Fraction(0))
    for view in views:
        if view.least is not None:
            worths: Any = view.utilities
            is_list = isinstance(worths, list)
            low, high = (min(worths), max(worths)) if is_list else (worths.min(), worths.max())
            width = max(int(high), view.least) - int(low)
            for one in outcomes:
                lack = view.least - int(worths[one])
                if lack > 0:
                    missing[one] += Fraction(lack, width)
    least = min(missing.values())
    return [one for one, value in missing.items() if value == least]


def _unblock(nearest: NearestDeal | None, more: str) -> tuple[tuple[str, ...], str]:
    """Return what would unblock it, last of all ``more``, and the sentence on the nearest deal."""
    if nearest is None:
        return (more,), ""
    deal = ", ".join(f"{term} = {option}" for term, option in nearest.deal)
    lacking = [f"{one.name} lacks {show_number(one.value)}" for one in nearest.short]
    blocked = [one for one in nearest.refused_by if one not in {it.name for it in nearest.short}]
    lacking += [f"a red line of {one} is crossed" for one in blocked]
    if not lacking:
        return (f"all can accept {deal}: {more}, or fallback = best_of_seen",), (
            f"{deal} was offered and all could accept it, but not in time"
        )
    ways = [
        f"{one.name} lowers its reservation by {show_number(one.value)} for {deal}"
        for one in nearest.short
    ]
    ways += [f"{one} drops a red line" for one in blocked]
    return (*ways, more), f"nearest was {deal}, where {' and '.join(lacking)}"


# --- grounds ---------------------------------------------------------------------------------


def _grounds(setting: Setting, ended_by: str | NoDealReason, ties: tuple[Tie, ...]) -> Grounds:
    submissions, handed_in = _submitted(setting.outcomes)
    parameters = setting.parameters
    used = [tie for tie in ties if tie.label not in _HARMLESS]
    thin = ("tie_rule_used",) if used else ()
    return Grounds(
        rule="issues",
        parameters=tuple(parameters.items()),
        submissions=submissions,
        ties=ties,
        thin=thin,
        ended_by=ended_by,
        inputs_digest=digest({"problem": handed_in, **parameters}),
    )


def _submitted(outcomes: Outcomes) -> tuple[tuple[Submission, ...], str]:
    """Return what every party handed in, and the digest of the whole problem; kept once made."""
    found: tuple[tuple[Submission, ...], str] | None = outcomes.kept.get("submitted")
    if found is None:
        problem = outcomes.problem
        parties = {view.party: _written(outcomes, view) for view in outcomes.views}
        whole = {
            "terms": {
                term: list(names)
                for term, names in zip(outcomes.layout.terms, outcomes.layout.options, strict=True)
            },
            "constraints": _constraints(problem.constraints),
            "parties": parties,
        }
        found = tuple(Submission(name, what) for name, what in parties.items()), digest(whole)
        outcomes.kept["submitted"] = found
    return found


def _written(outcomes: Outcomes, view: OwnView) -> dict[str, Json]:
    party = outcomes.problem.party(view.party)
    wants = party.preferences
    values: object
    if isinstance(wants, Additive):
        table = wants.table()
        values = {
            term: {name: table[term][name] for name in names}
            for term, names in zip(view.layout.terms, view.layout.options, strict=True)
        }
    else:
        worth = [str(int(one)) for one in view.utilities]
        values = {"deals": len(worth), "digest": digest([str(view.scale), *worth])}
    return plain(  # type: ignore[return-value]  # a dict stays one
        {
            "values": values,
            "reservation": wants.reservation,
            "unit": wants.unit,
            "discount": wants.discount,
            "red_lines": _constraints(party.red_lines),
        }
    )


def _constraints(constraints: Iterable[Constraint]) -> list[str]:
    """Return constraints as texts that are the same in whatever order they were declared."""
    found = []
    for one in constraints:
        if isinstance(one, Excluded):
            found.append(canonical({term: sorted(options) for term, options in one.parts}))
        else:
            adds = {term: dict(numbers) for term, numbers in one.quantity.parts}
            found.append(canonical([str(one), one.quantity.base, adds]))
    return sorted(found)
