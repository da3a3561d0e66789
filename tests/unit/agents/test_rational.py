"""agents/rational.py: a seat that answers from its own values and the public words alone (C7).

Whole sessions are played over drawn domains on the real machine; what a seat replies is then
looked at question by question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.agents.base import Question, Reply
from comity.agents.rational import RationalAdvocate
from comity.core.canonical import JsonObject, canonical
from comity.core.step import Ask, Input
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.protocols.consent.grammar import read_message
from comity.protocols.consent.machine import start, step
from comity.protocols.consent.red_lines import crossed
from comity.protocols.consent.results import ConsentAgreement
from comity.protocols.consent.rules import ConsentLimits, ConsentRules, consent_rules
from comity.testing.agent_checks import sample_questions

SEATS = ("CC", "CX", "GM")
RARE = 982_451_653

Values = Mapping[str, Mapping[str, int]]


@st.composite
def games(draw: st.DrawFn) -> tuple[ConsentRules, dict[str, Additive]]:
    """Three seats with values, limits and perhaps a red line each, over a small domain."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=2, max_size=4))
    domain = domain_of(
        {f"t{at}": [f"o{number}" for number in range(size)] for at, size in enumerate(sizes)}
    )
    tables = {seat: draw(preferences(domain)) for seat in SEATS}
    seats = {}
    for seat in SEATS:
        term = draw(st.sampled_from(domain.terms))
        allowed = sorted(draw(st.sets(st.sampled_from(term.names), min_size=1)))
        lines = [f"{term.name} in {{{', '.join(allowed)}}}"] if draw(st.booleans()) else []
        seats[seat] = {"priority": f"the case of {seat}", "red_lines": lines}
    limits = ConsentLimits(max_turns=120)
    rules = consent_rules(
        "Which deal?",
        seats,
        seed=draw(st.text("0123456789", max_size=3)),
        domain=domain,
        limits=limits,
    )
    return rules, tables


@st.composite
def preferences(draw: st.DrawFn, domain: Domain) -> Additive:
    values = {
        term.name: {option: draw(st.integers(0, 30)) for option in term.names}
        for term in domain.terms
    }
    whole = additive(domain, values)
    share = draw(st.sampled_from([None, *(Fraction(n, 10) for n in range(11))]))
    limit = None if share is None else whole.worst + (whole.best - whole.worst) * share
    return additive(domain, values, reservation=limit)


def seated(rules: ConsentRules, tables: Mapping[str, Additive]) -> dict[str, RationalAdvocate]:
    return {
        seat.id: RationalAdvocate(seat.id, tables[seat.id], seat.predicates)
        for seat in rules.seats
    }


def played(
    rules: ConsentRules, tables: Mapping[str, Additive]
) -> tuple[list[tuple[Question, str]], Any]:
    """Play a session and return every question with its reply, and the last step."""
    agents = seated(rules, tables)
    asked: list[tuple[Question, str]] = []
    last = start(rules)
    while last.outcome is None:
        ask = last.asks[0]
        nth = sum(one.ask.party == ask.party for one, _ in asked)
        question = Question(ask=ask, request_id=f"s/{ask.id}", nth=nth)
        said = agents[ask.party].reply(question)
        assert isinstance(said, Reply)
        asked.append((question, said.text))
        body: JsonObject = {"text": said.text}
        happened = Input(kind="reply", now_ms=0, party=ask.party, ask_id=ask.id, body=body)
        last = step(last.state, happened)
    return asked, last


# --- privacy ---------------------------------------------------------------------------------


@given(games(), st.data())
def test_replacing_all_other_seats_scores_under_one_transcript_changes_no_reply(
    game: tuple[ConsentRules, dict[str, Additive]], data: st.DataObject
) -> None:
    rules, tables = game
    asked, _ = played(rules, tables)
    for seat in SEATS:
        assert rules.domain is not None
        others = {
            other: tables[seat] if other == seat else data.draw(preferences(rules.domain))
            for other in SEATS
        }
        agent = seated(rules, others)[seat]
        for question, text in asked:
            if question.ask.party == seat:
                assert agent.reply(question) == Reply(text=text)


