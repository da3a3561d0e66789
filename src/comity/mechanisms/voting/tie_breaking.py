"""Tie breaking: when several options are equally good, what happens?

Here: the named rules a vote may use, and applying one to a tied set.
Not here: finding the tied set (every rule does that), the lot itself (core/ties.py).
Sources: SEMANTICS G4, V6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

from comity.core.errors import Fault, InvalidInput, did_you_mean, shown
from comity.core.ties import Tie, TieRule, lot
from comity.mechanisms.voting.ballots import UNRANKED
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.registry import RULES, parameters_of

__all__ = ["NO_TIE_BREAK", "TieBreak", "break_tie", "read_ties", "tie_faults"]

_RULES: tuple[str, ...] = get_args(TieRule)


@dataclass(frozen=True, slots=True)
class TieBreak:
    """How ties are broken.

    Attributes:
        rule: one of ``none``, ``lot``, ``chair``, ``status_quo``, ``secondary``, ``ballot_hash``,
            ``human``.
        by: the seed of the lot, the voter who has the chair, the option that stands, or the name
            of the second rule; nothing for the others.

    Example:
        >>> TieBreak("lot", "7").by
        '7'
    """

    rule: TieRule = "none"
    by: str = ""


NO_TIE_BREAK = TieBreak()


def read_ties(ties: TieBreak | str) -> TieBreak:
    """Return what a caller means by a tie rule.

    Args:
        ties: a TieBreak, ``"none"``, ``"human"``, ``"ballot_hash"``, or a rule with what it goes
            by: ``"lot:SEED"``, ``"chair:VOTER"``, ``"status_quo:OPTION"``, ``"secondary:RULE"``.

    Returns:
        The tie break.

    Raises:
        InvalidInput: for an unknown rule, and for one that lacks what it goes by.

    Example:
        >>> read_ties("secondary:borda")
        TieBreak(rule='secondary', by='borda')
    """
    if ties == "none":
        return NO_TIE_BREAK
    if isinstance(ties, TieBreak):
        found = ties
    else:
        rule, _, by = str(ties).partition(":")
        found = TieBreak(rule.strip(), by.strip())  # type: ignore[arg-type]  # checked right below
    if found.rule not in _RULES:
        allowed = ", ".join(_RULES)
        raise InvalidInput(
            Fault(
                "ties",
                f"are {shown(found.rule)}",
                allowed,
                did_you_mean(str(found.rule), _RULES),
            )
        )
    needs = {"lot": "SEED", "chair": "VOTER", "status_quo": "OPTION", "secondary": "RULE"}
    if found.rule in needs and not found.by:
        form = f"{found.rule}:{needs[found.rule]}"
        raise InvalidInput(Fault("ties", f"are {found.rule!r} by nothing", form, f"write {form}"))
    if found.rule == "secondary" and found.by not in RULES:
        near = did_you_mean(found.by, RULES)
        raise InvalidInput(Fault("ties", f"go by the rule {found.by!r}", ", ".join(RULES), near))
    return found


def tie_faults(ties: str, options: Sequence[str], voters: Sequence[str]) -> list[Fault]:
    """Return what is wrong with whom or what a tie rule goes by.

    Args:
        ties: the rule in words.
        options: the options there are.
        voters: the voters there are.

    Example:
        >>> str(tie_faults("status_quo:Pizzza", ["Pizza"], [])[0].next)
        "did you mean 'Pizza'"
    """
    rule, _, by = (part.strip() for part in ties.partition(":"))
    known = {"status_quo": options, "chair": voters}.get(rule)
    if known is None or not by or by in known:
        return []
    what = f"go by the {'option' if rule == 'status_quo' else 'voter'} {shown(by)}"
    return [Fault("ties", what, ", ".join(known) or "nobody has a name", did_you_mean(by, known))]


def break_tie(ties: TieBreak, election: Election, label: str, tied: Sequence[str]) -> Tie:
    """Apply a tie rule to a tied set.

    Args:
        ties: the rule, read before.
        election: every ballot.
        label: where the tie arose; two lots under one seed need two labels.
        tied: the tied options, in any order.

    Returns:
        The tie, with who was chosen, or None where the rule leaves it standing.

    Example:
        >>> break_tie(read_ties("status_quo:b"), Election(["a", "b"]), "winner", ["b", "a"]).chosen
        'b'
    """
    names = tuple(sorted(tied))
    if ties.rule == "lot":
        return lot(ties.by, label, names)
    if ties.rule == "ballot_hash":
        drawn = lot(election.digest, label, names)
        return Tie(label=label, tied=names, rule=ties.rule, chosen=drawn.chosen, seed=drawn.seed)
    chosen: str | None = None
    if ties.rule == "status_quo":
        chosen = ties.by if ties.by in names else None
    elif ties.rule == "chair":
        chosen = _by_chair(ties.by, election, names)
    elif ties.rule == "secondary":
        chosen = _by_rule(ties.by, election, names)
    return Tie(label=label, tied=names, rule=ties.rule, chosen=chosen)


def _by_chair(voter: str, election: Election, names: Sequence[str]) -> str | None:
    """Return the tied option that the chair ranks above all others, if there is one."""
    at = [line for line in election.lines if line.voter == voter]
    if not at:
        return None
    ranks = election.ranks_of(at[0])
    found = {name: ranks[election.options.index(name)] for name in names}
    best = min(found.values())
    top = [name for name, rank in found.items() if rank == best]
    return top[0] if len(top) == 1 and best != UNRANKED else None


def _by_rule(rule: str, election: Election, names: Sequence[str]) -> str | None:
    """Return the tied option that another rule puts before the others, if there is one."""
    function = RULES[rule]
    if set(parameters_of(function)) - set(function.__kwdefaults__ or {}):
        return None  # the other rule needs to be told more: the tie stands
    try:
        result = function(election)
    except InvalidInput:
        return None  # the other rule cannot read these ballots: the tie stands
    for tier in result.count.ranking:
        among = [name for name in tier if name in names]
        if among:
            return among[0] if len(among) == 1 else None
    return None
