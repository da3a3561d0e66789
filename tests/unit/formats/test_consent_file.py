"""Consent files: seats, terms, red lines; private values leave the rules."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.formats import work_text
from comity.formats.scenario import Scenario, read_scenario, scenario_from

ROOT = Path(__file__).resolve().parents[3]
TERMS = {"tls": {"full": {"ms": 60}, "none": {"ms": 0}}, "retries": [0, 1]}
SEATS = {"CC": {"priority": "Care"}, "CX": {"priority": "Speed", "red_lines": ["p99 < 50"]}}


def scenario(folder: Path = Path(), seed: str = "1", **more: Any) -> Scenario:
    data = {
        "kind": "consent",
        "question": "Which?",
        "seats": SEATS,
        "terms": TERMS,
        "quantities": {"p99": "20 + tls.ms"},
        **more,
    }
    kept = {name: value for name, value in data.items() if value is not None}
    return scenario_from(kept, whose="c.toml", folder=folder, seed=seed)


def refusals(folder: Path = Path(), **more: Any) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        scenario(folder, **more)
    return [str(fault) for fault in refused.value.faults]


def test_the_shipped_example_is_read() -> None:
    found = read_scenario(ROOT / "examples" / "auth-protocol.toml", seed="1")
    assert found.kind == "consent"
    assert set(found.agents) == {"CC", "CX", "GM"}
    assert found.rules["order"] != []


def test_c7_values_are_in_each_seats_own_part_and_nowhere_in_the_rules() -> None:
    values = {"tls": {"full": 7.5}, "retries": {"1": "1/3"}}
    seats = {
        "CC": {"priority": "Care", "values": values, "reservation": 987654, "unit": "GBP"},
        "CX": {"priority": "Speed"},
    }
    found = scenario(seats=seats)
    assert found.private["CC"]["values"]["tls"]["full"] == "15/2"
    assert found.private["CC"]["reservation"] == 987654
    assert found.private["CC"]["unit"] == "GBP"
    assert set(found.private) == {"CC"}
    assert "987654" not in json.dumps(found.rules)
    assert "15/2" not in json.dumps(found.rules)


def test_seats_limits_and_output_are_kept() -> None:
    found = scenario(
        seats={"CC": {"priority": "Care", "agent": "rational"}, "CX": {"priority": "Speed"}},
        output="out/x.md",
        order=["CX", "CC"],
        max_turns=12,
        stall=5,
        reasks=0,
        turn_timeout_s=60,
        tokens=1000,
        money="2.50",
    )
    assert found.agents == {"CC": "rational"}
    assert found.output == "out/x.md"
    assert found.rules["order"] == ["CX", "CC"]
    limits = found.rules["limits"]
    assert limits["turn_timeout_ms"] == 60_000
    assert (limits["max_turns"], limits["stall"], limits["reasks"]) == (12, 5, 0)
    assert Fraction(str(limits["money"])) == Fraction(5, 2)


def test_the_seed_of_the_file_wins() -> None:
    assert scenario(seed="1").rules["seed"] == "1"
    assert scenario(seed="1").rules["order_by"] == "lot"
    data = {"kind": "consent", "question": "q", "seats": SEATS, "seed": 7, "terms": TERMS}
    data["quantities"] = {"p99": "20 + tls.ms"}
    assert scenario_from(data, whose="x", folder=Path(), seed="1").rules["seed"] == "7"


def test_c1_the_work_file_is_read_from_beside_the_scenario(tmp_path: Path) -> None:
    (tmp_path / "spec.md").write_text("The spec.")
    assert scenario(tmp_path, work="spec.md").rules["work"] == "The spec."


def test_a_work_file_that_cannot_be_used_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\xff")
    assert "it is not UTF-8 text" in refusals(tmp_path, work="bytes")[0]
    assert "No such file" in refusals(tmp_path, work="gone.md")[0]
    assert "cannot be read" in refusals(tmp_path, work="x\0y")[0]
    monkeypatch.setattr(work_text, "WORK_AT_MOST", 3)
    (tmp_path / "long.md").write_text("four")
    assert "a work file of 4 characters" in refusals(tmp_path, work="long.md")[0]


def test_g7_all_faults_are_told_at_once(tmp_path: Path) -> None:
    said = refusals(
        tmp_path,
        seats={"CC": {"priority": " ", "values": {"tsl": {}}}, "CX": {"priority": "x"}},
        work="gone.md",
        max_turns=5,
        money="much",
        order=["CC"],
    )
    for part in ("work file", "CC", "money", "order"):
        assert any(part in one for one in said)


def test_values_and_quantities_need_terms() -> None:
    valued = {"CC": {"priority": "a", "values": {"x": {"y": 1}}}, "CX": {"priority": "b"}}
    said = refusals(seats=valued, terms=None)
    assert any("declares quantities without terms" in one for one in said)
    assert any("gives seat 'CC' values without terms" in one for one in said)


def test_terms_that_cannot_be_are_told_with_the_rest() -> None:
    said = refusals(terms={"tls": []}, seats={"CC": {"priority": ""}, "CX": {"priority": "b"}})
    assert any("tls" in one for one in said)
    assert any("has no priority" in one for one in said)


def test_words_alone_make_a_scenario_too() -> None:
    seats = {"CC": {"priority": "a"}, "CX": {"priority": "b", "red_lines": ["no haste"]}}
    found = scenario(seats=seats, terms=None, quantities=None)
    assert found.rules["domain"] is None
    assert found.private == {}
