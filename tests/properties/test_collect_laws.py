"""Laws of the live vote: what holds whoever answers, in whatever order, and whoever is silent.

Here: drawn votes (sense, nonsense, changes, failures, time, restarts) and what must hold after
every input and at the end.
Not here: single rules (tests/unit/protocols/collect), whole stories (tests/scenarios).
Sources: SEMANTICS V1, V7, V8, G1, G3, G8, K2; ARCHITECTURE contracts 1-4.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.core.step import Input, Step
from comity.mechanisms.voting.ballots import BallotKind
from comity.protocols.collect.machine import start, step
from comity.protocols.collect.opening import rules_from_json, vote_rules
from comity.protocols.collect.rules import Gate, VoteLimits, VoteRules
from comity.protocols.collect.state import VoteState
from comity.session.record import input_body, input_from

VOTERS = ("ann", "bob", "cyd", "dan", "eve")
SENSE: dict[str, list[str]] = {
    "choice": ["VOTE: A", "VOTE: B", "VOTE: C", "VOTE: abstain"],
    "yes_no": ["VOTE: yes", "VOTE: no", "VOTE: veto", "VOTE: abstain"],
    "ranking": ["BALLOT: A > B > C", "BALLOT: C > B > A", "BALLOT: B > A = C", "VOTE: abstain"],
    "approval": ["APPROVE: A", "APPROVE: A, B", "APPROVE: none", "APPROVE: C"],
    "score": ["SCORES: A=3, B=1/3", "SCORES: C=2.5", "VOTE: abstain", "SCORES: A=0, B=0, C=1"],
}
NONSENSE = ["", "hm", "VOTE: Z", "VOTE: A\nVOTE: B", '{"vote": 7}', "BALLOT: A > A"]
OPEN = Gate(on="none")


@st.composite
def all_rules(
    draw: st.DrawFn, *, early: bool | None = None, gate: Gate | None = None
) -> VoteRules:
    kind: BallotKind = draw(st.sampled_from(list(SENSE)))  # type: ignore[arg-type]
    voters = {
        name: {"weight": draw(st.sampled_from([1, 1, 2, "1/2"]))}
        for name in VOTERS[: draw(st.integers(1, 5))]
    }
    absent = draw(st.sampled_from(["abstain", "against", "extend", "person"]))
    is_yes_no = kind == "yes_no"
    if absent == "against" and kind in {"score", "ranking"}:
        absent = "abstain"
    parameters: dict[str, Any] = {}
    rule = {"approval": "approval", "score": "score", "ranking": "borda"}.get(kind, "majority")
    if rule == "majority":
        parameters["threshold"] = draw(st.sampled_from(["majority", "at least 2/3", "unanimous"]))
        parameters["base"] = draw(st.sampled_from(["roster", "present", "expressed"]))
    else:
        parameters["ties"] = draw(st.sampled_from(["none", "lot"]))
    return vote_rules(
        "Which?",
        voters,
        seed="1",
        kind=kind,
        options=None if is_yes_no else ["A", "B", "C"],
        rule=rule,
        parameters=parameters,
        absent=absent,
        default_option="A" if absent == "against" and not is_yes_no else "",
        changes=draw(st.sampled_from(["last", "first", "reject"])),
        early=draw(st.booleans()) if early is None else early,
        veto_holders=draw(st.sampled_from([[], ["ann"]])) if is_yes_no else [],
        limits=VoteLimits(
            deadline_ms=10_000,
            reasks=draw(st.integers(0, 2)),
            least_voters=draw(st.integers(1, len(voters))),
        ),
        gate=gate or draw(st.sampled_from([OPEN, Gate(), Gate(on="thin", default="accept")])),
    )


def lived(draw: st.DrawFn, rules: VoteRules) -> tuple[list[Input], list[Step[VoteState]]]:
    """Draw what happens until the vote has ended."""
    steps = [start(rules)]
    inputs: list[Input] = []
    now_ms = 0
    while steps[-1].outcome is None:
        last = steps[-1]
        now_ms += draw(st.sampled_from([0, 10, 3_000]))
        happened = drawn_input(draw, rules, last, now_ms)
        if len(inputs) > 60:
            happened = Input(kind="timer", now_ms=last.wake_at_ms or 0)
        now_ms = max(now_ms, happened.now_ms)
        inputs.append(happened)
        steps.append(step(last.state, happened))
    return inputs, steps


def drawn_input(draw: st.DrawFn, rules: VoteRules, last: Step[VoteState], now_ms: int) -> Input:
    what = draw(
        st.sampled_from(["reply"] * 6 + ["message", "message", "failure", "resumed", "time"])
    )
    if what == "time":
        return Input(
            kind="timer", now_ms=max(now_ms, draw(st.sampled_from([0, last.wake_at_ms or 0])))
        )
    if what == "resumed":
        return Input(kind="resumed", now_ms=now_ms)
    said = SENSE[rules.kind] * 3 + NONSENSE
    if last.state.phase == "person":
        said = ["DECIDE: accept", "DECIDE: A", "DECIDE: passed", "hm"]
    body = {"text": draw(st.sampled_from(said))}
    if what == "message" or not last.asks:
        party = draw(st.sampled_from([*rules.ids, rules.gate.seat, "zoe"]))
        return Input(kind="message", now_ms=now_ms, party=party, body=body)
    asked = draw(st.sampled_from(last.asks))
    if what == "failure":
        body = {"reason": "crashed"}
    return Input(kind=what, now_ms=now_ms, party=asked.party, ask_id=asked.id, body=body)  # type: ignore[arg-type]


@st.composite
def votes(draw: st.DrawFn) -> tuple[VoteRules, list[Input], list[Step[VoteState]]]:
    rules = draw(all_rules())
    return (rules, *lived(draw, rules))


@given(votes())
def test_k2_the_record_leads_to_the_same_steps_at_every_prefix(lived: Any) -> None:
    rules, inputs, steps = lived
    again = rules_from_json(json.loads(canonical(rules.to_json())))
    assert again == rules
    last = start(again)
    assert last == steps[0]
    for happened, was in zip(inputs, steps[1:], strict=True):
        last = step(last.state, input_from(json.loads(canonical(input_body(happened)))))
        assert last == was


@given(votes())
def test_g1_the_outcome_survives_json_and_holds_every_member(lived: Any) -> None:
    rules, _, steps = lived
    outcome = steps[-1].outcome
    assert outcome is not None
    assert result_from_json(json.loads(canonical(outcome.to_json()))) == outcome
    named = [one.party for one in outcome.grounds.submissions if one.party != rules.gate.seat]
    assert named == list(rules.ids)
    assert str(outcome).strip()


@given(votes())
def test_v8_history_only_grows_and_at_most_one_ballot_of_a_voter_stands(lived: Any) -> None:
    _, _, steps = lived
    for before, after in pairwise(steps):
        old, new = before.state.cast, after.state.cast
        assert [(one.voter, one.ballot) for one in new[: len(old)]] == [
            (one.voter, one.ballot) for one in old
        ]
        standing = [one.voter for one in new if one.status in {"counted", "invalid"}]
        assert len(set(standing)) == len(standing)
        if after.rejected and after.rejected[0].reason in {"repeated", "late", "not_a_member"}:
            assert after.state == before.state


@given(votes())
def test_v8_every_member_is_counted_abstained_invalid_or_absent_and_never_two(lived: Any) -> None:
    rules, _, steps = lived
    grounds = steps[-1].outcome.grounds
    state = steps[-1].state
    valid = {one.voter for one in state.counted if one.ballot is not None}
    apart = [*valid, *grounds.abstained, *grounds.invalid, *grounds.absent]
    assert sorted(apart) == sorted(rules.ids)


@given(votes())
def test_v1_no_answer_ever_becomes_a_new_option(lived: Any) -> None:
    rules, _, steps = lived
    outcome = steps[-1].outcome
    assert outcome.count.election.options == rules.options
    assert outcome.winner in {None, "passed", "rejected", *rules.options}
    if outcome.is_decided and outcome.grounds.ended_by not in {"person", "default"}:
        assert outcome.count.election.size > 0


@given(votes())
def test_v8_nobody_is_asked_for_a_ballot_twice_at_once_or_after_the_close(lived: Any) -> None:
    _, _, steps = lived
    for one in steps:
        asked = [ask.party for ask in one.asks]
        assert len(set(asked)) == len(asked)
        if one.state.phase != "voting":
            assert all(ask.kind == "decide" for ask in one.asks)
        assert len({ask.deadline_ms for ask in one.asks}) <= 1


@given(st.data())
def test_v8_the_order_of_arrival_does_not_matter(data: st.DataObject) -> None:
    rules = replace(
        data.draw(all_rules(early=False, gate=OPEN)),
        limits=VoteLimits(reasks=0),
    )
    words = SENSE[rules.kind] + NONSENSE[:2]
    said = {name: data.draw(st.sampled_from(words)) for name in rules.ids}
    orders = [list(rules.ids), data.draw(st.permutations(list(rules.ids)))]
    outcomes = []
    for order in orders:
        last = start(rules)
        for party in order:
            (asked,) = [one.id for one in last.asks if one.party == party]
            body = {"text": said[party]}
            last = step(
                last.state, Input(kind="reply", now_ms=5, party=party, ask_id=asked, body=body)
            )
        outcomes.append(last.outcome)
    assert outcomes[0] is not None
    assert outcomes[0] == outcomes[1]


@given(st.data())
def test_v7_an_early_close_is_the_full_count_whatever_the_rest_would_have_said(
    data: st.DataObject,
) -> None:
    rules = data.draw(all_rules(early=True))
    assume(rules.absent in {"abstain", "extend"})
    last = start(rules)
    waiting = list(data.draw(st.permutations(list(rules.ids))))
    said: dict[str, str] = {}
    while last.state.phase == "voting" and waiting:
        party = waiting.pop()
        said[party] = data.draw(st.sampled_from(SENSE[rules.kind]))
        (asked,) = [one.id for one in last.asks if one.party == party]
        last = step(
            last.state,
            Input(kind="reply", now_ms=5, party=party, ask_id=asked, body={"text": said[party]}),
        )
    early = last.outcome or last.state.held
    assert early is not None
    full = start(replace(rules, early=False))
    for party in (*said, *waiting):
        if party in waiting and data.draw(st.booleans()):
            kind, body = "failure", {"reason": "crashed"}
        else:
            words = said.get(party) or data.draw(st.sampled_from(SENSE[rules.kind]))
            kind, body = "reply", {"text": words}
        asked = next((one.id for one in full.asks if one.party == party), "")
        full = step(
            full.state,
            Input(kind=kind, now_ms=5, party=party, ask_id=asked, body=body),  # type: ignore[arg-type]
        )
    while full.outcome is None and full.state.phase == "voting":
        full = step(full.state, Input(kind="timer", now_ms=full.wake_at_ms or 0))
    counted = full.outcome or full.state.held
    assert counted is not None
    assert getattr(early, "winner", None) == getattr(counted, "winner", None)
    if early.kind == "blocked":
        assert counted.kind == "blocked"
