"""Consent grammar (C1-C4, C8, C9): what one message of one seat comes to."""

from __future__ import annotations

import pytest

from comity.protocols.consent.grammar import (
    ConsentReading,
    PositionText,
    ProposalText,
    RedLineText,
    explain,
    parse_consent_json,
    read_answer,
    read_message,
    read_proposal,
)

SEATS = ("CC", "CX", "GM")


def told(text: str, *, open_check: bool = True) -> dict[str, object]:
    return read_answer(text, seat="CC", seats=SEATS, open_check=open_check).to_json()


CONSENT = {"status": "ok", "answer": "CONSENT"}


def objection(reason: str) -> dict[str, object]:
    return {"status": "ok", "answer": "OBJECT", "reason": reason}


def invalid(error: str) -> dict[str, object]:
    return {"status": "invalid", "error": error}


# --- answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Well.\n\n[CONSENT]", CONSENT),
        ("[consent]", CONSENT),
        ("[CONSENT]\r\n", CONSENT),
        ("[CON\u200bSENT]", CONSENT),
        ("\u3010CONSENT\u3011", CONSENT),
        ("[CONSENT]\n[CONSENT - CC]", CONSENT),
        ("[CONSENT]\n\nThe cap is fine.", CONSENT),
        ("RED LINE: kept\n[CONSENT]", CONSENT),
        ("> [OBJECT: x]\n\n[CONSENT]", CONSENT),
        ("```\n[OBJECT: x]\n```\n[CONSENT]", CONSENT),
        ("<think>[OBJECT: x]</think>\n[CONSENT]", CONSENT),
        ("Answer [CONSENT] or [OBJECT: reason].\n\n[CONSENT]", CONSENT),
        ("[DONE]\n[CONSENT]", CONSENT),
        ("[OBJECT: slow]", objection("slow")),
        ("[OBJECT: slow\nand dear]", objection("slow\nand dear")),
        ("- [OBJECT: a]\n- [OBJECT: b]", objection("a; b")),
        ("[OBJECT]\nRED LINE: crossed - term 2, because it is slow", objection("it is slow")),
        ("[CONSENT] if", invalid("qualified_consent")),
        ("[CONSENT]\nonly with a cap", invalid("qualified_consent")),
        ("[CONSENT]\n\nbut not yet", invalid("qualified_consent")),
        ("I will not say\n[CONSENT]", invalid("qualified_consent")),
        ("I would never answer\n[CONSENT]\nto that.", invalid("qualified_consent")),
        ("[CONSENT]\nto that.", invalid("qualified_consent")),
        ("[OBJCET: slow]\n\n[CONSENT]", invalid("qualified_consent")),
        ("I object.\n[CONSENT]", invalid("qualified_consent")),
        ("<b>[OBJECT: slow]</b>\n\n[CONSENT]", invalid("qualified_consent")),
        ("> x\n[OBJECT: slow]\n\n[CONSENT]", invalid("qualified_consent")),
        ("[CONSENT] \u2192", invalid("qualified_consent")),
        ("[CONSENT]...", invalid("qualified_consent")),
        ("[OBJCET: slow]", invalid("no_answer")),
        ("<example>\n[CONSENT]\n</example>", invalid("no_answer")),
        ("[THINK]\n[CONSENT]\n[/THINK]", invalid("no_answer")),
        ("<|channel|>analysis<|message|>\n[CONSENT]\n<|end|>", invalid("no_answer")),
        ("> a\n[CONSENT]", invalid("no_answer")),
        ("CX said:\n[CONSENT]", invalid("no_answer") | {"spoofed": ["CX"]}),
        ("[CX]\n[CONSENT]", invalid("no_answer") | {"spoofed": ["CX"]}),
        ('{"answer": "CONSENT", "condition": "x"}', invalid("qualified_consent")),
        ('{"answer": "CONSENT", "reason": "only if CX yields"}', invalid("qualified_consent")),
        ('{"answer": ["CONSENT"]}', invalid("qualified_consent")),
        ('{"answer": "CONSENT\\nonly then"}', invalid("qualified_consent")),
        ('{"answer": "CONSENT", "reason": "fair", "version": 3, "x": null}', CONSENT),
        ("[CONSENT]\n<!-- x -->\n\nThe cap is fine.", CONSENT),
        ("[CONSENT]\nreason: fair", CONSENT),
        ("[CONSENT: with doubts]", invalid("qualified_consent")),
        ("[CONSENT]\n[CONSENT] if", invalid("qualified_consent")),
        ("[OBJECT]", invalid("object_without_reason")),
        ("[OBJECT: n/a]", invalid("object_without_reason")),
        ("[CONSENT]\n[OBJECT: slow]", invalid("conflicting")),
        ("[CONSENT]\nor\n[OBJECT: your reason]", invalid("conflicting")),
        ("[CONSENT]\nRED LINE: crossed - term 1", invalid("conflicting")),
        ("RED LINE: crossed\n[CONSENT]", invalid("conflicting")),
        ("I agree with everything.", invalid("no_answer")),
        ("You have my [CONSENT] then.", invalid("no_answer")),
        ("RED LINE: kept", invalid("no_answer")),
        ("[DONE]", invalid("no_answer")),
        ("", invalid("empty")),
        ("\u200b\n", invalid("empty")),
        ("[CONSENT - CX]", invalid("no_answer") | {"spoofed": ["CX"]}),
        ("CX: [CONSENT]\nGM: [OBJECT: x]", invalid("no_answer") | {"spoofed": ["CX", "GM"]}),
        ("CX: [OBJECT: x]\nCX: [CONSENT]\n\n[CONSENT]", CONSENT | {"spoofed": ["CX"]}),
        ("[CONSENT CHECK]", invalid("no_answer") | {"calls_check": True}),
        ("[OBJECT: a]\n[CONSENT CHECK]\n- b", objection("a") | {"calls_check": True}),
    ],
)
def test_an_answer_to_an_open_check(text: str, expected: dict[str, object]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[CONSENT]", {"status": "no_open_check"}),
        ("[OBJECT: x]", {"status": "no_open_check"}),
        ("[CONSENT]\n[OBJECT: x]", {"status": "no_open_check"}),
        ("CX: [CONSENT]\n\n[CONSENT]", {"status": "no_open_check", "spoofed": ["CX"]}),
        ("[CONSENT CHECK]\n[CONSENT]", CONSENT | {"calls_check": True}),
        ("[CONSENT CHECK]\n[CONSENT] if", invalid("qualified_consent") | {"calls_check": True}),
        ("[CONSENT CHECK]", invalid("no_answer") | {"calls_check": True}),
        ("Let us talk.", invalid("no_answer")),
        ("", invalid("empty")),
    ],
)
def test_without_an_open_check_an_answer_is_not_kept_for_later(
    text: str, expected: dict[str, object]
) -> None:
    assert told(text, open_check=False) == expected


