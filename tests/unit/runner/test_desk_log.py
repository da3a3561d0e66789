"""runner/desk_log.py: a desk is the fold of its entries, caught up by many, committed together.

R1, K1, K3: what fails leaves nothing behind, and what is acknowledged is on disk.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NoReturn

import pytest

from comity.core.errors import Fault, InvalidInput, LedgerCorrupt, LedgerError
from comity.ledger.entry import NewEntry
from comity.mechanisms.arbitration import Policy
from comity.protocols.claims import DeskRules, Event, Wanted
from comity.runner import desk_log
from comity.runner.desk_log import DeskLog, Done, desk_name_fault, name_of, scope_of
from comity.testing.clock import FakeClock

FULL = LedgerError(Fault("ledger", "has no room left", "room", "make room"))


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise error

    return fail


def decided(log: DeskLog, agent: str = "a", request_id: str | None = None) -> Done[Any]:
    claims = [(agent, 1), ("z", 1)]
    return log.ask(lambda desk, now: desk.decide("gpu", claims, now_ms=now, seed="7"), request_id)


def state(log: DeskLog) -> Any:
    return log.see(lambda desk: desk.books.to_json())


@pytest.fixture
def make(ledger: Any, clock: FakeClock) -> Callable[..., DeskLog]:
    """Return a function that opens the desk as another process would."""

    def opening(
        rules: DeskRules | None = None, name: str = "claims", *, create: bool = True
    ) -> DeskLog:
        log = DeskLog(ledger, name, clock, lambda: "7")
        log.open(rules, create=create)
        return log

    return opening


# --- opening ---------------------------------------------------------------------------------


def test_k1_the_rules_are_the_first_entry(ledger: Any, make: Any) -> None:
    make(DeskRules(policy=Policy(c=2)))
    ((kind, body),) = ledger.entries()
    assert (kind, body["rules"]["policy"]) == ("desk", {"rule": "losses", "c": 2})


def test_k1_a_desk_that_is_there_is_joined_and_nothing_is_written(ledger: Any, make: Any) -> None:
    rules = DeskRules(capacity=3)
    first, second, third = make(rules), make(), make(rules, create=False)
    assert len(ledger.entries()) == 1
    assert state(first) == state(second) == state(third) == ledger.folded()


def test_g7_other_rules_than_it_has_are_refused(ledger: Any, make: Any) -> None:
    make(DeskRules(capacity=3))
    with pytest.raises(InvalidInput, match="works by other rules than these") as caught:
        make(DeskRules(capacity=2))
    (fault,) = caught.value.faults
    assert fault.whose == "desk 'claims'"
    assert "'capacity': 3" in fault.allowed
    assert len(ledger.entries()) == 1


def test_g7_a_desk_that_is_not_there_is_told_apart(ledger: Any, make: Any, clock: Any) -> None:
    make(name="other")
    with pytest.raises(InvalidInput, match="desk 'claims': is not there"):
        make(create=False)
    with pytest.raises(InvalidInput, match="is not there"):
        decided(DeskLog(ledger, "third", clock, str))
    assert ledger.entries() == []


def test_k3_whoever_opens_it_second_finds_the_rules_of_the_first(ledger: Any, make: Any) -> None:
    ledger.before.append(lambda: make(DeskRules(capacity=3)))
    with pytest.raises(InvalidInput, match="other rules"):
        make(DeskRules(capacity=2))
    ledger.before.append(lambda: make(DeskRules(capacity=4), "late"))
    late = make(name="late")
    assert late.see(lambda desk: desk.books.rules.capacity) == 4
    assert [kind for kind, _ in ledger.entries("late")] == ["desk"]


def test_k1_a_scope_that_holds_something_else_is_no_desk(ledger: Any, make: Any) -> None:
    """A session may be named like the scope of a desk."""
    scope = scope_of("x")
    opened = [NewEntry("opened", {"kind": "vote"})]
    ledger.append(scope, opened, expected_head="", request_id=None, now_ms=1)
    for create in (True, False):
        with pytest.raises(InvalidInput, match=r"desk 'x': has no place here: entry 1 .*'opened'"):
            make(name="x", create=create)
    assert len(ledger.entries("x")) == 1


@pytest.mark.parametrize("name", ["claims", "d_1f", "team/gpu", "x" * 195, "機"])
def test_a_desk_has_a_scope_of_its_own(make: Any, name: str) -> None:
    assert desk_name_fault(name) is None
    assert name_of(scope_of(name)) == name
    assert name_of(name) is None
    decided(make(name=name))


@pytest.mark.parametrize("name", ["", " ", "a\n", "x" * 196, "x" * 201, None, 7])
def test_names_that_no_desk_can_have(name: Any) -> None:
    assert desk_name_fault(name) is not None


# --- what others write -----------------------------------------------------------------------


def test_k3_each_sees_what_the_other_has_written(ledger: Any, make: Any) -> None:
    first, second = make(), make()
    for turn in range(6):
        one, other = (first, second) if turn % 2 else (second, first)
        assert decided(one).answer.number == turn + 1
        assert state(other) == state(one) == ledger.folded()


def test_k3_nobody_reads_twice_what_it_knows(ledger: Any, make: Any) -> None:
    log = make()
    for _ in range(5):
        decided(log)
    ledger.reads.clear()
    state(log)
    assert ledger.reads == [6]


def test_see_now_lets_happen_what_is_due(ledger: Any, make: Any, clock: FakeClock) -> None:
    log = make(DeskRules(lease_ms=100))
    wanted = Wanted("gpu", "a")
    log.ask(lambda desk, now: desk.claim(wanted, now_ms=now, seed="7"))
    assert log.see_now(lambda desk: desk.look("gpu", "a").status) == "granted"
    written = len(ledger.entries())
    clock.advance(100)
    assert log.see(lambda desk: desk.look("gpu", "a").status) == "granted"
    assert log.see_now(lambda desk: desk.look("gpu", "a").status) == "ended"
    assert len(ledger.entries()) == written + 1
    assert log.see_now(lambda desk: desk.due_ms()) is None


@pytest.mark.parametrize(
    ("kind", "body", "told"),
    [
        ("ended", {"resource": "x"}, "entry 2: event 'ended'"),
        ("desk", {"rules": {"capacity": 0, "lease_ms": 0}}, "entry 2: desk: lease_ms is 0"),
    ],
)
def test_k1_an_entry_that_cannot_have_happened_stops_the_desk(
    ledger: Any, make: Any, clock: Any, kind: str, body: Any, told: str
) -> None:
    log = make()
    forged = [NewEntry(kind, body)]
    other = scope_of("other")
    make(name="other")
    ledger.append(other, forged, expected_head=None, request_id=None, now_ms=1)
    broken = DeskLog(ledger, "other", clock, str)
    for _ in range(2):
        with pytest.raises(LedgerError, match=told):
            broken.open(None, create=True)
        with pytest.raises(LedgerError, match=told):
            decided(broken)
    assert decided(log).answer.number == 1, "other desks go on"
    ledger.broken.add("other")


# --- what fails ------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("error", [FULL, OSError("disk"), KeyboardInterrupt()])
def test_k3_a_commit_that_fails_leaves_the_desk_as_the_ledger_has_it(
    ledger: Any, make: Any, when: str, error: BaseException
) -> None:
    log = make()
    decided(log)
    getattr(ledger, when).append(raising(error))
    with pytest.raises(type(error)):
        decided(log, request_id="r")
    is_there = when == "after"
    assert state(log) == ledger.folded()
    again = decided(log, request_id="r")
    assert (again.answer is None) is is_there
    assert [one.body["number"] for one in again.entries] == [2]
    assert decided(log).answer.number == 3
    assert state(log) == ledger.folded()


def test_g7_a_refused_request_is_told_and_its_neighbours_go_on(ledger: Any, make: Any) -> None:
    log = make()
    written = len(ledger.entries())
    with pytest.raises(InvalidInput, match="nan"):
        log.ask(
            lambda desk, now: desk.decide("gpu", {"a": float("nan")}, now_ms=now, seed="7"), "r"
        )
    assert len(ledger.entries()) == written
    assert decided(log, request_id="r").answer.number == 1, "its id is unused"


@pytest.mark.parametrize("request_id", ["", "x" * 201, "a\x00", 7, "\ud800"])
def test_g7_an_unfit_request_id_is_refused_before_anybody_waits_for_it(
    ledger: Any, make: Any, request_id: Any
) -> None:
    log = make()
    commits = len(ledger.commits)
    with pytest.raises(InvalidInput, match="request id"):
        decided(log, request_id=request_id)
    assert len(ledger.commits) == commits


def test_k3_a_request_that_fails_half_way_is_undone(ledger: Any, make: Any) -> None:
    """It would be a bug of ours; the memory must not go on without the ledger."""
    log = make()
    decided(log)

    def half(desk: Any, now: int) -> NoReturn:
        desk.decide("gpu", {"a": 1}, now_ms=now, seed="7")
        raise InvalidInput(FULL.faults)

    def unfit(desk: Any, _: int) -> Any:
        desk.books.happen(Event("claimed", _claim()))
        return [Event("no\x00kind", {})], None

    for ask in (half, unfit):
        with pytest.raises(AssertionError, match="after it had changed the desk"):
            log.ask(ask)
        assert state(log) == ledger.folded()
    assert decided(log).answer.number == 2


def _claim() -> Any:
    return {
        "number": 1,
        "resource": "x",
        "agent": "a",
        "priority": 1,
        "since_ms": 0,
        "until_ms": 9,
        "lease_ms": 9,
    }


def test_k3_a_clock_that_fails_keeps_nobody_waiting(
    make: Any, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = make()
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now_ms", raising(OSError("no clock")))
        with pytest.raises(OSError, match="no clock"):
            decided(log)
    assert decided(log).answer.number == 1


def test_k3_a_ledger_that_was_replaced_by_an_older_one_is_noticed(ledger: Any, make: Any) -> None:
    log = make()
    decided(log)
    real, fewer = ledger.settle, 7
    ledger.settle = lambda *given, after, **named: real(*given, after=after + fewer, **named)
    with pytest.raises(LedgerCorrupt, match="it holds 2 entries where 9 were known"):
        decided(log)
    del ledger.settle
    assert decided(log).answer.number == 2


# --- the state, once more now and then -------------------------------------------------------


def states(ledger: Any) -> list[int]:
    return [at for at, (kind, _) in enumerate(ledger.entries(), 1) if kind == "desk-state"]


def test_k1_a_start_from_the_state_is_a_fold_from_the_first_entry(
    ledger: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_log, "_STATE_EVERY", 10)
    log = make()
    for turn in range(25):
        decided(log, agent=f"a{turn % 3}")
    assert states(ledger) == [12, 24]
    ledger.reads.clear()
    late = make()
    assert ledger.reads[0] == 24
    assert state(late) == state(log) == ledger.folded()
    assert decided(late).answer.number == 26


def test_k1_of_many_only_one_writes_the_state(
    ledger: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_log, "_STATE_EVERY", 10)
    logs = [make() for _ in range(4)]
    for turn in range(40):
        decided(logs[turn % 4])
    assert states(ledger) == [15, 30], "who has not heard of the others' entries asks at its next"
    for log in logs:
        assert state(log) == ledger.folded()


def test_k1_a_large_state_is_written_as_seldom_as_it_is_large(
    ledger: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a desk with many claimants would write mostly states."""
    monkeypatch.setattr(desk_log, "_STATE_EVERY", 10)
    log = make()
    for turn in range(100):
        decided(log, agent=f"a{turn}")
    assert states(ledger) == [12, 25, 50, 99]
    late = make()
    assert state(late) == ledger.folded()
    for turn in range(100):
        decided(late, agent=f"b{turn}")
    assert states(ledger)[4:] == [196]


