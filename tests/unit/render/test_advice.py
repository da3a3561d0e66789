"""render/advice.py: an advice and a question in words."""

from __future__ import annotations

from comity.render.advice import advice_text, question_text
from comity.render.ink import Ink
from comity.session.advice import QUESTIONS, advise


def test_an_advice_says_what_it_costs_what_to_run_and_what_else_would_do() -> None:
    found = advise(imposes="nobody", stake="turns")
    lines = advice_text(found.to_json(), Ink()).splitlines()
    assert lines[0] == found.says
    assert lines[2] == f"what it does    {found.mechanism.does}"
    assert f"manipulated by  {found.mechanism.manipulates}" in lines
    assert (
        "(n parties, k units won at once, P the highest priority, p one's own, c for a loss)"
        in (lines)
    )
    at = lines.index("Next")
    assert lines[at + 1] == f"  {found.run}"
    assert lines[at + 3] == f"Second best: {found.second.title}, {found.second_why}"
    assert lines[at + 4] == f"  {found.second_run}"
    told = "(`comity examples` writes the files of examples/ into this folder)"
    assert lines[-1] == told


def test_a_text_of_ones_own_and_no_file_at_all_are_told_so() -> None:
    review = advice_text(advise(imposes="nobody", stake="work").to_json(), Ink())
    assert review.endswith("into this folder; PLAN.md stands for a text of your own)")
    data = {**advise(imposes="nobody", stake="turns").to_json(), "second": {}}
    data["second"] = {"title": "x", "run": "comity demo", "when": "if y"}
    assert advice_text(data, Ink()).endswith("  comity demo")


def test_formulas_without_letters_need_no_legend() -> None:
    told = advice_text(advise(imposes="nobody", stake="waiting").to_json(), Ink())
    assert "()" not in told
    assert "(n parties" not in told


def test_colours_mark_the_head_and_the_commands() -> None:
    found = advise(imposes="side")
    told = advice_text(found.to_json(), Ink(colours=True))
    assert told.startswith("\x1b[32mOne side can impose the outcome\x1b[0m: ")
    assert f"\x1b[36m{found.run}\x1b[0m" in told


def test_a_question_numbers_its_answers_one_below_the_other() -> None:
    answers = [(one.name, one.words) for one in QUESTIONS[2].answers]
    assert question_text("Yes?", answers, Ink()).splitlines() == [
        "Yes?",
        f"  1  yes  {answers[0][1]}",
        f"  2  no   {answers[1][1]}",
    ]
    assert "\x1b[36mno\x1b[0m   they" in question_text("Yes?", answers, Ink(colours=True))
