"""Message (C1, C2, C4): fields, lists, and what the answers of one source add up to."""

from __future__ import annotations

import pytest

from comity.protocols.consent.markers import Seats
from comity.protocols.consent.message import (
    Answers,
    Message,
    PositionText,
    ProposalText,
    RedLineText,
    gathered,
    red_line_text,
)
from comity.protocols.text import MESSAGE_LIMIT, VALUE_LIMIT, read_page


def message(text: str) -> Message:
    return gathered(read_page(text), Seats("CC", ("CC", "CX")))


# --- positions -------------------------------------------------------------------------------

WHOLE = PositionText(
    priority="Speed", rationale="users wait", red_line="p99 < 200", willing_to_trade="order"
)
FIELDS = "PRIORITY: Speed\nRATIONALE: users wait\nRED LINE: p99 < 200\nWILLING TO TRADE: order"


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("[ADVOCATE - CC]\n" + FIELDS, WHOLE),
        ("[ADVOCATE]\n" + FIELDS, WHOLE),
        (FIELDS, WHOLE),
        (FIELDS.lower(), PositionText(priority="speed", rationale="users wait",
                                      red_line="p99 < 200", willing_to_trade="order")),
        ("**" + FIELDS.replace(":", ":**").replace("\n", "\n\n**") + "\n", WHOLE),
        ("[ADVOCATE - CC] PRIORITY: Speed", PositionText(priority="Speed")),
        ("RED LINES:\n- no loss\n- p99 < 200", PositionText(red_line="no loss\np99 < 200")),
        ("PRIORITY: a\nPRIORITY: b\nPRIORITY: a", PositionText(priority="a\nb")),
        ("[ADVOCATE]\nPRIORITY: a\n[ADVOCATE]\nRATIONALE: b",
         PositionText(priority="a", rationale="b")),
        ("[ADVOCATE]\nRED LINE: kept free of cost", PositionText(red_line="kept free of cost")),
        ("PRIORITY: [What I'm advocating for]\nRED LINE: <line>", None),
        ("[ADVOCATE - CX]\n" + FIELDS, None),
        ("[ADVOCATE - CC]\nno fields", None),
        ("> " + FIELDS.replace("\n", "\n> "), None),
        ("", None),
    ],
)  # fmt: skip
def test_c1_a_position_has_four_fields(text: str, position: PositionText | None) -> None:
    assert message(text).stated_position() == position


# --- proposals -------------------------------------------------------------------------------

ABC = ProposalText(i_offer="a", i_want="b", rationale="c")
LABELS = "I OFFER: a\nI WANT: b\nRATIONALE: c"


@pytest.mark.parametrize(
    ("text", "proposal"),
    [
        (LABELS, ABC),
        ("[PROPOSAL - CC]\n" + LABELS, ABC),
        ("PROPOSAL\n" + LABELS, ABC),
        ("RATIONALE: c\nI OFFER: a\nI WANT: b", ABC),
        ("I WANT: b\nI OFFER: a\nRATIONALE: c", ABC),
        ("I OFFER: a", ProposalText(i_offer="a")),
        ("I WANT:\n- b\n\n- c\n\nBye.", ProposalText(i_want="b\nc\n\nBye.")),
        ("I WANT:\nb\n\nc", ProposalText(i_want="b\n\nc")),
        ("I WANT: b\nI WANT: c", ProposalText(i_want="b\nc")),
        ("I OFFER: a\nI OFFER: b", ProposalText(i_offer="a\nb")),
        ("I OFFER: a\n[DONE]\nb", ProposalText(i_offer="a")),
        ("[COUNTER - CC to P3]\n" + LABELS, ProposalText(
            i_offer="a", i_want="b", rationale="c", counters="P3")),
        ("[PROPOSAL]\nANSWERS: #P3.\n" + LABELS, ProposalText(
            i_offer="a", i_want="b", rationale="c", counters="P3")),
        ("COUNTERS: P3\n" + LABELS, ProposalText(
            i_offer="a", i_want="b", rationale="c", counters="P3")),
        ("ANSWERS: yes to all\n" + LABELS, ABC),
        (LABELS + "\nTERMS:\n- x\n- y", ProposalText(
            i_offer="a", i_want="b", rationale="c", terms=("x", "y"))),
        ("[PROPOSAL]\nCurrent proposal: x", ProposalText(terms=("x",))),
        (LABELS + "\n[PROPOSAL]\nI OFFER: d", ProposalText(i_offer="d")),
        (LABELS + "\nI OFFER: d", ProposalText(i_offer="d")),
        (LABELS + "\n[PROPOSAL]\nthat was it", ABC),
        ("PRIORITY: p\n" + LABELS, ABC),
        ("[PROPOSAL - CX]\n" + LABELS, None),
        ("[PROPOSAL - CX]\n" + LABELS + "\n[PROPOSAL]\nI OFFER: d", ProposalText(i_offer="d")),
        ("[PROPOSAL]\nCX: [CONSENT]\n\n" + LABELS, ABC),
        ("I OFFER: [What I'm giving up]\nI WANT: <x>", None),
        ("```\n" + LABELS + "\n```", None),
        ("[PROPOSAL - CC]", None),
        ("RATIONALE: c", None),
    ],
)  # fmt: skip
def test_c2_a_proposal_has_three_fields_and_the_last_one_counts(
    text: str, proposal: ProposalText | None
) -> None:
    assert message(text).last_proposal() == proposal


