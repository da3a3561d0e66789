"""Standings: which strategy did how well, overall and against each other?

Here: figures per strategy and per ordered pair over the rows of a tournament, per case of a sweep.
Not here: rows (rows.py), how standings look (render/tournament.py).
Sources: SEMANTICS M3 (agreement where a zone exists, exactly efficient, distance to Nash), G4
(equals share a rank; no list order decides).

A seat counts once: a strategy that plays both parties of a negotiation has two seats in it. The
ranking goes by the mean share: the gain as a share of the most the seat could gain alone, exact;
no deal and an own failure count as 0. A seat whose opponent failed counts for nothing. Distances
are between shares, over agreements. There is no interval around a mean: the negotiations of a
plan share scenarios, opponents and strategies without chance, so they are no sample of anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from comity.core.canonical import Json
from comity.core.exact import read_exact, to_fraction
from comity.simulate.plan import Case, Plan
from comity.simulate.rows import Row, exact_text

__all__ = ["standings"]


@dataclass(slots=True)
class _Sum:
    """What adds up over the seats of a strategy, or of a strategy against another."""

    seats: int = 0
    agreed: int = 0
    feasible: int = 0
    feasible_agreed: int = 0
    judged: int = 0
    efficient: int = 0
    failed: int = 0
    spoiled: int = 0
    rounds: int = 0
    utility: Fraction = Fraction(0)
    share: Fraction = Fraction(0)
    off: dict[str, list[float]] = field(default_factory=dict)

    def add(self, row: Row, worth: Fraction, share: Fraction) -> None:
        """Count one seat of a negotiation that nobody else's failure ended."""
        is_agreed = row.kind == "agreement"
        self.seats += 1
        self.agreed += is_agreed
        self.feasible += row.feasible is True
        self.feasible_agreed += is_agreed and row.feasible is True
        self.judged += row.efficient is not None
        self.efficient += row.efficient is True
        self.rounds += row.rounds_used
        self.utility += worth
        self.share += share
        for name, value in row.share_distances:
            self.off.setdefault(name, []).append(value)

    def to_json(self) -> dict[str, Json]:
        """Return the figures; None where nothing was counted."""
        return {
            "seats": self.seats,
            "agreed": self.agreed,
            "agreement_rate": _ratio(self.agreed, self.seats),
            "feasible": self.feasible,
            "feasible_agreement_rate": _ratio(self.feasible_agreed, self.feasible),
            "mean_share": _mean(self.share, self.seats),
            "mean_share_exact": exact_text(self.share / self.seats) if self.seats else None,
            "mean_utility": _mean(self.utility, self.seats),
            "efficient_rate": _ratio(self.efficient, self.judged),
            "frontier_distance": self._off("frontier"),
            "nash_distance": self._off("nash"),
            "kalai_smorodinsky_distance": self._off("kalai_smorodinsky"),
            "mean_rounds": _ratio(self.rounds, self.seats),
            "failed": self.failed,
            "spoiled": self.spoiled,
        }

    def _off(self, name: str) -> float | None:
        values = sorted(self.off.get(name, ()))
        return float(f"{sum(values) / len(values):.12g}") if values else None


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(total: Fraction, count: int) -> float | None:
    try:
        return float(total / count) if count else None
    except OverflowError:
        return None


def standings(rows: Iterable[Row], plan: Plan) -> dict[str, Json]:
    """Return what the rows of a plan add up to.

    Args:
        rows: rows of the plan, in any order.
        plan: the plan.

    Returns:
        JSON: per case of the sweep (one without) its ``standings``, best first, and its
        ``pairs``: what the first strategy of the pair got at a table with the second. Strategies
        with the same exact mean share have the same rank.

    Example:
        >>> from comity.simulate.planning import plan_of
        >>> from comity.simulate.run import run
        >>> from comity.testing.bargains import sample_problem
        >>> plan = plan_of({"tls": sample_problem()}, ["linear", "micro"])
        >>> found = standings(run(plan), plan)
        >>> [(one["rank"], one["strategy"]) for one in found["cases"][0]["standings"]]
        [(1, 'linear'), (1, 'micro')]
    """
    listed = sorted(rows, key=lambda row: row.id)
    failed = [row for row in listed if row.kind == "failed"]
    return {
        "v": 1,
        "kind": "tournament",
        "digest": plan.digest,
        "plan": plan.to_json(),
        "negotiations": len(listed),
        "agreements": sum(row.kind == "agreement" for row in listed),
        "infeasible": sum(row.feasible is False for row in listed),
        "failed": len(failed),
        "failures": _failures(failed),
        "cases": [_case(listed, one) for one in plan.cases],
    }


def _failures(failed: Sequence[Row]) -> list[Json]:
    """Return the different failures, each with how often it came."""
    counted: dict[tuple[str, str], list[str]] = {}
    for row in failed:
        strategy = dict(row.strategies).get(row.failed_by, "")
        counted.setdefault((strategy, row.reason), []).append(row.id)
    return [
        {"strategy": strategy, "reason": reason, "count": len(ids), "first": ids[0]}
        for (strategy, reason), ids in sorted(counted.items())
    ]


def _case(rows: Sequence[Row], case: Case) -> dict[str, Json]:
    playing = set(case.strategies)
    own: dict[str, _Sum] = {name: _Sum() for name in case.strategies}
    pairs: dict[tuple[str, str], _Sum] = {}
    count = 0
    for row in rows:
        if row.rounds != case.rounds or not playing.issuperset(dict(row.strategies).values()):
            continue
        count += 1
        for party, name in row.strategies:
            others = {other for at, other in row.strategies if at != party}
            sums = [own[name], *(pairs.setdefault((name, other), _Sum()) for other in others)]
            _count_seat(row, party, sums)
    told: list[dict[str, Any]] = [{"strategy": name, **one.to_json()} for name, one in own.items()]
    return {
        "label": case.label,
        "rounds": case.rounds,
        "negotiations": count,
        "standings": list(_ranked(told, {name: one.share for name, one in own.items()})),
        "pairs": [
            {"strategy": first, "against": second, **pairs[first, second].to_json()}
            for first, second in sorted(pairs)
        ],
    }


def _count_seat(row: Row, party: str, sums: Sequence[_Sum]) -> None:
    if row.kind == "failed":
        is_own = row.failed_by == party
        for one in sums:
            one.failed += is_own
            one.spoiled += not is_own
        if not is_own or not row.utilities:
            return
    worth = to_fraction(read_exact(dict(row.utilities)[party], "row", "utility"))
    share = to_fraction(read_exact(dict(row.shares)[party], "row", "share"))
    for one in sums:
        one.add(row, worth, share)


def _ranked(told: list[dict[str, Any]], shares: dict[str, Fraction]) -> Iterable[dict[str, Json]]:
    """Return strategies best first with their ranks; equals share one and stand by name."""
    means = {
        one["strategy"]: shares[one["strategy"]] / one["seats"] if one["seats"] else None
        for one in told
    }
    unranked = [one for one in told if means[one["strategy"]] is None]
    ranked = [one for one in told if means[one["strategy"]] is not None]
    ranked.sort(key=lambda one: (-(means[one["strategy"]] or 0), one["strategy"]))
    every = [mean for mean in means.values() if mean is not None]
    for one in ranked:
        mean = means[one["strategy"]] or Fraction(0)
        yield {"rank": 1 + sum(other > mean for other in every), **one}
    for one in unranked:
        yield {"rank": None, **one}
