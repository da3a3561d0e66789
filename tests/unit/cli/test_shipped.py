"""The shipped examples: in a checkout, in the package, in the wheel that is built."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from comity.cli import shipped
from comity.cli.shipped import FOLDER, shipped_files, shipped_root

ROOT = Path(__file__).resolve().parents[3]


def test_in_a_checkout_they_are_those_of_the_examples_folder() -> None:
    assert shipped_root() == ROOT / FOLDER
    names = shipped_files()
    assert list(names) == sorted(names)
    assert {"README.md", "auction.toml", "campaigns/claims.csv", "vote/ann.txt"} < set(names)


def test_the_wheel_holds_every_one_of_them_inside_the_package(tmp_path: Path) -> None:
    (built,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path))
    with zipfile.ZipFile(built) as wheel:
        for name in shipped_files():
            assert wheel.read(f"comity/{FOLDER}/{name}") == (ROOT / FOLDER / name).read_bytes()


def test_an_installed_package_has_them_inside_and_may_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "site" / "packages" / "comity" / "cli" / "shipped.py"
    monkeypatch.setattr(shipped, "__file__", str(place))
    assert (shipped_root(), shipped_files()) == (None, ())
    inside = tmp_path / "site" / "packages" / "comity" / FOLDER
    inside.mkdir(parents=True)
    (inside / "README.md").write_text("ours", "utf-8")
    assert (shipped_root(), shipped_files()) == (inside.resolve(), ("README.md",))
