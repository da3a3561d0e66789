"""Play: one task in, one row out: how does that go without ever failing the tournament?

Here: the tables and points of a scenario, made once and shared by its negotiations; playing one
task; what its row says.
Not here: many tasks and processes (run.py), whose strategy failed (guarding.py).
Sources: SEMANTICS M2, M3, M4; complaint 4 of the research (a failure names the party and why).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import dist
from typing import Any, Literal, cast

from comity.core.errors import AgentError, ComityError, InvalidInput, one_line
from comity.mechanisms.bargaining.frontier import Frontier, frontier
from comity.mechanisms.bargaining.issue_results import IssueAgreement
from comity.mechanisms.bargaining.outcomes import Outcomes, OwnView, outcomes_of
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.solutions import solutions, worths_of
from comity.simulate.plan import Entry, Task
from comity.simulate.rows import DISTANCES, Distances, Numbers, Row, exact_text

__all__ = ["Scene", "play", "scene_of"]

_DIGITS = 12
_LONGEST_REASON = 500

Place = tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Where a scenario's points lie, rounded for distances, and which are efficient, exactly.

    Attributes:
        efficient: the utilities of every undominated point.
        feasible: whether all parties accept any deal.
        factors: per party, what brings its utilities to the common unit; empty without one.
        places: what distances are measured to -> its points in the common unit.
        share_places: the same as shares of the most that each party could gain alone.
    """

    efficient: frozenset[tuple[Fraction, ...]]
    feasible: bool
    factors: tuple[Fraction, ...]
    places: dict[str, list[Place]]
    share_places: dict[str, list[Place]]


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """A scenario made ready: its tables and points, worked out once.

    Attributes:
        entry: the scenario.
        outcomes: the tables of all parties.
        base: what each party has without a deal.
        ideals: the most that each could gain alone.
        points: where its points lie; None when the frontier refuses the problem.
        judged: place of a deal -> what a row says of it.
    """

    entry: Entry
    outcomes: Outcomes
    base: tuple[Fraction, ...]
    ideals: tuple[Fraction, ...]
    points: Points | None
    judged: dict[int, dict[str, Any]] = field(default_factory=dict)


def scene_of(entry: Entry) -> Scene:
    """Make a scenario ready.

    Args:
        entry: the scenario.

    Returns:
        Its scene; without points where the frontier refuses the problem.

    Raises:
        InvalidInput: when its deals cannot be listed.

    Example:
        >>> from comity.simulate.planning import entry_of
        >>> from comity.testing.bargains import sample_problem
        >>> [str(one) for one in scene_of(entry_of("tls", sample_problem())).ideals]
        ['3', '3']
    """
    outcomes = outcomes_of(entry.problem)
    base = tuple(map(_without_deal, outcomes.views, entry.problem.parties))
    ideals = tuple(
        Fraction(view.best, view.scale) - least if len(view.order) else Fraction(0)
        for view, least in zip(outcomes.views, base, strict=True)
    )
    try:
        points = _points(frontier(entry.problem), base, ideals)
    except InvalidInput:
        points = None
    return Scene(entry, outcomes, base, ideals, points)


def _without_deal(view: OwnView, party: Bargainer) -> Fraction:
    """Return what a party has without a deal, as solutions.py counts it."""
    if party.preferences.reservation is not None:
        return party.preferences.reservation
    return min(Fraction(0), Fraction(view.lowest, view.scale) if len(view.order) else Fraction(0))


def _points(found: Frontier, base: Sequence[Fraction], ideals: Sequence[Fraction]) -> Points:
    every = [one.utilities for one in found.points]
    named = {"frontier": every}
    for name, one in solutions(found).items():
        named[name] = [point.utilities for point in one.points]
    factors, why = worths_of(found.problem, "a distance")
    places = {} if why else {key: _places(own, factors) for key, own in named.items()}
    shares = {
        name: _places([_shares(one, base, ideals) for one in named[name]])
        for name in DISTANCES[:3]
    }
    return Points(
        efficient=frozenset(every),
        feasible=bool(found.rational_keys),
        factors=tuple(factors),
        places=places,
        share_places=shares,
    )


def _shares(
    worth: Sequence[Fraction], base: Sequence[Fraction], ideals: Sequence[Fraction]
) -> tuple[Fraction, ...]:
    """Return each party's gain as a share of its ideal one; 0 where it can gain nothing."""
    return tuple(
        (own - least) / ideal if ideal else Fraction(0)
        for own, least, ideal in zip(worth, base, ideals, strict=True)
    )


