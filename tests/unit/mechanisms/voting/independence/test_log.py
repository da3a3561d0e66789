"""Vote log: is every fault of it found at once, and does order mean nothing?"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.independence import log as module
from comity.mechanisms.voting.independence.log import (
    VoteLog,
    is_usable_name,
    own_truth_fault,
    vote_log,
)

ROWS = [("2", "b", "no"), ("1", "a", "yes"), ("1", "b", "yes"), ("2", "a", None)]


def refused(*args: object, **named: object) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        vote_log(*args, **named)
    return [str(fault) for fault in caught.value.faults]


def test_v9_items_voters_and_options_are_sorted() -> None:
    log = vote_log(ROWS)
    assert (log.items, log.voters, log.options) == (("1", "2"), ("a", "b"), ("no", "yes"))
    assert log.answers == (("yes", None), ("yes", "no"))
    assert log.truth is None
    assert log.weights == (1, 1)
    assert log.runs_of == ("a", "b")


def test_g3_rows_and_a_mapping_in_any_order_make_the_same_log() -> None:
    mapping = {"b": {"2": "no", "1": "yes"}, "a": {"2": None, "1": "yes"}}
    assert vote_log(ROWS) == vote_log(ROWS[::-1]) == vote_log(mapping)
    assert vote_log(ROWS).digest == vote_log(mapping).digest
    assert vote_log(ROWS).digest != vote_log(ROWS, truth={"1": "yes"}).digest


def test_v1_an_answer_outside_the_options_is_kept_and_is_not_valid() -> None:
    log = vote_log([*ROWS, ("3", "a", "maybe")], options=["yes", "no"])
    assert log.answers[0] == ("yes", None, "maybe")
    assert log.valid[0] == ("yes", None, None)
    assert log.options == ("no", "yes")
    assert ("3", "a", "maybe") not in log.rows()
    assert log.rows() == [("1", "a", "yes"), ("1", "b", "yes"), ("2", "b", "no")]


def test_the_truth_adds_its_labels_to_the_options() -> None:
    assert vote_log(ROWS, truth={"1": "both"}).options == ("both", "no", "yes")
    assert vote_log(ROWS, truth={"1": "yes"}).truth == ("yes", None)


def test_the_log_of_the_others_keeps_items_and_options() -> None:
    log = vote_log(ROWS, weights={"b": 2}, runs_of={"a": "m"}).without(["a"])
    assert (log.voters, log.weights, log.runs_of) == (("b",), (2,), ("b",))
    assert (log.items, log.options) == (("1", "2"), ("no", "yes"))


def test_another_truth_and_other_weights_are_put_in_place() -> None:
    log = vote_log(ROWS, truth={"1": "yes"})
    assert log.judged(None, None) is log
    judged = log.judged({"2": "other"}, {"a": Fraction(1, 2)})
    assert judged.truth == (None, "other")
    assert judged.options == ("no", "other", "yes")
    assert judged.weights == (Fraction(1, 2), 1)
    assert log.judged(None, {"a": 3}).truth == log.truth
    assert log.judged({"1": "no"}, None).weights == log.weights


def test_g7_other_truths_and_weights_are_refused_with_every_fault() -> None:
    with pytest.raises(InvalidInput) as caught:
        vote_log(ROWS).judged({"9": "yes", "1": ""}, {"x": 1, "a": 0, "b": 1.5})
    assert [fault.whose for fault in caught.value.faults] == [
        "truth",
        "truth of item '1'",
        "weights",
        "voter 'a'",
        "voter 'b'",
    ]


@pytest.mark.parametrize("source", [[], {}, {"a": {}}, "text", 7])
def test_a_log_without_votes_is_refused(source: object) -> None:
    assert "holds no vote" in refused(source)[0]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("1", "a"), "item, voter and answer"),
        ("1ab", "item, voter and answer"),
        (7, "item, voter and answer"),
        (("", "a", "x"), "item is ''"),
        (("1", " a", "x"), "voter is ' a'"),
        (("1", "a", "x\n"), "answer is"),
        (("1", None, "x"), "voter is None"),
        (("1", "a", True), "answer is True"),
        (("1", "a", "x" * 201), "answer is"),
    ],
)
def test_a_row_that_is_none_is_told_with_its_number(row: object, told: str) -> None:
    (fault,) = refused([("1", "b", "x"), row])
    assert fault.startswith("row 2: ")
    assert told in fault


def test_a_mapping_whose_votes_are_no_mapping_is_told() -> None:
    (fault,) = refused({"a": ["x"]})
    assert fault.startswith("row 1: item is None. Allowed: text of 1 to 200 printable")


def test_a_second_answer_to_an_item_is_refused_and_runs_are_named() -> None:
    (fault,) = refused([("1", "a", "x"), ("1", "a", "x")])
    assert fault.startswith("voter 'a': answers item '1' twice.")
    assert "runs_of" in fault


@pytest.mark.parametrize("options", ["yes", ["yes"], ["yes", "yes"], []])
def test_options_are_two_or_more_each_once(options: object) -> None:
    assert any(fault.startswith("options: are") for fault in refused(ROWS, options=options))


def test_g7_every_fault_comes_at_once() -> None:
    faults = refused(
        [("1", "a", "x"), ("1", "a", "y"), ("", "b", "x")],
        options=["x", ""],
        truth={"1": "z", "7": "x"},
        weights={"a": Decimal("NaN"), "c": 1},
        runs_of={"a": "", "d": "a"},
    )
    assert [fault.split(":")[0] for fault in faults] == [
        "voter 'a'",
        "row 3",
        "truth",
        "options",
        "truth",
        "voter 'a'",
        "weights",
        "runs",
        "runs",
    ]


def test_a_log_that_is_no_table_anybody_can_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_CELLS", 3)
    (fault,) = refused(ROWS)
    assert fault.startswith("vote log: has 2 items and 2 voters. Allowed: items times voters")


def test_an_unknown_item_of_a_long_log_is_told_without_a_search() -> None:
    rows = [(str(at), "a", "x") for at in range(60)]
    (fault,) = refused(rows, truth={"61": "x"})
    assert fault.endswith("Next: check its name.")


def test_a_log_is_a_value() -> None:
    assert isinstance(hash(vote_log(ROWS)), int)
    assert VoteLog(items=(), voters=(), options=(), answers=()).rows() == []


@pytest.mark.parametrize(
    ("name", "is_usable"), [("a", True), ("a b", True), ("", False), ("a ", False), (None, False)]
)
def test_names_are_printable_text(name: object, *, is_usable: bool) -> None:
    assert is_usable_name(name) is is_usable


@pytest.mark.parametrize("name", ["majority", " Majority ", "dawid-skene", "Majority vote"])
def test_v9_a_truth_named_after_the_panels_own_result_is_refused(name: str) -> None:
    fault = own_truth_fault(name)
    assert fault is not None
    assert "shared errors disappear" in str(fault)


def test_other_names_of_a_truth_are_not_refused() -> None:
    assert own_truth_fault("gold") is None
