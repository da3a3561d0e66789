"""Resolve: several want it, who gets it?

Here: one conflict, or a round over several resources, as plain values in and an explained result
out.
Not here: the loop (engine.py), time and storage (runner/, ledger/).
Sources: SEMANTICS R1-R4, G1; issue "claims that never starve".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from comity.core.canonical import Json, JsonObject, digest, plain
from comity.core.codec import decode
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.exact import Exact, show_number, to_fraction
from comity.core.results import Grounds, Item, Submission
from comity.core.ties import Tie
from comity.mechanisms.arbitration.choosing import Lots, Seed, label_of, tidy, tolerance_at
from comity.mechanisms.arbitration.claims import Claim, read_claims
from comity.mechanisms.arbitration.engine import Arbitration, Claims, Decided, read_policy
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.results import (
    ArbitrationGrant,
    ArbitrationNoSale,
    ArbitrationSplit,
    ArbitrationWaiting,
    Claimant,
    Contest,
)
from comity.mechanisms.arbitration.rules import RULES
from comity.mechanisms.arbitration.state import State, read_state

__all__ = [
    "ArbitrationOutcome",
    "ArbitrationRules",
    "arbitrate",
    "arbitration_rules_from_json",
    "resolve",
    "resolve_round",
]

ArbitrationOutcome = ArbitrationGrant | ArbitrationSplit | ArbitrationWaiting | ArbitrationNoSale


def resolve(
    claims: Claims,
    state: object = None,
    *,
    seed: Seed,
    policy: Policy | None = None,
    resource: str = "resource",
    now: Exact | float | None = None,
) -> ArbitrationOutcome:
    """Decide one conflict.

    Args:
        claims: (agent, priority) pairs, Claims, names of declared agents, or a mapping.
        state: what is remembered: nothing at first, then the state of the last result.
        seed: the seed of the lot, recorded before; or a list of draws in [0, 1).
        policy: the policy; ageing by losses with c = 1 when left out.
        resource: what is claimed.
        now: the clock, in seconds; only ageing by hours looks at it.

    Returns:
        The grant, the split, the case for a person, or that nothing was granted.

    Raises:
        InvalidInput: with every fault of the input at once.

    Example:
        >>> first = resolve([("A", 3), ("C", 1)], seed="7")
        >>> first.winner, first.losses
        ('A', {'A': 0, 'C': 1})
        >>> second = resolve([("A", 3), ("C", 1)], first.state, seed="8")
        >>> resolve([("A", 3), ("C", 1)], second.state, seed="9").tied
        ('A', 'C')
    """
    return resolve_round({resource: claims}, state, seed=seed, policy=policy, now=now)[0]


def resolve_round(
    claims: Mapping[str, Claims],
    state: object = None,
    *,
    seed: Seed,
    policy: Policy | None = None,
    now: Exact | float | None = None,
) -> tuple[ArbitrationOutcome, ...]:
    """Decide the conflicts over several resources at once.

    All are decided on the same state, so their order cannot matter; each result carries the state
    after the whole round.

    Args:
        claims: resource -> its claims.
        state: what is remembered.
        seed: the seed of the lots; each resource has its own label.
        policy: the policy.
        now: the clock, in seconds; only ageing by hours looks at it.

    Returns:
        One result per resource, sorted by resource.

    Example:
        >>> both = resolve_round({"gpu": [("a", 2), ("b", 1)], "tpu": [("b", 1)]}, seed="7")
        >>> [one.winner for one in both]
        ['a', 'b']
    """
    policy = read_policy(policy)
    engine, before = _opened(claims, state, seed, policy, now)
    source = engine.lots.shown()
    decided = engine.decide_round(claims, now)
    after = engine.state
    written = policy.to_json()
    inputs: dict[str, object] = {
        "policy": written,
        "state": before.to_json(),
        "seed": source,
        "now": decided[0].moment.now,
        "claims": {one.moment.resource: one.conflict.claims for one in decided},
    }
    shared = _Shared(engine, after, written)
    return tuple(
        _explained(one, shared, digest({**inputs, "resource": one.moment.resource}))
        for one in decided
    )


def _opened(
    claims: object, state: object, seed: Seed, policy: Policy, now: object
) -> tuple[Arbitration, State]:
    """Return the engine and the state before; faults of seed, state and claims come together."""
    faults: list[Fault] = []
    before = State(rule=policy.rule)
    lots: Seed = ""
    try:
        first = min(claims, key=str, default="resource") if isinstance(claims, Mapping) else ""
        before = read_state(state, policy, first or "resource")
    except InvalidInput as error:
        faults.extend(error.faults)
    try:
        Lots(seed)
        lots = seed
    except InvalidInput as error:
        faults.extend(error.faults)
    engine = Arbitration(policy, seed=lots, state=before)
    if faults:
        faults.extend(engine.faults_of(claims, now))
    raise_if(faults)
    return engine, before


# --- a recorded session ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ArbitrationRules:
    """Everything that decides one conflict, as a session records it.

    Attributes:
        claims: the claims.
        seed: the seed of the lot.
        state: what is remembered.
        policy: the policy.
        resource: what is claimed.
        now: the clock, in seconds, or None.

    Example:
        >>> ArbitrationRules(claims=(Claim("a", 1),), seed="7").resource
        'resource'
    """

    claims: Sequence[Claim]
    seed: str
    state: State | None = None
    policy: Policy = field(default_factory=Policy)
    resource: str = "resource"
    now: Exact | None = None

    def to_json(self) -> JsonObject:
        """Return what :func:`arbitration_rules_from_json` reads."""
        return {
            "claims": [plain(list(one)) for one in self.claims],
            "seed": self.seed,
            "state": None if self.state is None else self.state.to_json(),
            "policy": self.policy.to_json(),
            "resource": self.resource,
            "now": plain(self.now),
        }


def arbitrate(rules: ArbitrationRules) -> ArbitrationOutcome:
    """Decide a recorded conflict.

    Args:
        rules: what decides it.

    Returns:
        The result.

    Example:
        >>> arbitrate(ArbitrationRules(claims=(Claim("a", 2), Claim("b", 1)), seed="7")).winner
        'a'
    """
    return resolve(
        rules.claims,
        rules.state,
        seed=rules.seed,
        policy=rules.policy,
        resource=rules.resource,
        now=rules.now,
    )


def arbitration_rules_from_json(data: JsonObject) -> ArbitrationRules:
    """Read recorded rules.

    Args:
        data: ``claims`` as lists of agent, priority and perhaps arrival and bid, ``seed``, and
            perhaps ``state``, ``policy``, ``resource`` and ``now``.

    Returns:
        The rules.

    Example:
        >>> arbitration_rules_from_json({"claims": [["a", "1/3"]], "seed": "7"}).seed
        '7'
    """
    found = decode(_Recorded, data, where="arbitration")
    policy = Policy() if found.policy is None else Policy.from_json(found.policy)
    state = read_state(found.state, policy, found.resource)
    return ArbitrationRules(
        claims=read_claims(found.claims, dict(policy.priorities) or None, may_differ=True).claims,
        seed=found.seed,
        state=state,
        policy=policy,
        resource=found.resource,
        now=found.now,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recorded:
    """The rules as they are written."""

    claims: Json
    seed: str
    state: Json = None
    policy: Json = None
    resource: str = "resource"
    now: Exact | None = None


# --- the report ------------------------------------------------------------------------------


class _Shared(NamedTuple):
    """What all results of a round share."""

    engine: Arbitration
    after: State
    policy_json: JsonObject


def _explained(decided: Decided, shared: _Shared, inputs_digest: str) -> ArbitrationOutcome:
    engine = shared.engine
    conflict, scores, policy = decided.conflict, decided.scores, engine.policy
    scope = engine.scope(conflict.resource)
    bounds = policy.bounds(scope.population(policy))
    waits = RULES[policy.rule].waited
    claimants = tuple(
        Claimant(
            agent=agent,
            priority=priority,
            waited=tidy(waited),
            score=None if agent not in scores else tidy(scores[agent]),
            won=agent in conflict.winners,
            waits=tidy(waits(scope, agent, decided.moment.now)),
            bound=bounds[agent],
        )
        for (agent, priority, *_), waited in zip(conflict.claims, conflict.marks, strict=True)
    )
    best = max(scores.values(), default=0)
    width = tolerance_at(best, policy.tolerance, floats=decided.floats)
    contest = Contest(
        number=conflict.number,
        resource=conflict.resource,
        scope=scope.name,
        claimants=claimants,
        stages=conflict.stages,
        tolerance=tidy(to_fraction(width)),
        holds="never" if scope.handed_in else policy.holds,
        warnings=policy.warnings,
        state=shared.after,
    )
    return _form(decided, contest, _grounds(decided, contest, shared, inputs_digest))


def _grounds(decided: Decided, contest: Contest, shared: _Shared, inputs_digest: str) -> Grounds:
    conflict, policy, lots = decided.conflict, shared.engine.policy, shared.engine.lots
    picks = RULES[policy.rule].picks
    ties = tuple(
        Tie(
            label=label_of(conflict.resource, conflict.number, unit)
            + (" by weight" if picks == "weighted" else ""),
            tied=stage,
            rule="lot",
            chosen=winner,
            seed=lots.seed,
        )
        for unit, (stage, winner) in enumerate(zip(conflict.stages, conflict.winners, strict=True))
        if len(stage) > 1
    )
    lost = [decided.scores[one] for one in decided.scores if one not in conflict.winners]
    won = [decided.scores[one] for one in conflict.winners]
    has_margin = picks == "maximum" and won and lost
    given = decided.moment
    parameters = {"policy": shared.policy_json, "resource": given.resource, "now": given.now}
    ended_by = {"everyone": "split", "nobody": "human"}.get(picks, "lot" if ties else "maximum")
    return Grounds(
        rule=policy.rule,
        ended_by=ended_by if won or picks == "nobody" else "reserve",
        inputs_digest=inputs_digest,
        parameters=tuple(
            (name, plain(one)) for name, one in parameters.items() if one is not None
        ),
        submissions=tuple(Submission(one.agent, _submitted(one)) for one in given.claims),
        scores=tuple(
            Item(one.agent, one.score) for one in contest.claimants if one.score is not None
        ),
        margin=tidy(min(won) - max(lost)) if has_margin else None,
        ties=ties,
        thin=tuple(f"a lot decided among {', '.join(one.tied)}" for one in ties),
    )


def _submitted(claim: Claim) -> dict[str, Json]:
    parts = claim._asdict()
    return {
        name: plain(parts[name]) for name in ("priority", "at", "bid") if parts[name] is not None
    }


def _form(decided: Decided, contest: Contest, grounds: Grounds) -> ArbitrationOutcome:
    """Return the kind that the rule and its winners ask for."""
    conflict, policy = decided.conflict, decided.moment.policy
    picks = RULES[policy.rule].picks
    if picks == "nobody":
        names = ", ".join(one.agent for one in contest.claimants)
        return ArbitrationWaiting(
            reason="human",
            unblock=(f"a person names the winner of {conflict.resource} among {names}",),
            contest=contest,
            grounds=grounds,
        )
    if picks == "everyone":
        shares = tuple(Item(agent, tidy(score)) for agent, score in decided.scores.items())
        return ArbitrationSplit(shares=shares, contest=contest, grounds=grounds)
    if not conflict.winners:
        bids = [one.priority if one.bid is None else one.bid for one in decided.moment.claims]
        return ArbitrationNoSale(
            reason="below_reserve",
            highest_bid=max(bids),
            unblock=(f"a bid of at least {show_number(policy.reserve)}",),
            contest=contest,
            grounds=grounds,
        )
    lost = [bid for agent, bid in decided.scores.items() if agent not in conflict.winners]
    price = max([to_fraction(policy.reserve), *map(to_fraction, lost)])
    return ArbitrationGrant(
        holder=conflict.winners[0],
        resource=conflict.resource,
        granted=conflict.winners,
        price=tidy(price) if policy.rule == "second_price" else None,
        contest=contest,
        grounds=grounds,
    )
