"""Desk: the use cases behind the doors, and a conflict that other code has decided (R5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import comity
from comity.core.errors import ClaimNotGranted, InvalidInput
from comity.desk import (
    AgentAtDesk,
    claim_once,
    claims_history,
    desk_names,
    desk_view,
    open_desk,
    recheck,
    release_once,
    rules_of,
    set_clock,
    withdraw_once,
)
from comity.protocols.claims import DeskRules
from comity.runner.arbiter import Arbiter, ask_for
from comity.testing.clock import FakeClock


def test_r5_a_conflict_that_other_code_decided_is_on_record(tmp_path: Path) -> None:
    place = tmp_path / "comity.db"
    for day in range(3):
        comity.record_conflict(
            {"A": 3, "B": 2, "C": 1}, "A", "budget", db=place, request_id=f"day {day}"
        )
    again = [("C", 1), ("B", 2), ("A", 3)]
    comity.record_conflict(again, ["A"], "budget", db=place, request_id="day 2")
    with pytest.raises(InvalidInput, match="was used for something else"):
        comity.record_conflict(again, ["B"], "budget", db=place, request_id="day 2")
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
    assert open_desk(place, {"lease_ms": 5_000, "c": None}) is False
    rules = desk_view(place).rules
    assert (rules.policy, rules.capacity, rules.lease_ms) == (policy, 2, 5_000)
    open_desk(place, {"priorities": {"B": 6, "C": 1}})
    assert desk_view(place).rules.policy.priorities == (("A", 9), ("B", 6), ("C", 1))


# --- who is there ----------------------------------------------------------------------------


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "comity.db"


def agents(place: Path, clock: FakeClock) -> dict[str, AgentAtDesk]:
    return {one.agent: one for one in desk_view(place, clock=clock).agents}


def test_r3_who_waits_or_was_turned_away_counts_in_everybodys_bound(
    place: Path, clock: FakeClock
) -> None:
    open_desk(place, {"c": 2}, clock=clock)
    claim_once(place, {"resource": "gpu", "agent": "A", "priority": 9}, clock=clock)
    assert (agents(place, clock)["A"].is_alone, agents(place, clock)["A"].bound) == (True, 0)
    claim_once(place, {"resource": "gpu", "agent": "B", "priority": "5"}, clock=clock)
    given = {"resource": "gpu", "agent": "C", "priority": 1, "timeout_ms": 10}
    claim_once(place, given, wait=True, clock=clock)
    found = agents(place, clock)
    assert {name: one.bound for name, one in found.items()} == {"A": 2, "B": 4, "C": 6}
    assert not any(one.is_alone for one in found.values())
    assert (found["C"].turned_away, found["C"].wins, found["B"].losses) == (1, 0, 0)
    assert found["C"].since_ms == clock.now_ms() - 10
    assert found["A"].since_ms is None


def test_r3_a_priority_that_differs_while_it_waits_weakens_the_bound(
    place: Path, clock: FakeClock
) -> None:
    with comity.Arbiter(place, clock=clock) as arbiter:
        arbiter.decide({"A": 1, "B": 1}, "gpu")
        assert agents(place, clock)["B"].bound == 1
        arbiter.claim("gpu", agent="A", priority=1)
        arbiter.claim("gpu", agent="B", priority=3)
    assert agents(place, clock)["B"].bound == 3


def test_r3_declared_agents_count_before_they_claim(place: Path, clock: FakeClock) -> None:
    open_desk(place, {"c": 2, "priorities": {"A": 9, "B": 5, "C": 1}}, clock=clock)
    claim_once(place, {"resource": "gpu", "agent": "C"}, clock=clock)
    (found,) = agents(place, clock).values()
    assert (found.bound, found.priority, found.is_alone) == (6, 1, False)


def test_r2_an_agent_of_a_group_is_one_row(place: Path, clock: FakeClock) -> None:
    policy = comity.Policy(scope="group", groups={"gpu": "machines", "cpu": "machines"})
    with comity.Arbiter(place, policy, clock=clock) as arbiter:
        arbiter.claim("gpu", agent="A", lease_ms=10_000)
        arbiter.claim("cpu", agent="A", lease_ms=10_000)
        for resource in ("gpu", "cpu"):
            arbiter.claim(resource, agent="B", timeout_ms=10)
            clock.advance(10)
        arbiter.advance()
        found = agents(place, clock)
        assert (found["A"].wins, found["B"].turned_away) == (2, 2)
        assert found["B"].since_ms == clock.now_ms() - 20
        groups = {"cpu": "machines"}
        arbiter.change(comity.Policy(scope="group", groups=groups))
    assert [one.scope for one in desk_view(place, clock=clock).agents] == [
        "gpu",
        "gpu",
        "machines",
        "machines",
    ], "gpu has no group any more"


def test_r5_nothing_is_promised_where_the_rule_did_not_decide(
    place: Path, clock: FakeClock
) -> None:
    with comity.Arbiter(place, clock=clock) as arbiter:
        arbiter.record({"A": 3, "B": 1}, "A", "budget")
        arbiter.decide({"A": 3, "B": 1}, "budget")
        arbiter.decide({"A": 3, "B": 1}, "gpu")
    view = desk_view(place, clock=clock)
    bounds = {(one.scope, one.agent): one.bound for one in view.agents}
    assert bounds["budget", "B"] is None
    assert bounds["gpu", "B"] == 3
    assert (view.conflicts, view.elsewhere) == (3, 1)
    assert view.warnings == (
        "1 of 3 conflicts were decided elsewhere: there the rule losses promises nothing",
    )
    open_desk(place, {"circles": "wound_wait"}, name="old", clock=clock)
    claim_once(place, {"resource": "gpu", "agent": "A"}, name="old", clock=clock)
    view = desk_view(place, name="old", clock=clock)
    assert view.agents[0].bound is None
    assert "the oldest claim is next" in view.warnings[-1]


def test_r1_under_hours_the_view_tells_hours(place: Path, clock: FakeClock) -> None:
    with comity.Arbiter(place, comity.Policy(rule="hours"), clock=clock) as arbiter:
        arbiter.decide({"A": 3, "B": 1}, "gpu")
        clock.advance(2 * 3_600_000)
    assert agents(place, clock)["B"].losses == 2


# --- claims of the doors ---------------------------------------------------------------------


@pytest.mark.parametrize("rule", ["human", "split", "second_price"])
def test_r4_a_desk_at_which_nothing_can_be_claimed_is_not_opened(place: Path, rule: str) -> None:
    with pytest.raises(InvalidInput, match=r"gives no leases.*losses, hours.*Arbiter\.decide"):
        open_desk(place, {"rule": rule})
    assert not place.exists()
    open_desk(place, {"rule": "losses"})
    with pytest.raises(InvalidInput, match="gives no leases"):
        open_desk(place, {"rule": rule})
    assert desk_view(place).rules.policy.rule == "losses"


def test_g7_a_desk_that_is_nearly_called_like_another_is_not_opened_by_the_way(
    place: Path,
) -> None:
    wanted = {"resource": "gpu", "agent": "A"}
    assert claim_once(place, wanted).is_new_desk
    with pytest.raises(InvalidInput, match=r"did you mean 'claims'; else open it first: .* clams"):
        claim_once(place, wanted, name="clams")
    assert claim_once(place, wanted, name="other").is_new_desk
    assert open_desk(place, {"c": 1}, name="clams") is True
    assert not claim_once(place, wanted, name="clams").is_new_desk
    with pytest.raises(InvalidInput, match="did you mean 'other'"):
        release_once(place, "gpu", 1, name="othr")
    assert desk_names(place) == ("claims", "clams", "other")


def test_g7_what_is_refused_makes_no_ledger(place: Path) -> None:
    given = {
        "resource": "",
        "agent": "a\n",
        "priority": "nan",
        "lease_ms": 0,
        "timeout_ms": 10**12,
    }
    with pytest.raises(InvalidInput) as caught:
        claim_once(place, given, name=" ")
    assert len(caught.value.faults) == 6
    assert not place.exists()


def test_r7_an_open_claim_is_asked_for_again_and_told_once(place: Path, clock: FakeClock) -> None:
    def ask(agent: str, **named: Any) -> Any:
        given = {"resource": "gpu", "agent": agent, **named}
        return claim_once(place, given, clock=clock).answer

    assert ask("A").token == 1
    assert [ask("B").status for _ in range(2)] == ["waiting", "waiting"]
    assert release_once(place, "gpu", 1, clock=clock).successors == ("B",)
    assert desk_view(place, clock=clock).holds[0][-1] is False
    assert ask("B").token == 2
    assert desk_view(place, clock=clock).holds[0][-1] is True
    with pytest.raises(ClaimNotGranted, match="is its second"):
        ask("B")
    assert ask("C", request_id="r").status == "waiting"
    assert ask("C", request_id="r").number == 3
    with pytest.raises(ClaimNotGranted, match="is its second"):
        ask("C")


def test_r7_a_wait_that_is_interrupted_is_withdrawn(
    place: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it may win what nobody uses."""

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    claim_once(place, {"resource": "gpu", "agent": "A"}, clock=clock)
    monkeypatch.setattr(clock, "sleep_until", interrupted)
    with pytest.raises(KeyboardInterrupt):
        claim_once(place, {"resource": "gpu", "agent": "B"}, wait=True, clock=clock)
    assert desk_view(place, clock=clock).waits == ()
    assert {one.agent for one in desk_view(place, clock=clock).agents} == {"A", "B"}


