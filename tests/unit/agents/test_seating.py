"""agents/seating.py: words seat an agent, and what is recorded seats it again (contract 2, C7)."""

from __future__ import annotations

import os
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.agents.bargainer import StrategySeat
from comity.agents.bidder import RationalBidder
from comity.agents.command import Command
from comity.agents.person import Person
from comity.agents.rational import AT_OFFERS, RationalAdvocate
from comity.agents.scripted import Scripted
from comity.agents.seating import (
    OWN,
    SeatPlan,
    auto_spec,
    person_seats,
    plan_seat,
    seat_agent,
    seat_names,
    seat_values,
    with_strategies,
)
from comity.core.errors import InvalidInput, UnknownName
from comity.mechanisms.bargaining.domain import domain_of
from comity.protocols.consent.red_lines import Predicate
from comity.protocols.offers.opening import rules_from_json
from comity.testing.bargains import sample_offers, sample_problem

DOMAIN = domain_of({"plan": ["a", "b"]})


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that is all of PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def install(folder: Path, name: str) -> None:
    program = folder / name
    program.write_text("#!/bin/sh\n", "utf-8")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("seat", "program"), [("CC", "claude"), ("CX", "codex"), ("GM", "gemini")]
)
def test_auto_seats_the_coding_agent_that_is_on_the_path(
    seat: str, program: str, programs: Path
) -> None:
    assert auto_spec(seat) is None
    install(programs, program)
    assert auto_spec(seat) == program
    assert plan_seat("auto", seat, folder=programs) == SeatPlan(spec=program)


@pytest.mark.parametrize(
    ("seat", "why"), [("CC", "claude is not on PATH"), ("XY", "auto knows CC, CX and GM")]
)
def test_auto_that_finds_nothing_says_what_it_looked_for(
    seat: str, why: str, programs: Path
) -> None:
    with pytest.raises(InvalidInput, match=why) as caught:
        plan_seat("auto", seat, folder=programs)
    assert f"--agent {seat}=" in str(caught.value)


@pytest.mark.parametrize("spec", ["rational", "person", OWN])
def test_a_plain_word_is_recorded_as_it_is(spec: str, tmp_path: Path) -> None:
    assert plan_seat(spec, "CC", folder=tmp_path) == SeatPlan(spec=spec)


def test_a_command_is_read_when_it_is_seated(tmp_path: Path) -> None:
    assert plan_seat("command:cat -u", "CC", folder=tmp_path).spec == "command:cat -u"
    with pytest.raises(InvalidInput, match="seat 'CC'"):
        plan_seat("command:", "CC", folder=tmp_path)
    with pytest.raises(InvalidInput, match="No closing quotation"):
        plan_seat("command:say 'hm", "CC", folder=tmp_path)


def test_the_lines_of_a_script_are_recorded_so_that_the_file_may_go(tmp_path: Path) -> None:
    script = tmp_path / "talk.txt"
    script.write_text("[CONSENT - CC]\n[CONSENT - CX]\n", "utf-8")
    plan = plan_seat("script:talk.txt", "CX", folder=tmp_path)
    assert plan.spec == "script:talk.txt"
    assert plan.private == {"lines": ("[CONSENT - CX]",)}
    script.unlink()
    agent = seat_agent("CX", plan.spec, plan.private, domain=None)
    assert agent == Scripted(("[CONSENT - CX]",))


