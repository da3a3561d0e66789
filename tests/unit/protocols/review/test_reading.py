"""Reading: replies of reviewers, versions of the reviser, the person's word (W1, W5, W6, C3)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.protocols.review.reading import read_choice, read_reply, read_version


@pytest.mark.parametrize(
    ("body", "role", "vote"),
    [
        ({"text": "VOTE: APPROVE"}, "voter", "APPROVE"),
        ({"text": "x", "vote": {"vote": "BLOCK", "reason": "no"}}, "voter", "BLOCK"),
        ({"text": "VERDICT: APPROVED_TO_SHIP"}, "verdict", "APPROVED_TO_SHIP"),
        ({"text": "VOTE: BLOCK\nREASON: the nits are many"}, "voter", "BLOCK"),
        ({"text": "VOTE: BLOCK\nREASON: preferences of users get lost"}, "voter", "BLOCK"),
        ({"text": "VOTE: APPROVE\nADDRESSED: b1"}, "voter", "APPROVE"),
        ({"text": "VOTE: BLOCK\nREASON: x\nSTILL OPEN: b1"}, "voter", "BLOCK"),
    ],
)
def test_w1_a_vote_is_read(body: Any, role: Any, vote: str) -> None:
    read = read_reply(body, role)
    assert (read.reading.vote, read.error, read.hint) == (vote, "", "")


@pytest.mark.parametrize(
    ("body", "role", "error"),
    [
        (None, "voter", "empty"),
        ({"text": 5}, "voter", "empty"),
        ({"text": "hm"}, "voter", "no_vote"),
        ({"text": "hm", "vote": 3}, "voter", "no_vote"),
        ({"text": "VOTE: APPROVE"}, "verdict", "ambiguous_vote"),
        ({"text": "VOTE: BLOCK\nREASON: PREFERENCE: tabs"}, "voter", "preference"),
        ({"text": "VOTE: BLOCK\nREASON: **Nit:** tabs"}, "voter", "preference"),
        ({"text": "VOTE: BLOCK\nCATEGORY: nit\nREASON: tabs"}, "voter", "preference"),
        ({"text": "VOTE: APPROVE\nSTILL OPEN: b1"}, "voter", "approves_with_open_block"),
    ],
)
def test_w1_what_is_no_ballot_says_why_and_what_would_be_one(
    body: Any, role: Any, error: str
) -> None:
    read = read_reply(body, role)
    assert read.error == error
    assert "Answer with" in read.hint


def test_w1_an_approval_below_another_seats_name_is_asked_again() -> None:
    body = {"text": "dana\nVOTE: APPROVE"}
    assert read_reply(body, "voter").error == ""
    assert read_reply(body, "voter", ("Dana",)).error == "ambiguous_vote"


def test_findings_are_no_vote() -> None:
    read = read_reply({"text": "A hole.\nVOTE: BLOCK"}, "advisor")
    assert (read.reading.vote, read.error) == (None, "")
    assert read.reading.findings.startswith("A hole.")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("BEGIN VERSION\nPlan\nEND VERSION", "Plan"),
        ("So.\r\n**BEGIN VERSION**\r\n# Plan\r\n\r\nx\r\n`END VERSION`\r\nDone.", "# Plan\n\nx"),
        ("BEGIN VERSION\na\nEND VERSION\nb\nEND VERSION", "a\nEND VERSION\nb"),
        ("END VERSION\nBEGIN VERSION", ""),
        ("BEGIN VERSION\n \nEND VERSION", ""),
        ("BEGIN VERSION\nno end", ""),
        ("I cannot.", ""),
    ],
)
def test_a_version_stands_between_its_lines(text: str, made: str) -> None:
    read = read_version({"text": text})
    assert read.text == made
    assert bool(read.error) is not bool(made)


def test_a_version_may_be_data_and_what_is_said_beside_it_is_kept_short() -> None:
    read = read_version({"artefact": "Plan", "text": "x" * 9_000})
    assert read.text == "Plan"
    assert len(read.remark) < 9_000
    assert read_version({"artefact": "y" * 200_001}).error == "too_long"
    assert read_version(None).error == "no_version"


@pytest.mark.parametrize(
    ("body", "choice"),
    [
        ({"text": "DECIDE: approve"}, "approve"),
        ({"decide": "block"}, "block"),
        ({"text": "Block"}, "block"),
        ({"text": "no idea"}, None),
        ({"decide": 3}, None),
        (None, None),
    ],
)
def test_the_persons_word(body: Any, choice: str | None) -> None:
    assert read_choice(body, ("approve", "block")) == choice
