"""Vote charts: whole SVG documents that say in words what they show."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

import comity
from comity.core.codec import encode
from comity.render.charts import chart
from comity.render.vote_charts import comparison_chart, vote_chart

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = [list(one) for one in ("ABC", "ABC", "BCA", "BCA", "CBA")]
RUNOFF = [["A", "B"]] * 4 + [["B", "A"]] * 3 + [["C", "B"]] * 2


def told(result: Any, **more: Any) -> dict:
    return {**result.to_json(), "pairwise": encode(result.pairwise), **more}


def parsed(drawn: str) -> ET.Element:
    return ET.fromstring(drawn)  # noqa: S314  # our own text


def texts(drawn: str) -> list[str]:
    return [one.text or "" for one in parsed(drawn).iter(f"{SVG}text")]


def described(drawn: str) -> str:
    return str(parsed(drawn).find(f"{SVG}desc").text)


def marks(drawn: str, tag: str, name: str) -> list[ET.Element]:
    return [one for one in parsed(drawn).iter(SVG + tag) if one.get("class") == name]


# --- bars ------------------------------------------------------------------------------------


def test_v5_a_tally_is_bars_with_names_and_numbers_on_them() -> None:
    drawn = vote_chart(told(comity.borda(SOURCE)))
    (won,) = marks(drawn, "rect", "won")
    rest = marks(drawn, "rect", "rest")
    shares = [float(one.get("width")) / float(won.get("width")) for one in rest]
    assert shares == pytest.approx([4 / 7, 4 / 7], rel=1e-4)
    assert {"B", "7", "A", "4", "C", "points", "B wins by 3 (7 to 4 points) under borda"} <= set(
        texts(drawn)
    )
    assert described(drawn) == "points: B 7, A 4, C 4."


def test_a_title_is_parted_where_the_thin_reasons_begin() -> None:
    result = comity.borda(SOURCE)
    drawn = vote_chart(told(result, thin=["rules_disagree"]))
    assert "thin: other standard rules disagree" in texts(drawn)
    tie = vote_chart(told(comity.plurality(["A", "B"]), thin=["turnout"]))
    assert "No decision (tie)" in texts(tie)


def test_numbers_below_zero_are_drawn_from_the_same_line() -> None:
    drawn = vote_chart({**comity.minimax(SOURCE).to_json()})
    (won,) = marks(drawn, "rect", "won")
    rest = marks(drawn, "rect", "rest")
    zero = float(won.get("x")) + float(won.get("width"))
    assert {round(float(one.get("x")), 3) for one in rest} == {round(zero, 3)}


def test_a_vote_without_votes_says_so() -> None:
    drawn = vote_chart(told(comity.plurality([])))
    assert "no votes" in texts(drawn)
    assert described(drawn) == "Nothing was counted."


def test_only_the_first_of_many_bars_are_drawn() -> None:
    drawn = vote_chart(told(comity.plurality([f"o{at:02}" for at in range(45)])))
    assert len(marks(drawn, "rect", "rest")) == 40
    assert described(drawn).endswith("and 5 more.")


def test_votes_that_are_all_zero_are_drawn() -> None:
    assert vote_chart(told(comity.score([{"A": 0, "B": 0}]))).startswith("<svg")


# --- rounds ----------------------------------------------------------------------------------


def test_v6_each_round_is_a_bar_of_its_parts() -> None:
    drawn = vote_chart(told(comity.irv(RUNOFF)))
    won = marks(drawn, "rect", "won edge")
    assert len(won) == 2
    assert len(marks(drawn, "rect", "rest edge")) == 3
    wider = float(won[1].get("width")) / float(won[0].get("width"))
    assert wider == pytest.approx(5 / 3, rel=1e-4)
    assert {"round 1", "B 3", "A 4", "C 2", "C leaves", "round 2", "B 5", "B wins"} <= set(
        texts(drawn)
    )
    assert described(drawn) == ("round 1: A 4, B 3, C 2; C leaves. round 2: A 4, B 5; B wins.")


def test_bands_join_the_parts_of_those_who_stay() -> None:
    drawn = vote_chart(told(comity.irv(RUNOFF)))
    assert len(marks(drawn, "path", "flow won edge")) == 1
    assert len(marks(drawn, "path", "flow rest edge")) == 1


def test_exhausted_ballots_are_told_and_leave_a_gap() -> None:
    drawn = vote_chart(told(comity.irv([["A"]] * 4 + [["B"]] * 3 + [["C"]] * 2)))
    assert "A wins; 2 exhausted" in texts(drawn)
    first, second = marks(drawn, "rect", "won edge")
    assert first.get("width") == second.get("width")


def test_a_part_too_small_for_its_name_shows_its_number_or_nothing() -> None:
    long = "a very long name of an option"
    ballots = [["A"]] * 480 + [["B"]] * 450 + [[long]] * 80 + [["C"]] * 8
    drawn = vote_chart(told(comity.irv(ballots, ties="lot:1")))
    shown = texts(drawn)
    assert "80" in shown
    wider = vote_chart(told(comity.irv([[one.replace("B", f"{long} {long}") for one in ballot]
                                        for ballot in ballots])))  # fmt: skip
    names = [text for text in texts(wider) if text.startswith("a very long")]
    assert names[0].endswith("…")  # the first bar names the parts
    assert names[-1].endswith("… 450")  # the others count them
    assert f"{long} 80" not in shown
    assert not {"C 8", "8"} & set(shown)
    assert "C 8" in described(drawn)


def test_seats_are_elected_in_rounds_and_a_tie_elects_nobody() -> None:
    ballots = [["A", "B"]] * 6 + [["B"]] * 2 + [["C"]] * 2
    drawn = vote_chart(told(comity.stv(ballots, seats=2)))
    assert {"A elected", "B elected", "2 elected under stv", "A, B"} <= set(texts(drawn))
    cycle = [list(one) for one in ("ABC", "BCA", "CAB")]
    tie = vote_chart(told(comity.irv(cycle)))
    assert "C leaves" in texts(tie)
    assert not marks(tie, "rect", "won edge")
    both = [["A"]] * 3 + [["B"]] * 2 + [["D", "C"], ["C", "D"]]
    assert described(vote_chart(told(comity.irv(both)))).startswith("round 1: A 3, B 2, C 1, D 1;")


def test_bands_lie_below_the_words() -> None:
    drawn = vote_chart(told(comity.irv(RUNOFF)))
    assert drawn.rindex("class='flow") < drawn.index(">round 1<")


def test_fractions_are_rounded_on_the_drawing() -> None:
    drawn = vote_chart(told(comity.irv([[["A", "B"], "C"]] * 2 + [["C"], [["A", "B", "C"]]])))
    assert "A 1.33" in texts(drawn)
    assert "A 1.3333" in described(drawn)
    many = [[["A", "B"], "C"]] * 601 + [["C"]] * 300 + [[["A", "B", "C"]]]
    assert "A 300.8" in texts(vote_chart(told(comity.irv(many))))


def test_several_that_leave_leave() -> None:
    ballots = [["A", "B"]] * 3 + [["B", "C", "D"]] * 2 + [["A", "D"]]
    drawn = vote_chart(told(comity.irv([*ballots, *[["E", "B"]] * 2])))
    assert "C and D leave" in texts(drawn)


# --- duels -----------------------------------------------------------------------------------


def test_v5_duels_are_a_table_in_which_wins_are_filled_and_bold() -> None:
    drawn = vote_chart(told(comity.schulze(SOURCE)))
    assert len(marks(drawn, "rect", "beats")) == 3
    assert len(marks(drawn, "rect", "cell")) == 6
    strong = [one.text for one in marks(drawn, "text", "mid strong")]
    assert strong == ["4", "3", "3"]
    assert "1 B" in texts(drawn)
    assert described(drawn) == "B beats C and A. C beats A."


def test_the_larger_share_is_the_darker_cell() -> None:
    cells = marks(vote_chart(told(comity.schulze(SOURCE))), "rect", "beats")
    tones = [float(one.get("fill-opacity")) for one in cells]
    assert tones[0] > tones[1] == tones[2]
    assert max(tones) <= 0.37  # the numbers stay readable on it


def test_even_duels_are_dashed_and_many_options_are_cut() -> None:
    drawn = vote_chart(told(comity.copeland([["A", "B"], ["B", "A"]])))
    assert len(marks(drawn, "rect", "even")) == 2
    assert described(drawn) == "All duels are even."
    names = [f"o{at:02}" for at in range(20)]
    assert "the first 14 of 20 options" in texts(vote_chart(told(comity.copeland([names]))))


def test_duels_that_lack_a_pair_are_drawn_without_it() -> None:
    data = told(comity.schulze(SOURCE))
    data["pairwise"] = {"A": {"B": 2}, "B": {"A": 3, "C": 4}, "C": {}}
    assert len(marks(vote_chart(data), "rect", "cell")) == 2


def test_without_duels_the_tally_is_drawn() -> None:
    assert "paths won" in texts(vote_chart(comity.schulze(SOURCE).to_json()))


def test_the_chart_of_a_vote_is_found_by_its_form() -> None:
    data = told(comity.borda(SOURCE))
    assert chart(data) == vote_chart(data)


def test_names_are_escaped() -> None:
    drawn = vote_chart(told(comity.plurality(["<b>&'", "<b>&'", "B"])))
    assert "<b>&'" in texts(drawn)


# --- rules side by side ----------------------------------------------------------------------


def compared(ballots: Any) -> dict:
    found = comity.compare(comity.Election(ballots))
    winners = {name: list(rules) for name, rules in found.winners}
    return {**found.to_json(), "says": "As told.", "winners": winners}


def test_v5_rules_side_by_side_mark_winners_and_ties() -> None:
    drawn = comparison_chart(compared(SOURCE))
    assert len(marks(drawn, "circle", "won")) == 9
    assert len(marks(drawn, "circle", "ask")) == 2
    assert {"The rules disagree", "B under 9 rules"} <= set(texts(drawn))
    assert described(drawn).startswith("plurality: nobody (A and B tie). borda: B.")
    lunch = comparison_chart(compared([list("AB")] * 4 + [list("BCA")] * 3 + [list("CBA")] * 2))
    assert "B under 9 rules, A under 1 rule" in texts(lunch)


def test_a_comparison_that_agrees_is_titled_by_its_sentence() -> None:
    drawn = comparison_chart(compared([["A", "B"]]))
    assert "As told." in texts(drawn)
    nothing = comparison_chart(compared([]))
    assert "no rule decides" in texts(nothing)
