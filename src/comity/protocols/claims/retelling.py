"""Retelling: what is somebody told who sends a request again that has been settled?

Here: the answer to each kind of request, from what was written for it when it was first made.
Not here: how a repeated request is noticed (ledger/), a request that is new (desk.py).
Sources: SEMANTICS R7, K3; ENGINE 8 (exactly once under retries).

Beside its own event a request may have written what was due by then: leases that had ended,
claims that had lapsed, and who was next. Those say nothing about the request.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from comity.core.errors import Fault, InvalidInput
from comity.mechanisms.arbitration import Conflict
from comity.protocols.claims.answers import Answer
from comity.protocols.claims.books import Books
from comity.protocols.claims.events import (
    CLAIMED,
    CONFLICT,
    ENDED,
    OPENED,
    REFUSED,
    Event,
    conflict_of,
)
from comity.protocols.claims.telling import answer_of, over_of, refusal_of

__all__ = ["claim_again", "conflict_again", "own_event", "release_again"]


def own_event(events: Iterable[Event]) -> Event | None:
    """Return the event that a request itself led to; None when it only let happen what was due.

    Args:
        events: what was written for it.

    Example:
        >>> own_event([Event("ended", {"why": "expired"})]) is None
        True
        >>> own_event([Event("ended", {"why": "released"})]).kind
        'ended'
    """
    return next((one for one in events if _is_own(one)), None)


def claim_again(books: Books, events: Iterable[Event], resource: str, agent: str) -> Answer:
    """Return how the claim stands that a request made.

    Args:
        books: what the desk knows now.
        events: what was written for the request.
        resource: what it claims.
        agent: who claims.

    Raises:
        InvalidInput: when the request was used for something else.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> claim_again(Books(DeskRules()), [], "gpu", "a").status
        'ended'
    """
    own = own_event(events)
    if own is None:
        return answer_of(books, resource, agent)
    body: Any = own.body
    if own.kind in {CLAIMED, REFUSED} and (body["resource"], body["agent"]) == (resource, agent):
        return answer_of(books, resource, agent, body["number"])
    raise _used(own)


def release_again(books: Books, events: Iterable[Event], resource: str, token: int) -> Answer:
    """Return how the lease stands that a request has ended.

    Args:
        books: what the desk knows now.
        events: what was written for the request.
        resource: what was held.
        token: the token it names.

    Raises:
        InvalidInput: when the request was used for something else.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> release_again(Books(DeskRules()), [], "gpu", 1).status
        'ended'
    """
    own = own_event(events)
    if own is None:
        return refusal_of(books, resource, token)
    body: Any = own.body
    if own.kind == ENDED and (body["resource"], body["token"]) == (resource, token):
        return over_of(books, resource, body["agent"], body["number"], token)
    raise _used(own)


def conflict_again(events: Iterable[Event], resource: str, *, decided_here: bool) -> Conflict:
    """Return the conflict that a request led to; which claims it hands in now is not looked at.

    Args:
        events: what was written for it.
        resource: what was claimed.
        decided_here: whether the desk was to decide it, or to take in how it was decided.

    Raises:
        InvalidInput: when the request was used for something else.

    Example:
        >>> from comity.protocols.claims.events import conflict_body
        >>> one = Conflict(1, "gpu", (("a", 9),), (0,), (("a",),), ("a",))
        >>> event = Event("conflict", conflict_body(one, seed="7"))
        >>> conflict_again([event], "gpu", decided_here=True) == one
        True
    """
    own = own_event(events)
    if own is not None and own.kind == CONFLICT and own.body["resource"] == resource:
        was_decided_here = own.body["seed"] is not None
        if was_decided_here is decided_here:
            return conflict_of(own.body)
    raise _used(own)


def _is_own(event: Event) -> bool:
    kind, body = event
    if kind == ENDED:
        return body["why"] == "released"
    if kind == REFUSED:
        return body["why"] == "claimed"
    if kind == CONFLICT:
        return "leases" not in body
    return kind in {CLAIMED, OPENED}


def _used(own: Event | None) -> InvalidInput:
    what = "was used for something else"
    if own is not None:
        what = f"{what}: it led to the event {own.kind!r}"
        if "resource" in own.body:
            what = f"{what} on {own.body['resource']}"
    allowed = "the same request again, or an id that is new at this desk"
    return InvalidInput(Fault("request id", what, allowed, "give every request an id of its own"))
