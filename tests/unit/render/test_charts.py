"""Charts: whole SVG documents that say in words what they show."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity import bargain
from comity.render import charts, svg
from comity.render.charts import chart, consent_chart, offers_chart

SVG = "{http://www.w3.org/2000/svg}"
PRICE = bargain(buyer=(60, 100), seller=(120, 70)).to_json()
STALL = bargain(buyer=(60, 84), seller=(120, 88), blind=True, stall=6).to_json()
SEATS = {"seats": [{"party": "CC"}, {"party": "CX"}]}


def parsed(drawn: str) -> ET.Element:
    return ET.fromstring(drawn)  # noqa: S314  # our own text


def texts(drawn: str) -> list[str]:
    return [one.text or "" for one in parsed(drawn).iter(f"{SVG}text")]


def marks(drawn: str, tag: str, name: str) -> list[ET.Element]:
    return [one for one in parsed(drawn).iter(SVG + tag) if one.get("class") == name]


def test_the_offers_are_drawn_with_the_zone_and_the_deal() -> None:
    drawn = offers_chart(PRICE)
    assert len(marks(drawn, "circle", "buyer")) == 5
    assert len(marks(drawn, "rect", "seller")) == 5
    assert len(marks(drawn, "rect", "zone")) == 1
    assert len(marks(drawn, "circle", "deal")) == 1
    for label in ("Deal at 80 in round 4", "buyer 92", "seller 80", "deal 80", "round"):
        assert label in texts(drawn)
    assert "both gain from 70 to 100" in texts(drawn)


def test_title_and_description_say_the_same_in_words() -> None:
    root = parsed(offers_chart(PRICE))
    assert root.get("role") == "img"
    assert root.get("aria-labelledby").split() == [
        root.find(f"{SVG}title").get("id"),
        root.find(f"{SVG}desc").get("id"),
    ]
    assert root.get("aria-labelledby") != parsed(offers_chart(STALL)).get("aria-labelledby")
    assert root.find(f"{SVG}title").text == PRICE["says"]
    described = root.find(f"{SVG}desc").text
    assert "buyer goes from 60 to 92 in round 4." in described
    assert "They meet at 80." in described
    assert parsed(offers_chart(STALL)).find(f"{SVG}desc").text.endswith("No deal.")


def test_higher_prices_lie_higher_and_later_rounds_further_right() -> None:
    circles = marks(offers_chart(PRICE), "circle", "buyer")
    heights = [float(one.get("cy")) for one in circles]
    places = [float(one.get("cx")) for one in circles]
    assert heights == sorted(heights, reverse=True)
    assert places == sorted(places)
    (zone,) = marks(offers_chart(PRICE), "rect", "zone")
    deal = float(marks(offers_chart(PRICE), "circle", "deal")[0].get("cy"))
    assert float(zone.get("y")) < deal < float(zone.get("y")) + float(zone.get("height"))


def test_a_no_deal_has_no_zone_and_no_deal_in_it() -> None:
    drawn = offers_chart(STALL)
    assert not marks(drawn, "rect", "zone")
    assert not marks(drawn, "circle", "deal")
    assert "No deal (stall)" in texts(drawn)


def test_labels_at_the_end_do_not_lie_on_each_other() -> None:
    rows = sorted(
        float(one.get("y"))
        for one in parsed(offers_chart(STALL)).iter(f"{SVG}text")
        if one.get("class") in {"buyer", "seller"}
    )
    assert rows[1] - rows[0] >= 16


def test_without_offers_it_says_so() -> None:
    empty = bargain(buyer=(60, 84), seller=(120, 88)).to_json()
    assert "They meet" not in offers_chart(empty)
    assert "no offers" in texts(offers_chart({"kind": "no_deal", "offers": []}))


def test_a_long_negotiation_is_thinned_and_keeps_its_ends() -> None:
    data = bargain(buyer=(60, 100), seller=(120, 70), rounds=5000, convention="midpoint").to_json()
    drawn = offers_chart(data)
    assert len(drawn) < 60_000
    assert len(marks(drawn, "circle", "buyer")) == 2
    assert data["offers"][0]["prices"][-1] is not None


def test_prices_too_large_to_draw_are_left_out() -> None:
    data = bargain(buyer=(0, 10**400), seller=(10**400, 0), convention="midpoint").to_json()
    assert marks(offers_chart(data), "circle", "buyer") or "no offers" in texts(offers_chart(data))
    parsed(offers_chart(data))


@pytest.mark.parametrize(
    ("value", "shown"),
    [(80.0, "80"), (0.125, "0.125"), (12_500.0, "12.5k"), (3e6, "3M"), (-2e9, "-2G")],
)
def test_numbers_on_the_axis_are_short(value: Any, shown: Any) -> None:
    assert svg.axis_number(value) == shown


@given(
    opening=st.integers(-1000, 10**9),
    span=st.integers(0, 10**9),
    rounds=st.integers(0, 60),
)
def test_every_price_result_gives_a_whole_document_inside_the_page(
    opening: Any, span: Any, rounds: Any
) -> None:
    data = bargain(
        buyer=(opening, opening + span),
        seller=(opening + span, opening),
        rounds=rounds,
        convention="midpoint",
    ).to_json()
    root = parsed(offers_chart(data))
    for one in root.iter(f"{SVG}circle"):
        assert 0 <= float(one.get("cx")) <= svg.WIDTH
        assert 0 <= float(one.get("cy")) <= charts.HEIGHT


def test_words_of_the_parties_are_escaped() -> None:
    data = {**PRICE, "says": "<script>alert(1)</script>\n&"}
    data["offers"] = [{**PRICE["offers"][0], "party": "<b>"}, PRICE["offers"][1]]
    drawn = offers_chart(data)
    assert "<script" not in drawn
    assert "<b>" not in drawn
    parsed(drawn)


def message(turn: int, party: str, kind: str, **more: Any) -> dict:
    return {"turn": turn, "party": party, "kind": kind, **more}


SAID = [
    message(1, "CC", "position", version=0),
    message(2, "CX", "discuss", version=0),
    message(3, "CC", "propose", version=1),
    message(4, "CX", "check", version=1),
    message(5, "CC", "answer", version=1, answer="OBJECT"),
    message(6, "CX", "counter", version=2),
    message(7, "CC", "answer", version=2, answer="CONSENT"),
    message(8, "ZZ", "discuss", version=2),
]


def test_a_negotiation_shows_who_did_what_when_and_who_objected() -> None:
    drawn = consent_chart({"says": "All agreed.", "record": SEATS}, SAID)
    key = 1  # each sign stands once in the key
    assert len(marks(drawn, "circle", "said")) == 2 + key
    assert len(marks(drawn, "rect", "put")) == 2 + key
    assert len(marks(drawn, "circle", "ask")) == 1 + key
    assert len(marks(drawn, "circle", "yes")) == 1 + key
    assert len(marks(drawn, "path", "no")) == 1 + key
    assert {"CC", "CX", "v1", "v2", "objects"} <= set(texts(drawn))
    described = parsed(drawn).find(f"{SVG}desc").text
    assert described.startswith("Messages of CC, CX: 1 position, 2 words, 1 proposal, 1 counter")
    hints = [one.text for one in parsed(drawn).iter(f"{SVG}title")]
    assert "turn 5: CC, answer" in hints


def test_each_seat_has_its_own_row() -> None:
    drawn = consent_chart({"says": "x", "record": SEATS}, SAID)
    rows = {float(one.get("y")) for one in marks(drawn, "rect", "put")[:2]}
    assert len(rows) == 2


def test_labels_of_versions_are_thinned_where_they_would_touch() -> None:
    many = [message(n, "CC", "propose", version=n) for n in range(1, 121)]
    shown = [
        text
        for text in texts(consent_chart({"says": "x", "record": SEATS}, many))
        if text[0] == "v"
    ]
    assert 1 < len(shown) < 40


def test_a_negotiation_in_which_nothing_was_said_is_drawn_empty() -> None:
    drawn = consent_chart({"kind": "no_deal"}, [])
    assert "none" in parsed(drawn).find(f"{SVG}desc").text


def test_the_chart_that_fits_is_chosen() -> None:
    assert chart(PRICE) == offers_chart(PRICE)
    data = {"form": "consent", "says": "x", "record": SEATS}
    assert chart(data, SAID) == consent_chart(data, SAID)
    assert chart({"form": "", "kind": "choice"}) == ""


def test_a_long_title_moves_whole_into_the_first_line() -> None:
    drawn = consent_chart({"says": "x" * 200 + ": y", "record": SEATS}, [])
    assert max(map(len, texts(drawn))) == 80


def test_nothing_is_fetched_from_elsewhere() -> None:
    for drawn in (offers_chart(PRICE), consent_chart({"says": "x", "record": SEATS}, SAID)):
        assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
        assert "url(" not in drawn
        assert "prefers-color-scheme:dark" in drawn
