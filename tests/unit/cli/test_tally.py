"""Comity tally: a file of ballots in, a winner or the reason why there is none out."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from comity.cli.tally import STANDARD

ROOT = Path(__file__).resolve().parents[3]
Comity = Callable[..., Any]


@pytest.fixture
def five(here: Path) -> str:
    """Put the five voters of the source into the folder and return the file's name."""
    shutil.copy(ROOT / "examples" / "ballots-five.csv", here / "five.csv")
    return "five.csv"


def put(here: Path, name: str, text: str) -> str:
    (here / name).write_text(text)
    return name


# --- what it says ----------------------------------------------------------------------------


def test_v4_the_source_example_elects_b_and_shows_that_plurality_ties(
    comity: Comity, five: str
) -> None:
    said = comity("tally", five, "--rule", "borda")
    assert said.code == 0
    assert said.err == ""
    assert said.out.split("\n")[0] == (
        "B wins by 3 (7 to 4 points) under borda; "
        "thin: one voter could have changed it, other standard rules disagree."
    )
    assert "plurality     none: A and B       0" in said.out
    assert "5 ballots, 0 abstained, 0 invalid, 0 absent" in said.out


def test_g1_the_json_opens_with_what_people_look_for_and_holds_the_whole_result(
    comity: Comity, five: str
) -> None:
    told = comity("tally", five, "--rule", "borda", "--json").json
    assert list(told)[:9] == [
        "v", "kind", "form", "winner", "tied", "tally", "margin", "rule", "thin"
    ]  # fmt: skip
    assert (told["v"], told["kind"], told["form"], told["winner"]) == (1, "choice", "vote", "B")
    assert told["tally"] == {"A": 4, "B": 7, "C": 4}
    assert (told["margin"], told["rule"], told["ranking"]) == (3, "borda", [["B"], ["A", "C"]])
    assert told["pairwise"]["B"] == {"A": 3, "C": 4}
    assert told["distribution"] == {"A": 2, "B": 2, "C": 1}
    assert told["counts"] == {"ballots": 5, "abstained": 0, "invalid": 0, "absent": 0}
    assert told["margin_of_victory"] == {"at_least": 1, "at_most": 1, "exact": True}
    assert told["thin"] == ["margin_of_victory_1", "rules_disagree"]
    assert next(one for one in told["others"] if one["rule"] == "plurality")["tied"] == ["A", "B"]
    assert told["option"] == "B"
    assert told["grounds"]["rule"] == "borda"
    assert len(told["count"]["election"]["ballots"]) == 5


def test_g5_exact_numbers_are_integers_or_text(comity: Comity, here: Path) -> None:
    file = put(here, "v.csv", "voter,weight,ballot\na,1/3,A>B\nb,0.1,B>A\n")
    told = comity("tally", file, "--rule", "plurality", "--json").json
    assert told["tally"] == {"A": "1/3", "B": "1/10"}
    assert told["margin"] == "7/30"


def test_v5_the_ballots_of_a_large_file_are_counted_and_left_out(
    comity: Comity, here: Path
) -> None:
    for voters, ballots in ((200, 200), (201, 201)):
        rows = "".join(f"v{at},{'A' if at % 3 else 'B'}\n" for at in range(voters))
        file = put(here, "big.csv", f"voter,vote\n{rows}")
        told = comity("tally", file, "--rule", "plurality", "--json").json
        kept = told["count"]["election"]["ballots"]
        assert (len(kept) if voters == 200 else kept) == ballots
        assert told["counts"]["ballots"] == voters


def test_g2_a_tie_is_no_decision_with_exit_code_10(comity: Comity, here: Path) -> None:
    file = put(here, "v.csv", "voter,vote\nann,A\nbob,B\ncat,abstain\n")
    said = comity("tally", file, "--rule", "plurality")
    assert said.code == 10
    assert said.out.startswith("No decision (tie): A and B are equal under plurality.")
    told = comity("tally", file, "--rule", "plurality", "--json").json
    assert (told["winner"], told["tied"], told["counts"]["abstained"]) == (None, ["A", "B"], 1)
    assert told["reason"] == "tie"


def test_g4_a_tie_rule_is_applied_and_told(comity: Comity, here: Path) -> None:
    file = put(here, "v.csv", "voter,vote\nann,A\nbob,B\n")
    said = comity("tally", file, "--rule", "plurality", "--ties", "chair:bob")
    assert said.code == 0
    assert said.out.startswith("B wins under plurality; its tie with A was broken by chair:bob")


def test_g1_every_kind_has_its_exit_code(comity: Comity, here: Path) -> None:
    veto = put(here, "veto.csv", "voter,vote\nann,veto\nbob,yes\n")
    assert comity("tally", veto, "--rule", "majority").code == 12
    none = put(here, "none.csv", "voter,ballot\nann,\n")
    assert comity("tally", none, "--rule", "schulze").code == 13
    yes = put(here, "yes.csv", "voter,vote\nann,yes\nbob,yes\ncat,no\n")
    said = comity("tally", yes, "--rule", "majority", "--threshold", "at least 2/3")
    assert said.code == 0
    assert said.out.startswith("Passed: 2 yes, 1 no under majority; thin:")
    assert comity("tally", yes, "--rule", "majority", "--threshold", "unanimous", "--json").json[
        "winner"
    ] == "rejected"  # fmt: skip


