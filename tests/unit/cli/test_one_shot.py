"""One shot: what the commands share that decide a file at once (G7, K1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.cli.door import Door
from comity.cli.one_shot import Source, decision, read_source, scenario_of
from comity.core.errors import Fault, InvalidInput
from comity.formats import one_shot as formats

DATA = {"kind": "deadlock", "waits": {"a": "b"}}


def source(**more: Any) -> Source:
    return Source({**DATA, **more}, "d.toml", Path())


def test_options_that_were_not_given_change_nothing() -> None:
    found = scenario_of(source(seed="7"), {"victim": None, "seed": None}, [])
    assert (found.rules["seed"], found.rules["waits"]) == ("7", {"a": ["b"]})
    assert scenario_of(source(seed="7"), {"seed": "8"}, []).rules["seed"] == "8"


def test_g4_without_a_seed_128_bits_are_drawn() -> None:
    seeds = {str(scenario_of(source(), {}, []).rules["seed"]) for _ in range(3)}
    assert len(seeds) == 3
    assert all(len(seed) == 32 and int(seed, 16) >= 0 for seed in seeds)


def test_g7_faults_of_the_words_and_of_the_file_come_together() -> None:
    word = Fault("--units", "is 'x'", "a number", "correct it")
    with pytest.raises(InvalidInput) as refused:
        scenario_of(source(victim="oldest"), {}, [word])
    assert len(refused.value.faults) == 2
    with pytest.raises(InvalidInput) as alone:
        scenario_of(source(), {}, [word])
    assert alone.value.faults == (word,)


def test_a_path_names_its_folder_and_what_is_read(tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_text("waiter,waits_for\na,b\n", "utf-8")
    found = read_source(str(path), "deadlock")
    assert (found.whose, found.folder, found.inputs) == ("w.csv", tmp_path, (path,))


def test_k1_it_is_decided_once_without_a_ledger_and_recorded_with_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMITY_DB", raising=False)
    monkeypatch.chdir(tmp_path)
    scenario = scenario_of(source(seed="7"), {}, [])
    plain = decision(Door(), scenario)
    assert (plain.session, plain.place) == ("", "")
    kept = decision(Door(db="d.db"), scenario)
    assert kept.outcome == plain.outcome
    assert kept.data == {"v": 1, "kind": "verdict", "session": kept.session, **plain.data}
    assert set(formats.TABLES) == {"auction", "share", "deadlock"}
