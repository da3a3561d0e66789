"""Fold: the state of a session from its record, and whether the record gives the same outcome.

Here: folding inputs through a machine, replaying a sealed session and naming the difference.
Not here: reading entries from a ledger (runner/ and app.py do).
Sources: SEMANTICS K2; event sourcing (Fowler 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from comity.core.canonical import Json, JsonObject, canonical
from comity.core.errors import Fault, InvalidInput
from comity.core.step import Input, Step
from comity.session.record import INPUT, OPENED, SEALED, Opening, input_from
from comity.session.registry import Machine, machine_of

__all__ = ["Replay", "advance", "fold", "replay"]

Line = tuple[str, JsonObject]
"""One public entry: its kind and its body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What recomputing a session from its inputs gave.

    Attributes:
        same: whether it gave the recorded outcome.
        outcome: the recomputed outcome as JSON, or None while it is open.
        recorded: the sealed outcome as JSON, or None when nothing is sealed.
        differences: dotted places with both values, where they differ.
    """

    same: bool
    outcome: JsonObject | None
    recorded: JsonObject | None
    differences: tuple[str, ...] = ()


def fold(machine: Machine, rules: Any, inputs: Iterable[Input]) -> Step[Any]:  # noqa: ANN401  # each machine has its own rules
    """Return the last step that the inputs lead to.

    Args:
        machine: the machine of the session's kind.
        rules: its rules.
        inputs: every recorded input, in order.

    Returns:
        The last step; its asks are what still stands.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")
        >>> len(fold(machine_of("consent"), rules, []).asks)
        2
    """
    last = machine.start(rules)
    for happened in inputs:
        last = advance(machine, last, happened)
    return last


def advance(machine: Machine, last: Step[Any], happened: Input) -> Step[Any]:
    """Return the step that one more input leads to; an outcome once reached stays.

    Args:
        machine: the machine of the session's kind.
        last: the step so far.
        happened: the next input.

    Returns:
        The machine's step; after the end, its rejection with the outcome as it was.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> machine = machine_of("consent")
        >>> first = machine.start(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> ended = advance(machine, first, Input(kind="cancel", now_ms=0))
        >>> advance(machine, ended, Input(kind="timer", now_ms=1)).outcome.reason
        'cancelled'
    """
    after = machine.step(last.state, happened)
    if last.outcome is None:
        return after
    return replace(after, outcome=last.outcome)


def replay(lines: Iterable[Line]) -> Replay:
    """Recompute a session from its record and compare with the sealed outcome.

    Args:
        lines: the public entries of one session in order.

    Returns:
        Same or not, and where it differs.

    Raises:
        InvalidInput: when the record does not begin with an opening, or cannot be read.
    """
    entries = list(lines)
    if not entries or entries[0][0] != OPENED:
        raise InvalidInput(
            Fault("session", "does not begin with its opening", "a whole session", "run verify")
        )
    opening = Opening.read(entries[0][1])
    machine = machine_of(opening.kind)
    rules = machine.read_rules(opening.rules)
    inputs = [input_from(body) for kind, body in entries if kind == INPUT]
    last = fold(machine, rules, inputs)
    outcome = last.outcome.to_json() if last.outcome is not None else None
    sealed = [body for kind, body in entries if kind == SEALED]
    recorded = sealed[0].get("outcome") if sealed else None
    held = recorded if isinstance(recorded, Mapping) else None
    if outcome is None or held is None:
        return Replay(same=outcome is None and held is None, outcome=outcome, recorded=held)
    same = canonical(outcome) == canonical(held)
    differences = () if same else tuple(_differences(outcome, held, "outcome"))
    return Replay(same=same, outcome=outcome, recorded=held, differences=differences)


def _differences(ours: Json, theirs: Json, place: str) -> Iterable[str]:
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in sorted({*ours, *theirs}):
            yield from _differences(ours.get(key), theirs.get(key), f"{place}.{key}")
    elif isinstance(ours, (list, tuple)) and isinstance(theirs, (list, tuple)):
        if len(ours) != len(theirs):
            yield f"{place}: {len(ours)} items now, {len(theirs)} recorded"
            return
        for at, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            yield from _differences(one, other, f"{place}[{at}]")
    elif canonical(ours) != canonical(theirs):
        yield f"{place}: {canonical(ours)} now, {canonical(theirs)} recorded"
