"""agents/scripted.py: a script is a transcript, a list or blocks, and each seat says its own."""

from __future__ import annotations

import json

import pytest

from comity.agents.base import Failure, Question, Reply
from comity.agents.scripted import Scripted, lines_of, order_in
from comity.core.errors import InvalidInput
from comity.core.step import Ask

TRANSCRIPT = """
Notes before the first header belong to nobody.
[ADVOCATE - CC]
PRIORITY: Focus

[ADVOCATE - CX]
PRIORITY: Contact

[PROPOSAL - CC]
I OFFER: one meeting
I WANT: it starts late

[COUNTER - CX to P1]
I OFFER: Thursday

[CONSENT CHECK - CC]
Current proposal:
1. one meeting

[OBJECT - CX: it is too long]

[DISCUSS - CX]
Let us talk.

[CONSENT - CX]

[DONE] - Consensus reached.
SKILL: negotiate
"""


def asked(nth: int) -> Question:
    ask = Ask(id="a1", party="CC", kind="turn", payload={})
    return Question(ask=ask, request_id="s/a1", nth=nth)


def test_a_seat_says_its_lines_by_number_and_is_silent_afterwards() -> None:
    seat = Scripted(("one", "two"))
    assert [seat.reply(asked(nth)) for nth in (1, 0, 1)] == [
        Reply(text="two"),
        Reply(text="one"),
        Reply(text="two"),
    ]
    ended = Failure(kind="left", detail="the script has ended")
    assert seat.reply(asked(2)) == seat.reply(asked(99)) == ended
    assert not seat.waits


def test_each_seat_takes_its_own_blocks_of_a_transcript() -> None:
    assert lines_of(TRANSCRIPT, "CC") == (
        "[ADVOCATE - CC]\nPRIORITY: Focus",
        "[PROPOSAL - CC]\nI OFFER: one meeting\nI WANT: it starts late",
        "[CONSENT CHECK - CC]\nCurrent proposal:\n1. one meeting",
    )
    assert lines_of(TRANSCRIPT, "CX") == (
        "[ADVOCATE - CX]\nPRIORITY: Contact",
        "[COUNTER - CX to P1]\nI OFFER: Thursday",
        "[OBJECT - CX: it is too long]",
        "[DISCUSS - CX]\nLet us talk.",
        "[CONSENT - CX]",
    )


def test_the_footer_of_a_transcript_is_nobodys_line() -> None:
    assert "SKILL" not in "".join(lines_of(TRANSCRIPT, "CX"))
    cut = "[CONSENT - CX]\n[INCOMPLETE]\nSKILL: negotiate\n"
    assert lines_of(cut, "CX") == ("[CONSENT - CX]",)


def test_a_seat_that_is_done_says_so_in_the_middle_of_a_transcript() -> None:
    text = "[DONE - CC]\nNothing further.\n\n[CONSENT - CX]\n"
    assert lines_of(text, "CC") == ("[DONE - CC]\nNothing further.",)


def test_a_list_of_texts_is_taken_as_it_is_for_any_seat() -> None:
    lines = ["PRIORITY: x\nRATIONALE: y", "  [CONSENT]  ", ""]
    assert lines_of(json.dumps(lines), "CC") == lines_of(json.dumps(lines), "GM") == tuple(lines)


@pytest.mark.parametrize("text", ['["a", 5]', '["a"', '[{"a": 1}]', "[]"])
def test_what_is_no_list_of_texts_is_words(text: str) -> None:
    assert lines_of(text, "CC") == (text,)


def test_blocks_between_lines_of_dashes_are_lines() -> None:
    text = "first\nline\n---\n\n  ----- \nsecond\n---\n \n"
    assert lines_of(text, "CC") == ("first\nline", "second")


def test_plain_words_are_one_line() -> None:
    assert lines_of("\n\nJust this.\nAnd this.\n", "CC") == ("Just this.\nAnd this.",)


@pytest.mark.parametrize("text", ["", " \n\t", "[CONSENT - CX]", "---\n---\n"])
def test_a_script_without_a_line_for_the_seat_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        lines_of(text, "CC", source="talk.txt")
    assert str(caught.value).startswith("talk.txt: holds no line for seat 'CC'")


def test_a_transcript_of_all_seats_fixes_the_speaking_order() -> None:
    assert order_in(TRANSCRIPT, ["CX", "CC"]) == ("CC", "CX")
    assert order_in(TRANSCRIPT, ["CC", "CX", "GM"]) is None
    assert order_in(TRANSCRIPT, ["CX"]) == ("CX",)


@pytest.mark.parametrize("text", ['["[CONSENT - CC]"]', "[CONSENT - CC]\n---\n[CONSENT - CX]"])
def test_a_list_or_blocks_fix_no_order(text: str) -> None:
    assert order_in(text, ["CC"]) is None