def test_a_proposal_knows_what_it_lacks() -> None:
    assert ABC.missing == ()
    assert ProposalText(i_want="b").missing == ("i_offer", "rationale")


def test_two_proposals_in_one_message_are_noted() -> None:
    two = message(LABELS + "\n" + LABELS)
    two.last_proposal()
    assert two.notes == ["2 proposals in one message: the last one counts"]
    one = message(LABELS)
    one.last_proposal()
    assert one.notes == []


def test_fields_are_cut_to_their_limit() -> None:
    proposal = message("I OFFER: " + "a" * VALUE_LIMIT + "\nI OFFER: b").last_proposal()
    assert proposal is not None
    assert len(proposal.i_offer) < VALUE_LIMIT + 50


# --- checks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("[CONSENT CHECK]", ()),
        ("[CONSENT CHECK]\nCurrent proposal:\n- a\n- b", ("a", "b")),
        ("[CONSENT CHECK] Current proposal:\n1. a\n2) b\n\nThanks.", ("a", "b")),
        ("[CONSENT CHECK]\n**Current proposal (v3):**\n\n- a\n\n- b\n", ("a", "b")),
        ("[CONSENT CHECK]\n- a\n- b\n\nThanks.", ("a", "b")),
        ("[CONSENT CHECK]\n\n- a", ("a",)),
        ("[CONSENT CHECK]\nThanks.\n- a", ()),
        ("[CONSENT CHECK]\n> - a", ()),
        ("[CONSENT CHECK]\nTERMS: a", ("a",)),
        ("[CONSENT CHECK]\nTERMS: a\nb\n\nc", ("a", "b")),
        ("[CONSENT CHECK]\nTERMS:\na\nb", ("a", "b")),
        ("[CONSENT CHECK]\nTERMS:\n- a\n  - but b\n  and c\n- d", ("a but b and c", "d")),
        ("[CONSENT CHECK]\nTERMS:\n- a\n    - but b\n- d", ("a but b", "d")),
        ("[CONSENT CHECK]\nTERMS:\n- a\n\n    but b\n- d", ("a but b", "d")),
        ("[CONSENT CHECK]\nTERMS:\n- a\nb\n- c", ("a b", "c")),
        ("[CONSENT CHECK]\nTERMS: a\n\n- b", ("a",)),
        ("[CONSENT CHECK]\nTERMS:\n- a\n<!-- b -->\n```\nc\n```\n- d\n---\ne", ("a", "d")),
        ("[CONSENT CHECK]\nTERMS:\n- <term>\n- b", ("b",)),
        ("[CONSENT CHECK]\nTERMS:\n- a\n[CONSENT]", ("a",)),
        ("[CONSENT CHECK - CC]\nTERMS:\n- a", ("a",)),
        ("[CONSENT CHECK - CX]\nTERMS:\n- a", None),
    ],
)
def test_c2_a_check_may_carry_a_term_list(text: str, terms: tuple[str, ...] | None) -> None:
    told = message(text)
    assert ("check" in told.said) is (terms is not None)
    assert told.check_terms == (terms or ())


