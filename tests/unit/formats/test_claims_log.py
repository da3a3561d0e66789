"""Claims log files: every fault with its line, nothing guessed, nothing lost on the way back."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comity.core.errors import Fault, InvalidInput
from comity.formats import claims_log as module
from comity.formats.claims_log import (
    ClaimGain,
    ClaimsLog,
    claims_csv,
    read_claims_file,
    read_claims_log,
)
from comity.formats.claims_rows import MOST_TOLD
from comity.mechanisms.arbitration import Claim, Conflict

LOG = (
    "time,resource,agent,priority,won\n"
    "1970-01-01T00:00:05Z,gpu,b,1,false\n"
    "1970-01-01T00:00:05Z,gpu,a,0.5,true\n"
    "1970-01-01T00:00:09Z,gpu,a,0.5,false\n"
    "1970-01-01T00:00:09Z,gpu,b,1,true\n"
)
HEADER, *ROWS = LOG.splitlines()
READ = (
    Conflict(1, "gpu", (("a", Decimal("0.5")), ("b", 1)), winners=("a",), at=5),
    Conflict(2, "gpu", (("a", Decimal("0.5")), ("b", 1)), winners=("b",), at=9),
)
LINES = """{"time": 5, "resource": "gpu", "agent": "b", "priority": 1, "won": false}

 {"agent": " a ", "time": "5", "resource": "gpu", "priority": "0.5", "won": "Yes"}
{"time": "1970-01-01T00:00:09Z", "resource": "gpu", "agent": "a", "priority": 0.5, "won": 0}
{"time": 9.0, "resource": "gpu", "agent": "b", "priority": 1, "won": 1}"""


def refused(text: str) -> list[Fault]:
    with pytest.raises(InvalidInput) as caught:
        read_claims_log(text, whose="log.csv")
    return list(caught.value.faults)


def one_row(*cells: str, header: str = "time,resource,agent,priority,won") -> str:
    return f"{header}\n{','.join(cells)}\n"


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        LOG.replace("\n", "\r\n"),
        LOG.replace("\n", "\r"),
        "\ufeff" + LOG,
        LOG.replace("\n", "\n\n , ,,,\n"),
        LOG.replace("priority,won", "Priority,WON"),
        LOG.replace("true", "YES").replace("false", "no"),
        LOG.replace("true", "1").replace("false", "0"),
        LOG.replace("1970-01-01T00:00:05Z", "5").replace("1970-01-01T00:00:09Z", " 9.0 "),
        LOG.replace("gpu", '"gpu"').replace(",a,", ", a ,"),
        "\n".join([HEADER, *reversed(ROWS)]),
        LINES,
        LINES.replace("\n", "\r\n"),
        "\ufeff" + LINES,
    ],
)
def test_r5_every_form_and_order_of_rows_says_the_same(text: str) -> None:
    assert read_claims_log(text) == ClaimsLog(conflicts=READ)


def test_columns_may_stand_in_any_order() -> None:
    text = "won,priority,agent,resource,time\nyes,3,a,gpu,5\nno,1,b,gpu,5\n"
    assert read_claims_log(text).conflicts[0].claims == (("a", 3), ("b", 1))


def test_rows_with_the_same_time_and_resource_are_one_conflict() -> None:
    text = "time,resource,agent,priority,won\n9,x,a,1,1\n5,y,a,1,1\n5,x,a,1,1\n5.0,x,b,1/3,yes\n"
    read = read_claims_log(text).conflicts
    assert [(one.at, one.resource, one.number) for one in read] == [
        (5, "x", 1), (5, "y", 1), (9, "x", 2),
    ]  # fmt: skip
    assert read[0].winners == ("a", "b"), "several may win"
    assert read[0].claims == (("a", 1), ("b", Fraction(1, 3)))


def test_without_the_column_won_nobodys_win_is_known() -> None:
    log = read_claims_log("time,resource,agent,priority\n5,gpu,a,1\n5,gpu,b,2\n")
    assert (log.says_who_won, log.conflicts[0].winners) == (False, ())
    lines = '{"time":5,"resource":"gpu","agent":"a","priority":1}'
    assert not read_claims_log(lines).says_who_won
    waits = read_claims_log(one_row("5", "gpu", "a", "1", "no"))
    assert (waits.says_who_won, waits.conflicts[0].winners) == (True, ())


def test_what_is_assumed_is_said() -> None:
    assert read_claims_log(LOG).notes == ()
    text = one_row("2026-06-01 00:00", "gpu", "a", "1", "no")
    assert read_claims_log(text).notes == ("times without a zone are taken as UTC",)
    (note,) = read_claims_log(one_row("20260601", "gpu", "a", "1", "no")).notes
    assert note == "times such as 20260601 are seconds since 1970; a day is 2026-06-01"


def test_d3_gains_are_read_where_they_are_told() -> None:
    text = (
        "time,resource,agent,priority,won,realised_gain,claimed_gain\n"
        "5,ads,a,1,yes,40.50,100\n5,ads,b,1,no,,7\n5,ads,c,1,no,0,\n9,ads,a,1,yes,-3,\n"
        "9,ads,b,1,no,,\n"
    )
    assert read_claims_log(text).gains == (
        ClaimGain(5, "ads", "a", True, 100, Decimal("40.50")),
        ClaimGain(5, "ads", "b", False, 7, None),
        ClaimGain(5, "ads", "c", False, None, 0),
        ClaimGain(9, "ads", "a", True, None, -3),
    )
    row = {"time": 5, "resource": "ads", "agent": "a", "priority": 1, "won": True}
    lines = [{**row, "claimed_gain": "1/3", "realised_gain": None}, {**row, "agent": "b"}]
    gains = read_claims_log("\n".join(map(json.dumps, lines))).gains
    assert gains == (ClaimGain(5, "ads", "a", True, Fraction(1, 3), None),)


def test_unknown_columns_are_ignored_and_named() -> None:
    log = read_claims_log(LOG.replace("won", "winner"))
    assert (log.says_who_won, log.ignored) == (False, ("ignored: the unknown column 'winner'",))
    text = "time,resource,agent,priority,won,wonn,region\n5,gpu,a,1,yes,x,eu\n"
    assert read_claims_log(text).ignored == ("ignored: 2 unknown columns 'wonn', 'region'",)
    lines = LINES.replace('"won":', '"region": "eu", "won":')
    assert read_claims_log(lines).ignored == ("ignored: the unknown column 'region'",)
    assert read_claims_log(lines).conflicts == READ
    near = read_claims_log("time,resource,agent,priority,wno\n5,gpu,a,1,x\n")
    assert near.ignored == ("ignored: the unknown column 'wno' (did you mean 'won'?)",)


APART = (
    "time,resource,agent,priority,won\n"
    "0,slot,a,1,yes\n3,slot,b,1,no\n8,slot,c,2,no\n"
    "60,slot,b,1,yes\n61,slot,a,1,no\n2,other,z,1,yes\n300,slot,c,2,yes\n"
)


def test_r5_claims_within_a_window_are_one_conflict_and_arrive_each_at_its_time() -> None:
    apart = read_claims_log(APART)
    assert len(apart.conflicts) == 7
    together = read_claims_log(APART, window_s=30).conflicts
    assert [(one.resource, one.number, one.at) for one in together] == [
        ("slot", 1, 0), ("other", 1, 2), ("slot", 2, 60), ("slot", 3, 300),
    ]  # fmt: skip
    assert together[0].claims == (Claim("a", 1, 0), Claim("b", 1, 3), Claim("c", 2, 8))
    assert together[0].winners == ("a",)
    edge = read_claims_log(APART, window_s=3).conflicts
    assert [len(one.claims) for one in edge if one.resource == "slot"] == [2, 1, 2, 1]


def test_r5_an_agent_that_claims_again_begins_a_new_conflict() -> None:
    text = "time,resource,agent,priority\n0,r,a,1\n1,r,b,1\n2,r,a,1\n3,r,b,1\n"
    log = read_claims_log(text, window_s=3600)
    assert [[claim[0] for claim in one.claims] for one in log.conflicts] == [["a", "b"]] * 2


def test_r4_a_column_says_when_claims_arrived() -> None:
    text = (
        "time,resource,agent,priority,arrived\n9,r,a,1,5\n9,r,b,1,1970-01-01T00:00:03Z\n9,r,c,1,\n"
    )
    (one,) = read_claims_log(text).conflicts
    assert one.claims == (Claim("a", 1, 5), Claim("b", 1, 3), ("c", 1))
    assert read_claims_log(claims_csv([one])).conflicts == (one,)
    (spread,) = read_claims_log(text, window_s=1).conflicts
    assert spread.claims[2] == Claim("c", 1, 9), "else it arrived at its time"


def test_r2_a_column_says_what_belongs_together() -> None:
    text = (
        "time,resource,agent,priority,won,scope\n0,gpu-1,a,1,yes,gpu\n0,gpu-2,a,1,no,gpu\n"
        "0,gpu-2,b,1,yes,gpu\n5,gpu-1,b,1,yes,\n5,tpu,b,1,yes,\n"
    )
    assert [(one.resource, one.number) for one in read_claims_log(text).conflicts] == [
        ("gpu", 1), ("gpu", 1), ("gpu", 2), ("tpu", 1),
    ]  # fmt: skip
    wrong = refused(text.replace("5,gpu-1,b,1,yes,", "5,gpu-1,b,1,yes,x"))
    assert wrong[0].what == "puts 'gpu-1' into the scope 'x', before into 'gpu'"


def test_r5_a_torn_log_is_hinted_at() -> None:
    (hint,) = read_claims_log(APART).hints
    assert hint.startswith("7 of 7 conflicts have one claimant, so that nobody loses there: if")
    assert hint.endswith("give --window, such as --window 5m")
    assert read_claims_log(APART, window_s=30).hints == ()


# --- faults ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "what", "then"),
    [
        ("", "holds no claim", "add the claims"),
        ("\ufeff\n \r\n", "holds no claim", "add the claims"),
        ("time,resource,agent,priority,won\n", "holds no claim", "add the claims"),
        ("time,resource,agent,won\n1,a,b,yes\n", "lacks priority", "add it"),
        ("x\n1\n", "lacks time, resource, agent, priority", "add it"),
        (LOG.replace("priority", "prioritty"), "lacks priority", "rename 'prioritty' to"),
        (LOG.replace(",won", ",won,won"), "has the column 'won' twice", "drop one"),
        (LOG.replace(",", ";"), "has one column", "separate the fields with commas"),
        (LOG.replace(",", "\t"), "has one column", "separate the fields with commas"),
        (one_row("1", "r", "a", "1"), "has 4 fields", "correct it"),
        (one_row("1", "r", "a", "1", "yes", "6"), "has 6 fields", "correct it"),
        (one_row("now", "r", "a", "1", "yes"), "time is 'now'", "correct time"),
        (one_row("", "r", "a", "1", "yes"), "time is empty", "correct time"),
        (one_row("1", "", "a", "1", "yes"), "resource is empty", "correct it"),
        (one_row("1", "r", "", "1", "yes"), "agent is empty", "correct it"),
        (one_row("1", "r", "a\x00b", "1", "yes"), "agent is 'a\\x00b'", "correct it"),
        (one_row("1", "r", "a" * 201, "1", "yes"), "agent is 'aaa", "correct it"),
        (one_row("1", "r", "a", "nan", "yes"), "priority is 'nan'", "give priority"),
        (one_row("1", "r", "a", "inf", "yes"), "priority is 'inf'", "give priority"),
        (one_row("1", "r", "a", "1e3", "yes"), "priority is '1e3'", "give priority"),
        (one_row("1", "r", "a", "1/0", "yes"), "priority is '1/0'", "give priority"),
        (one_row("1", "r", "a", "", "yes"), "priority is ''", "give priority"),
        (one_row("1", "r", "a", "9" * 4301, "yes"), "too many digits", "round priority"),
        (one_row("1", "r", "a", "1", "maybe"), "won is 'maybe'", "correct it"),
        (one_row("1", "r", "a", "1", ""), "won is empty", "correct it"),
        (one_row("1", "r", "a", "1", "2"), "won is '2'", "correct it"),
        (one_row("1", "r", '"a', "1", "yes"), "is no CSV", "correct it"),
        (one_row("1", "r", "x" * 200_000, "1", "yes"), "is no CSV: field larger", "correct it"),
        (LOG + "5,gpu,a,1,no\n", "claim 'gpu' again, after line 3", "correct the time"),
        (
            "time,resource,agent,priority,claimed_gain\n1,r,a,1,3\n",
            "has gains without won",
            "say who won",
        ),
        (
            one_row("1", "r", "a", "1", "no", "3", header=HEADER + ",realised_gain"),
            "realises a gain of '3' without winning",
            "correct won",
        ),
        (
            one_row("1", "r", "a", "1", "yes", "-3", header=HEADER + ",claimed_gain"),
            "claimed_gain is '-3'",
            "correct it",
        ),
        (
            one_row("1", "r", "a", "1", "yes", "x", header=HEADER + ",claimed_gain"),
            "claimed_gain is 'x'",
            "give claimed_gain",
        ),
        ("{", "is no JSON", "correct it"),
        ("{}", "lacks time, resource, agent, priority", "add it"),
        ('{"time": NaN}', "NaN is not a number", "correct it"),
        ('{"time": 1, "time": 2}', "the key 'time' stands twice", "correct it"),
        (LINES + "\n[1]", "is [1]", "correct it"),
        (LINES + "\n7", "is 7", "correct it"),
        (LINES.replace(', "won": 1}', "}"), "lacks won, unlike the lines before", "correct it"),
        (LINES.replace(', "won": false}', "}"), "has won, unlike the lines", "correct it"),
        (LINES.replace('"won": 1', '"won": null'), "won is empty", "correct it"),
        (LINES.replace('"won": 1', '"won": 1.5'), "won is Decimal('1.5')", "correct it"),
        (LINES.replace('"won": 1', '"won": 7'), "won is 7", "correct it"),
        (LINES.replace('"won": 1', '"won": []'), "won is []", "correct it"),
        (LINES.replace('"time": 9.0', '"time": true'), "time is True", "correct time"),
        (LINES.replace('"time": 9.0', '"time": [1]'), "time is [1]", "correct time"),
        (LINES.replace('"time": 9.0', '"time": null'), "time is empty", "correct time"),
        (LINES.replace('"agent": "b"', '"agent": 7'), "agent is 7", "correct it"),
        (LINES.replace('"agent": "b"', '"agent": {"b": 1}'), "agent is {'b': 1}", "correct it"),
        (LINES.replace('"agent": "b"', '"agent": null'), "agent is empty", "correct it"),
        (LINES.replace('"priority": 1', '"priority": false'), "priority is False", "give"),
        (LINES.replace('"priority": 1', '"priority": [2]'), "priority is [2]", "give"),
        (LINES.replace('"priority": 1', '"priority": 1e9999'), "too many digits", "round"),
    ],
)
def test_g7_everything_wrong_is_a_fault_in_four_parts(text: str, what: str, then: str) -> None:
    faults = refused(text)
    fault = next((one for one in faults if what in one.what), None)
    assert fault is not None, faults
    assert then in fault.next
    assert fault.whose.startswith("log.csv")
    assert fault.allowed


def test_g7_all_faults_come_at_once_each_with_its_line() -> None:
    text = (
        "time,resource,agent,priority,won\n"
        "x,,a,nan,maybe\n"
        '1,"two\nlines",a,1,yes\n'
        "1,r,a,1,yes\n"
        "1,r,a,2,no\n"
    )
    told = [f"{one.whose}: {one.what}" for one in refused(text)]
    assert told == [
        "log.csv line 2: time is 'x'",
        "log.csv line 2: resource is empty",
        "log.csv line 2: priority is 'nan'",
        "log.csv line 2: won is 'maybe'",
        "log.csv line 3: resource is 'two\\nlines'",
        "log.csv line 6: lets 'a' claim 'r' again, after line 5",
    ]


def test_of_very_many_faults_the_first_are_told_and_the_rest_counted() -> None:
    faults = refused("time,resource,agent,priority\n" + "x,r,a,1\n" * 1000)
    assert len(faults) == MOST_TOLD + 1
    assert faults[-1].what == f"has {1000 - MOST_TOLD} more faults"
    wide = refused(",".join(f"c{at}" for at in range(5000)) + "\n")
    assert [one.what for one in wide] == ["lacks time, resource, agent, priority"]


def test_nothing_that_is_too_large_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(module, "LARGEST_LOG", 100)
    (tmp_path / "log.csv").write_text(LOG)
    assert "is longer than 100 characters" in refused(LOG)[0].what
    with pytest.raises(InvalidInput, match="is larger than 100 bytes"):
        read_claims_file(tmp_path / "log.csv")


def test_files_that_are_no_text_or_no_files_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("\ufeff" + LOG, "utf-8")
    assert read_claims_file(path).conflicts == READ
    path.write_bytes(LOG.encode("utf-16"))
    with pytest.raises(InvalidInput, match="is not UTF-8 text: byte 1 cannot"):
        read_claims_file(path)
    for wrong in (tmp_path, tmp_path / "none.csv"):
        with pytest.raises(InvalidInput, match="cannot be read: "):
            read_claims_file(wrong)


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.lists(
                st.sampled_from(
                    ["time", "resource", "agent", "priority", "won", "5", "a", '"', "yes", ""]
                ),
                max_size=6,
            ).map(",".join),
            max_size=6,
        ).map("\n".join),
        st.lists(
            st.dictionaries(
                st.sampled_from(["time", "resource", "agent", "priority", "won", "wonn"]),
                st.one_of(
                    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4),
                    st.lists(st.integers(), max_size=2),
                ),
            ).map(json.dumps),
            min_size=1,
            max_size=4,
        ).map("\n".join),
    )
)  # fmt: skip
@example("{" * 5000)
@example('{"a":' * 5000)
@example('time,resource,agent,priority\n"')
def test_g7_whatever_is_read_is_a_log_or_faults(text: str) -> None:
    faults: tuple[Fault, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    try:
        conflicts = read_claims_log(text).conflicts
    except InvalidInput as error:
        faults = error.faults
    assert bool(faults) != bool(conflicts)
    assert all(one.whose and one.what and one.allowed and one.next for one in faults)


# --- writing ---------------------------------------------------------------------------------

NAMES = st.text(
    st.characters(categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=8
).filter(lambda name: name == name.strip() and name.isprintable())
NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-999, max_value=999),
    st.fractions(max_denominator=50),
)
TIMES = st.one_of(
    st.integers(-(10**9), 4 * 10**9),
    st.fractions(min_value=-5, max_value=5, max_denominator=40),
    st.decimals(min_value=0, max_value=9, places=6),
)


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[Conflict], list[ClaimGain]]:
    """Return conflicts as a log keeps them: sorted, numbered, whole numbers as such."""
    keys = draw(st.lists(st.tuples(TIMES, NAMES), min_size=1, max_size=6, unique=True))
    numbers: dict[str, int] = {}
    found, gains = [], []
    for at, resource in sorted(keys):
        numbers[resource] = numbers.get(resource, 0) + 1
        agents = sorted(draw(st.sets(NAMES, min_size=1, max_size=4)))
        winners = tuple(name for name in agents if draw(st.booleans()))
        claims = tuple((name, draw(NUMBERS)) for name in agents)
        whole = int(at) if at == int(at) else at
        found.append(Conflict(numbers[resource], resource, claims, winners=winners, at=whole))
        if draw(st.booleans()):
            told = (abs(draw(NUMBERS)), draw(NUMBERS) if agents[0] in winners else None)
            gains.append(ClaimGain(whole, resource, agents[0], agents[0] in winners, *told))
    return found, gains


@given(logs())
def test_what_is_written_is_read_back(log: tuple[list[Conflict], list[ClaimGain]]) -> None:
    conflicts, gains = log
    read = read_claims_log(claims_csv(conflicts, gains))
    assert read.conflicts == tuple(conflicts)
    assert read.gains == tuple(gains)
    assert read.says_who_won is bool(gains or any(one.winners for one in conflicts))


def test_a_spreadsheet_gets_plain_csv() -> None:
    written = claims_csv(READ)
    assert list(csv.reader(io.StringIO(written)))[1] == [
        "1970-01-01T00:00:05Z", "gpu", "a", "0.5", "true",
    ]  # fmt: skip
    assert written == claims_csv(read_claims_log(written).conflicts)


def test_g7_conflicts_without_a_time_cannot_be_written() -> None:
    rows = [one._replace(at=None) for one in READ]
    with pytest.raises(InvalidInput) as caught:
        claims_csv(rows)
    assert [str(one).split(".")[0] for one in caught.value.faults] == [
        "conflict 1 of gpu: has no time",
        "conflict 2 of gpu: has no time",
    ]


def test_twenty_thousand_rows_are_read_and_written() -> None:
    rows = [
        Conflict(at + 1, "gpu", (("a", 1), ("b", 2)), winners=("ab"[at % 2],), at=at * 60)
        for at in range(10_000)
    ]
    assert read_claims_log(claims_csv(rows)).conflicts == tuple(rows)


def test_g7_names_that_look_alike_are_one_name_written_twice() -> None:
    rows = ["1,gpu,\xc5,1", "2,gpu,A\u030a,1", "2,A\u030a,b,1", "3,gpu,A\u030a,1", "4,gpu,\xe9,1"]
    with pytest.raises(InvalidInput) as caught:
        read_claims_log("\n".join(["time,resource,agent,priority", *rows]))
    (fault,) = caught.value.faults
    assert fault.whose == "claims log line 3"
    assert fault.what == "names agent 'A\u030a' as 'A\\u030a', and line 2 as '\\xc5'"
