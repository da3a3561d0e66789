"""State: ballots are bound to their version; a tally counts each voter once (W4, W6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from comity.protocols.review.book import Carried
from comity.protocols.review.state import (
    Ballot,
    new_state,
    noted,
    said,
    tally_of,
    version_of,
    with_ask,
    without,
)

Open = Callable[..., Any]


def ballot(state: Any, agent: str, **told: Any) -> Ballot:
    head = {"phase": state.phase.name, "round": state.round, "digest": state.digest}
    return Ballot(agent=agent, **{**head, **told})


def test_a_ballot_counts_for_its_version_alone(review: Open) -> None:
    state = review().state
    mine = ballot(state, "Critic", vote="APPROVE")
    assert replace(state, ballots=(mine,)).missing == ("Architect", "Planner")
    for other in ({"digest": "x"}, {"round": 2}, {"phase": "x"}, {"became": "replaced"}):
        stale = replace(mine, **other)
        assert replace(state, ballots=(stale,)).missing == ("Architect", "Critic", "Planner")


@pytest.mark.parametrize(
    ("told", "where"),
    [
        ({"vote": "APPROVE"}, "approvals"),
        ({"vote": "BLOCK"}, "blocks"),
        ({"vote": "BLOCK", "became": "converted"}, "with_risk"),
        ({"vote": "BLOCK", "became": "person"}, "by_person"),
        ({"error": "no_vote"}, "absent"),
        ({"error": "absent"}, "absent"),
        ({"error": "preference"}, "invalid"),
        ({"error": "block_without_reason"}, "invalid"),
    ],
)
def test_every_voter_stands_in_one_list(review: Open, told: Any, where: str) -> None:
    state = review().state
    tally = tally_of(replace(state, ballots=(ballot(state, "Critic", **told),)))
    lists = ("approvals", "with_risk", "by_person", "blocks", "invalid", "absent")
    assert "Critic" in getattr(tally, where)
    assert sorted(name for one in lists for name in getattr(tally, one)) == [
        "Architect",
        "Critic",
        "Planner",
    ]


@pytest.mark.parametrize(
    ("carried", "round_"),
    [
        (Carried(), 1),
        (Carried(phase="plan", round=2), 3),
        (Carried(phase="plan", passed=("plan",)), 1),
        (Carried(phase="review", round=4), 1),
    ],
)
def test_a_call_goes_on_where_the_last_one_ended(
    review: Open, carried: Carried, round_: int
) -> None:
    state = new_state(review(carried=carried).rules)
    assert state.round == round_
    assert "plan" not in state.passed


def test_asks_are_numbered_and_times_are_those_of_the_stage(review: Open) -> None:
    state = replace(review().state, asks=())
    asked = with_ask(state, "Critic", "vote", {}, attempt=2)
    assert (asked.asks[0].id, asked.asks[0].deadline_ms) == ("a4", 601_000)
    person = replace(state, stage="person", person_until_ms=7)
    assert with_ask(person, "human", "decide", {}).asks[0].deadline_ms == 7
    assert without(asked, asked.asks[0]).asks == ()
    assert person.waiting is None


def test_notes_and_the_transcript_grow(review: Open) -> None:
    state = noted(review().state, "a", "a")
    assert state.notes == ("a", "a")
    told = said(said(state, "Critic", "votes APPROVE"), "Critic", "says", "x" * 5_000)
    assert [one["turn"] for one in told.transcript] == [1, 2]
    assert len(str(told.transcript[1]["text"])) == 4_000
    assert version_of("a") != version_of("b")
