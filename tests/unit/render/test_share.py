"""Share text: who gets how much, what money is worth, other rules beside (D1-D3)."""

from __future__ import annotations

from typing import Any

import pytest

from comity import share
from comity.render import share as module
from comity.render.ink import Ink
from comity.render.share import share_text

CURVES = {
    "a": [[4000, 2], [4000, 1.1], [4000, 0.4]],
    "b": [[3000, 3], [3000, 1.5], [6000, 0.5]],
    "c": [[2000, 2.5], [3000, 1.2], [7000, 0.3]],
}
BESIDE: dict[str, Any] = {
    "asks": {"a": 11400},
    "arrivals": ["a", ["b", "c"]],
    "priorities": {"a": 3, "b": 2, "c": 1},
}


def text(budget: Any, claims: Any, **options: Any) -> str:
    return share_text(share(budget, claims, **options).to_json(), Ink())


def cells(told: str, title: str) -> list[list[str]]:
    """Return the cells of the table under a title."""
    return [line.split() for line in told.partition(f"{title}\n")[2].split("\n\n")[0].split("\n")]


def test_d1_the_allocation_its_gains_and_margins_come_first() -> None:
    told = text(12000, CURVES, objective="utilitarian")
    lines = told.split("\n")
    assert lines[0] == "Shared 12000 by utilitarian: a 4000, b 6000, c 2000."
    assert lines[2].split() == ["agent", "share", "gain", "last", "unit", "next", "unit"]
    assert lines[4].split() == ["b", "6000", "13500", "1.5", "0.5"]
    for part in (
        "no other split into whole units raises the sum of the gains",
        "shadow price 1.5: what the last unit of money brought",
        "the next unit would bring 1.2",
        "gain of all together 26500",
    ):
        assert f"  - {part}\n" in told


def test_d2_the_same_budget_under_other_rules_stands_beside() -> None:
    told = text(12000, CURVES, objective="utilitarian", **BESIDE)
    shares = cells(told, "The same budget under other rules: what each would get")
    assert shares[1:] == [
        ["a", "4000", "11400", "4000", "11400"],
        ["b", "6000", "300", "4000", "600"],
        ["c", "2000", "300", "4000", "0"],
    ]
    gains = cells(told, "The same budget under other rules: what each would gain")
    assert gains[-1] == ["together", "26500", "15410", "25900", "15560"]
    assert "first come: a, then b with c (as stated)" in told
    assert "static priority" in told
    assert "by lot" not in told


def test_g4_orders_that_a_lot_decided_say_so() -> None:
    told = text(12000, CURVES, seed="7")
    assert "(by lot)" in told
    assert "static priority: equals by lot" in told


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({}, "no other split into whole units raises the product of the gains"),
        ({}, "relative to what its agent gains"),
        ({"objective": "leximin"}, "how far the last unit of money raised the smallest gain"),
        ({"objective": "leximin", "measure": "share_of_best"}, "each as a share of what the"),
        ({"objective": "utilitarian", "credits": True}, "charge"),
        ({"units": {"a": "ms"}}, "agent    nash  first come"),
    ],
)
def test_d1_each_objective_says_what_holds_at_its_split(options: Any, part: str) -> None:
    assert part in text(12000, CURVES, **options)


def test_g6_without_a_common_unit_gains_are_not_added_up() -> None:
    told = text(12000, CURVES, units={"a": "ms", "b": "GBP", "c": "GBP"})
    assert "together" not in told


def test_d1_what_nobody_can_use_is_left() -> None:
    told = text(12, {"a": [[4, 1]], "b": [[3, 2]]}, objective="utilitarian")
    assert "5 is left: nobody can use it" in told
    assert "next unit would" not in told


def test_d1_equally_good_splits_and_lots_are_worth_a_second_look() -> None:
    told = text(5, {"a": [[9, 1]], "b": [[9, 1]]}, objective="utilitarian")
    assert "other splits are as good\n" in told
    assert "Worth a second look\n  - a lot decided who gets a spare unit" in told


def test_d3_minima_that_do_not_fit_are_told_with_what_is_missing() -> None:
    told = text(12000, CURVES, minimum={"a": 9000, "b": 4000})
    assert told.startswith("No allocation: what agents get at least is 13000")
    assert "short by      1000" in told
    assert "What would unblock it\n  - raise the budget to 13000" in told
    assert "Why" not in told


def test_long_tables_are_cut_with_how_much_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 2)
    assert told_more(text(12000, CURVES)) == 3
    assert "(1 more agent)" in text(12000, CURVES, minimum=5000)


def told_more(told: str) -> int:
    return told.count("(1 more agent)")


def test_an_unknown_rule_and_objective_stand_as_they_are() -> None:
    data: dict[str, Any] = {
        "kind": "allocation",
        "objective": "fairest",
        "shadow_price": 2,
        "rows": [{"agent": "a\nb", "share": 1, "gain": 1}],
        "beside": [{"rule": "by hand", "shares": [], "gains": []}],
    }
    told = share_text(data, Ink())
    for part in ("  - fairest", "shadow price 2", "by hand", "a\\nb"):
        assert part in told
