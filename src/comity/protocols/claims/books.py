"""Books: what does a desk know, and how does one event change it?

Here: the state of a desk as the fold of its events, what follows from it at a glance, as JSON.
Not here: which events a request leads to (desk.py).
Sources: SEMANTICS R1, R7; ARCHITECTURE contract 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, InvalidInput
from comity.core.exact import Exact
from comity.mechanisms.arbitration import Arbitration, Conflict, Lease, Policy, State, reseed
from comity.mechanisms.arbitration.engine import Claims
from comity.protocols.claims.clocks import Clocks
from comity.protocols.claims.due import Due, What
from comity.protocols.claims.events import (
    CLAIMED,
    CLOCK,
    CONFIRMED,
    CONFLICT,
    ENDED,
    HANDED,
    OPENED,
    REFUSED,
    RENEWED,
    STATE,
    WITHDRAWN,
    Event,
    conflict_of,
)
from comity.protocols.claims.holding import Holding
from comity.protocols.claims.listings import Listings
from comity.protocols.claims.rules import DeskRules, desk_rules_from_json, desk_rules_to_json
from comity.protocols.claims.standing import Fate, Standing, Tally

__all__ = ["Books"]


class Books:
    """What a desk knows; only events change it.

    Attributes are for reading: ``rules``, ``engine`` (who decides, with the losses), ``leases``
    (what is held, in milliseconds), ``waiting`` (resource -> agent -> claim), ``claims`` (number
    -> claim that waits), ``wants`` (agent -> what it waits for), ``fates`` ((resource, agent) ->
    its last claim), ``tallies`` ((resource, agent) -> all its claims), ``unseen`` (token of a
    lease whose claimant has not been told -> whether its claim was open), ``elsewhere`` (resource
    -> conflicts that were decided elsewhere), ``listings`` (who claimed last, where they were
    many), ``clocks`` (the time here, and how far each machine is off from it), ``ages`` (agent ->
    the number of the claim since which it has wanted or held something), ``victims`` (agents from
    which something was taken, which keep their age until they win again), ``made`` (how many
    claims there were), ``due`` (what happens next), ``changes`` (how often this object has
    changed).

    Args:
        rules: how the desk works.

    Example:
        >>> books = Books(DeskRules())
        >>> one = Standing(1, "gpu", "a", 3, 0, 9, 9)
        >>> books.happen(Event("claimed", one.to_json())).kind
        'claimed'
        >>> sorted(books.waiting["gpu"]), books.free("gpu")
        (['a'], 1)
    """

    __slots__ = (
        "ages",
        "changes",
        "claims",
        "clocks",
        "due",
        "elsewhere",
        "engine",
        "fates",
        "leases",
        "listings",
        "made",
        "rules",
        "tallies",
        "unseen",
        "victims",
        "waiting",
        "wants",
    )

    def __init__(self, rules: DeskRules) -> None:
        """Open empty books."""
        self.rules = rules
        self.engine = Arbitration(rules.policy, seed="")
        self.leases = Holding()
        self.waiting: dict[str, dict[str, Standing]] = {}
        self.claims: dict[int, Standing] = {}
        self.wants: dict[str, set[str]] = {}
        self.fates: dict[tuple[str, str], Fate] = {}
        self.tallies: dict[tuple[str, str], Tally] = {}
        self.unseen: dict[int, bool] = {}
        self.elsewhere: dict[str, int] = {}
        self.listings = Listings()
        self.clocks = Clocks()
        self.ages: dict[str, int] = {}
        self.victims: set[str] = set()
        self.made = self.changes = 0
        self.due = Due(self.when)

    def now(self, now_ms: int) -> int:
        """Return the time that counts: a clock set back stands still."""
        last = self.clocks.last
        return now_ms if last is None else max(now_ms, last)

    @property
    def at_stake(self) -> bool:
        """Whether somebody holds or waits."""
        return bool(self.claims or self.leases.by_token)

    def held(self, resource: str) -> tuple[Lease, ...]:
        """Return the leases on a resource, oldest first."""
        return self.leases.of(resource)

    def free(self, resource: str) -> int:
        """Return how many units nobody holds."""
        return max(0, self.rules.capacity - len(self.held(resource)))

    def gathered_ms(self, resource: str) -> int | None:
        """Return when a unit of a resource is given to who waits for it, or None."""
        waiting = self.waiting.get(resource)
        if not waiting or not self.free(resource):
            return None
        return min(one.since_ms for one in waiting.values()) + self.rules.gather_ms

    def apply(self, kind: str, body: Mapping[str, Any]) -> None:
        """Take in one recorded event.

        Args:
            kind: the kind of the entry; what is no kind of event here changes nothing.
            body: its body.

        Raises:
            InvalidInput: for an event that cannot have happened here.
        """
        try:
            if kind == CONFLICT:
                self.take(conflict_of(body, self.listings))
            self.happen(Event(kind, body))
        except InvalidInput:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise _impossible(f"event {kind!r}") from error

    def decide(
        self, claims: Claims, resource: str, *, reading: Exact | None, seed: str
    ) -> Conflict:
        """Decide one conflict, so that the losses count it.

        Args:
            claims: who claims, with exact priorities.
            resource: what is claimed.
            reading: the clock in seconds, for a rule that looks at it.
            seed: the seed of the lots.

        Raises:
            InvalidInput: with every fault at once; nothing has changed then.
        """
        reseed(self.engine, seed)
        conflict = self.engine.conflict(claims, resource, reading)
        self.changes += 1
        return conflict

    def take(self, conflict: Conflict) -> None:
        """Count a conflict as it was decided.

        Args:
            conflict: who claimed and who won.

        Raises:
            InvalidInput: for one that cannot be the next; nothing has changed then.
        """
        self.engine.take(conflict)
        self.changes += 1

    def happen(self, event: Event) -> Event:
        """Change what one event changes, but for the losses: the engine counts those.

        Args:
            event: what happens.

        Returns:
            The event.
        """
        self.changes += 1
        change = _CHANGES.get(event.kind)
        if change is not None:
            body: Mapping[str, Any] = event.body
            change(self, body)
            at_ms = body.get("at_ms", body.get("since_ms"))
            if at_ms is not None:
                self.clocks.read(at_ms)
            self.due.thin(self.living(), len(self.claims) + len(self.leases.by_token))
        return event

    def to_json(self) -> JsonObject:
        """Return the whole state; a ``desk-state`` event with it makes any books these."""
        return {
            "rules": desk_rules_to_json(self.rules),
            "state": self.engine.state.to_json(),
            "leases": self.leases.to_json(),
            "waiting": [one.to_json() for _, one in sorted(self.claims.items())],
            "fates": [
                [*key, one.number, one.status, one.token, one.conflict, list(one.cycle)]
                for key, one in sorted(self.fates.items())
            ],
            "tallies": [[*key, *one.to_json()] for key, one in sorted(self.tallies.items())],
            "unseen": [[token, is_open] for token, is_open in sorted(self.unseen.items())],
            "listings": self.listings.to_json(),
            "clocks": self.clocks.to_json(),
            "elsewhere": [[name, count] for name, count in sorted(self.elsewhere.items())],
            "ages": [[agent, age] for agent, age in sorted(self.ages.items())],
            "victims": sorted(self.victims),
            "made": self.made,
        }

    def when(self, what: What) -> int | None:
        """Return when a lease, a claim or a resource is due as things stand, or None."""
        kind, key = what
        if kind == "resource":
            return self.gathered_ms(str(key))
        if kind == "lease":
            lease = self.leases.by_token.get(int(key))
            return None if lease is None else int(lease.until)
        claim = self.claims.get(int(key))
        return None if claim is None else claim.until_ms

    def living(self) -> Iterable[What]:
        """Yield everything that may be due."""
        yield from (("lease", token) for token in self.leases.by_token)
        yield from (("claim", number) for number in self.claims)
        yield from (("resource", name) for name in self.waiting)


def _opened(books: Books, body: Mapping[str, Any]) -> None:
    """Take new rules; losses are kept when they mean the same under them."""
    rules = desk_rules_from_json(body["rules"])
    if "clock" in body:
        books.clocks.note(body["at_ms"], body["clock"], 0)
    kept = _kept(books.engine.state, books.rules.policy, rules.policy)
    books.rules = rules
    books.engine = Arbitration(rules.policy, seed="", state=kept)
    for resource in books.waiting:
        books.due.add(("resource", resource))


def _kept(state: State, before: Policy, now: Policy) -> State | None:
    """Return what losses still mean the same; priorities that may change once are forgotten."""
    if (now.rule, now.scope) != (before.rule, before.scope):
        return None
    if now.per_claim is not False:
        return state
    scopes = (
        replace(scope, agents=tuple(replace(one, priority=None) for one in scope.agents))
        for scope in state.scopes
    )
    return replace(state, scopes=tuple(scopes))


def _restored(books: Books, body: Mapping[str, Any]) -> None:
    books.rules = desk_rules_from_json(body["rules"])
    state = State.from_json(body["state"])
    books.engine = Arbitration(books.rules.policy, seed="", state=state)
    books.leases = Holding.from_json(body["leases"])
    books.waiting, books.claims, books.wants = {}, {}, {}
    for one in map(Standing.from_json, body["waiting"]):
        _put(books, one)
    books.fates = {
        (resource, agent): Fate(number, status, token, conflict, tuple(cycle))
        for resource, agent, number, status, token, conflict, cycle in body["fates"]
    }
    books.tallies = {
        (resource, agent): Tally.from_json(rest)
        for resource, agent, *rest in body.get("tallies", ())
    }
    books.unseen = dict(body.get("unseen", ()))
    books.elsewhere = dict(body.get("elsewhere", ()))
    books.listings = Listings.from_json(body.get("listings", ()))
    books.clocks = Clocks.from_json(body.get("clocks", {"last": books.leases.clock}))
    books.ages = dict(body["ages"])
    books.victims = set(body["victims"])
    books.made = body["made"]
    books.due = Due(books.when)
    for what in books.living():
        books.due.add(what)


def _claimed(books: Books, body: Mapping[str, Any]) -> None:
    one = Standing.from_json(body)
    if one.number <= books.made or one.agent in books.waiting.get(one.resource, {}):
        raise _impossible(f"claim {one.number}")
    _put(books, one)
    books.due.add(("claim", one.number))
    books.due.add(("resource", one.resource))
    key = one.resource, one.agent
    books.fates[key] = Fate(one.number, "waiting")
    tally = books.tallies.get(key) or Tally()
    since_ms = one.since_ms if tally.since_ms is None else tally.since_ms
    books.tallies[key] = tally._replace(since_ms=since_ms, priority=one.priority)
    books.ages.setdefault(one.agent, one.number)
    if body.get("is_young"):
        books.ages[one.agent] = one.number
    books.made = one.number


def _withdrawn(books: Books, body: Mapping[str, Any]) -> None:
    why = body["why"]
    if why not in {"withdrawn", "lapsed"}:
        raise _impossible(f"claim that is {why}")
    one = _taken(books, body["resource"], body["agent"])
    books.engine.withdraw(one.agent, one.resource)
    key = one.resource, one.agent
    books.fates[key] = Fate(one.number, why)
    if why == "lapsed":
        tally = books.tallies[key]
        books.tallies[key] = tally._replace(turned_away=tally.turned_away + 1)
    books.leases.read(body["at_ms"])
    _rest(books, one.agent)


def _refused(books: Books, body: Mapping[str, Any]) -> None:
    resource, agent, cycle = body["resource"], body["agent"], tuple(body["cycle"])
    number = body["number"]
    if agent in books.waiting.get(resource, {}):
        _taken(books, resource, agent)
    books.fates[resource, agent] = Fate(number, "refused", cycle=cycle)
    books.made = max(books.made, number)
    _rest(books, agent)


def _conflict(books: Books, body: Mapping[str, Any]) -> None:
    resource, leases = body["resource"], body.get("leases", ())
    if leases and [one[0] for one in leases] != list(body["winners"]):
        raise _impossible(f"lease of {resource} for who did not win")
    books.listings.note(body)
    for agent, token, until_ms in leases:
        _grant(books, body, agent, (token, until_ms), body["number"])
    if not leases:
        for agent in body["winners"]:
            _won(books, resource, agent)
        if body["seed"] is None:
            books.elsewhere[resource] = books.elsewhere.get(resource, 0) + 1


def _handed(books: Books, body: Mapping[str, Any]) -> None:
    _grant(books, body, body["agent"], (body["token"], body["until_ms"]), None)


def _confirmed(books: Books, body: Mapping[str, Any]) -> None:
    """Note that a claimant has been told of its lease."""
    resource, agent, token = body["resource"], body["agent"], body["token"]
    fate = books.fates.get((resource, agent))
    if fate is None or fate.token != token or books.unseen.pop(token, None) is None:
        raise _impossible(f"confirmation of token {token}")
    books.leases.read(body["at_ms"])
    _won(books, resource, agent)


def _won(books: Books, resource: str, agent: str) -> None:
    """Count a win."""
    before = books.tallies.get((resource, agent)) or Tally()
    won = Tally(before.wins + 1, before.unused, priority=before.priority)
    books.tallies[resource, agent] = won


def _grant(
    books: Books,
    body: Mapping[str, Any],
    agent: str,
    lasts: tuple[int, int],
    conflict: int | None,
) -> None:
    resource = body["resource"]
    token, until_ms = lasts
    one = _taken(books, resource, agent)
    lease = books.leases.grant(
        resource, agent, at_ms=body["at_ms"], until_ms=until_ms, units=books.rules.capacity
    )
    if lease is None or lease.token != token:
        raise _impossible(f"lease of {resource} under token {token}")
    books.due.add(("lease", token))
    books.fates[resource, agent] = Fate(one.number, "granted", token, conflict)
    if body.get("told", True):
        _won(books, resource, agent)
    else:
        books.unseen[token] = one.is_open
    books.victims.discard(agent)


def _renewed(books: Books, body: Mapping[str, Any]) -> None:
    token = body["token"]
    is_done = books.leases.renew(
        body["resource"], token, at_ms=body["at_ms"], lease_ms=body["lease_ms"]
    )
    if not is_done:
        raise _impossible(f"renewal of token {token}")
    if books.unseen.pop(token, None) is not None:
        lease = books.leases.by_token[token]
        _won(books, lease.resource, lease.holder)
    books.due.add(("lease", token))


def _ended(books: Books, body: Mapping[str, Any]) -> None:
    resource, agent, token = body["resource"], body["agent"], body["token"]
    if body["why"] not in {"released", "expired", "wounded"}:
        raise _impossible(f"lease that is {body['why']}")
    fate = books.fates.get((resource, agent))
    if fate is None or fate.token != token or not books.leases.end(token, at_ms=body["at_ms"]):
        raise _impossible(f"end of token {token}")
    books.fates[resource, agent] = fate._replace(status="ended")
    if books.unseen.pop(token, None) is not None:
        _used_or_not(books, body)
    books.due.add(("resource", resource))
    if body["why"] == "wounded":
        books.victims.add(agent)
    _rest(books, agent)


def _used_or_not(books: Books, body: Mapping[str, Any]) -> None:
    """Count a lease that ends before its claimant was told of it: who released it knew of it."""
    resource, agent = body["resource"], body["agent"]
    if body["why"] == "released":
        _won(books, resource, agent)
        return
    tally = books.tallies[resource, agent]
    books.tallies[resource, agent] = tally._replace(unused=tally.unused + 1)


def _clock(books: Books, body: Mapping[str, Any]) -> None:
    """Note how far a clock is off; where it sets the desk, what runs keeps the time it has."""
    at_ms = body["at_ms"]
    if body.get("sets"):
        by_ms = at_ms - body["from_ms"]
        books.leases.shift(by_ms)
        waiting = list(books.claims.values())
        books.waiting, books.claims, books.wants = {}, {}, {}
        for one in waiting:
            since_ms, until_ms = one.since_ms + by_ms, one.until_ms + by_ms
            _put(books, one._replace(since_ms=since_ms, until_ms=until_ms))
        books.clocks = Clocks()
        books.due = Due(books.when)
        for what in books.living():
            books.due.add(what)
    books.clocks.note(at_ms, body["clock"], body["offset_ms"])


def _put(books: Books, one: Standing) -> None:
    books.waiting.setdefault(one.resource, {})[one.agent] = one
    books.claims[one.number] = one
    books.wants.setdefault(one.agent, set()).add(one.resource)


def _taken(books: Books, resource: str, agent: str) -> Standing:
    """Return a claim that waits no more."""
    waiting = books.waiting.get(resource, {})
    if agent not in waiting:
        raise _impossible(f"claim of {agent} on {resource}")
    one = waiting.pop(agent)
    if not waiting:
        del books.waiting[resource]
    del books.claims[one.number]
    books.wants[agent].discard(resource)
    if not books.wants[agent]:
        del books.wants[agent]
    return one


def _rest(books: Books, agent: str) -> None:
    """Forget since when an agent has wanted something, once it neither waits nor holds."""
    if agent not in books.wants and not books.leases.holds(agent) and agent not in books.victims:
        books.ages.pop(agent, None)


def _impossible(whose: str) -> InvalidInput:
    step = "run verify; restore a copy if it is not whole"
    return InvalidInput(
        Fault(whose, "is recorded and cannot have happened", "a whole record", step)
    )


_CHANGES = {
    OPENED: _opened,
    STATE: _restored,
    CLAIMED: _claimed,
    CLOCK: _clock,
    WITHDRAWN: _withdrawn,
    REFUSED: _refused,
    CONFLICT: _conflict,
    HANDED: _handed,
    CONFIRMED: _confirmed,
    RENEWED: _renewed,
    ENDED: _ended,
}
