"""Listing: sessions and entries, one line each."""

from __future__ import annotations

from typing import Any

from comity.render.listing import desks_text, entries_text, sessions_text, short, when


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


def test_g8_what_a_person_or_a_default_decided_does_not_read_as_a_count() -> None:
    one = {"session": "d_1", "kind": "vote", "title": "x", "at_ms": 0, "says": ""}
    for ended_by, told in (
        ("person", "choice, by a person"),
        ("default", "choice, by default"),
        ("deadline", "choice  x"),
    ):
        text = sessions_text([{**one, "result": "choice", "ended_by": ended_by}])
        assert told in text


def test_k4_a_desk_is_one_line_with_what_was_decided_last() -> None:
    says = "a won gpu over b."
    text = desks_text([{"desk": "claims", "at_ms": 0, "entries": 7, "last": {"says": says}}])
    assert text.split("\n")[1].endswith(f"7  {says}")


def test_an_entry_of_a_desk_is_told_in_a_few_words() -> None:
    assert gist(resource="gpu", agent="A") == "A gpu"
    assert gist(resource="gpu", agent="A", why="released") == "A gpu released"
    assert gist(resource="gpu", winners=["A", "B"]) == "A, B won gpu"
    assert gist(resource="gpu", winners=[]) == "nobody won gpu"
