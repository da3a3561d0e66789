"""Document: where does the document of a session go, and how is it written whole?

Here: refusing places that a document must not take, writing it all at once.
Not here: what it says (protocols/consent/document.py), when it is written (app.py).
Sources: SEMANTICS C6.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from comity.core.errors import Fault, InvalidInput

__all__ = ["document_path", "write_document"]


def document_path(output: str, folder: Path, *, allow_outside: bool) -> Path:
    """Return where a document goes, refusing places outside the working directory.

    Args:
        output: the path as given.
        folder: the working directory.
        allow_outside: whether a place outside is wanted.

    Returns:
        The path.

    Raises:
        InvalidInput: when it lies outside and that was not asked for, is a folder, or cannot be
            a file.
    """
    try:
        path = (folder / output).resolve()
        path.exists()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(
            Fault(f"output {output!r}", f"is no path: {reason}", "a file", "correct it")
        ) from error
    if not allow_outside and not path.is_relative_to(folder.resolve()):
        raise InvalidInput(
            Fault(
                f"output {output!r}",
                "lies outside the working directory",
                "a path below it",
                "choose one, or add --allow-outside",
            )
        )
    if path.is_dir():
        raise InvalidInput(
            Fault(f"output {output!r}", "is a folder", "a file", "name a file in it")
        )
    if _is_database(path):
        raise InvalidInput(
            Fault(
                f"output {output!r}",
                "is a ledger, or another database",
                "a file that may be replaced",
                "choose another name",
            )
        )
    if any(parent.is_file() for parent in path.parents):
        raise InvalidInput(
            Fault(f"output {output!r}", "lies below a file", "a folder above it", "correct it")
        )
    return path


def _is_database(path: Path) -> bool:
    """Tell whether a path is a database, or belongs to one: nothing may be written over it."""
    for end in ("", "-wal", "-shm", "-journal"):
        named = Path(str(path).removesuffix(end)) if end else path
        if str(path).endswith(end) and named.is_file():
            with named.open("rb") as file:
                if file.read(16) == b"SQLite format 3\x00":
                    return True
    return False


def write_document(path: Path, text: str) -> None:
    """Write a document all at once: readers see the old one or the new one, never a half.

    Args:
        path: where; parent folders are made.
        text: the document.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        beside.write_text(text, "utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
