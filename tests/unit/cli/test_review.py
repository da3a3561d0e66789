"""Comity review: agents, replies that are there, status, risks, the person behind it (W1-W6)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Comity = Callable[..., Any]

YES = "All good.\n\nVOTE: APPROVE\n"
NO = (
    "VOTE: BLOCK\nCATEGORY: Missing rate limiting\nREASON: API endpoints lack rate limiting\n"
    "TO APPROVE: a limit\n"
)
TRIO = ("Planner", "Architect", "Critic")


@pytest.fixture
def plan(here: Path) -> str:
    (here / "PLAN.md").write_text("# Plan\n\nSign-in.\n", encoding="utf-8")
    for name, said in (
        ("yes", YES),
        ("no", NO),
        ("hole", NO.replace("Missing rate", "security:")),
    ):
        (here / f"{name}.txt").write_text(said, encoding="utf-8")
    return "PLAN.md"


def replies(architect: str = "no") -> list[str]:
    files = {"Planner": "yes", "Architect": architect, "Critic": "yes"}
    return [word for role, file in files.items() for word in ("--reply", f"{role}={file}.txt")]


def agents(architect: str = "no") -> list[str]:
    files = {"Planner": "yes", "Architect": architect, "Critic": "yes"}
    return [f"--agent={role}=script:{file}.txt" for role, file in files.items()]


def test_w3_replies_are_tallied_and_counts_kept_between_calls(comity: Comity, plan: str) -> None:
    codes = [comity("review", plan, *replies()).code for _ in range(2)]
    assert codes == [12, 12]
    third = comity("review", plan, *replies(), "--output", "report.md")
    assert third.code == 0
    assert "\nESCALATION: Converting to documented risk.\n" in third.out
    assert "APPROVE (with documented risk)" in third.out
    assert Path("report.md").read_text("utf-8").startswith("# Review of PLAN.md")
    assert "written: report.md" in third.err
    assert comity("replay", "last").out.startswith("same")
    assert comity("verify").code == 0


def test_three_of_three_approve_with_exit_0(comity: Comity, plan: str) -> None:
    said = comity("review", plan, *replies("yes"), "--json")
    assert said.code == 0
    assert (said.json["kind"], said.json["verdict"]) == ("verdict", "APPROVED")
    assert said.json["review"]["rounds"][0]["approvals"] == sorted(TRIO)


def test_w4_a_missing_reply_is_waited_for(comity: Comity, plan: str) -> None:
    said = comity("review", plan, "--reply", "Planner=yes.txt", "--json")
    assert (said.code, said.json["reason"]) == (11, "absent")
    assert said.json["whom"] == ["Architect", "Critic"]
    assert comity("inbox").code == 0  # nobody is asked: the caller brings the rest
    assert comity("review", plan, *replies("yes")).code == 0


def test_w3_what_is_never_waived_goes_to_a_person(comity: Comity, plan: str) -> None:
    for _ in range(2):
        assert comity("review", plan, *replies("hole")).code == 12
    said = comity("review", plan, *replies("hole"), "--json")
    assert (said.code, said.json["kind"], said.json["whom"]) == (11, "waiting", ["human"])
    inbox = comity("inbox", "--json").json["cases"][0]
    assert [one["name"] for one in inbox["options"]] == ["approve", "block"]
    assert inbox["default"] == "block"
    refused = comity("review", plan, *replies("hole"))
    assert refused.code == 2
    assert "comity decide" in refused.err
    done = comity("decide", "last", "--option", "approve", "--reason", "known", "--by", "ann")
    assert done.code == 0
    assert "accepted by human" in done.out
    assert comity("decide", "last", "--undo", "--by", "ann").code == 11
    assert (
        comity("decide", "last", "--option", "block", "--reason", "no", "--by", "ann").code == 12
    )


def test_a_retry_with_its_id_counts_once(comity: Comity, plan: str) -> None:
    for _ in range(3):
        said = comity("review", plan, *replies(), "--request-id", "7", "--json")
        assert (said.code, said.json["review"]["round"]) == (12, 1)
    assert (
        comity("review", plan, *replies(), "--request-id", "8", "--json").json["review"]["round"]
        == 2
    )


def test_status_and_risks(comity: Comity, plan: str) -> None:
    assert comity("review", "status").code != 0  # no ledger yet
    comity("review", plan, *replies("yes"), "--name", "Other")
    comity("review", plan, *replies(), "--blocks", "1", "--name", "Sign-in")
    told = comity("review", "status", "--json").json
    assert {one["name"]: one["result"] for one in told["reviews"]} == {
        "Sign-in": "verdict",
        "Other": "verdict",
    }
    assert "Sign-in" in comity("review", "status", "Sign-in").out
    (risk,) = comity("review", "risks", "--json").json["risks"]
    assert (risk["review"], risk["agent"]) == ("Sign-in", "Architect")
    assert "Mitigation: To be addressed" in comity("review", "risks", "Sign-in").out
    assert comity("review", "risks", "Other").out == "No documented risk.\n"
    assert comity("review", "risks", "None").code == 2


def test_w4_agents_sit_at_the_roles_and_a_reviser_revises(
    comity: Comity, plan: str, here: Path
) -> None:
    (here / "new.txt").write_text("Limited.\nBEGIN VERSION\n# Plan\n\nNine.\nEND VERSION\n")
    (here / "twice.json").write_text('["VOTE: APPROVE", "VOTE: APPROVE"]')
    words = [f"--agent={role}=script:twice.json" for role in ("Planner", "Critic")]
    words += ["--agent=Architect=script:said.json", "--agent=reviser=script:new.txt"]
    (here / "said.json").write_text(
        f'["{NO.strip()}", "SUGGESTION: nine", "VOTE: APPROVE"]'.replace("\n", "\\n")
    )
    said = comity("review", plan, *words, "--no-human", "--json", "--name", "again")
    assert (said.code, len(said.json["review"]["versions"])) == (0, 2)
    assert "Architect votes BLOCK" in said.err


def test_agents_without_a_reviser_end_with_the_reasons(comity: Comity, plan: str) -> None:
    said = comity("review", plan, *agents(), "--deadline", "30", "--max-rounds", "2", "--json")
    assert (said.code, said.json["reason"]) == (12, "blocks")
    second = comity(
        "review", plan, *agents(), "--never-waive", "missing rate limiting", "--no-human"
    )
    assert second.code == 12


def test_a_scenario_file_and_another_phase(comity: Comity, plan: str, here: Path) -> None:
    (here / "review.toml").write_text(
        'kind = "review"\nwork = "PLAN.md"\nname = "S"\nphases = ["plan", "build-tests"]\n'
        'artefacts = { build-tests = "tests.md" }\n'
        '[roles.Planner]\nagent = "script:yes.txt"\n',
        encoding="utf-8",
    )
    (here / "tests.md").write_text("tests", encoding="utf-8")
    words = ["--agent=Architect=script:yes.txt", "--agent=Critic=script:yes.txt"]
    said = comity(
        "review", "review.toml", *words, "--agent", "Senior Engineer=script:yes.txt", "--json"
    )
    assert said.code == 0
    assert said.json["review"]["passed"] == ["plan", "build-tests"]
    one = comity(
        "review", "review.toml", "--phase", "build-tests", "--reply", "Senior Engineer=yes.txt"
    )
    assert one.code == 0
    assert (
        comity("run", "review.toml", *words, "--agent", "Senior Engineer=script:no.txt").code == 12
    )
    (here / "own.json").write_text(
        '{"kind": "review", "work": "PLAN.md", "phases": [{"name": "look", "voters": ["Ann"]}],'
        '"roles": {"Ann": {}}}'
    )
    assert comity("review", "own.json", "--phase", "look", "--reply", "Ann=yes.txt").code == 0


def test_a_text_of_any_kind_is_reviewed(comity: Comity, plan: str, here: Path) -> None:
    (here / "data.json").write_text('{"kind": "vote"}')
    said = comity("review", "data.json", *replies("yes"), "--json")
    assert (said.code, said.json["review"]["name"]) == (0, "data.json")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["none.md"], "does not exist"),
        (["PLAN.md", "more"], "is given 'more' too"),
        (["PLAN.md", "--preset", "power"], "did you mean 'power-trio'"),
        (["PLAN.md", "--phase", "pln"], "did you mean 'plan'"),
        (["PLAN.md", "--reply", "Planner"], "is 'Planner'"),
        (["PLAN.md", "--reply", "Planner=yes.txt", "--reply", "Planner=no.txt"], "twice"),
        (["PLAN.md", "--reply", "Planner=gone.txt"], "does not exist"),
        (["PLAN.md", "--reply", "Planer=yes.txt"], "did you mean 'Planner'"),
        (["PLAN.md", "--reply", "Planner=yes.txt", "--agent", "Critic=person"], "beside --agent"),
        (["PLAN.md", "--blocks", "0"], "--blocks"),
        (["PLAN.md", "--deadline", "soon"], "--deadline"),
        (["PLAN.md", "--agent", "Zoe=person"], "names 'Zoe'"),
        (["PLAN.md", *replies("yes"), "--output", "yes.txt"], "uses otherwise"),
        (["PLAN.md", *replies("yes"), "--output", "../r.md"], "outside"),
    ],
)
def test_wrong_words_are_told_and_nothing_is_recorded(
    comity: Comity, plan: str, here: Path, words: list[str], told: str
) -> None:
    said = comity("review", *words)
    assert said.code == 2
    assert told in said.err
    assert not (here / "comity.db").exists()


def test_every_fault_of_the_words_is_told_at_once(comity: Comity, plan: str) -> None:
    said = comity("review", plan, "--blocks", "x", "--max-rounds", "0", "--reply", "y", "--json")
    assert len(said.json["faults"]) == 3


def test_the_help_has_three_examples(comity: Comity) -> None:
    examples = comity("review", "--help").out.partition("Examples:")[2].partition("Options:")[0]
    assert examples.count("comity review ") == 3
