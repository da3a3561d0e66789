"""Mediator: with everybody's values disclosed, which deal should it be?

Here: naming the deal of a solution point, what each party gives and gains by it, and the no-deal
in no rounds when nothing is acceptable to all.
Not here: the points (solutions.py), bargaining without disclosure (several.py).
Sources: SEMANTICS M5, M7, G4 (ties by lot), G6.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from comity.core.canonical import Json, digest
from comity.core.errors import Fault, raise_if
from comity.core.exact import Exact, show_number
from comity.core.results import FinalOffer, Grounds, Item
from comity.core.ties import Tie, lot
from comity.mechanisms.bargaining.constraints import is_allowed
from comity.mechanisms.bargaining.frontier import Frontier, Point, frontier
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal, NearestDeal
from comity.mechanisms.bargaining.problem import Problem
from comity.mechanisms.bargaining.solutions import ALIASES, disagreement_of, solution

__all__ = ["DRAWN_AMONG", "deal_text", "mediate", "nearest_deal"]

DRAWN_AMONG = 10_000
"""Equal deals that a lot draws among; of more, these many are listed first."""

_CELLS = 1_000_000  # options written for a lot, of all deals together

_WORDS = {
    "nash": "the Nash point",
    "kalai_smorodinsky": "the Kalai-Smorodinsky point",
    "nearest_diagonal": "the point nearest the diagonal",
    "egalitarian": "the egalitarian point",
    "utilitarian": "the utilitarian point",
    "ideal": "the point nearest the ideal",
}


def mediate(
    problem: Problem, *, point: str = "nash", seed: str = "0", inputs: Json = None
) -> IssueAgreement | IssueNoDeal:
    """Name the deal of a solution point from what everybody disclosed.

    Args:
        problem: the parties with their values.
        point: the solution; see `solutions.POINTS`.
        seed: decides among equal deals.
        inputs: what the digest is taken of; by default the parties' names and the terms.

    Returns:
        The agreement; or the no-deal in no rounds, with the nearest deal and who falls short.

    Raises:
        InvalidInput: when the point does not exist for these parties, with the reason.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"pay": [1, 2, 3], "days": [20, 30]})
        >>> ann = additive(d, {"pay": {"2": 5, "3": 9}, "days": {"20": 1, "30": 4}})
        >>> boss = additive(d, {"pay": {"1": 6, "2": 5}, "days": {"20": 3}})
        >>> print(mediate(problem_of(d, {"ann": ann, "boss": boss}), seed="1").says)
        The Nash point: pay = 2, days = 20; ann gains 6, boss gains 8.
    """
    point = ALIASES.get(point, point)
    found = frontier(problem)
    solved = solution(found, point)
    if not found.rational_keys:
        return _none(found, point, seed, inputs)
    if not solved.points:
        raise_if([_no_point(point, solved.why)])
    chosen, ties, notes = _drawn(found, point, solved.points, seed)
    base = disagreement_of(problem, found)
    utilities = problem.utilities(chosen)
    gains = [own - start for own, start in zip(utilities, base, strict=True)]
    best = _best(found)
    given = [top - own for top, own in zip(best, utilities, strict=True)]
    names = problem.names
    words = [f"{name} gains {_short(gain)}" for name, gain in zip(names, gains, strict=True)]
    lines = [
        f"{name}: {_short(own)} of at most {_short(top)}; gives {_short(lost)}, "
        f"gains {_short(gain)}"
        for name, own, top, lost, gain in zip(names, utilities, best, given, gains, strict=True)
    ]
    is_thin = ("tie_rule_used",) if ties else ()
    said = f"{_WORDS[point][0].upper()}{_WORDS[point][1:]}: {deal_text(chosen)}; "
    return IssueAgreement(
        grounds=_grounds(problem, point, seed, inputs, ("point", ties, is_thin)),
        terms=tuple(chosen.items()),
        parties=names,
        how="mediated",
        round=0,
        rounds=0,
        protocol="mediated",
        accepted_offer=None,
        offered_by=None,
        utilities=_items(names, utilities),
        gains=_items(names, gains),
        notes=(*lines, *notes),
        says=f"{said}{', '.join(words)}.",
    )


def nearest_deal(
    problem: Problem, found: Frontier, seed: str
) -> tuple[NearestDeal, tuple[Tie, ...]]:
    """Return the deal at which the worst-off party misses the least of its reservation.

    Args:
        problem: the parties.
        found: their frontier.
        seed: decides among equal deals.

    Returns:
        The deal, and the lot if one was drawn. What each misses is measured against the distance
        from its worst to its best deal, so that units do not matter.
    """
    points = found.points
    best = [max(column) for column in zip(*(one.utilities for one in points), strict=True)]
    scored = [(_misses(problem, found, one, best), one) for one in points]
    least = min(score for score, _ in scored)
    tied = tuple(one for score, one in scored if score == least)
    chosen, ties, _ = _drawn(found, "nearest", tied, seed)
    utilities = problem.utilities(chosen)
    short = [
        (one.name, one.preferences.reservation - own)
        for one, own in zip(problem.parties, utilities, strict=True)
        if one.preferences.reservation is not None and own < one.preferences.reservation
    ]
    nearest = NearestDeal(
        deal=tuple(chosen.items()),
        utilities=_items(problem.names, utilities),
        short=tuple(Item(name, _plain(gap)) for name, gap in short),
        refused_by=problem.refused_by(chosen),
    )
    return nearest, ties


def deal_text(deal: dict[str, str]) -> str:
    """Return a deal as a person reads it.

    Example:
        >>> deal_text({"tls": "1.3", "days": "30"})
        'tls = 1.3, days = 30'
    """
    return ", ".join(f"{term} = {option}" for term, option in deal.items())


def _misses(problem: Problem, found: Frontier, point: Point, best: Sequence[Fraction]) -> Fraction:
    most = Fraction(0)
    for at, (one, own) in enumerate(zip(problem.parties, point.utilities, strict=True)):
        limit = one.preferences.reservation
        if limit is not None and own < limit:
            span = max(best[at], limit) - found.worst(at)
            most = max(most, (limit - own) / span)
    return most


def _best(found: Frontier) -> list[Fraction]:
    """Return the best that each party can have in a deal that all accept."""
    columns = zip(*(found.whole(key) for key in found.rational_keys), strict=True)
    return [
        Fraction(max(column), scale) for column, scale in zip(columns, found.scales, strict=True)
    ]


def _drawn(
    found: Frontier, label: str, points: Sequence[Point], seed: str
) -> tuple[dict[str, str], tuple[Tie, ...], tuple[str, ...]]:
    """Return one of the deals behind tied points, by lot among them all."""
    most = min(DRAWN_AMONG, max(100, _CELLS // len(found.problem.domain.terms)))
    deals: dict[str, dict[str, str]] = {}
    for point in points:
        for deal in found.deals(point, most + 1 - len(deals)):
            deals[deal_text(dict(sorted(deal.items())))] = deal  # however issues were declared
    if len(deals) == 1:
        return next(iter(deals.values())), (), ()
    notes: tuple[str, ...] = ()
    if len(deals) > most:
        deals = dict(list(deals.items())[:most])
        notes = (f"more than {most} deals are equal; the lot was drawn among as many",)
    tie = lot(seed, label, list(deals))
    return deals[str(tie.chosen)], (tie,), notes


def _none(found: Frontier, point: str, seed: str, inputs: Json) -> IssueNoDeal:
    problem = found.problem
    nearest, ties = nearest_deal(problem, found, seed)
    gaps = [f"{one.name} by {_short(Fraction(one.value))}" for one in nearest.short]
    crossed = [
        name
        for name in nearest.refused_by
        if not is_allowed(dict(nearest.deal), problem.party(name).red_lines)
    ]
    said = [f"falls short for {', '.join(gaps)}"] if gaps else []
    said += [f"crosses a red line of {', '.join(crossed)}"] if crossed else []
    words = " and ".join(said)
    unblock = (
        *(f"{one.name} accepts {_short(Fraction(one.value))} less" for one in nearest.short),
        *(f"{name} drops a red line" for name in crossed),
    )
    return IssueNoDeal(
        grounds=_grounds(problem, point, seed, inputs, ("no_overlap", ties, ())),
        reason="no_overlap",
        final_offers=tuple(FinalOffer(name) for name in problem.names),
        unblock=unblock,
        guard="no_overlap",
        rounds=0,
        protocol="mediated",
        nearest=nearest,
        says=f"No deal suits all; the nearest, {deal_text(dict(nearest.deal))}, {words}.",
    )


def _grounds(
    problem: Problem,
    point: str,
    seed: str,
    inputs: Json,
    ended: tuple[str, tuple[Tie, ...], tuple[str, ...]],
) -> Grounds:
    ended_by, ties, thin = ended
    given: Json = inputs
    if given is None:
        given = {"parties": list(problem.names), "domain": problem.domain.to_json()}
    return Grounds(
        rule="mediate",
        ended_by=ended_by,
        inputs_digest=digest(given),
        parameters=(("point", point), ("seed", seed)),
        ties=ties,
        thin=thin,
    )


def _no_point(point: str, why: str) -> Fault:
    if point in ("egalitarian", "utilitarian", "ideal"):
        allowed = "nash, or another point that needs no common unit"
        next_step = "choose another point, state rates, or give the parties one unit"
    else:
        allowed, next_step = "a point that exists here, such as nash", "choose another point"
    return Fault(f"point {point!r}", f"does not exist: {why}", allowed, next_step)


def _items(names: Sequence[str], values: Sequence[Fraction]) -> tuple[Item, ...]:
    return tuple(Item(name, _plain(one)) for name, one in zip(names, values, strict=True))


def _plain(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value


def _short(value: Fraction) -> str:
    return show_number(value)
