"""Report rules: are limits that cannot be used refused, all at once?"""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.independence.rules import ReportRules


def test_the_limits_have_their_documented_values() -> None:
    rules = ReportRules()
    assert (rules.min_shared, rules.constant_youden, rules.clone_kappa) == (30, 0.05, 0.9)
    assert (rules.resamples, rules.measure, rules.starts) == (1000, "nominal", 3)


def test_g7_every_limit_that_cannot_be_used_is_told() -> None:
    with pytest.raises(InvalidInput) as caught:
        ReportRules(
            min_shared=0,
            resamples=True,
            constant_youden=float("nan"),
            clone_kappa=2,
            measure="ratio",
            starts=1.5,
        )
    assert [fault.whose for fault in caught.value.faults] == [
        "min_shared",
        "resamples",
        "starts",
        "constant_youden",
        "clone_kappa",
        "measure",
    ]


@pytest.mark.parametrize(
    "limit", [{"resamples": 100_001}, {"clone_kappa": True}, {"clone_kappa": "0.9"}, {"starts": 0}]
)
def test_one_limit_alone_is_refused(limit: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(limit))):
        ReportRules(**limit)


@pytest.mark.parametrize("limit", [{"resamples": 0}, {"clone_kappa": 1}, {"constant_youden": -1}])
def test_ends_are_allowed(limit: dict[str, object]) -> None:
    assert ReportRules(**limit)
