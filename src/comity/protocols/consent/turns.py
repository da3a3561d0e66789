"""Turns: what one reply of one seat does outside a check.

Here: positions, discussion, proposals, restated red lines, calling a check, being done.
Not here: answers to a check (checks.py), who speaks next (machine.py).
Sources: SEMANTICS C1-C5, C8, C9.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput
from comity.core.parties import PartyId
from comity.protocols.consent.checks import check_refusal, open_check
from comity.protocols.consent.draft import Draft, amend, rewrite
from comity.protocols.consent.grammar import ConsentReading, PositionText
from comity.protocols.consent.red_lines import Predicate, compare, crossed, read_predicate
from comity.protocols.consent.rules import Seat
from comity.protocols.consent.state import ConsentState, Proposal

_NOTHING = {"", "-", "none", "nothing", "nothing further", "n/a"}

__all__ = ["Refusal", "Said", "apply_position", "apply_turn", "record_message"]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a reply is not a turn: a code for programs and a sentence for the seat.

    Example:
        >>> Refusal("no_draft", "propose terms first").code
        'no_draft'
    """

    code: str
    hint: str


@dataclass(frozen=True, slots=True)
class Said:
    """One reply: whose it is, its words, what was read in them and when it came.

    Attributes:
        party: the seat, known from the channel.
        text: its words.
        reading: what the grammar read.
        now_ms: when it was recorded.
    """

    party: PartyId
    text: str
    reading: ConsentReading
    now_ms: int


def record_message(state: ConsentState, said: Said, kind: str, **more: object) -> ConsentState:
    """Return the state with one accepted message in the transcript: this is a turn.

    Args:
        state: the state the message led to.
        said: the reply.
        kind: position, discuss, propose, counter, check or answer.
        **more: further public facts of the message (ids, the settled terms).

    Returns:
        The state, one turn later.
    """
    entry = {
        "turn": state.turn + 1,
        "party": said.party,
        "kind": kind,
        "text": said.text,
        "version": state.draft.version,
        **{name: value for name, value in more.items() if value not in (None, "", ())},
    }
    return replace(state, turn=state.turn + 1, transcript=(*state.transcript, entry))  # type: ignore[arg-type]


def apply_position(state: ConsentState, said: Said) -> ConsentState | Refusal:
    """Apply a position statement.

    Args:
        state: the state while positions are collected.
        said: the reply.

    Returns:
        The state one turn later, or why the reply is no position.
    """
    position = said.reading.position
    if position is None:
        return Refusal(
            "no_position",
            "state your position: PRIORITY, RATIONALE, RED LINE and WILLING TO TRADE, one a line",
        )
    seat = _restated(state, state.seat(said.party), position)
    if isinstance(seat, Refusal):
        return seat
    seat = replace(
        seat,
        rationale=position.rationale or seat.rationale,
        willing_to_trade=position.willing_to_trade or seat.willing_to_trade,
    )
    return record_message(state.with_seat(seat), said, "position")


def _restated(state: ConsentState, seat: Seat, position: PositionText) -> Seat | Refusal:
    """Add what a position states as red lines; a predicate replaces the one on its subject."""
    domain = state.rules.domain
    stated = list(seat.red_lines)
    predicates = list(seat.predicates)
    for line in (position.red_line or "").split("\n"):
        text = line.strip()
        if not text or text in stated:
            continue
        try:
            found = read_predicate(text, domain, whose=seat.id) if domain else None
        except InvalidInput as error:
            return Refusal("unknown_red_line", "; ".join(str(one) for one in error.faults))
        if found is None:
            stated.append(text)
            continue
        if found in predicates:
            continue
        for old in [one for one in predicates if _same_side(one, found)]:
            predicates.remove(old)
            stated.remove(str(old))
        predicates.append(found)
        stated.append(str(found))
    return replace(seat, red_lines=tuple(stated), predicates=tuple(predicates))


def _same_side(old: Predicate, new: Predicate) -> bool:
    return old.subject == new.subject and old.op[0] == new.op[0]


