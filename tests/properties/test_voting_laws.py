"""Voting laws: what holds for every rule, whoever votes, whatever the options are called?

Here: anonymity, neutrality, weights as copies, the round trip, reversal, unanimity, Condorcet
consistency, digests, numpy against plain Python, fair lots, hash seeds; for every rule by name.
Not here: single cases (unit tests), the definitions (tests/oracles/test_voting_twins.py).
Sources: SEMANTICS V1, V3, V6, G1, G3, G4, G5; research on voting, "property tests to require".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from importlib.util import find_spec
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.voting import RULES, Election, VoteNoDecision, VoteNoQuorum, reading
from comity.mechanisms.voting import election as election_module
from comity.mechanisms.voting import profile as profile_module

IS_FULL = os.environ.get("COMITY_FULL") == "1"

# --- every rule with its ballots -------------------------------------------------------------


def nothing(names: list[str]) -> dict[str, Any]:
    return {}


class Setup(NamedTuple):
    """How a rule is called: its kind of ballot, and its parameters for options of given names."""

    kind: str
    parameters: Callable[[list[str]], dict[str, Any]] = nothing
    is_condorcet: bool = False
    has_default: bool = False  # an option that is not like the others


SETUPS: dict[str, Setup] = {
    "approval": Setup("approval"),
    "borda": Setup("ranking", lambda names: {"unranked": "last"}),
    "condorcet": Setup("ranking", is_condorcet=True),
    "coombs": Setup("ranking"),
    "copeland": Setup("ranking", is_condorcet=True),
    "debian": Setup("ranking", lambda names: {"default": names[0]}, has_default=True),
    "irv": Setup("ranking"),
    "kemeny": Setup("ranking", is_condorcet=True),
    "majority": Setup("choice"),
    "minimax": Setup("ranking", is_condorcet=True),
    "plurality": Setup("ranking"),
    "ranked_pairs": Setup("ranking", is_condorcet=True),
    "schulze": Setup("ranking", is_condorcet=True),
    "score": Setup("score"),
    "star": Setup("score"),
    "stv": Setup("ranking", lambda names: {"seats": 1}),
    "supermajority": Setup(
        "ranking",
        lambda names: {"default_option": names[0], "ratios": {names[-1]: 2}},
        has_default=True,
    ),
}
every_rule = pytest.mark.parametrize("rule", sorted(SETUPS))


def test_v3_every_rule_is_held_to_the_laws() -> None:
    assert set(SETUPS) == set(RULES)


# --- ballots by the numbers of options, so that names can change -----------------------------

NAMES = ["b", "A", "é", "a", "B2", "10", "9"]
GRADES = [0, 1, 2, 5, -1, 0.1, 0.2, 0.3, "1/3"]


class Votes(NamedTuple):
    """How many options, and ballots that name them by number."""

    size: int
    ballots: tuple[Any, ...]


def rankings(left: tuple[int, ...]) -> list[list[list[int]]]:
    """Return every way to rank some of the options, equals together; the empty one too."""
    return [[]] + [
        [list(first), *rest]
        for many in range(1, len(left) + 1)
        for first in combinations(left, many)
        for rest in rankings(tuple(at for at in left if at not in first))
    ]


@cache
def ballots_of(kind: str, size: int) -> st.SearchStrategy[Any]:
    numbers = range(size)
    if kind == "score":
        grade = st.none() | st.sampled_from(GRADES)
        return st.tuples(*[grade] * size).map(scores)
    every: dict[str, list[Any]] = {
        "ranking": [ranking for ranking in rankings(tuple(numbers)) if ranking],
        "choice": list(numbers),
        "approval": [
            set(some) for many in range(size + 1) for some in combinations(numbers, many)
        ],
    }
    return st.sampled_from([*every[kind], None])


def scores(grades: tuple[Any, ...]) -> dict[int, Any] | None:
    return {at: grade for at, grade in enumerate(grades) if grade is not None} or None


@cache
def votes(kind: str, least: int = 1, most: int = 5) -> st.SearchStrategy[Votes]:
    return st.one_of(
        st.lists(ballots_of(kind, size), min_size=1, max_size=7).map(partial(of_size, size))
        for size in range(least, most + 1)
    )


def of_size(size: int, ballots: list[Any]) -> Votes:
    return Votes(size, tuple(ballots))


def named(kind: str, ballot: Any, names: list[str]) -> Any:
    """Return a ballot with names for numbers."""
    if ballot is None:
        return None
    if kind == "ranking":
        return [[names[at] for at in group] for group in ballot]
    if kind == "score":
        return {names[at]: value for at, value in ballot.items()}
    return {names[at] for at in ballot} if kind == "approval" else names[ballot]


def election(kind: str, cast: Votes, names: list[str], **more: Any) -> Election:
    ballots = [named(kind, ballot, names) for ballot in cast.ballots]
    return Election(ballots, options=names[: cast.size], kind=kind, **more)  # type: ignore[arg-type]


def count(rule: str, asked: Election, names: list[str], **more: Any) -> Any:
    return RULES[rule](asked, **SETUPS[rule].parameters(names), **more)


def outcome(result: Any, back: dict[str, str] | None = None) -> tuple[Any, ...]:
    """Return what a result says, with names changed back, in no order."""
    names = back or {name: name for name in result.count.election.options}

    def plain(one: str | None) -> str | None:
        return names.get(one, one) if one is not None else None

    return (
        result.kind,
        plain(result.winner),
        {names[name] for name in result.tied},
        {names[name]: value for name, value in result.tally.items()},
        result.margin,
        getattr(result, "reason", None),
        [{names[name] for name in place} for place in result.count.ranking],
        result.count.flags,
    )


# --- laws ------------------------------------------------------------------------------------


@every_rule
@given(data=st.data())
def test_g3_anonymity_the_order_of_ballots_and_options_changes_nothing(
    rule: str, data: st.DataObject
) -> None:
    kind = SETUPS[rule].kind
    cast = data.draw(votes(kind))
    names = NAMES[: cast.size]
    mixed = Votes(cast.size, tuple(data.draw(st.permutations(cast.ballots))))
    one = count(rule, election(kind, cast, names), names)
    ballots = [named(kind, ballot, names) for ballot in mixed.ballots]
    turned = Election(ballots, options=data.draw(st.permutations(names)), kind=kind)  # type: ignore[arg-type]
    assert canonical(count(rule, turned, names).to_json()) == canonical(one.to_json())
    assert turned.digest == one.grounds.inputs_digest


@every_rule
@given(data=st.data())
def test_g4_neutrality_names_and_places_elect_nobody(rule: str, data: st.DataObject) -> None:
    kind = SETUPS[rule].kind
    cast = data.draw(votes(kind, least=2))
    names = NAMES[: cast.size]
    others = data.draw(st.permutations(NAMES))[: cast.size]
    back = dict(zip(others, names, strict=True))
    one = count(rule, election(kind, cast, names), names)
    other = count(rule, election(kind, cast, others), others)
    assert outcome(other, back) == outcome(one)


@every_rule
@given(data=st.data())
def test_g5_weight_k_is_k_copies(rule: str, data: st.DataObject) -> None:
    kind = SETUPS[rule].kind
    cast = data.draw(votes(kind))
    names = NAMES[: cast.size]
    copies = data.draw(
        st.lists(st.integers(1, 4), min_size=len(cast.ballots), max_size=len(cast.ballots))
    )
    weighed = election(kind, cast, names, weights=copies)
    written_out = Votes(
        cast.size,
        tuple(one for one, k in zip(cast.ballots, copies, strict=True) for _ in range(k)),
    )
    assert outcome(count(rule, weighed, names)) == outcome(
        count(rule, election(kind, written_out, names), names)
    )
    third = election(kind, cast, names, weights=[Fraction(k, 3) for k in copies])
    least = count(rule, third, names)
    assert (least.winner, least.tied) == outcome_of(count(rule, weighed, names))
    pairs = [(named(kind, one, names), k) for one, k in zip(cast.ballots, copies, strict=True)]
    counted = Election.of_counts(pairs, options=names, kind=kind)  # type: ignore[arg-type]
    assert counted == election(kind, written_out, names)


def outcome_of(result: Any) -> tuple[Any, Any]:
    return result.winner, result.tied


@every_rule
@given(data=st.data())
def test_g1_a_result_comes_back_from_json(rule: str, data: st.DataObject) -> None:
    kind = SETUPS[rule].kind
    cast = data.draw(votes(kind))
    names = NAMES[: cast.size]
    weights = data.draw(
        st.none()
        | st.lists(
            st.sampled_from([1, 0.1, "1/3", 5]),
            min_size=len(cast.ballots),
            max_size=len(cast.ballots),
        )
    )
    ties = data.draw(st.sampled_from(["none", "lot:7", "ballot_hash", "human"]))
    asked = election(kind, cast, names, weights=weights)
    result = count(rule, asked, names, ties=ties)
    again = result_from_json(json.loads(json.dumps(result.to_json())))
    assert again == result
    assert outcome(again) == outcome(result)
    assert Election.from_json(asked.to_json()).digest == asked.digest


@pytest.mark.parametrize("rule", sorted(set(SETUPS) - {"debian", "supermajority"}))
@given(data=st.data())
def test_g4_a_vote_on_two_options_turned_round_elects_the_other(
    rule: str, data: st.DataObject
) -> None:
    kind = SETUPS[rule].kind
    cast = data.draw(votes(kind, least=2, most=2))
    names = NAMES[:2]
    turned = Votes(2, tuple(reversed_(kind, ballot) for ballot in cast.ballots))
    one = count(rule, election(kind, cast, names), names)
    other = count(rule, election(kind, turned, names), names)
    swapped = {names[0]: names[1], names[1]: names[0], None: None}
    assert other.kind == one.kind
    assert other.winner == swapped[one.winner]
    assert other.tied == one.tied
    assert other.margin == one.margin


def reversed_(kind: str, ballot: Any) -> Any:
    """Return the ballot that says the opposite of two options."""
    if ballot is None:
        return None
    if kind == "ranking":
        return [[1 - at for at in group] for group in ballot]
    if kind == "score":
        return {1 - at: value for at, value in ballot.items()}
    return {1 - at for at in ballot} if kind == "approval" else 1 - ballot


@every_rule
@given(data=st.data())
def test_v3_unanimity_what_all_put_first_wins(rule: str, data: st.DataObject) -> None:
    kind = SETUPS[rule].kind
    cast = data.draw(votes(kind, least=2))
    names = NAMES[: cast.size]
    first = data.draw(st.integers(0, cast.size - 1))
    ballots = tuple(raised(kind, ballot, first) for ballot in cast.ballots)
    assume(any(ballot is not None for ballot in ballots))
    result = count(rule, election(kind, Votes(cast.size, ballots), names), names)
    if rule == "majority" and any(ballot is None for ballot in ballots):
        return  # an abstention stays in the base: half of the votes may be silent
    assert result.winner == names[first]
    assert result.count.flags == ()


def raised(kind: str, ballot: Any, first: int) -> Any:
    """Return the ballot with one option alone on top."""
    if ballot is None:
        return None
    if kind == "ranking":
        below = [[at for at in group if at != first] for group in ballot]
        return [[first], *filter(None, below)]
    if kind == "score":
        return {**ballot, first: 9}
    return {first} if kind == "approval" else first


@pytest.mark.parametrize("rule", sorted(name for name, one in SETUPS.items() if one.is_condorcet))
@given(data=st.data())
def test_v3_the_condorcet_winner_wins_where_that_is_claimed(
    rule: str, data: st.DataObject
) -> None:
    cast = data.draw(votes("ranking", least=2))
    names = NAMES[: cast.size]
    asked = election("ranking", cast, names)
    matrix, options = asked.pairwise(), asked.options
    beats_all = [
        options[i]
        for i, mine in enumerate(matrix)
        if all(votes_ > matrix[j][i] for j, votes_ in enumerate(mine) if j != i)
    ]
    result = count(rule, asked, names)
    if beats_all:
        assert [result.winner] == beats_all
        assert "condorcet_loser" not in result.count.flags
    elif rule == "condorcet":
        assert result.winner is None


@every_rule
@pytest.mark.parametrize("size", [2, 3, 4])
def test_g4_where_nothing_tells_options_apart_all_are_tied(rule: str, size: int) -> None:
    """Every order of the options once, or the same for the other kinds of ballot."""
    kind = SETUPS[rule].kind
    orders = list(permutations(range(size)))
    ballots: dict[str, list[Any]] = {
        "ranking": [[[at] for at in order] for order in orders],
        "score": [dict(zip(order, range(size), strict=True)) for order in orders],
        "approval": [{at} for at in range(size)],
        "choice": list(range(size)),
    }
    names = NAMES[:size]
    result = count(rule, election(kind, Votes(size, tuple(ballots[kind])), names), names)
    if SETUPS[rule].has_default:
        assert result.winner == names[0]  # nothing beats the default option
        return
    if rule == "majority":
        assert result.winner is None
        return
    assert isinstance(result, VoteNoDecision)
    assert result.tied == tuple(sorted(names))


@every_rule
@given(data=st.data())
def test_v2_no_ballot_and_no_weight_elect_nobody(rule: str, data: st.DataObject) -> None:
    kind = SETUPS[rule].kind
    size = data.draw(st.integers(1, 3))
    names = NAMES[:size]
    silent = Votes(size, (None,) * data.draw(st.integers(0, 3)))
    assert isinstance(count(rule, election(kind, silent, names), names), VoteNoQuorum)
    cast = data.draw(votes(kind, most=3))
    names = NAMES[: cast.size]
    weightless = election(kind, cast, names, weights=[0] * len(cast.ballots))
    try:
        result = count(rule, weightless, names)
    except InvalidInput as error:
        assert "add up to 0" in str(error)  # noqa: PT017  # either answer is right
    else:
        assert isinstance(result, VoteNoQuorum)


@every_rule
@pytest.mark.parametrize("kind", ["approval", "choice", "ranking", "score"])
@given(data=st.data())
def test_v1_every_kind_of_ballot_is_counted_or_refused(
    rule: str, kind: str, data: st.DataObject
) -> None:
    cast = data.draw(votes(kind))
    names = NAMES[: cast.size]
    asked = election(kind, cast, names)
    try:
        result = count(rule, asked, names)
    except InvalidInput as error:
        told = str(error)
        assert f"{rule}: cannot count {kind} ballots" in told  # either is right
        assert kind != SETUPS[rule].kind
    else:
        assert result_from_json(json.loads(json.dumps(result.to_json()))) == result


@every_rule
@given(data=st.data())
def test_g3_numpy_and_plain_python_say_the_same(rule: str, data: st.DataObject) -> None:
    if find_spec("numpy") is None:
        pytest.skip("numpy: not installed here")
    kind = SETUPS[rule].kind
    cast = data.draw(votes(kind))
    names = NAMES[: cast.size]
    weights = data.draw(
        st.none()
        | st.lists(
            st.sampled_from([1, 2, "1/3"]),
            min_size=len(cast.ballots),
            max_size=len(cast.ballots),
        )
    )
    with mock.patch.object(profile_module, "numpy_or_none", return_value=None):
        plain = count(rule, election(kind, cast, names, weights=weights), names)
    with mock.patch.object(profile_module, "_MANY", 0):
        fast = count(rule, election(kind, cast, names, weights=weights), names)
        assert not isinstance(fast.count.election.profile().columns, list) or not cast.ballots
    assert canonical(fast.to_json()) == canonical(plain.to_json())


@given(
    orders=st.integers(1, 6).flatmap(
        lambda size: st.lists(st.permutations(range(size)), min_size=1)
    ),
    missing=st.booleans(),
)
def test_g3_rankings_read_as_arrays_are_the_same_election(
    orders: list[list[int]], missing: bool
) -> None:
    names = NAMES[: len(orders[0])]
    if missing:
        orders = [order[: len(order) // 2 + at % 2] for at, order in enumerate(orders)]
    ballots = [[names[at] for at in order] for order in orders]
    plain = Election(ballots, options=names, kind="ranking")
    ranks = [
        [order.index(at) if at in order else -1 for at in range(len(names))] for order in orders
    ]
    with mock.patch.object(reading, "ENOUGH", 0), mock.patch.object(election_module, "ENOUGH", 0):
        arrays = [
            Election(ballots, options=names, kind="ranking"),
            Election.from_orders(orders, names),
            Election.from_ranks(ranks, names),
        ]
    for one in arrays:
        assert (one.digest, one.pairwise(), one.size) == (
            plain.digest,
            plain.pairwise(),
            plain.size,
        )
        assert one.to_json() == plain.to_json()
        for rule in ("schulze", "irv"):
            assert canonical(RULES[rule](one).to_json()) == canonical(RULES[rule](plain).to_json())


# --- lots ------------------------------------------------------------------------------------

# The value that chi-square exceeds with a chance of 0.001, by its degrees of freedom.
CHI_SQUARE = {1: 10.828, 2: 13.816, 3: 16.266, 4: 18.467}


def fair(size: int, seeds: int) -> None:
    names = NAMES[:size]
    drawn = Counter(RULES["plurality"](names, ties=f"lot:{seed}").winner for seed in range(seeds))
    assert set(drawn) == set(names)
    expected = seeds / size
    found = sum((times - expected) ** 2 / expected for times in drawn.values())
    assert found < CHI_SQUARE[size - 1]


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_g4_lots_are_fair(size: int) -> None:
    fair(size, 1_000)


@pytest.mark.full
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_g4_lots_are_fair_over_ten_thousand_seeds(size: int) -> None:
    fair(size, 10_000)


# --- hash seeds ------------------------------------------------------------------------------

EVERY_RULE = """
import json, sys
from comity.core.canonical import canonical
from comity.mechanisms.voting import RULES, Election

