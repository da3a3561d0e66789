"""Work text: the file that every seat of a decision reads first.

Here: reading it from beside a scenario file, its largest size.
Not here: how a seat is shown it (protocols/*/brief.py).
Sources: SEMANTICS C1 (size cap, fenced, its digest in the ledger).
"""

from __future__ import annotations

from pathlib import Path

from comity.core.errors import Fault

__all__ = ["WORK_AT_MOST", "work_text"]

WORK_AT_MOST = 200_000
"""The most characters of a work file."""


def work_text(given: object, whose: str, folder: Path, faults: list[Fault]) -> str:
    """Return the text of a work file.

    Args:
        given: its path as the scenario names it, or None for no file.
        whose: the scenario's name, for messages.
        folder: where relative paths start.
        faults: where faults go.

    Returns:
        The text; "" without a file, and with a fault.

    Example:
        >>> work_text(None, "x.toml", Path(), [])
        ''
    """
    if given is None:
        return ""
    try:
        text = (folder / str(given)).read_text("utf-8")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        what = f"names the work file {given!r}, which cannot be read ({reason})"
        faults.append(Fault(whose, what, "a text file beside the scenario", "correct work"))
        return ""
    if len(text) > WORK_AT_MOST:
        what = f"names a work file of {len(text)} characters"
        faults.append(Fault(whose, what, f"{WORK_AT_MOST} at most", "shorten the file"))
    return text