def test_c2_a_list_before_the_check_is_kept_apart() -> None:
    told = message("Current proposal:\n- a\n\n[CONSENT CHECK]")
    assert (told.check_terms, told.loose_terms) == ((), ("a",))


def test_a_label_without_terms_is_noted() -> None:
    text = "[CONSENT CHECK]\nCurrent proposal:\n```\n- a\n```"
    assert message(text).notes == ["no terms can be read below the label of a term list"]


def test_a_long_term_is_cut() -> None:
    terms = message("[CONSENT CHECK]\n- " + "a" * 2 * VALUE_LIMIT).check_terms
    assert len(terms[0]) < VALUE_LIMIT + 50


# --- red lines -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("kept", RedLineText(state="kept")),
        ("**Kept.**", RedLineText(state="kept")),
        ("**kept** because x", RedLineText(state="kept", because="x")),
        ("not crossed", RedLineText(state="kept")),
        ("kept - 150 < 200", RedLineText(state="kept", because="150 < 200")),
        ("crossed", RedLineText(state="crossed")),
        ("not kept", RedLineText(state="crossed")),
        ("crossed - term 2, because of x", RedLineText(
            state="crossed", terms=(2,), because="of x")),
        ("crossed by 2", RedLineText(state="crossed", because="by 2")),
        ("Crossed: terms 2, 3 and 14: x\ny", RedLineText(
            state="crossed", terms=(2, 3, 14), because="x\ny")),
        ("crossed because x", RedLineText(state="crossed", because="x")),
        ("crossed, see because.txt", RedLineText(state="crossed", because="see because.txt")),
        ("kept?", None),
        ("kept ?", None),
        ("probably kept", None),
        ("no message loss", None),
        ("keptish", None),
        ("", None),
    ],
)  # fmt: skip
def test_c4_a_red_line_is_kept_or_crossed(value: str, told: RedLineText | None) -> None:
    assert red_line_text(value) == told


def test_c4_the_owner_answers_at_the_check() -> None:
    told = message("RED LINE: kept\nRED LINE: crossed - term 1,\nbecause x\n\nBye.\n[CONSENT]")
    assert told.answers.red_lines == [
        RedLineText(state="kept"),
        RedLineText(state="crossed", terms=(1,), because="x"),
    ]
    assert told.stated_position() is None
    assert told.discussion() == "Bye."


@pytest.mark.parametrize("text", ["RED LINE: fine by me\n[CONSENT]", "[CONSENT]\nRED LINE: fine"])
def test_c4_an_unclear_red_line_in_an_answer_is_noted_and_restates_nothing(text: str) -> None:
    told = message(text)
    assert told.answers.red_lines == []
    assert told.stated_position() is None
    assert told.notes == ["the red line is answered neither with kept nor with crossed"]


def test_c4_outside_an_answer_it_restates_the_red_line() -> None:
    told = message("RED LINE:\n- no loss\n\nof any kind")
    assert told.stated_position() == PositionText(red_line="no loss\n\nof any kind")
    assert told.notes == []


# --- answers ---------------------------------------------------------------------------------

KEPT, CROSSED = (RedLineText(state="kept", because="x"), RedLineText(state="crossed", because="y"))


