"""Results: does a vote say who won, what was counted, and come back from JSON in every form?

Here: the forms of results, what they answer alike, the round trip (G1, G2, V5).
Not here: how rules fill them (the rules' tests).
Sources: SEMANTICS G1, G2, V5.
"""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.results import EXIT_CODE_OF_KIND, Grounds, Item, result_from_json
from comity.core.ties import Tie
from comity.mechanisms.voting import (
    Count,
    Election,
    Round,
    VoteBlocked,
    VoteChoice,
    VoteNoDecision,
    VoteNoQuorum,
    VoteVerdict,
    plurality,
)
from comity.mechanisms.voting.positional import borda
from comity.mechanisms.voting.results import VoteResult
from comity.mechanisms.voting.threshold import majority
from comity.mechanisms.voting.tie_breaking import break_tie, read_ties

HALF = Fraction(1, 2)
RANKED = Election(
    {"ann": ["A", ["B", "C"]], "bob": ["C"], "eve": None, "dan": ["X"]},
    options=["A", "B", "C"],
    roster=["ann", "bob", "eve", "dan", "zoe"],
    invalid="keep",
)
YES = Election({"ann": "yes", "bob": "veto"})


def grounds(*ties: Tie, scores: tuple[Item, ...] = (), margin: Any = None) -> Grounds:
    return Grounds(
        rule="r",
        ended_by="count",
        inputs_digest=RANKED.digest,
        parameters=(("unranked", "last"),),
        scores=scores,
        margin=margin,
        ties=ties,
    )


STANDS = break_tie(read_ties("none"), RANKED, "winner", ["C", "A"])
BROKEN = break_tie(read_ties("lot:7"), RANKED, "round 1", ["B", "C"])
WHOLE = Count(
    election=RANKED,
    ranking=(("A",), ("B", "C")),
    rounds=(
        Round("round 1", (Item("A", 1), Item("B", HALF)), ("B",), Fraction(1, 3), "B leaves"),
        Round("final"),
    ),
    flags=("majority_last", "condorcet_loser", "not_condorcet_winner", "unanimous_can_hang"),
    dropped=(("C", "below its majority"),),
)
SCORES = (Item("A", 1), Item("B", HALF), Item("C", 0))

FORMS: dict[str, Any] = {
    "choice": VoteChoice(
        grounds=grounds(BROKEN, scores=SCORES, margin=HALF), count=WHOLE, option="A",
        elected=("A", "C"),
    ),
    "verdict": VoteVerdict(grounds=grounds(), count=Count(election=YES), verdict="approved"),
    "no_decision": VoteNoDecision(
        grounds=grounds(BROKEN, STANDS), count=Count(election=RANKED), reason="tie",
        leaders=(Item("A", HALF), Item("C", HALF)), unblock=("one more vote",),
    ),
    "no_quorum": VoteNoQuorum(
        grounds=grounds(), count=Count(election=Election([])), needed=HALF, present=0,
    ),
    "blocked": VoteBlocked(
        grounds=grounds(), count=Count(election=YES), by=(("bob", "veto"),), unblock=("ask bob",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMS)
def test_g1_every_form_comes_back_from_json(kind: str) -> None:
    one = FORMS[kind]
    data = one.to_json()
    again = result_from_json(json.loads(json.dumps(data)))
    assert again == one
    assert type(again) is type(one)
    assert canonical(again.to_json()) == canonical(data)
    assert (data["kind"], data["form"], data["v"]) == (kind, "vote", 1)
    assert one.exit_code == EXIT_CODE_OF_KIND[kind]
    assert "float" not in {type(leaf).__name__ for leaf in leaves(data)}
    assert str(again) == str(one)


def leaves(data: Any) -> list[Any]:
    if isinstance(data, dict):
        return [leaf for item in data.values() for leaf in leaves(item)]
    if isinstance(data, list):
        return [leaf for item in data for leaf in leaves(item)]
    return [data]


@pytest.mark.parametrize("kind", FORMS)
def test_g1_a_result_cannot_be_changed(kind: str) -> None:
    with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
        FORMS[kind].count = WHOLE


@pytest.mark.parametrize(
    ("kind", "winner", "tied"),
    [
        ("choice", "A", ()),
        ("verdict", "approved", ()),
        ("no_decision", None, ("A", "C")),
        ("no_quorum", None, ()),
        ("blocked", None, ()),
    ],
)
def test_g2_the_winner_is_somebody_or_nobody(
    kind: str, winner: str | None, tied: tuple[str, ...]
) -> None:
    one: VoteResult = FORMS[kind]
    assert (one.winner, one.tied) == (winner, tied)


def test_v5_tally_margin_pairs_and_distribution() -> None:
    one: VoteResult = FORMS["choice"]
    assert one.tally == {"A": 1, "B": HALF, "C": 0}
    assert one.margin == HALF
    assert one.pairwise == {
        "A": {"B": 1, "C": 1},
        "B": {"A": 0, "C": 0},
        "C": {"A": 1, "B": 1},
    }
    assert one.distribution == {"A": 1, "B": 0, "C": 1}
    assert FORMS["no_quorum"].margin is None
    assert FORMS["no_quorum"].distribution == FORMS["no_quorum"].tally == {}


def test_v5_distribution_and_pairs_are_in_votes_whatever_the_units() -> None:
    found = plurality(Election([[["A", "B"]], ["A"]], weights=["1/3", 1]))
    assert found.distribution == {"A": Fraction(7, 6), "B": Fraction(1, 6)}
    assert found.pairwise == {"A": {"B": 1}, "B": {"A": 0}}


def test_v5_abstained_invalid_and_absent_stand_apart() -> None:
    found = plurality(RANKED)
    assert found.grounds.abstained == ("eve",)
    assert found.grounds.invalid == ("dan",)
    assert found.grounds.absent == ("zoe",)
    assert found.count.election is RANKED


# --- in words --------------------------------------------------------------------------------


def test_every_result_says_itself_in_a_sentence() -> None:
    assert str(borda([["A", "B"], ["A", "B"]])) == "A wins by 2 under borda.\n  A: 2\n  B: 0"
    assert plurality(["A"]).says == "A wins under plurality."
    assert plurality(["A", "B"]).says == "A tie of A, B under plurality."
    assert plurality([]).says == "No quorum under plurality."
    assert majority(["yes"]).says == "Passed under majority."
    assert majority(["yes", "veto"]).says == "Blocked by 1 unnamed under majority."
    assert majority(["A", "B", "C", "A"]).says == "No decision under majority."


def test_what_a_result_knows_is_at_hand() -> None:
    found = plurality(["A", "B"], ties="lot:7")
    assert found.thin == ("tie_rule_used",)
    assert found.ranking == (("A", "B"),)