def test_k1_a_state_behind_a_clock_set_back_is_found_all_the_same(
    ledger: Any, make: Any, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest by time is an older one then; the rest is read from there."""
    monkeypatch.setattr(desk_log, "_STATE_EVERY", 10)
    log = make()
    for _ in range(12):
        decided(log)
    clock._now -= 3_600_000
    for _ in range(12):
        decided(log)
    assert len(states(ledger)) == 2
    assert state(make()) == ledger.folded()


# --- one commit for all that queue -----------------------------------------------------------


def test_k3_requests_that_queue_share_a_commit_and_lose_nothing(ledger: Any, make: Any) -> None:
    log = make()
    threads, times = 8, 20
    ledger.commits.clear()

    def until_all_queue() -> None:
        while len(log._turns._queue) < threads - 1:
            threading.Event().wait(0.001)

    ledger.before.append(until_all_queue)
    numbers: list[int] = []

    def work() -> None:
        for _ in range(times):
            numbers.append(decided(log).answer.number)

    started = [threading.Thread(target=work) for _ in range(threads)]
    for one in started:
        one.start()
    for one in started:
        one.join()
    assert sorted(numbers) == list(range(1, threads * times + 1))
    assert ledger.commits[0] == 1
    assert ledger.commits[1] >= threads - 1
    assert sum(ledger.commits) == threads * times
    assert state(log) == ledger.folded()


def test_k3_a_shared_commit_that_fails_fails_for_each_of_them(ledger: Any, make: Any) -> None:
    log = make()

    def then_fail() -> None:
        while len(log._turns._queue) < 2:
            threading.Event().wait(0.001)
        ledger.before.append(raising(FULL))

    ledger.before.append(then_fail)
    found: list[object] = []

    def work() -> None:
        try:
            found.append(decided(log).answer.number)
        except LedgerError as error:
            found.append(error)

    started = [threading.Thread(target=work) for _ in range(3)]
    for one in started:
        one.start()
    for one in started:
        one.join()
    assert found.count(FULL) == 2
    assert found.count(1) == 1
    assert decided(log).answer.number == 2


class Interrupted:
    """A turn whose wait is interrupted."""

    def acquire(self) -> NoReturn:
        raise KeyboardInterrupt

    def release(self) -> None:
        """It is told all the same."""


@pytest.mark.parametrize("is_next", [False, True])
def test_k3_who_is_interrupted_while_it_waits_keeps_nobody_waiting(
    ledger: Any, make: Any, is_next: bool
) -> None:
    log = make()
    job: Done[Any] = Done(
        lambda desk, now: desk.decide("gpu", {"a": 1}, now_ms=now, seed="7"), None
    )
    job.turn = Interrupted()  # type: ignore[assignment]  # a stand-in
    job.is_next = is_next
    log._turns._is_somebody_at_work = True
    with pytest.raises(KeyboardInterrupt):
        log._turns.take(job)
    assert log._turns._queue == []
    assert job.is_done is is_next, "who was next has worked for all, itself among them"
    log._turns._is_somebody_at_work = log._turns._is_somebody_at_work and is_next
    assert decided(log).answer.number == 1 + is_next
    assert state(log) == ledger.folded()


# --- interrupted -----------------------------------------------------------------------------


@pytest.mark.parametrize("moment", ["before", "after"])
def test_k3_ctrl_c_in_one_thread_stops_no_other(ledger: Any, make: Any, moment: str) -> None:
    """Whether the shared commit was made or not: each other request counts once."""
    log = make()
    before, interrupts = len(ledger.entries()), [0]

    def until_all_queue() -> None:
        while len(log._turns._queue) < 5:
            threading.Event().wait(0.001)
        getattr(ledger, moment).append(interrupt)

    def interrupt() -> None:
        interrupts[0] += 1
        raise KeyboardInterrupt

    ledger.before.append(until_all_queue)
    found: list[object] = []

    def work(name: str) -> None:
        try:
            found.append(decided(log, name, f"r {name}").entries[-1].body["number"])
        except KeyboardInterrupt:
            found.append("stopped")

    started = [threading.Thread(target=work, args=(name,)) for name in "abcdef"]
    for one in started:
        one.start()
    for one in started:
        one.join()
    assert interrupts == [1]
    assert found.count("stopped") == (1 if moment == "before" else 0) or moment == "after"
    numbers = sorted(one for one in found if isinstance(one, int))
    written = len(ledger.entries()) - before
    assert len(numbers) >= 5
    assert len(set(numbers)) == len(numbers)
    assert written == (6 if moment == "after" else 5)
    assert state(log) == ledger.folded()


# --- a request with an id is kept in any case ------------------------------------------------


def test_k3_a_request_that_changes_nothing_is_kept_where_it_has_an_id(
    ledger: Any, make: Any
) -> None:
    log = make()
    log.ask(lambda *_: ([], None), "r1", "3f")
    log.ask(lambda *_: ([], None), None)
    assert ledger.entries()[1:] == [("answered", {"asked": "3f"})]


def test_r7_what_is_due_is_written_before_a_request_and_not_for_it(
    ledger: Any, make: Any, clock: FakeClock
) -> None:
    log = make(DeskRules(lease_ms=10))
    log.ask(lambda desk, now: desk.claim(Wanted("gpu", "a"), now_ms=now, seed="7"))
    clock.advance(50)
    done = log.ask(
        lambda desk, now: desk.claim(Wanted("gpu", "b"), now_ms=now, seed="7"), "r", "w"
    )
    assert [one.kind for one in done.entries] == ["claimed", "conflict"]
    assert [kind for kind, _ in ledger.entries()][-3:] == ["ended", "claimed", "conflict"]
