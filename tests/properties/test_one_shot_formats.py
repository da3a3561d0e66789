"""Laws of files that are decided at once: nothing breaks a reader, order and form change nothing.

Here: arbitrary and mutated texts for every reader of bids, gains and waits; the same bids, gains
and waits as a table and as a scenario; recorded rules that decide the same again.
Not here: single faults (tests/unit/formats), the rules (tests/properties/test_auction_laws.py,
test_sharing_laws.py, test_deadlock_laws.py).
Sources: SEMANTICS G3-G7, K2.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comity.core.canonical import canonical
from comity.core.errors import InvalidInput
from comity.core.results import result_from_json
from comity.formats.one_shot import TABLES, decide_at_once, one_shot_text
from comity.formats.scenario import data_in, scenario_from
from comity.render.ink import Ink
from comity.render.text import result_text
from comity.session.registry import machine_of

NAMES = st.sampled_from(["a", "b", "c", "d", "agent 5"])
AMOUNTS = st.one_of(
    st.integers(0, 9).map(str),
    st.sampled_from(["0.10", "2.50", "1/3", "1000000000000.01"]),
)
WORDS = st.one_of(AMOUNTS, NAMES, st.sampled_from(["", "-1", "nan", "1e9", "x", "A+B", "yes"]))
HEADS = {
    "auction": ["bidder", "bid", "units", "items", "side", "unit"],
    "share": ["agent", "amount", "gain"],
    "deadlock": ["waiter", "waits_for", "soft"],
}
SEEDS = [
    'kind = "auction"\nreserve = 0\n[bids]\na = 4\nb = [3, 2.50]\n',
    'rule = "vcg"\nbids = [{bidder = "a", items = ["A"], bid = 3}]\n',
    'budget = 10.00\n[agents]\na = [[4, 2]]\nb = {power = 0.5}\n[rates]\nms = "0.02 GBP"\n',
    'waits = [["a", "b"], ["b", "a"]]\nvictim = "lot"\n[agents.a]\nheld = 1\n',
    '{"waits": {"a": "b"}, "soft": {"b": ["a"]}}',
    '{"budget": 3, "agents": {"a": {"points": [[1, 2]]}}, "minimum": 9}',
    "bidder,bid\na,4\nb,3\n",
    "waiter,waits_for\na,b\nb,a\n",
]


def written(rows: Sequence[Sequence[str]]) -> str:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


def told(error: InvalidInput) -> None:
    """Check that every fault of a refusal has its four parts."""
    assert error.faults
    for fault in error.faults:
        assert all((fault.whose, fault.what, fault.allowed, fault.next)), fault


def tried(text: str, kind: str) -> None:
    """Read a text and decide it; whatever is wrong with it is refused in four parts."""
    try:
        data = one_shot_text(text, kind)
        scenario = scenario_from(data, whose="text", folder=Path(), seed="7")
        canonical(scenario.rules)
        result = decide_at_once(scenario)
    except InvalidInput as error:
        told(error)
        return
    assert result_from_json(json.loads(canonical(result.to_json()))) == result
    assert result_text(result.to_json(), Ink())


def outcome(data: Any, seed: str = "7") -> Any:
    scenario = scenario_from(data, whose="data", folder=Path(), seed=seed)
    machine = machine_of(scenario.kind)
    recorded = json.loads(canonical(scenario.rules))
    result = machine.start(machine.read_rules(recorded)).outcome
    assert result == decide_at_once(scenario), "K2: the record decides the same"
    return result


@given(st.sampled_from(sorted(TABLES)), st.text(max_size=120))
def test_no_text_breaks_a_reader(kind: str, text: str) -> None:
    tried(text, kind)


@given(
    st.sampled_from(sorted(TABLES)),
    st.sampled_from(SEEDS),
    st.integers(0, 200),
    st.integers(0, 6),
    st.text(max_size=6),
)
def test_no_change_of_a_good_file_breaks_a_reader(
    kind: str, seed: str, at: int, cut: int, put: str
) -> None:
    tried(seed[:at] + put + seed[at + cut :], kind)


@given(st.sampled_from(sorted(TABLES)), st.data())
def test_no_table_with_the_right_columns_breaks_a_reader(kind: str, data: Any) -> None:
    width = data.draw(st.integers(2, len(HEADS[kind])))
    head = data.draw(st.permutations(HEADS[kind]))[:width]
    cells = st.lists(WORDS, min_size=width - 1, max_size=width)
    tried(written([head, *data.draw(st.lists(cells, max_size=5))]), kind)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = sorted({"bids", "buyers", "sellers", "reserve", "units", "rates", "budget", "agents",
               "minimum", "arrivals", "waits", "soft", "victim", "seed", "search", "items",
               "reserves", "rule", "quantum", "unit", "exempt_after"})  # fmt: skip


@given(st.sampled_from(sorted(TABLES)), st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4))
def test_no_data_breaks_a_reader(kind: str, data: dict[str, Any]) -> None:
    try:
        decide_at_once(scenario_from({"kind": kind, **data}, whose="x", folder=Path(), seed="7"))
    except InvalidInput as error:
        told(error)


@given(st.dictionaries(NAMES, AMOUNTS, min_size=1), st.data())
def test_g3_bids_come_to_the_same_as_a_table_and_as_a_scenario_in_any_order(
    bids: dict[str, str], data: Any
) -> None:
    rows = data.draw(st.permutations(list(bids.items())))
    table = one_shot_text(written([["bidder", "bid"], *rows]), "auction")
    one = outcome({**table, "reserve": "0.50"})
    other = outcome({"kind": "auction", "bids": bids, "reserve": "0.50"})
    assert one == other
    toml = "\n".join(f'"{name}" = {json.dumps(bid)}' for name, bid in bids.items())
    read: Any = data_in(f'kind = "auction"\nreserve = 0.50\n[bids]\n{toml}', whose="x",
                        is_json=False)  # fmt: skip
    assert outcome(read) == one


@given(
    st.lists(
        st.tuples(NAMES, NAMES, st.booleans()),
        min_size=1,
        max_size=9,
        unique_by=lambda one: one[:2],
    ),
    st.data(),
)
def test_g3_waits_come_to_the_same_as_a_table_and_as_pairs_in_any_order(
    waits: list[tuple[str, str, bool]], data: Any
) -> None:
    rows = data.draw(st.permutations(waits))
    table = [[one, other, "yes" if is_soft else ""] for one, other, is_soft in rows]
    found = one_shot_text(written([["waiter", "waits_for", "soft"], *table]), "deadlock")
    pairs: Any = {
        "kind": "deadlock",
        "waits": [[one, other] for one, other, is_soft in waits if not is_soft],
        "soft": [[one, other] for one, other, is_soft in waits if is_soft],
    }
    assert outcome(found) == outcome(pairs)


@given(
    st.dictionaries(
        NAMES,
        st.dictionaries(st.integers(1, 99), st.integers(0, 9), min_size=1, max_size=3),
        min_size=1,
    ),
    st.integers(0, 300),
    st.sampled_from(["nash", "utilitarian", "leximin"]),
    st.data(),
)
def test_d1_gains_come_to_the_same_as_a_table_in_any_order(
    slopes: dict[str, dict[int, int]], budget: int, objective: str, data: Any
) -> None:
    points: dict[str, list[list[int]]] = {}
    for name, own in slopes.items():
        money = gain = 0
        points[name] = []
        for width, slope in sorted(own.items(), key=lambda one: (-one[1], one[0])):
            money, gain = money + width, gain + width * slope
            points[name].append([money, gain])
    rows = [[name, str(x), str(y)] for name, own in points.items() for x, y in own]
    shuffled = data.draw(st.permutations(rows))
    table = one_shot_text(written([["agent", "amount", "gain"], *shuffled]), "share")
    more = {"budget": budget, "objective": objective}
    agents = {name: {"points": own} for name, own in points.items()}
    one = outcome({**table, **more})
    assert one == outcome({"kind": "share", "agents": agents, **more})
    assert sum(one.allocation.values()) + one.leftover == budget


@pytest.mark.parametrize("kind", sorted(TABLES))
def test_the_seeds_of_these_laws_are_good_files(kind: str) -> None:
    fine = 0
    for text in SEEDS:
        try:
            one_shot_text(text, kind)
        except InvalidInput:
            continue
        fine += 1
    assert fine >= 3
