"""Desk: what each request leads to (R1, R2, R3, R7, L1, L2, G7).

Every desk is folded from its events at the end of its test (conftest.py).
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Policy, fairness
from comity.protocols.claims import Books, Desk, DeskRules, conflict_of

Open = Callable[..., Any]
NAN = float("nan")


# --- claims ----------------------------------------------------------------------------------


def test_r7_the_first_claim_on_a_free_resource_wins_at_once(open_desk: Open) -> None:
    desk = open_desk()
    answer = desk.claim("gpu", "a", 1, lease_ms=500)
    assert (answer.status, answer.token, answer.until_ms) == ("granted", 1, 1_500)
    assert (answer.number, answer.conflict, answer.holders) == (1, 1, ("a",))
    assert desk.kinds == ["claimed", "conflict"]
    assert desk.claim("gpu", "b", 9).status == "waiting", "whatever its priority"


def test_r7_who_asks_again_for_an_open_claim_is_told_again_and_nothing_is_written(
    open_desk: Open,
) -> None:
    desk = open_desk()
    desk.claim("gpu", "a", 1)
    waits = desk.claim("gpu", "b", 1)
    written = len(desk.log)
    assert desk.at(1_500).claim("gpu", "b", claim_ms=9) == waits
    assert desk.claim("gpu", "b", "1") == waits
    assert len(desk.log) == written


def test_r2_an_open_claim_is_not_asked_for_again_with_another_priority(
    open_desk: Open, refused: Any
) -> None:
    """Else whoever corrects a priority would believe that it is corrected."""
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b", 1)
    (fault,) = refused(desk, lambda: desk.claim("gpu", "b", "3/2"))
    assert fault == (
        "claim of 'b' on 'gpu': waits with the priority 1, it is asked for again with 1.5. "
        "Allowed: its own. Next: leave the priority out, or withdraw the claim first."
    )
    desk.withdraw("gpu", "b")
    assert desk.claim("gpu", "b", "3/2", claim_ms=10).status == "waiting"
    assert desk.at(1_010).claim("gpu", "b", 2).status == "waiting", "the other has run out"


def test_r7_the_token_of_an_open_claim_is_told_once(open_desk: Open, refused: Any) -> None:
    """Else two processes of one name would both believe that they hold it."""
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    desk.free("gpu")
    assert not desk.look("gpu", "b").picked_up, "whoever looks is not told as its claimant"
    answer = desk.at(1_001).claim("gpu", "b")
    assert (answer.token, answer.picked_up) == (2, True)
    assert desk.kinds[-1] == "confirmed"
    (fault,) = refused(desk, lambda: desk.claim("gpu", "b"))
    assert fault == (
        "claim of 'b' on 'gpu': is its second: claim 2 holds it for another 59999 ms. Allowed: "
        "one live claim of an agent on a resource, asked for again under its request id. Next: "
        "repeat the request id of the first, end the first, or claim under a name of your own."
    )
    assert desk.at(61_000).claim("gpu", "b").token == 3, "it is over"


@pytest.mark.parametrize(("first", "second"), [(False, False), (False, True), (True, False)])
def test_r7_a_claim_that_is_not_open_is_its_makers_alone(
    open_desk: Open, refused: Any, first: bool, second: bool
) -> None:
    desk = open_desk(claim_ms=500, lease_ms=400)
    desk.claim("gpu", "a", lease_ms=450)
    desk.claim("gpu", "b", is_open=first)
    for priority in (None, 7):
        (fault,) = refused(desk, lambda one=priority: desk.claim("gpu", "b", one, is_open=second))
        assert "claim 2 waits for it for another 500 ms" in fault
    desk.at(1_450).advance()
    (fault,) = refused(desk, lambda: desk.claim("gpu", "b", is_open=second))
    assert "claim 2 holds it for another 400 ms" in fault
    assert desk.confirm("gpu", "b", 2).picked_up
    assert desk.at(1_850).claim("gpu", "b", is_open=second).number == 3


def test_r7_a_claim_that_has_lapsed_by_now_is_no_first_one(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b", claim_ms=10, is_open=False)
    assert desk.at(1_010).claim("gpu", "b", is_open=False).number == 3


def test_r7_who_is_next_by_now_is_told_of_its_lease_when_it_asks(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    answer = desk.at(1_100).claim("gpu", "b")
    assert (answer.status, answer.picked_up) == ("granted", True)
    assert desk.kinds[-3:] == ["ended", "conflict", "confirmed"]


# --- picked up, or not -----------------------------------------------------------------------


def tally(desk: Any, agent: str, resource: str = "gpu") -> tuple[int, int, int, int | None]:
    one = desk.books.tallies[resource, agent]
    return one.wins, one.unused, one.turned_away, one.since_ms


def test_r5_a_lease_that_nobody_picked_up_is_no_win(open_desk: Open) -> None:
    """Its claimant may be gone since long."""
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    desk.at(1_100).advance()
    assert tally(desk, "b") == (0, 0, 0, 1_000), "held, and nobody knows yet"
    desk.at(1_200).advance()
    assert tally(desk, "b") == (0, 1, 0, 1_000)
    assert desk.log[-1].body["unused"] is True
    assert tally(desk, "a") == (1, 0, 0, None)
    assert "unused" not in desk.log[-3].body, "it was told at once, and let its time run out"
    assert desk.books.unseen == {}


@pytest.mark.parametrize(
    "use",
    [
        lambda desk: desk.confirm("gpu", "b", 2),
        lambda desk: desk.claim("gpu", "b"),
        lambda desk: desk.renew("gpu", 2),
        lambda desk: desk.release("gpu", 2),
    ],
)
def test_r5_every_sign_of_use_makes_it_a_win(open_desk: Open, use: Any) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    desk.at(1_100).advance()
    use(desk)
    assert tally(desk, "b") == (1, 0, 0, None)
    written = len(desk.log)
    desk.confirm("gpu", "b", 2)
    assert len(desk.log) == written, "it is known"
    desk.at(1_300).advance()
    assert tally(desk, "b") == (1, 0, 0, None)
    assert desk.held() == {}
    assert "unused" not in desk.log[-1].body


def test_r7_confirming_what_is_over_unknown_or_another_claim_changes_nothing(
    open_desk: Open,
) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    assert desk.confirm("gpu", "b", 2).status == "waiting"
    assert desk.confirm("gpu", "z", 7).number == 0
    desk.at(1_100).advance()
    written = len(desk.log)
    assert desk.confirm("gpu", "b", 1).status == "ended"
    assert len(desk.log) == written
    assert desk.at(1_200).confirm("gpu", "b", 2).status == "ended"
    assert tally(desk, "b")[:2] == (0, 1)


def test_r5_what_is_taken_before_it_was_picked_up_is_unused_too(open_desk: Open) -> None:
    desk = open_desk(circles="wound_wait")
    desk.claim("y", "old")
    desk.claim("x", "h")
    desk.claim("x", "young")
    desk.free("x")
    desk.claim("x", "old")
    assert desk.held()["x"] == ["old"]
    assert tally(desk, "young", "x")[:2] == (0, 1)
    assert tally(desk, "old", "x")[:2] == (1, 0), "told at once"


def test_r5_conflicts_without_a_lease_count_as_wins(open_desk: Open) -> None:
    desk = open_desk()
    desk.decide({"a": 2, "b": 1})
    desk.record({"a": 2, "b": 1}, ["b", "a"])
    assert tally(desk, "a")[0] == 2
    assert tally(desk, "b")[0] == 1
    assert desk.books.elsewhere == {"gpu": 1}


# --- turned away -----------------------------------------------------------------------------


def test_r1_a_claim_that_runs_out_while_another_holds_is_turned_away_and_is_no_loss(
    open_desk: Open,
) -> None:
    """R1 counts conflicts; R5: who never gets that far must be seen all the same."""
    desk = open_desk()
    desk.decide([("c", 1), ("a", 9)])
    desk.claim("gpu", "a", lease_ms=10**6)
    for turn in range(40):
        desk.at(2_000 + turn * 100).claim("gpu", "c", "1/2", claim_ms=50)
    desk.at(9_000).advance()
    assert tally(desk, "c") == (0, 0, 40, 2_000)
    assert desk.look("gpu", "c").losses == 1, "nothing is added, nothing reset"
    body = desk.log[-1].body
    assert (body["why"], body["holders"], body["waited_ms"]) == ("lapsed", ["a"], 50)
    desk.claim("gpu", "c", 1)
    desk.free("gpu")
    assert desk.confirm("gpu", "c", 42).is_granted
    assert tally(desk, "c") == (1, 0, 0, None)


def test_r1_who_loses_a_conflict_while_it_waits_has_lost_and_is_turned_away(
    open_desk: Open,
) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b", 9)
    desk.claim("gpu", "c", 1, claim_ms=100)
    desk.free("gpu")
    assert desk.look("gpu", "c").losses == 1
    desk.at(1_100).advance()
    assert desk.log[-1].body["holders"] == ["b"]
    assert tally(desk, "c")[2] == 1
    assert desk.look("gpu", "c").losses == 1


def test_r1_who_held_it_is_known_though_the_lease_ends_in_the_same_step(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.claim("gpu", "c", claim_ms=100)
    assert desk.at(1_100).advance() == ["ended", "withdrawn"]
    assert desk.log[-1].body["holders"] == ["a"]


def test_r1_a_claim_that_runs_out_before_anything_is_decided_is_turned_away_by_nobody(
    open_desk: Open,
) -> None:
    desk = open_desk(gather_ms=100, claim_ms=50)
    desk.claim("gpu", "c")
    desk.at(1_050).advance()
    assert desk.log[-1].body["holders"] == []
    assert tally(desk, "c")[2] == 1


def test_r1_who_withdraws_is_not_turned_away(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    assert desk.withdraw("gpu", "b", 1).status == "ended", "that is not its claim"
    assert desk.waits() == {"gpu": ["b"]}
    desk.withdraw("gpu", "b", 2)
    assert tally(desk, "b")[2] == 0


def test_r1_who_loses_ages_until_it_wins_against_higher_priorities(
    open_desk: Open,
) -> None:
    desk = open_desk(c=2)
    desk.claim("gpu", "high1", 10)
    desk.claim("gpu", "low", 1, claim_ms=10**9)
    for turn in count():
        other = ("high2", "high1")[turn % 2]
        desk.claim("gpu", other, 10)
        desk.free("gpu")
        if desk.held()["gpu"] == ["low"]:
            break
    assert turn == 5, "1 + 2 * 5 > 10"
    assert desk.look("gpu", "low").losses == 0


@pytest.mark.parametrize("seed", range(3))
def test_r3_the_bound_holds_at_a_desk_where_all_want_it_all_the_time(
    open_desk: Open, seed: int
) -> None:
    desk = open_desk(c=2)
    priorities = {"a": 9, "b": 5, "c": 1, "d": 9}
    for turn in range(120):
        desk.at(1_000 + seed * 1_000_000 + turn)
        for agent, priority in priorities.items():
            desk.claim("gpu", agent, priority, claim_ms=10**9)
        desk.free("gpu")
    conflicts = [conflict_of(one.body) for one in desk.log if one.kind == "conflict"]
    (scope,) = fairness(conflicts, Policy(c=2))
    bounds = Policy(c=2, priorities=priorities).bounds()
    streaks = {one.agent: one.longest_streak for one in scope.agents}
    assert all(streaks[agent] <= bound for agent, bound in bounds.items())
    assert streaks["c"] > 2, "it does lose"


def test_r7_a_claim_that_nobody_waits_for_any_more_lapses(open_desk: Open) -> None:
    desk = open_desk(claim_ms=50)
    desk.claim("gpu", "a", lease_ms=1_000)
    desk.claim("gpu", "b")
    desk.claim("gpu", "c", claim_ms=60)
    assert desk.desk.due_ms() == 1_050
    assert desk.at(1_049).advance() == []
    assert desk.at(1_050).advance() == ["withdrawn"]
    assert desk.look("gpu", "b").status == "lapsed"
    assert desk.waits() == {"gpu": ["c"]}
    assert desk.claim("gpu", "b").number == 4


def test_r7_a_lease_that_ends_goes_to_who_is_next(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    assert desk.desk.due_ms() == 1_100
    assert desk.at(1_100).advance() == ["ended", "conflict"]
    assert desk.log[-2].body["why"] == "expired"
    assert desk.look("gpu", "a").status == "ended"
    answer = desk.look("gpu", "b")
    assert (answer.token, answer.until_ms) == (2, 1_200)


def test_r7_every_request_lets_happen_first_what_is_due(open_desk: Open) -> None:
    def late(request: Callable[[Any], Any]) -> Any:
        desk = open_desk(lease_ms=100)
        desk.claim("gpu", "a")
        desk.claim("gpu", "b")
        answer = request(desk.at(1_100))
        assert desk.held()["gpu"] == ["b"]
        return answer

    assert late(lambda desk: desk.release("gpu", 1)).status == "ended"
    assert late(lambda desk: desk.renew("gpu", 1)).status == "ended"
    assert late(lambda desk: desk.claim("gpu", "b")).token == 2
    assert late(lambda desk: desk.claim("gpu", "a")).status == "waiting"
    assert late(lambda desk: desk.withdraw("gpu", "z")).status == "ended"


def test_r1_who_withdraws_in_time_keeps_its_losses_and_is_not_given_it_after_all(
    open_desk: Open,
) -> None:
    desk = open_desk(lease_ms=100)
    desk.decide([("b", 1), ("z", 9)])
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    answer = desk.at(1_099).withdraw("gpu", "b")
    assert (answer.status, answer.losses) == ("withdrawn", 1)
    assert desk.at(1_100).advance() == ["ended"]
    assert desk.held() == {}


def test_r1_what_was_won_before_it_was_withdrawn_is_won(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    answer = desk.at(1_150).withdraw("gpu", "b")
    assert (answer.status, answer.until_ms) == ("granted", 1_200), "since a's lease ended"


def test_r7_withdrawing_what_is_held_or_unknown_changes_nothing(open_desk: Open) -> None:
    desk = open_desk()
    held = desk.claim("gpu", "a")
    written = len(desk.log)
    assert desk.withdraw("gpu", "a") == held
    assert desk.withdraw("gpu", "b").number == 0
    assert len(desk.log) == written


# --- leases ----------------------------------------------------------------------------------


def test_r7_a_release_gives_it_to_who_is_next(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    answer = desk.release("gpu", 1)
    assert (answer.status, answer.agent, answer.token) == ("ended", "a", 1)
    assert (answer.holders, answer.successors) == (("b",), ("b",))
    assert answer.says == "The lease of a on gpu under token 1 is over; b won it next."
    assert desk.held() == {"gpu": ["b"]}
    assert desk.release("gpu", 2).says == "The lease of b on gpu under token 2 is over."


def test_r7_a_release_names_only_who_won_what_was_released(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("disk", "z", lease_ms=50)
    desk.claim("disk", "y")
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    answer = desk.at(1_060).release("gpu", 2)
    assert desk.look("disk", "y").is_granted, "by the way"
    assert answer.successors == ("b",)


@pytest.mark.parametrize(
    ("resource", "token"), [("gpu", 3), ("gpu", 0), ("gpu", -1), ("gpu", 2), ("disk", 1), ("x", 1)]
)
def test_r7_a_wrong_token_ends_and_renews_nothing(
    open_desk: Open, resource: str, token: int
) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("disk", "b")
    written = len(desk.log)
    for answer in (desk.release(resource, token), desk.renew(resource, token)):
        assert (answer.status, answer.token, answer.until_ms) == ("ended", None, None)
    assert len(desk.log) == written
    assert desk.held() == {"gpu": ["a"], "disk": ["b"]}


def test_r7_a_renewed_lease_runs_on_under_its_token(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    answer = desk.at(1_050).renew("gpu", 1)
    assert (answer.status, answer.token, answer.until_ms) == ("granted", 1, 1_150)
    assert desk.renew("gpu", 1, 9_000).until_ms == 10_050
    assert desk.renew("gpu", 1, 1).until_ms == 10_050, "a renewal never shortens"
    assert desk.at(1_150).advance() == []
    assert desk.at(10_050).advance() == ["ended"]


def test_r7_a_clock_set_back_brings_nothing_back(open_desk: Open) -> None:
    desk = open_desk(lease_ms=100)
    desk.claim("gpu", "a")
    desk.at(1_100).advance()
    answer = desk.at(500).claim("gpu", "b")
    assert (answer.token, answer.until_ms) == (2, 1_200)
    assert desk.claim("gpu", "c", claim_ms=10).until_ms == 1_110
    assert desk.at(600).release("gpu", 1).status == "ended"
    assert desk.held() == {"gpu": ["b"]}
    assert desk.at(1_300).advance() == ["withdrawn", "ended"]


def test_r2_two_units_are_held_by_two_and_one_agent_holds_one(open_desk: Open) -> None:
    desk = open_desk(capacity=2)
    assert [desk.claim("gpu", agent).status for agent in "abc"] == [
        "granted",
        "granted",
        "waiting",
    ]
    desk.release("gpu", 1)
    assert desk.held() == {"gpu": ["b", "c"]}
    assert desk.look("gpu", "c").holders == ("b", "c")


# --- gathering -------------------------------------------------------------------------------


def test_r2_claims_that_arrive_within_the_time_compete(open_desk: Open) -> None:
    desk = open_desk(gather_ms=20)
    assert desk.claim("gpu", "first", 1).status == "waiting"
    desk.at(1_019).claim("gpu", "best", 5)
    assert desk.desk.due_ms() == 1_020
    answer = desk.at(1_020).claim("gpu", "late", 9)
    assert answer.status == "waiting"
    assert desk.held() == {"gpu": ["best"]}
    assert desk.look("gpu", "first").losses == 1
    desk.free("gpu")
    assert desk.held() == {"gpu": ["late"]}, "it has waited long enough while it was held"


def test_r2_when_the_first_gives_up_the_others_gather_from_their_own_time(
    open_desk: Open,
) -> None:
    desk = open_desk(gather_ms=20)
    desk.claim("gpu", "first", claim_ms=5)
    desk.at(1_004).claim("gpu", "second")
    desk.at(1_022)
    assert desk.advance() == ["withdrawn"]
    assert desk.desk.due_ms() == 1_024
    assert desk.at(1_024).advance() == ["conflict"]


# --- decided at once, or elsewhere -----------------------------------------------------------


def test_r1_claims_handed_in_at_once_are_decided_and_counted(open_desk: Open) -> None:
    desk = open_desk(c=3)
    first = desk.decide([("A", 3), ("C", 1)])
    assert (first.number, first.winners, first.marks) == (1, ("A",), (0, 0))
    second = desk.decide({"C": 1, "A": 3})
    assert (second.number, second.winners, second.marks) == (2, ("C",), (0, 1))
    assert "leases" not in desk.log[0].body
    assert desk.held() == {}


def test_g5_floats_are_decided_as_the_decimals_they_print_as(open_desk: Open) -> None:
    desk = open_desk()
    found = desk.decide([("a", 0.1), ("b", 0.30000000000000004), ("c", 0.3)])
    assert found.claims == (
        ("a", Decimal("0.1")),
        ("b", Decimal("0.30000000000000004")),
        ("c", Decimal("0.3")),
    )
    assert found.winners == ("b",)
    assert not desk.books.engine.scope("gpu").floats


def test_r4_policies_that_give_no_leases_decide_all_the_same(open_desk: Open) -> None:
    for policy, winners in (
        ({"rule": "split"}, ("a", "b")),
        ({"rule": "human"}, ()),
        ({"rule": "second_price"}, ("a",)),
        ({"units": 2}, ("a", "b")),
    ):
        assert open_desk(**policy).decide([("a", 3), ("b", 1)]).winners == winners


def test_r4_rules_that_look_at_arrival_take_it_from_the_claims(open_desk: Open) -> None:
    desk = open_desk(rule="first_come")
    assert desk.decide([("a", 1, 7), ("b", 1, 5)]).winners == ("b",)
    desk.claim("gpu", "h")
    for agent in "cab":
        desk.claim("gpu", agent)
    desk.free("gpu")
    assert desk.held() == {"gpu": ["c"]}


def test_r1_ageing_by_hours_reads_the_clock_in_seconds(open_desk: Open) -> None:
    """R1: the source's example: priority 1 overtakes 3 just over two hours later."""
    desk = open_desk(rule="hours", c=1)
    assert desk.at(0).decide([("C", 1), ("A", 3)]).at == 0
    assert desk.at(2 * 3_600_000 - 500).decide([("C", 1), ("A", 3)]).winners == ("A",)
    found = desk.at(2 * 3_600_000 + 500).decide([("C", 1), ("A", 3)])
    assert (found.winners, found.at) == (("C",), Fraction(14_401, 2))


