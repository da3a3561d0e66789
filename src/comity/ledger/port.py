"""The port: what can be asked of a ledger, whichever database is behind it?

Here: the protocol every ledger fulfils and the values it answers with.
Not here: how an entry looks (ledger/entry.py), how one is opened (ledger/open.py).
Sources: SEMANTICS K1-K3; ENGINE 1, 7 and 8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Protocol, Self

from comity.core.errors import ComityError
from comity.ledger.entry import Entry, NewEntry

__all__ = [
    "Appended",
    "Head",
    "Ledger",
    "RawTables",
    "Request",
    "Rule",
    "Settled",
    "Table",
]

Rule = Callable[[tuple[Entry, ...]], Sequence[NewEntry]]
"""A pure function from the locked entries of a scope to what is appended to them."""

Table = Literal["entries", "heads", "anchors", "meta"]
"""The tables of a ledger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How far a scope got.

    Attributes:
        scope: the scope.
        seq: place of its last entry.
        hash: hash of that entry.
        at_ms: time of that entry.
    """

    scope: str
    seq: int
    hash: str
    at_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What an append did.

    Attributes:
        entries: the entries written now, or earlier under the same request id.
        repeated: True when the request id was known and nothing was written now.
        head: hash of the scope's last entry as it is now; "" when it has none.
    """

    entries: tuple[Entry, ...]
    repeated: bool
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One of several requests that are settled in one commit.

    Attributes:
        request_id: as in :meth:`Ledger.append`, or None.
        rule: returns what is appended; it is called once, under the lock, and not at all when the
            request id is known. A :class:`ComityError` it raises is this request's answer, and
            the others go on.
    """

    request_id: str | None
    rule: Callable[[], Sequence[NewEntry]]


Settled = Appended | ComityError
"""What became of one request."""


class RawTables(Protocol):
    """A still picture of everything stored, for verify; values come as the store holds them."""

    def complaints(self) -> tuple[str, ...]:
        """Return what the store itself finds wrong: damage, foreign tables, missing guards."""
        ...

    def rows(self, table: Table) -> Iterator[tuple[object, ...]]:
        """Yield every row: entries by scope and seq, anchors by n, the others by their key.

        Text that is not UTF-8 comes as bytes.

        Raises:
            LedgerError: when the store cannot read on.
        """
        ...


class Ledger(Protocol):
    """An append-only book of chained entries, safe for many processes and threads.

    Use it as a context manager, or close it.
    """

    def append(
        self,
        scope: str,
        entries: Sequence[NewEntry],
        *,
        expected_head: str | None,
        request_id: str | None,
        now_ms: int,
    ) -> Appended:
        """Append entries to a scope, all or none; they are safe on disk when this returns.

        Args:
            scope: whose chain.
            entries: one or more.
            expected_head: hash of the scope's last entry as the caller knows it, "" for a scope
                without entries, None when any will do.
            request_id: when it is already known in this scope, the entries written then are
                returned and nothing is written, whatever the expected head.
            now_ms: the time to record, in milliseconds.

        Raises:
            SequenceConflict: the scope's last entry is another one.
            LedgerError: the request id was used for something else, or the store refuses.
            InvalidInput: an argument is unfit.
        """
        ...

    def transact(self, scope: str, fn: Rule, *, request_id: str | None, now_ms: int) -> Appended:
        """Lock, look the request id up, apply a pure rule to the scope's entries, append, commit.

        The rule sees every entry, private ones too. When it raises, nothing is written; when it
        returns nothing, nothing is written and the request id stays unused.

        Args:
            scope: whose chain.
            fn: the rule; it runs while the ledger is locked and must not wait for anything.
            request_id: as in :meth:`append`; when it is known ``fn`` is not called.
            now_ms: the time to record, in milliseconds.

        Raises:
            LedgerError: the store refuses.
            InvalidInput: an argument, or what ``fn`` returned, is unfit.
        """
        ...

    def settle(
        self,
        scope: str,
        requests: Sequence[Request],
        *,
        after: int,
        catch_up: Callable[[tuple[Entry, ...]], None],
        now_ms: int,
    ) -> tuple[Settled, ...]:
        """Lock once, hand over what is new, apply each request's rule in turn, commit once.

        For callers that keep what they have read in memory, and for many callers at once: their
        requests share one commit. When anything but a :class:`ComityError` of a rule is raised,
        nothing is written, and what the caller keeps in memory must be read anew.

        Args:
            scope: whose chain.
            requests: one or more.
            after: the ``seq`` up to which the caller knows the scope.
            catch_up: gets the scope's later entries, private ones too, before the first rule.
            now_ms: the time to record, in milliseconds.

        Returns:
            What became of each request, in order.

        Raises:
            LedgerError: the store refuses, or the caller knows more than the scope holds.
            InvalidInput: an argument, or what a rule returned, is unfit.
        """
        ...

    def read(
        self,
        scope: str,
        *,
        after: int = 0,
        party: str | None = None,
        everything: bool = False,
    ) -> tuple[Entry, ...]:
        """Return a scope's entries in order, each with its hash checked.

        Args:
            scope: whose chain; an unknown one has no entries.
            after: only entries with a larger ``seq``.
            party: besides the public entries, those private to this seat.
            everything: all private entries too: for the owner, resume and verify.

        Raises:
            LedgerCorrupt: an entry is not what was written.
            InvalidInput: an argument is unfit, or both ``party`` and ``everything`` are given.
        """
        ...

    def heads(self) -> tuple[Head, ...]:
        """Return the head of every scope, sorted by scope."""
        ...

    def find(
        self,
        kind: str,
        *,
        scope: str | None = None,
        limit: int | None = None,
        newest_first: bool = True,
    ) -> tuple[Entry, ...]:
        """Return the public entries of a kind over one scope or all.

        Args:
            kind: the kind.
            scope: whose chain, or None for all.
            limit: at most so many, or None for all.
            newest_first: by time, then scope and ``seq``, descending; else ascending.
        """
        ...

    def head(self) -> str:
        """Return the hash of the newest anchor, "" when there is none.

        It covers no entry that came after that anchor: ask :meth:`anchor` for one to keep.
        """
        ...

    def anchor(self) -> str:
        """Anchor every scope where it stands; return the hash of the newest anchor to keep.

        Nothing is written when nothing came since the newest anchors. "" for an empty ledger.

        Raises:
            LedgerReadOnly: something came since then, and the ledger cannot be written here.
            LedgerCorrupt: a scope does not stand where its anchors and entries say.
        """
        ...

    def schema_version(self) -> int:
        """Return the number of the schema as stored."""
        ...

    def raw(self) -> AbstractContextManager[RawTables]:
        """Return a still picture of everything stored, as one consistent state."""
        ...

    def close(self) -> None:
        """Close it; closing twice does nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
