"""M2, B5, B7, B9, contract 1: everything that can happen in small live bargaining, counted.

Two and three seats, four deals, a handful of moves each, silence and time: every state can still
finish, every end is one outcome that nothing changes any more, and an agreement is always one
offer that all others accepted and that nobody's reservation forbids. The counts are pinned: a
change of the rules shows here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.core.step import Ask, Input, Step
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal
from comity.protocols.collect.rules import Gate
from comity.protocols.offers.machine import start, step
from comity.protocols.offers.rules import OffersRules
from comity.protocols.offers.state import OffersState
from comity.testing.bargains import sample_offers
from comity.testing.explore import Explored, answers, explore

ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS = "OFFER: tls = 1.2; days = 60"
OWN = {"ann": (ANNS, BOTH), "bob": (BOBS, BOTH), "cyd": (BOTH,)}


def said(*more: str, offers: int = 2) -> Callable[[Ask], list[JsonObject]]:
    """Return the alphabet: own offers, accepting whatever stands, and some words."""

    def bodies(ask: Ask) -> list[JsonObject]:
        if ask.kind == "decide":
            return [{"text": "accept"}, {"text": "no deal"}, {"text": "hm"}]
        standing = ask.payload["standing"]
        assert isinstance(standing, tuple)
        accepts = [f"ACCEPT: {one['id']}" for one in standing]  # also its own
        texts = [*accepts, *(OWN[ask.party][:offers] if ask.kind != "answer" else ()), *more]
        return [{"text": text} for text in texts]

    return bodies


def also(
    bodies: Callable[[Ask], Sequence[JsonObject]], *, silence: bool, gone: bool
) -> Callable[[Step[Any]], Iterable[Input]]:
    replies = answers(bodies)

    def inputs(last: Step[OffersState]) -> Iterable[Input]:
        yield from replies(last)
        if silence:
            for one in last.asks:
                yield Input(kind="failure", now_ms=0, party=one.party, ask_id=one.id, body={})
            if last.wake_at_ms is not None:
                yield Input(kind="timer", now_ms=last.wake_at_ms)
        if gone and last.state.phase != "person":
            yield Input(kind="message", now_ms=0, party="bob", body={"text": "LEAVE: x"})

    return inputs


def future(state: OffersState) -> Hashable:
    """All that a state's future depends on, and all that is told at the end but the payloads."""
    return (
        (state.phase, state.round, state.at, state.asked),
        tuple([(one.id, one.party, one.attempt, one.deadline_ms) for one in state.asks]),
        (state.offers, state.idle, state.moved_in, state.loop, state.failed, state.closes_ms),
        tuple([tuple(sorted(one.items(), key=str)) for one in map(flat, state.transcript)]),
        tuple([tuple(sorted(one.items(), key=str)) for one in map(flat, state.held_back)]),
        (state.seen_ms, state.held is not None, state.why, state.notes, state.left_by),
    )


def flat(entry: Mapping[str, object]) -> dict[str, str]:
    return {key: str(item) for key, item in entry.items()}


def explored(rules: OffersRules, inputs: Callable[[Step[Any]], Iterable[Input]]) -> Explored:
    ends: list[Step[OffersState]] = []

    def watched(state: OffersState, happened: Input) -> Step[OffersState]:
        after = step(state, happened)
        if after.outcome is not None:
            ends.append(after)
        return after

    found = explore(start(rules), watched, inputs, key=future)
    for end in ends:
        check_end(rules, end)
    return found


def check_end(rules: OffersRules, end: Step[OffersState]) -> None:
    """B5, B9, G2: one outcome; an agreement has everybody's assent and nobody's veto."""
    outcome = end.outcome
    assert isinstance(outcome, (IssueAgreement, IssueNoDeal))
    assert not end.asks
    assert [one.party for one in outcome.grounds.submissions][: len(rules.ids)] == list(rules.ids)
    if isinstance(outcome, IssueNoDeal):
        assert outcome.unblock
        assert [one.party for one in outcome.final_offers] == list(rules.ids)
        return
    deal = {name: str(option) for name, option in outcome.terms}
    assert set(rules.problem.refused_by(deal)) <= set(rules.unbound)
    (made,) = [one for one in outcome.offers if one.id == outcome.accepted_offer]
    assert dict(made.deal) == deal
    assert made.party == outcome.offered_by
    assert made.party not in made.accepted_by
    if outcome.how == "accepted":
        assert {made.party, *made.accepted_by} == set(rules.ids)


