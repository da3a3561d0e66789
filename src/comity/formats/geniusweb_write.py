"""GeniusWeb files: how is a problem written for GeniusWeb?

Here: the domain and one profile per party, as texts.
Not here: reading them (geniusweb_json.py), what they cannot hold (file_losses.py), a disk.
Sources: the GeniusWeb core documentation. The weights must sum to 1, so what the issues leave over
goes to one of them, with smaller utilities in proportion. A reservation is written as a deal that
is worth exactly that much.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from math import lcm

from comity.core.errors import Fault, raise_if
from comity.core.exact import show_number
from comity.formats.file_losses import (
    LOSSY,
    Shares,
    decimal_text,
    inexact,
    losses_of,
    shares_of,
    unwritable,
)
from comity.mechanisms.bargaining.preferences import Additive
from comity.mechanisms.bargaining.problem import Problem

__all__ = ["write_geniusweb"]

_MOST_SUMS = 10_000
_ZERO = Fraction(0)


def write_geniusweb(
    problem: Problem, name: str = "scenario", *, lossy: bool = False
) -> Mapping[str, str]:
    """Return the files of a problem: its domain and one profile for each party.

    Args:
        problem: additive values of 0 or more, no constraints and no red lines.
        name: the domain's name; its file is ``NAME.json``, a profile's is ``PARTY.json``.
        lossy: whether numbers may be rounded, values scaled to 0..1, a reservation raised to the
            next deal, and discounts, units, rates, sums and numbers at options left out.

    Returns:
        File name -> text.

    Raises:
        InvalidInput: with everything that the files cannot hold.

    Example:
        >>> from comity.mechanisms.bargaining.domain import domain_of
        >>> from comity.mechanisms.bargaining.preferences import additive
        >>> from comity.mechanisms.bargaining.problem import problem_of
        >>> d = domain_of({"day": ["Mon", "Tue"]})
        >>> own = additive(d, {"day": {"Mon": "0.5", "Tue": "0.2"}}, reservation="0.2")
        >>> files = write_geniusweb(problem_of(d, {"ann": own, "bob": own}), "day")
        >>> sorted(files), '"Tue": 0.2' in files["ann.json"]
        (['ann.json', 'bob.json', 'day.json'], True)
    """
    faults = list(unwritable(problem, "GeniusWeb"))
    files = {party: f"{party}.json" for party in problem.names}
    taken = [one.casefold() for one in (f"{name}.json", *files.values())]
    for owner, file in files.items():
        if taken.count(file.casefold()) > 1:
            what = f"would share the file {file} on some disks"
            allowed = "names that differ in more than capitals"
            faults.append(Fault(owner, what, allowed, "rename the party"))
    raise_if(faults)
    losses = list(losses_of(problem, "GeniusWeb"))
    issues = {term.name: {"values": list(term.names)} for term in problem.domain.terms}
    domain = {"name": name, "issuesValues": issues}
    texts = {f"{name}.json": _text(domain)}
    for party in problem.parties:
        preferences = party.preferences
        assert isinstance(preferences, Additive)
        if preferences.discount != 1:
            what = f"has the discount {show_number(preferences.discount)}"
            losses.append(Fault(party.name, what, "no discount in GeniusWeb", LOSSY))
        shares = _filled(shares_of(party.name, preferences, losses))
        texts[files[party.name]] = _text(
            {"LinearAdditiveUtilitySpace": _space(shares, domain, losses)}
        )
    if not lossy:
        raise_if(losses)
    return texts


def _text(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _filled(shares: Shares) -> Shares:
    """Return shares whose weights sum to 1, exact in decimals where one issue allows it."""
    rest = 1 - sum(shares.weights, _ZERO)
    if not rest:
        return shares
    tries = [_with_rest(shares, at, rest) for at in range(len(shares.rows))]
    exact = [one for one in tries if all(_is_number(share) for share in _row_numbers(one))]
    return (exact or tries)[0]


def _row_numbers(shares: Shares) -> list[Fraction]:
    return [*shares.weights, *(share for row in shares.rows for _, share in row)]


def _with_rest(shares: Shares, at: int, rest: Fraction) -> Shares:
    weights = list(shares.weights)
    rows = list(shares.rows)
    weights[at] += rest
    rows[at] = tuple((key, share * shares.weights[at] / weights[at]) for key, share in rows[at])
    return Shares(shares.party, tuple(weights), tuple(rows), shares.reservation, shares.scale)


def _is_number(value: Fraction) -> bool:
    """Tell whether a number survives as a JSON number that is read as a double."""
    text, is_exact = decimal_text(value)
    return is_exact and Decimal(repr(float(value))) == Decimal(text)


def _space(shares: Shares, domain: Mapping[str, object], losses: list[Fault]) -> dict[str, object]:
    issues = domain["issuesValues"]
    assert isinstance(issues, Mapping)
    utilities = {}
    for issue, row in zip(issues, shares.rows, strict=True):
        for option, share in row:
            if not _is_number(share):
                what = f"the share of {issue} = {option} in its weight"
                losses.append(inexact(shares.party, what, share))
        table = {option: _number(share) for option, share in row}
        utilities[issue] = {"discreteutils": {"valueUtilities": table}}
    for issue, weight in zip(issues, shares.weights, strict=True):
        if not _is_number(weight):
            losses.append(inexact(shares.party, f"the weight of {issue}", weight))
    weights = {
        issue: _number(weight) for issue, weight in zip(issues, shares.weights, strict=True)
    }
    space: dict[str, object] = {
        "name": shares.party,
        "issueUtilities": utilities,
        "issueWeights": weights,
        "domain": domain,
    }
    if shares.reservation is not None:
        deal = _deal_worth(shares, losses)
        space["reservationBid"] = {"issuevalues": dict(zip(issues, deal, strict=True))}
    return space


def _number(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _deal_worth(shares: Shares, losses: list[Fault]) -> tuple[str, ...]:
    """Return a deal worth exactly the reservation, or else the nearest one that was found."""
    assert shares.reservation is not None
    wanted, rows = _in_whole_numbers(shares, shares.reservation)
    sums: dict[int, tuple[str, ...]] = {0: ()}
    for at, row in enumerate(rows):
        grown: dict[int, tuple[str, ...]] = {}
        for total, deal in sums.items():
            for option, value in row:
                # deals of one value are the same to the party: any of them says its reservation
                grown.setdefault(total + value, (*deal, option))
        rest = sum(max(value for _, value in later) for later in rows[at + 1 :])
        sums = {total: grown[total] for total in _worth_keeping(grown, wanted, rest)}
    if wanted not in sums:
        what = f"has the reservation {show_number(shares.reservation)}"
        allowed = f"what a deal is worth that is found among {_MOST_SUMS} sums"
        losses.append(Fault(shares.party, what, allowed, "change it, or write with lossy=True"))
    above = [total for total in sums if total >= wanted]
    return sums[min(above) if above else max(sums)]


def _in_whole_numbers(
    shares: Shares, reservation: Fraction
) -> tuple[int, list[list[tuple[str, int]]]]:
    values = [
        [(option, weight * share) for option, share in row]
        for weight, row in zip(shares.weights, shares.rows, strict=True)
    ]
    scale = lcm(
        reservation.denominator, *(value.denominator for row in values for _, value in row)
    )
    rows = [[(option, int(value * scale)) for option, value in row] for row in values]
    return int(reservation * scale), rows


def _worth_keeping(totals: Iterable[int], wanted: int, rest: int) -> list[int]:
    """Return the sums that can still reach what is wanted, and the nearest ones beside them."""
    ordered = sorted(totals)
    below = [total for total in ordered if wanted - rest <= total < wanted]
    if len(below) > _MOST_SUMS:
        below = below[:: len(below) // _MOST_SUMS + 1]
    above = [total for total in ordered if total >= wanted][:1]
    return [*below, *(above or ordered[-1:])]
