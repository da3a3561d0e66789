"""Outcomes: every deal of a problem in a row, and what each is worth to one party.

Here: the canonical order of all deals, one party's own exact table over it, the tables of all.
Not here: points of both parties together (frontier.py, solutions.py), how to play (strategies/).
Sources: SEMANTICS M1, M4 (a stated cap, then a clear refusal), G4, G5.

Deals are enumerated with terms and options sorted by name, whatever the order they were declared
in. The index of a deal is therefore also its place among the canonical texts sorted by code
point, and a lot over tied deals needs no texts.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from hashlib import sha256
from math import gcd, lcm, prod
from typing import Any

from comity.core.arrays import numpy_or_none
from comity.core.errors import Fault, InvalidInput, raise_if
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.constraints import Constraint, Excluded
from comity.mechanisms.bargaining.domain import Deal, Domain, count_text
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem import Bargainer, Problem

__all__ = [
    "MOST_OUTCOMES",
    "MOST_OUTCOMES_PLAIN",
    "Layout",
    "Outcomes",
    "OwnView",
    "drawn",
    "layout_of",
    "outcomes_of",
    "own_view",
    "summed",
]

MOST_OUTCOMES = 10_000_000
"""The most deals that are enumerated with arrays."""

MOST_OUTCOMES_PLAIN = 1_000_000
"""The most deals that are enumerated in plain Python, or called one by one."""

ARRAYS_FROM = 512  # below, lists are as fast, and numpy need not be loaded
_FITS = 2**62

Row = Sequence[int]
Ties = tuple[list[int], list[tuple[list[int], bytes, list[int]]]]


def drawn(seed: str, label: str, count: int) -> int:
    """Return the place that a seeded lot draws among ``count`` sorted names.

    Args:
        seed: the recorded seed.
        label: where the tie arose.
        count: how many are tied, 1 or more.

    Returns:
        ⌊u·count⌋, as :func:`comity.core.ties.lot` draws it; 0 without a draw for a single one.

    Example:
        >>> from comity.core.ties import lot
        >>> lot("7", "winner", ["a", "b", "c"]).chosen == "abc"[drawn("7", "winner", 3)]
        True
    """
    if count == 1:
        return 0
    raw = sha256((seed + label).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(raw, "big") * count >> 256


@dataclass(frozen=True, slots=True)
class Layout:
    """The canonical order of all deals of a domain.

    Attributes:
        terms: the names of the terms, sorted by code point.
        options: per term, the names of its options, sorted by code point.
        declared: the names of the terms in the order they were declared, for writing deals.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> layout = layout_of(domain_of({"tls": ["1.3", "1.2"], "days": [30, 60]}))
        >>> layout.deal(1), layout.index({"tls": "1.3", "days": "30"})
        ({'tls': '1.3', 'days': '30'}, 1)
    """

    terms: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    declared: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of deals."""
        return prod(len(names) for names in self.options)

    def places(self, index: int) -> tuple[int, ...]:
        """Return, per sorted term, the place of its option in a deal."""
        found = []
        for names in reversed(self.options):
            index, place = divmod(index, len(names))
            found.append(place)
        return tuple(reversed(found))

    def deal(self, index: int) -> dict[str, str]:
        """Return a deal as term -> option, in the declared order of the terms."""
        chosen = {
            term: names[place]
            for term, names, place in zip(
                self.terms, self.options, self.places(index), strict=True
            )
        }
        return {term: chosen[term] for term in self.declared}

    def index(self, deal: Deal) -> int:
        """Return the place of a deal that settles every term with an option on offer."""
        index = 0
        for term, names in zip(self.terms, self.options, strict=True):
            index = index * len(names) + names.index(deal[term])
        return index

    def text(self, index: int) -> str:
        """Return the canonical text of a deal; texts sort by code point as indices do."""
        places = zip(self.terms, self.options, self.places(index), strict=True)
        return "\n".join(f"{term}={names[place]}" for term, names, place in places)


def layout_of(domain: Domain) -> Layout:
    """Return the canonical order of all deals of a domain.

    Args:
        domain: what can be agreed on.

    Returns:
        The layout; equal for every order of declaring, but for ``declared``.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> layout_of(domain_of({"b": ["y", "x"], "a": ["z"]})).text(0).split()
        ['a=z', 'b=x']
    """
    terms = sorted(domain.terms, key=lambda term: term.name)
    names = tuple(tuple(sorted(term.names)) for term in terms)
    return Layout(tuple(term.name for term in terms), names, domain.names)


