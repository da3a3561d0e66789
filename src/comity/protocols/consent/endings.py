"""Endings: from the state of a consent negotiation to its result.

Here: the guards that end it, the agreement and the useful no-deal, what each seat gave and got,
how every objection and red line stands.
Not here: the moves in between (turns.py, checks.py), the document (document.py).
Sources: SEMANTICS C5, C6, G1, G2, G8.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from comity.core.canonical import Json, digest
from comity.core.exact import show_number
from comity.core.parties import PartyId
from comity.core.results import FinalOffer, Grounds, NoDealReason, Submission
from comity.core.step import Step
from comity.protocols.consent.draft import Draft, changes
from comity.protocols.consent.red_lines import Predicate, bounds_of
from comity.protocols.consent.relax import relaxations
from comity.protocols.consent.results import (
    ConsentAgreement,
    ConsentNoDeal,
    ConsentRecord,
    Objection,
    RedLineReport,
    SeatReport,
)
from comity.protocols.consent.rules import Seat, order_tie
from comity.protocols.consent.state import ConsentState, Proposal, crossings

__all__ = ["agree", "end", "guard_of"]

_WORDS: dict[str, str] = {
    "red_lines": "the red lines contradict each other",
    "round_limit": "the turn limit was reached",
    "stall": "nobody moved the draft any more",
    "ping_pong": "an earlier draft came back",
    "exhausted": "everybody was done and the last check did not pass",
    "budget": "the budget was spent",
    "cancelled": "it was cancelled",
}


def guard_of(state: ConsentState) -> NoDealReason | None:
    """Return the guard that ends the negotiation now, or None.

    Args:
        state: the state after an accepted message, with no check open.

    Returns:
        ``"budget"``, ``"ping_pong"``, ``"round_limit"``, ``"stall"`` or None.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> from comity.protocols.consent.state import new_state
        >>> guard_of(new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))) is None
        True
    """
    limits = state.rules.limits
    if limits.tokens is not None and state.tokens > limits.tokens:
        return "budget"
    if limits.money is not None and state.money > limits.money:
        return "budget"
    if any(old.digest == state.draft.digest for old in state.versions[:-1]):
        return "ping_pong"
    if state.turn >= limits.max_turns:
        return "round_limit"
    if state.idle >= state.rules.stall:
        return "stall"
    return None


def agree(state: ConsentState) -> Step[ConsentState]:
    """Return the last step: every seat consented to the version of the open check.

    Args:
        state: the state with all answers in.

    Returns:
        A step with the agreement.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> from comity.protocols.consent.state import new_state
        >>> state = new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> agree(state).outcome.parties
        ('CC', 'CX')
    """
    draft = state.draft
    terms: list[tuple[str, str]] = []
    for number, term in enumerate(draft.terms, 1):
        if term.term is not None and term.option is not None:
            terms.append((term.term, term.option))
        else:
            terms.append((f"term {number}", term.text))
    state = state.flagged(*_withdrawn(state))
    record = _record(state, draft, agreed=True)
    ended = replace(state, phase="ended", asks=(), check=None)
    outcome = ConsentAgreement(
        terms=tuple(terms),
        parties=tuple(sorted(state.ids)),
        record=record,
        grounds=_grounds(state, "consent", _thin(record)),
        says=f"All {len(state.ids)} seats consented to version {draft.version} "
        f"after {state.turn} turns.",
    )
    return Step(state=ended, outcome=outcome, notes=("agreement",))


def end(state: ConsentState, reason: NoDealReason) -> Step[ConsentState]:
    """Return the last step: INCOMPLETE, with everything that helps to go on.

    Args:
        state: the state when the guard fired.
        reason: which guard.

    Returns:
        A step with the structured no deal.

    Example:
        >>> from comity.protocols.consent.rules import consent_rules
        >>> from comity.protocols.consent.state import new_state
        >>> state = new_state(consent_rules("q", {"CC": "a", "CX": "b"}, seed="1"))
        >>> end(state, "cancelled").outcome.says
        'No agreement: it was cancelled (turn 0 of 30).'
    """
    closest, against = _closest(state)
    conflict = tuple(str(one) for one in state.feasibility.conflicts)
    record = _record(state, closest, agreed=False)
    said = _WORDS.get(reason, reason.replace("_", " "))
    if reason == "exhausted" and not state.draft.terms:
        said = "everybody was done and nothing was proposed"
    detail = f": {conflict[0]}" if reason == "red_lines" and conflict else ""
    outcome = ConsentNoDeal(
        reason=reason,
        final_offers=tuple(FinalOffer(party, _last_offer(state, party)) for party in state.ids),
        unblock=_unblock(state, closest, against, reason),
        record=record,
        conflict=conflict,
        accepted_terms=_accepted(closest, against),
        grounds=_grounds(state, reason, ()),
        says=f"No agreement: {said}{detail} (turn {state.turn} of "
        f"{state.rules.limits.max_turns}).",
    )
    ended = replace(state, phase="ended", asks=(), check=None)
    return Step(state=ended, outcome=outcome, notes=(f"incomplete: {reason}",))


def _grounds(state: ConsentState, ended_by: str, thin: tuple[str, ...]) -> Grounds:
    rules = state.rules
    silent = {party for party in state.ids if not _spoke(state, party)}
    submissions = tuple(
        Submission(party, None if party in silent else _submitted(state, party))
        for party in sorted(state.ids)
    )
    return Grounds(
        rule="consent",
        ended_by=ended_by,
        inputs_digest=rules.digest,
        parameters=(
            ("max_turns", rules.limits.max_turns),
            ("stall", rules.stall),
            ("order", rules.ids),
            ("order_by", rules.order_by),
            ("seed", rules.seed),
            ("work_sha256", rules.work_digest),
            ("transcript_digest", digest(list(state.transcript))),
        ),
        submissions=submissions,
        absent=tuple(sorted(silent)),
        ties=order_tie(rules),
        thin=thin,
    )


def _thin(record: ConsentRecord) -> tuple[str, ...]:
    return tuple(flag for flag in record.flags if "without concession" in flag)


def _spoke(state: ConsentState, party: PartyId) -> bool:
    return any(message["party"] == party for message in state.transcript)


def _submitted(state: ConsentState, party: PartyId) -> Json:
    answer = state.check.answer_of(party) if state.check else None
    messages = sum(message["party"] == party for message in state.transcript)
    caller = state.check is not None and state.check.caller == party
    said = "CONSENT" if caller and answer is None else answer.answer if answer else None
    return {"messages": messages, "answer": said, "priority": state.seat(party).priority}


def _record(state: ConsentState, draft: Draft, *, agreed: bool) -> ConsentRecord:
    return ConsentRecord(
        question=state.rules.question,
        turns=state.turn,
        max_turns=state.rules.limits.max_turns,
        version=draft.version,
        draft=draft.lines,
        seats=tuple(_seat_report(state, seat, draft, agreed=agreed) for seat in state.seats),
        red_lines=tuple(
            line for seat in state.seats for line in _red_lines(state, seat, draft, agreed=agreed)
        ),
        objections=tuple(_answered(state, one, draft, agreed=agreed) for one in state.objections),
        flags=state.flags,
    )


def _seat_report(state: ConsentState, seat: Seat, draft: Draft, *, agreed: bool) -> SeatReport:
    own = [one for one in state.proposals if one.party == seat.id]
    if not agreed or not own or state.rules.domain is None:
        return _report_in_words(seat, own, draft if agreed else Draft())
    deal = draft.deal
    first = (line.partition(" = ") for line in (*own[0].offer, *own[0].want))
    asked = {term: option for term, equals, option in first if equals and term in deal}
    gave = [
        f"{term} = {deal[term]} (asked for {option})"
        for term, option in asked.items()
        if deal[term] != option
    ]
    got = [f"{term} = {option}" for term, option in asked.items() if deal[term] == option]
    return SeatReport(party=seat.id, priority=seat.priority, gave=tuple(gave), got=tuple(got))


def _report_in_words(seat: Seat, own: list[Proposal], agreed: Draft) -> SeatReport:
    lines = {line.casefold() for line in agreed.lines}
    wants = _bare(line for one in own for line in one.want)
    return SeatReport(
        party=seat.id,
        priority=seat.priority,
        gave=_bare(line for one in own for line in one.offer) if agreed.terms else (),
        got=tuple(line for line in wants if line.casefold() in lines),
        asked=tuple(line for line in wants if line.casefold() not in lines),
    )


def _bare(lines: Iterable[str]) -> tuple[str, ...]:
    """Return lines as terms, each once, without the number of the term they amend."""
    named = (re.sub(r"(?i)\Aterm\s+[0-9]+\s*:\s*", "", line) for line in lines)
    kept = (line for line in named if not re.match(r"(?i)drop\s+term\b", line))
    return tuple(dict.fromkeys(kept))


def _red_lines(
    state: ConsentState, seat: Seat, draft: Draft, *, agreed: bool
) -> list[RedLineReport]:
    checked = {str(one): one for one in seat.predicates}
    reports = []
    for text in seat.red_lines:
        predicate = checked.get(text)
        reports.append(
            RedLineReport(
                party=seat.id,
                text=text,
                checked_by="code" if predicate else "owner",
                kept=_kept(state, seat.id, predicate, draft) if agreed else "",
                loosened_from=_loosened_from(state, seat.id, text),
            )
        )
    return reports


def _loosened_from(state: ConsentState, party: PartyId, text: str) -> str:
    """Return what a red line was before its owner loosened it, the latest first."""
    found: list[str] = []
    for owner, was, now in reversed(state.loosened):
        if owner == party and now == (found[-1] if found else text):
            found.append(was)
    return ", before that ".join(found)


def _kept(state: ConsentState, party: PartyId, predicate: Predicate | None, draft: Draft) -> str:
    if predicate is None:
        is_caller = state.check is not None and state.check.caller == party
        how = "called the check of" if is_caller else "was asked and consented to"
        return f"{party} {how} version {draft.version}"
    deal = draft.deal
    if predicate.op == "in" or state.rules.domain is None:
        return f"{predicate.subject} is {deal[predicate.subject]}"
    low, _ = bounds_of(predicate.subject, state.rules.domain, deal)
    return f"{predicate.subject} is {show_number(low)}"


def _named(reason: str, draft: Draft) -> set[int]:
    """Return the numbers of the draft's terms that a reason names."""
    lists = re.findall(r"(?i)\bterms?\s+([0-9]{1,6}(?:\s*(?:,|and|&)\s*[0-9]{1,6})*)\b", reason)
    found = {int(number) for one in lists for number in re.findall("[0-9]+", one)}
    for number, term in enumerate(draft.terms, 1):
        if term.term and re.search(rf"(?<![\w.\-]){re.escape(term.term)}(?![\w\-])", reason):
            found.add(number)
    return {number for number in found if 1 <= number <= len(draft.terms)}


