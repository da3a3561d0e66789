"""Overview: what does a bargaining problem look like as a whole, in plain data?

Here: the frontier, every solution point with its ties, a given deal and a finished negotiation
against them, and the places of all deals, as JSON for tables and drawings.
Not here: the arithmetic (frontier.py, solutions.py, assessment.py), words and pictures (render/).
Sources: SEMANTICS M4 (all ties listed), M7 (nearest deal), G1 (exact numbers are integers or
text; distances are rounded and stand beside their exact square).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, product
from math import sqrt

from comity.core.canonical import Json, plain
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.bargaining.assessment import assess
from comity.mechanisms.bargaining.constraints import is_allowed
from comity.mechanisms.bargaining.domain import Deal
from comity.mechanisms.bargaining.frontier import Frontier, Point
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal
from comity.mechanisms.bargaining.mediator import nearest_deal
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem import Problem
from comity.mechanisms.bargaining.solutions import POINTS, Solution, disagreement_of, solution

__all__ = [
    "OUTCOMES_DRAWN",
    "appraised",
    "course_of",
    "deal_report",
    "equal_deals",
    "outcome_space",
    "overview",
]

OUTCOMES_DRAWN = 20_000
"""With more deals than these, only the frontier is drawn."""

OFFERS_DRAWN = 2_000
"""Of more offers, this many are drawn, evenly spread."""

_SAYS = {
    "nash": "the greatest product of the gains",
    "kalai_smorodinsky": "the least share of the ideal gains is as great as can be (max-min)",
    "nearest_diagonal": "the shares of the ideal gains differ least; some tools call this "
    "Kalai-Smorodinsky",
    "egalitarian": "the least gain is as great as can be",
    "utilitarian": "the greatest sum",
    "ideal": "nearest to the ideal, at which each party has its best deal",
}


def overview(
    found: Frontier,
    *,
    points: Sequence[str] = POINTS,
    most: int | None = 20,
    seed: str = "0",
) -> dict[str, Json]:
    """Return everything there is to know about a frontier as plain JSON.

    Args:
        found: the frontier.
        points: the solutions wanted, by name.
        most: how many points of a list are written out, evenly spread; None for all.
        seed: decides which of several nearest deals is named when no deal suits all.

    Returns:
        Parties, counts, reservations, what no deal is worth, the ``frontier`` of all deals and
        that of the ``acceptable`` ones (each with ``size``, ``points`` and ``left_out``) and
        whether the second is part of the first, ``solutions``, and the ``nearest`` deal when
        none is acceptable to all, else null.

    Raises:
        UnknownName: for a solution that does not exist.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.frontier import frontier
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"tls": ["old", "new"]})
        >>> p = problem_of(d, {"a": additive(d, {"tls": {"new": 1}}), "b": additive(d, {})})
        >>> overview(frontier(p))["solutions"]["utilitarian"]["points"]
        [{'utilities': {'a': 1, 'b': 0}, 'deals': 1, 'deal': {'tls': 'new'}}]
    """
    problem = found.problem
    nearest: Json = None
    drawn: Json = []
    if not found.rational_keys:
        one, ties = nearest_deal(problem, found, seed)
        nearest = encode(one)
        drawn = encode(ties)
    zero = disagreement_of(problem, found)
    suits = set(found.rational_keys)
    return {
        "parties": list(problem.names),
        "issues": {term.name: len(term.options) for term in problem.domain.terms},
        "deals": problem.domain.size,
        "units": {one.name: one.preferences.unit for one in problem.parties},
        "reservations": {one.name: plain(one.preferences.reservation) for one in problem.parties},
        "without_a_deal": _by_party(problem, zero),
        "frontier": _section(found, found.keys, most, suits),
        "acceptable": _section(found, found.rational_keys, most),
        "acceptable_on_frontier": suits <= set(found.keys),
        "solutions": {name: _solved(found, solution(found, name), most) for name in points},
        "nearest": nearest,
        "ties": drawn,
    }


def deal_report(found: Frontier, deal: Deal, *, most: int | None = 20) -> dict[str, Json]:
    """Return how good a deal is, as plain JSON.

    Args:
        found: the frontier.
        deal: term -> option, every term settled.
        most: how many points that are better are written out, evenly spread; None for all.

    Returns:
        What it is worth, who refuses it, whether it is efficient, the points that are better for
        one party and worse for none, and per solution point the distance with its exact square.

    Raises:
        InvalidInput: for a deal that names what does not exist or leaves a term open.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.frontier import frontier
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"tls": ["old", "new"]})
        >>> p = problem_of(d, {"a": additive(d, {"tls": {"new": 1}}), "b": additive(d, {})})
        >>> told = deal_report(frontier(p), {"tls": "old"})
        >>> told["efficient"], told["distances"]["frontier"]
        (False, {'distance': 1.0, 'squared': 1})
    """
    one = assess(found, deal)
    names = [term.name for term in found.problem.domain.terms]
    return {
        "deal": {name: deal[name] for name in names},
        "utilities": _by_party(found.problem, one.utilities),
        "allowed": one.is_allowed,
        "refused_by": list(one.refused_by),
        "efficient": one.is_efficient,
        "better": _section(found, [point.key for point in one.better], most),
        "distances": {
            name: {"distance": sqrt(square), "squared": plain(_whole(square))}
            for name, square in one.squares
        },
    }


def appraised(
    found: Frontier, result: IssueAgreement | IssueNoDeal, *, most: int | None = 20
) -> dict[str, Json]:
    """Return how good the end of a negotiation is, seen by somebody who knows all values.

    Args:
        found: the frontier of its problem.
        result: how it ended.
        most: as for `deal_report`.

    Returns:
        How many points of the frontier suit all; for a deal its report, and per party the share
        of the most that it could gain in a deal that all accept (null when that is nothing).

    Example:
        >>> appraised.__name__
        'appraised'
    """
    told: dict[str, Json] = {"acceptable": len(found.rational_keys)}
    if isinstance(result, IssueNoDeal):
        nash = solution(found, "nash")
        told["nash"] = _solved(found, nash, most)
        return told
    deal = {term: str(option) for term, option in result.terms}
    told.update(deal_report(found, deal, most=most))
    told["shares"] = _by_party(found.problem, _shares(found, found.problem.utilities(deal)))
    return told


def course_of(
    problem: Problem, result: IssueAgreement | IssueNoDeal, *, ends: int = 10
) -> dict[str, Json]:
    """Return the offers with what each was worth to each party.

    Args:
        problem: who bargained.
        result: how it ended.
        ends: how many offers of each end are written out.

    Returns:
        ``offers`` (id, round, party, deal, utilities, accepted_by), ``left_out`` between the
        first and the last of them, and how many were made.

    Example:
        >>> course_of.__name__
        'course_of'
    """
    offers = result.offers
    hidden = max(0, len(offers) - 2 * ends)
    places = range(len(offers))
    shown = [offers[at] for at in places if at < ends or at >= len(offers) - ends]
    return {
        "made": len(offers),
        "left_out": hidden,
        "offers": [
            {
                "id": one.id,
                "round": one.round,
                "party": one.party,
                "utilities": _by_party(problem, problem.utilities(dict(one.deal))),
                "accepted_by": list(one.accepted_by),
                "deal": dict(one.deal),
            }
            for one in shown
        ],
    }


def outcome_space(
    found: Frontier,
    *,
    result: IssueAgreement | IssueNoDeal | None = None,
    deal: Deal | None = None,
    points: Sequence[str] = POINTS,
) -> dict[str, Json]:
    """Return where all deals lie, for drawing: rounded numbers, one per party.

    Args:
        found: the frontier.
        result: a negotiation whose deal and offers are drawn too.
        deal: a deal that is drawn too.
        points: the solutions wanted, by name.

    Returns:
        ``reservations``, ``worst``, ``frontier`` and ``acceptable`` (a row per point),
        ``solutions`` (name -> a row per tied point), ``deal`` (a row or null) with whether
        ``deal_suits``, ``path`` (party -> a row per offer), and, for two parties and up to
        `OUTCOMES_DRAWN` deals, ``outcomes`` (a row per deal that can be made, and whether all
        accept it).

    Raises:
        InvalidInput: when a number is too large for a drawing.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.frontier import frontier
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"tls": ["old", "new"]})
        >>> p = problem_of(d, {"a": additive(d, {"tls": {"new": 1}}), "b": additive(d, {})})
        >>> outcome_space(frontier(p))["outcomes"]
        [[0.0, 0.0, True], [1.0, 0.0, True]]
    """
    problem = found.problem
    if isinstance(result, IssueAgreement):
        deal = {term: str(option) for term, option in result.terms}
    limits = [one.preferences.reservation for one in problem.parties]
    try:
        space: dict[str, Json] = {
            "parties": list(problem.names),
            "deals": problem.domain.size,
            "worst": [float(found.worst(at)) for at in range(len(problem.parties))],
            "reservations": [None if one is None else float(one) for one in limits],
            "frontier": [_row(found, key) for key in found.keys],
            "acceptable": [_row(found, key) for key in found.rational_keys],
            "solutions": {
                name: [_row(found, point.key) for point in solution(found, name).points]
                for name in points
            },
            "deal": None if deal is None else list(map(float, problem.utilities(deal))),
            "deal_suits": deal is not None and not problem.refused_by(deal),
            "path": {} if result is None else _path(problem, result),
        }
        if len(problem.parties) == 2 and problem.domain.size <= OUTCOMES_DRAWN:
            space["outcomes"] = _outcomes(problem)
    except OverflowError:
        what = "cannot be drawn: a number is too large"
        raise InvalidInput(
            Fault("outcome space", what, "numbers below 1e308", "change the unit")
        ) from None
    return space


def equal_deals(found: Frontier, name: str, *, most: int | None = 20) -> dict[str, Json]:
    """Return every deal that a solution picks, ties and equal deals alike.

    Args:
        found: the frontier.
        name: the solution.
        most: how many deals are written out; None for all.

    Returns:
        ``size``, ``deals`` and ``left_out``.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.frontier import frontier
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"tls": ["old", "new"]})
        >>> p = problem_of(d, {"a": additive(d, {}), "b": additive(d, {})})
        >>> equal_deals(frontier(p), "nash")["size"]
        2
    """
    picked = solution(found, name).points
    every = (deal for point in picked for deal in found.deals(point, most))
    size = sum(map(found.count, picked))
    shown: list[Json] = list(islice(every, most))
    return {"size": size, "deals": shown, "left_out": size - len(shown)}


# --- points ----------------------------------------------------------------------------------


def _whole(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def _by_party(problem: Problem, values: Iterable[Fraction | None]) -> dict[str, Json]:
    return {
        name: None if value is None else plain(_whole(value))
        for name, value in zip(problem.names, values, strict=True)
    }


def _spread(count: int, most: int | None) -> list[int]:
    """Return at most so many places of a list, evenly spread, both ends among them."""
    if most is None or count <= most:
        return list(range(count))
    return sorted({(count - 1) * at // max(most - 1, 1) for at in range(most)})


def _section(
    found: Frontier, keys: Sequence[int], most: int | None, suits: Collection[int] | None = None
) -> dict[str, Json]:
    """Return points as a list; with ``suits`` each says whether it is acceptable to all."""
    shown: list[Json] = []
    for at in _spread(len(keys), most):
        point = _pointed(found, found.point(keys[at]))
        shown.append(point if suits is None else {**point, "acceptable": keys[at] in suits})
    return {"size": len(keys), "points": shown, "left_out": len(keys) - len(shown)}


def _pointed(found: Frontier, point: Point) -> dict[str, Json]:
    return {
        "utilities": _by_party(found.problem, point.utilities),
        "deals": found.count(point),
        "deal": next(found.deals(point, 1)),
    }


def _solved(found: Frontier, one: Solution, most: int | None) -> dict[str, Json]:
    told: dict[str, Json] = {
        "says": _SAYS[one.name],
        "value": None if one.value is None else plain(_whole(one.value)),
        "why": one.why,
        **_section(found, [point.key for point in one.points], most),
    }
    if one.name == "ideal":
        told["distance"] = one.distance
    return told


def _shares(found: Frontier, utilities: Sequence[Fraction]) -> Iterator[Fraction | None]:
    """Yield each party's gain as a share of the most it could gain in a deal that all accept."""
    if not found.rational_keys:  # somebody went below its own reservation
        yield from [None] * len(utilities)
        return
    zero = disagreement_of(found.problem, found)
    tops = [max(column) for column in zip(*map(found.whole, found.rational_keys), strict=True)]
    for start, top, scale, own in zip(zero, tops, found.scales, utilities, strict=True):
        ideal = Fraction(top, scale) - start
        yield (own - start) / ideal if ideal else None


