"""State: what of past conflicts decides the next one?

Here: the frozen state that a decision takes and returns, and the working copy of one scope.
Not here: what a rule's marks mean (losses.py, hours.py, rules.py), stored entries (entries.py).
Sources: SEMANTICS R1 (the state is the fold of the entries), G3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from comity.core.canonical import JsonObject, plain
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, did_you_mean, raise_if, shown
from comity.core.exact import Exact
from comity.mechanisms.arbitration.claims import Claim, principal_fault
from comity.mechanisms.arbitration.policy import Policy, Population

__all__ = ["AgentState", "Moment", "Scope", "ScopeState", "State", "read_state", "scope_name"]

GLOBAL = "global"


class Moment(NamedTuple):
    """What a rule looks at beside what is remembered.

    Attributes:
        claims: the claims, sorted by agent.
        policy: the policy.
        resource: what is claimed.
        now: the reading of the clock, in seconds, or None.

    Example:
        >>> Moment((Claim("a", 1),), Policy()).resource
        'resource'
    """

    claims: Sequence[Claim]
    policy: Policy
    resource: str = "resource"
    now: Exact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """What one scope remembers of an agent.

    Attributes:
        agent: its name.
        mark: what its rule counts: losses in a row, hours waited, the number of its last win, or
            its virtual time.
        priority: the priority it last claimed with; None when its losses were handed in.
        last: the number of the conflict it last claimed in, where its rule asks for that; or 0.

    Example:
        >>> AgentState(agent="a", mark=2, priority=9, last=4).mark
        2
    """

    agent: str
    mark: Exact
    priority: Exact | None
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeState:
    """What is remembered of one scope: a resource, a group, or everything.

    Attributes:
        name: the scope.
        conflicts: how many conflicts it has seen.
        agents: every agent that counts, sorted by name.
        mark: what its rule keeps of the whole: the last clock reading, or the virtual time.
        turn: who won last.
        low: the lowest priority ever claimed with.
        high: the highest.
        changed: whether an agent has ever claimed with another priority than before.
        floats: whether any number came as a float.
        peak: the most agents that counted at once.
        handed_in: whether losses were handed in rather than counted, so that no bound is proved.
    """

    name: str
    conflicts: int = 0
    agents: tuple[AgentState, ...] = ()
    mark: Exact | None = None
    turn: str | None = None
    low: Exact | None = None
    high: Exact | None = None
    changed: bool = False
    floats: bool = False
    peak: int = 0
    handed_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is remembered between conflicts: a small value that goes through JSON unchanged.

    Attributes:
        rule: the rule whose marks it holds.
        scopes: one state per scope, sorted by name.

    Example:
        >>> State().losses("gpu")
        {}
    """

    rule: str = "losses"
    scopes: tuple[ScopeState, ...] = ()

    def losses(self, scope: str = "resource") -> dict[str, Exact]:
        """Return agent -> its mark in one scope; under the default rule its losses in a row.

        Args:
            scope: the resource, the group, or ``"global"``.
        """
        found = next((one for one in self.scopes if one.name == scope), ScopeState(name=scope))
        return {one.agent: one.mark for one in found.agents}

    def to_json(self) -> JsonObject:
        """Return the whole state as JSON."""
        return {"rule": self.rule, "scopes": [_scope_json(one) for one in self.scopes]}

    @classmethod
    def from_json(cls, data: object) -> State:
        """Read what ``to_json`` wrote.

        Args:
            data: the object.

        Returns:
            The state.
        """
        return decode(cls, data, where="state")


def _scope_json(scope: ScopeState) -> JsonObject:
    """Return what the codec would write, without looking at every type."""
    return {
        "name": scope.name,
        "conflicts": scope.conflicts,
        "agents": [
            {
                "agent": one.agent,
                "mark": plain(one.mark),
                "priority": plain(one.priority),
                "last": one.last,
            }
            for one in scope.agents
        ],
        "mark": plain(scope.mark),
        "turn": scope.turn,
        "low": plain(scope.low),
        "high": plain(scope.high),
        "changed": scope.changed,
        "floats": scope.floats,
        "peak": scope.peak,
        "handed_in": scope.handed_in,
    }


