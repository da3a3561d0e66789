"""Auctions: who gets what is scarce, at what price, when bids should be honest?

Here: sealed bids for one item, several units, bundles, double auctions, clocks, commitments, the
truthfulness audit, reports over many sales.
Not here: asking the bidders (protocols/), files (formats/).
Sources: SEMANTICS A1-A4.
"""

from comity.mechanisms.auctions.audit import AuditOptions, Lie, TruthfulnessVerdict, audit
from comity.mechanisms.auctions.bids import Bid, Bids, RefusedBid
from comity.mechanisms.auctions.bulk import Cleared, clear_units
from comity.mechanisms.auctions.bundles import BundleBid
from comity.mechanisms.auctions.clock import (
    ClockLevel,
    ClockRules,
    ClockState,
    clock_start,
    clock_step,
)
from comity.mechanisms.auctions.combinatorial import CombinatorialOptions, combinatorial_vcg
from comity.mechanisms.auctions.commitment import commitment, opened, reveal
from comity.mechanisms.auctions.determination import Search
from comity.mechanisms.auctions.double import double_vcg, mcafee
from comity.mechanisms.auctions.multiunit import multi_unit_vcg, uniform_price
from comity.mechanisms.auctions.registry import (
    AUCTIONS,
    AuctionRules,
    auction_named,
    auction_rules_from_json,
    run_auction,
)
from comity.mechanisms.auctions.repeated import (
    AuctionReport,
    BudgetedAuctions,
    BudgetRound,
    Signal,
    auction_report,
    pace,
    with_budgets,
)
from comity.mechanisms.auctions.results import (
    AuctionAward,
    AuctionNoSale,
    Externality,
    MinimumBid,
    PriceSetter,
    Proof,
)
from comity.mechanisms.auctions.sealed import Shading, first_price, shading, vickrey

__all__ = [
    "AUCTIONS",
    "RULE",
    "AuctionAward",
    "AuctionNoSale",
    "AuctionReport",
    "AuctionRules",
    "AuditOptions",
    "Bid",
    "Bids",
    "BudgetRound",
    "BudgetedAuctions",
    "BundleBid",
    "Cleared",
    "ClockLevel",
    "ClockRules",
    "ClockState",
    "CombinatorialOptions",
    "Externality",
    "Lie",
    "MinimumBid",
    "PriceSetter",
    "Proof",
    "RefusedBid",
    "Search",
    "Shading",
    "Signal",
    "TruthfulnessVerdict",
    "auction_named",
    "auction_report",
    "auction_rules_from_json",
    "audit",
    "clear_units",
    "clock_start",
    "clock_step",
    "combinatorial_vcg",
    "commitment",
    "double_vcg",
    "first_price",
    "mcafee",
    "multi_unit_vcg",
    "opened",
    "pace",
    "reveal",
    "run_auction",
    "shading",
    "uniform_price",
    "vickrey",
    "with_budgets",
]

RULE = (run_auction, auction_rules_from_json)
"""How a recorded session is decided: the rule, and the reading of its recorded rules."""
