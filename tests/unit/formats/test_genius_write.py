"""Writing for Genius and GeniusWeb: exact or refused, with what they cannot hold (M1, G5, G7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.units import Rates
from comity.formats import geniusweb_write
from comity.formats.file_losses import decimal_text
from comity.formats.genius_write import write_genius
from comity.formats.genius_xml import read_genius_texts
from comity.formats.geniusweb_json import read_geniusweb_data
from comity.formats.geniusweb_write import write_geniusweb
from comity.formats.scenario import json_data
from comity.mechanisms.bargaining.constraints import constraints_of
from comity.mechanisms.bargaining.domain import Domain, domain_of
from comity.mechanisms.bargaining.preferences import additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem, problem_of
from comity.mechanisms.bargaining.valuations import tabled

ODD = {'17" screen': ["<b>&amp;", "a 'b'"], "naïve": ["é", "x  y"]}
FIRST, SECOND = ODD


def of_two(domain: Domain, values: Any, **limits: Any) -> Problem:
    both = {name: additive(domain, values, **limits) for name in ("ann", "bob")}
    return problem_of(domain, both)


def genius_again(files: Mapping[str, str]) -> Problem:
    profiles = [(name, text.encode()) for name, text in files.items() if "-domain" not in name]
    return read_genius_texts(files["scenario-domain.xml"].encode(), profiles).problem


def geniusweb_again(files: Mapping[str, str]) -> Problem:
    data = {name: json_data(text, exact=True) for name, text in files.items()}
    profiles = [(name, body) for name, body in data.items() if name != "scenario.json"]
    return read_geniusweb_data(("scenario.json", data["scenario.json"]), profiles).problem


def test_genius_files_say_the_problem_again_to_the_last_digit() -> None:
    domain = domain_of(ODD, free=True)
    values = {FIRST: {"<b>&amp;": "1/3", "a 'b'": "0.5"}, SECOND: {"é": "0.1", "x  y": 0}}
    problem = of_two(domain, values, reservation="0.25", discount="0.75")
    assert genius_again(write_genius(problem)) == problem


def test_geniusweb_files_say_the_problem_again() -> None:
    domain = domain_of(ODD, free=True)
    values = {FIRST: {"<b>&amp;": "0.1", "a 'b'": "0.5"}, SECOND: {"é": "0.2", "x  y": 0}}
    problem = of_two(domain, values, reservation="0.3")
    files = write_geniusweb(problem)
    assert geniusweb_again(files) == problem
    weights = json.loads(files["ann.json"])["LinearAdditiveUtilitySpace"]["issueWeights"]
    assert sum(weights.values()) == 1


def test_values_of_many_digits_are_written_as_decimals() -> None:
    domain = domain_of({"a": ["x", "y"]}, free=True)
    problem = of_two(domain, {"a": {"x": "1", "y": "0.12345678901234567891"}}, reservation=0)
    files = write_genius(problem)
    assert 'evaluation="0.12345678901234567891"' in files["ann.xml"]
    assert genius_again(files) == problem


def test_a_party_without_a_reservation_gets_0_in_genius_and_none_in_geniusweb() -> None:
    problem = of_two(domain_of({"a": ["x", "y"]}, free=True), {"a": {"x": 1}})
    assert '<reservation value="0"/>' in write_genius(problem)["ann.xml"]
    assert "reservationBid" not in write_geniusweb(problem)["ann.json"]
    assert geniusweb_again(write_geniusweb(problem)) == problem


def test_values_of_nothing_can_be_written() -> None:
    problem = of_two(domain_of({"a": ["x", "y"], "b": ["z"]}, free=True), {}, reservation=0)
    assert genius_again(write_genius(problem)) == problem
    assert geniusweb_again(write_geniusweb(problem)) == problem


def refusals(problem: Problem, *, lossy: bool = False) -> tuple[str, str]:
    said = []
    for write in (write_genius, write_geniusweb):
        with pytest.raises(InvalidInput) as refused:
            write(problem, lossy=lossy)
        said.append(str(refused.value))
    return said[0], said[1]


def test_g7_what_is_another_problem_is_refused_whole_even_when_losses_are_allowed() -> None:
    domain = domain_of({"a": ["x", "y"]}, {"n": "3"})
    red = constraints_of(domain, [{"a": "x"}])
    parties = [
        Bargainer("ann", additive(domain, {"a": {"x": -1}}), red),
        Bargainer("bob", tabled(domain, [(["x"], 1), (["y"], 0)])),
        Bargainer("Ann", additive(domain, {})),
    ]
    problem = problem_of(domain, parties, constraints=constraints_of(domain, [], ["n < 4"]))
    for said in refusals(problem, lossy=True):
        for told in (
            "problem: has constraints: n < 4",
            "ann: has red lines: not (a in {x})",
            "ann: values a = x at -1",
            "bob: does not value deals as a sum over the issues",
            "ann: would share the file ann.",
            "Ann: would share the file Ann.",
        ):
            assert told in said


def test_g7_what_is_lost_is_refused_whole_unless_it_is_allowed() -> None:
    domain = domain_of({"a": {"x": {"ms": 5}, "y": {"ms": 1}}}, {"n": "a.ms"})
    values = {"a": {"x": "10/3", "y": 1}}
    both = {
        "ann": additive(domain, values, reservation="1/3", unit="ms", discount="1/3"),
        "bob": additive(domain, {"a": {"x": "1/3"}}),
    }
    problem = problem_of(domain, both, rates=Rates("GBP", (("ms", Fraction(1)),)))
    genius, geniusweb = refusals(problem)
    for told in (
        "problem: has the declared sum 'n'",
        "has the number x.ms at term 'a'",
        "problem: states rates between units",
        "ann: is measured in 'ms'",
        "ann: values the best deal at 10/3 (3.3333)",
    ):
        assert told in genius
        assert told in geniusweb
    assert "ann: its discount factor is 1/3 (0.3333), which no decimal holds" in genius
    assert "bob: its largest value of 'a' is 1/3" in genius
    assert "ann: has the discount 1/3" in geniusweb
    assert "ann: has the reservation 0.1. Allowed: what a deal is worth" in geniusweb
    again = genius_again(write_genius(problem, lossy=True))
    assert again.party("ann").preferences.of({"a": "x"}) == 1
    assert again.party("ann").preferences.reservation == Fraction(1, 10)
    near = again.party("bob").preferences.of({"a": "x"})
    assert near != Fraction(1, 3)
    assert abs(near - Fraction(1, 3)) < Fraction(1, 10**15)
    web = geniusweb_again(write_geniusweb(problem, lossy=True)).party("ann").preferences
    assert web.reservation == web.of({"a": "y"})


def test_shares_that_no_decimal_holds_are_lost_in_geniusweb_only() -> None:
    domain = domain_of({"a": ["x", "y"], "b": ["z", "w"]}, free=True)
    values = {"a": {"x": "0.3", "y": "0.1"}, "b": {"z": "0.7", "w": "0.2"}}
    problem = of_two(domain, values, reservation=0)
    assert genius_again(write_genius(problem)) == problem
    with pytest.raises(InvalidInput) as refused:
        write_geniusweb(problem)
    assert "ann: the share of a = y in its weight is 1/3" in str(refused.value)
    assert "write with lossy=True" in str(refused.value)


def test_evaluations_of_endless_shares_are_refused_in_genius() -> None:
    domain = domain_of({"a": ["x", "y"]}, free=True)
    tiny = f"1/{3**40}"
    problem = of_two(domain, {"a": {"x": 1, "y": tiny}}, reservation=0)
    with pytest.raises(InvalidInput, match="the share of a = y in its largest value"):
        write_genius(problem)
    assert (
        genius_again(write_genius(problem, lossy=True)).parties[0].preferences.of({"a": "y"}) > 0
    )


def test_a_reservation_above_every_deal_is_lost_in_geniusweb() -> None:
    problem = of_two(domain_of({"a": ["x", "y"]}, free=True), {"a": {"x": 1}}, reservation=2)
    with pytest.raises(InvalidInput, match="what a deal is worth"):
        write_geniusweb(problem)
    again = geniusweb_again(write_geniusweb(problem, lossy=True))
    assert again.parties[0].preferences.reservation == 1


def test_the_search_for_a_deal_of_a_value_ends_also_among_very_many_deals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(geniusweb_write, "_MOST_SUMS", 50)
    terms = {f"t{at}": [str(option) for option in range(10)] for at in range(8)}
    domain = domain_of(terms, free=True)
    values = {
        name: {option: Fraction(int(option), 100 * 7 ** int(name[1:])) for option in options}
        for name, options in terms.items()
    }
    problem = of_two(domain, values, reservation="0.05")
    files = write_geniusweb(problem, lossy=True)
    assert "reservationBid" in files["ann.json"]


def test_decimals_are_told_from_what_is_rounded() -> None:
    assert decimal_text(Fraction(0)) == ("0", True)
    assert decimal_text(Fraction(100)) == ("100", True)
    text, is_exact = decimal_text(Fraction(1, 3 * 10**30))
    assert not is_exact
    assert text.startswith("0." + "0" * 30 + "333333333333")
