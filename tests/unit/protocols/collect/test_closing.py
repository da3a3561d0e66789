"""Closing: what the ballots at hand come to, and when (V7, V8, G1, G8)."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from comity.core.results import Submission
from comity.mechanisms.voting import RULES
from comity.protocols.collect import closing
from comity.protocols.collect.rules import Gate

Open = Callable[..., Any]
FIVE = "ann bob cyd dan eve"


def says(live: Any, **said: str) -> Any:
    for party, words in said.items():
        live.says(party, words)
    return live


def test_g1_a_result_holds_every_member_with_what_it_submitted(vote: Open) -> None:
    live = vote(FIVE, early=False)
    says(live, ann="VOTE: A", bob="VOTE: abstain", cyd="hm")
    live.says("cyd", "hm")
    live.fails("dan")
    live.time()
    grounds = live.outcome.grounds
    assert [one.what for one in grounds.submissions[:2]] == [
        {"ballot": "A"},
        {"ballot": None, "abstains": True},
    ]
    assert grounds.submissions[2].what["invalid"].startswith("no_ballot")
    assert grounds.submissions[3] == Submission("dan", {"failed": ["crashed"]})
    assert grounds.submissions[4] == Submission("eve", None)
    assert (grounds.abstained, grounds.invalid, grounds.absent) == (
        ("bob",),
        ("cyd",),
        ("dan", "eve"),
    )
    assert grounds.ended_by == "deadline"
    assert dict(grounds.parameters)["absent"] == "abstain"


def test_v1_an_unreadable_answer_stays_in_the_denominator(vote: Open) -> None:
    live = vote(reasks=0)
    says(live, ann="VOTE: A", bob="junk", cyd="VOTE: B")
    assert live.outcome.reason == "tie"
    three = says(vote(reasks=0), ann="VOTE: A", bob="junk", cyd="abstain")
    assert three.outcome.reason == "no_majority"  # 1 of 3, not 1 of 1
    assert three.outcome.count.election.invalid[0].voter == "bob"


def test_v8_a_minimum_of_live_voters_stands_apart_from_the_majority(vote: Open) -> None:
    # nForma 170: one approval of two, one unavailable, is no unanimity
    live = vote("ann bob", kind="yes_no", least_voters=2, parameters={"base": "expressed"})
    live.says("ann", "yes")
    live.fails("bob")
    assert live.outcome.kind == "no_quorum"
    assert (live.outcome.needed, live.outcome.present) == (2, 1)
    assert live.outcome.unblock == ("bob answers",)
    enough = says(vote("ann bob", kind="yes_no", least_voters=2), ann="yes", bob="yes")
    assert enough.outcome.verdict == "passed"


def test_v2_nobody_or_only_abstentions_are_no_quorum_and_say_whose_voice_is_missing(
    vote: Open,
) -> None:
    silent = vote()
    assert silent.time().outcome.unblock == ("ann answers", "bob answers", "cyd answers")
    blank = vote(reasks=0)
    says(blank, ann="abstain", bob="?", cyd="abstain")
    assert blank.outcome.kind == "no_quorum"
    assert blank.outcome.present == 0
    assert blank.outcome.unblock == (
        "bob casts a ballot that can be read",
        "ann names an option",
        "cyd names an option",
    )


@pytest.mark.parametrize(
    ("absent", "settings", "winner"),
    [
        ("abstain", {"kind": "yes_no", "parameters": {"base": "expressed"}}, "passed"),
        ("against", {"kind": "yes_no", "parameters": {"base": "expressed"}}, "rejected"),
        ("against", {"rule": "plurality", "default_option": "B"}, "B"),
    ],
)
def test_v8_what_becomes_of_the_absent(
    vote: Open, absent: str, settings: dict[str, Any], winner: str
) -> None:
    live = vote(absent=absent, **settings)
    live.says("ann", "VOTE: yes" if settings.get("kind") else "VOTE: A")
    live.time()
    assert live.outcome.winner == winner
    assert live.outcome.grounds.absent == ("bob", "cyd")


def test_v8_voters_are_counted_against_only_when_the_time_is_up(vote: Open) -> None:
    live = vote(FIVE, kind="yes_no", absent="against")
    says(live, ann="yes", bob="yes", cyd="yes")
    assert live.outcome.grounds.ended_by == "early"
    assert live.outcome.tally == {"no": 0, "veto": 0, "yes": 3}


def test_v7_it_closes_as_soon_as_nothing_outstanding_can_change_it(vote: Open) -> None:
    live = vote(FIVE)
    says(live, ann="A", bob="A")
    assert live.last.outcome is None
    live.says("cyd", "A")
    assert live.outcome.option == "A"
    assert live.last.notes[-1] == "closed early: 3 of 5 are enough"
    assert live.outcome.grounds.absent == ("dan", "eve")
    waits = says(vote(FIVE, early=False), ann="A", bob="A", cyd="A")
    assert waits.last.outcome is None


def test_v7_a_minimum_of_voters_is_waited_for(vote: Open) -> None:
    live = says(vote(FIVE, least_voters=4), ann="A", bob="A", cyd="A")
    assert live.last.outcome is None
    assert live.says("dan", "B").outcome is not None


def test_v7_a_veto_holder_is_waited_for_and_a_veto_ends_it(vote: Open) -> None:
    live = vote(FIVE, kind="yes_no", veto_holders=["eve"])
    says(live, ann="yes", bob="yes", cyd="yes", dan="yes")
    assert live.last.outcome is None
    live.says("eve", "VOTE: no")
    assert live.outcome.kind == "blocked"
    assert live.outcome.by == (("eve", "no"),)
    first = vote(FIVE, kind="yes_no", veto_holders=["eve"])
    first.says("eve", "VOTE: veto")
    assert first.outcome.kind == "blocked"
    assert first.outcome.grounds.ended_by == "early"


def test_g8_with_a_person_behind_it_it_closes_early_only_where_no_one_voter_decides(
    vote: Open,
) -> None:
    live = says(vote(FIVE, gate=Gate()), ann="A", bob="A", cyd="A")
    assert live.last.outcome is None, "3 of 5 may yet become 3 to 2"
    assert live.says("dan", "A").outcome is not None
    assert live.outcome.grounds.thin == ()
    no = says(vote(FIVE, kind="yes_no", gate=Gate()), ann="no", bob="no", cyd="no")
    assert no.last.outcome is None
    assert no.says("dan", "no").outcome.verdict == "rejected"
    points = vote("a b c d e f g", gate=Gate(), rule="plurality")
    for party in "abcd":
        points.says(party, "A")
    assert points.last.outcome is None, "4 to 3 would hang on one voter"
    points.says("e", "A")
    assert points.outcome.margin == 5


def test_g8_no_majority_any_more_is_told_at_once(vote: Open) -> None:
    live = vote(FIVE, gate=Gate(on="thin"))
    says(live, ann="A", bob="A", cyd="B", dan="B")
    assert live.last.outcome is None
    live.says("eve", "C")
    assert live.outcome.reason == "tie"
    early = vote(FIVE, gate=Gate(on="thin"), parameters={"threshold": "at least 4/5"})
    says(early, ann="A", bob="A", cyd="B", dan="B")
    assert early.outcome.reason in {"tie", "no_majority"}
    assert early.outcome.grounds.ended_by == "early"


@pytest.mark.parametrize(
    ("said", "thin"),
    [
        ("yes yes no", ("margin_of_victory_1",)),
        ("yes yes yes", ()),
        ("no no yes", ("margin_of_victory_1",)),
        ("no no no", ()),
        ("no yes abstain", ("margin_of_victory_1",)),
    ],
)
def test_g8_a_verdict_that_one_voter_could_turn_is_thin(
    vote: Open, said: str, thin: tuple[str, ...]
) -> None:
    live = vote(kind="yes_no", early=False)
    for party, word in zip(("ann", "bob", "cyd"), said.split(), strict=True):
        live.says(party, word)
    assert live.outcome.grounds.thin == thin


def test_g8_invalid_answers_and_turnout_count_for_thinness_too(vote: Open) -> None:
    live = vote(FIVE, kind="yes_no", reasks=0, turnout_floor="4/5", early=False)
    says(live, ann="yes", bob="yes", cyd="yes", dan="?")
    assert live.time().outcome.grounds.thin == ("margin_of_victory_1",)
    low = vote(FIVE, kind="yes_no", turnout_floor="4/5", early=False)
    says(low, ann="yes", bob="yes", cyd="yes")
    assert low.time().outcome.grounds.thin == ("margin_of_victory_1", "turnout")
    choice = vote(FIVE, turnout_floor="4/5", early=False)
    says(choice, ann="A", bob="A", cyd="A")
    assert "turnout" in choice.time().outcome.grounds.thin


def test_g8_two_rules_that_disagree_make_it_thin(vote: Open) -> None:
    live = vote(FIVE, kind="ranking")
    for party, said in zip(FIVE.split(), ("ABC", "ABC", "BCA", "BCA", "CBA"), strict=True):
        live.says(party, "BALLOT: " + " > ".join(said))
    assert live.outcome.winner == "B"
    assert "rules_disagree" in live.outcome.grounds.thin


def test_weights_are_counted_and_scores_are_no_ballot_that_is_early(vote: Open) -> None:
    live = vote(kind="score")
    says(live, ann="SCORES: A=1/3", bob="SCORES: A=1/3, B=2/3")
    assert live.last.outcome is None
    live.says("cyd", "SCORES: A=1/3")
    assert live.outcome.tally == {"A": 1, "B": Fraction(2, 3), "C": 0}


def test_v8_a_cancelled_vote_keeps_its_ballots(vote: Open) -> None:
    live = says(vote(FIVE), ann="A", bob="A")
    found = closing.cancelled(live.last.state)
    assert (found.reason, found.kind) == ("cancelled", "no_decision")
    assert [(one.name, one.value) for one in found.leaders] == [("A", 2)]
    assert found.unblock == ("hold the vote again",)
    assert closing.cancelled(vote().last.state).leaders == ()


def test_a_rule_that_refuses_at_the_end_leaves_it_undecided(
    vote: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = vote(rule="plurality", parameters={"equal": "refuse"}, kind="ranking", early=False)

    def refuses(ballots: Any, **told: Any) -> Any:
        closing.rule_named("borda")([["A"], ["B", "A"]])

    monkeypatch.setitem(RULES, "plurality", refuses)
    live.time()
    assert (live.outcome.kind, live.last.state.phase) == ("no_quorum", "ended")
    found = closing._counted(live.rules, live.rules.election({"ann": ["A"]}))
    assert found.reason == "infeasible"  # type: ignore[union-attr]
    assert found.unblock  # type: ignore[union-attr]
