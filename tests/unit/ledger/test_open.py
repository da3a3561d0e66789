"""ledger/open.py: which words open which ledger."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from comity.core.errors import InvalidInput
from comity.ledger.entry import NewEntry
from comity.ledger.open import migrate_ledger, open_ledger


def grow(where: str | Path, *, create: bool = True) -> int:
    """Append one entry; return how many there are now."""
    with open_ledger(where, create=create) as ledger:
        new = [NewEntry("note", {})]
        ledger.append("s", new, expected_head=None, request_id=None, now_ms=0)
        return len(ledger.read("s"))


def test_a_path_and_its_urls_open_the_same_ledger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my ledger?#%41.db"
    assert grow(path) == 1
    assert grow(str(path), create=False) == 2
    assert grow("my ledger?#%41.db", create=False) == 3
    plain = tmp_path / "plain.db"
    assert grow(plain) == 1
    assert grow("sqlite:///plain.db", create=False) == 2
    assert grow(f"sqlite:///{plain}", create=False) == 3
    assert sorted(file.name for file in tmp_path.iterdir()) == ["my ledger?#%41.db", "plain.db"]


def test_a_relative_path_stays_where_it_was_when_the_process_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with open_ledger("comity.db") as ledger:
        monkeypatch.chdir("elsewhere")
        with ledger.raw() as tables:
            assert tables.complaints() == ()


@pytest.mark.parametrize("where", [":memory:", "sqlite:///:memory:"])
def test_a_ledger_in_memory_is_a_new_one_each_time(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert grow(where) == grow(where) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("postgresql+psycopg2://user:secret@host/comity", "'postgresql+psycopg2' is no kind"),
        ("postgresq://user:secret@host/comity", "did you mean 'postgresql'"),
        ("postgresql://user:secret@@host/comity", "holds an @ or a #"),
        ("mysql://user:secret@host/comity", "'mysql' is no kind of ledger"),
        ("sqlit:///comity.db", "did you mean 'sqlite'"),
        ("sqlite://comity.db", "no plain path"),
        ("sqlite:///", "no plain path"),
        ("sqlite:///comity.db?mode=ro", "no plain path"),
        ("", "'' is no path"),
        ("a\0b", "is no path"),
    ],
)
def test_other_words_are_refused_without_repeating_a_password(where: str, said: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        open_ledger(where)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(caught.value.faults) == 1


def test_a_url_of_postgresql_opens_a_ledger_there(postgres_place: Callable[[], str]) -> None:
    place = postgres_place()
    assert grow(place) == 1
    assert grow(place.replace("postgresql://", "postgres://"), create=False) == 2
    assert grow(place.replace("postgresql://", "postgresql+psycopg://"), create=False) == 3


@pytest.mark.parametrize("call", [open_ledger, migrate_ledger])
def test_without_the_package_the_extra_to_install_is_named(
    call: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "comity.ledger.postgres", raising=False)
    monkeypatch.delattr("comity.ledger.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "comity.ledger.connections", raising=False)
    with pytest.raises(InvalidInput, match=r"pip install 'comity\[postgres\]'") as caught:
        call("postgresql://ann:secret@localhost/comity")
    assert "secret" not in str(caught.value)


def test_a_sqlite_ledger_needs_no_migration_by_command(tmp_path: Path) -> None:
    place = tmp_path / "comity.db"
    with pytest.raises(InvalidInput, match="does not exist"):
        migrate_ledger(place)
    assert grow(place) == 1
    assert migrate_ledger(place) == (1, 1)
