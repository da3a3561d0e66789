"""Results: forms of the closed family, tallies, what is carried on (G1, W3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from comity.core.canonical import canonical
from comity.core.results import Choice, Grounds, result_from_json
from comity.core.step import Input
from comity.protocols.collect.rules import Gate
from comity.protocols.review.results import RoundTally, carried_of

Open = Callable[..., Any]
YES = "VOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: no limit\nTO APPROVE: add one\nSUGGESTION: nine"


def ended(review: Open, how: str) -> Any:
    live = review(gate=Gate(default="block")) if how == "waiting" else review()
    if how in {"waiting", "no_quorum"}:
        live.fails("Critic")
    if how == "no_decision":
        live.do(Input(kind="cancel", now_ms=0))
        return live.outcome
    live.all_say(**({"Architect": NO} if how == "blocked" else {}))
    return live.state.waiting if how == "waiting" else live.outcome


@pytest.mark.parametrize(
    ("kind", "code"),
    [("verdict", 0), ("blocked", 12), ("waiting", 11), ("no_quorum", 13), ("no_decision", 10)],
)
def test_g1_every_kind_survives_json_and_says_itself(review: Open, kind: str, code: int) -> None:
    found = ended(review, kind)
    data = json.loads(canonical(found.to_json()))
    assert (data["kind"], data["form"], found.exit_code) == (kind, "review", code)
    assert result_from_json(data) == found
    assert "PLAN.md, plan, round 1" in found.says
    assert found.grounds.rule == "review"
    assert found.grounds.scores[0].value == len(found.review.rounds[-1].approvals)


def test_three_of_three_means_three_ballots() -> None:
    told = {"phase": "plan", "round": 1, "digest": "", "needed": 3}
    assert not RoundTally(**told, approvals=("a", "b")).is_passed
    assert RoundTally(**told, approvals=("a",), with_risk=("b",), by_person=("c",)).is_passed


@pytest.mark.parametrize(
    ("kind", "round_"), [("verdict", 0), ("blocked", 1), ("waiting", 0), ("no_decision", 0)]
)
def test_what_is_carried_on_is_what_counted(review: Open, kind: str, round_: int) -> None:
    carried = carried_of(ended(review, kind))
    assert carried is not None
    assert (carried.phase, carried.round) == ("plan", round_)
    assert carried.passed == (("plan",) if kind == "verdict" else ())


def test_other_results_carry_nothing() -> None:
    grounds = Grounds(rule="r", ended_by="e", inputs_digest="0")
    assert carried_of(Choice(option="A", grounds=grounds)) is None
