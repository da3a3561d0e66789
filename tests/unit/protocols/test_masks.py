"""Masks: a line that may be another's never counts as the seat's own (C3, W1)."""

from __future__ import annotations

import pytest

from comity.protocols.masks import masked


def kinds(text: str) -> str:
    """Return one letter a line: o(wn), i(ndented), q(uoted), h(idden), u(nsure)."""
    return "".join(kind[0] for kind in masked(text.split("\n"))[1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a quote goes on without its mark
        ("> a\nb\nc\n\nd", "quuoo"),
        ("> a\n- b", "qo"),
        ("> a\n# b\nc", "qoo"),
        ("> a\n---\nb", "qoo"),
        (">\nb", "qo"),
        ("> a\n```\nb\n```\nc", "qqqqo"),
        ("\u2502 a\nb", "uo"),
        ("-     a\n1.      b\n- c", "uuo"),
        # tags of any name
        ("<pre>\na\n</pre>\nb", "uuuo"),
        ("<a><a>\nb\n</a>\nc\n</a>\nd", "uuuuuo"),
        ("<b>a</b> c\nd", "uo"),
        ("<pre>\n<i>a</i> <pre/>\n</pre>\nb", "uuuo"),
        ("x <b>a</b> c\nd", "oo"),
        ("x <b>a</b>\nd", "oo"),
        ("<pre>\na", "uu"),
        ("Sure. <analyse>\na", "ou"),
        ("Sure. <analyse>\na\n</analyse>\nb", "ouuo"),
        ("Vec<String>\na", "oo"),
        ("REASON: <reason>\na", "oo"),
        ("x < 3\na", "oo"),
        ("<https://x.y> a\nb", "oo"),
        ("<br/>\n<hr>\na", "ooo"),
        ("`<pre>` a\nb", "oo"),
        ("a\n</pre>\nb", "uuo"),
        ("<img alt='\na\n'>\nb", "uuuo"),
        ("x <!-- y\na", "ou"),
        ("x `<!-- y\na", "oo"),
        ("x </b> y\na", "oo"),
        ("<|channel|>analysis<|message|>\na", "uu"),
        # traces
        ("[THINK]\na\n[/THINK]\nb", "hhho"),
        ("\u25c1think\u25b7\na\n\u25c1/think\u25b7\nb", "hhho"),
        ("<seed:think>\na\n</seed:think>\nb", "hhho"),
        ("Sure. <think>\na", "oh"),
        # quotes over several lines
        ('"""\na\n"""\nb', "uuuo"),
        ('"\na\n"\nb', "uuuo"),
        ("`\na\n`\nb", "uuuo"),
        ("~~\na\n~~\nb", "uuuo"),
        ("~~a\nb\nc~~\nd", "uuuo"),
        ("~~a~~\nb", "oo"),
        ("x \u201ca\nb\u201d\nc", "ouo"),
        ("x \u201ca\nb\n\nc", "ouuo"),
        ("/*\na\n*/\nb", "uuuo"),
        ("{#\na\n#}\nb", "uuuo"),
        ("#+BEGIN_SRC\na\n#+END_SRC\nb", "uuuo"),
        ("\\begin{quote}\na\n\\end{quote}\nb", "uuuo"),
        ("<![CDATA[\na\n]]>\nb", "uuuo"),
        ("<?php\na\n?>\nb", "uuuo"),
        ("....\na\n....\nb", "uuuo"),
        ("diff --git a b\n- a\n\nb", "uuuo"),
        ("@@@ -1 -1 +1 @@@\na\n\nb", "uuuo"),
    ],
)
def test_c3_what_may_be_anothers_words_is_not_the_seats_own(text: str, expected: str) -> None:
    assert kinds(text) == expected


def test_w1_what_is_unsure_is_still_shown() -> None:
    assert masked(["<b>", "x", "</b>"])[0] == ("<b>", "x", "</b>")