@dataclass(frozen=True, slots=True, eq=False)
class OwnView:
    """What one party knows: the deals, and what each is worth to itself.

    Attributes:
        party: whose it is.
        layout: the canonical order of the deals.
        scale: how many steps of a utility make 1.
        utilities: per deal, its worth in steps; 0 where nobody can make the deal.
        least: the least worth in steps that it accepts; None when it accepts any.
        order: the deals it would accept, worst first; equal ones by canonical text.
        ascending: their worth, likewise.
        shut: 1 per deal that nobody can make or that crosses its red lines; None when none is.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> ann = Bargainer("ann", additive(d, {"tls": {"1.3": 0.5}}, reservation=0.1))
        >>> view = own_view(d, ann)
        >>> view.deal(view.order[-1]), view.of(view.order[-1]), view.is_rational(0)
        ({'tls': '1.3'}, Fraction(1, 2), False)
    """

    party: PartyId
    layout: Layout
    scale: int
    utilities: Row
    least: int | None
    order: Row
    ascending: Row
    shut: Row | None = None
    kept: dict[tuple[int, ...], Ties] = field(default_factory=dict, repr=False)

    def deal(self, index: int) -> dict[str, str]:
        """Return a deal as term -> option."""
        return self.layout.deal(index)

    def index(self, deal: Deal) -> int:
        """Return the place of a deal that settles every term."""
        return self.layout.index(deal)

    def of(self, index: int) -> Fraction:
        """Return what a deal is worth, exact."""
        return Fraction(int(self.utilities[index]), self.scale)

    def is_rational(self, index: int) -> bool:
        """Tell whether the party would accept a deal: open, at its reservation, no red line."""
        if self.shut is not None and self.shut[index]:
            return False
        return self.least is None or bool(self.utilities[index] >= self.least)

    @property
    def lowest(self) -> int:
        """The worth of the worst deal that it would accept: where its concessions end."""
        return int(self.ascending[0])

    @property
    def zero(self) -> int:
        """The worth it counts gains from, in steps: as the solution points do.

        The reservation, rounded up to a step; without one 0, or its worst deal when that is less.
        """
        return min(0, self.lowest) if self.least is None else self.least

    @property
    def best(self) -> int:
        """The worth of its best deal."""
        return int(self.ascending[-1])

    def level(self, target: int) -> tuple[int, int]:
        """Return the slice of :attr:`order` with the deals worth least, but at least a target.

        Args:
            target: in steps, at most :attr:`best`.

        Returns:
            Start and stop.
        """
        start = bisect_left(self.ascending, target)
        return start, bisect_right(self.ascending, int(self.ascending[start]), lo=start)

    def label(self, worth: int) -> str:
        """Return the label of the lot between deals of equal worth."""
        shared = gcd(worth, self.scale)
        below = self.scale // shared
        return f"{self.party}: {worth // shared}" + (f"/{below}" if below > 1 else "")

    def nearest(self, target: int, seed: str) -> int:
        """Return the deal worth least, but at least a target; a lot decides among equals.

        Args:
            target: in steps, at most :attr:`best`.
            seed: of the lot, whose label is the party and the worth.
        """
        start, stop = self.level(target)
        label = self.label(int(self.ascending[start])) if stop - start > 1 else ""
        return int(self.order[start + drawn(seed, label, stop - start)])

    def nearest_of(self, targets: tuple[int, ...], seed: str) -> list[int]:
        """Return the nearest deal of every target, as :meth:`nearest` does, all at once.

        Args:
            targets: in steps, at most :attr:`best`.
            seed: of the lots.
        """
        if targets not in self.kept:
            self.kept[targets] = self._ties_of(targets)
        first, ties = self.kept[targets]
        found = first.copy()
        start = seed.encode("utf-8", "surrogatepass")
        for places, label, equal in ties:  # as drawn() does, without a call for each
            raw = sha256(start + label).digest()
            one = equal[int.from_bytes(raw, "big") * len(equal) >> 256]
            for at in places:
                found[at] = one
        return found

    def _ties_of(self, targets: tuple[int, ...]) -> Ties:
        """Return a deal for every target, and the lots: where, with what label, among which."""
        first: list[int] = []
        ties: dict[int, tuple[list[int], bytes, list[int]]] = {}
        for at, target in enumerate(targets):
            start, stop = self.level(target)
            first.append(int(self.order[start]))
            if stop - start > 1:
                worth = int(self.ascending[start])
                if worth not in ties:
                    equal = [int(one) for one in self.order[start:stop]]
                    label = self.label(worth).encode("utf-8", "surrogatepass")
                    ties[worth] = ([], label, equal)
                ties[worth][0].append(at)
        return first, list(ties.values())


