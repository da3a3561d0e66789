"""V1, V7, V8, G8, contract 1: everything that can happen in small live votes, counted.

Two and three voters, a handful of answers, changes of mind, failures, time, and a person: every
state can still finish, every end is one outcome that nothing changes any more, and it is what a
count of the ballots that stand comes to. The counts are pinned: a change of the rules shows here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Ask, Input, Step
from comity.mechanisms.voting import Election, rule_named
from comity.protocols.collect.machine import start, step
from comity.protocols.collect.opening import vote_rules
from comity.protocols.collect.rules import Gate, VoteLimits, VoteRules
from comity.protocols.collect.state import VoteState
from comity.testing.explore import Explored, answers, explore

NO_PERSON = Gate(on="none")


def rules_of(voters: str, kind: str = "choice", **settings: Any) -> VoteRules:
    limits = VoteLimits(deadline_ms=1_000, reasks=settings.pop("reasks", 0))
    options = None if kind == "yes_no" else ["A", "B"]
    return vote_rules(
        "q", voters.split(), seed="1", kind=kind, options=options, limits=limits, **settings
    )


def inputs_of(rules: VoteRules, said: Sequence[str], *, silence: bool, changes: bool) -> Any:
    def bodies(ask: Ask) -> list[JsonObject]:
        if ask.kind == "decide":
            return [{"text": "accept"}, {"text": "hm"}]
        return [{"text": text} for text in said]

    replies = answers(bodies)

    def inputs(last: Step[VoteState]) -> Iterable[Input]:
        yield from replies(last)
        if changes and last.state.phase == "voting":
            for one in last.state.counted:
                body = {"text": said[0]}
                yield Input(kind="message", now_ms=0, party=one.voter, body=body)
        if silence:
            for one in last.asks:
                yield Input(kind="failure", now_ms=0, party=one.party, ask_id=one.id, body={})
            if last.wake_at_ms is not None:
                yield Input(kind="timer", now_ms=last.wake_at_ms)

    return inputs


def future(state: VoteState) -> Hashable:
    """All that a state's future depends on, and all that is told at the end but the payloads."""
    return (
        state.phase,
        state.asked,
        tuple([(one.id, one.party, one.attempt) for one in state.asks]),
        (state.closes_ms, state.person_until_ms, state.is_extended, state.why_person),
        (state.cast, state.failed, state.notes),
        state.held is not None,
    )


def explored(rules: VoteRules, inputs: Callable[[Step[Any]], Iterable[Input]]) -> Explored:
    ends: list[Step[VoteState]] = []

    def watched(state: VoteState, happened: Input) -> Step[VoteState]:
        after = step(state, happened)
        if after.outcome is not None:
            ends.append(after)
        return after

    found = explore(start(rules), watched, inputs, key=future)
    for end in ends:
        check_end(rules, end)
    return found


def check_end(rules: VoteRules, end: Step[VoteState]) -> None:
    """G1, V8: the winner is that of a count of the ballots that stand, made from nothing."""
    outcome: Any = end.outcome
    standing = {one.voter: one for one in end.state.cast if one.status in {"counted", "invalid"}}
    given = {name: one.ballot for name, one in standing.items() if one.status == "counted"}
    wrong = {name: object() for name, one in standing.items() if one.status == "invalid"}
    election = Election(
        {**given, **wrong},
        options=None if rules.kind == "yes_no" else rules.options,
        kind=rules.kind,
        roster=rules.roster,
        invalid="keep",
    )
    counted = rule_named(rules.rule)(election, **rules.told)
    assert outcome.winner == counted.winner
    assert outcome.kind == counted.kind
    assert set(outcome.grounds.invalid) == set(wrong)
    assert set(outcome.grounds.absent) == set(rules.ids) - set(standing)


CASES: dict[str, tuple[VoteRules, Any]] = {}


def case(name: str, rules: VoteRules, said: str, **how: bool) -> None:
    how = {"silence": False, "changes": False, **how}
    words = [f"VOTE: {one}" for one in said.split()]
    CASES[name] = (rules, inputs_of(rules, words, **how))


case("three voters", rules_of("a b c", gate=NO_PERSON), "A B hm")
case("three that wait for all", rules_of("a b c", gate=NO_PERSON, early=False), "A B abstain")
case("two who may be silent", rules_of("a b", gate=NO_PERSON), "A B", silence=True)
case(
    "two who change their minds",
    rules_of("a b", gate=NO_PERSON, early=False, changes="last"),
    "A B",
    changes=True,
)
case("a veto holder", rules_of("a b c", "yes_no", gate=NO_PERSON, veto_holders=["c"]), "yes no")
case("two and a person", rules_of("a b", reasks=1), "A B hm", silence=True)
case("asked once more", rules_of("a b", gate=NO_PERSON, absent="extend"), "A B", silence=True)

# case -> (states, transitions, endings)
PINNED: dict[str, tuple[int, int, dict[str, int]]] = {
    "three voters": (
        190,
        189,
        {"choice": 60, "no_decision: no_majority": 36, "no_decision: tie": 36, "no_quorum": 6},
    ),
    "three that wait for all": (
        226,
        225,
        {"choice": 84, "no_decision: no_majority": 36, "no_decision: tie": 36, "no_quorum": 6},
    ),
    "two who may be silent": (
        28,
        31,
        {"choice": 4, "no_decision: no_majority": 8, "no_decision: tie": 4, "no_quorum": 5},
    ),
    "two who change their minds": (19, 22, {"choice": 6, "no_decision: tie": 6}),
    "a veto holder": (51, 50, {"blocked": 13, "verdict": 20}),
    "two and a person": (
        462,
        825,
        {"choice": 32, "no_decision: no_majority": 112, "no_decision: tie": 32, "no_quorum": 29},
    ),
    "asked once more": (
        195,
        218,
        {"choice": 32, "no_decision: no_majority": 56, "no_decision: tie": 32, "no_quorum": 25},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_walk_ends_and_the_counts_are_those_pinned(name: str) -> None:
    found = explored(*CASES[name])
    assert found.is_sound
    told = (found.states, found.transitions, dict(found.endings))
    assert told == PINNED[name], told


def test_a_vote_that_ends_otherwise_would_be_noticed() -> None:
    rules, inputs = CASES["three voters"]
    ended = [one for one in explored_steps(rules, inputs) if one.outcome is not None]
    outcome: Any = ended[0].outcome
    other = replace(outcome, grounds=replace(outcome.grounds, absent=("zoe",)))
    with pytest.raises(AssertionError):
        check_end(rules, replace(ended[0], outcome=other))


def explored_steps(rules: VoteRules, inputs: Any) -> list[Step[VoteState]]:
    found: list[Step[VoteState]] = []

    def watched(state: VoteState, happened: Input) -> Step[VoteState]:
        found.append(step(state, happened))
        return found[-1]

    explore(start(rules), watched, inputs, key=future)
    return found