# --- places ----------------------------------------------------------------------------------


def _row(found: Frontier, key: int) -> list[Json]:
    whole = found.whole(key)
    return [one / scale for one, scale in zip(whole, found.scales, strict=True)]


def _outcomes(problem: Problem) -> list[Json]:
    """Return the places of all deals that can be made, each once."""
    places: dict[tuple[float, ...], bool] = {}
    columns = [_column(one.preferences) for one in problem.parties]
    limits = [one.preferences.reservation for one in problem.parties]
    lines = [one for party in problem.parties for one in party.red_lines]
    for at, deal in enumerate(problem.domain.deals()):
        if not is_allowed(deal, problem.constraints):
            continue
        values = [column[at] if column else one.preferences.of(deal)
                  for column, one in zip(columns, problem.parties, strict=True)]  # fmt: skip
        suits = is_allowed(deal, lines) and all(
            limit is None or value >= limit for value, limit in zip(values, limits, strict=True)
        )
        place = tuple(map(float, values))
        places[place] = places.get(place, False) or suits
    return [[*place, suits] for place, suits in places.items()]


def _column(preferences: object) -> list[Fraction]:
    """Return what every deal is worth, in the order of all deals; [] when asked deal by deal."""
    if not isinstance(preferences, Additive):
        return []
    rows, scale = preferences.whole()
    return [Fraction(sum(row), scale) for row in product(*rows)]


def _path(problem: Problem, result: IssueAgreement | IssueNoDeal) -> dict[str, Json]:
    path: dict[str, list[Json]] = {name: [] for name in problem.names}
    known: dict[tuple[tuple[str, str], ...], list[Json]] = {}
    for at in _spread(len(result.offers), OFFERS_DRAWN):
        one = result.offers[at]
        if one.deal not in known:
            known[one.deal] = list(map(float, problem.utilities(dict(one.deal))))
        path[one.party].append(known[one.deal])
    return dict(path)
