"""Suggestions: legal, exact, from own values and public offers only, whatever the order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, problem_of
from comity.mechanisms.bargaining.valuations import tabled
from comity.protocols.offers.machine import start
from comity.protocols.offers.opening import offers_rules
from comity.protocols.offers.state import Offer, OffersState, new_state
from comity.protocols.offers.suggest import (
    is_legal,
    left_to_offer,
    retreats,
    suggestions,
)
from comity.testing.bargains import sample_offers

Open = Callable[..., Any]
ANNS, BOTH, BOBS = "OFFER: tls=1.3; days=30", "OFFER: tls=1.3; days=60", "OFFER: tls=1.2; days=60"


def said(state: OffersState, seat: str) -> dict[str, str]:
    """Return each suggestion as its deal -> why."""
    return {
        " ".join(option for _, option in one.deal): one.why for one in suggestions(state, seat)
    }


def big(options: int = 9, issues: int = 5, **settings: Any) -> OffersState:
    """Return a state over more deals than are listed, with one offer of bob's."""
    names = [f"i{number}" for number in range(issues)]
    domain = domain_of({name: list(range(options)) for name in names})
    up = {name: {str(n): n for n in range(options)} for name in names}
    down = {name: {str(n): options - n for n in range(options)} for name in names}
    wants = {
        "ann": additive(domain, up, reservation=settings.pop("limit", 10)),
        "bob": additive(domain, down, reservation=1),
    }
    rules = offers_rules("q", problem_of(domain, wants), seed="1", first="bob", **settings)
    return with_offer(new_state(rules), "bob", dict.fromkeys(names, "0"))


def with_offer(state: OffersState, party: str, deal: dict[str, str]) -> OffersState:
    number = len(state.offers)
    new = Offer(id=f"{party}-{number}", party=party, round=number, deal=tuple(deal.items()))
    return OffersState(rules=state.rules, phase="turns", offers=(*state.offers, new), round=number)


def test_first_it_is_the_best(table: Open) -> None:
    live = table()
    assert said(live.last.state, "ann") == {"1.3 30": "your best"}
    live.says("ann", ANNS)
    found = suggestions(live.last.state, "bob")
    assert [(int(one.worth), one.why) for one in found] == [
        (5, "your best"),
        (3, "ann-0 with days = 60"),
    ]


def test_a_step_towards_the_other_and_the_next_best_are_there(table: Open) -> None:
    live = table()
    live.turns(ANNS, BOBS)
    assert said(live.last.state, "ann") == {
        "1.3 30": "your best; you have offered it before",
        "1.3 60": "your best that you have not offered yet",
    }
    live.turns(BOTH, BOBS)
    assert said(live.last.state, "ann") == {
        "1.3 30": "your best; you have offered it before",
        "1.3 60": "bob-1 with tls = 1.3; you have offered it before",
        "1.2 30": "your best that you have not offered yet",
    }


def test_every_suggestion_is_legal_and_valued_exactly(table: Open) -> None:
    live = table(3, monotonic=True)
    live.turns(BOTH, BOBS, BOTH)
    for seat in live.rules.ids:
        for one in suggestions(live.last.state, seat):
            assert is_legal(live.last.state, seat, one.deal)
            assert one.worth == live.rules.problem.party(seat).preferences.of(dict(one.deal))


def test_b7_monotonic_concession_shuts_the_way_back(table: Open) -> None:
    live = table(monotonic=True)
    live.turns(BOTH, BOBS)
    anns = (("tls", "1.3"), ("days", "30"))
    assert retreats(live.last.state, "ann", anns)
    assert not is_legal(live.last.state, "ann", anns)
    assert anns not in [one.deal for one in suggestions(live.last.state, "ann")]
    assert not retreats(table().last.state, "ann", anns)


def test_what_is_left_to_offer_is_counted_where_it_can_be(table: Open) -> None:
    live = table()
    assert left_to_offer(live.last.state, "ann") == 3
    live.turns(ANNS)
    assert left_to_offer(live.last.state, "ann") == 2
    assert left_to_offer(big(), "ann") is None


def test_a_seat_that_accepts_nothing_gets_no_suggestion() -> None:
    domain = sample_offers().problem.domain
    wants = {"ann": additive(domain, {}, reservation=9), "bob": additive(domain, {})}
    rules = offers_rules("q", problem_of(domain, wants), seed="1", first="ann")
    assert suggestions(new_state(rules), "ann") == ()
    assert left_to_offer(new_state(rules), "ann") == 0


def test_large_domains_are_searched_issue_by_issue() -> None:
    state = big()
    found = suggestions(state, "ann")
    assert found[0].why == "your best"
    assert found[0].worth == 40
    (mended,) = [one for one in found if one.why.startswith("bob-0 with")]
    assert mended.worth == 16
    assert mended.why.count(" and ") == 1
    after = with_offer(state, "ann", dict(found[0].deal))
    (step,) = [one for one in suggestions(after, "ann") if one.why.startswith("your last")]
    assert step.worth == 32


def test_large_domains_in_which_nothing_helps_say_so() -> None:
    assert [one.why for one in suggestions(big(limit=100), "ann")] == []
    state = big(limit=41)
    assert suggestions(state, "ann") == ()


def test_values_by_a_table_are_searched_too() -> None:
    names = [str(n) for n in range(70)]
    domain = domain_of({"a": names, "b": names})
    values = [([a, b], int(a) * int(b)) for a in names for b in names]
    wants: Any = {"ann": tabled(domain, values, reservation=50), "bob": additive(domain, {})}
    rules = offers_rules("q", problem_of(domain, wants), seed="1", first="bob")
    state = with_offer(new_state(rules), "bob", {"a": "1", "b": "1"})
    (only,) = suggestions(state, "ann")
    assert only.worth == 69


def test_tables_with_too_many_options_get_none_rather_than_a_long_wait() -> None:
    names = [str(n) for n in range(300)]
    domain = domain_of({"a": names, "b": names[:200]})
    values = [([a, b], 1) for a in names for b in names[:200]]
    wants: Any = {"ann": tabled(domain, values), "bob": additive(domain, {})}
    rules = offers_rules("q", problem_of(domain, wants), seed="1", first="bob")
    state = with_offer(new_state(rules), "bob", {"a": "1", "b": "1"})
    assert suggestions(state, "ann") == ()


def test_g4_the_order_of_issues_and_options_changes_nothing() -> None:
    def found(issues: dict[str, list[str]]) -> set[frozenset[tuple[str, str]]]:
        domain = domain_of(issues)
        flat = additive(domain, {"a": {"x": 1, "y": 1}, "b": {"p": 1, "q": 1}})
        rules = offers_rules("q", problem_of(domain, {"ann": flat, "bob": flat}), seed="7")
        return {frozenset(one.deal) for one in suggestions(new_state(rules), "ann")}

    straight = found({"a": ["x", "y"], "b": ["p", "q"]})
    assert straight == found({"b": ["q", "p"], "a": ["y", "x"]})
    assert len(straight) == 1


def test_constraints_and_red_lines_are_never_suggested_across() -> None:
    plain = sample_offers().problem
    shut = constraints_of(plain.domain, [{"tls": "1.3", "days": "30"}])
    line = constraints_of(plain.domain, [{"tls": "1.3", "days": "60"}])
    parties = [Bargainer(one.name, one.preferences, line) for one in plain.parties]
    problem = problem_of(plain.domain, parties, constraints=shut)
    first = start(offers_rules("q", problem, seed="1", first="ann"))
    assert said(first.state, "ann") == {"1.2 30": "your best"}
