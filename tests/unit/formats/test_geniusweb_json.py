"""GeniusWeb JSON: utilities as they are, a bid for a reservation, clear faults (M1)."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats.geniusweb_json import read_geniusweb, read_geniusweb_data
from comity.formats.loaded_problem import LoadedProblem
from comity.mechanisms.bargaining.preferences import Additive

DOMAIN = {
    "name": "party",
    "issuesValues": {
        "Food": {"values": ["Chips and Nuts", "Catering"]},
        "Guests": {"range": ["10", "30", "10"]},
    },
}
PROFILE: dict[str, Any] = {
    "LinearAdditiveUtilitySpace": {
        "name": "party1",
        "issueUtilities": {
            "Food": {
                "discreteutils": {"valueUtilities": {"Chips and Nuts": 0.75, "Catering": 0.2}}
            },
            "Guests": {
                "numberutils": {"lowValue": 10, "lowUtility": 1, "highValue": 30, "highUtility": 0}
            },
        },
        "issueWeights": {"Food": 0.4, "Guests": 0.6},
        "domain": DOMAIN,
        "reservationBid": {"issuevalues": {"Food": "Catering", "Guests": "20"}},
    }
}
SPACE = "LinearAdditiveUtilitySpace"


def changed(*path: str, to: object) -> dict[str, Any]:
    made = copy.deepcopy(PROFILE)
    place = made[SPACE]
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return made


def loaded(ann: object = PROFILE, domain: object = DOMAIN) -> LoadedProblem:
    return read_geniusweb_data(("party.json", domain), [("ann.json", ann), ("bob.json", PROFILE)])


def ann_of(found: LoadedProblem) -> Additive:
    preferences = found.problem.party("ann").preferences
    assert isinstance(preferences, Additive)
    return preferences


def refusal(ann: object = PROFILE, domain: object = DOMAIN) -> str:
    with pytest.raises(InvalidInput) as refused:
        loaded(ann, domain)
    for fault in refused.value.faults:
        assert all((fault.whose, fault.what, fault.allowed, fault.next))
    return str(refused.value)


def test_utilities_are_weighed_and_not_rescaled() -> None:
    ann = ann_of(loaded())
    assert ann.table() == {
        "Food": {"Chips and Nuts": Fraction(3, 10), "Catering": Fraction(2, 25)},
        "Guests": {"10": Fraction(3, 5), "20": Fraction(3, 10), "30": 0},
    }
    assert ann.best == Fraction(9, 10)


def test_the_reservation_is_what_its_bid_is_worth() -> None:
    assert ann_of(loaded()).reservation == Fraction(2, 25) + Fraction(3, 10)
    assert ann_of(loaded(changed("reservationBid", to=None))).reservation is None
    part = changed("reservationBid", to={"issuevalues": {"Guests": 20}})
    assert ann_of(loaded(part)).reservation == Fraction(3, 10)
    empty = changed("reservationBid", to={"issuevalues": {}})
    assert ann_of(loaded(empty)).reservation == 0


def test_newer_names_of_the_same_utilities_are_read() -> None:
    table = PROFILE[SPACE]["issueUtilities"]["Food"]["discreteutils"]
    newer = changed("issueUtilities", "Food", to={"DiscreteValueSetUtilities": table})
    assert loaded(newer) == loaded()


def test_a_range_may_stop_short_of_its_end() -> None:
    domain = {"issuesValues": {"n": {"range": ["12.2", "12.9", "0.3"]}}}
    utilities = {
        "n": {
            "numberutils": {
                "lowValue": "12.2",
                "lowUtility": 0,
                "highValue": "13.2",
                "highUtility": 1,
            }
        }
    }
    space = {"issueUtilities": utilities, "issueWeights": {"n": 1}}
    profiles = [("a.json", {SPACE: space}), ("b.json", {SPACE: space})]
    found = read_geniusweb_data(("d.json", domain), profiles)
    assert found.problem.domain.terms[0].names == ("12.2", "12.5", "12.8")
    assert found.problem.utilities({"n": "12.8"})[0] == Fraction(3, 5)


def test_weights_that_do_not_sum_to_1_count_as_given_with_a_note() -> None:
    found = loaded(changed("issueWeights", "Food", to=0.1))
    assert found.notes == ("ann.json: the weights sum to 0.7, not 1; they count as given",)


@pytest.mark.parametrize(
    ("ann", "told"),
    [
        ({"UtilitySpace": {}}, "ann.json: is no additive profile: it holds UtilitySpace"),
        ([], "it holds no object"),
        ({SPACE: 3}, f"lacks the object '{SPACE}'"),
        (changed("issueUtilities", to=[]), "lacks the object 'issueUtilities'"),
        (changed("issueUtilities", "Food", to=3), "issue 'Food': is valued by []"),
        (changed("issueUtilities", "Food", to={"x": 1}), "is valued by ['x']"),
        (
            changed("issueUtilities", "Food", "discreteutils", to={}),
            "lacks the object 'valueUtilities'",
        ),
        (
            changed("issueUtilities", "Food", "discreteutils", "valueUtilities", to={"Chips": 1}),
            "values 'Chips', which the domain does not have",
        ),
        (
            changed(
                "issueUtilities", "Food", "discreteutils", "valueUtilities", to={"Catering": 1}
            ),
            "leaves 'Chips and Nuts' without a utility",
        ),
        (
            changed(
                "issueUtilities", "Food", "discreteutils", "valueUtilities", "Catering", to=1.5
            ),
            "utility of 'Catering' is 1.5. Allowed: 0 to 1",
        ),
        (
            changed(
                "issueUtilities", "Food", "discreteutils", "valueUtilities", "Catering", to=None
            ),
            "utility of 'Catering' is None",
        ),
        (
            changed("issueUtilities", "Guests", "numberutils", to={"lowValue": 1}),
            "lacks lowUtility",
        ),
        (
            changed("issueUtilities", "Guests", "numberutils", "highValue", to=10),
            "runs from 10 to 10",
        ),
        (
            changed("issueUtilities", "Guests", "numberutils", "highValue", to="x"),
            "highValue is 'x'",
        ),
        (
            changed("issueUtilities", "Guests", "numberutils", "lowUtility", to=2),
            "utility of '10' is 2",
        ),
        (
            changed(
                "issueUtilities",
                "Food",
                to={
                    "numberutils": {
                        "lowValue": 0,
                        "lowUtility": 0,
                        "highValue": 1,
                        "highUtility": 1,
                    }
                },
            ),
            "value is 'Chips and Nuts'",
        ),
        (changed("issueUtilities", to={}), "lacks 'Food' in issueUtilities"),
        (changed("issueWeights", "Fod", to=0), "has 'Fod' in issueWeights"),
        (changed("issueWeights", "Food", to=-1), "weight is -1. Allowed: 0 to 1"),
        (changed("issueWeights", "Food", to="much"), "weight is 'much'"),
        (
            changed("domain", to={"issuesValues": {"Food": {"values": ["x"]}}}),
            "is about another domain",
        ),
        (changed("reservationBid", to=3), "reservationBid: lacks the object 'issuevalues'"),
        (changed("reservationBid", to={"issuevalues": {"Food": "Fish"}}), "sets Food to 'Fish'"),
        (changed("reservationBid", to={"issuevalues": {"Food": None}}), "value is None"),
    ],
)
def test_what_is_wrong_with_a_profile_is_told_with_its_file(ann: object, told: str) -> None:
    said = refusal(ann)
    assert told in said
    assert said.startswith("ann.json")


@pytest.mark.parametrize(
    ("issues", "told"),
    [
        ({}, "has no terms"),
        ({"a": 3}, "issue 'a': has no values"),
        ({"a": {"values": ["x"], "range": [1, 2, 1]}}, "has no values"),
        ({"a": {"range": [1, 2]}}, "has no values"),
        ({"a": {"range": [1, 2, 0]}}, "has the step 0"),
        ({"a": {"range": [1, 2, "x"]}}, "range is 'x'"),
        ({"a": {"values": []}}, "has no options"),
        ({"a": {"values": ["x", "x"]}}, "lists 'x' twice"),
        ({"a": {"values": [None]}}, "value is None"),
        ({"a": {"values": [True]}}, "value is True"),
    ],
)
def test_what_is_wrong_with_a_domain_is_told_with_its_file(issues: Any, told: str) -> None:
    said = refusal(domain={"issuesValues": issues})
    assert told in said
    assert said.startswith("party.json")


# --- files -----------------------------------------------------------------------------------


def write(folder: Path, **data: object) -> Path:
    for name, body in data.items():
        (folder / f"{name}.json").write_text(json.dumps(body))
    return folder


def test_a_folder_a_domain_and_profiles_alone_say_the_same(tmp_path: Path) -> None:
    folder = write(tmp_path, party=DOMAIN, ann=PROFILE, bob=PROFILE, other={"x": 1})
    (folder / "broken.json").write_text("{")
    expected = read_geniusweb(folder)
    assert expected.problem.names == ("ann", "bob")
    assert read_geniusweb(folder / "party.json") == expected
    assert read_geniusweb(folder / "ann.json") == expected
    assert read_geniusweb(folder / "ann.json", [folder / "bob.json"]) == expected
    assert (
        read_geniusweb(folder / "party.json", [folder / "bob.json", folder / "ann.json"])
        == expected
    )
    (folder / "party.json").unlink()
    assert read_geniusweb(folder) == expected


def test_the_order_of_issues_in_a_profile_means_nothing(tmp_path: Path) -> None:
    other = {"issuesValues": dict(reversed(DOMAIN["issuesValues"].items()))}  # type: ignore[attr-defined]
    folder = write(tmp_path, party=DOMAIN, ann=changed("domain", to=other), bob=PROFILE)
    assert read_geniusweb(folder).problem == loaded().problem


def path_refusal(path: Path, *profiles: Path) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_geniusweb(path, profiles)
    return str(refused.value)


def test_a_profile_alone_an_empty_folder_and_broken_files_are_told(tmp_path: Path) -> None:
    assert "holds no GeniusWeb files" in path_refusal(tmp_path)
    write(tmp_path, ann=PROFILE)
    assert "ann.json: is the profile of one party" in path_refusal(tmp_path / "ann.json")
    (tmp_path / "bad.json").write_text('{"a": 1, "a": 2}')
    assert "bad.json: is not valid JSON: the key 'a' stands twice" in path_refusal(
        tmp_path / "bad.json"
    )
    (tmp_path / "nan.json").write_text('{"a": NaN}')
    assert "NaN is not a number" in path_refusal(tmp_path / "nan.json")
    (tmp_path / "far.json").write_text('{"a": 1e99999999999999999999}')
    assert "is not a number that can be used" in path_refusal(tmp_path / "far.json")
    assert "cannot be read" in path_refusal(tmp_path / "gone.json")


def test_numbers_are_as_exact_as_they_are_written(tmp_path: Path) -> None:
    text = json.dumps(PROFILE).replace("0.75", "0.7500000000000000000001")
    folder = write(tmp_path, party=DOMAIN, bob=PROFILE)
    (folder / "ann.json").write_text(text)
    found = ann_of(read_geniusweb(folder)).table()["Food"]["Chips and Nuts"]
    assert found == Fraction("0.4") * Fraction("0.7500000000000000000001")
