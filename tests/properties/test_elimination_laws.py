"""Laws of elimination: what must hold for every set of ballots?

Here: IRV, Coombs and STV against naive counts that follow every branch and take no shortcut,
and the laws that the rules are known to keep.
Not here: single cases (tests/unit/mechanisms/voting), real elections (tests/oracles).
Sources: SEMANTICS V3, V6, G3-G5; Tideman 1987 (clones); Woodall 1994 (solid coalitions).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.arrays import numpy_or_none
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.elimination import coombs, irv
from comity.mechanisms.voting.results import VoteChoice
from comity.mechanisms.voting.stv import stv

Ballot = tuple[tuple[str, ...], ...]
Profile = tuple[Ballot, ...]
Set = frozenset[str]

# --- naive counts: no memory of sets, no majority, no options that leave together --------------


def share_out(ballot: Ballot, standing: Set, *, last: bool) -> tuple[str, ...]:
    groups = [tuple(one for one in group if one in standing) for group in ballot]
    groups = [group for group in groups if group]
    if not groups:
        return ()
    unranked = tuple(standing - {one for group in groups for one in group})
    if last:
        return unranked or groups[-1]
    return groups[0]


def counts(profile: Profile, standing: Set, *, last: bool = False) -> dict[str, Fraction]:
    found = dict.fromkeys(standing, Fraction(0))
    for ballot in profile:
        among = share_out(ballot, standing, last=last)
        for one in among:
            found[one] += Fraction(1, len(among))
    return found


def naive_irv(profile: Profile, standing: Set) -> Set:
    if len(standing) == 1:
        return standing
    found = counts(profile, standing)
    low = min(found.values())
    return frozenset().union(
        *(naive_irv(profile, standing - {one}) for one in standing if found[one] == low)
    )


def naive_coombs(profile: Profile, standing: Set, *, stop: bool) -> Set:
    if len(standing) == 1:
        return standing
    found = counts(profile, standing)
    above = [one for one in standing if 2 * found[one] > sum(found.values())]
    if stop and above:
        return frozenset(above)
    found = counts(profile, standing, last=True)
    high = max(found.values())
    return frozenset().union(
        *(
            naive_coombs(profile, standing - {one}, stop=stop)
            for one in standing
            if found[one] == high
        )
    )


def naive_stv(profile: Profile, options: Set, seats: int, needed: Fraction) -> set[Set]:
    """Return every set that may be elected; pieces of ballots lie in the piles of options."""
    start = [(ballot, Fraction(1)) for ballot in profile]
    return set(_naive_stv(dealt(start, options), options, seats, needed, frozenset()))


Pieces = list[tuple[Ballot, Fraction]]
Piles = dict[str, Pieces]


def dealt(pieces: Pieces, standing: Set) -> Piles:
    piles: Piles = {one: [] for one in standing}
    for ballot, value in pieces:
        among = share_out(ballot, standing, last=False)
        for one in among:
            piles[one].append((ballot, value / len(among)))
    return piles


def moved(piles: Piles, leaving: dict[str, Fraction]) -> Piles:
    """Move the pieces of options that leave, each at a share of its value."""
    standing = frozenset(piles) - frozenset(leaving)
    pieces = [
        (ballot, value * share) for one, share in leaving.items() for ballot, value in piles[one]
    ]
    more = dealt(pieces, standing)
    return {one: piles[one] + more[one] for one in standing}


def _naive_stv(
    piles: Piles, standing: Set, free: int, needed: Fraction, elected: Set
) -> Iterator[Set]:
    if len(standing) == free:
        yield elected | standing
        return
    held = {one: sum((value for _, value in piles[one]), Fraction(0)) for one in standing}
    above = {one: 1 - needed / held[one] for one in standing if held[one] >= needed}
    if above:
        if len(above) == free:
            yield elected | frozenset(above)
        else:
            rest = standing - frozenset(above)
            into = elected | frozenset(above)
            yield from _naive_stv(moved(piles, above), rest, free - len(above), needed, into)
        return
    for one in standing:
        if held[one] == min(held.values()):
            left = moved(piles, {one: Fraction(1)})
            yield from _naive_stv(left, standing - {one}, free, needed, elected)


# --- ballots ---------------------------------------------------------------------------------


@cache
def every_ballot(options: str) -> list[Ballot]:
    """Return every ballot: short or not, with equal ranks or without."""
    found: list[Ballot] = []

    def extend(head: Ballot, rest: Set) -> None:
        if head:
            found.append(head)
        for size in range(1, len(rest) + 1):
            for group in combinations(sorted(rest), size):
                extend((*head, group), rest - frozenset(group))

    extend((), frozenset(options))
    return found


def profiles(options: str, most: int) -> st.SearchStrategy[Profile]:
    one = st.sampled_from(every_ballot(options))
    return st.lists(one, min_size=1, max_size=most).map(tuple)


def uneven(options: str, most: int) -> st.SearchStrategy[Profile]:
    """Return ballots some of which are many times cast."""
    one = st.tuples(st.sampled_from(every_ballot(options)), st.sampled_from([1, 1, 1, 2, 4, 9]))
    drawn = st.lists(one, min_size=1, max_size=most)
    return drawn.map(lambda found: tuple(each for each, k in found for _ in range(k)))


def strict(options: str, most: int) -> st.SearchStrategy[tuple[tuple[str, ...], ...]]:
    short = [order for size in range(1, len(options) + 1) for order in permutations(options, size)]
    return st.lists(st.sampled_from(short), min_size=1, max_size=most).map(tuple)


def lists(profile: Profile) -> list[list[list[str]]]:
    return [[list(group) for group in ballot] for ballot in profile]


def election(profile: Profile, options: str, weights: Any = None) -> Election:
    return Election(lists(profile), options=list(options), kind="ranking", weights=weights)


def possible(result: Any) -> Set:
    return frozenset(result.tied) if result.winner is None else frozenset({result.winner})


def check_all(profile: Profile, options: str) -> None:
    every, cast = frozenset(options), election(profile, options)
    assert possible(irv(cast)) == naive_irv(profile, every)
    assert possible(coombs(cast)) == naive_coombs(profile, every, stop=True)
    on = coombs(cast, stop_at_majority=False)
    assert possible(on) == naive_coombs(profile, every, stop=False)


# --- against the naive counts ----------------------------------------------------------------


def test_v6_every_profile_of_two_ballots_on_three_options() -> None:
    ballots = every_ballot("ABC")
    assert len(ballots) == 25
    for size in (1, 2):
        for profile in combinations_with_replacement(ballots, size):
            check_all(profile, "ABC")


@pytest.mark.full
def test_v6_every_profile_of_four_ballots_on_three_options() -> None:
    for size in (3, 4):
        for profile in combinations_with_replacement(every_ballot("ABC"), size):
            check_all(profile, "ABC")


@given(profiles("ABCDE", 9) | uneven("ABCDE", 8))
def test_v6_irv_and_coombs_follow_every_branch(profile: Profile) -> None:
    check_all(profile, "ABCDE")


@given(
    profiles("ABCDE", 9) | uneven("ABCDE", 8),
    st.integers(1, 5),
    st.sampled_from(["droop", "hare"]),
)
def test_v6_stv_follows_every_branch(profile: Profile, seats: int, quota: Any) -> None:
    size = len(profile)
    needed = Fraction(size // (seats + 1) + 1) if quota == "droop" else Fraction(size, seats)
    outcomes = naive_stv(profile, frozenset("ABCDE"), seats, needed)
    result = stv(election(profile, "ABCDE"), seats=seats, quota=quota)
    if len(outcomes) == 1:
        assert isinstance(result, VoteChoice)
        assert {frozenset(result.elected)} == outcomes
        assert len(result.elected) == seats
    else:
        sure = frozenset.intersection(*outcomes)
        assert frozenset(result.tied) == frozenset.union(*outcomes) - sure


@given(profiles("ABCDE", 9), st.integers(1, 5), st.text("0123456789", min_size=1))
def test_g4_a_lot_elects_a_possible_set(profile: Profile, seats: int, seed: str) -> None:
    needed = Fraction(len(profile) // (seats + 1) + 1)
    result = stv(election(profile, "ABCDE"), seats=seats, ties=f"lot:{seed}")
    assert isinstance(result, VoteChoice)
    assert frozenset(result.elected) in naive_stv(profile, frozenset("ABCDE"), seats, needed)


@given(profiles("ABCDE", 9), st.text("0123456789", min_size=1), st.integers(1, 12))
def test_v6_beyond_the_cap_a_lot_still_elects_a_possible_winner(
    profile: Profile, seed: str, cap: int
) -> None:
    cast = election(profile, "ABCDE")
    with mock.patch("comity.mechanisms.voting.universes.MOST_UNIVERSES", cap):
        drawn, left_open = irv(cast, ties=f"lot:{seed}"), irv(cast)
    assert possible(drawn) <= possible(irv(cast)) <= possible(left_open)


# --- laws ------------------------------------------------------------------------------------


def all_of(cast: Election) -> list[Any]:
    return [
        irv(cast),
        coombs(cast),
        coombs(cast, stop_at_majority=False),
        stv(cast, seats=2),
        stv(cast, seats=2, quota="hare"),
    ]


@given(profiles("ABCD", 8).flatmap(lambda one: st.tuples(st.just(one), st.permutations(one))))
def test_g3_the_order_of_ballots_means_nothing(both: tuple[Profile, list[Ballot]]) -> None:
    one, other = (all_of(election(tuple(each), "ABCD")) for each in both)
    assert [result.to_json() for result in one] == [result.to_json() for result in other]


@given(profiles("ABCD", 8), st.permutations("ABCD"))
def test_g4_names_mean_nothing(profile: Profile, names: list[str]) -> None:
    new = dict(zip("ABCD", names, strict=True))
    renamed = tuple(tuple(tuple(new[one] for one in group) for group in each) for each in profile)
    before, after = all_of(election(profile, "ABCD")), all_of(election(renamed, "ABCD"))
    for one, other in zip(before, after, strict=True):
        elected = getattr(one, "elected", ()) or (one.winner,)
        again = getattr(other, "elected", ()) or (other.winner,)
        assert {new.get(name) for name in elected} == set(again)
        assert {new[name] for name in one.tied} == set(other.tied)
        assert one.margin == other.margin
        if other.winner is None:
            assert {new[name]: score for name, score in one.tally.items()} == other.tally


@given(profiles("ABCD", 6), st.data())
def test_g5_a_weight_is_as_many_copies(profile: Profile, data: st.DataObject) -> None:
    size = len(profile)
    weights = data.draw(st.lists(st.integers(1, 4), min_size=size, max_size=size))
    copies = tuple(one for one, k in zip(profile, weights, strict=True) for _ in range(k))
    heavy, many = election(profile, "ABCD", weights), election(copies, "ABCD")
    for one, other in zip(all_of(heavy), all_of(many), strict=True):
        assert one.count.rounds == other.count.rounds
        assert (one.winner, one.tied, one.margin) == (other.winner, other.tied, other.margin)


@given(profiles("ABCD", 8), st.fractions(Fraction(1, 9), 9))
def test_g5_a_common_weight_scales_irv(profile: Profile, weight: Fraction) -> None:
    one = irv(election(profile, "ABCD"))
    other = irv(election(profile, "ABCD", [weight] * len(profile)))
    assert (one.winner, one.tied) == (other.winner, other.tied)
    assert other.tally == {name: share * weight for name, share in one.tally.items()}


@given(strict("ABCD", 8), st.sampled_from("ABCD"))
def test_v3_a_majority_of_first_places_wins(
    orders: tuple[tuple[str, ...], ...], winner: str
) -> None:
    first = [(winner, *(one for one in order if one != winner)) for order in orders]
    profile = tuple(tuple((one,) for one in order) for order in (*orders, *first, (winner,)))
    assert irv(election(profile, "ABCD")).winner == winner
    assert coombs(election(profile, "ABCD")).winner == winner


@given(profiles("ABCDE", 9))
def test_v3_stv_for_one_seat_is_irv(profile: Profile) -> None:
    cast = election(profile, "ABCDE")
    one, other = irv(cast), stv(cast, seats=1)
    assert (one.winner, one.tied) == (other.winner, other.tied)


@given(strict("ABCD", 9), st.data())
def test_v6_irv_is_not_moved_by_clones(
    orders: tuple[tuple[str, ...], ...], data: st.DataObject
) -> None:
    # Each ballot that ranks D ranks its clone E right beside it, in either order.
    cloned: list[Ballot] = []
    for order in orders:
        twins = data.draw(st.sampled_from([("D", "E"), ("E", "D")]))
        ballot: list[tuple[str, ...]] = []
        for one in order:
            ballot += [(each,) for each in twins] if one == "D" else [(one,)]
        cloned.append(tuple(ballot))
    before = possible(
        irv(election(tuple(tuple((one,) for one in each) for each in orders), "ABCD"))
    )
    after = possible(irv(election(tuple(cloned), "ABCDE")))
    assert before - {"D"} == after - {"D", "E"}
    assert ("D" in before) == bool(after & {"D", "E"})


@given(strict("ABCDE", 9), st.integers(1, 4), st.sets(st.sampled_from("ABCDE"), min_size=1))
def test_v3_stv_gives_a_solid_coalition_its_seats(
    orders: tuple[tuple[str, ...], ...], seats: int, coalition: set[str]
) -> None:
    full = [(*order, *(one for one in "ABCDE" if one not in order)) for order in orders]
    profile = tuple(tuple((one,) for one in order) for order in full)
    solid = sum(set(order[: len(coalition)]) == coalition for order in full)
    needed = len(full) // (seats + 1) + 1
    result = stv(election(profile, "ABCDE"), seats=seats, ties="lot:1")
    assert isinstance(result, VoteChoice)
    assert len(coalition & set(result.elected)) >= min(solid // needed, len(coalition), seats)


@given(profiles("ABCD", 9), st.integers(1, 3))
def test_g5_no_vote_is_invented_or_lost(profile: Profile, seats: int) -> None:
    cast = election(profile, "ABCD")
    for result in (irv(cast), coombs(cast)):
        for one in result.count.rounds:
            assert sum(item.value for item in one.tally) + one.exhausted == len(profile)  # type: ignore[operator]  # no Decimal
    result = stv(cast, seats=seats)
    kept = Fraction(0)
    needed = len(profile) // (seats + 1) + 1
    for one in result.count.rounds:
        if one.note.startswith("no more stand"):
            break
        assert sum(Fraction(item.value) for item in one.tally) + one.exhausted + kept == len(
            profile
        )
        kept += needed * len(one.out) if one.note.startswith("quota") else 0


@given(profiles("ABCDE", 9), st.one_of(st.none(), st.integers(1, 5)))
def test_g3_arrays_count_as_plain_python_does(profile: Profile, weight: int | None) -> None:
    weights = None if weight is None else [weight + at % 2 for at in range(len(profile))]
    plain = [result.to_json() for result in all_of(election(profile, "ABCDE", weights))]
    if numpy_or_none() is None:
        pytest.skip("numpy: not installed")
    with mock.patch("comity.mechanisms.voting.profile._MANY", 0):
        cast = election(profile, "ABCDE", weights)
        assert not isinstance(cast.profile().columns, list)
        assert [result.to_json() for result in all_of(cast)] == plain