# --- options ---------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", [name for name in STANDARD if name not in {
    "approval", "score", "star", "supermajority", "stv", "debian"}])  # fmt: skip
def test_v3_every_rule_counts_a_file_of_rankings(comity: Comity, five: str, rule: str) -> None:
    said = comity("tally", five, "--rule", rule, "--json")
    assert said.code in {0, 10}
    assert said.json["rule"] == rule
    assert said.json["winner"] in {"B", None}


@pytest.mark.parametrize(
    ("words", "winner"),
    [
        ("--rule stv --seats 2", "A, B"),
        ("--rule debian --default C --ratio A=1 --set developers=4", "B"),
        ("--rule supermajority --default A --ratio B=3/2", "B"),
        ("--rule supermajority --default A --ratio B=2", "C"),
        ("--rule Ranked-Pairs --strength winning_votes", "B"),
        ("--rule coombs --set stop_at_majority=false", "B"),
        ("--rule borda --unranked zero --no-explain", "B"),
        ("--rule irv --set equal=refuse", "B"),
    ],
)
def test_every_option_reaches_the_rule(comity: Comity, five: str, words: str, winner: str) -> None:
    told = comity("tally", five, *words.split(), "--json").json
    assert told["winner"] == winner


def test_v3_scores_and_approvals_have_their_rules(comity: Comity, here: Path) -> None:
    plain = ("--no-explain", "--json")
    scores = put(here, "s.csv", "voter,score:A,score:B\na,5,4\nb,0,3\nc,,1\n")
    assert comity("tally", scores, "--rule", "score", "--json").json["tally"] == {"A": 5, "B": 8}
    mean = comity("tally", scores, "--rule", "score", "--set", "measure=mean", *plain).json
    assert mean["tally"] == {"A": "5/2", "B": "8/3"}
    assert comity("tally", scores, "--rule", "star", *plain).json["winner"] == "B"
    marks = put(here, "a.csv", "voter,A,B\na,1,0\nb,1,1\n")
    words = ("--rule", "approval", "--kind", "approval", "--json")
    assert comity("tally", marks, *words).json["tally"] == {"A": 2, "B": 1}


def test_v7_veto_holders_are_a_list(comity: Comity, here: Path) -> None:
    file = put(here, "v.csv", "voter,vote\nann,no\nbob,yes\ncat,yes\n")
    said = comity("tally", file, "--rule", "majority", "--set", "veto_holders=ann, bob")
    assert said.code == 12


def test_v10_the_seats_of_a_file_count_and_the_format_can_be_named(
    comity: Comity, here: Path
) -> None:
    text = '3 2\n6 1 2 0\n2 2 0\n2 3 0\n0\n"A"\n"B"\n"C"\n"Board"\n'
    put(here, "board.blt", text)
    assert comity("tally", "board.blt", "--rule", "stv", "--json").json["elected"] == ["A", "B"]
    one = comity("tally", "board.blt", "--rule", "stv", "--seats", "1", "--json").json
    assert one["elected"] == ["A"]
    assert one["title"] == "Board"
    put(here, "board.txt", text)
    assert comity("tally", "board.txt", "--rule", "stv").code == 2
    assert comity("tally", "board.txt", "--rule", "stv", "--format", "blt").code == 0


# --- how firm --------------------------------------------------------------------------------


def test_g8_without_explanation_only_the_results_own_reasons_remain(
    comity: Comity, five: str
) -> None:
    told = comity("tally", five, "--rule", "borda", "--no-explain", "--json").json
    assert told["thin"] == []
    assert told["margin_of_victory"] is told["pivotal"] is told["others"] is None


def test_v9_the_number_of_independent_voters_makes_a_lead_thin(comity: Comity, here: Path) -> None:
    rows = "".join(f"v{at},{'B' if at < 2 else 'A'}\n" for at in range(7))
    file = put(here, "v.csv", f"voter,vote\n{rows}")
    words = ("tally", file, "--rule", "plurality", "--json")
    assert "effective_margin" not in comity(*words).json["thin"]
    told = comity(*words, "--n-eff", "1.9").json
    assert told["effective_margin"] == "8143/10000"
    assert "effective_margin" in told["thin"]


def test_a_large_search_is_only_made_when_asked_for(comity: Comity, here: Path) -> None:
    rows = "".join(f"v{at},{'A>B' if at % 3 else 'B>A'}\n" for at in range(51))
    file = put(here, "v.csv", f"voter,ballot\n{rows}")
    said = comity("tally", file, "--rule", "irv")
    assert "51 different ballots: add --explain to learn how firm it is" in said.err
    assert "Margin of victory" not in said.out
    assert "Margin of victory: 9 voters" in comity("tally", file, "--rule", "schulze").out


# --- drawings --------------------------------------------------------------------------------


