"""Issues text: everything that was found is told, on lines of its own, and no number lies."""

from __future__ import annotations

from typing import Any

from comity.render.ink import Ink
from comity.render.issues import TITLES, brief, deal_line, frontier_text, issues_text
from comity.render.text import result_text


def point(one: Any, two: Any, **more: Any) -> dict[str, Any]:
    return {"utilities": {"ann": one, "bob": two}, "deals": 1, "deal": {"tls": "1.3"}, **more}


def section(*points: Any, size: int | None = None) -> dict[str, Any]:
    size = len(points) if size is None else size
    return {"size": size, "points": list(points), "left_out": size - len(points)}


def solved(*points: Any, why: str = "", **more: Any) -> dict[str, Any]:
    return {"says": "the best", "value": 1, "why": why, **section(*points), **more}


def told(**more: Any) -> dict[str, Any]:
    data = {
        "kind": "frontier",
        "says": "The frontier of 4 deals has 2 points. Nash: ann 2, bob 1.",
        "parties": ["ann", "bob"],
        "frontier": section(point(2, 1, acceptable=True), point(1, 2, acceptable=False)),
        "acceptable": section(point(2, 1)),
        "acceptable_on_frontier": True,
        "solutions": {"nash": solved(point(2, 1))},
        "nearest": None,
        "deal": None,
        "notes": [],
    }
    return {**data, **more}


def lines(**more: Any) -> list[str]:
    return frontier_text(told(**more), Ink()).split("\n")


# --- numbers ---------------------------------------------------------------------------------


def test_g5_a_rounded_number_says_so_and_an_exact_one_does_not() -> None:
    assert [brief(one) for one in (3, "9/20", "0.1250", "1/3", "-2/3", "1/100000")] == [
        "3", "0.45", "0.125", "~0.3333", "~-0.6667", "~0",
    ]  # fmt: skip


def test_a_note_says_that_a_table_is_rounded_only_where_it_is() -> None:
    assert not [line for line in lines() if "four places" in line]
    rounded = lines(solutions={"nash": solved(point("2/3", 1))})
    assert [line for line in rounded if "four places" in line]
    assert [line for line in rounded if line.startswith("Nash   0.6667")]


def test_a_deal_stays_on_one_line_and_is_cut_where_it_is_too_long() -> None:
    assert deal_line([["a\n", "x"], ["b", "y"]]) == "a\\n = x, b = y"
    assert deal_line({"a": "x" * 200}).endswith("…")
    assert deal_line(None) == ""


# --- the frontier ----------------------------------------------------------------------------


def test_m4_the_frontier_is_a_table_that_marks_what_suits_all() -> None:
    text = lines()
    at = text.index("Frontier (2 points)")
    assert text[at + 1].split() == ["ann", "bob", "suits", "all", "deals", "a", "deal"]
    assert text[at + 2].split() == ["2", "1", "yes", "1", "tls", "=", "1.3"]
    assert text[at + 3].split()[2] == "no"


def test_m4_what_is_left_out_is_counted() -> None:
    text = "\n".join(lines(frontier=section(point(2, 1, acceptable=True), size=9)))
    assert "Frontier (1 of 9 points, evenly spread; --all lists every one)" in text


def test_m4_deals_that_all_accept_have_their_own_table_when_they_are_not_on_the_frontier() -> None:
    assert "Frontier of the deals acceptable to all (1 point)" in lines(
        acceptable_on_frontier=False
    )
    assert not [line for line in lines() if "acceptable to all (" in line]


def test_m4_every_tie_has_its_row() -> None:
    text = lines(
        solutions={
            "nash": {**solved(point(2, 1), point(1, 2)), "size": 5, "left_out": 3},
            "ideal": solved(point(2, 1), distance=1.41421356),
        }
    )
    rows = [line.split() for line in text]
    assert ["Nash", "2", "1", "1", "of", "5", "1", "tls", "=", "1.3"] in rows
    assert ["1", "2", "2", "of", "5", "1", "tls", "=", "1.3"] in rows
    assert [line for line in text if "(3 more tied points)" in line]
    assert "  - nearest the ideal: the best (1.414 away)" in text


