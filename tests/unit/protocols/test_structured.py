"""Structured replies: a whole JSON object counts, an aside can only contradict."""

from __future__ import annotations

import pytest

from comity.protocols.structured import json_asides, json_reply, json_text
from comity.protocols.text import VALUE_LIMIT, read_page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"vote": "BLOCK"}', {"vote": "BLOCK"}),
        ('\n {\n    "To Approve": "x",\n    "a-b": 1\n}\n', {"to_approve": "x", "a_b": 1}),
        ('<think>{"vote": 1}</think>\n{"vote": 2}', {"vote": 2}),
        ('{"vote": 1, "VOTE": 2}', {"vote": (1, 2)}),
        ('{"vote": {"vote": 1}}', {"vote": {"vote": 1}}),
        ("{}", {}),
        ('x {"vote": 1}', None),
        ('{"vote": 1} x', None),
        ('```json\n{"vote": 1}\n```', None),
        ("{not json}", None),
        ("[1]", None),
        ('{"a": ' * 50_000 + "1" + "}" * 50_000, None),
        ('{"a": ' + "9" * 5000 + "}", None),
    ],
)
def test_only_a_reply_that_is_one_object_is_a_json_reply(text: str, found: object) -> None:
    assert json_reply(read_page(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('a\n{"vote": 1}\nb', ({"vote": 1},)),
        ('a\n{"vote": 1} b\n{"vote":\n2}', ({"vote": 1}, {"vote": 2})),
        ('a\n> {"vote": 1}', ()),
        ('a\n```\n{"vote": 1}\n```', ()),
        ('a {"vote": 1}', ()),
        ("{broken\n" + '{"vote": 1}', ({"vote": 1},)),
        ("{\n" * 8 + '{"vote": 1}', ()),
        ('{"a":' * 50_000, ()),
    ],
)
def test_asides_begin_one_of_the_seats_own_lines_and_few_are_tried(
    text: str, found: object
) -> None:
    assert json_asides(read_page(text)) == found


def test_a_field_is_a_text_or_a_list_of_texts() -> None:
    assert json_text(" a\u200b ") == "a"
    assert json_text(["a", 1, "b"]) == "a\nb"
    assert json_text(None) == json_text(1) == json_text({}) == ""
    assert len(json_text("a" * (2 * VALUE_LIMIT))) < VALUE_LIMIT + 50