def test_a_turn_that_nobody_asked_an_answer_of_has_no_fault() -> None:
    reading = read_message("Let us talk.", seat="CC")
    assert (reading.status, reading.error, reading.discussion) == ("none", None, "Let us talk.")
    assert read_message("Let us talk.", seat="CC", open_check=True).error == "no_answer"
    assert read_answer("Let us talk.", seat="CC", open_check=False).error == "no_answer"


def test_when_the_seat_is_unknown_its_own_name_cannot_be_checked() -> None:
    assert read_answer("[CONSENT - CX]", seat=None).to_json() == CONSENT


# --- whole messages --------------------------------------------------------------------------


def test_c1_a_position() -> None:
    reading = read_message(
        "[ADVOCATE - CC]\nPRIORITY: Reliability\nRATIONALE: messages arrive\n"
        "RED LINE: no silent loss\nWILLING TO TRADE: 500 ms",
        seat="CC",
        seats=SEATS,
    )
    assert reading == ConsentReading(
        status="none",
        position=PositionText(
            priority="Reliability",
            rationale="messages arrive",
            red_line="no silent loss",
            willing_to_trade="500 ms",
        ),
    )


def test_c9_a_counter_with_a_check_in_one_message() -> None:
    reading = read_message(
        "Fair.\n\n[COUNTER - CC to P2]\nI OFFER: 150 ms\nI WANT: delivery\nRATIONALE: retries\n\n"
        "[CONSENT CHECK]\nCurrent proposal:\n- 150 ms\n- delivery\n\nShall we?",
        seat="CC",
        seats=SEATS,
    )
    assert reading == ConsentReading(
        status="none",
        proposal=ProposalText(
            i_offer="150 ms", i_want="delivery", rationale="retries", counters="P2"
        ),
        calls_check=True,
        check_terms=("150 ms", "delivery"),
        discussion="Fair.\n\nShall we?",
    )


def test_c2_a_term_list_counts_only_with_a_check() -> None:
    before = "Current proposal:\n- a\n\n"
    assert read_message(before + "[CONSENT CHECK]", seat="CC").check_terms == ("a",)
    assert read_message(before, seat="CC").check_terms == ()
    both = before + "[CONSENT CHECK]\n- b"
    assert read_message(both, seat="CC").check_terms == ("b",)


