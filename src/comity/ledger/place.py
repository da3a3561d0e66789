"""Places: can a ledger file live here, and is it still there?

Here: the faults of a path, seen before a database is opened there; whether the open file is still
the one at its path, and whether somebody wrote to one that is only read.
Not here: what is wrong inside the file (ledger/sqlite.py).
Sources: ENGINE 7: the write-ahead log needs memory shared on one host;
https://www.sqlite.org/howtocorrupt.html, 4 "unlinking or renaming a database file while in use".
"""

from __future__ import annotations

from pathlib import Path

from comity.core.errors import Fault, InvalidInput, LedgerError

__all__ = ["MADE_BY", "Footing", "Stillness", "check_place", "network_file_system", "stillness"]

Stillness = tuple[int, ...]
"""Tells one state of a file from the next."""

MADE_BY = (
    "check the path; a ledger is made by the first command that decides something in it,"
    " such as `comity vote` or `comity claim`"
)
"""What to do when a ledger is not there."""

_NETWORK = frozenset(
    {
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "fuse.ceph",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "gpfs",
        "lustre",
        "nfs",
        "nfs4",
        "orangefs",
        "smb3",
        "smbfs",
    }
)
_MOUNTS = Path("/proc/self/mounts")
_PARTS = ("", "-wal", "-shm")  # the database, its write-ahead log, the memory they share


class Footing:
    """Is the file that was opened still the one at its path, with its log?

    Args:
        path: the file, just opened.
    """

    def __init__(self, path: Path) -> None:
        self._files = tuple(Path(f"{path}{part}") for part in _PARTS)
        self._seen: dict[Path, tuple[int, int]] = {}
        self._size = 0
        self.lost()

    def lost(self) -> str:
        """Return what became of it, as a clause, or "" while it is in its place."""
        for file in self._files:
            try:
                now = file.stat()
            except OSError:
                if file in self._seen:
                    return f"its file {file.name} was removed"
                continue
            here = (now.st_dev, now.st_ino)
            if self._seen.setdefault(file, here) != here:
                return f"its file {file.name} was replaced by another"
            if file is self._files[0]:
                if now.st_size < self._size:
                    cut = f"from {self._size} to {now.st_size} bytes"
                    return f"its file {file.name} was cut {cut}"
                self._size = now.st_size
        return ""

    def require(self, of_call: str) -> None:
        """Raise when it is not in its place.

        Args:
            of_call: what that means for the call, as a clause.

        Raises:
            LedgerError: it was removed, replaced or cut.
        """
        lost = self.lost()
        if lost:
            raise LedgerError(
                Fault(
                    f"ledger {self._files[0]}",
                    f"{lost} while it was open here: {of_call}",
                    "the file that was opened, in its place",
                    "find out who took it away; put it back, or open the ledger again",
                )
            )


def stillness(path: Path) -> Stillness | None:
    """Return what changes when somebody writes to a database; None while its log holds anything.

    Args:
        path: the file.

    Raises:
        OSError: it cannot be looked at.
    """
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        return None
    now = path.stat()
    return (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns, log.exists())


def check_place(path: Path, *, create: bool) -> None:
    """Raise when no ledger can be at a path.

    Args:
        path: the file, absolute.
        create: whether it may be made.

    Raises:
        InvalidInput: a folder, a missing folder, a missing file that may not be made, a path
            that cannot be looked at.
        LedgerError: a network file system.
    """
    try:
        _check_path(path, create=create)
    except OSError as error:
        what = f"cannot be looked at: {error.strerror}"
        allowed = "a path this user can reach"
        raise _unfit(path, what, allowed, "check the path and the rights") from error
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        mounts = ""
    kind = network_file_system(path.resolve(), mounts)
    if kind:
        raise LedgerError(
            Fault(
                f"ledger {path}",
                f"is on a network file system ({kind}), where SQLite's write-ahead log does"
                " not hold",
                "a disk of this machine",
                "put the ledger on a local disk",
            )
        )


def network_file_system(path: Path, mounts: str) -> str | None:
    r"""Return the kind of network file system a path is on.

    Args:
        path: absolute, without links.
        mounts: the text of Linux's /proc/self/mounts; "" where there is none.

    Returns:
        The kind ("nfs4"), or None for a local or unknown one.

    Example:
        >>> table = "/dev/sda1 / ext4 rw 0 0\nhost:/x /data nfs4 rw 0 0\n"
        >>> network_file_system(Path("/data/comity.db"), table)
        'nfs4'
        >>> network_file_system(Path("/var/comity.db"), table) is None
        True
    """
    longest, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        where = Path(fields[1].replace("\\040", " "))
        depth = len(where.parts)
        if depth >= longest and path.is_relative_to(where):
            longest, kind = depth, fields[2]
    return kind if kind in _NETWORK else None


def _check_path(path: Path, *, create: bool) -> None:
    if path.is_dir():
        raise _unfit(path, "is a folder", "a file", "name a file in it, such as comity.db")
    if not path.parent.is_dir():
        what = f"cannot be made: {path.parent} is not a folder"
        raise _unfit(path, what, "a file in a folder that exists", "make the folder first")
    if not create and not path.exists():
        raise _unfit(path, "does not exist", "a ledger that exists", MADE_BY)


def _unfit(path: Path, what: str, allowed: str, then: str) -> InvalidInput:
    return InvalidInput(Fault(f"ledger {path}", what, allowed, then))