def own_view(domain: Domain, party: Bargainer, constraints: Iterable[Constraint] = ()) -> OwnView:
    """Return one party's table of all deals.

    Args:
        domain: what can be agreed on.
        party: its preferences and red lines; nothing of the others is needed.
        constraints: deals that nobody can make.

    Returns:
        The view.

    Raises:
        InvalidInput: for more deals than are enumerated.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> d = domain_of({"a": [str(n) for n in range(3000)], "b": [str(n) for n in range(4000)]})
        >>> own_view(d, Bargainer("ann", additive(d, {})))
        Traceback (most recent call last):
        comity.core.errors.InvalidInput: ann: would look at 12,000,000 deals one by one. Allowed: \
at most 10,000,000 with arrays, 1,000,000 without. Next: leave out options, or let a mediator \
decide.
    """
    layout = layout_of(domain)
    return _view(layout, party, tuple(constraints))


def _view(layout: Layout, party: Bargainer, constraints: tuple[Constraint, ...]) -> OwnView:
    wants = party.preferences
    numpy = numpy_or_none() if layout.size >= ARRAYS_FROM else None
    is_additive = isinstance(wants, Additive)
    raise_if(_cap(layout, party.name, has_arrays=numpy is not None and is_additive))
    shut = _shut(layout, (*constraints, *party.red_lines), numpy)
    if isinstance(wants, Additive):
        tables = dict(zip(wants.domain.names, map(dict, wants.values), strict=True))
        rows, scale = _scaled(layout, tables)
        utilities = summed(rows, numpy)
    else:
        values = [
            Fraction(0) if shut is not None and shut[index] else wants.of(layout.deal(index))
            for index in range(layout.size)
        ]
        scale = lcm(*(value.denominator for value in values))
        utilities = _row([int(value * scale) for value in values], numpy)
    least = None
    if wants.reservation is not None:
        least = -(-wants.reservation.numerator * scale // wants.reservation.denominator)
    order = _order(utilities, least, shut, numpy)
    ascending = _taken(utilities, order)
    return OwnView(party.name, layout, scale, utilities, least, order, ascending, shut)


def _cap(layout: Layout, whose: str, *, has_arrays: bool) -> list[Fault]:
    if layout.size <= (MOST_OUTCOMES if has_arrays else MOST_OUTCOMES_PLAIN):
        return []
    return [
        Fault(
            whose,
            f"would look at {count_text(layout.size)} deals one by one",
            f"at most {MOST_OUTCOMES:,} with arrays, {MOST_OUTCOMES_PLAIN:,} without",
            "leave out options, or let a mediator decide",
        )
    ]


def _scaled(layout: Layout, tables: dict[str, dict[str, Fraction]]) -> tuple[list[list[int]], int]:
    """Return per sorted term the numbers of its sorted options in whole steps, and the scale."""
    scale = lcm(*(value.denominator for table in tables.values() for value in table.values()))
    rows = []
    for term, names in zip(layout.terms, layout.options, strict=True):
        table = tables.get(term, {})
        picked = [table.get(name, Fraction(0)) for name in names]
        rows.append([one.numerator * (scale // one.denominator) for one in picked])
    return rows, scale


def summed(rows: Sequence[Sequence[int]], numpy: Any) -> Row:  # noqa: ANN401  # may be absent
    """Return the sum of one number per term for every deal, term by term.

    Args:
        rows: per sorted term, the whole numbers of its sorted options.
        numpy: the module, or None for a list.

    Returns:
        One sum per deal; a list also where the sums are too large for a machine word.

    Example:
        >>> summed([[0, 10], [1, 2, 3]], None)
        [1, 2, 3, 11, 12, 13]
    """
    if numpy is not None and sum(max(map(abs, row)) for row in rows) < _FITS:
        total = numpy.zeros(1, dtype=numpy.int64)
        for row in rows:
            total = (total[:, None] + numpy.array(row, dtype=numpy.int64)).ravel()
        return total  # type: ignore[no-any-return]  # numpy is untyped here
    sums = [0]
    for row in rows:
        sums = [before + one for before in sums for one in row]
    return sums


def _row(values: list[int], numpy: Any) -> Row:  # noqa: ANN401  # the same
    if numpy is not None and max(map(abs, values)) < _FITS:
        return numpy.array(values, dtype=numpy.int64)  # type: ignore[no-any-return]  # untyped
    return values


def _shut(layout: Layout, constraints: Sequence[Constraint], numpy: Any) -> Row | None:  # noqa: ANN401  # the same
    """Return 1 per deal that breaks a constraint, 0 per other; None without constraints."""
    shut: Row | None = None
    for one in constraints:
        broken = _broken(layout, one, numpy)
        if shut is None:
            shut = broken
        elif isinstance(broken, list):
            shut = [int(a or b) for a, b in zip(shut, broken, strict=True)]
        else:
            shut = shut | broken  # type: ignore[operator]  # arrays
    return shut


def _broken(layout: Layout, one: Constraint, numpy: Any) -> Row:  # noqa: ANN401  # the same
    """Return 1 per deal whose sum is outside what a constraint allows, 0 per other."""
    low: int | None = None
    high: int | None = None
    if isinstance(one, Excluded):
        tables = {term: {option: Fraction(1) for option in options} for term, options in one.parts}
        rows, _ = _scaled(layout, tables)
        high = len(one.parts) - 1
    else:
        rows, scale = _scaled(layout, {term: dict(adds) for term, adds in one.quantity.parts})
        bound = (one.bound - one.quantity.base) * scale
        below, rest = divmod(bound.numerator, bound.denominator)
        if one.op in ("<=", "<", "=="):
            high = below - 1 if one.op == "<" and not rest else below
        if one.op in (">=", ">", "=="):
            low = below if one.op != ">" and not rest else below + 1
    sums: Any = summed(rows, numpy)
    if isinstance(sums, list):
        return [
            int((low is not None and found < low) or (high is not None and found > high))
            for found in sums
        ]
    outside: Any = numpy.zeros(len(sums), dtype=bool)
    if low is not None:
        outside |= sums < low
    if high is not None:
        outside |= sums > high
    return outside  # type: ignore[no-any-return]  # an array


def _order(utilities: Row, least: int | None, shut: Row | None, numpy: Any) -> Row:  # noqa: ANN401  # the same
    """Return the acceptable deals, worst first; equal ones stay in canonical order."""
    if isinstance(utilities, list):
        kept = [
            index
            for index, value in enumerate(utilities)
            if not (shut is not None and shut[index]) and (least is None or value >= least)
        ]
        kept.sort(key=utilities.__getitem__)
        return kept
    every: Any = utilities
    keep = None if shut is None else ~numpy.asarray(shut, dtype=bool)
    if least is not None:
        good = every >= least
        keep = good if keep is None else keep & good
    ids = numpy.arange(len(every)) if keep is None else numpy.flatnonzero(keep)
    worth = every if keep is None else every[ids]
    return ids[_sorting(worth, ids, numpy)] if len(ids) else ids  # type: ignore[no-any-return]


def _sorting(worth: Any, ids: Any, numpy: Any) -> Any:  # noqa: ANN401  # arrays
    """Return the stable ascending order of ``worth``: by one plain sort where both fit a word."""
    low, count = int(worth.min()), len(ids)
    if (int(worth.max()) - low + 1) * count < _FITS:
        keyed = (worth - low) * count + numpy.arange(count)
        keyed.sort()
        return keyed % count
    return numpy.argsort(worth, kind="stable")


def _taken(values: Row, order: Row) -> Row:
    if isinstance(values, list):
        return [values[index] for index in order]
    return values[order]  # type: ignore[call-overload, no-any-return]  # an array of places


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The tables of all parties over one problem; made once, used for many negotiations.

    Attributes:
        problem: the problem.
        layout: the canonical order of its deals.
        views: per party, in the order of the names, what it alone knows.
        kept: what several negotiations over the same problem share, filled by several.py.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> p = problem_of(d, {"b": additive(d, {}), "a": additive(d, {"tls": {"1.3": 1}})})
        >>> outcomes_of(p).view("a").best
        1
    """

    problem: Problem
    layout: Layout
    views: tuple[OwnView, ...]
    kept: dict[str, Any]

    def view(self, party: PartyId) -> OwnView:
        """Return what one party knows."""
        return next(one for one in self.views if one.party == party)


def outcomes_of(problem: Problem) -> Outcomes:
    """Return the tables of all parties, one by one; no party's table holds another's values.

    Args:
        problem: the problem.

    Returns:
        The outcomes.

    Raises:
        InvalidInput: for more deals than are enumerated, and what a function of deals refuses.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"tls": ["1.2", "1.3"]})
        >>> p = problem_of(d, {"b": additive(d, {}), "a": additive(d, {"tls": {"1.3": 1}})})
        >>> [one.party for one in outcomes_of(p).views]
        ['a', 'b']
    """
    layout = layout_of(problem.domain)
    views = []
    faults: list[Fault] = []
    for one in problem.parties:
        try:
            views.append(_view(layout, one, problem.constraints))
        except InvalidInput as error:
            faults.extend(error.faults)
    raise_if(faults)
    return Outcomes(problem, layout, tuple(views), {})
