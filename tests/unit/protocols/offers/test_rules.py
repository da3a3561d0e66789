"""The rules as values: order, stall, what is recorded."""

from __future__ import annotations

from itertools import permutations

from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import problem_of
from comity.protocols.offers.opening import offers_rules, rules_from_json
from comity.protocols.offers.rules import LARGEST_LISTED
from comity.testing.bargains import sample_offers, sample_problem


def test_m2_the_order_is_drawn_from_the_recorded_seed_behind_the_first() -> None:
    drawn = {sample_offers(3, first="cyd", seed=str(seed)).order for seed in range(40)}
    assert drawn == {("cyd", "ann", "bob"), ("cyd", "bob", "ann")}
    drawn = {sample_offers(3, first=None, seed=str(seed)).order for seed in range(80)}
    assert drawn == set(permutations(("ann", "bob", "cyd")))


def test_b7_stall_is_twice_the_seats_unless_it_is_set() -> None:
    assert sample_offers(3).stall == 6
    assert sample_offers(3, stall=2).stall == 2


def test_g9_the_defaults_are_limits_too() -> None:
    """Complaint 14: every limit in the documents is in the code."""
    limits = sample_offers().limits
    assert (limits.rounds, limits.deadline_ms, limits.turn_timeout_ms) == (20, 86_400_000, 600_000)
    assert (limits.reasks, limits.stall) == (2, None)


def test_the_digest_covers_the_problem_and_every_setting() -> None:
    digests = {
        sample_offers(seats, **settings).digest
        for seats, settings in (
            (2, {}),
            (3, {}),
            (2, {"rounds": 5}),
            (2, {"seed": "2"}),
            (2, {"monotonic": True}),
            (2, {"reservation_binds": {"ann": False}}),
            (2, {"work": "read this"}),
            (2, {"strategies": {"ann": "linear"}}),
        )
    }
    assert len(digests) == 8
    rules = sample_offers(2, strategies={"ann": "linear"}, first=None)
    assert rules_from_json(rules.to_json()).digest == rules.digest


def test_own_values_are_one_seats_alone() -> None:
    rules = sample_offers()
    assert rules.own("ann") == rules.recorded["parties"]["ann"]  # type: ignore[index,call-overload]
    assert rules.own("ann") != rules.own("bob")


def test_large_domains_are_not_listed_and_small_ones_once() -> None:
    rules = sample_offers()
    assert rules.view("ann") is rules.view("ann")
    options = [str(number) for number in range(LARGEST_LISTED + 1)]
    domain = domain_of({"n": options})
    problem = problem_of(domain, {"ann": additive(domain, {}), "bob": additive(domain, {})})
    assert offers_rules("q", problem, seed="1").view("ann") is None
    assert sample_problem(3).names == ("ann", "bob", "cyd")
