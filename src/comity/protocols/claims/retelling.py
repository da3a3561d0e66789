"""Retelling: what is somebody told who sends a request again that has been settled?

Here: the answer to each kind of request, from what was written for it when it was first made;
whether it is the same request.
Not here: how a repeated request is noticed (ledger/), a request that is new (desk.py).
Sources: SEMANTICS R7, K3; ENGINE 8 (exactly once under retries).

With the event of a request a digest of its words is kept (``asked``), so that other words under
the same id are refused; where the request changed nothing, its answer is kept as an event of its
own. Records of early versions have neither, and beside its own event what was due by then: leases
that had ended, claims that had lapsed, and who was next. Those say nothing about the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

from comity.core.canonical import Json
from comity.core.errors import ClaimNotGranted, ComityError, Fault, InvalidInput
from comity.core.exact import read_exact, to_fraction
from comity.mechanisms.arbitration import Conflict
from comity.protocols.claims.answers import Answer
from comity.protocols.claims.books import Books
from comity.protocols.claims.events import (
    ANSWERED,
    CLAIMED,
    CONFLICT,
    ENDED,
    OPENED,
    REFUSED,
    Event,
    conflict_of,
)
from comity.protocols.claims.telling import answer_of, over_of, refusal_of

__all__ = ["claim_again", "conflict_again", "kept_for", "own_event", "release_again", "words_of"]

_DIGITS = 16  # of a digest: it tells requests apart, and is no seal


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


def words_of(kind: str, *words: object) -> str:
    """Return what tells a request from another: the same for the same words in any order or form.

    Args:
        kind: what is asked for.
        words: what it says: names, numbers in any form, claims as they are handed in.

    Example:
        >>> words_of("claim", "gpu", 0.5) == words_of("claim", "gpu", "1/2")
        True
        >>> words_of("decide", {"a": 1, "b": 2}) == words_of("decide", [("b", 2), ("a", 1)])
        True
        >>> words_of("claim", "gpu", 1) == words_of("claim", "gpu", 2)
        False
    """
    told = repr((kind, *map(_word, words)))
    return sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def kept_for(
    events: Iterable[Event], words: str, answer: object, error: ComityError | None = None
) -> list[Event]:
    """Return what is written for a request with an id: also where it has changed nothing.

    Args:
        events: what it led to.
        words: as :func:`words_of` returned them.
        answer: what it was answered.
        error: why it was refused, instead.

    Example:
        >>> refused = Answer(status="ended", resource="gpu", agent="")
        >>> kept_for([], "3f", refused)[0].kind
        'answered'
    """
    listed = list(events)
    own = own_event(listed)
    if own is not None:
        marked = Event(own.kind, {**own.body, "asked": words})
        return [marked if one is own else one for one in listed]
    body: dict[str, Json] = {"asked": words}
    if error is not None:
        body["faults"] = [[one.whose, one.what, one.allowed, one.next] for one in error.faults]
    elif isinstance(answer, Answer):
        body["answer"] = answer.to_json()
    return [*listed, Event(ANSWERED, body)]


def claim_again(
    books: Books, events: Iterable[Event], resource: str, agent: str, words: str | None = None
) -> Answer:
    """Return how the claim stands that a request made.

    Args:
        books: what the desk knows now.
        events: what was written for the request.
        resource: what it claims.
        agent: who claims.
        words: what it says now, as :func:`words_of` returned it.

    Raises:
        InvalidInput: when the request was used for something else.
        ClaimNotGranted: when it was refused the first time.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> claim_again(Books(DeskRules()), [], "gpu", "a").status
        'ended'
    """
    own = _same(events, words)
    if own is None:
        return answer_of(books, resource, agent)
    body: Any = own.body
    if own.kind == ANSWERED and "faults" in body:
        raise ClaimNotGranted(Fault(*one) for one in body["faults"])
    if own.kind in {CLAIMED, REFUSED} and (body["resource"], body["agent"]) == (resource, agent):
        return answer_of(books, resource, agent, body["number"])
    raise _used(own)


def release_again(
    books: Books, events: Iterable[Event], resource: str, token: int, words: str | None = None
) -> Answer:
    """Return how the lease stands that a request has ended, or why it ended none.

    Args:
        books: what the desk knows now.
        events: what was written for the request.
        resource: what was held.
        token: the token it names.
        words: what it says now, as :func:`words_of` returned it.

    Raises:
        InvalidInput: when the request was used for something else.

    Example:
        >>> from comity.protocols.claims.rules import DeskRules
        >>> release_again(Books(DeskRules()), [], "gpu", 1).status
        'ended'
    """
    listed = list(events)
    own = _same(listed, words)
    if own is None:
        return refusal_of(books, resource, token)
    body: Any = own.body
    if own.kind == ANSWERED and "answer" in body:
        return Answer.from_json(body["answer"])
    if own.kind == ENDED and (body["resource"], body["token"]) == (resource, token):
        return over_of(books, own, listed[listed.index(own) + 1 :])
    raise _used(own)


def conflict_again(
    events: Iterable[Event], resource: str, *, decided_here: bool, words: str | None = None
) -> Conflict:
    """Return the conflict that a request led to.

    Args:
        events: what was written for it.
        resource: what was claimed.
        decided_here: whether the desk was to decide it, or to take in how it was decided.
        words: what it says now, as :func:`words_of` returned it.

    Raises:
        InvalidInput: when the request was used for something else.

    Example:
        >>> from comity.protocols.claims.events import conflict_body
        >>> one = Conflict(1, "gpu", (("a", 9),), (0,), (("a",),), ("a",))
        >>> event = Event("conflict", conflict_body(one, seed="7"))
        >>> conflict_again([event], "gpu", decided_here=True) == one
        True
    """
    own = _same(events, words)
    if own is not None and own.kind == CONFLICT and own.body["resource"] == resource:
        was_decided_here = own.body["seed"] is not None
        if was_decided_here is decided_here:
            return conflict_of(own.body)
    raise _used(own)


def _same(events: Iterable[Event], words: str | None) -> Event | None:
    """Return the event of a request, unless it was made in other words."""
    own = own_event(events)
    if own is not None and words is not None and own.body.get("asked", words) != words:
        raise _used(own)
    return own


def _is_own(event: Event) -> bool:
    kind, body = event
    if kind == ENDED:
        return body["why"] == "released"
    if kind == REFUSED:
        return body["why"] == "claimed"
    if kind == CONFLICT:
        return "leases" not in body
    return kind in {ANSWERED, CLAIMED, OPENED}


def _word(given: object) -> object:
    """Return a word in one form: numbers as they are kept, claims and names sorted."""
    if isinstance(given, (list, tuple, set, frozenset)):
        return sorted(map(_row, given))
    if type(given) is not str and isinstance(given, Mapping):
        return sorted(map(_row, given.items()))
    return _number_or_text(given)


def _row(given: object) -> str:
    """Return a claim or a name; what is left out at the end of a claim is not told."""
    if not isinstance(given, (list, tuple)) or not given:
        return str(given)
    if len(given) == 2 and type(given[1]) is int:  # most often: in a quicker way the same
        return f"[{str(given[0])!r}, {given[1]}]"
    row: list[object] = [str(given[0]), *map(_number_or_text, given[1:])]
    while row[-1] is None:
        row.pop()
    return repr(row)


def _number_or_text(given: object) -> object:
    """Return a number in one form, else what it is."""
    if given is None or type(given) is int:
        return given
    if isinstance(given, str) and given.isalpha():  # a name, most often
        return repr(given)
    try:
        exact = to_fraction(read_exact(given, "request", "number"))
    except InvalidInput:
        return repr(given)
    return exact.numerator if exact.denominator == 1 else str(exact)


def _used(own: Event | None) -> InvalidInput:
    what = "was used for something else"
    if own is not None and own.kind != ANSWERED:
        what = f"{what}: it led to the event {own.kind!r}"
        if "resource" in own.body:
            what = f"{what} on {own.body['resource']}"
    allowed = "the same request again in the same words, or an id that is new at this desk"
    return InvalidInput(Fault("request id", what, allowed, "give every request an id of its own"))
