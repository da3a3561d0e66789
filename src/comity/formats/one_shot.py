"""One shot: what does a file say that holds everything a rule needs to decide at once?

Here: a scenario file, or a table of bids, gains or waits, as the data of one kind; from a path or
from text.
Not here: what each kind's file holds, deciding.
Sources: SEMANTICS A1, D1, L1, G7; issue "scarce things" (a newcomer's own table comes first).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from comity.core.errors import Fault, InvalidInput
from comity.core.results import Outcome
from comity.formats.scenario import READERS, Scenario, data_in, load_data

__all__ = ["TABLES", "decide_at_once", "one_shot_data", "one_shot_text"]

TABLES: dict[str, tuple[str, str]] = {
    "auction": ("comity.formats.bids_csv", "bids_from_csv"),
    "share": ("comity.formats.gains_csv", "gains_from_csv"),
    "deadlock": ("comity.formats.waits_csv", "waits_from_csv"),
}
"""Kind -> the module and the function that reads its table."""

_SCENARIOS = (".toml", ".json")


def one_shot_data(path: Path, kind: str) -> dict[str, Any]:
    """Read a file of one kind.

    Args:
        path: a ``.toml`` or ``.json`` scenario; anything else is a table.
        kind: ``auction``, ``share`` or ``deadlock``.

    Returns:
        The data, not yet checked against the kind's schema.

    Raises:
        InvalidInput: when it cannot be read, or is of another kind.
    """
    if path.suffix in _SCENARIOS:
        return _of_kind(load_data(path, exact=True), kind, path.name, f"comity run {path}")
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise InvalidInput(
            Fault(
                str(path), f"cannot be read: {reason}", "a table or a scenario", "check the path"
            )
        ) from error
    return _table(text, kind, path.name)


def one_shot_text(text: str, kind: str, *, whose: str = "standard input") -> dict[str, Any]:
    r"""Read text of one kind.

    Args:
        text: JSON when it begins with a brace, TOML when its first line that says something has
            an equals sign or opens a table, else a table.
        kind: ``auction``, ``share`` or ``deadlock``.
        whose: what it is called in messages.

    Returns:
        The data, not yet checked against the kind's schema.

    Raises:
        InvalidInput: when it cannot be read, or is of another kind.

    Example:
        >>> one_shot_text("bidder,bid\na,42\n", "auction")["bids"]
        [{'bidder': 'a', 'bid': '42'}]
        >>> one_shot_text('waits = {a = "b"}', "deadlock")
        {'waits': {'a': 'b'}, 'kind': 'deadlock'}
    """
    told = [line.strip() for line in text.removeprefix("\ufeff").split("\n")]
    first = next((line for line in told if line and not line.startswith("#")), "")
    if first.startswith("{"):
        found = data_in(text, whose=whose, is_json=True, exact=True)
    elif first.startswith("[") or "=" in first:
        found = data_in(text, whose=whose, is_json=False, exact=True)
    else:
        return _table(text, kind, whose)
    return _of_kind(found, kind, whose, "comity run FILE")


def decide_at_once(scenario: Scenario) -> Outcome:
    """Return what a scenario comes to that asks nobody, without recording it.

    Args:
        scenario: of one of the kinds in `TABLES`.

    Raises:
        InvalidInput: with every fault that only the rule itself sees.

    Example:
        >>> from comity.formats.scenario import scenario_from
        >>> data = {"kind": "deadlock", "waits": {"a": "b"}}
        >>> found = scenario_from(data, whose="x", folder=Path(), seed="1")
        >>> decide_at_once(found).kind
        'verdict'
    """
    result: Outcome = import_module(READERS[scenario.kind]).decided(scenario)
    return result


def _table(text: str, kind: str, whose: str) -> dict[str, Any]:
    module, name = TABLES[kind]
    read: Callable[..., dict[str, Any]] = getattr(import_module(module), name)
    return read(text, whose=whose)


def _of_kind(data: object, kind: str, whose: str, other: str) -> dict[str, Any]:
    if not isinstance(data, Mapping):
        raise InvalidInput(Fault(whose, "is no table", "keys and values", "see `comity schema`"))
    if data.get("kind", kind) != kind:
        what = f"has the kind {data['kind']!r}"
        raise InvalidInput(Fault(whose, what, f'kind = "{kind}"', f"use `{other}`"))
    return {**data, "kind": kind}
