"""Letters: what a text looks like to a person (W3), and what a terminal does not show (W1)."""

from __future__ import annotations

import pytest

from comity.protocols.letters import look, normalise


@pytest.mark.parametrize(
    "word",
    ["SECURITY", "secur\u0131ty", "SECUR\u0130TY", "\u0455ecurity", "s\u00e9curity", "secur1ty",
     "\uff53ecurity", "\U0001d42cecurity", "5ecur!ty", "s\u0301ecurity"],
)  # fmt: skip
def test_w3_a_word_is_known_in_every_spelling_that_looks_like_it(word: str) -> None:
    assert look(word) == look("security")


def test_w3_other_words_look_different() -> None:
    assert look("limits") != look("security")
    assert look("plain text") == look("PLAIN TEXT")


@pytest.mark.parametrize("code", ["8", "9", "1;9", "09"])
def test_w1_what_a_terminal_strikes_out_or_conceals_is_marked(code: str) -> None:
    assert normalise(f"\x1b[{code}mVOTE: APPROVE\x1b[0m") == "~~VOTE: APPROVE"


def test_w1_other_colours_leave_no_mark() -> None:
    assert normalise("\x1b[38mx\x1b[1my") == "xy"