def _places(points: Sequence[Sequence[Fraction]], factors: Sequence[Fraction] = ()) -> list[Place]:
    try:
        return [_place(one, factors) for one in points]
    except OverflowError:  # beyond what a distance can be rounded to
        return []


def _place(point: Sequence[Fraction], factors: Sequence[Fraction]) -> Place:
    if not factors:
        return tuple(map(float, point))
    return tuple(float(one * factor) for one, factor in zip(point, factors, strict=True))


def _distances(own: Place, places: dict[str, list[Place]]) -> Distances:
    return tuple(
        (name, float(f"{min(dist(own, one) for one in places[name]):.{_DIGITS}g}"))
        for name in DISTANCES
        if places.get(name)
    )


# --- one negotiation -------------------------------------------------------------------------


def play(scene: Scene | str, task: Task) -> Row:
    """Play one task; whatever fails in it is told by its row.

    Args:
        scene: the scenario made ready; or why that failed.
        task: what is played.

    Returns:
        The row.

    Example:
        >>> from comity.simulate.planning import plan_of
        >>> from comity.testing.bargains import sample_problem
        >>> plan = plan_of({"tls": sample_problem()}, ["linear"])
        >>> play(scene_of(plan.entries[0]), plan.tasks()[0]).utilities
        (('ann', '4'), ('bob', '3'))
    """
    told: dict[str, Any] = {
        "id": task.id,
        "scenario": task.scenario,
        "strategies": task.strategies,
        "rounds": task.rounds,
        "protocol": task.protocol,
        "repetition": task.repetition,
        "seed": task.seed,
    }
    if isinstance(scene, str):
        return _failed(told, "", scene)
    told["feasible"] = None if scene.points is None else scene.points.feasible
    try:
        result = negotiate_issues(
            scene.outcomes,
            dict(task.strategies),
            rounds=task.rounds,
            protocol=cast("Literal['alternating', 'simultaneous']", task.protocol),
            seed=task.seed,
            trace=False,
        )
    except AgentError as error:
        fault = error.faults[0]
        return _failed({**told, **_nothing(scene)}, fault.whose, fault.what)
    except ComityError as error:
        fault = error.faults[0]
        return _failed({**told, **_nothing(scene)}, "", f"{fault.whose}: {fault.what}")
    except Exception as error:  # noqa: BLE001  # a tournament outlives every strategy
        return _failed({**told, **_nothing(scene)}, "", f"{type(error).__name__}: {error}")
    if isinstance(result, IssueAgreement):
        index = scene.outcomes.layout.index({key: str(value) for key, value in result.terms})
        told |= _judged(scene, index)
        return Row(
            **told,
            kind="agreement",
            rounds_used=result.round + 1,
            ended_by=result.grounds.ended_by,
        )
    told |= _nothing(scene)
    return Row(**told, kind="no_deal", rounds_used=result.rounds, ended_by=result.reason)


def _failed(told: dict[str, Any], party: str, reason: str) -> Row:
    short = one_line(reason)[:_LONGEST_REASON]
    return Row(**told, kind="failed", ended_by="failure", failed_by=party, reason=short)


def _numbers(scene: Scene, values: Sequence[Fraction]) -> Numbers:
    return tuple(zip(scene.entry.problem.names, map(exact_text, values), strict=True))


def _nothing(scene: Scene) -> dict[str, Any]:
    """Return what a row says without a deal."""
    zeros = [Fraction(0)] * len(scene.base)
    return {
        "utilities": _numbers(scene, scene.base),
        "gains": _numbers(scene, zeros),
        "shares": _numbers(scene, zeros),
    }


def _judged(scene: Scene, index: int) -> dict[str, Any]:
    """Return what a row says of a deal; the same for every negotiation that ends with it."""
    if index in scene.judged:
        return scene.judged[index]
    worth = tuple(view.of(index) for view in scene.outcomes.views)
    shares = _shares(worth, scene.base, scene.ideals)
    gains = [own - least for own, least in zip(worth, scene.base, strict=True)]
    told: dict[str, Any] = {
        "deal": tuple(sorted(scene.outcomes.layout.deal(index).items())),
        "utilities": _numbers(scene, worth),
        "gains": _numbers(scene, gains),
        "shares": _numbers(scene, shares),
    }
    points = scene.points
    if points is not None:
        told["efficient"] = worth in points.efficient
        told["share_distances"] = _distances(_place(shares, ()), points.share_places)
        if points.places.get("frontier"):
            told["distances"] = _distances(_place(worth, points.factors), points.places)
    scene.judged[index] = told
    return told
