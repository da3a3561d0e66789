"""Opening: from a path or URL to a ledger.

Here: which words mean which kind of ledger.
Not here: how each is opened (ledger/sqlite.py).
Sources: SEMANTICS K3; ENGINE 7.
"""

from __future__ import annotations

from pathlib import Path

from comity.core.errors import Fault, InvalidInput, did_you_mean
from comity.ledger.port import Ledger

__all__ = ["open_ledger"]

_SQLITE = "sqlite:///"


def open_ledger(where: str | Path, *, create: bool = True) -> Ledger:
    """Open a ledger, or create it.

    Args:
        where: a path ("comity.db"), a URL ("sqlite:///comity.db" in this folder,
            "sqlite:////var/lib/comity.db" absolute), or ":memory:".
        create: make it when it is not there.

    Returns:
        The ledger; close it, or use it as a context manager.

    Raises:
        InvalidInput: the words name no ledger this version can open, or no place for one.
        LedgerTooNew: a newer version wrote it.
        LedgerError: it cannot be opened, or holds something else.

    Example:
        >>> with open_ledger(":memory:") as ledger:
        ...     ledger.heads()
        ()
    """
    from comity.ledger.sqlite import open_sqlite

    return open_sqlite(_path(where), create=create)


def _path(where: str | Path) -> str | Path:
    text = str(where)
    if not text or "\0" in text:
        raise _unfit(f"{text!r} is no path")
    if isinstance(where, Path) or "://" not in text:
        return where
    scheme = text.partition("://")[0]
    if scheme.partition("+")[0] in {"postgres", "postgresql"}:
        raise InvalidInput(
            Fault(
                "ledger",
                "PostgreSQL comes with the extra 'postgres' in a later version",
                "a path or a sqlite:/// URL",
                "use SQLite",
            )
        )
    if scheme != "sqlite":
        raise _unfit(f"{scheme!r} is no kind of ledger", did_you_mean(scheme, ["sqlite"]))
    rest = text.removeprefix(_SQLITE)
    if rest == text or not rest or "?" in rest:
        raise _unfit("the URL has no plain path after sqlite:///")
    return rest


def _unfit(what: str, then: str = "give the path of a file, such as comity.db") -> InvalidInput:
    return InvalidInput(Fault("ledger", what, "a path or a sqlite:/// URL", then))
