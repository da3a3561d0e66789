"""Truthfulness audit: can anybody gain by bidding something else than its true value?

Here: the largest gain from a lie over all values, rivals and lies of a grid, or over a seeded
sample of them; the worst lie; under which assumptions truth is best.
Not here: what is tried (trials.py), the rules.
Sources: SEMANTICS A3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import product
from math import prod
from typing import Any, TypedDict, Unpack

from comity.core.canonical import digest, plain
from comity.core.errors import Fault, InvalidInput, UnknownName, did_you_mean, raise_if, shown
from comity.core.exact import Exact, like, read_exact, show_number
from comity.core.results import Grounds, Verdict, result_form
from comity.mechanisms.auctions.assumptions import ASSUMPTIONS
from comity.mechanisms.auctions.bids import Amount, read_reserve, whole_number
from comity.mechanisms.auctions.trials import TRIALS, Outcome, Setting, Trial

__all__ = ["EXHAUSTIVE_TO", "AuditOptions", "Lie", "TruthfulnessVerdict", "audit"]

EXHAUSTIVE_TO = 300_000
"""Cases (value, rivals, lie) up to which all are tried."""

_SAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Lie:
    """A lie that pays.

    Attributes:
        value: the true value.
        others: what the others bid.
        lie: what is bid instead of the value.
        truthful: the gain from the truth.
        lying: the gain from the lie.
        role: who lies.

    Example:
        >>> Lie(value="6", others=("0",), lie="2", truthful=0, lying=4, role="bidder").lying
        4
    """

    value: str
    others: tuple[str, ...]
    lie: str
    truthful: Exact
    lying: Exact
    role: str


@result_form("truthfulness")
@dataclass(frozen=True, slots=True, kw_only=True)
class TruthfulnessVerdict(Verdict):
    """Whether a lie paid anywhere.

    Attributes:
        verdict: ``truthful`` when no lie that was tried pays, else ``not_truthful``.
        regret: the largest gain from a lie.
        worst: that lie, None when none pays.
        cases: how many cases (value, rivals, lie) were tried.
        exhaustive: whether these are all of the grid; else they are a sample, and no proof.
        assumptions: when truth is best, or what to expect instead.
        says: the verdict in one sentence.
    """

    regret: Exact
    worst: Lie | None
    cases: int
    exhaustive: bool
    assumptions: tuple[str, ...]
    says: str


class AuditOptions(TypedDict, total=False):
    """The options of :func:`audit`.

    Attributes:
        bidders: how many bid, the liar among them; of a double auction on each side. Default 2.
        reserve: the reserve. Default 0.
        units: how many units are sold, or items, where bids are on bundles. Default 1, of bundles
            and units 2.
        samples: try so many random cases; by default all, up to `EXHAUSTIVE_TO`, else 2,000.
        seed: of the sample.
    """

    bidders: int
    reserve: Amount
    units: int
    samples: int
    seed: str


def audit(
    rule: str, grid: Sequence[Amount], **options: Unpack[AuditOptions]
) -> TruthfulnessVerdict:
    """Look for a lie that pays.

    Ties are tried with luck on either side; a lie pays when it pays under one of them.

    Args:
        rule: a name of `AUCTIONS`, or one of the flawed rules ``pay_as_bid``,
            ``second_distinct_price`` and ``second_price_unclamped``.
        grid: the amounts that values and bids are taken from.
        **options: see :class:`AuditOptions`.

    Returns:
        The verdict with the largest regret and the worst lie.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> audit("second_price", range(7), bidders=2, reserve=2).regret
        0
        >>> audit("first_price", range(7), bidders=2, reserve=2).says
        'Not truthful: with the value 6 against 0, bidding 2 gains 4 instead of 0.'
    """
    faults: list[Fault] = []
    given: dict[str, Any] = dict(options)
    known = AuditOptions.__annotations__
    for name in sorted(given.keys() - known.keys()):
        near = did_you_mean(name, known)
        faults.append(Fault("audit", f"has no option {name!r}", ", ".join(known), near))
    if rule not in TRIALS:
        near = did_you_mean(str(rule), TRIALS)
        what = f"rule {shown(rule)}"
        raise UnknownName(Fault(what, "cannot be audited", ", ".join(TRIALS), near))
    trial = Trial(
        grid=_read_grid(grid, faults),
        bidders=whole_number(given.get("bidders", 2), "bidders", faults),
        reserve=read_reserve(given.get("reserve", 0), faults),
        units=whole_number(given.get("units", TRIALS[rule].units), "units", faults),
    )
    samples = given.get("samples")
    count = None if samples is None else whole_number(samples, "samples", faults)
    seed = given.get("seed", "0")
    if not isinstance(seed, str):
        faults.append(Fault("audit", f"seed is {shown(seed)}", "text", "give text"))
    raise_if(faults)
    return _audited(rule, trial, count, seed)


def _read_grid(grid: Sequence[Amount], faults: list[Fault]) -> tuple[Exact, ...]:
    found: list[Exact] = []
    for one in grid if isinstance(grid, (list, tuple, range)) else ():
        try:
            found.append(read_exact(one, "grid", "amount"))
        except InvalidInput as error:
            faults.extend(error.faults)
    if not found or min(found) < 0 or len(set(found)) < len(found):
        what = f"grid is {shown(grid)}"
        faults.append(Fault("audit", what, "a list of amounts from 0, each once", "correct it"))
    return tuple(sorted(found))


def _audited(rule: str, trial: Trial, samples: int | None, seed: str) -> TruthfulnessVerdict:
    settings = TRIALS[rule].settings(trial)
    total = sum(len(one.reports) ** 2 * prod(map(len, one.rivals)) for one in settings)
    is_whole = samples is None and total <= EXHAUSTIVE_TO
    regret: Fraction = Fraction(0)
    worst: Lie | None = None
    cases = 0
    for setting in settings:
        played: dict[tuple[object, tuple[object, ...]], tuple[Outcome, ...]] = {}
        drawn = _all(setting) if is_whole else _some(setting, samples or _SAMPLES, seed)
        for value, others, lie in drawn:
            cases += 1
            for own in (value, lie):
                if (own, others) not in played:
                    played[own, others] = setting.play(own, others)
            truth, other = played[value, others], played[lie, others]
            honest, lying, gain = _gain(setting, value, truth, other)
            if gain > regret:
                regret = gain
                worst = _lie(setting, (value, others, lie), (honest, lying), trial.grid)
    return _verdict(rule, trial, (regret, worst), (cases, is_whole, seed))


def _all(setting: Setting) -> Iterator[tuple[Any, tuple[Any, ...], Any]]:
    for others in product(*setting.rivals):
        for value, lie in product(setting.reports, repeat=2):
            yield value, others, lie


def _some(setting: Setting, count: int, seed: str) -> Iterator[tuple[Any, tuple[Any, ...], Any]]:
    def pick(among: Sequence[Any], label: str) -> Any:  # noqa: ANN401  # a report
        raw = sha256(f"{seed}/{setting.role}/{label}".encode()).digest()
        return among[int.from_bytes(raw, "big") * len(among) >> 256]

    for at in range(count):
        others = tuple(pick(one, f"{at}/rival {i}") for i, one in enumerate(setting.rivals))
        yield pick(setting.reports, f"{at}/value"), others, pick(setting.reports, f"{at}/lie")


def _gain(
    setting: Setting, value: object, truth: tuple[Outcome, ...], lie: tuple[Outcome, ...]
) -> tuple[Fraction, Fraction, Fraction]:
    """Return what truth and lie gain where the lie gains most, and the difference."""
    luck = max(len(truth), len(lie))
    found = []
    for at in range(luck):
        honest = setting.gain(value, truth[at % len(truth)])
        lying = setting.gain(value, lie[at % len(lie)])
        found.append((lying - honest, lying, honest))
    gain, lying, honest = max(found)
    return honest, lying, gain


def _lie(
    setting: Setting,
    case: tuple[object, tuple[object, ...], object],
    gains: tuple[Fraction, Fraction],
    models: Sequence[Exact],
) -> Lie:
    value, others, lie = case
    return Lie(
        value=setting.text(value),
        others=tuple(map(setting.text, others)),
        lie=setting.text(lie),
        truthful=like(gains[0], *models),
        lying=like(gains[1], *models),
        role=setting.role,
    )


def _verdict(
    rule: str, trial: Trial, found: tuple[Fraction, Lie | None], how: tuple[int, bool, str]
) -> TruthfulnessVerdict:
    regret, worst = found
    cases, is_whole, seed = how
    if worst is None:
        tried = f"all {cases} cases of the grid" if is_whole else f"{cases} cases drawn by seed"
        says = f"Truthful: no lie pays in {tried}."
    else:
        against = " and ".join(worst.others) or "nobody"
        says = (
            f"Not truthful: with the value {worst.value} against {against}, bidding {worst.lie} "
            f"gains {show_number(worst.lying)} instead of {show_number(worst.truthful)}."
        )
    parameters = {
        "grid": list(trial.grid),
        "bidders": trial.bidders,
        "reserve": trial.reserve,
        "units": trial.units,
        "cases": cases,
        "seed": None if is_whole else seed,
    }
    return TruthfulnessVerdict(
        verdict="truthful" if worst is None else "not_truthful",
        regret=like(regret, *trial.grid),
        worst=worst,
        cases=cases,
        exhaustive=is_whole,
        assumptions=ASSUMPTIONS.get(rule, ("a flawed rule, audited to show its fault",)),
        says=says,
        grounds=Grounds(
            rule=rule,
            ended_by="all cases tried" if is_whole else "sample tried",
            inputs_digest=digest({"rule": rule, **parameters}),
            parameters=tuple((name, plain(one)) for name, one in parameters.items()),
            thin=() if is_whole else ("a sample: no proof that no lie pays",),
        ),
    )