def test_r1_under_hours_a_lease_and_a_wait_count_the_same_way(open_desk: Open) -> None:
    desk = open_desk(rule="hours", c=1, lease_ms=10**10, claim_ms=10**10)
    desk.claim("gpu", "h")
    desk.claim("gpu", "low", 1)
    desk.claim("gpu", "high", 3)
    desk.free("gpu")
    assert desk.held() == {"gpu": ["high"]}
    desk.at(1_000 + 2 * 3_600_000 + 500).claim("gpu", "other", 3)
    desk.free("gpu")
    assert desk.held() == {"gpu": ["low"]}
    desk.withdraw("gpu", "other")
    assert desk.books.engine.scope("gpu").marks["other"] == -1


def test_r5_what_was_decided_elsewhere_counts_as_it_was_decided(open_desk: Open) -> None:
    desk = open_desk()
    found = desk.record({"A": 3, "B": 1}, "B")
    assert (found.number, found.winners, found.stages, found.marks) == (1, ("B",), (("B",),), ())
    assert desk.record([("A", 3), ("B", 1)], iter(["B", "A", "B"])).winners == ("B", "A")
    assert desk.record({"A": 3, "B": 1}, []).winners == ()
    assert desk.log[0].body["seed"] is None
    desk.record({"A": 3, "B": 1}, ["B"])
    assert desk.books.engine.state.losses("gpu") == {"A": 1, "B": 0}


