"""Streaks: the longest row of lost claims, where it begins and ends, as fairness counts it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from comity.mechanisms.arbitration import Conflict, Policy, fairness, recorded
from comity.watch.streaks import longest_streaks


def won_by(*winners: str, claims: str = "abc") -> list[Conflict]:
    pairs = tuple((one, 1) for one in claims)
    return [
        Conflict(n, "r", pairs, winners=tuple(names), at=10 * n)
        for n, names in enumerate(winners, 1)
    ]


def test_r5_the_longest_row_has_its_first_and_last_conflict() -> None:
    found = longest_streaks(won_by("a", "b", "a", "a", "a", "b", "c"))
    assert [(one.agent, one.length, one.first, one.last, one.is_over) for one in found] == [
        ("c", 6, 1, 6, True),
        ("b", 3, 3, 5, True),
        ("a", 2, 6, 7, False),
    ]
    assert (found[0].first_at, found[0].last_at) == (10, 60)


def test_of_equal_rows_the_first_counts_and_is_over() -> None:
    one = longest_streaks(won_by("a", "b", "a", claims="ab"))
    assert [(row.agent, row.first, row.is_over) for row in one] == [
        ("b", 1, True), ("a", 2, True),
    ]  # fmt: skip
    later = longest_streaks(won_by("a", "b", "a", "b", "a", claims="ab"))
    assert [(row.agent, row.length, row.first, row.is_over) for row in later] == [
        ("b", 1, 1, True), ("a", 1, 2, True),
    ]  # fmt: skip


def test_undecided_conflicts_and_absence_change_nothing() -> None:
    rows = [
        *won_by("a", ""),
        *(one._replace(number=3 + at) for at, one in enumerate(won_by("a", claims="ab"))),
        *(one._replace(number=4) for one in won_by("a")),
    ]
    assert {one.agent: one.length for one in longest_streaks(rows)} == {"b": 3, "c": 2}


def test_whoever_always_wins_has_no_row() -> None:
    assert longest_streaks(won_by("abc", "abc")) == ()
    assert longest_streaks([]) == ()


@given(
    st.lists(
        st.tuples(st.sets(st.sampled_from("abcd"), min_size=1), st.integers(0, 3)), max_size=40
    ),
    st.sampled_from([None, 0, 1, 3]),
    st.sampled_from(["resource", "global"]),
)
def test_r5_the_length_is_that_of_fairness(
    drawn: list[tuple[set[str], int]], expiry: int | None, scope: str
) -> None:
    rows = [
        Conflict(
            n,
            "xy"[n % 2],
            tuple((name, 1) for name in sorted(names)),
            winners=tuple(sorted(names)[pick : pick + 1]),
            at=n,
        )
        for n, (names, pick) in enumerate(drawn)
    ]
    policy = Policy(expiry=expiry, scope=scope)  # type: ignore[arg-type]
    expected = {
        (record.scope, one.agent): one.longest_streak
        for record in fairness(rows, policy)
        for one in record.agents
        if one.longest_streak
    }
    found = longest_streaks(rows, policy)
    assert {(one.scope, one.agent): one.length for one in found} == expected
    assert all(one.last - one.first + 1 >= one.length for one in found)


def test_r5_a_row_whose_clocks_lie_apart_goes_backwards() -> None:
    rows = [recorded("r", [("a", 1), ("b", 1)], ["a"], at=at) for at in (20, 10)]
    assert [one.is_backwards for one in longest_streaks(rows)] == [True]
    assert not longest_streaks([one._replace(at=None) for one in rows])[0].is_backwards
    assert not longest_streaks(rows[::-1])[0].is_backwards
