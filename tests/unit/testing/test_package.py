"""testing/__init__.py: the kit's public names, loaded when they are first used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import comity.testing


def test_importing_the_kit_loads_none_of_its_modules() -> None:
    code = "import sys, comity.testing; print(*(m for m in sys.modules if 'comity.testing.' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_public_name_is_there_and_comes_from_its_module() -> None:
    listed = comity.testing.__all__
    assert sorted(dir(comity.testing)) == sorted(listed)
    homes = comity.testing._HOMES
    assert sorted(name for names in homes.values() for name in names) == sorted(listed)
    for home, names in homes.items():
        module = import_module(f"comity.testing.{home}")
        assert set(names) <= set(module.__all__)
        for name in names:
            assert getattr(comity.testing, name) is getattr(module, name)


def test_a_name_that_is_not_there_is_an_error_of_python() -> None:
    with pytest.raises(AttributeError, match="no attribute 'check_everything'"):
        _ = comity.testing.check_everything