def _answered(
    state: ConsentState, objection: Objection, draft: Draft, *, agreed: bool
) -> Objection:
    """Say how an objection was answered: by a later version that its party consented to."""
    if objection.answered:
        return objection
    later = draft if agreed else _consented_later(state, objection)
    if later is None:
        return objection
    told = changes(state.versions[objection.version], later)
    said = "; ".join(told) if told else "withdrawn, nothing changed"
    return replace(objection, answered=f"version {later.version}: {said}")


def _consented_later(state: ConsentState, objection: Objection) -> Draft | None:
    for message in state.transcript:
        version = message["version"]
        assert isinstance(version, int)
        is_assent = message["kind"] == "check" or message.get("answer") == "CONSENT"
        if is_assent and message["party"] == objection.party and version > objection.version:
            return state.versions[version]
    return None


def _withdrawn(state: ConsentState) -> list[str]:
    """Flag objections whose named terms stand unchanged in the agreed version."""
    flags = []
    for one in state.objections:
        if one.answered:
            continue  # flagged when it was withdrawn
        old = state.versions[one.version]
        named = [old.terms[number - 1].text for number in sorted(_named(one.reason, old))]
        same = [text for text in named if text in state.draft.lines]
        if named and len(same) == len(named):
            flags.append(
                f"agreement without concession: {one.party} objected to version {one.version} "
                f"over {', '.join(named)}, and consented with that unchanged"
            )
    return flags