names = ["b", "A", "é", "a"]
casts = {
    "ranking": [["b", ["A", "a"]], ["a", "é"], [{"é", "A", "b"}], ["A", "b", "é", "a"]],
    "score": [{"b": 1, "A": 0.1}, {"é": "1/3", "a": 1, "b": 0}, {"A": 1}],
    "approval": [{"b", "A", "a"}, {"a", "é"}, {"b", "é", "A"}],
    "choice": ["b", "A", "é", "A", "b"],
}
for rule, (kind, parameters) in sorted(json.loads(sys.argv[1]).items()):
    for ties in ("none", "lot:7", "ballot_hash"):
        election = Election(casts[kind], options=set(names), kind=kind)
        print(rule, canonical(RULES[rule](election, ties=ties, **parameters).to_json()))
"""


def test_g3_the_hash_seed_of_the_process_changes_nothing() -> None:
    names = ["b", "A", "é", "a"]
    asked = {rule: (one.kind, one.parameters(names)) for rule, one in SETUPS.items()}
    source = str(Path(__file__).resolve().parent.parent.parent / "src")
    printed = set()
    for seed in range(4):
        done = subprocess.run(
            [sys.executable, "-c", EVERY_RULE, json.dumps(asked)],
            env={
                **os.environ,
                "PYTHONHASHSEED": str(seed),
                "PYTHONPATH": source,
                "PYTHONIOENCODING": "utf-8",
            },
            capture_output=True,
            encoding="utf-8",
            check=True,
        )
        printed.add(done.stdout)
    assert len(printed) == 1
    assert printed.pop().count("\n") == 3 * len(SETUPS)
