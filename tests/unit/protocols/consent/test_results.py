"""Tests of the results: they survive JSON as what they were (G1, G2; contract 4)."""

from __future__ import annotations

import json

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.results import FinalOffer, Grounds, Result, Submission, result_from_json
from comity.protocols.consent.results import (
    ConsentAgreement,
    ConsentNoDeal,
    ConsentRecord,
    Objection,
    RedLineReport,
    SeatReport,
)

GROUNDS = Grounds(
    rule="consent",
    ended_by="consent",
    inputs_digest="00",
    parameters=(("order", ("CC", "CX")), ("seed", "1")),
    submissions=(Submission("CC", {"answer": None}), Submission("CX", None)),
)
RECORD = ConsentRecord(
    question="Which?",
    turns=3,
    max_turns=30,
    version=2,
    draft=("tls = 1.3", "1/3"),
    seats=(SeatReport(party="CC", priority="R", gave=("a",), got=("b",)),),
    red_lines=(RedLineReport(party="CX", text="ms < 1/3", checked_by="code", kept="ms is 0"),),
    objections=(Objection(party="CX", version=1, reason="0.5"),),
    flags=("two seats only",),
)
FOUND: list[Result] = [
    ConsentAgreement(
        terms=(("tls", "1.3"), ("days", "30"), ("share", "1/3"), ("term 4", "be kind")),
        parties=("CC", "CX"),
        record=RECORD,
        grounds=GROUNDS,
        says="All 2 seats consented.",
    ),
    ConsentNoDeal(
        reason="stall",
        final_offers=(FinalOffer("CC", "P1: offers 0.5"), FinalOffer("CX")),
        unblock=("CX answers",),
        record=RECORD,
        grounds=GROUNDS,
        says="No agreement.",
        accepted_terms=("1/3",),
        conflict=("CC's a < 1",),
    ),
]


@pytest.mark.parametrize("found", FOUND, ids=lambda one: one.kind)
def test_a_result_read_back_from_its_json_is_the_same(found: Result) -> None:
    told = json.loads(canonical(found.to_json()))
    again = result_from_json(told)
    assert again == found
    assert type(again) is type(found)
    assert told["form"] == "consent"
    assert told["v"] == 1


@pytest.mark.parametrize(("found", "code"), [(FOUND[0], 0), (FOUND[1], 10)])
def test_the_exit_code_follows_from_the_kind(found: Result, code: int) -> None:
    assert found.exit_code == code
    assert found.is_decided == (code == 0)


def test_an_option_that_reads_like_a_number_stays_text() -> None:
    again = result_from_json(FOUND[0].to_json())
    assert isinstance(again, ConsentAgreement)
    assert again.terms[:3] == (("tls", "1.3"), ("days", "30"), ("share", "1/3"))


def test_a_result_reads_as_text_for_a_person() -> None:
    assert "be kind" in str(FOUND[0])
    assert "No agreement." in str(FOUND[1])


def test_a_result_that_lacks_its_record_is_refused() -> None:
    told = {name: one for name, one in FOUND[0].to_json().items() if name != "record"}
    with pytest.raises(InvalidInput, match="record"):
        result_from_json(told)