def test_r5_what_was_decided_elsewhere_has_its_time_where_hours_count(open_desk: Open) -> None:
    desk = open_desk(rule="hours")
    assert desk.at(1_500).record({"A": 3, "B": 1}, "A").at == Fraction(3, 2)
    desk.at(7_200_000 + 1_500).record({"A": 3, "B": 1}, "A")
    assert desk.books.engine.state.losses("gpu") == {"A": -1, "B": 2}


# --- refused, and nothing changed ------------------------------------------------------------


def test_g7_a_refused_request_tells_all_faults_and_changes_nothing(
    open_desk: Open, refused: Any
) -> None:
    desk = open_desk(c=2, lease_ms=10)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    desk.decide([("a", 1), ("b", 2)])
    desk.at(5_000)  # a lease has ended by now: not even that is noted
    wrong: list[tuple[int, Callable[[], Any]]] = [
        (4, lambda: desk.claim("", "a b ", NAN, lease_ms=True)),
        (1, lambda: desk.claim("gpu", "c", float("inf"))),
        (1, lambda: desk.claim("gpu", "c", True)),
        (2, lambda: desk.withdraw(None, 7)),
        (2, lambda: desk.release(" gpu", "1")),
        (1, lambda: desk.release("gpu", True)),
        (3, lambda: desk.renew("", 1.0, 0)),
        (1, lambda: desk.renew("gpu", 1, 10**15)),
        (2, lambda: desk.decide([("a", NAN)], "")),
        (2, lambda: desk.decide([("a", 1), ("a", 2), ("b", True)])),
        (1, lambda: desk.decide([])),
        (1, lambda: desk.decide(None)),
        (1, lambda: desk.decide("abc")),
        (3, lambda: desk.record([("a", True)], [" z", "a", []])),
        (2, lambda: desk.record([], None)),
        (2, lambda: desk.record({"a": 1}, ["z", "y"])),
        (2, lambda: desk.look("", " a")),
    ]
    for many, request in wrong:
        assert len(refused(desk, request)) == many
    assert desk.advance() == ["ended", "conflict", "ended"]


