"""Assumptions: does every auction say when truth is best?"""

from __future__ import annotations

from comity.mechanisms.auctions import AUCTIONS
from comity.mechanisms.auctions.assumptions import ASSUMPTIONS


def test_a3_every_auction_has_its_sentences() -> None:
    assert ASSUMPTIONS.keys() == AUCTIONS.keys()
    assert all(len(told) > 1 for told in ASSUMPTIONS.values())


def test_a3_only_rules_with_a_fault_warn() -> None:
    warned = {name for name, told in ASSUMPTIONS.items() if not told[0].endswith("best if")}
    assert warned == {"first_price", "uniform_price"}
