"""Named rows: small tables, every fault with its line (G5, G7)."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.formats import named_rows
from comity.formats.named_rows import NamedRow, NamedRows


def table() -> NamedRows:
    return NamedRows("t.csv", ("who", "what"), ("note",))


def read(text: str) -> None:
    found = table()
    found.read(text)
    found.tell()


def refusals(text: str) -> list[str]:
    with pytest.raises(InvalidInput) as refused:
        read(text)
    return [str(fault) for fault in refused.value.faults]


@pytest.mark.parametrize(
    "text",
    [
        "who,what\na,1\n",
        "WHO, what \n a , 1 ",
        "who;what\na;1\n",
        "who\twhat\na\t1\n",
        "\ufeffwho,what\r\na,1\r\n\r\n",
        "# a remark\n# another\nwho,what\na,1\n",
        '"who","what"\n"a","1"\n',
        "who,what\n\n,\na,1\n",
    ],
)
def test_a_table_is_read_however_it_is_written(text: str) -> None:
    assert [row.cells for row in table().read(text)] == [{"who": "a", "what": "1"}]


def test_g7_faults_name_the_line_they_are_in() -> None:
    said = refusals("# remark\nwho,what\na\n,1\nb,2\nc,\n")
    assert [one.partition(":")[0] for one in said] == [
        "t.csv line 3", "t.csv line 4", "t.csv line 6",
    ]  # fmt: skip
    assert "has 1 cell" in said[0]
    assert "names no who" in said[1]
    assert "names no what" in said[2]


def test_a_line_break_inside_quotes_counts() -> None:
    said = refusals('who,what\n"a\nb",1\nc\n')
    assert said == [
        "t.csv line 4: has 1 cell. Allowed: 2, as the first row. Next: correct the row."
    ]


def test_g7_every_fault_of_the_first_row_is_told_at_once() -> None:
    said = refusals("who,who,wat\na,b,c\n")
    assert len(said) == 3
    assert "names the column 'who' twice" in said[0]
    assert "has the column 'wat'" in said[1]
    assert "did you mean 'what'" in said[1]
    assert "lacks the column what" in said[2]


@pytest.mark.parametrize("text", ["", "\ufeff", "\r\n\n", "# a remark\n", " , \n"])
def test_an_empty_table_is_said_to_be_empty(text: str) -> None:
    assert refusals(text) == [
        "t.csv: is empty. Allowed: a first row who, what, perhaps note. Next: write the table."
    ]


def test_a_table_without_rows_is_refused() -> None:
    assert "has no rows" in refusals("who,what\n")[0]


def test_what_is_no_csv_is_refused_with_its_line() -> None:
    assert "line 2: is no CSV" in refusals('who,what\n"a,1\n')[0]
    assert "line 1: is no CSV" in refusals('"who,what\n')[0]


def test_a_table_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_rows, "LARGEST_TABLE", 10)
    assert "is longer than 10 characters" in refusals("who,what\na,1\n")[0]


def test_of_very_many_faults_the_first_are_told_and_their_number() -> None:
    said = refusals("who,what\n" + "a\n" * 120)
    assert len(said) == 101
    assert "has 20 more faults" in said[-1]


@pytest.mark.parametrize(
    ("cell", "value"), [("3", 3), ("0.10", Decimal("0.10")), ("1/3", Fraction(1, 3))]
)
def test_g5_numbers_are_exact(cell: str, value: object) -> None:
    found = table()
    assert found.number(NamedRow(2, {"what": cell}), "what") == value
    assert found.faults == []


def test_g7_what_is_no_number_is_noted_with_its_line() -> None:
    found = table()
    assert found.number(NamedRow(7, {"what": "nan"}), "what") is None
    assert str(found.faults[0]).startswith("t.csv line 7: what is 'nan'")


@pytest.mark.parametrize(
    ("cell", "is_yes"),
    [("yes", True), ("X", True), ("1", True), ("true", True), ("no", False), ("", False)],
)
def test_yes_and_no_are_read(cell: str, is_yes: bool) -> None:
    assert table().is_marked(NamedRow(2, {"note": cell}), "note") is is_yes
    assert table().is_marked(NamedRow(2, {}), "note") is False


def test_neither_yes_nor_no_is_noted() -> None:
    found = table()
    assert found.is_marked(NamedRow(2, {"note": "perhaps"}), "note") is False
    assert "note is 'perhaps'" in str(found.faults[0])
