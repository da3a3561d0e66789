"""Comity skill: skills are shown as they are written, and nothing of the user's is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.cli.root import COMMANDS
from comity.cli.skill import Skill, shipped_skills

NAMES = ["comity-negotiation", "comity-review"]
SKILLS = shipped_skills()


def test_the_skills_are_listed_with_what_they_are_for(comity: Callable[..., Any]) -> None:
    assert [one["name"] for one in comity("skill", "list", "--json").json["skills"]] == NAMES
    said = comity("skill", "list")
    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines()[1:]] == NAMES


def test_a_skill_is_shown_as_it_is_written(comity: Callable[..., Any], here: Path) -> None:
    assert comity("skill", "install", "skills").code == 0
    for name in NAMES:
        written = (here / "skills" / name / "SKILL.md").read_text("utf-8")
        assert comity("skill", "show", name).out == written
        assert comity("skill", "show", name, "--json").json["text"] == written


def test_a_skill_that_is_none_is_told_with_the_near_one(comity: Callable[..., Any]) -> None:
    said = comity("skill", "show", "comity-reviw")
    assert said.code == 2
    assert "did you mean 'comity-review'" in said.err


def test_what_was_written_is_told_and_what_is_there_already_is_kept(
    comity: Callable[..., Any], here: Path
) -> None:
    said = comity("skill", "install", ".claude/skills")
    assert said.out.splitlines() == [f"written: .claude/skills/{name}/SKILL.md" for name in NAMES]
    (here / ".claude" / "skills" / NAMES[0] / "SKILL.md").unlink()
    told = comity("skill", "install", ".claude/skills", "--json").json
    assert told["written"] == [f".claude/skills/{NAMES[0]}/SKILL.md"]
    assert told["kept"] == [f".claude/skills/{NAMES[1]}/SKILL.md"]
    assert "there already: " in comity("skill", "install", ".claude/skills").out


def test_a_file_that_was_changed_stays_and_then_nothing_is_written(
    comity: Callable[..., Any], here: Path
) -> None:
    own = here / "skills" / NAMES[1] / "SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine\n", "utf-8")
    said = comity("skill", "install", "skills")
    assert said.code == 2
    assert "says something else than the shipped skill" in said.err
    assert own.read_text("utf-8") == "mine\n"
    assert not (here / "skills" / NAMES[0]).exists()
    assert comity("skill", "install", "skills", "--force").code == 0
    assert own.read_text("utf-8") != "mine\n"


@pytest.mark.parametrize("blocking", ["skills", f"skills/{NAMES[0]}/SKILL.md/x"])
def test_a_place_where_nothing_can_be_written_is_told(
    blocking: str, comity: Callable[..., Any], here: Path
) -> None:
    (here / blocking).parent.mkdir(parents=True, exist_ok=True)
    (here / blocking).write_text("a file\n", "utf-8")
    said = comity("skill", "install", "skills")
    assert said.code == 2
    assert "cannot be used" in said.err


# --- what they say -----------------------------------------------------------------------------


@pytest.mark.parametrize("skill", SKILLS, ids=lambda one: one.name)
def test_a_skill_has_the_head_that_agents_read(skill: Skill) -> None:
    assert re.fullmatch(r"[a-z0-9-]{1,64}", skill.name)
    assert 100 < len(skill.description) <= 1024
    assert "Use when" in skill.description
    assert skill.text.count("---\n") == 2
    assert len(skill.text.splitlines()) < 200, "it is read whole, each time"


@pytest.mark.parametrize("skill", SKILLS, ids=lambda one: one.name)
def test_every_command_and_option_that_a_skill_names_exists(
    skill: Skill, comity: Callable[..., Any]
) -> None:
    verbs = set(re.findall(r"\bcomity ([a-z]+)\b", skill.text)) - {"command", "keeps"}
    assert verbs <= set(COMMANDS)
    for line in re.findall(r"comity [a-z]+[^\n`]*(?:\\\n[^\n`]*)*", skill.text):
        verb = line.split()[1]
        if verb not in COMMANDS:
            continue
        path = [verb] + ([line.split()[2]] if verb == "parse" else [])
        told = comity(*path, "--help").out
        for option in re.findall(r"(?<=\s)--[a-z-]+", line):
            assert option in told, (line, option)
