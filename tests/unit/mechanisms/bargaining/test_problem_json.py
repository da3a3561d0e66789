"""A recorded problem: is it read back the same, and is every damage found? (K2, G1)"""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.units import Rates
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.problem_json import problem_from_json, problem_to_json
from comity.mechanisms.bargaining.valuations import computed, tabled


def whole_problem() -> Problem:
    domain = domain_of(
        {"tls": {"full": {"ms": "60.50"}, "none": {"ms": 0}}, "days": [30, 14]},
        {"p99": "20 + tls.ms", "age": "2 * days"},
    )
    deals = [
        (["full", "30"], "1/3"),
        (["full", "14"], 0),
        (["none", "30"], -1),
        (["none", "14"], 2),
    ]
    ann = Bargainer(
        "ann",
        additive(domain, {"tls": {"full": 0.1}}, reservation="1/7", unit="ms", discount="0.75"),
        constraints_of(domain, [{"tls": "none", "days": [30, 14]}], ["p99 <= 161/2"]),
    )
    bob = Bargainer("bob", tabled(domain, deals, reservation=0))
    return problem_of(
        domain,
        [ann, bob],
        constraints=constraints_of(domain, [], ["age >= 28", "p99 > 1/3"]),
        rates=Rates("GBP", (("ms", Fraction(1, 50)), ("h", Fraction(1, 3)))),
    )


def test_k2_a_problem_is_read_back_the_same_whatever_became_of_the_order_of_keys() -> None:
    problem = whole_problem()
    recorded = problem_to_json(problem)
    again = json.loads(canonical(recorded))
    assert problem_from_json(again) == problem
    assert canonical(problem_to_json(problem_from_json(again))) == canonical(recorded)


def test_g1_numbers_are_recorded_exactly_and_never_as_floats() -> None:
    text = canonical(problem_to_json(whole_problem()))
    assert '"1/7"' in text
    json.loads(text, parse_float=lambda number: pytest.fail(f"the float {number}"))


def test_what_is_not_said_is_not_recorded() -> None:
    domain = domain_of({"a": ["x"]})
    recorded: Any = problem_to_json(
        problem_of(domain, {"n": additive(domain, {}), "m": additive(domain, {})})
    )
    assert recorded["rates"] is None
    assert recorded["constraints"] == []
    assert recorded["parties"]["n"].keys() == {"form", "values", "reservation", "unit"}
    assert problem_from_json(recorded).rates is None


def test_every_party_that_values_by_a_function_is_named() -> None:
    domain = domain_of({"a": ["x"]})
    both = {name: computed(domain, lambda _: 1) for name in ("ann", "bob")}
    with pytest.raises(InvalidInput) as refused:
        problem_to_json(problem_of(domain, both))
    assert [fault.whose for fault in refused.value.faults] == ["ann", "bob"]
    assert "cannot be recorded" in str(refused.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("domain",), None),
        (("domain", "terms"), {}),
        (("parties",), 3),
        (("parties", "ann", "form"), "other"),
        (("parties", "ann", "values"), None),
        (("parties", "ann", "values", "tls", "full"), "much"),
        (("parties", "ann", "red_lines"), [3]),
        (("parties", "ann", "red_lines"), [{}]),
        (("parties", "bob", "values"), [[["full"], 1]]),
        (("parties", "bob", "reservation"), "nan"),
        (("constraints",), [{"exclude": []}]),
        (("constraints",), [{"exclude": [["tls", ["half"]]]}]),
        (("constraints",), [{"exclude": [["tls", ["full"]], ["tls", ["none"]]]}]),
        (("constraints",), [{"require": ["p99", "<=", "1", "more"]}]),
        (("constraints",), [{"require": ["p99", "=<", 1]}]),
        (("constraints",), [{"require": ["p99 ", "<=", 1]}]),
        (("rates",), {"unit": "GBP"}),
        (("rates", "worth"), [["ms", "much"]]),
        (("rates", "worth"), [["ms", 1], ["ms", 2]]),
    ],
)
def test_a_damaged_record_is_refused(path: tuple[str, ...], value: object) -> None:
    recorded: Any = json.loads(canonical(problem_to_json(whole_problem())))
    damaged = copy.deepcopy(recorded)
    place = damaged
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(InvalidInput):
        problem_from_json(damaged)
    assert problem_from_json(recorded) == whole_problem()


@pytest.mark.parametrize("key", ["domain", "parties", "constraints", "rates"])
def test_a_record_without_one_of_its_parts_is_refused(key: str) -> None:
    recorded = dict(problem_to_json(whole_problem()))
    del recorded[key]
    with pytest.raises(InvalidInput, match="is not as it was recorded"):
        problem_from_json(recorded)
