"""Explain: how firm a decision is, and what other rules say (V5, V9, G8)."""

from __future__ import annotations

import importlib
from dataclasses import replace
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting import (
    Election,
    approval,
    borda,
    compare,
    condorcet,
    coombs,
    explain,
    irv,
    majority,
    plurality,
    schulze,
    stv,
)

module = importlib.import_module("comity.mechanisms.voting.explain")

ARTICLE = [list(one) for one in ("ABC", "ABC", "BCA", "BCA", "CBA")]


def test_the_articles_five_rank_and_its_plurality_tie_stand_side_by_side() -> None:
    said = {one.rule: one for one in compare(Election(ARTICLE)).said}
    assert said["plurality"].tied == ("A", "B")
    assert dict(said["borda"].tally) == {"A": 4, "B": 7, "C": 4}
    assert said["borda"].winner == "B"
    assert said["approval"].why_not
    assert not compare(Election(ARTICLE)).agree


def test_rules_agree_when_all_that_apply_name_one_winner() -> None:
    found = compare(Election([["A", "B"]] * 3))
    assert found.agree
    assert found.to_json()["agree"] is True
    assert len(found.winners) == 1


def test_three_to_two_and_five_to_none_never_look_alike() -> None:
    close, clear = plurality(["A"] * 3 + ["B"] * 2), plurality(["A"] * 5)
    assert (close.margin, clear.margin) == (1, None)
    assert close.tally != clear.tally
    assert explain(close).thin == ("margin_of_victory_1",)
    assert explain(clear).thin == ()


def test_a_lead_counts_in_independent_votes() -> None:
    result = plurality(["A"] * 7 + ["B"] * 2)
    found = explain(result, n_eff=Fraction(22, 10))
    assert found.effective_margin == Fraction(12222, 10000)
    assert "effective_margin" in found.thin
    assert "effective_margin" not in explain(result, n_eff=9.0).thin
    assert explain(plurality(["A"]), n_eff=1).effective_margin is None


def test_low_turnout_is_thin() -> None:
    votes = {"ann": "A", "bob": "A", "cat": "A"}
    result = plurality(Election(votes, roster=[*votes, "dan", "eve", "fay", "gus"]))
    assert "turnout" in explain(result, turnout_floor=Fraction(1, 2)).thin
    assert "turnout" not in explain(result, turnout_floor=Fraction(1, 3)).thin


def test_nobody_has_no_turnout() -> None:
    found = explain(plurality([]), turnout_floor=1)
    assert found.thin == ("turnout",)
    assert found.pivotal == ()
    assert str(found.margin_of_victory) == "0 voters"


def test_a_tie_has_no_victor() -> None:
    found = explain(plurality(["A", "B"]))
    assert (found.winner, found.margin_of_victory.at_least) == (None, 0)
    assert found.effective_margin is None


def test_what_the_result_knows_is_kept() -> None:
    result = plurality(["A", "B"], ties="lot:7")
    found = explain(result)
    assert "tie_rule_used" in found.thin
    assert found.winner is not None


def test_parameters_are_used_again() -> None:
    result = borda([["A", "B", "C"], ["B"], ["A"]], unranked="zero")
    assert explain(result).margin_of_victory.at_least == 1
    assert explain(schulze(ARTICLE, strength="winning_votes")).rule == "schulze"
    assert explain(majority(["A", "A", "B"], threshold="at least 2/3")).winner == "A"


def test_rules_that_disagree_are_named() -> None:
    result = plurality([["A", "B", "C"]] * 4 + [["B", "C", "A"]] * 3 + [["C", "B", "A"]] * 2)
    found = explain(result)
    assert "rules_disagree" in found.thin
    assert {one.rule: one.winner for one in found.others}["condorcet"] == "B"


def test_its_json_says_whether_the_number_is_proved() -> None:
    data = explain(approval([{"A"}, {"A"}, {"A", "B"}])).to_json()
    assert data["margin_of_victory"] == {"at_least": 1, "at_most": 1, "exact": True}
    assert "margin of victory" in explain(approval([{"A"}]))._repr_html_()


def test_a_rule_that_is_not_known_has_no_margin() -> None:
    result = plurality(["A"])
    unknown = replace(result, grounds=replace(result.grounds, rule="own"))
    assert explain(unknown).margin_of_victory.at_most == 0


@pytest.mark.parametrize(
    ("votes", "voters"),
    [
        (["yes"] * 4 + ["no"], 2),
        (["yes"] * 2 + ["no"] * 3, 1),
        (["yes"] * 3 + ["no"] * 2, 1),
        ([None] * 3 + ["yes"] * 2, 1),
    ],
)
def test_a_verdict_is_as_firm_as_the_voters_it_takes_to_turn_it(
    votes: list[str], voters: int
) -> None:
    found = explain(majority(votes))
    assert (found.margin_of_victory.at_least, found.margin_of_victory.at_most) == (voters, voters)
    assert "rules_disagree" not in found.thin


def test_several_seats_have_bounds() -> None:
    found = explain(stv([["A", "B", "C"]] * 5 + [["B", "A", "C"]] * 3 + [["C"]] * 2, seats=2))
    assert found.margin_of_victory.at_least == 1
    assert found.margin_of_victory.at_most is not None
    assert "rules_disagree" not in found.thin


def test_approvals_of_nothing_can_be_explained() -> None:
    nobody = Election([set(), set()], options=["A", "B"], kind="approval")
    assert irv(nobody).tied == ("A", "B")
    assert coombs(Election([set()], options=["A"], kind="approval")).winner == "A"
    assert explain(condorcet(nobody)).winner is None


# --- hostile and plain input -----------------------------------------------------------------


def test_plain_ballots_are_compared_as_one_election() -> None:
    found = compare([["A", "B"], ["A", "B"]])
    assert {one.rule: bool(one.why_not) for one in found.said}["approval"]
    assert str(found).splitlines()[0] == "plurality: A"
    assert "nobody (A, B)" in str(compare(["A", "B"]))
    assert "comparison" in found._repr_html_()


@pytest.mark.parametrize("wrong", [None, [["A"]], "A", 3])
def test_what_is_no_result_cannot_be_explained(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="result of a vote"):
        explain(wrong)


@pytest.mark.parametrize("n_eff", [0, 3, 500])
def test_v9_voters_never_count_as_more_than_they_are(n_eff: int) -> None:
    with pytest.raises(InvalidInput, match="n_eff"):
        explain(plurality(["A", "B"]), n_eff=n_eff)


def test_a_result_that_elects_a_stranger_is_refused() -> None:
    with pytest.raises(InvalidInput, match="'Z'"):
        explain(replace(plurality(["A", "A"]), option="Z"))


def test_an_explanation_says_itself() -> None:
    assert str(explain(plurality(["A", "A", "B"]))) == (
        "A under plurality, 1 voter; thin: margin_of_victory_1"
    )
    assert str(explain(plurality(["A", "B"]))) == "nobody under plurality, 0 voters"


def test_a_voter_without_whom_nothing_counts_is_pivotal() -> None:
    votes = Election(["A", "A"], options=["A", "B"], weights=[0, "1/2"], kind="choice")
    found = explain(majority(votes, base="expressed"))
    assert found.pivotal is not None
    assert len(found.pivotal) == 1


def test_of_very_many_options_only_the_quick_rules_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MOST_COMPARED", 1)
    others = explain(schulze([["A", "B"], ["A", "B"], ["B", "A"]])).others
    assert [one.rule for one in others] == ["plurality", "approval", "score", "borda", "condorcet"]
