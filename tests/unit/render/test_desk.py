"""Desk: how a desk looks to a person (R1, R2, R3, R5)."""

from __future__ import annotations

from typing import Any

import pytest

from comity.render.desk import desk_text

AGENT: dict[str, Any] = {
    "agent": "C",
    "scope": "gpu",
    "priority": None,
    "losses": 0,
    "bound": None,
    "is_alone": False,
    "wins": 0,
    "unused": 0,
    "turned_away": 0,
    "since_ms": None,
}
VIEW: dict[str, Any] = {
    "desk": "claims",
    "rules": {"policy": {"rule": "losses"}},
    "holds": [],
    "waits": [],
    "agents": [],
    "conflicts": 0,
    "now_ms": 100_000_000,
    "warnings": [],
}


def last(**agent: Any) -> list[str]:
    text = desk_text({**VIEW, "agents": [{**AGENT, **agent}]})
    return text.splitlines()[-2:]


def test_an_empty_desk_has_nobody() -> None:
    assert desk_text(VIEW).splitlines()[2:] == [
        "held: nobody", "", "waiting: nobody", "", "agents: nobody"
    ]  # fmt: skip


def test_parameters_and_warnings_come_first() -> None:
    policy = {"rule": "stride", "c": "1/2", "weights": [["a", 2], ["b", "1/3"]]}
    text = desk_text({**VIEW, "rules": {"policy": policy}, "warnings": ["a can starve"]})
    assert text.splitlines()[:2] == [
        "desk claims: rule stride (c 1/2, weights a=2 b=1/3), 0 conflicts",
        "warning: a can starve",
    ]


def test_r3_a_bound_is_told_where_there_is_somebody_to_lose_against() -> None:
    assert last(bound=4)[-1].split()[2:6] == ["-", "0", "0", "4"]
    assert last()[-1].split()[5] == "none"
    assert last(bound=0, is_alone=True)[-1].split()[5] == "-"
    assert last(priority="1/2")[-1].split()[2] == "1/2"


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        (
            {"turned_away": 1, "since_ms": 99_998_000},
            "C was turned away once from gpu and has never won; it first asked 2 s ago.",
        ),
        (
            {"turned_away": 40, "since_ms": 0, "wins": 3},
            "C was turned away 40 times from gpu since its last win; it first asked 1 d ago.",
        ),
        ({"unused": 1}, "C won gpu once without picking it up; those are no wins."),
        ({"unused": 2}, "C won gpu 2 times without picking it up; those are no wins."),
    ],
)
def test_r5_what_must_not_be_overlooked_is_a_sentence(agent: dict[str, Any], told: str) -> None:
    assert last(**agent) == ["", told]


@pytest.mark.parametrize(
    ("ms", "told"),
    [(0, "0 ms"), (999, "999 ms"), (59_999, "59 s"), (3_600_000, "1 h"), (90_000_000, "1 d")],
)
def test_times_are_told_in_the_largest_unit(ms: int, told: str) -> None:
    assert last(since_ms=100_000_000 - ms)[-1].endswith(f"  {told}")
