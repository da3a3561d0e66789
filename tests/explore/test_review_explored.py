"""W1-W6, contract 1: everything that can happen in small reviews, counted.

One to three reviewers, a handful of answers, failures, time, a reviser and a person: every state
can still finish, every end is one outcome that nothing changes any more, and none passes without
a ballot of everybody. The counts are pinned: a change of the rules shows here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Ask, Input, Step
from comity.protocols.collect.rules import Gate
from comity.protocols.review.machine import start, step
from comity.protocols.review.opening import review_rules
from comity.protocols.review.rules import Phase, Reviewer, ReviewLimits, ReviewRules
from comity.protocols.review.state import ReviewState
from comity.testing.explore import Explored, answers, explore

NO_PERSON = Gate(on="none", default="block")
PERSON = Gate(default="block")
YES = "VOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: a\nREASON: too slow\nTO APPROVE: x\nSUGGESTION: y"
HOLE = NO.replace("CATEGORY: a", "CATEGORY: security")
VAGUE = "VOTE: BLOCK\nCATEGORY: a\nREASON: too slow"
VERSIONS = [f"BEGIN VERSION\n{text}\nEND VERSION" for text in ("one", "two")]
DECISIONS = ["DECIDE: approve", "DECIDE: block", "hm"]


def rules_of(voters: str, *, advisors: str = "", **settings: Any) -> ReviewRules:
    names = ("deadline_ms", "reasks", "blocks", "max_rounds")
    limits = {name: settings.pop(name) for name in names if name in settings}
    told = {"deadline_ms": 1_000, "reasks": 0, "blocks": 2, "max_rounds": 2, **limits}
    settings.setdefault("gate", NO_PERSON)
    phase = Phase(
        name="plan",
        voters=tuple(voters.split()),
        advisors=tuple(advisors.split()),
        artefact="zero",
    )
    reviewers = [
        *(Reviewer(id=name) for name in voters.split()),
        *(Reviewer(id=name, kind="advisor") for name in advisors.split()),
    ]
    return review_rules("x", [phase], reviewers, limits=ReviewLimits(**told), **settings)


def inputs_of(said: Sequence[str], *, silence: bool) -> Any:
    def bodies(ask: Ask) -> list[JsonObject]:
        told = {
            "decide": DECISIONS,
            "revise": VERSIONS,
            "findings": ["a hole"],
            "complete": ["TO APPROVE: x", YES],
        }.get(ask.kind, said)
        return [{"text": text} for text in told]

    replies = answers(bodies)

    def inputs(last: Step[ReviewState]) -> Iterable[Input]:
        yield from replies(last)
        if silence:
            for one in last.asks:
                yield Input(kind="failure", now_ms=0, party=one.party, ask_id=one.id, body={})
            if last.wake_at_ms is not None:
                yield Input(kind="timer", now_ms=last.wake_at_ms)

    return inputs


def future(state: ReviewState) -> Hashable:
    """All that a state's future depends on, and all that is told at the end but the payloads."""
    return (
        (state.stage, state.round, state.asked, state.closes_ms, state.person_until_ms),
        tuple([(one.id, one.party, one.kind, one.attempt) for one in state.asks]),
        (state.versions, state.agains, state.why_person, state.to_person),
        (state.ballots, state.findings, state.comments, state.book, state.tallies),
        (state.persons, state.announcements, state.notes),
        state.held is not None,
    )


def check_end(rules: ReviewRules, end: Step[ReviewState]) -> None:
    """W1, W3, W4: what passes has a ballot of every voter on the last version, or a person's."""
    outcome: Any = end.outcome
    tally, book = outcome.review.rounds[-1], end.state.book
    lists = (tally.approvals, tally.with_risk, tally.by_person, tally.blocks, tally.invalid)
    assert sorted(name for one in (*lists, tally.absent) for name in one) == sorted(
        rules.phases[0].voters
    )
    if outcome.kind != "verdict":
        return
    assert tally.in_favour == tally.needed == len(rules.phases[0].voters)
    cast = {one.agent: one for one in end.state.ballots if one.became != "replaced"
            and (one.round, one.digest) == (end.state.round, end.state.digest)}  # fmt: skip
    assert all(cast[name].vote == "APPROVE" for name in tally.approvals)
    for name in tally.with_risk:
        own = [one for one in book.risks if one.agent == name and not one.accepted_by]
        assert own
        assert all(one.count >= rules.limits.blocks for one in own)
        assert not any("security" in one.category for one in own)
    assert bool(tally.by_person) <= bool(end.state.persons)
    assert not book.open_in("plan")


