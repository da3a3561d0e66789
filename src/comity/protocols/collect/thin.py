"""Thin: why might a person want to look twice at a result?

Here: the reasons of SEMANTICS G8 for the result of a live vote; for majorities by arithmetic, so
that a large vote is judged at once.
Not here: what is done about it (gate.py), the same for other rules (mechanisms/voting/explain.py).
Sources: SEMANTICS G8: a tie rule was used; one voter could have turned it; turnout; two standard
rules disagree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from comity.core.exact import Exact, to_fraction
from comity.mechanisms.voting import Election
from comity.mechanisms.voting.ballots import UNRANKED
from comity.mechanisms.voting.explain import THIN_EFFECTIVE, compare, explain
from comity.mechanisms.voting.results import VoteChoice, VoteVerdict
from comity.mechanisms.voting.threshold import base_weight, first_places, read_threshold
from comity.protocols.collect.rules import VoteRules

__all__ = ["thin_of"]

_COMPARED = ("plurality", "borda", "condorcet", "irv")


def thin_of(found: Any, rules: VoteRules) -> tuple[str, ...]:  # noqa: ANN401  # a result of a vote
    """Return why a result is thin (G8); nothing for one that decides nothing.

    Args:
        found: the result.
        rules: the rules it came about by.

    Example:
        >>> from comity.mechanisms.voting.threshold import majority
        >>> from comity.protocols.collect.opening import vote_rules
        >>> rules = vote_rules("Ship it?", ["ann", "bob", "cyd"], seed="1")
        >>> thin_of(majority({"ann": "yes", "bob": "yes", "cyd": "no"}), rules)
        ('margin_of_victory_1',)
    """
    if not isinstance(found, (VoteChoice, VoteVerdict)):
        return ()
    if rules.rule != "majority":
        told = tuple(item for item in found.grounds.parameters if item[0] in rules.told)
        plain = replace(found, grounds=replace(found.grounds, parameters=told))
        return explain(plain, n_eff=rules.n_eff, turnout_floor=rules.turnout_floor).thin
    election = found.count.election
    count = _Majority(election, rules)
    thin = list(found.grounds.thin)
    hangs = (
        count.verdict_hangs(found.verdict)
        if isinstance(found, VoteVerdict)
        else count.choice_hangs(found.option)
    )
    if hangs:
        thin.append("margin_of_victory_1")
    if count.leads_by_little(found):
        thin.append("effective_margin")
    if _is_low(election, rules.turnout_floor):
        thin.append("turnout")
    if isinstance(found, VoteChoice) and election.kind == "ranking":
        said = [one for one in compare(election).said if one.rule in _COMPARED]
        if any((one.winner or one.tied) != found.option for one in said if not one.why_not):
            thin.append("rules_disagree")
    return tuple(thin)


def _is_low(election: Election, floor: Exact | None) -> bool:
    if floor is None:
        return False
    here = election.weight + election.abstained_weight + election.invalid_weight
    return to_fraction(here) < to_fraction(floor) * (here + election.absent_weight)


class _Majority:
    """A count by majority, and what one voter could do to it."""

    __slots__ = ("base", "election", "limit", "n_eff", "tally", "total")

    def __init__(self, election: Election, rules: VoteRules) -> None:
        self.election = election
        self.n_eff = rules.n_eff
        self.limit = read_threshold(rules.told.get("threshold", "majority"))
        self.base = rules.told.get("base", "roster")
        self.total = base_weight(election, self.base)
        self.tally = dict(zip(election.options, first_places(election), strict=True))

    def _voters(self) -> Iterator[tuple[str, int, int]]:
        """Yield what each voter is for ("" for nothing), its weight and the base with its vote."""
        for line in self.election.lines:
            ranks = self.election.ranks_of(line)
            best = min(ranks)
            firsts = [at for at, rank in enumerate(ranks) if rank == best != UNRANKED]
            name = self.election.options[firsts[0]] if len(firsts) == 1 else ""
            yield name, line.weight, self.total
        for line in self.election.abstentions:
            more = line.weight if self.base == "expressed" else 0
            yield "", line.weight, self.total + more

    def verdict_hangs(self, verdict: str) -> bool:
        """Tell whether one voter could have turned a verdict."""
        yes = self.tally["yes"]
        if verdict == "passed":
            return any(
                not self.limit.is_met(yes - (weight if name == "yes" else 0), base)
                for name, weight, base in self._voters()
            )
        return any(
            self.limit.is_met(yes + weight, base)
            for name, weight, base in self._voters()
            if name != "yes"
        )

    def leads_by_little(self, found: VoteChoice | VoteVerdict) -> bool:
        """Tell whether the lead is below 1.5 votes of independent voters (V9)."""
        cast = sum(self.tally.values(), Fraction(0))
        if self.n_eff is None or not cast:
            return False
        if isinstance(found, VoteVerdict):
            lead = abs(2 * Fraction(self.tally["yes"]) - cast)
        else:
            first, *others = sorted(map(Fraction, self.tally.values()), reverse=True)
            lead = first - max(others, default=Fraction(0))
        return lead / cast * to_fraction(self.n_eff) < THIN_EFFECTIVE

    def choice_hangs(self, winner: str) -> bool:
        """Tell whether one voter could have taken the win from an option."""
        others = sorted(
            (amount for name, amount in self.tally.items() if name != winner), reverse=True
        )
        first = others[0] if others else Fraction(0)
        for name, weight, base in self._voters():
            mine = self.tally[winner] - (weight if name == winner else 0)
            rival = first
            if name and name != winner and self.tally[name] == first:
                rival = others[1] if len(others) > 1 else Fraction(0)
            if mine <= rival + weight or not self.limit.is_met(mine, base):
                return True
        return False
