"""runner/arbiter.py: agents of many processes claim, win, hold and give back (R1, R2, R7, G4).

Every test runs on a fake clock; nobody waits for real time.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import comity.runner.claim
from comity.core.errors import ClaimNotGranted, Fault, InvalidInput, LedgerError, exit_code_of
from comity.ledger.open import open_ledger
from comity.ledger.port import Request
from comity.mechanisms.arbitration import Fence, Policy
from comity.protocols.claims import DeskRules, Wanted
from comity.runner.arbiter import Arbiter, Claim, ask_for, new_seed
from comity.testing.clock import FakeClock

LEASE_MS = 100


@pytest.fixture
def make(ledger: Any, clock: FakeClock) -> Callable[..., Arbiter]:
    """Return a function that joins the desk as another process would."""

    def joining(rules: Any = None, **named: Any) -> Arbiter:
        return Arbiter(ledger, rules, clock=clock, **named)

    return joining


@pytest.fixture
def arbiter(make: Any, ledger: Any) -> Iterator[Arbiter]:
    made: Arbiter = make(DeskRules(lease_ms=LEASE_MS, claim_ms=1_000))
    yield made
    assert made.books.to_json() == ledger.folded()


def written(ledger: Any) -> int:
    return len(ledger.entries())


# --- opening ---------------------------------------------------------------------------------


def test_a_path_is_opened_and_closed_again(tmp_path: Path, clock: FakeClock) -> None:
    place = tmp_path / "comity.db"
    with Arbiter(place, Policy(c=2), clock=clock) as arbiter:
        assert arbiter.decide({"a": 1}).winners == ("a",)
        assert arbiter.books.rules == DeskRules(policy=Policy(c=2))
    with pytest.raises(LedgerError, match="is closed"):
        arbiter.decide({"a": 1})
    with Arbiter(str(place), clock=clock, create=False) as again:
        assert again.books.rules.policy.c == 2
    with pytest.raises(InvalidInput, match="other rules"):
        Arbiter(place, Policy(c=3), clock=clock)


def test_a_ledger_that_is_handed_in_stays_open(ledger: Any, make: Any) -> None:
    with make() as arbiter:
        arbiter.decide({"a": 1})
    assert ledger.heads()


def test_nothing_is_made_where_nothing_may_be_made(tmp_path: Path, clock: FakeClock) -> None:
    place = tmp_path / "comity.db"
    with pytest.raises(InvalidInput, match="does not exist"):
        Arbiter(place, clock=clock, create=False)
    assert not place.exists()
    Arbiter(place, clock=clock, name="one").close()
    with pytest.raises(InvalidInput, match="desk 'two': is not there"):
        Arbiter(place, clock=clock, name="two", create=False)


def test_g7_a_bad_name_and_bad_rules_are_told_at_once(make: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        make({"c": 2}, name=" x")
    assert [one.whose for one in caught.value.faults] == ["desk ' x'", "rules"]
    with pytest.raises(InvalidInput, match="at most 195"):
        make(name="x" * 200)


def test_g4_seeds_are_128_random_bits(make: Any, ledger: Any) -> None:
    assert len({new_seed() for _ in range(50)}) == 50
    assert all(0 <= int(new_seed(), 16) < 2**128 and len(new_seed()) == 32 for _ in range(5))
    make().decide({"a": 1})
    assert len(ledger.entries()[-1][1]["seed"]) == 32


def test_g4_lots_follow_from_the_recorded_seed(make: Any, ledger: Any) -> None:
    tied = dict.fromkeys("abcdefgh", 1)
    seeds = iter(["first", "second"])
    arbiter = make(seeds=lambda: next(seeds))
    winners = [arbiter.decide(tied).winners for _ in range(2)]
    assert [body["seed"] for _, body in ledger.entries()[1:]] == ["first", "second"]
    again = iter(["first", "second"])
    other = make(name="other", seeds=lambda: next(again))
    assert [other.decide(tied).winners for _ in range(2)] == winners


# --- claims ----------------------------------------------------------------------------------


def test_r7_a_claim_is_won_held_and_given_back(arbiter: Arbiter, ledger: Any) -> None:
    with arbiter.claim("gpu", agent="a", priority=3) as claim:
        assert (claim.token, claim.is_granted) == (1, True)
        assert arbiter.look("gpu", "a").holders == ("a",)
    assert arbiter.books.leases.leases == ()
    assert claim.look().status == "ended"
    assert [kind for kind, _ in ledger.entries()] == ["desk", "claimed", "conflict", "ended"]
    assert ledger.entries()[-1][1]["why"] == "released"


def test_r7_what_goes_wrong_inside_gives_it_back_too(arbiter: Arbiter) -> None:
    for error in (ValueError("oops"), KeyboardInterrupt()):
        with pytest.raises(type(error)), arbiter.claim("gpu", agent="a"):
            raise error
        assert arbiter.books.leases.leases == ()


def test_r7_who_waits_wins_when_the_lease_before_ends(arbiter: Arbiter, clock: FakeClock) -> None:
    start = clock.now_ms()
    arbiter.claim("gpu", agent="a")
    with arbiter.claim("gpu", agent="b") as claim:
        assert claim.token == 2
        assert clock.now_ms() - start == LEASE_MS, "looked at exactly when it was due"


def test_r7_what_others_release_is_noticed(make: Any, arbiter: Arbiter, clock: FakeClock) -> None:
    other = make()
    held = other.claim("gpu", agent="a", lease_ms=10_000)
    claim = arbiter.claim("gpu", agent="b")
    assert claim.look().status == "waiting"
    other.release("gpu", held.token)
    assert claim.wait().token == 2
    claim.end()


def test_r7_a_claim_that_lapses_says_so_in_four_parts(arbiter: Arbiter, clock: FakeClock) -> None:
    arbiter.claim("gpu", agent="a", lease_ms=10_000)
    with (
        pytest.raises(ClaimNotGranted) as caught,
        arbiter.claim("gpu", agent="b", timeout_ms=500),
    ):
        raise AssertionError("it is not won")
    assert caught.value.faults == (
        Fault(
            "claim of b on gpu",
            "is lapsed: The claim of b on gpu is lapsed; claim again to wait on",
            "a lease that runs",
            "claim again, with a longer timeout",
        ),
    )
    assert exit_code_of(caught.value) == 10
    assert clock.now_ms() == 1_700_000_000_500
    assert arbiter.books.waiting == {}


def test_l1_a_claim_in_a_circle_is_not_granted_and_names_it(arbiter: Arbiter) -> None:
    for resource, agent in (("x", "a"), ("y", "b"), ("y", "a")):
        arbiter.claim(resource, agent=agent)
    with pytest.raises(ClaimNotGranted, match=r"b -> a -> b .*release what the others wait for"):
        arbiter.claim("x", agent="b").wait()


@pytest.mark.parametrize(
    ("ended", "told"),
    [
        (lambda arbiter: arbiter.withdraw("gpu", "b"), "is withdrawn: .*Next: claim again"),
        (lambda arbiter: None, "is waiting: .*Next: wait for it, or look again later"),
    ],
)
def test_r7_there_is_no_token_without_a_lease(
    arbiter: Arbiter, ended: Callable[[Arbiter], object], told: str
) -> None:
    arbiter.claim("gpu", agent="a")
    claim = arbiter.claim("gpu", agent="b")
    ended(arbiter)
    claim.look()
    with pytest.raises(ClaimNotGranted, match=told):
        _ = claim.token
    assert claim.end().status == "withdrawn"
    assert claim.end().status == "withdrawn", "what is over stays over"


def test_r7_an_interrupted_wait_is_withdrawn(
    arbiter: Arbiter, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arbiter.claim("gpu", agent="a")

    def interrupted(_: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(clock, "sleep_until", interrupted)
        with pytest.raises(KeyboardInterrupt), arbiter.claim("gpu", agent="b"):
            raise AssertionError("it is not won")
    assert arbiter.look("gpu", "b").status == "withdrawn"


def test_r7_what_is_won_just_before_it_is_withdrawn_is_given_back(
    make: Any, arbiter: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else nobody would know that it is held."""
    held = arbiter.claim("gpu", agent="a")
    claim = arbiter.claim("gpu", agent="b")
    withdraw = arbiter.withdraw

    def too_late(resource: str, agent: str, number: int) -> Any:
        make().release("gpu", held.token)
        return withdraw(resource, agent, number)

    with monkeypatch.context() as patch:
        patch.setattr(arbiter, "withdraw", too_late)
        assert claim.end().status == "ended"
    assert arbiter.books.leases.leases == ()


