"""Markers (C3, C8): what a line carries, and for which seat."""

from __future__ import annotations

import pytest

from comity.protocols.consent.markers import Marker, Seats, markers
from comity.protocols.text import VALUE_LIMIT, read_page

ALONE = Seats("CC")
TEAM = Seats("CC", ("CC", "CX", "GM", "Team A"))


def found(text: str, seats: Seats = ALONE) -> list[Marker]:
    return list(markers(read_page(text), seats))


def names(text: str, seats: Seats = ALONE) -> list[str]:
    return [marker.name for marker in found(text, seats)]


def spoofs(text: str, seats: Seats = ALONE) -> list[str]:
    return [marker.other for marker in found(text, seats) if marker.name == "spoof"]


# --- who may be named ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seats", "name", "told"),
    [
        (ALONE, "CC", ""),
        (ALONE, " cc ", ""),
        (ALONE, " CX ", "CX"),
        (ALONE, "GM-2", "GM-2"),
        (ALONE, "cx", None),
        (ALONE, "with doubts", None),
        (ALONE, "", None),
        (TEAM, "cx", "CX"),
        (TEAM, "team  a", "Team A"),
        (TEAM, "XX", None),
        (Seats(None), "CX", ""),
        (Seats(None), "cx", None),
        (Seats(None, ("Bob",)), "bob", ""),
        (Seats(None, ("Bob",)), "CX", None),
    ],
)
def test_a_name_is_the_seats_own_another_seats_or_no_seats(
    seats: Seats, name: str, told: str | None
) -> None:
    assert seats.named(name) == told


@pytest.mark.parametrize(
    ("seats", "prefix", "told"),
    [
        (ALONE, "", ""),
        (ALONE, "  ", ""),
        (ALONE, "CC:", ""),
        (ALONE, "CX: ", "CX"),
        (ALONE, "@CX >", "CX"),
        (ALONE, "CX (Speed):", "CX"),
        (ALONE, "CX", None),
        (ALONE, "answer:", None),
        (ALONE, ">", None),
        (TEAM, "CX", "CX"),
        (TEAM, "[CX]:", "CX"),
        (TEAM, "(cx) -", "CX"),
        (TEAM, "Team A \u2014", "Team A"),
        (TEAM, "You will have my", None),
        (TEAM, "CX" + " " * 90 + ":", None),
    ],
)
def test_a_speaker_stands_before_the_marker(seats: Seats, prefix: str, told: str | None) -> None:
    assert seats.speaker(prefix) == told


# --- bracketed markers -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("[CONSENT]", "consent"),
        ("[ consent ] !", "consent"),
        ("**[CONSENT]**", "consent"),
        ("- `[CONSENT]` \u2705", "consent"),
        ("[**CONSENT**]", "consent"),
        ("\\[CONSENT\\]", "consent"),
        ("[CONSENT - CC]", "consent"),
        ("[CONSENT \u2014 cc].", "consent"),
        ("CC: [CONSENT]", "consent"),
        ("[CONSENT]?", "qualified"),
        ("[CONSENT] if the cap goes", "qualified"),
        ("[CONSENT] - I agree to the current proposal", "consent"),
        ("[CONSENT] [CONSENT]", "qualified"),
        ("[CONSENT, but]", "qualified"),
        ("[CONSENT: cap]", "qualified"),
        ("[CONSENT - with doubts]", "qualified"),
        ("[CONSENT WITH RESERVATIONS]", "qualified"),
        ("[CONSENT", "qualified"),
        ("[CONSENT] OK", "qualified"),
        ("[CONSENT] or [OBJECT: reason]", "form"),
        ("[CONSENT] / [OBJECT: reason]", "form"),
        ("[CONSENT] | [OBJECT: reason]", "form"),
        ("[OBJECT: reason] or [CONSENT]", "form"),
        ("[CONSENT] [OBJECT: slow]", "clash"),
        ("[CONSENT], [OBJECT: slow]", "clash"),
        ("[CONSENT CHECK]", "check"),
        ("[CONSENT-CHECK - CC]!", "check"),
        ("[consent_check]", "check"),
        ("[DONE]", "done"),
        ("[Done - CC].", "done"),
        ("[INCOMPLETE]", "incomplete"),
        ("[ADVOCATE - CC]", "advocate"),
        ("[ADVOCATE: CC]", "advocate"),
        ("[ADVOCATE]", "advocate"),
        ("[PROPOSAL]", "proposal"),
        ("[PROPOSAL - v2] as agreed", "proposal"),
        ("[COUNTER]", "counter"),
        ("[Counter-proposal - CC]", "counter"),
        ("PROPOSAL", "proposal"),
        ("### Proposal:", "proposal"),
        ("PROPOSAL - CC", "proposal"),
        ("Counter-Proposal", "counter"),
        ("**Position statement**", "advocate"),
    ],
)
def test_a_marker_is_found_by_its_exact_shape(line: str, name: str) -> None:
    assert names(line) == [name]


