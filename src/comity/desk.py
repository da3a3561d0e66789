"""Desk: what can every door ask of a desk where exclusive things are claimed?

Here: one claim, one release, how a desk stands, its record; each opens the ledger and closes it.
Not here: arguments and output (cli/), the desk itself (runner/arbiter.py, protocols/claims).
Sources: ARCHITECTURE floor 8; SEMANTICS R1-R3, R5, R7, K2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

from comity.core.canonical import JsonObject, plain
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.ledger import open_ledger
from comity.mechanisms.arbitration import RULES, Policy
from comity.mechanisms.arbitration.policy import Population
from comity.mechanisms.arbitration.state import Scope, ScopeState, scope_name
from comity.protocols.claims import (
    Answer,
    Books,
    Desk,
    DeskRules,
    Tally,
    Wanted,
    clock_fault,
    desk_rules_to_json,
    lease_faults,
    length_faults,
    name_faults,
    reading_at,
)
from comity.runner.arbiter import Arbiter, Claim, ask_for
from comity.runner.claims_record import History, decided_again, history
from comity.runner.clock import Clock
from comity.runner.desk_log import desk_name_fault, desks

__all__ = [
    "DESK",
    "AgentAtDesk",
    "Claimed",
    "DeskView",
    "claim_once",
    "claims_history",
    "desk_names",
    "desk_view",
    "open_desk",
    "recheck",
    "release_once",
    "rules_of",
    "set_clock",
    "withdraw_once",
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
        bound: the most conflicts it can lose in a row against those that are known; None without
            a promise.
        is_alone: whether nobody else is known in its scope.
        wins: how often it has won and been told of it.
        unused: how often it won while it waited and nobody asked for the lease before it ended.
        turned_away: its claims since its last win that ran out while they waited.
        since_ms: when it first claimed after its last win, in milliseconds since 1970, or None.
    """

    agent: str
    scope: str
    priority: Exact | None
    losses: Exact
    bound: int | None
    is_alone: bool
    wins: int
    unused: int
    turned_away: int
    since_ms: int | None

    def to_json(self) -> JsonObject:
        """Return every field."""
        return {
            "agent": self.agent,
            "scope": self.scope,
            "priority": plain(self.priority),
            "losses": plain(self.losses),
            "bound": self.bound,
            "is_alone": self.is_alone,
            "wins": self.wins,
            "unused": self.unused,
            "turned_away": self.turned_away,
            "since_ms": self.since_ms,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskView:
    """How a desk stands.

    Attributes:
        desk: its name.
        rules: how it works.
        holds: (resource, agent, token, until in milliseconds since 1970, whether the holder has
            been told), sorted.
        waits: (resource, agent, priority, until in milliseconds since 1970), sorted.
        agents: everybody who counts, sorted by scope and name.
        conflicts: how many conflicts it has counted.
        elsewhere: how many of those were decided elsewhere.
        now_ms: the time of this view, in milliseconds since 1970.
        warnings: who can starve, and why nothing is promised, in sentences.
    """

    desk: str
    rules: DeskRules
    holds: tuple[tuple[str, str, int, int, bool], ...]
    waits: tuple[tuple[str, str, Exact, int], ...]
    agents: tuple[AgentAtDesk, ...]
    conflicts: int
    elsewhere: int
    now_ms: int
    warnings: tuple[str, ...]

    def to_json(self) -> JsonObject:
        """Return every field."""
        return {
            "desk": self.desk,
            "rules": desk_rules_to_json(self.rules),
            "holds": [
                {
                    "resource": resource,
                    "agent": agent,
                    "token": token,
                    "until_ms": until_ms,
                    "picked_up": picked_up,
                }
                for resource, agent, token, until_ms, picked_up in self.holds
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
            "agents": [one.to_json() for one in self.agents],
            "conflicts": self.conflicts,
            "elsewhere": self.elsewhere,
            "now_ms": self.now_ms,
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
    named = ("rule", "c", "scope", "priorities")
    of_policy = {name: said.pop(name) for name in named if name in said}
    faults: list[Fault] = []
    base = base or DeskRules()
    policy = base.policy
    if "priorities" in of_policy:
        of_policy["priorities"] = {**dict(policy.priorities), **of_policy["priorities"]}
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
) -> bool:
    """Open a desk, or change of one that is there what is named and nothing else.

    Args:
        db: the ledger's path or URL.
        given: as for :func:`rules_of`.
        name: the desk's name.
        clock: what time it is.

    Returns:
        Whether it is new.

    Raises:
        InvalidInput: with every fault at once; also for rules by which nothing can be claimed.
    """
    rules = rules_of(given)
    raise_if(lease_faults(rules or DeskRules()))  # before a ledger is made
    with open_ledger(db) as ledger:
        is_new = name not in desks(ledger)
        try:
            arbiter = Arbiter(ledger, rules if is_new else None, name=name, clock=clock)
        except InvalidInput:
            if not is_new or name not in desks(ledger):
                raise
            is_new = False  # another has opened it just now, by other rules: they are changed
            arbiter = Arbiter(ledger, name=name, clock=clock)
        has = arbiter.books.rules
        wanted = rules_of(given, has)
        if wanted is not None and wanted != has:
            raise_if(lease_faults(wanted))
            arbiter.change(wanted)
    return is_new


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """What became of a claim, and whether it opened the desk.

    Attributes:
        answer: the desk's answer.
        is_new_desk: whether the desk was not there before.
        clock_fault: what is wrong with the clock here, as far as the desk can tell, or None.
    """

    answer: Answer
    is_new_desk: bool
    clock_fault: Fault | None = None


def claim_once(
    db: str | Path,
    wanted: Mapping[str, Any],
    *,
    name: str = DESK,
    wait: bool = False,
    clock: Clock | None = None,
) -> Claimed:
    """Claim a resource for another program, which holds it until it releases it or its time ends.

    Without a request id and without waiting the claim is open: whoever asks again under the same
    name hears how it stands, until somebody has been told of its lease.

    Args:
        db: the ledger's path or URL.
        wanted: ``resource``, ``agent`` and, where they are said, ``priority``, ``lease_ms``,
            ``timeout_ms`` and ``request_id``, as :meth:`Arbiter.claim` takes them.
        name: the desk's name; it is opened with standard rules when it is not there and no name
            like it is.
        wait: whether to wait until the claim is won or over; a wait that is interrupted is
            withdrawn.
        clock: what time it is.

    Returns:
        The answer, and whether the desk is new.

    Raises:
        InvalidInput: with every fault at once; also for a desk whose name is nearly that of
            another.
    """
    given = dict(wanted)
    request_id = given.pop("request_id", None)
    asked = Wanted(
        given["resource"],
        given["agent"],
        given.get("priority"),
        given.get("lease_ms"),
        given.get("timeout_ms"),
        is_open=request_id is None and not wait,
    )
    raise_if(_wanted_faults(asked, name))  # before a ledger is made
    with open_ledger(db) as ledger:
        there = desks(ledger)
        raise_if(_near_faults(name, there))
        arbiter = Arbiter(ledger, name=name, clock=clock)
        put = _waited if wait else ask_for
        answer = put(arbiter, asked, request_id)
        is_new = name not in there
        return Claimed(answer=answer, is_new_desk=is_new, clock_fault=_clock_fault(arbiter))


def _clock_fault(arbiter: Arbiter) -> Fault | None:
    """Return what is wrong with the clock here, as far as the desk can tell, or None."""
    return arbiter.log.see(arbiter.log.time.fault)


def _wanted_faults(wanted: Wanted, desk: str) -> tuple[Fault, ...]:
    """Return what is wrong with a claim at any desk."""
    faults = name_faults({"resource": wanted.resource, "agent": wanted.agent})
    named = desk_name_fault(desk)
    faults += [] if named is None else [named]
    for name in ("lease_ms", "claim_ms"):
        length = getattr(wanted, name)
        faults += [] if length is None else length_faults(name, length)
    if wanted.priority is not None:
        try:
            read_exact(wanted.priority, f"claim of {shown(wanted.agent)}", "priority")
        except InvalidInput as error:
            faults.extend(error.faults)
    return tuple(faults)


def _near_faults(name: str, there: tuple[str, ...]) -> list[Fault]:
    """Return why a desk is not opened by the way: it is nearly called like one that is there."""
    near = did_you_mean(name, there)
    if name in there or not near.startswith("did you mean"):
        return []
    step = f"{near}; else open it first: comity arbiter --desk {quote(name)} --rule losses"
    return [Fault(f"desk {shown(name)}", "is not there", ", ".join(there), step)]


def _waited(arbiter: Arbiter, asked: Wanted, request_id: str | None) -> Answer:
    """Claim and wait until it is won or over; nobody would use what it wins once interrupted."""
    made = arbiter.books.made
    claim: Claim | None = None
    try:
        claim = Claim(arbiter, ask_for(arbiter, asked, request_id), asked.claim_ms)
        return claim.settle()
    except KeyboardInterrupt:
        if claim is None:  # it may be on disk all the same
            left = arbiter.look(asked.resource, asked.agent)
            claim = Claim(arbiter, left) if left.number > made else None
        if claim is not None:
            claim.end()
        raise


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


def withdraw_once(
    db: str | Path, resource: str, agent: str, *, name: str = DESK, clock: Clock | None = None
) -> Answer:
    """Withdraw a claim that waits.

    Args:
        db: the ledger's path or URL.
        resource: what was claimed.
        agent: who no longer wants it.
        name: the desk's name.
        clock: what time it is.

    Returns:
        How its last claim stands: ``withdrawn``, also when it had won a lease of which nobody
        has been told: that is given back; ``granted`` when somebody holds it.

    Raises:
        InvalidInput: when there is no such desk.
    """
    with Arbiter(db, name=name, clock=clock, create=False) as arbiter:
        answer = arbiter.withdraw(resource, agent)
        if answer.token is None or not answer.is_granted or answer.picked_up:
            return answer
        return replace(arbiter.release(resource, answer.token), status="withdrawn")


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
        at_ms, off_ms = arbiter.log.time.reads(Desk(books.rules, books))
        conflicts = sum(one.conflicts for one in books.engine.state.scopes)
        return DeskView(
            desk=name,
            rules=books.rules,
            holds=tuple(
                sorted(
                    (
                        one.resource,
                        one.holder,
                        one.token,
                        int(one.until) - off_ms,
                        one.token not in books.unseen,
                    )
                    for one in books.leases.leases
                )
            ),
            waits=tuple(
                sorted(
                    (one.resource, one.agent, one.priority, one.until_ms - off_ms)
                    for one in books.claims.values()
                )
            ),
            agents=_agents(books, at_ms, off_ms),
            conflicts=conflicts,
            elsewhere=sum(books.elsewhere.values()),
            now_ms=at_ms - off_ms,
            warnings=(*_warnings(books, conflicts), *_clock_warnings(books)),
        )


def _warnings(books: Books, conflicts: int) -> tuple[str, ...]:
    """Return who can starve, and why the rule promises less than it says."""
    found = list(books.rules.warnings)
    elsewhere = sum(books.elsewhere.values())
    if elsewhere:
        found.append(
            f"{elsewhere} of {conflicts} conflicts were decided elsewhere: there the rule "
            f"{books.rules.policy.rule} promises nothing"
        )
    return tuple(found)


def _clock_warnings(books: Books) -> tuple[str, ...]:
    """Return which machines have a clock that is far from the time of the desk."""
    faults = (clock_fault(name, off_ms) for name, off_ms in sorted(books.clocks.offsets.items()))
    return tuple(str(one) for one in faults if one is not None)


def _agents(books: Books, now_ms: int, off_ms: int) -> tuple[AgentAtDesk, ...]:
    """Return everybody who has claimed, sorted by scope and name; who only waits, too."""
    policy = books.rules.policy
    scopes = {one.name: Scope(one) for one in books.engine.state.scopes}
    tallies: dict[str, dict[str, Tally]] = {}
    for (resource, agent), tally in books.tallies.items():
        of_scope = tallies.setdefault(_scope_of(policy, resource), {})
        of_scope[agent] = _added(of_scope.get(agent) or Tally(), tally)
    unpromised = {_scope_of(policy, one) for one in books.elsewhere}
    found: list[AgentAtDesk] = []
    for name in sorted({*scopes, *tallies}):
        scope = scopes.get(name) or Scope(ScopeState(name=name))
        rows = {**dict.fromkeys(scope.marks, Tally()), **tallies.get(name, {})}
        known = _known(policy, scope, rows)
        is_promised = name not in unpromised and books.rules.circles != "wound_wait"
        bounds = policy.bounds(known) if is_promised else {}
        found += [
            AgentAtDesk(
                agent=agent,
                scope=name,
                priority=known.priorities.get(agent),
                losses=RULES[policy.rule].waited(scope, agent, reading_at(books, now_ms)),
                bound=bounds.get(agent),
                is_alone=not {*rows, *known.priorities} - {agent},
                wins=tally.wins,
                unused=tally.unused,
                turned_away=tally.turned_away,
                since_ms=None if tally.since_ms is None else tally.since_ms - off_ms,
            )
            for agent, tally in sorted(rows.items())
        ]
    return tuple(found)


def _known(policy: Policy, scope: Scope, tallies: Mapping[str, Tally]) -> Population:
    """Return who is known in a scope, also who is declared, only waits, or was turned away."""
    found = scope.population(policy)
    last = {agent: one.priority for agent, one in tallies.items() if one.priority is not None}
    seen = {**dict(policy.priorities), **found.priorities}
    changed = any(seen.get(agent, one) != one for agent, one in last.items())
    all_of_them = [*seen.values(), *last.values()]
    all_of_them += [one for one in (found.low, found.high) if one is not None]
    return replace(
        found,
        priorities={**seen, **last},
        low=min(all_of_them, key=to_fraction, default=None),
        high=max(all_of_them, key=to_fraction, default=None),
        changed=found.changed or changed,
    )


def _scope_of(policy: Policy, resource: str) -> str:
    """Return where claims on a resource count; itself, where it has no group any more."""
    try:
        return scope_name(policy, resource)
    except InvalidInput:
        return resource


def _added(one: Tally, other: Tally) -> Tally:
    """Return two tallies of an agent as one; since when it waits: the longer of both."""
    since = [at for at in (one.since_ms, other.since_ms) if at is not None]
    return Tally(
        one.wins + other.wins,
        one.unused + other.unused,
        one.turned_away + other.turned_away,
        min(since, default=None),
        one.priority if other.priority is None else other.priority,
    )


def set_clock(db: str | Path, *, name: str = DESK, clock: Clock | None = None) -> None:
    """Take the clock here as the time of a desk; who holds or waits keeps the time left.

    Args:
        db: the ledger's path or URL.
        name: the desk's name.
        clock: what time it is.

    Raises:
        InvalidInput: when there is no such desk.
    """
    with Arbiter(db, name=name, clock=clock, create=False) as arbiter:
        arbiter.log.ask(lambda desk, _: (arbiter.log.time.sets(desk), None))


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
