"""ledger/entry.py: what an entry holds, its hash, what is refused at the border, and its flaws."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import deepcopy
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from hashlib import sha256
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.canonical import Json, JsonObject, canonical, digest
from comity.core.errors import InvalidInput, LedgerCorrupt
from comity.ledger.entry import (
    GENESIS,
    LATEST_MS,
    LONGEST_NAME,
    Entry,
    NewEntry,
    Row,
    flaws,
    hash_of,
    name_flaw,
    restore,
    row_of,
    seal,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
BODIES = st.dictionaries(
    TEXT,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
        max_leaves=10,
    ).filter(lambda value: "Infinity" not in json.dumps(value)),
)


def made(holds: JsonObject | None = None, **fields: Any) -> Row:
    """A sound row, or one with other fields and a hash to fit."""
    new = NewEntry("note", holds or {})
    entry = seal(new, scope="s", seq=1, request_id=None, at_ms=5, prev=GENESIS)
    row = row_of(entry, text=new.text, idx=0)._replace(**fields)
    return row if "hash" in fields else row._replace(hash=hash_of(row))


@given(body=BODIES, party=st.none() | st.just("CC"), request_id=st.none() | st.just("r 1"))
def test_k1_the_hash_covers_every_other_field(
    body: dict[str, Json], party: str | None, request_id: str | None
) -> None:
    new = NewEntry("note", body, party)
    entry = seal(new, scope="s", seq=3, request_id=request_id, at_ms=4, prev="a" * 64)
    fields = entry.to_json()
    assert fields.pop("hash") == digest(fields)
    assert set(fields) == {*Entry.__dataclass_fields__} - {"hash"}


@given(body=BODIES)
def test_k1_an_entry_comes_back_from_its_row(body: dict[str, Json]) -> None:
    new = NewEntry("note", body)
    entry = seal(new, scope="s", seq=1, request_id=None, at_ms=0, prev=GENESIS)
    row = row_of(entry, text=new.text, idx=0)
    assert list(flaws(row)) == []
    assert restore(row) == entry
    assert canonical(restore(row).body) == row.body


def test_k1_changing_any_field_changes_the_hash() -> None:
    row = made()
    others: dict[str, Any] = {
        "scope": "t",
        "seq": 2,
        "kind": "other",
        "party": "CC",
        "body": '{"a":1}',
        "request_id": "r",
        "at_ms": 6,
        "prev": "1" * 64,
        "v": 2,
    }
    hashes = {hash_of(row._replace(**{name: value})) for name, value in others.items()}
    assert len({hash_of(row), *hashes}) == 10
    assert hash_of(row._replace(idx=7, hash="")) == hash_of(row)


def test_what_is_hashed_never_changes() -> None:
    """A ledger of today must verify for ever: a new form needs a new version number."""
    assert GENESIS == "0000000000000000000000000000000000000000000000000000000000000000"
    assert LATEST_MS == 9_007_199_254_740_991
    new = NewEntry("note", {"text": "ü", "n": [1, 0.5, None, True]}, "CC")
    entry = seal(new, scope="s", seq=2, request_id="r", at_ms=3, prev=GENESIS)
    text = (
        '{"at_ms":3,"body":{"n":[1,0.5,null,true],"text":"ü"},"kind":"note","party":"CC","prev":"'
        + "0" * 64
        + '","request_id":"r","scope":"s","seq":2,"v":1}'
    )
    assert entry.hash == sha256(text.encode()).hexdigest()


def test_no_two_rows_of_different_fields_run_into_each_other() -> None:
    one = made(kind='a","party":"b', party="c")
    other = made(kind="a", party='b","party":"c')
    assert one.hash != other.hash


def test_a_new_entry_keeps_exact_numbers_as_text_and_its_own_copy() -> None:
    given_body: dict[str, Any] = {"price": Fraction(171, 2), "d": Decimal("1.50"), "l": (1, 2)}
    kept = deepcopy(given_body)
    new = NewEntry("offer", given_body)
    given_body["l"] = "changed"
    given_body["more"] = "\0"
    assert new.body == {"price": "171/2", "d": "1.50", "l": (1, 2)}
    assert new.text == '{"d":"1.50","l":[1,2],"price":"171/2"}'
    assert NewEntry("offer", kept) == new
    assert hash(NewEntry("offer", kept)) == hash(new)
    with pytest.raises(TypeError):
        cast("Any", new.body)["price"] = 0


def test_a_kind_may_be_the_member_of_an_enumeration() -> None:
    class Kind(StrEnum):
        NOTE = "note"

    new = NewEntry(Kind.NOTE, {})
    entry = seal(new, scope="s", seq=1, request_id=None, at_ms=0, prev=GENESIS)
    assert entry == seal(
        NewEntry("note", {}), scope="s", seq=1, request_id=None, at_ms=0, prev=GENESIS
    )


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"a": "x\0y"}, "body.a"),
        ({"a": ["fine", {"b": "\ud800"}]}, "body.a[1].b"),
        ({"a\0": 1}, "a key of body"),
        ({"in": {"\udfff": 1}}, "a key of body.in"),
        ({"n": 10**4300}, "4300 digits"),
        ([], "body is of type list"),
        ("text", "body is of type str"),
        (7, "body is of type int"),
        (None, "body is of type NoneType"),
        ({"x": float("nan")}, "finite"),
        ({"x": {1, 2}}, "JSON"),
        ({1: 2}, "text as the key"),
    ],
)
def test_what_no_store_keeps_is_refused_with_its_place(body: Any, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        NewEntry("note", body)
    assert said in str(caught.value).replace(": ", " ")


def test_a_body_has_at_most_199_levels_so_that_its_entry_is_json_too() -> None:
    deep: Json = []
    for _ in range(197):
        deep = [deep]
    row = made({"a": deep})
    assert list(flaws(row)) == []
    assert canonical(restore(row).to_json())
    with pytest.raises(InvalidInput, match=r"body\.a\[0\].*is nested too deeply"):
        NewEntry("note", {"a": [deep]})
    with pytest.raises(InvalidInput, match="nested too deeply"):
        NewEntry("note", {"a": [[[deep]]]})
    with pytest.raises(InvalidInput, match="of type int"):
        NewEntry("note", cast("Any", 10**4000))
    endless: dict[str, Any] = {}
    endless["again"] = endless
    with pytest.raises(InvalidInput, match="nested too deeply"):
        NewEntry("note", endless)


def test_all_faults_of_a_new_entry_are_reported_together() -> None:
    with pytest.raises(InvalidInput) as caught:
        NewEntry("", {"a": "\0", "b": ["\0"], "c": {"\0": 1}}, "C\nC")
    whose = [fault.whose for fault in caught.value.faults]
    assert whose == ["new entry", "new entry", "body.a", "body.b[0]", "a key of body.c"]
    str(caught.value).encode()


def test_a_fault_in_a_badly_named_place_can_still_be_printed() -> None:
    with pytest.raises(InvalidInput) as caught:
        NewEntry("note", {"\ud800": "\ud800"})
    str(caught.value).encode()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (None, "is None, not text"),
        (7, "is 7, not text"),
        ("", "is empty"),
        ("x" * (LONGEST_NAME + 1), "has 201 characters"),
        ("a\0", "U+0000"),
        ("a\n", "U+000A"),
        ("\x7f", "U+007F"),
        ("\x9f", "U+009F"),
        ("\ud800", "U+D800"),
        ("a\udfff", "U+DFFF"),
    ],
)
def test_an_unfit_name_is_told_why(name: object, said: str) -> None:
    assert said in (name_flaw(name) or "")


@pytest.mark.parametrize("name", ["a", "ü 漢 😀", "x" * LONGEST_NAME, "~", "\xa0", "\ue000"])
def test_a_fit_name_has_no_flaw(name: str) -> None:
    assert name_flaw(name) is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (made(scope=""), ["scope is empty"]),
        (made(kind="a\x01"), ["kind holds a character no store keeps (U+0001)"]),
        (made(party=""), ["party is empty"]),
        (made(request_id="\t"), ["request_id holds a character no store keeps (U+0009)"]),
        (made(seq=0), ["seq is 0, below 1"]),
        (made(at_ms=-1), [f"at_ms is -1, outside 0 to {LATEST_MS}"]),
        (made(at_ms=LATEST_MS + 1), [f"at_ms is {LATEST_MS + 1}, outside 0 to {LATEST_MS}"]),
        (made(v=2), ["v is 2, an unknown version"]),
        (made(v=0), ["v is 0, an unknown version"]),
        (made(hash="0" * 64), ["its hash is not the hash of what it holds"]),
        (made(body=""), ["body is not a JSON object"]),
        (made(body="[1]"), ["body is not a JSON object"]),
        (made(body="{"), ["body is not a JSON object"]),
        (made(body="[" * 100_000), ["body is not a JSON object"]),
        (made(body='{"a":' * 100_000), ["body is not a JSON object"]),
        (made(body='{"a":1' + "0" * 5000 + "}"), ["body is not a JSON object"]),
        (made(body='{"a":' * 300 + "1" + "}" * 300), ["body is not a JSON object"]),
        (
            made(body='{"a":' + "[" * 199 + "]" * 199 + "}"),
            [f"body.a{'[0]' * 24}[0 is nested too deeply"],
        ),
        (made(body='{"a": 1}'), ["body is not in canonical form"]),
        (made(body='{"b":1,"a":1}'), ["body is not in canonical form"]),
        (made(body='{"a":1,"a":1}'), ["body is not in canonical form"]),
        (made(body='{"a":1.50}'), ["body is not in canonical form"]),
        (made(body='{"a":"\\u00fc"}'), ["body is not in canonical form"]),
        (made(body='{"a":NaN}'), ["body.a is nan"]),
        (made(body='{"a":[1e999]}'), ["body.a[0] is inf"]),
        (made(body='{"a":"\\u0000"}'), ["body.a holds NUL or a lone surrogate"]),
        (made(body='{"a":"\\ud800"}'), ["body.a holds NUL or a lone surrogate"]),
        (made(body='{"a":"\ud800"}'), ["body.a holds NUL or a lone surrogate"]),
        (
            made(scope="", v=3, body="7", hash="x"),
            [
                "scope is empty",
                "v is 3, an unknown version",
                "body is not a JSON object",
                "its hash is not the hash of what it holds",
            ],
        ),
    ],
)
def test_k1_every_flaw_of_a_row_is_named(row: Row, said: list[str]) -> None:
    assert list(flaws(row)) == said


@pytest.mark.parametrize("name", Row._fields)
@pytest.mark.parametrize("value", [None, b"\xff", 1.0, True, 7, "7"])
def test_k1_a_value_of_the_wrong_type_is_named_with_its_column(name: str, value: object) -> None:
    wanted: type = int if name in {"seq", "idx", "at_ms", "v"} else str
    fits = type(value) is wanted or (value is None and name in {"party", "request_id"})
    kind = "a whole number" if wanted is int else "text"
    changed: dict[str, Any] = {name: value}
    said = list(flaws(made()._replace(**changed)))
    assert (said == [f"{name} is {value!r}, not {kind}"]) is not fits


def test_the_outermost_times_and_numbers_are_sound() -> None:
    for row in (made(at_ms=0), made(at_ms=LATEST_MS), made(seq=1), made(seq=2**62)):
        assert list(flaws(row)) == []


def test_k1_all_values_of_wrong_types_are_named() -> None:
    said = list(flaws([b"s", 1, "0", "k", None, 5, None, 1, "", "", 1]))
    assert said == [
        "scope is b's', not text",
        "idx is '0', not a whole number",
        "body is 5, not text",
    ]


@pytest.mark.parametrize(
    "row",
    [
        made(hash="0" * 64),
        made(body="[1]"),
        made(body="{"),
        made()._replace(at_ms=cast("int", 5.0)),
        made()._replace(scope=cast("str", None)),
    ],
)
def test_k1_a_row_that_is_not_what_was_written_cannot_be_restored(row: Row) -> None:
    with pytest.raises(LedgerCorrupt, match="is not what was written") as caught:
        restore(row)
    assert next(flaws(row)) in str(caught.value)


def test_an_entry_is_a_value() -> None:
    entry = restore(made({"a": 1}))
    assert entry == restore(made({"a": 1}))
    assert hash(entry) == hash(restore(made({"a": 1})))
    assert isinstance(entry.body, Mapping)
    with pytest.raises(AttributeError):
        entry.seq = 2  # type: ignore[misc]