def test_g6_points_that_do_not_exist_stand_together_by_reason() -> None:
    text = lines(
        solutions={
            "nash": solved(point(2, 1)),
            "egalitarian": solved(why="units differ"),
            "utilitarian": solved(why="units differ"),
            "ideal": solved(why="another reason", distance=None),
        }
    )
    assert "  - egalitarian and utilitarian: units differ" in text
    assert "  - nearest the ideal: another reason" in text


def test_one_point_alone_lists_its_equal_deals_and_no_frontier() -> None:
    equal = {"size": 5, "deals": [{"tls": "1.2"}, {"tls": "1.3"}], "left_out": 3}
    text = lines(equal_deals=equal)
    assert "  - tls = 1.2" in text
    assert "  - (3 more; --all lists every one)" in text
    assert not [line for line in text if line.startswith("Frontier")]
    alone = lines(equal_deals={"size": 1, "deals": [{"tls": "1.2"}], "left_out": 0})
    assert not [line for line in alone if "All of these" in line]


def test_m7_the_nearest_deal_says_who_falls_short_and_who_refuses() -> None:
    near = {
        "deal": [["tls", "1.3"]],
        "short": [{"name": "ann", "value": "1/2"}],
        "refused_by": ["ann", "bob"],
    }
    text = lines(nearest=near, says="No deal suits all.")
    at = text.index("Nearest to a deal")
    assert text[at + 1 : at + 4] == [
        "  - tls = 1.3",
        "  - ann falls short by 0.5",
        "  - bob refuses it for a red line",
    ]


# --- one deal --------------------------------------------------------------------------------


def deal(**more: Any) -> dict[str, Any]:
    data = {
        "deal": {"tls": "1.2"},
        "utilities": {"ann": 0, "bob": "1/3"},
        "allowed": True,
        "refused_by": [],
        "efficient": False,
        "better": section(point(2, 1)),
        "distances": {
            "frontier": {"distance": 1.0, "squared": 1},
            "nash": {"distance": 1.25, "squared": "25/16"},
            "utilitarian": {"distance": 1.25, "squared": "25/16"},
        },
    }
    return {**data, **more}


def test_m4_a_deal_is_told_with_all_that_is_wrong_with_it() -> None:
    text = lines(deal=deal(refused_by=["ann", "bob"], allowed=False))
    at = text.index("This deal")
    assert text[at + 1 : at + 7] == [
        "  - tls = 1.2",
        "  - worth ann 0, bob ~0.3333",
        "  - cannot be made: it breaks a constraint",
        "  - refused by ann, bob",
        "  - not efficient: 1 point of the frontier is better for one party and worse for none",
        "  - distance: 1 from the frontier; 1.25 from Nash and utilitarian",
    ]
    assert "Better for one and worse for none (1 point)" in text


def test_m4_an_efficient_deal_is_called_so_and_nothing_is_better() -> None:
    text = lines(deal=deal(efficient=True, better=section(), distances={}))
    assert "  - efficient: no deal is better for one party and worse for none" in text
    assert "  - acceptable to all" in text
    assert not [line for line in text if "Better" in line or "distance:" in line]


def test_a_deal_that_nobody_can_make_may_have_nothing_better() -> None:
    text = lines(deal=deal(allowed=False, better=section()))
    assert not [line for line in text if "efficient" in line]


# --- a negotiation ---------------------------------------------------------------------------


def offer(at: int, by: str, *accepted: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{by}-{at}", "round": at, "party": by, "deal": {"tls": "1.3"},
        "utilities": {"ann": 2, "bob": "1/3"}, "accepted_by": list(accepted), **more,
    }  # fmt: skip


def agreed(**more: Any) -> dict[str, Any]:
    data = {
        "v": 1,
        "kind": "agreement",
        "form": "issues",
        "says": "Deal in round 1: bob accepts ann-1.",
        "parties": ["ann", "bob"],
        "terms": [["tls", "1.3"]],
        "utilities": [{"name": "ann", "value": 2}, {"name": "bob", "value": "1/3"}],
        "gains": [{"name": "ann", "value": 1}, {"name": "bob", "value": "1/3"}],
        "grounds": {"thin": ["a lot chose among 2: best of seen"], "parameters": []},
        "notes": ["discounted"],
    }
    return {**data, **more}