def _closest(state: ConsentState) -> tuple[Draft, list[Objection]]:
    """Return the checked version with the fewest seats against it or silent (the latest)."""
    against: dict[int, dict[PartyId, Objection]] = {}
    for one in state.objections:
        objecting = against.setdefault(one.version, {})
        if not one.answered:
            objecting[one.party] = one
    silent = {version: _silent(state, version) for _, version in state.missed}
    checked = {*against, *silent}
    if not checked:
        return state.draft, []
    version = min(
        checked, key=lambda one: (len(against.get(one, {})) + len(silent.get(one, ())), -one)
    )
    return state.versions[version], list(against.get(version, {}).values())


def _silent(state: ConsentState, version: int) -> list[PartyId]:
    return [party for party, missed in state.missed if missed == version]


def _accepted(draft: Draft, against: list[Objection]) -> tuple[str, ...]:
    named: set[int] = set()
    for one in against:
        numbers = _named(one.reason, draft)
        if not numbers:
            return ()
        named |= numbers
    if not against:
        return ()
    return tuple(line for number, line in enumerate(draft.lines, 1) if number not in named)


def _last_offer(state: ConsentState, party: PartyId) -> str | None:
    own = [one for one in state.proposals if one.party == party]
    if not own:
        return None
    return f"{own[-1].id}: offers {'; '.join(own[-1].offer) or 'nothing'}, wants " + (
        "; ".join(own[-1].want) or "nothing"
    )


