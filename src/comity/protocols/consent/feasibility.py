"""Feasibility: can all red lines be kept at once, and if not, which ones collide?

Here: an exact search over the deals of a domain with bounds at every branch, every smallest set
of red lines that cannot be kept together.
Not here: what a red line is (red_lines.py), what follows from a conflict (machine.py).
Sources: SEMANTICS C4 (exact up to 10^6 deals, else interval bounds, else "not checked"; a minimal
conflicting set is named); Liffiton and Sakallah 2008 for minimal unsatisfiable subsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, lcm
from typing import Literal

from comity.core.exact import to_fraction
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.domain import Domain
from comity.protocols.consent.red_lines import Predicate

__all__ = ["EXACT_UP_TO", "NOT_CHECKED", "Conflict", "Feasibility", "check_red_lines", "keeps_all"]

EXACT_UP_TO = 1_000_000
_NODES_BEYOND = 50_000
_SUBSETS_AT_MOST = 400

Owned = tuple[PartyId, Predicate]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A smallest set of red lines that no deal keeps together.

    Example:
        >>> Conflict((("CX", Predicate("ms", "<=", 40)),)).parties
        ('CX',)
    """

    red_lines: tuple[Owned, ...]

    @property
    def parties(self) -> tuple[PartyId, ...]:
        """Whose red lines collide, sorted, each once."""
        return tuple(sorted({party for party, _ in self.red_lines}))

    def __str__(self) -> str:
        """Return the set in words."""
        return " and ".join(f"{party}'s {line}" for party, line in self.red_lines)


