"""Comity: is our own strategy frank, efficient and on time, by the rules it states?

Here: its stages on small domains, with arrays and with lists.
Not here: its results on real domains (tests/oracles/test_issue_strategies.py).
Sources: SEMANTICS M3; decision 0007.
"""

from __future__ import annotations

from typing import Any

import pytest

from comity.mechanisms.bargaining import outcomes as outcomes_module
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.issue_results import IssueAgreement
from comity.mechanisms.bargaining.outcomes import Outcomes, OwnView, outcomes_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.strategies import Player, read_strategy

SIZES = {"a": 8, "b": 8, "c": 9}
LOSSES: dict[str, Any] = {
    "ann": {"a": (0, 3, 8, 13, 21, 24, 30, 40), "b": (9, 0, 4, 20, 2, 6, 12, 15), "c": range(9)},
    "bob": {
        "a": (20, 11, 9, 6, 5, 3, 1, 0),
        "b": (0, 3, 21, 9, 12, 4, 8, 1),
        "c": range(50, 5, -5),
    },
    "cy": {"a": (5, 4, 3, 2, 1, 0, 1, 2), "b": (4, 4, 4, 0, 4, 4, 4, 4), "c": (3,) * 8 + (0,)},
}


def made(*names: str, least: int = 0) -> Outcomes:
    domain = domain_of({term: list(range(size)) for term, size in SIZES.items()})
    wants = {}
    for name in names:
        table = {
            term: {str(at): 34 - loss for at, loss in enumerate(LOSSES[name][term])}
            for term in SIZES
        }
        wants[name] = additive(domain, table, reservation=least)
    return outcomes_of(problem_of(domain, wants))


def started(outcomes: Outcomes, name: str, rounds: int = 100) -> Player:
    names = outcomes.problem.names
    return read_strategy("comity").start(outcomes.view(name), rounds, names, "5")


def worth(view: OwnView, outcome: int | None) -> int:
    assert outcome is not None
    return int(view.utilities[outcome])


def is_efficient(outcomes: Outcomes, deal: Any) -> bool:
    problem = outcomes.problem
    own = problem.utilities(deal)
    for other in problem.domain.deals():
        theirs = problem.utilities(other)
        if theirs != own and all(b >= a for a, b in zip(own, theirs, strict=True)):
            return False
    return True


@pytest.mark.parametrize("seed", ["1", "2", "3"])
@pytest.mark.parametrize("first", ["ann", "bob"])
def test_m3_two_of_them_agree_efficiently(seed: str, first: str) -> None:
    outcomes = made("ann", "bob")
    deal = negotiate_issues(outcomes, ["comity"] * 2, first=first, seed=seed)
    assert isinstance(deal, IssueAgreement)
    assert deal.round < 99
    assert is_efficient(outcomes, deal.deal)


def test_three_of_them_agree() -> None:
    outcomes = made("ann", "bob", "cy")
    deal = negotiate_issues(outcomes, ["comity"] * 3, seed="1")
    assert isinstance(deal, IssueAgreement)


def test_arrays_and_lists_lead_to_the_same_negotiation(monkeypatch: pytest.MonkeyPatch) -> None:
    def play() -> list[Any]:
        return [
            negotiate_issues(made("ann", "bob", least=55), [own, other], seed="3").to_json()
            for own, other in (
                ("comity", "comity"),
                ("comity", "boulware"),
                ("micro", "comity"),
                ("nice_tit_for_tat", "comity"),
                ("nice_tit_for_tat", "nice_tit_for_tat"),
                ("boulware", "linear"),
            )
        ]

    with_arrays = play()
    monkeypatch.setattr(outcomes_module, "numpy_or_none", lambda: None)
    assert play() == with_arrays


def test_while_it_learns_it_shows_new_options_and_accepts_its_best_deal_only() -> None:
    outcomes = made("ann", "bob")
    view = outcomes.view("ann")
    player = started(outcomes, "ann")
    best = player.offer(0)
    assert best is not None
    assert worth(view, best) == view.best
    places = view.layout.places(best)
    second = next(one for at in range(1, 20) if (one := player.offer(at)) != best)
    assert second is not None
    changed = sum(a != b for a, b in zip(view.layout.places(second), places, strict=True))
    assert changed == 1
    assert not player.accepts(20, "bob", second), "it waits: nothing is lost by waiting yet"
    assert player.accepts(20, "bob", best)
    assert not player.is_waiting


def test_a_silent_other_is_not_given_more_than_a_fifth_before_the_end() -> None:
    outcomes = made("ann", "bob")
    view, player = outcomes.view("ann"), started(outcomes, "ann")
    hard = int(outcomes.view("bob").order[-1])
    for at in range(85):
        player.hears(at, "bob", hard)
        assert worth(view, player.offer(at)) >= view.best * 4 // 5 - 1
    assert not player.accepts(84, "bob", hard)
    for at in range(85, 99):
        player.hears(at, "bob", hard)
        player.offer(at)
    assert player.accepts(99, "bob", hard), "in the last round it takes what it can"
    assert player.offer(99) == hard, "or offers what it has been offered"


def test_every_offer_is_worth_its_target_and_never_below_the_reservation() -> None:
    outcomes = made("ann", "bob", least=60)
    for other in ("comity", "boulware", "hardliner", "micro", "conceder"):
        deal = negotiate_issues(outcomes, ["comity", other], seed="1")
        own = [one for one in deal.offers if one.party == "ann"]
        view = outcomes.view("ann")
        for one in own:
            assert view.is_rational(view.index(dict(one.deal)))
        learned = [view.of(view.index(dict(one.deal))) for one in own if one.round < 55]
        assert learned == sorted(learned, reverse=True)


@pytest.mark.parametrize("rounds", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("other", ["comity", "boulware", "linear", "conceder", "hardliner"])
def test_m3_it_is_on_time_however_few_the_rounds(rounds: int, other: str) -> None:
    outcomes = made("ann", "bob")
    for seats in (["comity", other], [other, "comity"]):
        deal = negotiate_issues(outcomes, seats, rounds=rounds, seed="1")
        assert isinstance(deal, IssueAgreement), (seats, rounds)


def test_deals_that_are_used_up_are_offered_again() -> None:
    domain = domain_of({"a": ["x", "y"]})
    both = problem_of(
        domain,
        {
            "ann": additive(domain, {"a": {"x": 10, "y": 1}}, reservation=5),
            "bob": additive(domain, {"a": {"y": 10}}, reservation=5),
        },
    )
    ended = negotiate_issues(both, ["comity", "comity"], rounds=30)
    assert {one.deal for one in ended.offers if one.party == "ann"} == {(("a", "x"),)}
    assert not isinstance(ended, IssueAgreement)


def test_others_that_concede_early_are_held_to_their_best_offer() -> None:
    outcomes = made("ann", "bob")
    view, player = outcomes.view("ann"), started(outcomes, "ann")
    good = int(view.order[-3])
    player.offer(0)
    for at in range(60):
        player.hears(at, "bob", good)
    assert worth(view, player.offer(60)) >= worth(view, good)
