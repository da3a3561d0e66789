"""Seats: flags, settings, the person at the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comity.cli import seats as module
from comity.cli.door import Door
from comity.cli.seats import beside, read_agents, seated, slow_seats
from comity.core.errors import InvalidInput


class Keyboard:
    """A terminal that types what it is told to."""

    def __init__(self, *lines: str) -> None:
        self.lines = list(lines)

    def line(self) -> str | None:
        return self.lines.pop(0) if self.lines else None


def test_every_fault_of_the_flags_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as refused:
        read_agents(["CC", "=x", "CX=rational", "CX=person"])
    assert len(refused.value.faults) == 3


def test_a_script_beside_its_file_is_named_from_the_working_directory(tmp_path: Path) -> None:
    specs = {"CC": "script:a.txt", "CX": "rational", "GM": "script:"}
    assert beside(specs, tmp_path / "sub", tmp_path) == {
        "CC": "script:sub/a.txt",
        "CX": "rational",
        "GM": "script:",
    }
    outside = beside(specs, tmp_path, tmp_path / "sub")
    assert outside["CC"] == f"script:{tmp_path / 'a.txt'}"


def offered(monkeypatch: pytest.MonkeyPatch, keyboard: Keyboard, **more: Any) -> dict[str, str]:
    monkeypatch.setattr(Door, "has_person", property(lambda door: more.get("person", True)))
    return seated(
        ("CC", "CX", "GM"),
        ({"CC": "rational"}, {}, more.get("settings", {})),
        auto=more.get("auto", False),
        door=Door(is_quiet=True),
        terminal=keyboard,
    )


def test_empty_seats_are_offered_to_the_person_at_the_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = offered(monkeypatch, Keyboard("Yes", "n"))
    assert found == {"CC": "rational", "CX": "person"}


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(monkeypatch, Keyboard("y"), person=False) == {"CC": "rational"}


def test_the_end_of_input_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    assert offered(monkeypatch, Keyboard()) == {"CC": "rational"}


def test_settings_seat_before_a_person_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = offered(monkeypatch, Keyboard("y", "y"), settings={"CX": "command:x", "CC": "person"})
    assert found == {"CC": "rational", "CX": "command:x", "GM": "person"}


def test_auto_takes_programs_first_then_the_person_then_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        module, "auto_spec", lambda seat: "command:codex" if seat == "CX" else None
    )
    assert offered(monkeypatch, Keyboard("y"), auto=True) == {
        "CC": "rational",
        "CX": "auto",
        "GM": "person",
    }
    assert offered(monkeypatch, Keyboard("n"), auto=True)["GM"] == "auto"


def test_programs_are_slow_and_the_others_are_not() -> None:
    specs = {"CC": "command:x", "CX": "auto", "GM": "rational", "PM": "person"}
    assert slow_seats(specs) == {"CC", "CX"}
