"""File losses: what of a problem can files of other programs not hold?

Here: what such files refuse, what they leave out, values as weights and shares, decimals.
Not here: the files themselves (genius_write.py, geniusweb_json.py).
Sources: SEMANTICS M1, G5, G7.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from comity.core.errors import Fault
from comity.core.exact import like, show_number
from comity.core.parties import PartyId
from comity.formats.number_grid import number_name
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem import Problem

__all__ = ["LOSSY", "Shares", "decimal_text", "inexact", "losses_of", "shares_of", "unwritable"]

LOSSY = "leave it out first, or write with lossy=True"
"""What to do about what is left out."""
_DIGITS = 17  # what a double needs
_ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Shares:
    """Additive values as a weight per issue and a share of it per option.

    Attributes:
        party: whose they are.
        weights: in the order of the issues.
        rows: per issue, option -> its share of the weight, 0 to 1.
        reservation: on the same scale; None for none.
        scale: what every value was multiplied by, 1 unless the values had to be fitted.
    """

    party: PartyId
    weights: tuple[Fraction, ...]
    rows: tuple[tuple[tuple[str, Fraction], ...], ...]
    reservation: Fraction | None
    scale: Fraction


def unwritable(problem: Problem, form: str) -> Iterator[Fault]:
    """Yield what cannot be written in any way: it would be another problem.

    Args:
        problem: the problem.
        form: the name of the format, for the messages.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"a": ["x", "y"]})
        >>> p = problem_of(d, {"ann": additive(d, {}), "bob": additive(d, {"a": {"x": -1}})})
        >>> [fault.what for fault in unwritable(p, "Genius")]
        ['values a = x at -1']
    """
    allowed = f"what a {form} file can hold: additive values of 0 or more, nothing else"
    if problem.constraints:
        listed = "; ".join(str(one) for one in problem.constraints)
        yield Fault("problem", f"has constraints: {listed}", allowed, "leave them out first")
    for party in problem.parties:
        if party.red_lines:
            listed = "; ".join(str(one) for one in party.red_lines)
            yield Fault(party.name, f"has red lines: {listed}", allowed, "leave them out first")
        preferences = party.preferences
        if not isinstance(preferences, Additive):
            what = "does not value deals as a sum over the issues"
            yield Fault(party.name, what, allowed, "give it additive values")
            continue
        for term, row in zip(problem.domain.terms, preferences.values, strict=True):
            for option, value in row:
                if value < 0:
                    what = f"values {term.name} = {option} at {show_number(value)}"
                    yield Fault(party.name, what, allowed, "add a constant to the issue's values")


def losses_of(problem: Problem, form: str) -> Iterator[Fault]:
    """Yield what is left out of such a file: sums, numbers at options, units, rates.

    Args:
        problem: the problem.
        form: the name of the format, for the messages.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"a": {"x": {"ms": 5}}})
        >>> p = problem_of(d, {"ann": additive(d, {}), "bob": additive(d, {}, unit="ms")})
        >>> [fault.what for fault in losses_of(p, "Genius")]
        ["has the number x.ms at term 'a'", "is measured in 'ms'"]
    """
    allowed = f"what a {form} file can hold"
    for quantity in problem.domain.quantities:
        what = f"has the declared sum {quantity.name!r}"
        yield Fault("problem", what, allowed, LOSSY)
    for term in problem.domain.terms:
        for option in term.options:
            for attribute, _ in option.numbers:
                if attribute:
                    what = f"has the number {option.name}.{attribute} at term {term.name!r}"
                    yield Fault("problem", what, allowed, LOSSY)
    if problem.rates is not None:
        yield Fault("problem", "states rates between units", allowed, LOSSY)
    for party in problem.parties:
        if party.preferences.unit != "utility":
            what = f"is measured in {party.preferences.unit!r}"
            yield Fault(party.name, what, allowed, LOSSY)


def shares_of(party: PartyId, preferences: Additive, losses: list[Fault]) -> Shares:
    """Return values as weights and shares, fitted so that the best deal is worth at most 1.

    Args:
        party: whose values these are.
        preferences: the values, none below 0.
        losses: where it goes that the values had to be scaled.

    Returns:
        The weights and shares.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> told = additive(domain_of({"a": ["x", "y"]}), {"a": {"x": "0.5", "y": "0.2"}})
        >>> shares_of("ann", told, []).rows
        ((('x', Fraction(1, 1)), ('y', Fraction(2, 5))),)
    """
    best, least = preferences.best, preferences.reservation
    scale = _ONE
    if best > 1:
        what = f"values the best deal at {show_number(best)}"
        allowed = "at most 1, as in Genius"
        losses.append(Fault(party, what, allowed, "divide its values, or write with lossy=True"))
        scale = 1 / best
    weights = []
    rows = []
    for row in preferences.values:
        largest = max(value for _, value in row)
        weights.append(largest * scale)
        divisor = largest or _ONE  # an issue worth nothing has shares of 0
        rows.append(tuple((option, value / divisor) for option, value in row))
    reservation = None if least is None else least * scale
    return Shares(party, tuple(weights), tuple(rows), reservation, scale)


def decimal_text(value: Fraction) -> tuple[str, bool]:
    """Return a number as a decimal, and whether it is exact.

    Args:
        value: the number.

    Returns:
        The text; with 17 places or more where no decimal is exact.

    Example:
        >>> decimal_text(Fraction(3, 8)), decimal_text(Fraction(1, 3))
        (('0.375', True), ('0.33333333333333333', False))
    """
    found = like(value, Decimal(0))
    if not isinstance(found, Fraction):
        return number_name(int(value) if value.denominator == 1 else found), True
    places = _DIGITS
    while abs(value) * 10**places < 10 ** (_DIGITS - 1):
        places += 1
    return decimal_text(Fraction(round(value * 10**places), 10**places))[0], False


def inexact(whose: str, what: str, value: Fraction) -> Fault:
    """Return the fault of a number that no decimal holds.

    Example:
        >>> print(inexact("ann", "its reservation", Fraction(1, 3)).what)
        its reservation is 1/3 (0.3333), which no decimal holds
    """
    told = f"{what} is {show_number(value)}, which no decimal holds"
    return Fault(whose, told, "numbers that end", "round it, or write with lossy=True")
