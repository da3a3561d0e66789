"""Text: one normal form, one masking pass, and what may stand beside a token."""

from __future__ import annotations

import pytest

from comity.protocols.text import (
    MESSAGE_LIMIT,
    VALUE_LIMIT,
    behind,
    block,
    cut,
    edges_off,
    is_placeholder,
    is_rule,
    normalise,
    only_marks,
    plain,
    read_page,
    unbulleted,
    unwrapped,
)

# --- normal form -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("a\x0bb\x0cc\x85d\u2028e\u2029f", "a\nb\nc\nd\ne\nf"),
        ("AP\u200bPRO\u200dVE\ufeff", "APPROVE"),
        ("\u202eAPPROVE\u202c\u2066!\u2069", "APPROVE!"),
        ("AP\u00adPROVE \u2705\ufe0f", "APPROVE \u2705"),
        ("A\x00P\x7fP\x1f", "APP"),
        ("tab\tstays", "tab\tstays"),
        ("\x1b[1;32mVOTE\x1b[0m", "VOTE"),
        ("\x1b[12", "[12"),
        ("\uff36\uff2f\uff34\uff25\uff1a", "VOTE:"),
        ("\uff3bCONSENT\uff3d \u3010CONSENT\u3011", "[CONSENT] [CONSENT]"),
        ("\ufe3bCONSENT\ufe3c", "[CONSENT]"),
        ("non\u00a0breaking", "non breaking"),
        ("\u0410PPROVE", "\u0410PPROVE"),
        ("\u27e6CONSENT\u27e7", "\u27e6CONSENT\u27e7"),
        ("half \ud800 pair", "half \ufffd pair"),
    ],
)
def test_a_text_has_one_normal_form_and_keeps_foreign_letters(text: str, normal: str) -> None:
    assert normalise(text) == normal
    assert normalise(normal) == normal


