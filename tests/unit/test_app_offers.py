"""app.py, M2, G8, G10, K2: bargaining over issues on a real ledger, run, waited for, resumed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.agents.base import Question, Reply
from comity.agents.rational import AT_OFFERS
from comity.app import App
from comity.cli.play import result_json
from comity.core.results import Waiting
from comity.formats.scenario import Scenario, scenario_from
from comity.render.account import account_text
from comity.render.ink import Ink
from comity.render.text import result_text
from comity.testing.agents import ScriptedAgent
from comity.testing.clock import FakeClock

START_MS = 1_700_000_000_000
ANNS, BOTH = "OFFER: tls = 1.3; days = 30", "OFFER: tls = 1.3; days = 60"
BOBS = "OFFER: tls = 1.2; days = 60"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with App(str(tmp_path / "ledger.db"), clock=FakeClock(START_MS)) as made:
        yield made


def scenario(**more: Any) -> Scenario:
    parties: Any = {
        "ann": {
            "reservation": 3,
            "values": {"tls": {"1.2": 1, "1.3": 4}, "days": {"30": 2, "60": 0}},
        },
        "bob": {
            "reservation": 2,
            "values": {"tls": {"1.2": 2, "1.3": 0}, "days": {"30": 0, "60": 3}},
        },
    }
    for name, own in more.pop("parties", {}).items():
        parties[name].update(own)
    data = {
        "kind": "offers",
        "question": "Which TLS?",
        "issues": {"tls": ["1.2", "1.3"], "days": ["30", "60"]},
        "parties": parties,
        "first": "ann",
        **more,
    }
    return scenario_from(data, whose="x", folder=Path(), seed="1")


def says(**lines: tuple[str, ...]) -> dict[str, Any]:
    return {name: ScriptedAgent(said) for name, said in lines.items()}


def test_m2_a_session_runs_is_listed_read_replayed_and_verified(app: App, tmp_path: Path) -> None:
    agents = says(ann=(ANNS, BOTH), bob=(BOBS, "ACCEPT: ann-1"))
    found = app.decide(scenario(), {}, folder=tmp_path, agents=agents)
    assert found.outcome.says.startswith("Deal in round 1: bob accepts ann-1")  # type: ignore[union-attr]
    (listed,) = app.sessions()
    assert (listed.kind, listed.result) == ("offers", "agreement")
    assert listed.says == found.outcome.says  # type: ignore[union-attr]
    assert app.replay(found.session).same
    assert app.outcome(found.session) == found.outcome
    assert len(app.messages(found.session)) == 5
    assert not app.verify().problems
    data = result_json(found)
    assert data["session"] == found.session
    assert "Deal in round 1" in result_text(data, Ink())
    opened: Any = {
        "session": found.session,
        "kind": "offers",
        "title": "x",
        "agents": {},
        "at_ms": 0,
    }
    told = account_text(opened, found.outcome.to_json(), Ink())
    assert "ended by accepted" in told


def test_c7_strategies_and_rational_seats_play_by_themselves(app: App, tmp_path: Path) -> None:
    seats = {"ann": "strategy:boulware:0.2", "bob": "rational"}
    found = app.decide(scenario(rounds=12), seats, folder=tmp_path)
    assert found.outcome.is_decided
    strategies = found.opening.rules["strategies"]
    assert strategies == {"ann": "boulware:0.2", "bob": AT_OFFERS}
    assert app.replay(found.session).same


def test_complaint_26_a_session_left_by_its_process_goes_on_with_its_table(
    app: App, tmp_path: Path
) -> None:
    class Interrupted:
        waits = False

        def reply(self, question: Question) -> Reply:
            raise KeyboardInterrupt

    agents = {**says(ann=(BOTH,)), "bob": Interrupted()}
    with pytest.raises(KeyboardInterrupt):
        app.decide(scenario(), {}, folder=tmp_path, agents=agents)
    (listed,) = app.sessions()
    assert listed.result == "open"
    agents = says(ann=(), bob=("ACCEPT: ann-0",))
    found = app.resume(listed.session, folder=tmp_path, agents=agents)
    assert found.outcome.is_decided
    assert app.replay(listed.session).same


def test_g8_a_thin_deal_waits_for_a_person_and_is_decided_by_one(app: App, tmp_path: Path) -> None:
    made = scenario(person={"seat": "lead"}, parties={"bob": {"reservation_binds": False}})
    agents = says(ann=(ANNS,), bob=("ACCEPT: ann-0",))
    found = app.decide(made, {}, folder=tmp_path, agents=agents)
    assert isinstance(found.outcome, Waiting)
    assert found.outcome.whom == ("lead",)
    decided = app.resume(found.session, folder=tmp_path, agents=agents, decides="no deal")
    assert decided.outcome.reason == "objections"  # type: ignore[union-attr]
    assert app.replay(found.session).same


def test_g10_a_no_deal_goes_on_to_a_vote_of_the_seats(app: App, tmp_path: Path) -> None:
    seats = {"ann": "strategy:hardliner", "bob": "strategy:hardliner"}
    made = scenario(rounds=2, otherwise=["vote", "resolve"])
    found = app.decide(made, seats, folder=tmp_path)
    assert found.outcome.kind == "choice"
    assert found.outcome.option in {"ann's last offer", "bob's last offer"}  # type: ignore[union-attr]


def test_m5_a_mediated_session_is_decided_in_its_first_step(app: App, tmp_path: Path) -> None:
    seats = {"ann": "rational", "bob": "rational"}
    found = app.decide(scenario(protocol="mediated"), seats, folder=tmp_path)
    assert found.outcome.how == "mediated"  # type: ignore[union-attr]
    assert app.replay(found.session).same
