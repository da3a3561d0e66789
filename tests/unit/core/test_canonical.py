"""Canonical: is there one text for one value, and is what has no exact text refused?

Here: plain types, the canonical text, digests, frozen JSON (G1, G3).
Not here: dataclasses (test_codec.py), orders of dicts at large (tests/properties).
Sources: SEMANTICS G1, G3, G5.
"""

from __future__ import annotations

import copy
import enum
import json
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from comity.core.canonical import (
    MAX_DEPTH,
    FrozenObject,
    canonical,
    digest,
    frozen,
    plain,
)
from comity.core.errors import InvalidInput, shown
from comity.core.parties import Party
from comity.core.units import Rates

ROOT = Path(__file__).resolve().parents[3]


class Colour(str, enum.Enum):  # noqa: UP042  # the older way, whose str() is not its text
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Loud(float):
    def __repr__(self) -> str:
        return "loud"


class Endless:
    def to_json(self) -> object:
        return [self]


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


class Wrapped:
    def __init__(self, inner: object) -> None:
        self.inner = inner

    def to_json(self) -> object:
        return self.inner


# --- plain -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "made"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (0.5, 0.5),
        ("ü", "ü"),
        (Fraction(1, 3), "1/3"),
        (Fraction(80), 80),
        (Decimal("80.00"), "80.00"),
        (Decimal(80), 80),
        (Decimal("1E+3"), 1000),
        (Decimal("-1E-7"), "-0.0000001"),
        ((1, [2, (3,)]), [1, [2, [3]]]),
        (MappingProxyType({"a": (1,)}), {"a": [1]}),
        (Party("CC", Fraction(1, 2)), {"id": "CC", "weight": "1/2"}),
        (Rates("GBP", (("ms", Fraction(1, 50)),)), {"unit": "GBP", "worth": {"ms": "1/50"}}),
        ({Colour.RED: Level.HIGH}, {"red": 3}),
        (Colour.RED, "red"),
        (Loud(0.5), 0.5),
    ],
)
def test_values_become_plain_json_types(value: object, made: object) -> None:
    found = plain(value)
    assert found == made
    assert json.loads(json.dumps(found)) == made
    assert type(found) in {type(None), bool, int, float, str, list, dict}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (float("nan"), "nan cannot be written as JSON. Allowed: a finite number."),
        (float("-inf"), "-inf cannot be written as JSON. Allowed: a finite number."),
        (Decimal("NaN"), "Decimal('NaN') cannot be written as JSON. Allowed: a finite number."),
        (10**4300, "a number that long cannot be written as JSON. Allowed: at most 4300 digits."),
        (
            Fraction(1, 10**4300),
            "a number that long cannot be written as JSON. Allowed: at most 4300 digits.",
        ),
        (
            Decimal("1E+99999999999"),
            "a number that long cannot be written as JSON. Allowed: at most 4300 digits.",
        ),
        ({1: 2}, "1 cannot be written as JSON. Allowed: text as the key of an object."),
        (
            {10**5000: 2},
            (
                "an int that is too long to show cannot be written as JSON. "
                "Allowed: text as the key of an object."
            ),
        ),
        (
            {1},
            (
                "{1} cannot be written as JSON. "
                "Allowed: None, bool, numbers, text, lists and objects."
            ),
        ),
        (
            b"x",
            (
                "b'x' cannot be written as JSON. "
                "Allowed: None, bool, numbers, text, lists and objects."
            ),
        ),
        (
            Party,
            (
                "<class 'comity.core.parties.Party'> cannot be written as JSON. "
                "Allowed: None, bool, numbers, text, lists and objects."
            ),
        ),
    ],
    ids=shown,
)
def test_what_has_no_exact_text_is_refused(value: object, sentence: str) -> None:
    for place in (value, [value], {"a": {"b": value}}):
        with pytest.raises(InvalidInput) as caught:
            plain(place)
        assert str(caught.value) == f"value: {sentence} Next: correct the value."


def test_nesting_ends_at_a_stated_depth_and_a_list_inside_itself_is_too_deep() -> None:
    itself: list[object] = []
    itself.append(itself)
    around: dict[str, object] = {}
    around["a"] = (around,)
    assert plain(nested(MAX_DEPTH)) == nested(MAX_DEPTH)
    for value in (nested(MAX_DEPTH + 1), nested(100_000), itself, around, Endless()):
        with pytest.raises(InvalidInput) as caught:
            plain(value)
        assert str(caught.value) == (
            "value: is nested too deeply. Allowed: at most 200 levels. "
            "Next: flatten it or write it as text."
        )


