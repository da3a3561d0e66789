"""Policy: under which rule are repeated claims decided, and what does it promise?

Here: the policy as a frozen value, its faults, its bound for a known population, and the warning
that says who can starve.
Not here: the proofs and formulas (bounds.py), how a rule scores (rules.py).
Sources: SEMANTICS R1-R4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Literal, get_args

from comity.core.canonical import JsonObject, digest
from comity.core.codec import decode, encode
from comity.core.errors import Fault, did_you_mean, raise_if, shown
from comity.core.exact import Exact, show_number, to_fraction
from comity.mechanisms.arbitration.bounds import (
    fixed_bound,
    number_of,
    per_claim_bound,
    stride_bounds,
    turns,
)
from comity.mechanisms.arbitration.catalogue import Holds, RuleFacts, facts_of
from comity.mechanisms.arbitration.policy_reading import (
    read_amount,
    read_expertise,
    read_groups,
    read_rule,
    read_table,
)

__all__ = ["CanStarve", "Policy", "Population", "ScopeOf"]

ScopeOf = Literal["resource", "group", "global"]

_FLOAT_SHARE = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class CanStarve:
    """The warning of a policy that promises nothing to somebody.

    Attributes:
        agent: who can starve; None when no agents are declared or nobody is promised anything.
        why: the reason.

    Example:
        >>> str(CanStarve("C", "static priority"))
        'agent C can starve: static priority'
    """

    agent: str | None
    why: str

    def __str__(self) -> str:
        """Return the warning in one sentence."""
        who = "an agent" if self.agent is None else f"agent {self.agent}"
        return f"{who} can starve: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Who has claimed so far, as far as a bound depends on it.

    Attributes:
        priorities: agent -> priority.
        peak: the most agents that counted at once; as many as there are when left out.
        low: the lowest priority of any claim; the lowest of all agents when left out.
        high: the highest priority of any claim; the highest of all agents when left out.
        changed: whether an agent has ever claimed with another priority than before.
        floats: whether any number came as a float.
        handed_in: whether losses were handed in rather than counted: then no bound is proved.

    Example:
        >>> Population(priorities={"a": 9, "b": 1}).spread
        (1, 9)
    """

    priorities: Mapping[str, Exact]
    peak: int = 0
    low: Exact | None = None
    high: Exact | None = None
    changed: bool = False
    floats: bool = False
    handed_in: bool = False

    @property
    def spread(self) -> tuple[int | Fraction, int | Fraction]:
        """The lowest and the highest priority."""
        known = [number_of(one) for one in self.priorities.values()]
        known.extend(number_of(one) for one in (self.low, self.high) if one is not None)
        return min(known, default=0), max(known, default=0)

    @property
    def agents(self) -> int:
        """How many agents the promise counts."""
        return max(self.peak, len(self.priorities))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How repeated claims are decided; a value, read once and recorded with every decision.

    Attributes:
        rule: the rule's name, see :mod:`comity.mechanisms.arbitration.catalogue`.
        c: what a lost conflict adds to the score (``losses``), or an hour (``hours``).
        scope: where losses count: per ``resource``, per ``group`` of resources, or ``global``.
        groups: resource -> group, for the scope ``group``.
        units: how many claims win at once (k).
        tolerance: how far below the maximum a score is still tied with it; None stands for 0, and
            for max(1e-9, 1e-9·|max|) where a number came as a float.
        expiry: an agent that has not claimed for more than so many conflicts of the scope starts
            at 0 again and no longer counts; None for never.
        cap: the most that ageing adds; None for no cap.
        per_claim: True when every claim may have a priority of its own (a weaker promise), False
            when a changed priority is refused; None notices a change and weakens the promise then.
        priorities: agent -> priority, when all agents are declared.
        weights: agent -> weight, for ``weighted_lottery``, ``stride`` and ``split``; the priority
            of a claim is the weight when left out.
        expertise: (topic, agent, weight), for ``expertise``; the topic is the resource claimed.
        reserve: the lowest bid that counts, for ``second_price``.

    Raises:
        InvalidInput: with every fault at once.

    Example:
        >>> Policy(c=2, priorities={"a": 9, "b": 5, "c": 1}).bounds()
        {'a': 2, 'b': 4, 'c': 6}
        >>> [str(one) for one in Policy(c=0, priorities={"A": 3, "C": 1}).warnings]
        ['agent C can starve: a lost conflict adds nothing (c = 0)']
    """

    rule: str = "losses"
    c: Exact = 1
    scope: ScopeOf = "resource"
    groups: tuple[tuple[str, str], ...] = ()
    units: int = 1
    tolerance: Exact | None = None
    expiry: int | None = None
    cap: Exact | None = None
    per_claim: bool | None = None
    priorities: tuple[tuple[str, Exact], ...] = ()
    weights: tuple[tuple[str, Exact], ...] = ()
    expertise: tuple[tuple[str, str, Exact], ...] = ()
    reserve: Exact = 0

    def __post_init__(self) -> None:
        faults: list[Fault] = []
        values: dict[str, object] = {"rule": read_rule(self.rule, faults)}
        for name in ("c", "tolerance", "cap", "reserve"):
            values[name] = read_amount(getattr(self, name), name, faults)
        for name in ("priorities", "weights"):
            values[name] = read_table(getattr(self, name), name, faults)
        values["groups"] = read_groups(self.groups, faults)
        values["expertise"] = read_expertise(self.expertise, faults)
        if self.scope not in get_args(ScopeOf):
            near = did_you_mean(str(self.scope), get_args(ScopeOf))
            what = f"scope is {shown(self.scope)}"
            faults.append(Fault("policy", what, ", ".join(get_args(ScopeOf)), near))
        faults.extend(_count_faults(self))
        raise_if(faults)
        for name, value in values.items():
            object.__setattr__(self, name, value)
        raise_if(_weight_faults(self))

    @property
    def facts(self) -> RuleFacts:
        """What a person should know of the rule."""
        return facts_of(self.rule)

    @property
    def holds(self) -> Holds:
        """For whom the bounds hold: ``always``, ``standing`` (claims every time) or ``never``."""
        if self.rule == "losses" and not self.c:
            return "never"
        return self.facts.holds

    @property
    def digest(self) -> str:
        """The digest recorded with every decision."""
        return digest(self.to_json())

    @property
    def warnings(self) -> tuple[CanStarve, ...]:
        """Who can starve under this policy; nothing when everybody is promised a bound."""
        return tuple(_warnings(self))

    def bounds(
        self, known: Population | Mapping[str, Exact] | None = None
    ) -> dict[str, int | None]:
        """Return agent -> the most conflicts it can lose in a row, or None without a promise.

        Args:
            known: who claims; the declared agents when left out.

        Returns:
            The bounds; :attr:`holds` says for whom.
        """
        if not isinstance(known, Population):
            declared = dict(self.priorities) if known is None else known
            known = Population(priorities=declared, changed=self.per_claim is True)
        agents = known.priorities
        if self.rule == "losses":
            return _loss_bounds(self, known)
        last: int | None = None
        if self.rule in {"least_recently_served", "round_robin"}:
            last = max(0, turns(known.agents, self.units))
        elif self.rule == "split":
            last = 0
        elif self.rule == "stride" and self.units == 1 and agents:
            weights = {**agents, **dict(self.weights)}
            return dict(stride_bounds({agent: weights[agent] for agent in agents}))
        return dict.fromkeys(agents, last)

    def to_json(self) -> JsonObject:
        """Return what is set, as JSON; ``Policy.from_json`` reads it."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        standard = {field.name: field.default for field in fields(self)}
        set_here = {name: one for name, one in plain.items() if one != standard[name]}
        return {"rule": self.rule, **{name: encode(one) for name, one in set_here.items()}}

    @classmethod
    def from_json(cls, data: object) -> Policy:
        """Read what ``to_json`` wrote.

        Args:
            data: an object; what is missing has its default.

        Returns:
            The policy.
        """
        if isinstance(data, Mapping):
            tables = {"priorities", "weights", "groups"}
            data = {
                name: list(value.items())
                if name in tables and isinstance(value, Mapping)
                else value
                for name, value in data.items()
            }
        return decode(cls, data, where="policy")


