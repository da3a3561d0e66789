"""Report rules: which limits does an independence report use?

Here: every limit and count of it, in one frozen value that stands in the report.
Not here: what they are used for (with_truth.py, agreement.py, tetrads.py).
Sources: SEMANTICS V9, G1 (parameters stand in the result), G7.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Literal, get_args

from comity.core.errors import Fault, raise_if, shown
from comity.mechanisms.voting.independence.accuracy import CONSTANT_YOUDEN
from comity.mechanisms.voting.independence.correlation import MIN_SHARED

__all__ = ["Measure", "ReportRules"]

Measure = Literal["nominal", "ordinal", "interval"]

_MOST_RESAMPLES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRules:
    """The limits of an independence report.

    Attributes:
        min_shared: a pair with fewer shared items counts only when no pair has more.
        resamples: how many bootstrap samples and permutations are drawn; 0 for none.
        constant_youden: a voter whose Youden's J is at most this counts as constant.
        clone_kappa: two voters whose kappa is above this count as one.
        measure: how far apart two answers are, for Krippendorff's alpha.
        starts: how many starts Dawid-Skene tries.

    Raises:
        InvalidInput: with every fault.

    Example:
        >>> ReportRules(min_shared=10).min_shared
        10
    """

    min_shared: int = MIN_SHARED
    resamples: int = 1000
    constant_youden: float = CONSTANT_YOUDEN
    clone_kappa: float = 0.9
    measure: Measure = "nominal"
    starts: int = 3

    def __post_init__(self) -> None:
        faults = []
        for name, least, most in (
            ("min_shared", 1, 10**9),
            ("resamples", 0, _MOST_RESAMPLES),
            ("starts", 1, 100),
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                allowed = f"a whole number from {least} to {most}"
                faults.append(Fault(name, f"is {shown(value)}", allowed, f"correct {name}"))
        for name in ("constant_youden", "clone_kappa"):
            value = getattr(self, name)
            is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
            if not is_number or not isfinite(value) or not -1 <= value <= 1:
                allowed = "a number from -1 to 1"
                faults.append(Fault(name, f"is {shown(value)}", allowed, f"correct {name}"))
        if self.measure not in get_args(Measure):
            allowed = ", ".join(get_args(Measure))
            faults.append(
                Fault("measure", f"is {shown(self.measure)}", allowed, "choose one of them")
            )
        raise_if(faults)