@pytest.mark.parametrize("priority", [0, -1])
def test_r4_shares_take_weights_above_0_and_a_refusal_leaves_no_trace(
    open_desk: Open, refused: Any, priority: int
) -> None:
    desk = open_desk(rule="stride")
    desk.decide({"a": 1, "b": 2})
    for request in (
        lambda: desk.claim("gpu", "c", priority),
        lambda: desk.decide({"a": 1, "c": priority}),
        lambda: desk.record({"a": 1, "c": priority}, "a"),
        lambda: desk.record({"a": 1, "c": priority}, "a", "new"),
    ):
        assert len(refused(desk, request)) == 1


def test_r2_a_resource_without_a_group_is_refused_by_every_request(
    open_desk: Open, refused: Any
) -> None:
    desk = open_desk(scope="group", groups={"gpu-1": "gpu"}, lease_ms=10)
    desk.claim("gpu-1", "a")
    desk.at(5_000)
    for request in (
        lambda: desk.claim("tpu", "a"),
        lambda: desk.withdraw("tpu", "a"),
        lambda: desk.release("tpu", 1),
        lambda: desk.renew("tpu", 1),
        lambda: desk.decide({"a": 1}, "tpu"),
        lambda: desk.record({"a": 1}, "a", "tpu"),
        lambda: desk.look("tpu", "a"),
    ):
        assert refused(desk, request) == [
            "resource 'tpu': has no group. Allowed: gpu-1. Next: use one of: gpu-1."
        ]


