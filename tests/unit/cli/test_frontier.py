"""Comity frontier: a scenario in, its best deals out, and how good one of them is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
Comity = Callable[..., Any]
DEAL = "rollout=canary,reviewers=2,freeze=none,rollback=script"
ROLLOUT = "rollout.toml"


@pytest.fixture
def rollout(here: Path) -> Path:
    """Put the shipped scenario of two parties into the folder."""
    shutil.copy(ROOT / "examples" / ROLLOUT, here / ROLLOUT)
    return here / ROLLOUT


def scenario(here: Path, name: str = "s.json", **data: Any) -> str:
    base = {
        "kind": "offers",
        "issues": {"cut": [0, 1, 2, 3, 4]},
        "parties": {
            "ann": {"values": {"cut": {str(n): n for n in range(5)}}},
            "bob": {"values": {"cut": {str(n): 4 - n for n in range(5)}}},
        },
    }
    (here / name).write_text(json.dumps({**base, **data}))
    return name


def sides(ann: Any = None, bob: Any = None) -> dict[str, Any]:
    return {
        "ann": {"values": {"cut": {str(n): n for n in range(5)}}, **(ann or {})},
        "bob": {"values": {"cut": {str(n): 4 - n for n in range(5)}}, **(bob or {})},
    }


@pytest.mark.usefixtures("rollout")
def test_m4_the_frontier_the_solutions_and_what_they_mean_are_told(comity: Comity) -> None:
    said = comity("frontier", ROLLOUT)
    assert (said.code, said.err) == (0, "")
    lines = said.out.split("\n")
    assert lines[0] == (
        "The frontier of 72 deals has 14 points, 8 acceptable to all. Nash: ops 0.7, product 0.77."
    )
    assert "Frontier (14 points)" in lines
    assert "utilitarian              0.7     0.77      1  rollout = canary" in said.out
    assert "max-min" in said.out
    assert "some tools call this Kalai-Smorodinsky" in said.out


@pytest.mark.usefixtures("rollout")
def test_g1_the_json_has_exact_numbers_only_and_distances_beside_their_square(
    comity: Comity,
) -> None:
    told = comity("frontier", ROLLOUT, "--deal", DEAL, "--json").json
    assert list(told)[:3] == ["v", "kind", "says"]
    assert (told["v"], told["kind"], told["form"]) == (1, "frontier", "offers")
    assert (told["deals"], told["frontier"]["size"], told["acceptable"]["size"]) == (72, 14, 8)
    assert told["reservations"] == {"ops": "9/20", "product": "2/5"}
    assert told["issues"] == {"rollout": 3, "reviewers": 4, "freeze": 3, "rollback": 2}
    assert told["solutions"]["kalai_smorodinsky"]["points"][0]["utilities"] == {
        "ops": "11/15",
        "product": "18/25",
    }
    assert told["nearest"] is None
    assert told["deal"]["distances"]["nash"]["squared"] == "961/22500"
    assert told["deal"]["better"]["size"] == 3

    def floats(value: Any, path: str = "") -> list[str]:
        if isinstance(value, dict):
            return [one for name, item in value.items() for one in floats(item, f"{path}/{name}")]
        if isinstance(value, list):
            return [one for item in value for one in floats(item, path)]
        return [path] if isinstance(value, float) else []

    assert {path.rsplit("/", 1)[1] for path in floats(told)} == {"distance"}


@pytest.mark.usefixtures("rollout")
def test_m4_a_deal_is_told_with_what_is_better(comity: Comity) -> None:
    said = comity("frontier", ROLLOUT, "--deal", DEAL)
    assert said.code == 0
    assert "This deal\n  - rollout = canary, reviewers = 2, freeze = none" in said.out
    assert "not efficient: 3 points of the frontier are better" in said.out
    assert "Better for one and worse for none (3 points)" in said.out


@pytest.mark.usefixtures("rollout")
def test_one_point_alone_is_told_with_its_equal_deals(comity: Comity) -> None:
    said = comity("frontier", ROLLOUT, "--point", "KS")
    assert "Kalai-Smorodinsky: ops ~0.7333, product 0.72." in said.out
    assert "Frontier (" not in said.out
    told = comity("frontier", ROLLOUT, "--point", "ks", "--json").json
    assert list(told["solutions"]) == ["kalai_smorodinsky"]
    assert told["equal_deals"]["size"] == 1


def test_m4_ties_are_listed_and_the_first_of_them_is_called_one_of_them(
    comity: Comity, here: Path
) -> None:
    name = scenario(here, parties=sides(bob={"reservation": 1}))
    said = comity("frontier", name)
    assert "Nash (one of 2 tied): ann 2, bob 2." in said.out
    assert "1 of 2" in said.out
    equal = comity("frontier", name, "--point", "utilitarian")
    assert "All of these deals are best by this rule\n  - cut = 3\n" in equal.out


def test_all_lists_every_point_and_else_20_are_listed(comity: Comity, here: Path) -> None:
    values = {str(n): n for n in range(50)}
    name = scenario(
        here,
        issues={"cut": list(range(50))},
        parties={
            "ann": {"values": {"cut": values}},
            "bob": {"values": {"cut": {n: 49 - worth for n, worth in values.items()}}},
        },
    )
    assert (
        "Frontier (20 of 50 points, evenly spread; --all lists every one)"
        in comity("frontier", name).out
    )
    every = comity("frontier", name, "--all", "--json").json
    assert len(every["frontier"]["points"]) == len(every["acceptable"]["points"]) == 50
    assert every["solutions"]["utilitarian"]["left_out"] == 0


def test_m7_when_no_deal_suits_all_it_exits_10_and_names_the_nearest(
    comity: Comity, here: Path
) -> None:
    parties = sides(ann={"reservation": 3}, bob={"reservation": 3})
    name = scenario(here, parties=parties)
    said = comity("frontier", name)
    assert said.code == 10
    assert said.out.startswith("No deal of 5 deals suits all. The nearest is cut = 2.")
    assert "ann falls short by 1" in said.out
    assert "no deal is acceptable to every party" in said.out
    told = comity("frontier", name, "--json").json
    assert told["nearest"]["short"] == [{"name": "ann", "value": 1}, {"name": "bob", "value": 1}]
    assert comity("frontier", name, "--point", "nash").code == 10


def test_g4_a_nearest_deal_that_was_drawn_says_by_which_seed(comity: Comity, here: Path) -> None:
    parties = sides(ann={"reservation": 4}, bob={"reservation": 3})
    name = scenario(here, parties=parties)
    seen = {comity("frontier", name, "--seed", str(at)).out.split("\n")[0] for at in range(12)}
    assert len(seen) == 2
    said = comity("frontier", name, "--seed", "4")
    assert "the nearest deal was drawn among 2 by the seed '4'" in said.out


def test_g6_a_point_that_does_not_exist_is_told_or_refused_when_asked_for(
    comity: Comity, here: Path
) -> None:
    parties = sides(ann={"unit": "EUR"}, bob={"unit": "hours"})
    name = scenario(here, parties=parties)
    said = comity("frontier", name)
    assert said.code == 0
    assert "Points that do not exist" in said.out
    refused = comity("frontier", name, "--point", "utilitarian")
    assert refused.code == 2
    assert "does not exist" in refused.err
    assert "EUR" in refused.err


@pytest.mark.usefixtures("rollout")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rollot.toml",), "did you mean"),
        ((ROLLOUT, "--point", "nosh"), "did you mean 'nash'"),
        ((ROLLOUT, "--deal", "rollout=canary"), "--deal"),
        ((ROLLOUT, "more.xml"), "does not exist"),
        ((), "SCENARIO"),
        ((ROLLOUT, "--deel", "x"), "did you mean '--deal'"),
        ((ROLLOUT, ROLLOUT), "takes no profiles"),
        ((ROLLOUT, "--svg", ROLLOUT), "--svg"),
        ((ROLLOUT, "--svg", "nowhere/x.svg"), "cannot be written"),
    ],
)
def test_g7_faults_of_the_words_are_told(comity: Comity, words: Any, told: Any) -> None:
    said = comity("frontier", *words)
    assert (said.code, said.out) == (2, "")
    assert told in said.err


@pytest.mark.usefixtures("rollout")
def test_g7_every_fault_of_the_options_is_told_at_once(comity: Comity) -> None:
    said = comity("frontier", ROLLOUT, "--point", "x", "--deal", "rollout=now,freeze=x", "--json")
    whose = [fault["whose"] for fault in said.json["faults"]]
    assert whose.count("--point") == 1
    assert whose.count("--deal") >= 2


def test_a_price_is_no_problem_over_several_issues(comity: Comity, price: str) -> None:
    said = comity("frontier", price)
    assert said.code == 2
    assert "bargain" in said.err


def test_genius_files_are_read_with_their_profiles_found_or_named(
    comity: Comity, here: Path
) -> None:
    shutil.copytree(ROOT / "examples" / "rollout-genius", here / "genius")
    found = comity("frontier", "genius", "--json").json
    assert found["form"] == "genius"
    assert found["frontier"]["size"] == 14
    files = ("genius/rollout-domain.xml", "genius/ops.xml", "genius/product.xml")
    assert comity("frontier", *files, "--json").json["solutions"] == found["solutions"]
    refused = comity("frontier", "genius", "--svg", "genius/ops.xml")
    assert refused.code == 2


@pytest.mark.usefixtures("rollout")
def test_it_is_drawn_with_the_deal_that_was_asked_about(comity: Comity, here: Path) -> None:
    said = comity("frontier", ROLLOUT, "--deal", DEAL, "--point", "nash", "--svg", "f.svg")
    assert "drawn: f.svg" in said.err
    drawn = (here / "f.svg").read_text()
    assert ">the deal<" in drawn
    assert drawn.count("class='best'") == 1


def test_without_a_deal_that_suits_all_the_nearest_is_drawn(comity: Comity, here: Path) -> None:
    parties = sides(ann={"reservation": 3}, bob={"reservation": 3})
    name = scenario(here, parties=parties)
    assert comity("frontier", name, "--svg", "f.svg").code == 10
    assert "the nearest deal, refused" in (here / "f.svg").read_text()


def test_more_parties_than_can_be_drawn_are_refused_politely(comity: Comity, here: Path) -> None:
    parties = {f"p{at}": {"values": {"cut": {"0": at}}} for at in range(9)}
    name = scenario(here, parties=parties)
    said = comity("frontier", name, "--svg", "f.svg")
    assert said.code == 2
    assert "leave out --svg" in said.err
    assert not (here / "f.svg").exists()
    assert comity("frontier", name).code == 0


def test_a_frontier_that_would_look_at_too_many_deals_is_refused(
    comity: Comity, here: Path
) -> None:
    issues = {f"i{at}": ["x", "y"] for at in range(21)}
    values = {name: {"x": 1} for name in issues}
    name = scenario(
        here,
        issues=issues,
        exclude=[{"i0": "x"}],
        parties={"ann": {"values": values}, "bob": {"values": values}},
    )
    said = comity("frontier", name)
    assert said.code == 2
    assert "2,097,152 deals one by one" in said.err
