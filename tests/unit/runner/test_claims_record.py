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
from comity.protocols.claims import DeskRules
from comity.runner import desk_log
from comity.runner.arbiter import Arbiter
from comity.runner.claims_record import decided_again, desks, history
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


# --- deciding it all again -------------------------------------------------------------------


def busy(arbiter: Arbiter, clock: FakeClock) -> None:
    """Let a little of everything happen."""
    for _ in range(6):
        arbiter.decide({"a": 9, "b": "1/2", "c": 2.5}, "budget")
        arbiter.record({"a": 9, "b": 1}, "b", "budget")
        for agent in "abcd":
            arbiter.claim("gpu", agent=agent, priority=1, lease_ms=50)
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
            for known, body in ledger.entries():
                new = None if is_changed or known != kind else change(_thawed(body))
                is_changed |= new is not None
                copy.append(
                    scope_of("claims"),
                    [NewEntry(known, body if new is None else new)],
                    expected_head=None,
                    request_id=None,
                    now_ms=1,
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
