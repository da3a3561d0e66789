"""One-shot scenarios: sales, budgets and circles as texts that a person can read and check.

Here: deciding every file of tests/scenarios/one_shot/ and comparing what comes out with what it
says.
Not here: single rules (tests/unit/mechanisms), laws (tests/properties).
Sources: SEMANTICS A1-A4, D1-D3, L1, L2, G4-G8; each file names the rules it shows.

A scenario is a line ``# KIND key=value ... (RULES): what it shows``, then a file as a user would
hand it in (TOML, JSON or a table) up to a line of dashes, then what comes out: its exit code and
its text, or every refusal. ``COMITY_REWRITE=1 pytest tests/test_one_shot_scenarios.py`` writes
what follows the dashes.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.formats.one_shot import TABLES, decide_at_once, one_shot_text
from comity.formats.scenario import scenario_from
from comity.render.ink import Ink
from comity.render.text import result_text

FOLDER = Path(__file__).parent / "scenarios" / "one_shot"
FILES = sorted(FOLDER.glob("*.txt"))
RULES = ["A1", "A2", "A4", "D1", "D2", "D3", "L1", "L2", "G4", "G5", "G6", "G7", "G8"]
FIRST = re.compile(r"# (?P<kind>\w+)(?P<more>( \w+=\S+)*) \((?P<rules>[^)]+)\): .+")
HEAD_END = "-" * 40


def played(text: str) -> str:
    """Decide a scenario and return its whole text with what really comes out."""
    head, dashes, _ = text.partition(f"{HEAD_END}\n")
    assert dashes, "a scenario has a file and a line of dashes"
    first, _, body = head.partition("\n")
    match = FIRST.fullmatch(first)
    assert match, f"not the first line of a scenario: {first}"
    said = dict(one.split("=") for one in match["more"].split())
    try:
        data = {**one_shot_text(body, match["kind"], whose="the file"), **whole(said)}
        scenario = scenario_from(data, whose="the file", folder=Path(), seed="1")
        result = decide_at_once(scenario)
    except InvalidInput as error:
        told = "\n".join(["= refused", *(f"| {fault}" for fault in error.faults)])
        return f"{head}{HEAD_END}\n{told}\n"
    made = result.to_json()
    assert result_from_json(json.loads(canonical(made))) == result
    lines = [f"| {line}".rstrip() for line in result_text(made, Ink()).split("\n")]
    return "\n".join([f"{head}{HEAD_END}", f"= exit {result.exit_code}", *lines]) + "\n"


def whole(said: dict[str, str]) -> dict[str, object]:
    """Return options with counts as numbers, as the command line reads them."""
    return {key: int(value) if key == "units" else value for key, value in said.items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_scenario_comes_out_as_it_says(path: Path) -> None:
    text = path.read_text("utf-8")
    found = played(text)
    if os.environ.get("COMITY_REWRITE") == "1":
        path.write_text(found, "utf-8")
    assert found == text, "if the change is meant: COMITY_REWRITE=1, and read the difference"


def test_every_rule_and_every_kind_has_a_scenario() -> None:
    firsts = [path.read_text("utf-8").partition("\n")[0] for path in FILES]
    told = " ".join(match["rules"] for one in firsts if (match := FIRST.fullmatch(one)))
    assert not [rule for rule in RULES if rule not in told.replace(",", "").split()]
    assert {one.split()[1] for one in firsts} == set(TABLES)


def test_a_scenario_that_comes_out_otherwise_would_be_noticed() -> None:
    text = FILES[0].read_text("utf-8")
    head, _, rest = text.partition(f"{HEAD_END}\n")
    assert played(f"{head}{HEAD_END}\nanything") == text
    assert rest.startswith("= ")
