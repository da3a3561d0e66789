"""Desk: what can every door ask of a desk where exclusive things are claimed?

Here: one claim, one release, the X the ledger and closes it.
Not here: arguments and output (cli/), the desk itself (runner/arbiter.py, protocols/claims).
Sources: ARCHITECTURE floor 8; SEMANTICS R1-R3, R5, R7, K2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact
from comity.ledger import open_ledger
from comity.mechanisms.arbitration.state import Scope
from comity.protocols.claims import Answer, DeskRules, desk_rules_to_json
from comity.runner.arbiter import Arbiter
from comity.runner.claims_record import History, decided_again, desks, history
from comity.runner.clock import Clock

__all__ = [
    "DESK",
    "AgentAtDesk",
    "DeskView",
    "claim_once",
    "claims_history",
    "desk_names",
    "desk_view",
    "open_desk",
    "recheck",
    "release_once",
    "rules_of",
]

DESK = "claims"
"""The desk that is meant when none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAtDesk:
    """One agent in one scope of a desk.

    Attributes:
        agent: its name.
        scope: where its losses count: a resource, a group, or everything.
        priority: the priority it last claimed with.
        losses: what its rule has counted.
        bound: the most conflicts it can lose in a row; None without a promise.
    """

    agent: str
    scope: str
    priority: Exact | None
    losses: Exact
    bound: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskView:
    """How a desk stands.

    Attributes:
        desk: its name.
        rules: how it works.
        holds: (resource, agent, token, until in milliseconds since 1970), sorted.
        waits: (resource, agent, priority, until in milliseconds since 1970), sorted.
        agents: everybody who counts, sorted by scope and name.
        conflicts: how many conflicts it has decided.
        warnings: who can starve, in sentences.
    """

    desk: str
    rules: DeskRules
    holds: tuple[tuple[str, str, int, int], ...]
    waits: tuple[tuple[str, str, Exact, int], ...]
    agents: tuple[AgentAtDesk, ...]
    conflicts: int
    warnings: tuple[str, ...]

    def to_json(self) -> JsonObject:
        """Return every field."""
        return {
            "desk": self.desk,
            "rules": desk_rules_to_json(self.rules),
            "holds": [
                {"resource": resource, "agent": agent, "token": token, "until_ms": until_ms}
                for resource, agent, token, until_ms in self.holds
            ],
            "waits": [
                {
                    "resource": resource,
                    "agent": agent,
                    "priority": plain(priority),
                    "until_ms": until_ms,
                }
                for resource, agent, priority, until_ms in self.waits
            ],
            "agents": [
                {
                    "agent": one.agent,
                    "scope": one.scope,
                    "priority": plain(one.priority),
                    "losses": plain(one.losses),
                    "bound": one.bound,
                }
                for one in self.agents
            ],
            "conflicts": self.conflicts,
            "warnings": list(self.warnings),
        }


def rules_of(given: Mapping[str, Any], base: DeskRules | None = None) -> DeskRules | None:
    """Return the rules that a door was told, or None when it was told nothing.

    Args:
        given: names of :class:`DeskRules` and of :class:`Policy` -> value; None where nothing was
            said.
        base: the rules that a desk has.

    Returns:
        The rules; what was not said is as in ``base``, or has its default.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> rules_of({"rule": "stride", "capacity": 2, "c": None}).policy.rule
        'stride'
    """
    said = {name: value for name, value in given.items() if value is not None}
    if not said:
        return None
    of_policy = {name: said.pop(name) for name in ("rule", "c", "scope") if name in said}
    faults: list[Fault] = []
    base = base or DeskRules()
    policy = base.policy
    try:
        policy = replace(policy, **of_policy)
    except InvalidInput as error:
        faults.extend(error.faults)
    try:
        rules = replace(base, policy=policy, **said)
    except InvalidInput as error:
        faults.extend(error.faults)
    raise_if(faults)
    return rules


def open_desk(
    db: str | Path, given: Mapping[str, Any], *, name: str = DESK, clock: Clock | None = None
) -> None:
    """Open a desk, or change of one that is there what is named and nothing else.

    Args:
        db: the ledger's path or URL.
        given: as for :func:`rules_of`.
        name: the desk's name.
        clock: what time it is.

    Raises:
        InvalidInput: with every fault at once.
    """
    rules = rules_of(given)
    with open_ledger(db) as ledger:
        is_new = name not in desks(ledger)
        arbiter = Arbiter(ledger, rules if is_new else None, name=name, clock=clock)
        has = arbiter.books.rules
        wanted = rules_of(given, has)
        if wanted is not None and wanted != has:
            arbiter.change(wanted)


