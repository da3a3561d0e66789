"""Vote text: one sentence first, then the count that it comes from."""

from __future__ import annotations

from typing import Any

import pytest

import comity
from comity.core.codec import encode
from comity.render.ink import Ink
from comity.render.text import result_text
from comity.render.vote import comparison_text, vote_sentence, vote_text
from comity.render.vote_facts import THIN, facts_of, in_words
from comity.render.vote_tables import rules_table

SOURCE = [list(one) for one in ("ABC", "ABC", "BCA", "BCA", "CBA")]
CYCLE = [list(one) for one in ("ABC", "BCA", "CAB")]
RUNOFF = [["A", "B"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 2


def told(result: Any, **more: Any) -> dict:
    """Return a result's JSON with what the command adds."""
    data = {**result.to_json(), **more}
    data.setdefault("pairwise", encode(result.pairwise))
    data.setdefault("distribution", encode(result.distribution))
    return data


# --- the sentence ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (comity.plurality(["A", "B", "A"]), "A wins by 1 (2 to 1 votes) under plurality."),
        (comity.borda(SOURCE), "B wins by 3 (7 to 4 points) under borda."),
        (comity.schulze(SOURCE), "B wins by 1 (3 to 2 over A) under schulze."),
        (comity.ranked_pairs(SOURCE), "B wins by 1 (3 to 2 over A) under ranked pairs."),
        (comity.irv(RUNOFF), "B wins by 1 (5 to 4) under irv."),
        (comity.minimax(SOURCE), "B wins by 2 (worst duel -1 to 1) under minimax."),
        (comity.plurality(["A"]), "A wins under plurality."),
        (comity.stv(RUNOFF, seats=2), "A and B are elected under stv."),
        (comity.stv(RUNOFF, seats=1), "B is elected under stv."),
        (comity.majority(["yes", "yes", "no"]), "Passed: 2 yes, 1 no under majority."),
        (comity.majority({"ann": "veto", "bob": "yes"}), "Blocked by ann: veto under majority."),
        (
            comity.plurality(["A", "B"]),
            "No decision (tie): A and B are equal under plurality.",
        ),
        (
            comity.condorcet(CYCLE),
            "No decision (cycle): A, B and C beat each other in a circle under condorcet.",
        ),
        (
            comity.majority(["A", "A", "B", "C"]),
            "No decision (no majority): A leads with 2 of 3 needed under majority.",
        ),
        (comity.plurality([]), "No quorum: 0 took part, 1 needed, under plurality."),
    ],
    ids=lambda one: one.grounds.rule if hasattr(one, "grounds") else "",
)
def test_g1_every_kind_of_vote_reads_as_one_sentence(result: Any, said: str) -> None:
    assert vote_sentence(told(result)) == said
    assert vote_text(told(result), Ink()).split("\n")[0] == said


def test_g4_a_tie_that_a_rule_broke_says_with_whom_and_by_what() -> None:
    said = vote_sentence(comity.plurality(["A", "B"], ties="status_quo:B").to_json())
    assert said == (
        "B wins under plurality; its tie with A was broken by status_quo:B; "
        "thin: a tie rule decided."
    )


def test_several_broken_ties_are_counted() -> None:
    tie = {"label": "x", "tied": ["A", "B"], "rule": "lot", "chosen": "B"}
    data = {"kind": "choice", "option": "A", "grounds": {"rule": "irv", "ties": [tie, tie]}}
    assert vote_sentence(data) == "A wins under irv; 2 ties were broken by lot."


def test_g8_each_reason_to_look_twice_has_words() -> None:
    data = {"kind": "choice", "option": "A", "grounds": {"rule": "irv"}, "thin": list(THIN)}
    assert vote_sentence(data).endswith(f"; thin: {', '.join(THIN.values())}.")
    assert vote_sentence({**data, "thin": ["new_reason"]}).endswith("; thin: new reason.")


def test_a_result_that_says_its_own_sentence_is_quoted() -> None:
    assert vote_sentence({"kind": "choice", "says": "A, early.\nB"}) == "A, early.\\nB."
    assert vote_sentence({"kind": "waiting"}) == "Waiting."
    assert vote_sentence({"kind": "no_decision", "reason": "no_majority"}) == (
        "No decision (no majority): nobody leads with 0 under ."
    )