def test_a_drawing_is_written_and_said_so(comity: Comity, five: str, here: Path) -> None:
    said = comity("tally", five, "--rule", "schulze", "--svg", "duels.svg")
    assert "drawn: duels.svg" in said.err
    assert "votes of the row over the column" in (here / "duels.svg").read_text()


def test_a_drawing_never_takes_the_place_of_the_ballots(
    comity: Comity, five: str, here: Path
) -> None:
    before = (here / five).read_bytes()
    said = comity("tally", five, "--rule", "borda", "--svg", five)
    assert said.code == 2
    assert "is a file that this call uses otherwise" in said.err
    assert (here / five).read_bytes() == before
    assert comity("tally", five, "--rule", "borda", "--svg", "deep/x.svg").code == 2


# --- faults ----------------------------------------------------------------------------------


def test_a_missing_rule_names_the_standard_rules(comity: Comity, five: str) -> None:
    said = comity("tally", five)
    assert said.code == 2
    assert "error: --rule: is missing" in said.err
    assert ", ".join(STANDARD) in said.err
    assert "comity compare" in said.err


def test_g7_every_fault_of_file_rule_and_words_is_told_at_once(comity: Comity, five: str) -> None:
    words = ("--rule", "bordo", "--seats", "x", "--n-eff", "0", "--ratio", "A", "--set", "=3")
    said = comity("tally", "fave.csv", *words)
    assert said.code == 2
    for part in (
        "file 'fave.csv': does not exist",
        "did you mean 'five.csv'",
        "--n-eff: is 0",
        "--rule: is 'bordo'",
        "did you mean 'borda'",
        "--seats: is 'x'",
        "--ratio: is 'A'",
        "--set: is '=3'",
    ):
        assert part in said.err


def test_g7_every_wrong_parameter_is_told_at_once(comity: Comity, five: str) -> None:
    words = ("--strength", "x", "--unranked", "y", "--ties", "lott", "--seats", "2")
    said = comity("tally", five, "--rule", "schulze", *words)
    assert said.code == 2
    for part in ("takes no --seats", "strength is 'x'", "unranked is 'y'", "ties: are 'lott'"):
        assert part in said.err
    assert said.err.count("strength is 'x'") == 1


def test_g7_parameters_are_looked_at_even_when_the_file_is_missing(comity: Comity) -> None:
    said = comity("tally", "x.csv", "--rule", "star", "--ties", "lott", "--set", "foo=1")
    for part in ("file 'x.csv': does not exist", "ties: are 'lott'", "takes no --set foo=..."):
        assert part in said.err
    assert "cannot count" not in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--rule stv", "stv: lacks --seats"),
        ("--rule debian", "debian: lacks --default"),
        ("--rule supermajority", "supermajority: lacks --default"),
        ("--rule borda --n-eff nan", "--n-eff is 'nan'"),
        ("--rule score", "cannot count ranking ballots"),
        ("--rule borda --kind rankings", "ranking"),
        ("--rule borda --format cvs", "did you mean 'csv'"),
    ],
)
def test_what_a_rule_lacks_or_cannot_read_is_told(
    comity: Comity, five: str, words: str, said: str
) -> None:
    told = comity("tally", five, *words.split())
    assert told.code == 2
    assert said in told.err


def test_g7_every_fault_of_the_file_is_told_with_its_line(comity: Comity, here: Path) -> None:
    file = put(here, "v.csv", "voter,weight,ballot\na,x,A>B\nb,1,A>A\n")
    said = comity("tally", file, "--rule", "borda")
    assert said.code == 2
    assert "line 2" in said.err
    assert "line 3" in said.err


def test_v9_past_votes_say_as_how_many_these_voters_count(
    comity: Callable[..., Any], here: Path
) -> None:
    (here / "now.csv").write_text("voter,vote\nann,A\nbob,A\ncyd,B\n", "utf-8")
    said = [f"{at},{who},{'no' if at % 5 == 0 else 'yes'},yes" for at in range(60)
            for who in ("ann", "bob", "cyd")]  # fmt: skip
    (here / "past.csv").write_text("\n".join(["item,voter,answer,truth", *said]), "utf-8")
    told = comity("tally", "now.csv", "--rule", "plurality", "--log", "past.csv", "--json").json
    assert told["thin"] == ["margin_of_victory_1", "effective_margin"]
    assert told["effective_margin"] == "3333/10000"
    both = comity("tally", "now.csv", "--rule", "plurality", "--log", "past.csv", "--n-eff", "2")
    assert both.code == 2
    gone = comity("tally", "now.csv", "--rule", "plurality", "--log", "gone.csv")
    assert gone.code == 2
    assert "gone.csv" in gone.err


@pytest.mark.parametrize(
    ("ties", "near"), [("status_quo:Bb", "'B'"), ("chair:nobody", "ann, bob")]
)
def test_g7_a_tie_rule_that_goes_by_nobody_known(
    comity: Callable[..., Any], five: str, ties: str, near: str
) -> None:
    said = comity("tally", five, "--rule", "plurality", "--ties", ties)
    assert said.code == 2
    assert near in said.err