def claim_once(
    db: str | Path,
    wanted: Mapping[str, Any],
    *,
    name: str = DESK,
    wait: bool = False,
    clock: Clock | None = None,
) -> Answer:
    """Claim a resource for another program, which holds it until it releases it or its time ends.

    Args:
        db: the ledger's path or URL.
        wanted: ``resource``, ``agent`` and, where they are said, ``priority``, ``lease_ms``,
            ``timeout_ms`` and ``request_id``, as :meth:`Arbiter.claim` takes them.
        name: the desk's name; it is opened with standard rules when it is not there.
        wait: whether to wait until the claim is won or over.
        clock: what time it is.

    Returns:
        The answer.

    Raises:
        InvalidInput: with every fault at once.
    """
    with Arbiter(db, name=name, clock=clock) as arbiter:
        claim = arbiter.claim(**wanted)
        if wait:
            claim.settle()
        return claim.answer


def release_once(
    db: str | Path,
    resource: str,
    token: int,
    *,
    name: str = DESK,
    request_id: str | None = None,
    clock: Clock | None = None,
) -> Answer:
    """End a lease.

    Args:
        db: the ledger's path or URL.
        resource: what is held.
        token: the token of the lease.
        name: the desk's name.
        request_id: the same for every retry.
        clock: what time it is.

    Returns:
        How the lease stands.

    Raises:
        InvalidInput: when there is no such desk.
    """
    with Arbiter(db, name=name, clock=clock, create=False) as arbiter:
        return arbiter.release(resource, token, request_id=request_id)


def desk_view(db: str | Path, *, name: str = DESK, clock: Clock | None = None) -> DeskView:
    """Return how a desk stands now; what is due by now happens first.

    Args:
        db: the ledger's path or URL.
        name: the desk's name.
        clock: what time it is.

    Raises:
        InvalidInput: when there is no such desk.
    """
    with Arbiter(db, name=name, clock=clock, create=False) as arbiter:
        arbiter.advance()
        books = arbiter.books
        waiting = [one for each in books.waiting.values() for one in each.values()]
        scopes = books.engine.state.scopes
        policy = books.rules.policy
        agents, warnings = [], [str(one) for one in policy.warnings]
        for scope in scopes:
            known = Scope(scope).population(policy)
            bounds = policy.bounds(known)
            agents += [
                AgentAtDesk(
                    agent=one.agent,
                    scope=scope.name,
                    priority=one.priority,
                    losses=one.mark,
                    bound=bounds.get(one.agent),
                )
                for one in scope.agents
            ]
        return DeskView(
            desk=name,
            rules=books.rules,
            holds=tuple(
                sorted(
                    (one.resource, one.holder, one.token, int(one.until))
                    for one in books.leases.leases
                )
            ),
            waits=tuple(
                (one.resource, one.agent, one.priority, one.until_ms)
                for one in sorted(waiting, key=lambda one: (one.resource, one.agent))
            ),
            agents=tuple(agents),
            conflicts=sum(one.conflicts for one in scopes),
            warnings=tuple(warnings),
        )


def desk_names(db: str | Path) -> tuple[str, ...]:
    """Return the names of a ledger's desks, sorted.

    Args:
        db: the ledger's path or URL.
    """
    with open_ledger(db, create=False) as ledger:
        return desks(ledger)


def claims_history(db: str | Path, *, name: str = DESK) -> History:
    """Return the recorded conflicts of a desk.

    Args:
        db: the ledger's path or URL.
        name: the desk's name.

    Raises:
        InvalidInput: when there is no such desk.
    """
    with open_ledger(db, create=False) as ledger:
        return history(ledger, name)


def recheck(db: str | Path, *, name: str = DESK) -> tuple[str, ...]:
    """Decide every recorded conflict again; return what differs, at most one sentence.

    Args:
        db: the ledger's path or URL.
        name: the desk's name.
    """
    with open_ledger(db, create=False) as ledger:
        return decided_again(ledger, name)
