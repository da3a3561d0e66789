"""Options: the words of a command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.cli.options import _without, choice, whole
from comity.core.errors import Fault, InvalidInput


def test_shared_options_may_stand_before_the_name_or_after_it(
    comity: Callable[..., Any], price: str
) -> None:
    assert comity("run", price, "--db", "mine.db", "-q").code == 0
    after = comity("ledger", "--db", "mine.db", "--json")
    before = comity("--db", "mine.db", "--json", "ledger")
    assert after.json == before.json
    assert comity("--json", "parse", "review", "--db", "x.db", price).json["status"] == "invalid"


def test_the_one_after_the_name_wins(comity: Callable[..., Any], price: str) -> None:
    assert comity("run", price, "--db", "mine.db", "-q").code == 0
    assert comity("--db", "other.db", "ledger", "--db", "mine.db").code == 0


@pytest.mark.parametrize("text", ["5", " 5 ", "+5"])
def test_whole_numbers_are_read(text: str) -> None:
    faults: list[Fault] = []
    assert whole(text, "--rounds", faults) == 5
    assert not faults


@pytest.mark.parametrize("text", ["", "x", "1.5", "-1", "--1", "9" * 30, "٣"])
def test_other_texts_are_noted_as_faults(text: str) -> None:
    faults: list[Fault] = []
    assert whole(text, "--rounds", faults) is None
    assert [fault.whose for fault in faults] == ["--rounds"]


def test_the_least_number_is_held() -> None:
    faults: list[Fault] = []
    assert whole("0", "--stall", faults, least=1) is None
    assert faults[0].allowed == "a whole number of 1 or more"
    assert whole(None, "--stall", faults, least=1) is None
    assert len(faults) == 1


def test_a_choice_outside_its_words_names_the_nearest() -> None:
    with pytest.raises(InvalidInput) as refused:
        choice("jsn", "--export", ("json", "csv"))
    assert refused.value.faults[0].next == "did you mean 'json'"


def test_an_option_that_stands_nowhere_leaves_no_words_to_read_again() -> None:
    assert _without("--x", ["a", "--y", "-z"]) == []
    assert _without("--x", ["a", "--x=5", "b"]) == ["a", "b"]
    assert _without("-x", ["-qx", "b"]) == ["b"]
