"""Ink: styles that can be off, signs with a twin."""

from __future__ import annotations

import pytest

from comity.render.ink import Ink

STYLES = ("bold", "dim", "good", "warn", "bad", "name")


@pytest.mark.parametrize("style", STYLES)
def test_a_style_wraps_words_and_ends_again(style: str) -> None:
    dressed = getattr(Ink(colours=True), style)("word")
    assert dressed.startswith("\x1b[")
    assert dressed.endswith("word\x1b[0m")


@pytest.mark.parametrize("style", STYLES)
def test_a_style_that_is_off_changes_nothing(style: str) -> None:
    assert getattr(Ink(), style)("word") == "word"
    assert getattr(Ink(colours=True), style)("") == ""


def test_styles_differ() -> None:
    ink = Ink(colours=True)
    assert len({getattr(ink, style)("x") for style in STYLES}) == len(STYLES)


@pytest.mark.parametrize("name", ["yes", "no", "dot", "to", "wait"])
def test_every_sign_has_an_ascii_twin(name: str) -> None:
    assert not Ink(signs=True).sign(name).isascii()
    assert Ink(signs=False).sign(name).isascii()