@given(games())
def test_no_question_holds_anybodys_values(
    game: tuple[ConsentRules, dict[str, Additive]],
) -> None:
    """Every value, and so every sum of values, is a multiple of a number that stands nowhere."""
    rules, tables = game
    odd = {seat: scaled(table, RARE) for seat, table in tables.items()}
    asked, last = played(rules, odd)
    told = canonical([question.ask.payload for question, _ in asked])
    told += canonical([text for _, text in asked]) + canonical(last.outcome.to_json())
    numbers = re.findall(r"(?<![0-9a-f])[0-9]{9,}(?![0-9a-f])", told)
    assert [number for number in numbers if int(number) % RARE == 0] == []


def scaled(table: Additive, factor: int) -> Additive:
    values = {
        name: {option: value * factor for option, value in row.items()}
        for name, row in table.table().items()
    }
    limit = None if table.reservation is None else table.reservation * factor
    return additive(table.domain, values, reservation=limit)


# --- no memory -------------------------------------------------------------------------------


@given(games(), st.randoms(use_true_random=False))
def test_the_same_question_gets_the_same_reply_in_any_order_and_after_a_restart(
    game: tuple[ConsentRules, dict[str, Additive]], chance: Any
) -> None:
    rules, tables = game
    asked, _ = played(rules, tables)
    kept = seated(rules, tables)
    turned = list(asked)
    chance.shuffle(turned)
    for question, text in [*turned, *turned]:
        assert kept[question.ask.party].reply(question) == Reply(text=text)
        fresh = seated(rules, tables)[question.ask.party]
        assert fresh.reply(question) == Reply(text=text)


# --- what it says ----------------------------------------------------------------------------


@given(games())
def test_it_proposes_and_consents_only_to_what_it_accepts(
    game: tuple[ConsentRules, dict[str, Additive]],
) -> None:
    rules, tables = game
    asked, last = played(rules, tables)
    for question, text in asked:
        seat = question.ask.party
        reading = read_message(
            text, seat=seat, seats=SEATS, open_check=question.ask.kind == "answer"
        )
        payload: Any = question.ask.payload
        if reading.proposal is not None:
            lines = f"{reading.proposal.i_offer}\n{reading.proposal.i_want}".splitlines()
            deal = dict(line.strip("- ").split(" = ") for line in lines if " = " in line)
            assert is_fine(rules, tables, seat, deal)
        elif reading.calls_check or reading.answer == "CONSENT":
            assert is_fine(rules, tables, seat, payload["draft"]["settled"])
        elif reading.answer == "OBJECT":
            assert not is_fine(rules, tables, seat, payload["draft"]["settled"])
    if isinstance(last.outcome, ConsentAgreement):
        for seat in SEATS:
            assert is_fine(rules, tables, seat, dict(last.outcome.terms))


def is_fine(
    rules: ConsentRules, tables: Mapping[str, Additive], seat: str, deal: Mapping[str, str]
) -> bool:
    assert rules.domain is not None
    lines = rules.seat(seat).predicates
    return tables[seat].accepts(deal) and not any(
        crossed(one, rules.domain, deal) for one in lines
    )


@given(games())
def test_every_reply_is_read_as_what_was_asked_for(
    game: tuple[ConsentRules, dict[str, Additive]],
) -> None:
    asked, last = played(*game)
    refused = [flag for flag in last.outcome.record.flags if "no readable" in flag]
    assert refused == []
    assert {question.ask.attempt for question, _ in asked} <= {1}
    moves = dict.fromkeys(SEATS, 0)
    for question, text in asked:
        moved = text.startswith(("[PROPOSAL", "[COUNTER", "[CONSENT CHECK"))
        moves[question.ask.party] += moved
    assert max(moves.values()) <= 30


@given(games())
def test_where_no_deal_suits_all_none_is_made(
    game: tuple[ConsentRules, dict[str, Additive]],
) -> None:
    rules, tables = game
    assert rules.domain is not None
    deals = (
        dict(zip(rules.domain.names, options, strict=True))
        for options in product(*(term.names for term in rules.domain.terms))
    )
    possible = any(all(is_fine(rules, tables, seat, deal) for seat in SEATS) for deal in deals)
    _, last = played(rules, tables)
    if not possible:
        assert last.outcome.kind == "no_deal"


# --- single questions ------------------------------------------------------------------------

DOMAIN = domain_of({"plan": ["a", "b", "c"], "days": [1, 2, 3], "care": ["little", "much"]})


def advocate(values: Values, limit: int | None = None, seat: str = "CC") -> RationalAdvocate:
    return RationalAdvocate(seat, additive(DOMAIN, values, reservation=limit))