def test_b9_the_offers_are_told_with_their_worth_and_who_accepted() -> None:
    course = {"made": 9, "left_out": 7, "offers": [offer(0, "ann"), offer(4, "bob", "ann")]}
    text = issues_text(agreed(course=course), Ink()).split("\n")
    rows = [line.split() for line in text]
    assert ["round", "by", "ann", "bob", "accepted", "by", "offer"] in rows
    assert ["0", "ann", "2", "0.3333", "tls", "=", "1.3"] in rows
    assert ["(7", "more", "offers)"] in rows
    assert ["4", "bob", "2", "0.3333", "ann", "tls", "=", "1.3"] in rows
    assert "  - tls = 1.3" in text


def test_how_good_a_deal_is_stands_beside_the_deal() -> None:
    quality = deal(shares={"ann": "1/3", "bob": None})
    text = issues_text(agreed(quality=quality), Ink())
    assert "ann  has 2, gains 1, 33.3% of the most it could" in text
    assert "bob  has ~0.3333, gains ~0.3333\n" in text
    assert "How good it is\n  - not efficient" in text
    assert "Worth a second look\n  - a lot chose among 2" in text
    assert "  - discounted" in text


def test_a_frontier_that_is_too_large_is_told_and_hides_nothing_else() -> None:
    why = {"why": "would have to look at 9 deals one by one"}
    assert "not told: would have to look" in issues_text(agreed(quality=why), Ink())
    none = agreed(kind="no_deal", terms=[], quality=why, says="No deal.")
    assert "not told: would have to look" in issues_text(none, Ink())


def no_deal(**more: Any) -> dict[str, Any]:
    data = {
        "v": 1,
        "kind": "no_deal",
        "form": "issues",
        "says": "No deal (stall) after 2 rounds.",
        "final_offers": [{"party": "ann", "offer": None}, {"party": "bob", "offer": None}],
        "unblock": ["more rounds"],
        "nearest": {"deal": [["tls", "1.3"]], "short": [], "refused_by": ["bob"]},
        "grounds": {"thin": []},
    }
    return {**data, **more}


def test_g2_a_no_deal_says_what_came_nearest_what_unblocks_it_and_whether_there_was_one() -> None:
    quality = {"acceptable": 3, "nash": section(point(2, 1))}
    text = issues_text(no_deal(quality=quality), Ink()).split("\n")
    assert "  - bob refuses it for a red line" in text
    assert "  - more rounds" in text
    assert "  - yes: 3 points of the frontier would suit all" in text
    assert "  - as tls = 1.3: worth ann 2, bob 1" in text
    nothing = issues_text(no_deal(quality={"acceptable": 0, "nash": section()}), Ink())
    assert "no deal is acceptable to all" in nothing


def test_a_recorded_result_is_read_the_same_way_without_worths() -> None:
    every = [offer(at, "ann") for at in range(30)]
    text = result_text(agreed(offers=every), Ink())
    assert text.startswith("Deal in round 1: bob accepts ann-1.")
    assert "(10 more offers)" in text
    assert "round  by   accepted by  offer" in text
    few = result_text(no_deal(offers=every[:12]), Ink())
    assert "more offers" not in few
    assert few.count("tls = 1.3") == 13


def test_colours_dress_the_head_only() -> None:
    text = frontier_text(told(), Ink(colours=True))
    assert text.startswith("\x1b[32mThe frontier of 4 deals has 2 points\x1b[0m. Nash")
    assert frontier_text(told(nearest={"deal": []}), Ink(colours=True)).startswith("\x1b[33m")


def test_every_solution_has_a_title() -> None:
    assert list(TITLES) == [
        "nash", "kalai_smorodinsky", "nearest_diagonal", "egalitarian", "utilitarian", "ideal",
    ]  # fmt: skip
