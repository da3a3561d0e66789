"""Ending: results explain themselves (G1, G2, W3, W4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.protocols.review.book import Carried
from comity.protocols.review.ending import held_back, missed, recorded, waits_for_ballots
from comity.protocols.review.opening import review_rules
from comity.protocols.review.results import carried_of
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


def test_w1_who_cannot_be_read_is_no_silent_voter(review: Open) -> None:
    live = review(reasks=0)
    live.says("Critic", "VOTE: APPROVE if it is fast")
    live.fails("Architect")
    live.all_say()
    assert "absent: Architect, Critic (ambiguous vote)." in live.outcome.says
    counts = {one.name: one.value for one in live.outcome.grounds.scores}
    assert (counts["unreadable"], counts["absent"]) == (1, 1)


@pytest.mark.parametrize(
    ("passed", "told"),
    [
        ((), "; plan, build-tests, build-impl have not passed."),
        (("plan", "build-tests"), "; build-impl has not passed."),
        (("plan", "build-tests", "build-impl"), "1 of 1 approve."),
    ],
)
def test_w4_a_verdict_says_what_has_not_passed_before(
    review: Open, passed: tuple[str, ...], told: str
) -> None:
    live = review("review", carried=Carried(passed=passed))
    for name in ("Security", "Performance"):
        live.says(name, "Nothing.")
    live.says("Product Manager", "VERDICT: APPROVED_TO_SHIP")
    assert live.outcome.says.endswith(told)
    assert live.outcome.review.skipped == tuple(
        one for one in ("plan", "build-tests", "build-impl") if one not in passed
    )


def test_w4_a_text_that_is_not_the_one_that_passed_is_told(review: Open) -> None:
    first = review()
    first.all_say()
    carried = carried_of(first.outcome)
    assert carried is not None
    assert carried.approved == (("plan", first.outcome.review.digest),)
    for text, before in (("Build it.", ""), ("Build two.", first.outcome.review.digest)):
        again = review(text=text, carried=carried)
        again.all_say()
        assert again.outcome.review.before == before
        assert dict(again.outcome.review.approved)["plan"] == again.outcome.review.digest


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
