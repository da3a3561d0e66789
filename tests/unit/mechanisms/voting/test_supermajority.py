"""Supermajority: the filter before the count, in exact numbers (V3, V10)."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.beatpaths import schulze
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.supermajority import drop_below, supermajority

Pick = Callable[[str], Path]


def of(over: int, under: int) -> Election:
    return Election.of_counts([(["A", "D"], over), (["D", "A"], under)], options=["A", "D"])


@pytest.mark.parametrize(
    ("over", "under", "ratio", "stays"),
    [
        (2, 1, 1, True),
        (1, 1, 1, False),
        (3, 1, 3, True),
        (29, 10, 3, False),
        (30, 10, "3", True),
        (5, 0, 3, True),
        (0, 0, 1, False),
        (3, 2, Fraction(3, 2), True),
        (3, 2, "1.6", False),
    ],
)
def test_v3_an_option_needs_its_ratio_and_more_than_the_default(
    over: int, under: int, ratio: object, *, stays: bool
) -> None:
    kept, dropped = drop_below(of(over, under), "D", {"A": ratio})
    assert ("A" in kept) is stays
    assert bool(dropped) is not stays


def test_a_quorum_is_reached_by_that_many_and_its_square_is_exact() -> None:
    assert drop_below(of(5, 1), "D", {}, 5)[0] == ("A", "D")
    assert drop_below(of(5, 1), "D", {}, "5.01") == (
        ("D",),
        (("A", "quorum: 5 above D, 5.01 needed"),),
    )
    assert drop_below(of(5, 1), "D", {}, quorum_squared=25)[0] == ("A", "D")
    _, dropped = drop_below(of(5, 6), "D", {}, quorum_squared=26)
    assert [reason.split(":")[0] for _, reason in dropped] == ["quorum", "majority"]
    assert dropped[0][1] == "quorum: 5 above D, the root of 26 needed"


def test_weights_are_votes_for_the_quorum_too() -> None:
    election = Election([["A", "D"], ["D", "A"]], weights=["3/2", "1/2"])
    assert drop_below(election, "D", {"A": 3}, "1.5")[0] == ("A", "D")


def test_g7_every_fault_comes_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        drop_below(of(1, 1), "X", {"Y": 2, "A": "1/2"}, -1, quorum_squared=float("nan"))
    assert [one.whose for one in caught.value.faults] == [
        "default option",
        "ratio",
        "ratio of A",
        "quorum",
        "quorum",
    ]


def test_v3_the_filter_comes_before_the_count() -> None:
    ballots = [["A", "B", "D"]] * 5 + [["B", "D", "A"]] * 2
    result = supermajority(ballots, ratios={"A": 3}, default_option="D", then="plurality")
    assert result.winner == "B"
    assert result.count.dropped == (("A", "majority: 5 to 2 against D, 3:1 needed"),)
    assert result.count.election.options == ("A", "B", "D")
    assert result.grounds.rule == "supermajority"
    assert result.grounds.inputs_digest == Election(ballots).digest
    assert ("then", "plurality") in result.grounds.parameters
    free = supermajority(ballots, ratios={}, default_option="D", then="plurality")
    assert free.winner == "A"


def test_a_ballot_of_dropped_options_alone_says_nothing_to_the_count() -> None:
    ballots = {"ann": [["A", "B"]], "bob": ["D"], "cyd": ["D", "B"], "dan": None}
    result = supermajority(
        Election(ballots, weights=dict.fromkeys(ballots, "1/2")),
        ratios={"A": 1, "B": 2},
        default_option="D",
        then="plurality",
    )
    assert result.winner == "D"
    assert result.tally == {"D": 1}


def test_zero_ballots_are_no_quorum() -> None:
    empty = Election([], options=["A", "D"], kind="ranking")
    assert supermajority(empty, ratios={}, default_option="D").kind == "no_quorum"


def test_v10_the_dropped_options_of_forty_debian_votes(need_data: Pick) -> None:
    path = need_data("voting/debian-votes-2003-2018.json")
    votes: list[Any] = json.loads(path.read_text("utf-8"), parse_float=Decimal)
    assert len(votes) == 40
    for vote in votes:
        names = [f"{at:02d}" for at in range(1, len(vote["options"]) + 1)]
        counts = []
        for ranks, count in vote["ballots"].items():
            groups: dict[str, list[str]] = {}
            for name, rank in zip(names, ranks, strict=True):
                if rank != "-":
                    groups.setdefault(rank, []).append(name)
            counts.append(([groups[rank] for rank in sorted(groups)], count))
        election = Election.of_counts(counts, options=names, kind="ranking")
        assert [list(row) for row in election.pairwise()] == vote["pairwise_official"]
        ratios = dict(zip(names, vote["majority_ratio"], strict=False))
        quorum = vote["quorum_votes"]
        default = names[vote["default_option"] - 1]
        ratios.pop(default, None)
        kept, dropped = drop_below(election, default, ratios, quorum)
        squared = drop_below(election, default, ratios, quorum_squared=quorum * quorum)
        found = {
            why: sorted({int(name) for name, reason in dropped if reason.startswith(why)})
            for why in ("quorum", "majority")
        }
        assert found["quorum"] == vote["dropped_quorum"], vote["id"]
        assert found["majority"] == vote["dropped_majority"], vote["id"]
        assert squared[0] == kept


def test_where_nobody_leaves_it_is_the_other_rule_with_its_own_name() -> None:
    votes = [["A", "B", "stay"]] * 5 + [["B", "A", "stay"]] * 2
    found = supermajority(votes, ratios={"A": 2}, default_option="stay")
    alone = schulze(votes)
    assert (found.winner, found.tally, found.margin) == (alone.winner, alone.tally, alone.margin)
    assert found.count == alone.count
    told = dict(found.grounds.parameters)
    assert (found.grounds.rule, told["then"], told["strength"]) == (
        "supermajority", "schulze", "margins",
    )  # fmt: skip
    tied = supermajority([["A", "B"], ["B", "A"]], ratios={}, default_option="B", ties="lot:7")
    assert tied.winner is not None
