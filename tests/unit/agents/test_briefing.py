"""Briefing: the words of any protocol's ask (C7)."""

from __future__ import annotations

from comity.agents.briefing import briefing


def test_a_payload_that_brings_its_words_is_told_by_them() -> None:
    assert briefing({"brief": "Which?"}, for_person=True) == "Which?"