def test_r3_where_each_agent_has_one_priority_a_claim_that_waits_counts_too(
    open_desk: Open, refused: Any
) -> None:
    """Else a release, much later and of somebody else, would be what is refused."""
    desk = open_desk(per_claim=False, scope="group", groups={"x": "g", "y": "g", "z": "h"})
    desk.claim("x", "h", 1)
    desk.claim("x", "a", 3)
    desk.claim("z", "a", 5)
    for request in (
        lambda: desk.claim("y", "a", 5),
        lambda: desk.decide({"a": 5, "b": 1}, "y"),
        lambda: desk.record({"a": 5, "b": 1}, "b", "y"),
    ):
        (fault,) = refused(desk, request)
        assert fault.startswith("claim of 'a': has the priority 5, it waits for x with 3.")
    desk.claim("y", "a", 3)
    desk.free("x")
    assert desk.held()["x"] == ["a"]


# --- circles ---------------------------------------------------------------------------------


def test_l1_a_claim_that_would_close_a_circle_is_refused_with_its_members(
    open_desk: Open,
) -> None:
    desk = open_desk()
    for resource, agent in ("xa", "yb", "zc", "ya", "zb"):
        desk.claim(resource, agent)
    answer = desk.claim("x", "c")
    assert (answer.status, answer.cycle) == ("refused", ("c", "a", "b"))
    assert desk.log[-1].body["why"] == "claimed"
    assert desk.waits() == {"y": ["a"], "z": ["b"]}
    desk.free("z")
    assert desk.claim("x", "c").status == "waiting", "it holds nothing any more"


