"""K1, K3: every ledger keeps the same contract; a new one is added to the list."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from comity.ledger.open import open_ledger
from comity.ledger.port import Ledger
from comity.testing.ledger_checks import Check, check_ledger

Opener = Callable[[], Ledger]


def in_files(folder: Path) -> Opener:
    numbers = count()
    return lambda: open_ledger(folder / f"{next(numbers)}.db")


def in_memory(folder: Path) -> Opener:
    return lambda: open_ledger(":memory:")


LEDGERS: dict[str, Callable[[Path], Opener]] = {
    "sqlite file": in_files,
    "sqlite memory": in_memory,
}


def every_check() -> Iterator[tuple[str, str]]:
    def never() -> Ledger:
        raise NotImplementedError

    names = [name for name, _ in check_ledger(never)]
    for ledger in LEDGERS:
        for name in names:
            yield ledger, name


@pytest.mark.parametrize(("ledger", "name"), list(every_check()))
def test_ledger_keeps_its_contract(ledger: str, name: str, tmp_path: Path) -> None:
    checks: dict[str, Check] = dict(check_ledger(LEDGERS[ledger](tmp_path)))
    checks[name]()


def test_contract_has_no_two_checks_of_one_name() -> None:
    names = [name for name, _ in check_ledger(lambda: open_ledger(":memory:"))]
    assert len(names) == len(set(names)) >= 18
