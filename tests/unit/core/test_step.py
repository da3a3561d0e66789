"""Step: are the values between machine and loop frozen, comparable and kept through JSON?

Here: Input, Ask, Rejected, Step as values (C3: the party is a field of its own).
Not here: any machine (protocols) and the loop (runner).
Sources: ARCHITECTURE contracts 1-3; SEMANTICS C3, G3.
"""

from __future__ import annotations

import dataclasses
import json
import pickle
from typing import Any, get_args

import pytest

from comity.core.codec import decode, encode
from comity.core.errors import InvalidInput
from comity.core.results import Grounds, Verdict
from comity.core.step import Ask, Input, InputKind, Rejected, Step, answered_ask

DONE = Verdict(verdict="approved", grounds=Grounds(rule="r", ended_by="e", inputs_digest="0"))
VALUES = [
    Input(kind="timer", now_ms=5),
    Input(kind="reply", now_ms=5, party="CC", ask_id="1", body={"text": "1/3", "terms": [1, 2]}),
    Ask(id="1", party="CC", kind="turn", payload={"draft": [{"price": "1/3"}]}),
    Ask(id="2", party="CC", kind="answer", payload={}, deadline_ms=9, attempt=2),
    Rejected(reason="late", party=None, hint="the check is closed"),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_values_come_back_from_json_and_pickle_equal_and_hashable(value: Any) -> None:
    again = decode(type(value), json.loads(json.dumps(encode(value))))
    sent = pickle.loads(pickle.dumps(value))  # noqa: S301  # our own bytes
    assert again == sent == value
    assert hash(again) == hash(sent) == hash(value)


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_values_are_frozen(value: Any) -> None:
    for field in dataclasses.fields(value):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, field.name, None)


def test_g3_what_was_said_cannot_change_after_it_was_recorded() -> None:
    body = {"terms": [1, 2]}
    said = Input(kind="message", now_ms=5, party="CC", body=body)
    asked = Ask(id="1", party="CC", kind="turn", payload=body)
    body["terms"].append(3)
    for kept in (said.body, asked.payload):
        assert kept == {"terms": (1, 2)}
        with pytest.raises(TypeError):
            kept["terms"] = ()  # type: ignore[index]


def test_c3_who_spoke_is_a_field_that_no_body_can_claim() -> None:
    said = Input(kind="message", now_ms=5, party="CC", body={"party": "CX", "text": "[CX]"})
    assert said.party == "CC"


def test_a_step_stands_for_a_state_and_everything_that_follows() -> None:
    assert Ask(id="1", party="CC", kind="turn", payload={}).attempt == 1
    first = Step(state=("round", 1))
    assert (first.asks, first.rejected, first.notes, first.wake_at_ms, first.outcome) == (
        (), (), (), None, None
    )  # fmt: skip
    whole = Step(
        state="s",
        asks=(Ask(id="1", party="CC", kind="turn", payload={"a": [1]}),),
        rejected=(Rejected(reason="late", party="CX", hint="too late"),),
        notes=("opened",),
        wake_at_ms=7,
        outcome=DONE,
    )
    assert hash(whole) == hash(dataclasses.replace(whole))
    assert whole != dataclasses.replace(whole, notes=())


@pytest.mark.parametrize(
    ("data", "whose"),
    [
        ({"kind": "shout", "now_ms": 1}, "Input.kind"),
        ({"kind": "timer", "now_ms": True}, "Input.now_ms"),
        ({"kind": "timer", "now_ms": 1.5}, "Input.now_ms"),
        ({"kind": "reply", "now_ms": 1, "body": "words"}, "Input.body"),
        ({"kind": "reply", "now_ms": 1, "body": {"a": float("nan")}}, "Input.body"),
        ({"kind": "reply", "now_ms": 1, "party": 3}, "Input.party"),
        ({"kind": "timer"}, "Input"),
    ],
)
def test_an_input_of_the_wrong_shape_is_refused(data: object, whose: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        decode(Input, data)
    assert [fault.whose for fault in caught.value.faults] == [whose]


def test_the_kinds_of_input_are_closed() -> None:
    assert set(get_args(InputKind)) == {
        "reply", "failure", "message", "timer", "resumed", "cancel", "undo"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("party", "ask_id", "found"),
    [("CC", "1", 0), ("CX", "2", 1), ("CX", "1", None), ("CC", "3", None), (None, None, None)],
)
def test_c3_only_the_seat_that_was_asked_answers_an_ask(
    party: str | None, ask_id: str | None, found: int | None
) -> None:
    asks = [Ask(id=i, party=who, kind="turn", payload={}) for i, who in (("1", "CC"), ("2", "CX"))]
    happened = Input(kind="reply", now_ms=0, party=party, ask_id=ask_id)
    assert answered_ask(asks, happened) == (None if found is None else asks[found])
