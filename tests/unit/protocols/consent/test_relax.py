"""Tests of the ways out of a conflict of red lines (C4, G2)."""

from __future__ import annotations

from itertools import product
from random import Random

from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.protocols.consent.feasibility import check_red_lines, keeps_all
from comity.protocols.consent.red_lines import Predicate
from comity.protocols.consent.relax import Relaxation, relaxations


def speed() -> Domain:
    return domain_of(
        {"tls": {"none": {"ms": 0}, "full": {"ms": 60}}, "retries": [0, 1, 2]},
        {"p99": "20 + tls.ms + 15 * retries"},
    )


def test_c4_names_how_far_a_bound_would_have_to_move() -> None:
    lines = [
        ("CX", Predicate("p99", "<=", 40)),
        ("GM", Predicate("tls", "in", None, ("full",))),
        ("CC", Predicate("retries", ">", 0)),
    ]
    ways = {one.party: str(one.instead) for one in relaxations(speed(), lines)}
    assert ways == {"CX": "p99 <= 95", "GM": "tls in {full, none}"}


def test_c4_names_the_options_that_would_do_and_both_sides_that_could_move() -> None:
    lines = [
        ("CX", Predicate("p99", "<", 80)),
        ("GM", Predicate("tls", "in", None, ("full",))),
    ]
    ways = {one.party: str(one.instead) for one in relaxations(speed(), lines)}
    assert ways == {"CX": "p99 <= 80", "GM": "tls in {full, none}"}


def test_c4_a_lower_bound_moves_down_and_an_equation_can_only_be_given_up() -> None:
    lines = [("CC", Predicate("p99", ">", 110)), ("GM", Predicate("p99", "==", 80))]
    found = relaxations(speed(), lines)
    assert [str(one) for one in found] == [
        "CC's p99 > 110 loosened to p99 >= 80 would do: all other red lines can be kept with it",
    ]


def test_c4_an_equation_in_the_way_can_be_given_up() -> None:
    lines = [("CC", Predicate("p99", ">=", 80)), ("GM", Predicate("p99", "==", 20))]
    ways = {one.party: str(one) for one in relaxations(speed(), lines)}
    assert ways["GM"] == "GM's p99 == 20 given up would do"


def test_nothing_is_named_when_two_red_lines_would_have_to_move() -> None:
    domain = domain_of({"a": ["x", "y"], "b": ["u", "v"]})
    lines = [
        ("P", Predicate("a", "in", None, ("x",))),
        ("Q", Predicate("a", "in", None, ("y",))),
        ("R", Predicate("b", "in", None, ("u",))),
        ("S", Predicate("b", "in", None, ("v",))),
    ]
    assert relaxations(domain, lines) == ()


def test_an_undecided_search_names_no_value() -> None:
    """Beyond the exact size the nearest value is not claimed when the search gives up."""
    names = {
        f"t{at}": {"a": {"n": 3 * at + 1}, "b": {"n": 3 * at + 2}, "c": {"n": 7 * at}}
        for at in range(30)
    }
    domain = domain_of(names, {"sum": " + ".join(f"t{at}.n" for at in range(30))})
    lines = [
        ("P", Predicate("sum", ">=", 1_000_000)),
        ("Q", Predicate("t0", "in", None, ("a",))),
    ]
    for one in relaxations(domain, lines):
        assert one.instead is None or one.party == "P"


def test_the_words_of_a_way_out() -> None:
    line = Predicate("ms", "<=", 40)
    assert str(Relaxation("CX", line, None)) == "CX's ms <= 40 given up would do"


def test_relaxations_agree_with_brute_force() -> None:
    """Every named bound is feasible with the others, and nothing nearer is."""
    random = Random(7)  # noqa: S311  # test data, the same each time
    seen = 0
    for _ in range(150):
        domain = domain_of(
            {
                name: {f"{name}{at}": {"n": random.randint(0, 9)} for at in range(3)}
                for name in "abc"
            },
            {"s": "a.n + b.n + c.n", "d": "a.n - b.n"},
        )
        lines = [
            (
                party,
                Predicate(
                    random.choice("sd"),
                    random.choice(("<=", "<", ">=", ">")),
                    random.randint(-5, 25),
                ),
            )
            for party in ("P", "Q", "R")
        ]
        if check_red_lines(domain, lines).verdict != "conflict":
            continue
        deals = [
            dict(zip("abc", chosen, strict=True))
            for chosen in product(*(term.names for term in domain.terms))
        ]
        for one in relaxations(domain, lines):
            rest = [line for line in set(lines) if line != (one.party, one.red_line)]
            possible = [deal for deal in deals if keeps_all(domain, rest, deal)]
            quantity = domain.quantity(one.red_line.subject)
            assert possible
            assert quantity is not None
            assert one.instead is not None
            values = [quantity.of(deal) for deal in possible]
            wanted = min(values) if one.red_line.op[0] == "<" else max(values)
            assert one.instead.bound == wanted
            seen += 1
    assert seen > 20
