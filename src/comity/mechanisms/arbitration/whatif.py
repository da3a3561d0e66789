"""What if: who would have won the same claims under other rules?

Here: recorded claims replayed under any policies, all win tables side by side, with each bound.
Not here: reading logs (formats/), showing the table (render/).
Sources: SEMANTICS R6.

Claims stay as they were recorded: nobody is assumed to have claimed otherwise under another rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact
from comity.core.show import table
from comity.mechanisms.arbitration.choosing import Seed
from comity.mechanisms.arbitration.engine import Arbitration, Conflict
from comity.mechanisms.arbitration.fairness import fairness, jain
from comity.mechanisms.arbitration.policy import CanStarve, Policy

__all__ = ["WhatIf", "WhatIfRow", "recorded", "replay", "what_if"]


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


def what_if(conflicts: Sequence[Conflict], policies: Sequence[Policy], *, seed: Seed) -> WhatIf:
    """Replay recorded claims under several policies, side by side.

    Args:
        conflicts: recorded conflicts of any period, in order.
        policies: the policies.
        seed: the seed of the lots; the same for each.

    Returns:
        What happened and what would have; a rule that the claims say too little for is named as
        skipped, with the reason.

    Raises:
        InvalidInput: when there is nothing to replay.

    Example:
        >>> rows = [recorded("gpu", [("A", 3), ("C", 1)], ["A"]) for _ in range(6)]
        >>> found = what_if(rows, [Policy(rule="static_priority"), Policy(c=2)], seed="7")
        >>> [(row.name, row.wins) for row in found.rows]
        [('recorded', (6, 0)), ('static_priority', (6, 0)), ('losses, c = 2', (4, 2))]
    """
    if not conflicts:
        allowed = "one conflict or more"
        raise InvalidInput(Fault("what-if", "has no conflicts", allowed, "choose another period"))
    agents = tuple(sorted({claim[0] for one in conflicts for claim in one.claims}))
    rows = [_row("recorded", conflicts, conflicts, agents, None)]
    for policy in policies:
        name = policy.rule
        if name in {"losses", "hours"}:
            name = f"{name}, c = {policy.c}"
        try:
            again = replay(conflicts, policy, seed=seed)
        except InvalidInput as error:
            first = error.faults[0]
            rows.append(WhatIfRow(name=name, skipped=f"{first.whose} {first.what}"))
            continue
        rows.append(_row(name, again, conflicts, agents, policy))
    return WhatIf(agents=agents, conflicts=len(conflicts), rows=tuple(rows))


def _row(
    name: str,
    decided: Sequence[Conflict],
    happened: Sequence[Conflict],
    agents: Sequence[str],
    policy: Policy | None,
) -> WhatIfRow:
    wins = dict.fromkeys(agents, 0)
    longest = dict.fromkeys(agents, 0)
    bounds: dict[str, int | None] = {}
    for record in fairness(decided, policy):
        for one in record.agents:
            wins[one.agent] += one.wins
            longest[one.agent] = max(longest[one.agent], one.longest_streak)
            known = bounds.get(one.agent, 0)
            bounds[one.agent] = (
                None if one.bound is None or known is None else max(known, one.bound)
            )
    pairs = zip(decided, happened, strict=True)
    return WhatIfRow(
        name=name,
        wins=tuple(wins.values()),
        longest=tuple(longest.values()),
        bounds=tuple(bounds[agent] for agent in agents),
        bound="" if policy is None else policy.facts.bound,
        jain=jain(tuple(wins.values())),
        same=sum(sorted(one.winners) == sorted(other.winners) for one, other in pairs),
        warnings=() if policy is None else policy.warnings,
    )
