"""Offer gate: does a person look at the result first, and what becomes of it then?

Here: which results are handed to a person, the ask, the person's decision or its default, and
asking anew when the decision was taken back.
Not here: why a result is thin (endings.py), what follows a no-deal (session/chain.py).
Sources: SEMANTICS G8, B5 (a person lets a deal stand or not, and never makes one).
"""

from __future__ import annotations

from dataclasses import replace

from comity.core.canonical import Json, JsonObject
from comity.core.step import Ask, Input
from comity.protocols.collect.gate import said_by_person, words_of_undo
from comity.protocols.offers.brief import decision_brief
from comity.protocols.offers.endings import Ended, no_deal
from comity.protocols.offers.opening import NO_DEAL
from comity.protocols.offers.state import OffersState

__all__ = ["CHOICES", "ask_person", "ask_person_anew", "decided", "reasons_for_person"]

CHOICES = ("accept", NO_DEAL)
"""What a person may decide."""


def reasons_for_person(state: OffersState, found: Ended) -> tuple[str, ...]:
    """Return why a result is put to a person first; nothing when it stands as it is.

    Args:
        state: the state at the end.
        found: what it came to.

    Example:
        >>> from comity.protocols.offers.endings import no_deal
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers())
        >>> reasons_for_person(state, no_deal(state, "stall"))
        ()
    """
    on = state.rules.gate.on
    if on == "none" or (on == "thin" and not found.is_decided):
        return ()
    reason = () if found.is_decided else (str(getattr(found, "reason", "")),)
    return (*found.grounds.thin, *reason)


def ask_person(state: OffersState, found: Ended, why: tuple[str, ...], now_ms: int) -> OffersState:
    """Return the state in which the person is asked.

    Args:
        state: the state at the end.
        found: what it came to.
        why: why the person is asked.
        now_ms: the time of the input that led here.

    Example:
        >>> from comity.protocols.offers.endings import no_deal
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers())
        >>> asked = ask_person(state, no_deal(state, "stall"), ("stall",), 0)
        >>> asked.asks[0].party, asked.asks[0].kind
        ('human', 'decide')
    """
    until = now_ms + state.rules.gate.deadline_ms
    held = replace(state, phase="person", asks=(), held=found, person_until_ms=until, why=why)
    return with_ask(held)


def with_ask(state: OffersState, *, again: str = "", attempt: int = 1) -> OffersState:
    """Return the state with the person's ask standing.

    Args:
        state: the state while a person decides.
        again: why it is asked again, or "".
        attempt: 1, or more when asked again.
    """
    rules, gate, held = state.rules, state.rules.gate, state.held
    assert held is not None
    payload: dict[str, Json] = {
        "protocol": "offers",
        "kind": "decide",
        "seat": gate.seat,
        "question": rules.question,
        "says": str(getattr(held, "says", "")),
        "result": held.to_json(),
        "why": state.why,
        "choices": CHOICES,
        "default": gate.default,
        "deadline_ms": gate.deadline_ms,
        "again": again,
    }
    new = Ask(
        id=f"a{state.asked + 1}",
        party=gate.seat,
        kind="decide",
        payload={**payload, "brief": decision_brief(payload)},
        deadline_ms=state.person_until_ms,
        attempt=attempt,
    )
    return replace(state, asks=()).with_ask(new)


def ask_person_anew(state: OffersState, happened: Input) -> OffersState:
    """Return the state in which the person is asked once more, with the whole time to decide.

    Args:
        state: the state that the decision was made in.
        happened: what took the decision back.

    Example:
        >>> from comity.protocols.offers.endings import no_deal
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers())
        >>> asked = ask_person(state, no_deal(state, "stall"), ("stall",), 0)
        >>> ask_person_anew(asked, Input(kind="undo", now_ms=5)).person_until_ms
        86400005
    """
    until = happened.now_ms + state.rules.gate.deadline_ms
    return with_ask(replace(state, person_until_ms=until), again=words_of_undo(happened))


def decided(
    state: OffersState, choice: str, ended_by: str, body: JsonObject | None = None
) -> Ended:
    """Return the result that a person's choice, or the default, makes.

    Args:
        state: the state while a person decides.
        choice: ``accept`` or ``no deal``.
        ended_by: ``person`` or ``default``.
        body: what else the person said, as the input holds it.

    Returns:
        The result as it was, or a no-deal because the person objects.

    Example:
        >>> from comity.protocols.offers.endings import no_deal
        >>> from comity.protocols.offers.state import new_state
        >>> from comity.testing.bargains import sample_offers
        >>> state = new_state(sample_offers())
        >>> asked = ask_person(state, no_deal(state, "stall"), ("stall",), 0)
        >>> decided(asked, "accept", "default").grounds.ended_by
        'default'
    """
    held = state.held
    assert held is not None
    found: Ended = held  # type: ignore[assignment]  # what endings.py made
    if choice == NO_DEAL and found.is_decided:
        found = replace(no_deal(state, "objections"), unblock=("bargain again",))
        found = replace(found, says=f"No deal: {state.rules.gate.seat} did not let it stand.")
    grounds = replace(found.grounds, ended_by=ended_by)
    if ended_by == "person":
        said = said_by_person(state.rules.gate.seat, choice, body)
        grounds = replace(grounds, submissions=(*grounds.submissions, said))
    return replace(found, grounds=grounds)
