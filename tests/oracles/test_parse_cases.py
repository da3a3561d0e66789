"""Parse cases: every reply of the case file is read as the file says.

The file holds replies as agents really end them, made up from complaints about tools that read
them wrong. It lies in the data folder (COMITY_DATA); without it this file is one named skip.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from comity.protocols.consent.grammar import parse_consent_json, read_answer, read_proposal
from comity.protocols.review.grammar import parse_review_json

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COMITY_DATA") or ROOT.parent / "shared" / "data")
FILE = FOLDER / "parse_cases.json"
ROLES = {"P2.vote": "voter", "P2.verdict": "verdict", "P2.finding": "advisor"}


def cases() -> list[Any]:
    if not FILE.is_file():
        reason = "parse_cases.json: not in COMITY_DATA"
        return [pytest.param(None, id="absent", marks=pytest.mark.skip(reason=reason))]
    return [
        pytest.param(case, id=case["id"]) for case in json.loads(FILE.read_text(encoding="utf-8"))
    ]


def read(case: dict[str, Any]) -> dict[str, Any]:
    """Read a case by the reader of its protocol."""
    text, context = case["text"], case.get("context", {})
    match case["protocol"]:
        case "P1.answer":
            told = read_answer(text, **context).to_json()
            assert parse_consent_json(text, **context) == told, "the command reads it the same"
            return told
        case "P1.proposal":
            told = read_proposal(text).to_json()
            assert parse_consent_json(text) == told, "the command reads it the same"
            return told
        case protocol:
            return dict(parse_review_json(text, role=case.get("role") or ROLES[protocol]))


@pytest.mark.parametrize("case", cases())
def test_a_case_is_read_as_the_file_says(case: dict[str, Any]) -> None:
    told, expected = read(case), dict(case["expect"])
    least = expected.pop("reason_min_length", None)
    if least is not None:
        assert len(told.pop("reason")) >= least
    assert told == expected, case.get("why")
