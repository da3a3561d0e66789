"""Results: an allocation explains itself and survives JSON (G1, G2)."""

from __future__ import annotations

import json

from comity.core.results import result_from_json
from comity.mechanisms.sharing.divide import share
from comity.mechanisms.sharing.results import BudgetAllocation, BudgetNoDecision

CLAIMS = {"a": [[4000, 2], [4000, "1.1"]], "b": [[3000, 3], [3000, "1.5"]]}


def test_g1_an_allocation_is_read_by_a_person() -> None:
    found = share(8000, CLAIMS, objective="utilitarian", credits=True, priorities={"b": 1})
    assert isinstance(found, BudgetAllocation)
    assert str(found).splitlines() == [
        "Shared 8000 by utilitarian: a 4000, b 4000.",
        "",
        "agent  share   gain  last unit  next unit  charge",
        "a       4000   8000          2        1.1    3000",
        "b       4000  10500        1.5        1.5    4400",
        "",
        "leftover: 0",
        "last unit of money: 1.5, next: 1.5",
        "",
        "beside              a     b  total gain",
        "first come       2000  6000       17500",
        "equal split      4000  4000       18500",
        "static priority  2000  6000       17500",
    ]
    assert (found.kind, found.exit_code, found.is_decided) == ("allocation", 0, True)
    plain = share(8000, CLAIMS)
    assert isinstance(plain, BudgetAllocation)
    assert plain.charges == {}
    assert set(plain.exact) == set(plain.gains) == set(plain.allocation) == {"a", "b"}


def test_g1_both_results_survive_json() -> None:
    for found in (
        share("10.00", {"a": {"power": 0.5}, "b": {"log": 3}, "c": [[5, 0]]}),
        share(7, {"a": [[5, 1]], "b": [[5, 1]], "c": [[5, 1]]}),
        share(7, CLAIMS, minimum={"a": 8}),
    ):
        back = result_from_json(json.loads(json.dumps(found.to_json())))
        assert back == found
        assert type(back) is type(found)


def test_an_allocation_without_rules_beside_is_shown_without_them() -> None:
    found = share(8000, CLAIMS)
    data = dict(found.to_json()) | {"beside": [], "notes": ["look"]}
    back = result_from_json(data)
    assert str(back).endswith("note: look")
    assert "equal split" not in str(back)


def test_g2_minima_that_do_not_fit_are_no_decision_with_the_shortfall() -> None:
    found = share("10.00", CLAIMS, minimum={"a": 7, "b": "3.01"})
    assert isinstance(found, BudgetNoDecision)
    assert (found.reason, str(found.shortfall), found.exit_code) == ("infeasible", "0.01", 10)
    assert found.unblock == (
        "raise the budget to 10.01",
        "lower what agents get at least by 0.01 together",
    )
