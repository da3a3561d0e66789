"""Codec: does a dataclass come back from JSON equal, and is every other JSON refused whole?

Here: field types one by one, faults all at once, numbers beside text (G1, G5, G7).
Not here: results of every kind by generation (tests/properties/test_core_laws.py).
Sources: ARCHITECTURE contract 4; SEMANTICS G1, G5, G7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from typing import Any, Literal

import pytest

from comity.core.canonical import MAX_DEPTH, FrozenObject, Json, JsonObject
from comity.core.codec import decode, encode
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact
from comity.core.parties import Party, Roster, roster_of
from comity.core.ties import lot

CC = Party("CC")


@dataclass(frozen=True, slots=True)
class Every:
    """One field of every type the codec knows."""

    text: str = ""
    flag: bool = False
    whole: int = 0
    share: float = 0.0
    money: Decimal = Decimal(0)
    ratio: Fraction = Fraction(0)
    exact: Exact = 0
    maybe: Exact | None = None
    either: Exact | str = 0
    either_or_none: Exact | str | None = None
    score: Exact | float = 0
    loose: int | float = 0
    union: Party | bool | None = None
    word: Literal["yes", "no", 1] = "yes"
    data: Json = None
    anything: object = None
    body: JsonObject = field(default_factory=FrozenObject)
    body_or_none: JsonObject | None = None
    party: Party = CC
    seat: Party | None = None
    several: tuple[Party, ...] = ()
    pair: tuple[str, int] = ("a", 1)
    terms: tuple[tuple[str, Exact | str], ...] = ()
    optional_terms: tuple[tuple[str, Exact | str], ...] | None = None
    none: tuple[()] = ()


@dataclass(frozen=True, slots=True)
class Bare:
    """No fields at all."""


@dataclass(frozen=True, slots=True)
class Counted:
    """A field that nobody hands in."""

    name: str
    length: int = field(init=False, default=0)


def there_and_back(value: Any) -> Any:
    return decode(type(value), json.loads(json.dumps(encode(value))))


# --- writing ---------------------------------------------------------------------------------


def test_a_dataclass_is_written_as_its_fields_whatever_it_is_in() -> None:
    assert encode(
        {"roster": roster_of(["b", Party("a", Fraction(1, 3))]), "list": (1, [Bare()])}
    ) == {
        "roster": {"parties": [{"id": "a", "weight": "1/3"}, {"id": "b", "weight": 1}]},
        "list": [1, [{}]],
    }


@pytest.mark.parametrize(
    "value", [float("nan"), {1: 2}, {"a": {1: 2}}, {1}, Party, [Every(share=float("inf"))]]
)
def test_what_has_no_exact_text_is_not_written(value: object) -> None:
    with pytest.raises(InvalidInput, match="cannot be written as JSON"):
        encode(value)


def test_text_of_another_class_is_written_as_text() -> None:
    class Word(str):
        __slots__ = ()

    written = encode({Word("a"): [Word("1/3"), Every(either=Word("1/3"))]})
    assert isinstance(written, dict)
    inner = written["a"][1]["either"]["text"]
    assert [type(one) for one in (*written, written["a"][0], inner)] == [str, str, str]


def test_two_keys_never_fall_together() -> None:
    with pytest.raises(
        InvalidInput, match=r"1 cannot be written as JSON\. Allowed: text as the key"
    ):
        encode({1: "a", "1": "b"})


def test_writing_ends_at_a_stated_depth() -> None:
    itself: list[object] = []
    itself.append({"again": (itself,)})
    deep: object = Party("CC")
    for _ in range(MAX_DEPTH):
        deep = [deep]
    assert json.dumps(encode(deep)).count("[") == MAX_DEPTH
    for value in (itself, [deep]):
        with pytest.raises(InvalidInput, match="is nested too deeply"):
            encode(value)


# --- there and back --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value",
    [
        Every(),
        Every(text="1/3", flag=True, whole=-(10**4000), share=0.1),
        Every(money=Decimal("80.00"), ratio=Fraction(1, 3), exact=Decimal("-1E-7")),
        Every(ratio=Fraction(80), money=Decimal("1E+3"), exact=Fraction(80)),
        Every(share=-0.0, score=0.5, loose=0.5),
        Every(score=Fraction(1, 3), loose=3),
        Every(score=3, maybe=Fraction(-5, 7), union=True),
        Every(union=Party("GM"), seat=Party("CX", 2), word=1),
        Every(data=(1, 2.5, True, None, "x", FrozenObject(a=(1,)))),
        Every(body=FrozenObject(text="1/3"), body_or_none=FrozenObject(), anything=(1, "2")),
        Every(several=(Party("a"), Party("b", Decimal("0.5"))), pair=("b", 2)),
        Every(terms=(("price", Fraction(171, 2)), ("tls", "1.3")), optional_terms=(("a", "b"),)),
    ],
    ids=shown,
)
def test_every_field_type_comes_back_equal(value: Every) -> None:
    again = there_and_back(value)
    assert again == value
    assert hash(again) == hash(value)
    assert encode(again) == encode(value)


def test_a_whole_number_stays_one_where_a_float_may_stand() -> None:
    again = there_and_back(Every(data=3, score=3, loose=3, anything=[3]))
    assert [type(one) for one in (again.data, again.score, again.loose)] == [int, int, int]
    assert type(there_and_back(Every(share=3)).share) is float


def test_types_of_exact_numbers_come_back() -> None:
    again = there_and_back(Every(money=Decimal(3), ratio=Fraction(3), maybe=Decimal("0.10")))
    assert [type(one) for one in (again.money, again.ratio, again.maybe)] == [
        Decimal,
        Fraction,
        Decimal,
    ]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (80, 80),
        (Decimal(80), 80),
        (Decimal("0.10"), "0.10"),
        (Fraction(1, 3), "1/3"),
        ("fast", "fast"),
        ("80", "80"),
        ("", ""),
        ("1.3", {"text": "1.3"}),
        ("24/7", {"text": "24/7"}),
        (" .5 ", {"text": " .5 "}),
        ("1/0", "1/0"),
        ("1e3", "1e3"),
        ("nan", "nan"),
    ],
)
def test_g1_a_number_and_text_that_reads_like_it_stay_apart(value: Any, written: Any) -> None:
    for one in (
        Every(either=value),
        Every(either_or_none=value),
        Every(terms=(("t", value),)),
        Every(optional_terms=(("t", value),)),
    ):
        again = there_and_back(one)
        assert again == one
        assert encode(again) == encode(one)
    assert encode(Every(either=value))["either"] == written  # type: ignore[index,call-overload]
    assert isinstance(there_and_back(Every(either=value)).either, str) == isinstance(value, str)


def test_a_field_that_nobody_hands_in_is_not_read() -> None:
    with pytest.raises(InvalidInput, match="has an unknown field 'length'"):
        decode(Counted, {"name": "a", "length": 3})
    assert decode(Counted, {"name": "a"}).length == 0


def test_what_was_read_cannot_change_and_does_not_follow_its_source() -> None:
    source: dict[str, Any] = {"data": {"a": [1]}, "body": {"b": [2]}}
    value = decode(Every, source)
    source["data"]["a"].append(2)
    assert value == Every(data=FrozenObject(a=(1,)), body=FrozenObject(b=(2,)))
    assert isinstance(value.data, Mapping)
    with pytest.raises(TypeError):
        value.data["a"] = 2  # type: ignore[index]


# --- refusals --------------------------------------------------------------------------------

HUGE = 10**5000
NUMBER = "a number such as 120, 0.10 or 1/3"
EXACT = "a finite int, Decimal or Fraction, or text such as 120, 0.10 or 1/3"


@pytest.mark.parametrize(
    ("name", "value", "what", "allowed"),
    [
        ("text", 3, "is 3", "text"),
        ("text", None, "is None", "text"),
        ("flag", 1, "is 1", "true or false"),
        ("whole", True, "is True", "a whole number"),
        ("whole", 1.0, "is 1.0", "a whole number"),
        ("whole", HUGE, "is an int that is too long to show", "a whole number"),
        ("whole", "1", "is '1'", "a whole number"),
        ("share", True, "is True", "a finite number"),
        ("share", float("nan"), "is nan", "a finite number"),
        ("share", float("inf"), "is inf", "a finite number"),
        ("share", HUGE, "is an int that is too long to show", "a finite number"),
        ("share", "0.5", "is '0.5'", "a finite number"),
        ("money", "1/3", "is '1/3'", "a number with finitely many decimals"),
        ("union", 3, "is 3", "the fields of Party or true or false"),
        ("word", "maybe", "is 'maybe'", "one of yes, no, 1"),
        ("word", True, "is True", "one of yes, no, 1"),
        ("word", ["yes"], "is ['yes']", "one of yes, no, 1"),
        ("loose", "x", "is 'x'", "a whole number or a finite number"),
        ("score", "x", "is 'x'", "a finite number or an exact number"),
        ("body", [1], "is [1]", "an object"),
        ("body", None, "is None", "an object"),
        ("body_or_none", 3, "is 3", "an object"),
        ("party", "CC", "is 'CC'", "an object"),
        ("seat", "CC", "is 'CC'", "an object"),
        ("several", {"id": "CC"}, "is {'id': 'CC'}", "a list"),
        ("several", "CC", "is 'CC'", "a list"),
        ("pair", ["a"], "is ['a']", "a list of 2"),
        ("pair", [], "is []", "a list of 2"),
        ("none", [1], "is [1]", "a list of 0"),
        ("data", float("nan"), "nan cannot be written as JSON", "a finite number"),
        ("data", {1: 2}, "1 cannot be written as JSON", "text as the key of an object"),
        ("anything", {"a": [{2}]}, "{2} cannot be written as JSON",
         "None, bool, numbers, text, lists and objects"),
    ], ids=shown)  # fmt: skip
def test_a_value_of_the_wrong_type_is_refused_at_its_place(
    name: str, value: Any, what: str, allowed: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        decode(Every, {name: value})
    (fault,) = caught.value.faults
    assert (fault.whose.split("[")[0], fault.what) == (f"Every.{name}", what)
    assert fault.allowed == allowed


@pytest.mark.parametrize("name", ["ratio", "exact", "maybe", "money", "either", "either_or_none"])
@pytest.mark.parametrize(
    "value", [True, float("nan"), float("-inf"), [1], {"text": 1}, {"x": "1"}]
)
def test_g5_what_is_no_exact_number_is_refused(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        decode(Every, {name: value})
    allowed = EXACT if isinstance(value, float) and isfinite(value) else NUMBER
    assert str(caught.value) == (
        f"Every.{name}: value is {value!r}. Allowed: {allowed}. "
        "Next: give value as an exact number."
    )


@pytest.mark.parametrize("name", ["ratio", "exact", "maybe", "money", "either", "score"])
def test_g5_a_number_too_long_is_refused_not_crashed_on(name: str) -> None:
    with pytest.raises(InvalidInput, match=rf"^Every\.{name}: "):
        decode(Every, {name: HUGE})


def test_g7_all_faults_are_told_at_once_each_at_its_place() -> None:
    data = {
        "text": 1,
        "several": [{"id": 1}, {"id": "a", "weight": "x", "extra": 0}, {}, 3],
        "pair": [1, "a"],
        "terms": [["a", 1], ["b"], ["c", None], 4],
        "colour": "red",
        7: "seven",
    }
    with pytest.raises(InvalidInput) as caught:
        decode(Every, data, where="scenario")
    told = [(fault.whose, fault.what) for fault in caught.value.faults]
    assert told == [
        ("scenario", "has an unknown field 'colour'"),
        ("scenario", "has an unknown field 7"),
        ("scenario.text", "is 1"),
        ("scenario.several[0].id", "is 1"),
        ("scenario.several[1]", "has an unknown field 'extra'"),
        ("scenario.several[1].weight", "value is 'x'"),
        ("scenario.several[2]", "lacks the field 'id'"),
        ("scenario.several[3]", "is 3"),
        ("scenario.pair[0]", "is 1"),
        ("scenario.pair[1]", "is 'a'"),
        ("scenario.terms[1]", "is ['b']"),
        ("scenario.terms[2][1]", "value is None"),
        ("scenario.terms[3]", "is 4"),
    ]


@pytest.mark.parametrize(
    ("cls", "data", "sentence"),
    [
        (Party, [], "Party: is []. Allowed: an object. Next: give its fields."),
        (Party, None, "Party: is None. Allowed: an object. Next: give its fields."),
        (Party, {}, "Party: lacks the field 'id'. Allowed: all fields. Next: add it."),
        (
            Party,
            {"id": "a", "wieght": 1},
            "Party: has an unknown field 'wieght'. Allowed: fields id, weight. Next: remove it.",
        ),
        (Bare, {"a": 1}, "Bare: has an unknown field 'a'. Allowed: no fields. Next: remove it."),
        (Party, {"id": 3}, "Party.id: is 3. Allowed: text. Next: correct the value."),
        (
            Roster,
            {"parties": {"id": "a"}},
            "Roster.parties: is {'id': 'a'}. Allowed: a list. Next: correct the value.",
        ),
        (
            Party,
            {"id": "a", "\x1b[2J": 1},
            "Party: has an unknown field '\\x1b[2J'. Allowed: fields id, weight. Next: remove it.",
        ),
    ],
)
def test_refusals_are_sentences(cls: type, data: object, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        decode(cls, data)
    assert str(caught.value) == sentence


def test_a_deep_document_is_refused_not_crashed_on() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = {"a": [deep]}
    for name in ("data", "anything", "body", "text", "union", "party"):
        with pytest.raises(InvalidInput, match=rf"^Every\.{name}: "):
            decode(Every, {name: deep})


def test_a_tie_comes_back_as_the_same_tie() -> None:
    tie = lot("7", "winner", ["b", "a"])
    assert there_and_back(tie) == tie


# --- a class that writes and reads itself ----------------------------------------------------


class Own:
    """A value with a JSON of its own, as an election is."""

    def __init__(self, marks: tuple[int, ...]) -> None:
        self.marks = marks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and other.marks == self.marks

    def __hash__(self) -> int:
        return hash(self.marks)

    def to_json(self) -> dict[str, object]:
        return {"marks": list(self.marks), "share": Fraction(1, 3)}

    @classmethod
    def from_json(cls, data: Any) -> Own:
        if not isinstance(data, dict) or data.get("share") != "1/3":
            raise InvalidInput(Fault("own", "cannot be read", "its own JSON", "give that"))
        return cls(tuple(data["marks"]))


@dataclass(frozen=True, slots=True)
class Holding:
    """Fields of such a class, alone, optional and in a list."""

    one: Own
    maybe: Own | None = None
    several: tuple[Own, ...] = ()


def test_a_class_with_its_own_json_writes_and_reads_itself() -> None:
    value = Holding(Own((1, 2)), Own((3,)), (Own(()), Own((4,))))
    written = {"marks": [1, 2], "share": "1/3"}
    assert encode(value)["one"] == written  # type: ignore[index,call-overload]  # an object
    assert there_and_back(value) == value
    assert there_and_back(Holding(Own((1,)))).maybe is None
    assert encode([Own((1, 2))]) == [written]


def test_what_such_a_class_refuses_is_refused_beside_all_other_faults() -> None:
    with pytest.raises(InvalidInput) as caught:
        decode(Holding, {"one": 3, "several": [{"marks": [1], "share": "1/3"}, {}], "colour": 1})
    assert [fault.whose for fault in caught.value.faults] == ["Holding", "own", "own"]


def test_a_class_that_only_writes_itself_is_written_by_its_fields() -> None:
    @dataclass(frozen=True)
    class Half:
        name: str

        def to_json(self) -> str:
            return "never asked"

    assert encode(Half("a")) == {"name": "a"}
