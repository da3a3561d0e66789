"""Desk: the use cases behind the doors, and a conflict that other code has decided (R5)."""

from __future__ import annotations

from pathlib import Path

import pytest

import comity
from comity.core.errors import InvalidInput
from comity.desk import claims_history, desk_names, desk_view, open_desk, recheck, rules_of


def test_r5_a_conflict_that_other_code_decided_is_on_record(tmp_path: Path) -> None:
    place = tmp_path / "comity.db"
    for day in range(3):
        comity.record_conflict(
            {"A": 3, "B": 2, "C": 1}, "A", "budget", db=place, request_id=f"day {day}"
        )
    comity.record_conflict([("A", 3)], ["A"], "budget", db=place, request_id="day 2")
    found = claims_history(place)
    assert [one.winners for one in found.conflicts] == [("A",)] * 3
    assert found.policy is None, "nobody promised anything"
    assert all(one.at is not None for one in found.conflicts)
    assert (desk_names(place), recheck(place)) == (("claims",), ())


def test_g7_a_winner_that_did_not_claim_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    place = tmp_path / "comity.db"
    with pytest.raises(InvalidInput, match="without a claim"):
        comity.record_conflict({"A": 3}, "Z", db=place)
    with pytest.raises(InvalidInput, match=r"(?i)nan"):
        comity.record_conflict({"A": float("nan")}, "A", db=place)
    assert claims_history(place).conflicts == ()


def test_the_readme_spelling_holds_and_gives_back(tmp_path: Path) -> None:
    with comity.Arbiter(tmp_path / "comity.db", comity.Policy(c=2)) as arbiter:
        with arbiter.claim("budget", agent="A", priority=9) as claim:
            assert (claim.token, claim.is_granted) == (1, True)
        with comity.acquire(arbiter, ["gpu", "disk"], agent="A") as held:
            assert list(held) == ["disk", "gpu"]
        assert arbiter.books.leases.leases == ()


def test_rules_of_nothing_are_none_and_all_faults_come_at_once() -> None:
    assert rules_of({"rule": None, "capacity": None}) is None
    with pytest.raises(InvalidInput) as caught:
        rules_of({"rule": "nothing", "c": -1, "capacity": 0})
    assert len(caught.value.faults) >= 2


def test_r3_a_view_counts_conflicts_and_names_bounds(tmp_path: Path) -> None:
    place = tmp_path / "comity.db"
    open_desk(place, {"c": 2})
    with comity.Arbiter(place) as arbiter:
        for _ in range(3):
            arbiter.decide([("A", 9), ("B", 5), ("C", 1)], "budget")
    view = desk_view(place)
    assert view.conflicts == 3
    assert {one.agent: one.bound for one in view.agents} == {"A": 2, "B": 4, "C": 6}
    open_desk(place, {"c": 0})
    assert desk_view(place).warnings


def test_r2_a_view_of_groups_shows_them(tmp_path: Path) -> None:
    place = tmp_path / "comity.db"
    policy = comity.Policy(scope="group", groups={"gpu": "machines", "cpu": "machines"})
    with comity.Arbiter(place, policy) as arbiter:
        arbiter.decide([("A", 2), ("B", 1)], "gpu")
        arbiter.decide([("A", 2), ("B", 1)], "cpu")
    assert {one.scope for one in desk_view(place).agents} == {"machines"}


def test_only_what_is_named_of_a_desk_changes(tmp_path: Path) -> None:
    place = tmp_path / "comity.db"
    policy = comity.Policy(c=2, priorities={"A": 9, "B": 5})
    comity.Arbiter(place, comity.DeskRules(policy=policy, capacity=2)).close()
    open_desk(place, {"lease_ms": 5_000, "c": None})
    rules = desk_view(place).rules
    assert (rules.policy, rules.capacity, rules.lease_ms) == (policy, 2, 5_000)
