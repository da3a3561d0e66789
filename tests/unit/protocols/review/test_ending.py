"""Ending: results explain themselves (G1, G2, W3, W4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.protocols.review.ending import held_back, missed, recorded, waits_for_ballots
from comity.protocols.review.opening import review_rules
from comity.protocols.review.rules import Phase, Reviewer
from comity.protocols.review.state import new_state

Open = Callable[..., Any]
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: no limit\nTO APPROVE: add one\nSUGGESTION: nine"


def test_g1_grounds_name_the_version_the_criteria_and_every_voter(review: Open) -> None:
    live = review()
    live.all_say(Architect=NO)
    grounds = live.outcome.grounds
    told = dict(grounds.parameters)
    assert told["preset"] == "power-trio"
    assert told["version"] == live.outcome.review.digest
    assert told["briefs"] == live.rules.briefs_digest
    assert [one.party for one in grounds.submissions] == ["Architect", "Critic", "Planner"]
    assert grounds.submissions[0].what["to_approve"] == "add one"
    assert {one.name: one.value for one in grounds.scores}["BLOCK"] == 1
    other = review()
    other.all_say(Architect=NO.replace("nine", "ten"))
    assert other.outcome.grounds.inputs_digest != grounds.inputs_digest


def test_a_silent_voter_submitted_nothing(review: Open) -> None:
    live = review()
    state = live.state
    assert waits_for_ballots(state).grounds.submissions[0].what is None
    assert missed(state).present == 0
    assert recorded(state).rounds[0].absent == ("Architect", "Critic", "Planner")


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("blocks", "0 of 3 approve"),
        ("open_questions", "2 open questions"),
        ("never_waived", "never waived"),
        ("max_rounds", "used up"),
        ("not_revised", "gave no new version"),
        ("not_made", "gave nothing to review"),
    ],
)
def test_g2_every_reason_is_told(review: Open, reason: Any, told: str) -> None:
    state = review(reviser="Builder").state
    found = held_back(state, reason, questions=["a?", "b?"] if reason == "open_questions" else ())
    assert told in found.says
    assert found.by
    assert found.unblock


def test_what_a_block_did_not_say_is_told(review: Open) -> None:
    live = review(reasks=0)
    live.all_say(Architect="VOTE: BLOCK\nREASON: " + "long " * 100)
    assert live.outcome.unblock[0].endswith("did not say what must change")
    assert len(live.outcome.by[0][1]) == 200


def test_a_review_of_its_own_names_no_preset() -> None:
    phase = Phase(name="plan", voters=("Ann",), artefact="x")
    found = missed(new_state(review_rules("x", [phase], [Reviewer(id="Ann")])))
    assert "preset" not in dict(found.grounds.parameters)
