"""Election: is what was handed in kept whole, in one order, and does it come back from JSON?

Here: building, members who are silent, denominators, digests, JSON (V1, G1, G3, G4, G5, G7).
Not here: each fault of an input (test_reading.py), the rules.
Sources: SEMANTICS V1, G1, G3, G4, G5, G7.
"""

from __future__ import annotations

import copy
import json
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.parties import Party
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.reading import Invalid, Line

WEIGHED = [Party("ann", 2), Party("bob", Fraction(1, 2)), "eve", Party("dan", Decimal("0.25"))]

ELECTIONS: dict[str, Election] = {
    "nothing": Election([]),
    "choice": Election(["A", "B", "A", None]),
    "declared": Election(["A"], options=["A", "B", "abstain"]),
    "abstain declared": Election(["abstain", "A"], options=["A", "abstain"]),
    "named": Election({"ann": "A", "bob": "B", "eve": None}),
    "weights": Election(["A", "B", "A", None], weights=["1/3", 2, 0.5, "0.1"]),
    "weights by name": Election({"ann": "A", "bob": None}, weights={"bob": 3, "ann": "1/2"}),
    "roster": Election({"ann": "A", "bob": "X", "zoe": "A"}, options=["A", "B"], roster=WEIGHED,
                       invalid="keep"),
    "kept": Election(["A", "X", 7], options=["A", "B"], invalid="keep"),
    "kept with weights": Election(["A", "X"], options=["A", "B"], weights=[1, "1/3"],
                                  invalid="keep"),
    "rankings": Election([["A", ["B", "C"]], ["C"], [["A", "B", "C"]], []]),
    "scores": Election([{"A": 0.1, "B": "-1/3"}, {"A": 5}, {}]),
    "approvals": Election([{"A", "B"}, set(), None], options=["A", "B", "C"]),
    "yes or no": Election(["yes", False, "veto", None, True]),
    "counts": Election.of_counts([(["A", "B"], 10**20), ([["A", "B"]], 3)], weight="1/7"),
}  # fmt: skip


# --- building --------------------------------------------------------------------------------


@pytest.mark.parametrize("ballots", ["AB", b"AB", 3, None])
def test_g7_ballots_come_in_a_list_or_by_voter(ballots: Any) -> None:
    with pytest.raises(InvalidInput, match="Allowed: a list, or voter -> ballot"):
        Election(ballots)


def test_v1_any_iterable_of_ballots() -> None:
    assert Election(iter(["A", "B"])) == Election(("B", "A"))


def test_v1_an_election_looks_as_it_was_declared() -> None:
    found = Election(["A"], options=["B", "A"])
    assert (found.options, found.declared, found.kind) == (("A", "B"), True, "choice")
    assert Election(["A"]).declared is False
    assert repr(found) == "Election(kind='choice', options=('A', 'B'), size=1)"


def test_v1_faults_refuse_the_whole_election_and_keep_keeps_them_apart() -> None:
    ballots = [["A", "B"], ["A", "A"], ["X"]]
    with pytest.raises(InvalidInput) as caught:
        Election(ballots, options=["A", "B"], kind="ranking")
    assert len(caught.value.faults) == 2
    kept = Election(ballots, options=["A", "B"], invalid="keep")
    assert [one.reason for one in kept.invalid] == [
        "names 'A' twice",
        "names the unknown option 'X'",
    ]
    assert (kept.size, kept.weight, kept.invalid_weight, kept.options) == (1, 1, 2, ("A", "B"))


def test_v1_an_unknown_word_for_what_happens_to_invalid_ballots_is_refused() -> None:
    with pytest.raises(InvalidInput, match="keep"):
        Election(["A", "X"], options=["A"], invalid="drop")  # type: ignore[arg-type]


def test_v1_a_plain_yes_is_a_choice_where_other_options_are_declared() -> None:
    found = Election(["yes", "no"], options=["yes", "no", "later"])
    assert (found.kind, found.options) == ("choice", ("later", "no", "yes"))


def test_v1_an_abstention_does_not_change_what_a_yes_no_vote_is() -> None:
    found = Election(["yes", "no", "abstain"])
    assert (found.kind, found.size, len(found.abstentions)) == ("yes_no", 2, 1)


def test_v1_four_ways_not_to_count_are_kept_apart() -> None:
    found = Election(
        {"ann": "A", "bob": None, "eve": "X", "zoe": "A"},
        options=["A", "B"],
        roster=WEIGHED,
        invalid="keep",
    )
    assert found.scale == 4
    assert found.exact(found.weight) == 2
    assert found.exact(found.abstained_weight) == Fraction(1, 2)
    assert found.exact(found.invalid_weight) == 1
    assert found.exact(found.absent_weight) == Fraction(1, 4)
    assert found.absent == ("dan",)
    assert [(one.voter, one.weight) for one in found.invalid] == [("eve", 1), ("zoe", 0)]
    assert [line.voter for line in found.abstentions] == ["bob"]


