"""Review grammar (W1, W2, W6): assent is exact, dissent may be sloppy, doubt is asked again."""

from __future__ import annotations

import pytest

from comity.protocols.review.grammar import (
    BlockMark,
    Role,
    explain,
    parse_review_json,
    read_vote,
)
from comity.protocols.text import VALUE_LIMIT

OK_APPROVE = ("ok", "APPROVE")
OK_BLOCK = ("ok", "BLOCK")


def seen(text: str, role: Role = "voter") -> tuple[str, str | None]:
    """Return (ok, the vote) or (invalid, the error)."""
    reading = read_vote(text, role=role)
    return (reading.status, reading.vote or reading.error)


# --- W1: which lines are votes ---------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "VOTE: APPROVE",
        "vote: approved",
        "My vote: approve",
        "Final vote = APPROVE",
        "My final vote: APPROVE",
        "VOTE - APPROVE",
        "VOTE \u2014 APPROVE",
        "VOTE APPROVE",
        "VOTE:APPROVE",
        "## VOTE: APPROVE ##",
        "**VOTE:** APPROVE",
        "**VOTE: APPROVE**",
        "* VOTE: `APPROVE`",
        "[VOTE: APPROVE]",
        "(VOTE: APPROVE)",
        "VOTE: [APPROVE]",
        "VOTE: (APPROVE)",
        "VOTE: \u201cAPPROVE\u201d",
        'VOTE: "APPROVE".',
        "VOTE: \u2705 APPROVE!",
        "\u2705 VOTE: APPROVE",
        "VOTE: APPROVE \U0001f44d\U0001f3fd",
        "VOTE: AP\u200bPROVE",
        "\ufeffVOTE: \u202eAPPROVE\u202c",
        "\x1b[32mVOTE: APPROVE\x1b[0m",
        "VOTE: \uff21\uff30\uff30\uff32\uff2f\uff36\uff25",
        "VOTE: APPROVE\n\nDetails.\n\nVOTE: APPROVE",
        "VOTE:\nAPPROVE",
        "## Vote\n\n**Approved.**\n",
        "Vote\n====\n\nAPPROVE",
        "VOTE:\n<!-- choose one -->\nAPPROVE",
        "## Vote\n\nVOTE: APPROVE",
        "Vote by the end of the week.\nVOTE: APPROVE",
        "Vote - blocking issues: none.\nVOTE: APPROVE",
        "Votes so far: 2 block.\nVOTE: APPROVE",
        "Vote count: 1 block, 2 approve\nVOTE: APPROVE",
        "VOTE: <APPROVE|BLOCK>\nVOTE: APPROVE",
        "VOTE: BLOCK or APPROVE\nREASON: one line\n\nVOTE: APPROVE",
        "I would VOTE: BLOCK if it had no test, but it has.\nVOTE: APPROVE",
        "> VOTE: BLOCK\n\nVOTE: APPROVE",
        "> VOTE: BLOCK\n- VOTE: APPROVE",
        "| VOTE | BLOCK |\nVOTE: APPROVE",
        "@@ -1 +1 @@\n- VOTE: BLOCK\n+ VOTE: BLOCK\nVOTE: APPROVE",
        "~~VOTE: BLOCK~~\nVOTE: APPROVE",
        "- [ ] VOTE: BLOCK\n\nVOTE: APPROVE",
        "I cannot say.</think>\nVOTE: APPROVE",
    ],
)
def test_an_approval_is_read_from_an_exact_line(text: str) -> None:
    assert seen(text) == OK_APPROVE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("VOTE: BLOCK\nREASON: x y", "x y"),
        ("VOTE: BLOCKED - x y", "x y"),
        ("VOTE: BLOCK, x y", "x y"),
        ("VOTE: BLOCK. x y", "x y"),
        ("VOTE: BLOCK (x y)", "x y"),
        ("VOTE: BLOCK [x y]", "x y"),
        ("VOTE: BLOCK ( x y )", "x y"),
        ("VOTE: BLOCK - x (y)", "x (y)"),
        ("VOTE: BLOCK or blocked", "or blocked"),
        ("VOTE BLOCK (x y)", "x y"),
        ("[VOTE: BLOCK - x y]", "x y"),
        ("(VOTE: BLOCK - x y)", "x y"),
        ('VOTE: "BLOCK" - x y', "x y"),
        ("VOTE: BLOCK x y", "x y"),
        ("VOTE: BLOCK because x", "because x"),
        ("VOTE: BLOCK REASON: x y", "x y"),
        ("VOTE: BLOCK | REASON: x y", "x y"),
        ("VOTE: \u274c BLOCK - x y", "x y"),
        ("VOTE: !BLOCK! x y", "x y"),
        ("VOTE - BLOCK: x y", "x y"),
        ("VOTE BLOCK, x y", "x y"),
        ("VOTE: BLOCK (not APPROVE: x y)", "not APPROVE: x y"),
        ("VOTE: BLOCK - x\ny\n\nBye.", "x\ny"),
        ("VOTE: BLOCK - drops Vec<T>", "drops Vec<T>"),
        ("VOTE: BLOCK - x\nREASON: y", "y"),
        ("VOTE: BLOCK - x\nREASON: n/a", "x"),
        ("REASON: x y\nVOTE: BLOCK", "x y"),
        ("VOTE: BLOCK\n\nREASON = x y", "x y"),
        ("VOTE: BLOCK\nREASON \u2013 x y", "x y"),
        ("VOTE: BLOCK\n### Reason\n\nx y", "x y"),
        ("VOTE: BLOCK\nReason for blocking: x y", "x y"),
        ("VOTE: BLOCK\nBlocking reason: x y", "x y"),
        ("VOTE: BLOCK\nREASONS:\n- x\n- y", "- x\n- y"),
        ("VOTE: BLOCK\n**REASON: x y**", "x y"),
        ("VOTE: BLOCK\n**REASON:** `x` y", "`x` y"),
        ("VOTE: BLOCK\nREASON: x\n\ny\n\n---", "x\n\ny"),
        ("VOTE: BLOCK\nREASON: x\nCATEGORY: y", "x"),
        ("VOTE: BLOCK\nREASON: x\nTO APPROVE: y", "x"),
        ("VOTE: BLOCK\nREASON: x\n```\nVOTE: APPROVE\n```\ny", "x\n```\nVOTE: APPROVE\n```\ny"),
        ("VOTE: BLOCK\nREASON: x\n<!-- z -->\ny", "x\ny"),
        ("VOTE: BLOCK\nREASON: x\nVOTE: BLOCK\nREASON: y", "x\ny"),
        ("VOTE: BLOCK\nREASON: x\nVOTE: BLOCK\nREASON: x", "x"),
        ("VOTE: BLOCK\nREASON: x\nReason enough, I think", "x\nReason enough, I think"),
        ("VOTE:\nBLOCK\nREASON: x", "x"),
        ("VOTE: APPROVE or BLOCK\nREASON: one line\nVOTE: BLOCK\nREASON: x", "x"),
    ],
)
def test_a_block_may_be_sloppy_and_its_reason_runs_to_the_next_label(
    text: str, reason: str
) -> None:
    reading = read_vote(text)
    assert (reading.status, reading.vote) == OK_BLOCK
    assert reading.reason == reason


