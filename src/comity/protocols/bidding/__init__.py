"""Bidding: an auction with live bidders, sealed or by the clock.

Here: the auction as a pure machine, its text grammar, its brief.
Not here: who answers (agents/), the loop (runner/), the rules that sell (mechanisms/auctions).
Sources: SEMANTICS A1, A2, A4, C3, G4, G8, G9.
"""

from comity.protocols.bidding.machine import start, step
from comity.protocols.bidding.opening import rules_from_json

MACHINE = (start, step, rules_from_json)
