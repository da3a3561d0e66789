"""Ballots in JSON: lines with or without a head, a whole election, every fault with its line."""

from __future__ import annotations

import json

import pytest

from comity.core.errors import InvalidInput
from comity.formats.ballot_file import BallotFile
from comity.formats.ballot_lines import (
    read_ballot_json,
    read_ballot_lines,
    write_ballot_json,
    write_ballot_lines,
)
from comity.mechanisms.voting.election import Election


def refusal(text: str, **named: object) -> str:
    with pytest.raises(InvalidInput) as refused:
        read_ballot_lines(text, whose="x", **named)  # type: ignore[arg-type]  # wrong on purpose
    return str(refused.value)


def refusal_of_election(**changes: object) -> str:
    data = {"kind": "choice", "options": ["A"], "declared": True, "ballots": [{"ballot": "A"}]}
    with pytest.raises(InvalidInput) as refused:
        read_ballot_json(json.dumps(data | changes), whose="x")
    return str(refused.value)


def test_v10_each_line_is_a_ballot_of_the_kind_that_python_would_say() -> None:
    ranked = '{"ballot": ["A", ["B", "C"]], "count": 2}\n\n{"ballot": null}\n'
    assert read_ballot_lines(ranked).election == Election([["A", ["B", "C"]]] * 2 + [None])
    scored = '{"ballot": {"A": 0.1}, "weight": 0.5}\r\n{"ballot": {"A": 2}, "weight": "1/3"}'
    assert read_ballot_lines(scored).election == Election(
        [{"A": "0.1"}, {"A": 2}], weights=["1/2", "1/3"]
    )
    named = '{"voter": "ann", "ballot": "yes"}\n{"voter": "bob", "ballot": false}'
    assert read_ballot_lines(named).election == Election({"ann": "yes", "bob": "no"})


def test_a_head_says_what_lines_cannot() -> None:
    head = {"kind": "approval", "options": ["B", "A"], "title": "T", "seats": 2, "notes": ["n"]}
    found = read_ballot_lines(json.dumps(head) + '\n{"ballot": ["A"]}')
    assert found.election == Election([{"A"}], options=["A", "B"])
    assert (found.names, found.title, found.seats, found.notes) == (("B", "A"), "T", 2, ("n",))
    assert read_ballot_lines('{"kind": "choice", "options": ["A"]}').election.size == 0
    assert read_ballot_lines('{"ballot": ["A"]}', kind="approval").election.kind == "approval"


def test_options_that_are_not_declared_only_give_the_order() -> None:
    text = '{"options": ["B", "A"], "declared": false}\n{"ballot": ["A", "B"]}'
    found = read_ballot_lines(text)
    assert (found.names, found.election.declared) == (("B", "A"), False)
    fewer = read_ballot_lines(text.replace('["A", "B"]', '["A"]'))
    assert fewer.names == ("A",)


def test_g7_all_faults_come_at_once_each_with_its_line() -> None:
    told = refusal(
        '{"ballot": "A", "count": 1.5}\n'
        '{"ballot": "A", "count": true}\n'
        '{"ballot": "A", "weight": -1}\n'
        '{"ballot": "A", "voter": ""}\n'
        '{"balot": "A"}\n'
        "[1]\n"
        '{"ballot": "A", "ballot": "B"}\n'
        '{"ballot": NaN}\n'
        '{"ballot": 1e99999999999999999999}\n'
        "{\n" + "[" * 100_000
    )
    for expected in [
        "x, line 1: has the count Decimal('1.5')",
        "x, line 2: has the count True",
        "x, line 3: weight is -1",
        "x, line 4: has the voter ''",
        "x, line 5: has the unknown key 'balot'. Allowed: ballot, count, voter, weight.",
        "Next: did you mean 'ballot'",
        "x, line 5: has no ballot",
        "x, line 6: is [1]. Allowed: a JSON object",
        "x, line 7: is no JSON: the key 'ballot' stands twice in one object",
        "x, line 8: is no JSON: NaN is not a number",
        "x, line 9: is no JSON",
        "x, line 10: is no JSON",
        "x, line 11: is no JSON: it is nested too deep",
    ]:
        assert expected in told


