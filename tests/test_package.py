"""Package: does what users install hold what it should, and nothing else?

Here: the wheel, built and looked into, then used without the checkout.
Not here: the checkout's own environment (test_tooling.py).
Sources: docs/decisions/0002-tooling.md.
"""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = target.glob("comity-*.whl")
    return built


def test_the_wheel_holds_every_module_and_the_typing_marker(wheel: Path) -> None:
    inside = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    source = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "comity").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    examples = {
        f"comity/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / "examples").rglob("*")
        if path.is_file()
    }
    assert "comity/py.typed" in inside
    assert inside == source | examples


def test_the_wheel_names_its_licence_command_and_needs(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    info = {
        Path(n).name: archive.read(n).decode() for n in archive.namelist() if ".dist-info/" in n
    }
    assert "License-Expression: Apache-2.0" in info["METADATA"]
    needs = [line for line in info["METADATA"].splitlines() if line.startswith("Requires-Dist:")]
    assert [line for line in needs if "extra ==" not in line] == ["Requires-Dist: click>=8.1"]
    assert "comity = comity.cli.main:main" in info["entry_points.txt"]
    assert "Apache License" in info["LICENSE"]


def test_the_wheel_imports_without_the_checkout_and_without_packages(wheel: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(wheel)!r}); import comity; print(comity.__file__)"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(wheel))
