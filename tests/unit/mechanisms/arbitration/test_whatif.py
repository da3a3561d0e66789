"""What-if tests: do the same claims under other rules stand side by side?

Here: replays, the table, rules that cannot be replayed.
Not here: files of claims (formats).
Sources: SEMANTICS R6.
"""

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.arbitration import Policy, recorded, replay, what_if

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


def test_nothing_to_replay_is_refused() -> None:
    with pytest.raises(InvalidInput, match="has no conflicts"):
        what_if([], [Policy()], seed="7")
