"""Opened: which ledger and which session does a reading command mean?

Here: opening a ledger that must be there, `last` for the newest session.
Not here: what the commands show of it.
Sources: SEMANTICS K1, K4.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from shlex import quote

from comity.app import App
from comity.cli.door import Door
from comity.core.errors import Fault, InvalidInput
from comity.watch.desks import desk_meant, desks_of

__all__ = ["LAST", "ledger_of", "session_id"]

LAST = "last"


@contextmanager
def ledger_of(door: Door) -> Iterator[App]:
    """Open the ledger of a call, which must be there already.

    Raises:
        InvalidInput: when there is none.
        LedgerError: when it cannot be read.
    """
    with App(door.ledger_place(), create=False) as app:
        yield app


def session_id(app: App, given: str) -> str:
    """Return the full id of a session.

    Args:
        app: the open ledger.
        given: an id, its beginning, or ``last``.

    Raises:
        InvalidInput: when no session or more than one is meant, or a desk is.
    """
    desk = desk_meant(app.ledger, given)
    if desk is not None:
        what, allowed = "is a desk: it never ends", "a session"
        following = f"look at `comity why {quote(desk.desk)}`"
        raise InvalidInput(Fault(f"session {given!r}", what, allowed, following))
    if given != LAST:
        return app.full_id(given)
    newest = app.sessions(limit=1)
    if not newest:
        desks = desks_of(app.ledger)
        what, following = (
            "nothing was decided here",
            "decide something first, as with `comity demo`",
        )
        if desks:
            what = "only desks are here"
            following = f"look at `comity why {quote(desks[0].desk)}`, or `comity ledger`"
        allowed = "a ledger with a session"
        raise InvalidInput(
            Fault("session 'last'", f"is in no ledger yet: {what}", allowed, following)
        )
    return newest[0].session
