"""agents/base.py: the values that pass between the loop and a seat."""

from __future__ import annotations

import pytest

from comity.agents.base import Failure, Question, Reply
from comity.core.step import Ask


def test_questions_replies_and_failures_cannot_be_changed() -> None:
    ask = Ask(id="a1", party="CC", kind="turn", payload={})
    for value, name in (
        (Question(ask=ask, request_id="s/a1"), "nth"),
        (Reply(text="yes"), "text"),
        (Failure(kind="left"), "kind"),
    ):
        with pytest.raises(AttributeError):
            setattr(value, name, "other")


def test_a_question_is_the_first_of_its_seat_and_a_reply_costs_nothing_unless_told() -> None:
    ask = Ask(id="a1", party="CC", kind="turn", payload={})
    assert Question(ask=ask, request_id="s/a1").nth == 0
    assert Reply(text="yes").usage == {}
    assert Failure(kind="timeout").detail == ""
