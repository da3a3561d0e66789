"""Desks of a ledger: each in a few facts, with what was decided last (K4)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from comity.core.errors import LedgerError
from comity.ledger import Ledger, NewEntry, open_ledger
from comity.mechanisms.arbitration import Policy
from comity.protocols.claims import DeskRules
from comity.runner.arbiter import Arbiter
from comity.testing.clock import FakeClock
from comity.watch.desks import desk_meant, desks_of


@pytest.fixture
def ledger() -> Iterator[Ledger]:
    with open_ledger(":memory:") as made:
        yield made


def test_k4_every_desk_is_listed_by_name_with_its_newest_conflict(ledger: Ledger) -> None:
    clock = FakeClock()
    ours = Arbiter(ledger, Policy(c=2), name="ours", clock=clock)
    ours.decide([("a", 3), ("b", 1)], "gpu")
    clock.advance(1_000)
    ours.decide([("b", 1), ("c", 2)], "gpu")
    Arbiter(ledger, name="empty", clock=clock)
    first, second = desks_of(ledger)
    assert (first.desk, first.entries, first.last) == ("empty", 1, None)
    assert (second.desk, second.scope, second.entries) == ("ours", "desk/ours", 3)
    assert second.last is not None
    assert second.last.says == "b won gpu over c."
    told = second.to_json()["last"]
    assert isinstance(told, dict)
    assert told["number"] == 2
    assert told["claims"] == [
        {"agent": "b", "priority": 1, "counted": 1},
        {"agent": "c", "priority": 2, "counted": 0},
    ]
    assert (told["at_ms"], told["decided_elsewhere"]) == (clock.now_ms(), False)
    assert first.to_json()["last"] is None


def test_a_conflict_without_a_rival_or_a_winner_reads_so(ledger: Ledger) -> None:
    desk = Arbiter(ledger, name="claims")
    desk.decide([("a", 3)], "gpu")
    (noted,) = desks_of(ledger)
    assert noted.last is not None
    assert noted.last.says == "a won gpu, the only claimant."
    desk.record([("a", 3), ("b", 1)], [], "gpu")
    (noted,) = desks_of(ledger)
    assert noted.last is not None
    assert noted.last.says == "Nobody won gpu; claimed by a, b."
    told = noted.last.to_json()
    assert (told["decided_elsewhere"], told["seed"]) == (True, None)


def test_a_desk_is_meant_by_its_name_or_its_scope_and_a_session_is_none(ledger: Ledger) -> None:
    Arbiter(ledger, name="ours")
    for given in ("ours", "desk/ours"):
        found = desk_meant(ledger, given)
        assert found is not None
        assert found.desk == "ours"
    ledger.append("d_1", [NewEntry("opened", {})], expected_head="", request_id=None, now_ms=0)
    for given in ("d_1", "our", "desk/", "theirs"):
        assert desk_meant(ledger, given) is None


def test_a_conflict_that_is_none_is_told(ledger: Ledger) -> None:
    ledger.append(
        "desk/odd", [NewEntry("conflict", {})], expected_head="", request_id=None, now_ms=0
    )
    with pytest.raises(LedgerError, match="entry 1 of desk/odd: is no conflict"):
        desks_of(ledger)


def test_r2_of_a_conflict_of_many_those_it_does_not_name_are_counted(ledger: Ledger) -> None:
    desk = Arbiter(ledger, name="claims", clock=FakeClock())
    many = {f"a{n:03}": n for n in range(130)}
    for _ in range(2):
        desk.decide(many, "gpu")
    (noted,) = desks_of(ledger)
    assert noted.last is not None
    assert noted.last.says.endswith(" won gpu over 129 others.")
    assert noted.last.to_json()["count"] == 130


def test_l2_what_was_handed_to_the_oldest_is_what_was_last_decided(ledger: Ledger) -> None:
    clock = FakeClock()
    desk = Arbiter(ledger, DeskRules(circles="wound_wait"), name="claims", clock=clock)
    desk.claim("gpu", agent="a", priority=1)
    for agent in "bc":
        desk.claim("gpu", agent=agent, priority=9)
    desk.release("gpu", 1)
    (noted,) = desks_of(ledger)
    assert noted.last is not None
    assert noted.last.says == "b won gpu over c; it had waited longest."
    told = noted.last.to_json()
    assert (told["handed"], told["decided_elsewhere"], told["seed"]) == (True, False, None)
    desk.decide({"a": 1, "b": 2}, "other")
    (noted,) = desks_of(ledger)
    assert noted.last is not None
    assert noted.last.says == "b won other over a."