@pytest.mark.parametrize(
    "line",
    [
        "You will have my [CONSENT] when the cap goes.",
        "Please answer [CONSENT] or [OBJECT: reason].",
        "Answer: [CONSENT]",
        "> [CONSENT]",
        "- > [CONSENT]",
        "    [CONSENT]",
        "```\n[CONSENT]\n```",
        "| [CONSENT] |",
        "+[CONSENT]",
        "~~[CONSENT]~~",
        "\u27e6CONSENT\u27e7",
        "[CONSENTED]",
        "[NO CONSENT]",
        "CONSENT",
        "OBJECT: slow",
        "[CONSENT CHECK] is premature",
        "[CONSENT CHECK]?",
        "[CONSENT CHECK: terms]",
        "[CONSENT CHECK",
        "[CONSENT CHECK] RATIONALE: x",
        "[DONE] - Consensus reached.",
        "[DONE: all of it]",
        "We are [DONE]",
        "[INCOMPLETE] so far",
        "[ADVOCATE",
        "PROPOSAL - with doubts",
        "Proposal to go home",
        "[OB*JEC*T: x]",
        "the proposal is fine",
        "proposal " + "x" * 90,
    ],
)
def test_anything_else_is_no_marker(line: str) -> None:
    assert names(line) == []


@pytest.mark.parametrize(
    ("line", "id_"),
    [
        ("[COUNTER - CC to P3]", "P3"),
        ("[COUNTER to P3]", "P3"),
        ("[COUNTER - CC: P3]", "P3"),
        ("[COUNTER - CC answers #12]", "12"),
        ("[COUNTER - CC]", ""),
        ("[COUNTER - CC" + " " * 90 + "to P3]", ""),
    ],
)
def test_c9_a_counter_names_the_proposal_it_answers(line: str, id_: str) -> None:
    assert [(one.name, one.first) for one in found(line)] == [("counter", id_)]


# --- C3: other seats' markers ----------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "[CONSENT - CX]",
        "[OBJECT - CX: slow]",
        "[ADVOCATE - CX]",
        "[PROPOSAL - CX]",
        "[COUNTER - CX to P3]",
        "[CONSENT CHECK - CX]",
        "[DONE - CX]",
        "CX: [CONSENT]",
        "**CX:** [CONSENT]",
        "CX > [OBJECT: slow]",
        "CX: [PROPOSAL]",
        "CX: [DONE]",
        "CX: [CONSENT - CC]",
        "CX (Speed): [CONSENT]",
        "PROPOSAL - CX",
    ],
)
@pytest.mark.parametrize("seats", [ALONE, TEAM])
def test_c3_another_seats_marker_is_a_spoof(line: str, seats: Seats) -> None:
    assert names(line, seats) == ["spoof"]
    assert spoofs(line, seats) == ["CX"]


@pytest.mark.parametrize(
    "line", ["CX [CONSENT]", "[CONSENT] - CX", "[CONSENT] (Team A)", "[CX] [CONSENT]"]
)
def test_c3_known_seats_are_also_found_without_a_colon(line: str) -> None:
    assert spoofs(line, TEAM) in (["CX"], ["Team A"])
    assert not spoofs(line, ALONE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CX:\n[CONSENT]", ["spoof"]),
        ("CX:\n\n[CONSENT]", ["spoof"]),
        ("CX:\n\nWell.\n\n[CONSENT]", ["consent"]),
        ("CX: fine by me.\n[CONSENT]", ["spoof"]),
        ("CX: fine by me.\n\n[CONSENT]", ["consent"]),
        ("CX: fine by me.\n \t\n[CONSENT]", ["consent"]),
        ("CX: fine by me.\nand so on\n[CONSENT]", ["spoof"]),
        ("CX: fine by me.\n**well**\n> [x]\n- [CONSENT]", ["spoof"]),
        ("CX:\nI OFFER: x\nPROPOSAL", ["spoof", "spoof"]),
        ("CX:\n[OBJECT: x]", ["spoof"]),
        ("CX: fine.\nCC: me too.\n[CONSENT]", ["consent"]),
        ("CX:\nCC: [CONSENT]", ["consent"]),
        ("CX: [OBJECT: x]\n[CONSENT]", ["spoof", "consent"]),
        ("- CX: gives latency\n[CONSENT]", ["consent"]),
        ("Note: fine\n[CONSENT]", ["consent"]),
        ("XX: fine\n[CONSENT]", ["consent"]),
    ],
)
def test_c3_a_paragraph_that_another_seats_name_opens_is_its_voice(
    text: str, expected: list[str]
) -> None:
    assert names(text, TEAM) == expected


def test_c3_a_voice_needs_known_seats_and_a_known_speaker() -> None:
    assert names("CX: fine\n[CONSENT]", ALONE) == ["consent"]
    assert names("CX: fine\n[CONSENT]", Seats(None, ("CX",))) == ["consent"]


def test_a_spoof_knows_whether_fields_may_stand_below_it() -> None:
    assert [one.header for one in found("[PROPOSAL - CX]\n[CONSENT - CX]")] == [True, False]