def test_v1_nobody_is_absent_without_a_roster() -> None:
    found = Election({"ann": "A"})
    assert (found.absent, found.absent_weight, found.roster) == ((), 0, None)


@pytest.mark.parametrize(
    ("ballots", "named"), [([], False), (["A"], False), ({"a": "A"}, True), ({"a": None}, True)]
)
def test_v1_whether_ballots_bear_names(ballots: Any, named: bool) -> None:
    assert Election(ballots, options=["A"]).is_named is named


@pytest.mark.parametrize("count", [-1, 1.0, True, "3", None])
def test_g5_a_count_is_a_whole_number(count: Any) -> None:
    with pytest.raises(InvalidInput, match=r"^ballot 2: has the count"):
        Election.of_counts([("A", 1), ("B", count)])


def test_v1_counts_are_copies() -> None:
    counted = Election.of_counts([("A", 2), ("B", 0), ("A", 1)], options=["A", "B"])
    assert counted == Election(["A"] * 3, options=["A", "B"])
    assert counted.digest == Election(["A"] * 3, options=["A", "B"]).digest
    halves = Election.of_counts([("A", 3)], weight="1/2")
    assert (halves.weight, halves.scale, halves.exact(halves.weight)) == (3, 2, Fraction(3, 2))
    assert Election.of_counts([]).size == 0


def test_v1_the_same_election_with_other_ballots() -> None:
    named = Election({"ann": "A", "bob": "B"}, roster=["ann", "bob", "eve"])
    without = named.with_lines(named.lines[:1])
    assert (without.absent, without.size, without.roster) == (("bob", "eve"), 1, named.roster)
    plain = Election(["A", "B", "B"])
    assert plain.with_lines(reversed(plain.lines)) == plain
    silent = plain.with_lines(plain.lines, [Line(None, 1, 1), Line(None, 1, 2)])
    assert silent.abstentions == (Line(None, 1, 3),)
    assert plain.abstentions == ()


# --- exact numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations([0.1, 0.2, 0.3])))
def test_g5_a_tenth_and_two_and_three_tenths_are_six_in_every_order(order: Any) -> None:
    found = Election(["A", "A", "A", "B"], weights=[*order, 0.6])
    assert [found.exact(one) for row in found.pairwise() for one in row if one] == [
        Fraction(3, 5),
        Fraction(3, 5),
    ]


def test_g5_units_are_votes_where_all_weights_are_whole() -> None:
    assert Election(["A"], weights=[3]).exact(3) == 3
    assert type(Election(["A"], weights=["3/2"]).exact(6)) is int


# --- ranks -----------------------------------------------------------------------------------

OUT = 255


@pytest.mark.parametrize(
    ("kind", "ballot", "ranks"),
    [
        ("ranking", ["B", ["A"]], [1, 0, OUT]),
        ("choice", "B", [OUT, 0, OUT]),
        ("approval", {"A", "C"}, [0, OUT, 0]),
        ("approval", set(), [OUT, OUT, OUT]),
        ("score", {"A": 1, "B": "1/2", "C": 1}, [0, 1, 0]),
        ("score", {"B": -3}, [OUT, 0, OUT]),
    ],
)
def test_v3_every_ballot_ranks(kind: Any, ballot: Any, ranks: list[int]) -> None:
    found = Election([ballot], options=["A", "B", "C"], kind=kind)
    assert list(found.ranks_of(found.lines[0])) == ranks
    assert [column[0] for column in found.profile().columns] == ranks


def test_v3_pairs_are_counted_once_and_kept() -> None:
    found = Election([["A"], ["B", "A"]], options=["A", "B", "C"])
    assert found.pairwise() == ((0, 1, 2), (1, 0, 1), (0, 0, 0))
    assert found.pairwise() is found.pairwise()
    assert found.pairwise(no_opinion=True) == ((0, 0, 0), (1, 0, 0), (0, 0, 0))
    assert found.profile() is found.profile()


# --- digests and equality --------------------------------------------------------------------


@pytest.mark.parametrize("name", ELECTIONS)
def test_g1_an_election_comes_back_from_json_equal_in_everything(name: str) -> None:
    one = ELECTIONS[name]
    again = Election.from_json(json.loads(json.dumps(one.to_json())))
    assert again == one
    assert again.to_json() == one.to_json()
    assert (again.digest, hash(again)) == (one.digest, hash(one))
    for look in ("options", "kind", "absent", "invalid", "abstentions", "lines", "scale",
                 "weight", "invalid_weight", "absent_weight", "abstained_weight", "declared",
                 "roster"):  # fmt: skip
        assert getattr(again, look) == getattr(one, look), look