def test_l1_several_units_are_never_refused(open_desk: Open) -> None:
    desk = open_desk(capacity=2)
    for resource, agent in ("xa", "xb", "ya", "yb", "xc"):
        desk.claim(resource, agent)
    assert desk.claim("y", "c").status == "waiting"


# --- other rules -----------------------------------------------------------------------------


def test_r7_more_units_are_given_out_as_soon_as_there_are_more(open_desk: Open) -> None:
    desk = open_desk()
    for agent in "abc":
        desk.claim("gpu", agent)
    desk.change(capacity=2)
    assert desk.desk.due_ms() == 1_000
    desk.advance()
    assert len(desk.held()["gpu"]) == 2
    desk.change(capacity=9, circles="refuse", gather_ms=50)
    assert desk.desk.due_ms() == 1_050


def test_r7_fewer_units_end_no_lease(open_desk: Open) -> None:
    desk = open_desk(capacity=2)
    desk.claim("gpu", "a")
    desk.claim("gpu", "b")
    desk.change(capacity=1)
    desk.claim("gpu", "c")
    desk.release("gpu", 1)
    assert desk.held() == {"gpu": ["b"]}
    desk.release("gpu", 2)
    assert desk.held() == {"gpu": ["c"]}


@pytest.mark.parametrize(
    ("rules", "faults"),
    [
        ({"rule": "split"}, 1),
        ({"rule": "stride"}, 1),
        ({"priorities": {"a": 1, "z": 1}}, 1),
        ({"units": 2, "rule": "human", "circles": "wound_wait"}, 3),
        ({"circles": "wound_wait"}, 1),
        ({"scope": "group", "groups": {"tpu": "g"}}, 1),
    ],
)
def test_g7_rules_that_do_not_fit_claims_that_wait_are_refused(
    open_desk: Open, refused: Any, rules: dict[str, Any], faults: int
) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b", 0)
    assert len(refused(desk, lambda: desk.change(**rules))) == faults
    desk.withdraw("gpu", "b")
    desk.change(**rules)


