"""Inbox: cases, decisions and thin results, as a person reads them (G8)."""

from __future__ import annotations

from typing import Any

from comity import plurality
from comity.render.inbox import headline, inbox_text, story_lines
from comity.render.ink import Ink

DEED = {"what": "decided", "at_ms": 0, "choice": "A", "seat": "human", "by": "zoe", "reason": "x"}


def case(**more: Any) -> dict[str, Any]:
    return {
        "session": "d_1",
        "kind": "vote",
        "title": "Which\nplan?",
        "question": "Which\nplan?",
        "whom": "lead",
        "why": ["margin_of_victory_1", "no_majority", "rules_disagree", "odd_code"],
        "options": [
            {"number": 1, "name": "accept", "means": "as it stands", "default": True},
            {"number": 2, "name": "B\nC", "means": "", "default": False},
        ],
        "default": "accept",
        "until_ms": 3_600_000,
        "overdue": False,
        "age": "2 hours",
        "left": "58 minutes",
        "story": [],
        "stands": "A wins",
        "command": "comity decide d_1 --option N --reason TEXT",
        **more,
    }


def test_nothing_that_waits_is_said_so() -> None:
    assert inbox_text({"cases": []}, Ink()) == "Nothing waits for a person."


def test_g8_a_case_tells_why_how_it_stands_and_how_it_is_decided() -> None:
    text = inbox_text({"cases": [case()]}, Ink())
    assert text == (
        "1 case waits for a person.\n"
        "\n"
        "case  kind  waits    default               what\n"
        "d_1   vote  2 hours  accept in 58 minutes  Which\\nplan?\n"
        "\n"
        "d_1  Which\\nplan?\n"
        "  asked: lead, by 1970-01-01 01:00:00Z\n"
        "  why: one voter could have changed it; no option has a majority; other standard rules"
        " disagree; odd code\n"
        "  stands: A wins\n"
        "  options:\n"
        "    1  accept  as it stands; the default\n"
        "    2  B\\nC\n"
        "  decide: comity decide d_1 --option N --reason TEXT"
    )


def test_g8_an_overdue_case_and_one_without_an_end_say_so() -> None:
    late = inbox_text({"cases": [case(overdue=True, left=None), case(session="d_2")]}, Ink())
    assert late.startswith("2 cases wait for a person.")
    assert late.count("overdue: its default applies at the next look") == 2
    endless = inbox_text({"cases": [case(until_ms=None, left=None, why=[])]}, Ink())
    assert "  asked: lead\n" in endless
    assert "d_1   vote  2 hours  accept   Which" in endless
    assert "why: it was asked for" in endless


def test_the_story_is_told_one_line_each() -> None:
    undone = {**DEED, "what": "undone", "by": "", "reason": ""}
    default = {**DEED, "what": "default"}
    assert story_lines([{**DEED, "reason": "a\nb"}, undone, {**default, "reason": ""}]) == [
        "1970-01-01 00:00:00Z zoe decided 'A': a\\nb",
        "1970-01-01 00:00:00Z human took 'A' back",
        "1970-01-01 00:00:00Z nobody answered in time: 'A' applied",
    ]
    text = inbox_text({"cases": [case(story=[DEED, undone])]}, Ink())
    assert "  before: 1970-01-01 00:00:00Z zoe decided 'A': x\n  before: " in text


def test_what_else_was_asked_for_has_lists_of_its_own() -> None:
    ended = {
        "session": "d_3",
        "title": "Old",
        "result": "no_decision",
        "why": ["tie"],
        "ended_by": "person",
        "choice": "A",
        "by": "zoe",
        "reason": "x",
        "age": "3 days",
    }
    bare = {**ended, "choice": None, "by": None, "reason": None, "ended_by": "default"}
    data: Any = {
        "cases": [],
        "decided": [ended, bare],
        "thin": [ended],
        "unreadable": [{"session": "d_4", "why": "kind 'x'\ndoes not exist"}],
    }
    text = inbox_text(data, Ink())
    assert "Decided by people\ncase  decided     choice       by   reason  what\n" in text
    assert "d_3   3 days ago  A            zoe  x       Old" in text
    assert "d_3   3 days ago  its default  -    -       Old" in text
    assert "Worth a second look\nsession  ended       result       why  what\n" in text
    assert "d_3      3 days ago  no_decision  tie  Old" in text
    assert "Cannot be read\n  d_4: kind 'x'\\ndoes not exist" in text
    assert "Decided" not in inbox_text({"cases": [], "decided": [], "thin": []}, Ink())


def test_how_a_result_stands_is_one_line_without_its_thin_part() -> None:
    won = plurality(["A", "A", "B"], ties="lot:1").to_json()
    assert headline(won) == "A wins by 1 (2 to 1 votes) under plurality"
    tied = headline(plurality(["A", "B"]).to_json())
    assert tied
    assert "\n" not in tied
