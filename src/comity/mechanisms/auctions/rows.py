"""Rows: what do bids come to that are written one row a bid, some in a unit of their own?

Here: rows (bidder, amount, units, items, unit) as each auction takes its bids; amounts in other
units converted at stated rates, and what the result says about it.
Not here: the checks of each bid (bids.py, multiunit.py, bundles.py), files of rows (formats/).
Sources: SEMANTICS A2, G5-G7.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from comity.core.canonical import digest, plain
from comity.core.errors import Fault, InvalidInput, shown
from comity.core.exact import Exact, like, read_exact, show_number
from comity.core.parties import name_fault
from comity.core.units import Rates, unit_faults
from comity.mechanisms.auctions.bids import Bid
from comity.mechanisms.auctions.bundles import BundleBid
from comity.mechanisms.auctions.results import AuctionAward, AuctionNoSale, money

__all__ = ["MOST_UNITS", "Rows", "rates_from_json"]

MOST_UNITS = 10_000
"""How many units one row may bid for."""

_NEEDED = {"bidder", "amount"}
_KNOWN = {*_NEEDED, "units", "items", "unit"}
_NOTED = 20  # conversions that notes tell one by one
_SEVERAL = ("uniform_price", "multi_unit_vcg")
_BUNDLES = ("combinatorial_vcg",)

Sale = AuctionAward | AuctionNoSale


def rates_from_json(given: object, faults: list[Fault]) -> Rates | None:
    """Read the rates between units.

    Args:
        given: ``{"unit": "GBP", "worth": {"tokens": "0.002"}}``, or None.
        faults: where faults are noted.

    Returns:
        The rates, or None.

    Example:
        >>> rates_from_json({"unit": "GBP", "worth": {"tokens": "0.002"}}, []).worth
        (('tokens', Decimal('0.002')),)
    """
    if given is None:
        return None
    worth = given.get("worth") if isinstance(given, Mapping) else None
    unit = given.get("unit") if isinstance(given, Mapping) else None
    if not isinstance(unit, str) or not isinstance(worth, Mapping):
        allowed = '{"unit": "GBP", "worth": {"tokens": "0.002"}}'
        fault = Fault("rates", f"are {shown(given)}", allowed, "name the unit and the worths")
        faults.append(fault)
        return None
    read = []
    for name, value in sorted(worth.items()):
        try:
            read.append((name, read_exact(value, "rates", name)))
        except InvalidInput as error:
            faults.extend(error.faults)
    try:
        return Rates(unit, tuple(read))  # type: ignore[arg-type]  # it takes any exact number
    except InvalidInput as error:
        faults.extend(error.faults)
        return None


@dataclass(slots=True)
class Rows:
    """Rows of one auction as they are read, with what was converted.

    Attributes:
        auction: which auction takes them.
        rates: what other units are worth, None for no rates.
        unit: the unit of the auction, ``""`` while nothing names one.
        faults: what was wrong.
        converted: bidder, what it stated, and what that counts as.

    Example:
        >>> rows = Rows("uniform_price")
        >>> rows.taken([{"bidder": "a", "amount": 9, "units": 2}, {"bidder": "a", "amount": 4}])
        {'a': [9, 9, 4]}
    """

    auction: str
    rates: Rates | None = None
    unit: str = ""
    faults: list[Fault] = field(default_factory=list)
    converted: list[tuple[str, str, Exact]] = field(default_factory=list)

    def taken(self, handed: Any) -> Any:  # noqa: ANN401  # JSON as handed in
        """Return bids as the auction takes them.

        Args:
            handed: a list with rows in it; anything else stays as it is, and so does what is no
                whole row: the reading of bids says what is wrong with it.

        Returns:
            Bids of one number, bids on bundles, or bidder -> marginal bids.
        """
        if not isinstance(handed, (list, tuple)):
            return handed
        rows = [self._in_one_unit(one) if _is_row(one) else one for one in handed]
        if self.auction in _SEVERAL and any(map(_is_row, rows)):
            return self._by_bidder(rows)
        return [self._bid(one) if _is_row(one) else one for one in rows]

    def _in_one_unit(self, row: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.rates is None or row.get("unit") in (None, self.rates.unit):
            return row
        kept = {key: value for key, value in row.items() if key != "unit"}
        whose = f"bid of {shown(row['bidder'])}"
        try:
            amount = read_exact(row["amount"], whose, "amount")
        except InvalidInput:
            return kept  # the reading of bids says what is wrong with the amount
        try:
            found = self.rates.convert(amount, str(row["unit"]), whose=whose)
        except InvalidInput as error:
            self.faults.extend(error.faults)
            return kept
        counts = _shortest(found)
        stated = f"{show_number(amount)} {row['unit']}"
        self.converted.append((str(row["bidder"]), stated, counts))
        return {**kept, "amount": counts}

    def _bid(self, row: Mapping[str, Any]) -> Bid | BundleBid:
        whose, bid = row["bidder"], row["amount"]
        if "units" in row:
            self._surplus(whose, "units", ", ".join(_SEVERAL))
        if self.auction in _BUNDLES:
            return BundleBid(whose, row.get("items", ()), bid, row.get("unit"))
        if "items" in row:
            self._surplus(whose, "items", ", ".join(_BUNDLES))
        return Bid(whose, bid, row.get("unit"))

    def _surplus(self, whose: object, key: str, rules: str) -> None:
        what = f"names {key}, which {self.auction} does not sell"
        self.faults.append(
            Fault(f"bid of {shown(whose)}", what, f"{key} under {rules}", f"leave {key} out")
        )

    def _by_bidder(self, rows: Sequence[Any]) -> dict[str, list[Any]]:
        """Return bidder -> marginal bids, in the order of its rows."""
        found: dict[str, list[Any]] = {}
        units: dict[str, str] = {}
        for row in rows:
            if not _is_row(row):
                allowed = "rows with a bidder and an amount"
                self.faults.append(Fault("bids", f"hold {shown(row)}", allowed, "name both"))
                continue
            whose, count = row["bidder"], self._count(row)
            wrong = name_fault(whose, "bidder")
            if wrong is not None:
                self.faults.append(wrong)
                continue
            if "items" in row:
                self._surplus(whose, "items", ", ".join(_BUNDLES))
            if row.get("unit") is not None:
                units[f"bid of {whose}"] = str(row["unit"])
            found.setdefault(whose, []).extend([row["amount"]] * count)
        if self.unit and units:
            units["auction"] = self.unit
        self.faults.extend(unit_faults(units, for_what="comparing bids"))
        self.unit = self.unit or next(iter(units.values()), "")
        return found

    def _count(self, row: Mapping[str, Any]) -> int:
        whose = f"bid of {shown(row['bidder'])}"
        count = row.get("units", 1)
        if isinstance(count, int) and not isinstance(count, bool) and 1 <= count <= MOST_UNITS:
            return count
        allowed = f"a whole number from 1 to {MOST_UNITS}"
        self.faults.append(Fault(whose, f"is for {shown(count)} units", allowed, "correct units"))
        return 0

    def told(self, result: Sale) -> Sale:
        """Return a result that says at which rates its bids were converted.

        Args:
            result: the award or the no-sale.

        Returns:
            The same result where there are no rates.
        """
        if self.rates is None:
            return result
        unit = self.rates.unit
        listed = sorted(self.converted, key=lambda one: (one[0], one[1]))
        stated = [[whose, what, plain(counts)] for whose, what, counts in listed]
        rates = plain({"unit": unit, "worth": dict(self.rates.worth)})
        before = result.grounds
        grounds = replace(
            before,
            inputs_digest=digest([before.inputs_digest, rates, stated]),
            parameters=(*before.parameters, ("rates", rates), ("converted", stated)),
        )
        notes = [f"bid of {who}: {what} counts as {money(n, unit)}" for who, what, n in listed]
        if len(notes) > _NOTED:
            notes = [f"{len(notes)} bids were converted to {unit} at the stated rates"]
        return replace(result, grounds=grounds, notes=(*result.notes, *notes))


def _is_row(one: object) -> bool:
    """Tell whether something is a row, so that it can be looked up by name."""
    return isinstance(one, Mapping) and _NEEDED <= one.keys() <= _KNOWN


def _shortest(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else like(value, Decimal(0))