@pytest.mark.parametrize(
    "text",
    [
        "VOTE: APPROVE once it is fixed",
        "VOTE: APPROVE, if the tests pass",
        "VOTE: APPROVED \u2014 blocker: no test",
        "VOTE: APPROVE (not BLOCK, the leak is old)",
        "VOTE: APPROVE\u2014with risk",
        "VOTE: APPROVE_WITH_RISK",
        "VOTE: APPROVE REASON: fine",
        "VOTE: APPROVE?",
        "VOTE: APPROVE*",
        "VOTE: APPROVE +1",
        "VOTE: APPROVE \u274c",
        "VOTE: !APPROVE",
        "VOTE: ? APPROVE",
        "VOTE: APPROVE or approve",
        "VOTE: ~~APPROVE~~",
        "VOTE: ~~APPROVE~~ BLOCK",
        "VOTE: APPROVE\u0338",
        "VOTE: APPROVER",
        "VOTE: DISAPPROVE",
        "VOTE: UNBLOCK",
        "VOTE: BLOCKER: no test",
        "VOTE: not approved",
        "VOTE: I approve",
        "VOTE: APPROVED_TO_SHIP",
        "VOTE: BLOCK?",
        "VOTE: BLOCK ? which one",
        "VOTE: BLOCK is not needed",
        "VOTE: BLOCK withdrawn",
        "VOTE BLOCK it is",
        "Vote - block the cache",
        "Vote approve it then",
        "VOTE:\nApprove once it is fixed",
        "VOTE:\nBLOCK - no test",
        "VOTE:\nAPPROVE?",
        "VOTE:\nI would approve",
        "## Vote\nApprove once it is fixed\n\nVOTE: APPROVE",
        "VOTE: APPROVE\nVOTE: DISAPPROVE",
        "VOTE: BLOCK - x\nVOTE: not approved",
    ],
)
def test_doubt_beside_the_token_is_ambiguous(text: str) -> None:
    assert seen(text) == ("invalid", "ambiguous_vote")


