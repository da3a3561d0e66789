"""Doubts: an approval is read only when nothing in the message speaks against it (W1)."""

from __future__ import annotations

import json

import pytest

from comity.protocols.review.doubts import told_doubt
from comity.protocols.review.grammar import read_vote

APPROVE = "VOTE: APPROVE"


def vote(text: str) -> str | None:
    return read_vote(text, others=("Dana",)).vote


@pytest.mark.parametrize(
    "below",
    ["provided tests pass", "- only if tests pass", "(pending the fix)", "CONDITION: x", "BLOCK",
     "not", "TO APPROVE: add a limit", "I withdraw this vote.", "> only later", "    later",
     "</example>", "\nBut only with a limit.", "\nwould be premature.", "\u2705\nonce fixed",
     "<!-- x -->\nonce fixed", "VOTE: REJECT\nREASON: bad", "VOTE: ABSTAIN", "VOTE: pending",
     "VOTE: BLCOK", "VOTE: NO", "VOTE: REQUEST CHANGES", "VOTE - withdrawn", "VERDICT: BLOCKED",
     "\nDECISION: reject", "\nRecommendation: not ready", "\nI cannot approve this.",
     "\n- [x] BLOCK", "\nBLOCK: no limit", "\nOr:\n\nsomething else", "REASON: not before Monday",
     '\n{"vote": "APPROVE", "condition": "a limit"}', '\n{"vote": "APPROVE if fixed"}',
     "\n<b>VOTE: BLOCK</b>", "\n> x\nVOTE: BLOCK", "\nConditions: a limit",
     "\nI vote to block.", "\nP.S. This approval is void unless tests pass.", "\nEDIT: BLOCK",
     "\nVOTE (final): BLOCK", "\nVOTE #2: BLOCK", "\nV\u041eTE: BLOCK",
     "\n(Only valid when merged.)",
     "\n[^1]: only if", "\nI see a blocking concern."],
)  # fmt: skip
def test_w1_what_stands_below_an_approval_may_unmake_it(below: str) -> None:
    assert vote(f"Fine.\n\n{APPROVE}\n{below}") is None


@pytest.mark.parametrize(
    "above",
    ["Critic:", "[Critic]", "Planner said:", "### Critic", "**Critic's vote**", "Dana", "Dana:",
     "Zed:", "Zed:\n", "Critic:\nI like it.", "Either", "Do not", "For example:\n",
     "The format is:", "I would answer:", "My vote would be:", "> The author wrote", "It says `x",
     'It ends with "the words', "Under no circumstances would I say", "~~Earlier I said:",
     ".. code-block:: text\n", "VOTE: see below\n", "[THINK]", "<pre>", "<draft>", '"""',
     "Zed wrote:\nx\ny", "<!-- x -->\nCritic:\n<!-- y -->"],
)  # fmt: skip
def test_w1_what_stands_above_an_approval_may_make_it_anothers(above: str) -> None:
    assert vote(f"{above}\n{APPROVE}") is None


@pytest.mark.parametrize(
    "line",
    ["VOTE: {APPROVE}", "VOTE: {{APPROVE}}", "VOTE: $APPROVE", "VOTE: %APPROVE%",
     "VOTE: [ ] APPROVE",
     "VOTE: \u2610 APPROVE", "\u2610 VOTE: APPROVE", "VOTE:\n- [ ] APPROVE\n- [x] BLOCK",
     "VOTE:\n[ ] APPROVE\n[x] BLOCK", "VOTE:\n( ) APPROVE\n(x) BLOCK", "VOTE:\nAPPROVE\n/\nBLOCK",
     "## Vote\n- [ ] APPROVE\n- [x] BLOCK\n\nREASON: no limit",
     "VOTE: \u2610 APPROVE\n\u2611 BLOCK",
     "VOTE: APPROVE,", "VOTE: APPROVE:", "VOTE: APPROVE (", "VOTE: APPROVE \u2014",
     "VOTE: APPROVE\u2026", "VOTE: APPROVE...", "VOTE: APPROVE \u2192", "VOTE: APPROVE\u2020",
     "VOTE: \u2209 APPROVE", "VOTE: \u00d7 APPROVE", "\U0001f645 VOTE: APPROVE", "`VOTE: APPROVE",
     "+VOTE: BLOCK\nVOTE: APPROVE", "VOTE:\n```\nBLOCK\n```\nAPPROVE"],
)  # fmt: skip
def test_w1_only_the_closed_set_of_forms_approves(line: str) -> None:
    assert vote(line) is None


