"""Arrays: numpy is asked for once, late, and may be missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from importlib.util import find_spec

import pytest

from comity.core import arrays
from comity.core.arrays import numpy_or_none


@pytest.fixture(autouse=True)
def _asked_anew() -> Generator[None]:
    numpy_or_none.cache_clear()
    yield
    numpy_or_none.cache_clear()


def test_numpy_is_handed_out_where_it_is_installed() -> None:
    if find_spec("numpy") is None:
        pytest.skip("numpy: not installed here")
    assert numpy_or_none().__name__ == "numpy"
    assert numpy_or_none() is sys.modules["numpy"]


def test_without_numpy_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr(arrays, "import_module", missing)
    assert numpy_or_none() is None


def test_it_is_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def found(name: str) -> object:
        asked.append(name)
        return found

    monkeypatch.setattr(arrays, "import_module", found)
    assert numpy_or_none() is numpy_or_none() is found
    assert asked == ["numpy"]


def test_importing_the_module_does_not_import_numpy() -> None:
    code = "import sys, comity.core.arrays; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
