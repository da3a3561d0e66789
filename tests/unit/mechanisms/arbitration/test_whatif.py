"""What-if tests: do the same claims under other rules stand side by side?

Here: replays, the table, rules that cannot be replayed.
Not here: files of claims (formats).
Sources: SEMANTICS R6.
"""

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Policy, recorded, replay, what_if
from comity.mechanisms.arbitration.whatif import winner_faults

ABC = [("A", 3), ("B", 2), ("C", 1)]
DAYS = [recorded("budget", ABC, ["A"], number=day + 1, at=86_400 * day) for day in range(19)]


def test_r6_the_nineteen_days_under_other_rules() -> None:
    policies = [Policy(rule="static_priority"), Policy(c=1), Policy(rule="round_robin")]
    found = what_if(DAYS, policies, seed="7")
    happened, static, ours, turns = found.rows
    assert (happened.name, happened.wins, happened.longest) == (
        "recorded",
        (19, 0, 0),
        (0, 19, 19),
    )
    assert (static.wins, static.same, static.bounds) == ((19, 0, 0), 19, (None, None, None))
    assert static.warnings
    assert ours.name == "losses, c = 1"
    assert min(ours.wins) >= 3
    assert ours.bounds == (2, 3, 4)
    assert all(lost <= bound for lost, bound in zip(ours.longest, (2, 3, 4), strict=True))
    assert turns.wins == (7, 6, 6)
    assert turns.jain is not None
    table = str(found)
    assert table.splitlines()[0].split()[:5] == ["wins", "/", "longest", "A", "B"]
    assert "0 / 19" in table
    assert ours.bound in table


def test_r6_a_rule_the_claims_say_too_little_for_is_skipped_by_name() -> None:
    found = what_if(DAYS, [Policy(rule="first_come")], seed="7")
    assert found.rows[1].skipped == "claim of 'A' does not say when it arrived (at)"
    assert "does not say when it arrived" in str(found)
    assert found.rows[1].wins == ()


def test_r6_hours_are_replayed_with_the_recorded_times() -> None:
    again = replay(DAYS, Policy(rule="hours", c="1/24"), seed="7")
    winners = {one.winners[0] for one in again}
    assert winners == {"A", "B", "C"}
    assert again[3].at == DAYS[3].at


def test_r6_several_scopes_keep_the_larger_bound_and_lack_it_together() -> None:
    rows = [recorded("gpu", ABC, ["A"]), recorded("tpu", ABC[:2], ["A"])]
    assert what_if(rows, [Policy()], seed="7").rows[1].bounds == (2, 3, 4)
    assert what_if(rows, [Policy(c=0)], seed="7").rows[1].bounds == (None, None, None)
    assert what_if(rows, [Policy(rule="human")], seed="7").rows[1].jain is None


def test_r3_a_rule_without_a_bound_says_who_can_starve() -> None:
    found = what_if(DAYS, [Policy(c=0), Policy(rule="static_priority"), Policy(rule="lottery")],
                    seed="7")  # fmt: skip
    assert [one.bound for one in found.rows[1:]] == [
        "none: agents B, C can starve", "none: agents B, C can starve", "none; short on average",
    ]  # fmt: skip
    two = [recorded("r", ABC[:2], ["A"])]
    assert what_if(two, [Policy(c=0)], seed="7").rows[1].bound == "none: agent B can starve"
    even = [recorded("r", [("A", 1), ("B", 1)], ["A"])]
    assert what_if(even, [Policy(c=0)], seed="7").rows[1].bound == "none: an agent can starve"
    many = [recorded("r", [(f"a{at}", at) for at in range(6)], ["a5"])]
    told = what_if(many, [Policy(c=0, cap=1)], seed="7").rows[1].bound
    assert told == "none: agents a0, a1, a2 and 2 more can starve"


def test_r6_the_short_way_and_the_long_one_make_the_same_table() -> None:
    rows = [recorded(("gpu", "tpu")[n % 2], ABC[: 2 + n % 2], ["A"], at=60 * n) for n in range(40)]
    rows.append(rows[-1]._replace(winners=()))
    for name in ("losses", "stride", "hours", "split", "least_recently_served", "lottery"):
        policy = Policy(rule=name)
        long = [one._replace(claims=tuple((*claim, None) for claim in one.claims)) for one in rows]
        short = what_if(rows, [policy], seed="7")
        assert short == what_if(long, [policy], seed="7")
        slow = what_if(rows, [policy], seed=["0"] * 100).rows[1]
        assert slow.bounds == short.rows[1].bounds
        assert sum(slow.wins) == sum(short.rows[1].wins)


def test_r6_conflicts_of_one_number_are_one_round_of_what_happened() -> None:
    rows = [recorded("r", ABC, [name], number=n) for n in range(1, 4) for name in "ABC"]
    happened = what_if(rows, [Policy()], seed="7").rows[0]
    assert (happened.wins, happened.longest) == ((3, 3, 3), (0, 0, 0))


def test_r6_very_many_claimants_are_replayed() -> None:
    rows = [recorded("r", [(f"a{at:02}", 1) for at in range(30)], ["a00"]) for _ in range(3)]
    assert set(what_if(rows, [Policy(rule="split")], seed="7").rows[1].wins) == {3}


def test_r6_whoever_waits_is_told_which_rule_is_replayed() -> None:
    told: list[str] = []
    what_if(DAYS, [Policy(c=2), Policy(rule="stride")], seed="7", progress=told.append)
    assert told == ["losses, c = 2", "stride"]


def test_nothing_to_replay_is_refused() -> None:
    with pytest.raises(InvalidInput, match="has no conflicts"):
        what_if([], [Policy()], seed="7")


def test_g7_winners_who_did_not_claim_are_refused_and_of_many_the_first_told() -> None:
    rows = [recorded("r", [("a", 1)], ["z"], number=at) for at in range(1, 40)]
    assert len(winner_faults(rows)) == 20
    with pytest.raises(InvalidInput, match="was won by z, who did not claim"):
        what_if(rows, [Policy()], seed="1")
