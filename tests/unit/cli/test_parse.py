"""Comity parse: how a reply is read, and why."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from comity.protocols.consent.grammar import parse_consent_json
from comity.protocols.review.grammar import parse_review_json

PROPOSAL = "PROPOSAL\nI OFFER: notes\nI WANT: a freeze\nRATIONALE: support needs time"


@pytest.fixture
def reply(here: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts a reply into a file, or on stdin."""

    def put(text: str, *, stdin: bool = False) -> str:
        if stdin:
            fake = SimpleNamespace(buffer=io.BytesIO(text.encode()), isatty=lambda: False)
            monkeypatch.setattr(sys, "stdin", fake)
            return "-"
        (here / "reply.txt").write_text(text)
        return "reply.txt"

    return put


@pytest.mark.parametrize("stdin", [True, False])
@pytest.mark.parametrize(
    "text",
    ["[CONSENT]", "[CONSENT] if it ships", "[OBJECT: too slow]", "[CONSENT - CX]", PROPOSAL],
)
def test_the_json_is_exactly_what_the_consent_grammar_reads(
    comity: Callable[..., Any], reply: Callable[..., str], text: Any, stdin: Any
) -> None:
    name = reply(text, stdin=stdin)
    expected = parse_consent_json(text, seat="CC", open_check=True)
    said = comity("parse", "consent", "--seat", "CC", "--open-check", name, "--json")
    assert said.json == expected
    assert said.code == (1 if expected["status"] == "invalid" else 0)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("VOTE: APPROVE", None),
        ("VOTE: BLOCK", None),
        ("VOTE: BLOCK\nREASON: no tests", "voter"),
        ("VERDICT: APPROVED_TO_SHIP", None),
        ("VERDICT: BLOCKED\nREASON: no export", "verdict"),
        ("Finding 1.\nVOTE: BLOCK", "advisor"),
        ("", None),
    ],
)
def test_the_json_is_exactly_what_the_review_grammar_reads(
    comity: Callable[..., Any], reply: Callable[..., str], text: Any, role: Any
) -> None:
    expected = parse_review_json(text, role=role)
    words = ("--role", role) if role else ()
    said = comity("parse", "review", *words, reply(text, stdin=True), "--json")
    assert said.json == expected
    assert said.code == (1 if expected["status"] == "invalid" else 0)


def test_stdin_is_the_default(comity: Callable[..., Any], reply: Callable[..., str]) -> None:
    reply("VOTE: APPROVE", stdin=True)
    assert comity("parse", "review", "--json").json["vote"] == "APPROVE"


@pytest.mark.parametrize(
    ("words", "text", "told"),
    [
        (("consent", "--open-check"), "[CONSENT]", "ok: The answer is CONSENT."),
        (("consent",), "[CONSENT]", "no_open_check: No consent check is open"),
        (("consent", "--open-check"), "fine", "invalid: No line of the message is an answer"),
        (("consent",), "I OFFER: a\nI WANT: b", "incomplete: The proposal lacks RATIONALE"),
        (("consent", "--seat", "CC", "--open-check"), "[CONSENT - CX]", "spoofed: CX"),
        (("review",), "VOTE: BLOCK\nREASON: slow", "  reason: slow"),
        (("review",), "VOTE: APPROVE once fixed", "invalid: Something beside the token"),
        (("review", "--role", "advisor"), "VOTE: BLOCK", "not_a_voter: An advisor hands in"),
    ],
)
def test_the_text_says_why(
    comity: Callable[..., Any], reply: Callable[..., str], words: Any, text: Any, told: Any
) -> None:
    assert told in comity("parse", *words, reply(text)).out


def test_c3_what_is_said_for_another_seat_is_shown_as_void(
    comity: Callable[..., Any], reply: Callable[..., str]
) -> None:
    said = comity("parse", "consent", "--seat", "CC", "--open-check", reply("[CONSENT - CX]"))
    assert said.code == 1
    assert "counts for nothing" in said.out


def test_wrong_words_are_refused(comity: Callable[..., Any], reply: Callable[..., str]) -> None:
    assert "did you mean 'voter'" in comity("parse", "review", "--role", "votr", "-").err
    reply("x")
    assert "did you mean 'reply.txt'" in comity("parse", "review", "rply.txt").err
    assert comity("parse", "review", ".").code == 2


def test_a_stdin_without_bytes_is_an_empty_reply(
    comity: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: False))
    assert comity("parse", "review", "--json").json == {"status": "invalid", "error": "empty"}
