"""Replies: what somebody else collected, call by call; the state is JSON (W1-W4)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.protocols.review.presets import preset_rules
from comity.protocols.review.replies import Tallied, tally_replies

YES = "VOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: no limit\nTO APPROVE: add one"
SAID = {"Planner": YES, "Architect": NO, "Critic": YES}


def state_of(*phases: str, **settings: Any) -> Any:
    wanted = list(phases or ("plan",))
    return preset_rules(
        "power-trio", "PLAN.md", artefact="Build it.", phases=wanted, **settings
    ).to_json()


def called(times: int, said: dict[str, Any], state: Any = None) -> Tallied:
    now = state or state_of()
    for _ in range(times):
        found = tally_replies(now, said)
        now = json.loads(canonical(found.state))  # it survives being kept as text
    return found


def test_w4_three_of_three_approve() -> None:
    found = called(1, dict.fromkeys(SAID, YES))
    assert (found.result.kind, found.result.exit_code) == ("verdict", 0)
    assert found.unread == ()
    assert found.state["carried"]["passed"] == ["plan"]  # type: ignore[index,call-overload]


def test_w3_counts_are_kept_between_calls() -> None:
    assert called(1, SAID).result.kind == called(2, SAID).result.kind == "blocked"
    third = called(3, SAID)
    assert third.result.kind == "verdict"
    assert third.announcements[1] == "ESCALATION: Converting to documented risk."
    data = json.loads(canonical(third.result.to_json()))
    assert result_from_json(data) == third.result


def test_w4_a_missing_reply_is_waited_for_and_nothing_counts() -> None:
    found = called(5, {"Planner": YES, "Architect": YES})
    assert (found.result.kind, found.result.exit_code) == ("waiting", 11)
    assert [one.agent for one in found.unread] == ["Critic"]
    assert found.state["carried"] == called(1, {}).state["carried"]
    assert found.result.unblock == ("Critic: hand in its reply",)  # type: ignore[union-attr]


def test_w1_an_unreadable_reply_says_whom_to_ask_again_and_why() -> None:
    found = called(1, {**SAID, "Architect": "VOTE: APPROVE if it has a limit"})
    (unread,) = found.unread
    assert (unread.agent, unread.why) == ("Architect", "ambiguous_vote")
    assert "Answer with VOTE: APPROVE" in unread.hint


def test_w2_a_block_stands_though_another_reply_is_missing_and_counts_later() -> None:
    found = called(4, {"Planner": YES, "Architect": NO})
    assert found.result.kind == "blocked"
    assert found.result.by == (("Architect", "no limit"),)  # type: ignore[union-attr]
    assert found.result.review.blocks == ()
    assert called(2, SAID, found.state).result.kind == "blocked"
    assert called(3, SAID, found.state).result.kind == "verdict"


def test_w3_what_is_never_waived_waits_for_the_person_with_the_same_replies() -> None:
    said = {**SAID, "Architect": NO.replace("limits", "security")}
    state = called(2, said).state
    third = tally_replies(state, said)
    assert (third.result.kind, third.result.reason) == ("waiting", "human")  # type: ignore[union-attr]
    assert third.state["carried"] == state["carried"]
    assert tally_replies(third.state, {**said, "human": "hm"}).result.kind == "waiting"
    held = tally_replies(third.state, {**said, "human": "DECIDE: block"})
    assert held.result.kind == "blocked"
    passed = tally_replies(third.state, {**said, "human": "DECIDE: approve"})
    assert passed.result.review.risks[0].accepted_by == "human"


def test_a_new_version_and_a_stale_reply() -> None:
    first = called(1, SAID)
    found = tally_replies(first.state, dict.fromkeys(SAID, YES), artefact="Build two.")
    assert found.result.review.digest != first.result.review.digest
    assert found.result.review.blocks[0].became == "closed"
    old = {"text": YES, "digest": first.result.review.digest}
    stale = tally_replies(
        first.state, {**dict.fromkeys(SAID, YES), "Critic": old}, artefact="Build two."
    )
    assert stale.result.kind == "waiting"
    assert [one.agent for one in stale.unread] == ["Critic"]


def test_w4_advisors_and_the_last_word() -> None:
    said = {"Product Manager": "VERDICT: APPROVED_TO_SHIP", "Security": "A hole."}
    found = called(1, said, state_of("review"))
    assert found.result.verdict == "APPROVED_TO_SHIP"  # type: ignore[union-attr]
    told = {one.agent: (one.text, one.why) for one in found.result.review.findings}
    assert told == {"Security": ("A hole.", ""), "Performance": ("", "not handed in")}


def test_strangers_and_damaged_states_are_refused() -> None:
    with pytest.raises(InvalidInput, match="did you mean 'Planner'"):
        tally_replies(state_of(), {"Planer": YES})
    with pytest.raises(InvalidInput, match="lack"):
        tally_replies({}, {})
    with pytest.raises(InvalidInput, match="one phase and no reviser"):
        tally_replies(state_of(reviser="Builder"), SAID)


# --- what an orchestrator cannot have been given ----------------------------------------------


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ({"replies": {"Critic": ["VOTE: APPROVE"]}}, "reply of 'Critic': is ['VOTE: APPROVE']"),
        ({"replies": {"Critic": 3}}, "reply of 'Critic': is 3"),
        ({"replies": {"Critic": None}}, "reply of 'Critic': is None"),
        ({"replies": [YES]}, "replies: are ['VOTE: APPROVE']"),
        ({"artefact": 3}, "artefact: is 3"),
        ({"state": "{}"}, "state: is '{}'"),
    ],
)
def test_g7_values_of_another_kind_are_refused_in_words(call: Any, told: str) -> None:
    given = {"state": state_of(), "replies": SAID, "artefact": None, **call}
    with pytest.raises(InvalidInput) as caught:
        tally_replies(given["state"], given["replies"], artefact=given["artefact"])
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("blocks", "told"),
    [
        ([{"id": "b2", "round": 7}, {"id": "b3", "round": 8}], "block b2: stands in round 7"),
        ([{"id": "b2"}], "count a concern twice in one round"),
        ([{}], "are named"),
    ],
)
def test_k1_a_state_with_blocks_that_nobody_raised_is_refused(blocks: Any, told: str) -> None:
    state: Any = json.loads(canonical(called(1, SAID).state))
    known = state["carried"]["book"]["blocks"]
    known += [{**known[0], **one} for one in blocks]
    with pytest.raises(InvalidInput) as caught:
        tally_replies(state, SAID)
    assert told in str(caught.value)


def test_k1_a_state_of_a_round_that_cannot_be_is_refused() -> None:
    state: Any = json.loads(canonical(called(1, SAID).state))
    state["carried"]["round"] = -5
    with pytest.raises(InvalidInput, match="says round -5"):
        tally_replies(state, SAID)
    other: Any = json.loads(canonical(called(1, SAID).state))
    other["carried"]["phase"] = "review"
    with pytest.raises(InvalidInput, match="stands in round 1"):
        tally_replies(other, SAID)


def test_g8_a_person_decides_on_what_it_was_asked_about_alone() -> None:
    said = {**SAID, "Architect": NO.replace("limits", "security")}
    waits = called(3, said)
    decided = {**said, "human": "DECIDE: approve"}
    other = {**decided, "Architect": NO}
    for state, replies, text in (
        (waits.state, other, None),
        (waits.state, decided, "Build two."),
        (called(2, said).state, decided, None),
    ):
        with pytest.raises(InvalidInput, match="asked about"):
            tally_replies(state, replies, artefact=text)
    done = tally_replies(waits.state, decided)
    assert (done.result.kind, done.state["asked"]) == ("verdict", "")
    moved_on = tally_replies(waits.state, dict.fromkeys(SAID, YES))
    assert (moved_on.result.kind, moved_on.state["asked"]) == ("verdict", "")
