"""watch/cases.py, G8: what waits for a person, why, and what each option would mean."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.step import Input
from comity.formats.scenario import scenario_from
from comity.ledger import Ledger, NewEntry, open_ledger
from comity.runner.local import LocalRunner, Session
from comity.session.record import Opening
from comity.testing.clock import FakeClock
from comity.watch.cases import (
    Case,
    CaseOption,
    Ended,
    Inbox,
    inbox_of,
    option_named,
    span_words,
    standing_of,
)

START_MS = 1_700_000_000_000
MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


class Book:
    """A ledger with its runner, and votes opened in one line."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.clock = FakeClock(START_MS)
        self.runner = LocalRunner(ledger, clock=self.clock)

    def opened(self, name: str, data: dict[str, Any]) -> Session:
        scenario = scenario_from(data, whose="x", folder=Path(), seed="1")
        opening = Opening(kind=scenario.kind, title=scenario.title, rules=scenario.rules)
        return self.runner.start(name, opening)

    def vote(self, name: str, *said: str, **more: Any) -> Session:
        """Open a vote and cast what is said, one voter each."""
        voters = ["ann", "bob", "cyd", "dan", "eve"][: max(len(said), 2)]
        data = {"kind": "vote", "question": f"Which, {name}?", "voters": voters}
        if more.get("ballot") != "yes_no":
            data["options"] = {"A": "the old one", "B": "the new one"}
        session = self.opened(name, {**data, **more})
        for voter, word in zip(voters, said, strict=False):
            if session.last.outcome is None:
                self.runner.send(session, voter, f"VOTE: {word}")
        if session.last.outcome is not None:
            self.runner.run(session, {})
        return session

    def decides(self, session: Session, choice: str, **more: str) -> None:
        body = {"text": choice, **more}
        whom = session.last.state.waiting.whom[0]
        now_ms = self.clock.now_ms()
        self.runner.step(session, Input(kind="message", now_ms=now_ms, party=whom, body=body))
        if session.last.outcome is not None:
            self.runner.run(session, {})

    def undoes(self, session: Session, **body: str) -> None:
        now_ms = self.clock.now_ms()
        self.runner.step(session, Input(kind="undo", now_ms=now_ms, party="human", body=body))

    def inbox(self, **more: Any) -> Inbox:
        before = self.ledger.heads()
        found = inbox_of(self.ledger, now_ms=self.clock.now_ms(), **more)
        assert self.ledger.heads() == before, "to look is not to write"
        return found

    def case(self, name: str) -> Case:
        (found,) = [one for one in self.inbox().waiting if one.session == name]
        return found


@pytest.fixture
def book() -> Iterator[Book]:
    with open_ledger(":memory:") as ledger:
        yield Book(ledger)


def test_an_empty_ledger_has_nothing_for_anybody(book: Book) -> None:
    assert book.inbox(thin_ms=DAY_MS) == Inbox()


def test_g8_a_tie_waits_with_its_options_its_default_and_its_age(book: Book) -> None:
    book.vote("tie", "A", "B", person={"seat": "lead", "deadline_s": 3600, "default": "B"})
    book.clock.advance(5 * MINUTE_MS)
    case = book.case("tie")
    assert (case.kind, case.title, case.question) == ("vote", "Which, tie?", "Which, tie?")
    assert (case.whom, case.why, case.default) == ("lead", ("tie",), "B")
    assert (case.since_ms, case.until_ms) == (START_MS, START_MS + HOUR_MS)
    assert not case.is_overdue
    told: Any = case.to_json()
    assert (told["id"], told["age"], told["left"]) == ("tie", "5 minutes", "55 minutes")
    assert [(one["number"], one["name"], one["default"]) for one in told["options"]] == [
        (1, "accept", False),
        (2, "A", False),
        (3, "B", True),
    ]
    assert [one["means"] for one in told["options"]] == [
        "the outcome as it stands",
        "the old one; 1 in the count",
        "the new one; 1 in the count",
    ]
    assert case.result["reason"] == "tie"
    json.dumps(told)