@pytest.mark.parametrize(
    "text",
    [
        "I read all of it.\nIt looks good to me\nVOTE: APPROVE",
        "Summary:\n- all tests pass\n\nVOTE: APPROVE\n\nRegards,\nDee",
        "Here is my vote:\n\n**VOTE: APPROVE**",
        "My vote:\nVOTE: APPROVE.",
        "### Conclusion\n\nVOTE: APPROVE",
        "Conclusion: nothing is missing.\n\nVOTE: APPROVE",
        "VOTE: APPROVE\n--\nDee",
        "VOTE: APPROVE\n\n---\n\nnotes",
        "VOTE: APPROVE\n\u2705\n\nThank you!",
        "VOTE: APPROVE\nREASON: all is tested\nSUGGESTION: add one more",
        "VOTE: APPROVE\nTO APPROVE: n/a",
        "Conditions: none\n\nVOTE: APPROVE",
        "REASON: fine\nVOTE: APPROVE",
        "```\nx\n```\nVOTE: APPROVE",
        "~~VOTE: BLOCK~~\nVOTE: APPROVE",
        "- [ ] BLOCK\n\nVOTE: APPROVE",
        "Decision: approve\n\nVOTE: APPROVE",
        "VOTE: APPROVE\n\nVOTE: APPROVE",
        "VOTE: APPROVE\nVOTE: APPROVE",
        "It uses Vec<String> and <b>bold</b>.\n\nVOTE: APPROVE",
        "\n".join(["line"] * 60 + ["VOTE: APPROVE"]),
        "---\nVOTE: APPROVE",
        "VOTE: <APPROVE|BLOCK>\n\nVOTE: APPROVE\n",
        "VOTE: APPROVE\n\nreason: fine",
    ],
)
def test_w1_ordinary_forms_stay_readable(text: str) -> None:
    assert vote(text) == "APPROVE"


# --- data ------------------------------------------------------------------------------------

DATA = [
    {"vote": ["APPROVE", "BLOCK"]},
    {"vote": ["APPROVE"]},
    {"vote": "APPROVE\nBLOCK"},
    {"vote": "APPROVE\nonly once the limit is there"},
    {"vote": "APPROVE", "verdict": "BLOCK"},
    {"vote": "APPROVE", "decision": "BLOCK"},
    {"vote": "APPROVE", "approve": False},
    {"vote": "APPROVE", "blocked": True},
    {"vote": "APPROVE", "condition": "a limit"},
    {"vote": "APPROVE", "seat": "Critic"},
    {"vote": "APPROVE", "to_approve": "a limit"},
    {"vote": "APPROVE", "reason": "only once fixed"},
    {"vote": "APPROVE", "note": "x\nVOTE: BLOCK"},
    {"vote": "APPROVE", "more": {"a": 1}},
]


@pytest.mark.parametrize("told", DATA)
def test_w1_a_vote_as_data_is_one_token_and_nothing_against_it(told: dict[str, object]) -> None:
    assert vote(json.dumps(told)) is None
    assert read_vote("Done.", tool=told).vote is None


def test_w1_a_json_vote_in_a_code_block_or_against_its_text_is_none() -> None:
    assert vote('    {"vote": "APPROVE"}') is None
    assert read_vote("VOTE: approve if fixed", tool={"vote": "APPROVE"}).error == "ambiguous_vote"
    assert read_vote("VOTE:\nI would approve", tool={"vote": "APPROVE"}).vote is None


def test_w1_a_block_as_data_may_be_sloppy() -> None:
    assert vote('{"vote": ["BLOCK"], "reason": "x"}') == "BLOCK"
    assert vote('{"vote": "BLOCK: x\\ny"}') == "BLOCK"
    assert vote('{"vote": "BLOCK\\nAPPROVE", "reason": "x"}') is None


@pytest.mark.parametrize(
    "told",
    [
        {"vote": "APPROVE", "still_open": "b1"},
        {"vote": "APPROVE", "confidence": 0.9, "note": "fine", "more": None, "extra": "n/a"},
        {"vote": "APPROVE", "decision": "approve", "approved": True},
    ],
)
def test_w1_what_is_known_and_agrees_is_no_doubt(told: dict[str, object]) -> None:
    assert not told_doubt(told)


def test_w1_a_reply_that_is_too_long_is_asked_for_again() -> None:
    assert read_vote("x" * 200_000 + "\n\nVOTE: APPROVE").error == "too_long"
    assert read_vote("x\n" * 9_000 + "\nVOTE: BLOCK - y").error == "too_long"
    assert read_vote("<" * 5_000 + "\nVOTE: APPROVE").error == "too_long"
    assert read_vote("\ufdfa" * 5_000 + "\nVOTE: APPROVE").error == "too_long"
