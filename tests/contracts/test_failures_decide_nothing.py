"""C5, C7, W1: whatever way a seat fails, that is no vote, no block and no consent."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from comity.agents.base import Agent, FailureKind
from comity.ledger.open import open_ledger
from comity.protocols.consent.rules import consent_rules
from comity.protocols.review.opening import review_rules
from comity.protocols.review.rules import Phase, Reviewer
from comity.runner.local import LocalRunner
from comity.session.record import Opening
from comity.testing.agents import FailingAgent, RecordingAgent, ScriptedAgent
from comity.testing.clock import FakeClock

POSITION = "PRIORITY: mine\nRATIONALE: it matters\nRED LINE: none\nWILLING TO TRADE: some"
KINDS = get_args(FailureKind)


def decided(kind: str, rules: Any, agents: dict[str, Agent]) -> dict[str, Any]:
    """Return the outcome of a session as JSON."""
    opening = Opening(
        kind=kind,
        title=kind,
        rules=rules.to_json(),
        agents=dict.fromkeys(agents, "own"),
        made_by="test",
        folder=".",
    )
    with open_ledger(":memory:") as ledger:
        runner = LocalRunner(ledger, clock=FakeClock())
        outcome = runner.run(runner.start("d_1", opening), agents)
    return dict(outcome.to_json())


@pytest.mark.parametrize("kind", KINDS)
def test_c7_a_failure_is_no_consent(kind: FailureKind) -> None:
    rules = consent_rules(
        "When?", {"CC": "Focus", "CX": "Contact", "GM": "Calm"}, seed="1",
        order=["CC", "CX", "GM"],
    )  # fmt: skip
    says = {"position": POSITION, "turn": "[CONSENT CHECK]\n- Tuesday", "answer": "[CONSENT]"}
    agents: dict[str, Agent] = {"CC": ScriptedAgent(says), "CX": ScriptedAgent(says)}
    told = decided("consent", rules, {**agents, "GM": FailingAgent(kind)})
    assert told["kind"] == "no_deal"
    assert decided("consent", rules, {**agents, "GM": ScriptedAgent(says)})["kind"] == "agreement"


@pytest.mark.parametrize(
    "says", ["VOTE: APPROVE", "VOTE: BLOCK\nREASON: no tests\nTO APPROVE: add"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_w1_a_failure_is_no_approval_and_no_block(kind: FailureKind, says: str) -> None:
    plan = Phase(name="plan", voters=("CC", "CX", "GM"), artefact="We meet on Tuesdays.")
    rules = review_rules("PLAN.md", [plan], [Reviewer(id=seat) for seat in plan.voters])
    asked: list[str] = []
    agents: dict[str, Agent] = {
        "CC": ScriptedAgent({"vote": says}, otherwise=says),
        "CX": ScriptedAgent({}, otherwise="VOTE: APPROVE"),
        "GM": RecordingAgent(FailingAgent(kind), asked),
        "human": FailingAgent("left"),
    }
    told = decided("review", rules, agents)
    assert asked
    assert told["kind"] != "verdict", "two of three are not all"
    now = told["review"]["rounds"][0]
    assert now["absent"] == ["GM"]
    assert "GM" not in (*now["approvals"], *now["with_risk"], *now["blocks"], *now["invalid"])
    assert len(now["approvals"]) + len(now["blocks"]) == 2
