"""K3, K4: the commands and the arbiter on a ledger in PostgreSQL, and what verify finds there.

Here: every flipped or removed value, through SQL; one run of each command that reads or writes a
ledger; a desk used by several processes' worth of callers.
Not here: the contract (tests/contracts), many processes (test_ledger_processes.py), the arbiter's
rules (tests/unit/runner).
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any, get_args

import pytest

from comity.cli.main import main
from comity.ledger.entry import NewEntry
from comity.ledger.open import open_ledger
from comity.ledger.port import Table
from comity.ledger.verify import Problem, verify
from comity.mechanisms.arbitration import Policy
from comity.runner.arbiter import Arbiter
from comity.runner.claims_record import decided_again, history
from comity.testing.ledger_checks import fill_ledger

if os.environ.get("CI") == "true":
    import psycopg  # where it is missing, that is a failure
else:
    psycopg = pytest.importorskip("psycopg", reason="postgres: psycopg is not installed")

FULL = os.environ.get("COMITY_FULL") == "1"
TABLES: tuple[Table, ...] = get_args(Table)
KEYS = {"entries": "scope, seq", "heads": "scope", "anchors": "n", "meta": "name"}
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ODD_ROWS = {"entries": "seq % 2 = 1", "heads": "seq > 3", "anchors": "n % 2 = 1", "meta": "true"}


# --- verify ----------------------------------------------------------------------------------


class Tamperer:
    """A ledger, and a hand that changes the tables behind its back."""

    def __init__(self, url: str) -> None:
        self.ledger = open_ledger(url)
        fill_ledger(self.ledger)
        database, _, schema = url.partition("&schema=")
        self.db = psycopg.connect(database, autocommit=True)
        self.db.execute(f"SET search_path TO {schema}")
        for table in ("entries", "anchors"):
            self.db.execute(f"DROP TRIGGER {table}_no_change ON {table}")
        self.known = set(verify(self.ledger).problems)

    def found(self) -> set[Problem]:
        """What verify finds beyond the guards that were dropped."""
        return set(verify(self.ledger).problems) - self.known

    def run(self, statement: str, *values: object) -> list[Any]:
        cursor = self.db.execute(statement, values)
        return cursor.fetchall() if cursor.description else []

    def finds(self, *statements: str) -> bool:
        """Whether a change is found; it is undone afterwards."""
        for table in TABLES:
            self.run(f"CREATE TABLE pg_temp.kept_{table} AS SELECT * FROM {table}")  # noqa: S608
        for statement in statements:
            self.run(statement)
        is_found = bool(self.found())
        for table in TABLES:
            self.run(f"DELETE FROM {table}")  # noqa: S608
            self.run(f"INSERT INTO {table} SELECT * FROM pg_temp.kept_{table}")  # noqa: S608
            self.run(f"DROP TABLE pg_temp.kept_{table}")
        assert not self.found()
        return is_found


@pytest.fixture
def tamperer(postgres_place: Callable[[], str]) -> Iterator[Tamperer]:
    made = Tamperer(postgres_place())
    with made.ledger, made.db:
        yield made
    made.db.close()


def changed(value: object) -> Iterator[object]:
    """Values that differ from one in a single place."""
    if isinstance(value, str):
        places = range(len(value)) if FULL else (0, len(value) // 2, len(value) - 1)
        for at in places:
            if value:
                yield f"{value[:at]}{'x' if value[at] != 'x' else 'y'}{value[at + 1 :]}"
        yield f"{value} "
        yield value[:-1]
    elif isinstance(value, int):
        yield from (value ^ 1, value + 2**40)
    else:
        yield "x"


@pytest.mark.parametrize("table", TABLES)
def test_k1_every_changed_value_is_found(tamperer: Tamperer, table: Table) -> None:
    assert len(tamperer.known) == 2
    assert not tamperer.found()
    tried = refused = 0
    where = "true" if FULL else ODD_ROWS[table]
    cursor = tamperer.db.execute(
        f"SELECT * FROM {table} WHERE {where} ORDER BY {KEYS[table]}"  # noqa: S608
    )
    columns = [column.name for column in cursor.description]
    for row in cursor.fetchall():
        values = dict(zip(columns, row, strict=True))
        for column, value in values.items():
            now = dict(values)
            for other in changed(value):
                tried += 1
                try:
                    put(tamperer, table, now, {**now, column: other})
                except psycopg.IntegrityError:
                    refused += 1
                    continue
                now[column] = other
                assert tamperer.found(), (column, value, other)
            put(tamperer, table, now, values)
    assert not tamperer.found()
    assert tried >= {"entries": 100, "heads": 12, "anchors": 40, "meta": 8}[table]
    assert refused < tried / 5


def put(tamperer: Tamperer, table: Table, old: dict[str, Any], new: dict[str, Any]) -> None:
    keys = KEYS[table].split(", ")
    to_set = ", ".join(f"{column} = %s" for column in new)
    at = " AND ".join(f"{key} = %s" for key in keys)
    tamperer.run(
        f"UPDATE {table} SET {to_set} WHERE {at}",  # noqa: S608
        *new.values(),
        *(old[key] for key in keys),
    )


def test_k1_gaps_reorders_cut_tails_and_dropped_sessions_are_found(tamperer: Tamperer) -> None:
    swap = (
        "UPDATE entries SET seq = seq + 100 WHERE scope = 'beta' AND seq IN (2, 3)",
        "UPDATE entries SET seq = 3 WHERE scope = 'beta' AND seq = 102",
        "UPDATE entries SET seq = 2 WHERE scope = 'beta' AND seq = 103",
    )
    cut = (
        "DELETE FROM entries WHERE scope = 'alpha' AND seq > 3",
        """UPDATE heads SET (seq, hash, at_ms) = (SELECT seq, hash, at_ms FROM entries
            WHERE scope = 'alpha' AND seq = 3) WHERE scope = 'alpha'""",
    )
    dropped = (
        "DELETE FROM entries WHERE scope = 'beta'",
        "DELETE FROM heads WHERE scope = 'beta'",
    )
    assert tamperer.finds("DELETE FROM entries WHERE scope = 'alpha' AND seq = 3")
    assert tamperer.finds("DELETE FROM anchors WHERE n = 2")
    assert tamperer.finds("DELETE FROM heads WHERE scope = 'alpha'")
    assert tamperer.finds("DELETE FROM entries WHERE scope = 'alpha' AND seq = 5")
    assert tamperer.finds(*swap)
    assert tamperer.finds(*cut)
    assert tamperer.finds(*dropped)
    assert tamperer.finds(
        "INSERT INTO entries SELECT scope, seq + 1, 0, kind, party, body, NULL, at_ms, hash, hash,"
        " v FROM entries WHERE scope = 'alpha' ORDER BY seq DESC LIMIT 1"
    )
    assert tamperer.finds("DELETE FROM entries")
    assert tamperer.finds("DELETE FROM heads", "DELETE FROM anchors")


def test_k1_a_ledger_has_the_same_head_in_both_databases(tamperer: Tamperer) -> None:
    with open_ledger(":memory:") as other:
        fill_ledger(other)
        assert other.head() == tamperer.ledger.head()
        assert other.heads() == tamperer.ledger.heads()
        for head in other.heads():
            mine = tamperer.ledger.read(head.scope, everything=True)
            assert other.read(head.scope, everything=True) == mine
        for newest_first in (True, False):
            found = tamperer.ledger.find("opened", newest_first=newest_first)
            assert other.find("opened", newest_first=newest_first) == found


# --- the commands ----------------------------------------------------------------------------


class Typing:
    """Commands typed in an empty folder, with one ledger."""

    def __init__(self, url: str, capsys: pytest.CaptureFixture[str]) -> None:
        self.url = url
        self.capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        found = main([*words, "--db", self.url])
        out, err = self.capsys.readouterr()
        assert found == code, (words, out, err)
        return out


@pytest.fixture
def typed(
    postgres_place: Callable[[], str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Typing:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return Typing(postgres_place(), capsys)


def test_k3_a_vote_is_held_listed_exported_replayed_and_verified(typed: Typing) -> None:
    shutil.copytree(EXAMPLES, "examples")
    voted = json.loads(typed("vote", "examples/vote.toml", "--json"))
    assert voted["winner"] == "database"
    assert "What made the checkout fail" in typed("ledger")
    rows = [json.loads(line) for line in typed("ledger", "--export", "json").splitlines()]
    assert {row["scope"] for row in rows} == {voted["session"]}
    assert len(typed("ledger", "--export", "csv").splitlines()) == len(rows) + 1
    assert "same" in typed("replay", "last")
    assert "is whole" in typed("verify")
    head = typed("ledger", "--head").strip()
    assert "is whole" in typed("verify", "--head", head)
    typed("verify", "--head", "f" * 64, code=1)


def test_k3_a_bargain_is_recorded(typed: Typing) -> None:
    typed("bargain", "--seller", "120:70", "--buyer", "60:100")
    assert "Deal at 80" in typed("ledger")
    assert "80" in typed("why", "last")


def test_k3_claims_are_won_renewed_released_and_checked(typed: Typing) -> None:
    won = json.loads(typed("claim", "gpu", "--agent", "ann", "--json"))
    assert won["status"] == "granted"
    typed("release", "gpu", "--token", str(won["token"]))
    assert "gpu" in typed("arbiter")
    typed("arbiter", "--check")
    assert "is whole" in typed("verify")


def test_k3_a_ledger_is_made_and_migrated_by_command(typed: Typing) -> None:
    assert typed("ledger", "--migrate") == "The ledger has schema 1 now; it had none.\n"
    assert json.loads(typed("ledger", "--migrate", "--json")) == {
        "v": 1,
        "kind": "migration",
        "before": 1,
        "now": 1,
    }
    assert "Nothing to do" in typed("ledger", "--migrate")
    assert typed("ledger") == "No session yet.\n"
    typed("ledger", "--migrate", "--head", code=2)


@pytest.mark.parametrize(
    "words",
    [
        ("bargain", "--seller", "120:70", "--buyer", "60:100"),
        ("demo", "--json"),
        ("demo",),
        ("doctor",),
        ("doctor", "--json"),
        ("vote", "examples/vote-close.toml"),
        ("inbox",),
        ("claim", "gpu", "--agent", "ann"),
        ("why", "last"),
        ("ledger", "nonsense"),
    ],
    ids=" ".join,
)
def test_k3_no_command_shows_the_password_of_its_ledger(
    typed: Typing, words: tuple[str, ...]
) -> None:
    shutil.copytree(EXAMPLES, "examples")
    main([*words, "--db", f"{typed.url}&password=geheim"])
    told = "".join(typed.capsys.readouterr())
    assert told
    assert "geheim" not in told


def test_k3_a_place_without_a_ledger_is_told(typed: Typing) -> None:
    typed("ledger", code=2)


# --- the page ---------------------------------------------------------------------------------

PAGE = EXAMPLES.parent / "docs" / "how-to" / "keep-the-ledger-in-postgresql.md"
URL = "postgresql://comity@db.example/comity"


def test_the_page_shows_what_really_happens(
    typed: Typing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command of the page, one after another; ``...`` stands for anything."""
    session = "".join(re.findall(r"(?ms)^```shell-session\n(.*?)^```$", PAGE.read_text("utf-8")))
    parts = re.split(r"(?m)^\$ (.*)\n", session)[1:]
    assert len(parts) > 10
    for line, expected in zip(parts[::2], parts[1::2], strict=True):
        there = line.replace(f"{URL}?schema=", f"{typed.url}_").replace(URL, typed.url)
        program, *words = shlex.split(there)
        if program == "export":
            monkeypatch.setenv(*words[0].split("=", 1))
            continue
        assert program == "comity"
        assert main(words) == 0
        found = typed.capsys.readouterr().out
        pattern = ".*".join(map(re.escape, expected.strip().split("...")))
        assert re.fullmatch(pattern, found.strip(), re.DOTALL), (line, expected, found)


