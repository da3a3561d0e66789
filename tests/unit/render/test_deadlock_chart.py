"""Deadlock chart: the circle marked, long names whole, too many agents left out (L1, L2)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

from comity import find_cycle
from comity.render.charts import chart
from comity.render.deadlock_chart import MOST_IN_CIRCLE, MOST_NAMES, deadlock_chart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(waits: Any, **options: Any) -> ET.Element:
    found = find_cycle(waits, seed="1", **options).to_json()
    assert deadlock_chart(found) == deadlock_chart(found)
    return ET.fromstring(deadlock_chart(found))  # noqa: S314  # our own text


def texts(root: ET.Element) -> list[str]:
    return [one.text or "" for one in root.iter(f"{SVG}text")]


def marks(root: ET.Element, tag: str, name: str) -> list[ET.Element]:
    return [one for one in root.iter(SVG + tag) if name in (one.get("class") or "").split()]


def test_l1_the_circle_is_marked_and_the_others_are_not() -> None:
    root = drawn({"a": "b", "b": "c", "c": "a", "d": "a", "x": "y"})
    waits = marks(root, "path", "wait")
    assert len(waits) == 5
    assert len([one for one in waits if "round" in str(one.get("class"))]) == 3
    assert len(marks(root, "circle", "way")) == 1
    assert len(marks(root, "circle", "round")) == 2
    assert texts(root)[-3:] == ["d", "x", "y"]
    said = root.findtext(f"{SVG}desc") or ""
    assert "a waits for b (in a circle)" in said
    assert "x waits for y;" in said
    assert "gives way" in said


def test_l2_a_place_in_a_queue_is_dashed_and_nobody_gives_way() -> None:
    root = drawn({"h": "a", "b": "h"}, soft={"a": "b"})
    assert len(marks(root, "path", "soft")) == 1
    assert "gives way" not in texts(root)
    assert "a waits for b in a queue (in a circle)" in (root.findtext(f"{SVG}desc") or "")


def test_without_a_circle_the_waits_are_drawn_plainly() -> None:
    root = drawn({"a": "b"})
    assert marks(root, "path", "round") == []
    assert texts(root)[-2:] == ["a", "b"]
    alone = drawn({"a": "a"})
    assert len(marks(alone, "path", "wait")) == 1
    assert "too many agents to draw, or none" in texts(drawn({}))


def test_long_and_odd_names_are_whole_and_escaped() -> None:
    name = 'the <indexer> & "co" of the very long named department of everything'
    root = drawn({name: "b", "b": name})
    told = texts(root)
    assert " ".join(one for one in told if one in name) == name
    assert name in (root.findtext(f"{SVG}desc") or "")


def test_of_many_agents_only_the_circle_is_drawn() -> None:
    more: dict[str, Any] = {f"n{at:03}": "a" for at in range(MOST_NAMES)}
    root = drawn({**more, "a": "b", "b": "a"})
    assert len(marks(root, "path", "wait")) == 2
    assert f"and {MOST_NAMES} more agents" in texts(root)
    assert "too many agents to draw, or none" in texts(
        drawn({f"n{at:03}": f"n{at + 1:03}" for at in range(1 + MOST_NAMES)})
    )
    size = MOST_IN_CIRCLE + 1
    ring = drawn({f"n{at:03}": f"n{(at + 1) % size:03}" for at in range(size)})
    assert len(marks(ring, "path", "wait")) == MOST_IN_CIRCLE - 1
    assert "and 1 more agent" in texts(ring)


def test_l1_any_result_is_drawn_by_its_form() -> None:
    found = find_cycle({"a": "b", "b": "a"}, seed="1").to_json()
    assert chart(found) == deadlock_chart(found)
