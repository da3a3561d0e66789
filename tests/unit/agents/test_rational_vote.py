"""Rational votes: what an advocate's values cast when consent has failed (G10, C4)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.agents.rational_vote import rational_ballot
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.protocols.consent.red_lines import Predicate, read_predicate

DOMAIN = domain_of({"food": ["pizza", "salad"], "place": ["in", "out"]})
DRAFTS = {
    "CC's last offer": "P1: offers food = pizza, wants place = out",
    "the closest draft": "food = salad; place = in",
    "no deal": "everything stays as it is",
}


def wants(**told: Any) -> Additive:
    values = {"food": {"pizza": 5}, "place": {"in": 2, "out": 1}}
    return additive(DOMAIN, values, **told)


def asked(ballot: str = "choice", **about: str) -> Any:
    known = {**DRAFTS, **about}
    return {"ballot": ballot, "options": sorted(known), "about": known}


def test_the_option_worth_most_gets_the_vote() -> None:
    assert rational_ballot(asked(), wants(reservation=4)) == "VOTE: CC's last offer"
    assert rational_ballot(asked(), wants(reservation=9)) == "VOTE: no deal"


def test_c4_a_draft_across_its_red_line_is_worth_less_than_no_deal() -> None:
    line = read_predicate("food in {salad}", DOMAIN, whose="CC")
    assert isinstance(line, Predicate)
    assert rational_ballot(asked(), wants(reservation=3), [line]) == "VOTE: no deal"


def test_without_a_least_value_no_deal_is_the_worst_deal() -> None:
    assert rational_ballot(asked(), wants()) == "VOTE: CC's last offer"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("ranking", "BALLOT: CC's last offer > no deal > the closest draft"),
        ("approval", "APPROVE: CC's last offer, no deal"),
        ("score", "VOTE: abstain"),
    ],
)
def test_other_ballots_say_as_much_as_they_can(kind: str, words: str) -> None:
    assert rational_ballot(asked(kind), wants(reservation=4)) == words


def test_equals_are_ranked_together_and_no_choice() -> None:
    same = {"same": "food = salad; place = in"}
    assert "no deal = same" not in rational_ballot(asked("ranking", **same), wants(reservation=4))
    assert rational_ballot(asked(**same), wants(reservation=2)) == "VOTE: CC's last offer"
    deal = "food = pizza; place = in"
    both: Any = {"ballot": "choice", "options": ["a", "b"], "about": {"a": deal, "b": deal}}
    assert rational_ballot(both, wants()) == "VOTE: abstain"
    assert rational_ballot({**both, "ballot": "ranking"}, wants()) == "BALLOT: a = b"


def test_what_it_cannot_judge_it_abstains_from() -> None:
    assert rational_ballot(asked(other="in words alone"), wants()) == "VOTE: abstain"
    assert rational_ballot(asked(other="food = pizza"), wants()) == "VOTE: abstain"
    assert rational_ballot({"ballot": "choice"}, wants()) == "VOTE: abstain"
    nothing: Any = {"ballot": "approval", "options": ["a"], "about": {"a": "words"}}
    assert rational_ballot(nothing, wants()) == "APPROVE: none"
