"""Debian: constitution A.6 as a ready composite (V3, V10)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.mechanisms.voting import debian

VOTES = [["A", "B", "none"]] * 4 + [["B", "A", "none"]] * 3 + [["none", "A", "B"]] * 2


def test_the_strongest_beatpath_wins_among_those_that_are_left() -> None:
    result = debian(VOTES, default="none")
    assert (result.winner, result.count.dropped) == ("A", ())


def test_a_supermajority_is_held_before_the_count() -> None:
    result = debian(VOTES, default="none", ratios={"A": 4})
    assert result.winner == "B"
    assert [name for name, _ in result.count.dropped] == ["A"]


@pytest.mark.parametrize(("developers", "winner"), [(21, "A"), (22, "none")])
def test_the_quorum_is_compared_exactly(developers: int, winner: str) -> None:
    # 3 * sqrt(21) / 2 = 6.87 and 3 * sqrt(22) / 2 = 7.04; seven voters rank A above none
    assert debian(VOTES, default="none", developers=developers).winner == winner


def test_a_quorum_of_votes_can_be_given() -> None:
    assert debian(VOTES, default="none", quorum=8).winner == "none"


def test_a_tie_needs_the_casting_vote() -> None:
    votes = {"ann": ["A", "B", "none"], "bob": ["B", "A", "none"]}
    assert debian(votes, default="none").winner is None
    cast = debian(votes, default="none", ties="chair:bob")
    assert cast.winner == "B"
    assert dict(cast.grounds.parameters)["ties"] == "chair:bob"
    assert result_from_json(cast.to_json()) == cast


def test_nobody_voted() -> None:
    assert debian([], default="none").kind == "no_quorum"


@pytest.mark.parametrize(
    "told",
    [{"developers": 0}, {"developers": 2.5}, {"developers": 4, "quorum": 3}, {"ratios": {"X": 1}}],
)
def test_what_cannot_be_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        debian(VOTES, default="none", **told)


def test_an_unknown_default_is_refused() -> None:
    with pytest.raises(InvalidInput, match="default option"):
        debian(VOTES, default="nobody")
