"""Schema: does a file have the shape it should have, and what is wrong if not?

Here: checking plain data against the small part of JSON Schema that our files use (type, enum,
properties, required, additionalProperties, items, minimum, maximum, anyOf), every fault at once,
unknown keys with the nearest known one.
Not here: the schemas of the kinds (beside their readers).
Sources: JSON Schema 2020-12 and draft 4, the part both share.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from comity.core.errors import Fault, did_you_mean

__all__ = ["Schema", "schema_faults"]

Schema = Mapping[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (Mapping,),
    "array": (list, tuple),
    "string": (str,),
    "integer": (int,),
    "number": (int, float, Decimal),
    "boolean": (bool,),
    "null": (type(None),),
}


def schema_faults(schema: Schema, data: object, *, whose: str) -> list[Fault]:
    """Return every fault of some data against a schema.

    Args:
        schema: the schema.
        data: the data, as TOML or JSON gave it.
        whose: the file, for messages.

    Returns:
        The faults, in the order of the data.

    Example:
        >>> schema = {
        ...     "type": "object",
        ...     "additionalProperties": False,
        ...     "properties": {"rounds": {"type": "integer", "minimum": 0}},
        ... }
        >>> [fault.next for fault in schema_faults(schema, {"round": 5}, whose="x.toml")]
        ["did you mean 'rounds'"]
    """
    return [] if _fits(schema, data) else _check(schema, data, whose, "")


def _fits(schema: Schema, data: object) -> bool:
    """Tell whether `_check` finds nothing; it names no places, so that large files are fast."""
    if "anyOf" in schema:
        return any(_fits(option, data) for option in schema["anyOf"])
    kind = schema.get("type")
    if kind is not None and not _is(kind, data):
        return False
    if isinstance(data, str):
        return "enum" not in schema or data in schema["enum"]
    if isinstance(data, Mapping) and "enum" not in schema:
        known, other = schema.get("properties", {}), schema.get("additionalProperties", True)
        return all(key in data for key in schema.get("required", ())) and all(
            _fits(known[key], item)
            if key in known
            else _fits(other, item)
            if isinstance(other, Mapping)
            else other is not False
            for key, item in data.items()
        )
    if isinstance(data, (list, tuple)) and "enum" not in schema:
        own = schema.get("items")
        return own is None or all(_fits(own, item) for item in data)
    return not _check(schema, data, "", "")


def _check(schema: Schema, data: object, whose: str, path: str) -> list[Fault]:
    if "anyOf" in schema:
        tries = [_check(option, data, whose, path) for option in schema["anyOf"]]
        return [] if any(not one for one in tries) else min(tries, key=_mildness)
    shown = path or "the file"
    kind = schema.get("type")
    if kind is not None and not _is(kind, data):
        return [
            Fault(whose, f"{shown} is {_brief(data)}", f"{_article(kind)}", f"correct {shown}")
        ]
    if "enum" in schema and data not in schema["enum"]:
        options = [str(one) for one in schema["enum"]]
        return [
            Fault(
                whose,
                f"{shown} is {_brief(data)}",
                ", ".join(options),
                did_you_mean(str(data), options),
            )
        ]
    if "minimum" in schema and isinstance(data, (int, float)) and data < schema["minimum"]:
        return [
            Fault(whose, f"{shown} is {data}", f"{schema['minimum']} or more", f"raise {shown}")
        ]
    if "maximum" in schema and isinstance(data, (int, float)) and data > schema["maximum"]:
        allowed = f"{schema['maximum']} or less"
        return [Fault(whose, f"{shown} is too large", allowed, f"lower {shown}")]
    if isinstance(data, Mapping):
        return _check_object(schema, data, whose, path)
    if isinstance(data, (list, tuple)) and "items" in schema:
        return [
            fault
            for at, item in enumerate(data)
            for fault in _check(schema["items"], item, whose, f"{path}[{at}]")
        ]
    return []


def _mildness(faults: list[Fault]) -> int:
    return sum(2 if " is " in fault.what else 1 for fault in faults)


def _check_object(
    schema: Schema, data: Mapping[str, object], whose: str, path: str
) -> list[Fault]:
    known = schema.get("properties", {})
    other = schema.get("additionalProperties", True)
    faults: list[Fault] = []
    for key, item in data.items():
        place = f"{path}.{key}" if path else str(key)
        if key in known:
            faults.extend(_check(known[key], item, whose, place))
        elif other is False:
            faults.append(
                Fault(
                    whose,
                    f"has an unknown key {place!r}",
                    f"{path + ': ' if path else ''}{', '.join(sorted(known))}",
                    did_you_mean(str(key), known),
                )
            )
        elif isinstance(other, Mapping):
            faults.extend(_check(other, item, whose, place))
    for key in schema.get("required", ()):
        if key not in data:
            place = f"{path}.{key}" if path else key
            what = known.get(key, {}).get("description", "")
            faults.append(Fault(whose, f"lacks {place}", what or "a value", f"add {place}"))
    return faults


def _is(kind: str, data: object) -> bool:
    if isinstance(data, bool) and kind in {"integer", "number"}:
        return False
    return isinstance(data, _TYPES[kind])


def _article(kind: str) -> str:
    article = "an" if kind[0] in "aio" else "a"
    return f"{article} {kind}"


def _brief(data: object) -> str:
    """Return a value as its file writes it."""
    if data is None or isinstance(data, bool):
        return "nothing" if data is None else str(data).lower()
    text = str(data) if isinstance(data, Decimal) else repr(data)
    return text if len(text) <= 60 else text[:57] + "..."
