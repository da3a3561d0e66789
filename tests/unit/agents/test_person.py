"""agents/person.py: a person is shown the brief and answers in their own words, or leaves (C7)."""

from __future__ import annotations

from comity.agents.base import Failure, Reply
from comity.agents.person import Person
from comity.protocols.consent.brief import brief
from comity.testing.agent_checks import sample_questions


def test_a_person_is_shown_the_brief_for_people_under_their_seats_name() -> None:
    shown: list[tuple[str, str]] = []

    def prompt(seat: str, words: str) -> str:
        shown.append((seat, words))
        return "  [CONSENT]\n"

    question = sample_questions("GM")[-1]
    said = Person(prompt).reply(question)
    assert said == Reply(text="  [CONSENT]\n")
    assert shown == [("GM", brief(question.ask.payload, for_person=True))]
    assert "<<" not in shown[0][1]


def test_a_person_who_says_nothing_has_said_nothing() -> None:
    assert Person(lambda seat, words: "").reply(sample_questions()[0]) == Reply(text="")


def test_a_person_who_leaves_is_a_failure_and_never_a_consent() -> None:
    said = Person(lambda seat, words: None).reply(sample_questions()[0])
    assert said == Failure(kind="left", detail="the person left")


def test_a_person_takes_time() -> None:
    assert Person(lambda seat, words: None).waits
