"""Loaded problem: what does a file about bargaining over several issues say, whatever its form?

Here: the one value that every reader returns.
Not here: the readers (issues.py finds the right one).
Sources: SEMANTICS M1, M2, M5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from comity.core.canonical import JsonObject
from comity.core.errors import Fault, InvalidInput
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.problem import Problem

__all__ = ["ROUNDS", "LoadedProblem", "bytes_of"]

ROUNDS = 100
"""How many rounds there are when a file does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedProblem:
    """A bargaining problem as files state it.

    Attributes:
        problem: issues, parties, constraints.
        question: one line.
        form: ``offers``, ``genius`` or ``geniusweb``.
        notes: what a reader should know of how the files were read.
        rounds: how many rounds there are.
        protocol: ``alternating``, ``simultaneous`` or ``mediated``.
        fallback: ``none`` or ``best_of_seen``.
        first: who opens; None for a seeded lot.
        seed: the seed the file states, or None.
        strategies: party -> its strategy in computed play, for those that have one.
        agents: party -> how the file seats it, for those that are.
        settings: further settings of a live session, as its rules name them.
    """

    problem: Problem
    question: str
    form: str
    notes: tuple[str, ...] = ()
    rounds: int = ROUNDS
    protocol: str = "alternating"
    fallback: str = "none"
    first: PartyId | None = None
    seed: str | None = None
    strategies: Mapping[PartyId, str] = field(default_factory=dict)
    agents: Mapping[PartyId, str] = field(default_factory=dict)
    settings: JsonObject = field(default_factory=dict)


def bytes_of(path: Path, largest: int, what: str) -> bytes:
    """Return what a file holds.

    Args:
        path: the file.
        largest: the most bytes it may have.
        what: what it should be, for the message.

    Returns:
        Its bytes.

    Raises:
        InvalidInput: when it cannot be read or is larger.
    """
    try:
        with path.open("rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fault = Fault(str(path), f"cannot be read: {reason}", what, "check the path")
        raise InvalidInput(fault) from error
    if len(data) > largest:
        fault = Fault(path.name, f"is larger than {largest} bytes", what, "shorten it")
        raise InvalidInput(fault)
    return data
