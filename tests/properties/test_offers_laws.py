"""Laws of live bargaining: what holds whoever bargains, in whatever order, and whoever is silent.

Here: drawn problems and sessions (sense, nonsense, forgery, silence, time, restarts) and what must
hold after every input and at the end.
Not here: single rules (tests/unit/protocols/offers), whole stories (tests/scenarios/offers).
Sources: SEMANTICS M2, B5, B7, B9, C3, G1, G3, G9, K2; ARCHITECTURE contracts 1-4.
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from comity.core.canonical import canonical
from comity.core.results import result_from_json
from comity.core.step import Input, Step
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.protocols.collect.rules import Gate
from comity.protocols.offers.machine import start, step
from comity.protocols.offers.opening import offers_rules, rules_from_json
from comity.protocols.offers.rules import OffersRules
from comity.protocols.offers.state import OffersState
from comity.session.record import input_body, input_from

SEATS = ("ann", "bob", "cyd", "dan")
NONSENSE = [
    "",
    "hm",
    "OFFER: a = 0",
    "OFFER: z = 0; a = 1; b = 1",
    "ACCEPT: nothing-7",
    "ACCEPT: ann-0\nACCEPT: bob-0",
    "[bob] ACCEPT: ann-0",
    "> LEAVE: quoted",
    '{"accept": 7}',
    "ACCEPT",
]
ISSUES = ("a", "b")
BEGIN = 7_000_000


@st.composite
def problems(draw: st.DrawFn, *, sentinels: bool = False) -> Problem:
    """Draw two to four seats over two issues; values are unlike any other number on request."""
    domain = domain_of({name: ["x", "y", "z"][: draw(st.integers(2, 3))] for name in ISSUES})
    seats = SEATS[: draw(st.integers(2, 4))]
    wants = {}
    for at, name in enumerate(seats):
        base = BEGIN * (at + 1) + 13 if sentinels else 0
        values: Any = {
            term.name: {one: base + draw(st.integers(0, 5)) for one in term.names}
            for term in domain.terms
        }
        limit = 2 * base + draw(st.integers(0, 6)) if draw(st.booleans()) else None
        wants[name] = additive(domain, values, reservation=limit, whose=name)
    return problem_of(domain, wants)


@st.composite
def all_rules(draw: st.DrawFn, *, sentinels: bool = False) -> OffersRules:
    problem = draw(problems(sentinels=sentinels))
    names = list(problem.names)
    gate = st.sampled_from([Gate(on="none"), Gate(on="thin"), Gate(on="all", default="no deal")])
    return offers_rules(
        "Which?",
        problem,
        seed=str(draw(st.integers(0, 9))),
        protocol=draw(st.sampled_from(["alternating", "simultaneous"])),
        first=draw(st.sampled_from([None, *names])),
        rounds=draw(st.integers(1, 5)),
        deadline_ms=draw(st.sampled_from([10_000, 10**9])),
        turn_timeout_ms=draw(st.sampled_from([None, 3_000])),
        reasks=draw(st.integers(0, 2)),
        stall=draw(st.sampled_from([None, 3, 50])),
        monotonic=draw(st.booleans()),
        reservation_binds={} if sentinels else {names[0]: draw(st.booleans())},
        fallback=draw(st.sampled_from(["none", "best_of_seen"])),
        crossing=draw(st.sampled_from(["lot", "nash"])),
        disclose_at_end=False if sentinels else draw(st.sampled_from([None, True])),
        gate=Gate(on="none") if sentinels else draw(gate),
    )


def lived(draw: st.DrawFn, rules: OffersRules) -> tuple[list[Input], list[Step[OffersState]]]:
    """Draw what happens until it has ended."""
    steps = [start(rules)]
    inputs: list[Input] = []
    now_ms = 0
    while steps[-1].outcome is None:
        last = steps[-1]
        now_ms += draw(st.sampled_from([0, 10, 900]))
        happened = drawn_input(draw, rules, last, now_ms)
        if len(inputs) > 80:
            happened = Input(kind="timer", now_ms=max(now_ms, last.wake_at_ms or 0))
        now_ms = max(now_ms, happened.now_ms)
        inputs.append(happened)
        steps.append(step(last.state, happened))
        assert len(inputs) < 400, "it ends"
    return inputs, steps


def drawn_input(
    draw: st.DrawFn, rules: OffersRules, last: Step[OffersState], now_ms: int
) -> Input:
    what = draw(st.sampled_from(["reply"] * 9 + ["message", "failure", "resumed", "time"]))
    if what == "time":
        at = draw(st.sampled_from([0, last.wake_at_ms or 0]))
        return Input(kind="timer", now_ms=max(now_ms, at))
    if what == "resumed":
        return Input(kind="resumed", now_ms=now_ms)
    said = words(draw, rules, last)
    if what == "message" or not last.asks:
        party = draw(st.sampled_from([*rules.ids, rules.gate.seat, "zoe"]))
        return Input(kind="message", now_ms=now_ms, party=party, body={"text": said})
    asked = draw(st.sampled_from(last.asks))
    kind: Any = what
    body = {"reason": draw(st.sampled_from(["crashed", "timeout", "crashed", "left"]))}
    return Input(
        kind=kind,
        now_ms=now_ms,
        party=asked.party,
        ask_id=asked.id,
        body={"text": said} if what == "reply" else body,
    )


def words(draw: st.DrawFn, rules: OffersRules, last: Step[OffersState]) -> str:
    if last.state.phase == "person":
        return draw(st.sampled_from(["DECIDE: accept", "DECIDE: no deal", "hm"]))
    how = draw(st.sampled_from(["offer"] * 4 + ["accept"] * 4 + ["nonsense", "other"]))
    if how == "nonsense":
        return draw(st.sampled_from(NONSENSE))
    if how == "other":
        return draw(
            st.sampled_from(["PASS", "SAY: well", "WITHDRAW: ann-0", "PASS", "LEAVE: enough"])
        )
    if how == "accept" and last.state.revealed:
        return f"ACCEPT: {draw(st.sampled_from([one.id for one in last.state.revealed]))}"
    chosen = [
        f"{term.name} = {draw(st.sampled_from(list(term.names)))}"
        for term in rules.problem.domain.terms
    ]
    return f"OFFER: {'; '.join(chosen)}"


class Lived(NamedTuple):
    """A whole session; told by what happened in it."""

    rules: OffersRules
    inputs: list[Input]
    steps: list[Step[OffersState]]

    def __repr__(self) -> str:
        """Return the settings and the inputs, which make the rest."""
        happened = [(one.kind, one.now_ms, one.party, one.ask_id, one.body) for one in self.inputs]
        return f"{self.rules.settings()} {dict(self.rules.recorded['parties'])} {happened}"  # type: ignore[arg-type]


@st.composite
def sessions(draw: st.DrawFn, *, sentinels: bool = False) -> Lived:
    rules = draw(all_rules(sentinels=sentinels))
    return Lived(rules, *lived(draw, rules))


@given(sessions())
def test_k2_the_record_leads_to_the_same_steps_at_every_prefix(lived: Lived) -> None:
    """Replay = live."""
    rules, inputs, steps = lived
    again = rules_from_json(json.loads(canonical(rules.to_json())))
    assert again == rules
    last = start(again)
    assert last == steps[0]
    for happened, was in zip(inputs, steps[1:], strict=True):
        last = step(last.state, input_from(json.loads(canonical(input_body(happened)))))
        assert last == was


@given(sessions())
def test_g1_the_outcome_survives_json_and_holds_every_seat(lived: Lived) -> None:
    rules, _, steps = lived
    outcome: Any = steps[-1].outcome
    assert result_from_json(json.loads(canonical(outcome.to_json()))) == outcome
    named = [one.party for one in outcome.grounds.submissions if one.party != rules.gate.seat]
    assert named == list(rules.ids)
    assert outcome.says
    if isinstance(outcome, IssueNoDeal):
        assert [one.party for one in outcome.final_offers] == list(rules.ids)
        assert outcome.unblock


@given(sessions())
def test_b5_nothing_settles_below_a_reservation_that_binds(lived: Lived) -> None:
    rules, _, steps = lived
    outcome: Any = steps[-1].outcome
    if isinstance(outcome, IssueAgreement):
        deal = {name: str(option) for name, option in outcome.terms}
        refused = set(rules.problem.refused_by(deal))
        assert refused <= set(rules.unbound)
        if outcome.how == "best_of_seen":
            assert not refused
        if refused and outcome.grounds.ended_by == "accepted":
            assert any("below_reservation" in one for one in outcome.grounds.thin)


@given(sessions())
def test_b9_an_agreement_is_one_offer_of_one_seat_that_all_others_accepted(lived: Lived) -> None:
    rules, _, steps = lived
    outcome: Any = steps[-1].outcome
    if isinstance(outcome, IssueAgreement):
        (made,) = [one for one in outcome.offers if one.id == outcome.accepted_offer]
        assert made.deal == outcome.terms
        if outcome.how == "accepted":
            assert {made.party, *made.accepted_by} == set(rules.ids)
            assert made.party not in made.accepted_by


@given(sessions())
def test_b9_ids_are_unique_offers_are_kept_and_a_refusal_changes_no_offer(lived: Lived) -> None:
    rules, _, steps = lived
    for before, after in pairwise(steps):
        ids = [one.id for one in after.state.offers]
        assert len(set(ids)) == len(ids)
        old = {(one.id, one.party, one.deal) for one in before.state.offers}
        assert old <= {(one.id, one.party, one.deal) for one in after.state.offers}
        if rules.protocol == "alternating":
            assert len(after.state.standing) <= 1
        for one in after.state.offers:
            assert one.party not in one.accepted_by
            assert len(set(one.accepted_by)) == len(one.accepted_by)
        if after.rejected and after.rejected[0].reason in {"late", "not_a_seat", "ended", "early"}:
            is_over = after.outcome is not None or after.state.phase == "person"
            assert after.state == before.state or is_over  # late ends it (G9)


@given(sessions())
def test_m2_who_acts_is_asked_once_and_only_seats_are(lived: Lived) -> None:
    rules, _, steps = lived
    for one in steps:
        asked = [ask.party for ask in one.asks]
        assert len(set(asked)) == len(asked)
        if one.state.phase == "turns":
            assert len(asked) == (one.outcome is None)
            assert set(asked) <= set(rules.ids)
        for ask in one.asks:
            assert (ask.deadline_ms or 0) <= max(one.state.closes_ms, one.state.person_until_ms)


@given(sessions())
def test_complaint_1_nobody_is_asked_beyond_the_rounds(lived: Lived) -> None:
    rules, _, steps = lived
    seen: dict[str, set[int]] = {name: set() for name in rules.ids}
    for one in steps:
        for ask in one.asks:
            if ask.kind in {"turn", "offer"} and ask.attempt == 1:
                seen[ask.party].add(int(str(ask.payload["round"])))
    assert all(rounds <= set(range(rules.limits.rounds)) for rounds in seen.values())


@given(sessions())
def test_b7_monotonic_concession_never_goes_back(lived: Lived) -> None:
    rules, _, steps = lived
    if not rules.monotonic:
        return
    for seat in rules.ids:
        wants = rules.problem.party(seat).preferences
        worths = [wants.of(dict(one.deal)) for one in steps[-1].state.offers if one.party == seat]
        assert worths == sorted(worths, reverse=True)


# --- what is private -------------------------------------------------------------------------


def numbers_of(rules: OffersRules, seat: str) -> set[str]:
    """Return every number that only this seat may be told: its values, sums, and its limit."""
    wants: Any = rules.problem.party(seat).preferences
    found = {str(value) for row in wants.values for _, value in row}
    found |= {str(wants.of(deal)) for deal in rules.problem.domain.deals()}
    return found | ({str(wants.reservation)} if wants.reservation is not None else set())


@given(sessions(sentinels=True))
def test_no_private_value_reaches_another_seat_the_notes_or_the_result(lived: Lived) -> None:
    """Every value of every seat is a number that stands nowhere else."""
    rules, _, steps = lived
    private = {seat: numbers_of(rules, seat) for seat in rules.ids}
    for one in steps:
        for ask in one.asks:
            text = canonical(ask.payload)
            for seat in rules.ids:
                if seat != ask.party:
                    assert not [number for number in private[seat] if number in text]
            assert any(number in text for number in private[ask.party])
        public = canonical([list(one.notes), list(one.state.transcript)])
        assert not [n for numbers in private.values() for n in numbers if n in public]
        for rejected in one.rejected:
            others = (private[seat] for seat in rules.ids if seat != rejected.party)
            assert not [n for numbers in others for n in numbers if n in rejected.hint]
    ended: Any = steps[-1].outcome
    result = canonical(ended.to_json())
    assert not [n for numbers in private.values() for n in numbers if n in result]


# --- it always ends --------------------------------------------------------------------------

STUBBORN = {
    "silent": None,
    "repeating": "OFFER: a = x; b = x",
    "forging": "ACCEPT: nobody-9\nI am all of you: LEAVE",
    "talking": "SAY: and another thing",
    "accepting its own": "ACCEPT: ann-0",
    "quoting": "> OFFER: a = x; b = x",
}


@given(all_rules(), st.lists(st.sampled_from(sorted(STUBBORN)), min_size=4, max_size=4))
def test_liveness_whatever_scripts_say_it_ends_in_time_and_says_who_holds_what(
    rules: OffersRules, scripts: list[str]
) -> None:
    rules = replace(rules, gate=Gate(on="none"))
    said = {name: STUBBORN[script] for name, script in zip(SEATS, scripts, strict=True)}
    last = start(rules)
    seats = len(rules.ids)
    most = (2 * seats * rules.limits.rounds + seats) * (rules.limits.reasks + 1)
    for _ in range(most):
        asked = last.asks[0]
        text = said[asked.party]
        kind: Any = "failure" if text is None else "reply"
        body = {"reason": "timeout"} if text is None else {"text": text}
        last = step(
            last.state,
            Input(kind=kind, now_ms=0, party=asked.party, ask_id=asked.id, body=body),
        )
        if last.outcome is not None:
            break
    outcome: Any = last.outcome
    assert outcome is not None
    assert outcome.grounds.ended_by
    told = {one.party: one.what for one in outcome.grounds.submissions}
    assert set(told) == set(rules.ids)
    if isinstance(outcome, IssueNoDeal):
        assert all(name in outcome.says for name in rules.ids)


@given(st.data())
def test_all_at_once_the_order_of_arrival_does_not_matter(data: st.DataObject) -> None:
    rules = replace(data.draw(all_rules()), protocol="simultaneous", gate=Gate(on="none"))
    rules = replace(rules, limits=replace(rules.limits, reasks=0, deadline_ms=10**9))
    chosen = {
        name: "OFFER: "
        + "; ".join(
            f"{term.name} = {data.draw(st.sampled_from(list(term.names)))}"
            for term in rules.problem.domain.terms
        )
        for name in rules.ids
    }
    takes = {name: data.draw(st.sampled_from(SEATS)) for name in rules.ids}
    states = []
    for order in (list(rules.ids), data.draw(st.permutations(list(rules.ids)))):
        last = start(rules)
        for number in range(2):
            kind = last.asks[0].kind if last.asks else ""
            for party in order:
                asked = next((one for one in last.asks if one.party == party), None)
                if asked is None or asked.kind != kind or last.outcome is not None:
                    continue
                text = chosen[party] if number == 0 else f"ACCEPT: {takes[party]}-0"
                last = step(
                    last.state,
                    Input(
                        kind="reply",
                        now_ms=0,
                        party=party,
                        ask_id=asked.id,
                        body={"text": text},
                    ),
                )
        states.append(last)
    one, other = states
    assert (one.outcome is None) == (other.outcome is None)
    if one.outcome is not None and other.outcome is not None:
        assert getattr(one.outcome, "terms", None) == getattr(other.outcome, "terms", None)
        assert one.outcome.grounds.ties == other.outcome.grounds.ties
    assert one.state.transcript[: len(rules.ids)] == other.state.transcript[: len(rules.ids)]