def test_what_cannot_be_seen_is_dropped_and_nothing_beside_it() -> None:
    ranges = [(0x0, 0x8), (0xE, 0x1F), (0x7F, 0x84), (0x86, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F),
              (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F),
              (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
              (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF9, 0xFFFB),
              (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)]  # fmt: skip
    unseen = {code for first, last in ranges for code in range(first, last + 1)}
    edges = {
        code + step for one in ranges for code in one for step in (-1, 0, 1) if code + step >= 0
    }
    for code in edges:
        assert (normalise(f"a{chr(code)}b") == "ab") is (code in unseen), hex(code)


def test_a_long_run_of_marks_is_thinned_to_thirty_so_that_sorting_it_stays_cheap() -> None:
    for mark in ("\u0301", "\u0f73", "\uff9e"):
        run = normalise("x" + mark * 500 + "\u6295" * 40)
        assert run.endswith("\u6295" * 40)
        assert len(run) - 41 <= 60


def test_thirty_marks_are_left_alone() -> None:
    assert len(normalise("x" + "\u0323" * 30 + "\u6295" * 5)) == 36


# --- masking ---------------------------------------------------------------------------------


def kinds(text: str) -> str:
    """Return one letter a line: o(wn), i(ndented), q(uoted), h(idden)."""
    return "".join(kind[0] for kind in read_page(text).kinds)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "o"),
        ("a\n\nb", "ooo"),
        # quotes, tables, indentation
        ("> a\n   > b\nc", "qqu"),
        ("| a | b |\n|---|---|\nc", "qqo"),
        ("    a\n\tb\n  \tc\n   d", "iiio"),
        # fences
        ("```\na\n```\nb", "qqqo"),
        ("~~~ text\na\n~~~\nb", "qqqo"),
        ("```py\na\n~~~\nb\n```\nc", "qqqqqo"),
        ("````\na\n```\nb\n````\nc", "qqqqqo"),
        ("```\na\n`````\nb", "qqqo"),
        ("```\na\n``` b\nc\n```\nd", "qqqqqo"),
        ("```\na", "qq"),
        ("```\na\n    ```\nb\n```\nc", "qqqqqo"),
        ("```\na\n\t```\nb\n```\nc", "qqqqqo"),
        ("```\na\n   ```\nb", "qqqo"),
        ("  ```\na\n     ```\nb", "qqqq"),
        ("- ```\n  a\n  ```\nb", "qqqo"),
        ("10. ```\n    a\n    ```\nb", "qqqo"),
        ("10. ```\n    a\n        ```\n    ```\nb", "qqqqo"),
        ("``` a ` b\nc", "oo"),
        ("~~~ a ` b\nc", "qq"),
        ("a ``` b\nc", "oo"),
        ("``\na", "uu"),
        ("> ```\n> a\nb", "qqu"),
        ("> ```\n> a\n> ```\n> b\n\nc", "qqqqoo"),
        # comments
        ("<!-- a -->\nb", "ho"),
        ("<!-- a\nb\n-->\nc", "hhho"),
        ("<!-- a\nb", "hh"),
        ("  <!-- a\nb", "hh"),
        ("x <!-- a\nb\n--> c\nd", "ohoo"),
        ("x <!-- a\nb", "ou"),
        ("x `<!--` y\nb\n-->\nc", "oooo"),
        ("<!--> a\nb", "oo"),
        ("<!-- a\n```\n-->\nb", "hhho"),
        ("```\n<!--\n```\nb", "qqqo"),
        ("> <!--\nb", "qu"),
        ("<!-- a --> > b\nc", "qu"),
        ("<!-- a -->```\nb\n```\nc", "qqqo"),
        ("<!-- a -->      b", "o"),
        # reasoning traces
        ("<think>\na\n</think>\nb", "hhho"),
        ("<THINK>\na\n</Think >\nb", "hhho"),
        ('<thinking mode="x">\na\n</thinking>\nb', "hhho"),
        ("<think>\na", "hh"),
        ("<think>\n</thinking>\na", "hhh"),
        ("<think/>\na", "oo"),
        ("x <think> y\nb", "oo"),
        ("x <think> y </think> z\nb", "oo"),
        ("x <think> y\nb\n</think>\nc", "ohho"),
        ("x `<think>` y\nb\n</thinkers>", "uuu"),
        ("a\nb\n</think>\nc", "hhho"),
        ("a\nb</think>\nc", "hho"),
        ("a\n</think> b\nc", "hoo"),
        ("a\nthe </think> tag\nc", "ooo"),
        ("a\nthe `</think>`\nc", "ooo"),
        ("<think>a</think>\nb\n</think>\nc", "hhho"),
        ("<thinker>\na", "uu"),
        # diff hunks
        ("@@ -1,2 +1,2 @@\n a\n-b\n+c\nd", "qqqqo"),
        ("@@ -1 +1 @@ f\n-b\n+c\n-d", "qqqo"),
        ("@@ -1,3 +1,3 @@\n a\n\n\\ No newline\n-b\n+c\nd", "qqqqqqo"),
        ("@@ -1,9 +1,9 @@\n a\nb\n c", "qqoo"),
        ("@@ -0,0 +1 @@\n+c\n+d", "qqo"),
        ("@@ no hunk\na", "oo"),
        ("@@ -2,2 +1 @@\n-a\n-b\n+c\n-d", "qqqqo"),
        ("@@ -1 +1 @@\n-b\n+c\n+d", "qqqo"),
        ("@@ -1,2 +1,2 @@\n a\n b\n c", "qqqo"),
        ("@@ -1,9 +1 @@\n a\n b", "qqo"),
    ],
)
def test_the_pass_marks_what_is_quoted_indented_or_hidden(text: str, expected: str) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("a <!-- b --> c", ("a   c",)),
        ("a<!-- b -->c", ("a c",)),
        ("x <think> y </think> z", ("x   z",)),
        ("x <!-- a\nb\n--> c", ("x", "", "c")),
        ("x <!-- y", ("x <!-- y",)),
        ("x <!--> y", ("x   y",)),
        ("x `<!--` y", ("x `<!--` y",)),
        ("a <b> c", ("a <b> c",)),
        ("b</think> c", ("b</think> c",)),
        ("</think> c", ("c",)),
    ],
)
def test_hidden_stretches_leave_the_line_and_join_no_words(
    text: str, lines: tuple[str, ...]
) -> None:
    assert read_page(text).lines == lines


def test_only_own_lines_have_a_bare_form() -> None:
    page = read_page("**a**\n> b\n<!-- c -->")
    assert [page.own(number) for number in range(3)] == ["a", "", ""]


def test_what_is_shown_leaves_out_what_is_hidden_and_keeps_what_is_quoted() -> None:
    assert read_page("a\n<!-- b -->\n> c").shown() == "a\n> c"


def test_what_is_shown_is_cut_with_a_mark_after_the_masking() -> None:
    fence = "```\n" + "x" * MESSAGE_LIMIT + "\n" + "```\n"
    page = read_page(fence + "end")
    assert page.kinds[-1] == "own"
    shown = page.shown()
    assert shown.startswith("```\nx")
    assert shown.endswith("end")
    assert "characters cut" in shown
    assert len(shown) <= MESSAGE_LIMIT + 50


