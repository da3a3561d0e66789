"""Tournament rendered: the sentence, the tables, the drawing."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from comity.render.ink import Ink
from comity.render.tournament import says, tournament_chart, tournament_text


def standing(rank: int | None, name: str, share: float | None, **more: Any) -> dict[str, Any]:
    return {
        "rank": rank, "strategy": name, "mean_share": share, "mean_utility": 12.5,
        "agreement_rate": 0.5, "feasible_agreement_rate": 1.0, "efficient_rate": None,
        "nash_distance": 0.25, "frontier_distance": 0.0, "mean_rounds": 7.0, "failed": 0, **more,
    }  # fmt: skip


def case(*names: str, label: str = "") -> dict[str, Any]:
    return {
        "label": label,
        "standings": [standing(at, name, 1 / at) for at, name in enumerate(names, 1)],
        "pairs": [
            {"strategy": one, "against": two, "mean_share": 0.5} for one in names for two in names
        ],
    }


def data(*cases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "negotiations": 9, "agreements": 8, "infeasible": 0, "failed": 0, "failures": [],
        "cases": list(cases), **more,
    }  # fmt: skip


def test_the_sentence_names_the_best_and_counts() -> None:
    assert says(data(case("micro", "linear"))) == (
        "9 negotiations, 8 agreements; micro gains most: 1.000 of the best it could."
    )
    told = says(data(infeasible=2, failed=1, agreements=1))
    assert told == "9 negotiations, 1 agreement, 1 failed; in 2 no deal suits all."


def test_g4_equals_are_both_named() -> None:
    tied = {"label": "", "pairs": [], "standings": [standing(1, "a", 0.5), standing(1, "b", 0.5)]}
    assert says(data(tied)).endswith("a and b gain most: 0.500 of the best it could each.")
    none = {"label": "", "pairs": [], "standings": [standing(None, "a", None)]}
    assert says(data(none)) == "9 negotiations, 8 agreements."


def test_the_table_says_every_figure_and_a_dash_where_there_is_none() -> None:
    lines = tournament_text(data(case("micro", "linear")), Ink()).splitlines()
    assert lines[2].split("  ")[0] == "rank"
    assert lines[3].split() == [
        "1", "micro", "1.000", "12.5", "50.0", "100.0", "-", "0.250", "0.000", "7.0",
    ]  # fmt: skip
    assert lines[6].split() == ["share", "against", "1", "2"]
    assert lines[7].split() == ["1", "micro", "0.500", "0.500"]
    assert "failed" not in lines[2]


def test_failures_have_a_column_and_a_list() -> None:
    bad = {"label": "", "pairs": [], "standings": [standing(None, "bad", None, failed=3,
                                                            mean_utility=None)]}  # fmt: skip
    failures = [
        {"strategy": "bad", "reason": "boom", "count": 3, "first": "a1"},
        {"strategy": "", "reason": "too large", "count": 1, "first": "a2"},
    ]
    text = tournament_text(data(bad, failed=4, failures=failures), Ink())
    assert text.splitlines()[2].endswith("failed")
    assert text.splitlines()[3].split() == [
        "-", "bad", "-", "-", "50.0", "100.0", "-", "0.250", "0.000", "7.0", "3",
    ]  # fmt: skip
    assert "  ! bad, 3 times: boom (first in a1)" in text
    assert "  ! nobody's strategy, 1 time: too large (first in a2)" in text


def test_cases_have_their_labels_and_large_matrices_stay_out() -> None:
    names = [f"s{at}" for at in range(13)]
    text = tournament_text(data(case("a", label="rounds=5"), case(*names, label="b")), Ink())
    assert "\nrounds=5\nrank" in text
    assert text.count("share against") == 1


def test_text_of_others_stays_on_its_line() -> None:
    failures = [{"strategy": "x\ny", "reason": "a\x1b[2Jb", "count": 1, "first": "\n"}]
    text = tournament_text(data(case("x\ny", label="l\n"), failures=failures), Ink())
    assert "\x1b" not in text
    assert "x\ny" not in text


def test_the_drawing_is_sound_xml_that_says_the_same() -> None:
    drawn = tournament_chart(data(case("micro", "<b>&"), case("linear", label="rounds=5")))
    root = parsed(drawn)
    spoken = " ".join(node.text or "" for node in root.iter())
    for part in ("micro 1", "<b>& 2", ".50", "1.00", "rounds=5: mean share", "all"):
        assert part in spoken
    desc = root.find("{http://www.w3.org/2000/svg}desc")
    assert desc is not None
    assert "micro 1.000" in (desc.text or "")


def parsed(drawn: str) -> ET.Element:
    return ET.fromstring(drawn)  # noqa: S314  # our own drawing


def places(drawn: str) -> list[tuple[float, float]]:
    root = parsed(drawn)
    return [
        (float(node.get("x", 0)) + float(node.get("width", 0)),
         float(node.get("y", 0)) + float(node.get("height", 0)))
        for node in root.iter("{http://www.w3.org/2000/svg}rect")
        if node.get("class") == "put"
    ]  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 8, 15, 30])
def test_every_cell_lies_on_the_page(count: int) -> None:
    drawn = tournament_chart(data(case(*(f"s{at}" for at in range(count)))))
    height = float(parsed(drawn).get("height", 0))
    cells = places(drawn)
    assert len(cells) == count * (count + 1)
    assert all(x <= 720 and y <= height for x, y in cells)


def test_small_cells_have_no_figures_and_too_many_are_told() -> None:
    assert ">.50<" not in tournament_chart(data(case(*(f"s{at}" for at in range(30)))))
    many = tournament_chart(data(case(*(f"s{at}" for at in range(31)))))
    assert "31 strategies are too many to draw every pair." in many
    assert not places(many)


def test_a_pair_that_did_not_meet_is_a_dash() -> None:
    empty = {"label": "", "standings": [standing(1, "a", 0.5)], "pairs": []}
    assert ">-<" in tournament_chart(data(empty))
    assert "nothing was played" in tournament_chart(data())


def test_a_case_without_standings_is_only_its_label() -> None:
    text = tournament_text(data({"label": "rounds=5", "standings": [], "pairs": []}), Ink())
    assert text == "9 negotiations, 8 agreements.\n\nrounds=5"