@pytest.mark.parametrize(
    "text",
    [
        "VOTE: APPROVE\nVOTE: BLOCK\nREASON: x",
        "VOTE: BLOCK - x\nVOTE: APPROVE",
        "1. VOTE: APPROVE\n2. VOTE: BLOCK",
        "VOTE: APPROVE\nVOTE: BLOCK - x\nVOTE: approve if fixed",
        'VOTE: APPROVE\n{"vote": "BLOCK", "reason": "x"}',
        '{"vote": "BLOCK", "reason": "x"}\nVOTE: APPROVE',
        '{"vote": "APPROVE", "vote": "BLOCK", "reason": "x"}',
    ],
)
def test_different_votes_are_conflicting(text: str) -> None:
    assert seen(text) == ("invalid", "conflicting_votes")


@pytest.mark.parametrize(
    "text",
    [
        "```\nVOTE: APPROVE\n```",
        "```\nVOTE: APPROVE",
        "> VOTE: APPROVE",
        "> ```\n> VOTE: APPROVE\n> ```",
        "    VOTE: APPROVE",
        "\tVOTE: BLOCK - x",
        "<!-- VOTE: APPROVE -->",
        "<think>VOTE: APPROVE",
        "| Vote | APPROVE |",
        "| VOTE: APPROVE |",
        "+VOTE: APPROVE",
        "~~VOTE: APPROVE~~",
        "VOTE: APPROVE or BLOCK",
        "VOTE: APPROVE/BLOCK",
        "VOTE: (APPROVE|BLOCK)",
        "VOTE: APPROVE or VOTE: BLOCK",
        "VOTE: <APPROVE|BLOCK>",
        'VOTE: "<your vote>"',
        "VOTE:\n- APPROVE\n- BLOCK",
        "VOTE:\nAPPROVE\nor\nBLOCK",
        "VOTE:\nAPPROVE or BLOCK",
        "I would VOTE: APPROVE if it had a test.",
        "Critic: VOTE: APPROVE",
        "- [ ] VOTE: APPROVE",
        "### Vote\n\n> APPROVE",
        'Here it is:\n{"vote": "APPROVE"}',
        '```json\n{"vote": "APPROVE"}\n```',
        "VOTE: APPROVE\n</think>\nwell",
    ],
)
def test_a_vote_in_a_quote_a_sentence_or_a_form_does_not_count(text: str) -> None:
    assert seen(text) == ("invalid", "no_countable_vote")


@pytest.mark.parametrize(
    "text",
    [
        "Looks good to me.",
        "APPROVE",
        "I approve of it",
        "VOTE: LGTM",
        "VOTE: yes",
        "VOTE: \u2705",
        "VOTE:",
        "VOTE: ____",
        "VOTE:\nyes",
        "VOTE: \u0410PPROVE",
        "VOTE: APP",
        "\u6295\u7968\uff1a\u6279\u51c6",
        "My vote is APPROVE",
        "VERDICT: APPROVE",
        "VOTER: APPROVE",
        '{"note": "APPROVE"}',
        '{"vote": null}',
        '{"vote": true, "reason": "x"}',
        "VOTE:\nVERDICT: fine",
    ],
)
def test_without_a_vote_there_is_no_vote(text: str) -> None:
    assert seen(text) == ("invalid", "no_vote")