def test_r3_one_priority_for_each_agent_is_refused_while_it_waits_with_two(
    open_desk: Open, refused: Any
) -> None:
    desk = open_desk()
    for resource in "xyz":
        desk.claim(resource, "h")
    for resource, priority in (("x", 1), ("y", 3), ("z", 1)):
        desk.claim(resource, "a", priority)
    one = {"per_claim": False, "scope": "group"}
    desk.change(**one, groups={"x": "g", "y": "h", "z": "g"})
    groups = {"x": "g", "y": "g", "z": "g"}
    (fault,) = refused(desk, lambda: desk.change(**one, groups=groups))
    assert fault.startswith("claim of 'a': has the priority 3, it waits for x with 1.")
    desk.free("y")
    desk.change(**one, groups=groups)


def test_l1_fewer_units_are_refused_while_somebody_waits(open_desk: Open, refused: Any) -> None:
    desk = open_desk(capacity=2)
    for agent in "abc":
        desk.claim("gpu", agent)
    (fault,) = refused(desk, lambda: desk.change(capacity=1))
    assert "would change under 1 claims that wait" in fault


def test_g3_a_desk_goes_on_from_the_books_it_is_given() -> None:
    books = Books(DeskRules(capacity=5))
    assert Desk(DeskRules(), books).books is books
    with pytest.raises(InvalidInput):
        Desk(DeskRules()).look("", "")
