"""Votes of real programs: a brief on standard input, a ballot on standard output (C7, V8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.app import App
from comity.formats.scenario import scenario_from

DATA = {
    "kind": "vote",
    "question": "Ship it?",
    "voters": {name: {"agent": "command:sh voter.sh"} for name in ("ann", "bob", "cyd")},
}


def test_c7_programs_vote_by_the_brief_they_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'grep -q "To decide: Ship it?" && echo "VOTE: yes"\n'
    (tmp_path / "voter.sh").write_text(script, "utf-8")
    monkeypatch.chdir(tmp_path)
    data: Any = DATA
    scenario = scenario_from(data, whose="x", folder=tmp_path, seed="1")
    with App(":memory:") as app:
        decided = app.decide(scenario, {}, folder=tmp_path)
    assert getattr(decided.outcome, "verdict", None) == "passed", str(decided.outcome)
