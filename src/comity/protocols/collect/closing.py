"""Closing: what does a vote come to with the ballots at hand, and may it close now?

Here: from the state to the result of the rule, with every ballot, its history and who was
missing; the early close.
Not here: why a result is thin (thin.py), what a person makes of it (gate.py), the rules.
Sources: SEMANTICS V7, V8, G1, G8; a vote with a person behind it closes early only where no one
voter's change could have altered it either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from comity.core.canonical import Json
from comity.core.errors import InvalidInput
from comity.core.exact import Exact, to_fraction
from comity.core.parties import PartyId
from comity.core.results import Submission
from comity.mechanisms.voting import Election, VoteNoDecision, VoteNoQuorum, rule_named
from comity.mechanisms.voting.early import Settled, settled
from comity.mechanisms.voting.reading import whole
from comity.mechanisms.voting.results import VoteBlocked, VoteChoice, VoteVerdict
from comity.protocols.collect.rules import VoteRules
from comity.protocols.collect.state import Cast, VoteState
from comity.protocols.collect.thin import thin_of

__all__ = ["Ended", "cancelled", "closes_early", "election_of", "result_of"]

Ended = VoteChoice | VoteVerdict | VoteNoDecision | VoteNoQuorum | VoteBlocked


def election_of(state: VoteState, *, substitutes: bool = False) -> Election:
    """Return the election that the ballots at hand make; invalid ones stay in it.

    Args:
        state: the state.
        substitutes: whether the missing are counted against, where the rules say so.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> election_of(new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))).absent
        ('ann', 'bob')
    """
    rules = state.rules
    ballots: dict[PartyId, Json] = {one.voter: one.ballot for one in state.counted}
    if substitutes and rules.absent == "against":
        ballots.update(dict.fromkeys(state.missing, rules.against))
    election = rules.election(ballots)
    unread = (one for one in state.cast if one.status == "invalid")
    wrong = sorted(unread, key=lambda one: one.voter)
    if not wrong:
        return election
    weights = {one.id: one.weight for one in rules.voters}
    data: dict[str, Any] = dict(election.to_json())
    data["invalid"] = [
        {"voter": one.voter, "reason": one.reason, "weight": str(to_fraction(weights[one.voter]))}
        for one in wrong
    ]
    return Election.from_json(data)


def result_of(state: VoteState, ended_by: str) -> Ended:
    """Return what the vote comes to, with who cast what and who was missing.

    Args:
        state: the state when it closes.
        ended_by: what closed it.

    Returns:
        The rule's result; no quorum when too few answered.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> state = new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))
        >>> result_of(state, "deadline").kind
        'no_quorum'
    """
    election = election_of(state, substitutes=ended_by != "early")
    found = _counted(state.rules, election)
    live = len(state.counted)
    least = state.rules.limits.least_voters
    if live < least or isinstance(found, VoteNoQuorum):
        found = _too_few(state, found, live, max(least, 1))
    return _explained(state, found, ended_by)


def _counted(rules: VoteRules, election: Election) -> Ended:
    try:
        found: Ended = rule_named(rules.rule)(election, **rules.told)
    except InvalidInput as error:
        nothing: Ended = rule_named("majority")(rules.election({}))
        return VoteNoDecision(
            grounds=replace(nothing.grounds, rule=rules.rule, inputs_digest=election.digest),
            count=replace(nothing.count, election=election),
            reason="infeasible",
            unblock=tuple(str(fault) for fault in error.faults),
        )
    return found


def _too_few(state: VoteState, found: Ended, live: int, least: int) -> VoteNoQuorum:
    cast = sorted(state.cast, key=lambda one: one.voter)
    silent = [f"{name} answers" for name in state.missing]
    unread = [
        f"{one.voter} casts a ballot that can be read" for one in cast if one.status == "invalid"
    ]
    blank = [
        f"{one.voter} names an option"
        for one in cast
        if one.status == "counted" and one.ballot is None
    ]
    return VoteNoQuorum(
        grounds=replace(found.grounds, ties=(), margin=None),
        count=found.count,
        needed=least,
        present=live if live < least else 0,
        unblock=(*silent, *unread, *(blank if live >= least else [])),
    )


def _explained(state: VoteState, found: Ended, ended_by: str) -> Ended:
    rules = state.rules
    invalid = tuple(sorted(one.voter for one in state.cast if one.status == "invalid"))
    extra: list[tuple[str, Json]] = []
    later = sorted(set(state.notes) - set(rules.warnings))  # in any order of arrival the same
    if state.notes:
        extra.append(("warnings", (*rules.warnings, *later)))
    if state.missing:
        extra.append(("absent", rules.absent))
    grounds = replace(
        found.grounds,
        ended_by=ended_by,
        parameters=(*found.grounds.parameters, *extra),
        submissions=tuple(Submission(name, _submitted(state, name)) for name in rules.ids),
        absent=state.missing,
        invalid=invalid,
    )
    ended = replace(found, grounds=grounds)
    thin = thin_of(ended, rules)
    return replace(ended, grounds=replace(grounds, thin=thin)) if thin else ended


def _submitted(state: VoteState, voter: PartyId) -> Json:
    """Return what a voter handed in: None when silent, else its ballot and what came before."""
    own = [one for one in state.cast if one.voter == voter]
    failures = [why for name, why in state.failed if name == voter]
    if not own:
        return {"failed": failures} if failures else None
    standing = state.standing(voter)
    assert standing is not None  # who handed one in has one that stands
    told: dict[str, Json] = {"ballot": standing.ballot}
    if standing.status == "invalid":
        told["invalid"] = standing.reason
    elif standing.ballot is None:
        told["abstains"] = True
    history: list[Json] = [_json(one) for one in own if one is not standing]
    if history:
        told["history"] = history
    if failures:
        told["failed"] = failures
    return told


def _json(one: Cast) -> Json:
    return {"ballot": one.ballot, "status": one.status, "reason": one.reason, "at_ms": one.at_ms}


def cancelled(state: VoteState) -> VoteNoDecision:
    """Return that a vote was cancelled, with the ballots it had.

    Args:
        state: the state when it was.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> cancelled(new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))).reason
        'cancelled'
    """
    found = _explained(state, _counted(state.rules, election_of(state)), "cancelled")
    return VoteNoDecision(
        grounds=replace(found.grounds, ties=(), margin=None, thin=()),
        count=replace(found.count, flags=()),
        reason="cancelled",
        leaders=tuple(one for one in found.grounds.scores if one.value),
        unblock=("hold the vote again",),
    )


# --- early ----------------------------------------------------------------------------------


def closes_early(state: VoteState) -> Settled | None:
    """Return why the vote may close now, or None.

    Args:
        state: the state with some ballots missing.

    Example:
        >>> from comity.protocols.collect.opening import vote_rules
        >>> from comity.protocols.collect.state import new_state
        >>> closes_early(new_state(vote_rules("Ship it?", ["ann", "bob"], seed="1"))) is None
        True
    """
    rules = state.rules
    if not rules.early or len(state.counted) < rules.limits.least_voters:
        return None
    weights: Mapping[PartyId, Exact] = {one.id: one.weight for one in rules.voters}
    rest = sum((to_fraction(weights[name]) for name in state.missing), to_fraction(0))
    heard = sum((to_fraction(weights[one.voter]) for one in state.counted), to_fraction(0))
    if not heard or (rules.kind != "yes_no" and rest >= heard):
        return None  # a lead is at most what was heard, and those who are missing can take it
    election = election_of(state)
    waits = any(name in state.missing for name in rules.veto_holders)
    found = settled(election, whole(rest), rules.rule, rules.told, veto_outstanding=waits)
    if found is None or found.winner is None or rules.gate.on == "none":
        return found
    # A person wants to see what one voter could turn: its change moves a lead by twice its weight.
    change = max(to_fraction(one) for one in weights.values())
    change *= 1 if found.winner == "rejected" and rules.kind == "yes_no" else 2
    firm = settled(election, whole(rest + change), rules.rule, rules.told, veto_outstanding=waits)
    if firm is None or result_of(state, "early").grounds.thin:
        return None
    return found