# --- bounds and warnings ---------------------------------------------------------------------


def _tolerance_of(
    policy: Policy, known: Population, high: int | Fraction, low: int | Fraction
) -> int | Fraction:
    """Return the largest tolerance that can apply."""
    if policy.tolerance is not None:
        return number_of(policy.tolerance)
    if not known.floats:
        return 0
    ageing = to_fraction(policy.c) * max(0, turns(known.agents, policy.units))
    # twice the share: the maximum may itself stand a tolerance per turn above P + ageing
    return 2 * _FLOAT_SHARE * (1 + max(high, -high, low, -low) + ageing)


def _loss_bounds(policy: Policy, known: Population) -> dict[str, int | None]:
    agents = known.priorities
    if not policy.c or known.handed_in:
        return dict.fromkeys(agents)
    low, high = known.spread
    c, tolerance = number_of(policy.c), _tolerance_of(policy, known, high, low)
    if known.changed:
        same = per_claim_bound(
            spread=high - low, c=c, agents=known.agents, units=policy.units, tolerance=tolerance
        )
        free: dict[str, int] = dict.fromkeys(agents, same)
    else:
        free = {
            agent: fixed_bound(
                difference=high - number_of(priority),
                c=c,
                agents=known.agents,
                units=policy.units,
                tolerance=tolerance,
            )
            for agent, priority in agents.items()
        }
    if policy.cap is None:
        return dict(free)
    # A cap that nobody can reach changes nothing. Whoever's own losses stay below it keeps its
    # bound while the others are capped, because a cap only lowers their scores.
    steps = to_fraction(policy.cap) / to_fraction(c)
    if all(bound <= steps for bound in free.values()):
        return dict(free)
    return {
        agent: bound if bound + 1 <= steps and not known.changed else None
        for agent, bound in free.items()
    }


