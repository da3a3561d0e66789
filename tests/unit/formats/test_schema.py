"""Schema: the shape of a file, every fault at once (G7)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from comity.formats.scenario import READERS, schema_of
from comity.formats.schema import schema_faults

SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "description": "what it is called"},
        "count": {"type": "integer", "minimum": 1},
        "share": {"anyOf": [{"type": "number"}, {"type": "string"}]},
        "on": {"type": "boolean"},
        "mode": {"enum": ["fast", "safe"]},
        "rows": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        "seats": {
            "type": "object",
            "additionalProperties": {"type": "object", "required": ["priority"]},
        },
    },
}


def whats(data: object) -> list[str]:
    return [fault.what for fault in schema_faults(SCHEMA, data, whose="x.toml")]


@pytest.mark.parametrize(
    "data",
    [
        {"name": "a"},
        {"name": "a", "count": 1, "share": "1/3", "on": True, "mode": "safe"},
        {"name": "a", "share": Decimal("0.10")},
        {"name": "a", "share": 0.5, "rows": [[1, 2.5], []], "seats": {"CC": {"priority": "x"}}},
    ],
)
def test_data_of_the_right_shape_has_no_faults(data: Any) -> None:
    assert whats(data) == []


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ([], "the file is []"),
        ({}, "lacks name"),
        ({"name": 3}, "name is 3"),
        ({"name": "a", "count": 0}, "count is 0"),
        ({"name": "a", "count": True}, "count is true"),
        ({"name": "a", "count": 1.5}, "count is 1.5"),
        ({"name": "a", "on": 1}, "on is 1"),
        ({"name": "a", "share": [1]}, "share is [1]"),
        ({"name": "a", "mode": "fst"}, "mode is 'fst'"),
        ({"name": "a", "rows": [[1], ["x"]]}, "rows[1][0] is 'x'"),
        ({"name": "a", "rows": 3}, "rows is 3"),
        ({"name": "a", "seats": {"CC": {}}}, "lacks seats.CC.priority"),
        ({"name": "a", "cuont": 1}, "has an unknown key 'cuont'"),
    ],
)
def test_each_kind_of_fault_names_its_place(data: Any, what: Any) -> None:
    assert whats(data) == [what]


def test_g7_all_faults_are_told_at_once() -> None:
    data = {"count": 0, "mode": "x", "extra": 1, "seats": {"CC": {}, "CX": 5}}
    assert len(whats(data)) == 6


def test_near_names_are_offered() -> None:
    (fault,) = schema_faults(SCHEMA, {"name": "a", "cuont": 1}, whose="x.toml")
    assert fault.next == "did you mean 'count'"
    (fault,) = schema_faults(SCHEMA, {"name": "a", "mode": "fst"}, whose="x.toml")
    assert fault.next == "did you mean 'fast'"


def test_long_values_are_cut_in_messages() -> None:
    (fault,) = schema_faults(SCHEMA, {"name": ["x" * 500]}, whose="x.toml")
    assert len(fault.what) < 80


KNOWN = {
    "$schema",
    "title",
    "type",
    "description",
    "enum",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "maximum",
    "minimum",
    "anyOf",
}


@pytest.mark.parametrize("kind", READERS)
def test_shipped_schemas_use_only_what_is_checked(kind: Any) -> None:
    def look(schema: object) -> None:
        if not isinstance(schema, dict):
            return
        assert set(schema) <= KNOWN
        for inner in schema.get("properties", {}).values():
            look(inner)
        for inner in schema.get("anyOf", []):
            look(inner)
        look(schema.get("items"))
        look(schema.get("additionalProperties"))

    look(schema_of(kind))


def test_a_number_may_have_a_largest() -> None:
    schema = {"type": "object", "properties": {"rounds": {"type": "integer", "maximum": 9}}}
    assert not schema_faults(schema, {"rounds": 9}, whose="x")
    (fault,) = schema_faults(schema, {"rounds": 10**5000}, whose="x")
    assert (fault.what, fault.allowed) == ("rounds is too large", "9 or less")
