"""Grammar: which ballot a reply casts (V1, W1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.voting.ballots import YES_NO, BallotKind
from comity.protocols.collect.grammar import (
    FORMS,
    LONGEST_REPLY,
    Reading,
    normal_ballot,
    read_ballot_reply,
    read_decision,
)

OPTIONS = ("A", "B", "C")


def options_of(kind: str) -> tuple[str, ...]:
    return YES_NO if kind == "yes_no" else OPTIONS


@pytest.mark.parametrize(
    ("kind", "text", "ballot"),
    [
        ("choice", "VOTE: A", "A"),
        ("choice", "I like it.\n\n**VOTE:** `b`.", "B"),
        ("choice", "vote = A", "A"),
        ("choice", "A", "A"),
        ("choice", "abstain", None),
        ("choice", "VOTE: Abstain.", None),
        ("choice", '{"vote": "C"}', "C"),
        ("choice", '```json\n{"Vote": "c"}\n```', "C"),
        ("choice", "VOTE: A\nVOTE: a", "A"),
        ("choice", "<think>VOTE: B</think>\nVOTE: A", "A"),
        ("choice", "> VOTE: B\n\nVOTE: A", "A"),
        ("yes_no", "VOTE: Yes!", "yes"),
        ("yes_no", "no", "no"),
        ("yes_no", "VOTE: veto", "veto"),
        ("yes_no", '{"vote": true}', "yes"),
        ("yes_no", '{"vote": null}', None),
        ("ranking", "BALLOT: A > B = C", ["A", ["B", "C"]]),
        ("ranking", "BALLOT: c, a, b.", ["C", "A", "B"]),
        ("ranking", "BALLOT: A = B", [["A", "B"]]),
        ("ranking", "VOTE: B", ["B"]),
        ("ranking", "BALLOT: abstain", None),
        ("ranking", '{"ballot": ["A", ["c", "B"]]}', ["A", ["B", "C"]]),
        ("approval", "APPROVE: A, C", ["A", "C"]),
        ("approval", "APPROVE: none", []),
        ("approval", "APPROVE: b;", ["B"]),
        ("approval", '{"approve": ["A"]}', ["A"]),
        ("score", "SCORES: A=3, B=1.5", {"A": 3, "B": "3/2"}),
        ("score", "SCORES: a: 3; c: 1/3.", {"A": 3, "C": "1/3"}),
        ("score", '{"scores": {"a": 0.1}}', {"A": "1/10"}),
        ("score", "VOTE: abstain", None),
    ],
)
def test_v1_a_ballot_is_read_from_its_line_or_its_json(
    kind: BallotKind, text: str, ballot: Any
) -> None:
    found = read_ballot_reply(text, kind, options_of(kind))
    assert found == Reading(ballot)
    again = normal_ballot(json.loads(json.dumps(found.ballot)), kind, options_of(kind))
    assert again == found.ballot


@pytest.mark.parametrize(
    ("kind", "text", "error"),
    [
        ("choice", "", "no_ballot"),
        ("choice", "I would take A or B.", "no_ballot"),
        ("choice", "> VOTE: A", "no_ballot"),
        ("choice", "A\nB", "no_ballot"),
        ("choice", '{"scores": {}}', "no_ballot"),
        ("choice", '{"vote": "A", "vote": "B"}', "no_ballot"),
        ("choice", '{"vote": ', "no_ballot"),
        ("choice", '{"vote": }', "no_ballot"),
        ("choice", "VOTE: A\nVOTE: B", "contradictory"),
        ("choice", "VOTE: Z", "unreadable"),
        ("choice", "VOTE: A because it is first", "unreadable"),
        ("choice", '{"vote": 5}', "unreadable"),
        ("choice", '{"vote": ["A"]}', "unreadable"),
        ("yes_no", "VOTE: perhaps", "unreadable"),
        ("ranking", "BALLOT: A > A", "unreadable"),
        ("ranking", "BALLOT: A > Z", "unreadable"),
        ("ranking", "A", "no_ballot"),
        ("ranking", '{"ballot": 7}', "unreadable"),
        ("approval", "APPROVE: A, Z", "unreadable"),
        ("score", "SCORES: A=much", "unreadable"),
        ("score", "SCORES: A=1, A=2", "unreadable"),
        ("score", '{"scores": {"A": NaN}}', "unreadable"),
        ("score", '{"scores": {"A": 1, "a": 2}}', "unreadable"),
    ],
)
def test_v1_what_cannot_be_read_is_no_ballot_and_never_a_new_option(
    kind: BallotKind, text: str, error: str
) -> None:
    found = read_ballot_reply(text, kind, options_of(kind))
    assert (found.ballot, found.error) == (None, error)
    assert found.hint
    assert "\n" not in found.hint


def test_an_option_may_be_called_abstain_or_none() -> None:
    assert read_ballot_reply("VOTE: abstain", "choice", ("abstain", "go")).ballot == "abstain"
    assert read_ballot_reply("APPROVE: none", "approval", ("all", "none")).ballot == ["none"]


def test_an_option_alone_may_be_ranked_alone() -> None:
    assert read_ballot_reply("BALLOT: only, one", "ranking", ("only, one",)).ballot == [
        "only, one"
    ]


def test_two_options_that_only_capitals_tell_apart_are_named_exactly() -> None:
    assert read_ballot_reply("VOTE: a", "choice", ("A", "a")).ballot == "a"
    assert read_ballot_reply("VOTE: X.", "choice", ("x.", "X")).ballot == "x."


def test_g7_all_that_is_wrong_with_a_ballot_is_told_at_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        normal_ballot(["Y", "A", "A"], "ranking", OPTIONS)
    assert len(caught.value.faults) == 2
    with pytest.raises(InvalidInput):
        normal_ballot({"A": 1, 5: 2}, "score", OPTIONS)


def test_every_kind_says_how_it_is_answered() -> None:
    for kind, (line, as_json) in FORMS.items():
        assert ":" in line
        assert isinstance(json.loads(as_json), dict), kind


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("DECIDE: accept", "accept"),
        ("I looked.\nDECIDE: a.", "A"),
        ("b", "B"),
        ('{"decide": "B"}', "B"),
        ("DECIDE: A\nDECIDE: A", "A"),
        ("DECIDE: A\nDECIDE: B", None),
        ("DECIDE: Z", None),
        ('{"decide": 3}', None),
        ("well\nlet me see", None),
        ("> DECIDE: A", None),
        ("", None),
    ],
)
def test_g8_a_persons_word_is_read_the_same_way(text: str, choice: str | None) -> None:
    assert read_decision(text, ("accept", "A", "B")) == choice


# --- hostile replies -------------------------------------------------------------------------


def test_w1_a_ballot_of_lists_within_lists_is_unreadable() -> None:
    deep = '{"ballot": ' + "[" * 600 + '"A"' + "]" * 600 + "}"
    for kind in ("choice", "ranking", "approval", "score"):
        assert read_ballot_reply(deep, kind, ("A", "B")).error == "unreadable"  # type: ignore[arg-type]


def test_w1_a_very_long_reply_is_not_read() -> None:
    found = read_ballot_reply("VOTE: A\n" * LONGEST_REPLY, "choice", ("A", "B"))
    assert found.error == "unreadable"
    assert len(found.hint) < 200


def test_w1_many_faults_are_told_in_a_few_words() -> None:
    found = read_ballot_reply("BALLOT: " + "A > " * 5000, "ranking", ("A", "B"))
    assert found.error == "unreadable"
    assert len(found.hint) < 1000
    assert "more" in found.hint


@pytest.mark.parametrize("words", ['{"vote": "A", "ballot": "B"}', '{"vote": "A", "VOTE": "B"}'])
def test_w1_a_table_that_says_two_things_is_no_vote(words: str) -> None:
    assert read_ballot_reply(words, "choice", ("A", "B")).error in {"contradictory", "no_ballot"}


def test_g5_scores_in_a_table_are_read_as_they_are_written() -> None:
    assert read_ballot_reply('{"scores": {"A": 0.5}}', "score", ("A", "B")).ballot == {"A": "1/2"}
    assert read_ballot_reply('{"scores": {"A": 1e-400}}', "score", ("A",)).error == "unreadable"


def test_a_choice_by_its_exact_name_is_that_choice_whatever_it_looks_like() -> None:
    names = ("accept", "> B", "DECIDE: accept", "```")
    assert [read_decision(one, names) for one in names] == list(names)
