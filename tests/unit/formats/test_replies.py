"""Replies: what is read in one reply, and why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.formats.replies import read_consent_reply, read_review_reply
from comity.protocols.consent.grammar import parse_consent_json
from comity.protocols.review.grammar import parse_review_json


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("[CONSENT]", True),
        ("[OBJECT: slow]", True),
        ("fine by me", False),
        ("I OFFER: a\nI WANT: b\nRATIONALE: c", True),
        ("I OFFER: a\nI WANT: b", False),
        ("", False),
    ],
)
def test_a_consent_reply_is_read_as_the_grammar_reads_it(text: str, readable: bool) -> None:
    found = read_consent_reply(text, seat="CC", open_check=True)
    assert found.data == parse_consent_json(text, seat="CC", open_check=True)
    assert found.is_readable is readable
    assert found.why.endswith(".")


def test_an_answer_without_a_check_is_readable_and_kept_for_nothing() -> None:
    found = read_consent_reply("[CONSENT]", seat="CC", open_check=False)
    assert found.data["status"] == "no_open_check"
    assert found.is_readable


@pytest.mark.parametrize(
    ("text", "role", "why"),
    [
        ("VOTE: APPROVE", None, "The vote is APPROVE, from the text."),
        ("VERDICT: APPROVED_TO_SHIP", None, "The vote is APPROVED_TO_SHIP, from the text."),
        ("VERDICT: BLOCKED\nREASON: x", None, "The vote is BLOCKED, from the text."),
        ("VOTE: BLOCK", "advisor", "An advisor hands in findings"),
        ("nothing", None, "No line of the reply is a vote."),
    ],
)
def test_a_review_reply_is_read_as_the_grammar_reads_it(text: Any, role: Any, why: Any) -> None:
    found = read_review_reply(text, role=role)
    assert found.data == parse_review_json(text, role=role)
    assert found.why.startswith(why)


def test_the_reference_cases_are_read_as_expected(need_data: Callable[[str], Path]) -> None:
    cases = json.loads(need_data("parse_cases.json").read_text())
    for case in cases:
        if case["protocol"].startswith("P1"):
            context = case.get("context", {})
            found = read_consent_reply(
                case["text"],
                seat=context.get("seat"),
                open_check=context.get("open_check", False),
            )
        else:
            roles = {"P2.verdict": "verdict", "P2.finding": "advisor"}
            role = case.get("role") or roles.get(case["protocol"])
            found = read_review_reply(case["text"], role=role)
        expected = dict(case["expect"])
        least = expected.pop("reason_min_length", 0)
        seen = {name: found.data.get(name) for name in expected}
        assert seen == expected, case["id"]
        assert len(str(found.data.get("reason", ""))) >= least, case["id"]
