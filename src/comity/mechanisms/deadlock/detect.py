"""Detect: does anybody wait in a circle, and what undoes it?

Here: the rule itself, from a graph of waits to a result that explains itself; the short form
`find_cycle`.
Not here: the searches (cycles.py), victim rules (victims.py), waits one by one (waiting.py).
Sources: SEMANTICS L1, L2, G1, G2; PostgreSQL's lock manager for soft edges (a queue is reordered
before anybody is aborted).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from comity.core.canonical import Json, plain
from comity.core.results import Grounds, Submission
from comity.core.ties import Tie
from comity.mechanisms.deadlock.cycles import components, has_cycle, reaching, shortest_cycle
from comity.mechanisms.deadlock.results import Cycle, Deadlock, NoDeadlock, Wait
from comity.mechanisms.deadlock.rules import (
    DeadlockRules,
    Terms,
    VictimRule,
    Waits,
    read_rules,
)
from comity.mechanisms.deadlock.victims import choose_victim

__all__ = ["detect", "find_cycle"]

_SUBMITTED = 1_000  # waits above which they are not repeated in the grounds


def find_cycle(
    waits: Mapping[str, str | Collection[str]],
    *,
    soft: Mapping[str, str | Collection[str]] | None = None,
    agents: Mapping[str, Mapping[str, Any]] | None = None,
    victim: VictimRule = "youngest",
    exempt_after: int = 3,
    seed: str = "0",
) -> Deadlock | NoDeadlock:
    """Tell whether anybody waits in a circle, and who should give way.

    Args:
        waits: waiter -> those it waits for, all of them.
        soft: the same, where it waits only because the other is before it in a queue.
        agents: agent -> what is known of it, see
            :class:`~comity.mechanisms.deadlock.rules.DeadlockRules`.
        victim: ``youngest``, ``fewest_held``, ``lowest_priority`` or ``lot``.
        exempt_after: how many aborts make an agent exempt.
        seed: what lots are drawn from.

    Returns:
        The deadlock with one shortest cycle and one victim for each component, which is true and
        can be gone through like the first cycle's members; or that there is none, which is false.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> found = find_cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})
        >>> found.members, found.blocked, found.exit_code
        (('a', 'b', 'c'), ('a', 'b', 'c', 'd'), 10)
        >>> bool(find_cycle({"a": {"b"}, "b": {"c"}}))
        False
    """
    rules = DeadlockRules(
        waits=waits, soft=soft, agents=agents, victim=victim, exempt_after=exempt_after, seed=seed
    )
    return detect(rules)


def detect(rules: DeadlockRules) -> Deadlock | NoDeadlock:
    """Tell whether anybody waits in a circle, by the given rules.

    Args:
        rules: who waits for whom, and how a victim is chosen.

    Returns:
        The deadlock, or that there is none.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> print(detect(DeadlockRules(waits={"h": "a", "b": "h"}, soft={"a": "b"})))
        Deadlock of 3: a -> b -> h -> a.
          cycle: a -> b -> h -> a
            a waits for b in a queue
            b waits for h
            h waits for a
          to unblock: let a overtake b in the queue; nobody has to give way
    """
    terms = read_rules(rules)
    graph = _joined(terms.hard, terms.soft)
    if not has_cycle(graph):
        waiting = sum(map(bool, graph.values()))
        return NoDeadlock(
            verdict="no_deadlock",
            waiting=waiting,
            says=f"No deadlock: {_waiting(waiting)}.",
            grounds=_grounds(terms, "no_cycle", ()),
        )
    found, ties = [], []
    for component in components(graph):
        cycle, its = _cycle(terms, graph, component)
        found.append(cycle)
        ties += its
    blocked = reaching(graph, [name for one in found for name in one.component])
    sizes = ", ".join(str(len(one.members)) for one in found)
    return Deadlock(
        reason="cycle",
        unblock=tuple(text for one in found for text in _unblock(one)),
        cycles=tuple(found),
        blocked=blocked,
        says=f"Deadlock of {sizes}: {'; '.join(one.says for one in found)}.",
        grounds=_grounds(terms, "cycle", tuple(ties)),
    )


def _waiting(many: int) -> str:
    if not many:
        return "nobody waits"
    return f"{'one waits' if many == 1 else f'{many} wait'}, nobody in a circle"


def _joined(hard: Waits, soft: Waits) -> Waits:
    if not soft:
        return hard
    names = {**hard, **soft}
    return {name: {*hard.get(name, ()), *soft.get(name, ())} for name in names}


def _cycle(terms: Terms, graph: Waits, component: tuple[str, ...]) -> tuple[Cycle, list[Tie]]:
    shortest = shortest_cycle(graph, component, terms.seed)
    members = shortest.members
    ties = [shortest.tie] if shortest.tie else []
    waits = tuple(
        Wait(waiter, holder, "hard" if holder in terms.hard.get(waiter, ()) else "soft")
        for waiter, holder in zip(members, (*members[1:], members[0]), strict=True)
    )
    cures = tuple(one for one in waits if one.kind == "soft" and _cures(graph, component, one))
    told = Cycle(
        members=members,
        waits=waits,
        component=component,
        equally_short=shortest.equally_short,
        cures=cures,
    )
    if cures:
        return told, ties
    chosen = choose_victim(
        members, terms.agents, terms.victim, exempt_after=terms.exempt_after, seed=terms.seed
    )
    if chosen.tie:
        ties.append(chosen.tie)
    cycle = Cycle(
        members=members,
        waits=waits,
        component=component,
        equally_short=shortest.equally_short,
        victim=chosen.name,
        rule=chosen.rule,
        exempt=chosen.exempt,
    )
    return cycle, ties


def _cures(graph: Waits, component: tuple[str, ...], wait: Wait) -> bool:
    """Tell whether a component has no cycle any more when a soft wait is turned round."""
    if wait.waiter == wait.holder:
        return False
    inside = set(component)
    turned = {name: {one for one in graph[name] if one in inside} for name in component}
    turned[wait.waiter].discard(wait.holder)
    turned[wait.holder].add(wait.waiter)
    return not has_cycle(turned)


def _unblock(cycle: Cycle) -> tuple[str, ...]:
    if cycle.cures:
        return tuple(
            f"let {one.waiter} overtake {one.holder} in the queue; nobody has to give way"
            for one in cycle.cures
        )
    after = "" if len(cycle.component) == len(cycle.members) else "; then look again"
    return (f"abort {cycle.victim} ({cycle.rule}){after}",)


def _grounds(terms: Terms, ended_by: str, ties: tuple[Tie, ...]) -> Grounds:
    parameters: list[tuple[str, Json]] = [
        ("exempt_after", terms.exempt_after),
        ("seed", terms.seed),
        ("victim", terms.victim),
    ]
    submissions = []
    if len(terms.hard) + len(terms.soft) <= _SUBMITTED:
        for name in sorted({*terms.hard, *terms.soft}):
            said = {"waits": plain(sorted(terms.hard.get(name, ())))}
            if terms.soft.get(name):
                said["soft"] = plain(sorted(terms.soft[name]))
            submissions.append(Submission(name, said))
    return Grounds(
        rule="wait_for_graph",
        ended_by=ended_by,
        inputs_digest=terms.digest,
        parameters=tuple(parameters),
        submissions=tuple(submissions),
        ties=ties,
        thin=tuple(f"a lot decided: {one.label}" for one in ties),
    )
