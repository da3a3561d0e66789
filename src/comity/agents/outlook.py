"""Outlook: which deals a rational advocate can still hope for.

Here: one party's own deals in descending value, what it has learned from the public transcript,
the deals left, and the combination of options that makes a deal worthless to it.
Not here: what it says (rational.py). Nothing here ever sees another party's values.
Sources: best-first enumeration of additive sums (Lawler 1972); learned clauses as in distributed
constraint reasoning (Yokoo et al. 1998).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush

from comity.mechanisms.bargaining.domain import Domain
from comity.mechanisms.bargaining.preferences import Additive
from comity.protocols.consent.red_lines import Clause, Predicate, crossed

__all__ = ["DEALS_AT_MOST", "Outlook", "others_like", "worthless_part"]

DEALS_AT_MOST = 20_000
FIRST_WEIGHT = 3
WANT_WEIGHT = 4
OFFER_WEIGHT = 1

Pick = tuple[int, ...]


@dataclass(slots=True)
class Outlook:
    """One party's deals, best first, and those that its knowledge leaves.

    Attributes:
        preferences: its own values; nobody else's.
        red_lines: its own red lines that code can check.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> d = domain_of({"a": ["x", "y"], "b": ["u", "v"]})
        >>> o = Outlook(additive(d, {"a": {"x": 2}, "b": {"u": 1}}, reservation=1), ())
        >>> [o.worth(pick) for pick in o.left((), ())]
        [3, 2, 1]
    """

    preferences: Additive
    red_lines: tuple[Predicate, ...]
    is_complete: bool = True
    _scores: Sequence[Sequence[int]] = ()
    _own: list[Pick] | None = None
    _left: dict[tuple[frozenset[Predicate], frozenset[Clause]], list[Pick]] = field(
        default_factory=dict
    )

    @property
    def domain(self) -> Domain:
        """What can be agreed on."""
        return self.preferences.domain

    def worth(self, pick: Pick) -> int:
        """Return the own value of a deal, in a fixed multiple of the unit that makes it whole."""
        if not self._scores:
            self._scores = self.preferences.whole()[0]
        return sum([scores[at] for scores, at in zip(self._scores, pick, strict=True)])

    def deal(self, pick: Pick) -> dict[str, str]:
        """Return a deal by its names."""
        return {
            term.name: term.names[at] for term, at in zip(self.domain.terms, pick, strict=True)
        }

    def pick(self, deal: Mapping[str, str]) -> Pick:
        """Return a deal by its option positions."""
        return tuple(term.names.index(deal[term.name]) for term in self.domain.terms)

    def own(self) -> list[Pick]:
        """Return the deals that keep the own limits, best first; at most DEALS_AT_MOST."""
        if self._own is None:
            scores, scale = self.preferences.whole()
            limit = self.preferences.reservation
            least = None if limit is None else limit * scale
            kept: list[Pick] = []
            for seen, (score, pick) in enumerate(_best_first(scores)):
                if least is not None and score < least:
                    break
                if seen >= DEALS_AT_MOST:
                    self.is_complete = False
                    break
                kept.append(pick)
            self._own = self._without_crossings(kept, self.red_lines)
        return self._own

    def _without_crossings(self, picks: list[Pick], lines: Iterable[Predicate]) -> list[Pick]:
        listed = tuple(lines)
        if not listed:
            return picks
        return [
            pick
            for pick in picks
            if not any(crossed(line, self.domain, self.deal(pick)) for line in listed)
        ]

    def left(self, lines: Iterable[Predicate], clauses: Iterable[Clause]) -> list[Pick]:
        """Return the own deals that others may accept too, best first.

        Args:
            lines: red lines that others stated.
            clauses: combinations that others said they cannot accept.

        Returns:
            Option positions per deal.
        """
        key = (frozenset(lines), frozenset(clauses))
        if key not in self._left:
            picks = self._without_crossings(self.own(), key[0])
            for clause in key[1]:
                table = self._table(clause)
                picks = [pick for pick in picks if not all(pick[at] in b for at, b in table)]
            self._left = {key: picks}
        return self._left[key]

    def _table(self, clause: Clause) -> list[tuple[int, frozenset[int]]]:
        names = self.domain.names
        return [
            (
                names.index(term),
                frozenset(self.domain.term(term).names.index(option) for option in options),
            )
            for term, options in clause.parts
        ]


def _best_first(scores: Sequence[Sequence[int]]) -> Iterator[tuple[int, Pick]]:
    """Yield every deal with its worth in descending order; equals in a fixed order of positions.

    The order among equals carries no weight: callers choose among equals by lot.
    """
    ranked = [
        sorted(((score, -at) for at, score in enumerate(row)), reverse=True) for row in scores
    ]
    first = tuple(0 for _ in ranked)
    heap = [(-sum(rows[0][0] for rows in ranked), first)]
    seen = {first}
    while heap:
        minus, ranks = heappop(heap)
        yield -minus, tuple(-rows[rank][1] for rows, rank in zip(ranked, ranks, strict=True))
        for at, rank in enumerate(ranks):
            if rank + 1 == len(ranked[at]):
                continue
            following = (*ranks[:at], rank + 1, *ranks[at + 1 :])
            if following not in seen:
                seen.add(following)
                loss = ranked[at][rank][0] - ranked[at][rank + 1][0]
                heappush(heap, (minus + loss, following))


def worthless_part(preferences: Additive, deal: Mapping[str, str]) -> Clause | None:
    """Return a smallest part of a deal that alone keeps it below the reservation value.

    The part holds as few terms as possible (those that cost most), and at each term every option
    that would be no better than needed, so that others learn as much as possible from it.

    Args:
        preferences: the own values with their reservation.
        deal: a full deal.

    Returns:
        None when the deal is acceptable; else a clause that every acceptable deal avoids.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> d = domain_of({"a": ["x", "y", "z"], "b": ["u", "v"]})
        >>> p = additive(d, {"a": {"x": 9, "y": 1}, "b": {"u": 1}}, reservation=4)
        >>> worthless_part(p, {"a": "z", "b": "u"}).parts
        (('a', ('y', 'z')),)
    """
    limit = preferences.reservation
    if limit is None or preferences.of(deal) >= limit:
        return None
    rows = preferences.table()
    best = {name: max(values.values()) for name, values in rows.items()}
    slack = preferences.best - limit
    losses = {name: best[name] - values[deal[name]] for name, values in rows.items()}
    if slack < 0:
        return Clause(tuple((name, tuple(sorted(rows[name]))) for name in sorted(rows)))
    taken: list[str] = []
    lost = Fraction(0)
    for name in sorted(losses, key=lambda one: (-losses[one], one)):
        taken.append(name)
        lost += losses[name]
        if lost > slack:
            break
    allowed: dict[str, Fraction] = {name: losses[name] for name in taken}
    for name in taken:  # widen each term as far as the others leave room
        room = sum(loss for other, loss in allowed.items() if other != name)
        steps = sorted({best[name] - value for value in rows[name].values()})
        allowed[name] = min(step for step in steps if room + step > slack)
    return Clause(
        tuple(
            (
                name,
                tuple(
                    sorted(
                        option
                        for option, value in rows[name].items()
                        if best[name] - value >= allowed[name]
                    )
                ),
            )
            for name in sorted(taken)
        )
    )


def others_like(
    transcript: Sequence[Mapping[str, object]], seat: str, domain: Domain
) -> dict[str, dict[tuple[str, str], Fraction]]:
    """Return, per other seat, how much it seems to want each option.

    A frequency model over its own proposals and consents: what a party asks for first and keeps
    asking for matters most to it (Hindriks and Tykhonov 2008 in spirit).

    Args:
        transcript: the accepted messages.
        seat: whose outlook this is; left out.
        domain: the terms.

    Returns:
        seat -> (term, option) -> weight between 0 and 1.
    """
    counts: dict[str, dict[tuple[str, str], int]] = {}
    totals: dict[str, int] = {}
    for message in transcript:
        party = str(message["party"])
        if party == seat or not ("want" in message or "offer" in message):
            continue
        first = FIRST_WEIGHT if party not in totals else 1
        totals[party] = totals.get(party, 0) + first * WANT_WEIGHT
        table = counts.setdefault(party, {})
        for field_, weight in (("want", WANT_WEIGHT), ("offer", OFFER_WEIGHT)):
            for line in _lines(message.get(field_)):
                term, _, option = line.partition(" = ")
                if term in domain.names:
                    table[term, option] = table.get((term, option), 0) + first * weight
    return {
        party: {key: Fraction(count, totals[party]) for key, count in table.items()}
        for party, table in counts.items()
    }


def _lines(value: object) -> list[str]:
    return [str(line) for line in value] if isinstance(value, (list, tuple)) else []