@pytest.mark.parametrize("text", ["", " \n\t\n", "\u200b\ufeff"])
@pytest.mark.parametrize("role", ["voter", "verdict", "advisor"])
def test_an_empty_reply_is_a_failure_in_every_role(text: str, role: Role) -> None:
    assert seen(text, role) == ("invalid", "empty")


@pytest.mark.parametrize(
    "text",
    [
        "VOTE: BLOCK",
        "VOTE: BLOCK.",
        "VOTE: BLOCK \u26d4",
        "VOTE: BLOCK\nREASON:",
        "VOTE: BLOCK\nREASON: n/a",
        "VOTE: BLOCK\nREASON: <reason>",
        "VOTE: BLOCK\nREASON: [Specific reason for blocking]",
        "VOTE: BLOCK - none",
        "The cache leaks.\n\nVOTE: BLOCK",
        "VOTE: BLOCK\n<!-- REASON: x -->",
        '{"vote": "BLOCK", "reason": "none"}',
    ],
)
def test_w2_a_block_without_a_reason_is_neither_approval_nor_block(text: str) -> None:
    assert seen(text) == ("invalid", "block_without_reason")


def test_an_approval_keeps_what_stands_in_its_reason_but_not_a_form() -> None:
    assert read_vote("VOTE: APPROVE").reason == ""
    assert read_vote("VOTE: APPROVE\nREASON: n/a").reason == "n/a"
    assert read_vote("VOTE: APPROVE\nREASON: <reason>").reason == ""


def test_a_long_reason_is_cut_with_a_mark_and_the_vote_stands() -> None:
    reading = read_vote("VOTE: BLOCK\nREASON: " + "very long " * VALUE_LIMIT)
    assert reading.vote == "BLOCK"
    assert "characters cut" in reading.reason
    assert len(reading.reason) < VALUE_LIMIT + 50


# --- categories, what would approve, marks ---------------------------------------------------


@pytest.mark.parametrize(
    ("line", "category"),
    [
        ("CATEGORY: Security", "security"),
        ("**Category:** `Error  Handling`.", "error handling"),
        ("### Category\nTests", "tests"),
        ("CATEGORY: tests\nand more text", "tests"),
        ("CATEGORY: <category>", None),
        ("CATEGORY: n/a", None),
        ("CATEGORY:", None),
        ("CATEGORY: a\nCATEGORY: b", "b"),
        ("CATEGORY: a\nCATEGORY: none", "a"),
        ("CATEGORY: " + "a" * 200, "a" * 200),
        ("CATEGORY: <security>", "security"),
        ("> CATEGORY: x", None),
    ],
)
def test_a_category_is_one_line_in_lower_case(line: str, category: str | None) -> None:
    assert read_vote(f"VOTE: BLOCK - x\n{line}").category == category


def test_w2_what_would_approve_and_the_suggestion_are_read() -> None:
    reading = read_vote(
        "VOTE: BLOCK\nREASON: no index\nTO APPROVE: add it\nand test it\n"
        "SUGGESTION: use a partial index\n"
    )
    assert reading.reason == "no index"
    assert reading.to_approve == "add it\nand test it"
    assert reading.suggestion == "use a partial index"


def test_w6_earlier_blocks_are_marked_addressed_or_open() -> None:
    reading = read_vote(
        "ADDRESSED: rate limit\nSTILL OPEN:\n- no rollback\n  on error\n- no log\n\n"
        "Some words.\nADDRESSED: none\nVOTE: APPROVE"
    )
    assert reading.marks == (
        BlockMark(state="addressed", text="rate limit"),
        BlockMark(state="open", text="no rollback on error"),
        BlockMark(state="open", text="no log"),
    )


