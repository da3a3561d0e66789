"""session/record.py: what a session writes down reads back the same (K1)."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.step import Input, InputKind
from comity.session.record import (
    INPUT,
    OPENED,
    SEALED,
    UNDONE,
    Line,
    Opening,
    entry_kind,
    input_body,
    input_from,
    inputs_of,
    seal_of,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
INPUTS = st.builds(
    Input,
    kind=st.sampled_from(get_args(InputKind)),
    now_ms=st.integers(0, 2**53 - 1),
    party=st.none() | TEXT,
    ask_id=st.none() | TEXT,
    body=st.none() | st.dictionaries(TEXT, JSON, max_size=4),
)


@given(INPUTS)
def test_an_input_reads_back_the_same_from_its_canonical_text(happened: Input) -> None:
    body = json.loads(canonical(input_body(happened)))
    assert input_from(body) == happened
    assert input_body(input_from(body)) == body


def test_an_opening_reads_back_the_same_from_its_canonical_text() -> None:
    opening = Opening(
        kind="consent",
        title="Which plan?",
        rules={"seats": ["CC", {"a": None}], "seed": "1/3"},
        agents={"CC": "rational"},
        made_by="0.1.0",
    )
    back = Opening.read(json.loads(canonical(opening.to_json())))
    assert back.to_json() == opening.to_json()
    assert (back.kind, back.title, back.made_by) == ("consent", "Which plan?", "0.1.0")
    assert back.agents == {"CC": "rational"}


def test_an_opening_needs_only_kind_title_and_rules() -> None:
    opening = Opening.read({"kind": "bargain", "title": "Price", "rules": {}})
    assert (opening.agents, opening.made_by) == ({}, "")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"kind": "timer"},
        {"kind": "thunder", "now_ms": 1},
        {"kind": "timer", "now_ms": 1.5},
        {"kind": "timer", "now_ms": True},
        {"kind": "timer", "now_ms": 1, "weather": "fair"},
        {"kind": "reply", "now_ms": 1, "party": 7},
        {"kind": "reply", "now_ms": 1, "body": ["text"]},
        {"kind": "reply", "now_ms": 1, "body": "text"},
    ],
)
def test_a_body_that_is_no_input_is_refused(body: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match="input"):
        input_from(body)  # type: ignore[arg-type]


def test_an_opening_with_every_fault_is_refused_once_for_all() -> None:
    with pytest.raises(InvalidInput) as caught:
        Opening.read({"kind": 5, "title": None, "colour": "red"})
    said = str(caught.value)
    assert all(word in said for word in ("kind", "title", "rules", "colour"))
    assert len(caught.value.faults) == 4


def test_every_kind_of_input_but_an_undo_is_an_entry_of_kind_input() -> None:
    kinds = {one: entry_kind(Input(kind=one, now_ms=1)) for one in get_args(InputKind)}
    assert kinds.pop("undo") == UNDONE
    assert set(kinds.values()) == {INPUT}


def test_the_inputs_of_a_record_are_those_and_the_undos_in_order() -> None:
    timer, undo = Input(kind="timer", now_ms=1), Input(kind="undo", now_ms=2)
    lines: list[Line] = [(OPENED, {}), (INPUT, input_body(timer)), (SEALED, {})]
    assert inputs_of([*lines, (UNDONE, input_body(undo)), ("note", {})]) == [timer, undo]


def test_the_seal_that_stands_is_the_first_since_the_last_undo() -> None:
    first, second, third = ((SEALED, {"outcome": {"n": n}}) for n in (1, 2, 3))
    opened: Line = (OPENED, {})
    undone: Line = (UNDONE, {})
    assert seal_of([opened]) is None
    assert seal_of([opened, first, second]) == first[1]
    assert seal_of([opened, first, undone]) is None
    assert seal_of([opened, first, undone, second, third]) == second[1]
    assert seal_of([opened, first, undone, second, undone, third]) == third[1]