CASES: dict[str, tuple[OffersRules, Any]] = {}


def case(name: str, rules: OffersRules, *words: str, offers: int = 2, **how: bool) -> None:
    how = {"silence": False, "gone": False, **how}
    CASES[name] = (rules, also(said(*words, offers=offers), **how))


case("two in turn", sample_offers(rounds=2, reasks=0), "PASS")
case("two in turn, three rounds", sample_offers(rounds=3, reasks=0), "PASS")
case("two in turn, one may go", sample_offers(rounds=1, reasks=1), "hm", gone=True)
case("two in two rounds, one may go", sample_offers(rounds=2, reasks=1), "hm", gone=True)
case("three in turn", sample_offers(3, rounds=2, reasks=0), "PASS", offers=1)
case("two who may be silent", sample_offers(rounds=2, turn_timeout_ms=10, reasks=0), silence=True)
case(
    "two at once",
    sample_offers(protocol="simultaneous", rounds=1, reasks=0),
    "PASS",
    silence=True,
)
case(
    "three at once, the best seen stands",
    sample_offers(3, protocol="simultaneous", rounds=1, reasks=0, fallback="best_of_seen"),
    offers=1,
)
case(
    "two and a person",
    sample_offers(rounds=1, reasks=0, reservation_binds={"bob": False}, gate=Gate(on="all")),
    "PASS",
    silence=True,
)

LARGER = ("two in turn, three rounds", "two in two rounds, one may go")

# case -> (states, transitions, endings)
PINNED: dict[str, tuple[int, int, dict[str, int]]] = {
    "two in turn": (
        323,
        322,
        {"agreement": 49, "no_deal: round_limit": 160, "no_deal: stall": 1},
    ),
    "two in turn, three rounds": (
        3825,
        3824,
        {"agreement": 577, "no_deal: round_limit": 1645, "no_deal: stall": 302},
    ),
    "two in turn, one may go": (
        121,
        152,
        {"agreement": 14, "no_deal: left": 32, "no_deal: round_limit": 31},
    ),
    "two in two rounds, one may go": (
        2031,
        2782,
        {"agreement": 224, "no_deal: left": 490, "no_deal: round_limit": 562, "no_deal: stall": 1},
    ),
    "three in turn": (
        1825,
        1824,
        {"agreement": 209, "no_deal: round_limit": 892, "no_deal: stall": 1},
    ),
    "two who may be silent": (
        883,
        882,
        {"agreement": 97, "no_deal: round_limit": 537, "no_deal: stall": 16},
    ),
    "two at once": (230, 244, {"agreement": 25, "no_deal: round_limit": 157}),
    "three at once, the best seen stands": (236, 240, {"agreement": 162}),
    "two and a person": (
        277,
        378,
        {"agreement": 8, "no_deal: objections": 1, "no_deal: round_limit": 150},
    ),
}


def check_walk(name: str) -> None:
    found = explored(*CASES[name])
    assert found.is_sound
    told = (found.states, found.transitions, dict(found.endings))
    assert told == PINNED[name], told


@pytest.mark.parametrize("name", [name for name in CASES if name not in LARGER])
def test_every_walk_ends_and_the_counts_are_those_pinned(name: str) -> None:
    check_walk(name)


@pytest.mark.full
@pytest.mark.parametrize("name", LARGER)
def test_every_longer_walk_ends_and_the_counts_are_those_pinned(name: str) -> None:
    check_walk(name)


def test_an_agreement_that_somebody_refuses_would_be_noticed() -> None:
    rules, _ = CASES["two in turn"]
    last = start(rules)
    for text in (BOTH, "ACCEPT: ann-0"):
        (asked,) = last.asks
        body = {"text": text}
        last = step(
            last.state,
            Input(kind="reply", now_ms=0, party=asked.party, ask_id=asked.id, body=body),
        )
    check_end(rules, last)
    assert isinstance(last.outcome, IssueAgreement)
    terms = (("tls", "1.3"), ("days", "30"))
    with pytest.raises(AssertionError):
        check_end(rules, replace(last, outcome=replace(last.outcome, terms=terms)))
    unasked = replace(last.outcome.offers[0], accepted_by=())
    with pytest.raises(AssertionError):
        check_end(rules, replace(last, outcome=replace(last.outcome, offers=(unasked,))))