def test_g1_elections_that_differ_are_not_equal_and_have_other_digests() -> None:
    assert len({one.digest for one in ELECTIONS.values()}) == len(ELECTIONS)
    assert len(set(ELECTIONS.values())) == len(ELECTIONS)
    assert ELECTIONS["choice"] != "choice"


def test_g1_a_digest_tells_apart_what_only_looks_alike() -> None:
    """Names may hold any character, also one that a digest might put between them."""
    one = Election(["a"], options=["a", "b"])
    other = Election(["a\x1fb"], options=["a\x1fb"])
    assert one.digest != other.digest
    assert Election({"ann": "A"}).digest != Election({"bob": "A"}).digest
    assert Election(["A"]).digest != Election(["A"], weights=["1/2"]).digest


@pytest.mark.parametrize(
    "ballots",
    [
        [["A", "B"], ["B"], [["A", "B"]], None],
        [{"A": 1}, {"B": "1/2"}, {"A": 1}, {}],
        ["A", "B", None, "B"],
        [["A"], ["X"], ["B", "B"], ["A"]],
    ],
)
def test_g4_a_digest_does_not_depend_on_the_order_of_ballots_or_options(
    ballots: list[Any],
) -> None:
    digests = {
        Election(order, options=options, invalid="keep").digest
        for order in permutations(ballots)
        for options in (["A", "B"], ["B", "A"])
    }
    assert len(digests) == 1


def test_g4_a_digest_does_not_depend_on_the_order_of_voters() -> None:
    cast = {"ann": "A", "bob": "B", "eve": None, "dan": "X"}
    digests = {
        Election(dict(order), options=["A", "B"], roster=roster, invalid="keep").digest
        for order in permutations(cast.items())
        for roster in (WEIGHED, WEIGHED[::-1])
    }
    assert len(digests) == 1


@pytest.mark.parametrize("one", [1, 1.0, "1", Fraction(1), Decimal("1.00")])
def test_g5_a_digest_does_not_depend_on_how_a_number_was_written(one: object) -> None:
    plain, written = {"A": 1, "B": 2}, {"B": 2, "A": one}
    assert Election([written]).digest == Election([plain]).digest
    assert Election({"ann": written}).digest == Election({"ann": plain}).digest
    assert Election([plain, written]).to_json() == Election([written, plain]).to_json()
    weighed = Election(["A", "B"], weights=[one, 2])
    assert weighed.digest == Election(["A", "B"], weights=[1, 2]).digest


def test_g1_names_that_no_encoding_knows_have_a_digest() -> None:
    assert len(Election(["\ud800"], options=["\ud800", "B"]).digest) == 64


# --- reading back ----------------------------------------------------------------------------

WRITTEN = ELECTIONS["choice"].to_json()


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "election",
        {},
        {**WRITTEN, "ballots": 3},
        {**WRITTEN, "ballots": [1]},
        {**WRITTEN, "ballots": [{"ballot": "A"}, {"ballot": "A", "voter": "ann"}]},
        {**WRITTEN, "ballots": [{"ballot": "X"}]},
        {**WRITTEN, "ballots": [{"ballot": "A", "weight": "much"}]},
        {**WRITTEN, "kind": "guess"},
        {**WRITTEN, "options": "AB"},
        {**WRITTEN, "invalid": [{"voter": "ann"}]},
        {**WRITTEN, "invalid": [{"voter": "ann", "reason": "r", "weight": "nan"}]},
        {**WRITTEN, "roster": [["ann"]]},
        {**WRITTEN, "roster": [["ann", True]]},
        {**WRITTEN, "roster": []},
        {name: item for name, item in WRITTEN.items() if name != "declared"},
    ],
)
def test_g7_what_no_election_wrote_is_refused(data: Any) -> None:
    before = copy.deepcopy(data)
    with pytest.raises(InvalidInput):
        Election.from_json(data)
    assert data == before


@pytest.mark.parametrize("count", [-3, 1.5, True, "2", 0])
def test_g5_a_count_in_a_document_is_a_whole_number(count: Any) -> None:
    with pytest.raises(InvalidInput):
        Election.from_json({**WRITTEN, "ballots": [{"ballot": "A", "count": count}]})


def test_v1_a_document_gives_each_voter_one_ballot() -> None:
    twice = [{"ballot": "A", "voter": "ann"}, {"ballot": "A", "voter": "ann"}]
    with pytest.raises(InvalidInput):
        Election.from_json({**WRITTEN, "ballots": twice})
    with pytest.raises(InvalidInput):
        Election.from_json({**WRITTEN, "ballots": [{"ballot": "A", "voter": "ann", "count": 2}]})


def test_v1_an_invalid_ballot_comes_back_with_its_reason() -> None:
    again = Election.from_json(ELECTIONS["roster"].to_json())
    assert again.invalid == (
        Invalid("bob", "names the unknown option 'X'", Fraction(1, 2)),
        Invalid("zoe", "comes from no member of the roster", 0),
    )
    assert again.absent == ("dan", "eve")