def test_fields_below_a_form_belong_to_the_form() -> None:
    reading = read_vote(
        "VOTE: APPROVE or BLOCK\nREASON: a\nCATEGORY: b\nTO APPROVE: c\nADDRESSED: d\n\n"
        "VOTE: APPROVE\nREASON: e"
    )
    assert (reading.reason, reading.category, reading.to_approve) == ("e", None, "")
    assert reading.marks == ()


# --- verdicts and advisors -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("VERDICT: APPROVED_TO_SHIP", ("ok", "APPROVED_TO_SHIP")),
        ("Verdict: approved to ship!", ("ok", "APPROVED_TO_SHIP")),
        ("VOTE: Approved-to-ship", ("ok", "APPROVED_TO_SHIP")),
        ("VERDICT: APPROVED\\_TO\\_SHIP", ("ok", "APPROVED_TO_SHIP")),
        ("### Verdict\n**APPROVED_TO_SHIP**", ("ok", "APPROVED_TO_SHIP")),
        ("VERDICT: BLOCKED\nREASON: x", ("ok", "BLOCKED")),
        ("VERDICT: BLOCK - x", ("ok", "BLOCKED")),
        ("VERDICT: BLOCKED", ("invalid", "block_without_reason")),
        ("VERDICT: APPROVED", ("invalid", "ambiguous_vote")),
        ("VERDICT: DISAPPROVED", ("invalid", "ambiguous_vote")),
        ("VERDICT: not approved to ship", ("invalid", "ambiguous_vote")),
        ("VERDICT: ship it", ("invalid", "ambiguous_vote")),
        ("VERDICT: APPROVED_TO_SHIP after the fix", ("invalid", "ambiguous_vote")),
        ("VERDICT: APPROVED_TO_SHIP or BLOCKED", ("invalid", "no_countable_vote")),
        ("> VERDICT: BLOCKED", ("invalid", "no_countable_vote")),
        ("VERDICT: APPROVED_TO_SHIP\nVOTE: BLOCKED - x", ("invalid", "conflicting_votes")),
        ("VERDICT: fine", ("invalid", "no_vote")),
        ('{"verdict": "approved to ship"}', ("ok", "APPROVED_TO_SHIP")),
    ],
)
def test_a_verdict_has_its_own_tokens(text: str, expected: tuple[str, str]) -> None:
    assert seen(text, "verdict") == expected


def test_w4_an_advisor_gives_findings_and_never_a_vote() -> None:
    reading = read_vote("Finding: x\n<!-- y -->\nVOTE: BLOCK\n", role="advisor")
    assert reading.to_json() == {"status": "not_a_voter"}
    assert reading.findings == "Finding: x\nVOTE: BLOCK"


# --- JSON and tool calls ---------------------------------------------------------------------


def test_a_reply_that_is_one_json_object_is_read_as_data() -> None:
    reading = read_vote(
        '{"Vote": "block", "reasons": ["a", "b"], "category": "Ops", "to_approve": "c",'
        ' "suggestions": "d", "addressed": ["e"], "still-open": "f"}'
    )
    assert reading.source == "json"
    assert (reading.vote, reading.reason, reading.category) == ("BLOCK", "a\nb", "ops")
    assert (reading.to_approve, reading.suggestion) == ("c", "d")
    assert [(mark.state, mark.text) for mark in reading.marks] == [
        ("addressed", "e"),
        ("open", "f"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"vote": "APPROVE"}', OK_APPROVE),
        ('{"vote": "APPROVE", "vote": "approve"}', OK_APPROVE),
        ('{"vote": "BLOCK: x"}', OK_BLOCK),
        ('{"vote": "BLOCK", "reason": "n/a", "reason": "x"}', OK_BLOCK),
        ('{"vote": "APPROVE if fixed"}', ("invalid", "ambiguous_vote")),
        ('{"vote": "APPROVE|BLOCK"}', ("invalid", "no_countable_vote")),
    ],
)
def test_a_json_vote_is_as_exact_as_a_written_one(text: str, expected: tuple[str, str]) -> None:
    assert seen(text) == expected


def test_an_aside_that_agrees_with_the_text_changes_nothing() -> None:
    reading = read_vote('{"vote": "APPROVE"}\nVOTE: APPROVE\nREASON: x')
    assert (reading.vote, reading.source, reading.reason) == ("APPROVE", "text", "x")


