"""Questions: items that are not ticked, struck or marked resolved hold the plan (W4)."""

from __future__ import annotations

from time import process_time

import pytest

from comity.protocols.review.questions import open_questions

HEAD = "# Plan\n\n## Open Questions\n\n"


@pytest.mark.parametrize(
    "item",
    [
        "- [x] Which port?",
        "- [X] Which port?",
        "- [✓] Which port?",
        "- ✅ Which port?",
        "- ~~Which port?~~",
        "- [ ] ~~Which port?~~.",
        "- RESOLVED: Which port? 8080",
        "- **Resolved**: 8080",
        "- [resolved] - 8080",
        "- Which port? (resolved: 8080)",
        "- Which port? [Resolved]",
        "- Which port? - resolved",
        "- Which port?\n  RESOLVED: 8080",
        "- Which port?\n  - Resolved - 8080",
        "None.",
        "- None",
        "- n/a",
        "There are currently no open questions left.",
        "No questions remaining",
        "<!-- - [x] Which port? -->",
        "```\n- Which port?\n- [x] Which port?\n```",
        "---",
        "| question | status |\n|---|---|\n| port? | resolved |\n| | |",
        "| ~~port?~~ | x |\n",
    ],
)
def test_w4_what_is_settled_holds_nothing(item: str) -> None:
    if item.startswith("| ~~"):
        assert open_questions(f"{HEAD}{item}") == ("~~port?~~ x",)  # struck out in part only
        return
    assert open_questions(f"{HEAD}{item}\n") == ()


@pytest.mark.parametrize(
    ("item", "told"),
    [
        ("- [ ] Which port?", "Which port?"),
        ("- Which port?", "Which port?"),
        ("1. Which port?", "Which port?"),
        ("Which port?", "Which port?"),
        ("- [-] Which port?", "Which port?"),
        ("- TBD", "TBD"),
        ("- unresolved: Which port?", "unresolved: Which port?"),
        ("- Which port? (not resolved)", "Which port? (not resolved)"),
        ("- Which port? (resolved?)", "Which port? (resolved?)"),
        ("- to be resolved", "to be resolved"),
        ("- ~~Which~~ port ~~now~~", "~~Which~~ port ~~now~~"),
        ("- Which port?\n  it must be free", "Which port? it must be free"),
        ("    - Which port?", "Which port?"),
        ("> - [ ] Which port?", "Which port?"),
        ("### Which port?", "Which port?"),
        ("| q | s |\n|---|---|\n| port? | open |", "port? open"),
        ("- " + "x" * 400, "x" * 299 + "…"),
    ],
)
def test_w4_what_cannot_be_told_for_settled_is_open(item: str, told: str) -> None:
    assert open_questions(f"{HEAD}{item}\n") == (told,)


@pytest.mark.parametrize(
    "item",
    [
        "- Which port? (resolved: not yet)",
        "- Which port? (resolved by nobody yet)",
        "- Resolved: nothing. Which port?",
        "- Resolved: which port?",
        "- [x] Network\n  - Which port?",
        "\u2705 Network\nWhich port?",
        "<!-- - [ ] Which port? -->",
        "<!--\n- [ ] Which port?\nnot this\n-->",
        "<!--\nWhich port?\n-->",
        "- [x] a <!-- which port? -->\n- Which port?",
        "```\n- [ ] Which port?\n```",
        "```\nWhich port?",
        "| Which port? | open |\n| | |",
        "| Which port? | open |\n|---|---|",
        "<!-- x\n- [ ] Which port?",
        "<!-- x\n\n<!-- - [ ] Which port?",
        "- [ ] Which port?\n\n</think>\nrest",
        "<think>\n- [ ] Which port?\n</think>",
        "@@ -1,9 +1,9 @@\n - [ ] Which port?",
    ],
)
def test_w4_a_question_that_is_moved_out_of_sight_is_still_open(item: str) -> None:
    assert any("Which port?" in one or "which port?" in one
               for one in open_questions(f"{HEAD}{item}\n"))  # fmt: skip


def test_w4_a_section_that_is_too_long_is_held() -> None:
    told = open_questions(HEAD + "- [x] a\n" * 6_000)
    assert told == ("more than 5000 lines of open questions: the rest is not read",)
    assert open_questions(HEAD + "- [x] a\n" * 4_000) == ()