def test_the_sentence_has_the_colour_of_its_kind() -> None:
    ink = Ink(colours=True)
    assert vote_sentence(told(comity.plurality(["A"])), ink).startswith("\x1b[32mA wins")
    assert vote_sentence(told(comity.plurality(["A", "B"])), ink).startswith("\x1b[33mNo decision")


def test_a_margin_that_no_two_numbers_explain_stands_alone() -> None:
    ballots = [["A", "none", "B"]] * 4 + [["B", "none"]] * 3
    said = vote_sentence(told(comity.debian(ballots, default="none", developers=4)))
    assert said == "A wins by 4 under debian."


# --- the count -------------------------------------------------------------------------------


def test_v4_the_source_example_shows_points_and_first_places_side_by_side() -> None:
    text = vote_text(told(comity.borda(SOURCE)), Ink())
    rows = [line.split() for line in text.split("\n")[2:6]]
    assert rows == [
        ["option", "points", "first", "places"],
        ["B", "7", "2"],
        ["A", "4", "2"],
        ["C", "4", "1"],
    ]


def test_v5_a_condorcet_rule_shows_its_duels() -> None:
    text = vote_text(told(comity.schulze(SOURCE)), Ink())
    lines = text.split("Duels: votes of the row over the column\n")[1].split("\n")[:4]
    assert [line.split() for line in lines] == [
        ["B", "C", "A"],
        ["B", "-", "4", "3"],
        ["C", "1", "-", "3"],
        ["A", "2", "2", "-"],
    ]
    assert "Duels" not in vote_text(told(comity.borda(SOURCE)), Ink())
    assert "Duels" not in vote_text(comity.schulze(SOURCE).to_json(), Ink())


def test_long_names_are_numbered_in_the_duels() -> None:
    long = "the option with a name"
    text = vote_text(told(comity.schulze([[long, "B"]])), Ink())
    assert f"1 {long}  -" in text
    assert "2 B" in text


def test_only_the_first_duels_of_many_are_shown() -> None:
    names = [f"o{at:02}" for at in range(25)]
    text = vote_text(told(comity.copeland([names])), Ink())
    assert "(the first 20 of 25)" in text


def test_v6_rounds_are_a_table_with_what_happened_in_each() -> None:
    text = vote_text(told(comity.irv(RUNOFF)), Ink())
    assert "option  round 1  round 2\nB             3        5\n" in text
    assert "C             2        -\n" in text
    assert "  - round 1: C leaves\n  - round 2: B wins; more than half" in text
    assert "last count" not in text


def test_exhausted_ballots_have_a_row() -> None:
    text = vote_text(told(comity.irv([["A"]] * 4 + [["B"]] * 3 + [["C"]] * 2)), Ink())
    assert "(exhausted)        0        2" in text


def test_seats_are_elected_in_rounds() -> None:
    text = vote_text(
        told(comity.stv([["A", "B"]] * 6 + [["B"]] * 2 + [["C"]] * 2, seats=2)), Ink()
    )
    assert "  - round 1: A elected; quota reached; A has a surplus of 2" in text
    assert "  - round 2: B elected" in text


def test_many_rounds_are_several_tables_each_as_wide_as_a_page() -> None:
    names = [f"option {chr(65 + at)}" for at in range(18)]
    ballots = [[name, *names] for at, name in enumerate(names) for _ in range(2 + at)]
    ballots = [list(dict.fromkeys(one)) for one in ballots]
    result = comity.irv(ballots, ties="lot:1")
    text = vote_text(told(result), Ink())
    heads = [line for line in text.split("\n") if line.startswith("option    round ")]
    assert len(heads) > 1
    assert sum(line.count("round ") for line in heads) == len(result.count.rounds)
    assert all(len(line) <= 100 for line in text.split("\n") if "round" not in line[:10])
    last = text.split(heads[-1])[1].split("\n\n")[0].strip().split("\n")
    assert len(last) < len(names)  # those who left before are not listed again


def test_a_round_wider_than_a_page_has_a_table_of_its_own() -> None:
    long = "an option with a name that is longer than it should ever be, by far and by all means!"
    ballots = [[long, "B"]] * 4 + [["B", long]] * 3 + [["C", "B"]] * 2
    lines = vote_text(told(comity.irv(ballots)), Ink()).split("\n")
    assert len([line for line in lines if line.startswith("option ")]) == 2


