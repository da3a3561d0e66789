"""Clock name: all processes of a machine share one, any other clock has its own (R7)."""

from __future__ import annotations

from pathlib import Path

import pytest

from comity.runner import clock_name as module
from comity.runner.clock import RealClock
from comity.runner.clock_name import clock_name
from comity.testing.clock import FakeClock


class Off(RealClock):
    """A clock that is not the machine's."""


def test_r7_the_machines_clock_has_one_name_that_tells_nothing_of_it() -> None:
    name = clock_name(RealClock())
    assert name == clock_name(RealClock())
    assert name.startswith("machine-")
    assert len(name) == len("machine-") + 12


def test_r7_any_other_clock_has_a_name_of_its_own() -> None:
    one, other, off = FakeClock(), FakeClock(), Off()
    assert len({clock_name(one), clock_name(other), clock_name(off), clock_name(RealClock())}) == 4
    assert clock_name(one) == clock_name(one)


def test_r7_where_the_start_has_no_number_the_machines_name_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "_BOOT", tmp_path / "none")
    module._machine.cache_clear()
    other = clock_name(RealClock())
    module._machine.cache_clear()
    monkeypatch.undo()
    assert other.startswith("machine-")
    module._machine.cache_clear()
