"""Scenario files of kind offers: issues, parties, limits, every fault at once (M1, G5 to G7)."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.units import Rates
from comity.formats.issues import read_problem
from comity.formats.offers_file import loaded_from, scenario_of
from comity.formats.scenario import Scenario, load_data, scenario_from
from comity.mechanisms.bargaining.problem import Bargainer
from comity.mechanisms.bargaining.problem_json import problem_from_json, problem_to_json
from comity.protocols.offers.opening import rules_from_json

WHOLE: dict[str, Any] = {
    "kind": "offers",
    "question": "How do we roll out?",
    "rounds": 12,
    "protocol": "simultaneous",
    "fallback": "best_of_seen",
    "first": "ops",
    "seed": 7,
    "issues": {
        "rollout": ["canary", "half fleet", "all at once"],
        "reviewers": {"from": 1, "to": 4},
        "price": {"from": "10.00", "to": "20.00", "points": 11},
        "freeze": [True, False],
    },
    "quantities": {"cost": "20 + 5 * reviewers"},
    "exclude": [{"rollout": "all at once", "reviewers": [1, "2"]}],
    "require": ["cost <= 35"],
    "parties": {
        "ops": {
            "agent": "command:x",
            "strategy": "boulware:0.2",
            "reservation": "0.5",
            "discount": 0.75,
            "unit": "ms",
            "weights": {"rollout": "1/3"},
            "values": {
                "rollout": {"canary": 2, "half fleet": 0.1},
                "price": {"10": 1, "11.0": "0.5"},
                "freeze": {"yes": 1},
            },
            "red_lines": {"exclude": [{"price": 20}], "require": ["cost > 25"]},
        },
        "dev": {
            "reservation_binds": False,
            "values": {
                "reviewers": {"from_value": 0, "to_value": 1},
                "price": {"from_value": 1, "to_value": "0.5"},
            },
        },
    },
    "rates": {"ms": "0.02 GBP/day", "h": "30 GBP/day"},
}


def changed(*path: Any, to: object) -> dict[str, Any]:
    made = copy.deepcopy(WHOLE)
    place = made
    for key in path[:-1]:
        place = place.setdefault(key, {})
    place[path[-1]] = to
    return made


def scenario(data: object = WHOLE, seed: str = "1", folder: Path = Path()) -> Scenario:
    return scenario_from(data, whose="x.toml", folder=folder, seed=seed)


def refusal(data: object) -> str:
    with pytest.raises(InvalidInput) as refused:
        scenario(data)
    for fault in refused.value.faults:
        assert all((fault.whose, fault.what, fault.allowed, fault.next))
    return str(refused.value)


def party(name: str, data: Any = WHOLE) -> Bargainer:
    return loaded_from(data, whose="x.toml").problem.party(name)


DEAL = {"rollout": "canary", "reviewers": "3", "price": "10.00", "freeze": "yes"}


# --- what it says ----------------------------------------------------------------------------


def test_issues_are_lists_numbers_by_a_step_or_by_points_and_yes_or_no() -> None:
    domain = loaded_from(WHOLE, whose="x").problem.domain
    assert domain.names == ("rollout", "reviewers", "price", "freeze")
    assert domain.term("reviewers").names == ("1", "2", "3", "4")
    assert domain.term("price").names[:3] == ("10.00", "11.00", "12.00")
    assert domain.term("freeze").names == ("yes", "no")
    assert domain.size == 3 * 4 * 11 * 2
    half = changed("issues", "price", to={"from": 0, "to": "1", "step": "0.25"})
    del half["parties"]["ops"]["values"]["price"], half["parties"]["ops"]["red_lines"]
    assert loaded_from(half, whose="x").problem.domain.term("price").names[1] == "0.25"


def test_numbers_below_0_and_ratios_are_options_too() -> None:
    data = changed("issues", "price", to={"from": -1, "to": 1, "points": 4})
    data["parties"] = {"a": {"values": {"price": {"-1/3": 1}}}, "b": {}}
    assert loaded_from(data, whose="x").problem.domain.term("price").names == (
        "-1", "-1/3", "1/3", "1",
    )  # fmt: skip
    assert not loaded_from(WHOLE, whose="x").problem.domain.is_free


def test_values_are_weighed_and_left_out_is_0() -> None:
    ops = party("ops").preferences
    assert ops.of(DEAL) == Fraction(2, 3) + 1 + 1
    assert ops.of({**DEAL, "rollout": "half fleet", "price": "11.00", "freeze": "no"}) == (
        Fraction(1, 30) + Fraction(1, 2)
    )
    assert (ops.reservation, ops.discount, ops.unit) == (Fraction(1, 2), Fraction(3, 4), "ms")
    assert party("dev").preferences.reservation is None


def test_a_straight_line_between_two_ends_is_exact() -> None:
    dev = party("dev").preferences
    assert dev.of({**DEAL, "reviewers": "2"}) == Fraction(1, 3) + 1
    assert dev.of({**DEAL, "reviewers": "1", "price": "17.00"}) == Fraction(65, 100)


def test_from_value_may_be_the_name_of_an_option() -> None:
    data = changed("issues", to={"a": ["from_value", "to_value"]})
    data |= {"exclude": [], "require": [], "quantities": {}}
    data["parties"] = {
        "ops": {"values": {"a": {"from_value": 3, "to_value": 4}}},
        "dev": {},
    }
    assert party("ops", data).preferences.of({"a": "to_value"}) == 4


def test_constraints_and_red_lines_hold() -> None:
    problem = loaded_from(WHOLE, whose="x").problem
    assert [str(one) for one in problem.constraints] == [
        "not (rollout in {all at once} and reviewers in {1, 2})",
        "cost <= 35",
    ]
    ops = problem.party("ops")
    assert [str(one) for one in ops.red_lines] == ["not (price in {20.00})", "cost > 25"]
    assert ops.accepts(DEAL)
    assert not ops.accepts({**DEAL, "reviewers": "1"})
    assert not problem.allows({**DEAL, "reviewers": "4"})


def test_g6_rates_are_kept() -> None:
    rates = loaded_from(WHOLE, whose="x").problem.rates
    assert rates == Rates("GBP/day", (("h", Fraction(30)), ("ms", Fraction(1, 50))))


def test_a_value_per_deal_may_be_given_instead() -> None:
    data = {
        "kind": "offers",
        "issues": {"a": ["x", "y"], "n": {"from": 1, "to": 2}},
        "parties": {
            "ann": {"table": [[["x", 1], 0.5], [["x", "2"], "1/3"], [["y", 1], 0], [["y", 2], 1]]},
            "bob": {},
        },
    }
    ann = party("ann", data).preferences
    assert [ann.of({"a": a, "n": n}) for a in "xy" for n in "12"] == [
        Fraction(1, 2), Fraction(1, 3), 0, 1,
    ]  # fmt: skip
    assert rules_from_json(scenario(data).rules).problem.party("ann").preferences == ann


def test_the_rules_are_recorded_exactly_and_read_back() -> None:
    made = scenario()
    rules = rules_from_json(json.loads(canonical(made.rules)))
    problem = loaded_from(WHOLE, whose="x").problem
    assert rules.problem == problem
    assert problem_from_json(json.loads(canonical(problem_to_json(problem)))) == problem
    told = {key: made.rules[key] for key in ("rounds", "protocol", "fallback", "first", "seed")}
    assert told == {
        "rounds": 12, "protocol": "simultaneous", "fallback": "best_of_seen", "first": "ops",
        "seed": "7",
    }  # fmt: skip
    assert made.rules["strategies"] == {"ops": "boulware:0.2"}
    assert made.rules["reservation_binds"] == {"dev": False, "ops": True}
    assert (made.kind, made.title, made.agents, made.private) == (
        "offers", "How do we roll out?", {"dev": "strategy:comity", "ops": "command:x"}, {},
    )  # fmt: skip
    assert "otherwise" not in made.rules


def test_a_file_that_says_little_gets_the_stated_defaults() -> None:
    small = {"kind": "offers", "issues": {"a": ["x", "y"]}, "parties": {"c": {}, "a": {}, "b": {}}}
    made = scenario(small, seed="s")
    told = {key: made.rules[key] for key in ("rounds", "protocol", "fallback", "first", "seed")}
    assert told == {
        "rounds": 100, "protocol": "alternating", "fallback": "none", "first": None, "seed": "s",
    }  # fmt: skip
    assert made.title == "A deal between a, b and c"


def test_settings_of_a_live_session_reach_its_rules(tmp_path: Path) -> None:
    (tmp_path / "work.md").write_text("read me")
    more = {
        "deadline_s": 60, "turn_timeout_s": 5, "stall": 3, "reasks": 0, "monotonic": True,
        "crossing": "nash", "point": "kalai_smorodinsky", "disclose_at_end": True,
        "thin_gap": "1/20",
        "work": "work.md", "person": {"seat": "boss", "deadline_s": 9},
        "otherwise": ["resolve"], "then": {"resolve": "lot"},
    }  # fmt: skip
    made = scenario({**WHOLE, **more}, folder=tmp_path)
    rules = rules_from_json({key: made.rules[key] for key in made.rules if key != "otherwise"})
    limits = rules.limits
    assert (limits.deadline_ms, limits.turn_timeout_ms, limits.reasks) == (60_000, 5_000, 0)
    assert (rules.stall, rules.monotonic, rules.crossing, rules.point) == (
        3,
        True,
        "nash",
        "kalai_smorodinsky",
    )
    assert (rules.disclose, rules.thin_gap, rules.work) == (True, Fraction(1, 20), "read me")
    assert (rules.gate.seat, rules.gate.deadline_ms, rules.gate.on) == ("boss", 9_000, "all")
    assert made.rules["otherwise"]["steps"] == ["resolve"]  # type: ignore[index, call-overload]


def test_toml_and_json_say_the_same(tmp_path: Path) -> None:
    toml = Path(__file__).resolve().parents[3] / "examples" / "rollout.toml"
    other = tmp_path / "rollout.json"
    other.write_text(json.dumps(load_data(toml)))
    assert read_problem(toml) == read_problem(other)


def test_a_problem_from_elsewhere_can_be_opened_too() -> None:
    genius = read_problem(Path(__file__).resolve().parents[3] / "examples" / "rollout-genius")
    made = scenario_of(genius, seed="7")
    assert rules_from_json(made.rules).problem == genius.problem
    assert made.title == "A deal over rollout, reviewers, freeze, rollback"


# --- what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (changed("issues", to={}), "has no terms"),
        (changed("issues", "rollout", to=[]), "has no options"),
        (changed("issues", "rollout", to=["a", "a"]), "lists 'a' twice"),
        (changed("issues", "price", to={"from": 1}), "issue 'price': lacks to"),
        (
            changed("issues", "price", to={"from": 2, "to": 1}),
            "x.toml: issue 'price': runs from 2 down to 1",
        ),
        (changed("issues", "price", to={"from": 1, "to": 2, "step": "0.3"}), "does not reach 2"),
        (
            changed("issues", "price", to={"from": 1, "to": 2, "step": 1, "points": 2}),
            "states step and points",
        ),
        (changed("issues", "price", to={"from": 1, "to": "nan"}), "to is 'nan'"),
        (changed("issues", "price", to={"from": 0, "to": 10**9}), "100000 at most"),
        (changed("issues", "price", to={"from": 1, "to": 2, "points": 1}), "2 or more"),
        (changed("quantities", "cost", to="5 * reviewer"), "did you mean 'reviewers'"),
        (changed("exclude", to=[{"rolout": "canary"}]), "did you mean 'rollout'"),
        (changed("exclude", to=[{"reviewers": 9}]), "sets reviewers to '9'"),
        (changed("exclude", to=[{}]), "excludes nothing"),
        (changed("require", to=["costs <= 3"]), "did you mean 'cost'"),
        (changed("parties", to={"ops": {}}), "has 1 party"),
        (changed("parties", "ops", "reserve", to=1), "did you mean 'reservation'"),
        (
            changed("parties", "ops", "reservation", to="nan"),
            "x.toml: party 'ops': reservation is 'nan'",
        ),
        (changed("parties", "ops", "discount", to=2), "discount is 2"),
        (
            changed("parties", "ops", "weights", to={"reviewers": 1}),
            "weighs 'reviewers', which it gives no values",
        ),
        (changed("parties", "ops", "weights", to={"rollout": "x"}), "weight of rollout is 'x'"),
        (
            changed("parties", "ops", "values", "rolout", to={"canary": 1}),
            "values the issue 'rolout'",
        ),
        (
            changed("parties", "ops", "values", "rollout", to={"canry": 1}),
            "sets rollout to 'canry'",
        ),
        (
            changed("parties", "ops", "values", "rollout", to={"canary": "x"}),
            "value of rollout = canary is 'x'",
        ),
        (
            changed("parties", "ops", "values", "price", to={"10": 1, "10.0": 2}),
            "values price = 10.00 twice",
        ),
        (
            changed("parties", "ops", "values", "rollout", to={"from_value": 0, "to_value": 1}),
            "gives rollout from_value and to_value",
        ),
        (
            changed("parties", "ops", "red_lines", to={"require": ["cost"]}),
            "party 'ops' red lines: requires 'cost'",
        ),
        (changed("parties", "ops", "table", to=[]), "states weights beside table"),
        (
            changed("parties", "dev", to={"table": [[1, 2], [["canary"], 1], 3]}),
            "parties.dev.table[2] is 3",
        ),
        (
            changed("parties", "dev", to={"table": [[1, 2], [["canary"]]]}),
            "has the row [1, 2] in its table",
        ),
        (
            changed("parties", "dev", to={"table": [[["canary"], 1]]}),
            "values the deal ('canary',)",
        ),
        (changed("rates", to={"ms": "0.02"}), "one ms is worth '0.02'"),
        (changed("rates", to={"ms": "much GBP"}), "rates: ms is 'much'"),
        (changed("rates", to={"ms": "1 GBP", "h": "1 EUR"}), "convert to EUR, GBP"),
        (changed("rates", to={"ms": "1 ms"}), "ms has a rate"),
        (changed("first", to="op"), "begin with 'op', who has no seat"),
        (changed("rounds", to=0), "rounds is 0"),
        (changed("protocol", to="alternate"), "did you mean 'alternating'"),
        (changed("thin_gap", to=2), "thin_gap"),
        (changed("work", to="gone.md"), "names the work file 'gone.md'"),
        (changed("then", to={"resolve": "lot"}), "says [then] without otherwise"),
        (changed("question", to="  "), "about nothing"),
    ],
)
def test_what_is_wrong_is_told(data: Any, told: str) -> None:
    assert told in refusal(data)


def test_g7_every_fault_of_the_file_is_told_at_once() -> None:
    data = changed("parties", "ops", "reservation", to="x")
    data["parties"]["dev"]["discount"] = 0
    data["parties"]["dev"]["red_lines"] = {"require": ["cost"]}
    data["exclude"] = [{"rollout": "some"}]
    data["rates"] = {"ms": "1"}
    data["work"] = "gone.md"
    data["otherwise"] = ["vote"]
    data["then"] = {"rule": "nonsense"}
    said = refusal(data)
    for told in (
        "reservation is 'x'", "discount is 0", "requires 'cost'", "sets rollout to 'some'",
        "one ms is worth '1'", "gone.md", "nonsense",
    ):  # fmt: skip
        assert told in said
