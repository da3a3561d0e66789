"""Comity bargain SCENARIO: the parties of a file come to a deal, or learn why not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import comity as package
from comity.formats.issues import read_problem

ROOT = Path(__file__).resolve().parents[3]
Comity = Callable[..., Any]
ROLLOUT = "rollout.toml"
QUICK = (ROLLOUT, "--strategy", "linear,boulware:0.2", "--rounds", "20", "--seed", "7")


@pytest.fixture
def rollout(here: Path) -> Path:
    """Put the shipped scenario of two parties into the folder."""
    shutil.copy(ROOT / "examples" / ROLLOUT, here / ROLLOUT)
    return here / ROLLOUT


def scenario(here: Path, name: str = "s.json", **data: Any) -> str:
    values = {"cut": {str(n): n for n in range(5)}}
    base = {
        "kind": "offers",
        "issues": {"cut": [0, 1, 2, 3, 4]},
        "parties": {
            "ann": {"values": values},
            "bob": {"values": {"cut": {n: 4 - worth for n, worth in values["cut"].items()}}},
        },
    }
    (here / name).write_text(json.dumps({**base, **data}))
    return name


def plays(told: Any) -> dict[str, str]:
    parameters = dict(told["grounds"]["parameters"])
    found: dict[str, str] = parameters["strategies"]
    return found


# --- a deal ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("rollout")
def test_m2_a_deal_is_told_with_its_course_and_how_good_it_is(comity: Comity) -> None:
    said = comity("bargain", *QUICK)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Deal in round ")
    head = ["round", "by", "ops", "product", "accepted", "by", "offer"]
    assert head in [line.split() for line in said.out.split("\n")]
    assert "of the most it could" in said.out
    assert "How good it is" in said.out
    assert "from Nash" in said.out


@pytest.mark.usefixtures("rollout")
def test_g1_the_json_is_the_result_of_the_library_with_deal_quality_and_course(
    comity: Comity, rollout: Path
) -> None:
    told = comity("bargain", *QUICK, "--json").json
    assert list(told)[:4] == ["v", "kind", "form", "says"]
    result: Any = package.negotiate_issues(
        read_problem(rollout).problem, ["linear", "boulware:0.2"], rounds=20, seed="7"
    )
    plain = result.to_json()
    assert {name: told[name] for name in plain if name != "notes"} == {
        name: value for name, value in json.loads(json.dumps(plain)).items() if name != "notes"
    }
    assert told["deal"] == result.deal
    assert told["quality"]["deal"] == told["deal"]
    assert told["course"]["made"] == len(result.offers)
    assert told["title"] == "How do we roll out the new storage engine?"


@pytest.mark.usefixtures("rollout")
def test_m3_strategies_are_one_for_all_a_list_or_pairs_else_those_of_the_file(
    comity: Comity,
) -> None:
    def of(*words: str) -> dict[str, str]:
        return plays(comity("bargain", ROLLOUT, "--seed", "1", "--json", *words).json)

    assert of() == {"ops": "boulware:0.2", "product": "linear"}
    assert of("--strategy", "micro") == {"ops": "micro", "product": "micro"}
    assert of("--strategy", "micro, linear") == {"ops": "micro", "product": "linear"}
    assert of("--strategy", "product=micro") == {"ops": "boulware:0.2", "product": "micro"}
    assert of("--strategy", "product=micro,ops=linear") == {"ops": "linear", "product": "micro"}
    assert of("--strategy", "product=micro", "--strategy", "ops = conceder:3") == {
        "ops": "conceder:3",
        "product": "micro",
    }


def test_m3_a_party_without_a_strategy_plays_our_own(comity: Comity, here: Path) -> None:
    told = comity("bargain", scenario(here), "--json").json
    assert plays(told) == {"ann": "comity", "bob": "comity"}
    assert told["quality"]["efficient"] is True


def test_a_party_whose_name_holds_a_comma_can_be_named(comity: Comity, here: Path) -> None:
    files = {
        "domain.json": {"name": "d", "issuesValues": {"a": {"values": ["x", "y"]}}},
    }
    for name, worth in (("a, b", 1), ("c", 0)):
        files[f"{name}.json"] = {
            "LinearAdditiveUtilitySpace": {
                "name": name,
                "domain": files["domain.json"],
                "issueWeights": {"a": 1},
                "issueUtilities": {
                    "a": {"DiscreteValueSetUtilities": {"valueUtilities": {"x": worth, "y": 0.5}}}
                },
            }
        }
    for name, body in files.items():
        (here / name).write_text(json.dumps(body))
    said = comity("bargain", "domain.json", "a, b.json", "c.json", "--json")
    names = list(plays(said.json))
    words = ("--strategy", f"{names[0]}=micro", "--json")
    told = comity("bargain", "domain.json", "a, b.json", "c.json", *words).json
    assert plays(told)[names[0]] == "micro"


@pytest.mark.usefixtures("rollout")
def test_g4_without_a_seed_one_is_drawn_told_and_repeats_the_same(comity: Comity) -> None:
    said = comity("bargain", ROLLOUT, "--json")
    seed = said.err.split("seed: ")[1].split()[0]
    assert dict(said.json["grounds"]["parameters"])["seed"] == seed
    again = comity("bargain", ROLLOUT, "--json", "--seed", seed)
    assert (again.json, again.err) == (said.json, "")


def test_the_words_win_over_the_file(comity: Comity, here: Path) -> None:
    name = scenario(here, rounds=7, first="bob", seed="file", fallback="best_of_seen", stall=3)
    words = ("bargain", name, "--strategy", "linear", "--json")
    of_file = dict(comity(*words).json["grounds"]["parameters"])
    assert [of_file[one] for one in ("rounds", "order", "seed", "fallback", "stall")] == [
        7, ["bob", "ann"], "file", "best_of_seen", 3,
    ]  # fmt: skip
    more = ("--rounds", "9", "--first", "ann", "--seed", "s", "--fallback", "none", "--stall", "2")
    told = dict(comity(*words, *more).json["grounds"]["parameters"])
    assert [told[one] for one in ("rounds", "order", "seed", "fallback", "stall")] == [
        9, ["ann", "bob"], "s", "none", 2,
    ]  # fmt: skip


def test_m2_both_may_offer_at_once(comity: Comity, here: Path) -> None:
    words = ("--protocol", "simultaneous", "--strategy", "linear", "--seed", "1", "--json")
    assert comity("bargain", scenario(here), *words).json["protocol"] == "simultaneous"


@pytest.mark.usefixtures("rollout")
def test_m5_a_mediator_names_the_point_that_was_asked_for(comity: Comity) -> None:
    said = comity("bargain", ROLLOUT, "--protocol", "mediated")
    assert said.code == 0
    assert said.out.startswith("The Nash point: rollout = canary, reviewers = 1")
    words = ("--protocol", "mediated", "--point", "ks", "--json")
    told = comity("bargain", ROLLOUT, *words).json
    assert told["deal"]["reviewers"] == "2"
    assert (told["how"], told["rounds"]) == ("mediated", 0)


def test_m5_a_file_may_ask_for_a_mediator_and_its_point(comity: Comity, here: Path) -> None:
    name = scenario(here, protocol="mediated", point="utilitarian", seed="1")
    assert comity("bargain", name).out.startswith("The utilitarian point: ")


# --- no deal ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("rollout")
def test_g2_a_no_deal_exits_10_with_its_reason_and_what_would_unblock_it(comity: Comity) -> None:
    said = comity("bargain", ROLLOUT, "--strategy", "hardliner", "--seed", "1")
    assert said.code == 10
    assert said.out.startswith("No deal (stall) after 2 rounds")
    assert "What would unblock it" in said.out
    assert "yes: 8 points of the frontier would suit all" in said.out
    told = comity("bargain", ROLLOUT, "--strategy", "hardliner", "--json").json
    assert (told["kind"], told["deal"], told["quality"]["acceptable"]) == ("no_deal", None, 8)


def test_m7_where_nothing_suits_all_a_mediator_says_who_falls_short(
    comity: Comity, here: Path
) -> None:
    values = {str(n): n for n in range(5)}
    parties = {
        "ann": {"values": {"cut": values}, "reservation": 3},
        "bob": {"values": {"cut": {n: 4 - worth for n, worth in values.items()}},
                "reservation": 3},
    }  # fmt: skip
    name = scenario(here, parties=parties)
    said = comity("bargain", name, "--protocol", "mediated", "--seed", "1")
    assert said.code == 10
    assert "ann falls short by 1" in said.out
    assert "no deal is acceptable to all" in said.out


# --- a price ---------------------------------------------------------------------------------


def test_a_price_in_a_file_is_decided_as_the_price_it_is(
    comity: Comity, price: str, here: Path
) -> None:
    said = comity("bargain", price)
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("Deal at 80 in round 4")
    told = comity("bargain", price, "--json").json
    assert (told["price"], told["round"], "session" in told) == (80, 4, False)
    assert sorted(one.name for one in here.iterdir()) == [price]
    assert "drawn: p.svg" in comity("bargain", price, "--svg", "p.svg").err
    assert "<svg" in (here / "p.svg").read_text()


def test_k1_a_price_in_a_file_is_recorded_where_a_ledger_is_named(
    comity: Comity, price: str
) -> None:
    said = comity("bargain", price, "--db", "l.db", "--json")
    assert f"recorded as {said.json['session']} in l.db" in said.err
    assert comity("verify", "--db", "l.db").code == 0


@pytest.mark.parametrize("words", [("--rounds", "3"), ("--strategy", "linear"), ("--blind",)])
def test_a_price_in_a_file_takes_no_options_that_the_file_states(
    comity: Comity, price: str, words: Any
) -> None:
    said = comity("bargain", price, *words)
    assert said.code == 2
    assert f"{words[0]}: is given beside price.toml" in said.err


# --- faults ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("rollout")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--schedule", "linear"), "did you mean '--strategy'"),
        (("--convention", "midpoint"), "did you mean '--protocol'"),
        (("--split", "50:50"), "--split: is given beside a SCENARIO"),
        (("--seller", "120:70"), "--seller: is given beside a SCENARIO"),
        (("--buyer-rounds", "3"), "leave out --buyer-rounds or the SCENARIO"),
        (("--strategy", "linaer"), "did you mean 'linear'"),
        (("--strategy", "linear,micro,micro"), "one for all, or 2: for ops, product"),
        (("--strategy", "opps=linear"), "did you mean 'ops'"),
        (("--strategy", "ops=linear,ops=micro"), "names 'ops' twice"),
        (("--strategy", "ops=linear,micro"), "with a party and some without"),
        (("--protocol", "mediate"), "did you mean 'mediated'"),
        (("--fallback", "best_of_sen"), "did you mean 'best_of_seen'"),
        (("--first", "opps"), "did you mean 'ops'"),
        (("--rounds", "many"), "a whole number of 0 or more"),
        (("--rounds", "1000001"), "1,000,000"),
        (("--stall", "0"), "a whole number of 1 or more"),
        (("--point", "nash"), "add --protocol mediated"),
        (("--protocol", "mediated", "--point", "nosh"), "did you mean 'nash'"),
        (("--protocol", "mediated", "--strategy", "micro"), "who needs no offers"),
        (("--protocol", "mediated", "--rounds", "3", "--first", "ops"), "leave out --first"),
        (("--svg", ROLLOUT), "--svg"),
        (("nothing.xml",), "does not exist"),
    ],
)
def test_g7_what_does_not_fit_is_told_with_what_was_meant(
    comity: Comity, words: Any, told: str
) -> None:
    said = comity("bargain", ROLLOUT, *words)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


@pytest.mark.usefixtures("rollout")
def test_g7_every_fault_of_the_options_is_told_at_once(comity: Comity) -> None:
    words = ("--tick", "1", "--rounds", "x", "--first", "y", "--strategy", "a=b", "--json")
    said = comity("bargain", ROLLOUT, *words)
    assert [fault["whose"] for fault in said.json["faults"]] == [
        "--tick", "--first", "--rounds", "--strategy",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (("--strategy", "linear"), "--schedule says how a price is conceded"),
        (("--protocol", "mediated"), "--convention"),
        (("--point", "nash"), "--split"),
        (("--fallback", "none"), "a price has none"),
        (("--seed", "1"), "a price draws no lot"),
    ],
)
def test_options_of_several_issues_need_a_scenario(
    comity: Comity, words: Any, instead: str
) -> None:
    said = comity("bargain", "--seller", "120:70", "--buyer", "60:100", *words)
    assert said.code == 2
    assert f"{words[0]}: is given without a SCENARIO" in said.err
    assert instead in said.err


def test_agents_in_the_file_are_not_replaced_silently(comity: Comity, here: Path) -> None:
    parties = {"ann": {"agent": "rational"}, "bob": {}}
    name = scenario(here, parties=parties)
    said = comity("bargain", name)
    assert said.code == 2
    assert "seats agents for ann" in said.err
    assert "comity run" in said.err
    assert comity("bargain", name, "--strategy", "linear").code == 0


# --- drawing and recording -------------------------------------------------------------------


@pytest.mark.usefixtures("rollout")
def test_the_walk_of_both_parties_and_the_deal_are_drawn(comity: Comity, here: Path) -> None:
    said = comity("bargain", *QUICK, "--svg", "b.svg")
    assert "drawn: b.svg" in said.err
    drawn = (here / "b.svg").read_text()
    assert drawn.count(" walk'") == 2
    assert drawn.count("class='deal'") == 1
    assert "product begins" in drawn


def large(here: Path) -> str:
    issues = {f"i{at}": ["x", "y"] for at in range(20)}
    issues["i20"] = ["x", "y", "z"]
    values = {name: {"x": 1} for name in issues}
    parties = {"ann": {"values": values}, "bob": {"values": values}}
    return scenario(here, issues=issues, exclude=[{"i0": "x", "i1": "x"}], parties=parties)


def test_a_deal_among_too_many_for_a_frontier_is_told_all_the_same(
    comity: Comity, here: Path
) -> None:
    pytest.importorskip("numpy")
    said = comity("bargain", large(here), "--strategy", "conceder", "--rounds", "3", "--seed", "1")
    assert said.code == 0
    assert "not told: would have to look at" in said.out
    words = ("--strategy", "conceder", "--rounds", "3", "--svg", "b.svg")
    refused = comity("bargain", large(here), *words)
    assert refused.code == 2
    assert "--svg: has no frontier: it would have to look at" in refused.err
    assert not (here / "b.svg").exists()


@pytest.mark.usefixtures("rollout")
@pytest.mark.parametrize(
    "words",
    [
        QUICK[1:],
        ("--protocol", "mediated", "--point", "ks"),
        ("--strategy", "hardliner", "--rounds", "6"),
    ],
)
def test_k1_with_a_named_ledger_it_is_recorded_and_replays_the_same(
    comity: Comity, words: Any
) -> None:
    said = comity("bargain", ROLLOUT, *words, "--db", "l.db", "--json")
    told = said.json
    plain = comity("bargain", ROLLOUT, *words, "--seed", "7", "--json").json
    assert (said.code, told["kind"], told["deal"]) == (
        0 if told["deal"] else 10, plain["kind"], plain["deal"],
    )  # fmt: skip
    assert f"recorded as {told['session']} in l.db" in said.err
    assert comity("verify", "--db", "l.db").code == 0
    assert comity("replay", "last", "--db", "l.db").out.startswith("same")
    assert comity("why", "last", "--db", "l.db").code == 0


@pytest.mark.usefixtures("rollout")
def test_k1_a_ledger_of_the_environment_counts_as_named(
    comity: Comity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMITY_DB", "e.db")
    assert "recorded as d_" in comity("bargain", *QUICK).err


@pytest.mark.usefixtures("rollout")
def test_k1_without_a_named_ledger_no_file_is_left(comity: Comity, here: Path) -> None:
    comity("bargain", *QUICK)
    assert [one.name for one in here.iterdir()] == [ROLLOUT]


def test_what_cannot_be_drawn_is_refused_before_anything_is_recorded(
    comity: Comity, here: Path
) -> None:
    name = scenario(here, parties={f"p{at}": {} for at in range(9)})
    said = comity("bargain", name, "--strategy", "linear", "--svg", "b.svg", "--db", "l.db")
    assert said.code == 2
    assert "at most 8 parties" in said.err
    assert sorted(one.name for one in here.iterdir()) == [name]
