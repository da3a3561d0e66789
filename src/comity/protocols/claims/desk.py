"""Desk: what does each request at a desk lead to?

Here: claim, confirm, withdraw, release, renew, decide at once, take in what was decided elsewhere,
change the rules; each turns a request and the time into events and an answer.
Not here: who gets what is free (giving.py), what happens as time passes (passing.py), what an
event changes (books.py), the clock, seeds and commits (runner/arbiter.py).
Sources: SEMANTICS R1, R2, R7, L1, L2; ARCHITECTURE contract 2.

A request looks at everything before it changes anything: one that raises has changed nothing.
What is due happens before any request, and each at its own time, in the order of those times:
who looks, and when, decides nothing. Times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from comity.core.canonical import JsonObject
from comity.core.errors import ClaimNotGranted, Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, show_number
from comity.mechanisms.arbitration import Arbitration, Conflict, Lease
from comity.mechanisms.arbitration.claims import read_claims
from comity.mechanisms.arbitration.state import scope_name
from comity.protocols.claims.answers import Answer
from comity.protocols.claims.books import Books
from comity.protocols.claims.circles import circle_of
from comity.protocols.claims.events import (
    CLAIMED,
    CONFIRMED,
    CONFLICT,
    OPENED,
    RENEWED,
    Event,
    conflict_body,
)
from comity.protocols.claims.giving import (
    ended,
    give,
    has_had_turn,
    reading_at,
    refused,
    withdrawn,
    wound,
    yielded,
)
from comity.protocols.claims.passing import as_of, let_happen
from comity.protocols.claims.rules import DeskRules, desk_rules_to_json
from comity.protocols.claims.standing import (
    Standing,
    Wanted,
    claim_faults,
    lease_faults,
    length_faults,
    name_faults,
    read_wanted,
)
from comity.protocols.claims.telling import answer_of, over_of, refusal_of

__all__ = ["Asked", "Desk"]

Asked = tuple[list[Event], Answer]


class Desk:
    """Exclusive things, the claims on them and the leases that run.

    Args:
        rules: how it works.
        books: where to go on; empty books when left out.

    Example:
        >>> desk = Desk(DeskRules())
        >>> desk.claim(Wanted("gpu", "a", 1), now_ms=0, seed="1")[1].says
        'a holds gpu under token 1.'
        >>> desk.claim(Wanted("gpu", "b", 3), now_ms=1, seed="2")[1].status
        'waiting'
        >>> [event.kind for event in desk.release("gpu", 1, now_ms=9, seed="3")[0]]
        ['ended', 'conflict']
        >>> desk.look("gpu", "b").token
        2
    """

    __slots__ = ("books",)

    def __init__(self, rules: DeskRules, books: Books | None = None) -> None:
        """Keep the books."""
        self.books = Books(rules) if books is None else books

    def claim(self, wanted: Wanted, *, now_ms: int, seed: str) -> Asked:
        """Claim a resource: it is won at once, or the claim stands.

        One agent has one live claim on a resource. An open one is told again to whoever asks
        under its name, until somebody has been told of its lease; any other is refused to all who
        ask anew, so that two processes of one name never both believe that they hold it.

        Args:
            wanted: who claims what.
            now_ms: the time.
            seed: the seed of the lots that this request may need.

        Returns:
            What happened, and the answer.

        Raises:
            InvalidInput: with every fault at once.
            ClaimNotGranted: when the agent has a live claim on it already.
        """
        books = self.books
        read = read_wanted(wanted, books.rules, books.engine)
        resource, agent = read.resource, read.agent
        now = books.now(now_ms)
        _look_first(as_of(books, now_ms=now_ms, seed=seed), wanted, read, now)
        events = self.advance(now_ms=now_ms, seed=seed)
        if any(one.holder == agent for one in books.held(resource)):
            events += _confirm(books, resource, agent, now)
            return events, answer_of(books, resource, agent)
        if resource in books.wants.get(agent, ()):
            return events, answer_of(books, resource, agent)
        one = read._replace(number=books.made + 1, since_ms=now, until_ms=now + read.until_ms)
        circle = circle_of(books, agent, resource) if books.rules.circles == "refuse" else ()
        if circle:
            events.append(books.happen(refused(one, circle, "claimed", now)))
            return events, answer_of(books, resource, agent)
        is_young = books.rules.circles == "wound_wait" and has_had_turn(books, one)
        young: JsonObject = {"is_young": True} if is_young else {}
        events.append(books.happen(Event(CLAIMED, {**one.to_json(), **young})))
        if is_young:
            events += yielded(books, agent, now=now, seed=seed)
        if books.rules.circles == "wound_wait":
            events += wound(books, one, now=now)
        events += give(books, resource, now=now, seed=seed, asking=one.number)
        return events, answer_of(books, resource, agent)

    def confirm(self, resource: str, agent: str, number: int, *, now_ms: int, seed: str) -> Asked:
        """Note that a claimant has been told of the lease that its claim has won.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: the number of the claim.
            now_ms: the time.
            seed: the seed of the lots that this request may need.

        Returns:
            What happened, and how the claim stands.

        Raises:
            InvalidInput: with every fault at once.
        """
        books = self.books
        raise_if([*name_faults({"agent": agent}), *_resource_faults(books, resource)])
        events = self.advance(now_ms=now_ms, seed=seed)
        fate = books.fates.get((resource, agent))
        if fate is not None and (fate.number, fate.status) == (number, "granted"):
            events += _confirm(books, resource, agent, books.now(now_ms))
        return events, answer_of(books, resource, agent, number)

    def withdraw(
        self, resource: str, agent: str, number: int | None = None, *, now_ms: int, seed: str
    ) -> Asked:
        """Stop waiting; losses stay as they are. Whoever holds it already holds on.

        Args:
            resource: what was claimed.
            agent: who no longer wants it.
            number: which of its claims; the one that waits when left out.
            now_ms: the time.
            seed: the seed of the lots that this request may need.

        Raises:
            InvalidInput: with every fault at once.
        """
        books = self.books
        raise_if([*name_faults({"agent": agent}), *_resource_faults(books, resource)])
        events = self.advance(now_ms=now_ms, seed=seed)
        one = books.waiting.get(resource, {}).get(agent)
        if one is not None and number in {None, one.number}:
            events.append(books.happen(withdrawn(one, books.now(now_ms))))
        return events, answer_of(books, resource, agent, number)

    def release(self, resource: str, token: int, *, now_ms: int, seed: str) -> Asked:
        """End a lease; who is next wins it at once.

        Args:
            resource: what is held.
            token: the token of the lease.
            now_ms: the time.
            seed: the seed of the lots that this request may need.

        Raises:
            InvalidInput: with every fault at once; not for a lease that is over.
        """
        books = self.books
        raise_if([*_resource_faults(books, resource), *_token_faults(token)])
        events = self.advance(now_ms=now_ms, seed=seed)
        lease = _lease(books, resource, token)
        if lease is None:
            return events, refusal_of(books, resource, token)
        now = books.now(now_ms)
        over = books.happen(ended(books, lease, "released", now))
        following = give(books, resource, now=now, seed=seed)
        return [*events, over, *following], over_of(books, over, following)

    def renew(
        self, resource: str, token: int, *, now_ms: int, seed: str, lease_ms: int | None = None
    ) -> Asked:
        """Let a running lease run on from now; its token stays.

        Args:
            resource: what is held.
            token: the token of the lease.
            now_ms: the time.
            seed: the seed of the lots that this request may need.
            lease_ms: for how long; as long as the rules say when left out.

        Raises:
            InvalidInput: with every fault at once; not for a lease that is over.
        """
        books = self.books
        length = books.rules.lease_ms if lease_ms is None else lease_ms
        faults = [*_resource_faults(books, resource), *_token_faults(token)]
        raise_if([*faults, *length_faults("lease_ms", length)])
        events = self.advance(now_ms=now_ms, seed=seed)
        lease = _lease(books, resource, token)
        if lease is None:
            return events, refusal_of(books, resource, token)
        body: JsonObject = {
            "resource": resource,
            "token": token,
            "lease_ms": length,
            "at_ms": books.now(now_ms),
        }
        events.append(books.happen(Event(RENEWED, body)))
        return events, answer_of(books, resource, lease.holder)

    def decide(
        self, resource: str, claims: object, *, now_ms: int, seed: str
    ) -> tuple[list[Event], Conflict]:
        """Decide claims that are all handed in at once; no lease comes with it.

        Args:
            resource: what is claimed.
            claims: (agent, priority) pairs, names of declared agents, or a mapping.
            now_ms: the time.
            seed: the seed of the lots.

        Returns:
            What happened, and the conflict.

        Raises:
            InvalidInput: with every fault at once.
        """
        books = self.books
        exact = self._exact(resource, claims)
        raise_if(_priority_faults(books, resource, exact))
        reading = reading_at(books, books.now(now_ms))
        conflict = books.decide(exact, resource, reading=reading, seed=seed)
        body = conflict_body(conflict, seed=seed, listings=books.listings)
        timed = {**body, "at_ms": books.now(now_ms)}
        return [books.happen(Event(CONFLICT, timed))], conflict

    def record(
        self, resource: str, claims: object, winners: object, *, now_ms: int
    ) -> tuple[list[Event], Conflict]:
        """Take in a conflict that was decided elsewhere, as it was decided.

        Args:
            resource: what was claimed.
            claims: as for :meth:`decide`.
            winners: who won: one name or several; an empty list when nobody did.
            now_ms: the time.

        Returns:
            What happened, and the conflict.

        Raises:
            InvalidInput: with every fault at once; also for a winner that did not claim.
        """
        books = self.books
        faults: list[Fault] = []
        won: tuple[str, ...] = ()
        try:
            won = _read_winners(winners)
        except InvalidInput as error:
            faults.extend(error.faults)
        exact = self._exact(resource, claims, faults)
        raise_if(_priority_faults(books, resource, exact))
        conflict = Conflict(
            books.engine.scope(resource).conflicts + 1,
            resource,
            tuple(exact),
            stages=tuple((agent,) for agent in won),
            winners=won,
            at=reading_at(books, books.now(now_ms)),
        )
        books.take(conflict)
        body = conflict_body(conflict, seed=None, listings=books.listings)
        timed = {**body, "at_ms": books.now(now_ms)}
        return [books.happen(Event(CONFLICT, timed))], conflict

    def change(self, rules: DeskRules) -> list[Event]:
        """Work by other rules from now on; losses stay where rule and scope stay the same.

        Args:
            rules: the new rules.

        Raises:
            InvalidInput: with every fault at once: claims that wait must be fit for the new rules,
                and what keeps them from closing a circle cannot change under them.
        """
        books = self.books
        waiting = [one for _, one in sorted(books.claims.items())]
        if waiting:
            faults = [*lease_faults(rules), *_unfit_faults(waiting, rules)]
            before = books.rules
            if rules.circles != before.circles or rules.capacity < before.capacity:
                what = f"would change under {len(waiting)} claims that wait"
                do = "change it when nobody waits"
                faults.append(Fault("circles or capacity", what, "those there are", do))
            raise_if(dict.fromkeys(faults))
        return [books.happen(Event(OPENED, {"rules": desk_rules_to_json(rules)}))]

    def advance(self, *, now_ms: int, seed: str) -> list[Event]:
        """Let leases and claims run out, and give what is free to who is next.

        Each takes effect at its own time, the earliest first, however late somebody looks: what
        a lease sets free goes to who waited then. At one time leases end first, then claims
        lapse, then what is free is given.

        Args:
            now_ms: the time.
            seed: the seed of the lots that this may need.

        Returns:
            What happened.
        """
        return let_happen(self.books, now_ms=now_ms, seed=seed)

    def due_ms(self) -> int | None:
        """Return when something happens by itself, or None when nothing will."""
        return self.books.due.next_ms()

    def look(self, resource: str, agent: str, number: int | None = None) -> Answer:
        """Return what has become of an agent's claim on a resource.

        Args:
            resource: what is claimed.
            agent: who claims.
            number: which of its claims; the latest when left out.

        Raises:
            InvalidInput: with every fault at once.
        """
        raise_if([*name_faults({"agent": agent}), *_resource_faults(self.books, resource)])
        return answer_of(self.books, resource, agent, number)

    def _exact(
        self, resource: str, claims: object, faults: Sequence[Fault] = ()
    ) -> list[tuple[Any, ...]]:
        """Return claims sorted, with exact numbers only, as pairs where they say no more.

        Args:
            resource: what is claimed.
            claims: as for :meth:`decide`.
            faults: what else is wrong.

        Raises:
            InvalidInput: with every fault at once.
        """
        policy = self.books.rules.policy
        declared = dict(policy.priorities) or None
        found = [*faults, *_resource_faults(self.books, resource)]
        exact: list[tuple[Any, ...]] = []
        try:
            read = read_claims(claims, declared, may_differ=policy.per_claim is not False).claims
            exact = [one if one.at is not None or one.bid is not None else one[:2] for one in read]
        except InvalidInput as error:
            found.extend(error.faults)
        raise_if(found)
        return exact


def _look_first(books: Books, wanted: Wanted, read: Standing, now: int) -> None:
    """Raise when an agent may not claim this, or not in these words.

    Args:
        books: what the desk knows once what is due has happened.
        wanted: the claim as it came.
        read: the claim as it was read.
        now: the time.

    Raises:
        InvalidInput: with every fault at once.
        ClaimNotGranted: when the agent has a live claim on it already.
    """
    faults = _priority_faults(books, read.resource, [(read.agent, read.priority)])
    if wanted.priority is not None and not faults:
        faults = _other_words(books, read)
    raise_if(faults)
    second = _second_fault(books, read, now)
    if second is not None:
        raise ClaimNotGranted(second)


def _confirm(books: Books, resource: str, agent: str, now: int) -> list[Event]:
    """Note that an agent has been told of its lease, unless that is known."""
    (token,) = (one.token for one in books.held(resource) if one.holder == agent)
    if token not in books.unseen:
        return []
    body: JsonObject = {"resource": resource, "agent": agent, "token": token, "at_ms": now}
    return [books.happen(Event(CONFIRMED, body))]


def _other_words(books: Books, read: Standing) -> list[Fault]:
    """Return that an open claim is asked for again with another priority than it has."""
    waits = books.waiting.get(read.resource, {}).get(read.agent)
    if waits is None or waits.priority == read.priority:
        return []
    if not (waits.is_open and read.is_open):
        return []  # whatever its words, it is a second claim
    what = f"waits with the priority {show_number(waits.priority)}"
    what = f"{what}, it is asked for again with {show_number(read.priority)}"
    do = "leave the priority out, or withdraw the claim first"
    return [Fault(f"claim of {shown(read.agent)} on {shown(read.resource)}", what, "its own", do)]


def _second_fault(books: Books, read: Standing, now: int) -> Fault | None:
    """Return why an agent may not claim what it has claimed already: two would think they won."""
    resource, agent = read.resource, read.agent
    lease = next((one for one in books.held(resource) if one.holder == agent), None)
    waits = books.waiting.get(resource, {}).get(agent)
    if lease is not None:
        is_open = books.unseen.get(lease.token, False)
        number, does, until = books.fates[resource, agent].number, "holds it", int(lease.until)
    elif waits is not None:
        is_open = waits.is_open
        number, does, until = waits.number, "waits for it", waits.until_ms
    else:
        return None
    if is_open and read.is_open:
        return None
    what = f"is its second: claim {number} {does} for another {show_number(until - now)} ms"
    allowed = "one live claim of an agent on a resource, asked for again under its request id"
    do = "repeat the request id of the first, end the first, or claim under a name of your own"
    return Fault(f"claim of {shown(agent)} on {shown(resource)}", what, allowed, do)


def _read_winners(winners: object) -> tuple[str, ...]:
    """Return who won, each once, in the order given."""
    listed = [winners] if isinstance(winners, str) else winners
    if not isinstance(listed, Iterable):
        what, allowed = f"are {shown(winners)}", "a name, or a list of names"
        raise InvalidInput(Fault("winners", what, allowed, "name who won"))
    names = list(listed)
    raise_if(fault for name in names for fault in name_faults({"winner": name}))
    return tuple(dict.fromkeys(names))


def _lease(books: Books, resource: str, token: int) -> Lease | None:
    return next((one for one in books.held(resource) if one.token == token), None)


def _resource_faults(books: Books, resource: str) -> list[Fault]:
    """Return why nothing can be counted for a resource: its name, or that it has no group."""
    try:
        scope_name(books.rules.policy, resource)
    except InvalidInput as error:
        return list(error.faults)
    return []


def _token_faults(token: object) -> list[Fault]:
    if type(token) is int:
        return []
    what = f"has the token {shown(token)}"
    return [Fault("lease", what, "a whole number", "give the token of the claim")]


def _unfit_faults(waiting: Sequence[Standing], rules: DeskRules) -> list[Fault]:
    """Return why claims that wait cannot be decided under other rules."""
    engine = Arbitration(rules.policy, seed="")
    faults = [fault for one in waiting for fault in claim_faults(one, rules, engine)]
    if faults or rules.policy.per_claim is not False:
        return faults
    known: dict[tuple[str, str], Standing] = {}
    for one in waiting:
        first = known.setdefault((scope_name(rules.policy, one.resource), one.agent), one)
        if first.priority != one.priority:
            faults.append(_two_priorities(one.agent, one.priority, first))
    return faults


def _two_priorities(agent: str, priority: Exact, waits: Standing) -> Fault:
    what = f"has the priority {show_number(priority)}"
    what = f"{what}, it waits for {waits.resource} with {show_number(waits.priority)}"
    allowed = "one priority per agent (per_claim is false)"
    return Fault(f"claim of {agent!r}", what, allowed, "correct it, or withdraw the other")


def _priority_faults(
    books: Books, resource: str, claims: Iterable[tuple[Any, ...]]
) -> list[Fault]:
    """Return which priorities differ from those of claims that wait, where each agent has one."""
    policy = books.rules.policy
    if policy.per_claim is not False:
        return []
    scope = scope_name(policy, resource)
    faults = []
    for agent, priority, *_ in claims:
        for other in sorted(books.wants.get(agent, ())):
            waits = books.waiting[other][agent]
            if waits.priority != priority and scope_name(policy, other) == scope:
                faults.append(_two_priorities(agent, priority, waits))
    return faults
