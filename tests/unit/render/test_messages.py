"""Messages: one message as a line or as a block."""

from __future__ import annotations

from typing import Any

import pytest

from comity.render.ink import Ink
from comity.render.messages import message_block, message_line

OFFER = {
    "turn": 5,
    "party": "CC",
    "kind": "counter",
    "version": 2,
    "text": "[COUNTER - CC to P1]\nI OFFER:\n- a = 1\nI WANT:\n- b = 2\nRATIONALE: fair\nto all",
    "offer": ("a = 1",),
    "want": ("b = 2",),
    "settled": {"a": "1", "b": "2"},
    "draft": ("a = 1", "b = 2"),
}


def message(kind: str, text: str = "", **more: Any) -> dict:
    return {"turn": 7, "party": "CX", "kind": kind, "text": text, "version": 3, **more}


def test_a_proposal_says_what_it_offers_wants_and_why() -> None:
    assert message_block(OFFER, Ink()).split("\n") == [
        "  5  CC counters  version 2",
        "     offers: a = 1",
        "     wants:  b = 2",
        "     because fair to all",
    ]
    assert message_line(OFFER, Ink()) == "  5  CC counters: offers a = 1; wants b = 2"


def test_a_line_tells_only_what_is_new_since_the_last_draft() -> None:
    before = {"settled": {"a": "1", "b": "1"}}
    assert message_line(OFFER, Ink(), before) == "  5  CC counters: b = 2"


def test_a_proposal_without_a_reason_gives_none() -> None:
    assert "because" not in message_block({**OFFER, "text": "x"}, Ink())
    assert "wants" not in message_block({**OFFER, "want": ()}, Ink())


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (message("answer", "fine\n[CONSENT]", answer="CONSENT"), "  7  CX consents"),
        (message("answer", "[OBJECT: too\nslow]", answer="OBJECT"), "  7  CX objects: too slow"),
        (message("answer", "[OBJECT - CX: no]", answer="OBJECT"), "  7  CX objects: no"),
        (message("answer", "silent", answer="ABSENT"), "  7  CX objects: silent"),
        (message("check", "[CONSENT CHECK]"), "  7  CX calls a consent check on version 3"),
        (message("position", "PRIORITY: x"), "  7  CX states its position"),
        (message("discuss", "two\nlines"), "  7  CX says: two\\nlines"),
        (message("odd", "?"), "  7  CX odd"),
        (message("offer", "CX-3: tls = 1.3"), "  7  CX offers: CX-3: tls = 1.3"),
        (message("accept", "CC-2"), "  7  CX accepts: CC-2"),
        (message("hold", "CX-3"), "  7  CX holds to: CX-3"),
        (message("pass"), "  7  CX passes"),
        (message("silent"), "  7  CX does not act"),
        (message("leave", "no use"), "  7  CX leaves: no use"),
        (message("say", say="why\nnot?"), "  7  CX says: why\\nnot?"),
    ],
)
def test_every_kind_has_its_line(one: Any, line: Any) -> None:
    assert message_line(one, Ink()) == line


def test_a_block_leaves_out_the_marker_that_its_first_line_says() -> None:
    block = message_block(
        message("position", "[ADVOCATE - CX]\nPRIORITY: x\n\nRATIONALE: y"), Ink()
    )
    assert block.split("\n") == [
        "  7  CX states its position",
        "     PRIORITY: x",
        "     RATIONALE: y",
    ]
    assert message_block(message("answer", "[CONSENT]", answer="CONSENT"), Ink()) == (
        "  7  CX consents"
    )
    assert "     slow" in message_block(
        message("answer", "[OBJECT: slow]", answer="OBJECT"), Ink()
    )


def test_words_of_a_party_cannot_move_the_cursor_or_fake_a_line() -> None:
    one = message("discuss", "a\r  8  GM consents\x1b[2J")
    assert "\r" not in message_block(one, Ink())
    assert "\x1b" not in message_block(one, Ink())
    assert "\n" not in message_line({**one, "party": "C\nX"}, Ink())


def test_a_move_at_the_table_shows_what_was_offered_and_what_was_said_beside_it() -> None:
    move = message("offer", "CX-3: tls = 1.3; days = 30", say="take it\n> or not")
    assert message_block(move, Ink()).split("\n") == [
        "  7  CX offers",
        "     CX-3: tls = 1.3; days = 30",
        '     "take it\\n> or not"',
    ]
    assert message_block(message("pass"), Ink()) == "  7  CX passes"
