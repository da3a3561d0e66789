"""Instants: every written time is one exact second, and nothing else is read as one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.formats.instants import instant_text, period_of, read_instant
from comity.mechanisms.arbitration import Conflict, win_table

JUNE = 1_780_272_000
FIRST, LAST = -62_135_596_800, 253_402_300_799


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-06-01T00:00:00Z", JUNE),
        ("2026-06-01t00:00:00z", JUNE),
        (" 2026-06-01 00:00 Z ", JUNE),
        ("2026-06-01T02:30:00+02:30", JUNE),
        ("2026-06-01T02:30+0230", JUNE),
        ("2026-05-31T22:00-02", JUNE),
        ("2026-06-01T00:00:00.000Z", JUNE),
        ("2026-06-01T00:00:00.25Z", JUNE + Fraction(1, 4)),
        ("2026-06-01T00:00:00,123456789Z", JUNE + Fraction(123_456_789, 10**9)),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.5Z", Fraction(-1, 2)),
        ("0001-01-01T00:00:00Z", FIRST),
        ("9999-12-31T23:59:59Z", LAST),
        ("1780272000", JUNE),
        ("1780272000.0", JUNE),
        ("-1.5", Fraction(-3, 2)),
        ("1/3", Fraction(1, 3)),
        (JUNE, JUNE),
        (Decimal("0.5"), Fraction(1, 2)),
    ],
)
def test_r5_times_are_exact_seconds_since_1970(text: object, at: object) -> None:
    read = read_instant(text, "log")
    assert (read.at, read.is_assumed) == (at, False)
    assert type(read.at) is int or read.at != int(read.at)


@pytest.mark.parametrize(
    "text", ["2026-06-01", "2026-06-01T00:00", "2026-06-01 00:00:00", "2026-06-01T00:00:00.0"]
)
def test_without_a_zone_utc_is_assumed_and_said(text: str) -> None:
    assert read_instant(text, "log") == (JUNE, True)


@pytest.mark.parametrize(
    "wrong",
    [
        "", "soon", "2026-02-30", "2026-13-01T00:00:00Z", "2026-06-01T24:00:00Z",
        "2026-06-01T00:60:00Z", "2026-06-01T23:59:60Z", "2026-06-01T00:00:00+24:00",
        "2026-06-01T00:00:00+01:60", "2026-06-01T00:00:00 CET", "06/01/2026", "1.6.2026",
        "0000-01-01", "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "1e9", "NaN",
        "Infinity", "0x10", "\uff12026-06-01", None, True, [], float("nan"), float("inf"),
    ],
)  # fmt: skip
def test_g7_anything_else_is_refused_with_the_forms_that_are_read(wrong: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_instant(wrong, "log line 3")
    (fault,) = caught.value.faults
    assert fault.whose == "log line 3"
    assert fault.allowed == "ISO 8601 such as 2026-06-01T00:00:12Z, or seconds since 1970"


def test_milliseconds_are_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidInput, match="it looks like milliseconds: divide by 1000"):
        read_instant("1780272000000", "log")
    with pytest.raises(InvalidInput, match="Next: correct time"):
        read_instant(str(10**40), "log")
    with pytest.raises(InvalidInput, match="Next: correct since"):
        read_instant("9" * 5000, "log", "since")


@given(
    whole=st.integers(FIRST, LAST),
    part=st.one_of(st.just(Fraction(0)), st.fractions(0, Fraction(98, 99), max_denominator=99)),
)
def test_what_is_written_is_read_back_exactly(whole: int, part: Fraction) -> None:
    at = whole + part
    at = int(at) if at.denominator == 1 else at
    assert read_instant(instant_text(at), "log").at == at


@given(st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-9, minutes=-30))])))
def test_iso_texts_of_the_standard_library_are_read(moment: datetime) -> None:
    micro = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
    if FIRST * 10**6 <= micro < (LAST + 1) * 10**6:
        assert read_instant(moment.isoformat(), "log").at == Fraction(micro, 10**6)


@given(st.integers(FIRST, LAST), st.sampled_from(["day", "week", "month", None]))
def test_r5_periods_are_those_of_the_win_table(at: int, by: str | None) -> None:
    table = win_table([Conflict(1, "r", (("a", 1),), winners=("a",), at=at)], by)  # type: ignore[arg-type]
    assert period_of(at, by) == table.rows[0][0]


def test_a_time_beyond_every_calendar_is_told_as_seconds() -> None:
    assert instant_text(253_402_300_800) == "253402300800"
    assert instant_text(-62_135_596_801) == "-62135596801"
    assert instant_text(253_402_300_799) == "9999-12-31T23:59:59Z"