@pytest.mark.parametrize(
    ("name", "reason"),
    [("gone.txt", os.strerror(2)), ("latin.txt", "it is not UTF-8 text"), ("", "agent 'script:'")],
)
def test_a_script_that_cannot_be_read_is_named_with_the_reason(
    name: str, reason: str, tmp_path: Path
) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(InvalidInput) as caught:
        plan_seat(f"script:{name}", "CC", folder=tmp_path)
    assert reason in str(caught.value)
    assert "seat 'CC'" in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("ratoinal", "rational"),
        ("rational:5", "rational"),
        ("comand:cat", "command"),
        ("auto:claude", "auto"),
        ("", ""),
    ],
)
def test_words_that_mean_nothing_get_the_nearest_ones(
    spec: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(UnknownName) as caught:
        plan_seat(spec, "CC", folder=tmp_path)
    assert hint in str(caught.value)
    assert "script:FILE" in str(caught.value)


def test_a_script_without_recorded_lines_says_nothing() -> None:
    assert seat_agent("CC", "script:talk.txt", {}, domain=None) == Scripted(())
    assert seat_agent("CC", "script:talk.txt", {"lines": "words"}, domain=None) == Scripted(())


def test_a_command_seat_is_built_from_its_words() -> None:
    agent = seat_agent("CC", "command:cat 'a b'", {}, domain=None)
    assert isinstance(agent, Command)
    assert agent.argv == ("cat", "a b")


def test_a_person_needs_a_terminal() -> None:
    agent = seat_agent("CC", "person", {}, domain=None, prompt=lambda seat, words: "hi")
    assert isinstance(agent, Person)
    with pytest.raises(InvalidInput, match="there is no terminal"):
        seat_agent("CC", "person", {}, domain=None)


def test_a_seat_of_another_program_cannot_be_seated_from_the_record() -> None:
    with pytest.raises(InvalidInput, match="resume it from that program"):
        seat_agent("CC", OWN, {}, domain=DOMAIN)


def test_a_rational_seat_is_built_from_its_own_private_entry() -> None:
    line = Predicate("plan", "in", None, ("a",))
    private = {"values": {"plan": {"a": 2, "b": "1/3"}}, "reservation": "1/2", "unit": "GBP"}
    agent = seat_agent("CC", "rational", private, domain=DOMAIN, red_lines=(line,))
    assert isinstance(agent, RationalAdvocate)
    assert agent.seat == "CC"
    assert agent.red_lines == (line,)
    assert agent.preferences.unit == "GBP"
    assert agent.preferences.reservation == Fraction(1, 2)
    assert agent.preferences.table() == {"plan": {"a": Fraction(2), "b": Fraction(1, 3)}}


@pytest.mark.parametrize("private", [{}, {"values": 5, "reservation": [1], "unit": ""}])
def test_a_rational_seat_without_values_accepts_anything(private: dict[str, object]) -> None:
    agent = seat_agent("CC", "rational", private, domain=DOMAIN)
    assert isinstance(agent, RationalAdvocate)
    assert agent.preferences.reservation is None
    assert agent.preferences.accepts({"plan": "b"})
    assert agent.preferences.unit == "utility"


def test_a_rational_seat_needs_terms_to_value() -> None:
    with pytest.raises(InvalidInput, match="no terms to value") as caught:
        seat_agent("CC", "rational", {}, domain=None)
    assert "--agent CC=command" in str(caught.value)


def test_values_that_do_not_fit_the_terms_are_refused_in_the_seats_name() -> None:
    with pytest.raises(InvalidInput, match="seat 'CC'"):
        seat_agent("CC", "rational", {"values": {"plans": {"a": 1}}}, domain=DOMAIN)


def test_a_program_that_is_not_there_is_a_fault_before_anybody_is_asked(tmp_path: Path) -> None:
    for spec in (
        "command:/nonexist --flag",
        "command:./gone.sh",
        "command:surely-no-such-program",
    ):
        with pytest.raises(InvalidInput, match="not there or cannot be run"):
            plan_seat(spec, "CC", folder=tmp_path)
    script = tmp_path / "seat.sh"
    script.write_text("#!/bin/sh\n", "utf-8")
    script.chmod(0o755)
    assert plan_seat("command:./seat.sh", "CC", folder=tmp_path).spec == "command:./seat.sh"


def test_g10_who_votes_after_a_no_deal_has_a_seat_too() -> None:
    rules: Any = {"order": ["CC", "CX"], "otherwise": {"voters": {"CC": {}, "GM": {}}}}
    assert seat_names("consent", rules) == ("CC", "CX", "GM")
    assert seat_names("bargain", {"order": ["CC"], "otherwise": {"voters": ["GM"]}}) == ("GM",)
    assert seat_names("bargain", {}) == ()


def test_m3_a_strategy_is_seated_by_its_name_and_recorded_with_its_parameter(
    tmp_path: Path,
) -> None:
    assert plan_seat("strategy:boulware", "ann", folder=tmp_path).spec == "strategy:boulware:0.2"
    with pytest.raises(UnknownName, match="did you mean 'boulware'"):
        plan_seat("strategy:bulware", "ann", folder=tmp_path)
    seat = seat_agent("ann", "strategy:boulware:0.2", {}, domain=None)
    assert isinstance(seat, StrategySeat)
    assert (str(seat.strategy), seat.preferences) == ("boulware:0.2", None)
    valued = seat_agent("ann", "strategy:micro", {"values": {"plan": {"a": 1}}}, domain=DOMAIN)
    assert isinstance(valued, StrategySeat)
    assert valued.preferences is not None
    assert valued.preferences.of({"plan": "a"}) == 1


def test_m2_the_seats_of_offers_are_the_parties_of_the_problem_with_their_own_values() -> None:
    rules = sample_offers().to_json()
    assert seat_names("offers", rules) == ("ann", "bob")
    assert seat_names("offers", {"problem": 5}) == ()
    assert seat_names("offers", {"problem": {"parties": ["x"]}}) == ()
    domain, own = seat_values(rules)
    assert domain == sample_problem().domain
    assert own["ann"]["reservation"] == 3
    assert set(own) == {"ann", "bob"}


def test_b7_seats_that_concede_by_the_clock_are_named_in_the_rules() -> None:
    rules = sample_offers().to_json()
    plans = {"ann": SeatPlan(spec="rational"), "bob": SeatPlan(spec="strategy:boulware:0.2")}
    told = with_strategies(rules, plans)
    assert told["strategies"] == {"ann": AT_OFFERS, "bob": "boulware:0.2"}
    assert rules_from_json(told).stall == 40
    assert with_strategies(rules, {"ann": SeatPlan(spec="person")}) is rules
    assert with_strategies({"question": "q"}, plans) == {"question": "q"}


def test_g8_people_behind_a_decision_are_found_in_both_places() -> None:
    assert person_seats({"gate": {"seat": "lead"}, "otherwise": {"gate": {"seat": "boss"}}}) == (
        "lead",
        "boss",
    )
    assert person_seats({"otherwise": None}) == ()


def test_a1_a_rational_seat_with_one_value_bids() -> None:
    found = seat_agent("ann", "rational", {"value": "42.50", "secret": "s"}, domain=None)
    assert found == RationalBidder("ann", (Decimal("42.50"),), "s")


def test_a_live_auction_names_its_bidders_and_who_votes_after_it() -> None:
    rules = {"order": ["ann", "bob"], "otherwise": {"voters": {"lead": {}}}}
    assert seat_names("bidding", rules) == ("ann", "bob", "lead")