@pytest.mark.parametrize("when", ["before", "after"])
def test_r7_a_claim_that_is_interrupted_while_it_is_made_is_withdrawn(
    place: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    claim_once(place, {"resource": "gpu", "agent": "A"}, clock=clock)

    def interrupted(*given: Any) -> Any:
        if when == "after":
            ask_for(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr("comity.desk.ask_for", interrupted)
    with pytest.raises(KeyboardInterrupt):
        claim_once(place, {"resource": "gpu", "agent": "B"}, wait=True, clock=clock)
    view = desk_view(place, clock=clock)
    assert view.waits == ()
    assert {one.agent for one in view.agents} == {"A"} | ({"B"} if when == "after" else set())


# --- opened by several, withdrawn late, and by which clock -----------------------------------


def test_g7_a_desk_that_another_has_just_opened_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else of two that open it at once by other rules one would fail, or not, by chance."""
    place, clock = tmp_path / "comity.db", FakeClock()
    seen: list[tuple[str, ...]] = [()]
    real = comity.desk.desks

    def too_early(ledger: Any) -> tuple[str, ...]:
        return seen.pop() if seen else real(ledger)

    Arbiter(place, DeskRules(lease_ms=5), clock=clock).close()
    monkeypatch.setattr(comity.desk, "desks", too_early)
    assert open_desk(place, {"rule": "lottery"}, clock=clock) is False
    found = desk_view(place, clock=clock).rules
    assert (found.policy.rule, found.lease_ms) == ("lottery", 5)
    seen.append(())
    with pytest.raises(InvalidInput, match="desk ' x'"):
        open_desk(place, {"rule": "lottery"}, name=" x", clock=clock)


def test_r1_a_claim_that_won_unseen_is_given_back_where_it_is_withdrawn(tmp_path: Path) -> None:
    place, clock = tmp_path / "comity.db", FakeClock()
    for agent in "abc":
        claim_once(place, {"resource": "gpu", "agent": agent, "timeout_ms": 90_000}, clock=clock)
        clock.advance(10)
    clock.advance(60_000)
    winner = desk_view(place, clock=clock).holds[0][1]
    told = withdraw_once(place, "gpu", winner, clock=clock)
    assert (told.status, len(told.successors)) == ("withdrawn", 1)
    held = claim_once(place, {"resource": "gpu", "agent": told.successors[0]}, clock=clock).answer
    assert held.is_granted
    assert withdraw_once(place, "gpu", held.agent, clock=clock).status == "granted"


def test_r7_a_wrong_clock_is_told_and_can_be_taken_as_right(tmp_path: Path) -> None:
    place, clock = tmp_path / "comity.db", FakeClock()
    claim_once(place, {"resource": "gpu", "agent": "a", "lease_ms": 90_000}, clock=clock)
    fast = FakeClock(clock.now_ms() + 86_400_000)
    wanted = {"resource": "gpu", "agent": "b", "timeout_ms": 50_000}
    told = claim_once(place, wanted, clock=fast)
    assert told.answer.until_ms == fast.now_ms() + 50_000
    assert told.clock_fault is not None
    view = desk_view(place, clock=fast)
    assert any("86400 s ahead of this desk" in one for one in view.warnings)
    assert view.holds[0][3] == fast.now_ms() + 90_000
    assert view.waits[0][3] == fast.now_ms() + 50_000
    assert view.now_ms == fast.now_ms()
    set_clock(place, clock=fast)
    assert desk_view(place, clock=fast).warnings == ()
    assert desk_view(place, clock=fast).holds == view.holds
    assert claim_once(place, wanted, clock=fast).clock_fault is None
    assert recheck(place) == ()
    with pytest.raises(InvalidInput, match="is not there"):
        set_clock(place, name="other", clock=fast)
