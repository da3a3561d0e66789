"""Plan: which negotiations make up a tournament, with which ids and seeds."""

from __future__ import annotations

from hashlib import sha256

from comity.simulate.plan import Plan, task_seed
from comity.simulate.planning import plan_of
from comity.testing.bargains import sample_problem


def line_ups(plan: Plan) -> list[tuple[str, ...]]:
    return sorted(tuple(name for _, name in task.strategies) for task in plan.tasks())


def test_both_roles_and_self_play_make_every_ordered_line_up() -> None:
    plan = plan_of({"tls": sample_problem()}, ["linear", "micro"])
    assert line_ups(plan) == [
        ("linear", "linear"), ("linear", "micro"), ("micro", "linear"), ("micro", "micro"),
    ]  # fmt: skip


def test_without_self_play_nobody_meets_only_itself() -> None:
    plan = plan_of({"tls": sample_problem()}, ["linear", "micro"], self_play=False)
    assert line_ups(plan) == [("linear", "micro"), ("micro", "linear")]
    three = plan_of({"tls": sample_problem(3)}, ["linear", "micro"], self_play=False)
    assert len(line_ups(three)) == 2**3 - 2


def test_one_role_meets_once_per_pair_and_a_lot_says_who_takes_which() -> None:
    names = ["linear", "micro", "hardliner", "tit_for_tat"]
    plan = plan_of({"tls": sample_problem()}, names, both_roles=False, self_play=False)
    pairs = {frozenset(one) for one in line_ups(plan)}
    assert len(pairs) == len(line_ups(plan)) == 6
    seeds = [str(number) for number in range(20)]
    drawn = {
        tuple(line_ups(plan_of({"tls": sample_problem()}, names[:2], both_roles=False,
                               self_play=False, seed=seed)))
        for seed in seeds
    }  # fmt: skip
    assert drawn == {(("linear", "micro"),), (("micro", "linear"),)}


def test_one_role_with_self_play_and_three_parties() -> None:
    plan = plan_of({"tls": sample_problem(3)}, ["linear", "micro"], both_roles=False)
    assert sorted(map(sorted, line_ups(plan))) == [
        ["linear"] * 3, ["linear", "linear", "micro"], ["linear", "micro", "micro"], ["micro"] * 3,
    ]  # fmt: skip


def test_c29_every_task_has_a_seed_of_its_own_made_from_its_id(small: Plan) -> None:
    tasks = small.tasks()
    assert len(tasks) == small.size == 27
    assert len({task.seed for task in tasks}) == len({task.id for task in tasks}) == 27
    for task in tasks:
        assert task.seed == sha256(f"7\0{task.id}".encode()).hexdigest()
        assert task.seed == task_seed("7", task.id)


def test_another_seed_keeps_the_ids_and_changes_every_seed(small: Plan) -> None:
    entries = {one.name: one.problem for one in small.entries}
    other = plan_of(entries, ["linear", "micro", "hardliner"], rounds=12, seed="8")
    assert [one.id for one in other.tasks()] == [one.id for one in small.tasks()]
    assert not {one.seed for one in other.tasks()} & {one.seed for one in small.tasks()}
    assert other.digest != small.digest


def test_repetitions_rounds_and_protocol_make_other_tasks() -> None:
    problems = {"tls": sample_problem()}
    ids = [
        {task.id for task in plan.tasks()}
        for plan in (
            plan_of(problems, ["linear"]),
            plan_of(problems, ["linear"], rounds=99),
            plan_of(problems, ["linear"], protocol="simultaneous"),
        )
    ]
    assert len(set.union(*ids)) == 3
    twice = plan_of(problems, ["linear"], repetitions=2)
    assert ids[0] < {task.id for task in twice.tasks()}
    assert [task.repetition for task in twice.tasks()] in ([0, 1], [1, 0])


def test_a_sweep_plays_what_its_cases_share_once() -> None:
    plan = plan_of(
        {"tls": sample_problem()},
        ["boulware", "linear", "micro"],
        sweep={"boulware": ["0.5", "0.1"]},
    )
    assert [(one.label, one.strategies) for one in plan.cases] == [
        ("boulware:0.1", ("boulware:0.1", "linear", "micro")),
        ("boulware:0.5", ("boulware:0.5", "linear", "micro")),
    ]
    assert plan.size == 4 + 2 * 5
    assert ("boulware:0.1", "boulware:0.5") not in line_ups(plan)


def test_a_sweep_over_rounds_is_one_tournament_per_number() -> None:
    plan = plan_of({"tls": sample_problem()}, ["linear"], sweep={"rounds": [50, 10, 0]})
    assert [(one.label, one.rounds) for one in plan.cases] == [
        ("rounds=0", 0), ("rounds=10", 10), ("rounds=50", 50),
    ]  # fmt: skip
    assert sorted(task.rounds for task in plan.tasks()) == [0, 10, 50]


def test_the_names_of_scenarios_are_found_and_told(small: Plan) -> None:
    assert small.entry("cake") is small.entries[0]
    assert small.entry("pie") is None
    told = small.to_json()
    assert told["scenarios"] == {one.name: one.digest for one in small.entries}
    assert told["sweep"] == ""
