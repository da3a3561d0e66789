"""Plan: which negotiations make up a tournament?

Here: scenarios, strategies, rounds and sweeps as one frozen value; its tasks, each with an id and
a seed of its own.
Not here: reading a plan from what a caller gave (planning.py), running it (run.py).
Sources: SEMANTICS M3 (both roles), G4 (nothing hangs on list order); complaint 29 of the research
(all workers of a seeded tournament had the same random stream).

A task's id is a digest of what is negotiated, by whom and how: scenario, strategy of each party,
rounds, protocol, repetition. Its seed is SHA-256(seed of the plan, a zero byte, id), in hex. The
order in which scenarios and strategies are listed changes neither.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations_with_replacement, product

from comity.core.canonical import Json, canonical, digest
from comity.core.parties import PartyId
from comity.core.ties import shuffled
from comity.mechanisms.bargaining.problem import Problem

__all__ = ["Case", "Entry", "Plan", "Task", "task_id", "task_seed"]

ID_DIGITS = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """One scenario of a plan.

    Attributes:
        name: how rows call it.
        problem: the problem.
        digest: of the problem, whatever order its terms were declared in.
    """

    name: str
    problem: Problem
    digest: str


@dataclass(frozen=True, slots=True)
class Case:
    """One tournament of a sweep; a plan without a sweep has a single one.

    Attributes:
        label: ``"rounds=50"``, ``"boulware:0.2"``; "" without a sweep.
        rounds: how many rounds a negotiation has.
        strategies: who plays, as text, sorted.
    """

    label: str
    rounds: int
    strategies: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One negotiation to be run.

    Attributes:
        id: 32 hexadecimal digits.
        scenario: the name of its scenario.
        strategies: party -> strategy, sorted by party.
        rounds: how many rounds there are.
        protocol: ``alternating`` or ``simultaneous``.
        repetition: 0 for the first.
        seed: its own.
    """

    id: str
    scenario: str
    strategies: tuple[tuple[PartyId, str], ...]
    rounds: int
    protocol: str
    repetition: int
    seed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament: every scenario, every line-up of strategies, every repetition.

    Attributes:
        entries: the scenarios, sorted by name.
        cases: one, or one per value of the sweep.
        repetitions: how often each line-up meets.
        protocol: ``alternating`` or ``simultaneous``.
        seed: of everything.
        self_play: whether a strategy also meets only itself.
        both_roles: whether every line-up also meets with the preferences exchanged; else a lot
            says who takes which, once per repetition.
        sweep: ``"rounds"``, the name of a strategy, or "".

    Example:
        >>> from comity.simulate.planning import plan_of
        >>> from comity.testing.bargains import sample_problem
        >>> plan = plan_of({"tls": sample_problem()}, ["linear", "micro"])
        >>> plan.size, len({task.seed for task in plan.tasks()})
        (4, 4)
    """

    entries: tuple[Entry, ...]
    cases: tuple[Case, ...]
    repetitions: int
    protocol: str
    seed: str
    self_play: bool
    both_roles: bool
    sweep: str

    @property
    def digest(self) -> str:
        """What says that rows belong to this plan."""
        return digest(self.to_json())

    @property
    def size(self) -> int:
        """How many tasks it has."""
        return len(self.tasks())

    def entry(self, name: str) -> Entry | None:
        """Return the scenario of a name, or None."""
        return next((one for one in self.entries if one.name == name), None)

    def tasks(self) -> tuple[Task, ...]:
        """Return every task, sorted by id."""
        found: dict[str, Task] = {}
        for entry, case in product(self.entries, self.cases):
            for repetition in range(self.repetitions):
                for line_up in _line_ups(self, entry, case.strategies, repetition):
                    task = _task(self, entry, case.rounds, line_up, repetition)
                    found[task.id] = task
        return tuple(found[one] for one in sorted(found))

    def to_json(self) -> dict[str, Json]:
        """Return everything but the problems, of which the digests are told."""
        return {
            "scenarios": {one.name: one.digest for one in self.entries},
            "cases": [
                {"label": one.label, "rounds": one.rounds, "strategies": list(one.strategies)}
                for one in self.cases
            ],
            "repetitions": self.repetitions,
            "protocol": self.protocol,
            "seed": self.seed,
            "self_play": self.self_play,
            "both_roles": self.both_roles,
            "sweep": self.sweep,
        }


def task_seed(seed: str, task_id: str) -> str:
    """Return the seed of a task: SHA-256 of the plan's seed, a zero byte and the id, in hex.

    Args:
        seed: of the plan.
        task_id: the id of the task.

    Example:
        >>> task_seed("1", "a") != task_seed("1", "b")
        True
    """
    return sha256(f"{seed}\0{task_id}".encode("utf-8", "surrogatepass")).hexdigest()


def task_id(
    entry: Entry,
    strategies: tuple[tuple[PartyId, str], ...],
    how: tuple[int, str, int],
) -> str:
    """Return the id of a task: a digest of what is negotiated, by whom and how.

    Args:
        entry: the scenario; its name does not count.
        strategies: party -> strategy.
        how: rounds, protocol and repetition.
    """
    return digest([entry.digest, dict(strategies), *how])[:ID_DIGITS]


def _task(
    plan: Plan, entry: Entry, rounds: int, line_up: tuple[str, ...], repetition: int
) -> Task:
    strategies = tuple(zip(entry.problem.names, line_up, strict=True))
    name = task_id(entry, strategies, (rounds, plan.protocol, repetition))
    return Task(
        id=name,
        scenario=entry.name,
        strategies=strategies,
        rounds=rounds,
        protocol=plan.protocol,
        repetition=repetition,
        seed=task_seed(plan.seed, name),
    )


def _line_ups(
    plan: Plan, entry: Entry, strategies: tuple[str, ...], repetition: int
) -> Iterator[tuple[str, ...]]:
    """Yield who plays which party, in the order of the parties' names."""
    seats = len(entry.problem.parties)
    if plan.both_roles:
        for line_up in product(strategies, repeat=seats):
            if plan.self_play or len(set(line_up)) > 1:
                yield line_up
        return
    places = tuple(map(str, range(seats)))
    for group in combinations_with_replacement(strategies, seats):
        if len(set(group)) == 1:
            if plan.self_play:
                yield group
            continue
        label = f"roles of {canonical(group)} on {entry.digest}, repetition {repetition}"
        yield tuple(group[int(at)] for at in shuffled(plan.seed, label, places))