def _warnings(policy: Policy) -> Iterable[CanStarve]:
    if policy.rule == "losses":
        yield from _loss_warnings(policy)
    elif policy.rule == "static_priority":
        why = f"a higher priority wins every time it claims ({policy.facts.name})"
        beaten = _beaten(policy)
        yield from (CanStarve(agent, why) for agent in beaten)
        if not beaten:
            yield CanStarve(None, why)
    elif policy.holds != "always":
        yield CanStarve(None, f"{policy.facts.fails} ({policy.facts.name})")


def _loss_warnings(policy: Policy) -> Iterable[CanStarve]:
    if not policy.c:
        why = "a lost conflict adds nothing (c = 0)"
        beaten = _beaten(policy)
        yield from (CanStarve(agent, why) for agent in beaten)
        if not beaten:
            yield CanStarve(None, why)
        return
    if policy.cap is not None:
        why = f"ageing stops at {show_number(policy.cap)}"
        bounds = policy.bounds()
        yield from (CanStarve(agent, why) for agent, bound in bounds.items() if bound is None)
        if not bounds:
            yield CanStarve(None, why)
    if policy.expiry is not None:
        why = f"whoever stays away for more than {policy.expiry} conflicts starts again at 0"
        yield CanStarve(None, why)


def _beaten(policy: Policy) -> list[str]:
    """Return the declared agents above which enough others stand to take every unit."""
    ranks = {agent: to_fraction(priority) for agent, priority in policy.priorities}
    return [
        agent
        for agent, own in ranks.items()
        if sum(other > own for other in ranks.values()) >= policy.units
    ]


# --- faults ------------------------------------------------------------------------------------


def _count_faults(policy: Policy) -> Iterable[Fault]:
    for name, least in (("units", 1), ("expiry", 0)):
        value: object = getattr(policy, name)
        if value is None and name == "expiry":
            continue
        if type(value) is not int or value < least:
            allowed = f"a whole number from {least}"
            yield Fault("policy", f"{name} is {shown(value)}", allowed, f"correct {name}")
    if policy.per_claim not in (True, False, None) or type(policy.per_claim) is int:
        what = f"per_claim is {shown(policy.per_claim)}"
        yield Fault("policy", what, "true, false or nothing", "correct per_claim")


def _weight_faults(policy: Policy) -> Iterable[Fault]:
    for agent, weight in policy.weights:
        if weight <= 0:
            what = f"has the weight {weight}"
            yield Fault(f"agent {agent!r}", what, "a weight above 0", "correct it or leave it out")
    if policy.scope == "group" and not policy.groups:
        what = "has the scope group and no groups"
        yield Fault("policy", what, "resource -> group", "list them")