@pytest.mark.parametrize(
    ("said", "more", "why"),
    [
        ("A A B", {}, ("margin_of_victory_1",)),
        ("A abstain abstain", {}, ("no_majority",)),
        (
            "A A A",
            {"turnout_floor": "0.9", "voters": ["ann", "bob", "cyd", "dan"]},
            ("margin_of_victory_1", "turnout"),
        ),
    ],
)
def test_g8_why_it_is_a_case(
    said: str, more: dict[str, Any], why: tuple[str, ...], book: Book
) -> None:
    session = book.vote("s", *said.split(), early=False, **more)
    if session.last.state.waiting is None:
        book.runner.step(session, Input(kind="timer", now_ms=session.last.wake_at_ms or 0))
    assert book.case("s").why == why


def test_what_accept_comes_to_is_told_and_yes_and_no_read_as_such(book: Book) -> None:
    book.vote("s", "A", "A", "B")
    means = {one.name: one.means for one in book.case("s").options}
    assert means["A"] == "the old one; 2 in the count; what accept comes to"
    book.vote("y", "yes", "yes", "no", ballot="yes_no")
    means = {one.name: one.means for one in book.case("y").options}
    assert means["passed"] == "the answer is yes; what accept comes to"
    assert means["rejected"] == "the answer is no"


def test_a_session_that_is_under_way_or_has_ended_does_not_wait(book: Book) -> None:
    book.vote("open", "A")
    book.vote("done", "A", "A", "A")
    assert book.inbox() == Inbox()
    assert standing_of("open", book.ledger.read("open"), now_ms=START_MS).case is None


def test_g8_an_overdue_case_says_so_and_its_default_waits_for_the_next_look(book: Book) -> None:
    session = book.vote("s", "A", "B", person={"deadline_s": 60})
    book.clock.advance(MINUTE_MS)
    case = book.case("s")
    assert case.is_overdue
    told = case.to_json()
    assert (told["overdue"], told["left"]) == (True, None)
    assert session.last.state.waiting is not None


def test_the_case_whose_default_comes_first_stands_in_front(book: Book) -> None:
    book.vote("a", "A", "B", person={"deadline_s": 7200})
    book.vote("z", "A", "B", person={"deadline_s": 60})
    book.vote("b", "A", "B", person={"deadline_s": 7200})
    assert [one.session for one in book.inbox().waiting] == ["z", "a", "b"]


def test_a_question_that_went_unanswered_is_still_the_question(book: Book) -> None:
    session = book.vote("s", "A", "B")
    (asked,) = session.last.asks
    gone = Input(kind="failure", now_ms=START_MS, party="human", ask_id=asked.id, body={})
    book.runner.step(session, gone)
    assert session.last.asks == ()
    assert [one.name for one in book.case("s").options] == ["accept", "A", "B"]


def test_g10_a_chain_waits_for_the_person_of_its_last_step(book: Book) -> None:
    data = {
        "kind": "bargain",
        "seller": {"opening": 120, "reservation": 100},
        "buyer": {"opening": 60, "reservation": 90},
        "otherwise": ["human"],
        "then": {"person": {"seat": "boss", "deadline_s": 3600}},
    }
    session = book.opened("c", data)
    case = book.case("c")
    assert (case.kind, case.whom, case.why) == ("bargain", "boss", ("no_overlap",))
    assert case.until_ms == START_MS + HOUR_MS
    means = {one.name: one.means for one in case.options}
    assert means["buyer's limit"] == "90"
    assert means["no deal"] == "everything stays as it is"
    book.decides(session, "buyer's limit")
    assert book.inbox().waiting == ()