@pytest.mark.parametrize(
    ("answers", "error", "reason"),
    [
        (Answers(), "no_answer", ""),
        (Answers(red_lines=[KEPT]), "no_answer", ""),
        (Answers(consents=1), None, ""),
        (Answers(consents=2, red_lines=[KEPT]), None, ""),
        (Answers(qualified=1), "qualified_consent", ""),
        (Answers(consents=1, qualified=1), "qualified_consent", ""),
        (Answers(clashes=1), "conflicting", ""),
        (Answers(consents=1, reasons=["a"]), "conflicting", "a"),
        (Answers(qualified=1, reasons=["a"]), "conflicting", "a"),
        (Answers(consents=1, red_lines=[CROSSED]), "conflicting", "y"),
        (Answers(qualified=1, red_lines=[CROSSED]), "conflicting", "y"),
        (Answers(reasons=["a"]), None, "a"),
        (Answers(reasons=["a", "n/a", "b", "a"]), None, "a; b"),
        (Answers(reasons=[""]), "object_without_reason", ""),
        (Answers(reasons=["reason"]), "object_without_reason", ""),
        (Answers(reasons=[""], red_lines=[KEPT]), "object_without_reason", ""),
        (Answers(reasons=[""], red_lines=[CROSSED]), None, "y"),
        (Answers(reasons=["a"], red_lines=[CROSSED]), None, "a"),
        (Answers(reasons=[""], red_lines=[RedLineText(state="crossed")]),
         "object_without_reason", ""),
    ],
)  # fmt: skip
def test_assent_is_exact_and_dissent_needs_a_reason(
    answers: Answers, error: str | None, reason: str
) -> None:
    assert (answers.error(), answers.reason()) == (error, reason)


def test_clear_answers_are_told_from_unclear_ones() -> None:
    assert Answers(qualified=1, clashes=1).sides() == set()
    assert Answers(consents=1, reasons=["a"]).sides() == {"CONSENT", "OBJECT"}
    assert Answers(consents=1, qualified=2, clashes=3, reasons=["a", "b"]).count() == 8


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        ("[OBJECT]\nREASON: a\n- b", ["a\nb"]),
        ("[OBJECT: a]\nREASON: b", ["a"]),
        ("[OBJECT: reason]\nREASON: b", ["b"]),
        ("REASON: a\n[OBJECT]", [""]),
        ("[CONSENT]\nREASON: a", []),
    ],
)
def test_a_reason_may_stand_below_its_objection(text: str, reasons: list[str]) -> None:
    assert message(text).answers.reasons == reasons


# --- what is left ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hello.\n\n[PROPOSAL - CC]\nI OFFER: a\nb", "Hello."),
        ("Well.\n[CONSENT]\nThanks.", "Well.\nThanks."),
        ("Well.\n[OBJECT: a\nb]\nThanks.", "Well.\nThanks."),
        ("[CONSENT CHECK]\nTERMS:\n- a\n\nThanks.", "Thanks."),
        ("[CONSENT CHECK]\n- a\n\nThanks.", "Thanks."),
        ("[DONE]\nThanks.\n[INCOMPLETE]", "Thanks."),
        ("ANSWERS: yes\nThanks.", "ANSWERS: yes\nThanks."),
        ("ANSWERS: P3\nThanks.", "Thanks."),
        ("REASON: none needed\nThanks.", "REASON: none needed\nThanks."),
        ("[OBJECT]\nREASON: a\nb", ""),
        ("RATIONALE: x\nThanks.", "RATIONALE: x\nThanks."),
        ("RED LINE: kept\nit is\n\nThanks.", "Thanks."),
        ("[CONSENT] or [OBJECT: reason]", "[CONSENT] or [OBJECT: reason]"),
        ("[PROPOSAL - CX]\nI OFFER: a", "[PROPOSAL - CX]\nI OFFER: a"),
        ("> quoted\n<!-- hidden -->\nwell", "> quoted\nwell"),
    ],
)
def test_discussion_is_what_no_marker_takes(text: str, left: str) -> None:
    assert message(text).discussion() == left


def test_discussion_is_cut_to_the_limit_of_a_message() -> None:
    assert len(message("a\n" * MESSAGE_LIMIT).discussion()) < MESSAGE_LIMIT + 50


def test_what_was_signalled_and_spoofed_is_kept() -> None:
    told = message("[DONE]\n[CONSENT - CX]\n[INCOMPLETE]")
    assert told.said == {"done", "incomplete"}
    assert told.spoofed == ["CX"]


def test_every_kind_of_answer_is_counted_and_a_form_is_none() -> None:
    told = message(
        "[CONSENT]\n[CONSENT] if\n[CONSENT] [OBJECT: x]\n[OBJECT: y]\n[CONSENT] or [OBJECT: z]"
    ).answers
    assert (told.consents, told.qualified, told.clashes, told.reasons) == (1, 1, 1, ["y"])
