"""Conditions: what words beside an assent take it back (W1, C2)."""

from __future__ import annotations

import pytest

from comity.protocols.conditions import goes_on, is_half, sets_condition


@pytest.mark.parametrize(
    "text",
    ["only if tests pass", "provided it is fixed", "(pending the fix)", "- unless it breaks",
     "Conditions: tests", "not before Monday", "subject to review", "don\u2019t merge yet"],
)  # fmt: skip
def test_w1_a_condition_is_told_by_its_first_words(text: str) -> None:
    assert sets_condition(text)
    assert goes_on(text)


@pytest.mark.parametrize("text", ["", "Only one file changed", "the tests pass", "nothing to do"])
def test_w1_a_plain_reason_is_no_condition(text: str) -> None:
    assert not sets_condition(text)


@pytest.mark.parametrize("text", ["but only then", "or", "not really", "This vote is withdrawn."])
def test_w1_what_goes_on_below_an_assent_is_told(text: str) -> None:
    assert goes_on(text)
    assert not goes_on("Details follow.")


@pytest.mark.parametrize(
    "line",
    ["Under no circumstances would I say", "Do not", 'it ends with "the words', "the reply `ends",
     "When all is done I will"],
)  # fmt: skip
def test_w1_half_a_sentence_above_an_assent_is_told(line: str) -> None:
    assert is_half(line)


@pytest.mark.parametrize("line", ["Looks good to me", "It will not break.", "", "I would:"])
def test_w1_a_whole_sentence_above_an_assent_is_let_stand(line: str) -> None:
    assert not is_half(line)
