"""Keys: how does a key stay with the seat it is for, and out of what is recorded?

Here: which variables hold keys, which of them a program does not inherit, whether a header can
carry a key, striking keys out of what a seat returns.
Not here: where a model seat's key comes from (model_seats.py), keys that are known by their shape
alone (failures.py).
Sources: SEMANTICS C7; RFC 3986, RFC 4648, RFC 8259 and RFC 9110 for the forms of one key.
"""

from __future__ import annotations

import os
import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from html import escape

from comity.agents.base import Failure, Reply
from comity.core.canonical import Json, JsonObject
from comity.core.parties import PartyId

__all__ = [
    "STRUCK",
    "hidden_from_commands",
    "hidden_from_vendors",
    "is_sendable",
    "key_variable",
    "keys_known",
    "without_keys",
]

STRUCK = "(a key)"
"""What stands where a key stood."""

SHORTEST_KEY = 8
"""What is shorter is taken for a word that a local server wants, and is struck out of nothing."""

_LEAST_PIECE = 5
_OURS = "COMITY_"
_MODEL_KEY = "COMITY_MODEL_KEY"
_VENDORS = ("ANTHROPIC_", "CODEX_", "GEMINI_", "GOOGLE_", "OPENAI_")
_HOLDS_KEY = re.compile(
    r"(?:^|_)(?:API)?KEYS?(?:_|$)|(?:^|_)TOKEN(?:_|$)|SECRET|PASSWORD|PASSWD|CREDENTIAL",
    re.IGNORECASE,
)


def key_variable(seat: PartyId) -> str:
    """Return the variable that holds a seat's own key.

    Example:
        >>> key_variable("Senior Engineer")
        'COMITY_MODEL_KEY_Senior_Engineer'
    """
    return f"{_MODEL_KEY}_" + re.sub(r"\W", "_", seat)


def hidden_from_commands(seat: PartyId) -> dict[str, None]:
    """Return what a user's own program does not inherit: the keys of models but its seat's own.

    Everything else it keeps, since only its user knows what it needs.
    """
    own = key_variable(seat)
    return {name: None for name in os.environ if name.startswith(_MODEL_KEY) and name != own}


def hidden_from_vendors(own: Collection[str]) -> dict[str, None]:
    """Return what a coding agent does not inherit: ours, other vendors', and whatever is a key.

    Args:
        own: how the names begin that are its own.
    """
    return {
        name: None
        for name in os.environ
        if not name.startswith(tuple(own))
        and (name.startswith((_OURS, *_VENDORS)) or _HOLDS_KEY.search(name))
    }


def keys_known(added: Mapping[str, str | None]) -> frozenset[str]:
    """Return the values of all variables that hold keys, by their names.

    Args:
        added: variables beside those of this process.

    Example:
        >>> "a-key-of-mine" in keys_known({"SOME_API_KEY": "a-key-of-mine", "HOME": "/root"})
        True
    """
    held = [*os.environ.items(), *added.items()]
    return frozenset(value for name, value in held if value and _HOLDS_KEY.search(name))


def is_sendable(key: str) -> bool:
    r"""Tell whether a header can carry a key: visible ASCII alone.

    Example:
        >>> is_sendable("sk-1_a/b+c="), is_sendable("sk-1\r\nX: y"), is_sendable("sk-é")
        (True, False, False)
    """
    return all("!" <= char <= "~" for char in key)


def without_keys(said: Reply | Failure, keys: Iterable[str]) -> Reply | Failure:
    """Return what a seat said, with its keys struck out of every part of it.

    A key is found as it is, in other letter case, escaped for a URL, for JSON or for HTML, and
    within Base64; at the end of a failure's detail also when it is cut off.

    Args:
        said: the reply or the failure.
        keys: the keys; those of less than 8 characters are left.

    Example:
        >>> without_keys(Reply(text="I know hunter2-Pa55."), ["hunter2-Pa55"]).text
        'I know (a key).'
    """
    long = frozenset(key for key in keys if len(key) >= SHORTEST_KEY)
    if not long:
        return said
    if isinstance(said, Failure):
        detail = _without_piece(_struck(said.detail, long), long)
        return Failure(kind=said.kind, detail=detail, retry_after_ms=said.retry_after_ms)
    return Reply(
        text=_struck(said.text, long),
        usage=_object(said.usage, long),
        call=_object(said.call, long),
    )


def _object(told: JsonObject, keys: frozenset[str]) -> JsonObject:
    return {_struck(name, keys): _json(value, keys) for name, value in told.items()}


def _json(told: Json, keys: frozenset[str]) -> Json:
    if isinstance(told, str):
        return _struck(told, keys)
    if isinstance(told, Mapping):
        return _object(told, keys)
    if isinstance(told, (list, tuple)):
        return [_json(one, keys) for one in told]
    return told


def _struck(text: str, keys: frozenset[str]) -> str:
    return _pattern(keys).sub(STRUCK, text)


def _without_piece(detail: str, keys: frozenset[str]) -> str:
    """Return a detail without the beginning of a key at its end, where the detail was cut."""
    low = detail.lower()
    for form in (form.lower() for key in keys for form in (key, *_in_base64(key))):
        for size in range(len(form) - 1, _LEAST_PIECE - 1, -1):
            if low.endswith(form[:size]):
                return detail[:-size] + STRUCK
    return detail


@cache
def _pattern(keys: frozenset[str]) -> re.Pattern[str]:
    """Return what finds keys in any of their forms, the longest first."""
    forms = ["".join(_any_form(char) for char in key) for key in keys]
    forms += [re.escape(form) for key in keys for form in _in_base64(key)]
    return re.compile("|".join(sorted(forms, key=lambda form: (-len(form), form))), re.IGNORECASE)


def _any_form(char: str) -> str:
    """Return a pattern for one character as it is, or escaped for a URL, JSON or HTML."""
    number = ord(char)
    bytes_of = "".join(f"%(?:25)*{byte:02x}" for byte in char.encode("utf-8", "replace"))
    in_html = rf"&\#x0*{number:x};|&\#0*{number};|{re.escape(escape(char))}"
    in_json = rf"\\+u{number:04x}|\\+x{number:02x}"
    return rf"(?:\\*{re.escape(char)}|{bytes_of}|{in_json}|{in_html})"


def _in_base64(key: str) -> set[str]:
    """Return what Base64 makes of a key wherever it stands among other bytes."""
    found = set()
    for before, lost in enumerate((0, 2, 3)):  # what its first characters share with those before
        data = b"\0" * before + key.encode("utf-8", "replace")
        core = b64encode(data).decode().rstrip("=")[lost:]
        core = core if len(data) % 3 == 0 else core[:-1]
        found |= {core, core.replace("+", "-").replace("/", "_")}
    return found
