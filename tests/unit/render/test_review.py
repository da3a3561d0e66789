"""Review text: the sentence, the ballots, the announcement on lines of its own (W3, W4)."""

from __future__ import annotations

from typing import Any

from comity.protocols.review.presets import preset_rules
from comity.protocols.review.replies import tally_replies
from comity.protocols.review.rules import ReviewLimits
from comity.render.ink import Ink
from comity.render.review import review_text, reviews_text, risks_text
from comity.render.text import result_text

YES = "VOTE: APPROVE"
NO = "VOTE: BLOCK\nCATEGORY: limits\nREASON: no\x1b[31m limit\nTO APPROVE: add one"


def result(phase: str, blocks: int = 3, **said: str) -> dict[str, Any]:
    rules = preset_rules(
        "power-trio",
        "PLAN.md",
        artefact="## Open Questions\n- port?\n",
        phases=[phase],
        limits=ReviewLimits(blocks=blocks),
    )
    replies = {name.replace("_", " "): text for name, text in said.items()}
    data: Any = tally_replies(rules.to_json(), replies).result.to_json()
    return data


def test_w3_an_announcement_stands_on_lines_of_its_own() -> None:
    said = {"Planner": YES, "Critic": YES, "Architect": NO}
    lines = result_text(result("plan", 1, **said), Ink()).splitlines()
    assert "ESCALATION: Converting to documented risk." in lines
    shown = [line.split() for line in lines]
    assert ["Architect", "APPROVE", "(with", "documented", "risk)"] in shown
    assert any(line.startswith("  - r1 Architect, limits (open): no") for line in lines)
    assert "  - port?" in lines
    assert "\x1b" not in "\n".join(lines)


def test_a_block_says_what_would_unblock_it() -> None:
    text = review_text(result("plan", Planner=YES, Critic=YES, Architect=NO), Ink())
    assert text.startswith("BLOCKED: PLAN.md, plan, round 1: 2 of 3 approve")
    assert "Blocks that stand\n  - b1 Architect, limits: no" in text
    assert "What would unblock it\n  - Architect (limits): add one" in text


def test_who_has_no_vote_is_told_why() -> None:
    said = {"Planner": "VOTE: BLOCK\nREASON: PREFERENCE: tabs", "Architect": NO}
    text = review_text(result("plan", **said), Ink())
    assert "no vote that counts (preference)" in text
    assert "Comments\n  - Planner: PREFERENCE: tabs" in text
    assert any(line.split() == ["Critic", "absent"] for line in text.splitlines())


def test_w4_a_verdict_is_shown_as_it_was_given() -> None:
    said = {"Product_Manager": "VERDICT: APPROVED_TO_SHIP", "Security": "a hole"}
    text = review_text(result("review", **said), Ink())
    assert "Product Manager  APPROVED_TO_SHIP" in text
    assert "  - Security: a hole" in text
    assert "  - Performance: none (not handed in)" in text
    said["Product_Manager"] = "VERDICT: BLOCKED\nREASON: x"
    assert "Product Manager  BLOCKED" in review_text(result("review", **said), Ink())


def test_lists_of_reviews_and_of_risks() -> None:
    said = {"Planner": YES, "Critic": YES, "Architect": NO}
    risks: Any = result("plan", 1, **said)["review"]["risks"]
    row = {"name": "PLAN.md", "phase": "plan", "round": 1, "result": "no_quorum", "blocks": 0,
           "risks": risks, "session": "d_1", "at_ms": 0}  # fmt: skip
    assert "no quorum" in reviews_text([row], Ink())
    one = {"review": "PLAN.md", **risks[0]}
    text = risks_text([one, {**one, "to_approve": "", "accepted_by": "lead"}], Ink())
    assert "PLAN.md  plan, r1, open" in text
    assert "PLAN.md  plan, r1, accepted by lead" in text
    assert text.count("Closed when: add one") == 1
    assert "closed by approval" in risks_text([{**one, "closed_in": 4}], Ink())


def test_w4_another_text_than_the_one_that_passed_is_told() -> None:
    data = result("plan", **dict.fromkeys(("Planner", "Critic", "Architect"), YES))
    assert "before was another text" not in review_text(data, Ink())
    told = {**data, "review": {**data["review"], "before": "f" * 64}}
    assert "What passed plan before was another text: version ffffffffffff." in review_text(
        told, Ink()
    )