def test_g7_unknown_options_repeats_and_mixed_voters_are_faults_of_their_lines() -> None:
    head = '{"kind": "ranking", "options": ["Alice", "Bob"]}\n'
    told = refusal(
        head + '{"ballot": ["Alise"]}\n{"ballot": ["Bob", "Bob"]}\n{"ballot": "Bob"}\n'
        '{"ballot": ["Alice", "Bob", "Alice"]}\n{"ballot": [1]}\n{"ballot": [1, 2, 3]}\n'
    )
    for expected in [
        "x, line 2: names the unknown option 'Alise'. Allowed: 'Alice', 'Bob'.",
        "Next: did you mean 'Alice'",
        "x, line 3: names 'Bob' twice",
        "x, line 4: is 'Bob'. Allowed: a list of options",
        "x, line 5: names 'Alice' twice",
        "x, line 6: names the unknown option 1",
        "x, line 7: names 3 options. Allowed: each of 2 once at most",
    ]:
        assert expected in told
    assert "line 2: names no voter" in refusal('{"ballot": "A", "voter": "a"}\n{"ballot": "A"}')
    long = "x" * 400
    assert "Next: name a listed one" in refusal(head + json.dumps({"ballot": [long]}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "holds no ballot"),
        ('{"kind": "best"}', "line 1: kind is 'best'"),
        ('{"title": 1}', "line 1: title is 1"),
        ('{"seats": 0}', "line 1: seats is 0"),
        ('{"tilte": "x"}', "did you mean 'title'"),
        (json.dumps({str(at): at for at in range(30)}), "line 1: has 30 keys"),
        ('{"kind": "yes_no", "options": ["A"]}', "has the options 'A'"),
        ('{"ballot": ["A"], "weight": "x"}', "weight is 'x'"),
        ('{"kind": "choice"}\n{"kind": "choice"}', "line 2: has no ballot"),
    ],
)
def test_lines_that_are_none_are_refused(text: str, expected: str) -> None:
    assert expected in refusal(text)


def test_a_kind_that_the_file_contradicts_is_refused() -> None:
    assert "read as 'score'" in refusal('{"kind": "choice"}', kind="score")
    with pytest.raises(InvalidInput, match="read as 'score'"):
        read_ballot_json(json.dumps(Election(["A"]).to_json()), kind="score")


def test_weights_without_a_common_unit_of_a_thousand_digits_are_refused() -> None:
    lines = [
        json.dumps({"ballot": "A", "weight": f"1/{2 ** (700 * at) + 1}"}) for at in range(1, 6)
    ]
    assert "has weights without a common unit" in refusal("\n".join(lines))


def test_at_most_a_hundred_faults_are_written_out() -> None:
    told = refusal('{"ballot": []}\n' + '{"ballot": [], "count": -1}\n' * 500).splitlines()
    assert len(told) == 101
    assert told[-1].startswith("x: has more faults")


# --- elections -------------------------------------------------------------------------------


def test_v10_an_election_is_read_whole() -> None:
    votes = Election(
        {"ann": ["A", ["B", "C"]], "bob": ["X"], "eve": ["A"]},
        options=["A", "B", "C"],
        roster=["ann", "bob", "cy"],
        invalid="keep",
    )
    file = BallotFile(election=votes, names=("C", "A", "B"), title="T", seats=3, notes=("n",))
    text = write_ballot_json(file)
    found = read_ballot_json(text)
    assert found.election == votes
    assert (found.names, found.title, found.seats, found.notes) == (
        ("C", "A", "B"),
        "T",
        3,
        ("n",),
    )
    assert Election.from_json(json.loads(text)) == votes


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"kind": "best"}, "kind is 'best'"),
        ({"more": 1}, "has an unknown key 'more'"),
        ({"ballots": [{"ballot": "A", "count": -3}]}, "x, ballot 1 of the list: has the count -3"),
        ({"ballots": [{"ballot": "B"}]}, "x, ballot 1 of the list: names the unknown option 'B'"),
        ({"ballots": [1]}, "x, ballot 1 of the list: is 1"),
        ({"options": ["A", "A"]}, "names the option 'A' a second time"),
        ({"roster": [["ann"]], "ballots": []}, "x, election: cannot be read"),
        ({"roster": [["ann", "x"]], "ballots": []}, "x, roster: weight is 'x'"),
        ({"invalid": [{"voter": "a", "reason": "r"}]}, "lacks invalid[0].weight"),
        ({"invalid": [{"voter": "a", "reason": "r", "weight": -1}]}, "weight is -1"),
    ],
)
def test_an_election_that_is_none_is_refused(changes: dict[str, object], expected: str) -> None:
    assert expected in refusal_of_election(**changes)


def test_lines_are_written_with_a_head_and_read_back() -> None:
    votes = Election(
        {"ann": {"A"}, "bob": None}, options=["A", "B"], weights={"ann": "1/3", "bob": 1}
    )
    text = write_ballot_lines(BallotFile(election=votes, names=("B", "A"), title="Ünïcode"))
    assert text.splitlines()[0] == (
        '{"kind": "approval", "options": ["B", "A"], "declared": true, "title": "Ünïcode"}'
    )
    assert read_ballot_lines(text).election == votes


def test_numbers_too_long_to_write_are_refused() -> None:
    votes = Election.of_counts([("A", 10**5000)])
    with pytest.raises(InvalidInput, match="cannot be written"):
        write_ballot_lines(BallotFile(election=votes, names=("A",)))