@pytest.mark.parametrize("wrap", [lambda one: [one], lambda one: {"a": one}, Wrapped])
def test_lists_objects_and_values_count_as_levels_alike(wrap: Any) -> None:
    value: Any = 1
    for _ in range(MAX_DEPTH):
        value = wrap(value)
    plain(value)
    with pytest.raises(InvalidInput, match="is nested too deeply"):
        plain(wrap(value))
    if wrap is not Wrapped:
        frozen(value)
        with pytest.raises(InvalidInput, match="is nested too deeply"):
            frozen(wrap(value))


# --- one text --------------------------------------------------------------------------------


def test_the_canonical_text_sorts_by_code_point_and_has_no_spaces() -> None:
    value = {"b": 1, "a": [True, None, "ü"], "Z": {"y": 0.5, "x": Fraction(1, 3)}, "é": "\n"}
    assert canonical(value) == ('{"Z":{"x":"1/3","y":0.5},"a":[true,null,"ü"],"b":1,"é":"\\n"}')


def test_the_order_of_a_dict_changes_nothing() -> None:
    there = {"a": 1, "b": {"c": 2, "d": 3}}
    back = {"b": {"d": 3, "c": 2}, "a": 1}
    assert canonical(there) == canonical(back)
    assert digest(there) == digest(back)


def test_a_digest_is_the_sha256_of_the_text() -> None:
    assert digest({"ü": [1, "1"]}) == sha256('{"ü":[1,"1"]}'.encode()).hexdigest()
    assert digest("\ud800") == sha256(b'"\xed\xa0\x80"').hexdigest()


def test_equal_numbers_of_other_types_have_the_digest_of_the_integer() -> None:
    assert digest(80) == digest(Fraction(80)) == digest(Decimal(80))
    assert len({digest(one) for one in (1, 1.0, True, "1")}) == 4


def test_a_lowered_limit_of_digits_is_told_as_a_fault() -> None:
    code = (
        "from comity.core.canonical import canonical\n"
        "from comity.core.errors import InvalidInput\n"
        "try:\n    canonical([10**700])\n"
        "except InvalidInput as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "int_max_str_digits=640", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout == (
        "value: a number that long cannot be written as JSON. "
        "Allowed: what this process writes. Next: correct the value.\n"
    )


def test_a_lowered_limit_of_digits_is_a_fault_in_this_process_too() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(InvalidInput, match="Allowed: what this process writes"):
            canonical({"a": 10**700})
    finally:
        sys.set_int_max_str_digits(before)


# --- frozen JSON -----------------------------------------------------------------------------


def test_frozen_json_equals_its_source_and_does_not_follow_it() -> None:
    source = {"offers": [80, {"by": "CC"}], "round": 4}
    value = frozen(source)
    assert value == {"offers": (80, {"by": "CC"}), "round": 4}
    source["offers"].append(90)  # type: ignore[attr-defined]
    assert value == {"offers": (80, {"by": "CC"}), "round": 4}
    assert frozen(value) == value
    assert repr(value) == "{'offers': (80, {'by': 'CC'}), 'round': 4}"


@pytest.mark.parametrize(
    "change",
    [
        lambda one: one.__setitem__("a", 2),
        lambda one: one.__delitem__("a"),
        lambda one: one.__ior__({"a": 2}),
        lambda one: one.update(a=2),
        lambda one: one.setdefault("b", 2),
        lambda one: one.pop("a"),
        lambda one: one.popitem(),
        lambda one: one.clear(),
    ],
)
def test_a_frozen_object_refuses_every_change(change: Any) -> None:
    one = FrozenObject(a=1)
    with pytest.raises(TypeError, match="part of a recorded value and cannot change"):
        change(one)
    assert one == {"a": 1}


def test_frozen_json_can_be_hashed_copied_and_sent_to_another_process() -> None:
    one, other = frozen({"a": 1, "b": [2]}), frozen({"b": [2], "a": 1})
    assert hash(one) == hash(other)
    assert len({one, other}) == 1
    for again in (
        copy.copy(one),
        copy.deepcopy(one),
        pickle.loads(pickle.dumps(one)),  # noqa: S301  # our own bytes
    ):
        assert again == one
        assert type(again) is FrozenObject
    assert canonical(one) == '{"a":1,"b":[2]}'


def test_freezing_ends_at_the_same_depth() -> None:
    itself: list[Any] = []
    itself.append(itself)
    frozen(nested(MAX_DEPTH))
    for value in (nested(MAX_DEPTH + 1), itself):
        with pytest.raises(InvalidInput, match="is nested too deeply"):
            frozen(value)
