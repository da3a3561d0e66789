"""Vote log files: every fault with its line, nothing guessed, nothing lost on the way back."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from comity.core.errors import Fault, InvalidInput
from comity.formats import vote_log as module
from comity.formats.vote_log import read_vote_log, write_vote_log
from comity.mechanisms.voting.independence.log import VoteLog, is_usable_name, vote_log

LONG = "item,voter,answer,truth\n1,a,yes,yes\n1,b,no,yes\n2,a,,no\n2,b,no,no\n"

LINES = """{"item": 1, "voter": "a", "answer": "yes", "truth": "yes"}
{"item": "1", "voter": "b", "vote": "no"}

{"item": 2, "voter": "a", "answer": null, "truth": null, "confidence": [1]}
 {"item": 2, "voter": "b", "answer": " no ", "truth": "no"}"""


def refused(text: str, **named: object) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_vote_log(text, **named)
    return [str(fault) for fault in caught.value.faults]


def test_v10_the_long_form_is_read() -> None:
    log = read_vote_log(LONG)
    assert (log.items, log.voters) == (("1", "2"), ("a", "b"))
    assert log.answers == (("yes", None), ("no", "no"))
    assert log.truth == ("yes", "no")


@pytest.mark.parametrize(
    "text",
    [
        "item,a,b,truth\n1,yes,no,yes\n2,,no,no\n",
        "truth, b ,item,a\n yes,no,1, yes \nno,no,2,\n",
        LONG.replace("\n", "\r\n"),
        "\ufeff" + LONG,
        LONG.replace("answer", "vote"),
        LONG.replace("\n", "\n\n"),
        "confidence,item,voter,answer,truth\n,1,a,yes,\n.5,1,b,no,yes\n1,2,a,,\nx,2,b,no,no\n",
        LINES,
    ],
)
def test_v10_every_form_says_the_same(text: str) -> None:
    assert read_vote_log(text) == read_vote_log(LONG)


def test_the_truth_is_in_the_column_that_is_named() -> None:
    text = "item,a,b,truth,gold\n1,x,y,x,y\n"
    assert read_vote_log(text, truth="gold").truth == ("y",)
    assert read_vote_log(text, truth="gold").voters == ("a", "b")
    assert read_vote_log("item,voter,answer,gold\n1,a,x,y\n", truth="gold").truth == ("y",)
    assert read_vote_log('{"item":1,"voter":"a","answer":"x","g":2}', truth="g").truth == ("2",)
    assert read_vote_log("item,a\n1,x\n").truth is None


def test_a_truth_column_that_is_not_there_is_told_with_the_nearest() -> None:
    (fault,) = refused("item,voter,answer,gold\n1,a,x,y\n", truth="glod")
    assert fault.startswith("vote log line 1: has no column 'glod' for the truth.")
    assert fault.endswith("Next: did you mean 'gold'.")
    assert (
        "has no column 'gold'" in refused('{"item":1,"voter":"a","answer":"x"}', truth="gold")[0]
    )


@pytest.mark.parametrize("column", ["majority", "Dawid-Skene"])
def test_v9_a_truth_that_is_the_panels_own_result_is_refused(column: str) -> None:
    (fault,) = refused(f"item,a,b,{column}\n1,x,x,x\n", truth=column)
    assert "their shared errors disappear" in fault


def test_options_and_weights_are_handed_on() -> None:
    log = read_vote_log(LONG, options=["yes", "no", "maybe"], weights={"a": 2})
    assert (log.options, log.weights) == (("maybe", "no", "yes"), (2, 1))
    assert "names voter" in refused(LONG, weights={"c": 2})[0].replace("name voter", "names voter")


def test_v9_repeated_runs_become_voters_of_their_own() -> None:
    text = "item,voter,occasion,vote\n1,m,1,x\n1,m,2,y\n1,n,1,x\n"
    log = read_vote_log(text)
    assert log.voters == ("m run 1", "m run 2", "n")
    assert log.runs_of == ("m", "m", "n")
    lines = "\n".join(
        json.dumps({"item": 1, "voter": voter, "occasion": run, "vote": vote})
        for voter, run, vote in (("m", 1, "x"), ("m", 2, "y"), ("n", 1, "x"))
    )
    assert read_vote_log(lines) == log
    assert read_vote_log(write_vote_log(log)) == log


def test_g7_every_fault_of_a_file_comes_with_its_line() -> None:
    faults = refused(
        "item,voter,answer,truth\n"
        "1,a,yes,yes\n"
        "1,a,no,no\n"
        ",b,yes,\n"
        '2,"b\u2028c",yes,yes\n'
        "2,b\n"
        '3,b,"y\nes",yes\n'
        "3,c,yes,no\x07\n"
        "4,c,yes,yes,more\n",
        whose="log.csv",
    )
    assert [fault.partition(":")[0] for fault in faults] == [
        "log.csv line 6",
        "log.csv line 10",
        "log.csv line 3",
        "log.csv line 3",
        "log.csv line 4",
        "log.csv line 5",
        "log.csv line 7",
        "log.csv line 9",
    ]
    assert "'a' answers item '1' again, after line 2" in faults[2]
    assert "truth of item '1' is 'no', in line 2 'yes'" in faults[3]


def test_g7_every_fault_of_json_lines_comes_with_its_line() -> None:
    faults = refused(
        '{"item": 1, "voter": "a", "answer": "x"}\n'
        "{\n"
        "[1]\n"
        '{"item": 1}\n'
        '{"item": true, "voter": "b", "answer": 0.5, "truth": ["x"]}\n'
        '{"item": 1, "item": 2, "voter": "a", "answer": "x"}\n'
        '{"item": 2, "voter": "a", "answer": NaN}\n'
    )
    assert [fault.partition(":")[0] for fault in faults] == [
        "vote log line 2",
        "vote log line 3",
        "vote log line 4",
        "vote log line 5",
        "vote log line 5",
        "vote log line 5",
        "vote log line 6",
        "vote log line 7",
    ]
    assert "lacks voter and answer" in faults[2]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds no vote"),
        ("\n\n", "holds no vote"),
        ("item,voter,answer\n", "holds no vote"),
        ("item,a,b\n", "holds no vote"),
        ("item\n1\n", "names no voter"),
        ("items,voter,answer\n1,a,x\n", "lacks item. Allowed"),
        ("item,voter,anwser\n1,a,x\n", "did you mean 'anwser'"),
        ("a,b\n1,2\n", "lacks item and voter and answer"),
        ("item,voter,vote,vote\n1,a,x,x\n", "names the column 'vote' twice"),
        ("item,,a\n1,x,x\n", "voter is ''"),
        ('item,a\n1,"x\n', "is no CSV"),
        ('item,a\n1,"x"y\n', "is no CSV"),
        ("item,voter,answer,run_of\n1,a,x,m\n2,a,x,n\n", "is a run of 'n', before of 'm'"),
        ("item,voter,answer,run_of\n1,a,x,\x07\n", "run_of is"),
        ("item,voter,answer,run\n1,a,x,1\n1,a,x,\n", "voter is 'a run '"),
    ],
)
def test_what_is_no_log_is_told(text: str, told: str) -> None:
    assert any(told in fault for fault in refused(text))


def test_a_log_that_is_too_long_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_LOG", 10)
    assert refused(LONG)[0].startswith("vote log: is longer than 10 characters.")


def test_of_very_many_faults_the_first_are_told_and_how_many_more() -> None:
    faults = refused("item,voter,answer\n" + "1,a\n" * 150)
    assert len(faults) == module.MOST_TOLD + 1
    assert faults[-1].startswith("vote log: has 50 more faults.")


def test_a_log_is_written_with_everything_a_reader_needs() -> None:
    log = vote_log(
        {"a": {"1": "x,y", "2": None}, "b": {"1": 'q"'}},
        truth={"1": "x,y"},
        runs_of={"a": "m"},
    )
    text = write_vote_log(log)
    assert text.startswith("item,voter,answer,truth,run_of\n")
    assert '1,a,"x,y","x,y",m\n' in text
    assert read_vote_log(text) == log


def faults_of(text: str, **named: object) -> tuple[Fault, ...]:
    """Return the faults of a file; none when it is read."""
    try:
        log = read_vote_log(text, **named)
    except InvalidInput as error:
        return error.faults
    assert isinstance(log, VoteLog)
    return ()


signs = st.characters(categories=["L", "N", "P", "S"])
names = st.text(signs, min_size=1, max_size=8).filter(is_usable_name)


@given(
    rows=st.dictionaries(st.tuples(names, names), st.none() | names, min_size=1, max_size=12),
    truths=st.dictionaries(names, names, max_size=4),
)
def test_law_what_is_written_is_read_back(
    rows: dict[tuple[str, str], str | None], truths: dict[str, str]
) -> None:
    items = {item for item, _ in rows}
    known = {item: label for item, label in truths.items() if item in items}
    source = [(item, voter, answer) for (item, voter), answer in rows.items()]
    log = vote_log(source, truth=known or None)
    assert read_vote_log(write_vote_log(log)) == log


@given(st.text(alphabet='itemvorans,"\n\r{}[]:1 \x00\ufeff', max_size=80) | st.text(max_size=80))
@example("item,voter,answer\n1,a,x\n")
@example('{"item":1,"voter":"a","answer":"x"}')
@example('{"item":1,"voter":"a","answer":"x","run":{}}')
@example("item,a\n\x00,1\n")
def test_fuzz_any_text_is_read_or_refused_in_four_parts(text: str) -> None:
    for named in ({}, {"truth": "a"}):
        for fault in faults_of(text, **named):
            assert all((fault.whose, fault.what, fault.allowed, fault.next))
            assert "\n" not in str(fault)


@given(
    header=st.permutations(["item", "voter", "answer", "truth"]),
    cells=st.lists(
        st.lists(st.sampled_from(["", "a", "b", "1", " ", "\x07"]), min_size=3, max_size=5),
        max_size=6,
    ),
)
def test_fuzz_rows_of_any_cells(header: list[str], cells: list[list[str]]) -> None:
    text = "\n".join(",".join(row) for row in [header, *cells])
    if not faults_of(text):
        log = read_vote_log(text)
        assert set(log.items) | set(log.voters) <= {"a", "b", "1"}
