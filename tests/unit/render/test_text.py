"""Text: results by their form."""

from __future__ import annotations

from comity import find_cycle, share, vickrey
from comity.core.results import Choice, Grounds
from comity.render.auction import auction_text
from comity.render.deadlock import deadlock_text
from comity.render.ink import Ink
from comity.render.share import share_text
from comity.render.text import result_text

AGREED = {
    "kind": "agreement",
    "form": "consent",
    "says": "All 2 seats consented to version 3 after 8 turns.",
    "record": {
        "draft": ["a = 1", "b\nc"],
        "flags": ["CC loosened its red line"],
        "red_lines": [
            {"party": "CC", "text": "p99 < 200", "checked_by": "code", "kept": "p99 is 155"},
            {"party": "CX", "text": "no haste", "checked_by": "owner", "kept": "asked"},
        ],
    },
}
NOT_AGREED = {
    "kind": "no_deal",
    "form": "consent",
    "says": "No agreement: the turn limit was reached (turn 4 of 4).",
    "conflict": ["a < 1 and a > 2"],
    "unblock": ["CX consents when this is met: faster"],
    "record": {
        "version": 2,
        "draft": ["a = 1"],
        "objections": [{"party": "CX", "version": 2, "reason": "too slow"}],
    },
}


def test_c6_an_agreement_shows_its_terms_numbered_and_how_red_lines_are_kept() -> None:
    text = result_text(AGREED, Ink())
    assert text.startswith("All 2 seats consented")
    assert "Decision\n  1. a = 1\n  2. b\\nc" in text
    assert "  - CC: p99 < 200, kept: p99 is 155" in text
    assert "no haste" not in text
    assert "Worth a second look\n  - CC loosened" in text


def test_c5_no_agreement_shows_what_helps_to_go_on() -> None:
    text = result_text(NOT_AGREED, Ink())
    for part in (
        "Red lines that cannot be kept together\n  - a < 1 and a > 2",
        "Closest draft (version 2, not agreed)\n  1. a = 1",
        "Objections\n  - CX to version 2: too slow",
        "What would unblock it\n  - CX consents",
    ):
        assert part in text


def test_a_result_without_a_record_still_reads() -> None:
    assert result_text({"kind": "agreement", "form": "consent"}, Ink()) == "agreement"


def test_every_other_form_reads_as_its_core_says() -> None:
    grounds = Grounds(rule="borda", ended_by="count", inputs_digest="0")
    choice = Choice(option="B", grounds=grounds)
    assert result_text(choice.to_json(), Ink()) == str(choice)


def test_what_is_decided_at_once_reads_by_its_form() -> None:
    for result, told in (
        (vickrey({"a": 42}, reserve=0), auction_text),
        (share(9, {"a": [[9, 1]]}), share_text),
        (find_cycle({"a": "b", "b": "a"}), deadlock_text),
    ):
        data = result.to_json()
        assert result_text(data, Ink()) == told(data, Ink())
