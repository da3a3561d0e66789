"""ledger/__init__.py: the public names, loaded when they are first used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import comity
import comity.ledger

SOURCE = str(Path(comity.__file__).parents[1])


def loaded_after(statement: str) -> set[str]:
    """Which modules a fresh interpreter has loaded after a statement."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": SOURCE},
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import comity.ledger",
        "import comity.ledger.entry",
        "import comity.ledger.verify",
        "from comity.ledger import Entry, Ledger, Report, csv_lines, open_ledger",
    ],
)
def test_no_database_and_no_loop_is_loaded_before_a_ledger_is_opened(statement: str) -> None:
    loaded = loaded_after(statement)
    assert "comity.ledger" in loaded
    assert loaded.isdisjoint({"sqlite3", "psycopg", "asyncio"})


def test_importing_the_package_loads_none_of_its_modules() -> None:
    assert not any(
        name.startswith("comity.ledger.") for name in loaded_after("import comity.ledger")
    )


def test_opening_a_ledger_in_a_file_loads_sqlite_and_nothing_of_postgresql() -> None:
    loaded = loaded_after("import comity.ledger as l; l.open_ledger(':memory:').close()")
    assert "sqlite3" in loaded
    assert "psycopg" not in loaded


def test_every_public_name_is_there_and_sorted() -> None:
    names = comity.ledger.__all__
    assert dir(comity.ledger) == sorted(names)
    for name in names:
        assert getattr(comity.ledger, name) is not None
    constants = [name for name in names if name.isupper()]
    classes = [name for name in names if name[0].isupper() and not name.isupper()]
    rest = [name for name in names if name[0].islower()]
    assert names == [*sorted(constants), *sorted(classes), *sorted(rest)]


def test_an_unknown_name_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        comity.ledger.nonsense  # noqa: B018
