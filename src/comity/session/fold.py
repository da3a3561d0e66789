"""Fold: the state of a session from its record, and whether the record gives the same outcome.

Here: folding inputs through a machine, taking a person's decision back, replaying a sealed
session and naming the difference.
Not here: reading entries from a ledger (runner/ and app.py do), until when and by whom a decision
may be taken back (watch/deciding.py).
Sources: SEMANTICS K2, G8; event sourcing (Fowler 2005); docs/decisions/0008.

A decision of a person that ended a session can be taken back: the fold keeps the step it was made
from, and an ``undo`` goes back there. The machine gets the same input in that state and gives the
person the whole time again. Live and replayed it is this one function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from comity.core.canonical import Json, JsonObject, canonical
from comity.core.errors import Fault, InvalidInput
from comity.core.results import Waiting
from comity.core.step import Input, Rejected, Step
from comity.session.record import HEARD, OPENED, UNDONE, Line, Opening, input_from, seal_of
from comity.session.registry import Machine, machine_of

__all__ = ["Line", "Replay", "advance", "fold", "replay", "waiting_of"]

_NOTHING_TO_UNDO = Rejected(
    reason="nothing_to_undo",
    party=None,
    hint="only a person's decision that ended the session can be taken back, and only once",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What recomputing a session from its inputs gave.

    Attributes:
        same: whether it gave the recorded outcome.
        outcome: the recomputed outcome as JSON, or None while it is open.
        recorded: the sealed outcome as JSON, or None when nothing is sealed.
        differences: dotted places with both values, where they differ; in an outcome that was
            taken back later, too.
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
    """Return the step that one more input leads to.

    Args:
        machine: the machine of the session's kind.
        last: the step so far.
        happened: the next input.

    Returns:
        The machine's step. An outcome once reached stays, and what is said then is rejected,
        unless a person's decision is taken back: that leads on from the step before it.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> machine = machine_of("consent")
        >>> first = machine.start(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> ended = advance(machine, first, Input(kind="cancel", now_ms=0))
        >>> advance(machine, ended, Input(kind="timer", now_ms=1)).outcome.reason
        'cancelled'
    """
    if happened.kind == "undo":
        return _taken_back(machine, last, happened)
    after = machine.step(last.state, happened)
    if last.outcome is not None:
        return replace(after, outcome=last.outcome, before=last.before)
    if after.outcome is not None and after.outcome.grounds.ended_by == "person":
        return replace(after, before=last)
    return after


def waiting_of(step: Step[Any]) -> Waiting | None:
    """Return what a person is waited for after a step, while one is.

    Args:
        step: a step of any machine.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")
        >>> waiting_of(machine_of("consent").start(rules)) is None
        True
    """
    found = getattr(step.state, "waiting", None)
    return found if step.outcome is None and isinstance(found, Waiting) else None


def _taken_back(machine: Machine, last: Step[Any], happened: Input) -> Step[Any]:
    rejected: tuple[Rejected, ...] = (replace(_NOTHING_TO_UNDO, party=happened.party),)
    if last.before is not None:
        after = machine.step(last.before.state, happened)
        if not after.rejected:
            return after
        rejected = after.rejected
    return replace(last, rejected=rejected, notes=())


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
    last = machine.start(machine.read_rules(opening.rules))
    broken: list[str] = []
    since = 0
    for at, (kind, body) in enumerate(entries):
        if kind == UNDONE:
            broken += _before_undo(last, _recorded(entries[since:at]))
            since = at + 1
        if kind in HEARD:
            last = advance(machine, last, input_from(body))
        if kind == UNDONE and last.rejected:
            broken.append(f"entry {at + 1} takes back a decision that nobody made")
    outcome = last.outcome.to_json() if last.outcome is not None else None
    recorded = _recorded(entries[since:])
    if outcome is not None and recorded is not None:
        broken += _unlike(outcome, recorded, "outcome")
    is_whole = (outcome is None) == (recorded is None)
    return Replay(
        same=is_whole and not broken,
        outcome=outcome,
        recorded=recorded,
        differences=tuple(broken),
    )


def _recorded(lines: Iterable[Line]) -> JsonObject | None:
    held = (seal_of(lines) or {}).get("outcome")
    return held if isinstance(held, Mapping) else None


def _before_undo(last: Step[Any], recorded: JsonObject | None) -> list[str]:
    """Return where an outcome that is taken back now was not the recorded one."""
    if last.outcome is None or recorded is None:
        return ["a decision is taken back that was never sealed"]
    return _unlike(last.outcome.to_json(), recorded, "outcome taken back")


def _unlike(ours: JsonObject, theirs: JsonObject, place: str) -> list[str]:
    if canonical(ours) == canonical(theirs):
        return []
    return list(_differences(ours, theirs, place)) or [f"{place}: only one has an empty field"]


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