# --- the arbiter -----------------------------------------------------------------------------


def test_r7_callers_through_two_desks_on_one_ledger_lose_nothing_and_never_share_a_token(
    postgres_place: Callable[[], str],
) -> None:
    url, callers, times = postgres_place(), 4, 25 if FULL else 6
    tokens: list[int] = []

    def call(arbiter: Arbiter, name: str) -> None:
        for n in range(times):
            request = f"{name}.{n}"
            with arbiter.claim("gpu", agent=name, timeout_ms=60_000, request_id=request) as claim:
                tokens.append(claim.token)
            arbiter.decide({name: 2, "other": 1}, "budget", request_id=f"d {request}")

    with Arbiter(url, Policy(rule="lottery")) as one, Arbiter(url, create=False) as two:
        threads = [
            Thread(target=call, args=(arbiter, f"{at}{n}"))
            for at, arbiter in enumerate((one, two))
            for n in range(callers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        assert len(tokens) == len(set(tokens)) == 2 * callers * times
        assert tokens == sorted(tokens)
        assert verify(one.ledger).ok
        assert not decided_again(one.ledger, one.name)
        assert len(history(one.ledger, one.name).conflicts) >= 2 * callers * times


def test_a_request_repeated_after_a_restart_is_answered(postgres_place: Callable[[], str]) -> None:
    url = postgres_place()
    with Arbiter(url) as one:
        first = one.decide({"a": 2, "b": 1}, "budget", request_id="r")
    with Arbiter(url, create=False) as other:
        again = other.decide({"a": 2, "b": 1}, "budget", request_id="r")
        assert again.winners == first.winners
        assert again.number == first.number
        new = [NewEntry("note", {})]
        other.ledger.append("s", new, expected_head="", request_id=None, now_ms=1)
        assert verify(other.ledger).ok
