"""Show: can a person read any result, and can no party forge a line or a tag of it?

Here: tables, plain text, HTML for notebooks (G1; contract 4).
Not here: pages and charts (render).
Sources: ARCHITECTURE contract 4; SEMANTICS G1.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from comity.core.results import (
    Agreement,
    FinalOffer,
    Grounds,
    Item,
    NoDeal,
    Submission,
)
from comity.core.show import as_html, as_text, table
from comity.core.ties import Tie

HOSTILE = (
    "</td></table><script>alert(1)</script><b onclick='x'>&amp;\"\n  verdict: approved\x1b[2J"
)
ESCAPED = HOSTILE.replace("\n", "\\n").replace("\x1b", "\\x1b")


class Reader(HTMLParser):
    """Collects the tags with their attributes and the text of each cell."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, Any]] = []
        self.cells: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, attrs))
        if tag in {"caption", "th", "td"}:
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data


# --- tables ----------------------------------------------------------------------------------


def test_numbers_stand_right_and_words_left() -> None:
    rows = [("CC", 4, "85.5", "-"), ("buyer", 10, "1/3", ""), ("", -2, "7", 3)]
    assert table(rows, ("party", "round", "offer", "gap")) == (
        "party  round  offer  gap\n"
        "CC         4   85.5    -\n"
        "buyer     10    1/3\n"
        "          -2      7    3"
    )


def test_a_table_without_rows_is_its_header() -> None:
    assert table([], ("a", "bb")) == "a  bb"


def test_a_cell_stays_on_its_line() -> None:
    assert table([("a\nb", "x\x1b")], ("name", "what")) == "name  what\na\\nb  x\\x1b"


# --- text ------------------------------------------------------------------------------------

GROUNDS = Grounds(
    rule="alternating",
    ended_by="deadline",
    inputs_digest="ab",
    parameters=(("rounds", 5), ("caps", {"a": 1, "b": [2, 3]})),
    submissions=(Submission("CC", {"open": 60}), Submission("CX")),
    scores=(Item("A", 4),),
    margin=0,
    ties=(Tie(label="w", tied=("a", "b"), rule="lot", chosen="a", seed="7"),),
)


def test_a_result_reads_as_a_headline_and_one_line_per_field_that_says_something() -> None:
    result = NoDeal(
        reason="no_overlap",
        final_offers=(FinalOffer("buyer", 84), FinalOffer("seller", "1.3"), FinalOffer("GM")),
        gap=4,
        grounds=GROUNDS,
    )
    assert str(result).splitlines() == [
        "no deal",
        "  reason: no_overlap",
        "  final offers: party buyer, offer 84; party seller, offer 1.3; party GM, offer -",
        "  gap: 4",
        "  rule: alternating",
        "  ended by: deadline",
        "  inputs digest: ab",
        "  parameters: rounds 5; caps a 1, b 2 and 3",
        "  submissions: party CC, what open 60; party CX, what -",
        "  scores: name A, value 4",
        "  margin: 0",
        "  ties: label w, tied a and b, rule lot, chosen a, seed 7",
    ]


def test_terms_read_as_pairs_and_deeper_lists_by_commas() -> None:
    data = {"kind": "x", "terms": [["price", 80], ["sizes", [1, [2, 3]]]], "flag": False}
    assert as_text(data) == "x\n  terms: price 80; sizes 1, 2, 3\n  flag: False"


def test_what_a_mechanism_says_is_the_headline_and_may_have_lines() -> None:
    assert as_text({"kind": "choice", "says": "B wins\nby 1\x1b", "option": "B"}) == (
        "B wins\nby 1\\x1b\n  option: B"
    )


def test_a_result_with_nothing_to_say_is_its_headline() -> None:
    data: dict[str, Any] = {
        "kind": "no_sale",
        "a": None,
        "b": "",
        "c": [],
        "d": {},
        "grounds": None,
    }
    assert as_text(data) == "no sale"
    assert as_text({"v": 1, "kind": "no_sale", "form": "price"}) == "no sale"
    assert as_text({}) == ""


# --- safety ----------------------------------------------------------------------------------


def hostile_results() -> list[dict[str, Any]]:
    return [
        {"kind": "agreement", "option": HOSTILE},
        {"kind": HOSTILE, "terms": [[HOSTILE, HOSTILE]]},
        {"kind": "x", "says": HOSTILE, HOSTILE: {HOSTILE: [HOSTILE]}},
        {"kind": "x", "grounds": {"rule": HOSTILE, HOSTILE: 3}},
    ]


@pytest.mark.parametrize("data", hostile_results())
def test_no_text_of_a_party_becomes_a_tag(data: dict[str, Any]) -> None:
    read = Reader(as_html(data))
    rows = (len(read.tags) - 2) // 3
    expected = [("table", []), ("caption", [])]
    expected += [("tr", []), ("th", [("align", "left")]), ("td", [])] * rows  # type: ignore[list-item]
    assert read.tags == expected
    assert "<script" not in as_html(data)
    assert "\x1b" not in as_html(data)


def test_no_text_of_a_party_forges_a_line() -> None:
    result = Agreement(
        terms=((HOSTILE, HOSTILE),), parties=("CC",), grounds=Grounds(
            rule=HOSTILE, ended_by="e", inputs_digest="0", submissions=(Submission("CC", HOSTILE),)
        )
    )  # fmt: skip
    lines = str(result).splitlines()
    assert [line.split(":")[0] for line in lines] == [
        "agreement", "  terms", "  parties", "  rule", "  ended by", "  inputs digest",
        "  submissions",
    ]  # fmt: skip
    assert "\x1b" not in str(result)
    assert Reader(result._repr_html_()).cells == [
        "agreement", "terms", f"{ESCAPED} {ESCAPED}", "parties", "CC", "rule", ESCAPED,
        "ended by", "e", "inputs digest", "0", "submissions", f"party CC, what {ESCAPED}",
    ]  # fmt: skip


def test_a_name_with_a_colon_stays_in_its_own_cell() -> None:
    read = Reader(as_html({"kind": "x", "a: b": "c: d"}))
    assert read.cells == ["x", "a: b", "c: d"]