def question_of(kind: str, seat: str = "CC", **changes: Any) -> Question:
    found = next(one for one in sample_questions(seat) if one.ask.kind == kind)
    return replace(found, ask=replace(found.ask, payload={**found.ask.payload, **changes}))


def text_of(agent: RationalAdvocate, question: Question) -> str:
    said = agent.reply(question)
    assert isinstance(said, Reply)
    return said.text


def test_a_position_says_what_matters_and_what_may_go() -> None:
    agent = advocate({"plan": {"a": 9, "b": 2}, "days": {"1": 3}}, limit=5)
    assert text_of(agent, question_of("position")).splitlines() == [
        "[ADVOCATE - CC]",
        "PRIORITY: Speed",
        "RATIONALE: What matters most to me: plan, days",
        "RED LINE:",
        "- No package below my walk-away value",
        "WILLING TO TRADE: I can move on care, days",
    ]


def test_a_seat_that_values_nothing_can_live_with_all() -> None:
    said = text_of(advocate({}), question_of("position"))
    assert "RATIONALE: I can live with all" in said
    assert "RED LINE:\nnone" in said


def test_a_position_keeps_what_the_scenario_states() -> None:
    seats = [
        {
            "id": "CC",
            "priority": "Speed",
            "rationale": "users wait",
            "red_lines": ["days <= 2", "no night shifts"],
            "willing_to_trade": "care",
        }
    ]
    said = text_of(advocate({"plan": {"a": 1}}), question_of("position", seats=seats))
    assert "RATIONALE: users wait" in said
    assert "RED LINE:\n- days <= 2\n- no night shifts\nWILLING TO TRADE: care" in said


def draft(settled: Mapping[str, str], *words: str, version: int = 1) -> dict[str, object]:
    texts = [f"{term} = {option}" for term, option in settled.items()] + list(words)
    terms = [{"number": number, "text": text} for number, text in enumerate(texts, 1)]
    return {"version": version, "settled": dict(settled), "terms": terms}


BELOW = "below my walk-away value; I can accept no deal with this: "
WHOLE = {"plan": "b", "days": "2", "care": "much"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"draft": draft(WHOLE)}, "[CONSENT]"),
        ({"draft": draft(WHOLE), "judge": ["no night shifts"]}, "RED LINE: kept\n[CONSENT]"),
        (
            {"draft": draft(WHOLE, "and a cake")},
            "[OBJECT: term 4 is in words that I cannot value; write it as term = option]",
        ),
        ({"draft": draft({"plan": "b"})}, "[OBJECT: it leaves days, care open]"),
        (
            {"draft": draft({**WHOLE, "plan": "c"})},
            f"[OBJECT: {BELOW}not (plan in {{c}})]",
        ),
    ],
)
def test_an_answer_is_consent_or_says_what_is_in_the_way(
    changes: dict[str, Any], said: str
) -> None:
    agent = advocate({"plan": {"a": 5, "b": 4}, "care": {"much": 1}}, limit=2)
    assert text_of(agent, question_of("answer", **changes)) == said


def test_a_red_line_of_its_own_stands_above_any_value() -> None:
    line = question_rules_line("days <= 1")
    agent = replace(advocate({"plan": {"b": 9}}), red_lines=(line,))
    said = text_of(agent, question_of("answer", draft=draft(WHOLE)))
    assert said == "[OBJECT: it crosses my red line days <= 1]"


def question_rules_line(text: str) -> Any:
    rules = consent_rules(
        "q", {"CC": {"priority": "a", "red_lines": [text]}, "CX": "b"}, seed="1", domain=DOMAIN
    )
    return rules.seat("CC").predicates[0]


def test_after_thirty_moves_it_is_done() -> None:
    spoken = [
        {"turn": turn, "party": "CC", "kind": "propose", "text": "...", "version": turn}
        for turn in range(1, 31)
    ]
    question = question_of("turn", transcript=spoken, draft=draft({}), proposals=[])
    assert text_of(advocate({"plan": {"a": 1}}), question).startswith("[DONE]\nI have said")


def test_where_others_leave_no_deal_it_says_so_and_why() -> None:
    said_before = [{"party": "CX", "kind": "discuss", "text": "not (plan in {a, b, c})"}]
    question = question_of("turn", transcript=said_before, draft=draft({**WHOLE, "plan": "c"}))
    said = text_of(advocate({"plan": {"a": 1}}, limit=1), question)
    assert said.startswith(
        "[DONE]\nNo deal meets every red line stated so far together with mine."
    )
    assert "The draft: below my walk-away value" in said
    bare = text_of(
        advocate({"plan": {"a": 1}}, limit=1),
        question_of("turn", transcript=said_before, draft=draft({})),
    )
    assert bare.endswith("together with mine.")


