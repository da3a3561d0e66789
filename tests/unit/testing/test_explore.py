"""testing/explore.py: every state is seen once, and what is wrong is found with the way there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from comity.core.results import Choice, Grounds
from comity.core.step import Ask, Input, Rejected, Step
from comity.testing.explore import Explored, answers, explore

GROUNDS = Grounds(rule="steps", ended_by="arrived", inputs_digest="0")


@dataclass(frozen=True)
class At:
    """A place on a small map."""

    place: str


MAP: dict[str, dict[str, str]] = {
    "start": {"left": "L", "right": "R"},
    "L": {"on": "goal", "back": "start"},
    "R": {"on": "goal", "stay": "R"},
}


def arrived(place: str) -> Step[At]:
    state = At(place)
    if place == "goal":
        return Step(state=state, outcome=Choice(option=place, grounds=GROUNDS))
    return Step(state=state, asks=(Ask(id=place, party="CC", kind="turn", payload={}),))


def step(state: At, happened: Input) -> Step[At]:
    word = str((happened.body or {}).get("text"))
    following = MAP.get(state.place, {}).get(word)
    if following is None:
        rejected = Rejected(reason="no_way", party="CC", hint="look at the map")
        after = arrived(state.place)
        return replace(after, rejected=(rejected,), outcome=None)
    return arrived(following)


WORDS = ["left", "right", "on", "back", "stay"]


def said(words: Iterable[str] = tuple(WORDS)) -> Any:
    return answers(lambda ask: [{"text": word} for word in words])


def walk(step: Any = step, words: Iterable[str] = tuple(WORDS), **options: Any) -> Explored:
    return explore(arrived("start"), step, said(words), **options)


def way(found: tuple[Input, ...]) -> list[object]:
    return [one.body["text"] for one in found if one.body]


def test_every_state_and_transition_is_counted_once() -> None:
    found = walk()
    assert (found.states, found.transitions, found.depth) == (4, 15, 2)
    assert found.refused == 10  # nine words that lead nowhere, and staying
    assert found.endings == (("choice", 1),)
    assert found.is_sound


def test_an_alphabet_asks_every_standing_seat_everything() -> None:
    asks = tuple(Ask(id=one, party=one, kind="turn", payload={}) for one in ("CC", "CX"))
    alphabet = answers(lambda ask: [{"text": f"{ask.id} 1"}, {"text": f"{ask.id} 2"}], now_ms=7)
    inputs = list(alphabet(Step(state=0, asks=asks)))
    assert [(one.party, one.ask_id, one.now_ms) for one in inputs] == [
        ("CC", "CC", 7),
        ("CC", "CC", 7),
        ("CX", "CX", 7),
        ("CX", "CX", 7),
    ]
    assert way(tuple(inputs)) == ["CC 1", "CC 2", "CX 1", "CX 2"]


def test_a_state_where_nothing_can_happen_is_stuck_and_endless() -> None:
    def trap(state: At, happened: Input) -> Step[At]:
        after = step(state, happened)
        return replace(after, asks=()) if after.state.place == "R" else after

    found = walk(trap)
    assert [way(one) for one in found.stuck] == [["right"]]
    assert found.endless == found.stuck
    assert not found.is_sound


def test_a_circle_without_a_way_out_is_endless_and_not_stuck() -> None:
    def circle(state: At, happened: Input) -> Step[At]:
        after = step(state, happened)
        return arrived("R") if state.place == "R" else after

    found = walk(circle)
    assert found.stuck == ()
    assert [way(one) for one in found.endless] == [["right"]]


@pytest.mark.parametrize(
    "fault",
    [
        lambda after: arrived("L"),
        lambda after: replace(arrived("L"), rejected=after.rejected),
        lambda after: replace(after, rejected=()),
        lambda after: replace(after, outcome=Choice(option="other", grounds=GROUNDS)),
    ],
    ids=["goes on", "goes on and denies it", "takes it", "decides again"],
)
def test_an_end_that_does_not_hold_is_found(fault: Any) -> None:
    def restless(state: At, happened: Input) -> Step[At]:
        after = step(state, happened)
        return fault(after) if state.place == "goal" else after

    found = walk(restless)
    assert [way(one) for one in found.reopened] == [["left", "on"]]
    assert not found.is_sound


def test_an_end_that_still_asks_is_found() -> None:
    def asking(state: At, happened: Input) -> Step[At]:
        after = step(state, happened)
        return replace(after, wake_at_ms=5) if after.outcome else after

    assert [way(one) for one in walk(asking).reopened] == [["left", "on"]]


def test_one_state_with_two_outcomes_is_found() -> None:
    def twofold(state: At, happened: Input) -> Step[At]:
        after = step(state, happened)
        return (
            replace(after, outcome=Choice(option=f"goal from {state.place}", grounds=GROUNDS))
            if after.outcome
            else after
        )

    assert [way(one) for one in walk(twofold).reopened] == [["left", "on"]]


def test_one_state_that_asks_differently_is_found() -> None:
    def forgetful(state: At, happened: Input) -> Step[At]:
        after = step(state, happened)
        if state.place == "L" and after.state.place == "start":
            return replace(after, asks=(replace(after.asks[0], attempt=2),))
        return after

    assert [way(one) for one in walk(forgetful).reopened] == [[]]


def test_a_first_step_that_ends_is_all_there_is() -> None:
    found = explore(arrived("goal"), step, said())
    assert (found.states, found.transitions, found.depth) == (1, 0, 0)
    assert found.endings == (("choice", 1),)
    assert found.is_sound


def test_too_many_states_are_not_explored_in_silence() -> None:
    with pytest.raises(AssertionError, match="more than 3 states"):
        walk(most_states=3)


def test_endings_may_be_named_by_the_test() -> None:
    found = walk(ending=lambda outcome: f"at the {outcome.option}")
    assert found.endings == (("at the goal", 1),)


def test_a_coarser_key_merges_states() -> None:
    found = walk(key=lambda state: state.place in {"L", "R"} or state.place)
    assert found.states == 3


@dataclass
class Loose:
    """A state that cannot be hashed, nested and all."""

    path: list[str]
    marks: dict[str, object]


def test_states_that_cannot_be_hashed_are_compared_by_what_they_hold() -> None:
    def start() -> Step[Loose]:
        return stand(Loose([], {}))

    def stand(state: Loose) -> Step[Loose]:
        if len(state.path) == 2:
            outcome = Choice(option=str(sorted(state.marks)), grounds=GROUNDS)
            return Step(state=state, outcome=outcome)
        asks = (Ask(id=str(len(state.path)), party="CC", kind="turn", payload={}),)
        return Step(state=state, asks=asks)

    def go(state: Loose, happened: Input) -> Step[Loose]:
        if len(state.path) == 2:
            rejected = Rejected(reason="ended", party="CC", hint="it is over")
            return Step(state=state, rejected=(rejected,))
        word = str((happened.body or {})["text"])
        marks: dict[str, object] = {**state.marks, word: {"at": [1]}}
        return stand(Loose(sorted([*state.path, word]), marks))

    found = explore(start(), go, said(["a", "b"]))
    assert (found.states, found.endings) == (6, (("choice", 3),))
    assert found.is_sound
