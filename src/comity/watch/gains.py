"""Gains: does what an agent claims to gain come true, period by period?

Here: claimed against realised gain of the claims that an agent won, per period and over all.
Not here: the ratio and its shrinking (mechanisms/sharing/calibration.py), files (formats/).
Sources: SEMANTICS D3: reporting is not truthful, so the claim is kept beside what came of it.

Only won claims count for which both numbers are known: a lost claim could not come true.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from comity.core.exact import Exact, to_fraction
from comity.formats.claims_log import ClaimGain
from comity.formats.instants import period_of
from comity.mechanisms.arbitration.win_table import Period
from comity.mechanisms.sharing import Calibration, calibrate

__all__ = ["GainRecord", "PeriodGain", "gain_records"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodGain:
    """What an agent claimed and gained in one period.

    Attributes:
        period: the period's first day, or ``"all"``.
        claimed: the gain it claimed for what it won.
        realised: the gain that came of it.
    """

    period: str
    claimed: Exact
    realised: Exact


@dataclass(frozen=True, slots=True, kw_only=True)
class GainRecord:
    """How the claims of one agent came true.

    Attributes:
        agent: its name.
        periods: what it claimed and gained, in order of time.
        claimed: the same, added up.
        realised: the same, added up.
        raw: realised for each unit claimed; None when it claimed nothing.
        ratio: the same, shrunk towards 1: the weight of its next claim.
        flagged: whether the ratio is below one half.
        unknown: how many won claims say only one of the two numbers.
    """

    agent: str
    periods: tuple[PeriodGain, ...]
    claimed: Exact
    realised: Exact
    raw: Exact | None
    ratio: Exact
    flagged: bool
    unknown: int


def gain_records(rows: Iterable[ClaimGain], by: Period | None = None) -> tuple[GainRecord, ...]:
    """Return how the claims of every agent came true.

    Args:
        rows: claims with their gains; lost ones are not looked at.
        by: the periods, each of which counts as one observation; None for a single one.

    Returns:
        One record for each agent that won a claim with a gain, sorted by name.

    Example:
        >>> day = [ClaimGain(86_400 * n, "ads", "a", True, 100, 40) for n in range(4)]
        >>> found = gain_records(day, "day")[0]
        >>> found.raw, str(found.ratio), found.flagged
        (Fraction(2, 5), '3/5', False)
    """
    summed: dict[str, dict[str, list[Fraction]]] = {}
    unknown: dict[str, int] = {}
    for one in rows:
        if not one.won:
            continue
        periods = summed.setdefault(one.agent, {})
        if one.claimed is None or one.realised is None:
            unknown[one.agent] = unknown.get(one.agent, 0) + 1
            continue
        pair = periods.setdefault(period_of(one.at, by), [Fraction(), Fraction()])
        pair[0] += to_fraction(one.claimed)
        pair[1] += to_fraction(one.realised)
    agents = sorted(summed)
    history = {
        agent: [(pair[0], pair[1]) for _, pair in sorted(summed[agent].items())]
        for agent in agents
    }
    return tuple(
        _record(agent, summed[agent], found, unknown.get(agent, 0))
        for agent, found in zip(agents, calibrate(history), strict=True)
    )


def _record(
    agent: str, periods: dict[str, list[Fraction]], found: Calibration, unknown: int
) -> GainRecord:
    return GainRecord(
        agent=agent,
        periods=tuple(
            PeriodGain(period=period, claimed=_tidy(claimed), realised=_tidy(realised))
            for period, (claimed, realised) in sorted(periods.items())
        ),
        claimed=found.claimed,
        realised=found.realised,
        raw=found.raw,
        ratio=_tidy(found.ratio),
        flagged=found.flagged,
        unknown=unknown,
    )


def _tidy(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value
