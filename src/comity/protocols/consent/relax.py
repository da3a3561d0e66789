"""Relax: which one red line, loosened how far, would let all the others be kept?

Here: for each red line in a conflict, whether the rest can be kept without it, and the nearest
red line in its place that can be kept with them.
Not here: finding the conflict (feasibility.py), saying it (endings.py).
Sources: SEMANTICS C4 and G2 (what would unblock it); quickest relaxation of one constraint, as in
minimal correction sets (Liffiton and Sakallah 2008).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from comity.core.exact import like
from comity.core.parties import PartyId
from comity.mechanisms.bargaining.domain import Domain
from comity.protocols.consent.feasibility import Owned, check_red_lines
from comity.protocols.consent.red_lines import Predicate, bounds_of

__all__ = ["Relaxation", "relaxations"]

_STEPS_AT_MOST = 200


@dataclass(frozen=True, slots=True)
class Relaxation:
    """One party could unblock everything by loosening one red line.

    Attributes:
        party: whose red line it is.
        red_line: the red line as it stands.
        instead: the nearest one that can be kept with all the others, or None when only giving
            it up helps.

    Example:
        >>> str(Relaxation("CX", Predicate("ms", "<=", 40), Predicate("ms", "<=", 115)))
        "CX's ms <= 40 loosened to ms <= 115 would do: all other red lines can be kept with it"
    """

    party: PartyId
    red_line: Predicate
    instead: Predicate | None

    def __str__(self) -> str:
        """Return the way out in words."""
        if self.instead is None:
            return f"{self.party}'s {self.red_line} given up would do"
        return (
            f"{self.party}'s {self.red_line} loosened to {self.instead} would do: "
            "all other red lines can be kept with it"
        )


def relaxations(domain: Domain, red_lines: Sequence[Owned]) -> tuple[Relaxation, ...]:
    """Return every single red line whose loosening alone resolves a conflict.

    Args:
        domain: terms and declared sums.
        red_lines: red lines that cannot all be kept, in any order.

    Returns:
        One relaxation per such red line, sorted by party and text; none when at least two red
        lines have to move.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> d = domain_of({"days": [30, 60, 90]})
        >>> lines = [("CC", Predicate("days", ">=", 60)), ("CX", Predicate("days", "<", 60))]
        >>> print(relaxations(d, lines)[1].instead)
        days <= 60
    """
    owned = sorted(set(red_lines), key=lambda one: (one[0], str(one[1])))
    found = []
    for at, (party, line) in enumerate(owned):
        rest = [*owned[:at], *owned[at + 1 :]]
        freed = check_red_lines(domain, rest, explain=False)
        if freed.verdict == "feasible":
            instead = _nearest(domain, rest, party, line, dict(freed.witness))
            found.append(Relaxation(party, line, instead))
    return tuple(found)


def _nearest(
    domain: Domain, rest: list[Owned], party: PartyId, line: Predicate, witness: dict[str, str]
) -> Predicate | None:
    if line.op == "in":
        possible = [
            option
            for option in domain.term(line.subject).names
            if _verdict(domain, rest, (party, Predicate(line.subject, "in", None, (option,))))
            == "feasible"
        ]
        return Predicate(line.subject, "in", None, tuple(sorted({*line.options, *possible})))
    if line.op == "==":
        return None
    below = line.op[0] == "<"
    best: Predicate | None = None
    for _ in range(_STEPS_AT_MOST):
        value, _ = bounds_of(line.subject, domain, witness)
        best = Predicate(line.subject, "<=" if below else ">=", like(value))
        nearer = Predicate(line.subject, "<" if below else ">", like(value))
        closer = check_red_lines(domain, [*rest, (party, nearer)], explain=False)
        if closer.verdict != "feasible":
            return best if closer.verdict == "conflict" else None
        witness = dict(closer.witness)
    return None


def _verdict(domain: Domain, rest: list[Owned], one: Owned) -> str:
    return check_red_lines(domain, [*rest, one], explain=False).verdict
