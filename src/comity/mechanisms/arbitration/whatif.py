"""What if: who would have won the same claims under other rules?

Here: recorded claims replayed under any policies, all win tables side by side, with each bound.
Not here: reading logs (formats/), showing the table (render/).
Sources: SEMANTICS R6.

Claims stay as they were recorded: nobody is assumed to have claimed otherwise under another rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact
from comity.core.show import table
from comity.mechanisms.arbitration.choosing import Seed
from comity.mechanisms.arbitration.contests import (
    bounds_of,
    contests,
    population_of,
    step_of,
)
from comity.mechanisms.arbitration.engine import Arbitration, Conflict
from comity.mechanisms.arbitration.fairness import fairness, jain
from comity.mechanisms.arbitration.policy import CanStarve, Policy, Population
from comity.mechanisms.arbitration.quick_replay import Log, plain_log, quick_winners

__all__ = ["WhatIf", "WhatIfRow", "recorded", "replay", "what_if", "winner_faults"]

_MOST_NAMES = 3
_BY_PRIORITY = frozenset({"losses", "static_priority"})
_CHECK = "look whether the record is whole: comity verify, comity arbiter --check"
_MOST_FAULTS = 20
_FEW = 8  # so many are looked for one by one


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIfRow:
    """The same claims under one rule.

    Attributes:
        name: the rule's name, with c where it has one; ``recorded`` for what happened.
        wins: the wins of each agent, in the order of the table.
        longest: the longest losing streak of each.
        bounds: the most each could lose in a row; None without a promise.
        bound: the bound in words.
        jain: Jain's index of the wins; None when nobody won.
        same: in how many conflicts it names the recorded winners.
        warnings: who can starve.
        skipped: why the rule could not be replayed; then there is nothing else.
    """

    name: str
    wins: tuple[int, ...] = ()
    longest: tuple[int, ...] = ()
    bounds: tuple[int | None, ...] = ()
    bound: str = ""
    jain: Exact | None = None
    same: int = 0
    warnings: tuple[CanStarve, ...] = ()
    skipped: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """All win tables side by side.

    Attributes:
        agents: the columns, sorted by name.
        conflicts: how many conflicts were replayed.
        rows: what happened, then one row per rule.
    """

    agents: tuple[str, ...]
    conflicts: int
    rows: tuple[WhatIfRow, ...]

    def __str__(self) -> str:
        """Return wins and, behind a stroke, the longest losing streaks."""
        cells = [
            (
                row.name,
                *(
                    [f"{won} / {lost}" for won, lost in zip(row.wins, row.longest, strict=True)]
                    or ["-"] * len(self.agents)
                ),
                row.skipped or row.bound,
            )
            for row in self.rows
        ]
        return table(cells, ("wins / longest", *self.agents, "bound"))


def recorded(
    resource: str,
    claims: Iterable[tuple[str, Exact]],
    winners: Iterable[str] = (),
    *,
    number: int = 0,
    at: Exact | None = None,
) -> Conflict:
    """Return a conflict that was decided somewhere, as watch and what-if take it.

    Args:
        resource: what was claimed.
        claims: (agent, priority), in any order.
        winners: who won.
        number: its number in its scope, where known.
        at: when, in seconds since 1970, UTC.

    Example:
        >>> recorded("gpu", [("b", 1), ("a", 2)], ["a"]).claims
        (('a', 2), ('b', 1))
    """
    return Conflict(number, resource, tuple(sorted(claims)), winners=tuple(sorted(winners)), at=at)


def winner_faults(conflicts: Iterable[Conflict]) -> list[Fault]:
    """Return the faults of conflicts that somebody won who did not claim, or drew no lot.

    Args:
        conflicts: recorded conflicts.

    Returns:
        The first ones.

    Example:
        >>> winner_faults([Conflict(3, "gpu", (("a", 1),), winners=("b",))])[0].what
        'was won by b, who did not claim'
    """
    found: list[Fault] = []
    for one in conflicts:
        claimed = {claim[0] for claim in one.claims} if one.winners else set()
        told = [f"was won by {name}, who did not claim"
                for name in one.winners if name not in claimed]  # fmt: skip
        told += [
            f"was won by {name}, who was not in its lot"
            for stage, name in zip(one.stages, one.winners, strict=False)
            if name not in stage
        ]
        where = f"conflict {one.number} of {one.resource}"
        found += [Fault(where, what, "winners among its claimants", _CHECK) for what in told]
        if len(found) >= _MOST_FAULTS:
            break
    return found[:_MOST_FAULTS]


def replay(
    conflicts: Iterable[Conflict], policy: Policy, *, seed: Seed, state: object = None
) -> tuple[Conflict, ...]:
    """Decide recorded claims again under a policy.

    Args:
        conflicts: recorded conflicts, in order; their winners are not looked at.
        policy: the policy.
        seed: the seed of the lots.
        state: what was remembered before the first.

    Returns:
        The conflicts as the policy decides them.

    Raises:
        InvalidInput: when the claims lack what the rule looks at.

    Example:
        >>> rows = [recorded("gpu", [("A", 3), ("C", 1)], ["A"]) for _ in range(6)]
        >>> "".join(one.winners[0] for one in replay(rows, Policy(c=1), seed="7"))
        'AACAAA'
    """
    engine = Arbitration(policy, seed=seed, state=state)
    return tuple(engine.conflict(one.claims, one.resource, one.at) for one in conflicts)


def what_if(
    conflicts: Sequence[Conflict],
    policies: Sequence[Policy],
    *,
    seed: Seed,
    progress: Callable[[str], None] | None = None,
) -> WhatIf:
    """Replay recorded claims under several policies, side by side.

    Args:
        conflicts: recorded conflicts of any period, in order.
        policies: the policies.
        seed: the seed of the lots; the same for each.
        progress: told the name of each rule before it is replayed.

    Returns:
        What happened and what would have; a rule that the claims say too little for is named as
        skipped, with the reason.

    Raises:
        InvalidInput: when there is nothing to replay, or somebody won who did not claim.

    Example:
        >>> rows = [recorded("gpu", [("A", 3), ("C", 1)], ["A"]) for _ in range(6)]
        >>> found = what_if(rows, [Policy(rule="static_priority"), Policy(c=2)], seed="7")
        >>> [(row.name, row.wins) for row in found.rows]
        [('recorded', (6, 0)), ('static_priority', (6, 0)), ('losses, c = 2', (4, 2))]
    """
    if not conflicts:
        allowed = "one conflict or more"
        raise InvalidInput(Fault("what-if", "has no conflicts", allowed, "choose another period"))
    raise_if(winner_faults(conflicts))
    agents = tuple(sorted({claim[0] for one in conflicts for claim in one.claims}))
    log = plain_log(conflicts)
    known = None if log is None else _Known(log, conflicts)
    if known is None or known.has_rounds:
        rows = [_row("recorded", conflicts, conflicts, agents, None)]
    else:
        rows = [known.row("recorded", None, known.winners)]
    for policy in policies:
        name = policy.rule
        if name in {"losses", "hours"}:
            name = f"{name}, c = {policy.c}"
        if progress is not None:
            progress(name)
        winners = None if log is None else quick_winners(log, policy, seed)
        if known is not None and winners is not None:
            rows.append(known.row(name, policy, winners))
            continue
        is_timed = policy.rule == "hours"  # others decide the same without the clock, and faster
        try:
            asked = conflicts if is_timed else [one._replace(at=None) for one in conflicts]
            again = replay(asked, policy, seed=seed)
        except InvalidInput as error:
            first = error.faults[0]
            rows.append(WhatIfRow(name=name, skipped=f"{first.whose} {first.what}"))
            continue
        rows.append(_row(name, again, conflicts, agents, policy))
    return WhatIf(agents=agents, conflicts=len(conflicts), rows=tuple(rows))


class _Known:
    """What all rules of one log have in common: who claimed, and who won in fact."""

    __slots__ = ("has_rounds", "log", "populations", "steps", "winners")

    def __init__(self, log: Log, conflicts: Sequence[Conflict]) -> None:
        self.log = log
        number = {name: at for at, name in enumerate(log.agents)}
        self.winners = [tuple(sorted([number[name] for name in one.winners])) for one in conflicts]
        claims: dict[str, list[dict[str, Exact]]] = {}
        times: dict[str, list[Exact | None]] = {}
        numbers: dict[str, int] = {}
        self.has_rounds = False
        for one in conflicts:
            claims.setdefault(one.resource, []).append({name[0]: name[1] for name in one.claims})
            times.setdefault(one.resource, []).append(one.at)
            self.has_rounds |= 0 < one.number == numbers.get(one.resource)
            numbers[one.resource] = one.number
        self.populations = {
            scope: population_of(listed, Policy()) for scope, listed in claims.items()
        }
        self.steps = {
            scope: step_of(times[scope])
            if min(map(len, listed)) == len(self.populations[scope].priorities)
            else None
            for scope, listed in claims.items()
        }

    def row(
        self, name: str, policy: Policy | None, winners: Sequence[tuple[int, ...]]
    ) -> WhatIfRow:
        """Return the table of one rule, or of what happened, from its winners."""
        many = len(self.log.agents)
        wins, longest = [0] * many, [0] * many
        streaks: list[dict[int, int]] = [{} for _ in self.log.resources]
        for row, won in zip(self.log.rows, winners, strict=True):
            streak = streaks[row.where]
            lucky = frozenset(won) if len(won) > _FEW else won
            for agent in row.agents if won else ():
                if agent in lucky:
                    wins[agent] += 1
                    streak[agent] = 0
                else:
                    streak[agent] = lost = streak.get(agent, 0) + 1
                    longest[agent] = max(longest[agent], lost)
        bounds: dict[str, int | None] = dict.fromkeys(self.log.agents)
        if policy is not None:
            bounds = _highest(
                bounds_of(one, policy, self.steps[scope])
                for scope, one in self.populations.items()
            )
        return WhatIfRow(
            name=name,
            wins=tuple(wins),
            longest=tuple(longest),
            bounds=tuple(bounds[agent] for agent in self.log.agents),
            bound="" if policy is None else _bound_told(policy, self.populations.values()),
            jain=jain(wins),
            same=sum(one == other for one, other in zip(winners, self.winners, strict=True)),
            warnings=() if policy is None else policy.warnings,
        )


def _highest(every: Iterable[dict[str, int | None]]) -> dict[str, int | None]:
    """Return agent -> its highest bound; None where it has none somewhere."""
    found: dict[str, int | None] = {}
    for bounds in every:
        for agent, bound in bounds.items():
            known = found.get(agent, 0)
            found[agent] = None if bound is None or known is None else max(known, bound)
    return found


def _bound_told(policy: Policy, known: Iterable[Population]) -> str:
    """Return a bound in words; under a policy without one, who can starve."""
    if policy.holds != "never":
        return policy.facts.bound
    names: set[str] = set()
    for one in known:
        ranks = sorted(one.priorities.values(), reverse=True)
        if policy.rule in _BY_PRIORITY and len(ranks) > policy.units:
            least = ranks[policy.units - 1]  # enough others stand above whoever has less
            names |= {agent for agent, rank in one.priorities.items() if rank < least}
    if not names:
        return policy.facts.bound if policy.rule != "losses" else "none: an agent can starve"
    told = sorted(names)
    shown = ", ".join(told[:_MOST_NAMES])
    more = f" and {len(told) - _MOST_NAMES} more" if len(told) > _MOST_NAMES else ""
    who = f"agent {shown}" if len(told) == 1 else f"agents {shown}{more}"
    return f"none: {who} can starve"


def _row(
    name: str,
    decided: Sequence[Conflict],
    happened: Sequence[Conflict],
    agents: Sequence[str],
    policy: Policy | None,
) -> WhatIfRow:
    wins = dict.fromkeys(agents, 0)
    longest = dict.fromkeys(agents, 0)
    every = []
    for record in fairness(decided, policy):
        for one in record.agents:
            wins[one.agent] += one.wins
            longest[one.agent] = max(longest[one.agent], one.longest_streak)
        every.append({one.agent: one.bound for one in record.agents})
    bounds = _highest(every)
    told = ""
    if policy is not None:
        listed = contests(decided, policy).values()
        told = _bound_told(
            policy, [population_of((one.claims for one in each), policy) for each in listed]
        )
    pairs = zip(decided, happened, strict=True)
    return WhatIfRow(
        name=name,
        wins=tuple(wins.values()),
        longest=tuple(longest.values()),
        bounds=tuple(bounds[agent] for agent in agents),
        bound=told,
        jain=jain(tuple(wins.values())),
        same=sum(sorted(one.winners) == sorted(other.winners) for one, other in pairs),
        warnings=() if policy is None else policy.warnings,
    )
