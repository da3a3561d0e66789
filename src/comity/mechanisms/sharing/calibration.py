"""Calibration: does an agent gain what it claims, and how much should its next claim count?

Here: claimed against realised gain per period, the ratio shrunk towards 1, the flag, the floor
that lets a starved agent prove itself.
Not here: where gains are measured and kept (watch/), the sharing (divide.py takes the ratios).
Sources: SEMANTICS D3; shrinkage as in credibility theory (Bühlmann 1967): n periods weigh n
against a fixed number of periods that were right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from comity.core.errors import raise_if, shown
from comity.core.exact import Exact, to_fraction
from comity.core.parties import PartyId
from comity.mechanisms.sharing.checks import Reading, whole_or_ratio

__all__ = ["Calibration", "calibrate", "exploration_floor"]

LONGEST_NAME = 200
"""The most characters of an agent's name, as in claims on exclusive things."""

Period = tuple[object, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """How an agent's claims compare with what came of them.

    Attributes:
        agent: its name.
        periods: how many periods it claimed a gain in.
        claimed: the gain it claimed, added up.
        realised: the gain that came, added up.
        raw: realised for each unit claimed; None before anything was claimed.
        ratio: the same, shrunk towards 1.
        flagged: whether the ratio is below the limit.

    Example:
        >>> calibrate({"c": [(100, 40)]})[0].flagged
        False
    """

    agent: PartyId
    periods: int
    claimed: Exact
    realised: Exact
    raw: Exact | None
    ratio: Fraction
    flagged: bool


def calibrate(
    history: Mapping[PartyId, Sequence[Period]],
    *,
    strength: object = 2,
    flag_below: object = Fraction(1, 2),
) -> tuple[Calibration, ...]:
    """Compare claimed with realised gains.

    Args:
        history: agent -> one pair of claimed and realised gain for each period; for a claim, the
            gain claimed for the share that was got.
        strength: how many periods of exact claims every agent is taken to have had before.
        flag_below: the ratio below which an agent is flagged.

    Returns:
        One calibration for each agent, sorted by name. Their ratios go into the option
        ``ratios`` of :func:`~comity.mechanisms.sharing.divide.share`.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> found = calibrate({"c": [(100, 40), (100, 30), (100, 20), (100, 30)], "a": []})
        >>> [(one.agent, str(one.ratio), one.flagged) for one in found]
        [('a', '1', False), ('c', '8/15', False)]
        >>> calibrate({"c": [(100, 10)] * 4})[0].flagged
        True
    """
    reading = Reading()
    weight = reading.at_least_0(strength, "calibration", "strength")
    limit = reading.at_least_0(flag_below, "calibration", "flag_below")
    read: dict[PartyId, list[tuple[Fraction, Fraction]]] = {}
    for name in sorted(history, key=str):
        if not _is_name(name):
            allowed = f"1 to {LONGEST_NAME} printable characters, no space at the ends"
            reading.fault(f"agent {shown(name)}", "cannot be used as a name", allowed, "rename it")
        read[name] = _periods(reading, name, history[name])
    raise_if(reading.faults)
    return tuple(_calibration(name, periods, weight, limit) for name, periods in read.items())


def _is_name(name: object) -> bool:
    """Tell whether a name can stand for an agent, as in claims logs."""
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        return False
    return name.isprintable() and name == name.strip()


def _periods(reading: Reading, name: object, given: object) -> list[tuple[Fraction, Fraction]]:
    whose = str(name)
    if not isinstance(given, (list, tuple)):
        reading.fault(whose, f"has the history {shown(given)}", "a list of pairs", "list periods")
        return []
    found = []
    for at, pair in enumerate(given, 1):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            allowed = "claimed and realised gain"
            reading.fault(whose, f"period {at} is {shown(pair)}", allowed, "give two numbers")
            continue
        claimed = reading.at_least_0(pair[0], whose, f"claimed gain of period {at}")
        realised = reading.exact(pair[1], whose, f"realised gain of period {at}")
        found.append((claimed, Fraction() if realised is None else to_fraction(realised)))
    return found


def _calibration(
    name: PartyId, periods: Sequence[tuple[Fraction, Fraction]], weight: Fraction, limit: Fraction
) -> Calibration:
    counted = [pair for pair in periods if pair[0]]
    claimed = sum((one for one, _ in counted), Fraction())
    realised = sum((one for _, one in counted), Fraction())
    raw = realised / claimed if claimed else None
    many = len(counted)
    # a loss counts as no gain: a curve times a negative number would be no curve
    ratio = (weight + many * max(raw or Fraction(), Fraction())) / (weight + many or 1)
    if not counted:
        ratio = Fraction(1)
    return Calibration(
        agent=name,
        periods=many,
        claimed=whole_or_ratio(claimed),
        realised=whole_or_ratio(realised),
        raw=None if raw is None else whole_or_ratio(raw),
        ratio=ratio,
        flagged=ratio < limit,
    )


def exploration_floor(
    budget: object, agents: object, *, part: object = Fraction(1, 20), quantum: object = 1
) -> Fraction:
    """Return a minimum for every agent, so that nobody is starved of the chance to prove itself.

    Args:
        budget: what there is.
        agents: how many share it.
        part: the part of the budget kept for all minima together, from 0 to 1.
        quantum: the smallest amount.

    Returns:
        The minimum, rounded down to whole quanta; the option ``minimum`` of
        :func:`~comity.mechanisms.sharing.divide.share`.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> exploration_floor(12000, 3)
        Fraction(200, 1)
    """
    reading = Reading()
    money = reading.at_least_0(budget, "floor", "budget")
    share = reading.at_least_0(part, "floor", "part")
    step = reading.above(quantum, "floor", "quantum")
    if share > 1:
        reading.low("floor", "part", share, "from 0 to 1")
    if type(agents) is not int or agents < 1:
        reading.fault("floor", f"agents is {shown(agents)}", "1 or more", "count the agents")
    raise_if(reading.faults)
    assert isinstance(agents, int)  # or it would be a fault
    return money * share / agents // step * step
