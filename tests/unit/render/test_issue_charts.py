"""Issue charts: whole SVG documents in which nothing lies on anything else and nothing is lost."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from comity.core.errors import InvalidInput
from comity.render.issue_charts import MOST_PARTIES, space_chart

SVG = "{http://www.w3.org/2000/svg}"
LETTER = 8.6  # bold letters of a wide font


def space(**more: Any) -> dict[str, Any]:
    data = {
        "parties": ["ann", "bob"],
        "deals": 4,
        "worst": [0.0, 0.0],
        "reservations": [0.5, None],
        "frontier": [[2.0, 0.0], [1.0, 1.0], [0.0, 2.0]],
        "acceptable": [[2.0, 0.0], [1.0, 1.0]],
        "solutions": {"nash": [[1.0, 1.0]], "ideal": [[1.0, 1.0]], "egalitarian": [[1.0, 1.0]]},
        "deal": None,
        "deal_suits": False,
        "path": {},
        "outcomes": [
            [2.0, 0.0, True], [1.0, 1.0, True], [0.0, 2.0, False], [0.0, 0.0, False],
        ],
    }  # fmt: skip
    return {**data, **more}


def three(**more: Any) -> dict[str, Any]:
    rows = [[2.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.0, 2.0, 5.0]]
    data = {
        "parties": ["ann", "bob", "cyd"],
        "deals": 3,
        "worst": [0.0, 0.0, 1.0],
        "reservations": [None, 0.5, None],
        "frontier": rows,
        "acceptable": rows[1:],
        "solutions": {"nash": [rows[1]], "utilitarian": rows},
        "deal": None,
        "path": {},
    }
    return {**data, **more}


def drawn(data: dict[str, Any], **told: Any) -> ET.Element:
    about = {"kind": "frontier", "title": "Who pays?", "acceptable_on_frontier": True, **told}
    return ET.fromstring(space_chart(about, data))  # noqa: S314  # our own text


def texts(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def marks(root: ET.Element, tag: str, kind: str) -> list[ET.Element]:
    return [one for one in root.iter(SVG + tag) if one.get("class") == kind]


def described(root: ET.Element) -> str:
    return str(root.find(f"{SVG}desc").text)


def boxes(root: ET.Element) -> list[tuple[float, float, float, float, str]]:
    """Return where every text lies, in wide letters."""
    found = []
    for one in root.iter(f"{SVG}text"):
        kinds, text = (one.get("class") or "").split(), one.text or ""
        letter = LETTER if {"strong", "title"} & set(kinds) else 7.8
        width = letter * len(text)
        x, y = float(one.get("x")), float(one.get("y"))
        left = x - width if "end" in kinds else x - width / 2 if "mid" in kinds else x
        found.append((left, y - 11, left + width, y + 3, text))
    return found


def overlaps(root: ET.Element) -> list[tuple[str, str]]:
    return [
        (one[4], other[4])
        for one, other in combinations(boxes(root), 2)
        if one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
    ]


# --- two parties -----------------------------------------------------------------------------


def test_m4_the_plane_has_every_deal_the_stairs_the_limits_and_the_solutions() -> None:
    root = drawn(space())
    assert [len(re.findall("M", one.get("d"))) for one in marks(root, "path", "dots")] == [2]
    assert [len(re.findall("M", one.get("d"))) for one in marks(root, "path", "dots suits")] == [2]
    (stairs,) = marks(root, "path", "edge")
    assert re.fullmatch(r"M[\d.]+ [\d.]+(V[\d.]+H[\d.]+){2}", stairs.get("d"))
    assert len(marks(root, "circle", "corner")) == 3
    assert len(marks(root, "path", "limit")) == 1
    assert len(marks(root, "rect", "zone")) == 1
    (best,) = marks(root, "path", "best")
    assert best.find(f"{SVG}title").text == "Nash, nearest the ideal, egalitarian: ann 1, bob 1"
    assert {"Nash, nearest the ideal,", "egalitarian", "ann 1, bob 1"} <= set(texts(root))
    assert "ann accepts from 0.5" in texts(root)
    assert {"worth to ann →", "↑ worth to bob"} <= set(texts(root))
    assert {"Who pays?", "4 deals, 3 points on the frontier, 2 of them acceptable to all"} <= set(
        texts(root)
    )


def test_it_says_in_words_what_it_shows() -> None:
    root = drawn(space(deal=[0.0, 0.0]))
    assert described(root) == (
        "The frontier has 3 points; 2 points suit all. It goes from ann 2, bob 0 to ann 0, bob 2. "
        "ann accepts from 0.5. Nash, nearest the ideal, egalitarian: ann 1, bob 1. "
        "the deal, refused: ann 0, bob 0."
    )
    few = space()
    del few["outcomes"]
    assert described(drawn(few)).endswith("There are too many deals to draw them all.")


def test_better_deals_lie_to_the_right_and_above() -> None:
    (stairs,) = marks(drawn(space()), "path", "edge")
    numbers = [float(one) for one in re.findall(r"[\d.]+", stairs.get("d"))]
    assert numbers[0] < numbers[3] < numbers[5]
    assert numbers[1] < numbers[2] < numbers[4]


def test_a_deal_is_a_ring_and_crossed_when_it_is_refused() -> None:
    good = drawn(space(deal=[1.0, 1.0], deal_suits=True))
    assert len(marks(good, "circle", "deal")) == 1
    assert (marks(good, "path", "no"), "the deal" in texts(good)) == ([], True)
    bad = drawn(space(deal=[0.0, 0.0], deal_name="the nearest deal"))
    assert len(marks(bad, "path", "no")) == 1
    assert "the nearest deal, refused" in texts(bad)


def test_ties_have_a_sign_each_and_one_label() -> None:
    pair = drawn(space(solutions={"nash": [[2.0, 0.0], [0.0, 2.0]]}))
    assert texts(pair).count("Nash (tie)") == 2
    many = [[2.0 - n / 10, n / 10] for n in range(21)]
    root = drawn(space(frontier=many, solutions={"utilitarian": many, "nash": [many[3]]}))
    assert len(marks(root, "path", "best")) == 21
    assert [text for text in texts(root) if "Nash" in text] == ["Nash, utilitarian (1 of 21)"]


def test_both_parties_offers_are_walks_with_a_sign_per_offer() -> None:
    path = {"ann": [[2.0, 0.0], [2.0, 0.0], [1.0, 1.0]], "bob": [[0.0, 2.0], [0.0, 0.0]]}
    root = drawn(space(path=path))
    assert len(marks(root, "path", "buyer walk")) == len(marks(root, "path", "seller walk")) == 1
    assert len(marks(root, "circle", "buyer")) == 2
    assert len(marks(root, "rect", "seller")) == 2
    assert {"ann begins", "bob begins"} <= set(texts(root))
    long = [[2.0 - n / 100, n / 100] for n in range(200)]
    assert len(marks(drawn(space(path={"ann": long})), "circle", "buyer")) == 2


def test_a_negotiation_has_its_sentence_as_title() -> None:
    root = drawn(space(), kind="agreement", says="Deal in round 3: bob accepts ann-3.")
    assert {"Deal in round 3", "bob accepts ann-3."} <= set(texts(root))


def test_the_title_stays_in_place_whatever_was_asked() -> None:
    root = drawn(space(deals=10**30), title=f"Why: {'x' * 200}", acceptable_on_frontier=False)
    assert texts(root)[0].startswith("Why - xxx")
    assert texts(root)[1] == (
        "1.0e30 deals, 3 points on the frontier, 2 undominated ones acceptable to all"
    )


@pytest.mark.parametrize(
    "more",
    [
        {"frontier": [], "acceptable": [], "solutions": {}, "outcomes": [], "reservations": []},
        {"frontier": [[1.0, 1.0]], "outcomes": [[1.0, 1.0, True]], "reservations": [None, None]},
        {"reservations": [9.0, 9.0], "acceptable": []},
        {"frontier": [[1e301, 1.0], [1.0, 2.0]], "outcomes": [[1e301, 1.0, True]]},
    ],
)
def test_odd_spaces_are_drawn_too(more: Any) -> None:
    root = drawn(space(**more))
    assert "nan" not in ET.tostring(root, "unicode").lower().replace("xmlns", "")


def test_hostile_names_are_text_and_nothing_else() -> None:
    evil = "</text><script>alert(1)</script>\n&'\""
    data = space(parties=[evil, "b"], path={evil: [[2.0, 0.0]]}, deal=[1.0, 1.0])
    for root in (drawn(data, title=evil), drawn(three(parties=[evil, "b", "c"]), title=evil)):
        assert not list(root.iter(f"{SVG}script"))
        assert not [one for one in texts(root) if "\n" in one]
        assert evil[:5] in " ".join(texts(root))


# --- more parties ----------------------------------------------------------------------------


def test_m4_three_parties_have_an_axis_each_and_a_line_per_point() -> None:
    root = drawn(three(deal=[0.0, 1.0, 1.0]))
    assert len(marks(root, "path", "grid")) == 3
    assert len(marks(root, "path", "line")) == 1
    assert len(marks(root, "path", "line suits")) == 2
    assert len(marks(root, "path", "line made")) == 1
    assert {"ann", "bob", "cyd", "from 0.5", "the deal, refused"} <= set(texts(root))
    assert "utilitarian (tie)" not in texts(root)


def test_more_parties_than_fit_are_refused_with_what_to_do() -> None:
    names = [f"p{at}" for at in range(MOST_PARTIES + 1)]
    with pytest.raises(InvalidInput, match="leave out --svg"):
        space_chart({}, {"parties": names})


def test_of_a_long_frontier_of_many_parties_a_part_is_drawn() -> None:
    rows = [[float(at), 1000.0 - at, 0.0] for at in range(1000)]
    root = drawn(three(frontier=rows, acceptable=[], solutions={}, worst=[0.0, 0.0, 0.0]))
    assert len(marks(root, "path", "line")) == 300


def test_party_names_that_do_not_fit_side_by_side_stand_on_two_rows() -> None:
    names = [f"department number {at}" for at in range(8)]
    row = [1.0] * 8
    data = {"parties": names, "frontier": [row], "acceptable": [row], "worst": [0.0] * 8}
    root = drawn({**data, "solutions": {"nash": [row]}, "deals": 1})
    assert overlaps(root) == []


# --- nothing lies on anything ----------------------------------------------------------------

NAMES = ("nash", "kalai_smorodinsky", "nearest_diagonal", "egalitarian", "utilitarian", "ideal")


def stairs(steps: list[int]) -> list[list[float]]:
    """Return a frontier from the lengths of its steps."""
    rows, x, y = [], 0.0, float(sum(steps))
    for step in steps:
        rows.append([x, y])
        x, y = x + step, y - step
    return rows


@settings(deadline=None)
@example(
    steps=[1, 1], picks=[[0], [0], [0], [0], [0], [1]], deal=None, limits=(1, None), walks=True
)
@given(
    steps=st.lists(st.integers(1, 9), min_size=1, max_size=12),
    picks=st.lists(st.lists(st.integers(0, 99), min_size=1, max_size=4), min_size=6, max_size=6),
    deal=st.none() | st.tuples(st.integers(0, 40), st.integers(0, 40)),
    limits=st.tuples(st.none() | st.integers(0, 50), st.none() | st.integers(0, 50)),
    walks=st.booleans(),
)
def test_no_label_lies_on_another_or_leaves_the_page(
    steps: Any, picks: Any, deal: Any, limits: Any, walks: Any
) -> None:
    rows = stairs(steps)
    solutions = {
        name: [rows[at] for at in dict.fromkeys(place % len(rows) for place in places)]
        for name, places in zip(NAMES, picks, strict=True)
    }
    root = drawn(
        space(
            frontier=rows,
            acceptable=rows,
            outcomes=[[*row, True] for row in rows],
            solutions=solutions,
            deal=None if deal is None else list(map(float, deal)),
            reservations=[None if one is None else float(one) for one in limits],
            path={"ann": [rows[-1]], "bob": [rows[0]]} if walks else {},
        )
    )
    assert overlaps(root) == []
    assert not [box for box in boxes(root) if box[0] < 0 or box[2] > 722 or box[3] > 542]
