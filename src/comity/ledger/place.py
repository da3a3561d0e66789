"""Places: can a ledger file live here?

Here: the faults of a path, seen before a database is opened there.
Not here: what is wrong inside the file (ledger/sqlite.py).
Sources: ENGINE 7: the write-ahead log needs memory shared on one host.
"""

from __future__ import annotations

from pathlib import Path

from comity.core.errors import Fault, InvalidInput, LedgerError

__all__ = ["check_place", "network_file_system"]

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
        allowed = "a ledger that exists"
        raise _unfit(path, "does not exist", allowed, "check the path, or create the ledger")


def _unfit(path: Path, what: str, allowed: str, then: str) -> InvalidInput:
    return InvalidInput(Fault(f"ledger {path}", what, allowed, then))
