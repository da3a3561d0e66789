"""Reviews of a ledger: what the next call carries on, who waits, where all stand (W3, W4, K1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.app import App
from comity.core.errors import InvalidInput
from comity.formats.review_file import scenario_of
from comity.formats.scenario import Scenario
from comity.protocols.review.presets import preset_rules
from comity.protocols.review.rules import ReviewLimits
from comity.testing.clock import FakeClock
from comity.watch.reviews import carry_on, collected, counted_call, report_of, standings

YES = "VOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: no limit\nTO APPROVE: add one"
SAID = {"Planner": YES, "Architect": NO, "Critic": YES}


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def app(tmp_path: Path, clock: FakeClock) -> Iterator[App]:
    with App(str(tmp_path / "comity.db"), clock=clock) as made:
        yield made


def scenario(phase: str = "plan", name: str = "Sign-in", **settings: Any) -> Scenario:
    rules = preset_rules("power-trio", name, artefact="Build it.", phases=[phase], **settings)
    return scenario_of(rules, agents={})


def call(app: App, said: dict[str, str], made: Scenario | None = None, **how: str) -> Any:
    given, agents = collected(made or scenario(), said, **how)
    going = carry_on(app.ledger, given)
    return app.decide(going, {}, folder=Path(), agents=agents)


def test_w3_counts_are_kept_in_the_ledger(app: App, clock: FakeClock) -> None:
    outcomes = []
    for _ in range(3):
        outcomes.append(call(app, SAID).outcome)
        clock.advance(1)
    assert [one.kind for one in outcomes] == ["blocked", "blocked", "verdict"]
    assert [one.review.round for one in outcomes] == [1, 2, 3]
    assert call(app, SAID, scenario(name="Other")).outcome.kind == "blocked"


def test_what_is_incomplete_is_not_carried(app: App, clock: FakeClock) -> None:
    call(app, SAID)
    clock.advance(1)
    assert call(app, {"Architect": NO}).outcome.kind == "blocked"
    assert call(app, {"Planner": YES}).outcome.kind == "waiting"
    clock.advance(1)
    assert call(app, SAID).outcome.review.round == 2


def test_a_review_that_waits_for_a_person_is_decided_first(app: App, clock: FakeClock) -> None:
    hole = {**SAID, "Architect": NO.replace("limits", "security")}
    waits = call(app, hole, scenario(limits=ReviewLimits(blocks=1)))
    assert waits.outcome.kind == "waiting"
    with pytest.raises(InvalidInput, match="waits for a person"):
        call(app, SAID)
    (standing,) = standings(app.ledger)
    assert (standing.result, standing.blocks, standing.session) == ("waiting", 1, waits.session)
    done = app.decide_case(waits.session, "approve", reason="ok", by="ann", folder=Path())
    assert done.outcome.review.risks[0].accepted_by == "human"  # type: ignore[union-attr]
    clock.advance(1)
    assert call(app, dict.fromkeys(SAID, YES)).outcome.kind == "verdict"
    assert standings(app.ledger)[0].risks[0]["closed_in"] == 1


def test_a_call_with_an_id_is_found_again(app: App) -> None:
    done = call(app, SAID, request_id="7")
    assert counted_call(app.ledger, "Sign-in", "7") == done.session
    assert counted_call(app.ledger, "Sign-in", "8") is None
    assert counted_call(app.ledger, "Other", "7") is None


def test_replies_of_strangers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="did you mean 'Planner'"):
        collected(scenario(), {"Planer": YES})


def test_every_phase_of_a_review_stands_apart_the_newest_first(app: App, clock: FakeClock) -> None:
    assert standings(app.ledger) == ()
    call(app, dict.fromkeys(SAID, YES))
    clock.advance(1)
    call(app, {"Senior Engineer": NO}, scenario("build-tests"))
    clock.advance(1)
    call(app, dict.fromkeys(SAID, YES), scenario(name="Other"))
    told = [(one.name, one.phase, one.result) for one in standings(app.ledger)]
    assert told == [
        ("Other", "plan", "verdict"),
        ("Sign-in", "build-tests", "blocked"),
        ("Sign-in", "plan", "verdict"),
    ]
    assert [one.phase for one in standings(app.ledger, "Sign-in")] == ["build-tests", "plan"]
    assert standings(app.ledger)[1].to_json()["blocks"] == 1


def test_a_review_that_a_process_left_is_open(app: App, tmp_path: Path) -> None:
    class Gone(BaseException):
        """Stands for the death of the process."""

    class Leaves:
        waits = False

        def reply(self, question: object) -> Any:
            raise Gone

    with pytest.raises(Gone):
        app.decide(scenario(), {}, folder=Path(), agents=dict.fromkeys(SAID, Leaves()))
    (standing,) = standings(app.ledger)
    assert (standing.result, standing.phase, standing.round) == ("open", "plan", 0)
    assert carry_on(app.ledger, scenario()) == scenario()


def test_a_report_is_of_a_review_alone(app: App) -> None:
    done = call(app, SAID)
    assert report_of(done.outcome).startswith("# Review of Sign-in")
    from_json: Any = type("Other", (), {})()
    assert report_of(from_json) == ""