def test_a_runoff_and_a_threshold_are_told_in_words() -> None:
    star = comity.star([{"A": 5, "B": 4, "C": 0}] * 3 + [{"A": 0, "B": 1, "C": 5}] * 2)
    assert "  - runoff: A 3, B 2" in vote_text(told(star), Ink())
    majority = vote_text(told(comity.majority(["A", "A", "B"])), Ink())
    assert "  - threshold: more than 1/2 of the roster: 2 of 3 needed" in majority


def test_several_that_leave_leave() -> None:
    rounds = [
        {"name": "round 1", "out": ["B", "C"], "tally": []},
        {"name": "round 2", "tally": []},
    ]
    data = {"kind": "choice", "option": "A", "count": {"rounds": rounds}}
    assert "round 1: B and C leave" in vote_text(data, Ink())


def test_v3_who_was_dropped_before_the_count_is_listed_with_the_reason() -> None:
    ballots = [["A", "none", "B"]] * 4 + [["B", "none"]] * 3
    text = vote_text(told(comity.debian(ballots, default="none", ratios={"A": 3})), Ink())
    assert "Dropped before the count\n  - A: majority: 4 to 3" in text


def test_v5_what_is_odd_about_the_winner_is_said() -> None:
    ballots = [list(one) for one in ["ABC"] * 4 + ["BCA"] * 3 + ["CBA"] * 2]
    text = vote_text(told(comity.plurality(ballots)), Ink())
    assert "  - more than half of the ballots put the winner last" in text
    assert "  - every other option beats the winner one to one" in text


def test_v5_the_firmness_is_told_where_it_is_known() -> None:
    result = comity.plurality(["A", "A", "B"])
    known = comity.explain(result, n_eff=2).to_json()
    text = vote_text(told(result, **known), Ink())
    assert "Margin of victory: 1 voter\n" in text
    assert "Lead in independent votes: 0.6667" in text
    for found, words in (
        ({"at_least": 2, "at_most": None}, "at least 2 voters"),
        ({"at_least": 2, "at_most": 5}, "2 to 5 voters"),
    ):
        assert words in vote_text(told(result, margin_of_victory=found), Ink())
    tied = told(comity.plurality(["A", "B"]), margin_of_victory={"at_least": 0, "at_most": 0})
    assert "Margin of victory" not in vote_text(tied, Ink())


def test_v5_pivotal_voters_are_named() -> None:
    result = comity.plurality({"ann": "A", "bob": "A", "cat": "B"})
    text = vote_text(told(result, **comity.explain(result).to_json()), Ink())
    assert "Pivotal, each alone: ann, bob" in text
    alike = told(result, margin_of_victory={"at_least": 1, "at_most": 1},
                 pivotal=[{"voter": "ballot 1", "count": 3}])  # fmt: skip
    assert "Pivotal, each alone: ballot 1 (3 alike)" in vote_text(alike, Ink())


def test_v1_abstained_invalid_and_absent_stand_apart() -> None:
    counts = {"ballots": 3, "abstained": 1, "invalid": 2, "absent": 4}
    text = vote_text(told(comity.plurality(["A"]), counts=counts, notes=["read as votes"]), Ink())
    assert "3 ballots, 1 abstained, 2 invalid, 4 absent" in text
    assert text.endswith("Notes of the file\n  - read as votes")


def test_g2_no_decision_says_what_would_unblock_it() -> None:
    text = vote_text(told(comity.plurality(["A", "B"])), Ink())
    assert "What would unblock it\n  - one more vote that separates A and B" in text


def test_fractions_read_as_people_write_them() -> None:
    text = vote_text(told(comity.irv([[["A", "B"], "C"], ["C"], [["A", "B", "C"]]])), Ink())
    assert "A             0.8333  " in text
    assert text.count("Fractions are rounded to four places here; --json has them exactly.") == 1
    plain = vote_text(told(comity.plurality([[["A", "B", "C"]]])), Ink())
    assert "A       0.3333\n" in plain
    assert "Fractions are rounded" in plain
    assert "Fractions" not in vote_text(told(comity.irv(RUNOFF)), Ink())


def test_g5_a_margin_of_fractions_is_explained_exactly() -> None:
    weighed = comity.Election(["A", "B"], weights=["0.6", "13/30"])
    said = vote_sentence(told(comity.plurality(weighed)))
    assert said == "A wins by 1/6 (0.1667) (0.6 to 0.4333 votes) under plurality."


def test_an_options_name_stays_on_its_line() -> None:
    evil = "evil\nB wins"
    text = vote_text(told(comity.schulze([[evil, "B"]] * 2 + [["B", evil]])), Ink())
    assert "\nB wins" not in text