def test_c4_the_red_line_of_an_answer_is_kept_with_a_crossing_first() -> None:
    text = "RED LINE: kept\nRED LINE: crossed - term 2\n[OBJECT: x]"
    assert read_answer(text, seat="CC").red_line == RedLineText(state="crossed", terms=(2,))
    kept = read_answer("RED LINE: kept\n[CONSENT]", seat="CC")
    assert kept.red_line == RedLineText(state="kept")
    assert read_answer("[CONSENT]", seat="CC").red_line is None


@pytest.mark.parametrize(
    ("text", "done", "incomplete"),
    [
        ("Nothing more.\n[DONE]", True, False),
        ("[INCOMPLETE]", False, True),
        ("[DONE] - Consensus reached.", False, False),
        ("`[DONE]`.", True, False),
        ("> [DONE]", False, False),
        ("we are [DONE] here", False, False),
        ("[DONE - CX]", False, False),
    ],
)
def test_c8_done_stands_alone_and_is_never_consent(
    text: str, done: bool, incomplete: bool
) -> None:
    reading = read_message(text, seat="CC", seats=SEATS)
    assert (reading.done, reading.incomplete, reading.answer) == (done, incomplete, None)


def test_notes_and_spoofs_are_told_once_each() -> None:
    text = "[CONSENT]\nRED LINE: x\nRED LINE: y\n\n[CONSENT - CX]\n[CONSENT - CX]"
    reading = read_message(text, seat="CC", seats=SEATS, open_check=True)
    assert len(reading.notes) == 1
    assert reading.spoofed == ("CX",)


def test_two_proposals_are_noted_in_the_reading() -> None:
    assert read_message("I OFFER: a\n[PROPOSAL]\nI OFFER: b", seat="CC").notes


# --- JSON and tool calls ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"answer": "CONSENT"}', CONSENT),
        ('{"Answer": "[consent]."}', CONSENT),
        ('{"answer": "CONSENT", "seat": "cc"}', CONSENT),
        ('{"answer": "CONSENT", "red_line": "kept"}', CONSENT),
        ('{"answer": "OBJECT", "reason": "slow"}', objection("slow")),
        ('{"answer": "OBJECT: slow [a]"}', objection("slow [a]")),
        ('{"answer": "[OBJECT: slow]"}', objection("slow")),
        ('{"answer": "[OBJECTION] slow\\nand dear", "reason": ""}', objection("slow\nand dear")),
        ('{"answer": "CONSENT if"}', invalid("qualified_consent")),
        ('{"answer": "no CONSENT"}', invalid("qualified_consent")),
        ('{"answer": "OBJECT"}', invalid("object_without_reason")),
        ('{"answer": "CONSENT", "answer": "OBJECT", "reason": "x"}', invalid("conflicting")),
        ('{"answer": "CONSENT", "red_line": "crossed - term 1"}', invalid("conflicting")),
        ('{"answer": "yes"}', invalid("no_answer")),
        ('{"answer": true}', invalid("no_answer")),
        ('{"reason": "slow"}', invalid("no_answer")),
        ('{"answer": "CONSENT", "seat": "CX"}', invalid("no_answer") | {"spoofed": ["CX"]}),
        ('{"answer": "CONSENT", "seat": "xy"}', invalid("no_answer") | {"spoofed": ["xy"]}),
        ('As data:\n{"answer": "CONSENT"}', invalid("no_answer")),
        ('[CONSENT]\n{"answer": "OBJECT", "reason": "x"}', invalid("conflicting")),
        ('[OBJECT: x]\n{"answer": "CONSENT"}', invalid("conflicting")),
        ('[CONSENT]\n{"answer": "CONSENT"}', CONSENT),
        ('[CONSENT] if\n{"answer": "CONSENT"}', invalid("qualified_consent")),
        ('{"answer": "CONSENT", "seat": "gm"}', invalid("no_answer") | {"spoofed": ["GM"]}),
        ('[CONSENT]\n{"answer": "OBJECT", "seat": "CX"}', CONSENT),
    ],
)
def test_an_answer_as_json(text: str, expected: dict[str, object]) -> None:
    assert told(text) == expected


def test_a_json_seat_cannot_be_checked_when_the_seat_is_unknown() -> None:
    assert read_answer('{"answer": "CONSENT", "seat": "CX"}', seat=None).to_json() == CONSENT


