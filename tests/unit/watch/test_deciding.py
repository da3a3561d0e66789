"""watch/deciding.py, G7, G8: a case is decided once, taken back once, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput, SequenceConflict
from comity.core.step import Input
from comity.formats.scenario import scenario_from
from comity.ledger import Ledger, open_ledger
from comity.ledger.verify import verify
from comity.protocols.collect import machine
from comity.runner.local import LocalRunner, Session, taken_up
from comity.session.fold import replay, waiting_of
from comity.session.record import Opening
from comity.testing.clock import FakeClock
from comity.testing.crash import Crashed
from comity.watch.cases import standing_of
from comity.watch.deciding import LONGEST_WORD, Deciding, Word

START_MS = 1_700_000_000_000
HOUR_MS = 3_600_000
WORD = Word(by="zoe", reason="newer", option="B")


class Office:
    """A ledger with cases, and people who decide them."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.clock = FakeClock(START_MS)
        self.asked_to_go_on = 0

    def runner(self, probe: Callable[[str], None] | None = None) -> LocalRunner:
        return LocalRunner(self.ledger, clock=self.clock, probe=probe)

    def deciding(self, probe: Callable[[str], None] | None = None) -> Deciding:
        return Deciding(self.ledger, self.runner(probe), self.clock)

    def open(self, name: str = "s", said: tuple[str, ...] = ("A", "B"), **more: Any) -> None:
        data = {
            "kind": "vote",
            "question": "Which?",
            "options": ["A", "B"],
            "voters": ["ann", "bob"],
            "person": {"deadline_s": 3600},
        }
        scenario = scenario_from({**data, **more}, whose="x", folder=Path(), seed="1")
        opening = Opening(kind=scenario.kind, title=scenario.title, rules=scenario.rules)
        session = self.runner().start(name, opening)
        for voter, word in zip(("ann", "bob"), said, strict=False):
            self.runner().send(session, voter, f"VOTE: {word}")

    def goes_on(self, session: Session) -> None:
        self.asked_to_go_on += 1

    def decide(self, word: Word = WORD, name: str = "s") -> Session:
        return self.deciding().decide(name, word, may_go_on=self.goes_on)

    def undo(self, within_ms: int = HOUR_MS, name: str = "s", **more: str) -> Session:
        word = Word(**{"by": "yan", "reason": "too new", **more})
        return self.deciding().undo(name, word, within_ms=within_ms)

    def kinds(self, name: str = "s") -> list[str]:
        return [one.kind for one in self.ledger.read(name, everything=True)]

    def story(self, name: str = "s") -> list[tuple[str, str, str]]:
        entries = self.ledger.read(name, everything=True)
        found = standing_of(name, entries, now_ms=self.clock.now_ms()).story
        return [(one.what, one.choice, one.by) for one in found]

    def replays(self, name: str = "s") -> bool:
        return replay((one.kind, one.body) for one in self.ledger.read(name)).same


@pytest.fixture
def office() -> Iterator[Office]:
    with open_ledger(":memory:") as ledger:
        made = Office(ledger)
        yield made
        assert verify(ledger).ok


def refused(call: Callable[[], object], office: Office) -> str:
    """Return what a refusal says, having seen that it recorded nothing."""
    before = office.ledger.heads()
    with pytest.raises(InvalidInput) as caught:
        call()
    assert office.ledger.heads() == before
    assert all(
        fault.whose and fault.what and fault.allowed and fault.next
        for fault in caught.value.faults
    )
    return str(caught.value)


# --- deciding ----------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["B", "b", "3"])
def test_g8_a_decision_is_recorded_with_its_reason_and_its_name_and_is_sealed(
    office: Office, option: str
) -> None:
    office.open()
    session = office.decide(Word(by="zoe", reason=" newer ", option=option))
    assert session.last.outcome.option == "B"  # type: ignore[union-attr]
    assert office.kinds()[-2:] == ["input", "sealed"]
    entry = office.ledger.read("s")[-2]
    assert entry.body["party"] == "human"
    body: Any = entry.body["body"]
    assert (body["decide"], body["by"], body["reason"]) == ("B", "zoe", "newer")
    said = session.last.outcome.grounds.submissions[-1].what  # type: ignore[union-attr]
    assert said == {"decides": "B", "by": "zoe", "reason": "newer"}
    assert office.replays()
    assert office.asked_to_go_on == 0


