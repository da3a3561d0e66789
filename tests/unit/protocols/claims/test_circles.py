"""Circles: a wait that would close a circle is found, with its members in order (L1)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comity.protocols.claims.circles import circle_of

Open = Callable[..., Any]


@pytest.fixture
def chain(open_desk: Open) -> Any:
    """Return a desk where a waits for b, b for c, c for d, who holds d's thing."""
    desk = open_desk()
    for name in "abcd":
        desk.claim(f"thing of {name}", name)
    for waiter, holder in ("ab", "bc", "cd"):
        desk.claim(f"thing of {holder}", waiter)
    return desk


@pytest.mark.parametrize(
    ("wanted", "members"),
    [("c", ("d", "c")), ("b", ("d", "b", "c")), ("a", ("d", "a", "b", "c")), ("z", ())],
)
def test_l1_the_circle_begins_with_who_would_wait(
    chain: Any, wanted: str, members: tuple[str, ...]
) -> None:
    assert circle_of(chain.books, "d", f"thing of {wanted}") == members


def test_l1_waiting_for_more_of_the_same_closes_nothing(chain: Any) -> None:
    assert circle_of(chain.books, "a", "thing of d") == ()
    assert circle_of(chain.books, "z", "thing of a") == ()


def test_l1_a_wait_that_stands_counts_as_one_that_would(chain: Any) -> None:
    assert circle_of(chain.books, "a", "thing of b") == ()


def test_l1_the_shortest_circle_is_told(open_desk: Open) -> None:
    desk = open_desk()
    for name in "abcd":
        desk.claim(name, name)
    for waiter, wanted in ("ab", "bc", "ac", "cd"):
        desk.claim(wanted, waiter)
    assert circle_of(desk.books, "d", "a") == ("d", "a", "c")


def test_l1_several_units_close_no_circle(open_desk: Open) -> None:
    desk = open_desk(capacity=2)
    for name in "ab":
        desk.claim("x", f"{name}1")
        desk.claim("x", f"{name}2")
    assert circle_of(desk.books, "a1", "x") == ()


def test_l1_a_resource_that_had_more_units_waits_for_all_who_still_hold_it(
    open_desk: Open,
) -> None:
    desk = open_desk(capacity=2)
    for agent in ("v", "w"):
        desk.claim("x", agent)
    desk.claim("y", "a")
    desk.change(capacity=1)
    desk.claim("y", "w")
    assert circle_of(desk.books, "a", "x") == ("a", "w")


def test_l1_the_end_of_a_long_chain_is_found(open_desk: Open) -> None:
    desk = open_desk()
    for at in range(200):
        desk.claim(f"r{at}", f"a{at}")
        if at:
            desk.claim(f"r{at}", f"a{at - 1}")
    answer = desk.claim("r0", "a199")
    assert answer.status == "refused"
    assert len(answer.cycle) == 200
    assert answer.cycle[:3] == ("a199", "a0", "a1")