def test_r7_a_lease_is_renewed_until_it_is_over(arbiter: Arbiter, clock: FakeClock) -> None:
    claim = arbiter.claim("gpu", agent="a")
    clock.advance(60)
    assert claim.renew().until_ms == clock.now_ms() + LEASE_MS
    assert claim.renew(5_000).until_ms == clock.now_ms() + 5_000
    clock.advance(5_000)
    with pytest.raises(ClaimNotGranted, match="claim of a on gpu: is ended: The lease of a"):
        claim.renew()
    assert (claim.answer.number, claim.answer.agent) == (1, "a")
    other = arbiter.claim("gpu", agent="a")
    with pytest.raises(ClaimNotGranted, match="Claim 1 of a on gpu is over; it has claimed it"):
        claim.renew()
    with pytest.raises(ClaimNotGranted):
        claim.renew()
    assert other.renew().is_granted


def test_r7_a_late_holder_is_fenced_off(arbiter: Arbiter, clock: FakeClock) -> None:
    old = arbiter.claim("gpu", agent="a")
    clock.advance(LEASE_MS)
    with arbiter.claim("gpu", agent="b") as new:
        fence, _ = Fence().admit(new.token)
        assert fence.admit(old.token)[1] is False
        assert old.end().status == "ended", "it gives nothing back that is not its own"
        assert arbiter.look("gpu", "b").is_granted