@pytest.mark.parametrize(
    "text",
    ["", "Done, I voted.", "VOTE: APPROVE", "VOTE: BLOCK or APPROVE"],
)
def test_a_vote_by_tool_call_needs_no_words(text: str) -> None:
    reading = read_vote(text, tool={"vote": "APPROVE"})
    assert (reading.status, reading.vote, reading.source) == ("ok", "APPROVE", "tool")


@pytest.mark.parametrize("text", ["VOTE: BLOCK - x", '{"vote": "BLOCK", "reason": "x"}'])
def test_a_tool_call_and_words_that_differ_are_conflicting(text: str) -> None:
    reading = read_vote(text, tool={"vote": "APPROVE"})
    assert reading.error == "conflicting_votes"


def test_a_tool_call_takes_what_it_lacks_from_the_words() -> None:
    words = "VOTE: BLOCK\nREASON: a\nCATEGORY: b\nTO APPROVE: c\nSUGGESTION: d\nADDRESSED: e"
    reading = read_vote(words, tool={"vote": "BLOCK"})
    assert (reading.vote, reading.reason, reading.category) == ("BLOCK", "a", "b")
    assert (reading.to_approve, reading.suggestion) == ("c", "d")
    assert reading.marks == (BlockMark(state="addressed", text="e"),)
    own = read_vote(
        words,
        tool={"vote": "BLOCK", "reason": "A", "category": "B", "to_approve": "C",
              "suggestion": "D", "still_open": "E"},
    )  # fmt: skip
    assert (own.reason, own.category, own.to_approve, own.suggestion) == ("A", "b", "C", "D")
    assert own.marks == (BlockMark(state="open", text="E"),)


# --- plain JSON out, and sentences -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("VOTE: APPROVE", {"status": "ok", "vote": "APPROVE", "reason": ""}),
        (
            "VERDICT: BLOCKED - x\nCATEGORY: y",
            {"status": "ok", "vote": "BLOCKED", "reason": "x", "category": "y"},
        ),
        (
            "VERDICT\nBLOCKED\nREASON: x",
            {"status": "ok", "vote": "BLOCKED", "reason": "x"},
        ),
        (
            "VERDICT\nBLOCKED or approved to ship",
            {"status": "invalid", "error": "no_countable_vote"},
        ),
        ("VERDICT\nBLOCKED\nor\nSHIP", {"status": "invalid", "error": "no_countable_vote"}),
        ("VERDICT: fine\nVOTE: APPROVE", {"status": "invalid", "error": "ambiguous_vote"}),
        ("The verdict is out.", {"status": "invalid", "error": "no_vote"}),
        (
            '{"verdict": "APPROVED_TO_SHIP", "reason": "x"}',
            {"status": "ok", "vote": "APPROVED_TO_SHIP", "reason": "x"},
        ),
        (
            '{"vote": "APPROVE", "note": "verdict"}',
            {"status": "ok", "vote": "APPROVE", "reason": ""},
        ),
    ],
)
def test_without_a_role_a_verdict_line_makes_it_a_verdict(text: str, told: dict[str, str]) -> None:
    assert parse_review_json(text) == told


def test_a_given_role_is_kept() -> None:
    assert parse_review_json("VERDICT: BLOCKED - x", role="voter")["error"] == "no_vote"
    assert parse_review_json("VOTE: BLOCK - x", role="advisor") == {"status": "not_a_voter"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("x", "No line"),
        ("> VOTE: APPROVE", "line of its own"),
        ("VOTE: APPROVE if", "conditional"),
        ("VOTE: APPROVE\nVOTE: BLOCK", "different votes"),
        ("VOTE: BLOCK", "no reason"),
        ("VOTE: APPROVE", "The vote is APPROVE, from the text."),
    ],
)
def test_a_reading_is_explained_in_a_sentence(text: str, words: str) -> None:
    assert words in explain(read_vote(text))


def test_an_advisors_reading_is_explained_too() -> None:
    assert "findings" in explain(read_vote("x", role="advisor"))
