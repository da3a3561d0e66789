"""Places: which files and folders does a command use?

Here: the ledger of a folder, writing and reading a file that was named, the names that are near
to a missing one's.
Not here: what is in them.
Sources: settings.py (COMITY_DB, comity.toml, pyproject.toml).
"""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from comity.core.errors import Fault, InvalidInput
from comity.settings import Settings, load_settings

__all__ = [
    "default_ledger",
    "missing_file",
    "read_text",
    "reserve_file",
    "settings_here",
    "working_folder",
    "write_file",
]


def working_folder() -> Path:
    """Return the working directory.

    Raises:
        InvalidInput: when it was removed or may not be looked at.
    """
    try:
        return Path.cwd()
    except OSError as error:
        raise InvalidInput(
            Fault(
                "working directory",
                f"cannot be used: {error.strerror}",
                "a folder that exists",
                "change to one",
            )
        ) from error


def settings_here() -> Settings:
    """Return the settings of the working directory."""
    return load_settings(working_folder())


def default_ledger() -> str:
    """Return the ledger of the working directory: COMITY_DB, the settings, else comity.db."""
    return settings_here().db


def reserve_file(path: str | None) -> None:
    """Make sure that a file can be written later; an existing one stays as it is.

    Args:
        path: where, or None for no file.

    Raises:
        InvalidInput: when it cannot be written.
    """
    if path is None:
        return
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.open("ab").close()
    except OSError as error:
        raise InvalidInput(_unwritable(path, error)) from error


def write_file(path: str, text: str) -> None:
    """Write a file that was asked for; parent folders are made.

    Args:
        path: where.
        text: what.

    Raises:
        InvalidInput: when it cannot be written.
    """
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    except OSError as error:
        raise InvalidInput(_unwritable(path, error)) from error


def _unwritable(path: str, error: OSError) -> Fault:
    return Fault(
        f"file {path!r}",
        f"cannot be written: {error.strerror}",
        "a place where files may be made",
        "choose another place",
    )


def read_text(name: str) -> str:
    """Return the text of a file; what is not UTF-8 in it becomes a replacement sign.

    Args:
        name: the path.

    Raises:
        InvalidInput: when it cannot be read, with the names that are near.
    """
    path = Path(name)
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except FileNotFoundError as error:
        raise InvalidInput(missing_file(path)) from error
    except OSError as error:
        raise InvalidInput(
            Fault(
                f"file {name!r}", f"cannot be read: {error.strerror}", "a file", "check the path"
            )
        ) from error


def missing_file(path: Path) -> Fault:
    """Return the fault of a file that is not there, with the files whose names are near.

    Args:
        path: the missing file.
    """
    near = _near(path)
    next_step = f"did you mean {' or '.join(map(repr, near))}" if near else "check the path"
    return Fault(f"file {str(path)!r}", "does not exist", "a file that is there", next_step)


def _near(path: Path) -> list[str]:
    """Return at most three paths with names like a missing one's, or in a folder like its."""
    folder = path.parent
    try:
        if folder.is_dir():
            near = get_close_matches(path.name, _names(folder))
            return [str(folder / one) for one in near]
        near = get_close_matches(folder.name, _names(folder.parent))
        kept = [folder.parent / one / path.name for one in near]
        return [str(one) for one in kept if one.exists()]
    except OSError:
        return []


def _names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir()) if folder.is_dir() else []
