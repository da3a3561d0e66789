"""Alarm runs tests: is a bound that of one policy alone (R3, R5)?"""

from __future__ import annotations

import pytest

from comity.mechanisms.arbitration import Alarm, Arbitration, Conflict, Policy, alarms, recorded
from comity.mechanisms.arbitration.alarm_runs import runs_of
from comity.mechanisms.arbitration.contests import contests

ABC = {"A": 9, "B": 5, "C": 1}
STATIC = Policy(rule="static_priority")


def ours(policy: Policy, many: int, state: object = None) -> tuple[list[Conflict], object]:
    engine = Arbitration(policy, seed="1", state=state)
    return [engine.conflict(list(ABC.items()), "gpu") for _ in range(many)], engine.state


def elsewhere(many: int) -> list[Conflict]:
    return [recorded("gpu", ABC.items(), ["A"]) for _ in range(many)]


def kinds(found: tuple[Alarm, ...]) -> set[str]:
    return {one.kind for one in found}


@pytest.mark.parametrize("before", [STATIC, Policy(c="1/10"), None])
def test_r5_a_change_of_rules_breaks_no_bound(before: Policy | None) -> None:
    first = elsewhere(60) if before is None else ours(before, 60)[0]
    then, _ = ours(Policy(c=2), 20)
    listed, policies = [*first, *then], [before] * 60 + [Policy(c=2)] * 20
    assert "bound_broken" in kinds(alarms(listed, Policy(c=2)))
    found = alarms(listed, Policy(c=2), policies=policies)
    assert "bound_broken" not in kinds(found)
    assert any(one.kind == "no_win" and one.agent == "C" for one in found), "it did not win"


def test_r5_a_bound_broken_under_rules_that_hold_is_critical_and_names_them() -> None:
    first, _ = ours(STATIC, 20)
    listed, policies = [*first, *elsewhere(9)], [STATIC] * 20 + [Policy(c=2)] * 9
    (found,) = [
        one for one in alarms(listed, Policy(c=2), policies=policies)
        if (one.kind, one.agent) == ("bound_broken", "C")
    ]  # fmt: skip
    assert (found.at_conflict, found.row, found.stands) == (27, 9, True)
    assert "(9 claims, 9 losses in a row); losses with c = 2 is proved to let" in found.says
    more = [*listed, *elsewhere(1)]
    (over,) = [
        one for one in alarms(more, Policy(c=2), policies=[*policies, None])
        if (one.kind, one.agent) == ("bound_broken", "C")
    ]  # fmt: skip
    assert over.says.startswith("C had never won gpu (9 claims")


def test_r5_what_promises_nothing_is_said_of_the_rules_that_did() -> None:
    first, _ = ours(STATIC, 20)
    then, _ = ours(Policy(c=2), 20)
    policies = [STATIC] * 20 + [Policy(c=2)] * 20
    found = alarms([*first, *then], Policy(c=2), policies=policies)
    told = [one.says for one in found if one.kind == "no_promise"]
    assert len(told) == 2
    assert all("static_priority promises it nothing" in one for one in told)


def rules(policies: list[Policy | None], rows: list[Conflict], policy: Policy) -> list[str | None]:
    found = runs_of(rows, policies, contests(rows, policy), policy)
    (listed,) = found.values()
    return [None if one.policy is None else one.policy.rule for one in listed]


def test_r3_stride_promises_nothing_after_wins_elsewhere_until_it_starts_anew() -> None:
    stride, rows = Policy(rule="stride"), elsewhere(4)
    assert rules([None, stride, stride, stride], rows, stride)[1:] == [None] * 3
    assert rules([stride, None, stride, stride], rows, stride) == ["stride", None, None, None]
    anew: list[Policy | None] = [None, stride, Policy(), stride]
    assert rules(anew, rows, stride) == [None, None, "losses", "stride"]


def test_r3_what_is_handed_to_the_oldest_interrupts_no_run() -> None:
    rows = elsewhere(2)
    handed = Conflict(-3, "gpu", tuple(ABC.items()), stages=(("C",),), winners=("C",))
    listed = [rows[0]._replace(number=1), handed, rows[1]._replace(number=2)]
    found = runs_of(listed, [Policy(), None, Policy()], contests(listed), Policy())["gpu"]
    assert found[0] is found[1] is found[2]


def test_r3_rules_that_count_losses_elsewhere_promise_nothing_here() -> None:
    everywhere = Policy(scope="global")
    rows = [one._replace(number=at) for at, one in enumerate(elsewhere(2), 1)]
    assert rules([Policy(), everywhere], rows, everywhere) == [None, "losses"]
    assert runs_of(rows, [Policy()] * 2, contests(rows), None)["gpu"][0].policy is None