CASES: dict[str, tuple[ReviewRules, Any]] = {}


def case(name: str, rules: ReviewRules, *said: str, silence: bool = False) -> None:
    CASES[name] = (rules, inputs_of(said, silence=silence))


case("three reviewers", rules_of("a b c"), YES, NO, "hm")
case("two who may be silent", rules_of("a b", reasks=1), YES, "hm", silence=True)
case("two and a reviser", rules_of("a b", reviser="r"), YES, NO)
case("one, a reviser and silence", rules_of("a", reviser="r"), YES, NO, silence=True)
case("two and a person", rules_of("a b", gate=PERSON, blocks=1), YES, HOLE, silence=True)
case("one who says too little", rules_of("a", reasks=1), YES, VAGUE, silence=True)
case("an advisor and a reviewer", rules_of("a", advisors="s"), YES, NO, silence=True)
case(
    "the last round and a person",
    rules_of("a", gate=PERSON, max_rounds=1),
    YES,
    NO,
    silence=True,
)

# case -> (states, transitions, endings)
PINNED: dict[str, tuple[int, int, dict[str, int]]] = {
    "three reviewers": (226, 225, {"blocked: blocks": 114, "no_quorum": 42, "verdict": 6}),
    "two who may be silent": (100, 139, {"no_quorum": 63, "verdict": 6}),
    "two and a reviser": (169, 168, {"blocked: max_rounds": 32, "verdict": 66}),
    "one, a reviser and silence": (
        17,
        16,
        {"blocked: not_revised": 2, "no_quorum": 6, "verdict": 5},
    ),
    "two and a person": (206, 234, {"blocked: never_waived": 36, "no_quorum": 51, "verdict": 25}),
    "one who says too little": (9, 8, {"blocked: blocks": 3, "no_quorum": 2, "verdict": 2}),
    "an advisor and a reviewer": (16, 15, {"blocked: blocks": 3, "no_quorum": 6, "verdict": 3}),
    "the last round and a person": (
        23,
        25,
        {"blocked: max_rounds": 3, "no_quorum": 6, "verdict": 4},
    ),
}


def explored(rules: ReviewRules, inputs: Callable[[Step[Any]], Iterable[Input]]) -> Explored:
    ends: list[Step[ReviewState]] = []

    def watched(state: ReviewState, happened: Input) -> Step[ReviewState]:
        after = step(state, happened)
        if after.outcome is not None:
            ends.append(after)
        return after

    found = explore(start(rules), watched, inputs, key=future)
    for end in ends:
        check_end(rules, end)
    return found


@pytest.mark.parametrize("name", CASES)
def test_every_walk_ends_and_the_counts_are_those_pinned(name: str) -> None:
    found = explored(*CASES[name])
    assert found.is_sound
    told = (found.states, found.transitions, dict(found.endings))
    assert told == PINNED[name], told


def test_a_review_that_passed_without_a_ballot_would_be_noticed() -> None:
    rules, inputs = CASES["three reviewers"]
    ends: list[Step[ReviewState]] = []

    def watched(state: ReviewState, happened: Input) -> Step[ReviewState]:
        after = step(state, happened)
        ends.extend([after] if after.outcome is not None else [])
        return after

    explore(start(rules), watched, inputs, key=future)
    passed: Any = next(one for one in ends if one.outcome and one.outcome.kind == "verdict")
    tally = replace(passed.outcome.review.rounds[-1], approvals=("a", "b"))
    review = replace(passed.outcome.review, rounds=(tally,))
    with pytest.raises(AssertionError):
        check_end(rules, replace(passed, outcome=replace(passed.outcome, review=review)))
