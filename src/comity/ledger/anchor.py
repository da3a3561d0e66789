"""Anchors: which sessions must be here, and how far did each get?

Here: the global chain of anchors that a cut tail or a dropped session cannot satisfy.
Not here: where anchors are kept (ledger/tables.py) and compared (ledger/verify.py).
Sources: SEMANTICS K1.

A scope is anchored at its first entry, at every entry of kind ``sealed`` and at every 100th
entry; and where it stands whenever somebody asks for a head to keep. Each anchor names the one
before it, over all scopes; the hash of the newest one, kept elsewhere, is what a wholly rewritten
ledger cannot reproduce.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from comity.core.canonical import digest
from comity.ledger.entry import SEALED, Entry
from comity.ledger.port import Head

__all__ = ["ANCHOR_EVERY", "Anchor", "anchor_hash", "anchor_of", "wants_anchor"]

ANCHOR_EVERY = 100
"""Every entry of a scope whose number divides by this is anchored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchor:
    """One link of the global chain.

    Attributes:
        n: its place, from 1, without gaps.
        scope: whose entry it anchors.
        seq: which one.
        head: that entry's hash.
        at_ms: that entry's time.
        prev: hash of the anchor before it; 64 zeros for the first.
        hash: SHA-256 of the canonical JSON of all the other fields.
    """

    n: int
    scope: str
    seq: int
    head: str
    at_ms: int
    prev: str
    hash: str


def wants_anchor(seq: int, kind: str) -> bool:
    """Return whether an entry is anchored as it is written.

    Args:
        seq: its place in its scope.
        kind: its kind.

    Returns:
        True for the first, a ``sealed`` and every 100th entry.

    Example:
        >>> [seq for seq in range(1, 301) if wants_anchor(seq, "message")]
        [1, 100, 200, 300]
        >>> wants_anchor(7, "sealed")
        True
    """
    return seq == 1 or kind == SEALED or seq % ANCHOR_EVERY == 0


def anchor_of(entry: Entry | Head, *, n: int, prev: str) -> Anchor:
    """Return the anchor of an entry.

    Args:
        entry: the entry to hold in place, or a head that names it.
        n: the anchor's own place in the global chain.
        prev: hash of the anchor before it.

    Returns:
        The anchor with its hash.
    """
    made = Anchor(
        n=n,
        scope=entry.scope,
        seq=entry.seq,
        head=entry.hash,
        at_ms=entry.at_ms,
        prev=prev,
        hash="",
    )
    return replace(made, hash=anchor_hash(made))


def anchor_hash(anchor: Anchor) -> str:
    """Return the hash an anchor must have; its own ``hash`` is not looked at.

    Args:
        anchor: the anchor.

    Returns:
        64 hexadecimal digits.
    """
    return digest(
        {
            "at_ms": anchor.at_ms,
            "head": anchor.head,
            "n": anchor.n,
            "prev": anchor.prev,
            "scope": anchor.scope,
            "seq": anchor.seq,
        }
    )
