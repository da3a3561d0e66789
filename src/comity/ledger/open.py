"""Opening: from a path or URL to a ledger.

Here: which words mean which kind of ledger.
Not here: how each is opened (ledger/sqlite.py, ledger/postgres.py).
Sources: SEMANTICS K3; ENGINE 7.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from comity.core.errors import Fault, InvalidInput, did_you_mean
from comity.ledger.address import is_postgres
from comity.ledger.port import Ledger

__all__ = ["migrate_ledger", "open_ledger"]

_SQLITE = "sqlite:///"


def open_ledger(where: str | Path, *, create: bool = True) -> Ledger:
    """Open a ledger, or create it.

    Args:
        where: a path ("comity.db"), a URL ("sqlite:///comity.db" in this folder,
            "sqlite:////var/lib/comity.db" absolute), ":memory:", or a URL of a PostgreSQL
            database ("postgresql://host/database?schema=comity").
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
    if is_postgres(str(where)):
        opened: Ledger = _postgres().open_postgres(str(where), create=create)
        return opened
    from comity.ledger.sqlite import open_sqlite

    return open_sqlite(_path(where), create=create)


def migrate_ledger(where: str | Path) -> tuple[int, int]:
    """Bring a ledger to the schema of this code.

    A SQLite ledger does so by itself whenever it is opened, after copying its file. One in
    PostgreSQL may be used by many machines, so it does so when this is called and not before.

    Args:
        where: as for :func:`open_ledger`.

    Returns:
        The number of its schema before and now; 0 before for a ledger that was made by this.

    Raises:
        InvalidInput: the words name no ledger this version can open.
        LedgerTooNew: a newer version wrote it.
        LedgerError: it cannot be opened, or holds something else.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     path = Path(folder, "comity.db")
        ...     open_ledger(path).close()
        ...     migrate_ledger(path)
        (1, 1)
    """
    if is_postgres(str(where)):
        numbers: tuple[int, int] = _postgres().migrate_postgres(str(where))
        return numbers
    with open_ledger(where, create=False) as ledger:
        number = ledger.schema_version()
    return number, number


def _postgres() -> ModuleType:
    try:
        from comity.ledger import postgres
    except ImportError as error:
        raise InvalidInput(
            Fault(
                "ledger",
                f"is in PostgreSQL, and the package for it cannot be imported ({error})",
                "the extra 'postgres' installed, or a path or a sqlite:/// URL",
                "run pip install 'comity[postgres]'",
            )
        ) from error
    return postgres


def _path(where: str | Path) -> str | Path:
    text = str(where)
    if not text or "\0" in text:
        raise _unfit(f"{text!r} is no path")
    if isinstance(where, Path) or "://" not in text:
        return where
    scheme = text.partition("://")[0]
    if scheme != "sqlite":
        raise _unfit(
            f"{scheme!r} is no kind of ledger", did_you_mean(scheme, ["sqlite", "postgresql"])
        )
    rest = text.removeprefix(_SQLITE)
    if rest == text or not rest or "?" in rest:
        raise _unfit("the URL has no plain path after sqlite:///")
    return rest


def _unfit(what: str, then: str = "give the path of a file, such as comity.db") -> InvalidInput:
    return InvalidInput(Fault("ledger", what, "a path, a sqlite:/// or a postgresql:// URL", then))