def _unblock(
    state: ConsentState, closest: Draft, against: list[Objection], reason: NoDealReason
) -> tuple[str, ...]:
    found = list(_ways_out(state))
    if reason == "red_lines":
        return tuple(found)
    found += [f"{one.party} consents when this is met: {one.reason}" for one in against]
    found += [
        f"{party} answers the check of version {closest.version}"
        for party in _silent(state, closest.version)
    ]
    found += [
        f"version {closest.version} changes so that it no longer crosses {line}"
        for line in crossings(state, closest)
    ]
    unheard = {*state.ids} - {message["party"] for message in state.transcript}
    unheard -= {*_silent(state, closest.version)}
    found += [f"{party} answers; it has been silent" for party in state.ids if party in unheard]
    if reason == "round_limit" and not found:
        found.append(f"more than {state.rules.limits.max_turns} turns (max_turns)")
    if reason == "budget":
        found.append("a larger budget")
    if not found and not state.draft.terms:
        found.append("somebody puts a proposal on the table")
    if not found:
        found.append("somebody calls a consent check on the draft, or changes it")
    return tuple(found)


def _ways_out(state: ConsentState) -> tuple[str, ...]:
    """Return what would resolve the conflict of the red lines; nothing without a conflict."""
    conflicts = state.feasibility.conflicts
    if not conflicts or state.rules.domain is None:
        return ()
    lines = [(seat.id, one) for seat in state.seats for one in seat.predicates]
    ways = relaxations(state.rules.domain, lines)
    if ways:
        return tuple(str(one) for one in ways)
    return tuple(
        f"one of {', '.join(one.parties)} loosens its red line ({one})"
        if len(one.parties) > 1
        else f"{one.parties[0]} loosens its red line ({one}), or the terms get more options"
        for one in conflicts
    )
