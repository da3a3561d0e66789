"""Engine: how are conflicts decided one after another, fast?

Here: the loop's own object: claims in, a small tuple out; rounds over several resources; taking
in conflicts that were decided elsewhere.
Not here: what a rule looks at (rules.py), the report a person reads (resolve.py, results.py).
Sources: SEMANTICS R1, R2.

Whole priorities of known agents under the default rule take a short way; everything else takes
the long one. Both decide alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, read_exact, to_fraction
from comity.mechanisms.arbitration.choosing import (
    Chosen,
    Lots,
    Seed,
    choose,
    label_of,
    tolerance_at,
    weighted,
)
from comity.mechanisms.arbitration.claims import Claim, ReadClaims, read_claims
from comity.mechanisms.arbitration.policy import Policy
from comity.mechanisms.arbitration.rules import RULES
from comity.mechanisms.arbitration.state import (
    Moment,
    Scope,
    ScopeState,
    State,
    read_state,
    scope_name,
)

__all__ = ["Arbitration", "Claims", "Conflict", "Decided", "read_policy", "reseed"]

Claims = Sequence[Any] | Mapping[str, Any]

_DEFAULT = Policy()
_as_conflict: Any = tuple.__new__  # a third of the time of the class's own way


class Conflict(NamedTuple):
    """One conflict and how it was decided: what a log keeps of it.

    Attributes:
        number: its number in its scope, from 1.
        resource: what was claimed.
        claims: who claimed with which priority, sorted by agent.
        marks: what the rule had counted for each of them before: losses, hours, ...
        stages: for each winner the set it was drawn from.
        winners: who won, in the order drawn; nobody when a person has to decide.
        at: when, in seconds, or None.

    Example:
        >>> Conflict(1, "gpu", (("a", 9), ("b", 5)), (0, 0), (("a",),), ("a",)).winners
        ('a',)
    """

    number: int
    resource: str
    claims: tuple[tuple[Any, ...], ...]
    marks: tuple[Exact, ...] = ()
    stages: tuple[tuple[str, ...], ...] = ()
    winners: tuple[str, ...] = ()
    at: Exact | None = None


def read_policy(policy: object) -> Policy:
    """Return the policy a caller hands in.

    Args:
        policy: a policy; None for ageing by losses with c = 1.

    Raises:
        InvalidInput: for anything else.

    Example:
        >>> read_policy(None).rule
        'losses'
    """
    if policy is None:
        return _DEFAULT
    if isinstance(policy, Policy):
        return policy
    what, allowed = f"is {shown(policy)}", "a Policy"
    raise InvalidInput(Fault("policy", what, allowed, "write Policy(rule=..., c=...)"))


class Decided(NamedTuple):
    """A conflict with what it was decided on.

    Attributes:
        conflict: how it was decided.
        moment: the claims, the policy, the clock.
        scores: agent -> score; agents left out could not win.
        floats: whether any number came as a float.
    """

    conflict: Conflict
    moment: Moment
    scores: Mapping[str, int | Fraction]
    floats: bool


class _Quick:
    """What the short way keeps of a scope: agent -> [priority, scaled score, losses].

    Scores are multiplied by the denominator of c, so that they are whole.
    """

    __slots__ = ("above", "below", "rows", "scope")

    def __init__(self, scope: Scope, c: Exact) -> None:
        """Start with no row; they are made when first looked for."""
        exact = to_fraction(c)
        self.below, self.above = exact.denominator, exact.numerator
        self.scope = scope
        self.rows: dict[str, list[int]] = {}

    def row(self, agent: str) -> list[int] | None:
        """Return the row of an agent the scope knows with a whole priority."""
        priority, lost = self.scope.seen.get(agent), self.scope.marks.get(agent)
        if type(priority) is not int or type(lost) is not int:
            return None
        row = [priority, priority * self.below + lost * self.above, lost]
        self.rows[agent] = row
        return row

    def settle(self) -> None:
        """Write the losses back into the scope."""
        self.scope.marks.update((agent, row[2]) for agent, row in self.rows.items())
        self.rows.clear()


class Arbitration:
    """Decides repeated claims and remembers what the next decision needs.

    Args:
        policy: the policy; ageing by losses with c = 1 when left out.
        seed: the seed of the lots, or a list of draws.
        state: where to go on: the state of an earlier engine or result.

    Example:
        >>> arbiter = Arbitration(Policy(c=2), seed="7")
        >>> [arbiter.conflict([("A", 3), ("C", 1)]).winners[0] for _ in range(5)]
        ['A', 'C', 'A', 'A', 'C']
    """

    __slots__ = ("_is_plain", "_quick", "_rule", "_scopes", "lots", "policy")

    def __init__(self, policy: Policy | None = None, *, seed: Seed, state: object = None) -> None:
        """Read the state; ``policy`` and ``lots`` are for reading only."""
        self.policy = read_policy(policy)
        self._rule = RULES[self.policy.rule]
        self.lots = Lots(seed)
        found = read_state(state, self.policy, "resource")
        self._scopes = {one.name: Scope(one) for one in found.scopes}
        self._is_plain = (
            self.policy.rule == "losses"
            and self.policy.scope == "resource"
            and self.policy.units == 1
            and not self.policy.tolerance
            and self.policy.expiry is None
            and self.policy.cap is None
        )
        self._quick: dict[str, _Quick] = {}

    @property
    def state(self) -> State:
        """What is remembered, as a value."""
        for quick in self._quick.values():
            quick.settle()
        names = sorted(self._scopes)
        return State(
            rule=self.policy.rule, scopes=tuple(self._scopes[name].frozen() for name in names)
        )

    def scope(self, resource: str = "resource") -> Scope:
        """Return what is remembered where claims on a resource count; do not change it.

        Args:
            resource: what is claimed.

        Returns:
            The working copy; an empty one where nothing has been decided yet.
        """
        name = scope_name(self.policy, resource)
        if name in self._quick:
            self._quick[name].settle()
        return self._scopes.get(name) or Scope(ScopeState(name=name))

    def conflict(
        self, claims: Claims, resource: str = "resource", now: Exact | float | None = None
    ) -> Conflict:
        """Decide one conflict and remember it.

        Args:
            claims: (agent, priority) pairs, Claims, names of declared agents, or a mapping.
            resource: what is claimed.
            now: the clock, in seconds; only ageing by hours looks at it.

        Returns:
            How it was decided.

        Raises:
            InvalidInput: with every fault of the claims at once; nothing is remembered then.
        """
        quick = self._quick.get(resource) if now is None else None
        if quick is not None:
            try:
                found = self._decide_quickly(quick, claims, resource)
            except (TypeError, ValueError, IndexError):
                found = None
            if found is not None:
                return found
        return self.round({resource: claims}, now)[0]

    def _decide_quickly(
        self, quick: _Quick, claims: Iterable[Any], resource: str
    ) -> Conflict | None:
        """Decide whole priorities that nobody has changed; None sends the claims the long way.

        Nothing is remembered before everything has been looked at.
        """
        pairs = sorted(claims)
        if pairs[0].__class__ is not tuple:
            return None
        rows, known = quick.rows, []
        before, tied = [], []
        best = previous = None
        for agent, priority in pairs:
            row = rows.get(agent) or quick.row(agent)
            if (
                row is None
                or priority.__class__ is not int
                or row[0] != priority
                or agent == previous
            ):
                return None
            previous = agent
            known.append(row)
            before.append(row[2])
            score = row[1]
            if best is None or score > best:
                best, tied, first = score, [agent], row
            elif score == best:
                tied.append(agent)
        scope = quick.scope
        number = scope.conflicts + 1
        winner = tied[0]
        if len(tied) > 1:
            winner = tied[self.lots.index(f"{resource} conflict {number} unit 1", len(tied))]
            first = rows[winner]
        scope.conflicts = number
        above = quick.above
        for row in known:
            row[1] += above
            row[2] += 1
        first[1] = first[0] * quick.below
        first[2] = 0
        scope.turn = winner
        stages = (tuple(tied),)
        parts = (number, resource, tuple(pairs), tuple(before), stages, (winner,), None)
        return _as_conflict(Conflict, parts)  # type: ignore[no-any-return]  # it makes a Conflict

    def round(
        self, claims: Mapping[str, Claims], now: Exact | float | None = None
    ) -> tuple[Conflict, ...]:
        """Decide the conflicts over several resources at once.

        All are decided on what was remembered before the round, so their order cannot matter.
        Whoever wins any resource of a scope has won the round there; whoever loses all it claimed
        has lost once.

        Args:
            claims: resource -> the claims on it.
            now: the clock, in seconds; only ageing by hours looks at it.

        Returns:
            One conflict per resource, sorted by resource.
        """
        return tuple(one.conflict for one in self.decide_round(claims, now))

    def decide_round(
        self, claims: Mapping[str, Claims], now: Exact | float | None = None
    ) -> tuple[Decided, ...]:
        """Decide as :meth:`round` does, and return the scores too.

        Args:
            claims: resource -> the claims on it.
            now: the clock, in seconds.

        Returns:
            What was decided, sorted by resource.
        """
        moments, floats = self._read(claims, now)
        decided: dict[str, list[Decided]] = {}
        for resource in sorted(moments):
            scope = self.scope(resource)
            found = self._decide(scope, moments[resource], floats=floats or scope.floats)
            decided.setdefault(scope.name, []).append(found)
        for listed in decided.values():
            self._remember(self.scope(listed[0].moment.resource), listed, floats=floats)
        every = [found for listed in decided.values() for found in listed]
        return tuple(sorted(every, key=lambda one: one.conflict.resource))

    def _read(self, claims: object, now: object) -> tuple[dict[str, Moment], bool]:
        faults: list[Fault] = []
        declared = dict(self.policy.priorities) or None
        read: dict[str, ReadClaims] = {}
        clock: Exact | None = None
        try:
            clock = None if now is None else read_exact(now, "conflict", "now")
        except InvalidInput as error:
            faults.extend(error.faults)
        if self.policy.rule == "hours" and now is None:
            what = "lacks the reading of the clock"
            faults.append(Fault("conflict", what, "now, in seconds", "pass now=..."))
        asked = claims if isinstance(claims, Mapping) else {}
        if not asked:
            what = f"is {shown(claims)}" if claims else "claims nothing"
            faults.append(Fault("round", what, "resource -> claims", "name them"))
        for resource, listed in asked.items():
            try:
                scope = self.scope(resource)
                free = self.policy.per_claim is not False
                read[resource] = found = read_claims(listed, declared, may_differ=free)
                faults.extend(_claim_faults(self.policy, scope, found))
            except InvalidInput as error:
                faults.extend(error.faults)
        raise_if(faults)
        floats = isinstance(now, float) or any(one.floats for one in read.values())
        moments = {
            resource: Moment(found.claims, self.policy, resource, clock)
            for resource, found in read.items()
        }
        return moments, floats

    def _decide(self, scope: Scope, moment: Moment, *, floats: bool) -> Decided:
        """Decide one conflict; nothing is remembered yet."""
        policy, rule, lots = self.policy, self._rule, self.lots
        gone = [one.agent for one in moment.claims if scope.is_expired(one.agent, policy)]
        if gone:
            scope = Scope(scope.frozen())
            scope.marks.update(dict.fromkeys(gone, rule.fresh))
        number = scope.conflicts + 1
        scores = rule.scores(scope, moment)

        def label(unit: int) -> str:
            return label_of(moment.resource, number, unit)

        if rule.picks == "maximum":
            chosen = choose(
                scores,
                policy.units,
                lambda best: tolerance_at(best, policy.tolerance, floats=floats),
                lambda unit, count: lots.index(label(unit), count),
            )
        elif rule.picks == "weighted":
            chosen = weighted(scores, policy.units, lambda unit: lots.share(label(unit)))
        elif rule.picks == "everyone":
            chosen = Chosen(tuple(scores), tuple((agent,) for agent in scores))
        else:
            chosen = Chosen((), ())
        conflict = Conflict(
            number,
            moment.resource,
            tuple(_short(one) for one in moment.claims),
            tuple(rule.waited(scope, one.agent, moment.now) for one in moment.claims),
            chosen.stages,
            chosen.winners,
            moment.now,
        )
        return Decided(conflict, moment, scores, floats)

    def _remember(self, scope: Scope, decided: Sequence[Decided], *, floats: bool) -> None:
        """Count one round of a scope."""
        every = [one for found in decided for one in found.moment.claims]
        claims = {one.agent: one for one in every}
        won = [agent for found in decided for agent in found.conflict.winners]
        lost = [agent for agent in claims if agent not in won]
        self._scopes[scope.name] = scope
        scope.forget(self.policy)
        for claim in every:
            scope.meet(claim, self._rule.fresh)
        scope.floats |= floats
        if won and self._rule.marks is not None:
            moment = decided[0].moment._replace(claims=tuple(claims.values()))
            self._rule.marks(scope, moment, won, lost)
        scope.conflicts += 1
        if self.policy.expiry is not None or self.policy.rule == "hours":
            scope.last.update(dict.fromkeys(claims, scope.conflicts))
        if won:
            scope.turn = won[-1]
        if not self._is_plain or scope.floats:
            self._quick.pop(scope.name, None)
        elif scope.name not in self._quick:
            self._quick[scope.name] = _Quick(scope, self.policy.c)

    def faults_of(self, claims: object, now: object = None) -> tuple[Fault, ...]:
        """Return what :meth:`round` would refuse.

        Args:
            claims: resource -> the claims on it.
            now: the clock, in seconds.
        """
        try:
            self._read(claims, now)
        except InvalidInput as error:
            return error.faults
        return ()

    def take(self, conflict: Conflict) -> None:
        """Remember a conflict that was decided elsewhere, as it was decided.

        Args:
            conflict: who claimed and who won; its number must be the next one of its scope.

        Raises:
            InvalidInput: for a number that is not the next, and a winner that did not claim;
                nothing is remembered then.
        """
        moments, floats = self._read({conflict.resource: conflict.claims}, conflict.at)
        scope = self.scope(conflict.resource)
        faults = []
        if conflict.number != scope.conflicts + 1:
            faults.append(
                Fault(
                    f"conflict {conflict.number} of {scope.name!r}",
                    "is not the next one",
                    f"conflict {scope.conflicts + 1}",
                    "take in every conflict once, in order",
                )
            )
        claimed = [one[0] for one in conflict.claims]
        for agent in conflict.winners:
            if agent not in claimed:
                what = f"won conflict {conflict.number} without a claim"
                faults.append(Fault(f"agent {shown(agent)}", what, ", ".join(claimed), "check it"))
        raise_if(faults)
        moment = moments[conflict.resource]
        if conflict.winners and self._rule.marks is not None:
            self._rule.scores(scope, moment)  # refuses, before anything is remembered
        self._remember(scope, [Decided(conflict, moment, {}, floats)], floats=floats)

    def withdraw(self, agent: str, resource: str = "resource") -> None:
        """Let an agent stop waiting: under ``hours`` its waiting ends, losses stay as they are.

        Args:
            agent: who no longer wants it.
            resource: what it had claimed.
        """
        scope = self.scope(resource)
        if self.policy.rule == "hours" and agent in scope.marks:
            scope.marks[agent] = self._rule.fresh


def reseed(engine: Arbitration, seed: Seed) -> None:
    """Let an engine draw the lots that follow from another seed.

    Args:
        engine: who decides.
        seed: as for :class:`Arbitration`.

    Example:
        >>> engine = Arbitration(seed="1")
        >>> reseed(engine, "2")
        >>> engine.lots.seed
        '2'
    """
    engine.lots = Lots(seed)


def _short(claim: Claim) -> tuple[Any, ...]:
    """Return a claim as a pair where it says no more than that."""
    return (claim.agent, claim.priority) if claim.at is None and claim.bid is None else claim


def _claim_faults(policy: Policy, scope: Scope, found: ReadClaims) -> list[Fault]:
    faults = []
    for claim in found.claims:
        for part in RULES[policy.rule].needs:
            if getattr(claim, part) is None:
                what = f"does not say when it arrived ({part})"
                allowed = "a time or a sequence number"
                do = "give Claim(agent, priority, at=...)"
                faults.append(Fault(f"claim of {claim.agent!r}", what, allowed, do))
        known = scope.seen.get(claim.agent)
        if policy.per_claim is False and known not in (None, claim.priority):
            what = f"has the priority {claim.priority}, it had {known} before"
            allowed = "one priority per agent (per_claim is false)"
            do = "correct the claim, or allow priorities per claim (a weaker promise)"
            faults.append(Fault(f"claim of {claim.agent!r}", what, allowed, do))
    return faults