@dataclass(frozen=True, slots=True)
class Feasibility:
    """Whether all red lines can be kept at once.

    Attributes:
        verdict: ``"feasible"`` with a witness, ``"conflict"``, or ``"not_checked"`` when the
            domain is too large to tell.
        witness: a deal that keeps them all, as (term, option) pairs; empty otherwise.
        conflicts: the smallest conflicting sets; all of them when ``complete``, else one.
        complete: whether all smallest sets are listed.

    Example:
        >>> Feasibility("not_checked").conflicts
        ()
    """

    verdict: Literal["feasible", "conflict", "not_checked"]
    witness: tuple[tuple[str, str], ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    complete: bool = True


NOT_CHECKED = Feasibility("not_checked")


@dataclass(frozen=True, slots=True)
class _Row:
    """A red line as integers: per term, what each option adds; then the allowed interval."""

    adds: tuple[tuple[int, ...], ...]
    low: int | None
    high: int | None
    tail_low: tuple[int, ...]
    tail_high: tuple[int, ...]

    def open_at(self, total: int, depth: int) -> bool:
        """Tell whether some choice of the terms from ``depth`` on can still keep it."""
        above = self.low is None or total + self.tail_high[depth] >= self.low
        below = self.high is None or total + self.tail_low[depth] <= self.high
        return above and below


def check_red_lines(
    domain: Domain, red_lines: Sequence[Owned], *, explain: bool = True
) -> Feasibility:
    """Tell whether some deal of the domain keeps every red line.

    Args:
        domain: terms and declared sums.
        red_lines: (party, predicate) pairs in any order; the order decides nothing.
        explain: whether to look for the smallest conflicting sets.

    Returns:
        The verdict; with a conflict, every smallest conflicting set (or one minimal set when
        there are too many subsets to try).

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"days": [30, 60]})
        >>> lines = [("CC", Predicate("days", ">=", 60)), ("CX", Predicate("days", "<", 60))]
        >>> print(check_red_lines(d, lines).conflicts[0])
        CC's days >= 60 and CX's days < 60
    """
    owned = sorted(set(red_lines), key=lambda one: (one[0], str(one[1])))
    order = _term_order(domain, owned)
    rows = [_row(domain, order, line) for _, line in owned]
    found = _search(domain, order, rows)
    if found == "unknown":
        return Feasibility("not_checked")
    if found is not None:
        return Feasibility("feasible", witness=tuple(found))
    if not explain:
        return Feasibility("conflict", complete=False)
    conflicts, complete = _conflicts(domain, order, owned, rows)
    return Feasibility("conflict", conflicts=conflicts, complete=complete)


def keeps_all(domain: Domain, red_lines: Sequence[Owned], deal: dict[str, str]) -> bool:
    """Tell whether a full deal keeps every red line.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> keeps_all(
        ...     domain_of({"a": ["x", "y"]}),
        ...     [("CC", Predicate("a", "in", None, ("x",)))],
        ...     {"a": "y"},
        ... )
        False
    """
    order = list(range(len(domain.terms)))
    at = [domain.terms[index].names.index(deal[domain.terms[index].name]) for index in order]
    rows = (_row(domain, order, line) for _, line in red_lines)
    return all(
        row.open_at(sum(adds[pick] for adds, pick in zip(row.adds, at, strict=True)), len(order))
        for row in rows
    )


def _term_order(domain: Domain, owned: Sequence[Owned]) -> list[int]:
    """Order the terms so that those in most red lines are settled first."""
    used = [0] * len(domain.terms)
    for _, line in owned:
        for index, term in enumerate(domain.terms):
            quantity = domain.quantity(line.subject)
            named = quantity is not None and any(name == term.name for name, _ in quantity.parts)
            used[index] += named or term.name == line.subject
    return sorted(range(len(used)), key=lambda index: (-used[index], domain.terms[index].name))


def _row(domain: Domain, order: Sequence[int], line: Predicate) -> _Row:
    quantity = domain.quantity(line.subject)
    base = quantity.base if quantity else Fraction(0)
    parts = {term: dict(adds) for term, adds in quantity.parts} if quantity else {}
    table: list[list[Fraction]] = []
    for index in order:
        term = domain.terms[index]
        if term.name in parts:
            table.append([parts[term.name][option] for option in term.names])
        elif term.name != line.subject:
            table.append([Fraction(0)] * len(term.options))
        elif line.op == "in":
            table.append([Fraction(option not in line.options) for option in term.names])
        else:
            table.append([to_fraction(dict(option.numbers)[""]) for option in term.options])
    bound = Fraction(0) if line.op == "in" else to_fraction(line.bound or 0)
    limit = bound - base
    scale = lcm(limit.denominator, *(value.denominator for row in table for value in row))
    adds = tuple(tuple(int(value * scale) for value in row) for row in table)
    whole = int(limit * scale)
    lows, highs = [0], [0]
    for row in reversed(adds):
        lows.append(lows[-1] + min(row))
        highs.append(highs[-1] + max(row))
    at_most = {"<": whole - 1, "<=": whole, "==": whole, "in": whole}.get(line.op)
    at_least = {">": whole + 1, ">=": whole, "==": whole}.get(line.op)
    return _Row(adds, at_least, at_most, tuple(reversed(lows)), tuple(reversed(highs)))


def _search(
    domain: Domain, order: Sequence[int], rows: Sequence[_Row]
) -> list[tuple[str, str]] | Literal["unknown"] | None:
    """Return a deal that keeps all rows, None when there is none, or "unknown"."""
    budget = None if domain.size <= EXACT_UP_TO else _NODES_BEYOND
    depth_of = len(order)
    widths = [len(domain.terms[index].options) for index in order]
    picks = [0] * depth_of
    totals = [[0] * len(rows)] + [[0] * len(rows) for _ in order]
    if not all(row.open_at(0, 0) for row in rows):
        return None
    depth = 0
    nodes = 0
    while depth >= 0:
        if depth == depth_of:
            names = [domain.terms[index] for index in order]
            return [(term.name, term.names[picks[at] - 1]) for at, term in enumerate(names)]
        if picks[depth] == widths[depth]:
            picks[depth] = 0
            depth -= 1
            continue
        pick = picks[depth]
        picks[depth] += 1
        nodes += 1
        if budget is not None and nodes > budget:
            return "unknown"
        below = totals[depth + 1]
        for at, row in enumerate(rows):
            below[at] = totals[depth][at] + row.adds[depth][pick]
            if not row.open_at(below[at], depth + 1):
                break
        else:
            depth += 1
    return None


def _conflicts(
    domain: Domain, order: Sequence[int], owned: Sequence[Owned], rows: Sequence[_Row]
) -> tuple[tuple[Conflict, ...], bool]:
    size = tried = 0
    is_known = True
    while True:  # ends: all of them together conflict
        size += 1
        tried += comb(len(owned), size)
        if tried > _SUBSETS_AT_MOST:
            return (_one_minimal(domain, order, owned, rows),), False
        found = []
        for subset in combinations(range(len(owned)), size):
            deal = _search(domain, order, [rows[at] for at in subset])
            is_known = is_known and deal != "unknown"
            if deal is None:
                found.append(Conflict(tuple(owned[at] for at in subset)))
        if found:
            return tuple(found), is_known


def _one_minimal(
    domain: Domain, order: Sequence[int], owned: Sequence[Owned], rows: Sequence[_Row]
) -> Conflict:
    kept = list(range(len(owned)))
    for at in range(len(owned)):
        rest = [one for one in kept if one != at]
        if _search(domain, order, [rows[one] for one in rest]) is None:
            kept = rest
    return Conflict(tuple(owned[at] for at in kept))
