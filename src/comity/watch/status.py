"""Status: where does a running session stand, in a few figures?

Here: the figures of any machine's state: turns, answers, what is open, what was used.
Not here: how they read (render/status.py), when they are shown (cli/live.py).
Sources: SEMANTICS C2, C5, V8, W4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from comity.agents.budget import Used, used_in
from comity.core.canonical import Json, JsonObject
from comity.ledger.entry import Entry
from comity.protocols.consent.state import ConsentState
from comity.session.record import HEARD

__all__ = ["Used", "status_of", "usages_in", "used_in", "used_so_far"]


def usages_in(entries: Iterable[Entry]) -> Iterator[Json]:
    """Yield what the recorded replies of a session say they used.

    Args:
        entries: the public entries of the session.
    """
    for one in entries:
        body = one.body.get("body") if one.kind in HEARD else None
        if isinstance(body, Mapping) and "usage" in body:
            yield body["usage"]


def used_so_far(entries: Iterable[Entry]) -> Used:
    """Return what all calls of a session have used, as far as its record tells.

    Args:
        entries: the public entries of the session.

    Example:
        >>> used_so_far(())
        Used(tokens=0, money=Decimal('0'))
    """
    return used_in(usages_in(entries))


def status_of(state: object, used: Used | None = None) -> JsonObject:
    """Return where a session stands.

    Args:
        state: the state of its machine.
        used: what its calls have used so far.

    Returns:
        Of these what there is: ``turn`` and ``max_turns``; ``consents`` and ``seats`` while a
        check is open; ``round``; ``votes`` and ``voters``; ``open``, what is not agreed yet;
        ``money`` in US dollars and ``tokens``.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> from comity.protocols.consent.state import new_state
        >>> rules = consent_rules("q", {"CC": "a", "CX": "b"}, seed="1")
        >>> status_of(new_state(rules), Used(tokens=120))
        {'turn': 0, 'max_turns': 30, 'tokens': 120}
    """
    inner: Any = getattr(state, "inner", state)  # of a chain, the machine that runs now
    told = _of_consent(inner) if isinstance(inner, ConsentState) else _of_another(inner)
    if used is not None and used.money:
        told["money"] = format(used.money, "f")
    if used is not None and used.tokens:
        told["tokens"] = used.tokens
    return told


def _of_consent(state: ConsentState) -> dict[str, Json]:
    told: dict[str, Json] = {"turn": state.turn, "max_turns": state.rules.limits.max_turns}
    check = state.check
    if check is not None:
        agreed = {one.party for one in check.answers if one.answer == "CONSENT"}
        against = {one.party for one in check.answers} - agreed
        caller = {check.caller} if check.caller is not None else set()
        told.update(consents=len(agreed | (caller - against)), seats=len(state.ids))
    found = list(dict.fromkeys(_open_in(state)))
    if found and state.phase != "ended":
        told["open"] = found
    return told


def _open_in(state: ConsentState) -> Iterable[str]:
    """Yield the terms without an option, those that objections name, and who else objects."""
    domain = state.rules.domain
    names = [term.name for term in domain.terms] if domain is not None else []
    if state.draft.terms:
        yield from (name for name in names if name not in state.draft.deal)
    why = {one.party: one.reason for one in state.objections if not one.answered}
    if state.check is not None:
        why.pop(str(state.check.caller), None)
    for one in state.check.answers if state.check is not None else ():
        why.pop(one.party, None)
        why.update({one.party: one.reason} if one.answer == "OBJECT" else {})
    for party, reason in why.items():
        named = [name for name in names if name in re.findall(r"[\w.\-]+", reason)]
        yield from named or [f"{party} objects"]


def _of_another(state: Any) -> dict[str, Json]:  # noqa: ANN401  # the state of any machine
    told: dict[str, Json] = {}
    number, missing = getattr(state, "round", None), getattr(state, "missing", None)
    if isinstance(number, int):
        told["round"] = number
    roster, asked = getattr(state, "cast", None), getattr(state, "phase", None)
    voters = getattr(asked, "voters", None)  # of a review, those of its phase
    if isinstance(roster, tuple) and isinstance(missing, tuple):
        voters = {one.voter for one in roster} | set(missing)
    if voters is not None and isinstance(missing, tuple):
        told.update(votes=len(voters) - len(missing), voters=len(voters))
    return told
