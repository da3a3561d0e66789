"""Share chart: gain curves with the split and the shadow price, other rules as bars (D1)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity import share
from comity.render.charts import chart
from comity.render.share_chart import MOST_CURVES, share_chart

SVG = "{http://www.w3.org/2000/svg}"
CURVES = {
    "a": [[4000, 2], [4000, 1.1], [4000, 0.4]],
    "b": [[3000, 3], [3000, 1.5], [6000, 0.5]],
    "c": [[2000, 2.5], [3000, 1.2], [7000, 0.3]],
}


def drawn(budget: Any, claims: Any, **options: Any) -> ET.Element:
    return ET.fromstring(share_chart(share(budget, claims, **options).to_json()))  # noqa: S314  # our own text


def texts(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def marks(root: ET.Element, tag: str, name: str) -> list[ET.Element]:
    return [one for one in root.iter(SVG + tag) if name in (one.get("class") or "").split()]


def slope_of(path: ET.Element) -> float:
    (x1, y1), (x2, y2) = (
        map(float, point.split()) for point in (path.get("d") or "")[1:].split("L")
    )
    return -(y2 - y1) / (x2 - x1)


def test_d1_each_agent_has_a_curve_and_a_mark_at_its_share() -> None:
    root = drawn(12000, CURVES, objective="utilitarian")
    for at in range(3):
        assert len(marks(root, "path", f"c{at}")) == 1
        assert len(marks(root, "circle", f"c{at}")) == 1
    assert "b 6000 gains 13500" in texts(root)
    assert "shadow price 1.5" in texts(root)
    xs = [float(marks(root, "circle", f"c{at}")[0].get("cx") or 0) for at in range(3)]
    assert xs == sorted(xs, reverse=True), "the largest share comes first"


def test_d1_the_shadow_price_touches_every_curve_with_one_slope() -> None:
    root = drawn(12000, CURVES, objective="utilitarian")
    slopes = [slope_of(one) for one in marks(root, "path", "price")]
    assert len(slopes) == 3
    assert max(slopes) - min(slopes) < 0.02


def test_d1_under_nash_the_slope_goes_with_what_an_agent_gains() -> None:
    root = drawn(12000, CURVES)
    slopes = [slope_of(one) for one in marks(root, "path", "price")]
    assert len({round(one, 1) for one in slopes}) > 1
    leximin = drawn(12000, CURVES, objective="leximin")
    assert marks(leximin, "path", "price") == []


def test_d2_other_rules_are_bars_of_the_same_length() -> None:
    options: Any = {"asks": {"a": 11400}, "arrivals": ["a", ["b", "c"]],
                    "priorities": {"a": 3, "b": 2, "c": 1}}  # fmt: skip
    root = drawn(12000, CURVES, objective="utilitarian", **options)
    assert len(marks(root, "rect", "left")) == 4
    for told in ("first come", "gains 15410", "equal split", "gains 25900", "static priority"):
        assert told in texts(root)
    parts = marks(root, "rect", "part")
    assert len(parts) == 3 + 3 + 3 + 2, "who gets nothing has no part"


def test_g6_without_a_common_unit_each_is_drawn_against_its_own_best() -> None:
    root = drawn(12000, CURVES, units={"a": "ms", "b": "GBP", "c": "GBP"})
    assert "gain, of its own best" in texts(root)
    assert "100 %" in texts(root)


def test_d1_rates_and_ratios_scale_the_curves() -> None:
    claims = {"a": [[10, 100]], "b": [[10, 1]]}
    plain = drawn(10, claims, objective="utilitarian")
    told: Any = {
        "units": {"a": "ms", "b": "GBP"},
        "rates": {"unit": "GBP", "worth": {"ms": "0.02"}},
        "ratios": {"a": "0.5"},
    }
    scaled = drawn(10, claims, objective="utilitarian", **told)
    assert "a 10 gains 1000" in texts(plain)
    shown = " ".join(texts(scaled))
    assert "gains 10" in shown
    assert "1000" not in shown


def test_d1_smooth_curves_are_drawn_too() -> None:
    claims = {
        "p": {"power": "0.5", "scale": 100},
        "l": {"log": 300, "scale": 500},
        "s": {"saturating": 2000, "scale": 900},
    }
    root = drawn(12000, claims)
    assert len(marks(root, "circle", "c2")) == 1
    assert len((marks(root, "path", "c0")[0].get("d") or "").split("L")) > 50


def test_of_many_agents_the_largest_shares_are_drawn() -> None:
    claims = {f"n{at:02}": [[100, 20 - at]] for at in range(MOST_CURVES + 3)}
    root = drawn(900, claims)
    assert "and 3 agents with smaller shares" in texts(root)
    assert marks(root, "circle", f"c{MOST_CURVES}") == []


def test_title_and_description_say_the_same_in_words() -> None:
    root = drawn(12000, CURVES, objective="utilitarian")
    title, described = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert described is not None
    assert title.text == "Shared 12000 by utilitarian: a 4000, b 6000, c 2000."
    assert "b gets 6000 gains 13500" in str(described.text)
    assert "The shadow price is 1.5." in str(described.text)
    assert "equal split gains 25900" in str(described.text)


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "no_decision", "says": "No allocation."},
        {"kind": "allocation", "budget": 0, "rows": [{"agent": "a"}]},
        {"kind": "allocation", "budget": 5, "rows": [{"agent": "a", "share": 5, "gain": 5}]},
        share(12000, CURVES, minimum=5000).to_json(),
        share(0, {"a": [[1, 1]]}).to_json(),
        share(5, {"a": [[1, 0]]}).to_json(),
        {**share(5, {"a": [[9, 1]]}).to_json(), "beside": []},
    ],
)
def test_there_is_always_a_drawing(data: Any) -> None:
    assert share_chart(data).startswith("<svg")
    ET.fromstring(share_chart(data))  # noqa: S314  # our own text


def test_a_claim_that_cannot_be_drawn_is_left_out() -> None:
    data: Any = dict(share(12000, CURVES).to_json())
    grounds = dict(data["grounds"])
    for what in ("x", {"segments": ["x"]}, {"segments": [[10**400, 1]]}, {"odd": 1},
                 {"power": 0, "scale": 1}):  # fmt: skip
        said = [{"party": "a", "what": what}, *grounds["submissions"][1:]]
        made = share_chart({**data, "grounds": {**grounds, "submissions": said}})
        assert "b 3583" in made
        assert ">a 4000 gains" not in made


def test_the_chart_of_a_budget_is_this_one() -> None:
    data = share(12000, CURVES).to_json()
    assert chart(data) == share_chart(data)


CLAIMS = st.one_of(
    st.lists(st.tuples(st.integers(1, 10**30), st.integers(0, 9)), min_size=1, max_size=4).map(
        lambda parts: sorted(([w, s] for w, s in parts), key=lambda one: -one[1])
    ),
    st.sampled_from([{"power": "0.3"}, {"log": 9, "scale": 3}, {"saturating": "0.5"}]),
)


@given(
    st.integers(0, 10**30),
    st.dictionaries(st.sampled_from(["a", "b", "agent with a long name"]), CLAIMS, min_size=1),
    st.sampled_from(["nash", "utilitarian", "leximin"]),
)
def test_every_allocation_can_be_drawn(budget: int, claims: Any, objective: Any) -> None:
    root = drawn(budget, claims, objective=objective)
    assert root.tag == f"{SVG}svg"
