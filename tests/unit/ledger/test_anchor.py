"""ledger/anchor.py: which entries are anchored, and what an anchor's hash covers (K1)."""

from __future__ import annotations

from dataclasses import asdict, replace
from hashlib import sha256
from typing import Any

import pytest

from comity.core.canonical import digest
from comity.ledger.anchor import Anchor, anchor_hash, anchor_of, wants_anchor
from comity.ledger.entry import GENESIS, SEALED, Entry, NewEntry, seal


def entry() -> Entry:
    new = NewEntry(SEALED, {})
    return seal(new, scope="s", seq=4, request_id=None, at_ms=9, prev=GENESIS)


@pytest.mark.parametrize(
    ("seq", "kind", "wanted"),
    [
        (1, "note", True),
        (2, "note", False),
        (99, "note", False),
        (100, "note", True),
        (101, "note", False),
        (1000, "note", True),
        (2, "sealed", True),
        (2, "Sealed", False),
    ],
)
def test_k1_openings_seals_and_every_100th_entry_are_anchored(
    seq: int, kind: str, wanted: bool
) -> None:
    assert wants_anchor(seq, kind) is wanted


def test_k1_an_anchor_names_its_entry_and_the_anchor_before() -> None:
    sealed = entry()
    made = anchor_of(sealed, n=3, prev="b" * 64)
    assert (made.n, made.scope, made.seq, made.at_ms, made.prev) == (3, "s", 4, 9, "b" * 64)
    assert made.head == sealed.hash


def test_k1_the_hash_of_an_anchor_covers_every_other_field() -> None:
    made = anchor_of(entry(), n=3, prev="b" * 64)
    fields = asdict(made)
    assert fields.pop("hash") == digest(fields) == anchor_hash(made)
    changes: dict[str, Any] = {"n": 4, "scope": "t", "seq": 5, "head": "", "at_ms": 1, "prev": ""}
    assert set(changes) == set(fields)
    others: list[Anchor] = [replace(made, **{name: value}) for name, value in changes.items()]
    assert len({made.hash, *map(anchor_hash, others)}) == 7
    assert anchor_hash(replace(made, hash="")) == made.hash


def test_what_is_hashed_never_changes() -> None:
    made = anchor_of(entry(), n=1, prev=GENESIS)
    text = f'{{"at_ms":9,"head":"{made.head}","n":1,"prev":"{GENESIS}","scope":"s","seq":4}}'
    assert made.hash == sha256(text.encode()).hexdigest()
