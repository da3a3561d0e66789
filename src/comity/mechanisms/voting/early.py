"""Early: is a vote decided whatever the outstanding voters say?

Here: for each family of rules the proof that no completion of the ballots changes how it ends.
Not here: closing a vote (protocols/collect), a quorum's running verdict (quorum.py), stops by
likelihood, which are something else.
Sources: SEMANTICS V7; research on early decision: a lead beyond what the outstanding can give the
closest rival; for rules that must elect one, a Condorcet winner by more than the outstanding; for
instant runoff a majority of first choices only, as more votes for an option can make it lose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from comity.core.exact import Exact, show_number, to_fraction
from comity.mechanisms.voting.ballots import BallotKind
from comity.mechanisms.voting.election import Election
from comity.mechanisms.voting.registry import rule_named
from comity.mechanisms.voting.threshold import base_weight, first_places, read_threshold

__all__ = ["Settled", "settled"]

_POINTS = {"plurality": 1, "approval": 1}
"""Rule -> what one vote can give an option over another; Borda's is the number of others."""

_ELECT_THE_CONDORCET_WINNER = frozenset(
    {"condorcet", "copeland", "kemeny", "minimax", "ranked_pairs", "schulze"}
)


@dataclass(frozen=True, slots=True)
class Settled:
    """How a vote ends, whatever comes.

    Attributes:
        winner: the option that wins, ``passed`` or ``rejected``, or None when nothing can win.
        why: in one sentence.

    Example:
        >>> Settled("A", "it leads by more than is outstanding").winner
        'A'
    """

    winner: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """A vote with some of its ballots."""

    election: Election
    rest: Fraction  # in units
    rule: str
    parameters: Mapping[str, Any]

    def option(self, at: int) -> str:
        return self.election.options[at]

    def votes(self, units: Exact) -> str:
        return show_number(to_fraction(units) / self.election.scale)


def settled(
    election: Election,
    outstanding: Exact,
    rule: str,
    parameters: Mapping[str, Any] | None = None,
    *,
    veto_outstanding: bool = False,
) -> Settled | None:
    """Return how a vote ends whatever the outstanding voters say or leave unsaid.

    Args:
        election: the ballots so far, on declared options; with a roster the outstanding are its
            absent members, without one they come on top.
        outstanding: the weight that may still vote, in votes.
        rule: the name of the rule.
        parameters: those of the rule.
        veto_outstanding: whether somebody who may veto is among them; then nothing is settled,
            but by a veto that was cast.

    Returns:
        The end, with its reason; None while it is open, and for rules and options for which
        there is no proof.

    Example:
        >>> settled(Election(["A"] * 3, options=["A", "B"]), 2, "plurality").winner
        'A'
        >>> settled(Election(["A"] * 3 + ["B"], options=["A", "B"]), 2, "plurality") is None
        True
    """
    counts = rule_named(rule)
    name = rule.strip().casefold().replace("-", "_").replace(" ", "_")
    told = dict(parameters or {})
    case = _Open(
        election=election,
        rest=to_fraction(outstanding) * election.scale,
        rule=name,
        parameters=told,
    )
    kind: BallotKind = election.kind
    if not election.size or not (election.declared or kind == "yes_no"):
        return None
    if name == "majority":
        if counts(election, **told).kind == "blocked":
            return Settled(None, "it is vetoed")
        if veto_outstanding:
            return None
        return _verdict(case) if kind == "yes_no" else _majority(case)
    if veto_outstanding:
        return None
    if name in _POINTS or name == "borda":
        return _by_points(case, [to_fraction(one) for one in _points(case, counts)])
    if name in _ELECT_THE_CONDORCET_WINNER and told.get("strength") != "opposition":
        return _condorcet(case)
    return _first_choice(case) if name == "irv" else None


# --- thresholds ------------------------------------------------------------------------------


def _bases(case: _Open) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest weight that the threshold may be measured against."""
    election, base = case.election, case.parameters.get("base", "roster")
    now = Fraction(base_weight(election, base))
    if base == "roster" and election.roster is not None:
        return now, now
    return now, now + case.rest


def _verdict(case: _Open) -> Settled | None:
    limit = read_threshold(case.parameters.get("threshold", "majority"))
    yes = first_places(case.election)[case.election.options.index("yes")]
    _, most = _bases(case)
    if limit.is_met(yes, most):
        return Settled("passed", f"{case.votes(yes)} say yes, enough of {case.votes(most)}")
    if not limit.is_met(yes + case.rest, most):
        can = case.votes(yes + case.rest)
        return Settled("rejected", f"at most {can} of {case.votes(most)} can still say yes")
    return None


def _majority(case: _Open) -> Settled | None:
    limit = read_threshold(case.parameters.get("threshold", "majority"))
    tally = first_places(case.election)
    _, most = _bases(case)
    top = max(tally)
    leading = _by_points(case, tally)
    if leading is not None and limit.is_met(top, most):
        return Settled(leading.winner, f"{case.votes(top)} of {case.votes(most)} are enough")
    casting = 0 if case.parameters.get("ties", "none") == "none" else case.election.scale
    if not limit.is_met(top + case.rest + casting, most + casting):
        can = case.votes(top + case.rest)
        return Settled(None, f"no option can reach more than {can} of {case.votes(most)}")
    return None


# --- leads -----------------------------------------------------------------------------------


def _points(case: _Open, counts: Any) -> Sequence[Exact]:  # noqa: ANN401  # a rule
    """Return what each option has, in units, as the rule itself counts it."""
    told = {name: value for name, value in case.parameters.items() if name != "ties"}
    tally = counts(case.election, **told).tally
    scale = case.election.scale
    return [to_fraction(tally[name]) * scale for name in case.election.options]


def _by_points(case: _Open, tally: Sequence[int | Fraction]) -> Settled | None:
    worth = _POINTS.get(case.rule, 1)
    if case.rule == "borda":
        worth = len(case.election.options) - 1
    first = max(range(len(tally)), key=lambda at: tally[at])
    rivals = [one for at, one in enumerate(tally) if at != first]
    lead = tally[first] - max(rivals) if rivals else None
    gain = case.rest * worth
    if lead is not None and lead <= gain:
        return None
    what = "it has no rival" if lead is None else f"it leads by {case.votes(lead)}"
    return Settled(case.option(first), f"{what}, and {case.votes(gain)} can still be gained")


def _condorcet(case: _Open) -> Settled | None:
    """Return the option that beats every other by more than is outstanding."""
    matrix = case.election.pairwise(no_opinion=case.parameters.get("unranked") == "no_opinion")
    for at, mine in enumerate(matrix):
        leads = [votes - matrix[j][at] for j, votes in enumerate(mine) if j != at]
        if all(lead > case.rest for lead in leads):
            least = case.votes(min(leads)) if leads else "all"
            why = f"it beats every other by {least} or more, and {case.votes(case.rest)} are open"
            return Settled(case.option(at), why)
    return None


def _first_choice(case: _Open) -> Settled | None:
    tally = first_places(case.election)
    first = max(range(len(tally)), key=lambda at: tally[at])
    total = case.election.weight + case.rest
    if 2 * tally[first] <= total:
        return None
    has = f"{case.votes(tally[first])} of {case.votes(total)}"
    return Settled(case.option(first), f"it is the first choice of {has}")
