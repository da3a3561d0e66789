"""Assumptions: when is bidding one's true value the best one can do?

Here: the conditions of each rule as sentences that results carry.
Not here: the audit that tries lies (audit.py).
Sources: SEMANTICS A3; Vickrey 1961; Clarke 1971; Groves 1973; McAfee 1992; Ausubel and Milgrom
2006.
"""

from __future__ import annotations

__all__ = [
    "ASSUMPTIONS",
    "BUNDLES",
    "DOUBLE_VCG",
    "FIRST_PRICE_WARNING",
    "MCAFEE",
    "ONE_ITEM",
    "SEVERAL_UNITS",
    "UNIFORM_PRICE_WARNING",
]

_COMMON = (
    "each bidder knows its own value, and others' bids do not change it",
    "one identity per bidder, and no agreement among bidders",
    "one sale at a time: no later sale and no budget that winning uses up",
    "bids are sealed until all are in, and the seller bids for nobody",
)

ONE_ITEM: tuple[str, ...] = ("bidding one's true value is best if", *_COMMON)
"""Second price."""

SEVERAL_UNITS: tuple[str, ...] = (
    "bidding one's true marginal values is best if",
    "no further unit is worth more to a bidder than the one before",
    *_COMMON,
)
"""VCG for several units."""

BUNDLES: tuple[str, ...] = (
    "bidding one's true values is best if",
    "a bidder bids on every bundle that it values, and winner determination is exact",
    *_COMMON,
    "VCG may pay the seller little, even nothing, and less with more bidders",
)
"""VCG for bundles."""

MCAFEE: tuple[str, ...] = (
    "naming one's true value or cost is best if",
    "each party trades one unit",
    *_COMMON,
    "the price of truth: the least gainful trade may not happen",
)
"""McAfee's double auction."""

DOUBLE_VCG: tuple[str, ...] = (
    "naming one's true value or cost is best if",
    "each party trades one unit",
    *_COMMON,
    "somebody pays the deficit, and it is none of the traders",
)
"""The VCG double auction."""

FIRST_PRICE_WARNING: tuple[str, ...] = (
    "bidding one's true value is never best: it gains nothing",
    "expect bids below values, by each bidder's guess about the others",
)
"""First price, the Dutch clock."""

UNIFORM_PRICE_WARNING: tuple[str, ...] = (
    "bidding one's true values is best only for who wants one unit",
    "who wants several gains by hiding some of its demand: expect bids below values",
)
"""One price for all units."""

ASSUMPTIONS: dict[str, tuple[str, ...]] = {
    "second_price": ONE_ITEM,
    "first_price": FIRST_PRICE_WARNING,
    "uniform_price": UNIFORM_PRICE_WARNING,
    "multi_unit_vcg": SEVERAL_UNITS,
    "combinatorial_vcg": BUNDLES,
    "mcafee": MCAFEE,
    "double_vcg": DOUBLE_VCG,
}
"""Rule -> its sentences."""
