"""Deals over several issues at the command line: the same bytes in every process (G4)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = str(ROOT / "examples" / "rollout.toml")


def said(words: tuple[str, ...], folder: Path, hash_seed: str) -> tuple[bytes, bytes]:
    """Return standard output and the drawing of one process."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("COMITY_")},
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": str(ROOT / "src"),
    }
    done = subprocess.run(  # our own program
        [sys.executable, "-m", "comity", *words, "--svg", "x.svg"],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout, (folder / "x.svg").read_bytes()


@pytest.mark.parametrize(
    "words",
    [
        ("frontier", SCENARIO),
        ("frontier", SCENARIO, "--json", "--all"),
        ("bargain", SCENARIO, "--strategy", "linear", "--rounds", "20", "--seed", "7"),
        ("bargain", SCENARIO, "--protocol", "simultaneous", "--seed", "7", "--json"),
    ],
    ids=("frontier", "frontier-json", "bargain", "bargain-json"),
)
def test_g4_no_process_orders_anything_its_own_way(words: tuple[str, ...], tmp_path: Path) -> None:
    assert said(words, tmp_path, "1") == said(words, tmp_path, "4711")
