"""Claims: a file, standard input or the ledger, and a message when there is nothing anywhere."""

from __future__ import annotations

import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from comity.cli.claims import Claims, claims_from, claims_of, in_period, instant
from comity.cli.door import Door
from comity.core.errors import Fault, InvalidInput
from comity.formats.claims_log import BesideClaim, ClaimGain, ClaimsLog
from comity.mechanisms.arbitration import Policy, recorded
from comity.runner.claims_record import History, TurnedAway
from comity.runner.recording import record_conflict

LOG = "time,resource,agent,priority,won\n5,gpu,a,1,no\n5,gpu,b,2,yes\n"
ROWS = tuple(recorded("r", [("a", 1)], ["a"], at=at) for at in (0, 10, 20))


def nothing(name: str) -> Any:
    raise InvalidInput(Fault(f"desk {name!r}", "is not in this ledger", "a desk", "open it"))


def held(name: str) -> Any:
    policy = Policy(c=2) if name == "team" else None
    return History(desk=name, conflicts=() if name == "new" else ROWS, policy=policy)


def refused(*args: Any) -> Fault:
    with pytest.raises(InvalidInput) as caught:
        claims_from(*args)
    return caught.value.faults[0]


def test_a_file_is_read_and_states_no_policy(here: Path) -> None:
    (here / "log.csv").write_text(LOG)
    found = claims_from(nothing, "log.csv", None)
    assert (found.log.conflicts[0].winners, found.policy) == (("b",), None)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LOG.encode())))
    assert claims_from(nothing, "-", None).log.conflicts[0].winners == ("b",)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff")))
    assert refused(nothing, "-", None).what == "is not UTF-8 text: byte 1 cannot be read"
    monkeypatch.setattr("sys.stdin", None)
    assert refused(nothing, "-", None).what == "holds no claim"


def test_k4_without_a_file_the_record_of_a_desk_is_looked_at() -> None:
    assert claims_from(held, None, None) == Claims(log=ClaimsLog(conflicts=ROWS))
    assert claims_from(held, None, "team").policy == Policy(c=2)


AWAY = TurnedAway(5, "r", "c", ("a",), 2)


def test_r5_claims_that_ran_out_and_wins_nobody_used_are_beside_the_conflicts() -> None:
    record = History(
        desk="d",
        conflicts=ROWS,
        policy=None,
        elsewhere=2,
        unused=(1,),
        turned_away=(AWAY._replace(at=Fraction(21, 2)), AWAY),
    )
    log = claims_from(lambda _: record, None, None).log
    assert log.by_others == 2
    assert log.beside == (
        BesideClaim(5, "r", "c", True, ("a",)),
        BesideClaim(10, "r", "a", False),
        BesideClaim(Fraction(21, 2), "r", "c", True, ("a",)),
    )
    assert [one.at for one in in_period(log, 10, None).beside] == [10, Fraction(21, 2)]


def test_r5_a_desk_that_only_turned_claims_away_says_so() -> None:
    record = History(desk="d", conflicts=(), policy=None, turned_away=(AWAY,))
    fault = refused(lambda _: record, None, None)
    assert fault.what.endswith("decided nothing yet; 1 of its claims ran out while they waited")


def test_k4_the_ledger_of_the_call_is_opened(here: Path) -> None:
    record_conflict({"a": 3, "b": 1}, "a", "gpu", db="x.db")
    found = claims_of(Door(db="x.db"), None, None)
    assert (found.log.conflicts[0].winners, found.policy) == (("a",), None)
    with pytest.raises(InvalidInput, match=r"no file is named, and ledger .*none\.db"):
        claims_of(Door(db="none.db"), None, None)
    assert not (here / "none.db").exists()


@pytest.mark.parametrize(
    ("history", "desk", "why"),
    [
        (nothing, None, "desk 'claims' is not in this ledger"),
        (nothing, "x", "desk 'x' is not in this ledger"),
        (held, "new", "desk 'new' has decided nothing yet"),
    ],
)
def test_g7_nothing_anywhere_says_how_to_get_a_log(history: Any, desk: str, why: str) -> None:
    fault = refused(history, None, desk)
    assert fault.whose == "claims"
    assert fault.what == f"are nowhere: no file is named, and {why}"
    assert "time,resource,agent,priority[,won]" in fault.allowed
    assert "comity.record_conflict(...)" in fault.next


def test_a_file_that_is_not_there_is_told_with_what_is_near(here: Path) -> None:
    (here / "claims.csv").write_text(LOG)
    assert refused(nothing, "clams.csv", None).next == "did you mean 'claims.csv'"
    assert refused(nothing, "claims.csv", "team").whose == "--desk"


def test_r6_a_period_keeps_what_lies_in_it() -> None:
    gains = tuple(ClaimGain(at, "r", "a", True, 1, 1) for at in (0, 10, 20))
    log = ClaimsLog(conflicts=ROWS, gains=gains, notes=("x",))
    assert in_period(log, None, None) is log
    kept = in_period(log, 10, 20)
    assert (kept.conflicts, kept.gains, kept.notes) == (ROWS[1:2], gains[1:2], ("x",))
    assert in_period(log, Fraction(1, 2), None).conflicts == ROWS[1:]
    assert in_period(log, None, 10).conflicts == ROWS[:1]
    timeless = ClaimsLog(conflicts=(ROWS[0], ROWS[1]._replace(at=None)))
    assert in_period(timeless, 0, None).conflicts == ROWS[:1]
    with pytest.raises(InvalidInput, match="keep none of 3 conflicts"):
        in_period(log, 21, None)


def test_a_moment_is_read_or_noted_as_a_fault() -> None:
    faults: list[Fault] = []
    assert instant(None, "--since", faults) is None
    assert instant("1970-01-02", "--since", faults) == 86_400
    assert instant("soon", "--until", faults) is None
    assert [one.whose for one in faults] == ["--until"]