def test_r2_claims_gather_until_somebody_looks(make: Any, clock: FakeClock) -> None:
    arbiter = make(DeskRules(gather_ms=50), name="gathering")
    first = arbiter.claim("gpu", agent="first", priority=1)
    clock.advance(40)
    best = arbiter.claim("gpu", agent="best", priority=2)
    assert arbiter.advance() == clock.now_ms() + 10
    assert best.wait().token == 1
    assert first.answer.status == "waiting"
    best.end()
    assert first.wait().token == 2


def test_r7_pauses_between_looks_are_short_and_drawn(
    arbiter: Arbiter, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[int] = []
    sleep = clock.sleep_until

    def noted(at_ms: int) -> None:
        pauses.append(at_ms - clock.now_ms())
        sleep(at_ms)

    monkeypatch.setattr(clock, "sleep_until", noted)
    arbiter.claim("gpu", agent="a", lease_ms=10_000)
    assert arbiter.claim("gpu", agent="b", timeout_ms=5_000).settle().status == "lapsed"
    assert all(1 <= one <= comity.runner.claim._LONGEST_MS for one in pauses)
    assert max(pauses[:2]) <= 21
    assert len(set(pauses)) > 3


def test_r7_a_clock_set_back_while_somebody_waits_ends_all_the_same(
    arbiter: Arbiter, clock: FakeClock
) -> None:
    arbiter.claim("gpu", agent="a")
    claim = arbiter.claim("gpu", agent="b")
    clock._now -= 10_000
    assert claim.wait().token == 2
    claim.end()


# --- told, or not ----------------------------------------------------------------------------


def test_r7_is_granted_tells_the_truth_after_the_lease_has_ended(
    arbiter: Arbiter, clock: FakeClock
) -> None:
    claim = arbiter.claim("gpu", agent="a")
    assert claim.is_granted
    clock.advance(LEASE_MS - 1)
    assert claim.is_granted
    clock.advance(1)
    assert not claim.is_granted, "and nobody has asked the desk"
    claim = arbiter.claim("gpu", agent="a")
    claim.renew(5_000)
    clock.advance(4_999)
    assert claim.is_granted
    assert not arbiter.claim("gpu", agent="b").is_granted


def test_r7_one_name_in_two_processes_holds_it_once(arbiter: Arbiter, make: Any) -> None:
    """Else both get one token, and the first to end it ends it for both."""
    other = make()
    with arbiter.claim("gpu", agent="a") as first:
        with (
            pytest.raises(ClaimNotGranted, match="is its second: claim 1 holds it"),
            other.claim("gpu", agent="a"),
        ):
            raise AssertionError("it is not won")
        assert first.look().is_granted
        waits = arbiter.claim("gpu", agent="b")
        with pytest.raises(ClaimNotGranted, match="is its second: claim 2 waits for it"):
            other.claim("gpu", agent="b")
        with pytest.raises(ClaimNotGranted, match="is its second: claim 2 waits for it"):
            ask_for(other, Wanted("gpu", "b", is_open=True))
    assert waits.wait().token == 2
    with pytest.raises(ClaimNotGranted, match="is its second: claim 2 holds it"):
        ask_for(other, Wanted("gpu", "b", is_open=True))
    waits.end()
    assert other.claim("gpu", agent="b").token == 3


def test_r7_who_waits_in_its_process_picks_up_what_it_wins(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    arbiter.claim("gpu", agent="a")
    claim = arbiter.claim("gpu", agent="b")
    clock.advance(LEASE_MS)
    assert not arbiter.look("gpu", "b").picked_up, "anybody may look"
    assert claim.look().picked_up
    assert ledger.entries()[-1][0] == "confirmed"
    before = written(ledger)
    assert claim.look().picked_up
    assert written(ledger) == before


def test_r7_a_lease_that_ends_just_before_it_is_picked_up_is_over(
    arbiter: Arbiter, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arbiter.claim("gpu", agent="a")
    claim = arbiter.claim("gpu", agent="b")
    clock.advance(LEASE_MS)
    see = arbiter.log.see_now

    def slowly(look: Any) -> Any:
        found = see(look)
        clock.advance(LEASE_MS)
        return found

    monkeypatch.setattr(arbiter.log, "see_now", slowly)
    with pytest.raises(ClaimNotGranted, match="is over"):
        claim.wait()


def test_k3_a_request_that_comes_again_picks_up_what_it_has_won(
    arbiter: Arbiter, make: Any, ledger: Any
) -> None:
    held = arbiter.claim("gpu", agent="a")
    arbiter.claim("gpu", agent="b", request_id="r")
    held.end()
    other = make()
    for _ in range(2):
        answer = ask_for(other, Wanted("gpu", "b"), "r")
        assert (answer.token, answer.picked_up) == (2, True)
    assert [kind for kind, _ in ledger.entries()].count("confirmed") == 1


def test_r7_what_ends_a_claim_ends_no_later_one(
    make: Any, arbiter: Arbiter, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arbiter.claim("gpu", agent="a", lease_ms=10_000)
    claim = arbiter.claim("gpu", agent="b", timeout_ms=50)
    withdraw = arbiter.withdraw

    def too_late(resource: str, agent: str, number: int) -> Any:
        clock.advance(50)
        make().claim("gpu", agent="b")
        return withdraw(resource, agent, number)

    monkeypatch.setattr(arbiter, "withdraw", too_late)
    assert claim.end().status == "ended"
    assert arbiter.look("gpu", "b").status == "waiting"
    assert arbiter.look("gpu", "b").number == 3


# --- several processes -----------------------------------------------------------------------


def test_k3_two_on_one_file_see_what_the_other_does(tmp_path: Path, clock: FakeClock) -> None:
    place = tmp_path / "comity.db"
    with Arbiter(place, clock=clock) as one, Arbiter(place, clock=clock) as two:
        held = one.claim("gpu", agent="a")
        assert two.look("gpu", "a") == held.answer
        waits = two.claim("gpu", agent="b")
        assert one.look("gpu", "b") == waits.answer
        two.release("gpu", held.token)
        assert held.look().status == "ended"
        assert waits.look().token == 2
        assert one.withdraw("gpu", "b").is_granted
        one.change(Policy(c=3))
        assert two.books.rules == DeskRules(policy=Policy(c=3))
        one.change(DeskRules(capacity=2))
        assert two.claim("gpu", agent="c").token == 3
        assert one.books.to_json() == two.books.to_json()


# --- requests that come again ----------------------------------------------------------------


@pytest.fixture(params=["the same", "another"])
def again(request: pytest.FixtureRequest, arbiter: Arbiter, make: Any) -> Arbiter:
    """Return who gets the request for the second time."""
    return arbiter if request.param == "the same" else make()


def test_k3_a_claim_that_comes_again_is_told_the_same(
    arbiter: Arbiter, again: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    held = arbiter.claim("gpu", agent="a", request_id="r1").answer
    waits = arbiter.claim("gpu", agent="b", request_id="r2").answer
    before = written(ledger)
    assert again.claim("gpu", agent="b", request_id="r2").answer == waits
    retold = again.claim("gpu", agent="a", request_id="r1").answer
    assert (retold.token, retold.until_ms, retold.number) == (1, held.until_ms, 1)
    assert written(ledger) == before
    clock.advance(LEASE_MS)
    assert again.claim("gpu", agent="a", request_id="r1").answer.status == "ended"
    assert again.claim("gpu", agent="b", request_id="r2").answer.token == 2
    arbiter.claim("gpu", agent="a")
    over = again.claim("gpu", agent="a", request_id="r1").answer
    assert (over.status, over.number, over.token) == ("ended", 1, None)


def test_k3_a_release_that_comes_again_ends_nothing_else(
    arbiter: Arbiter, again: Arbiter, ledger: Any
) -> None:
    arbiter.claim("gpu", agent="a")
    released = arbiter.release("gpu", 1, request_id="r")
    assert again.release("gpu", 1, request_id="r") == released
    new = arbiter.claim("gpu", agent="a")
    before = written(ledger)
    retold = again.release("gpu", 1, request_id="r")
    assert (retold.status, retold.agent, retold.token) == ("ended", "a", 1)
    assert new.look().is_granted
    assert written(ledger) == before


def test_k3_a_release_of_a_lease_that_had_run_out_is_told_again_too(
    arbiter: Arbiter, again: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    arbiter.claim("gpu", agent="a")
    arbiter.claim("disk", agent="b")
    clock.advance(LEASE_MS)
    released = arbiter.release("gpu", 1, request_id="r")
    before = written(ledger)
    assert (released.status, released.agent) == ("ended", "a")
    assert again.release("gpu", 1, request_id="r") == released
    assert written(ledger) == before


def test_k3_a_conflict_that_comes_again_is_counted_once(
    arbiter: Arbiter, again: Arbiter, ledger: Any
) -> None:
    claims = {"a": 1, "b": 1}
    decided = arbiter.decide(claims, request_id="r1")
    recorded = arbiter.record(claims, "b", request_id="r2")
    before = written(ledger)
    assert again.decide(claims, request_id="r1") == decided
    assert again.record(claims, iter(["b"]), request_id="r2") == recorded
    assert again.decide([("b", 1.0), ("a", "1")], request_id="r1") == decided, "other forms"
    assert written(ledger) == before


def test_k3_an_id_that_was_used_for_something_else_is_refused(
    arbiter: Arbiter, again: Arbiter, ledger: Any
) -> None:
    arbiter.claim("gpu", agent="a", request_id="claim")
    arbiter.decide({"a": 1}, "gpu", request_id="decide")
    arbiter.release("gpu", 1, request_id="release")
    before = written(ledger)
    wrong: list[Callable[[], Any]] = [
        lambda: again.release("gpu", 1, request_id="claim"),
        lambda: again.decide({"a": 1}, "gpu", request_id="claim"),
        lambda: again.claim("disk", agent="a", request_id="claim"),
        lambda: again.claim("gpu", agent="a", request_id="release"),
        lambda: again.claim("gpu", agent="a", request_id="decide"),
        lambda: again.record({"a": 1}, "a", "gpu", request_id="decide"),
        lambda: again.claim("gpu", agent="a", request_id="open"),
    ]
    for request in wrong:
        with pytest.raises(InvalidInput, match="was used for something else"):
            request()
    assert written(ledger) == before


@pytest.mark.parametrize("when", ["before", "after"])
def test_k3_a_claim_whose_answer_was_lost_is_made_once(
    arbiter: Arbiter, ledger: Any, when: str
) -> None:
    getattr(ledger, when).append(_lost)
    with pytest.raises(OSError, match="the answer is lost"):
        arbiter.claim("gpu", agent="a", request_id="r")
    assert arbiter.books.to_json() == ledger.folded()
    claim = arbiter.claim("gpu", agent="a", request_id="r")
    assert (claim.token, claim.answer.number) == (1, 1)
    assert arbiter.books.made == 1


def _lost() -> None:
    raise OSError("the answer is lost")


# --- refused ---------------------------------------------------------------------------------


def test_g7_what_is_refused_is_not_written(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    arbiter.claim("gpu", agent="a")
    clock.advance(LEASE_MS)  # something is due, and happens whatever is asked
    before = written(ledger)
    wrong: list[Callable[[], Any]] = [
        lambda: arbiter.claim("gpu", agent="b", priority=float("nan"), timeout_ms=0),
        lambda: arbiter.release("", 1),
        lambda: arbiter.renew("gpu", "1"),  # type: ignore[arg-type]  # the case
        lambda: arbiter.withdraw("gpu", ""),
        lambda: arbiter.look(" ", "a"),
        lambda: arbiter.decide([]),
        lambda: arbiter.decide(None),
        lambda: arbiter.record({"a": 1}, "z"),
        lambda: arbiter.record({"a": 1}, 7),  # type: ignore[arg-type]  # the case
        lambda: arbiter.change(DeskRules(capacity=2, circles="wound_wait")),
        lambda: arbiter.change("losses"),  # type: ignore[arg-type]  # the case
    ]
    for request in wrong:
        with pytest.raises(InvalidInput):
            request()
    assert written(ledger) == before + 1
    assert ledger.entries()[-1][1]["why"] == "expired"
    assert arbiter.advance() is None
    assert written(ledger) == before + 1


def test_k3_claims_are_gone_through_before_anybody_is_kept_waiting(
    arbiter: Arbiter, ledger: Any
) -> None:
    """A generator of the caller's that fails is the caller's own affair."""

    def failing() -> Iterator[tuple[str, int]]:
        yield "a", 1
        raise RuntimeError("the caller's own")

    def fine() -> Iterator[tuple[str, int]]:
        yield from (("a", 2), ("b", 1))

    commits = len(ledger.commits)
    with pytest.raises(RuntimeError, match="the caller's own"):
        arbiter.decide(failing())
    with pytest.raises(RuntimeError, match="the caller's own"):
        arbiter.record(fine(), (name for name, _ in failing()))
    assert len(ledger.commits) == commits
    assert arbiter.decide(fine()).winners == ("a",)
    assert arbiter.record(fine(), (name for name, _ in fine())).winners == ("a", "b")


def test_k3_a_ledger_that_cannot_be_written_is_told_and_reads_on(
    tmp_path: Path, clock: FakeClock
) -> None:
    place = tmp_path / "comity.db"
    Arbiter(place, clock=clock).close()
    with open_ledger(place) as real:
        real.database._db.execute("PRAGMA query_only = ON")  # type: ignore[attr-defined]  # as on a read-only disk
        arbiter = Arbiter(real, clock=clock)
        with pytest.raises(LedgerError, match="cannot be written"):
            arbiter.decide({"a": 1})
        assert arbiter.look("gpu", "a").number == 0
        assert arbiter.advance() is None


def test_k3_nobody_sees_what_is_not_on_disk_yet(arbiter: Arbiter, ledger: Any) -> None:
    """A grant that is seen before its commit may never have been."""
    real, seen = ledger.real.settle, []
    looking = threading.Thread(target=lambda: seen.append(arbiter.look("gpu", "a").status))

    def abort() -> Any:
        looking.start()
        looking.join(0.05)
        raise OSError("no commit")

    def settle(scope: str, requests: Any, **options: Any) -> Any:
        last = Request(request_id=None, rule=abort)
        return real(scope, [*requests, last], **options)

    ledger.settle = settle
    with pytest.raises(OSError, match="no commit"):
        arbiter.claim("gpu", agent="a")
    looking.join()
    assert seen == ["ended"]
    assert arbiter.look("gpu", "a").says == "a has not claimed gpu."


def test_k3_many_threads_claim_look_and_give_back(arbiter: Arbiter, ledger: Any) -> None:
    tokens: list[int] = []
    errors: list[BaseException] = []

    def work(agent: str) -> None:
        try:
            for turn in range(10):
                claim = arbiter.claim("gpu", agent=agent, request_id=f"{agent}.{turn}")
                while not claim.look().is_granted:
                    assert claim.answer.status == "waiting"
                tokens.append(claim.token)
                arbiter.release("gpu", claim.token)
        except BaseException as error:
            errors.append(error)
            raise

    started = [threading.Thread(target=work, args=(agent,)) for agent in "abcd"]
    for one in started:
        one.start()
    for one in started:
        one.join()
    assert errors == []
    assert sorted(tokens) == list(range(1, 41))


def test_a_claim_can_be_made_from_an_answer(arbiter: Arbiter) -> None:
    answer = arbiter.claim("gpu", agent="a").answer
    with Claim(arbiter, answer) as claim:
        assert claim.token == 1
    assert arbiter.books.leases.leases == ()


# --- what a request id keeps -----------------------------------------------------------------


def test_k3_a_claim_that_was_refused_is_not_granted_by_a_late_retry(
    arbiter: Arbiter, again: Arbiter, ledger: Any
) -> None:
    arbiter.claim("gpu", agent="a")
    with pytest.raises(ClaimNotGranted, match="is its second") as first:
        arbiter.claim("gpu", agent="a", request_id="r2")
    arbiter.release("gpu", 1)
    before = written(ledger)
    with pytest.raises(ClaimNotGranted) as second:
        again.claim("gpu", agent="a", request_id="r2")
    assert second.value.faults == first.value.faults
    assert written(ledger) == before


def test_r7_no_retried_release_ends_the_lease_of_another(
    arbiter: Arbiter, again: Arbiter, ledger: Any
) -> None:
    told = arbiter.release("gpu", 3, request_id="rel9")
    assert "never given out" in told.says
    for priority, agent in enumerate("acb"):
        arbiter.claim("gpu", agent=agent, priority=priority)
    arbiter.release("gpu", 1)
    arbiter.release("gpu", 2)
    assert arbiter.look("gpu", "c").token == 3
    assert again.release("gpu", 3, request_id="rel9") == told
    assert arbiter.look("gpu", "c").is_granted


def test_k3_an_id_with_other_words_is_refused(arbiter: Arbiter, again: Arbiter) -> None:
    arbiter.record({"A": 1, "B": 2}, "A", request_id="ee")
    arbiter.decide({"A": 1, "B": 2}, request_id="dd")
    arbiter.claim("gpu", agent="a", priority=1, request_id="cc")
    wrong: list[Callable[[], Any]] = [
        lambda: again.record({"A": 1, "B": 2}, "B", request_id="ee"),
        lambda: again.record({"A": 1, "B": 3}, "A", request_id="ee"),
        lambda: again.decide({"A": 1}, request_id="dd"),
        lambda: again.claim("gpu", agent="a", priority=2, request_id="cc"),
        lambda: again.claim("gpu", agent="a", priority=1, lease_ms=5, request_id="cc"),
        lambda: again.claim("gpu", agent="a", priority=1, timeout_ms=5, request_id="cc"),
    ]
    for one in wrong:
        with pytest.raises(InvalidInput, match="was used for something else"):
            one()
    assert again.record([("B", "2"), ("A", 1.0)], ["A"], request_id="ee").winners == ("A",)
    assert again.claim("gpu", agent="a", priority="1", request_id="cc").is_granted


# --- clocks ----------------------------------------------------------------------------------

DAY_MS = 86_400_000


def test_r7_a_machine_a_day_ahead_ends_nothing_and_waits_its_time(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    fast_clock = FakeClock(clock.now_ms() + DAY_MS)
    fast = Arbiter(ledger, clock=fast_clock)
    held = arbiter.claim("gpu", agent="a")
    waits = fast.claim("gpu", agent="z")
    assert (held.look().status, waits.answer.status) == ("granted", "waiting")
    assert waits.answer.until_ms == fast_clock.now_ms() + 1_000, "by its own clock"
    fault = fast.log.see(fast.log.time.fault)
    assert fault is not None
    assert fault.what == "is 86400 s ahead of this desk"
    assert arbiter.log.see(arbiter.log.time.fault) is None
    for one in (clock, fast_clock):
        one.advance(LEASE_MS)
    assert held.look().status == "ended"
    got = waits.wait()
    assert (got.token, waits.is_granted) == (2, True)
    assert got.until_ms == fast_clock.now_ms() + LEASE_MS
    fast_clock.advance(LEASE_MS)
    assert not waits.is_granted
    assert fast.look("gpu", "z").status == "ended", "what passes on it counts"


def test_r7_a_machine_far_ahead_that_was_here_first_freezes_nothing(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    arbiter.claim("gpu", agent="a").end()
    slow_clock = FakeClock(clock.now_ms() - DAY_MS)
    slow = Arbiter(ledger, clock=slow_clock)
    held = slow.claim("gpu", agent="dead", lease_ms=1_000)
    assert held.answer.until_ms == slow_clock.now_ms() + 1_000
    begin = slow_clock.now_ms()
    assert slow.claim("gpu", agent="b", timeout_ms=2_000).wait().token == 3
    assert slow_clock.now_ms() - begin <= 1_200
    assert slow.advance() == slow_clock.now_ms() + LEASE_MS


def test_r7_a_clock_that_is_new_and_ahead_is_noted_by_who_only_looks(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    """Else time stood still for it."""
    arbiter.claim("gpu", agent="a")
    fast_clock = FakeClock(clock.now_ms() + DAY_MS)
    fast = Arbiter(ledger, clock=fast_clock)
    assert fast.look("gpu", "a").is_granted
    assert [kind for kind, _ in ledger.entries()][-1] == "clock"
    fast_clock.advance(LEASE_MS)
    assert fast.look("gpu", "a").status == "ended"


def test_l2_a_claim_whose_patience_ends_first_is_withdrawn(
    arbiter: Arbiter, ledger: Any, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the desk goes by a clock that stands."""
    arbiter.claim("gpu", agent="a", lease_ms=10**6)
    claim = arbiter.claim("gpu", agent="b", timeout_ms=500)
    monkeypatch.setattr(arbiter.log.time, "reads", lambda *_: (clock.now_ms(), 0))
    monkeypatch.setattr(arbiter.log.time, "is_due", lambda *_: False)
    monkeypatch.setattr(arbiter.log.time, "arrive", lambda _: [])
    begin = clock.now_ms()
    assert claim.settle().status == "withdrawn"
    assert 500 <= clock.now_ms() - begin <= 700