def test_where_it_could_not_look_at_every_deal_it_does_not_claim_that_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("comity.agents.outlook.DEALS_AT_MOST", 1)
    spoken = [{"party": "CX", "kind": "discuss", "text": "not (plan in {a})"}]
    question = question_of("turn", transcript=spoken, draft=draft({}))
    said = text_of(advocate({"plan": {"a": 1}}), question)
    assert said == "[DONE]\nI find no deal that meets every red line stated so far."


def test_words_of_others_that_fit_no_term_teach_it_nothing() -> None:
    seats = [
        {"id": "CC", "red_lines": []},
        {"id": "CX", "red_lines": ["plan in {z}", "moon <= 5", "be nice", "days <= 1"]},
    ]
    spoken = [
        {"party": "CX", "kind": "discuss", "text": "not (plan in {z}) not (moon in {full})"},
        {"party": "CC", "kind": "discuss", "text": "not (plan in {a, b, c})"},
    ]
    question = question_of("turn", seats=seats, transcript=spoken, draft=draft({}), proposals=[])
    said = text_of(advocate({"days": {"3": 1}}), question)
    assert "days = 1" in said


def test_an_answer_to_a_proposal_names_it_and_an_own_one_is_not_countered() -> None:
    agent = advocate({"plan": {"a": 5}})
    other = question_of("turn", proposals=[{"id": "P7", "by": "GM"}], draft=draft({}))
    own = question_of("turn", proposals=[{"id": "P7", "by": "CC"}], draft=draft({}))
    assert text_of(agent, other).startswith("[COUNTER - CC to P7]")
    assert text_of(agent, own).startswith("[PROPOSAL - CC]")


def test_an_objection_to_the_draft_comes_with_the_proposal() -> None:
    agent = advocate({"plan": {"a": 5}}, limit=5)
    question = question_of("turn", draft=draft(WHOLE, version=3), draft_objected=True)
    assert "RATIONALE: version 3: below my walk-away value" in text_of(agent, question)


def test_what_it_gives_and_what_it_wants_are_told_apart() -> None:
    agent = advocate({"plan": {"a": 5}, "days": {"1": 2, "2": 2, "3": 2}}, limit=5)
    lines = text_of(agent, question_of("turn", draft=draft({}), proposals=[])).splitlines()
    want = lines[
        lines.index("I WANT:") + 1 : lines.index(
            "RATIONALE: this keeps every red line stated so far"
        )
    ]
    assert want == ["- plan = a"]


def test_an_advocate_that_has_everything_to_give_wants_nothing_further() -> None:
    said = text_of(advocate({}), question_of("turn", draft=draft({}), proposals=[]))
    assert "I WANT:\nnothing further" in said
    single = domain_of({"plan": ["a", "b"]})
    agent = RationalAdvocate("CC", additive(single, {"plan": {"a": 1}}, reservation=1))
    question = question_of(
        "turn", draft=draft({}), proposals=[], domain=single.to_json(), transcript=[]
    )
    assert "I OFFER:\nnothing further" in text_of(agent, question)


def test_a_draft_it_accepts_is_put_to_the_others_unless_somebody_objected() -> None:
    agent = advocate({"plan": {"b": 5}, "days": {"2": 1}, "care": {"much": 1}}, limit=7)
    best = question_of("turn", draft=draft(WHOLE), draft_objected=False, transcript=[])
    assert text_of(agent, best) == "[CONSENT CHECK - CC]"
    objected = question_of("turn", draft=draft(WHOLE), draft_objected=True, transcript=[])
    assert text_of(agent, objected).startswith("[DONE]\nEvery deal I could accept")
    late = question_of(
        "turn", draft=draft(WHOLE), draft_objected=False, transcript=[], turns_left=2
    )
    assert text_of(agent, late) == "[CONSENT CHECK - CC]"


def test_the_ask_of_a_turn_is_not_changed_by_answering() -> None:
    question = question_of("turn")
    before = canonical(question.ask.payload)
    text_of(advocate({"plan": {"a": 1}}), question)
    assert canonical(question.ask.payload) == before
    assert isinstance(question.ask, Ask)
