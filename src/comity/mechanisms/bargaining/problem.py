"""Problem: who bargains about what, with which preferences.

Here: the parties of one bargaining problem over several issues, and its check.
Not here: its solution points (solutions.py), how it is bargained out (strategies/, protocols/).
Sources: SEMANTICS M1, G6, G7; Nash 1950 for the bargaining problem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from comity.core.errors import Fault, raise_if
from comity.core.parties import PartyId, name_fault
from comity.core.units import Rates
from comity.mechanisms.bargaining.constraints import Constraint, is_allowed
from comity.mechanisms.bargaining.domain import Deal, Domain
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.valuations import Preferences

__all__ = ["Bargainer", "Problem", "problem_of"]


@dataclass(frozen=True, slots=True)
class Bargainer:
    """One party of the problem.

    Attributes:
        name: its name.
        preferences: what it thinks of each deal.
        red_lines: deals that it never accepts, whatever they are worth to it.
    """

    name: PartyId
    preferences: Preferences
    red_lines: tuple[Constraint, ...] = ()

    def accepts(self, deal: Deal) -> bool:
        """Tell whether a full deal reaches its reservation and crosses none of its red lines."""
        return self.preferences.accepts(deal) and is_allowed(deal, self.red_lines)


@dataclass(frozen=True, slots=True)
class Problem:
    """Two or more parties and the deals open to them.

    Attributes:
        domain: the issues.
        parties: sorted by name, so that the order of joining means nothing.
        constraints: deals that nobody can make.
        rates: how the parties' units convert to one, when the scenario says so.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> p = problem_of(d, {"b": additive(d, {}), "a": additive(d, {"tls": {"1.3": 1}})})
        >>> p.names, [str(one) for one in p.utilities({"tls": "1.3"})]
        (('a', 'b'), ['1', '0'])
    """

    domain: Domain
    parties: tuple[Bargainer, ...]
    constraints: tuple[Constraint, ...] = ()
    rates: Rates | None = None

    @property
    def names(self) -> tuple[PartyId, ...]:
        """The parties' names, sorted."""
        return tuple(one.name for one in self.parties)

    @property
    def is_additive(self) -> bool:
        """Whether it can be solved issue by issue, without looking at every deal."""
        if self.constraints or any(one.red_lines for one in self.parties):
            return False
        return all(isinstance(one.preferences, Additive) for one in self.parties)

    def party(self, name: PartyId) -> Bargainer:
        """Return the party of this name."""
        return next(one for one in self.parties if one.name == name)

    def utilities(self, deal: Deal) -> tuple[Fraction, ...]:
        """Return what a deal is worth to each party, in the order of their names."""
        return tuple(one.preferences.of(deal) for one in self.parties)

    def allows(self, deal: Deal) -> bool:
        """Tell whether anybody could make this deal: it keeps the constraints of all."""
        return is_allowed(deal, self.constraints)

    def refused_by(self, deal: Deal) -> tuple[PartyId, ...]:
        """Return the parties that do not accept a deal, sorted."""
        return tuple(one.name for one in self.parties if not one.accepts(deal))


def problem_of(
    domain: Domain,
    parties: Mapping[PartyId, Preferences] | Iterable[Bargainer],
    *,
    constraints: Iterable[Constraint] = (),
    rates: Rates | None = None,
) -> Problem:
    """Build a problem and refuse every fault at once.

    Args:
        domain: the issues.
        parties: name -> preferences, or parties with their red lines.
        constraints: deals that nobody can make.
        rates: conversion to one unit.

    Returns:
        The problem.

    Raises:
        InvalidInput: for fewer than two parties, names that cannot be used or stand twice, and
            preferences over another domain.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> problem_of(d, {"ann": additive(d, {})})
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: problem: has 1 party. Allowed: two or more parties. \
Next: add one.
    """
    if isinstance(parties, Mapping):
        sides = [Bargainer(name, one) for name, one in parties.items()]
    else:
        sides = list(parties)
    faults: list[Fault] = []
    if len(sides) < 2:
        what = f"has {len(sides)} part{'y' if len(sides) == 1 else 'ies'}"
        faults.append(Fault("problem", what, "two or more parties", "add one"))
    seen: set[str] = set()
    for one in sides:
        fault = name_fault(one.name, "party")
        if fault:
            faults.append(fault)
        if one.name in seen:
            faults.append(Fault(str(one.name), "stands twice", "each party once", "rename one"))
        seen.add(one.name)
        if one.preferences.domain != domain:
            faults.append(
                Fault(str(one.name), "values another domain", "the problem's own", "rebuild them")
            )
    raise_if(faults)
    ordered = tuple(sorted(sides, key=lambda one: one.name))
    return Problem(domain, ordered, tuple(constraints), rates)
