"""agents/lineup.py: who sits where, told whole before anybody is asked (C7, G7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.agents.lineup import agents_of, plans_of, transcript_order
from comity.agents.person import Person
from comity.core.errors import InvalidInput
from comity.formats.scenario import Scenario, scenario_from
from comity.session.record import Opening

TALK = "[PROPOSAL - CX]\nI OFFER: x\n[CONSENT - CC]\n"


def vote(**more: object) -> Scenario:
    data = {"kind": "vote", "question": "q", "options": ["A", "B"], "voters": ["ann", "bob"]}
    return scenario_from({**data, **more}, whose="x", folder=Path(), seed="1")


def test_every_seat_gets_its_plan_and_a_seat_of_the_caller_wins(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("VOTE: A\n", "utf-8")
    found = plans_of(vote(), {"ann": "script:a.txt", "bob": "own"}, folder=tmp_path)
    assert {seat: plan.spec for seat, plan in found.items()} == {
        "ann": "script:a.txt",
        "bob": "own",
    }
    assert list(found["ann"].private) == ["lines"]


def test_g7_every_fault_of_every_seat_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as caught:
        plans_of(vote(), {"ann": "ratoinal", "zoe": "person"}, folder=tmp_path)
    assert [fault.whose for fault in caught.value.faults] == ["seats", "seats", "seat 'ann'"]


def test_g8_a_person_behind_the_decision_is_there_only_at_a_terminal() -> None:
    agents = {"ann": "own", "bob": "person", "human": "person"}
    opening = Opening(kind="vote", title="q", rules=vote().rules, agents=agents)
    there = agents_of(opening, {}, lambda seat, words: "A", without=("ann",))
    assert {seat: type(one) for seat, one in there.items()} == {"bob": Person, "human": Person}
    with pytest.raises(InvalidInput, match=r"seat 'bob'.*there is no terminal"):
        agents_of(opening, {}, None, without=("ann",))
    assert agents_of(opening, {}, None, without=("ann", "bob")) == {}


def test_the_order_of_a_transcript_is_that_of_its_first_lines(tmp_path: Path) -> None:
    (tmp_path / "talk.txt").write_text(TALK, "utf-8")
    both = dict.fromkeys(("CC", "CX"), "script:talk.txt")
    assert transcript_order(both, folder=tmp_path) == ("CX", "CC")
    assert transcript_order({**both, "CC": "own"}, folder=tmp_path) is None
    assert transcript_order(dict.fromkeys(both, "script:gone.txt"), folder=tmp_path) is None