def test_a_session_that_never_heard_the_time_gives_the_person_all_of_it(book: Book) -> None:
    data = {
        "kind": "bargain",
        "seller": {"opening": 120, "reservation": 100},
        "buyer": {"opening": 60, "reservation": 90},
        "otherwise": ["human"],
        "then": {"person": {"deadline_s": 3600}},
    }
    scenario = scenario_from(data, whose="x", folder=Path(), seed="1")
    opening = Opening(kind="bargain", title="t", rules=scenario.rules)
    entry = NewEntry("opened", opening.to_json())
    book.ledger.append("c", [entry], expected_head="", request_id="open", now_ms=START_MS)
    case = book.case("c")
    assert (case.until_ms, case.is_overdue) == (START_MS + HOUR_MS, False)
    assert case.since_ms == START_MS


def test_the_story_tells_what_people_decided_and_took_back(book: Book) -> None:
    session = book.vote("s", "A", "B", person={"deadline_s": 3600})
    book.decides(session, "decide: b", by="zoe", reason="newer", mark="m1")
    book.clock.advance(MINUTE_MS)
    book.undoes(session, by="yan", reason="too new")
    case = book.case("s")
    assert [(one.what, one.choice, one.by, one.reason) for one in case.story] == [
        ("decided", "B", "zoe", "newer"),
        ("undone", "B", "yan", "too new"),
    ]
    assert case.story[0].mark == "m1"
    assert case.since_ms == START_MS + MINUTE_MS, "it waits anew"
    assert case.until_ms == START_MS + MINUTE_MS + HOUR_MS
    assert case.to_json()["story"][1] == {  # type: ignore[index,call-overload]
        "what": "undone",
        "at_ms": START_MS + MINUTE_MS,
        "choice": "B",
        "seat": "human",
        "by": "yan",
        "reason": "too new",
    }


def test_the_story_tells_a_default_and_passes_over_what_was_said_in_vain(book: Book) -> None:
    session = book.vote("s", "A", "B", person={"deadline_s": 60, "default": "A"})
    book.runner.send(session, "human", "hm")
    book.runner.send(session, "ann", "accept")
    book.runner.step(session, Input(kind="resumed", now_ms=START_MS))
    book.runner.step(session, Input(kind="message", now_ms=START_MS, party="human", body={}))
    book.runner.step(session, Input(kind="timer", now_ms=START_MS + MINUTE_MS))
    book.undoes(session)
    story = standing_of("s", book.ledger.read("s"), now_ms=START_MS).story
    assert [(one.what, one.choice) for one in story] == [("default", "A")]


def test_an_answer_to_the_ask_is_a_decision_too(book: Book) -> None:
    session = book.vote("s", "A", "B")
    (asked,) = session.last.asks
    said = Input(
        kind="reply", now_ms=START_MS, party="human", ask_id=asked.id, body={"text": "DECIDE: A"}
    )
    book.runner.step(session, said)
    standing = standing_of("s", book.ledger.read("s"), now_ms=START_MS)
    assert [(one.what, one.choice) for one in standing.story] == [("decided", "A")]
    assert standing.choices == ("accept", "A", "B")


# --- what has ended ----------------------------------------------------------------------------


def test_what_people_decided_is_listed_newest_first(book: Book) -> None:
    session = book.vote("first", "A", "B")
    book.decides(session, "B", by="zoe", reason="newer")
    book.clock.advance(HOUR_MS)
    other = book.vote("second", "A", "B", person={"deadline_s": 60})
    book.runner.step(other, Input(kind="timer", now_ms=book.clock.now_ms() + MINUTE_MS))
    book.runner.run(other, {})
    book.vote("third", "A", "A", "A")
    second, first = book.inbox().decided
    assert (first.session, second.session) == ("first", "second")
    told = first.to_json()
    assert (told["choice"], told["by"], told["reason"]) == ("B", "zoe", "newer")
    assert (told["result"], told["ended_by"], told["age"]) == ("choice", "person", "1 hour")
    assert (second.ended_by, second.said, second.why) == ("default", {}, ("tie",))
    book.undoes(session)
    assert [one.session for one in book.inbox().decided] == ["second"]
    assert [one.session for one in book.inbox().waiting] == ["first"]


