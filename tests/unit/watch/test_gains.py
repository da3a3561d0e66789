"""Gains: only what was won and measured counts, and the ratio is that of the calibration."""

from __future__ import annotations

from fractions import Fraction

from comity.formats.claims_log import ClaimGain
from comity.mechanisms.sharing import calibrate
from comity.watch.gains import PeriodGain, gain_records

DAY = 86_400


def told(
    agent: str, claimed: object, realised: object, *, at: int = 0, won: bool = True
) -> ClaimGain:
    return ClaimGain(at, "ads", agent, won, claimed, realised)  # type: ignore[arg-type]


def test_d3_gains_are_summed_period_by_period() -> None:
    rows = [
        told("a", 100, 40, at=2 * DAY),
        told("a", 100, 30),
        told("a", 50, Fraction(1, 2), at=1),
        told("b", 10, 10),
    ]
    first, second = gain_records(rows, "day")
    assert first.periods == (
        PeriodGain(period="1970-01-01", claimed=150, realised=Fraction(61, 2)),
        PeriodGain(period="1970-01-03", claimed=100, realised=40),
    )
    assert (first.claimed, first.realised, first.raw) == (
        250,
        Fraction(141, 2),
        Fraction(141, 500),
    )
    assert (second.agent, second.ratio, second.flagged) == ("b", 1, False)


def test_d3_the_ratio_is_the_calibrations_with_a_period_as_one_observation() -> None:
    rows = [told("a", 100, 10, at=day * DAY) for day in range(4)]
    (by_day,) = gain_records(rows, "day")
    (known,) = calibrate({"a": [(100, 10)] * 4})
    assert (by_day.ratio, by_day.flagged) == (known.ratio, True)
    (at_once,) = gain_records(rows)
    assert (at_once.periods[0].period, at_once.flagged) == ("all", False)


def test_lost_and_unmeasured_claims_do_not_count() -> None:
    rows = [
        told("a", 100, 50),
        told("a", 100, None),
        told("a", None, 9),
        told("a", 900, None, won=False),
        told("z", 900, None, won=False),
    ]
    (one,) = gain_records(rows)
    assert (one.claimed, one.realised, one.unknown) == (100, 50, 2)
    (bare,) = gain_records([told("a", None, 9)])
    assert (bare.periods, bare.raw, bare.ratio) == ((), None, 1)
    assert gain_records([]) == ()


def test_names_may_be_those_of_any_log() -> None:
    names = ["team/agent 1", "ü·", "b", "ab"]
    found = gain_records([told(name, 4, at) for at, name in enumerate(names)])
    assert [(one.agent, one.realised) for one in found] == sorted(
        (name, at) for at, name in enumerate(names)
    )
