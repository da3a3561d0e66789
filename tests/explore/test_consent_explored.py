"""C1-C9, contract 1: everything that can happen in small consent negotiations, counted.

Two and three seats, a handful of replies each, every order of inputs: every state can still
finish, every end is one outcome that nothing changes any more, and an agreement is always one
version that every seat consented to. The counts are pinned: a change of the rules shows here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Ask, Input, Step
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.results import ConsentAgreement, ConsentNoDeal
from comity.protocols.consent.rules import ConsentLimits, ConsentRules, consent_rules
from comity.protocols.consent.state import ConsentState
from comity.testing.explore import Explored, answers, explore

FULL = os.environ.get("COMITY_FULL") == "1"

A = "[PROPOSAL]\nI OFFER:\n- plan = a\nI WANT:\nRATIONALE: fair"
B = "[PROPOSAL]\nI OFFER:\n- plan = b\nI WANT:\nRATIONALE: fair"
CHECK, CONSENT, OBJECT, DONE = "[CONSENT CHECK]", "[CONSENT]", "[OBJECT: no]", "[DONE]"
POSITION = "PRIORITY: x\nRATIONALE: y"

Alphabet = Mapping[str, Sequence[str]]
"""Kind of ask -> what may be said."""


def rules_of(seats: str, **limits: int) -> ConsentRules:
    return consent_rules(
        "Which plan?",
        {seat: f"the case of {seat}" for seat in seats.split()},
        seed="1",
        domain=domain_of({"plan": ["a", "b"]}),
        order=seats.split(),
        limits=ConsentLimits(**limits),  # type: ignore[arg-type]
    )


def said(alphabet: Alphabet) -> Callable[[Ask], list[JsonObject]]:
    return lambda ask: [{"text": text} for text in alphabet[ask.kind]]


def also_silence(alphabet: Alphabet) -> Callable[[Step[Any]], Iterable[Input]]:
    """Every reply of the alphabet, a failure of each seat that is asked, and time that runs."""
    replies = answers(said(alphabet))

    def inputs(last: Step[Any]) -> Iterable[Input]:
        yield from replies(last)
        for one in last.asks:
            yield Input(kind="failure", now_ms=0, party=one.party, ask_id=one.id, body={})
        if last.wake_at_ms is not None:
            yield Input(kind="timer", now_ms=last.wake_at_ms)

    return inputs


def future(state: ConsentState) -> Hashable:
    """All that a state's future depends on, and all that is told at the end.

    Left out are the rules, which never change, the payloads of the asks, which no transition
    looks at, and their deadlines but for which of them come first.
    """
    first = min([a.deadline_ms or 0 for a in state.asks], default=0)
    return (
        state.phase,
        state.turn,
        tuple([(a.id, a.party, a.kind, a.attempt, a.deadline_ms == first) for a in state.asks]),
        (state.asked, state.speaker, state.idle, state.done, state.said, state.seats),
        tuple([tuple(sorted(one.items(), key=str)) for one in map(flat, state.transcript)]),
        (state.versions, state.check, state.objected, state.objections, state.proposals),
        (state.flags, state.tokens, state.money, state.feasibility),
    )


def flat(message: JsonObject) -> dict[str, str]:
    return {key: str(item) for key, item in message.items()}


def explored(rules: ConsentRules, inputs: Callable[[Step[Any]], Iterable[Input]]) -> Explored:
    ends: list[Step[Any]] = []

    def watched(state: ConsentState, happened: Input) -> Step[ConsentState]:
        after = step(state, happened)
        if after.outcome is not None:
            ends.append(after)
        return after

    found = explore(start(rules), watched, inputs, key=future)
    for end in ends:
        check_end(rules, end)
    return found


def check_end(rules: ConsentRules, end: Step[ConsentState]) -> None:
    """C2, C5: one outcome; an agreement has the consent of every seat to one version."""
    outcome = end.outcome
    assert isinstance(outcome, (ConsentAgreement, ConsentNoDeal))
    assert not end.asks
    assert end.wake_at_ms is None
    assert outcome.record.turns <= rules.limits.max_turns
    answered = {one.party: one.what["answer"] for one in outcome.grounds.submissions if one.what}  # type: ignore[call-overload,index]
    if isinstance(outcome, ConsentAgreement):
        assert set(answered.values()) == {"CONSENT"}
        assert sorted(answered) == sorted(rules.ids)
        assert outcome.terms
        assert outcome.record.version == end.state.draft.version
        assert consenting(end.state) == set(rules.ids)
    else:
        assert outcome.reason in {"stall", "ping_pong", "round_limit", "exhausted"}
        assert outcome.unblock


def consenting(state: ConsentState) -> set[str]:
    """Return who consented, by the transcript alone: since the last check and the last change."""
    found: set[str] = set()
    for message in state.transcript:
        if message["kind"] == "check":
            found = {str(message["party"])}
        elif message["kind"] != "answer":
            found = set()
        elif message["text"] == CONSENT:
            found.add(str(message["party"]))
    return found


SMALL: Alphabet = {"position": [POSITION], "turn": [A, CHECK, DONE], "answer": [CONSENT, OBJECT]}
WIDE: Alphabet = {**SMALL, "turn": [A, B, CHECK, DONE, "well"], "answer": [CONSENT, OBJECT, "eh?"]}

Case = tuple[ConsentRules, Callable[[Step[Any]], Iterable[Input]]]

CASES: dict[str, Case] = {
    "two seats": (
        rules_of("CC CX", max_turns=5),
        answers(said({**SMALL, "turn": [A, B, CHECK]})),
    ),
    "two seats that may fail": (
        rules_of("CC CX", max_turns=3, reasks=0, stall=2, turn_timeout_ms=1_000),
        also_silence({**SMALL, "turn": [A, CHECK]}),
    ),
    "three seats": (
        rules_of("CC CX GM", max_turns=7, reasks=0, stall=3),
        answers(said({**SMALL, "turn": [A, CHECK]})),
    ),
}
LARGE: dict[str, Case] = {
    "two seats, everything said": (
        rules_of("CC CX", max_turns=5),
        answers(said(WIDE)),
    ),
    "two seats that may fail, longer": (
        rules_of("CC CX", max_turns=4, reasks=0, stall=3, turn_timeout_ms=1_000),
        also_silence({**SMALL, "turn": [A, CHECK]}),
    ),
    "three seats that are done": (
        rules_of("CC CX GM", max_turns=8, reasks=0, stall=4),
        answers(said(SMALL)),
    ),
}

# case -> (states, transitions, endings)
PINNED: dict[str, tuple[int, int, dict[str, int]]] = {
    "two seats": (
        1221,
        1556,
        {
            "agreement": 32,
            "no_deal: ping_pong": 96,
            "no_deal: round_limit": 496,
            "no_deal: stall": 66,
        },
    ),
    "two seats that may fail": (
        884,
        945,
        {"agreement": 60, "no_deal: round_limit": 152, "no_deal: stall": 435},
    ),
    "three seats": (
        376,
        375,
        {"agreement": 36, "no_deal: round_limit": 144, "no_deal: stall": 24},
    ),
    "two seats, everything said": (
        7663,
        10356,
        {
            "agreement": 48,
            "no_deal: exhausted": 32,
            "no_deal: ping_pong": 96,
            "no_deal: round_limit": 4966,
            "no_deal: stall": 422,
        },
    ),
    "two seats that may fail, longer": (
        11874,
        13849,
        {"agreement": 1378, "no_deal: round_limit": 1469, "no_deal: stall": 5564},
    ),
    "three seats that are done": (
        4408,
        4407,
        {
            "agreement": 216,
            "no_deal: exhausted": 36,
            "no_deal: round_limit": 1944,
            "no_deal: stall": 630,
        },
    ),
}


def check(name: str, case: Case) -> None:
    found = explored(*case)
    assert not found.stuck, found.stuck[0]
    assert not found.endless, found.endless[0]
    assert not found.reopened, found.reopened[0]
    assert (found.states, found.transitions, dict(found.endings)) == PINNED[name]


@pytest.mark.parametrize("name", CASES)
def test_every_state_can_still_finish_and_finishes_once(name: str) -> None:
    check(name, CASES[name])


@pytest.mark.full
@pytest.mark.parametrize("name", LARGE)
def test_larger_negotiations_can_still_finish_and_finish_once(name: str) -> None:
    check(name, LARGE[name])


def test_a_key_that_leaves_nothing_out_finds_the_same_endings() -> None:
    """The key above merges no two states that end differently."""
    rules, inputs = (
        rules_of("CC CX", max_turns=4),
        answers(said({**SMALL, "turn": [A, CHECK]})),
    )
    whole, merged = (explore(start(rules), step, inputs, key=key) for key in (None, future))
    assert whole.endings == merged.endings
    assert whole.states >= merged.states
    assert whole.is_sound
    assert merged.is_sound
