"""Deadlock rules: every fault at once, one digest for one graph, JSON both ways (G5, G7, K2)."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from comity.core.errors import InvalidInput
from comity.mechanisms.deadlock.detect import detect
from comity.mechanisms.deadlock.rules import (
    _STRETCH,
    DeadlockRules,
    Standing,
    deadlock_rules_from_json,
    deadlock_rules_to_json,
    graph_digest,
    node_fault,
    read_rules,
    read_waits,
)


def told(**given: Any) -> list[str]:
    with pytest.raises(InvalidInput) as caught:
        read_rules(DeadlockRules(**{"waits": {"a": "b"}} | given))
    return [f"{fault.whose}: {fault.what}" for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"waits": 5}, "waits: are 5"),
        ({"waits": {"a": 5}}, "waits of 'a': are 5"),
        ({"waits": {"a": ["b", 5]}}, "waits: name 5"),
        ({"waits": {"a": ["b", ""]}}, "waits: name ''"),
        ({"waits": {"a": [""]}}, "waits: name ''"),
        ({"waits": {"": ["b"]}}, "waits: name ''"),
        ({"waits": {"": []}}, "waits: name ''"),
        ({"waits": {5: ["b"]}}, "waits: name 5"),
        ({"waits": {"a": ["b\x1ec"]}}, "waits: name 'b\\x1ec'"),
        ({"waits": {"a": ["b\x1fc"]}}, "waits: name 'b\\x1fc'"),
        ({"soft": {"a": [None]}}, "soft: name None"),
        ({"victim": "oldest"}, "victim: rule 'oldest' is unknown"),
        ({"exempt_after": 0}, "exempt_after: is 0"),
        ({"exempt_after": True}, "exempt_after: is True"),
        ({"seed": 7}, "seed: is 7"),
        ({"agents": 5}, "agents: are 5"),
        ({"agents": {"a": 5}}, "a: is 5"),
        ({"agents": {"": {}}}, "agents: name ''"),
        ({"agents": {"a": {"strated": 1}}}, "a: has 'strated'"),
        ({"agents": {"a": {"held": -1}}}, "a: held is -1"),
        ({"agents": {"a": {"started": float("nan")}}}, "a: started is nan"),
    ],
)
def test_a_wrong_rule_is_refused_and_named(given: dict[str, Any], what: str) -> None:
    assert told(**given) == [what]


def test_g7_all_faults_are_told_at_once() -> None:
    found = told(waits={"a": ["", 7]}, soft=[], victim="x", exempt_after=-1, agents={"a": None})
    assert len(found) == 6


def test_waits_are_read_in_every_form_and_handed_on_as_they_are() -> None:
    given: dict[str, Any] = {"a": {"b"}, "c": ["d"], "e": ("f",), "g": frozenset("h")}
    assert read_waits(given, []) is given
    assert read_waits({"a": "b", "c": {"d": 1}}, []) == {"a": ("b",), "c": ("d",)}


def test_g3_a_digest_does_not_depend_on_order_and_tells_graphs_apart() -> None:
    def of(hard: Any, soft: Any = None, more: str = "") -> str:
        return graph_digest(hard, soft or {}, more)

    assert of({"a": ["b", "c"], "d": ["a"]}) == of({"d": {"a"}, "a": {"c", "b"}})
    different = [
        of({}), of({"a": []}), of({"a": ["b"]}), of({"a": ["b", "c"]}), of({"a": ["bc"]}),
        of({"ab": ["c"]}), of({"a": ["b"], "c": []}), of({}, {"a": ["b"]}),
        of({"a": ["b"]}, None, "x"),
        of({"a": ["b"], "b": ["a"]}), of({"a": ["b"]}, {"b": ["a"]}),
    ]  # fmt: skip
    assert len(set(different)) == len(different)


def test_k2_a_recorded_digest_stays_what_it_was() -> None:
    """K2: sessions have recorded it, so the text that is digested never changes."""
    hard, soft = {"b": ["a", "c"], "a": [], "ü \ud800": ("c",)}, {"c": {"a"}}
    assert graph_digest({}, {}, "") == (
        "a9960022d10fba7af2c77d2065c13b5cc414a9a8baee03f4fddc2e6fc48b1c95"
    )
    assert graph_digest(hard, soft, ("x", 1)) == (
        "04f9ab74f55fa05d3c1e7901533e0d218019c75a675f88d79328b3d7f2410220"
    )


@pytest.mark.parametrize("many", [_STRETCH - 1, _STRETCH, _STRETCH + 1, 2 * _STRETCH])
def test_l1_a_long_graph_is_digested_and_checked_in_stretches(many: int) -> None:
    graph = {f"n{at}": {f"n{at + 1}", f"m{at}"} for at in range(many)}
    text = "".join(sorted("\x1f".join([one, *sorted(graph[one])]) + "\x1e" for one in graph))
    assert graph_digest(graph, {}, "x") == sha256(f"x\x1e{text}\x1e\x1e".encode()).hexdigest()
    for wrong in ({"n": {"a\x1eb", "c"}}, {"zz": ["a\x1fb"]}, {"zz": {""}}, {"": {"a"}}, {"": []}):
        with pytest.raises(InvalidInput) as caught:
            graph_digest({**graph, **wrong}, {}, "x")  # type: ignore[dict-item]
        assert len(caught.value.faults) == 1


def test_names_are_any_text_without_the_two_marks() -> None:
    assert all(node_fault(name) is None for name in ("a", "job/7", "ü x", "\ud800"))
    assert all(node_fault(name) is not None for name in ("", 5, None, "\x1e", "\x1f"))
    assert graph_digest({"\ud800": ["a"]}, {}, "")
    assert Standing().aborts is None


def test_k2_rules_lead_to_the_same_result_through_json() -> None:
    rules = DeadlockRules(
        waits={"a": {"c", "b"}, "b": ["a"]},
        soft={"c": "a"},
        agents={"a": {"started": 1, "held": "1/2"}, "b": {"started": 2}},
        victim="lot",
        seed="x",
    )
    written = json.loads(json.dumps(deadlock_rules_to_json(rules)))
    assert written["waits"] == {"a": ["b", "c"], "b": ["a"]}
    assert detect(deadlock_rules_from_json(written)) == detect(rules)
    assert deadlock_rules_from_json({"edges": [["a", "b"]]}).waits == {"a": ["b"]}


@pytest.mark.parametrize(
    ("data", "faults"),
    [
        (5, 1),
        ({}, 1),
        ({"waits": {}, "victm": "lot"}, 1),
        ({"waits": {}, "edges": []}, 1),
        ({"edges": [["a"], 5, ["a", 5]]}, 3),
        ({"edges": 5}, 1),
    ],
)
def test_json_that_is_no_rules_is_refused(data: Any, faults: int) -> None:
    with pytest.raises(InvalidInput) as caught:
        deadlock_rules_from_json(data)
    assert len(caught.value.faults) == faults
