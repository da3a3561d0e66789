"""Codec: frozen dataclasses to plain JSON and back, by their own field types.

Here: encoding any value of this package, decoding a dataclass from what :func:`encode` wrote.
Not here: which result class a document holds (core/results.py), validation at doors.
Sources: ARCHITECTURE contract 4; SEMANTICS G1 (exact numbers are integers or strings), G7.

A class with ``to_json`` and ``from_json`` of its own writes and reads itself.

A field that takes an exact number or text holds one ambiguity: ``"1/3"`` may be either. There
the number is written as ever, and text that reads like a decimal or a ratio as
``{"text": "1/3"}``; every other text stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import repeat
from math import isfinite
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from comity.core.canonical import MAX_DEPTH, TOO_DEEP, Json, frozen, plain
from comity.core.errors import Fault, InvalidInput, raise_if, shown
from comity.core.exact import Exact, has_too_many_digits, read_exact

__all__ = ["decode", "encode"]

T = TypeVar("T")

_EXACT = {int, Decimal, Fraction}


def encode(value: object) -> Json:
    """Return a value as plain JSON; dataclasses become objects of their fields.

    Args:
        value: a dataclass, or anything :func:`comity.core.canonical.plain` takes.

    Returns:
        Plain JSON types only.

    Raises:
        InvalidInput: for what :func:`comity.core.canonical.plain` refuses.

    Example:
        >>> from comity.core.parties import Party
        >>> encode((Party("CC"), 3))
        [{'id': 'CC', 'weight': 1}, 3]
    """
    return _write(object, value, 0)


def decode(cls: type[T], data: object, *, where: str = "") -> T:
    """Build a dataclass from what :func:`encode` wrote.

    Args:
        cls: the dataclass to build.
        data: a JSON object; fields with defaults may be missing, others may not.
        where: the place of the object, for messages.

    Returns:
        The value; ``decode(type(x), encode(x)) == x`` for every value of this package.

    Raises:
        InvalidInput: for missing or unknown fields and values of the wrong type, all at once.

    Example:
        >>> from comity.core.parties import Party
        >>> decode(Party, {"id": "CC", "weight": "1/3"})
        Party(id='CC', weight=Fraction(1, 3))
    """
    place = where or cls.__name__
    if not isinstance(data, Mapping):
        raise InvalidInput(Fault(place, f"is {shown(data)}", "an object", "give its fields"))
    hints = _hints(cls)  # type: ignore[arg-type]  # every class can be hashed
    names = {field.name: field for field in fields(cls) if field.init}  # type: ignore[arg-type]  # callers pass dataclasses
    listed = f"fields {', '.join(names)}" if names else "no fields"
    faults = [
        Fault(place, f"has an unknown field {shown(key)}", listed, "remove it")
        for key in data
        if key not in names
    ]
    values: dict[str, object] = {}
    for name, field in names.items():
        if name in data:
            try:
                values[name] = _read(hints[name], data[name], f"{place}.{name}")
            except InvalidInput as error:
                faults.extend(error.faults)
        elif field.default is field.default_factory:
            faults.append(Fault(place, f"lacks the field {name!r}", "all fields", "add it"))
    raise_if(faults)
    return cls(**values)


# --- field types -----------------------------------------------------------------------------


@cache
def _hints(cls: type) -> dict[str, Any]:
    # Json names itself, and not every module that uses JsonObject imports it.
    return get_type_hints(cls, localns={"Json": Json})


@cache
def _written_fields(cls: type) -> tuple[tuple[str, Any], ...] | None:
    if not is_dataclass(cls):
        return None
    hints = _hints(cls)
    return tuple((field.name, hints[field.name]) for field in fields(cls))


@cache
def _options(hint: Any) -> tuple[Any, ...]:  # noqa: ANN401  # a type expression
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


@cache
def _is_json(hint: Any) -> bool:  # noqa: ANN401  # a type hint is any object
    origins = {get_origin(option) for option in _options(hint)}
    return hint is object or (str in _options(hint) and origins >= {Sequence, Mapping})


@cache
def _is_number_or_text(hint: Any) -> bool:  # noqa: ANN401  # the same
    return {str, *_EXACT} <= set(_options(hint))


# --- writing ---------------------------------------------------------------------------------


def _write(hint: Any, value: object, depth: int) -> Json:  # noqa: ANN401  # the same
    if isinstance(value, str):
        both = _is_number_or_text(hint) and _number_in(value) is not None
        return {"text": plain(value)} if both else plain(value)
    if value is None or isinstance(value, (int, float)):
        return plain(value)
    below = depth + 1
    if hasattr(type(value), "from_json"):
        return plain(value)
    named = _written_fields(type(value))  # type: ignore[arg-type]  # classes can be hashed
    if named is not None:
        return {name: _write(inner, getattr(value, name), below) for name, inner in named}
    if depth >= MAX_DEPTH and isinstance(value, (list, tuple, Mapping)):
        raise InvalidInput(TOO_DEEP)
    if isinstance(value, (list, tuple)):
        pairs = zip(_item_hints(hint, len(value)), value, strict=False)
        return [_write(inner, item, below) for inner, item in pairs]
    if isinstance(value, Mapping):
        plain(dict.fromkeys(value))  # refuses keys that are not text
        return {str.__str__(key): _write(object, item, below) for key, item in value.items()}
    return plain(value)


def _item_hints(hint: Any, length: int) -> Iterable[Any]:  # noqa: ANN401  # the same
    for option in _options(hint):
        items = get_args(option)
        if get_origin(option) is tuple and items[-1:] == (Ellipsis,):
            return repeat(items[0])
        if get_origin(option) is tuple and len(items) == length:
            return items
    return repeat(object)


def _number_in(text: str) -> Decimal | Fraction | None:
    try:
        found = read_exact(text, "text", "value")
    except InvalidInput:
        return None
    return None if isinstance(found, int) else found


# --- reading ---------------------------------------------------------------------------------


def _read(hint: Any, value: object, where: str) -> object:  # noqa: ANN401  # the same
    if _is_json(hint):
        return _read_json(value, where)
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _read_union(_options(hint), value, where)
    if origin is Literal:
        known = get_args(hint)
        if any(type(value) is type(one) and value == one for one in known):
            return value
        raise _wrong(where, value, _name(hint))
    if origin is tuple:
        return _read_tuple(get_args(hint), value, where)
    if origin is Mapping and isinstance(value, Mapping):
        return _read_json(value, where)
    if hasattr(hint, "from_json"):
        return hint.from_json(value)
    if is_dataclass(hint):
        return decode(hint, value, where=where)  # type: ignore[arg-type]  # a dataclass type
    return _read_scalar(hint, value, where)


def _read_json(value: object, where: str) -> Json:
    try:
        return frozen(plain(value))
    except InvalidInput as error:
        first = error.faults[0]
        raise InvalidInput(Fault(where, first.what, first.allowed, first.next)) from None


def _read_scalar(hint: Any, value: object, where: str) -> object:  # noqa: ANN401  # the same
    if hint in (str, bool) and isinstance(value, hint):
        return value
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is int and is_number and isinstance(value, int) and not has_too_many_digits(value):
        return value
    if hint is float and is_number and (found := _finite(value)) is not None:
        return found
    if hint in (Fraction, Decimal):
        exact = read_exact(value, where, "value")
        if hint is Fraction or not isinstance(exact, Fraction):
            return hint(exact)
    raise _wrong(where, value, _name(hint))


_NAMES: dict[object, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    Decimal: "a number with finitely many decimals",
    Exact: "an exact number",
}


def _name(hint: Any) -> str:  # noqa: ANN401  # the same
    origin = get_origin(hint)
    if origin is Literal:
        return "one of " + ", ".join(map(str, get_args(hint)))
    if origin is not None and hint not in _NAMES:
        return "a list" if origin is tuple else "an object"
    return _NAMES.get(hint, f"the fields of {getattr(hint, '__name__', hint)}")


def _finite(value: object) -> float | None:
    try:
        found = float(value)  # type: ignore[arg-type]  # an int or a float
    except OverflowError:
        return None
    return found if isfinite(found) else None


def _read_union(options: tuple[Any, ...], value: object, where: str) -> object:
    rest = [option for option in options if option is not NoneType]
    if value is None and len(rest) < len(options):
        return None
    if len(rest) == 1:
        return _read(rest[0], value, where)
    if {str, *_EXACT} <= set(rest):
        return _read_number_or_text(value, where)
    if set(rest) == _EXACT:
        return read_exact(value, where, "value")
    if set(rest) > _EXACT:
        rest = [*(option for option in rest if option not in _EXACT), Exact]
    # a JSON number with a point is a float where one may stand; 3 stays the whole number it is
    is_float = isinstance(value, float)
    for option in sorted(rest, key=lambda option: (option is float) != is_float):
        try:
            return _read(option, value, where)
        except InvalidInput:
            continue
    raise _wrong(where, value, " or ".join(map(_name, rest)))


def _read_number_or_text(value: object, where: str) -> Exact | str:
    if isinstance(value, Mapping) and list(value) == ["text"] and isinstance(value["text"], str):
        return value["text"]
    if isinstance(value, str):
        number = _number_in(value)
        return value if number is None else number
    return read_exact(value, where, "value")


def _read_tuple(items: tuple[Any, ...], value: object, where: str) -> tuple[object, ...]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(where, value, "a list")
    is_open = items[-1:] == (Ellipsis,)
    if not is_open and len(items) != len(value):
        raise _wrong(where, value, f"a list of {len(items)}")
    faults: list[Fault] = []
    found: list[object] = []
    for at, item in enumerate(value):
        try:
            found.append(_read(items[0 if is_open else at], item, f"{where}[{at}]"))
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return tuple(found)


def _wrong(where: str, value: object, allowed: str) -> InvalidInput:
    return InvalidInput(Fault(where, f"is {shown(value)}", allowed, "correct the value"))
