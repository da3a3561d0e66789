"""Reviews of a ledger: what the next call carries on, who waits, where all stand (W3, W4, K1)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from comity.app import App
from comity.core.codec import encode
from comity.core.errors import Fault, InvalidInput, SequenceConflict
from comity.formats.review_file import scenario_of
from comity.formats.scenario import Scenario
from comity.protocols.review.book import Carried
from comity.protocols.review.presets import preset_rules
from comity.protocols.review.rules import ReviewLimits
from comity.testing.clock import FakeClock
from comity.watch.reviews import (
    carry_on,
    collected,
    counted_call,
    overtaken,
    report_of,
    settled,
    standings,
)

YES = "VOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: no limit\nTO APPROVE: add one"
SAID = {"Planner": YES, "Architect": NO, "Critic": YES}
HOLE = {**SAID, "Architect": NO.replace("limits", "security")}
ONE = ReviewLimits(blocks=1)


class Gone(BaseException):
    """Stands for the death of the process."""


class Leaves:
    """A seat in whose turn the process dies."""

    waits = False

    def reply(self, question: object) -> Any:
        raise Gone


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def app(tmp_path: Path, clock: FakeClock) -> Iterator[App]:
    with App(str(tmp_path / "comity.db"), clock=clock) as made:
        yield made


def scenario(
    phase: str = "plan", name: str = "Sign-in", *, text: str = "Build it.", **settings: Any
) -> Scenario:
    rules = preset_rules("power-trio", name, artefact=text, phases=[phase], **settings)
    return scenario_of(rules, agents={})


def call(app: App, said: dict[str, str], made: Scenario | None = None, **how: str) -> Any:
    done = unlinked(app, said, made, **how)
    assert settled(app.ledger, done.session)
    return done


def unlinked(
    app: App,
    said: dict[str, str],
    made: Scenario | None = None,
    *,
    is_late: bool = False,
    **how: str,
) -> Any:
    """Decide a call as a process does that ends before it links it; late: on what it has read."""
    given, agents = collected(made or scenario(), said, **how)
    going = given if is_late else carry_on(app.ledger, given, skips_earlier=True)
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
    waits = call(app, HOLE, scenario(limits=ONE))
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


def found(app: App, said: dict[str, str], request_id: str, made: Scenario | None = None) -> Any:
    return counted_call(app.ledger, collected(made or scenario(), said, request_id=request_id)[0])


def test_a_call_with_an_id_is_found_again(app: App) -> None:
    done = call(app, SAID, request_id="7")
    assert found(app, SAID, "7") == done.session
    assert found(app, SAID, "8") is None
    assert found(app, SAID, "7", scenario(name="Other")) is None


@pytest.mark.parametrize(
    ("said", "made", "told"),
    [
        ({**SAID, "Architect": YES}, scenario(), "it has other replies"),
        (SAID, scenario(text="Build two."), "it has version 7faf8b508a7e"),
        ({"Senior Engineer": NO}, scenario("build-tests"), "it has phase plan, other replies"),
        (SAID, scenario(mitigation="later"), "it has other settings"),
    ],
)
def test_k3_an_id_names_one_call_alone(
    app: App, said: dict[str, str], made: Scenario, told: str
) -> None:
    call(app, SAID, request_id="7")
    call(app, SAID)  # however many calls came after it
    with pytest.raises(InvalidInput) as caught:
        found(app, said, "7", made)
    (fault,) = caught.value.faults
    assert told in fault.what
    assert fault.whose == "--request-id '7'"
    assert found(app, SAID, "7") is not None


def test_w4_a_call_that_waits_for_replies_is_made_again_under_its_id(app: App) -> None:
    part = {"Planner": YES, "Critic": YES}
    assert call(app, part, request_id="7").outcome.kind == "waiting"
    assert found(app, part, "7") is None
    assert found(app, SAID, "7") is None
    done = call(app, SAID, request_id="7")
    assert found(app, SAID, "7") == done.session


def test_a_call_that_waits_for_a_person_is_found_under_its_id(app: App) -> None:
    one = scenario(limits=ONE)
    waits = call(app, HOLE, one, request_id="7")
    assert found(app, HOLE, "7", one) == waits.session


# --- calls at once ---------------------------------------------------------------------------


def test_k3_of_two_calls_at_once_the_second_counts_for_nothing(app: App) -> None:
    first, second = (unlinked(app, SAID, is_late=True) for _ in range(2))
    assert settled(app.ledger, second.session)
    assert not settled(app.ledger, first.session)
    assert settled(app.ledger, second.session)
    assert [one.session for one in standings(app.ledger)] == [second.session]
    assert call(app, SAID).outcome.review.round == 2
    assert call(app, SAID).outcome.kind == "verdict"
    assert str(overtaken(first.session)).startswith(f"session {first.session}: counts for nothing")


def test_k3_calls_at_once_of_one_id_count_once(app: App) -> None:
    first = unlinked(app, SAID, is_late=True, request_id="7")
    second = unlinked(app, SAID, is_late=True, request_id="7")
    assert settled(app.ledger, first.session)
    assert found(app, SAID, "7") == first.session
    assert not settled(app.ledger, second.session)


def test_k3_who_looks_while_another_links_sees_it(app: App, monkeypatch: Any) -> None:
    done = unlinked(app, SAID)
    append = app.ledger.append

    def raced(*given: Any, **named: Any) -> Any:
        append(*given, **named)
        raise SequenceConflict(Fault("x", "is linked", "y", "z"))

    monkeypatch.setattr(app.ledger, "append", raced)
    assert settled(app.ledger, done.session)


def test_k3_a_call_that_was_never_linked_is_linked_by_the_next(app: App, clock: FakeClock) -> None:
    unlinked(app, SAID)
    clock.advance(1)
    assert [one.round for one in standings(app.ledger)] == [1]
    assert call(app, SAID).outcome.review.round == 2


def test_k3_nobody_is_asked_about_a_call_that_came_second(app: App) -> None:
    one = scenario(limits=ONE)
    first, second = (unlinked(app, HOLE, one, is_late=True) for _ in range(2))
    assert settled(app.ledger, first.session)
    assert not settled(app.ledger, second.session)
    assert [one.session for one in app.cases().waiting] == [first.session]


def test_k3_a_left_session_that_ends_later_overwrites_nothing(
    app: App, tmp_path: Path, clock: FakeClock
) -> None:
    going = carry_on(app.ledger, scenario())
    with pytest.raises(Gone):
        app.decide(going, {}, folder=Path(), agents=dict.fromkeys(SAID, Leaves()))
    (left,) = standings(app.ledger)
    assert settled(app.ledger, left.session)  # nothing is to be linked yet
    for _ in range(2):
        clock.advance(1)
        call(app, SAID)
    clock.advance(1)
    agents = collected(scenario(), dict.fromkeys(SAID, YES))[1]
    resumed = app.resume(left.session, folder=Path(), agents=agents)
    assert resumed.outcome.kind == "verdict"
    assert not settled(app.ledger, resumed.session)
    assert call(app, SAID).outcome.review.round == 3


def test_k3_a_linked_session_that_was_left_is_taken_up_first(app: App, clock: FakeClock) -> None:
    rules = preset_rules(
        "power-trio", "Sign-in", artefact="Build it.", phases=["plan"], reviser="Builder",
        limits=ONE,
    )  # fmt: skip
    made = scenario_of(rules, agents={})
    agents = collected(made, HOLE)[1]
    waits = app.decide(carry_on(app.ledger, made), {}, folder=Path(), agents=agents)
    assert settled(app.ledger, waits.session)
    with pytest.raises(Gone):
        app.resume(
            waits.session, folder=Path(), decides="again",
            agents={**agents, "Builder": Leaves()},
        )  # fmt: skip
    with pytest.raises(InvalidInput, match="was left before its end"):
        carry_on(app.ledger, scenario())


# --- phases in order -------------------------------------------------------------------------


def test_w4_a_phase_waits_for_those_before_it(app: App, clock: FakeClock) -> None:
    tests, impl = scenario("build-tests"), scenario("build-impl")
    with pytest.raises(InvalidInput, match="plan, build-tests have not passed"):
        carry_on(app.ledger, impl)
    carry_on(app.ledger, impl, skips_earlier=True)
    call(app, SAID)
    with pytest.raises(InvalidInput, match="plan has not passed"):
        carry_on(app.ledger, tests)
    clock.advance(1)
    call(app, dict.fromkeys(SAID, YES))
    going: Any = carry_on(app.ledger, tests)
    assert going.rules["carried"]["passed"] == ["plan"]
    clock.advance(1)
    call(app, SAID)  # it is blocked again: the pass is gone
    with pytest.raises(InvalidInput, match="plan has not passed"):
        carry_on(app.ledger, tests)


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
    with pytest.raises(Gone):
        app.decide(scenario(), {}, folder=Path(), agents=dict.fromkeys(SAID, Leaves()))
    (standing,) = standings(app.ledger)
    assert (standing.result, standing.phase, standing.round) == ("open", "plan", 0)
    going: Any = carry_on(app.ledger, scenario())
    assert going.rules["carried"] == encode(Carried())


def test_a_report_is_of_a_review_alone(app: App) -> None:
    done = call(app, SAID)
    assert report_of(done.outcome).startswith("# Review of Sign-in")
    from_json: Any = type("Other", (), {})()
    assert report_of(from_json) == ""
