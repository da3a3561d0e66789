"""agents/outlook.py: the deals one party can hope for, against brute force over whole domains."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.agents import outlook as module
from comity.agents.outlook import Outlook, others_like, worthless_part
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import Additive, additive
from comity.protocols.consent.red_lines import Clause, Predicate, crossed

# --- parties and what they know, drawn -------------------------------------------------------

EXACT = st.integers(0, 6) | st.fractions(-9, 9, max_denominator=4)


@st.composite
def parties(draw: st.DrawFn) -> Additive:
    """A party with a value for every option of a small domain, and mostly a limit.

    The limit is the value of a deal: the cases at the very edge are the ones to get wrong.
    """
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    domain = domain_of(
        {f"t{at}": [f"o{number}" for number in range(size)] for at, size in enumerate(sizes)}
    )
    values = {term.name: {option: draw(EXACT) for option in term.names} for term in domain.terms}
    whole = additive(domain, values)
    limits = sorted({whole.of(deal) for deal in deals(domain)})
    limit = draw(st.sampled_from([None, *limits, *limits, limits[-1] + 1]))
    return additive(domain, values, reservation=limit)


def picked(draw: st.DrawFn, domain: Domain) -> tuple[str, tuple[str, ...]]:
    term = draw(st.sampled_from(domain.terms))
    options = draw(st.sets(st.sampled_from(term.names), min_size=1))
    return term.name, tuple(sorted(options))


@st.composite
def known(draw: st.DrawFn) -> tuple[Additive, tuple[Predicate, ...], tuple[Clause, ...]]:
    """A party with red lines and clauses over its domain."""
    party = draw(parties())
    lines = tuple(
        Predicate(term, "in", None, options)
        for term, options in (picked(draw, party.domain) for _ in range(draw(st.integers(0, 2))))
    )
    clauses = tuple(
        Clause(tuple(sorted(dict(picked(draw, party.domain) for _ in range(2)).items())))
        for _ in range(draw(st.integers(0, 3)))
    )
    return party, lines, clauses


def deals(domain: Domain) -> list[dict[str, str]]:
    return [
        dict(zip(domain.names, options, strict=True))
        for options in product(*(term.names for term in domain.terms))
    ]


def acceptable(party: Additive, lines: tuple[Predicate, ...]) -> list[dict[str, str]]:
    return [
        deal
        for deal in deals(party.domain)
        if party.accepts(deal) and not any(crossed(line, party.domain, deal) for line in lines)
    ]


def as_set(found: list[dict[str, str]]) -> set[tuple[tuple[str, str], ...]]:
    return {tuple(deal.items()) for deal in found}


# --- the deals it can hope for ---------------------------------------------------------------


@given(known())
def test_own_deals_are_all_that_keep_the_own_limits_best_first(given_: Any) -> None:
    party, lines, _ = given_
    outlook = Outlook(party, lines)
    found = [outlook.deal(pick) for pick in outlook.own()]
    assert as_set(found) == as_set(acceptable(party, lines))
    assert len(found) == len(as_set(found))
    values = [party.of(deal) for deal in found]
    assert values == sorted(values, reverse=True)
    assert outlook.is_complete


@given(parties())
def test_worth_is_the_value_in_one_fixed_unit(party: Additive) -> None:
    outlook = Outlook(party, ())
    picks = [outlook.pick(deal) for deal in deals(party.domain)]
    units = {
        Fraction(outlook.worth(pick)) / party.of(deal)
        for pick, deal in zip(picks, deals(party.domain), strict=True)
        if party.of(deal)
    }
    assert len(units) <= 1
    assert [outlook.deal(pick) for pick in picks] == deals(party.domain)


@given(known(), st.data())
def test_what_is_left_avoids_every_stated_red_line_and_every_clause(
    given_: Any, data: st.DataObject
) -> None:
    party, own_lines, clauses = given_
    outlook = Outlook(party, own_lines)
    term = data.draw(st.sampled_from(party.domain.terms))
    lines = (Predicate(term.name, "in", None, term.names[:1]),)
    found = [outlook.deal(pick) for pick in outlook.left(lines, clauses)]
    expected = [
        deal
        for deal in acceptable(party, (*own_lines, *lines))
        if not any(clause.forbids(deal) for clause in clauses)
    ]
    assert as_set(found) == as_set(expected)


@given(known())
def test_what_was_learned_before_leaves_no_trace(given_: Any) -> None:
    """No stale cache: asked about other knowledge in between, it says what a new one says."""
    party, lines, clauses = given_
    used = Outlook(party, ())
    wanted = [(lines, clauses), ((), clauses), (lines, ()), ((), ()), (lines, clauses)]
    said = [list(used.left(*one)) for one in wanted]
    assert said == [Outlook(party, ()).left(*one) for one in wanted]


def test_an_outlook_looks_at_a_bounded_number_of_deals_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "DEALS_AT_MOST", 5)
    domain = domain_of({"a": ["0", "1", "2"], "b": ["0", "1", "2"]})
    values = {name: {"0": 2, "1": 1} for name in domain.names}
    cut = Outlook(additive(domain, values), ())
    assert [cut.worth(pick) for pick in cut.own()] == [4, 3, 3, 2, 2]
    assert not cut.is_complete
    few = Outlook(additive(domain, values, reservation=3), ())
    assert [few.worth(pick) for pick in few.own()] == [4, 3, 3]
    assert few.is_complete


# --- what makes a deal worthless -------------------------------------------------------------


@given(parties())
def test_the_worthless_part_of_a_deal_is_in_no_acceptable_deal(party: Additive) -> None:
    for deal in deals(party.domain):
        part = worthless_part(party, deal)
        if party.accepts(deal):
            assert part is None
            continue
        assert part is not None
        assert part.forbids(deal)
        assert not any(part.forbids(other) for other in acceptable(party, ()))


@given(parties())
def test_the_worthless_part_names_as_few_terms_as_any_could(party: Additive) -> None:
    if party.reservation is None or party.best < party.reservation:
        return
    for deal in deals(party.domain):
        part = worthless_part(party, deal)
        if part is None:
            continue
        least = next(
            count
            for count in range(1, len(deal) + 1)
            if any(hopeless(party, deal, names) for names in combinations(deal, count))
        )
        assert len(part.parts) == least


def hopeless(party: Additive, deal: Mapping[str, str], names: tuple[str, ...]) -> bool:
    """Tell whether no deal with these options is acceptable, by trying all."""
    return not any(
        party.accepts(other)
        for other in deals(party.domain)
        if all(other[name] == deal[name] for name in names)
    )


@given(parties())
def test_no_option_could_join_the_worthless_part(party: Additive) -> None:
    for deal in deals(party.domain):
        part = worthless_part(party, deal)
        for term, options in part.parts if part else ():
            for option in set(party.domain.term(term).names) - set(options):
                wider = dict(part.parts if part else ()) | {term: (*options, option)}
                clause = Clause(tuple(wider.items()))
                assert any(clause.forbids(other) for other in acceptable(party, ()))


def test_a_party_that_no_deal_satisfies_refuses_everything() -> None:
    domain = domain_of({"a": ["x", "y"], "b": ["u", "v"]})
    party = additive(domain, {"a": {"x": 1}}, reservation=5)
    part = worthless_part(party, {"a": "x", "b": "u"})
    assert part is not None
    assert all(part.forbids(deal) for deal in deals(domain))


# --- what others seem to want ----------------------------------------------------------------

LIKED = domain_of({"a": ["x", "y"], "b": ["u", "v"]})


def message(party: str, **more: object) -> dict[str, object]:
    return {"party": party, "kind": "propose", "text": "...", **more}


def test_what_a_seat_wants_weighs_more_than_what_it_offers_and_the_first_time_most() -> None:
    found = others_like(
        [
            message("CX", want=["a = x"], offer=["b = u"]),
            message("CX", want=["a = y"], offer=["b = u"]),
        ],
        "CC",
        LIKED,
    )["CX"]
    assert found["a", "x"] > found["a", "y"] > 0
    assert found["a", "x"] > found["b", "u"] > 0
    assert set(found) == {("a", "x"), ("a", "y"), ("b", "u")}
    assert all(0 <= weight <= 1 for weight in found.values())


def test_the_own_words_and_what_is_no_proposal_say_nothing_about_others() -> None:
    transcript = [
        message("CC", want=["a = x"]),
        message("GM"),
        message("CX", want=["c = x", "fine words"], offer="a = x"),
    ]
    assert others_like(transcript, "CC", LIKED) == {"CX": {}}
