"""Unit tests of problems: M1, G7."""

from __future__ import annotations

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, problem_of

DOMAIN = domain_of({"a": ["x", "y"], "b": [1, 2]})


def test_g7_every_fault_of_a_problem_at_once() -> None:
    other = domain_of({"a": ["x"]})
    parties = [
        Bargainer("ann", additive(DOMAIN, {})),
        Bargainer("ann", additive(other, {})),
        Bargainer("", additive(DOMAIN, {})),
    ]
    with pytest.raises(InvalidInput) as caught:
        problem_of(DOMAIN, parties)
    said = str(caught.value)
    assert "ann: stands twice" in said
    assert "ann: values another domain" in said
    assert "party ''" in said
    with pytest.raises(InvalidInput, match="has 0 parties"):
        problem_of(DOMAIN, {})


def test_m1_a_problem_knows_who_refuses_a_deal() -> None:
    lines = constraints_of(DOMAIN, [{"a": "y"}])
    problem = problem_of(
        DOMAIN,
        [
            Bargainer("bob", additive(DOMAIN, {"b": {"2": 1}}, reservation=1)),
            Bargainer("ann", additive(DOMAIN, {}), lines),
        ],
        constraints=constraints_of(DOMAIN, [{"a": "x", "b": 2}]),
    )
    assert problem.names == ("ann", "bob")
    assert problem.refused_by({"a": "y", "b": "1"}) == ("ann", "bob")
    assert problem.refused_by({"a": "x", "b": "2"}) == ()
    assert not problem.allows({"a": "x", "b": "2"})
    assert problem.party("bob").preferences.reservation == 1
    assert not problem.is_additive
    assert not problem_of(DOMAIN, problem.parties).is_additive
    plain = {name: additive(DOMAIN, {}) for name in ("ann", "bob")}
    assert problem_of(DOMAIN, plain).is_additive
