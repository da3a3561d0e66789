"""Places: which files and folders does a command use?

Here: the ledger of a folder, writing and reading a file that was named, what must not be written
over, the names that are near to a missing one's.
Not here: what is in them.
Sources: settings.py (COMITY_DB, comity.toml, pyproject.toml).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from comity.cli.shipped import FOLDER, shipped_files
from comity.core.errors import Fault, InvalidInput
from comity.settings import Settings, load_settings

__all__ = [
    "default_ledger",
    "guard_target",
    "missing_file",
    "read_text",
    "settings_here",
    "spare",
    "working_folder",
    "write_file",
]

_SQLITE = b"SQLite format 3\x00"
_URL = "sqlite:///"
_BESIDE_A_LEDGER = ("-wal", "-shm", "-journal")


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


def spare(path: str | None, whose: str, *, ledger: str, inputs: Iterable[Path] = ()) -> None:
    """Refuse to write over what must not be lost, before anything runs.

    Args:
        path: where something will be written, or None for nowhere.
        whose: the option or key that says so.
        ledger: the path or URL of the ledger in use, or "".
        inputs: the files that this call reads or writes otherwise.

    Raises:
        InvalidInput: when it is empty, a ledger or a file beside one, or one of the inputs.
    """
    if path is None:
        return
    if not path.strip() or "\0" in path:
        raise InvalidInput(Fault(whose, f"is {path!r}", "the name of a file", f"correct {whose}"))
    target = Path(path)
    what = ""
    if _is_of_ledger(target, ledger):
        what = "is a ledger, or a file that belongs to one"
    elif any(_is_same(target, one) for one in inputs):
        what = "is a file that this call uses otherwise"
    if what:
        allowed = "a file that nothing else is kept in"
        raise InvalidInput(Fault(f"{whose} {path!r}", what, allowed, "choose another place"))


def guard_target(
    path: str | None,
    whose: str,
    *,
    ledger: str,
    inputs: Iterable[Path] = (),
    below: Path | None = None,
    makes_parent: bool = False,
) -> None:
    """Make sure that a file can be written later and that nothing is lost by it.

    Nothing is left behind: an existing file stays as it is, a new one is not there yet.

    Args:
        path: where, or None for nowhere.
        whose: the option that says so.
        ledger: the path or URL of the ledger in use, or "".
        inputs: the files that this call reads or writes otherwise.
        below: the folder that it may not leave; None when it may lie anywhere.
        makes_parent: whether a missing folder is made when the file is written.

    Raises:
        InvalidInput: when it must not or cannot be written.
    """
    spare(path, whose, ledger=ledger, inputs=inputs)
    if path is None:
        return
    target = Path(path)
    if below is not None and not _real(below / target).is_relative_to(_real(below)):
        raise InvalidInput(
            Fault(
                f"{whose} {path!r}",
                "lies outside the working directory",
                "a path below it",
                "choose one, or add --allow-outside",
            )
        )
    try:
        _try_to_write(target, makes_parent=makes_parent)
    except OSError as error:
        raise InvalidInput(_unwritable(path, error)) from error


def _try_to_write(target: Path, *, makes_parent: bool) -> None:
    """Raise what writing a file would raise, and leave no trace."""
    folder = target.parent
    if makes_parent:
        folder = next(one for one in (folder, *folder.parents) if one.exists())
    if not folder.is_dir():
        missing = errno.ENOTDIR if folder.exists() else errno.ENOENT
        raise OSError(missing, f"its folder {str(folder)!r} is not there")
    if target.is_dir():
        raise OSError(errno.EISDIR, "it is a folder")
    if target.is_file():
        target.open("ab").close()
    elif not target.exists() and not target.is_symlink():
        trial = folder / target.name
        if folder == target.parent:
            trial.open("xb").close()
            trial.unlink()
        elif not os.access(folder, os.W_OK | os.X_OK):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))


def _is_of_ledger(target: Path, ledger: str) -> bool:
    """Whether a file is a ledger, named or found, or one of the files beside it."""
    bases = [target]
    bases += [
        target.with_name(target.name.removesuffix(end))
        for end in _BESIDE_A_LEDGER
        if target.name.endswith(end) and target.name != end
    ]
    named = ledger.removeprefix(_URL)
    place = Path(named) if named and named != ":memory:" and "://" not in named else None
    return any(_is_sqlite(one) or (place is not None and _is_same(one, place)) for one in bases)


def _is_sqlite(path: Path) -> bool:
    try:
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return _real(one) == _real(other)


def _real(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, or no name of a file
        return path.absolute()


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
        path: the missing file; of a shipped example it is told how to get it.
    """
    near = _near(path)
    next_step = f"did you mean {' or '.join(map(repr, near))}" if near else "check the path"
    if path.parts[:1] == (FOLDER,) and "/".join(path.parts[1:]) in shipped_files():
        next_step = "run `comity examples`: it writes the shipped examples into this folder"
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
