"""Independence drawn and told: everything is there, nothing runs off the page."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from comity.core.canonical import JsonObject
from comity.mechanisms.voting.independence import ReportRules, independence, vote_log
from comity.render import independence as module
from comity.render.independence import independence_chart, independence_text
from comity.render.ink import Ink

SVG = "{http://www.w3.org/2000/svg}"
ITEMS = [f"{at:02d}" for at in range(40)]
TRUTH = {item: "xy"[at % 2] for at, item in enumerate(ITEMS)}


def erring(*wrong: int) -> dict[str, str]:
    return {item: "xy"[one == "x"] if int(item) in wrong else one for item, one in TRUTH.items()}


PANEL = {
    "anna": erring(1, 2, 3, 4),
    "ben": erring(1, 2, 3, 9),
    "cleo": erring(20, 21),
    "zero": dict.fromkeys(ITEMS, "x"),
}


def report(rows: dict[str, dict[str, str]], *, truth: bool = True, many: int = 100) -> JsonObject:
    log = vote_log(rows, truth=TRUTH if truth else None)
    return independence(log, rules=ReportRules(resamples=many)).to_json()


def parsed(drawn: str) -> ET.Element:
    return ET.fromstring(drawn)  # noqa: S314  # our own text


def texts(drawn: str) -> list[str]:
    return [one.text or "" for one in parsed(drawn).iter(f"{SVG}text")]


def marks(drawn: str, tag: str, name: str) -> list[Any]:
    return [one for one in parsed(drawn).iter(SVG + tag) if one.get("class") == name]


def test_v9_the_text_has_headline_sentences_tables_and_warnings() -> None:
    text = independence_text(report(PANEL), Ink())
    blocks = text.split("\n\n")
    assert blocks[0].startswith("4 voters, counting as ")
    assert blocks[1].startswith("Mean correlation of errors ")
    assert blocks[2].split("\n")[0].split() == [
        "voter", "right", "95", "%", "J", "rho", "without", "count", "without",
    ]  # fmt: skip
    assert blocks[2].split("\n")[4].endswith("constant")
    assert blocks[3].split("\n")[1].split()[:4] == ["anna", "and", "ben", "3"]
    assert blocks[4].startswith("Warnings\n  ! zero answers as if it did not look")


def test_without_truth_there_is_no_table_of_voters_and_pairs_have_kappa_only() -> None:
    text = independence_text(report(PANEL, truth=False), Ink())
    assert "95 %" not in text
    (row,) = [line for line in text.split("\n") if line.startswith("anna and ben")]
    assert row.split()[3:] == ["-", "-", "0.900"]


def test_of_many_pairs_the_strongest_are_shown() -> None:
    rows = {f"v{at}": erring(at, at + 1) for at in range(6)}
    text = independence_text(report(rows, many=0), Ink())
    assert "(5 more pairs)" in text
    assert text.count(" and v") == 10


def test_one_voter_has_no_pairs() -> None:
    text = independence_text(report({"anna": PANEL["anna"]}), Ink())
    assert "pair" not in text.split("\n\n")[2]


def test_the_chart_shows_the_panel_the_accuracies_and_every_pair() -> None:
    drawn = independence_chart(report(PANEL))
    assert len(marks(drawn, "circle", "buyer")) == 3
    assert len(marks(drawn, "rect", "seller")) + len(marks(drawn, "rect", "put")) == 1 + 1 + 12
    assert len(marks(drawn, "path", "deal")) == 3
    told = texts(drawn)
    for words in ("counts as", "constant", "Correlation of errors", "anna 1", "zero 4"):
        assert words in told
    assert any(one.startswith("majority ") for one in told)
    assert any(one.startswith("if independent ") for one in told)


def test_title_and_description_say_the_same_in_words() -> None:
    data = report(PANEL)
    root = parsed(independence_chart(data))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text.replace(": ", "; ", 1) == data["headline"]
    assert "Mean correlation of errors" in root.find(f"{SVG}desc").text


@pytest.mark.parametrize("rows", [PANEL, {"a" * 80: TRUTH, "<b>&'": erring(3)}])
def test_everything_lies_on_the_page(rows: dict[str, dict[str, str]]) -> None:
    root = parsed(independence_chart(report(rows)))
    width, height = (float(root.get(one)) for one in ("width", "height"))
    for one in root.iter():
        for name, most in (("x", width), ("y", height), ("cx", width), ("cy", height)):
            if one.get(name) is not None:
                assert 0 <= float(one.get(name)) <= most


def test_without_truth_agreement_is_drawn() -> None:
    drawn = independence_chart(report(PANEL, truth=False))
    assert "Agreement beyond chance (kappa)" in texts(drawn)
    assert ".90" in texts(drawn)
    assert "counts as" not in texts(drawn)


def test_undefined_correlations_are_none_and_not_0() -> None:
    drawn = independence_chart(report({"a": TRUTH, "b": erring(1), "c": erring(1, 2)}))
    assert texts(drawn).count("none") == 4


def test_low_accuracies_have_their_labels_on_the_right() -> None:
    wrong = erring(*range(0, 40, 2), *range(1, 30, 2))
    drawn = independence_chart(report({"a": wrong, "b": wrong, "c": wrong}))
    (line,) = [one for one in parsed(drawn).iter(f"{SVG}text") if "majority" in (one.text or "")]
    assert line.get("class") == ""


def test_many_voters_are_drawn_small_and_too_many_not_at_all() -> None:
    rows = {f"v{at:02d}": erring(at, at + 1) for at in range(18)}
    data = report(rows, many=0)
    drawn = independence_chart(data)
    assert len(marks(drawn, "rect", "put")) + len(marks(drawn, "rect", "seller")) == 1 + 18 * 17
    panel = {**data["with_truth"], "panel": {**data["with_truth"]["panel"], "voters": 70}}
    names = [f"v{at}" for at in range(module.MOST_CELLS + 1)]
    many = independence_chart({**data, "voters": names, "with_truth": panel})
    assert f"{len(names)} voters are too many to draw every pair." in texts(many)


def test_one_voter_or_none_answered_is_drawn_without_what_is_missing() -> None:
    alone = independence_chart(report({"anna": PANEL["anna"]}))
    assert "Correlation of errors" not in texts(alone)
    silent = vote_log([("1", "a", None), ("1", "b", None)], truth={"1": "x"})
    drawn = independence_chart(independence(silent).to_json())
    assert "Right answers, with 95 % intervals" not in texts(drawn)
    assert "none" in texts(drawn)