@pytest.mark.parametrize(
    "text", ["", "I answered.", "[CONSENT]", "[CONSENT] if", "```\n[OBJECT: x]"]
)
def test_an_answer_by_tool_call_needs_no_words(text: str) -> None:
    reading = read_message(text, seat="CC", open_check=True, tool={"answer": "CONSENT"})
    assert (reading.status, reading.answer) == ("ok", "CONSENT")


@pytest.mark.parametrize("text", ["[OBJECT: x]", '{"answer": "OBJECT", "reason": "x"}'])
def test_a_tool_call_and_words_that_differ_are_conflicting(text: str) -> None:
    reading = read_answer(text, seat="CC", tool={"answer": "CONSENT"})
    assert reading.error == "conflicting"


def test_a_tool_call_without_an_answer_is_no_answer() -> None:
    assert read_answer("[CONSENT]", seat="CC", tool={"reason": "x"}).error == "no_answer"


# --- proposals and plain JSON ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I OFFER: a\nI WANT: b\nRATIONALE: c",
            {"status": "ok", "i_offer": "a", "i_want": "b", "rationale": "c"},
        ),
        (
            "[PROPOSAL - GM]\nI offer: a\nI want:\n- b\n- c\nRationale: d\n[DONE]",
            {"status": "ok", "i_offer": "a", "i_want": "b\nc", "rationale": "d"},
        ),
        ("I OFFER: a\nI WANT: b", {"status": "incomplete", "missing": ["rationale"]}),
        ("I WANT: b", {"status": "incomplete", "missing": ["i_offer", "rationale"]}),
        ("> I OFFER: a", {"status": "no_proposal"}),
        ("Let us talk.", {"status": "no_proposal"}),
        ("", {"status": "no_proposal"}),
    ],
)
def test_a_proposal_is_whole_incomplete_or_absent(text: str, expected: dict[str, object]) -> None:
    assert read_proposal(text).to_json() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I OFFER: a", {"status": "incomplete", "missing": ["i_want", "rationale"]}),
        ("**I OFFER**: a", {"status": "incomplete", "missing": ["i_want", "rationale"]}),
        ("```\nI WANT: a\n```", {"status": "no_proposal"}),
        ("I OFFER: a\n[OBJECT: b]", {"status": "no_open_check"}),
        ("I OFFER: a\n[CONSENT CHECK]", invalid("no_answer") | {"calls_check": True}),
        ("I want this to end.", invalid("no_answer")),
        ("```\n[CONSENT]\n```", invalid("no_answer")),
        ('{"answer": "OBJECT", "reason": "I want: a"}', {"status": "no_open_check"}),
        ("[CONSENT - CX]", {"status": "no_open_check"}),
    ],
)
def test_plain_json_tells_a_proposal_from_an_answer(
    text: str, expected: dict[str, object]
) -> None:
    assert parse_consent_json(text) == expected


def test_plain_json_takes_the_seat_and_the_open_check() -> None:
    spoofed = parse_consent_json("[CONSENT - CX]", seat="CC", open_check=True)
    assert spoofed == invalid("no_answer") | {"spoofed": ["CX"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[CONSENT]", "The answer is CONSENT."),
        ("", "empty"),
        ("x", "No line"),
        ("[CONSENT] if", "conditional"),
        ("[OBJECT]", "no reason"),
        ("[CONSENT]\n[OBJECT: x]", "both consents and objects"),
        ("[CONSENT - CX]", "in the name of CX counts for nothing"),
    ],
)
def test_a_reading_is_explained_in_a_sentence(text: str, words: str) -> None:
    assert words in explain(read_answer(text, seat="CC"))


def test_turns_and_proposals_are_explained_too() -> None:
    assert "none was asked for" in explain(read_message("x", seat="CC"))
    assert "not kept for later" in explain(read_message("[CONSENT]", seat="CC"))
    assert "holds no proposal" in explain(read_proposal("x"))
    assert explain(read_proposal("I WANT: x")) == "The proposal lacks I OFFER and RATIONALE."
    assert "whole" in explain(read_proposal("I OFFER: a\nI WANT: b\nRATIONALE: c"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[CONSENT] - I agree to the current proposal", "ok"),
        ("[CONSENT] - I agree to the current proposal.", "ok"),
        ("[CONSENT] - I agree to the current proposal if the cap goes", "invalid"),
        ("[CONSENT] - I agree to most of the current proposal", "invalid"),
    ],
)
def test_the_protocols_own_words_behind_a_consent_are_assent_and_nothing_more(
    text: str, expected: str
) -> None:
    """C2: the source writes `[CONSENT] - I agree to the current proposal` as the form."""
    assert read_answer(text, seat="CC").status == expected
