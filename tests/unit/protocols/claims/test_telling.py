"""Telling: every answer says what became of it and what would help (G1, G2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comity.protocols.claims.telling import over_of, refusal_of

Open = Callable[..., Any]


def test_g1_who_waits_is_told_for_whom_with_whom_and_what_counts(open_desk: Open) -> None:
    desk = open_desk(c=2)
    desk.decide([("b", 5), ("z", 9)])
    assert desk.claim("gpu", "a").says == "a holds gpu under token 1."
    desk.claim("gpu", "c")
    answer = desk.claim("gpu", "b")
    assert answer.says == "b waits for gpu: held by a; 1 counted for it so far."
    assert (answer.holders, answer.rivals, answer.losses) == (("a",), ("c",), 1)
    assert (answer.until_ms, answer.token, answer.conflict) == (61_000, None, None)


def test_g1_who_waits_while_claims_gather_is_told_so(open_desk: Open) -> None:
    desk = open_desk(gather_ms=10)
    says = "a waits for gpu: claims gather; 0 counted for it so far."
    assert desk.claim("gpu", "a").says == says


def test_r1_hours_waited_are_never_told_as_less_than_none(open_desk: Open) -> None:
    """R1: never negative; the mark of who does not wait is -1 inside."""
    desk = open_desk(rule="hours")
    desk.claim("gpu", "a")
    desk.release("gpu", 1)
    desk.claim("gpu", "b")
    answer = desk.claim("gpu", "a")
    assert answer.losses == 0
    assert answer.says == "a waits for gpu: held by b; 0 counted for it so far."


def test_g1_an_earlier_claim_is_told_apart_from_the_latest(open_desk: Open) -> None:
    desk = open_desk()
    first = desk.claim("gpu", "a")
    desk.release("gpu", 1)
    second = desk.claim("gpu", "a")
    assert (first.number, second.number) == (1, 2)
    old = desk.look("gpu", "a", 1)
    assert (old.status, old.token, old.number) == ("ended", None, 1)
    assert old.says == "Claim 1 of a on gpu is over; it has claimed it again."
    assert desk.look("gpu", "a", 2) == desk.look("gpu", "a") == second
    assert desk.look("gpu", "z").says == "z has not claimed gpu."


def test_g2_what_is_over_says_why(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("gpu", "b", claim_ms=5)
    desk.claim("gpu", "c")
    assert desk.withdraw("gpu", "c").says == (
        "The claim of c on gpu is withdrawn; claim again to wait on."
    )
    desk.at(1_005).advance()
    assert desk.look("gpu", "b").says == "The claim of b on gpu is lapsed; claim again to wait on."
    assert desk.release("gpu", 1).says == "The lease of a on gpu under token 1 is over."


def test_l1_who_may_not_wait_is_told_the_circle(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("x", "a")
    desk.claim("y", "b")
    desk.claim("y", "a")
    answer = desk.claim("x", "b")
    assert (answer.status, answer.cycle, answer.number) == ("refused", ("b", "a"), 4)
    assert answer.says == (
        "b may not wait for x: b -> a -> b would wait in a circle; release first."
    )


def test_r7_why_a_token_opens_nothing(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    desk.claim("disk", "b")
    desk.release("gpu", 1)

    def told(resource: str, token: int) -> tuple[str, str, int]:
        answer = refusal_of(desk.books, resource, token)
        assert answer.status == "ended"
        return answer.says, answer.agent, answer.number

    over = "The lease of token 1 on gpu does not run any more; claim it again."
    assert told("gpu", 1) == (over, "a", 1)
    assert told("gpu", 2) == ("Token 2 was given out for disk, not for gpu.", "", 0)
    for token in (0, 3, -1):
        says = f"Token {token} was never given out for gpu; 2 was the last."
        assert told("gpu", token) == (says, "", 0)
    desk.claim("gpu", "a")
    assert told("gpu", 1) == (over, "", 0), "a has claimed again: whose it was is not kept"


def test_r7_a_lease_that_is_over_stays_over_when_its_holder_claims_again(open_desk: Open) -> None:
    desk = open_desk()
    desk.claim("gpu", "a")
    released = desk.release("gpu", 1)
    over = desk.log[-1]
    assert over_of(desk.books, over, []) == released
    desk.claim("gpu", "a")
    again = over_of(desk.books, over, [])
    assert (again.status, again.says, again.token, again.number) == (
        released.status,
        released.says,
        1,
        1,
    )
