"""Quorum: the running verdict of a group, under five rules (V7)."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.core.parties import Party
from comity.core.results import Item
from comity.mechanisms.voting.quorum import QuorumVerdict, even_note, quorum


def yes(count: int, no: int = 0) -> dict[str, object]:
    return {f"y{n}": "yes" for n in range(count)} | {f"z{n}": "no" for n in range(no)}


@pytest.mark.parametrize(
    ("size", "needed", "tolerates"),
    [(1, 1, 0), (2, 2, 0), (3, 2, 1), (4, 3, 1), (5, 3, 2), (6, 4, 2), (7, 4, 3)],
)
def test_v7_a_majority_of_the_group_and_what_it_tolerates(
    size: int, needed: int, tolerates: int
) -> None:
    found = quorum({}, group_size=size)
    assert (found.needed, found.of, found.tolerates) == (needed, size, tolerates)
    told = [f"{size} members tolerate"] if size % 2 == 0 else []
    assert [note[: len(f"{size} members tolerate")] for note in found.notes] == told
    assert bool(even_note(size)) is (size % 2 == 0)
    if found.notes:
        assert found.notes == (even_note(size),)


def test_v7_two_members_tolerate_none_as_one_does() -> None:
    assert (
        even_note(2) == "2 members tolerate 0 failures, as 1 does: the extra member bought nothing"
    )


@pytest.mark.parametrize(
    ("votes", "verdict", "option", "early"),
    [
        ({}, "pending", None, False),
        (yes(2), "pending", "yes", False),
        (yes(3), "passed", "yes", True),
        (yes(3, 2), "passed", "yes", False),
        (yes(0, 3), "failed", "no", True),
        (yes(2, 2), "pending", None, False),
        ({**yes(1), "a": None, "b": "abstain", "c": 3}, "failed", "yes", True),
        ({**yes(2), "a": "maybe"}, "pending", "yes", False),
        ({"a": "A", "b": "A", "c": "B"}, "pending", "A", False),
        ({"a": "A", "b": "A", "c": "A"}, "passed", "A", True),
        ({"a": "A", "b": "B", "c": "C"}, "pending", None, False),
        ({"a": "A", "b": "A", "c": "B", "d": "B"}, "pending", None, False),
        ({"a": "A", "b": "A", "c": "B", "d": "B", "e": "C"}, "failed", None, False),
        ({"a": "A", "b": "A", "c": "B", "d": None}, "pending", "A", False),
        ({"a": "A", "b": None, "c": "B", "d": None}, "failed", None, True),
        ({"a": True, "b": True, "c": True}, "passed", "yes", True),
        ({"a": " Yes ", "b": "YES", "c": "yes"}, "passed", "yes", True),
    ],
)
def test_v7_it_decides_as_soon_as_nothing_outstanding_can_change_it(
    votes: dict[str, object], verdict: str, option: str | None, *, early: bool
) -> None:
    found = quorum(votes, group_size=5)
    assert (found.verdict, found.option, found.early) == (verdict, option, early)
    assert found.missing == 5 - len(votes)


def test_v7_closing_ends_what_is_pending_and_zero_votes_never_pass() -> None:
    for rule in ("majority", "super:2/3", "byzantine:1"):
        assert quorum({}, group_size=5, rule=rule).verdict == "pending"
        assert quorum({}, group_size=5, rule=rule, closed=True).verdict == "failed"
    closed = quorum(yes(2), group_size=5, closed=True)
    assert (closed.verdict, closed.early, closed.missing) == ("failed", False, 3)
    assert quorum(yes(3), group_size=5, closed=True).verdict == "passed"


def test_three_to_two_and_five_to_none_never_look_alike() -> None:
    close, clear = quorum(yes(3, 2), group_size=5), quorum(yes(5), group_size=5)
    assert close.verdict == clear.verdict == "passed"
    assert (close.margin, clear.margin) == (1, 5)
    assert close.tally == (Item("yes", 3), Item("no", 2))
    assert str(close) == "passed: yes, 3 of 5 (3 needed), margin 1"
    assert str(clear) == "passed: yes, 5 of 5 (3 needed), margin 5"
    assert close.to_json() != clear.to_json()


def test_v7_abstained_invalid_and_others_are_kept_apart() -> None:
    votes = {"a": "yes", "b": None, "c": "perhaps", "d": 7, "x": "yes"}
    found = quorum(votes, roster=["a", "b", "c", "d", "e"])
    assert (found.abstained, found.invalid) == (("b",), ("c", "d"))
    assert (found.advisory, found.outstanding) == (("x",), ("e",))
    assert found.verdict == "failed"
    assert str(found) == (
        "failed: yes, 1 of 5 (3 needed), margin 1, decided early, 1 outstanding, 1 abstained, "
        "2 invalid, 1 advisory"
    )
    assert str(quorum({}, group_size=1)).startswith("pending: no option, 0 of 1 (1 needed)")


def test_v7_weights_count_by_half_of_the_weight() -> None:
    roster = [Party("a", 3), Party("b", Fraction(3, 2)), Party("c", Fraction(3, 2))]
    found = quorum({"a": "yes"}, roster=roster, rule="weighted")
    assert (found.verdict, found.of, found.needed) == ("pending", 6, 3)
    assert quorum({"a": "yes", "b": "yes"}, roster=roster, rule="weighted").verdict == "passed"
    heads = quorum({"a": "yes", "b": "yes"}, roster=roster)
    assert (heads.of, heads.needed, heads.verdict) == (3, 2, "passed")
    big = quorum({"a": "no"}, roster=[Party("a", 5), Party("b", 2)], rule="weighted")
    assert (big.needed, big.notes, big.verdict) == (4, ("a alone is a quorum",), "failed")
    assert big.tolerates == 0


def test_v7_a_super_quorum_is_at_least_its_share() -> None:
    assert quorum(yes(4), group_size=6, rule="super:2/3").verdict == "passed"
    assert quorum(yes(3), group_size=6, rule="super:2/3").verdict == "pending"
    assert quorum(yes(4), group_size=6, rule="super:> 2/3").needed == 5
    assert quorum(yes(4), group_size=6, rule="super:unanimous").tolerates == 0
    few = quorum({}, group_size=5, rule="super:2/3")
    assert few.notes == ("5 members tolerate 1 failure, as 4 do: the extra member bought nothing",)
    assert quorum({}, group_size=6, rule="super:2/3").notes == ()


@pytest.mark.parametrize(
    ("size", "traitors", "needed"), [(4, 1, 3), (5, 1, 4), (6, 1, 4), (7, 2, 5), (10, 3, 7)]
)
def test_v7_byzantine_quorums_meet_in_more_than_the_traitors(
    size: int, traitors: int, needed: int
) -> None:
    found = quorum({}, group_size=size, rule=f"byzantine:{traitors}")
    assert found.needed == needed
    assert 2 * needed - size >= traitors + 1
    assert found.tolerates == size - needed >= traitors


def test_v7_byzantine_groups_are_refused_when_too_small() -> None:
    for size, traitors in ((3, 1), (6, 2), (9, 3)):
        with pytest.raises(InvalidInput, match=r"3f\+1"):
            quorum({}, group_size=size, rule=f"byzantine:{traitors}")
    assert quorum({}, group_size=1, rule="byzantine:0").needed == 1
    assert quorum({}, group_size=5, rule="byzantine:1").notes == (
        "5 members tolerate 1 failure, as 4 do: the extra member bought nothing",
    )


FAMILIES = {"claude": ["a1", "a2", "a3"], "gpt": ["b1"], "gemini": ["c1", "c2"]}


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [
        ("", "pending"),
        ("a1 a2 a3", "pending"),  # three voters of one family are one
        ("a1 a2 b1", "passed"),
        ("b1 c1", "pending"),
        ("b1 c1 c2", "passed"),
    ],
)
def test_v7_grouped_needs_most_families_each_by_most_of_its_members(
    votes: str, verdict: str
) -> None:
    found = quorum(dict.fromkeys(votes.split(), "yes"), roster=FAMILIES, rule="grouped")
    assert (found.verdict, found.needed, found.of) == (verdict, 2, 3)


def test_v7_grouped_fails_when_no_two_families_can_agree_any_more() -> None:
    votes = {"a1": "A", "a2": "A", "b1": "B", "c1": "C"}
    assert quorum(votes, roster=FAMILIES, rule="grouped").verdict == "failed"
    assert quorum({"b1": "yes"}, roster=FAMILIES, rule="grouped", closed=True).verdict == "failed"
    # b1 and one of c1, c2 are enough to leave one family standing
    assert quorum({}, roster=FAMILIES, rule="grouped").tolerates == 1
    assert quorum({}, roster=FAMILIES, rule="grouped").notes == ()


@pytest.mark.parametrize("answer", ["no", "veto"])
def test_v7_never_early_while_a_veto_holder_is_outstanding(answer: str) -> None:
    holders = ["boss"]
    roster = ["a", "b", "c", "boss"]
    votes: dict[str, object] = dict.fromkeys("abc", "yes")
    waits = quorum(votes, roster=roster, veto_holders=holders)
    assert waits.verdict == "pending"
    assert quorum(votes, roster=roster, veto_holders=holders, closed=True).verdict == "passed"
    stopped = quorum({**votes, "boss": answer}, roster=roster, veto_holders=holders)
    assert (stopped.verdict, stopped.vetoed_by) == ("failed", ("boss",))
    assert "vetoed by boss" in str(stopped)
    for said in ("yes", None, "eh"):
        done = quorum({**votes, "boss": said}, roster=roster, veto_holders=holders)
        assert done.verdict == "passed"
    assert quorum({**votes, "boss": "veto"}, roster=roster).verdict == "passed"


def test_the_verdict_is_the_same_for_every_order_and_in_json() -> None:
    votes = yes(3, 1)
    found = quorum(votes, group_size=5)
    assert quorum(dict(reversed(votes.items())), group_size=5) == found
    assert json.loads(json.dumps(found.to_json()))["needed"] == 3
    assert hash(found) == hash(quorum(votes, group_size=5))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "group: has no known size"),
        ({"group_size": 0}, "group: has the size 0"),
        ({"group_size": True}, "group: has the size True"),
        ({"roster": []}, "roster: is empty"),
        ({"roster": {}, "rule": "grouped"}, "roster: is empty"),
        ({"roster": "ann"}, "roster: is the text 'ann'"),
        ({"roster": ["a", "a"]}, "listed twice"),
        ({"roster": ["a"], "group_size": 2}, "has 1 names and the size 2"),
        ({"roster": ["a"], "rule": "grouped"}, "goes by groups"),
        ({"roster": {"x": ["a"]}}, "does not go by groups"),
        ({"roster": {"x": ["a"], "y": []}, "rule": "grouped"}, "the empty group 'y'"),
        ({"roster": [Party("a", 0)], "rule": "weighted"}, "weighs 0"),
        ({"group_size": 3, "rule": "most"}, "rule 'most': is none"),
        ({"group_size": 3, "rule": "super"}, "rule 'super': is none"),
        ({"group_size": 3, "rule": "super:much"}, "threshold: is 'at least much'|threshold"),
        ({"group_size": 3, "rule": "super:1/2"}, "differently"),
        ({"group_size": 3, "rule": "super:1/3"}, "differently"),
        ({"group_size": 3, "rule": "byzantine:x"}, "is none"),
        ({"group_size": 3, "rule": "majority:2"}, "is none"),
        ({"roster": ["a"], "veto_holders": ["b"]}, "'b', who is no member"),
    ],
)
def test_g7_groups_that_cannot_be_are_refused(given: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        quorum({}, **given)


def test_g7_more_votes_than_members_are_refused() -> None:
    with pytest.raises(InvalidInput, match="has 3 votes of 2 members"):
        quorum(yes(3), group_size=2)
    assert quorum({}, group_size=3, rule="super:> 1/2").needed == 2
    assert quorum({}, group_size=3, roster=["a", "b", "c"]).outstanding == ("a", "b", "c")


@pytest.mark.parametrize("rule", ["majority", "super:2/3", "byzantine:1", "weighted", "grouped"])
def test_v7_an_early_verdict_is_the_full_one_whatever_comes(rule: str) -> None:
    names = ["a", "b", "c", "d"]
    roster: Any = [Party(one, weight) for one, weight in zip(names, (3, 1, 1, 2), strict=True)]
    if rule == "grouped":
        roster = {"x": ["a", "b"], "y": ["c"], "z": ["d"]}

    def asked(votes: dict[str, object], *, closed: bool) -> QuorumVerdict:
        return quorum(votes, roster=roster, rule=rule, closed=closed, veto_holders=["d"])

    words = ["yes", "no", None]
    for known in range(5):
        for said in product(words, repeat=known):
            early = asked(dict(zip(names, said, strict=False)), closed=False)
            ends = {
                asked(dict(zip(names, said + rest, strict=True)), closed=True).verdict
                for rest in product(words, repeat=4 - known)
            }
            if early.verdict != "pending":
                assert ends == {early.verdict}
            elif known == 4:
                raise AssertionError("everybody has answered")


def test_a_quorum_is_true_when_it_has_passed() -> None:
    assert quorum({"a": "x", "b": "x"}, group_size=3)
    assert not quorum({"a": "x"}, group_size=3)
    assert not quorum({"a": "x"}, group_size=3, closed=True).passed
