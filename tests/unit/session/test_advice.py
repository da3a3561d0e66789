"""session/advice.py: every combination of answers leads to one advice, whatever is asked first."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.session.advice import QUESTIONS, advise, open_questions
from comity.session.advice_table import ROWS
from comity.session.mechanism_facts import MECHANISMS

NAMES = [one.name for one in QUESTIONS]
EVERY = [
    dict(zip(NAMES, chosen, strict=True))
    for chosen in product(*([each.name for each in one.answers] for one in QUESTIONS))
]


def test_four_questions_are_asked_and_no_answer_has_two_names() -> None:
    assert len(QUESTIONS) == 4
    assert len(EVERY) == 3 * 8 * 2 * 2
    for one in QUESTIONS:
        words = [word for each in one.answers for word in (each.name, *each.also)]
        assert len(set(words)) == len(words)
        assert not [word for word in words if word.isdigit()]


def test_every_combination_of_answers_has_exactly_one_advice() -> None:
    for answers in EVERY:
        fitting = [
            row
            for row in ROWS
            if all(answers[name] in (getattr(row, name) or [answers[name]]) for name in NAMES)
        ]
        assert len(fitting) == 1, answers
        found = advise(**answers)
        assert (found.mechanism.name, found.why) == (fitting[0].use, fitting[0].why)
        assert dict(found.answers) == answers


def test_advice_does_not_depend_on_the_order_in_which_questions_are_answered() -> None:
    for answers in EVERY:
        whole = advise(**answers)
        for order in permutations(NAMES):
            turned = advise(**{name: answers[name] for name in order})
            assert turned == whole
            assert str(turned) == str(whole)


def test_only_what_matters_is_asked_and_in_any_order_it_leads_to_the_same() -> None:
    for answers in EVERY:
        whole = advise(**answers)
        for order in permutations(NAMES):
            said: dict[str, str] = {}
            for name in order:
                if name in {one.name for one in open_questions(**said)}:
                    said[name] = answers[name]
            found = advise(**said)
            assert (found.mechanism, found.why, found.run) == (
                whole.mechanism,
                whole.why,
                whole.run,
            )
            assert (found.second, found.second_why) == (whole.second, whole.second_why)


def test_a_question_is_open_exactly_when_its_answer_can_change_the_advice() -> None:
    for answers in EVERY:
        for name in NAMES:
            others = {one: answers[one] for one in NAMES if one != name}
            (question,) = [one for one in QUESTIONS if one.name == name]
            whys = {advise(**others, **{name: each.name}).why for each in question.answers}
            assert (question in open_questions(**others)) == (len(whys) > 1)


def test_one_side_that_can_impose_settles_it_and_no_rounds_are_needed() -> None:
    for answers in EVERY:
        found = advise(**answers)
        said = "that is an assignment, and no rounds are needed" in found.says
        assert said == found.is_imposed == (answers["imposes"] != "nobody")
        if answers["imposes"] == "side":
            assert found.mechanism.name == "assignment"
            assert found.mechanism.rounds == "0"
    assert advise(imposes="side").answers == (("imposes", "side"),)
    assert open_questions(imposes="side") == ()


@pytest.mark.parametrize(
    ("answers", "name"),
    [
        ({"imposes": "supervisor", "stake": "amount"}, "assignment"),
        ({"imposes": "supervisor", "stake": "work"}, "pipeline"),
        ({"imposes": "supervisor", "stake": "choice", "values": "no"}, "debate"),
        ({"imposes": "nobody", "stake": "once", "values": "yes"}, "auction"),
        ({"imposes": "nobody", "stake": "amount", "values": "yes"}, "share"),
        ({"imposes": "nobody", "stake": "turns"}, "claim"),
        ({"imposes": "nobody", "stake": "choice", "consent": "majority"}, "vote"),
        ({"imposes": "nobody", "stake": "choice", "consent": "all"}, "negotiate to consent"),
        ({"imposes": "nobody", "stake": "price"}, "negotiate a price"),
        (
            {"imposes": "nobody", "stake": "issues", "values": "yes", "consent": "all"},
            "negotiate several issues",
        ),
        ({"imposes": "nobody", "stake": "work"}, "review"),
        ({"imposes": "nobody", "stake": "waiting"}, "deadlock check"),
    ],
)
def test_the_cases_of_the_article(answers: dict[str, Any], name: str) -> None:
    assert advise(**answers).mechanism.name == name


def test_every_mechanism_is_advised_for_some_answers() -> None:
    assert {advise(**answers).mechanism.name for answers in EVERY} == set(MECHANISMS)


def test_the_second_best_is_another_mechanism_and_one_nobody_imposes_on_equals() -> None:
    for answers in EVERY:
        found = advise(**answers)
        assert found.second != found.mechanism
        assert found.second_why
        if not found.is_imposed:
            assert found.second.name not in {"assignment", "pipeline", "debate"}


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ({"imposes": "yes"}, "side"),
        ({"imposes": " One Side "}, "side"),
        ({"imposes": "2"}, "side"),
        ({"imposes": "no"}, "nobody"),
        ({"imposes": "Judge"}, "supervisor"),
    ],
)
def test_an_answer_is_understood_by_its_other_words_and_its_number(
    said: dict[str, Any], name: str
) -> None:
    assert advise(**said, stake="turns").answers[0] == ("imposes", name)


def test_g7_all_that_is_wrong_is_said_at_once_with_what_is_near() -> None:
    wrong: dict[str, Any] = {"imposes": "supervisr", "stake": 7, "colour": "red"}
    with pytest.raises(InvalidInput) as caught:
        advise(**wrong)
    told = [(fault.whose, fault.next) for fault in caught.value.faults]
    assert told[0] == ("imposes", "did you mean 'supervisor'")
    assert told[1][0] == "stake"
    assert told[2] == ("advice", "use one of: consent, imposes, stake, values")
    with pytest.raises(InvalidInput, match="stake: is 7"):
        open_questions(**wrong)


def test_g7_what_is_still_needed_is_said_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        advise(imposes="nobody", stake="amount", values="no", consent=None)
    (fault,) = caught.value.faults
    assert (fault.whose, fault.what) == (
        "consent",
        "is not said: Must all consent, or does a majority suffice?",
    )
    assert fault.allowed.startswith("all (")
    with pytest.raises(InvalidInput) as caught:
        advise()
    assert [fault.whose for fault in caught.value.faults] == NAMES


def test_advice_as_json_has_everything_that_is_told() -> None:
    found = advise(imposes="nobody", stake="once", values="yes")
    data = found.to_json()
    assert {
        "v": 1,
        "kind": "advice",
        "mechanism": "auction",
        "rounds": "1",
    }.items() <= data.items()
    assert data["says"] == str(found)
    assert data["is_imposed"] is False
    assert data["answers"] == {"imposes": "nobody", "stake": "once", "values": "yes"}
    assert data["second"] == {
        "mechanism": "claim",
        "title": "claims that never starve",
        "when": found.second_why,
        "run": MECHANISMS["claim"].run,
    }
