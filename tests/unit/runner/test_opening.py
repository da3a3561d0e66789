"""runner/opening.py: what is recorded of a scenario before anybody is asked (K1, C6, C7)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity import __version__
from comity.core.errors import InvalidInput
from comity.formats.scenario import Scenario, scenario_from
from comity.runner.opening import elsewhere, opening_of
from comity.session.record import Opening


def talk(folder: Path, **more: Any) -> Scenario:
    seats = {"CC": {"priority": "x", "agent": "script:said.txt"}, "CX": {"priority": "y"}}
    data = {"kind": "consent", "question": "Tea?", "seats": seats, **more}
    (folder / "said.txt").write_text("hello\n---\nbye\n", "utf-8")
    return scenario_from(data, whose="x", folder=folder, seed="1")


def test_k1_all_that_a_restart_needs_is_in_the_opening_and_each_seats_own(tmp_path: Path) -> None:
    limits = {"timeout_ms": 5}
    opening, private = opening_of(talk(tmp_path), {"CX": "person"}, folder=tmp_path, limits=limits)
    assert opening.agents == {"CC": "script:said.txt", "CX": "person"}
    assert (opening.made_by, opening.folder) == (__version__, str(tmp_path.resolve()))
    assert dict(opening.limits) == limits
    assert list(private) == ["CC"]
    assert private["CC"]["lines"] == ("hello", "bye")


def test_c6_a_document_outside_the_folder_is_refused_unless_it_is_wanted(tmp_path: Path) -> None:
    scenario = talk(tmp_path, output="../out.md")
    with pytest.raises(InvalidInput, match="outside"):
        opening_of(scenario, {"CX": "person"}, folder=tmp_path, limits={})
    opened, _ = opening_of(
        scenario, {"CX": "person"}, folder=tmp_path, limits={}, allow_outside=True
    )
    assert opened.rules["output"] == "../out.md"


@pytest.mark.parametrize(
    ("agents", "rules", "is_refused"),
    [
        ({"CC": "command:x"}, {}, True),
        ({"CC": "rational"}, {"output": "out.md"}, True),
        ({"CC": "rational"}, {}, False),
    ],
)
def test_c7_programs_and_documents_belong_to_the_folder_they_were_opened_in(
    agents: dict[str, str], rules: dict[str, str], is_refused: bool, tmp_path: Path
) -> None:
    opening = Opening(kind="consent", title="t", rules=rules, agents=agents, folder="/elsewhere")
    assert bool(elsewhere(opening, tmp_path)) is is_refused
    here = Opening(
        kind="consent", title="t", rules=rules, agents=agents, folder=str(tmp_path.resolve())
    )
    assert elsewhere(here, tmp_path) == ()
