"""session/fold.py: state is the fold of the record; replay says same or shows where not (K2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.errors import InvalidInput
from comity.core.step import Input, Step
from comity.protocols.consent.rules import ConsentLimits, consent_rules
from comity.session.fold import Line, advance, fold, replay
from comity.session.record import INPUT, OPENED, SEALED, Opening, input_body
from comity.session.registry import machine_of

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
