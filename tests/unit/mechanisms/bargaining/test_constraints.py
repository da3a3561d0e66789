"""Unit tests of constraints: M1, G7."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.constraints import constraints_of, is_allowed
from comity.mechanisms.bargaining.domain import domain_of

DOMAIN = domain_of({"tls": ["1.2", "1.3"], "days": [30, 60, 90]}, {"cost": "2 + 1/2 * days"})


def test_m1_a_combination_is_out_only_when_every_part_is_there() -> None:
    (one,) = constraints_of(DOMAIN, [{"tls": "1.2", "days": [60, 90, 60]}])
    assert str(one) == "not (tls in {1.2} and days in {60, 90})"
    assert not one.allows({"tls": "1.2", "days": "60"})
    assert one.allows({"tls": "1.2", "days": "30"})
    assert one.allows({"tls": "1.3", "days": "60"})


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("cost <= 32", ["30", "60"]),
        ("cost < 32", ["30"]),
        ("cost >= 32", ["60", "90"]),
        ("cost > 32", ["90"]),
        ("cost == 32", ["60"]),
        ("  cost<=63/2 ", ["30"]),
    ],
)
def test_m1_a_limit_on_a_declared_sum_is_exact(text: str, allowed: list[str]) -> None:
    found = constraints_of(DOMAIN, require=[text])
    days = DOMAIN.term("days").names
    assert str(found[0]).startswith("cost ")
    assert [one for one in days if is_allowed({"tls": "1.2", "days": one}, found)] == allowed


def test_g7_every_fault_of_constraints_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        constraints_of(
            DOMAIN,
            [{"tsl": "1.2"}, {}, {"tls": []}, {"days": 45}],
            ["cost", "price <= 3", "cost <= many"],
            whose="ann",
        )
    said = str(caught.value)
    for words in (
        "names the term 'tsl'",
        "excludes nothing",
        "sets days to '45', which is not on offer",
        "requires 'cost'",
        "limits 'price', which is no declared sum",
        "limit of cost",
    ):
        assert words in said, words
    assert len(caught.value.faults) == 7
