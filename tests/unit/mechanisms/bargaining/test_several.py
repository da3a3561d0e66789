"""Several: are whole negotiations between strategies read, played and recorded as stated?

Here: options and their faults, the order of speaking, the defects of the anchors.
Not here: single turns (test_playing.py), results (test_issue_ending.py), quality (tests/oracles).
Sources: SEMANTICS M2, M3, M5, M7, G3, G4, G7; defects N8 to N13; complaints 1, 16, 20 and 29.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.core.ties import lot
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.issue_results import IssueAgreement, IssueNoDeal
from comity.mechanisms.bargaining.mediator import mediate
from comity.mechanisms.bargaining.outcomes import outcomes_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Problem, problem_of
from comity.mechanisms.bargaining.several import negotiate_issues
from comity.mechanisms.bargaining.strategies import STRATEGIES, read_strategy

PRICES = domain_of({"price": list(range(101))})


def prices(seller: int = 20, buyer: int = 80, *others: int) -> Problem:
    sells = {"price": {str(one): one for one in range(101)}}
    buys = {"price": {str(one): 100 - one for one in range(101)}}
    wants = {
        "seller": additive(PRICES, sells, reservation=seller),
        "buyer": additive(PRICES, buys, reservation=100 - buyer),
    }
    for at, most in enumerate(others):
        wants[f"buyer{at}"] = additive(PRICES, buys, reservation=100 - most)
    return problem_of(PRICES, wants)


def price(found: Any) -> int:
    assert isinstance(found, IssueAgreement), found.says
    return int(found.deal["price"])


def offers_of(found: Any, name: str) -> list[int]:
    return [int(dict(one.deal)["price"]) for one in found.offers if one.party == name]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rounds": None}, "rounds: are None"),  # N8
        ({"rounds": -1}, "rounds: are -1"),  # N11
        ({"rounds": True}, "rounds: are True"),
        ({"rounds": 5.0}, "rounds: are 5.0"),
        ({"rounds": "5"}, "rounds: are '5'"),
        ({"rounds": 10**6 + 1}, "0 to 1,000,000"),
        ({"stall": 0}, "stall: is 0"),
        ({"stall": True}, "stall: is True"),
        ({"protocol": "alternate"}, "did you mean 'alternating'"),
        ({"protocol": None}, "alternating or simultaneous or mediated"),
        ({"fallback": "best"}, "none or best_of_seen"),
        ({"first": "sellr"}, "parties: buyer, seller"),
        ({"seed": 7}, "write '7'"),
        ({"trace": 1}, "True or False"),
        ({"round": 5}, "did you mean 'rounds'"),
    ],
)
def test_g7_options_that_mean_nothing_are_refused(options: Any, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        negotiate_issues(prices(), ["linear", "linear"], **options)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("strategies", "says"),
    [
        ({"seller": "linear"}, "leave out buyer"),
        ({"seller": "linear", "buyer": "linear", "byer": "micro"}, "did you mean 'buyer'"),
        (["linear"], "a list of 2"),
        ("linear", "a list of 2"),
        ({"seller": "linear", "buyer": "liner"}, "buyer: strategy 'liner'"),
        (["linear", 3], "seller: strategy is 3"),
    ],
)
def test_g7_strategies_that_fit_no_party_are_refused(strategies: Any, says: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        negotiate_issues(prices(), strategies)
    assert says in str(caught.value)


def test_g7_all_faults_come_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        negotiate_issues(prices(), ["micr", "hardliner:2"], rounds=-1, seed=4)  # type: ignore[arg-type]  # that is the fault
    assert len(caught.value.faults) == 4


def test_n9_no_rounds_are_no_deal_and_nobody_speaks() -> None:
    found = negotiate_issues(prices(), ["linear", "linear"], rounds=0)
    assert isinstance(found, IssueNoDeal)
    assert (found.reason, found.rounds, len(found.offers)) == ("round_limit", 0, 0)
    assert result_from_json(json.loads(json.dumps(found.to_json()))) == found


@pytest.mark.parametrize("first", ["seller", "buyer"])
@pytest.mark.parametrize("protocol", ["alternating", "simultaneous"])
@pytest.mark.parametrize(("seller", "buyer"), [(20, 80), (50, 50), (0, 100)])
def test_n10_one_round_is_enough_where_a_zone_exists(
    first: str, protocol: Any, seller: int, buyer: int
) -> None:
    found = negotiate_issues(
        prices(seller, buyer), ["linear", "boulware"], rounds=1, first=first, protocol=protocol
    )
    assert seller <= price(found) <= buyer


@pytest.mark.parametrize("name", ["linear", "boulware", "conceder"])
def test_n12_the_first_offer_is_the_own_best_and_the_last_the_reservation(name: str) -> None:
    found = negotiate_issues(prices(70, 30), [name, name], rounds=6)
    assert isinstance(found, IssueNoDeal), "the zone is empty"
    assert (offers_of(found, "seller")[0], offers_of(found, "seller")[-1]) == (100, 70)
    assert (offers_of(found, "buyer")[0], offers_of(found, "buyer")[-1]) == (0, 30)
    assert "overlap" not in found.says


def test_n13_a_reservation_below_the_worst_deal_moves_no_gain() -> None:
    domain = domain_of({"deal": ["a", "b", "c"]})
    one = additive(domain, {"deal": {"a": 1, "b": "0.16", "c": "0.299"}}, reservation=0)
    two = additive(domain, {"deal": {"a": "0.16", "b": 1, "c": "0.299"}}, reservation=0)
    found = negotiate_issues(problem_of(domain, {"x": one, "y": two}), ["linear", "linear"])
    assert isinstance(found, IssueAgreement)
    assert [item.value for item in found.gains] == [item.value for item in found.utilities]


def test_complaint_1_the_limit_of_rounds_holds_for_parties_that_never_agree() -> None:
    found = negotiate_issues(prices(70, 30), ["linear", "linear"], rounds=20)
    assert isinstance(found, IssueNoDeal)
    assert max(one.round for one in found.offers) == 19
    assert len(found.offers) == 40


def test_complaint_16_the_best_of_seen_is_taken_when_the_rounds_are_over() -> None:
    problem = prices(0, 100)
    strategies = ["hardliner", "micro"]
    assert not negotiate_issues(problem, strategies, rounds=9).is_decided
    found = negotiate_issues(problem, strategies, rounds=9, fallback="best_of_seen")
    assert isinstance(found, IssueAgreement)
    assert found.how == "best_of_seen"
    none = negotiate_issues(prices(70, 30), strategies, rounds=9, fallback="best_of_seen")
    assert isinstance(none, IssueNoDeal)


def test_complaint_20_no_deal_lies_beyond_a_reservation() -> None:
    for own in STRATEGIES:
        for other in STRATEGIES:
            found = negotiate_issues(prices(40, 60), [own, other], rounds=30)
            if isinstance(found, IssueAgreement):
                assert 40 <= price(found) <= 60


@pytest.mark.parametrize("protocol", ["alternating", "simultaneous"])
def test_complaint_29_a_party_that_accepts_nothing_ends_it_in_the_first_round(
    protocol: Any,
) -> None:
    found = negotiate_issues(prices(101, 80), ["linear", "linear"], protocol=protocol)
    assert isinstance(found, IssueNoDeal)
    assert (found.reason, found.rounds) == ("exhausted", 1)
    assert "seller accepts none of the deals" in found.says


def test_b7_hard_liners_stall_at_once_and_not_after_a_million_rounds() -> None:
    found = negotiate_issues(prices(), ["hardliner", "hardliner"], rounds=10**6)
    assert isinstance(found, IssueNoDeal)
    assert (found.reason, found.guard, found.rounds) == ("stall", "stall", 2)
    longer = negotiate_issues(prices(), ["hardliner", "hardliner"], rounds=10**6, stall=7)
    assert isinstance(longer, IssueNoDeal)
    assert (longer.rounds, longer.rounds_without_movement) == (8, 7)
    assert dict(longer.grounds.parameters)["stall"] == 7


def test_b7_micro_parties_without_a_zone_exhaust_their_offers() -> None:
    found = negotiate_issues(prices(70, 30), ["micro", "micro"], rounds=10**6)
    assert isinstance(found, IssueNoDeal)
    assert (found.reason, found.rounds) == ("exhausted", 62)


def test_g4_the_opener_is_drawn_and_recorded_or_stated() -> None:
    openers = set()
    for seed in map(str, range(20)):
        found = negotiate_issues(prices(), ["linear", "linear"], seed=seed)
        assert found.grounds.ties == (lot(seed, "opener", ["buyer", "seller"]),)
        order = dict(found.grounds.parameters)["order"]
        assert order[0] == found.offers[0].party == found.grounds.ties[0].chosen  # type: ignore[index]  # a list
        openers.add(found.offers[0].party)
    assert openers == {"buyer", "seller"}
    stated = negotiate_issues(prices(), ["linear", "linear"], first="seller")
    assert (stated.grounds.ties, stated.offers[0].party) == ((), "seller")


def test_three_parties_speak_in_a_drawn_order_and_all_must_accept() -> None:
    orders = set()
    for seed in map(str, range(40)):
        found = negotiate_issues(prices(20, 80, 60), ["linear"] * 3, seed=seed, first="seller")
        assert 20 <= price(found) <= 60
        last = next(one for one in found.offers if one.id == found.accepted_offer)
        assert len(last.accepted_by) == 2
        orders.add(tuple(dict(found.grounds.parameters)["order"]))  # type: ignore[arg-type]  # a list
    assert orders == {("seller", "buyer", "buyer0"), ("seller", "buyer0", "buyer")}
    assert " and " in found.says


def test_m5_a_mediator_needs_no_strategies() -> None:
    found = negotiate_issues(prices(), {}, protocol="mediated", seed="3")
    assert found == mediate(prices(), seed="3")
    assert negotiate_issues(outcomes_of(prices()), ["micro", "linear"], protocol="mediated",
                            seed="3") == found  # fmt: skip
    with pytest.raises(InvalidInput):
        negotiate_issues(prices(), ["micro"], protocol="mediated")


def test_tables_made_once_give_the_same_results() -> None:
    outcomes = outcomes_of(prices())
    for own, other in (("boulware", "linear"), ("comity", "micro")):
        plays: dict[str, Any] = {"seller": own, "buyer": read_strategy(other)}
        once = negotiate_issues(outcomes, plays, seed="1")
        assert once == negotiate_issues(prices(), plays, seed="1")
        bare = negotiate_issues(outcomes, plays, seed="1", trace=False)
        assert (bare.says, len(bare.offers), bare.grounds) == (once.says, 0, once.grounds)
