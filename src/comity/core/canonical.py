"""Canonical JSON: one text for one value, so that a digest means something.

Here: plain JSON types, the one way they are written, digests, freezing for values.
Not here: how a result becomes JSON (core/results.py) and what the ledger hashes (ledger/entry.py).
Sources: RFC 8785 in spirit (sorted keys, no spaces, UTF-8); floats are written by ``repr`` and
must be finite; exact numbers travel as integers or strings (SEMANTICS G1).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from math import isfinite
from typing import NoReturn

from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import MAX_DIGITS, has_too_many_digits, ratio_text

__all__ = [
    "MAX_DEPTH",
    "TOO_DEEP",
    "FrozenObject",
    "Json",
    "JsonObject",
    "canonical",
    "digest",
    "frozen",
    "plain",
    "written",
]

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
JsonObject = Mapping[str, Json]

_SHORT = 10**18  # whole numbers below it are short enough without counting
_dumps = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode

MAX_DEPTH = 200
"""The most levels of lists and objects inside each other; also what ends a list inside itself."""

TOO_DEEP = Fault(
    "value",
    "is nested too deeply",
    f"at most {MAX_DEPTH} levels",
    "flatten it or write it as text",
)
"""The fault of a value with more levels than that."""


def plain(value: object) -> Json:
    """Return ``value`` as plain JSON types, refusing what has no exact text.

    Args:
        value: None, bool, int, finite float, str, Decimal, Fraction, a sequence or mapping of
            these, or a value with ``to_json()``.

    Returns:
        The same value in None, bool, int, float, str, list and dict; exact numbers that are not
        integers become strings (``Fraction(1, 3)`` -> ``"1/3"``), and so does a Decimal with
        decimals (``Decimal("80.00")`` -> ``"80.00"``).

    Raises:
        InvalidInput: for NaN, infinities, numbers of more than 4300 digits, keys that are not
            strings, nesting deeper than 200 levels, and other types.

    Example:
        >>> from fractions import Fraction
        >>> plain({"price": Fraction(171, 2), "round": 4})
        {'price': '171/2', 'round': 4}
    """
    return _plain(value, 0)


def _plain(value: object, depth: int) -> Json:
    kind = value.__class__  # what is plain already needs no closer look
    if kind is str or value is None or kind is bool:
        return value  # type: ignore[return-value]  # it is one of these
    if kind is int and -_SHORT < value < _SHORT:  # type: ignore[operator]  # a whole number
        return value  # type: ignore[return-value]  # it is one
    if (kind is list or kind is tuple) and depth < MAX_DEPTH:
        return [_plain(item, depth + 1) for item in value]  # type: ignore[attr-defined]  # a list
    if kind is dict and depth < MAX_DEPTH and all(key.__class__ is str for key in value):  # type: ignore[attr-defined]  # a dict
        return {key: _plain(item, depth + 1) for key, item in value.items()}  # type: ignore[attr-defined]  # a dict
    return _plain_slowly(value, depth)


def _plain_slowly(value: object, depth: int) -> Json:
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (int, float, Decimal, Fraction)):
        return _plain_number(value)
    if depth >= MAX_DEPTH:
        raise InvalidInput(TOO_DEEP)
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise InvalidInput(_unfit(shown(key), "text as the key of an object"))
        return {str.__str__(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, depth + 1) for item in value]
    to_json = None if isinstance(value, type) else getattr(value, "to_json", None)
    if to_json is not None:
        return _plain(to_json(), depth + 1)
    raise InvalidInput(_unfit(shown(value), "None, bool, numbers, text, lists and objects"))


def _plain_number(value: float | Decimal | Fraction) -> Json:
    if isinstance(value, float):
        if not isfinite(value):
            raise InvalidInput(_unfit(shown(value), "a finite number"))
        return float.__float__(value)
    if isinstance(value, Decimal) and not value.is_finite():
        raise InvalidInput(_unfit(shown(value), "a finite number"))
    if has_too_many_digits(value):
        raise InvalidInput(_unfit("a number that long", f"at most {MAX_DIGITS} digits"))
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, Fraction):
        return int(value) if value.denominator == 1 else ratio_text(value)
    text = format(value, "f")
    return text if "." in text else int(value)


def _unfit(what: str, allowed: str) -> Fault:
    return Fault("value", f"{what} cannot be written as JSON", allowed, "correct the value")


def canonical(value: object) -> str:
    """Return the one canonical JSON text of a value.

    Args:
        value: anything :func:`plain` takes.

    Returns:
        Keys sorted by code point, no spaces, text as is (UTF-8 when encoded).

    Raises:
        InvalidInput: for what :func:`plain` refuses, and for integers longer than this process
            writes when its limit was lowered (``PYTHONINTMAXSTRDIGITS``).

    Example:
        >>> canonical({"b": 1, "a": [True, None, "ü"]})
        '{"a":[true,null,"ü"],"b":1}'
    """
    return written(plain(value))


def written(made: Json) -> str:
    """Return the canonical JSON text of what :func:`plain` has made.

    Args:
        made: plain JSON.

    Raises:
        InvalidInput: as :func:`canonical` for long integers.

    Example:
        >>> written({"b": 1, "a": None})
        '{"a":null,"b":1}'
    """
    try:
        return _dumps(made)
    except ValueError as error:
        raise InvalidInput(_unfit("a number that long", "what this process writes")) from error


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical text, in hex.

    Args:
        value: anything :func:`plain` takes.

    Returns:
        64 hexadecimal digits.

    Example:
        >>> digest({"a": 1}) == digest({"a": 1})
        True
        >>> digest({"a": 1})[:8]
        '015abd7f'
    """
    return sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


class FrozenObject(dict[str, Json]):
    """A JSON object that cannot change, so that a value that holds one can be hashed.

    It equals the dict it was made from; :func:`frozen` makes it.

    Example:
        >>> FrozenObject(price=80) == {"price": 80}
        True
    """

    __slots__ = ()

    def __hash__(self) -> int:  # type: ignore[override]  # a dict says it has none
        """Return a hash that does not depend on the order of the keys."""
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenObject], tuple[dict[str, Json]]]:
        """Survive copying and pickling."""
        return type(self), (dict(self),)

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this object is part of a recorded value and cannot change")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse


def frozen(value: Json) -> Json:
    """Return JSON that cannot change: lists become tuples, objects become :class:`FrozenObject`.

    Args:
        value: the JSON, of whatever kind of list and mapping.

    Returns:
        An equal value that can be hashed (tuples in place of lists).

    Raises:
        InvalidInput: when it is nested deeper than 200 levels or contains itself.

    Example:
        >>> frozen({"offers": [80, 84]})
        {'offers': (80, 84)}
    """
    return _frozen(value, 0)


def _frozen(value: Json, depth: int) -> Json:
    kind = value.__class__
    if kind is str or value is None or kind is int:
        return value
    if kind is dict:
        is_object, is_list = True, False
    else:
        is_list = isinstance(value, (list, tuple))
        is_object = not is_list and isinstance(value, Mapping)
    if not (is_list or is_object):
        return value
    if depth >= MAX_DEPTH:
        raise InvalidInput(TOO_DEEP)
    below = depth + 1
    if is_list:
        return tuple([_frozen(item, below) for item in value])  # type: ignore[union-attr]  # a list
    return FrozenObject([(key, _frozen(item, below)) for key, item in value.items()])  # type: ignore[union-attr]  # an object