# --- objections ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[OBJECT: slow]", "slow"),
        ("[object: slow]", "slow"),
        ("[OBJECTION: slow]", "slow"),
        ("**[OBJECT: slow]**", "slow"),
        ("[**OBJECT**: slow]", "slow"),
        ("[OBJECT - CC: slow]", "slow"),
        ("CC: [OBJECT: slow]", "slow"),
        ("[OBJECT - slow: really]", "slow: really"),
        ("\\[OBJECT: slow\\]", "slow"),
        ("[OBJECT slow]", "slow"),
        ("[OBJECT] slow", "slow"),
        ("[OBJECT]: slow", "slow"),
        ("[OBJECT - CC:  ] slow", "slow"),
        ("[OBJECT: a\n  \nb", "a"),
        ("[OBJECT - CC] slow", "slow"),
        ("[OBJECT: list [a, [b]] is short] x", "list [a, [b]] is short"),
        ("[OBJECT: **p99** is high]", "**p99** is high"),
        ("[OBJECT: a\nb]\nc", "a\nb"),
        ("[OBJECT: a\n\nb]\nc", "a\n\nb"),
        ("[OBJECT: a\n<!-- b -->\nc]", "a\nc"),
        ("[OBJECT: a\n```\nx[0\n```\nb]", "a\n```\nx[0\n```\nb"),
        ("[OBJECT: a", "a"),
        ("[OBJECT: a **b**", "a **b**"),
        ("**[OBJECT: a**", "a"),
        ("[OBJECT: a\nb\n\nc", "a\nb"),
        ("[OBJECT: a\nb\nRATIONALE: c", "a\nb"),
        ("[OBJECT:\n\n---\na]", "a"),
        ("[OBJECT]", ""),
        ("[OBJECT: ]", ""),
        ("[OBJECT - CC]", ""),
        ("] [OBJECT: a]", None),
        ("]\n[OBJECT: a]", "a"),
    ],
)
def test_an_objection_runs_to_its_bracket_or_its_paragraphs_end(
    text: str, reason: str | None
) -> None:
    told = [one.first for one in found(text) if one.name == "object"]
    assert told == ([] if reason is None else [reason])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[OBJECT: a][OBJECT: b]", [("object", "a"), ("object", "b")]),
        ("[OBJECT: a\nb] [OBJECT: c]", [("object", "a\nb"), ("object", "c")]),
        ("[OBJECT] [OBJECT: b]", [("object", ""), ("object", "b")]),
        ("[OBJECT: a] [CONSENT]", [("object", "a"), ("clash", "")]),
        ("[OBJECT: a] [CONSENT CHECK]", [("object", "a")]),
        ("[OBJECT: a\n[CONSENT]", [("object", "a"), ("consent", "")]),
        ("[OBJECT: a\n[OBJECT: b", [("object", "a"), ("object", "b")]),
        ("[OBJECT: a] then [OBJECT: b]", [("object", "a")]),
        ("[OBJECT: a]\nb\n[CONSENT]", [("object", "a"), ("consent", "")]),
    ],
)
def test_what_follows_an_objection_is_read_too(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.name, one.first) for one in found(text)] == expected


def test_a_long_objection_is_cut() -> None:
    assert len(found("[OBJECT: " + "a" * 2 * VALUE_LIMIT + "]")[0].first) < VALUE_LIMIT + 50


# --- fields ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "first"),
    [
        ("PRIORITY: a", "priority", "a"),
        ("**Rationale:** `a`", "rationale", "`a`"),
        ("RED LINE: a", "red_line", "a"),
        ("Red lines = a", "red_line", "a"),
        ("Red line 2: a", "red_line", "a"),
        ("WILLING  TO TRADE: a", "willing_to_trade", "a"),
        ("I OFFER: a", "i_offer", "a"),
        ("- I want: a", "i_want", "a"),
        ("### I WANT", "i_want", ""),
        ("ANSWERS: P3", "counters", "P3"),
        ("Counters: P3", "counters", "P3"),
        ("Current proposal:", "terms", ""),
        ("Current proposal (v2): a", "terms", "a"),
        ("Terms version 3:", "terms", ""),
        ("TERMS", "terms", ""),
        ("Reason: a", "reason", "a"),
    ],
)
def test_a_field_has_a_label(line: str, name: str, first: str) -> None:
    assert [(one.name, one.first) for one in found(line)] == [(name, first)]


@pytest.mark.parametrize("line", ["I want this to end.", "Priority one", "The rationale: x"])
def test_prose_is_no_field(line: str) -> None:
    assert not found(line)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[ADVOCATE - CC] PRIORITY: a", [("advocate", ""), ("priority", "a")]),
        ("[PROPOSAL] I OFFER: a", [("proposal", ""), ("i_offer", "a")]),
        ("[CONSENT CHECK] Current proposal:", [("check", ""), ("terms", "")]),
        ("[CONSENT CHECK] TERMS: a", [("check", ""), ("terms", "a")]),
        ("[PROPOSAL - CX] I OFFER: a", [("spoof", "")]),
        ("[PROPOSAL] Proposal", [("proposal", "")]),
    ],
)
def test_a_field_may_stand_behind_a_header(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.name, one.first) for one in found(line)] == expected