def test_a_vote_that_says_nothing_still_reads() -> None:
    assert vote_text({"kind": "choice", "form": "vote"}, Ink()) == "nobody wins under ."
    assert facts_of({"pairwise": {"A": 3}}).duels == {}


def test_every_vote_reads_from_its_result_alone() -> None:
    result = comity.irv(RUNOFF)
    assert result_text(result.to_json(), Ink()).startswith("B wins by 1 (5 to 4) under irv.")


# --- rules side by side ----------------------------------------------------------------------


def test_v5_other_rules_stand_in_one_table_and_those_that_cannot_read_apart() -> None:
    found = comity.compare(comity.Election(SOURCE)).to_json()
    table = rules_table(found["said"], Ink(), title="Other rules").split("\n")
    assert table[0] == "Other rules"
    assert table[2].split() == ["plurality", "none:", "A", "and", "B", "0"]
    assert table[-1] == "Not for these ballots: approval, score, star"
    assert rules_table([], Ink()) == ""
    alone = rules_table([{"rule": "star", "why_not": "no scores"}], Ink())
    assert alone == "Not for these ballots: star"


def test_a_comparison_opens_with_its_sentence() -> None:
    data = {"says": "They disagree.", "agree": False, "said": [{"rule": "irv", "winner": "A"}],
            "counts": {"ballots": 2, "abstained": 0, "invalid": 0, "absent": 0},
            "notes": ["x"]}  # fmt: skip
    text = comparison_text(data, Ink())
    assert text.startswith(
        "They disagree.\n\nrule  winner  margin\nirv   A            -\n\n2 ballots"
    )
    assert text.endswith("Notes of the file\n  - x")
    assert comparison_text({**data, "agree": True}, Ink(colours=True)).startswith("\x1b[32m")


def test_names_are_listed_as_in_a_sentence() -> None:
    assert [in_words(list(one)) for one in ("", "A", "AB", "ABC")] == [
        "", "A", "A and B", "A, B and C"
    ]  # fmt: skip
    assert in_words(["A", "B"], last="or") == "A or B"


# --- decided by hand -------------------------------------------------------------------------


def by_hand(ended_by: str, said: Any = None, **more: Any) -> dict:
    """Return a vote that B would win, decided otherwise."""
    data = comity.plurality(["A", "B", "B"]).to_json()
    heard = [] if said is None else [{"party": "lead", "what": said}]
    before = [{"party": "ann", "what": {"ballot": "A"}}, {"party": "bob", "what": None}]
    grounds = {
        **data["grounds"],
        "ended_by": ended_by,
        "submissions": [*before, *heard],
        "margin": None,
        "thin": [],
    }
    return {**data, "option": "A", "grounds": {**grounds, **more}}


COUNT = "the count: B 2, A 1 under plurality."


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (
            by_hand("person", {"decides": "A", "by": "ann", "reason": "it is\ncheaper"}),
            f"A, decided by ann: it is\\ncheaper; {COUNT}",
        ),
        (by_hand("person", {"decides": "A"}), f"A, decided by lead; {COUNT}"),
        (by_hand("default"), f"A, by default, as nobody answered in time; {COUNT}"),
        (
            {**by_hand("person", {"decides": "rejected"}), "kind": "verdict", "option": None}
            | {"verdict": "rejected"},
            f"rejected, decided by lead; {COUNT}",
        ),
        (
            by_hand("person", {"decides": "A"}, scores=[]),
            "A, decided by lead; the rule: plurality.",
        ),
    ],
)
def test_g8_an_override_does_not_read_as_the_result_of_the_count(data: Any, said: str) -> None:
    assert vote_sentence(data) == said
    assert result_text(data, Ink()).startswith(said)


def test_g8_a_count_that_a_person_lets_stand_reads_as_one() -> None:
    for data in (
        by_hand("person", {"decides": "accept"}),
        by_hand("person", {"decides": "A"}, margin=1),
        by_hand("count"),
    ):
        assert vote_sentence(data).startswith("A wins")
    tie = {"label": "first", "tied": ["A", "B"], "rule": "human", "chosen": "A"}
    drawn = vote_sentence(by_hand("person", {"decides": "A"}, ties=[tie]))
    assert drawn == "A wins under plurality; its tie with B was broken by human."
    elected = {**by_hand("default"), "elected": ["A"]}
    assert vote_sentence(elected) == "A is elected under plurality."