# --- one line --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("**VOTE: APPROVE**", "VOTE: APPROVE"),
        ("**VOTE:** *APPROVE*", "VOTE: APPROVE"),
        ("__VOTE__: _APPROVE_", "VOTE: APPROVE"),
        ("VOTE: APPROVED_TO_SHIP", "VOTE: APPROVED_TO_SHIP"),
        ("`VOTE: APPROVE`", "VOTE: APPROVE"),
        ("### Vote ###", "Vote"),
        ("#VOTE", "#VOTE"),
        ("- VOTE: `approve`", "VOTE: approve"),
        ("1. - [CONSENT]", "[CONSENT]"),
        ("   - [CONSENT]", "[CONSENT]"),
        ("2) [CONSENT]", "[CONSENT]"),
        ("* **[CONSENT]**", "[CONSENT]"),
        ("-VOTE: BLOCK", "-VOTE: BLOCK"),
        ("+ VOTE: BLOCK", "+ VOTE: BLOCK"),
        ("\\[CONSENT\\]", "[CONSENT]"),
        ("VOTE: APPROVED\\_TO\\_SHIP", "VOTE: APPROVED_TO_SHIP"),
        ("VOTE: APPROVE*", "VOTE: APPROVE*"),
        ("VOTE: APPROVE**", "VOTE: APPROVE**"),
        ("~~VOTE: APPROVE~~", "~~VOTE: APPROVE~~"),
        ("\u2705 \U0001f5f3 VOTE: APPROVE", "VOTE: APPROVE"),
        ("\u274c VOTE: APPROVE", "\u274c VOTE: APPROVE"),
        ("\u2705", ""),
        ("---", ""),
        ("* * *", ""),
        ("", ""),
    ],
)
def test_a_line_loses_the_decoration_that_changes_nothing(line: str, bare: str) -> None:
    assert plain(line) == bare


@pytest.mark.parametrize(
    ("line", "told"), [("---", True), (" === ", True), ("--", False), ("- x", False), ("", False)]
)
def test_a_ruled_line_is_told_from_a_list_item(line: str, told: bool) -> None:
    assert is_rule(line) is told


@pytest.mark.parametrize("tail", ["", " .", "!!", " \u2705\U0001f44d", ")", " - ", ":)", "\u201d"])
def test_marks_and_symbols_take_nothing_from_a_token(tail: str) -> None:
    assert only_marks(tail)


@pytest.mark.parametrize(
    "tail", ["?", " x", "1", "*", "~~", " /", " |", "\u274c", "\u0338", "\u3042", "\u2753", "\\"]
)
def test_letters_digits_and_doubtful_symbols_do(tail: str) -> None:
    assert not only_marks(tail)


# --- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", "...", "n/a", "N/A.", "None", "(none)", "TBD", "see above", "<reason>",
     "none.", "Nothing", "null", "nil", "todo", "reason", "Reasons", "the reason", "your reason",
     "no reason", "no comment", "not given", "not applicable", "unspecified", "see below",
     "one sentence", "na", "{reason}",
     "[Specific reason for blocking]", "[What I can give up]", "because..."],
)  # fmt: skip
def test_a_placeholder_says_nothing(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    "text", ["no test", "none of the tests ran", "[the cache leaks]", "x < y", "a", "<b> leaks"]
)
def test_a_reason_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text)


def test_a_cut_keeps_head_and_tail_and_says_how_much_went() -> None:
    assert cut("abcdefg", 7) == "abcdefg"
    assert cut("abcdefgh", 3) == "a\n(... 5 characters cut ...)\ngh"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (" a ", "a"),
        ("** a", "a"),
        ("a**", "a"),
        ("__ a", "a"),
        ("a _", "a"),
        ("` a", "a"),
        ("**a** and *b*", "**a** and *b*"),
        ("2 * 3", "2 * 3"),
        ("snake_case", "snake_case"),
    ],
)
def test_a_value_loses_the_half_of_an_emphasis(text: str, value: str) -> None:
    assert unwrapped(text) == value


@pytest.mark.parametrize(
    ("line", "item"),
    [("- a", "a"), ("  * a", "a"), ("+ a", "a"), ("12. a", "a"), ("3) a", "a"), ("a - b", None),
     ("-a", None), ("1.5 ms", None)],
)  # fmt: skip
def test_a_list_item_is_freed_of_its_bullet(line: str, item: str | None) -> None:
    assert unbulleted(line) == item


def test_edges_are_taken_off_and_the_middle_kept() -> None:
    assert edges_off(["", "---", "  a  ", "", "b ", "***", ""]) == ["  a", "", "b"]
    assert edges_off(["", "---"]) == []


def test_a_value_keeps_what_it_quotes_and_loses_what_is_hidden() -> None:
    page = read_page("REASON: a\n<!-- b -->\n```\nc\n```\n\n---\nVOTE: BLOCK")
    assert block(page, "a", 1, 7) == "a\n```\nc\n```"


def test_a_value_is_cut_to_its_limit() -> None:
    assert len(block(read_page("x"), "a" * (2 * VALUE_LIMIT), 1, 1)) < VALUE_LIMIT + 50


def test_what_stands_behind_a_label_keeps_its_own_emphasis() -> None:
    assert behind("- **REASON:** drop `x` **now**", ":", "drop x now") == "drop `x` **now**"
    assert behind("REASON = drop `x`", "=", "drop x") == "drop `x`"
    assert behind("- REASON - drop `x`", "-", "drop x") == "drop x"
