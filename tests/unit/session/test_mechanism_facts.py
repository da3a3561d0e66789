"""session/mechanism_facts.py: every mechanism says all of it, and its command can be run."""

from __future__ import annotations

import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

import comity
from comity.agents.base import Reply
from comity.app import App
from comity.cli.root import COMMANDS
from comity.formats.consent_file import scenario_of
from comity.formats.issues import read_problem
from comity.protocols.consent.rules import consent_rules
from comity.session.advice_table import ROWS
from comity.session.mechanism_facts import MECHANISMS, Mechanism

ROOT = Path(__file__).resolve().parents[3]
RUNS = sorted(
    {
        *(one.run for one in MECHANISMS.values()),
        *(run for row in ROWS for run in (row.run, row.second_run) if run),
    }
)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=list(MECHANISMS))
def test_every_mechanism_says_all_of_it(mechanism: Mechanism) -> None:
    said = [getattr(mechanism, field.name) for field in fields(mechanism)]
    assert all(said)
    assert not [one for one in said if "|" in one]
    assert {"mechanism": mechanism.name, "rounds": mechanism.rounds}.items() <= (
        mechanism.to_json().items()
    )


def test_what_can_be_imposed_needs_no_rounds_and_stands_first() -> None:
    assert list(MECHANISMS)[:3] == ["assignment", "pipeline", "debate"]
    assert [name for name, one in MECHANISMS.items() if one.imposes.startswith("nobody")] == (
        list(MECHANISMS)[3:]
    )
    assert MECHANISMS["assignment"].rounds == "0"


@pytest.mark.parametrize("run", RUNS)
def test_the_command_to_try_exists_and_its_example_is_shipped(run: str) -> None:
    words = run.rpartition("| ")[2].split()
    assert words[0] == "comity"
    assert words[1] in COMMANDS
    command = import_module(COMMANDS[words[1]][0]).command
    if isinstance(command, click.Group):
        command = command.commands[words[2]]
    options = {name for one in command.params for name in one.opts}
    assert {word for word in words if word.startswith("--")} <= options
    for shipped in re.findall(r"examples/\S+", run):
        assert (ROOT / shipped).is_file()


# --- the formulas, held against what really happens ------------------------------------------


def test_b3_a_price_takes_two_offers_a_round_at_most_two_for_each_of_t_plus_one() -> None:
    assert MECHANISMS["negotiate a price"].messages == "2 a round, at most 2(T + 1)"
    for t in (1, 5, 8):
        none = comity.bargain(buyer=(60, 84), seller=(120, 88), rounds=t, blind=True)
        assert sum(len(one.prices) for one in none.offers) == 2 * (t + 1)


def test_m2_several_issues_take_an_offer_of_each_a_round() -> None:
    assert MECHANISMS["negotiate several issues"].messages == "n a round, at most n·T"
    problem = read_problem(ROOT / "examples" / "rollout.toml").problem
    for t in (3, 20):
        none = comity.negotiate_issues(
            problem, ("hardliner", "hardliner"), seed="1", rounds=t, stall=10**6
        )
        assert (none.kind, len(none.offers)) == ("no_deal", len(problem.names) * t)


class Agreeable:
    """A seat that calls a check on a term of its own, and consents to any other."""

    waits = False

    def reply(self, question: Any) -> Reply:
        said = {
            "position": "PRIORITY: p\nRATIONALE: r\nRED LINE: none\nWILLING TO TRADE: all",
            "turn": "[CONSENT CHECK]\n- Meet on Tuesdays",
            "answer": "[CONSENT]",
        }
        return Reply(text=said[question.ask.kind])


@pytest.mark.parametrize("n", [3, 5])
def test_c2_consent_takes_two_messages_of_each_at_the_least(n: int, tmp_path: Path) -> None:
    assert MECHANISMS["negotiate to consent"].messages.startswith("2n or more")
    seats = "abcde"[:n]
    rules = consent_rules("Which day?", dict.fromkeys(seats, "Peace"), seed="1")
    scenario = scenario_of(rules, agents={}, private={})
    with App(":memory:") as app:
        agents = {name: Agreeable() for name in seats}
        decided = app.decide(scenario, {}, folder=tmp_path, agents=agents)
    assert decided.outcome.to_json()["record"]["turns"] == 2 * n