def test_g7_every_fault_of_a_decision_is_told_at_once(office: Office) -> None:
    office.open()
    said = refused(lambda: office.decide(Word(by=" ", reason=" ", option="C")), office)
    assert "name: is empty" in said
    assert "reason: is empty" in said
    assert "option 'C': is none of this case. Allowed: 1 accept, 2 A, 3 B" in said
    long = Word(by="x" * (LONGEST_WORD + 1), reason="x" * (LONGEST_WORD + 1), option="A")
    assert refused(lambda: office.decide(long), office).count("Next: put it shorter") == 2


def test_what_no_store_keeps_is_refused_whole(office: Office) -> None:
    office.open()
    said = refused(lambda: office.decide(Word(by="zoe", reason="a\x00b", option="A")), office)
    assert "NUL" in said


def test_g8_a_decision_is_made_once(office: Office) -> None:
    office.open()
    office.decide()
    said = refused(lambda: office.decide(Word(by="yan", reason="older", option="A")), office)
    assert "is decided already: zoe decided 'B'" in said
    assert "comity decide s --undo" in said


def test_g8_an_answer_after_its_time_applies_the_default_and_is_refused(office: Office) -> None:
    office.open(person={"deadline_s": 3600, "default": "A"})
    office.clock.advance(2 * HOUR_MS)
    with pytest.raises(InvalidInput, match=r"ran out of time 1 hour ago: its default 'A' has"):
        office.decide()
    assert office.kinds()[-2:] == ["input", "sealed"]
    assert office.story() == [("default", "A", "")]
    said = refused(office.decide, office)
    assert "nobody answered in time, and its default 'A' applied" in said
    assert "--undo" not in said


def test_what_is_under_way_or_was_decided_without_a_person_has_no_case(office: Office) -> None:
    office.open("open", ("A",))
    assert "is under way: no person is waited for" in refused(
        lambda: office.decide(name="open"), office
    )
    office.open("done", human=False)
    assert office.deciding().look("done").sealed
    assert "no person was asked" in refused(lambda: office.decide(name="done"), office)
    with pytest.raises(InvalidInput, match="is not in this ledger"):
        office.decide(name="none")


def test_a_look_applies_what_is_due_and_seals_what_has_ended_and_nothing_else(
    office: Office,
) -> None:
    office.open()
    before = office.ledger.heads()
    assert waiting_of(office.deciding().look("s").last) is not None
    assert office.ledger.heads() == before
    office.clock.advance(HOUR_MS)
    found = office.deciding().look("s")
    assert found.last.outcome.grounds.ended_by == "default"  # type: ignore[union-attr]
    assert office.kinds()[-1] == "sealed"
    assert office.deciding().look("s").sealed
    assert office.kinds().count("sealed") == 1


# --- taking back -------------------------------------------------------------------------------


