"""Desk laws: what holds whatever agents ask of a desk, and in whatever order?

Here: units, tokens, grants, time, circles, the fold, requests that fail and come again, the order
of one instant.
Not here: single requests (tests/unit/protocols/claims), who wins (test_arbitration_laws.py), many
processes (tests/faults).
Sources: SEMANTICS R1, R2, R7, L1, L2, K1-K3, G3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import ClaimNotGranted, InvalidInput
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.mechanisms.arbitration import Policy
from comity.mechanisms.deadlock import find_cycle
from comity.protocols.claims import Books, Desk, DeskRules, Event, Wanted, events, listings
from comity.runner.arbiter import Arbiter
from comity.runner.claims_record import decided_again
from comity.runner.desk_log import scope_of
from comity.testing.clock import FakeClock

AGENTS, RESOURCES = "abcd", "xyz"
RULES = ["losses", "hours", "lottery", "weighted_lottery", "stride", "round_robin", "first_come"]

agents = st.sampled_from(AGENTS)
resources = st.sampled_from(RESOURCES)
lengths = st.integers(5, 60)
requests = st.one_of(
    st.tuples(st.just("claim"), resources, agents, st.integers(1, 4), lengths, lengths),
    st.tuples(st.just("claim"), resources, agents, st.integers(1, 4), lengths, lengths),
    st.tuples(st.just("release"), resources, st.integers(0, 2)),
    st.tuples(st.just("renew"), resources, st.integers(0, 2), lengths),
    st.tuples(st.just("withdraw"), resources, agents),
    st.tuples(st.just("confirm"), resources, agents),
    st.tuples(
        st.just("decide"), resources, st.dictionaries(agents, st.integers(1, 9), min_size=1)
    ),
    st.tuples(st.just("record"), resources, st.dictionaries(agents, st.just(2), min_size=1)),
    st.tuples(st.just("advance")),
    st.tuples(st.just("nonsense"), st.sampled_from(["", None, True, "a\n", float("nan")])),
)
plays = st.lists(st.tuples(st.integers(-10, 30), requests), max_size=30)


@st.composite
def desk_rules(draw: st.DrawFn) -> DeskRules:
    circles = draw(st.sampled_from(["refuse", "refuse", "wound_wait"]))
    return DeskRules(
        policy=Policy(rule=draw(st.sampled_from(RULES)), c=draw(st.sampled_from([0, 1, "1/2"]))),
        capacity=1 if circles == "wound_wait" else draw(st.integers(1, 2)),
        gather_ms=draw(st.sampled_from([0, 0, 15])),
        circles=circles,
    )


class World:
    """A desk that is asked for things, with all that it has let happen."""

    def __init__(self, rules: DeskRules) -> None:
        self.rules = rules
        self.desk = Desk(rules)
        self.now = 1_000
        self.log: list[Event] = []
        self.granted: list[int] = []
        self.told: list[int] = []  # tokens, as often as somebody who asked was told

    @property
    def books(self) -> Books:
        return self.desk.books

    def do(self, request: tuple[Any, ...]) -> None:
        """Make one request; what is refused must have changed nothing."""
        changes = self.books.changes
        try:
            made = self._events(*request)
        except (InvalidInput, ClaimNotGranted):
            assert self.books.changes == changes
            return
        for one in made:
            self.log.append(one)
            for agent in self._winners(one):
                self.granted.append(self.books.fates[str(one.body["resource"]), agent].number)

    def _winners(self, event: Event) -> list[str]:
        body: Any = event.body
        if event.kind == "handed":
            return [body["agent"]]
        return [agent for agent, *_ in body.get("leases", ())]

    def _events(self, kind: str, *given: Any) -> list[Event]:
        when: dict[str, Any] = {"now_ms": self.now, "seed": str(len(self.log))}
        desk = self.desk
        if kind == "nonsense":
            (odd,) = given
            asks: list[Callable[[], Any]] = [
                lambda: desk.claim(Wanted(odd, odd, odd, odd, odd), **when),  # type: ignore[arg-type]  # the case
                lambda: desk.release("x", odd, **when),  # type: ignore[arg-type]  # the case
                lambda: desk.decide("x", {"a": odd}, **when),
                lambda: desk.record("x", {"a": 1}, [odd], now_ms=self.now),
            ]
            for ask in asks:
                with pytest.raises(InvalidInput):
                    ask()
            return []
        if kind == "advance":
            return desk.advance(**when)
        resource, *rest = given
        if kind == "claim":
            agent, priority, lease_ms, claim_ms = rest
            is_open = claim_ms % 3 > 0
            wanted = Wanted(resource, agent, priority, lease_ms, claim_ms, is_open)
            made, answer = desk.claim(wanted, **when)
            self.told += [answer.token] if answer.token and answer.is_granted else []
            return made
        if kind in {"confirm", "withdraw"}:
            fate = self.books.fates.get((resource, rest[0]))
            of_claim = getattr(desk, kind)(resource, rest[0], fate.number if fate else 1, **when)
            return list(of_claim[0])
        if kind == "decide":
            return desk.decide(resource, rest[0], **when)[0]
        if kind == "record":
            claims = rest[0]
            return desk.record(resource, claims, sorted(claims)[:1], now_ms=self.now)[0]
        held = self.books.held(resource)
        token = held[rest[0] % len(held)].token if held else rest[0]
        if kind == "release":
            return desk.release(resource, token, **when)[0]
        return desk.renew(resource, token, lease_ms=rest[1], **when)[0]


def played(rules: DeskRules, play: list[tuple[int, tuple[Any, ...]]]) -> Iterator[World]:
    world = World(rules)
    for step, request in play:
        world.now += step
        world.do(request)
        yield world


def waits_of(books: Books) -> dict[str, list[str]]:
    return {
        agent: sorted({one.holder for name in wanted for one in books.held(name)} - {agent})
        for agent, wanted in books.wants.items()
    }


@given(desk_rules(), plays)
def test_r7_never_more_holders_than_units_and_every_token_is_the_largest(
    rules: DeskRules, play: list[Any]
) -> None:
    """R7, L1: also: no claim is granted twice, nobody waits for what it holds or in a circle."""
    last = 0
    for world in played(rules, play):
        books = world.books
        for name in RESOURCES:
            holders = [one.holder for one in books.held(name)]
            assert len(holders) <= rules.capacity
            assert len(set(holders)) == len(holders)
            assert not set(holders) & books.waiting.get(name, {}).keys()
        tokens = [one.token for one in books.leases.leases]
        assert tokens == sorted(set(tokens))
        assert last <= books.leases.last_token == max([last, *tokens, books.leases.last_token])
        last = books.leases.last_token
        assert len(world.granted) == len(set(world.granted)) == last
        if rules.capacity == 1:
            assert not find_cycle(waits_of(books))


@given(desk_rules(), plays)
def test_r7_time_leaves_nothing_undone(rules: DeskRules, play: list[Any]) -> None:
    """What has ended is over, what is free and wanted is given, and the next of it is foretold."""
    for world in played(rules, play):
        books = world.books
        world.do(("advance",))
        now = books.now(world.now)
        ends = [int(one.until) for one in books.leases.leases]
        ends += [one.until_ms for one in books.claims.values()]
        ends += [at for name in RESOURCES if (at := books.gathered_ms(name)) is not None]
        assert all(at > now for at in ends)
        assert world.desk.due_ms() == min(ends, default=None)
        assert len(books.due) <= 64 + 4 * (len(ends) + 3) + 2


timed = st.one_of(
    st.tuples(st.just("claim"), resources, agents, st.integers(1, 4), lengths, lengths),
    st.tuples(st.just("claim"), resources, agents, st.integers(1, 4), lengths, lengths),
    st.tuples(st.just("release"), resources, st.integers(0, 2)),
    st.tuples(st.just("renew"), resources, st.integers(0, 2), lengths),
    st.tuples(st.just("withdraw"), resources, agents),
)


@given(
    st.builds(
        DeskRules,
        policy=st.builds(Policy, c=st.sampled_from([0, 2, 6])),
        capacity=st.just(1),
        gather_ms=st.sampled_from([0, 15]),
        circles=st.sampled_from(["refuse", "wound_wait"]),
    ),
    st.lists(st.tuples(st.integers(0, 80), timed), max_size=15),
    st.lists(st.integers(1, 800), max_size=40),
)
def test_r1_looking_in_between_never_changes_who_gets_what(
    rules: DeskRules, play: list[Any], looks: list[int]
) -> None:
    """R7: leases end, claims lapse and what is free is given, each at its own time."""

    def run(looks: list[int]) -> tuple[list[Any], list[Any]]:
        world, left = World(rules), sorted(1_000 + one for one in looks)
        for step, (kind, *rest) in play:
            until = world.now + step
            while left and left[0] <= until:
                world.now = left.pop(0)
                world.do(("advance",))
            world.now = until
            if kind == "claim":  # whatever was lost, no two are tied: no lot is drawn
                rest[2] = Fraction(7 * rest[2]) + Fraction(ord(rest[1]), 1000)
            world.do((kind, *rest))
        world.now += 1_000
        world.do(("advance",))
        told = [dict(one.body) for one in world.log]
        for one in told:
            one.pop("seed", None)  # fresh for each
        return [one.kind for one in world.log], told

    assert run(looks) == run([])


@given(desk_rules(), plays)
def test_r7_who_asks_for_a_claim_hears_of_a_token_that_nobody_heard_of_before(
    rules: DeskRules, play: list[Any]
) -> None:
    """Else two processes of one name would hold one lease."""
    for world in played(rules, play):
        assert len(world.told) == len(set(world.told))
        assert not set(world.told) & world.books.unseen.keys()
        assert world.books.unseen.keys() <= world.books.leases.by_token.keys()


@given(desk_rules(), plays)
def test_r5_every_lease_is_a_win_or_unused_or_not_yet_known(
    rules: DeskRules, play: list[Any]
) -> None:
    """And who has never won was turned away as often as its claims ran out."""
    for world in played(rules, play):
        tallies = world.books.tallies
        won = sum(one.wins + one.unused for one in tallies.values())
        without = [one for one in world.log if one.kind == "conflict" and "leases" not in one.body]
        handed_in = sum(len(one.body["winners"]) for one in without)  # type: ignore[arg-type]  # JSON
        assert won + len(world.books.unseen) == len(world.granted) + handed_in
        ran_out = [
            (one.body["resource"], one.body["agent"])
            for one in world.log
            if one.body.get("why") == "lapsed"
        ]
        for name, one in tallies.items():
            assert one.turned_away <= ran_out.count(name)
            assert one.wins or one.turned_away == ran_out.count(name)


@given(desk_rules(), plays, st.integers(0, 30), st.sampled_from([1, 100]))
def test_k1_books_fed_with_the_events_are_the_live_ones(
    rules: DeskRules, play: list[Any], cut: int, listed: int
) -> None:
    """K1, K2: from the first event, from a state in between, and decided again.

    R2: also where entries of more than one claimant hold only what has changed.
    """
    with patch.multiple(events, MOST_LISTED=listed), patch.multiple(listings, MOST_LISTED=listed):
        folds_alike(rules, play, cut)


def folds_alike(rules: DeskRules, play: list[Any], cut: int) -> None:
    middle, at = None, 0
    world = World(rules)
    for count, world in enumerate(played(rules, play)):
        if count == cut:
            middle, at = json.dumps(world.books.to_json()), len(world.log)
    whole = world.books.to_json()
    told = [(one.kind, json.loads(NewEntry(one.kind, one.body).text)) for one in world.log]
    folded, later = Books(rules), Books(DeskRules())
    for kind, body in told:
        folded.apply(kind, body)
    assert folded.to_json() == whole
    if middle is not None:
        later.apply("desk-state", json.loads(middle))
        for kind, body in told[at:]:
            later.apply(kind, body)
        assert later.to_json() == whole
        assert later.due.next_ms() == folded.due.next_ms() == world.desk.due_ms()
    opened = Event("desk", {"rules": whole["rules"]})
    entries = [NewEntry(kind, body) for kind, body in (opened, *told)]
    entries.append(NewEntry("desk-state", whole))
    with open_ledger(":memory:") as ledger:
        now_ms = world.books.now(world.now)
        ledger.append(scope_of("d"), entries, expected_head="", request_id=None, now_ms=now_ms)
        assert decided_again(ledger, "d") == ()


@given(
    st.sampled_from(["losses", "hours", "lottery", "weighted_lottery", "stride", "round_robin"]),
    st.integers(1, 2),
    st.dictionaries(agents, st.tuples(resources, st.integers(1, 4)), min_size=2),
    st.randoms(use_true_random=False),
)
def test_g3_the_order_in_which_claims_of_one_instant_arrive_never_matters(
    rule: str, capacity: int, claims: dict[str, tuple[str, int]], chance: Any
) -> None:
    def winners(order: list[str]) -> dict[str, list[str]]:
        desk = Desk(DeskRules(policy=Policy(rule=rule), capacity=capacity, gather_ms=10))
        for number, agent in enumerate(order):
            resource, priority = claims[agent]
            wanted = Wanted(resource, agent, priority)
            made, _ = desk.claim(wanted, now_ms=1_000, seed=f"{number}")
            assert [one.kind for one in made] == ["claimed"]
        desk.advance(now_ms=1_010, seed="7")
        return {name: [one.holder for one in desk.books.held(name)] for name in RESOURCES}

    order = sorted(claims)
    first = winners(order)
    chance.shuffle(order)
    assert winners(order) == first
    assert sum(map(len, first.values())) == sum(
        min(capacity, sum(wanted == name for wanted, _ in claims.values())) for name in RESOURCES
    )


class Unlucky:
    """A ledger whose commits fail as often as told, before or after they are made."""

    def __init__(self, ledger: Any, luck: list[str]) -> None:
        self._ledger, self._luck = ledger, luck

    def settle(self, *given: Any, **named: Any) -> Any:
        luck = self._luck.pop() if self._luck else "fine"
        if luck == "before":
            raise OSError(luck)
        settled = self._ledger.settle(*given, **named)
        if luck == "after":
            raise OSError(luck)
        return settled

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


@contextmanager
def served(luck: list[str], clock: FakeClock) -> Iterator[Arbiter]:
    rules = DeskRules(policy=Policy(c=2), lease_ms=40, claim_ms=60)
    with open_ledger(":memory:") as ledger:
        Arbiter(ledger, rules, clock=clock).close()
        yield Arbiter(Unlucky(ledger, luck), clock=clock, seeds=lambda: "7")  # type: ignore[arg-type]  # a ledger


asked_for = st.one_of(
    st.tuples(st.just("claim"), resources, agents),
    st.tuples(st.just("release"), resources, st.integers(0, 4)),
    st.tuples(st.just("decide"), resources, agents),
    st.tuples(st.just("record"), resources, agents),
)


@given(
    st.lists(st.tuples(st.integers(0, 30), asked_for), max_size=10),
    st.lists(st.sampled_from(["fine", "fine", "before", "after"]), max_size=30),
)
def test_k3_a_request_that_is_sent_until_it_is_answered_counts_once(
    play: list[tuple[int, tuple[Any, ...]]], luck: list[str]
) -> None:
    """K3: whatever was lost on the way, the books end as if nothing had been."""

    def ask(arbiter: Arbiter, number: int, kind: str, resource: str, what: Any) -> Any:
        name = f"r{number}"
        if kind == "claim":
            return arbiter.claim(resource, agent=what, request_id=name).answer
        if kind == "release":
            return arbiter.release(resource, what, request_id=name)
        claims = {what: 1, "z": 1}
        if kind == "decide":
            return arbiter.decide(claims, resource, request_id=name)
        return arbiter.record(claims, what, resource, request_id=name)

    def run(luck: list[str]) -> tuple[Any, list[Any]]:
        clock = FakeClock()
        answers = []
        with served(luck, clock) as arbiter:
            for number, (step, asked) in enumerate(play):
                clock.advance(step)
                while True:
                    try:
                        answers.append(ask(arbiter, number, *asked))
                        break
                    except ClaimNotGranted as error:  # the second claim of one name
                        answers.append(str(error))
                        break
                    except OSError:
                        assert luck is not None
            state = arbiter.books.to_json()
            del state["clocks"]  # each run has a clock of its own
            return state, answers

    assert run(list(luck)) == run([])
