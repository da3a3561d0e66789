"""Listing: sessions and entries, one line each."""

from __future__ import annotations

from typing import Any

from comity.render.listing import entries_text, sessions_text, short, when


def entry(**body: Any) -> dict:
    return {"seq": 1, "at_ms": 0, "kind": "input", "hash": "ab" * 32, "body": body}


def gist(**body: Any) -> str:
    return entries_text([entry(**body)]).split("\n")[1].split("input")[1].strip().split("  ")[0]


def test_times_are_told_in_utc_and_strange_ones_as_they_are() -> None:
    assert when(1_700_000_000_000) == "2023-11-14 22:13:20Z"
    assert when(10**30) == f"{10**30} ms"


def test_long_text_is_cut_to_one_line() -> None:
    assert short("a\nb" * 100, 5) == "a\\nb…"
    assert short("abc", 3) == "abc"


def test_sessions_are_one_line_each_whatever_their_title() -> None:
    one = {"session": "d_1", "kind": "consent", "title": "x\ny", "at_ms": 0, "result": "open"}
    text = sessions_text([{**one, "says": ""}])
    assert text.count("\n") == 1
    assert text.endswith("open    x\\ny")


def test_an_entry_is_told_in_a_few_words() -> None:
    assert gist(outcome={"says": "Deal at 80."}) == "Deal at 80."
    assert gist(outcome={"kind": "waiting"}) == "waiting"
    assert gist(title="Price") == "Price"
    said = {"text": "[CONSENT]\nfine"}
    assert gist(kind="reply", party="CC", body=said) == "CC reply: [CONSENT] fine"
    failed = {"reason": "timeout", "detail": "60 s"}
    assert gist(kind="failure", party="CX", body=failed) == "CX failure: timeout 60 s"
    assert gist(kind="timer") == "timer"
    assert "ab" * 6 in entries_text([{**entry(), "body": None}])
