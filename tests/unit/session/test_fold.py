"""session/fold.py: state is the fold of the record; replay says same or shows where not (K2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.errors import InvalidInput
from comity.core.results import Choice, Grounds, Waiting
from comity.core.step import Input, Rejected, Step
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.session.fold import Line, advance, fold, replay, waiting_of
from comity.session.record import (
    INPUT,
    OPENED,
    SEALED,
    UNDONE,
    Opening,
    entry_kind,
    input_body,
)
from comity.session.registry import Machine, machine_of

MACHINE = machine_of("consent")
RULES = consent_rules(
    "Which plan?", {"CC": "a", "CX": "b"}, seed="1", limits=ConsentLimits(max_turns=4)
)
LINES = {"position": "PRIORITY: x", "turn": "[DONE]", "answer": "[CONSENT]"}


def lived() -> tuple[list[Input], list[Step[Any]]]:
    """Return the inputs of one session, and the steps that were lived."""
    steps: list[Step[Any]] = [MACHINE.start(RULES)]
    inputs: list[Input] = []
    while steps[-1].outcome is None:
        ask = steps[-1].asks[0]
        inputs.append(
            Input(
                kind="reply",
                now_ms=len(inputs),
                party=ask.party,
                ask_id=ask.id,
                body={"text": LINES[ask.kind]},
            )
        )
        steps.append(MACHINE.step(steps[-1].state, inputs[-1]))
    return inputs, steps


def lines(*, sealed: bool = True, inputs: list[Input] | None = None) -> list[Line]:
    said, steps = lived()
    opening = Opening(kind="consent", title="Which plan?", rules=RULES.to_json())
    found: list[Line] = [(OPENED, opening.to_json())]
    found += [(INPUT, input_body(one)) for one in (said if inputs is None else inputs)]
    outcome = steps[-1].outcome
    assert outcome is not None
    return [*found, (SEALED, {"outcome": outcome.to_json()})] if sealed else found


def test_k2_every_prefix_of_the_record_folds_to_the_step_that_was_lived() -> None:
    inputs, steps = lived()
    assert len(inputs) == 4
    for count, step in enumerate(steps):
        assert fold(MACHINE, RULES, inputs[:count]) == step


def test_an_outcome_stays_whatever_is_recorded_after_it() -> None:
    inputs, steps = lived()
    late = Input(kind="message", now_ms=9, party="CC", body={"text": "wait"})
    after = fold(MACHINE, RULES, [*inputs, late, replace(late, kind="cancel")])
    assert after.outcome == steps[-1].outcome
    assert after.state == steps[-1].state
    assert [one.reason for one in after.rejected] == ["ended"]
    assert replay([*lines(), (INPUT, input_body(late))]).same


def test_before_the_end_a_step_is_the_machines_own() -> None:
    inputs, steps = lived()
    assert advance(MACHINE, steps[0], inputs[0]) == steps[1]


def test_k2_a_sealed_session_replays_the_same() -> None:
    found = replay(lines())
    assert found.same
    assert found.differences == ()
    assert found.outcome == found.recorded
    assert found.outcome is not None
    assert found.outcome["kind"] == "no_deal"


def test_an_open_session_replays_the_same_when_nothing_is_decided_yet() -> None:
    inputs, _ = lived()
    found = replay(lines(sealed=False, inputs=inputs[:2]))
    assert (found.same, found.outcome, found.recorded) == (True, None, None)


def test_a_decision_that_was_never_sealed_is_no_replay_of_the_record() -> None:
    found = replay(lines(sealed=False))
    assert not found.same
    assert found.outcome is not None
    assert found.recorded is None


def test_a_seal_on_a_session_that_decides_nothing_is_no_replay_of_the_record() -> None:
    found = replay(lines(inputs=[]))
    assert not found.same
    assert found.outcome is None
    assert found.recorded is not None


def test_a_seal_that_holds_no_outcome_counts_as_none() -> None:
    found = replay([*lines(sealed=False), (SEALED, {"outcome": "done"})])
    assert (found.same, found.recorded) == (False, None)


def changed(place: str, value: object) -> list[Line]:
    """Return the record with one place of the sealed outcome changed."""
    record = lines()
    outcome: Any = record[-1][1]["outcome"]
    where = outcome = dict(outcome)
    *path, last = place.split(".")
    for name in path:
        where[name] = dict(where[name])
        where = where[name]
    where[last] = value
    return [*record[:-1], (SEALED, {"outcome": outcome})]


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        ("reason", "stall", 'outcome.reason: "round_limit" now, "stall" recorded'),
        ("record.turns", 5, "outcome.record.turns: 4 now, 5 recorded"),
        ("record.version", False, "outcome.record.version: 0 now, false recorded"),
        ("added", 1, "outcome.added: null now, 1 recorded"),
        ("final_offers", [], "outcome.final_offers: 2 items now, 0 recorded"),
        ("grounds.absent", {"a": 1}, 'outcome.grounds.absent: [] now, {"a":1} recorded'),
    ],
)
def test_a_changed_outcome_is_shown_where_it_differs(place: str, value: object, said: str) -> None:
    found = replay(changed(place, value))
    assert not found.same
    assert found.differences == (said,)


def test_every_difference_is_shown_also_inside_lists() -> None:
    record = lines()
    outcome: Any = dict(record[-1][1]["outcome"])  # type: ignore[arg-type,call-overload]
    outcome["final_offers"] = [dict(one, offer="all") for one in outcome["final_offers"]]
    outcome["reason"] = "stall"
    found = replay([*record[:-1], (SEALED, {"outcome": outcome})])
    assert [one.partition(":")[0] for one in found.differences] == [
        "outcome.final_offers[0].offer",
        "outcome.final_offers[1].offer",
        "outcome.reason",
    ]


def test_a_changed_input_shows_as_a_difference() -> None:
    inputs, _ = lived()
    other = replace(inputs[-1], body={"text": "I have more to say."})
    found = replay(lines(inputs=[*inputs[:-1], other]))
    assert not found.same
    assert found.differences


@pytest.mark.parametrize("record", [[], [(INPUT, {"kind": "timer", "now_ms": 1})]])
def test_a_record_without_its_opening_is_refused(record: list[tuple[str, JsonObject]]) -> None:
    with pytest.raises(InvalidInput, match="does not begin with its opening"):
        replay(record)


def test_entries_of_other_kinds_are_passed_over() -> None:
    assert replay([*lines(), ("note", {"text": "seen by a person"})]).same


# --- taking a person's decision back ---------------------------------------------------------

VOTE = machine_of("vote")
TIE = vote_rules(
    "Which?", ["ann", "bob"], seed="1", options=["A", "B"], gate=Gate(deadline_ms=500)
)


def heard(party: str, said: str, now_ms: int = 0) -> Input:
    return Input(kind="message", now_ms=now_ms, party=party, body={"text": said})


def undo(now_ms: int = 9_000) -> Input:
    return Input(kind="undo", now_ms=now_ms, party="human", body={"by": "zoe"})


TIED = [heard("ann", "A", 1), heard("bob", "B", 2)]
DECIDED = [*TIED, heard("human", "A", 3)]


def recorded(*inputs: Input) -> list[Line]:
    """Return the record of a vote, sealed wherever it ended."""
    found: list[Line] = [(OPENED, Opening(kind="vote", title="t", rules=TIE.to_json()).to_json())]
    last = VOTE.start(TIE)
    for happened in inputs:
        found.append((entry_kind(happened), input_body(happened)))
        before, last = last, advance(VOTE, last, happened)
        if before.outcome is None and last.outcome is not None:
            found.append((SEALED, {"outcome": last.outcome.to_json()}))
    return found


def test_g8_an_undo_goes_back_to_where_the_person_decided_and_gives_the_whole_time() -> None:
    waits = fold(VOTE, TIE, TIED)
    ended = fold(VOTE, TIE, DECIDED)
    assert (waiting_of(ended), ended.before) == (None, waits)
    back = fold(VOTE, TIE, [*DECIDED, undo()])
    assert (back.outcome, back.rejected, back.before) == (None, (), None)
    waiting = waiting_of(back)
    assert waiting is not None
    assert waiting.until_ms == 9_500
    assert waiting.grounds == waiting_of(waits).grounds  # type: ignore[union-attr]


def test_g8_after_an_undo_it_is_decided_anew_and_can_be_taken_back_again() -> None:
    anew = fold(VOTE, TIE, [*DECIDED, undo(), heard("human", "B", 9_001)])
    assert anew.outcome.option == "B"  # type: ignore[union-attr]
    late = advance(VOTE, anew, heard("ann", "A", 9_002))
    assert late.before == anew.before, "what is said in vain takes no right away"
    again = fold(VOTE, TIE, [*DECIDED, undo(), heard("human", "B"), undo(9_900)])
    assert waiting_of(again).until_ms == 10_400  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "inputs",
    [
        [],
        TIED,
        [*DECIDED, undo()],
        [*TIED, Input(kind="timer", now_ms=999)],
        [*TIED, Input(kind="cancel", now_ms=3)],
    ],
    ids=["before any vote", "while it waits", "twice", "a default", "a cancel"],
)
def test_g8_an_undo_of_nothing_changes_nothing(inputs: list[Input]) -> None:
    last = fold(VOTE, TIE, inputs)
    after = advance(VOTE, last, undo())
    assert [(one.reason, one.party) for one in after.rejected] == [("nothing_to_undo", "human")]
    assert replace(after, rejected=(), notes=last.notes) == replace(last, rejected=())


def test_an_undo_that_the_machine_refuses_leaves_the_decision() -> None:
    outcome = Choice(option="A", grounds=Grounds(rule="r", ended_by="person", inputs_digest="0"))

    def step(state: str, happened: Input) -> Step[str]:
        if happened.kind == "undo":
            return Step(state=state, rejected=(Rejected(reason="no", party=None, hint="no"),))
        return Step(state="ended", outcome=outcome)

    machine = Machine("x", lambda rules: Step(state="open"), step, lambda data: data)
    ended = fold(machine, None, [heard("human", "A")])
    after = advance(machine, ended, undo())
    assert (after.outcome, after.state) == (outcome, "ended")
    assert [one.reason for one in after.rejected] == ["no"]


def test_only_an_open_step_waits_for_a_person() -> None:
    waits = fold(VOTE, TIE, TIED)
    assert isinstance(waiting_of(waits), Waiting)
    assert waiting_of(replace(waits, outcome=fold(VOTE, TIE, DECIDED).outcome)) is None
    assert waiting_of(VOTE.start(TIE)) is None


def test_k2_a_record_with_an_undo_replays_the_same_at_every_length() -> None:
    whole = recorded(*DECIDED, undo(), heard("human", "B"), undo(), heard("human", "A"))
    kinds = [kind for kind, _ in whole]
    assert kinds.count(SEALED) == 3
    assert kinds.count(UNDONE) == 2
    for length in range(1, len(whole) + 1):
        found = replay(whole[:length])
        is_unsealed = kinds[length - 1] == INPUT and kinds[length : length + 1] == [SEALED]
        assert found.same is not is_unsealed, length
    assert replay(whole).recorded["option"] == "A"  # type: ignore[index]
    assert replay(whole[:-2]).recorded is None, "after an undo nothing is decided"


def test_k2_an_outcome_that_was_taken_back_is_compared_too() -> None:
    whole = recorded(*DECIDED, undo(), heard("human", "B"))
    at = [kind for kind, _ in whole].index(SEALED)
    outcome: Any = dict(whole[at][1]["outcome"])  # type: ignore[arg-type,call-overload]
    whole[at] = (SEALED, {"outcome": {**outcome, "option": "B"}})
    found = replay(whole)
    assert not found.same
    assert found.differences == ('outcome taken back.option: "A" now, "B" recorded',)
    assert found.outcome == found.recorded


def test_k2_an_undo_of_what_was_never_sealed_or_decided_is_no_replay() -> None:
    whole = recorded(*DECIDED, undo())
    unsealed = replay([one for one in whole if one[0] != SEALED])
    assert unsealed.differences == ("a decision is taken back that was never sealed",)
    twice = replay([*whole, whole[-1]])
    assert twice.differences == (
        "a decision is taken back that was never sealed",
        "entry 7 takes back a decision that nobody made",
    )
    assert not unsealed.same
    assert not twice.same


def test_k2_an_empty_field_that_only_one_has_is_a_difference() -> None:
    record = lines()
    outcome: Any = record[-1][1]["outcome"]
    found = replay([*record[:-1], (SEALED, {"outcome": {**outcome, "added": None}})])
    assert (found.same, found.differences) == (False, ("outcome: only one has an empty field",))
