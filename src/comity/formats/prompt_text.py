"""Prompt text: a consent negotiation asked for in one sentence, as scenario data.

Here: the words of a prompt as the same data a scenario file holds.
Not here: reading the words (protocols/consent/prompt.py), checking the data (scenario.py).
Sources: SEMANTICS C1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from comity.protocols.consent.prompt import parse_prompt

__all__ = ["data_from_prompt"]

_LONGEST_QUESTION = 300


def data_from_prompt(text: str, *, folder: Path) -> dict[str, Any]:
    """Return a prompt as the data of a consent file.

    Args:
        text: the prompt.
        folder: where a relative ``work:`` path starts.

    Returns:
        kind, question, seats, and what else the prompt states; a prompt that leaves the question
        to its work file asks what the file's first line says.

    Raises:
        InvalidInput: with every fault of the prompt.

    Example:
        >>> data = data_from_prompt("Meetings? CC=Focus, CX=Contact", folder=Path())
        >>> data["question"], sorted(data["seats"])
        ('Meetings?', ['CC', 'CX'])
    """
    asked = parse_prompt(text)
    data: dict[str, Any] = {
        "kind": "consent",
        "question": asked.question or _first_line(folder / str(asked.work)),
        "seats": {name: {"priority": priority} for name, priority in asked.seats},
    }
    given = {"output": asked.output, "work": asked.work, "max_turns": asked.max_turns}
    return {**data, **{name: value for name, value in given.items() if value is not None}}


def _first_line(path: Path) -> str:
    """Return the first line of a work file; a file that cannot be read is told later."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return "What the work file asks"
    said = [line.strip(" #\t") for line in lines if line.strip(" #\t")]
    return said[0][:_LONGEST_QUESTION] if said else "What the work file asks"
