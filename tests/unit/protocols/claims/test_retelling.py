"""Retelling: a request that comes again is told what it led to, and no other is (R7, K3)."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from comity.core.errors import ClaimNotGranted, Fault, InvalidInput
from comity.mechanisms.arbitration import Claim
from comity.protocols.claims import (
    Event,
    claim_again,
    conflict_again,
    kept_for,
    release_again,
    words_of,
)
from comity.protocols.claims.retelling import own_event

Open = Callable[..., Any]
USED = "was used for something else"


class Requests:
    """A desk and what each of its requests has written."""

    def __init__(self, desk: Any) -> None:
        self.desk = desk

    def __getattr__(self, name: str) -> Callable[..., tuple[list[Event], Any]]:
        def call(*given: Any, **named: Any) -> tuple[list[Event], Any]:
            before = len(self.desk.log)
            answer = getattr(self.desk, name)(*given, **named)
            return self.desk.log[before:], answer

        return call


@pytest.fixture
def requests(open_desk: Open) -> Requests:
    return Requests(open_desk())


def test_r7_a_claim_is_told_of_its_own_number(requests: Requests) -> None:
    books = requests.desk.books
    events, first = requests.claim("gpu", "a")
    assert claim_again(books, events, "gpu", "a") == first
    requests.release("gpu", 1)
    assert claim_again(books, events, "gpu", "a").status == "ended"
    requests.claim("gpu", "a")
    again = claim_again(books, events, "gpu", "a")
    assert (again.status, again.number, again.token) == ("ended", 1, None)


def test_l1_a_refused_claim_is_refused_again(requests: Requests) -> None:
    for resource, agent in ("xa", "yb", "ya"):
        requests.claim(resource, agent)
    events, refused = requests.claim("x", "b")
    assert claim_again(requests.desk.books, events, "x", "b") == refused
    assert refused.cycle == ("b", "a")


def test_r7_a_release_is_told_of_its_own_lease(requests: Requests) -> None:
    books = requests.desk.books
    requests.claim("gpu", "a")
    requests.claim("disk", "b", lease_ms=10)
    requests.desk.at(1_010)
    events, released = requests.release("gpu", 1)
    assert [one.kind for one in events] == ["ended", "ended"], "disk had run out by then"
    assert release_again(books, events, "gpu", 1) == released
    requests.claim("gpu", "a")
    again = release_again(books, events, "gpu", 1)
    assert (again.status, again.agent, again.token) == ("ended", "a", 1)


def test_r7_a_request_that_only_let_time_pass_is_told_how_things_stand(requests: Requests) -> None:
    books = requests.desk.books
    requests.claim("gpu", "a", lease_ms=10)
    requests.claim("disk", "a", lease_ms=20)
    requests.claim("gpu", "w")
    requests.claim("disk", "w")
    requests.desk.at(1_010)
    events, answer = requests.claim("disk", "w")
    assert [one.kind for one in events] == ["ended", "conflict"]
    assert own_event(events) is None
    assert claim_again(books, events, "disk", "w") == answer
    requests.desk.at(1_020)
    events, answer = requests.release("disk", 2)
    assert own_event(events) is None
    assert release_again(books, events, "disk", 2) == answer
    with pytest.raises(InvalidInput, match=USED):
        conflict_again(events, "disk", decided_here=True)


def test_l1_a_wait_refused_because_of_what_was_won_is_no_request_of_its_own(
    requests: Requests,
) -> None:
    for resource, agent in (("x", "h"), ("y", "v"), ("x", "w"), ("y", "w"), ("x", "v")):
        requests.claim(resource, agent, int(agent == "w"))
    events, _ = requests.release("x", 1)
    assert [one.kind for one in events] == ["ended", "conflict", "refused"]
    own = own_event(events)
    assert own is not None
    assert own.kind == "ended"
    assert own_event(events[1:]) is None


def test_k3_a_conflict_is_told_again(requests: Requests) -> None:
    events, decided = requests.decide([("a", 3), ("b", 1)])
    assert conflict_again(events, "gpu", decided_here=True) == decided
    told, recorded = requests.record([("a", 3), ("b", 1)], "b")
    assert conflict_again(told, "gpu", decided_here=False) == recorded


def test_k3_an_id_that_was_used_for_something_else_is_refused(requests: Requests) -> None:
    books = requests.desk.books
    opened = [Event("desk", {"rules": {}})]
    claimed, _ = requests.claim("gpu", "a")
    decided, _ = requests.decide([("a", 3)])
    recorded, _ = requests.record([("a", 3)], "a")
    released, _ = requests.release("gpu", 1)
    wrong: list[Callable[[], Any]] = [
        lambda: claim_again(books, opened, "gpu", "a"),
        lambda: claim_again(books, claimed, "gpu", "b"),
        lambda: claim_again(books, claimed, "disk", "a"),
        lambda: claim_again(books, decided, "gpu", "a"),
        lambda: claim_again(books, released, "gpu", "a"),
        lambda: release_again(books, claimed, "gpu", 1),
        lambda: release_again(books, released, "gpu", 2),
        lambda: release_again(books, released, "disk", 1),
        lambda: conflict_again(claimed, "gpu", decided_here=True),
        lambda: conflict_again(decided, "disk", decided_here=True),
        lambda: conflict_again(decided, "gpu", decided_here=False),
        lambda: conflict_again(recorded, "gpu", decided_here=True),
    ]
    for request in wrong:
        with pytest.raises(InvalidInput, match=USED):
            request()
    with pytest.raises(InvalidInput, match=r"led to the event 'ended' on gpu\. Allowed"):
        claim_again(books, released, "gpu", "a")
    with pytest.raises(InvalidInput, match=r"led to the event 'desk'\. Allowed"):
        claim_again(books, opened, "gpu", "a")


# --- the same words --------------------------------------------------------------------------


def test_k3_what_is_said_in_another_form_is_the_same_request() -> None:
    same = words_of("claim", "gpu", "a", 0.5, None, 10)
    for form in ("1/2", "0.50", Decimal("0.5"), Fraction(1, 2)):
        assert words_of("claim", "gpu", "a", form, None, 10) == same
    claims = words_of("decide", "gpu", {"a": 1, "b": "2"})
    assert words_of("decide", "gpu", [Claim("b", 2.0), ("a", 1)]) == claims
    assert words_of("decide", "gpu", ["a", "b"]) == words_of("decide", "gpu", ("b", "a"))


def test_k3_other_words_are_another_request() -> None:
    many = [
        words_of("claim", "gpu", "a", 1, None, 10),
        words_of("claim", "gpu", "a", 2, None, 10),
        words_of("claim", "gpu", "a", None, None, 10),
        words_of("claim", "gpu", "a", True, None, 10),
        words_of("claim", "gpu", "a", 1, 10, None),
        words_of("decide", "gpu", {"a": 1}),
        words_of("decide", "gpu", {"a": 1, "b": 1}),
        words_of("decide", "gpu", {"01": 1}),
        words_of("decide", "gpu", {"1": 1}),
        words_of("decide", "gpu", [()]),
        words_of("decide", "gpu", {"a": "x1"}),
    ]
    assert len(set(many)) == len(many)


def test_k3_other_words_under_one_id_are_refused(requests: Requests) -> None:
    books = requests.desk.books
    events, answer = requests.claim("gpu", "a")
    kept = kept_for(events, "words", answer)
    assert claim_again(books, kept, "gpu", "a", "words") == answer
    assert claim_again(books, events, "gpu", "a", "words") == answer, "early versions kept none"
    with pytest.raises(InvalidInput, match=USED):
        claim_again(books, kept, "gpu", "a", "other words")


def test_k3_an_answer_that_changed_nothing_is_told_again_as_it_was(requests: Requests) -> None:
    books = requests.desk.books
    events, answer = requests.release("gpu", 3)
    assert events == []
    kept = kept_for(events, "words", answer)
    for _ in range(3):
        requests.release("gpu", requests.claim("gpu", "a")[1].token - 1)
        requests.desk.free("gpu")
    assert release_again(books, kept, "gpu", 3, "words") == answer
    with pytest.raises(InvalidInput, match=r"something else\. "):
        claim_again(books, kept, "gpu", "a", "words")
    assert [one.kind for one in kept_for([], "words", None)] == ["answered"]


def test_k3_a_refusal_is_told_again_though_it_would_be_granted_now(requests: Requests) -> None:
    refused = ClaimNotGranted(Fault("claim of 'a' on 'gpu'", "is its second", "one", "wait"))
    kept = kept_for([], "words", None, refused)
    with pytest.raises(ClaimNotGranted, match="is its second") as caught:
        claim_again(requests.desk.books, kept, "gpu", "a", "words")
    assert caught.value.faults == refused.faults
    with pytest.raises(InvalidInput, match=USED):
        release_again(requests.desk.books, kept, "gpu", 1, "words")
