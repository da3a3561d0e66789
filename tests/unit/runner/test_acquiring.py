"""runner/acquiring.py: several resources, all or none, and nobody waits in a circle (L2)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

import pytest

import comity.runner.acquiring
from comity.core.errors import ClaimNotGranted, InvalidInput
from comity.protocols.claims import DeskRules
from comity.runner.acquiring import Acquired, acquire
from comity.runner.arbiter import Arbiter
from comity.runner.claim import Claim
from comity.testing.clock import FakeClock


@pytest.fixture
def make(ledger: Any, clock: FakeClock) -> Callable[..., Arbiter]:
    def joining(rules: Any = None, **named: Any) -> Arbiter:
        return Arbiter(ledger, rules, clock=clock, **named)

    return joining


@pytest.fixture
def arbiter(make: Any) -> Arbiter:
    made: Arbiter = make()
    return made


def nothing_left(arbiter: Arbiter) -> bool:
    return arbiter.books.leases.leases == () and arbiter.books.waiting == {}


# --- what is wanted --------------------------------------------------------------------------


def test_l2_all_are_acquired_sorted_by_name_and_given_back_in_turn(
    arbiter: Arbiter, ledger: Any
) -> None:
    with acquire(arbiter, ["gpu", "disk", "tape"], agent="a", priority=3) as held:
        assert {name: claim.token for name, claim in held.items()} == {
            "disk": 1,
            "gpu": 2,
            "tape": 3,
        }
    ended = [body["resource"] for kind, body in ledger.entries() if kind == "ended"]
    assert ended == ["tape", "gpu", "disk"]
    assert nothing_left(arbiter)


def test_r7_who_was_restarted_waits_until_what_it_held_before_has_ended(
    arbiter: Arbiter, make: Any, clock: FakeClock
) -> None:
    """Nobody knows that the first of that name has stopped."""
    before = clock.now_ms()
    make().claim("gpu", agent="a", lease_ms=3_000)
    with (
        pytest.raises(ClaimNotGranted, match="is its second: claim 1 holds it"),
        acquire(arbiter, ["disk", "gpu"], agent="a", timeout_ms=1_000),
    ):
        raise AssertionError("it is not acquired")
    assert [one.resource for one in arbiter.books.leases.leases] == ["gpu"]
    with acquire(arbiter, ["disk", "gpu"], agent="a", timeout_ms=30_000) as held:
        assert clock.now_ms() - before >= 3_000
        assert held["gpu"].is_granted
    assert nothing_left(arbiter)


def test_one_name_is_one_resource(arbiter: Arbiter) -> None:
    with acquire(arbiter, "gpu", agent="a") as held:
        assert list(held) == ["gpu"]


def test_g7_all_faults_are_told_before_anything_is_claimed(arbiter: Arbiter, ledger: Any) -> None:
    wrong: list[tuple[int, dict[str, Any]]] = [
        (1, {"resources": []}),
        (1, {"resources": None}),
        (1, {"resources": ["gpu", "gpu"]}),
        (2, {"resources": ["gpu", " ", None]}),
        (4, {"resources": [""], "agent": "", "timeout_ms": 0, "each_ms": True}),
        (2, {"resources": ["gpu"], "timeout_ms": 1.5, "each_ms": 10**15}),
    ]
    for many, given in wrong:
        with pytest.raises(InvalidInput) as caught:
            acquire(arbiter, **{"agent": "a", **given})
        assert len(caught.value.faults) == many
    with (
        pytest.raises(InvalidInput, match="nan"),
        acquire(arbiter, ["gpu"], agent="a", priority=float("nan")),
    ):
        raise AssertionError("it is not acquired")
    assert len(ledger.entries()) == 1


def test_l2_what_goes_wrong_inside_gives_everything_back(arbiter: Arbiter) -> None:
    with pytest.raises(ValueError, match="oops"), acquire(arbiter, ["x", "y"], agent="a"):
        raise ValueError("oops")
    assert nothing_left(arbiter)


def test_an_acquisition_can_be_made_again(arbiter: Arbiter) -> None:
    both = acquire(arbiter, ["x", "y"], agent="a")
    for turn in range(2):
        with both as held:
            assert held["y"].token == 2 * turn + 2
    assert nothing_left(arbiter)


# --- all or none -----------------------------------------------------------------------------


def test_l2_what_is_had_is_given_back_while_another_is_waited_for(
    make: Any, arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    start = clock.now_ms()
    arbiter.claim("y", agent="holder", lease_ms=3_500)
    with acquire(arbiter, ["x", "y"], agent="a", each_ms=1_000, timeout_ms=60_000) as held:
        assert sorted(held) == ["x", "y"]
    assert 3_500 <= clock.now_ms() - start < 8_000
    tried = [body for kind, body in ledger.entries() if kind == "claimed"]
    assert [body["resource"] for body in tried].count("x") >= 3
    lengths = {body["until_ms"] - body["since_ms"] for body in tried if body["resource"] == "x"}
    assert lengths == {1_000}


def test_l2_the_time_for_all_ends_it_with_nothing_held(arbiter: Arbiter, clock: FakeClock) -> None:
    start = clock.now_ms()
    arbiter.claim("y", agent="holder", lease_ms=100_000)
    with (
        pytest.raises(ClaimNotGranted, match="claim of a on y: is lapsed"),
        acquire(arbiter, ["x", "y"], agent="a", timeout_ms=5_000),
    ):
        raise AssertionError("it is not acquired")
    assert 3_000 < clock.now_ms() - start <= 5_000
    assert [one.holder for one in arbiter.books.leases.leases] == ["holder"]
    assert arbiter.books.waiting == {}


def test_l2_a_lease_that_ended_while_others_were_waited_for_is_acquired_anew(
    make: Any, clock: FakeClock
) -> None:
    arbiter = make(DeskRules(lease_ms=400))
    arbiter.claim("y", agent="holder", lease_ms=600)
    with acquire(arbiter, ["x", "y"], agent="a", each_ms=1_000) as held:
        assert all(claim.look().is_granted for claim in held.values())
        assert held["x"].token > 2
    assert nothing_left(arbiter)


def test_l2_pauses_are_drawn_below_a_limit_that_doubles(
    arbiter: Arbiter, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []

    def jitter(attempt: int, _: float, **limits: int) -> int:
        asked.append((attempt, limits["cap_ms"]))
        return 7

    monkeypatch.setattr(comity.runner.acquiring, "full_jitter", jitter)
    arbiter.claim("x", agent="holder", lease_ms=300)
    with acquire(arbiter, ["x"], agent="a", each_ms=100):
        assert asked == [(0, 100), (1, 100)]


def test_l2_an_interruption_gives_everything_back(
    arbiter: Arbiter, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arbiter.claim("y", agent="holder")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(clock, "sleep_until", interrupted)
        with pytest.raises(KeyboardInterrupt), acquire(arbiter, ["x", "y"], agent="a"):
            raise AssertionError("it is not acquired")
    assert [one.holder for one in arbiter.books.leases.leases] == ["holder"]
    assert arbiter.books.waiting == {}


@pytest.mark.parametrize("circles", ["refuse", "wound_wait"])
def test_l2_two_that_want_the_same_in_other_orders_both_finish(
    make: Any, clock: FakeClock, circles: Any
) -> None:
    arbiter = make(DeskRules(circles=circles))
    box: SimpleQueue[tuple[str, int]] = SimpleQueue()

    def work(agent: str, wanted: list[str]) -> None:
        for turn in range(3):
            with acquire(arbiter, wanted, agent=agent):
                clock.sleep_until(clock.now_ms() + 20)
            box.put((agent, turn))

    clock.aside(lambda: work("a", ["x", "y"]))
    clock.aside(lambda: work("b", ["y", "x"]))
    done = [clock.first_of(box, None) for _ in range(6)]
    assert sorted(one for one in done if one) == [(a, t) for a in "ab" for t in range(3)]
    assert nothing_left(arbiter)


def test_l2_an_older_one_takes_it_and_the_younger_one_acquires_it_anew(
    make: Any, clock: FakeClock
) -> None:
    arbiter = make(DeskRules(circles="wound_wait"))
    arbiter.claim("z", agent="old")
    with acquire(arbiter, ["x", "y"], agent="young") as held:
        arbiter.claim("x", agent="old")
        assert held["x"].look().status == "ended"
        assert held["y"].look().is_granted
    assert arbiter.books.ages["young"] == 2, "a victim keeps its age"
    arbiter.release("x", 4)
    with acquire(arbiter, ["x", "y"], agent="young") as held:
        assert held["x"].answer.is_granted
    assert "young" not in arbiter.books.ages


# --- beside an event loop --------------------------------------------------------------------


def test_l2_an_event_loop_acquires_and_gives_back(arbiter: Arbiter) -> None:
    async def work() -> list[str]:
        async with acquire(arbiter, ["y", "x"], agent="a") as held:
            return list(held)

    assert asyncio.run(work()) == ["x", "y"]
    assert nothing_left(arbiter)


def test_l2_an_event_loop_is_told_that_the_time_is_over(arbiter: Arbiter) -> None:
    arbiter.claim("x", agent="holder")

    async def work() -> None:
        async with acquire(arbiter, ["x"], agent="a", timeout_ms=50):
            raise AssertionError("it is not acquired")

    with pytest.raises(ClaimNotGranted):
        asyncio.run(work())


class Stop:
    """A place where a thread stops until it may go on."""

    def __init__(self) -> None:
        self.reached, self.on = threading.Event(), threading.Event()

    def here(self) -> None:
        self.reached.set()
        assert self.on.wait(20)


@pytest.mark.parametrize("cancels", [1, 2])
def test_l2_who_is_cancelled_while_it_waits_holds_nothing_afterwards(
    arbiter: Arbiter, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, cancels: int
) -> None:
    arbiter.claim("y", agent="holder")
    stop, sleep = Stop(), clock.sleep_until
    ended = threading.Event()
    give_back = Acquired.give_back

    def waiting(at_ms: int) -> None:
        stop.here()
        sleep(at_ms)

    def given_back(self: Acquired) -> None:
        give_back(self)
        ended.set()

    monkeypatch.setattr(clock, "sleep_until", waiting)
    monkeypatch.setattr(Acquired, "give_back", given_back)

    async def work() -> None:
        task = asyncio.ensure_future(acquire(arbiter, ["x", "y"], agent="a").__aenter__())
        await asyncio.to_thread(stop.reached.wait)
        for _ in range(cancels):
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        stop.on.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(ended.wait, 20)

    asyncio.run(work())
    assert [one.holder for one in arbiter.books.leases.leases] == ["holder"]
    assert arbiter.books.waiting == {}
    assert clock.now_ms() < 1_700_000_002_100, "it is not tried again"


def test_l2_who_is_cancelled_when_all_is_acquired_holds_nothing_afterwards(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop, get = Stop(), Acquired.get

    def got(self: Acquired) -> Any:
        found = get(self)
        stop.here()
        return found

    monkeypatch.setattr(Acquired, "get", got)

    async def work() -> None:
        task = asyncio.ensure_future(acquire(arbiter, ["x", "y"], agent="a").__aenter__())
        await asyncio.to_thread(stop.reached.wait)
        assert len(arbiter.books.leases.leases) == 2
        task.cancel()
        await asyncio.sleep(0)
        stop.on.set()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(work())
    assert nothing_left(arbiter)


def test_l2_who_is_cancelled_just_before_all_is_acquired_holds_nothing_afterwards(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = acquire(arbiter, ["x", "y"], agent="a")
    get = Acquired._get

    def last(self: Acquired, resource: str, end_ms: int) -> Any:
        found = get(self, resource, end_ms)
        self._is_given_up = resource == "y"
        return found

    monkeypatch.setattr(Acquired, "_get", last)
    with pytest.raises(ClaimNotGranted, match="a, acquiring x, y: was cancelled"):
        both.get()
    assert nothing_left(arbiter)


# --- beside others ---------------------------------------------------------------------------


def test_l2_waiting_tasks_keep_no_thread_from_who_gives_back(arbiter: Arbiter) -> None:
    """The loop lends one thread here: whoever parked it would keep the holder from releasing."""
    order: list[str] = []

    async def work(name: str) -> None:
        async with acquire(arbiter, ["gpu"], agent=name, timeout_ms=10**9, each_ms=10**8):
            order.append(name)
            await asyncio.sleep(0)

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
        await asyncio.gather(*(work(f"a{n}") for n in range(12)))

    asyncio.run(main())
    assert sorted(order) == sorted(f"a{n}" for n in range(12))
    assert nothing_left(arbiter)


def test_l2_who_is_cancelled_twice_gives_back_all_the_same(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, may_end = Acquired.give_back, threading.Event()

    def slowly(self: Acquired) -> None:
        may_end.wait(60)
        real(self)

    monkeypatch.setattr(Acquired, "give_back", slowly)

    async def main() -> None:
        holds = asyncio.Event()

        async def hold() -> None:
            async with acquire(arbiter, ["gpu"], agent="a"):
                holds.set()
                await asyncio.Event().wait()

        task = asyncio.ensure_future(hold())
        await holds.wait()
        for _ in range(2):
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        with pytest.raises(asyncio.CancelledError):
            await task
        may_end.set()

    asyncio.run(main())
    joined(lambda: nothing_left(arbiter))
    assert nothing_left(arbiter)


def joined(is_over: Callable[[], bool]) -> None:
    """Wait for the threads that acquire or give back."""
    for one in threading.enumerate():
        if one.name == "comity-acquire":
            one.join(60)
    assert is_over()


def test_l2_what_fails_inside_a_thread_is_told_to_who_waits(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(self: Acquired) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(Acquired, "give_back", failing)

    async def main() -> None:
        async with acquire(arbiter, ["gpu"], agent="a"):
            pass

    with pytest.raises(OSError, match="the disk is gone"):
        asyncio.run(main())


def test_l2_one_that_cannot_be_given_back_keeps_none_of_the_others(
    arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Claim.end

    def sometimes(self: Claim) -> Any:
        if self.answer.resource in {"b", "d"}:
            raise OSError(f"no {self.answer.resource}")
        return real(self)

    monkeypatch.setattr(Claim, "end", sometimes)
    with pytest.raises(OSError, match="no d") as caught, acquire(arbiter, list("abcd"), agent="a"):
        pass
    assert caught.value.__notes__ == ["while giving back d", "and then: no b"]
    assert sorted(one.resource for one in arbiter.books.leases.leases) == ["b", "d"]


def test_l2_one_use_at_a_time(arbiter: Arbiter) -> None:
    """The end of the inner one would give back what the outer one holds."""
    one = acquire(arbiter, ["gpu"], agent="a")
    with one:
        with pytest.raises(InvalidInput, match="is acquired already"), one:
            pass
        assert arbiter.look("gpu", "a").is_granted
    with one:
        assert arbiter.look("gpu", "a").is_granted
    arbiter.claim("gpu", agent="b")
    short = acquire(arbiter, ["gpu"], agent="a", timeout_ms=50, each_ms=20)
    for _ in range(2):  # one that failed can be tried again
        with pytest.raises(ClaimNotGranted), short:
            pass


def test_l2_the_timeout_is_kept_whatever_the_clocks_show(
    make: Any, ledger: Any, clock: FakeClock
) -> None:
    """Another machine, a day ahead, has just been here; then the clock here is set back."""
    fast = Arbiter(ledger, clock=FakeClock(clock.now_ms() + 86_400_000))
    fast.claim("gpu", agent="z", lease_ms=10**9)
    begin = clock.now_ms()
    with pytest.raises(ClaimNotGranted), acquire(make(), ["gpu"], agent="a", timeout_ms=2_000):
        pass
    assert clock.now_ms() - begin <= 2_200
    claim = make().claim("gpu", agent="a", timeout_ms=1_000)
    clock._now -= 3_600_000
    begin = clock.now_ms()
    assert claim.settle().status in {"lapsed", "withdrawn"}
    assert clock.now_ms() - begin <= 1_200
