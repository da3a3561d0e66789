"""Step: the one shape that every machine shares.

Here: what goes into a machine (Input), what it asks for (Ask), what it refuses (Rejected) and
what one step answers (Step).
Not here: the loop that records, asks and feeds back (runner/), any machine (protocols/).
Sources: ARCHITECTURE contracts 1-3; SEMANTICS C3.

A machine is a pair ``start(rules) -> Step`` and ``step(state, input) -> Step``. It is total
(nonsense comes back as Rejected and changes nothing), deterministic, without clock (``now_ms``
is in the input, ``wake_at_ms`` in the answer) and without randomness (the seed is in the rules).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from comity.core.canonical import JsonObject, frozen
from comity.core.parties import PartyId
from comity.core.results import Outcome

__all__ = ["Ask", "Input", "InputKind", "Rejected", "Step", "answered_ask"]

S_co = TypeVar("S_co", covariant=True)

InputKind = Literal["reply", "failure", "message", "timer", "resumed", "cancel", "undo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One thing that happened; recorded in the ledger before the machine sees it.

    Attributes:
        kind: ``reply`` answers an ask; ``failure`` says that the seat could not answer it;
            ``message`` was not asked for; ``timer`` says that time has passed; ``resumed`` says
            that a process took the session up again; ``cancel`` ends it; ``undo`` takes back
            what a person decided (session/fold.py).
        now_ms: when it was recorded, in milliseconds since the epoch.
        party: whose channel it came through; never taken from the text.
        ask_id: the ask that a reply or failure answers.
        body: what was said, as JSON (``{"text": "..."}`` for words).

    Example:
        >>> Input(kind="timer", now_ms=5).party is None
        True
    """

    kind: InputKind
    now_ms: int
    party: PartyId | None = None
    ask_id: str | None = None
    body: JsonObject | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "body", frozen(self.body))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A question that stands until it is answered, fails or is no longer of interest.

    Attributes:
        id: unique within the session and the same on every replay.
        party: who is asked.
        kind: what is asked for ("position", "turn", "answer", ...).
        payload: everything the party needs to answer, as JSON.
        deadline_ms: when the machine stops waiting, or None.
        attempt: 1 for the first time, 2 when asked again.

    Example:
        >>> Ask(id="1", party="CC", kind="turn", payload={}).attempt
        1
    """

    id: str
    party: PartyId
    kind: str
    payload: JsonObject
    deadline_ms: int | None = None
    attempt: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload", frozen(self.payload))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Something said that changed nothing, and why.

    Attributes:
        reason: a stable code, for example ``"no_open_check"``.
        party: who said it, or None.
        hint: one sentence that helps the party to do better.

    Example:
        >>> Rejected(reason="late", party="CX", hint="the check is closed").reason
        'late'
    """

    reason: str
    party: PartyId | None
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[S_co]):
    """What a machine answers.

    Attributes:
        state: the new state; equal to the old one when the input was rejected.
        asks: every ask that stands after this step (not only the new ones), so that a process
            that folds the ledger knows what is still open.
        rejected: what this input said in vain.
        notes: what this step wants remembered in the public record, one line each (a flag, a
            phase change); derived from the input, so never stored twice.
        wake_at_ms: when the machine wants a ``timer`` input, or None.
        outcome: how it ended, or None while it goes on.
        before: the step that a person decided from, when that ended it: what an ``undo`` goes back
            to. The fold keeps it; no machine sets it.
    """

    state: S_co
    asks: tuple[Ask, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    notes: tuple[str, ...] = ()
    wake_at_ms: int | None = None
    outcome: Outcome | None = None
    before: Step[Any] | None = field(default=None, compare=False, repr=False)


def answered_ask(asks: Iterable[Ask], happened: Input) -> Ask | None:
    """Return the standing ask that an input answers, or None when it is late or another seat's.

    Args:
        asks: the asks that stand.
        happened: a reply or a failure.

    Returns:
        The ask with the input's ``ask_id``, asked of the input's party.

    Example:
        >>> asks = [Ask(id="a1", party="ann", kind="ballot", payload={})]
        >>> answered_ask(asks, Input(kind="reply", now_ms=0, party="bob", ask_id="a1")) is None
        True
    """
    return next((o for o in asks if o.id == happened.ask_id and o.party == happened.party), None)