class Scope:
    """The working copy of one scope; the engine changes it, nobody else sees it.

    Attributes are those of :class:`ScopeState`, the agents' as one dict each.
    """

    __slots__ = (
        "changed",
        "conflicts",
        "floats",
        "handed_in",
        "high",
        "last",
        "low",
        "mark",
        "marks",
        "name",
        "peak",
        "seen",
        "turn",
    )

    def __init__(self, found: ScopeState) -> None:
        """Copy a state."""
        self.name = found.name
        self.conflicts = found.conflicts
        self.marks: dict[str, Exact] = {one.agent: one.mark for one in found.agents}
        self.seen: dict[str, Exact | None] = {one.agent: one.priority for one in found.agents}
        self.last: dict[str, int] = {one.agent: one.last for one in found.agents if one.last}
        self.mark = found.mark
        self.turn = found.turn
        self.low = found.low
        self.high = found.high
        self.changed = found.changed
        self.floats = found.floats
        self.peak = found.peak
        self.handed_in = found.handed_in

    def frozen(self) -> ScopeState:
        """Return the state as a value."""
        agents = tuple(
            AgentState(
                agent=agent,
                mark=self.marks[agent],
                priority=self.seen[agent],
                last=self.last.get(agent, 0),
            )
            for agent in sorted(self.marks)
        )
        return ScopeState(
            name=self.name,
            conflicts=self.conflicts,
            agents=agents,
            mark=self.mark,
            turn=self.turn,
            low=self.low,
            high=self.high,
            changed=self.changed,
            floats=self.floats,
            peak=self.peak,
            handed_in=self.handed_in,
        )

    def population(self, policy: Policy) -> Population:
        """Return who has claimed so far, as bounds look at it."""
        return Population(
            priorities={agent: one for agent, one in self.seen.items() if one is not None},
            peak=self.peak,
            low=self.low,
            high=self.high,
            changed=self.changed or policy.per_claim is True,
            floats=self.floats,
            handed_in=self.handed_in,
        )

    def meet(self, claim: Claim, fresh_mark: Exact) -> None:
        """Remember an agent and the priority it claims with."""
        agent, priority = claim.agent, claim.priority
        known = self.seen.get(agent)
        if agent not in self.seen:
            self.marks[agent] = fresh_mark
            self.peak = max(self.peak, len(self.marks))
        elif known is not None and known != priority:
            self.changed = True
        if known is None or self.changed:
            self.low = priority if self.low is None else min(self.low, priority)
            self.high = priority if self.high is None else max(self.high, priority)
        self.seen[agent] = priority

    def forget(self, policy: Policy) -> None:
        """Drop agents that have not claimed for longer than the policy keeps them."""
        if policy.expiry is None:
            return
        for agent in [one for one in self.last if self.is_expired(one, policy)]:
            del self.marks[agent], self.seen[agent], self.last[agent]

    def is_expired(self, agent: str, policy: Policy) -> bool:
        """Tell whether an agent stayed away so long that it starts at 0 again."""
        return (
            policy.expiry is not None
            and self.conflicts - self.last.get(agent, self.conflicts) > policy.expiry
        )


def scope_name(policy: Policy, resource: object) -> str:
    """Return the scope in which claims on a resource count.

    Args:
        policy: the policy.
        resource: what is claimed.

    Returns:
        The resource itself, its group, or ``"global"``.

    Raises:
        InvalidInput: for an unusable name, and a resource without a group where groups count.

    Example:
        >>> scope_name(Policy(scope="group", groups={"gpu-1": "gpu"}), "gpu-1")
        'gpu'
    """
    raise_if(fault for fault in (principal_fault(resource, "resource"),) if fault is not None)
    name = str(resource)
    if policy.scope == "global":
        return GLOBAL
    if policy.scope == "resource":
        return name
    groups = dict(policy.groups)
    if name not in groups:
        near = did_you_mean(name, groups)
        raise InvalidInput(
            Fault(f"resource {name!r}", "has no group", ", ".join(sorted(groups)), near)
        )
    return groups[name]


def read_state(state: object, policy: Policy, resource: str) -> State:
    """Return the state that a caller hands in.

    Args:
        state: None or ``{}`` for a fresh start, a State, its JSON, or agent -> losses in a row.
        policy: the policy; its rule must be the one that made the state.
        resource: what is claimed: plain losses count in its scope.

    Returns:
        The state.

    Raises:
        InvalidInput: for anything else, and for the marks of another rule.

    Example:
        >>> read_state({"a": 2}, Policy(), "gpu").losses("gpu")
        {'a': 2}
    """
    if state is None or state == {}:
        return State(rule=policy.rule)
    if isinstance(state, Mapping):
        if isinstance(state.get("scopes"), (list, tuple)):
            state = State.from_json(state)
        else:
            return _plain_losses(state, scope_name(policy, resource))
    if not isinstance(state, State):
        allowed = "nothing, the state of the last result, or agent -> losses in a row"
        raise InvalidInput(Fault("state", f"is {shown(state)}", allowed, "pass result.state on"))
    if state.rule != policy.rule:
        raise InvalidInput(
            Fault(
                "state",
                f"holds what the rule {state.rule!r} counts, the policy's rule is {policy.rule!r}",
                "the state of the same rule",
                "start afresh, or replay the recorded claims under the new rule",
            )
        )
    return state


def _plain_losses(state: Mapping[object, object], scope: str) -> State:
    faults: list[Fault] = []
    agents: list[AgentState] = []
    for agent, losses in state.items():
        fault = principal_fault(agent, "agent")
        if fault is None and (type(losses) is not int or losses < 0):
            what = f"has {shown(losses)} losses in a row"
            fault = Fault(f"agent {agent!r}", what, "a whole number from 0", "correct the state")
        if fault is not None:
            faults.append(fault)
            continue
        agents.append(AgentState(agent=str(agent), mark=int(str(losses)), priority=None, last=0))
    raise_if(faults)
    ordered = tuple(sorted(agents, key=lambda one: one.agent))
    found = ScopeState(name=scope, agents=ordered, peak=len(ordered), handed_in=True)
    return State(scopes=(found,))