def test_g8_sealed_thin_results_are_listed_apart_when_they_are_asked_for(book: Book) -> None:
    book.vote("old", "A", "A", "B", human=False)
    book.clock.advance(2 * DAY_MS)
    book.vote("thin", "A", "A", "B", human=False)
    book.vote("tie", "A", "B", human=False)
    book.vote("firm", "A", "A", "A", human=False, early=False)
    seen = book.vote("seen", "A", "A", "B")
    book.decides(seen, "accept")
    stopped = book.vote("stopped", "A")
    book.runner.cancel(stopped)
    assert book.inbox().thin == ()
    listed = {one.session: one.why for one in book.inbox(thin_ms=DAY_MS).thin}
    assert listed == {"thin": ("margin_of_victory_1",), "tie": ("tie",)}
    assert {one.session for one in book.inbox(thin_ms=3 * DAY_MS).thin} == {"old", "thin", "tie"}


def test_an_outcome_of_a_later_version_is_no_trouble() -> None:
    odd = Ended(
        session="s", kind="x", title="t", at_ms=0, now_ms=0, outcome={"kind": "new", "grounds": 5}
    )
    assert (odd.why, odd.ended_by, odd.said) == ((), "", {})
    bare = Ended(
        session="s", kind="x", title="t", at_ms=0, now_ms=0, outcome={"kind": "no_quorum"}
    )
    assert bare.why == ("no_quorum",)


def test_a_session_that_cannot_be_read_hides_no_other(book: Book) -> None:
    for name, kind in (("odd", "dance"), ("worse", "")):
        body = {"kind": kind, "title": "t", "rules": {}} if kind else {}
        entry = NewEntry("opened", body)
        book.ledger.append(name, [entry], expected_head="", request_id=None, now_ms=START_MS)
    book.vote("s", "A", "B")
    found = book.inbox()
    assert [one.session for one in found.waiting] == ["s"]
    assert {name: "dance" in why for name, why in found.unreadable} == {
        "odd": True,
        "worse": False,
    }


# --- names, numbers and spans ------------------------------------------------------------------


def case_of(*names: str) -> Case:
    return Case(
        session="s",
        kind="vote",
        title="t",
        question="q",
        whom="human",
        why=(),
        options=tuple(
            CaseOption(number=at, name=name, means="") for at, name in enumerate(names, 1)
        ),
        default=names[0],
        until_ms=None,
        since_ms=0,
        now_ms=0,
        result={},
    )


@pytest.mark.parametrize(
    ("given", "found"),
    [("accept", "accept"), (" Shared ", "shared"), ("2", "memory"), ("3", "3"), ("a", "a")],
)
def test_an_option_is_named_or_numbered_and_a_name_goes_first(given: str, found: str) -> None:
    case = case_of("accept", "memory", "shared", "3", "a", "A")
    assert option_named(case, given).name == found


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("shard", "did you mean 'shared'"),
        ("0", "use one of: X Y, accept, shared, x y"),
        ("9", "1 accept, 2 shared, 3 x y, 4 X Y"),
        ("", "is none of this case"),
        ("X y", "names several that differ in capitals"),
    ],
)
def test_g7_an_option_that_does_not_exist_is_told_with_what_is_near(given: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        option_named(case_of("accept", "shared", "x y", "X Y"), given)
    assert said in str(caught.value)


def test_a_case_without_an_end_is_never_overdue() -> None:
    case = case_of("accept")
    assert not case.is_overdue
    assert case.to_json()["left"] is None


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (-1, "less than a minute"),
        (0, "less than a minute"),
        (2 * MINUTE_MS - 1, "1 minute"),
        (HOUR_MS - 1, "59 minutes"),
        (HOUR_MS, "1 hour"),
        (DAY_MS - 1, "23 hours"),
        (DAY_MS, "1 day"),
        (400 * DAY_MS, "400 days"),
    ],
)
def test_a_span_is_told_in_its_largest_whole_unit(ms: int, words: str) -> None:
    assert span_words(ms) == words
