"""Books: what does a desk know, and how does one event change it?

Here: the state of a desk as the fold of its events, what follows from it at a glance, as JSON.
Not here: which events a request leads to (desk.py).
Sources: SEMANTICS R1, R7; ARCHITECTURE contract 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.arbitration import Arbitration, Lease, LeaseBook, State
from comity.protocols.claims.events import (
    CLAIMED,
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
from comity.protocols.claims.rules import DeskRules, desk_rules_from_json, desk_rules_to_json
from comity.protocols.claims.standing import Fate, Standing

__all__ = ["Books"]


class Books:
    """What a desk knows; only events change it.

    Attributes are for reading: ``rules``, ``engine`` (who decides, with the losses), ``leases``
    (what is held; the book's clock is in milliseconds here), ``waiting`` (resource -> agent ->
    claim), ``fates`` ((resource, agent) -> its last claim), ``ages`` (agent -> the number of the
    claim since which it has wanted or held something), ``made`` (how many claims there were).

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

    __slots__ = ("ages", "engine", "fates", "leases", "made", "rules", "waiting")

    def __init__(self, rules: DeskRules) -> None:
        """Open empty books."""
        self.rules = rules
        self.engine = Arbitration(rules.policy, seed="")
        self.leases = LeaseBook()
        self.waiting: dict[str, dict[str, Standing]] = {}
        self.fates: dict[tuple[str, str], Fate] = {}
        self.ages: dict[str, int] = {}
        self.made = 0

    def now(self, now_ms: int) -> int:
        """Return the time that counts: a clock set back stands still."""
        clock = self.leases.clock
        return now_ms if clock is None else max(now_ms, int(clock))

    def held(self, resource: str) -> tuple[Lease, ...]:
        """Return the leases on a resource, oldest first."""
        return tuple(one for one in self.leases.leases if one.resource == resource)

    def free(self, resource: str) -> int:
        """Return how many units nobody holds."""
        return self.rules.capacity - len(self.held(resource))

    def apply(self, kind: str, body: Mapping[str, Any]) -> None:
        """Take in one recorded event.

        Args:
            kind: the kind of the entry; what is no kind of event here changes nothing.
            body: its body.

        Raises:
            InvalidInput: for an event that cannot have happened here.
        """
        if kind == CONFLICT:
            self.engine.take(conflict_of(body))
        self.happen(Event(kind, dict(body)))

    def happen(self, event: Event) -> Event:
        """Change what one event changes, but for the losses: the engine counts those.

        Args:
            event: what happens.

        Returns:
            The event.
        """
        change = _CHANGES.get(event.kind)
        if change is not None:
            change(self, event.body)
        return event

    def to_json(self) -> JsonObject:
        """Return the whole state; a ``desk-state`` event with it makes any books these."""
        waiting = [one for each in self.waiting.values() for one in each.values()]
        return {
            "rules": desk_rules_to_json(self.rules),
            "state": self.engine.state.to_json(),
            "leases": self.leases.to_json(),
            "waiting": [one.to_json() for one in sorted(waiting)],
            "fates": [
                [*key, one.number, one.status, one.token, one.conflict, list(one.cycle)]
                for key, one in sorted(self.fates.items())
            ],
            "ages": [[agent, age] for agent, age in sorted(self.ages.items())],
            "made": self.made,
        }


def _opened(books: Books, body: Mapping[str, Any]) -> None:
    """Take new rules; losses are kept when they mean the same under them."""
    rules = desk_rules_from_json(body["rules"])
    kept = books.engine.state if rules.policy.rule == books.rules.policy.rule else None
    books.rules = rules
    books.engine = Arbitration(rules.policy, seed="", state=kept)


def _restored(books: Books, body: Mapping[str, Any]) -> None:
    books.rules = desk_rules_from_json(body["rules"])
    state = State.from_json(body["state"])
    books.engine = Arbitration(books.rules.policy, seed="", state=state)
    books.leases = LeaseBook.from_json(body["leases"])
    books.waiting = {}
    for one in map(Standing.from_json, body["waiting"]):
        books.waiting.setdefault(one.resource, {})[one.agent] = one
    books.fates = {
        (resource, agent): Fate(number, status, token, conflict, tuple(cycle))
        for resource, agent, number, status, token, conflict, cycle in body["fates"]
    }
    books.ages = dict(body["ages"])
    books.made = body["made"]


def _claimed(books: Books, body: Mapping[str, Any]) -> None:
    one = Standing.from_json(body)
    books.waiting.setdefault(one.resource, {})[one.agent] = one
    books.fates[one.resource, one.agent] = Fate(one.number, "waiting")
    books.ages.setdefault(one.agent, one.number)
    books.made = one.number


def _withdrawn(books: Books, body: Mapping[str, Any]) -> None:
    one = _taken(books, body["resource"], body["agent"])
    books.engine.withdraw(one.agent, one.resource)
    books.fates[one.resource, one.agent] = Fate(one.number, body["why"])
    books.leases = books.leases.at(body["at_ms"]).book
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
    for agent, token, until_ms in body.get("leases", ()):
        _grant(books, body["resource"], agent, (token, until_ms, body["at_ms"]), body["number"])


def _handed(books: Books, body: Mapping[str, Any]) -> None:
    times = (body["token"], body["until_ms"], body["at_ms"])
    _grant(books, body["resource"], body["agent"], times, None)


def _grant(
    books: Books, resource: str, agent: str, times: tuple[int, int, int], conflict: int | None
) -> None:
    token, until_ms, at_ms = times
    one = _taken(books, resource, agent)
    step = books.leases.grant(
        resource, agent, now=at_ms, seconds=until_ms - at_ms, units=books.rules.capacity
    )
    if step.lease is None or step.lease.token != token:
        raise _impossible(f"lease of {resource} under token {token}")
    books.leases = step.book
    books.fates[resource, agent] = Fate(one.number, "granted", token, conflict)


def _renewed(books: Books, body: Mapping[str, Any]) -> None:
    step = books.leases.renew(
        body["resource"], body["token"], now=body["at_ms"], seconds=body["lease_ms"]
    )
    if step.lease is None:
        raise _impossible(f"renewal of token {body['token']}")
    books.leases = step.book


def _ended(books: Books, body: Mapping[str, Any]) -> None:
    resource, agent, token = body["resource"], body["agent"], body["token"]
    known = books.leases.leases
    kept = tuple(one for one in known if one.token != token)
    if len(kept) == len(known):
        raise _impossible(f"end of token {token}")
    books.leases = replace(books.leases, leases=kept, clock=books.now(body["at_ms"]))
    fate = books.fates[resource, agent]
    if fate.token == token:
        books.fates[resource, agent] = fate._replace(status="ended")
    if body["why"] != "wounded":
        _rest(books, agent)


def _taken(books: Books, resource: str, agent: str) -> Standing:
    """Return a claim that waits no more."""
    waiting = books.waiting.get(resource, {})
    if agent not in waiting:
        raise _impossible(f"claim of {agent} on {resource}")
    one = waiting.pop(agent)
    if not waiting:
        del books.waiting[resource]
    return one


def _rest(books: Books, agent: str) -> None:
    """Forget since when an agent has wanted something, once it neither waits nor holds."""
    waits = any(agent in each for each in books.waiting.values())
    if not waits and all(one.holder != agent for one in books.leases.leases):
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
    WITHDRAWN: _withdrawn,
    REFUSED: _refused,
    CONFLICT: _conflict,
    HANDED: _handed,
    RENEWED: _renewed,
    ENDED: _ended,
}