def test_a_fence_may_hold_other_fences_and_stay_open() -> None:
    text = f"````\n```\n## Open Questions\n- a?\n````\n```x\n~~~\n`\n```y\n{HEAD}- b?\n"
    assert open_questions(text) == ("b?",)
    assert open_questions(f"```\n<!--\n```\n{HEAD}- b?\n") == ("b?",)


def test_several_items_in_order_with_what_belongs_to_them() -> None:
    text = f"{HEAD}These wait:\n\n- a?\n  - option\n  - [ ] sub?\n- [x] b?\n\n  more\n\nlast?\n"
    assert open_questions(text) == ("a? option", "sub?", "last?")


@pytest.mark.parametrize(
    "head",
    [
        "## Open Questions",
        "## 5. Open questions (2)",
        "### Still open question",
        "**Open Questions**",
        "__Open Questions__:",
        "Open Questions\n--------------",
        "Open Questions\n==============",
        "Open Questions:",
        "**Open Questions:**",
        "## Risks and Open Questions",
        "## \u2753 Open Questions",
        "## A. Open Questions",
        "## Section 7: Open Questions",
        "## `Open Questions`",
        "## [Open Questions](#x)",
        "## Open-Questions",
        "## Open_Questions",
        "##Open Questions",
        "####### Open Questions",
        "<h2>Open Questions</h2>",
        "<details><summary>Open Questions</summary>\n",
        "> ## Open Questions",
        "Open Questions",
        "- ## Open Questions\n",
        "## \u041epen Que\u0455tions",
        "## Open <!-- x --> Questions",
        "## Questions (open)",
        "<!-- todo\n\n## Open Questions",
        "<!--\n## Open Questions\n-->",
        "```\nx\n\n## Open Questions",
        "<reasoning>\n## Open Questions",
        "@@ -1,9 +1,9 @@\n ## Open Questions",
    ],
)
def test_a_section_begins_with_any_kind_of_heading(head: str) -> None:
    assert open_questions(f"Text.\n\n{head}\n\n- a?\n") == ("a?",)


def test_a_section_ends_with_the_next_heading_of_its_level() -> None:
    assert open_questions(f"{HEAD}- a?\n### Notes\n- b?\n## Risks\n- c\n") == ("a?", "b?")
    assert open_questions("**Open Questions**\n- a?\n\n**Risks**\n- b\n") == ("a?",)
    parts = "**Open Questions**\n\n**Network**\n- [ ] a\n\n**Disk**\n- [ ] b\n"
    assert open_questions(parts) == ("a", "b")
    assert open_questions("## Open Questions\n\n## Risks\n- b\n") == ()
    assert open_questions(f"{HEAD}- a?\n\nRisks\n-----\n- b\n") == ("a?",)
    assert open_questions(f"{HEAD}- a?\n# Open Questions\n- b?\n") == ("a?", "b?")
    assert open_questions("Open questions: which port?\n# Risks\n- b") == ("which port?",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Plan\n- [ ] do it\n",
        "# Plan without open questions\n- do it\n",
        "## Resolved open questions\n- a\n",
        "Which open questions are there?\n- a\n",
        "The quickest questions\n",
        "```\n## Open Questions\n- a\n```\n",
    ],
)
def test_a_text_without_such_a_section_has_none(text: str) -> None:
    assert open_questions(text) == ()


def spent(text: str) -> float:
    begun = process_time()
    open_questions(text)
    return process_time() - begun


@pytest.mark.parametrize(
    "text",
    [
        "</think>" * 20_000,
        "\u2028" * 150_000,
        "```\n" * 40_000,
        "<!--" * 40_000,
        "--><!--" + "<!--" * 40_000,
        "\ufdfa" * 50_000,
        "- a\n" * 30_000,
        "- " + "(resolved " * 30_000,
        "- " + "- - " * 40_000,
        "- " + " " * 150_000 + "x",
        "|" + "-|" * 60_000 + "\n|a|",
    ],
)
def test_long_texts_take_little_time(text: str) -> None:
    plain = "plain words of a plan\n" * (len(text) // 22)
    benign, hard = spent(HEAD + plain), spent(HEAD + text)
    assert hard <= 40 * benign + 0.05