def apply_turn(state: ConsentState, said: Said) -> ConsentState | Refusal:
    """Apply a reply to an ordinary turn.

    Args:
        state: the state in phase ``"negotiation"``.
        said: the reply.

    Returns:
        The state one turn later (with a check open when it called one), or why it is no turn.
    """
    reading = said.reading
    before = state
    if reading.position is not None and reading.position.red_line:
        seat = _restated(state, state.seat(said.party), reading.position)
        if isinstance(seat, Refusal):
            return seat
        state = _flag_red_lines(state.with_seat(seat), before.seat(said.party), seat)
    if reading.proposal is None and not reading.calls_check and reading.status == "no_open_check":
        return Refusal(
            "no_open_check", "no check is open: nothing can be consented to or objected"
        )
    draft = _next_draft(state, said)
    if isinstance(draft, Refusal):
        return draft
    repeated = (said.party, digest(" ".join(said.text.split()).casefold()))
    if not reading.calls_check and repeated in state.said:
        return Refusal("repeated", "you have said exactly this before: say something new")
    if reading.calls_check:
        refused = check_refusal(state, draft, turns_needed=len(state.ids))
        if refused is not None:
            return Refusal(*refused)
    state = replace(state, said=state.said | {repeated})
    return _moved(state, said, draft)


def _next_draft(state: ConsentState, said: Said) -> Draft | Refusal:
    reading = said.reading
    draft = state.draft
    faults: tuple[Fault, ...] = ()
    if reading.proposal is not None:
        lines = [*_lines(reading.proposal.i_offer), *_lines(reading.proposal.i_want)]
        draft, faults = amend(draft, lines, by=said.party, domain=state.rules.domain)
    listed = reading.check_terms if reading.calls_check else ()
    if reading.proposal is not None and reading.proposal.terms:
        listed = listed or reading.proposal.terms
    if not faults and listed:
        draft, faults = rewrite(draft, listed, by=said.party, domain=state.rules.domain)
        if draft.version > state.draft.version + 1:
            draft = replace(draft, version=state.draft.version + 1)
    if faults:
        return Refusal("faulty_terms", " ".join(str(fault) for fault in faults))
    return draft


def _lines(text: str | None) -> list[str]:
    lines = (line.strip() for line in (text or "").split("\n"))
    return [line for line in lines if line.rstrip(".").casefold() not in _NOTHING]


def _moved(state: ConsentState, said: Said, draft: Draft) -> ConsentState:
    reading = said.reading
    changed = draft.version != state.draft.version
    if changed:
        state = replace(state, versions=(*state.versions, draft), done=frozenset(), idle=0)
        state = _flag_crossings(state, said.party)
    else:
        state = replace(state, idle=state.idle + 1)
    if reading.done:
        state = replace(state, done=state.done | {said.party})
    settled = draft.deal if changed and draft.deal else None
    kind, proposal = "discuss", None
    if reading.proposal is not None:
        counters = reading.proposal.counters or ""
        kind = "counter" if counters else "propose"
        proposal = Proposal(
            f"P{len(state.proposals) + 1}",
            said.party,
            tuple(_lines(reading.proposal.i_offer)),
            tuple(_lines(reading.proposal.i_want)),
            draft.version,
            counters,
        )
        state = replace(state, proposals=(*state.proposals, proposal))
    elif reading.position is not None:
        kind = "position"
    if reading.calls_check:
        kind = "check"
    facts: dict[str, object] = {"settled": settled, "draft": draft.lines if changed else None}
    if proposal is not None:
        facts |= {"id": proposal.id, "offer": proposal.offer, "want": proposal.want}
    state = record_message(state, said, kind, **facts)
    if reading.calls_check:
        return open_check(state, said.party, said.now_ms)
    return state


def _flag_crossings(state: ConsentState, party: PartyId) -> ConsentState:
    domain = state.rules.domain
    if domain is None:
        return state
    flags = [
        f"version {state.draft.version} ({party}) crosses {seat.id}'s red line {predicate}"
        for seat in state.seats
        for predicate in seat.predicates
        if crossed(predicate, domain, state.draft.deal)
    ]
    return state.flagged(*flags)


def _flag_red_lines(state: ConsentState, old: Seat, new: Seat) -> ConsentState:
    flags = []
    for predicate in new.predicates:
        if predicate in old.predicates:
            continue
        olds = [one for one in old.predicates if _same_side(one, predicate)]
        how = compare(olds[0], predicate) if olds else "tighter"
        if how == "looser":
            flags.append(f"{new.id} loosened its red line: {olds[0]} became {predicate}")
        else:
            flags.append(f"{new.id} tightened its red line to {predicate} after the positions")
    added = [text for text in new.judged if text not in old.judged]
    flags.extend(f"{new.id} added a red line after the positions: {text}" for text in added)
    return state.flagged(*flags)