def test_g8_a_decision_taken_back_waits_again_with_its_whole_time(office: Office) -> None:
    office.open()
    office.decide()
    office.clock.advance(HOUR_MS // 2)
    session = office.undo()
    waiting = waiting_of(session.last)
    assert waiting is not None
    assert waiting.until_ms == office.clock.now_ms() + HOUR_MS
    assert office.kinds()[-3:] == ["input", "sealed", "undone"]
    body: Any = office.ledger.read("s")[-1].body["body"]
    decided: Any = office.ledger.read("s")[-3].body["body"]
    assert (body["by"], body["reason"], body["takes_back"]) == ("yan", "too new", decided["mark"])
    assert office.replays()
    again = office.decide(Word(by="xia", reason="older", option="A"))
    assert again.last.outcome.option == "A"  # type: ignore[union-attr]
    assert office.story() == [
        ("decided", "B", "zoe"),
        ("undone", "B", "yan"),
        ("decided", "A", "xia"),
    ]
    assert office.kinds()[-5:] == ["input", "sealed", "undone", "input", "sealed"]
    assert office.replays()


def test_g8_an_undo_of_ones_own_needs_no_reason_and_may_name_what_it_takes_back(
    office: Office,
) -> None:
    for option in ("", "B", "b", "3"):
        name = f"s{option}"
        office.open(name)
        office.decide(name=name)
        assert (
            waiting_of(office.undo(name=name, option=option, by="zoe", reason="").last) is not None
        )
    office.open("other")
    office.decide(name="other")
    said = refused(lambda: office.undo(name="other", option="A"), office)
    assert "option 'A': is not what was decided: zoe decided 'B'. Allowed: B" in said


def test_g8_an_undo_of_what_somebody_else_decided_needs_a_reason(office: Office) -> None:
    office.open("waits")
    office.decide(name="waits")
    for reason in ("", " "):
        said = refused(lambda: office.undo(name="waits", by="yan", reason=reason), office)  # noqa: B023  # called at once
        assert "reason: is empty: zoe decided 'B', and somebody else takes it back" in said
    assert waiting_of(office.undo(name="waits", by="yan", reason="wrong").last) is not None


def test_g8_nothing_is_taken_back_that_nobody_decided(office: Office) -> None:
    office.open("waits")
    assert "nothing to take back: no person decided it" in refused(
        lambda: office.undo(name="waits"), office
    )
    office.open("done", human=False)
    office.deciding().look("done")
    assert "no person decided it" in refused(lambda: office.undo(name="done", by=" "), office)
    office.open("late")
    office.clock.advance(HOUR_MS)
    with pytest.raises(InvalidInput, match="nothing to take back: its default 'accept' has been"):
        office.undo(name="late")
    assert "nobody answered in time" in refused(lambda: office.undo(name="late"), office)


def test_g8_a_decision_is_taken_back_once(office: Office) -> None:
    office.open()
    office.decide()
    office.undo()
    said = refused(office.undo, office)
    assert "yan took 'B' back already" in said


def test_g8_a_decision_is_taken_back_within_its_time_only(office: Office) -> None:
    office.open()
    office.decide()
    office.clock.advance(HOUR_MS + 1)
    said = refused(office.undo, office)
    assert "was decided 1 hour ago. Allowed: taking it back within 1 hour" in said
    assert "Allowed: no taking back" in refused(lambda: office.undo(within_ms=0), office)
    assert waiting_of(office.undo(within_ms=HOUR_MS + 1).last) is not None


def chained(office: Office) -> None:
    """Open a vote on a price that failed; a person may look at the vote, and follows it."""
    data = {
        "kind": "bargain",
        "seller": {"opening": 120, "reservation": 100},
        "buyer": {"opening": 60, "reservation": 90},
        "otherwise": ["vote", "human"],
        "then": {"voters": ["ann", "bob", "cyd"], "person": {"deadline_s": 3600}},
    }
    scenario = scenario_from(data, whose="x", folder=Path(), seed="1")
    opening = Opening(kind="bargain", title="t", rules=scenario.rules)
    session = office.runner().start("c", opening)
    for voter, said in (("ann", "buyer's limit"), ("bob", "seller's limit"), ("cyd", "no deal")):
        office.runner().send(session, voter, f"VOTE: {said}")


def test_g10_the_last_step_of_a_chain_is_taken_back_in_its_step(office: Office) -> None:
    chained(office)
    office.decide(Word(by="zoe", reason="cheap", option="buyer's limit"), name="c")
    session = office.undo(name="c")
    waiting = waiting_of(session.last)
    assert waiting is not None
    steps: Any = dict(waiting.grounds.parameters)["steps"]
    assert [one["step"] for one in steps] == ["bargain", "vote"]
    assert office.replays("c")


def going_on(office: Office) -> None:
    """Open a vote with a voter missing; when the person accepts the tie, another vote follows."""
    office.open(
        "on",
        voters=["ann", "bob", "cyd"],
        absent="person",
        early=False,
        otherwise=["vote"],
        then={"voters": ["dan", "eve"]},
    )
    session = taken_up("on", office.ledger.read("on", everything=True))
    office.clock.advance(HOUR_MS)
    office.runner().step(session, Input(kind="timer", now_ms=office.clock.now_ms()))
    assert waiting_of(session.last) is not None


def test_g8_what_a_later_step_has_begun_on_is_not_taken_back(office: Office) -> None:
    going_on(office)
    session = office.decide(Word(by="zoe", reason="as it is", option="accept"), name="on")
    assert office.asked_to_go_on == 1
    assert (session.last.outcome, waiting_of(session.last)) == (None, None)
    said = refused(lambda: office.undo(name="on"), office)
    assert "went on after zoe decided 'accept': another step has begun on it" in said
    assert "is under way" in refused(lambda: office.decide(name="on"), office)


def test_g7_what_could_not_go_on_here_is_refused_before_it_is_recorded(office: Office) -> None:
    going_on(office)

    def no(session: Session) -> None:
        raise InvalidInput([])

    word = Word(by="zoe", reason="as it is", option="accept")
    refused(lambda: office.deciding().decide("on", word, may_go_on=no), office)
    ends = Word(by="zoe", reason="so be it", option="A")
    assert office.deciding().decide("on", ends, may_go_on=no).sealed, "it ends, so it need not"


def test_a_kind_that_takes_no_decision_back_is_refused_before_it_is_recorded(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.open()
    office.decide()
    monkeypatch.delitem(machine._HANDLERS, "undo")
    assert "is a vote, which takes no decision back" in refused(office.undo, office)


# --- crashes and races -------------------------------------------------------------------------


def crashes(point: str) -> Callable[[str], None]:
    def probe(name: str) -> None:
        if name == point:
            raise Crashed(name)

    return probe


@pytest.mark.parametrize(
    ("point", "kinds"),
    [
        ("before append input 5", []),
        ("after append input 5", ["undone"]),
    ],
)
def test_g8_a_crash_in_an_undo_leaves_all_of_it_or_nothing(
    point: str, kinds: list[str], office: Office
) -> None:
    """An undo is one entry: there is no place between two of them at which to die."""
    office.open()
    office.decide()
    before = office.kinds()
    word = Word(by="yan", reason="too new")
    with pytest.raises(Crashed):
        office.deciding(crashes(point)).undo("s", word, within_ms=HOUR_MS)
    assert office.kinds() == [*before, *kinds]
    assert office.replays()
    if kinds:
        assert "took 'B' back already" in refused(office.undo, office)
    else:
        assert waiting_of(office.undo().last) is not None
    assert office.decide().sealed
    assert office.replays()


@pytest.mark.parametrize(
    ("point", "kinds"),
    [
        ("before append input 6", ["undone"]),
        ("after append input 6", ["undone", "input"]),
        ("before append sealed", ["undone", "input"]),
        ("after append sealed", ["undone", "input", "sealed"]),
    ],
)
def test_g8_a_crash_in_a_decision_after_an_undo_is_mended_by_the_next_look(
    point: str, kinds: list[str], office: Office
) -> None:
    office.open()
    office.decide()
    before = office.kinds()
    office.undo()
    word = Word(by="xia", reason="older", option="A")
    with pytest.raises(Crashed):
        office.deciding(crashes(point)).decide("s", word, may_go_on=office.goes_on)
    assert office.kinds() == [*before, *kinds]
    found = office.deciding().look("s")
    if len(kinds) == 1:
        assert waiting_of(found.last) is not None
        assert office.decide(word).sealed
    assert office.kinds()[-2:] == ["input", "sealed"]
    assert office.story()[-1] == ("decided", "A", "xia")
    assert office.replays()
    office.undo()
    assert office.replays()


class Crowded:
    """A ledger on which somebody else is faster, as often as there is something to do."""

    def __init__(self, ledger: Ledger, *others: Callable[[], object]) -> None:
        self._ledger = ledger
        self._others = list(others)

    def read(self, *args: Any, **options: Any) -> Any:
        found = self._ledger.read(*args, **options)
        if self._others:
            self._others.pop(0)()
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)


def late(office: Office, *others: Callable[[], object]) -> Deciding:
    """Return who reads before others act and records after them."""
    crowded: Any = Crowded(office.ledger, *others)
    return Deciding(crowded, LocalRunner(crowded, clock=office.clock), office.clock)


def test_g8_of_two_who_decide_at_once_one_wins_and_the_other_is_told(office: Office) -> None:
    office.open()
    for other in (WORD, Word(by="yan", reason="older", option="A")):
        with pytest.raises(InvalidInput, match="is decided already: zoe decided 'B'"):
            late(office, office.decide).decide("s", other, may_go_on=office.goes_on)
        assert office.kinds().count("sealed") == office.kinds().count("undone") + 1
        office.undo()


def test_g8_of_two_who_take_back_at_once_one_wins_and_the_other_is_told(office: Office) -> None:
    office.open()
    office.decide()
    word = Word(by="yan", reason="too new")
    with pytest.raises(InvalidInput, match="yan took 'B' back already"):
        late(office, office.undo).undo("s", word, within_ms=HOUR_MS)
    assert office.kinds().count("undone") == 1


def test_who_was_only_disturbed_tries_again(office: Office) -> None:
    office.open()

    some: list[Callable[[], object]] = [lambda: interrupts(office, "s")] * 3
    found = late(office, *some).decide("s", WORD, may_go_on=office.goes_on)
    assert found.sealed
    assert office.story() == [("decided", "B", "zoe")]
    office.open("busy")
    busy: list[Callable[[], object]] = [lambda: interrupts(office, "busy")] * 99
    crowded = late(office, *busy)
    with pytest.raises(SequenceConflict):
        crowded.decide("busy", WORD, may_go_on=office.goes_on)


def interrupts(office: Office, name: str) -> None:
    session = taken_up(name, office.ledger.read(name, everything=True))
    office.runner().send(session, "ann", "well")
