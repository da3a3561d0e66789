"""What the tests of the command line share: calls in an empty folder, and what they said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from comity.app import Event
from comity.cli.live import Live
from comity.cli.main import main

ROOT = Path(__file__).resolve().parents[3]

TRANSCRIPT = """\
[ADVOCATE - CX]
PRIORITY: Contact
RATIONALE: people
RED LINE: none
WILLING TO TRADE: days
[ADVOCATE - CC]
PRIORITY: Focus
RATIONALE: depth
RED LINE: none
WILLING TO TRADE: length
[PROPOSAL - CX]
I OFFER: no meeting before noon
I WANT: one meeting a week
RATIONALE: fair
[CONSENT CHECK - CC]
[CONSENT - CX]
"""


class Said(NamedTuple):
    """What one call said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Comity = Callable[..., Said]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in an empty folder, with nothing of the user's settings."""
    monkeypatch.chdir(tmp_path)
    for name in ("COMITY_DB", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def comity(here: Path, capfd: pytest.CaptureFixture[str]) -> Comity:
    """Return a function that calls the command line and gives back what it said."""

    def call(*words: str) -> Said:
        code = main(words)
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return call


@pytest.fixture
def auth(here: Path) -> str:
    """Put the shipped example of three advocates into the folder and return its name."""
    shutil.copy(ROOT / "examples" / "auth-protocol.toml", here / "auth.toml")
    return "auth.toml"


@pytest.fixture
def price(here: Path) -> str:
    """Put the shipped example of a price into the folder and return its name."""
    shutil.copy(ROOT / "examples" / "price.toml", here / "price.toml")
    return "price.toml"


@pytest.fixture
def script(here: Path) -> str:
    """Put the transcript of a whole session into the folder and return its name."""
    (here / "said.txt").write_text(TRANSCRIPT)
    return "said.txt"


@pytest.fixture
def interrupted(comity: Comity, auth: str, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that interrupts a session after its fifth message.

    It returns the command that the session says to go on with.
    """
    real = Live._heard

    def call(*words: str) -> str:
        count = iter(range(100))

        def heard(live: Live, event: Event) -> None:
            real(live, event)
            if next(count) == 4:
                raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(Live, "_heard", heard)
            said = comity("negotiate", auth, "--seed", "7", *words)
        assert said.code == 130
        assert said.out == ""
        return said.err.rsplit("go on with: ", 1)[1].strip()

    return call
