"""testing/machine_checks.py: each check fails on a machine that breaks its promise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from comity.core.results import Choice, Grounds
from comity.core.step import Ask, Input, Rejected, Step
from comity.testing.machine_checks import check_machine

LIMIT_MS = 50_000
GROUNDS = Grounds(rule="toss", ended_by="all", inputs_digest="0")


@dataclass(frozen=True)
class State:
    """A machine that asks two seats in turn, three times, each within a time."""

    said: tuple[str, ...] = ()
    due_ms: int | None = None
    is_over: bool = False


def ask_of(state: State) -> Ask:
    number = len(state.said)
    return Ask(
        id=f"a{number + 1}",
        party=("CC", "CX")[number % 2],
        kind="turn",
        payload={"said": list(state.said)},
        deadline_ms=state.due_ms,
    )


def standing(state: State) -> Step[State]:
    if not state.is_over and len(state.said) < 3:
        return Step(state=state, asks=(ask_of(state),), wake_at_ms=state.due_ms)
    option = ",".join(state.said)
    ended = replace(state, is_over=True, due_ms=None)
    return Step(state=ended, outcome=Choice(option=option, grounds=GROUNDS))


def refused(state: State, happened: Input, reason: str) -> Step[State]:
    rejected = (Rejected(reason=reason, party=happened.party, hint="no"),)
    if state.is_over:
        return Step(state=state, rejected=rejected)
    return replace(standing(state), rejected=rejected)


def start(rules: Any) -> Step[State]:
    return standing(State(due_ms=LIMIT_MS))


def step(state: State, happened: Input) -> Step[State]:
    if state.is_over:
        return refused(state, happened, "ended")
    ask = ask_of(state)
    due = happened.now_ms + LIMIT_MS
    if happened.kind == "cancel":
        return standing(replace(state, is_over=True))
    if happened.kind == "resumed":
        return standing(replace(state, due_ms=due))
    if happened.kind == "timer" and state.due_ms is not None and happened.now_ms >= state.due_ms:
        return standing(replace(state, said=(*state.said, "-"), due_ms=due))
    answers = happened.kind in {"reply", "failure"}
    if answers and (happened.ask_id, happened.party) == (ask.id, ask.party):
        said = str((happened.body or {}).get("text"))[:9]
        return standing(replace(state, said=(*state.said, said), due_ms=due))
    return refused(state, happened, "nonsense")


Start = Callable[[Any], Step[Any]]
Advance = Callable[[Any, Input], Step[Any]]


def faults(start: Start = start, step: Advance = step, **options: int) -> dict[str, str]:
    """Return the checks that fail, with what they say."""
    found = {}
    bodies = [{"text": "heads"}, {"text": "tails"}]
    for name, check in check_machine(start, step, {}, lambda ask: bodies, **options):
        try:
            check()
        except AssertionError as error:
            found[name] = str(error)
    return found


def test_a_sound_machine_passes_every_check() -> None:
    assert faults() == {}


def test_a_machine_that_never_ends_is_found() -> None:
    def endless(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        return standing(State(due_ms=LIMIT_MS)) if len(after.state.said) == 2 else after

    found = faults(step=endless)["every walk ends with one outcome and nothing asked"]
    assert "it ends within 200 inputs" in found


def test_a_machine_that_waits_for_nothing_is_found() -> None:
    def stuck(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        return replace(after, asks=(), wake_at_ms=None) if after.state.said else after

    found = faults(step=stuck)["every walk ends with one outcome and nothing asked"]
    assert "it asks or waits for a time" in found


def test_a_machine_that_asks_after_the_end_is_found() -> None:
    def asking(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        return replace(after, asks=(ask_of(state),)) if after.outcome else after

    found = faults(step=asking)
    assert "nobody is asked" in found["every walk ends with one outcome and nothing asked"]


def test_a_machine_with_chance_in_it_is_found() -> None:
    tosses = iter(range(10**6))

    def lucky(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        if after.rejected or after.outcome or happened.kind == "resumed":
            return after
        said = (*after.state.said[:-1], str(next(tosses)))
        return standing(replace(after.state, said=said))

    found = faults(step=lucky)
    assert "the same inputs give the same steps" in found
    assert "every prefix of the record folds to the step that was lived" in found


def test_a_machine_that_changes_its_state_in_place_is_found() -> None:
    def mutable_start(rules: Any) -> Step[Any]:
        return replace(start(rules), state={"state": State(due_ms=LIMIT_MS)})

    def in_place(state: Any, happened: Input) -> Step[Any]:
        after = step(state["state"], happened)
        state["state"] = after.state
        return replace(after, state=state)

    found = faults(mutable_start, in_place)
    assert "a step leaves the state it starts from as it was" in found


def test_a_machine_that_looks_at_more_than_is_recorded_is_found() -> None:
    def peeking(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        if isinstance((happened.body or {}).get("text"), Words) and not after.outcome:
            return replace(after, notes=("said in person",))
        return after

    class Words(str):
        __slots__ = ()

    found = {}
    bodies = [{"text": Words("heads")}]
    for name, check in check_machine(start, peeking, {}, lambda ask: bodies):
        try:
            check()
        except AssertionError as error:
            found[name] = str(error)
    assert list(found) == ["every prefix of the record folds to the step that was lived"]


def test_an_ask_id_that_is_used_twice_is_found() -> None:
    def renamed(after: Step[State]) -> Step[State]:
        if not after.asks:
            return after
        return replace(after, asks=(replace(after.asks[0], id=f"a{len(after.state.said) % 2}"),))

    def reusing(state: State, happened: Input) -> Step[State]:
        original = renamed(standing(state)).asks if not state.is_over else ()
        if original and happened.ask_id == original[0].id:
            happened = replace(happened, ask_id=ask_of(state).id)
        return renamed(step(state, happened))

    found = faults(lambda rules: renamed(start(rules)), reusing)
    name = "ask ids are never used twice and a standing ask stays as it was"
    assert "a0 was used before" in found[name]


def test_a_standing_ask_that_changes_its_question_is_found() -> None:
    def shifting(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        if happened.kind == "resumed" and after.asks:
            return replace(after, asks=(replace(after.asks[0], payload={"new": True}),))
        return after

    found = faults(step=shifting)
    assert "the same asks stand" in found["taking it up again asks the same questions"]
    name = "ask ids are never used twice and a standing ask stays as it was"
    assert "only the deadline of" in found[name]


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (lambda after: replace(after, rejected=()), "it is rejected"),
        (
            lambda after: replace(after, state=replace(after.state, said=("x",))),
            "it leaves the state as it was",
        ),
        (lambda after: replace(after, asks=()), "it leaves the asks as they were"),
        (lambda after: replace(after, wake_at_ms=5), "it sets no other time"),
        (
            lambda after: replace(after, outcome=Choice(option="x", grounds=GROUNDS)),
            "it ends nothing",
        ),
    ],
)
def test_nonsense_that_changes_anything_is_found(
    fault: Callable[[Step[State]], Step[State]], why: str
) -> None:
    def careless(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        return fault(after) if after.rejected and after.asks else after

    found = faults(step=careless)
    name = "replies that answer nothing are rejected and change nothing"
    assert why in found[name]
    assert why in found["a reply counts once"]
    assert why in found["a timer counts when its time has come and not before"]


def test_a_reply_in_anothers_name_that_counts_is_found() -> None:
    def trusting(state: State, happened: Input) -> Step[State]:
        if happened.kind == "reply" and not state.is_over:
            happened = replace(happened, party=ask_of(state).party)
        return step(state, happened)

    found = faults(step=trusting)
    assert "replies that answer nothing are rejected and change nothing" in found
    assert "a reply counts once" not in found


def test_a_machine_that_breaks_at_an_odd_body_is_found() -> None:
    def strict(state: State, happened: Input) -> Step[State]:
        if happened.kind == "reply" and not state.is_over:
            len(happened.body["text"])  # type: ignore[index,arg-type]
        return step(state, happened)

    checks = dict(check_machine(start, strict, {}, lambda ask: [{"text": "heads"}]))
    with pytest.raises(TypeError):
        checks["bodies of any shape raise nothing and ask for something again"]()


def test_a_machine_that_decides_again_after_the_end_is_found() -> None:
    def undecided(state: State, happened: Input) -> Step[State]:
        after = step(state, happened)
        if state.is_over and happened.kind == "cancel":
            return replace(after, outcome=Choice(option="nothing", grounds=GROUNDS))
        return after

    found = faults(step=undecided)
    name = "after the end everything is rejected and changes nothing"
    assert "no other outcome" in found[name]


def test_a_machine_that_cannot_be_cancelled_is_found() -> None:
    def stubborn(state: State, happened: Input) -> Step[State]:
        if happened.kind == "cancel" and not state.is_over:
            return refused(state, happened, "no")
        return step(state, happened)

    assert list(faults(step=stubborn)) == ["cancelling ends it at any time"]


def test_a_machine_that_sleeps_through_its_time_is_found() -> None:
    def late(state: State, happened: Input) -> Step[State]:
        if happened.kind == "timer" and happened.now_ms == state.due_ms:
            return refused(state, happened, "early")
        return step(state, happened)

    found = faults(step=late)
    name = "a timer counts when its time has come and not before"
    assert found[name] == "a timer at its time is taken"


def test_the_walks_meet_every_kind_of_input() -> None:
    kinds: set[str] = set()

    def watched(state: State, happened: Input) -> Step[State]:
        kinds.add(happened.kind)
        return step(state, happened)

    checks = dict(check_machine(start, watched, {}, lambda ask: [{"text": "heads"}], walks=30))
    checks["every walk ends with one outcome and nothing asked"]()
    assert kinds == {"reply", "failure", "message", "resumed", "timer"}
