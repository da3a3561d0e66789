"""runner/claims_record.py: what a ledger says of its desks, and whether it holds (K1, K2, K4)."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput, LedgerError
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.verify import verify
from comity.mechanisms.arbitration import Policy
from comity.protocols.claims import DeskRules, Wanted
from comity.runner import desk_log
from comity.runner.arbiter import Arbiter, ask_for
from comity.runner.claims_record import Wounded, conflict_at, decided_again, desks, history
from comity.runner.desk_log import scope_of
from comity.testing.clock import FakeClock

START_S = 1_700_000_000
TIED = {"a": 1, "b": 1, "c": 1}


@pytest.fixture
def arbiter(ledger: Any, clock: FakeClock) -> Arbiter:
    return Arbiter(ledger, Policy(c=2), clock=clock)


# --- what is there ---------------------------------------------------------------------------


def test_k4_the_desks_of_a_ledger_are_listed(ledger: Any, clock: FakeClock) -> None:
    assert desks(ledger) == ()
    for name in ("b", "a/1"):
        Arbiter(ledger, name=name, clock=clock)
    ledger.append("d_1f", [NewEntry("opened", {})], expected_head="", request_id=None, now_ms=1)
    assert desks(ledger) == ("a/1", "b")


def test_k4_a_desk_that_is_not_there_is_told_with_those_that_are(
    arbiter: Arbiter, ledger: Any
) -> None:
    for question in (history, decided_again):
        with pytest.raises(InvalidInput, match=r"'clams'.*Allowed: claims.*did you mean 'claims'"):
            question(ledger, "clams")
    with open_ledger(":memory:") as empty, pytest.raises(InvalidInput, match="none is there yet"):
        history(empty)


def test_k4_history_holds_every_conflict_with_the_time_of_its_entry(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    arbiter.decide({"A": 3, "B": 1}, "budget")
    clock.advance(1_500)
    arbiter.record({"A": 3, "B": 1}, "B", "budget")
    clock.advance(500)
    arbiter.claim("gpu", agent="A", priority=7)
    found = history(ledger)
    assert (found.desk, found.policy) == ("claims", Policy(c=2))
    assert [(one.resource, one.number, one.winners) for one in found.conflicts] == [
        ("budget", 1, ("A",)),
        ("budget", 2, ("B",)),
        ("gpu", 1, ("A",)),
    ]
    assert [one.at for one in found.conflicts] == [START_S, START_S + Fraction(3, 2), START_S + 2]
    assert type(found.conflicts[2].at) is int


def test_k4_the_policy_is_the_one_it_has_now(arbiter: Arbiter, ledger: Any) -> None:
    arbiter.decide(TIED)
    arbiter.change(DeskRules(policy=Policy(rule="lottery")))
    assert history(ledger).policy == Policy(rule="lottery")


def test_k4_what_was_all_decided_elsewhere_has_no_policy(arbiter: Arbiter, ledger: Any) -> None:
    assert history(ledger).policy == Policy(c=2), "nothing yet"
    arbiter.record(TIED, "a")
    assert history(ledger).policy is None


def test_r5_what_is_handed_to_the_oldest_is_in_the_history(ledger: Any, clock: FakeClock) -> None:
    """L2: else `watch` would not know that anything was decided."""
    arbiter = Arbiter(ledger, DeskRules(circles="wound_wait"), clock=clock)
    arbiter.claim("gpu", agent="a", priority=1).end()
    arbiter.claim("gpu", agent="b", priority="1/2")
    arbiter.claim("gpu", agent="c", priority=7)
    clock.advance(1_500)
    arbiter.claim("gpu", agent="d")
    arbiter.release("gpu", 2)
    found = history(ledger)
    assert (found.handed, found.policy) == (3, None), "no rule has decided anything"
    assert [(one.number, one.winners, one.claims) for one in found.conflicts] == [
        (-1, ("a",), (("a", 1),)),
        (-2, ("b",), (("b", Fraction(1, 2)),)),
        (-3, ("c",), (("c", 7), ("d", 0))),
    ]
    assert found.conflicts[2].at == START_S + Fraction(3, 2)
    arbiter.decide({"a": 1, "b": 2}, "budget")
    assert history(ledger).policy == Policy()


def test_k4_a_hand_over_without_priorities_is_read_all_the_same(ledger: Any) -> None:
    """As early versions wrote them."""
    ledger.broken.add("early")
    body = {"resource": "gpu", "agent": "a", "token": 4, "ages": [["a", 1], ["b", 2]]}
    entries = [NewEntry("desk", {"rules": {}}), NewEntry("handed", body)]
    ledger.append(scope_of("early"), entries, expected_head="", request_id=None, now_ms=1)
    (one,) = history(ledger, "early").conflicts
    assert (one.claims, one.winners) == ((("a", 0), ("b", 0)), ("a",))


def test_r5_claims_that_ran_out_are_in_the_history(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    arbiter.claim("gpu", agent="a")
    arbiter.claim("gpu", agent="c", timeout_ms=1_500)
    clock.advance(2_000)
    arbiter.claim("gpu", agent="b").end()
    arbiter.advance()
    (one,) = history(ledger).turned_away
    assert (one.resource, one.agent, one.holders) == ("gpu", "c", ("a",))
    assert (one.at, one.waited) == (START_S + Fraction(3, 2), Fraction(3, 2))


def test_r5_wins_that_nobody_picked_up_are_told_apart(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    arbiter.decide(TIED, "budget")
    arbiter.claim("gpu", agent="a", lease_ms=100)
    arbiter.claim("gpu", agent="b", lease_ms=100)
    clock.advance(100)
    arbiter.advance()
    assert history(ledger).unused == (), "it may still be"
    clock.advance(100)
    arbiter.advance()
    found = history(ledger)
    assert [found.conflicts[place].winners for place in found.unused] == [("b",)]


@pytest.mark.parametrize(
    ("kind", "body", "told"),
    [
        ("withdrawn", {"why": "lapsed"}, "is no claim that ran out"),
        ("withdrawn", {"why": "lapsed", "resource": "x", "agent": "a", "holders": 7}, "ran out"),
        ("handed", {"token": 1}, "is no conflict"),
        ("handed", {"token": 1, "resource": "x", "agent": "a", "ages": 7}, "is no conflict"),
        (
            "handed",
            {"agent": "a", "resource": "x", "claims": [["a", "much"]], "token": 1},
            "is no",
        ),
    ],
)
def test_k4_what_is_none_is_told_with_its_entry(
    ledger: Any, kind: str, body: dict[str, Any], told: str
) -> None:
    ledger.broken.add("odd")
    entries = [NewEntry("desk", {"rules": {}}), NewEntry(kind, body)]
    ledger.append(scope_of("odd"), entries, expected_head="", request_id=None, now_ms=1)
    with pytest.raises(LedgerError, match=f"entry 2 of desk/odd: .*{told}"):
        history(ledger, "odd")


def test_r2_conflicts_of_many_are_whole_again_though_entries_hold_changes(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    many = {f"a{n:03}": n for n in range(130)}
    decided = [arbiter.decide(many, "budget", request_id=f"r{n}") for n in range(3)]
    arbiter.record(many, "a000", "budget", request_id="r3")
    bodies = [body for kind, body in ledger.entries() if kind == "conflict"]
    assert ["claims" in one for one in bodies] == [True, False, False, False]
    found = history(ledger).conflicts
    assert [len(one.claims) for one in found] == [130] * 4
    assert [one.winners for one in found[:3]] == [one.winners for one in decided]
    again = Arbiter(ledger, clock=clock)
    for n, one in enumerate(decided):
        assert again.decide(many, "budget", request_id=f"r{n}") == one, "its losses too"
    told = again.record(many, "a000", "budget", request_id="r3")
    assert (len(told.claims), told.winners) == (130, ("a000",))


@pytest.mark.parametrize("seq", [1, 99])
def test_k2_what_is_no_conflict_is_not_found(arbiter: Arbiter, ledger: Any, seq: int) -> None:
    arbiter.decide(TIED)
    with pytest.raises(InvalidInput, match=f"has no conflict as entry {seq}"):
        conflict_at(ledger, "claims", seq)


def test_k2_a_change_of_many_that_was_forged_is_found(rewritten: Any, ledger: Any) -> None:
    def more_urgent(body: dict[str, Any]) -> dict[str, Any] | None:
        return None if "claims" in body else {**body, "changed": [["a001", 10**6]]}

    clock = FakeClock()
    arbiter = Arbiter(ledger, Policy(c=2), clock=clock)
    for _ in range(2):
        arbiter.decide({f"a{n:03}": n for n in range(130)}, "many")
    (told,) = rewritten("conflict", more_urgent)
    assert "of the conflict over many are" in told


# --- deciding it all again -------------------------------------------------------------------


def busy(arbiter: Arbiter, clock: FakeClock) -> None:
    """Let a little of everything happen."""
    for _ in range(6):
        arbiter.decide({"a": 9, "b": "1/2", "c": 2.5}, "budget")
        arbiter.record({"a": 9, "b": 1}, "b", "budget")
        for agent in "abcd":
            ask_for(arbiter, Wanted("gpu", agent, 1, 50, is_open=True))
        with arbiter.claim("disk", agent="b", priority=1) as claim:
            claim.renew()
        clock.advance(60)
        arbiter.advance()
        arbiter.withdraw("gpu", "c")
    arbiter.claim("gpu", agent="e", priority=1, timeout_ms=10)
    clock.advance(10)
    arbiter.advance()


POLICIES: list[dict[str, Any]] = [
    {"c": 2},
    {"rule": "hours"},
    {"rule": "stride"},
    {"rule": "weighted_lottery"},
    {"rule": "round_robin"},
    {"scope": "global"},
    {"c": "1/3", "tolerance": 1},
]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("rules", [{}, {"capacity": 2, "gather_ms": 5}, {"circles": "wound_wait"}])
def test_k2_an_honest_ledger_decides_the_same_again(
    ledger: Any,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    policy: dict[str, Any],
    rules: dict[str, Any],
) -> None:
    monkeypatch.setattr(desk_log, "_STATE_EVERY", 20)
    arbiter = Arbiter(ledger, DeskRules(policy=Policy(**policy), **rules), clock=clock)
    busy(arbiter, clock)
    for agent in "abd":
        arbiter.withdraw("gpu", agent)
    arbiter.change(DeskRules(policy=Policy(**{**policy, "per_claim": True})))
    arbiter.decide(TIED, "budget")
    assert decided_again(ledger) == ()
    assert "desk-state" in {kind for kind, _ in ledger.entries()}
    assert arbiter.books.to_json() == ledger.folded()


@pytest.fixture
def rewritten(
    ledger: Any, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[str, ...]]:
    """Return a function that copies a busy ledger with one entry changed, and decides it again.

    The copy is whole as far as hashes go: somebody wrote it that way.
    """
    monkeypatch.setattr(desk_log, "_STATE_EVERY", 20)

    def rewriting(kind: str, change: Callable[[dict[str, Any]], Any], **rules: Any) -> Any:
        busy(Arbiter(ledger, DeskRules(policy=Policy(c=2), **rules), clock=clock), clock)
        is_changed = False
        with open_ledger(":memory:") as copy:
            for one in ledger.real.read(scope_of("claims"), everything=True):
                known, body = one.kind, dict(one.body)
                new = None if is_changed or known != kind else change(_thawed(body))
                is_changed |= new is not None
                copy.append(
                    scope_of("claims"),
                    [NewEntry(known, body if new is None else new)],
                    expected_head=None,
                    request_id=None,
                    now_ms=one.at_ms,
                )
            assert is_changed
            assert verify(copy).ok
            return decided_again(copy)

    return rewriting


def _thawed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _thawed(one) for name, one in value.items()}
    return [_thawed(one) for one in value] if isinstance(value, (tuple, list)) else value


def tie_of(body: dict[str, Any]) -> bool:
    return body["seed"] is not None and len(body["stages"][0]) > 1


def other_winner(body: dict[str, Any]) -> Any:
    if not tie_of(body):
        return None
    other = next(one for one in body["stages"][0] if one not in body["winners"])
    leases = [[other, *body["leases"][0][1:]]] if "leases" in body else []
    return {**body, "winners": [other], **({"leases": leases} if leases else {})}


def less_tied(body: dict[str, Any]) -> Any:
    return {**body, "stages": [body["winners"]]} if tie_of(body) else None


def other_seed(body: dict[str, Any]) -> Any:
    return {**body, "seed": body["seed"] + "0"} if tie_of(body) else None


def lease_to_another(body: dict[str, Any]) -> Any:
    if not tie_of(body) or "leases" not in body:
        return None
    other = next(one for one in body["stages"][0] if one not in body["winners"])
    return {**body, "leases": [[other, *body["leases"][0][1:]]]}


def more_urgent(body: dict[str, Any]) -> Any:
    if "leases" not in body:
        return None
    first, *rest = body["claims"]
    return {**body, "claims": [[first[0], 99, *first[2:]], *rest]}


def more_losses(body: dict[str, Any]) -> Any:
    if body["seed"] is None or "leases" in body:
        return None
    first, *rest = body["claims"]
    return {**body, "claims": [[*first[:2], 7, *first[3:]], *rest]}


def later_number(body: dict[str, Any]) -> Any:
    return {**body, "number": body["number"] + 1} if body["seed"] is not None else None


def no_conflict(body: dict[str, Any]) -> Any:
    return {"seed": "7"} if "leases" in body else None


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (less_tied, "the stages of the conflict over"),
        (more_urgent, "the claims on .* are .*, recorded .*99"),
        (more_losses, "the marks of the conflict over budget are .*, recorded "),
        (later_number, "the number of the conflict over budget are 1, recorded 2"),
        (lease_to_another, "lease of gpu for who did not win"),
        (no_conflict, "it is no conflict"),
    ],
)
def test_k2_a_forged_conflict_is_found(
    rewritten: Any, change: Callable[[dict[str, Any]], Any], told: str
) -> None:
    (found,) = rewritten("conflict", change)
    assert found.startswith("Entry ")
    assert " of desk claims: " in found
    assert re.search(told, found), found


@pytest.mark.parametrize("rules", [{}, {"gather_ms": 5}])
def test_k2_a_forged_winner_is_found(rewritten: Any, rules: dict[str, Any]) -> None:
    (found,) = rewritten("conflict", other_winner, **rules)
    assert "the winners of the conflict over gpu are ('" in found


def test_k2_a_forged_hand_over_is_found(rewritten: Any) -> None:
    def to_another(body: dict[str, Any]) -> Any:
        others = [agent for agent, _ in body["ages"] if agent != body["agent"]]
        return {**body, "agent": others[0]} if others else None

    (found,) = rewritten("handed", to_another, circles="wound_wait")
    assert "goes to " in found
    assert "recorded" in found


def test_k2_a_state_of_an_early_version_is_no_forgery(rewritten: Any) -> None:
    """It has no tallies; the others are counted from the entries."""
    later = ("tallies", "unseen", "elsewhere")

    def early(body: dict[str, Any]) -> dict[str, Any]:
        return {name: one for name, one in body.items() if name not in later}

    assert rewritten("desk-state", early) == ()


def test_k2_a_forged_state_is_found(rewritten: Any) -> None:
    (found,) = rewritten("desk-state", lambda body: {**body, "made": body["made"] + 1})
    assert found.endswith("the state is not what the entries before it lead to.")


def test_k2_an_end_that_never_was_is_found(rewritten: Any) -> None:
    (found,) = rewritten("ended", lambda body: {**body, "token": 99})
    assert "end of token 99 is recorded and cannot have happened" in found


def test_k4_an_entry_that_is_no_conflict_is_told_by_its_place(ledger: Any) -> None:
    ledger.broken.add("claims")
    Arbiter(ledger, clock=FakeClock())
    forged = [NewEntry("conflict", {"seed": "7"})]
    ledger.append(scope_of("claims"), forged, expected_head=None, request_id=None, now_ms=1)
    with pytest.raises(LedgerError, match="entry 2 of desk/claims: is no conflict"):
        history(ledger)


# --- the policy of each conflict -------------------------------------------------------------


def test_r3_each_conflict_has_the_policy_that_was_in_force(arbiter: Arbiter, ledger: Any) -> None:
    arbiter.decide(TIED, "gpu")
    arbiter.record(TIED, "a", "gpu")
    arbiter.change(Policy(rule="lottery"))
    arbiter.decide(TIED, "gpu")
    found = history(ledger)
    assert found.policies == (Policy(c=2), None, Policy(rule="lottery"))
    assert len(found.policies) == len(found.conflicts)
    assert found.policy == Policy(rule="lottery")


def test_l2_leases_that_were_taken_are_in_the_history(ledger: Any, clock: FakeClock) -> None:
    arbiter = Arbiter(ledger, DeskRules(circles="wound_wait"), clock=clock)
    arbiter.claim("disk", agent="a")
    arbiter.claim("gpu", agent="b")
    clock.advance(500)
    arbiter.claim("gpu", agent="a")
    found = history(ledger)
    assert found.wounded == (Wounded(START_S + Fraction(1, 2), "gpu", "b", "a"),)
    assert found.policies == (None, None, None)


def test_r6_times_never_go_back_though_clocks_differ(
    arbiter: Arbiter, ledger: Any, clock: FakeClock
) -> None:
    """Else `watch --since` punched holes into the row of conflicts."""
    fast = Arbiter(ledger, clock=FakeClock(clock.now_ms() + 3_600_000))
    arbiter.claim("other", agent="z")
    for one in (arbiter, fast, arbiter, fast):
        one.decide(TIED, "gpu")
        clock.advance(10)
    times = [one.at for one in history(ledger).conflicts]
    assert times == sorted(times)
    assert times[-1] - times[0] < 60


# --- forgeries -------------------------------------------------------------------------------


def _conflict_with(**changes: Any) -> Callable[[dict[str, Any]], Any]:
    def change(body: dict[str, Any]) -> Any:
        return {**body, **changes} if body.get("leases") else None

    return change


def _longer(body: dict[str, Any]) -> Any:
    if not body.get("leases"):
        return None
    return {
        **body,
        "leases": [[agent, token, end + 10**9] for agent, token, end in body["leases"]],
    }


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("conflict", _conflict_with(seed=None), "it gives out .*, and has no seed"),
        ("conflict", _longer, "the lease of .* runs until [0-9]+, recorded [0-9]+"),
        ("conflict", _conflict_with(at_ms=10**15), "it happened at 10+, after"),
        ("conflict", _conflict_with(at_ms=5), "it happened at 5, before"),
        ("ended", lambda body: {**body, "why": "zzz"}, "lease that is zzz is recorded"),
        ("ended", lambda body: {**body, "why": "expired"}, "was to last until|ended"),
        ("claimed", lambda body: {**body, "lease_ms": 10**15}, "it lasts for .* ms"),
        ("renewed", lambda body: {**body, "lease_ms": 0}, "it lasts for 0 ms"),
    ],
)
def test_k2_what_was_forged_of_a_lease_is_found(
    rewritten: Any, kind: str, change: Callable[[dict[str, Any]], Any], told: str
) -> None:
    (found,) = rewritten(kind, change)
    assert re.search(told, found), found
