r"""Turns: what one reply of one seat does outside a check.

Here: positions, discussion, proposals, restated red lines, calling a check, being done.
Not here: answers to a check (checks.py), who speaks next (machine.py).
Sources: SEMANTICS C1-C5, C8, C9.

Example:
    >>> from comity.protocols.consent.grammar import read_message
    >>> from comity.protocols.consent.rules import consent_rules
    >>> from comity.protocols.consent.state import new_state
    >>> state = new_state(consent_rules("q", {"A": "x", "B": "y"}, seed="1"))
    >>> words = "I OFFER: mornings\nI WANT: a weekly sync\nRATIONALE: fair"
    >>> said = Said("A", words, read_message(words, seat="A"), 0)
    >>> apply_turn(state, said).draft.lines
    ('mornings', 'a weekly sync')
    >>> apply_position(state, said).code
    'no_position'
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from comity.core.canonical import digest
from comity.core.errors import Fault, InvalidInput
from comity.core.parties import PartyId
from comity.protocols.consent.checks import check_refusal, open_check
from comity.protocols.consent.draft import Draft, amend, changes, rewrite, spelled
from comity.protocols.consent.feasibility import check_red_lines
from comity.protocols.consent.grammar import ConsentReading
from comity.protocols.consent.red_lines import Predicate, moved, read_predicate, same_side
from comity.protocols.consent.state import ConsentState, Proposal, crossings
from comity.protocols.text import is_placeholder, read_page

RED_LINES_AT_MOST = 30
"""Of one seat: every one of them is compared with all the others."""

_NOTHING_FURTHER = "nothing further"

__all__ = [
    "RED_LINES_AT_MOST",
    "Refusal",
    "Said",
    "apply_position",
    "apply_turn",
    "record_message",
    "restate",
    "with_feasibility",
]


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

    The transcript holds what a reader sees of the message: reasoning traces and comments stay
    with the seat, and a very long message is cut.

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
        "text": read_page(said.text).shown(),
        "version": state.draft.version,
        **{name: value for name, value in more.items() if value not in (None, "", ())},
    }
    return replace(state, turn=state.turn + 1, transcript=(*state.transcript, entry))  # type: ignore[arg-type]  # read-only Json


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
    restated = restate(state, said)
    if isinstance(restated, Refusal):
        return restated
    state, _ = restated
    seat = state.seat(said.party)
    seat = replace(
        seat,
        rationale=position.rationale or seat.rationale,
        willing_to_trade=position.willing_to_trade or seat.willing_to_trade,
    )
    return record_message(state.with_seat(seat), said, "position")


# --- red lines -------------------------------------------------------------------------------


def restate(state: ConsentState, said: Said) -> tuple[ConsentState, bool] | Refusal:
    """Apply the red lines that a message states; only the seat's own can change (C4).

    A predicate takes the place of those on its side of its subject; everything else is added.

    Args:
        state: the state in any phase.
        said: the message.

    Returns:
        The state, and whether something that was allowed is forbidden now; or why a red line
        cannot be read.
    """
    position = said.reading.position
    old = state.seat(said.party)
    stated, predicates = list(old.red_lines), list(old.predicates)
    tightened = False
    for line in (position.red_line if position else "").split("\n"):
        text = line.strip()
        if is_placeholder(text) or text in stated:
            continue
        found = _predicate(state, said.party, text)
        if isinstance(found, Refusal):
            return found
        if found in predicates:
            continue
        if found is None and state.check is not None and said.reading.answer is None:
            continue  # in place of an answer, words behind RED LINE are a doubt and no red line
        if found is None:
            stated.append(text)
            tightened = True
            state = _added(state, said.party, text)
            continue
        olds = [one for one in predicates if same_side(one, found)]
        for one in olds:
            predicates.remove(one)
            stated.remove(str(one))
        predicates.append(found)
        stated.append(str(found))
        tightened = moved(olds, found)[1] or tightened
        state = _moved_line(state, said.party, olds, found)
    if tuple(stated) == old.red_lines:
        return state, False
    if len(stated) > RED_LINES_AT_MOST:
        return Refusal("too_many_red_lines", f"state {RED_LINES_AT_MOST} red lines at most")
    seat = replace(old, red_lines=tuple(stated), predicates=tuple(predicates))
    state = state.with_seat(seat)
    return (state if state.phase == "positions" else with_feasibility(state)), tightened


def _predicate(state: ConsentState, party: PartyId, text: str) -> Predicate | Refusal | None:
    domain = state.rules.domain
    try:
        return read_predicate(text, domain, whose=party) if domain else None
    except InvalidInput as error:
        return Refusal("unknown_red_line", "; ".join(str(one) for one in error.faults))


def _added(state: ConsentState, party: PartyId, text: str) -> ConsentState:
    if state.phase == "positions":
        return state
    return state.flagged(f"{party} added a red line after the positions: {text}")


def _moved_line(
    state: ConsentState, party: PartyId, olds: list[Predicate], new: Predicate
) -> ConsentState:
    loosens, tightens = moved(olds, new)
    was = " and ".join(str(one) for one in olds)
    if loosens:
        state = replace(state, loosened=(*state.loosened, (party, was, str(new))))
        state = state.flagged(f"{party} loosened its red line: {was} became {new}")
    if tightens and state.phase != "positions":
        state = state.flagged(f"{party} tightened its red line to {new} after the positions")
    return state


def with_feasibility(state: ConsentState) -> ConsentState:
    """Return the state with its red lines checked against each other once more."""
    domain = state.rules.domain
    if domain is None:
        return state
    lines = [(seat.id, predicate) for seat in state.seats for predicate in seat.predicates]
    found = check_red_lines(domain, lines)
    state = replace(state, feasibility=found)
    if state.phase == "positions":
        return state
    return state.flagged(*(f"no deal keeps {one} together" for one in found.conflicts))


# --- turns -----------------------------------------------------------------------------------


def apply_turn(state: ConsentState, said: Said) -> ConsentState | Refusal:
    """Apply a reply to an ordinary turn.

    Args:
        state: the state in phase ``"negotiation"``.
        said: the reply.

    Returns:
        The state one turn later (with a check open when it called one), or why it is no turn.
    """
    reading = said.reading
    refused = _unsaid(reading)
    if refused is not None:
        return refused
    restated = restate(state, said)
    if isinstance(restated, Refusal):
        return restated
    state, _ = restated
    draft = _next_draft(state, said)
    if isinstance(draft, Refusal):
        return draft
    repeated = (said.party, _words_digest(state, said))
    if reading.calls_check:
        why = check_refusal(state, draft, turns_needed=len(state.ids))
        if why is not None:
            return Refusal(*why)
    elif repeated in state.said:
        return Refusal("repeated", "you have said exactly this before: say something new")
    state = replace(state, said=state.said | {repeated})
    return _moved(state, said, draft)


def _unsaid(reading: ConsentReading) -> Refusal | None:
    """Return why a reply says nothing that can be taken for a turn."""
    doubtful = reading.status == "invalid" or reading.answer == "OBJECT"
    crossed_line = reading.red_line is not None and reading.red_line.state == "crossed"
    if reading.calls_check and (doubtful or crossed_line):
        return Refusal(
            "conflicting",
            "calling a check is consent without conditions: call it, or say what is wrong",
        )
    moves = reading.proposal is not None or reading.calls_check
    if not moves and reading.status == "no_open_check":
        return Refusal(
            "no_open_check", "no check is open: nothing can be consented to or objected"
        )
    is_said = moves or reading.done or reading.incomplete or reading.position is not None
    if not is_said and not reading.discussion:
        return Refusal("empty", "say something: a proposal, a check, plain words, or [DONE]")
    return None


def _words_digest(state: ConsentState, said: Said) -> str:
    """Return what a repeat is known by: the words; for being done, the draft as well."""
    words = " ".join(said.text.split()).casefold()
    is_done = said.reading.done and said.reading.proposal is None
    return digest([words, state.draft.digest] if is_done else [words])


def _next_draft(state: ConsentState, said: Said) -> Draft | Refusal:
    """Return the draft a message leads to; a list of terms replaces it, whatever is offered."""
    reading, draft, domain = said.reading, state.draft, state.rules.domain
    faults: tuple[Fault, ...] = ()
    listed = reading.check_terms if reading.calls_check else ()
    if reading.proposal is not None:
        listed = listed or reading.proposal.terms
    if listed:
        draft, faults = rewrite(draft, listed, by=said.party, domain=domain)
    elif reading.proposal is not None:
        lines = [*_lines(reading.proposal.i_offer), *_lines(reading.proposal.i_want)]
        draft, faults = amend(draft, lines, by=said.party, domain=domain)
    if faults:
        return Refusal("faulty_terms", " ".join(str(fault) for fault in faults))
    return draft


def _lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.split("\n"))
    return [
        line
        for line in lines
        if not is_placeholder(line) and line.rstrip(".").casefold() != _NOTHING_FURTHER
    ]


def _moved(state: ConsentState, said: Said, draft: Draft) -> ConsentState:
    reading, before = said.reading, state.draft
    is_changed = draft.version != before.version
    if is_changed:
        state = replace(state, versions=(*state.versions, draft), done=frozenset(), idle=0)
        state = _flag_crossings(state, said.party)
    else:
        state = replace(state, idle=state.idle + 1)
    if reading.done:
        state = replace(state, done=state.done | {said.party})
    proposal = _proposal(state, said)
    kind = "discuss"
    if reading.calls_check:
        kind = "check"
    elif proposal is not None:
        kind = "counter" if proposal.counters else "propose"
    elif reading.position is not None:
        kind = "position"
    facts: dict[str, object] = {}
    if is_changed:
        facts = {"settled": draft.deal or None, "draft": draft.lines}
        facts["changes"] = changes(before, draft)
    if proposal is not None:
        state = replace(state, proposals=(*state.proposals, proposal))
        facts |= {"id": proposal.id, "offer": proposal.offer, "want": proposal.want}
        facts["counters"] = proposal.counters
    state = record_message(state, said, kind, **facts)
    if reading.calls_check:
        told = changes(before, draft) if is_changed else ()
        return open_check(state, said.party, said.now_ms, told)
    return state


def _proposal(state: ConsentState, said: Said) -> Proposal | None:
    told = said.reading.proposal
    if told is None:
        return None
    domain = state.rules.domain
    return Proposal(
        f"P{len(state.proposals) + 1}",
        said.party,
        spelled(_lines(told.i_offer), domain),
        spelled(_lines(told.i_want), domain),
        state.draft.version,
        _countered(state, told.counters or ""),
    )


def _countered(state: ConsentState, named: str) -> str:
    """Return the proposal that a counter names: by its id, or by the seat whose last it is."""
    name = named.casefold()
    for one in reversed(state.proposals):
        if name in {one.id.casefold(), one.party.casefold()}:
            return one.id
    return ""


def _flag_crossings(state: ConsentState, party: PartyId) -> ConsentState:
    version = state.draft.version
    return state.flagged(
        *(f"version {version} ({party}) crosses {line}" for line in crossings(state, state.draft))
    )
